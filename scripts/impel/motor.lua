-- impel.motor: a direct-current motor with a gear box on a joint.
--
--   local motor = impel.motor(wheel, { stall_torque = 0.3, no_load_speed = 600, ratio = 50, efficiency = 0.7,
--                                      rotor_inertia = 2e-6 })
--   motor.command = 0.8                     fraction of the full voltage, -1 to 1
--   motor.torque = 4                        instead of command: desired torque at the joint
--
--   torque at the joint = r eta T (u - r q' / w0) - r^2 J q'',  |u| <= 1
--   r: ratio, turns of the motor per turn of the joint; eta: efficiency; T: stall torque at full voltage [N m]; w0:
--   no-load speed [rad/s]; J: inertia of the rotor [kg m^2]
--   An inertia I spins up as w0 / r (1 - exp(-t / tau)), tau = (I + r^2 J) w0 / (r^2 eta T)
--   source: the linear torque-speed line of a permanent-magnet motor
--
-- The motor adds r^2 J to the armature of the coordinate and r eta T r / w0 to its damping.
--
-- Handlers run in the order in which they were registered. A value that a later handler sets acts one substep later.

local arguments = require "impel.base.arguments"
local control = require "impel.control"

local motor = control.class "impel.motor"

local FIELDS = {
  stall_torque = { "number", above = 0, unit = "N m" },
  no_load_speed = { "number", above = 0, unit = "rad/s" },
  ratio = { "number", above = 0, default = 1, unit = "1 or rad/m" },
  efficiency = { "number", above = 0, max = 1, default = 1, unit = "1" },
  rotor_inertia = { "number", min = 0, default = 0, unit = "kg m^2" },
  friction = { "number", min = 0, default = 0, unit = "N m or N, at the joint" },
  command = { "number", min = -1, max = 1, default = 0, unit = "1" },
  torque = { "number", optional = true, unit = "N m or N" },
  enabled = control.ENABLED,
}
motor.fields = FIELDS
motor.kept = { "braking" }

-- Fields of a motor whose changes act on the coordinate.
local LINE = { "stall_torque", "no_load_speed", "ratio", "efficiency", "rotor_inertia", "friction" }

-- Values that a motor adds to its coordinate.
local PARTS = {
  armature = function(self) return self.reflected end,
  friction = function(self) return self.dry end,
  damping = function(self) return self.braking and self.stall / self.top_speed or 0 end,
}

-- Set coordinate[name] (armature, friction or damping) to the coordinate's own value plus the values of its motors,
-- which share the table `own`: own[name] is the coordinate's own value, own[name .. "_set"] the sum set last. A later
-- change of the sum by other code is added to own[name].
local function share(self, name)
  local coordinate, own, part = self.coordinate, self.own, PARTS[name]
  local set, now = name .. "_set", coordinate[name]
  if now ~= own[set] then own[name] = math.max(own[name] + now - own[set], 0) end
  local sum = own[name]
  for _, other in ipairs(control.of(coordinate)) do
    if other.own == own then sum = sum + part(other) end
  end
  own[set] = sum
  if sum ~= now then coordinate[name] = sum end
end

-- Apply changed fields. Allocates nothing if no field has changed.
local function follow(self)
  if self.ratio == self.used_ratio and self.stall_torque == self.used_stall_torque
      and self.no_load_speed == self.used_no_load_speed and self.efficiency == self.used_efficiency
      and self.rotor_inertia == self.used_rotor_inertia and self.friction == self.used_friction then
    return
  end
  for _, name in ipairs(LINE) do
    arguments.check(("%s: field '%s'"):format(tostring(self), name), self[name], FIELDS[name])
    rawset(self, "used_" .. name, self[name])
  end
  self.stall = self.ratio * self.efficiency * self.stall_torque -- stall torque at the joint [N m]
  self.top_speed = self.no_load_speed / self.ratio
  self.reflected, self.dry = self.ratio * self.ratio * self.rotor_inertia, self.friction
  if self.destroyed or not self.valid(self.subject) then return end
  for name in pairs(PARTS) do share(self, name) end
end

--- Make a motor on a coordinate, or on a joint's own coordinate.
---@param joint impel.joint|impel.coordinate  on a prismatic coordinate, ratio is in rad/m and forces are in N
---@param options table
---  stall_torque [N m], no_load_speed [rad/s]: of the motor at full voltage
---  ratio: turns of the motor per turn of the joint (1)
---  efficiency (1)
---  rotor_inertia (0) [kg m^2]
---  friction (0): dry, at the joint [N m]
---  command (0): fraction of the full voltage, -1 to 1
---  torque: desired torque at the joint [N m]; replaces command; the motor gives less if |voltage| would exceed 1
---  enabled: if false, the circuit is open; rotor and friction still act
---@return table motor  has the options as fields: a changed field takes effect in the next substep; `voltage`: applied
---  fraction of the full voltage, -1 to 1
function motor.new(joint, options)
  local coordinate = control.coordinate("impel.motor", joint)
  local o = arguments.read("impel.motor", options, FIELDS)
  o.when = "substep"
  local self = control.new(motor, coordinate, o)
  for _, other in ipairs(control.of(coordinate, self)) do self.own = self.own or rawget(other, "own") end
  if not self.own then
    self.own = {}
    for name in pairs(PARTS) do self.own[name], self.own[name .. "_set"] = coordinate[name], coordinate[name] end
  end
  self.voltage, self.braking = 0, false
  follow(self)
  return control.start(self)
end

-- Return the handler of a motor. Rotor and friction act even if the motor is disabled.
function motor:law()
  local valid, subject, apply = self.valid, self.subject, self.apply
  return function()
    if valid(subject) then follow(self) end
    if (self.acting and self.enabled and valid(subject)) or control.ready(self) then return apply(self) end
  end
end

--- Return the torque at the joint at full voltage and a speed of the joint [N m]; negative beyond the no-load speed.
---@param speed number  [rad/s]
function motor:available(speed)
  if type(speed) ~= "number" then arguments.number("motor:available: speed", speed) end
  follow(self)
  return self.stall * (1 - speed / self.top_speed)
end

--- Return the present torque or force at the joint [N m or N], without the part that accelerates the rotor.
function motor:output()
  follow(self)
  local _, speed = self.read(self.coordinate)
  return self.voltage * self.stall - self.stall / self.top_speed * speed
end

-- Set the voltage for the next substep.
function motor:apply()
  if not self.braking then
    self.braking = true
    share(self, "damping")
  end
  local voltage, wanted = self.command, rawget(self, "torque")
  if wanted and type(wanted) == "number" then
    local _, speed = self.read(self.coordinate)
    voltage = wanted / self.stall + speed / self.top_speed
  elseif wanted or type(voltage) ~= "number" then
    control.check(self)
  end
  if voltage > 1 then voltage = 1 elseif voltage < -1 then voltage = -1 end
  if voltage ~= voltage then control.refuse(self, { "command", "torque" }) end
  self.voltage = voltage
  self.force = voltage * self.stall
  self.write(self.coordinate, self.force)
end

--- Open the circuit: remove voltage and damping.
function motor:rest()
  self.voltage = 0
  if self.braking then
    self.braking = false
    share(self, "damping")
  end
  control.release(self)
end

--- Remove the motor from the joint, with its rotor and friction. A second call does nothing.
function motor:destroy()
  if self.destroyed then return end
  control.destroy(self)
  if self.valid(self.subject) then
    for name in pairs(PARTS) do share(self, name) end
  end
end

return motor
