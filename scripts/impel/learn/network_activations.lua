-- Activation functions of neurons, with the same bits on every machine.

local fm = require "impel.math"

local exp = fm.exp
local activations = {}

--- (e^x - e^-x) / (e^x + e^-x), with an absolute error of about 1e-16.
function activations.tanh(x)
  return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)
end

--- 1 / (1 + e^-x), the logistic function, 0..1.
function activations.sigmoid(x)
  return 1.0 / (1.0 + exp(-x))
end

function activations.relu(x)
  return x > 0.0 and x or 0.0
end

function activations.linear(x)
  return x
end

return activations
