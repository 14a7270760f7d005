-- A range of a parameter, read from a text such as "1:100:log". Positions are in 0..1.

local maths = require "impel.math"
local params = require "impel.scene.params"

local interval = {}

--- Read a range.
---@param specs table<string, table>  of params.read; must contain the name
---@param owner string  name of the scene, for messages
---@param name string
---@param text string|nil  "from:to" or "from:to:log"; nil: from min to max of the parameter
---@param what string  the purpose, for messages: "sampled", "tuned"
---@return table|nil range  name, lower, upper, logarithmic, integer
---@return string|nil message
function interval.read(specs, owner, name, text, what)
  local spec = specs[name]
  if type(spec.default) ~= "number" then return nil, ("only parameters that are numbers can be %s"):format(what) end
  local lower, upper, scale = spec.min, spec.max, ""
  if text then
    local from, to, rest = text:match("^([^:]+):([^:]+)(.*)$")
    lower, upper, scale = tonumber(from), tonumber(to), rest
    if not lower or not upper or scale ~= "" and scale ~= ":log" then
      return nil, "name=from:to or name=from:to:log expected"
    end
  end
  if not lower or not upper then return nil, ("the parameter has no min and max; give %s=from:to"):format(name) end
  for _, bound in ipairs { lower, upper } do
    local value, message = params.value(specs, name, bound, owner)
    if value == nil then return nil, message end
  end
  if lower > upper then return nil, ("%g..%g is empty"):format(lower, upper) end
  local logarithmic = scale == ":log"
  if logarithmic and lower <= 0 then return nil, "a logarithmic range must be above 0" end
  return { name = name, lower = lower, upper = upper, logarithmic = logarithmic, integer = spec.integer }
end

--- Return the value at a position 0..1 in a range; both ends are exact. On a logarithmic scale equal distances are
--- equal ratios.
function interval.at(range, share)
  local lower, upper = range.lower, range.upper
  if share == 0 then return lower elseif share == 1 then return upper end
  if not range.logarithmic then return lower + (upper - lower) * share end
  return maths.exp(maths.log(lower) + (maths.log(upper) - maths.log(lower)) * share)
end

--- Return the position of a value in a range; 0 or 1 for a value outside.
function interval.share(range, value)
  local lower, upper = range.lower, range.upper
  if range.logarithmic then
    lower, upper, value = maths.log(lower), maths.log(upper), maths.log(math.max(value, lower))
  end
  return math.max(0, math.min(1, (value - lower) / (upper - lower)))
end

return interval
