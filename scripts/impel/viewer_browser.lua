-- The scenes that there are: those of the folder that was opened, and the examples. Ctrl+O shows them, [ and ] go to
-- the one before and the one after.

require "impel.core" -- brings impel.system
local system = require "impel.system"

local browser = { name = "browser", title = "Scenes", key = "ctrl+o", about = "scenes: a list to choose from" }

local WIDTH, SHOWN = 208, 24 -- [points], lines

-- The scene files in a folder, sorted.
local function files_in(folder)
  local names = {}
  for _, name in ipairs(folder and system.files(folder) or {}) do
    if name:find "^[^.].*%.lua$" and not name:find "_spec%.lua$" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

local function add(list, folder, group)
  for _, name in ipairs(files_in(folder)) do
    list[#list + 1] = { path = folder .. "/" .. name, name = name:match "^(.*)%.lua$", group = group }
  end
end

--- The scenes to choose from: of the folder, then the examples.
---@param folder string|nil
---@param examples string|nil  the folder of the examples
---@return table[]  each { path, name, group }
function browser.scenes(folder, examples)
  local list = {}
  if folder then folder = folder:gsub("(.)/+$", "%1") end
  if folder and folder ~= examples then add(list, folder, folder) end
  if examples then add(list, examples, "examples") end
  return list
end

local function plain(path)
  return (path:gsub("^%./+", ""))
end

--- Where a scene is in the list, by its path; else nil.
function browser.index(list, path)
  for i, entry in ipairs(list) do
    if plain(entry.path) == plain(path) then return i end
  end
  return nil
end

local Browser = {}
Browser.__index = Browser

function Browser:draw(ui)
  local viewer = self.viewer
  local list = viewer:scenes()
  local items = {}
  for i, entry in ipairs(list) do items[i] = entry.name end
  if ui:begin_panel("browser", browser.title, ui:place("browser", "left", WIDTH)) then viewer:toggle "browser" end
  local chosen = ui:list("scenes", items, browser.index(list, viewer.run.scene.file), SHOWN)
  ui:finish_panel()
  if chosen then viewer:open(list[chosen].path) end
end

--- Make the panel.
function browser.new(viewer)
  return setmetatable({ viewer = viewer }, Browser)
end

return browser
