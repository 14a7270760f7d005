-- impel.rig.soft: a soft disc: a ring of particles with an elastic skin and a constant area.
--
--   local ball = impel.rig.soft(world, { position = { 0, 3 }, radius = 0.5 })
--   ball:area_now(), ball.area.force          -- area [m^2], pressure inside [N/m]
--
-- The inside is one constraint on the ring, C = A(q) - A0, with the area of the polygon:
--
--   A = 1/2 sum (x_i y_(i+1) - x_(i+1) y_i)      dA/dx_i = (y_(i+1) - y_(i-1)) / 2
--
--   p = K (A0 - A) / A0     pressure with `bulk` K
--   k = (2 pi f)^2 m        springs of skin and spokes, m: mass of a particle

local arguments = require "impel.base.arguments"
local rig_parts = require "impel.rig.shared.parts"
local maths = require "impel.math"

local fields = {
  radius = { "number", above = 0, default = 0.5, unit = "m" },
  points = { "integer", min = 6, max = 64, default = 16 },
  mass = { "number", above = 0, default = 5, unit = "kg" },
  skin = { "number", min = 0.01, default = 8, unit = "Hz" },
  spokes = { "number", min = 0, default = 3, unit = "Hz" },
  damping_ratio = { "number", min = 0, default = 0.5 },
  bulk = { "number", above = 0, optional = true, unit = "N/m" },
  thickness = { "number", above = 0, optional = true, unit = "m" },
  friction = { "number", min = 0, default = 0.6 },
}

-- Return a function: positions of n corners -> area of the polygon minus `rest`. The components x and y of a position
-- are numbers or traced values.
local function growth(n, rest)
  return function(...)
    local p, sum = { ... }, 0
    for i = 1, n do
      local a, b = p[i], p[i % n + 1]
      sum = sum + (a.x * b.y - b.x * a.y)
    end
    return sum / 2 - rest
  end
end

--- Return the area inside the ring [m^2].
local function area_now(parts)
  local sum, ring = 0, parts.ring
  local x, y = ring[#ring]:position()
  for i = 1, #ring do
    local nx, ny = ring[i]:position()
    sum = sum + (x * ny - nx * y)
    x, y = nx, ny
  end
  return sum / 2
end

local function build(parts, o)
  local n = o.points
  -- The particles are circles. Neighbouring circles touch, and the circles extend outward to `radius`.
  local s = maths.sin(maths.pi / n)
  local thick = o.thickness and o.thickness / 2 or o.radius * s / (1 + s)
  local r = o.radius - thick
  if r <= 0 then
    arguments.fail("%s: field 'thickness' must be a finite number < %s [m], twice the radius, got %s", parts.what,
      arguments.bound(2 * o.radius), arguments.bound(o.thickness))
  end
  parts.ring, parts.area_now = {}, area_now
  local each = (o.spokes > 0 and 0.9 or 1) * o.mass / n
  for i = 1, n do
    local a = 2 * maths.pi * (i - 1) / n
    local body = parts:body(nil, { type = "particle", position = { r * maths.cos(a), r * maths.sin(a) }, mass = each })
    body:circle { radius = thick, friction = o.friction, group = parts.group }
    parts.ring[i] = body
  end
  local function spring(hertz, length)
    local omega = 2 * maths.pi * hertz
    return { stiffness = each * omega * omega, damping = 2 * o.damping_ratio * each * omega, target = length }
  end
  for i = 1, n do
    parts:joint("distance", nil, parts.ring[i], parts.ring[i % n + 1], { spring = spring(o.skin, 2 * r * s) })
  end
  if o.spokes > 0 then
    parts:body("hub", { type = "particle", mass = 0.1 * o.mass })
    for i = 1, n do parts:joint("distance", nil, parts.hub, parts.ring[i], { spring = spring(o.spokes, r) }) end
  end
  parts.rest_area = area_now(parts)
  local rest, bodies = parts.rest_area, { table.unpack(parts.ring) }
  bodies[n + 1] = { name = parts.name .. " area", C = growth(n, rest),
    spring = o.bulk and { stiffness = o.bulk / rest, damping = 0 } or nil }
  parts.area = parts.world:constraint(table.unpack(bodies))
  parts.joints[#parts.joints + 1] = parts.area
end

--- Create a soft disc.
---@param options table|nil  fields:
---  position = { 0, 0 } [m] of the middle
---  radius = 0.5 [m] to the outside
---  points = 16: particles in the ring
---  mass = 5 [kg], of which the hub has a tenth
---  skin = 8 [Hz], spokes = 3 [Hz]: frequencies of their springs, spokes = 0: neither spokes nor hub
---  damping_ratio = 0.5 of the springs
---  bulk [N/m]: bulk modulus of the inside, default incompressible
---  thickness [m] of the skin, default such that the ring is closed
---  friction = 0.6
---  angle, name, group
---@return table parts  ring: the particles; hub, or nil; area: constraint on the area, whose force is the pressure;
---  area_now() and rest_area [m^2]; bodies, joints, group, mass() [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.soft", world, options, fields, build)
end
