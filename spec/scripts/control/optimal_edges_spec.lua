-- Edge cases of impel.optimal: moving ground, other controllers, springs, effort, broken joints, programs without a
-- solution, invalid fields.
local impel = require "impel"
local scenes = require "scripts.control.optimal_scenes"
local raises = require "support.raises"

local arm, biped, standing = scenes.arm, scenes.biped, scenes.standing

-- Build a block of 4 kg on a floor, which is created after the block if floor.late is true. The block has two contact
-- points by default.
local function block_on(floor, options)
  local world = impel.world { solver = "direct" }
  local function ground()
    local body = world:body(floor.body)
    body:box { 20, 1, center = { 0, -0.5 }, surface_speed = floor.surface_speed }
    return body
  end
  if not floor.late then ground() end
  local block = world:body { position = { 0, 0.1 }, allow_sleep = false }
  block:box { 0.2, 0.2, density = 100 }
  if floor.late then ground() end
  for _ = 1, floor.steps or 60 do world:step() end
  options.contacts = options.contacts
    or { { body = block, point = { -0.1, -0.1 } }, { body = block, point = { 0.1, -0.1 } } }
  options.when = "never"
  return impel.optimal(block, options), world, block
end

describe("impel.optimal and its contacts", function()
  it("stands on a kinematic floor or a belt, created before or after the block that stands on it", function()
    for _, late in ipairs { false, true } do
      for _, floor in ipairs { { body = { type = "kinematic", velocity = { 0.5, 0 } }, speed = 0.5 },
        { body = { type = "kinematic", velocity = { -0.5, 0 } }, speed = -0.5 },
        { body = { type = "static" }, surface_speed = 0.5 }, { body = { type = "static" }, speed = 0 } } do
        floor.late = late
        local c, _, block = block_on(floor, { tasks = {} })
        if floor.speed then assert.near(floor.speed, (block:velocity()), 1e-6) end -- the floor carries the block along
        if floor.surface_speed then assert.near(0.5, math.abs((block:velocity())), 1e-6) end
        assert.is_true(c:update())
        assert.equal("solved", c.state)
        assert.near(1, c.contacts[1].ny, 1e-12)
        -- The acceleration is contact_damping times the block's velocity.
        for k = 1, 3 do assert.near(0, c.qdd[k], 1e-4) end
        assert.near(0, c.contacts[1].tangent_force, 1e-3)
        assert.near(4 * 9.81, c.contacts[1].normal_force + c.contacts[2].normal_force, 1e-3)
      end
    end
  end)

  it("gives contacts precedence over tasks of any weight, up to the friction limit", function()
    for _, weight in ipairs { 1, 1e4 } do
      local c, _, block = block_on({ body = { type = "static" } }, {
        tasks = { { kind = "center", only = "x", target_acceleration = { 100, 0 }, weight = weight } },
      })
      block:set_velocity(1, 0)
      assert.is_true(c:update())
      assert.equal("softened", c.state)
      -- Friction is at least mu times the weight, because the normal forces are at least the weight.
      assert.is_true(c.qdd[1] < -0.6 * 9.81 + 1e-3, c.qdd[1])
    end
  end)

  it("uses the given friction in place of the world's", function()
    local c, _, block = block_on({ body = { type = "static" } }, { tasks = {} })
    c:update()
    assert.near(0.6, c.contacts[1].friction, 1e-12)
    c = impel.optimal(block, { tasks = {}, contacts = { { body = block, point = { 0, -0.1 }, friction = 0.25,
      reach = 0.2 } }, when = "never" })
    block:set_velocity(1, 0)
    c:update()
    assert.equal(0.25, c.contacts[1].friction)
    assert.near(0.25 * c.contacts[1].normal_force, math.abs(c.contacts[1].tangent_force), 1e-9)
  end)

  it("does not push against its own links or non-colliding bodies", function()
    local world = impel.world { gravity = { 0, 0 } }
    local a = world:body { position = { 0, 0.1 }, inertia = 1 }
    a:box { 0.2, 0.2 }
    local b = world:body { position = { 5, 0 }, inertia = 1 }
    local c = world:body { position = { 0, -0.099 }, inertia = 1 }
    c:box { 0.2, 0.2 }
    world:revolute(a, b, { anchor = { 1, 0 } })
    local bc = world:revolute(b, c, { anchor = { 1, 0 } })
    world:step()
    local options = { tasks = {}, contacts = { { body = a, point = { 0.1, -0.1 } } }, when = "never" }
    local own = impel.optimal(a, options)
    own:update()
    assert.is_false(own.contacts[1].active)
    own:destroy()
    bc:destroy()
    local other = impel.optimal(a, options)
    other:update()
    assert.is_true(other.contacts[1].active)
    world = impel.world { gravity = { 0, 0 } }
    world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 }, one_way = { 0, 1 } }
    -- The block moves up through the floor.
    local block = world:body { position = { 0, 0.05 }, velocity = { 0, 1 } }
    block:box { 0.2, 0.2 }
    world:step()
    local passing
    for contact in block:contacts() do passing = not contact.enabled end
    assert.is_true(passing)
    local up = impel.optimal(block, { tasks = {}, contacts = { { body = block, point = { 0.1, -0.1 }, reach = 1 } },
      when = "never" })
    up:update()
    assert.is_false(up.contacts[1].active)
  end)
