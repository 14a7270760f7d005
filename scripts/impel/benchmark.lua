-- Measure the time of a scene's steps under several settings, in interleaved rounds. The time of a step is its least
-- time over all rounds.
--
--   local result, failure = benchmark.run(open, { steps = 600, threads = { 1, 2 } })   open(): loads the scene
--
-- Lua's collector is stopped while a step runs, and its time is measured between steps.

require "impel.core" -- provides impel.system
local arguments = require "impel.base.arguments"
local json = require "impel.base.json"
local runner = require "impel.scene.run"
local system = require "impel.system"

local benchmark = {}

-- ANY: a value that impel.run checks, so it is not checked here.
local ANY, LIST = { "any", optional = true }, { "table", optional = true }
local FIELDS = {
  steps = ANY, time = ANY, warmup = { "integer", min = 0, default = 10 },
  rounds = { "integer", min = 1, default = 5 }, solvers = LIST, threads = LIST, lanes = LIST,
  set = { "table", optional = true }, seed = ANY, dt = ANY, watch = { "function", optional = true },
}

local PAUSE = 1 -- bytes allocated between two collections / live bytes; 1 is what Lua's default pause of 200 % gives
local COUNTED = { "bodies", "awake", "contacts", "joints", "rows" }


-- Clocks --------------------------------------------------------------------------------------------------------------

-- Make a stopwatch for steps, of processor time and wall time.
local function new_watch(clock, cpu)
  local watch = { cpu = 0, wall = 0 }
  local cpu_start, wall_start, cpu_cost, wall_cost = 0, 0, 0, 0
  function watch.begin()
    cpu_start = cpu()
    wall_start = clock()
  end
  function watch.stop()
    local wall_end = clock()
    local cpu_end = cpu()
    watch.wall = math.max(wall_end - wall_start - wall_cost, 0)
    watch.cpu = math.max(cpu_end - cpu_start - cpu_cost, 0)
  end
  local least_cpu, least_wall = math.huge, math.huge
  for _ = 1, 200 do
    watch.begin()
    watch.stop()
    least_cpu, least_wall = math.min(least_cpu, watch.cpu), math.min(least_wall, watch.wall)
  end
  cpu_cost, wall_cost = least_cpu, least_wall
  return watch
end


-- One round -----------------------------------------------------------------------------------------------------------

-- Make a full collection. Return its processor time [s].
local function collect(heap, cpu)
  local start = cpu()
  collectgarbage "collect"
  local took = cpu() - start
  heap.live, heap.made = collectgarbage "count", 0
  return took
end

-- Make a full collection if it is due.
local function collect_due(heap, round, cpu)
  if heap.made < PAUSE * heap.live then return end
  local took = collect(heap, cpu)
  round.collecting, round.collections = round.collecting + took, round.collections + 1
  round.longest = math.max(round.longest, took)
end

-- Store the time of step i if it is the least so far.
local function keep(least, name, i, seconds)
  local list = least[name] or {}
  least[name] = list
  list[i] = math.min(list[i] or math.huge, seconds)
end

-- Add the counts and times of the last step to the round's sums.
local function look(round, world, least)
  local counts, profile = world:counts(round.now), world:profile(round.profile)
  for _, name in ipairs(COUNTED) do round.sums[name] = (round.sums[name] or 0) + counts[name] end
  for name, seconds in pairs(profile) do keep(least, name, round.count, seconds) end
end

local function step_once(run, round, heap, options, least)
  local watch, before = options.stopwatch, collectgarbage "count"
  local ok, failure = run:bare_step(watch.begin, watch.stop)
  if not ok then return failure end
  if run.count <= options.warmup then return end
  local made = collectgarbage "count" - before
  heap.made, round.garbage = heap.made + made, round.garbage + made
  round.count = round.count + 1
  round.wall, round.cpu = round.wall + watch.wall, round.cpu + watch.cpu
  keep(least, "cpu", round.count, watch.cpu)
  keep(least, "wall", round.count, watch.wall)
  look(round, run.world, least)
  collect_due(heap, round, system.cpu)
