-- The child of `impel view --sandbox`, which runs the scene and sends pictures.
--
-- Messages from the parent, with their parts: frame(steps, camera, overlays, cursor, fraction, moved: by the user),
-- press(x, y, reach), release(), mouse(type, button, x, y, dx, dy), key(name, down), text(text), unfocus(),
-- set(name, value). Messages to the parent: param, keys, scene, image, picture, stale, failed.

local cameras = require "impel.camera"
local drawings = require "impel.drawing"
local frames = require "impel.picture.frame"
local names = require "impel.sandbox.names"
local nearest = require "impel.base.nearest"
local params = require "impel.scene.params"
local pick = require "impel.viewer.pick"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"
local system = require "impel.system"
local values = require "impel.viewer.values"

local stage = {}
local Stage = {}
Stage.__index = Stage

local BUDGET = 0.025 -- [s] time limit for the steps of a frame
local HERTZ = 5      -- frequency of the spring that pulls a body [Hz]
local WAIT = 3600    -- [s] longest wait for a message of the parent

--- Largest sizes [B]: of a name or help text, of a failure or traceback, of a picture, of the pixels of an image.
stage.LONGEST = { label = 200, failure = 16384, picture = 16 << 20, image = 16 << 20 }
local LONGEST = stage.LONGEST

-- Return a value as text: an integer in decimal, a float in hexadecimal.
local function show(value)
  if type(value) == "boolean" then return tostring(value) end
  return math.type(value) == "integer" and ("%d"):format(value) or ("%a"):format(value)
end

local function fail(self, failure)
  self.failure = failure
  self.link:send("failed", failure.kind, tostring(failure.message):sub(1, LONGEST.failure),
    (failure.traceback or ""):sub(1, LONGEST.failure))
end

local function label(text) return tostring(text):sub(1, LONGEST.label) end

-- Return the position, height and angle of a camera as four parts of a message.
local function words_of(camera)
  return show(camera.x + 0.0), show(camera.y + 0.0), show(camera.height + 0.0), show(camera.angle + 0.0)
end

-- Send the scene's parameters, keys and title, and its camera.
local function introduce(self)
  local run = self.run
  for _, name in ipairs(nearest.keys(run.scene.params)) do
    local param = run.scene.params[name]
    self.link:send("param", label(name), show(param.default), show(run.values[name]),
      param.min and show(param.min) or "", param.max and show(param.max) or "",
      param.integer and "integer" or "", label(param.help or ""))
  end
  self.link:send("keys", table.concat(run.scene.definition.keys or {}, " "))
  self.camera = self.frame:camera(cameras, self.options.width, self.options.height)
  self.link:send("scene", label(run.scene.definition.title or run.scene.name), show(run.world.dt + 0.0),
    words_of(self.camera))
end

local function step(self, count)
  local start, made = system.clock(), 0
  while made < count and not self.failure and (made == 0 or system.clock() - start < BUDGET) do
    self.live.watching = true
    self.frame:note()
    local ok, failure = self.run:step()
    self.live.watching = false
    if ok or failure.kind == "diverged" then self.frame:sample() end
    if not ok then fail(self, failure) end
    made = made + 1
  end
  return made
end

local function release(self)
  if self.joint and self.joint:is_valid() then self.joint:destroy() end
  self.joint = nil
end

local function pull(self, x, y)
  if not self.joint then return end
  if self.joint:is_valid() and not self.joint.broken then self.joint:set_target(x, y) else self.joint = nil end
end

-- Place the camera as the scene defines it. If scene.camera raised an error, do not call it again.
local function look(self)
  if self.look_failed then return end
  local ok, failure = self.frame:look(self.camera)
  if ok then return end
  self.look_failed = true
  fail(self, failure)
end

-- Return a function that sends an image as pixels.
local function send_image(self)
  return function(kind, entry, name)
    if kind ~= "image" then error(name .. ": the window of a sandbox has only the default font", 0) end
    local window = require "impel.window"
    if entry.width * entry.height * 4 > LONGEST.image then
      error(("%s: %d x %d pixels; the window of a sandbox allows %d million"):format(name, entry.width, entry.height,
        LONGEST.image >> 22), 0)
    end
    local width, height, pixels = window.decode_png(entry.bytes)
    if not width then error(("%s: %s"):format(name, height), 0) end
    self.link:send("image", entry.key, width, height, pixels)
  end
end

-- Draw the run. If scene.draw raised an error, keep the last complete picture.
local function draw(self, overlays, moved)
  local drawing, world, camera = self.next_drawing, self.run.world, self.camera
  if self.draw_failed then return end
  drawing:clear()
  if not world:is_valid() then
    self.drawing:clear()
    return
  end
  self.live.watching = true
  if not moved then look(self) end
  local ok, failure = self.frame:fill(drawing, camera, overlays)
  self.live.watching = false
  if not ok then
    self.draw_failed = true
    fail(self, failure)
    if #self.drawing > 0 then return end
  end
  self.drawing, self.next_drawing = drawing, self.drawing
  if self.joint and self.joint:is_valid() then
    local ax, ay, bx, by = self.joint:anchors()
    bx, by = self.frame:to_drawn(self.joint.body_b, bx, by)
    drawing:polyline("mark", nil, { bx, by, ax, ay })
    drawing:dot("mark", nil, bx, by)
  end
