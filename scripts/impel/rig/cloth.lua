-- impel.rig.cloth: particles in rows and columns, tied to their neighbours by threads and held by pins.
--
--   local cloth = impel.rig.cloth(world, { columns = 20, rows = 20, spacing = 0.1, pins = "corners" })
--   local flag = impel.rig.cloth(world, { pins = "left", a = pole, shear = 50 })
--   cloth.grid[row][column]              -- a particle, or false for a pin
--
-- A thread is a distance joint, a pin a point of the body `a`. Row 1 is at the top.

local rig_parts = require "impel.rig.shared.parts"

local fields = {
  columns = { "integer", min = 2, default = 20 },
  rows = { "integer", min = 2, default = 20 },
  spacing = { "number", above = 0, default = 0.1, unit = "m" },
  density = { "number", above = 0, default = 1, unit = "kg/m^2" },
  pins = { "choice", "corners", "top", "left", "none", default = "corners" },
  shear = { "number", min = 0, default = 0, unit = "N/m" },
  damping = { "number", min = 0, default = 1, unit = "1/s" },
  radius = { "number", min = 0, default = 0, unit = "m" },
  friction = { "number", min = 0, default = 0.6 },
  break_force = { "number", min = 0, optional = true, unit = "N" },
  a = { "body", optional = true },
}

local is_pin = {
  corners = function(row, column, columns) return row == 1 and (column == 1 or column == columns) end,
  top = function(row) return row == 1 end,
  left = function(_, column) return column == 1 end,
  none = function() return false end,
}

-- Tie two points of the grid, unless both are pins.
local function tie(parts, o, list, p, q, spring)
  if not p or not q or p.pin and q.pin then return end
  -- The particle must be body b, because reaction() is the force on body b.
  if q.pin then p, q = q, p end
  local thread = parts:joint("distance", nil, p.body or o.a, q.body, { anchor_a = { p.x, p.y }, anchor_b = { q.x, q.y },
    spring = spring, break_force = not spring and o.break_force or nil })
  list[#list + 1] = thread
  if p.pin and not spring then parts.pinned[#parts.pinned + 1] = thread end
end

--- Return the mean and the largest strain |length / initial length - 1| of unbroken threads.
local function strain(parts)
  local sum, most, count = 0, 0, 0
  for _, thread in ipairs(parts.threads) do
    if not thread.broken then
      local part = math.abs(thread.value / parts.spacing - 1)
      sum, most, count = sum + part, math.max(most, part), count + 1
    end
  end
  return count > 0 and sum / count or 0, most
end

-- Return the force of all pins on the cloth [N].
local function pin_force(parts)
  local fx, fy = 0, 0
  for _, thread in ipairs(parts.pinned) do
    local x, y = thread:reaction()
    fx, fy = fx + x, fy + y
  end
  return fx, fy
end

local function build(parts, o)
  parts.grid, parts.threads, parts.diagonals, parts.pinned, parts.spacing = {}, {}, {}, {}, o.spacing
  parts.strain, parts.pin_force = strain, pin_force
  o.a = o.a or parts.world.ground
  local spring = o.shear > 0 and { stiffness = o.shear, target = o.spacing * math.sqrt(2) } or nil
  local above = {}
  for row = 1, o.rows do
    local places, line = {}, {}
    for column = 1, o.columns do
      local x, y = (column - 1) * o.spacing, -(row - 1) * o.spacing
      local place = { x = x, y = y, pin = is_pin[o.pins](row, column, o.columns) }
      if not place.pin then
        place.body = parts:body(nil, { type = "particle", position = { x, y }, mass = o.density * o.spacing ^ 2,
          linear_damping = o.damping })
        if o.radius > 0 then
          place.body:circle { radius = o.radius, friction = o.friction, group = parts.group }
        end
      end
      tie(parts, o, parts.threads, places[column - 1], place)
      tie(parts, o, parts.threads, above[column], place)
      if spring then
        tie(parts, o, parts.diagonals, above[column - 1], place, spring)
        tie(parts, o, parts.diagonals, above[column + 1], place, spring)
      end
      places[column], line[column] = place, place.body or false
    end
    above, parts.grid[row] = places, line
  end
end

--- Create a cloth.
---@param options table|nil  fields:
---  columns = 20
---  rows = 20
---  spacing = 0.1 [m] of the particles
---  density = 1 [kg/m^2]: the mass of a particle is density spacing^2
---  pins = "corners" (of the upper row), or "top", "left" or "none"
---  a: the body with the pins, default the ground
---  shear = 0 [N/m]: stiffness of the diagonals, 0: no diagonals
---  damping = 1 [1/s] by the air
---  radius = 0 [m] of the particles for collisions with other bodies, 0: no collisions
---  friction = 0.6
---  break_force [N] of a thread, default none
---  position = { 0, 0 } [m] of the upper left corner
---  angle, name, group
---@return table parts  grid[row][column]; threads, diagonals, pinned: threads at pins; strain() -> mean, most;
---  pin_force() -> fx, fy [N]; bodies, joints, group, mass() [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.cloth", world, options, fields, build)
end
