-- Lengths of the arrows of a picture. The reference of a style is the value that most of its visible arrows do not
-- exceed. Its arrow has a fixed length, as a part of the height shown; arrows of much larger values are cut.
-- Where arrows stand close together they are shorter, by about the distance of one from the next.
--
-- The reference follows a mean of the last pictures with hysteresis: it stays while the forces change by less than a
-- factor of OUTER, and then goes a part of the way in each picture until it is within INNER. So forces that tremble, or
-- an impact in one picture, do not make arrows tremble.

local arrow_scale = {}
local Scale = {}
Scale.__index = Scale

--- Share of the visible arrows that are no longer than the reference's.
arrow_scale.SHARE = 0.95

--- Length of the reference's arrow, as a part of the height shown.
arrow_scale.TYPICAL = 0.12

--- Most and least factor of the user.
arrow_scale.MOST = 32

local INNER, OUTER = 1.1, 1.6
local CLOSE = 1.6     -- length of an arrow in distances of neighbours, where that is less than TYPICAL
local MEAN = 0.2      -- weight of a picture in the mean, of logarithms
local PACE = 0.12     -- of the way in a picture, of the logarithm
local STRIDE = 1.15   -- and at most this factor
local STEEPEST = 1e12 -- scale that a drawing takes

--- Lengths without a reference.
---@return table scale  factor: the user's; automatic: whether references follow the world
function arrow_scale.new()
  return setmetatable({ factor = 1, automatic = true, references = {}, means = {}, moving = {} }, Scale)
end

--- Another run: references that follow are found again, those that the user holds stay.
function Scale:reset()
  if self.automatic then self.references, self.means, self.moving = {}, {}, {} end
end

--- Take the value that the visible arrows of a style have in a picture.
---@param style string
---@param value number|nil  > 0; nil where nothing has an arrow
---@param count integer|nil  how many they are
---@param aspect number|nil  width of the picture by its height
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

--- Length of an arrow of one unit.
---@param style string
---@param height number    shown [m]
---@param fallback number  the reference where none is known
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
