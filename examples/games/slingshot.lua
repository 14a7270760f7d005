-- Slingshot: pull the stone back with the mouse, and knock the targets off their towers.
--
--   impel play slingshot.lua
--   impel play slingshot.lua --record mine.rec
--   impel run slingshot.lua --input mine.rec --check
local impel = require "impel"
local input = require "impel.input"
local sound = require "impel.sound"

local scene = {
  title = "Slingshot",
  about = "Pull the stone back with the mouse and let go: four stones for each of three levels.",
  keys = { "return" },                                  -- keys that the game takes from the window of `impel view`
  view = { x = 3.5, y = 4, height = 10, pull = false }, -- pull: whether the mouse drags bodies
}

scene.params = {
  strength = { 8.0, min = 2, max = 15, help = "speed of the stone per metre that it is pulled back [1/s]" },
  toughness = { 1.0, min = 0.1, max = 10, help = "largest impulse of a hit that a green target survives [N s]" },
}

local SLING_X, SLING_Y = 0, 1.8 -- position of the stone at rest in its sling [m]
local REACH, STONE = 2, 0.3     -- [m]: longest pull, radius of the stone
local G = 9.81                  -- [m/s^2]
local WOOD = { color = "#d9a566", outline = "#7a5326" }
local GREEN = { color = "#7fc24a", outline = false }

-- A block is { x, y, width, height }; x, y is the middle of its lower side [m].
local levels = {
  { targets = { { 9, 2.2 } },
    blocks = { { 8.4, 0, 0.3, 2 }, { 9.6, 0, 0.3, 2 }, { 9, 2, 2, 0.2 } } },
  { targets = { { 9, 0 }, { 9, 1.7 } },
    blocks = { { 8.2, 0, 0.3, 1.5 }, { 9.8, 0, 0.3, 1.5 }, { 9, 1.5, 2.4, 0.2 },
      { 8.4, 1.7, 0.3, 1.5 }, { 9.6, 1.7, 0.3, 1.5 }, { 9, 3.2, 2, 0.2 } } },
  { targets = { { 12, 0 }, { 14.4, 0 }, { 13.2, 2.2 } },
    blocks = { { 11, 0, 0.3, 2 }, { 13.2, 0, 0.3, 2 }, { 15.4, 0, 0.3, 2 }, { 12, 2, 2.3, 0.2 }, { 14.4, 2, 2.3, 0.2 },
      { 10, 0, 0.8, 0.8 }, { 10, 0.8, 0.8, 0.8 } } },
}

-- Replace the bodies of the previous level by the bodies of the next level. The ground stays.
local function load_level(s, number)
  for _, body in ipairs(s.things) do
    if body:is_valid() then body:destroy() end
  end
  s.things, s.level, s.stones, s.left, s.stone, s.pulled = {}, number, 4, #levels[number].targets, nil, false
  s.shown_until = s.world.time + 1.5 -- time until which the camera looks at the towers
  for _, b in ipairs(levels[number].blocks) do
    local block = s.world:body { position = { b[1], b[2] + b[4] / 2 }, look = WOOD }
    block:box { b[3], b[4], density = 0.6 }
    s.things[#s.things + 1] = block
  end
  for _, at in ipairs(levels[number].targets) do
    local target = s.world:body { position = { at[1], at[2] + 0.4 }, data = "target", look = GREEN }
    target:circle { radius = 0.4, density = 0.8, rolling_resistance = 0.05 }
    s.things[#s.things + 1] = target
  end
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G } }
  local ground = world:body { type = "static", look = { color = "#8a9a5b", outline = "#5d6b38" } }
  ground:box { 80, 4, center = { 10, -2 } }
  -- `state` is "ready", later "playing", then "won" or "lost".
  local s = { world = world, p = p, state = "ready", score = 0, things = {},
    hit = sound "hit.wav", throw = sound "jump.wav", gone = sound "coin.wav" }
  load_level(s, 1)
  world:on("hit", function(event) -- impacts faster than world.hit_speed, 1 m/s
    s.hit:play { volume = math.min(1, event.impulse / 6), pitch = 0.8 + 0.4 / (1 + event.impulse) }
    for _, body in ipairs { event.body_a, event.body_b } do
      if body:is_valid() and body.data == "target" and event.impulse > p.toughness then
        body:destroy()
        s.left, s.score = s.left - 1, s.score + 1000
        s.gone:play()
      end
    end
  end)
  return s
end

-- Return the position of the pulled stone: at the mouse, at most REACH from the sling.
local function pulled_place()
  local x, y = input.mouse() -- position in the world [m], under the current camera
  local dx, dy = x - SLING_X, math.max(y, STONE) - SLING_Y
  local part = math.min(1, REACH / math.max(math.sqrt(dx * dx + dy * dy), 1e-9))
  return SLING_X + part * dx, SLING_Y + part * dy
end

