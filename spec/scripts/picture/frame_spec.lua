-- Parts of a picture: the camera's map, colours, the scene's pen, trails, and the frame that combines them.

local cameras = require "impel.camera"
local frames = require "impel.picture.frame"
local palette = require "impel.picture.palette"
local pens = require "impel.picture.pen"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"
local drawings = require "impel.drawing"

local function run_of(text, steps)
  local run = assert(runner.new(assert(scenes.parse(text, "=test")), { steps = steps or 10 }))
  return run
end

local FALL = [[
local impel = require "impel"
local scene = { params = { fail = false } }
function scene.setup(p)
  local world = impel.world { gravity = { 0, -10 } }
  local ball = world:body { position = { 1, 2 } }
  ball:circle { radius = 0.5 }
  return { world = world, ball = ball, p = p }
end
function scene.draw(s, view)
  if s.p.fail then view:circle(0, 0, -1) end
  view:circle(3, 4, 0.5, "orange")
  view:text(0, 0, ("%.3f"):format(view.time))
  view:trail("ball", s.ball:position())
end
return scene
]]

describe("the camera", function()
  it("maps its centre to the picture's centre, world y up to screen y down, and metres to pixels", function()
    local c = cameras.new { x = 2, y = 3, height = 6, width_px = 1000, height_px = 600 }
    assert.same({ 500, 300 }, { c:to_screen(2, 3) })
    assert.same({ 600, 100 }, { c:to_screen(3, 5) })
    assert.same({ 2 - 5, 0, 7, 6 }, { c:bounds() })
    assert.equal(100, c.ppm)
  end)

  it("stays finite for any view", function()
    local big, most = 1.7e308, math.huge
    local c = cameras.new { x = big, y = -big, height = 1e-320, width_px = 800, height_px = 600 }
    local function is_finite()
      for _, name in ipairs { "x", "y", "height", "width", "ppm" } do
        assert.is_true(c[name] == c[name] and math.abs(c[name]) <= 1e12 and c[name] ~= 0, name .. " " .. c[name])
      end
    end
    is_finite()
    for _, box in ipairs { { big, big, big, big }, { -big, -big, big, big }, { -most, -most, most, most },
      { 0, 0 / 0, 1, 1 }, { 0 / 0, 0 / 0, 0 / 0, 0 / 0 } } do
      c:fit(table.unpack(box))
      c:follow(c.x + 1, c.y + 1)
      is_finite()
    end
    c:follow(0 / 0, most)
    c:pan(-1, most)
    is_finite()
    for _, factor in ipairs { 1e300, 1e-300, most } do
      c:zoom(factor, 100, -1e9)
      is_finite()
    end
  end)

  it("gives back the world point of every pixel", function()
    local c = cameras.new { x = -7.5, y = 1e3, height = 0.01, width_px = 641, height_px = 479 }
    for _, at in ipairs { { 0, 0 }, { 641, 479 }, { 12.25, 400 } } do
      local px, py = c:to_screen(c:to_world(at[1], at[2]))
      assert.near(at[1], px, 1e-6) -- rounding of doubles near 5e7 pixels
      assert.near(at[2], py, 1e-6)
    end
  end)

  it("keeps the point under the cursor when it zooms, and moves it with the cursor when it pans", function()
    local c = cameras.new { x = 1, y = 1, height = 8, width_px = 800, height_px = 600 }
    local x, y = c:to_world(100, 50)
    for _ = 1, 20 do c:zoom(1.25, 100, 50) end
    local px, py = c:to_screen(x, y)
    assert.near(100, px, 1e-6)
    assert.near(50, py, 1e-6)
    assert.near(8 / 1.25 ^ 20, c.height, 1e-12)
    c:pan(30, -7)
    px, py = c:to_screen(x, y)
    assert.near(130, px, 1e-6)
    assert.near(43, py, 1e-6)
  end)

  it("fits a whole box into the view, whichever of the box's sides limits the scale", function()
    for _, box in ipairs { { 0, 0, 10, 1 }, { -1, -50, 1, 50 } } do
      local c = cameras.new { width_px = 960, height_px = 540 }
      c:fit(table.unpack(box))
      local x1, y1, x2, y2 = c:bounds()
      assert.truthy(x1 < box[1] and y1 < box[2] and x2 > box[3] and y2 > box[4])
      assert.near(1.12, math.min((x2 - x1) / (box[3] - box[1]), (y2 - y1) / (box[4] - box[2])), 1e-9)
    end
  end)

  it("shows the same height after the window was resized, also to zero size and back", function()
    local c = cameras.new { x = 3, y = 4, height = 5, width_px = 800, height_px = 500 }
    c:resize(400, 250)
    assert.same({ 3, 4, 5, 50, 8 }, { c.x, c.y, c.height, c.ppm, c.width })
    c:resize(0, 0)
    c:resize(400, 500)
    assert.same({ 3, 4, 5, 100, 4 }, { c.x, c.y, c.height, c.ppm, c.width })
    c:resize(1600, 1000, 2) -- a point of two pixels does not change the size in points
    assert.same({ 3, 4, 5, 200, 8 }, { c.x, c.y, c.height, c.ppm, c.width })
  end)

  it("shows a fitted box whole after the window was resized, until the camera pans", function()
    local c = cameras.new { width_px = 800, height_px = 400 }
    c:fit(0, 0, 20, 2, 0)
    c:resize(200, 400)
    assert.same({ 20, 40 }, { c.width, c.height })
    c:pan(10, 0)
    c:resize(100, 400)
    assert.same({ 10, 40 }, { c.width, c.height })
  end)

  it("of a panel has its y axis down, and points as its unit", function()
    local c = cameras.panel(400, 300, 2)
    assert.same({ 0, 0 }, { c:to_screen(0, 0) })
    assert.same({ 20, 60 }, { c:to_screen(10, 30) })
    assert.same({ 10, 30 }, { c:to_world(20, 60) })
  end)
end)

