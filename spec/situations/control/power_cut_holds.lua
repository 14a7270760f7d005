-- The power of a geared arm is cut. Dry friction in the gear holds the arm if the friction torque exceeds the weight's
-- torque.
-- Source: MuJoCo issue 2082 (frictionloss does not hold an arm).
local impel = require "impel"

local scene = {
  title = "Power cut", about = "Friction of a gear holds its arm when the power is cut.", duration = 1.5,
  units = { angle = "rad", expected = "rad" },
}
scene.params = { part = { 1.1, help = "friction torque / weight's torque" }, rate = 60.0, mass = 1.0, armature = 1.0 }

local LENGTH, CUT, FALL = 0.5, 0.5, 0.25

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local arm = world:body { position = { LENGTH, 0 }, mass = p.mass, inertia = p.mass * LENGTH ^ 2 / 3 }
  local weight = p.mass * 9.81 * LENGTH
  local reflected = p.armature * p.mass * LENGTH ^ 2
  local joint = world:revolute(world.ground, arm, { anchor = { 0, 0 }, friction = p.part * weight,
    armature = reflected, servo = { target = 0 } })
  return { world = world, joint = joint, p = p, weight = weight, inertia = p.mass * LENGTH ^ 2 * 4 / 3 + reflected }
end

function scene.update(s)
  local t = s.world.time
  if t > CUT - 1e-9 and not s.cut then s.cut, s.start = true, s.joint.value; s.joint:coordinate():set_servo() end
  if t < CUT + FALL + 1e-9 then s.angle = s.joint.value end
end

-- Return the angle after FALL seconds of I q'' = -(m g l cos q - f) from rest at 0, by fourth-order Runge-Kutta.
local function expected(s)
  if s.p.part >= 1 then return 0 end
  local q, v, n = 0, 0, 500
  local h = FALL / n
  local function a(angle) return -s.weight * (math.cos(angle) - s.p.part) / s.inertia end
  for _ = 1, n do
    local a1, v1 = a(q), v
    local a2, v2 = a(q + h / 2 * v1), v + h / 2 * a1
    local a3, v3 = a(q + h / 2 * v2), v + h / 2 * a2
    local a4, v4 = a(q + h * v3), v + h * a3
    q, v = q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
  end
  return q
end

function scene.measure(s) return { angle = s.angle - s.start, expected = expected(s), now = s.joint.value } end

function scene.check(s)
  local right = expected(s)
  -- Only float rounding moves an arm that friction holds. For a falling arm, a first-order scheme is off by half a
  -- step. The bound adds 2 % of the angle.
  local fastest = 2 * math.abs(right) / FALL
  local bound = s.p.part > 1 and 1e-5 or 0.5 * fastest / s.p.rate + 0.02 * math.abs(right)
  local angle = s.p.part > 1 and s.joint.value - s.start or s.angle - s.start
  return math.abs(s.start) < 1e-3, ("the servo lets the arm sink by %.5f rad"):format(s.start),
    math.abs(angle - right) < bound,
    ("the arm went to %.6f rad, %.6f expected, %.6f allowed"):format(angle, right, bound)
end

return scene, {
  vary = { part = { 0.3, 0.8, 1.01, 10 }, mass = { 0.01, 100 }, armature = { 0, 5 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
