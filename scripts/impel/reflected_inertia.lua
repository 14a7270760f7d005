-- impel.reflected_inertia: the inertia that a force on a coordinate accelerates.
--
--   reflected_inertia.of(elbow)                           [kg or kg m^2], at the present pose
--   reflected_inertia.of(elbow, { neighbours = "held" })
--   reflected_inertia.mobility { hip, knee }
--
--   W = J M^-1 J^T - J M^-1 L^T (L M^-1 L^T)^-1 L M^-1 J^T,   inertia of coordinate i = 1 / W_ii
--   J: Jacobian of the coordinates, L: Jacobian of all locks of their linkages, M: masses and inertias of the bodies
--   source: Khatib, "A Unified Approach for Motion and Force Control of Robot Manipulators" (1987)
--
-- Contacts are ignored; armature is included. `neighbours`: whether all other coordinates move freely ("free": the
-- least inertia, for sudden forces and stability) or are kept in place ("held": the inertia of all bodies beyond the
-- joint).

local arguments = require "impel.base.arguments"
local control = require "impel.control"

local reflected_inertia = {}

-- A row is dependent if elimination leaves at most this fraction of its diagonal.
local SINGULAR = 1e-9

local function moves(body) return body.type == "dynamic" or body.type == "particle" end

-- Return a row of the Jacobian: for each moving body { slots[body], J_x, J_y, J_angle }.
local function row_of(coordinate, slots)
  local j, row = { coordinate:jacobian() }, {}
  local n = 0
  for _, body in ipairs { coordinate.joint:bodies() } do
    local slot = slots[body]
    if slot then row[#row + 1] = { slot, j[n + 1], j[n + 2], j[n + 3] } end
    n = n + 3
  end
  return row
end

-- For all linkages of the coordinates, return the list of moving bodies, the index of each body in it, and the joints.
local function linkage(coordinates)
  local mass, slots, joints, seen = {}, {}, {}, {}
  local function add(joint)
    if seen[joint] or joint.broken then return end
    seen[joint] = true
    joints[#joints + 1] = joint
    for _, body in ipairs { joint:bodies() } do
      if moves(body) and not slots[body] then
        local turns = body.inertia > 0 and not body.fixed_rotation
        local inv_mass = 1 / body.mass
        mass[#mass + 1] = {
          body = body, inv_x = body.lock_x and 0 or inv_mass, inv_y = body.lock_y and 0 or inv_mass,
          inv_inertia = turns and 1 / body.inertia or 0,
        }
        slots[body] = #mass
      end
    end
  end
  for _, coordinate in ipairs(coordinates) do add(coordinate.joint) end
  local at = 1
  while at <= #mass do
    for joint in mass[at].body:joints() do add(joint) end
    at = at + 1
  end
  return mass, slots, joints
end

local function coupling(a, b, mass)
  local sum = 0
  for _, p in ipairs(a) do
    for _, q in ipairs(b) do
      if p[1] == q[1] then
        local m = mass[p[1]]
        sum = sum + m.inv_x * p[2] * q[2] + m.inv_y * p[3] * q[3] + m.inv_inertia * p[4] * q[4]
      end
    end
  end
  return sum
end

-- Add the rotor of a coordinate as a body with speed s. Return the row J v - s = 0 that couples them.
local function rotor_of(coordinate, slots, mass)
  mass[#mass + 1] = { inv_x = 1 / coordinate.armature, inv_y = 0, inv_inertia = 0 }
  local row = row_of(coordinate, slots)
  row[#row + 1] = { #mass, -1, 0, 0 }
  return row
end

-- Return the constraint rows: a row for each locked coordinate, and rows for unlocked coordinates that are not in
-- `asked`. If `held` is true and the joint has a lock, an unlocked coordinate gets the row of a lock. Otherwise it gets
-- the row of its rotor if its armature is not 0, and no row if its armature is 0.
local function locks_of(joints, slots, mass, asked, held)
  local rows, drives = {}, {}
  for _, joint in ipairs(joints) do
    local free, locked = {}, 0
    for coordinate in joint:coordinates() do
      if coordinate:drives(drives).lock then
        rows[#rows + 1] = row_of(coordinate, slots)
        locked = locked + 1
      elseif not asked[coordinate] then
        free[#free + 1] = coordinate
      end
    end
    for _, coordinate in ipairs(free) do
      if held and locked > 0 then
        rows[#rows + 1] = row_of(coordinate, slots)
      elseif coordinate.armature > 0 then
        rows[#rows + 1] = rotor_of(coordinate, slots, mass)
      end
    end
  end
  return rows
end

-- Eliminate the first `count` rows of a symmetric matrix from all rows below them. Skip dependent rows.
local function eliminate(k, count)
  local own = {}
  for i = 1, count do own[i] = k[i][i] end
  for p = 1, count do
    local pivot = k[p][p]
    if pivot > SINGULAR * own[p] then
      for i = p + 1, #k do
        local f = k[i][p] / pivot
        if f ~= 0 then
          for c = p + 1, i do k[i][c] = k[i][c] - f * k[c][p] end
        end
      end
    end
  end
end

-- Add the armatures of the coordinates to the mobility matrix w, in place:
--   w = (1 + W0 R)^-1 W0     W0: w before the call, may be singular; R: diagonal matrix of the armatures
-- If W0 is regular, w = (W0^-1 + R)^-1.
local function add_armature(w, list)
  local n, a = #list, {}
  for i = 1, n do
    a[i] = {}
    for c = 1, n do
      a[i][c] = w[i][c] * list[c].armature + (i == c and 1 or 0)
      a[i][n + c] = w[i][c]
    end
  end
  for p = 1, n do
    local best = p
    for i = p + 1, n do
      if math.abs(a[i][p]) > math.abs(a[best][p]) then best = i end
    end
    a[p], a[best] = a[best], a[p]
    for i = 1, n do
      local f = i ~= p and a[i][p] / a[p][p] or 0
      if f ~= 0 then
        for c = p, 2 * n do a[i][c] = a[i][c] - f * a[p][c] end
      end
    end
  end
  for i = 1, n do
    for c = 1, i do
      local value = 0.5 * (a[i][n + c] / a[i][i] + a[c][n + i] / a[c][c])
      w[i][c], w[c][i] = value, value
    end
  end
end

local function has_armature(list)
  for _, coordinate in ipairs(list) do
    if coordinate.armature > 0 then return true end
  end
  return false
end

--- Compute the matrix of accelerations per unit force on coordinates of one world, at the present pose.
---@param coordinates table  list of coordinates or joints
---@param options table|nil  neighbours: coordinates that are not in the list are "free" (default) or "held"
---@return number[][] w  (n, n), symmetric [1/kg, 1/(kg m), 1/(kg m^2)]; 0 on the diagonal: the coordinate cannot move
function reflected_inertia.mobility(coordinates, options)
  local o = arguments.read("reflected_inertia", options, {
    neighbours = { "choice", "free", "held", default = "free" },
  })
  arguments.list("reflected_inertia: argument 'coordinates'", coordinates)
  local list, asked = {}, {}
  for i, coordinate in ipairs(coordinates) do
    list[i] = control.coordinate("reflected_inertia", coordinate)
    asked[list[i]] = true
  end
  local mass, slots, joints = linkage(list)
  local rows = locks_of(joints, slots, mass, asked, o.neighbours == "held")
  local locks = #rows
  for _, coordinate in ipairs(list) do rows[#rows + 1] = row_of(coordinate, slots) end
  local k = {}
  for i = 1, #rows do
    k[i] = {}
    for c = 1, i do k[i][c] = coupling(rows[i], rows[c], mass) end
  end
  local own = {}
  for i = 1, #list do own[i] = k[locks + i][locks + i] end
  eliminate(k, locks)
  local w = {}
  for i = 1, #list do
    w[i] = {}
    for c = 1, i do
      local value = k[locks + i][locks + c]
      if c == i and value <= SINGULAR * own[i] then value = 0 end
      w[i][c], w[c][i] = value, value
    end
  end
  if has_armature(list) then add_armature(w, list) end
  return w
end

--- Return the inertia that a force on a coordinate accelerates.
---@param coordinate impel.joint|impel.coordinate
---@param options table|nil   neighbours: "free" (default) or "held"
---@return number inertia  [kg or kg m^2]; infinite if the coordinate cannot move
function reflected_inertia.of(coordinate, options)
  coordinate = control.coordinate("reflected_inertia", coordinate)
  local w = reflected_inertia.mobility({ coordinate }, options)[1][1]
  return w > 0 and 1 / w or math.huge
end

return reflected_inertia
