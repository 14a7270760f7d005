-- A cart brakes with locked wheels: the sliding distance, and the load on the front wheel.
local impel = require "impel"

local scene = {
  title = "Braking cart",
  about = "Locked wheels slide with a = mu g for any mass of the cart: it stops after v^2 / (2 mu g). A cart that is "
    .. "too high for its length tips over (--set height=2.4 --set mu=0.9).",
  duration = 3, -- [s]
  view = { x = 5, y = 2, height = 8 },
}

scene.params = {
  speed = { 8.0, min = 1, max = 8, help = "speed at which the brakes lock [m/s]" },
  mu = { 0.6, min = 0.3, max = 0.9, help = "coefficient of friction" },
  height = { 0.8, min = 0.6, max = 3, help = "height of the chassis' centre above the road [m]" },
}

local G, BASE, RADIUS = 9.81, 2, 0.3 -- gravity [m/s^2], wheelbase [m], radius of a wheel [m]
local CHASSIS, WHEEL = 100, 10       -- [kg]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, dt = 1 / 240, sleep = false }
  world:body { type = "static", name = "road" }:box { 200, 1, center = { 0, -0.5 }, friction = p.mu }
  local cart = world:body { name = "cart", position = { 0, p.height }, velocity = { p.speed, 0 }, mass = CHASSIS }
  cart:box { 2.4, 0.4 }
  local wheels = {}
  for i, x in ipairs { -BASE / 2, BASE / 2 } do
    local wheel = world:body { name = x > 0 and "front wheel" or "rear wheel", position = { x, RADIUS }, mass = WHEEL,
      velocity = { p.speed, 0 } }
    wheel:circle { radius = RADIUS, friction = p.mu }
    world:weld(cart, wheel, { anchor = { x, RADIUS } }) -- welded wheels: the brakes are on
    wheels[i] = wheel
  end
  return { world = world, p = p, cart = cart, rear = wheels[1], front = wheels[2] }
end

-- Before every step: halfway to the stop, record the load on the front wheel.
function scene.update(s)
  if not s.load and s.world.time >= s.p.speed / (2 * s.p.mu * G) then s.load = select(2, s.front:contact_force()) end
end

function scene.measure(s)
  local x = s.cart:position()
  return { x = x, speed = s.cart:velocity(), tilt = s.cart.angle }
end

scene.checks = {}

scene.checks["stops after v^2 / (2 mu g)"] = function(s)
  local x = s.cart:position()
  local expected = s.p.speed ^ 2 / (2 * s.p.mu * G)
  return math.abs(s.cart:velocity()) < 0.01, ("the cart still moves at %.3f m/s"):format(s.cart:velocity()),
    math.abs(x - expected) < 0.01 * expected, ("the cart stopped after %.3f m, %.3f expected"):format(x, expected)
end

-- Moments about the rear wheel's contact: front * BASE = m g BASE / 2 + m a height, a = mu g.
scene.checks["leans on its front wheel while it brakes"] = function(s)
  local mass = CHASSIS + 2 * WHEEL
  local height = (CHASSIS * s.p.height + 2 * WHEEL * RADIUS) / mass
  local expected = mass * G * (0.5 + s.p.mu * height / BASE)
  return s.load ~= nil and math.abs(s.load - expected) < 0.01 * expected,
    ("the front wheel carries %.1f N, %.1f expected"):format(s.load or 0, expected)
end

scene.checks["stays on its wheels"] = function(s)
  return math.abs(s.cart.angle) < 0.01, ("the cart tilts by %.3f rad"):format(s.cart.angle)
end

return scene
