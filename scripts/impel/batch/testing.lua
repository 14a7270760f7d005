-- Scenes as tests: every check is a test point, and each scene runs in a separate process.
--
--   local files = assert(testing.find { "scenes" })
--   local status = testing.run { files = files, workers = 2, result = function(run) return true end }
--
-- Runs are reported in the order of the files. Fields of a run:
--   name, file, seed, points
--   seconds: wall time
--   said: its output
--   rerun: command that repeats the run
--   steps, time [s], hash, values (parameters): only of a completed run
-- A run that does not complete has one failed point; a file without checks has one skipped point.
-- Fields of a point:
--   name: "file: check"
--   case: name of the check, or "run" if the point is not of a check
--   status: "passed", "failed" or "skipped"
--   reason: why it failed: "failed" (the check was not met), "error", "diverged", "timeout", "killed" or "exited"
--   message, traceback
--   seconds: wall time of the run, only in the run's first point

local evaluate = require "impel.batch.evaluate"
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local processes = require "impel.processes"
local scenes = require "impel.scene"
local shell = require "impel.base.shell"
local system = require "impel.system"
local wire = require "impel.base.wire"

local testing = {}

local CHECK = "check()"    -- name of a scene's own check
local SPEC = "_spec%.lua$" -- pattern of the file names of busted specs
local MOST_SAID = 65536    -- [B], largest part of a run's output that is stored


-- Finding files -----------------------------------------------------------------------------------------------------

-- Normalise ./a//b/ to a/b, and ./ to a dot.
local function tidy(path)
  path = path:gsub("//+", "/"):gsub("(.)/$", "%1")
  while path:find("^%./.") do path = path:sub(3) end
  return path
end

-- Call add(path, read) for each Lua file below a folder, in the order of the names. Hidden files, links to folders and
-- specs of busted are skipped.
local function search(folder, add)
  local names = system.files(folder)
  if #names == 0 then return nil, ("cannot read folder %s"):format(folder) end
  table.sort(names)
  for _, name in ipairs(names) do
    local path = folder == "." and name or tidy(folder .. "/" .. name)
    local kind = name:sub(1, 1) ~= "." and system.kind(path)
    local ok, message = true, nil
    if kind == "folder" then
      ok, message = search(path, add)
    elseif kind == "file" and name:find("%.lua$") and not name:find(SPEC) then
      ok, message = add(path, scenes.read)
    end
    if not ok then return nil, message end
  end
  return true
end

