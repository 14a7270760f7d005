-- Scripted players play the games in examples/games and write the recordings NAME.rec. A player reads the state of the
-- game and uses only keys and the mouse, in the viewer of `impel play --record` with a hidden window.
--
--   lua5.4 spec/tools/play_games.lua [NAME...]   all games, or the named ones; LUA_PATH and LUA_CPATH as in the README
--
-- Recordings end with a hash. Rewrite them after a change of the engine that changes trajectories.

package.path = "spec/?.lua;" .. package.path

local fake = require "support.viewer_fake"
local find = require "impel.cli.find"
local viewer = require "impel.viewer"
require "impel.core" -- makes impel.system available
local system = require "impel.system"

local MOST, REST = 6000, 60 -- largest number of frames of a game; number of frames after its end

local players = {}

-- Points of release of the stones [m], by level.
local THROWS = { { { -1.75, 1.05 } }, { { -1.95, 1.5 }, { -1.95, 1.5 } }, { { -1.9, 1.4 }, { -1.9, 1.4 } } }

function players.slingshot(s, hands)
  if s.stone or s.world.time < s.shown_until + 1.2 then
    hands.since = nil
    return
  end
  hands.since = (hands.since or 0) + 1
  local to = THROWS[s.level][5 - s.stones]
  local k = hands.since - 20 -- wait 20 frames for the camera to move back
  if k == 0 then hands:point(0, 1.8) end
  if k == 2 then hands:button(true) end
  if k > 2 and k <= 20 then hands:point((k - 2) / 18 * to[1], 1.8 + (k - 2) / 18 * (to[2] - 1.8)) end
  if k == 24 then hands:button(false) end
end

-- Return the angle from one direction to another, in -pi..pi.
local function turn(from, to) return (to - from + math.pi) % (2 * math.pi) - math.pi end

