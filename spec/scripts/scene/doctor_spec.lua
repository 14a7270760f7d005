-- impel.doctor: reports on worlds with known numbers; output of `impel doctor`.

local impel = require "impel"
local doctor = require "impel.doctor"
local gauss_seidel = require "impel.world.gauss_seidel"

local near = require("support.measure").near
local shared = require "support.program"

-- Build a hanging chain of `count` links of 1 m and 1 kg. `last`: mass of the last link [kg]. Links are particles on
-- distance joints, or rods on hinges if `rods` is true.
local function chain(options, count, last, rods)
  local world = impel.world(options)
  local above = world.ground
  for i = 1, count do
    local mass, link = i == count and last or 1
    if rods then
      link = world:body { position = { 0, 0.5 - i } }
      link:box { 0.1, 1, density = 10 * mass, mask = 0 }
      world:revolute(above, link, { anchor = { 0, 1 - i } })
    else
      link = world:body { type = "particle", mass = mass, position = { 0, -i } }
      world:distance(above, link, {})
    end
    above = link
  end
  return world
end


describe("doctor.report", function()
  it("names the joint with the largest gap, its gap and its load", function()
    local world = impel.world { solver = "soft", sleep = false }
    local bars = {}
    for i, mass in ipairs { 1, 50, 5 } do
      bars[i] = world:body { position = { 3 * i, -0.5 } }
      bars[i]:box { 0.1, 1, density = 10 * mass, mask = 0 }
      world:revolute(world.ground, bars[i], { anchor = { 3 * i, 0 }, name = "pin " .. i })
    end
    assert.is_nil(doctor.report(world).softest) -- before any step no joint has a load
    local spring = world:revolute(bars[2], world.ground, { anchor = { 6, -1 }, name = "shove" })
    spring:coordinate "y":set_lock(-0.4)
    world:step(120)
    local softest, most = doctor.report(world).softest, spring
    for joint in world:joints() do most = joint.gap > most.gap and joint or most end
    assert.equal(tostring(most), softest.joint)
    assert.equal(most.gap, softest.gap)
    local fx, fy = most:reaction()
    near(softest.force, math.sqrt(fx * fx + fy * fy), 1e-9, "the load of the softest joint [N]")
    local report = doctor.report(world)
    assert.equal(2, report.open)
    local text = doctor.text(report)
    assert.matches("largest gap +revolute '%w+ ?%d?': [%d.]+ mm at a force of [%d.e+]+ N", text)
    assert.matches("2 joints are open", text)
  end)
end)


-- Linkages -----------------------------------------------------------------------------------------------------------

-- Build a world of bars between named points. The bar "ground" is the ground. An element of `pins` is a point and the
-- bars at this point, all pinned to the first bar.
local function linkage(points, bars, pins)
  local world = impel.world {}
  local made = { ground = world.ground }
  for _, bar in ipairs(bars) do
    local p, q = points[bar:sub(1, 1)], points[bar:sub(2, 2)]
    local dx, dy = q[1] - p[1], q[2] - p[2]
    made[bar] = world:body { name = bar, position = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2 },
      angle = math.atan(dy, dx) }
    made[bar]:box { math.sqrt(dx * dx + dy * dy), 0.05, mask = 0 }
  end
  for _, pin in ipairs(pins) do
    for i = 3, #pin do world:revolute(made[pin[2]], made[pin[i]], { anchor = points[pin[1]] }) end
  end
  return world, made
end

