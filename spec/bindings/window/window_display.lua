-- Cases of windows that window_display_spec.lua runs in separate processes:
--   SDL_VIDEODRIVER=dummy lua5.4 spec/bindings/window/window_display.lua "shows the pixels of a surface"

local pictures = require "support.pictures"
local drawing = require "impel.drawing"
local window = pictures.window
local house = pictures.house

local cases = {}

local function case(name, run)
  cases[#cases + 1] = { name = name, run = run }
end

local function show(value)
  if type(value) ~= "table" then return tostring(value) end
  local words = {}
  for key, field in pairs(value) do words[#words + 1] = key .. "=" .. tostring(field) end
  table.sort(words)
  return table.concat(words, " ")
end

local function equal(expected, got)
  if show(expected) ~= show(got) then error(("expected %s, got %s"):format(show(expected), show(got)), 2) end
end

local w

-- Open a window and consume the events of its creation.
local function open(options)
  options = options or {}
  options.width, options.height = options.width or 320, options.height or 160
  if options.software == nil then options.software = true end
  w = assert(window.open(options))
  for _ = 1, 5 do
    w:clear(0xff):present():wait(0.01)
    w:poll()
  end
end

-- Image "disk" for drawings: a disk of two colours whose outermost pixels are transparent.
local disk, image = {}, nil
for y = 0, 15 do
  for x = 0, 15 do
    local inside = (x - 7.5) ^ 2 + (y - 7.5) ^ 2 < 40
    disk[#disk + 1] = inside and (x < 8 and "\xe6\x9f\x00\xff" or "\x00\x72\xb2\x80") or "\0\0\0\0"
  end
end
if window then image = window.image("disk", table.concat(disk), 16, 16) end

local function picture()
  local d = drawing.new()
  assert(image:size() == 16)
  d:fill("dynamic", nil, 20, { 50.3, 60.7 })
  d:outline("dynamic", nil, 20, { 50.3, 60.7 })
  d:fill("static", nil, 0, { 100, 20, 200, 30, 180, 120.5 })
  d:outline("static", nil, 0, { 100, 20, 200, 30, 180, 120.5 })
  d:polyline("spring", nil, { 10, 10, 300, 90.5, 40, 150 })
  d:arrow("force", nil, 220, 120, 300, 40, 1)
  d:dot("contact", nil, 250, 30)
  d:clip(200, 100, 300, 150)
  d:fill("sensor", nil, 60, { 250, 150 })
  d:clip()
  d:text("name", nil, 0, 0, 20, 100, "a window")
  d:polygon("kinematic", 0x8fd0b8a0, { 100, 100, 160, 100, 160, 150, 130, 115.5, 100, 150 })
  d:image("scene", nil, "disk", 40, 130, 50, 40, 0.4, 0.5, 0.5, 0, 0, 16, 16, false)
  d:image("scene", 0xff8080c0, "disk", 80, 130, 12, 12, 0, 0.5, 0.5, 16, 0, 0, 16, true)
  return d
end

case("shows the pixels of a surface", function()
  window.use_font "bitmap"
  open()
  local s = window.surface(320, 160)
  s:clear(house.background):paint(picture(), pictures.camera(320, 160), house)
  w:clear(house.background):paint(picture(), pictures.camera(320, 160), house)
  equal(true, w:screenshot():pixels() == s:pixels())
  w:present()
  equal(true, w:screenshot():pixels() == s:pixels())
end)

-- A graphics card draws triangles. Its pixel bytes (0 to 255) differ from exact coverage by less than 0.5 on average;
-- fewer than 1 of 1000 bytes differ by more than 32.
case("draws by triangles nearly the pixels of a surface", function()
  window.use_font "bitmap"
  open { software = false }
  if select(2, w:driver()) == "software" then return end
  local s = window.surface(320, 160)
  s:clear(house.background):paint(picture(), pictures.camera(320, 160), house)
  w:clear(house.background):paint(picture(), pictures.camera(320, 160), house)
  local a, b, sum, far = s:pixels(), w:screenshot():pixels(), 0, 0
  for i = 1, #a do
    local difference = math.abs(a:byte(i) - b:byte(i))
    sum = sum + difference
    if difference > 32 then far = far + 1 end
  end
  assert(sum / #a < 0.5, ("mean difference %g"):format(sum / #a))
  assert(far < #a / 1000, far .. " bytes differ by more than 32")
  local _, message = w:present():screenshot()
  equal("cannot take a screenshot: nothing was painted since the last call of window:present", message)
end)

local function rest(event)
  event.shift, event.ctrl, event.alt, event.super = event.shift or false, event.ctrl or false, event.alt or false,
    event.super or false
  return event
end

case("returns pushed events", function()
  open()
  local events = {
    rest { type = "key", key = "space", scancode = "space", down = true, repeated = false },
    rest { type = "key", key = "f12", scancode = "f12", down = false, repeated = false, shift = true, ctrl = true,
           alt = true, super = true },
    { type = "text", text = "\u{e4}b" },
    { type = "mouse_move", x = 7, y = 8, dx = -1, dy = 2 },
    { type = "drop", path = "/tmp/a b.lua" },
    { type = "resize", width = 0, height = 0 },
    { type = "focus", gained = false },
    { type = "minimize" },
    { type = "restore" },
    { type = "axis", axis = "right_trigger", value = 1.0, pad = 0 },
    { type = "axis", axis = "left_y", value = -1.0, pad = 3 },
    { type = "pad_button", button = "a", down = true, pad = 0 },
    { type = "close" },
  }
  for _, event in ipairs(events) do w:push(event) end
  local got = w:poll()
  equal(#events, #got)
  for i, event in ipairs(events) do equal(event, got[i]) end
  for _, key in ipairs { "left", "right", "home", "return", "a", "z", "`", "=", "-", "[", "]", "f1", "tab", "escape",
                         "backspace", "pageup", "left_shift", "keypad_enter", "0" } do
    equal(key, w:push({ type = "key", key = key, down = true }):poll()[1].key)
  end
  for _, button in ipairs { "left", "middle", "right" } do
    local event = rest { type = "mouse_down", button = button, x = 3, y = -4, clicks = 2, ctrl = true }
    equal(event, w:push(event):poll()[1])
  end
  local event = rest { type = "wheel", x = 5, y = 6, dx = 0.0, dy = -1.5, shift = true }
  equal(event, w:push(event):poll()[1])
end)

case("refuses invalid events", function()
  open()
  for _, try in ipairs {
    { nil, "argument 'event' must be a table" },
    { {}, "event.type must be a string, got nil" },
    { { type = "keys" }, "unknown type 'keys'" },
    { { type = "key", key = "any", down = true }, "unknown key 'any'" },
    { { type = "key" }, "event.key must be a string" },
    { { type = "mouse_down", button = "top" }, "unknown button 'top'" },
    { { type = "mouse_move", x = 0 / 0 }, "event.x must be a finite number" },
    { { type = "mouse_move", x = "1" }, "event.x must be a finite number" },
    { { type = "text", text = ("x"):rep(40) }, "event.text has more than 31 bytes" },
    { { type = "axis", axis = "up" }, "unknown axis 'up'" },
  } do
    local ok, message = pcall(function() w:push(try[1]) end)
    assert(not ok and message:find(try[2], 1, true), message)
    assert(message:find("window_display.lua:", 1, true), message)
  end
  equal(0, #w:poll())
end)

case("accepts any size", function()
  open()
  local camera = pictures.camera(320, 160)
  for _, size in ipairs { { 0, 0 }, { 2, 2 }, { 640, 3 }, { 3, 480 }, { 500, 400 } } do
    w:resize(size[1], size[2])
    local seen
    for _ = 1, 100 do
      w:clear(house.background):paint(picture(), camera, house):present():wait(0.01)
      for _, event in ipairs(w:poll()) do
        if event.type == "resize" then seen = event end
      end
      local width, height, scale = w:size()
      if width == math.max(size[1], 1) and height == math.max(size[2], 1) then
        equal(1.0, scale)
        break
      end
    end
    equal({ math.max(size[1], 1), math.max(size[2], 1), 1.0 }, { w:size() })
    equal({ type = "resize", width = math.max(size[1], 1), height = math.max(size[2], 1) }, seen)
    w:clear(0x102030ff)
    local width, height = w:screenshot():size()
    equal({ math.max(size[1], 1), math.max(size[2], 1) }, { width, height })
  end
end)

case("sets and returns its properties", function()
  os.setlocale "C"
  open { title = "one", hidden = true }
  equal("C", os.setlocale())
  equal(true, pcall(w.set_title, w, "two"))
  assert(w:clipboard "text \u{e9}")
  equal("text \u{e9}", w:clipboard())
  local video, renderer = w:driver()
  assert(#video > 0)
  equal("software", renderer)
  w:move(30, 40)
  equal("integer", math.type((w:position())))
  local before = os.time()
  w:wait(0.02)
  assert(os.time() - before < 10)
end)

case("cannot be opened while one is open, and may be closed twice", function()
  open()
  local ok, message = pcall(function() window.open() end)
  assert(not ok and message:find("a window is open already", 1, true))
  w:close()
  w:close()
  for _, name in ipairs { "poll", "wait", "push", "clear", "paint", "present", "screenshot", "size", "resize",
                          "position", "move", "set_title", "clipboard", "driver" } do
    local fine, why = pcall(function() w[name](w) end)
    assert(not fine and why:find("attempt to use a window that was closed", 1, true), why)
  end
  for _ = 1, 3 do
    open()
    w:close()
  end
  w = nil
  assert(window.open { software = true }) -- this window is garbage collected without a close
  collectgarbage()
  open()
  for _, options in ipairs { { widht = 3 }, { width = 0 }, { height = "x" }, { title = 3 }, 7 } do
    w:close()
    assert(not pcall(window.open, options))
  end
end)

-- Return resident memory [kB]; Linux only.
local function resident()
  local file = io.open "/proc/self/status"
  if not file then return 0 end
  local text = file:read "a"
  file:close()
  return tonumber(text:match "VmRSS:%s*(%d+)")
end

case("uses constant memory", function()
  if (os.getenv "LD_PRELOAD" or ""):find "asan" then return end -- AddressSanitizer delays the release of freed memory
  open()
  local camera = pictures.camera(320, 160)
  local function frames(count)
    for i = 1, count do
      w:push { type = "mouse_move", x = i % 300, y = 5 }
      w:poll()
      w:clear(house.background):paint(picture(), camera, house):present()
    end
  end
  frames(500)
  collectgarbage()
  local before = resident()
  frames(3000)
  collectgarbage()
  -- A leak of 400 bytes per frame would be 1200 kB.
  assert(resident() - before < 1000, ("%d kB more"):format(resident() - before))
end)

-- The last case, because it ends the display server with the command KILL.
case("survives the loss of its display", function()
  local kill = os.getenv "KILL"
  if not kill then return end
  open { software = not os.getenv "SDL_RENDER_DRIVER" }
  os.execute(kill)
  local lost = 0
  for _ = 1, 200 do
    for _, event in ipairs(w:poll()) do
      if event.type == "lost" then lost = lost + 1 end
    end
    w:clear(house.background):paint(picture(), pictures.camera(320, 160), house):present():wait(0.01)
    if lost >= 3 then break end
  end
  equal(3, lost)
  w:resize(3, 3):move(1, 1):set_title("lost")
  w:size()
  equal(nil, (w:clipboard "text"))
  w:close()
  equal("no display: the display server ended while a window was open", select(2, window.open()))
end)

local wanted, required = ...
if required then return cases end
for _, each in ipairs(cases) do
  if each.name == wanted then
    each.run()
    if w then w:close() end
    print "done"
    os.exit(0, true)
  end
end
error("no case " .. wanted)
