-- An elastic ball hits a free chain of hinged rods: momentum, angular momentum and energy are constant.
-- Source: rapier issue 656 (a joint in reduced coordinates ignores the rotational part of an impact), box2d issue 487
-- (angular momentum drifts).
local impel = require "impel"

local scene = {
  title = "Hinged rods hit", about = "An impact on hinged rods conserves momentum and energy.", duration = 4,
  units = { momentum = "N s", angular = "N m s", least = "1", most = "1", gap = "m" },
}
-- at: distance of the impact point from the free end of the first rod [m]; rate: steps per second [Hz]
scene.params = { rods = 2, at = 0.1, rate = 60 }

local SPEED = 5 -- speed of the ball [m/s]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local rods, before = {}, nil
  for i = 1, p.rods do
    local rod = world:body { position = { i - 0.5, 0 } }
    rod:box { 1, 0.1, friction = 0, restitution = 1, restitution_threshold = 0, group = -1 }
    if before then world:revolute(before, rod, { anchor = { i - 1, 0 } }) end
    rods[i], before = rod, rod
  end
  local ball = world:body { position = { p.at, -1 }, velocity = { 0, SPEED } }
  ball:circle { radius = 0.1, density = 20, friction = 0, restitution = 1, restitution_threshold = 0 }
  return { world = world, rods = rods, ball = ball, p = p, momentum = 0, angular = 0, least = 1, most = 1, gap = 0 }
end

function scene.update(s)
  local px, py, angular = s.world:momentum()
  local energy = s.world:energy()
  s.px, s.py, s.l, s.energy = s.px or px, s.py or py, s.l or angular, s.energy or energy
  s.momentum = math.max(s.momentum, math.abs(px - s.px), math.abs(py - s.py))
  s.angular = math.max(s.angular, math.abs(angular - s.l))
  s.least, s.most = math.min(s.least, energy / s.energy), math.max(s.most, energy / s.energy)
  for i = 2, #s.rods do
    local ax, ay = s.rods[i - 1]:world_point(0.5, 0)
    local bx, by = s.rods[i]:world_point(-0.5, 0)
    s.gap = math.max(s.gap, math.sqrt((ax - bx) ^ 2 + (ay - by) ^ 2))
  end
end

function scene.measure(s)
  return { momentum = s.momentum, angular = s.angular, least = s.least, most = s.most, gap = s.gap }
end

function scene.check(s)
  local p = s.ball.mass * SPEED
  -- Internal forces do not change the total momenta. The bounds are 1e-3 of the ball's momentum, and 1e-3 of the moment
  -- of this momentum at an arm of 1 m.
  return s.momentum < 1e-3 * p, ("the momentum changes by %.5f N s, from %.3f"):format(s.momentum, p),
    s.angular < 1e-3 * p,
    ("the angular momentum changes by %.5f N m s; the ball's momentum is %.3f N s"):format(s.angular, p),
    -- The impact conserves energy, because e = 1 and hinges do no work. The bound of 2 % allows for the integration
    -- error of the rotating rods after the impact.
    s.most < 1.02, ("the energy rises to %.4f of its initial value"):format(s.most),
    s.least > 0.98, ("the energy falls to %.4f of its initial value"):format(s.least),
    s.gap < 0.01, ("the ends of two hinged rods are %.4f m apart"):format(s.gap) -- a tenth of the rods' thickness
end

return scene, {
  vary = { rods = { 1, 2, 4 }, at = { 0.1, 0.7 }, rate = { 60, 240 } }, solvers = { "si", "xpbd", "direct", "reduced" },
  peers = true,
}
