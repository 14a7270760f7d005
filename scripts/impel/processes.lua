-- Run jobs in separate processes, several at a time.
--
--   processes.run {
--     workers = 2, timeout = 60,
--     jobs = function() return next_job end,              -- any value; nil: no more jobs
--     work = function(job) return "text", "text" end,     -- in the process; returns text
--     done = function(job, outcome) end,                  -- in this process
--   }
--
-- Fields of an outcome: `values`, the list of the results of work; `seconds`, the wall time [s]; `cpu`, the processor
-- time [s]. If the job failed, `values` is nil, `ended` is "exited", "killed" or "timeout", and `reason` is a message.

require "impel.core" -- provides impel.system
local arguments = require "impel.base.arguments"
local rowfile = require "impel.base.rowfile"
local system = require "impel.system"

local processes = {}

local FIELDS = { -- fields of processes.run's options
  jobs = { "function" }, work = { "function" }, done = { "function" }, workers = { "integer", min = 1, default = 1 },
  timeout = { "number", above = 0, infinite = true, optional = true, unit = "s" },
  say = { "function", optional = true }, tick = { "function", optional = true },
}

local STDOUT, STDERR = 1, 2
local EXIT_RAISED = 70 -- exit code of a process whose function `work` raised an error
local TICK = 0.1       -- [s], longest time between two checks of timeouts and interrupts
local LONGEST_LINE = 65536 -- [B], largest line of output of a process; longer lines are cut
local FRAME = "<s4"    -- pack format of a result of `work`: its length in 4 bytes, and its text

