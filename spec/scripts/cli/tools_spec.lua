-- Command-line tools: impel -e, new, list, completion, scenes as programs and from pipes.

local shared = require "support.program"
local quote, read, program = shared.quote, shared.read, shared.path

local folder -- working directory of the current case

-- Run a command in the folder, with the program on the path. Return exit code, stdout, stderr.
local function shell(command, input)
  local out, err, from = os.tmpname(), os.tmpname(), os.tmpname()
  local file = assert(io.open(from, "wb"))
  file:write(input or "")
  file:close()
  local path = program:match "^(.*)/[^/]*$"
  local _, _, code = os.execute(("cd %s && PATH=%s:$PATH && { %s; } <%s >%s 2>%s"):format(quote(folder), quote(path),
    command, from, out, err))
  local text, told = read(out), read(err)
  for _, name in ipairs { out, err, from } do os.remove(name) end
  return code, text, told
end

local function write(name, text) shared.put(folder .. "/" .. name, text) end

local function refuses(command, message, code)
  local got, out, err = shell(command)
  assert.equal(code or 2, got, err)
  assert.equal("", out)
  assert.truthy(err:find(message, 1, true), err)
end

local SCENE = [[
local impel = require "impel"
return { title = "piped", duration = 0.1, params = { speed = 1.0 }, setup = function(p)
  local world = impel.world {}
  world:body { velocity = { p.speed, 0 } }
  return { world = world }
end, check = function(s) return s.world.tick > 0 end }
]]

