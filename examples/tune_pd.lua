-- A search finds the best gains of a PD controller.
--   impel tune tune_pd --param kp,kd --budget 300        finds kp = 10, kd = 6.3
local impel = require "impel"

local scene = {
  title = "Tuning a PD controller",
  about = "The score is the integral of q x^2 + r F^2 over time; the cart starts at x = 1. The score is least at kp = "
    .. "sqrt(q / r), kd = sqrt(2 m kp).",
  duration = 10, -- [s], until the cart is at rest
  view = { x = 0.2, y = 0, height = 1.6 },
  units = { x = "m" },
}

scene.params = {
  kp = { 4.0, min = 1, max = 40, help = "gain on the position [N/m]" },
  kd = { 3.0, min = 1, max = 20, help = "gain on the velocity [N s/m]" },
  delay = { 0, min = 0, max = 20, integer = true, help = "delay from measurement to force (substeps); the formula "
    .. "neglects it" },
}

local MASS = 2          -- [kg]
local Q, R = 100, 1     -- weights of the squared distance [1/(m^2 s)] and of the squared force [1/(N^2 s)] in the cost

function scene.setup(p, seed)
  -- a short step, so that the control delay is small
  local world = impel.world { seed = seed, gravity = { 0, 0 }, dt = 1 / 240 }
  local cart = world:body { name = "cart", type = "particle", mass = MASS, position = { 1, 0 } }
  return { world = world, cart = cart, p = p, cost = 0, force = 0, waiting = {} }
end

-- Apply the controller, and add the integrand at the start of each substep (a left Riemann sum).
function scene.substep(s, h)
  local x, v = s.cart:position(), (s.cart:velocity())
  table.insert(s.waiting, -s.p.kp * x - s.p.kd * v)
  local force = #s.waiting > s.p.delay and table.remove(s.waiting, 1) or 0
  s.cart:apply_force(force, 0)
  s.force = force
  s.cost = s.cost + (Q * x ^ 2 + R * force ^ 2) * h
end

function scene.measure(s)
  return { x = (s.cart:position()), cost = s.cost }
end

-- Draw the target and the force on the cart.
function scene.draw(s, view)
  view:line(0, -0.2, 0, 0.2, "grey")
  view:text(0, -0.3, "target", "grey", "center")
  local x = s.cart:position()
  view:ring(x, 0, 0.06, "blue")
  view:arrow(x, 0, x + s.force / 10, 0, "red")
  view:text(x, 0.2, ("%.2f N"):format(s.force), "red", "center")
end

function scene.score(s) return s.cost end

-- The cost of m x'' = -kp x - kd x', in closed form.
function scene.check(s)
  local kp, kd = s.p.kp, s.p.kd
  local expected = Q * (kd / (2 * kp) + MASS / (2 * kd)) + R * kp ^ 2 * MASS / (2 * kd)
  return math.abs(s.cost - expected) < 0.01 * expected, ("the score is %.4f, %.4f expected"):format(s.cost, expected)
end

return scene
