-- A ball hits a body on a breakable joint. The joint breaks if its impulse in a step exceeds the breaking force times
-- the length of the step. The body flies off with the remaining momentum.
-- Source: avbd-metal pull request 51 (a light fast ball breaks a joint that withstands a heavy ball with six times its
-- momentum); Rapier issue 348 (joints that break by an impact's impulse).
local impel = require "impel"

local scene = {
  title = "Breaks by momentum", about = "A joint breaks if the impulse of a hit exceeds its limit.", duration = 2,
  units = { speed = "m/s", momentum = "kg m/s" },
}
-- speed of the ball [m/s]; part: momentum of the ball divided by the joint's largest impulse in a step; kind: 1 weld, 2
-- slider
scene.params = { speed = 20.0, part = 2.0, kind = 1 }

local MOMENTUM, TARGET = 10, 100 -- momentum of the ball [kg m/s], mass of the target [kg]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local mass = MOMENTUM / p.speed
  local ball = world:body { position = { -2, 0 }, velocity = { p.speed, 0 }, mass = mass, bullet = true }
  ball:circle { radius = 0.2 }
  local target = world:body { mass = TARGET }
  target:box { 0.4, 2 }
  -- The ball does not bounce, so a joint that holds absorbs the ball's whole momentum.
  local joint = world[p.kind == 1 and "weld" or "prismatic"](world, world.ground, target,
    { axis = p.kind ~= 1 and { 0, 1 } or nil, break_force = MOMENTUM * 60 / p.part, anchor = { 0, 0 } })
  return { world = world, p = p, ball = ball, target = target, joint = joint, mass = mass }
end

function scene.measure(s)
  local v, u = s.target:velocity(), s.ball:velocity()
  return { speed = v, momentum = TARGET * v + s.mass * u }
end

function scene.check(s)
  local now = scene.measure(s)
  if s.p.part < 1 then
    return not s.joint.broken, ("the joint broke at %.2f of its strength"):format(s.p.part),
      math.abs(now.speed) < 1e-3, ("the body that is held moves at %.4f m/s"):format(now.speed) -- at rest
  end
  return s.joint.broken, ("the joint does not break at %.2f times its strength"):format(s.p.part),
    -- A breaking joint may absorb an impulse, up to the ball's whole momentum.
    now.momentum > -0.01 and now.momentum < 1.001 * MOMENTUM,
    ("the momentum is %.3f kg m/s, 10 expected"):format(now.momentum)
end

return scene, {
  vary = { speed = { 2, 20, 200 }, part = { 0.3, 0.8, 1.25, 4 }, kind = { 1, 2 } }, solvers = { "si", "direct" },
}
