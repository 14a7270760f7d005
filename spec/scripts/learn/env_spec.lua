-- impel.env: the contract of episodes, memory use of a step, faults that env.check reports.

local impel = require "impel"

local flat = require "support.flat"
local refused = require "support.refused"
local with = require "support.with"
local env = impel.env

-- Build a mass of 2 kg on a line. The seed gives the initial position.
local function setup(seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, dt = 1 / 50 }
  local cart = world:body { type = "particle", mass = 2, position = { world:random() - 0.5, 0 } }
  return { world = world, cart = cart }
end

local OPTIONS = {
  setup = setup,
  actions = { { name = "force", lower = -4, upper = 4, unit = "N" } },
  observations = { { name = "x", lower = -10, upper = 10 }, { name = "v" } },
  act = function(s, action) s.cart:apply_force(action[1], 0) end,
  observe = function(s, out)
    out[1] = s.cart:position()
    out[2] = s.cart:velocity()
  end,
  reward = function(s, action) return -(s.cart:position()) ^ 2 - 0.01 * action[1] ^ 2 end,
  terminated = function(s) return math.abs((s.cart:position())) > 3 end,
  time_limit = 20,
}

local function make(more) return env(with(OPTIONS, more)) end

-- Play an episode. Return the numbers of all steps.
local function play(one, seed, steps)
  local random, parts, action = impel.rng.new(99), {}, {}
  local seen = one:reset { seed = seed }
  for k = 1, steps do
    parts[k] = ("%a %a"):format(seen[1], seen[2])
    local reward, terminated, truncated
    action[1] = 8 * random:random() - 4
    seen, reward, terminated, truncated = one:step(action)
    parts[k] = parts[k] .. ("%a"):format(reward)
    if terminated or truncated then break end
  end
  return table.concat(parts, "\n")
end

