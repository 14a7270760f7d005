-- Ticks of an axis, and their labels. Powers of ten are read from decimal texts, not computed as logarithms, and ticks
-- are parsed from decimal texts, so they are the same on every machine.

local ticks = {}

-- tolerance of rounding at the ends of the range, relative to a step
local SLACK = 1e-9
local LARGE = 1e6     -- if a number of the axis is larger, labels are written like 2e6
local SMALLEST = -5   -- if the step is below ten to this power, labels are written like 2e-6

-- Return floor(log10 |x|), rounded because 1e-6 is 9.999..e-7.
local function exponent(x)
  return math.tointeger(tonumber(("%.14e"):format(x):match("e([+-]%d+)$")))
end

-- Return i times ten to the power k.
local function decimal(i, k)
  return tonumber(("%de%d"):format(i, k))
end

--- Return the least step for at most `most` steps in the range span > 0: its factor 1, 2 or 5, and its exponent of ten.
function ticks.step(span, most)
  local least = span / most
  local power = exponent(least)
  for _, factor in ipairs { 1, 2, 5 } do
    if decimal(factor, power) >= least * (1 - SLACK) then return factor, power end
  end
  return 1, power + 1
end

-- Return the labels of ticks, with the digits that a step of about ten to the `power` requires.
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

--- Return the ticks between lower and upper > lower, and their labels. most: largest number of steps.
function ticks.between(lower, upper, most)
  local factor, power = ticks.step(upper - lower, most)
  local step, places = decimal(factor, power), {}
  for i = math.ceil(lower / step - SLACK), math.floor(upper / step + SLACK) do
    places[#places + 1] = decimal(i * factor, power)
  end
  return places, labels(places, power)
end

return ticks
