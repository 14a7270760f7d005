-- A chain of short ropes becomes taut and stops a falling crate without a rebound.
-- Source: GameMaker-Bugs issue 165 (ropes stretch beyond their limit), matter.js issues 709 and 1274.
local impel = require "impel"

local scene = {
  title = "Rope snaps tight", about = "A rope that becomes taut stops its load without a rebound.", duration = 4,
  units = { longest = "m", rebound = "m/s", gain = "J" },
}
scene.params = { ropes = 10, ratio = 100.0, rate = 60 } -- ratio: mass of the crate divided by that of a link; rate [Hz]

local LENGTH, LINK = 0.5, 0.5 -- length of a rope [m], mass of a link [kg]

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local bodies, before = {}, world.ground
  for i = 1, p.ropes do
    local body = world:body { position = { 0, -0.5 * i / p.ropes }, mass = i == p.ropes and p.ratio * LINK or LINK }
    body:circle { radius = 0.05, mask = 0 }
    world:rope(before, body, { length = LENGTH })
    bodies[i], before = body, body
  end
  return { world = world, bodies = bodies, load = before, p = p, longest = 0, rebound = 0 }
end

function scene.update(s)
  local x, y = s.load:position()
  local _, vy = s.load:velocity()
  local kinetic, potential = s.world:energy()
  s.longest, s.rebound = math.max(s.longest, math.sqrt(x ^ 2 + y ^ 2)), math.max(s.rebound, vy)
  s.least = math.min(s.least or math.huge, kinetic + potential)
  s.gain = math.max(s.gain or 0, kinetic + potential - s.least)
end

function scene.measure(s) return { longest = s.longest, rebound = s.rebound, gain = s.gain } end

function scene.check(s)
  local length = s.p.ropes * LENGTH
  -- A rope only stops bodies that move apart, so no body moves up. The bound of 1 % is the stretch under a static load.
  return s.longest < 1.01 * length,
    ("the crate is %.3f m from the anchor, the ropes are %.1f m long"):format(s.longest, length),
    -- A solver that removes 1.7 mm of stretch in a step of 1/60 s gives the crate 0.1 m/s.
    s.rebound < 0.1, ("the crate rises at %.2f m/s"):format(s.rebound),
    s.gain < 0.01 * s.load.mass * 9.81 * length, -- energy of a fall by 1 % of the chain's length
    ("the energy rises by %.1f J"):format(s.gain)
end

return scene, { vary = { ropes = { 1, 3, 10, 30 }, ratio = { 1, 10, 100 } }, solvers = { "si", "xpbd", "direct" } }
