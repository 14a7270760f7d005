-- A servo or a stiff spring moves an arm to its target without overshoot.
-- Source: Rapier issue 125 (motors of high stiffness overshoot their target and become unstable).
local impel = require "impel"

local scene = {
  title = "Stiff servo", about = "A stiff servo moves an arm to its target without overshoot.", duration = 3,
  units = { passed = "rad", off = "rad", spin = "kg m^2/s" },
}
-- hertz: frequency of the drive, 0 for a servo; rate: steps per second; ratio: inertia of the second of two arms
-- divided by that of the first
scene.params = { hertz = 30.0, rate = 60.0, ratio = 1.0, damping = 1.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local a = world:body { mass = 1, inertia = 1 }
  local b = world:body { mass = p.ratio, inertia = p.ratio }
  a:box { 1, 0.1, mask = 0 }
  b:box { 1, 0.1, mask = 0 }
  world:revolute(world.ground, a, { anchor = { 0, 0 } })
  local hinge = world:revolute(a, b, { anchor = { 0, 0 },
    spring = p.hertz > 0 and { hertz = p.hertz, damping_ratio = p.damping, target = 1 } or nil,
    servo = p.hertz == 0 and { target = 1 } or nil })
  return { world = world, p = p, a = a, b = b, hinge = hinge, most = 0, spin = 0 }
end

function scene.update(s)
  s.most = math.max(s.most, s.hinge.value)
  s.spin = math.max(s.spin, math.abs(s.a.angular_velocity + s.p.ratio * s.b.angular_velocity))
end

function scene.measure(s) return { passed = s.most - 1, off = s.hinge.value - 1, spin = s.spin } end

function scene.check(s)
  -- A critically damped arm does not pass its target. The bound of 0.1 % is for rounding.
  return s.most < 1.001, ("the arm passed its target by %.4f rad"):format(s.most - 1),
    math.abs(s.hinge.value - 1) < 1e-3,
    ("the arm is off its target by %.4f rad"):format(s.hinge.value - 1), -- e^-18 of the way remains
    -- No external torque acts, so the sum of I w stays 0 up to rounding.
    s.spin < 1e-3 * (1 + s.p.ratio), ("the angular momentum became %.3g"):format(s.spin)
end

return scene, {
  vary = { hertz = { 0, 1, 100, 1e4 }, rate = { 30, 240 }, ratio = { 0.001, 1, 1000 } }, solvers = { "si", "direct" },
}
