-- The contact points of impel.optimal: points of bodies.
--
--   { body = foot, point = { -0.1, -0.04 } }     active while the point touches a body outside the tree
--       contacts[1].active, .friction, .x, .y, .nx, .ny, .normal_force, .tangent_force
--
-- An active point does not accelerate along its normal. Of the active points of a body only the first does not
-- accelerate tangentially, because a second such constraint is redundant or, if the body rotates, impossible. Speeds
-- are relative to the ground's surface, whose velocity is that of the ground + surface_speed; it is 0 if `active` is
-- given.

local arguments = require "impel.base.arguments"

local contacts = {}

local FIELDS = {
  body = { "body" },
  point = { "point", unit = "m" },
  friction = { "number", min = 0, optional = true, unit = "1" },
  normal = { "point", default = { 0, 1 } },
  active = { "boolean", optional = true },
  reach = { "number", above = 0, default = 0.03, unit = "m" },
}

local SEPARATION = 0.005 -- [m], separation at which the core ends a contact

--- Create a contact point.
---@param what string    name of the contact in messages
---@param options table  body; point: in the frame of the body [m]; friction: default that of the world's contact;
---  active: if nil, update computes it from the body's contacts in the world; normal: out of the ground, used if
---  `active` is given, default { 0, 1 }; reach: largest distance of a point of such a contact from `point` [m]
---@param mb table       the multibody
function contacts.new(what, options, mb)
  local o = arguments.read(what, options, FIELDS)
  mb:part(o.body)
  local length = math.sqrt(o.normal[1] * o.normal[1] + o.normal[2] * o.normal[2])
  if length == 0 then arguments.fail("%s: field 'normal' must not be zero", what) end
  return {
    body = o.body, point = { o.point[1], o.point[2] }, given = o.friction, friction = o.friction or 0.6,
    detect = o.active == nil, active = o.active or false, reach = o.reach,
    nx = o.normal[1] / length, ny = o.normal[2] / length, x = 0.0, y = 0.0, Jn = {}, Jt = {}, normal_force = 0.0,
    tangent_force = 0.0, ground = nil, surface_speed = 0.0,
  }
end

-- Return whether one of the world's contacts has a point within reach; if so, store its normal and friction.
local function touch(self, contact, mb)
  local first = contact.body_a == self.body
  local ground = first and contact.body_b or contact.body_a
  local other = mb.part_of[ground]
  if not contact.enabled or other and other.moves then return false end
  if contact.shape_a.sensor or contact.shape_b.sensor then return false end
  for i = 1, contact.count do
    local x, y, separation = contact:point(i)
    local dx, dy = x - self.x, y - self.y
    if separation < SEPARATION and dx * dx + dy * dy <= self.reach * self.reach then
      local nx, ny = contact:normal()
      self.nx, self.ny = first and -nx or nx, first and -ny or ny
      self.friction = self.given or contact.friction
      self.ground, self.surface_speed = ground, contact.surface_speed
      return true
    end
  end
  return false
end

--- Update the position of the point, whether it is active, and its Jacobians along and across the normal.
---@param mb table     the multibody, updated
---@param J number[]   scratch
---@return number bn, number bt  normal and tangential acceleration at qdd = 0 [m/s^2]
---@return number vn, number vt  normal and tangential speed relative to the ground [m/s]
function contacts.update(self, mb, J)
  local body, n = self.body, mb.size
  self.x, self.y = body:world_point(self.point[1], self.point[2])
  if self.detect then
    self.active, self.ground = false, nil
    for contact in body:contacts() do
      if not self.active then self.active = touch(self, contact, mb) end
    end
  end
  if not self.active then return 0, 0, 0, 0 end
  local nx, ny = self.nx, self.ny
  mb:jacobian(body, self.x, self.y, J)
  local Jn, Jt = self.Jn, self.Jt
  for k = 1, n do
    local jx, jy = J[k], J[n + k]
    Jn[k], Jt[k] = nx * jx + ny * jy, ny * jx - nx * jy
  end
  local ax, ay = mb:point_bias(body, self.x, self.y)
  local vx, vy = body:velocity_at(self.x, self.y)
  if self.ground then
    local gx, gy = self.ground:velocity_at(self.x, self.y)
    vx, vy = vx - gx, vy - gy
  end
  return nx * ax + ny * ay, ny * ax - nx * ay, nx * vx + ny * vy, ny * vx - nx * vy - self.surface_speed
end

return contacts
