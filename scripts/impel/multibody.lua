-- impel.multibody: mechanics of a tree of bodies in joint coordinates.
--
--   local mb = impel.multibody.new(torso)                 floating root
--   local arm = impel.multibody.new(world.ground)         fixed root
--   mb:update()                                           reads poses, velocities, masses; call it before:
--   mb:jacobian(foot, x, y, J)
--   local M, c = mb:mass_matrix(), mb:bias()
--   mb:inverse(qdd, tau)  mb:forward(tau, qdd)            M qdd + c = tau
--
--   M(q) qdd + c(q, qd) = tau + sum J^T F   n coordinates q [m, rad], tau [N, N m]; F: force and moment on a point
--   v = J qd + v_0,  a = J qdd + dJ/dt qd   dJ/dt qd: point_bias; v_0: due to a kinematic root, 0 otherwise
--   source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), ch. 2-6, in the plane
--
-- Velocity of a body's point (x, y) per unit speed: (t_x - w (y - p_y), t_y + w (x - p_x))
--   slide: t is the direction, w = 0;  rotation: p is the pivot, w = 1, or -1 if body_b is the parent

local arguments = require "impel.base.arguments"
local joint_graph = require "impel.control.joint_graph"

local type = type

---@class impel.multibody
---@field size integer  n, the number of coordinates (all fields are read-only)
---@field coordinates (impel.coordinate|false)[]  (n) coordinates of joints; false for x, y, angle of the base
---@field bodies impel.body[]  moving bodies, beginning with a floating root
---@field q number[]  (n) values at the last update [m, rad]
---@field qd number[]  (n) speeds [m/s, rad/s]
---@field armature number[]  (n) inertia of the coordinates' rotors at the last update [kg, kg m^2]
---@field damping number[]  (n) viscous damping at the last update [N s/m, N m s/rad]
---@field mass number  mass of all moving bodies [kg]
---@field root impel.body  root of the tree
---@field floating boolean  whether the root's x, y and angle are coordinates 1 to 3
---@field world impel.world
local multibody = {}
multibody.__index = multibody

local TABLE = { "table" }
local FIELDS = {
  joints = { "table", optional = true },
  floating = { "boolean", optional = true },
}

local function add_coordinate(self, coordinate, link)
  local k = self.size + 1
  self.size = k
  self.coordinates[k] = coordinate or false
  self.armature[k], self.damping[k] = 0.0, 0.0
  self.q[k], self.qd[k], self.tx[k], self.ty[k], self.px[k], self.py[k], self.w[k] = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
  if link and not self.places[link.joint] then self.places[link.joint] = k end
  return k
end

