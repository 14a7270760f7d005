-- impel.cma: minimises a function of up to some hundred numbers by the (mu/mu_w, lambda)-CMA-ES, with points from m +
-- sigma N(0, C).
--
--   local best, value, report = cma.minimize(function(x) return (x[1] - 3) ^ 2 + 9 * x[2] ^ 2 end,
--     { start = { 0, 1 }, sigma = 0.5 })
--
--   y_i   = B D z_i,  z_i ~ N(0, 1),  x_i = m + sigma y_i        C = B D^2 B^T
--   m    += sigma y_w,                y_w = sum of w_i y_i over the best mu                  z_w likewise
--   p_s   = (1 - c_s) p_s + sqrt(c_s (2 - c_s) mu_eff) B z_w
--   sigma = sigma exp((c_s / d_s) (|p_s| / E|N(0, 1)| - 1))
--   p_c   = (1 - c_c) p_c + h sqrt(c_c (2 - c_c) mu_eff) y_w,    h = 0 while p_s is long, else 1
--   C     = (1 + c_1 (1 - h) c_c (2 - c_c) - c_1 - c_mu sum of w) C + c_1 p_c p_c^T + c_mu sum of w_i' y_i y_i^T
-- Better half: w_i' = w_i.  Worse half (active CMA): w_i' = w_i n / |z_i|^2, w_i < 0.
--   source: Hansen, "The CMA Evolution Strategy: A Tutorial" (2016), figure 6, table 1, appendix B.3;
--   Auger and Hansen, "A Restart CMA Evolution Strategy With Increasing Population Size" (CEC 2005)

local ask_tell = require "impel.search.ask_tell"
local eigen = require "impel.search.eigen"
local fm = require "impel.math"
local rng = require "impel.rng"

local cma = {}
local Cma = ask_tell.class()

local OWN = {
  seed = false, active = false, population = 2, restarts = 0, tol_x = 0, tol_fun = 0,
}

local WORST_CONDITION = 1e14 -- largest condition number of C in double precision
-- A run of the search has diverged if its step size is above this multiple of its first step size.
local DIVERGED = 1e4
local HISTORY = 20000        -- largest number of generations that the stagnation test uses


-- Constants of a run -------------------------------------------------------------------------------------------------

-- Return the weights ln((lambda + 1) / 2) - ln i before scaling: the first half positive, the others negative or 0.
local function raw_weights(population)
  local weights = {}
  for i = 1, population do weights[i] = fm.log((population + 1) / 2) - fm.log(i) end
  return weights
end

-- Return (sum w)^2 / sum w^2 and sum |w| for the weights w with indices from `from` to `to`.
local function mass_of(weights, from, to)
  local sum, squares = 0.0, 0.0
  for i = from, to do
    sum = sum + weights[i]
    squares = squares + weights[i] * weights[i]
  end
  return squares > 0 and sum * sum / squares or 0.0, math.abs(sum)
end

-- Scale the positive weights to sum 1. Limit the sum of the negative weights, so that C stays positive definite and the
-- previous C gets no weight above 1.
local function scale_weights(k, n, weights, mu, active)
  local positive_mass, positive_sum = mass_of(weights, 1, mu)
  local negative_mass, negative_sum = mass_of(weights, mu + 1, #weights)
  local most = math.min(1.0 + k.c_1 / k.c_mu, 1.0 + 2.0 * negative_mass / (positive_mass + 2.0),
    (1.0 - k.c_1 - k.c_mu) / (n * k.c_mu))
  k.weights, k.weight_sum = {}, 0.0
  for i, w in ipairs(weights) do
    if i <= mu then
      k.weights[i] = w / positive_sum
    else
      k.weights[i] = active and negative_sum > 0 and most * w / negative_sum or 0.0
    end
    k.weight_sum = k.weight_sum + k.weights[i]
  end
end

local function constants(n, population, active)
  local weights, mu = raw_weights(population), population // 2
  local mu_eff = mass_of(weights, 1, mu)
  local k = { mu = mu, mu_eff = mu_eff, population = population }
  k.c_s = (mu_eff + 2.0) / (n + mu_eff + 5.0)
  k.d_s = 1.0 + 2.0 * math.max(0.0, math.sqrt((mu_eff - 1.0) / (n + 1.0)) - 1.0) + k.c_s
  k.c_c = (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n)
  k.c_1 = 2.0 / ((n + 1.3) * (n + 1.3) + mu_eff)
  -- 1/4 in the numerator keeps c_mu above 0 if mu_eff is 1.
  k.c_mu = math.min(1.0 - k.c_1,
    2.0 * (0.25 + mu_eff + 1.0 / mu_eff - 2.0) / ((n + 2.0) * (n + 2.0) + mu_eff))
  -- mean length of a vector of n standard normal numbers
  k.chi = math.sqrt(n) * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n))
  -- generations between two decompositions of C, so that a point costs O(n^2): lazy gap of Hansen's purecma.py
  k.decompose_every = math.max(1, math.floor(0.5 / (n * (k.c_1 + k.c_mu))))
  k.window = 10 + math.ceil(30 * n / population)
  scale_weights(k, n, weights, mu, active)
  return k
