-- A motor with a rotor turns a screw that lifts a load. The inertias of screw and rotor, divided by the lead squared,
-- add to the load's mass.
-- Source: sdformat issue 1125 (the definition of a screw joint's lead) and DART pull request 855.
local impel = require "impel"

local scene = {
  title = "Screw", duration = 1,
  about = "The inertias of screw and rotor add to the mass of the lifted load.",
  units = { speed = "m/s", expected = "m/s", rise = "m", right = "m" },
}
-- lead [m/rad]; torque, friction: torques of motor and friction, divided by the load's torque on the screw; load [kg];
-- rate [Hz]
scene.params = { lead = 0.01, torque = 2.0, friction = 0.0, load = 10.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local lift = world:prismatic(world.ground, world:body { mass = p.load }, { axis = { 0, 1 } })
  local holds = p.load * 9.81 * p.lead -- torque of the load on the screw [N m]
  local inertia, rotor = 0.5 * p.load * p.lead ^ 2, 2 * p.load * p.lead ^ 2
  local screw = world:revolute(world.ground, world:body { position = { 5, 0 }, mass = 1, inertia = inertia },
    { anchor = { 5, 0 }, armature = rotor, friction = p.friction * holds, force = p.torque * holds })
  local rack = world:rack { joint1 = lift, joint2 = screw, ratio = -p.lead }
  local net = (p.torque - 1) * holds
  local f = p.friction * holds
  net = net > f and net - f or net < -f and net + f or 0
  local a = net / p.lead / (p.load + (inertia + rotor) / p.lead ^ 2)
  return { world = world, p = p, lift = lift, screw = screw, rack = rack, expected = a, slip = 0 }
end

function scene.update(s) s.slip = math.max(s.slip, math.abs(s.rack.value)) end

function scene.measure(s)
  return { speed = s.lift.speed, expected = s.expected, rise = s.lift.value, right = s.expected / 2 }
end

function scene.check(s)
  -- The acceleration is constant, so speeds are exact up to float rounding. The distance is off by half a step.
  local bound = 1e-3 * math.abs(s.expected) + 1e-4
  return math.abs(s.lift.speed - s.expected) < bound,
    ("after a second the load rises at %.5f m/s, %.5f expected"):format(s.lift.speed, s.expected),
    math.abs(s.lift.value - s.expected / 2) < bound + 0.5 * math.abs(s.expected) / s.p.rate,
    ("the load has risen by %.5f m, %.5f expected"):format(s.lift.value, s.expected / 2),
    -- distance of a free fall in one step
    s.slip < 0.5 * 9.81 / s.p.rate ^ 2,
    ("the load's height and the screw's angle miss the lead by %.3g m"):format(s.slip)
end

return scene, {
  vary = { lead = { 0.001, 0.2 }, torque = { 0, 1, 3 }, friction = { 0, 1.2 }, load = { 0.1, 1000 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
