-- Sensors: a door that opens by itself, a goal that counts, and a laser that misses no bullet.
local impel = require "impel"
local m = impel.math

local scene = {
  title = "Triggers",
  about = "A sensor reports bodies that enter and leave it, and does not collide. The goal is a sensor that lists the "
    .. "balls inside, even those that sleep. Another sensor opens a door for balls that roll towards the goal. Bullets "
    .. "at 150 m/s pass a laser, also a sensor, within one step, and each bullet is counted.",
  duration = 10, -- [s]
  view = { x = 0, y = 1.8, height = 5.6 },
  units = { goal = "1", laser = "1", door = "m" },
}

scene.params = {
  balls = { 4, min = 1, max = 6, integer = true, help = "number of balls that roll to the goal" },
  bullets = { 20, min = 1, max = 50, integer = true, help = "number of bullets shot through the laser, four per "
    .. "second" },
  speed = { 150.0, min = 1, max = 500, help = "speed of a bullet [m/s]" },
  door = { true, help = "false: the door ignores its sensor" },
}

local SHUT, OPEN, LIFT = 0.5, 1.55, 3 -- height of the door's middle, shut and open [m]; speed of the door [m/s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local hall = world:body { type = "static", name = "hall" }
  hall:box { 9.2, 0.2, center = { 0, -0.1 } }
  hall:box { 2.4, 0.2, center = { -3.6, 0.45 }, angle = -0.3 } -- a ramp
  hall:box { 0.2, 2, center = { 4.5, 0.9 } }
  local zone = hall:box { 1.8, 1, center = { 0, 0.5 }, sensor = true, name = "zone" }
  local goal = hall:box { 2.4, 1, center = { 3.2, 0.5 }, sensor = true, name = "goal" }
  local laser = hall:segment { from = { 0.5, 2.6 }, to = { 0.5, 4 }, sensor = true, name = "laser" }
  local door = world:body { type = "kinematic", name = "door", position = { 0.3, SHUT } }
  door:box { 0.15, 1 }
  local s = { world = world, p = p, door = door, goal = goal, laser = laser, balls = {}, flying = {},
    inside = 0, opened = 0, score = 0, seen = 0, left = 0, shots = 0 }
  world:on("sensor_begin", function(event)
    if event.visitor.body == door then return end -- ignore the door, which moves through its own zone
    if event.sensor == zone then
      s.inside = s.inside + 1
      if s.inside == 1 then s.opened = s.opened + 1 end
    elseif event.sensor == goal then
      s.score = s.score + 1
    elseif event.sensor == laser then
      s.seen = s.seen + 1
    end
  end)
  world:on("sensor_end", function(event)
    if event.visitor.body == door then return end
    if event.sensor == zone then s.inside = s.inside - 1 end
    if event.sensor == laser then s.left = s.left + 1 end
  end)
  return s
end

local function every(s, seconds) return s.world.tick % m.floor(seconds / s.world.dt + 0.5) == 0 end

function scene.update(s)
  if every(s, 1.6) and #s.balls < s.p.balls then
    local ball = s.world:body { name = "ball " .. #s.balls + 1, position = { -4.3, 1.3 } }
    ball:circle { radius = 0.25, rolling_resistance = 0.004 }
    s.balls[#s.balls + 1] = ball
  end
  if every(s, 0.25) and s.shots < s.p.bullets then
    local height = 2.7 + 0.06 * s.shots % 1.2
    local bullet = s.world:body { position = { -4.4, height }, velocity = { s.p.speed, 0 }, gravity_scale = 0 }
    bullet:circle { radius = 0.04 }
    s.shots, s.flying[#s.flying + 1] = s.shots + 1, bullet
  end
  while s.flying[1] and (s.flying[1]:position()) > 5 do table.remove(s.flying, 1):destroy() end
  local _, y = s.door:position()
  local wanted = s.inside > 0 and s.p.door and OPEN or SHUT
  -- the door stops at `wanted` if `wanted` is in reach in this step
  s.door:set_velocity(0, m.max(-LIFT, m.min(LIFT, (wanted - y) / s.world.dt)))
end

function scene.measure(s) return { goal = s.score, laser = s.seen, door = select(2, s.door:position()) - SHUT } end

function scene.check(s)
  local there, order = {}, true
  for shape in s.goal:overlaps() do there[#there + 1] = shape.body end
  for i, ball in ipairs(s.balls) do order = order and there[i] == ball end
  local _, y = s.door:position()
  return #s.balls == s.p.balls and s.shots == s.p.bullets, "not all balls and bullets have been released yet",
    s.score == s.p.balls, ("%d balls came into the goal, %d expected"):format(s.score, s.p.balls),
    #there == s.p.balls and order,
    ("the goal lists %d balls, %d in the order of their creation expected"):format(#there, s.p.balls),
    s.opened >= 1 and s.inside == 0, ("the door opened %d times, at least once expected, and %d balls are in its zone, "
      .. "0 expected"):format(s.opened, s.inside),
    m.abs(y - SHUT) < 0.01, ("the door should be shut, but is open by %.2f m"):format(y - SHUT),
    s.seen == s.p.bullets and s.left == s.seen,
    ("the laser reported %d bullets that entered and %d that left, expected %d "
      .. "each"):format(s.seen, s.left, s.p.bullets)
end

function scene.draw(s, view)
  view:text(0.5, 4.1, ("laser: %d of %d"):format(s.seen, s.shots), "red", "center")
  view:line(0.5, 2.6, 0.5, 4, "red")
  view:text(3.2, 1.1, ("goal: %d"):format(s.score), "grey", "center")
  view:text(-0.4, 1.1, s.inside > 0 and "open" or "shut", "grey", "center")
  for i, bullet in ipairs(s.flying) do
    local x, y = bullet:position()
    view:line(x - s.p.speed / 60, y, x, y, "grey") -- the bullet's path in the last step
    if i > 3 then break end
  end
end

return scene
