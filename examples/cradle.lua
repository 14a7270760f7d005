-- Newton's cradle without strings: balls in a row, hit at one end.
local impel = require "impel"

local scene = {
  title = "Cradle",
  about = "As many balls leave as came in, and at the same speed: for elastic impacts that happen one after another, "
    .. "conservation of momentum and energy allows nothing else. The solver passes an impact on from contact to "
    .. "contact, so this works even if the balls touch (--set gap=0).",
  duration = 3, -- [s]
  view = { x = 0.2, y = 0, height = 2.8 },
}

scene.params = {
  count = { 5, integer = true, min = 2, max = 20, help = "number of balls" },
  strikers = { 1, integer = true, min = 1, max = 19, help = "number of balls that come in" },
  gap = { 0.02, min = 0, max = 0.2, help = "gap between the balls [m]" },
  restitution = { 1, min = 0, max = 1, help = "coefficient of restitution of the balls" },
}

local RADIUS, SPEED = 0.25, 2 -- [m], [m/s]

function scene.setup(p, seed)
  -- Without gravity the balls need no floor.
  local world = impel.world { seed = seed, gravity = { 0, 0 }, dt = 1 / 240 }
  local pitch = 2 * RADIUS + p.gap
  local balls = {}
  for i = 1, p.count do
    local comes = i <= p.strikers
    local x = (i - (p.count + 1) / 2) * pitch - (comes and 1 or 0) -- strikers start 1 m to the left
    balls[i] = world:body { position = { x, 0 }, velocity = { comes and SPEED or 0, 0 } }
    balls[i]:circle { radius = RADIUS, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  end
  local momentum = world:momentum()
  return { world = world, balls = balls, strikers = p.strikers, momentum = momentum, energy = (world:energy()) }
end

function scene.measure(s)
  local row = { momentum = (s.world:momentum()), energy = (s.world:energy()) }
  for i, ball in ipairs(s.balls) do row[("v%02d"):format(i)] = (ball:velocity()) end
  return row
end

function scene.check(s)
  local n = #s.balls
  local worst, which = 0, 1
  for i, ball in ipairs(s.balls) do
    local expected = i > n - s.strikers and SPEED or 0
    local error = math.abs(ball:velocity() - expected)
    if error > worst then worst, which = error, i end
  end
  local momentum, energy = s.world:momentum() / s.momentum, s.world:energy() / s.energy
  return worst < 1e-3 * SPEED,
    ("the speed of ball %d is off by %.4f m/s; the last %d balls should move at %g m/s, the other balls should "
      .. "rest"):format(which, worst,
      s.strikers, SPEED),
    math.abs(momentum - 1) < 1e-5, ("the final momentum is %.6f times the initial momentum, 1 "
      .. "expected"):format(momentum),
    math.abs(energy - 1) < 1e-5, ("the final energy is %.6f times the initial energy, 1 expected"):format(energy)
end

return scene
