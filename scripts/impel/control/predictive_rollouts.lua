-- The rollouts of predictive.lua: action curves simulated on the model, and their costs.

local arguments = require "impel.base.arguments"

local rollouts = {}

local PARTS = { "plant", "model" }

--- Raise if the world of the plant or of the model is destroyed.
---@param parts table  plant, model
function rollouts.check_worlds(parts)
  for _, name in ipairs(PARTS) do
    local part = parts[name]
    if part and not part.world:is_valid() then arguments.fail("impel.predictive: the %s's world is destroyed", name) end
  end
end

--- Raise if a world is destroyed or the model cannot be stepped. Called before any state changes.
function rollouts.check(self)
  rollouts.check_worlds(self)
  local model = self.model.world
  if not pcall(model.step, model, 0) then
    arguments.fail("impel.predictive: plan: cannot be called in a handler of the world that the rollouts step")
  end
end

local function number_of(o, name, value)
  if type(value) ~= "number" then
    arguments.fail_of(o[name], "impel.predictive: %s returned %s, a number expected", name, arguments.got(value))
  end
  return value
end

-- Simulate one curve on the model. Return its cost, infinite if a body became non-finite.
local function roll_out(self, start, saved, curve)
  local o, model = self.options, self.model
  local world, action = model.world, self.trial or {}
  self.trial, self.lost = action, false
  world:restore(start)
  if o.load then o.load(model, saved) end
  local dt, sum, begin = world.dt, 0.0, world.time
  local steps = math.max(1, math.floor(o.horizon / dt + 0.5))
  for _ = 1, steps do
    self.plan_of:at(curve, world.time - begin, action)
    o.apply(model, action)
    world:step(1)
    sum = sum + dt * number_of(o, "cost", o.cost(model, action))
    if self.lost then return math.huge end
  end
  if o.terminal then sum = sum + number_of(o, "terminal", o.terminal(model)) end
  self.rollouts = self.rollouts + 1
  return sum == sum and sum or math.huge
end

--- Simulate the rollouts of a plan and update the plan. start: snapshot of the plant's world; saved: result of the
--- option `save`.
function rollouts.play(self, start, saved)
  local o, plan = self.options, self.plan_of
  for iteration = 1, o.iterations do
    plan:draw(self.random, iteration == 1)
    for k = 1, o.samples do plan.costs[k] = roll_out(self, start, saved, plan.curves[k]) end
    self.least = plan:learn()
  end
end

return rollouts
