-- Light and heavy discs that bounce in a box without gravity never gain energy, and lose none if all collisions are
-- elastic.
-- Source: godot issue 29639 (the speeds of 20 balls grow over 15 minutes, then a ball is lost), matter.js issue 21.
local impel = require "impel"

local scene = {
  title = "Gas of unequal discs", about = "Light and heavy discs never gain energy.", duration = 15,
  units = { least = "1", gain = "1", farthest = "m" },
}
-- ratio: mass of a heavy disc divided by that of a light one; one disc in three is heavy.
scene.params = { count = 40, ratio = 100.0, restitution = 1.0, gas_seed = 1 }

local HALF, RADIUS = 5, 0.3 -- half the box's side, radius of a disc [m]

function scene.setup(p)
  local world, random = impel.world { gravity = { 0, 0 }, sleep = false }, impel.rng.new(p.gas_seed)
  local room, discs = world:body { type = "static" }, {}
  local function surface(options)
    options.friction, options.restitution, options.restitution_threshold = 0, p.restitution, 0
    return options
  end
  for side = -1, 1, 2 do
    room:box(surface { 1, 2 * HALF + 2, center = { side * (HALF + 0.5), 0 } })
    room:box(surface { 2 * HALF + 2, 1, center = { 0, side * (HALF + 0.5) } })
  end
  for i = 0, p.count - 1 do
    local disc = world:body {
      position = { i % 9 - 4, i // 9 - 4 }, velocity = { 8 * random:random() - 4, 8 * random:random() - 4 },
    }
    disc:circle(surface { radius = RADIUS, density = i % 3 == 0 and p.ratio or 1 })
    discs[i + 1] = disc
  end
  return { world = world, discs = discs, p = p, farthest = 0, gain = 0 }
end

function scene.update(s)
  local energy = s.world:energy()
  s.start, s.least = s.start or energy, math.min(s.least or energy, energy)
  s.gain = math.max(s.gain, (energy - s.least) / s.start)
  for _, disc in ipairs(s.discs) do
    local x, y = disc:position()
    s.farthest = math.max(s.farthest, math.abs(x), math.abs(y))
    -- The check has already failed. Very fast discs take long to simulate.
    if s.gain > 1 then disc:set_velocity(0, 0) end
  end
end

function scene.measure(s) return { least = s.least / s.start, gain = s.gain, farthest = s.farthest } end

function scene.check(s)
  -- Impacts do not add energy. Rounding changes the energy by a fraction of 1e-6; 1 % is not visible.
  return s.gain < 0.01, ("the energy rises by %.3f of its initial value"):format(s.gain),
    s.p.restitution < 1 or s.least > 0.99 * s.start,
    ("the energy falls to %.3f of its initial value"):format(s.least / s.start),
    s.farthest < HALF, ("a disc's centre is at %.2f m, outside the wall at %g m"):format(s.farthest, HALF)
end

return scene, {
  vary = { count = { 5, 20, 40 }, ratio = { 10, 100 }, restitution = { 0.9, 1 } },
  solvers = { "si", "direct" }, peers = true,
}
