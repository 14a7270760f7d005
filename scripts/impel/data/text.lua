-- Plain data as Lua source and back, with exact numbers. The same data gives the same text in every run.

local arguments = require "impel.base.arguments"
local compiler = require "impel.base.compiler"
local schema = require "impel.data.schema"
local show = require "impel.base.show"

local text = {}

local WIDTH = 110 -- maximum width of a line
local MOST_KEYS = 10000 -- maximum number of numeric keys in brackets, such as [3] = 1, in a table


-- Writing -------------------------------------------------------------------------------------------------------------

local function float(x)
  if x ~= x then return "0/0" end
  if x == math.huge then return "1/0" end
  if x == -math.huge then return "-1/0" end
  local digits
  for precision = 15, 17 do
    digits = ("%." .. precision .. "g"):format(x)
    if tonumber(digits) == x then break end
  end
  digits = digits:gsub("[^%w+-]+", ".") -- the decimal separator depends on the C locale, so it may be a comma
  return digits:find "^-?%d+$" and digits .. ".0" or digits
end

local function number(x)
  if math.type(x) == "float" then return float(x) end
  return x == math.mininteger and "0x8000000000000000" or ("%d"):format(x)
end

local function quote(s)
  return (("%q"):format(s):gsub("\\\n", "\\n"))
end

local function key_text(key)
  if type(key) == "string" then
    if key:find "^[A-Za-z_][A-Za-z0-9_]*$" and not show.keywords[key] then return key end
    return "[" .. quote(key) .. "]"
  end
  return "[" .. (type(key) == "number" and number(key) or tostring(key)) .. "]"
end

-- field name -> rank in the text
local ranks

local function add_ranks(fields, is_last)
  for _, f in ipairs(fields.list) do
    if not ranks[f.name] and not is_last[f.name] then
      ranks.count = ranks.count + 1
      ranks[f.name] = ranks.count
    end
    if f.fields then add_ranks(f.fields, is_last) end
  end
end

-- The text begins with the most important names and ends with the long fields.
local first_names = ("format version title about duration view kind type name a b body joint1 joint2 joint coordinate "
  .. "position radius width height points from to center angle lower upper stiffness damping hertz damping_ratio "
  .. "target speed max_force"):gmatch "[%w_]+"
local last_names = { "data", "shapes", "bodies", "joints", "fields" }

local function build_ranks()
  local tables, is_last = schema.tables(), {}
  for i, name in ipairs(last_names) do is_last[name] = i end
  ranks = { count = 0 }
  for name in first_names do add_ranks({ list = { { name = name } } }, is_last) end
  add_ranks(tables.body, is_last)
  for _, group in ipairs { { tables.shape, tables.shape_types }, { tables.joint, tables.joint_kinds } } do
    for _, name in ipairs(group[2]) do add_ranks(group[1][name], is_last) end
  end
  add_ranks(tables.field, is_last)
  add_ranks(tables.world, is_last)
  for i, name in ipairs(last_names) do ranks[name] = ranks.count + i end
end

local kinds = { string = 1, number = 2, boolean = 3 }

local function less(a, b)
  local rank_a, rank_b = ranks[a] or math.huge, ranks[b] or math.huge
  if rank_a ~= rank_b then return rank_a < rank_b end
  if type(a) ~= type(b) then return kinds[type(a)] < kinds[type(b)] end
  if type(a) == "boolean" then return not a and b end
  return a < b
end

local render

