-- Writes the test points of impel.testing as TAP 13, the Test Anything Protocol (testanything.org).
-- Only the lines that begin with `  duration_ms:` differ between two runs.

local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local printable = require "impel.base.printable"

local tap = {}

tap.VERSION = "TAP version 13\n"

local function one_line(text)
  return (printable(text):gsub("[\n\t]+", " "))
end

-- Escape a description, because a # would begin a directive.
local function describe(text)
  return (one_line(text):gsub("[\\#]", "\\%0"))
end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\t"] = "\\t" }

local function quote(text)
  return '"' .. printable(text):gsub('["\\\n\t]', escapes) .. '"'
end

local function scalar(value)
  if type(value) == "string" then return quote(value) end
  return type(value) == "number" and json.number(value) or tostring(value)
end

-- Return a text of several lines as a YAML block.
local function block(text)
  return "|\n" .. printable(text):gsub("\n+$", ""):gsub("\t", "  "):gsub("[^\n]+", "    %0"):gsub("\n\n+", "\n")
end

local function diagnose(point, run, verbose)
  local lines = { "  ---" }
  local function add(name, value)
    if value ~= nil then lines[#lines + 1] = ("  %s: %s"):format(name, value) end
  end
  local function say(name, value) add(name, value ~= nil and scalar(value) or nil) end
  say("message", point.message)
  if point.status == "failed" then
    add("severity", point.reason)
    say("rerun", run.rerun)
  end
  if verbose and point.traceback then add("traceback", block(point.traceback)) end
  add("file", quote(run.file))
  say("seed", run.seed)
  if verbose and run.values and next(run.values) ~= nil then
    local values = {}
    for _, name in ipairs(nearest.keys(run.values)) do
      values[#values + 1] = ("\n    %s: %s"):format(name, scalar(run.values[name]))
    end
    lines[#lines + 1] = "  params:" .. table.concat(values)
  end
  say("steps", run.steps)
  say("time", run.time)
  say("hash", run.hash)
  if point.seconds then add("duration_ms", ("%.3f"):format(1e3 * point.seconds)) end
  lines[#lines + 1] = "  ...\n"
  return table.concat(lines, "\n")
end

--- Return a test point as text.
---@param number integer  number of the point, from 1
---@param point table     of impel.testing
---@param run table       the point's run
---@param verbose boolean|nil  with traceback and parameters
---@return string
function tap.point(number, point, run, verbose)
  local line = ("%s %d - %s"):format(point.status == "failed" and "not ok" or "ok", number, describe(point.name))
  if point.status == "skipped" then return ("%s # SKIP %s\n"):format(line, one_line(point.message)) end
  return line .. "\n" .. diagnose(point, run, verbose)
end

--- Return the plan: the number of points.
---@param count integer
---@param reason string|nil  why the number is 0
function tap.plan(count, reason)
  return ("1..%d%s\n"):format(count, reason and " # SKIP " .. one_line(reason) or "")
end

--- Return the line that ends the stream early, instead of a plan.
---@param reason string
function tap.bail_out(reason)
  return ("Bail out! %s\n"):format(one_line(reason))
end

return tap
