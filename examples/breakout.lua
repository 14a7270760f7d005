-- Breakout: a ball that never loses speed, a paddle, and bricks that disappear when hit. A script plays.
local impel = require "impel"
local group, fm = impel.group, impel.math

local scene = {
  title = "Breakout",
  about = "Without friction and with restitution 1 the ball keeps its speed and only changes direction. The paddle is "
    .. "moved by move_to. A moving paddle would change the speed of the ball, so the paddle stops before the ball "
    .. "arrives (with --set late=true it moves on).",
  duration = 10, -- [s]
  view = { x = 0, y = 5, height = 11 },
}

scene.params = {
  speed = { 11.0, min = 2, max = 20, help = "speed of the ball [m/s]" },
  rows = { 1, integer = true, min = 1, max = 5, help = "rows of bricks" },
  reach = { 0.6, min = 0, max = 1, help = "largest tilt of the paddle when it aims [rad]" },
  late = { false, help = "true: the paddle moves up when it hits the ball, which changes the ball's speed" },
}

local WIDE, HIGH, RADIUS = 4, 10, 0.15   -- half width and height of the room, radius of the ball [m]
local PADDLE, THICK, FAST = 1.6, 0.2, 20 -- width [m], thickness [m] and largest speed [m/s] of the paddle
local LINE = 1                           -- height at which the paddle hits the ball [m]
local SMOOTH = { restitution = 1, restitution_threshold = 0, friction = 0 }

local function with(options)
  for key, value in pairs(SMOOTH) do options[key] = value end
  return options
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, hit_speed = 0.01 }
  local room = world:body { type = "static" }
  room:chain(with { points = { { -WIDE, -2 }, { -WIDE, HIGH }, { WIDE, HIGH }, { WIDE, -2 } } })
  local bricks = group.spawn(6 * p.rows, function(i)
    local brick = world:body { type = "static", position = { (i - 1) % 6 * 1.3 - 3.25, 8.8 - 0.8 * ((i - 1) // 6) } }
    brick:box(with { 0.9, 0.4 }) -- gaps wider than the ball, so that it never hits two bricks at once
    return brick
  end)
  local ball = world:body { position = { -1, 4 }, velocity = { 0.3 * p.speed, -fm.sqrt(0.91) * p.speed },
    bullet = true, fixed_rotation = true }
  ball:circle(with { radius = RADIUS })
  local paddle = world:body { type = "kinematic", position = { 0, LINE - RADIUS } }
  paddle:box(with { PADDLE, THICK })
  local s = { world = world, p = p, ball = ball, paddle = paddle, bricks = bricks, all = bricks:count(), hits = 0,
    saves = 0, worst = 0 }
  world:on("hit", function(event)
    local other = event.body_a == ball and event.body_b or event.body_a
    if bricks:contains(other) then
      s.hits = s.hits + 1
      other:destroy()
    elseif other == paddle then
      s.saves = s.saves + 1
    end
  end)
  return s
end

-- Return the x at which the ball reaches LINE, and whether vx has changed its sign (1 or 0).
local function landing(x, y, vx, vy)
  local room = WIDE - RADIUS
  local far = (x + vx * (y - LINE) / -vy + room) % (4 * room)
  return (far <= 2 * room and far or 4 * room - far) - room, ((x + vx * (y - LINE) / -vy + room) // (2 * room)) % 2
end

-- Return the direction of the paddle that reflects the ball towards a brick.
local function aim(s, x, vx, vy)
  for _, brick in s.bricks:each() do
    local bx, by = brick:position()
    local way, v = fm.sqrt((bx - x) ^ 2 + (by - LINE) ^ 2), fm.sqrt(vx * vx + vy * vy)
    local nx, ny = (bx - x) / way - vx / v, (by - LINE) / way - vy / v
    local tilt = fm.atan(-nx, ny)
    if fm.abs(tilt) < s.p.reach then return tilt end
  end
  return 0
end

function scene.update(s)
  local x, y = s.ball:position()
  local vx, vy = s.ball:velocity()
  s.worst = fm.max(s.worst, fm.abs(fm.sqrt(vx * vx + vy * vy) / s.p.speed - 1))
  if vy >= 0 or y < LINE and not s.p.late then return end -- while the ball rises the paddle does not move
  local lx, folded = landing(x, y, vx, vy)
  local tilt = aim(s, lx, folded == 1 and -vx or vx, vy)
  local away = RADIUS + THICK / 2
  if s.p.late and y > LINE - 0.1 then away = away + 0.4 end -- `late`: the paddle first waits 0.4 m lower
  local px = s.paddle:position()
  local most = FAST * s.world.dt
  local to = px + fm.max(-most, fm.min(most, lx + away * fm.sin(tilt) - px))
  s.paddle:move_to(to, LINE - away * fm.cos(tilt), tilt)
end

function scene.measure(s)
  local x, y = s.ball:position()
  return { x = x, y = y, bricks = s.bricks:count(), hits = s.hits, speed = s.p.speed * (1 + s.worst) }
end

function scene.check(s)
  local _, y = s.ball:position()
  return s.worst < 1e-3, ("the ball's speed changed by %.4f %%"):format(100 * s.worst),
    y > 0, ("the ball was lost: it is at %.2f m"):format(y),
    s.bricks:count() == 0, ("%d of %d bricks are left"):format(s.bricks:count(), s.all),
    s.hits == s.all and s.saves > 3,
    ("%d bricks were hit, all expected; the paddle saved the ball %d times, more than 3 "
      .. "expected"):format(s.hits, s.saves)
end

return scene
