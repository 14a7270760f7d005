-- The viewer's panel of overlays: a switch for everything that a frame can show, with its key.

local frame = require "impel.frame"

local overlays = { name = "overlays", title = "Overlays", key = "o" }
local Panel = {}
Panel.__index = Panel

function Panel:draw(ui)
  local shown = self.viewer.overlays
  if ui:begin_panel(overlays.name, overlays.title, ui:place(overlays.name, "left", 208)) then
    self.viewer:toggle(overlays.name)
  end
  for _, each in ipairs(frame.overlays) do
    local top = ui.panel.y
    local on, changed = ui:toggle(each.name, each.name, shown[each.name] == true, each.key)
    if changed then shown[each.name] = on or nil end
    local hover = ui:touch(each.name .. ".about", ui.panel.x, top, ui.panel.width, ui.panel.y - top)
    if hover then ui:tooltip(each.about) end
  end
  ui:finish_panel()
end

function overlays.new(viewer)
  return setmetatable({ viewer = viewer }, Panel)
end

return overlays
