-- Create a world from plain data. Errors contain the path.

local arguments = require "impel.base.arguments"
local core = require "impel.core"
local nearest = require "impel.base.nearest"
local schema = require "impel.data.schema"

local load_data = {}

-- Coordinates with a smaller relative difference are equal except for rounding in their text.
local SAME_PLACE = 1e-9

-- Return the result of a call, or raise with the path.
local function settle(path, ok, result)
  if ok then return result end
  schema.fail(path, "%s", (tostring(result):gsub("^[^\n]-:%d+: ", "")))
end

local function call(path, method, ...) return settle(path, pcall(method, ...)) end

-- Return the fields of a table except those in `own`, with a copy of the user's data.
local function options_of(t, path, own)
  local options = {}
  for key, value in next, t do
    if not own[key] then options[key] = value end
  end
  options.data = schema.copy(t.data, path .. ".data")
  return options
end

local own_keys = {
  world = { format = true, version = true, title = true, about = true, duration = true, view = true, bodies = true,
            joints = true, fields = true },
  body = { center = true, shapes = true, mover = true },
  mover = {},
  shape = { type = true, order = true },
  field = { bodies = true, except = true },
  joint = { kind = true, a = true, b = true, body = true, joint1 = true, joint2 = true, idle = true },
}

local Load = {}
Load.__index = Load

-- Return the indices of the first and second object per name.
local function numbers_of(list)
  local numbers, seconds = {}, {}
  for i = 1, #list do
    local name = list[i].name
    if name ~= nil and not numbers[name] then
      numbers[name] = i
    elseif name ~= nil and not seconds[name] then
      seconds[name] = i
    end
  end
  return { first = numbers, second = seconds }
end

-- Return text such as "bodies[1] and bodies[3]" if two objects have the name `reference`, otherwise nil.
local function ambiguous(numbers, reference, what)
  local second = numbers.second[reference]
  if not second then return nil end
  local list = what == "body" and "bodies" or "joints"
  return ("%s[%d] and %s[%d]"):format(list, numbers.first[reference], list, second)
end

