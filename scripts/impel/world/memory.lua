-- State of controllers and rigs, stored in the snapshots of their world.
--
--   memory.of(Machine)                  objects have save() and load(saved)
--   memory.of_fields(Brake, mend)       saves fields that are numbers, booleans, strings and lists of these;
--                                       mend(self), if given, is called after a restore
--   memory.of_fields(Plan, mend, { "tasks" })  also saves the fields of the tables in the list `tasks` of fixed length
--   memory.keep(world, self)            last in a constructor
--   memory.forget(world, self)          on destruction; a restore of an older snapshot revives the object
--
-- A restore does not change other values, such as functions.

local memory = {}

local LOOSE = { strict = false }

local function is_scalar(value)
  local kind = type(value)
  return kind == "number" or kind == "boolean" or kind == "string"
end

-- Return whether a value is a table that holds only numbers, booleans and strings, and has no metatable.
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

-- Fill the existing list, because other objects may refer to it.
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

--- Let snapshots store the objects of a class by its methods: save() returns plain data; load(saved) restores them.
function memory.of(metatable)
  metatable.__save = function(self) return self:save() end
  metatable.__load = function(self, saved) self:load(saved) end
  return metatable
end

--- Let snapshots store the fields of a class's objects that are numbers, booleans, strings and lists of these.
---@param mend fun(self: table)|nil  called after a restore
---@param parts string[]|nil  names of fields that are lists of tables; snapshots store the fields of these tables also
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

--- Register an object as part of the state of a world.
function memory.keep(world, object)
  world:state(object, LOOSE)
end

--- Unregister a destroyed object. Restoring an older snapshot that has the object registers it again.
function memory.forget(world, object)
  if world:is_valid() then world:forget_state(object) end
end

return memory
