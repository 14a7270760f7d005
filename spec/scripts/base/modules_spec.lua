-- Modules that require each other. The `require` that closes the cycle reports the cycle.
local program = require "support.program"

describe("modules", function()
  local folder

  local function put(name, text) program.put(folder .. "/" .. name, text) end

  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. folder))
  end)
  after_each(function()
    os.execute("rm -r " .. folder)
    program.clean()
  end)

  -- Run a scene in and outside the sandbox. Check its exit code and error output.
  local function each_run(text, check)
    put("scene.lua", text)
    for _, options in ipairs { "", "--sandbox" } do
      local code, _, err = program.run(("run %s/scene.lua --quiet --steps 1 %s"):format(folder, options))
      check(code, (err:gsub(folder .. "/", "")), options)
    end
  end

  local SCENE = "\nreturn { setup = function() %s return { world = require 'impel'.world {} } end }"

  local function reports(text, expected)
    each_run(text, function(code, err)
      assert.equal(3, code, err)
      assert.truthy(err:find(expected, 1, true), err)
    end)
  end

  it("that require each other are named in their order, with the line that closes the cycle", function()
    put("ma.lua", "local b = require 'mb'\nreturn {}")
    put("mb.lua", "\nlocal a = require 'ma'\nreturn {}")
    reports(SCENE:format "require 'ma'", "mb.lua:2: modules require each other: ma → mb → ma (")
    reports("require 'mb'" .. SCENE:format "", "ma.lua:1: modules require each other: mb → ma → mb (")
    put("mc.lua", "require 'self'")
    put("self.lua", "local s = require 'self'\nreturn s")
    reports(SCENE:format "require 'mc'", "self.lua:1: modules require each other: self → self (")
    put("ma.lua", "local b = require 'mb'\nreturn {}")
    put("mb.lua", "local c = require 'sub.mc'\nreturn {}")
    assert(os.execute("mkdir " .. folder .. "/sub"))
    put("sub/mc.lua", "local a\na = require 'ma'\nreturn a")
    reports(SCENE:format "require 'ma'", "sub/mc.lua:2: modules require each other: ma → mb → sub.mc → ma (")
  end)

  it("that require each other in tail calls are named with the file, without a line", function()
    put("ma.lua", "return require 'mb'")
    put("mb.lua", "return require 'ma'")
    reports(SCENE:format "require 'ma'", "mb.lua: modules require each other: ma → mb → ma (")
  end)

  it("may not require the scene that requires them", function()
    put("ma.lua", "local s = require 'scene'\nreturn {}")
    reports("local a = require 'ma'" .. SCENE:format "", "ma.lua:1: modules require each other: ")
    -- When setup runs, the scene's file can be required like any module.
    each_run(SCENE:format "assert(require 'ma')", function(code, err) assert.equal(0, code, err) end)
  end)

  it("that failed can be required again, and a caught cycle leaves no state behind", function()
    put("ma.lua", "local ok, why = pcall(require, 'mb')\nreturn { ok = ok, why = why }")
    put("mb.lua", "local a = require 'ma'\nreturn {}")
    put("bad.lua", "if not fine then error 'not yet' end\nreturn 'loaded'")
    each_run(SCENE:format [[
      local a = require 'ma'
      assert(not a.ok and a.why:find('mb.lua:1: modules require each other: ma → mb → ma', 1, true), a.why)
      assert(require 'mb')
      for _ = 1, 2 do
        local ok, why = pcall(require, 'bad')
        assert(not ok and why:find('bad.lua:1: not yet', 1, true), why)
      end
      fine = true
      assert(require 'bad' == 'loaded')
    ]], function(code, err) assert.equal(0, code, err) end)
  end)

  it("can be required again if a coroutine never finished requiring them", function()
    put("slow.lua", "if not fine then coroutine.yield 'in the middle' end\nreturn 'loaded'")
    each_run(SCENE:format [[
      local run = coroutine.wrap(require)
      assert(run 'slow' == 'in the middle')
      fine = true
      assert(require 'slow' == 'loaded')
    ]], function(code, err) assert.equal(0, code, err) end)
  end)

  it("that set package.loaded before they require others form no cycle", function()
    put("early.lua", "local M = {}\npackage.loaded[...] = M\nM.other = require 'late'\nreturn M")
    put("late.lua", "return { early = require 'early' }")
    put("scene.lua", "local early = require 'early'\n"
      .. "assert(early.other.early == early and package.loaded.early == early)\n"
      .. "package.loaded.early = nil\nassert(require 'early' ~= early)" .. SCENE:format "")
    local code, _, err = program.run(("run %s/scene.lua --quiet --steps 1"):format(folder))
    assert.equal(0, code, err)
    assert.is_nil(package.loaded.early)
  end)

  it("of package.preload are checked for cycles too", function()
    put("user.lua", "local p = require 'made'\nreturn p")
    put("scene.lua", "package.preload.made = function() return (require 'user') end" .. SCENE:format "require 'made'")
    local code, _, err = program.run(("run %s/scene.lua --quiet --steps 1"):format(folder))
    assert.equal(3, code)
    assert.truthy(err:find("user.lua:1: modules require each other: made → user → made (", 1, true), err)
  end)

  it("that are not found raise at the line of the require", function()
    put("scene.lua", "\nlocal x = require 'no_such'\nreturn x")
    local code, _, err = program.run(("run %s/scene.lua --quiet --steps 1"):format(folder))
    assert.equal(3, code)
    local words = "scene.lua:2: module 'no_such' not found: no no_such.lua and no no_such/init.lua in "
    assert.truthy(err:find(words, 1, true), err)
    assert.equal(1, select(2, err:gsub("\n", "")), err)
  end)

  it("loaded with dofile by each other are named in the error", function()
    put("one.lua", ("count = (count or 0) + 1 if count < limit then dofile '%s/two.lua' end"):format(folder))
    put("two.lua", ("dofile '%s/one.lua'"):format(folder))
    local run = SCENE:format("limit = %s dofile '%s/one.lua'")
    each_run(run:format("20", folder), function(code, err) assert.equal(0, code, err) end)
    reports(run:format("1e9", folder), "two.lua:1: files run each other, nested 100 deep: one.lua → two.lua → one.lua")
    put("three.lua", "require 'four'")
    put("four.lua", ("dofile '%s/three.lua'"):format(folder))
    reports(SCENE:format "require 'four'", "three.lua:1: modules require each other: four → three.lua → four (")
  end)

  it("that require each other are named in the output of sweep and test too", function()
    put("ma.lua", "local a = require 'ma'\nreturn a")
    put("scene.lua", [[return { check = function() return true end, setup = function() require 'ma' end }]])
    local _, out = program.run(("sweep %s/scene.lua --seeds 1..2 --quiet"):format(folder))
    assert.equal(2, select(2, out:gsub("ma.lua:1: modules require each other: ma → ma ", "")), out)
    local code
    code, out = program.run(("test %s/scene.lua --quiet"):format(folder))
    assert.equal(1, code)
    assert.truthy(out:find("ma.lua:1: modules require each other: ma → ma ", 1, true), out)
  end)
end)
