-- The voltage of a geared motor is reversed. The joint slows down, stops and turns back. The speed follows from the
-- rotor's inertia and the torque-speed line.
-- Source: gazebo-classic issue 1491 (actuated joints with a built-in gear box).
local impel = require "impel"

local scene = {
  title = "Reversed motor", about = "A reversed motor stops at the calculated time.", duration = 2,
  units = { off = "of the speed", stop = "s", expected = "s" },
}
scene.params = { rate = 60.0, ratio = 20.0, inertia = 0.5 }

local STALL, NO_LOAD, ROTOR, REVERSAL = 0.2, 100, 2e-3, 1

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local joint = world:revolute(world.ground, world:body { mass = 1, inertia = p.inertia }, {})
  local motor = impel.motor(joint, { stall_torque = STALL, no_load_speed = NO_LOAD, rotor_inertia = ROTOR,
    ratio = p.ratio, command = 1 })
  local top = NO_LOAD / p.ratio
  local tau = (p.inertia + p.ratio ^ 2 * ROTOR) * top / (p.ratio * STALL)
  local w1 = top * (1 - math.exp(-REVERSAL / tau))
  return { world = world, joint = joint, motor = motor, p = p, top = top, tau = tau, w1 = w1, off = 0, stop = -1,
    expected = tau * math.log(1 + w1 / top) }
end

local function right(s, t)
  if t <= REVERSAL then return s.top * (1 - math.exp(-t / s.tau)) end
  return (s.w1 + s.top) * math.exp((REVERSAL - t) / s.tau) - s.top
end

function scene.update(s)
  local t, speed = s.world.time, s.joint.speed
  s.off = math.max(s.off, math.abs(speed - right(s, t)) / s.top)
  if s.last and s.last > 0 and speed <= 0 then -- interpolate the time of the stop between two steps
    s.stop = t - REVERSAL - s.world.dt * speed / (speed - s.last)
  end
  s.last = speed
  if t > REVERSAL - 1e-9 then s.motor.command = -1 end
end

function scene.measure(s) return { off = s.off, stop = s.stop, expected = s.expected } end

function scene.check(s)
  -- A first-order scheme is off by at most half a step, h / (2 tau) of the speed. The bound is twice this error,
  -- because the reversal doubles the change of speed; 1e-4 is for float rounding.
  local h = s.world.dt
  return s.off < h / s.tau + 1e-4,
    ("the joint's speed is off by %.5f of the no-load speed, %.5f allowed"):format(s.off, h / s.tau),
    math.abs(s.stop - s.expected) < h, ("the joint stops after %.4f s, %.4f expected"):format(s.stop, s.expected)
end

return scene, {
  vary = { rate = { 60, 1000 }, ratio = { 5, 20 }, inertia = { 0.02, 0.5 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
