-- Checks of the fields that are set on an existing controller.
--
--   pd.kpp = 3               error: bad field 'kpp'
--   pd.when = "step"         error: field 'when' cannot change after creation
--   pd.target = nil          error at the next update
--
-- Because __newindex is called only for absent fields, `when` is not stored in the controller. An invalid value of an
-- existing field is found by the control law that reads it, which then calls control_fields.check.

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"

local control_fields = {}

-- Fields that every controller may have besides its options.
local KEPT = {
  act = true, acting = true, coordinate = true, dead = true, destroyed = true, force = true, handler = true,
  joint = true, checked_h = true, checked_inertia = true,
  checked_most_h = true, checked_most_kd = true, checked_most_kp = true,
  on_warning = true, sampled = true, warned = true, warned_hold = true, warned_period = true,
}

-- Return whether an option always has a value.
local function needed(field) return field.default ~= nil or not field.optional or field.filled end

local function check_one(self, name, value, field)
  return arguments.check(("%s: field '%s'"):format(tostring(self), name), value, field)
end

-- Return the metamethod __newindex for the controllers of a class.
local function set_new(class, kept)
  return function(self, key, value)
    local field = class.fields[key]
    if rawget(self, "act") and not kept[key] then -- after construction, changes are checked
      if key == "when" or field and field.fixed then
        arguments.fail("%s: field '%s' cannot change after creation; create a new controller",
          tostring(self), key)
      elseif not field then
        local names = nearest.keys(class.fields)
        arguments.fail("bad field %s in %s%s", type(key) == "string" and "'" .. key .. "'" or arguments.got(key),
          class.name, nearest.hint(key, names))
      elseif value ~= nil then
        check_one(self, key, value, field)
      end
    end
    rawset(self, key, value)
  end
end

--- Return the metatable of a class's controllers for one kind of handler. class.fields: options as for arguments.read;
--- class.kept, class.memory: lists of other fields that are set on its controllers.
function control_fields.metatable(class, when)
  if not class.fields then return class end
  local metatables = class.metatables or {}
  class.metatables = metatables
  local key = when or "never"
  if metatables[key] then return metatables[key] end
  local kept = setmetatable({}, { __index = KEPT })
  class.names = {} -- names of the options
  for _, name in ipairs(nearest.keys(class.fields)) do
    if name ~= "when" then table.insert(class.names, name) end
  end
  for _, name in ipairs(class.memory) do kept[name] = true end
  for _, name in ipairs(class.kept or {}) do kept[name] = true end
  local function absent(self, name)
    if name == "when" then return when end
    local value = class[name]
    if value == nil then
      local field = class.fields[name]
      if field and needed(field) and rawget(self, "act") then check_one(self, name, nil, field) end
    end
    return value
  end
  metatables[key] = {
    __index = absent, __newindex = set_new(class, kept), __tostring = class.__tostring,
    __save = class.__save, __load = class.__load,
  }
  return metatables[key]
end

--- Raise if an option of a controller has an invalid value. Allocates no memory.
function control_fields.check(self)
  local fields = self.fields
  for _, name in ipairs(self.names) do
    local value, field = rawget(self, name), fields[name]
    if (value ~= nil or needed(field)) and not arguments.fits(value, field) then check_one(self, name, value, field) end
  end
end

--- Return a feed-forward force [N or N m]. more: the force, or a function(target, time) that returns it.
function control_fields.feed(self, more, target)
  local kind = type(more)
  if kind == "function" then
    local force = more(target, self.world.time)
    if type(force) ~= "number" or force ~= force then
      arguments.fail_of(more, "%s: feed_forward must return a number [N or N m], got %s", tostring(self),
        arguments.got(force))
    end
    return force
  elseif kind ~= "number" then
    arguments.fail("%s: field 'feed_forward' must be a number or a function, got %s", tostring(self),
      arguments.got(more))
  end
  return more
end

return control_fields
