-- The runs of a sweep. Parameters and seed depend only on the number of the run.
--
--   local plan = assert(design.new { grid = { "kp=10:200:20", "mass=1,2,5" }, seeds = "1..8", params = specs })
--   plan.count                                   -- 20 * 3 * 8
--   local values, seed = plan:run(17)            -- { kp = .., mass = .. }, 1
--
-- Runs are numbered from 1: the first --grid changes slowest, samples come after the grids, seeds change fastest.
-- n samples form a Latin hypercube (McKay, Beckman, Conover 1979): if the range of a parameter is divided into n equal
-- slices, each slice contains one sample.

local interval = require "impel.batch.interval"
local params = require "impel.scene.params"
local rng = require "impel.rng"

local design = {}
local Design = {}
Design.__index = Design

local MOST = 1000000000     -- largest number of runs; a larger number is probably a typing error
local MOST_VALUES = 1000000 -- largest number of values of one parameter, all of which are stored

local function split(text, separator)
  local words = {}
  for word in (text .. separator):gmatch("([^" .. separator .. "]*)" .. separator) do words[#words + 1] = word end
  return words
end

-- Raise an error about the options. The error is a table, which distinguishes it from errors by bugs.
local function refuse(format, ...)
  error({ message = format:format(...) }, 0)
end

local function number(option, text)
  local value = tonumber(text)
  if not value or value ~= value or value == math.huge or value == -math.huge then
    refuse("%s: a number expected, got '%s'", option, text)
  end
  return value
end


-- Axes ---------------------------------------------------------------------------------------------------------------

-- Return the number of values of a range "lower:upper:count[:log]", and a function that returns value i.
local function range_axis(option, words)
  local lower, upper, count = number(option, words[1]), number(option, words[2]), number(option, words[3])
  local logarithmic = words[4] == "log"
  if #words > 4 or words[4] and not logarithmic then
    refuse("%s: from:to:count or from:to:count:log expected", option)
  end
  if not math.tointeger(count) or count < 1 or count > MOST_VALUES then
    refuse("%s: a count in 1..%d expected, got '%s'", option, MOST_VALUES, words[3])
  end
  if logarithmic and (lower <= 0 or upper <= 0) then refuse("%s: a logarithmic range must be above 0", option) end
  count = math.tointeger(count)
  local range = { lower = lower, upper = upper, logarithmic = logarithmic }
  return count, function(i)
    if count == 1 or i == 1 then return lower elseif i == count then return upper end
    if logarithmic then return interval.at(range, (i - 1) / (count - 1)) end
    return lower + (upper - lower) * (i - 1) / (count - 1) -- multiply before dividing, so that whole steps are exact
  end
end

-- Make the axis of one --grid with values: { name, count, at(i) }. Every value is checked.
local function grid_axis(self, option, name, text)
  local count, at
  if text:find(":", 1, true) then
    count, at = range_axis(option, split(text, ":"))
  else
    local words = split(text, ",")
    count, at = #words, function(i) return words[i] end
  end
  local values = {}
  for i = 1, count do
    local value, message = params.value(self.params, name, at(i), self.owner)
    if value == nil then refuse("%s: %s", option, message) end
    values[i] = value
  end
  return { names = { name }, count = count, at = function(i) return { [name] = values[i] } end }
end

-- Return `count` random positions in [0, 1) of one parameter's range. "latin" divides the range into `count` equal
-- slices and takes one position from each; otherwise the positions are uniform in the whole range.
local function shares(generator, count, method)
  local list = {}
  for i = 1, count do list[i] = i end
  if method == "latin" then
    for i = count, 2, -1 do
      local k = generator:random(i)
      list[i], list[k] = list[k], list[i]
    end
  end
  for i = 1, count do
    local u = generator:random()
    list[i] = method == "latin" and (list[i] - 1 + u) / count or u
  end
  return list
end

local function place(one, share)
  if one.integer then return math.min(one.upper, one.lower + math.floor(share * (one.upper - one.lower + 1))) end
  return interval.at(one, share)
end

-- Make one axis for all sampled parameters. The values of the axis are the samples.
local function sample_axis(self, list, options)
  local generator = rng.new(options.sample_seed or 0)
  local names, columns = {}, {}
  for i, one in ipairs(list) do
    names[i], columns[i] = one.name, shares(generator, options.sample, options.sampling or "latin")
  end
  return {
    names = names, count = options.sample,
    at = function(k)
      local values = {}
      for i, one in ipairs(list) do
        values[one.name] = params.value(self.params, one.name, place(one, columns[i][k]), self.owner)
      end
      return values
    end,
  }
end

-- Convert "1..8", "3" or "1,5,9" to count and at(i).
local function seed_axis(text)
  local from, to = text:match("^(%d+)%.%.(%d+)$")
  if from then
    from, to = math.tointeger(tonumber(from)), math.tointeger(tonumber(to))
    if not from or not to or to > 1 << 53 then refuse("--seeds: seeds are whole numbers up to 2^53") end
    if to < from then refuse("--seeds: %d..%d is empty", from, to) end
    return to - from + 1, function(i) return from + i - 1 end
  end
  local list = {}
  for i, word in ipairs(split(text, ",")) do
    local seed = word:find("^%d+$") and math.tointeger(tonumber(word))
    if not seed or seed > 1 << 53 then refuse("--seeds: 1..8 or 1,5,9 expected, got '%s'", text) end
    list[i] = seed
  end
  return #list, function(i) return list[i] end
end


-- Design -------------------------------------------------------------------------------------------------------------

local function build(options)
  local self = setmetatable({
    params = options.params, owner = options.owner or "scene", axes = {}, names = {}, count = 1,
  }, Design)
  local seen, samples = {}, {}
  for _, text in ipairs(options.grid or {}) do
    local option = "--grid " .. text
    local name, values = text:match("^([%a_][%w_]*)=(.+)$")
    name = name or text:match("^[%a_][%w_]*$")
    if not name then refuse("%s: name=from:to:count or name=a,b,c expected", option) end
    if not self.params[name] then refuse("%s: %s", option, params.unknown(self.params, name)) end
    if seen[name] then refuse("%s: '%s' already has a --grid", option, name) end
    seen[name] = true
    local colons = values and select(2, values:gsub(":", "")) or 0
    local is_range = not values or colons == 1 or colons == 2 and values:find(":log$") ~= nil
    if is_range and options.sample then
      local range, message = interval.read(self.params, self.owner, name, values, "sampled")
      if not range then refuse("%s: %s", option, message) end
      samples[#samples + 1] = range
    elseif is_range then
      refuse("%s: give a count (%s=from:to:count) or --sample N", option, name)
    else
      self.axes[#self.axes + 1] = grid_axis(self, option, name, values)
    end
  end
  if options.sample and #samples == 0 then refuse("--sample needs --grid NAME=from:to") end
  if #samples > 0 then self.axes[#self.axes + 1] = sample_axis(self, samples, options) end
  for _, axis in ipairs(self.axes) do
    for _, name in ipairs(axis.names) do self.names[#self.names + 1] = name end
    self.count = self.count * axis.count
    if self.count > MOST then refuse("more than %d runs", MOST) end
  end
  self.seeds, self.seed_at = seed_axis(options.seeds or "0")
  self.count = self.count * self.seeds
  if self.count > MOST then refuse("more than %d runs", MOST) end
  return self
end

--- Plan the runs of a sweep.
---@param options table
---  params: specs, from params.read
---  owner: name of the scene, for messages
---  grid: list of "name=from:to:count[:log]" and "name=a,b,c"; if `sample` is given, also "name=from:to[:log]" and
---  "name" (samples between the parameter's min and max)
---  seeds: "1..8" or "1,5"
---  sample: number of samples
---  sampling: "latin" (default) or "random"
---  sample_seed: default 0
---@return table|nil plan  count: number of runs; names: names of the parameters in `grid`
---@return string|nil message
function design.new(options)
  local ok, plan = pcall(build, options)
  if ok then return plan end
  if type(plan) == "table" then return nil, plan.message end
  error(plan, 0)
end

--- Parse seeds: "1..8" or "1,5,9".
---@param text string
---@return integer[]|nil seeds
---@return string|nil message
function design.seeds(text)
  local plan, message = design.new { params = {}, seeds = text }
  if not plan then return nil, message end
  local list = {}
  for i = 1, plan.count do list[i] = plan.seed_at(i) end
  return list
end

--- Return the changed parameters and the seed of a run.
---@param index integer  1..count
---@return table<string, number|boolean> values
---@return integer seed
function Design:run(index)
  local rest, values = index - 1, {}
  local seed = self.seed_at(rest % self.seeds + 1)
  rest = rest // self.seeds
  for i = #self.axes, 1, -1 do
    local axis = self.axes[i]
    for name, value in pairs(axis.at(rest % axis.count + 1)) do values[name] = value end
    rest = rest // axis.count
  end
  return values, seed
end

return design
