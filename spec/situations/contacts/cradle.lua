-- One or more discs hit one end of a row of touching discs, without gravity. The same number of discs leave at the
-- opposite end, at the same speed. All remaining discs stay at rest.
-- Source: textbook, Newton's cradle; matter-js issue 361 and edyn pull request 49 (cradles with a wrong outcome).
local impel = require "impel"

local SPEED, RADIUS = 2, 0.25 -- RADIUS: a power of two, so touching discs have exact positions

local scene = {
  title = "Free cradle", about = "The number of discs that leave equals the number that arrive.", duration = 2,
  units = { leaving = "discs", worst = "m/s", energy = "of the initial value", momentum = "of the initial value" },
}
scene.params = { touching = 5, hitting = 1 } -- number of touching discs; number of arriving discs

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local s = { world = world, discs = {}, p = p }
  for i = 1, p.hitting + p.touching do
    local comes = i <= p.hitting
    -- Arriving discs start 1.03 m away, so the impact is between two steps.
    local disc = world:body {
      position = { 2 * RADIUS * i - (comes and 1.03 or 0), 0 }, velocity = { comes and SPEED or 0, 0 },
    }
    disc:circle { radius = RADIUS, restitution = 1, friction = 0, restitution_threshold = 0 }
    s.discs[i] = disc
  end
  s.energy, s.momentum = world:energy(), (world:momentum())
  return s
end

function scene.measure(s)
  local leaving, worst = 0, 0
  for i, disc in ipairs(s.discs) do
    local vx, vy = disc:velocity()
    local right = i > s.p.touching and SPEED or 0
    if vx > SPEED / 2 then leaving = leaving + 1 end
    worst = math.max(worst, math.abs(vx - right), math.abs(vy))
  end
  return {
    leaving = leaving, worst = worst, energy = s.world:energy() / s.energy, momentum = s.world:momentum() / s.momentum,
  }
end

function scene.check(s)
  local now = scene.measure(s)
  -- Discs of equal mass exchange their speeds. The bound of 1 % allows for soft contacts.
  return math.abs(now.energy - 1) < 0.01, ("%.3f of the energy is left"):format(now.energy),
    -- float rounding
    math.abs(now.momentum - 1) < 1e-4, ("%.5f of the momentum is left"):format(now.momentum),
    now.leaving == s.p.hitting, ("%d discs leave, not %d"):format(now.leaving, s.p.hitting),
    now.worst < 0.01 * SPEED, ("a speed is wrong by %.3f m/s"):format(now.worst)
end

return scene, {
  vary = { touching = { 2, 3, 5, 7 }, hitting = { 1, 2 } }, solvers = { "si", "direct" }, peers = true,
}
