-- A dropped box with restitution comes to rest and falls asleep in bounded time.
-- Source: godot issue 3200 (a bouncing body never falls asleep); closed form: the bounces of a ball end after (1 + e) /
-- (1 - e) times the first fall.
local impel = require "impel"

local G = 9.81

local scene = {
  title = "Bounce to rest", about = "A bouncing box comes to rest and falls asleep.", duration = 20,
  units = { asleep = "s", limit = "s", height = "m", tilt = "rad" },
}
scene.params = { height = 1.0, restitution = 0.5, tilt = 0.0, threshold = 1.0 }

-- Return the time by which the box must sleep: all bounces plus 1 s. A flat bounce keeps e of the speed. A bounce on a
-- corner keeps at most sqrt(1 - 0.4 (1 - e^2)) of the speed, where 0.4 = 1 / (1 + m a^2 / I) with the lever arm a of
-- half a side.
local function limit(p)
  local kept = p.tilt == 0 and p.restitution or math.sqrt(1 - 0.4 * (1 - p.restitution ^ 2))
  return math.sqrt(2 * p.height / G) * (1 + kept) / (1 - kept) + 1
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G } }
  world:body { type = "static" }:box { 60, 1, center = { 0, -0.5 }, restitution = p.restitution }
  local reach = 0.5 * (impel.math.cos(p.tilt) + impel.math.sin(p.tilt)) -- height of the centre above the lowest corner
  local box = world:body { position = { 0, p.height + reach }, angle = p.tilt }
  box:box { 1, 1, restitution = p.restitution, restitution_threshold = p.threshold }
  return { world = world, box = box, p = p }
end

function scene.update(s)
  if s.box.awake then s.asleep = nil else s.asleep = s.asleep or s.world.time end
end

function scene.measure(s)
  local _, y = s.box:position()
  local turns = s.box.angle / (math.pi / 2)
  return {
    asleep = s.asleep or math.huge, limit = limit(s.p), height = y - 0.5,
    tilt = math.abs(turns - math.floor(turns + 0.5)) * math.pi / 2,
  }
end

function scene.check(s)
  local now = scene.measure(s)
  return now.asleep < now.limit,
    ("the box falls asleep after %.1f s, at most %.1f expected"):format(now.asleep, now.limit),
    -- Slop of 5 mm, plus 1 mm for the weight.
    math.abs(now.height) < 0.006, ("the box lies %.4f m above the floor"):format(now.height),
    -- Twice the slop of 5 mm at one end turns a box of 1 m by 0.01 rad.
    now.tilt < 0.01, ("the box lies tilted by %.3f rad"):format(now.tilt)
end

return scene, {
  vary = { height = { 0.5, 3 }, restitution = { 0.2, 0.5, 0.8 }, tilt = { 0, 0.3 }, threshold = { 0, 1 } },
  solvers = { "si", "direct" },
}
