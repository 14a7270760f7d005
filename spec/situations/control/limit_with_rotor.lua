-- A motor drives an arm with a geared rotor against a limit. Arm and rotor stop at the limit without rebound. A
-- reversed motor moves the arm back with the calculated acceleration.
-- Source: DART issues 1583 and 2422 (servos exceed a limit or cannot leave it).
local impel = require "impel"

local scene = {
  title = "Limit and rotor", about = "A joint limit stops the arm and its rotor.", duration = 3,
  units = { passed = "rad", back = "rad/s", speed = "rad/s", expected = "rad/s" },
}
scene.params = { armature = 5.0, torque = 10.0, rate = 120.0 }

-- Angle of the limit [rad]; time of the motor's reversal [s]; time from the reversal to the check [s]
local LIMIT, REVERSAL, LATER = 0.4, 2.4, 0.5

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local inertia = 1 + p.armature
  local joint = world:revolute(world.ground, world:body { mass = 1, inertia = 1 }, { armature = p.armature,
    limit = { -10, LIMIT }, force = p.torque * inertia })
  return { world = world, p = p, joint = joint, inertia = inertia, passed = 0, back = 0 }
end

function scene.update(s)
  local t, q = s.world.time, s.joint.value
  s.passed = math.max(s.passed, q - LIMIT)
  if q > LIMIT - 1e-4 then s.there = true end
  if s.there and t < REVERSAL then s.back = math.max(s.back, -s.joint.speed) end
  if t > REVERSAL - 1e-9 and not s.reversed then
    s.reversed, s.at = true, q
    s.joint:coordinate():set_force(-s.p.torque * s.inertia)
  elseif s.reversed and not s.later and t > REVERSAL + LATER - 1e-9 then
    s.later = s.joint.speed
  end
end

function scene.measure(s)
  return { passed = s.passed, back = s.back, speed = s.later, expected = -s.p.torque * LATER }
end

function scene.check(s)
  local speed, h = math.sqrt(2 * s.p.torque * LIMIT), 1 / s.p.rate -- impact speed [rad/s]; length of a step [s]
  -- The arm may exceed the limit by its motion in one step. The correction may move the arm back at 5 % of the impact
  -- speed.
  return s.passed < speed * h, ("the arm passes its limit by %.4f rad"):format(s.passed),
    s.back < 0.05 * speed, ("the arm rebounds at %.4f rad/s after an impact at %.4f"):format(s.back, speed),
    math.abs(s.at - LIMIT) < 1e-3, ("the arm pressed to its limit is %.5f rad off the limit"):format(s.at - LIMIT),
    -- The bound is the speed that the torque gives in one step, because the arm may leave the limit a step early or
    -- late.
    math.abs(s.later + s.p.torque * LATER) < 1.01 * s.p.torque * h,
    ("%.1f s after the reversal the arm has %.4f rad/s, %.4f expected"):format(LATER, s.later, -s.p.torque * LATER)
end

return scene, {
  vary = { armature = { 0, 1, 100 }, torque = { 1, 30 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
