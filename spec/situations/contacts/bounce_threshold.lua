-- A ball that lands faster than its restitution threshold bounces to e^2 h. A slower ball stays on the floor and falls
-- asleep.
-- Source: reactphysics3d issue 96, GDevelop issue 3972 and box2d pull request 654 (a fixed threshold of 1 m/s
-- suppresses bounces).
local impel = require "impel"

local G, E, RADIUS = 9.81, 0.8, 0.2

local scene = {
  title = "Bounce threshold", about = "A ball bounces only if it lands faster than the threshold.", duration = 3,
  units = { rise = "m", right = "m" },
}
-- part: landing speed / threshold of the ball; floor: threshold of the floor / threshold of the ball
scene.params = { threshold = 1.0, part = 1.3, floor = 1.0, rate = 60 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, dt = 1 / p.rate }
  world:body { type = "static" }:box {
    20, 1, center = { 0, -0.5 }, restitution = E, restitution_threshold = p.floor * p.threshold,
  }
  local height = (p.part * p.threshold) ^ 2 / (2 * G)
  local ball = world:body { position = { 0, RADIUS + height } }
  ball:circle { radius = RADIUS, restitution = E, restitution_threshold = p.threshold }
  return { world = world, ball = ball, p = p, height = height, rise = 0, fall = math.sqrt(2 * height / G) }
end

function scene.update(s)
  local _, y = s.ball:position()
  local _, vy = s.ball:velocity()
  s.hit = s.hit or vy > 0 or s.world.time > s.fall + 2 / s.p.rate
  if s.hit then s.rise = math.max(s.rise, y - RADIUS) end
  if s.hit and not s.ball.awake then s.asleep = s.asleep or s.world.time end
end

function scene.measure(s)
  return { rise = s.rise, right = s.p.part > s.p.floor and E ^ 2 * s.height or 0, asleep = s.asleep or 0 }
end

function scene.check(s)
  local now = scene.measure(s)
  local v = s.p.part * s.p.threshold
  if s.p.part > s.p.floor then -- the smaller of the two thresholds applies
    -- An error of g dt in the impact speed changes the height by e^2 v dt. The bound adds 1 % of the height.
    local bound = 0.01 * now.right + E ^ 2 * v / s.p.rate
    return math.abs(now.rise - now.right) < bound, ("the ball rises to %.4f m, not %.4f"):format(now.rise, now.right)
  end
  -- Half the slop of 5 mm, plus 0.5 mm for rounding.
  return now.rise < 0.003,
    ("the ball bounces to %.4f m, although it lands more slowly than the threshold"):format(now.rise),
    s.asleep ~= nil and s.asleep < s.fall + 1, -- twice the usual 0.5 s of rest before sleep
    ("the ball falls asleep after %s s, the fall takes %.2f s"):format(s.asleep or "inf", s.fall)
end

return scene, {
  -- The landing speeds differ from the threshold by more than g dt = 0.16 m/s.
  vary = { threshold = { 1, 5 }, part = { 0.3, 0.8, 1.3 }, floor = { 0.5, 1 }, rate = { 60, 240 } },
  solvers = { "si", "direct" },
}