local linkages = {
  ["a four-bar"] = { 1, 0, function()
    return linkage({ A = { 0, 0 }, B = { 0.3, 0.8 }, C = { 2.4, 1.5 }, D = { 2, 0 } }, { "AB", "BC", "CD" },
      { { "A", "ground", "AB" }, { "B", "AB", "BC" }, { "C", "BC", "CD" }, { "D", "ground", "CD" } })
  end },
  ["a slider-crank"] = { 1, 0, function()
    local world, bars = linkage({ A = { 0, 0 }, B = { 0.3, 0.4 }, C = { 1.5, 0 } }, { "AB", "BC" },
      { { "A", "ground", "AB" }, { "B", "AB", "BC" } })
    local slider = world:body { position = { 1.5, 0 } }
    slider:box { 0.2, 0.1, mask = 0 }
    world:revolute(bars.BC, slider, { anchor = { 1.5, 0 } })
    world:prismatic(world.ground, slider, { axis = { 1, 0 } })
    return world
  end },
  ["a triangle of bars on the ground"] = { 0, 0, function()
    return linkage({ A = { 0, 0 }, B = { 1, 1.5 }, C = { 2, 0 } }, { "AB", "BC" },
      { { "A", "ground", "AB" }, { "B", "AB", "BC" }, { "C", "ground", "BC" } })
  end },
  ["a parallelogram with a third crank"] = { 1, 1, function()
    return linkage({ A = { 0, 0 }, B = { 0.3, 1 }, C = { 1, 0 }, D = { 1.3, 1 }, E = { 2, 0 }, F = { 2.3, 1 } },
      { "AB", "CD", "EF", "BF" },
      { { "A", "ground", "AB" }, { "C", "ground", "CD" }, { "E", "ground", "EF" }, { "B", "BF", "AB" },
        { "D", "BF", "CD" }, { "F", "BF", "EF" } })
  end },
  ["a five-bar"] = { 2, 0, function()
    return linkage({ A = { 0, 0 }, B = { -0.3, 0.9 }, C = { 0.8, 1.7 }, D = { 1.9, 1 }, E = { 1.5, 0 } },
      { "AB", "BC", "CD", "DE" },
      { { "A", "ground", "AB" }, { "B", "AB", "BC" }, { "C", "BC", "CD" }, { "D", "CD", "DE" },
        { "E", "ground", "DE" } })
  end },
  -- Watt's six-bar: the rocker of the four-bar ABCD drives a second four-bar DEFG. CD and CE are one body.
  ["Watt's six-bar"] = { 1, 0, function()
    local world, bars = linkage({ A = { 0, 0 }, B = { 0.3, 0.8 }, C = { 2.4, 1.5 }, D = { 2, 0 }, E = { 3.1, 1.9 },
      F = { 3.9, 0.9 }, G = { 3.5, 0 } }, { "AB", "BC", "CD", "CE", "EF", "FG" },
      { { "A", "ground", "AB" }, { "B", "AB", "BC" }, { "C", "BC", "CD" }, { "D", "ground", "CD" },
        { "E", "CE", "EF" }, { "F", "EF", "FG" }, { "G", "ground", "FG" } })
    world:weld(bars.CD, bars.CE, { anchor = { 2.4, 1.5 } })
    return world
  end },
  -- Stephenson's six-bar: the point E of the coupler drives two bars, EF and FG, to the ground. BC and CE are one body.
  ["Stephenson's six-bar"] = { 1, 0, function()
    local world, bars = linkage({ A = { 0, 0 }, B = { 0.3, 0.8 }, C = { 2.4, 1.5 }, D = { 2, 0 }, E = { 1.2, 2.2 },
      F = { 3.6, 2.4 }, G = { 3.9, 0.1 } }, { "AB", "BC", "CD", "CE", "EF", "FG" },
      { { "A", "ground", "AB" }, { "B", "AB", "BC" }, { "C", "BC", "CD" }, { "D", "ground", "CD" },
        { "E", "CE", "EF" }, { "F", "EF", "FG" }, { "G", "ground", "FG" } })
    world:weld(bars.BC, bars.CE, { anchor = { 2.4, 1.5 } })
    return world
  end },
  -- Peaucellier's cell moves the point D on a straight line: two arms, OA and OB, the rhombus ACBD and the crank QC.
  ["Peaucellier's cell"] = { 1, 0, function()
    return linkage({ O = { 0, 0 }, A = { 2, 1 }, B = { 2, -1 }, C = { 1.2, 0 }, D = { 2.8, 0 }, Q = { 0.6, 0 } },
      { "OA", "OB", "AC", "CB", "BD", "DA", "QC" },
      { { "O", "ground", "OA", "OB" }, { "A", "OA", "AC", "DA" }, { "B", "OB", "CB", "BD" },
        { "C", "AC", "CB", "QC" }, { "D", "BD", "DA" }, { "Q", "ground", "QC" } })
  end },
}

