-- Fast elastic balls in a closed room keep the magnitude of each velocity component. The positions follow from straight
-- paths that are mirrored at the walls.
-- Source: bullet3 issue 2483 (a swept ball loses speed, depending on its start), planck.js issue 92, godot issues 32138
-- (a wrong angle of reflection) and 6664.
local impel = require "impel"

local scene = {
  title = "Ball in a closed room", about = "Elastic balls reflect at the walls without losing speed.", duration = 2,
  units = { off = "m", along = "1", farthest = "m" },
}
-- lines: the walls are segments if true, and boxes if false
scene.params = { speed = 100.0, radius = 0.1, thick = 0.1, lines = false }

local HALF, COUNT = 5, 19

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local room, balls = world:body { type = "static" }, {}
  local function wall(kind, options)
    options.friction, options.restitution, options.restitution_threshold = 0, 1, 0
    room[kind](room, options)
  end
  for side = -1, 1, 2 do
    local at = side * (HALF + p.thick / 2)
    if p.lines then
      wall("segment", { from = { side * HALF, -HALF }, to = { side * HALF, HALF } })
      wall("segment", { from = { -HALF, side * HALF }, to = { HALF, side * HALF } })
    else
      wall("box", { p.thick, 2 * HALF + 2 * p.thick, center = { at, 0 } })
      wall("box", { 2 * HALF + 2 * p.thick, p.thick, center = { 0, at } })
    end
  end
  for i = 1, COUNT do -- 19 balls that do not collide with each other, with directions from 2 to 88 degrees
    local angle = math.rad(2 + 86 * (i - 1) / (COUNT - 1))
    local x, y = i % 7 - 3, i % 5 - 2
    local vx, vy = p.speed * impel.math.cos(angle), p.speed * impel.math.sin(angle)
    local body = world:body { position = { x, y }, velocity = { vx, vy } }
    body:circle { radius = p.radius, group = -1, friction = 0, restitution = 1, restitution_threshold = 0 }
    balls[i] = { body = body, x = x, y = y, vx = vx, vy = vy }
  end
  return { world = world, balls = balls, p = p, off = 0, along = 0, farthest = 0 }
end

-- Return the position of a point that starts at x with the velocity v and is reflected at -a and a.
local function mirrored(x, v, time, a)
  local way = (x + v * time + a) % (4 * a)
  return way < 2 * a and way - a or 3 * a - way
end

function scene.update(s)
  local a, time = HALF - s.p.radius, s.world.time
  for _, ball in ipairs(s.balls) do
    local x, y = ball.body:position()
    local vx, vy = ball.body:velocity()
    local bounces = 2 + 2 * s.p.speed * time / (2 * a)
    local change = math.max(math.abs(math.abs(vx) - ball.vx), math.abs(math.abs(vy) - ball.vy))
    s.along = math.max(s.along, change / s.p.speed)
    s.off = math.max(s.off, math.abs(x - mirrored(ball.x, ball.vx, time, a)) / bounces,
      math.abs(y - mirrored(ball.y, ball.vy, time, a)) / bounces)
    s.farthest = math.max(s.farthest, math.abs(x), math.abs(y))
  end
end

function scene.measure(s) return { off = s.off, along = s.along, farthest = s.farthest } end

function scene.check(s)
  -- The relative change of a speed by float rounding is 1e-6.
  return s.along < 1e-3, ("a speed along a wall changes by %.4f of its initial value"):format(s.along),
    s.farthest < HALF, ("a ball's centre is at %.2f m, outside the room"):format(s.farthest),
    -- A ball may turn back at 5 mm (slop) from its wall, which shifts the ball by 10 mm for each bounce.
    s.off < 0.01, ("a ball is displaced by %.4f m for each bounce"):format(s.off)
end

return scene, {
  vary = { speed = { 10, 100, 1000 }, radius = { 0.1, 0.5 }, lines = { false, true } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
