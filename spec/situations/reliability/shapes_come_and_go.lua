-- Light shapes are added to a body and removed in any order. The body has its initial mass, inertia and centre again.
-- An impulse gives the body the velocities v = J / m and w = r x J / I.
-- Source: LOVE issue 1549 (an impulse after a shape is destroyed), Box2D issue 692 (mass after a shape is destroyed).
local impel = require "impel"

local J, ARM = 3, 0.4 -- impulse [N s]; lever arm about the centre [m]

local scene = {
  title = "Shapes come and go", about = "A body's mass follows the shapes added and removed.",
  duration = 0.5,
}
scene.params = { ornaments = 100, weight = 1, order = 1 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 } }
  local body = world:body {}
  body:box { 1, 2, density = 3 }
  local s = { world = world, body = body, mass = body.mass, inertia = body.inertia, rng = impel.rng.new(5) }
  local shapes = {}
  for i = 1, p.ornaments do
    shapes[i] = body:circle { radius = 0.1, density = p.weight, center = { i % 10 - 4.5, i // 10 } }
  end
  s.heaviest = body.mass
  for _ = 1, p.ornaments do
    local at = p.order == 1 and 1 or p.order == 2 and #shapes or s.rng:random(1, #shapes)
    table.remove(shapes, at):destroy()
  end
  s.expected = 6 + p.ornaments * p.weight * math.pi * 0.01
  body:apply_impulse(J, 0, 0, ARM)
  return s
end

function scene.check(s)
  local x, y = s.body:center()
  local vx, vy = s.body:velocity()
  local v, w = J / 6, -ARM * J / (6 * 5 / 12)
  return math.abs(s.heaviest - s.expected) < 1e-12 * s.expected,
    ("with all shapes the body has %.15g kg, %.15g expected"):format(s.heaviest, s.expected),
    s.body.mass == s.mass and s.body.inertia == s.inertia, "mass or inertia differs from the initial value",
    math.abs(x - v * s.world.time) < 1e-9 and math.abs(y) < 1e-9, ("the body's centre is at %.12g, %.12g"):format(x, y),
    math.abs(vx - v) < 1e-12 and vy == 0, ("the body flies at %.15g m/s, %.15g expected"):format(vx, v),
    math.abs(s.body.angular_velocity - w) < 1e-12, ("the body turns at %.15g rad/s, %.15g expected"):format(
      s.body.angular_velocity, w)
end

return scene, {
  vary = { ornaments = { 1, 63, 64, 65, 1000 }, weight = { 1e-6, 1, 1e6 }, order = { 1, 2, 3 } },
}
