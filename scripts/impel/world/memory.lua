-- What controllers and rigs know beside their world, as part of the world's snapshots: world:restore brings it back.
--
--   memory.of(Machine)                  objects of the class are saved by their save() and loaded by load(saved)
--   memory.of_fields(Brake, mend)       by their fields that are numbers, booleans, strings and lists of these;
--                                       mend(self), if given, follows
--   memory.of_fields(Plan, mend, { "tasks" })  and so by those of each table in these lists, which stay as long
--   memory.keep(world, self)            the last thing that a constructor does
--   memory.forget(world, self)          when it is destroyed; a restore to before brings it back
--
-- What is no data, functions above all, stays as it is.

local memory = {}

local LOOSE = { strict = false }

local function is_scalar(value)
  local kind = type(value)
  return kind == "number" or kind == "boolean" or kind == "string"
end

-- A table that holds nothing but numbers, booleans and strings, and is no object.
local function is_list(value)
  if type(value) ~= "table" or getmetatable(value) then return false end
  for key, part in next, value do
    if not is_scalar(part) or not is_scalar(key) then return false end
  end
  return true
end

local function save_fields(self)
  local saved = {}
  for key, value in next, self do
    if is_scalar(value) or is_list(value) then saved[key] = value end
  end
  return saved
end

-- In the same list: others may hold it, and where the state does it is the right one already.
local function refill(list, saved)
  if list == saved then return end
  for key in next, list do list[key] = nil end
  for key, value in next, saved do list[key] = value end
end

local function load_fields(self, saved)
  for key, value in next, self do
    if (is_scalar(value) or is_list(value)) and saved[key] == nil then rawset(self, key, nil) end
  end
  for key, value in next, saved do
    local now = rawget(self, key)
    if type(value) == "table" and is_list(now) then refill(now, value) else rawset(self, key, value) end
  end
end

--- A class whose objects have save() and load(saved), what the first gives being data.
---@param metatable table
---@return table metatable
function memory.of(metatable)
  metatable.__save = function(self) return self:save() end
  metatable.__load = function(self, saved) self:load(saved) end
  return metatable
end

--- A class whose objects are what their fields are.
---@param metatable table
---@param mend fun(self: table)|nil  called when the fields were set
---@param parts string[]|nil  fields that are lists of tables with fields of their own
---@return table metatable
function memory.of_fields(metatable, mend, parts)
  parts = parts or {}
  metatable.__save = function(self)
    local saved = { fields = save_fields(self) }
    for _, name in ipairs(parts) do
      local list = {}
      for i, part in ipairs(self[name]) do list[i] = save_fields(part) end
      saved[name] = list
    end
    return saved
  end
  metatable.__load = function(self, saved)
    load_fields(self, saved.fields)
    for _, name in ipairs(parts) do
      for i, part in ipairs(self[name]) do load_fields(part, saved[name][i]) end
    end
    if mend then mend(self) end
  end
  return metatable
end

--- Make an object part of the state of a world.
function memory.keep(world, object)
  world:state(object, LOOSE)
end

--- The object is gone. Snapshots that know it bring it back.
function memory.forget(world, object)
  if world:is_valid() then world:forget_state(object) end
end

return memory
