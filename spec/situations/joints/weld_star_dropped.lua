-- A wheel of spokes welded to a small hub falls on a floor. No part is faster than the energy of the fall allows, and
-- all welds hold.
-- Source: Box2D issue 997 (a hub with welded rotors spins out of control); ByteArena/box2d issue 9 (a welded body flies
-- off on landing).
local impel = require "impel"

local scene = {
  title = "Spokes", about = "A welded wheel of spokes holds together when it lands.", duration = 10,
  units = { fastest = "m/s", open = "m or rad" },
}
scene.params = { spokes = 6, hub = 0.2, length = 2.0, drop = 0.5 }

-- Return the larger of a weld's gap [m] and the weld's rotation modulo whole turns [rad].
local function opening(weld)
  local ax, ay, bx, by = weld:anchors()
  local turn = 2 * math.abs(impel.math.sin(weld:coordinate("angle").value / 2))
  return math.max(math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2), turn)
end

function scene.setup(p)
  local world = impel.world {}
  world:body { type = "static" }:box { 100, 1, center = { 0, -0.5 } }
  local r, y = p.hub + p.length / 2, p.hub + p.length + 0.1 + p.drop
  local hub = world:body { position = { 0, y } }
  hub:circle { radius = p.hub, group = -1 }
  local s = { world = world, parts = { hub }, fastest = 0, open = 0 }
  local mass, inertia = hub.mass, hub.inertia
  for i = 1, p.spokes do
    local angle = 2 * math.pi * i / p.spokes + 0.3
    local cos, sin = impel.math.cos(angle), impel.math.sin(angle)
    local spoke = world:body { position = { r * cos, y + r * sin }, angle = angle }
    spoke:box { p.length, 0.2, group = -1 }
    world:weld(hub, spoke, { anchor = { p.hub * cos, y + p.hub * sin } })
    s.parts[i + 1] = spoke
    mass, inertia = mass + spoke.mass, inertia + spoke.inertia + spoke.mass * r ^ 2
  end
  -- The energy of the fall gives M V^2 / 2 + I w^2 / 2 <= M g y. The centre of a spoke of a rigid wheel has at most the
  -- speed V + w r <= sqrt(2 g y (1 + M r^2 / I)).
  s.bound = math.sqrt(2 * 9.81 * y * (1 + mass * r ^ 2 / inertia))
  return s
end

function scene.update(s)
  for _, part in ipairs(s.parts) do
    local x, y = part:velocity()
    s.fastest = math.max(s.fastest, math.sqrt(x * x + y * y))
  end
  for joint in s.world:joints() do s.open = math.max(s.open, opening(joint)) end
end

function scene.measure(s) return { fastest = s.fastest, open = s.open } end

function scene.check(s)
  return s.fastest < 1.05 * s.bound, -- 5 % for compliant welds
    ("a part flew at %.3g m/s, %.3g possible"):format(s.fastest, s.bound),
    s.open < 0.1, ("a weld opened by %.3g m or rad"):format(s.open) -- 5 % of a spoke's length
end

return scene, {
  vary = { spokes = { 3, 6, 10 }, hub = { 0.1, 0.3 }, drop = { 0.5, 2 } }, solvers = { "direct" }, peers = true,
}
