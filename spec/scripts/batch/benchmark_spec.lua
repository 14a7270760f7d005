-- Counts, comparisons and output of impel bench. Only the time of a function that waits is tested.

local dkjson = require "dkjson"
local impel = require "impel"
local system = require "impel.system"
local benchmark, compare = require "impel.benchmark", require "impel.batch.benchmark_compare"
local scenes = require "impel.scene"
local program = require "support.program"

local BOX = [[
local impel = require "impel"
local scene = { duration = 0.5, params = { speed = { 1.0, help = "m/s" } } }
function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 } }
  for i = 1, 4 do world:body { position = { i, 2 * i }, velocity = { p.speed, 0 } }:box { 1, 1 } end
  return { world = world }
end
]]
local PLAIN = BOX .. "return scene"

local function wait(seconds)
  local start = system.clock()
  while system.clock() - start < seconds do end
end

describe("world.profiling", function()
  -- Step a world of two boxes that touch in the first step. `put` adds the functions to be timed.
  local function measured(put)
    local world = impel.world { gravity = { 0, 0 } }
    local floor = world:body { type = "static" }
    floor:box { 4, 1, pre_solve = true }
    local body = world:body { position = { 0, 1 }, velocity = { 0, -1 } }
    local box = body:box { 1, 1 }
    world.profiling = true
    put(world, body, box)
    world:step()
    return world:profile()
  end

  local function waits() wait(0.001) end

  local kinds = { -- name, smallest number of calls in the step, function that registers a callback
    { "step", 1, function(world) world:on("step", waits) end },
    { "substep", 4, function(world) world:on("substep", waits) end },
    { "begin_contact", 1, function(world) world:on("begin_contact", waits) end },
    { "pre_solve", 1, function(world) world:on("pre_solve", waits) end },
    { "filter", 1, function(_, _, box) box.filter = function() waits() return true end end },
    { "field", 4, function(world)
      world:field { kind = "custom", dynamic = true, law = function() waits() return 0, 0 end }
    end },
    { "constraint", 1, function(world, body)
      world:constraint(body, { dynamic = true, C = function(p) waits() return p.x end })
    end },
    { "break_if", 1, function(world, body)
      world:weld(world.ground, body, { break_if = function() waits() return false end })
    end },
  }
  for _, kind in ipairs(kinds) do
    it(("counts the time in functions: %s"):format(kind[1]), function()
      assert.is_true(measured(kind[3]).lua >= 0.001 * kind[2])
    end)
  end

  it("counts a nested function call once", function()
    local start = system.clock()
    local profile = measured(function(world)
      world:on("substep", function() world:raycast(-5, 1, 5, 1, { predicate = function() waits() return true end }) end)
    end)
    assert.is_true(profile.lua >= 0.004)
    assert.is_true(profile.lua < system.clock() - start)
  end)

  it("starts at 0 in every step, and returns nothing while it is off", function()
    local world, slow = impel.world {}, true
    world:on("step", function() if slow then wait(0.002) end end)
    world:step()
    assert.is_nil(world:profile().lua)
    world.profiling = true
    assert.equal(0, world:profile().lua)
    world:step()
    assert.is_true(world:profile().lua >= 0.002)
    slow = false
    local outside = system.clock()
    world:step()
    assert.is_true(world:profile().lua <= system.clock() - outside)
    world.profiling = false
    assert.is_nil(world:profile().lua)
    assert.error_matches(function() world.profiling = 1 end, "world.profiling must be true or false, got 1")
  end)

  it("continues after a handler raised", function()
    local world = impel.world {}
    world.profiling = true
    local handler = world:on("substep", function() error "no" end)
    assert.error(function() world:step() end)
    handler:destroy()
    world:on("step", function() wait(0.001) end)
    world:step()
    assert.is_true(world:profile().lua >= 0.001)
  end)
end)

