-- A character walks, jumps through a one-way ledge, rides a moving platform and takes a coin.
--
--   impel run platformer.lua --check --trace walk.csv
--   impel run platformer.lua --set jump=5 --check     -- too low for the ledge
--   impel repl platformer.lua
local impel = require "impel"

local scene = {
  title = "Platformer",
  about = "A capsule that cannot turn over is driven to the speed of what it stands on, plus what the keys ask for. "
    .. "The keys are a list here; a game would fill it.",
  duration = 14, -- [s]
  view = { x = 3, y = 1.5, height = 6 },
}

scene.params = {
  speed = { 2.0, min = 0.5, max = 6, help = "m/s, of walking" },
  jump = { 6.0, min = 2, max = 9, help = "m/s, at which it leaves the ground" },
  grip = { 0.1, min = 0.02, max = 0.5, help = "s, in which it takes on the speed asked for" },
}

local G, HALF, RADIUS = 9.81, 0.3, 0.3       -- [m/s^2]; half length and radius of the capsule [m]
local LEDGE, LIFT, THICK = 1.5, 1.3, 0.2     -- heights of ledge and lift, thickness of both [m]
local NEAR, REACH, PERIOD = 2.1, 4, 8        -- the lift starts at NEAR, goes to NEAR + REACH [m] and back in PERIOD [s]

-- The keys: from which time on [s] it walks which way (-1, 0, 1), and when it jumps.
local keys = { { 0.5, 0, "jump" }, { 7.5, 1 }, { 8.4, 0 } }

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 30, 1, center = { 3, -0.5 } }
  ground:box { 2, THICK, center = { 0, LEDGE - THICK / 2 }, name = "ledge", one_way = { 0, 1 } }
  local lift = world:body { type = "kinematic", name = "lift", position = { NEAR, LIFT - THICK / 2 } }
  lift:box { 2, THICK }
  local hero = world:body { name = "hero", position = { 0, HALF + RADIUS }, fixed_rotation = true, mass = 60 }
  hero:capsule { from = { 0, -HALF }, to = { 0, HALF }, radius = RADIUS, friction = 0 } -- its legs do that
  local s = { world = world, p = p, hero = hero, lift = lift, walk = 0, coins = 0, next_key = 1 }

  local coin = ground:circle { radius = 0.2, center = { NEAR + REACH, LIFT + 0.6 }, sensor = true, name = "coin" }
  world:on("sensor_begin", function(event)
    if event.sensor == coin and event.visitor.body == hero then
      s.coins = s.coins + 1
      coin:destroy()
    end
  end)
  world:on("begin_contact", function(event)
    if event.body_a == hero or event.body_b == hero then s.landing = math.max(s.landing or 0, event.speed) end
  end)
  return s
end

-- What the hero stands on, or nil: the body of a contact whose normal points up at it.
local function support(hero)
  for contact in hero:contacts() do
    local _, ny = contact:normal() -- from a to b
    local below = contact.body_a
    if below == hero then below, ny = contact.body_b, -ny end
    if contact.enabled and ny > 0.7 then return below end
  end
  return nil
end

-- Before every step: keys, and the lift on its way to and fro.
function scene.update(s)
  local w, time = 2 * math.pi / PERIOD, s.world.time
  s.lift:set_velocity(REACH / 2 * w * math.sin(w * (time + s.world.dt / 2)), 0)
  s.standing = support(s.hero)
  local key = keys[s.next_key]
  if not key or time < key[1] then return end
  s.next_key, s.walk = s.next_key + 1, key[2]
  if key[3] == "jump" and s.standing then s.hero:apply_impulse(0, s.hero.mass * s.p.jump) end
end

-- Before every substep: a force that is a law of the speed belongs here, where it sees the speed it changes.
function scene.substep(s)
  local vx = s.hero:velocity()
  local carried = s.standing and s.standing:velocity() or 0
  if s.standing or s.walk ~= 0 then
    s.hero:apply_force(s.hero.mass * (carried + s.walk * s.p.speed - vx) / s.p.grip, 0)
  end
end

function scene.measure(s)
  local x, y = s.hero:position()
  local lift = s.lift:position()
  return { x = x, y = y, lift = lift, coins = s.coins, grounded = s.standing ~= nil }
end

function scene.check(s)
  local vx = s.hero:velocity() - s.lift:velocity()
  local _, y = s.hero:position()
  local feet = y - HALF - RADIUS
  return s.coins == 1, ("%d coins taken, 1 expected"):format(s.coins),
    math.abs(feet - LIFT) < 0.01, ("the feet are at %.3f m, the lift at %.3f"):format(feet, LIFT),
    math.abs(vx) < 0.15, -- it lags behind an acceleration by that times grip
    ("it slides over the lift at %.3f m/s"):format(vx)
end

return scene
