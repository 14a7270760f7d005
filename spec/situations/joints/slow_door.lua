-- A spring closes a door against a strong damper. The door moves until it is shut.
-- Source: Box2D issue 367 (bodies fall asleep while a joint drives them).
local impel = require "impel"

local scene = {
  title = "Door closer", about = "A door closes slowly without falling asleep.", duration = 100,
  units = { angle = "rad", expected = "rad" },
}
scene.params = { tau = { 20.0, help = "time constant [s]" }, open = 1.5 }

local OMEGA = 0.6 -- angular frequency of the door on its spring without the damper [rad/s]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 } }
  -- The stiffness is k = I w^2. In some engines I is the inertia about the hinge, in others about the centre of mass.
  -- The hinge is at the centre of mass, so k is the same in all engines.
  local door = world:body {}
  door:box { 1.8, 0.04, density = 800 }
  -- I q'' + c q' + k q = 0, with c / k = tau and w = OMEGA, so the damping ratio is w tau / 2.
  local joint = world:revolute(world.ground, door, { anchor = { 0, 0 }, reference_angle = -p.open,
    spring = { hertz = OMEGA / (2 * math.pi), damping_ratio = OMEGA * p.tau / 2, target = 0 } })
  return { world = world, joint = joint, p = p, worst = 0 }
end

-- Return the angle of an overdamped oscillator after its release from rest.
local function exact(p, t)
  local half = OMEGA * OMEGA * p.tau / 2
  local root = math.sqrt(half * half - OMEGA * OMEGA)
  local fast, slow = -half - root, -half + root
  return p.open * (fast * impel.math.exp(slow * t) - slow * impel.math.exp(fast * t)) / (fast - slow)
end

function scene.update(s)
  s.worst = math.max(s.worst, math.abs(s.joint.value - exact(s.p, s.world.time)) / s.p.open)
end

function scene.measure(s) return { angle = s.joint.value, expected = exact(s.p, s.world.time), worst = s.worst } end

function scene.check(s)
  local right = exact(s.p, s.world.time)
  -- 2 % of the initial angle. The time constant of the slow mode is more than 250 steps, so a step changes the angle by
  -- less than 0.4 %.
  return s.worst < 0.02,
    ("the door ends at %.3f rad, %.3f expected; largest error: %.3f of the initial angle"):format(
      s.joint.value, right, s.worst)
end

return scene, { vary = { tau = { 5, 10, 20 }, open = { 0.3, 1.5 } }, solvers = { "si", "reduced" }, peers = true }
