-- impel compare: what it measures of each solver, whose forces it takes for right, and what it does with a solver that
-- cannot. S67.

local compare = require "impel.compare"
local runner = require "impel.run"
local scenes = require "impel.scene"

local near = dofile("spec/lua/measure.lua").near
local shared = dofile "spec/lua/program.lua"
local quote, program = shared.quote, shared.quote(shared.path)

-- A scene of one function: the body of setup, what stands beside it, its other functions.
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

-- 1 kg on 1 m, released level.
local pendulum = [[
  local bob = world:body { type = "particle", mass = 1, position = { 1, 0 } }
  return { world = world, bob = bob, rod = world:distance(ground, bob, {}) }]]

-- 1 kg that hangs at rest.
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
  it("finds drift and energy error of the unstabilised and of Baumgarte's pendulum (trap 3)", function()
    for beta, expected in pairs { [0] = { 0.47, 8.4 }, [0.2] = { 0.013, 0.98 } } do
      local line = run(scene_text(pendulum), { solvers = { "si" }, reference = "si", time = 10, set = { beta = beta } })
        .lines[1]
      near(expected[1], line.separation, 0.05 * expected[1], ("beta %g: drift [m]"):format(beta)) -- S63: 5 %
      local more = line.energy_error / expected[2] -- than at the end: symplectic Euler swings on the way
      assert.is_true(more > 0.99 and more < 1.08, more) -- below: two digits; above: m g v h / 2 = 0.36 J at the bottom
      assert.same({ 600, 0, 0 }, { line.steps, line.penetration, line.force_error })
    end
  end)

  it("takes the reference's energy for right where loads, motors, dampers or impacts may change it", function()
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
      local result = run(text, { solvers = { "si", "soft" }, reference = "si" })
      assert.equal(cause, result.change)
      assert.equal(0, result.lines[1].energy_error)
      assert.truthy(compare.text(result):find(("the energy of si, as %s may change it"):format(cause), 1, true))
    end
    local damped = "world:distance(ground, world:body { type = 'particle', position = { 1, 0 } }, "
      .. "{ distance = { spring = { stiffness = 9, damping = %g } } }) return { world = world }"
    assert.equal("damping", run(scene_text(damped:format(1)), { solvers = {}, reference = "si" }).change)
    assert.is_nil(run(scene_text(damped:format(0)), { solvers = {}, reference = "si" }).change)
  end)

  it("measures energies against the reference: 3 J more are an error of 3 J", function()
    local text = scene_text("local b = world:body { type = 'particle', mass = 2, linear_damping = 1 } "
      .. "world:set_gravity(0, 0) return { world = world, b = b }", nil, [[
      function scene.update(s)
        if s.world.solver == "ngs" then s.b:apply_force(math.sqrt(3 * 2 * 2) / s.world.dt, 0) end
      end]])
    local lines = lines_of(run(text, { solvers = { "ngs" }, reference = "si", steps = 1 }))
    near(3 / (1 + 1 / 60) ^ 2, lines.ngs.energy_error, 1e-9, "dE [J], damped for a step") -- rounding
  end)

  it("takes away what happened between steps", function()
    local text = scene_text(hanging, nil, [[
      function scene.update(s) if s.world.tick == 5 then s.world:set_gravity(0, -20) end end]])
    for _, line in ipairs(run(text, { solvers = compare.solvers(), reference = "si", steps = 10 }).lines) do
      assert.is_true(line.message or line.energy_error < 0.1, line.solver) -- of the 10.19 J that gravity took
    end
  end)

  it("measures forces against the reference: half as much again is an error of 0.5", function()
    local text = scene_text(hanging, nil, [[
      function scene.substep(s) if s.world.solver == "soft" then s.bob:apply_force(0, -0.5 * 9.81) end end]])
    local lines = lines_of(run(text, { solvers = { "soft", "si" }, reference = "si", steps = 3000 }))
    near(0.5, lines.soft.force_error, 0.005, "force error") -- soft sags at first: some 20 steps of 3000
    assert.equal(0, lines.si.force_error)
  end)

  it("counts a joint that one of the two runs has not as bearing nothing there", function()
    local text = scene_text(hanging, nil, [[
      function scene.update(s) if s.world.solver == "soft" and s.world.tick == 50 then s.rod:destroy() end end]])
    local lines = lines_of(run(text, { solvers = { "soft" }, reference = "si", steps = 100 }))
    near(math.sqrt(0.5), lines.soft.force_error, 0.01, "force error of a rod that is gone for half the time")
  end)

  it("takes rattle for the reference where there are equalities alone, else direct (S67)", function()
    local cases = {
      { "rattle", pendulum },
      { "direct", "local b = world:body { type = 'particle', position = { 1, 0 } } "
        .. "world:rope(ground, b, { length = 2 }) return { world = world }" },
      { "direct", "world:body({ position = { 0, 0.6 } }):circle { radius = 0.5 } "
        .. "world:body({ type = 'static' }):box { 9, 1, center = { 0, -0.5 } } return { world = world }" },
    }
    for _, case in ipairs(cases) do
      assert.equal(case[1], run(scene_text(case[2]), { solvers = { "si" }, steps = 30 }).reference)
    end
  end)

  it("takes direct where rattle cannot, and goes on without where that cannot either", function()
    local function refusing(names)
      return scene_text(pendulum, "local refused = { " .. names .. " }", [[
        function scene.update(s) if refused[s.world.solver] then error "cannot" end end]])
    end
    local result = run(refusing "rattle = true", { solvers = { "si" }, steps = 5 })
    assert.equal("direct", result.reference)
    result = run(refusing "rattle = true, direct = true", { solvers = { "si" }, steps = 5 })
    assert.is_nil(result.reference)
    assert.equal(2, #result.lines)
    local lines = lines_of(result)
    assert.is_nil(lines.si.force_error)
    assert.equal(5, lines.si.steps)
    assert.truthy(lines.direct.message:find("cannot", 1, true))
    assert.truthy(compare.text(result):find("\ndirect .*cannot\n"))
    local none, failure = run(refusing "rattle = true, direct = true", { solvers = { "rattle" }, steps = 5 })
    assert.is_nil(none)
    assert.equal("scene", failure.kind)
  end)

  it("goes on after a solver that diverges", function()
    local text = scene_text(pendulum, nil, [[
      function scene.update(s) if s.world.solver == "soft" then s.bob:apply_force(1e14, 0) end end]])
    local lines = lines_of(run(text, { solvers = { "soft", "si" }, steps = 20 }))
    assert.truthy(lines.soft.message:find "diverged at step")
    assert.equal(20, lines.si.steps)
  end)

  it("loads and sets the scene up anew for each, from the same seed, with the same parameters", function()
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
    local options = { solvers = { "si", "soft" }, reference = "si", set = { gain = "7" }, seed = 4, steps = 2 }
    assert(compare.run(open, options))
    assert.equal(2, #seen)
    assert.equal(seen[1], seen[2])
    assert.truthy(seen[1]:find "^1 7%.?0? 4 ")
  end)

  it("steps each world as a run of its own does", function()
    local hashes = {}
    local function open() return assert(scenes.parse(scene_text(pendulum), "=compared")) end
    compare.run(open, { solvers = { "soft" }, reference = "si", steps = 50, watch = function(each)
      hashes[each.world.solver] = each.world.hash
    end })
    for solver, hash in pairs(hashes) do
      local alone = assert(runner.new(open(), { steps = 50, solver = solver }))
      while not alone:done() do assert(alone:step()) end
      assert.equal(alone.world.hash, hash)
    end
  end)
end)


-- From outside -------------------------------------------------------------------------------------------------------

-- Run the program on a scene. Gives exit code, stdout, stderr.
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
  it("prints drift and dE of every solver in one table (S67)", function()
    local code, out, err = impel("compare - --steps 30", scene_text(pendulum))
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find "^solver +drift %[m%] +overlap %[m%] +dE %[J%] +residual %[m/s%] +force error +ms/step\n")
    for _, solver in ipairs(compare.solvers()) do assert.truthy(out:find("\n" .. solver .. " +[%d%a]"), solver) end
    assert.truthy(out:find "dE: from the energy at the start; force error: from rattle\n$")
  end)

  it("prints the same as JSON", function()
    local code, out = impel("compare pendulum --solvers si,soft --reference si --time 0.5 --json")
    assert.equal(0, code)
    assert.truthy(out:find('^{"lines":%[{.*"solver":"si".*"solver":"soft".*%],"reference":"si","scene":"pendulum"}\n$'))
    assert.truthy(out:find('"steps":30', 1, true))
    for _, name in ipairs { "energy_error", "force_error", "ms_per_step", "penetration", "separation", "velocity" } do
      local _, count = out:gsub(('"%s":[%%d.e-]+'):format(name), "")
      assert.equal(2, count)
    end
  end)

  it("ends with the code of what went wrong", function()
    local function ends(expected, words, arguments, text)
      local code, out, err = impel("compare " .. arguments, text)
      assert.same({ expected, "" }, { code, out })
      assert.truthy(err:find(words, 1, true), err)
    end
    ends(2, "--solvers: no solver 'sofd' (did you mean 'soft'?); there are soft, si,", "pendulum --solvers si,sofd")
    ends(2, "--solvers: no solver ''", "pendulum --solvers si,")
    ends(2, "--reference: one solver expected, got 'si,soft'", "pendulum --reference si,soft")
    ends(2, "No such file", "nowhere.lua")
    ends(2, "unknown param 'speed'", "- --set speed=1 --solvers si", scene_text(pendulum))
    ends(3, "in setup", "- --solvers si,soft", scene_text("error 'in setup'"))
    ends(4, "diverged", "- --solvers si", scene_text(pendulum, nil,
      "function scene.update(s) s.bob:apply_force(1e14, 0) end"))
    ends(130, "interrupted after step 5 of 60 under", "- --solvers si", scene_text(pendulum, nil, [[
      function scene.update(s) if s.world.tick == 4 then io.popen("kill -INT $PPID"):close() end end]]))
  end)
end)
