-- impel.genetic: a genetic algorithm that minimises a function of a list of real numbers.
--
--   local best, value = genetic.minimize(function(x) return x[1] ^ 2 + x[2] ^ 2 end,
--     { start = { 3, 4 }, sigma = 0.5, budget = 2000 })
--
-- A generation consists of the `elite` best individuals of the previous generation, evaluated again, and of children.
-- Genes x_i of a child from the genes a_i, b_i of its parents:
--
--   blend     x_i = uniform in [min - b d, max + b d],  d = |a_i - b_i|, b = `blend`
--             source: Eshelman and Schaffer, "Real-Coded Genetic Algorithms and Interval-Schemata" (1993), BLX-alpha
--   uniform   x_i = a_i or b_i with equal probability
--   none      x = a
--
-- Mutation, x_i += s N(0, 1), s in units of scale:
--
--   adaptive  s = sqrt(s_a s_b) exp(N(0, 1) / sqrt(2 n))
--             source: Beyer and Schwefel, "Evolution strategies" (2002), section 4.2
--   decay     s = sigma decay^generation

local ask_tell = require "impel.search.ask_tell"
local fm = require "impel.math"
local nearest = require "impel.base.nearest"
local rng = require "impel.rng"

local genetic = {}
local Genetic = ask_tell.class()

local OWN = {
  seed = false, population = 2, elite = 0, selection = false, tournament = 1, survivors = 0, crossover = false,
  crossover_rate = 0, blend = 0, mutation = false, mutation_rate = 0, decay = 0,
}

local WORDS = {
  selection = { "tournament", "truncation" },
  crossover = { "blend", "uniform", "none" },
  mutation = { "adaptive", "decay" },
}

local DEFAULTS = {
  population = 30, elite = 1, selection = "tournament", tournament = 3, survivors = 0.3, crossover = "blend",
  crossover_rate = 0.7, blend = 0.3, mutation = "adaptive", mutation_rate = 1.0, decay = 0.95, seed = 0,
}

local LEAST_STEP = 1e-12 -- smallest step size relative to sigma, because a step size of 0 would never grow again

local function check_word(what, name, value, level)
  if nearest.has(WORDS[name], value) then return end
  error(("%s: %s: '%s' expected, got %s"):format(what, name, table.concat(WORDS[name], "', '"), tostring(value)),
    level + 1)
end

local function need(what, name, holds, expected, value, level)
  if not holds then error(("%s: %s: %s expected, got %s"):format(what, name, expected, tostring(value)), level + 1) end
end

local function create(what, options, level)
  local self = ask_tell.base(Genetic, what, options, OWN, level + 1)
  for name, default in pairs(DEFAULTS) do
    if options[name] == nil then self[name] = default else self[name] = options[name] end
  end
  for _, name in ipairs { "selection", "crossover", "mutation" } do check_word(what, name, self[name], level + 1) end
  for _, name in ipairs { "population", "elite", "tournament", "seed" } do
    need(what, name, math.type(self[name]) == "integer", "whole number", self[name], level + 1)
  end
  for _, name in ipairs { "survivors", "crossover_rate", "mutation_rate", "decay" } do
    need(what, name, self[name] <= 1, "number of at most 1", self[name], level + 1)
  end
  need(what, "elite", self.elite < self.population, "less than the population", self.elite, level + 1)
  need(what, "budget", self.budget >= self.population, ("at least a generation of %d"):format(self.population),
    self.budget, level + 1)
  self.random = rng.new(self.seed)
  return self
end

-- Make an individual: coordinates within the bounds, and its step size.
local function individual(self, u, step)
  return { u = self.space:coordinates(self.space:point(u)), step = step }
end

local function first_generation(self)
  local list = { individual(self, self.start, self.sigma0) }
  for k = 2, self.population do
    local u = {}
    for i = 1, self.n do u[i] = self.start[i] + self.sigma0 * self.random:normal() end
    list[k] = individual(self, u, self.sigma0)
  end
  return list
end

-- Return a parent from the previous generation, which is sorted, best first.
local function select_parent(self)
  if self.selection == "truncation" then
    return self.ranked[self.random:random(math.max(1, math.floor(self.survivors * self.population + 0.5)))]
  end
  local best = self.random:random(self.population)
  for _ = 2, self.tournament do best = math.min(best, self.random:random(self.population)) end
  return self.ranked[best]
end

local function cross(self, a, b)
  local random, u = self.random, {}
  for i = 1, self.n do
    local x, y = a.u[i], b.u[i]
    if self.crossover == "uniform" then
      u[i] = random:random() < 0.5 and x or y
    else
      local low, width = math.min(x, y), math.abs(x - y)
      u[i] = low - self.blend * width + random:random() * (1.0 + 2.0 * self.blend) * width
    end
  end
  return u
end

local function child(self)
  local random, a = self.random, select_parent(self)
  local u, step = table.move(a.u, 1, self.n, 1, {}), a.step
  if self.crossover ~= "none" and random:random() < self.crossover_rate then
    local b = select_parent(self)
    u, step = cross(self, a, b), math.sqrt(a.step * b.step)
  end
  if self.mutation == "adaptive" then
    step = math.max(step * fm.exp(random:normal() / math.sqrt(2.0 * self.n)), LEAST_STEP * self.sigma0)
  else
    step = self.sigma0 * fm.pow(self.decay, self.generation)
  end
  for i = 1, self.n do
    if self.mutation_rate >= 1 or random:random() < self.mutation_rate then u[i] = u[i] + step * random:normal() end
  end
  return individual(self, u, step)
end

-- Return the coordinates of a generation.
function Genetic:propose()
  local list = {}
  if not self.ranked then
    list = first_generation(self)
  else
    for k = 1, self.elite do list[k] = self.ranked[k] end
    for k = self.elite + 1, self.population do list[k] = child(self) end
  end
  self.sample = list
  local points = {}
  for k, one in ipairs(list) do points[k] = one.u end
  return points
end

-- Sort the generation, best first. Individuals with equal values keep their order.
function Genetic:learn(values)
  local order, ranked = {}, {}
  for k = 1, #values do order[k] = k end
  table.sort(order, function(a, b) return values[a] < values[b] or values[a] == values[b] and a < b end)
  for rank, k in ipairs(order) do ranked[rank] = self.sample[k] end
  self.ranked = ranked
end

--- Make a search.
---@param options table
---  start: list of n numbers
---  sigma: first standard deviation in units of scale, default 0.3
---  lower, upper, scale: as in search_space.new
---  seed: integer, default 0
---  population: default 30
---  elite: number of individuals that survive unchanged, default 1
---  selection: "tournament" (among `tournament`, default 3) or "truncation" (the share `survivors`, default 0.3)
---  crossover: "blend" (by `blend`, default 0.3), "uniform" or "none"
---  crossover_rate: share of children with two parents, default 0.7
---  mutation: "adaptive" or "decay" (factor `decay` per generation, default 0.95)
---  mutation_rate: share of genes that mutate, default 1
---  budget: largest number of evaluations
---  target: value at which the search ends
---@return table search  as in search/ask_tell.lua
function genetic.new(options)
  local self = create("genetic.new", options, 2)
  return self
end

--- Minimise a function in this process.
---@param f fun(point: number[]): number  nan and inf are the worst values
---@param options table  options of genetic.new; without budget and target the search does not end
---@return number[]|nil best  nil if no value was finite
---@return number|nil value
---@return table report  reason ("budget", "target"), evaluations, generations
genetic.minimize = ask_tell.minimizer(create, "genetic.minimize")

return genetic