end


-- State --------------------------------------------------------------------------------------------------------------

local function zeros(n)
  local list = {}
  for i = 1, n do list[i] = 0.0 end
  return list
end

local function unit_matrix(n)
  local rows = {}
  for i = 1, n do
    rows[i] = zeros(n)
    rows[i][i] = 1.0
  end
  return rows
end

-- Begin a run at a mean, with the initial step size and covariance.
local function begin(self, mean, population)
  local n = self.n
  self.constants = constants(n, population, self.active)
  self.mean, self.sigma = table.move(mean, 1, n, 1, {}), self.sigma0
  self.covariance, self.vectors, self.axes = unit_matrix(n), unit_matrix(n), zeros(n)
  for i = 1, n do self.axes[i] = 1.0 end
  self.path_s, self.path_c = zeros(n), zeros(n)
  self.run_generation, self.fading = 0, 1.0 -- fading: (1 - c_s)^(2 generations)
  self.bests, self.medians = {}, {}
end

-- Return a random point: each coordinate is within its bounds or, if a bound is infinite, at most two initial sigma
-- from its value in the option `start`.
local function random_start(self)
  local space, u = self.space, {}
  for i = 1, self.n do
    local draw, lower, upper = self.random:random(), space.lower[i], space.upper[i]
    if upper - lower < math.huge then
      u[i] = (lower + draw * (upper - lower)) / space.scale[i]
    else
      u[i] = self.start[i] + (4.0 * draw - 2.0) * self.sigma0
    end
  end
  return u
end

local function create(what, options, level)
  local self = ask_tell.base(Cma, what, options, OWN, level + 1)
  if options.active ~= nil and type(options.active) ~= "boolean" then
    error(("%s: active: true or false expected, got %s"):format(what, tostring(options.active)), level + 1)
  end
  local population = options.population or 4 + math.floor(3.0 * fm.log(self.n))
  if not math.tointeger(population) then
    error(("%s: population: whole number expected, got %s"):format(what, population), level + 1)
  end
  if math.type(options.seed or 0) ~= "integer" then
    error(("%s: seed: integer expected, got %s"):format(what, tostring(options.seed)), level + 1)
  end
  if self.budget < population then
    error(("%s: budget: at least a generation of %d expected, got %s"):format(what, population, self.budget), level + 1)
  end
  self.active = options.active ~= false
  self.random = rng.new(options.seed)
  self.restart, self.restarts, self.stops = 0, options.restarts or 0, {}
  self.tol_x, self.tol_fun = options.tol_x or 1e-12, options.tol_fun or 1e-12
  begin(self, self.start, math.tointeger(population))
  return self
end

