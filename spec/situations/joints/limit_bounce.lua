-- A wheel stops at the limit of its hinge, because a limit has no restitution.
-- Source: Bullet issue 65 (undefined behaviour at a joint's limit); MuJoCo issue 64 (limits are exceeded).
local impel = require "impel"

local scene = {
  title = "Joint limit", about = "A wheel stops at its joint limit without a rebound.", duration = 3,
  units = { passed = "rad", speed = "rad/s" },
}
scene.params = { speed = 20.0, way = 0.9, radius = 0.5 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local wheel = world:body { angular_velocity = -p.speed }
  wheel:circle { radius = p.radius }
  local joint = world:revolute(world.ground, wheel, { limit = { -p.way, 2 } })
  return { world = world, joint = joint, p = p, passed = 0, speed = 0 }
end

function scene.update(s)
  s.passed = math.max(s.passed, -s.p.way - s.joint.value)
  -- The wheel stops after at most 0.9 s.
  if s.world.time > 2 then s.speed = math.max(s.speed, math.abs(s.joint.speed)) end
end

function scene.measure(s) return { passed = s.passed, speed = s.speed } end

function scene.check(s)
  -- About 1 degree, not visible.
  return s.passed < 0.02, ("the wheel went %.3f rad beyond its limit"):format(s.passed),
    s.speed < 0.01, ("the wheel still turns at %.3g rad/s after 2 s"):format(s.speed) -- at rest
end

return scene, {
  vary = { speed = { 1, 5, 20, 60 }, way = { 0.3, 0.9 } }, solvers = { "si", "xpbd", "direct", "reduced" },
  peers = true,
}
