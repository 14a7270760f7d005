-- The parameters of a running scene, and which of them the scene reads while it runs.

local nearest = require "impel.base.nearest"
local ordered = require "impel.pairs"

local values = {}

--- Record the names of the parameters that the scene reads while it runs. p: values of the parameters by name; p stays
--- usable as before.
---@return table live  watching: to be set while the scene's functions run; read[name]: true if they read the parameter;
---  set(name, value)
function values.follow(p)
  local held, names = {}, nearest.keys(p)
  for _, name in ipairs(names) do
    held[name] = p[name]
    rawset(p, name, nil)
  end
  local live = { watching = false, read = {} }
  function live.set(name, value) held[name] = value end

  setmetatable(p, {
    __index = function(_, name)
      local value = held[name]
      if value == nil then
        error(("unknown param '%s'%s"):format(tostring(name), nearest.hint(name, names)), 2)
      end
      if live.watching then live.read[name] = true end
      return value
    end,
    __newindex = function(_, name, value) held[name] = value end,
    __pairs = function()
      if live.watching then
        for _, name in ipairs(names) do live.read[name] = true end
      end
      return ordered.pairs(held)
    end,
  })
  return live
end

return values
