-- A ragdoll created partly inside the floor moves out slowly. Its joints hold, and its energy grows by at most weight
-- times depth.
-- Source: shock2quest pull requests 277 and 283 (a ragdoll explodes when created), madness-interactive-reloaded issue
-- 41 (ragdolls stay stuck in the floor).
local impel = require "impel"

local scene = {
  title = "Ragdoll in the floor", about = "A ragdoll created inside the floor moves out slowly.", duration = 8,
  units = { gained = "of m g d", open = "m", deepest = "m", fastest = "m/s" },
}
-- depth of the ragdoll's lowest point [m]; turned: rotation of the ragdoll [rad]; gravity [m/s^2]
scene.params = { depth = 0.2, turned = 0.0, gravity = 9.81 }

-- PARTS: x, y of the centre, width, height. JOINTS: two parts, x, y of the hinge, limits.
local PARTS = {
  { 0, 1.15, 0.36, 0.6 }, { 0, 1.6, 0.24, 0.26 }, { -0.4, 1.35, 0.4, 0.12 }, { 0.4, 1.35, 0.4, 0.12 },
  { -0.1, 0.62, 0.14, 0.44 }, { 0.1, 0.62, 0.14, 0.44 }, { -0.1, 0.2, 0.12, 0.4 }, { 0.1, 0.2, 0.12, 0.4 },
}
local JOINTS = {
  { 1, 2, 0, 1.46, 0.5 }, { 1, 3, -0.2, 1.35, 1.2 }, { 1, 4, 0.2, 1.35, 1.2 }, { 1, 5, -0.1, 0.84, 0.8 },
  { 1, 6, 0.1, 0.84, 0.8 }, { 5, 7, -0.1, 0.4, 0.8 }, { 6, 8, 0.1, 0.4, 0.8 },
}

local function lowest(part)
  local ux, uy = part.body:world_vector(1, 0) -- the lowest corner is |uy| w / 2 + |ux| h / 2 below the centre
  local _, y = part.body:position()
  return y - math.abs(uy) * part.size[3] / 2 - math.abs(ux) * part.size[4] / 2
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, -p.gravity }, sleep = false }
  world:body { type = "static" }:box { 40, 4, center = { 0, -2 } }
  local c, n = impel.math.cos(p.turned), impel.math.sin(p.turned)
  local function place(x, y) return { x * c - y * n, x * n + y * c } end
  local s, low = { world = world, p = p, parts = {}, joints = {}, gained = 0, mass = 0, open = 0 }, math.huge
  for i, size in ipairs(PARTS) do
    local body = world:body { position = place(size[1], size[2]), angle = p.turned }
    body:box { size[3], size[4], group = -1 } -- parts do not collide with each other
    s.parts[i], s.mass = { body = body, size = size }, s.mass + body.mass
    low = math.min(low, lowest(s.parts[i]))
  end
  for _, part in ipairs(s.parts) do -- move the ragdoll so that its lowest point is `depth` below the floor
    local x, y = part.body:position()
    part.body:set_position(x, y - low - p.depth)
  end
  for i, joint in ipairs(JOINTS) do
    local a, b, at = s.parts[joint[1]].body, s.parts[joint[2]].body, place(joint[3], joint[4])
    at[2] = at[2] - low - p.depth
    world:revolute(a, b, { anchor = at, limit = { -joint[5], joint[5] } })
    s.joints[i] = { a, b, { a:local_point(at[1], at[2]) }, { b:local_point(at[1], at[2]) } }
  end
  local kinetic, potential = world:energy()
  s.start, s.lift = kinetic + potential, s.mass * 9.81 * p.depth
  return s
end

function scene.update(s)
  local kinetic, potential = s.world:energy()
  s.gained = math.max(s.gained, (kinetic + potential - s.start) / s.lift)
  for _, joint in ipairs(s.joints) do
    local ax, ay = joint[1]:world_point(joint[3][1], joint[3][2])
    local bx, by = joint[2]:world_point(joint[4][1], joint[4][2])
    s.open = math.max(s.open, math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2))
  end
end

function scene.measure(s)
  local deepest, fastest = 0, 0
  for _, part in ipairs(s.parts) do
    local vx, vy = part.body:velocity()
    deepest, fastest = math.max(deepest, -lowest(part)), math.max(fastest, math.sqrt(vx * vx + vy * vy))
  end
  return { gained = s.gained, open = s.open, deepest = deepest, fastest = fastest }
end

function scene.check(s)
  local now = scene.measure(s)
  -- To lift the ragdoll out of the floor by its depth d takes the work m g d. The bound adds 1 % for rounding.
  return s.p.gravity == 0 or now.gained < 1.01, ("the energy grew by %.3f times weight times depth"):format(now.gained),
    now.open < 0.01, ("a joint was %.1f mm open"):format(1000 * now.open), -- twice the slop of 5 mm
    now.deepest < 0.01, ("a part is %.1f mm in the floor"):format(1000 * now.deepest), -- twice the slop of 5 mm
    -- Usual sleep threshold of engines [m/s].
    now.fastest < 0.05, ("a part moves at %.3f m/s"):format(now.fastest)
end

return scene, {
  vary = { depth = { 0.05, 0.2, 0.6 }, turned = { 0, 0.7, 1.5 }, gravity = { 0, 9.81 } }, solvers = { "direct" },
  peers = true,
}
