-- The session behind impel repl: results of chunks, output, completion by Tab. Also the program at a terminal.

local complete = require "impel.prompt.complete"
local impel = require "impel"
local repl = require "impel.prompt.repl"
local scenes = require "impel.scene"
local show = require "impel.base.show"

local shared = require "support.program"
local quote = shared.quote

local SCENE = [[
local impel = require "impel"
local scene = { title = "ball", params = { speed = { 2.0, min = 0, max = 5 } } }
calls = 0 -- a global variable of the scene's file
function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local ball = world:body { name = "ball", velocity = { p.speed, 0 } }
  ball:circle { radius = 0.5 }
  return { world = world, ball = ball, seed = seed, substeps = 0 }
end
function scene.update(s) calls = calls + 1; if s.stop then error "stop here" end end
function scene.substep(s) s.substeps = s.substeps + 1 end
function scene.measure(s) return { x = s.ball:position() } end
function scene.check(s) local x = s.ball:position(); return x > 1, "not there yet" end
return scene
]]

local function open_text(text)
  return function()
    local scene, message = scenes.parse(text, "=ball.lua")
    if scene then return scene end
    return nil, { kind = "scene", message = message }
  end
end

-- Return a session, and a function that feeds lines. The function returns the output of the last line, or nil and the
-- failure.
local function session_of(options, text)
  local written = {}
  options = options or {}
  options.write = function(...)
    for _, word in ipairs { ... } do written[#written + 1] = word end
  end
  options.file = text and "ball" or nil
  options.find = function(name)
    if name == "ball" then return open_text(text) end
    if name == "other" then return open_text((SCENE:gsub("ball", "other"))) end
    return nil, { kind = "usage", message = "cannot read scene " .. name }
  end
  local session = assert(repl.new(options))
  return session, function(...)
    local state, failure
    for _, line in ipairs { ... } do
      written = {}
      state, failure = session:feed(line)
      if not state then return nil, failure end
    end
    return table.concat(written), state
  end
end

local function refuses(feed, line, message, kind)
  local out, failure = feed(line)
  assert.is_nil(out, line)
  assert.truthy(failure.message:find(message, 1, true), failure.message)
  assert.equal(kind or "scene", failure.kind)
  return failure
end

-- A scene whose state depends on everything that a reload could change: seed, math.random, order of tables, handlers,
-- memory.
local LIVELY = [[
local impel = require "impel"
local scene = { params = { count = { 8, min = 1, max = 20 } } }
local memory = {}
function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  world:body { type = "static" }:box { 20, 1 }
  for i = 1, p.count do
    local ball = world:body { name = "b" .. i, position = { math.random() * 4, 1 + i } }
    ball:circle { radius = 0.2 + 0.2 * math.random(), restitution = 0.5 }
    memory[ball.name] = ball
  end
  world:on("begin_contact", function(e) e.body_b:apply_impulse(0.01 * world:random(), 0) end)
  return { world = world }
end
function scene.update(s, dt)
  for name, ball in pairs(memory) do ball:apply_force(#name * 0.1 * math.random(), 0) end
end
return scene
]]

describe("a session", function()
  it("gives the same hashes after each of 1000 reloads of its file; a broken file changes nothing", function()
    local text = LIVELY
    local written = {}
    local session = assert(repl.new {
      file = "lively", seed = 5, write = function(word) written[#written + 1] = word end,
      find = function() return open_text(text) end,
    })
    local function world() return session.run.world end
    local hashes = { [0] = world().hash }
    for tick = 1, 60 do
      assert.equal("done", session:feed("step()"))
      hashes[tick] = world().hash
    end
    for round = 1, 1000 do
      assert.equal("done", session:feed("open()"))
      assert.equal(hashes[0], world().hash)
      local steps = 1 + round * 7 % 11
      assert.equal("done", session:feed(("step(%d)"):format(steps)))
      assert.equal(hashes[steps], world().hash)
      if round % 100 == 0 then
        text = LIVELY:gsub("return scene", "return return")
        local state, failure = session:feed("open()")
        assert.is_nil(state)
        assert.truthy(failure.message:find("unexpected symbol", 1, true), failure.message)
        assert.equal(hashes[steps], world().hash)
        assert.equal("done", session:feed("step()"))
        assert.equal(hashes[steps + 1], world().hash)
        text = LIVELY
      end
    end
    session:close()
  end)

  it("prints the values of expressions and nothing for statements", function()
    local _, feed = session_of()
    assert.equal("3\n", feed "1 + 2")
    assert.equal("0.333333\n", feed "1 / 3")
    assert.equal('"a", true, nil\n', feed "'a', true, nil")
    assert.equal("nil\n", feed "nothing")
    assert.equal("", feed "x = 5")
    assert.equal("6\n", feed "x + 1")
    assert.equal("", feed "")
    assert.equal("", feed "-- nothing")
    assert.equal("1\t2\n", feed "print(1, 2)")
    assert.equal("3\n", feed "#{ 1, 2, 3 }")
    assert.equal("4\n", feed "return 4")
  end)

  it("waits for the rest of an incomplete chunk", function()
    local session, feed = session_of()
    assert.same({ "", "incomplete" }, { feed "for i = 1, 2 do" })
    assert.same({ "", "incomplete" }, { feed "  print(i)" })
    assert.same({ "1\n2\n", "done" }, { feed "end" })
    assert.same({ "", "incomplete" }, { feed "1 +" })
    assert.same({ "3\n", "done" }, { feed "2" })
    assert.same({ "", "incomplete" }, { feed "t = {" })
    assert.is_true(session:forget())
    assert.is_false(session:forget())
    assert.equal("nil\n", feed "t")
  end)

  it("has an empty world with gravity if no scene is given", function()
    local _, feed = session_of()
    assert.equal("0, -9.81\n", feed "world:gravity()")
    feed("ball = world:body { type = 'particle' }", "step(60)")
    -- Symplectic Euler with 240 substeps of 1/240 s: y = -g h^2 n (n + 1) / 2.
    local y = tonumber((feed "select(2, ball:position())"))
    assert.near(-9.81 / 240 ^ 2 * 240 * 241 / 2, y, 1e-5) -- output with six digits
  end)

  it("steps through the scene's callbacks and prints the time", function()
    local _, feed = session_of({}, SCENE)
    assert.equal("0.0166667\n", feed "step()")
    assert.equal("1\n", feed "step(59)")
    assert.equal("240\n", feed "s.substeps")
    assert.equal("60\n", feed "calls")
    assert.equal("2\n", feed "p.speed")
    assert.equal("{ x = 2 }\n", feed "measure()")
    assert.equal("true\n", feed "check()")
    assert.equal('"ball"\n', feed "scene.title")
    assert.equal("1\n", feed "step(0)")
  end)

  it("gives the bits of a run without a session", function()
    local _, feed = session_of({ digits = 17 }, SCENE)
    feed "step(50)"
    local run = assert(require("impel.scene.run").new(open_text(SCENE)(), { steps = 50 }))
    while not run:done() do assert(run:step()) end
    assert.equal(('"%s"\n'):format(run.world.hash), feed "world.hash")
    run:close()
  end)

  it("sets the scene up again with other parameters and seeds, and keeps assigned variables", function()
    local _, feed = session_of({ set = { speed = 1 } }, SCENE)
    feed("mine = 7", "old = s.ball", "step(30)", "reset()")
    assert.equal("0\n", feed "world.time")
    assert.equal("1, 7\n", feed "p.speed, mine")
    assert.equal("destroyed body 'ball'\n", feed "old")
    feed "reset { speed = 3 }"
    assert.equal("3, 0\n", feed "p.speed, s.seed")
    feed "reset(5)"
    assert.equal("3, 5\n", feed "p.speed, s.seed")
    refuses(feed, "reset { sped = 1 }", "unknown param 'sped' (did you mean 'speed'?)", "usage")
    refuses(feed, "reset { speed = 9 }", "out of range", "usage")
    refuses(feed, "reset(1.5)", "a table of parameters or a seed expected, got 1.5")
    assert.equal("3, 5\n", feed "p.speed, s.seed")
  end)

  it("opens another scene and reloads the current one", function()
    local _, feed = session_of({}, SCENE)
    feed("mine = 7", "open 'other'")
    assert.equal('"other", 7\n', feed "scene.title, mine")
    feed("step(3)", "open()")
    assert.equal('"other", 0\n', feed "scene.title, world.time")
    refuses(feed, "open 'nothing'", "cannot read scene nothing", "usage")
    refuses(feed, "open(3)", "the name of a scene file expected, got number")
    assert.equal('"other"\n', feed "scene.title")
  end)

  it("steps a world that replaced the scene's", function()
    local _, feed = session_of()
    feed("world = impel.world { gravity = { 0, 0 }, dt = 0.5 }", "b = world:body { velocity = { 1, 0 } }")
    assert.equal("1\n", feed "step(2)")
    assert.equal("1, 0\n", feed "b:position()")
    feed "world:on('step', function() error 'mine' end)"
    refuses(feed, "step()", "mine")
    feed "world:destroy()"
    refuses(feed, "step()", "destroyed world")
    feed "world = 3"
    refuses(feed, "step()", "world is 3, not a world")
  end)

  it("reports errors with their line and continues", function()
    local _, feed = session_of({}, SCENE)
    refuses(feed, "x.y = 1", "stdin:1: attempt to index a nil value (global 'x')")
    refuses(feed, "1 +* 2", "stdin:1: unexpected symbol near '*'")
    refuses(feed, "x = = 2", "stdin:1: unexpected symbol near '='")
    refuses(feed, "error {}", "without __tostring")
    refuses(feed, "step(-1)", "step: steps >= 0 expected, got -1")
    refuses(feed, "step { 1 }", "step: steps >= 0 expected, got { 1 }")
    refuses(feed, "math.randomseed(1)", "the seed of a scene is set by")
    feed "odd = setmetatable({}, { __tostring = error })"
    refuses(feed, "{ [odd] = 1, [setmetatable({}, getmetatable(odd))] = 2 }", "the result cannot be printed")
    local failure = refuses(feed, "local function inner() error 'deep' end inner()", "stdin:1: deep")
    assert.truthy(failure.traceback:find("in local 'inner'", 1, true), failure.traceback)
    feed "s.stop = true"
    refuses(feed, "step()", "stop here")
    feed "s.stop = false"
    assert.equal("0.0333333\n", feed "step()")
  end)

  it("continues after a step that diverged", function()
    local _, feed = session_of({}, SCENE)
    feed "blow = world:on('step', function() s.ball:apply_force(1e14, 0) end)"
    local failure = refuses(feed, "step(1000)", "diverged", "diverged")
    assert.truthy(failure.message:find("body 1 'ball'", 1, true))
    feed("blow:destroy()", "t = world.tick", "step(2)")
    assert.equal("2\n", feed "world.tick - t")
  end)

  it("counts lines over all its input in error messages", function()
    local _, feed = session_of { numbered = true }
    feed("x = 1", "function f()", "  return 1", "end")
    refuses(feed, "x.y.z = 1", "stdin:5:")
  end)

  it("interrupts a loop and a run, after the step", function()
    local stop = false
    local session, feed = session_of({ interrupted = function() return stop end }, SCENE)
    session.globals.halt = function() stop = true end
    feed "world:on('step', function() if world.tick == 4 then halt() end end)"
    refuses(feed, "step(100)", "interrupted", "interrupted")
    stop = false
    assert.equal("5\n", feed "world.tick") -- the interrupted step is complete
    refuses(feed, "halt() while true do end", "interrupted", "interrupted")
    stop = false
    assert.equal("1\n", feed "1")
  end)

  it("ends by quit and os.exit, with the exit code", function()
    local _, feed = session_of()
    refuses(feed, "quit()", "", "quit")
    refuses(feed, "os.exit()", "", "quit")
    assert.equal("quit() or Ctrl-D leaves\n", feed "quit")
    assert.equal("quit() or Ctrl-D leaves\n", feed "exit")
  end)

  it("prints an overview as help, and help on session functions, objects and names", function()
    local _, feed = session_of()
    local text = feed "help()"
    for _, name in ipairs { "step", "reset", "measure", "check", "open", "list", "help", "quit" } do
      assert.truthy(text:find("\n  " .. name, 1, true) or text:find("^  " .. name), name)
    end
    assert.truthy(feed("help(step)"):find("n steps of the world", 1, true))
    assert.truthy(feed("help 'reset'"):find("set the scene up again", 1, true))
    assert.truthy(feed("help(world)"):find("world:revolute", 1, true))
    assert.truthy(feed("help 'body.angle'"):find("body.angle", 1, true))
    assert.truthy(feed("help(impel)"):find("impel.world", 1, true))
    refuses(feed, "help 'wrold'", "did you mean 'world'?")
    refuses(feed, "help {}", "an object or a name in quotes expected")
  end)

  it("lists the values of an iterator", function()
    local _, feed = session_of({}, SCENE)
    assert.equal("1\n", feed "#list(world:bodies())")
    assert.equal("2\n", feed "#list(('ab'):gmatch '.')")
    assert.equal('{ { "a", 1 }, { "b", 2 } }\n', feed "list(pairs { b = 2, a = 1 })")
    assert.equal("{ body 1 'ball'  at (0, 0)  angle 0  v (2, 0)  w 0 }\n", feed "world:bodies()")
    assert.equal("{}\n", feed "world:contacts()")
    refuses(feed, "list(3)", "an iterator expected, got number")
  end)

  it("reports why a scene cannot be set up", function()
    local session, failure = repl.new { write = print, file = "ball",
      find = function() return open_text "return { setup = function() error 'not now' end }" end }
    assert.is_nil(session)
    assert.truthy(failure.message:find("not now", 1, true))
  end)
end)

describe("show", function()
  it("writes a table's list part first, then its sorted keys; a long table takes several lines", function()
    assert.equal("{ 1, 2, a = 3, b = 4 }", show.value { b = 4, 1, a = 3, 2 })
    assert.equal('{ [true] = 4, [0] = 1, ["a b"] = 2, ["end"] = 3 }',
      show.value { [0] = 1, ["a b"] = 2, ["end"] = 3, [true] = 4 })
    local long = show.value { first = ("x"):rep(60), second = ("y"):rep(60) }
    assert.truthy(long:find('^{\n  first = "x+",\n  second = "y+"\n}$'), long)
  end)

  it("shortens long lists, long strings and deep tables", function()
    local list = {}
    for i = 1, 100 do list[i] = i end
    local text = show.value(list)
    assert.truthy(text:find("24,%s+%.%.%. 76 more"), text)
    assert.falsy(text:find("25", 1, true))
    assert.truthy(show.value(("x"):rep(1000)):find "x\"%.%.%. %(1000 bytes%)$")
    assert.equal("{ a = { b = { c = { ... }, d = {} } } }", show.value { a = { b = { c = { 1 }, d = {} } } })
  end)

  it("marks cycles, and prints a shared table each time", function()
    local t = { name = "t" }
    t.self = t
    assert.equal('{ name = "t", self = (cycle: an enclosing table) }', show.value(t))
    local u = { 1 }
    assert.equal("{ { 1 }, { 1 } }", show.value { u, u })
  end)

  it("abbreviates numbers, and writes strings that Lua reads back unchanged", function()
    assert.equal("3, 0.1, 1e+20, nan, inf, -inf, 0.333333",
      show.values(table.pack(3, 0.1, 1e20, 0 / 0, 1 / 0, -1 / 0, 1 / 3)))
    assert.equal("0.33333333333333", show.value(1 / 3, 14))
    for _, text in ipairs { "plain", "two\nlines", 'q"uote\\', "\0\1\255", "é€" } do
      assert.equal(text, load("return " .. show.value(text))())
    end
  end)

  it("prints objects by name, position and velocity, without addresses", function()
    local world = impel.world { gravity = { 0, 0 } }
    local crate = world:body { name = "crate", position = { 0, 5 }, velocity = { 1, 0 } }
    crate:box { 1, 1 }
    local wall = world:body { type = "static" }
    local hinge = world:revolute(world.ground, crate, { name = "hinge", anchor = { 0, 6 } })
    local weld = world:weld(wall, crate, {})
    assert.equal("body 1 'crate'  at (0, 5)  angle 0  v (1, 0)  w 0", show.value(crate))
    assert.equal("body 2  at (0, 0)  angle 0  static", show.value(wall))
    assert.truthy(show.value(hinge):find("'hinge'  value 0  speed ", 1, true))
    assert.truthy(show.value(weld):find("force (0, 0)  torque 0", 1, true), show.value(weld))
    assert.truthy(show.value(world):find("2 bodies, 2 joints, 0 contacts", 1, true))
    crate:destroy()
    assert.equal("destroyed body 'crate'", show.value(crate))
    for _, value in ipairs { world, wall, hinge, print, io.stdout, coroutine.create(print), function() end } do
      assert.falsy(show.value(value):find "0x%x%x%x", show.value(value))
    end
    world:destroy()
    assert.falsy(show.value(world):find "0x%x%x%x")
  end)

  it("has a text for an object of every class", function()
    local world = impel.world {}
    local floor, ball = world:body { type = "static" }, world:body { position = { 0, 0.99 } }
    local shape = floor:box { 4, 1 }
    ball:circle { radius = 0.5 }
    local joint = world:distance(world.ground, ball, { name = "rod" })
    local objects = { world = world, body = ball, shape = shape, joint = joint, coordinate = joint:coordinate(1) }
    objects.field, objects.qp = world:field { kind = "uniform", force = { 0, 0 } }, impel.qp.new(2, 1)
    objects.mover = world:mover { position = { 9, 2 } }
    objects.recording, objects.playback = world:record "/dev/null", require("support.played").short()
    objects.handler = world:on("begin_contact", function(event) objects.event = show.value(event) end)
    world:step(1)
    for contact in world:contacts() do objects.contact = contact end
    for row in joint:rows() do objects.row = row end
    for _, class in ipairs(require("impel.reference.api").classes) do
      local text = class == "event" and objects.event or show.value(objects[class])
      if class ~= "impel" then assert.truthy(#text > 5 and not text:find "userdata", class .. ": " .. text) end
    end
  end)
end)

describe("Tab", function()
  local world = impel.world {}
  local globals = { world = world, body = world:body { name = "b" }, impel = impel, string = string, math = math,
    t = { alpha = 1, run = print, deep = { { inner = 2 } }, ["no name"] = 3 }, text = "abc", welt = 1 }

  local function names(text) return table.concat((complete.names(globals, text)), " ") end

  it("offers globals and reserved words", function()
    assert.equal("welt while world", names "w")
    assert.equal("welt while world", names "print(w")
    assert.equal("world", names "x = 1 + wor")
    assert.equal("", names "world_x")
  end)

  it("offers fields of tables and methods of strings", function()
    assert.equal("alpha deep run", names "t.")
    assert.equal("run", names "t:")
    assert.equal("inner", names "t.deep[1].")
    assert.equal("", names "nothing.")
    assert.equal("sub", names "text:su")
  end)

  it("offers properties after a point and methods after a colon", function()
    assert.equal("read record residual restore revolute", names "world:re")
    assert.equal("angle angular_damping angular_velocity", names "body.an")
    assert.equal("", names "body:an")
    assert.equal("apply_angular_impulse apply_force apply_impulse apply_torque", names "body:apply")
    assert.truthy(names("impel."):find("compare", 1, true))
    assert.equal("sin sqrt", names "impel.math.s")
  end)

  it("offers every member of the registration tables", function()
    for class, object in pairs { world = world, body = globals.body } do
      globals.object = object
      for _, entry in ipairs(require("impel.reference.api").tables()[class]) do
        local separator = entry.kind == "method" and ":" or "."
        local list = complete.names(globals, "object" .. separator .. entry.name)
        assert.equal(entry.name, list[1])
      end
    end
  end)

  it("offers options inside the table of a call, also in nested tables", function()
    assert.equal("position = ", names "world:body { pos")
    assert.equal("position = ", names "world:body { name = 'x, {', angle = 3, pos")
    assert.equal("motor = ", names "world:revolute(a, b, { mo")
    assert.equal("max_force = ", names "world:revolute(a, b, { motor = { speed = 1, max")
    assert.equal("gravity = ", names "impel.world { grav")
    assert.equal("radius = ", names "anything:circle { ra")
    assert.equal("welt while world", names "world:body { angle = w")
    assert.equal("welt while world", names "world:body { position = { 1, 2 } } w")
  end)

  it("offers nothing inside strings, comments and numbers", function()
    assert.equal("", names "'wor")
    assert.equal("", names "-- wor")
    assert.equal("", names "[[ wor")
    assert.equal("", names "1.")
    assert.equal("world", names "'it' .. wor")
  end)

  it("does not call the user's functions", function()
    globals.trap = setmetatable({}, { __index = function() error "called" end })
    assert.equal("", names "trap.x.y")
    assert.equal("", names "trap.")
  end)

  it("inserts the common prefix, then lists candidates in columns", function()
    assert.same({ "ld" }, { complete.tab(globals, "wor") })
    assert.same({ "g" }, { complete.tab(globals, "body.an") })
    local insert, below = complete.tab(globals, "body.ang")
    assert.same({ "", "angle             angular_damping   angular_velocity" }, { insert, below })
    assert.same({ "  " }, { complete.tab(globals, "") })
    assert.same({ "" }, { complete.tab(globals, "xyz") })
    local long = ("x"):rep(30)
    assert.equal(("%s  %s\n%s  %s\n%s"):format("1" .. long, "4" .. long, "2" .. long, "5" .. long, "3" .. long),
      complete.columns { "1" .. long, "2" .. long, "3" .. long, "4" .. long, "5" .. long })
  end)
end)

describe("impel repl", function()
  local state -- folder of the history

  before_each(function()
    state = os.tmpname()
    os.remove(state)
  end)
  after_each(function() os.execute("rm -rf " .. quote(state)) end)

  -- Run the program with text on its standard input. Return the exit code, and both output streams as one text.
  local function piped(text, arguments)
    local path = os.tmpname()
    local file = assert(io.open(path, "wb"))
    file:write(text)
    file:close()
    local pipe = io.popen(("%s repl %s <%s 2>&1"):format(quote(shared.path), arguments or "", path))
    local out = pipe:read "a"
    local _, _, code = pipe:close()
    os.remove(path)
    return code, out
  end

  it("reads chunks from a pipe, without prompts", function()
    assert.same({ 0, "1.0\n" }, { piped("step(60) print(world.time)\n", "pendulum") })
    assert.same({ 0, "0.33333333333333\n" }, { piped "1 / 3" })
    assert.same({ 0, "" }, { piped "" })
    assert.same({ 0, "3\n" }, { piped("p.length", "pendulum --set length=3") })
  end)

  it("exits with code 3 at the first error of a pipe, and with code 0 at quit", function()
    local code, out = piped "print(1)\nx.y = 1\nprint(2)\n"
    assert.equal(3, code)
    assert.equal("1\nimpel: stdin:2: attempt to index a nil value (global 'x')\n", out)
    code, out = piped "for i = 1, 2 do\n"
    assert.equal(3, code)
    assert.truthy(out:find("incomplete chunk", 1, true))
    assert.same({ 0, "" }, { piped "quit()\nprint(2)" })
    local told = select(2, piped("local function f() error 'x' end f()", "-v"))
    assert.truthy(told:find("traceback", 1, true))
    assert.falsy(told:find("impel/", 1, true), told) -- the traceback has frames of the user only
  end)

  it("exits with code 143 after SIGTERM, both during a step and between two lines", function()
    local code, out = piped("function stop() os.execute 'kill -TERM $PPID' end\n"
      .. "world:on('step', function() if world.tick == 9 then stop() end end)\nstep(1e9)\nprint(2)\n")
    assert.equal(143, code)
    assert.falsy(out:find("\n2\n", 1, true), out)
    assert.equal(143, (piped "os.execute 'kill -TERM $PPID'\nprint(2)\n"))
  end)

  it("refuses a missing or broken scene as run does", function()
    assert.equal(2, (piped("1", "nothing")))
    assert.equal(2, (piped("1", "pendulum --set nothing=1")))
  end)

  -- Run the program at a terminal. Each step has keys and a regular expression. The next step begins when a line of the
  -- output matches, or after 10 s. Return the text of the terminal and the exit code.
  local function typed(steps)
    if not os.execute "command -v script >/dev/null 2>&1" then return nil end
    if not os.execute "script --version 2>&1 | grep -q util-linux" then return nil end
    assert(os.execute("mkdir -p " .. quote(state)))
    local out = quote(state .. "/terminal")
    local script = { ": >", out, "\n",
      "wait_for() { n=0; until tr -d '\\r' <", out, " | grep -aqE \"$1\" || [ $n -gt 200 ]; do ",
      "sleep 0.05; n=$((n + 1)); done; }\nwait_for '^> '\n" }
    for _, step in ipairs(steps) do
      script[#script + 1] = ("printf %s; wait_for %s\n"):format(quote(step[1]), quote(step[2] or ""))
    end
    local file = assert(io.open(state .. "/keys", "wb"))
    file:write(table.concat(script))
    file:close()
    local _, _, code = os.execute(("sh %s | TERM=xterm SHELL=/bin/sh XDG_STATE_HOME=%s script -qefc %s %s >/dev/null")
      :format(quote(state .. "/keys"), quote(state), quote("exec " .. quote(shared.path) .. " repl"), out))
    return shared.read(state .. "/terminal"):gsub("\r", ""), code
  end

  it("prompts, prints, completes and continues after errors and Ctrl-C", function()
    local edits = package.searchpath("impel.editline", package.cpath)
    local out, code = typed {
      { "6 * 7\n", "^42$" }, { "nil + 1\n", "arithmetic" }, { "print 'go' while true do end\n", "^go$" },
      { "\3", "impel: interrupted" }, { edits and "wor\t.tick\n" or "world.tick\n", "^0$" },
      { "for i=8,9 do\n", "^>> " }, { "print(i) end\n", "^9$" }, { "\4" },
    }
    if not out then return pending "no script of util-linux here" end
    assert.equal(0, code)
    for _, line in ipairs { "42", "go", "impel: interrupted", "0", "8\n9" } do
      assert.truthy(out:find("\n" .. line .. "\n", 1, true), out)
    end
    assert.truthy(out:find("stdin:1: attempt to perform arithmetic on a nil value", 1, true), out)
  end)

  it("clears the line at Ctrl-C and keeps lines for the next session", function()
    if not package.searchpath("impel.editline", package.cpath) then return pending "built without libedit" end
    local out, code = typed { { "os.exit(\3" }, { "6 * 7\n", "^42$" }, { "\4" } }
    if not out then return pending "no script of util-linux here" end
    assert.equal(0, code)
    assert.truthy(shared.read(state .. "/impel/history"):find("6", 1, true))
    os.execute(("rm %s %s"):format(quote(state .. "/terminal"), quote(state .. "/keys")))
    out = typed { { "\27[A\n", "^42$" }, { "\4" } }
    assert.truthy(out:find("\n42\n", 1, true), out)
  end)
end)
