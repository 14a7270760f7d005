-- A block begins to slide at the angle atan(mu).
--   impel sweep sweep_friction --grid angle=24:29:11 --grid mu=0.4,0.5 -o friction.csv
--   impel bisect sweep_friction --set angle=0:60 --when 'slid > 0.001'
local impel = require "impel"

local scene = {
  title = "Friction by sweep",
  about = "A block slides on slopes steeper than atan(mu): 26.565 degrees for mu = 0.5.",
  duration = 2, -- [s]
  view = { x = 2, y = 0.2, height = 4.5 },
}

scene.params = {
  angle = { 27.0, min = 0, max = 60, help = "angle of the slope [degrees]" },
  mu = { 0.5, min = 0, max = 1.5, help = "coefficient of friction" },
}

local G = 9.81     -- [m/s^2]
local SETTLED = 0.5 -- time at which the block presses with its whole weight [s]

-- Gravity turns instead of the ground: "down the slope" is x, and the slide is one coordinate.
function scene.setup(p, seed)
  local angle = math.rad(p.angle)
  local world = impel.world {
    seed = seed, sleep = false, -- a slow slide must not put the block to sleep
    gravity = { G * math.sin(angle), -G * math.cos(angle) },
  }
  world:body { type = "static" }:box { 200, 1, center = { 90, -0.5 }, friction = p.mu }
  local block = world:body { position = { 0, 0.25 } }
  block:box { 1, 0.5, friction = p.mu }
  return { world = world, block = block, angle = angle, mu = p.mu }
end

function scene.update(s)
  if not s.mark and s.world.time >= SETTLED then
    s.mark = { x = s.block:position(), v = s.block:velocity(), time = s.world.time }
  end
end

-- Return x - x0 - v0 t [m], where x0 and v0 are the block's position and speed at SETTLED, and t the time since then.
local function slid(s)
  if not s.mark then return 0 end
  return (s.block:position()) - s.mark.x - s.mark.v * (s.world.time - s.mark.time)
end

function scene.measure(s)
  return { slid = slid(s) }
end

function scene.check(s)
  local t = s.mark and s.world.time - s.mark.time or 0
  local a = math.max(0, G * (math.sin(s.angle) - s.mu * math.cos(s.angle)))
  local expected = 0.5 * a * t ^ 2
  return t > 0, ("cannot be checked before %g s"):format(SETTLED),
    math.abs(slid(s) - expected) < 0.01 * expected + 1e-4, -- tolerance 1 %, and 0.1 mm because a held block creeps
    ("the block slid %.5f m, %.5f expected"):format(slid(s), expected)
end

return scene
