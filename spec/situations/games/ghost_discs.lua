-- Discs that do not collide with each other start at the same place and fall through a board of pegs on the same path.
-- Source: planck.js issue 282 (100 balls that ignore each other must all move like a single ball), libgdx issue 6864
-- (an unrelated body changes the result), matter.js issue 885.
local impel = require "impel"

local scene = {
  title = "Ghost discs", about = "Discs that do not collide follow the same path.", duration = 8,
  units = { spread = "m", left = "m" },
}
scene.params = { count = 50, restitution = 0.7 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local board = world:body { type = "static" }
  board:box { 20, 1, center = { 0, -0.5 }, restitution = p.restitution }
  for side = -1, 1, 2 do board:box { 1, 12, center = { side * 4, 6 }, restitution = p.restitution } end
  for row = 1, 6 do
    for i = -3, 3 do
      board:circle { radius = 0.15, center = { i + row % 2 * 0.5, row + 1 }, restitution = p.restitution }
    end
  end
  local discs = {}
  for i = 1, p.count do
    discs[i] = world:body { position = { 0.13, 9 } }
    discs[i]:circle { radius = 0.2, restitution = p.restitution, group = -1 }
  end
  return { world = world, discs = discs, spread = 0 }
end

function scene.update(s)
  local x, y = s.discs[1]:position()
  for _, disc in ipairs(s.discs) do
    local dx, dy = disc:position()
    s.spread = math.max(s.spread, math.abs(dx - x), math.abs(dy - y), math.abs(disc.angle - s.discs[1].angle))
  end
end

function scene.measure(s)
  local _, y = s.discs[1]:position()
  return { spread = s.spread, left = y }
end

function scene.check(s)
  local _, y = s.discs[1]:position()
  -- All discs have the same initial values, so they must have the same results.
  return s.spread == 0, ("the discs are up to %.3g m apart"):format(s.spread),
    y < 9, "the discs do not fall"
end

return scene, {
  vary = { count = { 2, 50, 200 }, restitution = { 0.3, 0.7 } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
