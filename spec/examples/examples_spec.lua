-- Every scene of examples/ has a description, measures and a check; the check passes and can fail; a second run gives
-- the same bits. Also the commands of the top README.

local compare = require "impel.compare"
local scenes = require "impel.scene"

local shared = require "support.program"
local read, program = shared.read, shared.quote(shared.path)

-- Options that make the check of a scene fail, as in the last column of examples/README.md.
local breaking = {
  balance_qp = "--set control=false",
  baumgarte_decay = "--set links=2",
  bead_on_wire = "--set circle=true",
  biped_walk = "--set balance=0 --set gust=100",
  bisect_tipping = "--steps 60 --set angle=40",
  boats = "--set water=700",
  bounce = "--set threshold=3",
  box_drop = "--set sweeps=2",
  breaking_rope = "--set high=99",
  breakout = "--set late=true",
  bridge = "--set strength=5000",
  bullet = "--set bullet=false",
  bullets = "--set continuous=false",
  cam = "--set glued=true",
  car_terrain = "--set ki=0",
  chain_global = "--set load=10",
  cloth = "--set substeps=1",
  conveyor = "--steps 300",
  cradle = "--set restitution=0.9",
  crane = "--set drive=0.6",
  dominoes = "--set push=0",
  double_pendulum = "--set friction=0.01",
  drift = "--set beta=0",
  evolved_hopper = "--set generations=0",
  explosion = "--steps 20",
  fluid = "--set pour=6",
  four_bar = "--set crank=1.1",
  four_bar_forces = "--set iterations=1",
  gears = "--set backlash=0.1",
  heavy_ball_light_chain = "--set stiffness=false",
  incline = "--steps 20",
  monte_carlo_toss = "--set drag=0.1",
  muscle_elbow = "--steps 60",
  newton_motor = "--set start=0",
  one_way = "--set jump=4",
  pd_arm = "--set damping=0.02",
  pendulum = "--set friction=0.01",
  pid_cart_pole = "--set ki=0",
  pile = "--steps 30",
  pinball = "--set torque=1",
  platformer = "--set step_height=0.2",
  pose_track = "--set feed_forward=0",
  pulley = "--set strength=20",
  puppet = "--set hertz=1",
  pyramid = "--steps 5",
  quadruped_trot = "--set lift=0",
  rack = "--set strength=5",
  ragdoll_drop = "--set substeps=1",
  ragdoll_recover = "--set threshold=150",
  ratchet = "--set pawl=false",
  rays = "--set room=false",
  rolling = "--steps 0",
  skate = "--set grip=6",
  slider_crank = "--set play=0.005",
  soft_bodies = "--set bulk=100",
  solver_gallery = "--set rods=3",
  stable_pd_vs_pd = "--steps 100",
  stack = "--set offset=0.7",
  sweep_friction = "--steps 20",
  swing_up = "--set horizon=0.2",
  tall_box_clamp = "--set accumulate=false",
  tank = "--set tension=50",
  terrain = "--set spacing=2",
  thruster = "--steps 60",
  triggers = "--set door=false",
  tiles = "--set smooth=false --set speed=3",
  tune_pd = "--set delay=20",
  virtual_force_arm = "--set carry=false",
  wheel_car = "--set grip=0.02",
  wind_flags = "--set calm=0",
}

-- Number of steps, under every solver, of scenes with hundreds of coupled rows. One factorisation takes a third of a
-- second.
local slow = { cloth = 5, soft_bodies = 5, tank = 5 }

-- Options that shorten scenes whose setup or factorisation takes seconds.
local short = { evolved_hopper = "--set generations=1", cloth = "--set size=6" }

