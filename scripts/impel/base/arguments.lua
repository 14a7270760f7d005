-- Strict option tables for modules in Lua:
--
--   local o = arguments.read("impel.pd", options, {
--     kp = { "number", min = 0, unit = "N/m or N m/rad" },              -- required, because it has no default
--     target = { "number", default = 0 },
--     when = { "choice", "substep", "step", default = "substep" },
--     gain = { "any", what = "a number or { name = number }" },     -- checked by the module; what: expected value
--   })
--
-- Errors are raised at the line of the user's call into impel.

local nearest = require "impel.base.nearest"

local arguments = {}

local LONGEST = 40 -- [B], longest text quoted in a message

local HERE = debug.getinfo(1, "S").source:match("^(.*)base/arguments%.lua$")

-- Return the stack level of the first caller outside impel's Lua modules, or 0 if none exists.
local function level_outside()
  local level = 3
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return 0 end
    if info.what ~= "C" and info.source:sub(1, #HERE) ~= HERE then return level - 1 end
    level = level + 1
  end
end

--- Raise an error at the line that called into impel.
---@param format string  format of the message, followed by its values
function arguments.fail(format, ...)
  error(select("#", ...) > 0 and format:format(...) or format, level_outside())
end

--- Raise an error about a value that a user's function returned, at the line where the function is defined.
---@param f function
---@param format string  format of the message, followed by its values
function arguments.fail_of(f, format, ...)
  local info = debug.getinfo(f, "S")
  local message = format:format(...)
  if info.linedefined > 0 then error(("%s:%d: %s"):format(info.short_src, info.linedefined, message), 0) end
  error(message, level_outside())
end

--- Return a text for a message; one of more than 40 bytes is cut and ends in "...".
---@param text string
---@return string
function arguments.short(text) return #text > LONGEST and text:sub(1, LONGEST) .. "..." or text end

--- Return the line and column of a byte in a text.
---@param text string
---@param at integer  byte position, from 1 to one past the end
---@return integer line
---@return integer column  from 1, in bytes
function arguments.place(text, at)
  local before = text:sub(1, at - 1)
  local _, feeds = before:gsub("\n", "")
  return feeds + 1, at - (before:match "^.*\n()" or 1) + 1
end

--- Return a value as text. A float reads back as the same number.
---@param value any
---@return string
function arguments.number_text(value)
  if value ~= value then return "nan" end -- for both signs of nan
  local text = tostring(value)
  local digits = 15
  while math.type(value) == "float" and tonumber(text) ~= value and digits <= 17 do
    text = ("%%.%dg"):format(digits):format(value)
    digits = digits + 1
  end
  return text
end

--- Return a bound as text for messages: "1000000" rather than "1000000.0"; pi with six digits.
---@param value number
---@return string
function arguments.bound(value)
  local exact = arguments.number_text(value):gsub("%.0$", "")
  return #exact <= 12 and exact or ("%.6g"):format(value)
end

--- Return a value as text for messages: `'x' (string)`, `-1`, `a table`.
function arguments.got(value)
  local kind = type(value)
  if kind == "string" then return ("'%s' (string)"):format(arguments.short(value)) end
  if kind == "table" or kind == "function" or kind == "thread" then return "a " .. kind end
  if kind == "userdata" then
    local class = getmetatable(value)
    return type(class) == "string" and "a " .. class or "userdata"
  end
  return arguments.number_text(value)
end

--- Return a key as text for messages that quote it: a string of at most 40 bytes is unchanged, a longer one is cut;
--- for another value return arguments.got(key).
---@param key any
---@return string
function arguments.called(key)
  return type(key) == "string" and arguments.short(key) or arguments.got(key)
end

--- Return the keys of a table in an order that is the same in every run: keys that are not strings, sorted by their
--- text in messages, then strings, sorted.
---@param t table
---@return any[]
function arguments.keys(t)
  local keys, called = {}, {}
  for key in next, t do
    if type(key) ~= "string" then
      keys[#keys + 1] = key
      called[key] = arguments.got(key)
    end
  end
  table.sort(keys, function(a, b) return called[a] < called[b] end)
  local names = nearest.keys(t)
  return table.move(names, 1, #names, #keys + 1, keys)
end

--- Return whether a value is a finite number.
local function is_finite(value) return type(value) == "number" and value - value == 0 end
arguments.is_finite = is_finite

local function in_range(value, field)
  if field.above and value <= field.above then return false end -- the callers have rejected nan
  return value >= (field.min or -math.huge) and value <= (field.max or math.huge)
end

-- For each kind of value: a function that checks a value, and the kind's name in messages.
local kinds = {
  number = {
    function(value, field)
      return type(value) == "number" and (is_finite(value) or field.infinite and value == value)
        and in_range(value, field)
    end,
    "a finite number",
  },
  integer = {
    function(value, field) return math.type(value) == "integer" and in_range(value, field) end,
    "an integer",
  },
  boolean = { function(value) return type(value) == "boolean" end, "true or false" },
  string = { function(value) return type(value) == "string" end, "a string" },
  ["function"] = { function(value) return type(value) == "function" end, "a function" },
  table = { function(value) return type(value) == "table" end, "a table" },
  any = { function() return true end },
  point = {
    function(value)
      return type(value) == "table" and is_finite(value[1]) and is_finite(value[2]) and value[3] == nil
    end,
    "{ x, y }, two finite numbers",
  },
  choice = {
    function(value, field)
      for i = 2, #field do
        if value == field[i] then return true end
      end
      return false
    end,
    "one of",
  },
}
for _, class in ipairs { "world", "body", "shape", "joint", "coordinate", "field", "mover" } do
  kinds[class] = { function(value) return getmetatable(value) == class end, "a " .. class }
end

-- Return the text that says what a value must be; nil for kind "any" without `what`.
local function expected(field)
  local text = field.what or kinds[field[1]][2]
  if not text then return nil end
  if field[1] == "choice" then
    local words = {}
    for i = 2, #field do words[#words + 1] = "'" .. field[i] .. "'" end
    return text .. " " .. table.concat(words, ", ")
  end
  local bound = arguments.bound
  if field.infinite then text = "a number" end
  if field.above then
    text = ("%s > %s"):format(text, bound(field.above))
  elseif field.min and field.max then
    text = ("%s in [%s, %s]"):format(text, bound(field.min), bound(field.max))
  elseif field.min or field.max then
    text = ("%s %s %s"):format(text, field.min and ">=" or "<=", bound(field.min or field.max))
  end
  return field.unit and ("%s [%s]"):format(text, field.unit) or text
end

--- Return whether a value is valid for a field. Allocates no memory.
function arguments.fits(value, field) return kinds[field[1]][1](value, field) end

--- Raise unless a value is valid for a field; return the value.
---@param what string   start of the message
---@param value any
---@param field table
---  { kind, min =, max =, above =, infinite = true, unit =, what = }
---  kind: "number", "integer", "boolean", "string", "function", "table", "point", "any", "choice" followed by its
---  words, or a class: "world", "body", "joint"
---  what: text for the expected value in messages
---@return any value
function arguments.check(what, value, field)
  if not kinds[field[1]][1](value, field) then
    arguments.fail("%s must be %s, got %s", what, expected(field), arguments.got(value))
  end
  return value
end

--- Raise unless a value is a table whose keys are 1, 2, ..., #value; return the value.
---@param what string      start of the message
---@param value any
---@param field table|nil  check of each item, as in arguments.check
function arguments.list(what, value, field)
  arguments.check(what, value, { "table" })
  local wrong
  for key in next, value do
    local shown = (math.type(key) ~= "integer" or key < 1 or key > #value) and arguments.got(key)
    -- The smallest key is reported, so that every run gives the same message.
    if shown and (not wrong or shown < wrong) then wrong = shown end
  end
  if wrong then arguments.fail("%s must be a list, got the key %s", what, wrong) end
  for i = 1, field and #value or 0 do arguments.check(("%s[%d]"):format(what, i), value[i], field) end
  return value
end

--- Raise unless a value has the fields that an object's load() needs from its save(); return the value.
---@param what string  start of the message
---@param saved any
---@param fields table<string|integer, string>  type of each field; "number|nil" if it is optional
---@return table saved
function arguments.saved(what, saved, fields)
  arguments.check(what, saved, { "table" })
  local wrong
  for name, kind in next, fields do
    local got = type(rawget(saved, name))
    local fits = got == kind or kind == got .. "|nil" or got == "nil" and kind:find "|nil$" ~= nil
    if not fits and (not wrong or tostring(name) < wrong) then wrong = tostring(name) end
  end
  if wrong then arguments.fail("%s must be a result of save: field '%s' is missing or wrong", what, wrong) end
  return saved
end

--- Raise unless a value is a finite number; return the value.
---@param what string  "pd.target"
function arguments.number(what, value)
  if not is_finite(value) then
    arguments.fail("%s must be a finite number, got %s", what, arguments.got(value))
  end
  return value
end

--- Check a table of options, and fill in defaults. Raises for unknown, invalid and missing fields.
---@param what string  name of the constructor in messages
---@param options table|nil  nil means the empty table
---@param fields table       name -> { kind, ..., default = value, optional = true }
---@return table read  a new table with defaults; tables inside it are not copied
function arguments.read(what, options, fields)
  if options == nil then options = {} end
  if type(options) ~= "table" then
    arguments.fail("%s: options must be a table, got %s", what, arguments.got(options))
  end
  local names = nearest.keys(options)
  for _, name in ipairs(names) do
    if not fields[name] then
      arguments.fail("bad field '%s' in %s%s", arguments.short(name), what, nearest.hint(name, nearest.keys(fields)))
    end
  end
  for key in next, options do
    if type(key) ~= "string" then
      arguments.fail("bad field %s in %s", arguments.got(arguments.keys(options)[1]), what)
    end
  end
  local read = {}
  for _, name in ipairs(nearest.keys(fields)) do
    local field, value = fields[name], options[name]
    if value ~= nil then
      read[name] = arguments.check(("%s: field '%s'"):format(what, name), value, field)
    elseif field.default ~= nil then
      read[name] = field.default
    elseif not field.optional then
      local value_is = expected(field)
      arguments.fail("%s needs the field '%s'%s", what, name, value_is and ", " .. value_is or "")
    end
  end
  return read
end

return arguments
