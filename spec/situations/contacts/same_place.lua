-- Bodies created at the same place, without gravity, separate and come to rest. Their total momentum stays zero.
-- Source: rapier pull request 60, box2d-netstandard pull request 43 and reactphysics3d issue 32 (concentric spheres
-- have no normal and give NaN); p2.js issue 329 (how to separate them gently).
local impel = require "impel"

local scene = {
  title = "Same place", about = "Bodies created at the same place separate slowly.", duration = 12,
  units = { deepest = "of the size", fastest = "sizes/s", momentum = "m/s" },
}
scene.params = { bodies = 2, size = 1.0, box = false }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local s = { world = world, bodies = {}, p = p }
  for i = 1, p.bodies do
    s.bodies[i] = world:body { position = { 3, 2 } }
    if p.box then s.bodies[i]:box { p.size, p.size } else s.bodies[i]:circle { radius = p.size / 2 } end
  end
  return s
end

-- Return the overlap divided by `size`: for discs along the line of centres, for boxes along the axis of least overlap.
local function overlap(a, b, size, box)
  local ax, ay = a:position()
  local bx, by = b:position()
  local dx, dy = (bx - ax) / size, (by - ay) / size
  if not box then return 1 - math.sqrt(dx * dx + dy * dy) end
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
  local deepest, fastest, px, py, size = -math.huge, 0, 0, 0, s.p.size
  for i, body in ipairs(s.bodies) do
    local vx, vy = body:velocity()
    px, py, fastest = px + vx, py + vy, math.max(fastest, math.sqrt(vx * vx + vy * vy) / size)
    for j = 1, i - 1 do deepest = math.max(deepest, overlap(s.bodies[j], body, size, s.p.box)) end
  end
  return { deepest = deepest, fastest = fastest, momentum = math.sqrt(px * px + py * py) }
end

function scene.check(s)
  local now = scene.measure(s)
  -- Slop of 5 mm plus 1 mm.
  return now.deepest < 0.006 / s.p.size, ("two bodies overlap by %.3f sizes"):format(now.deepest),
    -- Separated bodies stop, because an overlap stores no energy.
    now.fastest < 0.05, ("a body flies away at %.3f sizes/s"):format(now.fastest),
    now.momentum < 1e-3,
    ("the sum of the bodies' velocities is %.4f m/s"):format(now.momentum) -- no external force acts
end

return scene, {
  vary = { bodies = { 2, 3, 6 }, size = { 0.1, 1, 5 }, box = { false, true } }, solvers = { "split" }, peers = true,
}
