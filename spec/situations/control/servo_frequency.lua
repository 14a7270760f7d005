-- A proportional servo on a geared joint oscillates about its target with the frequency sqrt(k / (I + R)), where R is
-- the reflected inertia. The servo is a spring of the joint, or a script.
-- Source: MuJoCo issue 1904 (the effect of armature on a joint); RaiSim issue 244 (a PD law in a user's script).
local impel = require "impel"

local scene = {
  title = "Frequency of a servo", about = "The motor's reflected inertia lowers a servo's frequency.", duration = 4,
  units = { period = "s", expected = "s" },
}
scene.params = { armature = 1.0, period = 0.5, rate = 240.0, script = false, scale = 1.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local wheel = world:body { mass = 1, inertia = p.scale, angle = 0.3 }
  local stiffness = (1 + p.armature) * p.scale * (2 * math.pi / p.period) ^ 2
  local joint = world:revolute(world.ground, wheel, { armature = p.armature * p.scale, reference_angle = 0 })
  if not p.script then joint:coordinate():set_spring { stiffness = stiffness, damping = 0, target = 0 } end
  return { world = world, p = p, joint = joint, stiffness = stiffness, times = {} }
end

function scene.substep(s)
  if s.p.script then s.joint:coordinate():set_force(-s.stiffness * s.joint.value) end
end

function scene.update(s)
  local q = s.joint.value
  if s.last and s.last * q < 0 then table.insert(s.times, s.world.time - s.world.dt * q / (q - s.last)) end
  s.last = q
end

function scene.measure(s)
  local n = #s.times
  return { period = n > 1 and 2 * (s.times[n] - s.times[1]) / (n - 1) or -1, expected = s.p.period, zeros = n }
end

function scene.check(s)
  local period = scene.measure(s).period
  local wh = 2 * math.pi / s.p.period / s.p.rate
  -- Of the tested schemes, implicit Euler has the largest relative error of the period, (w h)^2 / 3. Interpolated zero
  -- crossings add 1e-4.
  return math.abs(period / s.p.period - 1) < wh ^ 2 / 3 + 1e-4,
    ("the arm's period is %.5f s, %.5f expected"):format(period, s.p.period)
end

return scene, {
  vary = { armature = { 0, 1, 30 }, period = { 0.2, 1 }, rate = { 240, 1000 }, script = { false, true },
    scale = { 1e-3, 100 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
