-- Bodies without contacts: flight, damping, springs, an orbit.
local oracle = require "truth.oracle"
local plan = require "truth.plan"

local G = oracle.G
-- All engines use symplectic Euler with the step h: v' = v + h a, x' = x + h v'. If the acceleration a is constant, the
-- position error at the time t is a t h / 2.
local ONE_STEP = "it takes one step where `soft` takes four substeps, and the error of symplectic Euler is "
  .. "proportional to the step"


local projectile = { title = "projectile",
  measured = "a point thrown at 10 and 15 m/s: its distance from the exact position after 2 s / the throw's range",
  against = "x = v t, y = v t - g t^2 / 2", shared = ONE_STEP }

function projectile.measure(run)
  local p = plan.new { seconds = 2 }
  p:body { position = { 0, 0 }, velocity = { 10, 15 }, mass = 1 }
  local trace = run(p)
  local last = trace[#trace]
  local t = last.t
  return math.sqrt((last[1].x - 10 * t) ^ 2 + (last[1].y - 15 * t + G * t ^ 2 / 2) ^ 2) / (2 * 10 * 15 / G)
end


local terminal = { title = "terminal speed",
  measured = "a fall with damping of 0.5 / s: the largest error of the speed in 10 s / the terminal speed",
  against = "v = g / c (1 - exp(-c t))", shared = ONE_STEP }

function terminal.measure(run)
  local c = 0.5 -- [1/s]
  local p = plan.new { seconds = 10, damping = c }
  p:body { position = { 0, 0 }, mass = 1 }
  return oracle.worst(run(p), function(s) return math.abs(s[1].vy * c / G + 1 - math.exp(-c * s.t)) end)
end


-- Return a scene with a mass on a spring along x, released half a metre from its rest position.
local function spring(title, zeta)
  local scene = { title = title,
    measured = ("1 kg on a spring of 1.5 Hz, damping ratio %g: the largest error of the position in 3 s / the "
      .. "initial deflection")
      :format(zeta),
    against = "the closed form of the damped oscillator" }
  function scene.measure(run)
    local rate, length, out = 2 * math.pi * 1.5, 1, 0.5
    local p = plan.new { seconds = 3, gravity = 0 }
    local mass = p:body { position = { length + out, 0 }, mass = 1 }
    p:spring(0, mass, 0, 0, length + out, 0, length, rate ^ 2, 2 * zeta * rate)
    return oracle.worst(run(p), function(s)
      return math.abs((s[1].x - length) / out - oracle.oscillator(rate, zeta, s.t))
    end)
  end
  return scene
end


local AXIS, ECCENTRICITY, TURN = 10, 0.5, 10 -- semi-major axis [m]; eccentricity; period [s]
local GM = 4 * math.pi ^ 2 * AXIS ^ 3 / TURN ^ 2

local function orbit(run)
  local p = plan.new { seconds = 10 * TURN, gravity = 0 }
  local near = AXIS * (1 - ECCENTRICITY)
  local speed = math.sqrt(GM * (1 + ECCENTRICITY) / near)
  local planet = p:body { position = { near, 0 }, velocity = { 0, speed }, mass = 1 }
  p:attract(planet, GM)
  return run(p), near
end

local kepler_energy = { title = "Kepler orbit, energy",
  measured = "eccentricity 0.5, 10 turns of 10 s: the largest error of the energy / the energy",
  against = "E = -GM / (2 a)", shared = ONE_STEP }

function kepler_energy.measure(run)
  local energy = -GM / (2 * AXIS)
  return oracle.worst(orbit(run), function(s)
    local b = s[1]
    return oracle.relative((b.vx ^ 2 + b.vy ^ 2) / 2 - GM / math.sqrt(b.x ^ 2 + b.y ^ 2), energy)
  end)
end

local kepler_place = { title = "Kepler orbit, place",
  measured = "the same orbit: the distance from the initial position after 10 turns / the semi-major axis",
  against = "T = 2 pi sqrt(a^3 / GM)", shared = ONE_STEP }

function kepler_place.measure(run)
  local trace, near = orbit(run)
  local last = trace[#trace][1]
  return math.sqrt((last.x - near) ^ 2 + last.y ^ 2) / AXIS
end


return { projectile, terminal, spring("spring, weakly damped", 0.1), spring("spring, critically damped", 1),
  spring("spring, strongly damped", 2), kepler_energy, kepler_place }
