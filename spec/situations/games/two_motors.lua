-- A free hub has two arms, and two motors press the arms against each other. Arms and hub do not move.
-- Source: cannon.js issue 228 (above some torque of its motors a mechanism flips).
local impel = require "impel"

local scene = {
  title = "Two motors", about = "Two arms pressed together by motors do not move.", duration = 5,
  units = { speed = "m/s", spin = "rad/s", turn = "rad", crossed = "m", momentum = "N s", angular = "N m s" },
}
-- torque [N m]; round: the arms have round ends if true, and square ends if false
scene.params = { torque = 100.0, round = true }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local hub = world:body {}
  hub:box { 2, 0.4 }
  local arms = {}
  for i, side in ipairs { -1, 1 } do
    local arm = world:body { position = { side * 0.5, 0.2 } }
    if p.round then arm:capsule { from = { 0, 0.15 }, to = { 0, 0.85 }, radius = 0.15 }
    else arm:box { 0.3, 1, center = { 0, 0.5 } } end
    world:revolute(hub, arm, { anchor = { side * 0.5, 0.2 }, motor = { speed = side * 3, max_force = p.torque } })
    arms[i] = arm
  end
  return { world = world, hub = hub, arms = arms, p = p, speed = 0, spin = 0, turn = 0, crossed = -1, momentum = 0,
    angular = 0 }
end

function scene.update(s)
  s.turn = math.max(s.turn, math.abs(s.hub.angle))
  local px, py, angular = s.world:momentum()
  s.momentum, s.angular = math.max(s.momentum, math.sqrt(px ^ 2 + py ^ 2)), math.max(s.angular, math.abs(angular))
  local left, right = s.arms[1]:world_point(0, 0.85), s.arms[2]:world_point(0, 0.85)
  s.crossed = math.max(s.crossed, left - right)
  if s.world.time < 2 then return end
  for _, body in ipairs { s.hub, s.arms[1], s.arms[2] } do
    local vx, vy = body:velocity()
    s.speed, s.spin = math.max(s.speed, math.abs(vx), math.abs(vy)), math.max(s.spin, math.abs(body.angular_velocity))
  end
end

function scene.measure(s)
  return { speed = s.speed, spin = s.spin, turn = s.turn, crossed = s.crossed, momentum = s.momentum,
    angular = s.angular }
end

function scene.check(s)
  -- The forces are internal and symmetric, so the torques of both motors on the hub cancel.
  return s.turn < 0.01, ("the hub turns by %.3f rad"):format(s.turn), -- half a degree, 5 mm at the hub's end
    s.crossed < 0, ("the arms cross by %.3f m"):format(s.crossed),
    s.speed < 1e-2, ("a body moves at %.3f m/s after 2 s"):format(s.speed), -- equilibrium; 1 cm/s is visible
    s.spin < 1e-2, ("a body turns at %.3f rad/s after 2 s"):format(s.spin),
    -- The bounds are about 1 % of an arm's momentum (0.45 N s) and angular momentum (0.3 N m s) at 3 rad/s.
    s.momentum < 4e-3, ("the total momentum is %.4f N s"):format(s.momentum),
    s.angular < 3e-3, ("angular momentum of %.4f N m s"):format(s.angular)
end

return scene, {
  vary = { torque = { 1, 10, 100, 1000, 10000 }, round = { true, false } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
