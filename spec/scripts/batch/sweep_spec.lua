-- Sweeps: the output has a row for every run, and the same bytes for any number of processes and after any
-- interruption.

local program = require "support.program"
local design = require "impel.batch.design"
local params = require "impel.scene.params"
local processes = require "impel.processes"
local impel, write, read, quote = program.run, program.write, program.read, program.quote

-- Return a scene with a thrown ball and a random impulse from the seed. `more` is code before the scene is returned.
local function scene_text(more, setup)
  return ([[
local impel = require "impel"
local scene = { title = "throw", duration = 0.5 }
scene.params = { speed = { 1.0, min = 0, max = 50 }, angle = { 45, min = 0, max = 90 }, mode = { 0, integer = true } }
function scene.setup(p, seed)
  local world, a = impel.world { seed = seed }, math.rad(p.angle)
  local ball = world:body { mass = 1, velocity = { p.speed * math.cos(a), p.speed * math.sin(a) } }
  ball:apply_impulse(0.1 * world:random(), 0)
  %s
  return { world = world, ball = ball, p = p }
end
function scene.measure(s)
  local x, y = s.ball:position()
  return { x = x, y = y, moving = true, speed = s.ball:velocity() }
end
function scene.score(s) return (s.ball:position()) end
%s
return scene
]]):format(setup or "", more or "")
end

local function rows_of(text)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  return lines
end

local function output()
  return program.temporary(".csv")
end

local function plan_of(options)
  options.params = params.read {
    k = { 1.0, min = 0, max = 200 }, n = { 3, integer = true, min = 0, max = 9 }, on = false,
  }
  return design.new(options)
end

