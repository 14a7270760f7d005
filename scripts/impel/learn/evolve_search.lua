-- The search of impel.evolve: maximises fitness by a minimiser (genetic.lua, cma.lua).

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"

local search = {}
local Search = {}
Search.__index = Search

local METHODS = { genetic = "impel.genetic", cma = "impel.cma" }
local FORMAT = "impel.evolve"

-- Options of a search. `only`: the method that has the option; default: both methods.
local FIELDS = {
  method = { "choice", "genetic", "cma", default = "genetic" },
  generations = { "integer", min = 0, default = 30 },
  target = { "number", optional = true },
  start = { "table" }, lower = { "table", optional = true }, upper = { "table", optional = true },
  scale = { "table", optional = true }, sigma = { "number", min = 1e-100, max = 1e100, optional = true },
  seed = { "integer", default = 0 }, population = { "integer", min = 2, optional = true },
  elite = { "integer", min = 0, optional = true, only = "genetic" },
  selection = { "choice", "tournament", "truncation", optional = true, only = "genetic" },
  tournament = { "integer", min = 1, optional = true, only = "genetic" },
  survivors = { "number", min = 0, max = 1, optional = true, only = "genetic" },
  crossover = { "choice", "blend", "uniform", "none", optional = true, only = "genetic" },
  crossover_rate = { "number", min = 0, max = 1, optional = true, only = "genetic" },
  blend = { "number", min = 0, optional = true, only = "genetic" },
  mutation = { "choice", "adaptive", "decay", optional = true, only = "genetic" },
  mutation_rate = { "number", min = 0, max = 1, optional = true, only = "genetic" },
  decay = { "number", min = 0, max = 1, optional = true, only = "genetic" },
  active = { "boolean", optional = true, only = "cma" },
  restarts = { "integer", min = 0, optional = true, only = "cma" },
}
-- options of the search that the optimiser does not have
local OURS = { method = true, generations = true, target = true }

-- Create the optimiser.
local function optimiser_of(what, read)
  local options = {}
  for _, name in ipairs(nearest.keys(read)) do
    local value = read[name]
    if FIELDS[name].only and FIELDS[name].only ~= read.method then
      arguments.fail("%s: field '%s' requires method = '%s'", what, name, FIELDS[name].only)
    end
    if not OURS[name] then options[name] = value end
  end
  local ok, made = pcall(require(METHODS[read.method]).new, options)
  if ok then return made end
  arguments.fail("%s", (tostring(made):gsub("^[^\n]-:%d+: ", "", 1):gsub("^[%w_.]+: ", what .. ": ", 1)))
end

local function plain_copy(value)
  if type(value) ~= "table" then return value end
  local copy = {}
  for key, item in pairs(value) do copy[key] = plain_copy(item) end
  return copy
end

--- Create a search.
---@param what string    prefix of messages
---@param options table  options of evolve.new
function search.new(what, options)
  local read = arguments.read(what, options, FIELDS)
  return setmetatable({
    options = plain_copy(read), optimiser = optimiser_of(what, read), generations = read.generations,
    generation = 0, -- number of the next generation
    history = {}, told = {},
  }, Search)
end

--- Return why the search has ended ("generations", "target", or a reason of cma.lua), or nil.
---@return string|nil
function Search:done()
  if self.options.target and self.fitness and self.fitness >= self.options.target then return "target" end
  if self.generation > self.generations then return "generations" end
  return self.optimiser:done()
end

--- Return the genomes of the next generation.
---@return number[][]
function Search:ask()
  local reason = self:done()
  if reason then arguments.fail("impel.evolve: ask: the search is done (%s)", reason) end
  local genomes = self.optimiser:ask()
  for k, genome in ipairs(genomes) do
    for i, x in ipairs(genome) do
      if x - x ~= 0 then
        arguments.fail("impel.evolve: ask: gene %d of genome %d is %g: sigma or scale is too large", i, k, x)
      end
    end
  end
  return genomes
