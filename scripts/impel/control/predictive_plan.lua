-- The plan of predictive.lua: a curve of actions through knots. A curve is a flat list: the actions of knot 1, knot 2,
-- ...

local fm = require "impel.math"

local planning = {}
local Plan = {}
Plan.__index = Plan

-- smallest noise of the method cem, relative to its initial noise
local LEAST_NOISE = 0.05

local function filled(n, value)
  local list = {}
  for i = 1, n do list[i] = value end
  return list
end

--- Create a plan. Each action is 0, clamped to its bounds.
function planning.new(o)
  local n = #o.lower
  local count = n * o.knots
  local self = setmetatable({
    options = o, n = n, count = count, nominal = {}, shifted = {}, noise = filled(count, 0.0),
    curves = {}, order = {}, costs = filled(o.samples, 0.0),
    spacing = o.horizon / math.max(1, o.interpolation == "linear" and o.knots - 1 or o.knots), -- [s] between knots
  }, Plan)
  for i = 1, count do
    local k = (i - 1) % n + 1
    self.nominal[i] = math.max(o.lower[k], math.min(o.upper[k], 0.0)) + 0.0
  end
  for k = 1, o.samples do self.curves[k], self.order[k] = filled(count, 0.0), k end
  return self
end

--- Compute the actions of a curve at a time [s] from its start, and fill `into`. They are constant after the last knot.
function Plan:at(curve, time, into)
  local n, last = self.n, self.options.knots - 1
  local place = math.min(time / self.spacing, last)
  -- Rounding can put `place` just before a knot; the knot's actions would then begin a step late.
  local knot = math.floor(place + 1e-9)
  local part = self.options.interpolation == "linear" and place - knot or 0.0
  local at = knot * n
  for i = 1, n do
    local u = curve[at + i]
    into[i] = part > 0 and u + part * (curve[at + n + i] - u) or u
  end
  return into
end

--- Advance the start of the plan by the time that has passed.
---@param time number  [s]
function Plan:shift(time)
  if time == 0 then return end
  local n, moved = self.n, self.moved or {}
  self.moved = moved
  for knot = 0, self.options.knots - 1 do
    self:at(self.nominal, knot * self.spacing + time, moved)
    for i = 1, n do self.shifted[knot * n + i] = moved[i] end
  end
  self.nominal, self.shifted = self.shifted, self.nominal
end

--- Draw random curves around the plan, which is curve 1.
---@param random table   of impel.rng
---@param first boolean  first draw of this action: use the noise of the options. Later draws of method cem use the
---  noise that `learn` fitted; the other methods always use the noise of the options
function Plan:draw(random, first)
  local o, n = self.options, self.n
  for i = 1, self.count do
    local k = (i - 1) % n + 1
    if first or o.method ~= "cem" then self.noise[i] = o.noise * (o.upper[k] - o.lower[k]) / 2.0 end
  end
  for s = 1, o.samples do
    local curve = self.curves[s]
    for i = 1, self.count do
      local k = (i - 1) % n + 1
      local u = self.nominal[i] + (s > 1 and self.noise[i] * random:normal() or 0.0)
      curve[i] = math.max(o.lower[k], math.min(o.upper[k], u))
    end
  end
end

-- Set the plan to the mean of the curves, weighted by exp(-(cost - least) / lambda).
local function average(self, least)
  local o, costs = self.options, self.costs
  local sum, count = 0.0, 0
  for _, cost in ipairs(costs) do
    if cost < math.huge then sum, count = sum + (cost - least), count + 1 end
  end
  local lambda = o.temperature * sum / count
  for i = 1, self.count do self.nominal[i] = 0.0 end
  local mass = 0.0
  for s, cost in ipairs(costs) do
    local weight = cost == least and 1.0 or lambda > 0 and fm.exp(-(cost - least) / lambda) or 0.0
    mass = mass + weight
    if weight > 0 then
      for i = 1, self.count do self.nominal[i] = self.nominal[i] + weight * self.curves[s][i] end
    end
  end
  for i = 1, self.count do self.nominal[i] = self.nominal[i] / mass end
end

-- Set the plan to the mean of the best curves, and its noise to their standard deviation.
local function fit(self, elites)
  local o, n = self.options, self.n
  for i = 1, self.count do
    local mean, variance = 0.0, 0.0
    for e = 1, elites do mean = mean + self.curves[self.order[e]][i] / elites end
    for e = 1, elites do variance = variance + (self.curves[self.order[e]][i] - mean) ^ 2 / elites end
    local k = (i - 1) % n + 1
    self.nominal[i] = mean
    self.noise[i] = math.max(math.sqrt(variance), LEAST_NOISE * o.noise * (o.upper[k] - o.lower[k]) / 2.0)
  end
end

--- Update the plan from the costs of the curves, and return the least cost. If all are infinite, the plan stays.
function Plan:learn()
  local o, costs = self.options, self.costs
  local best = 1
  for s = 2, o.samples do
    if costs[s] < costs[best] then best = s end
  end
  local least = costs[best]
  if least == math.huge then return least end
  if o.method == "sampling" then
    table.move(self.curves[best], 1, self.count, 1, self.nominal)
  elseif o.method == "mppi" then
    average(self, least)
  else
    self.by_cost = self.by_cost or function(a, b) return costs[a] < costs[b] or costs[a] == costs[b] and a < b end
    table.sort(self.order, self.by_cost)
    local good = 0
    while good < o.elites and costs[self.order[good + 1]] < math.huge do good = good + 1 end
    fit(self, good)
  end
  return least
end

return planning
