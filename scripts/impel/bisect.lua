-- Find where a scene begins to fail: the first seed, the threshold of a parameter, or the first step.
-- With the option `when`, a run fails if this condition holds after a step; if the run raises, diverges, crashes or
-- hangs before that, the search returns a failure. Without `when`, a run fails if a check fails, or if the run raises,
-- diverges, crashes or hangs.

local arguments = require "impel.base.arguments"
local evaluate = require "impel.batch.evaluate"
local fail = require "impel.batch.failure"
local merged = require "impel.base.merged"
local params = require "impel.scene.params"
local predicate = require "impel.batch.predicate"
local processes = require "impel.processes"
local wire = require "impel.base.wire"

local bisect = {}

local SEED, STRING = { "integer", optional = true }, { "string", optional = true }
local VALUE = { "any", optional = true } -- checked against the parameter's spec
local FIELDS = { -- fields that every search accepts, besides those of impel.evaluate
  seed = SEED, first = SEED, last = SEED, when = STRING, asked = { "function", optional = true }, save = STRING,
  name = STRING, from = VALUE, to = VALUE, tolerance = { "number", above = 0, optional = true },
}

local HALVINGS = 20 -- default number of halvings, which reduce the range to a millionth

-- Run once in this process. Return { broken } if the condition or evaluate.run raises an error, otherwise a table with
-- fails, step, time, status, message, hash, broken, left, unsaved. step: the step where the condition held, or the last
-- step; broken: with `when`, error of the run; left: what was left out of the saved file; unsaved: why none was saved.
local function judge(options, job)
  local condition = options.when and assert(predicate.compile(options.when))
  local held, left, unsaved
  local settings = setmetatable({
    set = merged(options.set, job.set), seed = job.seed, check = not condition, score = false,
    each = condition and function(run)
      local ok, holds = pcall(condition, run)
      if not ok then error({ condition = holds }, 0) end
      if holds then
        held = { step = run.count, time = run.world.time }
        if job.save then
          local saved, result = require("impel.data").save(job.save, run.world)
          if saved then left = result else unsaved = result end
        end
      end
      return holds
    end,
  }, { __index = options.settings })
  local ok, outcome = pcall(evaluate.run, options.source, settings)
  if not ok then return { broken = type(outcome) == "table" and outcome.condition or tostring(outcome) } end
  local good = outcome.status == "ok"
  return {
    fails = condition and held ~= nil or not condition and not good, left = left, unsaved = unsaved,
    hash = outcome.hash,
    broken = condition and not good and outcome.message or nil, -- error of a run that neither fails nor passes
    step = held and held.step or outcome.steps, time = held and held.time or outcome.time, status = outcome.status,
    message = held and options.when .. " holds" or outcome.message,
  }
end

-- Return the result of judge that a process sent, or a failed run if the process sent none.
local function verdict(options, outcome)
  local found = outcome.values and wire.decode(outcome.values[1])
  if not found then
    found = { fails = true, status = outcome.ended, message = outcome.reason }
    if options.when then found.broken = outcome.reason end
  end
  return found
end

-- Run once in a process. Return nil and a failure if the run was interrupted or sent no result.
local function ask(options, job)
  local found
  local todo = job
  local complete, message = processes.run {
    jobs = function()
      local next_job = todo
      todo = nil
      return next_job
    end,
    work = function(one) return wire.encode(judge(options, one)) end,
    done = function(_, outcome) found = verdict(options, outcome) end,
    timeout = options.timeout, say = options.say, tick = options.watch,
  }
  if message then return fail("internal", "%s", message) end
  if not complete then return fail("interrupted", "interrupted") end
  if found.broken then return fail("scene", "%s", found.broken) end
  return found
end


-- Searches -----------------------------------------------------------------------------------------------------------

-- Read the options, and require the options named in `...`.
local function read_options(what, options, ...)
  local read = evaluate.read(what, options, FIELDS)
  for _, name in ipairs { ... } do
    if read[name] == nil then arguments.fail("%s needs the field '%s'", what, name) end
  end
  return read
end

