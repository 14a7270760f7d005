-- impel.input: names of keys, input of a step, short taps, recordings, keys that a scene takes from the window; impel
-- play.

local input = require "impel.input"
local input_record = require "impel.scene.input_record"
local keys = require "impel.reference.keys"
local program = require "support.program"
local states = require "impel.scene.input_state"

local fake = require "support.viewer_fake"
local find = require "impel.cli.find"
local system = require "impel.system"
local viewer = require "impel.viewer"

-- Create a live input state of a window of 800 x 600 points, where 100 points are a metre and the middle is (0, 0).
local function live()
  local state = states.live {
    to_world = function(px, py) return (px - 400) / 100, (300 - py) / 100 end,
    size = function() return 800, 600 end,
  }
  states.show(state)
  return state
end

local function key(name, down, more)
  local event = { type = "key", key = name, down = down }
  for field, value in pairs(more or {}) do event[field] = value end
  return event
end

describe("impel.input", function()
  after_each(function()
    states.show(nil)
    states.reserved = nil
  end)

  it("is at rest without a window", function()
    assert.equal(0, input.axis "left_x")
    assert.is_false(input.button "a")
    assert.is_false(input.key "up")
    assert.is_false(input.pressed "a")
    assert.is_false(input.mouse_down())
    assert.is_false(input.mouse_pressed "right")
    assert.same({ 0, 0 }, { input.mouse() })
    assert.same({ 0, 0 }, { input.window_size() })
    assert.same({ 0, 0 }, { input.wheel() })
    assert.equal("", input.text())
    assert.same({}, input.pads())
    assert.same({}, input.touches())
    input.rumble(0.5, 1, 0.2)
  end)

  it("refuses unknown names, with the valid ones in the message", function()
    local function says(text, f, ...)
      local ok, message = pcall(f, ...)
      assert.is_false(ok)
      assert.is_truthy(message:find(text, 1, true), message)
      assert.is_truthy(message:find("^spec/scripts/viewer/input_spec.lua:"), message)
    end
    says("input.axis: no axis 'left_z' (did you mean 'left_", function() input.axis "left_z" end)
    says("input.button: no button 'q'", function() input.button "q" end)
    says("input.mouse_down: no button 'lft' (did you mean 'left'?)", function() input.mouse_down "lft" end)
    says("input.key: a key's name expected, got number", function() input.key(3) end)
    says("input.down: no key 'lshift' (use 'left_shift')", function() input.down "lshift" end)
    says("input.pressed: no key 'Left Shift' (use 'left_shift')", function() input.pressed "Left Shift" end)
    says("input.down: no key 'W' (use 'w')", function() input.down "W" end)
    says("input.down: no key ' ' (use 'space')", function() input.down " " end)
    says("input.scan_down: no key 'kp5' (use 'keypad_5')", function() input.scan_down "kp5" end)
    says("input.released: no key 'spcae' (did you mean 'space'?)", function() input.released "spcae" end)
    says("input.rumble: low must be a number in 0..1, got 2", function() input.rumble(2, 0, 1) end)
    says("input.rumble: seconds must be a number in 0..60, got ", function() input.rumble(0, 0, 0 / 0) end)
    for _, name in ipairs { "é", "ß", ";", "`", "7", "f12", "keypad_enter" } do assert.is_false(input.down(name)) end
  end)

  it("reads a single key", function()
    for _, name in ipairs { "down", "pressed", "released", "scan_down" } do
      assert.has_error(function() input[name]("up", "w") end,
        ("input.%s: one key expected: input.%s(a) or input.%s(b)"):format(name, name, name))
    end
  end)

  it("has the changes since the previous step", function()
    local state = live()
    state:event(key("a", true))
    assert.is_false(input.down "a")
    state:advance()
    assert.is_true(input.down "a" and input.pressed "a" and not input.released "a")
    state:advance()
    assert.is_true(input.down "a" and not input.pressed "a")
    state:event(key("a", true, { repeated = true }))
    state:advance()
    assert.is_true(input.down "a" and input.repeated "a" and not input.pressed "a")
    state:event(key("a", false))
    state:advance()
    assert.is_true(not input.down "a" and input.released "a" and not input.repeated "a")
    state:advance()
    assert.is_false(input.released "a")
  end)

  it("reports every tap that is shorter than a step, by input.pressed and by input.down", function()
    local state, pressed, seen, was = live(), 0, 0, false
    for _ = 1, 40 do
      state:event(key("n", true))
      state:event(key("n", false))
    end
    for _ = 1, 81 do
      state:advance()
      if input.pressed "n" then pressed = pressed + 1 end
      if input.down "n" and not was then seen = seen + 1 end
      was = input.down "n"
    end
    assert.same({ 40, 40, false }, { pressed, seen, was })
  end)

  it("does not delay other keys or the mouse while taps wait", function()
    local state = live()
    for _ = 1, 5 do
      state:event(key("n", true))
      state:event(key("n", false))
    end
    state:event(key("m", true))
    state:event { type = "mouse_move", x = 500, y = 200 }
    state:advance()
    assert.is_true(input.pressed "m")
    assert.same({ 1, 1 }, { input.mouse() })
  end)

  it("drops presses if thousands wait, but drops no release", function()
    local state = live()
    for _ = 1, 5000 do
      state:event(key("n", true))
      state:event(key("n", false))
    end
    for _ = 1, 4000 do state:advance() end
    assert.is_false(input.down "n")
    assert.is_true(#state.queue == 0)
  end)

  it("ignores the release of a key that was pressed in another window", function()
    local state = live()
    state:event(key("a", false))
    state:advance()
    assert.is_false(input.released "a")
  end)

  it("releases everything when the window loses the keyboard", function()
    local state = live()
    state:event(key("a", true))
    state:event { type = "mouse_down", button = "left", x = 1, y = 2 }
    state:event { type = "axis", axis = "left_x", value = 1, pad = 3 }
    state:event { type = "pad_button", button = "a", down = true, pad = 3 }
    state:advance()
    assert.is_true(input.down "a" and input.mouse_down() and input.button "a")
    state:event(key("b", true)) -- the key is pressed and released before the next step
    state:release()
    state:advance()
    assert.is_true(input.released "a" and input.mouse_released() and input.button_released "a")
    assert.is_true(input.pressed "b")
    assert.equal(0, input.axis "left_x")
    state:advance()
    assert.is_false(input.down "a" or input.down "b" or input.mouse_down() or input.button "a")
    state:event(key("a", false))
    state:advance()
    assert.is_false(input.released "a")
  end)

  it("reads a key by its label (down) or by its position (scan_down)", function()
    local state = live()
    state:event(key("z", true, { scancode = "w" })) -- on a French keyboard Z has the scancode of W
    state:advance()
    assert.is_true(input.down "z" and input.scan_down "w" and input.scan_pressed "w")
    assert.is_false(input.down "w" or input.scan_down "z")
    state:event(key("z", false, { scancode = "w" }))
    state:advance()
    assert.is_true(input.scan_released "w" and not input.scan_down "w")
  end)

  it("has the mouse's position, the position of each press, the turns of the wheel and the typed text", function()
    local state = live()
    state:event { type = "mouse_down", button = "left", x = 400, y = 300 }
    state:event { type = "mouse_move", x = 600, y = 400 }
    state:event { type = "wheel", x = 600, y = 400, dx = 0, dy = 1.5 }
    state:event { type = "wheel", x = 600, y = 400, dx = 1, dy = 1 }
    state:event { type = "text", text = "aä" }
    state:event { type = "text", text = "!" }
    state:advance()
    assert.same({ true, 0, 0 }, { input.mouse_pressed "left" })
    assert.same({ 2, -1 }, { input.mouse() })
    assert.same({ 600, 400 }, { input.mouse_pixels() })
    assert.same({ 800, 600 }, { input.window_size() })
    assert.same({ 2.5, 1 }, { input.wheel() })
    assert.equal("aä!", input.text())
    state:event { type = "mouse_up", button = "left", x = 600, y = 400 }
    state:advance()
    assert.same({ true, 2, -1 }, { input.mouse_released() })
    assert.same({ 0, 0 }, { input.wheel() })
    assert.equal("", input.text())
  end)

  it("updates the mouse's world position when only the camera moves", function()
    local at = 0
    local state = states.live {
      to_world = function(px, py) return at + px, py end, size = function() return 8, 6 end,
    }
    states.show(state)
    state:event { type = "mouse_move", x = 5, y = 2 }
    state:advance()
    at = 10
    state:advance()
    assert.same({ 15, 2 }, { input.mouse() })
  end)

  it("has the fingers on a touch screen", function()
    local state = live()
    state:event { type = "touch_down", finger = 7, x = 400, y = 300 }
    state:event { type = "touch_down", finger = 9, x = 500, y = 300 }
    state:event { type = "touch_move", finger = 7, x = 300, y = 300 }
    state:advance()
    assert.same({ { id = 7, x = -1, y = 0 }, { id = 9, x = 1, y = 0 } }, input.touches())
    state:event { type = "touch_up", finger = 7, x = 300, y = 300 }
    state:advance()
    assert.same({ { id = 9, x = 1, y = 0 } }, input.touches())
  end)

  it("reads buttons and axes of one or all gamepads: the axis of largest magnitude, and 0 in the dead zone", function()
    local state = live()
    local function feed(event)
      state:event(event)
      state:advance()
    end
    feed { type = "pad_added", pad = 1, name = "one" }
    feed { type = "pad_added", pad = 2, name = "two" }
    assert.same({ { id = 1, name = "one" }, { id = 2, name = "two" } }, input.pads())
    feed { type = "axis", axis = "left_x", value = 0.1, pad = 1 }
    assert.equal(0, input.axis "left_x")
    feed { type = "axis", axis = "left_x", value = -1, pad = 1 }
    assert.equal(-1, input.axis "left_x")
    feed { type = "axis", axis = "left_x", value = 0.56, pad = 2 }
    assert.equal(-1, input.axis "left_x")
    assert.is_near(0.5, input.axis("left_x", 2), 1e-12) -- (0.56 - 0.12) / 0.88
    feed { type = "axis", axis = "right_y", value = 1, pad = 2 }
    assert.equal(-1, input.axis "right_y") -- the y axis of SDL points down
    feed { type = "pad_button", button = "dpup", down = true, pad = 2 }
    assert.is_true(input.button "up" and input.button_pressed "up" and not input.button("up", 1))
    feed { type = "pad_removed", pad = 2 }
    assert.is_true(not input.button "up" and input.button_released "up")
    assert.equal(0, input.axis "right_y")
    assert.equal(1, #input.pads())
  end)

  it("clears the state and waiting events of an unplugged gamepad", function()
    local state = live()
    local function feed(...)
      for _, event in ipairs { ... } do state:event(event) end
      state:advance()
    end
    local function button(down) return { type = "pad_button", button = "a", down = down, pad = 7 } end
    feed({ type = "pad_added", pad = 7, name = "seven" }, { type = "axis", axis = "left_x", value = 1, pad = 7 })
    feed(button(true))
    feed(button(false), button(true), button(false), { type = "pad_removed", pad = 7 })
    assert.is_true(input.button_released "a" and not input.button "a")
    state:event { type = "axis", axis = "left_x", value = 0.5, pad = 7 }
    state:release()
    for _ = 1, 4 do
      assert.same({ {}, 0, false }, { input.pads(), input.axis "left_x", input.button "a" })
      assert.equal(0, input.axis("left_x", 7))
      input.rumble(1, 1, 1, 7)
      feed()
    end
    feed({ type = "pad_added", pad = 7, name = "seven" }, button(true))
    assert.same({ { { id = 7, name = "seven" } }, true }, { input.pads(), input.button "a" })
  end)

  it("lets gamepads rumble", function()
    local told = {}
    local state = states.live {
      to_world = function(x, y) return x, y end, size = function() return 1, 1 end,
      rumble = function(...) told[#told + 1] = { ... } end,
    }
    states.show(state)
    state:event { type = "pad_added", pad = 4, name = "four" }
    state:advance()
    input.rumble(0.5, 1, 0.2)
    input.rumble(0, 0, 0, 4)
    assert.same({ { 4, 0.5, 1, 0.2 }, { 4, 0, 0, 0 } }, told)
  end)
end)


-- Keys push a ball. The scene's state depends on every kind of input.
local GAME = [[
local impel, input = require "impel", require "impel.input"
local scene = { title = "push", view = { x = 0, y = 0, height = 12 }, duration = 2 }
scene.params = { push = { 30.0, min = 0, max = 50 } }
function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local ball = world:body { name = "ball", position = { 0, 0 } }
  ball:circle { radius = 0.5, density = 1 }
  return { world = world, ball = ball, p = p, taps = 0 }
end
function scene.update(s)
  if input.down "right" then s.ball:apply_force(s.p.push, 0) end
  if input.down "left" then s.ball:apply_force(-s.p.push, 0) end
  if input.pressed "space" then s.taps = s.taps + 1 s.ball:apply_impulse(0, 1) end
  local pressed, x, y = input.mouse_pressed "left"
  if pressed then s.ball:apply_impulse(x, y) end
  s.ball:apply_torque(input.axis "left_x")
end
function scene.measure(s) return { taps = s.taps } end
return scene
]]

describe("a window", function()
  local v, window, clock, path

  local function open(options, text)
    path = program.write(text or GAME, ".lua")
    window, clock = fake.window(), fake.clock()
    local given = {
      file = path, window = window, settings = false, clock = clock.read, sleep = clock.sleep,
      find = function(name, opened)
        return find.loader({}, { file = name, opened = opened }, { clear = function() end })
      end,
    }
    for name, value in pairs(options or {}) do given[name] = value end
    v = assert(viewer.new({ kind = system.kind, examples = "examples" }, given))
  end

  local function frames(count)
    for _ = 1, count or 1 do assert.is_true(v:frame()) end
  end

  local function press(name, more)
    window.handle:push(key(name, true, more))
    frames(1)
    window.handle:push(key(name, false, more))
    frames(1)
  end

  after_each(function()
    if v then v:close() end
    v = nil
    program.clean()
  end)

  it("keeps its keys: a scene that reads one gets an error", function()
    open()
    frames(3)
    assert.is_truthy(v.failure)
    assert.is_truthy(v.failure.message:find("the window uses the key 'right' (one step, and pause)", 1, true))
    assert.is_truthy(v.failure.message:find('write scene.keys = { "right" }, or use impel play', 1, true))
  end)

  it("leaves the keys in scene.keys to the scene; with Ctrl they keep their meaning in the window", function()
    open(nil, (GAME:gsub("return scene", 'scene.keys = { "left", "right", "space" }\nreturn scene')))
    frames(3)
    assert.is_nil(v.failure)
    press "space"
    assert.is_false(v.paused)
    frames(3)
    assert.equal(1, v.run.state.taps)
    press("space", { ctrl = true })
    assert.is_true(v.paused)
    assert.equal(1, v.run.state.taps)
    local yields = {}
    for _, entry in ipairs(keys.all()) do
      if keys.gives_way(entry, v.taken) then yields[#yields + 1] = entry.name end
    end
    assert.same({ "pause", "step_10", "step", "back_10", "back" }, yields)
    press "f1"
    frames(2)
  end)

  it("gives a game the mouse and all keys except F1 to F12", function()
    open { play = true }
    frames(2)
    assert.equal("push - impel", window.handle.title)
    for _, name in ipairs { "space", "r", "1", "escape", "tab", "right" } do press(name) end
    frames(4)
    assert.is_nil(v.failure)
    assert.is_false(v.paused)
    assert.equal(1, v.run.state.taps)
    assert.same({}, v.open_panels)
    local x = v.run.state.ball:velocity()
    assert.is_true(x > 0)
    window.handle:push { type = "mouse_down", button = "left", x = 700, y = 300 }
    frames(1)
    window.handle:push { type = "mouse_up", button = "left", x = 700, y = 300 }
    frames(2)
    assert.is_nil(v.mouse.joint)
    assert.is_true(v.run.state.ball:velocity() > x + 1)
    press "f1"
    assert.is_true(v:is_open "help")
    local tick = v.run.world.tick
    press("r", { ctrl = true })
    assert.is_true(v.run.world.tick < tick)
    window.handle:push(key("q", true, { ctrl = true }))
    assert.is_false(v:frame())
  end)

  it("switches full screen on and off at Alt+Return", function()
    open { play = true }
    press("return", { alt = true })
    assert.is_true(window.handle.full)
    press("return", { alt = true })
    assert.is_false(window.handle.full)
  end)

  it("pauses a game while it is minimised", function()
    open { play = true }
    frames(5)
    window.handle:push { type = "minimize" }
    frames(1)
    local tick = v.run.world.tick
    frames(10)
    assert.equal(tick, v.run.world.tick)
    window.handle:push { type = "restore" }
    frames(10)
    assert.is_true(v.run.world.tick > tick and v.run.world.tick <= tick + 10)
  end)

  it("pulls no bodies if scene.view.pull is false", function()
    open({}, (GAME:gsub("height = 12 }", "height = 12, pull = false }"):gsub("return scene",
      'scene.keys = { "all" }\nreturn scene')))
    frames(2)
    window.handle:push { type = "mouse_down", button = "left", x = 400, y = 288 }
    frames(20)
    assert.is_nil(v.mouse.joint)
    assert.is_nil(v.failure)
  end)

  it("releases keys when it loses the keyboard", function()
    open { play = true }
    window.handle:push(key("right", true))
    frames(5)
    window.handle:push { type = "focus", gained = false }
    frames(3)
    local x = v.run.state.ball:velocity()
    frames(10)
    assert.equal(x, (v.run.state.ball:velocity()))
  end)

  it("sees forty taps of 20 ms at speeds 1, 1/4 and 4", function()
    for _, speed in ipairs { 1, 0.25, 4 } do
      open { play = true, speed = speed }
      frames(2)
      local start, events = clock.now, {}
      for i = 0, 39 do
        events[#events + 1] = { start + 0.04 * i, true }
        events[#events + 1] = { start + 0.04 * i + 0.02, false }
      end
      for _ = 1, 600 do
        while events[1] and events[1][1] <= clock.now do
          window.handle:push(key("space", table.remove(events, 1)[2]))
        end
        frames(1)
      end
      assert.equal(40, v.run.state.taps)
      v:close()
      v = nil
    end
  end)

  it("shows the effect of a key in the second frame after it at the latest", function()
    open { play = true }
    frames(5)
    local presented = window.handle.presented
    local function drawn()
      local _, y = v.frame_of_run:pose(v.run.state.ball)
      return y
    end
    assert.equal(0, drawn())
    window.handle:push(key("space", true))
    frames(2)
    assert.equal(presented + 2, window.handle.presented)
    assert.equal(1, v.run.state.taps)
    assert.is_true(drawn() > 0)
  end)

  it("records the inputs of impel play; impel run with these inputs ends with the same hash", function()
    local out = program.temporary ".rec"
    open { play = true, inputs = out, seed = 3, set = { push = "20" } }
    local random = require("impel").world { seed = 5 }
    for i = 1, 200 do
      local name = ({ "left", "right", "space", "x" })[random:random(4)]
      if random:random(3) == 1 then window.handle:push(key(name, random:random(2) == 1)) end
      if i % 20 == 0 then
        window.handle:push { type = "mouse_down", button = "left", x = 10 * i % 800, y = 13 * i % 600 }
        window.handle:push { type = "mouse_up", button = "left", x = 10 * i % 800, y = 13 * i % 600 }
      end
      if i == 50 then window.handle:push { type = "axis", axis = "left_x", value = 0.7, pad = 0 } end
      if i == 90 then window.handle:push { type = "focus", gained = false } end
      frames(1)
    end
    local hash, steps = v.run.world.hash, v.run.count
    assert.is_true(steps > 150 and v.run.state.taps > 3)
    assert(v:close())
    local recording = assert(input_record.read(out))
    assert.same({ steps, hash, 3, 20 }, { recording.steps, recording.hash, recording.header.seed,
      recording.header.parameters.push })
    local code, text = program.run(("run %s --input %s"):format(path, out))
    assert.equal(0, code)
    assert.is_truthy(text:find("hash +" .. hash), text)
    assert.is_truthy(text:find("input +the final hash equals the recorded hash"), text)
    local _, other = program.run(("run %s --input %s --set push=21"):format(path, out))
    assert.is_truthy(other:find("input +the final hash differs from the recorded hash"), other)
  end)

  it("begins a recording again when the game is set up again", function()
    local out = program.temporary ".rec"
    open { play = true, inputs = out }
    press "space"
    frames(5)
    press("r", { ctrl = true })
    frames(5)
    press "space"
    frames(5)
    local hash = v.run.world.hash
    assert(v:close())
    local _, text = program.run(("run %s --input %s"):format(path, out))
    assert.is_truthy(text:find("hash +" .. hash), text)
  end)

  it("leaves a recording unchanged until a scene is set up, and reports that a restart starts it again", function()
    local out = program.write("precious", ".rec")
    open({ play = true, inputs = out }, "return )")
    frames(3)
    assert.equal("precious", program.read(out))
    assert(v:close())
    assert.equal("precious", program.read(out))
    open { play = true, inputs = out }
    frames(3)
    assert.equal(0, #v.messages)
    press("r", { ctrl = true })
    frames(1)
    assert.equal("the input recording starts again: " .. out, v.messages[#v.messages].text)
  end)

  it("passes neither the position nor the text of the window's keys to a scene", function()
    open(nil, (GAME:gsub("function scene.update%(s%)",
      'function scene.update(s) s.text = (s.text or "") .. input.text()'):gsub('"right"', '"d"')
      :gsub('"left"', '"a"', 1):gsub('"space"', '"s"')))
    for _, name in ipairs { "r", "d", "=" } do
      window.handle:push(key(name, true))
      window.handle:push { type = "text", text = name }
      window.handle:push(key(name, false))
      frames(2)
    end
    frames(2)
    assert.is_nil(v.failure)
    assert.equal("d", v.run.state.text)
    assert.has_error(function() input.scan_down "r" end, "input.scan_down: the window uses the key 'r' (restart with "
      .. 'the same parameters and seed): write scene.keys = { "r" }, or use impel play')
  end)

  it("records the inputs of all steps, also of steps that the scene undoes by world:restore", function()
    local out = program.temporary ".rec"
    open({ play = true, inputs = out }, [[
      local impel, input = require "impel", require "impel.input"
      local saved, score
      return { setup = function()
        local world = impel.world {}
        local ball = world:body { position = { 0, 9 } }
        ball:circle { radius = 1 }
        return { world = world, ball = ball, score = 0 }
      end, update = function(s)
        s.score = s.score + 1
        if input.pressed "s" then saved, score = s.world:snapshot(), s.score end
        if input.pressed "l" then
          s.world:restore(saved)
          assert(s.score == score)
        end
        if input.pressed "x" then s.ball:apply_impulse(0, 10) end
      end }]])
    for _, name in ipairs { "s", "x", "l", "x", "x", "l", "x" } do
      frames(7)
      press(name)
    end
    local hash, made = v.run.world.hash, v.run.made
    assert.is_true(v.run.count < made)
    assert(v:close())
    assert.equal(made, assert(input_record.read(out)).steps)
    local code, text = program.run(("run %s --input %s"):format(path, out))
    assert.equal(0, code, text)
    assert.is_truthy(text:find("input +the final hash equals the recorded hash"), text)
    assert.is_truthy(text:find("hash +" .. hash), text)
  end)

  it("records keys pressed before the first step, and those held while the game is set up again", function()
    for _, is_restarted in ipairs { false, true } do
      local out = program.temporary ".rec"
      open { play = true, inputs = out, speed = 4 }
      window.handle:push { type = "pad_added", pad = 2, name = "two" }
      for _, name in ipairs { "right", "space" } do window.handle:push(key(name, true)) end
      window.handle:push { type = "axis", axis = "left_x", value = 1, pad = 2 }
      window.handle:push { type = "pad_button", button = "a", down = true, pad = 2 }
      frames(5)
      if is_restarted then press("r", { ctrl = true }) end
      frames(5)
      assert.is_true(input.down "right" and input.button "a" and not input.button_pressed "a")
      assert.equal(1, input.axis "left_x")
      assert.same({ { id = 2, name = "two" } }, input.pads())
      -- A restart ignores keys of the previous run.
      assert.equal(is_restarted and 0 or 1, v.run.state.taps)
      assert.is_true(v.run.state.ball:position() > 0)
      local hash, steps = v.run.world.hash, v.run.count
      assert(v:close())
      local _, text = program.run(("run %s --input %s"):format(path, out))
      assert.is_truthy(text:find("hash +" .. hash), text)
      assert.equal(steps, assert(input_record.read(out)).steps)
    end
  end)
end)

-- A scene that prints its input. Under Xvfb, the X server sends keys and mouse events.
local WITNESS = [[
local impel, input = require "impel", require "impel.input"
local scene = { title = "witness", duration = 60, view = { x = 0, y = 0, height = 6 } }
function scene.setup() return { world = impel.world {}, taps = 0 } end
local function tell(...) io.stderr:write(table.concat({ ... }, " "), "\n") end
function scene.update(s)
  for _, name in ipairs(NAMES) do
    if input.pressed(name) then tell("pressed", name) end
    if input.released(name) then tell("released", name) end
    if input.repeated(name) then tell("repeated", name) end
    if input.scan_pressed(name) then tell("scan", name) end
  end
  local pressed, x, y = input.mouse_pressed "right"
  if pressed then tell("click", ("%.1f %.1f"):format(x, y)) end
  if input.wheel() ~= 0 then tell("wheel", ("%g"):format((input.wheel()))) end
  if input.text() ~= "" then tell("text", input.text()) end
end
return scene
]]

describe("the modules that a game requires", function()
  for _, name in ipairs { "input", "camera", "sound", "file" } do
    it("are written in the syntax common to Lua 5.1 and 5.4: " .. name, function()
      if not os.execute "command -v luac5.1 >/dev/null 2>&1" then return pending "luac5.1 is not installed" end
      assert.is_true(os.execute(("luac5.1 -p scripts/impel/%s.lua"):format(name)))
    end)
  end
end)

describe("real keys under Xvfb", function()
  local server, reason

  setup(function()
    server, reason = require("support.xvfb").start()
    if not os.execute "command -v xdotool >/dev/null 2>&1" then reason = "xdotool is not installed" end
  end)
  teardown(function()
    if server then server:stop() end
    program.clean()
  end)

  -- Run `impel COMMAND` on WITNESS with the keys `names` and commands of xdotool. Quit when the scene has printed the
  -- line `last` `count` times, or after 20 s. Return stderr.
  local function run(command, names, commands, last, count, more)
    local list = {}
    for i, name in ipairs(names) do list[i] = ("%q"):format(name) end
    local text = WITNESS:gsub("NAMES", "{ " .. table.concat(list, ", ") .. " }") .. ""
    local ending = ((more or "") .. "\nreturn scene"):gsub("%%", "%%%%")
    local scene = program.write((text:gsub("return scene", ending)), ".lua")
    local err, script = program.temporary(), {}
    for _, each in ipairs(commands) do script[#script + 1] = "xdotool " .. each end
    os.execute(("export DISPLAY=%s; unset SDL_VIDEODRIVER WAYLAND_DISPLAY; " ..
      "${IMPEL:-build/impel} %s %s --size 600x600 --frames 3000 2>%s & pid=$!; " ..
      "timeout 5 xdotool search --sync --onlyvisible --name impel >/dev/null; sleep 0.3; %s; " ..
      "k=0; while [ $(grep -c '^%s$' %s) -lt %d ] && [ $k -lt 200 ]; do sleep 0.1; k=$((k + 1)); done; " ..
      "xdotool key ctrl+q; wait $pid"):format(server.display, command, scene, err, table.concat(script, "; "), last,
      err, count))
    return program.read(err)
  end

  local function count(text, line)
    local n = 0
    for each in text:gmatch "[^\n]+" do n = n + (each == line and 1 or 0) end
    return n
  end

  it("reach a game, and so do clicks and wheel turns", function()
    if reason then return pending(reason) end
    local names = { "left", "right", "up", "down", "space", "return", "escape", "tab", "r", "f", "1", "-", "backspace",
      "left_shift", "right_alt", "[", "home" }
    local seen = table.move(names, 1, #names, 1, { [#names + 1] = "f9" })
    local text = run("play", seen, {
      "key Left Right Up Down space Return Escape Tab r f 1 minus BackSpace Shift_L Alt_R bracketleft Home",
      "search --name impel mousemove --window %1 300 450 click 3 click 4", "type ab",
      "key F9",
    }, "pressed f9", 1)
    for _, name in ipairs(names) do
      assert.equal(1, count(text, "pressed " .. name), name .. "\n" .. text)
      assert.equal(1, count(text, "released " .. name), name)
    end
    assert.equal(1, count(text, "click 0.0 -1.5"), text)
    assert.equal(1, count(text, "wheel 1"), text)
    assert.is_truthy(text:find "text a.*b", text)
  end)

  for _, speed in ipairs { "1", "0.25", "4" } do
    it("are all seen when forty are tapped for 20 ms each, at speed " .. speed, function()
      if reason then return pending(reason) end
      local text = run("play --speed " .. speed, { "n" }, { "key --delay 20 " .. ("n "):rep(40) }, "released n", 40)
      assert.equal(40, count(text, "pressed n"), text)
    end)
  end

  it("repeat while held, and are released when the window loses the keyboard", function()
    if reason then return pending(reason) end
    local text = run("play", { "n", "m", "f9" }, { "keydown n sleep 1 keyup n", "keydown m",
      "windowfocus $(xdotool search --maxdepth 0 '')", "windowfocus $(xdotool search --name impel)", "key F9" },
      "pressed f9", 1)
    assert.equal(1, count(text, "pressed n"), text)
    assert.equal(1, count(text, "scan n"), text)
    assert.is_true(count(text, "repeated n") >= 2, text)
    assert.equal(1, count(text, "released n"), text)
    -- The key m is released when the window loses the focus.
    assert.is_truthy(text:find "pressed m.*released m.*pressed f9", text)
  end)

  it("fill the screen on Alt+Return, which the game does not see; the mouse does not pull bodies", function()
    if reason then return pending(reason) end
    local text = run("play", { "return", "f9" }, { "search --name impel mousemove --window %1 300 300 sleep 0.2 " ..
      "mousedown 1 mousemove_relative 200 0 sleep 0.3 mouseup 1",
      "key alt+Return sleep 0.5 key F9" }, "pressed f9", 1,
      [[function scene.setup()
        local world = impel.world { gravity = { 0, 0 } }
        local box = world:body {}
        box:box { 2, 2 }
        world:on("step", function()
          local pressed, x, y = input.mouse_pressed "left"
          if pressed then tell("held", ("%.1f %.1f"):format(x, y)) end
        end)
        return { world = world, box = box }
      end
      function scene.draw(s, view)
        local wide = ("%d"):format(view.hud.width)
        if wide ~= s.wide then tell("wide", wide) end
        s.wide = wide
        if s.box:position() ~= 0 then tell "pulled" end
      end]])
    assert.equal(0, count(text, "pressed return"), text)
    assert.is_truthy(text:find "wide 600.*held 0.0 0.0.*wide 1280", text)
    assert.equal(0, count(text, "pulled"), text)
  end)

  it("reach a scene in impel view if the scene lists them in scene.keys", function()
    if reason then return pending(reason) end
    local text = run("view", { "space", "left" }, { "key space Left space" }, "released space", 2,
      'scene.keys = { "space", "left" }')
    assert.equal(2, count(text, "pressed space"), text)
    assert.equal(1, count(text, "pressed left"), text)
  end)
end)

describe("a recording of inputs", function()
  after_each(program.clean)

  local HEADER = '{"impel_input":1,"scene":"x","seed":0,"parameters":{}}\n'

  it("is refused with the error and its line", function()
    for text, message in pairs {
      [""] = "not a recording of inputs",
      ["{}\n"] = "not a recording of inputs",
      ['{"impel_input":2}\n'] = "inputs have version 2, this impel reads version 1",
      [HEADER .. "[1]\n"] = "line 2: an object expected",
      [HEADER .. '{"step":0,"changes":[]}\n'] = "line 2: 'step' must be a number > 0",
      [HEADER .. '{"step":2,"changes":[]}\n{"step":2,"changes":[]}\n'] = "line 3: 'step' must be a number > 2",
      [HEADER .. '{"step":1}\n'] = "line 2: 'changes' must be a list",
      [HEADER .. '{"step":1,"changes":[["dance"]]}\n'] = "line 2: unknown change 'dance'",
      [HEADER .. '{"step":1,"changes":[["key","a"]]}\n'] = "line 2: 'key' has 3 values, not 1",
      [HEADER .. '{"step":1,"changes":[["wheel","a",1]]}\n'] = "line 2: value 1 of 'wheel'",
      ['{"impel_input":1,"seed":1.5}\n'] = "'seed' must be an integer",
      ['{"impel_input":1,"dt":-1}\n'] = "'dt' must be a number of seconds > 0",
      ['{"impel_input":1,"dt":{}}\n'] = "'dt' must be a number of seconds > 0",
      ['{"impel_input":1,"solver":1}\n'] = "'solver' must be a name",
      ['{"impel_input":1,"parameters":{"a":[]}}\n'] = "parameter 'a' is a table",
      [HEADER .. '{"end":-5}\n'] = "line 2: 'end' must be a number of steps >= 0",
      [HEADER .. '{"step":7,"changes":[]}\n{"end":6}\n'] = "line 3: 'end' must be a number of steps >= 7",
      [HEADER .. '{"step":1,"changes":[' .. ('["text","a"],'):rep(10000) .. '["text","a"]]}\n'] =
        "line 2: more than 10000 changes in a step",
      [HEADER .. '{"end":"x"}\n'] = "line 2: 'end' must be a number of steps",
      [HEADER .. '{"end":1}\n{"end":1}\n'] = "line 3: nothing expected after 'end'",
      [HEADER .. '{"step":\n'] = "line 2, column",
    } do
      local found, why = input_record.read(program.write(text, ".rec"))
      assert.is_nil(found)
      assert.is_truthy(why:find(message, 1, true), why)
    end
    local code, _, err = program.run(("run falling_ball --input %s"):format(program.write("{", ".rec")))
    assert.equal(5, code)
    assert.is_truthy(err:find("not a recording of inputs", 1, true), err)
  end)

  it("is played to its last complete step if it was cut", function()
    local recording = assert(input_record.read(program.write(
      HEADER .. '{"step":4,"changes":[["text","a"]]}\n{"step":9,"chan', ".rec")))
    assert.same({ 4, nil, true }, { recording.steps, recording.hash, recording.was_cut })
  end)

  it("reports a missing end, that it is of another scene, or a parameter that the scene lacks", function()
    local scene = program.write("return { setup = function() return { world = require 'impel'.world {} } end }", ".lua")
    local function run(text, options)
      local path = program.write(text, ".rec")
      local code, _, err = program.run(("run %s --input %s %s"):format(scene, path, options or ""))
      return code, (err:gsub(path, "IN"):gsub("lua_%w+", "NAME"))
    end
    local code, err = run(HEADER .. '{"step":4,"changes":[["text","a"]]}\n')
    assert.equal(0, code)
    assert.is_truthy(err:find("IN: the recording is of 'x', the scene is 'NAME'\n", 1, true), err)
    assert.is_truthy(err:find("IN: the end of the recording is missing; it has 4 steps and no final hash to compare "
      .. "with\n", 1, true), err)
    assert.equal("", select(2, run(HEADER .. '{"step":4,"changes":[]}\n', "-q")))
    code, err = run('{"impel_input":1,"scene":"lander","parameters":{"fuel":3}}\n{"end":1}\n')
    assert.equal(2, code)
    assert.is_truthy(err:find("IN: 'NAME' has no parameter 'fuel'; the recording is of the scene 'lander'", 1, true),
      err)
  end)
end)
