-- With linear damping c the horizontal speed of a body decreases as e^(-c t), and its falling speed approaches g/c.
-- Source: box2d pull request 713 (a damping that depends on dt), newton-dynamics issue 265, avian issues 633 and 818.
local impel = require "impel"

local scene = {
  title = "Damped glide", about = "Linear damping c slows a body as e^(-c t).", duration = 3,
  units = { error = "m/s", backward = "m/s", fall = "m/s", distance = "m" },
}
scene.params = { damping = 5.0, rate = 60 } -- damping coefficient [1/s], rate [Hz]

local SPEED = 10 -- initial speed [m/s]

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local body = world:body { velocity = { SPEED, 0 }, linear_damping = p.damping }
  body:box { 1, 1 }
  return { world = world, body = body, p = p, error = 0, backward = 0 }
end

function scene.update(s)
  local vx = s.body:velocity()
  s.error = math.max(s.error, math.abs(vx - SPEED * math.exp(-s.p.damping * s.world.time)))
  s.backward = math.max(s.backward, -vx)
end

function scene.measure(s)
  local _, vy = s.body:velocity()
  return { error = s.error, backward = s.backward, fall = -vy, distance = s.body:position() }
end

function scene.check(s)
  local now, c = scene.measure(s), s.p.damping
  local decay = 1 - math.exp(-c * s.world.time)
  local fall, distance = 9.81 / c * decay, SPEED / c * decay
  -- 2 % of the initial speed.
  return now.error < 0.02 * SPEED,
    ("the speed differs from v0 e^(-c t) by %.3f m/s"):format(now.error),
    now.backward <= 0, ("the body goes back at %.3f m/s"):format(now.backward), -- damping never reverses a body
    math.abs(now.fall / fall - 1) < 0.01, ("the body falls at %.4f m/s, not %.4f"):format(now.fall, fall), -- 1 %
    -- 1 %, plus dt / (1 s) for the error of a first-order scheme.
    math.abs(now.distance / distance - 1) < 0.01 + 1 / s.p.rate,
    ("the body glides %.4f m, not %.4f"):format(now.distance, distance)
end

return scene, { vary = { damping = { 0.5, 5, 30, 100 }, rate = { 30, 60, 240 } }, solvers = { "si", "direct" } }