describe("the mobility", function()
  for name, case in pairs(linkages) do
    it(("of %s is %d, with %d redundant locks"):format(name, case[1], case[2]), function()
      local report = case[3]():doctor()
      assert.same({ case[1], case[2] }, { report.mobility, #report.redundant })
      assert.equal(report.mobility, report.freedom - report.rank)
    end)
  end

  it("names the redundant locks", function()
    local world = chain({}, 2, 1, true)
    local bodies = {}
    for body in world:bodies() do bodies[#bodies + 1] = body end
    world:revolute(bodies[1], bodies[2], { anchor = { 0, -1 }, name = "second pin" })
    local report = world:doctor()
    assert.same({ "x of revolute 'second pin'", "y of revolute 'second pin'" }, report.redundant)
    assert.equal("direct", report.suggested)
    assert.truthy(report.warnings[1]:find("2 locks follow from other locks", 1, true))
  end)
end)


-- Masses -------------------------------------------------------------------------------------------------------------

describe("contradictory locks", function()
  -- Build three parallel cranks of 1 m on one coupler. `extra`: additional length of the third crank [m].
  local function cranks(solver, extra)
    local world = impel.world { solver = solver, sleep = false }
    local c, s = math.cos(1), math.sin(1)
    local coupler = world:body { position = { 2 + c, s } }
    coupler:box { 4, 0.05, mask = 0 }
    for i = 0, 2 do
      local l = i == 2 and 1 + extra or 1
      local crank = world:body { position = { 2 * i + c * l / 2, s * l / 2 }, angle = 1 }
      crank:box { l, 0.05, mask = 0 }
      world:revolute(world.ground, crank, { anchor = { 2 * i, 0 }, name = "foot" .. i })
      world:revolute(crank, coupler, { local_anchor_a = { l / 2, 0 }, local_anchor_b = { 2 * i - 2, 0 },
        name = "pin" .. i })
    end
    return world
  end

  it("are reported with the gaps of their joints", function()
    for _, solver in ipairs { "direct", "reduced", "soft", "si" } do
      local world = cranks(solver, 0.01)
      world:step()
      local hash = world.hash
      local report = doctor.report(world)
      assert.equal(hash, world.hash)
      local found = assert(report.contradiction, solver)
      -- The third crank is 10 mm too long, so the gaps of all joints add up to about 10 mm.
      assert.is_true(found.sum > 0.004 and found.sum < 0.015, ("%s: %.4g m"):format(solver, found.sum))
      assert.is_true(found.gap <= found.sum)
      local words = table.concat(report.warnings, "\n")
      local expected = (": %s is open by %.3g mm, all joints together by %.3g mm"):format(found.joint, 1e3 * found.gap,
        1e3 * found.sum)
      assert.matches("locks contradict each other, so the joints cannot all close", words)
      assert.truthy(words:find(expected, 1, true), words)
      for _, wrong in ipairs { "arbitrary", "dead centre", "linearly dependent" } do
        assert.is_nil(words:find(wrong, 1, true), solver .. ": " .. words)
      end
      assert.equal("direct", report.suggested)
      assert.matches("contradict", report.reason)
    end
  end)

  it("are not reported if a redundant lock is satisfied, or if a load opens joints near a dead centre", function()
    local world = cranks("soft", 0)
    world:step()
    local report = doctor.report(world)
    assert.is_nil(report.contradiction)
    assert.truthy(table.concat(report.warnings, "\n"):find(
      "1 lock follows from other locks: the solver divides the forces among them arbitrarily", 1, true))
    -- A toggle: two rods in line, hinged to each other and to the ground. A transverse load of 2 N acts in the middle.
    local toggle = impel.world { gravity = { 0, 0 }, sleep = false }
    local above = toggle.ground
    for i = 0, 1 do
      local rod = toggle:body { position = { i + 0.5, 0 } }
      rod:box { 1, 0.05, mask = 0 }
      toggle:revolute(above, rod, { anchor = { i, 0 } })
      above = rod
    end
    toggle:revolute(above, toggle.ground, { anchor = { 2, 0 } })
    toggle:on("step", function() above:apply_force(0, -2, 1, 0) end)
    toggle:step(30)
    local opened = doctor.report(toggle)
    assert.is_true(opened.softest.gap > 1e-5)
    assert.is_nil(opened.contradiction)
  end)
end)

describe("a step that has not converged", function()
  -- Build a four-bar whose crank and coupler are in line, with a locked rocker and a torque of 10 N m on the crank.
  local function dead_centre(solver)
    local a, b, c, d = 0.5, 1.8, 1.2, 2
    local turn = math.acos((d * d + (a + b) ^ 2 - c * c) / (2 * d * (a + b)))
    local x, y = math.cos(turn), math.sin(turn)
    local world, bars = linkage({ A = { 0, 0 }, B = { a * x, a * y }, C = { (a + b) * x, (a + b) * y }, D = { d, 0 } },
      { "AB", "BC", "CD" }, { { "B", "AB", "BC" }, { "C", "BC", "CD" } })
    world:set_gravity(0, 0)
    world.solver, world.dt = solver, 1 / 240
    local crank = world:revolute(world.ground, bars.AB, { anchor = { 0, 0 } })
    world:revolute(world.ground, bars.CD, { anchor = { d, 0 } }):coordinate():set_lock()
    crank:coordinate():set_force(10)
    return world
  end

  it("is reported as stalled if the solver 'direct' found no forces that satisfy all rows", function()
    local world, stalled = dead_centre "direct", nil
    for _ = 1, 60 do
      world:step()
      local residual = world:residual()
      assert.equal(residual.error <= 0.01 and residual.reason ~= "stalled", residual.converged)
      local words = table.concat(doctor.report(world).warnings, "\n")
      if residual.reason == "stalled" then
        stalled = true
        assert.truthy(words:find("the last step stalled: direct found no forces that satisfy all rows", 1, true))
      end
      assert.is_nil(words:find("gravity", 1, true), words)
    end
    assert.is_true(stalled)
  end)
end)

describe("masses", function()
  it("are named: the lightest, the heaviest, and the largest ratio at a contact or joint", function()
    local world = impel.world { gravity = { 0, 0 } }
    local function particle(name, mass, x)
      return world:body { type = "particle", name = name, mass = mass, position = { x, 0 } }
    end
    local a, b, c, d = particle("a", 2, 0), particle("b", 30, 1), particle("c", 6000, 2), particle("d", 0.5, 3)
    world:distance(a, b, { name = "ab" })
    world:distance(c, b, { name = "cb" })
    world:distance(a, d, { name = "ad" })
    local report = world:doctor()
    assert.equal(4, report.bodies)
    assert.same({ body = tostring(d), mass = 0.5 }, report.lightest)
    assert.same({ body = tostring(c), mass = 6000 }, report.heaviest)
    local ratio = report.mass_ratio
    near(200, ratio.ratio, 1e-12, "6000 / 30")
    assert.same({ tostring(b), tostring(c), "lock" }, { ratio.light, ratio.heavy, ratio.kind })
    assert.truthy(ratio.owner:find "'cb'")
    assert.truthy(report.warnings[1]:find "1 : 200")
  end)

  it("are effective masses of the row: for a transverse force at its end, a rod has a quarter of its mass", function()
    local world = impel.world { gravity = { 0, 0 } }
    local block, rod = world:body { mass = 1, fixed_rotation = true }, world:body { position = { 0.5, 0 } }
    -- For a force perpendicular to a thin rod at its end, the effective mass is 1 / (1 / m + r^2 / I) = m / 4.
    rod:box { 1, 0.001, density = 1000, mask = 0 }
    world:prismatic(block, rod, { anchor = { 0, 0 }, axis = { 1, 0 } })
    -- The thickness of 0.001 m changes the inertia by a fraction of 1e-6.
    near(4, world:doctor().mass_ratio.ratio, 1e-5, "ratio of the block's mass to the rod's")
  end)

  it("include pressing contacts, and exclude fixed bodies", function()
    local world = impel.world { gravity = { 0, -9.81 }, sleep = false }
    world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 } }
    local low, high = world:body { position = { 0, 0.5 } }, world:body { position = { 0, 1.5 } }
    low:box { 1, 1 }
    high:box { 1, 1, density = 8 }
    assert.is_nil(world:doctor().mass_ratio)
    world:step(30)
    local report = world:doctor()
    -- The overlap of the boxes shifts their centres a little.
    near(8, report.mass_ratio.ratio, 0.01, "two boxes of one size")
    assert.equal("normal", report.mass_ratio.kind)
    assert.equal(4, report.contacts.pressing)
    assert.equal("soft", report.suggested)
    assert.is_nil(report.locks)
  end)
end)


-- Sweeps -------------------------------------------------------------------------------------------------------------

-- Return the impulses of all rows after a first step with `count` sweeps.
local function impulses(world, start, count)
  world:restore(start)
  world.solver, world.warm_start, world.iterations = "si", false, count
  world:step()
  local list = {}
  for row in world:rows() do list[#list + 1] = gauss_seidel.is_equation(row) and row.impulse or nil end
  return list
end

-- Return the number of sweeps until each row's impulse is within 1 % of its converged value. Rows below a thousandth of
-- the largest impulse are not tested.
local function measured_sweeps(world)
  local start = world:snapshot()
  local exact, largest = impulses(world, start, 100000), 0
  for _, impulse in ipairs(exact) do largest = math.max(largest, math.abs(impulse)) end
  local low, high = 0, 100000
  while high - low > 1 do
    local middle, worst = (low + high) // 2, 0
    for i, impulse in ipairs(impulses(world, start, middle)) do
      if math.abs(exact[i]) > 1e-3 * largest then worst = math.max(worst, math.abs(impulse / exact[i] - 1)) end
    end
    if worst <= 0.01 then high = middle else low = middle end
  end
  impulses(world, start, 100000) -- converged impulses for the prediction below
  return high
end

describe("sweeps", function()
  it("of a chain of N links multiply the error by cos^2(pi / (2 N))", function()
    for _, rods in ipairs { false, true } do
      for _, count in ipairs { 1, 2, 3, 10, 30 } do
        local system = gauss_seidel.system(chain({}, count, 1, rods), gauss_seidel.is_equation)
        local q, exact = gauss_seidel.contraction(system)
        assert.is_true(exact)
        -- q: factor of the error per sweep. The thickness of the links changes q by less than 1e-6.
        near(math.cos(math.pi / 2 / count) ^ 2, q, 1e-6, ("N = %d, q"):format(count))
      end
    end
  end)

  it("of two rows multiply the error by the rows' coupling squared: 0.04 for a 1 m high box, 0.29 for 3 m", function()
    for height, off in pairs { [1] = 0.5 / 2.5, [3] = 0.7 / 1.3 } do
      local world = impel.world { gravity = { 0, 0 }, solver = "si" }
      world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 } }
      world:body({ position = { 0, height / 2 }, velocity = { 0, -1 } }):box { 1, height, density = 1 / height }
      world:step()
      -- The overlap with the floor changes the contraction, the factor of the error per sweep, by less than 1e-6.
      near(off ^ 2, world:doctor().contacts.contraction, 1e-6, "contraction")
    end
  end)

  it("to 1 % are predicted within 20 % of the sweeps that si needs", function()
    local worlds = {
      ["chain of 3"] = chain({}, 3, 1), ["chain of 10"] = chain({}, 10, 1), ["chain of 30"] = chain({}, 30, 1),
      ["rods, 10"] = chain({}, 10, 1, true), ["rods, 5, 20 kg below"] = chain({}, 5, 20, true),
      ["four-bar"] = linkages["a four-bar"][3](), ["Peaucellier"] = linkages["Peaucellier's cell"][3](),
      ["Watt"] = linkages["Watt's six-bar"][3](),
    }
    local scene = assert(impel.scene.load "examples/bridge.lua")
    worlds.bridge = select(2, assert(scene:setup(scene:values { half = 3 })))
    for name, world in pairs(worlds) do
      local measured = measured_sweeps(world)
      near(measured, world:doctor().locks.sweeps, math.max(1, 0.2 * measured), name .. ": sweeps to 1 %")
    end
  end)

  it("without a load follow from the convergence rate alone: ln 0.01 / ln 0.75", function()
    local count = math.ceil(math.log(0.01) / math.log(0.75))
    near(count, chain({ gravity = { 0, 0 } }, 3, 1):doctor().locks.sweeps, 0, "sweeps")
  end)

  it("depend on the order of the rows in si", function()
    for order, count in pairs { forward = 25, backward = 27 } do -- number of sweeps until the error is 0.1 %
      local world = chain({ solver = "si", order = order, iterations = 1000 }, 3, 1)
      world:step()
      local system = gauss_seidel.system(world, gauss_seidel.is_equation)
      near(count, gauss_seidel.needed(system, gauss_seidel.contraction(system), 1e-3), 1, order)
    end
  end)

  it("are a lower bound if their number takes too long to compute", function()
    local report = chain({}, 2000, 1):doctor()
    local locks = report.locks
    assert.is_nil(report.mobility)
    assert.truthy(report.warnings[1]:find "4000 degrees of freedom together")
    assert.truthy(doctor.text(report):find "at least")
    assert.is_false(locks.exact)
    assert.is_true(locks.contraction < 1 and locks.contraction <= math.cos(math.pi / 4000) ^ 2)
    assert.is_true(locks.sweeps > 1000)
  end)

  it("of redundant locks are as many as those of the independent locks alone", function()
    local world = chain({ solver = "si", iterations = 1000 }, 3, 1)
    for body in world:bodies() do world:distance(world.ground, body, {}) end
    world:step()
    local locks = world:doctor().locks
    assert.equal(6, locks.rows)
    assert.is_true(locks.exact and locks.contraction < 0.75, locks.contraction)
  end)
end)


