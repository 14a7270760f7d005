-- Mouse and keyboard input since the last frame, for the widgets of the viewer's user interface.
--
-- A click on a text field, or the Tab key, sets the focus. A click elsewhere or Escape removes it.

local merged = require "impel.base.merged"
local theme = require "impel.viewer.ui.theme"

local input = {}

local PAD, TITLE = theme.PAD, theme.TITLE

local function inside(box, x, y)
  return x >= box[1] and x < box[3] and y >= box[2] and y < box[4]
end


-- Events -------------------------------------------------------------------------------------------------------------

-- Return the topmost panel of the last frame at a point, or nil.
local function panel_at(self, x, y)
  for i = #self.panels, 1, -1 do
    if inside(self.panels[i].box, x, y) then return self.panels[i].id end
  end
  return nil
end

local function set_of(words)
  local set = {}
  for word in words:gmatch "%S+" do set[word] = true end
  return set
end

-- Keys that a widget with the focus handles, by its kind.
local keys_of = {
  button = set_of "return space escape tab keypad_enter",
  value = set_of "left right home end pageup pagedown return escape tab backspace delete",
}
local text_control = set_of "a e u k w v left right backspace"

local function takes_key(self, event)
  local focus = self.expected
  if event.alt then return false end
  if event.key == "tab" and not event.ctrl then return #self.walk > 0 end
  if not focus or event.key:find "^f%d+$" then return false end
  if focus.kind == "text" then return not event.ctrl or text_control[event.key] ~= nil end
  return not event.ctrl and keys_of[focus.kind][event.key] ~= nil
end

--- Return whether an event is for a panel or the widget with the focus.
function input:wants(event)
  local kind = event.type
  if kind == "mouse_move" then
    return self.held ~= nil or not self.outside and panel_at(self, event.x, event.y) ~= nil
  end
  if kind == "mouse_up" then return self.held == event.button end
  if kind == "mouse_down" or kind == "wheel" then return panel_at(self, event.x, event.y) ~= nil end
  if kind == "key" then return takes_key(self, event) end
  return kind == "text" and self.expected ~= nil and self.expected.kind ~= "button"
end

