-- JSON text that reads back exactly, and a JSON parser of linear time.

local arguments = require "impel.base.arguments"
local printable = require "impel.base.printable"

local json = {}

--- Return a number as text of 17 digits that reads back to the same bits; "nan", "inf" or "-inf" if not finite.
---@param x number
---@return string
function json.number(x)
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x ~= x then return "nan" end
  if x == math.huge then return "inf" end
  if x == -math.huge then return "-inf" end
  if x == 0 and 1 / x < 0 then return "-0.0" end -- "-0" would read back as an integer, which has no -0
  -- The decimal separator depends on the C locale, which a host program may have changed.
  return (("%.17g"):format(x):gsub("[^%w+-]+", "."))
end

--- Return a number as the shortest text that reads back to the same value, for people.
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

--- Return the value of a parameter as text that reads back to the same value.
function json.exact(value) return type(value) == "number" and json.shortest(value) or tostring(value) end

local escapes = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

-- Escape control characters. Invalid UTF-8 becomes U+FFFD.
local function escape(bytes)
  return utf8.len(bytes) and ("\\u%04x"):format(utf8.codepoint(bytes)) or "\\ufffd"
end

local function quote(text)
  local plain = text:gsub('[%c"\\\127]', function(c) return escapes[c] or escape(c) end)
  return '"' .. printable(plain, escape) .. '"'
end

local List = {}

--- The JSON value null, because a Lua table cannot hold nil.
json.null = setmetatable({}, { __tostring = function() return "null" end })

--- Maximum nesting depth of arrays and objects that are read.
json.DEEPEST = 100

--- Mark a table as a list, so that it is encoded as an array even if it is empty.
---@param t table
---@return table t
function json.list(t)
  return setmetatable(t, List)
end

local encode

-- Append the text of a table to `parts`. `within`: the set of tables that contain the table.
local function encode_table(value, within, parts)
  if within[value] then arguments.fail "json.encode: a table contains itself" end
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

--- Return a value as JSON on one line; characters that cannot be displayed are \uNNNN. Lists and tables with t[1] are
--- arrays; non-finite numbers become null. Raises on a table that contains itself and on keys that are not strings.
---@param value nil|boolean|number|string|table
---@return string
function json.encode(value)
  local parts = {}
  encode(value, {}, parts)
  return table.concat(parts)
end


-- Reading: dkjson, with checks that it lacks --------------------------------------------------------------------------

local QUOTE, SLASH = ('"/'):byte(1, 2)
local OPENS = { [("["):byte()] = true, [("{"):byte()] = true }

-- Return the position of the last byte of the C comment that starts at `at`, or `at` itself if none starts there.
local function skip_comment(text, at)
  local sign = text:sub(at + 1, at + 1)
  if sign == "*" then return text:find("*/", at + 2, true) or #text end
  return sign == "/" and (text:find("[\r\n]", at) or #text) or at
end

-- Return the position of the closing quote of the string that starts at `at`.
local function skip_string(text, at)
  repeat
    at = text:find('["\\]', at + 1)
    if not at then return #text end -- no closing quote
    local escaped = text:sub(at, at) == "\\"
    if escaped then at = at + 1 end
  until not escaped
  return at
end

-- Return the position of the first array or object that is nested too deep for dkjson, or nil.
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

-- Return "line 3, column 7", counted in bytes.
local function place(text, pos, line)
  local row, column = arguments.place(text, pos)
  return ("line %d, column %d"):format(line + row - 1, column)
end

--- Return whether a value from json.decode was a JSON object.
---@return boolean
function json.is_object(value) return type(value) == "table" and getmetatable(value) == nil end

-- Return whether all names are strings. (dkjson accepts any value as a name.)
local function is_named(value)
  if type(value) ~= "table" or value == json.null then return true end
  local expected = json.is_object(value) and "string" or "number"
  for name, item in pairs(value) do
    if type(name) ~= expected or not is_named(item) then return false end
  end
  return true
end

--- Read JSON in linear time. Objects become tables by name (the last of equal names counts), arrays become lists of
--- json.list, null becomes json.null, whole numbers become integers. Comments and missing commas are accepted.
---@param text string
---@param line integer|nil  line number of the first line, for messages; default 1
---@return nil|boolean|number|string|table value
---@return string|nil message  "line 3, column 7: nothing expected after the value, got 'x'"
function json.decode(text, line)
  arguments.check("json.decode: argument 'text'", text, { "string" })
  local ok, dkjson = pcall(require, "dkjson")
  if not ok then return nil, "reading JSON needs the Lua module dkjson (Debian: lua-dkjson; luarocks: dkjson)" end
  line = line or 1
  local deep = too_deep(text)
  if deep then
    return nil, ("%s: arrays and objects are nested deeper than %d"):format(place(text, deep, line), json.DEEPEST)
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
  if not is_named(value) then return nil, ("line %d: a name must be a string in quotes"):format(line) end
  return value
end

return json
