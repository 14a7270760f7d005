-- Lander: come down on the pad, slowly and upright.
--
--   impel play lander.lua
--   impel play lander.lua --set gravity=3.7                -- on Mars
--   impel play lander.lua --record mine.rec
--   impel run lander.lua --input mine.rec --check
local impel = require "impel"
local input = require "impel.input"
local sound = require "impel.sound"

local scene = {
  title = "Lander",
  about = "Up fires the engine, Left and Right turn the ship. Land on the pad slower than 2 m/s and nearly upright. "
    .. "Each --seed makes different mountains.",
  keys = { "left", "right", "up", "return" }, -- keys that the game takes from the window of `impel view`
  view = { x = 0, y = 20, height = 44 },
}

scene.params = {
  gravity = { 1.62, min = 0.5, max = 10, help = "gravity of the moon [m/s^2]" },
  fuel = { 20.0, min = 1, max = 100, help = "burn time of the full tank [s]" },
}

local THRUST, TURN = 4.5, 5           -- acceleration by the engine [m/s^2] and by the jets [rad/s^2]
local FAST, TILTED = 2, 0.35          -- [m/s], [rad]: a faster or more tilted landing breaks the legs
local COUNT, SPACING, LEFT = 81, 1, -40 -- heights of the ground: their number, distance and first x [m]
local SHIP = { { -0.9, -0.5 }, { 0.9, -0.5 }, { 0.6, 0.7 }, { 0, 1.1 }, { -0.6, 0.7 } }
local LEGS = { { -1.3, -1.1 }, { 1.3, -1.1 } }

local function landscape(world)
  local heights, y, slope = {}, 6, 0
  local pad = math.floor(20 + 0.5 * COUNT * world:random())
  for i = 1, COUNT do
    if i <= pad or i > pad + 6 then
      slope = 0.6 * slope + 2.4 * (world:random() - 0.5)
      if y + slope < 1 or y + slope > 16 then slope = -slope end
      y = y + slope
    end
    heights[i] = y
  end
  return heights, LEFT + (pad + 2) * SPACING, heights[pad + 1]
end

-- Put a new ship at its start. `state`: "ready", "playing", "won" or "lost".
local function launch(s)
  if s.ship then s.ship:destroy() end
  s.ship = s.world:body { name = "ship", position = { -25, 26 }, velocity = { 4, 0 }, angular_damping = 1,
    look = { color = "#e8ebef", outline = "#3b424c", width = 2 } }
  s.ship:polygon { points = SHIP }
  for _, leg in ipairs(LEGS) do
    s.ship:capsule { from = { leg[1] / 2, -0.5 }, to = leg, radius = 0.1, friction = 1, look = { color = "#8d96a3" } }
  end
  s.state, s.fuel, s.rest, s.burning, s.crashed_at = "ready", s.p.fuel, 0, false, nil
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -p.gravity }, hit_speed = 0.3 }
  local heights, pad_x, pad_y = landscape(world)
  local ground = world:body { type = "static", look = { outline = "#9aa1ad", width = 2 } }
  ground:heights { values = heights, spacing = SPACING, position = { LEFT, 0 }, friction = 0.8 }
  local hills = { { -LEFT, -2 }, { LEFT, -2 } } -- for drawing, because terrain is a line without an area
  for i = 1, COUNT do hills[i + 2] = { LEFT + (i - 1) * SPACING, heights[i] } end
  local s = { world = world, p = p, hills = hills, pad_x = pad_x, pad_y = pad_y, stars = {},
    hit = sound "hit.wav", landed = sound "coin.wav", engine = sound "engine.wav" }
  for i = 1, 60 do s.stars[i] = { LEFT + 80 * world:random(), 10 + 50 * world:random() } end
  launch(s)
  world:on("hit", function(event)
    if event.body_a ~= s.ship and event.body_b ~= s.ship then return end
    s.hit:play { volume = math.min(1, event.speed / 6) }
    if s.state == "playing" and (event.speed > FAST or math.abs(s.ship.angle) > TILTED) then
      s.state, s.crashed_at, s.crash_speed = "lost", world.time, event.speed
      s.ship:set_look { color = "#7a3b2e", outline = "#3b1d17" }
    end
  end)
  return s
end

-- Switch the engine's sound on or off: a loop while the engine burns.
local function burn(s, on)
  if on and not s.burning then s.voice = s.engine:play { loop = true, volume = 0.5, pitch = 0.6 } end
  if s.burning and not on then s.voice:stop() end
  s.burning = on
end

