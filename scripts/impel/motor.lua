-- impel.motor: a direct-current motor with a gear box on a joint: the faster it turns the less torque it has.
--
--   local motor = impel.motor(wheel, { stall_torque = 0.3, no_load_speed = 600, ratio = 50, efficiency = 0.7,
--                                      rotor_inertia = 2e-6 })
--   motor.command = 0.8                     of its full voltage, -1 to 1
--   motor.torque = 4                        or what the joint should get: as much of it as the motor has at its speed
--
--   torque at the joint = r eta T (u - r q' / w0) - r^2 J q'',  |u| <= 1
--   r: ratio, turns of the motor for one of the joint; eta: efficiency; T: stall torque at full voltage [N m]; w0:
--   no-load speed [rad/s]; J: inertia of the rotor [kg m^2], which the joint feels r^2 times
--   It spins an inertia I up as w0 / r (1 - exp(-t / tau)), tau = (I + r^2 J) w0 / (r^2 eta T)
--   source: the linear torque-speed line of a permanent-magnet motor without inductance, as in any text on drives
--
-- The rotor is armature of the coordinate (r^2 J), the slope of the torque-speed line is damping (r eta T r / w0), and
-- dry friction is the coordinate's: all three are added to what it has and solved with the joints, so that they are
-- stable at any ratio and in every solver. The torque r eta T u is the coordinate's force drive; springs, limits and
-- servos of the coordinate act beside it. A motor that is not enabled is an open circuit: it has no torque and no
-- slope, but its rotor and its friction stay. On a coordinate that slides (m), ratio is rad/m and the joint gets a
-- force.

local arguments = require "impel.arguments"
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

-- Add to a number that the coordinate has, or take from it. What rounding leaves below 0 is 0.
local function add(coordinate, name, amount)
  if amount ~= 0 then coordinate[name] = math.max(coordinate[name] + amount, 0) end
end

--- A motor on a joint's own coordinate, or on a coordinate.
---@param joint impel.joint|impel.coordinate
---@param options table  stall_torque [N m] and no_load_speed [rad/s] of the motor at full voltage; ratio of the gear
---  box (1);
---  efficiency (1); rotor_inertia (0) [kg m^2]; friction (0) [N m]: dry, at the joint; command (0): part of the
---  voltage; torque [N m]: what the joint should get, goes before command; enabled: false opens the circuit
---@return table motor       command and torque are fields that may change; `voltage`: what is applied, -1 to 1; the
---  others are
---  fixed
function motor.new(joint, options)
  local coordinate = control.coordinate("impel.motor", joint)
  local o = arguments.read("impel.motor", options, FIELDS)
  o.when = "substep"
  local self = control.new(motor, coordinate, o)
  self.stall = o.ratio * o.efficiency * o.stall_torque -- at the joint, with its no-load speed
  self.top_speed = o.no_load_speed / o.ratio
  self.reflected = o.ratio * o.ratio * o.rotor_inertia
  self.voltage, self.braking = 0, false
  add(coordinate, "armature", self.reflected)
  add(coordinate, "friction", self.friction)
  return control.start(self)
end

--- The torque that the gear box has at a speed of the joint, at full voltage.
---@param speed number  of the joint [rad/s]
---@return number       [N m]; negative beyond the no-load speed
function motor:available(speed)
  if type(speed) ~= "number" then arguments.number("motor:available: speed", speed) end
  return self.stall * (1 - speed / self.top_speed)
end

--- What it gives now, the rotor's own need not counted.
---@return number  [N m or N]
function motor:output()
  local _, speed = self.read(self.coordinate)
  return self.voltage * self.stall - self.stall / self.top_speed * speed
end

-- Set the voltage for the next substep.
function motor:apply()
  if not self.braking then
    self.braking = true
    add(self.coordinate, "damping", self.stall / self.top_speed)
  end
  local voltage, wanted = self.command, rawget(self, "torque")
  if wanted then
    local _, speed = self.read(self.coordinate)
    voltage = wanted / self.stall + speed / self.top_speed
  end
  if voltage > 1 then voltage = 1 elseif voltage < -1 then voltage = -1 end
  if voltage ~= voltage then control.refuse(self, { "command", "torque" }) end
  self.voltage = voltage
  self.force = voltage * self.stall
  self.write(self.coordinate, self.force)
end

--- Off: an open circuit.
function motor:rest()
  self.voltage = 0
  if self.braking then
    self.braking = false
    add(self.coordinate, "damping", -self.stall / self.top_speed)
  end
  control.release(self)
end

--- Take it off the joint, rotor and friction too. Again is a no-op.
function motor:destroy()
  if self.destroyed then return end
  control.destroy(self)
  if self.valid(self.subject) then
    add(self.coordinate, "armature", -self.reflected)
    add(self.coordinate, "friction", -self.friction)
  end
end

return motor