end)

describe("impel.optimal beside other controllers", function()
  local function rod()
    local world, joints = arm { solver = "direct" }
    return world, joints, joints[2]:coordinate "angle"
  end

  it("is the only active controller on its joints", function()
    local POSTURE = { tasks = { { kind = "posture" } } }
    local world, joints = rod()
    impel.pd(joints[2], { kp = 10, kd = 1 })
    raises("impel.optimal of body 0 'ground': impel.pd of angle of revolute 2 acts on the same coordinate", function()
      impel.optimal(world, POSTURE)
    end)
    world, joints = rod()
    -- The handler of `pd` must run before that of impel.optimal.
    local pd = impel.pd(joints[3], { kp = 10, kd = 1, enabled = false })
    local c = impel.optimal(world, POSTURE)
    world:step()
    pd.enabled = true
    raises("act on the same coordinate", function() world:step() end)
    c.enabled = false
    pd:update(0.01)
    c:rest()
    assert.equal(pd.force, joints[3]:coordinate "angle":drives().force) -- c:rest() does not change the force
    assert.is_true(pd.force ~= 0)
    assert.equal(0, joints[1]:coordinate "angle":drives().force)
    c:destroy()
    assert.equal(pd.force, joints[3]:coordinate "angle":drives().force)
    world = rod()
    impel.optimal(world, POSTURE)
    raises("acts on the same coordinate", function() impel.optimal(world, POSTURE) end)
    local second = impel.optimal(world, { tasks = { { kind = "posture" } }, enabled = false })
    world:step()
    second.enabled = true
    raises("act on the same coordinate", function() world:step() end)
  end)

  it("acts again after a restore, and a PD controller on its joint is refused", function()
    local world, joints = rod()
    local pd = impel.pd(joints[3], { kp = 10, kd = 1, enabled = false })
    local c = impel.optimal(world, { tasks = { { kind = "posture" } } })
    world:step()
    local shot = world:snapshot()
    c.enabled = false
    world:step()
    pd.enabled = true
    world:step()
    world:restore(shot)
    world:step()
    pd.enabled = true
    raises("act on the same coordinate", function() world:step() end)
  end)

  it("keeps a joint's given force until the controller acts, and sets it to 0 when it is destroyed", function()
    local world, _, coordinate = rod()
    coordinate:set_force(7)
    local c = impel.optimal(world, { tasks = { { kind = "posture" } }, when = "never" })
    local passive = impel.optimal(world, { tasks = {}, enabled = false })
    world:step()
    passive:destroy()
    assert.equal(7, coordinate:drives().force)
    c:update()
    assert.equal(c.tau[2], coordinate:drives().force)
    c:destroy()
    assert.equal(0, coordinate:drives().force)
  end)

  it("stops when a joint breaks, and pauses while a body is not dynamic", function()
    local world, joints, coordinate = rod()
    local c = impel.optimal(world, { tasks = { { kind = "posture" } } })
    world:step()
    joints[1].body_b.type = "kinematic"
    world:step()
    assert.is_false(c:is_alive())
    assert.equal(0, coordinate:drives().force)
    joints[1].body_b.type = "dynamic"
    world:step()
    assert.is_true(math.abs(coordinate:drives().force) > 0.1)
    joints[3]:sever()
    world:step()
    assert.is_false(c:is_alive())
    assert.equal(0, coordinate:drives().force)
  end)

  it("takes account of the springs that it is given", function()
    for _, told in ipairs { true, false } do
      local world, joints, coordinate = rod()
      coordinate:set_spring { stiffness = 200, target = 0 }
      local c = impel.optimal(world, { tasks = { { kind = "posture", target = { 0.5, 0.5, 0.5 } } } })
      c.handler:destroy()
      world:on("substep", function()
        c.load[2] = told and -200 * coordinate.value or 0
        c:update()
      end)
      for _ = 1, 300 do world:step() end
      assert.equal(told, math.abs(joints[2].value - 0.5) < 1e-3)
    end
  end)

  it("hangs on a turning kinematic body", function()
    local world = impel.world { solver = "direct", substeps = 8 }
    local turntable = world:body { type = "kinematic", angular_velocity = 3 }
    local link = world:body { position = { 1, 0 }, mass = 1, inertia = 0.1 }
    world:revolute(turntable, link, { anchor = { 0.5, 0 } })
    impel.optimal(turntable, { tasks = { { kind = "angle", body = link, target = 0.5 } } })
    for _ = 1, 300 do world:step() end
    -- In a substep the direction of the pivot's acceleration changes by 6 mrad.
    assert.near(0.5, link.angle, 2e-3)
  end)
end)

