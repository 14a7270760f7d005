-- Convergence of Gauss-Seidel sweeps over the rows of a world:
--   A lambda = -(J v + b),   A = J M^-1 J^T = L + D + L^T
--   A sweep changes the error e of lambda to -(D + L)^-1 L^T e. Norm of e: u^T M u with u = M^-1 J^T e.
-- Power iteration finds the spectral radius q. A row with armature R has the equation J v - s = 0, where s is the speed
-- of a rotor of mass R.
--   source: Catto, "Modeling and Solving Constraints" (GDC 2009), chain: q = cos^2(pi / 2N) for N equal links

local gauss_seidel = {}

local ROOM = 3000000 -- largest number of row solves; this number takes about a second
-- Stop when q changes in a sweep by less than SETTLED (1 - q)^2; the error of q is then about 1e-5 (1 - q).
local SETTLED = 1e-5
local GONE = 1e-20   -- fraction of the initial energy below which rounding dominates
local BEARS = 1e-3   -- rows with a smaller fraction of the largest impulse are ignored

-- Return inverse mass and inverse inertia; 0 for a body that cannot move.
local function inverse(body)
  local mass, inertia = body.mass, body.inertia
  local moves = mass > 0 and body.enabled
  return moves and 1 / mass or 0, moves and inertia > 0 and 1 / inertia or 0
end

gauss_seidel.inverse = inverse

--- Return whether a row is an equation: rigid and without bounds.
---@param row impel.row
function gauss_seidel.is_equation(row)
  local rigid = row.kind == "lock" or row.kind == "armature"
    or row.kind == "user" or row.kind == "servo" or row.kind == "motor"
  return rigid and row.lower == -math.huge and row.upper == math.huge
end

--- Whether a row is a contact normal with a positive impulse.
function gauss_seidel.is_pressing(row)
  return row.kind == "normal" and row.impulse > 0
end

local function add_body(system, body)
  local index = #system.inverse_mass + 1
  system.index[body] = index
  system.inverse_mass[index], system.inverse_inertia[index] = inverse(body)
  return index
end