describe("an environment", function()
  it("follows Newton's law from step to step, as declared", function()
    local one <close> = make()
    local seen, info = one:reset { seed = 3 }
    local x, v = seen[1], seen[2]
    assert.same({ 0, 0, 3 }, { info.time, info.steps, info.seed })
    assert.same({ "force" }, one.action_space.names)
    assert.same({ -10, -math.huge }, one.observation_space.lower)
    for k = 1, 30 do
      local now, reward, terminated, truncated, facts = one:step { 1.5 }
      -- Symplectic Euler under a constant force gives x0 + v0 t + a t (t + h) / 2.
      local t, a = k / 50, 1.5 / 2
      assert.near(x + v * t + a * t * (t + 1 / 50 / one.world.substeps) / 2, now[1], 1e-12) -- rounding in 120 additions
      assert.near(a * t, now[2], 1e-12)
      assert.near(-now[1] ^ 2 - 0.01 * 1.5 ^ 2, reward, 1e-15)
      assert.same({ false, false }, { terminated, truncated })
      assert.near(t, facts.time, 1e-12)
      assert.equal(k, facts.steps)
    end
  end)

  it("gives the same bytes for the same seed and actions, others for another seed", function()
    local one <close> = make()
    local other <close> = make()
    local first = play(one, 5, 100)
    assert.equal(first, play(other, 5, 100))
    play(one, 6, 20)
    assert.equal(first, play(one, 5, 100)) -- earlier episodes have no effect after reset()
    assert.not_equal(first, play(one, 6, 100))
  end)

  it("draws the seed of a reset from the previous seed if no seed is given", function()
    local one <close> = make { seed = 4 }
    local other <close> = make { seed = 4 }
    local seeds = {}
    for k = 1, 3 do
      local _, info = one:reset()
      seeds[k] = info.seed
      assert.equal(seeds[k], select(2, other:reset()).seed)
    end
    assert.not_equal(seeds[1], seeds[2])
    other:reset()
    one:reset { seed = 8 }
    other:reset { seed = 8 }
    assert.equal(select(2, one:reset()).seed, select(2, other:reset()).seed)
  end)

  it("is terminated by the task and truncated by time, and must then be reset", function()
    local one <close> = make { time_limit = 0.5 }
    one:reset { seed = 1 }
    for k = 1, 25 do
      local _, _, terminated, truncated = one:step { 0 }
      assert.same({ false, k == 25 }, { terminated, truncated })
    end
    assert.error_matches(function() one:step { 0 } end, "env:step: the episode was truncated: call env:reset")
    local two <close> = make()
    two:reset { seed = 1 }
    local over, steps = false, 0
    while not over do
      local seen, _, terminated = two:step { 4 }
      over, steps = terminated, steps + 1
      assert.equal(math.abs(seen[1]) > 3, terminated)
    end
    assert.error_matches(function() two:step { 0 } end, "the episode has terminated: call env:reset")
    two:reset { seed = 1 }
    two:step { 0 }
    assert.is_true(steps > 50)
  end)

  it("holds an action over frame_skip steps, and may terminate before the last of these steps", function()
    local one <close> = make()
    local other <close> = make { frame_skip = 4 }
    one:reset { seed = 2 }
    other:reset { seed = 2 }
    local seen
    for _ = 1, 4 do seen = one:step { 2 } end
    assert.same(seen, (other:step { 2 }))
    assert.equal(one.world.hash, other.world.hash)
    assert.near(4 / 50, other.dt, 1e-15)
    local ended = make { frame_skip = 1000 }
    ended:reset { seed = 2 }
    local last, _, terminated, _, info = ended:step { 4 }
    assert.is_true(terminated and math.abs(last[1]) < 3.2 and info.time < 4)
    ended:close()
  end)

  it("clamps actions to their bounds, or refuses them", function()
    local one <close> = make()
    local other <close> = make { clip = false }
    one:reset { seed = 2 }
    other:reset { seed = 2 }
    assert.same((one:step { 4 }), (function()
      local two <close> = make()
      two:reset { seed = 2 }
      return with((two:step { 100 }))
    end)())
    assert.error_matches(function() other:step { 4.5 } end, "action 'force' must be in %[%-4, 4%], got 4.5")
  end)

  it("makes no garbage in a step; copies are new tables", function()
    local one <close> = make { time_limit = 1e6, terminated = function() return false end }
    one:reset { seed = 1 }
    local action, k = { 0 }, 0
    assert.equal(0, flat(function()
      k = k + 1
      action[1] = k % 100 < 50 and 1 or -1
      one:step(action)
    end))
    assert.equal((one:step(action)), (one:step(action)))
    local copying <close> = make { copy = true }
    local first = copying:reset { seed = 1 }
    local x = first[1]
    local second = copying:step { 4 }
    assert.not_equal(first, second)
    assert.equal(x, first[1])
  end)

  it("terminates when a body diverges, and reports the fault in info.fault", function()
    local one <close> = make { act = function(s) s.cart:apply_force(1e14, 0) end,
      reward = function() return 0 end, terminated = function() return false end }
    one:reset { seed = 1 }
    local _, _, terminated, _, info = one:step { 0 }
    assert.is_true(terminated)
    assert.truthy(info.fault:find("stage", 1, true))
    local _, fresh = one:reset { seed = 1 }
    assert.is_nil(fresh.fault)
  end)

  it("adds the task's values to info, and clears them in a reset", function()
    local one <close> = make { info = function(s, info) info.far = s.world.tick == 2 or info.far end }
    one:reset { seed = 1 }
    for k = 1, 3 do
      local _, _, _, _, info = one:step { 0 }
      assert.equal(k >= 2, info.far or false)
    end
    local _, info = one:reset { seed = 1 }
    assert.same({ nil, 0, 1 }, { info.far, info.steps, info.seed })
  end)

  it("may keep one world that its setup restores", function()
    local state = setup(1)
    local start = state.world:snapshot()
    local one = make { setup = function()
      state.world:restore(start)
      return state
    end }
    assert.equal(play(one, 1, 50), play(one, 1, 50))
    one:close()
    assert.is_false(state.world:is_valid())
  end)

  it("runs a scene file as a single run does, with its update, substep and parameters", function()
    local one <close> = env {
      scene = "examples/tune_pd.lua", set = { kp = 1, kd = 1 },
      actions = { { name = "wind", lower = -1, upper = 1 } },
      observations = { { name = "x" } },
      act = function(s, action) s.cart:apply_force(action[1], 0) end,
      observe = function(s, out) out[1] = s.cart:position() end,
      reward = function(s) return -s.cost end,
      time_limit = 2,
    }
    assert.same({}, env.check(one))
    local scene = impel.scene.load "examples/tune_pd.lua"
    local run = assert(require("impel.scene.run").new(scene, { set = { kp = 1, kd = 1 }, seed = 0 }))
    one:reset { seed = 0 }
    for _ = 1, 100 do
      run:step()
      one:step { 0 }
    end
    assert.equal(run.world.hash, one.world.hash)
    assert.equal(run.state.cost, one.state.cost)
    run:close()
  end)

  it("plays episodes of a function or a network", function()
    local one <close> = make { time_limit = 4 }
    -- Critical damping for a mass of 2 kg.
    local function brake(seen, action) action[1] = -10 * seen[1] - 9 * seen[2] end
    local total, steps, terminated = one:episode(brake, { seed = 3 })
    assert.same({ 200, false }, { steps, terminated })
    local net = impel.network { layers = { 2, 1 }, output = "linear" }
    net:set_weights { 0, -10, -9 }
    -- The network computes the force of `brake`.
    assert.near(total, one:episode(net, { seed = 3 }), 1e-9)
    net:set_weights { 4, 0, 0 }
    assert.is_true(select(3, one:episode(net, { seed = 3 })))
    assert.equal(7, select(2, one:episode(brake, { seed = 3, steps = 7 })))
  end)

  it("refuses invalid arguments at the caller's line", function()
    local one <close> = make()
    refused(function() one:step { 0 } end, "env:step: the environment was never reset: call env:reset")
    refused(function() one:reset { sed = 1 } end, "bad field 'sed' in env:reset %(did you mean 'seed'%?%)")
    one:reset()
    refused(function() one:step { 0 / 0 } end, "action 'force' must be a finite number, got %-?nan")
    refused(function() one:step(3) end, "a table of 1 numbers expected, got 3")
    refused(function() make { time_limt = 3 } end, "bad field 'time_limt' in impel.env %(did you mean 'time_limit'%?%)")
    refused(function() make { scene = "x.lua" } end, "one of the fields 'setup' and 'scene'")
    refused(function() make { actions = {} } end, "actions must be a list")
    refused(function() make { actions = { { name = "f", lower = 2, upper = 1 } } } end,
      "actions%[1%]: lower 2 of 'f' is above upper 1")
    refused(function() make { actions = { { name = "f", lower = 0 / 0 } } } end, "field 'lower' must be a number")
    refused(function() make { observations = { { name = "x" }, { name = "x" } } } end, "the name 'x' is used twice")
    refused(function() make({ setup = function() return {} end }):reset() end, "must return a table { world = world")
    refused(function() make({ observe = function(_, out) out[1], out[2] = 1, 0 / 0 end }):reset() end,
      "observe gave %-?nan for 'v', a finite number expected")
    refused(function() make({ observe = function(_, out) out[1], out[2], out[3] = 1, 2, 3 end }):reset() end,
      "observe gave more than 2 numbers")
    local mad <close> = make { reward = function() return nil end }
    mad:reset()
    refused(function() mad:step { 0 } end, "reward gave nil, a finite number expected")
    refused(function() one:step { 0, 0 } end, "env:step: action: a table of 1 numbers expected, got 2")
    refused(function() one:step {} end, "env:step: action 'force' must be a finite number, got nil")
    refused(function() one.step { 0.5 } end,
      "env:step must be called as a method, env:step%(...%), got a table for env")
    refused(function() one.reset { seed = 1 } end, "env:reset must be called as a method")
    refused(function() one.reset() end, "env:reset must be called as a method, env:reset%(...%), got nil for env")
    refused(function() one.episode(function() end) end, "env:episode must be called as a method")
    refused(function() one.close() end, "env:close must be called as a method")
    one:close()
    one:close()
    refused(function() one:step { 0 } end, "the environment is closed: call env:reset")
  end)

  it("refuses a step in which a user's function calls env:reset or destroys the world; a reset works then", function()
    local one
    for name, answer in pairs { act = 0, reward = 0, terminated = false } do
      local calls = 0
      one = make { [name] = function(...)
        calls = calls + 1
        if calls ~= 3 then return OPTIONS[name](...) end
        one:reset { seed = 3 }
        return answer
      end }
      one:reset { seed = 1 }
      one:step { 0 }
      one:step { 0 }
      assert.error_matches(function() one:step { 0 } end, name .. " called env:reset during a step of the environment")
      local fresh <close> = make()
      assert.equal(play(fresh, 5, 10), play(one, 5, 10))
      one:close()
    end
    one = make { act = function(s) s.world:destroy() end }
    one:reset()
    assert.error_matches(function() one:step { 0 } end, "impel.env: act destroyed the world")
    one = make()
    one:reset()
    one.world:destroy()
    assert.error_matches(function() one:step { 0 } end,
      "env:step: the world of the environment was destroyed: call env:reset")
    one:reset { seed = 1 }
    one:step { 0 }
    one:close()
  end)

  it("destroys the world of the last episode in a reset", function()
    local one <close> = make()
    one:reset()
    local worlds = {}
    for k = 1, 5 do
      worlds[k] = one.world
      one:reset()
      assert.is_false(worlds[k]:is_valid())
      assert.is_true(one.world:is_valid())
    end
  end)

  it("samples its spaces: uniformly between two bounds, else about the single bound", function()
    local one = make { actions = {
      { name = "both", lower = -4, upper = 2 }, { name = "least", lower = 5 }, { name = "most", upper = -5 },
      { name = "any" },
    } }
    local random, count = impel.rng.new(3), 4000
    local sum, squares, least, most, into = { 0, 0, 0, 0 }, { 0, 0, 0, 0 }, {}, {}, {}
    for _ = 1, count do
      assert.equal(into, one.action_space:sample(random, into))
      assert.is_nil(one.action_space:problem(into))
      for i, x in ipairs(into) do
        sum[i], squares[i] = sum[i] + x / count, squares[i] + x * x / count
        least[i], most[i] = math.min(least[i] or x, x), math.max(most[i] or x, x)
      end
    end
    -- Between two bounds samples are uniform: mean -1, variance 6^2 / 12. Without bounds samples are normal: mean 0,
    -- variance 1. With one bound, the distance from the bound is the absolute value of a normal number: mean sqrt(2 /
    -- pi), variance 1 - 2 / pi.
    local half = math.sqrt(2 / math.pi)
    local means, variances = { -1, 5 + half, -5 - half, 0 }, { 3, 1 - 2 / math.pi, 1 - 2 / math.pi, 1 }
    for i = 1, 4 do
      assert.near(means[i], sum[i], 4 * math.sqrt(variances[i] / count)) -- four standard errors of the mean
      -- 0.11: four standard errors, relative to the variance.
      assert.near(variances[i], squares[i] - sum[i] ^ 2, 0.11 * variances[i])
    end
    assert.is_true(least[1] < -3.9 and most[1] > 1.9 and least[4] < -2 and most[4] > 2)
    -- Normal noise exceeds two standard deviations in 1 of 22 samples.
    assert.is_true(most[2] > 7 and least[3] < -7)
  end)
end)

