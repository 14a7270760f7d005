-- Measures the work of Lua code in two numbers that are the same in every run: instructions of the virtual machine and
-- bytes allocated. During the count, Lua code replaces the functions of the library `string`. For other functions that
-- walk over a text or list, the length is added to the instructions.
--
--   local work = require "support.work"
--   local spent, a, b = work.of(most, f, ...)     -- spent.instructions, spent.bytes, spent.over; results of f
local work = {}

local HOOK_EVERY = 100 -- instructions

local find, sub, byte, rep = string.find, string.sub, string.byte, string.rep

-- Patterns -----------------------------------------------------------------------------------------------------------

-- Cache of set_of: sets of bytes by the text of the item.
local sets = {}

local function set_of(text)
  local set = sets[text]
  if set then return set end
  set = {}
  for b = 0, 255 do
    local is_single = #text == 1 and text ~= "."
    if is_single and b == byte(text) or not is_single and find(string.char(b), "^" .. text) then set[b] = true end
  end
  sets[text] = set
  return set
end

-- Return the end of the single-character item at a position of a pattern.
local function end_of_single(p, at)
  local c = sub(p, at, at)
  if c == "%" then return at + 2 end
  if c ~= "[" then return at + 1 end
  local i = at + 1
  if sub(p, i, i) == "^" then i = i + 1 end
  repeat
    local d = sub(p, i, i)
    if d == "" then error "malformed pattern" end
    i = i + (d == "%" and 2 or 1)
  until sub(p, i, i) == "]"
  return i + 1
end

local compiled = {}

