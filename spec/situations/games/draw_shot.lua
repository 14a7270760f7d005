-- A cue ball with backspin slides on the floor and stops when it hits an equal ball. The spin of the cue ball makes it
-- roll back. All speeds follow from Coulomb's law.
-- Source: pooltool pull request 153 (backspin after a head-on hit), openfairway pull request 13 (balls roll back or
-- stop dead), VRCBilliards issue 8; textbook: stun, follow and draw.
local impel = require "impel"

local G, MU, RADIUS, SPEED = 9.81, 0.2, 0.03, 2

local scene = {
  title = "Draw shot", about = "Backspin draws a ball back after it hits another ball.", duration = 3,
  units = { cue = "m/s", object = "m/s", slip = "m/s" },
}
-- spin: speed of the rim divided by the ball's speed, 1 for a ball that rolls forward; way: distance to the object ball
-- [m]
scene.params = { spin = -2.0, way = 0.3, rate = 240 }

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate, slop = RADIUS / 100 }
  world:material("ball", { friction = MU, restitution = 0 })
  world:material("cloth", { friction = MU, restitution = 0 })
  world:mix("ball", "ball", { friction = 0, restitution = 1 })
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 }, material = "cloth" }
  local function ball(x)
    local body = world:body { position = { x, RADIUS } }
    body:circle { radius = RADIUS, material = "ball", restitution_threshold = 0 }
    return body
  end
  local cue, object = ball(-2 * RADIUS - p.way), ball(0)
  cue:set_velocity(SPEED, 0)
  cue.angular_velocity = -p.spin * SPEED / RADIUS
  return { world = world, cue = cue, object = object, p = p }
end

function scene.measure(s)
  local a, b = s.cue:velocity(), s.object:velocity()
  local slip = math.abs(a + s.cue.angular_velocity * RADIUS) + math.abs(b + s.object.angular_velocity * RADIUS)
  return { cue = a, object = b, slip = slip }
end

function scene.check(s)
  local p, now = s.p, scene.measure(s)
  -- While the ball slides, its speed v decreases by mu g t. The speed of its rim increases by 2 mu g t, because I = m
  -- r^2/2. The ball rolls at 2/3 v + 1/3 rim.
  local v, rim = SPEED, p.spin * SPEED
  local rolls = (v - rim) / (3 * MU * G) -- time at which the ball begins to roll [s]
  local time = (v - math.sqrt(math.max(v * v - 2 * MU * G * p.way, 0))) / (MU * G) -- time of the impact [s]
  if time > rolls then
    v, rim = (2 * v + rim) / 3, (2 * v + rim) / 3
  else
    v, rim = v - MU * G * time, rim + 2 * MU * G * time
  end
  -- The impact gives the speed v to the object ball. The cue ball keeps its spin.
  local cue, object = rim / 3, 2 / 3 * v
  -- An impact a step early or late changes the speed of the rim by 2 mu g dt. The bound adds 1 % of the initial speed.
  local bound = 2 * MU * G / p.rate + 0.01 * SPEED
  return math.abs(now.cue - cue) < bound, ("the cue ball rolls at %.3f m/s, not %.3f"):format(now.cue, cue),
    math.abs(now.object - object) < bound, ("the object ball rolls at %.3f m/s, not %.3f"):format(now.object, object),
    now.slip < 0.01, ("the balls slip by %.4f m/s"):format(now.slip) -- the balls roll after 1.4 s at the latest
end

return scene, {
  vary = { spin = { -3, -1, 0, 1 }, way = { 0.05, 0.3, 0.6 }, rate = { 60, 240 } }, solvers = { "si", "direct" },
}
