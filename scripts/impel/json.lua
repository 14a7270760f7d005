-- Numbers and tables as text that reads back exactly: %.17g in every locale, keys sorted. And a reader of JSON (RFC
-- 8259) that takes linear time for any bytes.

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
  if value == json.null then return "null" end
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


-- Reading ------------------------------------------------------------------------------------------------------------

local LONGEST_NUMBER = 1000 -- [B]; a double in full has 767 digits

-- A reader's state: text; pos, the byte that comes next; wrong, the first problem.
local Scan = {}
Scan.__index = Scan

-- Always nothing, for `return scan:fail(...)`.
function Scan:fail(what, pos)
  self.wrong, self.pos = self.wrong or what, self.wrong and self.pos or pos or self.pos
end

-- The word or byte at a place, for a message.
local function found(text, pos)
  local word = text:match("^[%w_.+-]+", pos) or text:match("^[%g ]", pos)
  if word then return ("'%s'"):format(arguments.short(word)) end
  return pos > #text and "the end" or ("byte 0x%02X"):format(text:byte(pos))
end

function Scan:expected(what)
  return self:fail(("%s expected, got %s"):format(what, found(self.text, self.pos)))
end

-- Skip white space; gives the byte that comes then, nil at the end.
function Scan:next()
  self.pos = self.text:find("[^ \t\r\n]", self.pos) or #self.text + 1
  return self.text:byte(self.pos)
end

local unescaped = { ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t" }

local REPLACEMENT = "\u{FFFD}" -- for half of a surrogate pair

-- The character of \uNNNN at a place, in UTF-8, and where it ends; nil without four digits.
local function unicode(text, pos)
  local unit = tonumber(text:match("^u(%x%x%x%x)", pos) or "", 16)
  if not unit then return nil end
  if unit < 0xD800 or unit > 0xDFFF then return utf8.char(unit), pos + 5 end
  local low = unit < 0xDC00 and tonumber(text:match("^\\u(%x%x%x%x)", pos + 5) or "", 16)
  if not low or low < 0xDC00 or low > 0xDFFF then return REPLACEMENT, pos + 5 end
  return utf8.char(0x10000 + (unit - 0xD800 << 10) + low - 0xDC00), pos + 11
end

-- The string whose opening quote is at the place.
function Scan:string()
  local text, start, parts = self.text, self.pos, {}
  local from = start + 1
  while true do
    local stop = text:find('["\\%c]', from)
    if not stop then return self:fail("a string is not closed", start) end
    parts[#parts + 1] = text:sub(from, stop - 1)
    local sign = text:sub(stop, stop)
    if sign == '"' then
      self.pos = stop + 1
      return table.concat(parts)
    elseif sign == "\\" then
      local letter = text:sub(stop + 1, stop + 1)
      local character, after = unescaped[letter], stop + 2
      if letter == "u" then character, after = unicode(text, stop + 1) end
      if not character then return self:fail("no character of an escape in a string", stop) end
      parts[#parts + 1], from = character, after
    elseif sign == "\127" then
      parts[#parts + 1], from = sign, stop + 1
    else
      return self:fail(("byte 0x%02X in a string, which must be escaped"):format(sign:byte()), stop)
    end
  end
end

-- The number at the place.
function Scan:number()
  local text, pos = self.text, self.pos
  local last = text:match("^%-?%d+()", pos)
  if not last or text:find("^%-?0%d", pos) then return self:expected("a value") end
  last = text:match("^%.%d+()", last) or last
  last = text:match("^[eE][+-]?%d+()", last) or last
  if last - pos > LONGEST_NUMBER then
    return self:fail(("a number of %d characters, %d are read"):format(last - pos, LONGEST_NUMBER))
  end
  local value = tonumber(text:sub(pos, last - 1))
  if not value or text:find("^[%w_.+-]", last) then return self:expected("a number") end
  self.pos = last
  return value
end

local words = { t = { "true", true }, f = { "false", false }, n = { "null", json.null } }

local QUOTE, COMMA, COLON, OPEN_LIST, CLOSE_LIST, OPEN, CLOSE = ('",:[]{}'):byte(1, -1)

-- Go on from an item of a list or an object to the next: false behind its end.
function Scan:more(close)
  local sign = self:next()
  if sign ~= COMMA and sign ~= close then return self:expected(("',' or '%s'"):format(string.char(close))) end
  self.pos = self.pos + 1
  return sign == COMMA
end

-- The list or object that opens at the place, inside of `depth` others.
function Scan:list(depth)
  local list, count = json.list {}, 0
  self.pos = self.pos + 1
  local more = self:next() ~= CLOSE_LIST
  if not more then self.pos = self.pos + 1 end
  while more do
    local value = self:value(depth + 1)
    if self.wrong then return nil end
    count = count + 1
    list[count] = value
    more = self:more(CLOSE_LIST)
  end
  return list
end

function Scan:object(depth)
  local object = {}
  self.pos = self.pos + 1
  local more = self:next() ~= CLOSE
  if not more then self.pos = self.pos + 1 end
  while more do
    if self:next() ~= QUOTE then return self:expected("a name in quotes") end
    local name = self:string()
    if self.wrong then return nil end
    if self:next() ~= COLON then return self:expected("':'") end
    self.pos = self.pos + 1
    local value = self:value(depth + 1)
    if self.wrong then return nil end
    object[name] = value
    more = self:more(CLOSE)
  end
  return object
end

function Scan:value(depth)
  local sign = self:next()
  if sign == OPEN_LIST or sign == OPEN then
    if depth >= json.DEEPEST then
      return self:fail(("arrays and objects inside each other, %d are read"):format(json.DEEPEST))
    end
    if sign == OPEN then return self:object(depth) end
    return self:list(depth)
  end
  if sign == QUOTE then return self:string() end
  local word = sign and words[string.char(sign)]
  if not word then return self:number() end
  local last = self.pos + #word[1] - 1
  if self.text:sub(self.pos, last) ~= word[1] or self.text:find("^[%w_]", last + 1) then
    return self:expected("a value")
  end
  self.pos = last + 1
  return word[2]
end

-- "line 3, column 7", by bytes.
local function place(text, pos, line)
  local before = text:sub(1, pos - 1)
  local _, feeds = before:gsub("\n", "")
  return ("line %d, column %d"):format(line + feeds, pos - (before:match "^.*\n()" or 1) + 1)
end

--- Whether a value of json.decode was an object.
---@return boolean
function json.is_object(value) return type(value) == "table" and getmetatable(value) == nil end

--- Read JSON: objects as tables by name, arrays as lists of json.list, null as json.null, whole numbers as integers.
--- The last of equal names in an object counts.
---@param text string  a byte order mark before it is skipped
---@param line integer|nil  the number of its first line, for messages (1)
---@return nil|boolean|number|string|table value
---@return string|nil message  "line 3, column 7: ',' or ']' expected, got 'x'"
function json.decode(text, line)
  arguments.check("json.decode: argument 'text'", text, { "string" })
  local scan = setmetatable({ text = text, pos = text:find("^\xEF\xBB\xBF") and 4 or 1 }, Scan)
  local value = scan:value(0)
  if not scan.wrong and scan:next() then scan:expected "nothing behind the value" end
  if not scan.wrong then return value end
  return nil, ("%s: %s"):format(place(text, scan.pos, line or 1), scan.wrong)
end

return json
