-- impel.evolve: evolution of lists of numbers (genomes). Higher fitness is better; -inf and nan are the worst.
--
--   local best, fitness, report = impel.evolve.run {
--     start = net:weights(), sigma = 0.5, population = 30, generations = 30, seed = 1,
--     evaluate = function(genome, index, generation) return distance_hopped_with(genome) end,
--   }
--
-- With evaluation by the caller:
--
--   local search = impel.evolve { start = net:weights(), seed = 1 }
--   while not search:done() do
--     local genomes = search:ask()
--     search:tell(genomes, evaluate_all(genomes))
--   end

local evaluation = require "impel.learn.evolve_evaluate"
local searches = require "impel.learn.evolve_search"

local evolve = {}

--- Make a search with ask and tell.
---@param options table
---  start: list of n numbers
---  method: "genetic" (default) or "cma"
---  generations: number of generations after the first one, default 30
---  sigma: distance of the first genomes from start, in units of scale, default 0.3
---  lower, upper, scale: as in search_space.new
---  population: number of genomes in a generation
---  seed: integer, default 0
---  target: fitness at which the search ends
---  other options of the method, as in genetic.new or cma.new, except budget, tol_x, tol_fun
function evolve.new(options)
  return searches.new("impel.evolve", options)
end

--- Restore a saved search.
---@param data table  result of search:save()
function evolve.load(data)
  return searches.load("impel.evolve.load", data)
end

--- Run an evolution to its end.
---@param options table
---  options of evolve.new
---  evaluate(genome, index, generation) -> fitness
---  workers: number of processes, default 0: evaluate in this process; the result does not depend on workers if
---  evaluate has no side effects
---  world: restored to its present state before each evaluation and at the end
---  timeout: wall time of an evaluation in a process [s]; a longer evaluation has the fitness -inf
---  each(record, search): called after every generation; if it returns true, the evolution ends
---  resume: data of search:save()
---@return number[]|nil best  nil if no fitness was above -inf
---@return number|nil fitness
---@return table report  reason ("generations", "target", "stopped", or a stop of cma.lua), generations, evaluations,
---  history: records of all generations, checkpoint: result of search:save()
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