describe("impel.benchmark", function()
  local function loader(text)
    return function() return assert(scenes.parse(text, "=bench")) end
  end

  local function measure(text, options)
    local all = { steps = 20, warmup = 5, rounds = 2 }
    for name, value in pairs(options or {}) do all[name] = value end
    return benchmark.run(loader(text), all)
  end

  it("ends in the final state of an impel run with as many steps", function()
    local result = assert(measure(PLAIN, { steps = 40, warmup = 10, seed = 3, set = { speed = "2" } }))
    local scene = loader(PLAIN)()
    local run = require("impel.scene.run").new(scene, { steps = 50, seed = 3, set = { speed = "2" } })
    while not run:done() do assert(run:step()) end
    assert.equal(run:result().hash, result.lines[1].hash)
    assert.same({ 40, 10, 2, 3, 2.0 }, { result.steps, result.warmup, result.rounds, result.seed,
      result.params.speed })
  end)

  it("uses the scene's duration by default", function()
    assert.equal(30, assert(measure(PLAIN, { steps = false })).steps) -- 0.5 s at 60 Hz
  end)

  it("measures every solver with every number of threads and lane width, in order", function()
    local result = assert(measure(PLAIN, { solvers = { "soft", "si" }, threads = { 1, 2 }, lanes = { 4, 8 } }))
    local got = {}
    for i, line in ipairs(result.lines) do got[i] = ("%s %d %d"):format(line.solver, line.threads, line.lanes) end
    assert.same({ "soft 1 4", "soft 1 8", "soft 2 4", "soft 2 8", "si 1 4", "si 1 8", "si 2 4", "si 2 8" }, got)
    for i, line in ipairs(result.lines) do
      assert.equal(result.lines[i <= 4 and 1 or 5].hash, line.hash)
      assert.is_nil(line.other_hash)
      assert.equal(2, #line.cpu_of_rounds)
    end
    assert.not_equal(result.lines[1].hash, result.lines[5].hash)
  end)

  it("reports the world's counts, ordered percentiles of step times, and stages that sum to at most a step", function()
    local line = assert(measure(PLAIN)).lines[1]
    assert.equal(5, line.bodies)
    assert.equal(4, line.awake)
    assert.equal(0, line.joints)
    assert.is_true(line.bytes > 0)
    local s = line.step
    assert.is_true(s.min <= s.median and s.median <= s.p99 and s.p99 <= s.worst)
    assert.is_true(s.worst_step > 5 and s.worst_step <= 25)
    assert.is_true(s.min <= line.wall and line.wall <= s.worst)
    local sum = 0
    for _, ms in pairs(line.stages) do sum = sum + ms end
    assert.is_true(sum <= line.core * (1 + 1e-12), "the stages' least times exceed the step's least time")
  end)

  it("counts the scene's memory in Lua", function()
    local text = BOX:gsub("return { world = world }", 'return { world = world, text = ("x"):rep(1000000) }')
    local held = assert(measure(text .. "return scene")).lines[1].lua_bytes
    assert.is_true(held >= 1e6 and held < 1.1e6, held .. " B, of which the text takes 1e6 B")
  end)

  it("counts the garbage of a step to the byte: 0 if the step leaves none", function()
    assert.equal(0, assert(measure(PLAIN)).lines[1].garbage)
    local function garbage(count)
      local text = BOX .. ("function scene.update() for _ = 1, %d do local _ = {} end end return scene"):format(count)
      return assert(measure(text)).lines[1].garbage
    end
    collectgarbage "stop"
    local before = collectgarbage "count"
    for _ = 1, 1000 do local _ = {} end
    local each = 1024 * (collectgarbage "count" - before) / 1000
    collectgarbage "restart"
    -- collectgarbage "count" returns KiB; a double holds the fraction exactly.
    assert.near(100 * each, garbage(300) - garbage(200), 1e-6)
  end)

  it("collects between steps only, each time memory has doubled", function()
    local text = BOX .. [[
local kept
function scene.update()
  assert(not collectgarbage "isrunning")
  kept = ("x"):rep(4 * 1024 * 1024) .. tostring(kept and #kept) -- makes two strings, keeps one string
end
return scene]]
    local line = assert(measure(text, { steps = 40 })).lines[1]
    -- A step makes 8 MiB of garbage. At each collection, memory is at most 16 MiB plus the live data.
    assert.is_true(line.collections >= 10, tostring(line.collections))
    assert.is_true(line.collecting > 0)
    assert.is_true(collectgarbage "isrunning")
  end)

  it("passes a scene's error on and restores the collector", function()
    local text = BOX .. "function scene.update(s) if s.world.tick == 7 then error 'lost' end end return scene"
    local result, failure = measure(text)
    assert.is_nil(result)
    assert.equal("scene", failure.kind)
    assert.truthy(failure.message:find("lost", 1, true))
    assert.is_true(collectgarbage "isrunning")
  end)

  it("ends if its watch function requests it, if there are no steps to measure, or if a lane count is wrong", function()
    local _, failure = measure(PLAIN, { watch = function(run)
      if run.count == 3 then return { kind = "interrupted", message = "enough" } end
    end })
    assert.same({ "interrupted", "enough" }, { failure.kind, failure.message })
    assert.is_true(collectgarbage "isrunning")
    _, failure = measure(PLAIN, { steps = 0 })
    assert.same({ "usage", "there are no steps to measure" }, { failure.kind, failure.message })
    _, failure = measure(PLAIN, { lanes = { 3 } })
    assert.equal("usage", failure.kind)
    assert.truthy(failure.message:find("^%-%-lanes 3: "))
  end)

  it("detects rounds with different results", function()
    local count = 0
    local result = assert(benchmark.run(function()
      count = count + 1
      return assert(scenes.parse(PLAIN:gsub("2 %* i", ("2 * i + %d"):format(count)), "=bench"))
    end, { steps = 5, warmup = 0, rounds = 2 }))
    assert.not_equal(result.lines[1].hash, result.lines[1].other_hash)
    assert.truthy(result.lines[1].other_hash)
  end)
end)

describe("impel.batch.benchmark_compare", function()
  -- Return the two-sided probability of the Mann-Whitney test by brute force, over every choice of m of n + m places.
  local function brute(a, b)
    local all = table.move(b, 1, #b, #a + 1, table.move(a, 1, #a, 1, {}))
    local function u_of(chosen)
      local u = 0
      for i, x in ipairs(all) do
        for k, y in ipairs(all) do
          if chosen[i] and not chosen[k] then u = u + (x > y and 1 or x == y and 0.5 or 0) end
        end
      end
      return u
    end
    local first = {}
    for i = 1, #a do first[i] = true end
    local middle, far, count = #a * #b / 2, 0, 0
    local distance = math.abs(u_of(first) - middle)
    local function choose(from, left, chosen)
      if left == 0 then
        count = count + 1
        if math.abs(u_of(chosen) - middle) >= distance then far = far + 1 end
        return
      end
      for i = from, #all - left + 1 do
        chosen[i] = true
        choose(i + 1, left - 1, chosen)
        chosen[i] = nil
      end
    end
    choose(1, #a, {})
    return far / count
  end

  it("computes the exact distribution of the Mann-Whitney test", function()
    local rng = impel.rng.new(5)
    for _ = 1, 40 do
      local a, b = {}, {}
      for i = 1, rng:random(1, 5) do a[i] = rng:random() end
      for i = 1, rng:random(1, 5) do b[i] = rng:random() + 0.3 end
      -- The tolerance is the rounding of one division.
      assert.near(math.min(1, brute(a, b)), (compare.probability(a, b)), 1e-12)
    end
  end)

  it("gives the published probabilities of fully separated lists", function()
    for _, case in ipairs { { 3, 0.1 }, { 4, 2 / 70 }, { 5, 2 / 252 }, { 20, 2 / 137846528820 } } do
      local a, b = {}, {}
      for i = 1, case[1] do a[i], b[i] = i, 100 + i end
      local p, least = compare.probability(a, b)
      assert.near(case[2], p, 1e-12 * case[2])
      assert.equal(p, least)
      assert.equal(p, (compare.probability(b, a)))
    end
  end)

  local function result_of(ms, more)
    local line = { solver = "soft", threads = 1, lanes = 4, hash = "ab", cpu = ms[1], wall = ms[1],
      cpu_of_rounds = ms, wall_of_rounds = ms }
    for key, value in pairs(more or {}) do line[key] = value end
    return { format = compare.FORMAT, version = compare.VERSION, scene = "x", params = {}, seed = 0, dt = 0.1,
      steps = 5, warmup = 0, machine = "m", processors = 1, build = "b", lines = { line } }
  end

  it("describes in words a difference beyond the noise", function()
    local slow, fast = { 2, 2.1, 2.2, 2.3, 2.4 }, { 1, 1.1, 1.2, 1.3, 1.4 }
    local function words(old, new) return compare.lines(result_of(old), result_of(new))[1].words end
    assert.equal("significantly faster: 2 times the old speed", words(slow, fast))
    assert.equal("significantly slower: 0.5 times the old speed", words(fast, slow))
    assert.equal("no significant difference", words(slow, { 1.9, 2.15, 2.25, 2.35, 2.45 }))
    assert.equal("too few rounds (3 before, 2 now) for a significant difference",
      words({ 2, 2.1, 2.2 }, { 1, 1.1 }))
  end)

  it("compares multi-threaded runs by wall time, and only runs of equal settings", function()
    local two = { threads = 2, wall = 7, wall_of_rounds = { 7 } }
    local found = compare.lines(result_of({ 2 }, two), result_of({ 2 }, two))
    assert.same({ "wall", 7, 7, 1 }, { found[1].by, found[1].old, found[1].new, found[1].ratio })
    assert.same({}, compare.lines(result_of { 2 }, result_of({ 2 }, two)))
    assert.same({}, compare.lines(result_of { 2 }, result_of({ 2 }, { lanes = 8 })))
    assert.same({}, compare.lines(result_of { 2 }, result_of({ 2 }, { solver = "si" })))
  end)

  it("warns if the scene, parameters, steps, machine or build differ between the two results", function()
    local old, new = result_of { 2 }, result_of({ 2 }, { hash = "cd" })
    assert.same({}, compare.warnings(old, result_of { 2 }))
    assert.is_false(compare.lines(old, old)[1].other_hash)
    assert.is_true(compare.lines(old, new)[1].other_hash)
    new.scene, new.params, new.machine, new.build, new.steps = "y", { a = 1.5 }, "n", "c", 6
    assert.same({
      "different scene: x before, y now", "different parameters: none before, a=1.5 now",
      "different number of steps: 5 before, 6 now", "different machine: m before, n now",
      "different build: b before, c now",
    }, compare.warnings(old, new))
  end)

  it("refuses invalid results", function()
    local json = require "impel.base.json"
    local function refused(text)
      local path = program.write(text, ".json")
      local result, message = compare.read(path)
      assert.is_nil(result)
      assert.equal(path .. ": ", message:sub(1, #path + 2))
      return message:sub(#path + 3)
    end
    local function broken(more) return refused(json.encode(result_of({ 2 }, more))) end
    assert.truthy(refused("{"):find("^not JSON: "))
    assert.truthy(refused(""):find("^not JSON: "))
    assert.equal("not a result of impel bench --json", refused "[1]")
    assert.equal("not a result of impel bench --json", refused "3")
    assert.equal("not a result of impel bench --json", refused '{"format":"impel.world","version":1}')
    assert.equal("it has version 7; this program reads version 1", refused '{"format":"impel.benchmark","version":7}')
    assert.equal("'lines' is not a list", refused '{"format":"impel.benchmark","version":1}')
    assert.equal("'cpu' of an entry of 'lines' is not a number", broken { cpu = "x" })
    assert.equal("'hash' of an entry of 'lines' is not a string", broken { hash = 1 })
    assert.equal("'wall_of_rounds' of an entry of 'lines' is not a list", broken { wall_of_rounds = 1 })
    assert.equal("'cpu_of_rounds' of an entry of 'lines' contains a value that is not a number",
      broken { cpu_of_rounds = { "x" } })
    local _, message = compare.read "/nowhere/x.json"
    assert.equal("cannot read /nowhere/x.json: No such file or directory", message)
    program.clean()
  end)
end)

describe("impel bench", function()
  after_each(program.clean)

  it("prints its measurements, and writes JSON that it reads again", function()
    local scene, json = program.write(PLAIN), program.temporary ".json"
    local code, out, err = program.run(("bench %s --steps 10 --warmup 2 --rounds 2 --lanes 4,8 --json %s"):format(scene,
      json))
    assert.same({ 0, "" }, { code, err })
    for _, words in ipairs { "10 steps of 0.0166667 s after 2 warm-up steps, 2 rounds", "soft, 1 thread, 4 lanes",
      "soft, 1 thread, 8 lanes", "ms a step", "p99", "times real time", "contacts", "ns per body and step", "solve ",
      "garbage collection", "in the core", "hash" } do
      assert.truthy(out:find(words, 1, true), words)
    end
    local result = assert(dkjson.decode(program.read(json)))
    assert.same({ "impel.benchmark", 1 }, { result.format, result.version })
    for _, name in ipairs { "machine", "processors", "build", "scene", "params", "seed", "dt", "steps" } do
      assert.not_nil(result[name], name)
    end
    local _, hash = program.run(("run %s --steps 12 --hash"):format(scene))
    assert.equal(hash, result.lines[2].hash .. "\n")
    code, out, err = program.run(("bench %s --steps 10 --warmup 2 --rounds 2 --lanes 4,8 -q --compare %s"):format(scene,
      json))
    assert.same({ 0, "" }, { code, err })
    local _, count = out:gsub("too few rounds %(2 before, 2 now%)", "")
    assert.equal(2, count)
  end)

  it("warns if the earlier result has different parameters, hash or solver", function()
    local scene, json = program.write(PLAIN), program.temporary ".json"
    assert.equal(0, (program.run(("bench %s --steps 5 --rounds 1 -q --json %s"):format(scene, json))))
    local code, out, err = program.run(("bench %s --steps 5 --rounds 1 -q --set speed=2 --compare %s"):format(scene,
      json))
    assert.equal(0, code)
    assert.truthy(out:find("ratio", 1, true))
    assert.truthy(err:find("different parameters: speed=1 before, speed=2 now", 1, true), err)
    assert.truthy(err:find("the final hash differs from the hash in this file: the two runs did different work", 1,
      true))
    code, out, err = program.run(("bench %s --steps 5 --rounds 1 -q --solver si --compare %s"):format(scene, json))
    assert.same({ 0, "" }, { code, out })
    assert.truthy(err:find("has no result for the solvers, threads and lanes of this run", 1, true))
  end)

  it("ends with a message and the common exit codes", function()
    local scene = program.write(PLAIN)
    local raises = program.write(BOX .. "function scene.update() error 'lost' end return scene")
    for arguments, expected in pairs {
      ["nosuchscene"] = { 2, "cannot read scene nosuchscene" },
      [raises] = { 3, "lost" },
      [scene .. " --rounds 0"] = { 2, "--rounds: integer in 1..1000 expected, got '0'" },
      [scene .. " --lanes 4,x"] = { 2, "--lanes: integer in 0..16 expected, got 'x'" },
      [scene .. " --threads 0"] = { 2, "--threads: integer in 1..256 expected, got '0'" },
      [scene .. " --solver sofd"] = { 2, "--solver: no solver 'sofd' (did you mean 'soft'?)" },
      [scene .. " --set mass=1"] = { 2, "mass" },
      [scene .. " --steps 0"] = { 2, "there are no steps to measure" },
      [scene .. " --compare /nowhere/x.json"] = { 2, "--compare: cannot read /nowhere/x.json" },
      [scene .. " --json /nowhere/x.json"] = { 2, "--json: cannot write /nowhere/x.json" },
    } do
      local code, out, err = program.run("bench " .. arguments)
      assert.same({ expected[1], "" }, { code, out }, arguments)
      assert.truthy(err:find(expected[2], 1, true), err)
    end
  end)

  it("stops when it is interrupted", function()
    local scene = program.write(PLAIN)
    local code, out, err = program.run(("bench %s --steps 100000000"):format(scene), nil,
      -- Without --foreground, timeout signals its child twice, and the second signal ends the program at once.
      "timeout --foreground --preserve-status -s INT 1")
    assert.equal("", out)
    assert.truthy(err:find("interrupted after step", 1, true), err)
    assert.equal(130, code)
  end)
end)
