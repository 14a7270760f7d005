-- Two flywheels follow sin t, each with a motor of 10 N m.
local impel = require "impel"
local m = impel.math

local scene = {
  title = "Newton motor",
  about = "The motor is the constraint angle - sin t = 0 with a torque limit of 10 N m. To follow sin t, a wheel needs "
    .. "the torque I sin t: at most 5 N m for the light wheel of 5 kg m^2, which the motor can exert, and 20 N m for "
    .. "the heavy wheel of 20 kg m^2, which therefore falls behind.",
  duration = 7, -- [s], a little more than one period
  view = { x = 0, y = 0, height = 3 },
}

scene.params = {
  light = { 5.0, min = 0.5, max = 10, help = "inertia of the light wheel [kg m^2]; its angle can follow sin t" },
  heavy = { 20.0, min = 10.5, max = 100, help = "inertia of the heavy wheel [kg m^2]; its angle cannot follow sin t" },
  start = { 1.0, min = -2, max = 2, help = "initial speed of the wheels [rad/s]; the target sin t grows at 1 rad/s at "
    .. "first, so the motor must correct any other speed" },
}

local MOST = 10 -- [N m], torque limit of each motor

local function flywheel(world, name, x, inertia, start)
  local body = world:body { name = name, position = { x, 0 }, mass = 1, inertia = inertia, angular_velocity = start }
  body:circle { radius = 0.9 }
  world:revolute(world.ground, body, {})
  local motor = world:constraint(body, { C = function(p, t) return p.angle - m.sin(t) end, max_force = MOST })
  return { name = name, body = body, motor = motor, inertia = inertia, peak = 0, behind = 0 }
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false }
  local light = flywheel(world, "light", -1, p.light, p.start)
  return { world = world, wheels = { light, flywheel(world, "heavy", 1, p.heavy, p.start) } }
end

-- Before every step: record the largest torque and the largest lag of each wheel.
function scene.update(s)
  for _, wheel in ipairs(s.wheels) do
    wheel.peak = math.max(wheel.peak, math.abs(wheel.motor.force))
    wheel.behind = math.max(wheel.behind, math.abs(wheel.motor.value))
  end
end

function scene.measure(s)
  local row = { target = math.sin(s.world.time) }
  for _, wheel in ipairs(s.wheels) do
    row[wheel.name] = wheel.body.angle
    row[wheel.name .. "_torque"] = wheel.motor.force
    row[wheel.name .. "_behind"] = wheel.motor.value
  end
  return row
end

function scene.check(s)
  if s.world.time < 2 then return false, "cannot be checked before 2 s: sin t has its peak at 1.57 s" end
  local light, heavy = s.wheels[1], s.wheels[2]
  return light.behind < 1e-4, ("the light wheel was %.3g rad behind sin t, less than 1e-4 expected"):format(
      light.behind), math.abs(light.peak - light.inertia) < 1e-3 * light.inertia,
    ("the motor of the light wheel exerted %.4f N m, %.4f expected"):format(light.peak, light.inertia),
    math.abs(heavy.peak - MOST) < 1e-6,
    ("the motor of the heavy wheel exerted %.7f N m, %g expected"):format(heavy.peak, MOST),
    heavy.behind > 1e-3, ("the heavy wheel was %.3g rad behind sin t, more than 1e-3 expected"):format(heavy.behind)
end

return scene