--- Find the first seed whose run fails.
---@param options table
---  source: { text, chunk }
---  set: parameters by name
---  first, last: seeds
---  when: condition, see batch/predicate.lua
---  settings: time, steps, dt, solver, threads
---  workers: number of processes
---  timeout: of a run [s]
---  watch(): called often, true ends the search
---  say(job, line): receives the output of the runs, see processes.run
---  asked(n): called after each run; n: number of runs so far
---@return table|nil found  seed, step, time, status, message, hash, runs; only the field `runs` if no seed fails
---@return table|nil failure
function bisect.seeds(options)
  options = read_options("bisect.seeds", options, "first", "last")
  local next_seed, runs, best, broken = options.first, 0, nil, nil
  local complete, message = processes.run {
    workers = options.workers, timeout = options.timeout, say = options.say, tick = options.watch,
    jobs = function()
      if broken or next_seed > math.min(options.last, best and best.seed or options.last) then return nil end
      next_seed = next_seed + 1
      return { seed = next_seed - 1 }
    end,
    work = function(job) return wire.encode(judge(options, job)) end,
    done = function(job, outcome)
      local found = verdict(options, outcome)
      runs = runs + 1
      -- Runs end in any order: report the one with the lowest seed.
      if found.broken and not (broken and broken.seed < job.seed) then
        broken = { seed = job.seed, message = found.broken }
      elseif found.fails and not (best and best.seed < job.seed) then
        best = found
        best.seed = job.seed
      end
      if options.asked then options.asked(runs) end
    end,
  }
  if message then return fail("internal", "%s", message) end
  if not complete then return fail("interrupted", "interrupted") end
  if broken and not (best and best.seed < broken.seed) then
    return fail("scene", "seed %d: %s", broken.seed, broken.message)
  end
  best = best or {}
  best.runs = best.seed and best.seed - options.first + 1 or runs
  return best
end

-- Return the value halfway between two values, of the parameter's type; nil if no value lies between them.
local function middle(spec, low, high)
  local value = low + (high - low) / 2
  if spec.integer then value = math.tointeger(math.floor(value)) end
  if value <= math.min(low, high) or value >= math.max(low, high) then return nil end
  return value
end

--- Find the value of a parameter at which runs begin or cease to fail, by bisection.
---@param options table
---  source, set, when, settings, timeout, watch, say: see bisect.seeds
---  asked(n, value, fails): called after each run
---  seed
---  name: name of the parameter
---  from, to: its range
---  tolerance: width of the final bracket, default a millionth of the range, for integers 1
---@return table|nil found  holds, fails: values at which a run passes and fails, the ends of the final bracket;
---  verdict: result of the last failing run, as from bisect.seeds; runs: number of runs
---@return table|nil failure  kind "check" if both ends pass or both fail
function bisect.threshold(options)
  options = read_options("bisect.threshold", options, "name", "from", "to")
  local description, problem = evaluate.describe_apart(options.source, { seed = 0 }, options.timeout, options.say)
  if not description then return nil, problem end
  local spec = description.params[options.name]
  local ends = {}
  for i, text in ipairs { options.from, options.to } do
    local value, message = params.value(description.params, options.name, text, description.name)
    if value == nil then return fail("usage", "--set: %s", message) end
    if type(value) ~= "number" then
      return fail("usage", "--set %s: a parameter that is true or false has no range", options.name)
    end
    ends[i] = value
  end
  local runs = 0
  local function fails(value)
    runs = runs + 1
    local found, failure = ask(options, { set = { [options.name] = value }, seed = options.seed })
    if found and options.asked then options.asked(runs, value, found.fails) end
    return found, failure
  end
  local first, failure = fails(ends[1])
  if not first then return nil, failure end
  local last
  last, failure = fails(ends[2])
  if not last then return nil, failure end
  if first.fails == last.fails then
    return fail("check", "%s at both %s and %s: there is no threshold between them",
      first.fails and "a run fails" or "a run passes",
      tostring(ends[1]), tostring(ends[2]))
  end
  local low, high, last_failing = ends[1], ends[2], first.fails and first or last
  local tolerance = options.tolerance or math.abs(ends[2] - ends[1]) / (1 << HALVINGS)
  while math.abs(high - low) > tolerance do
    local value = middle(spec, low, high)
    if not value then break end
    local found
    found, failure = fails(value)
    if not found then return nil, failure end
    if found.fails then last_failing = found end
    if found.fails == first.fails then low = value else high = value end
  end
  return {
    holds = first.fails and high or low, fails = first.fails and low or high, verdict = last_failing, runs = runs,
  }
end

--- Find the first step of one run at which the condition holds.
---@param options table
---  source, set, when, settings, timeout, watch, say: see bisect.seeds
---  seed
---  save: file for the world at that step
---@return table|nil found  step, time; left: what was left out of the file; unsaved: why no file was saved; empty if
---  the condition never holds
---@return table|nil failure
function bisect.moment(options)
  options = read_options("bisect.moment", options, "when")
  local found, failure = ask(options, { seed = options.seed, save = options.save })
  if not found then return nil, failure end
  return found.fails and found or {}
end

return bisect
