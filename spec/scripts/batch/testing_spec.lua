-- impel test: a test point for every check, however the run ends. Strict readers accept the TAP and JUnit XML.

local program = require "support.program"
local junit = require "impel.batch.junit"
local printable = require "impel.base.printable"
local tap = require "impel.batch.tap"
local impel, read, quote = program.run, program.read, program.quote


-- Strict readers -----------------------------------------------------------------------------------------------------

local function unquote(text)
  assert.truthy(text:find('^"[^\0-\31\127]*"$'), text)
  local names = { n = "\n", t = "\t", ['"'] = '"', ["\\"] = "\\" }
  return (text:sub(2, -2):gsub("\\(.)", function(c) return assert(names[c], c) end))
end

local function scalar(text)
  if text:sub(1, 1) == '"' then return unquote(text) end
  return tonumber(text) or assert(text:match "^%a+$", text)
end

-- Read the YAML below a test point: scalars, and the indented text below `name:` or `name: |`.
local function read_yaml(next_line)
  local data, name = {}, nil
  for line in next_line do
    if line == "  ..." then return data end
    local deeper = line:match "^    (.+)$"
    if deeper then
      data[name] = data[name] .. deeper .. "\n"
    else
      local value
      name, value = line:match "^  ([a-z_]+):(.*)$"
      assert.truthy(name, line)
      assert.is_nil(data[name], name)
      data[name] = (value == "" or value == " |") and "" or scalar(assert(value:match "^ (.+)$", line))
    end
  end
  error("YAML without an end")
end

