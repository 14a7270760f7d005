-- impel.blend: mix poses and other tables of numbers by name.
--
--   impel.blend(walk, run, 0.3, pose)               -- pose = 0.7 walk + 0.3 run
--   impel.blend.smooth(t / 0.5)                      -- a weight with zero rate at both ends
--   impel.blend.mirror { left_knee = -0.5 }          -- { right_knee = -0.5 }

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"

local blend = {}

local TABLE = { "table" }

local function is_mixable(value, other) return type(value) == "number" and (not other or type(other) == "number") end

-- Raise for the first name, in sorted order, whose value is not a number.
local function refuse(a, b)
  for _, name in ipairs(arguments.keys(a)) do
    if not is_mixable(a[name], b[name]) then
      arguments.fail("impel.blend: '%s' must be a number in both tables", arguments.called(name))
    end
  end
end

--- Compute (1 - w) a + w b for each name. A name that only one table has keeps its value. Allocates nothing if `out` is
--- given.
---@param a table        name -> number
---@param b table        name -> number
---@param w number       0: all of a, 1: all of b
---@param out table|nil  receives the result; may be a or b; default: a new table
---@return table out
function blend.mix(a, b, w, out)
  arguments.check("impel.blend: argument 'a'", a, TABLE)
  arguments.check("impel.blend: argument 'b'", b, TABLE)
  arguments.number("impel.blend: argument 'w'", w)
  out = out or {}
  for name, value in next, a do
    local other = b[name]
    if not is_mixable(value, other) then refuse(a, b) end
    out[name] = other and (1 - w) * value + w * other or value
  end
  for name, value in next, b do
    if a[name] == nil then out[name] = value end
  end
  return out
end

--- Return the weight 3 u^2 - 2 u^3, with u clamped to 0..1.
---@param u number
---@return number
function blend.smooth(u)
  arguments.number("impel.blend.smooth: argument 'u'", u)
  u = math.max(0, math.min(1, u))
  return u * u * (3 - 2 * u)
end

--- Return a pose in which the names that begin with "left_" and "right_" are exchanged.
---@param pose table  name -> number
---@return table mirrored
function blend.mirror(pose)
  arguments.check("impel.blend.mirror: argument 'pose'", pose, TABLE)
  local mirrored = {}
  for _, name in ipairs(nearest.keys(pose)) do
    local side, rest = name:match "^(left)_(.*)$"
    if not side then side, rest = name:match "^(right)_(.*)$" end
    mirrored[side and (side == "left" and "right_" or "left_") .. rest or name] = pose[name]
  end
  return mirrored
end

return setmetatable(blend, { __call = function(_, a, b, w, out) return blend.mix(a, b, w, out) end })
