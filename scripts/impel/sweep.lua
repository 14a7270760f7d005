-- impel.sweep: run a scene over many parameters and seeds, each run in a separate process.
--
--   local result, failure = sweep.run {
--     source = { text = text, chunk = chunk }, grid = { "kp=10:200:20" }, seeds = "1..8", output = "out.csv",
--   }
--
-- The option resume makes the missing runs of an interrupted sweep.

local arguments = require "impel.base.arguments"
local design = require "impel.batch.design"
local evaluate = require "impel.batch.evaluate"
local fail = require "impel.batch.failure"
local processes = require "impel.processes"
local rows = require "impel.batch.sweep_rows"
local rowstore = require "impel.batch.rowstore"
local system = require "impel.system"
local wire = require "impel.base.wire"

local sweep = {}

local STRING, FLAG = { "string", optional = true }, { "boolean", optional = true }
local FIELDS = { -- options in addition to those of impel.evaluate
  grid = { "table", optional = true }, seeds = STRING, sample = { "integer", min = 1, optional = true },
  sampling = { "choice", "latin", "random", optional = true }, sample_seed = { "integer", optional = true },
  shard = { "table", optional = true }, output = STRING, emit = { "function", optional = true }, resume = FLAG,
  force = FLAG, timing = FLAG,
}

local PROBES = 8 -- largest number of runs that are set up to find the names of the measures


-- Before the first run -----------------------------------------------------------------------------------------------

-- Read the options and check their types.
local function read_options(what, options)
  local o = evaluate.read(what, options, FIELDS)
  arguments.list(what .. ": field 'grid'", o.grid or {}, { "string" })
  if o.shard then
    local of = arguments.check(what .. ": shard[2]", o.shard[2], { "integer", min = 1 })
    arguments.check(what .. ": shard[1]", o.shard[1], { "integer", min = 1, max = of })
  end
  return o
end

local function describe(options, values, seed)
  local settings = evaluate.settings(options, values, seed)
  return evaluate.describe_apart(options.source, settings, options.timeout, options.say)
end

local function prepare(options)
  local description, problem = describe(options, nil, 0)
  if not description then return nil, problem end
  local plan, message = design.new {
    params = description.params, owner = description.name, grid = options.grid, seeds = options.seeds,
    sample = options.sample, sampling = options.sampling, sample_seed = options.sample_seed,
  }
  if not plan then return fail("usage", "%s", message) end
  local index = 1
  while description.problem and index <= math.min(PROBES, plan.count) do
    local values, seed = plan:run(index)
    description = describe(options, values, seed) or description
    index = index + 1
  end
  return description, plan
end

--- Describe a scene and its measures. The scene is set up to find the names of the measures.
---@param options table  as for sweep.run
---@return table|nil description      nil on failure
---@return table|nil plan_or_failure  the plan; the failure if `description` is nil
function sweep.prepare(options)
  return prepare(read_options("sweep.prepare", options))
end

-- Make one run of the plan in this process. Return three values: row (without wall time), status and outcome.
local function run_here(options, layout, plan, index)
  local values, seed = plan:run(index)
  local outcome = evaluate.run(options.source, evaluate.settings(options, values, seed))
  local line, status = layout:row(index, values, seed, outcome)
  return line, status, outcome
end


-- Output of rows -----------------------------------------------------------------------------------------------------

-- Return an object that appends rows to the output file; or nil and a failure if the file has a row of another sweep.
local function file_sink(options, layout, plan, shard)
  local store, failure = rowstore.open(options, layout, shard.first, shard.step)
  if not store then return nil, failure end
  for index, line in pairs(store.done) do
    if index > plan.count or (index - shard.first) % shard.step ~= 0 or not layout:belongs(line, index, plan:run(index))
    then
      store:leave()
      return fail("damaged", "%s: run %d is not in this sweep; did --grid, --seeds, --set or --shard change?",
        options.output, index)
    end
  end
  local ok, other = store:verify(function(index)
    local outcome = processes.call(function() return (run_here(options, layout, plan, index)) end, options.timeout)
    return outcome.values and outcome.values[1]
  end)
  if not ok then
    store:leave()
    return nil, other
  end
  return store
end


-- Sweep --------------------------------------------------------------------------------------------------------------

