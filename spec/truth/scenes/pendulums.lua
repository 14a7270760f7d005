-- Bodies that swing on a hinge.
local oracle = require "truth.oracle"
local plan = require "truth.plan"

local G = oracle.G
local BOB = 0.005 -- inertia of a disc of 1 kg and radius 0.1 m [kg m^2]

-- Return a plan with a disc of 1 kg on an arm of 1 m, hinged at (0, 0) and released at `amplitude` from hanging.
local function bob(seconds, amplitude, dt)
  local p = plan.new { seconds = seconds, dt = dt }
  local it = p:body { position = { math.sin(amplitude), -math.cos(amplitude) }, angle = amplitude, mass = 1,
    inertia = BOB }
  p:revolute(0, it, 0, 0)
  return p
end

local function angle(s) return s[1].angle end

local function period_of_bob(run, swings, amplitude)
  local expected = oracle.period(math.sqrt(G / (1 + BOB)), amplitude)
  return oracle.relative(oracle.measured_period(run(bob(swings * expected, amplitude)), angle), expected)
end

-- Texts for RESULTS.md that explain the largest error of a solver in several scenes.
local PROJECTED = "each step moves along the tangent, and the projection in the next step removes the energy (v^2 dt "
  .. "/ l)^2 m / 2; so the swings become smaller and quicker"
local SWEEPS = "two sweeps do not close the hinge's gap, which lengthens the arm; 20 sweeps divide the error "
  .. "by 3, 32 substeps divide it by 20"

local small = { title = "small pendulum",
  measured = "1 kg, 1 m, 5 degrees: the relative error of the mean period of 20 swings",
  against = "the arithmetic-geometric mean",
  reasons = { xpbd = SWEEPS } }

function small.measure(run) return period_of_bob(run, 20, math.rad(5)) end

local large = { title = "large pendulum",
  measured = "the same, 120 degrees, 10 swings",
  against = "the arithmetic-geometric mean",
  reasons = { acceleration = PROJECTED } }

function large.measure(run) return period_of_bob(run, 10, math.rad(120)) end


local physical = { title = "physical pendulum",
  measured = "a rod of 1 m hung at its end, 60 degrees: the relative error of the mean period of 10 swings",
  against = "I = m l^2 / 3 and the arithmetic-geometric mean",
  reasons = { split = PROJECTED } }

function physical.measure(run)
  local amplitude = math.rad(60)
  local expected = oracle.period(math.sqrt(1.5 * G), amplitude)
  local p = plan.new { seconds = 10 * expected }
  local rod = p:body { position = { 0.5 * math.sin(amplitude), -0.5 * math.cos(amplitude) }, angle = amplitude,
    mass = 1, inertia = 1 / 12 }
  p:revolute(0, rod, 0, 0)
  return oracle.relative(oracle.measured_period(run(p), angle), expected)
end


local gyration = { title = "dumbbell",
  measured = "two discs on a bar, masses from densities, 30 degrees: the relative error of the mean period of 10 "
    .. "swings",
  against = "the moment of inertia by the parallel axis theorem, and the arithmetic-geometric mean",
  reasons = { xpbd = SWEEPS } }

function gyration.measure(run)
  local ends = { { x = -0.5, radius = 0.1, density = 8 }, { x = 0.5, radius = 0.15, density = 10 } }
  local width, height, pivot, amplitude = 1, 0.05, -0.2, math.rad(30) -- the pivot is 0.2 m from the bar's centre
  local bar = width * height -- mass of the bar for a density of 1 kg/m^2
  -- Total mass; sum of m x, with x from the bar's centre [kg m]; moment of inertia about the pivot.
  local mass, moment, inertia = bar, 0, bar * (width ^ 2 + height ^ 2) / 12 + bar * pivot ^ 2
  for _, disc in ipairs(ends) do
    local m = disc.density * math.pi * disc.radius ^ 2
    mass, moment = mass + m, moment + m * disc.x
    inertia = inertia + m * disc.radius ^ 2 / 2 + m * (disc.x - pivot) ^ 2
  end
  local arm = moment / mass - pivot
  local expected = oracle.period(math.sqrt(mass * G * arm / inertia), amplitude)
  -- At the angle -pi / 2 the heavy end, at +x of the body, is at the bottom.
  local turn = amplitude - math.pi / 2
  local p = plan.new { seconds = 10 * expected }
  local it = p:body { position = { -pivot * math.cos(turn), -pivot * math.sin(turn) }, angle = turn }
  p:box(it, { width = width, height = height, density = 1 })
  for _, disc in ipairs(ends) do p:circle(it, { radius = disc.radius, at = { disc.x, 0 }, density = disc.density }) end
  p:revolute(0, it, 0, 0)
  return oracle.relative(oracle.measured_period(run(p), function(s) return s[1].angle + math.pi / 2 end), expected)
