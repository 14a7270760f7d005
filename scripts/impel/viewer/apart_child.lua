-- Methods of the viewer in apart.lua that exchange messages with the child process.

local keys = require "impel.reference.keys"
local printable = require "impel.base.printable"
local sandbox = require "impel.sandbox"
local stages = require "impel.viewer.apart_stage"

local apart = {}

local MOST_PARAMS = 1000
local MOST_KEYS = 200 -- largest number of keys that a scene may handle
local LONGEST = stages.LONGEST
local LONGEST_ANSWER = math.max(LONGEST.picture, LONGEST.image) + 65536 -- [B]
local MOST_STEPS = 256
local LARGEST_VALUE = 1e300 -- largest absolute value of a parameter and its bounds
local MOST_SIDE, MOST_IMAGES, MOST_IMAGE_BYTES = 8192, 512, 256 << 20 -- of images: side [pixels], number, total [B]
local BURST = 0.008   -- [s] part of a frame that may be used to read messages of the child
local MOST_WAITING = 64 -- largest number of unread messages to the child; further messages are dropped


-- Messages from the child, checked -----------------------------------------------------------------------------------

local function finite(text)
  local x = tonumber(text)
  return x and x == x and math.abs(x) < math.huge and x or nil
end

local function whole(text)
  local x = math.tointeger(tonumber(text))
  return x and x >= 0 and x or nil
end

local function label(text) return (printable(text:sub(1, LONGEST.label)):gsub("%s+", " ")) end

-- Return a number of at most LARGEST_VALUE, so that differences of such numbers are finite; else nil.
local function sane(x) return math.type(x) and math.abs(x + 0.0) <= LARGEST_VALUE and x or nil end

-- Return a parameter's value from the child's text: true, false, an integer or a float.
local function value_of(text)
  if text == "true" or text == "false" then return text == "true" end
  return sane(text:find "^%-?%d+$" and math.tointeger(tonumber(text)) or finite(text))
end

local takers = {}

function takers.param(self, name, default, value, min, max, integer, help)
  local taken, now = value_of(default), value_of(value)
  if taken == nil or type(now) ~= type(taken) or self.param_count >= MOST_PARAMS then return end
  self.param_count = self.param_count + 1
  self.coming[label(name)] = { default = taken, min = sane(finite(min)), max = sane(finite(max)),
    integer = integer == "integer" and math.type(taken) == "integer" or nil, help = help ~= "" and label(help) or nil }
  self.coming_values[label(name)] = now
end

-- Set the window's camera to the child's camera. A value that is not finite leaves its coordinate unchanged.
local function look(self, x, y, height, angle)
  local camera = self.camera
  camera:place(finite(x) or camera.x, finite(y) or camera.y, finite(height) or camera.height,
    finite(angle) or camera.angle)
end

function takers.keys(self, text)
  local list = {}
  for name in text:gmatch "%S+" do
    if #list < MOST_KEYS and #name < LONGEST.label then list[#list + 1] = name end
  end
  self.taken = keys.taken { keys = list }
end

function takers.scene(self, title, dt, x, y, height, angle)
  self.run = { scene = { name = self.stem, params = self.coming, definition = { title = label(title) } },
    values = self.coming_values }
  self.dt = math.max(finite(dt) or 1 / 60, 1e-9)
  if not self.looked then
    self.looked = true
    look(self, x, y, height, angle)
  end
  self.ready, self.waiting_since = true, nil
  self:show_title()
end

