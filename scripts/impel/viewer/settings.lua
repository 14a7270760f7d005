-- Preferences of the window, in a JSON file under $XDG_STATE_HOME/impel.

require "impel.core" -- provides impel.system
local json = require "impel.base.json"
local system = require "impel.system"

local settings = {}

--- Smallest and largest scale of the user interface.
settings.SMALLEST, settings.LARGEST = 0.5, 4

-- Fields of the file, each with the test that its value must pass.
local LARGEST = 16384 -- [screen points] largest size and position

local function number_in(lower, upper)
  return function(value) return type(value) == "number" and value >= lower and value <= upper end
end

local function booleans(value)
  if type(value) ~= "table" then return false end
  for name, on in pairs(value) do
    if type(name) ~= "string" or type(on) ~= "boolean" then return false end
  end
  return true
end

local fields = {
  width = number_in(64, LARGEST), height = number_in(64, LARGEST),
  x = number_in(-LARGEST, LARGEST), y = number_in(-LARGEST, LARGEST),
  overlays = booleans, panels = booleans,
  ui_scale = number_in(settings.SMALLEST, settings.LARGEST), dark = function(value) return type(value) == "boolean" end,
}

--- Return the path of the preferences, or nil without a home directory.
---@return string|nil path
function settings.path()
  local state, home = os.getenv "XDG_STATE_HOME", os.getenv "HOME"
  if state and state:sub(1, 1) == "/" then return state .. "/impel/view.json" end
  return home and home ~= "" and home .. "/.local/state/impel/view.json" or nil
end

--- Read the preferences, without invalid fields. Return also a message if the file exists and is damaged.
function settings.load(path)
  local text = path and system.read_file(path)
  if not text then return {} end
  local found, problem = json.decode(text)
  if not json.is_object(found) then
    return {}, ("%s is damaged and ignored: %s"):format(path, problem or "it does not contain settings")
  end
  local taken, refused = {}, {}
  for name, fits in pairs(fields) do
    local value = found[name]
    if value ~= nil and fits(value) then taken[name] = value elseif value ~= nil then refused[#refused + 1] = name end
  end
  table.sort(refused)
  if #refused == 0 then return taken end
  return taken, ("%s: invalid %s ignored"):format(path, table.concat(refused, ", "))
end

--- Write the preferences.
---@param path string|nil
---@param values table
---@return boolean|nil ok
---@return string|nil message
function settings.save(path, values)
  if not path then return true end
  local kept = {}
  for name, fits in pairs(fields) do
    if values[name] ~= nil and fits(values[name]) then kept[name] = values[name] end
  end
  system.make_folders(path)
  return system.replace(path, json.encode(kept) .. "\n")
end

return settings
