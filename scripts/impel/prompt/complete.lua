-- Completion at a prompt, without calling the user's code.

local api = require "impel.reference.api"
local nearest = require "impel.base.nearest"
local show = require "impel.base.show"

local complete = {}

local WIDTH = 79 -- width of the lines of candidates [characters]

local opening = { ["("] = ")", ["{"] = "}", ["["] = "]" }


-- Text before the cursor ---------------------------------------------------------------------------------------------

-- Return the text with strings and comments replaced by as many blanks; nil if it ends inside one.
local function mask(text)
  local out, i = {}, 1
  local function blank(first, last)
    out[#out + 1] = (" "):rep(last - first + 1)
    i = last + 1
  end
  while i <= #text do
    local c = text:sub(i, i)
    local level = text:match("^%-%-%[(=*)%[", i) or text:match("^%[(=*)%[", i)
    if level then
      local _, last = text:find("]" .. level .. "]", i + 2, true)
      if not last then return nil end
      blank(i, last)
    elseif text:find("^%-%-", i) then
      local last = text:find("\n", i, true)
      if not last then return nil end
      blank(i, last)
    elseif c == '"' or c == "'" then
      local last = i + 1
      while last <= #text and text:sub(last, last) ~= c do
        last = last + (text:sub(last, last) == "\\" and 2 or 1)
      end
      if last > #text then return nil end
      blank(i, last)
    else
      out[#out + 1] = c
      i = i + 1
    end
  end
  return table.concat(out)
end

-- Return the open brackets, outermost first: { bracket, before }.
local function open_brackets(text)
  local open = {}
  for position, c in text:gmatch "()([%(%)%[%]{}])" do
    if opening[c] then
      open[#open + 1] = { bracket = c, before = text:sub(1, position - 1):gsub("%s+$", ""), at = position }
    else
      open[#open] = nil
    end
  end
  return open
end


-- Values -------------------------------------------------------------------------------------------------------------

-- Return value[name] or nil, without calling the user's metamethods. `value` may be a table, an impel object or a
-- string.
local function field(value, name)
  if type(value) == "table" then
    local found = rawget(value, name)
    if found ~= nil then return found end
    local meta = debug.getmetatable(value)
    if type(meta) ~= "table" then return nil end
    -- a module of impel is loaded at its first use
    if (rawget(meta, "submodules") or {})[name] then return value[name] end
    local index = rawget(meta, "__index")
    if type(index) == "table" then return rawget(index, name) end
  elseif show.class(value) then
    local ok, found = pcall(function() return value[name] end)
    if ok then return found end
  elseif type(value) == "string" then
    return string[name]
  end
  return nil
end

-- Return the value of "a.b[1].c", or nil.
local function value_of(globals, path)
  local first, rest = path:match "^([%a_][%w_]*)(.*)$"
  if not first then return nil end
  local value = field(globals, first)
  while rest ~= "" and value ~= nil do
    local name, after = rest:match "^%.([%a_][%w_]*)(.*)$"
    if not name then
      local index
      index, after = rest:match "^%[(%d+)%](.*)$"
      name = tonumber(index)
    end
    if not name then return nil end
    value, rest = field(value, name), after
  end
  return value
end

local function names_of_table(t, only_functions, found)
  for key, value in next, t do
    local good = type(key) == "string" and key:find "^[%a_][%w_]*$" and not show.keywords[key]
    if good and (not only_functions or type(value) == "function") then found[key] = true end
  end
  local meta = debug.getmetatable(t)
  if type(meta) ~= "table" then return end
  local index, submodules = rawget(meta, "__index"), rawget(meta, "submodules")
  if type(index) == "table" and index ~= t then names_of_table(index, only_functions, found) end
  if submodules and not only_functions then names_of_table(submodules, false, found) end
end

-- Return the names that may follow a "." or ":" after a value.
local function members(value, separator)
  local found = {}
  local class = show.class(value)
  if class then
    for _, entry in ipairs(api.tables()[class] or {}) do
      if (entry.kind == "method") == (separator == ":") then found[entry.name] = true end
    end
  elseif type(value) == "string" then
    names_of_table(string, true, found)
  elseif type(value) == "table" then
    names_of_table(value, separator == ":", found)
  end
  return found
end


-- Options ------------------------------------------------------------------------------------------------------------

-- Return the options of a function or method. `before` ends in its name, such as "world:revolute".
local function options_of_call(before)
  local separator, name = before:match "([%.:])([%a_][%w_]*)$"
  if not name then return nil end
  for _, class in ipairs(api.classes) do
    for _, entry in ipairs(api.tables()[class]) do
      if entry.name == name and entry.options and (class == "impel") == (separator == ".") then return entry.options end
    end
  end
  return nil
end

-- Return the options of the innermost open table, or nil.
local function options_here(open)
  local options
  for i, each in ipairs(open) do
    if each.bracket == "{" then
      local key = each.before:match "([%a_][%w_]*)%s*=$"
      local called = open[i - 1] and open[i - 1].bracket == "(" and open[i - 1].before or each.before
      if key and options then
        local inside
        for _, option in ipairs(options) do
          if option.name == key then inside = option.options end
        end
        options = inside
      else
        options = options_of_call(called)
      end
    end
  end
  return open[#open] and open[#open].bracket == "{" and options or nil
end


-- Candidates ---------------------------------------------------------------------------------------------------------

local function globals_and_words(globals)
  local found = {}
  for word in pairs(show.keywords) do found[word] = true end
  names_of_table(globals, false, found)
  return found
end

--- Return the names that complete the text before the cursor, sorted, and the part of a name that is already typed.
function complete.names(globals, text)
  local plain = mask(text)
  local word = text:match "[%a_][%w_]*$" or ""
  if not plain or text:find "%d[%w_]*$" and word == "" then return {}, word end
  local before = plain:sub(1, #plain - #word)
  local path, separator = before:match "([%a_][%w_%.%[%]]*)%s*([%.:])$"
  local found
  if path then
    found = members(value_of(globals, path), separator)
  elseif before:find "[%.:]$" then
    found = before:find "%.%.$" and globals_and_words(globals) or {}
  else
    local options = before:find "[{,;]%s*$" and options_here(open_brackets(before))
    found = options and {} or globals_and_words(globals)
    for _, option in ipairs(options or {}) do found[option.name .. " = "] = true end
  end
  local names = {}
  for _, name in ipairs(nearest.keys(found)) do
    if name:sub(1, #word) == word then names[#names + 1] = name end
  end
  return names, word
end

local function common_start(names)
  local start = names[1]
  for _, name in ipairs(names) do
    while name:sub(1, #start) ~= start do start = start:sub(1, -2) end
  end
  return start
end

--- Format names in columns, down and then right.
---@param width integer|nil  width of the lines, default 79
function complete.columns(names, width)
  local widest = 0
  for _, name in ipairs(names) do widest = math.max(widest, #name) end
  local across = math.max(1, ((width or WIDTH) + 2) // (widest + 2))
  local down = (#names + across - 1) // across
  local lines = {}
  for row = 1, down do
    local cells = {}
    for i = row, #names, down do cells[#cells + 1] = names[i] .. (" "):rep(widest - #names[i]) end
    lines[row] = table.concat(cells, "  "):gsub("%s+$", "")
  end
  return table.concat(lines, "\n")
end

--- Handle the Tab key after `text`. Return text to insert at the cursor, and nil or names to display below the line.
---@param width integer|nil  of the displayed lines, default 79
function complete.tab(globals, text, width)
  if text:find "^%s*$" then return "  " end
  local names, word = complete.names(globals, text)
  if #names == 0 then return "" end
  local insert = common_start(names):sub(#word + 1)
  if insert ~= "" or #names == 1 then return insert end
  return "", complete.columns(names, width)
end

return complete
