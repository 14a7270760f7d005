-- impel.rig.rope: particles at equal distances, connected by threads.
--
--   local rope = impel.rig.rope(world, { from = { 0, 5 }, to = { 0, 1 }, b = load })
--   rope:tension()                     -- tension at `from` [N]
--
-- The guard, a constraint on the distance of the ends, carries heavy loads.
--   source: Kim, Chentanez and Müller-Fischer, "Long Range Attachments" (2012)

local rig_parts = require "impel.rig.shared.parts"
local rig_links = require "impel.rig.shared.links"

local MASS = 1 -- default mass per metre [kg/m]

local fields = rig_links.with {
  segments = { "integer", min = 2, default = 10 },
  damping = { "number", min = 0, default = 0, unit = "1/s" },
  guard = { "boolean", default = true },
}

-- Return the tension at the start [N], including the guard.
local function tension(parts)
  local fx, fy = parts.joints[1]:reaction()
  if parts.guard then
    local gx, gy = parts.guard:reaction()
    fx, fy = fx + gx, fy + gy
  end
  return math.sqrt(fx * fx + fy * fy)
end

local function build(parts, o)
  local points, link = rig_links.points(parts, o.from, o.to, o.length, o.segments)
  parts.length = link * o.segments
  local mass = (o.mass or MASS * parts.length) / (o.segments - (o.b and 1 or 0) + (o.loose and 1 or 0))
  local a, at_a = not o.loose and (o.a or parts.world.ground) or nil, points[1]
  local last = a
  local function tie(b, at_b, kind)
    return parts:joint(kind or "distance", nil, last, b, { anchor_a = at_a, anchor_b = at_b,
      length = kind and parts.length or link, break_force = not kind and o.break_force or nil })
  end
  for i = o.loose and 1 or 2, o.segments + (o.b and 0 or 1) do
    local body = parts:body(nil, { type = "particle", position = points[i], mass = mass, linear_damping = o.damping })
    body:circle { radius = o.radius, friction = o.friction, group = parts.group }
    if last then tie(body, points[i]) end
    last, at_a = body, points[i]
  end
  parts.first, parts.last = parts.bodies[1], last
  if o.b then tie(o.b, points[#points]) end
  local final = o.b or last
  last, at_a = a or parts.first, points[1]
  if o.guard and not o.break_force and last ~= final then parts.guard = tie(final, points[#points], "rope") end
  parts.tension = tension
end

--- Create a rope between two points, in an arc below the points if the rope is longer.
---@param options table|nil  fields:
---  from = { 0, 0 }, to = { 0, -2 } [m]: ends in the rig's frame
---  length [m], default the distance of the ends
---  segments = 10
---  mass [kg] of the rope, shared equally by its particles, default 1 kg per metre
---  radius = 0.03 [m] of the particles, which collide with other bodies
---  friction = 0.6
---  damping = 0 [1/s] by the air
---  break_force [N] of the threads, default none
---  a: body at from, default the ground
---  b: body at to, default none
---  loose = false: whether no body is at from
---  guard = true: whether a joint limits the distance of the ends to the length; none with break_force
---  position, angle, name, group
---@return table parts  first, last: outer particles; bodies, joints (from a to b), guard or nil; length [m]; tension()
---  [N], mass() [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.rope", world, options, fields, build)
end
