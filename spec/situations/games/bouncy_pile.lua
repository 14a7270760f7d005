-- Two equal piles of discs fall into two pits. The pile with more restitution has more kinetic energy on average, and
-- both piles come to rest.
-- Source: matter.js issue 667 (endless jitter above e = 0.6), godot issues 25186 and 53391 (small bounces never end),
-- PhysX issue 351 (the last bounce is cut off).
local impel = require "impel"

local scene = {
  title = "Bouncy pile", about = "A pile with more restitution keeps its energy for longer.", duration = 16,
  units = { dull = "J", bouncy = "J", last = "J", gain = "J" },
}
-- restitution of the bouncy pile; DULL: restitution of the second pile
scene.params = { restitution = 0.8, columns = 5, pile_seed = 1 }

local RADIUS, ROWS, DULL = 0.4, 8, 0.3

function scene.setup(p)
  local world, random, piles = impel.world { sleep = false }, impel.rng.new(p.pile_seed), { {}, {} }
  for i, e in ipairs { DULL, p.restitution } do -- pits 6.5 m wide
    local pit = world:body { type = "static", position = { i == 1 and -10.25 or 10.25, 0 } }
    pit:box { 8.5, 1, center = { 0, -0.5 }, restitution = e }
    for side = -1, 1, 2 do pit:box { 1, 20, center = { side * 3.75, 10 }, restitution = e } end
  end
  for row = 1, ROWS do
    for column = 1, p.columns do
      local x = -10.25 + 1.1 * (column - (p.columns + 1) / 2) + 0.1 * random:random()
      for i = 1, 2 do
        local disc = world:body { position = { i == 1 and x or x + 20.5, 1.1 * row } }
        disc:circle { radius = RADIUS, restitution = i == 1 and DULL or p.restitution }
        piles[i][#piles[i] + 1] = disc
      end
    end
  end
  return { world = world, piles = piles, dull = 0, bouncy = 0, steps = 0, last = 0, gain = 0 }
end

function scene.update(s)
  local kinetic, potential = s.world:energy()
  s.least = math.min(s.least or math.huge, kinetic + potential)
  s.start, s.gain = s.start or kinetic + potential, math.max(s.gain, kinetic + potential - s.least)
  local time = s.world.time
  if time > 0.5 and time < 2.5 then -- from the first impacts until the piles are nearly at rest
    s.steps = s.steps + 1
    for i, name in ipairs { "dull", "bouncy" } do
      for _, disc in ipairs(s.piles[i]) do s[name] = s[name] + disc:kinetic_energy() end
    end
  end
  if time > 15 then s.last = math.max(s.last, kinetic) end
end

function scene.measure(s)
  return { dull = s.dull / s.steps, bouncy = s.bouncy / s.steps, last = s.last, gain = s.gain }
end

function scene.check(s)
  -- After an impact, two discs keep e^2 of the energy of approach. The factor of 1.1 allows for chance.
  local now = scene.measure(s)
  return now.bouncy > 1.1 * now.dull,
    ("mean kinetic energy: %.2f J with more restitution, %.2f with less restitution"):format(now.bouncy, now.dull),
    -- From the mean height, a single disc bounces for (1 + e)/(1 - e) sqrt(2 h/g) < 15 s. 0.1 J is the kinetic energy
    -- of a disc that rolls at 0.5 m/s.
    s.last < 0.1, ("the piles' kinetic energy is still %.3f J after 15 s"):format(s.last),
    -- Neither impacts nor friction increase the energy.
    s.gain < 0.01 * s.start, ("the energy rises by %.2f J"):format(s.gain)
end

return scene, { vary = { restitution = { 0.7, 0.8 }, pile_seed = { 1, 2, 3 } }, solvers = { "si" }, peers = true }
