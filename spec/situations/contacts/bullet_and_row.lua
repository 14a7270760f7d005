-- A bullet hits a row of free boxes without restitution. Afterwards all bodies move together at the speed m v / (m + n
-- M), in their initial order.
-- Source: chuck.js issue 126 (a bullet goes through a stack of bricks); dyn4j issue 162 (a bullet that hits a body
-- stops for a moment).
local impel = require "impel"

local SIDE, RADIUS = 0.6, 0.1 -- side of a box; radius of the bullet [m]

local scene = {
  title = "Bullet and row", about = "A bullet and the boxes it hits move on at one common speed.", duration = 1.5,
  units = { behind = "m", momentum = "of the initial value", slowest = "of the expected", fastest = "of the expected",
    deepest = "m" },
}
scene.params = { boxes = 3, density = 10.0, speed = 60.0, gap = 0.0 } -- density of the bullet; the boxes have density 1

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local s = { world = world, bodies = {}, p = p }
  s.bodies[1] = world:body { position = { -4.07, 0 }, velocity = { p.speed, 0 }, bullet = true }
  s.bodies[1]:circle { radius = RADIUS, density = p.density, friction = 0 }
  for i = 1, p.boxes do
    s.bodies[i + 1] = world:body { position = { (i - 0.5) * SIDE + (i - 1) * p.gap, 0 }, bullet = true }
    s.bodies[i + 1]:box { SIDE, SIDE, friction = 0 }
  end
  s.mass, s.centre = 0, 0
  for _, body in ipairs(s.bodies) do
    s.mass, s.centre = s.mass + body.mass, s.centre + body.mass * body:position()
  end
  s.right = s.bodies[1].mass * p.speed / s.mass
  return s
end

function scene.measure(s)
  local centre, slowest, fastest, deepest = 0, math.huge, -math.huge, -math.huge
  for i, body in ipairs(s.bodies) do
    local x, v = body:position(), body:velocity() / s.right
    centre, slowest, fastest = centre + body.mass * x, math.min(slowest, v), math.max(fastest, v)
    local before = s.bodies[i - 1]
    if before then deepest = math.max(deepest, before:position() + (i > 2 and SIDE or RADIUS + SIDE / 2) - x) end
  end
  return {
    behind = s.centre / s.mass + s.right * s.world.time - centre / s.mass, slowest = slowest, fastest = fastest,
    momentum = s.world:momentum() / (s.mass * s.right), deepest = deepest,
  }
end

function scene.check(s)
  local now = scene.measure(s)
  -- Float rounding is 0.01 mm in each of 90 steps, at a distance of 100 m.
  return math.abs(now.behind) < 0.01, ("the centre of mass is %.3f m behind its expected place"):format(now.behind),
    -- float rounding
    math.abs(now.momentum - 1) < 1e-4, ("%.4f of the momentum is left"):format(now.momentum),
    now.deepest < 0.01, ("two bodies overlap by %.1f mm"):format(1000 * now.deepest), -- twice the slop of 5 mm
    -- Impacts without restitution equalize all speeds. The bound of 1 % allows for soft contacts.
    now.slowest > 0.99, ("a body has %.3f of the expected speed"):format(now.slowest),
    now.fastest < 1.01, ("a body has %.3f times the expected speed"):format(now.fastest)
end

return scene, {
  vary = { boxes = { 1, 3, 8 }, density = { 1, 100 }, speed = { 20, 300 }, gap = { 0, 0.02 } },
  solvers = { "direct" }, peers = true,
}