end

-- Record the final quantities of a run.
local function finish(run, round, heap, cpu)
  local world, part = run.world, heap.made / (PAUSE * heap.live)
  round.collecting = round.collecting + part * collect(heap, cpu)
  round.hash, round.time, round.dt = world.hash, world.time, world.dt
  round.solver, round.threads, round.lanes = world.solver, world.threads, world.lanes
  round.bytes = world:counts().bytes
  return round
end

-- Make the steps of a run. The caller has stopped the collector. before: memory without the scene [KiB].
local function measure(run, options, least, before)
  local heap = {}
  collect(heap, system.cpu)
  local round = {
    count = 0, wall = 0, cpu = 0, collecting = 0, collections = 0, longest = 0, garbage = 0, sums = {}, now = {},
    profile = {}, lua_bytes = math.max(0, math.floor(1024 * (heap.live - before))),
  }
  while not run:done() do
    local failure = options.watch and options.watch(run) or step_once(run, round, heap, options, least)
    if failure then return nil, failure end
  end
  return finish(run, round, heap, system.cpu)
end

-- Load the scene and set it up.
local function set_up(open, options, setting)
  local scene, failure = open()
  if not scene then return nil, failure or { kind = "scene", message = "open() returned no scene" } end
  return runner.new(scene, {
    set = options.set, seed = options.seed, dt = options.dt, time = options.time, steps = options.steps,
    solver = setting.solver, threads = setting.threads, lanes = setting.lanes,
  })
end

-- Run the scene once under one setting. `least`: least time of each step over the earlier rounds, by name; updated.
local function run_round(open, options, setting, least)
  collectgarbage "collect" -- finalizes the worlds of earlier runs
  collectgarbage "collect" -- frees the finalized worlds
  local before = collectgarbage "count"
  local run, failure = set_up(open, options, setting)
  if not run then return nil, failure end
  run.world.profiling = true
  run.steps = run.steps + options.warmup
  collectgarbage "stop"
  local done, round, why = pcall(measure, run, options, least, before)
  collectgarbage "restart"
  local params = run:result().params
  run:close()
  if not done then error(round, 0) end
  if not round then return nil, why end
  round.scene, round.params, round.seed = run.scene.name, params, run.seed
  return round
end


-- All rounds ----------------------------------------------------------------------------------------------------------

