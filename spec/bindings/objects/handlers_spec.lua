-- Handlers: order, errors, and which calls each kind may make.
local core = require "impel.core"

-- Build a world whose first steps make begin, hit and sensor events. Its bodies then come to rest and fall asleep.
local function busy_world(solver)
  local world = core.world { solver = solver or "soft" }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 20, 1, center = { 0, -0.5 }, pre_solve = true }
  ground:box { 2, 0.4, center = { 5, 0.2 }, sensor = true }
  for i = 0, 2 do
    local body = world:body { name = "box" .. i, position = { 2 * i - 4, 0.52 }, velocity = { 0, -3 } }
    body:box { 1, 1 }
  end
  local visitor = world:body { name = "visitor", position = { 5, 0.52 }, velocity = { 0, -3 } }
  visitor:box { 1, 1 }
  return world
end

local function names(world)
  local list = {}
  for body in world:bodies() do list[#list + 1] = body.name end
  return list
end

-- All kinds of handlers, from the message about an unknown kind.
local kinds = {}
do
  local world = core.world {}
  local _, message = pcall(world.on, world, "", print)
  for kind in message:match("one of (.*), got"):gmatch "'([%l_]+)'" do kinds[#kinds + 1] = kind end
end

-- Return a world that calls handlers of all kinds within 150 steps, and a function that steps it in a coroutine.
local function full_world()
  local world = core.world {}
  local bodies = { world:body { type = "static" } }
  bodies[1]:box { 40, 1, center = { 0, -0.5 }, pre_solve = true }
  for i = 1, 4 do
    bodies[i + 1] = world:body { position = { 2 * i, 1.5 }, velocity = { 0, -2 } }
    bodies[i + 1]:box { 1, 1 }
  end
  local gates = world:body { type = "static" }
  gates:box { 2, 1, center = { 2, 2.5 }, sensor = true }
  gates:box { 1, 2, center = { 2, 1.2 }, sensor = true }
  local lost = world:body { position = { 2e6, 0 }, velocity = { 1e7, 0 } }
  lost:box { 1, 1 }
  local ball = world:body { position = { -5, 3 } }
  ball:circle { radius = 0.5, restitution = 0.9 }
  local hung = { world:body { position = { -8, 5 } }, world:body { position = { -9, 5 } } }
  world:distance(world.ground, hung[1], { break_force = 1 })
  world:distance(world.ground, hung[2], { name = "rod" })
  for _, body in ipairs { gates, lost, ball, hung[1] } do bodies[#bodies + 1] = body end
  return world, bodies, function()
    local first = bodies[2]
    if world.tick == 20 then hung[2]:destroy() end
    if world.tick == 119 and first:is_valid() and first.type == "dynamic" then first:apply_impulse(0, 3) end
    return coroutine.resume(coroutine.create(function() world:step() end))
  end
end

-- Kinds that fire within two seconds in a busy world.
local busy_kinds = { "step", "substep", "pre_solve", "begin_contact", "hit", "sensor_begin", "sleep" }

-- Step for 2.5 s. The boxes come to rest within 2 s and fall asleep after 0.5 s at rest.
local function run(world) world:step(150) end

describe("handlers", function()
  it("get dt before each step and h before each substep", function()
    local world = core.world { substeps = 4 }
    world:body({ position = { 0, 5 } }):circle { radius = 1 }
    local steps, substeps = {}, {}
    world:on("step", function(dt) steps[#steps + 1] = dt end)
    world:on("substep", function(h) substeps[#substeps + 1] = h end)
    world:step(3)
    assert.equal(3, #steps)
    assert.equal(12, #substeps)
    assert.equal(world.dt, steps[1])
    assert.is_true(math.abs(substeps[1] - world.dt / 4) < 1e-15) -- rounding of one division
  end)

  it("run in the order of their registration for each event; events are sorted by kind, then by id", function()
    local world = busy_world()
    local log = {}
    world:on("hit", function(e) log[#log + 1] = "hit " .. e.body_b.name end)
    world:on("begin_contact", function(e) log[#log + 1] = "first " .. e.body_b.name end)
    world:on("begin_contact", function(e) log[#log + 1] = "second " .. e.body_b.name end)
    world:on("step", function() log[#log + 1] = "step" end)
    world:step(2)
    local expected = { "step" }
    local at_first_begin
    for i, line in ipairs(log) do
      if line:find "^first" and not at_first_begin then at_first_begin = i end
    end
    assert.equal(expected[1], log[1])
    assert.equal("first box0", log[at_first_begin])
    assert.equal("second box0", log[at_first_begin + 1])
    assert.equal("first box1", log[at_first_begin + 2])
    local last_begin, first_hit
    for i, line in ipairs(log) do
      if line:find "^second" then last_begin = i end
      if line:find "^hit" then first_hit = first_hit or i end
    end
    assert.is_true(last_begin < first_hit)
  end)

  it("get the same events as world:events", function()
    local world = busy_world()
    local heard, listed = {}, {}
    world:on("begin_contact", function(e) heard[#heard + 1] = e end)
    world:step(2)
    for e in world:events "begin_contact" do listed[#listed + 1] = e end
    if #listed == #heard then
      for i = 1, #heard do assert.is_true(rawequal(heard[i], listed[i])) end
    end
    assert.is_true(#heard >= 4)
  end)

  it("get a contact whose normal points from a to b, with a positive approach speed", function()
    local world = busy_world()
    local n = 0
    world:on("begin_contact", function(e)
      n = n + 1
      assert.equal("ground", e.body_a.name)
      assert.equal(e.body_b, e.shape_b.body)
      assert.is_true(e.ny > 0.999 and e.speed > 0)
    end)
    world:step(2)
    assert.is_true(n > 0)
  end)

  it("of sensors get the sensor and the visitor", function()
    local world = busy_world()
    local visitor
    world:on("sensor_begin", function(e)
      assert.is_true(e.sensor.sensor)
      visitor = e.visitor.body
    end)
    world:step(5)
    assert.equal(world:find "visitor", visitor)
  end)

  it("are not called again once destroyed, by themselves or by a handler that runs before them", function()
    local world = core.world {}
    local calls = { 0, 0, 0 }
    local one, three
    one = world:on("step", function()
      calls[1] = calls[1] + 1
      one:destroy()
      three:destroy()
    end)
    world:on("step", function() calls[2] = calls[2] + 1 end)
    three = world:on("step", function() calls[3] = calls[3] + 1 end)
    assert.is_true(one:is_valid())
    assert.equal("step", one.event)
    world:step(5)
    one:destroy()
    assert.is_false(one:is_valid())
    assert.same({ 1, 5, 0 }, calls)
    assert.has_error(function() return one.event end)
  end)

  it("registered in a handler wait for the next dispatch", function()
    local world = core.world {}
    local late = 0
    local registered = false
    world:on("step", function()
      if not registered then
        registered = true
        world:on("step", function() late = late + 1 end)
      end
    end)
    world:step()
    assert.equal(0, late)
    world:step(3)
    assert.equal(3, late)
  end)

  it("may be created and destroyed by the thousands", function()
    local world = core.world {}
    local n = 0
    for _ = 1, 1000 do
      local handler = world:on("step", function() n = n + 1 end)
      world:step()
      handler:destroy()
    end
    assert.equal(1000, n)
  end)
end)

describe("an error in a handler", function()
  for _, kind in ipairs(busy_kinds) do
    it("of '" .. kind .. "' is raised after the step; the other handlers get every event", function()
      local world = busy_world()
      local before, after = 0, 0
      world:on(kind, function() before = before + 1 end)
      local failing = world:on(kind, function() error "first trouble" end)
      world:on(kind, function() error "second trouble" end)
      world:on(kind, function() after = after + 1 end)
      local ok, message = pcall(run, world)
      assert.is_false(ok)
      assert.truthy(message:find("handlers_spec.lua:%d+: first trouble"), message)
      assert.truthy(message:find("stack traceback", 1, true))
      assert.is_nil(message:find("second trouble", 1, true))
      assert.is_true(before > 0)
      assert.equal(before, after)
      -- The failed step was completed, the remaining steps did not run.
      local tick = world.tick
      assert.is_true(tick >= 1 and tick < 150)
      assert.equal(5, #names(world))
      failing:destroy()
      pcall(run, world)
      assert.is_true(world.tick > tick)
      assert.truthy(world.hash)
    end)
  end

  it("may be any value", function()
    local world = core.world {}
    local thing = { code = 7 }
    local handler = world:on("step", function() error(thing) end)
    local ok, value = pcall(world.step, world)
    assert.is_false(ok)
    assert.equal(thing, value)
    handler:destroy()
    world:on("step", function() error() end)
    ok, value = pcall(world.step, world)
    assert.is_false(ok)
    assert.is_string(value)
    assert.equal(2, world.tick)
  end)

  it("leaves the same state as a step without an error", function()
    local a, b = busy_world(), busy_world()
    a:on("begin_contact", function() error "x" end)
    for _ = 1, 60 do
      pcall(a.step, a)
      b:step()
    end
    assert.equal(b.hash, a.hash)
  end)
end)

describe("a handler of any kind", function()
  local function each_living(bodies, f)
    for _, body in ipairs(bodies) do
      if body:is_valid() then f(body) end
    end
  end

  -- Actions, each with a word of the error that the action raises, or nil.
  local acts = {
    ["destroys all bodies"] = { function(_, bodies)
      for _, body in ipairs(bodies) do body:destroy() end
    end },
    ["destroys all shapes"] = { function(_, bodies)
      each_living(bodies, function(body)
        for shape in body:shapes() do shape:destroy() end
      end)
    end },
    ["creates bodies and shapes"] = { function(world)
      if world:counts().bodies > 60 then return end
      local body = world:body { position = { 2, 1 } }
      body:box { 1, 1 }
      body:circle { radius = 1 }
    end },
    ["changes positions, types and filters"] = { function(_, bodies)
      each_living(bodies, function(body)
        for shape in body:shapes() do
          shape.mask = shape.mask ~ 2
          shape:set_one_way(0, 1)
        end
        if body.type ~= "dynamic" then return end
        body:set_position(1, 1)
        body.type = "kinematic"
        body.type = "dynamic"
      end)
    end },
    ["fails"] = { function() error "trouble" end, "trouble" },
    ["yields"] = { function() coroutine.yield() end, "a handler cannot yield" },
    ["steps its world"] = { function(world) world:step() end, "inside a handler" },
    ["destroys its world"] = { function(world) world:destroy() end, "inside a handler" },
    ["closes its world"] = { function(world) local _ <close> = world end, "inside a handler" },
  }

  it("is in the list of tested kinds", function()
    assert.is_true(#kinds >= 11)
    for _, kind in ipairs(busy_kinds) do assert.truthy(table.concat(kinds, " "):find(kind, 1, true)) end
  end)

  for what, act in pairs(acts) do
    for _, kind in ipairs(kinds) do
      it("that " .. what .. " leaves the world valid: '" .. kind .. "'", function()
        local world, bodies, step = full_world()
        local calls, others = 0, 0
        world:on(kind, function()
          calls = calls + 1
          act[1](world, bodies)
        end)
        world:on(kind, function() others = others + 1 end)
        for tick = 1, 150 do
          local before = calls
          local ok, message = step()
          assert.equal(calls == before or not act[2], ok, message)
          if not ok then
            assert.truthy(message:find("handlers_spec%.lua:%d+: "), message)
            assert.truthy(message:find(act[2], 1, true), message)
          end
          assert.equal(tick, world.tick)
        end
        assert.is_true(calls > 0, "no scene for handlers of '" .. kind .. "'")
        assert.equal(calls, others)
        assert.equal(16, #world.hash)
        world:destroy()
      end)
    end
  end
end)

describe("inside a handler", function()
  for _, kind in ipairs(busy_kinds) do
    it("of '" .. kind .. "', stepping, destroying the world and yielding are errors", function()
      local world = busy_world()
      local results = {}
      world:on(kind, function()
        results.step = { pcall(world.step, world) }
        results.destroy = { pcall(world.destroy, world) }
        results.yield = { pcall(coroutine.yield) }
      end)
      local thread = coroutine.create(function() run(world) end)
      assert.is_true(coroutine.resume(thread))
      assert.equal("dead", coroutine.status(thread))
      for _, what in ipairs { "step", "destroy" } do
        assert.is_false(results[what][1])
        assert.truthy(results[what][2]:find("inside a handler", 1, true), results[what][2])
      end
      assert.is_false(results.yield[1])
      assert.is_true(world:is_valid())
      world:step()
    end)

    it("of '" .. kind .. "', another world may be stepped", function()
      local world, other = busy_world(), core.world {}
      world:on(kind, function() other:step() end)
      run(world)
      assert.is_true(other.tick > 0)
    end)

    it("of '" .. kind .. "', bodies, shapes and handlers may be created and destroyed", function()
      local world = busy_world()
      local done = 0
      world:on(kind, function()
        if done == 3 then return end
        done = done + 1
        local body = world:body { name = "new" .. done, position = { 0, 10 + 3 * done }, velocity = { 1, 0 } }
        assert(body:is_valid())
        local shape = body:circle { radius = 0.5, friction = 0.25 }
        assert(shape:is_valid() and shape.friction == 0.25 and shape.body == body)
        local x, y = body:position()
        assert(x == 0 and y == 10 + 3 * done)
        assert(body:velocity() == 1)
        local gone = world:body { name = "gone" }
        local lost = gone:box { 1, 1 }
        gone:destroy()
        assert(not gone:is_valid() and not lost:is_valid())
        gone:destroy()
        local victim = world:find("box" .. (done - 1))
        if victim then
          victim:destroy()
          assert(not victim:is_valid())
          assert(not pcall(victim.position, victim))
        end
        local handler = world:on(kind, function() end)
        handler:destroy()
      end)
      run(world)
      assert.is_true(done >= 1)
      for i = 1, done do assert.is_truthy(world:find("new" .. i)) end
      assert.is_nil(world:find "gone")
      for i = 0, done - 1 do assert.is_nil(world:find("box" .. i)) end
      run(world)
      assert.equal(16, #world.hash)
    end)
  end

  it("of 'step', every change takes effect at once", function()
    local world = core.world { gravity = { 0, 0 } }
    local body = world:body {}
    body:circle { radius = 1 }
    local handler = world:on("step", function()
      body:set_position(5, 0)
      body:set_velocity(60, 0)
    end)
    world:step()
    handler:destroy()
    -- x = 5 m + 60 m/s x 1/60 s; positions are in single precision.
    assert.is_true(math.abs(body:position() - 6) < 1e-6)
  end)

  it("of 'substep', forces act in that substep, and changes of position wait for the step's end", function()
    local world = core.world { gravity = { 0, 0 }, substeps = 4 }
    local body = world:body { mass = 2 }
    local n, seen = 0, {}
    local handler = world:on("substep", function()
      n = n + 1
      seen[n] = (body:velocity())
      if n == 2 then body:apply_force(120, 0) end -- 60 m/s^2 for 1/240 s
      if n == 3 then body:set_position(100, 0) end
      if n == 4 then assert(body:position() < 50) end
    end)
    world:step()
    handler:destroy()
    assert.is_true(math.abs(seen[2]) < 1e-12 and math.abs(seen[3] - 0.25) < 1e-6) -- velocities are in single precision
    assert.is_true(math.abs(body:velocity() - 0.25) < 1e-6)
    assert.equal(100, (body:position()))
  end)

  it("of 'begin_contact', both bodies may be destroyed; end_contact is reported once (10^5 pairs)", function()
    local world = core.world {}
    local begun, ended = 0, 0
    world:on("begin_contact", function(e)
      begun = begun + 1
      local a, b = e.body_a, e.body_b
      a:destroy()
      b:destroy()
      assert(not a:is_valid() and e.body_a == a and not e.shape_b:is_valid())
    end)
    world:on("end_contact", function(e)
      ended = ended + 1
      assert(not e.body_a:is_valid())
    end)
    for i = 1, 100000 do
      local a = world:body { position = { 0, 0 }, velocity = { 1, 0 } }
      a:circle { radius = 0.5 }
      local b = world:body { position = { 0.99, 0 }, velocity = { -1, 0 } }
      b:circle { radius = 0.5 }
      world:step(2)
      if begun ~= i or ended ~= i or world:counts().bodies > 0 then
        error(("round %d: %d begun, %d ended"):format(i, begun, ended))
      end
    end
  end)

  it("the events of a destroyed body still have its name and id", function()
    local world = busy_world()
    local told
    world:find("box0")
    world:on("begin_contact", function(e)
      if not told then
        told = e.body_b
        told:destroy()
      end
    end)
    world:step(3)
    assert.equal("destroyed body 'box0'", tostring(told))
  end)
end)

describe("contacts in handlers", function()
  it("include the contacts that began in the current step", function()
    local world = busy_world()
    local touching = 0
    world:on("begin_contact", function(e)
      for contact in e.body_b:contacts() do
        assert(contact.body_a == e.body_a or contact.body_b == e.body_b)
        touching = touching + 1
      end
    end)
    world:step(2)
    assert.is_true(touching > 0)
  end)

  it("carry the weight at rest", function()
    local world = core.world {}
    world:body({ type = "static" }):box { 10, 1, center = { 0, -0.5 } }
    local body = world:body { position = { 0, 0.5 }, allow_sleep = false }
    body:box { 1, 1 }
    world:step(120)
    local fx, fy = 0, 0
    for contact in body:contacts() do
      local x, y = contact:force()
      fx, fy = fx + x, fy + y
    end
    local bx, by = body:contact_force()
    -- After 2 s the body is at rest, so the force is its weight m g, in single precision.
    assert.is_true(math.abs(fy - 9.81) < 1e-2 and math.abs(fx) < 1e-2)
    -- Both forces are sums of the same impulses, in double precision.
    assert.is_true(math.abs(by - fy) < 1e-6 and math.abs(bx - fx) < 1e-6)
  end)
end)

describe("kept events and contacts", function()
  -- Userdata of events and contacts are reused after 60 steps at the earliest.
  local REST = 60

  -- Circles that begin and end contacts in every step.
  local function churn(world, n)
    world:body({ type = "static" }):circle { radius = 0.5 }
    local bodies = {}
    for i = 1, n do
      bodies[i] = world:body { gravity_scale = 0 }
      bodies[i]:circle { radius = 0.5, mask = 1, category = 2 }
    end
    for body in world:bodies() do
      for shape in body:shapes() do shape.category = body.type == "static" and 1 or 2 end
    end
    local turn = 0
    return function()
      turn = turn + 1
      for i, body in ipairs(bodies) do
        body:set_velocity(0, 0)
        body:set_position((turn + i) % 2 == 0 and 0.99 or 5, 0)
      end
      world:step()
    end
  end

  it("raise an error if used after their step, and are reused after 60 steps at the earliest", function()
    local world = core.world { sleep = false }
    local step = churn(world, 2)
    local kept, reused = {}, { event = 0, contact = 0 }
    local owner = {} -- object -> the step after which it was last returned
    local function meet(kind, object)
      if owner[object] then
        assert.is_true(world.tick - owner[object] >= REST, kind .. " used again too early")
        reused[kind] = reused[kind] + 1
      end
      owner[object] = world.tick
      kept[object] = kind
    end
    world:on("begin_contact", function(event) meet("event", event) end)
    world:on("end_contact", function(event) meet("event", event) end)
    for _ = 1, 3 * REST do
      step()
      local here = {}
      for contact in world:contacts() do
        if not here[contact] then meet("contact", contact) end
        here[contact] = true
      end
      for object, kind in pairs(kept) do
        if owner[object] < world.tick then
          assert.is_false(object:is_valid())
          local ok, message = pcall(function() return object.body_a end)
          assert.is_false(ok)
          local words = "%s after its step %%(an? %s object is valid until the next step"
          assert.matches(words:format(kind, kind), message)
        end
      end
    end
    assert.is_true(reused.event > 0 and reused.contact > 0)
  end)

  it("come from pools that stop growing", function()
    local world = core.world { sleep = false }
    local step = churn(world, 8)
    local n = 0
    world:on("begin_contact", function(event) n = n + event.speed end)
    local function frames(count)
      for _ = 1, count do
        step()
        for contact in world:contacts() do n = n + contact.count end
      end
    end
    frames(1000)
    collectgarbage()
    collectgarbage "stop"
    frames(1000)
    local before = collectgarbage "count"
    frames(2000)
    local after = collectgarbage "count"
    collectgarbage "restart"
    assert.is_true(n > 0)
    assert.equal(before, after)
  end)
end)


describe("a filter set inside a substep", function()
  it("keeps category and mask, set in either order", function()
    local world = core.world {}
    local shape = world:body {}:circle { radius = 1 }
    world:on("substep", function()
      if shape.category == 1 then
        shape.category = 2
        shape.mask = 5
        assert.equal(2, shape.category)
      end
    end)
    world:step()
    assert.equal(2, shape.category)
    assert.equal(5, shape.mask)
  end)
end)
