-- The window on a running scene.
--
--   local v, failure = viewer.new(host, { file = "pendulum", find = find, window = require "impel.window" })
--   while v:frame() do end
--   v:close()

local actions = require "impel.viewer.actions"
local cameras = require "impel.camera"
local films = require "impel.viewer.film"
local drawings = require "impel.drawing"
local frames = require "impel.picture.frame"
local input_record = require "impel.scene.input_record"
local input_state = require "impel.scene.input_state"
local keys = require "impel.reference.keys"
local merged = require "impel.base.merged"
local mice = require "impel.viewer.mouse"
local paces = require "impel.viewer.clock"
local palette = require "impel.picture.palette"
local panels = require "impel.viewer.panels"
local pick = require "impel.viewer.pick"
local reloads = require "impel.viewer.reload"
local selections = require "impel.viewer.panels.selection"
local session = require "impel.viewer.session"
local settings = require "impel.viewer.settings"
local sounds = require "impel.sound"
local status = require "impel.viewer.status"
local toolbar = require "impel.viewer.toolbar"
local user_interface = require "impel.viewer.ui"

local viewer = {}
local Viewer = {}
Viewer.__index = Viewer

for name, method in pairs(session) do Viewer[name] = method end
for name, method in pairs(actions) do Viewer[name] = method end

local BUDGET = 0.025            -- [s] time limit for the steps of a frame
-- [s] every frame is painted for this time after the last change, then only every sixth frame
local AWAKE = 0.5
local FLUSH = 1                 -- [s] interval between flushes of recorded rows to the disk

local OPEN_AT_FIRST = { params = true }
-- panels that a new window does not reopen
local FORGOTTEN = { help = true, error = true, browser = true, slots = true }


-- Changes of the run -------------------------------------------------------------------------------------------------

-- Call a method of all panels that have the method, including closed panels.
local function each_panel(self, method, ...)
  for _, name in ipairs(self.panel_names) do
    local panel = self.panels[name]
    if panel[method] then panel[method](panel, ...) end
  end
end

--- Adapt to a new run. Called by session.lua.
---@param same_scene boolean|nil  the camera stays
function Viewer:began(same_scene)
  self.mouse:reset()
  self.pace:reset()
  self:follow_again(same_scene)
  if not same_scene or not self.camera then self:look_at_scene() end
  each_panel(self, "reset")
  self:show_title()
end

--- Return the window's size in interface units, and device pixels per unit.
function Viewer:ui_size()
  local width, height, scale = self.window:size()
  return width / self.ui_scale, height / self.ui_scale, scale * self.ui_scale
end

-- Return the size of the window without its status line and the panels at the bottom [points].
local function input_size(self)
  local width, height = self.window:size()
  return width, height - self:line_height() - self.covered
end

--- Return the inputs of a new run. Keys that are down stay down: the first step receives them as changes.
function Viewer:new_input()
  return input_state.live({
    to_world = function(px, py)
      local camera = self.camera
      return camera:to_world(px * camera.scale, py * camera.scale)
    end,
    size = function() return input_size(self) end,
    rumble = function(...) return self.window.rumble and self.window:rumble(...) end,
  }, self.run and self.run.input)
end

--- Record the player's inputs from the first step of the run on. Called by session.lua.
function Viewer:begin_inputs()
  local run, path = self.run, self.options.inputs
  input_state.show(run.input)
  self.taken = keys.taken(run.scene.definition, self.options.play)
  if not path or run.count > 0 or self:is_waiting() then return end
  if self.was_recorded then self:say("the input recording starts again: " .. path, "inputs") end
  self.was_recorded = true
  local writer, message = input_record.open(path, run)
  if not writer then return self:fail { kind = "damaged", message = message } end
  run.inputs = writer
end

--- End the recording of the player's inputs. Called by session.lua.
function Viewer:end_inputs()
  local run = self.run
  if not (run and run.inputs) then return end
  local ok, message = run.inputs:close(run.world:is_valid() and run.world.hash or nil)
  run.inputs = nil
  if not ok then self.problem = { kind = "damaged", message = message } end
end

--- Return the height of toolbar and status line [points].
function Viewer:line_height()
  if self.options.play or self.hidden then return 0 end
  return (status.HEIGHT + toolbar.height((self:ui_size()))) * self.ui_scale
end

--- Update panels after a step. Called by session.lua.
function Viewer:stepped()
  self.frame_of_run:sample()
  each_panel(self, "step")
end

--- Update mouse and panels after the world went back by `steps` (negative: forward). Called by session.lua.
---@param dragged boolean|nil  whether the timeline was dragged; then no message tells the number of steps
function Viewer:went_back(steps, dragged)
  self.mouse:went_back()
  each_panel(self, "back", steps)
  local state = self.history:is_whole() and "" or "; the scene's own state does not go back: it has too many tables"
  if dragged and state == "" then return end
  if steps ~= 1 or state ~= "" then self:say(("%d steps back%s"):format(steps, state), "back") end
