-- A motor of limited torque accelerates a wheel and a geared rotor to its target speed. The torque is constant, so the
-- run-up takes the time I w / T.
-- Source: Bullet issue 1582 and godot-jolt pull request 504 (the limit of a motor is an impulse per step).
local impel = require "impel"

local scene = {
  title = "Run-up of a motor", duration = 2,
  about = "A motor of torque T accelerates the inertia I to the speed w in the time I w / T.",
  units = { halfway = "rad/s", half = "rad/s", reached = "s", expected = "s" },
}
scene.params = {
  inertia = 1.0, armature = 1.0, rate = 60.0, substeps = 1,
  between = { false, help = "true: the motor acts between two free wheels" },
}

local SPEED, TIME = 12, 1

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate, substeps = p.substeps }
  local first = p.between and world:body { mass = 1, inertia = 3 * p.inertia } or world.ground
  local wheel = world:body { mass = 1, inertia = p.inertia }
  -- The reduced inertia of two wheels with the inertias I and 3 I is I (3 I) / (4 I) = 0.75 I.
  local total = (p.between and 0.75 or 1) * p.inertia + p.armature * p.inertia
  local joint = world:revolute(first, wheel, { armature = p.armature * p.inertia,
    motor = { speed = SPEED, max_force = total * SPEED / TIME } })
  -- The torque on the link is the motor's torque minus the torque that accelerates the rotor.
  return { world = world, p = p, joint = joint, torque = total * SPEED / TIME,
    on_link = (total - p.armature * p.inertia) * SPEED / TIME }
end

local function look(s)
  s.half, s.force = s.joint.speed, s.joint.force
  for row in s.joint:rows() do
    if row.kind == "motor" then s.given = row.force end
  end
end

function scene.update(s)
  local t = s.world.time
  if math.abs(t - TIME / 2) < 1e-6 then look(s) end
  if not s.reached and s.joint.speed > SPEED * (1 - 1e-4) then s.reached = t end
end

function scene.measure(s)
  return { halfway = s.half, half = SPEED / 2, reached = s.reached or -1, expected = TIME, force = s.force }
end

function scene.check(s)
  -- The acceleration is constant, so the speed is exact up to float rounding. The time is off by at most one step.
  return math.abs(s.half - SPEED / 2) < 1e-4 * SPEED,
    ("halfway, the wheel has %.5f rad/s, %.5f expected"):format(s.half,
      SPEED / 2),
    math.abs(s.given - s.torque) < 1e-4 * s.torque,
    ("the motor gives %.5g N m, %.5g expected"):format(s.given, s.torque),
    math.abs(s.force - s.on_link) < 1e-4 * s.torque, ("the link gets %.5g N m, %.5g expected"):format(s.force,
      s.on_link),
    s.reached and math.abs(s.reached - TIME) < 1.01 / s.p.rate,
    ("the wheel reaches its target speed after %.4f s, %.4f expected"):format(s.reached or -1, TIME),
    math.abs(s.joint.speed - SPEED) < 1e-4 * SPEED, ("at the end the wheel has %.5f rad/s"):format(s.joint.speed),
    math.abs(s.joint.force) < 1e-3 * s.torque,
    ("at the end the motor gives %.5g N m, none expected"):format(s.joint.force)
end

return scene, {
  vary = { inertia = { 1e-3, 100 }, armature = { 0, 20 }, rate = { 30, 240 }, substeps = { 1, 5 },
    between = { false, true } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
