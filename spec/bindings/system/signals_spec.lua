-- The program ends within a second of SIGTERM and SIGHUP, even if the script hangs.
require "impel.core" -- registers impel.system
local program = require "support.program"
local system = require "impel.system"

local BOUND = 1     -- limit of the time from the signal to the end [s]
local PATIENCE = 30 -- limit of the time until the program reports that it hangs [s]
local LOOK = 0.005  -- time between two polls [s]

-- File in which a scene reports that it hangs.
local mark
local started = {}

after_each(function()
  for _, run in ipairs(started) do -- if the case failed, processes of the case may still run
    local id = tonumber(program.read(run.id))
    if id and program.read(run.result) == "" then os.execute(("kill -9 %d 2>/dev/null"):format(id)) end
  end
  program.clean()
  mark, started = nil, {}
end)

local function pause(seconds) system.poll({}, seconds) end

-- Return the state of a process (nil if the process has ended), and the id of its parent.
local function process(id)
  local text = system.read_file(("/proc/%d/stat"):format(id))
  if not text then return nil end
  local state, parent = text:match "^.*%) (%a) (%d+)"
  return state ~= "Z" and state ~= "X" and state or nil, math.tointeger(parent)
end

-- List the descendants of the process `id`. They inherit IMPEL_PROGRAM, which contains `id`, even when orphaned.
local function descendants(id)
  local own = ("IMPEL_PROGRAM=[^\0]*%%[%d%%-"):format(id)
  local parents, list = {}, {}
  for _, name in ipairs(system.files "/proc") do
    local number = math.tointeger(tonumber(name))
    if number then
      local state, parent = process(number)
      local environment = state and system.read_file(("/proc/%d/environ"):format(number)) or ""
      parents[number] = state and (environment:find(own) and number ~= id and id or parent)
    end
  end
  for number in pairs(parents) do
    local above = parents[number]
    while above and above ~= id do above = parents[above] end
    if above then list[#list + 1] = number end
  end
  return list
end

-- Create a pipe that contains a line and stays open.
local function open_pipe(line)
  local path = program.temporary()
  os.remove(path)
  os.execute(("mkfifo %s; { echo %s; exec sleep 30; } >%s 2>/dev/null &"):format(path, program.quote(line or ""), path))
  return path
end

-- Create a trace whose plot takes seconds.
local function long_trace()
  local rows, path = { "time,x" }, program.temporary ".csv"
  for i = 1, 400000 do rows[i + 1] = ("%d,%d"):format(i, i * 7919 % 1000) end
  program.put(path, table.concat(rows, "\n") .. "\n")
  return path
end

-- Start the program in the background.
local function start(arguments, input, before)
  if mark then program.put(mark, "") end
  local run = { out = program.temporary(), err = program.temporary(), id = program.temporary(),
    result = program.temporary(), name = arguments }
  os.execute(("( ( %s %s %s ) <%s >%s 2>%s & echo $! >%s; wait $!; echo $? >%s ) 2>/dev/null &"):format(
    before or "exec", program.quote(program.path), arguments, input or "/dev/null", run.out, run.err, run.id,
    run.result))
  started[#started + 1] = run
  return run
end

-- Wait until the run reports that it hangs; if `silent`, wait 0.3 s, because the run reports nothing.
local function wait_until_it_hangs(run, silent)
  local due, hangs = system.clock() + PATIENCE
  repeat
    pause(silent and 0.3 or LOOK)
    local said = program.read(run.err) .. program.read(run.out) .. (mark and program.read(mark) or "")
    hangs = silent or said:find("hangs", 1, true)
  until hangs or system.clock() > due
  assert.truthy(hangs, run.name .. ": it never hung: " .. program.read(run.err))
  run.pid = math.tointeger(tonumber(program.read(run.id)))
  pause(0.1) -- the scene reports shortly before it enters its endless loop
  assert.equal("", program.read(run.result), run.name .. ": it has ended: " .. program.read(run.err))
end

-- Send the signal. Return exit code, time [s], and processes left.
local function stop(run, signal)
  run.family = descendants(run.pid)
  local began = system.clock()
  os.execute(("kill -%s %d"):format(signal, run.pid))
  repeat pause(LOOK) until program.read(run.result) ~= "" or system.clock() > began + PATIENCE
  local took = system.clock() - began
  local left
  repeat -- a killed process may need a moment to disappear
    left = 0
    for _, id in ipairs(run.family) do left = left + (process(id) and 1 or 0) end
  until left == 0 or system.clock() > began + BOUND
  return tonumber(program.read(run.result)), took, left
end

local function ends(run, code, signal, silent)
  wait_until_it_hangs(run, silent)
  local got, took, left = stop(run, signal or "TERM")
  local said = run.name .. ":\n" .. program.read(run.err)
  assert.equal(code or 143, got, said)
  assert.is_true(took < BOUND, ("%s took %.2f s"):format(said, took))
  assert.equal(0, left, said)
  return program.read(run.err)
end

-- Write a scene that runs `setup`, and `update` in its fifth step. `hangs()` reports that the scene hangs.
local function scene(setup, update, more)
  mark = mark or program.temporary()
  return program.write(([[
    local impel = require "impel"
    local scene = { duration = 1e6, params = { x = { 1, min = 0, max = 9 } } }
    local function hangs()
      print "hangs"
      local file = io and io.open("MARK", "w") -- a sandbox has no `io`
      if file then file:write "hangs":close() end
    end
    local function for_ever() while true do end end
    %s
    function scene.setup(p)
      local world = impel.world {}
      world:body {}:circle { radius = 1 }
      %s
      return { world = world, n = 0 }
    end
    function scene.update(s)
      s.n = s.n + 1
      if s.n ~= 5 then return end
      %s
    end
    function scene.measure(s) return { n = s.n } end
    function scene.score(s) return s.n end
    return scene]]):format(more or "", setup or "", update or ""):gsub("MARK", mark), ".lua")
end

local IN_UPDATE = "hangs() for_ever()"
local MANY_ROWS = "world.solver = 'si' local last = world.ground for i = 1, 1000 do local b = world:body { position = "
  .. "{ i, 0 } } b:circle { radius = 0.4 } world:revolute(last, b, { anchor = { i - 0.5, 0 } }) last = b end"

-- Scripts that run forever, or for minutes.
local scripts = {
  { "setup", setup = "hangs() for_ever()" },
  { "the file itself", more = "hangs() for_ever()" },
  { "a handler", setup = "world:on('step', function() hangs() for_ever() end)" },
  { "pcall in a loop", update = "hangs() while true do pcall(for_ever) end" },
  { "xpcall whose handler loops", update = "hangs() while true do xpcall(error, for_ever) end" },
  { "coroutines created while the file loads",
    more = "local function wait() coroutine.yield() while true do pcall(for_ever) "
    .. "end end local inner = coroutine.wrap(wait) inner() local outer = coroutine.create(function() coroutine.yield() "
    .. "while true do pcall(inner) end end) coroutine.resume(outer)",
    update = "hangs() while true do coroutine.resume(outer) end" },
  { "__gc", update = "hangs() setmetatable({}, { __gc = for_ever }) collectgarbage()" },
  { "__gc at the end", setup = "setmetatable({}, { __gc = function() hangs() for_ever() end }) error 'none'" },
  { "__close", update = "local t <close> = setmetatable({}, { __close = for_ever }) hangs()" },
  { "a metamethod", update = "hangs() local t = setmetatable({}, { __index = for_ever }) return t.x" },
  { "string.find", update = "hangs() for _ = 1, 1e9 do ((('a'):rep(40))):find(('a*'):rep(30) .. 'b') end" },
  { "string.rep", update = "hangs() while true do pcall(string.rep, 'x', 1 << 28) end" },
  { "table.sort", update = "hangs() local t = {} for i = 1, 1e7 do t[i] = i * 7 % 1000003 end table.sort(t)" },
  { "os.execute", update = "hangs() while true do os.execute 'sleep 100; true' end" },
  { "io.popen", update = "hangs() io.popen('sleep 100; echo'):read 'a' for_ever()" },
  { "io.read", update = "hangs() io.read 'a'", input = true },
  { "a step of 10^8 solved rows", setup = MANY_ROWS,
    update = "hangs() s.world.iterations = 100000" },
  { "programs in the background", setup = "os.execute 'sleep 100 & setsid sleep 100 &' hangs() for_ever()" },
  { "programs that another impel left in the background", setup = ("os.execute(%q) hangs() for_ever()"):format(
    program.quote(program.path) .. [[ -e "os.execute 'setsid sleep 100 &'"]]) },
  { "a hook of its own", update = "hangs() debug.sethook(function() end, '', 1) while true do debug.sethook() end" },
}

describe("SIGTERM ends within a second", function()
  for _, case in ipairs(scripts) do
    it(case[1], function()
      local file = scene(case.setup, case.update, case.more)
      local input = case.input and open_pipe()
      ends(start("run " .. file, input))
    end)
  end

  it("a waiting prompt, and an evaluating one", function()
    local input = open_pipe "io.stderr:write 'hangs'"
    ends(start("repl", input))
    local loop = "io.stderr:write 'hangs' while true do pcall(function() while true do end end) end"
    ends(start("repl", program.write(loop .. "\n")))
    ends(start("-e " .. program.quote(loop)))
  end)

  it("other commands that run a scene", function()
    local file = scene(nil, IN_UPDATE)
    for _, arguments in ipairs { "bench %s", "compare %s --solvers soft,si", "doctor %s --steps 10",
                                 "run %s --check-determinism", "run %s --row 1" } do
      ends(start(arguments:format(file)))
    end
  end)

  it("long plots and recordings", function()
    ends(start(("plot %s -o %s"):format(long_trace(), program.temporary ".svg")), nil, nil, "silent")
    local recording = program.temporary ".rec"
    local slow = scene(MANY_ROWS, "s.world.iterations = 4000")
    program.run(("run %s --record %s --steps 10"):format(slow, recording))
    ends(start("replay " .. recording), nil, nil, "silent")
  end)

  it("a film whose ffmpeg does not read its input", function()
    local folder = program.temporary()
    os.remove(folder)
    os.execute("mkdir " .. folder)
    program.put(folder .. "/ffmpeg", "#!/bin/sh\nsleep 100; true\n")
    os.execute(("chmod +x %s/ffmpeg"):format(folder))
    local film = program.temporary ".mp4"
    local path = ("PATH=%s:$PATH exec"):format(folder)
    ends(start(("run %s --mp4 %s --fps 30"):format(scene(), film), nil, path), nil, nil, "silent")
    os.execute("rm -r " .. folder)
  end)

  it("a sandbox", function()
    ends(start("run --sandbox " .. scene(nil, IN_UPDATE)))
    ends(start("run --sandbox " .. scene "hangs() while true do pcall(for_ever) end"))
  end)

  it("parallel runs, with all the processes that they started", function()
    local hanging = scene(nil, "hangs() while true do os.execute 'sleep 100; true' end")
    local checked = scene(nil, IN_UPDATE, "function scene.check() return true end")
    for _, arguments in ipairs { "sweep %s --seeds 1..4 -j 2", "tune %s --param x -j 2 --steps 10",
                                 "bisect %s --seeds 1..4 -j 2 --steps 10", "test %s" } do
      local file = arguments:find "^[bt]" and not arguments:find "^tune" and checked or hanging
      ends(start(arguments:format(file)))
    end
  end)

  it("the parent's own work in parallel runs", function()
    ends(start("sweep " .. scene "hangs() for_ever()"))
  end)
end)

describe("the output of a run before SIGTERM", function()
  local function run_and_stop(update, more)
    local trace, recording = program.temporary ".csv", program.temporary ".rec"
    local said = ends(start(("run %s --trace %s --record %s"):format(scene(nil, update, more), trace, recording)))
    return trace, recording, said
  end

  it("is whole if a script is interrupted, and the message names its line", function()
    local trace, recording, said = run_and_stop "hangs() while true do pcall(for_ever) end"
    assert.equal("time,n\n0,0\n", program.read(trace):sub(1, 11))
    assert.equal(6, select(2, program.read(trace):gsub("\n", "")))
    local code, out = program.run("replay " .. recording)
    assert.equal(0, code)
    assert.truthy(out:find("to tick 5", 1, true), out)
    assert.truthy(said:find(":%d+: terminated: the process got SIGTERM while this line ran\n"), said)
  end)

  it("is readable if SIGTERM ends the process inside a step", function()
    local trace, recording = run_and_stop "hangs() setmetatable({}, { __gc = for_ever }) collectgarbage()"
    local rows = program.read(trace)
    assert.truthy(rows:find "^time,n\n0,0\n", rows)
    assert.equal("\n", rows:sub(-1))
    assert.equal(0, (program.run("plot " .. trace)))
    local code, out = program.run("replay " .. recording)
    assert.equal(0, code)
    assert.truthy(out:find("to tick [45]"), out)
  end)

  it("contains the saved state if the signal arrives between two steps", function()
    local state = program.temporary ".imp"
    local said = ends(start(("run %s --save %s --dt 0.01"):format(scene(nil, "hangs()"), state)))
    assert.truthy(said:find("contains the state after this step", 1, true), said)
    assert.truthy(#program.read(state) > 0)
  end)

  it("of a sweep has the rows so far", function()
    local path = program.temporary ".csv"
    os.remove(path)
    local file = scene(nil, "for_ever()", [[
      function scene.check() return true end
      local setup = function() end]]):gsub("%.lua$", "%0")
    local text = program.read(file):gsub("function scene.update%(s%)", "local seed\nfunction scene.update(s) "
      .. "if s.seed < 3 then return end if s.n == 0 then hangs() end"):gsub("function scene.setup%(p%)",
      "function scene.setup(p, seed)"):gsub("n = 0 }", "n = 0, seed = seed }")
    program.put(file, text)
    local said = ends(start(("sweep %s --seeds 1..8 --steps 9 -j 1 -o %s"):format(file, path)))
    assert.truthy(said:find("--resume continues", 1, true), said)
    assert.equal(3, select(2, program.read(path):gsub("\n", "")))
  end)
end)

describe("the signal", function()
  it("SIGHUP ends a run as SIGTERM does, but with exit code 129", function()
    local said = ends(start("run " .. scene("hangs() for_ever()")), 129, "HUP")
    assert.truthy(said:find("the process got SIGHUP while this line ran", 1, true), said)
  end)

  it("SIGHUP that was ignored stays ignored", function()
    local run = start("run " .. scene("hangs() for_ever()"), nil, "trap '' HUP; exec")
    wait_until_it_hangs(run)
    os.execute(("kill -HUP %d"):format(run.pid))
    pause(0.6) -- longer than the time after which the program stops a running script
    assert.truthy(process(run.pid))
    local code = stop(run, "TERM")
    assert.equal(143, code)
  end)

  it("ends a repl that waits for a line at once, without a message about a running script", function()
    for signal, code in pairs { TERM = 143, HUP = 129 } do
      local run = start("repl", open_pipe "print 'it hangs'")
      wait_until_it_hangs(run)
      local got, took, left = stop(run, signal)
      assert.equal(code, got)
      assert.equal(0, left)
      assert.is_true(took < 0.5, took) -- a running script would be stopped only after 0.65 s
      assert.equal(("impel: stopping: SIG%s\n"):format(signal), program.read(run.err))
    end
  end)

  it("SIGTERM sent twice has the effect of one", function()
    local state = program.temporary ".imp"
    local run = start(("run %s --save %s"):format(scene(nil, "hangs()"), state))
    wait_until_it_hangs(run)
    os.execute(("kill -TERM %d; kill -TERM %d"):format(run.pid, run.pid))
    local code = stop(run, "TERM")
    assert.equal(143, code)
    assert.truthy(#program.read(state) > 0)
  end)

  it("SIGINT prints how to stop at once; a second SIGINT ends the run and the script's processes", function()
    local run = start("run " .. scene("hangs() started = io.popen 'sleep 100; true' for_ever()"))
    wait_until_it_hangs(run)
    os.execute(("kill -INT %d"):format(run.pid))
    pause(0.2)
    assert.truthy(process(run.pid))
    assert.truthy(program.read(run.err):find("press Ctrl-C again to stop at once", 1, true))
    local code, took, left = stop(run, "INT")
    assert.equal(130, code)
    assert.equal(0, left)
    assert.is_true(took < BOUND, took)
  end)

  it("ends processes that inherited a blocked SIGTERM", function()
    local run = start("run " .. scene("hangs() for_ever()"), nil, "exec env --block-signal=TERM,INT")
    ends(run, 143)
  end)

  it("during the reading of a file ends with the exit code of the signal", function()
    for _, command in ipairs { "run", "replay", "doctor" } do
      ends(start(command .. " " .. open_pipe()), 143, "TERM", true)
    end
  end)

  it("SIGINT is seen during os.execute", function()
    local run = start("run " .. scene("hangs() os.execute 'sleep 100; true' for_ever()"))
    wait_until_it_hangs(run)
    os.execute(("kill -INT %d"):format(run.pid))
    pause(0.2)
    assert.truthy(program.read(run.err):find("press Ctrl-C again to stop at once", 1, true))
    local code, took, left = stop(run, "INT")
    assert.equal(130, code)
    assert.equal(0, left)
    assert.is_true(took < BOUND, took)
  end)

  it("SIGINT ends a plot at once, without a picture", function()
    local plot = program.temporary ".svg"
    ends(start(("plot %s -o %s"):format(long_trace(), plot)), 130, "INT", "silent")
    assert.is_nil(io.open(plot))
  end)

  it("leaves no zombies of a script's background processes", function()
    local run = start("run " .. scene("for _ = 1, 20 do os.execute 'true &' end hangs() for_ever()"))
    wait_until_it_hangs(run)
    pause(0.2)
    local zombies = 0
    for _, id in ipairs(system.files "/proc") do
      local state, parent = (system.read_file("/proc/" .. id .. "/stat") or ""):match "^.*%) (%a) (%d+)"
      if state == "Z" and tonumber(parent) == run.pid then zombies = zombies + 1 end
    end
    assert.equal(0, zombies)
    ends(run, 143, nil, true)
  end)

  it("does not change the results of os.execute", function()
    local code, out = program.run([[-e 'print(os.execute "exit 3") print(os.execute()) print(os.execute "kill -9 $$")
      print(os.execute "true")']])
    assert.equal(0, code)
    assert.equal("nil\texit\t3\ntrue\nnil\tsignal\t9\ntrue\texit\t0\n", out)
  end)
end)
