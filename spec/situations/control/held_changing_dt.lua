-- A geared arm is held level by dry friction, a servo or a motor of limited torque. The length of the steps and the
-- number of substeps change. The arm does not move, and the torque reading equals the load.
-- Source: redot-engine pull request 1346 (a motor's torque is stale after the length of a step changed).
local impel = require "impel"

local scene = {
  title = "Held at any dt", about = "An arm held level does not move when dt changes.", duration = 3,
  units = { moved = "rad", off = "of the load" },
}
scene.params = { by = { 1, help = "1 motor, 2 dry friction, 3 servo" }, factor = 4.0, armature = 1.0, margin = 1.05 }

local LENGTH, MASS = 0.5, 2

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / 120 }
  local load = MASS * 9.81 * LENGTH
  local arm = world:body { position = { LENGTH, 0 }, mass = MASS, inertia = MASS * LENGTH ^ 2 / 3 }
  local joint = world:revolute(world.ground, arm, { anchor = { 0, 0 }, armature = p.armature,
    motor = p.by == 1 and { speed = 0, max_force = p.margin * load } or nil,
    friction = p.by == 2 and p.margin * load or 0,
    servo = p.by == 3 and { target = 0, max_force = p.margin * load } or nil })
  return { world = world, p = p, joint = joint, load = load, moved = 0, off = 0, substeps = world.substeps }
end

function scene.update(s)
  local t, world = s.world.time, s.world
  local part = math.floor(t * 10)
  if t > 0.5 then
    s.start = s.start or s.joint.value
    s.moved = math.max(s.moved, math.abs(s.joint.value - s.start))
    local _, _, torque = s.joint:reaction()
    s.off = math.max(s.off, math.abs(torque / s.load - 1))
    world.dt = part % 2 == 0 and 1 / 120 or s.p.factor / 120
    if t > 1.5 then world.substeps = part % 3 == 0 and 2 * s.substeps or s.substeps end
  end
end

function scene.measure(s) return { moved = s.moved, off = s.off, start = s.start } end

function scene.check(s)
  return s.moved < 1e-4, ("the arm moved by %.3g rad"):format(s.moved), -- float rounding; nothing moves
    s.off < 1e-3, ("the torque is off by %.4f of the load"):format(s.off) -- float rounding
end

return scene, {
  vary = { by = { 1, 2, 3 }, factor = { 0.25, 4 }, armature = { 0, 5 }, margin = { 1.05, 10 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