-- Return the widget after or before the widget with the focus.
local function next_widget(self, focus, back)
  if focus and focus.tab then return focus end
  local list, at = self.walk, 0
  for i, each in ipairs(list) do
    if focus and each.id == focus.id then at = i end
  end
  return list[back and (at <= 1 and #list or at - 1) or at % #list + 1]
end

-- Return the text field at a point, or nil.
local function line_at(self, x, y)
  local panel = panel_at(self, x, y)
  for _, each in ipairs(self.walk) do
    if each.kind == "text" and each.panel == panel and y >= each.y and y < each.y + each.height then return each end
  end
  return nil
end

-- Return a copy of a mouse event at another scale.
local function scaled(event, factor)
  return merged(event, { x = factor * event.x, y = factor * event.y })
end

--- Queue an event for the widgets in the next frame, if it is for a panel. The caller must pass all mouse events, also
--- those for the scene, because they move the mouse and the focus. Return whether the event is for a panel.
function input:event(event)
  if self.scale ~= 1 and event.x then event = scaled(event, 1 / self.scale) end
  local taken = self:wants(event)
  local kind = event.type
  if kind == "mouse_down" then
    if taken then self.held = self.held or event.button else self.outside = event.button end
    if not taken then self.focus = nil end
    self.expected = taken and line_at(self, event.x, event.y) or nil
  elseif kind == "mouse_up" then
    if self.held == event.button then self.held = nil end
    if self.outside == event.button then self.outside = nil end
  end
  if kind == "key" and taken and event.down then
    if event.key == "escape" then self.expected = nil end
    if event.key == "tab" then self.expected = next_widget(self, self.expected, event.shift) end
  end
  if taken or kind == "mouse_move" then self.queue[#self.queue + 1] = merged(event) end
  return taken
end

local function apply(self, event)
  local kind, mouse = event.type, self.mouse
  if event.x and kind ~= "wheel" or kind == "mouse_move" then mouse.x, mouse.y = event.x, event.y end
  if kind == "mouse_down" and event.button == "left" then
    self.pressed = { x = event.x, y = event.y, clicks = event.clicks or 1, panel = panel_at(self, event.x, event.y) }
    self.active, self.focus = nil, nil
  elseif kind == "mouse_up" and event.button == "left" then
    self.released = true
  elseif kind == "wheel" then
    mouse.x, mouse.y = event.x, event.y
    self.wheel = self.wheel + (event.dy or 0)
  elseif kind == "key" and event.down and event.key == "tab" and not (self.focus and self.focus.tab) then
    self.focus, self.walked = next_widget(self, self.focus, event.shift), true
  elseif kind == "key" and event.down and event.key == "escape" then
    self.focus = nil
  elseif kind == "key" and event.down or kind == "text" then
    self.keys[#self.keys + 1] = event
  end
end

-- Return whether an event must wait for the next frame: a second press, or a press or Tab before the focused widget has
-- handled its keys.
local function waits(self, event)
  if event.type == "mouse_down" then return self.pressed or self.released or #self.keys > 0 end
  local stays = self.focus and self.focus.tab
  return event.type == "key" and event.key == "tab" and #self.keys > 0 and not stays
end

-- Apply the queued events up to the first event that must wait for the next frame.
function input:take_events()
  local queue, rest = self.queue, {}
  self.queue, self.keys, self.wheel, self.released, self.walked = rest, {}, 0, false, false
  for _, event in ipairs(queue) do
    if #rest > 0 or waits(self, event) then rest[#rest + 1] = event else apply(self, event) end
  end
  self.over = not self.outside and panel_at(self, self.mouse.x, self.mouse.y) or nil
end


-- Called by widgets --------------------------------------------------------------------------------------------------

--- Return the mouse's action on a rectangle of the current panel.
---@return boolean hover    over the rectangle, and no other widget is pressed
---@return boolean held     pressed over the rectangle, and not released
---@return boolean clicked  released over the rectangle
function input:touch(id, x, y, width, height)
  id = self.panel.id .. "/" .. id
  local box, clip, mouse, press = { x, y, x + width, y + height }, self.clips[#self.clips], self.mouse, self.pressed
  local over = self.over == self.panel.id and inside(box, mouse.x, mouse.y) and inside(clip, mouse.x, mouse.y)
  if press and press.panel == self.panel.id and inside(box, press.x, press.y) and inside(clip, press.x, press.y) then
    self.active, self.press, self.pressed = id, press, nil
  end
  local held = self.active == id
  return over and (held or not self.active), held, held and self.released and over
end

--- Include a widget in the order of the Tab key. Return whether it has the focus.
---@param kind "button"|"value"|"text"  decides which keys it handles
---@param tab boolean|nil  whether the widget handles the Tab key itself
function input:focusable(id, kind, y, height, tab)
  id = self.panel.id .. "/" .. id
  local focused = self.focus ~= nil and self.focus.id == id
  local entry = { id = id, kind = kind, tab = tab, panel = self.panel.id, y = y, height = height }
  self.new_walk[#self.new_walk + 1] = entry
  if not focused then return false end
  self.focus, self.focus_seen = entry, true
  if self.walked then self:reveal(y, height) end
  return true
end

--- Give the focus to a widget of the current panel.
function input:take_focus(id, kind, tab)
  self.focus, self.focus_seen = { id = self.panel.id .. "/" .. id, kind = kind, tab = tab }, true
end

--- Scroll the panel until a line at height y is visible.
function input:reveal(y, height)
  local panel = self.panel
  local top, bottom = panel.box[2] + TITLE, panel.box[4] - PAD
  local state = self:state "scroll"
  if y < top then state.at = state.at - (top - y) end
  if y + height > bottom then state.at = state.at + (y + height - bottom) end
end

return input