function players.topdown(s, hands)
  local body = s.car.body
  local x, y = body:position()
  local vx, vy = body:velocity()
  local speed = math.sqrt(vx * vx + vy * vy)
  local function ahead(k) return s.line[(s.car.at - 1 + k) % #s.line + 1] end
  local near, far, farther = ahead(4), ahead(6), ahead(10)
  local off = turn(body.angle, math.atan(near[2] - y, near[1] - x))
  local bend = math.abs(turn(math.atan(far[2] - y, far[1] - x), math.atan(farther[2] - far[2], farther[1] - far[1])))
  local wanted = bend > 0.9 and 11 or bend > 0.5 and 14 or 30
  hands:hold("left", off > 0.06)
  hands:hold("right", off < -0.06)
  hands:hold("up", speed < wanted)
  hands:hold("down", speed > wanted + 3)
end

-- Return whether a gap, a wall or a walker forces the hero to jump.
local function must_jump(s, x, y)
  local function is_solid(x1, y1, x2, y2)
    return s.world:raycast(x1, y1, x2, y2, { predicate = function(shape)
      return not shape.sensor and shape.body ~= s.hero.body
    end }) ~= nil
  end
  if not is_solid(x + 0.55, y + 0.3, x + 0.55, y - 0.8) or is_solid(x, y + 0.6, x + 1, y + 0.6) then return true end
  for _, walker in ipairs(s.walkers) do
    local wx, wy = walker:position()
    if wx > x and wx - x < 2.2 and math.abs(wy - y) < 1.2 then return true end
  end
  return false
end

function players.platformer(s, hands)
  local x, y = s.hero:position()
  local lift = s.lift:position()
  local rides = s.hero.ground and s.hero.ground.body == s.lift
  local go, jump = true, s.hero.grounded and not rides and must_jump(s, x, y)
  if rides then
    go = x < lift - 0.2 or lift > 60.6
  elseif x > 54 and x < 62.3 then -- wait for the lift, then walk off the lift
    jump = false
    go = x > 55.6 or x < 54.4 or lift < 57
  end
  if jump and not hands.held.space then hands.since = 0 end
  hands.since = hands.since and hands.since < 23 and hands.since + 1 or nil
  hands:hold("space", hands.since ~= nil)
  hands:hold("right", go)
end

-- Hold the key `name` down from the time when `value` exceeds `on` until `value` is `off` or less.
local function hold_by(hands, name, value, on, off)
  hands:hold(name, value > (hands.held[name] and off or on))
end

function players.lander(s, hands)
  local x, y = s.ship:position()
  local vx, vy = s.ship:velocity()
  local height, aside = y - s.pad_y - 1.2, s.pad_x - x
  local wanted_x = math.max(-5, math.min(5, 0.35 * aside))
  local wanted_y = -1
  if math.abs(aside) < 2.2 then wanted_y = -math.min(3.5, 0.8 + 0.25 * height)
  elseif height < 9 then wanted_y = 0.5 * (8 - height) end
  local lean = height < 1.5 and 0 or math.max(-0.35, math.min(0.35, (vx - wanted_x) / 4))
  local off = 4 * (lean - s.ship.angle) - 3 * s.ship.angular_velocity
  hold_by(hands, "left", off, 0.5, 0.05)
  hold_by(hands, "right", -off, 0.5, 0.05)
  hold_by(hands, "up", wanted_y - vy, 0.35, -0.35)
end

-- The path of the marble [m].
local WAY = { { -6.1, 1 }, { -6.05, -0.6 }, { -5.8, -2.2 }, { -4.5, -2.3 }, { -3, -1.9 }, { -3, -0.3 }, { -4.4, 0 },
  { -4.4, 1.5 }, { -3, 2.3 }, { -2.4, 3.3 }, { -1, 3 }, { 0, 1.6 }, { 0.3, -1 }, { 0.5, -2.4 }, { 2, -2.7 },
  { 3.5, -2.3 }, { 3.6, -0.8 }, { 3, 0.7 }, { 2.55, 0.9 }, { 2.3, 1.75 }, { 2.7, 2.5 }, { 4.4, 2.9 }, { 5.4, 3.4 },
  { 6.4, 2.8 }, { 6.6, 1 }, { 6.9, -0.6 }, { 6.8, -2.4 }, { 7.1, -3.6 } }

function players.marble(s, hands)
  local x, y = s.marble:position()
  local vx, vy = s.marble:velocity()
  hands.part = hands.part or 1
  local dx, dy = WAY[hands.part][1] - x, WAY[hands.part][2] - y
  local distance = math.sqrt(dx * dx + dy * dy)
  if distance < 0.25 and WAY[hands.part + 1] then hands.part = hands.part + 1 end
  local speed = math.min(1.5, 0.5 + distance) / math.max(distance, 1e-6)
  for _, each in ipairs { { "right", speed * dx - vx }, { "left", vx - speed * dx }, { "up", speed * dy - vy },
    { "down", vy - speed * dy } } do
    hands:hold(each[1], each[2] > 0.12)
  end
end


-- Hands --------------------------------------------------------------------------------------------------------------

local Hands = {}
Hands.__index = Hands

function Hands:hold(key, down)
  if (self.held[key] or false) == down then return end
  self.held[key] = down
  self.window:push { type = "key", key = key, scancode = key, down = down, repeated = false, ctrl = false,
    shift = false, alt = false }
end

-- Move the mouse to the pixel that shows a position in the world [m].
function Hands:point(x, y)
  local camera = self.viewer.camera
  x, y = camera:to_screen(x, y)
  self.x, self.y = math.floor(x / camera.scale + 0.5), math.floor(y / camera.scale + 0.5)
  self.window:push { type = "mouse_move", x = self.x, y = self.y, dx = 0, dy = 0 }
end

function Hands:button(down)
  self.window:push { type = down and "mouse_down" or "mouse_up", button = "left", x = self.x, y = self.y, clicks = 1 }
end

local function play(name)
  local window, clock = fake.window(960, 540), fake.clock()
  local game = assert(viewer.new({ kind = system.kind }, {
    file = ("examples/games/%s.lua"):format(name), inputs = ("examples/games/%s.rec"):format(name), play = true,
    window = window, settings = false, clock = clock.read, sleep = clock.sleep,
    find = function(file, opened)
      return find.loader({}, { file = file, opened = opened }, { clear = function() end })
    end,
  }))
  local hands = setmetatable({ held = {}, window = window.handle, viewer = game }, Hands)
  local state, rest = nil, 0
  for frame = 1, MOST do
    state = game.run.state.state
    if state == "won" or state == "lost" then
      for key in pairs(hands.held) do hands:hold(key, false) end
      rest = rest + 1
    elseif frame > REST then
      players[name](game.run.state, hands)
    end
    if rest > REST or not game:frame() or game.failure then break end
  end
  local failure, time = game.failure, game.run.world.time
  assert(game:close())
  print(("%-12s%s after %.1f s"):format(name, failure and failure.message or state, time))
  return state == "won"
end

local names = { table.unpack(arg) }
if #names == 0 then names = { "lander", "marble", "platformer", "slingshot", "topdown" } end
local all = true
for _, name in ipairs(names) do all = play(name) and all end
os.exit(all)
