-- A round arch stands if its thickness exceeds 0.1075 of its mean radius. A thinner arch opens at crown, haunches and
-- feet, and falls.
-- Source: Couplet (1730) and Milankovitch (1907) in Heyman, "The Stone Skeleton" (1966); Box2D sample "Arch".
local impel = require "impel"

local FRICTION, SLOP = 0.9, 0.005 -- SLOP: overlap that engines allow at rest [m]

local scene = {
  title = "Thin arch", about = "An arch stands if it is thicker than 0.1075 of its radius.", duration = 8,
  units = { sunk = "m", fastest = "m/s" },
}
-- radius: mean radius of the arch [m]; thickness: fraction of `radius`. An arch of few wedges stands even at a
-- thickness slightly below 0.1075.
scene.params = { radius = 10.0, thickness = 0.13, wedges = 20 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 4 * p.radius, p.radius, center = { 0, -p.radius / 2 }, friction = FRICTION }
  local s = { world = world, wedges = {}, p = p }
  local inner, outer = p.radius * (1 - p.thickness / 2), p.radius * (1 + p.thickness / 2)
  for i = 0, p.wedges - 1 do
    local a, b = math.pi * i / p.wedges, math.pi * (i + 1) / p.wedges
    local x, y = p.radius * impel.math.cos((a + b) / 2), p.radius * impel.math.sin((a + b) / 2)
    local points = {}
    for k, corner in ipairs { { inner, a }, { outer, a }, { outer, b }, { inner, b } } do
      points[k] = { corner[1] * impel.math.cos(corner[2]) - x, corner[1] * impel.math.sin(corner[2]) - y }
    end
    local wedge = world:body { position = { x, y } }
    wedge:polygon { points = points, friction = FRICTION }
    s.wedges[i + 1] = { body = wedge, y = y }
  end
  return s
end

function scene.measure(s)
  local fastest, sunk = 0, 0
  for _, wedge in ipairs(s.wedges) do
    local vx, vy = wedge.body:velocity()
    local _, y = wedge.body:position()
    fastest, sunk = math.max(fastest, math.sqrt(vx * vx + vy * vy)), math.max(sunk, wedge.y - y)
  end
  return { sunk = sunk, fastest = fastest }
end

function scene.check(s)
  local now, radius = scene.measure(s), s.p.radius
  if s.p.thickness < 0.1 then
    -- The displacement of the wedges grows by the factor e in about sqrt(R / g), which is 1 s for R = 10 m.
    return now.sunk > radius / 2, ("the arch still stands, sunk by %.3f m"):format(now.sunk)
  end
  -- The ring shortens by SLOP at each joint. The crown sinks by at most shortening / 2 * (1 + R / 2 / (thickness -
  -- 0.1075 R)).
  local bound = (s.p.wedges + 1) * SLOP / 2 * (1 + 0.5 * radius / ((s.p.thickness - 0.1075) * radius))
  return now.sunk < bound, ("the arch has sunk by %.3f m, at most %.3f expected"):format(now.sunk, bound),
    now.fastest < 1e-3, ("a wedge moves at %.4f m/s"):format(now.fastest) -- at rest; 1 mm/s is 60 mm a minute
end

return scene, {
  vary = { radius = { 3, 10 }, thickness = { 0.08, 0.14, 0.2 }, wedges = { 12, 21 } }, solvers = { "si" },
  peers = true,
}
