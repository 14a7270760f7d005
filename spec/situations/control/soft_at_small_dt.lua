-- A short pendulum follows its equation of motion with steps from 1/60 s down to a microsecond.
-- Source: textbook, convergence; velocities in single precision lose small changes.
local impel = require "impel"

local scene = {
  title = "Small steps", about = "The error of a pendulum does not grow at smaller steps.", duration = 0.2,
  units = { angle = "rad", expected = "rad" },
}
scene.params = { dt = { 1e-3, min = 1e-6 }, angle = 1.5 }

local LENGTH = 0.1
local PULL = 1.5 * 9.81 / LENGTH -- the equation of motion of a thin rod is q'' = -PULL sin q

function scene.setup(p)
  local world = impel.world { sleep = false, dt = p.dt }
  local s, c = impel.math.sin(p.angle), impel.math.cos(p.angle)
  local rod = world:body { position = { LENGTH / 2 * s, -LENGTH / 2 * c }, angle = p.angle, mass = 1,
    inertia = LENGTH ^ 2 / 12 }
  local joint = world:revolute(world.ground, rod, { anchor = { 0, 0 }, reference_angle = 0 })
  return { world = world, joint = joint, p = p }
end

-- Return the angle at the end, by fourth-order Runge-Kutta.
local function expected(s)
  local q, v, n = s.p.angle, 0, 1000
  local h = s.world.time / n
  local function a(angle) return -PULL * math.sin(angle) end
  for _ = 1, n do
    local a1, v1 = a(q), v
    local a2, v2 = a(q + h / 2 * v1), v + h / 2 * a1
    local a3, v3 = a(q + h / 2 * v2), v + h / 2 * a2
    local a4, v4 = a(q + h * v3), v + h * a3
    q, v = q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
  end
  return q
end

function scene.measure(s) return { angle = s.joint.value, expected = expected(s) } end

function scene.check(s)
  local right = expected(s)
  -- The error of a first-order scheme is at most two steps at the largest speed, 17 rad/s. Float rounding of velocities
  -- adds 2e-4 rad.
  local bound = 34 * s.p.dt + 2e-4
  return math.abs(s.joint.value - right) < bound,
    ("after %.3f s the pendulum is at %.5f rad, %.5f expected, %.5f allowed"):format(s.world.time, s.joint.value,
      right, bound)
end

return scene, { vary = { dt = { 1 / 60, 1e-3, 1e-4, 1e-5, 1e-6 } }, solvers = { "rattle" } }
