-- A ball bounces at steps of up to a second. With restitution 1 the ball keeps its energy, otherwise the ball comes to
-- rest.
-- Source: godot issue 2092, box2d issue 454 (balls bounce higher at a low frame rate).
local impel = require "impel"

local scene = {
  title = "Coarse bounces", about = "A ball gains no height by bouncing at steps of up to 1 s.", duration = 60,
  units = { most = "1", last = "1" },
}
scene.params = { dt = 0.2, restitution = 0.5, height = 5.0 }

function scene.setup(p)
  local world = impel.world { dt = p.dt }
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 }, friction = 0 }
  local ball = world:body { position = { 0, 0.3 + p.height } }
  ball:circle { radius = 0.3, restitution = p.restitution, friction = 0 }
  return { world = world, ball = ball, p = p, most = 0, last = 1 }
end

function scene.update(s)
  local _, y = s.ball:position()
  local _, vy = s.ball:velocity()
  s.last = (9.81 * (y - 0.3) + vy * vy / 2) / (9.81 * s.p.height)
  s.most = math.max(s.most, s.last)
end

function scene.measure(s) return { most = s.most, last = s.last } end

function scene.check(s)
  -- In symplectic Euler the energy oscillates by m v g h / 2.
  local speed, flight = math.sqrt(2 * 9.81 * s.p.height), 2 * math.sqrt(2 * s.p.height / 9.81)
  local h = s.p.dt / math.ceil(s.p.dt * 30 - 1e-9) / (s.world.solver == "soft" and 4 or 1)
  local swing = 0.01 + speed * h / (2 * s.p.height)
  local lasts = s.p.restitution == 1 and flight > s.p.dt -- a flight that lasts less than a step is not visible
  return s.most < 1 + swing, ("the energy rises to %.2f of its initial value"):format(s.most),
    not lasts or s.last > 1 - 2 * swing, ("the energy falls to %.3f of its initial value"):format(s.last),
    -- Slop of 5 mm, plus 1 mm for the weight.
    s.p.restitution == 1 or math.abs(s.last) < 0.006 / s.p.height,
    ("the ball has %.3f of its energy after a minute"):format(s.last)
end

return scene, {
  vary = { dt = { 1 / 60, 0.1, 0.2, 0.3, 0.5, 0.75, 1.0 }, restitution = { 0, 0.5, 0.8, 1 }, height = { 1, 5, 20 } },
  solvers = { "si", "direct" },
}
