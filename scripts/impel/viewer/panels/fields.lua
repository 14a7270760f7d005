-- Kinds, names and units of the results of getters.

local api = require "impel.reference.api"

local fields = {}

--- Unit of a Jacobian's angular part, for a row in metres.
fields.angular = "m/rad"

--- Split "N, N, N m" into a list.
---@param text string
---@return string[]
function fields.split(text)
  local list = {}
  for part in text:gmatch "[^,]+" do list[#list + 1] = part:match "^%s*(.-)%s*$" end
  return list
end

-- For properties of joints: the kinds of drives that have the property.
local DRIVES = { motor_speed = { "motor" }, max_force = { "motor", "servo" }, target = { "servo", "spring" } }

--- Return the names of a getter's results: "() -> fx, fy, torque".
function fields.result_names(entry)
  return fields.split(entry.signature:match "%->%s*(.*)$" or "")
end

--- Return the kind of result of a getter: "values", "iterator", "table"; nil if the method is not a getter.
function fields.gives(entry)
  local result = entry.signature:match "^%(%) %-> (.+)$" or entry.signature:match "^%(%[table%]%) %-> (.+)$"
  if not result or entry.name == "is_valid" then return nil end
  if result == "iterator" or result == "table" then return result end
  if result:find "table" or result:find "list" or result:find "{" then return "table" end
  return "values"
end

-- Return the name of a joint's own coordinate, or nil.
local function own_coordinate(joint)
  for _, entry in ipairs(api.tables().world) do
    if entry.name == joint.kind then
      for _, coordinate in ipairs(entry.coordinates or {}) do
        if coordinate.own then return coordinate.name end
      end
    end
  end
  return nil
end

-- Return the name of the coordinate whose drive has the property `name`; without such a drive, that of the joint's own
-- coordinate.
local function coordinate_of(joint, name)
  for _, kind in ipairs(DRIVES[name] or {}) do
    for coordinate in joint:coordinates() do
      if coordinate:drives()[kind] then return coordinate.name end
    end
  end
  return own_coordinate(joint)
end

-- Return whether a quantity of the object is an angle.
local function is_angular(object, class, name)
  if name == "separation" then return false end -- separation is the error of a joint's locks, usually a length
  if class == "joint" then return coordinate_of(object, name) == "angle" end
  if class == "coordinate" then return object.name == "angle" end
  if class == "row" then
    local ok, measured = pcall(function() return object.coordinate end)
    return ok and measured == "angle" or object.kind:find "roll" ~= nil
  end
  return false
end

--- Return the unit of an object's quantity `name`. If `unit` is "m or rad", choose "m" or "rad" for this object.
function fields.unit(object, class, unit, name)
  if not unit or unit == "1" then return "" end
  local linear, angular = unit:match "^(.-) or (.+)$"
  if not linear then return unit end
  return is_angular(object, class, name) and angular or linear
end

--- Return the name of a row within its owner: "motor of angle", "normal of point 1".
function fields.row_name(row)
  return (tostring(row):gsub("^(%S+) row of (%S+) (%d*).*$", function(kind, what, number)
    return what == "point" and ("%s of point %s"):format(kind, number) or ("%s of %s"):format(kind, what)
  end))
end

return fields
