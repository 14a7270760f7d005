-- The cabin of a lift and its counterweight hang on one rope. The cabin comes down on the floor. Cabin and
-- counterweight rest without jitter.
-- Source: nape-js pull request 201 (a cabin on a rigid pulley jitters on the floor).
local impel = require "impel"

local scene = {
  title = "Cabin on the floor", about = "A cabin on a rope rests on the floor.", duration = 10,
  units = { fastest = "m/s", height = "m", force = "of the calculated force" },
}
scene.params = { heavier = { 1.2, help = "mass of the cabin / mass of the counterweight" }, load = 1.0, tackle = 1.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local floor = world:body { type = "static" }
  floor:box { 20, 1, center = { 0, -0.5 } }
  local cabin = world:body { position = { -1, 1 }, mass = p.heavier * p.load / p.tackle }
  cabin:box { 1, 1 }
  local weight = world:body { position = { 2, 2 }, mass = p.load }
  weight:box { 0.5, 1 }
  world:pulley(cabin, weight, { ground_a = { -1, 8 }, ground_b = { 2, 8 }, ratio = p.tackle })
  return { world = world, floor = floor, cabin = cabin, weight = weight, fastest = 0,
    left = (p.heavier - 1) * p.load / p.tackle * 9.81 }
end

function scene.update(s)
  if s.world.time < 8 then return end
  for _, body in ipairs { s.cabin, s.weight } do
    local x, y = body:velocity()
    s.fastest = math.max(s.fastest, math.sqrt(x * x + y * y))
  end
end

function scene.measure(s)
  return { fastest = s.fastest, height = select(2, s.cabin:position()),
    force = -select(2, s.floor:contact_force()) / s.left }
end

function scene.check(s)
  local now = scene.measure(s)
  -- A speed of 5 mm/s is not visible.
  return now.fastest < 0.005, ("at rest a body moves at %.4f m/s"):format(now.fastest),
    -- twice the slop of 5 mm
    math.abs(now.height - 0.5) < 0.01, ("the cabin's centre is at %.4f m, 0.5 expected"):format(now.height),
    -- The force on the floor is the cabin's weight minus the rope's force, m_a g - m_b g / tackle. A force display
    -- needs an accuracy of 2 %.
    math.abs(now.force - 1) < 0.02, ("the floor carries %.3f of the calculated force"):format(now.force)
end

return scene, {
  vary = { heavier = { 1.02, 1.2, 10, 100 }, load = { 0.1, 10 }, tackle = { 1, 4 } }, solvers = { "si", "direct" },
}
