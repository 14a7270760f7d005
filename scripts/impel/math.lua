-- impel.math: the functions of Lua's math library with the same bits on every machine.
--
-- sqrt, floor, fmod and their like are exact by IEEE 754 and stay Lua's. The others differ between C libraries and
-- processors, so they stand on the core's own. Random numbers are not here: world:random() and impel.rng.

local core = require("impel.core").math

local m = {
  pi = math.pi, huge = math.huge, maxinteger = math.maxinteger, mininteger = math.mininteger,
  sqrt = math.sqrt, abs = math.abs, floor = math.floor, ceil = math.ceil, min = math.min, max = math.max,
  fmod = math.fmod, modf = math.modf, tointeger = math.tointeger, type = math.type, ult = math.ult,
  deg = math.deg, rad = math.rad,
  sin = core.sin, cos = core.cos, atan2 = core.atan2, exp = core.exp, pow = core.pow,
}

--- Tangent.
---@param x number  [rad]
function m.tan(x)
  return core.sin(x) / core.cos(x)
end

--- Angle of the point (x, y), or the arc tangent of y alone.
---@param y number
---@param x number|nil  default 1
---@return number  [rad], in -pi..pi
function m.atan(y, x)
  return core.atan2(y, x or 1.0)
end

--- Arc sine of -1..1 [rad]; nan outside. (1 - x)(1 + x) keeps the digits that 1 - x^2 loses near 1.
function m.asin(x)
  return core.atan2(x, math.sqrt((1.0 - x) * (1.0 + x)))
end

--- Arc cosine of -1..1 [rad]; nan outside.
function m.acos(x)
  return core.atan2(math.sqrt((1.0 - x) * (1.0 + x)), x)
end

--- Logarithm, natural or to a base.
---@param x number
---@param base number|nil
function m.log(x, base)
  if base == nil then return core.log(x) end
  return core.log(x) / core.log(base)
end

return m
