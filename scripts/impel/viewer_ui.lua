-- The viewer's user interface, in immediate mode: each frame every open panel is drawn anew into a draw list, and what
-- the mouse and the keyboard did since the last frame is answered by the widget that it was done to. No SDL: events
-- come as tables of impel.window, text is measured by a function that is given, what is drawn goes through
-- camera.panel.
--
--   local ui = viewer_ui.new { text_size = window.text_size }
--   ui:event(event)                                 -- true: a panel takes it
--   ui:begin(drawing, width, height)                -- a frame
--   if ui:begin_panel("params", "Parameters", ui:place("params", "left", 208)) then viewer:toggle "params" end
--   if ui:button("reset", "Reset") then ... end     -- widgets: viewer_widgets.lua, viewer_plot.lua
--   ui:finish_panel()
--   ui:finish()
--
-- Lengths are points of the screen, y down, on a grid of 8 with halves. Colours are 0xRRGGBBAA.
--
-- A click needs no focus, so that keys stay with the scene: only text takes the keyboard when it is clicked. The Tab
-- key walks through all widgets; Escape or a click elsewhere gives the keyboard back.

local docks = require "impel.viewer_docks"
local printable = require "impel.printable"

local viewer_ui = {}
local Ui = {}
Ui.__index = Ui

--- The class: modules with widgets add their methods to it.
viewer_ui.Ui = Ui

--- Colours by role. Series of plots: Okabe and Ito's (2008), told apart by all kinds of colour vision.
viewer_ui.theme = {
  panel = 0x0F131BEC, title = 0x1C2432F2, border = 0x3B475CFF, shadow = 0x00000050,
  text = 0xE8ECF2FF, dim = 0x9AA6B8FF, faint = 0x5C6980FF, track = 0x2B3547FF, field = 0x070A0FCC,
  button = 0x273247FF, hover = 0x364562FF, held = 0x45597FFF, focus = 0xF0E442FF,
  accent = 0x56B4E9FF, good = 0x21B589FF, warning = 0xE69F00FF, bad = 0xFF7F4DFF,
  series = { 0x56B4E9FF, 0xE69F00FF, 0x21B589FF, 0xCC79A7FF, 0xF0E442FF, 0xFF7F4DFF, 0x9FB4FFFF },
}

local theme = viewer_ui.theme

viewer_ui.TEXT = 12   -- height of text
viewer_ui.SMALL = 10  -- of numbers at axes
viewer_ui.ROW = 20    -- height of a line of widgets
viewer_ui.PAD = 8     -- between a panel's edge and what is in it
viewer_ui.TITLE = 24  -- height of a panel's title

local TEXT, PAD, TITLE = viewer_ui.TEXT, viewer_ui.PAD, viewer_ui.TITLE

local WHEEL = 48          -- points that a notch scrolls
local MOST_WIDTHS = 4096  -- texts whose width is remembered
local STYLE = "panel"


-- Text ---------------------------------------------------------------------------------------------------------------

--- The width of a text of that height.
---@param text string
---@param px number|nil  height (TEXT)
---@return number
function Ui:text_width(text, px)
  px = px or TEXT
  local key = px .. ":" .. text
  local width = self.widths[key]
  if width then return width end
  if self.width_count >= MOST_WIDTHS then self.widths, self.width_count = {}, 0 end
  width = self.text_size(text, px)
  self.widths[key], self.width_count = width, self.width_count + 1
  return width
end

--- How many bytes of a text, in whole characters, find room.
---@param text string
---@param width number
---@param px number|nil
---@return integer
function Ui:room(text, width, px)
  if self:text_width(text, px) <= width then return #text end
  local few, many = 0, utf8.len(text) or #text -- characters that find room, and that do not
  while many - few > 1 do
    local middle = (few + many) // 2
    if self:text_width(text:sub(1, utf8.offset(text, middle + 1) - 1), px) <= width then
      few = middle
    else
      many = middle
    end
  end
  return utf8.offset(text, few + 1) - 1
end

--- A text, shortened where it finds no room.
function Ui:fit(text, width, px)
  if self:text_width(text, px) <= width then return text end
  return text:sub(1, self:room(text, width - self:text_width("..", px), px)) .. ".."
end

