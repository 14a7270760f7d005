-- The state of keys, mouse and gamepads. Events are applied at the start of a step.
--
--   local live = state.live { to_world = ..., size = ... }
--   live:event(event)                -- event of impel.window
--   local applied = live:advance()   -- at the start of a step
--
-- A key or button changes at most once in a step: a tap shorter than a step is down for one step, and further events of
-- the key wait for later steps.
--
-- Changes:
--   { "key", name, scancode, 1 | 0 | 2 | 3 }   down, up, repeated, held since before the run
--   { "button", name, 1 | 0 | 3, x, y, px, py }   of the mouse; [m], [points]
--   { "mouse", x, y, px, py }
--   { "wheel", dx, dy }, { "text", text }
--   { "axis", pad, name, value }, { "pad_button", pad, name, 1 | 0 | 3 }, { "pad", pad, name | false }
--   { "touch", finger, 1 | 0 | 2, x, y, px, py }   down, up, moved
--   { "size", width, height }                 [points]

local nearest = require "impel.base.nearest"

local state = {}
local State = {}
State.__index = State

-- largest number of waiting events of a key or button
local MOST_WAITING = 1000

-- SDL's name of a gamepad button -> impel's name, if it differs
local PAD_BUTTONS = {
  leftstick = "left_stick", rightstick = "right_stick", leftshoulder = "left_shoulder",
  rightshoulder = "right_shoulder", dpup = "up", dpdown = "down", dpleft = "left", dpright = "right",
}

-- Smaller deflections of a stick are 0.
local DEAD = 0.12

local function deflection(name, value)
  if name:find "_y$" then value = -value end
  local size = math.abs(value)
  if size <= DEAD then return 0 end
  return (value > 0 and 1 or -1) * math.min((size - DEAD) / (1 - DEAD), 1)
end

-- Clear the state: no key or button is down.
local function clear(self)
  self.keys, self.scancodes, self.buttons = {}, {}, {}
  self.pads, self.pad_order, self.touches, self.touch_order = {}, {}, {}, {}
end

local function begin_step(self)
  self.pressed, self.released, self.repeated = {}, {}, {}
  self.scan_pressed, self.scan_released = {}, {}
  self.button_pressed, self.button_released = {}, {}
  self.pad_pressed, self.pad_released = {}, {}
  self.wheel_x, self.wheel_y, self.text = 0, 0, ""
end

--- Return a state in which no key or button is down.
function state.new()
  local self = setmetatable({ x = 0, y = 0, px = 0, py = 0, width = 0, height = 0, queue = {} }, State)
  clear(self)
  begin_step(self)
  return self
end

local function remove(list, value)
  for i = #list, 1, -1 do
    if list[i] == value then table.remove(list, i) end
  end
end


-- Changes ------------------------------------------------------------------------------------------------------------

local apply = {}

function apply.key(self, name, scancode, how)
  if how == 2 then
    self.repeated[name] = true
  elseif how == 3 then
    self.keys[name], self.scancodes[scancode] = true, true
  elseif how == 1 then
    self.keys[name], self.pressed[name] = true, true
    self.scancodes[scancode], self.scan_pressed[scancode] = true, true
  else
    self.keys[name], self.released[name] = nil, true
    self.scancodes[scancode], self.scan_released[scancode] = nil, true
  end
end

function apply.button(self, name, how, x, y, px, py)
  local place = { x, y, px, py }
  if how ~= 0 then
    self.buttons[name] = true
    self.button_pressed[name] = how == 1 and place or nil
  else
    self.buttons[name], self.button_released[name] = nil, place
  end
end

function apply.mouse(self, x, y, px, py) self.x, self.y, self.px, self.py = x, y, px, py end
function apply.wheel(self, dx, dy) self.wheel_x, self.wheel_y = self.wheel_x + dx, self.wheel_y + dy end
function apply.text(self, text) self.text = self.text .. text end
function apply.size(self, width, height) self.width, self.height = width, height end

local function pad_of(self, number)
  local pad = self.pads[number]
  if not pad then
    pad = { name = "controller", axes = {}, buttons = {} }
    self.pads[number] = pad
    table.insert(self.pad_order, number)
  end
  return pad
end

function apply.axis(self, number, name, value) pad_of(self, number).axes[name] = value end

function apply.pad_button(self, number, name, how)
  pad_of(self, number).buttons[name] = how ~= 0 or nil
  if how == 3 then return end
  self[how == 1 and "pad_pressed" or "pad_released"][name] = true
