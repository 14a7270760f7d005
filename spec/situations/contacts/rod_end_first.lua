-- A tilted rod hits a smooth floor with one end. Speed and spin after the impact follow from the impulse at this end.
-- Source: matter-js issue 305 (a plank's bounce depends on its tilt); textbook: a dropped rod that hits the ground with
-- one end.
local impel = require "impel"

local scene = {
  title = "Rod lands on one end", about = "A rod that lands on one end bounces and rotates.", duration = 1,
  units = { up = "lengths/s", turning = "rad/s", aside = "lengths/s" },
}
scene.params = { tilt = 0.9, restitution = 1.0, box = false, length = 1.0 } -- tilt: angle from the horizontal [rad]

-- Impact speed [lengths/s]; radius of the round ends, or half the thickness of the box [lengths]
local SPEED, RADIUS = 2, 0.05

function scene.setup(p)
  -- The slop is 5 mm if the length is 1 m.
  local world = impel.world { gravity = { 0, 0 }, sleep = false, slop = p.length / 200 }
  local length = p.length
  local surface = { restitution = p.restitution, restitution_threshold = 0, friction = 0 }
  surface[1], surface[2], surface.center = 40 * length, length, { 0, -length / 2 }
  world:body { type = "static" }:box(surface)
  local rod = world:body { angle = -p.tilt }
  surface[1], surface[2], surface.center = length, 2 * RADIUS * length, nil
  if p.box then
    rod:box(surface)
  else
    surface[1], surface[2] = nil, nil
    surface.from, surface.to, surface.radius = { -length / 2, 0 }, { length / 2, 0 }, RADIUS * length
    rod:capsule(surface)
  end
  local c, n = impel.math.cos(p.tilt), impel.math.sin(p.tilt)
  -- Position of the rod's lowest point relative to its centre: a corner of the box, or the bottom of a round end.
  local right = (c / 2 - (p.box and RADIUS * n or 0)) * length
  local below = (n / 2 + RADIUS * (p.box and c or 1)) * length
  rod:set_pose(0, below + 0.51 * SPEED * length, -p.tilt) -- the impact is after 0.51 s, between two steps
  rod:set_velocity(0, -SPEED * length)
  return { world = world, rod = rod, p = p, right = right }
end

-- Record the motion three steps after the impact, when the upper end is still in the air.
function scene.update(s)
  if math.abs(s.rod.angular_velocity) < 1e-3 or s.up then return end
  s.steps = (s.steps or 0) + 1
  if s.steps < 3 then return end
  local vx, vy = s.rod:velocity()
  s.up, s.aside, s.turning = vy / s.p.length, vx / s.p.length, s.rod.angular_velocity
end

function scene.measure(s) return { up = s.up or 0, turning = s.turning or 0, aside = s.aside or 0 } end

function scene.check(s)
  local now, m = scene.measure(s), s.rod.mass
  -- By Newton's rule at the contact, J = (1 + e) v / (1/m + a^2/I), where a is the horizontal lever arm.
  local impulse = (1 + s.p.restitution) * SPEED * s.p.length / (1 / m + s.right ^ 2 / s.rod.inertia)
  local up = impulse / m / s.p.length - SPEED
  local turning = impulse * s.right / s.rod.inertia
  -- The bound allows 0.5 % for soft contacts and 0.5 % for the change of the lever arm in a step.
  local bound = 0.01 * SPEED
  return s.up ~= nil, "the rod does not rotate",
    math.abs(now.up - up) < bound, ("the rod's centre rises at %.3f lengths/s, not %.3f"):format(now.up, up),
    -- The ends are half a length from the centre, so a spin error of 2 * bound [rad/s] moves them at `bound`
    -- [lengths/s].
    math.abs(now.turning - turning) < 2 * bound,
    ("the rod turns at %.3f rad/s, not %.3f"):format(now.turning, turning),
    math.abs(now.aside) < bound, ("the rod moves sideways at %.3f lengths/s"):format(now.aside) -- no lateral force acts
end

return scene, {
  vary = { tilt = { 0.4, 0.9, 1.3 }, restitution = { 0, 0.5, 1 }, box = { false, true }, length = { 0.1, 3 } },
  solvers = { "si", "direct" }, peers = true,
}