-- Compile a pattern to a list of items.
local function compile(p)
  if compiled[p] then return compiled[p] end
  local items, at, open, count = { anchored = sub(p, 1, 1) == "^" }, sub(p, 1, 1) == "^" and 2 or 1, {}, 0
  while at <= #p do
    local c, two = sub(p, at, at), sub(p, at, at + 1)
    local item
    if c == "(" then
      count = count + 1
      local position = two == "()"
      item = { kind = position and "position" or "open", n = count }
      if not position then open[#open + 1] = count end
      at = at + (position and 2 or 1)
    elseif c == ")" then
      item = { kind = "close", n = table.remove(open) }
      at = at + 1
    elseif c == "$" and at == #p then
      item, at = { kind = "end" }, at + 1
    elseif two == "%b" then
      item, at = { kind = "balance", byte(p, at + 2), byte(p, at + 3) }, at + 4
    elseif two == "%f" then
      local last = end_of_single(p, at + 2)
      item, at = { kind = "frontier", set = set_of(sub(p, at + 2, last - 1)) }, last
    elseif find(two, "^%%%d") then
      item, at = { kind = "back", n = tonumber(sub(p, at + 1, at + 1)) }, at + 2
    else
      local last = end_of_single(p, at)
      item = { kind = "single", set = set_of(sub(p, at, last - 1)) }
      local suffix = sub(p, last, last)
      if suffix == "*" or suffix == "+" or suffix == "-" or suffix == "?" then
        item.kind, last = suffix, last + 1
      end
      at = last
    end
    items[#items + 1] = item
  end
  items.captures = count
  compiled[p] = items
  return items
end

local match

local matchers = {}

function matchers.open(m, items, i, at)
  local before = m[items[i].n]
  m[items[i].n] = { at }
  local last = match(m, items, i + 1, at)
  if not last then m[items[i].n] = before end
  return last
end

function matchers.close(m, items, i, at)
  local capture = m[items[i].n]
  capture[2] = at
  local last = match(m, items, i + 1, at)
  if not last then capture[2] = nil end
  return last
end

function matchers.position(m, items, i, at)
  m[items[i].n] = { at, true }
  return match(m, items, i + 1, at)
end

matchers["end"] = function(m, items, i, at) return at == #m.text + 1 and match(m, items, i + 1, at) or nil end

function matchers.frontier(m, items, i, at)
  local before, here = at > 1 and byte(m.text, at - 1) or 0, byte(m.text, at) or 0
  local set = items[i].set
  return not set[before] and set[here] and match(m, items, i + 1, at) or nil
end

function matchers.balance(m, items, i, at)
  local first, second = items[i][1], items[i][2]
  if byte(m.text, at) ~= first then return nil end
  local depth, here = 1, at + 1
  while here <= #m.text do
    local b = byte(m.text, here)
    if b == second then depth = depth - 1 elseif b == first then depth = depth + 1 end
    if depth == 0 then return match(m, items, i + 1, here + 1) end
    here = here + 1
  end
end

function matchers.back(m, items, i, at)
  local text = sub(m.text, m[items[i].n][1], m[items[i].n][2] - 1)
  return sub(m.text, at, at + #text - 1) == text and match(m, items, i + 1, at + #text) or nil
end

-- Match an item with a quantifier. Try the longest repetition first, then shorter ones.
local function greedy(m, items, i, at, least)
  local set, count = items[i].set, 0
  while set[byte(m.text, at + count)] do count = count + 1 end
  while count >= least do
    local last = match(m, items, i + 1, at + count)
    if last then return last end
    count = count - 1
  end
end

matchers["*"] = function(m, items, i, at) return greedy(m, items, i, at, 0) end
matchers["+"] = function(m, items, i, at) return greedy(m, items, i, at, 1) end
matchers["-"] = function(m, items, i, at)
  while true do
    local last = match(m, items, i + 1, at)
    if last then return last end
    if not items[i].set[byte(m.text, at)] then return nil end
    at = at + 1
  end
end
matchers["?"] = function(m, items, i, at)
  local last = items[i].set[byte(m.text, at)] and match(m, items, i + 1, at + 1)
  return last or match(m, items, i + 1, at)
end

-- Match the items from number i on, beginning at a position of the text. Return the end of the match, or nil.
function match(m, items, i, at)
  while true do
    local item = items[i]
    if not item then return at end
    if item.kind ~= "single" then return matchers[item.kind](m, items, i, at) end
    if not item.set[byte(m.text, at)] then return nil end
    i, at = i + 1, at + 1
  end
end

local function captures(m, items, first, last)
  if items.captures == 0 then return { n = 1, sub(m.text, first, last - 1) } end
  local list = { n = items.captures }
  for i = 1, items.captures do
    list[i] = m[i][2] == true and m[i][1] or sub(m.text, m[i][1], m[i][2] - 1)
  end
  return list
end

-- Find the first match that begins at a position or later. Return the state of the match, its start and its end.
local function search(text, items, at)
  repeat
    local m = { text = text }
    local last = match(m, items, 1, at)
    if last then return m, at, last end
    at = at + 1
  until at > #text + 1 or items.anchored
end

local function start_of(text, init)
  init = init or 1
  if init < 0 then init = math.max(#text + init + 1, 1) end
  return math.max(init, 1)
end

local extra = 0 -- instructions that are added for the work of C functions

local counted = {}

function counted.find(text, pattern, init, plain)
  text, pattern = tostring(text), tostring(pattern)
  local at = start_of(text, init)
  if at > #text + 1 then return nil end
  if plain or not find(pattern, "[%^%$%*%+%?%.%(%)%[%%%-]") then
    local first, last = find(text, pattern, at, true)
    extra = extra + (last or #text) - at + 1
    return first, last
  end
  local items = compile(pattern)
  local m, first, last = search(text, items, at)
  if not m then return nil end
  if items.captures == 0 then return first, last - 1 end
  local list = captures(m, items, first, last)
  return first, last - 1, table.unpack(list, 1, list.n)
end

function counted.match(text, pattern, init)
  text = tostring(text)
  local at = start_of(text, init)
  if at > #text + 1 then return nil end
  local items = compile(pattern)
  local m, first, last = search(text, items, at)
  if not m then return nil end
  local list = captures(m, items, first, last)
  return table.unpack(list, 1, list.n)
end

function counted.gmatch(text, pattern)
  text = tostring(text)
  local items, at, before = compile((sub(pattern, 1, 1) == "^" and "%" or "") .. pattern), 1, nil
  return function()
    while at <= #text + 1 do
      local m = { text = text }
      local last = match(m, items, 1, at)
      if last and last ~= before then
        local list = captures(m, items, at, last)
        at, before = last, last
        return table.unpack(list, 1, list.n)
      end
      at = at + 1
    end
  end
end

local function replacement(with, list, whole)
  local value
  if type(with) == "table" then
    value = with[list[1]]
  elseif type(with) == "function" then
    value = with(table.unpack(list, 1, list.n))
  else
    local parts, at = {}, 1
    while at <= #with do
      local c = sub(with, at, at)
      if c == "%" then
        local d = sub(with, at + 1, at + 1)
        parts[#parts + 1] = d == "0" and whole or d == "%" and "%" or tostring(list[tonumber(d)])
        at = at + 2
      else
        parts[#parts + 1] = c
        at = at + 1
      end
    end
    value = table.concat(parts)
  end
  return value and tostring(value) or whole
end

function counted.gsub(text, pattern, with, most)
  text, with = tostring(text), type(with) == "number" and tostring(with) or with
  local items, at, before, count, parts = compile(pattern), 1, nil, 0, {}
  while count < (most or math.huge) do
    local m = { text = text }
    local last = match(m, items, 1, at)
    if last and last ~= before then
      count = count + 1
      parts[#parts + 1] = replacement(with, captures(m, items, at, last), sub(text, at, last - 1))
      at, before = last, last
    elseif at <= #text then
      parts[#parts + 1] = sub(text, at, at)
      at = at + 1
    else
      break
    end
    if items.anchored then break end
  end
  parts[#parts + 1] = sub(text, at)
  return table.concat(parts), count
end

-- Functions whose work is proportional to a length. Each entry: library, name, function that returns the length.
local walks = {
  { table, "insert", function(t, at, value) return value ~= nil and #t - at + 1 or 0 end },
  { table, "remove", function(t, at) return at and #t - at + 1 or 0 end },
  { table, "move", function(_, from, to) return math.max(to - from, 0) end },
  { table, "concat", function(t) return #t end },
  { table, "sort", function(t) return #t end },
  { table, "unpack", function(t, from, to) return (to or #t) - (from or 1) end },
  { utf8, "len", function(text, from, to) return (to or #text) - (from or 1) end },
  { _G, "tonumber", function(text) return type(text) == "string" and #text or 0 end },
}

-- Replace the functions of `string` and of `walks` by functions that count. Return a function that restores them.
local function replace()
  local before = {}
  for name, f in pairs(counted) do
    before[#before + 1] = { string, name, string[name] }
    string[name] = f -- luacheck: ignore 122
  end
  for _, walk in ipairs(walks) do
    local library, name, length = table.unpack(walk)
    local f = library[name]
    before[#before + 1] = { library, name, f }
    library[name] = function(...)
      extra = extra + length(...)
      return f(...)
    end
  end
  return function()
    for _, each in ipairs(before) do each[1][each[2]] = each[3] end
  end
end


-- Counting -----------------------------------------------------------------------------------------------------------

--- Call a function and count its work.
---@param most number  instructions after which it is stopped
---@param f function   must not catch errors that it did not raise
---@return table spent  instructions; bytes [B] allocated and not freed at the end; over: it was stopped
---@return boolean|nil ok  of pcall; nil if it was stopped
---@return any ...
function work.of(most, f, ...)
  collectgarbage "stop" -- garbage of earlier code is not freed during the measurement
  local hooks, over = 0, false
  extra = 0
  local put_back = replace()
  local bytes = collectgarbage "count"
  debug.sethook(function()
    hooks = hooks + 1
    if hooks * HOOK_EVERY + extra > most then
      over = true
      error "too much work"
    end
  end, "", HOOK_EVERY)
  local results = table.pack(pcall(f, ...))
  debug.sethook()
  put_back()
  bytes = (collectgarbage "count" - bytes) * 1024
  collectgarbage "restart"
  local spent = { instructions = hooks * HOOK_EVERY + extra, bytes = bytes, over = over }
  if over then return spent end
  return spent, table.unpack(results, 1, results.n)
end


-- Bytes that readers do not expect -----------------------------------------------------------------------------------

-- Return a function that makes a text of about n bytes: copies of a piece.
local function repeated(piece)
  return function(n) return rep(piece, math.max(n // #piece, 1)) end
end

-- Return a function that makes a text of about n bytes: copies of a piece in which "#" is replaced by 1, 2, 3, ...
local function numbered(format)
  return function(n)
    local parts, size, i = {}, 0, 0
    while size < n do
      i = i + 1
      parts[i] = format:gsub("#", i)
      size = size + #parts[i]
    end
    return table.concat(parts)
  end
end

-- Return n pseudorandom bytes. The sequence is the same in every call.
local function random(n)
  local state, parts = 88172645463325252, {}
  for i = 1, n do
    state = state ~ state << 13
    state = state ~ state >> 7
    state = state ~ state << 17
    parts[i] = string.char(state >> 32 & 255)
  end
  return table.concat(parts)
end

-- Return a table in CSV with one row and many columns. Each column has its own unit.
local function wide(n)
  local names, values = { "time" }, { "0" }
  for i = 1, n // 20 do names[i + 1], values[i + 1] = ("c%d [u%d]"):format(i, i), ("%d"):format(i) end
  return table.concat(names, ",") .. "\n" .. table.concat(values, ",") .. "\n"
end

--- Functions that return about n bytes, by kind.
work.bytes = {
  ["nothing but x"] = repeated "x", ["any bytes"] = random, ["one number"] = repeated "7", ["zeros"] = repeated "\0",
  ["bytes of no character"] = repeated "\xFF", ["parts of characters"] = repeated "\xE2\x82",
  ["a wide table"] = wide,
  ["numbered words"] = numbered "w#,", ["numbered lines"] = numbered "#,#\n",
  ["numbered objects"] = numbered '{"n#":#}\n', ["numbered names"] = numbered '"n#":#,',
  ["one string of spaces"] = function(n) return '"' .. rep(" ", n - 2) .. '"' end,
  ["spaces before brackets"] = function(n) return rep(" ", n // 2) .. rep("[", n - n // 2) end,
  ["numbered fields"] = numbered "k#=#,", ["numbered tables"] = numbered '{name="b#"},',
  ["a string cut in an escape"] = function(n) return '"' .. rep("x", n - 2) .. "\\" end,
  ["spaces before x"] = function(n) return rep(" ", n - 1) .. "x" end,
  ["long brackets"] = function(n) return "[" .. rep("=", n // 3) .. "[" .. rep("]" .. rep("=", 50), n // 80) end,
}
for _, piece in ipairs {
  "\n", "\r\n", "\r", " ", "\t", '"', "'", "[", "]", "{", "}", "(", "[[", "]]", "[=", "--", "--[[", "--[=", "/*", "//",
  ",", "-", "\\", '""', '","', "1,", "1\n", ",\n", '"a",', "a\\", "\\u", '\\"', "{}", "[]\n", "{}\n", "1.", "1e", "e5",
  "0x", "=", "..", "nil,", "x=", "return ", "\\z", "\xEF\xBB\xBF", "\x1b[", "1,1\n", '{"a":1,"b":2}\n', '{"a":', "0,",
  "a.b", " ,", " x", "[[]],", "<eof>", "t", "\r\n\n",
} do
  work.bytes[("%q"):format(piece)] = repeated(piece)
end

--- The names in work.bytes, sorted.
work.kinds = {}
for name in pairs(work.bytes) do work.kinds[#work.kinds + 1] = name end
table.sort(work.kinds)

return work
