-- A joint has a passive spring and a motor. Both act, whichever is created first. An engine may reject the second one,
-- but must keep the first.
-- Source: Rapier issue 905 (a spring and a motor on one axis).
local impel = require "impel"

local scene = {
  title = "Spring and motor", about = "A motor and a spring act on the same joint.", duration = 5,
  units = { angle = "rad", expected = "rad" },
}
scene.params = { spring_first = true, stiffness = 20.0, rotor = 0.1 }

local TORQUE = 10 -- stall torque of the motor at the joint [N m]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local arm = world:body { inertia = 1, mass = 1 }
  local joint = world:revolute(world.ground, arm, {})
  local s = { world = world, joint = joint, expected = TORQUE / p.stiffness }
  local function add_spring() joint:coordinate():set_spring { stiffness = p.stiffness, damping = 5, target = 0 } end
  local function add_motor()
    impel.motor(joint, { stall_torque = TORQUE, no_load_speed = 10, rotor_inertia = p.rotor, command = 1 })
  end
  if p.spring_first then add_spring() else add_motor() end
  local added, message = pcall(p.spring_first and add_motor or add_spring)
  s.refused = not added and tostring(message):find "spring" ~= nil -- the error message names the spring
  return s
end

function scene.measure(s) return { angle = s.joint.value, expected = s.expected, refused = s.refused } end

function scene.check(s)
  -- At rest k q = T, with the stiffness k and the torque T. The slowest mode has decayed to e^-10.
  return s.refused or math.abs(s.joint.value - s.expected) < 0.01 * s.expected,
    ("the joint rests at %.3f rad; the spring balances the motor at %.3f"):format(s.joint.value, s.expected)
end

return scene, {
  vary = { spring_first = { false, true }, stiffness = { 20, 50 }, rotor = { 0, 0.1 } }, solvers = { "reduced" },
}
