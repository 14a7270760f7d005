-- Common part of panels.

local panel = {}

--- Return the module of a panel and the class of its objects. self:begin(ui, ...) begins the panel at a position of
--- ui:place, and closes it if its cross is clicked. A panel with fields besides `viewer` replaces `new`.
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