-- Called before each step. `input` holds all that the player did since the last step.
function scene.update(s, dt)
  if s.state == "won" or s.state == "lost" then
    burn(s, false)
    if input.pressed "return" then launch(s) end
    return
  end
  local up, turn = input.down "up", (input.down "left" and 1 or 0) - (input.down "right" and 1 or 0)
  if s.state == "ready" then -- the ship hangs in the sky until a key is pressed
    s.ship:set_pose(-25, 26, 0)
    s.ship:set_velocity(4, 0)
    if not up and turn == 0 then return end
    s.state = "playing"
  end
  burn(s, up and s.fuel > 0)
  if s.burning then
    s.fuel = math.max(0, s.fuel - dt)
    local fx, fy = s.ship:world_vector(0, THRUST * s.ship.mass)
    s.ship:apply_force(fx, fy)
  end
  s.ship:apply_torque(turn * TURN * s.ship.inertia)
  local x, y = s.ship:position()
  local vx, vy = s.ship:velocity()
  local standing = math.abs(x - s.pad_x) < 3 and y - s.pad_y < 1.5 and vx * vx + vy * vy < 0.02
  s.rest = standing and s.rest + dt or 0
  if s.rest > 1 then
    s.state = "won"
    s.landed:play()
  elseif math.abs(x) > 39 or y > 60 then
    s.state = "lost"
  end
end

-- While the ship is high above the pad, the view is 38 m tall and shifted down to show the ground. The view shrinks to
-- 16 m as the ship comes down. A crash shakes the camera.
function scene.camera(s)
  local _, y = s.ship:position()
  local far = math.min(1, math.max(0, (y - s.pad_y - 3) / 15)) -- 0: at the pad, 1: 18 m or more above the pad
  return { follow = s.ship, offset = { 0, -8 * far }, height = 16 + 22 * far, smoothing = 0.3,
    bounds = { LEFT, -2, -LEFT, 60 },
    shake = s.crashed_at and { amplitude = 0.8, at = s.crashed_at, decay = 0.4 } or nil }
end

local messages = { ready = "Up: engine. Left, right: turn. Land on the pad", won = "Landed! Press Enter to fly again",
  lost = "Lost. Press Enter to fly again" }

-- Draw a gauge: green while the value is small enough for a landing.
local function gauge(hud, y, name, value, unit, good)
  hud:text(20, y, name, { size = 16, color = "#c8d0da" })
  hud:text(200, y, math.floor(10 * value + 0.5) / 10 .. unit, { size = 16, align = "right",
    color = good and "#7ee08a" or "#ff8a70" })
end

function scene.draw(s, view)
  local x, y, angle = view:pose(s.ship)
  view:order(-1)
  view:rectangle(view.x, view.y, view.width, view.height, "#10141c")
  for _, star in ipairs(s.stars) do view:circle(star[1], star[2], 0.06, "#dfe7ff") end
  view:polygon(s.hills, "#4a4f5a")
  view:rectangle(s.pad_x, s.pad_y, 6, 0.3, "yellow", { anchor = "top" })
  if s.burning then -- a flickering flame
    local long = 1.6 + 0.4 * math.sin(70 * view.time)
    local c, d = math.cos(angle), math.sin(angle)
    local points = {}
    for i, p in ipairs { { -0.35, -0.5 }, { 0.35, -0.5 }, { 0, -0.5 - long } } do
      points[i] = { x + c * p[1] - d * p[2], y + d * p[1] + c * p[2] }
    end
    view:polygon(points, "orange")
  end
  local hud, vx, vy = view.hud, s.ship:velocity()
  hud:rectangle(10, 10, 204, 102, "#000000a0", { anchor = "left top", radius = 8 })
  gauge(hud, 28, "down", -vy, " m/s", -vy < FAST)
  gauge(hud, 50, "aside", vx, " m/s", math.abs(vx) < FAST)
  gauge(hud, 72, "tilt", math.deg(angle), "°", math.abs(angle) < TILTED)
  hud:text(20, 94, "fuel", { size = 16, color = "#c8d0da" })
  hud:rectangle(80, 94, 120, 12, "#3a414c", { anchor = "left" })
  if s.fuel > 0 then hud:rectangle(80, 94, 120 * s.fuel / s.p.fuel, 12, "sky", { anchor = "left" }) end
  if s.state == "playing" then return end
  hud:rectangle(hud.width / 2, 0.35 * hud.height, 520, 60, "#2f3744e0", { radius = 12 })
  hud:text(hud.width / 2, 0.35 * hud.height, messages[s.state], { size = 20, color = "white", align = "center" })
end

-- Return the columns of a trace.
function scene.measure(s)
  local x, y = s.ship:position()
  return { x = x, y = y, fuel = s.fuel, won = s.state == "won", lost = s.state == "lost" }
end

-- With --check: a flight that was begun must end on the pad.
function scene.check(s)
  local x, y = s.ship:position()
  return s.state == "won" or s.state == "ready",
    ("the game should be won or not begun; it is in the state '%s' with the ship at (%.1f, %.1f) m and the pad at "
      .. "(%.1f, %.1f) m"):format(s.state, x, y, s.pad_x, s.pad_y)
end

return scene