-- Stiffness ----------------------------------------------------------------------------------------------------------

describe("stiffness", function()
  it("of a spring is omega h = h sqrt(k / m), where m is the effective mass while the locks hold", function()
    local world = impel.world { gravity = { 0, 0 }, substeps = 2 }
    local rod = world:body { position = { 1, 0 } }
    rod:box { 2, 0.1, density = 5, mask = 0 } -- 1 kg; inertia about the rod's end: m (4 + 0.01 / 4) / 3
    world:revolute(world.ground, rod, { anchor = { 0, 0 }, name = "hip", spring = { stiffness = 300, damping = 1 } })
    local h, inertia = 1 / 120, (4 + 0.01) / 12 + 1
    local spring = world:doctor().spring
    near(math.sqrt(300 / inertia) * h, spring.omega_h, 1e-9, "omega h of a hinge's spring")
    assert.same({ "revolute 'hip'", "angle" }, { spring.joint, spring.coordinate })
    local slow = impel.world { gravity = { 0, 0 } }
    slow:distance(slow.ground, slow:body { type = "particle", position = { 1, 0 } },
      { distance = { spring = { hertz = 5, damping_ratio = 0.1 } } })
    near(2 * math.pi * 5 / 240, slow:doctor().spring.omega_h, 1e-12, "omega h of a spring by hertz")
    assert.equal(0, slow:doctor().stiff_springs)
  end)

  it("above 0.5 gives a warning that the integrator damps the spring", function()
    local world = impel.world { substeps = 1 }
    world:distance(world.ground, world:body { type = "particle", position = { 1, 0 } },
      { distance = { spring = { hertz = 10 } } }) -- 2 pi 10 / 60 = 1.05
    local report = world:doctor()
    assert.equal(1, report.stiff_springs)
    assert.truthy(report.warnings[1]:find "1 spring is so stiff that the integrator damps it")
  end)

  it("of tension T is h omega / 2 with omega = 2 sqrt(T / (m l)), so its limit is 1", function()
    local world = chain({ solver = "si", iterations = 100000, tolerance_impulse = 1e-12 }, 4, 1000)
    world:step()
    local report = world:doctor()
    local pull = (1003 + 1002) / 2 * 9.81 -- mean of the tensions above and below the first body
    -- The sweeps stop a little before they converge.
    near(world.dt * math.sqrt(pull), report.tension.use, 1e-6, "use of the limit")
    assert.equal("body 1", report.tension.body)
    assert.truthy(table.concat(report.warnings):find "exact solver needs 2 substeps")
  end)

  it("of tension T in a pinned rod is h sqrt(3 T / (m l)), because the rod turns about its centre", function()
    local world = chain({ solver = "si", iterations = 20000, tolerance_impulse = 1e-12 }, 2, 50, true)
    world:step()
    local inertia = (1 + 0.01) / 12
    near(world.dt / 2 * math.sqrt((51 + 50) / 2 * 9.81 / inertia), world:doctor().tension.use, 1e-9, "use of the limit")
  end)
end)


