-- A world as plain data: what the constructors would take to make each of its objects again as it is now. The work of
-- world:export(). What a load does not bring back stands in the README of the scripts.

local schema = require "impel.data.schema"

local export = {}

-- They decide how this machine computes and change no result.
local of_the_machine = { threads = true, lanes = true }

-- Whole numbers as integers, for readers; -0.0 stays a float, which alone has its sign.
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

-- Plain data of the user's is kept, all else is told of.
function Export:add_data(t, data, object)
  local plain, copy = pcall(schema.copy, data, "data")
  if plain then t.data = copy else self:leave_out(("data of %s"):format(tostring(object))) end
end

function Export:leave_out(what) self.left_out[#self.left_out + 1] = what end

-- What cannot be data ends the export, unless a part of the world is enough.
function Export:refuse(what, why)
  if not self.partial then error(("%s %s (export { partial = true } leaves it out)"):format(what, why), 0) end
  self:leave_out(what)
end

function Export:refuse_function(options, key, object)
  if options[key] then self:refuse(("%s of %s"):format(key, tostring(object)), "is a function, which is no data") end
  options[key] = nil
end

-- The options of an object, without `data`.
local function options_of(object)
  local options = object:options()
  local data = options.data
  options.data = nil
  return options, data
end

-- Shapes that were added to a static or kinematic body may be too light for what it is now. Returns whether the density
-- is left out.
function Export:bound_density(options, shape)
  local body = shape.body
  local dynamic = body.type == "dynamic" or body.type == "particle"
  local weighs = dynamic and not body:options().mass and shape.area > 0
  local least = schema.tables().body.index.mass.lower
  local light = shape.density * shape.area < least and not (shape.density == 0 and shape.sensor)
  if not (weighs and light) then return false end
  self:refuse(("density of %s"):format(tostring(shape)), ("makes less than the %g kg that a shape has"):format(least))
  options.density = nil
  return true
end

-- The data of a shape, and whether its mass is another.
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

-- A body may be farther out or faster than a constructor takes, by impulses or as shapes draw its centre out. The
-- bound of these numbers is that of angular_velocity.
function Export:bound(t, key, object)
  local most, value = schema.tables().body.index.angular_velocity.upper, t[key]
  local x, y = value, 0
  if type(value) == "table" then x, y = value[1], value[2] end
  if not value or math.max(math.abs(x), math.abs(y)) <= most then return true end
  self:refuse(("%s of %s"):format(key, tostring(object)), ("is beyond %.0f, which no constructor takes"):format(most))
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
    if not (mover and first) then -- its first shape a mover makes itself
      local entry, other_mass = self:shape(shape)
      shapes[#shapes + 1] = entry
      if other_mass then t.center = nil end -- it follows from the masses that the shapes are going to have
    end
    first = false
  end
  if shapes[1] then t.shapes = shapes end
  return t
end

-- Shapes are numbered by their creation where that is not the order in which they are listed.
function Export:number_shapes()
  local ordered = true
  for i = 2, #self.shapes do ordered = ordered and self.shapes[i - 1].id < self.shapes[i].id end
  if ordered then return end
  table.sort(self.shapes, function(a, b) return a.id < b.id end)
  for i, shape in ipairs(self.shapes) do shape.entry.order = i end
end

-- A joint stands for its own coordinate; any other is named.
function Export:term(t, key, term)
  local is_joint = getmetatable(term) == "joint"
  local joint = is_joint and term or term.joint
  local number = self.joint_numbers[joint]
  t[key] = is_joint and number or { joint = number, coordinate = term.name }
  return number ~= nil, joint
end

-- Whether no force moves any of its bodies. It could not be made like that: a body has changed its type since.
local function is_idle(joint)
  for _, body in ipairs { joint:bodies() } do
    if body.type == "dynamic" or body.type == "particle" then return false end
  end
  return true
end

-- The data of a joint, or nothing when it is left out.
function Export:joint(joint)
  if joint.kind == "constraint" then
    self:refuse(tostring(joint), "is made of a function, which is no data")
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
        self:refuse(tostring(joint), ("couples %s, which is no data"):format(tostring(other)))
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

-- Bodies by their numbers.
function Export:numbers_of(bodies)
  local list = bodies and {}
  for i, body in ipairs(bodies or {}) do list[i] = self.numbers[body] end
  return list
end

-- The data of a force field, or nothing when it is left out.
function Export:field(force)
  if force.kind == "custom" then
    self:refuse(tostring(force), "is made of a function, which is no data")
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

--- A world as plain data, between two steps.
---@param world impel.world
---@param partial boolean|nil  leave out what is no data instead of giving up
---@return table|nil data
---@return string[]|string left_out  what the data does not hold; or why there is no data
function export.world(world, partial)
  local job = setmetatable({
    partial = partial, left_out = {}, shapes = {},
    movers = {},        -- body -> its mover
    numbers = {},       -- body -> its place in bodies
    joint_numbers = {}, -- joint -> its place in joints
  }, Export)
  local ok, data = pcall(job.run, job, world)
  if ok then return data, job.left_out end
  return nil, data
end

return export
