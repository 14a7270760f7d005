-- A motor turns an arm on a pedestal at a constant rate. The reaction at the pedestal's foot follows from the equations
-- of Newton and Euler.
-- Source: Bullet issues 3204 and 2966 and planck.js issue 275 (wrong reaction readings).
local impel = require "impel"

local scene = {
  title = "Reaction of the base", about = "The reaction at the base follows from Newton and Euler.", duration = 3,
  units = { force = "of the weight", torque = "of m g l", motor = "of m g l" },
}
scene.params = { speed = 3.0, mass = 2.0, armature = 0.0, rate = 240.0, pedestal = 5.0 }

local LENGTH, HEIGHT, G = 0.5, 1.2, 9.81

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local base = world:body { position = { 0, HEIGHT / 2 }, mass = p.pedestal, inertia = p.pedestal * HEIGHT ^ 2 / 12 }
  local arm = world:body { position = { LENGTH, HEIGHT }, mass = p.mass, inertia = p.mass * LENGTH ^ 2 / 3,
    velocity = { 0, p.speed * LENGTH }, angular_velocity = p.speed }
  local foot = world:weld(world.ground, base, { anchor = { 0, 0 } })
  local joint = world:revolute(base, arm, { anchor = { 0, HEIGHT }, motor = { speed = p.speed },
    armature = p.armature })
  return { world = world, p = p, foot = foot, joint = joint, force = 0, torque = 0, motor = 0 }
end

function scene.update(s)
  if s.world.tick < 30 then return end -- leave out the first 30 steps, in which the motor starts
  -- Reactions are means over the last step. q: angle of the arm from the horizontal in the middle of the step.
  local p, q = s.p, s.joint.value - s.p.speed / s.p.rate / 2
  local c, sn = math.cos(q), math.sin(q)
  local ax, ay = -p.speed ^ 2 * LENGTH * c, -p.speed ^ 2 * LENGTH * sn
  local fx, fy = p.mass * ax, p.mass * (ay + G) + p.pedestal * G
  local bend = LENGTH * c * p.mass * (ay + G) - (HEIGHT + LENGTH * sn) * p.mass * ax -- moment about the foot
  local x, y, torque = s.foot:reaction()
  local weight, mgl = p.mass * G, p.mass * G * LENGTH
  s.force = math.max(s.force, math.abs(x - fx) / weight, math.abs(y - fy) / weight)
  s.torque = math.max(s.torque, math.abs(torque - bend) / mgl)
  s.motor = math.max(s.motor, math.abs(s.joint.force - mgl * c) / mgl)
end

function scene.measure(s) return { force = s.force, torque = s.torque, motor = s.motor } end

function scene.check(s)
  local h = 1 / s.p.rate
  -- The bound is the change of the weight's lever arm and of the force m w^2 l in a step, plus 1e-3 for float rounding.
  local turn = s.p.speed * h * (1 + s.p.speed ^ 2 * LENGTH / G)
  local arm = (HEIGHT + LENGTH) / LENGTH
  return s.force < turn + 1e-3, ("the foot's force is off by %.5f of the weight, %.5f allowed"):format(s.force, turn),
    s.torque < (turn + 1e-3) * arm, ("the foot's torque is off by %.5f of m g l, %.5f allowed"):format(s.torque,
      turn * arm),
    s.motor < turn + 1e-3, ("the motor's torque is off by %.5f of m g l, %.5f allowed"):format(s.motor, turn)
end

return scene, {
  vary = { speed = { 1, 5 }, mass = { 0.1, 50 }, armature = { 0, 3 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
