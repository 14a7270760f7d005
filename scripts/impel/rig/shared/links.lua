-- A series of equal links between two points, used by chain, rope and bridge.
--
--   local points = rig_links.points(parts, o.from, o.to, o.length, o.segments)    -- segments + 1 points
--   rig_links.hinge(parts, o, points, function(body, length) body:box { length, o.thickness } end)
--
-- Links longer than the distance of the points form a circular arc below the points:
--   length / distance = n sin(a / n) / sin a       a: half the angle of the arc, n: links, 0 < a < pi

local arguments = require "impel.base.arguments"
local maths = require "impel.math"
local merged = require "impel.base.merged"

local rig_links = {}

--- Options common to chain, rope and bridge, for arguments.read.
rig_links.fields = {
  from = { "point", default = { 0, 0 }, unit = "m" },
  to = { "point", default = { 0, -2 }, unit = "m" },
  length = { "number", above = 0, optional = true, unit = "m" },
  segments = { "integer", min = 1, default = 10 },
  mass = { "number", above = 0, optional = true, unit = "kg" },
  radius = { "number", above = 0, default = 0.03, unit = "m" },
  friction = { "number", min = 0, default = 0.6 },
  damping = { "number", min = 0, default = 0 },
  break_force = { "number", min = 0, optional = true, unit = "N" },
  a = { "body", optional = true },
  b = { "body", optional = true },
  loose = { "boolean", default = false },
}

--- Return rig_links.fields with further fields; a field in `others` replaces one of the same name.
function rig_links.with(others)
  return merged(rig_links.fields, others)
end

local function half_angle(ratio, n)
  local low, high = 0, maths.pi
  for _ = 1, 100 do
    local middle = (low + high) / 2
    if n * maths.sin(middle / n) < ratio * maths.sin(middle) then low = middle else high = middle end
  end
  return low
end

--- Return the end points of n links, on the straight line or an arc below it.
---@param from number[]    { x, y } in the rig's frame [m]
---@param to number[]      { x, y } [m]
---@param length number?  of all links together [m], default the distance from `from` to `to`
---@return number[][] points  n + 1 points, the first is `from`, the last is `to`
---@return number length      length of a link [m]
function rig_links.points(parts, from, to, length, n)
  local what = parts.what
  local dx, dy = to[1] - from[1], to[2] - from[2]
  local way = math.sqrt(dx * dx + dy * dy)
  if way == 0 then arguments.fail("%s: field 'to' must differ from field 'from'", what) end
  length = length or way
  if length < way * (1 - 1e-9) then
    arguments.fail("%s: field 'length' must be at least the distance of %s m between 'from' and 'to', got %s", what,
      arguments.bound(way), arguments.bound(length))
  end
  if n == 1 and length > way * (1 + 1e-9) then
    arguments.fail("%s: with only one link, field 'length' must be the distance of %s m between 'from' and 'to', "
      .. "got %s", what, arguments.bound(way), arguments.bound(length))
  end
  local points = { { from[1], from[2] } }
  local bent = length > way * (1 + 1e-9)
  local half = bent and half_angle(length / way, n)
  local radius = bent and way / 2 / maths.sin(half)
  local ux, uy = dx / way, dy / way
  local nx, ny = uy, -ux -- normal to the line, downward
  if select(2, parts:vector(nx, ny)) > 0 then nx, ny = -nx, -ny end
  for i = 1, n - 1 do
    local along, below = way * i / n, 0
    if bent then
      local a = half * (2 * i / n - 1)
      along, below = way / 2 + radius * maths.sin(a), radius * (maths.cos(a) - maths.cos(half))
    end
    points[i + 1] = { from[1] + ux * along + nx * below, from[2] + uy * along + ny * below }
  end
  points[n + 1] = { to[1], to[2] }
  return points, length / n
end

--- Add a rigid link between each two successive points, and hinges between the links. A hinge connects the first link
--- to o.a (nil: the ground) unless o.loose is true. A hinge connects the last link to o.b if o.b is not nil. Set
--- parts.first and parts.last to the first and the last link. o.mass: total mass of the links [kg].
---@param add_shape fun(body: impel.body, length: number)  adds the shape of a link
function rig_links.hinge(parts, o, points, add_shape)
  local n = #points - 1
  local last = not o.loose and (o.a or parts.world.ground) or nil
  local function pin(a, b, at)
    parts:joint("revolute", nil, a, b, { anchor = at, break_force = o.break_force,
      spring = o.damping > 0 and { stiffness = 0, damping = o.damping } or nil })
  end
  for i = 1, n do
    local p, q = points[i], points[i + 1]
    local dx, dy = q[1] - p[1], q[2] - p[2]
    local body = parts:body(nil, { position = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2 }, angle = maths.atan(dy, dx),
      mass = o.mass / n })
    add_shape(body, math.sqrt(dx * dx + dy * dy))
    if last then pin(last, body, p) end
    last = body
  end
  if o.b then pin(last, o.b, points[n + 1]) end
  parts.first, parts.last = parts.bodies[1], last
end

return rig_links
