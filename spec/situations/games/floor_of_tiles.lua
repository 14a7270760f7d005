-- A frictionless rider crosses a floor of kinematic tiles, at rest or in motion, as if the floor were one plane.
-- Source: godot issues 74373, 28438 and 47148 (a rider over several bodies in line catches on their internal edges);
-- Stack Overflow 2012, a box that stops on tiles of 1 m at about 7 m/s.
local impel = require "impel"

local scene = {
  title = "Floor of tiles", about = "A body slides over a floor of tiles as over one plane.", duration = 5,
  units = { slowest = "m/s", fastest = "m/s", hop = "m", sink = "m", turn = "rad" },
}
scene.params = {
  -- speed: speed of the rider; rise, aside: velocity of the tiles [m/s]; tilt: rotation of floor and gravity [rad]
  speed = 6.0, rise = 0.0, aside = 0.0, tilt = 0.0,
  rider = { 1, integer = true, help = "1: box, 2: disc, 3: lying capsule" },
}

function scene.setup(p)
  local c, n = impel.math.cos(p.tilt), impel.math.sin(p.tilt)
  local function turned(x, y) return { x * c - y * n, x * n + y * c } end
  local world = impel.world { gravity = turned(0, -9.81) }
  local tile
  for i = -2, 37 do
    tile = world:body {
      type = "kinematic", position = turned(i, -0.5), angle = p.tilt, velocity = turned(p.aside, p.rise),
    }
    tile:box { 1, 1, friction = 0 }
  end
  local body = world:body { position = turned(0, 0.4), angle = p.tilt, velocity = turned(p.speed, p.rise) }
  if p.rider == 1 then body:box { 0.8, 0.8, friction = 0 } end
  if p.rider == 2 then body:circle { radius = 0.4, friction = 0 } end
  if p.rider == 3 then body:capsule { from = { -0.4, 0 }, to = { 0.4, 0 }, radius = 0.4, friction = 0 } end
  return { world = world, body = body, tile = tile, p = p, c = c, n = n, slowest = p.speed, fastest = p.speed,
    hop = 0, sink = 0, turn = 0 }
end

function scene.update(s)
  local x, y = s.body:position()
  local tx, ty = s.tile:position()
  local vx, vy = s.body:velocity()
  local along, gap = vx * s.c + vy * s.n, (y - ty) * s.c - (x - tx) * s.n - 0.9
  s.slowest, s.fastest = math.min(s.slowest, along), math.max(s.fastest, along)
  s.hop, s.sink = math.max(s.hop, gap), math.max(s.sink, -gap)
  s.turn = math.max(s.turn, math.abs(s.body.angle - s.p.tilt))
end

function scene.measure(s)
  return { slowest = s.slowest, fastest = s.fastest, hop = s.hop, sink = s.sink, turn = s.turn }
end

function scene.check(s)
  local v = s.p.speed
  -- No force acts along the frictionless plane. Float rounding changes the speed by 1e-5 v.
  return s.slowest > 0.999 * v, ("the body's speed fell to %.3f m/s from %g"):format(s.slowest, v),
    s.fastest < 1.001 * v, ("the body's speed grew to %.3f m/s from %g"):format(s.fastest, v),
    -- No force lifts the body. The bound is the slop of 5 mm plus 1 mm.
    s.hop < 0.006, ("the body hops %.4f m"):format(s.hop),
    s.sink < 5e-3, ("the body sinks %.4f m"):format(s.sink), -- slop (world.slop)
    -- An overlap of 5 mm (slop) at one end turns a side of 0.8 m by 0.006 rad.
    s.turn < 6e-3, ("the body turns by %.4f rad"):format(s.turn)
end

return scene, {
  vary = { rise = { 0, 2 }, aside = { 0, -1 }, tilt = { 0, 0.3 }, rider = { 1, 2, 3 } },
  solvers = { "si", "direct" }, peers = true,
}
