-- impel.trace: read and analyse files of `impel run --trace OUT.csv` or OUT.jsonl, and of sweeps.
--
--   local trace = assert(impel.trace.read "drop.csv")
--   print(trace.count, table.concat(trace.columns, " "))
--   print(trace:statistics("height").max, trace:settling_time("height", { band = 0.02 }))
--   print(trace:peak("height"))                               -- Hz, amplitude
--   for row in trace:rows() do print(row.time, row.height) end
--
-- A trace is immutable. A missing value is nan, and methods ignore it: they interpolate between its neighbours.
--
-- A missing column, a text column or a time that does not increase raises. A property that a curve lacks, such as
-- settling or an oscillation, is nil and a message.

require "impel.core" -- provides impel.system
local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"
local recorder = require "impel.recorder"
local response = require "impel.series.response"
local spectrum = require "impel.series.spectrum"
local system = require "impel.system"
local trace_text = require "impel.series.trace_text"

local trace = {}
local Trace = {}

local NAN = 0 / 0
local FIELDS = { "columns", "count", "path", "torn" }
local EVEN = 1e-6     -- relative tolerance for equal steps, covers the rounding of up to 1e9 steps
local MOST = 10000000 -- limit of rows of a resampled trace: some hundred megabytes per column

function Trace.__index(_, name)
  if Trace[name] then return Trace[name] end
  if name == "path" then return nil end
  local names = nearest.keys(Trace)
  table.move(FIELDS, 1, #FIELDS, #names + 1, names)
  error(("no field '%s' in a trace%s"):format(tostring(name), nearest.hint(name, names)), 2)
end

local private = setmetatable({}, { __mode = "k" }) -- data of each trace: columns as read, and cached series without nan

local function new(data, path)
  local self = { columns = data.names, count = data.count, torn = data.torn, path = path }
  private[self] = { columns = data.columns, series = {}, texts = data.texts or {} }
  return setmetatable(self, Trace)
end

--- Return whether a value is a trace.
---@return boolean
function trace.is_trace(value) return private[value] ~= nil end

function Trace:__tostring()
  return ("trace '%s' (%d rows)"):format(rawget(self, "path") or "?", self.count)
end


-- Reading ------------------------------------------------------------------------------------------------------------

local formats = { csv = trace_text.csv, jsonl = trace_text.jsonl }

local function format_of(format)
  return formats[format] or
    error(("trace: format 'csv' or 'jsonl' expected, got %s"):format(tostring(format)), 3)
end

--- Parse a trace or a sweep from text.
---@param text string
---@param format string  "csv" or "jsonl"
---@return table|nil trace  nil if the text has an error; trace.torn: whether an incomplete last line was dropped
---@return string|nil message  with the line number
function trace.parse(text, format)
  arguments.check("trace.parse: argument 'text'", text, { "string" })
  local data, message = format_of(format)(text)
  if not data then return nil, message end
  return new(data)
end

--- Read a file. An incomplete last line is dropped and sets `trace.torn`.
---@param path string  ends in .csv or .jsonl
---@return table|nil trace  nil if the file cannot be read
---@return string|nil message  with the line number of an error
function trace.read(path)
  if type(path) ~= "string" then error(("trace.read: path expected, got %s"):format(type(path)), 2) end
  local format = formats[path:match("%.(%w+)$") or ""]
  if not format then return nil, ("trace '%s': a name ending in .csv or .jsonl expected"):format(path) end
  local text, message = system.read_file(path)
  if not text then return nil, ("cannot read trace %s"):format(message) end
  local data
  data, message = format(text)
  if not data then return nil, ("trace %s: %s"):format(path, message) end
  return new(data, path)
end

local function checked_column(name, values)
  local text, column = type(values[1]) == "string", {}
  for i, x in ipairs(values) do
    local kind = type(x)
    if kind ~= "number" and kind ~= "boolean" and kind ~= "string" or text ~= (kind == "string") then
      error(("trace.from: column '%s', row %d: %s expected, got %s"):format(name, i, text and "text as in row 1" or
        "number or boolean", kind), 3)
    end
    column[i] = kind == "boolean" and (x and 1 or 0) or x
  end
  return column
end

--- Make a trace from lists.
---@param columns table<string, number[]|boolean[]|string[]>  all of one length; `time` [s] must increase for methods
---  that use it
---@return table trace  columns: time first, the other names sorted
function trace.from(columns)
  if type(columns) ~= "table" then error(("trace.from: table of columns expected, got %s"):format(type(columns)), 2) end
  local names, copies = trace_text.order(columns), {}
  if #names == 0 then error("trace.from: at least one column expected: { time = {...}, name = {...} }", 2) end
  local count = type(columns[names[1]]) == "table" and #columns[names[1]]
  for _, name in ipairs(names) do
    local values = columns[name]
    if type(values) ~= "table" then
      error(("trace.from: column '%s': list expected, got %s"):format(name, type(values)), 2)
    end
    copies[name] = checked_column(name, values)
    if #copies[name] ~= count then
      error(("trace.from: column '%s' has %d rows, '%s' has %d"):format(name, #copies[name], names[1], count), 2)
    end
  end
  return new { names = names, columns = copies, count = count, torn = false }
end


-- Columns ------------------------------------------------------------------------------------------------------------

local function find_column(self, name, level)
  local column = type(name) == "string" and private[self].columns[name]
  if column then return column end
  error(("no column '%s' in %s%s"):format(tostring(name), tostring(self), nearest.hint(name, self.columns)), level + 1)
end

--- Return why a column of a CSV file is text: its first cell with text.
---@param name string
---@return string|nil why  "line 3 has 'abc'"; nil if it has numbers or was not read from CSV
---@return boolean|nil mixed  other cells of the column are numbers
function Trace:text_in(name)
  find_column(self, name, 2)
  local text = private[self].texts[name]
  if not text then return nil end
  return ("line %d has '%s'"):format(text.line, arguments.short(text.cell)), text.mixed
end

local function is_text(column)
  return type(column[1]) == "string"
end

local function refuse_text(self, name, column, level)
  if not is_text(column) then return end
  local row = 1
  while row < #column and column[row] == "" do row = row + 1 end
  error(("column '%s' of %s holds text ('%s' in row %d)"):format(name, tostring(self), column[row], row), level + 1)
end

local function checked_times(self, level)
  local column = find_column(self, "time", level + 1)
  refuse_text(self, "time", column, level + 1)
  local last = -math.huge
  for i, t in ipairs(column) do
    if not (t > last and t < math.huge) then
      error(("the time of %s does not increase at row %d: %s after %s"):format(tostring(self), i, t, last), level + 1)
    end
    last = t
  end
  return column
end

-- Return the values of a numeric column as floats, without missing values, and the row of each value.
local function values_of(self, name, level)
  local column = find_column(self, name, level + 1)
  refuse_text(self, name, column, level + 1)
  local values, rows = {}, {}
  for i, x in ipairs(column) do
    if x == x then values[#values + 1], rows[#rows + 1] = x + 0.0, i end
  end
  return values, rows
end

-- Return a column over time: { times, values, rows }, without missing values. level: as for error(message, level).
local function series_of(self, name, level)
  local known = private[self].series
  if known[name] then return known[name] end
  local values, rows = values_of(self, name, level + 1)
  local all, times = checked_times(self, level + 1), {}
  for i, row in ipairs(rows) do times[i] = all[row] + 0.0 end
  known[name] = { times = times, values = values, rows = rows }
  return known[name]
end

-- Return a column over time. The column must have at least one number.
local function some_series_of(self, name, level)
  local series = series_of(self, name, level + 1)
  if #series.values == 0 then error(("column '%s' of %s has no value"):format(name, tostring(self)), level + 1) end
  return series
end

local function checked_options(options, names, level)
  if options ~= nil and type(options) ~= "table" then
    error(("options: table expected, got %s"):format(arguments.got(options)), level + 1)
  end
  for _, name in ipairs(nearest.keys(options or {})) do
    if not nearest.has(names, name) then
      error(("unknown option '%s'%s"):format(name, nearest.hint(name, names)), level + 1)
    end
    local value = options[name]
    if type(value) ~= "number" or value ~= value then
      error(("option '%s': number expected, got %s"):format(name, tostring(value)), level + 1)
    end
  end
  return options or {}
end

local function checked_number(what, value, level)
  if type(value) == "number" and value == value then return value end
  error(("%s: number expected, got %s"):format(what, tostring(value)), level + 1)
end

--- Return the values of a column in a new list: numbers, nan for missing ones, or texts.
---@param name string
---@return number[]|string[]
function Trace:column(name)
  local column = find_column(self, name, 2)
  return table.move(column, 1, #column, 1, {})
end

--- Return an iterator over the rows, each a new table: row[name].
function Trace:rows()
  local columns, i = private[self].columns, 0
  return function()
    if i >= self.count then return nil end
    i = i + 1
    local row = {}
    for _, name in ipairs(self.columns) do row[name] = columns[name][i] end
    return row
  end
end

-- Return a trace whose columns are the results of pick(name, column).
local function derived(self, count, pick)
  local columns = {}
  for _, name in ipairs(self.columns) do columns[name] = pick(name, private[self].columns[name]) end
  return new { names = self.columns, columns = columns, count = count, torn = self.torn }
end

--- Return the rows from t0 to t1, both included.
---@param t0 number|nil  [s], default the start
---@param t1 number|nil  [s], default the end
---@return table trace
function Trace:window(t0, t1)
  local times = checked_times(self, 2)
  local from = checked_number("window: t0", t0 or -math.huge, 2)
  local to = checked_number("window: t1", t1 or math.huge, 2)
  local last = response.index(times, to)
  local first = response.index(times, from)
  if first == 0 or times[first] < from then first = first + 1 end
  return derived(self, math.max(0, last - first + 1), function(_, column)
    return table.move(column, first, last, 1, {})
  end)
end

-- Return the times first + k dt up to the last time, which is included if the span is a multiple of dt up to rounding.
local function grid(times, dt)
  local first, last = times[1], times[#times]
  local list, steps = {}, math.floor((last - first) / dt + EVEN)
  for k = 0, steps do list[k + 1] = math.min(first + k * dt, last) + 0.0 end
  return list
end

--- Return the trace at equal steps of time, interpolated linearly; nan outside the values of a column. A text column
--- has its last text at or before each time.
---@param dt number  [s], above 0
---@return table trace
function Trace:resample(dt)
  local times = checked_times(self, 2)
  if type(dt) ~= "number" or not (dt > 0 and dt < math.huge) then
    error(("resample: dt above 0 s expected, got %s"):format(tostring(dt)), 2)
  end
  if #times == 0 then return self end
  if (times[#times] - times[1]) / dt > MOST then
    error(("resample: dt %g s gives more than %d rows"):format(dt, MOST), 2)
  end
  local list = grid(times, dt)
  return derived(self, #list, function(name, column)
    if name == "time" then return list end
    local series, picked = not is_text(column) and series_of(self, name, 2), {}
    for i, t in ipairs(list) do
      picked[i] = series and (response.at(series.times, series.values, t) or NAN)
        or column[response.index(times, t)]
    end
    return picked
  end)
end

--- Write the trace to a file.
---@param path string  ends in .csv or .jsonl
---@return boolean|nil ok
---@return string|nil message
function Trace:write(path)
  local columns = private[self].columns
  find_column(self, "time", 2)
  for _, name in ipairs(self.columns) do refuse_text(self, name, columns[name], 2) end
  local file <close>, message = recorder.open(path)
  if not file then return nil, message end
  for i = 1, self.count do
    local row = {}
    for _, name in ipairs(self.columns) do
      if name ~= "time" then row[name] = columns[name][i] end
    end
    local ok
    ok, message = file:row(columns.time[i], row)
    if not ok then return nil, message end
  end
  return file:close()
end


-- Curves -------------------------------------------------------------------------------------------------------------

--- Return statistics of the samples of a column. All samples have equal weight, even at uneven times.
---@param name string
---@return table statistics  count (without missing values), first, last, min, max, mean, std, rms, min_time, max_time
---  [s]
function Trace:statistics(name)
  if private[self].columns.time then
    local series = series_of(self, name, 2)
    return response.statistics(series.times, series.values)
  end
  local values = values_of(self, name, 2)
  return response.statistics(nil, values)
end

--- Return the root mean square of a column's samples.
---@param name string
---@return number
function Trace:rms(name)
  local values = values_of(self, name, 2)
  return response.statistics(nil, values).rms
end

--- Return the value at a time, interpolated linearly.
---@param name string
---@param t number  [s]
---@return number|nil value  nil if t is outside the column's values
---@return string|nil message
function Trace:at(name, t)
  local series = some_series_of(self, name, 2)
  checked_number("at: t", t, 2)
  local value, times = response.at(series.times, series.values, t), series.times
  if value then return value end
  return nil, ("%g s is outside %g..%g s"):format(t, times[1], times[#times])
end

--- Return the derivative of a column at every row; nan for missing values.
---@param name string
---@return number[]  column unit per s
function Trace:derivative(name)
  local series = series_of(self, name, 2)
  local slopes, list = response.derivative(series.times, series.values), {}
  for i = 1, self.count do list[i] = NAN end
  for i, row in ipairs(series.rows) do list[row] = slopes[i] end
  return list
end

--- Return the integral of a column over time, by the trapezoidal rule.
---@param name string
---@return number total  column unit times s
---@return number[] running  up to every row; a row with a missing value repeats the integral of the row before
function Trace:integral(name)
  local series = series_of(self, name, 2)
  local total, sums = response.integral(series.times, series.values)
  local list, last, k = {}, 0.0, 1
  for i = 1, self.count do
    if series.rows[k] == i then last, k = sums[k], k + 1 end
    list[i] = last
  end
  return total, list
end

--- Return the time of the trace at which a column enters a band about its target to stay, interpolated linearly.
---@param name string
---@param options table|nil
---  target, from: default the last and first value
---  band: half width / |target - from|, default 0.02
---  within: half width in the column's unit, instead of `band`
---@return number|nil time  [s]; nil if the last value is outside the band, or the band has zero width
---@return string|nil message
function Trace:settling_time(name, options)
  local series = some_series_of(self, name, 2)
  options = checked_options(options, { "target", "band", "from", "within" }, 2)
  return response.settling_time(series.times, series.values, options)
end

--- Return how far a column exceeds its target, relative to |target - from|; 0 if it does not.
---@param name string
---@param options table|nil  target, from: default the last and first value
---@return number|nil fraction  nil if the column has no step
---@return string|nil message
function Trace:overshoot(name, options)
  local series = some_series_of(self, name, 2)
  options = checked_options(options, { "target", "from" }, 2)
  return response.overshoot(series.values, options)
end

--- Return the time from one fraction of a column's step to another.
---@param name string
---@param options table|nil  low: default 0.1; high: default 0.9; target, from: default the last and first value
---@return number|nil duration  [s]; nil if the column has no step or does not reach the fractions
---@return string|nil message
function Trace:rise_time(name, options)
  local series = some_series_of(self, name, 2)
  options = checked_options(options, { "low", "high", "target", "from" }, 2)
  return response.rise_time(series.times, series.values, options)
end

--- Return when a column crosses a level. Touching does not count.
---@param name string
---@param level number|nil  default 0
---@return number[] times  [s]
---@return integer[] directions  1: up, -1: down
function Trace:crossings(name, level)
  local series = series_of(self, name, 2)
  checked_number("crossings: level", level or 0, 2)
  return response.crossings(series.times, series.values, level or 0)
end

--- Return the mean period of an oscillation about a level.
---@param name string
---@param level number|nil  default the mean of the samples
---@return number|nil period  [s]; nil if there is no complete oscillation
---@return string|nil message
function Trace:period(name, level)
  local series = some_series_of(self, name, 2)
  checked_number("period: level", level or 0, 2)
  level = level or response.statistics(nil, series.values).mean
  return response.period(series.times, series.values, level)
end


-- Frequencies --------------------------------------------------------------------------------------------------------

-- Return n samples of a column at equal intervals, n the number of its values. Interpolate if its times are uneven.
local function even_samples(self, name, level)
  local series = some_series_of(self, name, level + 1)
  local times, values = series.times, series.values
  local n = #values
  if n < 4 then
    error(("column '%s' of %s has %d values: frequencies need at least 4"):format(name, tostring(self), n),
      level + 1)
  end
  local first, last = times[1], times[n]
  local dt, even, samples = (last - first) / (n - 1), true, {}
  for i, x in ipairs(values) do
    if x == math.huge or x == -math.huge then
      error(("column '%s' of %s is %s at %g s"):format(name, tostring(self), x, times[i]), level + 1)
    end
    even = even and math.abs(first + (i - 1) * dt - times[i]) <= EVEN * dt
  end
  if even then return values, dt end
  for i = 1, n do samples[i] = response.at(times, values, math.min(first + (i - 1) * dt, last)) end
  return samples, dt
end

--- Return the spectrum of a column without its mean, under a Hann window.
---@param name string
---@return number[] frequencies  [Hz]
---@return number[] amplitudes  of a sine with that frequency
function Trace:spectrum(name)
  local samples, dt = even_samples(self, name, 2)
  return spectrum.amplitudes(samples, dt, 1)
end

--- Return the largest peak of a column's spectrum.
---@param name string
---@param options table|nil  lowest: default 2 / duration of the trace; highest: default half the sampling rate [Hz]
---@return number|nil frequency  [Hz]; nil if no oscillation is found
---@return number|string amplitude  of a sine with an equally high peak; or a message
function Trace:peak(name, options)
  local samples, dt = even_samples(self, name, 2)
  options = checked_options(options, { "lowest", "highest" }, 2)
  local lowest, highest = options.lowest or 2 / (#samples * dt), options.highest or 0.5 / dt
  local frequency, amplitude = spectrum.peak(samples, dt, lowest, highest)
  if frequency then return frequency, amplitude end
  return nil, ("no peak between %g and %g Hz"):format(lowest, highest)
end

return trace
