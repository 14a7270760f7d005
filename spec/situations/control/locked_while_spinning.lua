-- Two free wheels turn against each other on a geared joint. A lock on the joint brings both wheels to the speed at
-- which their total angular momentum is conserved. After unlocking, both wheels keep this speed.
-- Source: AirSim issue 2737 (momentum of rotors); textbook, the clutch; Featherstone (2008), 9.6, on rotors.
local impel = require "impel"

local scene = {
  title = "Locked while spinning", about = "A lock stops a spinning joint and its rotor.", duration = 1.5,
  units = { first = "rad/s", second = "rad/s", expected = "rad/s", lost = "J", right = "J" },
}
scene.params = { armature = 2.0, inertia = 1.0, rate = 60.0 }

local FIRST, SECOND = 4, -2 -- initial speeds of the two wheels [rad/s]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local a = world:body { mass = 1, inertia = 1, angular_velocity = FIRST }
  local b = world:body { mass = 1, inertia = p.inertia, angular_velocity = SECOND }
  local joint = world:revolute(a, b, { armature = p.armature })
  local reduced = p.inertia / (1 + p.inertia)
  return { world = world, p = p, a = a, b = b, joint = joint,
    expected = (FIRST + p.inertia * SECOND) / (1 + p.inertia),
    right = (reduced + p.armature) * (SECOND - FIRST) ^ 2 / 2 }
end

function scene.update(s)
  local t = s.world.time
  if not s.locked and t > 0.5 - 1e-9 then
    s.locked, s.before = true, s.world:energy()
    s.joint:coordinate():set_lock()
  elseif s.locked and not s.free and t > 1 - 1e-9 then
    s.free, s.lost = true, s.before - s.world:energy()
    s.held_a, s.held_b = s.a.angular_velocity, s.b.angular_velocity
    s.joint:coordinate():set_lock(false)
  end
end

function scene.measure(s)
  return { first = s.a.angular_velocity, second = s.b.angular_velocity, expected = s.expected, lost = s.lost,
    right = s.right }
end

function scene.check(s)
  -- Float rounding and the error of the lock.
  local function near(w) return math.abs(w - s.expected) < 1e-3 * FIRST end
  return near(s.held_a) and near(s.held_b),
    ("locked, the wheels turn at %.5f and %.5f rad/s, %.5f expected"):format(s.held_a, s.held_b, s.expected),
    near(s.a.angular_velocity) and near(s.b.angular_velocity),
    ("unlocked, the wheels turn at %.5f and %.5f rad/s, %.5f expected"):format(s.a.angular_velocity,
      s.b.angular_velocity, s.expected),
    math.abs(s.lost - s.right) < 2e-3 * s.right, ("the lock took %.5g J, %.5g expected"):format(s.lost, s.right)
end

return scene, {
  vary = { armature = { 0, 0.1, 20 }, inertia = { 0.01, 1, 50 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
