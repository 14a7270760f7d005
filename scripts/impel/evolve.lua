-- impel.evolve: lists of numbers (genomes) made better over generations: the weights of a network, the gains and times
-- of a gait. Fitness is larger for the better; -inf and nan are the worst there is.
--
--   local best, fitness, report = impel.evolve.run {
--     start = net:weights(), sigma = 0.5, population = 30, generations = 30, seed = 1,
--     evaluate = function(genome, index, generation) return distance_hopped_with(genome) end,
--   }
--
-- `method` is "genetic" (genetic.lua) or "cma" (cma.lua, which `impel tune` searches with). Generation 0 is the first
-- population, and `generations` more follow it.
--
-- The other way round, whoever evaluates asks for the genomes of a generation and tells what they are worth:
--
--   local search = impel.evolve { start = net:weights(), seed = 1 }
--   while not search:done() do
--     local genomes = search:ask()
--     search:tell(genomes, evaluate_all(genomes))
--   end
--
-- What a search asks is a function of its options and of what it was told, bit for bit, on every machine: search:save()
-- is these, as plain data, and impel.evolve.load(data) goes on from there.

local evaluation = require "impel.learn.evolve_evaluate"
local searches = require "impel.learn.evolve_search"

local evolve = {}

--- A search that is asked and told.
---@param options table  start: list of n numbers where it begins; method: "genetic" (default) or "cma"; generations:
---  after the first, 30; sigma: how far the first genomes lie from start, in units of scale, 0.3; lower, upper, scale:
---  lists, of search_space.new; population; seed; target: a fitness that is good enough; and those of genetic.new or
---  cma.new, each but active, budget, tol_x and tol_fun
---@return table search
function evolve.new(options)
  return searches.new("impel.evolve", options)
end

--- The search that was saved.
---@param data table  of search:save()
---@return table search
function evolve.load(data)
  return searches.load("impel.evolve.load", data)
end

--- Evolve to the end.
---@param options table  of evolve.new, and evaluate(genome, index, generation) -> fitness; workers: how many processes
---  evaluate at a time, 0 (default): in this one, which is quicker where an evaluation takes a few ms; the result has
---  the same bytes for any number, if evaluate leaves nothing behind; world: put back before each evaluation, and after
---  the last or an error, to what it is now; timeout: wall time for an evaluation in a process [s], more is -inf;
---  each(record, search): called after every generation, true ends it; resume: data of search:save()
---@return number[]|nil best  nil where no fitness was above -inf
---@return number|nil fitness
---@return table report  reason ("generations", "target", "stopped", of cma.lua), generations, evaluations, history:
---  records of all generations, checkpoint: of search:save()
function evolve.run(options)
  local ours, theirs = evaluation.split("impel.evolve.run", options)
  local search, reason = searches.new("impel.evolve.run", theirs), nil
  if ours.resume then searches.resume("impel.evolve.run: resume", search, ours.resume) end
  local evaluate = evaluation.new("impel.evolve.run", ours)
  while not reason do
    reason = search:done()
    if reason then break end
    local genomes = search:ask()
    local record = search:tell(genomes, evaluate(genomes, search.generation))
    if ours.each and ours.each(record, search) then reason = "stopped" end
  end
  local best, fitness = search:best()
  return best, fitness, {
    reason = reason, generations = search.generation, evaluations = search.optimiser.evaluations,
    history = search.history, checkpoint = search:save(),
  }
end

return setmetatable(evolve, { __call = function(_, options) return evolve.new(options) end })
