-- A ship with an off-axis engine: a force at a point of a rotating body.
local impel = require "impel"

local scene = {
  title = "Thruster",
  about = "The engine's position and thrust rotate with the ship: world_point and world_vector convert them from the "
    .. "ship's frame to the world. The impulse of the engine is exactly force times burn time [N s]. A constant "
    .. "torque turns the ship.",
  duration = 4, -- [s]
  view = { x = -4, y = 8, height = 24 },
}

scene.params = {
  thrust = { 20.0, min = 0, max = 100, help = "force along the ship's nose [N]" },
  arm = { 0.1, min = -0.4, max = 0.4, help = "distance of the engine to the right of the axis [m]" },
  burn = { 2.0, min = 0, max = 4, help = "burn time, rounded to whole steps [s]" },
}

local TAIL = -1 -- [m], position of the engine along the ship's axis

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local ship = world:body { name = "ship", position = { 1, 2 }, angle = 0.3 }
  ship:polygon { points = { { -0.5, -1 }, { 0.5, -1 }, { 0, 2 } } } -- nose along +y; the centre of mass is the origin
  return { world = world, ship = ship, p = p, steps = math.floor(p.burn / world.dt + 0.5), error = 0,
    start = ship.angle, x = 0, y = 0 }
end

local function by_hand(body, lx, ly)
  local x, y = body:position()
  local c, s = math.cos(body.angle), math.sin(body.angle)
  return x + c * lx - s * ly, y + s * lx + c * ly
end

-- Before every step while the engine burns: apply the engine's force, and integrate the momentum by hand.
function scene.update(s, dt)
  if s.world.tick >= s.steps then return end
  local px, py = s.ship:world_point(s.p.arm, TAIL)
  local fx, fy = s.ship:world_vector(0, s.p.thrust)
  s.ship:apply_force(fx, fy, px, py)
  local hx, hy = by_hand(s.ship, s.p.arm, TAIL)
  s.error = math.max(s.error, math.abs(px - hx), math.abs(py - hy))
  s.x = s.x - s.p.thrust * math.sin(s.ship.angle) * dt
  s.y = s.y + s.p.thrust * math.cos(s.ship.angle) * dt
end

function scene.measure(s)
  local x, y = s.ship:position()
  local px, py = s.world:momentum()
  return { x = x, y = y, angle = s.ship.angle, spin = s.ship.angular_velocity, px = px, py = py }
end

function scene.check(s)
  local px, py = s.world:momentum()
  local off = math.max(math.abs(px - s.x), math.abs(py - s.y))
  local burnt = s.steps * s.world.dt
  local spin = s.p.thrust * s.p.arm * burnt / s.ship.inertia -- torque r x F = arm * thrust at any angle
  return s.error < 1e-12, ("world_point differs by %.3g m from the formula with sin and cos, less than 1e-12 "
    .. "expected"):format(s.error),
    off < 1e-9, ("the momentum differs by %.3g N s from the sum of F dt, less than 1e-9 expected"):format(off),
    math.abs(s.ship.angular_velocity - spin) < 1e-9,
    ("the ship turns at %.9f rad/s, %.9f expected"):format(s.ship.angular_velocity, spin)
end

-- Draw the path of the tail and, while the engine burns, a flame whose length is proportional to the thrust.
function scene.draw(s, view)
  local px, py = s.ship:world_point(s.p.arm, TAIL)
  view:trail("tail", px, py)
  if s.world.tick >= s.steps then return end
  local fx, fy = s.ship:world_vector(0, -0.04 * s.p.thrust)
  view:arrow(px, py, px + fx, py + fy, "red")
end

return scene
