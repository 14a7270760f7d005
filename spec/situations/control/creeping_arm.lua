-- An arm on a strongly damped hinge creeps down at the speed given by weight and damping.
-- Source: gazebo-classic issue 2554, sdformat issue 127 and DART issue 115 (explicit damping is unstable).
local impel = require "impel"

local scene = {
  title = "Creeping arm", about = "A strongly damped arm sinks slowly and stably.", duration = 2,
  units = { angle = "rad", expected = "rad", fastest = "rad/s" },
}
scene.params = {
  seconds = { 1.0, help = "c / (m g l) [s]" }, mass = 1.0, length = 0.5,
  rate = 60.0, armature = 0.0,
}

local START = 2.5 -- initial angle from hanging [rad]

function scene.setup(p)
  local length = p.length
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local arm = world:body { position = { length * impel.math.sin(START), -length * impel.math.cos(START) },
    angle = START, mass = p.mass, inertia = 0.1 * p.mass * length ^ 2 }
  local joint = world:revolute(world.ground, arm, { anchor = { 0, 0 }, reference_angle = 0,
    damping = p.seconds * p.mass * 9.81 * length, armature = p.armature * p.mass * length ^ 2 })
  return { world = world, p = p, joint = joint, fastest = 0 }
end

function scene.update(s) s.fastest = math.max(s.fastest, math.abs(s.joint.speed)) end

-- Return the final angle by c q' = -m g l sin q: tan(q / 2) decays exponentially.
local function expected(s) return 2 * math.atan(math.tan(START / 2) * math.exp(-2 / s.p.seconds)) end

function scene.measure(s) return { angle = s.joint.value, expected = expected(s), fastest = s.fastest } end

function scene.check(s)
  local right, most = expected(s), 1 / s.p.seconds
  local delay = s.p.length * (1.1 + s.p.armature) / 9.81 / s.p.seconds
  -- The bound is the motion at the speed `most` during one step (first-order error) and during I / c, the time in which
  -- the arm of inertia I with the damping c reaches its creeping speed.
  local bound = most * (1 / s.p.rate + delay)
  return math.abs(s.joint.value - right) < bound,
    ("the arm is at %.5f rad, %.5f expected, %.5f allowed"):format(s.joint.value, right, bound),
    s.fastest < 1.02 * most, ("the arm moved at %.3g rad/s, %.3g allowed"):format(s.fastest, most)
end

return scene, {
  vary = { seconds = { 1, 10 }, mass = { 1e-3, 1000 }, length = { 0.02, 0.5 }, rate = { 60, 240 },
    armature = { 0, 1 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