-- Return the runs of a shard: first, first + step, ... up to count.
local function cut(options, plan)
  local index, of = 1, 1
  if options.shard then index, of = options.shard[1], options.shard[2] end
  return { first = index, step = of, count = plan.count >= index and (plan.count - index) // of + 1 or 0 }
end

-- Return the status before the first run. Rows that exist already are counted as skipped.
local function first_status(sink, layout, shard)
  local status = {
    count = shard.count, finished = 0, skipped = 0, failed = 0, running = 0, seconds = 0, cpu = 0,
    counts = {}, slowest = { seconds = 0 },
  }
  for _, line in pairs(sink.done) do
    local _, word = layout:read(line)
    status.skipped = status.skipped + 1
    if word ~= "ok" then status.failed = status.failed + 1 end
  end
  return status
end

local function count_run(status, index, word, outcome)
  status.finished, status.cpu = status.finished + 1, status.cpu + outcome.cpu
  status.counts[word] = (status.counts[word] or 0) + 1
  if word ~= "ok" then status.failed = status.failed + 1 end
  if outcome.seconds > status.slowest.seconds then status.slowest = { run = index, seconds = outcome.seconds } end
end

--- Run a sweep. An output file gets the row of each run as soon as the run ends, and is sorted by run at the end of the
--- sweep. emit gets the rows in the order of runs.
---@param options table
---  source: { text, chunk }
---  set: parameters for all runs
---  grid, seeds, sample, sampling, sample_seed: of impel.design
---  settings: time, steps, dt, solver, threads, check
---  workers: number of processes
---  timeout: wall time of a run [s]
---  shard: { i, n }: the i-th of n parts
---  output: path of the output file; without it, emit(line) is called with each row
---  resume: make the missing runs of an existing file
---  force: replace an existing file
---  timing: add a column of wall time
---  watch(status): called often with { count, finished, skipped, failed, running, seconds }, true ends the sweep
---  say(index, line): output of a run
---@return table|nil status  as for watch, and cpu [s], counts by status, slowest = { run, seconds }, complete
---@return table|nil failure  kind "usage", "scene", "damaged" or "internal", message; and the status so far
function sweep.run(options)
  options = read_options("sweep.run", options)
  if not options.output and not options.emit then arguments.fail "sweep.run needs the field 'output' or 'emit'" end
  local description, plan = prepare(options)
  if not description then return nil, plan end
  local layout, message = rows.layout(description, options)
  if not layout then return fail("usage", "%s", message) end
  local shard = cut(options, plan)
  local sink, failure
  if options.output then
    sink, failure = file_sink(options, layout, plan, shard)
  else
    sink, failure = rowstore.stream(layout, shard.first, shard.step, options.emit)
  end
  if not sink then return nil, failure end

  local began, broken = system.clock(), nil
  local status = first_status(sink, layout, shard)
  local next_run = shard.first

  local function jobs()
    while next_run <= plan.count and sink.done[next_run] do next_run = next_run + shard.step end
    if next_run > plan.count then return nil end
    next_run = next_run + shard.step
    return next_run - shard.step
  end

  local function done(index, outcome)
    local line, word
    if outcome.values and not layout.timing then
      line, word = outcome.values[1], outcome.values[2]
    else
      local values, seed = plan:run(index)
      local found = outcome.values and wire.decode(outcome.values[3])
        or { status = outcome.ended, message = outcome.reason }
      line, word = layout:row(index, values, seed, found, outcome.seconds)
    end
    local ok, problem = sink:add(index, line)
    if not ok then broken = broken or problem end
    count_run(status, index, word, outcome)
  end

  local complete, problem = processes.run {
    workers = options.workers, timeout = options.timeout, say = options.say, jobs = jobs, done = done,
    work = function(index)
      local line, word, outcome = run_here(options, layout, plan, index)
      return line, word, layout.timing and wire.encode(outcome) or ""
    end,
    tick = function(running)
      status.running, status.seconds = running, system.clock() - began
      return broken or options.watch and options.watch(status)
    end,
  }
  status.seconds, status.complete = system.clock() - began, complete
  local closed, why = sink:close()
  broken = broken or not closed and why
  if broken then return nil, { kind = "damaged", message = broken, status = status } end
  if problem then return nil, { kind = "internal", message = problem, status = status } end
  return status
end

return sweep