end

-- Return the draw list as bytes, empty if it is too long.
local function picture(self)
  local bytes = self.drawing:bytes()
  if #bytes <= LONGEST.picture then return bytes end
  if not self.failure then
    fail(self, { kind = "scene", message = ("the picture has %.1f MB; the window of a sandbox allows %.0f MB"):format(
      #bytes / 2 ^ 20, LONGEST.picture / 2 ^ 20) })
  end
  self.drawing:clear()
  return self.drawing:bytes()
end

local calls = {}

function calls.frame(self, count, x, y, height, width_px, height_px, scale, overlays, cursor_x, cursor_y, angle,
                     fraction, moved)
  pull(self, tonumber(cursor_x), tonumber(cursor_y))
  local world = self.run.world
  local made = world:is_valid() and step(self, math.tointeger(tonumber(count))) or 0
  if not world:is_valid() and not self.failure then
    fail(self, { kind = "scene", message = "the world was destroyed" })
  end
  local camera = self.camera
  moved = moved == "1"
  camera:resize(tonumber(width_px), tonumber(height_px), tonumber(scale))
  if moved then camera:place(tonumber(x), tonumber(y), tonumber(height), tonumber(angle)) end
  self.frame:between(self.failure and 1 or tonumber(fraction))
  local set = {}
  for word in overlays:gmatch "%a+" do set[word] = true end
  draw(self, set, moved)
  local counts = world:is_valid() and world:counts() or { bodies = 0, joints = 0, contacts = 0 }
  self.link:send("picture", picture(self), made, show((self.run.time or 0) + 0.0), counts.bodies, counts.joints,
    counts.contacts, words_of(camera))
end

function calls.press(self, x, y, reach)
  release(self)
  local view = self.run.scene.definition.view
  if view and view.pull == false then return end
  local wx, wy = tonumber(x), tonumber(y)
  local world = self.run.world
  local body = world:is_valid() and pick.body(world, wx, wy, tonumber(reach), self.frame)
  if not body or body.type ~= "dynamic" and body.type ~= "particle" then return end
  local lx, ly = body:local_point(self.frame:from_drawn(body, wx, wy))
  self.joint = world:drag(body, { local_anchor_b = { lx, ly }, target = { wx, wy }, hertz = HERTZ, damping_ratio = 1 })
end

function calls.release(self) release(self) end

function calls.mouse(self, kind, button, x, y, dx, dy)
  self.input:event { type = kind, button = button, x = tonumber(x), y = tonumber(y), dx = tonumber(dx),
    dy = tonumber(dy) }
end

function calls.text(self, text) self.input:event { type = "text", text = text } end

-- Release keys and mouse after the window lost the keyboard focus.
function calls.unfocus(self)
  release(self)
  self.input:release()
end

function calls.set(self, name, text)
  local value = params.value(self.run.scene.params, name, text, self.run.scene.name)
  if value == nil then return end
  self.live.set(name, value)
  if not self.live.read[name] then self.link:send "stale" end
end

function calls.key(self, name, down)
  self.input:event { type = "key", key = name, down = down == "1" }
end

-- Return an input state of the sandbox's copy of the scripts, because the scene's impel.input reads only such states.
local function new_input(self, definition)
  local states = names.scripts "impel.scene.input_state"
  local input = states.live {
    to_world = function(px, py) return self.camera:to_world(px * self.camera.scale, py * self.camera.scale) end,
    size = function() return self.camera.width_px / self.camera.scale, self.camera.height_px / self.camera.scale end,
  }
  states.show(input)
  local taken = {}
  for _, name in ipairs(definition.keys or {}) do taken[name] = true end
  local uses = self.options.window_keys
  states.reserved = function(name) return not (taken.all or taken[name]) and uses[name] or nil end
  return input
end

--- Return the function that the child runs. It sets the scene up and shows it until the parent ends the child.
---@param text string   source of the scene
---@param chunk string  its chunk name
---@param options table  of impel.run; width, height [px]; window_keys: actions by key
function stage.work(text, chunk, options)
  return function(link)
    local self = setmetatable({ link = link, options = options, drawing = drawings.new(),
      next_drawing = drawings.new() }, Stage)
    local scene, message, traceback = scenes.parse(text, chunk, { seed = options.seed })
    if not scene then
      fail(self, { kind = "scene", message = message, traceback = traceback })
      return 3
    end
    self.input = new_input(self, scene.definition)
    local run, failure = runner.new(scene, { set = options.set, seed = options.seed, dt = options.dt,
      solver = options.solver, threads = options.threads, clock = system.clock, input = self.input })
    if not run then
      fail(self, failure)
      return failure.kind == "usage" and 2 or 3
    end
    self.run, self.live, self.frame = run, values.follow(run.values), frames.new(run, send_image(self))
    introduce(self)
    while true do
      local parts = link:next(WAIT)
      if parts then
        link.restart_clock()
        calls[parts[1]](self, table.unpack(parts, 2))
      end
    end
  end
end

return stage
