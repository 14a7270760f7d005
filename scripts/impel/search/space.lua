-- Coordinates of a search: the optimiser works on coordinates u without bounds or units, and maps them to points x.
--
-- x = scale u, reflected at the bounds: beyond a bound x runs back, with a period of twice the width. So every u is a
-- point inside the bounds. Clipping would flatten a simplex permanently.

local arguments = require "impel.base.arguments"

local search_space = {}
local Space = {}
Space.__index = Space

local function fold(x, lower, upper)
  if x >= lower and x <= upper then return x end
  if upper == math.huge then return 2.0 * lower - x end
  if lower == -math.huge then return 2.0 * upper - x end
  local width = upper - lower
  local along = (x - lower) % (2.0 * width)
  if along > width then along = 2.0 * width - along end
  return math.min(math.max(lower + along, lower), upper) -- rounding may put the sum outside of the bounds
end

--- Return the point x of coordinates u. The point is inside the bounds.
---@return number[]
function Space:point(u)
  local x = {}
  for i = 1, self.n do x[i] = fold(self.scale[i] * u[i], self.lower[i], self.upper[i]) end
  return x
end

--- Return coordinates u of a point x.
---@param x number[]
---@return number[]
function Space:coordinates(x)
  local u = {}
  for i = 1, self.n do u[i] = x[i] / self.scale[i] end
  return u
end

--- Return a copy of a list of n finite numbers, as floats; raises for other values. what: name of the list in errors;
--- n: default its length; level: for error, relative to the caller.
function search_space.numbers(what, list, n, level)
  if type(list) ~= "table" then
    error(("%s: list of numbers expected, got %s"):format(what, tostring(list)), level + 1)
  end
  if n and #list ~= n or #list == 0 then
    error(("%s: %s numbers expected, got %d"):format(what, n or "some", #list), level + 1)
  end
  local copy = {}
  for i, x in ipairs(list) do
    if not arguments.is_finite(x) then
      error(("%s[%d]: finite number expected, got %s"):format(what, i, tostring(x)), level + 1)
    end
    copy[i] = x + 0.0
  end
  return copy
end

-- Read a list of bounds. none: -inf or inf, the bound of all coordinates if `list` is nil.
local function bounds_of(what, list, none, n, level)
  local bounds = {}
  if list ~= nil and (type(list) ~= "table" or #list ~= n) then
    local got = type(list) == "table" and #list or tostring(list)
    error(("%s: list of %d numbers expected, got %s"):format(what, n, got), level + 1)
  end
  for i = 1, n do
    local x = list and list[i] or none
    if type(x) ~= "number" or x ~= x then
      error(("%s[%d]: number expected, got %s"):format(what, i, tostring(x)), level + 1)
    end
    bounds[i] = x + 0.0
  end
  return bounds
end

--- Create a space from options: start; lower, upper: lists, infinite for no bound; scale: list, the unit of each
--- coordinate, default the width of its bounds if both are finite, else 1. Raises on invalid options.
---@return table space    n, lower, upper, scale
---@return number[] start  coordinates u of the start
function search_space.new(what, options, level)
  local function name(field) return ("%s: %s"):format(what, field) end
  local start = search_space.numbers(name "start", options.start, nil, level + 1)
  local n = #start
  local lower = bounds_of(name "lower", options.lower, -math.huge, n, level + 1)
  local upper = bounds_of(name "upper", options.upper, math.huge, n, level + 1)
  local scale = options.scale and search_space.numbers(name "scale", options.scale, n, level + 1) or {}
  for i = 1, n do
    if lower[i] >= upper[i] then
      error(("%s: lower[%d] %g is not below upper[%d] %g"):format(what, i, lower[i], i, upper[i]), level + 1)
    end
    if start[i] < lower[i] or start[i] > upper[i] then
      error(("%s: start[%d] %g is outside %g..%g"):format(what, i, start[i], lower[i], upper[i]), level + 1)
    end
    scale[i] = scale[i] or (arguments.is_finite(upper[i] - lower[i]) and upper[i] - lower[i] or 1.0)
    if scale[i] <= 0 then
      error(("%s: scale[%d]: number > 0 expected, got %g"):format(what, i, scale[i]), level + 1)
    end
  end
  local space = setmetatable({ n = n, lower = lower, upper = upper, scale = scale }, Space)
  return space, space:coordinates(start)
end

return search_space
