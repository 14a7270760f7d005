-- Export of a world as plain data, for world:export().

local schema = require "impel.data.schema"

local export = {}

-- Options that depend on the machine and do not change results.
local of_the_machine = { threads = true, lanes = true }

-- Convert whole numbers to integers, for readability; -0.0 stays a float, because an integer has no -0.
local function tidy(value)
  if type(value) == "table" then
    for key, item in next, value do value[key] = tidy(item) end
  elseif math.type(value) == "float" and (value ~= 0 or 1 / value > 0) and math.abs(value) < 2 ^ 53 then
    return math.tointeger(value) or value
  end
  return value
end

local Export = {}
Export.__index = Export

function Export:add_data(t, data, object)
  local plain, copy = pcall(schema.copy, data, "data")
  if plain then t.data = copy else self:leave_out(("data of %s"):format(tostring(object))) end
end

function Export:leave_out(what) self.left_out[#self.left_out + 1] = what end

-- Raise because `what` cannot be exported. With `partial`, add `what` to the list of data left out instead.
function Export:refuse(what, why)
  if not self.partial then
    error(("%s %s (world:export { partial = true } leaves out such data)"):format(what, why), 0)
  end
  self:leave_out(what)
end

function Export:refuse_function(options, key, object)
  if options[key] then self:refuse(("%s of %s"):format(key, tostring(object)), "is a function, not data") end
  options[key] = nil
end

-- Return the options of an object, and the user's data separately.
local function options_of(object)
  local options = object:options()
  local data = options.data
  options.data = nil
  return options, data
end

-- Remove a shape's density if the shape is lighter than constructors accept. Return whether the density was removed.
function Export:bound_density(options, shape)
  local body = shape.body
  local dynamic = body.type == "dynamic" or body.type == "particle"
  local weighs = dynamic and not body:options().mass and shape.area > 0
  local least = schema.tables().body.index.mass.lower
  local light = shape.density * shape.area < least and not (shape.density == 0 and shape.sensor)
  if not (weighs and light) then return false end
  self:refuse(("density of %s"):format(tostring(shape)), ("makes the shape lighter than %g kg"):format(least))
  options.density = nil
  return true
end

-- Return a shape's data, and whether the data lacks its density.
function Export:shape(shape)
  local options, data = options_of(shape)
  local other_mass = self:bound_density(options, shape)
  self:refuse_function(options, "filter", shape)
  local t = tidy(options)
  t.type = shape.type
  self:add_data(t, data, shape)
  self.shapes[#self.shapes + 1] = { id = shape.id, entry = t }
  return t, other_mass
end

-- Return whether t[key] is in the range that constructors accept. If it is not, call `refuse`, and clamp t.position or
-- remove another key. All keys for which this is called must have the range of angular_velocity.
function Export:bound(t, key, object)
  local most, value = schema.tables().body.index.angular_velocity.upper, t[key]
  local x, y = value, 0
  if type(value) == "table" then x, y = value[1], value[2] end
  if not value or math.max(math.abs(x), math.abs(y)) <= most then return true end
  self:refuse(("%s of %s"):format(key, tostring(object)), ("is beyond %.0f, the constructors' limit"):format(most))
  local function cut(z) return math.max(-most, math.min(z, most)) end
  t[key] = key == "position" and { cut(x), cut(y) } or nil
  return false
end

function Export:body(body)
  local options, data = options_of(body)
  self:bound(options, "velocity", body)
  self:bound(options, "angular_velocity", body)
  local placed = self:bound(options, "position", body)
  local t = tidy(options)
  local x, y = body:position()
  local cx, cy = body:center()
  if placed and (x ~= cx or y ~= cy) then
    t.center = tidy { cx, cy }
    self:bound(t, "center", body)
  end
  self:add_data(t, data, body)
  local mover, shapes, first = self.movers[body], {}, true
  if mover then
    local own = options_of(mover)
    self:bound(own, "velocity", mover)
    t.mover = tidy(own)
    t.mover.name, t.mover.position = nil, nil
  end
  for shape in body:shapes() do
    if not (mover and first) then -- the constructor of a mover creates the first shape
      local entry, other_mass = self:shape(shape)
      shapes[#shapes + 1] = entry
      if other_mass then t.center = nil end -- the centre is computed from the shapes when the data is loaded
    end
    first = false
  end
  if shapes[1] then t.shapes = shapes end
  return t
end

-- Number the shapes in the order of their creation, unless the list already has this order.
function Export:number_shapes()
  local ordered = true
  for i = 2, #self.shapes do ordered = ordered and self.shapes[i - 1].id < self.shapes[i].id end
  if ordered then return end
  table.sort(self.shapes, function(a, b) return a.id < b.id end)
  for i, shape in ipairs(self.shapes) do shape.entry.order = i end
end

-- Store in t[key] the number of a joint, or for a coordinate { joint = number, coordinate = name }. Return whether the
-- joint is in the data, and the joint.
function Export:term(t, key, term)
  local is_joint = getmetatable(term) == "joint"
  local joint = is_joint and term or term.joint
  local number = self.joint_numbers[joint]
  t[key] = is_joint and number or { joint = number, coordinate = term.name }
  return number ~= nil, joint
end

-- Return whether no body of a joint is dynamic. The constructor does not accept such a joint.
local function is_idle(joint)
  for _, body in ipairs { joint:bodies() } do
    if body.type == "dynamic" or body.type == "particle" then return false end
  end
  return true
end

-- Return the data of a joint, or nil if it is left out.
function Export:joint(joint)
  if joint.kind == "constraint" then
    self:refuse(tostring(joint), "is defined by a function, not data")
    return nil
  end
  local options, data = options_of(joint)
  self:refuse_function(options, "break_if", joint)
  local terms = { joint1 = options.joint1, joint2 = options.joint2 }
  options.joint1, options.joint2 = nil, nil
  local t = tidy(options)
  t.kind = joint.kind
  for _, key in ipairs { "joint1", "joint2" } do
    if terms[key] then
      local there, other = self:term(t, key, terms[key])
      if not there then
        self:refuse(tostring(joint), ("couples %s, which cannot be exported"):format(tostring(other)))
        return nil
      end
    end
  end
  if not terms.joint1 then
    local taken = schema.tables().joint[joint.kind].index
    if taken.a then t.a = self.numbers[joint.body_a] or 0 end
    t[taken.b and "b" or "body"] = self.numbers[joint.body_b] or 0
  end
  if is_idle(joint) then t.idle = true end
  self:add_data(t, data, joint)
  return t
end

-- Return the numbers of bodies.
function Export:numbers_of(bodies)
  local list = bodies and {}
  for i, body in ipairs(bodies or {}) do list[i] = self.numbers[body] end
  return list
end

-- Return the data of a force field, or nil if it is left out.
function Export:field(force)
  if force.kind == "custom" then
    self:refuse(tostring(force), "is defined by a function, not data")
    return nil
  end
  local options, data = options_of(force)
  local bodies, except = self:numbers_of(options.bodies), self:numbers_of(options.except)
  options.bodies, options.except = bodies, except
  local t = tidy(options)
  self:add_data(t, data, force)
  return t
end

function Export:run(world)
  local friction, restitution = world:mix_rules()
  self:refuse_function({ mix_rule = friction }, "mix_rule", "friction")
  self:refuse_function({ mix_rule = restitution }, "mix_rule", "restitution")
  local data = tidy(world:options())
  for name in pairs(of_the_machine) do data[name] = nil end
  data.format, data.version = schema.FORMAT, schema.VERSION
  data.bodies, data.joints = {}, {}
  for mover in world:movers() do self.movers[mover.body] = mover end
  for body in world:bodies() do
    self.numbers[body] = #data.bodies + 1
    data.bodies[#data.bodies + 1] = self:body(body)
  end
  self:number_shapes()
  for joint in world:joints() do
    local t = self:joint(joint)
    if t then
      data.joints[#data.joints + 1] = t
      self.joint_numbers[joint] = #data.joints
    end
  end
  for force in world:fields() do
    local t = self:field(force)
    if t then
      data.fields = data.fields or {}
      data.fields[#data.fields + 1] = t
    end
  end
  return data
end

--- Export a world as plain data, between two steps.
---@param partial boolean|nil  leave out objects that cannot be data
---@return table|nil data
---@return string[]|string left_out  names, or a message
function export.world(world, partial)
  local job = setmetatable({
    partial = partial, left_out = {}, shapes = {},
    movers = {},        -- body -> mover of the body
    numbers = {},       -- body -> index in bodies
    joint_numbers = {}, -- joint -> index in joints
  }, Export)
  local ok, data = pcall(job.run, job, world)
  if ok then return data, job.left_out end
  return nil, data
end

return export
