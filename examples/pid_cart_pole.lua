-- A cart balances a pole and returns to its start in spite of wind and a push.
local impel = require "impel"

local scene = {
  title = "Cart and pole by PID",
  about = "The inner controller pushes the cart so that the pole turns to a target angle. The outer controller sets "
    .. "that target angle so that the cart returns to x = 0. Its integral finds the target angle at which the inner "
    .. "controller's force balances the wind; the pole itself is then upright. At 1 s the cart is pushed with 5 N s.",
  duration = 10, -- [s]
  view = { x = 0, y = 0.6, height = 3.2 },
  units = { cart = "m", tilt = "rad", force = "N" },
}

scene.params = {
  push = { 5.0, min = -6, max = 6, help = "impulse on the cart [N s], given within 0.1 s" },
  wind = { 3.0, min = -5, max = 5, help = "constant force on the cart [N]" },
  ki = { 0.3, min = 0, max = 0.4, help = "gain of the integral [rad/(m s)]; without the integral the wind moves the "
    .. "cart away" },
  kp = { 120.0, min = 40, max = 300, help = "gain of the inner controller [N/rad]" },
}

local CART, POLE, LENGTH = 1, 0.2, 1 -- [kg], [kg], [m]
local HOME = { kp = 0.4, kd = 0.35 } -- gains of the outer controller [rad/m], [rad s/m]
local LARGEST = 0.25                 -- largest target angle [rad]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false }
  local cart = world:body { name = "cart", mass = CART }
  cart:box { 0.4, 0.2 }
  local rail = world:prismatic(world.ground, cart, { axis = { 1, 0 } })
  local pole = world:body { name = "pole", position = { 0, LENGTH / 2 }, mass = POLE }
  pole:capsule { from = { 0, -LENGTH / 2 }, to = { 0, LENGTH / 2 }, radius = 0.025 }
  local hinge = world:revolute(cart, pole, { anchor = { 0, 0 }, reference_angle = 0 })
  local s = { world = world, cart = cart, rail = rail, hinge = hinge, p = p, worst = 0, far = 0, integral = 0 }
  -- The force acts on the cart, the measured value is the pole's angle.
  s.pid = impel.pid(rail, { kp = p.kp, kd = 18, max_force = 150, measure = function() return hinge:state() end })
  s.pull = impel.timed_force(cart, { force = { p.wind, 0 }, duration = 1e6 })
  s.hit = impel.timed_force(cart, { impulse = { p.push, 0 }, duration = 0.1, delay = 1 })
  return s
end

-- The outer controller controls the point at 2/3 of the pole's height, which a push of the cart does not move at first.
-- Angles of the pole are positive to the left.
function scene.substep(s, h)
  local x, v = s.rail:state()
  local tilt, spin = s.hinge:state()
  local place = x - 2 / 3 * LENGTH * tilt
  local target = HOME.kp * place + HOME.kd * (v - 2 / 3 * LENGTH * spin) + s.integral
  s.pid.target = math.max(-LARGEST, math.min(target, LARGEST))
  -- The integral stops while the target angle is limited.
  if s.pid.target == target then s.integral = s.integral + h * s.p.ki * place end
  s.worst = math.max(s.worst, math.abs(s.hinge.value))
  s.far = math.max(s.far, math.abs(x))
end

function scene.measure(s)
  return { cart = s.rail.value, tilt = s.hinge.value, force = s.pid.force }
end

function scene.draw(s, view)
  local x = s.rail.value
  view:line(-4, -0.12, 4, -0.12, "grey")
  view:line(0, -0.3, 0, -0.12, "green")
  view:arrow(x, 0, x + s.pid.force / 40, 0, "red")
  view:text(x, -0.5, ("target %.2f rad, actual %.2f rad"):format(s.pid.target, s.hinge.value), "grey", "center")
end

-- At rest the pole is upright. The force of the inner controller, kp times the target angle, balances the wind: the
-- target angle is -wind / kp.
function scene.check(s)
  local p, x, tilt = s.p, s.rail.value, s.hinge.value
  local target = -p.wind / p.kp
  return s.worst < 0.6, ("the pole leant by %.2f rad at most, less than 0.6 expected"):format(s.worst),
    math.abs(tilt) < 5e-3, ("the pole leans by %.4f rad in the end, 0 expected"):format(tilt),
    math.abs(x) < 0.02, ("the cart is %.3f m from x = 0, less than 0.02 expected"):format(x),
    math.abs(s.pid.target - target) < 0.02 * math.abs(target) + 2e-4,
    ("the target angle is %.5f rad, -wind / kp = %.5f expected"):format(s.pid.target, target)
end

return scene
