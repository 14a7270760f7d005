-- impel.predictive: model predictive control by simulation of random actions in a copy of the world.
--
--   local function build() ... return { world = world, hinge = hinge } end
--   local plant = build()
--   local controller = impel.predictive {
--     plant = plant, model = build(),
--     lower = { -2 }, upper = { 2 },           -- bounds of the action
--     apply = function(s, action) s.hinge:coordinate("angle"):set_force(action[1]) end,
--     cost = function(s, action) return (s.hinge.value - math.pi) ^ 2 + 0.1 * action[1] ^ 2 end,  -- per second
--     horizon = 1.5, samples = 30, seed = 1,
--   }
--   plant.world:step(600)
--
-- A plan u is a curve through `knots` points. Random curves are u_k = u + noise (upper - lower) / 2 N(0, 1). A rollout
-- of u_k has the cost J_k = (sum of cost dt) + terminal. The new plan is:
--
--   sampling  the curve with the least cost
--             source: Howell et al., "Predictive Sampling: Real-time Behaviour Synthesis with MuJoCo" (2022)
--   mppi      sum of w_k u_k, w_k ~ exp(-(J_k - J_min) / lambda), lambda = temperature (mean J - J_min)
--             source: Williams et al., "Information Theoretic MPC for Model-Based Reinforcement Learning" (2017)
--   cem       the mean of the `elites` best curves; their standard deviation is the next noise
--             source: Rubinstein, "The Cross-Entropy Method for Combinatorial and Continuous Optimization" (1999)

local arguments = require "impel.base.arguments"
local memory = require "impel.world.memory"
local planning = require "impel.control.predictive_plan"
local read = require "impel.control.predictive_options"
local rng = require "impel.rng"
local rollouts = require "impel.control.predictive_rollouts"

local predictive = {}
-- option of snapshots of the plant: no Lua state, because the model has its own Lua state
local BODIES = { state = false }
local Predictive = memory.of {}
Predictive.__index = function(self, name)
  if name == "enabled" then return self.on end
  return Predictive[name]
end
Predictive.__newindex = function(self, name, value)
  if name ~= "enabled" then
    rawset(self, name, value)
    return
  end
  local was = self.on
  self.on = arguments.check("predictive.enabled", value, { "boolean" })
  if was and not value then self:rest() end
end

--- Make a controller that plans by rollouts.
---@param options table
---  plant: table whose field world is the controlled world
---  model: such a table for another world that was built the same way; default the plant, and then plan() must be
---  called between two steps, never in a handler
---  lower, upper: lists of the bounds of each action
---  apply(parts, action): sets the action before each step
---  cost(parts, action) -> number: cost per second, called after each step
---  terminal(parts) -> number: cost after the last step
---  save(plant) -> any, load(model, saved): Lua state that apply or cost change
---  method: "mppi" (default), "cem" or "sampling"
---  horizon [s], default 1
---  period: time between plans [s], default 0.05
---  knots: number of points of a plan, default 6
---  interpolation: "linear" (default) or "hold"
---  samples: number of rollouts per iteration, default 24
---  iterations: per plan, default 1
---  noise: standard deviation of random actions, relative to (upper - lower) / 2, default 0.3
---  temperature of mppi: default 0.1
---  elites of cem: default 5
---  seed: default 0
---  when: "step" (default with a model): acts before each step of the plant; "manual": the caller calls update()
---@return table controller
---  enabled: false removes the action
---  action: last applied action
---  least: least cost of the last plan
---  rollouts: number so far
---  save, load: its state, which snapshots of the plant's world contain
function predictive.new(options)
  local o, own_model = read(options)
  local self = setmetatable({
    options = o, plant = o.plant, model = o.model or o.plant, on = true, random = rng.new(o.seed),
    plan_of = planning.new(o), action = {}, rollouts = 0,
  }, Predictive)
  if own_model then
    self.watch = self.model.world:on("fault", function() self.lost = true end, { outside = true })
  end
  if o.when == "step" or o.when == nil and own_model then
    self.handler = self.plant.world:on("step", function() self:update() end)
  end
  memory.keep(self.plant.world, self)
  return self
end

--- Make a new plan from the plant's present state, which is restored even if a rollout raises.
---@return number[] action  the present action, in a list that the next plan overwrites
function Predictive:plan()
  rollouts.check(self)
  local o, plan = self.options, self.plan_of
  local world = self.plant.world
  local start, saved, now = world:snapshot(BODIES), o.save and o.save(self.plant), world.time
  if self.planned then plan:shift(math.max(0.0, now - self.planned)) end
  self.planned = now
  local ok, message = pcall(rollouts.play, self, start, saved)
  if self.model.world == world and world:is_valid() then
    world:restore(start)
    if o.load then o.load(self.plant, saved) end
  end
  if not ok then error(message, 0) end -- the message already has its source position
  return plan:at(plan.nominal, 0.0, self.action)
end

--- Plan if a plan is due, and apply the plan's present action. To be called before a step of the plant.
function Predictive:update()
  if not self.on then return end
  rollouts.check_worlds(self)
  local since = self.planned and self.plant.world.time - self.planned
  -- The tolerance is half a millionth of a period, because times are sums of steps with rounding errors.
  if not since or since < 0 or since >= self.options.period * (1.0 - 5e-7) then
    self:plan()
  else
    self.plan_of:at(self.plan_of.nominal, since, self.action)
  end
  self.options.apply(self.plant, self.action)
end

-- Apply the action within the bounds that is nearest to 0.
function Predictive:rest()
  if not self.plant.world:is_valid() then return end
  local o = self.options
  for i = 1, #o.lower do self.action[i] = math.max(o.lower[i], math.min(o.upper[i], 0.0)) end
  o.apply(self.plant, self.action)
end

--- Return the plan, its time, the last action and the state of the random number generator as plain data.
---@param into table|nil  receives the state
function Predictive:save(into)
  if into ~= nil then arguments.check("predictive:save: into", into, { "table" }) end
  into = into or {}
  local plan = self.plan_of
  into.nominal = table.move(plan.nominal, 1, plan.count, 1, into.nominal or {})
  into.action = table.move(self.action, 1, plan.n, 1, into.action or {})
  into.planned, into.random = self.planned, self.random:state()
  return into
end

--- Restore the state returned by save.
function Predictive:load(saved)
  local plan = self.plan_of
  if type(saved) ~= "table" or type(saved.nominal) ~= "table" or #saved.nominal ~= plan.count then
    arguments.fail("impel.predictive: load: the result of save for a plan of %d numbers expected, got %s", plan.count,
      arguments.got(saved))
  end
  arguments.saved("impel.predictive: load: saved", saved, { action = "table", random = "table" })
  self.random, self.planned = rng.restore(saved.random), saved.planned
  table.move(saved.nominal, 1, plan.count, 1, plan.nominal)
  table.move(saved.action, 1, plan.n, 1, self.action)
end

--- Destroy the controller and remove its action. A second call does nothing.
function Predictive:destroy()
  if self.on then self.enabled = false end
  for _, name in ipairs { "handler", "watch" } do
    if self[name] then self[name]:destroy() end
  end
  memory.forget(self.plant.world, self)
end

return setmetatable(predictive, { __call = function(_, options) return predictive.new(options) end })
