-- Pinball: flippers with motors and limits, bumpers that kick, a ball that is a bullet. A script plays.
local impel = require "impel"
local group, fm = impel.group, impel.math

local scene = {
  title = "Pinball",
  about = "The table is inclined, so only the part of g along its slope acts. Restitution alone cannot return more "
    .. "than the impact speed, so a hit handler adds the kick of a bumper as an impulse. A flipper is a rod on a hinge "
    .. "with limits. Its motor turns the flipper up while a button is held, then down (--set torque=1: too weak).",
  duration = 10, -- [s]
  view = { x = 0, y = 4.6, height = 10.4 },
}

scene.params = {
  torque = { 60, min = 0, max = 500, help = "torque limit of a flipper's motor [N m]" },
  kick = { 3, min = 0, max = 10, help = "speed that a bumper adds [m/s]" },
  slope = { 0.6, min = 0.1, max = 1, help = "sine of the table's slope" },
}

local RADIUS, LENGTH, REST, UP = 0.15, 1.3, -0.5, 0.5 -- radius of the ball, length [m] and angles [rad] of a flipper
local BALL = 4                                        -- category of the ball: flippers collide with nothing else
local SPIN = 20                                       -- angular speed of a flipper [rad/s]
local LAUNCH = { -2.3, 2.2 }                          -- start of a ball, which rolls onto the left flipper [m]

-- Add a flipper at (x, y) that points to the middle; side: 1 for the left flipper.
local function flipper(world, p, x, y, side)
  local rod = world:body { position = { x, y }, bullet = true, allow_sleep = false }
  rod:polygon { points = { { 0, -0.12 }, { side * LENGTH, -0.05 }, { side * LENGTH, 0.05 }, { 0, 0.12 } }, density = 8,
    friction = 0.1, category = 2, mask = BALL }
  local low, high = fm.min(side * REST, side * UP), fm.max(side * REST, side * UP)
  local hinge = world:revolute(world.ground, rod, { anchor = { x, y }, limit = { low, high },
    motor = { speed = -side * SPIN, max_force = p.torque } })
  return { rod = rod, hinge = hinge, side = side, x = x, y = y, shots = 0, pressed = -1 }
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -9.81 * p.slope }, dt = 1 / 120, hit_speed = 0.2 }
  local table_ = world:body { type = "static", name = "table" }
  -- The points run clockwise: the chain collides with bodies inside the loop.
  local points = { { -0.3, -1.5 }, { -0.3, -0.5 }, { -1.55, 0.75 }, { -2.6, 1.4 }, { -2.6, 7 } }
  for i = 1, 11 do points[#points + 1] = { -2.6 * fm.cos(i * math.pi / 12), 7 + 2 * fm.sin(i * math.pi / 12) } end
  for _, q in ipairs { { 2.6, 7 }, { 2.6, 1.4 }, { 1.55, 0.75 }, { 0.3, -0.5 }, { 0.3, -1.5 } } do
    points[#points + 1] = q
  end
  table_:chain { points = points, loop = true, friction = 0.1, restitution = 0.3, restitution_threshold = 0.3 }
  local places = { { -1.1, 5.6 }, { 1.0, 5.8 }, { 0, 6.9 }, { 0.1, 4.5 } }
  local bumpers = group.spawn(#places, function(i)
    local bumper = world:body { type = "static", position = places[i] }
    bumper:circle { radius = 0.35, restitution = 0.8, friction = 0 }
    return bumper
  end)
  local ball = world:body { name = "ball", position = LAUNCH, bullet = true, max_speed = 25 }
  ball:circle { radius = RADIUS, density = 5, category = BALL, restitution = 0.3, friction = 0.1 }
  local s = { world = world, p = p, ball = ball, bumpers = bumpers, launched = 1, drained = 0, score = 0, best = 0,
    farthest = -9, over = 0, worst = 0,
    flippers = { flipper(world, p, -1.5, 0.58, 1), flipper(world, p, 1.5, 0.58, -1) } }
  world:on("hit", function(event)
    local first = event.body_a == ball
    local other, sign = first and event.body_b or event.body_a, first and -1 or 1
    if bumpers:contains(other) then
      local vx, vy = ball:velocity()
      ball:apply_impulse(sign * event.nx * p.kick * ball.mass, sign * event.ny * p.kick * ball.mass)
      local wx, wy = ball:velocity()
      s.score = s.score + 1
      s.worst = fm.max(s.worst, fm.abs((wx - vx) * sign * event.nx + (wy - vy) * sign * event.ny - p.kick))
    end
  end)
  return s
end

function scene.update(s)
  local x, y = s.ball:position()
  local _, vy = s.ball:velocity()
  for _, f in ipairs(s.flippers) do
    local along = f.side * (x - f.x)
    if along > 0.45 and along < LENGTH + 0.25 and y > -0.2 and y < 1 and vy < 1 and s.world.time > f.pressed + 0.5 then
      f.shots, f.pressed = f.shots + 1, s.world.time
    end
    local up = s.world.time < f.pressed + 0.2
    f.hinge.motor_speed = (up and 1 or -1) * f.side * SPIN
    s.best = up and fm.max(s.best, vy) or s.best
    s.over = fm.max(s.over, REST - f.side * f.rod.angle, f.side * f.rod.angle - UP)
  end
  s.farthest = fm.max(s.farthest, fm.abs(x) - 2.6, y - 9)
  if y < -1 then
    s.drained, s.launched = s.drained + 1, s.launched + 1
    s.ball:set_position(LAUNCH[1], LAUNCH[2])
    s.ball:set_velocity(0, 0)
  end
end

function scene.measure(s)
  local x, y = s.ball:position()
  return { x = x, y = y, score = s.score, shots = s.flippers[1].shots + s.flippers[2].shots, drained = s.drained }
end

function scene.check(s)
  local shots = s.flippers[1].shots + s.flippers[2].shots
  local _, y = s.ball:position()
  return s.farthest < 0 and y > -1.5, ("the ball was %.3f m outside the table"):format(s.farthest),
    s.over < SPIN * s.world.dt, ("a flipper moved %.3f rad beyond its limit, which is more than its motion in one "
      .. "step"):format(s.over),
    s.worst < 1e-9, ("the speed that a bumper added was wrong by %.2g m/s"):format(s.worst),
    shots > 1 and s.best > 5,
    ("the flippers shot %d times, the fastest ball had %.1f m/s; at least 2 shots and more than 5 m/s "
      .. "expected"):format(shots, s.best),
    s.score > 0, ("%d bumpers were hit"):format(s.score),
    s.launched == s.drained + 1, ("%d balls were launched and %d drained; all but one should have "
      .. "drained"):format(s.launched, s.drained)
end

return scene