describe("impel.optimal's tasks", function()
  it("count the whole torque, including the part against gravity, as effort", function()
    local world = impel.world {}
    local link = world:body { position = { 1, 0 }, mass = 2, inertia = 0.5 }
    world:revolute(world.ground, link, { anchor = { 0, 0 } })
    local c = impel.optimal(world, { tasks = { { kind = "angle", body = link, target = 0.2 } }, effort = 0.1,
      acceleration_weight = 0, when = "never" })
    c:update()
    -- The minimum of (qdd - a)^2 + e tau^2 with tau = M qdd + c is at qdd = (a - e M c) / (1 + e M^2). e: effort; a =
    -- stiffness * error = 100 * 0.2; M = 2.5 kg m^2: inertia about the hinge; c = 2 g: torque of the weight.
    local qdd = (20 - 0.1 * 2.5 * 2 * 9.81) / (1 + 0.1 * 2.5 * 2.5)
    assert.near(qdd, c.qdd[1], 1e-12) -- rounding
    assert.near(2.5 * qdd + 2 * 9.81, c.tau[1], 1e-12)
  end)

  it("are damped critically by default; a momentum task damps angular momentum at the rate `damping`", function()
    local world = arm { solver = "direct" }
    local c = impel.optimal(world, { tasks = { { kind = "momentum", damping = 7 }, { kind = "posture", stiffness = 25,
      weight = 0 } }, effort = 0, acceleration_weight = 1e-9, when = "never" })
    assert.equal(10, c.tasks[2].damping)
    c:update()
    local J = {}
    local _, _, rate = c.multibody:center_jacobian(J)
    local _, _, angular = c.multibody:momentum()
    assert.is_true(math.abs(rate) > 1)
    for k = 1, 3 do rate = rate + J[6 + k] * c.qdd[k] end
    assert.near(-7 * angular, rate, 1e-5) -- the acceleration_weight of 1e-9 changes the result a little
  end)

  it("leave a floating base free: a posture has only joint coordinates", function()
    local world = impel.world { gravity = { 0, 0 } }
    local a = world:body { position = { -0.5, 0 }, mass = 1, inertia = 0.1, velocity = { 0, -1 }, angular_velocity = 2 }
    local b = world:body { position = { 0.5, 0 }, mass = 1, inertia = 0.1, velocity = { 0, 1 }, angular_velocity = 2 }
    world:revolute(a, b, { anchor = { 0, 0 } })
    local c = impel.optimal(a, { tasks = { { kind = "posture" } }, when = "never" })
    c:update() -- the chain rotates as a rigid body at 2 rad/s
    assert.near(0, c.qdd[4], 1e-9)
    assert.near(0, c.tau[4], 1e-9)
  end)

  it("accept any free coordinate of a joint, and refuse locked ones", function()
    local world = impel.world { solver = "direct", gravity = { 0, 0 } }
    local cart = world:body { position = { 1, 0 }, mass = 2, inertia = 1 }
    local wheel = world:body { position = { 2, 0 }, mass = 1, inertia = 1 }
    local hinge = world:revolute(world.ground, cart, { anchor = { 0, 0 } })
    local joint = world:wheel(cart, wheel, { anchor = { 2, 0 }, axis = { 0, 1 } })
    raises("tasks[1]: field 'joint' is not a joint or coordinate of the tree", function()
      impel.optimal(world, { tasks = { { kind = "joint", joint = hinge:coordinate "x" } } })
    end)
    impel.optimal(world, { tasks = { { kind = "joint", joint = joint:coordinate "angle", target = 0.7 },
      { kind = "joint", joint = joint, target = 0.1 }, { kind = "posture", weight = 1e-4 } } })
    for _ = 1, 300 do world:step() end
    assert.near(0.7, joint:coordinate("angle").value, 1e-3) -- the posture task acts, too, with a weight of 1e-4
    assert.near(0.1, joint:coordinate("x").value, 1e-3)
    assert.near(0, hinge.value, 1e-3)
  end)

  it("have the fields of their kind and no others", function()
    local world, _, last = arm {}
    local function with(...)
      local list = { ... }
      return function() impel.optimal(world, { tasks = list }) end
    end
    raises("a task of the kind 'momentum' has no field 'stiffness'", with { kind = "momentum", stiffness = 1e9 })
    raises("a task of the kind 'momentum' has no field 'target'", with { kind = "momentum", target = 5 })
    raises("a task of the kind 'posture' has no field 'body'", with { kind = "posture", body = last })
    raises("a task of the kind 'posture' has no field 'only'", with { kind = "posture", only = "x" })
    raises("has no field 'target_speed'", with { kind = "posture", target_speed = 3 })
    raises("has no field 'point'", with { kind = "angle", body = last, point = { 9, 9 } })
    raises("field 'tasks' must be a list, got the key 'a' (string)", function()
      impel.optimal(world, { tasks = { a = { kind = "posture" } } })
    end)
    raises("field 'contacts' must be a list", function() impel.optimal(world, { tasks = {}, contacts = { b = 1 } }) end)
  end)

  it("with weight 0 and no regularization fail with a message and zero torques, and recover with weight 1", function()
    local world, joints = arm { solver = "direct" }
    local c = impel.optimal(world, { tasks = { { kind = "posture" } }, effort = 0, acceleration_weight = 0 })
    world:step()
    local coordinate = joints[1]:coordinate "angle"
    assert.is_true(math.abs(coordinate:drives().force) > 1)
    c.tasks[1].weight = 0
    world:step()
    assert.same({ "failed", "not convex: H is not positive definite" }, { c.state, c.message })
    assert.same({ 0, 0 }, { coordinate:drives().force, c.tau[1] })
    c.tasks[1].weight = 1
    world:step()
    assert.same({ "solved" }, { c.state, c.message })
    assert.is_true(math.abs(coordinate:drives().force) > 1)
  end)

  it("name a field with an invalid value", function()
    local world, torso, _, contacts = biped {}
    local c = standing(torso, contacts)
    world:step()
    local center, angle, posture = c.tasks[1], c.tasks[2], c.tasks[3]
    for _, case in ipairs {
      { c, "max_torque", 50, "field 'max_torque' must be a table, got 50" },
      { c.max_torque, 4, -1, "max_torque[4] must be a number >= 0 [N m or N], got -1" },
      { c.max_torque, 1, nil, "max_torque[1] must be" },
      { c.load, 2, 0 / 0, "load[2] must be a finite number, got nan" },
      { c, "effort", -1, "field 'effort' must be" }, { c, "enabled", "no", "field 'enabled' must be true or false" },
      { c.tasks, 5, { kind = "angle" }, "tasks[5]: field 'weight' must be a finite number" },
      { c.tasks, 5, 3, "tasks[5] must be a table, got 3" },
      { c.tasks, 5, { kind = "momentum", weight = 1, damping = 1 } },
      { c.tasks, 5, { kind = "angle", weight = 1, damping = 1, stiffness = 1, target = 1, target_speed = 0,
        target_acceleration = 0 }, "tasks[5] was not created with the controller" },
      { center, "target", nil, "tasks[1]: field 'target' must be { x, y }" },
      { angle, "target", "a", "tasks[2]: field 'target' must be a finite number, got 'a' (string)" },
      { angle, "weight", -1, "tasks[2]: field 'weight' must be" },
      { posture.target, 9, {}, "tasks[3]: target[9] must be" },
      { c.contacts[1], "point", nil, "contacts[1]: field 'point' must be { x, y }" },
      { c.contacts[2], "friction", -1, "contacts[2]: field 'friction' must be" },
      { c.contacts, 4, nil, "the controller was created with 4 contacts, but now has 3" },
    } do
      local owner, name, value, words = table.unpack(case, 1, 4)
      local kept = owner[name]
      owner[name] = value
      if words then raises(words, function() world:step() end) end
      owner[name] = kept
      world:step()
    end
  end)
end)
