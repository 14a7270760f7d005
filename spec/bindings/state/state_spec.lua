-- The Lua part of a world's state: world:state, handlers, functions and data in snapshots and in files.
local impel = require "impel"
local raises = require "support.raises"

local function ball(world, options)
  local body = world:body(options or { position = { 0, 5 } })
  body:circle { radius = 0.5 }
  return body
end

-- Run f with a temporary file, and remove the file afterwards.
local function with_file(f)
  local path = os.tmpname()
  local ok, message = pcall(f, path)
  os.remove(path)
  os.remove(path .. ".new")
  if not ok then error(message, 0) end
end

describe("a table of world:state", function()
  it("is restored with the world: the same tables with their contents", function()
    local world = impel.world {}
    local body, other = ball(world), ball(world, { position = { 3, 5 } })
    local joint = world:distance(body, other, {})
    local coordinate = joint:coordinate()
    local state = { phase = 1, name = "a\0b", big = math.mininteger, tiny = 5e-324, yes = true, no = false,
      list = { 1, 2, { x = 1.5 } }, [body] = "me", who = other, joint = joint, coordinate = coordinate, world = world,
      [-1.5] = "key", [true] = 7 }
    state.alias, state.itself = state.list, state
    assert.equal(state, world:state(state))
    assert.equal(state, world:state(state)) -- a second call with the same table has no effect
    world:step(3)
    local snapshot, inner = world:snapshot(), state.list[3]
    for key in pairs(state) do state[key] = nil end
    inner.x, inner.y = 9, 10
    state.list, state.extra = { inner }, true
    world:step(2)
    world:restore(snapshot)
    assert.same({ 1, "a\0b", math.mininteger, 5e-324, true, false },
      { state.phase, state.name, state.big, state.tiny, state.yes, state.no })
    assert.equal("integer", math.type(state.phase))
    assert.equal(inner, state.list[3])
    assert.same({ x = 1.5 }, inner)
    assert.equal(3, #state.list)
    assert.equal(state.list, state.alias)
    assert.equal(state, state.itself)
    assert.equal(nil, state.extra)
    assert.equal("me", state[body])
    assert.equal(other, state.who)
    assert.equal(joint, state.joint)
    assert.equal(coordinate, state.coordinate)
    assert.equal(world, state.world)
    assert.same({ "key", 7 }, { state[-1.5], state[true] })
    assert.equal(snapshot, world:snapshot())
  end)

  it("keeps references to a destroyed joint and its coordinates", function()
    local world = impel.world {}
    local hinge = world:revolute(world.ground, ball(world), {})
    local state = world:state { hinge = hinge, angle = hinge:coordinate() }
    hinge:destroy()
    local hinge_was, angle_was = state.hinge, state.angle
    local shot = world:snapshot()
    state.hinge, state.angle = nil, nil
    world:restore(shot)
    assert.equal(hinge_was, state.hinge)
    assert.equal(angle_was, state.angle)
    raises("destroyed", function() return state.angle.value end)
    local other = impel.world {} -- the joint and its coordinates never existed in this world
    local again = other:state {}
    other:restore(shot)
    raises("destroyed", function() return again.angle.value end)
  end)

  it("is restored together with its world, or neither is, at any depth of the C stack", function()
    local function within(count, f, ...)
      if count == 0 then return f(...) end
      return select(2, pcall(within, count - 1, f, ...))
    end
    for worlds = 1, 3 do
      local list, states = {}, {}
      for i = 1, worlds do
        list[i] = impel.world {}
        states[i] = list[i]:state { n = 1, list = { 1, { 2 } }, inner = list[i - 1] }
      end
      local world = list[worlds]
      local shot, done, refused = world:snapshot(), 0, 0
      for count = 100, 200 do
        for i = 1, worlds do
          list[i]:step()
          states[i].n = 2
        end
        local message = within(count, function() return select(2, pcall(world.restore, world, shot)) end)
        local n = message == nil and 1 or 2
        for i = 1, worlds do assert.same({ n - 1, n }, { list[i].tick, states[i].n }, tostring(message)) end
        if n == 1 then done = done + 1 else refused = refused + 1 end
        world:restore(shot)
      end
      assert.is_true(done > 50 and refused > 5, ("%d done, %d refused"):format(done, refused))
    end
  end)

  it("keeps NaN, infinities and negative zero to the bit", function()
    local world = impel.world {}
    local state = world:state { nan = 0 / 0, inf = -math.huge, zero = -0.0 }
    local snapshot = world:snapshot()
    state.nan, state.inf, state.zero = nil, nil, nil
    world:restore(snapshot)
    assert.is_true(state.nan ~= state.nan)
    assert.equal(-math.huge, state.inf)
    assert.equal(-math.huge, 1 / state.zero)
  end)

  it("gives the same bytes for the same content, in any order of insertion", function()
    local function life(names)
      local world = impel.world {}
      local state = {}
      for _, name in ipairs(names) do state[name] = { #name } end
      world:state(state)
      return world:snapshot()
    end
    local first = life { "a", "bb", "ccc", "dddd", "eeeee" }
    assert.equal(first, life { "eeeee", "dddd", "a", "ccc", "bb" })
    assert.not_equal(first, life { "a", "bb", "ccc", "dddd", "eeeee", "f" })
  end)

  it("may be deep, and large", function()
    local world = impel.world {}
    local root = world:state {}
    local t = root
    for i = 1, 20000 do
      t.next = { i }
      t = t.next
    end
    local snapshot = world:snapshot()
    root.next = nil
    world:restore(snapshot)
    local n = 0
    t = root.next
    while t do
      n = n + 1
      assert.equal(n, t[1])
      t = t.next
    end
    assert.equal(20000, n)
  end)

  it("names the path of values other than data, at registration and in a snapshot", function()
    local world = impel.world {}
    raises("world:state: state.f is a function; a snapshot can hold", world.state, world, { f = print })
    raises("state.a.b[2] is a thread", world.state, world, { a = { b = { 1, coroutine.create(print) } } })
    raises("state.a has a key that is a table", world.state, world, { a = { [{}] = 1 } })
    raises("state.file is a FILE*", world.state, world, { file = io.stdout })
    raises("state.body is a body of another world", world.state, world, { body = ball(impel.world {}) })
    local state = world:state { a = {} }
    state.a.f = print
    raises("world:snapshot: state.a.f is a function", world.snapshot, world)
    state.a.f = nil
    assert.is_string(world:snapshot())
  end)

  it("that is not strict keeps values other than data out of snapshots, and a restore does not change them", function()
    local world = impel.world {}
    local f, key = function() end, {}
    local state = world:state({ f = f, n = 1, [key] = 2, file = io.stdout }, { strict = false })
    local snapshot = world:snapshot()
    state.n, state.file = 5, io.stderr
    world:restore(snapshot)
    assert.same({ 1, f, 2, io.stderr }, { state.n, state.f, state[key], state.file })
    state.f, state.since = nil, 7 -- the table keeps its number of fields: one removed, one added
    world:restore(snapshot)
    assert.same({ n = 1, file = io.stderr, [key] = 2 }, state)
  end)

  it("that was registered or removed after the snapshot is restored", function()
    local world = impel.world {}
    local first = world:state { n = 1 }
    local before = world:snapshot()
    world:forget_state(first)
    local second = world:state { n = 1 }
    local after = world:snapshot()
    first.n, second.n = 2, 2
    world:restore(before)
    assert.same({ 1, 2 }, { first.n, second.n })
    first.n = 3
    world:restore(after)
    assert.same({ 3, 1 }, { first.n, second.n })
    world:restore(before)
    assert.same({ 1, 1 }, { first.n, second.n })
    assert.equal(before, world:snapshot())
  end)

  it("with __save and __load defines its own data", function()
    local world = impel.world {}
    local Counter = {}
    Counter.__index = Counter
    Counter.__save = function(self) return { value = self.hidden() } end
    Counter.__load = function(self, saved) self.hidden = function() return saved.value end end
    local counter = setmetatable({ hidden = function() return 7 end }, Counter)
    local state = world:state { counter = counter }
    local snapshot = world:snapshot()
    counter.hidden = function() return 8 end
    state.counter = nil
    world:restore(snapshot)
    assert.equal(counter, state.counter)
    assert.equal(7, counter.hidden())
    Counter.__load = function() error("no way back", 0) end
    local ok, message = pcall(world.restore, world, snapshot)
    assert.same({ false, "no way back" }, { ok, message })
    Counter.__load = function(self) self.world:destroy() end
    counter.world = world
    raises("called inside a __save or __load", world.restore, world, snapshot)
    assert.is_true(world:is_valid())
    Counter.__save = function() error("not now", 0) end
    assert.same({ false, "not now" }, { pcall(world.snapshot, world) })
  end)

  it("that is not strict may hold objects with values other than data", function()
    local world = impel.world {}
    local Loose = { __save = function() return { f = print, n = 1 } end, __load = function() end }
    world:state(setmetatable({}, Loose), { strict = false })
    assert.is_string(world:snapshot())
    world:state(setmetatable({}, Loose))
    raises("state.__save.f is a function", world.snapshot, world)
  end)

  it("and an object still share a common table after a restore", function()
    local world = impel.world {}
    local body = ball(world)
    local force = impel.virtual_force(world.ground, (function()
      world:revolute(world.ground, body, {})
      return body
    end)(), { stiffness = 1, target = { 1, 1 } })
    local state = world:state { deep = {} }
    local target = force.target
    -- A snapshot visits tables breadth-first: it finds `target` first in the controller, then in `state.deep.er`.
    state.deep.er = { target = target }
    local snapshot = world:snapshot()
    target[1] = 5
    world:restore(snapshot)
    assert.equal(target, force.target)
    assert.equal(target, state.deep.er.target)
    assert.same({ 1, 1 }, target)
    assert.equal(snapshot, world:snapshot())
  end)

  it("is unchanged by a snapshot of the core", function()
    local world = impel.world {}
    local state = world:state { n = 1 }
    local calls = 0
    local snapshot = world:snapshot { state = false }
    state.n = 2
    world:on("step", function() calls = calls + 1 end)
    world:restore(snapshot)
    world:step()
    assert.same({ 2, 1 }, { state.n, calls })
  end)
end)

describe("data of objects", function()
  it("are restored if they are plain", function()
    local world = impel.world {}
    local body = ball(world)
    local shape
    for s in body:shapes() do shape = s end
    local table_of_body = { hp = 3 }
    body.data, shape.data = table_of_body, "soft"
    local snapshot = world:snapshot()
    table_of_body.hp = 1
    body.data, shape.data = nil, nil
    local late = ball(world)
    late.data = 5
    world:restore(snapshot)
    assert.equal(table_of_body, body.data)
    assert.same({ hp = 3 }, body.data)
    assert.equal("soft", shape.data)
    body.data = print
    snapshot = world:snapshot()
    world:restore(snapshot)
    assert.equal(print, body.data)
  end)
end)

describe("handlers and functions", function()
  it("destroyed after the snapshot are called again in order; later ones are removed unless `outside`", function()
    local world = impel.world {}
    local calls = {}
    local function note(name) return function() calls[#calls + 1] = name end end
    local a, b = world:on("step", note "a"), world:on("step", note "b")
    local c = world:on("step", note "c")
    local snapshot = world:snapshot()
    b:destroy()
    a:destroy()
    local d = world:on("step", note "d")
    local e = world:on("step", note "e", { outside = true })
    world:step()
    assert.equal("cde", table.concat(calls))
    world:restore(snapshot)
    assert.same({ true, true, true, false, true }, { a:is_valid(), b:is_valid(), c:is_valid(), d:is_valid(),
      e:is_valid() })
    calls = {}
    world:step()
    assert.equal("abce", table.concat(calls))
    b:destroy()
    world:restore(snapshot)
    world:restore(snapshot)
    calls = {}
    world:step()
    assert.equal("abce", table.concat(calls))
  end)

  it("in shape.filter and in mix rules are restored", function()
    local world = impel.world {}
    world:material("ice", { friction = 0 })
    local calls = {}
    local function rule(name)
      return function()
        calls[#calls + 1] = name
        return 0.5
      end
    end
    local body = ball(world)
    local shape
    for s in body:shapes() do shape = s end
    local filter = function() return true end
    shape.filter = filter
    world:mix_rule("friction", rule "old")
    local old = world:mix_rules()
    local snapshot = world:snapshot()
    shape.filter = nil
    world:mix_rule("friction", rule "new")
    world:mix_rule("restitution", rule "more")
    world:restore(snapshot)
    assert.equal(filter, shape.filter)
    assert.same({ old }, { world:mix_rules() })
  end)

  it("become garbage unless a snapshot holds them", function()
    local world = impel.world {}
    world:snapshot()
    local gone = setmetatable({}, { __mode = "k" })
    for _ = 1, 100 do
      local f = function() return world end
      gone[f] = true
      world:on("step", f):destroy()
      local t = {}
      gone[t] = true
      world:state(t)
      world:forget_state(t)
    end
    collectgarbage()
    collectgarbage()
    assert.equal(nil, next(gone))
  end)
end)

-- Build a world as a scene would, with everything that the Lua part of a snapshot can contain.
local function scene()
  local world = impel.world { seed = 4 }
  world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
  local body, arm = ball(world), ball(world, { position = { 1, 5 } })
  local hinge = world:revolute(world.ground, arm, { anchor = { 0, 5 } })
  local pid = impel.pid(hinge, { kp = 20, ki = 5, kd = 1, target = 0.4 })
  local s = world:state { ticks = 0, list = {} }
  world:on("step", function()
    s.ticks = s.ticks + 1
    s.list[s.ticks % 5 + 1] = world:random()
    if s.ticks % 10 == 0 then body:apply_impulse(s.list[1], 1) end
  end)
  world:constraint(body, { dynamic = true, C = function(p) return p.x - 0.3 end })
  return { world = world, pid = pid, s = s, body = body }
end

describe("world:save and world:load", function()
  it("continue in another world made by the same calls, to the bit", function()
    with_file(function(path)
      local one = scene()
      one.world:step(57)
      assert.is_true(one.world:save(path))
      local bytes = one.world:snapshot()
      one.world:step(100)
      local two = scene()
      assert.is_true(two.world:load(path))
      assert.equal(bytes, two.world:snapshot())
      assert.same({ 57, one.pid.kp }, { two.s.ticks, two.pid.kp })
      two.world:step(100)
      assert.equal(one.world.hash, two.world.hash)
      assert.same(one.s, two.s)
      assert.equal(one.pid.integral, two.pid.integral)
    end)
  end)

  it("identify functions by their code, not by their line or the names of locals", function()
    local text = [[
      local impel = require "impel"
      local world, gains = impel.world {}, {}
      for i = 1, 3 do
        world:on("step", function()
          local twice = function(x) return x * 2.5, "a string of more than forty letters is written in another way" end
          gains[i] = (gains[i] or 0) + i * twice(1)
        end)
      end
      world:state(gains)
      return { world = world, gains = gains }
    ]]
    local function made_of(code, file) return assert(load(code, "@" .. (file or "scene.lua")))() end
    local one = made_of(text)
    one.world:step(2)
    local snapshot = one.world:snapshot()
    local two = made_of("-- moved\n\n" .. text:gsub("return x", "\n\n return x"):gsub("twice", "double"), "other.lua")
    two.world:restore(snapshot)
    two.world:step(1)
    assert.same({ 7.5, 15, 22.5 }, two.gains) -- each closure has its own i
    for pattern, other in pairs { ["2%.5"] = "2.6", ["x %* "] = "x + ", ["another"] = "an other" } do
      local three = made_of("\n" .. text:gsub(pattern, other), "other.lua")
      local words = "a 'step' handler (scene.lua:4), but this function has different code in this world (other.lua:5)"
      assert.has_error(function() three.world:restore(snapshot) end)
      local _, message = pcall(three.world.restore, three.world, snapshot)
      assert.truthy(message:find(words, 1, true), message)
      assert.same({}, three.gains)
    end
  end)

  it("report a mismatch, and change nothing", function()
    with_file(function(path)
      local one = scene()
      one.world:step(5)
      assert.is_true(one.world:save(path))
      local bare = impel.world {}
      local hash = bare.hash
      local ok, message = bare:load(path)
      assert.equal(nil, ok)
      local said = message:sub(#path + 1)
      local words = "^: the snapshot has a '%a+' handler %([%w_]+%.lua:%d+%) that this world does not have$"
      assert.truthy(said:find(words), said)
      bare:on("substep", function() end)
      bare:on("step", function() end)
      ok, message = bare:load(path)
      assert.equal(nil, ok)
      assert.truthy(message:find("but this function has different code in this world", 1, true), message)
      assert.equal(hash, bare.hash)
      ok, message = bare:load(path .. ".nowhere")
      assert.same({ nil, path .. ".nowhere: No such file or directory" }, { ok, message })
      assert.same({ nil, "/: Is a directory" }, { bare:load "/" })
      ok, message = one.world:save "/nowhere/at/all"
      assert.same({ nil, "cannot write /nowhere/at/all: No such file or directory" }, { ok, message })
    end)
  end)

  it("keep the previous file if the disk is full", function()
    local world = impel.world {}
    local ok, message = world:save "/dev/full"
    assert.same({ nil, "cannot write /dev/full: No space left on device" }, { ok, message })
  end)

  it("report a wrong length of a snapshot", function()
    local one = scene()
    local bytes = one.world:snapshot()
    local core = require("impel.core").snapshot_info(bytes).core
    local function refused(words, other) raises("world:restore: " .. words, one.world.restore, one.world, other) end
    refused("the bytes are not a snapshot of a world: got 3 bytes, at least ", "abc")
    refused("the length of the snapshot is wrong: it was cut", bytes:sub(1, core - 1))
    refused("the snapshot has the wrong length: 3 bytes follow the core's part", bytes:sub(1, core + 3))
    local part = #bytes - core - 32
    local text = "the wrong length: its Lua part has %d bytes, but had %d when it was made"
    refused("the snapshot has " .. text:format(part - 1, part), bytes:sub(1, -2))
    refused("the snapshot has " .. text:format(part + 1, part), bytes .. "x")
    refused("the snapshot is damaged: the bytes after the core's part are not a Lua part",
      bytes:sub(1, core) .. "impel" .. bytes:sub(core + 6))
  end)

  it("refuse a snapshot that is cut anywhere or has any damaged byte", function()
    local one = scene()
    one.world:step(20)
    local bytes = one.world:snapshot()
    local hash, ticks = one.world.hash, one.s.ticks
    one.world:step(3)
    local now = one.world.hash
    -- Bytes cut at the end of the core's part are a valid snapshot without a Lua part.
    local core = require("impel.core").snapshot_info(bytes).core
    for i = 0, #bytes - 1, 13 do
      if i ~= core then raises("world:restore: ", one.world.restore, one.world, bytes:sub(1, i)) end
      local bad = bytes:sub(1, i) .. string.char(bytes:byte(i + 1) ~ 0x41) .. bytes:sub(i + 2)
      raises("world:restore: ", one.world.restore, one.world, bad)
    end
    assert.same({ now, ticks + 3 }, { one.world.hash, one.s.ticks })
    one.world:restore(bytes)
    assert.same({ hash, ticks }, { one.world.hash, one.s.ticks })
  end)
end)

describe("controllers", function()
  it("that follow a track continue along it after a restore, also in another world made by the same calls", function()
    local function make(follows)
      local world = impel.world {}
      local body = ball(world)
      local posture = impel.posture({ hip = world:revolute(world.ground, body, {}) }, { stiffness = 50, damping = 5 })
      local track = impel.track { loop = true,
        keys = { { time = 0, hip = 0 }, { time = 1, hip = 1 }, { time = 2, hip = 0 } } }
      if follows then posture:follow(track) end
      return world, posture, track
    end
    local world, posture, track = make(true)
    world:step(10)
    local snapshot = world:snapshot()
    world:step(10)
    local hash = world.hash
    posture:follow(nil)
    world:restore(snapshot)
    assert.equal(track, posture.state.track)
    world:step(10)
    assert.equal(hash, world.hash)
    local twin = make(true)
    twin:restore(snapshot)
    twin:step(10)
    assert.equal(hash, twin.hash)
    local other = make(false)
    local ok, message = pcall(other.restore, other, snapshot)
    assert.same({ false, "posture: the snapshot contains a track that was never given to posture:follow() in this "
      .. "world" }, { ok, message })
  end)

  it("destroyed after the snapshot act again after a restore, with their state of the snapshot", function()
    local one = scene()
    one.world:step(30)
    local snapshot = one.world:snapshot()
    one.world:step(30)
    local hash = one.world.hash
    one.pid:destroy()
    one.world:step(30)
    one.world:restore(snapshot)
    assert.is_true(one.pid:is_alive())
    one.world:step(30)
    assert.equal(hash, one.world.hash)
    one.pid.kp, one.pid.target = 1, 9
    one.world:restore(snapshot)
    assert.same({ 20, 0.4 }, { one.pid.kp, one.pid.target })
  end)
end)
