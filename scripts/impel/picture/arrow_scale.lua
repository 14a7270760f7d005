-- Lengths of the arrows of a picture. Each style of arrows, such as forces, has a reference: a value that 95 % of its
-- visible arrows do not exceed. An arrow of this value has a fixed length relative to the visible height; arrows of
-- much larger values are cut. Arrows that are close together are shorter: about as long as the distance between
-- neighbours.
--
-- The value that 95 % of the visible arrows do not exceed is averaged over the last pictures. The reference is constant
-- while it differs from this mean by less than a factor of OUTER. When it differs by more, it approaches the mean in
-- each picture until the factor is at most INNER. Thus fluctuating forces, or an impact in one picture, do not make
-- arrows fluctuate.

local arrow_scale = {}
local Scale = {}
Scale.__index = Scale

--- Fraction of the visible arrows that do not exceed the reference.
arrow_scale.SHARE = 0.95

--- Length of the arrow whose value is the reference, relative to the visible height.
arrow_scale.TYPICAL = 0.12

--- Largest factor by which a user can scale arrows; its inverse is the smallest.
arrow_scale.MOST = 32

local INNER, OUTER = 1.1, 1.6 -- factors between reference and mean at which the reference stops and begins to change
local CLOSE = 1.6     -- length of crowded arrows relative to the distance between neighbours
local MEAN = 0.2      -- weight of a picture in the running mean of logarithms
local PACE = 0.12     -- a picture removes this fraction of the difference of reference and mean, in logarithms
local STRIDE = 1.15   -- largest factor by which a reference changes per picture
local STEEPEST = 1e12 -- largest length of an arrow of value 1 that a drawing accepts [m]

--- Make a scale without references.
---@return table scale  factor: the user's; automatic: whether references follow the world
function arrow_scale.new()
  return setmetatable({ factor = 1, automatic = true, references = {}, means = {}, moving = {} }, Scale)
end

--- Reset for another run: references that follow the world are determined again; references that the user has fixed do
--- not change.
function Scale:reset()
  if self.automatic then self.references, self.means, self.moving = {}, {}, {} end
end

--- Update the reference of a style from the visible arrows of a picture.
---@param style string
---@param value number|nil  value that SHARE of the visible arrows do not exceed, > 0; nil if no arrow is visible
---@param count integer|nil  number of visible arrows
---@param aspect number|nil  width of the picture divided by its height
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

--- Return the length of an arrow for the value 1.
---@param style string
---@param height number    visible height [m]
---@param fallback number  used instead of the reference if the style has none
---@return number  [m]
function Scale:length(style, height, fallback)
  return math.min(self.factor * arrow_scale.TYPICAL * height / (self.references[style] or fallback), STEEPEST)
end

--- Make arrows longer or shorter.
---@param factor number
function Scale:multiply(factor)
  self.factor = math.max(1 / arrow_scale.MOST, math.min(arrow_scale.MOST, self.factor * factor))
end

return arrow_scale
