-- What controllers share: objects that act on a world by themselves, in its "substep" or "step" handlers.
--
--   local Brake = control.class("impel.brake", { "heat" })   a module and class in one; "heat": see save
--   function Brake.new(joint, options)
--     local o = arguments.read("impel.brake", options, { strength = { "number", min = 0 }, when = control.WHEN })
--     local self = control.new(Brake, control.coordinate("impel.brake", joint), o)   fields are o's
--     self.heat = 0
--     return control.start(self)
--   end
--   function Brake:apply(h)                                   called while it is enabled and its joint lives
--     local _, speed = self.read(self.coordinate)
--     self.write(self.coordinate, -self.strength * speed)
--   end
--   function Brake:rest() ... end                             when it becomes passive: by default the force drive is 0
--   local brake = impel.brake(joint, { strength = 3 })
--   brake.enabled = false                                     passive: takes its force away before the next substep
--   brake:destroy()
--
-- Handlers run in the order of registration, which is that of creation: what another handler of the same kind sets
-- acts at once where that was registered before, else an update later. `enabled` is looked at before each update, so
-- that a switch changes forces and no velocity; so of several on one coordinate one may act at a time. A controller
-- whose joint (body, world) is destroyed acts no more; a world that is restored from a snapshot of before has it again,
-- for LINGER updates: then it lets go of all and is gone for good. On a broken joint it goes on without effect:
-- is_alive() tells. All that it knows is in plain fields, which are part of the world's state: world:restore brings
-- them back, and it itself where it was destroyed since.

local arguments = require "impel.base.arguments"
local control_fields = require "impel.control.fields"
local memory = require "impel.world.memory"
local owners = require "impel.control.owners"

local control = {}

local SUBJECTS = { coordinate = true, joint = true, body = true, world = true }
local TABLE, SECONDS = { "table" }, { "number", min = 0, unit = "s" } -- what methods take
local LINGER = 2400 -- updates: ten seconds at 60 Hz and 4 substeps, as far as the window goes back

--- The options that all controllers have, for arguments.read.
control.WHEN = { "choice", "substep", "step", "never", default = "substep" }
control.ENABLED = { "boolean", default = true }

-- One that a restore brought back acts on its coordinate again.
local function rejoin(self)
  if self.coordinate and not self.destroyed then owners.join(self, self.coordinate) end
end

--- A class of controllers, which is its module: `class.new(...)` is `class(...)`.
---@param name string       how messages begin: "impel.pd"
---@param remembered string[]|nil  fields that are state of the motion, for save and load
---@param kinds table<string, string>|nil  of these, what load has to be given: "number", "boolean", "number|nil", ...
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

--- The coordinate that is meant: itself, or a joint's own.
---@param what string  how a message begins
---@param value any    joint or coordinate that is alive
---@return userdata coordinate
function control.coordinate(what, value)
  local kind = getmetatable(value)
  if kind ~= "joint" and kind ~= "coordinate" then
    arguments.fail("%s needs a joint or coordinate, got %s", what, arguments.got(value))
  end
  local joint = kind == "joint" and value or value.joint
  if not joint:is_valid() then arguments.fail("%s: attempt to use destroyed %s", what, tostring(value)) end
  if kind == "coordinate" then return value end
  local ok, own = pcall(joint.coordinate, joint)
  if not ok then
    arguments.fail('%s: a %s has no coordinate of its own (use joint:coordinate("x"))', what, joint.kind)
  end
  return own
end

--- The controllers of a coordinate but one, destroyed ones not counted.
control.of = owners.of

--- A controller of a class, not yet started. Of a coordinate it has `read` and `write`, its methods state and set_force
--- looked up once, and the force drive that `write` sets.
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
  if class.fields then fields.when = nil end -- it stands behind them
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

-- Its subject is gone.
local function mourn(self)
  self.acting = false
  self.dead = self.dead + 1
  if self.dead > LINGER then self:destroy() end
end

--- Whether a controller may act now; what its law asks where one of `valid(subject)`, `self.enabled` and `self.acting`
--- is false. Then it begins to act, becomes passive, or is gone.
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

--- Subscribe it; the last thing that a constructor does. A class that is in a hurry has a `law` in the place of
--- `update`: a function that gives the handler, function(h), with what never changes in its upvalues.
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

--- What its handler does: measure, and set the force, if it is enabled and its joint lives. For who has `when =
--- "never"`.
---@param h number  how long the force will act: the substep, or the step [s]
function control:update(h)
  arguments.check("controller:update: h", h, SECONDS)
  return self.act(h)
end

--- Take the force of the coordinate's force drive away, unless another controller has set its own.
function control.release(self)
  self.force = 0
  if not owners.rival(self, self.coordinate) then self.write(self.coordinate, 0) end
end

--- Unsubscribe and take the force away. Again is a no-op.
function control:destroy()
  if self.destroyed then return end
  self.destroyed, self.enabled = true, false
  if self.handler then self.handler:destroy() end
  if self.valid(self.subject) then self:rest() end
  self.acting = false
  memory.forget(self.world, self)
end

--- Whether it can act: not destroyed, and what it acts on is there and unbroken.
---@return boolean
function control:is_alive()
  return not self.destroyed and self.valid(self.subject) and not (self.joint and self.joint.broken)
end

--- What it remembers of the motion: integrals, filters, activations. For who resets that alone; a snapshot of the world
--- has it, and the options.
---@param into table|nil  to be filled
function control:save(into)
  if into ~= nil then arguments.check("controller:save: into", into, TABLE) end
  into = into or {}
  for _, name in ipairs(self.memory) do into[name] = self[name] end
  return into
end

--- Go back to what save gave.
---@param saved table
function control:load(saved)
  arguments.saved("controller:load: saved", saved, self.kinds)
  for _, name in ipairs(self.memory) do self[name] = saved[name] end
end

--- The force within its largest, for one that is not: a number beyond it, or no number.
---@param fields string[]  names, for the message
function control.cut(self, force, most, fields)
  if most < 0 or most ~= most then control_fields.check(self) end
  if force ~= force then control.refuse(self, fields) end
  return force > 0 and most or -most
end

control.check, control.feed = control_fields.check, control_fields.feed

--- Raise for a force that is no number, with what it was made of.
---@param fields string[]  their names
function control.refuse(self, fields)
  local shown = {}
  for _, name in ipairs(fields) do
    local value = self[name]
    shown[#shown + 1] = ("%s = %s"):format(name, type(value) == "function" and "a function" or tostring(value))
  end
  error(("%s: its force is not a number; %s"):format(tostring(self), table.concat(shown, ", ")), 0)
end

return control