describe("the palette", function()
  it("has a colour for every style of the draw list, and no other", function()
    local known = {}
    for _, style in ipairs(drawings.styles) do
      known[style] = true
      for _, name in ipairs { "fill", "line", "width", "dot", "text", "head" } do
        assert.truthy(palette.styles[style] and palette.styles[style][name], style .. "." .. name)
      end
    end
    for style in pairs(palette.styles) do assert.truthy(known[style], style) end
  end)

  -- Return the relative luminance of a colour on the background, by the formula of WCAG 2.
  local function luminance(color, background)
    local alpha, sum = (color & 0xff) / 255, 0
    for i, weight in ipairs { 0.2126, 0.7152, 0.0722 } do
      local shift = 32 - 8 * i
      local c = ((color >> shift & 0xff) * alpha + (background >> shift & 0xff) * (1 - alpha)) / 255
      sum = sum + weight * (c <= 0.03928 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4)
    end
    return sum
  end

  it("gives every outline of a body a contrast above 1.9:1 to the body's fill and to the background", function()
    for _, canvas in ipairs { palette, palette.dark } do
      for _, style in ipairs { "static", "kinematic", "dynamic", "asleep" } do
        local look = canvas.styles[style]
        for _, other in ipairs { look.fill, canvas.background } do
          local a, b = luminance(look.line, canvas.background), luminance(other, canvas.background)
          local contrast = (math.max(a, b) + 0.05) / (math.min(a, b) + 0.05)
          assert.truthy(contrast > 1.9, ("%s: %.2f"):format(style, contrast))
        end
      end
    end
  end)

  it("gives texts a contrast of 4.5:1 on the light and on the dark canvas", function()
    for _, canvas in ipairs { palette, palette.dark } do
      local ground = luminance(canvas.background, canvas.background)
      for _, ink in ipairs { canvas.grid_text, canvas.styles.name.line, canvas.styles.scene.line, canvas.named.ink,
        canvas.styles.joint.line } do
        local a = luminance(ink, canvas.background)
        local contrast = (math.max(a, ground) + 0.05) / (math.min(a, ground) + 0.05)
        assert.truthy(contrast >= 4.5, ("%08x: %.2f"):format(ink, contrast))
      end
    end
    assert.equal(palette.dark.named.ink, palette.color("ink", palette.dark))
    assert.equal(palette.named.red, palette.color("red", palette.dark))
  end)

  it("reads colours by name and by digits", function()
    assert.equal(0xe69f00ff, palette.color "orange")
    assert.equal(0x102030ff, palette.color "#102030")
    assert.equal(0x10203040, palette.color "#10203040")
    assert.equal(7, palette.color(7))
    local color, message = palette.color "organge"
    assert.equal(nil, color)
    assert.equal("no colour 'organge' (did you mean 'orange'?)", message)
    assert.equal(nil, (palette.color {}))
    assert.equal(nil, (palette.color(-1)))
  end)
end)

