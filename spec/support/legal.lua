-- Legal arguments of every method in core.api() that takes arguments, by class and name. An integer marks an argument
-- that must be an integer. An entry that is a function gets the objects of a scene (a table by class) and returns the
-- arguments. The objects include `ground` (a shape), `floor` (the body of `ground`), `slider` (a joint) and `second` (a
-- second joint that rotates).
local core = require "impel.core"

local function the_pair(objects) return { objects.floor, objects.body, {} } end

local function the_body(objects) return { objects.body } end

local legal = {
  ["world.step"] = { 1 },
  ["world.body"] = { { type = "static" } },
  ["world.field"] = { { kind = "uniform", acceleration = { 0, -1 } } },
  ["world.find"] = { "crate" },
  ["world.on"] = { "step", function() end },
  ["world.events"] = { "hit" },
  ["world.material"] = { "ice", { friction = 0.5 } },
  ["world.mix"] = { "ice", "rubber", { friction = 0.5 } },
  ["world.mixed"] = { "ice", "rubber" },
  ["world.mix_rule"] = { "friction", function() end },
  ["world.set_gravity"] = { 0.5, -9.5 },
  ["world.random"] = { 1, 6 },
  ["world.counts"] = { {} },
  ["world.profile"] = { {} },
  ["world.residual"] = { {} },
  ["world.audit"] = { {} },
  ["world.export"] = { {} },
  ["world.raycast"] = { 0.5, 5.5, 0.5, -5.5, {}, {} },
  ["world.raycast_any"] = { 0.5, 5.5, 0.5, -5.5, {} },
  ["world.raycast_all"] = { 0.5, 5.5, 0.5, -5.5, {}, {} },
  ["world.raycast_many"] = { { 0.5, 5.5, 0.5, -5.5 }, {}, {} },
  ["world.shapecast"] = function(objects) return { objects.shape, 0.5, -5.5, {}, {} } end,
  ["world.shapecast_all"] = function(objects) return { objects.shape, 0.5, -5.5, {}, {} } end,
  ["world.nearest"] = { 0.5, 5.5, 9.5, {}, {} },
  ["world.overlap_point"] = { 0.5, 0.5, {}, {} },
  ["world.overlap_box"] = { 0.5, 0.5, 1.5, 1.5, {}, {} },
  ["world.overlap_circle"] = { 0.5, 0.5, 1.5, {}, {} },
  ["world.overlap_shape"] = function(objects) return { objects.shape, {}, {} } end,
  ["world.shape_at"] = { 0.5, 0.5, {} },
  ["world.closest"] = function(objects) return { objects.shape, objects.ground } end,
  ["world.time_of_impact"] = function(objects)
    return { objects.shape, { travel = { 0, -1 } }, objects.ground, {}, 0.5 }
  end,
  ["world.read"] = function(objects) return { { objects.body }, {}, "position angle" } end,
  ["world.write"] = function(objects)
    return { { objects.body }, { 0.5, 0.5, 0.5, 0.5, 0.5, 0.5 }, "position angle velocity angular_velocity" }
  end,
  ["world.restore"] = { core.world({}):snapshot() },
  ["world.save"] = { "/dev/null" },
  ["world.load"] = { "/dev/null" },
  ["world.snapshot"] = { {} },
  ["world.state"] = { {}, {} },
  ["world.forget_state"] = { {} },
  ["world.difference"] = { core.world({}):snapshot() },
  ["world.record"] = { "/dev/null", {} },
  ["playback.seek"] = { 1 },
  ["playback.rewind"] = { 0 },
  ["playback.place"] = { 1 },
  ["body.set_look"] = { { color = "red" } },
  ["shape.set_look"] = { { color = "red" } },
  ["body.set_position"] = { 0.5, 0.5 },
  ["body.set_center"] = { 0.5, 0.5 },
  ["body.set_pose"] = { 0.5, 0.5, 0.5 },
  ["body.move_to"] = function(objects)
    if objects.body:is_valid() then objects.body.type = "kinematic" end
    return { 0.5, 0.5, 0.5 }
  end,
  ["body.set_velocity"] = { 0.5, 0.5 },
  ["body.velocity_at"] = { 0.5, 0.5 },
  ["body.world_point"] = { 0.5, 0.5 },
  ["body.local_point"] = { 0.5, 0.5 },
  ["body.world_vector"] = { 0.5, 0.5 },
  ["body.local_vector"] = { 0.5, 0.5 },
  ["body.apply_force"] = { 0.5, 0.5, 0.5, 0.5 },
  ["body.apply_torque"] = { 0.5 },
  ["body.apply_impulse"] = { 0.5, 0.5, 0.5, 0.5 },
  ["body.apply_angular_impulse"] = { 0.5 },
  ["body.circle"] = { { radius = 1 } },
  ["body.box"] = { { 1, 1 } },
  ["body.polygon"] = { { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } } },
  ["body.capsule"] = { { from = { 0, 0 }, to = { 1, 0 }, radius = 1 } },
  ["body.segment"] = { { from = { 0, 0 }, to = { 1, 0 } } },
  ["body.chain"] = { { points = { { 1, 0 }, { 0, 0 } } } },
  ["body.heights"] = { { values = { 1, 0 }, spacing = 1 } },
  ["shape.contains"] = { 0.5, 0.5 },
  ["shape.closest"] = { 0.5, 0.5 },
  ["shape.raycast"] = { 0.5, 5.5, 0.5, -5.5, {} },
  ["shape.set_one_way"] = { 0.5, 0.5 },
  ["contact.point"] = { 1 },
  ["contact.feature"] = { 1 },
  ["field.set_acceleration"] = { 0.5, 0.5 },
  ["field.set_force"] = { 0.5, 0.5 },
  ["field.set_center"] = { 0.5, 0.5 },
  ["field.set_velocity"] = { 0.5, 0.5 },
  ["field.set_region"] = { 0.5, 0.5, 1.5, 1.5 },
  ["field.acts_on"] = the_body,
  ["field.add"] = the_body,
  ["field.remove"] = the_body,
  ["world.mover"] = { { height = 1.5 } },
  ["mover.set_position"] = { 0.5, 0.5 },
  ["mover.set_velocity"] = { 0.5, 0.5 },
  ["mover.jump"] = { 0.5 },
  ["mover.set_height"] = { 1.5 },
  ["mover.move"] = { 0.5, 0.5 },
  ["qp.solve"] = { { H = { 1 } }, {} },
  ["qp.multipliers"] = { {}, {} },
  -- Functions that create joints. The loop below adds the joints that are not listed here.
  ["world.ratchet"] = function(objects) return { objects.floor, objects.body, { pitch = 0.5 } } end,
  ["world.drag"] = function(objects) return { objects.body, { target = { 0.5, 0.5 } } } end,
  ["world.pulley"] = function(objects)
    return { objects.floor, objects.body, { ground_a = { 0, 5 }, ground_b = { 1, 5 } } }
  end,
  ["world.gear"] = function(objects) return { { joint1 = objects.joint, joint2 = objects.second } } end,
  ["world.rack"] = function(objects) return { { joint1 = objects.joint, joint2 = objects.slider } } end,
  ["world.constraint"] = function(objects) return { objects.body, { C = function(a) return a.x end } } end,
  ["joint.coordinate"] = { 1 },
  ["joint.set_target"] = { 0.5, 0.5 },
  ["coordinate.drives"] = { {} },
  ["coordinate.set_force"] = { 0.5 },
  ["coordinate.set_limit"] = { -0.5, 0.5 },
  ["coordinate.set_lock"] = { 0.5 },
  ["coordinate.set_motor"] = { { speed = 0.5 } },
  ["coordinate.set_servo"] = { { target = 0.5 } },
  ["coordinate.set_spring"] = { { hertz = 0.5 } },
  ["coordinate.set_target"] = { 0.5 },
}

for _, entry in ipairs(core.api().world) do
  local call = "world." .. entry.name
  if entry.coordinates and not legal[call] then legal[call] = the_pair end
end

return legal
