-- Three equal elastic discs are in line, with a small gap between the second and the third. The first and the second
-- disc stop. The third disc leaves at the first disc's speed.
-- Source: matter-js issue 256 and cannon.js issue 359 (chains of equal balls lose energy).
local impel = require "impel"

local SPEED = 2 -- speed of the first disc [m/s]

local scene = {
  title = "Three discs", about = "The last of three elastic discs leaves at the full speed.", duration = 2,
  units = { first = "m/s", second = "m/s", third = "m/s", energy = "of the initial value" },
}
scene.params = { gap = 0.006, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local s = { world = world, discs = {} }
  for i, x in ipairs { -1.5, 0, 0.8 + p.gap } do
    local disc = world:body { position = { x, 0 }, velocity = { i == 1 and SPEED or 0, 0 } }
    disc:circle { radius = 0.4, restitution = 1, friction = 0, restitution_threshold = 0 }
    s.discs[i] = disc
  end
  s.start = world:energy()
  return s
end

function scene.measure(s)
  local a, b, c = s.discs[1]:velocity(), s.discs[2]:velocity(), s.discs[3]:velocity()
  return { first = a, second = b, third = c, energy = s.world:energy() / s.start }
end

function scene.check(s)
  local now = scene.measure(s)
  -- Discs of equal mass exchange their speeds. The bound of 1 % allows for soft contacts.
  local bound = 0.01 * SPEED
  return math.abs(now.energy - 1) < 0.01, ("%.3f of the energy is left"):format(now.energy),
    math.abs(now.first) < bound and math.abs(now.second) < bound and math.abs(now.third - SPEED) < bound,
    ("the discs leave with %.3f, %.3f, %.3f m/s, not 0, 0, %g"):format(now.first, now.second, now.third, SPEED)
end

return scene, {
  vary = { gap = { 0, 0.001, 0.006, 0.02 }, rate = { 30, 60, 240 } }, solvers = { "si", "direct" }, peers = true,
}
