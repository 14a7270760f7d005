-- The panels of the window, the lowest first. Each is a module viewer_NAME.lua that returns { name, title, key, new }.

local panels = {}

local NAMES = { "params", "overlays", "inspector", "graphs", "profile", "slots", "console", "browser", "help", "error" }

--- The modules of all panels.
---@return table[]
function panels.all()
  local list = {}
  for _, name in ipairs(NAMES) do
    local path = package.searchpath("impel.viewer_" .. name, package.path)
    if path then list[#list + 1] = require("impel.viewer_" .. name) end
  end
  return list
end

return panels
