-- Numbers and tables as text that reads back exactly: %.17g whatever the locale, keys sorted.

local arguments = require "impel.arguments"
local printable = require "impel.printable"

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

--- Mark a table as a list, so that it is an array also where it is empty.
---@param t table
---@return table t
function json.list(t)
  return setmetatable(t, List)
end

local encode

-- `within`: the tables that this one is in.
local function encode_table(value, within)
  if within[value] then arguments.fail "json.encode: a table is within itself" end
  within[value] = true
  local parts = {}
  local is_list = value[1] ~= nil or getmetatable(value) == List
  if is_list then
    for i, item in ipairs(value) do parts[i] = encode(item, within) end
  else
    local keys = {}
    for key in pairs(value) do
      if type(key) ~= "string" then
        arguments.fail("json.encode: a key must be a string, got %s", arguments.got(key))
      end
      keys[#keys + 1] = key
    end
    table.sort(keys)
    for i, key in ipairs(keys) do parts[i] = quote(key) .. ":" .. encode(value[key], within) end
  end
  within[value] = nil
  return (is_list and "[%s]" or "{%s}"):format(table.concat(parts, ","))
end

function encode(value, within)
  local kind = type(value)
  if kind == "number" then
    local finite = value == value and value ~= math.huge and value ~= -math.huge
    return finite and json.number(value) or "null"
  elseif kind == "string" then
    return quote(value)
  elseif kind == "table" then
    return encode_table(value, within or {})
  end
  return kind == "boolean" and tostring(value) or "null"
end

--- A value as JSON on one line, which any terminal shows as it is: what cannot be shown is \uNNNN. Lists and tables
--- with t[1] are arrays; null stands for numbers that are not finite. Raises on a table that is within itself, and on
--- keys that are no strings.
---@param value nil|boolean|number|string|table
---@return string
function json.encode(value)
  local text = encode(value)
  return text
end

return json