--- A text as lines that find room, broken at blanks where there are some.
---@return string[]
function Ui:wrap(text, width, px)
  local lines = {}
  for line in (printable(text):gsub("\t", "    ") .. "\n"):gmatch "(.-)\n" do
    repeat
      local fits = math.max(self:room(line, width, px), line:match("^" .. utf8.charpattern):len())
      local cut = fits
      if fits < #line then cut = line:sub(1, fits + 1):match "^.*%s()" or fits + 1 end
      if fits < #line then cut = cut - 1 end
      lines[#lines + 1] = line:sub(1, cut):gsub("%s+$", "")
      line = line:sub(cut + 1)
    until line == ""
  end
  return lines
end

--- Text at a point, which is the middle of its height. What cannot be shown in a line is written as \xNN.
---@param align number|nil  where the point is along the text: 0 left, 1 right
---@param px number|nil
function Ui:text(x, y, text, color, align, px)
  if text == "" then return end
  text = printable(text):gsub("[\n\t]", " ")
  self.drawing:text(STYLE, color or theme.text, px or TEXT, align or 0, x, y, text)
end


-- Areas --------------------------------------------------------------------------------------------------------------

--- A filled rectangle, with corners of that radius.
function Ui:box(x, y, width, height, color, radius)
  local r = math.min(radius or 0, width / 2, height / 2)
  if width - 2 * r <= 0 or height - 2 * r <= 0 then r = math.max(0, math.min(width, height) / 2 - 0.01) end
  if width <= 0 or height <= 0 then return end
  self.drawing:fill(STYLE, color, r, { x + r, y + r, x + width - r, y + r, x + width - r, y + height - r, x + r,
    y + height - r })
end

--- The edge of a rectangle.
function Ui:frame(x, y, width, height, color, radius)
  local r = radius or 0
  self.drawing:outline(STYLE, color, r, { x + r, y + r, x + width - r, y + r, x + width - r, y + height - r, x + r,
    y + height - r })
end

--- A line through points { x1, y1, x2, y2, ... }.
function Ui:polyline(points, color)
  self.drawing:polyline(STYLE, color, points)
end

--- What follows shows inside the rectangle only; leave() takes it back.
function Ui:enter(x, y, width, height)
  local outer = self.clips[#self.clips]
  local box = { x, y, x + width, y + height }
  if outer then
    box = { math.max(x, outer[1]), math.max(y, outer[2]), math.min(box[3], outer[3]), math.min(box[4], outer[4]) }
  end
  box[3], box[4] = math.max(box[1], box[3]), math.max(box[2], box[4])
  self.clips[#self.clips + 1] = box
  self.drawing:clip(table.unpack(box))
end

function Ui:leave()
  self.clips[#self.clips] = nil
  local outer = self.clips[#self.clips]
  if outer then self.drawing:clip(table.unpack(outer)) else self.drawing:clip() end
end

local function inside(box, x, y)
  return x >= box[1] and x < box[3] and y >= box[2] and y < box[4]
end


-- Events -------------------------------------------------------------------------------------------------------------

-- The topmost panel of the last frame at a point, or nil.
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

-- The keys that a widget with the keyboard takes, by its kind.
local keys_of = {
  button = set_of "return space escape tab keypad_enter",
  value = set_of "left right home end pageup pagedown return escape tab backspace delete",
}
local text_control = set_of "a e u k w v left right backspace"

local function takes_key(self, event)
  local focus = self.focus
  if event.alt then return false end
  if event.key == "tab" and not event.ctrl then return #self.walk > 0 end
  if not focus or event.key:find "^f%d+$" then return false end
  if focus.kind == "text" then return not event.ctrl or text_control[event.key] ~= nil end
  return not event.ctrl and keys_of[focus.kind][event.key] ~= nil
end

--- Whether an event is for a panel: the mouse is over one or was pressed there, or a widget has the keyboard.
---@param event table  of impel.window
---@return boolean
function Ui:wants(event)
  local kind = event.type
  if kind == "mouse_move" then
    return self.held ~= nil or not self.outside and panel_at(self, event.x, event.y) ~= nil
  end
  if kind == "mouse_up" then return self.held == event.button end
  if kind == "mouse_down" or kind == "wheel" then return panel_at(self, event.x, event.y) ~= nil end
  if kind == "key" then return takes_key(self, event) end
  return kind == "text" and self.focus ~= nil and self.focus.kind ~= "button"
end

--- Hand in an event; the widgets answer it in the next frame. All events of the mouse must be handed in, also those
--- that are for the scene.
---@param event table
---@return boolean taken
function Ui:event(event)
  local taken = self:wants(event)
  local kind = event.type
  if kind == "mouse_down" then
    if taken then self.held = self.held or event.button else self.outside = event.button end
    if not taken then self.focus = nil end
  elseif kind == "mouse_up" then
    if self.held == event.button then self.held = nil end
    if self.outside == event.button then self.outside = nil end
  end
  if taken or kind == "mouse_move" then
    local copy = {}
    for name, value in pairs(event) do copy[name] = value end
    self.queue[#self.queue + 1] = copy
  end
  return taken
end

-- Move the keyboard to the next widget, or to the one before.
local function walk(self, back)
  local list, at = self.walk, 0
  for i, each in ipairs(list) do
    if self.focus and each.id == self.focus.id then at = i end
  end
  at = back and (at <= 1 and #list or at - 1) or at % #list + 1
  self.focus, self.walked = list[at], true
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
    walk(self, event.shift)
  elseif kind == "key" and event.down and event.key == "escape" then
    self.focus = nil
  elseif kind == "key" and event.down or kind == "text" then
    self.keys[#self.keys + 1] = event
  end
end

-- Take what came since the last frame. A second press waits for the next frame, so that no click is lost.
local function take_events(self)
  local queue, rest = self.queue, {}
  self.queue, self.keys, self.wheel, self.released, self.walked = rest, {}, 0, false, false
  for _, event in ipairs(queue) do
    local second = event.type == "mouse_down" and (self.pressed or self.released)
    if second or #rest > 0 then rest[#rest + 1] = event else apply(self, event) end
  end
  self.over = not self.outside and panel_at(self, self.mouse.x, self.mouse.y) or nil
end


-- What widgets ask ---------------------------------------------------------------------------------------------------

--- What the mouse does to a rectangle of the panel that is being drawn.
---@param id string
---@return boolean hover    the mouse is over it and holds nothing else
---@return boolean held     it was pressed here and is not let go
---@return boolean clicked  let go over it
function Ui:touch(id, x, y, width, height)
  id = self.panel.id .. "/" .. id
  local box, clip, mouse, press = { x, y, x + width, y + height }, self.clips[#self.clips], self.mouse, self.pressed
  local over = self.over == self.panel.id and inside(box, mouse.x, mouse.y) and inside(clip, mouse.x, mouse.y)
  if press and press.panel == self.panel.id and inside(box, press.x, press.y) and inside(clip, press.x, press.y) then
    self.active, self.clicks, self.pressed = id, press.clicks, nil
  end
  local held = self.active == id
  return over and (held or not self.active), held, held and self.released and over
end

--- Let the widget take part in the walk of the Tab key.
---@param id string
---@param kind "button"|"value"|"text"  which keys it takes
---@param tab boolean|nil  it wants the Tab key too
---@return boolean focused
function Ui:focusable(id, kind, y, height, tab)
  id = self.panel.id .. "/" .. id
  local focused = self.focus ~= nil and self.focus.id == id
  local entry = { id = id, kind = kind, tab = tab }
  self.new_walk[#self.new_walk + 1] = entry
  if not focused then return false end
  self.focus, self.focus_seen = entry, true
  if self.walked then self:reveal(y, height) end
  return true
end

--- Give the keyboard to a widget of the panel that is being drawn.
function Ui:take_focus(id, kind, tab)
  self.focus, self.focus_seen = { id = self.panel.id .. "/" .. id, kind = kind, tab = tab }, true
end

--- Scroll the panel so that a line of it shows.
function Ui:reveal(y, height)
  local panel = self.panel
  local top, bottom = panel.box[2] + TITLE, panel.box[4] - PAD
  local state = self:state "scroll"
  if y < top then state.at = state.at - (top - y) end
  if y + height > bottom then state.at = state.at + (y + height - bottom) end
end

--- What a widget remembers from frame to frame: a table of its own.
---@param id string
---@return table
function Ui:state(id)
  local key = self.panel.id .. "/" .. id
  local state = self.memory[key]
  if not state then
    state = {}
    self.memory[key] = state
  end
  return state
end

--- Text beside the mouse, above everything, in this frame.
function Ui:tooltip(text)
  if text and text ~= "" and not self.active then self.tip = text end
end


-- Layout -------------------------------------------------------------------------------------------------------------

--- Where a panel of that name is at home: in a column at the left or the right, in the row at the bottom, or in the
--- middle. Those of one place share it; see viewer_docks.lua.
---@param id string
---@param side "left"|"right"|"bottom"|"center"
---@param width number
---@param height number|nil  by default what its content was high
---@return number x
---@return number y
---@return number width
---@return number height
function Ui:place(id, side, width, height)
  local known = self.memory[id .. "/scroll"]
  local wanted = height or known and known.content or 2 * TITLE
  return docks.place(self.docks, self.area, id, side, width, wanted)
end

--- Keep an edge of the window free of panels, until the next frame.
---@param side "top"|"bottom"
---@param height number
function Ui:reserve(side, height)
  local area = self.area
  if side == "top" then area[2] = area[2] + height else area[4] = area[4] - height end
end

--- Widgets share lines, `count` to a line, until end_columns().
---@param count integer
---@param gap number|nil  between them
function Ui:columns(count, gap)
  self.split = { count = count, at = 0, bottom = self.panel.y, gap = gap or PAD }
end

function Ui:end_columns()
  self.panel.y, self.split = math.max(self.panel.y, self.split.bottom), nil
end

--- Room for the next widget of the panel.
---@param height number
---@return number x
---@return number y
---@return number width
---@return boolean visible  whether anything of it shows
function Ui:line(height)
  local panel, split = self.panel, self.split
  local x, y, width = panel.x, panel.y, panel.width
  if split then
    width = (width - split.gap * (split.count - 1)) / split.count
    x = x + split.at * (width + split.gap)
    split.at, split.bottom = (split.at + 1) % split.count, math.max(split.bottom, y + height)
    if split.at == 0 then panel.y = split.bottom end
  else
    panel.y = y + height
  end
  local clip = self.clips[#self.clips]
  return x, y, width, y + height > clip[2] and y < clip[4]
end

--- Room between widgets.
function Ui:space(height)
  self.panel.y = self.panel.y + (height or PAD)
end


-- Panels -------------------------------------------------------------------------------------------------------------

-- Dragging the title moves a panel out of its place.
local function moved(self, id, x, y, width)
  local state = self:state "move"
  local _, held = self:touch("title", x, y, width - TITLE, TITLE)
  if not held then
    state.from = nil
    return
  end
  state.from = state.from or { self.mouse.x - state.dx, self.mouse.y - state.dy }
  state.dx, state.dy = self.mouse.x - state.from[1], self.mouse.y - state.from[2]
  self.drags = id
end

-- The offset that a panel was dragged by, so that its title stays in the window.
local function offset(self, x, y, width)
  local state = self:state "move"
  state.dx, state.dy = state.dx or 0, state.dy or 0
  local dx = math.max(PAD + 32 - x - width, math.min(self.width - 32 - PAD - x, state.dx))
  return dx, math.max(-y, math.min(self.height - TITLE - y, state.dy))
end

local function draw_title(self, title, x, y, width)
  self:box(x, y, width, TITLE, theme.title, 6)
  self:box(x, y + TITLE / 2, width, TITLE / 2, theme.title)
  self:text(x + PAD, y + TITLE / 2, self:fit(title, width - TITLE - 2 * PAD), theme.text)
  local hover, _, clicked = self:touch("close", x + width - TITLE, y, TITLE, TITLE)
  local cx, cy, r = x + width - TITLE / 2, y + TITLE / 2, 3.5
  local color = hover and theme.text or theme.faint
  self:polyline({ cx - r, cy - r, cx + r, cy + r }, color)
  self:polyline({ cx - r, cy + r, cx + r, cy - r }, color)
  return clicked
end

--- Begin a panel. What follows until finish_panel() is in it, from top to bottom; it scrolls where it is too long.
---@param id string
---@param title string
---@param height number
---@return boolean closed  its cross was clicked
function Ui:begin_panel(id, title, x, y, width, height)
  self.panel = { id = id }
  local dx, dy = offset(self, x, y, width)
  x, y = x + dx, y + dy
  self.panel.box = { x, y, x + width, y + height }
  self.new_panels[#self.new_panels + 1] = self.panel
  self.clips = { { 0, 0, self.width, self.height } }
  self:box(x - 1, y + 1, width + 2, height + 2, theme.shadow, 8)
  self:box(x, y, width, height, theme.panel, 6)
  local closed = draw_title(self, title, x, y, width)
  self:frame(x, y, width, height, theme.border, 6)
  moved(self, id, x, y, width)
  local scroll = self:state "scroll"
  scroll.at = scroll.at or 0
  self.panel.x, self.panel.width = x + PAD, width - 2 * PAD
  self.panel.y = y + TITLE + PAD - scroll.at
  self:enter(x, y + TITLE, width, height - TITLE - 1)
  return closed
end

local function draw_scrollbar(self, scroll, view)
  local box = self.panel.box
  local length = math.max(16, view * view / scroll.inner)
  local from = box[2] + TITLE + (view - length) * scroll.at / (scroll.inner - view)
  self:box(box[3] - 5, from, 3, length, theme.faint, 1.5)
end

function Ui:finish_panel()
  local panel, scroll = self.panel, self:state "scroll"
  self.split = nil
  local view = panel.box[4] - panel.box[2] - TITLE
  scroll.inner = panel.y + scroll.at - (panel.box[2] + TITLE) + PAD
  scroll.content = scroll.inner + TITLE
  if self.over == panel.id and self.wheel ~= 0 then
    scroll.at = scroll.at - WHEEL * self.wheel
    self.wheel = 0
  end
  scroll.at = math.max(0, math.min(scroll.at, scroll.inner - view))
  if scroll.inner > view + 0.5 then draw_scrollbar(self, scroll, view) end
  self:leave()
  self.drawing:clip()
  self.panel, self.clips = nil, {}
end


-- Frames -------------------------------------------------------------------------------------------------------------

--- Begin a frame.
---@param drawing table  of impel.drawing: what the panels are appended to
---@param width number   of the window
---@param height number
function Ui:begin(drawing, width, height)
  self.drawing, self.width, self.height, self.frames = drawing, width, height, self.frames + 1
  self.area = { PAD, PAD, width - PAD, height - PAD }
  take_events(self)
  self.new_panels, self.new_walk, self.focus_seen, self.tip = {}, {}, false, nil
  docks.begin(self.docks)
end

local function draw_tip(self)
  local lines = self:wrap(self.tip, math.min(280, self.width - 4 * PAD))
  local width = 0
  for _, line in ipairs(lines) do width = math.max(width, self:text_width(line)) end
  local height = #lines * 16 + PAD
  local x = math.max(2, math.min(self.mouse.x + 12, self.width - width - 2 * PAD - 2))
  local y = self.mouse.y + 16
  if y + height > self.height then y = math.max(2, self.mouse.y - height - 4) end
  self:box(x, y, width + 2 * PAD, height, 0x05070BF4, 4)
  self:frame(x, y, width + 2 * PAD, height, theme.border, 4)
  for i, line in ipairs(lines) do self:text(x + PAD, y + PAD / 2 + (i - 0.5) * 16, line) end
end

--- End the frame.
function Ui:finish()
  if self.tip then draw_tip(self) end
  self.panels, self.walk = self.new_panels, self.new_walk
  if not self.focus_seen then self.focus = nil end
  self.pressed = nil
  if self.released then self.active = nil end
  docks.finish(self.docks)
end

--- Make a user interface.
---@param options table  text_size(text, px) -> width, height; paste() -> the clipboard's text, optional
---@return table
function viewer_ui.new(options)
  require "impel.viewer_widgets" -- they add themselves
  require "impel.viewer_plot"
  return setmetatable({
    text_size = options.text_size, paste = options.paste, mouse = { x = -1, y = -1 }, queue = {}, keys = {}, wheel = 0,
    frames = 0, panels = {}, walk = {}, memory = {}, widths = {}, width_count = 0, clips = {}, docks = {},
  }, Ui)
end

return viewer_ui
