-- The viewer without a window: its clock, the way back, hot reload, keys, what it remembers; and frame by frame with a
-- window that is none.

local browser = require "impel.viewer_browser"
local clocks = require "impel.viewer_clock"
local find = require "impel.cli.find"
local histories = require "impel.viewer_history"
local impel = require "impel"
local input = require "impel.input"
local keys = require "impel.viewer_keys"
local mirrors = require "impel.viewer_state"
local reloads = require "impel.viewer_reload"
local runner = require "impel.run"
local scenes = require "impel.scene"
local settings = require "impel.viewer_settings"
local values = require "impel.viewer_values"
local viewer = require "impel.viewer"

local fake = dofile "spec/lua/viewer_fake.lua"
local shared = dofile "spec/lua/program.lua"

-- A ball that falls without end; `lift` is read in every step, `height` only in setup.
local SCENE = [[
local impel = require "impel"
local scene = { title = "ball", view = { x = 0, y = 0, height = 12 } }
scene.params = { height = { 3.0, min = 0, max = 5 }, lift = { 0.0, min = 0, max = 50 } }
function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -9.81 } }
  local ball = world:body { name = "ball", position = { 0, p.height } }
  ball:circle { radius = 0.5, density = 4 / math.pi } -- 1 kg
  local floor = world:body { type = "static", name = "floor", position = { 0, -4 } }
  floor:box { 8, 1 }
  return { world = world, ball = ball, p = p, steps = 0, places = {} }
end
function scene.update(s)
  s.steps = s.steps + 1
  s.places[s.steps] = select(2, s.ball:position())
  if s.p.lift > 0 then s.ball:apply_force(0, s.p.lift) end
end
function scene.measure(s) return { y = select(2, s.ball:position()) } end
return scene
]]

describe("the clock", function()
  it("makes one step a frame where a step is as long as a frame, however the frames jitter", function()
    local clock, made = clocks.new(), {}
    for i = 1, 600 do made[clock:due(1 / 60 + (i % 2 == 0 and 0.004 or -0.004), 1 / 60)] = true end
    assert.same({ [1] = true }, made)
  end)

  it("makes as many steps as seconds times speed, within half a step", function()
    for _, speed in ipairs { 1 / 64, 1 / 4, 1, 2.5, 16 } do
      local clock, steps = clocks.new { speed = speed }, 0
      for i = 1, 1000 do steps = steps + clock:due(i % 3 == 0 and 0.03 or 0.013, 1 / 240) end
      local seconds = 333 * 0.03 + 667 * 0.013
      assert.is_true(math.abs(steps - seconds * speed * 240) <= 0.5 + 1e-6) -- 1e-6: sums of a thousand roundings
    end
  end)

  it("counts a long frame for a quarter of a second and owes nothing after it", function()
    local clock = clocks.new()
    assert.equal(15, clock:due(60, 1 / 60))
    assert.equal(1, clock:due(1 / 60, 1 / 60))
  end)

  it("never asks for more than 256 steps of a frame", function()
    assert.equal(256, clocks.new { speed = 64 }:due(0.25, 1e-4))
  end)

  it("measures how fast the scene really is", function()
    local clock = clocks.new { speed = 4 }
    for _ = 1, 300 do clock:made(math.min(clock:due(1 / 60, 1 / 60), 2), 1 / 60) end
    assert.is_near(2, clock:factor(), 1e-3) -- e^-10 of the beginning is left after 5 s
  end)

  it("goes through the speeds by factors of two and stops at the ends", function()
    local clock = clocks.new()
    assert.equal(2, clock:change(1))
    assert.equal(1, clock:change(-1))
    for _ = 1, 20 do clock:change(-1) end
    assert.equal(1 / 64, clock.speed)
    for _ = 1, 20 do clock:change(1) end
    assert.equal(64, clock.speed)
    assert.equal(4, clocks.new { speed = 3 }:change(1))
    assert.equal(2, clocks.new { speed = 3 }:change(-1))
  end)
end)

