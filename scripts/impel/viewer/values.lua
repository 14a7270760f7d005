-- The parameters of a running scene. A change of a parameter that the scene does not read while it runs requires a new
-- setup.

local nearest = require "impel.base.nearest"
local ordered = require "impel.pairs"

local values = {}

--- Make a run's table of parameters record which parameters the scene reads.
---@return table live  watching: the scene's functions run; read[name]: they read the parameter; set(name, value)
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