local function throw(s)
  local x, y = pulled_place()
  s.pulled = false
  local k = s.p.strength
  local vx, vy = k * (SLING_X - x), k * (SLING_Y - y)
  if vx * vx + vy * vy < 4 then return end -- too small a pull: the stone stays
  s.stone = s.world:body { position = { x, y }, velocity = { vx, vy }, bullet = true,
    look = { color = "#606873", outline = false } }
  s.stone:circle { radius = STONE, density = 5, rolling_resistance = 0.05 }
  s.stones, s.thrown, s.things[#s.things + 1] = s.stones - 1, s.world.time, s.stone
  s.throw:play()
end

-- After the stone's flight: start the next stone or the next level, or end the game.
local function next_stone(s)
  local vx, vy = s.stone:velocity()
  local age = s.world.time - s.thrown
  if age < 2 or age < 7 and vx * vx + vy * vy > 0.04 then return end
  s.stone:destroy()
  s.stone = nil
  if s.left > 0 then
    if s.stones == 0 then s.state = "lost" end
    return
  end
  s.score = s.score + 500 * s.stones
  if s.level < #levels then return load_level(s, s.level + 1) end
  s.state = "won"
  s.gone:play { pitch = 0.7 }
end

-- Called before each step. `input` holds all that the player did since the last step.
function scene.update(s)
  if s.state == "won" or s.state == "lost" then
    if input.pressed "return" then
      s.state, s.score = "ready", 0
      load_level(s, 1)
    end
  elseif s.stone then
    next_stone(s)
  else
    local pressed, x, y = input.mouse_pressed() -- x, y: position of the mouse when the button was pressed
    if pressed and (x - SLING_X) ^ 2 + (y - SLING_Y) ^ 2 < 1 then s.pulled, s.state = true, "playing" end
    if s.pulled and input.mouse_released() then throw(s) end
  end
end

-- Called for every frame. The camera follows the stone, within bounds.
function scene.camera(s)
  local at = s.stone or { 0, 4 }
  if not s.stone and s.world.time < s.shown_until then at = { levels[s.level].blocks[1][1], 4 } end
  return { follow = at, height = 10, bounds = { -5, -1, 26, 14 }, smoothing = 0.3 }
end

local function draw_sling(view, x, y)
  view:rectangle(SLING_X, 0, 0.25, 1.4, "#6b4a2b", { anchor = "bottom" })
  for side = -0.4, 0.4, 0.8 do
    view:rectangle(SLING_X + side / 2, 1.6, 0.2, 1, "#6b4a2b", { angle = -1.2 * side })
    view:line(SLING_X + side, 2, x, y, "#3a2a20", 4)
  end
end

-- Draw dots along the predicted flight of the stone: p + v t + g t^2 / 2.
local function draw_way(s, view, x, y)
  local vx, vy = s.p.strength * (SLING_X - x), s.p.strength * (SLING_Y - y)
  for t = 0.1, 0.9, 0.1 do
    view:circle(x + vx * t, y + vy * t - G * t * t / 2, 0.09 - 0.06 * t, "#ffffffc0")
  end
end

local messages = { ready = "Pull the stone back with the mouse, then release it",
  won = "All are down! Press Enter to play again", lost = "Out of stones. Press Enter to play again" }

function scene.draw(s, view)
  view:order(-1) -- what follows is drawn behind the bodies
  view:rectangle(view.x, view.y, view.width, view.height, "#bfe3f5")
  for i = 0, 4 do view:circle(8 * i - 4 + 0.3 * view.x, -4, 7, "#a9cfa4") end -- hills in the distance move less
  local x, y = SLING_X, SLING_Y
  if s.pulled then x, y = pulled_place() end
  draw_sling(view, x, y)
  view:order(1)
  if s.pulled then draw_way(s, view, x, y) end
  if not s.stone and s.stones > 0 then view:circle(x, y, STONE, "#606873") end
  for _, body in ipairs(s.things) do
    if body:is_valid() and body.data == "target" then
      local bx, by, angle = view:pose(body) -- the drawn pose, interpolated between two steps
      for side = -0.5, 0.5 do
        local ex, ey = bx + 0.17 * math.cos(angle + 1.57 - side), by + 0.17 * math.sin(angle + 1.57 - side)
        view:circle(ex, ey, 0.1, "white")
        view:circle(ex, ey, 0.05, "ink")
      end
    end
  end
  local hud = view.hud -- coordinates in points, from the top left corner of the screen
  hud:text(20, 28, ("Level %d of %d"):format(s.level, #levels), { size = 22, color = "ink" })
  hud:text(hud.width - 20, 28, ("%d"):format(s.score), { size = 22, color = "ink", align = "right" })
  for i = 1, s.stones do hud:circle(14 + 22 * i, 60, 8, "#606873") end
  if s.state == "playing" then return end
  hud:rectangle(hud.width / 2, 130, 520, 60, "#22272ed0", { radius = 12 })
  hud:text(hud.width / 2, 130, messages[s.state], { size = 20, color = "white", align = "center" })
end

-- Return the columns of a trace.
function scene.measure(s)
  return { level = s.level, score = s.score, won = s.state == "won", lost = s.state == "lost" }
end

-- With --check: a game that was begun must be won.
function scene.check(s)
  return s.state == "won" or s.state == "ready", ("%s in level %d, %d targets left"):format(s.state, s.level, s.left)
end

return scene
