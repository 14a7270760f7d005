-- Malicious scripts in impel run --sandbox end with the expected exit code and change nothing outside of the sandbox.

local attacks = require "bindings.sandbox.attacks"
local program = require "support.program"

local put = program.put

local PATIENCE = 120 -- time after which a run is killed and has failed [s]

local folder, canary, command
-- Name of the processes, at most 15 letters long.
local NAME = ("imp%d"):format(os.time() % 1000000) .. tostring({}):match("(%x%x%x%x)$")

local function shell(line)
  local pipe = assert(io.popen(line, "r"))
  local text = pipe:read "a"
  pipe:close()
  return text
end

-- Create files inside and outside a folder for scenes.
local function build()
  local top = shell("mktemp -d"):match "%S+"
  folder, canary = top .. "/scenes", top .. "/canary"
  assert(os.execute(("mkdir -p %s/linked_to %s && ln -s %s %s/%s"):format(top, folder, program.path, top, NAME)))
  put(canary, "canary")
  put(top .. "/outside.lua", "return 'outside'")
  put(top .. "/linked_to/outside.lua", "return 'outside'")
  put(folder .. "/bytecode.lua", string.dump(function() return "bytecode" end))
  put(folder .. "/helper.lua", "return { word = 'helped', globals = _G }")
  assert(os.execute(("ln -s ../outside.lua %s/link.lua && ln -s ../linked_to %s/linked"):format(folder, folder)))
  command = top .. "/" .. NAME
  return top
end

local SCENE = [[
local impel = require "impel"
%s
local scene = {}
function scene.setup()
  local world = impel.world {}
  local b = world:body { position = { 0, 9 } }
  b:circle { radius = 1 }
  local s = { world = world, b = b }
  do
    %s
  end
  return s
end
]]

