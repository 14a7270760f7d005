-- A script sets the angular velocity of a link whose joint has a rotor. The rotor turns with the link, so the joint
-- keeps the new speed.
-- Source: Bullet issue 3242 (a joint state that a script sets does not persist).
local impel = require "impel"

local scene = {
  title = "Speed by a script", about = "Setting a link's speed also sets the speed of its rotor.", duration = 1,
  units = { speed = "rad/s", expected = "rad/s" },
}
scene.params = {
  armature = 5.0, before = 0.0, after = 2.0, through = { false, help = "a second link carries the first link" },
}

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local base = p.through and world:body { mass = 1e3, inertia = 1e9 } or world.ground
  local wheel = world:body { mass = 1, inertia = 0.5, angular_velocity = p.before }
  local joint = world:revolute(base, wheel, { armature = p.armature })
  return { world = world, p = p, wheel = wheel, joint = joint }
end

function scene.update(s)
  if s.world.tick == 30 then
    s.first = s.joint.speed
    s.wheel.angular_velocity = s.p.after
  end
end

function scene.measure(s) return { first = s.first, speed = s.joint.speed, expected = s.p.after } end

function scene.check(s)
  -- No force acts. The bound is for float rounding.
  return math.abs(s.first - s.p.before) < 1e-4,
    ("before the script, the joint turned at %.5f rad/s, not %.5f"):format(s.first, s.p.before),
    math.abs(s.joint.speed - s.p.after) < 1e-4,
    ("the joint turns at %.5f rad/s, %.5f was set"):format(s.joint.speed, s.p.after)
end

return scene, {
  vary = { armature = { 0, 0.1, 5 }, before = { 0, 3 }, after = { 0, -2, 10 }, through = { false, true } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
