-- A spring under a steady load stretches by load / stiffness, for any length of the step.
-- Source: PhysX issue 112 (a drive is stiffer with shorter steps), gazebo-classic issue 1162 (a stiffness depends on
-- the step), godot-proposals issue 15126 (the softness of joints changes with the rate).
local impel = require "impel"

local scene = {
  title = "Spring at any rate", about = "A spring stretches by load / stiffness at any dt.", duration = 4,
  units = { stretch = "of load / stiffness" },
}
-- kind: 1 distance, 2 slide, 3 hinge, 4 weld with a soft angle; hertz: frequency of the load on the spring; rate: steps
-- per second
scene.params = { kind = 1, hertz = 2.0, rate = 60.0, damping = 1.0 }

local ARM = 1 -- distance from a hinge to the load [m]

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local w = 2 * math.pi * p.hertz
  local spring = { hertz = p.hertz, damping_ratio = p.damping }
  local s = { world = world, p = p }
  local load
  if p.kind <= 2 then
    load = world:body { position = { 0, -20 }, mass = 2 }
    s.expected = 9.81 / w ^ 2
    if p.kind == 1 then
      spring.target = 20
      s.joint = world:distance(world.ground, load, { anchor_a = { 0, 0 }, distance = { spring = spring } })
    else
      spring.target = 0
      s.joint = world:prismatic(world.ground, load, { axis = { 0, -1 }, spring = spring })
    end
    s.rest = spring.target
  else
    -- Gravity on the load gives a moment about the hinge, constant at small angles.
    load = world:body { position = { ARM, 0 }, mass = 2, inertia = 0.5 }
    world:set_gravity(0, -0.01 * w ^ 2)
    s.expected = 0.01 * 2 * ARM / (0.5 + 2 * ARM ^ 2) -- the moment divided by the stiffness k = I w^2
    spring.target = p.kind == 3 and 0 or nil
    s.joint = p.kind == 3 and world:revolute(world.ground, load, { anchor = { 0, 0 }, spring = spring })
      or world:weld(world.ground, load, { anchor = { 0, 0 }, angle = { spring = { hertz = p.hertz,
        damping_ratio = p.damping, target = 0 } } })
    s.coordinate, s.rest = s.joint:coordinate "angle", 0
  end
  load:circle { radius = 0.1, mask = 0 }
  s.coordinate = s.coordinate or s.joint:coordinate()
  return s
end

function scene.measure(s) return { stretch = math.abs(s.coordinate.value - s.rest) / s.expected } end

function scene.check(s)
  local now = scene.measure(s)
  -- After 4 s, e^-25 or less of the motion remains. The bound is for float rounding of velocities.
  return math.abs(now.stretch - 1) < 1e-3, ("the spring stretched by %.4f of load / stiffness"):format(now.stretch)
end

return scene, {
  vary = { kind = { 1, 2, 3, 4 }, hertz = { 2, 20 }, rate = { 20, 60, 1000 } }, solvers = { "si", "direct" },
}
