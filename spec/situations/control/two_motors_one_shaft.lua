-- Two unequal motors turn the two ends of a shaft against a constant load. At the shaft's speed, the torques of the
-- motors' torque-speed lines add up to the load.
-- Source: MuJoCo and Drake models with two actuators on one joint; DART issue 1047 (several motors and couplings).
local impel = require "impel"

local scene = {
  title = "Two motors on a shaft", duration = 12,
  about = "Two motors on a shaft share its load as their torque-speed lines predict.",
  units = { speed = "rad/s", expected = "rad/s", first = "N m", right = "N m" },
}
scene.params = { load = { 0.5, help = "load / sum of both stall torques" }, stronger = 3.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local shaft = world:body { mass = 1, inertia = 0.1 }
  local left = world:revolute(world.ground, shaft, {})
  local right = world:revolute(world.ground, shaft, {}) -- a second hinge at the same point has redundant locks
  local s = { world = world, p = p, shaft = shaft }
  s.first = impel.motor(left, { stall_torque = 1, no_load_speed = 10, rotor_inertia = 0.02, command = 1 })
  s.second = impel.motor(right, { stall_torque = p.stronger, no_load_speed = 20, rotor_inertia = 0.05, command = 1 })
  s.load = p.load * (1 + p.stronger)
  s.expected = (1 + p.stronger - s.load) / (1 / 10 + p.stronger / 20)
  s.left, s.right = left, right
  return s
end

function scene.update(s) s.shaft:apply_torque(-s.load) end

function scene.measure(s)
  return { speed = s.left.speed, expected = s.expected, first = s.left.force, right = 1 - s.expected / 10 }
end

function scene.check(s)
  local first, second = 1 - s.expected / 10, s.p.stronger * (1 - s.expected / 20)
  -- Float rounding. After 12 s at most e^-8.8 of the initial difference of speed remains.
  local bound = 1e-3 * (1 + s.p.stronger)
  return math.abs(s.left.speed - s.expected) < 1e-3 * 20,
    ("the shaft turns at %.4f rad/s, %.4f expected"):format(s.left.speed, s.expected),
    math.abs(s.left.force - first) < bound,
    ("the left motor's torque is %.4f N m, %.4f expected"):format(s.left.force, first),
    math.abs(s.right.force - second) < bound,
    ("the right motor's torque is %.4f N m, %.4f expected"):format(s.right.force, second)
end

return scene, {
  vary = { load = { 0, 0.5, 0.9 }, stronger = { 0.5, 3 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
