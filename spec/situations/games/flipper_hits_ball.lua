-- A flipper with the angular velocity w hits a ball at rest. The ball leaves at (1 + e) w s along the flipper's normal,
-- where s is the distance of the contact from the axis, measured along the flipper.
-- Source: box2d issues 46, 62 and 117 (balls hit by kinematic bodies), Box2D's pinball sample, godot-proposals 2332.
local impel = require "impel"

local scene = {
  title = "Flipper hits ball", duration = 0.5,
  about = "A ball at rest leaves a flipper at 1 + e times the speed of the contact point.",
  units = { speed = "m/s", direction = "rad" },
}
-- speed [rad/s]; reach: distance from the flipper's axis to the ball [m]
scene.params = { speed = 20.0, restitution = 1.0, reach = 1.0 }

local LENGTH, THICK, RADIUS, START = 1.5, 0.2, 0.15, -0.8 -- sizes [m]; START: initial angle [rad]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 } }
  local flipper = world:body { type = "kinematic", angle = START, angular_velocity = p.speed }
  flipper:box { LENGTH, THICK, center = { LENGTH / 2, 0 }, friction = 0, restitution = p.restitution,
    restitution_threshold = 0 }
  local ball = world:body { position = { p.reach, 0 }, bullet = true }
  ball:circle { radius = RADIUS, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  return { world = world, ball = ball, p = p, speed = 0 }
end

function scene.update(s)
  local vx, vy = s.ball:velocity()
  if s.hit or (vx == 0 and vy == 0) then return end
  s.hit, s.speed, s.direction = true, math.sqrt(vx ^ 2 + vy ^ 2), math.atan(vy, vx)
end

function scene.measure(s) return { speed = s.speed, direction = s.direction or 0 } end

function scene.check(s)
  -- At the contact the ball's centre is at the distance RADIUS + THICK/2 from the flipper's middle line. The distance
  -- from the axis to the contact along this line is s = sqrt(reach^2 - off^2).
  local off, reach = RADIUS + THICK / 2, s.p.reach
  local along, angle = math.sqrt(reach ^ 2 - off ^ 2), math.pi / 2 - math.asin(off / reach)
  local right = (1 + s.p.restitution) * s.p.speed * along
  -- A contact may be detected 1 cm early or late (slop of 5 mm and a margin), which rotates the normal by 1 cm / off.
  local slack = 0.01 / off
  return s.speed > 0, "the flipper passes the ball",
    math.abs(s.speed / right - 1) < slack / 2, ("the ball leaves at %.3f m/s, not %.3f"):format(s.speed, right),
    math.abs((s.direction or 0) - angle) < slack,
    ("the ball leaves at %.3f rad, not %.3f"):format(s.direction or 0, angle)
end

return scene, {
  vary = { speed = { 2, 10, 30, 60 }, restitution = { 0.5, 1 }, reach = { 0.6, 1, 1.3 } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
