-- The rows of a sweep: run, parameters, seed, time [s], measures, score, hash, status, reason, optionally seconds (wall
-- time).
-- If another column is called NAME, the column of a parameter is param.NAME and that of a measure is measure.NAME.

local arguments = require "impel.base.arguments"
local csv = require "impel.base.csv"
local nearest = require "impel.base.nearest"
local params = require "impel.scene.params"
local rowfile = require "impel.base.rowfile"

local rows = {}
local Layout = {}
Layout.__index = Layout

local LAST_RUN = 1000000000 -- largest index of a run, as in design.lua
local LONGEST_HEADER = 1000 -- [B]; a message quotes this much of a file's header at most

local FIXED = { "run", "seed", "time", "score", "hash", "status", "reason", "seconds" }

--- Return the columns of a scene's sweep.
---@param description table  of impel.evaluate
---@param options table  set: parameters that differ from the default, as text or values; timing: whether to add the
---  column seconds
---@return table|nil layout
---@return string|nil message  about a parameter of `set` that is not legal
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

-- Return an error for a measure without a column.
local function stranger(self, measures)
  for _, name in ipairs(nearest.keys(measures or {})) do
    if not self.known[name] then
      return ("measure '%s' did not exist before the first step: it has no "
        .. "column%s"):format(name, nearest.hint(name, self.measures))
    end
  end
end

-- Return the fields that identify the run: run, parameters, seed.
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

-- Return 1 or 0 for a boolean measure, as in a trace.
local function as_number(value)
  if type(value) ~= "boolean" then return value end
  return value and 1 or 0
end

--- Return one row.
---@param index integer
---@param values table  parameters whose values differ from those of the layout
---@param seed integer
---@param outcome table  of impel.evaluate; { status, message } if the run was not made
---@param seconds number|nil  wall time
---@return string line
---@return string status  "ok" or the reason
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
  add(outcome.message and (outcome.message:gsub("[\r\n]+", "; "))) -- because a row is one line
  if self.timing then add(seconds) end
  return csv.line(fields, n), outcome.status
end

--- Return the number of a row and its status.
---@param line string
---@return integer|nil index  nil if the line is not a row of this layout
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

--- Return whether a row belongs to a run.
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

--- Return whether two rows agree except for wall time.
function Layout:agree(a, b)
  if not self.timing then return a == b end
  return a:match("^(.*),[^,]*$") == b:match("^(.*),[^,]*$")
end

--- Read a file of rows.
---@param path string
---@param header string|nil  required first line; nil: any
---@return table|nil file
---  header
---  lines: text of each row
---  numbers: run number of each row
---  size: number of bytes of the header and the rows
---  torn: whether an incomplete last line was left out of `lines` and `size`
---@return string|nil message
function rows.read(path, header)
  local lines, size, torn = rowfile.read(path)
  if not lines then return nil, size end
  local found = table.remove(lines, 1)
  if found and found:sub(-1) == "\r" then
    return nil, ("%s: its lines end in CR LF, but rows end in LF; the file was changed"):format(path)
  end
  if header and found and found ~= header then
    return nil, ("%s: its columns are not those of this sweep: '%s' expected, got '%s'"):format(path, header,
      #found > LONGEST_HEADER and found:sub(1, LONGEST_HEADER) .. "..." or found)
  end
  local file = { path = path, header = found, lines = lines, numbers = {}, size = size, torn = torn }
  for i, line in ipairs(lines) do
    local index = math.tointeger(tonumber(line:match("^(%d+),")))
    if not index or index > LAST_RUN then return nil, ("%s:%d: not a row of a sweep"):format(path, i + 1) end
    file.numbers[i] = index
  end
  return file
end

--- Return the numbers of rows, sorted.
---@param by_number table<integer, string>
---@return integer[]
function rows.numbers(by_number)
  local numbers = {}
  for index in pairs(by_number) do numbers[#numbers + 1] = index end
  table.sort(numbers)
  return numbers
end

--- Return the text of rows in the order of their numbers, below the header.
---@param header string
---@param by_number table<integer, string>
---@return string
function rows.text(header, by_number)
  local lines = { header }
  for i, index in ipairs(rows.numbers(by_number)) do lines[i + 1] = by_number[index] end
  return table.concat(lines, "\n") .. "\n"
end

-- Return the numbers missing between 1 and the highest number of `by_number` as text: "2, 5..7".
local function missing(by_number)
  local gaps, before = {}, 0
  for _, index in ipairs(rows.numbers(by_number)) do
    local first, last = before + 1, index - 1
    if first <= last then gaps[#gaps + 1] = first == last and ("%d"):format(first) or ("%d..%d"):format(first, last) end
    before = math.max(before, index)
  end
  return table.concat(gaps, ", ")
end

--- Merge the rows of several files: of shards, or of a sweep that was made in parts.
---@param paths string[]
---@return string|nil text  nil if the files do not fit together
---@return string message_or_gaps  if merged: numbers of the runs missing between 1 and the highest number ("" if none);
---  otherwise a message
function rows.merge(paths)
  local by_number, header, from = {}, nil, {}
  for _, path in ipairs(paths) do
    local file, message = rows.read(path)
    if not file then return nil, message end
    if not file.header then return nil, ("%s: empty"):format(path) end
    if file.torn then return nil, ("%s: its last line is incomplete; --resume finishes the sweep"):format(path) end
    if header and file.header ~= header then
      return nil, ("%s: its columns are not those of %s"):format(path, paths[1])
    end
    header = header or file.header
    if csv.split(header)[1] ~= "run" then return nil, ("%s: not a file of a sweep"):format(path) end
    for i, line in ipairs(file.lines) do
      local index = file.numbers[i]
      if by_number[index] and by_number[index] ~= line then
        return nil, ("run %d is in %s and in %s, with different rows"):format(index, from[index], path)
      end
      by_number[index], from[index] = line, path
    end
  end
  return rows.text(header, by_number), missing(by_number)
end

return rows
