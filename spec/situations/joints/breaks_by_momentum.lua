-- A ball that hits a body on a breakable joint breaks it if the impulse in a step is above the breaking force times the
-- step, be the ball light and fast or heavy and slow; and the body flies off with what the impulse leaves.
-- Source: avbd-metal pull request 51, a light fast ball that breaks what a heavy one of six times its momentum does
-- not; Rapier issue 348, joints that break by the impulse of a hit.
local impel = require "impel"

local scene = {
  title = "Breaks by momentum", about = "A hit breaks by its momentum.", duration = 2,
  units = { speed = "m/s", momentum = "kg m/s" },
}
-- speed of the ball; part: its impulse to what the joint bears in a step; kind of the joint
scene.params = { speed = 20.0, part = 2.0, kind = 1 }

local MOMENTUM, TARGET = 10, 100 -- [kg m/s] of the ball, [kg] of the body that it hits

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local mass = MOMENTUM / p.speed
  local ball = world:body { position = { -2, 0 }, velocity = { p.speed, 0 }, mass = mass, bullet = true }
  ball:circle { radius = 0.2 }
  local target = world:body { mass = TARGET }
  target:box { 0.4, 2 }
  -- The ball stays at the target, whose joint takes it all if it holds: the impulse is the ball's momentum.
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
    return not s.joint.broken, ("it broke at %.2f of what it bears"):format(s.p.part),
      math.abs(now.speed) < 1e-3, ("the body that is held moves at %.4f m/s"):format(now.speed) -- held: at rest
  end
  return s.joint.broken, ("it holds %.2f times what it bears"):format(s.p.part),
    -- It takes away what it takes in the step in which it breaks: all of the ball's momentum at most, and never more.
    now.momentum > -0.01 and now.momentum < 1.001 * MOMENTUM, ("%.3f kg m/s are left of 10"):format(now.momentum)
end

return scene, {
  vary = { speed = { 2, 20, 200 }, part = { 0.3, 0.8, 1.25, 4 }, kind = { 1, 2 } }, solvers = { "si", "direct" },
}
