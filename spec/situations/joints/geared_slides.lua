-- A gear couples two sliders: one moves down while the second moves up. The acceleration follows from both masses. The
-- gear keeps the ratio of the travels.
-- Source: planck.js issue 45 (a gear between two slides, or with a slide as its second joint, does not work).
local impel = require "impel"

local scene = {
  title = "Geared slides", about = "Two slides coupled by a gear accelerate as calculated.", duration = 2,
  units = { error = "of g", slip = "m" },
}
-- ratio: mass of the first slider / mass of the second slider; gear: travel of the first slider / travel of the second
-- slider; wheel: whether a wheel is between the sliders
scene.params = { ratio = 10.0, gear = 2.0, wheel = false }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local function slide(x, mass)
    local body = world:body { position = { x, 0 }, mass = mass }
    body:box { 0.5, 0.5, mask = 0 }
    return world:prismatic(world.ground, body, { axis = { 0, 1 } })
  end
  local s = { world = world, p = p, a = slide(-1, p.ratio), b = slide(1, 1), slip = 0 }
  local inertia = 0
  if p.wheel then -- slider a turns the wheel, one metre per radian, and the wheel moves slider b
    local wheel = world:body { mass = 1, inertia = 0.5 }
    wheel:circle { radius = 0.3, mask = 0 }
    local hinge = world:revolute(world.ground, wheel, {})
    world:gear { joint1 = hinge, joint2 = s.a, ratio = -1 }
    world:gear { joint1 = hinge, joint2 = s.b, ratio = p.gear }
    inertia = 0.5
  else
    world:gear { joint1 = s.a, joint2 = s.b, ratio = p.gear }
  end
  -- y_a + gear y_b is constant. The acceleration a of the first slider follows from (m_a + J + m_b / gear^2) a = -(m_a
  -- - m_b / gear) g, with the wheel's inertia J.
  s.expected = -9.81 * (p.ratio - 1 / p.gear) / (p.ratio + inertia + 1 / p.gear ^ 2)
  return s
end

function scene.update(s) s.slip = math.max(s.slip, math.abs(s.a.value + s.p.gear * s.b.value)) end

function scene.measure(s)
  return { error = math.abs(s.a.speed / s.world.time - s.expected) / 9.81, slip = s.slip }
end

function scene.check(s)
  local now = scene.measure(s)
  return now.error < 1e-3, ("the acceleration is off by %.3g of g"):format(now.error), -- rounding: it is constant
    -- A gear may be out by the distance that both sliders fall freely in the first step. With the wheel there are two
    -- gears.
    now.slip < (s.p.wheel and 2 or 1) * 0.5 * 9.81 / 60 ^ 2 * (1 + s.p.gear),
    ("the slides are out of step by %.2f mm"):format(1e3 * now.slip)
end

return scene, {
  vary = { ratio = { 0.01, 1, 1000 }, gear = { 0.5, 4 }, wheel = { false, true } }, solvers = { "si", "direct" },
}
