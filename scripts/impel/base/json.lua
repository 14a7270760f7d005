-- Numbers and tables as text that reads back exactly: %.17g in every locale, keys sorted. And JSON read, in linear time
-- for any bytes.

local arguments = require "impel.base.arguments"
local printable = require "impel.base.printable"

local json = {}

--- A number as text: 17 digits, so that it reads back to the same bits; "nan", "inf" or "-inf" where it is not finite.
---@param x number
---@return string
function json.number(x)
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x ~= x then return "nan" end
  if x == math.huge then return "inf" end
  if x == -math.huge then return "-inf" end
  if x == 0 and 1 / x < 0 then return "-0.0" end -- "-0" reads back as an integer, which has no sign of zero
  -- The decimal separator is the C locale's business; a host program may have changed it.
  return (("%.17g"):format(x):gsub("[^%w+-]+", "."))
end

--- A number as the shortest text that reads back to the same value, for people.
---@param x number
---@return string
function json.shortest(x)
  if math.type(x) == "integer" or x ~= x or x == math.huge or x == -math.huge then return json.number(x) end
  for digits = 6, 16 do
    local text = ("%%.%dg"):format(digits):format(x):gsub("[^%w+-]+", ".")
    if tonumber(text) == x then return text end
  end
  return json.number(x)
end

--- A value of a parameter as text that reads back to the same value.
function json.exact(value) return type(value) == "number" and json.shortest(value) or tostring(value) end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

-- What a terminal would obey, or turn around; U+FFFD where it is no UTF-8, which JSON is.
local function escape(bytes)
  return utf8.len(bytes) and ("\\u%04x"):format(utf8.codepoint(bytes)) or "\\ufffd"
end

local function quote(text)
  local plain = text:gsub('[%c"\\\127]', function(c) return escapes[c] or escape(c) end)
  return '"' .. printable(plain, escape) .. '"'
end

local List = {}

--- null, where JSON has one: in a table of Lua it would not be there.
json.null = setmetatable({}, { __tostring = function() return "null" end })

--- The deepest that arrays and objects are read inside each other.
json.DEEPEST = 100

--- Mark a table as a list, so that it is an array also where it is empty.
---@param t table
---@return table t
function json.list(t)
  return setmetatable(t, List)
end

local encode

-- Add the pieces of a table to `parts`. `within`: the tables that this one is in.
local function encode_table(value, within, parts)
  if within[value] then arguments.fail "json.encode: a table is within itself" end
  within[value] = true
  local is_list = value[1] ~= nil or getmetatable(value) == List
  parts[#parts + 1] = is_list and "[" or "{"
  if is_list then
    for i, item in ipairs(value) do
      if i > 1 then parts[#parts + 1] = "," end
      encode(item, within, parts)
    end
  else
    local keys = {}
    for key in pairs(value) do
      if type(key) ~= "string" then
        arguments.fail("json.encode: a key must be a string, got %s", arguments.got(key))
      end
      keys[#keys + 1] = key
    end
    table.sort(keys)
    for i, key in ipairs(keys) do
      parts[#parts + 1] = (i > 1 and "," or "") .. quote(key) .. ":"
      encode(value[key], within, parts)
    end
  end
  within[value] = nil
  parts[#parts + 1] = is_list and "]" or "}"
end

function encode(value, within, parts)
  local kind, text = type(value), "null"
  if kind == "table" and value ~= json.null then return encode_table(value, within, parts) end
  if kind == "number" and value == value and value ~= math.huge and value ~= -math.huge then
    text = json.number(value)
  elseif kind == "string" then
    text = quote(value)
  elseif kind == "boolean" then
    text = tostring(value)
  end
  parts[#parts + 1] = text
end

--- A value as JSON on one line, which any terminal shows as it is: what cannot be shown is \uNNNN. Lists and tables
--- with t[1] are arrays; null stands for numbers that are not finite. Raises on a table that is within itself, and on
--- keys that are no strings.
---@param value nil|boolean|number|string|table
---@return string
function json.encode(value)
  local parts = {}
  encode(value, {}, parts)
  return table.concat(parts)
end


-- Reading: dkjson, behind what it lacks -------------------------------------------------------------------------------

local QUOTE, SLASH = ('"/'):byte(1, 2)
local OPENS = { [("["):byte()] = true, [("{"):byte()] = true }

-- Where a comment ends that begins at a place (dkjson takes those of C), or the place itself where none does.
local function skip_comment(text, at)
  local sign = text:sub(at + 1, at + 1)
  if sign == "*" then return text:find("*/", at + 2, true) or #text end
  return sign == "/" and (text:find("[\r\n]", at) or #text) or at
end

-- Where the string ends that begins at a place.
local function skip_string(text, at)
  repeat
    at = text:find('["\\]', at + 1)
    if not at then return #text end -- it is not closed
    local escaped = text:sub(at, at) == "\\"
    if escaped then at = at + 1 end
  until not escaped
  return at
end

-- The place of the first array or object that is nested too deep for dkjson, which recurses; nil: none is.
local function too_deep(text)
  local depth, at = 0, 0
  while true do
    at = text:find('[][{}"/]', at + 1)
    if not at then return nil end
    local sign = text:byte(at)
    if sign == QUOTE then
      at = skip_string(text, at)
    elseif sign == SLASH then
      at = skip_comment(text, at)
    else
      depth = math.max(0, depth + (OPENS[sign] and 1 or -1))
      if depth > json.DEEPEST then return at end
    end
  end
end

-- "line 3, column 7", by bytes.
local function place(text, pos, line)
  local row, column = arguments.place(text, pos)
  return ("line %d, column %d"):format(line + row - 1, column)
end

--- Whether a value of json.decode was an object.
---@return boolean
function json.is_object(value) return type(value) == "table" and getmetatable(value) == nil end

-- Whether all names are texts: dkjson takes any value for one.
local function is_named(value)
  if type(value) ~= "table" or value == json.null then return true end
  local expected = json.is_object(value) and "string" or "number"
  for name, item in pairs(value) do
    if type(name) ~= expected or not is_named(item) then return false end
  end
  return true
end

--- Read JSON, in linear time for any bytes: objects as tables by name, arrays as lists of json.list, null as json.null,
--- whole numbers as integers. The last of equal names in an object counts. As dkjson reads it, comments and missing
--- commas are taken.
---@param text string
---@param line integer|nil  the number of its first line, for messages (1)
---@return nil|boolean|number|string|table value
---@return string|nil message  "line 3, column 7: nothing expected after the value, got 'x'"
function json.decode(text, line)
  arguments.check("json.decode: argument 'text'", text, { "string" })
  local ok, dkjson = pcall(require, "dkjson")
  if not ok then return nil, "reading JSON needs the Lua module dkjson (Debian: lua-dkjson; luarocks: dkjson)" end
  line = line or 1
  local deep = too_deep(text)
  if deep then
    return nil, ("%s: more than %d arrays and objects inside each other"):format(place(text, deep, line), json.DEEPEST)
  end
  local value, after, message = dkjson.decode(text, 1, json.null, nil, List)
  if message then
    local what, row, column = message:match "^(.-) %(?at line (%d+), column (%d+)%)?$"
    return nil, what and ("line %d, column %s: %s"):format(line + row - 1, column, what)
      or ("line %d: %s"):format(line, message)
  end
  local rest = text:find("%S", after)
  if rest then
    return nil, ("%s: nothing expected after the value, got '%s'"):format(place(text, rest, line),
      arguments.short(text:match("^%S+", rest)))
  end
  if not is_named(value) then return nil, ("line %d: a name that is no text in quotes"):format(line) end
  return value
end

return json
