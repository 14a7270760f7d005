-- Step a run until its end or an interrupt, and show a progress line.

local console = require "impel.cli.console"

local function progress(run)
  local rate = run.seconds > 0 and run.count / run.seconds or 0
  return ("%s  step %d of %d  %.2f s  %.0f steps/s"):format(run.scene.name, run.count, run.steps, run.time or 0, rate)
end

--- Step a run to its end.
---@param run table  of impel.run
---@param host table
---@param options table  verbose
---@param line table     of console.progress
---@param look nil|fun(): boolean|nil, table|nil  called after each step; a failure that it returns ends the run
---@return integer|nil exit_code  if the run did not reach its end; the reason was printed
return function(run, host, options, line, look)
  while not run:done() do
    if host.interrupted() then
      line.clear()
      console.say(("interrupted after step %d of %d"):format(run.count, run.steps))
      return console.EXIT.interrupted
    end
    line.show(progress, run)
    local ok, failure = run:step()
    if ok and look then ok, failure = look() end
    if not ok then
      line.clear()
      return console.report(failure, options)
    end
  end
  line.clear()
  return nil
end