-- Advice -------------------------------------------------------------------------------------------------------------

describe("the suggestion", function()
  local function suggested(world) return world:doctor().suggested end

  it("is `reduced` for trees of joints, `direct` for long, heavy or redundant loops, `soft` for the rest", function()
    assert.equal("reduced", suggested(chain({}, 3, 1, true)))
    -- `reduced` does not eliminate the distance joints of this chain.
    assert.equal("direct", suggested(chain({}, 30, 1)))
    assert.equal("direct", suggested(chain({}, 2, 1000)))
    assert.equal("soft", suggested(chain({}, 3, 1)))
    assert.equal("soft", suggested(linkages["a slider-crank"][3]()))
    assert.equal("direct", suggested(linkages["a parallelogram with a third crank"][3]()))
    assert.equal("soft", suggested(impel.world {}))
  end)

  it("has a reason", function()
    assert.equal("there is nothing to solve yet", impel.world({}):doctor().reason)
    assert.truthy(chain({}, 2, 1000):doctor().reason:find "the mass ratio is 1000")
  end)

  it("is direct for stiff springs that share a body, soft for a single stiff one and for slow ones", function()
    for stiffness, expected in pairs { [2000] = "direct", [1e-4] = "soft" } do
      local world = impel.world { gravity = { 0, 0 }, substeps = 1 }
      local bead = world:body { type = "particle", mass = 1e-3, position = { 0.3, 0 } }
      for x = 0, 1 do
        world:distance(world.ground, bead, { anchor_a = { x, 0 }, anchor_b = { 0.3, 0 },
          distance = { free = true, spring = { stiffness = stiffness, target = 0.5 } } })
      end
      world:step()
      local report = world:doctor()
      assert.equal(expected, report.suggested)
      assert.is_nil(report.reason:find("nothing to solve", 1, true))
    end
  end)
end)


