-- Common part of panels.

local panel = {}

--- Return the module of a panel and the class of its objects. Panel:begin(ui, ...) begins the panel in the rectangle
--- that ui:place returned, and closes the panel after a click on its cross. If a panel needs fields besides `viewer`,
--- the caller replaces module.new.
function panel.class(name, title)
  local module, Panel = { name = name, title = title }, {}
  Panel.__index = Panel

  function Panel:begin(ui, ...)
    if ui:begin_panel(name, title, ...) then self.viewer:toggle(name) end
  end

  function module.new(viewer) return setmetatable({ viewer = viewer }, Panel) end

  return module, Panel
end

return panel
