-- A cart with geared motors on its wheels climbs a slope. The cart approaches the speed at which the motors' torque
-- balances gravity along the slope. If the load exceeds the stall torque, the cart rolls back.
-- Source: PX4 pull request 22402 and tetris_description pull request 30 (rovers whose wheels have a torque limit).
local impel = require "impel"

local scene = {
  title = "Hill climb", duration = 3,
  about = "A cart climbs at the speed at which its motors' torque balances gravity.",
  units = { speed = "m/s", expected = "m/s" },
}
scene.params = { load = { 0.5, help = "load torque / stall torque" }, rotor = 0.0, size = 1.0, rate = 60.0 }

local SLOPE, NO_LOAD = 0.2, 5 -- slope [rad]; speed of a wheel without load [rad/s]

-- The ground is level, and gravity is inclined.
function scene.setup(p)
  local gx, gy = -9.81 * impel.math.sin(SLOPE), -9.81 * impel.math.cos(SLOPE)
  local world = impel.world { gravity = { gx, gy }, sleep = false, dt = 1 / p.rate }
  local size = p.size
  world:body { type = "static" }:box { 200 * size, size, center = { 0, -size / 2 }, friction = 1 }
  local radius = 0.25 * size
  local cart = world:body { position = { 0, radius }, mass = 10 * size ^ 2, inertia = 3 * size ^ 4 }
  local total, wheels = 14 * size ^ 2, {}
  local stall = total * -gx * radius / 2 / p.load -- stall torque of each of the two motors [N m]
  for i = 1, 2 do
    local x = (i - 1.5) * 1.6 * size
    local wheel = world:body { position = { x, radius }, mass = 2 * size ^ 2, inertia = size ^ 2 * radius ^ 2 }
    wheel:circle { radius = radius, friction = 1 }
    wheels[i] = world:revolute(cart, wheel, { anchor = { x, radius } })
    impel.motor(wheels[i], { stall_torque = stall, no_load_speed = NO_LOAD, command = -1,
      rotor_inertia = p.rotor * total * radius ^ 2 })
  end
  -- Effective mass of cart, wheels and rotors. A wheel adds I / r^2 = m / 2, and a rotor adds p.rotor times the total
  -- mass.
  local moving = total + 2 * size ^ 2 + 2 * p.rotor * total
  local tau = moving * radius ^ 2 * NO_LOAD / (2 * stall)
  return { world = world, p = p, cart = cart, wheels = wheels, tau = tau,
    expected = radius * NO_LOAD * (1 - p.load) * (1 - math.exp(-3 / tau)) }
end

function scene.measure(s) return { speed = (s.cart:velocity()), expected = s.expected, wheel = s.wheels[1].speed } end

function scene.check(s)
  local speed, top = s.cart:velocity(), 0.25 * s.p.size * NO_LOAD
  -- A first-order scheme is at most half a step late, an error of h / (2 e tau) of the speed. 1e-3 is for float
  -- rounding and contacts.
  return math.abs(speed - s.expected) < (0.2 / s.tau / s.p.rate + 1e-3) * top,
    ("the cart climbs at %.5f m/s, %.5f expected"):format(speed, s.expected)
end

return scene, {
  vary = { load = { 0.3, 0.8, 1.2 }, rotor = { 0, 0.1 }, size = { 0.2, 5 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
