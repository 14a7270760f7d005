-- The amplitude of a pendulum with viscous damping in its hinge decreases by the same factor in each swing, with or
-- without a rotor on the hinge.
-- Source: Bullet issue 1815 and gazebo-classic issue 2554 (joint damping has other effects than damping).
local impel = require "impel"

local scene = {
  title = "Logarithmic decrement", about = "The amplitude falls by the same factor in each swing.", duration = 5,
  units = { ratio = "1", right = "1", period = "s", expected = "s" },
}
scene.params = { damping = { 0.05, help = "fraction of critical damping" }, armature = 1.0, rate = 240.0, length = 0.5 }

local START, G = 0.05, 9.81

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local l = p.length
  local inertia = l ^ 2 * (1.01 + p.armature)
  local w = math.sqrt(G * l / inertia)
  local bob = world:body { position = { l * impel.math.sin(START), -l * impel.math.cos(START) }, angle = START,
    mass = 1, inertia = 0.01 * l ^ 2 }
  local joint = world:revolute(world.ground, bob, { anchor = { 0, 0 }, reference_angle = 0,
    armature = p.armature * l ^ 2, damping = 2 * p.damping * w * inertia })
  return { world = world, p = p, joint = joint, w = w, times = {}, peaks = {}, peak = 0 }
end

function scene.update(s)
  local q, t = s.joint.value, s.world.time
  if s.last and s.last * q < 0 then -- at a zero crossing, record the time and the largest angle since the last crossing
    table.insert(s.times, t - s.world.dt * q / (q - s.last))
    table.insert(s.peaks, s.peak)
    s.peak = 0
  end
  s.peak, s.last = math.max(s.peak, math.abs(q)), q
end

-- Return the ratio of successive extremes, as the mean from the second extreme to the final one, and the period.
local function found(s)
  local n = #s.times
  return (s.peaks[n] / s.peaks[2]) ^ (1 / (n - 2)), 2 * (s.times[n] - s.times[1]) / (n - 1)
end

local function right(s)
  local root = math.sqrt(1 - s.p.damping ^ 2)
  return math.exp(-s.p.damping * math.pi / root), 2 * math.pi / (s.w * root)
end

function scene.measure(s)
  local ratio, period = found(s)
  local r, e = right(s)
  return { ratio = ratio, right = r, period = period, expected = e }
end

function scene.check(s)
  local ratio, period = found(s)
  local r, e = right(s)
  -- In a half-swing the logarithm of the amplitude decreases by pi c, where c is the damping ratio. For a first-order
  -- scheme of step h, the bound allows relative errors of 2 c w h and (w h)^2 in this decrease; w is the natural
  -- frequency.
  local wh = s.w / s.p.rate
  -- 1e-3 allows for extremes that lie between two steps.
  local bound = math.pi * (2 * s.p.damping ^ 2 * wh + s.p.damping * wh ^ 2) + 1e-3
  -- Relative errors of the period: (w h)^2 / 24 (symplectic Euler), 0.05^2 / 16 (amplitude of 0.05 rad), c w h (damping
  -- ratio c). The bound is twice their sum.
  return math.abs(math.log(ratio / r)) < bound,
    ("the ratio of successive extremes is %.5f, %.5f expected"):format(ratio, r),
    math.abs(period / e - 1) < wh ^ 2 / 12 + 3.2e-4 + 2 * s.p.damping * wh,
    ("the pendulum's period is %.5f s, %.5f expected"):format(period, e)
end

return scene, {
  vary = { damping = { 0.02, 0.1 }, armature = { 0, 3 }, rate = { 240, 1000 }, length = { 0.05, 0.3 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
