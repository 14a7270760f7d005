-- A ball that flies into a right-angled corner returns in the opposite direction at e times its speed.
-- Source: gama issue 556 (a ball that hits a wall and a body almost at once loses speed).
local impel = require "impel"

local RADIUS, SPEED = 0.3, 6

local scene = {
  title = "Ball in a corner", about = "A ball that hits a corner returns in the opposite direction.", duration = 1.2,
  units = { along = "m/s", aside = "m/s" },
}
-- aside: lateral offset of the path; at 0 the ball hits both walls at once [m]; slope: angle between the path and a
-- wall; turned: rotation of the corner
scene.params = { aside = 0.0, slope = 45.0, turned = 0.0, restitution = 1.0 } -- angles in degrees

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local turn, slope = math.rad(p.turned), math.rad(p.slope)
  local corner = world:body { type = "static", angle = turn }
  local surface = { friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  surface[1], surface[2], surface.center = 1, 12, { -0.5, 5 }
  corner:box(surface)
  surface[1], surface[2], surface.center = 12, 1, { 5, -0.5 }
  corner:box(surface)
  local c, n = impel.math.cos(slope), impel.math.sin(slope)
  local way = 0.51 * SPEED -- at this distance the impact is after 0.51 s, between two steps
  local ball = world:body { velocity = { corner:world_vector(-SPEED * c, -SPEED * n) } }
  ball:circle { radius = RADIUS, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  ball:set_position(corner:world_point(RADIUS + way * c - p.aside * n, RADIUS + way * n + p.aside * c))
  return { world = world, ball = ball, corner = corner, p = p, c = c, n = n }
end

function scene.measure(s)
  local x, y = s.corner:local_vector(s.ball:velocity())
  return { along = x * s.c + y * s.n, aside = y * s.c - x * s.n }
end

function scene.check(s)
  local now, right = scene.measure(s), s.p.restitution * SPEED
  -- Each wall reverses one velocity component and keeps the other. The bound of 0.5 % allows for soft contacts.
  return math.abs(now.along - right) < 0.005 * SPEED,
    ("the ball returns at %.3f m/s, not %.3f"):format(now.along, right),
    math.abs(now.aside) < 0.005 * SPEED, ("the ball moves sideways at %.3f m/s"):format(now.aside)
end

return scene, {
  vary = { aside = { 0, 0.004, 0.1 }, slope = { 45, 20 }, turned = { 0, 17 }, restitution = { 0.5, 1 } },
  solvers = { "si", "direct" }, peers = true,
}
