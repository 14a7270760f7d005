-- The window of impel view --sandbox, without a display: the child process is real, the window is a fake.

require "impel.core"
local drawings = require "impel.drawing"
local fake = require "support.viewer_fake"
local framing = require "impel.sandbox.framing"
local sandbox = require "impel.sandbox"
local system = require "impel.system"
local viewer = require "impel.viewer.apart"

local PATIENCE = 60 -- limit for an action on a busy machine [s]

local HANGS = [[
local impel = require "impel"
return {
  params = { hang = false },
  setup = function(p) return { world = impel.world {}, p = p } end,
  update = function(s) while s.p.hang do end end,
}]]

local v, window, said

local function open(text, options)
  window, said = fake.window(640, 480), {}
  local given = { window = window, sandbox = "auto", read = function() return text, "@scene.lua" end,
    sleep = function() system.poll({}, 0.002) end, say = function(line) said[#said + 1] = line end }
  for name, value in pairs(options or {}) do given[name] = value end
  local failure
  v, failure = viewer.new({}, given)
  return v, failure
end

local function await(what, condition)
  local due = system.clock() + PATIENCE
  while not condition() do
    assert(system.clock() < due, "waited in vain: " .. what)
    assert(v:frame())
  end
end

local function seen_time() return v.seen.time end

local function key(name, more)
  local event = { type = "key", key = name, down = true }
  for field, value in pairs(more or {}) do event[field] = value end
  window.handle:push(event)
  assert(v:frame())
end

-- Push a mouse event at a world point, and run a frame.
local function mouse(kind, x, y, more)
  local px, py = v.camera:to_screen(x, y)
  local event = { type = kind, x = px, y = py, dx = 0, dy = 0, button = "left" }
  for field, value in pairs(more or {}) do event[field] = value end
  window.handle:push(event)
  assert(v:frame())
end

describe("the window of a sandboxed scene", function()
  after_each(function()
    if v then assert.is_true(v:close()) end
    v = nil
  end)

  it("shows the child's drawings and its parameters", function()
    assert(open(fake.SCENE))
    await("the scene runs", function() return seen_time() > 0.1 end)
    assert.are.equal("ball", v.run.scene.definition.title)
    assert.are.same({ default = 3.0, min = 0, max = 5 }, v.run.scene.params.height)
    assert.are.equal(2, v.seen.bodies)
    assert.is_true(#v.drawing > 1)
    assert.are.equal("ball - impel, sandbox", window.handle.title)
    assert.are.equal(12, v.camera.height)
  end)

  it("shows the view of the scene's camera until the user moves the picture, and again after Home", function()
    assert(open((fake.SCENE:gsub("return scene", [[
      function scene.camera(s)
        return { follow = s.ball, height = 7, angle = 0.5 }
      end
      return scene]]))))
    local function is_the_scenes()
      return v.camera.height == 7 and v.camera.angle == 0.5 and math.abs(v.camera.x) < 1e-9
    end
    await("the ball falls", function() return is_the_scenes() and v.camera.y < 2 end)
    mouse("wheel", 0, 0, { dy = 2 })
    local place = { v.camera.x, v.camera.y, v.camera.height }
    local pictures = v.pictures
    await("pictures", function() return v.pictures > pictures + 3 end)
    assert.are.same(place, { v.camera.x, v.camera.y, v.camera.height })
    key "home"
    await("the scene's camera", is_the_scenes)
  end)

  it("reports an invalid camera and keeps the last one", function()
    assert(open((fake.SCENE:gsub("return scene", [[
      function scene.camera(s) return { height = s.steps < 5 and 7 or 0 / 0 } end
      return scene]]))))
    await("the failure", function() return v.failure end)
    assert.is_truthy(v.failure.message:find("scene.camera.height: number > 0 up to 1e9 m expected, got nan", 1, true))
    assert.are.equal(7, v.camera.height)
  end)

  it("shows items drawn at any distance", function()
    assert(open [[
      local impel = require "impel"
      return {
        setup = function() return { world = impel.world {} } end,
        draw = function(_, view) view:circle(1.5e308, 1e308, 1) view:circle(-1.5e308, 0, 1) end,
      }]])
    await("a picture", function() return v.pictures > 2 end)
    key "home"
    assert.are.equal(1e9, v.camera.height)
    local shown = v.pictures
    await("more pictures", function() return v.pictures > shown + 2 end)
    assert.is_nil(v.failure)
    v:fit()
    key "g"
    assert.is_nil(v.failure)
  end)

  it("pauses, steps, changes the speed, sets up again", function()
    assert(open(fake.SCENE, { paused = true }))
    await("a picture", function() return v.pictures > 2 end)
    assert.are.equal(0, seen_time())
    key "right"
    await("one step", function() return seen_time() > 0 end)
    assert.is_true(math.abs(seen_time() - 1 / 60) < 1e-9)
    key("right", { shift = true })
    await("ten steps", function() return seen_time() > 10.5 / 60 end)
    key "="
    assert.are.equal(2, v.speed)
    key "r"
    await("a new run", function() return seen_time() == 0 and v.ready end)
  end)

  it("sets a parameter at once if the scene reads it during a step, else sets the scene up again", function()
    assert(open(fake.SCENE))
    await("the scene runs", function() return seen_time() > 0.2 end)
    local first = v.child
    v:set("lift", 50.0)
    local before = seen_time()
    await("more steps", function() return seen_time() > before + 0.1 end)
    assert.are.equal(first, v.child)
    v:set("height", 4.5)
    await("another child", function() return v.child ~= first and v.ready and v.pictures > 0 end)
    assert.are.equal(4.5, v.run.values.height)
    assert.are.equal(50.0, v.run.values.lift)
    v:set("height", 99)
    assert.are.equal(4.5, v.run.values.height)
  end)

  it("pulls a body with the mouse", function()
    assert(open((fake.SCENE:gsub("%-9%.81", "0"))))
    await("a picture", function() return v.pictures > 2 end)
    local function ball() return select(4, v.drawing:bounds()) end
    local top = ball()
    mouse("mouse_down", 0, 3)
    mouse("mouse_move", 0, 5)
    await("the ball goes up", function() return ball() > top + 1 end)
    mouse("mouse_up", 0, 5)
  end)

  it("responds while the script hangs, reports it, and can restart", function()
    assert(open(HANGS, { set = { hang = "true" } }))
    await("it is told", function() return v:silent() ~= nil end)
    local count = v.count
    local done = 0
    await("more frames", function()
      done = done + 1
      return done > 20
    end)
    assert.is_true(v.count >= count + 20)
    v.set_values.hang = false
    key "r"
    await("it runs", function() return seen_time() > 0.05 end)
    assert.is_nil(v:silent())
  end)

  it("ends a script that hangs for longer than its limit, and shows the reason", function()
    assert(open(HANGS, { set = { hang = "true" }, quota = { time = 0.5 } }))
    await("the end", function() return v.failure end)
    assert.are.equal("quota", v.failure.kind)
    assert.is_truthy(v.failure.message:find "quota: the script did not end within 0.5 s", v.failure.message)
    for _ = 1, 5 do assert(v:frame()) end
  end)

  it("closes while the script hangs", function()
    assert(open(HANGS, { set = { hang = "true" } }))
    await("it hangs", function() return v.ready and v.waiting_since end)
    window.handle:push { type = "close" }
    assert.is_false(v:frame())
  end)

  it("shows errors of the file, of setup and of a step", function()
    for text, says in pairs {
      ["return {"] = "expected", ["return { setup = function() error 'no \27[2J' end }"] = "no \\x1B[2J",
      [HANGS:gsub("while s.p.hang do end", "error 'in a step'")] = "in a step",
    } do
      assert(open(text))
      await("the failure", function() return v.failure end)
      assert.are.equal("scene", v.failure.kind)
      assert.is_truthy(v.failure.message:find(says, 1, true), v.failure.message)
      assert(v:frame())
      v:close()
    end
    v = nil
  end)

  it("sends mouse events, text and scene.keys to the scene, and pulls no bodies if scene.view.pull is false", function()
    assert(open [[
      local impel, input = require "impel", require "impel.input"
      return {
        keys = { "space" }, view = { x = 0, y = 0, height = 10, pull = false },
        setup = function()
          local world = impel.world { gravity = { 0, 0 } }
          local box = world:body {}
          box:box { 2, 2 }
          return { world = world, box = box, text = "", seen = {} }
        end,
        update = function(s)
          local pressed, x, y = input.mouse_pressed "left"
          if pressed then s.at = ("%.1f %.1f"):format(x, y) end
          s.text = s.text .. input.text()
          if input.wheel() ~= 0 then s.wheel = true end
          if input.pressed "space" then
            error(("%s|%s|%s|%g|%s"):format(s.at, s.text, s.wheel, (s.box:position()),
              tostring(select(2, pcall(input.down, "r")))))
          end
        end,
      }]])
    await("it runs", function() return seen_time() > 0.05 end)
    mouse("mouse_down", 0.5, 0.5)
    mouse("mouse_move", 4, 4)
    await("it runs on", function() return seen_time() > 0.3 end)
    mouse("mouse_up", 4, 4)
    window.handle:push { type = "text", text = "ä" }
    mouse("wheel", 0, 0, { dy = 1 })
    key "space"
    await("the key is seen", function() return v.failure end)
    assert.is_truthy(v.failure.message:find("0.5 0.5|ä|true|0|", 1, true), v.failure.message)
    assert.is_truthy(v.failure.message:find("the window uses the key 'r'", 1, true), v.failure.message)
    assert.is_false(v.paused)
  end)

  it("releases the keys of the scene when it loses the keyboard", function()
    assert(open [[
      local impel, input = require "impel", require "impel.input"
      return {
        setup = function() return { world = impel.world {} } end,
        update = function(s)
          if input.pressed "w" then s.pressed = true end
          if input.released "w" then error(s.pressed and "released" or "never pressed") end
        end,
      }]])
    await("it runs", function() return seen_time() > 0.05 end)
    key "w"
    local pressed = seen_time()
    await("it runs on", function() return seen_time() > pressed + 0.1 end)
    assert.is_nil(v.failure)
    window.handle:push { type = "focus", gained = false }
    await("the key is released", function() return v.failure end)
    assert.is_truthy(v.failure.message:find(": released", 1, true), v.failure.message)
  end)

  it("passes keys that the window does not use to the scene", function()
    assert(open [[
      local impel, input = require "impel", require "impel.input"
      return {
        setup = function() return { world = impel.world {} } end,
        update = function(s) if input.key "w" then error "pressed" end end,
      }]])
    await("it runs", function() return seen_time() > 0.05 end)
    key "w"
    await("the key is seen", function() return v.failure end)
    assert.is_truthy(v.failure.message:find("pressed", 1, true))
  end)

  it("sets up a scene again when its file is saved", function()
    local path = os.tmpname() .. ".lua"
    local function save(title)
      local file = assert(io.open(path, "w"))
      file:write((fake.SCENE:gsub('title = "ball"', ('title = "%s"'):format(title))))
      file:close()
    end
    save "first"
    assert(open(nil, { read = function()
      local file = assert(io.open(path))
      local text = file:read "a"
      file:close()
      return text, "@" .. path
    end }))
    await("the first", function() return v.run.scene.definition.title == "first" end)
    save "second"
    await("the second", function() return v.run.scene.definition.title == "second" end)
    os.remove(path)
  end)

  it("does not paint frames that would take minutes", function()
    assert(open [[
      return {
        view = { x = 0, y = 0, height = 2 },
        params = { circles = 20 },
        setup = function(p) return { world = require "impel".world {}, p = p } end,
        draw = function(s, view)
          for _ = 1, s.p.circles do view:circle(0, 0, 5, "red") end
        end,
      }]])
    await("a picture", function() return v.pictures > 1 end)
    assert.is_nil(v.failure, v.failure and v.failure.message)
    v:set("circles", 30000)
    await("too much of it", function() return not v:is_paintable() end)
    v:set("circles", 20)
    await("less of it", function() return v:is_paintable() end)
    v:set("circles", 300000)
    await("more than a message takes", function() return v.failure end)
    assert.truthy(v.failure.message:find("the picture has %d+%.%d MB; the window of a sandbox allows 16"))
  end)

  it("truncates the script's titles and messages", function()
    assert(open [[
      local long = ("x"):rep(20 << 20)
      return {
        title = long, params = { [long] = 1, p = { 1, help = long } },
        setup = function() return { world = require "impel".world {} } end,
        update = function() error(long) end,
      }]])
    await("the failure", function() return v.failure end)
    assert.is_true(v.ready and #v.run.scene.definition.title <= 200 and #v.run.scene.params.p.help <= 200)
    assert.is_true(#v.failure.message <= 16384)
    assert.are.equal("scene", v.failure.kind)
  end)

  it("prints the script's output", function()
    assert(open "print 'hello' return { setup = function() return { world = require 'impel'.world {} } end }")
    await("the words", function() return said[1] end)
    assert.are.equal("hello", said[1])
  end)
end)

describe("a message from a sandbox", function()
  -- Run a child process that sends invalid messages.
  local function listen(work, options)
    local given = { mode = "auto", name = "it", folder = ".", work = work }
    for name, value in pairs(options or {}) do given[name] = value end
    local child = assert(sandbox.start(given))
    while not child:is_over() do child:listen(0.05) end
    return child:finish()
  end

  it("is refused if it is malformed", function()
    for _, bytes in ipairs { ("\255"):rep(16), "\8\0\0\0\255\255\255\255\0\0\0\0", "\0\0\0\0" } do
      local append = system.append
      local outcome = listen(function(link)
        append(link.up, bytes) -- saved before the sandbox removes system.append
        link:next(60)
        return 0
      end)
      assert.are.equal("internal", outcome.failure.kind)
      assert.is_truthy(outcome.failure.message:find("an invalid message", 1, true))
    end
  end)

  it("may arrive byte by byte, and uses no more memory than its length", function()
    local append = system.append
    local outcome = listen(function(link)
      append(link.up, "\255\255\255\3") -- header of an incomplete message
      for _ = 1, 3e4 do append(link.up, "x") end
      return 0
    end)
    assert.are.equal(0, outcome.code)
    local text = require("impel.sandbox.pieces").new()
    for i = 1, 1e5 do text:add(i % 2 == 0 and "a" or "b") end
    assert.is_true(#text.long + #text.short < 1000)
    assert.are.equal(("ba"):rep(5e4), text:whole())
  end)

  it("waits in a queue, in order", function()
    local waiting, list, random = require("impel.sandbox.queue").new(), {}, require("impel.core").world { seed = 5 }
    for i = 1, 2000 do
      local way = random:random(1, 5)
      if way < 3 then
        waiting:add(i)
        list[#list + 1] = i
      elseif way == 3 then
        waiting:put_back(i)
        table.insert(list, 1, i)
      else
        assert.are.equal(list[1], waiting:peek())
        assert.are.equal(table.remove(list, 1), waiting:take())
      end
      assert.are.equal(#list, waiting:count())
    end
  end)

  it("opens a limited number of files at a time", function()
    local path = os.tmpname()
    local files = require("impel.sandbox.files").new { folder = ".", may_write = function(p) return p == path end,
      most = 1000 }
    local opened, refused = {}, 0
    for _ = 1, 100 do
      -- A locked file cannot be opened twice, so each call creates a new file.
      os.remove(path)
      local reply = files:serve { "open", path, "replace" }
      if reply[1] == "ok" then opened[#opened + 1] = reply[2] else refused = refused + 1 end
    end
    assert.is_true(#opened >= 1 and #opened <= 16 and refused == 100 - #opened)
    files:serve { "close", opened[1] }
    os.remove(path)
    assert.are.equal("ok", files:serve({ "open", path, "replace" })[1])
    files:close()
    os.remove(path)
  end)

  -- Invalid or extreme values for the fields of a message.
  local NASTY = { "nan", "1e999", "-1e999", "0x1p2000", "0", "-0", "1e308", "-1e308", "9223372036854775807",
    "-9223372036854775808", "0.5", "true", "", "x", "1e-320", ("\255"):rep(50), "\27[2J", ("9"):rep(400) }

  -- Return the main function of a child process. It answers with random values from NASTY.
  local function hostile(seed)
    local random = require("impel.rng").new(seed)
    local function any() return NASTY[random:random(1, #NASTY)] end
    return function(link)
      for i = 1, random:random(0, 12) do
        link:send("param", any() .. i, any(), any(), any(), any(), random:random(2) == 1 and "integer" or "", any())
      end
      link:send("scene", any(), any(), any(), any(), any())
      while true do
        local parts = link:next(PATIENCE)
        if parts and parts[1] == "frame" then
          link:send("picture", drawings.new():bytes(), any(), any(), any(), any(), any())
          if random:random(5) == 1 then link:send("failed", any(), any(), any()) end
        end
        link.restart_clock()
      end
    end
  end

  it("does not crash the window, with any content", function()
    local stages = require "impel.viewer.apart_stage"
    local work = stages.work
    for seed = 1, 40 do
      stages.work = function() return hostile(seed) end
      assert(open "x")
      stages.work = work
      for i = 1, 30 do
        local kinds = { "mouse_down", "mouse_move", "wheel", "mouse_up" }
        window.handle:push { type = kinds[i % 4 + 1], x = 60 + i, y = 60 + 5 * i, dx = 9, dy = 1, button = "left" }
        assert(v:frame())
      end
      assert.is_true(v:close())
    end
    v = nil
  end)

  it("cannot open, read or write a file that the sandbox does not allow", function()
    local told = {}
    local outcome = listen(function(link)
      for _, call in ipairs {
        { "open", "/tmp/impel_apart_probe", "replace" }, { "replace", "/tmp/impel_apart_probe", "x" },
        { "append", "1", "x" }, { "append", "2", "x" }, { "close", "0" }, { "truncate", "1", "0" },
        { "text", "/etc/passwd" }, { "text", "../../etc/passwd.lua" }, { "module", "../x" }, { "execute", "id" },
        { "open" }, { "append", "x", "y" }, { "module", ("x"):rep(5000) }, { "text", ("./"):rep(9e6) .. "a.lua" },
      } do
        local done = link:call(table.unpack(call))
        if done then io.stderr:write("done: ", call[1], "\n") end
      end
      return 0
    end, { say = function(line) told[#told + 1] = line end })
    assert.are.equal(0, outcome.code)
    assert.are.same({}, told)
    assert.is_nil(io.open "/tmp/impel_apart_probe")
  end)

  it("accepts names of 4096 bytes, and messages of the maximum length", function()
    local files = require("impel.sandbox.files").new { folder = ".", may_write = function() return true end,
      most = 1000 }
    for _, call in ipairs { "module", "text", "open", "replace" } do
      for length, refused in pairs { [4096] = false, [4097] = true, [30 << 20] = true } do
        local more = (call == "open" or call == "replace") and "x" or nil
        local reply = files:serve { call, ("x"):rep(length), more }
        assert.are.equal("no", reply[1])
        local words = ("a name of %d bytes; a sandbox allows 4096"):format(length)
        assert.are.equal(refused, reply[2]:find(words, 1, true) ~= nil)
        assert.is_true(#reply[2] < 5000)
      end
    end
    local told = {}
    local outcome = listen(function(link)
      for _, length in ipairs { 900, 1100 } do
        local _, result, message = pcall(link.call, link, "append", 1, ("x"):rep(length))
        io.stderr:write(result or message, "\n")
      end
      return 0
    end, { longest = 1000, say = function(line) told[#told + 1] = line end })
    assert.are.equal(0, outcome.code)
    assert.are.same({ "no such descriptor", "too much data at once for a sandbox: 1131 bytes, at most 1000" }, told)
  end)

  it("makes no file longer than the limit", function()
    local path = os.tmpname()
    local files = require("impel.sandbox.files").new { folder = ".", may_write = function(p) return p == path end,
      most = 1000 }
    local opened = files:serve { "open", path, "replace" }
    assert.are.equal("ok", opened[1])
    assert.are.equal("ok", files:serve({ "append", opened[2], "some words" })[1])
    assert.are.equal("ok", files:serve({ "truncate", opened[2], "4" })[1])
    assert.is_nil(files:serve { "truncate", opened[2], "1000000000" })
    files:close()
    local file = io.open(path)
    assert.are.equal("some", file:read "a")
    file:close()
    os.remove(path)
  end)

  it("is accepted as a picture only if it is complete and all its lengths and numbers are valid", function()
    local drawing, other = drawings.new(), drawings.new()
    drawing:fill("scene", 0xff8800ff, 0.1, { 0, 0, 1, 0 })
    drawing:text("name", nil, 0, 0.5, 1, 2, "words")
    drawing:arrow("force", nil, 0, 0, 1, 1, 5)
    drawing:clip()
    local bytes = drawing:bytes()
    assert.is_true(other:add(bytes))
    assert.are.equal(drawing:dump(), other:dump())
    assert.are.equal(bytes, other:bytes())
    for cut = 0, #bytes - 1 do assert.is_nil(drawings.new():add(bytes:sub(1, cut))) end
    local random = require("impel.rng").new(7)
    for _ = 1, 20000 do
      local list = { bytes:byte(1, -1) }
      for _ = 1, random:random(1, 5) do list[random:random(1, #list)] = random:random(0, 255) end
      other:clear()
      if other:add(string.char(table.unpack(list))) then
        for _, item in other:items() do assert.is_true(item.radius >= 0 and item.radius < math.huge) end
      end
    end
  end)

  it("may arrive in pieces of any size", function()
    local reader, got = framing.reader(1000), {}
    local all = framing.encode("one", "", "three") .. framing.encode(("x"):rep(300)) .. framing.encode("last")
    for i = 1, #all do
      for _, parts in ipairs(assert(reader:take(all:sub(i, i)))) do got[#got + 1] = parts end
    end
    assert.are.same({ { "one", "", "three" }, { ("x"):rep(300) }, { "last" } }, got)
    assert.is_nil(framing.reader(10):take(framing.encode(("x"):rep(20))))
    local many = {}
    for i = 1, 5000 do many[i] = "" end
    assert.is_nil(framing.reader(1e6):take(framing.encode(table.unpack(many))))
  end)
end)
