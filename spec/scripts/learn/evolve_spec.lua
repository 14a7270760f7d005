-- impel.evolve and impel.genetic find known optima. Repeated runs give the same bytes, from any checkpoint and for any
-- number of processes.

local impel = require "impel"
local wire = require "impel.base.wire"
local refused = require "support.refused"
local landscapes = require "support.landscapes"
local with = require "support.with"
local filled, sphere, rastrigin = landscapes.filled, landscapes.sphere, landscapes.rastrigin

local evolve, genetic = impel.evolve, impel.genetic

local function bytes(history)
  local parts = {}
  for _, record in ipairs(history) do
    parts[#parts + 1] = ("%d %a %a %a %d"):format(record.generation, record.best, record.mean, record.worst,
      record.failed)
    for _, x in ipairs(record.genome) do parts[#parts + 1] = ("%a"):format(x) end
  end
  return table.concat(parts, " ")
end

local function evaluate_all(f, genomes)
  local values = {}
  for i, genome in ipairs(genomes) do values[i] = f(genome) end
  return values
end

-- A fitness whose maximum is 0.
local function hill(genome) return -sphere(genome) end

describe("genetic", function()
  local sets = {
    { "the defaults" }, { "truncation", { selection = "truncation" } }, { "uniform", { crossover = "uniform" } },
    { "mutation alone", { crossover = "none" } }, { "decay", { mutation = "decay", decay = 0.955 } },
  }
  for _, set in ipairs(sets) do
    it("finds the bottom of a sphere in ten dimensions: " .. set[1], function()
      for seed = 1, 2 do
        local _, value, report = genetic.minimize(sphere,
          with({ start = filled(10, 3.0), sigma = 0.5, budget = 3990, seed = seed }, set[2]))
        -- The value at the start is 90. A value of 1e-4 means an error of about 3e-3 in each gene.
        assert.is_true(value < 1e-4, ("seed %d: %g"):format(seed, value))
        assert.equal("budget", report.reason)
        assert.equal(3990, report.evaluations)
      end
    end)
  end

  it("moves from a minimum of height 45 of Rastrigin's function to one below 15", function()
    -- The start (3, ..., 3) is a minimum of height 45. In each dimension, steps of 1 towards 0 lead to minima that are
    -- lower by 5, 3 and 1.
    for seed = 1, 3 do
      local _, value = genetic.minimize(rastrigin,
        { start = filled(5, 3.0), sigma = 0.5, budget = 9000, seed = seed, crossover_rate = 1, population = 60 })
      assert.is_true(value < 45 / 3, ("seed %d: %g"):format(seed, value)) -- at most one dimension remains at 3
    end
  end)

  it("evaluates the start first, and the unchanged elite again in the next generation", function()
    local search = genetic.new { start = { 1, 2 }, elite = 2, population = 6, seed = 4 }
    local first = search:ask()
    assert.same({ 1, 2 }, first[1])
    search:tell(first, { 5, 3, 1, 4, 2, 6 })
    local second = search:ask()
    assert.same(first[3], second[1])
    assert.same(first[5], second[2])
  end)

  it("stays within its bounds, and keeps the best candidate in every generation", function()
    local search = genetic.new { start = { 0.5, 0.5 }, lower = { 0, -1 }, upper = { 1, 1 }, sigma = 2, seed = 2 }
    local least = math.huge
    for _ = 1, 20 do
      local points = search:ask()
      local best = math.huge
      for _, x in ipairs(points) do
        assert.is_true(x[1] >= 0 and x[1] <= 1 and x[2] >= -1 and x[2] <= 1)
        best = math.min(best, sphere(x))
      end
      assert.is_true(best <= least)
      least = best
      search:tell(points, evaluate_all(sphere, points))
    end
  end)

  it("makes children by blend crossover, between the parents or a little beyond one of them", function()
    -- Without mutation and with two survivors, every child is between its parents, or beyond a parent by at most a
    -- quarter of their distance.
    local search = genetic.new {
      start = { 0 }, population = 40, elite = 0, selection = "truncation", survivors = 0.05, crossover_rate = 1,
      blend = 0.25, mutation = "decay", decay = 0, seed = 3,
    }
    local points = search:ask()
    local values = {}
    for i = 1, 40 do values[i] = i end -- points 1 and 2 have the smallest values and become the parents
    local a, b = points[1][1], points[2][1]
    local low, width = math.min(a, b), math.abs(a - b)
    search:tell(points, values)
    local beyond = false
    for _, x in ipairs(search:ask()) do
      assert.is_true(x[1] >= low - 0.25 * width - 1e-12 and x[1] <= low + 1.25 * width + 1e-12) -- 1e-12: rounding
      beyond = beyond or x[1] < low or x[1] > low + width
    end
    assert.is_true(beyond)
  end)

  it("takes the first of equal candidates as the elite", function()
    local search = genetic.new { start = filled(2, 1), elite = 3, population = 30, seed = 6 }
    local points, values = search:ask(), filled(30, 4)
    -- An unstable sort would change the order of equal candidates.
    values[20], values[25], values[11] = 2, 2, 2
    search:tell(points, values)
    local elite = search:ask()
    assert.same({ points[11], points[20], points[25] }, { elite[1], elite[2], elite[3] })
    values = filled(30, 4)
    search:tell(elite, values)
    local again = search:ask()
    for k = 1, 3 do assert.same(elite[k], again[k]) end
  end)

  it("mutates the given share of genes", function()
    -- A gene has mutated if it differs from the gene of the only parent.
    for _, share in ipairs { 0, 0.25, 1 } do
      local n, population = 50, 41
      local search = genetic.new {
        start = filled(n, 1), population = population, elite = 1, selection = "truncation", survivors = 0.01,
        crossover = "none", mutation_rate = share, seed = 5,
      }
      local points, values = search:ask(), {}
      for i = 1, population do values[i] = i end
      search:tell(points, values)
      local mutated, children = 0, search:ask()
      for k = 2, population do
        for i = 1, n do
          if children[k][i] ~= points[1][i] then mutated = mutated + 1 end
        end
      end
      -- Four standard deviations of a binomial distribution of 2000 genes.
      assert.near(2000 * share, mutated, 4 * math.sqrt(2000 * share * (1 - share)))
    end
  end)

  it("crosses uniformly: each gene from either parent with equal probability", function()
    local n, population = 50, 40
    local search = genetic.new {
      start = filled(n, 0), population = population, elite = 0, selection = "truncation", survivors = 0.05,
      crossover = "uniform", crossover_rate = 1, mutation_rate = 0, seed = 5,
    }
    local points, values = search:ask(), {}
    for i = 1, population do values[i] = i end -- points 1 and 2 have the smallest values and become the parents
    search:tell(points, values)
    local firsts, mixed, pure = 0, 0, 0
    for _, x in ipairs(search:ask()) do
      local of_first = 0
      for i = 1, n do
        assert.is_true(x[i] == points[1][i] or x[i] == points[2][i])
        if x[i] == points[1][i] then of_first = of_first + 1 end
      end
      if of_first == 0 or of_first == n then
        pure = pure + 1 -- both parents are the same point
      else
        firsts, mixed = firsts + of_first, mixed + 1
      end
    end
    -- Both parents are the same point in half of all cases.
    assert.near(population / 2, pure, 4 * math.sqrt(population) / 2)
    -- Four standard deviations of a binomial distribution.
    assert.near(n * mixed / 2, firsts, 4 * math.sqrt(n * mixed) / 2)
  end)

  it("reports invalid options", function()
    local function bad(options, message)
      assert.error_matches(function() genetic.new(with({ start = { 0 } }, options)) end, message)
    end
    bad({ selection = "roulette" }, "genetic.new: selection: 'tournament', 'truncation' expected, got roulette")
    bad({ elite = 30 }, "elite: less than the population expected, got 30")
    bad({ population = 1 }, "population: number >= 2 expected, got 1")
    bad({ survivors = 2 }, "survivors: number of at most 1 expected, got 2")
    bad({ tournament = 1.5 }, "tournament: whole number expected, got 1.5")
    bad({ elites = 1 }, "unknown option 'elites' %(did you mean 'elite'%?%)")
    bad({ budget = 3 }, "at least a generation of 30 expected")
  end)
end)

describe("evolve", function()
  local usual = { start = filled(5, 2.0), sigma = 0.5, generations = 40, seed = 7, evaluate = hill }

  for _, method in ipairs { "genetic", "cma" } do
    describe("by " .. method, function()
      local options = with(usual, { method = method })

      it("climbs a known hill with a maximum of 0", function()
        local best, fitness, report = evolve.run(with(options, { generations = 150 }))
        assert.is_true(fitness <= 0 and fitness > -1e-6, fitness) -- from -20; seeds 1 to 9 reached -1e-8 or better
        assert.equal(fitness, hill(best))
        assert.equal("generations", report.reason)
        assert.equal(151, report.generations) -- initial generation and 150 more
        assert.equal(151, #report.history)
      end)

      it("reports best, mean, worst and genome of each generation", function()
        local told = {}
        local _, fitness, report = evolve.run(with(options, {
          generations = 3, population = 10,
          evaluate = function(genome, index, generation)
            told[generation] = told[generation] or {}
            told[generation][index] = hill(genome)
            return told[generation][index]
          end,
        }))
        local most = -math.huge
        for k, record in ipairs(report.history) do
          local values = told[k - 1]
          local sum, best, worst = 0, -math.huge, math.huge
          for _, value in ipairs(values) do
            sum, best, worst = sum + value, math.max(best, value), math.min(worst, value)
          end
          assert.equal(10, #values)
          assert.equal(k - 1, record.generation)
          -- Ten numbers are added in a different order.
          assert.near(sum / 10, record.mean, 1e-12 * math.abs(sum))
          assert.same({ best, worst, 0 }, { record.best, record.worst, record.failed })
          assert.equal(best, hill(record.genome))
          most = math.max(most, best)
        end
        assert.equal(most, fitness)
        assert.equal(40, report.evaluations)
      end)

      it("gives the same bytes again, and others for another seed", function()
        local _, _, first = evolve.run(options)
        local _, _, again = evolve.run(options)
        local _, _, other = evolve.run(with(options, { seed = 8 }))
        assert.equal(bytes(first.history), bytes(again.history))
        assert.not_equal(bytes(first.history), bytes(other.history))
      end)

      it("gives the same bytes for any number of processes", function()
        local short = with(options, { generations = 1, population = 5 }) -- 30 processes
        local _, _, here = evolve.run(short)
        for workers = 1, 3 do
          local _, _, apart = evolve.run(with(short, { workers = workers }))
          assert.equal(bytes(here.history), bytes(apart.history))
        end
      end)

      it("gives the bytes of an uninterrupted run after it resumes from an encoded and decoded checkpoint", function()
        local _, _, whole = evolve.run(options)
        local _, _, part = evolve.run(with(options, { each = function(record) return record.generation == 11 end }))
        assert.equal("stopped", part.reason)
        assert.equal(12, #part.history)
        local data = wire.decode(wire.encode(part.checkpoint))
        local count = 0
        local _, _, rest = evolve.run(with(options, { resume = data, each = function() count = count + 1 end }))
        assert.equal(41 - 12, count) -- the resumed run evaluates only missing generations
        assert.equal(bytes(whole.history), bytes(rest.history))
        local loaded = evolve.load(data)
        assert.equal(bytes(part.history), bytes(loaded.history))
        assert.same({ loaded:best() }, { evolve.load(loaded:save()):best() })
      end)
    end)
  end

  it("is the tuner's CMA-ES: it evaluates the candidates of impel.cma", function()
    local search = evolve { method = "cma", start = filled(3, 1.0), sigma = 0.4, seed = 5, generations = 20 }
    local plain = impel.cma.new { start = filled(3, 1.0), sigma = 0.4, seed = 5 }
    while not search:done() do
      local genomes, points = search:ask(), plain:ask()
      assert.same(points, genomes)
      search:tell(genomes, evaluate_all(hill, genomes))
      plain:tell(points, evaluate_all(sphere, points))
    end
    assert.equal(20 + 1, plain.generation)
  end)

  it("restores its world before each evaluation and after the last evaluation", function()
    local world <close> = impel.world { gravity = { 0, 0 } }
    local ball = world:body { type = "particle", mass = 1 }
    world:step()
    local hash = world.hash
    -- A force f on 1 kg in the first step gives the speed f dt. The largest force within the bounds is best.
    local function distance(genome)
      assert.equal(hash, world.hash)
      ball:apply_force(genome[1], 0)
      world:step(10)
      return (ball:position())
    end
    for workers, generations in pairs { [0] = 12, [2] = 0 } do
      local best, fitness = evolve.run {
        start = { 0 }, lower = { -3 }, upper = { 3 }, generations = generations, population = 8, seed = 1,
        evaluate = distance, world = world, workers = workers,
      }
      -- The best value is the bound 3. A mutation beyond the bound is reflected, so the search ends within 1 % of the
      -- range.
      if workers == 0 then assert.near(3, best[1], 0.06) end
      assert.equal(hash, world.hash)
      -- Symplectic Euler: in the first step, each substep moves at the velocity gained so far.
      local n, dt = world.substeps, world.dt
      local expected = best[1] * dt * dt * ((n + 1) / (2 * n) + 9)
      assert.near(expected, fitness, 1e-12) -- rounding in 40 additions
    end
  end)

  it("restores the world if an evaluation raises an error, and passes the error on unchanged", function()
    local world <close> = impel.world { gravity = { 0, 0 } }
    world:step(3)
    local hash = world.hash
    local function run(evaluate) return pcall(evolve.run, { start = { 0 }, world = world, evaluate = evaluate }) end
    local ok, text = run(function(_, index)
      world:step(5)
      if index == 2 then error "the leg came off" end
      return 0
    end)
    assert.is_false(ok)
    assert.truthy(text:match "^spec/scripts/learn/evolve_spec%.lua:%d+: the leg came off$", text)
    assert.equal(hash, world.hash)
    local _, other = run(function() return world:step(1) end)
    assert.truthy(other:find("evaluate returned nil for genome 1 of generation 0, a number expected", 1, true), other)
    assert.equal(hash, world.hash)
  end)

  it("gives each evaluation a genome of its own", function()
    local function spoil(genome)
      local value = hill(genome)
      genome[1], genome[6] = 1e9, 1
      return value
    end
    local options = with(usual, { generations = 3, population = 6 })
    local _, _, whole = evolve.run(options)
    local best, fitness, spoiled = evolve.run(with(options, { evaluate = spoil }))
    assert.equal(bytes(whole.history), bytes(spoiled.history))
    assert.equal(fitness, hill(best))
  end)

  it("ends at a target, and returns nil if every evaluation fails", function()
    local _, fitness, report = evolve.run(with(usual, { target = -1 }))
    assert.equal("target", report.reason)
    assert.is_true(fitness >= -1)
    local best, none, failed = evolve.run(with(usual, { generations = 2, evaluate = function() return 0 / 0 end }))
    assert.is_nil(best)
    assert.is_nil(none)
    assert.same({ -math.huge, 30 }, { failed.history[3].mean, failed.history[3].failed })
  end)

  it("takes the first of equal candidates as the best", function()
    local search = evolve { start = { 0, 0 }, population = 4, seed = 3 }
    local genomes = search:ask()
    local record = search:tell(genomes, { 1, 5, 2, 5 })
    assert.same(genomes[2], record.genome)
    genomes = search:ask()
    search:tell(genomes, { 5, 5, 5, 5 })
    assert.same(record.genome, (search:best()))
  end)

  it("counts failures as the worst, and leaves them out of the mean", function()
    local _, _, report = evolve.run(with(usual, {
      generations = 0, population = 4,
      evaluate = function(_, index) return index == 2 and 0 / 0 or index end,
    }))
    local record = report.history[1]
    assert.same({ 4, (1 + 3 + 4) / 3, -math.huge, 1 }, { record.best, record.mean, record.worst, record.failed })
  end)

  it("reports which genome failed in its process, with the message", function()
    local function run(evaluate, more)
      evolve.run(with(usual, with({ generations = 0, population = 4, workers = 2, evaluate = evaluate }, more)))
    end
    local _, text = pcall(run, function(_, index)
      if index >= 3 then error "the leg came off" end
      return 1
    end)
    assert.truthy(text:match "^impel.evolve: genome 3 of generation 0: exited with status 70:\n.*the leg came off")
    _, text = pcall(run, function() return "far" end)
    assert.truthy(text:find("evaluate returned 'far' (string) for genome 1 of generation 0, a number", 1, true))
    local _, _, report = evolve.run(with(usual, {
      generations = 0, population = 2, workers = 2, timeout = 0.3,
      evaluate = function(_, index)
        while index == 2 do end
        return 1
      end,
    }))
    assert.same({ 1, 1 }, { report.history[1].failed, report.history[1].best })
  end)

  it("refuses invalid arguments at the caller's line", function()
    refused(function() evolve { start = { 0 }, populaton = 3 } end,
      "bad field 'populaton' in impel.evolve %(did you mean 'population'%?%)")
    refused(function() evolve {} end, "impel.evolve needs the field 'start', a table")
    refused(function() evolve { start = { 0 / 0 } } end, "impel.evolve: start%[1%]: finite number expected")
    refused(function() evolve { start = { 0 }, method = "anneal" } end, "must be one of 'genetic', 'cma', got 'anneal'")
    refused(function() evolve { start = { 0 }, method = "cma", elite = 2 } end,
      "field 'elite' requires method = 'genetic'")
    refused(function() evolve { start = { 0 }, elite = 40 } end, "elite: less than the population expected")
    refused(function() evolve.run { start = { 0 } } end, "impel.evolve.run needs the field 'evaluate', a function")
    refused(function() evolve.run { start = { 0 }, evaluate = hill, timeout = 3 } end, "workers = 1 or more")
    refused(function() evolve.load { told = {} } end, "the data of search:save%(%) expected, got a table")
    local data = evolve({ start = { 0 } }):save()
    refused(function() evolve.load { format = data.format, version = 1, told = {} } end, "expected, got a table")
    refused(function()
      evolve.run { start = { 0 }, evaluate = hill, resume = { format = data.format, version = 1, told = {} } }
    end, "impel.evolve.run: resume: the data of search:save%(%) expected, got a table")
    for _ = 1, 20 do -- the named field does not depend on the table's order of traversal
      refused(function() evolve { start = { 0 }, restarts = 1, blend = 1, method = "cma", elite = 1, decay = 1 } end,
        "field 'blend' requires method = 'genetic'")
    end
    refused(function() evolve { start = { 0 }, sigma = 1e200 } end,
      "field 'sigma' must be a finite number in %[1e%-100, 1e%+100%], got 1e%+200")
    refused(function() evolve({ start = { 0 }, sigma = 1e10, scale = { 1e300 } }):ask() end,
      "impel.evolve: ask: gene 1 of genome 2 is %-?inf: sigma or scale is too large")
    local gone = impel.world {}
    gone:destroy()
    refused(function() evolve.run { start = { 0 }, evaluate = hill, world = gone } end,
      "impel.evolve.run: field 'world' is destroyed")
    local lost = impel.world {}
    refused(function()
      evolve.run { start = { 0 }, world = lost, evaluate = function() return lost:destroy() or 1 end }
    end, "impel.evolve: evaluate destroyed the world")
    refused(function() evolve.run { start = { 0 }, evaluate = hill, sigma = 2, resume = data } end,
      "resume: field 'sigma' must have the same value as in the checkpoint")
    local search = evolve { start = { 0 }, population = 2, generations = 0 }
    refused(function() search:tell({ { 0 } }, { 1 }) end, "tell: call ask first")
    local genomes = search:ask()
    refused(function() search:tell(genomes, { 1, "x" }) end, "value 2 must be a number, got 'x'")
    refused(function() search:tell(genomes, { 1 }) end, "value 2: number expected, got nil")
    search:tell(genomes, { 1, 2 })
    refused(function() search:ask() end, "the search is done %(generations%)")
  end)
end)

-- In 30 generations a network learns to hop on one leg.
describe("the evolved hopper", function()
  local function bred()
    local scene = assert(impel.scene.load("examples/evolved_hopper.lua", { seed = 0 }))
    return assert(require("impel.scene.run").new(scene, { seed = 0 }))
  end

  local run, first

  it("has after 30 generations at least 3 times the best fitness of generation 0", function()
    run = bred()
    local history = run.state.history
    assert.equal(31, #history)
    assert.equal(30, history[31].generation)
    assert.is_true(history[31].best >= 3 * history[1].best, history[31].best .. " of " .. history[1].best)
    -- The best value never falls, because the elite is kept.
    for k = 2, 31 do assert.is_true(history[k].best >= history[k - 1].best) end
    first = bytes(history)
  end)

  it("hops in the scene as it did in the evolution", function()
    while not run:done() do assert(run:step()) end
    assert.same({}, run:check())
    local values = run:measure()
    assert.is_true(values.hopped > 5 and values.hops >= 5, values.hopped)
    run:close()
  end)

  it("is the same to the byte when the evolution is repeated", function()
    local again = bred()
    assert.equal(first, bytes(again.state.history))
    again:close()
  end)
end)
