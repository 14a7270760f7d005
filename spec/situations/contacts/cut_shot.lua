-- A disc hits an equal disc off centre. The second disc leaves along the line of centres. The first disc leaves
-- perpendicular to this line.
-- Source: dyn4j issue 87 (its billiards sample), p2.js issue 156 and sleddog/pool pull request 72 (balls leave at a
-- wrong angle); textbook: the right angle of elastic impacts.
local impel = require "impel"

local RADIUS = 0.03 -- radius of a pool ball [m]

local scene = {
  title = "Cut shot", about = "The ball that is hit leaves along the line of centres.", duration = 1.2,
  units = { object = "degrees", cue = "degrees", share = "1" },
}
scene.params = { speed = 2.0, aim = 0.5, rate = 60 } -- speed [m/s]; aim: lateral offset of the centres [diameters]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local function ball(x, y)
    local body = world:body { position = { x, y }, bullet = true }
    body:circle { radius = RADIUS, friction = 0, restitution = 1, restitution_threshold = 0 }
    return body
  end
  -- At this distance the impact is after 0.51 s, between two steps.
  local side = math.sqrt(1 - p.aim ^ 2)
  local cue, object = ball(-2 * RADIUS * side - 0.51 * p.speed, -2 * RADIUS * p.aim), ball(0, 0)
  cue:set_velocity(p.speed, 0)
  return { world = world, cue = cue, object = object, p = p, side = side }
end

local function degrees(x, y) return math.deg(math.atan(y, x)) end

function scene.measure(s)
  local x, y = s.object:velocity()
  local cx, cy = s.cue:velocity()
  return { object = degrees(x, y), cue = degrees(cx, cy), share = math.sqrt(x * x + y * y) / s.p.speed }
end

function scene.check(s)
  local now = scene.measure(s)
  local right = degrees(s.side, s.p.aim)
  -- In a smooth, elastic impact of equal masses, the object ball gets the whole speed along the line of centres. The
  -- bound is 1 degree.
  return math.abs(now.object - right) < 1,
    ("the object ball leaves at %.2f degrees, not %.2f"):format(now.object, right),
    math.abs(now.cue - right + 90) < 1, ("the cue ball leaves at %.2f degrees, not %.2f"):format(now.cue, right - 90),
    math.abs(now.share - s.side) < 0.02, -- an error of the angle by 1 degree changes this share by at most 0.02
    ("the object ball takes %.3f of the speed, not %.3f"):format(now.share, s.side)
end

return scene, {
  vary = { speed = { 0.3, 2, 8 }, aim = { 0.2, 0.5, 0.9 }, rate = { 60, 240 } }, solvers = { "si", "direct" },
  peers = true,
}
