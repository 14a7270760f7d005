-- The optional parts of impel: what `make VIEWER=no`, SANDBOX=no or LEARNING=no left out of this build.

local system = require "impel.system"

local parts = {}

local ABOUT = { VIEWER = "the viewer", SANDBOX = "the sandbox", LEARNING = "learning" }

-- The part that a public module is of.
local PART_OF = { env = "LEARNING", evolve = "LEARNING", network = "LEARNING" }

--- Why a part cannot be used; nil where it can.
---@param name string  "VIEWER", "SANDBOX", "LEARNING"
---@return string|nil  "built without the viewer (make VIEWER=yes)"
function parts.missing(name)
  if not system.left_out:find(name, 1, true) then return nil end
  return ("built without %s (make %s=yes)"):format(ABOUT[name], name)
end

--- The same of a public module of impel, "env".
---@param module string
---@return string|nil
function parts.missing_module(module)
  return PART_OF[module] and parts.missing(PART_OF[module])
end

return parts