-- Read TAP 13 as a list of points { ok, name, skip, data }. bail: reason of an early end; empty: reason of an empty
-- list.
local function read_tap(text)
  assert.truthy(text == "" or text:sub(-1) == "\n", "ends with a whole line")
  assert.truthy(utf8.len(text))
  local next_line = text:gmatch "([^\n]*)\n"
  assert.equal("TAP version 13", next_line())
  local points, planned = {}, false
  for line in next_line do
    assert.falsy(planned, line)
    local word, number, rest = line:match "^(%l[%l ]*) (%d+) %- (.*)$"
    local count, why = line:match "^1%.%.(%d+)(.*)$"
    if word then
      assert.truthy(word == "ok" or word == "not ok", word)
      assert.equal(#points + 1, tonumber(number))
      local name, skip = rest:match "^(.-) # SKIP (.*)$"
      name = (name or rest):gsub("\\([\\#])", function(c) return c == "#" and "\1" or "\\" end)
      assert.falsy(name:find("#", 1, true), line)
      points[#points + 1] = { ok = word == "ok", name = name:gsub("\1", "#"), skip = skip }
    elseif count then
      planned = true
      assert.equal(#points, tonumber(count))
      points.empty = why:match "^ # SKIP (.+)$"
      assert.equal(#points == 0, points.empty ~= nil)
    elseif line == "  ---" then
      local point = points[#points]
      assert.truthy(point and not point.data, line)
      point.data = read_yaml(next_line)
    else
      points.bail = assert(line:match "^Bail out! (.+)$", line)
      planned = true
    end
  end
  assert.truthy(planned, "a plan or the reason why there is none")
  return points
end

-- Read well-formed XML of elements, attributes and text as { name, attributes, text, ... }.
local function read_xml(text)
  assert.truthy(utf8.len(text))
  assert.falsy(text:find "[%z\1-\8\11\12\14-\31]", "no control characters")
  text = assert(text:match '^<%?xml version="1.0" encoding="UTF%-8"%?>%s*(.*)$')
  local codes = { amp = "&", lt = "<", gt = ">", quot = '"', ["#10"] = "\n", ["#9"] = "\t" }
  local function plain(raw)
    assert.falsy(raw:find "[<>]", raw)
    assert.falsy(raw:gsub("&[%a#%d]+;", ""):find "&", raw)
    return (raw:gsub("&([^;]+);", function(code) return assert(codes[code], code) end))
  end
  local stack, at = { { text = "" } }, 1
  while at <= #text do
    local top = stack[#stack]
    local from, to, close, name, rest, empty = text:find("<(/?)([%w-]+)([^<>]-)(/?)>", at)
    top.text = top.text .. plain(text:sub(at, (from or #text + 1) - 1))
    if not from then break end
    if close == "/" then
      assert.equal(top.name, name)
      stack[#stack] = nil
    else
      local element = { name = name, text = "" }
      local left = rest:gsub('%s+([%w-]+)="([^"]*)"', function(key, value)
        key = key == "name" and "label" or key
        assert.is_nil(element[key], key)
        assert.falsy(value:find "[\n\t]", value) -- XML parsers read raw tabs and line ends as spaces
        element[key] = plain(value)
        return ""
      end)
      assert.equal("", left)
      top[#top + 1] = element
      if empty == "" then stack[#stack + 1] = element end
    end
    at = to + 1
  end
  assert.equal(1, #stack)
  assert.equal(1, #stack[1])
  return stack[1][1]
end


-- Scenes -------------------------------------------------------------------------------------------------------------

local folder

local function put(path, text)
  local parent = path:match "^(.*)/"
  if parent then os.execute(("mkdir -p %s/%s"):format(quote(folder), quote(parent))) end
  program.put(folder .. "/" .. path, text)
end

-- Return a scene with a particle in free fall for ten steps. `more` is code before the scene is returned.
local function scene(more)
  return ([[
local impel = require "impel"
local scene = { duration = 10 / 60, params = { low = 0.0 } }
function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  return { world = world, ball = world:body { mass = 1, velocity = { world:random(), 0 } }, p = p, seed = seed }
end
%s
return scene
]]):format(more or "")
end

-- A check of the distance of a fall by symplectic Euler, h^2 (1 + ... + n) g, with h = 1/240, n = 40.
local FALLS = [[
function scene.check(s)
  local _, y = s.ball:position()
  local expected = -9.81 * 40 * 41 / 2 / 240 ^ 2
  return math.abs(y - expected) < 1e-5, ("fell to %.9g, %.9g expected"):format(y, expected) -- floats
end
]]

local function test(arguments, before)
  return impel("test " .. (arguments or ""), nil, ("cd %s && %s"):format(quote(folder), before or ""))
end

local function names_of(points)
  local names = {}
  for i, point in ipairs(points) do names[i] = point.name end
  return names
end

local function without_times(text)
  return (text:gsub("\n  duration_ms: [%d.]+", ""):gsub(' time="[%d.]+"', ""))
end

local function has(command)
  return os.execute(("command -v %s >/dev/null 2>&1"):format(command)) == true
end

describe("impel test", function()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. quote(folder)))
  end)

  after_each(function()
    os.execute("rm -r " .. quote(folder))
    program.clean()
  end)

  it("prints a point for check() and one for each named check, by name, with hash, time and seed", function()
    put("fall.lua", scene(FALLS .. [[
scene.checks = {
  ["is alone"] = function(s) return s.world:counts().bodies == 1, "not alone" end,
  early = function(s) return s.world.tick == 0, "too late", s.world.tick == 10, "late", s.world.time < 0, "ended" end,
}]]))
    local code, out, err = test()
    assert.equal(1, code)
    local points = read_tap(out)
    assert.same({ "fall.lua: check()", "fall.lua: early", "fall.lua: is alone" }, names_of(points))
    assert.is_true(points[1].ok and points[3].ok)
    assert.is_false(points[2].ok)
    local data = points[2].data
    assert.equal("too late; ended", data.message)
    assert.equal("failed", data.severity)
    assert.equal("impel run fall.lua --check", data.rerun)
    local _, hash = impel("run fall.lua --hash", nil, ("cd %s &&"):format(quote(folder)))
    for i, point in ipairs(points) do
      assert.same({ "fall.lua", 0, 10, 10 / 60, hash:sub(1, -2) },
        { point.data.file, point.data.seed, point.data.steps, point.data.time, point.data.hash })
      assert.equal(i == 1, point.data.duration_ms ~= nil) -- only the first test point of a run has a duration
    end
    assert.truthy(err:find "^impel: 2 passed, 1 failed, 0 skipped in [%d.e-]+ s\n$", err)
  end)

  it("prints the same bytes except for times, for any number of processes", function()
    for i = 1, 9 do put(("s%d.lua"):format(i), scene(FALLS)) end
    -- The results of the slowest scene arrive last, but are first in the output.
    put("s0.lua", scene("function scene.update() os.execute 'sleep 0.01' end " .. FALLS))
    local _, one = test "-j 1 --seeds 1..3 --junit one.xml"
    local _, many = test "-j 4 --seeds 1..3 --junit many.xml"
    assert.equal(30, #read_tap(one))
    assert.equal(without_times(one), without_times(many))
    assert.not_equal(without_times(one), one)
    assert.equal(without_times(read(folder .. "/one.xml")), without_times(read(folder .. "/many.xml")))
  end)

  it("finds scenes in folders and subfolders, sorted, each once", function()
    for _, path in ipairs { "b.lua", "a.lua", "sub/c.lua", "sub/deep/a.lua", ".hidden/h.lua", "a b/#1.lua" } do
      put(path, scene(FALLS))
    end
    put("sub/x_spec.lua", "error 'a spec of busted is no scene'")
    put("notes.txt", "no scene either")
    os.execute(("ln -s .. %s/sub/up"):format(quote(folder)))
    local code, out, err = test()
    assert.equal(0, code, err)
    assert.same({ "a b/#1.lua: check()", "a.lua: check()", "b.lua: check()", "sub/c.lua: check()",
      "sub/deep/a.lua: check()" }, names_of(read_tap(out)))
    assert.truthy(out:find([[ok 1 - a b/\#1.lua: check()]], 1, true))
    local _, again = test "./sub//deep/ ./b.lua sub b.lua"
    assert.same({ "sub/deep/a.lua: check()", "b.lua: check()", "sub/c.lua: check()" }, names_of(read_tap(again)))
  end)

  it("skips files without a scene or a check, and says so", function()
    put("helper.lua", "return { stiffness = function() return 3 end }")
    put("list.lua", "return { 1, 2, 3 }")
    put("program.lua", "local x = 1")
    put("show.lua", scene())
    put("x_spec.lua", "describe()")
    local code, out, err = test "*.lua"
    assert.equal(2, code)
    assert.truthy(err:find("impel: no checks in helper.lua, list.lua, ", 1, true), err)
    local points = read_tap(out)
    assert.same({ "helper.lua", "list.lua", "program.lua", "show.lua", "x_spec.lua" }, names_of(points))
    for _, point in ipairs(points) do assert.is_true(point.ok) end
    assert.equal("not a scene: bad field 'stiffness' in scene; a scene has ", points[1].skip:match "^.-; a scene has ")
    assert.equal("not a scene: a scene file returns its scene table, got nothing", points[3].skip)
    assert.equal("no check", points[4].skip)
    assert.equal("a spec, for busted", points[5].skip)
    put("fall.lua", scene(FALLS))
    assert.equal(0, (test()))
  end)

  it("fails a file that returns a table with setup, check or checks but is not a valid scene", function()
    put("typo.lua", "return { setpu = print, check = print }")
    put("lone.lua", "return { checks = { x = print } }")
    local code, out = test()
    assert.equal(1, code)
    local points = read_tap(out)
    assert.equal("lone.lua: scene.setup: function expected, got nil (impel api scene)", points[1].data.message)
    assert.equal("typo.lua: bad field 'setpu' in scene (did you mean 'setup'?)", points[2].data.message:match "^[^;]*")
  end)

  describe("has a failed point with the reason for a scene that", function()
    -- Test a bad and a good scene. Return the message and severity of the bad scene's test point.
    local function bad(text, options)
      put("bad.lua", text)
      put("good.lua", scene(FALLS))
      local code, out = test("-j 2 --junit r.xml " .. (options or ""))
      assert.equal(1, code)
      local points = read_tap(out)
      assert.equal(2, #points)
      assert.is_false(points[1].ok)
      assert.is_true(points[2].ok)
      local xml = read_xml(read(folder .. "/r.xml"))
      assert.same({ "2", "1" }, { xml.tests, xml.errors })
      assert.equal(points[1].data.message, xml[1][2][1].message)
      assert.equal(points[1].data.severity, xml[1][2][1].type)
      return points[1].data.message, points[1].data.severity, points[1]
    end

    local function spoiled(update)
      return scene(("function scene.update(s) %s end %s"):format(update, FALLS))
    end

    it("does not load", function()
      local message, severity = bad "return {\n  setup = \n}"
      assert.same({ "bad.lua:3: unexpected symbol near '}'", "error" }, { message, severity })
      assert.equal("bad.lua:1: early", (bad "error 'early'"))
    end)

    it("raises an error, and prints the traceback with -v", function()
      local message, severity, point = bad(spoiled "error 'late'", "-v")
      assert.same({ "bad.lua:7: late", "error" }, { message, severity })
      assert.truthy(point.data.traceback:find "^bad.lua:7: late\nstack traceback:\n.*bad.lua:7: in ")
      local _, _, plain = bad(spoiled "error 'late'")
      assert.is_nil(plain.data.traceback)
    end)

    it("diverges", function()
      local message, severity = bad(spoiled "s.ball:apply_force(1e14, 0)")
      assert.truthy(message:find "^bad.lua: diverged at step %d+: body 1 in stage '%l+'", message)
      assert.equal("diverged", severity)
    end)

    it("loops forever", function()
      local message, severity = bad(spoiled "while true do end", "--timeout 0.5")
      assert.same({ "took more than 0.5 s", "timeout" }, { message, severity })
    end)

    it("crashes or exits", function()
      -- A sanitizer would catch SEGV, but not KILL.
      local message, severity = bad(spoiled "os.execute 'kill -KILL $PPID'")
      assert.same({ "killed by signal 9 (Killed)", "killed" }, { message, severity })
      message, severity = bad(spoiled "package.loaded.os.exit(0)")
      assert.same({ "exited with status 0", "exited" }, { message, severity })
    end)

    it("has a check that raises or returns nothing", function()
      local message, severity = bad(scene "function scene.check(s) return s.nothing.here end")
      assert.equal("bad.lua:7: attempt to index a nil value (field 'nothing')", message)
      assert.equal("error", severity)
      assert.equal("bad.lua: check: true or false expected, got nothing", (bad(scene "function scene.check() end")))
    end)

    it("receives arguments that it refuses", function()
      put("other.lua", scene(FALLS))
      local code, out = test "other.lua --set lwo=1"
      assert.equal(1, code)
      local data = read_tap(out)[1].data
      assert.truthy(data.message:find("'lwo'", 1, true) and data.message:find("did you mean 'low'", 1, true))
      assert.equal("impel run other.lua --check --set lwo=1", data.rerun)
    end)
  end)

  it("runs with given parameters, seeds, durations and solvers, and prints the command that repeats one run", function()
    put("it's.lua", scene [[
scene.checks = {
  seed = function(s) return s.seed == 7, "seed " .. s.seed end, low = function(s) return s.p.low == 3, "low" end,
  solver = function(s) return s.world.solver == "si", s.world.solver end,
  steps = function(s) return s.world.tick == 5 and s.world.dt == 0.01, s.world.tick .. " steps" end,
}]])
    local given = "--seed 7 --set low=3 --dt 0.01 --solver si --steps 5"
    local code, out = test(given)
    assert.equal(0, code, out)
    assert.equal(4, #read_tap(out))
    code, out = test(given:gsub("low=3", "low=4") .. " -v")
    assert.equal(1, code)
    local point = read_tap(out)[1]
    assert.equal([[impel run 'it'\''s.lua' --check --seed 7 --set low=4 --steps 5 --dt 0.01 --solver si]],
      (point.data.rerun:gsub("0.010000000000000000%d+", "0.01")))
    assert.equal("low: 4\n", point.data.params)
    assert.equal(1, (impel(point.data.rerun:gsub("^impel ", "") .. " -q", nil, ("cd %s &&"):format(quote(folder)))))
    code, out = test "--seeds 6..8 --filter seed"
    assert.equal(1, code)
    local points = read_tap(out)
    assert.equal("it's.lua [seed 6]: low", points[1].name) -- the word "low" is in the line of this point
    code, out = test "--seeds 6,7 --filter ': seed'"
    assert.equal(1, code)
    points = read_tap(out)
    assert.same({ "it's.lua [seed 6]: seed", "it's.lua [seed 7]: seed" }, names_of(points))
    assert.same({ false, true }, { points[1].ok, points[2].ok })
  end)

  it("runs only scenes that contain the filter text literally", function()
    put("a-b.lua", scene(FALLS))
    put("axb.lua", scene "function scene.setup() error 'it runs' end function scene.check() return true end")
    put("c.lua", scene "scene.checks = { ['a-b'] = function() return true end, other = function() error 'asked' end }")
    put("show.lua", scene())
    local code, out, err = test "--filter a-b"
    assert.equal(0, code, err)
    assert.same({ "a-b.lua: check()", "c.lua: a-b" }, names_of(read_tap(out)))
    code, out = test "--filter a-b --filter show"
    assert.equal(0, code)
    assert.same({ "a-b.lua: check()", "c.lua: a-b", "show.lua" }, names_of(read_tap(out)))
    code, out, err = test "--filter 'a.b'"
    assert.equal(2, code)
    assert.equal("no check matches --filter a.b", read_tap(out).empty)
    assert.equal("impel: no check matches --filter a.b\n", err:match "\n(.*)$")
    -- A file that cannot be loaded passes every filter.
    put("broken.lua", "return {")
    code, out = test "--filter a-b"
    assert.equal(1, code)
    assert.same({ "a-b.lua: check()", "broken.lua", "c.lua: a-b" }, names_of(read_tap(out)))
  end)

  it("lists its scenes without running them", function()
    put("a.lua", scene "function scene.setup() error 'it runs' end scene.checks = { y = print, x = print }")
    put("b.lua", scene(FALLS))
    put("show.lua", scene())
    local code, out, err = test "--list"
    assert.same({ 0, "a.lua: x\na.lua: y\nb.lua: check()\n", "" }, { code, out, err })
    put("c.lua", "return {")
    code, out, err = test "--list --filter y"
    assert.same({ 3, "a.lua: y\n", "impel: c.lua:1: unexpected symbol near <eof>\n" }, { code, out, err })
  end)

  it("accepts examples by name and a scene from standard input", function()
    local code, out = impel "test pendulum -q"
    assert.equal(0, code)
    assert.truthy(read_tap(out)[1].name:find "examples/pendulum.lua: check%(%)$")
    code, out = impel("test - -q", scene(FALLS))
    assert.equal(0, code)
    assert.equal("stdin: check()", read_tap(out)[1].name)
    local _, message
    code, _, message = impel "test pendulm"
    assert.equal(2, code)
    assert.truthy(message:find("did you mean 'pendulum'?", 1, true), message)
  end)

  it("reports that it found no scenes", function()
    local code, out, err = test()
    assert.equal(2, code)
    assert.equal("no scenes in .", read_tap(out).empty)
    assert.truthy(err:find("impel: no scenes in .\n", 1, true))
    code, out, err = test "missing.lua"
    assert.same({ 2, "" }, { code, out })
    assert.truthy(err:find("missing.lua", 1, true))
    for _, wrong in ipairs { "--seeds 3..1", "--seed 1 --seeds 1..2", "-j 0", "--timeout 0", "--set x", "-q -v" } do
      assert.equal(2, (test(wrong)), wrong)
    end
  end)

  it("prints each scene's output on stderr after the file's name, and writes it into the report", function()
    put("loud.lua", scene("function scene.check() print('a', 1) io.stdout:write('b <&>\\1\\n') return true end"))
    local code, out, err = test "--junit r.xml"
    assert.equal(0, code)
    assert.equal(1, #read_tap(out))
    assert.truthy(err:find("loud.lua: a\t1\nloud.lua: b <&>\1\n", 1, true), err)
    local suite = read_xml(read(folder .. "/r.xml"))[1]
    assert.same({ "system-out", "a\t1\nb <&>\\x01" }, { suite[3].name, suite[3].text })
    local _, _, silent = test "-q"
    assert.equal("", silent)
  end)

  it("writes a report with a suite for each scene and a case for each check", function()
    put("sub/a.lua", scene(FALLS .. " scene.checks = { no = function() return false, '<no> & \"never\"' end, "
      .. "bad = function() error 'raised' end }"))
    put("sub/show.lua", scene())
    local code, out = test "--junit r.xml"
    assert.equal(1, code)
    local hash = read_tap(out)[1].data.hash
    local root = read_xml(read(folder .. "/r.xml"))
    assert.same({ "testsuites", "4", "1", "1" }, { root.name, root.tests, root.failures, root.errors })
    local suite = root[1]
    assert.same({ "testsuite", "sub/a.lua", "3", "1", "1", "0", "sub/a.lua" }, { suite.name, suite.label, suite.tests,
      suite.failures, suite.errors, suite.skipped, suite.file })
    local properties = {}
    for _, property in ipairs(suite[1]) do properties[property.label] = property.value end
    assert.same({ seed = "0", steps = "10", time = "0.16666666666666666", hash = hash }, properties)
    for i, label in ipairs { "check()", "bad", "no" } do
      local case = suite[i + 1]
      assert.same({ "testcase", label, "sub.a" }, { case.name, case.label, case.classname })
      assert.truthy(case.time:find "^%d+%.%d%d%d$")
    end
    assert.equal(0, #suite[2])
    local raised = suite[3][1]
    assert.same({ "error", "error", "sub/a.lua:12: raised" }, { raised.name, raised.type, raised.message })
    assert.truthy(suite[3][1].text:find("stack traceback:", 1, true))
    assert.same({ "failure", "failed", '<no> & "never"' }, { suite[4][1].name, suite[4][1].type, suite[4][1].message })
    assert.same({ "skipped", "no check", "1" }, { root[2][2][1].name, root[2][2][1].message, root[2].skipped })
    assert.equal(0, #read_xml(junit.report({}, 0)))
  end)

  it("prints results in file order during the run, and all finished results if it is interrupted", function()
    put("a.lua", scene(FALLS))
    put("b.lua", scene("function scene.update() while true do end end " .. FALLS))
    put("c.lua", scene(FALLS .. "scene.checks = { last = function() return io.open('c.over', 'w') ~= nil end }"))
    for signal, code in pairs { INT = 130, TERM = 143 } do
      local out, result = folder .. "/out.tap", folder .. "/code"
      -- Without job control (`set -m`) a shell starts background jobs with SIGINT ignored. The signal is sent when a
      -- and c have ended; b never ends.
      os.execute(("cd %s && set -m 2>/dev/null; %s test -j 2 --junit r.xml >out.tap 2>err & "
        .. "until grep -qs '^ok 1' %s && [ -e c.over ]; do sleep 0.02; done; sleep 0.3; "
        .. "kill -%s $!; wait $!; echo $? >%s"):format(quote(folder), quote(program.path), quote(out), signal,
        quote(result)))
      assert.equal(code .. "\n", read(result))
      local points = read_tap(read(out))
      assert.equal("interrupted", points.bail)
      -- b was interrupted and has no points.
      assert.same({ "a.lua: check()", "c.lua: check()", "c.lua: last" }, names_of(points))
      assert.equal(2, #read_xml(read(folder .. "/r.xml")))
      os.remove(out)
      os.remove(folder .. "/c.over")
    end
  end)

  it("ends with exit code 5 if its output cannot be written", function()
    put("a.lua", scene(FALLS))
    local code, out, err = test "--junit no/such/folder.xml"
    assert.same({ 5, "" }, { code, out }) -- the error comes before any run
    assert.truthy(err:find("cannot write no/such/folder.xml", 1, true), err)
    local _, _, full = os.execute(("cd %s && %s test >/dev/full 2>&1"):format(quote(folder), quote(program.path)))
    assert.equal(5, full)
    local result = folder .. "/code"
    os.execute(("cd %s && (%s test --seeds 1..2000 -q 2>/dev/null; echo $? >code) | head -n 1 >/dev/null"):format(
      quote(folder), quote(program.path)))
    assert.equal("5\n", read(result))
  end)

  describe("is accepted by", function()
    local ODD = scene([[scene.checks = { ["# SKIP \\ TODO\n1..2 é \255"] = function() return true end,
  ["ok 7"] = function() return false, "a: b\n...\n---\n \"q\" 'r' \0\27 # x" end }]] .. FALLS)

    it("prove", function()
      if not has "prove" then return pending "this system has no prove" end
      put("good.lua", scene(FALLS))
      put("show.lua", scene())
      local _, good = test "good.lua show.lua -v"
      put("good.tap", good)
      local result = folder .. "/result"
      assert.is_true(os.execute(("prove -v -e cat %s >%s 2>&1"):format(quote(folder .. "/good.tap"), quote(result))))
      assert.truthy(read(result):find("Result: PASS", 1, true), read(result))
      put("odd.lua", ODD)
      put("raise.lua", "error 'x: y\\n  z'")
      local _, odd = test "odd.lua raise.lua -v"
      assert.equal(4, #read_tap(odd))
      put("odd.tap", odd)
      assert.is_nil(os.execute(("prove -v -e cat %s >%s 2>&1"):format(quote(folder .. "/odd.tap"), quote(result))))
      assert.truthy(read(result):find("Failed 2/4 subtests", 1, true), read(result))
      assert.falsy(read(result):find("Parse errors", 1, true), read(result))
    end)

    it("xmllint", function()
      if not has "xmllint" then return pending "this system has no xmllint" end
      put("odd.lua", ODD)
      put("raise.lua", "error ']]> <x> \\1\\255 & \\'\"'")
      assert.equal(1, (test "--junit r.xml"))
      assert.is_true(os.execute("xmllint --noout " .. quote(folder .. "/r.xml")))
      local root = read_xml(read(folder .. "/r.xml"))
      assert.equal("# SKIP \\ TODO\n1..2 é \\xFF", root[1][3].label)
      assert.equal("raise.lua:1: ]]> <x> \\x01\\xFF & '\"", root[2][2][1].message)
    end)
  end)
end)

describe("printable text", function()
  it("is valid UTF-8 without control characters, and leaves valid text unchanged", function()
    math.randomseed(3)
    for _ = 1, 2000 do
      local bytes = {}
      for i = 1, math.random(0, 12) do bytes[i] = string.char(math.random(0, 255)) end
      local text = printable(table.concat(bytes))
      assert.truthy(utf8.len(text))
      for _, code in utf8.codes(text) do
        assert.is_true(code == 9 or code == 10 or code >= 32 and code < 127 or code >= 160 and code < 0xFFFE
          or code > 0xFFFF)
      end
      assert.equal(text, printable(text))
    end
    for _, text in ipairs { "", "a\tb\n", "é ∂ 𝄞", "\u{FFFD}\u{10FFFF}" } do assert.equal(text, printable(text)) end
    assert.equal("\\x00a\\xC3(\\xED\\xA0\\x80\\xC2\\x85\\xEF\\xBB\\xBFé\\x80\\xFF",
      printable "\0a\xC3(\xED\xA0\x80\xC2\x85\u{FEFF}é\x80\xFF")
  end)

  it("is truncated to one line", function()
    local point = { name = "a\nb\27", status = "skipped", message = "x\ny" }
    assert.equal("ok 3 - a b\\\\x1B # SKIP x y\n", tap.point(3, point, { file = "a" }))
    assert.equal("Bail out! a b\n", tap.bail_out "a\nb")
  end)
end)
