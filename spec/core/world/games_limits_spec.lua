-- Limits: largest speeds of bodies, largest numbers of objects in a world.
local impel = require "impel"
local fails = require "support.raises"

local SOLVERS = require("support.kinds").solvers

local function speed(body)
  local vx, vy = body:velocity()
  return math.sqrt(vx * vx + vy * vy)
end

describe("a largest speed", function()
  it("limits the velocity of a falling body and its displacement per step, under every solver", function()
    for _, solver in ipairs(SOLVERS) do
      for _, damping in ipairs { 0, 0.5 } do
        local world = impel.world { solver = solver }
        local body = world:body { max_speed = 5, linear_damping = damping }
        world:step(120)
        assert.near(5, speed(body), 1e-6, solver) -- the soft solver computes in floats
        local _, y = body:position()
        world:step(60)
        local _, later = body:position()
        -- Solvers of second order use the speed at the middle of a step, g h / 2 below the limit.
        local middle = solver == "rattle" or solver == "reduced"
        assert.near(-5, later - y, middle and 9.81 / 120 + 1e-3 or 1e-5, solver)
      end
    end
  end)

  it("limits rotation independently of translation", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, gravity = { 0, 0 } }
      local body = world:body { inertia = 2, max_angular_speed = 3, angular_damping = 0.5, velocity = { 7, 0 } }
      for _ = 1, 30 do
        body:apply_torque(60)
        world:step()
        assert.is_true(body.angular_velocity <= 3 + 1e-6, solver)
      end
      assert.near(3, body.angular_velocity, 1e-6, solver)
      assert.near(7, speed(body), 1e-6, solver)
      body.angular_velocity = -10
      body.angular_damping = 0
      world:step()
      assert.near(-3, body.angular_velocity, 1e-6, solver)
    end
  end)

  it("holds after hits, fields and impulses in handlers", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, gravity = { 0, 0 } }
      world:field { kind = "uniform", acceleration = { 0, 40 } }
      local ball = world:body { max_speed = 2 }
      ball:circle { radius = 0.5, restitution = 1 }
      local bat = world:body { position = { -2, 0 }, velocity = { 20, 0 } }
      bat:box { 1, 4, density = 10 }
      local on = world:on("substep", function() ball:apply_impulse(0, 0.5) end)
      for _ = 1, 20 do
        world:step()
        assert.is_true(speed(ball) <= 2 + 1e-6, solver)
      end
      on:destroy()
      assert.is_true(speed(bat) > 2)
    end
  end)

  it("holds in time-of-impact events, for both bodies", function()
    for _, solver in ipairs { "soft", "direct" } do
      local world = impel.world { solver = solver, gravity = { 0, 0 }, auditing = true }
      local bat = world:body { type = "kinematic", position = { -3, 0 } }
      bat:box { 0.1, 2 }
      local ball, spun = world:body { max_speed = 5 }, world:body { position = { 0, 5 }, max_angular_speed = 4 }
      ball:circle { radius = 0.1 }
      spun:box { 0.1, 2 }
      bat:move_to(3, 0) -- the bat passes the ball's position
      local shot = world:body { position = { -3, 5.8 }, velocity = { 300, 0 }, bullet = true }
      shot:circle { radius = 0.05, density = 50, restitution = 1 }
      world:step()
      assert.near(5, ball:velocity(), 1e-6, solver)
      assert.is_true(ball:position() > 3, solver)
      assert.near(4, math.abs(spun.angular_velocity), 1e-6, solver) -- speed after the hit by the bullet
      local audit = world:audit()
      local sum = audit.before
      for cause, joules in pairs(audit) do
        local named = cause ~= "before" and cause ~= "after" and cause ~= "worst"
        if named and type(joules) == "number" then sum = sum + joules end
      end
      assert.near(audit.after, sum, 1e-9 * math.abs(audit.after), solver) -- rounding of 1e6 J
      assert.is_true(audit.damping < -1, solver) -- energy removed by the limits
      local kinetic = world:energy()
      assert.near(kinetic, audit.after, 1e-9 * kinetic, solver)
    end
  end)

  it("acts through constraints: a chain with a slow link is slow as a whole", function()
    local world = impel.world { solver = "direct" }
    local a = world:body { max_speed = 1, mass = 1 }
    local b = world:body { position = { 0, -1 }, mass = 1 }
    world:distance(a, b, { length = 1 })
    world:step(120)
    assert.near(1, speed(a), 1e-9)
    assert.near(1 + 9.81 / 60, speed(b), 1e-6) -- the rod averages 1 and v + g dt, so v = 1 + g dt
  end)

  it("does not change the hash of a world in which no body reaches it", function()
    local hashes = {}
    for i, limit in ipairs { 0, 1000 } do
      local world = impel.world {}
      world:body { type = "static" }:segment { from = { -9, 0 }, to = { 9, 0 } }
      for k = 1, 5 do
        world:body { position = { 0.1 * k, k }, max_speed = limit, max_angular_speed = limit }:box { 1, 1 }
      end
      world:step(100)
      hashes[i] = world.hash
    end
    assert.equal(hashes[1], hashes[2])
  end)

  it("is an option and a property, part of snapshots, and removed by 0", function()
    local world = impel.world {}
    local body = world:body { max_speed = 3 }
    assert.same({ 3, nil }, { body:options().max_speed, body:options().max_angular_speed })
    assert.equal(0, body.max_angular_speed)
    local shot = world:snapshot()
    body.max_speed = 0
    world:step(60)
    assert.near(9.81, speed(body), 1e-5)
    world:restore(shot)
    world:step(60)
    assert.near(3, speed(body), 1e-5)
    fails("body.max_speed", function() body.max_speed = -1 end)
    fails("max_speed", function() world:body { max_speed = 0 / 0 } end)
  end)
