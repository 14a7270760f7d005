-- A follower rides on a cam that turns faster and faster, until the cam throws it off.
local impel = require "impel"
local m = impel.math

local scene = {
  title = "Cam",
  about = "The cam is not a colliding shape but a constraint with the radius r(angle) of the cam. The option limit = { "
    .. "0, math.huge } keeps follower.y - r >= 0: the constraint pushes the follower and never pulls it. "
    .. "Where the cam's surface accelerates down faster than gravity, the follower lifts off.",
  duration = 8, -- [s]
  view = { x = 0, y = 0.3, height = 1.5 },
}

scene.params = {
  lift = { 0.05, min = 0.02, max = 0.1, help = "half of the follower's travel [m]" },
  lobes = { 2, integer = true, min = 1, max = 4, help = "number of high points of the cam" },
  glued = { false, help = "true: the constraint may also pull, so that the follower stays on the cam" },
}

local G, RADIUS, MASS = 9.81, 0.4, 1 -- gravity [m/s^2], mean radius of the cam [m], mass of the follower [kg]
local FROM, TO = 0.9, 1.1 -- first and last speed of the cam, relative to the speed at which the follower lifts off

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, dt = 1 / 240, sleep = false }
  -- The follower lifts off if lift (lobes w)^2 > g.
  local critical = math.sqrt(G / p.lift) / p.lobes
  local cam = world:body { type = "kinematic", angular_velocity = FROM * critical }
  local follower = world:body { type = "particle", mass = MASS, position = { 0, RADIUS + p.lift } }
  cam:circle { radius = RADIUS - p.lift, mask = 0 } -- for display; mask 0: collides with nothing
  follower:circle { radius = 0.03, mask = 0 }
  world:prismatic(world.ground, follower, { axis = { 0, 1 } })
  local ride = world:constraint(cam, follower, {
    -- At cam angle 0 a lobe is under the follower.
    C = function(a, b) return b.y - RADIUS - p.lift * m.cos(p.lobes * a.angle) end,
    limit = not p.glued and { 0, math.huge } or nil,
  })
  return { world = world, cam = cam, follower = follower, ride = ride, p = p, critical = critical, gap = 0 }
end

-- Before every step: speed the cam up, and record the widest gap until the follower lifts off.
function scene.update(s)
  local part = s.world.time / scene.duration
  s.cam.angular_velocity = (FROM + (TO - FROM) * part) * s.critical
  if s.world.tick == 0 or s.lifted then return end
  if s.ride.force == 0 then
    s.lifted = s.cam.angular_velocity
  else
    s.gap = math.max(s.gap, math.abs(s.ride.value))
  end
end

function scene.measure(s)
  local _, y = s.follower:position()
  return { y = y, gap = s.ride.value, force = s.ride.force, speed = s.cam.angular_velocity / s.critical }
end

function scene.check(s)
  if not s.lifted then
    return false, ("the follower did not lift off up to a speed of %.2f rad/s; lift-off at %.2f rad/s expected")
      :format(s.cam.angular_velocity, s.critical)
  end
  return math.abs(s.lifted / s.critical - 1) < 0.02,
    ("the follower lifted off at %.3f rad/s, %.3f expected"):format(s.lifted, s.critical),
    s.gap < 1e-3, ("before lift-off the follower was %.2f mm off the cam, less than 1 mm expected"):format(1e3 * s.gap)
end

-- Draw the cam: the curve of the constraint's formula, rotated by the cam's angle.
function scene.draw(s, view)
  local points = {}
  for i = 0, 180 do
    local angle = 2 * math.pi * i / 180
    local r = RADIUS + s.p.lift * math.cos(s.p.lobes * (angle - s.cam.angle - math.pi / 2))
    points[#points + 1] = { r * math.cos(angle), r * math.sin(angle) }
  end
  view:polyline(points, "green")
end

return scene
