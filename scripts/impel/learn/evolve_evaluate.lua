-- Evaluates a generation of impel.evolve, in one or several processes.

local arguments = require "impel.base.arguments"
local processes = require "impel.processes"
local wire = require "impel.base.wire"

local evaluation = {}

local FIELDS = {
  evaluate = { "function" },
  workers = { "integer", min = 0, default = 0 },
  timeout = { "number", above = 0, unit = "s", optional = true },
  world = { "world", optional = true },
  each = { "function", optional = true },
  resume = { "table", optional = true },
}

--- Split the options of evolve.run into those of the run, checked and with defaults, and those of the search.
function evaluation.split(what, options)
  if type(options) ~= "table" then
    arguments.fail("%s: options must be a table, got %s", what, arguments.got(options))
  end
  local ours, theirs = {}, {}
  for name, value in pairs(options) do
    if FIELDS[name] then ours[name] = value else theirs[name] = value end
  end
  return arguments.read(what, ours, FIELDS), theirs
end

-- Evaluate one genome, in this process or a fork of it.
local function value_of(options, start, genome, index, generation)
  if start then
    if not options.world:is_valid() then arguments.fail("impel.evolve: evaluate destroyed the world") end
    options.world:restore(start)
  end
  local value = options.evaluate(table.move(genome, 1, #genome, 1, {}), index, generation)
  if type(value) ~= "number" then
    error(("impel.evolve: evaluate returned %s for genome %d of generation %d, a number expected"):format(
      arguments.got(value), index, generation), 0)
  end
  return value
end

local function values_of(options, start, genomes, generation)
  local values = {}
  for i, genome in ipairs(genomes) do values[i] = value_of(options, start, genome, i, generation) end
  return values
end

-- Evaluate in this process. The world is restored afterwards, also after an error.
local function evaluate_here(options, start, genomes, generation)
  local ok, values = pcall(values_of, options, start, genomes, generation)
  if start and options.world:is_valid() then options.world:restore(start) end
  if not ok then error(values, 0) end -- the message already has its source position
  return values
end

-- Return the value that a process returned; -inf after a timeout. If the process failed, raise an error with its
-- output.
local function value_from(outcome, said, index, generation)
  if outcome.values then return wire.decode(outcome.values[1]) end
  if outcome.ended == "timeout" then return -math.huge end
  error(("impel.evolve: genome %d of generation %d: %s%s"):format(index, generation, outcome.reason,
    said and ":\n" .. table.concat(said, "\n") or ""), 0)
end

local function evaluate_apart(options, start, genomes, generation)
  local values, said, next_one = {}, {}, 0
  local complete, message = processes.run {
    workers = options.workers, timeout = options.timeout,
    jobs = function()
      next_one = next_one + 1
      return next_one <= #genomes and next_one or nil
    end,
    work = function(i) return wire.encode(value_of(options, start, genomes[i], i, generation)) end,
    say = function(i, line)
      said[i] = said[i] or {}
      table.insert(said[i], line)
    end,
    done = function(i, outcome) values[i] = { outcome, said[i] } end,
  }
  if not complete then error("impel.evolve: " .. tostring(message), 0) end
  -- Decode in order, because the error must name the first of several failed genomes.
  for i, pair in ipairs(values) do values[i] = value_from(pair[1], pair[2], i, generation) end
  return values
end

--- Return a function(genomes, generation) -> values that evaluates a generation. options: from evaluation.split.
function evaluation.new(what, options)
  if options.timeout and options.workers == 0 then
    arguments.fail("%s: field 'timeout' needs processes, workers = 1 or more", what)
  end
  if options.world and not options.world:is_valid() then arguments.fail("%s: field 'world' is destroyed", what) end
  local start = options.world and options.world:snapshot()
  local evaluate = options.workers > 0 and evaluate_apart or evaluate_here
  return function(genomes, generation) return evaluate(options, start, genomes, generation) end
end

return evaluation
