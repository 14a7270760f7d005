-- A scene gives the same result in any unit of length.
-- Source: Box2D sample "Tiny Pyramid"; godot-jolt issue 374 (small balls bounce differently), Open-Industry-Project
-- pull request 170 (a slop too large for small boxes), the Torque2D guide (pixels taken for metres).
local impel = require "impel"

local scene = {
  title = "Same at any scale", about = "A scene gives the same result in any unit of length.", duration = 6,
  units = { bounce = "1", slide = "1", sink = "1", drift = "1" },
}
scene.params = { size = { 1.0, min = 1e-4, max = 1e4 } } -- side of a box, in units of length

-- Lengths, speeds, gravity and thresholds are proportional to the size. Times do not change.
function scene.setup(p)
  local size = p.size
  local world = impel.world { gravity = { 0, -9.81 * size }, sleep = false, slop = 0.005 * size, push_speed = 3 * size }
  local floor = world:body { type = "static" }
  floor:box { 60 * size, size, center = { 25 * size, -size / 2 }, friction = 0.5, restitution_threshold = size }
  floor:box {
    10 * size, size, center = { -10 * size, -size / 2 }, restitution = 0.7, restitution_threshold = size / 10,
  }
  local function body(x, y, velocity)
    return world:body { position = { x * size, y * size }, velocity = { velocity * size, 0 } }
  end
  local ball = body(-10, 3.5, 0)
  ball:circle { radius = size / 2, restitution = 0.7, restitution_threshold = size / 10 }
  local slider = body(0, 0.5, 4)
  slider:box { size, size, friction = 0.5, restitution_threshold = size }
  local rows = {}
  for row = 1, 4 do
    for i = 1, 5 - row do
      rows[#rows + 1] = body(10 + 1.1 * (i - (5 - row) / 2), row - 0.5, 0)
      rows[#rows]:box { size, size, friction = 0.5, restitution_threshold = size }
    end
  end
  return { world = world, ball = ball, slider = slider, top = rows[#rows], size = size, bounce = 0 }
end

function scene.update(s)
  local _, y = s.ball:position()
  local _, vy = s.ball:velocity()
  s.hit = s.hit or vy > 0
  if s.hit then s.bounce = math.max(s.bounce, y / s.size - 0.5) end
end

function scene.measure(s)
  local x = s.slider:position()
  local tx, ty = s.top:position()
  return { bounce = s.bounce, slide = x / s.size, sink = 3.5 - ty / s.size, drift = tx / s.size - 10 - 0.55 }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The ball rises to e^2 h = 0.49 * 3 * size. The bound is 1 %, plus e^2 v dt for an impact speed wrong by g dt.
  local bound = 0.01 * 1.47 + 0.49 * math.sqrt(2 * 9.81 * 3) / 60
  -- Expected distance: v^2/(2 mu g). Its bound is the motion in one step at the initial speed.
  local slide = 16 / (2 * 0.5 * 9.81)
  return math.abs(now.bounce - 1.47) < bound, ("the ball bounces to %.3f sizes, not 1.47"):format(now.bounce),
    math.abs(now.slide - slide) < 4 / 60, ("the box slides %.3f sizes, not %.3f"):format(now.slide, slide),
    -- Four times the slop of 0.005 * size.
    now.sink < 0.02, ("the pyramid's top is %.4f sizes down"):format(now.sink),
    -- The slop plus 0.001 * size.
    now.sink > -0.006, ("the pyramid's top is %.4f sizes up"):format(-now.sink),
    -- The pyramid is symmetric.
    math.abs(now.drift) < 0.01, ("the pyramid's top drifts %.4f sizes"):format(now.drift)
end

return scene, { vary = { size = { 0.01, 0.1, 1, 10, 100, 1000 } }, solvers = { "si", "xpbd" }, peers = true }
