-- A wheel with dry friction and viscous damping in its hinge slows down and stops at the calculated time.
-- Source: gazebo-classic issue 2257 (a joint's damping disables its friction).
local impel = require "impel"

local scene = {
  title = "Friction beside damping", about = "Dry and viscous friction act together.", duration = 4,
  units = { stop = "s", expected = "s", turned = "rad", right = "rad" },
}
scene.params = { friction = 1.0, damping = 0.5, armature = 1.0, rate = 240.0 }

local SPEED = 5

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local wheel = world:body { mass = 1, inertia = 0.5 }
  local joint = world:revolute(world.ground, wheel, { armature = p.armature, friction = p.friction,
    damping = p.damping })
  wheel.angular_velocity = SPEED
  local i, c, f = 0.5 + p.armature, p.damping, p.friction
  local time = i / c * math.log(1 + c * SPEED / f)
  return { world = world, p = p, joint = joint, expected = time, tau = i / c,
    right = i / c * SPEED - f / c * time }
end

function scene.update(s)
  if not s.stop and math.abs(s.joint.speed) < 1e-4 * SPEED then s.stop = s.world.time end
end

function scene.measure(s)
  return { stop = s.stop or -1, expected = s.expected, turned = s.joint.value, right = s.right }
end

function scene.check(s)
  local h = 1 / s.p.rate
  -- A first-order scheme applies the damping half a step late, so the wheel stops late by h t / (2 tau). The bound is
  -- twice this delay, plus two steps.
  local late = h * (2 + s.expected / s.tau)
  return s.stop and math.abs(s.stop - s.expected) < late,
    ("the wheel stops after %.4f s, %.4f expected"):format(s.stop or -1, s.expected),
    math.abs(s.joint.value - s.right) < SPEED * h, -- angle of one step at the initial speed
    ("the wheel has turned by %.4f rad, %.4f expected"):format(s.joint.value, s.right),
    math.abs(s.joint.speed) < 1e-4, ("the wheel still turns at %.2g rad/s"):format(s.joint.speed)
end

return scene, {
  vary = { friction = { 2, 5 }, damping = { 0.1, 2 }, armature = { 0, 1 }, rate = { 60, 1000 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
