-- The benchmark's own code, run with fake programs that print fixed measurements.

local dkjson = require "dkjson"
local program = require "support.program"

local LINE = "engine=x bodies=100 pins=0 awake=100 bytes=1000 height=1 sink=0.5 kinetic=0 overlap=0.001 crowd=0.0005 "
  .. "gap=0 gap_max=0"

describe("make bench", function()
  local folder

  -- Write a program bench/NAME of the fake build.
  local function put(name, text)
    local path = ("%s/bench/%s"):format(folder, name)
    local file = assert(io.open(path, "w"))
    file:write("#!/bin/sh\n", text, "\n")
    file:close()
    assert(os.execute("chmod +x " .. program.quote(path)))
    return path
  end

  local function bench(arguments)
    local out, err = program.temporary(), program.temporary()
    local _, _, code = os.execute(("lua5.4 spec/tools/bench.lua --build %s %s >%s 2>%s </dev/null"):format(
      program.quote(folder), arguments, out, err))
    return code, program.read(out), program.read(err)
  end

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir -p " .. program.quote(folder .. "/bench")))
    put("impel", ('echo greeting; echo "%s ms=0.02 wall=0.03 held=1500 hash=ab contacts=7 rows=8 colours=9 '
      .. 'stage_solve=0.015 stage_store=0.005 compiler=gcc 1.2"'):format(LINE))
    put("chipmunk", ('echo "%s ms=0.04"'):format(LINE))
    put("box2d", "echo usage; exit 64")
  end)

  after_each(function()
    os.execute("rm -rf " .. program.quote(folder))
    program.clean()
  end)

  it("rejects wrong options before any program runs", function()
    local readme = program.write("no markers\n", ".md")
    for arguments, words in pairs {
      ["--scene tumbller"] = "no scene or part 'tumbller' (did you mean 'tumbler'?)",
      ["--rounds 0"] = "--rounds: integer in 1..1000 expected, got '0'",
      ["--rounds"] = "--rounds: the value is missing",
      ["--threads 1,x"] = "--threads: integer in 1..256 expected, got 'x'",
      ["--lanes 17"] = "--lanes: integer in 0..16 expected, got '17'",
      ["--peer v3"] = "--peer: TITLE=COMMAND expected, got 'v3'",
      ["--peer a=x --peer a=y"] = "--peer: the title 'a' is given twice",
      ["--json ''"] = "--json: a name expected, got ''",
      ["--json /nowhere/x"] = "--json: cannot write /nowhere/x",
      ["--markdown " .. readme] = "has no <!-- bench -->",
      ["--thread 1"] = "no option '--thread' (did you mean '--threads'?)",
    } do
      local code, out, err = bench(arguments)
      assert.equal(2, code, arguments)
      assert.equal("", out)
      assert.truthy(err:find(words, 1, true), err)
    end
  end)

  it("lists its options and scenes", function()
    local code, out = bench "--help"
    assert.equal(0, code)
    assert.truthy(out:find("--peer", 1, true) and out:find("large_pyramid", 1, true) and out:find("calls", 1, true))
  end)

  it("compares programs, also if one does not have the scene", function()
    local code, out, err = bench "--scene small --lanes 0 --rounds 2"
    assert.same({ 0, "" }, { code, err })
    assert.truthy(out:find("impel +0%.0200"), out)
    assert.truthy(out:find("Chipmunk +0%.0400 +2%.00 x"))
    assert.truthy(out:find("Box2D 2%.4 +has no such scene"))
    assert.truthy(out:find("small 0.0200 ms, limit 0.03", 1, true))
  end)

  it("prints the time of each stage", function()
    local _, out = bench "--scene pile --lanes 0 --rounds 1"
    assert.truthy(out:find("solve 0.015 (75 %), store 0.005 (25 %)", 1, true), out)
  end)

  it("runs an added program, with threads=N for more than one thread", function()
    local peer = put("other", ('echo "$@" >> %s/calls; echo "%s ms=0.01"'):format(program.quote(folder), LINE))
    local code, out = bench(("--scene small --rounds 1 --threads 1,2 --peer 'Other 3=%s'"):format(peer))
    assert.equal(0, code)
    assert.truthy(out:find("Other 3 +0%.0100 .* 0%.50 x"), out)
    assert.truthy(out:find("Other 3, 2 threads", 1, true))
    assert.equal("pile 100 1000\npile 100 1000 threads=2\n", program.read(folder .. "/calls"))
  end)

  it("writes all measurements as JSON", function()
    local path = program.temporary ".json"
    assert.equal(0, bench(("--scene small,pile --lanes 0,8 --rounds 3 --json %s"):format(path)))
    local report, _, problem = dkjson.decode(program.read(path))
    assert.is_nil(problem)
    assert.same({ "impel.bench", 1, 3, "gcc 1.2" }, { report.format, report.version, report.rounds, report.compiler })
    for _, name in ipairs { "machine", "system", "processors", "commit", "date" } do
      assert.truthy(report[name], name)
    end
    assert.equal(2, #report.scenes)
    assert.equal(6, #report.goals)
    local scene = report.scenes[2]
    assert.same({ "small", "pile", 100, 1000 }, { scene.name, scene.scene, scene.size, scene.steps })
    local titles = {}
    for i, run in ipairs(scene.runs) do titles[i] = run.title end
    assert.same({ "impel", "impel, 8 lanes", "Chipmunk", "Box2D 2.4" }, titles)
    assert.same({ 0.02, 0.02, 0.02 }, scene.runs[1].ms_of_rounds)
    assert.same({ name = "solve", ms = 0.015 }, scene.runs[1].result.stages[1])
    assert.is_true(scene.runs[4].absent)
  end)

  it("replaces the table between the markers of a file, also a second time", function()
    local path = program.write("# Before\n<!-- bench -->\nold\n<!-- /bench -->\nafter\n", ".md")
    for _ = 1, 2 do assert.equal(0, bench("--scene small --lanes 0 --rounds 1 --markdown " .. path)) end
    local text = program.read(path)
    assert.truthy(text:find("^# Before\n<!%-%- bench %-%->\n"))
    assert.truthy(text:find("\n<!%-%- /bench %-%->\nafter\n$"))
    assert.falsy(text:find("old", 1, true))
    assert.truthy(text:find("| small (1000) | 0.0200 | 0.0400 (2.00 ×) | – |", 1, true), text)
    local _, tables = text:gsub("| scene %(steps%)", "")
    assert.equal(1, tables)
  end)

  it("reports a program that fails and continues with the others", function()
    put("chipmunk", "echo out of luck >&2; exit 3")
    local code, out, err = bench "--scene small,pile --lanes 0 --rounds 2"
    assert.equal(1, code)
    local _, times = err:gsub("exit code 3: out of luck", "")
    assert.equal(2, times, err) -- the message is printed once for each of the two scenes, not once per round
    assert.truthy(err:find("chipmunk' pile 100 1000", 1, true))
    assert.truthy(out:find("Chipmunk +failed"))
    assert.truthy(out:find("impel +0%.0200"))
  end)

  it("reports a program without a result, and a hash that differs between rounds", function()
    put("chipmunk", "echo hello")
    put("impel", ('echo "%s ms=0.02 hash=$$"'):format(LINE))
    local code, _, err = bench "--scene small --lanes 0 --rounds 2"
    assert.equal(1, code)
    assert.truthy(err:find("its last line has no ms=: hello", 1, true), err)
    assert.truthy(err:find("the hash differs between rounds", 1, true))
  end)

  it("continues without engines that are not built, and names the package to install", function()
    os.remove(folder .. "/bench/chipmunk")
    local code, out = bench "--scene small --rounds 1"
    assert.equal(0, code)
    assert.truthy(out:find("without Chipmunk: .*apt%-get install chipmunk%-dev"))
  end)

  it("compares the measurements with the goals", function()
    put("impel", ('if [ $5 = threads=2 ]; then ms=0.03; else ms=0.06; fi; echo "%s ms=$ms wall=$ms hash=ab"'):format(
      LINE:gsub("bodies=100", "bodies=6000")))
    local v3 = put("v3", ('echo "%s ms=0.13"'):format(LINE))
    local code, out = bench(("--scene tumbler,large_pyramid,joint_grid --rounds 1 --lanes 0 --threads 1,2 "
      .. "--peer 'Box2D v3 SSE2=%s' --peer 'Box2D v3 AVX2=%s'"):format(v3, v3))
    assert.equal(0, code)
    local told = "2%. time / time[^\n]*: not met\n[^\n]*tumbler 0.46, at most 0.5; joint_grid 0.46, at most 0.3"
    assert.truthy(out:find(told), out)
    assert.truthy(out:find("4%. two threads[^\n]*: met\n"))
    assert.truthy(out:find("1%. faster[^\n]*: not measured\n[^\n]*tumbler 2.17 x"))
    assert.truthy(out:find("6%. calls[^\n]*: not measured\n"))
  end)
end)
