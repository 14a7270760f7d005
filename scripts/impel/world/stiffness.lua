-- Angular frequencies omega of springs, and of bodies in tensioned joints, times the substep h: h omega of a spring,
-- h omega / 2 of a body (stable below 1).

local gauss_seidel = require "impel.world.gauss_seidel"

local stiffness = {}

-- Omega h above which springs are solved implicitly.
local STIFF = 0.5
local FOLLOWS = 1e-12 -- a row is dependent if orthogonalisation leaves at most this part of its J M^-1 J^T

local PULLS = { revolute = true, prismatic = true, weld = true, wheel = true, pin_slot = true, linear = true }
local TENDONS = { distance = true, rope = true }


-- Springs ------------------------------------------------------------------------------------------------------------

-- Return a row's J, and the inverse masses of its bodies, each as one list.
local function vector_of(row)
  local j, inverse = { row:jacobian() }, {}
  for _, body in ipairs { row:bodies() } do
    local m, n = gauss_seidel.inverse(body)
    table.move({ m, m, n }, 1, 3, #inverse + 1, inverse)
  end
  return { j = j, inverse = inverse }
end

-- Return J_a M^-1 J_b^T of two rows of one joint.
local function product(a, b)
  local sum = 0
  for k, x in ipairs(a.j) do sum = sum + x * b.j[k] * a.inverse[k] end
  return sum
end

-- Make a row orthogonal to other rows, which are orthogonal to each other. Return the remaining J M^-1 J^T; 0 if the
-- row depends on the others.
local function separate(row, others)
  local whole = product(row, row)
  for _, other in ipairs(others) do
    local part = product(row, other) / product(other, other)
    for k, x in ipairs(other.j) do row.j[k] = row.j[k] - part * x end
  end
  local left = product(row, row)
  return left > FOLLOWS * whole and left or 0
end

-- Return the inverse effective mass J M^-1 J^T of a spring. J is made orthogonal to the locks of the joint.
local function swinging(joint, coordinate)
  local locks, spring = {}, nil
  for row in joint:rows() do
    if row.kind == "spring" and row.coordinate == coordinate.name then
      spring = vector_of(row)
    elseif row.kind == "lock" then
      local lock = vector_of(row)
      if separate(lock, locks) > 0 then locks[#locks + 1] = lock end
    end
  end
  return spring and separate(spring, locks) or 0
end

local function frequency(joint, coordinate, spring)
  if spring.hertz then return 2 * math.pi * spring.hertz end
  return math.sqrt(spring.stiffness * swinging(joint, coordinate))
end

--- Find the stiffest spring of a world.
---@param h number  substep [s]
---@return table|nil worst  { joint, coordinate: names, omega_h }
---@return integer count    springs with omega_h > 0.5
function stiffness.springs(world, h)
  local worst, count = nil, 0
  for joint in world:joints() do
    for coordinate in joint:coordinates() do
      local spring = not joint.broken and coordinate:drives().spring
      local swing = spring and frequency(joint, coordinate, spring) * h or 0
      if swing > STIFF then count = count + 1 end
      if swing > (worst and worst.omega_h or 0) then
        worst = { joint = tostring(joint), coordinate = coordinate.name, omega_h = swing }
      end
    end
  end
  return worst, count
end


-- Tension ------------------------------------------------------------------------------------------------------------

-- For both bodies of a joint, add the stiffness that the joint's tension produces:
-- rotation, with a force f at the offset r from the centre of mass: r . f  [N m/rad]
-- motion across a tendon of length l and tension T: 2 T / l  [N/m]
-- Two tendons hold each mass m of a chain, and neighbours move in opposite directions in the chain's fastest mode, so
-- omega^2 = 4 T / (m l).
local function add_joint(loads, joint)
  local function add(body, x, y, fx, fy, across)
    local load = loads[body] or { turn = 0, shake = 0 }
    local cx, cy = body:center()
    loads[body] = load
    load.turn = load.turn + math.max(0, (x - cx) * fx + (y - cy) * fy)
    load.shake = load.shake + 2 * across
  end
  local ax, ay, bx, by = joint:anchors()
  local fx, fy = joint:reaction()
  local length_sq, across = (bx - ax) ^ 2 + (by - ay) ^ 2, 0
  if TENDONS[joint.kind] and length_sq > 0 then
    across = math.max(0, -(fx * (bx - ax) + fy * (by - ay)) / length_sq)
  end
  add(joint.body_a, ax, ay, -fx, -fy, across)
  add(joint.body_b, bx, by, fx, fy, across)
end

--- Find the body that has the highest frequency omega due to tension. The tension is from the last step's joint forces.
---@param h number  substep [s]
---@return table|nil worst  { body: its name, use: h omega / 2 }; if use is above 1, a solver that keeps J constant
---  during a substep is unstable
function stiffness.tension(world, h)
  local loads, worst = {}, nil
  for joint in world:joints() do
    if not joint.broken and (PULLS[joint.kind] or TENDONS[joint.kind]) then add_joint(loads, joint) end
  end
  for body in world:bodies() do
    local load, m, n = loads[body], gauss_seidel.inverse(body)
    local use = load and h / 2 * math.sqrt(math.max(load.turn * n, load.shake * m)) or 0
    if use > (worst and worst.use or 0) then worst = { body = tostring(body), use = use } end
  end
  return worst
end

return stiffness
