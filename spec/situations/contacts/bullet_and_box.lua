-- A bullet hits a free box, at its centre or off centre. The common centre of mass moves uniformly and the momentum is
-- constant.
-- Source: dyn4j issue 162 (a bullet that hits a body stops for a moment).
local impel = require "impel"

local SIDE = 0.6 -- side of the box [m]

local scene = {
  title = "Bullet and box", about = "The common centre of mass moves uniformly through an impact.", duration = 1,
  units = { behind = "m", momentum = "of the initial value", box = "m/s", energy = "of the initial value" },
}
scene.params = { density = 10.0, offset = 0.2, speed = 200.0 } -- parameters of the bullet; the box has density 1

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local bullet = world:body { position = { -8, p.offset }, velocity = { p.speed, 0 }, bullet = true }
  bullet:circle { radius = 0.1, density = p.density, friction = 0 }
  local box = world:body { position = { 0, 0 } }
  box:box { SIDE, SIDE, friction = 0 }
  return { world = world, bullet = bullet, box = box, p = p, energy = world:energy(), momentum = (world:momentum()) }
end

function scene.measure(s)
  local x, y = s.bullet:position(), s.box:position()
  local m, n = s.bullet.mass, s.box.mass
  local right = (-8 + s.p.speed * s.world.time) * m / (m + n)
  return {
    behind = right - (m * x + n * y) / (m + n), momentum = s.world:momentum() / s.momentum, box = (s.box:velocity()),
    energy = s.world:energy() / s.energy,
  }
end

function scene.check(s)
  local now, n = scene.measure(s), s.box.mass
  -- Speed of the box after a central or eccentric impact: J / n, where J = v / (1/m + 1/n + offset^2 / I).
  local first = s.p.speed / (1 / s.bullet.mass + 1 / n + s.p.offset ^ 2 / s.box.inertia) / n
  -- Float rounding is 0.01 mm in each of 60 steps, at a distance of 200 m.
  return math.abs(now.behind) < 0.01, ("the centre of mass is %.3f m behind its expected place"):format(now.behind),
    -- float rounding
    math.abs(now.momentum - 1) < 1e-4, ("%.4f of the momentum is left"):format(now.momentum),
    now.energy < 1 + 1e-4,
    ("the energy is %.4f of its initial value"):format(now.energy), -- without restitution the energy cannot grow
    -- A bullet that hits the box gives it at least half of the speed `first`.
    now.box > 0.5 * first, ("the box's speed is %.2f m/s, less than half of %.2f"):format(now.box, first)
end

return scene, {
  vary = { density = { 1, 10, 100 }, offset = { 0, 0.2 }, speed = { 60, 200 } }, solvers = { "si", "direct" },
  peers = true,
}
