-- impel.field: force fields over many bodies, evaluated before every substep.
--
--   local air = impel.field.drag(world, { quadratic = 0.1 })
--   local sea = impel.field.buoyancy(world, { density = 1000, level = 0, linear = 500, wave_amplitude = 0.3 })
--   local well = impel.field.custom(world, function(b, t, p) return -p.k * b.x, 0 end, { param = { k = 5 } })
--   air.quadratic = 0.2
--   sea:destroy()
--
-- Common options:
--   name, enabled, data; bodies = { ... } (only these bodies) or except = { ... }; region = { x1, y1, x2, y2 }
--
-- Laws, with v, x, m: velocity, position and mass of a body, u: velocity of a medium:
--   uniform    a = acceleration + force / m
--   attractor  a = strength / s^power towards the center, s^2 = r^2 + softening^2
--   spring     F = -stiffness (r - rest_length) - damping v, or hertz and damping_ratio, the same for every mass
--   drag       F = -(linear + quadratic |v - u|) (v - u), torque = -angular w
--   vortex     drag; u = f circulation around the center + f inflow towards it, f = r / (2 pi (r^2 + core^2))
--              (Scully 1975)
--   wind       pressure 1/2 density coefficient (n . (u - v))^2 on each edge that faces the wind, with the normal n and
--              v at the edge (Newton 1687)
--   buoyancy   -density A g at the centroid of the area A below the surface; drag (linear + quadratic |v - u|) A
--   explosion  impulse / r per metre of width that a shape presents to the center
--   custom     the result of the user's function
-- Drag is integrated implicitly. A spring is integrated implicitly if w h >= 0.5, with the angular frequency w of the
-- spring and the substep h.

local arguments = require "impel.base.arguments"
local merged = require "impel.base.merged"

local field = {}

-- Call world:field with the options and the kind.
local function make(name, world, options, kind)
  local what = "impel.field." .. name
  arguments.check(what .. ": argument 'world'", world, { "world" })
  arguments.check(what .. ": options", options == nil and {} or options, { "table" })
  local copy = merged(options, { kind = kind or name })
  local ok, result = pcall(world.field, world, copy)
  if not ok then arguments.fail("%s", (tostring(result):gsub("^[^\n]-:%d+: ", ""))) end
  return result
end

--- Make a field with the same acceleration or force for every body.
---@param options table  { acceleration = { ax, ay } [m/s^2], force = { fx, fy } [N] }, one is required
function field.uniform(world, options) return make("uniform", world, options) end

--- Make a uniform field that is added to the world's gravity.
---@param options table  { acceleration = { ax, ay } [m/s^2] }
function field.gravity(world, options) return make("gravity", world, options, "uniform") end

--- Make a field of acceleration towards a point, independent of mass. A negative strength repels.
---@param options table  { center, strength [m^(1+power)/s^2], power = 2, softening = 0 [m], range [m] }; strength is
---  required
function field.attractor(world, options) return make("attractor", world, options) end

--- Make damped springs from each body's centre of mass to a point.
---@param options table  { center, stiffness [N/m], damping [N s/m] } or { center, hertz, damping_ratio }; and
---  rest_length [m]
---@return impel.field
function field.spring(world, options) return make("spring", world, options) end

--- Make drag in a medium with a uniform velocity.
---@param options table  { linear [kg/s], quadratic [kg/m], angular [N m s], velocity = { ux, uy } [m/s] }; linear,
---  quadratic or angular is required
---@return impel.field
function field.drag(world, options) return make("drag", world, options) end

--- Make drag in a medium that circulates about a point and flows into the point.
---@param options table  { center, circulation [m^2/s], inflow [m^2/s], core = 0.1 [m], linear [kg/s], quadratic [kg/m],
---  range [m] }; linear or quadratic is required
function field.vortex(world, options) return make("vortex", world, options) end

--- Make wind with gusts, which acts on the edges that face it.
---@param options table  { velocity = { ux, uy } [m/s], density = 1.2 [kg/m^2], coefficient = 1, gust = 0, gust_hertz =
---  0.5, seed = 0, point_width = 0.1 [m] }
---@return impel.field
function field.wind(world, options) return make("wind", world, options) end

--- Make water below a surface with waves.
---@param options table  { density [kg/m^2], level = 0 [m], linear [kg/(m^2 s)], quadratic [kg/m^3], velocity = { ux,
---  uy }, wave_amplitude = 0 [m], wave_length = 10 [m], wave_speed [m/s] }
---@return impel.field
function field.buoyancy(world, options) return make("buoyancy", world, options) end

--- Make a pulse away from a point, from the time `start` on; a time in the past means now. field.start = world.time
--- begins another pulse. A pulse that is due while the field is disabled has no effect.
---@param options table  { center, impulse [N s], start = now [s], duration = 0 [s], core = 0.1 [m], range [m],
---  point_width = 0.1 [m] }; impulse is required
---@return impel.field
function field.explosion(world, options) return make("explosion", world, options) end

--- Make a field with the user's law. The law is traced once and may not branch on the state (use impel.where,
--- impel.math.min, max, abs). With dynamic = true the law is called for each body in each substep and may branch.
---@param law function  (b, t, param) -> fx, fy [N] [, torque [N m]]; b has x, y, angle, vx, vy, angular_velocity,
---  mass, inertia, center(), point(lx, ly), vector(lx, ly)
---@param options table|nil  { param = { name = number }, dynamic = false }
function field.custom(world, law, options)
  arguments.check("impel.field.custom: options", options or {}, { "table" })
  arguments.check("impel.field.custom: argument 'law'", law, { "function" })
  return make("custom", world, merged(options or {}, { law = law }))
end

return field
