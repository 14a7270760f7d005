-- impel.optimal: in each step the torques that come nearest to what is wanted, within what motors and soles can bear.
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
--   minimise    sum of tasks weight |J qdd + J'qd - a|^2                   optimal_tasks.lua
--               + effort |tau|^2 + force_weight |f|^2 + acceleration_weight |qdd|^2
--   over qdd and f with   tau = M qdd + c - sum J_i'f_i                    multibody.lua: the motion equation
--               |tau| <= max_torque; 0 of a floating base
--               J_i qdd + J_i'qd = -contact_damping v_i                    optimal_contacts.lua: what touches stays
--               f_n >= 0, |f_t| <= friction f_n
--   source: de Lasa, Mordatch, Hertzmann, "Feature-Based Locomotion Controllers" (SIGGRAPH 2010), with weights in the
--   place of priorities; Abe, da Silva, Popovic, "Multiobjective control with frictional contacts" (SCA 2007)
--
-- The program is solved by impel.qp. Where no torques keep all of it, what touches may move, at a price: `state` is
-- then "softened". The torques are set as the force of the joints' coordinates, of which this is the only owner. Seven
-- links with four points take some 0.1 ms.

local arguments = require "impel.arguments"
local contacts = require "impel.optimal_contacts"
local multibody = require "impel.multibody"
local optimal_program = require "impel.optimal_program"
local qp = require "impel.qp"
local tasks = require "impel.optimal_tasks"

local optimal = {}
optimal.__index = optimal

local NAME = "impel.optimal"
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

--- A controller of the tree of bodies that hangs on a root.
---@param root impel.body|impel.world  as of impel.multibody
---@param options table  tasks: a list; contacts: a list of points that may push off; max_torque: of every joint [N m or
---  N]; effort, force_weight, acceleration_weight: what breaks ties; contact_damping [1/s]; joints, floating: as of
---  impel.multibody; when: "substep" (by default), "step" or "never": update() is called by its owner; enabled
---@return table optimal  tasks, contacts, max_torque (a list by place), the weights and enabled may change at any time;
---  tau, qdd: lists by place; state: "solved", "softened" or "failed"; residual: of the program's optimality
function optimal.new(root, options)
  local o = arguments.read(NAME, options, FIELDS)
  local mb = multibody.new(root, { joints = o.joints, floating = o.floating })
  local self = setmetatable({
    multibody = mb, world = mb.world, tasks = {}, contacts = {}, max_torque = {}, tau = {}, qdd = {}, z = {}, J = {},
    effort = o.effort, force_weight = o.force_weight, enabled = o.enabled, state = "new",
    acceleration_weight = o.acceleration_weight, contact_damping = o.contact_damping, residual = 0.0, acting = false,
  }, optimal)
  for i, task in ipairs(o.tasks) do self.tasks[i] = tasks.new(("%s: tasks[%d]"):format(NAME, i), task, mb) end
  for i, point in ipairs(o.contacts) do
    self.contacts[i] = contacts.new(("%s: contacts[%d]"):format(NAME, i), point, mb)
  end
  for k = 1, mb.size do
    self.max_torque[k], self.tau[k], self.qdd[k] = mb.coordinates[k] and o.max_torque or 0, 0.0, 0.0
    if mb.coordinates[k] then mb.coordinates[k]:set_force(0) end
  end
  self.program, self.width, self.rows = optimal_program.new(mb.size, #self.contacts)
  self.qp = qp.new(self.width, self.rows)
  if o.when ~= "never" then
    self.handler = self.world:on(o.when, function()
      if self.enabled and self:is_alive() then self:update() elseif self.acting then self:rest() end
    end)
  end
  return self
end

-- The torques of the solution: M qdd + c - sum J'f, the first rows of the program.
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

--- Find the best torques and set them. Called by itself unless `when` is "never". Where even the softened program has
--- no solution, as friction below 0 or a weight below 0 can bring about, the torques stay as they were.
---@return boolean ok
---@return string|nil message  where the program failed
function optimal:update()
  self.multibody:update()
  self.acting, self.state = true, "solved"
  optimal_program.fill(self, true)
  local z, message = self.qp:solve(self.program, self.z)
  if not z then
    self.state = "softened"
    optimal_program.fill(self, false)
    z, message = self.qp:solve(self.program, self.z)
  end
  self.residual = self.qp.residual
  if not z then
    self.state = "failed"
    return false, message
  end
  read_solution(self)
  for k, coordinate in ipairs(self.multibody.coordinates) do
    if coordinate then coordinate:set_force(self.tau[k]) end
  end
  return true
end

--- Whether it can act: its bodies and joints are there and unbroken. Where not, it does nothing.
---@return boolean
function optimal:is_alive()
  if self.destroyed then return false end
  for _, part in ipairs(self.multibody.parts) do
    local link = part.link
    if not part.body:is_valid() or link and (not link.joint:is_valid() or link.joint.broken) then return false end
  end
  return true
end

--- Take the torques away.
function optimal:rest()
  self.acting = false
  for k, coordinate in ipairs(self.multibody.coordinates) do
    self.tau[k] = 0.0
    if coordinate and coordinate:is_valid() then coordinate:set_force(0) end
  end
end

--- End it and take its torques away. Again is a no-op.
function optimal:destroy()
  if self.handler then self.handler:destroy() end
  if not self.destroyed then self:rest() end
  self.destroyed, self.enabled, self.handler = true, false, nil
end

return setmetatable(optimal, { __call = function(_, ...) return optimal.new(...) end })
