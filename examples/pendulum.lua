-- A rod swings on a hinge with a large amplitude.
local impel = require "impel"

local scene = {
  title = "Pendulum",
  about = "A rod on a revolute joint is released at an angle. The expected period comes from the arithmetic-geometric "
    .. "mean, the expected force at the hinge from the energy. A motor of speed 0 acts as friction in the hinge (--set "
    .. "friction=0.01).",
  duration = 10, -- [s]
  view = { x = 0, y = -0.3, height = 2.6 },
  units = { angle = "rad", speed = "rad/s", gained = "J", separation = "m", fx = "N", fy = "N" },
}

scene.params = {
  amplitude = { 90.0, min = 5, max = 150, help = "initial angle from straight down [degrees]" },
  length = { 1.0, min = 0.5, max = 3, help = "length of the rod [m]" },
  friction = { 0.0, min = 0, max = 1, help = "dry friction in the hinge [N m]; the formulas neglect it" },
}

local G, WIDTH = 9.81, 0.05 -- [m/s^2], [m]

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local angle = math.rad(p.amplitude)
  local middle = p.length / 2 -- distance from the hinge, which is at (0, 0), to the rod's middle [m]
  local rod = world:body { name = "rod", angle = angle,
    position = { middle * math.sin(angle), -middle * math.cos(angle) } }
  rod:box { WIDTH, p.length }
  -- reference_angle = 0: the angle is measured from hanging down, not from the initial pose.
  local hinge = world:revolute(world.ground, rod, { name = "hinge", anchor = { 0, 0 }, reference_angle = 0,
    motor = p.friction > 0 and { speed = 0, max_force = p.friction } or nil })
  local kinetic, potential = world:energy()
  return { world = world, rod = rod, hinge = hinge, angle = angle, middle = middle, length = p.length,
    energy = kinetic + potential, last = hinge.value, passes = {}, pull = 0, open = 0 }
end

local function watch(s)
  local value = s.hinge.value
  if s.last * value < 0 then
    s.passes[#s.passes + 1] = s.world.time - s.world.dt * value / (value - s.last)
  end
  s.last = value
  local fx, fy = s.hinge:reaction()
  s.pull, s.open = math.max(s.pull, math.sqrt(fx ^ 2 + fy ^ 2)), math.max(s.open, s.hinge.separation)
end

function scene.update(s) watch(s) end

local function gained(s)
  local kinetic, potential = s.world:energy()
  return kinetic + potential - s.energy
end

function scene.measure(s)
  local fx, fy = s.hinge:reaction()
  return { angle = s.hinge.value, speed = s.hinge.speed, gained = gained(s), separation = s.hinge.separation,
    fx = fx, fy = fy }
end

-- Return the period T = 2 pi sqrt(I / (m g d)) / agm(1, cos(amplitude / 2)) [s], and the inertia I about the hinge
-- [kg m^2]. d: distance of the centre of mass from the hinge; agm: arithmetic-geometric mean.
local function period(s)
  local a, b = 1, math.cos(s.angle / 2)
  for _ = 1, 6 do a, b = (a + b) / 2, math.sqrt(a * b) end
  local inertia = s.rod.inertia + s.rod.mass * s.middle ^ 2
  return 2 * math.pi * math.sqrt(inertia / (s.rod.mass * G * s.middle)) / a, inertia
end

function scene.check(s)
  watch(s)
  local n = #s.passes
  if n < 3 then return false, "cannot be checked before the third pass of the lowest point" end
  local measured = 2 * (s.passes[n] - s.passes[1]) / (n - 1)
  local expected, inertia = period(s)
  local mass, drop = s.rod.mass, s.middle * (1 - math.cos(s.angle))
  local pull = mass * G + mass * s.middle * 2 * mass * G * drop / inertia -- weight + m d w^2, w from the energy
  local loss = -gained(s) / (mass * G * s.length)
  return math.abs(measured - expected) < 0.005 * expected,
    ("the period is %.4f s, %.4f expected"):format(measured, expected),
    math.abs(loss) < 0.01, ("%.4f of m g l lost, less than 0.01 expected"):format(loss),
    math.abs(s.pull - pull) < 0.005 * pull, ("the hinge's largest force is %.4f N, %.4f expected"):format(s.pull, pull),
    s.open < 1e-3, ("the hinge opened by %.3f mm, less than 1 expected"):format(1e3 * s.open)
end

return scene
