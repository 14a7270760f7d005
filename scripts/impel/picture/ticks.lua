-- Ticks of an axis: multiples of 1, 2 or 5 times a power of ten, and their labels.
--
-- The power of ten is read from the decimal text of a number, not computed as a logarithm, and each tick is parsed from
-- a decimal text. Thus the tick 0.3 is the number 0.3, not three times 0.1, and is the same on every machine.

local ticks = {}

-- tolerance relative to a step: because of rounding, a tick at an end of the range may be outside of it
local SLACK = 1e-9
local LARGE = 1e6     -- labels have the form 2e6 if a number of the axis is larger
local SMALLEST = -5   -- labels have the form 2e-6 if the step is below ten to this power

-- Return the exponent of the largest power of ten that is at most |x|, x not 0. It is read from x printed with 15
-- digits; with more digits 1e-6 would be 9.999..e-7.
local function exponent(x)
  return math.tointeger(tonumber(("%.14e"):format(x):match("e([+-]%d+)$")))
end

-- Return the number i times ten to the k.
local function decimal(i, k)
  return tonumber(("%de%d"):format(i, k))
end

--- Return the least step of 1, 2 or 5 times a power of ten for at most `most` steps.
---@param span number   above 0
---@param most integer
---@return integer factor  1, 2 or 5
---@return integer power   exponent of ten
function ticks.step(span, most)
  local least = span / most
  local power = exponent(least)
  for _, factor in ipairs { 1, 2, 5 } do
    if decimal(factor, power) >= least * (1 - SLACK) then return factor, power end
  end
  return 1, power + 1
end

-- Return the labels of ticks, with as many digits as a step of 1, 2 or 5 times ten to the `power` requires.
local function labels(places, power)
  local largest, list = 0, {}
  for _, place in ipairs(places) do largest = math.max(largest, math.abs(place)) end
  local scientific = largest >= LARGE or power < SMALLEST
  local digits = scientific and largest > 0 and math.max(0, exponent(largest) - power) or math.max(0, -power)
  local format = ("%%.%d%s"):format(digits, scientific and "e" or "f")
  for i, place in ipairs(places) do
    local text = format:format(place):gsub("[^%w+-]", "."):gsub("e%+?(-?)0*(%d)", "e%1%2")
    list[i] = place == 0 and "0" or (text:gsub("%-", "\u{2212}"))
  end
  return list
end

--- Return the ticks between two numbers, and their labels.
---@param lower number
---@param upper number   > lower
---@param most integer   largest number of steps from lower to upper
---@return number[] places
---@return string[] labels
function ticks.between(lower, upper, most)
  local factor, power = ticks.step(upper - lower, most)
  local step, places = decimal(factor, power), {}
  for i = math.ceil(lower / step - SLACK), math.floor(upper / step + SLACK) do
    places[#places + 1] = decimal(i * factor, power)
  end
  return places, labels(places, power)
end

return ticks