-- Store the pixels of an image. Later pictures refer to the image by its key.
function takers.image(self, key, width, height, pixels)
  local w, h = whole(width), whole(height)
  local size = w and h and w > 0 and h > 0 and w <= MOST_SIDE and h <= MOST_SIDE and 4 * w * h
  self.image_bytes = self.image_bytes + #pixels
  if size ~= #pixels or #key > LONGEST.label or key:find("\0", 1, true) or size > LONGEST.image
    or self.image_bytes > MOST_IMAGE_BYTES or #self.images >= MOST_IMAGES then
    return self.child:kill("internal", "the sandbox sent an invalid image, or too many images")
  end
  local image, message = self.options.window.image(key, pixels, w, h)
  if not image then return self.child:kill("internal", message) end
  self.images[#self.images + 1] = image
end

function takers.picture(self, bytes, made, time, bodies, joints, contacts, ...)
  if not (self.ready and self.waiting_since) then
    return self.child:kill("internal", "the sandbox sent a picture without a request")
  end
  self.waiting_since = nil
  self.drawing:clear()
  if #bytes > LONGEST.picture then
    return self.child:kill("internal", "the sandbox sent a picture that is too large")
  end
  local ok, message = self.drawing:add(bytes)
  if not ok then return self.child:kill("internal", "the sandbox sent an invalid picture: " .. message) end
  self.seen = { time = finite(time) or 0, bodies = whole(bodies) or 0, joints = whole(joints) or 0,
    contacts = whole(contacts) or 0 }
  if not self.moved then look(self, ...) end
  self.pace:made(math.min(whole(made) or 0, MOST_STEPS), self.dt)
  self.pictures = self.pictures + 1
end

function takers.stale(self)
  self.restart_due = self.restart_due or self.was_set
  self.was_set = false
end

function takers.failed(self, kind, message, traceback)
  local known = { scene = true, diverged = true, usage = true, damaged = true }
  self:fail { kind = known[kind] and kind or "scene", message = printable(message:sub(1, LONGEST.failure)),
    traceback = traceback ~= "" and printable(traceback:sub(1, LONGEST.failure)) or nil }
end

-- Number of parts of each message, including the message's name.
local COUNT = { keys = 2, param = 8, scene = 7, image = 5, picture = 11, stale = 1, failed = 4 }

local function take(self, parts)
  if takers[parts[1]] and #parts == COUNT[parts[1]] then return takers[parts[1]](self, table.unpack(parts, 2)) end
  self.child:kill("internal", "the sandbox sent an invalid answer")
end

--- Show a failure. The picture does not change.
function apart:fail(failure)
  self.failure, self.failure_read = failure, false
end


-- Messages to the child ----------------------------------------------------------------------------------------------

--- Send a message to the child, unless the child has too many unread messages.
function apart:tell(...)
  if self.child and self.ready and self.child:waiting() < MOST_WAITING then self.child:send(...) end
end

local function words_of(overlays)
  local words = {}
  for name in pairs(overlays) do words[#words + 1] = name end
  return table.concat(words, " ")
end

--- Request the next frame, if the previous one has arrived. elapsed: time since the last frame of the window [s].
function apart:ask(elapsed)
  local running = not (self.paused or self.failure)
  local due = running and self.ready and self.pace:due(elapsed, self.dt) or 0
  self.factor = running and self.pace:factor() or 0
  self.asked = math.min(self.asked + due, MOST_STEPS)
  if not self.child or not self.ready or self.waiting_since then return end
  local camera = self.camera
  local function bits(x) return ("%a"):format(x) end
  self.waiting_since = self.clock()
  self.child:extend()
  self.child:send("frame", self.asked, bits(camera.x), bits(camera.y), bits(camera.height), bits(camera.width_px),
    bits(camera.height_px), bits(camera.scale), words_of(self.overlays), bits(self.cursor[1]), bits(self.cursor[2]),
    bits(camera.angle), bits(running and self.pace.fraction or 1), self.moved and "1" or "0")
  self.asked = 0
end


-- Start and end of the child -----------------------------------------------------------------------------------------

-- Clean up after the child ended, and report the failure.
local function bury(self)
  local outcome = self.child:finish()
  self.child, self.ready, self.waiting_since = nil, false, nil
  if outcome.failure then
    self:fail(outcome.failure)
  elseif not self.failure then
    self:fail { kind = outcome.code == 6 and "quota" or "scene", message = self.last_words or "the script has ended" }
  end
end

--- Handle the messages that the child has sent. Do not wait for further messages.
function apart:listen()
  local until_then = self.clock() + BURST
  while self.child do
    local some = self.child:listen(0)
    if self.child:is_over() or self.child.failure then bury(self) end
    if not some or self.clock() > until_then then break end
  end
  if self.restart_due or self.watch:changed() then self:begin() end
end

--- Reset the data about the scene.
function apart:forget()
  self.run = { scene = { name = "", params = {}, definition = { title = "" } }, values = {} }
  self.seen, self.dt, self.pictures = { time = 0, bodies = 0, joints = 0, contacts = 0 }, 1 / 60, 0
end

--- End the child, if there is one.
function apart:finish()
  local child = self.child
  self.child, self.ready, self.waiting_since = nil, false, nil
  if not child then return end
  child:kill("interrupted", "closed")
  child:finish()
end

--- Start a child with the present contents of the scene's file and the parameters that were set; or return nil and a
--- failure.
function apart:begin()
  self:finish()
  self.restart_due, self.was_set, self.failure, self.last_words, self.asked = false, false, nil, nil, 0
  self.coming, self.coming_values, self.param_count, self.taken = {}, {}, 0, keys.taken {}
  self.images, self.image_bytes = {}, 0
  self.pace:reset()
  local options = self.options
  local text, chunk = options.read()
  if not text then
    local failure = { kind = "usage", message = chunk }
    self:fail(failure)
    return nil, failure
  end
  self.watch:set(chunk:sub(1, 1) == "@" and { chunk:sub(2) } or {})
  self.stem = chunk:match "([^/=@]+)%.lua$" or "scene" -- name for pictures of the window
  local child, failure = sandbox.start {
    mode = options.sandbox, quotas = options.quota, name = printable(chunk:sub(2)), endless = true,
    longest = LONGEST_ANSWER, folder = chunk:sub(2):match "^(.*)/[^/]*$" or ".",
    work = stages.work(text, chunk, { set = self.set_values, seed = options.seed, dt = options.dt,
      solver = options.solver, threads = options.threads, width = self.camera.width_px,
      height = self.camera.height_px, window_keys = keys.uses() }),
    say = function(line)
      self.last_words = line:match "^impel: (quota: .*)$"
      if not self.last_words and options.say then options.say(line) end
    end,
    ready = function(child)
      if options.ready and not self.looked then options.ready(child) end
    end,
    message = function(_, parts) take(self, parts) end,
  }
  if not child then
    self:fail(failure)
    return nil, failure
  end
  self.child, self.waiting_since = child, self.clock()
  return true
end

return apart
