-- The tasks of impel.optimal. Each task sets the desired acceleration a of a quantity y(q):
--
--   { kind = "center", target = { 0, 0.9 } }              the centre of mass
--   { kind = "point", body = hand, point = { 0.2, 0 }, target = { 1, 1 } }
--   { kind = "angle", body = torso, target = 0 }          the angle of a body
--   { kind = "joint", joint = knee, target = -0.4 }       first coordinate of a joint, or a given coordinate
--   { kind = "posture" }                                  all joints; target: a list, default the present values
--   { kind = "momentum" }                                 angular momentum about the centre of mass; only damping
--
--   a = target_acceleration + stiffness (target - y) + damping (target_speed - y'),   y'' = J qdd + J'qd
--   cost: weight |y'' - a|^2
--
-- Defaults: stiffness 100 [1/s^2], damping 20 [1/s], critically damped. All fields but kind, body and joint may change.

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"

local tasks = {}

-- Number of components of y, for each kind of task; 0: as many as there are coordinates.
local MEASURES = { center = 2, point = 2, angle = 1, joint = 1, posture = 0, momentum = 1 }

-- Options of a task. `of`: the kinds of tasks that have the option; default: all kinds.
local AIMED = { center = true, point = true, angle = true, joint = true }
local FIELDS = {
  kind = { "choice", "center", "point", "angle", "joint", "posture", "momentum" },
  body = { "body", optional = true, of = { point = true, angle = true } },
  joint = { "any", optional = true, of = { joint = true } },
  point = { "point", optional = true, unit = "m", of = { point = true } },
  target = { "any", optional = true, of = { center = true, point = true, angle = true, joint = true, posture = true } },
  target_speed = { "any", optional = true, of = AIMED },
  target_acceleration = { "any", optional = true, of = AIMED },
  stiffness = {
    "number", min = 0, default = 100, unit = "1/s^2",
    of = { center = true, point = true, angle = true, joint = true, posture = true },
  },
  damping = { "number", min = 0, optional = true, unit = "1/s" },
  weight = { "number", min = 0, default = 1, unit = "1" },
  only = { "choice", "x", "y", optional = true, of = { center = true, point = true } },
}

-- Return a copy of a field's value, or the default.
local function wanted(what, value, pair, default)
  if value == nil then value = default end
  arguments.check(what, value, pair and { "point" } or { "number" })
  return pair and { value[1] + 0.0, value[2] + 0.0 } or value
end

-- Return the present value of the quantity that the task controls.
local function present(task, mb)
  if task.kind == "center" then
    local x, y = mb:center()
    return { x, y }
  end
  if task.kind == "point" then return { task.body:world_point(task.point[1], task.point[2]) } end
  if task.kind == "angle" then return task.body.angle end
  if task.kind == "joint" then return mb.q[task.place] end
  return 0
end

-- Return a number for each coordinate; those of a floating base are not used.
local function posture_target(what, target, mb)
  local list = {}
  for k = 1, mb.size do
    local value = mb.q[k]
    if target ~= nil then value = arguments.check(("%s[%d]"):format(what, k), target[k], { "number" }) end
    list[k] = value
  end
  return list
end

-- Return the index of a coordinate, or of the first coordinate of a joint, in the multibody.
local function place_of(joint, mb)
  if getmetatable(joint) == "joint" then return mb:place(joint) end
  for k = 1, mb.size do
    if mb.coordinates[k] == joint then return k end
  end
end

tasks.fields, tasks.measures = FIELDS, MEASURES

--- Create a task. what: name in messages; mb: the multibody, updated.
function tasks.new(what, options, mb)
  local task = arguments.read(what, options, FIELDS)
  for _, name in ipairs(nearest.keys(options)) do
    local of = FIELDS[name].of
    if of and not of[task.kind] then
      arguments.fail("%s: a task of the kind '%s' has no field '%s'", what, task.kind, name)
    end
  end
  if task.kind == "point" then task.point = task.point or { 0, 0 } end
  local pair = MEASURES[task.kind] == 2
  if task.kind == "point" or task.kind == "angle" then
    mb:part(arguments.check(what .. ": field 'body'", task.body, { "body" }))
  end
  if task.kind == "joint" then
    local joint = getmetatable(task.joint) == "coordinate" and task.joint.joint or task.joint
    arguments.check(what .. ": field 'joint'", joint, { "joint" })
    task.place = place_of(task.joint, mb)
    if not task.place then arguments.fail("%s: field 'joint' is not a joint or coordinate of the tree", what) end
  end
  task.damping = task.damping or 2 * math.sqrt(task.stiffness)
  if task.kind == "posture" then
    task.target = posture_target(what .. ": field 'target'", task.target, mb)
  else
    task.target = wanted(what .. ": field 'target'", task.target, pair, present(task, mb))
    local rest = pair and { 0, 0 } or 0
    task.target_speed = wanted(what .. ": field 'target_speed'", task.target_speed, pair, rest)
    task.target_acceleration = wanted(what .. ": field 'target_acceleration'", task.target_acceleration, pair, rest)
  end
  return task
end

local function want(task, target, value, speed, target_speed, acceleration)
  local a = acceleration + task.stiffness * (target - value) + task.damping * (target_speed - speed)
  if a - a ~= 0 then
    error(("impel.optimal: the desired acceleration of the task '%s' is %g, not finite"):format(task.kind, a), 0)
  end
  return a
end

-- Add the cost of the row of J after `offset`, n numbers: H += weight J'J, g -= weight J'a. A row of H has `width`
-- numbers.
local function add_row(H, g, width, n, J, offset, weight, a)
  for i = 1, n do
    local ji = weight * J[offset + i]
    if ji ~= 0 then
      local row = (i - 1) * width
      for k = 1, n do H[row + k] = H[row + k] + ji * J[offset + k] end
      g[i] = g[i] - ji * a
    end
  end
end

tasks.add_row = add_row

-- Add the cost of a row of J that is 1 at index k and 0 elsewhere.
local function add_coordinate(H, g, width, k, weight, a)
  local at = (k - 1) * width + k
  H[at], g[k] = H[at] + weight, g[k] - weight * a
end

local function add_pair(task, H, g, width, n, J, x, y, vx, vy, bx, by)
  local t, s, a = task.target, task.target_speed, task.target_acceleration
  if task.only ~= "y" then add_row(H, g, width, n, J, 0, task.weight, want(task, t[1], x, vx, s[1], a[1]) - bx) end
  if task.only ~= "x" then add_row(H, g, width, n, J, n, task.weight, want(task, t[2], y, vy, s[2], a[2]) - by) end
end

-- kind of task -> function that adds its cost to H and g; J is scratch (3 n)
local adders = {}

function adders.center(task, mb, H, g, width, J)
  local x, y, vx, vy = mb:center()
  add_pair(task, H, g, width, mb.size, J, x, y, vx, vy, mb:center_jacobian(J))
end

function adders.momentum(task, mb, H, g, width, J)
  local _, _, bias = mb:center_jacobian(J)
  local _, _, angular = mb:momentum()
  add_row(H, g, width, mb.size, J, 2 * mb.size, task.weight, -task.damping * angular - bias)
end

function adders.point(task, mb, H, g, width, J)
  local body = task.body
  local x, y = body:world_point(task.point[1], task.point[2])
  mb:jacobian(body, x, y, J)
  local vx, vy = body:velocity_at(x, y)
  add_pair(task, H, g, width, mb.size, J, x, y, vx, vy, mb:point_bias(body, x, y))
end

function adders.angle(task, mb, H, g, width, J)
  local body, n = task.body, mb.size
  mb:jacobian(body, 0, 0, J)
  local a = want(task, task.target, body.angle, body.angular_velocity, task.target_speed, task.target_acceleration)
  add_row(H, g, width, n, J, 2 * n, task.weight, a)
end

function adders.joint(task, mb, H, g, width)
  local k = task.place
  local a = want(task, task.target, mb.q[k], mb.qd[k], task.target_speed, task.target_acceleration)
  add_coordinate(H, g, width, k, task.weight, a)
end

function adders.posture(task, mb, H, g, width)
  for k = mb.floating and 4 or 1, mb.size do
    add_coordinate(H, g, width, k, task.weight, want(task, task.target[k], mb.q[k], mb.qd[k], 0, 0))
  end
end

--- Add a task's cost: weight |J qdd + J'qd - a|^2 / 2.
function tasks.add(task, mb, H, g, width, J)
  if task.weight ~= 0 then adders[task.kind](task, mb, H, g, width, J) end
end

return tasks