describe("the way back", function()
  local run

  local function timeless() return 0 end -- a snapshot takes no time, so that all are kept

  before_each(function() run = assert(runner.new(assert(scenes.parse(SCENE, "=ball.lua")), {})) end)
  after_each(function() run:close() end)

  it("leads to the same bits, and from there to the same future, Lua tables included", function()
    local history = histories.new(run, { clock = timeless })
    local hashes = {}
    for i = 0, 79 do
      hashes[i] = run.world.hash
      history:keep(run)
      assert(run:step())
    end
    local future = run.world.hash
    local list = run.state.places
    for back = 1, 40 do
      assert.equal(1, history:back(run, 1))
      assert.equal(hashes[80 - back], run.world.hash)
      assert.equal(80 - back, run.count)
      assert.equal(80 - back, run.state.steps)
      assert.equal(80 - back, #run.state.places)
    end
    assert.equal(list, run.state.places) -- the same table
    for _ = 1, 40 do
      history:keep(run)
      assert(run:step())
    end
    assert.equal(future, run.world.hash)
    assert.equal(80, #run.state.places)
    assert.equal(30, history:back(run, 30))
    assert.equal(hashes[50], run.world.hash)
    assert.equal(50, run.state.steps)
  end)

  it("is bounded in number and in bytes, and ends at the oldest moment", function()
    local history = histories.new(run, { most = 10, clock = timeless })
    for _ = 1, 50 do
      history:keep(run)
      assert(run:step())
    end
    assert.equal(10, history:count())
    assert.equal(10, history:back(run, 100))
    assert.equal(0, history:back(run, 1))
    assert.equal(40, run.count)
    local size = #run.world:snapshot()
    local small = histories.new(run, { bytes = 4 * size, clock = timeless })
    for _ = 1, 50 do
      small:keep(run)
      assert(run:step())
      assert.is_true(small.bytes <= 5 * size) -- what changed in tables is counted with the next snapshot
    end
    assert.is_true(small:count() >= 2)
  end)

  it("keeps nothing of what it dropped", function()
    local history = histories.new(run, { most = 20, clock = timeless })
    for _ = 1, 100 do
      history:keep(run)
      assert(run:step())
    end
    local bytes = 0
    for i = history.first, history.last do bytes = bytes + history[i].bytes end
    assert.equal(bytes, history.bytes)
    assert.is_nil(history[history.first - 1])
  end)

  it("takes an eighth of the time: large worlds keep fewer moments, single steps are all kept", function()
    local now = 0
    local history = histories.new(run, { clock = function()
      now = now + 0.5 -- a snapshot takes half a second
      return now
    end })
    history:keep(run)
    for _ = 1, 5 do history:keep(run) end
    assert.equal(1, history:count())
    history:keep(run, true)
    assert.equal(2, history:count())
  end)

  it("finds what changed in tables that came and went", function()
    local a, b = { 1 }, { 2 }
    local root = { a = a, list = { 1, 2, 3 } }
    root.self = root
    local mirror = mirrors.new(root)
    root.a, root.b, root.list[2] = nil, b, nil
    local undo, fields = mirror:look()
    assert.equal(3, fields) -- two of root, one of the list
    b[1] = 7
    local undo2 = mirror:look()
    mirror:undo(undo2)
    assert.same({ 2 }, b)
    mirror:undo(undo)
    assert.equal(a, root.a)
    assert.is_nil(root.b)
    assert.same({ 1, 2, 3 }, root.list)
    assert.same({}, (mirror:look()))
  end)

  it("leaves tables alone where there are too many, and knows it", function()
    local root = {}
    for i = 1, 20001 do root[i] = {} end
    local mirror = mirrors.new(root)
    assert.is_true(mirror.full)
    assert.same({}, (mirror:look()))
  end)
end)

describe("hot reload", function()
  it("sees contents that change and stay, once; a file that is gone for a moment is no news", function()
    local now, disk = 0, { a = "1", b = "2" }
    local watch = reloads.new { clock = function() return now end, read = function(path) return disk[path] end }
    watch:set { "a", "b" }
    local function look()
      now = now + 0.11
      return watch:changed()
    end
    assert.is_false(look())
    disk.b = "3"
    assert.is_false(look()) -- seen, but it may not be whole yet
    disk.b = "34"
    assert.is_false(look())
    assert.is_true(look())
    assert.is_false(look())
    disk.a = nil
    for _ = 1, 3 do look() end
    disk.a = "1"
    look()
    assert.is_false(watch:changed()) -- not due yet
    assert.is_true(now > 0)
  end)

  it("takes a fiftieth of the time where files are large", function()
    local now = 0
    local watch = reloads.new { clock = function() return now end, read = function()
      now = now + 0.1
      return "x"
    end }
    watch:set { "a" }
    watch:changed()
    assert.is_near(0.1 + 5, watch.due, 1e-9) -- the look began at 0.1 and took 0.1
  end)
end)

describe("parameters that are followed", function()
  it("tell who reads them, and are the same table to the scene", function()
    local p = { kp = 1.0, count = 2 }
    local live = values.follow(p)
    assert.equal(1.0, p.kp)
    assert.same({}, live.read)
    live.watching = true
    local names = {}
    assert.equal(2, p.count)
    assert.same({ count = true }, live.read)
    for name in impel.pairs(p) do names[#names + 1] = name end
    assert.same({ "count", "kp" }, names)
    assert.same({ count = true, kp = true }, live.read)
    live.set("kp", 5.0)
    assert.equal(5.0, p.kp)
    assert.error_matches(function() return p.pk end, "unknown param 'pk' %(did you mean 'kp'%?%)")
  end)
end)

describe("the table of keys", function()
  it("has no key twice, and something to say of each", function()
    local seen = {}
    for _, entry in ipairs(keys.all()) do
      assert.is_nil(seen[entry.label], entry.label)
      seen[entry.label] = true
      assert.is_true(#entry.about > 5 and #entry.name > 2, entry.label)
      assert.equal(entry.mouse == nil, type(entry.action) == "function")
    end
  end)

  it("holds every key of the viewer's contract", function()
    for label in ("Space Right Shift+Right Left R - = Home F Ctrl+O [ ] F12 F1 F3 `"):gmatch "%S+" do
      local found
      for _, entry in ipairs(keys.all()) do found = found or entry.label == label end
      assert.is_true(found, label)
    end
  end)

  it("finds an entry by the key and what is held with it", function()
    assert.equal("step", keys.find({ key = "right" }).name)
    assert.equal("step_10", keys.find({ key = "right", shift = true }).name)
    assert.equal("browser", keys.find({ key = "o", ctrl = true }).name)
    assert.equal("pause", keys.find({ key = "space", shift = true }).name)
    assert.is_nil(keys.find { key = "r", ctrl = true })
    assert.is_nil(keys.find { key = "right", alt = true })
  end)

  it("is what `impel keys` prints and what stands in the README of the scripts", function()
    local _, out = shared.run "keys"
    assert.equal(keys.text(), out)
    for _, entry in ipairs(keys.all()) do assert.is_truthy(out:find(entry.about, 1, true), entry.about) end
    local _, table_of_keys = shared.run "keys --markdown"
    assert.is_truthy(shared.read("scripts/README.md"):find(table_of_keys, 1, true))
  end)
end)

describe("what the window remembers", function()
  local path

  before_each(function() path = shared.temporary() end)
  after_each(shared.clean)

  it("reads back what was written", function()
    local kept = { width = 900, height = 500, x = -20, y = 30, speed = 0.25, overlays = { grid = true, joints = false },
      panels = { params = true } }
    assert(settings.save(path, kept))
    assert.same(kept, (settings.load(path)))
  end)

  it("makes the folders above it", function()
    os.remove(path)
    local inner = path .. "/a/b/view.json"
    assert(settings.save(inner, { speed = 2 }))
    assert.same({ speed = 2 }, (settings.load(inner)))
    assert.equal(0, select(3, os.execute("rm -r " .. path)))
  end)

  it("ignores a damaged file with one message, and what does not fit", function()
    for _, text in ipairs { "", "{", "[1", "null", "7", "\0\0", '{"width":' } do
      shared.write(text)
      local damaged = shared.write(text, ".json")
      local found, message = settings.load(damaged)
      assert.same({}, found)
      assert.is_truthy(message:find("damaged and ignored", 1, true), text)
    end
    local odd = shared.write('{"width":1e9,"height":500,"speed":"fast","overlays":{"grid":1},"colour":3}', ".json")
    local found, message = settings.load(odd)
    assert.same({ height = 500 }, found)
    assert.is_truthy(message:find("bad overlays, speed, width ignored", 1, true))
  end)

  it("is empty where there is none", function()
    os.remove(path)
    local found, message = settings.load(path)
    assert.same({}, found)
    assert.is_nil(message)
  end)
end)

describe("impel.input", function()
  after_each(input.release)

  it("is at rest without a window, and names what there is", function()
    assert.equal(0, input.axis "left_x")
    assert.is_false(input.button "a")
    assert.is_false(input.key "up")
    assert.error_matches(function() input.axis "left_z" end,
      "input.axis: no axis 'left_z' %(did you mean 'left_[xy]'%?%)")
    assert.error_matches(function() input.button "q" end, "input.button: no button 'q'")
    assert.error_matches(function() input.key(3) end, "input.key: a key's name expected, got number")
  end)

  it("takes sticks without their rest, the larger of two gamepads, buttons and keys", function()
    input.feed { type = "axis", axis = "left_x", value = 0.1, pad = 1 }
    assert.equal(0, input.axis "left_x")
    input.feed { type = "axis", axis = "left_x", value = -1, pad = 1 }
    assert.equal(-1, input.axis "left_x")
    input.feed { type = "axis", axis = "left_x", value = 0.56, pad = 2 }
    assert.equal(-1, input.axis "left_x")
    input.feed { type = "axis", axis = "left_x", value = 0, pad = 1 }
    assert.is_near(0.5, input.axis "left_x", 1e-12) -- (0.56 - 0.12) / 0.88
    input.feed { type = "axis", axis = "right_y", value = 1, pad = 2 }
    assert.equal(-1, input.axis "right_y") -- SDL's y goes down
    input.feed { type = "pad_button", button = "dpup", down = true, pad = 2 }
    assert.is_true(input.button "up")
    input.feed { type = "pad_removed", pad = 2 }
    assert.is_false(input.button "up")
    assert.equal(0, input.axis "right_y")
    input.feed { type = "pad_button", button = "a", down = true, pad = 1 }
    input.feed { type = "pad_button", button = "a", down = true, pad = 2 }
    input.feed { type = "pad_button", button = "a", down = false, pad = 1 }
    assert.is_true(input.button "a")
    input.feed { type = "key", key = "up", down = true }
    assert.is_true(input.key "up")
    input.release()
    assert.is_false(input.key "up")
    assert.is_false(input.button "a")
  end)
end)

describe("the viewer", function()
  local window, clock, v, path

  -- A viewer on a file with this text, by the fake window and clock.
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

  -- Where a world point is in the window [points].
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
    frames(61) -- before the first no time has gone by
    assert.equal(60, v.run.count)
    assert.is_near(1, v.factor, 0.2) -- half a second's mean, e^-2 of it still empty
    assert.equal(61, window.handle.presented)
  end)

  it("pauses, steps, steps back, goes on, in the frame of the key", function()
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

  it("restarts with the same seed and comes to the same bits", function()
    open { seed = 7 }
    frames(31)
    local hash = v.run.world.hash
    press "r"
    assert.equal(1, v.run.count)
    frames(29)
    assert.equal(hash, v.run.world.hash)
    assert.equal(7, v.run.seed)
  end)

  it("is slower and faster by keys", function()
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

  it("pulls a body by the mouse, lets go, and a drag that ends leaves no joint", function()
    open()
    frames(1)
    local x, y = at(v.run.state.ball:position())
    mouse("mouse_down", x, y)
    mouse("mouse_move", x + 100, y)
    frames(1)
    assert.is_truthy(v.mouse.joint)
    local target = v.camera:to_world(x + 100, y)
    local before = v.run.state.ball:position()
    assert.is_true(before > 1e-4) -- in the frame of the move it goes there already
    frames(120)
    local reached = v.run.state.ball:position()
    assert.is_near(target, reached, 0.01) -- 2 s of a critical spring of 5 Hz: 10 periods
    mouse("mouse_up", x + 100, y)
    frames(1)
    assert.equal(0, v.run.world:counts().joints)
  end)

  it("does not pull what cannot move, and pulls what the button holds still", function()
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

  it("forgets joints of the mouse that a step back brings to life", function()
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

  it("selects what is clicked: body, nothing", function()
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

  it("selects joints and, where they are shown, contacts", function()
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

  it("pans with the other buttons and zooms at the cursor", function()
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

  it("follows what is fastest, and fits everything", function()
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

  it("changes a parameter that steps read while it runs, and sets up again for one of setup", function()
    open()
    frames(10)
    assert(v:set("lift", 9.81))
    local vy = select(2, v.run.state.ball:velocity())
    frames(30)
    assert.equal(39, v.run.count)
    assert.is_near(vy, select(2, v.run.state.ball:velocity()), 1e-9) -- carried by its own weight of 1 kg
    assert(v:set("height", 4))
    frames(1)
    assert.equal(1, v.run.count)
    assert.equal(4, v.run.values.height)
    assert.equal(9.81, v.run.values.lift)
    assert.is_near(4, select(2, v.run.state.ball:position()), 0.01) -- a step of fall under no weight
    local ok, message = v:set("height", 9)
    assert.is_nil(ok)
    assert.is_truthy(message:find("out of range", 1, true))
  end)

  -- Write the file and let the viewer look at it twice.
  local function save(text)
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    frames(20)
  end

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

  it("keeps the last good world over a broken file, tells file, line, source and traceback, and goes on", function()
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
    press "space" -- the old world goes on
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
    assert.is_true(select(2, v.run.state.ball:position()) > 2) -- a few frames of fall from 2.5 m
  end)

  it("shows what update, measure and draw raise, and keeps the world", function()
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
    assert.equal(1, v.failures) -- told once
  end)

  it("begins with a broken file, waits for it, and takes the given parameters then", function()
    open({ set = { height = "1.5" } }, "return )")
    frames(3)
    assert.equal(1, v.failure.line)
    save(SCENE)
    assert.is_nil(v.failure)
    assert.equal("ball", v.run.scene.definition.title)
    assert.equal(1.5, v.run.values.height)
  end)

  it("records the scene that was waited for, not what stood in for it", function()
    local trace = shared.temporary ".csv"
    open({ trace = trace }, "return )")
    frames(20)
    save(SCENE)
    local from = v.run.count
    frames(10)
    assert.equal(from + 10, v.run.count)
    assert(v:close())
    assert.equal(v.run.count + 2, select(2, shared.read(trace):gsub("\n", ""))) -- the names and t = 0
    assert.matches("^time,y\n0,3\n", shared.read(trace))
  end)

  it("goes on where the console destroys the world, with every panel open, until the scene is set up again", function()
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

  it("refuses a parameter that the scene has not, and a file that is not there", function()
    local nothing, failure = open { set = { heigth = "1" } }
    assert.is_nil(nothing)
    assert.equal("usage", failure.kind)
    assert.is_true(window.handle.closed)
    nothing, failure = open { file = "/nowhere/x.lua" }
    assert.is_nil(nothing)
    assert.equal("usage", failure.kind)
  end)

  it("goes through the scenes of a folder, passes over files that are none, and opens what is dropped", function()
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

  it("survives a window of no size", function()
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

  it("leaves when the window is closed, and every row of the trace is on the disk", function()
    local trace = shared.temporary ".csv"
    open { trace = trace }
    frames(31)
    window.handle:push { type = "close" }
    assert.is_false(v:frame())
    assert(v:close())
    assert.equal(32, select(2, shared.read(trace):gsub("\n", ""))) -- the names, t = 0 and 30 steps
    v = nil
  end)

  it("keeps the rows where the display is lost, and says so", function()
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

  it("tells a trace that cannot be written, goes on without it, and says so at the end", function()
    local trace = shared.temporary ".csv"
    os.remove(trace)
    if not os.execute(("test -c /dev/full && ln -s /dev/full %s"):format(trace)) then return pending "no /dev/full" end
    open { trace = trace }
    frames(90) -- rows go to the disk once in a second
    assert.equal("damaged", v.failure.kind)
    press "space"
    frames(5)
    assert.is_nil(v.failure)
    local ok, failure = v:close()
    assert.is_nil(ok)
    assert.equal("damaged", failure.kind)
    v = nil
  end)

  it("ends the trace where the scene is set up again, and does not go back while it is written", function()
    local trace = shared.temporary ".csv"
    open { trace = trace }
    frames(11)
    press "left"
    assert.equal(10, v.run.count)
    press "r"
    frames(5)
    assert.equal(12, select(2, shared.read(trace):gsub("\n", "")))
  end)

  it("gives way where steps take long: one a frame, and the factor says how slow it is", function()
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
    assert.is_near(1 / 60 / 0.1, v.factor, 1e-3) -- e^-12 of the beginning is left after 6 s
  end)

  it("paints a paused scene now and then, and at once when something happens", function()
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

  it("opens what the list of scenes is clicked at", function()
    open { file = "examples/pendulum.lua" }
    press("o", { ctrl = true })
    v:toggle "params"
    frames(2)
    local before = v.run.scene.name
    for y = 40, 90, 8 do
      mouse("mouse_down", 60, y, { clicks = 1 })
      frames(1)
      mouse("mouse_up", 60, y)
      frames(1)
      if v.run.scene.name ~= before then break end
    end
    assert.is_true(browser.index(v:scenes(), v.run.scene.file) <= 4) -- of those at the top of the list
  end)

  it("takes anything that is pressed, clicked and turned, in any order", function()
    local random = impel.rng.new(7)
    local pressed = {}
    for _, entry in ipairs(keys.all()) do
      if entry.key and entry.name ~= "quit" and entry.name ~= "screenshot" then pressed[#pressed + 1] = entry end
    end
    local kinds = { "mouse_down", "mouse_up", "mouse_move", "wheel" }
    for _, example in ipairs { "ragdoll_drop", "four_bar" } do
      open { file = "examples/" .. example .. ".lua" }
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

  it("remembers overlays, panels and speed", function()
    local kept = shared.temporary ".json"
    os.remove(kept)
    open { settings = kept }
    press "g"
    press "="
    assert(v:close())
    open { settings = kept }
    assert.is_true(v.overlays.grid)
    assert.equal(2, v.speed)
    assert.same({ 10, 20 }, window.handle.moved)
    assert.equal(800, window.handle.options.width)
  end)
end)
