-- The window of `impel view --sandbox`, whose scene runs in a child process (apart_stage.lua).
--
--   local v, failure = viewer_apart.new(host, { window = require "impel.window", read = read, sandbox = "auto" })
--   while v:frame() do end
--   v:close()
--
-- All data from the child are checked, because its script may be hostile.

local actions = require "impel.viewer.actions"
local apart = require "impel.viewer.apart_child"
local cameras = require "impel.camera"
local drawings = require "impel.drawing"
local errors = require "impel.viewer.panels.error"
local films = require "impel.viewer.film"
local frames = require "impel.picture.frame"
local keys = require "impel.reference.keys"
local merged = require "impel.base.merged"
local paces = require "impel.viewer.clock"
local palette = require "impel.picture.palette"
local params = require "impel.scene.params"
local params_panel = require "impel.viewer.panels.params"
local reloads = require "impel.viewer.reload"
local status = require "impel.viewer.status"
local theme = require "impel.viewer.ui.theme"
local user_interface = require "impel.viewer.ui"

local viewer = {}
local Viewer = {}
Viewer.__index = Viewer
Viewer.title_suffix = ", sandbox"

for name, method in pairs(apart) do Viewer[name] = method end
for _, name in ipairs { "say", "show_title", "quit", "screenshot", "write_picture", "record", "rest", "resize",
  "change_speed", "view_size", "open_window", "paint" } do
  Viewer[name] = actions[name]
end

local SILENT = 1                -- [s] the window reports that the child does not answer after this time
local REACH = 6                 -- [screen points] distance from the cursor within which a body is picked
local MOST_LAYERS = 200         -- largest total area of the items of a picture, as a multiple of the window's area
local NOTCH = 1.15              -- zoom factor per notch of the wheel
local BAR, INK, DIM, BRIGHT, TEXT = theme.title, theme.text, theme.dim, theme.focus, theme.TEXT


-- Actions of keys ----------------------------------------------------------------------------------------------------

function Viewer:pause()
  self.paused = not self.paused
  self.pace:reset()
end

function Viewer:single(count)
  self.paused = true
  self.asked = self.asked + count
end

-- If the scene controls the camera, fit the camera to the drawing; otherwise let the scene control the camera again.
function Viewer:fit()
  self.moved = not self.moved
  if not self.moved then return end
  local x1, y1, x2, y2 = self.drawing:bounds()
  if x1 then self.camera:fit(x1, y1, x2, y2) end
end

function Viewer:toggle(name)
  if name == "params" then
    self.shows_params = not self.shows_params
  elseif name == "error" then
    self.failure_read = true
  else
    self:say(("no panel '%s' in a sandbox"):format(name))
  end
end

function Viewer:toggle_overlay(name)
  self.overlays[name] = not self.overlays[name] or nil
  self:say(("%s %s"):format(name, self.overlays[name] and "shown" or "hidden"))
end

function Viewer:dismiss()
  if self.failure and not self.failure_read then
    self.failure_read = true
  else
    self.shows_params = false
  end
end

function Viewer:restart() self:begin() end

-- Actions that a run in a child does not support, and the text for each in the message.
for name, what in pairs {
  change_arrows = "arrow length", back = "stepping back", follow = "following a body", neighbour = "other scenes",
  save_slot = "saved states", load_slot = "saved states", toggle_panels = "hiding the panels",
  toggle_dark = "a dark canvas", change_ui_scale = "panel scale", fullscreen = "full screen",
} do
  Viewer[name] = function(self) self:say(what .. ": not available in a sandbox") end
end

--- Change a parameter. If the running scene reads the parameter, the change acts at once; otherwise by a new setup.
function Viewer:set(name, value)
  local taken, message = params.value(self.run.scene.params, name, value, self.run.scene.name)
  if taken == nil then return self:say(message) end
  self.set_values[name], self.run.values[name] = taken, taken
  self.was_set = true
  self:tell("set", name, tostring(taken))
end


-- Events -------------------------------------------------------------------------------------------------------------

local function world_point(self, event)
  local camera = self.camera
  return camera:to_world(event.x * camera.scale, event.y * camera.scale)
end

local handlers = merged(actions.handlers)

