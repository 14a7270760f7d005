-- A position servo of finite stiffness holds an arm below its target, at the angle q where the servo's torque k (target
-- - q) equals the weight's torque.
-- Source: mujoco_menagerie pull request 254 and MuJoCo issue 1861 (position actuators have a steady error).
local impel = require "impel"

local scene = {
  title = "Sag of a servo", about = "A servo sags until its torque equals that of the weight.", duration = 4,
  units = { angle = "rad", expected = "rad", force = "N m" },
}
scene.params = { stiffness = { 3.0, help = "stiffness / (m g l)" }, target = 0.5, mass = 1.0, rate = 60.0 }

local LENGTH = 0.4

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local c, sn = impel.math.cos(p.target), impel.math.sin(p.target)
  local arm = world:body { position = { LENGTH * c, LENGTH * sn }, angle = p.target, mass = p.mass,
    inertia = p.mass * LENGTH ^ 2 / 3 }
  local weight = p.mass * 9.81 * LENGTH
  local inertia = p.mass * LENGTH ^ 2 * (4 / 3 + 0.5)
  local k = p.stiffness * weight
  local joint = world:revolute(world.ground, arm, { anchor = { 0, 0 }, reference_angle = 0,
    spring = { stiffness = k, damping = 0, target = p.target }, armature = 0.5 * p.mass * LENGTH ^ 2,
    damping = 2 * math.sqrt(k * inertia) })
  local q = p.target
  for _ = 1, 50 do -- Newton's method: k (target - q) = m g l cos q
    q = q - (k * (p.target - q) - weight * math.cos(q)) / (-k + weight * math.sin(q))
  end
  return { world = world, joint = joint, weight = weight, expected = q }
end

function scene.measure(s) return { angle = s.joint.value, expected = s.expected, force = s.joint.force } end

function scene.check(s)
  local load = s.weight * math.cos(s.expected)
  -- Float rounding. The slowest mode decays as e^(-2.8 t), to less than e^-11 after 4 s.
  return math.abs(s.joint.value - s.expected) < 1e-4,
    ("the arm rests at %.6f rad, %.6f expected"):format(s.joint.value, s.expected),
    math.abs(s.joint.force - load) < 1e-3 * s.weight, ("the servo's reading is %.5g N m, its load %.5g")
      :format(s.joint.force, load)
end

return scene, {
  vary = { stiffness = { 3, 30, 1000 }, target = { 0, 1 }, mass = { 0.01, 100 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
