-- Faults: a body whose state becomes non-finite is reset to its last valid pose, disabled and reported. The oracle is a
-- twin world, in which the body is disabled by hand before the step of the fault.
local impel = require "impel"

local SOLVERS = require("support.kinds").solvers
local HOW = { "substep", "field", "motor", "dynamic" }
local BREAK = 30 -- number of the step in which the fault occurs

-- A stack beside a tower of jointed boxes, and another stack far away. `bad` is the lowest box of the tower.
local function build(options, rows)
  local world = impel.world(options)
  world:body({ type = "static" }):box { 1000, 1, center = { 0, -0.5 } }
  local list = {}
  local function add(x, y)
    local body = world:body { position = { x, y }, name = "box " .. #list + 1 }
    body:box { 1, 1 }
    list[#list + 1] = body
    return body
  end
  for i = 1, 4 do add(0, i - 0.5) end
  local bad, above = add(1.02, 0.5), add(1.02, 1.5)
  local top, aside = add(1.02, 3), add(2.3, 3)
  local far = #list + 1
  for i = 0, rows or 1 do add(20 + 1.2 * (i // 2), 0.5 + i % 2) end
  local motor = world:revolute(above, bad, { anchor = { 1.02, 1 }, angle = { motor = { speed = 0, max_force = 10 } } })
  world:revolute(above, top, { anchor = { 1.02, 2.2 } })
  world:distance(top, aside, {})
  world:revolute(world.ground, list[4], { anchor = { 0, 4 } })
  return { world = world, list = list, bad = bad, motor = motor, far = far }
end

-- Cause a fault in each way that a script can.
local arrange = {
  substep = function(s)
    s.world:on("substep", function()
      s.calls = (s.calls or 0) + 1
      if s.extreme then s.bad:apply_impulse(9e14, 9e14) else s.bad:apply_force(1, 0) end
    end)
  end,
  field = function(s)
    s.field = s.world:field { kind = "custom", bodies = { s.bad }, param = { k = 0 },
      law = function(_, _, param) return param.k * param.k, 0 end }
  end,
  dynamic = function(s)
    s.field = s.world:field { kind = "custom", bodies = { s.bad }, dynamic = true,
      law = function() return s.extreme and 9e14 or 0, 0 end }
    s.world:on("substep", function() s.list[1]:apply_force(s.world:random(), 0) end)
  end,
  motor = function() end,
}

local function become_non_finite(s, how)
  s.extreme = true
  if how == "field" then s.field.param.k = 1e200 end -- the square of k is infinite
  if how == "motor" then s.motor.motor_speed, s.motor.max_force = 1e12, math.huge end
end

local function faults_of(world)
  local told = {}
  for event in world:events "fault" do told[#told + 1] = { event.body, event.stage } end
  return told
end

-- Collect the results of a step: rows with an impulse, contact forces, the energy, and the energy ledger if the world
-- has one.
local function account(s)
  local told = {}
  for row in s.world:rows() do
    local owner = tostring(row.owner)
    if row.impulse ~= 0 then told[#told + 1] = { owner, row.kind, row.impulse, row.force, row.power, row.work } end
  end
  for i, body in ipairs(s.list) do told[#told + 1] = { i, body:contact_force() } end
  told[#told + 1] = { s.world:energy() }
  if s.world.auditing then
    local ledger = s.world:audit()
    ledger.worst_owner, ledger.step.worst_owner = nil, nil
    told.ledger = ledger
  end
  return told
end

local STAGE = { substep = "substep", field = "field", dynamic = "substep", motor = "solve" }

-- Step a world with a fault, its twin, and a world without a fault side by side.
local function compare(how, options, rows)
  local s, twin, calm = build(options, rows), build(options, rows), build(options, rows)
  for _, each in ipairs { s, twin, calm } do arrange[how](each) end
  for step = 1, BREAK + 10 do
    if step == BREAK then
      become_non_finite(s, how)
      become_non_finite(twin, how)
      twin.bad.enabled = false
    end
    local x, y
    if step == BREAK then x, y = s.bad:position() end
    for _, each in ipairs { s, twin, calm } do each.world:step() end
    local label = ("%s in step %d"):format(how, step)
    if step == BREAK then
      assert.same({ { s.bad, STAGE[how] } }, faults_of(s.world), label)
      assert.same({ x, y, 0, 0 }, { s.bad:position(), select(2, s.bad:position()), s.bad:velocity() }, label)
      assert.is_false(s.bad.enabled)
    else
      assert.same({}, faults_of(s.world), label)
    end
    for i, body in ipairs(s.list) do
      assert.equal(twin.list[i].hash, body.hash, label .. ", body " .. i)
      if i >= s.far then assert.equal(calm.list[i].hash, body.hash, label .. ", body " .. i) end
    end
    assert.equal(twin.world.hash, s.world.hash, label)
    assert.same(account(twin), account(s), label)
  end
  assert.are_not.equal(calm.world.hash, s.world.hash)
end

describe("a body with a non-finite state", function()
  for _, solver in ipairs(SOLVERS) do
    it("has the same effect on the step as a body disabled before the step: " .. solver, function()
      for _, how in ipairs(HOW) do compare(how, { solver = solver }) end
    end)
  end

  it("is disabled at every width of lanes and number of threads, awake or about to sleep", function()
    for _, form in ipairs { { 1, 3 }, { 4, 1 }, { 16, 3 } } do
      for _, how in ipairs { "substep", "motor" } do
        compare(how, { lanes = form[1], threads = form[2] }, 400) -- 400 boxes have enough rows for several threads
      end
    end
  end)

  it("gives the same bits at any width of lanes and number of threads", function()
    local hash
    for _, lanes in ipairs { 1, 4, 8, 16 } do
      for threads = 1, lanes == 4 and 3 or 1, 2 do
        local s = build({ lanes = lanes, threads = threads }, 400)
        arrange.substep(s)
        for step = 1, BREAK + 3 do
          if step == BREAK then become_non_finite(s) end
          s.world:step()
        end
        hash = hash or s.world.hash
        assert.equal(hash, s.world.hash)
      end
    end
  end)

  it("leaves no trace in the ledger of energy", function()
    for _, how in ipairs { "substep", "motor" } do compare(how, { auditing = true }) end
  end)

  it("without contacts and joints is not put to sleep in the step of the fault", function()
    for _, solver in ipairs(SOLVERS) do
      local worlds = {}
      for k = 1, 2 do
        local world = impel.world { solver = solver, substeps = 4 }
        local body = world:body { position = { 6, 4 } }
        body:circle { radius = 0.2 }
        local s = { world = world, body = body }
        world:on("substep", function()
          if s.extreme and body.enabled then body:apply_force(9e14, 9e14) end
        end)
        world:step(20)
        worlds[k] = s
      end
      worlds[1].extreme, worlds[2].body.enabled = true, false
      for _, s in ipairs(worlds) do s.world:step() end
      assert.equal(1, #faults_of(worlds[1].world), solver)
      assert.equal(worlds[2].world.hash, worlds[1].world.hash, solver)
    end
  end)

  it("is the body that the faulty constraint acts on, not a body jointed to that body", function()
    local laws = {
      rows = function(s)
        return { rows = function(row) row { J = { { 1, 0, 0 } }, C = 0, bias = s.extreme and -1e14 or 0 } end }
      end,
      dynamic = function(s)
        return { dynamic = true, C = function(p) return p.y - 4 + (s.extreme and 1e14 or 0) end }
      end,
      traced = function() return { C = function(p, _, param) return p.y - 4 + param.k end, param = { k = 0 } } end,
    }
    for name, law in pairs(laws) do
      for _, solver in ipairs { "soft", "si", "xpbd", "direct", "rattle" } do
        local world, s = impel.world { solver = solver }, {}
        local last = world.ground
        for i = 1, 12 do
          local link = world:body { position = { i, 4 } }
          link:circle { radius = 0.2 }
          world:revolute(last, link, { anchor = { i - 0.5, 4 } })
          last = link
        end
        local innocent = world:body { position = { 12, 6 } }
        innocent:circle { radius = 0.2 }
        world:distance(last, innocent, {})
        world:constraint(innocent, { dynamic = true, limit = { 0, 100 }, C = function(p)
          assert(impel.value(p.y) == impel.value(p.y), "called with a non-finite number")
          return p.y
        end })
        local constraint = world:constraint(last, law(s))
        world:step(10)
        s.extreme = true
        if name == "traced" then constraint.param.k = 1e14 end
        world:step()
        assert.same({ { last, "solve" } }, faults_of(world), name .. ", " .. solver)
      end
    end
  end)

  it("can be one of several in a step, each in its own island", function()
    for _, solver in ipairs(SOLVERS) do
      local worlds = {}
      for k = 1, 2 do
        local world = impel.world { solver = solver }
        world:body({ type = "static" }):box { 1000, 1, center = { 0, -0.5 } }
        local s = { world = world, list = {}, bad = {} }
        for i = 1, 20 do
          for j = 1, 2 do
            local body = world:body { position = { 3 * i, j - 0.5 } }
            body:box { 1, 1 }
            s.list[#s.list + 1] = body
            if j == i % 2 + 1 then s.bad[i] = body end
          end
        end
        world:on("substep", function()
          for _, body in ipairs(s.extreme and s.bad or {}) do body:apply_impulse(0, 9e14) end
        end)
        worlds[k] = s
      end
      local s, twin = worlds[1], worlds[2]
      for step = 1, 25 do
        if step == 20 then
          s.extreme = true
          for _, body in ipairs(twin.bad) do body.enabled = false end
        end
        s.world:step()
        twin.world:step()
        assert.equal(step == 20 and 20 or 0, #faults_of(s.world), solver)
        assert.equal(twin.world.hash, s.world.hash, solver)
      end
    end
  end)

  it("causes the step's substep handlers to be called again, with the world's random generator restored", function()
    local s = build {}
    arrange.substep(s)
    s.world:step(5)
    local before, state = s.calls, s.world:options().generator
    s.world:on("substep", function() s.drawn = s.world:random() end)
    s.extreme = true
    s.world:step()
    assert.equal(8, s.calls - before)
    local other = impel.world { generator = state }
    local drawn
    for _ = 1, 4 do drawn = other:random() end
    assert.equal(drawn, s.drawn)
  end)

  it("ignores forces while disabled, and moves again once it is enabled", function()
    for _, solver in ipairs(SOLVERS) do
      local s = build { solver = solver }
      arrange.substep(s)
      s.world:step(10)
      s.extreme = true
      s.world:step()
      assert.is_false(s.bad.enabled)
      s.bad:apply_force(9e14, 0)
      s.bad:apply_impulse(9e14, 0)
      s.world:step(2)
      assert.same({ 0, 0, false, false }, { s.bad:velocity(), select(2, s.bad:velocity()), s.bad.awake, s.bad.enabled })
      s.extreme = false
      s.bad:set_position(-5, 0.5)
      s.motor:destroy()
      s.bad.enabled = true
      assert.is_true(s.bad.awake)
      s.world:step(60)
      assert.same({}, faults_of(s.world))
      local x, y = s.bad:position()
      assert.near(0.5, y, 0.02, solver) -- the body rests on the ground, with an overlap
      assert.near(-5, x, 0.02, solver)  -- friction holds the body against a force of 1 N
      local contacts = 0
      for _ in s.bad:contacts() do contacts = contacts + 1 end
      assert.equal(1, contacts)
    end
  end)

  it("is part of a snapshot: steps after a restore give the same bits as the original steps", function()
    local s = build {}
    arrange.motor(s)
    s.world:step(20)
    local before = s.world:snapshot()
    become_non_finite(s, "motor")
    s.world:step()
    local after, hash = s.world:snapshot(), s.world.hash
    s.world:step(10)
    local later = s.world.hash
    s.world:restore(after)
    assert.same({ hash, false }, { s.world.hash, s.bad.enabled })
    s.world:step(10)
    assert.equal(later, s.world.hash)
    s.world:restore(before)
    assert.is_true(s.bad.enabled)
    become_non_finite(s, "motor")
    s.world:step(11)
    assert.equal(later, s.world.hash)
  end)
end)

describe("body.enabled", function()
  it("takes effect at once if set between steps, and at the step's end if set inside a step", function()
    local world = impel.world {}
    world:body({ type = "static" }):box { 10, 1, center = { 0, -0.5 } }
    local below, above = world:body { position = { 0, 0.5 } }, world:body { position = { 0, 1.5 } }
    below:box { 1, 1 }
    above:box { 1, 1 }
    world:step(120)
    assert.is_false(above.awake)
    below.enabled = false
    assert.same({ false, true }, { below.enabled, above.awake })
    world:step(60)
    assert.near(0.5, select(2, above:position()), 0.02)
    local handler
    handler = world:on("substep", function()
      above.enabled = false
      assert.is_true(above.enabled)
      handler:destroy()
    end)
    world:step()
    assert.is_false(above.enabled)
    assert.error_matches(function() below.enabled = 1 end, "body.enabled must be true or false")
    assert.error_matches(function() world.ground.enabled = false end, "ground of the world")
  end)

  it("disables static and kinematic bodies too, and movers", function()
    local world = impel.world {}
    local floor = world:body { type = "static" }
    floor:box { 10, 1, center = { 0, -0.5 } }
    local lift = world:body { type = "kinematic", position = { 20, 0 }, velocity = { 1, 0 } }
    lift:box { 4, 1 }
    local box, rider = world:body { position = { 0, 0.5 } }, world:body { position = { 20, 1 } }
    box:box { 1, 1 }
    rider:box { 1, 1 }
    local mover = world:mover { position = { -3, 0 } }
    world:step(60)
    assert.near(0.5, select(2, box:position()), 0.02)
    floor.enabled, lift.enabled, mover.body.enabled = false, false, false
    local x = lift:position()
    local mx, my = mover:position()
    world:step(60)
    assert.is_true(select(2, box:position()) < -1 and select(2, rider:position()) < -1)
    assert.equal(x, lift:position())
    assert.same({ mx, my }, { mover:position() })
    assert.is_nil(world:raycast(0, 5, 0, -5, { ignore = { box } }))
    floor.enabled = true
    assert.is_not_nil(world:raycast(3, 5, 3, -5))
  end)

  it("suspends the body's joints and resumes them", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      local a, b = world:body { position = { 1, 0 } }, world:body { position = { 2, 0 } }
      a:circle { radius = 0.1 }
      b:circle { radius = 0.1 }
      world:revolute(world.ground, a, { anchor = { 0, 0 } })
      world:revolute(a, b, { anchor = { 1, 0 } })
      world:step(10)
      a.enabled = false
      local y = select(2, b:position())
      local vy = select(2, b:velocity())
      world:step(30)
      -- The body falls freely. An error of half a step in time changes y by 0.04 m.
      assert.near(y + 0.5 * vy - 0.5 * 9.81 * 0.25, select(2, b:position()), 0.1, solver)
      b:set_position(2, 0)
      b:set_velocity(0, 0)
      a:set_pose(1, 0, 0)
      b.angle = 0
      a.enabled = true
      world:step(30)
      local ax, ay = a:position()
      assert.near(1, math.sqrt(ax * ax + ay * ay), 0.05, solver) -- the split solver removes 1/5 of the error per step
      assert.same({}, faults_of(world))
    end
  end)
end)

describe("body.hash", function()
  it("depends on the body's own state only", function()
    local world = impel.world {}
    local a, b = world:body {}, world:body { position = { 5, 0 } }
    local before = { a.hash, b.hash }
    assert.truthy(before[1]:find("^%x+$") and #before[1] == 16)
    assert.are_not.equal(before[1], before[2])
    b:set_velocity(1, 0)
    assert.equal(before[1], a.hash)
    assert.are_not.equal(before[2], b.hash)
    b:set_velocity(0, 0)
    b.name = "other"
    assert.equal(before[2], b.hash)
    b:set_position(5 + 2 ^ -50, 0)
    assert.are_not.equal(before[2], b.hash)
  end)
end)

describe("world.fault", function()
  it("is \"quarantine\" by default", function()
    assert.equal("quarantine", impel.world({}).fault)
    local world = impel.world { fault = "stop" }
    assert.equal("stop", world.fault)
    assert.equal("stop", world:options().fault)
    world.fault = "quarantine"
    assert.is_nil(world:options().fault)
    assert.error_matches(function() world.fault = "stpo" end, "did you mean 'stop'")
    assert.error_matches(function() impel.world { fault = 1 } end, "fault")
    assert.equal("stop", impel.load_data(impel.world({ fault = "stop" }):export()).fault)
  end)

  it("= \"stop\" raises at the end of the step, and leaves the same world as \"quarantine\"", function()
    local s, twin = build { fault = "stop" }, build {}
    local seen
    s.world:on("fault", function(event) seen = event.body end)
    for _, each in ipairs { s, twin } do
      arrange.substep(each)
      each.world:step(10)
      each.extreme = true
    end
    local ok, message = pcall(function() s.world:step(5) end)
    assert.is_false(ok)
    local words = "world:step: the state of body 6 'box 5' became non%-finite in stage 'substep' of step 11: "
    assert.truthy(message:find("faults_spec.lua:%d+: " .. words), message)
    assert.equal(s.bad, seen)
    assert.equal(11, s.world.tick)
    twin.world:step()
    assert.equal(twin.world.hash, s.world.hash)
    s.world:step(20)
    twin.world:step(20)
    assert.equal(twin.world.hash, s.world.hash)
  end)

  it("= \"stop\" raises a handler's error first, and names several bodies", function()
    local world = impel.world { fault = "stop" }
    for i = 1, 3 do
      world:body({ position = { 3 * i, 0 }, name = "b" .. i }):circle { radius = 1 }
      world:find("b" .. i):apply_force(9e14, 0)
    end
    local handler = world:on("fault", function() error "mine" end)
    assert.error_matches(function() world:step() end, "mine")
    handler:destroy()
    world:step()
    for body in world:bodies() do
      body.enabled = true
      body:apply_force(9e14, 0)
    end
    local words = "body 1 'b1' became non%-finite in stage 'integrate' of step 3 %(and the state of 2 more%)"
    assert.error_matches(function() world:step() end, words)
  end)
end)

describe("a ratchet after a fault of its body", function()
  for _, solver in ipairs(SOLVERS) do
    for _, direction in ipairs { 1, -1 } do
      it(("keeps its teeth, under %s, %+d"):format(solver, direction), function()
        local world = impel.world { solver = solver, gravity = { 0, 0 } }
        local body = world:body { position = { 9.9e6, 0 } }
        body:circle { radius = 0.3 }
        local ratchet = world:ratchet(world.ground, body, { pitch = 0.2, direction = direction })
        body.angular_velocity = direction * 15
        world:step(2)
        local held = ratchet:coordinate("angle"):drives().limit[direction > 0 and 1 or 2]
        assert.near(direction * 0.4, held, 0.21)
        body:set_velocity(9e6, 0) -- the body leaves the world in the step and passes five teeth
        body.angular_velocity = direction * 60
        world:step()
        assert.is_false(body.enabled)
        local now = ratchet:coordinate("angle"):drives().limit[direction > 0 and 1 or 2]
        assert.is_true(math.abs(now) < 0.81 and now * direction <= body.angle * direction, tostring(now))
        body:set_position(0, 0)
        body.enabled = true
        world:step(60)
        assert.is_true(body.enabled)
        assert.near(0, body.angular_velocity, 1e-6) -- the ratchet does not turn the body back
      end)
    end
  end
end)
