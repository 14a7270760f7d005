-- List of the window's panels, from the lowest to the topmost: modules of this folder, each { name, title, new }.

local panels = {}

local NAMES = { "params", "overlays", "inspector", "graphs", "profile", "slots", "console", "browser", "help", "error" }

--- Return the modules of all panels.
---@return table[]
function panels.all()
  local list = {}
  for _, name in ipairs(NAMES) do
    list[#list + 1] = require("impel.viewer.panels." .. name)
  end
  return list
end

return panels
