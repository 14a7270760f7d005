-- impel.network: responses compared with sums, recurrent networks with their equations, weights as a genome, no
-- allocation.

local impel = require "impel"
local wire = require "impel.base.wire"

local flat = require "support.flat"
local refused = require "support.refused"
local network = impel.network

local ROUNDING = 1e-15 -- rounding of a few operations on numbers near 1

-- The hyperbolic tangent, independent of impel.math.
local function tanh(x) return (math.exp(x) - math.exp(-x)) / (math.exp(x) + math.exp(-x)) end
local function sigmoid(x) return 1 / (1 + math.exp(-x)) end
local function relu(x) return math.max(x, 0) end
local function linear(x) return x end
local functions = { tanh = tanh, sigmoid = sigmoid, relu = relu, linear = linear }

describe("a feed-forward network", function()
  it("gives the outputs computed by hand, for every activation function", function()
    -- Weights of a 2-3-1 network, in the documented order.
    local w = { 0.1, 1, -2, 0.3, 0.5, 0.25, -0.4, 2, -1, 0.2, 0.7, -0.6, 1.5 }
    local x, y = 0.6, -0.8
    for name, f in pairs(functions) do
      for last, g in pairs(functions) do
        local net = network { layers = { 2, 3, 1 }, activation = name, output = last }
        assert.equal(13, net.size)
        net:set_weights(w)
        local a = f(0.1 + 1 * x - 2 * y)
        local b = f(0.3 + 0.5 * x + 0.25 * y)
        local c = f(-0.4 + 2 * x - 1 * y)
        assert.near(g(0.2 + 0.7 * a - 0.6 * b + 1.5 * c), net:respond({ x, y }, {})[1], ROUNDING)
      end
    end
  end)

  it("has as many weights as its layers define, and finite outputs for large inputs", function()
    local net = network { layers = { 3, 5, 4, 2 } }
    assert.equal(4 * 5 + 6 * 4 + 5 * 2, net.size)
    assert.same({ 3, 2 }, { net.inputs, net.outputs })
    for _, last in ipairs { "tanh", "sigmoid" } do
      local wide = network { layers = { 1, 1 }, output = last }
      wide:set_weights { 0, 1 }
      local out = wide:respond({ 1e6 }, {})
      assert.equal(1, out[1])
      assert.equal(last == "tanh" and -1 or 0, wide:respond({ -1e6 }, out)[1])
    end
  end)

  it("computes exclusive or, by known weights and by evolution", function()
    local net = network { layers = { 2, 2, 1 }, output = "sigmoid" }
    local cases = { { 0, 0, 0 }, { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, 0 } }
    local out = {}
    -- One hidden neuron is active if an input is 1, the other hidden neuron if both inputs are 1. The output is active
    -- if only the first hidden neuron is active.
    net:set_weights { -5, 10, 10, -15, 10, 10, -10, 10, -10 }
    for _, case in ipairs(cases) do assert.near(case[3], net:respond(case, out)[1], 1e-3) end -- sigmoid(10) = 1 - 5e-5
    -- With two hidden neurons many starts fail.
    net = network { layers = { 2, 4, 1 }, output = "sigmoid", seed = 2 }
    for _, method in ipairs { "genetic", "cma" } do
      local best, fitness = impel.evolve.run {
        method = method, start = network({ layers = { 2, 4, 1 }, seed = 2 }):weights(), sigma = 1, seed = 1,
        population = 40, generations = 200, target = -0.01,
        evaluate = function(genome)
          net:set_weights(genome)
          local sum = 0
          for _, case in ipairs(cases) do sum = sum + (net:respond(case, out)[1] - case[3]) ^ 2 end
          return -sum
        end,
      }
      assert.is_true(fitness >= -0.01, method .. ": " .. fitness)
      net:set_weights(best)
      for _, case in ipairs(cases) do
        -- The sum of squared errors is at most 0.01.
        assert.near(case[3], net:respond(case, out)[1], 0.1)
      end
    end
  end)

  it("learns a linear map", function()
    local net = network { layers = { 2, 1 }, output = "linear" }
    local best, fitness = impel.evolve.run {
      method = "cma", start = net:weights(), sigma = 1, seed = 1, generations = 200, target = -1e-10,
      evaluate = function(genome)
        net:set_weights(genome)
        local sum, out = 0, {}
        for _, p in ipairs { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 1, 1 } } do
          sum = sum + (net:respond(p, out)[1] - (0.5 + 2 * p[1] - 3 * p[2])) ^ 2
        end
        return -sum
      end,
    }
    assert.is_true(fitness >= -1e-10)
    net:set_weights(best)
    -- Errors of 1e-5 at the corners of the training square grow, by linear extrapolation to (7, 5), to at most 1e-5 (1
    -- + 2 (7 + 5)).
    assert.near(0.5 + 2 * 7 - 3 * 5, net:respond({ 7, 5 }, {})[1], 25e-5)
  end)
