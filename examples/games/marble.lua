-- Marble: tilt the board until the marble is in the green hole.
--
--   impel play marble.lua
--   impel play marble.lua --record mine.rec
--   impel run marble.lua --input mine.rec --check
local impel = require "impel"
local input = require "impel.input"
local sound = require "impel.sound"

local scene = {
  title = "Marble",
  about = "Arrow keys or a gamepad's left stick tilt the board; the marble rolls to its lowest side. You have three "
    .. "marbles.",
  keys = { "left", "right", "up", "down", "return" }, -- keys that the game takes from the window of `impel view`
  view = { x = 0, y = 0.4, height = 11 },
}

scene.params = {
  steepest = { 0.2, min = 0.05, max = 0.5, help = "largest tilt of the board [rad]" },
  quickness = { 0.15, min = 0.02, max = 1, help = "time constant with which the board follows the keys [s]" },
}

local G, RADIUS, HOLE, MARBLES = 9.81, 0.3, 0.42, 3 -- gravity [m/s^2]; radius of marble and hole [m]; number of marbles
local WIDE, HIGH = 8, 4.5                           -- half the size of the board [m]
local START, GOAL = { -7.2, 3.7 }, { 7.1, -3.6 }
-- Walls, each from x1, y1 to x2, y2 [m].
local WALLS = { { -5.5, 4.5, -5.5, -1.5 }, { -5.5, -1.5, -3.5, -1.5 }, { -2, -4.5, -2, 2.5 }, { -3.8, 0.8, -2, 0.8 },
  { 1.2, 4.5, 1.2, -1.8 }, { 1.2, -1.8, 2.8, -1.8 }, { 4.6, -4.5, 4.6, 1.6 }, { 2.8, 1.6, 4.6, 1.6 },
  { 4.6, -0.6, 6.2, -0.6 } }
local HOLES = { { -6.9, -0.6 }, { -6.3, -3.8 }, { -2.7, -3.7 }, { -4.8, 3 }, { -1.3, -1.2 }, { 0.5, 3.7 },
  { 0.4, -3.6 }, { 3.9, -3.8 }, { 1.9, 1.2 }, { 5.4, 2.2 }, { 7.3, 3.7 }, { 5.4, -3.8 } }

local function new_marble(s)
  s.marble:set_position(START[1], START[2])
  s.marble:set_velocity(0, 0)
end

-- Start a game. `state` is "ready", later "playing", then "won" or "lost".
local function begin(s)
  s.state, s.left, s.tilt_x, s.tilt_y = "ready", MARBLES, 0, 0
  new_marble(s)
end

function scene.setup(p, seed)
  -- no gravity in the plane, which is seen from above
  local world = impel.world { seed = seed, gravity = { 0, 0 }, hit_speed = 0.5 }
  local board = world:body { type = "static", look = { color = "#8a5a2b", outline = false } }
  local rim = { { -WIDE, -HIGH, WIDE, -HIGH }, { -WIDE, HIGH, WIDE, HIGH }, { -WIDE, -HIGH, -WIDE, HIGH },
    { WIDE, -HIGH, WIDE, HIGH } }
  for _, list in ipairs { rim, WALLS } do
    for _, w in ipairs(list) do -- a wall is along x or along y
      board:box { math.abs(w[3] - w[1]) + 0.3, math.abs(w[4] - w[2]) + 0.3, restitution = 0.3,
        center = { (w[1] + w[3]) / 2, (w[2] + w[4]) / 2 } }
    end
  end
  -- A rolling marble accelerates like a marble without friction under 5/7 of gravity.
  local marble = world:body { fixed_rotation = true, gravity_scale = 5 / 7,
    look = { color = "#b9c2cc", outline = false } }
  marble:circle { radius = RADIUS, friction = 0 }
  local s = { world = world, p = p, marble = marble, hit = sound "hit.wav", goal = sound "coin.wav",
    fall = sound "jump.wav" }
  begin(s)
  world:on("hit", function(event) s.hit:play { volume = math.min(1, event.speed / 5), pitch = 2 } end)
  return s
