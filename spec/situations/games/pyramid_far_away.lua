-- A pyramid far from the origin stands. A box thrown beside the pyramid follows a parabola.
-- Source: Box2D samples "Far Pyramid" and "Far Ragdolls", EmptyEpsilon issue 604, sable issue 604.
local impel = require "impel"

local scene = {
  title = "Pyramid far away", about = "A pyramid far from the origin stands as at the origin.", duration = 6,
  units = { sink = "m", drift = "m", flight = "m" },
}
scene.params = { x = 1e5, y = 0.0, rows = 5 } -- x, y: position of the pyramid's base [m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  local floor = world:body { type = "static", position = { p.x, p.y } }
  floor:box { 60, 1, center = { 0, -0.5 } }
  local top
  for row = 1, p.rows do
    for i = 1, p.rows + 1 - row do
      top = world:body { position = { p.x + 1.1 * (i - (p.rows + 2 - row) / 2), p.y + row - 0.5 } }
      top:box { 1, 1 }
    end
  end
  local thrown = world:body { position = { p.x - 20, p.y + 200 }, velocity = { 7, 0 } }
  thrown:box { 1, 1 }
  return { world = world, top = top, thrown = thrown, p = p, sink = 0, drift = 0 }
end

function scene.update(s)
  local x, y = s.top:position()
  s.sink = math.max(s.sink, s.p.y + s.p.rows - 0.5 - y)
  s.drift = math.max(s.drift, math.abs(x - s.p.x))
end

function scene.measure(s)
  local x, y = s.thrown:position()
  local time = s.world.time
  local flight = math.max(math.abs(x - (s.p.x - 20 + 7 * time)), math.abs(y - (s.p.y + 200 - 9.81 * time ^ 2 / 2)))
  return { sink = s.sink, drift = s.drift, flight = flight }
end

function scene.check(s)
  local now, time = scene.measure(s), s.world.time
  -- Slop of 5 mm for each contact below the top.
  return now.sink < 5e-3 * s.p.rows, ("the top sinks by %.4f m"):format(now.sink),
    -- The pyramid is symmetric. A drift of 1 cm is hardly visible on a box of 1 m.
    now.drift < 0.01, ("the top drifts by %.4f m"):format(now.drift),
    -- A first-order scheme is off by the distance that a body moves in half a step at the speed g t. The bound adds 1 %
    -- and 1 mm.
    now.flight < 9.81 * time / 60 / 2 * 1.01 + 1e-3,
    ("the thrown box is %.4f m off its parabola"):format(now.flight)
end

return scene, { vary = { x = { 0, 1e3, 1e5, 9e5 }, y = { 0, 5e5 } }, solvers = { "si", "xpbd" }, peers = true }
