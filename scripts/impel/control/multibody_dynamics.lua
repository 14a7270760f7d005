-- Dynamics of impel.multibody, computed from Jacobians.
--
--   M = sum m J'J + I w'w + R     over the bodies; J, w: Jacobians of centre of mass and angle; ': transpose
--   R: diagonal matrix of armatures. The kinetic energy of rotor k is R_kk qd_k^2 / 2, as in the core.
--   c = sum J'(m a - f) + d qd    a: acceleration at qdd = 0; f: gravity and body damping; d: damping of coordinates
--
--   source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), ch. 6

local arguments = require "impel.base.arguments"

local sqrt = math.sqrt

local TABLE = { "table" }
local NUMBERS = {}
for i, name in ipairs { "x", "y", "fx", "fy", "torque" } do NUMBERS[i] = "multibody:add_force: " .. name end

-- Check a table with one number for each coordinate. Allocates no memory.
local function check_vector(self, what, vector)
  arguments.check(what, vector, TABLE)
  for k = 1, self.size do
    if type(vector[k]) ~= "number" then
      arguments.fail("%s[%d] must be a number, got %s", what, k, arguments.got(vector[k]))
    end
  end
end

-- Add m J'J + I w'w of one part of the multibody to M.
local function add_mass(self, part, M)
  local n, tx, ty, px, py, w = self.size, self.tx, self.ty, self.px, self.py, self.w
  local mass, inertia, x, y, path = part.mass, part.inertia, part.x, part.y, part.path
  for i = 1, #path do
    local k = path[i]
    local jx, jy, jw = mass * (tx[k] - w[k] * (y - py[k])), mass * (ty[k] + w[k] * (x - px[k])), inertia * w[k]
    local row = (k - 1) * n
    for j = 1, i do
      local l = path[j]
      local wl = w[l]
      M[row + l] = M[row + l] + jx * (tx[l] - wl * (y - py[l])) + jy * (ty[l] + wl * (x - px[l])) + jw * wl
    end
  end
end

-- Add the coordinate forces J'(fx, fy, torque) of a force.
local function add_force(self, part, fx, fy, torque, to)
  local tx, ty, px, py, w = self.tx, self.ty, self.px, self.py, self.w
  local x, y = part.x, part.y
  for _, k in ipairs(part.path) do
    to[k] = to[k] + fx * tx[k] + fy * ty[k] + w[k] * ((x - px[k]) * fy - (y - py[k]) * fx + torque)
  end
end

-- Compute the lower triangular matrix L with L L' = M (Cholesky), row by row.
local function factorise(M, L, n)
  for i = 1, n do
    local row = (i - 1) * n
    for k = 1, i do
      local other, sum = (k - 1) * n, M[row + k]
      for j = 1, k - 1 do sum = sum - L[row + j] * L[other + j] end
      if k < i then
        L[row + k] = sum / L[other + k]
      else
        if sum <= 0 or sum ~= sum then error("impel.multibody: the mass matrix is singular: a body has no mass", 0) end
        L[row + i] = sqrt(sum)
      end
    end
  end
end

