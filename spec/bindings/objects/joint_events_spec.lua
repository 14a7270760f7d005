-- Drives, breaking and destruction of joints.
local core = require "impel.core"
local raises = require "support.raises"

local nan, inf = 0 / 0, math.huge

-- Hang 1 kg by a rod. Return rod, world and body.
local function hanging(options, world)
  world = world or core.world {}
  local bob = world:body { position = { 0, -1 }, mass = 1 }
  return world:distance(world.ground, bob, options or {}), world, bob
end

describe("a coordinate", function()
  local world, joint, c
  before_each(function()
    world = core.world { gravity = { 0, 0 } }
    joint = world:revolute(world.ground, world:body { mass = 1, inertia = 2 }, { name = "elbow" })
    c = joint:coordinate "angle"
  end)

  it("takes, changes, returns and removes each drive independently of the others", function()
    c:set_motor { speed = 2, max_force = 5 }
    c:set_limit(-1, 1)
    c:set_servo { target = 0.5, speed = 0.1, max_force = 7 }
    c:set_spring { stiffness = 50, damping = 2, target = 0.25, max_force = 9 }
    c:set_force(3)
    local all = { motor = { speed = 2, max_force = 5 }, limit = { -1, 1 }, force = 3,
      servo = { target = 0.5, speed = 0.1, max_force = 7 },
      spring = { stiffness = 50, damping = 2, target = 0.25, max_force = 9 } }
    assert.same(all, c:drives())
    c:set_spring { hertz = 4 }
    -- The new spring has the previous spring's target.
    all.spring = { hertz = 4, damping_ratio = 0, target = 0.25, max_force = inf }
    assert.same(all, c:drives())
    for key, remove in pairs { motor = c.set_motor, limit = c.set_limit, servo = c.set_servo, spring = c.set_spring,
                               force = c.set_force } do
      remove(c, nil)
      all[key] = nil
      assert.same(all, c:drives())
    end
    assert.same({}, c:drives())
    c:set_limit(nil, 2)
    assert.same({ limit = { -inf, 2 } }, c:drives())
    c:set_limit(-inf, 3)
    assert.same({ limit = { -inf, 3 } }, c:drives())
  end)

  it("fills the given table, and its nested tables", function()
    local t = { motor = {}, spring = {}, other = 1, lock = 2 }
    local motor = t.motor
    c:set_motor { speed = 1 }
    assert.equal(t, c:drives(t))
    assert.equal(motor, t.motor)
    assert.same({ motor = { speed = 1, max_force = inf }, other = 1 }, t)
    raises("coordinate:drives: argument 'table' must be a table to fill or nil, got 1", c.drives, c, 1)
  end)

  it("is locked and freed; another drive replaces the lock", function()
    local x = joint:coordinate "x"
    assert.same({ lock = 0 }, x:drives())
    x:set_limit(-1, 1)
    assert.same({ limit = { -1, 1 } }, x:drives())
    x:set_lock(0.5)
    assert.same({ lock = 0.5, limit = { -1, 1 } }, x:drives())
    x:set_lock(false)
    assert.same({ limit = { -1, 1 } }, x:drives())
    joint.body_b.angle = 0.75
    c:set_lock()
    assert.same({ lock = 0.75 }, c:drives())
    x:set_lock(0)
    c:set_motor()
    assert.same({ lock = 0.75 }, c:drives())
    c:release()
    x:release()
    assert.same({}, c:drives())
    assert.same({}, x:drives())
  end)

  it("uses its settings from the next step on", function()
    c:set_motor { speed = 3 }
    world:step()
    assert.is_true(math.abs(c.speed - 3) < 1e-5) -- velocities are in single precision
    c:release()
    c:set_force(4) -- 4 N m on 2 kg m^2 for 1/60 s
    world:step()
    assert.is_true(math.abs(c.speed - (3 + 4 / 2 / 60)) < 1e-5)
    assert.is_true(math.abs(c.force - 4) < 1e-4)
    assert.equal("number", type(c.work))
    c:set_force()
    c:set_lock()
    world:step(10)
    assert.is_true(math.abs(c.speed) < 1e-4)
  end)

  it("refuses invalid values and keeps the previous ones", function()
    c:set_motor { speed = 1 }
    local before = c:drives()
    for method, fields in pairs {
      set_motor = { { "speed", nan, "1" }, { "max_force", -1, nan, -inf }, { "sped", 1 } },
      set_servo = { { "target", nan, inf, {} }, { "speed", inf }, { "max_force", -1 } },
      set_spring = { { "stiffness", -1, inf }, { "hertz", 0, -1 }, { "damping", -1 }, { "max_force", nan } },
    } do
      for _, value in ipairs { 1, "abc", true, print } do
        raises("coordinate:" .. method .. " expects a table of options", c[method], c, value)
      end
      for _, field in ipairs(fields) do
        for i = 2, #field do
          local options = { speed = method == "set_motor" and 1 or nil, target = method == "set_servo" and 1 or nil }
          options[field[1]] = field[i]
          raises("field '" .. field[1] .. "'", c[method], c, options)
        end
      end
    end
    raises("coordinate:set_motor: field 'speed' is missing", c.set_motor, c, {})
    raises("coordinate:set_servo: field 'target' is missing", c.set_servo, c, {})
    raises("coordinate:set_spring needs stiffness (with damping) or hertz", c.set_spring, c, {})
    raises("coordinate:set_spring takes stiffness or hertz, not both", c.set_spring, c, { stiffness = 1, hertz = 1 })
    for _, value in ipairs { nan, "1", true, {} } do
      raises("coordinate:set_limit: argument 'lower' must be a number [m or rad], got", c.set_limit, c, value, 1)
      raises("coordinate:set_limit: argument 'upper' must be a number [m or rad], got", c.set_limit, c, 1, value)
      raises("coordinate:set_force: argument 'force' must be", c.set_force, c, value)
      raises("coordinate:set_lock: argument 'value' must be", c.set_lock, c, value)
    end
    raises("limit lower 2 is above upper 1", c.set_limit, c, 2, 1)
    raises("at least one of them finite", c.set_limit, c, -inf, inf)
    raises("coordinate:set_force: argument 'force' must be", c.set_force, c, inf)
    raises("elbow", c.set_force, c, 1e308)
    assert.same(before, c:drives())
    for _, key in ipairs { "value", "speed", "force", "mass", "power", "work", "name", "joint" } do
      raises("coordinate." .. key .. " is read-only", function() c[key] = 1 end)
    end
  end)
end)

