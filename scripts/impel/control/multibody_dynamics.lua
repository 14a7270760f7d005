-- The dynamics of impel.multibody: what follows from its Jacobians. Methods of its class, in a file of their own.
--
--   M = sum m J'J + I w'w + R     over the bodies, J of the centre of mass, w of the angle; R: armature, diagonal
--   c = sum J'(m a - f) + d qd    a: acceleration at qdd = 0; f: gravity and the bodies' damping; d: the coordinates'
--
-- A rotor behind a coordinate is one more mass that moves at qd_k alone: it adds R_k to M_kk, and has no part in the
-- momenta, which are of the bodies. Its own turning with the body that it sits on is left out, as in the core.
--
--   source: Featherstone, "Rigid Body Dynamics Algorithms" (2008), ch. 6, as sums over the bodies: links are few

local arguments = require "impel.base.arguments"

local sqrt = math.sqrt

local TABLE = { "table" }
local NUMBERS = {}
for i, name in ipairs { "x", "y", "fx", "fy", "torque" } do NUMBERS[i] = "multibody:add_force: " .. name end

-- A table of as many numbers as there are coordinates; makes no garbage.
local function check_vector(self, what, vector)
  arguments.check(what, vector, TABLE)
  for k = 1, self.size do
    if type(vector[k]) ~= "number" then
      arguments.fail("%s[%d] must be a number, got %s", what, k, arguments.got(vector[k]))
    end
  end
end

-- Row by row into M: adds m J'J + I w'w of one part.
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

-- to += J'(fx, fy, torque) at the part's centre of mass.
local function add_force(self, part, fx, fy, torque, to)
  local tx, ty, px, py, w = self.tx, self.ty, self.px, self.py, self.w
  local x, y = part.x, part.y
  for _, k in ipairs(part.path) do
    to[k] = to[k] + fx * tx[k] + fy * ty[k] + w[k] * ((x - px[k]) * fy - (y - py[k]) * fx + torque)
  end
end

-- L L' = M, row by row, the half below the diagonal.
local function factorise(M, L, n)
  for i = 1, n do
    local row = (i - 1) * n
    for k = 1, i do
      local other, sum = (k - 1) * n, M[row + k]
      for j = 1, k - 1 do sum = sum - L[row + j] * L[other + j] end
      if k < i then
        L[row + k] = sum / L[other + k]
      else
        if sum <= 0 or sum ~= sum then error("impel.multibody: the mass matrix is singular: a body without mass", 0) end
        L[row + i] = sqrt(sum)
      end
    end
  end
end

return function(multibody)
  --- The mass matrix M(q) at the last update: of the bodies, and the armature of each coordinate on its diagonal.
  --- Source: Featherstone (2008), ch. 6, as a sum over the bodies; ch. 9.6, "Gears", for the armature.
  ---@return number[] M  (n n) row by row, symmetric [kg, kg m, kg m^2]; the multibody's own table, filled again by the
  ---  next call of mass_matrix, inverse or forward
  function multibody:mass_matrix()
    local M, n = self.M, self.size
    for i = 1, n * n do M[i] = 0.0 end
    for k = 1, n do M[(k - 1) * n + k] = self.armature[k] end
    for _, part in ipairs(self.parts) do
      if part.moves then add_mass(self, part, M) end
    end
    for i = 1, n do -- paths ascend, so the half below the diagonal was filled
      for k = i + 1, n do M[(i - 1) * n + k] = M[(k - 1) * n + i] end
    end
    return M
  end

  --- The bias c(q, qd) at the last update: the tau at which no coordinate accelerates, from gravity, damping of the
  --- bodies and of the coordinates, centripetal and Coriolis forces. Dry friction is left out.
  ---@return number[] c  (n) [N, N m]; the multibody's own table, filled again by the next call of bias, inverse or
  ---  forward
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

  --- The forces on the coordinates that do the same work as a force on a body: adds J'F to `tau`. Raises for a body
  --- that is not of the tree, and where tau has fewer than n numbers.
  ---@param body impel.body
  ---@param x number  where it acts, in the world [m]
  ---@param y number  [m]
  ---@param fx number  [N]
  ---@param fy number  [N]
  ---@param torque number  [N m]
  ---@param tau number[]  (n) added to [N, N m]
  ---@return number[] tau  the table that was given
  function multibody:add_force(body, x, y, fx, fy, torque, tau)
    for i = 1, #NUMBERS do arguments.number(NUMBERS[i], (select(i, x, y, fx, fy, torque))) end
    check_vector(self, "multibody:add_force: tau", tau)
    local part = self:part(body)
    add_force(self, part, fx, fy, torque + (x - part.x) * fy - (y - part.y) * fx, tau)
    return tau
  end

  --- Inverse dynamics: the forces tau = M qdd + c that accelerate the coordinates by qdd ("computed torque"). Raises
  --- where qdd has fewer than n numbers.
  ---@param qdd number[]  (n) [m/s^2, rad/s^2]
  ---@param tau number[]  (n) filled [N, N m]
  ---@return number[] tau  the table that was given
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

  --- Forward dynamics: the accelerations qdd = M^-1 (tau - c) that forces cause. Raises where tau has fewer than n
  --- numbers, and where a coordinate moves no mass, so that M is singular.
  ---@param tau number[]  (n) [N, N m]
  ---@param qdd number[]  (n) filled [m/s^2, rad/s^2]
  ---@return number[] qdd  the table that was given
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

  --- The centre of mass of all moving bodies at the last update, and its velocity. Armature has no place, and no part
  --- in it.
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

  --- The Jacobian of the centre of mass and of the angular momentum about it, and their rates where no coordinate
  --- accelerates.
  ---@param J number[]  (3 n) filled: n numbers of the centre's vx, n of vy [m/s per m/s or rad/s], n of the angular
  ---  momentum about it [kg m^2/s per m/s or rad/s]
  ---@return number ax, number ay  of the centre at qdd = 0 [m/s^2]
  ---@return number rate           of the angular momentum there [N m]
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

  --- Momentum of all moving bodies, without the rotors of armature.
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
