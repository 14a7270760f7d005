-- impel.optimal: computes in each step the torques that best fulfil tasks, within the limits of motors and contacts.
--
--   local c = impel.optimal(torso, {
--     max_torque = 150,
--     contacts = { { body = foot, point = { -0.1, -0.04 } }, { body = foot, point = { 0.15, -0.04 } } },
--     tasks = {
--       { kind = "center", target = { 0, 0.9 }, weight = 10 },
--       { kind = "angle", body = torso, target = 0 },
--       { kind = "posture", weight = 0.1 },
--     },
--   })
--   c.tasks[1].target[1] = 0.05
--   c.tau[c.multibody:place(knee)], c.contacts[1].normal_force, c.residual
--
--   minimise    sum of tasks weight |J qdd + J'qd - a|^2
--               + effort |tau|^2 + force_weight |f|^2 + acceleration_weight |qdd|^2
--   over qdd and f with   tau = M qdd + c - load - sum J_i'f_i
--               |tau| <= max_torque; 0 for a floating base
--               J_i qdd + J_i'qd = -contact_damping v_i                    fixed contacts
--               f_n >= 0, |f_t| <= friction f_n
--   source: de Lasa, Mordatch, Hertzmann, "Feature-Based Locomotion Controllers" (SIGGRAPH 2010);
--   Abe, da Silva, Popovic, "Multiobjective control with frictional contacts" (SCA 2007)
--
-- If no torques satisfy all constraints, contacts may move at a cost and `state` is "softened"; without any solution it
-- is "failed", and the torques are 0.
--
-- Loads other than gravity and damping must be set in `load` before each step:
--   for k = 1, #c.load do c.load[k] = 0 end
--   c.load[c.multibody:place(knee)] = -200 * knee.value
--   c.multibody:add_force(torso, x, y, wind, 0, 0, c.load)         -- a force

local arguments = require "impel.base.arguments"
local check = require "impel.control.optimal_check"
local contacts = require "impel.control.optimal_contacts"
local memory = require "impel.world.memory"
local multibody = require "impel.multibody"
local owners = require "impel.control.owners"
local optimal_program = require "impel.control.optimal_program"
local qp = require "impel.qp"
local tasks = require "impel.control.optimal_tasks"

local NAME = "impel.optimal"

local optimal = {}
optimal.__index = optimal

local function rejoin(self)
  for _, coordinate in ipairs(self.destroyed and {} or self.multibody.coordinates) do
    if coordinate then owners.join(self, coordinate) end
  end
end

memory.of_fields(optimal, rejoin, { "tasks", "contacts" })
optimal.__tostring = function(self) return ("%s of %s"):format(NAME, tostring(self.multibody.root)) end

local inf = math.huge

local FIELDS = {
  joints = { "table", optional = true },
  floating = { "boolean", optional = true },
  tasks = { "table" },
  contacts = { "table", default = {} },
  max_torque = { "number", min = 0, default = inf, infinite = true, unit = "N m or N" },
  effort = { "number", min = 0, default = 1e-6, unit = "1/(N m)^2" },
  force_weight = { "number", min = 0, default = 1e-6, unit = "1/N^2" },
  acceleration_weight = { "number", min = 0, default = 1e-6, unit = "1" },
  contact_damping = { "number", min = 0, default = 10, unit = "1/s" },
  when = { "choice", "substep", "step", "never", default = "substep" },
  enabled = { "boolean", default = true },
}

-- fields that are not lists and may change at any time
local CHANGING = {}
for i, name in ipairs { "effort", "force_weight", "acceleration_weight", "contact_damping", "enabled" } do
  CHANGING[i] = { name, FIELDS[name] }
end

