-- A thin slat flies broadside into a thin smooth post and does not pass through. Its loss of energy follows from the
-- law of impact. Its angular momentum about the post is constant.
-- Source: cannon.js issue 366 and bullet3 issue 2483 (fast bodies pass through thin bodies, or lose speed depending on
-- the position in the step).
local impel = require "impel"

local LENGTH, POST = 2, 0.02 -- length of the slat; radius of the post [m]

local scene = {
  title = "Slat and post", about = "A fast thin slat does not pass through a thin post.", duration = 0.8,
  units = { deepest = "m", energy = "of the initial value", right = "of the initial value",
    about = "of the initial value", x = "m" },
}
-- speed [m/s]; thick: thickness of the slat [m]; offset: distance of the post from the slat's centre [m]
scene.params = { speed = 60.0, thick = 0.02, offset = 0.3 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  world:body { type = "static" }:circle { radius = POST, friction = 0 }
  local slat = world:body { position = { -0.413 * p.speed, -p.offset }, velocity = { p.speed, 0 } }
  slat:box { p.thick, LENGTH, friction = 0 }
  return { world = world, slat = slat, p = p, start = world:energy(), deepest = 0 }
end

-- Record the depth of the post in the slat's long sides.
function scene.update(s)
  local lx, ly = s.slat:local_point(0, 0)
  if math.abs(ly) < LENGTH / 2 then s.deepest = math.max(s.deepest, s.p.thick / 2 + POST - math.abs(lx)) end
end

function scene.measure(s)
  local mass, inertia, offset = s.slat.mass, s.slat.inertia, s.p.offset
  -- Without restitution, the impact dissipates v^2 / 2 / (1/m + offset^2 / I).
  local right = 1 - 1 / (1 + mass * offset ^ 2 / inertia)
  local x, y = s.slat:position()
  local vx, vy = s.slat:velocity()
  local angular = mass * (x * vy - y * vx) + inertia * s.slat.angular_velocity
  return {
    deepest = s.deepest, energy = s.world:energy() / s.start, right = right,
    about = angular / (mass * s.p.speed) - offset, x = x,
  }
end

function scene.check(s)
  local now, p = scene.measure(s), s.p
  -- The bound is 5 mm (slop), but at most a quarter of the slat's thickness.
  return now.deepest < math.min(0.005, p.thick / 4),
    ("the post overlaps the slat by %.1f mm"):format(1000 * now.deepest),
    -- An impact at the slat's centre stops the slat.
    p.offset > 0 or now.x < 0, ("the slat stops %.3f m behind the post"):format(now.x),
    -- The bound of 1 % of the initial energy allows for soft contacts.
    math.abs(now.energy - now.right) < 0.01, ("%.4f of the energy is left, not %.4f"):format(now.energy, now.right),
    math.abs(now.about) < 0.01,
    ("the slat's angular momentum changed by %.4f of m v * 1 m"):format(now.about) -- 1 % as well
end

return scene, {
  vary = { speed = { 5, 15, 60, 300 }, thick = { 0.02, 0.1 }, offset = { 0, 0.3, 0.8 } }, solvers = { "si", "direct" },
  peers = true,
}