end

function apply.pad(self, number, name)
  if name then
    pad_of(self, number).name = name
    return
  end
  local pad = self.pads[number]
  if not pad then return end
  for button in pairs(pad.buttons) do self.pad_released[button] = true end
  self.pads[number] = nil
  remove(self.pad_order, number)
end

function apply.touch(self, finger, how, x, y, px, py)
  if how == 0 then
    self.touches[finger] = nil
    return remove(self.touch_order, finger)
  end
  if not self.touches[finger] then table.insert(self.touch_order, finger) end
  self.touches[finger] = { id = finger, x = x, y = y, px = px, py = py }
end

--- Types of the arguments of each kind of change: "s" text, "n" number, "b" text or false.
state.CHANGES = {
  key = "ssn", button = "snnnnn", mouse = "nnnn", wheel = "nn", text = "s", size = "nn", axis = "nsn",
  pad_button = "nsn", pad = "nb", touch = "nnnnnn",
}

--- Start a step with a list of changes.
function State:apply(changes)
  begin_step(self)
  for _, change in ipairs(changes) do
    apply[change[1]](self, change[2], change[3], change[4], change[5], change[6], change[7])
  end
end


-- Events of a window -------------------------------------------------------------------------------------------------

-- Return the key or button of an event, and whether the event presses it; nil for events that may occur many times in a
-- step.
local function control_of(event)
  local kind = event.type
  if kind == "key" and not event.repeated then return "key " .. event.key, event.down end
  if kind == "mouse_down" or kind == "mouse_up" then return "mouse " .. event.button, kind == "mouse_down" end
  if kind == "pad_button" then return "pad " .. event.pad .. " " .. event.button, event.down end
  if kind == "touch_down" or kind == "touch_up" then return "touch " .. event.finger, kind == "touch_down" end
end

-- Return the point of the world [m] at a point of the window, rounded to 1 um.
local function to_world(look, px, py)
  local x, y = look.to_world(px, py)
  return math.floor(x * 1e6 + 0.5) / 1e6, math.floor(y * 1e6 + 0.5) / 1e6
end

local change_of = {}

function change_of.key(event)
  local how = event.repeated and 2 or event.held and 3 or event.down and 1 or 0
  return { "key", event.key, event.scancode or event.key, how }
end

function change_of.mouse_down(event, look)
  local x, y = to_world(look, event.x, event.y)
  local how = event.held and 3 or event.type == "mouse_down" and 1 or 0
  return { "button", event.button, how, x, y, event.x, event.y }
end
change_of.mouse_up = change_of.mouse_down

function change_of.wheel(event) return { "wheel", event.dx or 0, event.dy or 0 } end
function change_of.text(event) return { "text", event.text } end

function change_of.axis(event)
  return { "axis", event.pad or 0, event.axis, deflection(event.axis, event.value) }
end

function change_of.pad_button(event)
  local how = event.held and 3 or event.down and 1 or 0
  return { "pad_button", event.pad or 0, PAD_BUTTONS[event.button] or event.button, how }
end

function change_of.pad_added(event) return { "pad", event.pad or 0, event.name or "controller" } end
function change_of.pad_removed(event) return { "pad", event.pad or 0, false } end

function change_of.touch_down(event, look)
  local how = event.type == "touch_down" and 1 or event.type == "touch_up" and 0 or 2
  local x, y = to_world(look, event.x, event.y)
  return { "touch", event.finger, how, x, y, event.x, event.y }
end
change_of.touch_up, change_of.touch_move = change_of.touch_down, change_of.touch_down

-- Return the event that releases the key or button of an event.
local function release_of(event)
  local kind = event.type
  local up = { type = kind, down = false }
  for _, name in ipairs { "key", "scancode", "button", "finger", "pad", "x", "y" } do up[name] = event[name] end
  if kind == "mouse_down" then up.type = "mouse_up" elseif kind == "touch_down" then up.type = "touch_up" end
  return up
end

local function add(self, event, id)
  self.waiting[id or ""] = (self.waiting[id or ""] or 0) + 1
  table.insert(self.queue, event)
end

