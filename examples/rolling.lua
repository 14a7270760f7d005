-- A disc on a slope: friction makes the disc roll, which reduces its acceleration by a third.
local impel = require "impel"

local scene = {
  title = "Rolling",
  about = "A disc on a slope rolls with a = 2/3 g sin(angle) as long as tan(angle) <= 3 mu: friction then suffices to "
    .. "turn it. On a steeper slope it slips.",
  duration = 3, -- [s]
  view = { x = 4, y = -2, height = 8 },
}

scene.params = {
  angle = { 20.0, min = 0, max = 60, help = "angle of the slope [degrees]" },
  mu = { 0.6, min = 0, max = 2, help = "coefficient of friction" },
}

local G, RADIUS = 9.81, 0.5 -- [m/s^2], [m]

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local angle = math.rad(p.angle)
  local down = { x = math.cos(angle), y = -math.sin(angle) } -- unit vector down the slope, which falls to the right
  local slope = world:body { type = "static", angle = -angle }
  slope:box { 200, 1, center = { 95, -0.5 }, friction = p.mu }
  local disc = world:body { position = { RADIUS * -down.y, RADIUS * down.x } }
  disc:circle { radius = RADIUS, friction = p.mu }
  local x, y = disc:position()
  return { world = world, disc = disc, down = down, angle = angle, mu = p.mu, x = x, y = y }
end

-- Return distance and speed along the slope, and the slip speed of the rim.
local function survey(s)
  local x, y = s.disc:position()
  local vx, vy = s.disc:velocity()
  local speed = vx * s.down.x + vy * s.down.y
  return (x - s.x) * s.down.x + (y - s.y) * s.down.y, speed, speed + RADIUS * s.disc.angular_velocity
end

function scene.measure(s)
  local way, speed, slip = survey(s)
  local kinetic, potential = s.world:energy()
  return { way = way, speed = speed, slip = slip, energy = kinetic + potential }
end

function scene.check(s)
  local t = s.world.time
  if t == 0 then return false, "cannot be checked before the first step" end
  local way, speed, slip = survey(s)
  local sin, cos = math.sin(s.angle), math.cos(s.angle)
  local rolls = sin <= 3 * s.mu * cos
  -- Rolling: m a = m g sin - f, I a / r = f r, I = m r^2 / 2
  -- Slipping: f = mu m g cos
  local a = rolls and 2 / 3 * G * sin or G * (sin - s.mu * cos)
  local slips = rolls and 0 or (a - 2 * s.mu * G * cos) * t
  return math.abs(speed / t - a) <= 0.01 * a,
    ("the acceleration from the speed is %.4f m/s^2, %.4f expected"):format(speed / t, a),
    math.abs(2 * way / t ^ 2 - a) <= 0.01 * a,
    ("the acceleration from the distance is %.4f m/s^2, %.4f expected"):format(2 * way / t ^ 2, a),
    math.abs(slip - slips) <= 0.01 * (slips + speed), ("the rim slips at %.4f m/s, %.4f expected"):format(slip, slips)
end

return scene
