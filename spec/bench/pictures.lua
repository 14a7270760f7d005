-- Measures the cost of images and texts: SDL_VIDEODRIVER=dummy lua5.4 spec/bench/pictures.lua BUILD
--
-- Prints a line `name ms` for each case: CPU time of a frame with its step, in a window of 1280 x 720 pixels that is
-- rendered in software; the minimum of several frames.
local build = ...
package.cpath = build .. "/lua/?.so;" .. package.cpath
package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
require "impel"
local find = require "impel.cli.find"
local system = require "impel.system"
local viewer = require "impel.viewer"
local window = require "impel.window"

local png = require "support.png"

local FRAMES = 60

-- A scene of 2000 balls. `image`: draw an image on each ball; `alone`: hide the balls.
local SCENE = [[
local impel = require "impel"
local scene = { view = { x = 0, y = 6, height = 16 }, params = { image = false, alone = false, texts = 0 } }
function scene.setup(p)
  local world = impel.world { gravity = { 0, -10 } }
  world:body { type = "static", position = { 0, -1 } }:box { 40, 2 }
  local balls = {}
  for i = 0, 1999 do
    local x, y = -12.5 + i %% 64 * 0.4 + i // 64 * 0.01, 0.2 + i // 64 * 0.4
    balls[i + 1] = world:body { position = { x, y }, angle = i * 0.1, look = { visible = not p.alone } }
    balls[i + 1]:circle { radius = 0.18 }
  end
  return { world = world, balls = balls, p = p }
end
function scene.draw(s, view)
  for i = 1, s.p.texts do view:text(-13 + i %% 40 * 0.6, i %% 97 * 0.13, ("%%d of many"):format(i)) end
  if not s.p.image then return end
  for _, ball in ipairs(s.balls) do
    local x, y = ball:position()
    view:image(%q, x, y, { width = 0.36, angle = ball.angle })
  end
end
return scene
]]

local scene_path, image_path = os.tmpname(), os.tmpname()
png.write(image_path, 64, 64, function(x, y)
  local r = math.sqrt((x - 31.5) ^ 2 + (y - 31.5) ^ 2)
  return 0xe69f0000 + (x < 32 and 0x1000 or 0) + math.floor(255 * math.max(0, math.min(1, 31 - r)))
end)
png.save(scene_path, SCENE:format(image_path))

local function measure(name, set)
  local now = 0
  local v = assert(viewer.new({ kind = system.kind, examples = "examples" }, {
    file = scene_path, window = window, software = true, hidden = true, settings = false, set = set,
    size = { width = 1280, height = 720 }, clock = function() return now end, sleep = function() now = now + 1 / 60 end,
    find = function(path, opened) return find.loader({}, { file = path, opened = opened }, { clear = print }) end,
  }))
  local best = math.huge
  for _ = 1, FRAMES do
    local start = system.cpu()
    v:frame()
    best = math.min(best, system.cpu() - start)
  end
  assert(not v.failure, v.failure and v.failure.message)
  v:close()
  print(("%s %.3f"):format(name, 1e3 * best))
end

measure("plain", {})
measure("images", { image = true })
measure("images_alone", { image = true, alone = true })
measure("texts", { texts = 2000 })
os.remove(scene_path)
os.remove(image_path)
