-- Predictive control swings a pole up: it tries forces in a copy of the world.
local impel = require "impel"
local m = impel.math

local scene = {
  title = "Swing up",
  about = "20 times a second the controller tries sequences of forces in a copy of this world and takes their mean, "
    .. "where cheap sequences have large weights. A constant force of 8 N gives the cart a = 5.3 m/s^2. This can "
    .. "hold the pole only at atan(a / g), 29 degrees from hanging down, so the controller must swing the pole up.",
  duration = 8, -- [s]
  view = { x = 0, y = 0, height = 3.4 },
  units = { tilt = "rad", place = "m", force = "N" },
}

scene.params = {
  force = { 8.0, min = 1, max = 50, help = "largest force on the cart [N]" },
  samples = { 24, min = 2, max = 200, integer = true, help = "number of force sequences tried for each plan" },
  horizon = { 1.2, min = 0.1, max = 3, help = "planning horizon [s]" },
}

local LENGTH, RAIL = 1, 2 -- length of the pole; half the length of the rail [m]
local CART, POLE = 1, 0.5 -- [kg]
local UP = 0.2            -- angle from upright that counts as up [rad]

-- Build cart, pole and rail: once for the scene, once for the copy on which forces are tried.
local function build(seed)
  local world = impel.world { seed = seed, sleep = false }
  local cart = world:body { name = "cart", mass = CART }
  cart:box { 0.4, 0.2 }
  local pole = world:body { name = "pole", mass = POLE, position = { 0, -LENGTH / 2 } }
  pole:capsule { from = { 0, LENGTH / 2 }, to = { 0, -LENGTH / 2 }, radius = 0.03 }
  local rail = world:prismatic(world.ground, cart, { axis = { 1, 0 }, limit = { -RAIL, RAIL } })
  local hinge = world:revolute(cart, pole, { anchor = { 0, 0 } }) -- angle 0: hanging down
  return { world = world, cart = cart, pole = pole, rail = rail, hinge = hinge, drive = rail:coordinate "x" }
end

-- Return the angle from upright, -pi..pi.
local function tilt(s) return s.hinge.value % (2 * m.pi) - m.pi end

-- Return the cost per second. It grows with the pole's tilt, the cart's distance from the middle, speeds and force.
local function cost(s, force)
  local x, v, w = s.rail.value, s.rail.speed, s.hinge.speed
  return 10 * (1 + m.cos(s.hinge.value)) + 0.1 * w * w + 5 * x * x + 0.5 * v * v + 0.002 * force * force
end

function scene.setup(p, seed)
  local s = build(seed)
  s.down, s.widest = 0, 0
  s.controller = impel.predictive {
    plant = s, model = build(seed), lower = { -p.force }, upper = { p.force }, seed = seed,
    apply = function(parts, action) parts.drive:set_force(action[1]) end,
    cost = function(parts, action) return cost(parts, action[1]) end,
    load = function(parts) parts.world.dt, parts.world.substeps = 1 / 30, 2 end, -- coarse steps suffice for prediction
    horizon = p.horizon, samples = p.samples, period = 1 / 20, temperature = 0.05,
  }
  return s
end

-- Record the last time that the pole was not upright, and the cart's largest distance from the middle.
function scene.update(s)
  if math.abs(tilt(s)) > UP then s.down = s.world.time end
  s.widest = math.max(s.widest, math.abs(s.rail.value))
end

function scene.measure(s)
  return { tilt = tilt(s), place = s.rail.value, force = s.controller.action[1] or 0 }
end

-- Draw the rail, the force, and the path of the pole's tip.
function scene.draw(s, view)
  view:line(-RAIL, 0, RAIL, 0, "grey")
  local tip_x, tip_y = s.pole:world_point(0, -LENGTH / 2)
  view:trail("tip", tip_x, tip_y, "blue")
  local x, force = s.cart:position(), s.controller.action[1] or 0
  view:arrow(x, 0, x + force / 10, 0, "red")
  view:text(x, -0.3, ("%.1f N"):format(force), "red", "center")
end

function scene.check(s)
  local up = s.world.time - s.down
  return up >= 3, ("the pole has been upright for the last %.2f s, at least 3 expected"):format(up),
    s.widest <= RAIL + 0.01, ("the cart was %.3f m from the middle of the rail, whose ends are only %g m from "
      .. "its middle"):format(s.widest, RAIL)
end

return scene
