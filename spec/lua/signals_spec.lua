-- What ends the program: SIGTERM and SIGHUP within a second, whatever a script does. Each scene says that it hangs, the
-- signal comes then, and the second is counted from there. What a run wrote before is there and can be read.
require "impel.core" -- brings impel.system
local program = dofile "spec/lua/program.lua"
local system = require "impel.system"

local BOUND = 1     -- [s] from the signal to the end
local PATIENCE = 60 -- [s] until a program says that it hangs
local LOOK = 0.005  -- [s]

after_each(program.clean)

local function pause(seconds) system.poll({}, seconds) end

-- The state of a process and its parent's id; nil where there is none, or nothing but its exit code.
local function process(id)
  local text = system.read_file(("/proc/%d/stat"):format(id))
  if not text then return nil end
  local state, parent = text:match "^.*%) (%a) (%d+)"
  return state ~= "Z" and state ~= "X" and state or nil, math.tointeger(parent)
end

-- All that a process started, and what that started.
local function descendants(id)
  local parents, list = {}, {}
  for _, name in ipairs(system.files "/proc") do
    local number = math.tointeger(tonumber(name))
    if number then
      local state, parent = process(number)
      parents[number] = state and parent
    end
  end
  for number in pairs(parents) do
    local above = parents[number]
    while above and above ~= id do above = parents[above] end
    if above then list[#list + 1] = number end
  end
  return list
end

-- Start the program in the background.
local function start(arguments, input)
  local run = { out = program.temporary(), err = program.temporary(), pid = program.temporary(),
    result = program.temporary(), name = arguments }
  os.execute(("( %s %s <%s >%s 2>%s & echo $! >%s; wait $!; echo $? >%s ) 2>/dev/null &"):format(
    program.quote(program.path), arguments, input or "/dev/null", run.out, run.err, run.pid, run.result))
  return run
end

local function wait_until_it_hangs(run)
  local due = system.clock() + PATIENCE
  repeat
    pause(LOOK)
    local said = program.read(run.err) .. program.read(run.out)
  until said:find("hangs", 1, true) or system.clock() > due
  run.pid = math.tointeger(tonumber(program.read(run.pid)))
  pause(0.1) -- until it does so
  assert.equal("", program.read(run.result), run.name .. ": it has ended: " .. program.read(run.err))
end

-- Signal it and give its exit code, how long it took [s] and how many processes it left.
local function stop(run, signal)
  run.family = descendants(run.pid)
  local began = system.clock()
  os.execute(("kill -%s %d"):format(signal, run.pid))
  repeat pause(LOOK) until program.read(run.result) ~= "" or system.clock() > began + PATIENCE
  local took = system.clock() - began
  local left = 0
  for _, id in ipairs(run.family) do left = left + (process(id) and 1 or 0) end
  if program.read(run.result) == "" then os.execute(("kill -9 %d"):format(run.pid)) end
  return tonumber(program.read(run.result)), took, left
end

local function ends(run, code, signal)
  wait_until_it_hangs(run)
  local got, took, left = stop(run, signal or "TERM")
  local said = run.name .. ":\n" .. program.read(run.err)
  assert.equal(code or 143, got, said)
  assert.is_true(took < BOUND, ("%s took %.2f s"):format(said, took))
  assert.equal(0, left, said)
  return program.read(run.err)
end

-- A scene that runs `setup`, and `update` in its fifth step. `hangs()` says so.
local function scene(setup, update, more)
  return program.write(([[
    local impel = require "impel"
    local scene = { duration = 1e6, params = { x = { 1, min = 0, max = 9 } } }
    local function hangs() print "hangs" end
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
    return scene]]):format(more or "", setup or "", update or ""))
end

local IN_UPDATE = "hangs() for_ever()"

-- What a script can do for ever, or for longer than anybody waits.
local scripts = {
  { "setup", setup = "hangs() for_ever()" },
  { "the file itself", more = "hangs() for_ever()" },
  { "a handler", setup = "world:on('step', function() hangs() for_ever() end)" },
  { "pcall in a loop", update = "hangs() while true do pcall(for_ever) end" },
  { "xpcall whose handler loops", update = "hangs() while true do xpcall(error, for_ever) end" },
  { "coroutines that were there before", more = "local function none() coroutine.yield() while true do pcall(for_ever) end end "
    .. "local inner = coroutine.wrap(none) inner() local outer = coroutine.create(function() coroutine.yield() "
    .. "while true do pcall(inner) end end) coroutine.resume(outer)",
    update = "hangs() while true do coroutine.resume(outer) end" },
  { "__gc", update = "hangs() setmetatable({}, { __gc = for_ever }) collectgarbage()" },
  { "__gc at the end", setup = "keep = setmetatable({}, { __gc = function() hangs() for_ever() end }) error 'no scene'" },
  { "__close", update = "local t <close> = setmetatable({}, { __close = for_ever }) hangs()" },
  { "a metamethod that is no end", update = "hangs() local t = setmetatable({}, { __index = for_ever }) return t.x" },
  { "string.find", update = "hangs() for _ = 1, 1e9 do ((('a'):rep(40))):find(('a*'):rep(30) .. 'b') end" },
  { "string.rep", update = "hangs() while true do pcall(string.rep, 'x', 1 << 28) end" },
  { "table.sort", update = "hangs() local t = {} for i = 1, 1e7 do t[i] = i * 7 % 1000003 end table.sort(t)" },
  { "os.execute", update = "hangs() while true do os.execute 'sleep 100; true' end" },
  { "io.popen", update = "hangs() io.popen('sleep 100; echo'):read 'a' for_ever()" },
  { "io.read", update = "hangs() io.read 'a'", input = true },
  { "a step of 10^8 solved rows", setup = "world.solver, world.iterations = 'si', 1000 local last = world.ground "
    .. "for i = 1, 50000 do local b = world:body { position = { i, 0 } } b:circle { radius = 0.4 } "
    .. "world:revolute(last, b, { anchor = { i - 0.5, 0 } }) last = b end", update = "hangs()" },
  { "a hook of its own", update = "hangs() debug.sethook(function() end, '', 1) while true do debug.sethook() end" },
}

local function many(list, count, each)
  for first = 1, #list, count do
    local runs = {}
    for i = first, math.min(first + count - 1, #list) do runs[#runs + 1] = each(list[i]) end
    for _, run in ipairs(runs) do run() end
  end
end

describe("SIGTERM ends within a second", function()
  for _, case in ipairs(scripts) do
    it(case[1], function()
      local file = scene(case.setup, case.update, case.more)
      local fifo
      if case.input then
        fifo = program.temporary()
        os.remove(fifo)
        os.execute(("mkfifo %s; sleep 30 >%s & "):format(fifo, fifo))
      end
      ends(start("run " .. file, fifo))
    end)
  end
end)
