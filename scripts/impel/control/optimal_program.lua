-- The quadratic program that impel.optimal solves.
--
--   z = (qdd_1 .. qdd_n, f_n1, f_t1, f_n2, f_t2, ...)       forces of inactive points are bounded to 0
--   rows 1 .. n          tau - c = M qdd - sum J'f;  bounds: torque limits minus c
--   then 4 per point     normal and tangential acceleration J qdd;  friction f_n - f_t >= 0, friction f_n + f_t >= 0

local contacts = require "impel.control.optimal_contacts"
local tasks = require "impel.control.optimal_tasks"

local optimal_program = {}

-- weight of contact accelerations, relative to the largest weight of a task
local SOFT = 1e4
local inf = math.huge

local function zeros(count)
  local list = {}
  for i = 1, count do list[i] = 0.0 end
  return list
end

--- Create the program for n coordinates and p contact points. Return it, and its numbers of variables and constraints.
function optimal_program.new(n, p)
  local width, rows = n + 2 * p, n + 4 * p
  local program = {
    H = zeros(width * width), g = zeros(width), A = zeros(rows * width), lower = zeros(rows), upper = zeros(rows),
    x_lower = zeros(width), x_upper = zeros(width),
  }
  for k = 1, n do program.x_lower[k], program.x_upper[k] = -inf, inf end
  return program, width, rows
end

-- Fill rows 1 to n: tau - c. Add `effort` * |tau|^2 to the cost.
local function put_torques(self, M, c)
  local program, n, width = self.program, self.multibody.size, self.width
  local A, H, g, effort = program.A, program.H, program.g, self.effort
  for k = 1, n do
    local row = (k - 1) * width
    for i = 1, n do A[row + i] = M[(k - 1) * n + i] end
    for i, contact in ipairs(self.contacts) do
      local at = row + n + 2 * i
      if contact.active then
        A[at - 1], A[at] = -contact.Jn[k], -contact.Jt[k]
      else
        A[at - 1], A[at] = 0.0, 0.0
      end
    end
    program.lower[k], program.upper[k] = -self.max_torque[k] - c[k], self.max_torque[k] - c[k]
    if effort > 0 and self.multibody.coordinates[k] then
      tasks.add_row(H, g, width, width, A, row, effort, -c[k])
    end
  end
end

-- Fill the four rows of a contact (accelerations, friction cone) and the bounds of its forces. The wanted acceleration
-- of the contact point is -contact_damping * velocity. It is a constraint if `hard`, otherwise a cost of weight `soft`.
-- first: it is the first active contact of its body; at the others, the tangential acceleration is free.
local function put_contact(self, i, contact, first, hard, soft)
  local program, mb, width = self.program, self.multibody, self.width
  local A, lower, upper, n = program.A, program.lower, program.upper, mb.size
  local bn, bt, vn, vt = contacts.update(contact, mb, self.J)
  local row, at = n + 4 * (i - 1), n + 2 * i - 1
  for k = row * width + 1, (row + 4) * width do A[k] = 0.0 end
  for k = row + 1, row + 4 do lower[k], upper[k] = -inf, inf end
  local most = contact.active and inf or 0.0
  program.x_lower[at], program.x_upper[at] = 0.0, most
  program.x_lower[at + 1], program.x_upper[at + 1] = -most, most
  if not contact.active then return end
  local an, across = -bn - self.contact_damping * vn, -bt - self.contact_damping * vt
  if hard then
    for k = 1, n do A[row * width + k], A[(row + 1) * width + k] = contact.Jn[k], contact.Jt[k] end
    lower[row + 1], upper[row + 1] = an, an
    if first then lower[row + 2], upper[row + 2] = across, across end
  else
    tasks.add_row(program.H, program.g, width, n, contact.Jn, 0, soft, an)
    if first then tasks.add_row(program.H, program.g, width, n, contact.Jt, 0, soft, across) end
  end
  local cone = (row + 2) * width + at
  A[cone], A[cone + 1], A[cone + width], A[cone + width + 1] = contact.friction, -1.0, contact.friction, 1.0
  lower[row + 3], lower[row + 4] = 0.0, 0.0
end

-- Return whether a contact is the first active contact of its body in the list.
local function is_first(self, contact)
  for _, other in ipairs(self.contacts) do
    if other == contact then return true end
    if other.active and other.body == contact.body then return false end
  end
end

--- Fill the program. hard: contact points do not accelerate; false: their acceleration is a cost.
function optimal_program.fill(self, hard)
  local program, mb, width = self.program, self.multibody, self.width
  local H, g, n = program.H, program.g, mb.size
  for i = 1, width * width do H[i] = 0.0 end
  for i = 1, width do
    H[(i - 1) * width + i], g[i] = i <= n and self.acceleration_weight or self.force_weight, 0.0
  end
  local most = 0.0
  for _, task in ipairs(self.tasks) do
    tasks.add(task, mb, H, g, width, self.J)
    if task.weight > most then most = task.weight end
  end
  local soft = SOFT * (most > 0 and most or 1)
  for i, contact in ipairs(self.contacts) do put_contact(self, i, contact, is_first(self, contact), hard, soft) end
  local c = mb:bias()
  for k = 1, n do c[k] = c[k] - self.load[k] end
  put_torques(self, mb:mass_matrix(), c)
end

return optimal_program