local function source_of(attack)
  if attack.source then return attack.source end
  local parts = { SCENE:format(attack.top or "", attack.setup or "") }
  for _, name in ipairs { "update", "check", "measure" } do
    if attack[name] then parts[#parts + 1] = ("function scene.%s(s)\n  %s\nend\n"):format(name, attack[name]) end
  end
  parts[#parts + 1] = "return scene\n"
  return table.concat(parts)
end

local function in_place(text)
  return (text:gsub("CANARY", canary):gsub("FOLDER", folder):gsub("TRACE", folder .. "/trace"))
end

-- Return a shell command that runs a scene in a sandbox.
local function line_of(path, options)
  return ("timeout -k 1 %d %s run --sandbox %s %s <%s >%s.out 2>%s.err; echo $? >%s.code"):format(PATIENCE, command,
    options, path, "/dev/null", path, path, path)
end

local function outcome_of(path)
  return { code = tonumber(program.read(path .. ".code")), out = program.read(path .. ".out"),
    err = program.read(path .. ".err") }
end

-- Run one scene.
local function run(text, options)
  local path = folder .. "/alone.lua"
  put(path, in_place(text))
  os.execute(line_of(path, in_place(options or "")))
  return outcome_of(path)
end

-- Run all attacks, two at a time, because most attacks run until their time quota ends.
local function run_all()
  local lines = { {}, {} }
  for i, attack in ipairs(attacks) do
    local path = ("%s/attack%d.lua"):format(folder, i)
    put(path, in_place(source_of(attack)))
    local options = in_place(attack.options or "")
    local length = options:find "%-%-steps" and "" or "--time 1"
    local words = ("%s --quota %s %s"):format(length, attack.quota or "time=60", options)
    table.insert(lines[i % 2 + 1], line_of(path, words))
  end
  local script = folder .. "/all.sh"
  put(script, ("{\n%s\n} &\n{\n%s\n} &\nwait\n"):format(table.concat(lines[1], "\n"), table.concat(lines[2], "\n")))
  os.execute("sh " .. script)
end

local function is_clean(text)
  return not text:find "[\0-\8\11-\31\127]" and utf8.len(text) ~= nil and not text:find "\xC2[\x80-\x9F]"
end

describe("a script in the sandbox", function()
  local top

  setup(function()
    top = build()
    run_all()
  end)

  teardown(function()
    program.clean()
    os.execute("rm -rf " .. top)
  end)

  for i, attack in ipairs(attacks) do
    it(("ends with exit code %d: %s"):format(attack.code, attack.name), function()
      local outcome = outcome_of(("%s/attack%d.lua"):format(folder, i))
      assert.are.equal(attack.code, outcome.code, outcome.err)
      assert.is_true(is_clean(outcome.out), "control bytes on stdout")
      assert.is_true(is_clean(outcome.err), "control bytes on stderr")
      if attack.says then
        local plain = not attack.says:find "%%"
        local told = outcome.err:gsub("^sandbox: [^\n]*\n", "")
        assert.is_truthy(told:find(attack.says, 1, plain), outcome.err)
      end
      assert.is_nil(outcome.err:find("root:", 1, true))
      assert.is_nil(outcome.err:find("internal error", 1, true))
      assert.is_nil(outcome.err:find("scripts/impel/sandbox", 1, true), outcome.err)
    end)
  end

  it("leaves no process and has changed no file", function()
    assert.are.equal("", shell(("grep -lx %s /proc/[0-9]*/comm 2>/dev/null"):format(NAME)))
    assert.are.equal("canary", program.read(canary))
    assert.are.equal("return 'outside'", program.read(top .. "/outside.lua"))
    assert.are.equal(("canary %s linked_to outside.lua scenes "):format(NAME), (shell("ls " .. top):gsub("\n", " ")))
  end)

  it("keeps the whole rows of a trace when it is ended", function()
    local path = folder .. "/cut.csv"
    local outcome = run([[
      local scene = {}
      function scene.setup() return { world = require "impel".world {} } end
      function scene.update(s) while s.world.tick == 20 do end end
      function scene.measure() return { x = 1 } end
      return scene]], "--quota time=0.4 --trace " .. path)
    assert.are.equal(6, outcome.code)
    local text = program.read(path)
    local _, rows = text:gsub("\n", "")
    assert.are.equal(1 + 21, rows)
    assert.are.equal("\n", text:sub(-1))
  end)

  it("requires modules beneath the scene's folder, and the modules see the scene's globals", function()
    local outcome = run [[
      local helper = require "helper"
      assert(helper.word == "helped" and helper.globals == _G and require "helper" == helper)
      assert(dofile "FOLDER/helper.lua".word == "helped")
      assert(assert(loadfile "FOLDER/helper.lua")().word == "helped")
      assert(require "string" == string and require "math" == math)
      return { setup = function() return { world = require "impel".world {} } end }]]
    assert.are.equal(0, outcome.code, outcome.err)
  end)

  it("gets an error message for a nested scene that uses forbidden functions", function()
    local outcome = run [[
      local scene = require("impel").scene
      local within = assert(scene.parse("return { setup = function() end }", "@within.lua"))
      local calls = { { scene.read, "-" } }
      for _, name in ipairs { "socket", "os", "io", "debug", "package" } do
        calls[#calls + 1] = { within.globals.require, name }
      end
      for _, call in ipairs(calls) do
        local ok, message = pcall(call[1], call[2])
        assert(not ok and message:find("not in a sandbox", 1, true), message)
      end
      assert(within.globals.require "string" == within.globals.string and within.globals.require "math".abs)
      assert(not within.globals.debug and not within.globals.io and not within.globals.package)
      return { setup = function() return { world = require "impel".world {} } end }]]
    assert.are.equal(0, outcome.code, outcome.err)
  end)

  it("draws the same texts as outside", function()
    if not require("impel.picture").window() then return pending "built without the window" end
    local pictures = {}
    for i, options in ipairs { "", "--sandbox strict" } do
      local path = program.temporary ".png"
      assert.equal(0, (program.run(("run pyramid --steps 2 -q --show names --png %s %s"):format(path, options))))
      pictures[i] = program.read(path)
    end
    assert.is_true(pictures[1] == pictures[2])
  end)

  it("gives the same hash as outside", function()
    for _, name in ipairs { "pendulum", "pyramid", "ragdoll", "walker", "buoyancy", "car" } do
      local options = ("run %s --hash --quiet --steps 30"):format(name)
      local code, outside = program.run(options)
      if code == 0 then -- the run fails if no example has this name
        local inside_code, inside, err = program.run(options .. " --sandbox --threads 2")
        assert.are.equal(0, inside_code, err)
        assert.are.equal(outside, inside)
      end
    end
  end)
end)

describe("the names in a sandbox", function()
  local FORBIDDEN = { io = io, os = os, debug = debug, package = { package.loadlib, package.searchpath },
    load = { load, loadfile, dofile, require, string.dump, collectgarbage, setmetatable, getmetatable } }

  -- Collect all functions that are reachable from a value through tables and metatables, with the path of each.
  local function walk(value, path, found, seen)
    if type(value) == "function" then found[value] = found[value] or path end
    if seen[value] or value == nil then return end
    seen[value] = true
    if type(value) == "table" then
      for key, item in next, value do
        walk(key, path .. "[key]", found, seen)
        walk(item, ("%s.%s"):format(path, tostring(key)), found, seen)
      end
    end
    if type(value) ~= "string" then walk(debug.getmetatable(value), path .. "<meta>", found, seen) end
  end

  it("lead to no function that opens files, starts programs, inspects the host or loads bytecode", function()
    local impel = require "impel"
    local link = { call = function() return nil, "no" end }
    local texts = require("impel.sandbox.child").scripts()
    local globals = require("impel.sandbox.names").maker(link, texts) { seed = 0, print = function() end }
    local found, seen, count = {}, { [require "impel.core"] = true }, 0
    walk(globals, "_G", found, seen)
    for name in pairs(texts) do
      -- Some modules need functions that the sandbox lacks. `require` of such a module raises and returns nothing.
      local ok, module = pcall(globals.require, name)
      if ok then
        count = count + 1
        walk(module, name, found, seen)
      end
    end
    assert.is_true(count > 80, "only " .. count .. " scripts")
    local world = impel.world {}
    for _, object in ipairs { world, world:body {}, globals.require("impel.rng").new(1) } do
      walk(object, "object", found, seen)
    end
    walk(globals.coroutine.create(print), "thread", found, seen)
    local within = assert(globals.require("impel.scene").parse("return { setup = function() end }", "@within.lua"))
    walk(within.globals, "within", found, seen)
    local system = { system = require "impel.system" }
    for name, library in pairs(setmetatable(system, { __index = FORBIDDEN })) do FORBIDDEN[name] = library end
    for library, functions in pairs(FORBIDDEN) do
      for name, f in pairs(functions) do
        assert.is_nil(found[f], ("%s.%s is reached by %s"):format(library, name, tostring(found[f])))
      end
    end
  end)
end)

describe("impel run --sandbox", function()
  local SCENE_FILE = "examples/pendulum.lua"

  after_each(function() program.clean() end)

  it("reports the active layers of protection", function()
    local code, _, err = program.run("run pendulum --steps 1 --sandbox")
    assert.are.equal(0, code, err)
    assert.is_truthy(err:find "^sandbox: rlimits, ", err)
    assert.is_truthy(err:find("names, memory 512 MB, time 60 s", 1, true), err)
  end)

  it("accepts quotas, and refuses invalid ones", function()
    local code, _, err = program.run("run pendulum --steps 1 --sandbox --quota memory=64,time=5")
    assert.are.equal(0, code, err)
    assert.is_truthy(err:find("memory 64 MB, time 5 s", 1, true), err)
    for words, says in pairs {
      ["--sandbox --quota memory=0"] = "memory: more than 0 MB", ["--sandbox --quota speed=1"] = "memory=MB",
      ["--quota time=1"] = "--quota needs --sandbox", ["--sandbox --gif o.gif --size 9999x9999"] = "at most",
      ["--sandbox=loose"] = "one of 'auto', 'strict'",
    } do
      code, _, err = program.run("run pendulum --steps 1 " .. words)
      assert.are.equal(2, code)
      assert.is_truthy(err:find(says, 1, true), err)
    end
  end)

  it("gives the output of a run: table, JSON, a row, files, the exit code of a check", function()
    local trace, svg = program.temporary ".csv", program.temporary ".svg"
    local options = ("run %s --steps 20 --seed 3 --json --trace %s --svg %s"):format(SCENE_FILE, trace, svg)
    local _, plain = program.run(options)
    local outside = { program.read(trace), program.read(svg) }
    local code, inside, err = program.run(options .. " --sandbox")
    assert.are.equal(0, code, err)
    assert.are.equal(plain:match '"hash":"%x+"', inside:match '"hash":"%x+"')
    assert.are.same(outside, { program.read(trace), program.read(svg) })
    local _, row = program.run(("run %s --steps 20 --row 4"):format(SCENE_FILE))
    code, inside = program.run(("run %s --steps 20 --row 4 --sandbox"):format(SCENE_FILE))
    assert.are.equal(0, code)
    assert.are.equal(row, inside)
  end)

  it("records the same file as without it; if a quota ends the run, the file ends with a complete step", function()
    local outside, inside = program.temporary ".rec", program.temporary ".rec"
    local words = "run %s --steps 40 --seed 2 --quiet --record %s"
    assert.are.equal(0, (program.run(words:format(SCENE_FILE, outside))))
    local code, _, err = program.run(words:format(SCENE_FILE, inside) .. " --sandbox")
    assert.are.equal(0, code, err)
    assert.are.equal(program.read(outside), program.read(inside))
    for quota, least in pairs { ["time=1"] = 100, ["files=0.05"] = 20 } do
      local endless = "run %s --steps 100000000 --quiet --record %s --sandbox --quota %s"
      code, _, err = program.run(endless:format(SCENE_FILE, inside, quota))
      assert.are.equal(6, code, err)
      local playback <close> = assert(require("impel").recording(inside))
      assert.are.same({ "cut", #program.read(inside) }, { playback.ending, playback.whole })
      assert.is_true(playback.frames >= least and #program.read(inside) > 40000)
      repeat local same = playback:step() until not same
      assert.are.equal(playback.frames, playback.frame)
    end
    code, _, err = program.run(words:format(SCENE_FILE, "/dev/full") .. " --sandbox")
    assert.are.equal(5, code, err)
    assert.is_truthy(err:find("cannot write /dev/full: No space left", 1, true), err)
  end)

  it("makes the same films as outside, by the parent's ffmpeg", function()
    local has_ffmpeg = require("impel.picture.film").has_ffmpeg()
    local function film(kind, more)
      local path = program.temporary("." .. kind)
      local words = ("run %s --steps 12 --quiet --size 64x48 --%s %s%s"):format(SCENE_FILE, kind, path, more)
      local code, _, err = program.run(words)
      return code, err, program.read(path)
    end
    for _, kind in ipairs(has_ffmpeg and { "gif" } or {}) do
      local _, _, outside = film(kind, "")
      local code, err, inside = film(kind, " --sandbox")
      assert.are.equal(0, code, err)
      assert.is_true(#inside > 100)
      assert.are.equal(outside, inside)
    end
    if has_ffmpeg then -- ffmpeg buffers part of the film, and the limit counts bytes on disk
      local code, _, told = program.run(("run %s --steps 90 --quiet --fps 50 --gif %s --sandbox --quota files=0.01")
        :format(SCENE_FILE, program.temporary ".gif"))
      assert.are.equal(6, code, told)
      assert.is_truthy(told:find("MB of films", 1, true), told)
      local late = program.temporary ".gif" -- a GIF is written completely at the end
      code, _, told = program.run(("run %s --steps 12 --quiet --gif %s --sandbox --quota files=0.001")
        :format(SCENE_FILE, late))
      assert.are.equal(6, code, told)
      assert.is_truthy(told:find(late .. " was removed", 1, true), told)
      assert.is_nil(io.open(late))
      assert.is_nil(io.open(late .. ".part"))
    end
    local err = program.temporary()
    local _, _, code = os.execute(("PATH=/nowhere %s run %s --steps 1 --gif o.gif --sandbox 2>%s"):format(program.path,
      SCENE_FILE, err))
    assert.are.equal(2, code)
    assert.is_truthy(program.read(err):find("needs ffmpeg", 1, true))
  end)

  it("accepts as film frames only pictures with the file name and the size of the film", function()
    local reels = require "impel.cli.sandboxed_film"
    local reel = reels.new({ gif = "film.gif", size = { 2, 2 } }, 1)
    for _, parts in ipairs {
      { "film" }, { "film", "film.gif" }, { "film", "other.gif", ("x"):rep(16) }, { "film", "film.gif", "" },
      { "film", "film.gif", ("x"):rep(15) }, { "film", "film.gif", ("x"):rep(17) },
      { "film", "film.gif", ("x"):rep(16), "" },
    } do
      local ok, failure = reel:take(parts)
      assert.is_nil(ok)
      assert.are.equal("internal", failure.kind)
    end
    assert.is_nil(reel:close())
    assert.is_nil(io.open "film.gif")
    assert.is_nil(reels.new({ size = { 2, 2 } }, 1))
  end)

  it("saves a state and continues from it, inside and outside of the sandbox", function()
    local state, broken = program.temporary ".state", program.write("nonsense", ".state")
    local saving, going = "run %s --steps 20 --quiet --save %s", "run %s --steps 40 --hash --quiet --load %s"
    local code, _, err = program.run(saving:format(SCENE_FILE, state) .. " --sandbox")
    assert.are.equal(0, code, err)
    local _, whole = program.run(("run %s --steps 40 --hash --quiet"):format(SCENE_FILE))
    local _, outside = program.run(going:format(SCENE_FILE, state))
    local _, inside = program.run(going:format(SCENE_FILE, state) .. " --sandbox")
    assert.are.same({ whole, whole }, { outside, inside })
    code, _, err = program.run(going:format(SCENE_FILE, broken) .. " --sandbox")
    assert.are.equal(5, code, err)
    code, _, err = program.run(going:format(SCENE_FILE, broken .. ".gone") .. " --sandbox")
    assert.are.equal(2, code, err)
  end)

  it("takes a scene from standard input", function()
    local code, out, err = program.run("run - --sandbox --hash --steps 5", program.read(SCENE_FILE))
    assert.are.equal(0, code, err)
    assert.is_truthy(out:find "^%x+\n$")
  end)

  it("starts with standard streams closed and SIGCHLD ignored", function()
    local _, whole = program.run("run pendulum --steps 1 --hash")
    for _, around in ipairs { "%s <&-", "%s 2>&-", "trap '' CHLD; %s", "%s <&- 2>&-" } do
      local out = program.temporary()
      local line = around:format(("%s run pendulum --steps 1 --hash --sandbox >%s"):format(program.path, out))
      local _, _, code = os.execute(("sh -c %s 2>/dev/null"):format(program.quote(line)))
      assert.are.equal(0, code, around)
      assert.are.equal(whole, program.read(out))
    end
    local _, _, code = os.execute(("sh -c %s 2>/dev/null"):format(program.quote(
      program.path .. " run pendulum --steps 1 --hash --sandbox <&- >&-")))
    assert.are.equal(5, code) -- exit code 5: standard output is closed
  end)

  -- Run an endless scene. When the scene is ready, the shell runs `doing`, where $pid is the process id of the program
  -- and $child that of its child process. Return the exit code and stderr.
  local function disturb(doing, update)
    local path, err = program.write(([[
      local scene = {}
      function scene.setup() print "ready" return { world = require "impel".world {} } end
      function scene.update() %s end
      return scene]]):format(update or "")), program.temporary()
    local _, _, code = os.execute(("timeout %d sh -c %s"):format(PATIENCE, program.quote(([[
      %s run %s --sandbox --steps 1000000000 >/dev/null 2>%s & pid=$!
      until grep -q ready %s || ! kill -0 $pid; do sleep 0.05; done
      child=$(cat /proc/$pid/task/$pid/children 2>/dev/null || pgrep -P $pid)
      %s
      wait $pid]]):format(program.path, path, err, err, doing))))
    return code, program.read(err)
  end

  it("stops at an interrupt like a run without a sandbox", function()
    local code, err = disturb "kill -INT $pid"
    assert.are.equal(130, code, err)
    assert.is_truthy(err:find("interrupted after step", 1, true), err)
  end)

  it("ends a script that does not stop at an interrupt", function()
    local code, err = disturb("kill -INT $pid", "while true do end")
    assert.are.equal(130, code, err)
    assert.is_truthy(err:find("did not stop and was killed", 1, true), err)
  end)

  it("stops at an interrupt that arrives before the layers of the sandbox are active", function()
    local path = program.write [[
      return { setup = function() return { world = require "impel".world {} } end }]]
    local main, out = program.write(([[
      package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
      package.cpath = (os.getenv "IMPEL" or "build/impel"):gsub("impel$", "lua/?.so;") .. package.cpath
      local host = { interrupted = function() return true end, terminated = function() return false end }
      local system = require "impel.core" and require "impel.system"
      local landlock = system.close_landlock
      function system.close_landlock(...)
        system.poll({}, 0.3)
        return landlock(...)
      end
      local arguments = { "run", "%s", "--steps", "1000000", "--sandbox" }
      os.exit(require("impel.cli").main(arguments, setmetatable(host, { __index = system })))]]):format(path)),
      program.temporary()
    local _, _, code = os.execute(("lua5.4 %s >%s 2>&1"):format(main, out))
    assert.are.equal(130, code, program.read(out))
    assert.is_truthy(program.read(out):find("interrupted after step 0", 1, true), program.read(out))
  end)

  it("ends with the program", function()
    local code, err = disturb [[
      kill -KILL $pid
      while kill -0 $child 2>/dev/null; do sleep 0.05; done]]
    assert.are.equal(137, code, err)
  end)

  it("reports the signal that ended the child", function()
    local code, err = disturb "kill -KILL $child"
    assert.are.equal(70, code, err)
    assert.is_truthy(err:find("killed by signal 9", 1, true), err)
  end)

  it("with a layer missing: does not start if the mode is strict; starts and names the layer if it is auto", function()
    local path = program.write [[
      print "it ran"
      return { setup = function() return { world = require "impel".world {} } end }]]
    local main = program.write(([[
      package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
      package.cpath = (os.getenv "IMPEL" or "build/impel"):gsub("impel$", "lua/?.so;") .. package.cpath
      package.preload["impel.seccomp"] = function() error "not built" end
      os.exit(require("impel.cli").main { "run", "%s", "--steps", "1", "--sandbox=" .. arg[1] })]]):format(path))
    local function run_it(mode)
      local out = program.temporary()
      local _, _, code = os.execute(("lua5.4 %s %s >%s 2>&1"):format(main, mode, out))
      return code, program.read(out)
    end
    local code, text = run_it "strict"
    assert.are.equal(2, code, text)
    assert.is_truthy(text:find("--sandbox=strict: no ", 1, true), text)
    assert.is_nil(text:find("it ran", 1, true))
    code, text = run_it "auto"
    assert.are.equal(0, code, text)
    assert.is_truthy(text:find("no seccomp (built without libseccomp)", 1, true), text)
    assert.is_truthy(text:find("it ran", 1, true))
  end)
end)
