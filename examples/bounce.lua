-- Five balls with five restitutions fall from the same height.
local impel = require "impel"

local scene = {
  title = "Bounce",
  about = "A ball of restitution e leaves the floor at e times its impact speed: after bounce k it rises to e^(2k) "
    .. "times the height of the drop.",
  duration = 3, -- [s]
  view = { x = 0, y = 0.8, height = 2.4 },
}

scene.params = {
  drop = { 1.0, min = 0.5, max = 5, help = "distance from the balls to the floor [m]" },
  rate = { 60.0, min = 60, max = 4000, help = "steps per second" },
  continuous = { true, help = "continuous collision for fast balls; false: a ball enters the floor before it bounces" },
  threshold = { 0.0, min = 0, max = 5, help = "impacts slower than this do not bounce [m/s]" },
}

local G, RADIUS = 9.81, 0.2 -- [m/s^2], [m]
local RESTITUTIONS = { 0, 0.25, 0.5, 0.75, 1 }
local LOWEST = 0.06 -- lowest apex that is checked, as a fraction of the drop; lower flights last only a few steps

function scene.setup(p, seed)
  local world = impel.world { seed = seed, dt = 1 / p.rate, continuous = p.continuous }
  world:body { type = "static" }:box { 10, 1, center = { 0, -0.5 }, restitution_threshold = p.threshold }
  local balls = {}
  for i, e in ipairs(RESTITUTIONS) do
    local body = world:body { position = { 0.6 * (i - 3), RADIUS + p.drop } }
    body:circle { radius = RADIUS, restitution = e, restitution_threshold = p.threshold }
    balls[i] = { body = body, e = e, apexes = {}, top = 0, rising = false }
  end
  return { world = world, balls = balls, drop = p.drop }
end

-- Before every step: record an apex (the highest point of a ball) when the velocity turns downward.
function scene.update(s)
  for _, ball in ipairs(s.balls) do
    local _, y = ball.body:position()
    local _, vy = ball.body:velocity()
    if vy > 0 then
      ball.rising, ball.top = true, math.max(ball.top, y - RADIUS)
    elseif ball.rising then
      ball.apexes[#ball.apexes + 1] = ball.top
      ball.rising, ball.top = false, 0
    end
  end
end

function scene.measure(s)
  local row = {}
  for i, ball in ipairs(s.balls) do
    local _, y = ball.body:position()
    row["y" .. i] = y - RADIUS
  end
  return row
end

function scene.check(s)
  for _, ball in ipairs(s.balls) do
    -- With the restitution e, each bounce lasts e times the previous bounce.
    local expected, way = s.drop, math.sqrt(2 * s.drop / G)
    local due = way
    for k = 1, math.huge do
      expected, way = ball.e ^ 2 * expected, ball.e * way
      due = due + way -- time of the apex
      if expected < LOWEST * s.drop or due > 0.95 * s.world.time then break end
      local apex = ball.apexes[k] or 0
      if math.abs(apex / expected - 1) > 0.03 then
        return false, ("e = %g: apex %d is %.4f m, %.4f expected"):format(ball.e, k, apex, expected)
      end
      due = due + way
    end
  end
  local _, y = s.balls[1].body:position()
  return math.abs(y - RADIUS) < 1e-3, ("the ball with e = 0 lies %.2f mm off the floor"):format(1e3 * (y - RADIUS)),
    (s.balls[1].apexes[1] or 0) < 1e-3, ("the ball with e = 0 rose to %.2f "
      .. "mm"):format(1e3 * (s.balls[1].apexes[1] or 0))
end

return scene
