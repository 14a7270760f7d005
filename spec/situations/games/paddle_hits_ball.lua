-- A paddle with the speed u hits a ball that comes towards it at the speed v. The ball leaves at u + e (u + v).
-- Source: box2d issues 46, 62 and 117, defold issue 8101 (a body moved by position has no speed), godot-proposals 2332.
local impel = require "impel"

local scene = {
  title = "Paddle hits ball", duration = 1,
  about = "A paddle of speed u hits a ball of speed v, which leaves at u + e (u + v).",
  units = { speed = "m/s", side = "m/s" },
}
-- place: time from the impact to the middle of step 11 [steps]
scene.params = { speed = 5.0, restitution = 1.0, place = 0.0 }

local COMING, RADIUS, THICK = 3, 0.2, 0.2 -- speed of the ball [m/s]; its radius; thickness of the paddle [m]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 } }
  local gap = (p.speed + COMING) * (10.5 - p.place) / 60 -- the impact is in the middle of step 11, minus `place` steps
  local paddle = world:body { type = "kinematic", position = { -THICK / 2, 0 }, velocity = { p.speed, 0 } }
  paddle:box { THICK, 2, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  local ball = world:body { position = { gap + RADIUS, 0.3 }, velocity = { -COMING, 0 }, bullet = true }
  ball:circle { radius = RADIUS, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  return { world = world, ball = ball, p = p }
end

function scene.measure(s)
  local vx, vy = s.ball:velocity()
  return { speed = vx, side = vy }
end

function scene.check(s)
  local now, u, e = scene.measure(s), s.p.speed, s.p.restitution
  local right = u + e * (u + COMING)
  -- In the paddle's frame of reference the ball hits a wall at rest. The bound of 1e-3 is for float rounding.
  return math.abs(now.speed - right) < 1e-3 * right, ("the ball leaves at %.3f m/s, not %.3f"):format(now.speed, right),
    math.abs(now.side) < 1e-3 * right,
    ("the ball moves sideways at %.3f m/s"):format(now.side) -- the paddle is flat and has no friction
end

return scene, {
  vary = { speed = { 1, 5, 20, 100 }, restitution = { 0, 1 }, place = { 0, 0.4, 0.8 } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