-- The program --------------------------------------------------------------------------------------------------------

local function run(command)
  local pipe = io.popen(command .. " 2>&1")
  local text = pipe:read "a"
  local _, _, code = pipe:close()
  return code, text
end

describe("world:doctor()", function()
  it("gives the report of impel.doctor, and changes nothing", function()
    local world = chain({}, 3, 1)
    world:step(5)
    local hash = world.hash
    assert.same(doctor.report(world), world:doctor())
    assert.equal(hash, world.hash)
  end)

  it("raises inside a step", function()
    local world, message = impel.world {}, nil
    world:on("substep", function() message = select(2, pcall(world.doctor, world)) end)
    world:step()
    assert.truthy(message:find("world:doctor: called inside a step", 1, true), message)
  end)

  it("reports that the scripts cannot be found", function()
    local cpath = package.cpath:match "[^;]*build[^;]*"
    local code, text = run(([[lua5.4 -e 'package.path = "" package.cpath = "%s"
      require("impel.core").world({}):doctor()']]):format(cpath))
    assert.equal(1, code)
    local words = "world:doctor: the module of impel that implements it cannot be loaded"
    assert.truthy(text:find(words, 1, true), text)
  end)
end)

describe("impel doctor", function()
  local program = shared.quote(shared.path)

  it("prints a line for each finding, after one step by default", function()
    local code, text = run(program .. " doctor four_bar")
    assert.equal(0, code)
    assert.truthy(text:find("mobility       1 = 9 freedoms - 8 locked\nredundant      none\n", 1, true), text)
    for word in ("bodies mass_ratio lock_rows tension solver"):gmatch "%S+" do
      assert.truthy(text:find("\n" .. word:gsub("_", " "), 1, true), word)
    end
    assert.falsy(text:find("tension", 1, true) and select(2, run(program .. " doctor four_bar --steps 0"))
      :find("tension", 1, true))
  end)

  it("prints JSON, with given parameters and time", function()
    local code, text = run(program .. " doctor stack --set count=3 --time 0.5 --json")
    assert.equal(0, code)
    assert.truthy(text:find('^{.*"bodies":3,.*"redundant":%[%].*"suggested":"soft".*}\n$'), text)
  end)

  it("shows names with escape codes and newlines as text", function()
    local world = impel.world {}
    world:body({ name = "\27[2J\nwarning" }):circle { radius = 1 }
    world:body({ name = "heavy\t\u{202e}" }):box { 9, 9 }
    local text = doctor.text(doctor.report(world))
    local names = [[body 1 '\x1B[2J warning' 3.14159 kg ... body 2 'heavy \xE2\x80\xAE' 81 kg]]
    assert.truthy(text:find(names, 1, true), text)
  end)

  it("exits with code 2 for a missing scene or invalid options, and with code 3 for an invalid file", function()
    assert.equal(2, (run(program .. " doctor nowhere.lua")))
    assert.equal(2, (run(program .. " doctor stack --set height=1")))
    assert.equal(2, (run(program .. " doctor stack --steps 1 --time 1")))
    assert.equal(3, (run("echo error | " .. program .. " doctor -")))
  end)
end)