end

-- Return whether the marble's centre is over a hole.
local function is_over(s, hole)
  local x, y = s.marble:position()
  return (x - hole[1]) ^ 2 + (y - hole[2]) ^ 2 < HOLE ^ 2
end

-- Called before each step. `input` holds all that the player did since the last step.
function scene.update(s, dt)
  local x = (input.down "right" and 1 or 0) - (input.down "left" and 1 or 0) + input.axis "left_x"
  local y = (input.down "up" and 1 or 0) - (input.down "down" and 1 or 0) + input.axis "left_y"
  if s.state == "ready" and (x ~= 0 or y ~= 0) then s.state = "playing" end
  if s.state ~= "playing" then
    x, y = 0, 0
    if input.pressed "return" then begin(s) end
  end
  local part = math.min(1, dt / s.p.quickness) -- the tilt approaches its target, set by the keys
  s.tilt_x = s.tilt_x + part * (s.p.steepest * math.max(-1, math.min(1, x)) - s.tilt_x)
  s.tilt_y = s.tilt_y + part * (s.p.steepest * math.max(-1, math.min(1, y)) - s.tilt_y)
  s.world:set_gravity(G * math.sin(s.tilt_x), G * math.sin(s.tilt_y))
  if s.state ~= "playing" then return end
  if is_over(s, GOAL) then
    s.state = "won"
    s.marble:set_pose(GOAL[1], GOAL[2], 0)
    s.marble:set_velocity(0, 0)
    s.goal:play()
  end
  for _, hole in ipairs(HOLES) do
    if is_over(s, hole) then
      s.left = s.left - 1
      s.fall:play { pitch = 0.5 }
      if s.left == 0 then s.state = "lost" end
      new_marble(s)
    end
  end
end

local messages = { ready = "Arrow keys tilt the board. Reach the green hole", won = "In! Press Enter to play again",
  lost = "No marbles left. Press Enter to play again" }

function scene.draw(s, view)
  view:order(-1)
  view:rectangle(view.x, view.y, view.width, view.height, "#2f3b36")
  view:rectangle(0, 0, 2 * WIDE, 2 * HIGH, "#d9b27c")
  for _, hole in ipairs(HOLES) do view:circle(hole[1], hole[2], HOLE, "#241a12") end
  view:circle(GOAL[1], GOAL[2], HOLE, "#2f8f4e")
  view:ring(GOAL[1], GOAL[2], HOLE, "#1d5c32", 3)
  local x, y = view:pose(s.marble) -- the drawn pose, interpolated between two steps
  view:circle(x + 0.5 * s.tilt_x, y + 0.5 * s.tilt_y - 0.06, RADIUS, "#00000050") -- the marble's shadow
  view:order(1)
  view:circle(x - 0.1, y + 0.1, 0.09, "white")
  local hud = view.hud -- coordinates in points, from the top left corner of the screen
  for i = 1, s.left do hud:circle(26 * i, 24, 9, "#b9c2cc") end
  -- A bubble level: the bubble moves to the higher side.
  hud:circle(hud.width - 36, 36, 28, "#00000080")
  hud:circle(hud.width - 36 - 90 * s.tilt_x, 36 + 90 * s.tilt_y, 7, "#a8e05f")
  if s.state == "playing" then return end
  hud:rectangle(hud.width / 2, hud.height / 2, 520, 60, "#22272ee0", { radius = 12 })
  hud:text(hud.width / 2, hud.height / 2, messages[s.state], { size = 20, color = "white", align = "center" })
end

-- Return the columns of a trace.
function scene.measure(s)
  local x, y = s.marble:position()
  return { x = x, y = y, left = s.left, won = s.state == "won", lost = s.state == "lost" }
end

-- With --check: a game that was begun must be won.
function scene.check(s)
  return s.state == "won" or s.state == "ready", ("%s, with %d marbles"):format(s.state, s.left)
end

return scene
