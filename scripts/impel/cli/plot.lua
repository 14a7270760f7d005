-- impel plot: plot traces, or measures of a run.

local console = require "impel.cli.console"

local command = { name = "plot", about = "plot a trace over time as SVG; several traces are compared" }

-- Convert "tilt=rad" to { name, unit }.
local function unit(text)
  local name, value = text:match("^(.-)=(.*)$")
  if name and name ~= "" then return { name = name, unit = value } end
  return nil, ("--unit: name=unit expected, got '%s'"):format(text)
end

local function columns(text)
  local list = {}
  for word in (text .. ","):gmatch "%s*([^,]-)%s*," do
    if word == "" then return nil, ("--columns: names separated by commas expected, got '%s'"):format(text) end
    list[#list + 1] = word
  end
  return list
end

local function out(text)
  if text == "-" or text:find "%.svg$" then return text end
  return nil, ("%s: a name ending in .svg expected, or -"):format(text)
end

--- Add --plot, an option of impel run.
function command.declare_option(parser)
  parser:option("--plot", "plot the scene's measures over time, with the units in scene.units"):argname("OUT.svg")
    :convert(function(text)
      local path, message = out(text)
      return path, message and "--plot " .. message
    end)
end

function command.declare(parser)
  parser:argument("traces", "files written by --trace or impel sweep"):argname("IN"):args("+")
  parser:option("-o --output", "file of the plot; -: standard output (default: the first trace's name with .svg)")
    :argname("OUT.svg"):convert(function(text)
      local path, message = out(text)
      return path, message and "-o " .. message
    end)
  parser:option("--columns", "columns to plot (default: all numeric columns)"):argname("A,B,..."):convert(columns)
  parser:option("--unit", "unit of a column; may be repeated; columns with the same unit share a panel")
    :argname("NAME=UNIT"):count("*"):convert(unit)
  parser:option("--over", "column of the horizontal axis (default: time)"):argname("NAME")
  parser:option("--title", "title above the plot"):argname("TEXT")
  parser:flag("-q --quiet", "print only errors and requested output")
end

local function is_name_of(name, column)
  return name == column or column:sub(1, #name) == name and column:find("^%s*%[", #name + 1) ~= nil
end

-- If --unit names unknown columns, return an error for the alphabetically first one: "unit of 'tilt': no such column".
local function unknown_unit(units, known)
  local nearest = require "impel.base.nearest"
  for _, name in ipairs(nearest.keys(units or {})) do
    local found = false
    for _, column in ipairs(known) do found = found or is_name_of(name, column) end
    if not found then return ("unit of '%s': no such column%s"):format(name, nearest.hint(name, known)) end
  end
  return nil
end

local function draw(traces, path, options)
  local plot = require "impel.plot"
  for _, trace in ipairs(traces) do
    local names, message = plot.choose(trace, options.columns, options.x or "time")
    if not names then return { kind = "usage", message = message } end
  end
  if path == "-" then
    io.stdout:write(plot.svg(traces, options))
    return nil
  end
  local ok, message = plot.write(traces, path, options)
  if not ok then return { kind = "damaged", message = message } end
end

--- Collect the rows of a run for a plot.
---@return table rows  add(time, values): for impel.run; draw(path, scene): returns a failure or nil
function command.collect()
  local lists, count = { time = {} }, 0
  local rows = {}

  function rows.add(time, values)
    count = count + 1
    lists.time[count] = time
    for name in pairs(values) do
      if not lists[name] then -- a measure that no earlier row has
        lists[name] = {}
        for i = 1, count - 1 do lists[name][i] = 0 / 0 end
      end
    end
    for name, list in pairs(lists) do
      local value = values[name]
      if type(value) == "boolean" then value = value and 1 or 0 end
      if name ~= "time" then list[count] = value or 0 / 0 end
    end
  end

  function rows.draw(path, scene)
    local trace = require("impel.trace").from(lists)
    local units = scene.definition.units
    local wrong = unknown_unit(units, trace.columns) -- the plot is drawn in spite of an unknown unit
    return draw({ trace }, path, { units = units, title = scene.definition.title }) or
      wrong and { kind = "scene", message = ("%s: %s"):format(scene.file, wrong) } or nil
  end

  return rows
end

-- Read the traces, or return a failure.
local function read(paths, quiet)
  local find, trace = require "impel.cli.find", require "impel.trace"
  local traces = {}
  for i, path in ipairs(paths) do
    local message
    traces[i], message = trace.read(path)
    if not traces[i] then
      local is_trace = path:find "%.csv$" or path:find "%.jsonl$"
      return nil, { kind = is_trace and find.is_readable(path) and "damaged" or "usage", message = message }
    end
    if traces[i].torn and not quiet then console.say(path .. ": the last line is incomplete and is left out") end
  end
  return traces
end

-- Print the names of numeric columns in which some cells are text.
local function warn_mixed(traces)
  for _, trace in ipairs(traces) do
    for _, name in ipairs(trace.columns) do
      local why, mixed = trace:text_in(name)
      if mixed then console.say(("%s: column '%s' is left out: %s"):format(trace.path, name, why)) end
    end
  end
end

local function run(options)
  local traces, failure = read(options.traces, options.quiet)
  if not traces then return console.report(failure, options) end
  local units = {}
  for _, item in ipairs(options.unit) do units[item.name] = item.unit end
  local wrong = unknown_unit(units, traces[1].columns)
  if wrong then return console.refuse(wrong, options) end
  local path = options.output or options.traces[1]:gsub("%.%w+$", ".svg")
  failure = draw(traces, path, { columns = options.columns, units = units, x = options.over, title = options.title })
  if failure then return console.report(failure, options) end
  if not options.quiet and not options.columns then warn_mixed(traces) end
  if not options.quiet and not options.output then console.say("wrote ", path) end
  return console.EXIT.ok
end

function command.run(host, options)
  return console.until_interrupted(host, function() return run(options) end)
end

return command
