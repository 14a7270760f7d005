-- impel.recorder: write rows of numbers over time to CSV or JSON lines.
--
--   local trace <close> = assert(recorder.open("out.csv"))
--   trace:row(world.time, { tilt = hinge.value })
--
-- The first row determines the columns: `time`, then the names sorted. Non-finite numbers are nan or inf in CSV and
-- null in JSON; a value that a later row lacks is nan or null.

local arguments = require "impel.base.arguments"
local csv = require "impel.base.csv"
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local rowfile = require "impel.base.rowfile"

local recorder = {}
local Recorder = {}
Recorder.__index = Recorder

local TIME, TABLE = { "number", unit = "s" }, { "table" }

local function csv_value(value)
  if type(value) == "boolean" then return value and "1" or "0" end
  return value == nil and "nan" or json.number(value)
end

local formats = {}

function formats.csv(columns, values)
  local fields = {}
  for i, name in ipairs(columns) do fields[i] = csv_value(values[name]) end
  return table.concat(fields, ",")
end

function formats.jsonl(columns, values)
  local fields = {}
  for i, name in ipairs(columns) do fields[i] = ("%s:%s"):format(json.encode(name), json.encode(values[name])) end
  return "{" .. table.concat(fields, ",") .. "}"
end

--- Start a trace in a .csv or .jsonl file. Return it, or nil and a message if the suffix is unknown or the file cannot
--- be written.
function recorder.open(path)
  arguments.check("recorder.open: argument 'path'", path, { "string" })
  local format = formats[path:match("%.(%w+)$") or ""]
  if not format then return nil, ("trace '%s': a name ending in .csv or .jsonl expected"):format(path) end
  local file, message = rowfile.open(path, "replace", true)
  if not file then return nil, (message:gsub("^cannot write", "%0 trace")) end
  return setmetatable({ path = path, format = format, file = file }, Recorder)
end

local function check_open(self, method)
  if not self.file then arguments.fail("recorder:%s: the trace %s is closed", method, self.path) end
end

local function write_line(self, text)
  local ok, message = self.file:add(text)
  if ok then return true end
  return nil, (message:gsub("^cannot write", "%0 trace"))
end

local function set_columns(self, values)
  local names = arguments.keys(values)
  for _, name in ipairs(names) do
    if type(name) ~= "string" then
      error(("trace: the name of a column must be a string, got %s"):format(arguments.got(name)), 3)
    end
    if name == "time" then error("trace: the column name 'time' is reserved", 3) end
  end
  table.insert(names, 1, "time")
  self.columns = names
  self.known = {}
  for _, name in ipairs(self.columns) do self.known[name] = true end
end

local function is_cell(value) return type(value) == "number" or type(value) == "boolean" end

-- Raise an error for the alphabetically first name that has no column or an invalid value.
local function refuse(self, values)
  for _, name in ipairs(arguments.keys(values)) do
    if not self.known[name] then
      error(("trace: column '%s' was not in the first row%s"):format(arguments.called(name),
        nearest.hint(name, self.columns)), 3)
    end
    if not is_cell(values[name]) then
      error(("trace: column '%s': number or boolean expected, got %s"):format(name, type(values[name])), 3)
    end
  end
end

--- Write one row. Raises for a value that is neither number nor boolean, and for a name that the first row did not
--- have.
---@param time number  [s]
---@param values table<string, number|boolean>
---@return boolean|nil ok  nil if the file cannot be written
---@return string|nil message
function Recorder:row(time, values)
  check_open(self, "row")
  arguments.check("recorder:row: time", time, TIME)
  arguments.check("recorder:row: values", values, TABLE)
  if not self.columns then
    set_columns(self, values)
    if self.format == formats.csv then
      local ok, message = write_line(self, csv.line(self.columns, #self.columns))
      if not ok then return nil, message end
    end
  end
  local row = { time = time }
  for name, value in nearest.pairs(values) do
    if not self.known[name] or not is_cell(value) then refuse(self, values) end
    row[name] = value
  end
  return write_line(self, self.format(self.columns, row))
end

--- Write buffered data to the file.
---@return boolean|nil ok
---@return string|nil message
function Recorder:flush()
  check_open(self, "flush")
  local ok, message = self.file:flush()
  if ok then return true end
  return nil, (message:gsub("^cannot write", "%0 trace"))
end

--- Write buffered data and close the file. A second call does nothing.
---@return boolean|nil ok
---@return string|nil message
function Recorder:close()
  local file = self.file
  self.file = nil
  if not file then return true end
  local ok, message = file:close()
  if ok then return true end
  return nil, (message:gsub("^cannot write", "%0 trace"))
end

Recorder.__close = Recorder.close

return recorder
