-- Lengths of the arrows of a picture. Each style of arrows has a reference: the value that SHARE of its visible arrows
-- do not exceed, averaged over pictures. An arrow of this value has the length TYPICAL. Close arrows are shorter.

local arrow_scale = {}
local Scale = {}
Scale.__index = Scale

--- Fraction of the visible arrows that do not exceed the reference.
arrow_scale.SHARE = 0.95

--- Length of the arrow whose value is the reference, relative to the visible height.
arrow_scale.TYPICAL = 0.12

--- Largest factor by which a user can scale arrows. The smallest factor is 1 / MOST.
arrow_scale.MOST = 32

-- A reference begins to follow the mean when they differ by the factor OUTER, and stops at the factor INNER.
local INNER, OUTER = 1.1, 1.6
local CLOSE = 1.6     -- largest length of arrows that are close together, relative to their distance
local MEAN = 0.2      -- weight of the present picture in the running mean of logarithms
local PACE = 0.12     -- a reference changes per picture by the factor (mean / reference)^PACE
local STRIDE = 1.15   -- largest factor by which a reference changes per picture
local STEEPEST = 1e12 -- [m], largest length of an arrow of value 1 that a drawing accepts

--- Make a scale. Two fields may be set: `factor`, by which lengths are multiplied, and `automatic`: whether the
--- reference values adapt to the values in the world.
function arrow_scale.new()
  return setmetatable({ factor = 1, automatic = true, references = {}, means = {}, moving = {} }, Scale)
end

--- Forget the references, because another run begins. References that the user has fixed do not change.
function Scale:reset()
  if self.automatic then self.references, self.means, self.moving = {}, {}, {} end
end

--- Update the reference of a style from the visible arrows of a picture.
---@param value number|nil  value that 95 % of the visible arrows do not exceed, > 0; nil without visible arrows
---@param count integer|nil  number of visible arrows
---@param aspect number|nil  width / height of the picture
function Scale:follow(style, value, count, aspect)
  local reference = self.references[style]
  if not value or value <= 0 or value == math.huge or value ~= value then return end
  value = value * math.max(1, arrow_scale.TYPICAL / CLOSE * math.sqrt((count or 1) / (aspect or 1)))
  if not reference then
    self.references[style], self.means[style] = value, math.log(value)
    return
  end
  if not self.automatic then return end
  local mean = self.means[style] + MEAN * (math.log(value) - self.means[style])
  self.means[style] = mean
  local ratio = math.exp(mean) / reference
  local apart = math.max(ratio, 1 / ratio)
  if apart > OUTER then self.moving[style] = true elseif apart <= INNER then self.moving[style] = nil end
  if self.moving[style] then
    self.references[style] = reference * math.max(1 / STRIDE, math.min(STRIDE, ratio ^ PACE))
  end
end

--- Return the length of an arrow for the value 1 [m].
---@param height number    visible height [m]
---@param fallback number  value used if the style has no reference
function Scale:length(style, height, fallback)
  return math.min(self.factor * arrow_scale.TYPICAL * height / (self.references[style] or fallback), STEEPEST)
end

--- Make arrows longer or shorter.
function Scale:multiply(factor)
  self.factor = math.max(1 / arrow_scale.MOST, math.min(arrow_scale.MOST, self.factor * factor))
end

return arrow_scale