local function add_row(system, row)
  local bodies, j = { row:bodies() }, { row:jacobian() }
  local terms, sum = {}, 0
  for i, body in ipairs(bodies) do
    local index = system.index[body] or add_body(system, body)
    local jx, jy, ja = j[3 * i - 2], j[3 * i - 1], j[3 * i]
    local m, n = system.inverse_mass[index], system.inverse_inertia[index]
    local size = m * (jx * jx + jy * jy) + n * ja * ja
    if size > 0 then
      sum = sum + size
      terms[#terms + 1] = { index = index, jx = jx, jy = jy, ja = ja, px = m * jx, py = m * jy, pa = n * ja }
    end
  end
  local armature = row.kind == "armature" and row.coordinate.armature or 0
  if sum > 0 and armature > 0 then
    local index, m = #system.inverse_mass + 1, 1 / armature
    system.inverse_mass[index], system.inverse_inertia[index] = m, 0
    sum = sum + m
    terms[#terms + 1] = { index = index, jx = -1, jy = 0, ja = 0, px = -m, py = 0, pa = 0 }
  end
  if sum > 0 then
    system[#system + 1] = { terms = terms, mass = 1 / sum, impulse = row.impulse }
  end
end

--- Return the rows that `accepts` selects, in the order of the sweep.
---@return table system  rows with mass, impulse and terms
function gauss_seidel.system(world, accepts)
  local system = { index = {}, inverse_mass = {}, inverse_inertia = {} }
  for row in world:rows() do
    if accepts(row) then add_row(system, row) end
  end
  if world.order == "backward" then
    for i = 1, #system // 2 do
      system[i], system[#system + 1 - i] = system[#system + 1 - i], system[i]
    end
  end
  return system
end

-- Return u = M^-1 J^T e.
local function motion_of(system, e)
  local u = {}
  for i = 1, 3 * #system.inverse_mass do u[i] = 0 end
  for i, row in ipairs(system) do
    for _, term in ipairs(row.terms) do
      local k = 3 * term.index
      u[k - 2], u[k - 1], u[k] = u[k - 2] + term.px * e[i], u[k - 1] + term.py * e[i], u[k] + term.pa * e[i]
    end
  end
  return u
end

local function energy_of(system, u)
  local sum = 0
  for i, m in ipairs(system.inverse_mass) do
    local n = system.inverse_inertia[i]
    local x, y, a = u[3 * i - 2], u[3 * i - 1], u[3 * i]
    sum = sum + (m > 0 and (x * x + y * y) / m or 0) + (n > 0 and a * a / n or 0)
  end
  return sum
end

-- Make one sweep with right-hand side 0. `corrections` receives the change of each impulse.
local function sweep(system, u, corrections)
  for i = 1, #system do
    local row = system[i]
    local terms, speed = row.terms, 0
    for n = 1, #terms do
      local term = terms[n]
      local k = 3 * term.index
      speed = speed + term.jx * u[k - 2] + term.jy * u[k - 1] + term.ja * u[k]
    end
    local d = -row.mass * speed
    corrections[i] = d
    for n = 1, #terms do
      local term = terms[n]
      local k = 3 * term.index
      u[k - 2], u[k - 1], u[k] = u[k - 2] + term.px * d, u[k - 1] + term.py * d, u[k] + term.pa * d
    end
  end
end

-- Return irregular numbers between 1/2 and 1, so that the vector has a component along every mode.
local function generic(count)
  local e = {}
  for i = 1, count do e[i] = 0.5 + i * 0.6180339887498949 % 0.5 end
  return e
end

--- Return the asymptotic factor in [0, 1] by which a sweep reduces the error; and false if it is a lower bound.
function gauss_seidel.contraction(system)
  local u, corrections = motion_of(system, generic(#system)), {}
  local first = energy_of(system, u)
  local before, start, q = first, first, 0
  local most = math.max(20, ROOM // math.max(#system, 1))
  for n = 1, most do
    sweep(system, u, corrections)
    local now = energy_of(system, u)
    if now <= GONE * first then return q, true end
    local last = q
    q = math.sqrt(now / before)
    if n > 3 and math.abs(q - last) <= SETTLED * (1 - q) ^ 2 then return math.min(q, 1), true end
    if n == most // 2 then start = now end
    before = now
  end
  -- q does not settle if two modes exchange energy: return its mean over the second half of the sweeps.
  return math.min((before / start) ^ (0.5 / (most - most // 2)), 1), false
end

-- Return the expected relative error of the impulses after a sweep.
local function part_left(system, corrections, q, largest)
  local worst = 0
  for i = 1, #system do
    local impulse = math.abs(system[i].impulse)
    if impulse > BEARS * largest then worst = math.max(worst, math.abs(corrections[i]) / impulse) end
  end
  return worst * q / (1 - q)
end

--- Return the number of sweeps, from zero impulses, until the relative error of each impulse is at most `tolerance`;
--- nil if the sweeps do not converge. q: result of gauss_seidel.contraction.
function gauss_seidel.needed(system, q, tolerance)
  if q >= 1 then return nil end
  if q == 0 then return 1 end
  local e, largest = {}, 0
  for i, row in ipairs(system) do
    e[i] = -row.impulse
    largest = math.max(largest, math.abs(row.impulse))
  end
  if largest == 0 then return math.ceil(math.log(tolerance) / math.log(q)) end
  local u, corrections, left = motion_of(system, e), {}, nil
  local most = math.max(20, ROOM // #system)
  for n = 1, most do
    sweep(system, u, corrections)
    left = part_left(system, corrections, q, largest)
    if left <= tolerance then return n end
  end
  return most + math.ceil(math.log(tolerance / left) / math.log(q))
end

return gauss_seidel