-- Return B x: the sum of the eigenvectors, each times a component of x.
local function turn(vectors, parts)
  local sum = zeros(#parts)
  for j, part in ipairs(parts) do
    local vector = vectors[j]
    for i = 1, #parts do sum[i] = sum[i] + part * vector[i] end
  end
  return sum
end

-- Return the points of a generation.
function Cma:propose()
  local n, sample, points = self.n, {}, {}
  for k = 1, self.constants.population do
    local z, y, u = {}, {}, {}
    for i = 1, n do z[i] = self.random:normal() end
    for j = 1, n do y[j] = self.axes[j] * z[j] end
    y = turn(self.vectors, y)
    for i = 1, n do u[i] = self.mean[i] + self.sigma * y[i] end
    sample[k], points[k] = { z = z, y = y }, u
  end
  self.sample = sample
  return points
end


-- Learning -----------------------------------------------------------------------------------------------------------

-- Return the samples, best first. Samples with equal values keep their order.
local function ranked(sample, values)
  local order, sorted = {}, {}
  for i = 1, #values do order[i] = i end
  table.sort(order, function(a, b) return values[a] < values[b] or values[a] == values[b] and a < b end)
  for rank, i in ipairs(order) do sorted[rank] = sample[i] end
  return sorted
end

-- Return the weighted sum of the vectors z or y (`name`) of the best samples.
local function recombine(k, sorted, name, n)
  local sum = zeros(n)
  for rank = 1, k.mu do
    local w, vector = k.weights[rank], sorted[rank][name]
    for i = 1, n do sum[i] = sum[i] + w * vector[i] end
  end
  return sum
end

local function length_sq(vector)
  local sum = 0.0
  for _, x in ipairs(vector) do sum = sum + x * x end
  return sum
end

-- Update the evolution path of the step size, in coordinates in which C is the identity. Return its length.
local function follow_step(self, k, z_w)
  local gain = math.sqrt(k.c_s * (2.0 - k.c_s) * k.mu_eff)
  local turned = turn(self.vectors, z_w)
  for i = 1, self.n do self.path_s[i] = (1.0 - k.c_s) * self.path_s[i] + gain * turned[i] end
  self.fading = self.fading * (1.0 - k.c_s) * (1.0 - k.c_s)
  return math.sqrt(length_sq(self.path_s))
end

-- Update C from the evolution path p_c and from the samples.
local function learn_covariance(self, k, sorted, path_gain)
  local n, c, p = self.n, self.covariance, self.path_c
  local keep = 1.0 + k.c_1 * (1.0 - path_gain) * k.c_c * (2.0 - k.c_c) - k.c_1 - k.c_mu * k.weight_sum
  for i = 1, n do
    local row = c[i]
    for j = 1, i do row[j] = keep * row[j] + k.c_1 * p[i] * p[j] end
  end
  for rank, sample in ipairs(sorted) do
    local w, y = k.c_mu * k.weights[rank], sample.y
    if w < 0 then w = w * n / length_sq(sample.z) end
    for i = 1, n do
      local row, factor = c[i], w * y[i]
      for j = 1, i do row[j] = row[j] + factor * y[j] end
    end
  end
  for i = 1, n do
    for j = 1, i - 1 do c[j][i] = c[i][j] end
  end
end

-- Compute B and D of C. Return false if an eigenvalue is not positive or the condition number is too large.
local function decompose(self)
  local values, vectors = eigen.symmetric(self.covariance)
  local least, largest = math.huge, 0.0
  for _, x in ipairs(values) do least, largest = math.min(least, x), math.max(largest, x) end
  if not (least > 0 and largest < WORST_CONDITION * least) then return false end
  for i, x in ipairs(values) do self.axes[i] = math.sqrt(x) end
  self.vectors = vectors
  return true
end


-- Ends of a run ------------------------------------------------------------------------------------------------------

local function range(list, from, to)
  local least, largest = math.huge, -math.huge
  for i = from, to do least, largest = math.min(least, list[i]), math.max(largest, list[i]) end
  return least == largest and 0.0 or largest - least
end

local function median(list, from, to)
  local sorted = table.move(list, from, to, 1, {})
  table.sort(sorted)
  local middle = (#sorted + 1) // 2
  return #sorted % 2 == 1 and sorted[middle] or (sorted[middle] + sorted[middle + 1]) / 2
end

-- Return whether the last three tenths of a history are no better than the first three tenths.
local function is_stagnant(history, length)
  local last, part = #history, math.max(1, 3 * length // 10)
  local first = last - length + 1
  return median(history, last - part + 1, last) >= median(history, first, first + part - 1)
end

local function stagnates(self, k)
  local g = self.run_generation
  local least = 120 + 30 * self.n // k.population
  local length = math.min(HISTORY, math.max(least, g // 5))
  return g >= least and is_stagnant(self.bests, length) and is_stagnant(self.medians, length)
end

-- Return whether rounding leaves the mean unchanged after a step of 0.1 standard deviations along an axis of C, or of
-- 0.2 along a coordinate.
local function has_no_effect(self)
  local axis, moved = self.run_generation % self.n + 1, false
  for i = 1, self.n do
    local m, deviation = self.mean[i], math.sqrt(self.covariance[i][i])
    if m + 0.2 * self.sigma * deviation == m then return true end
    moved = moved or m + 0.1 * self.sigma * self.axes[axis] * self.vectors[axis][i] ~= m
  end
  return not moved
end

local function is_small(self)
  local limit = self.tol_x * self.sigma0
  for i = 1, self.n do
    if self.sigma * math.sqrt(self.covariance[i][i]) >= limit or self.sigma * math.abs(self.path_c[i]) >= limit then
      return false
    end
  end
  return true
end

local function is_flat(self, k, values)
  local bests = self.bests
  if #bests < k.window then return nil end
  local lately = range(bests, #bests - k.window + 1, #bests)
  if lately == 0 then return "equal_values" end
  return math.max(lately, range(values, 1, #values)) < self.tol_fun and "tol_fun" or nil
end

local function has_diverged(self)
  local widest = 0.0
  for _, axis in ipairs(self.axes) do widest = math.max(widest, axis) end
  local step = self.sigma * widest
  return step ~= step or step > DIVERGED * self.sigma0
end

-- Return the reason why a run ends, or nil if the run continues.
-- values: costs of the generation's samples; well: result of decompose, true if C was not decomposed
local function end_of(self, k, values, well)
  if not well then return "condition" end
  if has_diverged(self) then return "diverged" end
  if is_small(self) then return "tol_x" end
  local flat = is_flat(self, k, values)
  if flat then return flat end
  if has_no_effect(self) then return "no_effect" end
  return stagnates(self, k) and "stagnation" or nil
end

local function smallest(values)
  local least = math.huge
  for _, x in ipairs(values) do least = math.min(least, x) end
  return least
end

-- End a run: end the search, or begin the next run.
local function finish(self, reason)
  self.stops[#self.stops + 1] = reason
  if self.restart >= self.restarts then
    self.reason = reason
    return
  end
  self.restart = self.restart + 1
  begin(self, random_start(self), 2 * self.constants.population)
end

-- Update the distribution by the values of a generation.
function Cma:learn(values)
  local k, n = self.constants, self.n
  local sorted = ranked(self.sample, values)
  local z_w, y_w = recombine(k, sorted, "z", n), recombine(k, sorted, "y", n)
  for i = 1, n do self.mean[i] = self.mean[i] + self.sigma * y_w[i] end
  local length = follow_step(self, k, z_w)
  local short = length < math.sqrt(1.0 - self.fading) * (1.4 + 2.0 / (n + 1.0)) * k.chi
  local path_gain, gain = short and 1.0 or 0.0, math.sqrt(k.c_c * (2.0 - k.c_c) * k.mu_eff)
  for i = 1, n do self.path_c[i] = (1.0 - k.c_c) * self.path_c[i] + path_gain * gain * y_w[i] end
  learn_covariance(self, k, sorted, path_gain)
  self.sigma = self.sigma * fm.exp(k.c_s / k.d_s * (length / k.chi - 1.0))
  self.run_generation = self.run_generation + 1
  local well = self.run_generation % k.decompose_every ~= 0 or decompose(self)
  self.bests[self.run_generation] = smallest(values)
  self.medians[self.run_generation] = median(values, 1, #values)
  local reason = end_of(self, k, values, well)
  if reason then finish(self, reason) end
end

--- Make a search.
---@param options table
---  start: list of n numbers
---  sigma: first standard deviation in units of scale, default 0.3
---  lower, upper, scale: as in search_space.new
---  seed: integer, default 0
---  population: points per generation, default 4 + floor(3 ln n)
---  restarts: number of restarts, each at a random point and with twice the population of the previous run, default 0
---  budget: largest number of evaluations
---  target: value at which the search ends
---  active: false for no negative weights
---  tol_x: a run ends if all standard deviations are below tol_x times the initial sigma, default 1e-12
---  tol_fun: a run ends if all recent values differ by less than tol_fun, default 1e-12
---@return table search  as in search/ask_tell.lua; restart: number of restarts; stops: why each run ended
function cma.new(options)
  local self = create("cma.new", options, 2)
  return self
end

--- Minimise a function in this process.
---@param f fun(point: number[]): number  nan and inf are the worst values
---@param options table  options of cma.new
---@return number[]|nil best  nil if no value was finite
---@return number|nil value
---@return table report  reason ("tol_x", "tol_fun", "equal_values", "stagnation", "no_effect", "condition", "diverged",
---  "budget", "target"), evaluations, generations, restarts
cma.minimize = ask_tell.minimizer(create, "cma.minimize")

return cma
