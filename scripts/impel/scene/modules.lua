-- The modules of a scene: its `require` and `dofile`, the same in and outside a sandbox. Loads in progress are a
-- stack, so that modules that require each other are reported as a circle when the last require would close it:
--
--   mb.lua:1: modules require each other: ma → mb → ma
--
-- A module that has set package.loaded[NAME] before it requires the others is in no circle: they get that value. A
-- module that failed is no longer being loaded, and may be required again.

local arguments = require "impel.base.arguments"

local modules = {}
local Stack = {}
Stack.__index = Stack

local MOST_FILES = 100 -- files inside each other: a file may run itself a limited number of times
local ARROW = " \u{2192} "
local ADVICE = "(move what both need to a third module, or require one of them inside a function)"

local function plain(path) return (path:gsub("^%./", "")) end

-- Whether the code of an entry is running: a coroutine that was left in the middle of a module may never go on.
local function is_active(entry)
  local status = coroutine.status(entry.thread)
  return status == "running" or status == "normal"
end

--- An empty stack of loads.
---@return table
function modules.new() return setmetatable({}, Stack) end

--- Put a module or file on the stack.
---@param name string       in messages
---@param path string|nil   of its file
---@param is_module boolean|nil
---@return table entry  for leave; closing it leaves too
function Stack:enter(name, path, is_module)
  local entry = setmetatable({
    name = name, path = path and plain(path), is_module = is_module, thread = coroutine.running(), stack = self,
  }, { __close = function(entry) self:leave(entry) end })
  self[#self + 1] = entry
  return entry
end

--- Take an entry off the stack.
function Stack:leave(entry)
  for i = #self, 1, -1 do
    if self[i] == entry then return table.remove(self, i) end
  end
end

-- The names from an entry on, and the one that closes the circle.
local function chain(self, first, name)
  local names = {}
  for i = first, #self do
    if is_active(self[i]) then names[#names + 1] = arguments.short(self[i].name) end
  end
  names[#names + 1] = arguments.short(name)
  return table.concat(names, ARROW), self[#self].path
end

-- Raise at the line of the require; after a tail call of require, which has no line, at its file.
local function raise(format, names, path, has_line)
  if has_line or not path then arguments.fail(format, names) end
  error(("%s: " .. format):format(path, names), 0)
end

-- Raise where a module is being loaded already: by its name, or as the scene's file, which no name stands for.
local function refuse_circle(self, name, path, has_line)
  for i = #self, 1, -1 do
    local entry = self[i]
    local is_same = entry.is_module and entry.name == name or not entry.is_module and path and entry.path == plain(path)
    if is_same and is_active(entry) then
      local names, file = chain(self, i, name)
      raise("modules require each other: %s " .. ADVICE, names, file, has_line)
    end
  end
end

local function has_line_above()
  local info = debug.getinfo(2, "t") -- of the require
  return not (info and info.istailcall)
end

--- A require.
---@param stack table
---@param loaded table  values of the modules that are loaded, by name; a module may set its own early
---@param common fun(name: string): any  the value of a module that is not the scene's own; nil for others
---@param find fun(name: string): function|nil, string|nil  what loads a module, called with its name and path, and the
---  path of its file where there is one; or nil and a message
---@return fun(name: string): any
function modules.require(stack, loaded, common, find)
  return function(name)
    if type(name) ~= "string" then
      error(("require: the name of a module expected, got %s"):format(arguments.got(name)), 2)
    end
    local value = rawget(loaded, name)
    if value == nil then value = common(name) end
    if value ~= nil then return value end
    local has_line = has_line_above()
    refuse_circle(stack, name, nil, has_line)
    local load_module, path = find(name)
    if not load_module then error(path, 2) end
    refuse_circle(stack, name, path, has_line)
    local entry <close> = stack:enter(name, path, true) -- luacheck: ignore 211
    value = load_module(name, path)
    if value ~= nil then loaded[name] = value end
    if rawget(loaded, name) == nil then loaded[name] = true end
    return rawget(loaded, name)
  end
end

--- A dofile.
---@param stack table
---@param load_file fun(path: string|nil): function|nil, string|nil  the file's function, or nil and a message
---@return fun(path: string|nil): any
function modules.dofile(stack, load_file)
  return function(path)
    local has_line = has_line_above()
    local chunk, message = load_file(path)
    if not chunk then error(message, 2) end
    local name, depth, first = tostring(path), 0, nil
    for i = #stack, 1, -1 do
      if not stack[i].is_module and stack[i].name == name and is_active(stack[i]) then
        depth, first = depth + 1, first or i
      end
    end
    if depth >= MOST_FILES then
      local names, file = chain(stack, first, name)
      raise(("files run each other, %d deep: %%s"):format(depth), names, file, has_line)
    end
    local entry <close> = stack:enter(name, path) -- luacheck: ignore 211
    return chunk()
  end
end

return modules
