-- impel.network: small neural networks from sensor inputs to actuator outputs.
--
--   local net = impel.network { layers = { 4, 6, 2 }, seed = 1 }
--   net:set_weights(genome)
--   net:respond(inputs, outputs)         -- fills outputs
--
-- feed_forward   y = f(b + W x), layer after layer
-- elman          one hidden layer h = f(b + W x + U h'); h': previous h
--                source: Elman, "Finding Structure in Time" (1990)
-- ctrnn          one hidden layer of leaky neurons in continuous time, y = g(b' + V f(s)):
--                  tau_i ds_i/dt = -s_i + b_i + W_i x + U_i f(s)
--                source: Beer, "On the Dynamics of Small Continuous-Time Recurrent Neural Networks" (1995)
--
-- Weights: layer by layer, neuron by neuron: bias, a weight for each input, and in a recurrent layer one for each
-- hidden neuron; then, if time_constant is a range, a gene g for each hidden neuron.
-- Time constant from a gene g in a range: tau = sqrt(lo hi) (hi / lo)^(tanh(g) / 2)

local activations = require "impel.learn.network_activations"
local arguments = require "impel.base.arguments"
local build = require "impel.learn.network_build"
local fm = require "impel.math"

local network = {}
local Network = {}
Network.__index = Network

local FORMAT = "impel.network"
local LIST, TIME = { "table" }, { "number", min = 0, unit = "s" }
local type = type -- local for speed

-- Compute by which fraction each neuron of a ctrnn approaches its target in a step.
local function set_rates(self, h)
  local ratio, middle = self.slowest / self.fastest, math.sqrt(self.fastest * self.slowest)
  local first = #self.list - self.genes
  for i = 1, self.layers[2] do
    local g = self.genes > 0 and self.list[first + i] or 0.0
    local tau = middle * fm.pow(ratio, activations.tanh(g) / 2.0)
    self.rates[i] = 1.0 - fm.exp(-h / tau)
  end
  self.rates_step = h
end

--- Make a network with weights drawn from the seed.
---@param options table
---  layers: { inputs, ..., outputs }: numbers of neurons
---  kind: "feed_forward" (default), "elman" or "ctrnn"
---  activation, output: function of the hidden layers and of the last layer, "tanh" (default), "sigmoid", "relu" or
---  "linear"
---  seed: integer, default 0
---  scale: factor of the weights' standard deviation, default 1
---  time_constant: of the neurons of a ctrnn [s], default 0.1; or the range { least, most }: the weights then contain a
---  gene for the time constant of each hidden neuron
---  step: time between two responses of a ctrnn [s], default 1/60
---@return table network  size: number of weights; inputs, outputs: numbers
function network.new(options)
  return build.fill(setmetatable({}, Network), options)
end

--- Return the weights, in the order described in network.lua.
---@param into number[]|nil  receives the weights
---@return number[]
function Network:weights(into)
  if into ~= nil then arguments.check("network:weights: into", into, { "table" }) end
  return table.move(self.list, 1, self.size, 1, into or {})
end

--- Set all weights. The state of a recurrent network does not change.
---@param list number[]  network.size finite numbers
function Network:set_weights(list)
  arguments.check("network:set_weights: weights", list, { "table" })
  if #list ~= self.size then
    arguments.fail("network:set_weights: %d weights expected, got %d", self.size, #list)
  end
  for i = 1, self.size do
    local w = list[i]
    if type(w) ~= "number" or w - w ~= 0 then
      arguments.fail("network:set_weights: weight %d must be a finite number, got %s", i, arguments.got(w))
    end
  end
  for i = 1, self.size do self.list[i] = list[i] + 0.0 end
  self.rates_step = nil
end

--- Set the state of a recurrent network to 0.
function Network:reset()
  for _, layer in ipairs(self.stack) do
    for i = 1, layer.neurons do layer.values[i], layer.before[i] = 0.0, 0.0 end
  end
end

-- Evaluate a layer with the inputs x. k: index of its first weight. Return its outputs, and the index of the next
-- layer's first weight.
local function forward(self, layer, x, k, leaky)
  local list, f, values, before = self.list, layer.f, layer.values, layer.before
  local inputs, recurrent = layer.inputs, layer.recurrent
  for i = 1, recurrent do before[i] = leaky and f(values[i]) or values[i] end
  for j = 1, layer.neurons do
    local sum = list[k]
    for i = 1, inputs do sum = sum + list[k + i] * x[i] end
    k = k + inputs
    for i = 1, recurrent do sum = sum + list[k + i] * before[i] end
    k = k + recurrent + 1
    if leaky then
      values[j] = values[j] + self.rates[j] * (sum - values[j])
    else
      values[j] = f(sum)
    end
  end
  if not leaky then return values, k end
  for j = 1, layer.neurons do before[j] = f(values[j]) end
  return before, k
end

--- Compute the outputs; a recurrent network advances by a step. Allocates nothing.
---@param inputs number[]  network.inputs finite numbers
---@param outputs number[]  receives network.outputs numbers
---@param h number|nil  of a ctrnn: time since the last response [s], >= 0, default its step
---@return number[] outputs
function Network:respond(inputs, outputs, h)
  if type(inputs) ~= "table" then arguments.check("network:respond: inputs", inputs, LIST) end
  if type(outputs) ~= "table" then arguments.check("network:respond: outputs", outputs, LIST) end
  if h ~= nil then arguments.check("network:respond: h", h, TIME) end
  for i = 1, self.inputs do
    local x = inputs[i]
    if type(x) ~= "number" or x - x ~= 0 then
      arguments.fail("network:respond: input %d must be a finite number, got %s", i, arguments.got(x))
    end
  end
  local leaky = self.kind == "ctrnn"
  if leaky and (h or self.step) ~= self.rates_step then set_rates(self, h or self.step) end
  local x, k = inputs, 1
  for i, layer in ipairs(self.stack) do x, k = forward(self, layer, x, k, leaky and i == 1) end
  for i = 1, self.outputs do outputs[i] = x[i] end
  return outputs
end

-- Return the state of the hidden layer of a recurrent network, or nil.
local function memory(self)
  if self.kind == "feed_forward" then return nil end
  return table.move(self.stack[1].values, 1, self.layers[2], 1, {})
end

--- Return the network as plain data: format, version, options, weights, state of a recurrent network.
function Network:save()
  return {
    format = FORMAT, version = 1, options = build.options(self), weights = self:weights(), state = memory(self),
  }
end

--- Restore the state of a recurrent network.
---@param data table  result of save() of the same network
function Network:recall(data)
  local state = type(data) == "table" and data.state
  if self.kind == "feed_forward" then return end
  if type(state) ~= "table" or #state ~= self.layers[2] then
    arguments.fail("network:recall: the state of %d neurons expected, got %s", self.layers[2], arguments.got(state))
  end
  for i, s in ipairs(state) do self.stack[1].values[i] = arguments.number("network:recall: state", s) end
end

--- Restore a saved network.
---@param data table  result of network:save()
function network.load(data)
  if type(data) ~= "table" or data.format ~= FORMAT or data.version ~= 1 then
    arguments.fail("impel.network.load: the data of network:save() expected, got %s", arguments.got(data))
  end
  local self = network.new(data.options)
  self:set_weights(data.weights)
  self:recall(data)
  return self
end

return setmetatable(network, { __call = function(_, options) return network.new(options) end })