end


local level_energy = { title = "level pendulum, energy",
  measured = "1 kg, 1 m, released level: the energy lost in 10 s / (m g l)",
  against = "conserved energy", unit = "%", factor = 100, asked = 0.01,
  reasons = { acceleration = PROJECTED } }

function level_energy.measure(run)
  local trace = run(bob(10, math.pi / 2))
  local function energy(s) return oracle.energy(s, { 1 }, { BOB }) end
  return math.abs(energy(trace[#trace]) - energy(trace[1])) / G
end

local level_length = { title = "level pendulum, length",
  measured = "the same pendulum: the largest error of the arm's length",
  against = "1 m", unit = "mm", factor = 1000, asked = 1e-3,
  reasons = {
    soft = "its locks are springs of 60 Hz on a row's effective mass, and the tension stretches them: four times as "
      .. "much at 30 Hz, a quarter with 8 substeps",
    split = "a step along the tangent lengthens the arm, and pseudo-velocities correct a fifth of the error per "
      .. "step; the length does not converge, because pseudo-velocities do not include the tension",
    si = "a step along the tangent lengthens the arm by v^2 dt^2 / 2, 2.7 mm at the lowest point; Baumgarte "
      .. "stabilisation corrects a fifth of the error per step, and 10 sweeps over the pin's two rows do not converge "
      .. "(30 and more sweeps leave an error of 11 mm)",
  } }

function level_length.measure(run)
  return oracle.worst(run(bob(10, math.pi / 2)), function(s)
    return math.abs(math.sqrt(s[1].x ^ 2 + s[1].y ^ 2) - 1)
  end)
end


local double = { title = "double pendulum",
  measured = "two rods of 1 m and 1 kg, released level: the largest error of the energy in 10 s / the energy "
    .. "released if both hang",
  against = "conserved energy",
  reasons = { split = PROJECTED } }

function double.measure(run)
  local p = plan.new { seconds = 10 }
  for i = 1, 2 do
    local rod = p:body { position = { i - 0.5, 0 }, mass = 1, inertia = 1 / 12 }
    p:revolute(rod - 1, rod, i - 1, 0)
  end
  return oracle.worst(run(p), function(s)
    return math.abs(oracle.energy(s, { 1, 1 }, { 1 / 12, 1 / 12 })) / (G * (0.5 + 1.5))
  end)
end


-- Order of convergence: the slope of log(error) over log(dt), by least squares.
local order = { title = "order of convergence",
  measured = "1 kg, 1 m, 120 degrees: 1 minus the order, at least 0; the order (in brackets) is the slope of log "
    .. "|angle after 2 s - exact| over log dt for dt = 1/60, 1/120, 1/240, 1/480 s",
  against = "Runge-Kutta of the fourth order with 100 000 steps",
  reasons = { ngs = "the energy loss by projection is also of first order in dt, and at 60 Hz the pendulum loses "
    .. "most of its swing" } }

local exact -- angle after 2 s, computed once by order.measure

function order.measure(run)
  local amplitude = math.rad(120)
  exact = exact or oracle.rk4(function(s) return { s[2], -G / (1 + BOB) * math.sin(s[1]) } end, { amplitude, 0 }, 2,
    100000)[1]
  local n, sx, sy, sxx, sxy = 0, 0, 0, 0, 0
  for _, rate in ipairs { 60, 120, 240, 480 } do
    local trace = run(bob(2, amplitude, 1 / rate))
    local x, y = math.log(1 / rate), math.log(math.abs(angle(trace[#trace]) - exact))
    n, sx, sy, sxx, sxy = n + 1, sx + x, sy + y, sxx + x * x, sxy + x * y
  end
  local slope = (n * sxy - sx * sy) / (n * sxx - sx ^ 2)
  return math.max(0, 1 - slope), ("%.2f"):format(slope)
end


return { small, large, physical, gyration, level_energy, level_length, double, order }
