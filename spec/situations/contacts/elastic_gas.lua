-- Elastic, frictionless discs in a closed box without gravity keep their energy and stay in the box.
-- Source: matter-js issue 256 (a model of Brownian motion stops although everything is elastic).
local impel = require "impel"

-- Radius of a disc, side of the square cell of one disc [m].
local RADIUS, CELL = 0.2, 0.68

local scene = {
  title = "Elastic gas", about = "Elastic discs in a closed box keep their energy.", duration = 10,
  units = { least = "of the initial value", most = "of the initial value", outside = "discs" },
}
scene.params = { discs = 150, gap = 0.05, gas_seed = 1 } -- gap: initial gap between neighbours [m]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local columns = math.ceil(math.sqrt(1.5 * p.discs))
  local rows = math.ceil(p.discs / columns)
  local width, height = CELL * columns, CELL * rows
  local walls = world:body { type = "static" }
  for _, side in ipairs { -1, 1 } do
    local wall = { friction = 0, restitution = 1, restitution_threshold = 0 }
    wall.width, wall.height, wall.center = 1, height + 2, { side * (width + 1) / 2, 0 }
    walls:box(wall)
    wall.width, wall.height, wall.center = width + 2, 1, { 0, side * (height + 1) / 2 }
    walls:box(wall)
  end
  local random, spacing = impel.rng.new(p.gas_seed), 2 * RADIUS + p.gap
  local s = { world = world, discs = {}, width = width, height = height, least = 1, most = 1 }
  for i = 0, p.discs - 1 do
    local x, y = i % columns - (columns - 1) / 2, i // columns - (rows - 1) / 2
    local disc = world:body {
      position = { spacing * x, spacing * y }, velocity = { random:normal(0, 2), random:normal(0, 2) },
    }
    disc:circle { radius = RADIUS, friction = 0, restitution = 1, restitution_threshold = 0 }
    s.discs[i + 1] = disc
  end
  s.start = world:energy()
  return s
end

function scene.update(s)
  local energy = s.world:energy() / s.start
  s.least, s.most = math.min(s.least, energy), math.max(s.most, energy)
end

function scene.measure(s)
  local outside = 0
  for _, disc in ipairs(s.discs) do
    local x, y = disc:position()
    if math.abs(x) > s.width / 2 or math.abs(y) > s.height / 2 then outside = outside + 1 end
  end
  return { least = s.least, most = s.most, outside = outside }
end

function scene.check(s)
  local outside = scene.measure(s).outside
  -- Float rounding changes the energy by less than 0.1 % in 10^4 collisions. The bound of 1 % allows for collisions of
  -- three discs in one step.
  return s.least > 0.99, ("%.4f of the energy is left"):format(s.least),
    s.most < 1.01, ("the energy grew to %.4f of its initial value"):format(s.most),
    outside == 0, ("%d discs are outside"):format(outside)
end

return scene, {
  vary = { discs = { 20, 150 }, gap = { 0.005, 0.05, 0.2 }, gas_seed = { 1, 2 } }, solvers = { "si", "ngs" },
  peers = true,
}