--- Find scenes.
---@param paths string[]  files and folders. A folder stands for the *.lua files below it, sorted by name, without
---  busted specs. A file that is named twice is listed once
---@param read function|nil  reads paths that are not folders; default scenes.read
---@return table[]|nil files  path; text, chunk: of scene.read
---@return string|nil message
function testing.find(paths, read)
  local files, seen = {}, {}
  local function add(path, reader)
    local text, chunk = reader(path)
    if not text then return nil, chunk end
    local name = chunk:sub(2)
    if not seen[name] then files[#files + 1] = { text = text, chunk = chunk, path = name } end
    seen[name] = true
    return true
  end
  for _, given in ipairs(paths) do
    local path = tidy(given)
    local kind = system.kind(path)
    local is_folder = kind == "folder" or kind == "link"
    local ok, message = (is_folder and search or add)(path, is_folder and add or read or scenes.read)
    if not ok then return nil, message end
  end
  return files
end


-- One run ------------------------------------------------------------------------------------------------------------

local function label(job, check)
  return check and ("%s: %s"):format(job.name, check) or job.name
end

local function matches(options, name)
  if not options.filter or #options.filter == 0 then return true end
  for _, words in ipairs(options.filter) do
    if name:find(words, 1, true) then return true end
  end
  return false
end

-- In the run's process: run the scene and evaluate the checks. Return plain data.
local function run_here(options, job)
  local path = job.file.path
  if path:find(SPEC) then return { skip = "a spec, for busted" } end
  local scene, problem = evaluate.open(job.file, job.seed)
  if not scene and problem.foreign then return { skip = "not a scene: " .. problem.message:sub(#path + 3) } end
  if not scene then return { outcome = problem } end
  local definition, names, wanted = scene.definition, {}, {}
  if definition.check then names[1] = CHECK end
  for _, name in ipairs(nearest.keys(definition.checks or {})) do names[#names + 1] = name end
  if #names == 0 then return { skip = "no check" } end
  local left = {}
  for _, name in ipairs(names) do
    wanted[name] = matches(options, label(job, name))
    if wanted[name] then left[#left + 1] = name end
  end
  if #left == 0 or options.list then return { names = left } end
  return { outcome = evaluate.play(scene, setmetatable({
    seed = job.seed, score = false, check = function(name) return wanted[name or CHECK] end,
  }, { __index = options.settings })) }
end

-- Return the command that repeats the run alone; nil for a scene from standard input.
local function rerun(options, job)
  if job.file.chunk:sub(1, 1) ~= "@" then return nil end
  local words = { "impel run", shell.word(job.file.path), "--check" }
  local function add(name, value)
    words[#words + 1] = value and shell.option(name, value, json.number) or nil
  end
  add("seed", job.seed)
  local settings = options.settings
  for _, name in ipairs(nearest.keys(settings.set or {})) do add("set", name .. "=" .. tostring(settings.set[name])) end
  for _, name in ipairs { "time", "steps", "dt", "solver", "threads" } do add(name, settings[name]) end
  return table.concat(words, " ")
end

local function add_point(run, job, check, point)
  point.name, point.case = label(job, check), check or "run"
  if job.many then point.case = ("%s [seed %d]"):format(point.case, job.seed) end
  run.points[#run.points + 1] = point
end

local function add_results(run, job, verdicts)
  for _, verdict in ipairs(verdicts) do
    local point = { status = "passed" }
    if verdict.problem then
      point.status, point.reason = "failed", "error"
      point.message, point.traceback = verdict.problem.message, verdict.problem.traceback
    elseif #verdict.failed > 0 then
      point.status, point.reason, point.message = "failed", "failed", table.concat(verdict.failed, "; ")
    end
    add_point(run, job, verdict.name or CHECK, point)
  end
end

-- Convert the outcome of a run's process to a record with a test point for each check; without points if no check was
-- selected.
local function digest(options, job, ended)
  local run = {
    name = job.name, file = job.file.path, seed = job.seed or 0, points = {}, seconds = ended.seconds,
    said = table.concat(job.said, "\n"), rerun = rerun(options, job),
  }
  local answer = ended.values and wire.decode(ended.values[1])
    or { outcome = { status = ended.ended, message = ended.reason } }
  local outcome = answer.outcome
  if outcome and outcome.verdicts then
    run.steps, run.time, run.hash, run.values = outcome.steps, outcome.time, outcome.hash, outcome.values
    add_results(run, job, outcome.verdicts)
  elseif outcome then
    -- The checks of a file that does not load are unknown, so the file fails under any filter.
    add_point(run, job, nil, { status = "failed", reason = outcome.status, message = outcome.message,
      traceback = outcome.traceback })
  elseif answer.names then
    for _, name in ipairs(answer.names) do add_point(run, job, name, { status = "passed" }) end
  elseif matches(options, job.name) then
    add_point(run, job, nil, { status = "skipped", message = answer.skip })
  end
  if run.points[1] then run.points[1].seconds = run.seconds end
  return run
end


-- Tests --------------------------------------------------------------------------------------------------------------

-- Return a job for every file with every seed, file by file.
local function plan(options)
  local jobs = {}
  for _, file in ipairs(options.files) do
    for _, seed in ipairs(options.seeds or { false }) do
      local many = options.seeds ~= nil
      jobs[#jobs + 1] = {
        index = #jobs + 1, file = file, seed = seed or options.settings.seed, many = many, said = {}, size = 0,
        name = many and ("%s [seed %d]"):format(file.path, seed) or file.path,
      }
    end
  end
  return jobs
end

-- Store a line of a run's output, up to the limit of 64 KB per run.
local function keep(job, line)
  if job.size > MOST_SAID then return end
  job.size = job.size + #line + 1
  job.said[#job.said + 1] = job.size <= MOST_SAID and line or "..."
end

--- Run scenes and their checks.
---@param options table
---  files: of testing.find
---  seeds: list; every scene runs once for each seed. Default: one run with settings.seed
---  filter: list of texts; a check is selected if "file: check" contains one of them
---  list: true: only load the scenes and list their checks
---  settings: set, seed, time, steps, dt, solver, threads
---  workers: largest number of processes at a time
---  timeout: wall time of a run [s]
---  result(run): called for each run with points, in the order of the files; nil and a message end the test
---  watch(status): called often; true ends the test
---  say(name, line): receives each line of output of a run
---@return table status
---  count, finished, running: numbers of all, finished and running runs
---  passed, failed, skipped: numbers of points
---  seconds: wall time
---  complete: whether all runs finished
---  broken: the message of `result`, or why a process could not be started
---  slowest: { name, seconds } of the slowest run
function testing.run(options)
  options = setmetatable({ settings = options.settings or {} }, { __index = options })
  local jobs = plan(options)
  local began, waiting, due, given = system.clock(), {}, 1, 0
  local status = {
    count = #jobs, finished = 0, running = 0, passed = 0, failed = 0, skipped = 0, seconds = 0,
    slowest = { seconds = 0 },
  }

  local function hand_out(run)
    local ok, message = true, nil
    if #run.points > 0 then ok, message = options.result(run) end
    if not ok then status.broken = status.broken or message end
  end

  local function done(job, ended)
    local run = digest(options, job, ended)
    status.finished = status.finished + 1
    for _, point in ipairs(run.points) do status[point.status] = status[point.status] + 1 end
    if run.seconds > status.slowest.seconds then status.slowest = { name = run.name, seconds = run.seconds } end
    waiting[job.index] = run
    while waiting[due] and not status.broken do
      hand_out(waiting[due])
      waiting[due], due = nil, due + 1
    end
  end

  local complete, problem = processes.run {
    workers = options.workers, timeout = options.timeout, done = done,
    jobs = function()
      given = given + 1
      return jobs[given]
    end,
    work = function(job) return wire.encode(run_here(options, job)) end,
    say = function(job, line)
      keep(job, line)
      if options.say then options.say(job.name, line) end
    end,
    tick = function(running)
      status.running, status.seconds = running, system.clock() - began
      return status.broken ~= nil or options.watch and options.watch(status)
    end,
  }
  for index = due, #jobs do -- runs that finished before the end of the test, but are not yet reported
    if waiting[index] and not status.broken then hand_out(waiting[index]) end
  end
  status.seconds, status.complete = system.clock() - began, complete
  status.broken = status.broken or problem
  return status
end

return testing
