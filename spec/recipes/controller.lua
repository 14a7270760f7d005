-- A brake stops a wheel: the wheel's speed falls as exp(-strength t / inertia).
-- api: brake
local impel = require "impel"

local scene = { title = "Brake", duration = 1, view = { height = 3 } }

function scene.setup(_, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local wheel = world:body { mass = 2, inertia = 1, angular_velocity = 10 }
  wheel:circle { radius = 0.5 }
  local hinge = world:revolute(world.ground, wheel, { anchor = { 0, 0 } })
  return { world = world, wheel = wheel, brake = impel.brake(hinge, { strength = 2 }) }
end

function scene.measure(s)
  return { speed = s.wheel.angular_velocity, heat = s.brake.heat }
end

function scene.check(s)
  local expected = 10 * math.exp(-2 * s.world.time)
  -- The bound is 1 %, as the brake is explicit: each substep of length h removes the fraction 2 h of the speed instead
  -- of 1 - exp(-2 h).
  return math.abs(s.wheel.angular_velocity - expected) < 0.01 * 10,
    ("%.4f rad/s, %.4f expected"):format(s.wheel.angular_velocity, expected), s.brake.heat > 0, "it took no work"
end

return scene