-- Parameters beyond a threshold, at which the outcome of a scene changes. The scene's check must expect the new
-- outcome.
local also = {
  "incline --set angle=26.4 --set mu=0.5", -- below the angle of friction, atan 0.5 = 26.565 degrees
  "incline --set angle=26.7 --set mu=0.5", -- above
  "rolling --set angle=60 --set mu=0.3",   -- slips
  "sweep_friction --set angle=26",
  "bisect_tipping --set angle=26.4", -- the box tips at tan(angle) = width / height: 26.565 degrees
  "bisect_tipping --set angle=26.7",
  "monte_carlo_toss --seed 17 --set sigma=1",
  "tune_pd --set kp=10 --set kd=6.3",
  "cradle --set strikers=3",
  "stack --set count=1",
  "stack --set sleep=false",
  "pyramid --set base=1",
  "thruster --set arm=-0.4 --set burn=1.5",
  "pile --seed 7",
  "bead_on_wire --set radius=2 --set highest=0.95",
  "cam --set lobes=1 --set lift=0.1",
  "cloth --set size=10",
  "crane --set load=50",
  "newton_motor --set light=10",
  "cradle --set gap=0",
  "cradle --set gap=0 --set count=7 --set strikers=2",
  -- A nearly upright ragdoll lands hardest.
  "ragdoll_drop --set tilt=0.015",
  "ratchet --set teeth=60 --set push=0",
  "skate --set spin=1 --set slope=60",
  "pendulum --set amplitude=150 --set length=0.5",
  "double_pendulum --set upper=179 --set lower=-179",
  "four_bar --set coupler=2 --set rocker=1.4",
  "slider_crank --set crank=0.4 --set rod=0.8 --set speed=-10",
  "gears --set z1=40 --set z3=6",
  "rack --set pinion=0.1 --set rack=50",
  "pulley --set ratio=0.5 --set mass_a=5 --set mass_b=0.5",
  "bridge --set half=2 --set slack=0.3 --set load=400",
  "baumgarte_decay --set links=2 --set sweeps=100", -- with enough sweeps the rows converge
  "box_drop --set height=1.4 --set speed=10",
  "tall_box_clamp --set height=1", -- at this height no impulse decreases, so both clamps agree
  "tall_box_clamp --set height=5 --set iterations=40",
  "chain_global --set count=10",
  "drift --set length=3",
  "heavy_ball_light_chain --set links=40",
  "heavy_ball_light_chain --solver acceleration",
  "four_bar_forces --set angle=30 --set load=500",
  "solver_gallery --set rods=1 --set load=1000",
  "biped_walk --set gust=100 --seed 3",
  "car_terrain --set speed=5.5",
  "tiles --set speed=50",
  "tiles --set speed=20",
  "terrain --set depth=2 --set spacing=0.02",
  "car_terrain --set speed=7.5",
  "quadruped_trot --set gait=2",
  "quadruped_trot --set gait=3 --set frequency=1.5",
  "quadruped_trot --set frequency=0.75",
  "quadruped_trot --set frequency=2.5 --set stride=0.1",
  "ragdoll_recover --set mass=10 --set limp=2",
  "ragdoll_recover --set limp=0.6",
  "ragdoll_recover --set limp=3",
  "soft_bodies --set bulk=5000",
  "soft_bodies --set bulk=10000 --set discs=12",
  "tank --set speed=1.5",
  "tank --set speed=2.3",
  "pose_track --set stiffness=500 --set damping=40",
  "balance_qp --set push=25 --set max_torque=80 --set friction=0.4",
  "virtual_force_arm --set stiffness=2000 --set load=5",
  "pd_arm --set kp=200 --set damping=1.5",
  "pid_cart_pole --set wind=-2 --set push=-5",
  "stable_pd_vs_pd --set part=0.9", -- below the stability limit
  "stable_pd_vs_pd --set part=0.97", -- below the stability limit, with a warning
  "stable_pd_vs_pd --set part=100",
  "muscle_elbow --set extensor=0.3 --set ball=1",
  "puppet --set lean=-0.2 --set stride=0.8",
  "evolved_hopper --seed 1",
  "swing_up --seed 3 --set force=9",
  "boats --set water=2000 --set waves=0.5",
  "rays --seed 2 --set rays=720 --set discs=16",
  "platformer --set jump=6.2 --set max_slope=41",
  "platformer --set speed=7",
  "explosion --set impulse=100 --set burn=0",
  "explosion --set impulse=60 --set burn=0.03 --set wall=false",
  "fluid --set freeze=0",
  "wind_flags --set wind=9 --set links=1 --seed 3",
  "wheel_car --set stiffness=20000 --set bump=0.25 --set speed=14",
}

-- Run the program, in `folder` if it is given. Return exit code, stdout, stderr.
local function impel(arguments, folder)
  local out, err = os.tmpname(), os.tmpname()
  local _, _, code = os.execute(("%s %s %s </dev/null >%s 2>%s"):format(folder and "cd " .. folder .. " &&" or "",
    program, arguments, out, err))
  local stdout, stderr = read(out), read(err)
  os.remove(out)
  os.remove(err)
  return code, stdout, stderr
end

