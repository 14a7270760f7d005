-- A disc that rolls over the joints of a tiled floor keeps its speed and spin, and does not hop.
-- Source: godot issue 101149 (a ball bumps at joints of a floor), TouchGolf issue 30 (a ball jumps between two
-- colliders), ball2box issue 10.
local impel = require "impel"

local RADIUS, GAP = 0.4, 0.002 -- radius of the disc; gap between the boxes of a floor with `pieces` = 4 [m]

local scene = {
  title = "Rolls over tiles", about = "A disc rolls over internal edges of a floor undisturbed.", duration = 2,
  units = { slowest = "m/s", fastest = "m/s", slip = "m/s", hop = "m", sink = "m" },
}
scene.params = {
  pieces = { 1, integer = true, help = "1: boxes on one body, 2: separate bodies, 3: segments, 4: boxes 2 mm apart" },
  tile = 0.5, speed = 6.0, restitution = 0.5, -- tile: length of a tile [m]; speed [m/s]
}

function scene.setup(p)
  local world = impel.world { sleep = false }
  local floor = world:body { type = "static" }
  for i = -2, math.ceil(2.2 * p.speed / p.tile) do
    if p.pieces == 3 then
      floor:segment { from = { i * p.tile, 0 }, to = { (i + 1) * p.tile, 0 }, restitution = p.restitution }
    else
      local piece = p.pieces == 2 and world:body { type = "static" } or floor
      local length = p.pieces == 4 and p.tile - GAP or p.tile
      piece:box { length, 0.3, center = { (i + 0.5) * p.tile, -0.15 }, restitution = p.restitution }
    end
  end
  local disc = world:body { position = { 0, RADIUS }, velocity = { p.speed, 0 }, angular_velocity = -p.speed / RADIUS }
  disc:circle { radius = RADIUS, restitution = p.restitution }
  return { world = world, disc = disc, p = p, slowest = p.speed, fastest = p.speed, slip = 0, hop = 0, sink = 0 }
end

function scene.update(s)
  local _, y = s.disc:position()
  local speed = s.disc:velocity()
  s.slowest, s.fastest = math.min(s.slowest, speed), math.max(s.fastest, speed)
  s.slip = math.max(s.slip, math.abs(speed + s.disc.angular_velocity * RADIUS))
  s.hop, s.sink = math.max(s.hop, y - RADIUS), math.max(s.sink, RADIUS - y)
end

function scene.measure(s)
  return { slowest = s.slowest, fastest = s.fastest, slip = s.slip, hop = s.hop, sink = s.sink }
end

function scene.check(s)
  local v = s.p.speed
  -- At each gap the slow disc turns about an edge by GAP / RADIUS and loses (GAP / RADIUS)^2 / 3 of its speed: 3e-4 in
  -- 40 gaps. The bound is 0.2 %.
  return s.slowest > 0.998 * v, ("the disc's speed fell to %.4f m/s from %g"):format(s.slowest, v),
    s.fastest < 1.002 * v, ("the disc's speed grew to %.4f m/s from %g"):format(s.fastest, v),
    s.slip < 0.002 * v, ("the disc slipped at %.4f m/s"):format(s.slip),
    s.hop < 1e-3, ("the disc hopped %.4f m"):format(s.hop), -- 1 mm; no force lifts the disc
    s.sink < 6e-3, ("the disc sank %.4f m"):format(s.sink) -- slop of 5 mm plus 1 mm for the weight
end

return scene, {
  vary = { pieces = { 1, 2, 3, 4 }, tile = { 0.15, 1 }, speed = { 3, 30 }, restitution = { 0, 0.5 } },
  solvers = { "si" }, peers = true,
}
