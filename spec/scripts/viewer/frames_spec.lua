-- The viewer frame by frame, with a fake window.

local browser = require "impel.viewer.panels.browser"
local find = require "impel.cli.find"
local impel = require "impel"
local keys = require "impel.reference.keys"
local viewer = require "impel.viewer"

local fake = require "support.viewer_fake"
local shared = require "support.program"

local SCENE = fake.SCENE

describe("the viewer", function()
  local window, clock, v, path

  -- Open a viewer on a file with this text, with the fake window and clock.
  local function open(options, text)
    path = shared.write(text or SCENE)
    window, clock = fake.window(), fake.clock()
    local given = { file = path, window = window, clock = clock.read, sleep = clock.sleep, settings = false,
      find = function(name, opened)
        return find.loader({}, { file = name, opened = opened }, { clear = function() end })
      end }
    for name, value in pairs(options or {}) do given[name] = value end
    local failure
    v, failure = viewer.new({ kind = require("impel.system").kind, examples = "examples" }, given)
    return v, failure
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

  -- Return the position of a world point in the window [points].
  local function at(x, y)
    return v.camera:to_screen(x, y)
  end

  local function mouse(kind, x, y, more)
    local event = { type = kind, x = x, y = y, button = "left", dx = 0, dy = 0 }
    for name, value in pairs(more or {}) do event[name] = value end
    window.handle:push(event)
  end

  after_each(function()
    if v then v:close() end
    v = nil
    shared.clean()
  end)

  it("makes a step of 1/60 s in every frame of 1/60 s", function()
    open()
    frames(61)
    assert.equal(60, v.run.count)
    -- The factor is a running mean with a time constant of 0.5 s. After 1 s, e^-2 of its initial value remains.
    assert.is_near(1, v.factor, 0.2)
    assert.equal(61, window.handle.presented)
  end)

  it("pauses, steps, steps back and resumes in the frame of the key", function()
    open { paused = true }
    frames(3)
    assert.equal(0, v.run.count)
    press "right"
    assert.equal(1, v.run.count)
    press("right", { shift = true })
    assert.equal(11, v.run.count)
    local hash = v.run.world.hash
    press "right"
    press "left"
    assert.equal(11, v.run.count)
    assert.equal(hash, v.run.world.hash)
    press("left", { shift = true })
    assert.equal(1, v.run.count)
    assert.equal(1, v.run.state.steps)
    press "space"
    frames(2)
    assert.equal(4, v.run.count)
  end)

  it("restarts with the same seed and gives the same bits", function()
    open { seed = 7 }
    frames(31)
    local hash = v.run.world.hash
    press "r"
    assert.equal(1, v.run.count)
    frames(29)
    assert.equal(hash, v.run.world.hash)
    assert.equal(7, v.run.seed)
  end)

  it("changes speed by keys", function()
    open()
    frames(1)
    press "="
    local before = v.run.count
    frames(30)
    assert.equal(60, v.run.count - before)
    press "-"
    press "-"
    before = v.run.count
    frames(30)
    assert.equal(15, v.run.count - before)
  end)

  it("shows overlays and changes the length of arrows by keys; a restart keeps both", function()
    open()
    press "5"
    for _, key in ipairs { "n", "u", "l", "8" } do press(key) end
    for _, name in ipairs { "forces", "ids", "friction", "islands", "centers" } do
      assert.is_true(v.overlays[name], name)
    end
    press "."
    press "."
    assert.near(2, v.frame_of_run.arrows.factor, 1e-12)
    press ","
    press "r"
    assert.near(math.sqrt(2), v.frame_of_run.arrows.factor, 1e-12)
    frames(2)
    assert.is_true(v.overlays.islands)
  end)

  it("draws the legend to the left of the panels at the right edge", function()
    open()
    press "8"
    local function right_end()
      local most = 0
      for _, item in v.drawing:items() do
        if item.screen and item.kind == "fill" and item.style == "panel" then
          for i = 1, item.n, 2 do most = math.max(most, item[i]) end
        end
      end
      return most
    end
    frames(2)
    local alone = right_end()
    assert.is_true(alone > 700 and alone <= 800)
    press "i"
    frames(2)
    local box
    for _, panel in ipairs(v.ui.panels) do
      if panel.id == "inspector" then box = panel.box end
    end
    assert.is_true(right_end() <= box[1])
  end)

  it("pulls a body by the mouse, releases it, and leaves no joint after a drag", function()
    open()
    frames(1)
    local x, y = at(v.run.state.ball:position())
    mouse("mouse_down", x, y)
    mouse("mouse_move", x + 100, y)
    frames(1)
    assert.is_truthy(v.mouse.joint)
    local target = v.camera:to_world(x + 100, y)
    local before = v.run.state.ball:position()
    assert.is_true(before > 1e-4) -- the body moves in the same frame as the mouse
    frames(120)
    local reached = v.run.state.ball:position()
    -- The critically damped spring of 5 Hz has 10 periods in 2 s, so the body is at the mouse.
    assert.is_near(target, reached, 0.01)
    mouse("mouse_up", x + 100, y)
    frames(1)
    assert.equal(0, v.run.world:counts().joints)
  end)

  it("does not pull static bodies, and pulls a body while the mouse rests with the button down", function()
    open { paused = true }
    frames(1)
    local x, y = at(0, -4)
    mouse("mouse_down", x, y)
    mouse("mouse_move", x + 50, y)
    frames(1)
    assert.is_nil(v.mouse.joint)
    mouse("mouse_up", x, y)
    x, y = at(0, 3)
    mouse("mouse_down", x, y)
    frames(12) -- 0.2 s
    assert.is_truthy(v.mouse.joint)
  end)

  it("drops mouse joints that a step back restores", function()
    open()
    frames(1)
    local x, y = at(v.run.state.ball:position())
    mouse("mouse_down", x, y)
    mouse("mouse_move", x + 100, y)
    frames(10)
    mouse("mouse_up", x + 100, y)
    frames(2)
    press("left", { shift = true })
    assert.equal(0, v.run.world:counts().joints)
  end)

  it("selects a clicked body, or clears the selection", function()
    open { paused = true }
    frames(1)
    local x, y = at(0.2, 3)
    mouse("mouse_down", x, y)
    mouse("mouse_up", x, y)
    frames(1)
    assert.equal(v.run.state.ball, v.selection.object)
    assert.equal("body", v.selection.kind)
    x, y = at(3, 3)
    mouse("mouse_down", x, y)
    mouse("mouse_up", x, y)
    frames(1)
    assert.is_nil(v.selection)
  end)

  it("selects joints and visible contacts", function()
    local text = SCENE:gsub("return { world", [[
  world:revolute(world.ground, ball, { name = "pin", anchor = { 0, 3.4 } })
  local box = world:body { name = "box", position = { 2, -3 } } box:box { 1, 1 }
  return { world]])
    open({ paused = true }, text)
    press("right", { shift = true })
    local x, y = at(0, 3.4)
    mouse("mouse_down", x, y)
    mouse("mouse_up", x, y)
    frames(1)
    assert.equal("joint", v.selection.kind)
    assert.equal("pin", v.selection.object.name)
    press "3"
    x, y = at(2.5, -3.5)
    mouse("mouse_down", x, y)
    mouse("mouse_up", x, y)
    frames(1)
    assert.equal("contact", v.selection.kind)
    assert.equal("box", v.selection.object.body_a.name == "box" and "box" or v.selection.object.body_b.name)
  end)

  it("pans with the right mouse button and zooms at the cursor", function()
    open { paused = true }
    frames(1)
    local wx, wy = v.camera:to_world(200, 150)
    mouse("mouse_down", 200, 150, { button = "right" })
    mouse("mouse_move", 230, 140, { dx = 30, dy = -10 })
    mouse("mouse_up", 230, 140, { button = "right" })
    frames(1)
    local x, y = v.camera:to_world(230, 140)
    assert.is_near(wx, x, 1e-9)
    assert.is_near(wy, y, 1e-9)
    mouse("wheel", 230, 140, { dy = 3 })
    local height = v.camera.height
    frames(1)
    x, y = v.camera:to_world(230, 140)
    assert.is_near(wx, x, 1e-9)
    assert.is_near(wy, y, 1e-9)
    assert.is_near(height / 1.15 ^ 3, v.camera.height, 1e-9)
  end)

  it("follows the fastest body, and fits the world", function()
    open()
    frames(20)
    press "f"
    frames(1)
    assert.equal(v.run.state.ball, v.following)
    assert.is_near(select(2, v.run.state.ball:center()), v.camera.y, 1e-12)
    press "home"
    assert.is_nil(v.following)
    local x1, y1, x2, y2 = v.camera:bounds()
    assert.is_true(x1 <= -4 and x2 >= 4 and y1 <= -4.5 and y2 >= select(2, v.run.state.ball:center()))
  end)

  local MOVING = SCENE:gsub("return scene", "function scene.camera(s) return { follow = s.ball, height = 6 } end %0")

  it("shows the view of the scene's camera until the user moves the picture, and again after Home", function()
    open(nil, MOVING)
    frames(20)
    local function is_the_scenes()
      local _, y = v.run.state.ball:center()
      return math.abs(v.camera.y - y) < 1e-9 and v.camera.height == 6
    end
    assert.is_true(is_the_scenes())
    mouse("wheel", 400, 200, { dy = 2 })
    frames(3)
    local x, y, height = v.camera.x, v.camera.y, v.camera.height
    frames(3)
    assert.same({ x, y, height }, { v.camera.x, v.camera.y, v.camera.height })
    press "home"
    assert.is_true(is_the_scenes())
    mouse("mouse_down", 400, 200, { button = "right" })
    mouse("mouse_move", 430, 190, { dx = 30, dy = -10 })
    mouse("mouse_up", 430, 190, { button = "right" })
    frames(2)
    assert.is_false(is_the_scenes())
    press "home"
    assert.is_true(is_the_scenes())
    press "home" -- pressed again, "home" shows everything
    assert.is_false(is_the_scenes())
    local x1, y1, x2, y2 = v.camera:bounds()
    assert.is_true(x1 <= -4 and x2 >= 4 and y1 <= -4.5 and y2 >= select(2, v.run.state.ball:center()))
    press "home"
    assert.is_true(is_the_scenes())
    press "f"
    frames(2)
    assert.equal(6, v.camera.height)
    press "r" -- after a restart the camera follows the ball of the new run
    frames(2)
    assert.equal(v.run.state.ball, v.following)
    press "f"
    press "r"
    frames(4)
    assert.is_false(is_the_scenes())
    press "home"
    assert.is_true(is_the_scenes())
  end)

  it("keeps the visible height of the scene when the window is resized", function()
    open()
    frames(3)
    window.handle.width, window.handle.height = 500, 900
    window.handle:push { type = "resize", width = 500, height = 900 }
    frames(2)
    assert.equal(12, v.camera.height)
    assert.equal(500, v.camera.width_px)
    assert.near(12 * 500 / v.camera.height_px, v.camera.width, 1e-9)
  end)

  it("fits the world again when the window is resized, if the scene has no view", function()
    open({ paused = true }, (SCENE:gsub("view = %b{}", "about = 'x'")))
    frames(2)
    local x1, _, x2 = v.camera:bounds()
    assert.is_true(x1 <= -4 and x2 >= 4)
    window.handle.width = 200
    window.handle:push { type = "resize", width = 200, height = 600 }
    frames(2)
    x1, _, x2 = v.camera:bounds()
    assert.is_true(x1 <= -4 and x2 >= 4)
  end)

  it("reports an invalid camera once and keeps the last one", function()
    open(nil, (MOVING:gsub("height = 6 }", "height = s.steps == 5 and 0 / 0 or 6 }")))
    frames(20)
    assert.equal(1, v.failures)
    assert.is_truthy(v.failure.message:find("scene.camera.height: number > 0 up to 1e9 m expected, got nan", 1, true))
    assert.equal(6, v.camera.height)
    assert.equal(5, v.run.count)
    press "space"
    frames(10)
    assert.is_nil(v.failure)
    assert.is_true(v.run.count > 5)
    assert.equal(6, v.camera.height)
  end)

  -- Return the position of the drawing's first circle, which is the ball.
  local function drawn_ball()
    for _, item in v.drawing:items() do
      if item.kind == "fill" and item.n == 2 then return item[1], item[2] end
    end
  end

  it("interpolates drawn poses if a step spans several frames, and draws the current poses while paused", function()
    open { speed = 1 / 8 }
    frames(40)
    local moved, still, last = 0, 0, nil
    for _ = 1, 40 do
      frames(1)
      local _, y = drawn_ball()
      if last then
        if y < last then moved = moved + 1 else still = still + 1 end
      end
      last = y
    end
    assert.same({ 39, 0 }, { moved, still })
    local _, exact = v.run.state.ball:position()
    assert.is_true(last > exact)
    press "space"
    local _, y = drawn_ball()
    assert.equal(exact, y)
    press "right"
    assert.equal(select(2, v.run.state.ball:position()), select(2, drawn_ball()))
    press "left"
    assert.equal(exact, select(2, drawn_ball()))
  end)

  it("draws bodies at their current poses if each frame makes one step", function()
    open()
    for _ = 1, 60 do
      frames(1)
      assert.equal(select(2, v.run.state.ball:position()), select(2, drawn_ball()))
    end
  end)

  it("picks, follows and marks bodies at their interpolated poses", function()
    local fast = SCENE:gsub("ball:circle.-\n", "%0 ball:set_velocity(0, -30)\n", 1)
    open({ speed = 1 / 16 }, fast)
    frames(60)
    local seen
    -- Return the height of the drawn (interpolated) ball above the ball's position after the latest step. Directly
    -- after a step the height is at least 0.5 m, because the ball falls faster than 30 m/s.
    local function ahead()
      seen = select(2, drawn_ball())
      return seen - select(2, v.run.state.ball:position())
    end
    repeat frames(1) until ahead() > 0.45
    for offset, hit in pairs { [0.49] = true, [-0.49] = true, [0.62] = false, [-0.62] = false } do -- edge: 0.5
      v:select(nil)
      assert.is_true(ahead() > 0.3)
      local x, y = at(0, seen + offset)
      mouse("mouse_down", x, y)
      mouse("mouse_up", x, y)
      frames(1)
      assert.equal(hit, v.selection ~= nil, offset)
    end
    v:select { kind = "body", object = v.run.state.ball }
    v:follow()
    frames(1)
    seen = select(2, drawn_ball())
    assert.is_near(seen, v.camera.y, 1e-12)
    local marked
    for _, item in v.drawing:items() do
      if item.style == "mark" and item.kind == "dot" then marked = item[2] end
    end
    assert.is_near(seen, marked, 1e-12)
  end)

  it("changes a parameter during the run if steps read it, and runs setup again if only setup reads it", function()
    open()
    frames(10)
    assert(v:set("lift", 9.81))
    local vy = select(2, v.run.state.ball:velocity())
    frames(30)
    assert.equal(39, v.run.count)
    -- The lift balances the weight of 1 kg, so the velocity is constant.
    assert.is_near(vy, select(2, v.run.state.ball:velocity()), 1e-9)
    assert(v:set("height", 4))
    frames(1)
    assert.equal(1, v.run.count)
    assert.equal(4, v.run.values.height)
    assert.equal(9.81, v.run.values.lift)
    assert.is_near(4, select(2, v.run.state.ball:position()), 0.01)
    local ok, message = v:set("height", 9)
    assert.is_nil(ok)
    assert.is_truthy(message:find("out of range", 1, true))
  end)

  -- Write the scene file, and run frames until the viewer has compared it twice with its loaded text.
  local function save(text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    frames(20)
  end

  it("shows the scene above the panels at the bottom, and restores the zoom when they close", function()
    open()
    frames(3)
    local c = v.camera
    local near, high, all = c.ppm, c.height_px, c.height
    press "m"
    frames(4)
    assert.is_true(c.height_px < high - 100)
    assert.equal(all, c.height)              -- the camera still shows the whole scene
    press "m"
    frames(2)
    assert.same({ near, high }, { c.ppm, c.height_px })
  end)

  it("reloads on save: a fresh state, the same seed and parameters, the camera kept", function()
    open { seed = 3, set = { height = "2" } }
    frames(30)
    window.handle:push { type = "wheel", x = 10, y = 10, dy = 2 }
    frames(1)
    local height = v.camera.height
    save((SCENE:gsub('title = "ball"', 'title = "another"')))
    assert.equal("another", v.run.scene.definition.title)
    assert.is_true(v.run.count < 20)
    assert.equal(3, v.run.seed)
    assert.equal(2, v.run.values.height)
    assert.equal(height, v.camera.height)
    assert.is_nil(v.failure)
  end)

  it("gives the same bits after each of 1000 reloads in mid-run, without growth of memory", function()
    open { paused = true, seed = 5 }
    local function hash_after(steps)
      v:step(steps)
      return v.run.world.hash
    end
    local expected = {}
    for steps = 1, 7 do
      v:restart()
      expected[steps] = hash_after(steps)
    end
    local before
    for i = 1, 1000 do
      v:reload()
      local steps = i % 7 + 1
      assert.equal(expected[steps], hash_after(steps))
      if i == 100 or i == 1000 then
        collectgarbage()
        collectgarbage()
        before = before or collectgarbage "count"
      end
    end
    -- 900 runs that leak 1 KiB each would take 900 KiB.
    assert.is_true(collectgarbage "count" - before < 200)
  end)

  it("keeps the world if the saved file is broken, shows file, line, source and traceback, and recovers", function()
    open()
    frames(30)
    local run = v.run
    save((SCENE:gsub("local world = impel.world", "local world = impel.wrld")))
    assert.equal(run, v.run)
    assert.is_true(run.world:is_valid())
    assert.equal(path, v.failure.file)
    assert.equal(5, v.failure.line)
    assert.is_truthy(v.failure.source:find("impel.wrld", 1, true))
    assert.is_truthy(v.failure.message:find("did you mean 'world'?", 1, true))
    assert.is_truthy(v.failure.traceback:find("stack traceback", 1, true))
    local count = run.count
    frames(10)
    assert.equal(count, run.count)
    save(SCENE)
    assert.is_nil(v.failure)
    assert.is_true(v.run ~= run and v.run.count > 0)
    save(SCENE .. "\n)")
    assert.equal(select(2, SCENE:gsub("\n", "")) + 2, v.failure.line)
    press "space" -- the old world continues to run
    frames(2)
    assert.is_nil(v.failure)
  end)

  it("reloads when a module that the scene requires is saved", function()
    local name = shared.write "return { height = 1 }"
    local module = name:match "([^/]+)%.lua$"
    open(nil, ('local part = require "%s"\n'):format(module)
      .. SCENE:gsub("p.height }", "part.height }"))
    frames(1)
    assert.is_near(1, select(2, v.run.state.ball:position()), 0.1)
    local file = assert(io.open(name, "wb"))
    file:write "return { height = 2.5 }"
    file:close()
    frames(20)
    assert.is_true(select(2, v.run.state.ball:position()) > 2) -- the ball falls from 2.5 m for a few frames
  end)

  it("shows errors of update, measure and draw, and keeps the world", function()
    open(nil, (SCENE:gsub("s.steps = s.steps %+ 1", "%0; if s.steps == 5 then error 'five' end")))
    frames(20)
    assert.equal(5, v.run.count)
    assert.is_truthy(v.failure.message:find("five", 1, true))
    assert.equal(13, v.failure.line)
    press "space"
    frames(5)
    assert.is_nil(v.failure)
    assert.is_true(v.run.count > 5)
    v:close()
    open(nil, (SCENE:gsub("return scene", "function scene.draw(s, view) view:nothing() end %0")))
    frames(3)
    assert.is_truthy(v.failure.message:find("nothing", 1, true))
    assert.equal(1, v.failures)
  end)

  it("begins with a broken file, waits for its repair, and then uses the given parameters", function()
    open({ set = { height = "1.5" } }, "return )")
    frames(3)
    assert.equal(1, v.failure.line)
    save(SCENE)
    assert.is_nil(v.failure)
    assert.equal("ball", v.run.scene.definition.title)
    assert.equal(1.5, v.run.values.height)
  end)

  it("writes the trace of a repaired scene from t = 0, without rows of the broken scene", function()
    local trace = shared.temporary ".csv"
    open({ trace = trace }, "return )")
    frames(20)
    save(SCENE)
    local from = v.run.count
    frames(10)
    assert.equal(from + 10, v.run.count)
    assert(v:close())
    -- Header, then a row at t = 0 and after each step.
    assert.equal(v.run.count + 2, select(2, shared.read(trace):gsub("\n", "")))
    assert.matches("^time,y\n0,3\n", shared.read(trace))
  end)

  it("survives the destruction of the world while all panels are open, and can restart", function()
    open { set = { height = "1.5" } }
    for _, name in ipairs(v.panel_names) do
      if not v:is_open(name) and name ~= "error" then v:toggle(name) end
    end
    local x, y = at(0, 1.5)
    mouse("mouse_down", x, y)
    frames(20)
    v.run.world:destroy()
    mouse("mouse_move", x + 50, y, { dx = 50 })
    mouse("mouse_up", x + 50, y)
    frames()
    assert.matches("the world was destroyed", v.failure.message)
    for _, name in ipairs { "left", "right", "space", "f", "home" } do press(name) end
    v:restart()
    assert.is_nil(v.failure)
    assert.equal(1.5, v.run.values.height)
  end)

  it("refuses an unknown parameter and a missing file", function()
    local nothing, failure = open { set = { heigth = "1" } }
    assert.is_nil(nothing)
    assert.equal("usage", failure.kind)
    assert.is_true(window.handle.closed)
    nothing, failure = open { file = "/nowhere/x.lua" }
    assert.is_nil(nothing)
    assert.equal("usage", failure.kind)
  end)

  it("steps through the scenes of a folder, skips files without a scene, and opens a dropped file", function()
    local folder = os.tmpname()
    os.remove(folder)
    os.execute("mkdir " .. folder)
    for name, text in pairs { a = SCENE, b = "return {}", c = SCENE:gsub('"ball"', '"third"') } do
      local file = assert(io.open(folder .. "/" .. name .. ".lua", "wb"))
      file:write(text)
      file:close()
    end
    open { file = folder .. "/a.lua", folder = folder }
    press "]"
    assert.equal("third", v.run.scene.definition.title)
    press "["
    assert.equal("ball", v.run.scene.definition.title)
    window.handle:push { type = "drop", path = folder .. "/c.lua" }
    frames(1)
    assert.equal("c", v.run.scene.name)
    assert.equal("c", browser.scenes(folder, nil)[3].name)
    path = folder .. "/b.lua"
    save "return )"
    press "["
    assert.equal("c", v.run.scene.name)
    assert.equal(folder .. "/b.lua", v.failure.file)
    press "["
    assert.equal("a", v.run.scene.name)
    os.execute("rm -r " .. folder)
  end)

  it("survives a window of size zero", function()
    open()
    frames(2)
    window.handle.width, window.handle.height = 0, 0
    window.handle:push { type = "resize", width = 0, height = 0 }
    local presented = window.handle.presented
    frames(3)
    assert.equal(presented, window.handle.presented)
    window.handle.width, window.handle.height = 400, 300
    window.handle:push { type = "resize", width = 400, height = 300 }
    frames(2)
    assert.equal(presented + 2, window.handle.presented)
    assert.equal(400, v.camera.width_px)
  end)

  it("ends when the window is closed, with every row of the trace on disk", function()
    local trace = shared.temporary ".csv"
    open { trace = trace }
    frames(31)
    window.handle:push { type = "close" }
    assert.is_false(v:frame())
    assert(v:close())
    -- Header, then a row at t = 0 and after each of 30 steps.
    assert.equal(32, select(2, shared.read(trace):gsub("\n", "")))
    v = nil
  end)

  it("reports a lost display, and keeps the rows of the trace", function()
    local trace = shared.temporary ".csv"
    open { trace = trace }
    frames(11)
    window.handle:push { type = "lost" }
    assert.is_false(v:frame())
    local ok, failure = v:close()
    assert.is_nil(ok)
    assert.equal("usage", failure.kind)
    assert.equal(12, select(2, shared.read(trace):gsub("\n", "")))
    v = nil
  end)

  it("reports a trace that cannot be written, continues without it, and reports it again at the end", function()
    local trace = shared.temporary ".csv"
    os.remove(trace)
    if not os.execute(("test -c /dev/full && ln -s /dev/full %s"):format(trace)) then return pending "no /dev/full" end
    open { trace = trace }
    frames(90) -- rows are written to disk once per second
    assert.equal("damaged", v.failure.kind)
    press "space"
    frames(5)
    assert.is_nil(v.failure)
    local ok, failure = v:close()
    assert.is_nil(ok)
    assert.equal("damaged", failure.kind)
    v = nil
  end)

  it("ends the trace when the scene is set up again, and does not step back before the trace ends", function()
    local trace = shared.temporary ".csv"
    open { trace = trace }
    frames(11)
    press "left"
    assert.equal(10, v.run.count)
    press "r"
    frames(5)
    assert.equal(12, select(2, shared.read(trace):gsub("\n", "")))
  end)

  it("drops to one step a frame if steps take long, and shows the real speed factor", function()
    open()
    frames(1)
    local step = v.run.step
    v.run.step = function(...)
      clock.now = clock.now + 0.1
      return step(...)
    end
    local before = v.run.count
    frames(60)
    assert.equal(60, v.run.count - before)
    -- The factor is a running mean with a time constant of 0.5 s: after 6 s, e^-12 of its initial value remains.
    assert.is_near(1 / 60 / 0.1, v.factor, 1e-3)
  end)

  it("paints a paused scene at intervals, and at once on an event", function()
    open { paused = true }
    frames(60)
    local presented = window.handle.presented
    frames(60)
    assert.equal(10, window.handle.presented - presented)
    presented = window.handle.presented
    mouse("mouse_move", 100, 100)
    frames(1)
    assert.equal(1, window.handle.presented - presented)
  end)

  it("accepts keys, clicks and wheel turns in any order", function()
    local random = impel.rng.new(7)
    local pressed = {}
    for _, entry in ipairs(keys.all()) do
      if entry.key and entry.name ~= "quit" and entry.name ~= "screenshot" then pressed[#pressed + 1] = entry end
    end
    local kinds = { "mouse_down", "mouse_up", "mouse_move", "wheel" }
    for _, example in ipairs { "ragdoll_drop", "four_bar" } do
      open { file = "examples/" .. example .. ".lua" }
      v.list = {} -- some examples take seconds to set up
      for i, name in ipairs { "four_bar", "pendulum", "ragdoll_drop" } do
        v.list[i] = { path = "examples/" .. name .. ".lua", name = name, group = "examples" }
      end
      for _ = 1, 300 do
        for _ = 1, random:random(0, 3) do
          local entry = pressed[random:random(#pressed)]
          window.handle:push { type = "key", key = entry.key, ctrl = entry.ctrl, shift = entry.shift, down = true }
          mouse(kinds[random:random(4)], random:random(0, 800), random:random(0, 600), {
            button = ({ "left", "right", "middle" })[random:random(3)], clicks = 1, dx = random:random(-9, 9),
            dy = random:random(-9, 9),
          })
        end
        frames(1)
      end
      assert.is_true(v.run.world:is_valid())
      v:close()
    end
    v = nil
  end)

  it("keeps overlays and panels as preferences, but not the speed and the help", function()
    local kept = shared.temporary ".json"
    os.remove(kept)
    open { settings = kept }
    press "g"
    press "="
    press "f1"
    assert(v:close())
    open { settings = kept }
    assert.is_true(v.overlays.grid)
    assert.equal(1, v.speed)
    assert.is_false(v:is_open "help")
    assert.same({ 10, 20 }, window.handle.moved)
    assert.equal(800, window.handle.options.width)
    assert(v:close())
    open { settings = kept, size = { width = 333, height = 222 } }
    window.handle.width, window.handle.height = 333, 222
    assert(v:close())
    open { settings = kept }
    assert.equal(800, window.handle.options.width) -- sizes from the command line are not stored as preferences
  end)
end)
