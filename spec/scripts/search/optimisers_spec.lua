-- impel.cma and impel.nelder_mead find known minima in about the published numbers of evaluations.

local impel = require "impel"

local cma, nelder_mead = impel.cma, impel.nelder_mead
local eigen = require "impel.search.eigen"
local landscapes = require "support.landscapes"
local with = require "support.with"
local filled, sphere, rastrigin = landscapes.filled, landscapes.sphere, landscapes.rastrigin

local NAN = 0 / 0

-- An ellipsoid with axes from 1 to 1000, condition 1e6.
local function ellipsoid(x)
  local sum = 0
  for i, v in ipairs(x) do sum = sum + 10 ^ (6 * (i - 1) / (#x - 1)) * v * v end
  return sum
end

local function rosenbrock(x)
  local sum = 0
  for i = 1, #x - 1 do sum = sum + 100 * (x[i] ^ 2 - x[i + 1]) ^ 2 + (1 - x[i]) ^ 2 end
  return sum
end

-- Return the median of the number of evaluations over seeds 1 to `seeds`. Every seed must reach the target.
local function median_evaluations(f, options, seeds)
  local counts = {}
  for seed = 1, seeds do
    local _, value, report = cma.minimize(f, with({ seed = seed, budget = 500000 }, options))
    assert.equal("target", report.reason)
    assert.is_true(value <= options.target)
    counts[seed] = report.evaluations
  end
  table.sort(counts)
  return counts[(seeds + 1) // 2]
end

-- Return the number of evaluations until f is at most 1e-9. `start` is the initial value of every coordinate.
local function some_evaluations(f, n, start)
  return median_evaluations(f, { start = filled(n, start), sigma = 0.5, target = 1e-9 }, n < 20 and 3 or 1)
end

local function between(low, high, x)
  assert.is_true(x >= low and x <= high, ("%g is not in %g..%g"):format(x, low, high))
end

-- The number of evaluations for n dimensions grows from the number published for 10 dimensions, at least like n and at
-- most like n^2, within a factor of 1.5.
local function grown(published, n, count)
  local linear, quadratic = published * n / 10, published * (n / 10) ^ 2
  between(math.min(linear, quadratic) / 1.5, math.max(linear, quadratic) * 1.5, count)
end

local function evaluate(f, points)
  local values = {}
  for i, x in ipairs(points) do values[i] = f(x) end
  return values
end

local function bits(points)
  local parts = {}
  for i, x in ipairs(points) do parts[i] = string.pack(("n"):rep(#x), table.unpack(x)) end
  return table.concat(parts)
end

-- Optimisers that the shared cases test: { name, new, minimize }.
local SEARCHES = {
  { "cma", cma.new, cma.minimize }, { "nelder_mead", nelder_mead.new, nelder_mead.minimize },
  { "nelder_mead, speculative", function(options)
    return nelder_mead.new(with(options, { speculative = true }))
  end, function(f, options)
    return nelder_mead.minimize(f, with(options, { speculative = true }))
  end },
}

describe("eigen", function()
  it("gives orthonormal vectors with A v = lambda v", function()
    local g, n, a = impel.rng.new(8), 12, {}
    for i = 1, n do a[i] = {} end
    for i = 1, n do
      for k = 1, i do
        a[i][k] = g:normal()
        a[k][i] = a[i][k]
      end
    end
    local values, vectors = eigen.symmetric(a)
    for p = 1, n do
      for q = 1, n do
        local dot, image = 0, 0
        for k = 1, n do
          dot = dot + vectors[p][k] * vectors[q][k]
          image = image + a[q][k] * vectors[p][k]
        end
        -- Rounding in sums of n products over several sweeps.
        assert.near(p == q and 1 or 0, dot, 1e-14 * n)
        -- Rounding in sums of n products, times the norm of A, about 5.
        assert.near(values[p] * vectors[p][q], image, 1e-14 * n * 5)
      end
    end
  end)

  it("gives small eigenvalues of a graded matrix with full relative accuracy", function()
    -- The determinant is 0.75e-16 and the larger eigenvalue is nearly 1, so the smaller eigenvalue is 0.75e-16.
    local values = eigen.symmetric { { 1, 0.5e-8 }, { 0.5e-8, 1e-16 } }
    table.sort(values)
    assert.near(0.75e-16, values[1], 0.75e-16 * 1e-14)
    assert.near(1, values[2], 1e-15)
  end)
end)

describe("cma", function()
  it("needs about the published number of evaluations, for quadratics to 20 dimensions", function()
    -- Sphere: 1.5e3 to 2.5e3 evaluations in 10 dimensions (Auger and Hansen, CEC 2005, problem 1), proportional to the
    -- dimension.
    for _, n in ipairs { 2, 5, 10, 20 } do
      between(100 * n, 250 * n, some_evaluations(sphere, n, 1))
    end
    -- Hansen's barecmaes2.py, without negative weights: the function value is 5.3e-10 after 6000 evaluations.
    local hansen = { start = filled(10, 0.5), sigma = 0.3, target = 5.3e-10 }
    local passive = median_evaluations(ellipsoid, with(hansen, { active = false }), 3)
    between(6000 / 1.5, 6000 * 1.5, passive)
    local active = median_evaluations(ellipsoid, hansen, 3)
    between(0.5 * passive, 0.9 * passive, active)
    for _, n in ipairs { 2, 5, 20 } do
      grown(6000, n, some_evaluations(ellipsoid, n, 1))
    end
  end)

  it("follows curved valleys: Rosenbrock's, to 20 dimensions", function()
    -- Rosenbrock: 5e3 to 1e4 evaluations in 10 dimensions (Auger and Hansen, CEC 2005, problem 6).
    for _, n in ipairs { 2, 5, 10, 20 } do
      grown(7000, n, some_evaluations(rosenbrock, n, 0))
    end
    -- README of CMAEvolutionStrategy.jl: the function value is 5.6e-12 after 2394 evaluations.
    local function pairwise(x)
      return rosenbrock { x[1], x[2] } + rosenbrock { x[3], x[4] } + rosenbrock { x[5], x[6] }
    end
    between(2394 / 1.5, 2394 * 1.5,
      median_evaluations(pairwise, { start = filled(6, 0), sigma = 1, target = 5.6e-12 }, 5))
  end)

  it("finds the least of Rastrigin's 10^n minima by restarts with a larger population", function()
    for _, n in ipairs { 2, 5 } do
      local box = { start = filled(n, 2.5), lower = filled(n, -5), upper = filled(n, 5), target = 1e-8 }
      local solved, alone = 0, 0
      for seed = 1, 5 do
        local more = { seed = seed, restarts = 6, budget = 200000 }
        local best, _, report = cma.minimize(rastrigin, with(box, more))
        if report.reason == "target" then solved = solved + 1 end
        -- Near the minimum the value is about 20 pi^2 x^2, so a small value means a small x.
        for _, x in ipairs(best) do assert.near(0, x, 1e-5) end
        local _, _, first = cma.minimize(rastrigin, with(box, { seed = seed }))
        if first.reason == "target" then alone = alone + 1 end
      end
      assert.equal(5, solved)
      assert.is_true(alone < 5) -- without restarts a run does not always find the minimum
    end
    -- Rastrigin's function in 10 dimensions: a population of 200 succeeds in about half of the runs, without restarts
    -- (cf. Hansen and Kern 2004).
    local solved = 0
    for seed = 1, 2 do
      local _, _, report = cma.minimize(rastrigin, { start = filled(10, 2.5), lower = filled(10, -5),
        upper = filled(10, 5), seed = seed, population = 200, target = 1e-8, budget = 60000 })
      if report.reason == "target" then solved = solved + 1 end
    end
    assert.equal(1, solved)
  end)

  it("is invariant under rotation of an ellipsoid", function()
    local n, g, basis = 8, impel.rng.new(6), {}
    for i = 1, n do -- random vectors, made orthonormal by the Gram-Schmidt process
      local v = {}
      for k = 1, n do v[k] = g:normal() end
      for _, other in ipairs(basis) do
        local along = 0
        for k = 1, n do along = along + v[k] * other[k] end
        for k = 1, n do v[k] = v[k] - along * other[k] end
      end
      local length = math.sqrt(sphere(v))
      for k = 1, n do v[k] = v[k] / length end
      basis[i] = v
    end
    local function turned(x)
      local y = {}
      for i, v in ipairs(basis) do
        y[i] = 0
        for k = 1, n do y[i] = y[i] + v[k] * x[k] end
      end
      return ellipsoid(y)
    end
    local start = basis[3] -- a unit vector has the same distance from the minimum in both runs
    local straight = median_evaluations(ellipsoid, { start = filled(n, 1 / math.sqrt(n)), target = 1e-9 }, 9)
    local oblique = median_evaluations(turned, { start = start, target = 1e-9 }, 9)
    -- The counts of single runs vary by 10 %.
    assert.near(1, oblique / straight, 0.1)
  end)

  it("proposes the same points, to the bit, for all values of the same order", function()
    local options = { start = { 2, -1, 0.5 }, sigma = 0.4, seed = 3, tol_fun = 0 }
    local one, other = cma.new(options), cma.new(options)
    for generation = 1, 150 do
      local points = one:ask()
      assert.equal(bits(points), bits(other:ask()))
      local values, ranks = evaluate(rosenbrock, points), {}
      for i, value in ipairs(values) do -- ranks have the same order as the values
        ranks[i] = -100 * generation
        for _, another in ipairs(values) do ranks[i] = ranks[i] + (another < value and 1 or 0) end
      end
      one:tell(points, values)
      other:tell(points, ranks)
    end
    local _, value = one:best()
    assert.is_true(value < 1e-8)
  end)

  it("approaches a minimum to the level of the noise", function()
    local g = impel.rng.new(1)
    for seed = 1, 5 do
      local best, _, report = cma.minimize(function(x)
        return sphere(x) + 1e-2 * g:normal()
      end, { start = filled(4, 1), sigma = 0.5, seed = seed, budget = 3000 })
      assert.is_true(sphere(best) < 1e-2) -- the noise is about 1e-2; at the start the sphere function is 4
      assert.equal("stagnation", report.reason)
    end
  end)

  it("gives the reason why it ended", function()
    local function reason(f, options)
      local _, _, report = cma.minimize(f, with({ start = { 1, 1 }, budget = 100000 }, options))
      return report.reason
    end
    assert.equal("tol_fun", reason(sphere, {}))
    assert.equal("tol_x", reason(function(x) return math.sqrt(math.sqrt(sphere(x))) end, { tol_fun = 0, tol_x = 1e-9 }))
    assert.equal("equal_values", reason(function() return 3 end, {}))
    assert.equal("diverged", reason(function(x) return -x[1] end, {}))
    assert.equal("condition", reason(function(x) return x[1] ^ 2 + 1e16 * x[2] ^ 2 end, { tol_fun = 0, tol_x = 0 }))
    assert.equal("no_effect", reason(function(x) return math.abs(x[1] - 1e9) + math.abs(x[2] - 1e9) end,
      { start = { 1e9, 1e9 + 1 }, tol_fun = 0, tol_x = 0 }))
    local g = impel.rng.new(2)
    assert.equal("stagnation", reason(function() return g:normal() end, { lower = { 0, 0 }, upper = { 2, 2 } }))
    assert.equal("budget", reason(sphere, { budget = 20 }))
    local restarted = cma.new { start = { 1, 1 }, restarts = 2 }
    while not restarted:done() do
      local points = restarted:ask()
      restarted:tell(points, evaluate(sphere, points))
    end
    assert.same({ "tol_fun", "tol_fun", "tol_fun" }, restarted.stops)
    assert.equal(2, restarted.restart)
  end)

  it("restarts near its start, or anywhere in its bounds, with twice the population", function()
    local function first_of_second(options)
      local search = cma.new(options)
      while search.restart == 0 do
        local points = search:ask()
        search:tell(points, evaluate(function(x) return (x[1] - 50) ^ 2 + (x[2] - 50) ^ 2 end, points))
      end
      return search:ask()
    end
    local near = first_of_second { start = { 1, 2 }, sigma = 1, restarts = 1 }
    assert.equal(12, #near)
    for _, x in ipairs(near) do
      -- A restart begins within two sigma of `start`. Its points are within six sigma of the restart's beginning.
      between(1 - 2 - 6, 1 + 2 + 6, x[1])
      between(2 - 2 - 6, 2 + 2 + 6, x[2])
    end
    local box = { start = { 1, 2 }, sigma = 1e-3, restarts = 1, lower = { 0, 0 }, upper = { 100, 100 } }
    local sums = { 0, 0 }
    for seed = 1, 20 do
      local x = first_of_second(with(box, { seed = seed }))[1]
      sums[1], sums[2] = sums[1] + x[1] / 20, sums[2] + x[2] / 20
    end
    -- The tolerance is three standard deviations of the mean of 20 uniform numbers from 0 to 100.
    for i = 1, 2 do assert.near(50, sums[i], 3 * 100 / math.sqrt(12 * 20)) end
  end)

  it("proposes the same points on every machine", function()
    local search = cma.new { start = { 1, 2, 3 }, sigma = 0.5, seed = 11, lower = { 0, -9, -9 } }
    local sum = 0
    for _ = 1, 40 do
      local points = search:ask()
      for byte in bits(points):gmatch(".") do sum = (sum ~ byte:byte()) * 0x100000001b3 end -- FNV-1a
      local values = {}
      for i, x in ipairs(points) do values[i] = sphere(x) end
      search:tell(points, values)
    end
    assert.equal("6633ab92d8795ba9", ("%016x"):format(sum))
  end)
end)

describe("nelder_mead", function()
  -- Return the initial simplex of fminsearch and SciPy: x, and for each i a copy of x in which x[i] is 5 % larger, or
  -- 0.00025 if x[i] is 0.
  local function five_percent(x)
    local points = { x }
    for i = 1, #x do
      points[i + 1] = table.move(x, 1, #x, 1, {})
      points[i + 1][i] = x[i] ~= 0 and 1.05 * x[i] or 0.00025
    end
    return points
  end

  local function bare(f, start, more)
    local options = { start = start, sigma = 1, simplex = five_percent(start), restarts = 0 }
    return nelder_mead.minimize(f, with(options, more))
  end

  it("takes exactly as many evaluations as MATLAB's fminsearch on Rosenbrock's function", function()
    -- "Banana Function Minimization", MATLAB documentation: 210 evaluations, 114 iterations from (-1.9, 2).
    local _, value, report = bare(rosenbrock, { -1.9, 2 }, { tol_x = 1e-4, tol_fun = 1e-4 })
    assert.equal(210, report.evaluations)
    assert.is_true(value < 1e-8)
    _, _, report = bare(rosenbrock, { -1.9, 2 }, { tol_x = 1e-4, tol_fun = 1e-4, speculative = true })
    assert.equal(114, report.generations) -- the initial simplex and 113 steps
    -- The documentation of fminsearch: from (-1.2, 1), 159 evaluations, 85 iterations, function value 8.1777e-10.
    _, value, report = bare(rosenbrock, { -1.2, 1 }, { tol_x = 1e-4, tol_fun = 1e-4 })
    assert.equal(159, report.evaluations)
    assert.near(8.1777e-10, value, 1e-14)
  end)

  it("takes exactly as many evaluations as SciPy in 5 dimensions", function()
    -- SciPy tutorial: 571 evaluations to xatol 1e-8, without adaptive parameters.
    local best, _, report = bare(rosenbrock, { 1.3, 0.7, 0.8, 1.9, 1.2 }, { tol_x = 1e-8, tol_fun = 1e-4,
      adaptive = false })
    assert.equal(571, report.evaluations)
    for _, x in ipairs(best) do assert.near(1, x, 1e-8) end
  end)

  it("takes about as many evaluations as Nelder and Mead report", function()
    -- Nelder and Mead (1965): about 150 evaluations to 1e-8 for Rosenbrock's valley, 220 for Powell's quartic.
    local function powell(x)
      return (x[1] + 10 * x[2]) ^ 2 + 5 * (x[3] - x[4]) ^ 2 + (x[2] - 2 * x[3]) ^ 4 + 10 * (x[1] - x[4]) ^ 4
    end
    local _, _, valley = nelder_mead.minimize(rosenbrock, { start = { -1.2, 1 }, sigma = 1, target = 1e-8 })
    between(150 / 1.5, 150 * 1.5, valley.evaluations)
    local _, _, quartic = nelder_mead.minimize(powell, { start = { 3, -1, 0, 1 }, sigma = 1, target = 1e-8 })
    between(220 / 1.5, 220 * 1.5, quartic.evaluations)
  end)

  it("leaves the point at which McKinnon's function traps a simplex", function()
    -- McKinnon, "Convergence of the Nelder-Mead Simplex Method to a Nonstationary Point" (1998): tau = 2, theta = 6,
    -- phi = 60.
    local function mckinnon(p)
      return (p[1] <= 0 and 360 or 6) * p[1] ^ 2 + p[2] + p[2] ^ 2
    end
    local root = math.sqrt(33)
    local simplex = { { 0, 0 }, { 1, 1 }, { (1 + root) / 8, (1 - root) / 8 } }
    local options = { start = { 0, 0 }, sigma = 1, simplex = simplex }
    local stuck, _, report = nelder_mead.minimize(mckinnon, with(options, { restarts = 0 }))
    assert.same({ 0, 0 }, stuck)
    assert.equal("degenerate", report.reason)
    local best, value
    best, value, report = nelder_mead.minimize(mckinnon, options)
    assert.near(-0.25, value, 1e-12)
    assert.near(0, best[1], 1e-6)
    assert.near(-0.5, best[2], 1e-6)
    assert.is_true(report.restarts >= 1)
  end)

  it("reaches the minimum of quadratics to 20 dimensions with adaptive parameters", function()
    for _, n in ipairs { 1, 2, 5, 10, 20 } do
      local best, value = nelder_mead.minimize(sphere, { start = filled(n, 1), sigma = 0.5 })
      assert.is_true(value < 1e-12) -- tol_fun
      assert.is_true(sphere(best) == value)
    end
    local _, value = nelder_mead.minimize(ellipsoid, { start = filled(5, 1), sigma = 0.5 })
    assert.is_true(value < 1e-12)
  end)

  it("moves the simplex in the same way with and without speculative points", function()
    local function seen(options)
      local points = {}
      local _, _, report = nelder_mead.minimize(function(x)
        points[bits { x }] = true
        return rosenbrock(x)
      end, with({ start = { -1.2, 1, 0.3 }, sigma = 0.5 }, options))
      return points, report
    end
    local alone, one = seen {}
    local ahead, four = seen { speculative = true }
    for point in pairs(alone) do assert.is_true(ahead[point]) end
    assert.equal(one.restarts, four.restarts)
    assert.equal(one.reason, four.reason)
    assert.is_true(four.evaluations > 1.5 * one.evaluations and four.generations < 0.7 * one.generations)
  end)

  it("gives the reason why it ended", function()
    local function reason(f, options)
      local _, _, report = nelder_mead.minimize(f, with({ start = { 1, 1 }, budget = 100000 }, options))
      return report.reason
    end
    assert.equal("tol_x", reason(sphere, {}))
    assert.equal("diverged", reason(function(x) return -x[1] end, {}))
    assert.equal("budget", reason(sphere, { budget = 20 }))
    assert.equal("no_effect", reason(function(x) return 1e9 * sphere { x[1] - 3, x[2] - 5 } end,
      { tol_x = 0, tol_fun = 0, restarts = 0 }))
  end)
end)

describe("optimisers", function()
  local function each(f)
    for _, search in ipairs(SEARCHES) do f(search[2], search[3], search[1]) end
  end

  it("propose only points inside the bounds, for any step", function()
    each(function(new)
      local g = impel.rng.new(9)
      local lower, upper = { -2, 0, -math.huge, 5 }, { -1, math.huge, 3, 5.001 }
      local search = new { start = { -1.5, 1, 2, 5 }, sigma = 3, lower = lower, upper = upper, budget = 600 }
      local count = 0
      while not search:done() do
        local points = search:ask()
        for _, x in ipairs(points) do
          count = count + 1
          for i = 1, 4 do assert.is_true(x[i] >= lower[i] and x[i] <= upper[i]) end
        end
        search:tell(points, evaluate(function() return g:normal() end, points))
      end
      assert.is_true(count > 100)
    end)
  end)

  it("find minima on the bounds and minima cut off by bounds", function()
    each(function(_, minimize)
      for _, middle in ipairs { { -1, 0.3 }, { 0, 0.3 }, { 1, 1 }, { 4, -3 } } do
        local function f(x) return (x[1] - middle[1]) ^ 2 + (x[2] - middle[2]) ^ 2 end
        local expected = {}
        for i = 1, 2 do expected[i] = math.min(math.max(middle[i], 0), 1) end
        local best, value = minimize(f, { start = { 0.6, 0.5 }, lower = { 0, 0 }, upper = { 1, 1 }, budget = 20000 })
        assert.near(f(expected), value, 1e-11) -- the tolerance is several times tol_fun
        -- Near a quadratic minimum, an error of 1e-11 in the value is an error of sqrt(1e-11) = 3e-6 in x.
        for i = 1, 2 do assert.near(expected[i], best[i], 4e-6) end
      end
    end)
  end)

  it("measure steps in the width of the bounds, or in a given scale", function()
    each(function(new)
      local narrow = new { start = { 0.5, 50 }, lower = { 0, 0 }, upper = { 1, 100 }, sigma = 0.1 }
      local scaled = new { start = { 0.5, 50 }, scale = { 1, 100 }, sigma = 0.1 }
      assert.equal(bits(narrow:ask()), bits(scaled:ask()))
      local plain = new { start = { 0.5, 0.5 }, sigma = 0.1 }
      for k, x in ipairs(plain:ask()) do
        assert.near(x[1], narrow:ask()[k][1], 1e-15)
        assert.near(100 * x[2], narrow:ask()[k][2], 1e-13)
      end
    end)
  end)

  it("treat the values nan and inf as the worst values", function()
    each(function(new, minimize)
      local best, value = minimize(function(x)
        if x[1] < 0.2 then return NAN end
        return x[2] < 0.2 and math.huge or sphere(x)
      end, { start = { 1, 2 }, sigma = 0.4, budget = 5000 })
      -- The minimum is 0.08, at the corner (0.2, 0.2). The tolerance allows for errors of 1e-4 of x[1] and x[2].
      assert.near(0.08, value, 1e-4)
      assert.is_true(best[1] >= 0.2 and best[2] >= 0.2)
      local none, _, report = minimize(function() return NAN end, { start = { 1, 2 }, budget = 5000 })
      assert.is_nil(none)
      assert.truthy(report.reason)
      local search = new { start = { 1, 2 } }
      assert.is_nil((search:best()))
      local points = search:ask()
      local values = filled(#points, NAN)
      values[2] = -math.huge
      search:tell(points, values)
      best, value = search:best()
      assert.same(points[2], best)
      assert.equal(-math.huge, value)
    end)
  end)

  it("are restored by replaying their values", function()
    each(function(new)
      local options = { start = { -1, 1, 2 }, sigma = 0.7, lower = { -2, -2, -2 } }
      local first, history, asked = new(options), {}, {}
      for k = 1, 80 do
        local points = first:ask()
        asked[k], history[k] = bits(points), evaluate(rosenbrock, points)
        assert.equal(asked[k], bits(first:ask()))
        first:tell(points, history[k])
      end
      local second = new(options)
      for k, values in ipairs(history) do
        local points = second:ask()
        assert.equal(asked[k], bits(points))
        second:tell(points, values)
      end
      assert.equal(bits(first:ask()), bits(second:ask()))
      assert.same({ first:best() }, { second:best() })
      assert.equal(first.evaluations, second.evaluations)
      assert.equal(80, second.generation)
    end)
    local one, other = cma.new { start = { 1, 1 }, seed = 1 }, cma.new { start = { 1, 1 }, seed = 2 }
    assert.not_equal(bits(one:ask()), bits(other:ask()))
  end)

  it("stay within the budget and stop at the target", function()
    each(function(_, minimize)
      for budget = 8, 40 do
        local count = 0
        local _, _, report = minimize(function(x)
          count = count + 1
          return sphere(x)
        end, { start = { 3, 3 }, budget = budget })
        assert.equal("budget", report.reason)
        assert.equal(count, report.evaluations)
        between(budget - 5, budget, count) -- no search starts a generation (up to 6 points) that exceeds the budget
      end
      local _, value, report = minimize(sphere, { start = { 3, 3 }, target = 0.1 })
      assert.equal("target", report.reason)
      assert.is_true(value <= 0.1)
    end)
  end)

  it("are unaffected by changes to returned points, and refuse points that they did not propose", function()
    each(function(new)
      local search = new { start = { 1, 1 } }
      local points = search:ask()
      local before = bits(points)
      local function refused(pattern, p, values)
        assert.error_matches(function() search:tell(p, values) end, pattern)
        assert.equal(before, bits(search:ask()))
        assert.equal(0, search.evaluations)
      end
      refused("list of values expected, got nil", points, nil)
      refused("value 2: number expected, got nil", points, { 1 })
      refused("points must be the %d points that ask returned", { points[1] }, { 1 })
      points[2][1] = points[2][1] + 1
      refused("point 2 differs from the point that ask returned", points, evaluate(sphere, points))
      points = search:ask()
      search:tell(points, evaluate(sphere, points))
      assert.error_matches(function() search:tell(points, filled(#points, 1)) end, "tell: call ask first")
      while not search:done() do
        points = search:ask()
        search:tell(points, evaluate(sphere, points))
      end
      assert.error_matches(function() search:ask() end, "ask: the search is done %(tol_")
      assert.error_matches(function() search:tell(points, {}) end, "tell: the search is done")
    end)
  end)

  it("keep private the state that ask and tell depend on", function()
    for _, module in ipairs { cma, impel.genetic, nelder_mead } do
      local search = module.new { start = { 1, 2 } }
      for _, name in ipairs { "propose", "learn", "resume", "finish" } do assert.is_nil(search[name]) end
    end
  end)

  it("report invalid options at the caller's line, and suggest the nearest name for an unknown option", function()
    local function refused(new, pattern, options)
      local line = debug.getinfo(1, "l").currentline + 1
      local ok, message = pcall(function() new(options) end)
      assert.is_false(ok)
      assert.truthy(message:find(("optimisers_spec.lua:%d:"):format(line), 1, true), message)
      assert.truthy(message:find(pattern), message)
    end
    for _, new in ipairs { cma.new, nelder_mead.new } do
      refused(new, "table of options expected, got nil")
      refused(new, "start: list of numbers expected, got nil", {})
      refused(new, "start%[2%]: finite number expected, got nan", { start = { 1, math.abs(NAN) } })
      refused(new, "start: some numbers expected, got 0", { start = {} })
      refused(new, "unknown option 'sigam' %(did you mean 'sigma'%?%)", { start = { 1 }, sigam = 1 })
      refused(new, "sigma: number >= ", { start = { 1 }, sigma = 0 })
      refused(new, "lower: list of 2 numbers expected, got 1", { start = { 1, 2 }, lower = { 1 } })
      refused(new, "lower%[1%] 3 is not below upper%[1%] 3", { start = { 3 }, lower = { 3 }, upper = { 3 } })
      refused(new, "start%[1%] 5 is outside 0..1", { start = { 5 }, lower = { 0 }, upper = { 1 } })
      refused(new, "scale%[1%]: number > 0 expected, got 0", { start = { 5 }, scale = { 0 } })
      refused(new, "budget: at least ", { start = { 5, 5 }, budget = 2 })
      refused(new, "tol_x: number >= 0 expected, got x", { start = { 5 }, tol_x = "x" })
    end
    for _, search in ipairs(SEARCHES) do
      local minimize = search[3]
      assert.error_matches(function() minimize(nil, { start = { 5 } }) end, "minimize: function expected, got nil")
      assert.error_matches(function() minimize(function() return "x" end, { start = { 5 } }) end,
        "minimize: the function returned x, a number expected")
    end
    for _, minimize in ipairs { cma.minimize, nelder_mead.minimize } do
      local _, message = pcall(function() minimize(sphere, { start = { 5 }, upper = { 1 } }) end)
      local line = debug.getinfo(1, "l").currentline - 1
      assert.truthy(message:find(("optimisers_spec.lua:%d: [%%a_.]+minimize: start%%[1%%] 5 is outside"):format(line)))
    end
    refused(cma.new, "population: whole number expected, got 6.5", { start = { 5 }, population = 6.5 })
    refused(cma.new, "population: number >= 2 expected, got 1", { start = { 5 }, population = 1 })
    refused(cma.new, "seed: integer expected, got 0.5", { start = { 5 }, seed = 0.5 })
    refused(cma.new, "active: true or false expected, got 1", { start = { 5 }, active = 1 })
    refused(nelder_mead.new, "speculative: true or false expected", { start = { 5 }, speculative = 4 })
    refused(nelder_mead.new, "simplex: list of 2 points expected", { start = { 5 }, simplex = { { 5 } } })
    local simplex = { { 5 }, { 1, 2 } }
    refused(nelder_mead.new, "simplex%[2%]: 1 numbers expected, got 2", { start = { 5 }, simplex = simplex })
  end)
end)
