-- A pendulum released level swings to the same height. In 10 s a second-order scheme may lose 1 % of m g l. A
-- first-order scheme may lose more.
-- Source: Hairer, Lubich, Wanner, "Geometric Numerical Integration" (2006), on the order of energy errors.
local impel = require "impel"

local scene = {
  title = "Level pendulum", about = "A pendulum released level returns to its initial height.", duration = 10,
  units = { loss = "of m g l", gain = "of m g l", allowed = "of m g l" },
}
scene.params = { length = 1.0, rate = 60.0 }

local SECOND_ORDER = { soft = true, reduced = true, rattle = true }

-- Return the energy loss [m g l] of a first-order scheme, in which a point steps along the tangent and is projected
-- onto the circle.
local function tangent_loss(p)
  local dt, l, x, y, vx, vy = 1 / p.rate, p.length, p.length, 0, 0, 0
  for _ = 1, scene.duration * p.rate do
    vy = vy - 9.81 * dt
    local along = (vx * x + vy * y) / (l * l)
    vx, vy = vx - along * x, vy - along * y
    x, y = x + vx * dt, y + vy * dt
    local scale = l / math.sqrt(x * x + y * y)
    x, y = x * scale, y * scale
  end
  return -((vx * vx + vy * vy) / 2 + 9.81 * y) / (9.81 * l)
end

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local bob = world:body { position = { p.length, 0 } }
  bob:box { 0.1 * p.length, 0.1 * p.length }
  world:revolute(world.ground, bob, { anchor = { 0, 0 } })
  return { world = world, p = p, scale = bob.mass * 9.81 * p.length, gain = 0 }
end

local function energy(s) -- energy in units of m g l; the initial energy is 0
  local k, u = s.world:energy()
  return (k + u) / s.scale
end

function scene.update(s) s.gain = math.max(s.gain, energy(s)) end

-- Return the allowed loss [m g l]: 1 %, plus 1.1 times tangent_loss for a first-order scheme.
local function allowed(s) return SECOND_ORDER[s.world.solver] and 0.01 or 0.01 + 1.1 * tangent_loss(s.p) end

function scene.measure(s) return { loss = -energy(s), gain = s.gain, allowed = allowed(s) } end

function scene.check(s)
  local loss, most = -energy(s), allowed(s)
  -- 1 %, plus 2 (w dt)^2 for the oscillation of the energy in a discrete scheme.
  local swing = 0.01 + 2 * 9.81 / s.p.length / s.p.rate ^ 2
  return loss < most, ("the pendulum lost %.1f %% of m g l, %.1f allowed"):format(100 * loss, 100 * most),
    s.gain < swing, ("the pendulum gained %.1f %% of m g l, %.1f allowed"):format(100 * s.gain, 100 * swing)
end

return scene, {
  vary = { length = { 0.3, 1, 4 }, rate = { 60, 120 } }, -- not run in other engines: `allowed` is for impel's solvers
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