end)

describe("a recurrent network", function()
  it("of Elman's kind feeds its hidden layer back", function()
    local net = network { kind = "elman", layers = { 1, 2, 1 }, output = "linear" }
    assert.equal(2 * (1 + 1 + 2) + 1 * (1 + 2), net.size)
    net:set_weights { 0.1, 0.5, 0.2, -0.3, -0.2, 1, 0.4, 0.6, 0.05, 1, -2 }
    local h1, h2 = 0, 0
    for k = 1, 20 do
      local x = 0.3 * k % 1
      h1, h2 = tanh(0.1 + 0.5 * x + 0.2 * h1 - 0.3 * h2), tanh(-0.2 + x + 0.4 * h1 + 0.6 * h2)
      assert.near(0.05 + h1 - 2 * h2, net:respond({ x }, {})[1], 5 * ROUNDING) -- the rounding error does not grow
    end
    net:reset()
    assert.near(0.05 + tanh(0.1) - 2 * tanh(-0.2), net:respond({ 0 }, {})[1], ROUNDING)
  end)

  it("in continuous time goes to its target as exp(-t / tau), at any step", function()
    for _, h in ipairs { 1e-3, 1 / 60, 0.1, 5 } do
      local net = network { kind = "ctrnn", layers = { 1, 1, 1 }, time_constant = 0.25, step = h, activation = "linear",
        output = "linear" }
      net:set_weights { 0, 2, 0, 0, 1 } -- tau s' = -s + 2 x, y = s
      local out, t = {}, 0
      for _ = 1, 10 do
        t = t + h
        assert.near(2 * 0.7 * (1 - math.exp(-t / 0.25)), net:respond({ 0.7 }, out)[1], 1e-14) -- rounding in ten steps
      end
    end
  end)

  it("in continuous time feeds back the activations of the previous step", function()
    local net = network { kind = "ctrnn", layers = { 1, 2, 1 }, time_constant = 0.1, step = 0.02, output = "linear" }
    net:set_weights { 0.1, 1, 2, -1, -0.3, 0.5, 1.5, 0.7, 0.2, 1, -2 }
    local s1, s2, part = 0, 0, 1 - math.exp(-0.02 / 0.1)
    for k = 1, 30 do
      local x, f1, f2 = k % 5 / 5, tanh(s1), tanh(s2)
      s1 = s1 + part * (0.1 + x + 2 * f1 - f2 - s1)
      s2 = s2 + part * (-0.3 + 0.5 * x + 1.5 * f1 + 0.7 * f2 - s2)
      assert.near(0.2 + tanh(s1) - 2 * tanh(s2), net:respond({ x }, {})[1], 1e-13) -- rounding in 30 steps
    end
  end)

  it("in continuous time couples neurons: two oscillate at the expected frequency", function()
    -- The activation is linear: tau s1' = -s1 + a s1 - b s2, tau s2' = -s2 + b s1 + a s2, with the recurrent weights
    -- a = 1 and b = 3. Because a = 1, the amplitude is constant. The angular frequency is b / tau.
    local net = network { kind = "ctrnn", layers = { 1, 2, 2 }, time_constant = 0.2, step = 1e-4, activation = "linear",
      output = "linear" }
    net:set_weights { 0, 1, 1, -3, 0, 0, 3, 1, 0, 1, 0, 0, 0, 1 }
    local out, turns, before = {}, 0, 0
    net:respond({ 1 }, out)
    for _ = 1, 19000 do
      net:respond({ 0 }, out)
      if before < 0 and out[1] >= 0 then turns = turns + 1 end
      before = out[1]
    end
    -- s1 = cos(15 t) rises through 0 at 3/4 of each turn.
    assert.equal(math.floor(1.9 * 3 / 0.2 / (2 * math.pi) + 1 / 4), turns)
  end)

  it("in continuous time integrates over the given time step, and uses new time constants at once", function()
    local function one()
      return network { kind = "ctrnn", layers = { 1, 1, 1 }, time_constant = { 0.1, 0.4 }, activation = "linear",
        output = "linear", step = 0.05 }
    end
    local net, out = one(), {}
    for g, tau in pairs { [0] = 0.2, [40] = 0.4, [-40] = 0.1 } do
      net:set_weights { 0, 1, 0, 0, 1, g } -- steps of 0.05 s
      net:reset()
      assert.near(1 - math.exp(-0.05 / tau), net:respond({ 1 }, out)[1], ROUNDING)
    end
    net = one()
    net:set_weights { 0, 1, 0, 0, 1, 0 }
    local t = 0
    for k = 1, 20 do -- the step length changes slightly
      local h = 0.05 * (1 + 1e-6 * k)
      t = t + h
      assert.near(1 - math.exp(-t / 0.2), net:respond({ 1 }, out, h)[1], 10 * ROUNDING)
    end
    local before = out[1]
    assert.equal(before, net:respond({ 1 }, out, 0)[1]) -- no time, no change
  end)

  it("has a gene g for each time constant: g = 0 gives the geometric mean of the limits", function()
    local net = network { kind = "ctrnn", layers = { 1, 1, 1 }, time_constant = { 0.1, 0.4 }, activation = "linear",
      output = "linear" }
    assert.equal(3 + 2 + 1, net.size)
    for g, tau in pairs { [0] = 0.2, [40] = 0.4, [-40] = 0.1, [0.5] = 0.2 * 4 ^ (tanh(0.5) / 2) } do
      net:set_weights { 0, 1, 0, 0, 1, g }
      net:reset()
      assert.near(1 - math.exp(-0.05 / tau), net:respond({ 1 }, {}, 0.05)[1], ROUNDING)
      -- The second step is twice as long.
      assert.near(1 - math.exp(-0.15 / tau), net:respond({ 1 }, {}, 0.1)[1], ROUNDING)
    end
  end)
end)

