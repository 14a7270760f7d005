-- A body locked by its rails does not move, and its velocity is zero. A free body moves at its velocity.
-- Source: textbook, nearly redundant constraints.
local impel = require "impel"

local scene = {
  title = "Phantom velocity", about = "A body's velocity is the rate of change of its position.", duration = 1,
  units = { x = "m", v = "m/s", lie = "m/s" },
}
scene.params = { slope = 1e-3, force = 20.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, gravity = { 0, 0 } }
  local carriage = world:body { mass = 1, inertia = 0.1 }
  world:pin_slot(world.ground, carriage, { axis = { 1, 0 }, anchor = { -0.5, 0 } })
  world:pin_slot(world.ground, carriage, { axis = { 1, 0 }, anchor = { 0.5, 0 } })
  -- The slot keeps y = slope x, and the rails keep y = 0. Together they lock x, unless the slope is 0.
  world:pin_slot(world.ground, carriage, { axis = { 1, p.slope }, anchor = { 0, 0.5 } })
  return { world = world, carriage = carriage, p = p, lie = 0 }
end

function scene.update(s)
  local x, v = s.carriage:position(), s.carriage:velocity()
  if s.x then s.lie = math.max(s.lie, math.abs((x - s.x) / s.world.dt - v)) end
  s.x = x
  s.carriage:apply_force(s.p.force, 0)
end

function scene.measure(s)
  return { x = (s.carriage:position()), v = (s.carriage:velocity()), lie = s.lie }
end

function scene.check(s)
  local x, v = s.carriage:position(), s.carriage:velocity()
  local gain = s.p.force * s.world.dt -- velocity change of a free carriage in a step [m/s]
  -- Distance after 1 s: F t^2 / (2 m) if the carriage is free, else 0.
  local right = s.p.slope == 0 and s.p.force / 2 or 0
  return s.lie < gain,
    ("the body's velocity and the rate of change of its position differ by %.3g m/s"):format(s.lie),
    -- The bound is 2 % of the distance of a free carriage. A first-order scheme is off by 1/60 of this distance.
    math.abs(x - right) < 0.02 * s.p.force / 2,
    ("the body is at %.3f m, %.0f expected, and its velocity is %.3f m/s"):format(x, right, v),
    s.p.slope == 0 or math.abs(v) < gain, ("the body's velocity while locked is %.3g m/s"):format(v)
end

return scene, {
  vary = { slope = { 1e-2, 1e-3, 1e-4, 0 } }, solvers = { "si", "direct", "acceleration", "reduced", "rattle" },
}
