-- Boxes or discs created with overlaps, without gravity, separate and come to rest. The common centre of mass does not
-- move.
-- Source: avian pull request 202 and cannon-es issue 165 (bodies created with an overlap explode), matter-js issue 651.
local impel = require "impel"

local scene = {
  title = "Tight cluster", about = "Overlapping bodies separate and come to rest.", duration = 10,
  units = { deepest = "m", fastest = "m/s", drift = "m", widest = "m" },
}
-- rows: number of rows, and of bodies in a row; overlap: overlap of neighbours [m], for bodies of 1 m
scene.params = { rows = 4, overlap = 0.2, box = true, cluster_seed = 1 }

function scene.setup(p)
  local world, random = impel.world { gravity = { 0, 0 }, sleep = false }, impel.rng.new(p.cluster_seed)
  local s, spacing = { world = world, bodies = {}, p = p, x = 0, y = 0 }, 1 - p.overlap
  for i = 1, p.rows do
    for j = 1, p.rows do
      local x, y = spacing * (i + 0.02 * random:random()), spacing * (j + 0.02 * random:random())
      local body = world:body { position = { x, y } }
      if p.box then body:box { 1, 1 } else body:circle { radius = 0.5 } end
      s.bodies[#s.bodies + 1], s.x, s.y = body, s.x + x, s.y + y
    end
  end
  s.x, s.y = s.x / #s.bodies, s.y / #s.bodies
  return s
end

-- Return the overlap of two bodies [m]: for discs along the line of centres, for boxes along the axis of least overlap.
local function overlap(a, b, box)
  local ax, ay = a:position()
  local bx, by = b:position()
  local dx, dy = bx - ax, by - ay
  local distance = math.sqrt(dx * dx + dy * dy)
  if not box then return 1 - distance elseif distance > 1.5 then return 0 end
  local least = math.huge
  for _, axis in ipairs { { a, 0 }, { a, 1 }, { b, 0 }, { b, 1 } } do
    local nx, ny = axis[1]:world_vector(axis[2], 1 - axis[2])
    local reach = 0
    for _, body in ipairs { a, b } do
      local ux, uy = body:world_vector(1, 0)
      reach = reach + (math.abs(ux * nx + uy * ny) + math.abs(ux * ny - uy * nx)) / 2
    end
    least = math.min(least, reach - math.abs(dx * nx + dy * ny))
  end
  return least
end

function scene.measure(s)
  local now, x, y = { deepest = 0, fastest = 0, widest = 0 }, 0, 0
  for i, body in ipairs(s.bodies) do
    local bx, by = body:position()
    local vx, vy = body:velocity()
    x, y = x + bx, y + by
    now.fastest = math.max(now.fastest, math.sqrt(vx * vx + vy * vy))
    now.widest = math.max(now.widest, math.abs(bx - s.x), math.abs(by - s.y))
    for j = 1, i - 1 do now.deepest = math.max(now.deepest, overlap(s.bodies[j], body, s.p.box)) end
  end
  x, y = x / #s.bodies - s.x, y / #s.bodies - s.y
  now.drift = math.sqrt(x * x + y * y)
  return now
end

function scene.check(s)
  local now, n = scene.measure(s), s.p.rows
  -- Twice the slop of 5 mm.
  return now.deepest < 0.01, ("two bodies overlap by %.1f mm"):format(1000 * now.deepest),
    -- Usual sleep threshold of engines [m/s].
    now.fastest < 0.05, ("a body flies away at %.3f m/s"):format(now.fastest),
    -- Float rounding.
    now.drift < 1e-3, ("the common centre of mass moved by %.4f m"):format(now.drift),
    -- The bound is half the width of the block without overlaps, times sqrt(2), because bodies may have any angle.
    now.widest < n / 2 * math.sqrt(2), ("a body is %.2f m from the middle of the cluster"):format(now.widest)
end

return scene, {
  vary = { rows = { 2, 4 }, overlap = { 0.05, 0.2, 0.5 }, box = { true, false }, cluster_seed = { 1, 2 } },
  solvers = { "split" }, peers = true,
}