--- Make a controller of the tree of bodies connected to a root.
---@param root impel.body|impel.world  as for impel.multibody
---@param options table
---  tasks: a list
---  contacts: a list of contact points
---  max_torque: of every joint [N m or N]
---  effort, force_weight, acceleration_weight: weights of the formula
---  contact_damping [1/s]
---  joints, floating: as for impel.multibody
---  when: "substep" (default), "step" or "never": the owner calls update()
---  enabled
---@return table optimal
---  may change: max_torque and load (lists by coordinate [N m or N]), weights, contact_damping, enabled, and the
---  fields of tasks[i] and contacts[i]
---  tau [N m or N], qdd: lists by coordinate
---  state: "new", "solved", "softened" or "failed"; message: reason of the failure, or nil
---  residual: largest error of an optimality condition
function optimal.new(root, options)
  local o = arguments.read(NAME, options, FIELDS)
  arguments.list(NAME .. ": field 'tasks'", o.tasks)
  arguments.list(NAME .. ": field 'contacts'", o.contacts)
  local mb = multibody.new(root, { joints = o.joints, floating = o.floating })
  local self = setmetatable({
    multibody = mb, world = mb.world, tasks = {}, contacts = {}, max_torque = {}, load = {}, tau = {}, qdd = {}, z = {},
    J = {},
    effort = o.effort, force_weight = o.force_weight, enabled = o.enabled, state = "new",
    acceleration_weight = o.acceleration_weight, contact_damping = o.contact_damping, residual = 0.0, acting = false,
  }, optimal)
  for i, task in ipairs(o.tasks) do self.tasks[i] = tasks.new(("%s: tasks[%d]"):format(NAME, i), task, mb) end
  for i, point in ipairs(o.contacts) do
    self.contacts[i] = contacts.new(("%s: contacts[%d]"):format(NAME, i), point, mb)
  end
  for k = 1, mb.size do
    self.max_torque[k], self.load[k] = mb.coordinates[k] and o.max_torque or 0, 0.0
    self.tau[k], self.qdd[k] = 0.0, 0.0
    if mb.coordinates[k] then owners.claim(self, mb.coordinates[k]) end
  end
  self.points = #self.contacts
  self.program, self.width, self.rows = optimal_program.new(mb.size, self.points)
  self.qp = qp.new(self.width, self.rows)
  if o.when ~= "never" then
    self.handler = self.world:on(o.when, function()
      if self.enabled ~= false and self:is_alive() then self:update() elseif self.acting then self:rest() end
    end)
  end
  memory.keep(self.world, self)
  return self
end

-- Compute the torques of the solution: M qdd + c - sum J'f.
local function read_solution(self)
  local program, z, n, width, c = self.program, self.z, self.multibody.size, self.width, self.multibody.c
  for k = 1, n do
    local sum, row = c[k], (k - 1) * width
    for i = 1, width do sum = sum + program.A[row + i] * z[i] end
    self.tau[k], self.qdd[k] = sum, z[k]
  end
  for i, contact in ipairs(self.contacts) do
    contact.normal_force, contact.tangent_force = z[n + 2 * i - 1], z[n + 2 * i]
  end
end

-- Make the controller active. Raises if another controller acts on a coordinate of the tree.
local function begin(self)
  check(self, CHANGING, self.points)
  if self.acting then return end
  for _, coordinate in ipairs(self.multibody.coordinates) do
    if coordinate then owners.take(self, coordinate) end
  end
end

-- Solve without acceleration of the contact points. If this is impossible, their acceleration is a cost.
local function solve(self)
  self.state = "solved"
  optimal_program.fill(self, true)
  local z, message = self.qp:solve(self.program, self.z)
  if not z then
    self.state = "softened"
    optimal_program.fill(self, false)
    z, message = self.qp:solve(self.program, self.z)
  end
  self.residual = self.qp.residual
  return z, message
end

--- Compute and set the best torques. Called automatically unless `when` is "never". If there is no solution, set the
--- torques to 0 and return false and a message. Raises if another controller acts on a coordinate.
function optimal:update()
  begin(self)
  self.multibody:update()
  local z, message = solve(self)
  if not z then
    if not self.message then warn(tostring(self), ": ", message) end
    self:rest()
    self.state, self.message = "failed", message
    return false, message
  end
  self.acting, self.message = true, nil
  read_solution(self)
  for k, coordinate in ipairs(self.multibody.coordinates) do
    if coordinate then coordinate:set_force(self.tau[k]) end
  end
  return true
end

--- Return whether the controller can act: its bodies and joints are valid and unbroken, and no body has changed its
--- type.
function optimal:is_alive()
  if self.destroyed then return false end
  for _, part in ipairs(self.multibody.parts) do
    local link = part.link
    if not part.body:is_valid() or part.body.type ~= part.type then return false end
    if link and (not link.joint:is_valid() or link.joint.broken) then return false end
  end
  return true
end

--- Set the torques to zero, except the torques of coordinates on which another controller acts.
function optimal:rest()
  self.acting = false
  for k, coordinate in ipairs(self.multibody.coordinates) do
    self.tau[k] = 0.0
    if coordinate and coordinate:is_valid() and not owners.rival(self, coordinate) then coordinate:set_force(0) end
  end
end

--- Destroy the controller and set its torques to zero. A second call does nothing.
function optimal:destroy()
  if self.handler then self.handler:destroy() end
  if self.acting then self:rest() end
  self.destroyed, self.enabled = true, false
  memory.forget(self.world, self)
end

return setmetatable(optimal, { __call = function(_, ...) return optimal.new(...) end })