-- Add the data of a body. `path`: indices of the coordinates that move the body.
local function add_part(self, body, parent, link)
  local part = {
    body = body, parent = parent, link = link, path = {}, mass = 0.0, inertia = 0.0, x = 0.0, y = 0.0, vx = 0.0,
    vy = 0.0, speed = 0.0, ax = 0.0, ay = 0.0, fx = 0.0, fy = 0.0, torque = 0.0, moves = body.type == "dynamic",
    type = body.type,
    fixed_rotation = body.fixed_rotation,
  }
  for i, k in ipairs(parent and parent.path or {}) do part.path[i] = k end
  self.parts[#self.parts + 1] = part
  self.part_of[body] = part
  return part
end

--- Make a multibody: the tree of bodies that joints connect to the root. Later changes of the joints are ignored; an
--- update raises after a body was destroyed or changed its type. Raises for a loop, for a joint that is compliant where
--- the tree needs a lock, for a body that cannot rotate or has a locked axis, and for a root without joints.
---@param root impel.body|impel.world  a world means its ground
---@param options table|nil  joints: list of the tree's joints, default: all that can connect bodies of a tree;
---  floating: true raises unless the root is dynamic, false raises unless it is static or kinematic
---@return impel.multibody multibody  n coordinates, breadth first from the root; multibody:update() has run
function multibody.new(root, options)
  local o = arguments.read("impel.multibody", options, FIELDS)
  if getmetatable(root) == "world" then root = root.ground end
  arguments.check("impel.multibody: root", root, { "body" })
  if not root:is_valid() then arguments.fail("impel.multibody: attempt to use %s", tostring(root)) end
  local floating = root.type ~= "static" and root.type ~= "kinematic"
  if floating then joint_graph.check_turns("impel.multibody", root) end
  if o.floating ~= nil and o.floating ~= floating then
    arguments.fail("impel.multibody: a %s body cannot be a %s root", root.type, floating and "fixed" or "floating")
  end
  local self = setmetatable({
    world = root.world, root = root, floating = floating, size = 0, coordinates = {}, bodies = {}, parts = {},
    part_of = {}, places = {}, q = {}, qd = {}, armature = {}, damping = {}, tx = {}, ty = {}, px = {}, py = {}, w = {},
    M = {}, c = {}, L = {}, gx = 0.0, gy = 0.0, mass = 0.0,
  }, multibody)
  local base = add_part(self, root)
  if floating then
    for i = 1, 3 do base.path[i] = add_coordinate(self) end
    self.tx[1], self.ty[2], self.w[3] = 1.0, 1.0, 1.0
  end
  base.moves = floating
  for _, link in ipairs(joint_graph.tree("impel.multibody", root, o.joints)) do
    local part = add_part(self, link.body, self.part_of[link.parent], link)
    part.slide = link.slide and add_coordinate(self, link.slide, link)
    part.turn = link.turn and add_coordinate(self, link.turn, link)
    part.path[#part.path + 1] = part.slide or nil
    part.path[#part.path + 1] = part.turn or nil
    if part.turn then self.w[part.turn] = link.sign end
  end
  if self.size == 0 then arguments.fail("impel.multibody: no joint connects a body to %s", joint_graph.called(root)) end
  for _, part in ipairs(self.parts) do
    if part.moves then self.bodies[#self.bodies + 1] = part.body end
  end
  self:update()
  return self
end

--- Return the state of a body at the last update, in a read-only table of the multibody. Raises for a body that is not
--- in the tree.
---@param body impel.body
---@return table part
---  x, y: centre of mass [m]
---  vx, vy [m/s]
---  speed: angular velocity [rad/s]
---  mass [kg], inertia [kg m^2]: 0 for a root that does not move
---  path: indices of the coordinates that move the body
function multibody:part(body)
  local part = self.part_of[body]
  if not part then arguments.fail("impel.multibody: %s is not a body of the tree", arguments.got(body)) end
  return part
end

--- Return the index of a joint's first coordinate in q.
---@param joint impel.joint
---@return integer|nil place  from 1; nil for a joint that is not in the tree or has no coordinate in it, such as a weld
function multibody:place(joint)
  return self.places[joint]
end

--- Compute the Jacobian of a body's point, v = J qd, at the poses of the last update. Raises for a body that is not in
--- the tree.
---@param body impel.body
---@param x number   position of the point in the world [m]
---@param y number   [m]
---@param J number[]  (3 n) receives n numbers of vx, n of vy, n of the angular velocity
---@return number[] J  the given table
function multibody:jacobian(body, x, y, J)
  if type(x) ~= "number" then arguments.number("multibody:jacobian: x", x) end
  if type(y) ~= "number" then arguments.number("multibody:jacobian: y", y) end
  if type(J) ~= "table" then arguments.check("multibody:jacobian: J", J, TABLE) end
  local part, n = self:part(body), self.size
  local tx, ty, px, py, w = self.tx, self.ty, self.px, self.py, self.w
  for k = 1, 3 * n do J[k] = 0.0 end
  for _, k in ipairs(part.path) do
    J[k], J[n + k], J[2 * n + k] = tx[k] - w[k] * (y - py[k]), ty[k] + w[k] * (x - px[k]), w[k]
  end
  return J
end

--- Return the acceleration dJ/dt qd of a body's point if no coordinate accelerates: its centripetal and Coriolis
--- acceleration. Raises for a body that is not in the tree.
---@param body impel.body
---@param x number   position of the point in the world [m]
---@param y number   [m]
---@return number ax, number ay  [m/s^2]
function multibody:point_bias(body, x, y)
  if type(x) ~= "number" then arguments.number("multibody:point_bias: x", x) end
  if type(y) ~= "number" then arguments.number("multibody:point_bias: y", y) end
  local part = self:part(body)
  local w = part.speed * part.speed
  return part.ax - w * (x - part.x), part.ay - w * (y - part.y)
end

setmetatable(multibody, { __call = function(_, ...) return multibody.new(...) end })
require "impel.control.multibody_update"(multibody)
require "impel.control.multibody_dynamics"(multibody)

return multibody
