-- The torque reading of an arm held still equals the torque of the load, m g l cos q. A motor at rest, a servo, a lock,
-- a spring or a force holds the arm.
-- Source: Bullet issue 1486 and habitat-sim issue 1587 (torques read as zero); Genesis issue 2983, MuJoCo issue 1095.
local impel = require "impel"

local scene = {
  title = "Holding torque", about = "The torque reading of an arm at rest is m g l cos q.", duration = 2,
  units = { read = "N m", reaction = "N m", expected = "N m" },
}
scene.params = {
  by = { 1, help = "1 motor, 2 servo, 3 lock, 4 stiff spring, 5 a force" }, mass = 1.0, angle = 0.7, rate = 60.0,
}

local LENGTH = 0.6

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local x, y = LENGTH * impel.math.cos(p.angle), LENGTH * impel.math.sin(p.angle)
  local arm = world:body { position = { x, y }, mass = p.mass, inertia = p.mass * LENGTH ^ 2 / 3 }
  local load = p.mass * 9.81 * x
  local joint = world:revolute(world.ground, arm, { anchor = { 0, 0 }, armature = 0.5 * p.mass,
    damping = 0.1 * p.mass })
  local q = joint:coordinate()
  local how = {
    function() q:set_motor { speed = 0 } end,
    function() q:set_servo { target = 0, max_force = 3 * load } end,
    function() q:set_lock() end,
    function() q:set_spring { stiffness = 1e4 * load, damping = 100 * load, target = 1e-4 } end,
    function() q:set_force(load) end,
  }
  how[p.by]()
  return { world = world, p = p, joint = joint, load = load }
end

function scene.measure(s)
  local _, _, torque = s.joint:reaction()
  return { read = s.joint.force, coordinate = s.joint:coordinate().force, reaction = torque, expected = s.load,
    angle = s.joint.value }
end

function scene.check(s)
  local _, fy, torque = s.joint:reaction()
  local bound = 1e-3 * s.load -- float rounding; the arm is at rest
  return math.abs(s.joint.force - s.load) < bound, ("joint.force is %.5g N m, %.5g expected"):format(s.joint.force,
      s.load),
    math.abs(torque - s.load) < bound, ("reaction() returns %.5g N m, %.5g expected"):format(torque, s.load),
    math.abs(fy - 9.81 * s.p.mass) < 1e-3 * 9.81 * s.p.mass, ("reaction() returns %.5g N, %.5g expected"):format(fy,
      9.81 * s.p.mass),
    math.abs(s.joint.value) < 1e-3, ("the arm has moved by %.3g rad"):format(s.joint.value)
end

return scene, {
  vary = { by = { 1, 2, 3, 4, 5 }, mass = { 0.01, 100 }, angle = { 0, 1 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
