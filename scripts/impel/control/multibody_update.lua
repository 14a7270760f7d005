-- The method update of impel.multibody.
--
--   a = a_p - w^2 (r - p)      point r of a body with angular speed w and acceleration a_p at p
--   2 w s                      across a slide with speed s on a parent with angular speed w
--   source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), ch. 2, in the plane

local arguments = require "impel.base.arguments"
local called = require "impel.control.joint_graph".called

-- Read pose and velocity of a part. Raise if its type or fixed_rotation has changed, or an axis is locked.
local function read_motion(part)
  local body = part.body
  if body.type ~= part.type then
    arguments.fail("impel.multibody: body %s was %s and is now %s; create a new multibody", called(body), part.type,
      body.type)
  elseif body.fixed_rotation ~= part.fixed_rotation then
    arguments.fail("impel.multibody: the fixed_rotation of body %s has changed; create a new multibody", called(body))
  elseif body.lock_x or body.lock_y then
    arguments.fail("impel.multibody: body %s has a locked axis, so it cannot be a link of the tree", called(body))
  end
  part.x, part.y = body:center()
  part.vx, part.vy = body:velocity()
  part.speed = body.angular_velocity
end

-- Read the mass of a part, and compute the external forces on it: gravity and damping.
local function read_body(self, part)
  local body = part.body
  part.mass, part.inertia = body.mass, body.inertia
  local weight, drag = part.mass * body.gravity_scale, part.mass * body.linear_damping
  part.fx, part.fy = weight * self.gx - drag * part.vx, weight * self.gy - drag * part.vy
  part.torque = -part.inertia * body.angular_damping * part.speed
  self.mass = self.mass + part.mass
end

-- Read the state, armature and damping of coordinate k.
local function read_coordinate(self, k, coordinate)
  self.q[k], self.qd[k] = coordinate.value, coordinate.speed
  self.armature[k], self.damping[k] = coordinate.armature, coordinate.damping
end

-- Compute axes and pivots of a link's coordinates, and the link's acceleration at qdd = 0: the parent's acceleration at
-- the pivot + Coriolis acceleration across a slide + centripetal acceleration. A slide's axis is fixed in body_a.
local function read_link(self, part)
  local link, parent = part.link, part.parent
  local _, _, x, y = link.joint:anchors()
  local w = parent.speed * parent.speed
  local ax, ay = parent.ax - w * (x - parent.x), parent.ay - w * (y - parent.y)
  local slide, turn = part.slide, part.turn
  if slide then
    local _, _, _, dx, dy = link.slide:jacobian()
    read_coordinate(self, slide, link.slide)
    local speed = self.qd[slide]
    local coriolis = 2 * speed * (link.sign > 0 and parent.speed or part.speed) * link.sign
    self.tx[slide], self.ty[slide] = link.sign * dx, link.sign * dy
    ax, ay = ax - coriolis * dy, ay + coriolis * dx
  end
  if turn then
    read_coordinate(self, turn, link.turn)
    self.px[turn], self.py[turn] = x, y
  end
  w = part.speed * part.speed
  part.ax, part.ay = ax - w * (part.x - x), ay - w * (part.y - y)
end

return function(multibody)
  --- Read poses, velocities, masses, gravity, armature and damping from the world. The other methods compute from the
  --- values of the last update: call update once per step, before them. Raises if a body is destroyed, has a locked
  --- axis, or has another type or fixed_rotation than at creation.
  ---@return impel.multibody  self
  function multibody:update()
    self.gx, self.gy = self.world:gravity()
    self.mass = 0.0
    for _, part in ipairs(self.parts) do
      read_motion(part)
      if part.moves then read_body(self, part) end
      if part.link then read_link(self, part) end
    end
    if self.floating then
      local base, q, qd = self.parts[1], self.q, self.qd
      q[1], q[2], q[3] = base.x, base.y, base.body.angle
      qd[1], qd[2], qd[3] = base.vx, base.vy, base.speed
      self.px[3], self.py[3] = base.x, base.y
    end
    return self
  end
end
