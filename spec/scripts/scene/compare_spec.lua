-- impel compare: measures of each solver; choice and error of the reference; solvers that cannot run the scene.

local compare = require "impel.compare"
local json = require "dkjson"
local runner = require "impel.scene.run"
local scenes = require "impel.scene"

local near = require("support.measure").near
local shared = require "support.program"
local quote, program = shared.quote, shared.quote(shared.path)

-- Return a scene's text. `setup`: body of the function setup; `before`, `functions`: code before and after setup.
local function scene_text(setup, before, functions)
  return ([[
local impel = require "impel"
local scene = { title = "compared", duration = 1, params = { beta = 0.2, gain = 1 } }
%s
function scene.setup(p, seed)
  local world = impel.world { seed = seed, baumgarte = p.beta, sleep = false }
  local ground = world.ground
  %s
end
%s
return scene
]]):format(before or "", setup, functions or "")
end

-- A pendulum of 1 kg and 1 m, released from the horizontal.
local pendulum = [[
  local bob = world:body { type = "particle", mass = 1, position = { 1, 0 } }
  return { world = world, bob = bob, rod = world:distance(ground, bob, {}) }]]

-- A pendulum of 1 kg that hangs at rest.
local hanging = pendulum:gsub("{ 1, 0 }", "{ 0, -1 }")

local function run(text, options)
  local function open() return assert(scenes.parse(text, "=compared", { print = function() end })) end
  return compare.run(open, options)
end

local function lines_of(result)
  local lines = {}
  for _, line in ipairs(result.lines) do lines[line.solver] = line end
  return lines
end


