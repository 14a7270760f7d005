-- Parts of the viewer: clock, history, hot reload, parameters, keys, preferences.

local clocks = require "impel.viewer.clock"
local histories = require "impel.viewer.history"
local impel = require "impel"
local keys = require "impel.reference.keys"
local mirrors = require "impel.viewer.state"
local reloads = require "impel.viewer.reload"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"
local settings = require "impel.viewer.settings"
local values = require "impel.viewer.values"

local fake = require "support.viewer_fake"
local shared = require "support.program"

local SCENE = fake.SCENE

describe("the clock", function()
  -- Run `count` frames; frame i takes length(i) seconds. Return a table { [n] = number of frames with n steps }, the
  -- least and greatest rate of the shown time (1: the clock's speed) after 200 frames, and the final clock.fraction.
  local function watch(clock, count, length, dt)
    local real, simulated, made, slowest, fastest, last = 0, 0, {}, math.huge, -math.huge, nil
    for i = 1, count do
      local elapsed = length(i)
      local steps = clock:due(elapsed, dt)
      real, simulated, made[steps] = real + elapsed, simulated + steps * dt, (made[steps] or 0) + 1
      local shown = simulated - (1 - clock.fraction) * dt
      if i > 200 then
        slowest = math.min(slowest, (shown - last) / (elapsed * clock.speed))
        fastest = math.max(fastest, (shown - last) / (elapsed * clock.speed))
      end
      last = shown
    end
    return made, slowest, fastest, clock.fraction
  end

  it("advances pictures evenly at any rate, in slow motion too", function()
    local random = impel.rng.new(1)
    local cases = { { 144, 1 }, { 75, 1 }, { 50, 1 }, { 240, 1 }, { 60, 1 / 2 }, { 144, 1 / 8 }, { 60, 3.3 } }
    for _, case in ipairs(cases) do -- pictures a second, speed
      local clock = clocks.new { speed = case[2] }
      local made, slowest, fastest = watch(clock, 3000, function()
        return 1 / case[1] + 0.001 * (random:random() - 0.5)
      end, 1 / 60)
      -- After 0.25 s the shown time leads by at most 1.25 steps. The lead decreases to 1/e in 8 steps.
      local left = math.exp(-(200 / case[1] - 0.25) * case[2] * 60 / 8) * 1.25 / 8
      assert.near(1, slowest, left + 1e-6)
      assert.near(1, fastest, left + 1e-6)
      assert.is_nil(made[math.ceil(case[2] * 60 / case[1]) + 2])
    end
    local _, slowest, fastest = watch(clocks.new { speed = 1 / 64 }, 3000, function() return 1 / 60 end, 1 / 60)
    -- The shown time leads by 0.5 steps at first. The lead decays in 8 steps, so the speed is lower by up to 0.5 / 8.
    assert.is_true(slowest > 1 - 1 / 8 and fastest < 1 + 1e-9)
  end)

  it("shows states without interpolation if frames last about a whole number of steps, in spite of jitter", function()
    local random = impel.rng.new(2)
    for _, jitter in ipairs { 0, 0.002, 0.008 } do
      local early = 0 -- pictures appear at a steady rate, but their measured times vary
      local made, _, _, fraction = watch(clocks.new(), 3000, function()
        local late = jitter * (random:random() - 0.5)
        local elapsed = 1 / 60 + late - early
        early = late
        return elapsed
      end, 1 / 60)
      assert.same({ [1] = 3000 }, made)
      assert.equal(1, fraction)
    end
    local made, _, _, fraction = watch(clocks.new(), 6000, function() return 1 / 59.94 end, 1 / 60)
    assert.equal(1, fraction)
    assert.same({ [1] = 5994, [2] = 6 }, made) -- 6000 / 59.94 s are 6006 steps
    made, _, _, fraction = watch(clocks.new(), 3000, function() return 1 / 60 end, 1 / 240)
    assert.same({ [4] = 3000 }, made)
    assert.equal(1, fraction)
  end)

  it("makes two steps in a frame that took twice as long, and one in each of the others", function()
    local clock = clocks.new()
    local made = watch(clock, 600, function(i) return i % 100 == 50 and 2 / 60 or 1 / 60 end, 1 / 60)
    assert.same({ [1] = 594, [2] = 6 }, made)
    assert.equal(1, clock.fraction)
  end)

  it("continues after a pause from the state that the pause displays", function()
    for _, rate in ipairs { 144, 60 } do
      local clock = clocks.new { speed = 1 / 4 }
      watch(clock, 300, function() return 1 / rate end, 1 / 60)
      clock:reset()
      assert.equal(1, clock.fraction)
      local steps, shown = 0, 0
      for _ = 1, 50 do
        local before = shown
        steps = steps + clock:due(1 / rate, 1 / 60)
        shown = steps - (1 - clock.fraction)
        assert.is_true(shown > before and shown < before + 1.01 / rate / 4 * 60)
      end
      assert.near(50 / rate / 4 * 60, shown, 0.5) -- the shown time may be half a step ahead of real time
    end
  end)

  it("makes one step a frame if a step is as long as a frame, in spite of jitter", function()
    local clock, made = clocks.new(), {}
    for i = 1, 600 do made[clock:due(1 / 60 + (i % 2 == 0 and 0.004 or -0.004), 1 / 60)] = true end
    assert.same({ [1] = true }, made)
  end)

  it("makes as many steps as seconds times speed, within half a step", function()
    for _, speed in ipairs { 1 / 64, 1 / 4, 1, 2.5, 16 } do
      local clock, steps = clocks.new { speed = speed }, 0
      for i = 1, 1000 do steps = steps + clock:due(i % 3 == 0 and 0.03 or 0.013, 1 / 240) end
      local seconds = 333 * 0.03 + 667 * 0.013
      -- Rounding of a thousand sums: 1e-6.
      assert.is_true(math.abs(steps - seconds * speed * 240) <= 0.5 + 1e-6)
    end
  end)

  it("counts a long frame as a quarter of a second and drops the rest", function()
    local clock = clocks.new()
    assert.equal(15, clock:due(60, 1 / 60))
    assert.equal(1, clock:due(1 / 60, 1 / 60))
  end)

  it("requests at most 256 steps a frame", function()
    assert.equal(256, clocks.new { speed = 64 }:due(0.25, 1e-4))
  end)

  it("measures the real speed of the scene", function()
    local clock = clocks.new { speed = 4 }
    for _ = 1, 300 do clock:made(math.min(clock:due(1 / 60, 1 / 60), 2), 1 / 60) end
    -- A running mean with a time constant of 0.5 s: after 5 s, e^-10 of its initial value remains.
    assert.is_near(2, clock:factor(), 1e-3)
  end)

  it("changes the speed by factors of two, between 1/64 and 64", function()
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

describe("the history of states", function()
  local run

  local function timeless() return 0 end -- snapshots take no time, so the history keeps all of them

  before_each(function() run = assert(runner.new(assert(scenes.parse(SCENE, "=ball.lua")), {})) end)
  after_each(function() run:close() end)

  it("restores the bits of the world and the Lua tables, and continues to the same bits as before", function()
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
    assert.equal(list, run.state.places) -- the table is still the same object
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

  it("restores the bits and tables of any kept step, in any order, until the run continues", function()
    local history = histories.new(run, { clock = timeless })
    local hashes = {}
    for i = 0, 59 do
      hashes[i] = run.world.hash
      history:keep(run)
      assert(run:step())
    end
    hashes[60] = run.world.hash
    for _, step in ipairs { 10, 55, 0, 60, 31, 30, 59, 60, 7, 60, -5, 99, 20 } do
      local from = run.count
      local wanted = math.max(0, math.min(step, 60))
      assert.equal(wanted - from, history:seek(run, step))
      assert.equal(wanted, run.count)
      assert.equal(hashes[wanted], run.world.hash)
      assert.equal(wanted, run.state.steps)
      assert.equal(wanted, #run.state.places)
      assert.equal(wanted, history:count())
    end
    run.state.places[1] = -1 -- a change without a step is not in the history, so the next seek undoes it
    history:seek(run, 40)
    assert.not_equal(-1, run.state.places[1])
    local range = history:range(run)
    assert.same({ 0, 60 }, { range.first, range.last })
    assert.near(1, range.to - range.from, 1e-12)
    history:keep(run)
    assert(run:step())
    assert.equal(hashes[41], run.world.hash)
    assert.equal(41, history:range(run).last)
    assert.equal(0, history:seek(run, 60)) -- a step from step 40 drops the later steps
    assert.equal(41, -history:seek(run, 0))
    local bytes = 0
    for i = history.first, history.last do bytes = bytes + history[i].bytes end
    assert.equal(bytes, history.bytes)
  end)

  it("restores the new states of a run that went back, changed and continued", function()
    local history, hashes = histories.new(run, { clock = timeless }), {}
    local function steps(count)
      for _ = 1, count do
        hashes[run.count] = run.world.hash
        history:keep(run)
        assert(run:step())
      end
      hashes[run.count] = run.world.hash
    end
    steps(30)
    local left = hashes[15]
    history:seek(run, 10)
    run.state.ball:set_velocity(3, 5)
    run.state.mark = "other"
    steps(10)
    assert.not_equal(left, hashes[15])
    for _, step in ipairs { 12, 15, 20, 11, 9, 20 } do
      history:seek(run, step)
      assert.same({ step, hashes[step] }, { run.count, run.world.hash })
      assert.equal(step >= 10 and "other" or nil, run.state.mark)
    end
  end)

  it("is bounded in number and in bytes, and ends at the oldest state", function()
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
      assert.is_true(small.bytes <= 5 * size) -- the limit plus a margin of one snapshot
    end
    assert.is_true(small:count() >= 2)
  end)

  it("keeps no memory of dropped states", function()
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

  it("skips snapshots that would take more than an eighth of the time, except after single steps", function()
    local now = 0
    local history = histories.new(run, { clock = function()
      now = now + 0.5 -- a snapshot of this run takes half a second
      return now
    end })
    history:keep(run)
    for _ = 1, 5 do history:keep(run) end
    assert.equal(1, history:count())
    history:keep(run, true)
    assert.equal(2, history:count())
  end)

  it("finds changes in tables that were added and removed", function()
    local a, b = { 1 }, { 2 }
    local root = { a = a, list = { 1, 2, 3 } }
    root.self = root
    local mirror = mirrors.new(root)
    root.a, root.b, root.list[2] = nil, b, nil
    local undo, fields = mirror:look()
    assert.equal(3, fields) -- three fields have changed: `a` and `b` of root, and one element of root.list
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

  it("ignores a state of more than 20,000 tables, and reports it", function()
    local root = {}
    for i = 1, 20001 do root[i] = {} end
    local mirror = mirrors.new(root)
    assert.is_true(mirror.full)
    assert.same({}, (mirror:look()))
  end)
end)

describe("hot reload", function()
  it("reports a change once, when two checks read the same; a briefly missing file is ignored", function()
    local now, disk = 0, { a = "1", b = "2" }
    local watch = reloads.new { clock = function() return now end, read = function(path) return disk[path] end }
    watch:set { "a", "b" }
    local function look()
      now = now + 0.11
      return watch:changed()
    end
    assert.is_false(look())
    disk.b = "3"
    assert.is_false(look()) -- the changed file may be incomplete
    disk.b = "34"
    assert.is_false(look())
    assert.is_true(look())
    assert.is_false(look())
    disk.a = nil
    for _ = 1, 3 do look() end
    disk.a = "1"
    look()
    assert.is_false(watch:changed())
    assert.is_true(now > 0)
  end)

  it("detects no change when a scene opens one more file, but detects later changes of that file", function()
    local now, disk, paths = 0, { a = "1", b = "2" }, { "a" }
    local watch = reloads.new { clock = function() return now end, read = function(path) return disk[path] end }
    watch:set(paths)
    local function changes()
      local count = 0
      for _ = 1, 4 do
        now = now + 0.11
        count = count + (watch:changed() and 1 or 0)
      end
      return count
    end
    assert.equal(0, changes())
    paths[2] = "b"
    assert.equal(0, changes())
    disk.b = "3"
    assert.equal(1, changes())
  end)

  it("spends at most a fiftieth of the time on checks of large files", function()
    local now = 0
    local watch = reloads.new { clock = function() return now end, read = function()
      now = now + 0.1
      return "x"
    end }
    watch:set { "a" }
    watch:changed()
    -- The check took 0.1 s. The next check is due after 50 times this duration.
    assert.is_near(0.1 + 5, watch.due, 1e-9)
  end)
end)

describe("tracked parameters", function()
  it("record which of them the scene reads, and behave like an ordinary table", function()
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
  it("has each key once, with a description", function()
    local seen = {}
    for _, entry in ipairs(keys.all()) do
      assert.is_nil(seen[entry.label], entry.label)
      seen[entry.label] = true
      assert.is_true(#entry.about > 5 and #entry.name > 2, entry.label)
      assert.equal(entry.mouse == nil, type(entry.action) == "function")
    end
  end)

  it("holds every key that the viewer must have", function()
    for label in ("Space Right Shift+Right Left R - = Home F Ctrl+O [ ] F12 F1 F3 `"):gmatch "%S+" do
      local found
      for _, entry in ipairs(keys.all()) do found = found or entry.label == label end
      assert.is_true(found, label)
    end
  end)

  it("finds an entry by the key and its modifiers", function()
    assert.equal("step", keys.find({ key = "right" }).name)
    assert.equal("step_10", keys.find({ key = "right", shift = true }).name)
    assert.equal("browser", keys.find({ key = "o", ctrl = true }).name)
    assert.equal("pause", keys.find({ key = "space", shift = true }).name)
    assert.equal("restart_too", keys.find({ key = "r", ctrl = true }).name)
    assert.equal("fullscreen", keys.find({ key = "return", alt = true }).name)
    assert.is_nil(keys.find { key = "f", ctrl = true })
    assert.is_nil(keys.find { key = "right", alt = true })
  end)

  it("equals the output of `impel keys` and the table in scripts/MANUAL.md", function()
    local _, out = shared.run "keys"
    assert.equal(keys.text(), out)
    for _, entry in ipairs(keys.all()) do assert.is_truthy(out:find(entry.about, 1, true), entry.about) end
    local _, table_of_keys = shared.run "keys --markdown"
    assert.is_truthy(shared.read("scripts/MANUAL.md"):find(table_of_keys, 1, true))
  end)
end)

describe("the preferences of the window", function()
  local path

  before_each(function() path = shared.temporary() end)
  after_each(shared.clean)

  it("read back as written", function()
    local kept = { width = 900, height = 500, x = -20, y = 30, overlays = { grid = true, joints = false },
      panels = { params = true }, ui_scale = 1.5, dark = true }
    assert(settings.save(path, kept))
    assert.same(kept, (settings.load(path)))
  end)

  it("create missing folders", function()
    os.remove(path)
    local inner = path .. "/a/b/view.json"
    assert(settings.save(inner, { width = 200 }))
    assert.same({ width = 200 }, (settings.load(inner)))
    assert.equal(0, select(3, os.execute("rm -r " .. path)))
  end)

  it("ignore a damaged file and invalid values, and report them in a message", function()
    for _, text in ipairs { "", "{", "[1", "null", "7", "\0\0", '{"width":' } do
      shared.write(text)
      local damaged = shared.write(text, ".json")
      local found, message = settings.load(damaged)
      assert.same({}, found)
      assert.is_truthy(message:find("damaged and ignored", 1, true), text)
    end
    local odd = shared.write('{"width":1e9,"height":500,"panels":7,"overlays":{"grid":1},"colour":3}', ".json")
    local found, message = settings.load(odd)
    assert.same({ height = 500 }, found)
    assert.is_truthy(message:find("invalid overlays, panels, width ignored", 1, true))
  end)

  it("are empty without a file", function()
    os.remove(path)
    local found, message = settings.load(path)
    assert.same({}, found)
    assert.is_nil(message)
  end)
end)
