-- A small constant torque turns a bar. The bar does not fall asleep.
-- Source: Box2D issues 367 and 906 (bodies fall asleep under a force that moves them slowly at first).
local impel = require "impel"

local scene = {
  title = "Small torque", about = "A small torque turns a bar, which does not fall asleep.", duration = 20,
  units = { angle = "rad", expected = "rad" },
}
scene.params = {
  acceleration = { 0.01, help = "[rad/s^2]" }, drive = { 1, help = "1 force of the joint, 2 motor, 3 spring" },
}

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 } }
  local bar = world:body {}
  bar:box { 1, 0.1 }
  local torque = bar.inertia * p.acceleration
  local joint = world:revolute(world.ground, bar, ({
    { force = torque },
    { motor = { speed = 1000, max_force = torque } }, -- far below its target speed the motor exerts max_force
    -- The torque of the spring changes by 0.2 % in 2 rad.
    { spring = { stiffness = torque / 1000, target = 1000 } },
  })[p.drive])
  return { world = world, joint = joint, p = p, expected = 0.5 * p.acceleration * 20 ^ 2 }
end

function scene.measure(s) return { angle = s.joint.value, expected = s.expected } end

function scene.check(s)
  -- q = a t^2 / 2. The bound of 1 % is for the error dt / t = 0.1 % of a first-order scheme, and for the spring, whose
  -- torque decreases by 0.2 %.
  return math.abs(s.joint.value - s.expected) < 0.01 * s.expected,
    ("the bar turned by %.4f rad, %.4f expected"):format(s.joint.value, s.expected)
end

return scene, {
  vary = { acceleration = { 1e-3, 1e-2 }, drive = { 1, 2, 3 } }, solvers = { "si", "direct", "reduced" },
}
