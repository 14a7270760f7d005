-- The viewer's panel for a scene that failed.

local panels = require "impel.viewer.panels.panel"
local printable = require "impel.base.printable"
local theme = require "impel.viewer.ui.theme"

local failed, Panel = panels.class("error", "The scene failed")

local WIDTH, LINE = 560, 16

-- Draw the source line with its number.
local function draw_source(ui, number, source)
  local label = ("%d"):format(number)
  local margin = ui:text_width(label) + 16
  local lines = ui:wrap(source:gsub("^%s+", ""), ui.panel.width - margin - 16)
  local x, y, width = ui:line(#lines * LINE + 8)
  ui:box(x, y, width, #lines * LINE + 8, theme.field, 3)
  ui:box(x, y, 3, #lines * LINE + 8, theme.bad)
  ui:text(x + margin - 6, y + 4 + LINE / 2, label, theme.faint, 1)
  for i, line in ipairs(lines) do ui:text(x + margin + 2, y + 4 + (i - 0.5) * LINE, line) end
  ui:space(4)
end

-- Return the message without the position, which the panel displays separately.
local function message_of(failure)
  local message = failure.message or "unknown failure"
  if not failure.file then return message end
  local position = failure.line and ("%s:%d: "):format(failure.file, failure.line) or failure.file .. ": "
  if message:sub(1, #position) == position then return message:sub(#position + 1) end
  return message
end

-- Return the text on how to continue. Keys that the scene handles itself are shown with Ctrl.
local function how_to_go_on(v)
  if v.how_to_go_on then return v.how_to_go_on end
  local function label(name) return v.taken and v.taken(name) and "Ctrl+" or "" end
  return ("Save a correction or press %sR to restart; %sSpace continues."):format(label "r", label "space")
end

function Panel:draw(ui)
  local failure = self.viewer.failure
  if not failure then return end
  local x, y, width, height = ui:place(failed.name, "center", math.min(WIDTH, ui.width - 32))
  self:begin(ui, x, y, width, height, true)
  ui:label(message_of(failure), theme.bad)
  ui:space(4)
  if failure.file then
    ui:label(failure.line and ("%s, line %d"):format(failure.file, failure.line) or failure.file, theme.dim)
  end
  if failure.line and failure.source then draw_source(ui, failure.line, failure.source) end
  if failure.traceback and ui:fold("traceback", "Traceback") then
    local text = printable(failure.traceback):gsub("^.-\nstack traceback:\n", "")
    for line in text:gmatch "[^\n]+" do ui:label(line:gsub("^%s+", ""), theme.dim) end
  end
  ui:space(4)
  ui:label(how_to_go_on(self.viewer), theme.text)
  ui:finish_panel()
end

return failed
