-- The text of a trace as columns: CSV (RFC 4180) and JSON lines.
--
-- A CSV column is numbers where every field that is not empty is one, else text, kept as it is written; `hash` is text
-- even where all its digits are decimal. In JSON a column is text where one value is a string; true and false are 1
-- and 0, as in CSV. What is missing, an empty field or null, is nan among numbers and "" among texts.
-- What a last line without a line feed lacks cannot be seen in it (1.25 of 1.2566): it is left out.

local json = require "impel.json"
local nearest = require "impel.nearest"

local trace_text = {}

local NAN = 0 / 0
local WORDS = { nan = NAN, ["-nan"] = NAN, inf = math.huge, ["+inf"] = math.huge, ["-inf"] = -math.huge }


-- CSV ----------------------------------------------------------------------------------------------------------------

-- A field as a number, or nil. Lua alone would also take hexadecimal ones.
local function number_of(field)
  if field:find("^%s*[-+]?%.?%d[%d.eE+-]*%s*$") then return tonumber(field) end
  return WORDS[field:lower()]
end

local function numbers_of(cells)
  local numbers, found = {}, false
  for i, cell in ipairs(cells) do
    local number = NAN
    if cell ~= "" then
      number, found = number_of(cell), true
      if not number then return nil end
    end
    numbers[i] = number
  end
  return found and numbers or nil
end

-- A quoted field that opens at pos. Gives its text and what follows, or nil and whether the text ends in it.
local function quoted_field(text, pos)
  local start = pos + 1
  local stop = text:find('"', start, true)
  while stop and text:sub(stop + 1, stop + 1) == '"' do stop = text:find('"', stop + 2, true) end
  if not stop then return nil, text:find("\n", start, true) == nil end
  return text:sub(start, stop - 1):gsub('""', '"'), stop + 1
end

-- The fields of the record at pos, and where the next begins; nil where the text ends inside it, with a message where
-- that is not all that is wrong.
local function record_at(text, pos)
  local fields = {}
  while true do
    local field
    if text:sub(pos, pos) == '"' then
      local after
      field, after = quoted_field(text, pos)
      if not field then return nil, not after and "a quote is not closed" or nil end
      pos = after
    else
      local stop = text:find("[,\n]", pos) or #text + 1
      field = text:sub(pos, stop - 1):gsub("\r$", "")
      if field:find('"', 1, true) then return nil, ("a quote inside the field '%s'"):format(field) end
      pos = stop
    end
    fields[#fields + 1] = field
    local ending = text:match("^\r?\n", pos)
    if ending then return fields, pos + #ending end
    if pos > #text or text:find("^\r$", pos) then return nil end
    if text:sub(pos, pos) ~= "," then return nil, "a comma or the end of the line expected after a quote" end
    pos = pos + 1
  end
end

local function line_feeds(text, from, to)
  local _, count = text:sub(from, to):gsub("\n", "")
  return count
end

-- An iterator over the records: number of its line, fields; or nil, message. Sets state.torn.
local function records(text, state)
  local pos, line = #(text:match("^\xEF\xBB\xBF") or "") + 1, 1
  return function()
    while pos <= #text do
      local fields, after = record_at(text, pos)
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
    if seen[name] then return ("two columns '%s'"):format(name) end
    seen[name] = true
  end
end

--- Read CSV.
---@param text string
---@return table|nil data  names: in order; columns: lists of numbers or of texts by name; count; torn
---@return string|nil message  with the line
function trace_text.csv(text)
  local state = { torn = false }
  local names, cells, count = nil, {}, 0
  for line, fields, message in records(text, state) do
    if not message and not names then
      names, message = fields, header_problem(fields)
      for i in ipairs(names) do cells[i] = {} end
    elseif not message and #fields ~= #names then
      message = ("%d fields where the header has %d"):format(#fields, #names)
    elseif not message then
      count = count + 1
      for i, field in ipairs(fields) do cells[i][count] = field end
    end
    if message then return nil, ("line %d: %s"):format(line, message) end
  end
  if not names then return nil, "line 1: no whole line with the names of the columns" end
  local columns = {}
  for i, name in ipairs(names) do columns[name] = name ~= "hash" and numbers_of(cells[i]) or cells[i] end
  return { names = names, columns = columns, count = count, torn = state.torn }
end


-- JSON lines ---------------------------------------------------------------------------------------------------------

local function load_dkjson()
  local ok, dkjson = pcall(require, "dkjson")
  if ok then return dkjson end
  return nil, "reading JSON lines needs the Lua module dkjson (Debian: lua-dkjson; luarocks: dkjson)"
end

-- One line as a table of numbers and texts, without what is null.
local function decode(dkjson, line)
  local value, after, message = dkjson.decode(line)
  if message then return nil, (message:gsub("at line 1, column", "at column")) end
  if type(value) ~= "table" or getmetatable(value).__jsontype ~= "object" then
    return nil, "an object { \"name\": value, ... } expected"
  end
  if line:find("%S", after) then return nil, ("nothing expected after the object, got '%s'"):format(line:sub(after)) end
  for name, cell in pairs(value) do
    if type(cell) == "boolean" then value[name] = cell and 1 or 0 end
    if type(cell) == "table" then return nil, ("'%s': number, boolean, text or null expected"):format(name) end
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

--- The names of columns in their order: time, then the others sorted.
---@param columns table<string, any>
---@return string[]
function trace_text.order(columns)
  local names = { columns.time and "time" }
  for _, name in ipairs(nearest.keys(columns)) do
    if name ~= "time" then names[#names + 1] = name end
  end
  return names
end

--- Read JSON lines. What any line names is a column; the others miss it.
---@param text string
---@return table|nil data  as of csv; names in the order of trace_text.order, as JSON has none
---@return string|nil message  with the line
function trace_text.jsonl(text)
  local dkjson, problem = load_dkjson()
  if not dkjson then return nil, problem end
  local rows, seen, number = {}, {}, 0
  for line in text:gmatch("([^\n]*)\n") do
    number = number + 1
    if line:find("%S") then
      local row, message = decode(dkjson, line)
      if not row then return nil, ("line %d: %s"):format(number, message) end
      rows[#rows + 1] = row
      for name in pairs(row) do seen[name] = true end
    end
  end
  if #rows == 0 then return nil, "line 1: no whole line with an object" end
  local columns = {}
  for name in pairs(seen) do columns[name] = column_of(rows, name) end
  return {
    names = trace_text.order(columns), columns = columns, count = #rows, torn = text:find("[^\n]$") ~= nil,
  }
end

return trace_text
