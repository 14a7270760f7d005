-- The viewer's immediate-mode user interface: frames, panels and layout. Each frame draws every open panel into a draw
-- list, and each widget handles its input since the last frame.
--
--   local ui = viewer_ui.new { text_size = window.text_size }
--   ui:event(event)                                 -- true: a panel handles it
--   ui:begin(drawing, width, height)                -- a frame
--   if ui:begin_panel("params", "Parameters", ui:place("params", "left", 208)) then viewer:toggle "params" end
--   if ui:button("reset", "Reset") then ... end     -- a widget
--   ui:finish_panel()
--   ui:finish()
--
-- Lengths are points of the screen divided by the scale of the user interface; y points down.

local docks = require "impel.viewer.ui.docks"
local ink = require "impel.viewer.ui.ink"
local input = require "impel.viewer.ui.input"
local plot = require "impel.viewer.ui.plot"
local theme = require "impel.viewer.ui.theme"
local widgets = require "impel.viewer.ui.widgets"

local viewer_ui = {}
local Ui = {}
Ui.__index = Ui

for _, part in ipairs { ink, input, widgets, plot.methods } do
  for name, method in pairs(part) do Ui[name] = method end
end

local PAD, TITLE = theme.PAD, theme.TITLE

local WHEEL = 48    -- [screen points] distance scrolled per notch of the wheel
local PATIENCE = 30 -- number of frames that the mouse must rest before a tooltip appears


-- Layout -------------------------------------------------------------------------------------------------------------

--- Return the state of a widget, a table kept between frames.
function Ui:state(id)
  local key = self.panel.id .. "/" .. id
  local state = self.memory[key]
  if not state then
    state = {}
    self.memory[key] = state
  end
  return state
end

--- Display text beside the mouse after the mouse has rested.
---@param at_once boolean|nil  display the text without waiting
---@param above number|nil     keep the text above this y
function Ui:tooltip(text, at_once, above)
  if text ~= "" and (at_once or not self.active) then
    self.tip, self.tip_at_once, self.tip_above = text, at_once, above
  end
end

--- Return the rectangle x, y, width, height of a panel in this frame. Panels on one side share the side, see docks.lua.
---@param side "left"|"right"|"bottom"|"center"
---@param height number|nil  default: that of the content in the last frame
function Ui:place(id, side, width, height)
  local known = self.memory[id .. "/scroll"]
  local wanted = height or known and known.content or 2 * TITLE
  return docks.place(self.docks, self.area, id, side, width, wanted)
end

--- Return the height that the panels at the bottom take in this frame.
---@return number  [points]
function Ui:bottom_height()
  return docks.row_height(self.docks, self.area)
end

--- Return the left edge of the right column [points]; without panels in it, the width of the window.
function Ui:right_edge()
  return self.area and self.area[3] + PAD - docks.column_width(self.docks, "right") or self.width
end

--- Keep an edge of the window free of panels in this frame.
---@param side "top"|"bottom"
function Ui:reserve(side, height)
  local area = self.area
  if side == "top" then area[2] = area[2] + height else area[4] = area[4] - height end
end

--- Place the next widgets in `count` columns with a gap between them, until end_columns().
function Ui:columns(count, gap)
  self.split = { count = count, at = 0, bottom = self.panel.y, gap = gap or PAD }
end

function Ui:end_columns()
  self.panel.y, self.split = math.max(self.panel.y, self.split.bottom), nil
end

--- Allocate space for the next widget of the panel. Return x, y, width, and whether any part of it is visible.
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

--- Insert space between widgets.
function Ui:space(height)
  self.panel.y = self.panel.y + (height or PAD)
end


-- Panels -------------------------------------------------------------------------------------------------------------

-- Handle dragging of the title, which moves a panel away from its position.
local function moved(self, id, x, y, width)
  local state = self:state "move"
  local _, held = self:touch("title", x, y, width - TITLE, TITLE)
  if not held then
    state.from = nil
    return
  end
  state.from = state.from or { self.press.x - state.dx, self.press.y - state.dy }
  state.dx, state.dy = self.mouse.x - state.from[1], self.mouse.y - state.from[2]
  self.drags = id
end

-- Return the offset by which a panel was dragged, limited so that its title stays in the window.
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

--- Scroll a panel to its top.
function Ui:rewind(id)
  local scroll = self.memory[id .. "/scroll"]
  if scroll then scroll.at = 0 end