end

-- Return the record of a generation. Its best genome is the first genome with the greatest fitness.
local function record_of(generation, genomes, values)
  local best, worst, sum, count = 1, math.huge, 0.0, 0
  for i, value in ipairs(values) do
    if value > values[best] then best = i end
    worst = math.min(worst, value)
    if value > -math.huge then sum, count = sum + value, count + 1 end
  end
  return {
    generation = generation, best = values[best], mean = count > 0 and sum / count or -math.huge, worst = worst,
    failed = #values - count, genome = table.move(genomes[best], 1, #genomes[best], 1, {}),
  }
end

--- Update the search from the fitness values of the genomes.
---@param genomes number[][]  genomes from ask
---@param values number[]     fitness; larger is better
---@return table record
---  generation: number from 0
---  best, worst: largest and smallest fitness
---  mean: of the fitness values above -inf
---  failed: number of genomes with the fitness -inf or nan
---  genome: first genome with the largest fitness
function Search:tell(genomes, values)
  local costs, told = {}, {}
  if type(values) ~= "table" then
    arguments.fail("impel.evolve: tell: values must be a table, got %s", arguments.got(values))
  end
  for i, value in ipairs(values) do
    if type(value) ~= "number" then
      arguments.fail("impel.evolve: tell: value %d must be a number, got %s", i, arguments.got(value))
    end
    told[i] = value == value and value + 0.0 or -math.huge
    costs[i] = -told[i]
  end
  local ok, message = pcall(self.optimiser.tell, self.optimiser, genomes, costs)
  if not ok then arguments.fail("impel.evolve: %s", (tostring(message):gsub("^[^\n]-:%d+: ", "", 1))) end
  local record = record_of(self.generation, genomes, told)
  self.told[#self.told + 1], self.history[#self.history + 1] = told, record
  self.generation = self.generation + 1
  if record.best > (self.fitness or -math.huge) then self.genome, self.fitness = record.genome, record.best end
  return record
end

--- Return the first genome with the greatest fitness so far, and this fitness; nil while every fitness was -inf or nan.
function Search:best()
  if not self.genome then return nil end
  return table.move(self.genome, 1, #self.genome, 1, {}), self.fitness
end

--- Return the whole state as plain data.
---@return table data  format, version, options, told: a list of fitness values for each generation
function Search:save()
  return { format = FORMAT, version = 1, options = plain_copy(self.options), told = plain_copy(self.told) }
end

-- Restore the state of the optimiser: repeat its generations with the saved fitness values.
local function replay(self, told)
  for _, values in ipairs(told) do self:tell(self.optimiser:ask(), values) end
  return self
end

local function check_data(what, data)
  local whole = type(data) == "table" and type(data.options) == "table" and type(data.told) == "table"
  if not whole or data.format ~= FORMAT or data.version ~= 1 then
    arguments.fail("%s: the data of search:save() expected, got %s", what, arguments.got(data))
  end
end

--- Load a saved search.
---@param data table  from Search:save
function search.load(what, data)
  check_data(what, data)
  return replay(search.new(what, data.options), data.told)
end

local function same(a, b)
  if type(a) ~= "table" or type(b) ~= "table" then return a == b end
  for key, value in pairs(a) do
    if not same(value, b[key]) then return false end
  end
  for key in pairs(b) do
    if a[key] == nil then return false end
  end
  return true
end

--- Continue a saved search (data of Search:save) in the new search `self`, whose options must be equal except
--- `generations`.
function search.resume(what, self, data)
  check_data(what, data)
  for _, name in ipairs(nearest.keys(FIELDS)) do
    if name ~= "generations" and not same(self.options[name], data.options[name]) then
      arguments.fail("%s: field '%s' must have the same value as in the checkpoint", what, name)
    end
  end
  replay(self, data.told)
end

return search
