-- Widgets of the viewer's user interface. Each widget is drawn below the previous widget and returns the user's action.

local edit = require "impel.viewer.ui.edit"
local theme = require "impel.viewer.ui.theme"

local widgets = {}

local LINE, ROW, PAD = theme.LINE, theme.ROW, theme.PAD

local UNIT = 52      -- width of the units beside values
local KNOB = 6       -- radius of a knob
local COARSE = 10    -- number of steps of a slider per Page Up


-- Text ---------------------------------------------------------------------------------------------------------------

--- Draw text in as many lines as it needs.
---@param color integer|nil
function widgets:label(text, color)
  for _, line in ipairs(self:wrap(text, self.panel.width)) do
    local x, y, _, visible = self:line(LINE)
    if visible then self:text(x, y + LINE / 2, line, color) end
  end
end

--- Draw the title of a group of widgets.
function widgets:heading(text)
  local x, y, width, visible = self:line(ROW)
  if not visible then return end
  self:text(x, y + ROW / 2, text, theme.accent)
  local from = x + self:text_width(text) + PAD
  if from < x + width then self:polyline({ from, y + ROW / 2, x + width, y + ROW / 2 }, theme.border) end
end

--- Draw a title that folds and unfolds a section.
---@return boolean open
function widgets:fold(id, text, open_at_first)
  local state = self:state(id)
  if state.open == nil then state.open = open_at_first or false end
  local x, y, width, visible = self:line(ROW)
  local hover, _, clicked = self:touch(id, x, y, width, ROW)
  local focused = self:focusable(id, "button", y, ROW)
  if clicked or focused and self:activated() then state.open = not state.open end
  if visible then
    local cx, cy = x + 4, y + ROW / 2
    local mark = state.open and { cx - 4, cy - 2, cx, cy + 3, cx + 4, cy - 2 } or { cx - 2, cy - 4, cx + 3, cy, cx - 2,
      cy + 4 }
    self:polyline(mark, focused and theme.focus or theme.accent)
    self:text(x + 16, cy, self:fit(text, width - 16), hover and theme.text or theme.accent)
  end
  return state.open
end

-- Draw a name, its value at the right, and a column for the unit.
local function draw_row(self, x, y, width, name, value, unit, colors)
  local space = unit and UNIT or 0
  local value_width = math.min(self:text_width(value), width - space - 24)
  local middle = y + LINE / 2
  self:text(x, middle, self:fit(name, width - space - value_width - PAD), colors.name or theme.dim)
  self:text(x + width - space, middle, self:fit(value, value_width + 1), colors.value or theme.text, 1)
  if unit then self:text(x + width - space + 6, middle, self:fit(unit, space - 6), theme.faint) end
end

--- Draw a name and a value.
---@param unit string|nil  "" reserves space for a unit
---@param color integer|nil  of the value
function widgets:row(name, value, unit, color)
  local x, y, width, visible = self:line(LINE)
  if not visible then return end
  value = type(value) == "number" and theme.number(value) or tostring(value)
  draw_row(self, x, y, width, name, value, unit, { value = color })
end

--- Draw a clickable row with a name and a value.
---@return boolean clicked
function widgets:link(id, name, value, unit)
  local x, y, width, visible = self:line(LINE)
  local hover, _, clicked = self:touch(id, x, y, width, LINE)
  local focused = self:focusable(id, "button", y, LINE)
  if visible then
    if hover or focused then self:box(x - 4, y, width + 8, LINE, hover and theme.hover or theme.track, 3) end
    draw_row(self, x, y, width, name, value, unit, { value = theme.accent })
  end
  return clicked or focused and self:activated()
end


-- Keys ---------------------------------------------------------------------------------------------------------------

--- Return whether Return or Space was pressed, for the widget with the focus.
function widgets:activated()
  for i, event in ipairs(self.keys) do
    if event.key == "return" or event.key == "space" or event.key == "keypad_enter" then
      table.remove(self.keys, i)
      return true
    end
  end
  return false
end

local function is_return(event)
  return event.key == "return" or event.key == "keypad_enter" or event.key == "enter"
end

-- Draw text with a cursor, scrolled so that the cursor is visible.
local function draw_edited(self, line, x, y, width, height, focused)
  self:box(x, y, width, height, theme.field, 3)
  self:frame(x, y, width, height, focused and theme.focus or theme.border, 3)
  local before = self:text_width(line.text:sub(1, line.cursor))
  local shift = math.max(0, before - (width - 2 * PAD))
  self:enter(x + 2, y, width - 4, height)
  self:text(x + 6 - shift, y + height / 2, line.text)
  if focused then
    local cx = x + 6.5 - shift + before
    self:polyline({ cx, y + 4, cx, y + height - 4 }, theme.focus)
  end
  self:leave()
end

-- Put the cursor at the clicked position.
local function click_cursor(self, line, x)
  local shift = math.max(0, self:text_width(line.text:sub(1, line.cursor)) - (self.panel.width - 2 * PAD))
  line.cursor = self:room(line.text, math.max(0, self.mouse.x - x - 6 + shift) + 4)