function handlers.focus(self, event)
  if not event.gained then self:tell "unfocus" end
end

function handlers.key(self, event)
  local entry = event.down and keys.find(event)
  local is_windows = entry and entry.action and not (self.taken(event.key) and not event.ctrl and not entry.alt)
  if event.down then self.is_typing = not is_windows end
  if is_windows then
    entry.action(self)
  elseif event.key and not event.ctrl and not event.alt then
    self:tell("key", event.key, event.down and "1" or "0")
  end
end

function handlers.mouse_down(self, event)
  if event.button ~= "left" then
    self.panning = event.button
    return
  end
  local x, y = world_point(self, event)
  self.cursor = { x, y }
  self:tell("press", ("%a"):format(x), ("%a"):format(y), ("%a"):format(REACH * self.camera.scale / self.camera.ppm))
end

function handlers.mouse_up(self, event)
  if event.button == "left" then self:tell "release" elseif self.panning == event.button then self.panning = nil end
end

function handlers.mouse_move(self, event)
  local camera = self.camera
  if self.panning then
    self.moved = true
    camera:pan(event.dx * camera.scale, event.dy * camera.scale)
  end
  self.cursor = { world_point(self, event) }
end

function handlers.wheel(self, event)
  local camera = self.camera
  self.moved = true
  camera:zoom(NOTCH ^ event.dy, event.x * camera.scale, event.y * camera.scale)
end

-- Events that the window sends to the scene, and also uses to pan, zoom and pull bodies.
local FOR_SCENE = { mouse_down = true, mouse_up = true, mouse_move = true, wheel = true, text = true }

local function feed(self, event)
  if event.type == "text" then
    if self.is_typing ~= false then self:tell("text", event.text) end -- skip text of a key that the window handled
    return
  end
  if event.type == "mouse_move" then
    self.mouse_moved = event -- only the last mouse position of a frame is sent
    return
  end
  local function bits(x) return ("%a"):format(x or 0) end
  self:tell("mouse", event.type, event.button or "", bits(event.x), bits(event.y), bits(event.dx), bits(event.dy))
end

local function take(self, event)
  local lets_go = event.type == "mouse_up"
  if lets_go then feed(self, event) end
  if self.ui:event(event) then return end
  if FOR_SCENE[event.type] and not lets_go then feed(self, event) end
  local handler = handlers[event.type]
  if handler then handler(self, event) end
end


-- The picture --------------------------------------------------------------------------------------------------------

--- Return the height of the status line [points].
function Viewer.line_height() return status.HEIGHT end

--- Return how long the child has not answered [s]; nil for at most SILENT seconds.
---@return number|nil seconds
function Viewer:silent()
  local since = self.waiting_since and self.clock() - self.waiting_since or 0
  return since > SILENT and since or nil
end

-- Return the parts of the status line, each with its colour.
local function parts_of(self)
  local seen, silent = self.seen, self:silent()
  local state = self.failure and "failed" or self.paused and "paused"
    or ("speed %g, real-time factor %.2f"):format(self.speed, self.factor)
  if silent then state = ("the script does not answer (%.0f s)"):format(silent) end
  return {
    { self.film and films.text(self) or self.run.scene.definition.title, self.film and theme.bad or INK },
    { ("%.3f s"):format(seen.time), INK },
    { state, (silent or self.failure or self.paused) and BRIGHT or INK },
    { ("%d bodies, %d joints, %d contacts"):format(seen.bodies, seen.joints, seen.contacts), DIM },
    { "sandbox", DIM },
  }
end

local function draw_line(self, drawing, width, height)
  local top, x = height - status.HEIGHT, 10
  drawing:fill("panel", BAR, 0, { 0, top, width, top, width, height, 0, height })
  for _, part in ipairs(parts_of(self)) do
    drawing:text("panel", part[2], TEXT, 0, x, height - status.HEIGHT / 2, part[1])
    x = x + self.text_size(part[1], TEXT) + 18
  end
end

