-- Values as text for people: sorted keys, long tables broken into lines and shortened.

local show = {}

local WIDTH = 100      -- maximum width of a line [B]; a longer table is broken into lines
local DEPTH = 3        -- number of levels of nested tables shown
local MOST = 24        -- largest number of list entries and of fields shown of each table
local DIGITS = 6       -- default number of significant digits of numbers that are not whole
local SHORT = 16       -- maximum length [B] of an entry that may share a line with other entries
local MOST_BYTES = 240 -- maximum length [B] of a quoted string

local keywords = {}
for word in ("and break do else elseif end false for function goto if in local nil not or repeat return then true "
  .. "until while"):gmatch "%S+" do keywords[word] = true end

--- Lua's reserved words: word -> true.
show.keywords = keywords

local function number(x, digits)
  digits = digits or DIGITS
  if math.type(x) == "integer" then return ("%d"):format(x) end
  if x ~= x then return "nan" end
  if x == math.huge or x == -math.huge then return x > 0 and "inf" or "-inf" end
  return (("%%.%dg"):format(digits):format(x))
end

local escapes = { ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t", ['"'] = '\\"', ["\\"] = "\\\\" }

local function quoted(text)
  local short = #text > MOST_BYTES and text:sub(1, MOST_BYTES) or text
  local mask = utf8.len(short) and '[%c"\\]' or '[%c"\\\127-\255]'
  local out = '"' .. short:gsub(mask, function(c) return escapes[c] or ("\\x%02x"):format(c:byte()) end) .. '"'
  return #text > MOST_BYTES and ("%s... (%d bytes)"):format(out, #text) or out
end


-- Engine objects -----------------------------------------------------------------------------------------------------

local function pair(x, y)
  return ("(%s, %s)"):format(number(x), number(y))
end

--- Return a count with its noun: "1 lock", "2 locks".
function show.counted(count, one, many) return ("%d %s"):format(count, count == 1 and one or many) end

local describe = {} -- for each class: a function that returns the text after an object's name

function describe.world(world)
  local counts = world:counts()
  return ("t = %s s, %s, %s, %s, solver %s"):format(number(world.time),
    show.counted(counts.bodies, "body", "bodies"), show.counted(counts.joints, "joint", "joints"),
    show.counted(counts.contacts, "contact", "contacts"), world.solver)
end

function describe.body(body)
  local parts = { "at " .. pair(body:position()) }
  local kind = body.type
  if kind ~= "particle" then parts[#parts + 1] = "angle " .. number(body.angle) end
  if kind ~= "static" then
    parts[#parts + 1] = "v " .. pair(body:velocity())
    if kind ~= "particle" then parts[#parts + 1] = "w " .. number(body.angular_velocity) end
  end
  if kind ~= "dynamic" then parts[#parts + 1] = kind end
  if kind == "dynamic" and not body.awake then parts[#parts + 1] = "asleep" end
  return table.concat(parts, "  ")
end

-- Describe the motion of a coordinate, a row, or a joint's own coordinate. Raises for a joint that has no own
-- coordinate, such as a weld.
local function motion(object)
  return ("value %s  speed %s  force %s"):format(number(object.value), number(object.speed),
    number(object.force))
end

function describe.joint(joint)
  if joint.broken then return "broken" end
  local has_own, text = pcall(motion, joint)
  if has_own then return text end
  local fx, fy, torque = joint:reaction()
  return ("force %s  torque %s"):format(pair(fx, fy), number(torque))
end

describe.coordinate = motion

-- List the options of a force field that are numbers or vectors, by name.
function describe.field(field)
  local ok, options = pcall(field.options, field)
  local names, parts = {}, {}
  for name, value in next, ok and options or {} do
    if type(value) == "number" or type(value) == "table" and type(value[2]) == "number" and not value[3] then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  for i, name in ipairs(names) do
    local value = options[name]
    parts[i] = name .. " " .. (type(value) == "number" and number(value) or pair(value[1], value[2]))
  end
  return (field.enabled and "" or "off  ") .. table.concat(parts, "  ")
end

function describe.shape(shape)
  return ("of %s  friction %s  restitution %s%s"):format(tostring(shape.body), number(shape.friction),
    number(shape.restitution), shape.sensor and "  sensor" or "")
end

function describe.contact(contact)
  return ("normal %s  force %s"):format(pair(contact:normal()), pair(contact:force()))
end

describe.row = motion

--- Return the class of an engine object ("body", "joint", ...), or nil for any other value.
---@param value any
---@return string|nil
function show.class(value)
  if type(value) ~= "userdata" then return nil end
  local meta = debug.getmetatable(value)
  local name = meta and rawget(meta, "__name")
  return type(name) == "string" and name:match "^impel%.([%w_]+)$" or nil
end

-- Return "body 1 'crate'  at (0, 5)  ..."; only the name for a destroyed object or a class without a description.
local function object(value)
  local class = show.class(value)
  local ok, name = pcall(tostring, value)
  name = (ok and name or type(value)):gsub(":? %(?0x%x+%)?$", "")
  if class == "world" then name = "world" end
  if not describe[class] then return name end
  local alive, text = pcall(describe[class], value)
  return alive and ("%s  %s"):format(name, text) or name
end

local function function_text(f)
  local info = debug.getinfo(f, "S")
  if info.what == "C" then return "function" end
  return ("function at %s:%d"):format(info.short_src, info.linedefined)
end


-- Tables -------------------------------------------------------------------------------------------------------------

local inner -- function that returns the text of a value inside a table; defined below

local function key_text(key, state)
  if type(key) == "string" and key:find "^[%a_][%w_]*$" and not keywords[key] then return key end
  return "[" .. inner(key, state, DEPTH) .. "]"
end

local function key_less(a, b)
  local kind_a, kind_b = type(a), type(b)
  if kind_a ~= kind_b then return kind_a < kind_b end
  if kind_a == "number" or kind_a == "string" then return a < b end
  return tostring(a) < tostring(b)
end

--- Return the keys of a table that are not in the list 1..n, sorted.
---@param less fun(a: any, b: any): boolean|nil  default: by type, then by value
function show.other_keys(t, n, less)
  local keys = {}
  for key in next, t do
    if not (math.type(key) == "integer" and key >= 1 and key <= n) then keys[#keys + 1] = key end
  end
  table.sort(keys, less or key_less)
  return keys
end

local function shorten(parts, total, what)
  if total > MOST then parts[#parts + 1] = ("... %d more%s"):format(total - MOST, what) end
end

-- Return the entries of a table as text.
local function entries(t, state, depth)
  local parts, n = {}, rawlen(t)
  for i = 1, math.min(n, MOST) do parts[i] = inner(rawget(t, i), state, depth + 1) end
  shorten(parts, n, "")
  local keys = show.other_keys(t, n)
  for i = 1, math.min(#keys, MOST) do
    parts[#parts + 1] = key_text(keys[i], state) .. " = " .. inner(rawget(t, keys[i]), state, depth + 1)
  end
  shorten(parts, #keys, " fields")
  return parts
end

-- Join entries into lines: one entry per line, but short entries side by side.
local function lines_of(parts, indent)
  local lines, fill = {}, false
  for _, part in ipairs(parts) do
    local short = #part <= SHORT and not part:find("=", 1, true)
    local last = lines[#lines]
    if short and fill and #last + #part + 4 <= WIDTH then
      lines[#lines] = last .. ", " .. part
    else
      if last then lines[#lines] = last .. "," end
      lines[#lines + 1] = indent .. part
    end
    fill = short
  end
  return lines
end

local function table_text(t, state, depth)
  local meta = debug.getmetatable(t)
  if type(meta) == "table" and rawget(meta, "__tostring") then
    local ok, text = pcall(tostring, t)
    if ok then return text end
  end
  if state.open[t] then return "(cycle: an enclosing table)" end
  if next(t) == nil then return "{}" end
  if depth >= DEPTH then return "{ ... }" end
  state.open[t] = true
  local parts = entries(t, state, depth)
  state.open[t] = nil
  local line = "{ " .. table.concat(parts, ", ") .. " }"
  if #line + 2 * depth <= WIDTH and not line:find("\n", 1, true) then return line end
  local indent = ("  "):rep(depth)
  return "{\n" .. table.concat(lines_of(parts, indent .. "  "), "\n") .. "\n" .. indent .. "}"
end

function inner(value, state, depth)
  local kind = type(value)
  if kind == "number" then return number(value, state.digits) end
  if kind == "string" then return quoted(value) end
  if kind == "table" then return table_text(value, state, depth) end
  if kind == "function" then return function_text(value) end
  if kind == "userdata" then return object(value) end
  return kind == "thread" and "coroutine" or tostring(value)
end

--- Return a value as text: at most three levels of nested tables, and of each table 24 list entries and 24 fields.
---@param value any
---@param digits integer|nil  significant digits of numbers that are not whole; default 6
---@return string
function show.value(value, digits)
  return inner(value, { digits = digits, open = {} }, 0)
end

--- Return values as text: on one line, or one below the other if the line is long or a value has several lines.
---@param values table  a list with its length in field n
---@param digits integer|nil
---@return string
function show.values(values, digits)
  local parts = {}
  for i = 1, values.n do parts[i] = show.value(values[i], digits) end
  local line = table.concat(parts, ", ")
  return (#line > WIDTH or line:find("\n", 1, true)) and table.concat(parts, "\n") or line
end

return show