end

--- Begin a panel, which contains the widgets up to finish_panel() and scrolls if it is too long.
---@param solid boolean|nil  opaque, for a panel over others
---@return boolean closed  the user clicked the cross
function Ui:begin_panel(id, title, x, y, width, height, solid)
  self.panel = { id = id }
  local dx, dy = offset(self, x, y, width)
  x, y = x + dx, y + dy
  self.panel.box = { x, y, x + width, y + height }
  self.new_panels[#self.new_panels + 1] = self.panel
  self.clips = { { 0, 0, self.width, self.height } }
  self:box(x - 1, y + 1, width + 2, height + 2, theme.shadow, 8)
  self:box(x, y, width, height, solid and theme.solid or theme.panel, 6)
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

--- Begin a strip: a panel without title, edge and scrolling. The Tab key reaches its widgets after those of the panels.
function Ui:begin_strip(id, x, y, width, height)
  self.panel_walk, self.new_walk = self.new_walk, {}
  self.panel = { id = id, x = x, y = y, width = width, box = { x, y, x + width, y + height } }
  self.new_panels[#self.new_panels + 1] = self.panel
  self.clips = { { 0, 0, self.width, self.height } }
  self:state("scroll").at = 0
  self:enter(x, y, width, height)
end

function Ui:finish_strip()
  self.strip_walk, self.new_walk = self.new_walk, self.panel_walk
  self:leave()
  self.drawing:clip()
  self.panel, self.clips = nil, {}
end


-- Frames -------------------------------------------------------------------------------------------------------------

--- Change the scale of the user interface [points of the screen per unit].
---@param scale number
function Ui:set_scale(scale)
  self.scale, self.widths, self.width_count = scale, {}, 0
end

--- Begin a frame. The panels are appended to `drawing`; width, height: of the window.
function Ui:begin(drawing, width, height)
  self.drawing, self.width, self.height, self.frames = drawing, width, height, self.frames + 1
  self.area = { PAD, PAD, width - PAD, height - PAD }
  self:take_events()
  self.new_panels, self.new_walk, self.strip_walk, self.focus_seen = {}, {}, {}, false
  self.tip, self.tip_at_once, self.tip_above = nil, nil, nil
  docks.begin(self.docks)
end

local function draw_tip(self)
  local lines = self:wrap(self.tip, math.min(280, self.width - 4 * PAD))
  local width = 0
  for _, line in ipairs(lines) do width = math.max(width, self:text_width(line)) end
  local height = #lines * 16 + PAD
  local x = math.max(2, math.min(self.mouse.x + 12, self.width - width - 2 * PAD - 2))
  local y = self.mouse.y + 16
  if self.tip_above then y = self.height end
  if y + height > self.height then y = math.max(2, (self.tip_above or self.mouse.y) - height - 4) end
  self:box(x, y, width + 2 * PAD, height, theme.tip, 4)
  self:frame(x, y, width + 2 * PAD, height, theme.border, 4)
  for i, line in ipairs(lines) do self:text(x + PAD, y + PAD / 2 + (i - 0.5) * 16, line) end
end

--- End the frame.
function Ui:finish()
  if self.tip ~= self.tip_before then self.tip_before, self.tip_since = self.tip, self.frames end
  if self.tip and (self.tip_at_once or self.frames - self.tip_since >= PATIENCE) then draw_tip(self) end
  local count, strip = #self.new_walk, self.strip_walk
  if count > 0 then table.move(strip, 1, #strip, count + 1, self.new_walk) end
  self.panels, self.walk = self.new_panels, self.new_walk
  if not self.focus_seen then self.focus = nil end
  if #self.queue == 0 then self.expected = self.focus end
  self.pressed = nil
  if self.released then self.active = nil end
  docks.finish(self.docks)
end

--- Make a user interface.
---@param options table  text_size(text, px) -> width, height; paste() -> the clipboard's text
function viewer_ui.new(options)
  return setmetatable({
    text_size = options.text_size, paste = options.paste, mouse = { x = -1, y = -1 }, queue = {}, keys = {}, wheel = 0,
    frames = 0, scale = 1, panels = {}, walk = {}, memory = {}, widths = {}, width_count = 0, clips = {}, docks = {},
  }, Ui)
end

return viewer_ui
