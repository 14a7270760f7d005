-- A free rod rotates and hits a free disc near its end, at up to 30 m/s. Momentum and angular momentum are constant.
-- The loss of energy follows from the restitution.
-- Source: godot-jolt issue 389 (no continuous collision for rotation), Box2D sample "Spinning Book"; textbook, the
-- centre of percussion.
local impel = require "impel"

-- HALF: half the length of the rod; THICK: its thickness; RADIUS: radius of the disc; DISTANCE: distance of the disc
-- from the rod's centre [m].
local HALF, THICK, RADIUS, DISTANCE = 1, 0.05, 0.1, 0.9

local scene = {
  title = "Rod end hits a disc", duration = 0.6,
  about = "The impact of a spinning rod on a disc conserves momentum.",
  units = { deepest = "m", energy = "of the initial value", right = "of the initial value", momentum = "of I w / 1 m",
    angular = "of the initial value" },
}
scene.params = { speed = 12.0, restitution = 0.5, density = 10.0 } -- speed of the rod's end [m/s]; density of the disc

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local rod = world:body { angular_velocity = p.speed / HALF, bullet = true }
  rod:box { 2 * HALF, THICK, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  -- The contact begins after the rod has turned by 1.03 rad.
  local away = impel.math.asin((THICK / 2 + RADIUS) / DISTANCE) + 1.03
  local disc = world:body { position = { DISTANCE * impel.math.cos(away), DISTANCE * impel.math.sin(away) } }
  disc:circle {
    radius = RADIUS, density = p.density, friction = 0, restitution = p.restitution, restitution_threshold = 0,
  }
  local s = { world = world, rod = rod, disc = disc, p = p, deepest = 0, start = world:energy() }
  s.angular = rod.inertia * p.speed / HALF
  return s
end

-- Record the depth of the disc in the rod's long sides.
function scene.update(s)
  local lx, ly = s.rod:local_point(s.disc:position())
  if math.abs(lx) < HALF then s.deepest = math.max(s.deepest, THICK / 2 + RADIUS - math.abs(ly)) end
end

function scene.measure(s)
  local rod, disc, e = s.rod, s.disc, s.p.restitution
  local arm_sq = DISTANCE ^ 2 - (THICK / 2 + RADIUS) ^ 2 -- squared lever arm of the contact about the rod's centre
  -- The impact dissipates (1 - e^2) u^2 / 2, divided by the sum of the inverse masses at the contact point. u = arm w
  -- is the approach speed.
  local inverse = 1 / rod.mass + 1 / disc.mass + arm_sq / rod.inertia
  local px, py, angular = s.world:momentum()
  return {
    deepest = s.deepest, energy = s.world:energy() / s.start, right = 1 - (1 - e * e) * arm_sq / rod.inertia / inverse,
    momentum = math.sqrt(px * px + py * py) / s.angular, angular = angular / s.angular,
  }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The bound is 5 mm (slop), but at most a quarter of the rod's thickness.
  return now.deepest < math.min(0.005, THICK / 4), ("the disc is %.1f mm in the rod"):format(1000 * now.deepest),
    -- The bound of 1 % allows for soft contacts.
    math.abs(now.energy - now.right) < 0.01, ("%.4f of the energy is left, not %.4f"):format(now.energy, now.right),
    -- The initial momentum is zero. The bound is for float rounding.
    now.momentum < 1e-3, ("the momentum is %.5f of the rod's initial angular momentum / 1 m"):format(now.momentum),
    math.abs(now.angular - 1) < 1e-3, ("%.4f of the angular momentum is left"):format(now.angular) -- float rounding
end

return scene, {
  vary = { speed = { 3, 12, 30 }, restitution = { 0, 0.5, 1 }, density = { 1, 10, 100 } },
  solvers = { "si", "direct" }, peers = true,
}
