-- Topdown: a car race seen from above, two laps against a rival.
--
--   impel play topdown.lua
--   impel play topdown.lua --record mine.rec
--   impel run topdown.lua --input mine.rec --check
local impel = require "impel"
local input = require "impel.input"
local sound = require "impel.sound"

local scene = {
  title = "Topdown",
  about = "Arrow keys or a gamepad drive the red car. The car slides if a curve needs an acceleration above `grip`.",
  keys = { "left", "right", "up", "down", "return" }, -- keys that the game takes from the window of `impel view`
  view = { x = 0, y = 0, height = 46 },
}

scene.params = {
  grip = { 14.0, min = 1, max = 50, help = "largest sideways acceleration that the tyres give [m/s^2]" },
  rival = { 0.8, min = 0, max = 1.5, help = "power of the rival's engine relative to yours" },
}

local POWER, TURN = 12, 2.6            -- acceleration by the engine [m/s^2], turning rate of a fast car [rad/s]
local LAPS, HALF, PARTS = 2, 4, 8      -- laps, half the width of the road [m], points of the middle line per corner
local CORNERS = { { 0, -14 }, { 17, -14 }, { 29, -7 }, { 27, 6 }, { 15, 12 }, { 5, 5 }, { -6, 4 }, { -13, 13 },
  { -25, 12 }, { -30, 0 }, { -24, -12 }, { -12, -14 } }

-- Return a smooth closed line through the corners, counter-clockwise: a Catmull-Rom spline.
local function middle_line()
  local line, n = {}, #CORNERS
  local function corner(i) return CORNERS[(i - 1) % n + 1] end
  for i = 1, n do
    local a, b, c, d = corner(i - 1), corner(i), corner(i + 1), corner(i + 2)
    for k = 0, PARTS - 1 do
      local t, point = k / PARTS, {}
      for axis = 1, 2 do
        point[axis] = b[axis] + t / 2 * (c[axis] - a[axis] + t * (2 * a[axis] - 5 * b[axis] + 4 * c[axis] - d[axis]
          + t * (3 * b[axis] - a[axis] - 3 * c[axis] + d[axis])))
      end
      line[#line + 1] = point
    end
  end
  return line
end

-- Return the line shifted to the left by a distance [m], reversed if the distance is negative.
local function beside(line, distance)
  local moved, n = {}, #line
  for i = 1, n do
    local before, after = line[(i - 2) % n + 1], line[i % n + 1]
    local dx, dy = after[1] - before[1], after[2] - before[2]
    local part = distance / math.sqrt(dx * dx + dy * dy)
    moved[distance > 0 and i or n + 1 - i] = { line[i][1] - part * dy, line[i][2] + part * dx }
  end
  return moved
end

local function new_car(world, line, side, tint)
  local body = world:body { position = { line[1][1], line[1][2] + side }, linear_damping = 0.6,
    look = { visible = false } } -- scene.draw draws an image of the car
  body:box { 2, 1, density = 0.5, friction = 0.1, restitution = 0.3 }
  return { body = body, tint = tint, at = 1, laps = 0 }
end

-- Put both cars at the start. `state` is "ready", later "playing", then "won" or "lost".
local function line_up(s)
  for _, car in ipairs { s.car, s.rival } do car.body:destroy() end
  s.car, s.rival = new_car(s.world, s.line, -1.5, "#ff6450"), new_car(s.world, s.line, 1.5, "#7db7ff")
  s.state, s.time = "ready", 0
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, sleep = false }
  local line = middle_line()
  local walls = world:body { type = "static", look = { outline = "#f4f1e8", width = 4 } }
  local s = { world = world, p = p, line = line, inner = beside(line, HALF), outer = beside(line, -HALF),
    hit = sound "hit.wav", lap = sound "coin.wav", engine = sound "engine.wav" }
  walls:chain { points = s.inner, loop = true, friction = 0.1 } -- solid to the left of the points: inside the loop
  walls:chain { points = s.outer, loop = true, friction = 0.1 } -- solid outside, because the points run clockwise
  line_up(s)
  world:on("hit", function(event)
    s.hit:play { volume = math.min(1, event.speed / 10) }
  end)
  return s
end

-- Advance a car by one step: gas and steer are in -1..1.
local function drive(s, car, gas, steer, dt)
  local body = car.body
  local vx, vy = body:velocity()
  local ahead, aside = body:local_vector(vx, vy)
  local most = s.p.grip * dt -- Coulomb friction of the tyres, which acts only sideways
  local change = math.min(most, math.max(-most, -aside))
  local ix, iy = body:world_vector(gas * POWER * dt, change)
  body:apply_impulse(body.mass * ix, body.mass * iy)
  local wanted = steer * TURN * math.max(-1, math.min(1, ahead / 8)) -- a standing car does not turn
  body.angular_velocity = body.angular_velocity + (wanted - body.angular_velocity) * math.min(1, 10 * dt)
end