return function(multibody)
  --- Return the mass matrix M(q) at the last update, with the armatures on the diagonal.
  --- Source: Featherstone (2008), ch. 6 and 9.6.
  ---@return number[] M  (n n) row by row, symmetric [kg, kg m, kg m^2]; overwritten by mass_matrix, inverse and forward
  function multibody:mass_matrix()
    local M, n = self.M, self.size
    for i = 1, n * n do M[i] = 0.0 end
    for k = 1, n do M[(k - 1) * n + k] = self.armature[k] end
    for _, part in ipairs(self.parts) do
      if part.moves then add_mass(self, part, M) end
    end
    for i = 1, n do -- copy the lower triangle to the upper one
      for k = i + 1, n do M[(i - 1) * n + k] = M[(k - 1) * n + i] end
    end
    return M
  end

  --- Return the bias c(q, qd) at the last update, the tau for qdd = 0: gravity, damping of bodies and coordinates,
  --- centripetal and Coriolis forces, without dry friction.
  ---@return number[] c  (n) [N, N m]; overwritten by bias, inverse and forward
  function multibody:bias()
    local c = self.c
    for k = 1, self.size do c[k] = self.damping[k] * self.qd[k] end
    for _, part in ipairs(self.parts) do
      if part.moves then
        add_force(self, part, part.mass * part.ax - part.fx, part.mass * part.ay - part.fy, -part.torque, c)
      end
    end
    return c
  end

  --- Add to `tau` the coordinate forces J'F of a force and torque on a body. Raises if the body is not in the tree, or
  --- tau has fewer than n numbers.
  ---@param body impel.body
  ---@param x number  point of application, in the world [m]
  ---@param y number  [m]
  ---@param fx number  [N]
  ---@param fy number  [N]
  ---@param torque number  [N m]
  ---@param tau number[]  (n) coordinate forces [N, N m]
  ---@return number[] tau  the given table
  function multibody:add_force(body, x, y, fx, fy, torque, tau)
    for i = 1, #NUMBERS do arguments.number(NUMBERS[i], (select(i, x, y, fx, fy, torque))) end
    check_vector(self, "multibody:add_force: tau", tau)
    local part = self:part(body)
    add_force(self, part, fx, fy, torque + (x - part.x) * fy - (y - part.y) * fx, tau)
    return tau
  end

  --- Compute inverse dynamics: the forces tau = M qdd + c. Raises if qdd has fewer than n numbers.
  ---@param qdd number[]  (n) [m/s^2, rad/s^2]
  ---@param tau number[]  (n) filled [N, N m]
  ---@return number[] tau  the given table
  function multibody:inverse(qdd, tau)
    check_vector(self, "multibody:inverse: qdd", qdd)
    arguments.check("multibody:inverse: tau", tau, TABLE)
    local M, c, n = self:mass_matrix(), self:bias(), self.size
    for i = 1, n do
      local sum = c[i]
      for k = 1, n do sum = sum + M[(i - 1) * n + k] * qdd[k] end
      tau[i] = sum
    end
    return tau
  end

  --- Compute forward dynamics: qdd = M^-1 (tau - c). Raises if tau has fewer than n numbers, or a coordinate moves no
  --- mass, so that M is singular.
  ---@param tau number[]  (n) [N, N m]
  ---@param qdd number[]  (n) filled [m/s^2, rad/s^2]
  ---@return number[] qdd  the given table
  function multibody:forward(tau, qdd)
    check_vector(self, "multibody:forward: tau", tau)
    arguments.check("multibody:forward: qdd", qdd, TABLE)
    local M, c, L, n = self:mass_matrix(), self:bias(), self.L, self.size
    factorise(M, L, n)
    for i = 1, n do
      local sum = tau[i] - c[i]
      for k = 1, i - 1 do sum = sum - L[(i - 1) * n + k] * qdd[k] end
      qdd[i] = sum / L[(i - 1) * n + i]
    end
    for i = n, 1, -1 do
      local sum = qdd[i]
      for k = i + 1, n do sum = sum - L[(k - 1) * n + i] * qdd[k] end
      qdd[i] = sum / L[(i - 1) * n + i]
    end
    return qdd
  end

  --- Return the centre of mass of all moving bodies at the last update, and its velocity.
  ---@return number x, number y, number vx, number vy  [m, m/s]
  function multibody:center()
    local x, y, vx, vy = 0.0, 0.0, 0.0, 0.0
    for _, part in ipairs(self.parts) do
      if part.moves then
        local m = part.mass
        x, y, vx, vy = x + m * part.x, y + m * part.y, vx + m * part.vx, vy + m * part.vy
      end
    end
    local mass = self.mass
    return x / mass, y / mass, vx / mass, vy / mass
  end

  --- Compute the Jacobian of the centre's velocity and angular momentum.
  ---@param J number[]  (3 n) filled: n numbers for vx, n for vy [m/s per m/s or rad/s], n for the angular momentum
  ---  about the centre [kg m^2/s per m/s or rad/s]
  ---@return number ax, number ay  acceleration of the centre at qdd = 0 [m/s^2]
  ---@return number rate           rate of the angular momentum at qdd = 0 [N m]
  function multibody:center_jacobian(J)
    arguments.check("multibody:center_jacobian: J", J, TABLE)
    local n, mass = self.size, self.mass
    local cx, cy = self:center()
    local tx, ty, px, py, w = self.tx, self.ty, self.px, self.py, self.w
    local ax, ay, rate = 0.0, 0.0, 0.0
    for k = 1, 3 * n do J[k] = 0.0 end
    for _, part in ipairs(self.parts) do
      local x, y, m, inertia = part.x, part.y, part.mass, part.inertia
      for _, k in ipairs(part.path) do
        local jx, jy = m * (tx[k] - w[k] * (y - py[k])), m * (ty[k] + w[k] * (x - px[k]))
        J[k], J[n + k] = J[k] + jx / mass, J[n + k] + jy / mass
        J[2 * n + k] = J[2 * n + k] + (x - cx) * jy - (y - cy) * jx + inertia * w[k]
      end
      if part.moves then
        ax, ay = ax + m * part.ax / mass, ay + m * part.ay / mass
        rate = rate + m * ((x - cx) * part.ay - (y - cy) * part.ax)
      end
    end
    return ax, ay, rate
  end

  --- Return the momentum of all moving bodies at the last update, without the rotors of armature.
  ---@return number px, number py  [kg m/s]
  ---@return number angular        about the centre of mass [kg m^2/s]
  function multibody:momentum()
    local cx, cy, vx, vy = self:center()
    local angular = 0.0
    for _, part in ipairs(self.parts) do
      if part.moves then
        local cross = (part.x - cx) * (part.vy - vy) - (part.y - cy) * (part.vx - vx)
        angular = angular + part.mass * cross + part.inertia * part.speed
      end
    end
    return self.mass * vx, self.mass * vy, angular
  end
end
