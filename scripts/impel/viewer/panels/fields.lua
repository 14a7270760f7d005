-- What the registration tables of the core say of a member, for the inspector: what a getter gives, by which names, in
-- which unit.

local api = require "impel.reference.api"

local fields = {}

--- The unit of the part of a Jacobian that belongs to the angle, for a row in metres.
fields.angular = "m/rad"

--- "N, N, N m" as a list.
---@param text string
---@return string[]
function fields.split(text)
  local list = {}
  for part in text:gmatch "[^,]+" do list[#list + 1] = part:match "^%s*(.-)%s*$" end
  return list
end

-- What kinds of drive a joint's property is of.
local DRIVES = { motor_speed = { "motor" }, max_force = { "motor", "servo" }, target = { "servo", "spring" } }

--- The names of a getter's results: "() -> fx, fy, torque".
function fields.result_names(entry)
  return fields.split(entry.signature:match "%->%s*(.*)$" or "")
end

--- What a method without arguments gives: "values", "iterator", "table"; nil for one that is no getter.
---@param entry table  of api.tables()
---@return string|nil
function fields.gives(entry)
  local result = entry.signature:match "^%(%) %-> (.+)$" or entry.signature:match "^%(%[table%]%) %-> (.+)$"
  if not result or entry.name == "is_valid" then return nil end
  if result == "iterator" or result == "table" then return result end
  if result:find "table" or result:find "list" or result:find "{" then return "table" end
  return "values"
end

-- The name of a joint's own coordinate, from the constructor's table; nil where it has none or the user made it.
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

-- The name of the coordinate that a joint's property is of: that with the drive, else its own.
local function coordinate_of(joint, name)
  for _, kind in ipairs(DRIVES[name] or {}) do
    for coordinate in joint:coordinates() do
      if coordinate:drives()[kind] then return coordinate.name end
    end
  end
  return own_coordinate(joint)
end

-- Whether what the object measures is an angle.
local function is_angular(object, class, name)
  if name == "separation" then return false end -- of what is locked, which is a length first of all
  if class == "joint" then return coordinate_of(object, name) == "angle" end
  if class == "coordinate" then return object.name == "angle" end
  if class == "row" then
    local ok, measured = pcall(function() return object.coordinate end)
    return ok and measured == "angle" or object.kind:find "roll" ~= nil
  end
  return false
end

--- The unit for this object: of "m or rad" the one that holds.
---@param object userdata
---@param class string
---@param unit string|nil  as the table has it
---@param name string|nil  of the member
---@return string
function fields.unit(object, class, unit, name)
  if not unit or unit == "1" then return "" end
  local linear, angular = unit:match "^(.-) or (.+)$"
  if not linear then return unit end
  return is_angular(object, class, name) and angular or linear
end

--- A row in the list of its owner: "motor of angle", "normal of point 1".
function fields.row_name(row)
  return (tostring(row):gsub("^(%S+) row of (%S+) (%d*).*$", function(kind, what, number)
    return what == "point" and ("%s of point %s"):format(kind, number) or ("%s of %s"):format(kind, what)
  end))
end

return fields