describe("the pen of scene.draw", function()
  local drawing, pen

  before_each(function()
    drawing, pen = drawings.new(), pens.new()
    pens.begin(pen, drawing, cameras.new { x = 1, y = 2, height = 4, width_px = 200, height_px = 100 }, 0)
  end)

  it("has the visible area and the time", function()
    assert.same({ 1, 2, 8, 4, 0 }, { pen.x, pen.y, pen.width, pen.height, pen.time })
  end)

  it("draws each of its shapes", function()
    pen:line(0, 0, 1, 1)
    pen:polyline({ { 0, 0 }, { 1, 0 }, { x = 1, y = 1 } }, "blue")
    pen:polygon({ 0, 0, 1, 0, 1, 1 }, "#11223344")
    pen:outline { { 0, 0 }, { 1, 0 }, { 1, 1 } }
    pen:circle(1, 2, 3)
    pen:ring(1, 2, 3)
    pen:arrow(0, 0, 1, 0)
    pen:point(5, 6)
    pen:text(0, 1, 42, nil, "right")
    require("support.golden").check("draw/pen.txt", drawing:dump())
  end)

  it("reports errors at the scene's line", function()
    local function refused(expected, name, ...)
      local arguments = table.pack(...)
      local ok, message = pcall(function() pen[name](pen, table.unpack(arguments, 1, arguments.n)) end)
      assert.falsy(ok)
      assert.truthy(message:find("^spec/scripts/picture/frame_spec.lua:%d+: "), message)
      assert.equal(expected, (message:gsub("^.-:%d+: ", "")))
    end
    refused("view:line: argument 4 must be a finite number [m], got nil (impel api view:line)", "line", 0, 0, 1)
    refused("view:circle: argument 1 must be a finite number [m], got nan", "circle", 0 / 0, 0, 1)
    refused("view:circle: a radius must be finite and >= 0, got -1", "circle", 0, 0, -1)
    refused("view:ring: no colour 'gren' (did you mean 'green'?)", "ring", 0, 0, 1, "gren")
    refused("view:polygon: a primitive of kind 'polygon' cannot have 2 points", "polygon", { { 0, 0 }, { 2, 0 } })
    refused("view:polyline: point 2 must be { x, y }, got 5", "polyline", { { 0, 0 }, 5 })
    refused("view:polyline: points { { x, y }, ... } expected, got nil", "polyline")
    refused("view:text: argument 3 must be text, got nil", "text", 0, 0)
    refused("view:text: align must be \"left\", \"center\" or \"right\", \"top\", \"middle\" or \"bottom\", or "
      .. "one of each, \"left top\", got \"centre\"", "text", 0, 0, "x", nil, "centre")
    assert.equal(0, #drawing)
  end)

  it("keeps a trail for each name, adds no point while time is constant, and restarts if time goes back", function()
    local camera = cameras.new { width_px = 1, height_px = 1 }
    local function points_at(time, x)
      local d = drawings.new()
      pens.begin(pen, d, camera, time)
      pen:trail("a", x, 0)
      local _, item = d:items()()
      return item and item.n / 2 or 0
    end
    assert.equal(0, points_at(0.0, 1)) -- a trail of one point is not drawn
    assert.equal(2, points_at(0.1, 2))
    assert.equal(2, points_at(0.1, 2))
    assert.equal(3, points_at(0.2, 3))
    assert.equal(0, points_at(0.0, 1))
    for i = 1, 2000 do points_at(i, i) end
    assert.equal(600, points_at(2001, 1)) -- a trail has at most 600 points
  end)
end)

describe("a frame", function()
  it("shows the world, the scene's drawing, and a grid in round metres", function()
    local run = run_of(FALL)
    local f = frames.new(run)
    local camera = f:camera(cameras, 960, 540)
    local d, shown = drawings.new(), frames.defaults()
    assert.truthy(f:fill(d, camera, shown))
    local styles = {}
    for _, item in d:items() do styles[item.style] = (styles[item.style] or 0) + 1 end
    assert.same({ dynamic = 3, scene = 2 }, styles)
    shown.grid, shown.scene = true, nil
    d:clear()
    assert.truthy(f:fill(d, camera, shown))
    local labels = {}
    for _, item in d:items() do if item.text then labels[#labels + 1] = tonumber(item.text) end end
    assert.truthy(#labels > 8)
    table.sort(labels)
    local step
    for i = 2, #labels do
      local gap = labels[i] - labels[i - 1]
      if gap > 1e-9 and (not step or gap < step) then step = gap end
    end
    local lead = step / 10 ^ math.floor(math.log(step, 10) + 1e-9)
    assert.truthy(math.abs(lead - 1) < 1e-6 or math.abs(lead - 2) < 1e-6 or math.abs(lead - 5) < 1e-6, lead)
  end)

  it("is drawn with all overlays at any zoom, position and time step, in a world without bodies", function()
    local all, d = {}, drawings.new()
    for _, overlay in ipairs(frames.overlays) do all[overlay.name] = true end
    for _, dt in ipairs { 1e-6, 1e-4, 1 / 60 } do
      local run = run_of(([[
        local world = require "impel".world { dt = %g }
        return { setup = function() return { world = world } end }]]):format(dt))
      local f = frames.new(run)
      for _, height in ipairs { 1e-6, 10, 2e4, 1e9 } do
        for _, x in ipairs { 0, 1e9, -1e12 } do
          d:clear()
          assert.is_true(f:fill(d, cameras.new { x = x, height = height, width_px = 960, height_px = 540 }, all))
        end
      end
      run:close()
    end
  end)

  it("stops drawing waves shorter than the spacing of floating-point numbers", function()
    local run = run_of [[
      local world = require "impel".world {}
      world:field { kind = "buoyancy", density = 1, wave_amplitude = 1e-3, wave_length = 1e-3 }
      return { setup = function() return { world = world } end }]]
    local camera = cameras.new { x = 1e12, height = 1e-3, width_px = 960, height_px = 540 }
    assert.is_true(frames.new(run):fill(drawings.new(), camera, frames.defaults()))
    run:close()
  end)

  it("shows fields: the surface of water, arrows of a flow inside its area, centres of central fields", function()
    local run = run_of [[
      local impel = require "impel"
      local scene = { view = { x = 0, y = 0, height = 8 } }
      function scene.setup()
        local world = impel.world {}
        world:field { kind = "buoyancy", density = 2, level = -1, wave_amplitude = 0.3, wave_length = 4,
          wave_speed = 2 }
        world:field { kind = "wind", velocity = { 3, 0 }, region = { -6, 0.5, 6, 3.5 } }
        world:field { kind = "attractor", center = { -4, 2 }, strength = 2, range = 1.5 }
        world:field { kind = "vortex", linear = 1, center = { 1, 1 }, enabled = false, region = { 0, 0, 1, 1 } }
        return { world = world }
      end
      return scene]]
    while not run:done() do run:step() end
    local drawing, f = drawings.new(), frames.new(run)
    f:fill(drawing, f:camera(cameras, 960, 540), frames.defaults())
    local arrows, circles, waves, boxes = 0, {}, 0, 0
    for _, item in drawing:items() do
      if item.kind == "arrow" then
        arrows = arrows + 1
        assert.is_true(item[1] > -6 and item[3] < 6 and item[2] > 0.5 and item[2] < 3.5)
        assert.equal(item[2], item[4])
        -- The longest arrow shows the speed after a fall by the height of the picture.
        local fastest = math.sqrt(2 * 9.81 * 8)
        assert.near(0.6 * 8 / 5 * 3 / fastest, item[3] - item[1], 1e-6)
      elseif item.kind == "outline" and item.radius > 0 then
        circles[#circles + 1] = { item[1], item[2], item.radius }
      elseif item.kind == "outline" and item.style == "scene" then
        boxes = boxes + 1
      elseif item.kind == "polyline" and item.n > 50 then
        for i = 1, item.n, 2 do
          waves = waves + 1
          assert.near(-1 + 0.3 * math.sin(math.pi / 2 * (item[i] - 2 * run.world.time)), item[i + 1], 1e-5) -- floats
        end
      end
    end
    assert.is_true(arrows >= 4 and waves > 50)
    assert.same({ -4, 2 }, { circles[1][1], circles[1][2] })
    assert.near(1.5, circles[2][3], 1e-6)
    assert.equal(2, #circles)
    assert.equal(1, boxes)
  end)

  it("shows the centre of an explosion until it is over", function()
    local run = run_of [[
      local impel = require "impel"
      local scene = { view = { x = 0, y = 0, height = 8 } }
      function scene.setup()
        local world = impel.world {}
        world:field { kind = "explosion", center = { -4, 2 }, impulse = 2, start = 0.1, duration = 0.1 }
        return { world = world }
      end
      return scene]]
    while not run:done() do run:step() end
    local seen = {}
    for _ = 1, 15 do
      local drawing, f, marks = drawings.new(), frames.new(run), 0
      f:fill(drawing, f:camera(cameras, 960, 540), frames.defaults())
      for _, item in drawing:items() do
        if item.kind == "outline" and item[1] == -4 and item[2] == 2 then marks = marks + 1 end
      end
      seen[#seen + 1] = { run.world.time, marks }
      run.world:step()
    end
    for _, pair in ipairs(seen) do assert.equal(pair[1] < 0.2 - 1e-9 and 1 or 0, pair[2], pair[1]) end
  end)

  it("shows uniform forces and accelerations, scaled like other forces", function()
    for _, option in ipairs { "acceleration = { 0, -4.905 }", "force = { 0, -4.905 }" } do
      local run = run_of(([[
        local impel = require "impel"
        local scene = { view = { x = 0, y = 0, height = 10 } }
        function scene.setup()
          local world = impel.world { gravity = { 0, 0 } }
          world:body { mass = 1 }
          world:field { kind = "uniform", %s }
          return { world = world }
        end
        return scene]]):format(option), 0)
      local drawing, f = drawings.new(), frames.new(run)
      f:fill(drawing, f:camera(cameras, 960, 540), frames.defaults())
      local arrows = 0
      for _, item in drawing:items() do
        if item.kind == "arrow" then
          arrows = arrows + 1
          -- The weight of the heaviest body has the longest arrow. The force is half of this weight.
          assert.near(-0.6 * 10 / 5 * 0.5, item[4] - item[2], 1e-6)
        end
      end
      assert.is_true(arrows > 20)
    end
  end)

  it("uses the scene's view, or shows the whole world", function()
    local c = frames.new(run_of(FALL)):camera(cameras, 960, 540)
    assert.same({ 1, 2 }, { c.x, c.y })
    assert.near(1.12, c.height, 1e-9) -- a circle of diameter 1 m, with a margin of 6 % on each side
    local run = run_of(FALL:gsub("params =", "view = { x = 5, y = 6, height = 7 }, params ="))
    c = frames.new(run):camera(cameras, 960, 540)
    assert.same({ 5, 6, 7 }, { c.x, c.y, c.height })
  end)

  it("widens the scene's view if other parameters move a body out of it, and keeps it otherwise", function()
    local text = FALL:gsub("params = {", "view = { x = 1, y = 2, height = 4 }, params = { height = 2.0,")
      :gsub("position = { 1, 2 }", "position = { 1, p.height }")
    local scene = assert(scenes.parse(text, "=test"))
    -- The view contains the body at 22 m, with a margin of 6 % on each side.
    for height, expected in pairs { [2] = 4, [3.5] = 4, [22] = 22 * 1.12 } do
      local run = assert(runner.new(scene, { set = { height = height } }))
      assert.near(expected, frames.new(run):camera(cameras, 960, 540).height, 1e-9)
    end
  end)

  it("shows the scene's own error and the rest of the frame", function()
    local run = assert(runner.new(assert(scenes.parse(FALL, "=test")), { set = { fail = "true" } }))
    local f, d = frames.new(run), drawings.new()
    local ok, failure = f:fill(d, f:camera(cameras, 100, 100), frames.defaults())
    assert.equal(nil, ok)
    assert.equal("scene", failure.kind)
    assert.truthy(failure.message:find("^test:10: view:circle: a radius must be finite"), failure.message)
    assert.equal(3, #d)
  end)

  it("shows trails of centres of mass, and removes later points after a step back", function()
    local run = run_of(FALL, 100)
    local f = frames.new(run)
    local function way()
      local d = drawings.new()
      f:fill(d, f:camera(cameras, 100, 100), { trails = true })
      for _, item in d:items() do
        if item.style == "trail" then
          local copy = {}
          for i = 1, item.n do copy[i] = item[i] end
          return copy
        end
      end
      return {}
    end
    local before
    for i = 1, 30 do
      run:step()
      f:sample()
      if i == 10 then before = run.world:snapshot() end
    end
    local points = way()
    assert.equal(2 * 31, #points)
    for i = 0, 30 do -- free fall; the tolerance is the distance of one step
      local t = i / 60
      assert.near(2 - 5 * t * t, points[2 * i + 2], 10 * t / 60)
    end
    run.world:restore(before)
    run:step()
    f:sample()
    local again = way()
    assert.equal(2 * 12, #again)
    assert.same({ table.unpack(points, 1, 24) }, again)
  end)
end)