-- Draw a box in the middle of the window while the child does not answer.
local function draw_silence(self, ui)
  local x, y, width, height = ui:place("silent", "center", math.min(380, ui.width - 32))
  ui:begin_panel("silent", "The script does not answer", x, y, width, height, true)
  ui:label(("No answer for %.0f s. The script is ended after %g s."):format(self:silent(), self.child.quotas.time))
  ui:space(6)
  ui:columns(2)
  if ui:button("silent.restart", "End it and restart") then self:restart() end
  if ui:button("silent.close", "Close the window") then self:quit() end
  ui:end_columns()
  ui:finish_panel()
end

local function draw_panels(self, width, height)
  local drawing, ui = self.panel_drawing, self.ui
  drawing:clear()
  draw_line(self, drawing, width, height)
  ui:begin(drawing, width, height)
  ui:reserve("bottom", status.HEIGHT)
  if self.shows_params then self.params_panel:draw(ui) end
  if self.failure and not self.failure_read then self.error_panel:draw(ui) end
  if self:silent() then draw_silence(self, ui) end
  ui:finish()
  status.draw_messages(self, drawing, width, height)
end

-- Return whether the picture can be painted fast enough.
function Viewer:is_paintable()
  local camera = self.camera
  local x1, y1, x2, y2 = camera:bounds()
  local few = self.drawing:layers(x1, y1, x2, y2, camera.width_px / camera.scale, camera.height_px / camera.scale)
    <= MOST_LAYERS
  if self.few and not few then self:say "the scene draws too many items to be displayed" end
  self.few = few
  return few
end

--- Run one frame, without waiting for the child. Return false when the window is to be closed.
function Viewer:frame()
  local start = self.clock()
  local elapsed = self.last and start - self.last or 0
  self.last = start
  for _, event in ipairs(self.window:poll()) do take(self, event) end
  if self.leaving then return false end
  if self.mouse_moved then
    self:tell("mouse", "mouse_move", "", ("%a"):format(self.mouse_moved.x), ("%a"):format(self.mouse_moved.y), "0", "0")
    self.mouse_moved = nil
  end
  self:listen()
  self:ask(elapsed)
  local width, height, scale = self.window:size()
  if self.shown then
    draw_panels(self, width, height)
    self:paint(cameras.panel(width, height, scale), self:is_paintable())
  end
  self.count = self.count + 1
  if not self.leaving then self:rest(start) end
  return not self.leaving
end


-- Beginning and end --------------------------------------------------------------------------------------------------

--- Open the window on a scene in a sandbox; or return nil and a failure.
---@param host table     host of the command line
---@param options table  file; read() -> text and chunk name, or nil, message; window: impel.window; sandbox, quota,
---  set, seed, dt, solver, threads, paused, speed, size, software, hidden; say(text): the script's output; clock(),
---  sleep(seconds)
function viewer.new(host, options)
  local system = require "impel.system"
  local set, speed = {}, options.speed or 1
  for name, value in pairs(options.set or {}) do set[name] = value end
  local self = setmetatable({
    host = host, options = options, clock = options.clock or system.clock,
    sleep = options.sleep or function(seconds) system.poll({}, seconds) end, set_values = set,
    overlays = frames.defaults(), paused = options.paused or false, speed = speed,
    pace = paces.new { speed = speed }, factor = 0, asked = 0, count = 0, messages = {},
    covered = 0, palette = palette, shown = true, few = true, shows_params = true,
    drawing = drawings.new(), panel_drawing = drawings.new(),
    text_size = options.window.text_size, ui = user_interface.new { text_size = options.window.text_size },
    cursor = { 0, 0 }, how_to_go_on = "Save a correction or press R to restart the scene.",
  }, Viewer)
  self.watch = reloads.new { clock = self.clock }
  self.params_panel, self.error_panel = params_panel.new(self), errors.new(self)
  local opened, problem = self:open_window {}
  if not opened then return nil, problem end
  local width, height, scale = self:view_size()
  self.camera = cameras.new { width_px = width, height_px = height, scale = scale }
  self:forget()
  local ok, failure = self:begin()
  if ok then return self end
  self.window:close()
  return nil, failure
end

--- Close the window and end the child. A second call does nothing. Return true, or nil and a failure if the display was
--- lost.
function Viewer:close()
  if self.closed then return true end
  self.closed = true
  films.finish(self)
  self:finish()
  self.window:close()
  if self.problem then return nil, self.problem end
  return true
end

return viewer
