-- The optional parts of impel that `make VIEWER=no`, SANDBOX=no or LEARNING=no leave out of a build.

local system = require "impel.system"

local parts = {}

local ABOUT = { VIEWER = "the viewer", SANDBOX = "the sandbox", LEARNING = "learning" }

-- The optional part to which a public module belongs.
local PART_OF = { env = "LEARNING", evolve = "LEARNING", network = "LEARNING" }

--- Return why a part is not available, or nil if it is.
---@param name string  "VIEWER", "SANDBOX", "LEARNING"
---@return string|nil why  "built without the viewer (make VIEWER=yes)"
function parts.missing(name)
  if not system.left_out:find(name, 1, true) then return nil end
  return ("built without %s (make %s=yes)"):format(ABOUT[name], name)
end

--- Return why a public module, such as "env", is not available, or nil if it is.
---@param module string
---@return string|nil
function parts.missing_module(module)
  return PART_OF[module] and parts.missing(PART_OF[module])
end

return parts
