-- A ball that rolls up a gentle slope stops, turns back and rolls down. The ball does not fall asleep at the turning
-- point.
-- Source: Box2D issue 906 (balls fall asleep at the apex of their path).
local impel = require "impel"

local scene = {
  title = "Ball that rolls uphill", about = "A ball that rolls up a slope turns back without sleeping.", duration = 30,
  units = { way = "m", expected = "m" },
}
scene.params = { degrees = 1.0, speed = 0.5, radius = 0.25 }

function scene.setup(p)
  local world = impel.world {}
  local angle = p.degrees * math.pi / 180
  local c, s = impel.math.cos(angle), impel.math.sin(angle)
  world:body { type = "static", angle = angle }:box { 400, 1, center = { 0, -0.5 } }
  local ball = world:body { position = { -s * p.radius, c * p.radius }, velocity = { p.speed * c, p.speed * s },
    angular_velocity = -p.speed / p.radius }
  ball:circle { radius = p.radius }
  return { world = world, ball = ball, p = p, c = c, s = s }
end

-- Return the position along the slope. The acceleration of a rolling disc is 2/3 g sin a.
local function expected(s)
  local t = s.world.time
  return s.p.speed * t - 9.81 * s.s * t * t / 3
end

local function way(s)
  local x, y = s.ball:position()
  return x * s.c + y * s.s
end

function scene.measure(s) return { way = way(s), expected = expected(s), awake = s.ball.awake } end

function scene.check(s)
  local right, t = expected(s), s.world.time
  -- 1 % of the distance g sin(a) t^2 / 3 by gravity, plus the change of this distance in one step.
  local bound = 9.81 * s.s / 3 * (0.01 * t * t + 2 * t / 60)
  return math.abs(way(s) - right) < bound, ("the ball is at %.2f m, %.2f expected"):format(way(s), right)
end

return scene, {
  vary = { degrees = { 0.5, 1, 2 }, speed = { 0.2, 0.5 }, radius = { 0.25, 1 } }, solvers = { "si" }, peers = true,
}
