-- A motor presses an arm against its limit. The reversed motor moves the arm away from the limit at once.
-- Source: planck.js issue 20 (a joint sticks to its limit for a while after its motor is reversed).
local impel = require "impel"

local scene = {
  title = "Sticky limit", about = "A reversed motor moves its arm off the limit at once.", duration = 3,
  units = { held = "rad", left = "steps" },
}
scene.params = { torque = 1e3, speed = 2.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local arm = world:body { position = { 0.5, 0 } }
  arm:box { 1, 0.2 }
  local joint = world:revolute(world.ground, arm, { anchor = { 0, 0 }, limit = { -0.5, 0.5 },
    motor = { speed = -p.speed, max_force = p.torque } })
  return { world = world, joint = joint, p = p, since = 0, told = true }
end

-- Check the motor in the step after the reversal. A motor with a torque below its limit has its target speed, or the
-- residual reports the difference.
local function look_at_motor(s)
  local residual = s.world:residual()
  for row in s.joint:rows() do
    if row.kind == "motor" and not row.clamped then
      s.off = math.abs(row.speed - s.p.speed)
      s.told = s.off < 1e-3 * s.p.speed or residual.velocity > 0.5 * s.off
    end
  end
end

function scene.update(s)
  if s.world.time < 2 then return end
  if not s.held then
    s.held, s.joint.motor_speed = s.joint.value, s.p.speed
  else
    s.since = s.since + 1
    if s.since == 1 then look_at_motor(s) end
    if not s.left and s.joint.value > -0.45 then s.left = s.since end
  end
end

function scene.measure(s) return { held = s.held, left = s.left or -1 } end

function scene.check(s)
  -- Steps in which the arm moves by 0.05 rad at the motor's speed, plus one to reverse the motor and one to detect the
  -- motion.
  local steps = math.ceil(0.05 / s.p.speed * s.p.rate) + 2
  return math.abs(s.held + 0.5) < 0.01, ("the arm at its limit of -0.5 rad stood at %.3f"):format(s.held), -- 1 %
    s.left ~= nil and s.left <= steps,
    ("the arm left its limit after %s steps, at most %d expected"):format(s.left or "no", steps),
    s.told, ("the arm's motor was off by %.2g rad/s, and the residual does not report it"):format(s.off or 0)
end

return scene, {
  vary = { torque = { 10, 1e3, 1e6 }, speed = { 0.5, 2 }, rate = { 60, 120 } }, solvers = { "si", "direct", "reduced" },
}
