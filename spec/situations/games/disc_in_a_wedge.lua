-- A disc that falls into a V comes to rest in contact with both sides.
-- Source: Box2D sample "Wedge"; godot issue 45182 (bodies pressed into a corner pass through it).
local impel = require "impel"

local scene = {
  title = "Disc in a wedge", about = "A disc rests in contact with both sides of a V.", duration = 8,
  units = { deep = "m", dip = "m", hop = "m", speed = "m/s" },
}
-- opening [degrees], radius [m], height of the drop [m]
scene.params = { opening = 30.0, radius = 0.1, drop = 0.5, friction = 0.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local half = math.rad(p.opening / 2)
  local c, n = impel.math.cos(half), impel.math.sin(half)
  local rest, wedge = p.radius / n, world:body { type = "static" }
  local length = 1.3 * rest + p.drop + 1
  for side = -1, 1, 2 do -- the sides are so thick that a disc does not pass through
    wedge:polygon { points = { { 0, 0 }, { side * length * n, length * c }, { side * length, length * c },
      { side * length, 0 } }, friction = p.friction }
  end
  local disc = world:body { position = { 0, rest + p.drop } }
  disc:circle { radius = p.radius, friction = p.friction }
  return { world = world, disc = disc, n = n, rest = rest, p = p, dip = 0, hop = 0 }
end

function scene.update(s)
  local _, y = s.disc:position()
  s.dip = math.max(s.dip, (s.rest - y) * s.n) -- depth of the disc in the two sides [m]
  s.met = s.met or (y - s.rest) * s.n < 0.01
  if s.met then s.hop = math.max(s.hop, (y - s.rest) * s.n) end
end

function scene.measure(s)
  local _, y = s.disc:position()
  local vx, vy = s.disc:velocity()
  return { deep = (s.rest - y) * s.n, dip = s.dip, hop = s.hop, speed = math.max(math.abs(vx), math.abs(vy)) }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The centre of the disc is r / sin a above the tip, where a is half the opening. The bound is the slop of 5 mm, plus
  -- 1 mm.
  return math.abs(now.deep) < 6e-3, ("the disc rests %.4f m from the sides of the V"):format(now.deep),
    -- During the impact a depth below a quarter of the radius is hardly visible.
    now.dip < s.p.radius / 4, ("the disc dips %.4f m into the sides of the V"):format(now.dip),
    -- The disc has no restitution. `hop` is recorded from a distance of 1 cm on. The bound adds 5 mm.
    now.hop < 0.015,
    ("the disc hops to %.4f m from the sides of the V"):format(now.hop),
    now.speed < 1e-3, ("the disc still moves at %.4f m/s"):format(now.speed) -- at rest
end

return scene, {
  vary = { opening = { 5, 15, 60 }, radius = { 0.1, 0.5 }, friction = { 0, 0.6 } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