local function at_share(sorted, share)
  return sorted[math.max(1, math.ceil(share * #sorted))]
end

-- Return the mean of a list of times in seconds, converted to ms.
local function mean(list)
  local sum = 0
  for _, seconds in ipairs(list) do sum = sum + seconds end
  return 1e3 * sum / #list
end

-- Return the distribution of step times [ms]. Step i of the list is step warmup + i of the run.
local function spread(list, warmup)
  local sorted, worst = {}, 1
  for i, seconds in ipairs(list) do
    sorted[i] = 1e3 * seconds
    if seconds > list[worst] then worst = i end
  end
  table.sort(sorted)
  return { min = sorted[1], median = at_share(sorted, 0.5), p99 = at_share(sorted, 0.99), worst = sorted[#sorted],
    worst_step = warmup + worst }
end

-- Return the minimum of a number over the rounds.
local function least_of(rounds, name)
  local best = math.huge
  for _, round in ipairs(rounds) do best = math.min(best, round[name]) end
  return best
end

-- Return the times of the stages of a step [ms], without the total and without Lua.
local function stages_of(least)
  local stages = {}
  for name, list in pairs(least) do stages[name] = mean(list) end
  for _, name in ipairs { "step", "lua", "cpu", "wall" } do stages[name] = nil end
  return stages
end

local function means_of(rounds, name)
  local list = json.list {}
  for i, round in ipairs(rounds) do list[i] = 1e3 * round[name] / round.count end
  return list
end

-- Summarize the rounds of a setting.
local function summarize(rounds, least, warmup)
  local first = rounds[1]
  local n = first.count
  local line = {
    solver = first.solver, threads = first.threads, lanes = first.lanes, hash = first.hash,
    cpu = mean(least.cpu), wall = mean(least.wall), cpu_of_rounds = means_of(rounds, "cpu"),
    wall_of_rounds = means_of(rounds, "wall"), step = spread(least.wall, warmup), core = mean(least.step),
    lua = mean(least.lua), collecting = 1e3 * least_of(rounds, "collecting") / n, collections = first.collections,
    longest_collection = 1e3 * least_of(rounds, "longest"), garbage = 1024 * first.garbage / n,
    stages = stages_of(least), bytes = first.bytes, lua_bytes = first.lua_bytes,
  }
  for _, name in ipairs(COUNTED) do line[name] = first.sums[name] / n end
  line.steps_per_second = line.wall > 0 and 1e3 / line.wall or nil
  line.real_time = line.wall > 0 and 1e3 * first.dt / line.wall or nil
  line.ns_per_body = line.bodies > 0 and 1e6 * line.cpu / line.bodies or nil
  for _, round in ipairs(rounds) do
    if round.hash ~= first.hash then line.other_hash = round.hash end
  end
  return line
end

-- Return all combinations of solver, threads and lanes. nil in a setting means the scene's own value.
local function settings_of(options)
  local list = {}
  for _, solver in ipairs(options.solvers or { false }) do
    for _, threads in ipairs(options.threads or { false }) do
      for _, lanes in ipairs(options.lanes or { false }) do
        list[#list + 1] = { solver = solver or nil, threads = threads or nil, lanes = lanes or nil }
      end
    end
  end
  return list
end

--- Measure a scene.
---@param open fun(): table|nil, table|nil  loads the scene: returns a scene of impel.scene, or nil and a failure
---@param options table
---  steps or time [s]: length of a run; default: the scene's duration
---  warmup: number of steps before the measured ones (10)
---  rounds: number of runs for each setting (5)
---  solvers, threads, lanes: lists, of which every combination is measured
---  set, seed, dt [s]: as in impel.run
---  watch(run): called before every step; if it returns a failure, the benchmark ends
---@return table|nil result  scene, params, seed, dt, steps, warmup, rounds; lines: a table for each setting, with times
---  in ms per step, counts (means over the steps), and other_hash if its rounds ended with different hashes
---@return table|nil failure
function benchmark.run(open, options)
  arguments.check("benchmark.run: argument 'open'", open, { "function" })
  options = arguments.read("benchmark.run", options, FIELDS)
  for _, name in ipairs { "solvers", "threads", "lanes" } do
    arguments.list(("benchmark.run: field '%s'"):format(name), options[name] or {},
      { name == "solvers" and "string" or "integer" })
  end
  options.stopwatch = new_watch(system.clock, system.cpu)
  local settings, rounds, least = settings_of(options), {}, {}
  for _, setting in ipairs(settings) do -- report errors early, and load modules before memory is measured
    local run, failure = set_up(open, options, setting)
    if not run then return nil, failure end
    run:close()
  end
  for i = 1, options.rounds do
    for k = 1, #settings do
      local at = i % 2 == 1 and k or #settings + 1 - k -- every second round runs the settings in reverse order
      rounds[at], least[at] = rounds[at] or {}, least[at] or {}
      local round, failure = run_round(open, options, settings[at], least[at])
      if not round then return nil, failure end
      if round.count == 0 then return nil, { kind = "usage", message = "there are no steps to measure" } end
      table.insert(rounds[at], round)
    end
  end
  local first = rounds[1][1]
  local result = {
    scene = first.scene, params = first.params, seed = first.seed, dt = first.dt, steps = first.count,
    warmup = options.warmup, rounds = options.rounds, lines = json.list {},
  }
  for i, list in ipairs(rounds) do result.lines[i] = summarize(list, least[i], options.warmup) end
  return result
end

return benchmark
