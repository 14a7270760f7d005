-- An impulse P with the lever arm d gives a geared joint the speed P d / (I + m l^2 + R). l is the distance of the
-- link's centre from the joint, R is the reflected inertia of the rotor.
-- Source: godot-jolt issue 380 (a torque impulse on a joint with a motor has no effect); MuJoCo issue 1904.
local impel = require "impel"

local scene = {
  title = "Blow on a geared link", about = "A rotor adds its inertia when its link is hit.", duration = 0.5,
  units = { speed = "rad/s", expected = "rad/s", kinetic = "J", right = "J" },
}
scene.params = {
  armature = { 1.0, help = "armature / (m l^2)" }, mass = 1.0, rate = 60.0,
  blow = { 1, help = "1 at the end, 2 at the centre, 3 a twist" },
}

local LENGTH, BLOW = 0.8, 0.5 -- LENGTH: half the length of the rod [m]; BLOW: impulse divided by the rod's mass [m/s]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local ml2 = p.mass * LENGTH ^ 2
  local arm = world:body { position = { LENGTH, 0 }, mass = p.mass, inertia = ml2 / 3 }
  local joint = world:revolute(world.ground, arm, { anchor = { 0, 0 }, armature = p.armature * ml2 })
  local arm_of_blow = p.blow == 1 and 2 * LENGTH or LENGTH
  local inertia = ml2 * (4 / 3 + p.armature)
  local speed = arm_of_blow * p.mass * BLOW / inertia
  return { world = world, p = p, arm = arm, joint = joint, expected = speed, right = inertia * speed ^ 2 / 2 }
end

function scene.update(s)
  if s.world.tick ~= 3 then return end
  local impulse = s.p.mass * BLOW
  if s.p.blow == 1 then
    s.arm:apply_impulse(0, impulse, 2 * LENGTH, 0)
  elseif s.p.blow == 2 then
    s.arm:apply_impulse(0, impulse)
  else
    s.arm:apply_angular_impulse(impulse * LENGTH)
  end
end

function scene.measure(s)
  return { speed = s.joint.speed, expected = s.expected, kinetic = s.world:energy(), right = s.right }
end

function scene.check(s)
  local kinetic = s.world:energy()
  -- No force acts after the impulse. The bound is for float rounding, plus 1e-3 for the error (w h)^2 of the pin's
  -- circular motion.
  return math.abs(s.joint.speed - s.expected) < 2e-3 * s.expected,
    ("the link turns at %.5f rad/s, %.5f expected"):format(s.joint.speed, s.expected),
    math.abs(kinetic - s.right) < 4e-3 * s.right,
    ("the link's energy is %.5g J, %.5g expected"):format(kinetic, s.right)
end

return scene, {
  vary = { armature = { 0, 0.5, 50 }, mass = { 1e-3, 1000 }, rate = { 60, 240 }, blow = { 1, 2, 3 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
