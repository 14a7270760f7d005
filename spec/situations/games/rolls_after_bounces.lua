-- A disc dropped with a horizontal speed finally rolls at 2/3 of this speed.
-- Source: Jolt issue 2121 and pull request 2123 (friction at a contact that is still open adds 1.5 % of angular
-- momentum per impact), avian issues 200 and 594 (spin changes the bounce).
local impel = require "impel"

local scene = {
  title = "Rolls after bounces", about = "A bouncing disc finally rolls at 2/3 of its initial speed.", duration = 12,
  units = { speed = "m/s", slip = "m/s" },
}
scene.params = { height = 1.0, friction = 0.3, restitution = 0.5, rate = 60 } -- height of the drop [m]; rate [Hz]

local RADIUS, SPEED = 0.1, 2

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local floor = world:body { type = "static" }
  floor:box { 60, 1, center = { 20, -0.5 }, friction = p.friction, restitution = p.restitution }
  local disc = world:body { position = { 0, RADIUS + p.height }, velocity = { SPEED, 0 } }
  disc:circle { radius = RADIUS, friction = p.friction, restitution = p.restitution }
  return { world = world, disc = disc }
end

function scene.measure(s)
  local speed = s.disc:velocity()
  return { speed = speed, slip = speed + s.disc.angular_velocity * RADIUS }
end

function scene.check(s)
  local now, right = scene.measure(s), 2 / 3 * SPEED
  -- Contact forces have no moment about the contact point, so m R v + I w is constant: v = v0/(1 + I/(m R^2)). A gap of
  -- 1 mm at a contact changes v by 0.44 * 1 mm / R = 0.44 %.
  return math.abs(now.speed / right - 1) < 5e-3, ("the disc rolls at %.4f m/s, not %.4f"):format(now.speed, right),
    math.abs(now.slip) < 5e-3 * right, ("the disc slips at %.4f m/s"):format(now.slip) -- 0.5 % as well
end

return scene, {
  vary = { height = { 0, 1 }, friction = { 0.1, 0.9 }, restitution = { 0, 0.5, 0.8 }, rate = { 60, 240 } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
