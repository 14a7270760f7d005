-- Checks of the options of predictive.lua.

local arguments = require "impel.base.arguments"
local rollouts = require "impel.control.predictive_rollouts"

local FIELDS = {
  plant = { "table" }, model = { "table", optional = true },
  lower = { "table" }, upper = { "table" },
  apply = { "function" }, cost = { "function" }, terminal = { "function", optional = true },
  save = { "function", optional = true }, load = { "function", optional = true },
  method = { "choice", "mppi", "cem", "sampling", default = "mppi" },
  horizon = { "number", above = 0, default = 1, unit = "s" },
  period = { "number", above = 0, default = 0.05, unit = "s" },
  knots = { "integer", min = 1, default = 6 },
  interpolation = { "choice", "linear", "hold", default = "linear" },
  samples = { "integer", min = 2, default = 24 },
  iterations = { "integer", min = 1, default = 1 },
  noise = { "number", above = 0, default = 0.3 },
  temperature = { "number", above = 0, default = 0.1 },
  elites = { "integer", min = 1, default = 5 },
  seed = { "integer", default = 0 },
  when = { "choice", "step", "manual", optional = true },
}

local function check_parts(name, parts)
  arguments.check(("impel.predictive: %s.world"):format(name), parts.world, { "world" })
end

local function check_bounds(lower, upper)
  if #lower == 0 or #lower ~= #upper then
    arguments.fail("impel.predictive: lower and upper must have equally many numbers, got %d and %d", #lower, #upper)
  end
  for i = 1, #lower do
    arguments.number(("impel.predictive: lower[%d]"):format(i), lower[i])
    arguments.number(("impel.predictive: upper[%d]"):format(i), upper[i])
    if lower[i] >= upper[i] then
      arguments.fail("impel.predictive: lower[%d] %g is not below upper[%d] %g", i, lower[i], i, upper[i])
    end
  end
end

--- Return the checked options, with defaults, and whether the model is a separate world from the plant.
return function(options)
  local o = arguments.read("impel.predictive", options, FIELDS)
  check_parts("plant", o.plant)
  if o.model then check_parts("model", o.model) end
  rollouts.check_worlds(o)
  check_bounds(o.lower, o.upper)
  if o.method == "cem" and o.elites > o.samples then
    arguments.fail("impel.predictive: elites must be <= samples = %d, got %d", o.samples, o.elites)
  end
  local own_model = o.model ~= nil and o.model.world ~= o.plant.world
  if o.when == "step" and not own_model then
    arguments.fail("impel.predictive: when = 'step' needs a model: a world cannot be rolled out inside its own step")
  end
  return o, own_model
end