end


-- Events -------------------------------------------------------------------------------------------------------------

local handlers = merged(actions.handlers)

function handlers.drop(self, event)
  if self.host.kind(event.path) == "folder" then
    self.options.folder, self.list = event.path, nil
    if not self:is_open "browser" then self:toggle "browser" end
  else
    self:open(event.path)
  end
end

function handlers.focus(self, event)
  if event.gained then return end
  self.run.input:release()
  self.mouse:release()
end

function handlers.key(self, event)
  if not event.down then return end
  local entry = keys.find(event)
  local scenes_own = self.taken(event.key) and not event.ctrl and not (entry and entry.alt)
  self.is_typing = not entry or scenes_own
  if self.is_typing then return self.run.input:event(event) end
  if not event.repeated or entry.group == "Time" then entry.action(self) end
end

-- Pause a game while it is minimised.
function handlers.minimize(self)
  self.shown = false
  if self.options.play and not self.paused then
    self.paused, self.paused_by_window = true, true
  end
end

function handlers.restore(self)
  self:resize()
  if self.paused_by_window then
    self.paused, self.paused_by_window = false, false
    self.pace:reset()
  end
end

function handlers.pad_added(self, event)
  self.run.input:event(event)
  self:say((event.name or "gamepad") .. " connected")
end

function handlers.pad_removed(self, event)
  self.run.input:event(event)
  self:say "gamepad disconnected"
end

-- Events that the scene receives, even if the window uses the events too.
local FED = {
  mouse_move = true, mouse_down = true, mouse_up = true, wheel = true, text = true, axis = true, pad_button = true,
  touch_down = true, touch_up = true, touch_move = true,
}

-- Offer an event to the panels from the topmost down, then to the widgets, the scene, the mouse and the keys.
local function take(self, event)
  local lets_go = event.type == "mouse_up" or event.type == "key" and not event.down
  if lets_go or event.type == "mouse_move" then self.run.input:event(event) end
  for i = #self.open_panels, 1, -1 do
    local panel = self.panels[self.open_panels[i]]
    if panel.event and panel:event(event) then return end
  end
  if self.ui:event(event) then return end
  local is_windows = event.type == "text" and self.is_typing == false -- the key was a shortcut
  if FED[event.type] and not lets_go and event.type ~= "mouse_move" and not is_windows then
    self.run.input:event(event)
  end
  if not self.options.play and self.mouse:event(event) then return end
  local handler = handlers[event.type]
  if handler then handler(self, event) end
end


-- The picture --------------------------------------------------------------------------------------------------------

--- Let the scene drive the camera, until the user moves the picture.
function Viewer:look_at_scene()
  self.moved = false
  self.camera = self.frame_of_run:camera(cameras, self:view_size())
end

--- Hide or show panels, toolbar and status line. The error panel is drawn in both cases.
function Viewer:hide_panels(hidden)
  if self.options.play then return end
  self.hidden, self.covered = hidden or nil, 0
  self:resize()
end

--- Change the scale of the user interface.
---@param scale number
function Viewer:set_ui_scale(scale)
  self.ui_scale = scale
  self.ui:set_scale(scale)
  self:resize()
end

--- Paint the scene on a dark canvas, or on a light one.
function Viewer:set_dark(dark)
  self.palette = dark and palette.dark or palette
  self.frame_of_run.palette = self.palette
end

