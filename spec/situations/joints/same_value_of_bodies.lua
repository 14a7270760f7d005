-- Setting a property of a body, shape or field to its current value in each step does not keep bodies at rest awake.
-- Source: godot pull request 118884 and issue 108656 (setting a speed of 0 keeps a body awake), godot-jolt pull request
-- 267 (setters wake a body only if the value changes).
local impel = require "impel"

local scene = {
  title = "Same value of bodies", about = "Setting a property to its current value wakes no body.", duration = 2.5,
  units = { moved = "m" },
}
scene.params = { what = { 1, help = "property set in each step: index into KINDS in the scene's file" }, stack = 1 }

-- Return { name, function }. The function sets the property to its current value before each step.
local function again(name)
  return { name, function(body) body[name] = body[name] end }
end

local KINDS = {
  { "velocity", function(body) body:set_velocity(0, 0) end },
  { "angular_velocity", function(body) body.angular_velocity = 0 end },
  again "linear_damping", again "angular_damping", again "gravity_scale", again "mass", again "inertia",
  again "fixed_rotation", again "lock_x", again "bullet", again "allow_sleep", again "max_speed", again "enabled",
  again "type",
  { "surface of its shape", function(body)
    for shape in body:shapes() do
      shape.friction, shape.restitution, shape.surface_speed = shape.friction, shape.restitution, shape.surface_speed
    end
  end },
  { "density of its shape", function(body)
    for shape in body:shapes() do shape.density = shape.density end
  end },
  { "acceleration of a field", function(_, field) field:set_acceleration(field:acceleration()) end },
  { "enabled of a field", function(_, field) field.enabled = true end },
  { "pose of the floor", function(_, _, floor) floor:set_position(floor:position()) floor.angle = floor.angle end },
  { "velocity of a kinematic floor", function(_, _, floor)
    floor:set_velocity(0, 0)
    floor.angular_velocity = 0
  end, "kinematic" },
  { "pose of a kinematic floor", function(_, _, floor) floor:set_position(floor:position()) end, "kinematic" },
}

function scene.setup(p)
  local world = impel.world {}
  local floor = world:body { type = KINDS[p.what][3] or "static", position = { 0.1, -0.3 } }
  floor:box { 20, 1, center = { -0.1, -0.2 } }
  -- Friction holds the boxes against the field's horizontal force.
  local field = world:field { kind = "uniform", acceleration = { 0.5, -1 } }
  local s = { world = world, field = field, floor = floor, boxes = {}, p = p }
  for i = 1, p.stack do
    s.boxes[i] = world:body { position = { 0, i - 0.5 }, linear_damping = 0.1 }
    s.boxes[i]:box { 1, 1 }
  end
  return s
end

function scene.update(s)
  KINDS[s.p.what][2](s.boxes[#s.boxes], s.field, s.floor)
  -- Check from 1 s on, because bodies usually fall asleep after 0.5 s of rest.
  if s.world.time > 1 and s.boxes[1].awake then s.awake = s.world.time end
end

function scene.measure(s)
  local moved = 0
  for i, box in ipairs(s.boxes) do
    local x, y = box:position()
    moved = math.max(moved, math.abs(x), math.abs(y - i + 0.5))
  end
  return { moved = moved, awake = s.awake or 0 }
end

function scene.check(s)
  local moved = scene.measure(s).moved
  return not s.awake, ("%s: the lowest box is awake at %.2f s"):format(KINDS[s.p.what][1], s.awake or 0),
    -- The slop of 5 mm, plus 1 mm by which soft contacts yield to the weight.
    moved < 0.006, ("a box moves by %.4f m"):format(moved)
end

local all = {}
for i = 1, #KINDS do all[i] = i end

return scene, { vary = { what = all, stack = { 1, 3 } } }
