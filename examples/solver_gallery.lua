-- One scene under all nine solvers: pendulum, sliding box, heavy crate on a light box.
local impel = require "impel"

local scene = {
  title = "Solver gallery",
  about = "Each solver simulates three systems in a world of its own: a pendulum of two rods that is released level, a "
    .. "box that slides to a stop, and a crate of 100 kg on one of 1 kg. --trace out.csv writes four columns for each "
    .. "solver: energy gained by the pendulum (relative to m g l), largest gap of its joints, distance that the box "
    .. "slid, depth by which the crate sank. No solver is exact in all of these and also cheap.",
  duration = 5, -- [s]
  view = { x = -1.5, y = 2, height = 9 },
}

scene.params = {
  rods = { 2, integer = true, min = 1, max = 5, help = "number of rods of the pendulum; more than 5 rods move too fast "
    .. "for steps of 1/60 s" },
  load = { 100.0, min = 1, max = 1000, help = "mass of the upper crate [kg]; the lower has 1 kg" },
  friction = { 0.4, min = 0.3, max = 0.8, help = "coefficient of friction between ground and box" },
  speed = { 6.0, min = 1, max = 8, help = "initial speed of the box [m/s]" },
}

local SOLVERS = { "soft", "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" }
local EXACT = { direct = true, acceleration = true, rattle = true } -- solvers with a factorization
local G, LENGTH, TOP = 9.81, 1, 4 -- gravity [m/s^2], length of a rod [m], height of the upper hinge [m]

local function build(p, options)
  local world = impel.world(options)
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 }, friction = p.friction }
  local lane = { world = world, rods = {}, hinges = {}, open = 0, sank = 0, most = 0, least = 0, energy = 0 }
  local above = world.ground
  for i = 1, p.rods do
    local rod = world:body { position = { -4 + (i - 0.5) * LENGTH, TOP }, mass = 1 }
    rod:box { LENGTH, 0.1, mask = 0 }
    lane.hinges[i] = world:revolute(above, rod, { anchor = { -4 + (i - 1) * LENGTH, TOP } })
    lane.rods[i], above = rod, rod
  end
  lane.box = world:body { position = { 0, 0.5 }, velocity = { p.speed, 0 }, mass = 1 }
  lane.box:box { 1, 1, friction = p.friction } -- mixed with the ground's: sqrt(friction^2) = friction
  world:body({ position = { -8, 0.25 }, mass = 1 }):box { 0.5, 0.5 }
  lane.crate = world:body { position = { -8, 1 }, mass = p.load }
  lane.crate:box { 1, 1 }
  return lane
end

function scene.setup(p, seed)
  local own = build(p, { seed = seed, sleep = false })
  local s = { world = own.world, p = p, lanes = { own }, first = own.world.solver }
  for _, solver in ipairs(SOLVERS) do
    if solver ~= own.world.solver then s.lanes[#s.lanes + 1] = build(p, { solver = solver, sleep = false }) end
  end
  return s
end

local function watch(lane)
  local energy, open = 0, 0
  for i, rod in ipairs(lane.rods) do
    local vx, vy = rod:velocity()
    local _, y = rod:position()
    energy = energy + (vx ^ 2 + vy ^ 2 + rod.inertia * rod.angular_velocity ^ 2) / 2 + G * (y - TOP)
    open = open + lane.hinges[i].separation
  end
  -- The energy relative to the potential energy released by falling from level to hanging.
  lane.energy = energy / ((#lane.rods) ^ 2 / 2 * G * LENGTH)
  lane.open, lane.most = math.max(lane.open, open), math.max(lane.most, lane.energy)
  lane.least = math.min(lane.least, lane.energy)
  lane.way, lane.sank = lane.box:position(), 1 - select(2, lane.crate:position())
end

function scene.update(s)
  -- The options --solver and --dt affect only the scene's own world.
  for i = 2, s.world.tick == 0 and #s.lanes or 0 do
    local world = s.lanes[i].world
    if world.solver == s.world.solver then world.solver = s.first end
    world.dt = s.world.dt
  end
  for i, lane in ipairs(s.lanes) do
    watch(lane)
    if i > 1 then lane.world:step() end
  end
end

function scene.measure(s)
  local row = {}
  for _, lane in ipairs(s.lanes) do
    watch(lane)
    for _, name in ipairs { "energy", "open", "way", "sank" } do row[lane.world.solver .. "_" .. name] = lane[name] end
  end
  return row
end

-- A box with initial speed v slides v^2 / (2 mu g) - v h / 2, where h, from 0 to the step, depends on the solver.
function scene.check(s)
  if s.world.time < 3 then return false, "cannot be checked before 3 s" end
  local p, results = s.p, {}
  local way, slack = p.speed ^ 2 / (2 * p.friction * G), p.speed * s.world.dt / 2
  local function claim(holds, ...)
    results[#results + 1], results[#results + 2] = holds, (...):format(select(2, ...))
  end
  for _, lane in ipairs(s.lanes) do
    watch(lane)
    local solver = lane.world.solver
    claim(lane.way < way + 0.001 * way and lane.way > way - slack - 0.001 * way,
      "%s: the box slid %.4f m, %.4f to %.4f expected", solver, lane.way, way - slack, way)
    claim(lane.most < 0.01, "%s: the energy of the pendulum grew by %.4f of m g l, 0 expected", solver, lane.most)
    if EXACT[solver] then
      claim(lane.open < 1e-9, "%s: a joint of the pendulum opened by %.3g m, less than 1e-9 "
        .. "expected", solver, lane.open)
      claim(math.abs(lane.sank) < 1e-6, "%s: the crate sank %.3g m, less than 1e-6 expected", solver, lane.sank)
    end
    if solver == "rattle" then
      claim(lane.least > -0.01, "rattle: the energy of the pendulum fell by %.4f of m g l, less than 0.01 "
        .. "expected", -lane.least)
    end
  end
  return table.unpack(results)
end

return scene