-- Draw the panels, which react to the user's input while they are drawn.
local function draw_panels(self, width, height)
  local drawing, line = self.panel_drawing, self:line_height() / self.ui_scale
  drawing:clear()
  if line > 0 then status.draw(self, drawing, width, height) end
  self.ui:begin(drawing, width, height)
  if line > 0 then toolbar.draw(self, self.ui, height - line) end
  self.ui:reserve("bottom", self:line_height() / self.ui_scale)
  local open = self.hidden and {} or table.move(self.open_panels, 1, #self.open_panels, 1, {})
  for _, name in ipairs(open) do self.panels[name]:draw(self.ui) end
  if self.failure and self.panels.error then self.panels.error:draw(self.ui) end
  self.ui:finish()
  local covered = self.ui:bottom_height() * self.ui_scale
  if covered ~= self.covered then -- resize the picture, because panels must not cover the scene
    self.covered = covered
    self.camera:resize(self:view_size())
  end
  local alone = self.hidden or self.options.play -- whether only the scene is painted, without panels and text
  local shown = not self.picture_due and not (alone and self.film)
  if shown then status.draw_messages(self, drawing, width, height) end
end

-- Move the camera to the followed body. If no body is followed, the scene moves the camera until the user moves the
-- picture. If scene.camera raised an error, it is not called again before a restart.
local function move_camera(self)
  local body, frame = self.following, self.frame_of_run
  if body then
    if body:is_valid() then self.camera:follow(frame:to_drawn(body, body:center())) end
  elseif self.look_failed ~= self.run and not (self.moved and frame:drives()) then
    local ok, failure = frame:look(self.camera)
    if ok then return end
    self.look_failed = self.run
    self:fail(failure)
  end
end

-- Draw the world, or keep the last complete picture while the error panel is open. If scene.draw raised an error, it is
-- not called again before a restart.
local function draw_world(self)
  local drawing, overlays = self.next_drawing, self.overlays
  if self.failure and self.draw_failed == self.run and #self.drawing > 0 then return end
  drawing:clear()
  if not self.run.world:is_valid() then
    self.drawing:clear()
    return
  end
  self.frame_of_run.legend_right = self.ui:right_edge()
  self.frame_of_run:between((self.paused or self.failure) and 1 or self.pace.fraction)
  self.live.watching = true
  move_camera(self)
  self.live.watching = false
  if not self.run.world:is_valid() then return end
  if self.draw_failed == self.run then
    overlays = setmetatable({ scene = false }, { __index = overlays })
  end
  self.live.watching = true
  local ok, failure = self.frame_of_run:fill(drawing, self.camera, overlays)
  self.live.watching = false
  if not ok then
    self.draw_failed = self.run
    self:fail(failure)
    if #self.drawing > 0 then return end
  end
  self.drawing, self.next_drawing = drawing, self.drawing
  local selected = self.selection and selections.object(self.selection, self.run.world)
  if selected then pick.mark(drawing, self.selection.kind, selected, self.frame_of_run) end
  self.mouse:draw(drawing)
end


-- Frames -------------------------------------------------------------------------------------------------------------

-- Make the steps that are due, as long as the frame has time.
local function run_steps(self, elapsed)
  local covered = not self.hidden and self:is_open "browser" -- the scene is not visible
  sounds.pause(self.paused or covered or self.failure ~= nil)
  if self.paused or covered or self.failure then
    self.factor = 0
    return
  end
  local dt = self.run.world.dt
  local due, made, start = self.pace:due(elapsed, dt), 0, self.clock()
  while made < due and not self.failure and self.run.world:is_valid() do
    if made > 0 and self.clock() - start > BUDGET then break end
    if self:step(1) == 0 then break end
    made = made + 1
  end
  self.pace:made(made, dt)
  self.factor = self.pace:factor()
end

-- Reload the scene if its files have changed; otherwise restart it if a restart is due. Return whether either was done.
local function follow_changes(self)
  if self.watch:changed() then
    self:reload()
  elseif self.restart_due then
    self:restart()
  else
    return false
  end
  return true
end

-- Return whether the frame must be painted.
local function is_awake(self, now, changed)
  local busy = #self.messages > 0 or self.film or not (self.paused or self.failure)
  if changed or busy then self.awake_until = now + AWAKE end
  return now < self.awake_until or self.count % 6 == 0
end

--- Run one frame.
---@return boolean go_on  false when the window is to be closed
function Viewer:frame()
  local start = self.clock()
  local elapsed = self.last and start - self.last or 0
  self.last = start
  self.rate = elapsed > 0 and self.rate + (1 / elapsed - self.rate) * math.min(2 * elapsed, 1) or self.rate
  local events = self.window:poll()
  self:bury()
  for _, event in ipairs(events) do
    take(self, event)
    self:bury()
  end
  if self.leaving then return false end
  local awake = is_awake(self, start, #events > 0)
  local width, height, scale = self:ui_size()
  if self.shown and awake then draw_panels(self, width, height) end
  awake = follow_changes(self) and is_awake(self, start, true) or awake
  self.mouse:update()
  run_steps(self, elapsed)
  if self.shown and awake then
    draw_world(self)
    self:paint(cameras.panel(width, height, scale), true)
  end
  if start - self.flushed > FLUSH then
    self.flushed = start
    self:flush_trace()
  end
  self.count = self.count + 1
  if not self.leaving then self:rest(start) end
  return not self.leaving
end


-- Beginning and end --------------------------------------------------------------------------------------------------

local function overlays_of(remembered)
  local set = frames.defaults()
  for _, overlay in ipairs(frames.overlays) do
    local on = remembered and remembered[overlay.name]
    if on ~= nil then set[overlay.name] = on or nil end
  end
  return set
end

local function make_panels(self, remembered)
  self.panels, self.panel_names, self.open_panels = {}, {}, {}
  for _, module in ipairs(panels.all()) do
    self.panels[module.name] = module.new(self)
    table.insert(self.panel_names, module.name)
    local wanted = remembered.panels and remembered.panels[module.name]
    if wanted == nil then wanted = OPEN_AT_FIRST[module.name] end
    if self.options.play then wanted = false end
    if wanted and not FORGOTTEN[module.name] then table.insert(self.open_panels, module.name) end
  end
end

--- Open the window on a scene; or return nil and a failure.
---@param host table     examples: folder of the example scenes; kind(path): impel.system.kind
---@param options table  file; find(name, opened) -> the scene's loader; window: impel.window; set, seed, dt, solver,
---  threads, trace, every: as for impel.run; play: no panels or shortcuts; inputs: output file of the player's inputs;
---  fullscreen, paused, speed, size = { width, height }, software, hidden; ui_scale; dark: use a dark canvas; folder:
---  folder of the scene browser; settings: path of the preferences, or false; clock() -> seconds; sleep(seconds)
function viewer.new(host, options)
  local system = require "impel.system"
  local path = options.settings
  if options.play then path = false end
  if path == nil then path = settings.path() end
  local remembered, damaged = settings.load(path or nil)
  local speed = options.speed or 1
  local self = setmetatable({
    host = host, options = options, clock = options.clock or system.clock, settings_path = path or nil,
    sleep = options.sleep or function(seconds) system.poll({}, seconds) end,
    palette = (options.dark or remembered.dark) and palette.dark or palette, slots = {},
    ui_scale = options.ui_scale or remembered.ui_scale or 1,
    overlays = overlays_of(remembered.overlays), paused = options.paused or false, speed = speed,
    factor = 0, rate = 60, covered = 0, failures = 0, count = 0, awake_until = 0, flushed = -math.huge, shown = true,
    messages = {}, counts = {},
    pace = paces.new { speed = speed }, keys = keys.all(), trace_due = options.trace,
    drawing = drawings.new(), next_drawing = drawings.new(),
    panel_drawing = drawings.new(), panels = {}, panel_names = {}, open_panels = {},
    remembered = remembered, ui_scale_kept = remembered.ui_scale, dark_kept = remembered.dark,
  }, Viewer)
  self.text_size = function(text, px)
    local width, height = options.window.text_size(text, px * self.ui_scale)
    return width / self.ui_scale, height / self.ui_scale
  end
  input_state.reserved = function(name)
    local run = self.run
    if not run or run.input ~= input_state.seen or self.taken(name) then return nil end
    return keys.use_of(name), self.options.play
  end
  self.mouse = mice.new(self)
  self.watch = reloads.new { clock = self.clock }
  self.ui = user_interface.new { text_size = self.text_size }
  self.ui:set_scale(self.ui_scale)
  local opened, failure = self:open_window(remembered)
  if not opened then return nil, failure end
  if remembered.x and remembered.y and not options.size then self.window:move(remembered.x, remembered.y) end
  sounds.listen(function(problem) self:say(problem) end)
  local ok, why = self:begin(options.file)
  if not ok then
    sounds.close()
    self.window:close()
    return nil, why
  end
  make_panels(self, remembered)
  if options.fullscreen then self.window:fullscreen(true) end
  if damaged then self:say(damaged) end
  return self
end

-- Return the preferences to save.
local function remember(self)
  local overlays, open = {}, {}
  for _, overlay in ipairs(frames.overlays) do overlays[overlay.name] = self.overlays[overlay.name] == true end
  for _, name in ipairs(self.panel_names) do
    if not FORGOTTEN[name] then open[name] = self:is_open(name) end
  end
  local values = { overlays = overlays, panels = open, ui_scale = self.ui_scale_kept, dark = self.dark_kept }
  if not self.lost then
    local width, height = self.window:size()
    local x, y = self.window:position()
    local given, before = self.options.size, self.remembered
    -- A size from the command line is not a preference.
    if given and width == given.width and height == given.height then
      width, height, x, y = before.width, before.height, before.x, before.y
    end
    values.width, values.height, values.x, values.y = width, height, x, y
  end
  return settings.save(self.settings_path, values)
end

--- Close the window, the trace and the world. A second call does nothing.
---@return boolean|nil ok  nil if the trace could not be written or the display was lost
---@return table|string|nil failure  on success: a note if the preferences could not be saved
function Viewer:close()
  if self.closed then return true end
  self.closed = true
  films.finish(self)
  local remembered, message = remember(self)
  self:end_inputs()
  input_state.show(nil)
  input_state.reserved = nil
  sounds.close()
  local written, why = self.run:close()
  self.window:close()
  local problem = not written and { kind = "damaged", message = why } or self.problem
  if problem then return nil, problem end
  return true, not remembered and message or nil
end

return viewer