describe("impel", function()
  before_each(function()
    folder = os.tmpname()
    os.remove(folder)
    assert(os.execute("mkdir " .. quote(folder)))
  end)
  after_each(function() os.execute("rm -r " .. quote(folder)) end)

  describe("-e", function()
    it("stops on SIGINT", function()
      local interrupt = 'io.popen("kill -INT $PPID"):close() while true do end'
      local code, _, err = shared.run(("-e '%s'"):format(interrupt), nil, "timeout -s KILL 20")
      assert.equal(130, code)
      assert.truthy(err:find("stopping", 1, true))
    end)

    it("prints the value of an expression as data", function()
      assert.same({ 0, "0.33333333333333\n", "" }, { shell "impel -e 1/3" })
      assert.same({ 0, "a b\t2\n", "" }, { shell "impel -e '\"a b\", 2'" })
      assert.same({ 0, "{ 1, a = { 2 } }\n", "" }, { shell "impel -e '{ 1, a = { 2 } }'" })
      assert.same({ 0, "", "" }, { shell "impel -e 'x = 1'" })
      assert.same({ 0, "nil\n", "" }, { shell "impel -e 'x'" })
    end)

    it("sees the globals of a scene", function()
      local _, version = shell "impel --version"
      assert.same({ 0, version:match "%S+\n$", "" }, { shell "impel -e impel.version" })
      assert.same({ 0, "a\nb\nc\n", "" },
        { shell "impel -e 'for k in pairs { c = 1, a = 2, b = 3 } do print(k) end'" })
      assert.equal(select(2, shell "impel -e 'math.random()'"), select(2, shell "impel -e 'math.random()'"))
      assert.same({ 0, "0.5\n", "" },
        { shell "impel -e 'local w = impel.world { dt = 0.5 } w:step(1) print(w.time)'" })
    end)

    it("is accepted several times, with arguments after it", function()
      assert.same({ 0, "5\n", "" }, { shell "impel -e 'x = 2' -e 'x + 3'" })
      assert.same({ 0, "u\tv w\n2\n", "" }, { shell "impel -e ... -e '#arg' u 'v w'" })
      assert.same({ 0, "-x\n", "" }, { shell "impel -e ... -- -x" })
    end)

    it("exits with code 3 and prints the line of an error", function()
      refuses("impel -e 'x.y'", "(command line):1: attempt to index a nil value (global 'x')", 3)
      refuses("impel -e '1 +'", "(command line):1: unexpected symbol near <eof>", 3)
      refuses("impel -e 'error {}'", "without __tostring", 3)
      -- Lua has no line for a tail call.
      refuses("impel -e 'impel.load_data { bodies = 3 }'", "impel: (command line): bodies: a list", 3)
      refuses("impel -e 'local t = impel.load_data { bodies = 3 }'", "impel: (command line):1: bodies: a list", 3)
      refuses("impel -e", "option '-e' requires an argument")
      refuses("impel run - -e 1", "-e must come first and cannot be combined with a command")
      assert.truthy(select(3, shell "impel -e 'local function f() error(1) end f()' -v"):find("traceback", 1, true))
      assert.same({ 3, "1\n", "impel: (command line): error(nil)\n" }, { shell "impel -e 1 -e 'error()' -e 2" })
    end)
  end)

  describe("new", function()
    local templates = dofile "scripts/impel/cli/new.lua".templates

    -- Return options of `impel run` with which the template's check fails. If the template has a recording of input,
    -- copy the recording to mine.rec.
    local function play(name)
      local recording = ("examples/games/%s.rec"):format(name)
      if not io.open(recording) then return "--steps 3" end
      write("mine.rec", read(recording))
      return "--input mine.rec --steps 300"
    end

    it("writes each template as a scene that passes its check and repeats", function()
      for _, name in ipairs(templates) do
        local code, out, err = shell(("impel new my_%s --template %s"):format(name, name))
        assert.same({ 0, "" }, { code, err })
        assert.truthy(out:find(("wrote my_%s.lua"):format(name), 1, true), out)
        code, _, err = shell(("impel run my_%s.lua --check -q"):format(name))
        assert.same({ 0, "" }, { code, err }, name)
        local _, first = shell(("impel run my_%s.lua --hash"):format(name))
        assert.equal(first, select(2, shell(("impel run my_%s.lua --hash"):format(name))))
        code, _, err = shell(("impel run my_%s.lua --check -q %s"):format(name, play(name)))
        assert.equal(1, code, name .. " cannot fail: " .. err)
      end
    end)

    it("writes a head comment with working commands that name the file and its parameters", function()
      for _, name in ipairs(templates) do
        shell(("impel new 'my scene' --template %s"):format(name))
        play(name)
        local text = read(folder .. "/my scene.lua")
        local commands = 0
        for command in text:gmatch "\n%-%-   (impel [^\n]*)" do
          commands = commands + 1
          assert.truthy(command:find("'my scene.lua'", 1, true), command)
          -- Other commands write files or wait for input.
          if command:find "^impel run" then
            local code, _, err = shell(command:gsub("%s+%-%- .*$", ""))
            assert.equal(0, code, command .. ": " .. err)
          end
        end
        assert.truthy(commands >= 3, name)
        os.remove(folder .. "/my scene.lua")
      end
    end)

    it("has scores and ranges for a sweep", function()
      shell "impel new throw --template sweep"
      local scene = assert(require("impel.scene").load(folder .. "/throw.lua"))
      for _, name in ipairs { "angle", "speed" } do
        assert.truthy(scene.params[name].min and scene.params[name].max)
      end
      local function score(angle)
        local run = assert(require("impel.scene.run").new(scene, { set = { angle = angle } }))
        while not run:done() do assert(run:step()) end
        local value = scene.definition.score(run.state)
        run:close()
        return value
      end
      -- At 8 m/s and 45 degrees the ball flies 64 / 9.81 = 6.52 m. The mark is at 8 m. The tolerance is the motion in a
      -- step.
      assert.near(8 - 64 / 9.81, score(45), 0.1)
      assert.truthy(score(45) < score(30))
    end)

    it("writes a pendulum by default, prints the next steps, and lists the templates", function()
      local code, out = shell "impel new swing"
      assert.equal(0, code)
      assert.truthy(out:find("impel run swing.lua --check", 1, true))
      assert.truthy(read(folder .. "/swing.lua"):find("Pendulum", 1, true))
      assert.same({ 0, "", "" }, { shell "impel new quiet.lua -q" })
      assert.truthy(read(folder .. "/quiet.lua"))
      code, out = shell "impel new --list"
      assert.equal(0, code)
      for _, name in ipairs(templates) do assert.truthy(out:find(name .. "  ", 1, true), name) end
    end)

    it("writes the template named like the scene with its sounds and pictures, and overwrites none of them", function()
      local code, out = shell "impel new topdown"
      assert.equal(0, code)
      assert.truthy(out:find("wrote topdown.lua, hit.wav, coin.wav, engine.wav, car.png\n", 1, true), out)
      assert.truthy(out:find("impel play topdown.lua", 1, true))
      assert.equal(read "examples/games/topdown.lua", read(folder .. "/topdown.lua"))
      assert.equal(read "examples/games/car.png", read(folder .. "/car.png"))
      code, out = shell "impel new race --template topdown"
      assert.equal(0, code)
      assert.truthy(out:find("^wrote race.lua\n"), out) -- the other files exist already
      write("car.png", "another")
      refuses("impel new other --template topdown", "car.png exists with different content")
      assert.is_nil(io.open(folder .. "/other.lua"))
    end)

    it("overwrites no files and refuses invalid names", function()
      write("mine.lua", "mine")
      refuses("impel new mine", "mine.lua exists")
      refuses("impel new mine.lua --template rig", "mine.lua exists")
      assert.equal("mine", read(folder .. "/mine.lua"))
      refuses("impel new a/b", "a/b.lua: No such file")
      for _, name in ipairs { "''", "..", ".hidden", "'a*b'", "a/", "'$(x)'", "'a\nb'", "-- -x" } do
        refuses("impel new " .. name, "is not a name for a scene file")
      end
      refuses("impel new", "NAME is missing: name the scene file to write")
      refuses("impel new x --template rgi", "no template 'rgi' (did you mean 'rig'?)")
      assert.same({ 0, "mine.lua\n", "" }, { shell "ls" })
      shell "mkdir sub"
      assert.equal(0, (shell "impel new sub/x -q && impel run sub/x.lua -q --steps 1"))
    end)
  end)

  describe("list", function()
    it("puts the titles in a column", function()
      local code, out = shell "impel list"
      assert.equal(0, code)
      local column
      for line in out:gmatch "[^\n]+" do
        local at = line:match "^[%w_/]+ +()%S"
        column = column or at
        assert.equal(column, at, line)
      end
    end)

    it("filters by a word of name, title or description", function()
      local _, all = shell "impel list"
      local code, out = shell "impel list PENDULUM"
      assert.equal(0, code)
      assert.truthy(out:find("\ndouble_pendulum ") or out:find "^double_pendulum ")
      assert.truthy(#out < #all)
      refuses("impel list pendulm", "(did you mean 'pendulum'?)")
    end)

    it("prints one scene a line as JSON", function()
      local code, out = shell "impel list --json"
      assert.equal(0, code)
      local names = {}
      for line in out:gmatch "[^\n]+" do
        local scene = assert(require("dkjson").decode(line))
        names[scene.name] = scene
      end
      assert.equal(10, names.pendulum.duration)
      assert.equal(90, names.pendulum.params.amplitude.default)
      assert.equal(150, names.pendulum.params.amplitude.max)
    end)
  end)

  describe("--completion", function()
    -- Return the shell's completions of the last word.
    local function offers(name, line)
      local scripts = {
        bash = [[source ./c; COMP_WORDS=(%s %s); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _impel
          printf '%%s\n' "${COMPREPLY[@]}"]],
        fish = [[source ./c; complete -C '%s %s' | sed 's/\t.*//']],
      }
      if not os.execute(("command -v %s >/dev/null 2>&1"):format(name)) then return nil end
      local head, last = line:match "^(.*) (%S*)$"
      if name == "bash" and last == "" then last = "''" end
      write("try", scripts[name]:format(head, last))
      local code, out, err = shell(("impel --completion %s >c && %s ./try"):format(name, name))
      assert.same({ 0, "" }, { code, err }, line)
      return "\n" .. out
    end

    for _, name in ipairs { "bash", "fish" } do
      it("completes in " .. name, function()
        if not offers(name, "impel ") then return pending("no " .. name .. " here") end
        write("paper.lua", "")
        write("page.txt", "")
        local function has(line, ...)
          local out = offers(name, line)
          for _, word in ipairs { ... } do
            assert.truthy(out:find("\n" .. word .. "\n", 1, true), line .. ": " .. out)
          end
          return out
        end
        has("impel r", "run", "repl")
        has("impel run --so", "--solver")
        has("impel run --solver s", "soft", "si", "split")
        has("impel new --template ", "pendulum", "platformer", "rig", "slingshot", "sweep", "topdown")
        has("impel --completion ", "bash", "zsh", "fish")
        has("impel api world", "world", "world_point")
        for _, option in ipairs { "run --trace", "sweep p.lua -o", "sweep --merge", "test --junit",
          "bisect p.lua -o" } do
          has(("impel %s pa"):format(option), "paper.lua", "page.txt")
        end
        for _, command in ipairs { "run", "sweep", "tune", "test", "bisect", "repl", "compare", "doctor" } do
          local out = has(("impel %s p"):format(command), "pendulum", "pyramid", "paper.lua")
          -- Fish also offers page.txt, after all files that end in .lua.
          if name == "bash" then assert.falsy(out:find("page.txt", 1, true), out) end
        end
      end)
    end

    it("is a script that zsh accepts", function()
      if not os.execute "command -v zsh >/dev/null 2>&1" then return pending "no zsh here" end
      assert.same({ 0, "", "" }, { shell "impel --completion zsh >c && zsh -n c && grep -q _impel_scenes c" })
      -- After compinit, the sourced completion registers itself.
      assert.same({ 0, "_impel\n", "" },
        { shell [[zsh -fc 'autoload -U compinit; compinit -u -D; source ./c; print $_comps[impel]']] })
    end)

    it("lists the supported shells", function()
      refuses("impel --completion tcsh", "must be one of 'bash', 'zsh', 'fish'")
    end)
  end)

  describe("a scene as a program", function()
    it("runs as an executable by its #! line, with arguments from that line and from the call", function()
      write("scene.lua", "#!/usr/bin/env -S impel run\n" .. SCENE)
      write("judged.lua", "#!/usr/bin/env -S impel run --check --json\n" .. SCENE)
      assert(os.execute(("chmod +x %s/scene.lua %s/judged.lua"):format(quote(folder), quote(folder))))
      local code, out, err = shell "./scene.lua"
      assert.same({ 0, "" }, { code, err })
      assert.truthy(out:find("steps +6 of"), out)
      code, out = shell "./scene.lua --steps 3 --set speed=2 --hash"
      assert.equal(0, code)
      assert.equal(out, select(2, shell "impel run scene.lua --steps 3 --set speed=2 --hash"))
      code, out = shell "./judged.lua --steps 4"
      assert.equal(0, code)
      assert.truthy(out:find('"check":"passed"', 1, true) and out:find('"steps":4,', 1, true), out)
      assert.equal(1, (shell "./judged.lua --steps 0 -q"))
    end)

    it("names the lines of the file in errors", function()
      write("broken.lua", "#!/usr/bin/env -S impel run\nlocal x\nx.y = 1\n")
      assert(os.execute(("chmod +x %s/broken.lua"):format(quote(folder))))
      refuses("./broken.lua", "broken.lua:3: attempt to index a nil value", 3)
    end)
  end)

  it("is accepted from a pipe by every command that takes a scene", function()
    write("scene.lua", SCENE)
    assert.equal(select(2, shell "impel run scene.lua --hash"), select(2, shell("impel run - --hash", SCENE)))
    for _, command in ipairs { "run - --check", "doctor -", "compare - --solvers soft,si --reference direct" } do
      local code, out, err = shell("impel " .. command, SCENE)
      assert.same({ 0, "" }, { code, err }, command)
      assert.truthy(#out > 0)
      code, _, err = shell("impel " .. command, "return 3")
      assert.equal(3, code)
      assert.truthy(err:find("stdin: a scene file returns its scene table, got number", 1, true), err)
    end
  end)
end)
