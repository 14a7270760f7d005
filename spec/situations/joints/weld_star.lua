-- In space, arms are welded to a lighter hub, which is pushed once. The kinetic energy cannot grow.
-- Source: Box2D issue 997 (a windmill with four rotors spins out of control when touched).
local impel = require "impel"

local scene = {
  title = "Star of welds", about = "Arms welded to a hub gain no kinetic energy.", duration = 20,
  units = { energy = "of the initial value" },
}
scene.params = {
  arms = 4, scale = 1.0, substeps = { 4, min = 1 }, hub = { 0.5, help = "density of the hub / density of an arm" },
}

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = p.substeps }
  local k, hub = p.scale, world:body {}
  hub:circle { radius = 0.5 * k, density = p.hub, group = -1 }
  for i = 1, p.arms do
    local angle = 2 * math.pi * i / p.arms
    local c, s = impel.math.cos(angle), impel.math.sin(angle)
    local arm = world:body { position = { k * c, k * s }, angle = angle }
    arm:box { k, 0.8 * k, group = -1 }
    world:weld(hub, arm, { anchor = { 0.5 * k * c, 0.5 * k * s } })
  end
  hub:set_velocity(0.001 * k, 0)
  return { world = world, start = (world:energy()), most = 0 }
end

function scene.update(s) s.most = math.max(s.most, (s.world:energy()) / s.start) end

function scene.measure(s) return { energy = s.most } end

function scene.check(s)
  return s.most < 1.001,
    -- The bound is for float rounding in 1200 steps.
    ("the star's energy grew to %.4g of its initial value"):format(s.most)
end

return scene, {
  vary = { arms = { 3, 6, 12 }, scale = { 0.1, 1, 10 }, substeps = { 1, 2, 4, 8 } }, peers = true,
}
