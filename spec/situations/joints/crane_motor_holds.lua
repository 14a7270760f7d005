-- A motor holds the jib of a crane. A load hangs on a rope from the jib's tip. The jib does not move if the motor's
-- torque exceeds the moment of jib and load.
-- Source: PhysX 3.4 issue 136 (a motor accounts for the jib's mass but not for its load); gazebo_ros2_control issue 90
-- (a slide that should hold sinks).
local impel = require "impel"

local scene = {
  title = "Crane's motor", about = "A motor holds a jib if its torque exceeds the load's moment.", duration = 6,
  units = { sunk = "rad", torque = "of the moment" },
}
scene.params = {
  load = { 10.0, help = "mass of the load / mass of the jib" },
  torque = { 1.1, help = "largest torque of the motor / moment of the weights" }, links = 3,
}

local JIB = 6 -- length of the jib [m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  local jib = world:body { position = { JIB / 2, 0 }, mass = 1 }
  jib:box { JIB, 0.3, mask = 0 }
  -- Statics: moment of the jib, of the links of 0.05 kg each and of the load.
  local moment = 9.81 * (JIB / 2 + JIB * (p.load + 0.05 * p.links))
  local hinge = world:revolute(world.ground, jib, { anchor = { 0, 0 },
    motor = { speed = 0, max_force = p.torque * moment } })
  local last = jib
  for i = 1, p.links do
    local link = world:body { position = { JIB, 0.25 - 0.5 * i }, mass = 0.05 }
    link:box { 0.1, 0.5, mask = 0 }
    world:revolute(last, link, { anchor = { JIB, 0.5 - 0.5 * i } })
    last = link
  end
  local load = world:body { position = { JIB, -0.5 * p.links - 0.5 }, mass = p.load }
  load:box { 1, 1, mask = 0 }
  world:revolute(last, load, { anchor = { JIB, -0.5 * p.links } })
  return { world = world, p = p, hinge = hinge, moment = moment }
end

function scene.measure(s) return { sunk = -s.hinge.value, torque = s.hinge.force / s.moment } end

function scene.check(s)
  local now = scene.measure(s)
  if s.p.torque < 1 then
    -- The motor lacks 10 % of the moment. The jib turns by about 0.05 g t^2 / JIB, 2.9 rad in 6 s.
    return now.sunk > 0.5, ("the motor is too weak, but the jib has sunk only by %.4f rad"):format(now.sunk)
  end
  -- A motor controls speed, not position, so its errors add up. 0.01 rad in 6 s is a mean speed of 1 cm/s at the tip.
  return math.abs(now.sunk) < 0.01, ("the jib has sunk by %.4f rad"):format(now.sunk),
    -- 2 % for the remaining oscillation of the load.
    math.abs(now.torque - 1) < 0.02, ("the motor's torque is %.3f of the moment of the weights"):format(now.torque)
end

return scene, {
  vary = { load = { 1, 10, 100, 1000 }, torque = { 0.9, 1.05, 10 }, links = { 1, 3 } }, solvers = { "si", "direct" },
}