describe("a network", function()
  local kinds = { "feed_forward", "elman", "ctrnn" }

  it("starts with weights from its seed, whose variance is 1 over the number of a neuron's inputs", function()
    local net = network { layers = { 100, 50, 1 }, seed = 3 }
    assert.same(net:weights(), network({ layers = { 100, 50, 1 }, seed = 3 }):weights())
    assert.not_same(net:weights(), network({ layers = { 100, 50, 1 }, seed = 4 }):weights())
    local w, sum, count = net:weights(), 0, 0
    for j = 0, 49 do
      assert.equal(0, w[j * 101 + 1]) -- a bias
      for i = 2, 101 do sum, count = sum + w[j * 101 + i] ^ 2, count + 1 end
    end
    assert.near(1 / 100, sum / count, 4 * math.sqrt(2 / count) / 100) -- four standard errors of the variance
    for _, kind in ipairs { "elman", "ctrnn" } do -- a hidden neuron has 60 inputs and 40 recurrent connections
      local list, squares, n = network({ kind = kind, layers = { 60, 40, 1 }, seed = 3 }):weights(), 0, 0
      for j = 0, 39 do
        assert.equal(0, list[j * 101 + 1])
        for i = 2, 101 do squares, n = squares + list[j * 101 + i] ^ 2, n + 1 end
      end
      assert.near(1 / 100, squares / n, 4 * math.sqrt(2 / n) / 100)
      local last = 0
      for i = 1, 40 do last = last + list[40 * 101 + 1 + i] ^ 2 / 40 end
      assert.near(1 / 40, last, 4 * math.sqrt(2 / 40) / 40) -- the output neuron has 40 hidden neurons as inputs
    end
    local wide = network { layers = { 100, 50, 1 }, seed = 3, scale = 2 }
    assert.near(2 * w[2], wide:weights()[2], ROUNDING)
  end)

  it("has the same weights and memory after it was saved, encoded, decoded and loaded", function()
    for _, kind in ipairs(kinds) do
      local net = network { layers = { 2, 3, 2 }, kind = kind, seed = 9, time_constant = { 0.05, 0.5 } }
      for k = 1, 5 do net:respond({ k / 5, -k / 7 }, {}) end
      local data = wire.decode(wire.encode(net:save()))
      local copy = network.load(data)
      assert.same(net:weights(), copy:weights())
      for k = 1, 5 do assert.same(net:respond({ k / 3, 1 }, {}), copy:respond({ k / 3, 1 }, {})) end
      net:recall(data)
      local again = network.load(data)
      assert.same(again:respond({ 1, 1 }, {}), net:respond({ 1, 1 }, {}))
    end
  end)

  it("computes its outputs without garbage", function()
    for _, kind in ipairs(kinds) do
      local net = network { layers = { 4, 6, 2 }, kind = kind }
      local inputs, outputs, k = { 0, 0, 0, 0 }, {}, 0
      assert.equal(0, flat(function()
        k = k + 1
        inputs[1] = k % 7 / 7
        net:respond(inputs, outputs)
      end))
    end
  end)

  it("refuses invalid arguments at the caller's line", function()
    local net = network { layers = { 2, 1 } }
    refused(function() network { layers = { 2 } } end, "layers must have at least two numbers, got 1")
    refused(function() network { layers = { 2, 0 } } end, "layers%[2%] must be an integer >= 1, got 0")
    refused(function() network { layers = { 2, 3, 3, 1 }, kind = "elman" } end, "{ inputs, hidden, outputs }, got 4")
    refused(function() network { layers = { 2, 1 }, activation = "tan" } end,
      "must be one of 'tanh', 'sigmoid', 'relu', 'linear', got 'tan'")
    refused(function() network { layers = { 2, 1 }, activaton = "tanh" } end, "did you mean 'activation'")
    refused(function() network { layers = { 2, 1, 1 }, kind = "ctrnn", time_constant = 0 } end,
      "field 'time_constant' must be a finite number > 0 %[s, or { least, most }%], got 0")
    refused(function() network { layers = { 2, 1, 1 }, time_constant = { 2, 1 } } end, "2 s is above 1 s")
    refused(function() net:set_weights { 1, 2 } end, "3 weights expected, got 2")
    refused(function() net:set_weights { 1, 2, 0 / 0 } end, "weight 3 must be a finite number, got %-?nan")
    refused(function() net:respond({ 1, 0 / 0 }, {}) end, "input 2 must be a finite number, got %-?nan")
    refused(function() net:respond({ 1 }, {}) end, "input 2 must be a finite number, got nil")
    refused(function() net:respond(nil, {}) end, "network:respond: inputs must be a table, got nil")
    refused(function() net:respond { 1, 2 } end, "network:respond: outputs must be a table, got nil")
    local leaky = network { layers = { 1, 2, 1 }, kind = "ctrnn" }
    local answer = leaky:respond({ 1 }, {})[1]
    for text, h in pairs { ["%-?nan"] = 0 / 0, ["%-1"] = -1, inf = math.huge, ["'x' %(string%)"] = "x" } do
      refused(function() leaky:respond({ 1 }, {}, h) end,
        "network:respond: h must be a finite number >= 0 %[s%], got " .. text)
    end
    leaky:reset()
    assert.equal(answer, leaky:respond({ 1 }, {})[1])
    refused(function() network.load { format = "impel.network" } end, "the data of network:save%(%) expected")
    assert.same({ 0 }, { net:weights()[1] }) -- the rejected weights change nothing
  end)
end)
