-- A ball is tossed at a bucket with a random speed.
--   impel sweep monte_carlo_toss --seeds 1..1000 -o tosses.csv       the mean of `hit` is the probability
local impel = require "impel"

local scene = {
  title = "Monte Carlo toss",
  about = "The seed determines the speed of the toss. The normal distribution of the speed predicts the probability "
    .. "of a hit.",
  duration = 3, -- [s]
  view = { x = 4, y = 1.6, height = 5 },
}

scene.params = {
  speed = { 9.0, min = 1, max = 12, help = "mean speed of the toss [m/s]" },
  sigma = { 0.3, min = 0, max = 3, help = "standard deviation of the speed [m/s]" },
  angle = { 50.0, min = 10, max = 80, help = "angle above the horizon [degrees]" },
  distance = { 8.0, min = 0.5, max = 15, help = "distance to the middle of the bucket, at the hand's height [m]" },
  width = { 0.6, min = 0.05, max = 2, help = "width of the bucket [m]" },
  drag = { 0.0, min = 0, max = 5, help = "linear damping in flight [1/s]; the formula neglects it" },
}

local G = 9.81 -- [m/s^2]

function scene.setup(p, seed)
  -- `rattle` makes the path a parabola up to rounding.
  local world = impel.world { seed = seed, gravity = { 0, -G }, solver = "rattle" }
  local speed = impel.rng.new(seed):normal(p.speed, p.sigma)
  local a = math.rad(p.angle)
  local ball = world:body {
    name = "ball", mass = 0.1, type = "particle", velocity = { speed * math.cos(a), speed * math.sin(a) },
    linear_damping = p.drag,
  }
  return { world = world, ball = ball, p = p, range = speed ^ 2 * math.sin(2 * a) / G, speed = speed }
end

-- Record x where the falling ball crosses y = 0, the hand's height: follow the ball's parabola back to y = 0.
function scene.update(s)
  local x, y = s.ball:position()
  if s.landed or s.world.tick == 0 or y > 0 then return end
  local vx, vy = s.ball:velocity()
  local back = (vy + math.sqrt(vy ^ 2 + 2 * G * y)) / G -- smaller root of y - vy t - g t^2 / 2 = 0 for y < 0
  s.landed = x + vx * back
end

local function hit(s)
  return s.landed ~= nil and math.abs(s.landed - s.p.distance) <= s.p.width / 2
end

function scene.measure(s)
  return { landed = s.landed or 0, speed = s.speed, hit = hit(s) and 1 or 0 }
end

function scene.check(s)
  if not s.landed then return false, "the ball is still in the air" end
  return math.abs(s.landed - s.range) < 1e-9, -- rounding errors of 180 steps
    ("the ball landed at %.6f m, %.6f expected"):format(s.landed, s.range)
end

function scene.draw(s, view)
  local x, y = s.ball:position()
  local left, right = s.p.distance - s.p.width / 2, s.p.distance + s.p.width / 2
  view:line(-1, 0, left, 0, "grey")
  view:polyline({ left, 0, left, -0.6, right, -0.6, right, 0 }, hit(s) and "green" or "ink")
  view:trail("flight", x, y)
  view:circle(x, y, 0.1, "orange")
end

return scene
