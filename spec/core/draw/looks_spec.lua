-- Looks of bodies and shapes, drawing order and layers of the pen, read from the draw list.

local impel = require "impel"
local cameras = require "impel.camera"
local drawings = require "impel.drawing"
local frames = require "impel.picture.frame"
local pens = require "impel.picture.pen"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"
local viewer = require "impel.viewer"

local fake = require "support.viewer_fake"
local program = require "support.program"

-- Return the draw list of a world, one table per item.
local function items_of(world)
  local d, list = drawings.new(), {}
  d:world(world, { joints = false })
  d:sort()
  for i, item in d:items() do
    list[i] = { kind = item.kind, color = item.color, width = item.width, owner = item.owner, order = item.order }
  end
  return list
end

local function box_in(world, options)
  local body = world:body { position = { 1, 2 } }
  return body, body:box(options or { 1, 1 })
end

describe("a look", function()
  local world

  before_each(function() world = impel.world {} end)

  it("sets a body's colours and line width, and hides its outline or fill", function()
    local body = box_in(world)
    body:set_look { color = "red", outline = "#11223344", width = 3 }
    local list = items_of(world)
    assert.same({ "fill", 0xd55e00ff }, { list[1].kind, list[1].color })
    assert.same({ "outline", 0x11223344, 3.0 }, { list[2].kind, list[2].color, list[2].width })
    body:set_look { outline = false }
    list = items_of(world)
    assert.same({ 1, "fill", 0 }, { #list, list[1].kind, list[1].color })
    body:set_look { color = false }
    list = items_of(world)
    assert.same({ 1, "outline", 0 }, { #list, list[1].kind, list[1].color })
    body:set_look(nil)
    assert.equal(2, #items_of(world))
  end)

  it("hides a body, and a shape of a body", function()
    local body, box = box_in(world)
    body:circle { radius = 0.2 }
    assert.equal(5, #items_of(world)) -- a box, a circle and the line that shows its angle
    box:set_look { visible = false }
    assert.equal(3, #items_of(world))
    box:set_look { visible = true }
    body:set_look { visible = false }
    assert.equal(2, #items_of(world)) -- the look of the shape overrides the look of the body
    box:set_look(nil)
    assert.equal(0, #items_of(world))
  end)

  it("colours lines and bodies without shapes by the outline colour, else by the fill colour", function()
    local body = world:body { type = "static", look = { color = "green" } }
    body:segment { from = { 0, 0 }, to = { 1, 0 } }
    world:body { look = { color = "blue", outline = "red" } }
    local list = items_of(world)
    assert.same({ "polyline", 0x009e73ff, "dot", 0xd55e00ff },
      { list[1].kind, list[1].color, list[2].kind, list[2].color })
  end)

  it("draws bodies with a lower order first, and bodies with equal orders in order of creation", function()
    for _, order in ipairs { 2, 0, -1, 2, 0 } do
      world:body { look = order ~= 0 and { order = order } or nil }
    end
    local owners = {}
    for i, item in ipairs(items_of(world)) do owners[i] = item.owner end
    assert.same({ 3, 2, 5, 1, 4 }, owners)
  end)

  it("reads back as it was set, with colours as integers", function()
    local body, box = box_in(world, { 1, 1, look = { color = "white", order = -2 } })
    assert.is_nil(body:look())
    assert.same({ color = 0xffffffff, order = -2.0 }, box:look())
    body:set_look { color = false, outline = 0x12345678, width = 0, visible = true }
    assert.same({ color = false, outline = 0x12345678, width = 0.0, visible = true }, body:look())
    assert.same(body:look(), body:options().look)
  end)

  it("refuses unknown fields and colours by name, and changes nothing", function()
    local body, box = box_in(world)
    body:set_look { order = 1 }
    local count = world:counts().bodies
    local function refused(expected, f)
      local ok, message = pcall(f)
      assert.is_false(ok)
      assert.truthy(message:find(expected, 1, true), message)
      assert.truthy(message:find "^spec/core/draw/looks_spec.lua:%d+: ", message)
    end
    refused("bad field 'colour' in body:set_look (did you mean 'color'?)",
      function() body:set_look { colour = "red" } end)
    refused("body:set_look: field 'color': no colour 'gren' (did you mean 'green'?)",
      function() body:set_look { color = "gren" } end)
    refused("shape:set_look: field 'outline' must be a colour", function() box:set_look { outline = true } end)
    refused("body:set_look: field 'width' must be", function() body:set_look { width = -1 } end)
    refused("body:set_look: field 'order' must be", function() body:set_look { order = 0 / 0 } end)
    refused("body:set_look: field 'visible' must be true or false", function() body:set_look { visible = 1 } end)
    refused("world:body: field 'look': field 'color': no colour 'x'",
      function() world:body { look = { color = "x" } } end)
    refused("bad field 'size' in body:circle: field 'look'",
      function() body:circle { radius = 1, look = { size = 1 } } end)
    assert.same({ order = 1.0 }, body:look())
    assert.equal(count, world:counts().bodies)
    body:destroy()
    refused("destroyed", function() body:set_look {} end)
  end)

  it("does not change hash and recording, and is restored by a snapshot", function()
    local other = impel.world {}
    local body = box_in(world)
    box_in(other)
    body:set_look { color = "red" }
    for _ = 1, 5 do
      world:step()
      other:step()
    end
    assert.equal(other.hash, world.hash)
    local before = world:snapshot()
    body:set_look { color = "blue" }
    local late = world:body { look = { order = 3 } }
    world:restore(before)
    assert.equal(0xd55e00ff, body:look().color)
    assert.is_false(late:is_valid())
    local far = impel.world {}
    far:restore(before)
    local twin
    for b in far:bodies() do twin = b end
    assert.same({ color = 0xd55e00ff }, twin:look())
  end)

  it("is part of an exported world", function()
    box_in(world, { 1, 1, look = { color = "red", visible = false } })
    world:body { look = { order = 4 } }
    local copy = impel.load_data((world:export()))
    local looks = {}
    for body in copy:bodies() do
      looks[#looks + 1] = body:look() or "none"
      for shape in body:shapes() do looks[#looks + 1] = shape:look() end
    end
    assert.same({ "none", { color = 0xd55e00ff, visible = false }, { order = 4.0 } }, looks)
  end)
end)

local SCENE = [[
local impel = require "impel"
local scene = {}
function scene.setup()
  local world = impel.world {}
  local back = world:body { look = { order = -2 } }
  local front = world:body { look = { order = 2 } }
  return { world = world, back = back, front = front, middle = world:body {} }
end
function scene.draw(s, view)
  view.hud:point(1, 2)
  view:order(1) view:circle(0, 0, 1)
  view:order(-1) view:circle(0, 0, 2)
  view.hud:order(-9) view.hud:point(3, 4)
  view:order(0) view:circle(0, 0, 3)
end
return scene
]]

describe("the pen", function()
  local pen, drawing

  before_each(function()
    pen, drawing = pens.new("."), drawings.new()
    pens.begin(pen, drawing, cameras.new { x = 1, y = 2, height = 6, width_px = 800, height_px = 600, scale = 2 }, 7)
  end)

  local function last()
    local found
    for _, item in drawing:items() do found = item end
    return found
  end

  local function refused(expected, f)
    local ok, message = pcall(f)
    assert.is_false(ok)
    assert.equal(expected, (message:gsub("^spec/core/draw/looks_spec.lua:%d+: ", "")))
  end

  it("has its fields, and refuses other names with a suggestion", function()
    assert.same({ 1, 2, 8, 6, 7 }, { pen.x, pen.y, pen.width, pen.height, pen.time })
    assert.same({ 200, 150, 400, 300, 7 }, { pen.hud.x, pen.hud.y, pen.hud.width, pen.hud.height, pen.hud.time })
    refused("view has no field or method 'cirle' (did you mean 'circle'?); impel api view lists them",
      function() pen:cirle(0, 0, 1) end)
    refused("view has no field or method 'blur'; impel api view lists them", function() return pen.blur end)
    refused("view has no field or method 'setColor' (in impel: view:circle(x, y, radius, \"red\"): each call has its "
      .. "colour; impel api colours)", function() pen:setColor(1, 0, 0) end)
    refused("view:text: x and y come first: view:text(x, y, text, color, align)", function() pen:text("a", 1, 2) end)
    refused("view.width cannot be set", function() pen.width = 3 end)
    refused("view.line cannot be set", function() pen.line = print end)
    refused("view has no field 'colour'; store values in the scene's own tables", function() pen.colour = 1 end)
    refused("view has no field 'heigth' (did you mean 'height'?); store values in the scene's own tables",
      function() pen.hud.heigth = 1 end)
  end)

  it("draws rectangles about their centre or an anchor, with angle and corner radius", function()
    pen:rectangle(1, 2, 4, 2)
    assert.same({ -1, 1, 3, 1, 3, 3, -1, 3 }, { table.unpack(last(), 1, 8) })
    pen:rectangle(1, 2, 4, 2, "red", { anchor = "left bottom" })
    assert.same({ 1, 2, 5, 2, 5, 4, 1, 4 }, { table.unpack(last(), 1, 8) })
    pen:rectangle(1, 2, 4, 2, "red", { anchor = { 1, 0.5 }, angle = math.pi / 2 })
    for i, x in ipairs { 2, -2, 2, 2, 0, 2, 0, -2 } do assert.near(x, last()[i], 1e-12) end
    pen:rectangle(0, 0, 4, 2, "red", { radius = 0.5 })
    assert.same({ 0.5, -1.5, -0.5, 1.5, -0.5, 1.5, 0.5, -1.5, 0.5 }, { last().radius, table.unpack(last(), 1, 8) })
    pen.hud:rectangle(10, 20, 4, 2, "red", { anchor = "left top" })
    local x1, y1, _, _, x3, y3 = table.unpack(last(), 1, 8)
    assert.same({ 10, 22, 14, 20, true }, { x1, y1, x3, y3, last().screen })
    local count = #drawing
    pen:rectangle(0, 0, 1, 1, false, { outline = "red", line = 4 })
    assert.same({ count + 1, "outline", 4.0 }, { #drawing, last().kind, last().width })
  end)

  it("draws the lines of a text one below the other, aligned as a block", function()
    local function places(view, x, y, text, options)
      drawing:clear()
      view:text(x, y, text, options)
      local list = {}
      for _, item in drawing:items() do
        for _, value in ipairs { item.text, item[1], item[2] } do list[#list + 1] = value end
      end
      return list
    end
    assert.same({ "a", 1.0, 2.0, "b", 1.0, 1.5 }, places(pen, 1, 2, "a\nb", { size = 0.4, align = "center top" }))
    assert.same({ "a", 1.0, 2.5, "", 1.0, 2.0, "c", 1.0, 1.5 }, places(pen, 1, 2, "a\n\r\nc", { size = 0.4 }))
    assert.same({ "a", 10.0, -5.0, "b", 10.0, 20.0 },
      places(pen.hud, 10, 20, "a\nb", { pixels = 20, align = "left bottom" }))
    pens.begin(pen, drawing, cameras.new { width_px = 100, height_px = 100, angle = math.pi / 2 }, 8)
    local list = places(pen, 0, 0, "a\nb", { size = 4, align = "top" })
    assert.is_near(5, list[5], 1e-12) -- the camera is turned: down in the picture is right in the world
    assert.is_near(0, list[6], 1e-12)
  end)

  it("refuses a colour number of six digits because its opacity is 0", function()
    refused("view:circle: 0xff0000 has no opacity: 0xRRGGBBAA has eight digits (0xff0000ff?)",
      function() pen:circle(0, 0, 1, 0xff0000) end)
    pen:circle(0, 0, 1, 0x0000ff80)
    pen:circle(0, 0, 1, 0)
  end)

  it("draws concave polygons, and closes their outlines", function()
    local dart = { { 0, 0 }, { 2, 0 }, { 2, 2 }, { 1, 0.5 } }
    pen:polygon(dart)
    assert.equal("polygon", last().kind)
    pen:outline(dart, "red", 2)
    assert.same({ "polyline", 10, 0, 0, 2.0 }, { last().kind, last().n, last()[9], last()[10], last().width })
  end)

  it("refuses invalid options of rectangles, texts and images", function()
    refused("view:rectangle: width and height must be > 0 [m], got 0, 1", function() pen:rectangle(0, 0, 0, 1) end)
    refused("view:rectangle: unknown option 'radious' (did you mean 'radius'?)",
      function() pen:rectangle(0, 0, 1, 1, nil, { radious = 1 }) end)
    refused("view:rectangle: angle must be a finite number, got nan",
      function() pen:rectangle(0, 0, 1, 1, nil, { angle = 0 / 0 }) end)
    refused("view:rectangle: anchor must be two numbers, or \"left\", \"center\" or \"right\", \"top\", "
      .. "\"middle\" or \"bottom\", or one of each, \"left top\", got \"left right\"",
      function() pen:rectangle(0, 0, 1, 1, nil, { anchor = "left right" }) end)
    refused("view:text: size must be a finite number > 0, got 0", function() pen:text(0, 0, "x", { size = 0 }) end)
    refused("view:line: the width of a line must be a finite number >= 0 [points], got -1",
      function() pen:line(0, 0, 1, 1, nil, -1) end)
    refused("view:image: argument 1 must be the name of a PNG file, got nil", function() pen:image() end)
    refused("view:image: arguments 2 and 3 must be finite numbers [m], got nan, 1",
      function() pen:image("x.png", 0 / 0, 1, { width = 1 }) end)
    refused("view:order: a finite number expected, got nil", function() pen:order() end)
    assert.equal(0, #drawing)
  end)

  it("refuses more than 10,000 texts in a picture", function()
    for _ = 1, 9999 do pen:text(0, 0, "x") end
    pen.hud:text(0, 0, "x")
    refused("view:text: more than 10000 texts in a picture", function() pen:text(0, 0, "x") end)
    pens.begin(pen, drawing, cameras.new { width_px = 1, height_px = 1 }, 8)
    pen:text(0, 0, "x")
  end)

  it("draws bodies, the scene's items and the HUD by their order field", function()
    local run = assert(runner.new(assert(scenes.parse(SCENE, "=test")), {}))
    local f, d = frames.new(run), drawings.new()
    assert(f:fill(d, f:camera(cameras, 100, 100), frames.defaults()))
    local order = {}
    for i, item in d:items() do order[i] = item.owner > 0 and item.owner or item.screen and "hud" or item.radius end
    assert.same({ 1, 2.0, 3, 3.0, 1.0, 2, "hud", "hud" }, order)
    local x1, y1, x2, y2 = d:bounds() -- the HUD has no position in the world
    assert.same({ -3, -3, 3, 3 }, { x1, y1, x2, y2 })
  end)
end)

describe("the window", function()
  local window, clock, v

  local function open(text)
    window, clock = fake.window(), fake.clock()
    v = assert(viewer.new({ kind = require("impel.system").kind, examples = "examples" }, {
      file = program.write(text), window = window, clock = clock.read, sleep = clock.sleep, settings = false,
      find = function(name, opened)
        return require("impel.cli.find").loader({}, { file = name, opened = opened }, { clear = function() end })
      end }))
    for _ = 1, 3 do v:frame() end
  end

  after_each(function()
    v:close()
    program.clean()
  end)

  it("does not open the parameter panel of a scene without parameters, and reports why", function()
    local function shows_panel()
      local found = false
      for _, item in v.panel_drawing:items() do found = found or item.text == "Parameters" end
      return found
    end
    open(fake.SCENE)
    assert.is_true(shows_panel())
    v:close()
    open((fake.SCENE:gsub("scene%.params = %b{}", ""):gsub("p%.height", "3"):gsub("s%.p%.lift", "0")))
    assert.is_false(shows_panel())
    if v:is_open "params" then v:toggle "params" end
    v:toggle "params"
    assert.is_false(v:is_open "params")
    assert.equal("this scene has no parameters", v.messages[#v.messages].text)
  end)

  it("keeps the last complete picture while it shows an error of scene.draw", function()
    open [[
      local impel = require "impel"
      return {
        setup = function() return { world = impel.world {}, count = 0 } end,
        update = function(s) s.count = s.count + 1 end,
        draw = function(s, view)
          view:circle(0, 0, 1)
          if s.count >= 5 then view:image("missing.png", 0, 0, { width = 1 }) end
          view:circle(1, 1, 1)
        end,
      }]]
    for _ = 1, 10 do v:frame() end
    assert.truthy(v.failure)
    assert.truthy(v.failure.message:find "view:image: .*missing%.png", v.failure.message)
    local circles = 0
    for _, item in v.drawing:items() do if item.style == "scene" then circles = circles + 1 end end
    assert.equal(2, circles)
    v:forgive() -- after the failure is cleared, the world is drawn without scene.draw
    v:frame()
    for _, item in v.drawing:items() do assert.not_equal("scene", item.style) end
  end)
end)
