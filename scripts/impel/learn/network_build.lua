-- The layout and the initial weights of a network of network.lua.

local activations = require "impel.learn.network_activations"
local arguments = require "impel.base.arguments"
local rng = require "impel.rng"

local build = {}

local USUAL_STEP = 1 / 60 -- default step [s]

local FIELDS = {
  layers = { "table" },
  kind = { "choice", "feed_forward", "elman", "ctrnn", default = "feed_forward" },
  activation = { "choice", "tanh", "sigmoid", "relu", "linear", default = "tanh" },
  output = { "choice", "tanh", "sigmoid", "relu", "linear", default = "tanh" },
  seed = { "integer", default = 0 },
  scale = { "number", min = 0, default = 1 },
  time_constant = { "any", default = 0.1 },
  step = { "number", above = 0, unit = "s", default = USUAL_STEP },
}

local function check_layers(layers, kind)
  for i, count in ipairs(layers) do
    arguments.check(("impel.network: layers[%d]"):format(i), count, { "integer", min = 1 })
  end
  if #layers < 2 then arguments.fail("impel.network: layers must have at least two numbers, got %d", #layers) end
  if kind ~= "feed_forward" and #layers ~= 3 then
    arguments.fail("impel.network: layers of kind '%s' must be { inputs, hidden, outputs }, got %d", kind, #layers)
  end
end

-- Return the least and the largest time constant. `value`: a number or { least, largest }.
local function time_constants(value)
  local least, most = value, value
  if type(value) == "table" then least, most = value[1], value[2] end
  local field = { "number", above = 0, unit = "s, or { least, most }" }
  arguments.check("impel.network: field 'time_constant'", least, field)
  arguments.check("impel.network: field 'time_constant'", most, field)
  if least > most then arguments.fail("impel.network: time_constant: %g s is above %g s", least, most) end
  return least, most
end

-- Create layer i. In a recurrent network all layers except the last have recurrent connections.
local function new_layer(self, i)
  local inputs, neurons, last = self.layers[i], self.layers[i + 1], i + 1 == #self.layers
  local recurrent = self.kind ~= "feed_forward" and not last
  local layer = {
    inputs = inputs, neurons = neurons, recurrent = recurrent and neurons or 0,
    f = activations[last and self.output or self.activation], values = {}, before = {},
  }
  for k = 1, neurons do layer.values[k], layer.before[k] = 0.0, 0.0 end
  return layer
end

-- Return the initial weights: random, of variance scale^2 / (inputs of the neuron); biases and time-constant genes: 0.
--   source: LeCun et al., "Efficient BackProp" (1998), 4.6
local function initial(self)
  local random, list = rng.new(self.seed), {}
  for _, layer in ipairs(self.stack) do
    local deviation = self.scale / math.sqrt(layer.inputs + layer.recurrent)
    for _ = 1, layer.neurons do
      list[#list + 1] = 0.0
      for _ = 1, layer.inputs + layer.recurrent do list[#list + 1] = random:normal(0.0, deviation) end
    end
  end
  for _ = 1, self.genes do list[#list + 1] = 0.0 end
  return list
end

--- Set up a network from options.
---@param self table     an empty table
---@param options table  options of network.new
function build.fill(self, options)
  local read = arguments.read("impel.network", options, FIELDS)
  check_layers(read.layers, read.kind)
  for name in pairs(FIELDS) do self[name] = read[name] end
  self.layers = table.move(read.layers, 1, #read.layers, 1, {})
  self.inputs, self.outputs = self.layers[1], self.layers[#self.layers]
  self.stack, self.rates, self.genes = {}, {}, 0
  for i = 1, #self.layers - 1 do self.stack[i] = new_layer(self, i) end
  self.fastest, self.slowest = time_constants(read.time_constant)
  self.time_constant = { self.fastest, self.slowest }
  if self.kind == "ctrnn" and self.slowest > self.fastest then self.genes = self.layers[2] end
  self.list = initial(self)
  self.size = #self.list
  return self
end

--- Return the options that created a network.
function build.options(self)
  local options = {}
  for name in pairs(FIELDS) do options[name] = self[name] end
  options.layers = table.move(self.layers, 1, #self.layers, 1, {})
  options.time_constant = { self.fastest, self.slowest }
  return options
end

return build
