-- Four pendulums released level: solving velocities alone lets the length drift, and fixing the length can cost energy.
local impel = require "impel"

local scene = {
  title = "Drift",
  about = "If a solver corrects only velocities, a rod of 1 m is 0.47 m too long after 10 s, because each step moves "
    .. "the bob along the tangent. Baumgarte's bias limits the error to 13 mm. Projection of positions (solver ngs) "
    .. "removes the error, but also half of the energy. The solver rattle keeps both length and energy.",
  duration = 10, -- [s]
  view = { x = 0, y = -0.6, height = 2.6 },
}

scene.params = {
  length = { 1.0, min = 0.5, max = 3, help = "length of the rods [m]" },
  beta = { 0.2, min = 0, max = 1, help = "Baumgarte factor of the second pendulum; 0: no bias, as in the first" },
}

local G, MASS = 9.81, 1                                     -- [m/s^2], [kg]
local NAMES = { "velocities", "bias", "projected", "rattle" } -- the pendulums, each in its own world

local function hang(p, seed, solver, beta)
  local world = impel.world { seed = seed, solver = solver, baumgarte = beta, sleep = false }
  local bob = world:body { type = "particle", position = { p.length, 0 }, mass = MASS }
  local rod = world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { p.length, 0 } })
  -- `hand`: the state of the same pendulum computed by hand: x, y [m], vx, vy [m/s].
  return { world = world, bob = bob, rod = rod, worst = 0, hand = { p.length, 0, 0, 0 }, beta = beta }
end

function scene.setup(p, seed)
  local s = { p = p, way = 0, lanes = { velocities = hang(p, seed, "si", 0), bias = hang(p, seed, "si", p.beta),
    projected = hang(p, seed, "ngs", 0), rattle = hang(p, seed, "rattle", 0) } }
  s.world = s.lanes.velocities.world
  return s
end

-- Make a symplectic Euler step with the row C = |x| - l, which sets the velocity along the rod to -beta C / h. A
-- projection then moves the bob back onto the circle.
local function by_hand(lane, length, h, project)
  local x, y, vx, vy = table.unpack(lane.hand)
  local r = math.sqrt(x ^ 2 + y ^ 2)
  vy = vy - h * G
  local change = (vx * x + vy * y) / r + lane.beta * (r - length) / h
  vx, vy = vx - change * x / r, vy - change * y / r
  x, y = x + h * vx, y + h * vy
  local back = project and length / math.sqrt(x ^ 2 + y ^ 2) or 1
  lane.hand = { back * x, back * y, vx, vy }
end

local function watch(s)
  for _, lane in pairs(s.lanes) do lane.worst = math.max(lane.worst, lane.rod.separation) end
end

-- Before every step: compute each world's step by hand, and step all worlds except the scene's own.
function scene.update(s, dt)
  watch(s)
  for i, name in ipairs(NAMES) do
    local lane = s.lanes[name]
    by_hand(lane, s.p.length, dt, name == "projected")
    lane.world.dt = dt
    if i > 1 then lane.world:step() end
  end
  local hand = s.lanes.velocities.hand
  s.way = s.way + dt ^ 2 * (hand[3] ^ 2 + hand[4] ^ 2)
end

local function gained(lane)
  local kinetic, potential = lane.world:energy()
  return kinetic + potential -- the initial energy is 0
end

function scene.measure(s)
  local row = {}
  for name, lane in pairs(s.lanes) do
    row[name .. "_drift"], row[name .. "_energy"] = lane.rod.value - s.p.length, gained(lane)
  end
  return row
end

function scene.draw(s, view)
  for i, color in ipairs { "red", "orange", "green", "blue" } do
    local x, y = s.lanes[NAMES[i]].bob:position()
    view:line(0, 0, x, y, color)
    view:text(-2.1, 0.5 - 0.18 * i, NAMES[i], color)
  end
end

-- Return the largest distance of a bob from its position computed by hand [m], and the name of its world.
local function farthest(s)
  local far, which = 0, NAMES[1]
  for i = 1, 3 do
    local lane = s.lanes[NAMES[i]]
    local x, y = lane.bob:position()
    local off = math.max(math.abs(x - lane.hand[1]), math.abs(y - lane.hand[2]))
    if off > far then far, which = off, NAMES[i] end
  end
  return far, which
end

-- Without correction a step moves the bob by h v perpendicular to the rod of length r: r'^2 = r^2 + h^2 v^2.
-- source: Catto, "Modeling and Solving Constraints" (GDC 2009), position drift
function scene.check(s)
  if s.world.time < 9 then return false, "cannot be checked before 9 s" end
  watch(s)
  local l, scale = s.p.length, MASS * G * s.p.length
  local own, bias, projected, rattle = s.lanes.velocities, s.lanes.bias, s.lanes.projected, s.lanes.rattle
  local drifted = math.sqrt(l ^ 2 + s.way) - l
  local far, which = farthest(s)
  return far < 1e-9, ("the bob of '%s' is %.3g m from its position computed by hand"):format(which, far),
    math.abs(own.rod.value - l - drifted) < 1e-9 and drifted > 0.1 * l,
    ("the first rod is %.6f m too long, %.6f expected"):format(own.rod.value - l, drifted),
    bias.worst < 0.02 * l, ("with Baumgarte bias the length error is %.4f m, %g allowed"):format(bias.worst, 0.02 * l),
    projected.worst < 1e-9 and gained(projected) < -0.2 * scale,
    ("with solver ngs the length error is %.3g m, 1e-9 allowed; the energy loss is %.4f m g l, more than 0.2 "
      .. "expected"):format(projected.worst, -gained(projected) / scale),
    rattle.worst < 1e-9 and math.abs(gained(rattle)) < 0.002 * scale,
    ("with solver rattle the length error is %.3g m, 1e-9 allowed; the energy error is %.5f m g l, 0.002 "
      .. "allowed"):format(rattle.worst, gained(rattle) / scale)
end

return scene