describe("compare", function()
  it("finds drift and energy error of a pendulum without stabilization and with Baumgarte's stabilization", function()
    for beta, expected in pairs { [0] = { 0.47, 8.4 }, [0.2] = { 0.013, 0.98 } } do
      local options = { solvers = { "si" }, reference = "si", refine = 1, time = 10, set = { beta = beta } }
      local line = run(scene_text(pendulum), options)
        .lines[1]
      near(expected[1], line.separation, 0.05 * expected[1], ("beta %g: drift [m]"):format(beta)) -- 5 %
      -- Largest energy error of the run, divided by the expected error at the end.
      local more = line.energy_error / expected[2]
      -- The bounds allow for the rounding of the expected error to two digits, and for the oscillation of the energy by
      -- m g v h / 2 = 0.36 J at the bottom (v: speed at the bottom, h: time step).
      assert.is_true(more > 0.99 and more < 1.08, more)
      assert.same({ 600, 0, 0 }, { line.steps, line.penetration, line.force_error })
    end
  end)

  it("takes the reference's energy as exact if loads, motors, dampers or impacts may change it", function()
    local changes = {
      applied = "world:set_gravity(0, 0) world:body({ type = 'particle' }):apply_force(5, 20)",
      damping = "world:body { type = 'particle', linear_damping = 2, velocity = { 3, 0 } } world:set_gravity(0, 0)",
      motor = "local b = world:body {} b:circle { radius = 1 } world:revolute(ground, b, "
        .. "{ motor = { speed = 5, max_force = 2 } })",
      limit = "local b = world:body { type = 'particle', position = { 0, -1 } } "
        .. "world:rope(ground, b, { length = 1.2 })",
      contact = "local b = world:body { velocity = { 4, 0 }, position = { 0, 0.5 } } b:box { 2, 1 } "
        .. "world:body({ type = 'static' }):box { 99, 1, center = { 0, -0.5 } }",
    }
    for cause, setup in pairs(changes) do
      local text = scene_text(setup .. " return { world = world }")
      local result = run(text, { solvers = { "si", "soft" }, reference = "si", refine = 1 })
      assert.equal(cause, result.change)
      assert.equal(0, result.lines[1].energy_error)
      local words = ("the energy in the run with si, because the scene need not conserve energy (see '%s' in "
        .. "world:audit)"):format(cause)
      assert.truthy(compare.text(result):find(words, 1, true))
    end
    local damped = "world:distance(ground, world:body { type = 'particle', position = { 1, 0 } }, "
      .. "{ distance = { spring = { stiffness = 9, damping = %g } } }) return { world = world }"
    assert.equal("damping", run(scene_text(damped:format(1)), { solvers = {}, reference = "si", refine = 1 }).change)
    assert.is_nil(run(scene_text(damped:format(0)), { solvers = {}, reference = "si", refine = 1 }).change)
  end)

  it("measures energies against the reference: 3 J more than in the reference are an error of 3 J", function()
    local text = scene_text("local b = world:body { type = 'particle', mass = 2, linear_damping = 1 } "
      .. "world:set_gravity(0, 0) return { world = world, b = b }", nil, [[
      function scene.update(s)
        if s.world.solver == "ngs" then s.b:apply_force(math.sqrt(3 * 2 * 2) / s.world.dt, 0) end
      end]])
    local lines = lines_of(run(text, { solvers = { "ngs" }, reference = "si", refine = 1, steps = 1 }))
    near(3 / (1 + 1 / 60) ^ 2, lines.ngs.energy_error, 1e-9, "dE [J], damped for a step") -- rounding
  end)

  it("does not count energy that is added by changes between steps as an error", function()
    local text = scene_text(hanging, nil, [[
      function scene.update(s) if s.world.tick == 5 then s.world:set_gravity(0, -20) end end]])
    for _, line in ipairs(run(text, { solvers = compare.solvers(), reference = "si", refine = 1, steps = 10 }).lines) do
      -- The change of gravity adds 10.19 J, which is not an error.
      assert.is_true(line.message or line.energy_error < 0.1, line.solver)
    end
  end)

  it("measures forces against the reference: 1.5 times the force of the reference is an error of 0.5", function()
    local text = scene_text(hanging, nil, [[
      function scene.substep(s) if s.world.solver == "soft" then s.bob:apply_force(0, -0.5 * 9.81) end end]])
    local lines = lines_of(run(text, { solvers = { "soft", "si" }, reference = "si", refine = 1, steps = 3000 }))
    -- The tolerance allows for the first 20 of 3000 steps, in which the forces of `soft` are not yet steady.
    near(0.5, lines.soft.force_error, 0.005, "force error")
    assert.equal(0, lines.si.force_error)
  end)

  it("counts a joint that is missing in one of the two runs as force 0 there", function()
    local text = scene_text(hanging, nil, [[
      function scene.update(s) if s.world.solver == "soft" and s.world.tick == 50 then s.rod:destroy() end end]])
    local lines = lines_of(run(text, { solvers = { "soft" }, reference = "si", refine = 1, steps = 100 }))
    near(math.sqrt(0.5), lines.soft.force_error, 0.01, "force error of a rod that is gone for half the time")
  end)

  it("runs with another reference, or without one, if the first one fails", function()
    local function refusing(names)
      return scene_text(pendulum, "local refused = { " .. names .. " }", [[
        function scene.update(s) if refused[s.world.solver] then error "cannot" end end]])
    end
    local result = run(refusing "reduced = true", { solvers = { "si" }, steps = 5 })
    assert.equal("direct", result.reference.solver)
    result = run(refusing "reduced = true, direct = true", { solvers = { "direct", "si" }, steps = 5 })
    assert.is_nil(result.reference)
    local lines = lines_of(result)
    assert.is_nil(lines.si.force_error)
    assert.equal(5, lines.si.steps)
    assert.truthy(lines.direct.message:find("cannot", 1, true))
    assert.truthy(compare.text(result):find("\ndirect .*cannot\n"))
    assert.truthy(compare.text(result):find("\nreference: none: [^\n]*cannot\n"))
    local none, failure = run(refusing "reduced = true, direct = true, si = true", { solvers = { "si" }, steps = 5 })
    assert.is_nil(none)
    assert.equal("scene", failure.kind)
  end)

  it("continues after a solver that diverges", function()
    local text = scene_text(pendulum, nil, [[
      function scene.update(s) if s.world.solver == "soft" then s.bob:apply_force(1e14, 0) end end]])
    local lines = lines_of(run(text, { solvers = { "soft", "si" }, steps = 20 }))
    assert.truthy(lines.soft.message:find "diverged at step")
    assert.equal(20, lines.si.steps)
  end)

  it("loads and sets the scene up for each solver, from the same seed, with the same parameters", function()
    local seen = {}
    local text = scene_text(pendulum, "local made = 0", [[
      local setup = scene.setup
      function scene.setup(p, seed)
        made = made + 1
        print(made, p.gain, seed, math.random(1000000))
        return setup(p, seed)
      end]])
    local function open()
      return assert(scenes.parse(text, "=compared", { seed = 4, print = function(...)
        seen[#seen + 1] = table.concat({ ... }, " ")
      end }))
    end
    local options = { solvers = { "si", "soft" }, reference = "si", refine = 1, set = { gain = "7" }, seed = 4,
      steps = 2 }
    assert(compare.run(open, options))
    assert.equal(3, #seen)
    assert.same({ seen[1], seen[1], seen[1] }, seen)
    assert.truthy(seen[1]:find "^1 7%.?0? 4 ")
  end)

  it("steps each world as a single run does", function()
    local hashes = {}
    local function open() return assert(scenes.parse(scene_text(pendulum), "=compared")) end
    compare.run(open, { solvers = { "soft" }, reference = "si", refine = 1, steps = 50, watch = function(each)
      hashes[each.world.solver] = each.world.hash
    end })
    for solver, hash in pairs(hashes) do
      local alone = assert(runner.new(open(), { steps = 50, solver = solver }))
      while not alone:done() do assert(alone:step()) end
      assert.equal(alone.world.hash, hash)
    end
  end)
end)


-- The reference -------------------------------------------------------------------------------------------------------

-- A rod of 1 kg and 1 m on a hinge at its end, released from the horizontal:
--   theta'' = -(m g l / 2 sin theta + k theta + c theta') / I
local ROD = [[
local rod = world:body { position = { 0.5, 0 }, angle = math.pi / 2, mass = 1, inertia = 1 / 12 }
local hinge = world:revolute(world.ground, rod, { anchor = { 0, 0 }, reference_angle = 0 })
local k, limited = %g, %s
if k > 0 then hinge:coordinate():set_spring { stiffness = k, damping = 0.02 } end
if limited then hinge:coordinate():set_limit(-3, 3) end
return { world = world, rod = rod, hinge = hinge }]]

local function rod_scene(k, limited)
  return scene_text(ROD:format(k, limited))
end

-- Return { angle, speed } of the rod after each step of 1/60 s, from 64 Runge-Kutta steps per step.
local function rod_motion(k, steps)
  local c = k > 0 and 0.02 or 0
  local function turn(a, w) return -3 * (9.81 / 2 * math.sin(a) + k * a + c * w) end
  local h, a, w, list = 1 / 60 / 64, math.pi / 2, 0, { [0] = { math.pi / 2, 0 } }
  for n = 1, steps do
    for _ = 1, 64 do
      local w1, b1 = w, turn(a, w)
      local w2, b2 = w + h / 2 * b1, turn(a + h / 2 * w1, w + h / 2 * b1)
      local w3, b3 = w + h / 2 * b2, turn(a + h / 2 * w2, w + h / 2 * b2)
      local w4, b4 = w + h * b3, turn(a + h * w3, w + h * b3)
      a, w = a + h / 6 * (w1 + 2 * w2 + 2 * w3 + w4), w + h / 6 * (b1 + 2 * b2 + 2 * b3 + b4)
    end
    list[n] = { a, w }
  end
  return list
end

-- Return the errors of a solver relative to rod_motion.
local function rod_errors(solver, k, limited)
  local open = assert(scenes.parse(rod_scene(k, limited), "=rod"))
  local one = assert(runner.new(open, { solver = solver }))
  local exact = rod_motion(k, 60)
  local function energy(a, w) return w ^ 2 / 6 - 9.81 / 2 * math.cos(a) + k * a ^ 2 / 2 end
  local errors, off, whole = { position = 0, energy = 0 }, 0, 0
  for n = 1, 60 do
    assert(one:step())
    local rod, a, w = one.state.rod, exact[n][1], exact[n][2]
    local x, y = rod:position()
    local vx, vy = rod:velocity()
    local fx, fy = one.state.hinge:reaction()
    local radius = math.sqrt(1 / 12) -- radius of gyration of the rod [m]
    errors.position = math.max(errors.position,
      math.sqrt((x - math.sin(a) / 2) ^ 2 + (y + math.cos(a) / 2) ^ 2 + (radius * (rod.angle - a)) ^ 2))
    local got = (vx ^ 2 + vy ^ 2) / 2 + rod.angular_velocity ^ 2 / 24 + 9.81 * y + k * rod.angle ^ 2 / 2
    errors.energy = math.max(errors.energy, math.abs(got - energy(a, w)))
    -- Mean force on the joint in a step: (change of momentum - impulse of gravity) / (1/60 s).
    local b, u = exact[n - 1][1], exact[n - 1][2]
    local ex = 60 * (w * math.cos(a) - u * math.cos(b)) / 2
    local ey = 60 * (w * math.sin(a) - u * math.sin(b)) / 2 + 9.81
    off, whole = off + (fx - ex) ^ 2 + (fy - ey) ^ 2, whole + ex ^ 2 + ey ^ 2
  end
  one:close()
  errors.force = math.sqrt(off / whole)
  return errors
end

describe("the reference of compare", function()
  for title, case in pairs { ["a free rod"] = { 0, false }, ["a damped spring"] = { 1, false },
    ["an inactive limit"] = { 0, true } } do
    it("agrees with the equations of motion: " .. title, function()
      local k, limited = case[1], case[2]
      local result = run(rod_scene(k, limited), { solvers = compare.solvers() })
      assert.equal("reduced", result.reference.solver)
      assert.is_true(result.reference.converged)
      assert.same({}, result.reference.warnings)
      for _, line in ipairs(result.lines) do
        local expected = rod_errors(line.solver, k, limited)
        for _, name in ipairs { "position", "force", "energy" } do
          local got = line[name .. "_error"]
          near(1, got / expected[name], 0.1, ("%s of %s: %g, not %g"):format(name, line.solver, got, expected[name]))
        end
      end
    end)
  end

  it("estimates its own error as at least the true error, for every solver", function()
    local exact, text = rod_motion(1, 60), rod_scene(1, false)
    for _, solver in ipairs { "reduced", "direct", "rattle", "si" } do
      local worst, last = 0, 0
      local result = run(text, { solvers = {}, reference = solver, watch = function(each)
        -- A new run begins, with more substeps.
        if each.count == 1 then worst = 0 end
        local rod, a = each.state.rod, exact[each.count][1]
        local x, y = rod:position()
        worst = math.max(worst, math.sqrt((x - math.sin(a) / 2) ^ 2 + (y + math.cos(a) / 2) ^ 2
          + (rod.angle - a) ^ 2 / 12))
        last = each.world.substeps
      end })
      local own = result.reference
      assert.equal(solver, own.solver)
      assert.equal(last, own.substeps)
      assert.equal(60, own.steps)
      -- For a method of first order the estimate equals the error, within rounding.
      assert.is_true(worst <= own.position_error * 1.01 + 1e-10, solver)
      -- For a method of fourth order the estimate is 15 times as large as the error.
      assert.is_true(own.position_error < 40 * worst + 1e-10, solver)
    end
  end)

  it("uses reduced for trees without contacts, direct for distance joints or contacts, or a given solver", function()
    local cases = {
      -- The reference of `pendulum` is `direct`, because `reduced` does not eliminate the row of a distance joint.
      { "reduced", ROD:format(1, true) }, { "direct", pendulum },
      { "reduced", "world:body { velocity = { 3, 4 } } return { world = world }" },
      { "direct", "world:body({ position = { 0, 0.6 }, velocity = { 1, 0 } }):circle { radius = 0.5 } "
        .. "world:body({ type = 'static' }):box { 9, 1, center = { 0, -0.5 } } return { world = world }" },
    }
    for _, case in ipairs(cases) do
      local result = run(scene_text(case[2]), { solvers = { "si" } })
      assert.equal(case[1], result.reference.solver)
      assert.is_true(result.reference.converged)
      assert.truthy(compare.text(result):find("\nreference: " .. case[1] .. " with %d+ times the scene's substeps"))
    end
    local asked = run(scene_text(pendulum), { solvers = { "si" }, reference = "rattle", refine = 4 }).reference
    assert.equal("rattle", asked.solver)
    assert.is_true(asked.times <= 4)
  end)

  -- Return the text of a scene with `count` parallel cranks on one coupler, at 50 degrees. Each crank after the first
  -- closes a loop.
  local function cranks(count)
    return scene_text(([[
      local c, s = 0.5 * impel.math.cos(0.87), 0.5 * impel.math.sin(0.87)
      local coupler = world:body { position = { 1 + c, s } }
      coupler:box { 2, 0.05, mask = 0 }
      for i = 1, %d do
        local x = ({ 0, 2, 1 })[i]
        local crank = world:body { position = { x + c / 2, s / 2 }, angle = 0.87 }
        crank:box { 0.5, 0.05, mask = 0 }
        world:revolute(ground, crank, { anchor = { x, 0 } })
        world:revolute(crank, coupler, { anchor = { x + c, s } })
      end
      return { world = world }]]):format(count))
  end

  it("is direct for a loop and reduced for a tree if each solver runs once, and gives the reason", function()
    for text, expected in pairs {
      [cranks(2)] = { "direct", "the joints do not make a tree; each solver made only one run, so no error is known" },
      [ROD:format(1, true)] = { "reduced",
        "the joints make a tree and no bodies touch; each solver made only one run, so no error is known" },
    } do
      local result = run(scene_text and text:find "scene" and text or scene_text(text), { solvers = { "soft" },
        refine = 1, time = 0.2 })
      assert.equal(expected[1], result.reference.solver)
      assert.truthy(result.reference.reason:find(expected[2], 1, true), result.reference.reason)
      assert.truthy(compare.text(result):find(", because " .. expected[2], 1, true))
    end
  end)

  it("is of the solver whose runs differ less if neither solver converges, and gives that reason", function()
    -- The cranks swing down into line with their pivots, where a parallelogram can move in two ways.
    local own = run(cranks(2), { solvers = { "soft" }, time = 1, dt = 1 / 240 }).reference
    assert.is_false(own.converged)
    assert.equal("its runs differ less from each other than those of solver 'direct'; the runs of neither solver have "
      .. "converged", own.reason)
    assert.is_true(own.position_error < 1e-3, own.position_error)
    assert.matches("The runs of the reference agree in positions, so the motion is not chaotic", own.warnings[1])
  end)

  it("reports that forces of redundant locks are arbitrary, and does not require them to agree", function()
    local result = run(cranks(3), { solvers = { "soft" }, time = 0.3 })
    assert.is_true(result.reference.converged)
    assert.is_true(result.reference.position_error < 1e-4, result.reference.position_error)
    assert.truthy(result.reference.warnings[1]:find("1 lock follows from other locks: the solver divides "
      .. "the forces among them arbitrarily", 1, true), result.reference.warnings[1])
    assert.is_nil(compare.text(result):find "chaotic")
  end)

  it("warns that chaotic motion has no reference", function()
    -- Each bounce of the disc among four round pegs multiplies an error of the path by about five.
    local text = scene_text([[
      world:set_gravity(0, 0)
      for i = 0, 3 do
        world:body({ type = "static", position = { 3 * (i % 2), 3 * (i // 2) } }):circle { radius = 1, restitution = 1 }
      end
      local walls = world:body { type = "static" }
      walls:box { 1, 5, center = { -1, 1.5 }, restitution = 1 } walls:box { 1, 5, center = { 4, 1.5 }, restitution = 1 }
      walls:box { 5, 1, center = { 1.5, -1 }, restitution = 1 } walls:box { 5, 1, center = { 1.5, 4 }, restitution = 1 }
      local disc = world:body { position = { 1.5, 1.4 }, velocity = { 5, 3 } }
      disc:circle { radius = 0.2, restitution = 1, friction = 0 }
      return { world = world }]])
    local result = run(text, { solvers = { "soft", "si", "rattle" }, time = 10 })
    assert.is_false(result.reference.converged)
    assert.is_true(result.reference.position_error > 1, result.reference.position_error)
    for _, line in ipairs(result.lines) do assert.same("position_error", line.unresolved[1]) end
    local words = compare.text(result)
    assert.truthy(words:find("\nwarning: the reference has not converged: its own error %(position %d"))
    assert.truthy(words:find("\nsoft [^\n]*~%d"))
    assert.truthy(words:find("errors of soft, si, rattle. Do not rely on the", 1, true))
    -- The run ends before the disc's first bounce.
    local short = run(text, { solvers = { "soft", "si", "rattle" }, time = 0.05 }).reference
    assert.is_true(short.converged)
    assert.same({}, short.warnings)
  end)

  it("warns of its open joints", function()
    local text = scene_text([[
      local left = world:body { type = "kinematic", position = { -1, 0 }, velocity = { -0.5, 0 } }
      local right = world:body { type = "kinematic", position = { 1, 0 }, velocity = { 0.5, 0 } }
      local middle = world:body { mass = 1, inertia = 1 }
      world:revolute(left, middle, { anchor = { -1, 0 } })
      world:revolute(right, middle, { anchor = { 1, 0 } })
      return { world = world }]])
    local result = run(text, { solvers = { "soft" } })
    assert.is_true(result.reference.open >= 1)
    assert.truthy(compare.text(result):find(
      "\nwarning: in the reference, up to %d joints are open; the first is [^\n]*, open by %d[%d.e-]* m at t = "))
    assert.equal(0, run(scene_text(pendulum), { solvers = { "soft" } }).reference.open)
  end)

  it("warns of its violated lock, with the gap at the joint", function()
    local text = scene_text [[
      local bar = world:body { position = { 0.5, 0 } }
      bar:box { 1, 0.1, mask = 0 }
      world:revolute(ground, bar, { anchor = { 0, 0 } })
      local far = world:revolute(ground, bar, { anchor = { 1, 0 }, name = "far" })
      far:coordinate "x":set_lock(0.004)
      return { world = world }]]
    local result = run(text, { solvers = { "direct" }, reference = "direct", refine = 1, time = 0.1 })
    assert.equal(0, result.reference.open)
    local warning = table.concat(result.reference.warnings, "; ")
    assert.matches("with a lock that is not held.*revolute '[^']*'.* apart by 0%.00[0-9]+ m at the end", warning)
    assert.matches("warning: the reference has a joint with a lock", compare.text(result))
  end)

  it("holds the forces of \"step\" handlers over each step, at any number of substeps", function()
    local counts = {}
    local text = scene_text("return { world = world, b = world:body { type = 'particle', mass = 1 } }", nil, [[
      function scene.update(s)
        print(s.world.solver)
        s.b:apply_force(s.world.tick % 7 < 3 and 40 or -20, 0)
      end]])
    local function open()
      return assert(scenes.parse(text, "=held", { print = function(name) counts[name] = (counts[name] or 0) + 1 end }))
    end
    local result = compare.run(open, { solvers = { "si", "reduced" }, refine = 8 })
    local lines = lines_of(result)
    -- With constant forces, `reduced` is exact within rounding.
    assert.is_true(lines.reduced.position_error < 1e-9)
    assert.is_true(lines.si.position_error > 1e-3)
    -- The solver `reduced` runs three times: with the scene's substeps, and with 4 and 8 times as many.
    assert.same({ si = 60, reduced = 3 * 60 }, counts)
  end)

  it("warns if the scene sets world.substeps itself, and if the error of the reference is unknown", function()
    local text = scene_text(pendulum, nil, "function scene.update(s) s.world.substeps = 2 end")
    local words = compare.text(run(text, { solvers = { "si" }, steps = 5 }))
    assert.truthy(words:find("\nwarning: the scene sets world.substeps itself", 1, true))
    local once = run(scene_text(pendulum), { solvers = { "si" }, refine = 1 })
    assert.is_false(once.reference.converged)
    assert.is_nil(once.reference.position_error)
    local warned = "\nwarning: the reference was run once: its own error is not known\n"
    assert.truthy(compare.text(once):find(warned, 1, true))
  end)
end)


-- The program --------------------------------------------------------------------------------------------------------

-- Run the program on a scene. Return exit code, stdout, stderr.
local function impel(arguments, text)
  local out, err, file = os.tmpname(), os.tmpname(), os.tmpname()
  local handle = assert(io.open(file, "wb"))
  handle:write(text or "")
  handle:close()
  local _, _, code = os.execute(("%s %s <%s >%s 2>%s"):format(program, arguments, quote(file), out, err))
  local stdout, stderr = shared.read(out), shared.read(err)
  for _, name in ipairs { out, err, file } do os.remove(name) end
  return code, stdout, stderr
end

describe("impel compare", function()
  it("prints drift and dE of every solver in one table", function()
    local code, out, err = impel("compare - --steps 30", scene_text(pendulum))
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find("^solver +drift %[m%] +overlap %[m%] +dE %[J%] +residual %[m/s%] +position %[m%]"
      .. " +force error +ms/step\n"))
    for _, solver in ipairs(compare.solvers()) do assert.truthy(out:find("\n" .. solver .. " +[%d%a]"), solver) end
    assert.truthy(out:find("\nreference: direct with %d+ times the scene's substeps %(%d+ a step%), because [^;]*; its "
      .. "own error: position %d"))
    assert.truthy(out:find("dE: difference from the energy at the start; position and force error: difference "
      .. "from direct\n$"))
  end)

  it("prints the same as JSON", function()
    local code, out = impel("compare pendulum --solvers si,soft --reference si --refine 4 --time 0.5 --json")
    assert.equal(0, code)
    local got = json.decode(out)
    assert.equal("pendulum", got.scene)
    assert.same({ "si", 4, 4, 30 }, { got.reference.solver, got.reference.times, got.reference.substeps,
      got.reference.steps })
    assert.equal("boolean", type(got.reference.converged))
    for i, solver in ipairs { "si", "soft" } do
      assert.equal(solver, got.lines[i].solver)
      assert.equal(30, got.lines[i].steps)
      for _, name in ipairs { "energy_error", "force_error", "position_error", "ms_per_step", "penetration",
        "separation", "velocity" } do
        assert.equal("number", type(got.lines[i][name]), name)
      end
    end
    for _, name in ipairs { "energy_error", "force_error", "position_error" } do
      assert.equal("number", type(got.reference[name]), name)
    end
  end)

  it("ends with the exit code of the failure", function()
    local function ends(expected, words, arguments, text)
      local code, out, err = impel("compare " .. arguments, text)
      assert.same({ expected, "" }, { code, out })
      assert.truthy(err:find(words, 1, true), err)
    end
    ends(2, "--solvers: no solver 'sofd' (did you mean 'soft'?); there are soft, si,", "pendulum --solvers si,sofd")
    ends(2, "--solvers: no solver ''", "pendulum --solvers si,")
    ends(2, "--reference: one solver expected, got 'si,soft'", "pendulum --reference si,soft")
    ends(2, "--refine: integer in 1..1000 expected, got '0'", "pendulum --refine 0")
    ends(2, "No such file", "nowhere.lua")
    ends(2, "unknown param 'speed'", "- --set speed=1 --solvers si", scene_text(pendulum))
    ends(3, "in setup", "- --solvers si,soft", scene_text("error 'in setup'"))
    ends(4, "diverged", "- --solvers si", scene_text(pendulum, nil,
      "function scene.update(s) s.bob:apply_force(1e14, 0) end"))
    ends(130, "interrupted after step 5 of 60 under", "- --solvers si", scene_text(pendulum, nil, [[
      function scene.update(s) if s.world.tick == 4 then io.popen("kill -INT $PPID"):close() end end]]))
  end)
end)
