-- Two loads on one rope over two wheels have the acceleration and rope tension of Atwood's machine.
-- Source: MuJoCo issue 1869 (wrong accelerations of a system of pulleys); Box2D issue 530 (a load on a pulley stops
-- halfway); textbook, Atwood's machine.
local impel = require "impel"

local scene = {
  title = "Pulley at any ratio", about = "Two loads on a pulley accelerate as Atwood's machine.", duration = 0.5,
  units = { error = "of the acceleration", tension = "of the tension", stretch = "m" },
}
-- ratio: mass of load a divided by that of load b; tackle: number of rope parts from which b hangs; rate: steps per
-- second
scene.params = { ratio = 10.0, tackle = 2.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { dt = 1 / p.rate, sleep = false }
  local a, b = world:body { position = { -1, -8 }, mass = p.ratio }, world:body { position = { 1, -8 }, mass = 1 }
  a:box { 0.5, 0.5 }
  b:box { 0.5, 0.5 }
  local rope = world:pulley(a, b, { ground_a = { -1, 0 }, ground_b = { 1, 0 }, ratio = p.tackle })
  -- Downwards is positive, and T is the tension. m_a a = m_a g - T, and -m_b a / tackle = m_b g - tackle T.
  local a_down = 9.81 * (p.ratio - 1 / p.tackle) / (p.ratio + 1 / p.tackle ^ 2)
  return { world = world, p = p, a = a, rope = rope, length = rope.value, stretch = 0, a_down = a_down,
    bears = p.ratio * (9.81 - a_down) }
end

function scene.update(s) s.stretch = math.max(s.stretch, math.abs(s.rope.value - s.length)) end

function scene.measure(s)
  local _, v = s.a:velocity()
  return { error = math.abs(-v / s.world.time / s.a_down - 1), tension = -s.rope.force / s.bears, stretch = s.stretch }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The acceleration is constant. The bound is for float rounding, 1e-7 times the ratio of 1000.
  return now.error < 1e-3, ("the loads' acceleration is off by %.3g"):format(now.error),
    math.abs(now.tension - 1) < 0.01,
    ("the rope's tension is %.4f times the expected one"):format(now.tension), -- a display needs an accuracy of 1 %
    now.stretch < 0.5 * 9.81 / s.p.rate ^ 2, -- distance of a free fall in the first step
    ("the rope stretched by %.2f mm"):format(1e3 * now.stretch)
end

return scene, {
  vary = { ratio = { 0.01, 2, 1000 }, tackle = { 1, 4 }, rate = { 30, 60, 240 } }, solvers = { "si", "direct" },
}
