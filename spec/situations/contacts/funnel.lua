-- Overlapping discs that fall into a funnel never gain energy, and come to rest inside without overlap.
-- Source: Box2D sample "overlap recovery".
local impel = require "impel"

local G, RADIUS = 9.81, 0.25

local scene = {
  title = "Funnel", about = "Discs that fall into a funnel never gain energy.", duration = 6,
  units = { gained = "m", deepest = "m", fastest = "m/s", outside = "discs" },
}
-- overlap: initial overlap of neighbours [diameters]; slope: angle of the funnel's sides [degrees]
scene.params = { discs = 40, overlap = 0.1, slope = 45.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, sleep = false, dt = 1 / p.rate }
  local slope = math.rad(p.slope)
  local c, n = impel.math.cos(slope), impel.math.sin(slope)
  local funnel = world:body { type = "static" }
  for _, side in ipairs { -1, 1 } do -- 20 m long, 1 m thick, from (0, 0) upwards
    funnel:box { 20, 1, center = { side * (10 * c + 0.5 * n), 10 * n - 0.5 * c }, angle = side * slope }
  end
  local spacing, mass, lift = 2 * RADIUS * (1 - p.overlap), nil, 0
  local s = { world = world, discs = {}, p = p, c = c, n = n, gained = 0 }
  s.bottom = 0.2 + (2 * spacing * n + RADIUS) / c -- y of the lowest row, whose discs are 0.2 m above the sides
  for i = 0, p.discs - 1 do
    local disc = world:body { position = { spacing * (i % 5 - 2), s.bottom + spacing * (i // 5) } }
    disc:circle { radius = RADIUS }
    s.discs[i + 1], mass = disc, disc.mass
    -- Work against gravity if the disc rises by one overlap for each row below.
    lift = lift + mass * G * (i // 5) * p.overlap * 2 * RADIUS
  end
  s.weight = p.discs * mass * G
  s.lift = lift / s.weight -- the work `lift` as a rise of the common centre of mass [m]
  return s
end

function scene.update(s)
  local kinetic, potential = s.world:energy()
  local energy = (kinetic + potential) / s.weight
  s.least = math.min(s.least or energy, energy)
  -- Gained energy as a rise of the common centre of mass [m]
  s.gained = math.max(s.gained, energy - s.least)
end

function scene.measure(s)
  local deepest, fastest, outside = 0, 0, 0
  for i, disc in ipairs(s.discs) do
    local x, y = disc:position()
    local vx, vy = disc:velocity()
    local free = y * s.c - math.abs(x) * s.n - RADIUS -- distance of the disc from the nearer side of the funnel
    deepest, fastest = math.max(deepest, -free), math.max(fastest, math.sqrt(vx * vx + vy * vy))
    if free < -RADIUS then outside = outside + 1 end
    for j = 1, i - 1 do
      local u, v = s.discs[j]:position()
      deepest = math.max(deepest, 2 * RADIUS - math.sqrt((x - u) ^ 2 + (y - v) ^ 2))
    end
  end
  return { gained = s.gained, deepest = deepest, fastest = fastest, outside = outside }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The removal of the overlaps lifts the discs by s.lift. After a fall by h = s.bottom a disc moves by sqrt(2 g h) dt
  -- in a step.
  local bound = s.lift + math.sqrt(2 * G * s.bottom) / s.p.rate
  return now.gained < bound,
    ("the energy gained would lift the discs by %.3f m, at most %.3f expected"):format(now.gained, bound),
    -- Twice the slop of 5 mm.
    now.deepest < 0.01, ("a disc overlaps a disc or a side of the funnel by %.1f mm"):format(1000 * now.deepest),
    -- Usual sleep threshold of engines [m/s].
    now.fastest < 0.05, ("a disc still moves at %.3f m/s"):format(now.fastest),
    now.outside == 0, ("%d discs are outside"):format(now.outside)
end

return scene, {
  vary = { overlap = { 0, 0.1 }, slope = { 30, 45, 60 }, rate = { 60, 240 } }, solvers = { "si", "ngs" }, peers = true,
}
