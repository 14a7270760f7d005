-- The modules of a scene: its `require` and `dofile`. Loads in progress form a stack, for the error:
--
--   mb.lua:1: modules require each other: ma → mb → ma
--
-- If module ma sets package.loaded.ma before it requires mb, there is no error: require "ma" in mb returns that value.

local arguments = require "impel.base.arguments"

local modules = {}
local Stack = {}
Stack.__index = Stack

local MOST_FILES = 100 -- largest nesting depth of a file that runs itself with dofile
local ARROW = " \u{2192} "
local ADVICE = "(move what both need to a third module, or require one of them inside a function)"

local function plain(path) return (path:gsub("^%./", "")) end

-- Return whether an entry is being loaded. A load in a suspended coroutine does not count: it may never continue.
local function is_active(entry)
  local status = coroutine.status(entry.thread)
  return status == "running" or status == "normal"
end

--- Return an empty stack of loads.
function modules.new() return setmetatable({}, Stack) end

--- Push a module or file, and return its entry. Stack:leave removes the entry. If the entry is in a <close> variable,
--- the end of the variable's scope removes it too. name: for messages; path: of the file, or nil.
function Stack:enter(name, path, is_module)
  local entry = setmetatable({
    name = name, path = path and plain(path), is_module = is_module, thread = coroutine.running(), stack = self,
  }, { __close = function(entry) self:leave(entry) end })
  self[#self + 1] = entry
  return entry
end

--- Remove an entry from the stack.
function Stack:leave(entry)
  for i = #self, 1, -1 do
    if self[i] == entry then return table.remove(self, i) end
  end
end

-- Return "a → b → name": the names of the active entries from index `first` on, then `name`, which closes the circle.
-- Return also the path of the last entry's file.
local function chain(self, first, name)
  local names = {}
  for i = first, #self do
    if is_active(self[i]) then names[#names + 1] = arguments.short(self[i].name) end
  end
  names[#names + 1] = arguments.short(name)
  return table.concat(names, ARROW), self[#self].path
end

-- Raise at the line that calls require or dofile. A tail call has no known line: has_line is false, and the message
-- begins with path, the file that makes the call.
local function raise(format, names, path, has_line)
  if has_line or not path then arguments.fail(format, names) end
  error(("%s: " .. format):format(path, names), 0)
end

-- Raise if a module or file is already being loaded. Modules are compared by name, files by path.
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
  local info = debug.getinfo(2, "t") -- level 2 is require or dofile
  return not (info and info.istailcall)
end

--- Return the require function of a scene.
---@param loaded table  values of loaded modules by name; a module may set its own before it returns
---@param common fun(name: string): any  returns a module shared with the engine; nil for a module of the scene
---@param find fun(name: string): function|nil, string|nil  returns a function(name, path) that loads a module, and the
---  path of its file if any; or nil and a message
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

--- Return the dofile function of a scene.
---@param load_file fun(path: string|nil): function|nil, string|nil  returns the file's function, or nil and a message
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
      raise(("files run each other, nested %d deep: %%s"):format(depth), names, file, has_line)
    end
    local entry <close> = stack:enter(name, path) -- luacheck: ignore 211
    return chunk()
  end
end

return modules
