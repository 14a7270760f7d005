-- A ball is thrown at a mark.
--
--   impel sweep sweep.lua --grid angle=20:70:11 --grid speed=6,8,10 -o throws.csv
--   impel sweep sweep.lua --set spread=3 --seeds 1..100 -o luck.csv
--   impel tune sweep.lua --param angle,speed --budget 200
--   impel run sweep.lua --set angle=30 --check
local impel = require "impel"

local scene = {
  title = "Throw",
  about = "A ball is thrown from the ground at a mark. Its range is v^2 sin(2 a) / g; the seed determines the error "
    .. "of the angle.",
  duration = 4, -- [s], longer than the longest flight
  view = { x = 5, y = 2, height = 8 },
}

-- Parameters: impel sweep sets those named by --grid; impel tune searches between min and max.
scene.params = {
  angle = { 45.0, min = 5, max = 85, help = "angle above the ground [degrees]" },
  speed = { 8.0, min = 1, max = 15, help = "speed of the throw [m/s]" },
  mark = { 8.0, min = 1, max = 20, help = "distance to the mark [m]" },
  spread = { 0.0, min = 0, max = 10, help = "largest random error of the angle to either side [degrees]" },
}

local G = 9.81 -- [m/s^2]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G } }
  local angle = math.rad(p.angle + p.spread * (2 * world:random() - 1))
  local ball = world:body { type = "particle", name = "ball", mass = 0.2,
    velocity = { p.speed * math.cos(angle), p.speed * math.sin(angle) } }
  return { world = world, p = p, ball = ball, angle = angle, top = 0, x = 0, y = 0 }
end

-- Record the highest point, and where the ball crosses the ground: interpolate between the last two steps.
local function watch(s)
  local x, y = s.ball:position()
  s.top = math.max(s.top, y)
  if not s.landed and s.y > 0 and y <= 0 then s.landed = x - (x - s.x) * y / (y - s.y) end
  s.x, s.y = x, y
end

function scene.update(s) watch(s) end

-- Return the columns of --trace. In a sweep, the row of a run has the values at its end.
function scene.measure(s)
  watch(s)
  return { x = s.x, y = s.y, top = s.top, landed = s.landed or 0 / 0 }
end

-- Return the objective that impel tune minimizes: the distance from the mark at landing [m].
function scene.score(s)
  watch(s)
  return s.landed and math.abs(s.landed - s.p.mark) or math.huge
end

-- Check that the ball landed where the formula predicts.
function scene.check(s)
  watch(s)
  if not s.landed then return false, "the ball is still in the air" end
  local range = s.p.speed ^ 2 * math.sin(2 * s.angle) / G
  return math.abs(s.landed - range) < 0.01 * range + 0.01,
    ("the ball flew %.3f m, %.3f expected"):format(s.landed, range)
end

return scene
