-- A round arch of wedges without mortar stands still. The arch contains a line of thrust, and friction prevents
-- sliding.
-- Source: Box2D sample "arch"; Heyman, "The Stone Skeleton" (1966), for the least thickness.
local impel = require "impel"

local INNER, FRICTION = 4, 0.9 -- INNER: inner radius [m]

local scene = {
  title = "Arch", about = "A round arch of wedges stands without moving.", duration = 60,
  units = { turned = "rad", fastest = "m/s", sunk = "m" },
}
scene.params = { wedges = 15, thickness = 1.5 }

function scene.setup(p)
  local world = impel.world { sleep = false } -- sleep would hide creep
  world:body { type = "static" }:box { 60, 1, center = { 0, -0.5 }, friction = FRICTION }
  local s = { world = world, wedges = {}, p = p }
  local outer, middle = INNER + p.thickness, INNER + p.thickness / 2
  for i = 0, p.wedges - 1 do
    local a, b = math.pi * i / p.wedges, math.pi * (i + 1) / p.wedges
    local x, y = middle * impel.math.cos((a + b) / 2), middle * impel.math.sin((a + b) / 2)
    local points = {}
    for k, corner in ipairs { { INNER, a }, { outer, a }, { outer, b }, { INNER, b } } do
      local radius, angle = corner[1], corner[2]
      points[k] = { radius * impel.math.cos(angle) - x, radius * impel.math.sin(angle) - y }
    end
    local wedge = world:body { position = { x, y } }
    wedge:polygon { points = points, friction = FRICTION }
    s.wedges[#s.wedges + 1] = { body = wedge, y = y }
  end
  return s
end

function scene.measure(s)
  local turned, fastest, sunk = 0, 0, 0
  for _, wedge in ipairs(s.wedges) do
    local vx, vy = wedge.body:velocity()
    local _, y = wedge.body:position()
    turned, fastest = math.max(turned, math.abs(wedge.body.angle)), math.max(fastest, math.sqrt(vx * vx + vy * vy))
    sunk = math.max(sunk, wedge.y - y)
  end
  return { turned = turned, fastest = fastest, sunk = sunk }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The arch shortens by the slop of 5 mm per wedge. The crown sinks by at most this shortening. A wedge turns by at
  -- most shortening / radius.
  local shorter = 0.005 * s.p.wedges
  return now.turned < shorter / INNER, ("a wedge has turned by %.4f rad"):format(now.turned),
    now.sunk < shorter, ("a wedge has sunk by %.3f m"):format(now.sunk),
    now.fastest < 1e-3, ("a wedge moves at %.4f m/s"):format(now.fastest) -- at rest; 1 mm/s is 60 mm a minute
end

return scene, {
  vary = { wedges = { 9, 15, 31 }, thickness = { 0.8, 1.5 } }, solvers = { "si", "ngs" }, peers = true,
}