-- In the child: run `work`, send its results and exit.
local function serve(work, job, results, messages)
  rowfile.close_inherited()
  system.redirect(STDERR, messages)
  system.redirect(STDOUT, STDERR) -- stdout must contain only the output of the parent
  local returned = table.pack(xpcall(work, debug.traceback, job))
  if not returned[1] then
    io.stderr:write(tostring(returned[2]), "\n")
    system.exit(EXIT_RAISED)
  end
  local frames = {}
  for i = 2, returned.n do frames[i - 1] = string.pack(FRAME, returned[i]) end
  local sent = system.append(results, ("<I4"):pack(#frames) .. table.concat(frames))
  system.exit(sent and 0 or EXIT_RAISED)
end

local function start(options, job)
  local results, results_end = system.pipe()
  if not results then return nil, results_end end
  local messages, messages_end = system.pipe()
  if not messages then
    system.close(results)
    system.close(results_end)
    return nil, messages_end
  end
  local id, problem = system.fork()
  if id == 0 then serve(options.work, job, results_end, messages_end) end
  system.close(results_end)
  system.close(messages_end)
  if not id then
    system.close(results)
    system.close(messages)
    return nil, problem
  end
  return {
    id = id, job = job, results = results, messages = messages, open = 2, received = {}, line = {}, length = 0,
    began = system.clock(),
  }
end

-- Return the values in the text from a process, or nil if they are incomplete.
local function unpack_values(text)
  if #text < 4 then return nil end
  local count, at = ("<I4"):unpack(text)
  local values = {}
  for i = 1, count do
    local ok, value, after = pcall(string.unpack, FRAME, text, at)
    if not ok then return nil end
    values[i], at = value, after
  end
  return values
end

-- Pass a line of output of a process to options.say.
local function end_line(options, process)
  if options.say then options.say(process.job, table.concat(process.line)) end
  process.line, process.length = {}, 0
end

local function say(options, process, text)
  local at = 1
  while at <= #text do
    local stop = text:find("\n", at, true)
    local piece = text:sub(at, (stop or #text + 1) - 1)
    process.line[#process.line + 1], process.length = piece, process.length + #piece
    if stop or process.length > LONGEST_LINE then end_line(options, process) end
    at = stop and stop + 1 or #text + 1
  end
end

-- Read data from a descriptor of a process. At the end of the data, close the descriptor.
local function receive(options, process, descriptor)
  local text, _, reason = system.read(descriptor)
  if not text and reason == "again" then return end
  if text and text ~= "" then
    if descriptor == process.messages then
      say(options, process, text)
    else
      process.received[#process.received + 1] = text
    end
    return
  end
  system.close(descriptor)
  process.open = process.open - 1
  if descriptor == process.results then process.results = nil else process.messages = nil end
end

-- Return the outcome of a process that has ended.
local function finish(options, process)
  if process.length > 0 then end_line(options, process) end
  local ended, detail, cpu = system.wait(process.id)
  local outcome = { seconds = system.clock() - process.began, cpu = cpu or 0 }
  outcome.values = unpack_values(table.concat(process.received))
  if process.killed then
    outcome.values, outcome.ended, outcome.reason = nil, process.killed, process.why
  elseif not outcome.values then
    outcome.ended = ended == "killed" and "killed" or "exited"
    outcome.reason = ended == "killed" and "killed by " .. detail or ("exited with status %s"):format(tostring(detail))
  end
  return outcome
end

local function stop(process, ended, why)
  process.killed, process.why = ended, why
  system.kill(process.id)
end

-- End a process whose outcome is not needed.
local function abandon(options, process)
  stop(process, "stopped")
  finish(options, process)
  if process.results then system.close(process.results) end
  if process.messages then system.close(process.messages) end
end

-- Wait at most a tick for data from the processes, and read the data.
local function listen(options, running)
  local descriptors, owners = {}, {}
  for _, process in ipairs(running) do
    local function add(descriptor)
      descriptors[#descriptors + 1], owners[descriptor] = descriptor, process
    end
    if process.results then add(process.results) end
    if process.messages then add(process.messages) end
  end
  for _, descriptor in ipairs(system.poll(descriptors, TICK)) do receive(options, owners[descriptor], descriptor) end
end

-- End processes after the timeout, and those that have sent results but left a descendant that keeps stderr open.
local function look_at_clock(options, running)
  local now = system.clock()
  for _, process in ipairs(running) do
    if options.timeout and not process.killed and now - process.began > options.timeout then
      stop(process, "timeout", ("took more than %g s"):format(options.timeout))
    end
    if not process.results and process.messages then
      receive(options, process, process.messages)
      if process.messages and now - (process.silent or now) > TICK then
        system.close(process.messages)
        process.messages, process.open = nil, 0
      end
      process.silent = process.silent or now
    end
  end
end

--- Run jobs, at most `workers` at a time, until none remain.
---@param options table
---  jobs: function that returns the next job or nil
---  work(job) -> text...: runs in a separate process, a copy of this one
---  done(job, outcome): called in this process, in the order in which jobs end
---  workers: number of processes at a time, default 1
---  timeout: wall time of each job [s]; nil: unlimited
---  say(job, line): receives each line that a job writes to stdout or stderr; nil: output is discarded
---  tick(running): called at least ten times a second; if it returns true, all running jobs end without calls of done
---@return boolean complete  false if tick ended the jobs or if a process could not be started
---@return string|nil message  why a process could not be started
function processes.run(options)
  options = arguments.read("processes.run", options, FIELDS)
  local running, more, job = {}, true, nil
  collectgarbage() -- collect garbage, because fork copies the heap
  system.tidy()
  while true do
    if options.tick and options.tick(#running) then
      for _, process in ipairs(running) do abandon(options, process) end
      return false
    end
    while more and #running < options.workers do
      if job == nil then job = options.jobs() end
      if job == nil then
        more = false
      else
        local process, problem = start(options, job)
        if not process and #running == 0 then return false, problem end
        if not process then break end -- no further process is possible now, so wait until a process has ended
        job, running[#running + 1] = nil, process
      end
    end
    if #running == 0 then return true end
    listen(options, running)
    look_at_clock(options, running)
    for i = #running, 1, -1 do
      local process = running[i]
      if process.open <= 0 then
        table.remove(running, i)
        options.done(process.job, finish(options, process))
      end
    end
  end
end

--- Run a function in a separate process. Return its outcome.
---@param work fun(): ...  returns text
---@param timeout number|nil  [s]
---@param say_line function|nil  option `say` of processes.run
---@return table outcome
function processes.call(work, timeout, say_line)
  arguments.check("processes.call: argument 'work'", work, { "function" })
  local outcome
  local waiting = true
  local ok, message = processes.run {
    jobs = function()
      local job = waiting and true or nil
      waiting = false
      return job
    end,
    work = work, timeout = timeout, say = say_line,
    done = function(_, result) outcome = result end,
  }
  if ok then return outcome end
  return { ended = "exited", reason = message, seconds = 0, cpu = 0 }
end

return processes
