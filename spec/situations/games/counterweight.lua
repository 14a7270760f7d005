-- A beam that overhangs a pillar carries a load at its tip if the counterweight at its opposite end has a larger moment
-- about the pillar's edge than beam and load. Otherwise the beam tips over the edge.
-- Source: textbook statics, the lever; J. Perrenet, "Balance: harder than it looks".
local impel = require "impel"

local scene = {
  title = "Counterweight", about = "A beam stands if its counterweight has the larger moment.", duration = 9,
  units = { turned = "rad", sunk = "of the size", creep = "of the size" },
}
-- part: moment of beam and load divided by that of the counterweight; load: density of the load (the beam has 1); size:
-- scale of all lengths
scene.params = { part = 0.9, load = 1.0, size = 1.0 }

function scene.setup(p)
  local world, size = impel.world { sleep = false }, p.size
  -- Sizes in metres for size = 1. The pillar's top is at y = 0 and its right edge at x = 0. The beam, 8 by 0.3, has its
  -- centre at x = 1. The load, 0.6 by 0.6, is at x = 4.6. The counterweight, 0.8 by 0.8, is at x = -2.5.
  local ground = world:body { type = "static" }
  ground:box { 1 * size, 6 * size, center = { -0.5 * size, -3 * size } }
  ground:box { 60 * size, 2 * size, center = { 0, -7 * size } }
  local tipping = 8 * 0.3 * 1 + 0.36 * p.load * 4.6
  local function box(x, y, width, height, density)
    local body = world:body { position = { x * size, y * size } }
    body:box { width * size, height * size, density = density }
    return body
  end
  local s = { world = world, p = p }
  s.beam = box(1, 0.15, 8, 0.3, 1)
  s.weight = box(-2.5, 0.7, 0.8, 0.8, tipping / p.part / (0.64 * 2.5))
  s.load = box(4.6, 0.6, 0.6, 0.6, p.load)
  s.early = { 0, 0 }
  return s
end

function scene.update(s)
  if s.world.time < 5 then s.early = { s.load:position() } end
end

function scene.measure(s)
  local x, y = s.load:position()
  local size = s.p.size
  return {
    turned = s.beam.angle, sunk = 0.6 - y / size,
    creep = math.max(math.abs(x - s.early[1]), math.abs(y - s.early[2])) / size,
  }
end

function scene.check(s)
  local now, part = scene.measure(s), s.p.part
  if part > 1 then
    -- The counterweight's moment is at least 5 % too small. At size 1 the beam tips by 0.3 rad within 3 s.
    return now.turned < -0.3, ("the beam has turned by only %.4f rad"):format(-now.turned)
  end
  -- The beam may sink by 6 mm (slop plus 1 mm) at one edge of the pillar, which is 1 m wide at size 1. The load is 4.6
  -- m from the edge. The contact below the load and the contact below the beam add 6 mm each.
  local turn = 0.006 / s.p.size
  return math.abs(now.turned) < turn, ("the beam has turned by %.4f rad"):format(now.turned),
    math.abs(now.sunk) < 4.6 * turn + 2 * turn, ("the load has sunk by %.4f sizes"):format(now.sunk),
    now.creep < 1e-3, ("the load crept by %.4f sizes in 4 s"):format(now.creep) -- at rest
end

return scene, {
  vary = { part = { 0.7, 0.95, 1.05, 1.5 }, load = { 1, 20 }, size = { 1, 4 } }, solvers = { "si" },
  peers = true,
}
