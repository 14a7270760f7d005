-- A hanging chain: `direct` gets exact tensions, sequential impulses approach them sweep by sweep.
local impel = require "impel"

local scene = {
  title = "Chain, global and iterative",
  about = "The direct solver solves the chain of the scene's world by one factorization. In a second world the solver "
    .. "`si` solves the same chain from zero impulses: with one sweep in the first step, two in the second, and so on. "
    .. "Each sweep multiplies the error by cos^2(pi / 2N) for N equal links. A load slows this decay (--set load=10).",
  duration = 2, -- [s]
  view = { x = 0, y = -1.4, height = 4.6 },
}

scene.params = {
  count = { 3, integer = true, min = 2, max = 10, help = "number of links" },
  load = { 1.0, min = 1, max = 100, help = "mass of the last link [kg]; the other links have 1 kg; the error "
    .. "factor cos^2(pi / 2N) per sweep holds only if all links have the same mass" },
}

local G, LENGTH = 9.81, 1 -- [m/s^2], [m]
-- sweeps per link until only the slowest mode of the error remains; relative error below which rounding dominates
local SETTLED, ROUNDING = 10, 1e-9

local function hang(p, options)
  local world = impel.world(options)
  local joints, above = {}, world.ground
  for i = 1, p.count do
    local link = world:body { type = "particle", mass = i == p.count and p.load or 1, position = { 0, -LENGTH * i } }
    joints[i] = world:distance(above, link, {})
    above = link
  end
  return world, joints
end

function scene.setup(p, seed)
  local world, joints = hang(p, { seed = seed, solver = "direct", sleep = false })
  local beside, others = hang(p, { seed = seed, solver = "si", sleep = false })
  return { world = world, joints = joints, beside = beside, others = others, start = beside:snapshot(), p = p,
    sweeps = 0, off = 1, worst = 0 }
end

-- Return the largest relative error of a joint's tension; the exact tension is g * (sum of the masses below the joint).
local function error_of(p, joints)
  local worst, below = 0, p.load
  for i = p.count, 1, -1 do
    worst = math.max(worst, math.abs(-joints[i].force / (G * below) - 1)) -- tension is a negative force
    below = below + 1
  end
  return worst
end

function scene.update(s)
  if s.sweeps > 0 then s.worst = math.max(s.worst, error_of(s.p, s.joints)) end
  s.sweeps = s.sweeps + 1
  s.beside:restore(s.start)
  s.beside.iterations = s.sweeps
  s.beside:step()
  local off = error_of(s.p, s.others)
  if off > ROUNDING then s.contraction, s.off = off / s.off, off end
  if off > ROUNDING and s.sweeps >= SETTLED * s.p.count then s.least = s.contraction end
end

function scene.measure(s)
  local first = s.sweeps > 0
  return { error_direct = first and error_of(s.p, s.joints) or 1, error_si = first and error_of(s.p, s.others) or 1,
    sweeps = s.sweeps, contraction = s.contraction or 1, tension_first = -s.joints[1].force,
    tension_last = -s.joints[s.p.count].force }
end

-- For N equal links J M^-1 J^T is tridiagonal (-1 2 -1), with 1 in the corner at the ground. Gauss-Seidel multiplies
-- the error by cos(pi / 2N)^2 per sweep, the square of the factor of Jacobi.
-- source: Catto, "Modeling and Solving Constraints" (GDC 2009), "Solving a chain"
function scene.check(s)
  if not s.least then
    return false, ("cannot be checked before sweep %d: until then the error has more than one mode"):format(
      SETTLED * s.p.count)
  end
  s.worst = math.max(s.worst, error_of(s.p, s.joints))
  local expected = math.cos(math.pi / 2 / s.p.count) ^ 2
  return s.worst < 1e-9, -- rounding errors
    ("a tension found by solver %s had a relative error of %.3g, less than 1e-9 "
      .. "expected"):format(s.world.solver, s.worst),
    math.abs(s.least - expected) < 0.005 * expected,
    ("a sweep of si multiplies the error by %.5f, cos^2(pi / 2N) = %.5f expected"):format(s.least, expected),
    error_of(s.p, s.others) > s.worst or error_of(s.p, s.others) < ROUNDING,
    "the error of si is smaller than that of the direct solver, although si has not converged yet"
end

return scene