-- Forget the held buttons and tilted axes of a removed gamepad, and ignore its later events.
local function forget_pad(self, pad)
  self.gone[pad] = true
  local function is_of(event) return event.pad == pad end
  for _, id in ipairs(table.move(self.down_order, 1, #self.down_order, 1, {})) do
    if is_of(self.down[id]) then
      self.down[id] = nil
      remove(self.down_order, id)
    end
  end
  for name, event in pairs(self.tilted) do
    if is_of(event) then self.tilted[name] = nil end
  end
end

--- Queue an event of impel.window for the next step. If the event's key or button already changes in that step, the
--- event waits for a later step. Events other than input, such as "close", are ignored.
function State:event(event)
  local kind = event.type
  if kind == "mouse_move" or kind == "mouse_down" or kind == "mouse_up" then self.at_x, self.at_y = event.x, event.y end
  if not change_of[kind] then return end
  if kind == "pad_added" then self.gone[event.pad or 0] = nil end
  if kind == "pad_removed" then forget_pad(self, event.pad or 0) elseif self.gone[event.pad] then return end
  local id, goes_down = control_of(event)
  if (self.waiting[id or ""] or 0) >= MOST_WAITING and not (id and not goes_down) then return end
  if kind == "axis" then self.tilted[(event.pad or 0) .. " " .. event.axis] = event.value ~= 0 and event or nil end
  if not id then return add(self, event) end
  -- ignore repeated presses, and releases of keys that were pressed outside of the window
  if goes_down == (self.down[id] ~= nil) then return end
  if goes_down then table.insert(self.down_order, id) else remove(self.down_order, id) end
  self.down[id] = goes_down and release_of(event) or nil
  add(self, event, id)
end

-- Start with the gamepads, the held keys and buttons and the mouse position of another state.
local function take_over(self, before)
  self.gone, self.at_x, self.at_y = before.gone, before.at_x, before.at_y
  for _, number in ipairs(before.pad_order) do
    self:event { type = "pad_added", pad = number, name = before.pads[number].name }
  end
  for _, event in ipairs(before.queue) do
    if event.type == "pad_added" or event.type == "pad_removed" then self:event(event) end
  end
  for _, name in ipairs(nearest.keys(before.tilted)) do self:event(before.tilted[name]) end
  for _, id in ipairs(before.down_order) do
    local event = release_of(before.down[id])
    event.down, event.held, event.type = true, true, event.type:gsub("_up$", "_down")
    self:event(event)
  end
end

--- Return a state that receives the events of a window.
---@param look table  to_world(px, py) -> x, y [m] and size() -> width, height [points]
---@param before table|nil  state of the previous run in the same window, whose held keys and buttons stay held
function state.live(look, before)
  local self = state.new()
  self.look, self.waiting, self.down, self.down_order, self.tilted = look, {}, {}, {}, {}
  self.gone = {} -- set of the numbers of unplugged gamepads
  if before then take_over(self, before) end
  return self
end

--- Release all keys and buttons. To be called if the window loses the keyboard focus.
function State:release()
  for _, id in ipairs(self.down_order) do
    add(self, self.down[id], id)
  end
  self.down, self.down_order = {}, {}
  for _, name in ipairs(nearest.keys(self.tilted)) do
    local event = self.tilted[name]
    add(self, { type = "axis", pad = event.pad, axis = event.axis, value = 0 })
  end
  self.tilted = {}
end

--- Start a step: apply the events since the previous step.
---@return table[] changes  the changes of this step
function State:advance()
  local changes, changed, rest, look = {}, {}, {}, self.look
  self.waiting = {}
  local queue = self.queue
  self.queue = rest
  local width, height = look.size()
  if width ~= self.width or height ~= self.height then changes[1] = { "size", width, height } end
  for _, event in ipairs(queue) do
    local id = control_of(event)
    local is_late = self.gone[event.pad] and not self.pads[event.pad] and not event.type:find "^pad_[ar]"
    if id and changed[id] then
      add(self, event, id)
    elseif not is_late then -- drop waiting events of an unplugged gamepad
      if id then changed[id] = true end
      changes[#changes + 1] = change_of[event.type](event, look)
    end
  end
  if self.at_x then
    local x, y = to_world(look, self.at_x, self.at_y)
    if x ~= self.x or y ~= self.y or self.at_x ~= self.px or self.at_y ~= self.py then
      changes[#changes + 1] = { "mouse", x, y, self.at_x, self.at_y }
    end
  end
  self:apply(changes)
  return changes
end


-- The state visible to a scene ---------------------------------------------------------------------------------------

local idle = state.new()

--- The state that impel.input reads. Without a window or a recording, no key or button is down.
state.seen = idle

--- Set the state that impel.input reads; nil: the state without input. Return the previous state.
function state.show(seen)
  local before = state.seen
  state.seen = seen or idle
  return before
end

return state
