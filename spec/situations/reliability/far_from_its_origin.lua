-- A small shape far from its body's origin has the same inertia as at the origin. An angular impulse L gives the
-- shape's body the angular velocity w = L / I.
-- Source: Box2D issue 216 (the inertia of such a body is negative).
local impel = require "impel"

local L = 1e-3 -- angular impulse [N m s]

local scene = {
  title = "Far from its origin", about = "A shape far from its body's origin has the correct inertia.",
  duration = 0.1,
}
scene.params = { away = 1000, size = 0.1, plates = 1 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 } }
  local body = world:body { position = { -p.away, p.away } }
  for i = 1, p.plates do body:box { p.size, p.size, center = { p.away + (i - 1) * p.size, -p.away } } end
  body:apply_angular_impulse(L)
  return { world = world, body = body, p = p }
end

function scene.check(s)
  local p = s.p
  local mass = p.plates * p.size ^ 2
  local inertia = mass * p.size ^ 2 * (1 + p.plates ^ 2) / 12 -- inertia of a row of plates about its centre
  local rounding = 1e-15 * p.away / p.size * 100 -- relative rounding error of coordinates at the distance `away`
  local error_m, error_i = math.abs(s.body.mass / mass - 1), math.abs(s.body.inertia / inertia - 1)
  local turn = s.body.angular_velocity * s.body.inertia / L
  return error_m < 1e-12 + rounding, ("mass %g kg, %g expected"):format(s.body.mass, mass),
    error_i < 1e-12 + rounding, ("inertia %g kg m^2, %g expected"):format(s.body.inertia, inertia),
    math.abs(turn - 1) < 1e-6, ("the plate turns at %g of L / I"):format(turn)
end

return scene, {
  vary = { away = { 1, 1000, 1e6 }, size = { 0.01, 1, 100 }, plates = { 1, 3, 100 } },
}