describe("a sweep", function()
  after_each(program.clean)

  describe("plans its runs", function()
    it("with both ends of a range, exact steps where possible, and seeds varying fastest", function()
      local plan = assert(plan_of { grid = { "k=10:200:20", "n=1,2,5" }, seeds = "3..4" })
      assert.equal(20 * 3 * 2, plan.count)
      for index = 1, plan.count do
        local values, seed = plan:run(index)
        local rest = index - 1
        assert.equal(3 + rest % 2, seed)
        assert.equal(({ 1, 2, 5 })[rest // 2 % 3 + 1], values.n)
        assert.equal(10.0 * (rest // 6 + 1), values.k)
      end
    end)

    it("with a constant ratio on a logarithmic range", function()
      local plan = assert(plan_of { grid = { "k=0.1:100:4:log" } })
      for i = 0, 3 do
        assert.near(0.1 * 10.0 ^ i, plan:run(i + 1).k, 1e-13) -- exp and log are rounded to 17 digits
      end
      assert.equal(0.1, plan:run(1).k)
      assert.equal(100.0, plan:run(4).k)
    end)

    it("with lists of numbers and of booleans", function()
      local plan = assert(plan_of { grid = { "on=true,false", "k=7" }, seeds = "5,1" })
      local values, seed = plan:run(2)
      assert.same({ { on = true, k = 7.0 }, 1 }, { values, seed })
    end)

    it("with Latin hypercube samples: one in each slice of a range, reproduced by the sample seed", function()
      local count = 40
      local plan = assert(plan_of { grid = { "k=0:200", "n" }, sample = count })
      local again = assert(plan_of { grid = { "k=0:200", "n" }, sample = count })
      local other = assert(plan_of { grid = { "k=0:200", "n" }, sample = count, sample_seed = 1 })
      local slices, whole, differs = {}, {}, false
      for i = 1, count do
        local values = plan:run(i)
        assert.same(values, again:run(i))
        differs = differs or values.k ~= other:run(i).k
        slices[values.k // (200 / count)] = true
        whole[values.n] = (whole[values.n] or 0) + 1
      end
      for i = 0, count - 1 do assert.is_true(slices[i], i) end
      for n = 0, 9 do assert.equal(count // 10, whole[n]) end -- each of ten integers occurs in a tenth of the runs
      assert.is_true(differs)
    end)

    it("with random samples from the range, and every sample combined with every point of the grid", function()
      local plan = assert(plan_of { grid = { "k=1:100:log", "n=1,2" }, sample = 500, sampling = "random" })
      assert.equal(1000, plan.count)
      local below = 0
      for i = 1, 500 do
        local values = plan:run(i)
        assert.equal(1, values.n)
        assert.equal(values.k, plan:run(500 + i).k)
        assert.is_true(values.k >= 1 and values.k < 100)
        if values.k < 10 then below = below + 1 end
      end
      -- Five standard deviations of the number of heads of 500 fair coins.
      assert.near(250, below, 5 * math.sqrt(500) / 2)
    end)

    it("or reports an invalid grid, sample or seed option", function()
      local function refuses(options, message)
        local plan, got = plan_of(options)
        assert.is_nil(plan)
        assert.truthy(got:find(message, 1, true), got)
      end
      refuses({ grid = { "kk=1,2" } }, "--grid kk=1,2: unknown param 'kk' (did you mean 'k'?)")
      refuses({ grid = { "zzz=1" } }, "unknown param 'zzz' (params: k, n, on)")
      refuses({ grid = { "k=1:2" } }, "give a count (k=from:to:count) or --sample N")
      refuses({ grid = { "k=1:2:0" } }, "a count in 1..1000000 expected, got '0'")
      refuses({ grid = { "k=1:2:3:lin" } }, "from:to:count or from:to:count:log expected")
      refuses({ grid = { "k=0:2:3:log" } }, "a logarithmic range must be above 0")
      refuses({ grid = { "k=1:x:3" } }, "a number expected, got 'x'")
      refuses({ grid = { "k=1:300:3" } }, "param 'k': '300' is out of range 0..200")
      refuses({ grid = { "n=1:2:3" } }, "param 'n': integer expected, got '1.5'")
      refuses({ grid = { "k=1", "k=2" } }, "'k' already has a --grid")
      refuses({ grid = { "k=1,", } }, "number expected, got ''")
      refuses({ grid = { "=1" } }, "name=from:to:count or name=a,b,c expected")
      refuses({ grid = { "k=1,2" }, sample = 3 }, "--sample needs --grid NAME=from:to")
      refuses({ grid = { "on=0:1" }, sample = 3 }, "only parameters that are numbers can be sampled")
      refuses({ grid = { "k=5:4" }, sample = 3 }, "5..4 is empty")
      refuses({ seeds = "8..1" }, "8..1 is empty")
      refuses({ seeds = "1..x" }, "1..8 or 1,5,9 expected, got '1..x'")
    end)
  end)

  describe("gives the same bytes", function()
    it("as single runs in sequence", function()
      local file = write(scene_text())
      local code, out = impel(("sweep %s --grid speed=1:5:5 --seeds 1..5 -q"):format(file))
      assert.equal(0, code)
      local lines = rows_of(out)
      assert.equal(26, #lines)
      for i = 1, 25 do
        local _, single = impel(("run %s --set speed=%d --seed %d --row %d"):format(file, (i - 1) // 5 + 1,
          (i - 1) % 5 + 1, i))
        assert.equal(lines[1] .. "\n" .. lines[i + 1] .. "\n", single)
      end
    end)

    it("for any number of processes, with and without a file, in any number of shards", function()
      local file = write(scene_text())
      local sweep = ("sweep %s --grid speed=1:5:5 --grid angle=10,20 --seeds 1..3 -q "):format(file)
      local _, whole = impel(sweep .. "-j 1")
      assert.equal(31, #rows_of(whole))
      for _, jobs in ipairs { 2, 7 } do
        local _, out = impel(sweep .. "-j " .. jobs)
        assert.equal(whole, out)
        local path = output()
        assert.equal(0, (impel(("%s -j %d -o %s"):format(sweep, jobs, path))))
        assert.equal(whole, read(path))
      end
      local shards = {}
      for i = 1, 5 do
        shards[i] = output()
        assert.equal(0, (impel(("%s --shard %d/5 -o %s"):format(sweep, i, shards[i]))))
        assert.equal(7, #rows_of(read(shards[i])))
      end
      local mixed = { shards[4], shards[1], shards[5], shards[3], shards[2] }
      local code, merged = impel("sweep --merge " .. table.concat(mixed, " "))
      assert.equal(0, code)
      assert.equal(whole, merged)
      local path = output()
      assert.equal(0, (impel(("sweep --merge %s -o %s"):format(table.concat(shards, " "), path))))
      assert.equal(whole, read(path))
    end)

    it("after kill -9 at fifty random moments, resumed", function()
      local file = write(scene_text())
      local sweep = ("sweep %s --grid speed=1:5:8 --steps 300 -q -j 2"):format(file)
      local clock = require("impel.system").clock
      local start = clock()
      local _, whole = impel(sweep)
      local lasts = clock() - start
      local path, torn, began = output(), 0, 0
      math.randomseed(5)
      for _ = 1, 50 do
        os.remove(path)
        local wait = lasts * math.random()
        os.execute(("%s %s -o %s 2>/dev/null & sleep %.4f; kill -9 $! 2>/dev/null; wait $! 2>/dev/null"):format(
          quote(program.path), sweep, path, wait))
        local left = io.open(path, "rb")
        local text = left and left:read("a") or ""
        if left then left:close() end
        if #text > 0 and #text < #whole then began = began + 1 end
        if text ~= "" and text:sub(-1) ~= "\n" then torn = torn + 1 end
        for _, line in ipairs(rows_of(text)) do assert.truthy(whole:find(line .. "\n", 1, true), line) end
        local code, _, err = impel(("%s --resume -o %s"):format(sweep, path))
        assert.equal(0, code, err)
        assert.equal(whole, read(path))
      end
      assert.is_true(began > 0, "no kill left a partly written file")
      assert.equal(0, torn) -- each row takes only one write call
    end)

    it("after a torn last line, resumed", function()
      local file = write(scene_text())
      local sweep = ("sweep %s --seeds 1..2 --steps 3 -q"):format(file)
      local _, whole = impel(sweep)
      local path = output()
      for length = 0, #whole, 7 do
        local cut = assert(io.open(path, "wb"))
        cut:write(whole:sub(1, length))
        cut:close()
        local code, _, err = impel(("%s --resume -o %s"):format(sweep, path))
        assert.equal(0, code, err)
        assert.equal(whole, read(path))
      end
    end)
  end)

  describe("has a row for a run that", function()
    -- Run 1 fails, runs 2 and 3 succeed. Return `status` and `reason` of run 1.
    local function bad_run(setup, options)
      local file = write(scene_text("", "if p.mode == 1 then " .. setup .. " end"))
      local code, out, err = impel(("sweep %s --grid mode=1,0,2 --steps 3 -q -j 2 %s"):format(file, options or ""))
      assert.equal(0, code, err)
      local lines = rows_of(out)
      assert.equal(4, #lines)
      assert.truthy(lines[3]:find(",ok,$"))
      assert.truthy(lines[4]:find(",ok,$"))
      return lines[2]:match "^1,45,1,1,0,,,,,,,,(.*)$" or lines[2], file
    end

    it("raises", function()
      local row, file = bad_run("error('no, \"never\"\\nat all')")
      assert.equal(('error,"%s:8: no, ""never""; at all"'):format(file), row)
    end)

    it("loops forever", function()
      assert.equal("timeout,took more than 0.5 s", (bad_run("while true do end", "--timeout 0.5")))
    end)

    it("exits", function()
      assert.equal("exited,exited with status 3", (bad_run("package.loaded.os.exit(3)")))
      assert.truthy(bad_run("os.exit(3)"):find("a scene cannot end the program", 1, true))
    end)

    it("is killed", function()
      assert.equal("killed,killed by signal 9 (Killed)", (bad_run("os.execute('kill -9 $PPID')")))
    end)

    it("diverges", function()
      local row = bad_run("world:on('step', function() ball:apply_force(1e14, 0) end)")
      assert.truthy(row:find("^diverged,"), row)
    end)

    it("starts a background program that keeps the run's output open", function()
      local file = write(scene_text("", "if p.mode == 1 then os.execute('sleep 20 &') end"))
      local code, out = impel(("sweep %s --grid mode=1,0 --steps 1 -q"):format(file))
      assert.equal(0, code)
      for i = 2, 3 do assert.truthy(rows_of(out)[i]:find(",ok,$")) end
    end)

    it("starts a background process, which ends with the run", function()
      local marker = program.temporary()
      local file = write(scene_text("", ("os.execute('(sleep 0.5; echo alive >%s) &')"):format(marker)))
      assert.equal(0, (impel(("sweep %s --seeds 1..2 --steps 1 -q"):format(file))))
      os.execute("sleep 0.8")
      assert.equal("", read(marker)) -- the background process has ended
    end)

    it("iterates over a table whose keys are tables and functions", function()
      local odd = "{ [{}] = 1, [print] = 2, [{ 1 }] = 3, [world.step] = 4 }"
      local file = write(scene_text("", ("for k in pairs %s do end"):format(odd)))
      local _, out = impel(("sweep %s --seeds 1..12 --steps 1 -q"):format(file))
      local _, again = impel(("sweep %s --seeds 1..12 --steps 1 -q -j 7"):format(file))
      assert.equal(out, again)
      assert.equal(12, select(2, out:gsub("a key of type 'function'", "")))
    end)

    it("writes megabytes without the end of a line", function()
      local file = write(scene_text("", "for _ = 1, 2000 do io.stderr:write(('z'):rep(1000)) end"))
      local code, out, err = impel(("sweep %s --steps 1 --timeout 20"):format(file))
      assert.equal(0, code)
      assert.truthy(rows_of(out)[2]:find(",ok,$"), out)
      assert.is_true(#err > 2000000)
    end)

    it("fails its check, if checks were requested", function()
      local file = write(scene_text("function scene.check(s) return s.p.mode < 1, 'mode, too high' end\n"
        .. "scene.checks = { low = function(s) return s.p.mode < 2, 'not low' end }"))
      local sweep = ("sweep %s --grid mode=0,1,2 --steps 1 -q"):format(file)
      local code, out = impel(sweep)
      assert.equal(0, code)
      assert.truthy(rows_of(out)[4]:find(",ok,$"))
      code, out = impel(sweep .. " --check")
      assert.equal(1, code)
      local lines = rows_of(out)
      assert.truthy(lines[2]:find(",ok,$"))
      assert.truthy(lines[3]:find(',failed,"mode, too high"$'))
      assert.truthy(lines[4]:find(',failed,"mode, too high; low: not low"$'))
    end)

    it("has a measure that was absent at first", function()
      local file = write((scene_text():gsub("moving = true", "[s.p.mode == 1 and 'moviny' or 'moving'] = true")))
      local _, out = impel(("sweep %s --grid mode=0,1 --steps 1 -q"):format(file))
      assert.truthy(rows_of(out)[2]:find(",ok,$"), out)
      local message = "measure 'moviny' did not exist before the first step: it has no column (did you mean "
        .. "'moving'?)"
      assert.truthy(rows_of(out)[3]:find(message, 1, true))
    end)
  end)

  it("works with few file descriptors", function()
    local file = write(scene_text())
    local sweep = ("sweep %s --seeds 1..60 --steps 1 -q"):format(file)
    local _, whole = impel(sweep)
    local code, out, err = impel(sweep .. " -j 64", nil, "ulimit -n 32;")
    assert.equal(0, code, err)
    assert.equal(whole, out)
  end)

  it("gives every column a unique name", function()
    local file = write([[
local impel = require "impel"
local scene = { params = { seed = 3, run = 1, mass = 2 }, duration = 0 }
function scene.setup() return { world = impel.world {} } end
function scene.measure() return { mass = 1, hash = 2, z = 3 } end
return scene]])
    local _, out = impel(("sweep %s -q"):format(file))
    assert.equal("run,mass,param.run,param.seed,seed,time,measure.hash,measure.mass,z,hash,status,reason",
      rows_of(out)[1])
    assert.truthy(rows_of(out)[2]:find("^1,2,1,3,0,0,2,1,3,%x+,ok,$"))
  end)

  it("prints the runs' output on stderr with the run's number, and keeps stdout for rows", function()
    local file = write(scene_text("", "print('hello', seed) io.stdout:write('there\\n')"))
    local code, out, err = impel(("sweep %s --seeds 7..8 -j 1"):format(file))
    assert.equal(0, code)
    assert.equal(3, #rows_of(out))
    assert.truthy(err:find("run 2: hello\t8\nrun 2: there\n", 1, true), err)
    assert.truthy(err:find("impel: 2 of 2 runs in .*: 2 ok\n"))
  end)

  it("records the wall time of each run on request", function()
    local file = write(scene_text())
    local _, out = impel(("sweep %s --seeds 1..2 -q --timing"):format(file))
    assert.truthy(rows_of(out)[1]:find(",reason,seconds$"))
    for i = 2, 3 do
      local seconds = tonumber(rows_of(out)[i]:match(",ok,,([^,]*)$"))
      assert.is_true(seconds > 0 and seconds < 60)
    end
  end)

  describe("loses nothing", function()
    it("when its file exists already", function()
      local file, path = write(scene_text()), write("mine", ".csv")
      local sweep = ("sweep %s -q -o %s"):format(file, path)
      local code, _, err = impel(sweep)
      assert.equal(2, code)
      assert.truthy(err:find("exists already: --resume continues it, --force replaces it", 1, true))
      assert.equal("mine", read(path))
      assert.equal(0, (impel(sweep .. " --force")))
      assert.equal(2, #rows_of(read(path)))
    end)

    it("when the file is another sweep's, or damaged", function()
      local file, path = write(scene_text()), output()
      local sweep = ("sweep %s --seeds 1..4 -q -o %s --resume"):format(file, path)
      assert.equal(0, (impel(sweep)))
      local whole = read(path)
      local function refuses(text, message, other)
        local changed = assert(io.open(path, "wb"))
        changed:write(text)
        changed:close()
        local code, _, err = impel(other or sweep)
        assert.equal(5, code)
        assert.truthy(err:find(message, 1, true), err)
        assert.equal(text, read(path))
      end
      refuses(whole:gsub("run,", "ran,"), "its columns are not those of this sweep")
      refuses(whole:gsub("\n", "\r\n"), "its lines end in CR LF")
      refuses(whole:gsub("\n3,", "\nx,"), ":4: not a row of a sweep")
      refuses(whole:gsub(",ok,\n3", ",ok\n3"), ":3: 14 fields expected, got 13")
      refuses(whole, "run 1 is not in this sweep", (sweep:gsub("1..4", "5..8")))
      refuses(whole, "run 2 is not in this sweep", sweep .. " --shard 1/2")
      refuses(whole, "run 3 is not in this sweep", (sweep:gsub("1..4", "1..2")))
    end)

    it("when the scene has changed since the rows were written", function()
      local file, path = write(scene_text()), output()
      local sweep = ("sweep %s --seeds 1..4 -q -o %s"):format(file, path)
      for _, timing in ipairs { "", " --timing" } do
        assert.equal(0, (impel(sweep .. timing .. " --force")))
        local lines = rows_of(read(path))
        local part = lines[1] .. "\n" .. lines[4] .. "\n" .. lines[3] .. "\n"
        local changed = assert(io.open(path, "wb"))
        changed:write(part)
        changed:close()
        local text = read(file)
        local scene = assert(io.open(file, "wb"))
        scene:write((text:gsub("0%.1", "0.2")))
        scene:close()
        local code, _, err = impel(sweep .. timing .. " --resume")
        assert.equal(5, code)
        local told = "run 2 gives a different result than before; did the scene or the program change?"
        assert.truthy(err:find(told, 1, true), err)
        assert.equal(part, read(path))
        scene = assert(io.open(file, "wb"))
        scene:write(text)
        scene:close()
        assert.equal(0, (impel(sweep .. timing .. " --resume")))
        assert.equal(5, #rows_of(read(path)))
      end
    end)

    it("when a disk is full: it exits with 5, leaves whole rows, and --resume adds the missing rows", function()
      local file, path = write(scene_text()), output()
      local sweep = ("sweep %s --seeds 1..40 -q -j 2"):format(file)
      local _, whole = impel(sweep)
      -- `ulimit -f` counts blocks of 512 or 1024 B.
      local code, _, err = impel(("%s -o %s"):format(sweep, path), nil, "ulimit -f 2;")
      assert.equal(5, code)
      assert.truthy(err:find("cannot write " .. path, 1, true), err)
      assert.truthy(err:find("--resume continues", 1, true), err)
      local text = read(path)
      assert.equal("\n", text:sub(-1))
      assert.is_true(#rows_of(text) > 5 and #text < #whole)
      for _, line in ipairs(rows_of(text)) do assert.truthy(whole:find(line .. "\n", 1, true), line) end
      assert.equal(0, (impel(("%s -o %s --resume"):format(sweep, path))))
      assert.equal(whole, read(path))
    end)

    it("when its file is a device, a pipe or a folder", function()
      local file = write(scene_text())
      local sweep = ("sweep %s --seeds 1..6 -q -j 3 --force -o "):format(file)
      local _, whole = impel((sweep:gsub(" %-%-force %-o ", "")))
      local copy = program.temporary()
      assert.is_true(os.execute(("%s %s /dev/stdout | cat >%s"):format(quote(program.path), sweep, copy)))
      assert.equal(whole, read(copy)) -- rows must be written in order: a pipe cannot be sorted
      assert.equal(2, (impel(sweep .. "/tmp")))
      assert.equal(2, (impel((sweep:gsub("force", "resume")) .. "/dev/null")))
      if require("impel.system").kind("/dev/full") == "other" then -- the device exists on Linux only
        assert.equal(5, (impel(sweep .. "/dev/full")))
        assert.equal(5, (impel(("sweep --merge %s -o /dev/full --force"):format(copy))))
        assert.equal("other", require("impel.system").kind("/dev/full"))
      end
    end)

    it("when its output has no reader any more", function()
      local file = write(scene_text())
      local result = program.temporary()
      os.execute(("(%s sweep %s --seeds 1..2000 --steps 1 -q 2>/dev/null; echo $? >%s) | head -n 2 >/dev/null"):format(
        quote(program.path), file, result))
      assert.equal("5\n", read(result))
    end)

    it("on SIGINT and SIGTERM", function()
      local file = write(scene_text())
      for signal, code in pairs { INT = 130, TERM = 143 } do
        local path, err, result = output(), program.temporary(), program.temporary()
        local sweep = ("sweep %s --seeds 1..400 --steps 2000 -q -j 2 -o %s"):format(file, path)
        -- Without job control a shell starts background jobs with SIGINT ignored.
        os.execute(("set -m 2>/dev/null; %s %s 2>%s & %s; kill -%s $!; wait $!; echo $? >%s"):format(
          quote(program.path), sweep, err, program.until_lines(path, 3), signal, result))
        assert.equal(code .. "\n", read(result))
        assert.truthy(read(err):find("interrupted; the same command with --resume continues", 1, true), read(err))
        local lines = rows_of(read(path))
        assert.is_true(#lines > 1 and #lines < 401, #lines)
        for i = 3, #lines do -- in order
          assert.is_true(tonumber(lines[i]:match "^%d+") > tonumber(lines[i - 1]:match "^%d+"))
        end
      end
    end)

    it("when the sweep is killed: no worker process keeps the file open or locked", function()
      local rowfile = require "impel.base.rowfile"
      local path = output()
      os.remove(path)
      local file, jobs, outcomes = assert(rowfile.open(path, "create")), { 1, 2 }, {}
      assert(processes.run {
        jobs = function() return table.remove(jobs) end,
        work = function() return tostring((require("impel.system").append(file.descriptor, "torn"))) end,
        done = function(_, outcome) table.insert(outcomes, outcome.values[1]) end,
      })
      assert.same({ "nil", "nil" }, outcomes)
      assert(file:add("whole"))
      assert(file:close())
      assert.equal("whole\n", read(path))
    end)

    it("when two sweeps write the same file", function()
      local file, path, result = write(scene_text()), output(), program.temporary()
      local sweep = ("%s sweep %s --seeds 1..200 --steps 2000 -q -o %s"):format(quote(program.path), file, path)
      os.execute(("(%s & sleep 0.2; %s --resume 2>%s; echo $? >>%s; kill $!; wait $!) 2>/dev/null"):format(sweep,
        sweep, result, result))
      assert.equal(("impel: cannot write %s: it is already open for writing\n2\n"):format(path),
        (read(result):gsub("\nimpel: stopping.*", "\n")))
    end)
  end)

  it("names missing and duplicate runs when it merges files", function()
    local file = write(scene_text())
    local paths = {}
    for i = 1, 3 do
      paths[i] = output()
      impel(("sweep %s --seeds 1..9 -q --shard %d/3 -o %s"):format(file, i, paths[i]))
    end
    local code, out, err = impel(("sweep --merge %s %s"):format(paths[1], paths[3]))
    assert.equal(5, code)
    assert.equal(7, #rows_of(out))
    assert.truthy(err:find("runs are missing: 2, 5, 8", 1, true), err)
    local text = read(paths[2])
    local other = write(text:gsub(",45,", ",46,"), ".csv")
    local _
    code, _, err = impel(("sweep --merge %s %s"):format(paths[2], other))
    assert.equal(5, code)
    assert.truthy(err:find("run 2 is in", 1, true), err)
    code, out = impel(("sweep --merge %s %s %s %s"):format(paths[1], paths[2], paths[3], paths[2]))
    assert.equal(0, code)
    assert.equal(10, #rows_of(out))
    code = impel(("sweep --merge %s"):format(file))
    assert.equal(5, code)
  end)

  it("exits with a message if the scene cannot be read or an option is wrong", function()
    local code, _, err = impel(("sweep %s"):format(write("return {")))
    assert.equal(3, code)
    assert.truthy(err:find("unexpected symbol", 1, true), err)
    code, _, err = impel(("sweep %s --timeout 0.3"):format(write("while true do end")))
    assert.equal(3, code)
    assert.truthy(err:find("took more than 0.3 s", 1, true), err)
    code, _, err = impel("sweep pendulun")
    assert.equal(2, code)
    assert.truthy(err:find("did you mean 'pendulum'?", 1, true), err)
    assert.equal(2, (impel("sweep")))
    assert.equal(2, (impel("sweep pendulum --resume")))
    assert.equal(2, (impel("sweep pendulum --shard 3/2")))
    assert.equal(2, (impel("sweep pendulum --set frictio=1")))
    assert.equal(2, (impel("sweep pendulum --solver sotf")))
    assert.equal(2, (impel("sweep pendulum --grid friction=0:1:1000000000")))
  end)
end)

describe("processes", function()
  it("return the work's result byte for byte, also beyond the capacity of a pipe", function()
    local big = ("x"):rep(300000) .. "\0\n\255"
    local got = {}
    local todo = 3
    assert.is_true(processes.run {
      workers = 2,
      jobs = function()
        todo = todo - 1
        return todo >= 0 and todo or nil
      end,
      work = function(job) return tostring(job), big, "" end,
      done = function(job, outcome) got[job] = outcome.values end,
    })
    for job = 0, 2 do assert.same({ tostring(job), big, "" }, got[job]) end
  end)

  it("share no state", function()
    local shared, outcomes, todo = 0, {}, 4
    processes.run {
      jobs = function()
        todo = todo - 1
        return todo >= 0 and todo or nil
      end,
      work = function()
        shared = shared + 1
        return tostring(shared)
      end,
      done = function(_, outcome) outcomes[#outcomes + 1] = outcome.values[1] end,
    }
    assert.same({ "1", "1", "1", "1" }, outcomes)
    assert.equal(0, shared)
  end)

  it("report an error of the work itself", function()
    local said = {}
    local outcome = processes.call(function() error("ours") end, nil, function(_, line) said[#said + 1] = line end)
    assert.equal("exited", outcome.ended)
    assert.equal("exited with status 70", outcome.reason)
    assert.truthy(said[1]:find("ours", 1, true))
  end)
end)
