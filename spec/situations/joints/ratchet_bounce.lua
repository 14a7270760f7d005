-- A shaft with a ratchet is turned back and stops at the last tooth, because a pawl has no restitution.
-- Source: textbook, a pawl; Bullet issue 65 (undefined behaviour at a joint's limit).
local impel = require "impel"

local scene = {
  title = "Ratchet", about = "A ratchet stops a shaft at a tooth without a rebound.", duration = 3,
  units = { passed = "rad", speed = "rad/s" },
}
scene.params = { back = 20.0, pitch = 0.1, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local shaft = world:body { angular_velocity = 5.03 }
  shaft:circle { radius = 0.5 }
  local joint = world:ratchet(world.ground, shaft, { pitch = p.pitch })
  return { world = world, shaft = shaft, joint = joint, p = p, passed = 0, speed = 0 }
end

function scene.update(s)
  if s.world.time < 0.5 then return end
  if not s.tooth then
    s.tooth = math.floor(s.joint.value / s.p.pitch) * s.p.pitch -- the last tooth that the shaft has passed
    s.shaft.angular_velocity = -s.p.back
  end
  s.passed = math.max(s.passed, s.tooth - s.joint.value)
  if s.world.time > 1 then s.speed = math.max(s.speed, math.abs(s.joint.speed)) end
end

function scene.measure(s) return { passed = s.passed, speed = s.speed } end

function scene.check(s)
  -- A fifth of the distance between teeth.
  return s.passed < 0.2 * s.p.pitch,
    ("the shaft went %.3f rad beyond its tooth, teeth are %.2f apart"):format(s.passed, s.p.pitch),
    s.speed < 0.01, ("the shaft still turns at %.3g rad/s 0.5 s after its reversal"):format(s.speed) -- at rest
end

return scene, {
  vary = { back = { 1, 5, 20, 60 }, pitch = { 0.1, 0.5 } }, solvers = { "si", "direct", "reduced" },
}
