-- A hopper in flight swings its leg with a geared motor. The total angular momentum is constant, and the centre of mass
-- follows its parabola.
-- Source: RaiSim issue 103 and Crocoddyl issue 979 (angular momentum in flight).
local impel = require "impel"

local scene = {
  title = "Leg in flight", about = "A motor does not change a hopper's total angular momentum.", duration = 0.6,
  units = { spin = "kg m^2/s", off = "m", angle = "rad", expected = "rad" },
}
scene.params = {
  offset = { 0.3, help = "distance of the hip from the leg's centre [m]" }, armature = 1.0, torque = 3.0, rate = 240.0,
}

local BODY, LEG = { mass = 8, inertia = 0.4 }, { mass = 2, inertia = 0.1 }

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local body = world:body { position = { 0, 0 }, mass = BODY.mass, inertia = BODY.inertia, velocity = { 1, 3 } }
  local leg = world:body { position = { 0, -p.offset }, mass = LEG.mass, inertia = LEG.inertia, velocity = { 1, 3 } }
  local hip = world:revolute(body, leg, { anchor = { 0, 0 }, armature = p.armature, force = p.torque })
  return { world = world, p = p, body = body, leg = leg, hip = hip, spin = 0, off = 0 }
end

-- Return the angular momentum about the common centre of mass, and the position of the centre of mass.
local function state(s)
  local m1, m2 = BODY.mass, LEG.mass
  local x1, y1 = s.body:position()
  local x2, y2 = s.leg:position()
  local u1, v1 = s.body:velocity()
  local u2, v2 = s.leg:velocity()
  local reduced = m1 * m2 / (m1 + m2)
  local spin = reduced * ((x2 - x1) * (v2 - v1) - (y2 - y1) * (u2 - u1)) + BODY.inertia * s.body.angular_velocity
    + LEG.inertia * s.leg.angular_velocity
  return spin, (m1 * x1 + m2 * x2) / (m1 + m2), (m1 * y1 + m2 * y2) / (m1 + m2)
end

function scene.update(s)
  local spin, x, y = state(s)
  local t, first = s.world.time, s.first or y
  s.first = first
  s.spin = math.max(s.spin, math.abs(spin))
  s.off = math.max(s.off, math.abs(x - t), math.abs(y - first - 3 * t + 9.81 * t ^ 2 / 2))
end

-- The hip is at the body's centre, and the leg's centre is at the distance d from the hip. The leg's inertia about the
-- hip is I2 = I + mu d^2, where I is its inertia about its centre and mu is the reduced mass of body and leg. I1 is the
-- body's inertia, and R is the reflected inertia of the rotor. From I1 w1 + I2 w2 = 0 the relative angle has the
-- constant inertia I1 I2 / (I1 + I2) + R.
local function expected(s)
  local d = s.p.offset
  local i2 = LEG.inertia + BODY.mass * LEG.mass / (BODY.mass + LEG.mass) * d * d
  local inertia = BODY.inertia * i2 / (BODY.inertia + i2) + s.p.armature
  return s.p.torque * 0.6 ^ 2 / 2 / inertia
end

function scene.measure(s) return { spin = s.spin, off = s.off, angle = s.hip.value, expected = expected(s) } end

function scene.check(s)
  local right = expected(s)
  local speed = 2 * right / 0.6
  local scale = (BODY.inertia + LEG.inertia + 1.6 * s.p.offset ^ 2) * speed
  -- float rounding
  return s.spin < 1e-3 * scale,
    ("the total angular momentum is up to %.4g kg m^2/s, the scale is %.4g"):format(s.spin, scale),
    -- distance of the fall in one step
    s.off < 9.81 * 0.6 / s.p.rate, ("the centre of mass is off by %.4f m"):format(s.off),
    -- The bound is the motion in one step, plus 0.5 % for the error of the leg's circular motion.
    math.abs(s.hip.value - right) < speed / s.p.rate + 0.005 * right,
    ("the leg swings by %.4f rad, %.4f expected"):format(s.hip.value, right)
end

return scene, {
  vary = { offset = { 0, 0.3 }, armature = { 0, 0.2, 5 }, torque = { 0.3, 3 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
