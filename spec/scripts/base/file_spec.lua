-- impel.file: a scene finds the same files from any working directory, under every command and in a sandbox. If a file
-- cannot be read, the error has its name and the reason.

local find = require "impel.cli.find"
local impel = require "impel"
local viewer = require "impel.viewer"

local fake = require "support.viewer_fake"
local program = require "support.program"

local quote = program.quote

local function line_of(command)
  local pipe = assert(io.popen(command, "r"))
  local line = pipe:read "l"
  pipe:close()
  return line
end

-- A scene with height and gravity from files. The body comes from a module in another folder, which has files of the
-- same names.
local SCENE = [[
local impel = require "impel"
local parts = require "parts.ball"
local scene = { duration = 0.25, params = { extra = { 0.0, min = 0, max = 9 } } }
function scene.setup(p)
  local level = impel.file.data "levels/first.json"
  local world = impel.world { gravity = { 0, impel.file.data("levels/pull.lua").gravity } }
  return { world = world, ball = parts.ball(world, level.height + p.extra), rows = impel.file.text "map.txt" }
end
function scene.measure(s)
  local _, y = s.ball:position()
  return { y = y, rows = #s.rows }
end
function scene.check(s) return #impel.file.text "map.txt" == 8, "another map" end
function scene.score(s) return #s.rows end
return scene
]]

local MODULE = [[
local file = require "impel.file"
local parts = {}
function parts.ball(world, y)
  local ball = world:body { position = { 0, y } }
  ball:circle { radius = file.data("levels/first.json").radius }
  return ball
end
return parts
]]

describe("impel.file", function()
  local top, games

  setup(function()
    top = line_of "mktemp -d"
    games = top .. "/games"
    assert(os.execute(("mkdir -p %s/parts/levels %s/levels %s/elsewhere/levels"):format(games, games, top)))
    program.put(games .. "/ball.lua", SCENE)
    program.put(games .. "/parts/ball.lua", MODULE)
    program.put(games .. "/levels/first.json", '{ "height": 3, "radius": 0.5 }')
    program.put(games .. "/levels/pull.lua", "return { gravity = -4 * 2 }")
    program.put(games .. "/map.txt", "###\n..#\n")
    program.put(games .. "/ship.png", "\137PNG\r\n")
    for _, wrong in ipairs { games .. "/parts", top .. "/elsewhere" } do
      program.put(wrong .. "/levels/first.json", '{ "height": 7, "radius": 0.7 }')
      program.put(wrong .. "/map.txt", "wrong")
    end
    program.put(top .. "/secret.txt", "secret")
    assert(os.execute(("ln -s ../secret.txt %s/link.txt && ln -s %s %s/linked && mkfifo %s/pipe.txt"):format(games,
      top .. "/elsewhere", games, games)))
  end)

  teardown(function()
    program.clean()
    os.execute("rm -rf " .. quote(top))
  end)

  local function run(folder, words)
    local code, out, err = program.run(words, nil, ("cd %s &&"):format(quote(folder)))
    assert.equal(0, code, err)
    return out, err
  end

  -- Return working directories, and the path of the scene from each directory.
  local function places()
    return { { games, "ball.lua" }, { games, "./ball.lua" }, { games .. "/levels", "../ball.lua" },
      { top, "games/ball.lua" }, { top .. "/elsewhere", "../games/ball.lua" },
      { top .. "/elsewhere", games .. "/ball.lua" } }
  end

  -- A fall of 0.25 s from 3 m under 8 m/s^2, with all parameters from the files.
  it("gives the same file in any working directory, in a sandbox too", function()
    local expected
    for _, place in ipairs(places()) do
      for _, option in ipairs { "", "--sandbox" } do
        local out = run(place[1], ("run %s --quiet --check --hash %s"):format(place[2], option))
        expected = expected or out
        assert.equal(expected, out)
      end
    end
    local scene = assert(impel.scene.load(games .. "/ball.lua"))
    local state, world = assert(scene:setup(scene:values {}))
    world:step(15)
    local y = scene.definition.measure(state).y
    -- There are 60 substeps of 1/240 s. Gravity changes the velocity first, so y = 3 - g h^2 (1 + 2 + ... + 60).
    assert.is_near(3 - 8 * (1 / 240) ^ 2 * 60 * 61 / 2, y, 1e-12)
  end)

  it("gives the same file in the worker processes of sweep, test and tune", function()
    for _, place in ipairs(places()) do
      local rows = run(place[1], ("sweep --grid extra=0,1 -j 2 --quiet %s"):format(place[2]))
      local _, eights = rows:gsub(",0.25,8,", "")
      assert.equal(2, eights, rows)
      assert.is_truthy(run(place[1], "test " .. place[2]):find "\nok 1 ")
      local _, told = run(place[1], ("tune %s --param extra=0:1 --budget 4 --seed 1 --quiet"):format(place[2]))
      assert.is_truthy(told:find "score 8, ", told)
    end
  end)

  it("makes the viewer set up the scene again when a file that the scene read is saved", function()
    local window, clock = fake.window(), fake.clock()
    local v = assert(viewer.new({ kind = require("impel.system").kind, examples = "examples" }, {
      file = games .. "/ball.lua", window = window, clock = clock.read, sleep = clock.sleep, settings = false,
      paused = true, find = function(name, opened)
        return find.loader({}, { file = name, opened = opened }, { clear = function() end })
      end,
    }))
    local first = v.run
    for _ = 1, 30 do v:frame() end
    assert.equal(first, v.run)
    program.put(games .. "/levels/first.json", '{ "height": 4, "radius": 0.5 }')
    for _ = 1, 30 do v:frame() end
    assert.are_not.equal(first, v.run)
    assert.equal(4, select(2, v.run.state.ball:position()))
    v:close()
    program.put(games .. "/levels/first.json", '{ "height": 3, "radius": 0.5 }')
  end)

  -- Return the results or errors of calls, a line each. The setup of a scene makes the calls, outside or in a sandbox.
  local function tell(calls, options)
    local path, lines = games .. "/told.lua", {}
    for i, call in ipairs(calls) do
      lines[i] = ("print(select(2, pcall(function() local x = %s return x end)))"):format(call)
    end
    program.put(path, ([[
      local file = require "impel.file"
      return { duration = 0, setup = function()
        %s
        return { world = require "impel".world {} }
      end }]]):format(table.concat(lines, "\n")))
    local code, _, err = program.run(("run %s --quiet %s"):format(quote(path), options or ""))
    assert.equal(0, code, err)
    local told = {}
    for line in err:gmatch "[^\n]+" do
      if not line:find "^sandbox: " then told[#told + 1] = line end
    end
    assert.equal(#calls, #told, err)
    return told
  end

  it("returns an absolute path, which is accepted as an argument again", function()
    for _, options in ipairs { "", "--sandbox" } do
      local told = tell({ "file(file 'ship.png')", "file './map.txt'", "file.find 'levels/first.json'" }, options)
      assert.same({ games .. "/ship.png", games .. "/map.txt", games .. "/levels/first.json" }, told)
    end
  end)

  it("reports an unreadable file with its name and the reason", function()
    program.put(games .. "/bad.json", '{ "height": 3,\n "radius": one }')
    program.put(games .. "/bad.lua", "return { x = os.exit() }")
    assert(os.execute(("truncate -s 70000000 %s/long.txt"):format(games)))
    local cases = {
      { "file 'ship.pgn'", "impel.file: 'ship.pgn' not found in 'GAMES' (did you mean 'ship.png'?)", "not found in" },
      { "file 'levels/frist.json'",
        "impel.file: 'levels/frist.json' not found in 'GAMES/levels' (did you mean 'first.json'?)", "not found in" },
      { "file 'levels'", "impel.file: 'GAMES/levels': Is a directory" },
      { "file 'pipe.txt'", "impel.file: 'GAMES/pipe.txt': a device or a pipe, not a regular file" },
      { "file.text 'nothing.txt'", "impel.file.text: 'nothing.txt' not found in 'GAMES'" },
      { "file.text 'long.txt'", "impel.file.text: 'GAMES/long.txt': larger than the limit (64 MB)",
        "larger than the limit (8 MB)" },
      { "file.data 'bad.json'", "impel.file.data: GAMES/bad.json: line 2, column 12: " },
      { "file.data 'bad.lua'", "impel.file.data: GAMES/bad.lua:1: 'os' is not allowed in data" },
      { "file.data 'map.txt'", "impel.file.data: 'map.txt': a name that ends in .json or .lua expected" },
      { "file ''", "impel.file: argument 'name' must be a file name: 1 to 4096 bytes long" },
      { "file 'a\\0b'", "impel.file: argument 'name' must be a file name: 1 to 4096 bytes long" },
      { "file(('x'):rep(5000))", "impel.file: argument 'name' must be a file name: 1 to 4096 bytes long" },
      { "file(7)", "impel.file: argument 'name' must be a string, got 7" },
    }
    local calls = {}
    for i, case in ipairs(cases) do calls[i] = case[1] end
    for _, options in ipairs { "", "--sandbox" } do
      for i, told in ipairs(tell(calls, options)) do
        local wanted = options ~= "" and cases[i][3] or cases[i][2]
        assert.is_truthy(told:find(wanted:gsub("GAMES", games), 1, true), ("%s: %s"):format(wanted, told))
        assert.is_truthy(told:find(("told.lua:%d: "):format(i + 2), 1, true), told)
      end
    end
    assert(os.remove(games .. "/long.txt"))
  end)

  it("reports that it has no permission to read a file", function()
    if line_of "id -u" == "0" then return end -- root can read every file
    program.put(games .. "/locked.txt", "locked")
    assert(os.execute(("chmod 0 %s/locked.txt"):format(games)))
    assert.is_truthy(tell({ "file.text 'locked.txt'" })[1]:find("locked.txt': Permission denied", 1, true))
  end)

  it("opens files outside of the folder; a sandbox refuses them without saying whether they exist", function()
    assert.same({ "secret", "secret" }, tell { "file.text '../secret.txt'", "file.text 'link.txt'" })
    local calls = {}
    for _, name in ipairs { "../secret.txt", "../nothing.txt", "levels/../../secret.txt", "link.txt", "linked/map.txt",
      "linked/nothing.txt", top .. "/secret.txt", "/nothing.txt", "/etc/hosts.txt" } do
      calls[#calls + 1] = ("file '%s'"):format(name)
      calls[#calls + 1] = ("file.text '%s'"):format(name)
    end
    for _, told in ipairs(tell(calls, "--sandbox")) do
      assert.is_truthy(told:find("': outside of the scene's folder; a sandbox reads only files in it", 1, true), told)
    end
  end)

  it("accepts only a few file endings in a sandbox", function()
    program.put(games .. "/odd.key", "key")
    local there, missing = table.unpack(tell({ "file 'odd.key'", "file 'even.key'" }, "--sandbox"))
    local endings = "a sandbox reads *.lua, *.csv, *.json, *.jsonl, *.txt, *.png, *.wav, *.ogg, *.ttf, *.otf"
    assert.is_truthy(there:find(endings, 1, true), there)
    assert.is_truthy(missing:find("'even.key' not found", 1, true), missing)
  end)

  it("returns nil and a message from find for a missing file", function()
    local path, message = impel.file.find "none.json"
    assert.is_nil(path)
    assert.is_truthy(message:find("^'none.json' not found in '/.*/spec/scripts/base'$"), message)
    assert.matches("/spec/scripts/base'$", select(2, impel.file.find "x"))
  end)

  -- Two scenes in one process each find their own files.
  it("resolves names against the calling scene", function()
    local other = top .. "/elsewhere"
    local text = [[
      local impel = require "impel"
      return { setup = function() return { world = impel.world {}, map = impel.file.text "map.txt" } end }]]
    program.put(games .. "/one.lua", text)
    program.put(other .. "/two.lua", text)
    local one, two = assert(impel.scene.load(games .. "/one.lua")), assert(impel.scene.load(other .. "/two.lua"))
    assert.equal("###\n..#\n", one:setup(one:values {}).map)
    assert.equal("wrong", two:setup(two:values {}).map)
    assert.equal("###\n..#\n", one:setup(one:values {}).map)
  end)

  it("resolves names beside the calling script in plain Lua, and in the working directory for -e", function()
    program.put(games .. "/plain.lua", 'local impel = require "impel"\nprint(#impel.file.text "map.txt")')
    local here = line_of "pwd"
    local words = ("cd %%s && LUA_PATH='%s/scripts/?.lua;%s/scripts/?/init.lua;;' LUA_CPATH='%s;;' lua5.4 %%s"):format(
      here, here, (package.cpath:match "[^;]*impel[^;]*" or package.cpath:match "[^;]*lua/%?%.so"):gsub("^%f[^/\0]",
        here .. "/"))
    assert.equal("8", line_of(words:format(top .. "/elsewhere", "../games/plain.lua")))
    assert.equal("8", line_of(words:format(games, "plain.lua")))
    assert.equal("5", line_of(words:format(top .. "/elsewhere", [[-e 'print(#require("impel").file.text "map.txt")']])))
  end)
end)
