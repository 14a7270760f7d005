-- One run of a scene: a pure function of (text, parameters, seed). The outcome is plain data.

local arguments = require "impel.base.arguments"
local merged = require "impel.base.merged"
local processes = require "impel.processes"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"
local wire = require "impel.base.wire"

local evaluate = {}

-- Status in a row of a sweep, by the kind of failure of impel.run.
local STATUS = { usage = "error", scene = "error", diverged = "diverged", damaged = "error" }

-- Options shared by sweeps, tuning and bisection.
local SHARED = {
  source = { "table", what = "a table { text, chunk }" }, set = { "table", optional = true },
  settings = { "table", optional = true }, workers = { "integer", min = 1, optional = true },
  timeout = { "number", above = 0, infinite = true, optional = true, unit = "s" },
  watch = { "function", optional = true }, say = { "function", optional = true },
}
local SOURCE = { text = { "string" }, chunk = { "string" } }

--- Check the options of many runs: source, set, settings, workers, timeout, watch, say, and the options in `own`.
---@param what string    prefix of messages
---@param options table
---@param own table  fields of further options, as for arguments.read
---@return table read
function evaluate.read(what, options, own)
  local read = arguments.read(what, options, merged(SHARED, own))
  arguments.read(what .. ": field 'source'", read.source, SOURCE)
  return read
end

local function failed(failure, run)
  return {
    status = STATUS[failure.kind], message = failure.message, traceback = failure.traceback,
    steps = run and run.count, kind = failure.kind, foreign = failure.foreign,
  }
end

--- Return the options of one of many runs.
---@param options table  of evaluate.read: set: parameters for all runs; settings: other options of evaluate.run
---@param values table|nil  parameters of this run
---@param seed integer|nil
---@return table  options of evaluate.run
function evaluate.settings(options, values, seed)
  return setmetatable({ set = merged(options.set, values), seed = seed }, { __index = options.settings })
end

--- Load a scene.
---@param source table  text, chunk: of scene.read
---@param seed integer|nil
---@return table|nil scene
---@return table|nil outcome  describes the error; its field foreign is true if the file ran without error but is not a
---  scene
function evaluate.open(source, seed)
  local scene, message, traceback, foreign = scenes.parse(source.text, source.chunk, { seed = seed })
  if scene then return scene end
  return nil, failed { kind = "scene", message = message, traceback = traceback, foreign = foreign }
end

-- Return the messages of checks that failed or raised, in one line.
local function judge(verdicts)
  local messages = {}
  for _, verdict in ipairs(verdicts) do
    local before = verdict.name and verdict.name .. ": " or ""
    for _, message in ipairs(verdict.problem and { verdict.problem.message } or verdict.failed) do
      messages[#messages + 1] = before .. message
    end
  end
  return #messages > 0 and table.concat(messages, "; ") or nil
end

-- Return the outcome of a run at its end.
local function conclude(run, options)
  local world = run.world
  local outcome = {
    status = "ok", steps = run.count, time = world.time, hash = world.hash, values = setmetatable(run.values, nil),
  }
  local problem
  outcome.measures, problem = run:measure()
  if not outcome.measures then return failed(problem, run) end
  if options.score ~= false then
    outcome.score, problem = run:score()
    if problem then return failed(problem, run) end
  end
  if options.check then
    outcome.verdicts = run:verdicts(type(options.check) == "function" and options.check or nil)
    outcome.message = judge(outcome.verdicts)
    if outcome.message then outcome.status = "failed" end
  end
  return outcome
end

--- Run a loaded scene. Another run needs a newly loaded scene.
---@param scene table    scene of evaluate.open, with the same seed
---@param options table
---  set, seed, dt, solver, threads, steps, time: as in impel.run
---  check: true for all checks, or a function that selects them by name (nil: scene.check)
---  score = false: no score
---  each(run): called at the start and after every step, true ends the run
---@return table outcome
---  status: "ok", "failed" (a check), "error" or "diverged"
---  message
---  values: all parameters
---  steps, time [s], hash, measures, score, verdicts
function evaluate.play(scene, options)
  local run, failure = runner.new(scene, options)
  if not run then return failed(failure) end
  local each = options.each
  local stop = each and each(run)
  while not (stop or failure or run:done()) do
    local ok
    ok, failure = run:step()
    stop = ok and each and each(run)
  end
  local outcome = failure and failed(failure, run) or conclude(run, options)
  run:close()
  return outcome
end

--- Load a scene and run it.
---@param source table
---@param options table  of evaluate.play
---@return table outcome
function evaluate.run(source, options)
  local scene, problem = evaluate.open(source, options.seed)
  return scene and evaluate.play(scene, options) or problem
end

--- Describe a scene file, and name its measures.
---@param source table
---@param options table  options of evaluate.run
---@return table|nil description  nil if the file could not be loaded
---  name, file, title, params, has: { check, score, measure }
---  measures: sorted names; empty if they are unknown
---  problem: outcome of the run that should have given the names; nil if they are known
---@return table|nil outcome  the error of loading
function evaluate.describe(source, options)
  local scene, problem = evaluate.open(source, options.seed)
  if not scene then return nil, problem end
  local definition = scene.definition
  local description = {
    name = scene.name, file = scene.file, title = definition.title, params = scene.params,
    has = {
      check = (definition.check or definition.checks) ~= nil, score = definition.score ~= nil,
      measure = definition.measure ~= nil,
    },
    measures = {},
  }
  if definition.measure then
    local short = setmetatable({ steps = 0, time = false, score = false }, { __index = options })
    local outcome = evaluate.run(source, short)
    if not outcome.measures then description.problem = outcome end
    for name in pairs(outcome.measures or {}) do table.insert(description.measures, name) end
    table.sort(description.measures)
  end
  return description
end

--- Describe a scene from a separate process, because loading may hang or crash.
---@param source table
---@param options table
---@param timeout number|nil  [s]
---@param say function|nil  as in processes.run
---@return table|nil description
---@return table|nil failure
function evaluate.describe_apart(source, options, timeout, say)
  local outcome = processes.call(function()
    local description, problem = evaluate.describe(source, options)
    return wire.encode { description = description, problem = problem }
  end, timeout, say)
  if not outcome.values then
    return nil, { kind = "scene", message = ("%s: %s"):format(source.chunk:sub(2), outcome.reason) }
  end
  local answer = wire.decode(outcome.values[1])
  return answer.description, answer.problem
end

return evaluate
