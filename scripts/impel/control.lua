-- Common part of controllers: objects that act on a world from its "substep" or "step" handlers.
--
--   local Brake = control.class("impel.brake", { "heat" })   "heat": see control:save
--   function Brake.new(joint, options)
--     local o = arguments.read("impel.brake", options, { strength = { "number", min = 0 }, when = control.WHEN })
--     local self = control.new(Brake, control.coordinate("impel.brake", joint), o)
--     return control.start(self)
--   end
--   function Brake:apply(h)                                   called while it is enabled and its joint exists
--     local _, speed = self.read(self.coordinate)
--     self.write(self.coordinate, -self.strength * speed)
--   end
--   function Brake:rest() ... end                             called when it becomes passive; default: zero force
--   local brake = impel.brake(joint, { strength = 3 })
--   brake.enabled = false                                     removes the force
--   brake:destroy()
--
-- Handlers run in the order of their creation. A value that another handler sets acts in the same update if that
-- handler was created before the controller, else in the next update.
-- A controller whose subject is destroyed does nothing, and is destroyed after LINGER updates; if world:restore brings
-- the subject back before, it acts again. Its fields are part of the world's state.

local arguments = require "impel.base.arguments"
local control_fields = require "impel.control.fields"
local memory = require "impel.world.memory"
local owners = require "impel.control.owners"

local control = {}

local SUBJECTS = { coordinate = true, joint = true, body = true, world = true }
local TABLE, SECONDS = { "table" }, { "number", min = 0, unit = "s" } -- checks of the arguments of methods
-- number of updates without a valid subject after which a controller is destroyed: 10 s at 60 Hz with 4 substeps
local LINGER = 2400

--- Options of all controllers, for arguments.read.
control.WHEN = { "choice", "substep", "step", "never", default = "substep" }
control.ENABLED = { "boolean", default = true }

local function rejoin(self)
  if self.coordinate and not self.destroyed then owners.join(self, self.coordinate) end
end

--- Make a class of controllers. The module of the controller returns this class; class(...) calls class.new(...).
---@param name string       prefix of messages: "impel.pd"
---@param remembered string[]|nil  fields that the motion changes, such as integrals: save and load handle them
---@param kinds table<string, string>|nil  types of these fields, which load checks: "number", "number|nil", ...
function control.class(name, remembered, kinds)
  arguments.check("control.class: argument 'name'", name, { "string" })
  arguments.list("control.class: argument 'remembered'", remembered or {}, { "string" })
  if kinds ~= nil then arguments.check("control.class: argument 'kinds'", kinds, TABLE) end
  local class = { name = name, memory = remembered or {}, kinds = kinds or {} }
  class.__index = class
  class.__tostring = function(self) return ("%s of %s"):format(name, tostring(self.subject)) end
  for _, method in ipairs { "destroy", "is_alive", "save", "load", "update" } do class[method] = control[method] end
  class.rest = control.release
  memory.of_fields(class, rejoin)
  return setmetatable(class, { __call = function(_, ...) return class.new(...) end })
end

--- Return a coordinate, or the own coordinate of a joint. Raises for other values, a destroyed joint, and a joint
--- without a coordinate of its own.
---@param what string  prefix of messages
---@param value impel.joint|impel.coordinate
function control.coordinate(what, value)
  local kind = getmetatable(value)
  if kind ~= "joint" and kind ~= "coordinate" then
    arguments.fail("%s needs a joint or coordinate, got %s", what, arguments.got(value))
  end
  local joint = kind == "joint" and value or value.joint
  if not joint:is_valid() then arguments.fail("%s: attempt to use %s", what, tostring(value)) end
  if kind == "coordinate" then return value end
  local ok, own = pcall(joint.coordinate, joint)
  if not ok then
    arguments.fail('%s: a %s has no coordinate of its own (use joint:coordinate("x"))', what, joint.kind)
  end
  return own
end

--- control.of(coordinate, but): return the controllers of a coordinate, except destroyed ones and the controller `but`.
control.of = owners.of

