-- A torque turns a turntable with two geared wheels. Table and wheels accelerate by their equations of motion.
-- Source: gazebo-classic issue 2942 (gears turn wrongly when their base is rotated).
local impel = require "impel"

local scene = {
  title = "Gears on a turntable", about = "A gear couples angles relative to its rotating base.", duration = 1,
  units = { table = "rad/s", expected = "rad/s", wheel = "rad/s", right = "rad/s", slip = "rad" },
}
scene.params = {
  ratio = 2.0, armature = 0.0, torque = 1.0, apart = { 0.4, help = "wheels to centre [m]" }, rate = 240.0,
}

local TABLE, FIRST, SECOND, MASS = 1, 0.2, 0.5, 1 -- FIRST, SECOND, TABLE: inertias [kg m^2]; MASS: mass of a wheel [kg]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local base = world:body { mass = 5, inertia = TABLE }
  local hinge = world:revolute(world.ground, base, { force = p.torque })
  local function wheel(x, inertia, armature)
    local body = world:body { position = { x, 0 }, mass = MASS, inertia = inertia }
    return world:revolute(base, body, { anchor = { x, 0 }, armature = armature })
  end
  local a, b = wheel(-p.apart, FIRST, p.armature), wheel(p.apart, SECOND, 0)
  local gear = world:gear { joint1 = a, joint2 = b, ratio = p.ratio } -- q_a + ratio q_b = 0
  -- The table turns at w, the first wheel at w + u, the second wheel at w - u / ratio, and the rotor at u.
  local k = 1 / p.ratio
  local cross, own = FIRST - k * SECOND, FIRST + k * k * SECOND + p.armature
  local rate = p.torque / (TABLE + 2 * MASS * p.apart ^ 2 + FIRST + SECOND - cross ^ 2 / own)
  return { world = world, p = p, hinge = hinge, a = a, gear = gear, slip = 0, expected = rate,
    right = -cross / own * rate }
end

function scene.update(s) s.slip = math.max(s.slip, math.abs(s.gear.value)) end

function scene.measure(s)
  return { table = s.hinge.speed, expected = s.expected, wheel = s.a.speed, right = s.right, slip = s.slip }
end

function scene.check(s)
  -- The accelerations are constant. The bound is for float rounding, plus the error (w h)^2 of the wheels' circular
  -- motion in each step.
  local bound = 2e-3 * s.expected
  return math.abs(s.hinge.speed - s.expected) < bound,
    ("the table turns at %.5f rad/s, %.5f expected"):format(s.hinge.speed, s.expected),
    math.abs(s.a.speed - s.right) < bound, ("a wheel turns at %.5f rad/s, %.5f expected"):format(s.a.speed, s.right),
    -- The bound is the motion in a step without the gear's force, plus float rounding.
    s.slip < s.expected / s.p.rate ^ 2 + 1e-5,
    ("the wheels' angles miss the gear ratio by %.3g rad"):format(s.slip)
end

return scene, {
  vary = { ratio = { -0.5, 3 }, armature = { 0, 2 }, torque = { 0.1, 2 }, apart = { 0, 0.4 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
