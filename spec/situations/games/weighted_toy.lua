-- A disc with an eccentric weight rocks on a floor with constant amplitude, at the period of rolling without slip.
-- Source: Box2D sample "Weeble"; box2d issue 604 (a ball seems to speed up), avian issues 108 and 389 (a centre of mass
-- off the origin).
local impel = require "impel"

local scene = {
  title = "Weighted toy", about = "A weighted disc rocks with a constant amplitude and period.", duration = 30,
  units = { widest = "rad", last = "rad", period = "s" },
}
-- Amplitude [rad]; density of the weight [kg/m^2]; steps per second [Hz]
scene.params = { angle = 0.1, weight = 40.0, rate = 60 }

local RADIUS = 0.5

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 }, friction = 1 }
  local toy = world:body { position = { 0, RADIUS }, angle = p.angle }
  toy:circle { radius = RADIUS, friction = 1 }
  toy:circle { radius = 0.1, center = { 0, -0.35 }, density = p.weight, friction = 1 }
  return { world = world, toy = toy, p = p, widest = 0, last = 0, before = p.angle, first = 0, latest = 0, swings = -1 }
end

function scene.update(s)
  local time, angle = s.world.time, s.toy.angle
  s.widest = math.max(s.widest, math.abs(angle))
  -- Record the largest angle of the last half-swing, which takes at most 2.1 s.
  if time > 26 then s.last = math.max(s.last, math.abs(angle)) end
  if s.before > 0 and angle <= 0 then -- the angle crosses zero downwards, once per period
    s.latest = time - s.world.dt * angle / (angle - s.before)
    if s.swings < 0 then s.first = s.latest end
    s.swings = s.swings + 1
  end
  s.before = angle
end

function scene.measure(s)
  return { widest = s.widest, last = s.last, period = (s.latest - s.first) / s.swings }
end

-- Return the period of rolling without slip. e: distance of the centre of mass from the disc's centre; k:
-- sin(amplitude/2). By conservation of energy, inertia w^2/2 = m g e (cos angle - cos amplitude), with the inertia
-- about the contact point. The loop integrates dt = d(angle) / w over u, where sin(angle/2) = k sin u.
local function period(s)
  local m, _, cy = s.toy.mass, s.toy:local_point(s.toy:center())
  local e, k, sum = -cy, math.sin(s.p.angle / 2), 0
  for i = 1, 100 do
    local u = (i - 0.5) / 100 * math.pi / 2
    local cosine = 1 - 2 * (k * math.sin(u)) ^ 2
    local inertia = s.toy.inertia + m * (RADIUS ^ 2 + e ^ 2 - 2 * RADIUS * e * cosine)
    sum = sum + math.sqrt(inertia / (m * 9.81 * e)) / math.sqrt(1 - (k * math.sin(u)) ^ 2)
  end
  return 4 * sum * math.pi / 2 / 100
end

function scene.check(s)
  local start, right, found = s.p.angle, period(s), (s.latest - s.first) / s.swings
  -- Friction at a point at rest does no work. Steps of 1/60 s change the amplitude by the fraction (w dt)^2/8 < 1e-3.
  return s.widest < 1.01 * start, ("the disc swings out to %.4f rad from %g"):format(s.widest, start),
    s.last > 0.95 * start,
    ("the disc swings to %.4f rad from %g after 26 s"):format(s.last, start), -- a decrease of 5 % is not visible
    -- An amplitude that is lower by 5 % changes the period by less than 1 %.
    s.swings >= 6 and math.abs(found / right - 1) < 0.01,
    ("%d swings of %.3f s, not %.3f"):format(s.swings, found, right)
end

return scene, {
  vary = { angle = { 0.1, 0.5, 1.5 }, weight = { 10, 40 }, rate = { 60, 240 } }, solvers = { "si", "xpbd", "direct" },
  peers = true,
}
