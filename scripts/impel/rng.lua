-- impel.rng: seeded random number generators with the same numbers on every machine.
--
-- Algorithm: xoshiro256** (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2018).

local arguments = require "impel.base.arguments"
local fm = require "impel.math"

local rng = {}
local Generator = {}
Generator.__index = Generator

local function splitmix64(state)
  state = state + 0x9E3779B97F4A7C15
  local z = state
  z = (z ~ (z >> 30)) * 0xBF58476D1CE4E5B9
  z = (z ~ (z >> 27)) * 0x94D049BB133111EB
  return state, z ~ (z >> 31)
end

local function rotate_left(x, n)
  return (x << n) | (x >> (64 - n))
end

--- Make a generator.
---@param seed integer|nil  any 64-bit integer, default 0
function rng.new(seed)
  local state = seed or 0
  if math.type(state) ~= "integer" then
    error(("rng.new: seed: integer expected, got %s"):format(tostring(seed)), 2)
  end
  local words = {}
  for i = 1, 4 do state, words[i] = splitmix64(state) end
  return rng.restore(words)
end

--- Make a generator from the words that state() returned.
---@param words integer[]  four, not all zero
function rng.restore(words)
  arguments.check("rng.restore: argument 'words'", words, { "table" })
  local any = 0
  for i = 1, 4 do
    if math.type(words[i]) ~= "integer" then
      error(("rng.restore: word %d: integer expected, got %s"):format(i, tostring(words[i])), 2)
    end
    any = any | words[i]
  end
  if any == 0 then error("rng.restore: four 64-bit integers, not all zero, expected", 2) end
  return setmetatable({ words[1], words[2], words[3], words[4] }, Generator)
end

--- Return the four words of the state, for rng.restore.
function Generator:state()
  return { self[1], self[2], self[3], self[4] }
end

--- Return the next 64 bits as an integer.
function Generator:bits()
  local s0, s1, s2, s3 = self[1], self[2], self[3], self[4]
  local result = rotate_left(s1 * 5, 7) * 9
  s2 = s2 ~ s0
  s3 = s3 ~ s1
  self[1] = s0 ~ s3
  self[2] = s1 ~ s2
  self[3] = s2 ~ (s1 << 17)
  self[4] = rotate_left(s3, 45)
  return result
end

-- Return an unbiased integer in 0..span (unsigned): draw integers with as many bits as span until one is at most span.
local function below(self, span)
  local mask = span
  for shift = 0, 5 do mask = mask | (mask >> (1 << shift)) end
  local bits = self:bits() & mask
  while math.ult(span, bits) do bits = self:bits() & mask end
  return bits
end

--- Return a number in [0, 1), an integer in 1..m or m..n, or 64 random bits if m is 0.
function Generator:random(m, n)
  if m == nil then return (self:bits() >> 11) * 0x1p-53 end
  if m == 0 and n == nil then return self:bits() end
  local lower, upper = 1, m
  if n ~= nil then lower, upper = m, n end
  lower, upper = math.tointeger(lower), math.tointeger(upper)
  if not lower or not upper then
    error(("random: integer bounds expected, got %s and %s"):format(tostring(m), tostring(n)), 2)
  end
  if lower > upper then error(("random: lower bound %d is above upper bound %d"):format(lower, upper), 2) end
  return lower + below(self, upper - lower)
end

--- Return a normally distributed number (Box and Muller, 1958).
---@param mean number|nil  default 0
---@param deviation number|nil  standard deviation, default 1
function Generator:normal(mean, deviation)
  if mean ~= nil then arguments.number("rng:normal: mean", mean) end
  if deviation ~= nil then arguments.number("rng:normal: deviation", deviation) end
  local radius = math.sqrt(-2.0 * fm.log(1.0 - self:random()))
  return (mean or 0.0) + (deviation or 1.0) * radius * fm.cos(2.0 * math.pi * self:random())
end

return rng
