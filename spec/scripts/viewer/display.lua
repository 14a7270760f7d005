-- display: tests of the real window. They push events and read the picture. viewer_spec.lua runs each case in a process
-- of its own, with a display.
--   DISPLAY=:7 lua5.4 spec/scripts/viewer/display.lua "pauses and steps"
--
-- One frame polls SDL's events, steps and paints.

local find = require "impel.cli.find"
local system = require "impel.system"
local viewer = require "impel.viewer"
local window = require "impel.window"

local shared = require "support.program"

local SCENE = [[
local impel = require "impel"
local scene = { title = "ball", view = { x = 0, y = 0, height = 12 } }
scene.params = { height = { 3.0, min = 0, max = 5 } }
function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local ball = world:body { name = "ball", position = { 0, p.height } }
  ball:circle { radius = 0.5 }
  return { world = world, ball = ball }
end
return scene
]]

local v, path, now

local function open(options, text)
  path = shared.write(text or SCENE)
  now = 0
  local given = {
    file = path, window = window, software = true, size = { width = 640, height = 480 }, settings = false,
    clock = function() return now end, sleep = function() now = now + 1 / 60 end,
    find = function(name, opened)
      return find.loader({}, { file = name, opened = opened }, { clear = function() end })
    end,
  }
  for name, value in pairs(options or {}) do given[name] = value end
  v = assert(viewer.new({ kind = system.kind, examples = "examples" }, given))
  for _ = 1, 3 do v:frame() end -- processes the events of a new window
end

local function frames(count)
  for _ = 1, count or 1 do assert(v:frame()) end
end

local function push(event)
  v.window:push(event)
  frames()
end

local function key(name, more)
  local event = { type = "key", key = name, down = true }
  for field, value in pairs(more or {}) do event[field] = value end
  push(event)
end

-- Return the position of a world point in the window [points].
local function at(x, y)
  local px, py = v.camera:to_screen(x, y)
  return px / v.camera.scale, py / v.camera.scale
end

local function equal(expected, got)
  if expected ~= got then error(("%s expected, got %s"):format(tostring(expected), tostring(got)), 2) end
end

-- Return a pixel of the last painted picture, 0xRRGGBB.
local function pixel(x, y)
  local surface = v.window:screenshot()
  local width = surface:size()
  local r, g, b = surface:pixels():byte(4 * (math.floor(y) * width + math.floor(x)) + 1, -1)
  surface:close()
  return r << 16 | g << 8 | b
end

