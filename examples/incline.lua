-- A block on a slope: Coulomb friction decides whether the block holds or slides.
local impel = require "impel"

local scene = {
  title = "Incline",
  about = "A block stays at rest while tan(angle) <= mu; on steeper slopes it slides with a = g (sin(angle) - mu "
    .. "cos(angle)).",
  duration = 3, -- [s]
  view = { x = 5, y = -3, height = 10 },
  units = { way = "m", speed = "m/s", turn = "rad" },
}

scene.params = {
  angle = { 30.0, min = 0, max = 60, help = "angle of the slope [degrees]" },
  mu = { 0.3, min = 0, max = 2, help = "coefficient of friction" },
}

local G = 9.81     -- [m/s^2]
local SETTLED = 0.5 -- time [s] after which the block presses with its whole weight, and the measurement begins

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false } -- a block that slides slowly must not sleep
  local angle = math.rad(p.angle)
  local down = { x = math.cos(angle), y = -math.sin(angle) } -- unit vector down the slope, which falls to the right
  local slope = world:body { type = "static", angle = -angle }
  slope:box { 200, 1, center = { 95, -0.5 }, friction = p.mu } -- mixed friction: sqrt(mu mu) = mu
  local block = world:body { angle = -angle, position = { 0.5 * -down.y, 0.5 * down.x } }
  block:box { 1, 1, friction = p.mu }
  local x, y = block:position()
  return { world = world, block = block, down = down, angle = angle, mu = p.mu, x = x, y = y }
end

-- Return the distance along the slope and the speed.
local function survey(s)
  local x, y = s.block:position()
  local vx, vy = s.block:velocity()
  return (x - s.x) * s.down.x + (y - s.y) * s.down.y, vx * s.down.x + vy * s.down.y
end

-- Before every step: record the block's state at SETTLED.
function scene.update(s)
  if not s.mark and s.world.time >= SETTLED then
    local way, speed = survey(s)
    s.mark = { time = s.world.time, way = way, speed = speed }
  end
end

function scene.measure(s)
  local way, speed = survey(s)
  return { way = way, speed = speed, turn = s.block.angle + s.angle }
end

function scene.check(s)
  if not s.mark then return false, ("cannot be checked before %g s"):format(SETTLED) end
  local way, speed = survey(s)
  local t = s.world.time - s.mark.time
  way, speed = way - s.mark.way - s.mark.speed * t, speed - s.mark.speed
  if math.tan(s.angle) <= s.mu then
    return math.abs(way) < 1e-4, ("the block should stay at rest, but moved %.3f mm"):format(1e3 * way)
  end
  local a = G * (math.sin(s.angle) - s.mu * math.cos(s.angle))
  return math.abs(speed / t - a) < 0.01 * a,
    ("the acceleration from the speed is %.4f m/s^2, %.4f expected"):format(speed / t, a),
    math.abs(2 * way / t ^ 2 - a) < 0.01 * a,
    ("the acceleration from the distance is %.4f m/s^2, %.4f expected"):format(2 * way / t ^ 2, a),
    math.abs(s.block.angle + s.angle) < 1e-3, ("the block turned by %.2g rad, 0 "
      .. "expected"):format(s.block.angle + s.angle)
end

return scene
