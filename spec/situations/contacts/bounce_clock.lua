-- A dropped ball bounces at the calculated times. Each flight takes e times as long as the previous flight. The bounces
-- end sqrt(2 h/g) (1 + e)/(1 - e) after the drop.
-- Source: PhysX issue 351 and rapier pull request 114 (the last bounces are cut off); textbook: the bouncing ball.
local impel = require "impel"

local G = 9.81 -- gravity / size [1/s^2]

local scene = {
  title = "Bounce clock", about = "A ball bounces, and stops, at the calculated times.", duration = 10,
  units = { late = "of the time", bounces = "1", last = "sizes" },
}
-- size: height of the drop [m]. Radius, speeds and gravity are proportional to the size.
scene.params = { restitution = 0.8, size = 1.0, rate = 60 }

local RADIUS = 0.1 -- radius of the ball / size

function scene.setup(p)
  local size, e = p.size, p.restitution
  local world = impel.world { gravity = { 0, -G * size }, sleep = false, dt = 1 / p.rate, slop = size / 200 }
  world:body { type = "static" }:box { 20 * size, size, center = { 0, -size / 2 }, restitution = e }
  local ball = world:body { position = { 0, (1 + RADIUS) * size } }
  ball:circle { radius = RADIUS * size, restitution = e, restitution_threshold = 0 }
  local fall = math.sqrt(2 / G)
  local stop = fall * (1 + e) / (1 - e)
  return { world = world, ball = ball, p = p, fall = fall, stop = stop, late = 0, bounces = 0, last = 0 }
end

function scene.update(s)
  local p, time = s.p, s.world.time
  local _, y = s.ball:position()
  local _, vy = s.ball:velocity()
  if s.before and s.before < 0 and vy > 0 then
    s.bounces = s.bounces + 1
    local n = s.bounces
    -- Time of bounce n: t_n = t_1 (1 + 2 (e + ... + e^(n-1)))
    local right = s.fall * (1 + 2 * (p.restitution - p.restitution ^ n) / (1 - p.restitution))
    -- A bounce may be detected a step late, so bounce n may be late by n steps. Only flights of 8 steps or more are
    -- checked.
    if 2 * s.fall * p.restitution ^ n * p.rate > 8 then
      s.late = math.max(s.late, (math.abs(time - right) - n / p.rate) / right)
    end
  end
  s.before = vy
  if time > 1.1 * s.stop + 0.25 then s.last = math.max(s.last, y / p.size - RADIUS) end
end

function scene.measure(s) return { late = s.late, bounces = s.bounces, last = s.last } end

function scene.check(s)
  -- Number of flights that take 8 steps or more.
  local flights = math.floor(math.log(8 / (2 * s.fall * s.p.rate)) / math.log(s.p.restitution))
  return s.late < 0.02, ("a bounce is late or early by %.3f of the time since the drop"):format(s.late),
    s.bounces >= flights, ("%d bounces, at least %d expected"):format(s.bounces, flights),
    -- The bounces end within 1.1 times the calculated time plus 0.25 s. The ball may rise by half the slop.
    s.last < 0.0025, ("the ball still bounces to %.4f sizes after %.2f s"):format(s.last, 1.1 * s.stop + 0.25)
end

return scene, {
  vary = { restitution = { 0.5, 0.8, 0.9 }, size = { 0.05, 1, 20 }, rate = { 60, 240 } }, solvers = { "si", "direct" },
}
