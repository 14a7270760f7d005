-- A rod that rotates about a pin stops at a thin post, at any speed, and does not bounce.
-- Source: godot-jolt issue 389 (no continuous collision for rotation), Jolt's documentation on long bodies that rotate
-- fast.
local impel = require "impel"

local scene = {
  title = "Rod against post", about = "A spinning rod stops at a thin post.", duration = 1,
  units = { farthest = "rad", rebound = "rad/s", drive = "rad/s", last = "rad" },
}
-- speed [rad/s]; thick: thickness of the rod [m]; radius: radius of the post [m]
scene.params = { speed = 30.0, thick = 0.02, radius = 0.02 }

local DISTANCE = 0.9 -- distance of the post from the pin [m]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  world:body { type = "static", position = { 0, DISTANCE } }:circle { radius = p.radius }
  local rod = world:body { angular_velocity = p.speed }
  rod:box { 2, p.thick }
  world:revolute(world.ground, rod, { anchor = { 0, 0 } })
  return { world = world, rod = rod, p = p, farthest = 0, rebound = 0, drive = 0 }
end

function scene.update(s)
  local angle, speed = s.rod.angle, s.rod.angular_velocity
  s.farthest = math.max(s.farthest, angle)
  if s.hit then s.steps = s.steps + 1
  elseif speed < 0.5 * s.p.speed then s.hit, s.steps = true, 0 end
  -- An impact may take two steps: the rod reaches the post in the first step and stops in the second.
  if s.hit and s.steps >= 2 then
    s.rebound, s.drive = math.max(s.rebound, -speed), math.max(s.drive, speed)
  end
end

function scene.measure(s)
  return { farthest = s.farthest, rebound = s.rebound, drive = s.drive, last = s.rod.angle }
end

function scene.check(s)
  -- At the contact the rod's axis is radius + thick/2 from the post's centre.
  local right = math.pi / 2 - math.asin((s.p.radius + s.p.thick / 2) / DISTANCE)
  local last, slack = s.rod.angle, 0.01 / DISTANCE -- slack: 1 cm at the post, twice the usual slop
  -- An impact with e = 0 stops the rotation. The bound is 1 % of the initial speed.
  return s.farthest < right + slack, ("the rod turns to %.3f rad, through the post at %.3f"):format(s.farthest, right),
    math.abs(last - right) < 3 * slack,
    ("the rod ends at %.3f rad, not %.3f"):format(last, right), -- the bound is 3 cm at the post
    s.rebound < 0.01 * s.p.speed, ("the rod turns back at %.2f rad/s, from %g rad/s"):format(s.rebound, s.p.speed),
    s.drive < 0.01 * s.p.speed, ("the rod turns on at %.2f rad/s, from %g rad/s"):format(s.drive, s.p.speed)
end

return scene, {
  vary = { speed = { 10, 30, 60, 90, 120, 155 }, thick = { 0.02, 0.1 }, radius = { 0.02, 0.1 } },
  solvers = { "si", "direct" }, peers = true,
}