end)

describe("a world's quota", function()
  it("of bodies, shapes and joints refuses one more, and leaves no partial object", function()
    local world = impel.world { max_bodies = 3, max_shapes = 2, max_joints = 1 }
    local a, b, c = world:body {}, world:body {}, world:body {}
    fails("the world already has 3 bodies, the largest number that max_bodies allows", function() world:body {} end)
    a:box { 1, 1 }
    b:circle { radius = 1 }
    fails("the world already has 2 shapes, the largest number that max_shapes allows", function() c:box { 1, 1 } end)
    local joint = world:revolute(world.ground, a, { anchor = { 0, 0 } }) -- the ground is not counted
    fails("the world already has 1 joints, the largest number that max_joints allows", function()
      world:weld(a, b, {})
    end)
    fails("max_joints", function() world:constraint(a, { C = function(p) return p.x end }) end)
    local counts = world:counts()
    assert.same({ 3, 2, 1 }, { counts.bodies, counts.shapes, counts.joints })
    world:step()
    joint:destroy()
    c:destroy()
    b:destroy()
    world:weld(world:body {}, a, {})
    world:body {}:box { 1, 1 }
    local options = world:options()
    assert.same({ 3, 2, 1 }, { options.max_bodies, options.max_shapes, options.max_joints })
    world.max_bodies = 0
    world:body {}
    world.max_bodies = 1
    fails("the world already has 1 bodies", function() world:body {} end)
    fails("world.max_bodies", function() world.max_bodies = -1 end)
    fails("world.max_bodies", function() world.max_bodies = 1.5 end)
  end)

  it("counts creations and destructions inside a step at once", function()
    local world = impel.world { max_bodies = 2 }
    local a = world:body {}
    local on = world:on("substep", function()
      if a:is_valid() then
        world:body {}
        fails("max_bodies", function() world:body {} end)
        a:destroy()
        world:body {}
      end
    end)
    world:step(2)
    on:destroy()
    assert.equal(2, world:counts().bodies)
  end)

  it("of contacts fails the step before any motion; the step succeeds once there is room", function()
    local world, free = impel.world { max_contacts = 3 }, impel.world {}
    local boxes = {}
    for _, w in ipairs { world, free } do
      w:body { type = "static" }:segment { from = { -9, 0 }, to = { 9, 0 } }
      for i = 1, 4 do boxes[i] = w:body { position = { 2 * i - 5, 0.5 } } end
      for i = 1, 4 do boxes[i]:box { 1, 1 } end
    end
    local extra
    for body in world:bodies() do extra = body end
    local hash = world.hash
    for _ = 1, 3 do
      fails("the world already has 3 contacts, the largest number that max_contacts allows", function()
        world:step()
      end)
    end
    assert.equal(hash, world.hash)
    assert.equal(0, world.tick)
    extra:destroy()
    boxes[4]:destroy()
    world:step(30)
    free:step(30)
    assert.equal(3, world:counts().contacts)
    assert.equal(free.hash, world.hash) -- the rejected calls had no effect
  end)

  it("of contacts changes neither pending nor reached kinematic targets in a failed step", function()
    local world = impel.world { max_contacts = 1 }
    local going, there = world:body { type = "kinematic" }, world:body { type = "kinematic", position = { 0, 5 } }
    there:move_to(0.1, 5)
    world:step()
    for x = 5, 8, 3 do
      world:body { type = "static", position = { x, 0 } }:box { 1, 1 }
      world:body { position = { x, 0.9 } }:box { 1, 1 }
    end
    going:move_to(0.2, 0)
    local hash = world.hash
    for _ = 1, 2 do fails("max_contacts", function() world:step() end) end
    assert.equal(hash, world.hash)
    assert.near(6, there:velocity(), 1e-12)
    world.max_contacts = 0
    world:step()
    assert.same({ 0.2, 0 }, { (going:position()), (there:velocity()) })
  end)

  it("below the world's current number of objects is kept by exports and snapshots", function()
    local world = impel.world {}
    local a, b = world:body {}, world:body {}
    a:box { 1, 1 }
    b:box { 1, 1 }
    world:weld(a, b, {})
    world:weld(world.ground, a, {})
    world.max_bodies, world.max_shapes, world.max_joints = 1, 1, 1
    local again = assert(impel.load_data(world:export()))
    local other = impel.world { max_bodies = 7 }
    other:restore(world:snapshot())
    for _, copy in ipairs { again, other } do
      local counts = copy:counts()
      assert.same({ 2, 2, 2 }, { counts.bodies, counts.shapes, counts.joints })
      assert.same({ 1, 1, 1 }, { copy.max_bodies, copy.max_shapes, copy.max_joints })
      fails("the world already has 1 bodies, the largest number that max_bodies allows", function() copy:body {} end)
    end
    local data = world:export()
    data.max_bodies = "many"
    fails("max_bodies: integer", function() impel.load_data(data) end)
  end)

  it("refuses a rig, a group or a copy that exceeds the quota, and leaves no part of it in the world", function()
    local world = impel.world { max_bodies = 3, max_shapes = 3, max_joints = 1 }
    for _, make in ipairs {
      function() impel.rig.ragdoll(world, {}) end,
      function() impel.rig.chain(world, { from = { 0, 5 }, to = { 4, 5 }, segments = 3 }) end,
      function() impel.group.spawn(4, function() return world:body {} end) end,
    } do
      fails("the world already has", make)
      local counts = world:counts()
      assert.same({ 0, 0, 0 }, { counts.bodies, counts.shapes, counts.joints })
    end
    local pair = impel.group.spawn(2, function(i) return world:body { position = { i, 0 } } end)
    fails("max_bodies", function() pair:copy(0, 5) end)
    assert.equal(2, world:counts().bodies)
    world.max_bodies = 0
    for _, body in pair:each() do
      body:box { 1, 1 }
    end
    fails("max_shapes", function() pair:copy(0, 5) end)
    assert.same({ 2, 2 }, { world:counts().bodies, world:counts().shapes })
  end)
end)