-- Return the index of an object given by number or name. `made`: number of objects created so far.
local function find(reference, list, numbers, made, path, what)
  local two = ambiguous(numbers, reference, what)
  if two then schema.fail(path, "%s are both named '%s': give a number", two, arguments.short(reference)) end
  local number = numbers.first[reference] or type(reference) == "number" and math.tointeger(reference)
  if number then
    if number >= 1 and number <= made then return number end
    if number == made + 1 and number <= #list then schema.fail(path, "%s %d is this %s itself", what, number, what) end
    if number >= 1 and number <= #list then schema.fail(path, "%s %d comes later in the list; only an earlier one can "
      .. "be used", what, number) end
    schema.fail(path, "no %s %d: the list has %d", what, number, #list)
  end
  local names = {}
  for i = 1, #list do names[#names + 1] = list[i].name end
  schema.fail(path, "no %s '%s'%s", what, arguments.short(reference), nearest.hint(reference, names))
end

-- Return a body by number or name; 0 is the ground.
function Load:find_body(reference, path)
  local is_ground = reference == 0 or reference == "ground" and not self.body_numbers.first.ground
  if is_ground then return self.world.ground end
  return self.bodies[find(reference, self.data.bodies or {}, self.body_numbers, #self.bodies, path, "body")]
end

-- Return a joint or coordinate of the world.
function Load:find_term(reference, path)
  local number = find(type(reference) == "table" and reference.joint or reference, self.data.joints,
    self.joint_numbers, #self.joints, path, "joint")
  local joint = self.joints[number]
  if type(reference) ~= "table" then return joint end
  return call(path .. ".coordinate", joint.coordinate, joint, reference.coordinate)
end

-- Fields of a body that has a mover: options of world:mover, and fields that the mover determines.
local of_mover = { name = true, type = true, position = true, velocity = true, data = true, mover = true, center = true,
                   shapes = true }

local function set(body, key, value) body[key] = value end

-- Create a mover, and set the fields of its body that are not in of_mover.
function Load:make_mover(t, path)
  local options = options_of(t.mover, path .. ".mover", own_keys.mover)
  options.name, options.position, options.data = t.name, t.position, schema.copy(t.data, path .. ".data")
  local body = call(path .. ".mover", self.world.mover, self.world, options).body
  for key, value in next, t do
    if not of_mover[key] then call(path .. "." .. key, set, body, key, value) end
  end
  return body
end

function Load:make_bodies()
  self.body_numbers, self.joint_numbers = numbers_of(self.data.bodies or {}), numbers_of(self.data.joints or {})
  for i, t in ipairs(self.data.bodies or {}) do
    local path = ("bodies[%d]"):format(i)
    if t.mover then
      self.bodies[i] = self:make_mover(t, path)
    else
      local options = options_of(t, path, own_keys.body)
      -- If the body is disabled, Load:place sets the velocities later.
      if t.enabled == false then options.velocity, options.angular_velocity = nil, nil end
      self.bodies[i] = call(path, self.world.body, self.world, options)
    end
    self.places[self.bodies[i]] = i
  end
end

-- Create the shapes of all bodies in the order of their creation in the exported world.
function Load:make_shapes()
  local list, ordered = {}, true
  for i, body in ipairs(self.data.bodies or {}) do
    for k, t in ipairs(body.shapes or {}) do
      list[#list + 1] = { body = i, number = k, place = #list + 1, order = t.order or 0, t = t }
      ordered = ordered and not t.order
    end
  end
  if not ordered then
    table.sort(list, function(a, b)
      if a.order ~= b.order then return a.order < b.order end
      return a.place < b.place
    end)
  end
  for _, shape in ipairs(list) do
    local path = ("bodies[%d].shapes[%d]"):format(shape.body, shape.number)
    local body = self.bodies[shape.body]
    call(path, body[shape.t.type], body, options_of(shape.t, path, own_keys.shape))
  end
end

local function coordinates(vector)
  if not vector then return 0, 0 end
  return vector[1] or vector.x, vector[2] or vector.y
end

local function place_center(body, center, path)
  local x, y = body:center()
  local cx, cy = coordinates(center)
  local px, py = body:position()
  local size = math.abs(x) + math.abs(y) + math.abs(px) + math.abs(py)
  if math.abs(x - cx) + math.abs(y - cy) > SAME_PLACE * size then
    schema.fail(path, "position and shapes put the centre of mass at { %.14g, %.14g }, but center is { %.14g, %.14g }: "
      .. "correct center, or leave it out", x, y, cx, cy)
  end
  if x ~= cx or y ~= cy then body:set_center(cx, cy) end
end

-- Return whether two numbers are equal; 0 and -0 are not.
local function same(x, y) return x == y and 1 / x == 1 / y end

-- Set position, centre and velocity of a body again, because adding its shapes has changed them.
function Load:place(i)
  local body, t = self.bodies[i], self.data.bodies[i]
  local x, y = body:position()
  local px, py = coordinates(t.position)
  if x ~= px or y ~= py then body:set_position(px, py) end
  if t.center then place_center(body, t.center, ("bodies[%d].center"):format(i)) end
  local w = t.angular_velocity or 0
  -- While fixed_rotation is true, body:set_velocity and body.angular_velocity = w set the angular velocity to 0.
  local turns = t.fixed_rotation and w ~= 0
  if turns then body.fixed_rotation = false end
  local vx, vy = body:velocity()
  local wx, wy = coordinates(t.velocity)
  if not (same(vx, wx) and same(vy, wy)) then
    body:set_velocity(wx, wy)
    -- body:set_velocity overwrote the velocity of the mover
    if t.mover then body.mover:set_velocity(coordinates(t.mover.velocity)) end
  end
  if not same(body.angular_velocity, w) then body.angular_velocity = w end
  if turns then body.fixed_rotation = true end
end

-- Create a joint without a dynamic body, by making one of its bodies dynamic meanwhile.
function Load:make_idle(make, bodies, terms)
  for _, term in ipairs(terms) do
    local joint = getmetatable(term) == "joint" and term or term.joint
    bodies[#bodies + 1], bodies[#bodies + 2] = joint.body_a, joint.body_b
  end
  local body
  for _, candidate in ipairs(bodies) do
    if candidate ~= self.world.ground then body = candidate end
  end
  if not body then return make() end -- all bodies are the ground: make raises an error
  local before = body.type
  body.type = "dynamic"
  local joint = make()
  body.type = before
  local place = self.places[body]
  if place then self:place(place) end
  return joint
end

function Load:make_joint(t, path)
  local options = options_of(t, path, own_keys.joint)
  local terms, bodies = {}, {}
  for _, key in ipairs { "joint1", "joint2" } do
    if t[key] then
      options[key] = self:find_term(t[key], path .. "." .. key)
      terms[#terms + 1] = options[key]
    end
  end
  for _, key in ipairs { "a", "b", "body" } do
    if t[key] then bodies[#bodies + 1] = self:find_body(t[key], path .. "." .. key) end
  end
  local given = { table.unpack(bodies) }
  given[#given + 1] = options
  local function make() return call(path, self.world[t.kind], self.world, table.unpack(given)) end
  if t.idle then return self:make_idle(make, bodies, terms) end
  return make()
end

function Load:make_joints()
  for i, t in ipairs(self.data.joints or {}) do
    self.joints[i] = self:make_joint(t, ("joints[%d]"):format(i))
  end
end

function Load:make_fields()
  for i, t in ipairs(self.data.fields or {}) do
    local path = ("fields[%d]"):format(i)
    local options = options_of(t, path, own_keys.field)
    for _, key in ipairs { "bodies", "except" } do
      for k, reference in ipairs(t[key] or {}) do
        options[key] = options[key] or {}
        options[key][k] = self:find_body(reference, ("%s.%s[%d]"):format(path, key, k))
      end
    end
    if t.bodies and not options.bodies then options.bodies = {} end
    call(path, self.world.field, self.world, options)
  end
end

-- Put bodies with awake = false to sleep, with their islands. Raise if a body without awake = false then sleeps too.
function Load:put_to_sleep()
  local sleeping = false
  for i, t in ipairs(self.data.bodies or {}) do
    if t.awake == false then
      sleeping = true
      if self.bodies[i].awake then self.bodies[i].awake = false end
    end
  end
  for i, t in ipairs(sleeping and self.data.bodies or {}) do
    local body = self.bodies[i]
    local moves = body.type == "dynamic" or body.type == "particle"
    if moves and body.enabled and not body.awake and t.awake ~= false then
      schema.fail(("bodies[%d].awake"):format(i), "a joint connects this body to a sleeping body, so awake must be "
        .. "false")
    end
  end
end

local QUOTAS = { "max_bodies", "max_shapes", "max_joints", "max_contacts" }

-- Set the quotas last, because the data may have more objects than a quota allows.
function Load:set_quotas(quotas)
  for _, name in ipairs(QUOTAS) do self.world[name] = quotas[name] or 0 end
end

function Load:run(seed)
  schema.check(self.data)
  local options, quotas = options_of(self.data, "", own_keys.world), {}
  if options.seed == nil then options.seed = seed end
  for _, name in ipairs(QUOTAS) do quotas[name], options[name] = options[name], nil end
  self.world = call("", core.world, options)
  self:make_bodies()
  self:make_shapes()
  for i = 1, #self.bodies do self:place(i) end
  self:make_joints()
  self:make_fields()
  self:put_to_sleep()
  self:set_quotas(quotas)
end

--- Create a world from data, or return nil and a message, which begins with the path of the invalid value.
---@param seed integer|nil  used if the data has no seed
function load_data.world(data, seed)
  local job = setmetatable({ data = data, bodies = {}, joints = {}, places = {} }, Load)
  local ok, message = pcall(job.run, job, seed)
  if ok then return job.world end
  if job.world then job.world:destroy() end
  return nil, message
end

return load_data
