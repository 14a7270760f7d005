-- A disc that rolls onto a low ledge loses the speed given by the angular momentum about the edge.
-- Source: godot-jolt issue 587 and dyn4j issue 56 (wheels and balls lose too much speed at a small ledge).
local impel = require "impel"

local RADIUS, G = 0.25, 9.81

local scene = {
  title = "Disc over a ledge", duration = 3,
  about = "A disc that rolls onto a low ledge keeps its angular momentum about the edge.",
  units = { speed = "m/s", right = "m/s" },
}
scene.params = { ledge = 0.002, speed = 4.0 } -- height of the ledge [m]; speed of the disc [m/s]

function scene.setup(p)
  local world = impel.world { sleep = false, gravity = { 0, -G } }
  local floor = world:body { type = "static" }
  floor:box { 40, 1, center = { -20, -0.5 } }
  floor:box { 80, 1, center = { 40, p.ledge - 0.5 } }
  local disc = world:body {
    position = { -0.73 * p.speed, RADIUS }, velocity = { p.speed, 0 }, angular_velocity = -p.speed / RADIUS,
  }
  disc:circle { radius = RADIUS }
  return { world = world, disc = disc, p = p }
end

-- Return the speed after the ledge. The disc rotates about the edge, and its angular momentum about the edge is
-- constant: 3/2 m r v' = m v (r - h) + m r v / 2.
local function speed_after(h, v)
  local turning, cosine = v * (1 - 2 * h / (3 * RADIUS)), 1 - h / RADIUS
  if turning ^ 2 > G * RADIUS * cosine then
    -- If v'^2 > g (r - h), the disc leaves the edge at once with the velocity v' and the spin v' / r. Then the disc
    -- lands, and slides until it rolls.
    return turning * (2 * cosine + 1) / 3
  end
  return math.sqrt(turning ^ 2 - 4 / 3 * G * h) -- the disc rotates about the edge until its centre is above the edge
end

function scene.measure(s) return { speed = (s.disc:velocity()), right = speed_after(s.p.ledge, s.p.speed) } end

function scene.check(s)
  local now = scene.measure(s)
  -- The bound is 1 % of the speed for low ledges and 2 % for high ledges.
  local most = s.p.ledge <= RADIUS / 50 and 0.01 or 0.02
  return math.abs(now.speed / now.right - 1) < most,
    ("the disc's speed is %.3f m/s, not %.3f"):format(now.speed, now.right)
end

return scene, {
  vary = { ledge = { 0.002, 0.005, 0.01, 0.03 }, speed = { 1, 2, 4, 8, 14, 20 } },
  solvers = { "si", "direct" }, peers = true,
}
