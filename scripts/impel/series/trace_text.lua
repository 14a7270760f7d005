-- Reads the text of a trace as columns: CSV (RFC 4180) and JSON lines.
--
-- CSV: a column has numbers if every non-empty field is a number. The column `hash` has text.
-- JSON lines: a column has text if one value is a string; true and false are 1 and 0, as in CSV.
-- A missing value (an empty field or null) is nan in a column of numbers, "" in a column of text. A last line without a
-- line feed is dropped, because it may be cut inside a number.

local arguments = require "impel.base.arguments"
local csv = require "impel.base.csv"
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"

local trace_text = {}

local NAN = 0 / 0
local MIN_CELLS = 100000 -- up to this number of cells, any number of values may be missing in JSON lines
-- Largest ratio of cells to values in a table with more than MIN_CELLS cells.
local MOST_MISSING = 64
local WORDS = { nan = NAN, ["-nan"] = NAN, inf = math.huge, ["+inf"] = math.huge, ["-inf"] = -math.huge }


-- CSV ----------------------------------------------------------------------------------------------------------------

-- Return a field as a number, or nil; unlike tonumber, nil for hexadecimal numbers.
local function number_of(field)
  if field:find("^%s*[-+]?%.?%d[%d.eE+-]*%s*$") then return tonumber(field) end
  return WORDS[field:lower()]
end

-- Return the cells as numbers; or nil and the index of the first cell with text.
local function numbers_of(cells)
  local numbers, found = {}, false
  for i, cell in ipairs(cells) do
    local number = NAN
    if cell ~= "" then
      number, found = number_of(cell), true
      if not number then return nil, i end
    end
    numbers[i] = number
  end
  return found and numbers or nil
end

local function has_number(cells)
  for _, cell in ipairs(cells) do
    if number_of(cell) then return true end
  end
  return false
end

local function line_feeds(text, from, to)
  local _, count = text:sub(from, to):gsub("\n", "")
  return count
end

-- Iterate over CSV records: line number and fields, or line number, nil, message. Set state.torn if the last record is
-- incomplete.
local function records(text, state)
  local pos, line = #(text:match("^\xEF\xBB\xBF") or "") + 1, 1
  return function()
    while pos <= #text do
      local fields, after = csv.record(text, pos)
      local at = line
      if not fields then
        pos = #text + 1
        if after then return at, nil, after end
        state.torn = true
        return nil
      end
      line, pos = line + line_feeds(text, pos, after - 1), after
      if #fields > 1 or fields[1] ~= "" then return at, fields end
    end
  end
end

local function header_problem(names)
  local seen = {}
  for i, name in ipairs(names) do
    if name == "" then return ("column %d has no name"):format(i) end
    if seen[name] then return ("two columns are named '%s'"):format(arguments.short(name)) end
    seen[name] = true
  end
  local other = #names == 1 and names[1]:match "[;\t]"
  if other then
    return ("commas between the columns expected, got %s"):format(other == "\t" and "tabs" or "semicolons")
  end
end

--- Read CSV; or return nil and a message with the line number.
---@return table|nil data  names; columns: name -> list of numbers or texts; count: number of rows; torn: incomplete
---  last record; texts: for each column with text, except `hash`: name -> line and cell of the first text, and mixed:
---  whether the column has numbers too
function trace_text.csv(text)
  local state = { torn = false }
  local names, cells, lines, count = nil, {}, {}, 0
  for line, fields, message in records(text, state) do
    if not message and not names then
      names, message = fields, header_problem(fields)
      for i in ipairs(names) do cells[i] = {} end
    elseif not message and #fields ~= #names then
      message = ("%d fields where the header has %d"):format(#fields, #names)
    elseif not message then
      count = count + 1
      lines[count] = line
      for i, field in ipairs(fields) do cells[i][count] = field end
    end
    if message then return nil, ("line %d: %s"):format(line, message) end
  end
  if not names then return nil, "line 1: no complete line with the names of the columns" end
  local columns, texts = {}, {}
  for i, name in ipairs(names) do
    local numbers, first
    if name ~= "hash" then numbers, first = numbers_of(cells[i]) end
    columns[name] = numbers or cells[i]
    if first then texts[name] = { line = lines[first], cell = cells[i][first], mixed = has_number(cells[i]) } end
  end
  return { names = names, columns = columns, count = count, torn = state.torn, texts = texts }
end


-- JSON lines ---------------------------------------------------------------------------------------------------------

-- Decode one line as a table of numbers and texts, without null values.
local function decode(line, number)
  local value, message = json.decode(line, number)
  if message then return nil, message end
  if not json.is_object(value) then
    return nil, ("line %d: an object { \"name\": value, ... } expected"):format(number)
  end
  for name, cell in pairs(value) do
    if type(cell) == "boolean" then value[name] = cell and 1 or 0 end
    if cell == json.null then value[name] = nil end
    if type(cell) == "table" and cell ~= json.null then
      return nil, ("line %d: '%s': number, boolean, string or null expected"):format(number, arguments.short(name))
    end
  end
  return value
end

local function column_of(rows, name)
  local texts = false
  for _, row in ipairs(rows) do texts = texts or type(row[name]) == "string" end
  local column = {}
  for i, row in ipairs(rows) do
    local cell = row[name]
    if texts then
      column[i] = type(cell) == "number" and json.number(cell) or cell or ""
    else
      column[i] = cell or NAN
    end
  end
  return column
end

--- Return the names of columns: time first, the other names sorted.
---@param columns table<string, any>
---@return string[]
function trace_text.order(columns)
  local names = { columns.time and "time" }
  for _, name in ipairs(nearest.keys(columns)) do
    if name ~= "time" then names[#names + 1] = name end
  end
  return names
end

-- Return rows and number of values per column; or nil, message.
local function read_rows(text)
  local rows, counts, number, at = {}, {}, 0, 1
  while true do
    local stop = text:find("\n", at, true)
    if not stop then return rows, counts end
    local line = text:sub(at, stop - 1)
    at, number = stop + 1, number + 1
    if line:find "%S" then
      local row, message = decode(line, number)
      if not row then return nil, message end
      rows[#rows + 1] = row
      for name in pairs(row) do counts[name] = (counts[name] or 0) + 1 end
    end
  end
end

-- Return a message if too many values are missing. A missing value also takes memory: a column has a cell per line.
local function sparse_problem(rows, counts)
  local names, values = 0, 0
  for _, count in pairs(counts) do names, values = names + 1, values + count end
  if names * #rows <= math.max(MIN_CELLS, MOST_MISSING * values) then return nil end
  return ("%d names in %d lines, but on average a line has only %.3g of them: too few for columns"):format(names, #rows,
    values / #rows)
end

--- Read JSON lines. Each name in any line is a column.
---@return table|nil data  as for trace_text.csv, with names in the order of trace_text.order
---@return string|nil message  with the line number
function trace_text.jsonl(text)
  local rows, counts = read_rows(text)
  if not rows then return nil, counts end
  if #rows == 0 then return nil, "line 1: no complete line; a JSON object and a line break expected" end
  local problem = sparse_problem(rows, counts)
  if problem then return nil, problem end
  local columns = {}
  for name in pairs(counts) do columns[name] = column_of(rows, name) end
  return {
    names = trace_text.order(columns), columns = columns, count = #rows, torn = text:sub(-1) ~= "\n",
  }
end

return trace_text
