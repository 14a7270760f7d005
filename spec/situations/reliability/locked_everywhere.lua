-- A body with all axes locked keeps its mass and inertia, is saved and restored, and supports a load.
-- Source: Jolt issue 915 (a body without degrees of freedom is saved with a NaN as its mass).
local impel = require "impel"

local G = 10

local scene = { title = "Locked everywhere", about = "A body with all axes locked carries a box.", duration = 3 }
scene.params = { mass = 1 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G } }
  local held = world:body { lock_x = true, lock_y = true, fixed_rotation = true }
  held:box { 2, 1 }
  local load = world:body { position = { 0, 1 } }
  load:box { 1, 1, density = p.mass }
  return { world = world, held = held, load = load, p = p }
end

function scene.update(s)
  if s.world.tick == 60 then
    s.world:restore(s.world:snapshot { state = false })
  end
end

function scene.check(s)
  local x, y = s.held:position()
  local _, height = s.load:position()
  return s.held.mass == 2 and math.abs(s.held.inertia - 2 * 5 / 12) < 1e-12,
    ("mass %g, inertia %g"):format(s.held.mass, s.held.inertia),
    x == 0 and y == 0 and s.held.angle == 0, ("the body is at %g, %g"):format(x, y),
    math.abs(height - 1) < 5e-3, ("the box on the body is at the height %g m, 1 m expected"):format(height)
end

return scene, {
  vary = { mass = { 1e-3, 1, 1e3 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
