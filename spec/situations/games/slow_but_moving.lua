-- A slow marble, a puck on ice and a wheel keep their speed at any scale. Bodies fall asleep only at rest.
-- Source: matter-js issue 1151 and cannon.js issue 126 (slowly rotating bodies fall asleep), GDevelop issue 3972, box2d
-- issue 906.
local impel = require "impel"

local scene = {
  title = "Slow but moving", about = "Bodies that move slowly and steadily do not fall asleep.", duration = 12,
  units = { way = "radii", right = "radii" },
}
scene.params = {
  kind = { 1, help = "1 rolls on a floor, 2 slides on ice, 3 drifts in space, 4 turns in space, 5 turns on a pin" },
  radius = 0.05, speed = 1.0, -- speed [radii/s]: kinds 1 to 3 of the centre, kinds 4 and 5 of the rim
}

function scene.setup(p)
  local r, v = p.radius, p.speed * p.radius
  local floor = p.kind <= 2
  local world = impel.world { gravity = { 0, floor and -9.81 or 0 }, slop = r / 100 } -- 5 mm for r = 0.5 m
  local body = world:body { position = { 0, floor and r or 0 } }
  body:circle { radius = r, friction = p.kind == 2 and 0 or 0.6 }
  if floor then world:body { type = "static" }:box { 200 * r, r, center = { 0, -r / 2 }, friction = 0.6 } end
  if p.kind <= 3 then body:set_velocity(v, 0) end
  if p.kind == 1 then body.angular_velocity = -p.speed end
  if p.kind >= 4 then body.angular_velocity = p.speed end
  if p.kind == 5 then world:revolute(world.ground, body, {}) end
  return { world = world, body = body, p = p }
end

function scene.measure(s)
  local x = s.body:position()
  return { way = s.p.kind >= 4 and s.body.angle or x / s.p.radius, right = s.p.speed * s.world.time }
end

function scene.check(s)
  local now = scene.measure(s)
  -- No force acts along the path. The bound of 1 % is for rounding and soft contacts.
  return math.abs(now.way - now.right) < 0.01 * now.right,
    ("the body moved by %.3f radii, not %.3f%s"):format(now.way, now.right, s.body.awake and "" or ": asleep")
end

return scene, {
  vary = { kind = { 1, 2, 3, 4, 5 }, radius = { 0.01, 0.1, 1, 10 }, speed = { 0.25, 1 } }, solvers = { "si" },
}