describe("env.check", function()
  local function findings(more)
    local one <close> = make(more)
    return env.check(one, { steps = 100 })
  end

  local function finds(more, ...)
    local list = findings(more)
    for _, sentence in ipairs { ... } do
      local found = false
      for _, text in ipairs(list) do found = found or text:find(sentence) ~= nil end
      assert.is_true(found, sentence .. " is not in\n" .. table.concat(list, "\n"))
    end
    assert.equal(select("#", ...), #list, table.concat(list, "\n"))
  end

  it("reports nothing for a correct environment", function()
    assert.same({}, findings())
    assert.same({}, findings { copy = true, frame_skip = 3, time_limit = 0.4 })
  end)

  it("finds observations beyond their bounds", function()
    finds({ observations = { { name = "x", lower = -0.3, upper = 10 }, { name = "v" } } },
      "^[%a ]+, [%a%d ]+: observation: 'x' is %-0%.3%d*, out of %-0%.3..10$")
  end)

  it("finds non-finite numbers and values of the wrong type", function()
    finds({ reward = function(s) return s.world.tick > 5 and 0 / 0 or 1 end },
      "random actions, step 6: step raised: .*reward gave %-?nan")
    finds({ observe = function(s, out) out[1], out[2] = 1, s.world.tick > 2 and math.huge or 0 end },
      "random actions, step 3: step raised: .*observe gave inf for 'v'")
    finds({ terminated = function() return 1 end }, "step raised: .*terminated gave 1, true or false expected")
    finds({ act = function() error "the gripper is stuck" end }, "step raised: .*the gripper is stuck")
  end)

  it("finds unseeded randomness, observed or not", function()
    local random = impel.rng.new(1)
    finds({ observe = function(_, out) out[1], out[2] = random:random(), 0 end },
      "^seed 0 and the same actions gave different results in step 0 %(step 0 is reset%)$")
    finds({ act = function(s, action) s.cart:apply_force(action[1], random:random()) end },
      "^seed 0 and the same actions gave a different world.hash, although the observations are equal$")
  end)

  it("finds faults that appear with another seed only", function()
    finds({ setup = function(seed) return seed == 0 and setup(seed) or error "no such maze" end },
      "^another seed, reset: reset raised: .*no such maze$")
    finds({ setup = function(seed)
      local state = setup(seed)
      state.seed = seed
      return state
    end, reward = function(s) return s.seed == 1 and 0 / 0 or (s.cart:position()) end },
      "^another seed, step 1: step raised: .*reward gave %-?nan")
  end)

  it("finds actions without effect", function()
    finds({ act = function() end, reward = function() return 0 end, terminated = function() return false end },
      "^actions change neither observations nor rewards$")
  end)

  it("accepts any table with the contract, and reports missing parts", function()
    local function text(one) return table.concat(env.check(one), "\n") end
    assert.equal("reset is missing: a method expected\nstep is missing: a method expected\n"
      .. "action_space is missing: { names =, lower =, upper = } expected\n"
      .. "observation_space is missing: { names =, lower =, upper = } expected", text {})
    local bounds = { names = { "u" }, lower = { -1 }, upper = { 1 } }
    local hand = {
      action_space = bounds, observation_space = bounds,
      reset = function(self)
        self.x = 0
        return { 0 }
      end,
      step = function(self, action)
        self.x = self.x + 0.001 * action[1]
        return { self.x, 7 }, "much", nil, math.abs(self.x) > 0.05, {}
      end,
    }
    local list = env.check(hand)
    assert.same({
      "random actions, reset: info is nil, a table expected",
      "random actions, step 1: observation: 1 numbers expected, got 2",
      "random actions, step 1: terminated is nil, true or false expected",
      "random actions, step 1: reward is 'much' (string), a finite number expected",
    }, { list[1], list[2], list[3], list[4] })
    function hand.step(self, action)
      self.x = self.x + 0.001 * action[1]
      return { self.x }, 1, false, math.abs(self.x) > 0.05, {}
    end
    assert.equal("random actions, reset: info is nil, a table expected\n"
      .. "actions at their lower bounds: step must raise an error after the end of an episode", text(hand))
  end)

  it("refuses unknown options", function()
    assert.error_matches(function() env.check({}, { step = 3 }) end, "did you mean 'steps'")
    assert.error_matches(function() env.check(3) end, "impel.env.check: env must be a table, got 3")
  end)
end)
