-- A box created partly inside the ground moves out slowly by the shortest path, and comes to rest flat. Its energy
-- grows by at most weight times depth.
-- Source: avian pull request 202 (such a body explodes), p2.js issue 329, matter-js issue 651.
local impel = require "impel"

local G = 9.81

local scene = {
  title = "Buried box", about = "A box created inside the ground moves out slowly.", duration = 10,
  units = { gained = "of the lift", highest = "sizes", rest = "sizes", turned = "rad", speed = "sizes/s" },
}
scene.params = { size = 1.0, depth = 0.5, tilt = 0.0, rate = 60.0 } -- depth of the box's lowest point [sizes]

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, sleep = false, dt = 1 / p.rate }
  local size = p.size
  world:body { type = "static" }:box { 60 * size, 20 * size, center = { 0, -10 * size } }
  local corner = (impel.math.cos(p.tilt) + impel.math.sin(p.tilt)) / 2
  local box = world:body { position = { 0, (corner - p.depth) * size }, angle = p.tilt }
  box:box { size, size }
  local s = { world = world, box = box, p = p, corner = corner, most = 0, highest = -math.huge }
  local kinetic, potential = world:energy()
  s.start, s.lift = kinetic + potential, box.mass * G * p.depth * size
  return s
end

function scene.update(s)
  local kinetic, potential = s.world:energy()
  local _, y = s.box:position()
  s.most, s.highest = math.max(s.most, kinetic + potential - s.start), math.max(s.highest, y / s.p.size)
end

function scene.measure(s)
  local _, y = s.box:position()
  local vx, vy = s.box:velocity()
  local quarter = s.box.angle / (math.pi / 2)
  return {
    gained = s.most / s.lift, highest = s.highest, rest = y / s.p.size - 0.5,
    turned = math.abs(quarter - math.floor(quarter + 0.5)) * math.pi / 2,
    speed = math.sqrt(vx * vx + vy * vy) / s.p.size,
  }
end

function scene.check(s)
  local now, size = scene.measure(s), s.p.size
  local left = 0.006 / size -- slop (5 mm) and compression by the weight (1 mm) [sizes]
  -- To lift the box out of the ground takes weight times depth. The bound adds 1 % for rounding.
  return now.gained < 1.01, ("the energy grew by %.2f times weight times depth"):format(now.gained),
    -- The corner that starts lowest may rise to the level of the ground.
    now.highest < s.corner + 0.01 * s.p.depth,
    ("the box hopped to %.3f sizes, at most %.3f expected"):format(now.highest, s.corner),
    math.abs(now.rest) < left, ("the box rests %.4f sizes off the ground"):format(now.rest),
    -- Angle of the lower side if one of its ends is higher by `left`.
    now.turned < left, ("the box rests tilted by %.4f rad"):format(now.turned),
    now.speed < 1e-3, ("the box still moves at %.4f sizes/s"):format(now.speed) -- at rest
end

return scene, {
  vary = { size = { 0.1, 1, 10 }, depth = { 0.05, 0.4, 0.9, 1.5 }, tilt = { 0, 0.4 } }, solvers = { "direct" },
  peers = true,
}
