-- impel.predictive: control by trying. Again and again the state of the world is copied into a model of it, some
-- sequences of actions are played there for a while ahead, what they cost is compared, and the best is done.
--
--   local function build() ... return { world = world, hinge = hinge } end
--   local plant = build()
--   local controller = impel.predictive {
--     plant = plant, model = build(),          -- the model is another world, built the same way
--     lower = { -2 }, upper = { 2 },           -- of each action
--     apply = function(s, action) s.hinge:coordinate("angle"):set_force(action[1]) end,
--     cost = function(s, action) return (s.hinge.value - math.pi) ^ 2 + 0.1 * action[1] ^ 2 end,  -- a second
--     horizon = 1.5, samples = 30, seed = 1,
--   }
--   plant.world:step(600)                      -- it plans by itself, in the plant's "step" event
--
-- A plan is a curve through `knots` over the horizon, and begins as what is left of the last one. Around it, `samples`
-- curves are drawn (the first is the plan itself), u_k = u + noise (upper - lower) / 2 N(0, 1) at each knot, within the
-- bounds. J_k = sum of cost dt + terminal of each is what a rollout gives. Then the plan becomes
--
--   sampling  the best of them
--             source: Howell et al., "Predictive Sampling: Real-time Behaviour Synthesis with MuJoCo" (2022)
--   mppi      sum of w_k u_k, w_k ~ exp(-(J_k - J_min) / lambda), lambda = temperature (mean J - J_min)
--             source: Williams et al., "Information Theoretic MPC for Model-Based Reinforcement Learning" (2017);
--             lambda by the spread of the costs, so that their unit does not count
--   cem       the mean of the `elites` best, whose deviation is the noise of the next of `iterations`
--             source: Rubinstein, "The Cross-Entropy Method for Combinatorial and Continuous Optimization" (1999)
--
-- What rollouts touch: the model's bodies and joints are put back each time. Handlers of the model run in rollouts,
-- those of the plant do not. State in Lua that apply, cost or handlers change is the caller's: save(plant) gives it,
-- and load(model, saved) sets it, after each time that the model was put back; there the model may also be made
-- coarser (model.world.dt, substeps). A plan makes one string of garbage, the snapshot; rollouts and steps make none.
--
-- Without a model the plant is its own: then plan() is called between two steps, never in a handler, and its handlers
-- run in rollouts.
--
-- What the controller knows is part of the state of the plant's world: after world:restore the same steps give the same
-- bits again.

local arguments = require "impel.base.arguments"
local memory = require "impel.world.memory"
local planning = require "impel.control.predictive_plan"
local read = require "impel.control.predictive_options"
local rng = require "impel.rng"
local rollouts = require "impel.control.predictive_rollouts"

local predictive = {}
local BODIES = { state = false } -- of a snapshot for the model, whose Lua side is another
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

--- A controller that plans by rollouts.
---@param options table  plant: table with world, the one that is controlled; model: the same of another world that was
---  built the same way (default: the plant); lower, upper: lists, of each action; apply(parts, action): sets it, before
---  each step; cost(parts, action) -> number: after each step, for a second; terminal(parts) -> number: after the last;
---  save(plant) -> any, load(model, saved): state in Lua; method: "mppi" (default), "cem", "sampling"; horizon [s], 1;
---  period: from plan to plan [s], 0.05; knots: 6; interpolation: "linear" (default) or "hold"; samples: 24; iterations
---  a plan: 1; noise: deviation in half ranges, 0.3; temperature: of mppi, 0.1; elites: of cem, 5; seed: 0; when:
---  "step": it acts by itself before each step of the plant (default where there is a model), "manual": call update
---@return table controller  enabled: false takes the action away; action: last applied; least: the least cost of the
---  last plan; rollouts: how many there were; save, load: of what it knows
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

--- Plan anew from the plant as it is. The plant is left as it was, also where the rollouts raise an error.
---@return number[] action  for now, in a list that the next plan fills again
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
  if not ok then error(message, 0) end -- it has its line
  return plan:at(plan.nominal, 0.0, self.action)
end

--- Before a step of the plant: plan where it is time to, and apply what the plan says for now.
function Predictive:update()
  if not self.on then return end
  rollouts.check_worlds(self)
  local since = self.planned and self.plant.world.time - self.planned
  -- Half a millionth of a period: times are sums of steps.
  if not since or since < 0 or since >= self.options.period * (1.0 - 5e-7) then
    self:plan()
  else
    self.plan_of:at(self.plan_of.nominal, since, self.action)
  end
  self.options.apply(self.plant, self.action)
end

-- Apply nothing: 0, or what is nearest to it within the bounds.
function Predictive:rest()
  if not self.plant.world:is_valid() then return end
  local o = self.options
  for i = 1, #o.lower do self.action[i] = math.max(o.lower[i], math.min(o.upper[i], 0.0)) end
  o.apply(self.plant, self.action)
end

--- What it knows, as plain data: the plan, when it was made, random numbers. A snapshot of the plant's world has it.
---@param into table|nil  to be filled
---@return table saved
function Predictive:save(into)
  if into ~= nil then arguments.check("predictive:save: into", into, { "table" }) end
  into = into or {}
  local plan = self.plan_of
  into.nominal = table.move(plan.nominal, 1, plan.count, 1, into.nominal or {})
  into.action = table.move(self.action, 1, plan.n, 1, into.action or {})
  into.planned, into.random = self.planned, self.random:state()
  return into
end

--- Go back to what save gave.
---@param saved table
function Predictive:load(saved)
  local plan = self.plan_of
  if type(saved) ~= "table" or type(saved.nominal) ~= "table" or #saved.nominal ~= plan.count then
    arguments.fail("impel.predictive: load: what save gave for a plan of %d numbers expected, got %s", plan.count,
      arguments.got(saved))
  end
  arguments.saved("impel.predictive: load: saved", saved, { action = "table", random = "table" })
  self.random, self.planned = rng.restore(saved.random), saved.planned
  table.move(saved.nominal, 1, plan.count, 1, plan.nominal)
  table.move(saved.action, 1, plan.n, 1, self.action)
end

--- Take the action away for good; a second call does nothing.
function Predictive:destroy()
  if self.on then self.enabled = false end
  for _, name in ipairs { "handler", "watch" } do
    if self[name] then self[name]:destroy() end
  end
  memory.forget(self.plant.world, self)
end

return setmetatable(predictive, { __call = function(_, options) return predictive.new(options) end })
