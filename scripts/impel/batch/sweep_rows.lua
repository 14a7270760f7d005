-- The rows of a sweep: which columns they have, how one is written, and what a file of them holds.
--
-- Columns: run, every parameter, seed, time [s], every measure, score where the scene has one, hash, status, reason,
-- and seconds (of wall time) where that was asked for. All but the last are a pure function of (scene, parameters,
-- seed). A parameter with the name of a column that every sweep has is called param.NAME; a measure whose name is
-- taken, measure.NAME.

local arguments = require "impel.base.arguments"
local csv = require "impel.base.csv"
local nearest = require "impel.base.nearest"
local params = require "impel.scene.params"
local rowfile = require "impel.base.rowfile"

local rows = {}
local Layout = {}
Layout.__index = Layout

local LAST_RUN = 1000000000 -- largest number of a run, as in design.lua: any number could cost a table quadratic time
local LONGEST_HEADER = 1000 -- [B] of another file's columns in a message

local FIXED = { "run", "seed", "time", "score", "hash", "status", "reason", "seconds" }

--- The columns of a scene's sweep.
---@param description table  of impel.evaluate
---@param options table      set: parameters that are not the default, as text or values; timing: with wall time
---@return table|nil layout
---@return string|nil message  a parameter of `set` that is not legal
function rows.layout(description, options)
  local values, message = params.values(description.params, options.set, description.name)
  if not values then return nil, message end
  local taken = {}
  for _, name in ipairs(FIXED) do taken[name] = true end
  local self = setmetatable({
    columns = { "run" }, params = {}, measures = {}, specs = description.params, base = values,
    owner = description.name, timing = options.timing, score = description.has.score, known = {},
  }, Layout)
  local function add(list, name, prefix)
    local column = taken[name] and prefix .. name or name
    taken[column] = true
    self.columns[#self.columns + 1] = column
    if list then list[#list + 1] = name end
  end
  for _, name in ipairs(nearest.keys(description.params)) do add(self.params, name, "param.") end
  self.columns[#self.columns + 1] = "seed"
  self.columns[#self.columns + 1] = "time"
  for _, name in ipairs(description.measures) do
    add(self.measures, name, "measure.")
    self.known[name] = true
  end
  if self.score then self.columns[#self.columns + 1] = "score" end
  for _, name in ipairs { "hash", "status", "reason" } do self.columns[#self.columns + 1] = name end
  if self.timing then self.columns[#self.columns + 1] = "seconds" end
  self.header = csv.line(self.columns, #self.columns)
  return self
end

-- A measure that the first look at the scene did not show has no column.
local function stranger(self, measures)
  for _, name in ipairs(nearest.keys(measures or {})) do
    if not self.known[name] then
      return ("measure '%s' was not there before the first step%s"):format(name, nearest.hint(name, self.measures))
    end
  end
end

-- The fields that say which run it is: of the columns run, parameters, seed.
local function identity(self, index, values, seed)
  local fields = { index }
  for _, name in ipairs(self.params) do
    local value = values[name]
    if value == nil then value = self.base[name] end
    fields[#fields + 1] = value
  end
  fields[#fields + 1] = seed
  return fields
end

-- A measure that is true or false is 1 or 0, as in a trace.
local function as_number(value)
  if type(value) ~= "boolean" then return value end
  return value and 1 or 0
end

--- One row.
---@param index integer
---@param values table    the parameters that differ from the layout's
---@param seed integer
---@param outcome table   of impel.evaluate, or { status, message } where there is none
---@param seconds number|nil
---@return string line
---@return string status  "ok" or why not
function Layout:row(index, values, seed, outcome, seconds)
  local unknown = stranger(self, outcome.measures)
  if unknown then outcome = { status = "error", message = unknown } end
  local fields = identity(self, index, values, seed)
  local n = #fields
  local function add(value)
    n = n + 1
    fields[n] = value
  end
  add(outcome.time)
  for _, name in ipairs(self.measures) do add(as_number((outcome.measures or {})[name])) end
  if self.score then add(outcome.score) end
  add(outcome.hash)
  add(outcome.status)
  add(outcome.message and (outcome.message:gsub("[\r\n]+", "; "))) -- a row is a line: whole, or torn and seen to be
  if self.timing then add(seconds) end
  return csv.line(fields, n), outcome.status
end

--- The number of a row and its status, from its text.
---@param line string
---@return integer|nil index  nil where it is no row of this layout
---@return string message_or_status
function Layout:read(line)
  local fields, problem = csv.split(line)
  if not fields then return nil, problem end
  if #fields ~= #self.columns then
    return nil, ("%d fields expected, got %d"):format(#self.columns, #fields)
  end
  local index = math.tointeger(tonumber(fields[1]))
  if not index or index < 1 or index > LAST_RUN then
    return nil, ("the number of a run expected, got '%s'"):format(arguments.short(fields[1]))
  end
  return index, fields[#fields - (self.timing and 2 or 1)]
end

--- Whether a row's text is of this run.
---@param line string
---@param index integer
---@param values table
---@param seed integer
---@return boolean
function Layout:belongs(line, index, values, seed)
  local fields = identity(self, index, values, seed)
  local start = csv.line(fields, #fields) .. ","
  return line:sub(1, #start) == start
end

--- Whether two rows say the same of a run, apart from wall time.
function Layout:agree(a, b)
  if not self.timing then return a == b end
  return a:match("^(.*),[^,]*$") == b:match("^(.*),[^,]*$")
end

--- Read a file of rows.
---@param path string
---@param header string|nil  what its first line must be; nil: any
---@return table|nil file     header; lines: text of each row; numbers: the run of each; size [B] of whole lines; torn
---@return string|nil message
function rows.read(path, header)
  local lines, size, torn = rowfile.read(path)
  if not lines then return nil, size end
  local found = table.remove(lines, 1)
  if found and found:sub(-1) == "\r" then
    return nil, ("%s: its lines end in CR LF; somebody has changed them, rows end in LF"):format(path)
  end
  if header and found and found ~= header then
    return nil, ("%s: its columns are not those of this sweep: '%s' expected, got '%s'"):format(path, header,
      #found > LONGEST_HEADER and found:sub(1, LONGEST_HEADER) .. "..." or found)
  end
  local file = { path = path, header = found, lines = lines, numbers = {}, size = size, torn = torn }
  for i, line in ipairs(lines) do
    local index = math.tointeger(tonumber(line:match("^(%d+),")))
    if not index or index > LAST_RUN then return nil, ("%s:%d: no row of a sweep"):format(path, i + 1) end
    file.numbers[i] = index
  end
  return file
end

--- The numbers of rows, sorted.
---@param by_number table<integer, string>
---@return integer[]
function rows.numbers(by_number)
  local numbers = {}
  for index in pairs(by_number) do numbers[#numbers + 1] = index end
  table.sort(numbers)
  return numbers
end

--- The text of rows in the order of their numbers.
---@param header string
---@param by_number table<integer, string>
---@return string
function rows.text(header, by_number)
  local lines = { header }
  for i, index in ipairs(rows.numbers(by_number)) do lines[i + 1] = by_number[index] end
  return table.concat(lines, "\n") .. "\n"
end

-- The numbers without a row from 1 to the last, "2, 5..7". Takes time by the count of rows: a number may be large.
local function missing(by_number)
  local gaps, before = {}, 0
  for _, index in ipairs(rows.numbers(by_number)) do
    local first, last = before + 1, index - 1
    if first <= last then gaps[#gaps + 1] = first == last and ("%d"):format(first) or ("%d..%d"):format(first, last) end
    before = math.max(before, index)
  end
  return table.concat(gaps, ", ")
end

--- Put the rows of several files together: of shards, or of a sweep that was done in parts.
---@param paths string[]
---@return string|nil text
---@return string message_or_gaps  of missing runs, "" where none is between the first and the last
function rows.merge(paths)
  local by_number, header, from = {}, nil, {}
  for _, path in ipairs(paths) do
    local file, message = rows.read(path)
    if not file then return nil, message end
    if not file.header then return nil, ("%s: empty"):format(path) end
    if file.torn then return nil, ("%s: its last line is torn; --resume finishes that sweep"):format(path) end
    if header and file.header ~= header then
      return nil, ("%s: its columns are not those of %s"):format(path, paths[1])
    end
    header = header or file.header
    if csv.split(header)[1] ~= "run" then return nil, ("%s: no file of a sweep"):format(path) end
    for i, line in ipairs(file.lines) do
      local index = file.numbers[i]
      if by_number[index] and by_number[index] ~= line then
        return nil, ("run %d is in %s and in %s, and not the same"):format(index, from[index], path)
      end
      by_number[index], from[index] = line, path
    end
  end
  return rows.text(header, by_number), missing(by_number)
end

return rows