describe("world.ground", function()
  it("is a static body at the origin, in no list, and cannot be destroyed", function()
    local world = core.world {}
    local ground = world.ground
    assert.is_true(rawequal(ground, world.ground))
    assert.same({ "static", 0, 0, 0 }, { ground.type, ground.angle, ground:position() })
    for _ in world:bodies() do error "a body" end
    assert.is_nil(world:find(ground.name))
    ground.data = "kept"
    local rod = hanging({ data = "held" }, world)
    raises("the ground of the world cannot be destroyed", ground.destroy, ground)
    assert.same({ "kept", "held" }, { ground.data, rod.data })
    raises("world.ground is read-only", function() world.ground = ground end)
    assert.equal(2, world:body({}).id) -- id 1 was the bob
  end)
end)

describe("a joint that breaks", function()
  it("reports the force that broke it in one event, and exists until it is destroyed", function()
    local rod, world, bob = hanging { name = "rod", break_force = 5 }
    local told = 0
    world:on("joint_break", function(event)
      told = told + 1
      assert.is_true(rawequal(rod, event.joint))
      assert.is_true(math.abs(event.force - 9.81) < 1e-3) -- the weight of 1 kg; single precision
      assert.is_true(math.abs(event.torque) < 1e-6)
      assert.equal("joint_break", event.kind)
      raises("a joint_break event has no field 'name'", function() return event.name end)
      assert.is_true(rod.broken)
    end)
    world:step(3)
    assert.equal(1, told)
    assert.is_true(rod:is_valid() and rod.broken)
    assert.equal("distance 'rod'", tostring(rod))
    assert.is_true(select(2, bob:velocity()) < -0.1) -- the bob falls
    rod:sever()
    rod:destroy()
    world:step(2)
    assert.equal(1, told)
  end)

  it("by joint:sever or break_if is reported with the next events", function()
    local one, world = hanging { name = "one" }
    local two = hanging({ name = "two", break_if = function(joint) return joint.force < -5 end }, world)
    local told = {}
    world:on("joint_break", function(event) told[#told + 1] = event.joint.name end)
    one:sever()
    assert.is_true(one.broken)
    world:step()
    assert.is_true(two.broken)
    world:step()
    table.sort(told)
    assert.same({ "one", "two" }, told)
  end)
end)

describe("break_if", function()
  it("gives joint_break events together with those of break_force, in creation order of the joints", function()
    local world = core.world {}
    local joints, number, told = {}, {}, {}
    for i = 1, 8 do
      -- Even joints break by their force, odd joints by break_if.
      joints[i] = hanging(i % 2 == 0 and { break_force = 1e-6 } or {
        break_if = function()
          if i == 1 then joints[5]:sever() end
          return i ~= 5
        end,
      }, world)
      number[joints[i]] = i
    end
    world:on("joint_break", function(event) told[#told + 1] = number[event.joint] end)
    world:step()
    assert.same({ 1, 2, 3, 4, 6, 7, 8 }, told)
    world:step()
    assert.same({ 1, 2, 3, 4, 6, 7, 8, 5 }, told)
  end)

  it("is called after every step, in creation order of the joints, before the events", function()
    local world = core.world {}
    local log = {}
    local joints = {}
    for i = 1, 3 do
      joints[i] = hanging({ break_if = function(joint)
        assert(rawequal(joint, joints[i]))
        log[#log + 1] = i .. " " .. world.tick
      end }, world)
    end
    world:on("joint_break", function() log[#log + 1] = "event " .. world.tick end)
    joints[1]:sever()
    world:step(2)
    joints[2]:destroy()
    collectgarbage()
    world:step()
    assert.same({ "2 1", "3 1", "event 1", "2 2", "3 2", "3 3" }, log)
  end)

  it("that raises an error does not stop the step or the break_if of other joints", function()
    local world = core.world {}
    local asked = 0
    hanging({ break_if = function() error "first trouble" end }, world)
    hanging({ break_if = function() error "second trouble" end }, world)
    hanging({ break_if = function() asked = asked + 1 end }, world)
    local ok, message = pcall(world.step, world, 5)
    assert.is_false(ok)
    assert.truthy(message:find("joint_events_spec.lua:%d+: first trouble"), message)
    assert.truthy(message:find("stack traceback", 1, true))
    assert.same({ 1, 1 }, { asked, world.tick })
    raises("world:distance: field 'break_if' must be a function, got 1", hanging, { break_if = 1 })
  end)

  it("may create and destroy joints, its own joint too, but may not step the world", function()
    local world = core.world {}
    local born, results = 0, {}
    local other = hanging({ name = "other" }, world)
    hanging({ break_if = function(joint)
      results = { pcall(world.step, world) }
      hanging({ break_if = function() born = born + 1 end }, world)
      if other:is_valid() then other:destroy() end
      joint:destroy()
      return true
    end }, world)
    world:step()
    assert.equal(0, born)
    assert.is_false(results[1])
    assert.truthy(results[2]:find("inside a handler", 1, true))
    assert.equal(1, world:counts().joints)
    world:step(2)
    assert.equal(2, born)
  end)

  it("is released with its upvalues when its joint is destroyed", function()
    local world = core.world {}
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 10 do
      local thing = {}
      weak[thing] = true
      local rod = hanging({ break_if = function() return thing.broken end }, world)
      world:step()
      rod:destroy()
    end
    world:step()
    collectgarbage()
    assert.is_nil(next(weak))
  end)
end)

describe("a joint whose body is destroyed", function()
  it("is destroyed, and joint_destroyed has its name and id; so is a gear if one of its joints is destroyed", function()
    local world = core.world {}
    local a, b = world:body {}, world:body {}
    local hinge = world:revolute(world.ground, a, { name = "hinge", data = {} })
    local slider = world:prismatic(world.ground, b, { data = {} })
    local gear = world:gear { joint1 = hinge, joint2 = slider, name = "train", data = {} }
    local ids = { [gear.id] = "train", [hinge.id] = "hinge" }
    local weak = setmetatable({ hinge.data, slider.data, gear.data }, { __mode = "v" })
    local told = 0
    world:on("joint_destroyed", function(event)
      told = told + 1
      assert.equal(ids[event.id], event.name)
      raises("a joint_destroyed event has no field 'joint'", function() return event.joint end)
    end)
    a:destroy()
    assert.is_false(hinge:is_valid() or gear:is_valid())
    assert.is_true(slider:is_valid())
    assert.equal("destroyed gear 'train'", (tostring(gear):gsub("joint", "gear")))
    raises("attempt to use destroyed joint 'train'", function() return gear.value end)
    collectgarbage()
    assert.is_nil(weak[1])
    world:step()
    assert.equal(2, told)
    collectgarbage()
    assert.is_nil(weak[3])
    slider:destroy()
    world:step()
    assert.equal(2, told) -- no event for a joint that the script destroys itself
    collectgarbage()
    assert.is_nil(weak[2])
  end)

  it("without a name reports its id only", function()
    local rod, world, bob = hanging()
    local id, told = rod.id, 0
    world:on("joint_destroyed", function(event)
      told = told + 1
      assert.same({ id }, { event.id, event.name })
    end)
    bob:destroy()
    world:step()
    assert.equal(1, told)
  end)
end)

describe("joints", function()
  it("may be created and destroyed in handlers of every kind", function()
    for _, kind in ipairs { "step", "substep", "begin_contact", "joint_break", "joint_destroyed" } do
      local world = core.world {}
      world.ground:box { 40, 1, center = { 0, -4 } }
      local calls = 0
      world:on(kind, function()
        calls = calls + 1
        if calls > 20 then return end
        local rod, _, bob = hanging({ name = "new", data = calls }, world)
        assert(rod:is_valid() and rod.data == calls and rod:coordinate("distance"):drives().lock)
        assert(rod.body_b == bob and rod.kind == "distance")
        local gone = world:weld(bob, world:body {}, {})
        gone:destroy()
        assert(not gone:is_valid())
        gone:destroy()
        if calls % 3 == 0 then bob:destroy() end
        rod:coordinate("distance"):set_servo { target = 2 }
      end)
      for i = 1, 30 do
        local rod, _, bob = hanging({ break_force = i % 5 == 0 and 1 or nil }, world)
        bob:circle { radius = 0.1, mask = 0 }
        if i % 3 == 0 then bob:destroy() end
        if i == 2 then rod:destroy() end
        world:body({ position = { i - 15, -3.3 } }):circle { radius = 0.3 }
        pcall(world.step, world)
      end
      assert.is_true(calls > 0, kind)
      assert.equal(16, #world.hash)
    end
  end)

  it("make no garbage when they are read, driven and iterated", function()
    local world = core.world {}
    local last = world.ground
    for i = 1, 5 do
      local body = world:body { position = { i, 0 }, allow_sleep = false }
      body:box { 1, 0.2 }
      world:revolute(last, body, { anchor = { i - 0.5, 0 }, motor = { speed = 1, max_force = 1 },
                                   break_if = function(joint) return joint.value > 1e9 end })
      last = body
    end
    local joint
    for other in world:joints() do joint = other end
    local drag = world:drag(last, {})
    local c, t, sum = joint:coordinate "angle", {}, 0
    local motor = { speed = 1, max_force = 2 }
    c:set_spring { hertz = 1, damping_ratio = 0.5 }
    local function frame()
      world:step()
      for _ = 1, 100 do
        local fx, fy, torque = joint:reaction()
        local ax, _, _, by = joint:anchors()
        local _, _, _, _, _, j = c:jacobian()
        sum = sum + joint.value + joint.speed + joint.force + joint.motor_speed + fx + fy + torque + ax + by + j
        sum = sum + c.value + c.speed + c.force + c.mass + c.power + c.work + c:curvature() + joint.separation
        if joint.kind == "revolute" and joint:coordinate "angle" == c and c.joint == joint and c.name == "angle"
          and joint.body_b == last and not joint.broken then sum = sum + 1 end
      end
      joint.motor_speed = -joint.motor_speed
      c:set_motor(motor)
      c:set_limit(-1, 1)
      c:set_force(0.5)
      c:drives(t)
      drag:set_target(5, 1)
      for other in world:joints() do
        for coordinate in other:coordinates() do sum = sum + coordinate.value end
      end
      for other in last:joints() do sum = sum + other.id end
    end
    for _ = 1, 300 do frame() end -- pools, tables and the stack reach their final sizes
    collectgarbage()
    collectgarbage "stop"
    for _ = 1, 300 do frame() end
    local before = collectgarbage "count"
    for _ = 1, 1000 do frame() end
    local after = collectgarbage "count"
    collectgarbage "restart"
    assert.is_true(sum == sum)
    assert.equal(before, after)
  end)
end)

describe("time in a substep handler", function()
  it("is that of the substep's start, so that a time-dependent target is met", function()
    local world = core.world { gravity = { 0, 0 }, substeps = 4, sleep = false }
    local wheel = world:body { mass = 1, inertia = 2 }
    local joint = world:revolute(world.ground, wheel, { servo = { target = 0 } })
    local times, worst = {}, 0
    world:on("substep", function(h)
      times[#times + 1] = world.time
      joint:coordinate("angle"):set_servo { target = world.time, speed = 1 }
      assert(math.abs(h - 1 / 240) < 1e-15)
    end)
    for _ = 1, 120 do
      world:step()
      worst = math.max(worst, world.time > 0.5 and math.abs(joint.value - world.time) or 0)
    end
    -- world.time is a sum of substep lengths, which differs from 6 / 240 by rounding.
    assert.is_true(math.abs(times[7] - 6 / 240) < 1e-12)
    assert.is_true(worst < 1e-5) -- angles are in single precision
  end)
end)

describe("an open joint", function()
  -- A bar on two pins that contradict each other by 0.3 m.
  local function contradicted(solver)
    local world = core.world { gravity = { 0, 0 }, solver = solver }
    local bar = world:body { position = { 0.5, 0 } }
    bar:box { 1, 0.2 }
    local left = world:revolute(world.ground, bar, { anchor = { 0, 0 }, name = "left" })
    local right = world:revolute(world.ground, bar, { anchor = { 1, 0 }, name = "right" })
    right:coordinate "x":set_lock(0.3)
    return world, left, right
  end

  it("gives one warning with the joint and the length of its gap, and is counted until the gap is closed", function()
    local world, left, right = contradicted "soft"
    local told = {}
    world:on("warning", function(event)
      assert.is_nil(event.body)
      assert.matches("open", event.text)
      told[#told + 1] = { name = event.joint.name, length = event.length, gap = event.joint.gap }
    end)
    world:step(60)
    assert.equal(2, #told)
    for _, warning in ipairs(told) do
      assert.equal(warning.gap, warning.length)
      assert.is_true(warning.length > 0.05)
    end
    assert.same({ left = true, right = true }, { [told[1].name] = true, [told[2].name] = true })
    assert.equal(2, world:residual().open)
    right:coordinate "x":set_lock(0)
    world:step(60)
    assert.equal(0, world:residual().open)
    assert.equal(2, #told)
    assert.is_true(left.gap < 1e-6)
  end)

  it("has fields only in its own warnings: a warning about a body has neither joint nor length", function()
    local world = core.world { gravity = { 0, 0 } }
    world:body { position = { 2e6, 0 }, velocity = { 1, 0 } }:circle { radius = 1 }
    local count = 0
    world:on("warning", function(event)
      count = count + 1
      assert.is_nil(event.joint)
      assert.is_nil(event.length)
      assert.is_truthy(event.body)
    end)
    world:step()
    assert.equal(1, count)
  end)
end)
