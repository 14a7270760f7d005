-- The toolbar: buttons with tooltips, and the timeline.

local keys = require "impel.reference.keys"
local theme = require "impel.viewer.ui.theme"
local timeline = require "impel.viewer.timeline"

local toolbar = {}

local BUTTON, HIGH, PAD = 28, 24, 4
local ROW = HIGH + 2 * PAD
local LINE = 20    -- [units] height of the timeline's own row
local WIDE = 520   -- [units] least width of the window for a toolbar of one row
local GAP = 12

--- Return the height of the toolbar in a window of a given width.
---@param width number
---@return number
function toolbar.height(width) return width >= WIDE and ROW or ROW + LINE end


-- Icons of the buttons, about a point ---------------------------------------------------------------------------------

local function triangle(ui, color, ...) ui.drawing:fill("panel", color, 0, { ... }) end

local function circle(x, y, r, from, to)
  local points = {}
  for i = 0, 16 do
    local angle = from + (to - from) * i / 16
    points[2 * i + 1], points[2 * i + 2] = x + r * math.cos(angle), y + r * math.sin(angle)
  end
  return points
end

local icons = {}

function icons.back(ui, x, y, color)
  ui:box(x + 4, y - 5, 2, 10, color)
  triangle(ui, color, x + 2, y - 5, x + 2, y + 5, x - 6, y)
end

function icons.play(ui, x, y, color) triangle(ui, color, x - 4, y - 6, x + 7, y, x - 4, y + 6) end

function icons.pause(ui, x, y, color)
  ui:box(x - 5, y - 6, 3.5, 12, color)
  ui:box(x + 1.5, y - 6, 3.5, 12, color)
end

function icons.step(ui, x, y, color)
  ui:box(x - 6, y - 5, 2, 10, color)
  triangle(ui, color, x - 2, y - 5, x + 6, y, x - 2, y + 5)
end

function icons.restart(ui, x, y, color)
  ui:polyline(circle(x, y, 5.5, -0.25 * math.pi, 1.45 * math.pi), color)
  triangle(ui, color, x - 1, y - 9, x + 4, y - 5.5, x - 1, y - 2)
end

function icons.follow(ui, x, y, color)
  ui:polyline(circle(x, y, 5, 0, 2 * math.pi), color)
  ui:disk(x, y, 1.5, color)
  for i = 0, 3 do
    local c, s = math.cos(i * math.pi / 2), math.sin(i * math.pi / 2)
    ui:polyline({ x + 5 * c, y + 5 * s, x + 8 * c, y + 8 * s }, color)
  end
end

function icons.overlays(ui, x, y, color)
  ui.drawing:fill("panel", color, 0, { x, y - 6, x + 7, y - 2, x, y + 2, x - 7, y - 2 })
  ui:polyline({ x - 7, y + 1, x, y + 5, x + 7, y + 1 }, color)
end

function icons.slots(ui, x, y, color)
  ui:polyline({ x - 5, y - 6, x + 5, y - 6, x + 5, y + 6, x, y + 2, x - 5, y + 6, x - 5, y - 6 }, color)
end

function icons.browser(ui, x, y, color)
  for i = 0, 3 do ui:box(x - 6 + i % 2 * 7, y - 6 + i // 2 * 7, 5, 5, color, 1) end
end

function icons.record(ui, x, y) ui:disk(x, y, 5.5, theme.recording) end

function icons.stop(ui, x, y) ui:box(x - 5, y - 5, 10, 10, theme.recording, 1) end

-- Names (of reference/keys.lua) of the buttons to the left and to the right of the timeline.
local LEFT = { "back", "pause", "step", "restart" }
local RIGHT = { "follow", "overlays", "slots", "browser", "record" }

local function icon_of(v, name)
  if name == "pause" then return (v.paused or v.failure) and "play" or "pause" end
  return name == "record" and v.film and "stop" or name
end

local function is_on(v, name)
  if name == "follow" then return v.following ~= nil end
  return name == "record" and v.film ~= nil or v:is_open(name)
end

-- Return the text of the tooltip: the action, and its key unless the scene handles the key.
local function words_of(v, name)
  local about, label
  for _, entry in ipairs(keys.all()) do
    if entry.key and (entry.name == name or entry.name == name .. "_too") then
      about = about or entry.about
      if not keys.gives_way(entry, v.taken) then label = label or entry.label end
    end
  end
  return label and ("%s (%s)"):format(about, label) or about
end

local function action_of(name)
  for _, entry in ipairs(keys.all()) do
    if entry.name == name then return entry.action end
  end
end

local function draw_button(v, ui, name, x, y, top)
  local hover, held, clicked = ui:touch(name, x, y, BUTTON, HIGH)
  local focused = ui:focusable(name, "button", y, HIGH)
  if hover then ui:tooltip(words_of(v, name), false, top) end
  local on = is_on(v, name)
  if held or hover or on then
    ui:box(x, y, BUTTON, HIGH, held and theme.held or hover and theme.hover or theme.button, 4)
  end
  if focused then ui:frame(x, y, BUTTON, HIGH, theme.focus, 4) end
  icons[icon_of(v, name)](ui, x + BUTTON / 2, y + HIGH / 2, on and theme.accent or theme.text)
  if clicked or focused and ui:activated() then action_of(name)(v) end
end

--- Draw the toolbar and perform a clicked action. top: upper edge of the toolbar [points].
function toolbar.draw(v, ui, top)
  local width = ui.width
  local height = toolbar.height(width)
  ui:begin_strip("toolbar", 0, top, width, height)
  ui:box(0, top, width, height, theme.title)
  local y, right = top + height - ROW + PAD, width - PAD - #RIGHT * BUTTON
  for i, name in ipairs(LEFT) do draw_button(v, ui, name, PAD + (i - 1) * BUTTON, y, top) end
  local left = PAD + #LEFT * BUTTON
  if height == ROW then
    timeline.draw(v, ui, left + GAP, y, right - left - 2 * GAP, HIGH)
  else
    timeline.draw(v, ui, GAP, top, width - 2 * GAP, LINE + PAD)
  end
  for i, name in ipairs(RIGHT) do draw_button(v, ui, name, right + (i - 1) * BUTTON, y, top) end
  ui:finish_strip()
end

return toolbar
