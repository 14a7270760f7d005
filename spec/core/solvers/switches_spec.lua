-- Solver switches for learning: what each switch makes worse, in numbers.

local impel = require "impel"

local near = require("support.measure").near
local g = 9.81

-- N particles of 1 kg that hang on rods of 1 m. Return the world, the joints and the lowest particle.
local function chain(count, options)
  local world = impel.world(options)
  local joints, above = {}, world.ground
  for i = 1, count do
    local link = world:body { type = "particle", mass = 1, position = { 0, -i } }
    joints[i] = world:distance(above, link, {})
    above = link
  end
  return world, joints, above
end

-- Return the largest relative error of a chain's tensions. The expected tension of a joint is g times all masses below
-- the joint.
local function worst_tension(joints)
  local worst = 0
  for i, joint in ipairs(joints) do
    worst = math.max(worst, math.abs(joint.force / (-g * (#joints - i + 1)) - 1))
  end
  return worst
end

local function floor_of(world)
  world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
end

-- A particle on a rod that is 10 mm too long, without gravity.
local function isolated_row(options)
  options.solver, options.gravity = options.solver or "si", { 0, 0 }
  local world = impel.world(options)
  local joint = world:distance(world.ground, world:body { type = "particle", position = { 2, 0 } }, { length = 1.99 })
  return world, joint
end


-- Iterations and order -----------------------------------------------------------------------------------------------

describe("iterations", function()
  it("improve accuracy: each sweep multiplies the error of a chain's tensions by 0.75", function()
    local before
    for count = 12, 30 do
      local world, joints = chain(3, { solver = "si", iterations = count })
      world:step()
      local left = worst_tension(joints)
      if before then near(0.75, left / before, 0.005, ("error after / before sweep %d"):format(count)) end
      before = left
    end
  end)

  it("are listed one by one in world:convergence() if history is set", function()
    local world = chain(10, { solver = "si", iterations = 400, history = true })
    world:step()
    local list = world:convergence()
    assert.equal(400, #list)
    near(math.cos(math.pi / 20) ^ 2, list[400].change / list[399].change, 1e-6, "last change / the one before")
    assert.is_true(list[400].impulse < list[1].impulse and list[400].velocity < list[1].velocity)
    world.history = false
    world:step()
    assert.same({}, world:convergence())
  end)
end)

describe("order", function()
  -- Return the number of sweeps after which the tensions of N links are within 0.1 %, and the number of sweeps until
  -- `tolerance_change` ends the sweeps.
  local function sweeps(count, order)
    local world = chain(count, { solver = "si", order = order, iterations = 10000, tolerance_change = 1e-3 })
    world:step()
    local told = world:residual().sweeps
    for n = told - 2, told + 2 do
      local again, joints = chain(count, { solver = "si", order = order, iterations = n })
      again:step()
      if worst_tension(joints) <= 1e-3 then return n, told, world:residual().reason end
    end
    error "no sweep near the reported one reaches 0.1 %"
  end

  it("from the ground to the tip needs 25, 285, 2593 sweeps for 3, 10, 30 links; the reverse 27, 294, 2622", function()
    for order, counts in pairs { forward = { [3] = 25, [10] = 285, [30] = 2593 },
      backward = { [3] = 27, [10] = 294, [30] = 2622 } } do
      for count, expected in pairs(counts) do
        local needed, told, reason = sweeps(count, order)
        assert.equal("change", reason)
        near(expected, needed, 1, ("%s, N = %d: sweeps"):format(order, count))
        near(expected, told, 1, ("%s, N = %d: sweeps until tolerance_change ends the solve"):format(order, count))
      end
    end
  end)

  it("shuffled depends on the seed: equal seeds give the same bits, different seeds different bits", function()
    local function hash_and_changes(seed)
      local world = chain(10, { solver = "si", order = "shuffled", seed = seed, iterations = 20, history = true })
      world:step(3)
      local changes = {}
      for i, sweep in ipairs(world:convergence()) do changes[i] = sweep.change end
      return { world.hash, changes }
    end
    assert.same(hash_and_changes(1), hash_and_changes(1))
    local one, other = hash_and_changes(1), hash_and_changes(2)
    assert.not_equal(one[1], other[1])
    assert.not_equal(one[2][1], other[2][1])
  end)

  it("shuffled changes from sweep to sweep and converges to the same tensions", function()
    local world, joints = chain(10, { solver = "si", order = "shuffled", iterations = 2000, history = true })
    world:step()
    assert.is_true(worst_tension(joints) < 1e-9) -- rounding
    local list, ratios = world:convergence(), {}
    for n = 101, 110 do ratios[#ratios + 1] = list[n].change / list[n - 1].change end
    table.sort(ratios)
    assert.is_true(ratios[#ratios] - ratios[1] > 0.01) -- in a fixed order all ratios would be 0.9755
  end)
end)

describe("sweeps stop", function()
  local function stop(options)
    options.solver, options.history = "si", true
    options.iterations = options.iterations or 1000
    local world, joints = chain(3, options)
    world:step()
    local residual, list = world:residual(), world:convergence()
    assert.equal(residual.sweeps, #list)
    return residual, list, joints
  end

  it("after a fixed number of them", function()
    local residual = stop { iterations = 7 }
    assert.same({ 7, "iterations" }, { residual.sweeps, residual.reason })
  end)

  it("when no corrective impulse was larger than tolerance_impulse", function()
    local residual, list = stop { tolerance_impulse = 1e-4 }
    assert.equal("impulse", residual.reason)
    assert.is_true(list[#list].impulse < 1e-4 and list[#list - 1].impulse >= 1e-4)
  end)

  it("when no row was farther from its target than tolerance_velocity", function()
    local residual, list = stop { tolerance_velocity = 1e-4 }
    assert.equal("velocity", residual.reason)
    assert.is_true(list[#list].velocity < 1e-4 and list[#list - 1].velocity >= 1e-4)
  end)

  it("when no impulse is expected to change by more than tolerance_change: at 25 sweeps for 3 links", function()
    local residual, _, joints = stop { tolerance_change = 1e-3 }
    assert.equal("change", residual.reason)
    near(25, residual.sweeps, 1, "sweeps")
    local left = worst_tension(joints)
    assert.is_true(left <= 1e-3 and left / 0.75 > 1e-3, left) -- one sweep less is not enough
  end)

  it("at the criterion that is met first, and report it", function()
    assert.equal("impulse", stop({ tolerance_impulse = 1e-2, tolerance_velocity = 1e-9 }).reason)
    assert.equal("velocity", stop({ tolerance_impulse = 1e-9, tolerance_velocity = 1e-2 }).reason)
    assert.equal("iterations", stop({ tolerance_change = 1e-9, iterations = 20 }).reason)
  end)
end)


-- Other switches -----------------------------------------------------------------------------------------------------

describe("warm_start", function()
  it("starts a step from the last impulses; if it is off, every step needs as many sweeps as the first", function()
    local sweeps, first = {}, nil
    for _, warm in ipairs { true, false } do
      local world = chain(10, { solver = "si", warm_start = warm, iterations = 10000, tolerance_impulse = 1e-9,
        sleep = false })
      world:step()
      first = world:residual().sweeps
      world:step(9)
      sweeps[warm] = world:residual().sweeps
    end
    -- The links have hardly moved since the first step.
    near(first, sweeps[false], 5, "without warm start: sweeps of the tenth step")
    assert.is_true(sweeps[true] < first / 50, sweeps[true]) -- the stored impulses are nearly the solution
  end)
end)

describe("accumulate", function()
  it("= false: a tall box that lands flat with restitution 0 rebounds as in test_solvers.c", function()
    local rebound = {}
    for _, accumulate in ipairs { true, false } do
      local world = impel.world { solver = "si", gravity = { 0, 0 }, accumulate = accumulate, iterations = 50 }
      floor_of(world)
      local box = world:body { position = { 0, 1.5 }, velocity = { 0, -1 } }
      box:box { 1, 3, density = 1 / 3, friction = 0 }
      world:step()
      rebound[accumulate] = select(2, box:velocity())
    end
    near(0, rebound[true], 1e-9, "with: rebound [m/s]") -- each sweep contracts the rebound by (0.7 / 1.3)^2
    near(1 / 1.3 + (1 - 0.7 / 1.3) / 1.3 - 1, rebound[false], 1e-9, "without: rebound [m/s]")
  end)
end)

describe("baumgarte", function()
  it("leaves (1 - beta)^n of a position error after n steps; if beta > 2, the error grows", function()
    for _, beta in ipairs { 0, 0.2, 1, 1.9, 2.1 } do
      local world, joint = isolated_row { baumgarte = beta, sleep = false }
      for n = 1, 20 do
        world:step()
        near(0.01 * (1 - beta) ^ n, joint.value - 1.99, 1e-12, ("beta = %g, step %d"):format(beta, n))
      end
    end
  end)

  it("is tuned to 1 for an isolated row: half of the value at which it becomes unstable", function()
    local world = isolated_row {}
    local hash, before = world.hash, world.baumgarte
    local beta, report = impel.baumgarte.tune(world)
    near(1, beta, 0.02, "beta")
    assert.is_true(report.stable < report.unstable and report.unstable <= report.stable + 0.005)
    assert.same({ hash, before }, { world.hash, world.baumgarte })
  end)

  it("is tuned lower if the sweeps do not converge", function()
    local function tuned(iterations)
      local world = impel.world { solver = "si", iterations = iterations, sleep = false }
      local above = world.ground
      for i = 1, 5 do
        local link = world:body { position = { i - 0.5, 0 } }
        link:box { 1, 0.1, mask = 0 }
        world:revolute(above, link, { anchor = { i - 1, 0 } })
        above = link
      end
      return (assert(impel.baumgarte.tune(world)))
    end
    assert.is_true(tuned(1) < 0.6) -- tuned(1) is 0.35
    near(1, tuned(100), 0.02, "beta of a chain that is solved to convergence") -- the beta of an isolated row
  end)

  it("is not tuned if no lock has a position error, or if the solver does not use baumgarte", function()
    local world = isolated_row { solver = "soft" }
    local beta, why = impel.baumgarte.tune(world, { steps = 50 })
    assert.is_nil(beta)
    assert.truthy(why:find("perhaps solver 'soft' does not use world.baumgarte", 1, true))
    beta, why = impel.baumgarte.tune(impel.world { solver = "si" }, { steps = 5 })
    assert.is_nil(beta)
    assert.truthy(why:find("in 5 steps no lock had a position error to correct", 1, true))
    assert.error_matches(function() impel.baumgarte.tune(world, { steps = 0 }) end,
      "impel.baumgarte.tune: field 'steps' must be an integer", nil, true)
  end)
end)

describe("slop", function()
  -- Let a stack of four boxes settle for 2 s. Return the speed of the fastest box in the next 10 s, and the worst
  -- overlap.
  local function stack(slop)
    local world = impel.world { solver = "si", slop = slop, sleep = false }
    floor_of(world)
    for i = 1, 4 do world:body({ position = { 0, i - 0.5 } }):box { 1, 1 } end
    world:step(120)
    local fastest, deepest = 0, 0
    for _ = 1, 600 do
      world:step()
      for body in world:bodies() do
        local vx, vy = body:velocity()
        fastest = math.max(fastest, math.sqrt(vx * vx + vy * vy))
      end
      deepest = math.max(deepest, world:residual().penetration)
    end
    return fastest, deepest
  end

  it("of 0 keeps a stack in motion: boxes that are pushed out separate and fall again", function()
    assert.is_true(stack(0) > 0.1)
    local fastest, deepest = stack(0.005)
    assert.is_true(fastest < 1e-3, fastest) -- at rest
    assert.is_true(deepest < 0.0055, deepest) -- 10 % more than the slop
  end)

  it("that is large leaves a large overlap: only the part beyond the slop is pushed out", function()
    for slop, left in pairs { [0.005] = 0.005, [0.05] = 0.04 } do
      local world = impel.world { solver = "si", slop = slop }
      floor_of(world)
      world:body({ position = { 0, 0.46 } }):box { 1, 1 }
      world:step(300)
      near(left, world:residual().penetration, 0.1 * slop, "overlap of a box that began 40 mm deep")
    end
  end)
end)

describe("relax", function()
  it("off: bodies keep the velocity that pushed them out of overlap", function()
    local speed = {}
    for _, relax in ipairs { true, false } do
      local world = impel.world { relax = relax, gravity = { 0, -10 }, sleep = false }
      floor_of(world)
      local ball = world:body { position = { 0, 0.4 } }
      ball:circle { radius = 0.5 }
      world:step()
      speed[relax] = select(2, ball:velocity())
      world:step(59)
      if relax then near(0.5, select(2, ball:position()), 1e-4, "with: height [m]") end -- the ball lies on the floor
    end
    near(0, speed[true], 1e-5, "with: speed [m/s]") -- the soft solver computes in floats
    near(0.1, speed[false], 2e-3, "without: speed [m/s]") -- push speed: g * 0.01 s
  end)

  it("off keeps a hinged bridge in motion for ever", function()
    local fastest = {}
    for _, relax in ipairs { true, false } do
      local world = impel.world { relax = relax, sleep = false }
      local last, links = world.ground, {}
      for i = 1, 3 do
        links[i] = world:body { position = { i - 0.5, 0 } }
        links[i]:box { 1, 0.1, mask = 0 }
        world:revolute(last, links[i], { anchor = { i - 1, 0 } })
        last = links[i]
      end
      world:revolute(last, world.ground, { anchor = { 3, 0 } })
      local middle = links[2]
      world:step(1740)
      fastest[relax] = 0
      for _ = 1, 60 do
        world:step()
        fastest[relax] = math.max(fastest[relax], math.abs(select(2, middle:velocity())))
      end
    end
    assert.is_true(fastest[true] < 5e-3, fastest[true]) -- after half a minute the bridge still moves at some mm/s
    assert.is_true(fastest[false] > 0.1, fastest[false])
  end)
end)

describe("substeps", function()
  it("stiffen the locks of the soft solver: the sag under a weight is proportional to h^2", function()
    local sag = {}
    for _, count in ipairs { 1, 2, 4, 8 } do
      local world, joints = chain(1, { substeps = count, sleep = false })
      world:step(600)
      sag[count] = joints[1].separation
      -- Rounding of floats.
      near(sag[1] / count ^ 2, sag[count], 1e-5 * sag[1], ("sag at %d substeps [m]"):format(count))
    end
  end)

  it("are more accurate than sweeps: 8 substeps stretch less than 8 sweeps at equal cost", function()
    local stretch = {}
    for _, case in ipairs { { 1, 8 }, { 8, 1 } } do
      local world, _, tip = chain(10, { substeps = case[1], iterations = case[2], sleep = false })
      world:step(300)
      stretch[case[1]] = -10 - select(2, tip:position())
    end
    -- Full convergence would give a ratio of 1 / 64.
    assert.is_true(stretch[8] < 0.1 * stretch[1], stretch[8] / stretch[1])
  end)
end)
