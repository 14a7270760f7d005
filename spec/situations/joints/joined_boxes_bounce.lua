-- A row of boxes joined by welds or hinges lands flat and bounces at e times its impact speed, without rotation.
-- Source: godot-jolt issue 392 (a joint suppresses the bounce of its body), defold examples pull request 219 (welded
-- blocks of restitution 1 lose energy), matter-js issue 742 (compound bodies do not bounce).
local impel = require "impel"

local SIZE, SPEED = 0.5, 3

local scene = {
  title = "Joined boxes bounce", about = "A row of joined boxes bounces like one box.", duration = 0.8,
  units = { slowest = "m/s", fastest = "m/s", turning = "rad/s" },
}
scene.params = {
  count = 3, restitution = 1.0, joint = { 1, help = "1 weld, 2 hinge, 3 one body of boxes" }, ratio = 1.0,
}

-- ratio: mass of every second box divided by that of the boxes beside it
function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local surface = { restitution = p.restitution, restitution_threshold = 0, friction = 0 }
  surface[1], surface[2], surface.center = 40, 1, { 0, -0.5 }
  world:body { type = "static" }:box(surface)
  surface[1], surface[2], surface.center = SIZE, SIZE, nil
  -- At this height the impact is after 0.51 s, between two steps.
  local s, height = { world = world, boxes = {}, p = p }, SIZE / 2 + 0.51 * SPEED
  for i = 1, p.count do
    local x, density = SIZE * (i - (p.count + 1) / 2), i % 2 == 0 and p.ratio or 1
    surface.density = density
    if p.joint == 3 then
      surface.center = { x, 0 }
      s.boxes[1] = s.boxes[1] or world:body { position = { 0, height } }
      s.boxes[1]:box(surface)
    else
      s.boxes[i] = world:body { position = { x, height } }
      s.boxes[i]:box(surface)
      local join = p.joint == 1 and world.weld or world.revolute
      if i > 1 then join(world, s.boxes[i - 1], s.boxes[i], { anchor = { x - SIZE / 2, height } }) end
    end
  end
  for _, box in ipairs(s.boxes) do box:set_velocity(0, -SPEED) end
  return s
end

function scene.measure(s)
  local now = { slowest = math.huge, fastest = -math.huge, turning = 0 }
  for _, box in ipairs(s.boxes) do
    local _, vy = box:velocity()
    now.slowest, now.fastest = math.min(now.slowest, vy), math.max(now.fastest, vy)
    now.turning = math.max(now.turning, math.abs(box.angular_velocity))
  end
  return now
end

function scene.check(s)
  local now, right = scene.measure(s), s.p.restitution * SPEED
  -- Newton's rule holds at all contact points, so no box rotates. The bound of 1 % is for soft contacts and joints.
  return now.slowest > right - 0.01 * SPEED, ("a box rises at only %.3f m/s, not %.3f"):format(now.slowest, right),
    now.fastest < right + 0.01 * SPEED, ("a box rises at %.3f m/s, not %.3f"):format(now.fastest, right),
    -- The rotation moves the box's corners up or down at this speed.
    now.turning * SIZE / 2 < 0.01 * SPEED, ("a box turns at %.3f rad/s"):format(now.turning)
end

return scene, {
  vary = { count = { 2, 5 }, restitution = { 0.5, 1 }, joint = { 1, 2, 3 }, ratio = { 1, 10 } },
  solvers = { "si", "direct" }, peers = true,
}
