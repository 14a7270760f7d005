-- Messages of commands on stderr, exit codes, and the progress line.

local environment = require "impel.scene.environment"

local console = {}

--- Exit code of each kind of failure, and of success.
console.EXIT = {
  ok = 0, check = 1, usage = 2, scene = 3, diverged = 4, damaged = 5, quota = 6, internal = 70,
  interrupted = 130,
}

local PROGRESS_INTERVAL = 0.2 -- [s] between updates of the progress line

--- Print a message of the program to stderr.
function console.say(...)
  io.stderr:write("impel: ", ...)
  io.stderr:write("\n")
end

--- Write to standard output and flush. Return nil and a message on failure.
function console.print(...)
  local ok, message = io.stdout:write(...)
  if ok then ok, message = io.stdout:flush() end
  if ok then return true end
  return nil, "cannot write to standard output: " .. message
end

--- Print a failure and return its exit code.
---@param failure table  kind: a name of EXIT; message, traceback
---@param options table  verbose: print the traceback if there is one
---@return integer exit_code
function console.report(failure, options)
  console.say(options.verbose and failure.traceback or failure.message)
  return console.EXIT[failure.kind]
end

--- Print a usage error, and return its exit code.
---@param message string
---@param options table
---@return integer exit_code
function console.refuse(message, options) return console.report({ kind = "usage", message = message }, options) end

--- Format a duration: 0.42 s, 1:05, 2:03:04.
---@param seconds number
function console.duration(seconds)
  if seconds < 60 then return ("%.3g s"):format(seconds) end
  local whole = math.floor(seconds + 0.5)
  if whole < 3600 then return ("%d:%02d"):format(whole // 60, whole % 60) end
  return ("%d:%02d:%02d"):format(whole // 3600, whole // 60 % 60, whole % 60)
end

--- Make a progress line on the terminal. It does nothing if stderr is not a terminal.
---@param host table
---@param quiet boolean|nil
---@return table line  show(text): a text or a function that returns one; clear()
function console.progress(host, quiet)
  local shown, due = false, 0
  local line = {}

  function line.show(text, ...)
    if quiet or not host.isatty(2) or host.clock() < due then return end
    due = host.clock() + PROGRESS_INTERVAL
    shown = true
    if type(text) == "function" then text = text(...) end
    local columns = host.columns(2)
    if columns and #text >= columns then text = text:sub(1, columns - 1) end -- a line that wraps cannot be erased
    io.stderr:write("\r", text, "\27[K")
    io.stderr:flush()
  end

  function line.clear()
    if shown then io.stderr:write("\r\27[K") end
    shown, due = false, 0
  end

  return line
end

--- Return the text of the progress line for a run under one of several solvers.
function console.step_of(run)
  return ("%s  %s  step %d of %d"):format(run.scene.name, run.world.solver, run.count, run.steps)
end

--- Return a scene's print function, which writes to stderr.
---@param line table  of console.progress
function console.scene_print(line)
  return environment.printer(function(...)
    line.clear()
    io.stderr:write(...)
  end)
end

local HOOK_COUNT = 10000 -- Lua instructions between two checks for an interrupt

--- Raise "interrupted" in running Lua code after an interrupt, until debug.sethook() is called without arguments.
---@param host table
function console.raise_interrupts(host)
  debug.sethook(function()
    if host.interrupted() then error("interrupted", 0) end
  end, "", HOOK_COUNT)
end

--- Run a function, and abort it after an interrupt.
---@param host table
---@param run fun(): integer
---@return integer exit_code
function console.until_interrupted(host, run)
  console.raise_interrupts(host)
  local ok, result = xpcall(run, debug.traceback)
  debug.sethook()
  if ok then return result end
  if not host.interrupted() then error(result, 0) end
  console.say "interrupted"
  return console.EXIT.interrupted
end

return console
