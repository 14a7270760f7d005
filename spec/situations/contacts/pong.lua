-- A ball of restitution 1 bounces between two frictionless walls. The ball keeps its speed, even below the default
-- restitution threshold, because no gravity acts.
-- Source: planck.js issue 217 (a slow ball sticks to the wall).
local impel = require "impel"

local scene = {
  title = "Pong", about = "A slow elastic ball keeps its speed between two walls.",
  duration = 20, units = { across = "m/s", y = "m" },
}
scene.params = { across = 0.9, along = 5.0 } -- speeds [m/s]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 } }
  local walls = world:body { type = "static" }
  walls:segment { from = { -10, 0 }, to = { 200, 0 }, friction = 0, restitution = 1 }
  walls:segment { from = { -10, 4 }, to = { 200, 4 }, friction = 0, restitution = 1 }
  -- The slowest ball arrives at the lower wall within 4 s.
  local ball = world:body { position = { 0, 0.7 }, velocity = { p.along, -p.across } }
  ball:circle { radius = 0.2, friction = 0, restitution = 1 }
  return { world = world, ball = ball, p = p }
end

function scene.measure(s)
  local _, y = s.ball:position()
  local _, vy = s.ball:velocity()
  return { across = vy, y = y }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The bound of 1 % allows for soft contacts.
  return math.abs(math.abs(now.across) - s.p.across) < 0.01 * s.p.across,
    ("the speed perpendicular to the walls is %.3f m/s, not %.3f"):format(now.across, s.p.across),
    now.y > 0.15 and now.y < 3.85, ("the ball's middle is at y = %.3f m"):format(now.y) -- walls at 0 and 4, radius 0.2
end

return scene, {
  vary = { across = { 0.125, 0.3, 0.6, 0.9, 1.1, 3 }, along = { 0, 5 } }, solvers = { "si", "direct" }, peers = true,
}