-- Count the points of the middle line that a car passes in order.
local function follow(line, car)
  local x, y = car.body:position()
  local function distance(i)
    local point = line[(i - 1) % #line + 1]
    return (point[1] - x) ^ 2 + (point[2] - y) ^ 2
  end
  while distance(car.at + 1) < distance(car.at) do car.at = car.at + 1 end
  car.laps = math.floor((car.at - 1) / #line)
end

-- The rival steers towards a point a little ahead.
local function steer_rival(line, car)
  local x, y = car.body:position()
  local point = line[(car.at + 3) % #line + 1]
  local ahead, aside = car.body:local_vector(point[1] - x, point[2] - y)
  return math.max(-1, math.min(1, 3 * impel.math.atan(aside, ahead)))
end

-- Called before each step. `input` holds all that the player did since the last step.
function scene.update(s, dt)
  local gas = (input.down "up" and 1 or 0) - (input.down "down" and 1 or 0) + input.axis "right_trigger"
  local steer = (input.down "left" and 1 or 0) - (input.down "right" and 1 or 0) - input.axis "left_x"
  if s.state == "ready" then
    if gas <= 0 then return end
    s.state, s.voice = "playing", s.engine:play { loop = true, volume = 0.4 }
  end
  if s.state ~= "playing" then
    if input.pressed "return" then line_up(s) end
    return
  end
  s.time = s.time + dt
  drive(s, s.car, math.min(1, gas), math.max(-1, math.min(1, steer)), dt)
  drive(s, s.rival, s.p.rival, steer_rival(s.line, s.rival), dt)
  local vx, vy = s.car.body:velocity()
  s.voice.pitch = 0.6 + 0.08 * math.sqrt(vx * vx + vy * vy)
  local laps = s.car.laps
  follow(s.line, s.car)
  follow(s.line, s.rival)
  if s.car.laps > laps then s.lap:play() end
  if s.car.laps >= LAPS then s.state = "won" elseif s.rival.laps >= LAPS then s.state = "lost" end
  if s.state ~= "playing" then s.voice:stop() end
end

-- The camera looks ahead of the car, but never beyond the grass around the road.
function scene.camera(s)
  local vx, vy = s.car.body:velocity()
  return { follow = s.car.body, offset = { 0.35 * vx, 0.35 * vy }, height = 24, smoothing = 0.25,
    bounds = { -40, -24, 40, 22 } }
end

-- Draw a small map in the corner of the screen: 3 points per metre.
local function draw_map(s, hud)
  local function place(x, y) return hud.width - 115 + 3 * x, hud.height - 70 - 3 * y end
  local points = {}
  for i, point in ipairs(s.line) do points[i] = { place(point[1], point[2]) } end
  hud:rectangle(hud.width - 115, hud.height - 70, 210, 120, "#00000080", { radius = 8 })
  hud:outline(points, "#d0d4d8", 6)
  for _, car in ipairs { s.rival, s.car } do
    local x, y = place(car.body:position())
    hud:circle(x, y, 5, car.tint)
  end
end

local messages = { ready = "Arrow keys drive. Two laps, ahead of the blue car",
  won = "First! Press Enter to race again", lost = "Second. Press Enter to race again" }

function scene.draw(s, view)
  view:order(-1)
  view:rectangle(view.x, view.y, view.width, view.height, "#7fae5c")
  view:polygon(s.outer, "#5b6068")
  view:outline(s.line, "#ffffff50", 2)
  view:polygon(s.inner, "#7fae5c")
  local x, y = s.line[1][1] + 1.6, s.line[1][2]
  view:rectangle(x, y, 1, 2 * HALF, "ink") -- the starting line, chequered
  for i = 0, 15 do view:rectangle(x - 0.25 + 0.5 * (i % 2), y - HALF + 0.25 + 0.5 * i, 0.5, 0.5, "white") end
  view:order(1)
  for _, car in ipairs { s.rival, s.car } do
    local cx, cy, angle = view:pose(car.body) -- the drawn pose, interpolated between two steps
    view:image("car.png", cx, cy, { width = 2.2, angle = angle, tint = car.tint })
  end
  local hud = view.hud -- coordinates in points, from the top left corner of the screen
  hud:rectangle(10, 10, 230, 36, "#00000080", { anchor = "left top", radius = 8 })
  hud:text(22, 28, ("Laps %d of %d    %.1f s"):format(s.car.laps, LAPS, s.time), { size = 20, color = "white" })
  draw_map(s, hud)
  if s.state == "playing" then return end
  hud:rectangle(hud.width / 2, 130, 540, 60, "#22272ed0", { radius = 12 })
  hud:text(hud.width / 2, 130, messages[s.state], { size = 20, color = "white", align = "center" })
end

-- Return the columns of a trace.
function scene.measure(s)
  return { seconds = s.time, laps = s.car.laps, rival = s.rival.laps, won = s.state == "won", lost = s.state == "lost" }
end

-- With --check: a race that was begun must be won.
function scene.check(s)
  return s.state == "won" or s.state == "ready", ("%s after %d laps, %.1f s"):format(s.state, s.car.laps, s.time)
end

return scene
