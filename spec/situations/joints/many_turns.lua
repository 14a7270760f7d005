-- A winch turns to its limit, several turns away, and stops at the limit. A spring or a servo turns the winch to a
-- target several turns away, not by the shortest rotation.
-- Source: gazebo-classic issue 724 (an angle wrapped at half a turn makes the joint flip), PhysX issue 671 (joints jump
-- at each turn), ros_controllers issue 261 (a command of ten turns).
local impel = require "impel"

local scene = {
  title = "Many turns", about = "A joint angle counts whole turns.", duration = 6,
  units = { value = "turns", passed = "rad" },
}
-- turns: limit or target [turns]; inertia of the drum [kg m^2]
scene.params = { turns = 3.5, drive = { 1, help = "1 motor against a limit, 2 spring, 3 servo" }, inertia = 1.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local drum, goal = world:body { inertia = p.inertia, mass = 1 }, 2 * math.pi * p.turns
  drum:circle { radius = 0.5 }
  local options = {}
  if p.drive == 1 then
    options.limit = { -goal, goal }
    options.motor = { speed = 15, max_force = 1000 * p.inertia }
  elseif p.drive == 2 then
    options.spring = { hertz = 1, damping_ratio = 1, target = goal }
  else
    options.servo = { target = goal, max_force = 1000 * p.inertia }
  end
  return { world = world, p = p, goal = goal, hinge = world:revolute(world.ground, drum, options), most = 0 }
end

function scene.update(s)
  s.most = math.max(s.most, s.hinge.value)
end

function scene.measure(s) return { value = s.hinge.value / (2 * math.pi), passed = s.most - s.goal } end

function scene.check(s)
  -- The winch may exceed its limit by a third of the rotation in a substep, 15 rad/s / 240 / 3. A critically damped
  -- spring never exceeds its target. A servo of limited torque brakes too late.
  return math.abs(s.hinge.value - s.goal) < 0.02, ("the winch is at %.4f turns"):format(s.hinge.value / (2 * math.pi)),
    s.p.drive == 3 or s.most - s.goal < 0.02, ("the winch turned %.4f rad too far"):format(s.most - s.goal)
end

return scene, {
  vary = { turns = { 0.499, 0.501, 1, 10.25 }, drive = { 1, 2, 3 }, inertia = { 0.001, 100 } },
  solvers = { "si", "direct" },
}