--- Make a controller of a class, not yet started. A controller of a coordinate gets the fields `read` and `write`: the
--- coordinate's methods state and set_force.
---@param subject userdata  coordinate, joint, body or world that it acts on
---@param fields table      becomes the controller
function control.new(class, subject, fields)
  arguments.check("control.new: argument 'class'", class, { "table" })
  if not SUBJECTS[getmetatable(subject)] then
    arguments.fail("control.new: argument 'subject' must be a coordinate, joint, body or world, got %s",
      arguments.got(subject))
  end
  arguments.check("control.new: argument 'fields'", fields, { "table" })
  local when = fields.when
  if class.fields then fields.when = nil end -- `when` is a field of the metatable
  local self = setmetatable(fields, control_fields.metatable(class, when))
  self.subject = subject
  self.world = getmetatable(subject) == "world" and subject or subject.world
  self.valid = subject.is_valid
  if getmetatable(subject) == "coordinate" then
    self.coordinate, self.joint = subject, subject.joint
    self.read, self.write = subject.state, subject.set_force
    self.force = 0
    owners.claim(self, subject)
  end
  self.dead = 0
  self.acting = false
  return self
end

-- Count an update without a valid subject; after LINGER such updates, destroy the controller.
local function mourn(self)
  self.acting = false
  self.dead = self.dead + 1
  if self.dead > LINGER then self:destroy() end
end

--- Return whether a controller may act now. To be called if its subject is invalid, or `enabled` or `acting` is false.
--- If the subject is invalid, count the update, and destroy the controller after LINGER such updates. Otherwise an
--- enabled controller begins to act, and a disabled one becomes passive. Raises if the controller is enabled and
--- another controller acts on the coordinate.
function control.ready(self)
  if not self.valid(self.subject) then
    mourn(self)
    return false
  elseif self.enabled then
    if not self.acting then owners.take(self, self.coordinate) end
    return true
  end
  if self.acting then
    self.acting = false
    self:rest()
  end
  return false
end

--- Register the handler; a constructor calls this last. If the class has a method `law` that returns a function(h),
--- the handler calls that function; otherwise it calls the method `apply`.
function control.start(self)
  local valid, subject, apply = self.valid, self.subject, self.apply
  local act = self.law and self:law()
  if not act then
    act = function(h)
      if (self.acting and self.enabled and valid(subject)) or control.ready(self) then return apply(self, h) end
    end
  end
  self.act = act
  if self.when ~= "never" then self.handler = self.world:on(self.when, act) end
  memory.keep(self.world, self)
  return self
end

--- Run the handler once, for owners of controllers with `when` = "never".
---@param h number  time for which the force acts: the substep or the step [s]
function control:update(h)
  arguments.check("controller:update: h", h, SECONDS)
  return self.act(h)
end

--- Set the coordinate's force drive to zero, unless another controller acts on the coordinate.
function control.release(self)
  self.force = 0
  if not owners.rival(self, self.coordinate) then self.write(self.coordinate, 0) end
end

--- Remove the handler and the force of the controller. A second call does nothing.
function control:destroy()
  if self.destroyed then return end
  self.destroyed, self.enabled = true, false
  if self.handler then self.handler:destroy() end
  if self.valid(self.subject) then self:rest() end
  self.acting = false
  memory.forget(self.world, self)
end

--- Return whether the controller can act: it is not destroyed, and its subject is valid and unbroken.
function control:is_alive()
  return not self.destroyed and self.valid(self.subject) and not (self.joint and self.joint.broken)
end

--- Return the state that the motion changes: integrals, filters, activations; not the options.
---@param into table|nil  receives the state; default: a new table
function control:save(into)
  if into ~= nil then arguments.check("controller:save: into", into, TABLE) end
  into = into or {}
  for _, name in ipairs(self.memory) do into[name] = self[name] end
  return into
end

--- Restore the state returned by save.
function control:load(saved)
  arguments.saved("controller:load: saved", saved, self.kinds)
  for _, name in ipairs(self.memory) do self[name] = saved[name] end
end

--- Return the force clamped to -most..most. Raise if it is NaN.
---@param fields string[]  names of the fields that the message shows
function control.cut(self, force, most, fields)
  if most < 0 or most ~= most then control_fields.check(self) end
  if force ~= force then control.refuse(self, fields) end
  return force > 0 and most or -most
end

control.check, control.feed = control_fields.check, control_fields.feed

--- Raise because a force is NaN. The message has the values of the named fields.
function control.refuse(self, fields)
  local shown = {}
  for _, name in ipairs(fields) do
    local value = self[name]
    shown[#shown + 1] = ("%s = %s"):format(name, type(value) == "function" and "a function" or tostring(value))
  end
  error(("%s: its force is not a number; %s"):format(tostring(self), table.concat(shown, ", ")), 0)
end

return control
