-- A rod swings on a hinge.
--
--   impel run pendulum.lua --check --trace swing.csv
--   impel run pendulum.lua --set amplitude=60 --solver rattle
--   impel repl pendulum.lua
local impel = require "impel"

local scene = {
  title = "Pendulum",
  about = "A rod on a hinge is released at an angle. Its period follows from its length and amplitude.",
  duration = 10, -- [s]
  view = { x = 0, y = -0.3, height = 3 },
}

-- Parameters that --set, sweeps and sliders may change. The first value of each is its default.
scene.params = {
  amplitude = { 20.0, min = 1, max = 60, help = "initial angle from straight down [degrees]" },
  length = { 1.0, min = 0.2, max = 3, help = "length of the rod [m]" },
}

local G, WIDTH = 9.81, 0.05 -- [m/s^2], [m]

-- Build the world. The table that setup returns is passed as `s` to the functions of the scene.
function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G } }
  -- Angle [rad]; distance from the hinge to the rod's middle [m]
  local angle, middle = math.rad(p.amplitude), p.length / 2
  local rod = world:body { name = "rod", angle = angle,
    position = { middle * math.sin(angle), -middle * math.cos(angle) } }
  rod:box { WIDTH, p.length }
  local hinge = world:revolute(world.ground, rod, { name = "hinge", anchor = { 0, 0 }, reference_angle = 0 })
  return { world = world, p = p, rod = rod, hinge = hinge, last = hinge.value, passes = {} }
end

-- Called before every step. Record when the rod passed its lowest point: interpolate between the last two steps.
function scene.update(s)
  local value = s.hinge.value
  if s.last * value < 0 then
    s.passes[#s.passes + 1] = s.world.time - s.world.dt * value / (value - s.last)
  end
  s.last = value
end

-- Return the expected period [s], with the amplitude a [rad], the moment of inertia I about the hinge, and the distance
-- d from the hinge to the centre of mass:
-- T = 2 pi sqrt(I / (m g d)) (1 + a^2 / 16 + 11 a^4 / 3072)
local function expected_period(s)
  local rod, d, a = s.rod, s.p.length / 2, math.rad(s.p.amplitude)
  local inertia = rod.inertia + rod.mass * d ^ 2
  return 2 * math.pi * math.sqrt(inertia / (rod.mass * G * d)) * (1 + a ^ 2 / 16 + 11 * a ^ 4 / 3072)
end

local function period(s)
  local n = #s.passes
  return n > 2 and 2 * (s.passes[n] - s.passes[1]) / (n - 1) or 0 / 0
end

-- Return the columns of --trace, by name.
function scene.measure(s)
  local kinetic, potential = s.world:energy()
  return { angle = s.hinge.value, speed = s.hinge.speed, energy = kinetic + potential }
end

-- Return the conditions for --check, each followed by the message for its failure.
function scene.check(s)
  local measured, expected = period(s), expected_period(s)
  return math.abs(measured - expected) < 0.005 * expected,
    ("the period is %.4f s, %.4f expected"):format(measured, expected),
    s.hinge.separation < 1e-3, ("the hinge's anchor points are %.3g m apart"):format(s.hinge.separation)
end

-- The distance of the period from 1 s. impel tune minimizes it.
function scene.score(s)
  return math.abs(period(s) - 1)
end

return scene
