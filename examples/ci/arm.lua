-- A PD controller holds an arm level, with sag = torque / stiffness.
local impel = require "impel"

local scene = {
  title = "PD arm",
  about = "A controller without an integral term cannot hold a load at the target, because it exerts a torque only if "
    .. "there is an error. The arm sags: it comes to rest below the target. On its way down it overshoots this rest "
    .. "position by sag * exp(-pi zeta / sqrt(1 - zeta^2)), where zeta is the damping ratio.",
  duration = 4, -- [s]
  view = { x = 0.5, y = 0, height = 2 },
}

scene.params = {
  kp = { 400.0, min = 100, max = 4000, help = "stiffness [N m/rad]" },
  kd = { 10.0, min = 0, max = 100, help = "damping [N m s/rad]" },
  mass = { 2.0, min = 0.1, max = 4, help = "mass of the arm [kg]" },
}

local G, LENGTH = 9.81, 1 -- [m/s^2], [m]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, dt = 1 / 240, sleep = false }
  local arm = world:body { name = "arm", position = { LENGTH / 2, 0 }, mass = p.mass }
  arm:box { LENGTH, 0.05 }
  local hinge = world:revolute(world.ground, arm, { name = "shoulder", anchor = { 0, 0 } })
  return { world = world, p = p, arm = arm, hinge = hinge, lowest = 0 }
end

-- Apply the controller once per substep. The arm's angular velocity is the hinge's rate.
function scene.substep(s)
  s.arm:apply_torque(-s.p.kp * s.hinge.value - s.p.kd * s.arm.angular_velocity)
end

-- Before every step: record the lowest angle of the arm.
function scene.update(s)
  s.lowest = math.min(s.lowest, s.hinge.value)
end

function scene.measure(s)
  return { angle = s.hinge.value, rate = s.hinge.speed }
end

-- Return the angle where kp angle = -m g l/2 cos(angle), by fixed-point iteration.
local function sag(p)
  local angle = 0
  for _ = 1, 50 do angle = -p.mass * G * LENGTH / 2 * math.cos(angle) / p.kp end
  return angle
end

scene.checks = {}

scene.checks["sags by torque / stiffness"] = function(s)
  local expected = sag(s.p)
  return math.abs(s.hinge.value - expected) < 1e-3 * math.abs(expected),
    ("the arm rests at %.5f rad, %.5f expected"):format(s.hinge.value, expected),
    math.abs(s.arm.angular_velocity) < 1e-3, ("the arm still turns at %.4f rad/s"):format(s.arm.angular_velocity)
end

scene.checks["overshoots according to its damping ratio"] = function(s)
  local p = s.p
  local inertia = s.arm.inertia + p.mass * (LENGTH / 2) ^ 2 -- about the shoulder
  local zeta = p.kd / (2 * math.sqrt(p.kp * inertia))
  local overshoot = zeta < 1 and math.exp(-math.pi * zeta / math.sqrt(1 - zeta ^ 2)) or 0
  local expected = sag(p) * (1 + overshoot)
  -- 2 %, because the load's torque decreases as the arm sags.
  return math.abs(s.lowest - expected) < 0.02 * math.abs(expected),
    ("the lowest angle of the arm was %.5f rad, %.5f expected"):format(s.lowest, expected)
end

return scene