local function names()
  local list = {}
  local code, stdout, stderr = impel("list")
  assert(code == 0, stderr)
  for name in stdout:gmatch("%f[^\n\0]([%w_]+) [^\n]*") do list[#list + 1] = name end -- games: example_games_spec.lua
  return list
end

describe("examples", function()
  local listed = names()

  it("each have an entry in `breaking`: options that make its check fail", function()
    local count = 0
    for _ in pairs(breaking) do count = count + 1 end
    assert.equal(count, #listed)
    for _, name in ipairs(listed) do assert.is_string(breaking[name], name) end
  end)

  it("are in the README, each with the options that make its check fail", function()
    local map = read("examples/README.md")
    for name, arguments in pairs(breaking) do
      local row = map:match("| `" .. name .. "` |[^\n]*")
      assert.is_string(row, name)
      assert.truthy(row:find(arguments, 1, true), name)
    end
  end)

  for _, name in ipairs(listed) do
    local path, brief = ("examples/%s.lua"):format(name), short[name] or ""

    describe(name, function()
      it("has a description, measures and a check, in 30 to 120 lines", function()
        local text = read(path)
        local _, lines = text:gsub("\n", "")
        assert.is_true(lines >= 30 and lines <= 120, lines .. " lines")
        assert.truthy(text:match("^%-%- %u"), "opens with a sentence")
        local scene = assert(scenes.load(path))
        local definition = scene.definition
        for _, field in ipairs { "title", "about", "duration", "view", "measure", "check" } do
          assert.is_not_nil(definition[field], field)
        end
        assert.is_true(definition.duration > 0 and definition.duration <= 10, "duration")
        for param, spec in pairs(scene.params) do
          assert.is_string(spec.help, param)
          assert.is_true(type(spec.default) == "boolean" or spec.min ~= nil and spec.max ~= nil, param .. ": range")
          -- A parameter with a unit must accept fractions such as 2.5.
          local has_unit = spec.help:find("%[[^%]]+%]")
          assert.falsy(has_unit and spec.integer, param .. ": integer with a unit")
        end
      end)

      it("passes its check, gives the same hash twice, and writes a trace of finite numbers", function()
        local code, hash, stderr = impel(("run %s --check --hash -q"):format(path))
        assert.equal(0, code, stderr)
        assert.equal("", stderr)
        assert.truthy(hash:match("^%x+\n$"))
        local trace = os.tmpname() .. ".csv"
        local _, again = impel(("run %s --hash -q --trace %s --every 10"):format(path, trace))
        local text = read(trace)
        os.remove(trace)
        os.remove((trace:gsub("%.csv$", "")))
        assert.equal(hash, again)
        for line in text:gmatch("\n([^\n]+)") do
          for value in line:gmatch("[^,]+") do
            local number = assert(tonumber(value), value)
            assert.is_true(number - number == 0, value)
          end
        end
      end)

      it("prints no nan after zero steps or one step", function()
        for steps = 0, 1 do
          local code, _, stderr = impel(("run %s --check -q --steps %d %s"):format(path, steps, brief))
          assert.truthy(code == 0 or code == 1, stderr)
          for word in stderr:gmatch("[%w-]+") do assert.falsy(word == "nan" or word == "-nan", stderr) end
        end
      end)

      it("runs under every solver without a nan", function()
        local steps = slow[name] or 60
        for _, solver in ipairs(compare.solvers()) do
          local code, stdout, stderr = impel(("run %s --solver %s --steps %d %s"):format(path, solver, steps, brief))
          assert.equal(0, code, solver .. ": " .. stderr)
          assert.is_nil(stdout:find "%f[%w]%-?nan%f[%W]", solver .. ": " .. stdout)
        end
      end)

      it("fails its check with its options in `breaking`", function()
        local code, _, stderr = impel(("run %s --check -q %s"):format(path, breaking[name]))
        assert.equal(1, code, stderr)
        assert.truthy(stderr:find("check failed: ", 1, true))
      end)
    end)
  end

  for _, arguments in ipairs(also) do
    it("holds for " .. arguments, function()
      local code, _, stderr = impel(("run %s --check -q"):format(arguments))
      assert.equal(0, code, stderr)
    end)
  end
end)

describe("examples/ci", function()
  local map = read("examples/ci/README.md")

  it("passes as a whole, each scene under many seeds", function()
    local report = os.tmpname()
    local code, stdout, stderr = impel(("test examples/ci --seeds 1..20 -q --junit %s"):format(report))
    local xml = read(report)
    os.remove(report)
    assert.equal(0, code, stdout .. stderr)
    assert.equal("", stderr)
    assert.truthy(xml:find('<testsuites name="impel" tests="160" failures="0" errors="0"', 1, true), xml)
  end)

  it("lists each scene in its README, with options that make its checks fail", function()
    local count = 0
    local _, listed = impel("test examples/ci --list")
    for file in listed:gmatch("examples/ci/([%w_]+%.lua): ") do
      if not map:find("`" .. file .. "`", 1, true) then error(file .. " is missing") end
    end
    for file, arguments in map:gmatch("| `([%w_]+%.lua)` |[^\n]*| `([^\n|`]+)` |\n") do
      count = count + 1
      local code, stdout, stderr = impel(("test examples/ci/%s -q %s"):format(file, arguments))
      assert.equal(1, code, file .. ": " .. stdout .. stderr)
      assert.falsy(stdout:find("nan", 1, true), stdout)
    end
    assert.equal(4, count)
  end)

  it("has commands that run unchanged", function()
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("cp -r examples/ci " .. folder))
    local count = 0
    for arguments in map:match("```\n(.-)```"):gmatch("impel (test[^#\n]*)") do
      count = count + 1
      local code, _, stderr = impel(arguments, folder)
      assert.equal(0, code, stderr)
    end
    os.execute("rm -r " .. folder)
    assert.equal(5, count)
  end)

  it("has a busted spec that passes", function()
    local out = os.tmpname()
    local top = io.popen("pwd"):read("l")
    local build = shared.path:match("^(.*)/[^/]*$")
    local _, _, code = os.execute(("cd examples/ci && LUA_PATH='%s/scripts/?.lua;%s/scripts/?/init.lua;;' "
      .. "LUA_CPATH='%s/lua/?.so;;' %s -o plainTerminal . >%s 2>&1"):format(top, top, build, shared.busted(), out))
    local text = read(out)
    os.remove(out)
    assert.equal(0, code, text)
    assert.truthy(text:find("7 successes / 0 failures / 0 errors", 1, true), text)
  end)
end)

describe("the top README", function()
  local text = read("README.md")

  -- Run the commands of a section's shell blocks in a new folder with the section's scenes, except commands that need a
  -- player. Return the number of commands, and the folder.
  local function run_section(title)
    local section = assert(text:match("\n## " .. title:gsub("%p", "%%%0") .. "\n(.-)\n## "), title)
    local folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
    for name, scene in text:gmatch("```lua\n%-%- ([%w_]+%.lua)[^\n]*\n(.-)```") do
      local file <close> = assert(io.open(folder .. "/" .. name, "w"))
      file:write(scene)
    end
    local count = 0
    for block in section:gmatch "```sh\n(.-)```" do
      for arguments in block:gmatch "impel ([^\n]*)" do
        if not arguments:find "^play " and not arguments:find "^view " then
          count = count + 1
          local code, stdout, stderr = impel(arguments:gsub("%s+#.*", ""), folder)
          assert.equal(0, code, arguments .. "\n" .. stderr)
          assert.truthy(#stdout + #stderr > 0, arguments)
        end
      end
    end
    return count, folder
  end

  it("has commands that work as pasted, for a game, a rig, a series of runs, and the reference", function()
    local least = { ["Your first game"] = 1, ["Your first rig and controller"] = 4, ["The reference"] = 4 }
    for title, count in pairs(least) do
      local found, folder = run_section(title)
      assert.is_true(found >= count, title .. ": " .. found .. " commands")
      if title:find "rig" then
        assert.truthy(read(folder .. "/arm.csv"):find "^time,angle,torque\n")
        assert.truthy(#read(folder .. "/sag.svg") > 500)
      end
      os.execute("rm -r " .. folder)
    end
    local found, folder = run_section "Your first series of runs"
    assert.is_true(found >= 4, found .. " commands")
    local _, rows = read(folder .. "/gains.csv"):gsub("\n", "")
    assert.equal(1 + 10, rows)
    os.execute("rm -r " .. folder)
  end)

  it("has a first game that runs with two bodies", function()
    local scene = text:match("```lua\n%-%- jump.lua[^\n]*\n(.-)```")
    local name = os.tmpname()
    local file = assert(io.open(name .. ".lua", "w"))
    file:write(scene)
    file:close()
    local code, stdout, stderr = impel("run " .. name .. ".lua --time 1")
    os.remove(name)
    os.remove(name .. ".lua")
    assert.equal(0, code, stderr)
    assert.truthy(stdout:find("bodies       2", 1, true), stdout)
  end)

  it("writes the pictures that its commands name", function()
    if not require("impel.picture").window() then return pending "impel.window is not built" end
    if not require("impel.picture.film").has_ffmpeg() then return pending "ffmpeg is not installed" end
    local count, folder = run_section "The window, pictures and drawing"
    assert.is_true(count >= 4, count .. " commands")
    for _, file in ipairs { "drop.png", "double.gif", "swing.svg", "swing.csv", "again.svg" } do
      assert.is_true(#read(folder .. "/" .. file) > 500, file)
    end
    os.execute("rm -r " .. folder)
  end)

  it("saves and continues, and records and replays, to the same hash", function()
    local count, folder = run_section "Saved states and recordings"
    assert.equal(4, count)
    os.execute("rm -r " .. folder)
  end)
end)
