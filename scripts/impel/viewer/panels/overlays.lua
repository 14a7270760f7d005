-- The viewer's panel of overlays: a switch for each part of the picture, with its key.

local arrow_scale = require "impel.picture.arrow_scale"
local frame = require "impel.picture.frame"
local panels = require "impel.viewer.panels.panel"

local overlays, Panel = panels.class("overlays", "Overlays")

-- Draw a slider for the lengths of arrows, in powers of two, and a switch for automatic lengths.
local function draw_arrows(ui, shown, picture)
  local arrows = picture and picture.arrows
  if not arrows or not (shown.forces or shown.rows) then return end
  ui:space(4)
  local most = math.log(arrow_scale.MOST, 2)
  local value, changed = ui:slider("arrows", "arrow length", math.log(arrows.factor, 2), -most, most, 0.25,
    function(x) return ("x %.3g"):format(2 ^ x) end)
  if changed then arrows:multiply(2 ^ value / arrows.factor) end
  local top = ui.panel.y
  arrows.automatic = ui:toggle("arrows.automatic", "automatic scale", arrows.automatic)
  if ui:touch("arrows.about", ui.panel.x, top, ui.panel.width, ui.panel.y - top) then
    ui:tooltip "automatic scale off: the scale of the arrows stays the same, also after a restart"
  end
end

function Panel:draw(ui)
  local shown = self.viewer.overlays
  self:begin(ui, ui:place(overlays.name, "left", 208))
  for _, each in ipairs(frame.overlays) do
    local top = ui.panel.y
    local on, changed = ui:toggle(each.name, each.name, shown[each.name] == true, each.key)
    if changed then shown[each.name] = on or nil end
    local hover = ui:touch(each.name .. ".about", ui.panel.x, top, ui.panel.width, ui.panel.y - top)
    if hover then ui:tooltip(each.about) end
  end
  draw_arrows(ui, shown, self.viewer.frame_of_run)
  ui:finish_panel()
end

return overlays