-- Return the items as texts: keys 1 to n, others sorted.
local function items_of(t, indent)
  local items, count = {}, 0
  while t[count + 1] ~= nil do
    count = count + 1
    items[count] = render(t[count], indent)
  end
  local keys, numbers = show.other_keys(t, count, less), 0
  for _, key in ipairs(keys) do numbers = numbers + (type(key) == "number" and 1 or 0) end
  if numbers > MOST_KEYS then
    error(("data: a table has %d numeric keys outside of its list; at most %d can be read"):format(numbers,
      MOST_KEYS), 0)
  end
  for _, key in ipairs(keys) do items[#items + 1] = key_text(key) .. " = " .. render(t[key], indent) end
  return items
end

-- Join items to lines up to the line width. An item of several lines gets separate lines.
local function wrap(items, indent)
  local lines, line = {}, ""
  for _, item in ipairs(items) do
    local fits = line ~= "" and #indent + #line + #item + 2 <= WIDTH and not item:find("\n", 1, true)
    if fits then
      line = line .. " " .. item .. ","
    else
      if line ~= "" then lines[#lines + 1] = indent .. line end
      line = item .. ","
    end
    if item:find("\n", 1, true) then
      lines[#lines + 1] = indent .. line
      line = ""
    end
  end
  if line ~= "" then lines[#lines + 1] = indent .. line end
  return table.concat(lines, "\n")
end

-- Return whether the items of a list are tables with string keys (bodies, shapes, joints, fields).
local function is_of_objects(t)
  return type(t[1]) == "table" and next(t[1]) ~= nil and t[1][1] == nil
end

function render(value, indent)
  local kind = type(value)
  if kind == "number" then return number(value) end
  if kind == "string" then return quote(value) end
  if kind ~= "table" then return tostring(value) end
  local deeper = indent .. "  "
  local items = items_of(value, deeper)
  local objects = #items > 1 and is_of_objects(value)
  local line = #items == 0 and "{}" or "{ " .. table.concat(items, ", ") .. " }"
  if not objects and #indent + #line <= WIDTH and not line:find("\n", 1, true) then return line end
  local body = objects and deeper .. table.concat(items, ",\n" .. deeper) .. "," or wrap(items, deeper)
  return ("{\n%s\n%s}"):format(body, indent)
end

--- Return plain data as Lua source, or raise with the path.
function text.encode(data)
  if not ranks then build_ranks() end
  local ok, copy = pcall(schema.copy, data, "data")
  if not ok then error(copy, 2) end
  local is_text, lines = pcall(render, copy, "")
  if not is_text then error(lines, 2) end
  return ("return %s\n"):format(lines)
end


-- Reading -------------------------------------------------------------------------------------------------------------

-- Lua words that data may contain, apart from keys.
local allowed = { ["return"] = true, ["true"] = true, ["false"] = true, ["nil"] = true }

local function blank(s) return (s:gsub("[^\n]", " ")) end

-- Return the end of the string or comment that starts at `from`; nil if none starts at `from`.
local function end_of_literal(source, from)
  local is_comment = source:sub(from, from + 1) == "--"
  local level = source:match(is_comment and "^%-%-%[(=*)%[" or "^%[(=*)%[", from)
  if level then
    local _, last = source:find("]" .. level .. "]", from, true)
    return last or #source
  end
  if is_comment then return (source:find("[\r\n]", from) or #source + 1) - 1 end
  local quote_mark = source:sub(from, from)
  if quote_mark ~= '"' and quote_mark ~= "'" then return nil end
  local at = from + 1
  while true do
    local stop = source:find("[\\" .. quote_mark .. "]", at)
    if not stop then return #source end
    if source:sub(stop, stop) == quote_mark then return stop end
    at = stop + 2
  end
end

-- Return the source with its strings and comments replaced by blanks.
local function code_of(source)
  local parts, at, from = {}, 1, 0
  while true do
    from = source:find("[\"'%[%-]", from + 1)
    if not from then break end
    local is_minus = source:byte(from) == 45 and source:byte(from + 1) ~= 45
    local last = not is_minus and end_of_literal(source, from)
    if last then
      parts[#parts + 1] = source:sub(at, from - 1)
      parts[#parts + 1] = blank(source:sub(from, last))
      at, from = last + 1, last
    end
  end
  parts[#parts + 1] = source:sub(at)
  return table.concat(parts)
end

-- Raise if a table has more than MOST_KEYS bracketed keys: keys whose hashes collide take quadratic time to insert.
local function refuse_keys(code, refuse)
  local counts = { 0 } -- for each open table, how many keys of the form [...] it has
  for sign, at in code:gmatch "([{}%[])()" do
    if sign == "{" then
      counts[#counts + 1] = 0
    elseif sign == "}" then
      counts[math.max(#counts, 2)] = nil
    elseif not code:find("^%s*%]", at) then -- strings are already replaced by blanks, so the key is not a string
      counts[#counts] = counts[#counts] + 1
      if counts[#counts] > MOST_KEYS then
        refuse(at, ("a table has more than %d numeric keys in brackets"):format(MOST_KEYS))
      end
    end
  end
end

-- Raise if the source is more than data: names only as keys, no parentheses, colons and "..". So it cannot call
-- functions, loop or join strings, and is safe to run.
local function refuse_code(source, name)
  local code = code_of(source)
  local function refuse_at(at, what)
    error(("%s:%d: %s"):format(name, arguments.place(code, at), what), 0)
  end
  local function refuse(at, what)
    refuse_at(at, ("'%s' is not allowed in data (return { ... } of numbers, strings, true, false and tables)"):format(
      arguments.short(what)))
  end
  for at, word, sign in code:gmatch "()%f[%w_]([%a_][%w_]*)%s*(=?=?)" do
    local is_key = not show.keywords[word] and sign == "="
    if not is_key and not allowed[word] then refuse(at, word) end
  end
  local at = code:find "[():]" or code:find("..", 1, true)
  if at then refuse(at, code:sub(at, at)) end
  refuse_keys(code, refuse_at)
end

--- Read data from Lua source, or return nil and a message. name: of the source in messages, default "data".
function text.decode(source, name)
  name = name or "data"
  local is_data, problem = pcall(refuse_code, source, name)
  if not is_data then return nil, problem end
  local chunk, message = compiler.load(source, "=" .. name, {})
  if not chunk then return nil, compiler.short(message) end
  local ok, result = pcall(chunk)
  if not ok then return nil, tostring(result) end
  if type(result) ~= "table" then
    return nil, ("%s: it returns %s, not a table of data"):format(name, schema.got(result))
  end
  local plain, data = pcall(schema.copy, result, "data")
  if plain then return data end
  return nil, ("%s: %s"):format(name, data)
end

return text
