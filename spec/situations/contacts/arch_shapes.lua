-- A flat, a segmental and a pointed arch of wedges stand still. Each arch contains a line of thrust within the angle of
-- friction at every joint.
-- Source: Heyman, "The Stone Skeleton" (1966); Box2D sample "Arch"; matter-js issue 188 (masonry does not stand).
local impel = require "impel"

local HALF, FRICTION, SLOP = 2, 0.6, 0.005 -- HALF: half the span [m]; SLOP: overlap at rest [m]
local DEPTH = { 1, 0.6, 0.8 } -- depth of the arch, by shape [m]

local scene = {
  title = "Arch shapes", about = "Flat, segmental and pointed arches stand.", duration = 12,
  units = { sunk = "m", creep = "m", fastest = "m/s" },
}
scene.params = { shape = { 1, integer = true, help = "1: flat, 2: segmental, 3: pointed" }, wedges = 15 }

-- Return a point of a joint. `q`: place of the joint, -1 at the left end of the arch, 1 at the right end. `depth`:
-- distance of the point from the lower side of the arch [m].
local function joint(shape, q, depth)
  if shape == 1 then -- joints point to a centre 4 m below the middle
    return { HALF * q * (4 + depth) / 4, depth }
  elseif shape == 2 then -- the arch is a quarter circle
    local radius, angle = HALF * math.sqrt(2) + depth, q * math.pi / 4
    return { radius * impel.math.sin(angle), radius * impel.math.cos(angle) }
  end
  -- Each half is an arc about the foot of the opposite half.
  local side, radius, part = q < 0 and -1 or 1, 2 * HALF + depth, math.abs(q)
  if part < 1e-9 then return { 0, math.sqrt(radius ^ 2 - HALF ^ 2) } end
  local angle = (1 - part) * math.pi / 3
  return { side * (radius * impel.math.cos(angle) - HALF), radius * impel.math.sin(angle) }
end

function scene.setup(p)
  local world = impel.world { sleep = false } -- sleep would hide creep
  local s, depth, ground = { world = world, p = p, wedges = {} }, DEPTH[p.shape], world:body { type = "static" }
  if p.shape == 3 then
    ground:box { 40, 1, center = { 0, -0.5 }, friction = FRICTION }
  else
    for side = -1, 1, 2 do
      local inner, outer = joint(p.shape, side, 0), joint(p.shape, side, depth)
      local far, low = outer[1] + 3 * side, inner[2] - 1
      ground:polygon { points = { inner, outer, { far, outer[2] }, { far, low }, { inner[1], low } },
        friction = FRICTION }
    end
  end
  local count = p.shape == 3 and p.wedges // 2 * 2 or p.wedges
  for i = 1, count do
    local a, b = 2 * (i - 1) / count - 1, 2 * i / count - 1
    local points = { joint(p.shape, a, 0), joint(p.shape, a, depth), joint(p.shape, b, depth), joint(p.shape, b, 0) }
    local wedge = world:body {}
    wedge:polygon { points = points, friction = FRICTION }
    local x, y = wedge:center()
    s.wedges[i] = { body = wedge, x = x, y = y }
  end
  return s
end

function scene.update(s)
  if s.early or s.world.time < 6 then return end
  s.early = {}
  for i, wedge in ipairs(s.wedges) do s.early[i] = { wedge.body:center() } end
end

function scene.measure(s)
  local sunk, creep, fastest = 0, 0, 0
  for i, wedge in ipairs(s.wedges) do
    local x, y = wedge.body:center()
    local vx, vy = wedge.body:velocity()
    sunk, fastest = math.max(sunk, wedge.y - y), math.max(fastest, math.sqrt(vx * vx + vy * vy))
    creep = math.max(creep, math.abs(x - s.early[i][1]), math.abs(y - s.early[i][2]))
  end
  return { sunk = sunk, creep = creep, fastest = fastest }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The arch shortens by SLOP at each joint. The crown sinks by at most shortening / 2 * (1 + HALF / depth).
  local bound = (s.p.wedges + 1) * SLOP / 2 * (1 + HALF / DEPTH[s.p.shape])
  return now.sunk < bound, ("a wedge has sunk by %.4f m, at most %.3f expected"):format(now.sunk, bound),
    now.creep < 1e-3, ("a wedge crept by %.4f m in 6 s"):format(now.creep), -- at rest
    now.fastest < 1e-3, ("a wedge moves at %.4f m/s"):format(now.fastest) -- at rest
end

return scene, { vary = { shape = { 1, 2, 3 }, wedges = { 9, 15, 31 } }, solvers = { "si" }, peers = true }
