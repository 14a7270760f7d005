-- The viewer's controls with a fake window: toolbar, timeline, saved states, gallery, films, scale, canvas; contrast of
-- texts.

local browser = require "impel.viewer.panels.browser"
local find = require "impel.cli.find"
local keys = require "impel.reference.keys"
local movies = require "impel.picture.film"
local palette = require "impel.picture.palette"
local system = require "impel.system"
local toolbar = require "impel.viewer.toolbar"
local viewer = require "impel.viewer"

local fake = require "support.viewer_fake"
local shared = require "support.program"

local SCENE = fake.SCENE
local BAR, BUTTON = 24, 28 -- height of the status line, width of a button [points]

describe("the viewer's tools", function()
  local window, clock, v, path

  local function open(options, text)
    path = text ~= false and shared.write(text or SCENE) or nil
    local size = options and options.window_size or { 800, 600 }
    window, clock = fake.window(size[1], size[2]), fake.clock()
    local given = { file = path, window = window, clock = clock.read, sleep = clock.sleep, settings = false,
      find = function(name, opened)
        return find.loader({}, { file = name, opened = opened }, { clear = function() end })
      end }
    for name, value in pairs(options or {}) do given[name] = value end
    v = assert(viewer.new({ kind = system.kind, examples = "examples" }, given))
    return v
  end

  local function frames(count)
    for _ = 1, count or 1 do assert.is_true(v:frame()) end
  end

  local function press(key, more)
    local event = { type = "key", key = key, down = true }
    for name, value in pairs(more or {}) do event[name] = value end
    window.handle:push(event)
    frames()
  end

  local function mouse(kind, x, y)
    window.handle:push { type = kind, x = x, y = y, button = "left", clicks = 1, dx = 0, dy = 0 }
    frames()
  end

  local function click(x, y)
    mouse("mouse_down", x, y)
    mouse("mouse_up", x, y)
  end

  local LEFT = { back = 1, pause = 2, step = 3, restart = 4 }
  local RIGHT = { follow = 5, overlays = 4, slots = 3, browser = 2, record = 1 }

  -- Return the position of a button's middle in the window [points].
  local function button(name)
    local width, height = v:ui_size()
    local x = LEFT[name] and 4 + (LEFT[name] - 0.5) * BUTTON or width - 4 - (RIGHT[name] - 0.5) * BUTTON
    return x * v.ui_scale, (height - BAR - 16) * v.ui_scale
  end

  local function texts()
    local list = {}
    for _, item in v.panel_drawing:items() do
      if item.kind == "text" then list[#list + 1] = item.text end
    end
    return table.concat(list, "\n")
  end

  local function shows(text) assert.truthy(texts():find(text, 1, true), text .. " in:\n" .. texts()) end

  local function said(text)
    local all = {}
    for i, message in ipairs(v.messages) do all[i] = message.text end
    assert.truthy(table.concat(all, "\n"):find(text, 1, true), text .. " in:\n" .. table.concat(all, "\n"))
  end

  after_each(function()
    if v then v:close() end
    v = nil
    shared.clean()
  end)


  describe("toolbar", function()
    it("pauses, steps, goes back, restarts and opens panels by clicks", function()
      open { paused = true }
      frames(2)
      click(button "step")
      click(button "step")
      assert.equal(2, v.run.count)
      click(button "back")
      assert.equal(1, v.run.count)
      click(button "pause")
      assert.is_false(v.paused)
      click(button "pause")
      assert.is_true(v.paused)
      click(button "restart")
      assert.equal(0, v.run.count)
      for _, name in ipairs { "overlays", "slots" } do
        click(button(name))
        assert.is_true(v:is_open(name), name)
        click(button(name))
        assert.is_false(v:is_open(name), name)
      end
      click(button "follow")
      assert.equal(v.run.state.ball, v.following)
      click(button "browser")
      assert.is_true(v:is_open "browser")
    end)

    it("names the effective key of each button in its tooltip", function()
      open({ paused = true }, (SCENE:gsub("view = ", "keys = { 'space' }, %0")))
      frames(2)
      for name, label in pairs { pause = "(Ctrl+Space)", step = "(Right)", restart = "(R)", browser = "(Ctrl+O)",
        overlays = "(O)", slots = "(F6)", record = "(Shift+F12)", follow = "(F)", back = "(Left)" } do
        mouse("mouse_move", button(name))
        frames(40)
        shows(label)
      end
    end)

    it("is below the scene, and is hidden in a game and while the panels are hidden", function()
      open()
      frames(2)
      assert.equal(600 - BAR - toolbar.height(800), v.camera.height_px)
      press "f10"
      assert.equal(600, v.camera.height_px)
      frames(300) -- after 300 frames the message has faded
      assert.equal("", texts())
      press "p"
      assert.is_nil(v.hidden)
      assert.is_true(v.camera.height_px < 600)
      v:close()
      open { play = true }
      frames(2)
      assert.equal(600, v.camera.height_px)
      press "f10"
      said "a game has no panels"
    end)

    it("gets the focus by Tab after the panels; without panels, Tab goes to the scene", function()
      open({ paused = true }, (SCENE:gsub("view = ", "keys = { 'tab' }, %0")))
      v.open_panels = {}
      frames(2)
      press "tab"
      press "space" -- no button has the focus
      assert.is_nil(v.ui.focus)
      v:toggle "params"
      frames(2)
      -- Tab passes two sliders and two buttons before the toolbar.
      for _ = 1, 5 do press "tab" end
      assert.equal("toolbar/back", v.ui.focus.id)
      press("tab", { shift = true })
      assert.equal("params/copy", v.ui.focus.id)
    end)

    it("has its buttons inside a small window at every scale", function()
      for _, scale in ipairs { 1, 1.5, 2 } do
        open { window_size = { 640, 400 }, ui_scale = scale, paused = true }
        frames(2)
        click(button "step")
        click(button "overlays")
        assert.equal(1, v.run.count)
        assert.is_true(v:is_open "overlays")
        local _, _, left = 0, 0, button "restart"
        assert.is_true(left < button "follow" - BUTTON * scale)
        v:close()
      end
      v = nil
    end)
  end)


  describe("timeline", function()
    -- Return the position of the knob's middle. `share`: 0 at the left end of the timeline, 1 at its right end.
    local function at(share)
      local from, to = v.history:range(v.run).from, v.history:range(v.run).to
      local left = 4 + 4 * BUTTON + 12 + v.text_size(("%.2f s"):format(from), 10) + 8
      local right = 800 - 4 - 5 * BUTTON - 12 - v.text_size(("%.2f s"):format(to), 10) - 8
      return left + 6 + share * (right - left - 12), 600 - BAR - 16
    end

    it("shows the oldest and the latest moment, and goes to a clicked or dragged moment", function()
      open()
      frames(101)
      press "space"
      frames(1)
      local count, hash = v.run.count, v.run.world.hash
      shows "0.00 s"
      shows(("%.2f s"):format(v.run.world.time))
      mouse("mouse_down", at(0.5))
      assert.is_true(v.paused)
      assert.near(count / 2, v.run.count, 1)
      assert.equal(v.run.count, v.run.state.steps)
      mouse("mouse_move", at(0.25))
      assert.near(count / 4, v.run.count, 1)
      mouse("mouse_move", at(1.2))
      assert.equal(count, v.run.count)
      assert.equal(hash, v.run.world.hash)
      mouse("mouse_move", at(0.5))
      mouse("mouse_up", at(0.5))
      local here = v.run.count
      assert.equal(count, v.history:range(v.run).last)
      press "right"
      assert.equal(here + 1, v.run.count)
      assert.equal(here + 1, v.history:range(v.run).last)
    end)

    it("keeps later steps when a key goes one step back", function()
      open { paused = true }
      press("right", { shift = true })
      local hash = v.run.world.hash
      press "left"
      press "left"
      assert.equal(8, v.run.count)
      v:seek(10)
      assert.equal(hash, v.run.world.hash)
    end)

    it("does not move while a trace is written, and says so", function()
      open { trace = shared.temporary ".csv" }
      frames(31)
      mouse("mouse_down", at(0.1))
      mouse("mouse_up", at(0.1))
      assert.is_true(v.run.count >= 30)
      said "cannot go back while a trace is written"
    end)

    it("keeps the trails after a jump back, and cuts them at the next step", function()
      open { paused = true }
      v:step(20, true)
      local times = v.frame_of_run.trails.times
      local last = times[#times]
      v:seek(10)
      assert.equal(last, times[#times])
      v:step(1, true)
      assert.equal(v.run.world.time, times[#times])
    end)
  end)


  describe("saved states", function()
    it("restore the world bit by bit and the scene's tables, from two slots", function()
      open { paused = true }
      v:step(10, true)
      local first = v.run.world.hash
      press "f5"
      v:step(10, true)
      local second = v.run.world.hash
      press("f5", { shift = true })
      v:step(5, true)
      press "f7"
      assert.same({ first, 10, 10 }, { v.run.world.hash, v.run.count, v.run.state.steps })
      assert.near(10 / 60, v.run.time, 1e-12)
      press("f7", { shift = true })
      assert.same({ second, 20, 20 }, { v.run.world.hash, v.run.count, v.run.state.steps })
      press "left"
      assert.equal(20, v.run.count) -- the history begins at this step
      press "right"
      press "left"
      assert.equal(second, v.run.world.hash)
    end)

    it("survive a restart, and set the scene up with their parameters", function()
      open { paused = true }
      v:set("height", 2)
      frames(2)
      v:step(10, true)
      local hash = v.run.world.hash
      press "f5"
      v:set("height", 4)
      frames(2)
      press "f7"
      assert.same({ hash, 10, 2 }, { v.run.world.hash, v.run.count, v.run.values.height })
      press "r"
      press "f7"
      assert.equal(hash, v.run.world.hash)
    end)

    it("report an empty slot, and a slot of another scene", function()
      open { paused = true }
      v:step(3, true)
      press "f7"
      said "slot 1 is empty: F5 saves"
      press "f5"
      local other = shared.write((SCENE:gsub('"ball"', '"other"')))
      v:open(other)
      local hash = v.run.world.hash
      press "f7"
      said "slot 1 belongs to the scene"
      assert.equal(hash, v.run.world.hash)
      v:open(path)
      press "f7"
      assert.equal(3, v.run.count)
    end)

    it("refuse a file that now makes another world, and leave the world unchanged", function()
      open { paused = true }
      v:step(3, true)
      press "f5"
      local file = assert(io.open(path, "wb"))
      file:write((SCENE:gsub("floor:box { 8, 1 }", "%0 world:state { more = 1 }")))
      file:close()
      v:restart()
      local hash = v.run.world.hash
      press "f7"
      said "slot 1 cannot be restored"
      assert.equal(hash, v.run.world.hash)
    end)

    it("are saved and loaded by the buttons of their panel", function()
      open { paused = true }
      v:step(4, true)
      press "f6"
      frames(2)
      local function push(label, nth)
        for _, item in v.panel_drawing:items() do
          if item.kind == "text" and item.text == label then
            nth = nth - 1
            if nth == 0 then return click(item[1], item[2]) end
          end
        end
        error("no button " .. label)
      end
      push("Save", 2)
      frames(2)
      shows "Slot 2: 0.067 s"
      v:step(4, true)
      push("Load", 2)
      assert.equal(4, v.run.count)
    end)
  end)


  describe("gallery", function()
    local folder

    before_each(function()
      folder = os.tmpname()
      os.remove(folder)
      os.execute("mkdir -p " .. folder .. "/gallery")
      for name, title in pairs { apple = "A fruit", pear = "Another", plum = "The third", stone = "no fruit" } do
        local file = assert(io.open(("%s/%s.lua"):format(folder, name), "wb"))
        file:write((SCENE:gsub('"ball"', ("%q"):format(title), 1)))
        file:close()
      end
    end)

    after_each(function() os.execute("rm -r " .. folder) end)

    local function names()
      local list = {}
      for i, cell in ipairs(v.panels.browser.plan.cells) do list[i] = cell.entry.name end
      return table.concat(list, " ")
    end

    local function type_in(text)
      for letter in text:gmatch "." do
        window.handle:push { type = "key", key = letter, down = true }
        window.handle:push { type = "text", text = letter }
      end
      frames(2)
    end

    local function show(options)
      options = options or {}
      options.file, options.folder = folder .. "/apple.lua", folder
      open(options, false)
      v.list = browser.scenes(folder, nil)
      v:toggle "browser"
      frames(2)
    end

    it("filters by typed names and titles, and opens on Enter", function()
      show()
      assert.equal("apple pear plum stone", names())
      local count = v.run.count
      type_in "fruit"
      assert.equal("apple stone", names())
      shows "2 of 4"
      type_in " sto"
      assert.equal("stone", names())
      assert.equal(count, v.run.count) -- the scene behind the browser is paused, and letters are not shortcuts
      press "return"
      assert.equal("no fruit", v.run.scene.definition.title)
      assert.is_false(v:is_open "browser")
    end)

    it("opens by arrows and Enter, and by a click", function()
      show()
      press "right"
      press "down" -- moves to the row below, or stays in the last row
      press "left"
      press "right"
      press "return"
      assert.truthy(v.run.scene.name ~= "apple")
      v:toggle "browser"
      frames(2)
      local cell = v.panels.browser.plan.cells[3]
      assert.equal("plum", cell.entry.name)
      for _, item in v.panel_drawing:items() do
        if item.kind == "text" and item.text == "plum" then click(item[1] + 4, item[2] - 40) end
      end
      assert.equal("The third", v.run.scene.definition.title)
    end)

    it("clears the filter at the first Escape, and closes at the second", function()
      show()
      type_in "zzz"
      shows "no scene contains these words"
      press "escape"
      frames(1)
      assert.equal("apple pear plum stone", names())
      press "escape"
      assert.is_false(v:is_open "browser")
      local count = v.run.count
      frames(3)
      assert.is_true(v.run.count > count)
    end)

    it("shows a scene's picture from its folder or from gallery/, or a placeholder", function()
      local png = shared.read "examples/gallery/stack.png"
      for _, name in ipairs { "gallery/apple.png", "pear.png" } do
        local file = assert(io.open(folder .. "/" .. name, "wb"))
        file:write(png)
        file:close()
      end
      local broken = assert(io.open(folder .. "/plum.png", "wb"))
      broken:write "no picture"
      broken:close()
      show()
      frames(6)
      local images, missing = 0, 0
      for _, item in v.panel_drawing:items() do
        if item.kind == "image" then images = images + 1 end
        if item.kind == "text" and item.text == "no picture" then missing = missing + 1 end
      end
      assert.same({ 2, 2 }, { images, missing })
    end)

    it("shows a picture for each scene in the folder of examples", function()
      for _, entry in ipairs(browser.scenes(nil, "examples")) do
        assert.equal("file", system.kind("examples/gallery/" .. entry.name .. ".png"), entry.name)
      end
      show { window_size = { 1280, 720 } }
      v.list = browser.scenes(nil, "examples")
      type_in "games/"
      frames(8)
      local images = 0
      for _, item in v.panel_drawing:items() do
        if item.kind == "image" then images = images + 1 end
      end
      assert.equal(5, images)
    end)

    it("has whole cards in a small window at every scale", function()
      for _, scale in ipairs { 1, 1.5, 2 } do
        show { window_size = { 640, 400 }, ui_scale = scale }
        local plan, width = v.panels.browser.plan, v:ui_size()
        for _, cell in ipairs(plan.cells) do assert.is_true(cell.x + plan.width <= width - 32) end
        assert.is_true(plan.cells[2].row == 1 and plan.cells[2].x > plan.width)
        v:close()
      end
      v = nil
    end)
  end)


  describe("films", function()
    local surfaces = package.searchpath("impel.window", package.cpath) and require "impel.window"
    local had, before

    -- Open a window whose screenshots are surfaces of the given size [pixels]. Films are made without ffmpeg.
    local function filmed(width, height)
      open { paused = true }
      window.handle.screenshot = function() return surfaces.surface(width, height) end
      frames(2)
    end

    before_each(function()
      had, before = movies.has_ffmpeg, {}
      movies.has_ffmpeg = function() return false end
    end)

    after_each(function()
      movies.has_ffmpeg = had
      if v then v:close() end
      for name in pairs(before) do os.execute(("rm -rf %s %s.mp4"):format(shared.quote(name), shared.quote(name))) end
    end)

    it("begin and end by key and button, have 30 frames a second, and display the path of their folder", function()
      if not surfaces then return pending "built without SDL2" end
      filmed(16, 8)
      local name = v.run.scene.name .. "-1"
      before[name] = true
      press("f12", { shift = true })
      said("ffmpeg not found: recording pictures into the folder " .. name .. "/")
      frames(59)
      shows(("recording %s/, "):format(name))
      assert.truthy(window.handle.title:find "^recording")
      click(button "record")
      said(("wrote %s/"):format(name))
      assert.is_nil(v.film)
      assert.is_falsy(window.handle.title:find "^recording")
      local count = 0
      for _, file in ipairs(system.files(name)) do count = count + (file:find "%.png$" and 1 or 0) end
      assert.equal(31, count) -- the first picture and 30 pictures in a second
    end)

    it("end when the window is resized or closed", function()
      if not surfaces then return pending "built without SDL2" end
      filmed(16, 8)
      for i = 1, 2 do before[("%s-%d"):format(v.run.scene.name, i)] = true end
      v:record()
      frames(4)
      window.handle.screenshot = function() return surfaces.surface(20, 8) end
      frames(4)
      said "the window changed its size: wrote"
      assert.is_nil(v.film)
      v:record()
      frames(4)
      local film = v.film
      assert.is_true(film.count > 0)
      v:close()
      assert.is_nil(v.film)
    end)

    it("report that pictures are unavailable", function()
      open()
      v:record()
      frames(3)
      assert.is_nil(v.film)
      said "a fake window has no picture"
    end)
  end)


  describe("scale and canvas", function()
    it("change by keys and are kept as preferences; values of the command line are not kept", function()
      local kept = shared.temporary ".json"
      os.remove(kept)
      open { settings = kept, ui_scale = 2, dark = true }
      assert.equal(palette.dark, v.palette)
      v:close()
      open { settings = kept }
      assert.equal(1, v.ui_scale)
      assert.equal(palette, v.palette)
      press("=", { ctrl = true })
      press("+", { ctrl = true })
      press("d", { ctrl = true })
      assert.equal(1.5, v.ui_scale)
      v:close()
      open { settings = kept }
      assert.equal(1.5, v.ui_scale)
      assert.equal(palette.dark, v.palette)
      assert.equal(palette.dark, v.frame_of_run.palette)
      for _ = 1, 20 do press("-", { ctrl = true }) end
      assert.equal(0.75, v.ui_scale)
      press("0", { ctrl = true })
      assert.equal(1, v.ui_scale)
      press("d", { ctrl = true })
      v:close()
      open { settings = kept }
      assert.same({ 1, palette }, { v.ui_scale, v.palette })
    end)

    it("map the mouse's position to the scaled panels", function()
      open { ui_scale = 2, paused = true }
      frames(2)
      assert.equal(600 - 2 * (BAR + toolbar.height(400)), v.camera.height_px)
      local height
      for y = 70, 160, 2 do -- below the title, because a drag of the title moves the panel
        mouse("mouse_down", 120, y)
        height = v.run.values.height
        mouse("mouse_up", 120, y)
        if height ~= 3 then break end
      end
      assert.is_true(height < 3) -- the mouse is left of the slider's middle, so the value is below 3
    end)

    it("draw a scene's colour \"ink\" in a light colour on the dark canvas, and other colours unchanged", function()
      local text = SCENE:gsub("return scene", [[
        function scene.draw(s, view)
          view:line(0, 0, 1, 1, "ink")
          view:line(0, 0, 1, 1, "red")
        end
        return scene]])
      open({ dark = true }, text)
      frames(2)
      local seen = {}
      for _, item in v.drawing:items() do
        if item.style == "scene" then seen[#seen + 1] = item.color end
      end
      assert.same({ palette.dark.named.ink, palette.named.red }, seen)
    end)
  end)


  describe("following", function()
    local CAR = [[
local impel = require "impel"
local scene = { title = "car" }
function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local wheel = world:body { name = "wheel", velocity = { 5.2, 0 } }
  wheel:circle { radius = 0.3 }
  local car = world:body { name = "car", velocity = { 5, 0 }, position = { 0, 2 } }
  car:box { 2, 1 }
  world:body { name = "rock", position = { 3, 9 } }:box { 4, 4 }
  return { world = world, car = car, wheel = wheel }
end
return scene
]]

    it("keeps the heaviest of the fastest bodies in the middle, also after a restart", function()
      open(nil, CAR)
      frames(2)
      press "f"
      assert.equal(v.run.state.car, v.following)
      frames(60)
      local x = v.run.state.car:position()
      assert.is_true(x > 4)
      assert.near(x, v.camera.x, 1e-6)
      press "r"
      assert.equal(v.run.state.car, v.following)
      press "f"
      assert.is_nil(v.following)
      v:select { kind = "body", object = v.run.state.wheel }
      press "f"
      assert.equal(v.run.state.wheel, v.following)
    end)
  end)


  -- Contrast by WCAG 2.1: (L1 + 0.05) / (L2 + 0.05) with relative luminances L.
  local function channels(color) return { color >> 24 & 255, color >> 16 & 255, color >> 8 & 255 } end

  local function over(color, ground)
    local alpha, top, out = (color & 255) / 255, channels(color), {}
    for i = 1, 3 do out[i] = top[i] * alpha + ground[i] * (1 - alpha) end
    return out
  end

  local function luminance(rgb)
    local sum = 0
    for i, weight in ipairs { 0.2126, 0.7152, 0.0722 } do
      local c = rgb[i] / 255
      sum = sum + weight * (c <= 0.04045 and c / 12.92 or ((c + 0.055) / 1.055) ^ 2.4)
    end
    return sum
  end

  local function contrast(color, ground)
    local a, b = luminance(over(color, ground)), luminance(ground)
    return (math.max(a, b) + 0.05) / (math.min(a, b) + 0.05)
  end

  -- Check the contrast of each text with the areas that are filled behind its middle.
  local function check_texts(drawing, canvas, seen)
    local fills, clip = {}, nil
    for _, item in drawing:items() do
      if item.kind == "clip" then
        clip = item.n == 4 and { item[1], item[2], item[3], item[4] } or nil
      elseif item.kind == "fill" then
        local box = { math.huge, math.huge, -math.huge, -math.huge }
        for i = 1, item.n, 2 do
          box[1], box[3] = math.min(box[1], item[i] - item.radius), math.max(box[3], item[i] + item.radius)
          box[2], box[4] = math.min(box[2], item[i + 1] - item.radius), math.max(box[4], item[i + 1] + item.radius)
        end
        if clip then
          box = { math.max(box[1], clip[1]), math.max(box[2], clip[2]), math.min(box[3], clip[3]),
            math.min(box[4], clip[4]) }
        end
        fills[#fills + 1] = { box = box, color = item.color }
      elseif item.kind == "text" then
        local width = v.text_size(item.text, item.radius)
        local x, y = item[1] + (0.5 - item.align) * width, item[2]
        if not clip or x >= clip[1] and x < clip[3] and y >= clip[2] and y < clip[4] then
          local ground = channels(canvas)
          for _, fill in ipairs(fills) do
            local box = fill.box
            if x >= box[1] and x < box[3] and y >= box[2] and y < box[4] then ground = over(fill.color, ground) end
          end
          local got = contrast(item.color, ground)
          assert.is_true(got >= 4.5, ("%.2f: '%s' %08x on %02x%02x%02x"):format(got, item.text, item.color,
            math.floor(ground[1]), math.floor(ground[2]), math.floor(ground[3])))
          seen[item.color] = true
        end
      end
    end
  end

  it("gives every text a contrast of 4.5:1, in all panels, over both canvases", function()
    local random = require("impel").rng.new(3)
    local seen, count = {}, 0
    for _, dark in ipairs { false, true } do
      open { dark = dark, window_size = { 1280, 900 } }
      v.list = browser.scenes(nil, "examples")
      v:step(20)
      for _, names in ipairs { { "params", "overlays", "inspector", "slots", "graphs" },
        { "profile", "console", "params" }, { "help" }, { "browser" } } do
        v.open_panels = {}
        for _, name in ipairs(names) do v:toggle(name) end
        if names[3] == "inspector" then v.selection = { kind = "body", object = v.run.state.ball } end
        v:save_slot(1)
        v:step(2)
        for _ = 1, 60 do
          mouse("mouse_move", random:random(0, 1280), random:random(0, 900))
          if random:random() < 0.3 then press "tab" end
          check_texts(v.panel_drawing, v.palette.background, seen)
        end
        press "escape"
      end
      v.open_panels, v.selection = {}, nil
      v:fail { kind = "scene", message = path .. ":3: what went wrong", traceback = "stack traceback:\n\tin setup" }
      frames(3)
      check_texts(v.panel_drawing, v.palette.background, seen)
      v:close()
    end
    v = nil
    for _ in pairs(seen) do count = count + 1 end
    assert.is_true(count >= 6, count) -- colours of texts: text, dim, faint, accent, bad, and the colours of curves
  end)

  it("has a key for each tool, which no other action uses", function()
    for name, label in pairs { save_1 = "F5", load_1 = "F7", save_2 = "Shift+F5", load_2 = "Shift+F7", slots = "F6",
      record = "Shift+F12", panels = "F10", larger = "Ctrl+=", smaller = "Ctrl+-", usual = "Ctrl+0",
      dark = "Ctrl+D" } do
      local found
      for _, entry in ipairs(keys.all()) do
        if entry.name == name then found = entry end
      end
      assert.equal(label, found.label)
      assert.equal(name, keys.find({ key = found.key, ctrl = found.ctrl, shift = found.shift, alt = found.alt }).name)
    end
  end)
end)
