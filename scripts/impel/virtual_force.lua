-- impel.virtual_force: produce the effect of a force on a point of a body by the joints between that body and a base.
--
--   local lift = impel.virtual_force(shoulder, hand, { point = { 0.2, 0 }, force = { 0, 20 } })
--   lift.fx, lift.fy, lift.torque = 0, 35, 0               may change at any time
--   impel.virtual_force(shoulder, hand, { stiffness = 400, damping = 40, target = { 0.6, 1.1 } })     a spring
--   impel.virtual_force(shoulder, hand, { force = { 0, 9.81 * hand.mass } })       compensates the hand's weight
--   lift.coordinates[1], lift.tau[1]                       first coordinate from the base; its torque or force
--
--   tau_k = J_k'F = t_k . F + w_k ((r - p_k) x F + torque)
--   F = force + stiffness (target - r) + damping (target_speed - r'),  |F| <= max_force
--   r: the point, r': its velocity; t_k: direction of a slide; p_k: pivot of a rotation; w_k: 1, or -1 if the
--   joint's body_b is nearer to the base
--   source: Pratt, Dilworth, Pratt, "Virtual Model Control of a Bipedal Walking Robot" (ICRA 1997)
--
-- The torques act in addition to the joints' other drives. In a loop of joints the force is not exact. The spring is
-- stable for h damping < 2 m, with the substep h and the effective mass m.

local arguments = require "impel.base.arguments"
local joint_graph = require "impel.control.joint_graph"
local memory = require "impel.world.memory"

local virtual_force = {}
virtual_force.__index = virtual_force
memory.of_fields(virtual_force)

local NAME = "impel.virtual_force"
local sqrt = math.sqrt

local FIELDS = {
  point = { "point", default = { 0, 0 }, unit = "m" },
  force = { "point", default = { 0, 0 }, unit = "N" },
  torque = { "number", default = 0, unit = "N m" },
  stiffness = { "number", min = 0, default = 0, unit = "N/m" },
  damping = { "number", min = 0, default = 0, unit = "N s/m" },
  target = { "point", optional = true, unit = "m" },
  target_speed = { "point", default = { 0, 0 }, unit = "m/s" },
  max_force = { "number", min = 0, default = math.huge, infinite = true, unit = "N" },
  joints = { "table", optional = true },
  when = { "choice", "substep", "step", "never", default = "substep" },
  enabled = { "boolean", default = true },
}

-- Fields that may change at any time, with their types.
local FORCE = { "number", unit = "N" }
local CHANGING = {
  { "fx", FORCE }, { "fy", FORCE }, { "torque", FIELDS.torque }, { "stiffness", FIELDS.stiffness },
  { "damping", FIELDS.damping }, { "max_force", FIELDS.max_force }, { "point", FIELDS.point },
  { "target", FIELDS.point }, { "target_speed", FIELDS.target_speed }, { "enabled", FIELDS.enabled },
}

-- Raise for a field with an invalid value.
local function check_fields(self)
  for i = 1, #CHANGING do
    local name, field = CHANGING[i][1], CHANGING[i][2]
    if not arguments.fits(self[name], field) then
      arguments.check(("%s: field '%s'"):format(NAME, name), self[name], field)
    end
  end
end

local function copy(point) return { point[1] + 0.0, point[2] + 0.0 } end

-- List the coordinates of the chain, a slide before the turn of the same joint.
local function list_coordinates(self, links)
  for _, link in ipairs(links) do
    for _, kind in ipairs { "slide", "turn" } do
      if link[kind] then
        local k = #self.coordinates + 1
        self.coordinates[k], self.tau[k] = link[kind], 0.0
        self.parts[k] = {
          joint = link.joint, coordinate = link[kind], sign = link.sign, slides = kind == "slide",
          a = link.joint.body_a, b = link.joint.body_b,
        }
      end
    end
  end
end

--- Make a virtual force on a point of a body. The joints between the base and the body produce the force. Virtual
--- forces act in handlers of the world, in the order of their creation.
---@param base impel.body  first body of the chain of joints; the opposite force acts on the base
---@param body impel.body  last body of the chain
---@param options table|nil
---  point: in the body's frame [m], default { 0, 0 }
---  force { fx, fy } [N]
---  torque [N m]
---  stiffness [N/m], damping [N s/m]: of a spring from the point to the target
---  target { x, y }: in the world [m], default the point's present position
---  target_speed { vx, vy }: velocity of the target [m/s], default { 0, 0 }
---  max_force: limit of the sum of force and spring force [N]
---  joints: list of joints to use, default all; the chain is the path with the fewest joints
---  when: "substep" (default) or "step": the handler that calls update(); "never": the owner calls update()
---  enabled: default true
---@return table virtual_force  fx, fy, torque, stiffness, damping, target, target_speed, max_force, point, enabled may
---  change at any time; tau, coordinates: lists from the base outward
function virtual_force.new(base, body, options)
  arguments.check(NAME .. ": argument 'base'", base, { "body" })
  arguments.check(NAME .. ": argument 'body'", body, { "body" })
  local o = arguments.read(NAME, options, FIELDS)
  local links = joint_graph.chain(NAME, base, body, o.joints)
  local self = setmetatable({
    base = base, body = body, world = body.world, fx = o.force[1] + 0.0, fy = o.force[2] + 0.0, torque = o.torque,
    stiffness = o.stiffness, damping = o.damping, target_speed = copy(o.target_speed), max_force = o.max_force,
    point = copy(o.point), enabled = o.enabled, coordinates = {}, tau = {}, parts = {},
  }, virtual_force)
  list_coordinates(self, links)
  if #self.parts == 0 then
    arguments.fail("%s: no joint between %s and %s can move", NAME, joint_graph.called(base), joint_graph.called(body))
  end
  self.target = o.target and copy(o.target) or { body:world_point(self.point[1], self.point[2]) }
  if o.when ~= "never" then
    self.handler = self.world:on(o.when, function()
      if self.enabled ~= false then self:update() end
    end)
  end
  memory.keep(self.world, self)
  return self
end

--- Return F of the formulas above (force plus spring force, limited) at the point's present position and velocity.
---@return number fx, number fy  [N]
---@return number x, number y    point in the world [m]
function virtual_force:current()
  check_fields(self)
  local x, y = self.body:world_point(self.point[1], self.point[2])
  local fx, fy = self.fx, self.fy
  if self.stiffness ~= 0 or self.damping ~= 0 then
    local vx, vy = self.body:velocity_at(x, y)
    fx = fx + self.stiffness * (self.target[1] - x) + self.damping * (self.target_speed[1] - vx)
    fy = fy + self.stiffness * (self.target[2] - y) + self.damping * (self.target_speed[2] - vy)
  end
  local size = sqrt(fx * fx + fy * fy)
  if size > self.max_force then
    if size == math.huge then -- the squares of fx and fy overflow
      fx, fy = fx * 1e-200, fy * 1e-200
      size = sqrt(fx * fx + fy * fy)
    end
    local part = self.max_force / size
    fx, fy = fx * part, fy * part
  end
  local sum = fx + fy + self.torque
  if sum - sum ~= 0 then
    error(("%s: the force on %s is not finite: (%g, %g) N, %g N m"):format(NAME, joint_graph.called(self.body), fx, fy,
      self.torque), 0)
  end
  return fx, fy, x, y
end

--- Return whether the virtual force can act: its bodies and joints are valid and unbroken.
---@return boolean
function virtual_force:is_alive()
  if self.destroyed or not self.body:is_valid() then return false end
  for _, part in ipairs(self.parts) do
    if not part.joint:is_valid() or part.joint.broken then return false end
  end
  return true
end

--- Return the torques and forces of the joints, without applying them.
---@return number[] tau  from the base outward [N m, N]; a reused table
function virtual_force:torques()
  local fx, fy, x, y = self:current()
  local torque, tau = self.torque, self.tau
  for k, part in ipairs(self.parts) do
    if part.slides then
      local _, _, _, dx, dy = part.coordinate:jacobian()
      tau[k] = part.sign * (dx * fx + dy * fy)
    else
      local _, _, px, py = part.joint:anchors()
      tau[k] = part.sign * ((x - px) * fy - (y - py) * fx + torque)
    end
  end
  return tau
end

--- Apply the pairs of torques or forces for the next step or, in a substep handler, for that substep. Called
--- automatically unless `when` is "never".
function virtual_force:update()
  if not self:is_alive() then return end
  local tau = self:torques()
  for k, part in ipairs(self.parts) do
    local t, a, b = tau[k], part.a, part.b
    if part.slides then
      local _, _, _, dx, dy = part.coordinate:jacobian()
      local _, _, px, py = part.joint:anchors()
      if a.type == "dynamic" then a:apply_force(-t * dx, -t * dy, px, py) end
      if b.type == "dynamic" then b:apply_force(t * dx, t * dy, px, py) end
    else
      if a.type == "dynamic" then a:apply_torque(-t) end
      if b.type == "dynamic" then b:apply_torque(t) end
    end
  end
end

--- Destroy the virtual force. A second call does nothing.
function virtual_force:destroy()
  if self.handler then self.handler:destroy() end
  self.destroyed, self.enabled, self.handler = true, false, nil
end

return setmetatable(virtual_force, { __call = function(_, ...) return virtual_force.new(...) end })
