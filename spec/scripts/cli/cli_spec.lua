-- The command line, tested from outside: output streams, files and exit codes.

local shared = require "support.program"
local quote, read, program, write, impel = shared.quote, shared.read, shared.path, shared.write, shared.run
local temporary = shared.temporary

-- Return a scene with a ball in the air. `more` is code before the scene is returned, `setup` is code of the setup
-- function.
local function scene_text(more, setup)
  return ([[
local impel = require "impel"
local scene = { title = "test ball", duration = 0.5 }
scene.params = { speed = { 1.0, min = 0, max = 5 }, count = { 3, integer = true }, bounce = false }
function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local ball = world:body { name = "ball", position = { 0, 2 }, velocity = { p.speed, 0 } }
  ball:circle { radius = 0.5 }
  %s
  return { world = world, ball = ball, steps = 0 }
end
function scene.measure(s)
  local x, y = s.ball:position()
  return { y = y, x = x }
end
%s
return scene
]]):format(setup or "", more or "")
end

local function count_lines(text)
  local _, count = text:gsub("\n", "")
  return count
end

describe("impel", function()
  after_each(shared.clean)

  describe("run", function()
    it("prints a result table on stdout, and nothing on stderr if stderr is not a terminal", function()
      local code, out, err = impel("run " .. write(scene_text()))
      assert.equal(0, code)
      assert.equal("", err)
      for word in ("scene steps solver bodies contacts steps/s energy penetration residual"):gmatch("%S+") do
        assert.truthy(out:find(word, 1, true), word)
      end
      assert.truthy(out:find("hash +%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x\n"))
      assert.truthy(out:find("test ball", 1, true))
    end)

    it("prints one line per open joint: name, length of the gap and time", function()
      local path = write [[
        local impel = require "impel"
        local scene = { duration = 1 }
        function scene.setup()
          local world = impel.world { gravity = { 0, 0 } }
          local bar = world:body { position = { 0.5, 0 } }
          bar:box { 1, 0.2 }
          world:revolute(world.ground, bar, { anchor = { 0, 0 }, name = "left" })
          local right = world:revolute(world.ground, bar, { anchor = { 1, 0 }, name = "right" })
          right:coordinate "x":set_lock(0.3)
          return { world = world }
        end
        return scene
      ]]
      local code, out = impel("run " .. path)
      assert.equal(0, code)
      for _, name in ipairs { "left", "right" } do
        local line = "revolute '" .. name .. "' was open by [%d.]+ mm at [%d.]+ s\n"
        assert.equal(1, select(2, out:gsub(line, "")), out)
      end
      assert.matches("at the end of the run, 2 of these 2 joints have a gap", out)
      local _, json = impel("run --json " .. path)
      assert.matches('"open":2,', json)
      assert.matches('"joint":"revolute \'left\'"', json)
      local _, plain = impel("run " .. write(scene_text()))
      assert.is_nil(plain:find "open")
    end)

    -- Three parallel cranks on one coupler. The third crank is 10 mm too long, so its pin cannot close.
    local function cranks(more)
      return write(([[
        local impel = require "impel"
        local scene = { duration = 0.2 }
        function scene.setup()
          local world = impel.world { solver = "direct", sleep = false }
          local c, s = impel.math.cos(1), impel.math.sin(1)
          local coupler, pins = world:body { position = { 1 + c, s } }, {}
          coupler:box { 2, 0.05, mask = 0 }
          for i = 0, 2 do
            local l = i == 2 and 1.01 or 1
            local crank = world:body { position = { i + c * l / 2, s * l / 2 }, angle = 1 }
            crank:box { l, 0.05, mask = 0 }
            world:revolute(world.ground, crank, { anchor = { i, 0 } })
            pins[i] = world:revolute(crank, coupler, { local_anchor_a = { l / 2, 0 }, local_anchor_b = { i - 1, 0 },
              name = "pin" .. i })
          end
          return { world = world, pins = pins }
        end
        %s
        return scene
      ]]):format(more or ""))
    end

    it("reports a violated lock, and the gap at its joint at the end", function()
      local path = cranks "function scene.measure(s) return { gap = s.pins[2].gap } end"
      local code, out = impel("run --trace build/unheld.csv " .. path)
      assert.equal(0, code)
      local last = tonumber(read("build/unheld.csv"):match ",([^,\n]+)\n$")
      os.remove "build/unheld.csv"
      assert.is_true(last > 0.01) -- the gap is at least 0.01 m
      local line = ("not held     a lock of revolute 'pin2' from 0.0166667 s on, because it contradicts other locks "
        .. "or is almost linearly dependent on them; the joint is open by %.3g mm at the end\n"):format(1e3 * last)
      assert.truthy(out:find(line, 1, true), out)
      assert.is_nil(out:find("opened", 1, true), out)
      local _, json = impel("run --json " .. path)
      assert.matches('"unheld":%[{[^}]*"joint":"revolute \'pin2\'"', json)
      assert.is_nil(json:find('"opened"', 1, true))
    end)

    it("reports an open joint even if a lock of that joint was not held in earlier steps", function()
      local path = cranks [[function scene.update(s)
        if s.world.tick == 5 then s.pins[2]:coordinate "x":set_lock(0.5) end
      end]]
      local _, out = impel("run " .. path)
      assert.matches("revolute 'pin2' was open by [%d.]+ m+ at 0.1 s\n", out)
      assert.matches("not held +a lock of revolute 'pin2' from 0.0166667 s on", out)
    end)

    it("accepts a scene from standard input", function()
      local code, out = impel("run - --steps 1", scene_text())
      assert.equal(0, code)
      assert.truthy(out:find("stdin", 1, true))
    end)

    it("runs the scene's duration, --time rounded to whole steps, or --steps", function()
      local path = write(scene_text())
      local function steps(arguments)
        local code, out = impel(("run %s --json %s"):format(path, arguments))
        assert.equal(0, code)
        return tonumber(out:match('"steps":(%d+)'))
      end
      assert.equal(30, steps(""))
      assert.equal(7, steps("--steps 7"))
      assert.equal(0, steps("--steps 0"))
      assert.equal(6, steps("--time 0.105")) -- 6.3 steps
      assert.equal(50, steps("--dt 0.01"))
    end)

    it("prints one line of JSON with --json, also with -q", function()
      local code, out = impel("run " .. write(scene_text()) .. " -q --json --steps 3 --seed 7 --set speed=2.5")
      assert.equal(0, code)
      assert.equal(1, count_lines(out))
      local result = require("dkjson").decode(out)
      assert.equal(3, result.steps)
      assert.equal(7, result.seed)
      assert.equal(2.5, result.params.speed)
      assert.equal(false, result.params.bounce)
      assert.equal(1, result.bodies)
      assert.truthy(result.hash:find("^%x+$"))
      assert.near(0.05, result.time, 1e-15)
    end)

    it("prints nothing with -q", function()
      local code, out, err = impel("run " .. write(scene_text()) .. " -q --steps 3")
      assert.same({ 0, "", "" }, { code, out, err })
    end)

    it("prints the hash alone with --hash, equal for every run and different for another parameter", function()
      local path = write(scene_text())
      local code, first = impel("run " .. path .. " --hash")
      assert.equal(0, code)
      assert.truthy(first:find("^%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x%x\n$"))
      local _, second = impel("run " .. path .. " --hash -q")
      assert.equal(first, second)
      local _, third = impel("run " .. path .. " --hash --set speed=2")
      assert.not_equal(first, third)
    end)

    it("gives the same hash with lanes of any width, and refuses invalid widths", function()
      local path = write(scene_text())
      local _, any = impel("run " .. path .. " --hash")
      for _, width in ipairs { "''", 1, 4, 8, 16 } do
        local code, hash = impel("run " .. path .. " --hash", nil, "IMPEL_LANES=" .. width)
        assert.same({ 0, any }, { code, hash })
      end
      for _, text in ipairs { "2", "04", "wide", "'4 '" } do
        local code, _, err = impel("run " .. path, nil, "IMPEL_LANES=" .. text)
        assert.equal(3, code)
        assert.truthy(err:find("environment variable IMPEL_LANES must be 1, 4, 8 or 16, got '" ..
          text:gsub("'", "") .. "'", 1, true), err)
      end
    end)

    it("passes numbers and booleans of --set to setup", function()
      local path = write(scene_text("", "print(p.speed, p.count, math.type(p.count), p.bounce, seed)"))
      local _, _, err = impel("run " .. path .. " --steps 0 --set speed=0.5 --set count=1e1 --set bounce=true --seed 9")
      assert.equal("0.5\t10\tinteger\ttrue\t9\n", err)
      path = write(scene_text("", "print(math.type(p.speed), math.type(p.count))"))
      _, _, err = impel("run " .. path .. " --steps 0 --set speed=2 --set count=3.0")
      assert.equal("float\tinteger\n", err)
    end)

    it("takes ten thousand steps without a window system", function()
      local code, out = impel("run " .. write(scene_text()) .. " --steps 10000 --json")
      assert.equal(0, code)
      assert.truthy(out:find('"steps":10000,', 1, true))
      if not os.execute("command -v ldd >/dev/null 2>&1") then return pending "no ldd here" end
      local libraries = io.popen("ldd " .. quote(program)):read("a")
      assert.truthy(libraries:find("libc", 1, true), libraries)
      for _, name in ipairs { "SDL", "libX", "libxcb", "wayland", "libGL", "libEGL" } do
        assert.falsy(libraries:find(name, 1, true), name)
      end
    end)

    it("runs from a checkout whose path has a space", function()
      local folder = temporary()
      os.remove(folder)
      folder = folder .. " of mine"
      local script = "mkdir -p %s/build && cp %s %s/build/impel && cp -r scripts examples %s"
      local to = quote(folder)
      assert.truthy(os.execute(script:format(to, quote(program), to, to)))
      local code = select(3, os.execute(("cd / && %s/build/impel run pyramid -q --steps 1"):format(to)))
      os.execute("rm -r " .. to)
      assert.equal(0, code)
    end)

    it("draws random numbers from the seed alone", function()
      local path = write(scene_text("function scene.update(s) print(math.random(1000000)) end"))
      local _, _, first = impel("run " .. path .. " --steps 3 -q --seed 1")
      local _, _, again = impel("run " .. path .. " --steps 3 -q --seed 1")
      local _, _, other = impel("run " .. path .. " --steps 3 -q --seed 2")
      assert.equal(3, count_lines(first))
      assert.equal(first, again)
      assert.not_equal(first, other)
    end)

    it("calls update once a step, after the step handlers, and substep before every substep", function()
      local path = write(scene_text([[
        function scene.update(s, dt) s.steps = s.steps + 1; print("update", dt == 1 / 60) end
        function scene.substep(s, h) s.time = (s.time or 0) + h end
        function scene.check(s) return s.steps == 2 and math.abs(s.time - 2 / 60) < 1e-15, "calls are missing" end
      ]], "world:on('step', function() print('handler') end)"))
      local code, _, err = impel("run " .. path .. " --steps 2 --check")
      assert.equal("handler\nupdate\ttrue\nhandler\nupdate\ttrue\n", err)
      assert.equal(0, code)
    end)

    it("calls check only with --check", function()
      local code = impel("run " .. write(scene_text("function scene.check() error 'asked' end")) .. " --steps 1")
      assert.equal(0, code)
    end)

    it("exits with code 1 and prints a line per failed check", function()
      local path = write(scene_text([[
        function scene.check() return false, 'too high', true, 'fine', false, 'too far' end]]))
      local code, out, err = impel("run " .. path .. " --steps 1 --check")
      assert.equal(1, code)
      assert.truthy(out:find("check +failed"))
      assert.truthy(err:find("too high", 1, true))
      assert.truthy(err:find("too far", 1, true))
      assert.equal(2, count_lines(err))
    end)
  end)

  describe("run --trace", function()
    it("writes CSV: time, then the measures sorted, at t = 0 and after every N-th step", function()
      local trace = temporary(".csv")
      local code, out = impel(("run %s --steps 10 --every 4 --trace %s"):format(write(scene_text()), trace))
      assert.equal(0, code)
      assert.truthy(out:find(trace, 1, true))
      local lines = {}
      for line in io.lines(trace) do lines[#lines + 1] = line end
      assert.equal("time,x,y", lines[1])
      assert.equal("0,0,2", lines[2])
      assert.equal(4, #lines)
      local time, x = lines[4]:match("^([^,]+),([^,]+),")
      assert.near(8 / 60, tonumber(time), 1e-15)
      assert.near(8 / 60, tonumber(x), 1e-6) -- positions may be floats
    end)

    it("writes JSON lines, null for non-finite values", function()
      local trace = temporary(".jsonl")
      local path = write(scene_text("function scene.measure() return { a = 0 / 0, b = 1, c = true } end"))
      assert.equal(0, (impel(("run %s --steps 1 --trace %s"):format(path, trace))))
      assert.equal('{"time":0,"a":null,"b":1,"c":true}', read(trace):match("^[^\n]*"))
      assert.equal(2, count_lines(read(trace)))
    end)

    it("refuses --every without a trace", function()
      local code, out, err = impel("run - --every 2", scene_text())
      assert.same({ 2, "" }, { code, out })
      assert.truthy(err:find("--every needs --trace OUT or --plot OUT.svg", 1, true), err)
    end)

    it("reports that the scene measures nothing", function()
      local trace = temporary(".csv")
      local path = write(scene_text("scene.measure = nil"))
      local code, _, err = impel(("run %s --steps 2 --trace %s"):format(path, trace))
      assert.equal(0, code)
      assert.truthy(err:find("no measure", 1, true))
      assert.truthy(read(trace):find("^time\n0\n"))
    end)

    it("leaves the written rows readable if the scene raises", function()
      local trace = temporary(".csv")
      local path = write(scene_text([[
        function scene.update(s) s.steps = s.steps + 1; if s.steps == 3 then error "stop here" end end]]))
      local code, _, err = impel(("run %s --trace %s"):format(path, trace))
      assert.equal(3, code)
      assert.truthy(err:find("stop here", 1, true))
      assert.equal(1 + 3, count_lines(read(trace)))
    end)
  end)

  describe("on bad usage", function()
    -- Check for exit code 2, an error message, and no output.
    local function refuses(arguments, message)
      local code, out, err = impel(arguments)
      assert.equal(2, code, err)
      assert.equal("", out)
      assert.truthy(err:find(message, 1, true), err)
    end

    it("names the argument that it did not understand", function()
      refuses("", "a command is required")
      refuses("rnu", "did you mean 'run'?")
      refuses("run", "missing argument")
      refuses("run - --stpes 3", "did you mean '--steps'?")
      refuses("run - --steps", "requires an argument")
      refuses("run - --check=no", "does not take arguments")
      refuses("run - -q -v", "can not be used together")
      refuses("run - --steps 3 --time 3", "can not be used together")
    end)

    it("names the option, the allowed values and the given one", function()
      refuses("run - --steps 1.5", "--steps: integer >= 0 expected, got '1.5'")
      refuses("run - --steps=-1", "--steps: integer >= 0 expected, got '-1'")
      refuses("run - --time nan", "--time: seconds >= 0 expected, got 'nan'")
      refuses("run - --time 1e999", "--time: seconds >= 0 expected, got '1e999'")
      refuses("run - --dt 0", "--dt: seconds > 0 expected, got '0'")
      refuses("run - --seed x", "--seed: integer in 0..9007199254740991 expected, got 'x'")
      refuses("run - --seed 9007199254740992", "--seed: integer in 0..9007199254740991 expected, got '9007")
      refuses("run - --seed 9007199254740993", "--seed: integer in 0..9007199254740991 expected, got '9007")
      refuses("run - --threads 0", "--threads: integer >= 1 expected, got '0'")
      refuses("run - --every 0", "--every: integer >= 1 expected, got '0'")
      refuses("run - --set speed", "--set: name=value expected, got 'speed'")
    end)

    it("accepts a negative number as the option's value", function()
      refuses("run - --time -1", "--time: seconds >= 0 expected, got '-1'")
      refuses("run - --steps -2", "--steps: integer >= 0 expected, got '-2'")
      refuses("run - --seed -1", "--seed: integer in 0..9007199254740991 expected, got '-1'")
      refuses("run - --dt -.5", "--dt: seconds > 0 expected, got '-.5'")
      refuses("run - --set -1", "--set: name=value expected, got '-1'")
      refuses("run - --check -1", "does not take arguments")
      refuses(("run %s --set speed=-1"):format(write(scene_text())), "param 'speed': '-1' is out of range 0..5")
    end)

    it("refuses parameters that are unknown, of the wrong type or out of range", function()
      local path = write(scene_text())
      refuses(("run %s --set sped=1"):format(path), "unknown param 'sped' (did you mean 'speed'?)")
      refuses(("run %s --set mass=1"):format(path), "params: bounce, count, speed")
      refuses(("run %s --set speed=6"):format(path), "param 'speed': '6' is out of range 0..5")
      refuses(("run %s --set speed=fast"):format(path), "param 'speed': number expected, got 'fast'")
      refuses(("run %s --set speed=nan"):format(path), "param 'speed': number expected, got 'nan'")
      refuses(("run %s --set speed=1e999"):format(path), "param 'speed': finite number expected, got '1e999'")
      refuses(("run %s --set count=3.5"):format(path), "param 'count': integer expected, got '3.5'")
      refuses(("run %s --set count=few"):format(path), "param 'count': integer expected, got 'few'")
      refuses(("run %s --set count=1e40"):format(path), "param 'count': integer expected, got '1e40'")
      refuses(("run %s --set bounce=1"):format(path), "param 'bounce': boolean expected, got '1'")
    end)

    it("refuses a solver that does not exist and --check without a check", function()
      local path = write(scene_text())
      refuses(("run %s --solver sotf"):format(path), "--solver: no solver 'sotf' (did you mean 'soft'?)")
      refuses(("run %s --check"):format(path), "has no check()")
    end)

    it("refuses a missing file, naming an example of a similar name", function()
      refuses("run /nonexistent/scene.lua", "/nonexistent/scene.lua: No such file")
      refuses("run pyramyd", "pyramyd: No such file or directory (did you mean 'pyramid'?)")
    end)

    it("refuses a folder", function()
      refuses("run /tmp", "/tmp: Is a directory")
    end)

    it("refuses a trace that cannot be written, before the first step", function()
      local path = write(scene_text("function scene.update() print 'stepped' end"))
      for _, trace in ipairs { "/nonexistent/t.csv", "/nonexistent/t.jsonl" } do
        local code, out, err = impel(("run %s --trace %s"):format(path, trace))
        assert.same({ 2, "" }, { code, out })
        assert.truthy(err:find(trace, 1, true))
        assert.falsy(err:find("stepped", 1, true))
      end
      refuses(("run %s --trace out.txt"):format(path), "trace 'out.txt': a name ending in .csv or .jsonl expected")
    end)
  end)

  describe("on a bad scene", function()
    -- Check for exit code 3 and a message that names the file.
    local function fails(text, message, arguments)
      local path = write(text)
      local code, out, err = impel(("run %s %s"):format(path, arguments or "--steps 2"))
      assert.equal(3, code, err)
      assert.equal("", out)
      assert.truthy(err:find(path, 1, true), err)
      assert.truthy(err:find(message, 1, true), err)
      return err
    end

    it("names file and line of a syntax error", function()
      local err = fails("local scene = {\nlocal x", "unexpected symbol")
      assert.truthy(err:find(":2:", 1, true))
    end)

    it("names missing and unknown fields of the scene table", function()
      fails("return {}", "scene.setup: function expected, got nil")
      fails("", "returns its scene table, got nothing")
      fails("return 3", "returns its scene table, got number")
      fails("return { setpu = print }", "bad field 'setpu' in scene (did you mean 'setup'?)")
      fails("return { setup = 3 }", "scene.setup: function expected, got number")
      fails("return { setup = print, duration = -1 }", "scene.duration: seconds >= 0 expected, got -1")
      local function view(text) return ("return { setup = print, view = { %s } }"):format(text) end
      fails(view "heigth = 3", "bad field 'heigth' in scene.view (did you mean 'height'?)")
      fails(view "3", "bad field '1' in scene.view")
      fails(view "x = 0 / 0", "scene.view.x: finite number up to 1e9 m expected, got nan")
      fails(view "y = 'up'", 'scene.view.y: finite number up to 1e9 m expected, got "up"')
      fails(view "y = -1 / 0", "scene.view.y: finite number up to 1e9 m expected, got -inf")
      fails(view "height = 0", "scene.view.height: number > 0 up to 1e9 m expected, got 0")
      fails(view "x = 1e308", "scene.view.x: finite number up to 1e9 m expected, got 1e+308")
      fails("return { format = 'impel.world', version = 1, view = { y = -1e10 } }",
        "scene.view.y: finite number up to 1e9 m expected, got -1e+10")
      assert.equal(0, (impel("run - --steps 0", scene_text("scene.view = { x = -1, height = 2 }"))))
    end)

    it("shortens a scene's long names, and suggests no names for them", function()
      local long, short = "[('x'):rep(1 << 20)]", ("x"):rep(40) .. "..."
      for text, message in pairs {
        ["%s = 1"] = "bad field '%s' in scene", ["view = { %s = 1 }"] = "bad field '%s' in scene.view",
        ["units = { %s = 1 }"] = "got %s = number", ["checks = { %s = 1 }"] = "got %s = number",
        ["params = { %s = 'a' }"] = "params.%s: a number or boolean as default expected, got string",
        ["params = { a = { 1, %s = 1 } }"] = "bad field '%s' in params.a",
      } do
        local err = fails(("return { setup = print, %s }"):format(text:gsub("%%s", function() return long end)),
          message:format(short))
        assert.is_true(#err < 300)
      end
      fails(("return { format = 'impel.world', version = 1, %s = 1 }"):format(long),
        ("bad field '%s' in the data"):format(short))
    end)

    it("names a parameter whose description is wrong", function()
      local function params(text) return ("return { setup = print, params = { %s } }"):format(text) end
      fails(params "k = { 1, mni = 0 }", "bad field 'mni' in params.k (did you mean 'min'?)")
      fails(params "k = {}", "params.k: a number or boolean as default expected, got nil")
      fails(params "k = 'fast'", "params.k: a number or boolean as default expected, got string")
      fails(params "k = { 7, max = 5 }", "params.k: default: '7' is out of range -inf..5")
      fails(params "k = { true, min = 0 }", "params.k: min: number expected")
      fails(params "k = { 1, max = 0 / 0 }", "params.k: max: number expected, got nan")
      fails(params "k = { 1, help = {} }", "params.k: help: string expected, got table")
      fails(params "4", "params: names expected")
    end)

    it("names the parameter that setup misspells, at its line", function()
      local err = fails(scene_text("", "print(p.sped)"), "unknown param 'sped' (did you mean 'speed'?)")
      assert.truthy(err:find(":8:", 1, true), err)
    end)

    it("reports that setup returned no world", function()
      fails("return { setup = function() end }", "setup: a table { world = world, ... } expected, got nil")
      fails("return { setup = function() return {} end }", "got a table whose world is nil")
    end)

    it("names file and line of an error in any of its functions", function()
      fails(scene_text("", "error 'in setup'"), "in setup")
      fails(scene_text("function scene.update() error 'in update' end"), "in update")
      fails(scene_text("function scene.substep() error 'in substep' end"), "in substep")
      fails(scene_text("function scene.check() error 'in check' end"), "in check", "--check --steps 1")
      local trace = temporary(".csv")
      fails(scene_text("function scene.measure() error 'in measure' end"), "in measure", "--trace " .. trace)
      fails(scene_text("function scene.measure() return { y = {} } end"), "column 'y'", "--trace " .. trace)
      fails(scene_text("function scene.measure() return 3 end"), "measure: table expected", "--trace " .. trace)
      fails(scene_text("function scene.check() end"), "check: true or false expected, got nothing", "--check")
    end)

    it("prints a traceback with -v only", function()
      local text = scene_text("function scene.update() error 'in update' end")
      assert.falsy(fails(text, "in update"):find("traceback", 1, true))
      assert.truthy(fails(text, "in update", "-v"):find("traceback", 1, true))
    end)

    it("names file and function of an error without a position", function()
      for _, case in ipairs {
        { "error()", "error(nil)" },
        { "error({})", "the error is a table without __tostring" },
        { "error(print)", "the error is a function without __tostring" },
        { "error(setmetatable({}, { __tostring = error }))", "the error is a table whose __tostring raises" },
        { "error(setmetatable({}, { __tostring = function() return 'mine' end }))", "mine" },
        { "error('mine', 0)", "mine" },
      } do
        local raise, text = table.unpack(case)
        fails(scene_text("", raise), ".lua: setup: " .. text)
        fails(scene_text(("function scene.measure() %s end"):format(raise)), ".lua: measure: " .. text,
          "--trace " .. temporary(".csv"))
        fails(scene_text(("function scene.check() %s end"):format(raise)), ".lua: check: " .. text, "--check --steps 0")
        fails(scene_text(("function scene.update() %s end"):format(raise)), ".lua: update: " .. text)
        fails(scene_text(("function scene.substep() %s end"):format(raise)), ".lua: substep: " .. text)
        fails(scene_text("", ("world:on('step', function() %s end)"):format(raise)), ".lua: step: " .. text)
      end
      fails("error({})", ".lua: the error is a table without __tostring")
    end)

    it("reports that the scene replaced the run's world", function()
      local replace = 's.world = require "impel".world {}'
      local expected = "s.world was replaced, but the run keeps the world that setup returned"
      fails(scene_text(("function scene.update(s) %s end"):format(replace)), "update: " .. expected)
      local text = scene_text(("function scene.draw(s) %s end"):format(replace))
      fails(text, "draw: " .. expected, "--steps 2 --svg " .. temporary(".svg"))
    end)

    it("reports that a picture changed the world", function()
      for _, change in ipairs { "s.world:step()", "s.world:random()", "s.world:body {}", "s.world:set_gravity(1, 2)",
        "s.ball:set_velocity(1, 2)", "s.ball:apply_impulse(1, 2)" } do
        local text = scene_text(("function scene.draw(s) %s end"):format(change))
        fails(text, "draw: the world was changed while a picture was drawn", "--steps 2 --svg " .. temporary(".svg"))
      end
      local text = scene_text("function scene.camera(s) s.world:random() return { x = 1 } end")
      fails(text, "camera: the world was changed while a picture was drawn", "--steps 2 --svg " .. temporary(".svg"))
    end)

    it("reports that the scene destroyed its own world", function()
      fails(scene_text("", "world:destroy()"), "setup: a table { world = world, ... } expected")
      local text = scene_text("function scene.measure(s) s.world:destroy() return {} end")
      fails(text, "measure: the scene destroyed its own world", "--trace " .. temporary(".csv"))
      text = scene_text("function scene.measure(s) if s.world.tick == 2 then s.world:destroy() end return {} end")
      fails(text, "measure: the scene destroyed its own world", "--steps 2 --trace " .. temporary(".csv"))
      text = scene_text("function scene.check(s) s.world:destroy() return true end")
      fails(text, "check: the scene destroyed its own world", "--check -v")
      text = scene_text("function scene.draw(s) s.world:destroy() end")
      fails(text, "draw: the scene destroyed its own world", "--steps 2 --svg " .. temporary(".svg"))
      fails(scene_text("function scene.update(s) s.world:destroy() end"), "world:destroy")
      fails(scene_text("function scene.substep(s) s.world:destroy() end"), "world:destroy")
    end)

    it("reports that the name of a measure has control characters", function()
      fails(scene_text("function scene.measure() return { ['a\\27[2Jb'] = 1 } end"),
        "measure: a measure's name has control characters: 'a\\x1B[2Jb'", "--steps 2 --trace " .. temporary(".csv"))
      fails(scene_text("function scene.measure() return { ['a\\u{9b}2J'] = 1 } end"),
        "measure: a measure's name has control characters: 'a\\xC2\\x9B2J'", "--steps 2 --trace " .. temporary(".csv"))
      fails(scene_text("function scene.measure() return { ['a\\x9b2J'] = 1 } end"),
        "measure: a measure's name is not UTF-8: 'a\\x9B2J'", "--steps 2 --trace " .. temporary(".jsonl"))
    end)

    it("refuses a table as a world, and reports a raised table as the scene's error", function()
      fails("return { setup = function() return { world = { tick = 1 } } end }", "got a table whose world is table")
      local strict = "setmetatable({ %s }, { __index = function() error 'strict' end })"
      fails("return " .. strict:format("setup = print"), ":1: strict")
      fails(("return { setup = function() return %s end }"):format(strict:format("")), ":1: strict")
      fails("return setmetatable({}, { __pairs = function() error({}) end })", "the error is a table")
      fails(scene_text("function scene.check() return false, setmetatable({}, { __tostring = error }) end"), "check: ",
        "--check --steps 0")
    end)

    local ENDLESS = "setmetatable({}, { __pairs = function() return function() return 'a', 1 end end })"
    local BACK = [[
      local kept
      function scene.update(s)
        kept = kept or s.world:snapshot()
        s.world:restore(kept)
      end
      function scene.check() return true end]]

    it("reports an endless loop, in tests, sweeps and a sandbox too", function()
      local cases = {
        { "return " .. ENDLESS, "the __pairs of a table gives more than 100000 fields" },
        { scene_text("scene.checks = " .. ENDLESS), "the __pairs of a table gives more than 100000 fields" },
        { scene_text(("function scene.measure() return %s end"):format(ENDLESS)),
          "measure: the __pairs of a table gives more than 100000 fields", "--trace " .. temporary(".csv") },
        { scene_text(BACK), "the run does not advance: step 1 was computed 1001 times", "--steps 30" },
      }
      for _, case in ipairs(cases) do
        local text, message, options = table.unpack(case)
        fails(text, message, options)
        fails(text, message, (options or "") .. " --sandbox")
        if text:find "update" then
          local path = write(text)
          local code, out = impel("test " .. path)
          assert.equal(1, code)
          assert.truthy(out:find(message, 1, true), out)
          code, out = impel("sweep " .. path)
          assert.equal(0, code)
          assert.truthy(out:find("error,[^\n]*the run does not advance"), out)
        end
      end
      fails(scene_text [[
        local kept
        function scene.update(s)
          if s.world.tick == 3 then kept = kept or s.world:snapshot() end
          if s.world.tick == 7 then s.world:restore(kept) end
        end]], "none of the last 10000 steps got beyond step 7 of 30 (the scene restores an older state)", "--steps 30")
    end)

    it("survives a scene that breaks the metatable of strings", function()
      fails(scene_text [[
        function scene.update()
          debug.setmetatable("", { __index = function() error "no strings" end })
        end]], "no strings (the script has changed the metatable of strings)")
    end)

    it("lets a scene loop without end in an interactive run", function()
      local scenes, runner = require "impel.scene", require "impel.scene.run"
      local run = assert(runner.new(assert(scenes.parse(scene_text(BACK), "=back", {})), {}))
      for _ = 1, 1100 do assert.is_true(run:step()) end
      assert.is_false(run:done())
      assert.is_nil(run:step())
    end)

    it("attributes an error in a scene's hook to the scene", function()
      local hook = "debug.sethook(function() error 'in a hook' end, '%s', 1)"
      for _, mask in ipairs { "", "l", "c", "r" } do
        fails(scene_text(("function scene.update() %s end"):format(hook:format(mask))), "in a hook")
      end
      local code, _, err = impel("run " .. write(scene_text("", [[
        local count = 0
        local function hook()
          count = count + 1
          assert(debug.getinfo(2, "S").source == debug.getinfo(1, "S").source)
        end
        debug.sethook(hook, "l")
        ball.name = "b"
        assert(debug.gethook() == hook)
        debug.sethook()
        assert(debug.gethook() == nil and count == 3, count)
      ]])))
      assert.equal(0, code, err)
    end)

    it("names a scene that overflows the stack or runs out of memory", function()
      fails(scene_text("", "local function f() return 1 + f() end f()"), "stack overflow")
      local limit = "ulimit -v 500000 2>/dev/null &&" -- [KiB]
      local path = write(scene_text("function scene.update() string.rep('x', 1 << 30) end"))
      -- Skip the test if the system cannot set the limit, or if a sanitizer maps more memory than the limit.
      if impel("list", nil, limit) ~= 0 then return end
      local code, _, err = impel("run " .. path, nil, limit)
      assert.equal(3, code)
      assert.equal(("impel: %s: update: not enough memory\n"):format(path), err)
    end)

    it("does not take a scene's own message for a divergence", function()
      fails(scene_text("function scene.update() error 'non-finite' end"), "non-finite")
    end)

    it("refuses a binary chunk", function()
      fails(string.dump(function() return {} end), "binary chunk")
    end)
  end)

  it("exits with code 4 and names step and body when the state becomes non-finite", function()
    local path = write(scene_text("function scene.update(s) s.ball:apply_force(1e14, 0) end"))
    local code, out, err = impel("run " .. path)
    assert.same({ 4, "" }, { code, out })
    assert.truthy(err:find("diverged at step %d+: body %d+ 'ball' in stage 'integrate', t = [%d.]+ s\n"), err)
    code, out = impel("run --json " .. path)
    assert.equal(4, code)
    assert.truthy(out:find('"diverged":{"body":"body %d+ \'ball\'","stage":"integrate","step":%d+,"time":'), out)
  end)

  it("exits with code 130 on SIGINT, with a complete trace up to the interrupted step", function()
    local trace = temporary(".csv")
    -- The scene interrupts its own process.
    local path = write(scene_text([[
      function scene.update(s)
        s.steps = s.steps + 1
        if s.steps == 5 then io.popen("kill -INT $PPID"):close() end
      end]]))
    local code, out, err = impel(("run %s --steps 100000 --trace %s"):format(path, trace))
    assert.equal(130, code)
    assert.equal("", out)
    assert.equal(("impel: stopping; press Ctrl-C again to stop at once\nimpel: interrupted after step 5 of 100000\n"
      .. "impel: %s contains the rows up to this step\n"):format(trace), err)
    assert.equal(1 + 1 + 5, count_lines(read(trace)))
  end)

  it("ends at once on a second SIGINT, also if Lua loops forever", function()
    local interrupt = 'io.popen("kill -INT $PPID"):close()'
    local path = write(scene_text("", interrupt .. " " .. interrupt .. " while true do end"))
    -- `timeout` turns a deadlock into a failure.
    local limit = os.execute("command -v timeout >/dev/null") and "timeout -s KILL 20" or nil
    local code, _, err = impel("run " .. path, nil, limit)
    assert.equal(130, code)
    assert.truthy(err:find("impel: stopping; press Ctrl-C again to stop at once\n", 1, true), err)
  end)

  it("runs in the locale C under a host with another locale, and restores the host's", function()
    if not os.setlocale "C.UTF-8" then return pending "only the locale C here" end
    local seen
    local host = { interrupted = function() seen = os.setlocale() end }
    local code = require("impel.cli").main({ "run", write(scene_text("")), "-q", "--steps", "1" }, host)
    local after = os.setlocale()
    os.setlocale "C"
    assert.same({ 0, "C", "C.UTF-8" }, { code, seen, after })
  end)

  it("lists the examples with their titles", function()
    local code, out, err = impel("list")
    assert.same({ 0, "" }, { code, err })
    assert.truthy(("\n" .. out):find("\npyramid +%a"))
    local _, verbose = impel("list -v")
    assert.truthy(#verbose > #out)
  end)

  it("finds an example by its name from any folder", function()
    assert.truthy(os.execute(("cd / && %s run pyramid -q --steps 1"):format(quote(program))))
    local code, _, err = impel("run pyramdi")
    assert.equal(2, code)
    assert.truthy(err:find("did you mean 'pyramid'?", 1, true))
  end)

  it("prints help and version on stdout", function()
    local code, out = impel("--help")
    assert.equal(0, code)
    assert.truthy(out:find("run", 1, true))
    code, out = impel("--version")
    assert.equal(0, code)
    assert.truthy(out:find("^impel %d+%.%d+%.%d+\n$"))
    code, out = impel("run --help")
    assert.equal(0, code)
    assert.truthy(out:find("%-%-trace OUT"))
    for words, same in pairs { ["help"] = "--help", ["help run"] = "run --help" } do
      assert.same({ impel(same) }, { impel(words) })
    end
    assert.equal(2, (impel "help nothing"))
  end)

  it("saves the world at the end as a scene file", function()
    local path = temporary(".lua")
    local code, out, err = impel(("run %s --steps 7 --save %s"):format(write(scene_text()), path))
    assert.equal(0, code, err)
    assert.truthy(out:find("saved +" .. path))
    local _, hash = impel(("run %s --steps 7 --hash"):format(write(scene_text())))
    local _, again = impel(("run %s --steps 0 --hash"):format(path))
    assert.equal(hash, again) -- a data file omits contacts and impulses; the ball has none
    code, _, err = impel(("run bead_on_wire --steps 1 -q --save %s"):format(path))
    assert.equal(0, code)
    assert.truthy(err:find("does not contain constraint ", 1, true), err)
    assert.equal(2, (impel("run pendulum --steps 1 --save /no/such/folder/x.lua")))
    assert.equal(2, (impel("run pendulum --steps 1 --save /no/such/folder/x.imp")))
    for _, names in ipairs { "--save x.imp --record x.imp", "--trace x.csv --save x.csv", "--save -", "--record -" } do
      assert.equal(2, (impel("run pendulum --steps 1 " .. names)))
    end
    local scene = write(scene_text())
    assert.equal(2, (impel(("run %s --steps 1 --save %s"):format(scene, scene))))
  end)

  it("reports that standard output is full", function()
    if not io.open("/dev/full") then return end -- the device exists on Linux only
    local _, _, code = os.execute(("%s run %s --steps 1 >/dev/full 2>/dev/null"):format(quote(program),
      write(scene_text())))
    assert.equal(5, code)
  end)
end)
