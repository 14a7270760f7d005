-- A motor turns a wheel that drives a second wheel through a gear with backlash. The first wheel accelerates alone
-- until the gap is closed. Afterwards the torque accelerates both wheels.
-- Source: gazebo-classic issue 1152 and Webots pull request 2786 (joints with backlash).
local impel = require "impel"

local scene = {
  title = "Backlash", about = "A gear with backlash drives its wheel once the gap closes.", duration = 1.5,
  units = { alone = "rad/s", together = "rad/s", expected = "rad/s", gap = "rad" },
}
scene.params = { gap = 0.2, driven = 2.0, armature = 1.0, rate = 240.0 }

local TORQUE = 1

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local a = world:revolute(world.ground, world:body { mass = 1, inertia = 0.5 }, { armature = p.armature,
    force = TORQUE })
  local b = world:revolute(world.ground, world:body { mass = 1, position = { 3, 0 }, inertia = p.driven },
    { anchor = { 3, 0 } })
  -- External gears turn in opposite directions, so the limit applies to the sum of the angles.
  local gear = world:gear { joint1 = a, joint2 = b, ratio = 1, limit = { 0, p.gap } }
  local first = 0.5 + p.armature
  local meet = math.sqrt(2 * p.gap * first / TORQUE) -- time at which the gap closes: T t^2 / (2 I) = gap
  return { world = world, p = p, a = a, b = b, gear = gear, meet = meet, first = first, least = 0, most = 0, moved = 0,
    expected = TORQUE * 1.5 / (first + p.driven) }
end

function scene.update(s)
  s.least, s.most = math.min(s.least, s.gear.value), math.max(s.most, s.gear.value)
  if s.world.time < s.meet - 2 * s.world.dt then
    s.alone, s.free = s.a.speed, TORQUE * s.world.time / s.first
    s.moved = math.max(s.moved, math.abs(s.b.speed))
  end
end

function scene.measure(s) return { alone = s.alone, together = s.a.speed, expected = s.expected, gap = s.most } end

function scene.check(s)
  local slack = s.meet * TORQUE / s.first / s.p.rate -- angle that the first wheel turns in a step at the impact speed
  local spin = s.first * s.a.speed - s.p.driven * s.b.speed
  -- The torque is constant. The bound is for float rounding.
  return math.abs(s.alone - s.free) < 1e-3 * s.free + 1e-5,
    ("alone, the first wheel has %.5f rad/s, %.5f expected"):format(s.alone, s.free),
    s.moved < 1e-6, ("the driven wheel moves at %.2g rad/s before the gap closes"):format(s.moved),
    -- The angular momenta have opposite signs. The sum of their magnitudes is T t.
    math.abs(spin - TORQUE * 1.5) < 1e-3 * TORQUE * 1.5,
    ("the magnitudes of the wheels' angular momenta add up to %.5f, %.5f expected"):format(spin, TORQUE * 1.5),
    -- The teeth may separate for a step, in which the torque acts on the first wheel alone.
    math.abs(s.a.speed + s.b.speed) < 1e-3 * s.expected + TORQUE / s.first / s.p.rate,
    ("the wheels turn at %.5f and %.5f rad/s"):format(s.a.speed, s.b.speed),
    s.least > -slack and s.most < s.p.gap + slack,
    ("the gear's gap extends from %.4f to %.4f rad"):format(s.least, s.most)
end

return scene, {
  vary = { gap = { 0.02, 0.3 }, driven = { 0.1, 20 }, armature = { 0, 1 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