local cases = {}
local function case(name, run) cases[#cases + 1] = { name = name, run = run } end

case("pauses, steps and steps back in the frame of the key", function()
  open { paused = true }
  equal(0, v.run.count)
  key "right"
  equal(1, v.run.count)
  key("right", { shift = true })
  equal(11, v.run.count)
  local hash = v.run.world.hash
  key "right"
  key "left"
  equal(11, v.run.count)
  equal(hash, v.run.world.hash)
  key "space"
  equal(12, v.run.count)
  key "space"
  frames(3)
  equal(12, v.run.count)
end)

case("pulls a body to the cursor, from the first frame on", function()
  open()
  local x, y = at(v.run.state.ball:position())
  v.window:push { type = "mouse_down", button = "left", x = math.floor(x), y = math.floor(y), clicks = 1 }
  push { type = "mouse_move", x = math.floor(x) + 120, y = math.floor(y), dx = 120, dy = 0 }
  assert(v.run.state.ball:position() > 1e-4, "the ball does not follow in the frame of the move")
  frames(120)
  local target = v.camera:to_world(math.floor(x) + 120, math.floor(y))
  local reached = v.run.state.ball:position()
  -- The mouse is exact to a pixel, which is 0.025 m.
  assert(math.abs(target - reached) < 0.03, ("%g m reached, %g expected"):format(reached, target))
  push { type = "mouse_up", button = "left", x = math.floor(x) + 120, y = math.floor(y), clicks = 1 }
  equal(0, v.run.world:counts().joints)
end)

case("paints the ball at its position, and the panels over it", function()
  open { paused = true }
  local x, y = at(-0.2, 3) -- a point inside the ball, but not on the line that marks the ball's angle
  equal(v.palette.styles.dynamic.fill >> 8, pixel(x, y))
  equal(v.palette.background >> 8, pixel(at(0, -3)))
  v:set("height", 1)
  frames()
  equal(v.palette.background >> 8, pixel(x, y))
  equal(v.palette.styles.dynamic.fill >> 8, pixel(at(-0.2, 1)))
end)

case("changes a parameter by its slider, in the frame of the press", function()
  open { paused = true }
  if not v:is_open "params" then v:toggle "params" end
  frames(2)
  -- Press at increasing y until the value of the panel's first slider changes.
  local changed
  for y = 30, 100, 2 do
    v.window:push { type = "mouse_down", button = "left", x = 60, y = y, clicks = 1 }
    frames()
    changed = v.run.values.height ~= 3
    push { type = "mouse_up", button = "left", x = 60, y = y, clicks = 1 }
    if changed then break end
  end
  assert(changed, "no slider answered")
  local height = v.run.values.height
  assert(height >= 0 and height < 3, height)
  equal(height, select(2, v.run.state.ball:position()))
  key "r"
  equal(height, v.run.values.height)
end)

local function save(text)
  local file = assert(io.open(path, "wb"))
  file:write(text)
  file:close()
  frames(20)
end

case("reloads a saved file, and keeps the world if the saved file is broken", function()
  open()
  save((SCENE:gsub('"ball"', '"other"')))
  equal("other", v.run.scene.definition.title)
  local run = v.run
  save(SCENE .. ")")
  equal(run, v.run)
  equal(select(2, SCENE:gsub("\n", "")) + 1, v.failure.line)
  assert(v.run.world:is_valid())
  save(SCENE)
  equal(nil, v.failure)
end)

case("survives a resize to zero and back", function()
  open()
  push { type = "resize", width = 0, height = 0 }
  frames(3)
  v.window:resize(320, 240)
  frames(3)
  push { type = "resize", width = 320, height = 240 }
  frames(3)
  local width, height, scale = v.window:size()
  equal(width * scale, v.camera.width_px)
  -- The picture is as high as the window minus toolbar and status line.
  equal((height - v:line_height()) * scale, v.camera.height_px)
end)

case("pans, zooms at the cursor and fits the world", function()
  open { paused = true }
  local wx, wy = v.camera:to_world(300, 200)
  v.window:push { type = "mouse_down", button = "right", x = 300, y = 200, clicks = 1 }
  v.window:push { type = "mouse_move", x = 340, y = 180, dx = 40, dy = -20 }
  push { type = "mouse_up", button = "right", x = 340, y = 180, clicks = 1 }
  local x, y = v.camera:to_world(340, 180)
  assert(math.abs(x - wx) < 1e-9 and math.abs(y - wy) < 1e-9, "the point did not go with the cursor")
  push { type = "wheel", x = 340, y = 180, dy = 2 }
  assert(v.camera.height < 12 / 1.3, v.camera.height)
  key "home"
  x, y = v.camera:to_world(v.camera.width_px / 2, v.camera.height_px / 2)
  assert(math.abs(x) < 1e-9 and math.abs(y - 3) < 1e-9, "the ball is not in the middle")
end)

-- Return the bytes of a square about the middle of the scene's picture.
local function middle(half)
  local surface = assert(v.window:screenshot())
  local width = surface:size()
  local pixels, rows = surface:pixels(), {}
  local x, y = v.camera.width_px // 2, v.camera.height_px // 2
  for row = y - half, y + half - 1 do
    local first = 4 * (row * width + x - half)
    rows[#rows + 1] = pixels:sub(first + 1, first + 8 * half)
  end
  surface:close()
  return table.concat(rows)
end

case("shows a followed body at the same pixels in pictures between steps, at any camera angle", function()
  for _, angle in ipairs { 0, 0.7 } do
    open({ speed = 1 / 8 }, (SCENE:gsub("return { world", "ball:set_velocity(7, 3) %0"):gsub("return scene", ([[
      function scene.camera(s) return { follow = s.ball, height = 6, angle = %g } end return scene]]):format(angle))))
    frames(30)
    local first, count, x = middle(60), v.run.count, v.camera.x
    for _ = 1, 12 do
      frames()
      assert(v.camera.x > x, "the camera stood still")
      x = v.camera.x
      local picture, worst = middle(60), 0
      for i = 1, #first do worst = math.max(worst, math.abs(first:byte(i) - picture:byte(i))) end
      assert(worst <= 1, worst) -- the coverage of a pixel is rounded to 1/255
    end
    assert(v.run.count <= count + 2, "12 frames made more than 2 steps")
    assert(first:find("[^" .. first:sub(1, 4):gsub("%W", "%%%0") .. "]"), "the ball is not seen")
    v:close()
  end
  v = nil
end)

case("writes a picture of itself by F12", function()
  open { paused = true }
  key "f12"
  local name = v.run.scene.name .. "-1.png"
  local file = assert(io.open(name, "rb"))
  local width, height = window.decode_png(file:read "a")
  file:close()
  os.remove(name)
  equal(v.camera.width_px, width)
  equal(v.camera.height_px + v:line_height() * v.camera.scale, height)
end)

case("ends when it is closed", function()
  open()
  v.window:push { type = "close" }
  equal(false, v:frame())
  assert(v:close())
end)

local wanted, required = ...
if required then return cases end
for _, each in ipairs(cases) do
  if each.name == wanted then
    each.run()
    if v then v:close() end
    shared.clean()
    os.exit(0, true)
  end
end
error("no case " .. wanted)
