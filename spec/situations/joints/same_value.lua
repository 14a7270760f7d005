-- Setting a joint's drive, or gravity, to its current value does not keep bodies at rest awake.
-- Source: dyn4j issue 102 (bodies never sleep in games that set their motors in each frame).
local impel = require "impel"

local scene = { title = "Same value", about = "Setting a drive to its current value wakes no body.", duration = 4 }
scene.params = {
  what = { 1, help = "1 motor_speed, 2 max_force, 3 target, 4 set_target, 5 set_limit, 6 gravity, 7 dt, 8 friction" },
}

local MOTOR, SERVO = { motor = { speed = 0, max_force = 10 } }, { servo = { target = 0, max_force = 10 } }
local KINDS = { -- each: { drive of the joint, call before each step }
  { MOTOR, function(s) s.joint.motor_speed = 0 end },
  { MOTOR, function(s) s.joint.max_force = 10 end },
  { SERVO, function(s) s.joint.target = 0 end },
  { SERVO, function(s) s.joint:coordinate():set_target(0) end },
  { { limit = { -1, 1 } }, function(s) s.joint:coordinate():set_limit(-1, 1) end },
  { MOTOR, function(s) s.world:set_gravity(0, -9.81) end },
  { MOTOR, function(s) s.world.dt = 1 / 60 end },
  { MOTOR, function(s) for shape in s.left:shapes() do shape.friction = 0.6 end end },
}

function scene.setup(p)
  local world = impel.world { dt = 1 / 60 }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 } }
  local left, right = world:body { position = { 0, 0.5 } }, world:body { position = { 1.2, 0.5 } }
  left:box { 1, 1 }
  right:box { 1, 1 }
  local options = { anchor = { 0.6, 0.5 } }
  for name, drive in pairs(KINDS[p.what][1]) do options[name] = drive end
  return { world = world, left = left, right = right, joint = world:revolute(left, right, options), p = p }
end

function scene.update(s) KINDS[s.p.what][2](s) end

function scene.measure(s) return { asleep = not s.left.awake and not s.right.awake } end

function scene.check(s)
  return not s.left.awake and not s.right.awake, "two boxes at rest never fall asleep" -- usual: after 0.5 s of rest
end

return scene, { vary = { what = { 1, 2, 3, 4, 5, 6, 7, 8 } }, solvers = { "si" } }
