-- impel.math: Lua's math library with the same bits on every machine. The functions accept traced values, except floor,
-- ceil, fmod, modf and ult, which raise for them.

local core = require("impel.core").math

local m = {
  pi = math.pi, huge = math.huge, maxinteger = math.maxinteger, mininteger = math.mininteger,
  floor = math.floor, ceil = math.ceil, fmod = math.fmod, modf = math.modf, ult = math.ult,
  tointeger = core.tointeger, type = core.type, deg = core.deg, rad = core.rad,
  sqrt = core.sqrt, abs = core.abs, min = core.min, max = core.max,
  sin = core.sin, cos = core.cos, atan2 = core.atan2, exp = core.exp, pow = core.pow,
}

--- Return the tangent.
---@param x number  [rad]
function m.tan(x)
  return core.sin(x) / core.cos(x)
end

--- Return the angle of the point (x, y) [rad], in -pi..pi. x: default 1, for the arc tangent of y.
function m.atan(y, x)
  return core.atan2(y, x or 1.0)
end

--- Return the arc sine of -1..1 [rad]; nan outside.
function m.asin(x)
  return core.atan2(x, core.sqrt((1.0 - x) * (1.0 + x)))
end

--- Return the arc cosine of -1..1 [rad]; nan outside.
function m.acos(x)
  return core.atan2(core.sqrt((1.0 - x) * (1.0 + x)), x)
end

--- Return the logarithm, natural or to a base.
---@param x number
---@param base number|nil
function m.log(x, base)
  if base == nil then return core.log(x) end
  return core.log(x) / core.log(base)
end

return m
