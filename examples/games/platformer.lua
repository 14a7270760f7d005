-- Platformer: run and jump to the flag, collect coins, jump on the walkers.
--
--   impel play platformer.lua
--   impel play platformer.lua --record mine.rec
--   impel run platformer.lua --input mine.rec --check
local impel = require "impel"
local input = require "impel.input"
local sound = require "impel.sound"

local scene = {
  title = "Platformer",
  about = "Left and Right walk, Space jumps (hold it to jump higher), Down drops through a thin platform. Jump on the "
    .. "walkers.",
  keys = { "left", "right", "down", "space", "return" }, -- keys that the game takes from the window of `impel view`
  view = { x = 11, y = 6, height = 12 },
}

scene.params = {
  speed = { 6.0, min = 1, max = 12, help = "walking speed [m/s]" },
  jump = { 11.0, min = 2, max = 15, help = "take-off speed [m/s]" },
}

-- # ground, - thin platform, o coin, ^ spikes, w walker, L lift, F flag, S start; 1 m per letter
local MAP = {
  "                                               o o o                                 ",
  "                                              -------                   o            ",
  "                         o                                            -----          ",
  "              o        -----                     o                                   ",
  "            -----                    o   o      ---                              F   ",
  "     o                      w      -------                       o      ##      ###  ",
  " S  ---            ####    ####               w           L             ##   w ##### ",
  "###############^^######  #####   ####  ###  #####^^####       ###   ################ ",
  "#######################  #####   ####  ###  ###########       ###   ################ ",
}
local PURPLE, GREEN = { color = "#9b59b6", outline = false }, { color = "#6b8e4e", outline = false }
local BROWN, GOLD = { color = "#a9743c", outline = false }, { color = "#ffd23f", outline = false }
local G, COYOTE, HEARTS = 28, 0.1, 3 -- gravity [m/s^2]; time to jump after leaving a ledge [s]; number of lives

-- Functions by letter; x, y is the middle of the square's lower side [m].
local make = {
  S = function(s, x, y) s.start = { x, y } end,
  o = function(s, x, y)
    s.level:circle { radius = 0.25, center = { x, y + 0.5 }, sensor = true, data = "coin", look = GOLD }
    s.all = s.all + 1
  end,
  ["^"] = function(s, x, y)
    s.level:polygon { points = { { x - 0.5, y }, { x + 0.5, y }, { x, y + 0.9 } }, sensor = true, data = "spikes",
      look = { color = "#9aa3ad", outline = "#5d6670" } }
  end,
  F = function(s, x, y)
    s.level:box { 0.15, 3, center = { x, y + 1.5 }, sensor = true, data = "flag", look = BROWN }
    s.level:polygon { points = { { x, y + 3 }, { x, y + 2 }, { x + 1.2, y + 2.5 } }, sensor = true, data = "flag",
      look = { color = "red", outline = false } }
  end,
  w = function(s, x, y) -- a walker collides with nothing (mask 0); `touch_walkers` detects the hero
    local body = s.world:body { type = "kinematic", position = { x, y + 0.4 }, look = PURPLE }
    body:circle { radius = 0.4, mask = 0 }
    s.walkers[#s.walkers + 1] = body
  end,
  L = function(s, x, y)
    s.lift = s.world:body { type = "kinematic", position = { x, y }, look = BROWN }
    s.lift:box { 2.4, 0.3 }
  end,
}

local function make_row(s, row, y)
  for first, run in row:gmatch "()([#-]+)" do
    local thick = run:sub(1, 1) == "#" and 1 or 0.25
    s.level:box { #run, thick, center = { first + #run / 2 - 1, y + 1 - thick / 2 },
      one_way = thick < 1 and { 0, 1 } or nil }
  end
  for column, letter in row:gmatch "()([^%s#-])" do make[letter](s, column - 0.5, y) end
end

-- Build the level. `state` is "ready", later "playing", then "won" or "lost".
local function load_level(s)
  for body in s.world:bodies() do body:destroy() end
  s.walkers, s.coins, s.all, s.hearts, s.state, s.side, s.wish = {}, 0, 0, HEARTS, "ready", 1, 0
  s.level = s.world:body { type = "static", look = GREEN }
  for row, text in ipairs(MAP) do make_row(s, text, #MAP - row) end
  s.hero = s.world:mover { position = s.start, height = 1.5, radius = 0.35 }
  s.hero.body:set_look { visible = false } -- scene.draw draws an image of the hero
end

-- Put the hero back at the start and remove a heart.
local function hurt(s)
  s.hit:play()
  s.hearts = s.hearts - 1
  if s.hearts == 0 then s.state = "lost" end
  s.hero:set_position(s.start[1], s.start[2])
  s.hero:set_velocity(0, 0)
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G } }
  local s = { world = world, p = p, hit = sound "hit.wav", coin = sound "coin.wav", leap = sound "jump.wav" }
  load_level(s)
  world:on("sensor_begin", function(event)
    if event.visitor.body ~= s.hero.body or s.state ~= "playing" then return end
    local what = event.sensor.data
    if what == "spikes" then return hurt(s) end
    s.coin:play { pitch = what == "flag" and 0.7 or 1 }
    if what == "flag" then s.state = "won" return end
    s.coins = s.coins + 1
    event.sensor:destroy()
  end)
  return s
