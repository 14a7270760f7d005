-- In space, arms are attached to a lighter hub by hinges with springs. After a push on one arm, the kinetic energy
-- never exceeds its initial value.
-- Source: Box2D issues 984 and 997 (assemblies of springs and welds on a small hub are unstable).
local impel = require "impel"

local scene = {
  title = "Star of hinges", about = "Springs on hinges never add energy.", duration = 10,
  units = { energy = "of the initial value", open = "m" },
}
scene.params = {
  arms = 6, lighter = { 10.0, help = "density of the arms / density of the hub" }, hertz = 5.0, damping = 0.1,
}

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local hub, arm = world:body {}, nil
  hub:circle { radius = 0.3, density = 1 / p.lighter, group = -1 }
  for i = 1, p.arms do
    local angle = 2 * math.pi * i / p.arms
    local c, s = impel.math.cos(angle), impel.math.sin(angle)
    arm = world:body { position = { 0.8 * c, 0.8 * s }, angle = angle }
    arm:box { 1, 0.2, group = -1 }
    world:revolute(hub, arm, { anchor = { 0.3 * c, 0.3 * s },
      spring = { hertz = p.hertz, damping_ratio = p.damping, target = 0 } })
  end
  arm:set_velocity(0, 1) -- the springs are relaxed: all energy is kinetic
  return { world = world, start = (world:energy()), most = 0, open = 0 }
end

function scene.update(s)
  s.most = math.max(s.most, (s.world:energy()) / s.start)
  for joint in s.world:joints() do
    local ax, ay, bx, by = joint:anchors()
    s.open = math.max(s.open, math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2))
  end
end

function scene.measure(s) return { energy = s.most, open = s.open } end

function scene.check(s)
  return s.most < 1.001,
    ("kinetic energy grew to %.4g of its initial value"):format(s.most), -- the bound is for float rounding in 600 steps
    -- The pushed arm moves 17 mm in a step. The bound is nearly twice this distance.
    s.open < 0.03, ("a hinge opened by %.3g m"):format(s.open)
end

return scene, {
  vary = { arms = { 3, 6, 12 }, lighter = { 1, 10, 100 }, hertz = { 2, 10 } }, solvers = { "si", "reduced" },
  peers = true,
}