end

--- Draw a line to type in. After the Return key, clear the line and return the text that it had; otherwise return nil.
---@param line table  of edit.lua, stored by the panel
---@param on_tab fun(line: table)|nil  called on the Tab key
function widgets:input(id, line, on_tab)
  local x, y, width = self:line(ROW + 4)
  local _, held = self:touch(id, x, y, width, ROW)
  local focused = self:focusable(id, "text", y, ROW, on_tab ~= nil)
  if held and not focused then
    self:take_focus(id, "text", on_tab ~= nil)
    focused = true
  end
  if held then click_cursor(self, line, x) end
  local submitted
  local rest = {}
  for _, event in ipairs(focused and self.keys or {}) do
    if submitted then
      rest[#rest + 1] = event -- keys after Return are handled in the next frame
    elseif is_return(event) then
      submitted = line:submit()
    elseif event.key == "tab" and on_tab then
      on_tab(line)
    else
      line:take(event, self.paste)
    end
  end
  if focused then
    self.keys = {}
    self.queue = table.move(self.queue, 1, #self.queue, #rest + 1, rest)
  end
  draw_edited(self, line, x, y, width, ROW, focused)
  return submitted
end

-- Draw the open editor of a value, if any. First result: the editor (edit.new), nil if none is open. Second result: the
-- text if the Return key has just entered it.
local function edited_value(self, id, x, y, width, height)
  local state = self:state(id)
  if not state.line then return nil end
  if not self:focusable(id, "text", y, height) then
    state.line = nil
    return nil
  end
  for _, event in ipairs(self.keys) do
    if state.line and is_return(event) then
      local text = state.line.text
      state.line = nil
      self.focus, self.keys = nil, {}
      return nil, text
    end
    state.line:take(event, self.paste)
  end
  self.keys = {}
  draw_edited(self, state.line, x, y, width, height, true)
  return state.line
end

local function edit_value(self, id, text)
  self:state(id).line = edit.new(text)
  self:take_focus(id, "text")
end

--- Draw a name and an editable value. Return the entered text, or nil.
---@param text string       the value as displayed
---@param exact string|nil  the value as edited, default `text`
function widgets:field(id, name, text, exact, unit)
  local x, y, width, visible = self:line(LINE)
  local space = unit and UNIT or 0
  local from = x + width * 0.45
  local line, entered = edited_value(self, id, from, y, x + width - space - from + 4, LINE)
  if line or not visible then return entered end
  local hover, _, clicked = self:touch(id, from, y, x + width - from, LINE)
  local focused = self:focusable(id, "button", y, LINE)
  if clicked or focused and self:activated() then edit_value(self, id, exact or text) end
  if hover or focused then self:box(from, y, x + width - from, LINE, theme.hover, 3) end
  if focused then self:frame(from, y, x + width - from, LINE, theme.focus, 3) end
  draw_row(self, x, y, width, name, text, unit, {})
  return entered
end


-- Buttons ------------------------------------------------------------------------------------------------------------

--- Draw a button.
---@return boolean pressed
function widgets:button(id, text)
  local x, y, width, visible = self:line(ROW + 4)
  local hover, held, clicked = self:touch(id, x, y, width, ROW)
  local focused = self:focusable(id, "button", y, ROW)
  if visible then
    self:box(x, y, width, ROW, held and theme.held or hover and theme.hover or theme.button, 4)
    if focused then self:frame(x, y, width, ROW, theme.focus, 4) end
    local shown = self:fit(text, width - PAD)
    self:text(x + width / 2, y + ROW / 2, shown, theme.text, 0.5)
  end
  return clicked or focused and self:activated()
end

--- Draw a switch, with optional text at the right. Return whether it is on, and whether it has changed.
function widgets:toggle(id, label, on, right)
  local x, y, width, visible = self:line(ROW)
  local hover, _, clicked = self:touch(id, x, y, width, ROW)
  local focused = self:focusable(id, "button", y, ROW)
  local changed = clicked or focused and self:activated()
  if changed then on = not on end
  if visible then
    local middle = y + ROW / 2
    self:box(x, middle - 6, 22, 12, on and theme.accent or hover and theme.hover or theme.track, 6)
    self:box(on and x + 12 or x + 2, middle - 4, 8, 8, on and 0x0B1016FF or theme.dim, 4)
    if focused then self:frame(x - 2, middle - 8, 26, 16, theme.focus, 8) end
    local space = right and self:text_width(right) + PAD or 0
    self:text(x + 30, middle, self:fit(label, width - 30 - space), (hover or on) and theme.text or theme.dim)
    if right then self:text(x + width, middle, right, theme.faint, 1) end
  end
  return on, changed
end


-- Sliders ------------------------------------------------------------------------------------------------------------

-- Round a value to a multiple of `step` above `min`, and limit it to [min, max].
local function snap(value, min, max, step)
  if step then value = min + math.floor((value - min) / step + 0.5) * step end
  return math.max(min, math.min(max, value))
end

-- Return a value changed by the pressed keys.
local function key_value(self, value, min, max, step)
  local by = step or (max - min) / 100
  local moves = { left = -by, right = by, pagedown = -COARSE * by, pageup = COARSE * by }
  for _, event in ipairs(self.keys) do
    if moves[event.key] then value = snap(value + moves[event.key], min, max, step) end
    if event.key == "home" then value = min elseif event.key == "end" then value = max end
  end
  self.keys = {}
  return value
end

local function draw_track(self, x, y, width, share, origin, hover, focused)
  local middle = y + 8
  self:box(x, middle - 2, width, 4, theme.track, 2)
  local from, to = math.min(origin, share), math.max(origin, share)
  self:box(x + from * width, middle - 2, (to - from) * width, 4, theme.accent, 2)
  local knob = focused and theme.focus or hover and theme.text or theme.knob
  self:disk(x + KNOB + share * (width - 2 * KNOB), middle, KNOB, knob)
end

--- Draw a slider. Return the value, and whether it has changed. A typed value may be out of range.
---@param step number|nil  the value is min plus a multiple of it
---@param show fun(value: number): string|nil  format of the value, default theme.number
function widgets:slider(id, label, value, min, max, step, show)
  local before, x, y, width, visible = value, self:line(ROW + LINE)
  local box_x = x + width * 0.5
  local line, entered = edited_value(self, id .. ".text", box_x, y + 1, width * 0.5, LINE)
  if entered and tonumber(entered) then value = tonumber(entered) end
  if not line then
    local _, _, clicked = self:touch(id .. ".text", box_x, y, width * 0.5, LINE)
    if clicked then edit_value(self, id .. ".text", ("%.14g"):format(value)) end
  end
  local hover, held = self:touch(id, x - 4, y + LINE, width + 8, LINE)
  local focused = self:focusable(id, "value", y, ROW + LINE)
  if held then
    local share = (self.mouse.x - x - KNOB) / (width - 2 * KNOB)
    value = snap(min + math.max(0, math.min(1, share)) * (max - min), min, max, step)
  elseif focused and not line then
    value = key_value(self, value, min, max, step)
  end
  if not visible then return value, value ~= before end
  local share = max > min and math.max(0, math.min(1, (value - min) / (max - min))) or 0
  local origin = min < 0 and max > 0 and -min / (max - min) or 0
  local text = (show or theme.number)(value)
  self:text(x, y + LINE / 2, self:fit(label, line and width * 0.5 or width - self:text_width(text) - PAD), theme.text)
  if not line then self:text(x + width, y + LINE / 2, text, theme.text, 1) end
  draw_track(self, x, y + LINE, width, share, origin, hover or held, focused)
  return value, value ~= before
end


-- Lists --------------------------------------------------------------------------------------------------------------

--- Draw a list to choose from. It scrolls if it has more than `most` entries, default 8. Return the index of the
--- clicked entry, or nil.
function widgets:list(id, items, selected, most)
  local shown = math.min(#items, most or 8)
  local x, y, width = self:line(shown * LINE + 4)
  local state = self:state(id)
  if selected and selected ~= state.selected then -- scroll to a newly selected entry
    local top = state.top or 0
    if selected <= top or selected > top + shown then state.top = selected - 1 - shown // 2 end
  end
  state.selected = selected
  state.top = math.max(0, math.min(state.top or 0, #items - shown))
  local height, mouse, clicked = shown * LINE, self.mouse, nil
  local hover, _, activated = self:touch(id, x, y, width, height)
  if hover and self.wheel ~= 0 and #items > shown then
    state.top = math.max(0, math.min(#items - shown, state.top - math.floor(3 * self.wheel + 0.5)))
    self.wheel = 0
  end
  local focused = self:focusable(id, "value", y, height)
  self:box(x, y, width, height, theme.field, 3)
  if focused then self:frame(x, y, width, height, theme.focus, 3) end
  self:enter(x, y, width, height)
  for i = 1, shown do
    local index, top = i + state.top, y + (i - 1) * LINE
    local over = hover and mouse.y >= top and mouse.y < top + LINE
    if index == selected or over then
      self:box(x + 1, top, width - 2, LINE, index == selected and theme.held or theme.hover, 3)
    end
    self:text(x + 6, top + LINE / 2, self:fit(items[index], width - 14))
    if over and activated then clicked = index end
  end
  self:leave()
  if #items > shown then
    local length = math.max(8, height * shown / #items)
    self:box(x + width - 4, y + (height - length) * state.top / (#items - shown), 3, length, theme.faint, 1.5)
  end
  return clicked
end

--- Draw a bar for a share of a whole, with a name and a value. share: 0 .. 1.
function widgets:bar(name, share, value, unit, color)
  local x, y, width, visible = self:line(ROW)
  if not visible then return end
  draw_row(self, x, y, width, name, value, unit, { name = theme.text })
  self:box(x, y + LINE, width, 3, theme.track, 1.5)
  self:box(x, y + LINE, width * math.max(0, math.min(1, share)), 3, color, 1.5)
end

return widgets