end

-- The hero removes a walker by falling on it; any other touch costs a heart.
local function touch_walkers(s, x, y)
  for i = #s.walkers, 1, -1 do
    local wx, wy = s.walkers[i]:position()
    s.walkers[i]:set_velocity(1.5 * math.cos(s.world.time), 0)
    if math.abs(wx - x) < 0.7 and math.abs(wy - 0.4 - y) < 0.8 then
      if select(2, s.hero:velocity()) > -0.5 then return hurt(s) end
      table.remove(s.walkers, i):destroy()
      s.hit:play { pitch = 1.6 }
      s.hero:jump(0.8 * s.p.jump)
    end
  end
end

-- Called before each step. `input` holds all that the player did since the last step.
function scene.update(s, dt)
  local hero = s.hero
  s.lift:set_velocity(2 * math.cos(0.8 * s.world.time), 0)
  local way = (input.down "right" and 1 or 0) - (input.down "left" and 1 or 0)
  local over = s.state == "won" or s.state == "lost"
  hero.walk = over and 0 or s.p.speed * way
  if over then
    if input.pressed "return" then load_level(s) end
    return
  end
  if way ~= 0 then s.side, s.state = way, "playing" end
  s.wish = input.pressed "space" and 0.1 or s.wish - dt -- a jump key works from 0.1 s before landing
  if s.wish > 0 and hero.air_time < COYOTE then
    hero:jump(s.p.jump)
    s.wish = 0
    s.leap:play { volume = 0.6 }
  end
  local vx, vy = hero:velocity()
  if input.released "space" and vy > 0 then hero:set_velocity(vx, 0.5 * vy) end -- a short tap is a small jump
  if input.down "down" then hero:drop_through() end
  local x, y = hero:position()
  touch_walkers(s, x, y)
  if y < -3 then hurt(s) end
end

function scene.camera(s)
  return { follow = s.hero.body, height = 9, dead_zone = { 2, 3 }, smoothing = 0.15,
    bounds = { 0, 0, #MAP[1], #MAP + 2 } }
end

-- hero.png is a sheet of four frames: standing, two of a stride, jumping.
local function draw_hero(s, view)
  local x, y = view:pose(s.hero.body) -- the drawn pose, interpolated between two steps
  local frame = not s.hero.grounded and 4 or s.hero.walk ~= 0 and 2 + math.floor(2 * x) % 2 or 1
  view:image("hero.png", x, y, { height = 1.8, anchor = "bottom", sheet = { columns = 4 }, frame = frame,
    flip = s.side < 0 and "x", smooth = false })
end

local messages = { ready = "Arrow keys walk, Space jumps. Get to the flag", won = "You won! Press Enter to play again",
  lost = "No hearts left. Press Enter to play again" }

function scene.draw(s, view)
  view:order(-1)
  view:rectangle(view.x, view.y, view.width, view.height, "#bfe3f5")
  for i = 0, 9 do view:circle(9 * i + 0.5 * view.x, -1, 5, "#a9cfa4") end -- hills in the distance move less
  view:order(1)
  for _, walker in ipairs(s.walkers) do
    local x, y = view:pose(walker)
    view:circle(x, y + 0.1, 0.16, "white")
    view:circle(x, y + 0.1, 0.08, "ink")
  end
  draw_hero(s, view)
  local hud = view.hud -- coordinates in points, from the top left corner of the screen
  hud:rectangle(10, 10, 280, 36, "#00000080", { anchor = "left top", radius = 8 })
  hud:text(22, 28, ("Coins %d of %d"):format(s.coins, s.all), { size = 20, color = "white" })
  for i = 1, HEARTS do hud:text(180 + 26 * i, 28, "♥", { size = 24, color = i <= s.hearts and "#ff5a6e" or "grey" }) end
  if s.state == "playing" then return end
  hud:rectangle(hud.width / 2, 130, 520, 60, "#22272ed0", { radius = 12 })
  hud:text(hud.width / 2, 130, messages[s.state], { size = 20, color = "white", align = "center" })
end

-- Return the columns of a trace.
function scene.measure(s)
  local x, y = s.hero:position()
  return { x = x, y = y, coins = s.coins, hearts = s.hearts, won = s.state == "won", lost = s.state == "lost" }
end

-- With --check: a game that was begun must be won.
function scene.check(s)
  return s.state == "won" or s.state == "ready", ("%s, with %d hearts"):format(s.state, s.hearts)
end

return scene
