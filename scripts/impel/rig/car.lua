-- impel.rig.car: a car with two sprung wheels, seen from its right side. Forward is to the right.
--
--   local car = impel.rig.car(world, { position = { 0, 0 }, drive = "rear" })
--   car:drive(10)              -- motors drive to 10 m/s; car:drive(-3) reverses
--   car:throttle(200)          -- torque of all driven axles together [N m]
--   car:brake()  car:coast()
--
-- Each wheel slides along the upright axis of the chassis on a spring with
--
--   k = (2 pi f)^2 m / 2       m: mass on the springs, f: `hertz`; damping c = 2 zeta sqrt(k m / 2)
--
-- The car sinks by m g / (2 k) = g / (2 pi f)^2.
--   source: Gillespie, "Fundamentals of Vehicle Dynamics" (1992), ch. 5

local arguments = require "impel.base.arguments"
local rig_parts = require "impel.rig.shared.parts"
local maths = require "impel.math"

local fields = {
  wheelbase = { "number", above = 0, default = 2.4, unit = "m" },
  wheel_radius = { "number", above = 0, default = 0.35, unit = "m" },
  mass = { "number", above = 0, default = 800, unit = "kg" },
  wheel_mass = { "number", above = 0, default = 25, unit = "kg" },
  hertz = { "number", above = 0, default = 1.5, unit = "Hz" },
  damping_ratio = { "number", min = 0, default = 0.5 },
  travel = { "number", above = 0, default = 0.25, unit = "m" },
  drive = { "choice", "rear", "front", "all", default = "rear" },
  torque = { "number", min = 0, default = 600, unit = "N m" },
  friction = { "number", min = 0, default = 1 },
}

local Car = {}

-- Set the motors of some axles: target speed of the car, and largest torque.
local function motors(car, axles, speed, torque)
  for _, axle in ipairs(axles) do
    axle.motor_speed = -speed / car.wheel_radius -- a wheel turns clockwise if the car drives forward
    axle.max_force = torque
  end
end

local function no_throttle(car)
  for _, spin in ipairs(car.throttled) do spin:set_force(0) end
end

--- Drive the car to a speed [m/s], positive to the right.
function Car.drive(car, speed)
  arguments.number("car:drive: speed", speed)
  no_throttle(car)
  motors(car, car.axles, 0, 0)
  motors(car, car.driven, speed, car.torque)
end

--- Apply a torque [N m], positive forward, that does not depend on the speed. The driven axles share it equally. The
--- share of an axle is at most the option `torque`.
function Car.throttle(car, torque)
  arguments.number("car:throttle: torque", torque)
  motors(car, car.axles, 0, 0)
  local share = torque / #car.driven
  share = share > car.torque and car.torque or share < -car.torque and -car.torque or share
  for _, spin in ipairs(car.throttled) do spin:set_force(-share) end
end

--- Let the wheels roll freely.
function Car.coast(car)
  no_throttle(car)
  motors(car, car.axles, 0, 0)
end

--- Brake all wheels.
---@param torque number|nil  on each wheel [N m], default twice the torque of a motor
function Car.brake(car, torque)
  if torque ~= nil then arguments.check("car:brake: torque", torque, { "number", min = 0, unit = "N m" }) end
  no_throttle(car)
  motors(car, car.axles, 0, torque or 2 * car.torque)
end

--- Return the speed of the chassis along its own axis [m/s].
function Car.speed(car)
  local vx, vy = car.chassis:velocity()
  local fx, fy = car.chassis:world_vector(1, 0)
  return vx * fx + vy * fy
end

local function build(parts, o)
  local half, r = o.wheelbase / 2, o.wheel_radius
  -- Both springs have equal loads, because the chassis is symmetric and the mass of the cabin negligible.
  local chassis = parts:body("chassis", { position = { 0, 2 * r }, mass = o.mass })
  local length, low, high = half + 1.9 * r, -0.5 * r, 0.6 * r
  chassis:box { 2 * length, high - low, center = { 0, (low + high) / 2 }, radius = 0.05 * r, group = parts.group }
  chassis:polygon { points = { { -0.75 * half, high }, { 0.75 * half, high }, { 0.45 * half, high + 1.2 * r },
    { -0.45 * half, high + 1.2 * r } }, density = 1e-3, group = parts.group }
  local omega = 2 * maths.pi * o.hertz
  local spring = { stiffness = o.mass / 2 * omega * omega, damping = 2 * o.damping_ratio * o.mass / 2 * omega }
  for i, key in ipairs { "rear", "front" } do
    local x = i == 1 and -half or half
    local wheel = parts:body(key .. "_wheel", { position = { x, r }, mass = o.wheel_mass })
    wheel:circle { radius = r, friction = o.friction, group = parts.group }
    parts:joint("wheel", key, chassis, wheel, { anchor = { x, r }, axis = { 0, 1 }, spring = spring,
      limit = { -o.travel, o.travel }, motor = { speed = 0, max_force = 0 } })
  end
  parts.axles = { parts.rear, parts.front }
  parts.driven = o.drive == "all" and parts.axles or { parts[o.drive] }
  parts.throttled, parts.wheel_radius, parts.torque = {}, r, o.torque
  for i, axle in ipairs(parts.driven) do parts.throttled[i] = axle:coordinate "angle" end
  for name, method in next, Car do parts[name] = method end
end

--- Create a car on its wheels, with unloaded springs.
---@param options table|nil  fields:
---  position = { 0, 0 } [m]: point on the road between the wheels
---  angle = 0 [rad]
---  wheelbase = 2.4 [m]
---  wheel_radius = 0.35 [m]
---  mass = 800 [kg] of the chassis
---  wheel_mass = 25 [kg] of each wheel
---  hertz = 1.5 [Hz], damping_ratio = 0.5 of the springs
---  travel = 0.25 [m] of a wheel up and down
---  drive = "rear", or "front" or "all"
---  torque = 600 [N m] of the motor of a driven axle
---  friction = 1 of the tyres
---  name = "car"
---  group
---@return table parts  chassis, rear_wheel, front_wheel; rear, front: wheel joints, whose value is the displacement
---  along the suspension [m]; drive(), throttle(), coast(), brake(), speed() [m/s]; bodies, joints, group, mass()
---  [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.car", world, options, fields, build)
end
