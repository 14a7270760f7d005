-- Joints over time, from Lua: bodies that change their type, switched drives, energy and work, sleep, repeatability.
local impel = require "impel"

local m = impel.math
local G = 9.81
local measure = require "support.measure"
local near = measure.near

-- Add a test `f(solver, single)` for soft and si. `single`: relative rounding error of the solver.
local function both(name, f) measure.both(it, name, f) end

local function new_world(solver, gravity, more)
  local options = { solver = solver, gravity = { 0, gravity }, sleep = false }
  for key, value in pairs(more or {}) do options[key] = value end
  return impel.world(options)
end

-- A chain of links of 0.1 m x 1 m from the ground, hinged at their ends. `drives(i)` returns the options of hinge i.
local function links(world, count, drives)
  local bodies, joints, before = {}, {}, world.ground
  for i = 1, count do
    bodies[i] = world:body { position = { i - 0.5, 0 } }
    bodies[i]:box { 1, 0.1, mask = 0 }
    local options = drives and drives(i) or {}
    options.anchor = { i - 1, 0 }
    joints[i] = world:revolute(before, bodies[i], options)
    before = bodies[i]
  end
  return bodies, joints
end

local function state(world)
  local list = {}
  for body in world:bodies() do
    local x, y = body:position()
    local vx, vy = body:velocity()
    for _, value in ipairs { x, y, body.angle, vx, vy, body.angular_velocity } do list[#list + 1] = value end
  end
  return list
end

-- ---------------------------------------------------------------------------------------------------------------------
-- Changes at run time
-- ---------------------------------------------------------------------------------------------------------------------

describe("a body with joints on it", function()
  -- Check that no body moves farther in a step than dt times its largest speed. `apart`: the largest joint error after
  -- 1 s.
  local function watch(world, joints, steps, what)
    local apart, jump, from = 0, 0, world.time
    for _ = 1, steps do
      local before = state(world)
      world:step()
      local after = state(world)
      for i = 1, #after, 6 do
        local way = math.sqrt((after[i] - before[i]) ^ 2 + (after[i + 1] - before[i + 1]) ^ 2)
        local speed = math.max(math.sqrt(before[i + 3] ^ 2 + before[i + 4] ^ 2),
          math.sqrt(after[i + 3] ^ 2 + after[i + 4] ^ 2))
        jump = math.max(jump, way - speed * world.dt)
      end
      for _, joint in ipairs(joints) do apart = world.time > from + 1 and math.max(apart, joint.separation) or apart end
    end
    near(0, math.max(jump, 0), 5e-3, what .. ": motion beyond speed * dt [m]") -- tolerance: the links move 5 mm in 1 ms
    near(0, apart, 0.01, what .. ": largest joint error after 1 s [m]")
  end

  both("becomes kinematic and dynamic again without a jump of speed or position", function(solver)
    -- At 60 Hz, Baumgarte's bias of si opens the joints of fast links by v^2 dt^2 / (2 beta r) = 50 mm.
    local fine = solver == "si" and 4 or 1
    local world = new_world(solver, -G, { dt = 1 / 60 / fine })
    local bodies, joints = links(world, 5)
    for _, body in ipairs(bodies) do body.angular_damping = 0.5 end
    world:step(20 * fine)
    local hand = bodies[3]
    local before = state(world)
    hand.type = "kinematic"
    assert.same(before, state(world)) -- dv = 0, dx = 0 for all bodies
    local x, y = hand:position()
    local vx, vy = hand:velocity()
    world:step()
    local nx, ny = hand:position()
    near(x + vx * world.dt, nx, 1e-14, "x at constant velocity [m]") -- rounding
    near(y + vy * world.dt, ny, 1e-14, "y at constant velocity [m]")
    hand:set_velocity(0, 0)
    hand.angular_velocity = 0
    watch(world, joints, 300 * fine, solver .. ", links 1, 2 and 4, 5 swing from a still one")
    x, y = hand:position()
    assert.same({ nx, ny }, { x, y })
    before = state(world)
    hand.type = "dynamic"
    assert.same(before, state(world))
    watch(world, joints, 300 * fine, solver .. ", dynamic again")
    assert.is_true(select(2, hand:position()) < y - 0.2) -- the hand fell
  end)

  both("loads the body that holds it: kinematic, dynamic, static", function(solver)
    local world = new_world(solver, -G)
    local bodies, joints = links(world, 2)
    for i, body in ipairs(bodies) do
      body:set_position(0, 0.5 - i)
      body.angle = -math.pi / 2
    end
    local weight = 0.1 * G
    local function pull(i) return (select(2, joints[i]:reaction())) end
    world:step(60)
    near(2 * weight, pull(1), 0.005 * weight, "dynamic: upper hinge [N]")
    for _, kind in ipairs { "kinematic", "static" } do
      bodies[1].type = kind
      world:step(60)
      near(weight, pull(2), 0.005 * weight, kind .. ": lower hinge [N]")
      near(0, pull(1), 1e-12, kind .. ": upper hinge, between the ground and a fixed body [N]")
      bodies[1].type = "dynamic"
      world:step(60)
      near(weight, pull(2), 0.005 * weight, "dynamic again: lower hinge [N]")
      near(2 * weight, pull(1), 0.005 * weight, "dynamic again: upper hinge [N]")
    end
  end)

  both("has drives switched on and off without a jump, effective from the next step", function(solver, single)
    local world = new_world(solver, 0)
    local wheel = world:body { mass = 1, inertia = 2, angular_velocity = 1 }
    local hinge = world:revolute(world.ground, wheel, {})
    local c = hinge:coordinate "angle"
    local function switch(what, method, ...)
      local before = state(world)
      c[method](c, ...)
      assert.same(before, state(world), what)
    end
    world:step(10)
    near(1, wheel.angular_velocity, single, "free: speed [rad/s]")
    switch("motor", "set_motor", { speed = 3, max_force = 12 })
    world:step(10)
    near(1 + 12 / 2 / 6, wheel.angular_velocity, 3 * single, "motor: speed after 1/6 s at max_force [rad/s]")
    switch("motor off", "set_motor")
    world:step(10)
    near(2, wheel.angular_velocity, 3 * single, "motor off: speed [rad/s]")
    switch("force", "set_force", -6)
    world:step(10)
    near(2 - 6 / 2 / 6, wheel.angular_velocity, 3 * single, "force: speed after 1/6 s [rad/s]")
    switch("force off", "set_force")
    switch("limit", "set_limit", nil, c.value + 0.1)
    local stop = c.value + 0.1
    world:step(60)
    if solver == "soft" then
      near(stop, c.value, 1e-4, "limit: angle [rad]") -- the soft solver's limit yields a little
      near(0, c.speed, 1e-3, "limit: speed [rad/s]")
    else -- si moves the coordinate up to one step's motion beyond the limit, and then back
      assert.is_true(c.value < stop + 1.5 / 60 and c.speed < 1e-9) -- 1e-9: rounding error of the speed at the limit
    end
    switch("limit off", "set_limit")
    switch("spring", "set_spring", { stiffness = 50, damping = 20, target = c.value + 0.5 })
    stop = c.value + 0.5
    world:step(300)
    near(stop, c.value, 1e-3, "spring: angle [rad]")
    switch("spring off", "set_spring")
    switch("servo", "set_servo", { target = 0 })
    world:step(120)
    near(0, c.value, 1e-4, "servo: angle [rad]")
    switch("all off", "release")
    wheel.angular_velocity = 1
    world:step(10)
    near(1, wheel.angular_velocity, 3 * single, "all off: speed [rad/s]")
    switch("lock", "set_lock")
    world:step(60)
    near(0, wheel.angular_velocity, single, "lock: speed [rad/s]")
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Energy and work
-- ---------------------------------------------------------------------------------------------------------------------

describe("world:energy()", function()
  local function weight(world, x) return world:body { mass = 2, inertia = 1, position = { x, 0 } } end

  it("counts 1/2 k x^2 of every spring", function()
    local world = new_world("soft", 0)
    local body = weight(world, 1)
    local sum = 0
    local function add(energy, what)
      sum = sum + energy
      local kinetic, potential = world:energy()
      assert.equal(0, kinetic)
      near(sum, potential, 1e-12, "energy with a spring of " .. what .. " [J]") -- rounding
    end
    world:prismatic(world.ground, body, { spring = { stiffness = 50 } })
    body:set_position(1.3, 0)
    add(0.5 * 50 * 0.3 ^ 2, "a slider")
    world:revolute(world.ground, body, { x = { force = 0 }, y = { force = 0 },
      spring = { stiffness = 7, target = 0.5 } })
    add(0.5 * 7 * 0.5 ^ 2, "a hinge")
    local rod = world:distance(world.ground, body, { anchor_a = { 0, 0 }, spring = { hertz = 2, target = 1 } })
    add(0.5 * rod:coordinate("distance").mass * (4 * math.pi) ^ 2 * 0.3 ^ 2, "a rod, by hertz")
    world:constraint(body, { C = function(b) return b.x * b.x end, spring = { stiffness = 3, target = 0.5 } })
    add(0.5 * 3 * (1.3 ^ 2 - 0.5) ^ 2, "C = x^2")
    rod:destroy()
    add(-0.5 * 2 * (4 * math.pi) ^ 2 * 0.3 ^ 2, "no rod")
  end)

  both("is constant for a mass on a spring within w h / 2, the oscillation of symplectic steps", function(solver)
    local world = new_world(solver, 0)
    local body = weight(world, 0)
    world:prismatic(world.ground, body, { spring = { stiffness = 50 } })
    body:set_position(0.3, 0)
    local least, most = math.huge, 0
    for _ = 1, 1200 do
      world:step()
      local kinetic, potential = world:energy()
      least, most = math.min(least, kinetic + potential), math.max(most, kinetic + potential)
    end
    local swing = 5 * world.dt / world.substeps / 2 -- w = sqrt(50 / 2) rad/s
    near(2.25, (least + most) / 2, 0.01 * 2.25, "sprung mass: mean energy [J]")
    assert.is_true(most - least < 2.1 * swing * 2.25, most - least)
  end)

  both("contains the work of a motor: 1/2 I w^2", function(solver)
    local world = new_world(solver, 0)
    local wheel = world:body { mass = 1, inertia = 2 }
    local hinge = world:revolute(world.ground, wheel, { motor = { speed = 3, max_force = 4 } })
    world:step(120)
    local kinetic, _, work = world:energy()
    near(9, kinetic, 9e-3, "kinetic energy [J]") -- 0.1 %
    near(9, work, 9e-3, "joint_work [J]")
    near(9, hinge:coordinate("angle").work, 9e-3, "work of the coordinate [J]")
    for row in hinge:rows() do
      if row.kind == "motor" then near(9, row.work, 9e-3, "work of the motor's row [J]") end
    end
  end)

  both("contains the energy that a brake and a damper take", function(solver)
    local world = new_world(solver, 0)
    local disc = world:body { mass = 1, inertia = 2, angular_velocity = 3 }
    world:revolute(world.ground, disc, { motor = { speed = 0, max_force = 4 } })
    world:step(60)
    local kinetic, _, work = world:energy()
    near(9 - 0.5 * 2 * (3 - 4 / 2) ^ 2, -work, 0.09, "brake: energy taken in 1 s [J]") -- 1 % of 9 J
    near(9 - kinetic, -work, 0.01 * 8, "brake: its work = kinetic energy lost [J]")
    world:step(60)
    near(9, -(select(3, world:energy())), 0.09, "brake: energy taken in total [J]")
    world = new_world(solver, 0)
    local body = weight(world, 0)
    body:set_velocity(3, 0)
    world:prismatic(world.ground, body, { spring = { stiffness = 0, damping = 1 } })
    for t = 1, 4 do
      world:step(60)
      kinetic, _, work = world:energy()
      near(9 * math.exp(-t), kinetic, 0.09, "damper: kinetic energy left [J]") -- 1 % of the 9 J
      near(9 - kinetic, -work, 0.09, "damper: its work = kinetic energy lost [J]")
    end
  end)

  -- Without gravity only the work of the joints changes the kinetic energy. The work of a drive is the integral of its
  -- force over the coordinate. The tolerance is 1 % of all work that the drives do and absorb.
  for _, drive in ipairs { "motor", "damper" } do
    local function turn(solver)
      local world = new_world(solver, 0)
      local bodies, hinges = links(world, 4, function()
        return drive == "motor" and { motor = { speed = 2, max_force = 0.2 } }
          or { spring = { stiffness = 0, damping = 0.02 } }
      end)
      for i, body in ipairs(bodies) do -- the bodies turn about the first hinge as one rigid body
        body.angular_velocity = 1
        body:set_velocity(0, i - 0.5)
      end
      local start, speeds, along, turned = world:energy(), {}, 0, 0
      for _ = 1, 120 do
        for i, hinge in ipairs(hinges) do speeds[i] = hinge.speed end
        world:step()
        for i, hinge in ipairs(hinges) do
          local work = hinge.force * (speeds[i] + hinge.speed) / 2 * world.dt
          along, turned = along + work, turned + math.abs(work)
        end
      end
      local kinetic, _, work = world:energy()
      local drives, locks = 0, 0
      for row in world:rows() do
        if row.kind == "lock" then locks = locks + row.work else drives = drives + row.work end
      end
      return turned, kinetic - start, work, along, drives, locks
    end

    both("contains in joint_work the work of four hinges, each with a " .. drive .. ", within 1 %", function(solver)
      local turned, gained, work = turn(solver)
      near(gained, work, 0.01 * turned, ("four hinges, %s, %s: joint_work [J]"):format(drive, solver))
    end)

    both("contains the work of the rows of each " .. drive .. " and of each lock, within 1 %", function(solver)
      local turned, gained, _, along, drives, locks = turn(solver)
      near(along, drives, 0.01 * turned, ("four hinges, %s, %s: work of the drives' rows [J]"):format(drive, solver))
      near(gained - along, locks, 0.01 * turned, -- with solver si, projection loses energy
        ("four hinges, %s, %s: work of the locks' rows [J]"):format(drive, solver))
    end)
  end
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Sleep
-- ---------------------------------------------------------------------------------------------------------------------

describe("sleep", function()
  local function rests(world, seconds)
    for _ = 1, seconds * 60 do
      world:step()
      if world:counts().awake == 0 then return true end
    end
    return false
  end

  both("starts if a constraint holds the body still, unless C depends on time or is dynamic", function(solver)
    for _, case in ipairs {
      { sleeps = true, C = function(p) return p.x, p.y end },
      -- The motion is below the sleep threshold.
      { sleeps = false, C = function(p, t) return p.x - 1e-6 * m.sin(t), p.y end },
      { sleeps = false, dynamic = true, C = function(p) return p.x, p.y end }, -- C may change in any step
    } do
      local world = impel.world { solver = solver }
      local bead = world:body { type = "particle" }
      world:constraint(bead, { C = case.C, dynamic = case.dynamic })
      assert.equal(case.sleeps, rests(world, 10))
      assert.equal(not case.sleeps, bead.awake)
    end
  end)

  both("starts in a bridge; setting a servo's target wakes the whole bridge", function(solver)
    local world = impel.world { solver = solver, iterations = solver == "si" and 50 or nil }
    local count, half, pins, before = 10, 0.5, {}, world.ground
    local function pin(i) -- position of a pin on an arc over a span of 10 m
      local turn = half * (2 * i / count - 1)
      return 5 + 5 * math.sin(turn) / math.sin(half), 5 * (math.cos(half) - math.cos(turn)) / math.sin(half)
    end
    for i = 1, count + 1 do
      local x, y = pin(i - 1)
      local plank = world.ground
      if i <= count then
        local nx, ny = pin(i)
        plank = world:body { position = { (x + nx) / 2, (y + ny) / 2 }, angle = math.atan(ny - y, nx - x),
          linear_damping = 0.5, angular_damping = 0.5 }
        plank:box { math.sqrt((nx - x) ^ 2 + (ny - y) ^ 2), 0.1 }
      end
      pins[i] = world:revolute(before, plank, { anchor = { x, y },
        servo = i == 5 and { target = 0, max_force = 1e-3 } or nil })
      before = plank
    end
    assert.is_true(rests(world, 30), "it does not come to rest")
    local hash = world.hash
    local poses = state(world)
    world:step(60)
    assert.same(poses, state(world))
    assert.are_not.equal(hash, world.hash)
    pins[5].target = 0.2
    assert.equal(count, world:counts().awake)
    pins[5].max_force = 50
    world:step(240)
    -- Under soft, a servo yields by torque / (m_C w^2), with effective mass m_C and w = 2 pi 60 1/s. The factor 1.1
    -- allows for the effect of the locks on m_C.
    local sag = math.abs(pins[5].force) / (pins[5]:coordinate("angle").mass * (2 * math.pi * 60) ^ 2)
    near(0.2, pins[5].value, 1.1 * sag, "bridge: angle of the pin with the servo [rad]")
  end)

  both("ends at every change of a drive, force or constraint", function(solver)
    local function arm(options)
      local world = impel.world { solver = solver }
      local body = world:body { position = { 0.5, 0 } }
      body:box { 1, 0.1 }
      options.anchor = { 0, 0 }
      local joint = world:revolute(world.ground, body, options)
      assert.is_true(rests(world, 5))
      return joint, world
    end
    local servo = { servo = { target = 0.3, max_force = 50 } }
    for what, change in pairs {
      target = function(joint) joint.target = -0.4 end,
      max_force = function(joint) joint.max_force = 0.1 end,
      set_spring = function(joint)
        joint:coordinate("angle"):set_spring { stiffness = 5 }
        joint:coordinate("angle"):set_servo()
      end,
      release = function(joint) joint:coordinate("angle"):release() end,
      set_lock = function(joint) joint:coordinate("x"):set_lock(0.1) end,
      destroy = function(joint) joint:destroy() end,
      sever = function(joint) joint:sever() end,
    } do
      local joint, world = arm(servo)
      local before = state(world)
      change(joint)
      assert.equal(1, world:counts().awake, what)
      world:step(30)
      assert.is_true(math.abs(state(world)[2] - before[2]) + math.abs(state(world)[1] - before[1]) > 1e-3, what)
    end
    local joint, world = arm { motor = { speed = 0, max_force = 50 } }
    joint.motor_speed = 1e-4
    assert.is_false(rests(world, 5)) -- a motor that turns, however slowly, keeps bodies awake
    world = impel.world { solver = solver }
    local bead = world:body { type = "particle" }
    local wire = world:constraint(bead, { param = { x = 0 }, C = function(p, _, param) return p.x - param.x, p.y end })
    assert.is_true(rests(world, 5))
    wire.param.x = 1
    assert.is_true(bead.awake)
    world:step(120)
    near(1, bead:position(), 1e-3, "param set while asleep: position [m]")
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------
-- Determinism
-- ---------------------------------------------------------------------------------------------------------------------

describe("two worlds with all kinds of joints and constraints", function()
  local options = {
    revolute = { limit = { -1, 1 }, motor = { speed = 2, max_force = 3 }, break_force = 500 },
    wheel = { spring = { hertz = 3, damping_ratio = 0.3 }, motor = { speed = -3, max_force = 1 } },
    pose = { max_force = 20, max_torque = 5 },
    friction = { max_force = 3, angle = { motor = { speed = 0, max_force = 1 } } },
    ratchet = { pitch = 0.1, force = 2 },
    weld = { spring = { hertz = 6, damping_ratio = 0.2 } },
    pulley = { ratio = 1.5 },
  }

  local function build(settings)
    local world = impel.world(settings)
    world.ground:segment { from = { -90, -3 }, to = { 90, -3 } }
    local x = -60
    local function pair()
      x = x + 3
      local a = world:body { position = { x, 0 } }
      local b = world:body { position = { x + 1, 0.3 }, angle = 0.2, velocity = { 0.3, 0.5 }, angular_velocity = 0.4 }
      a:box { 0.8, 0.4 }
      b:box { 0.6, 0.5 }
      return a, b
    end
    local made = 0
    for _, entry in ipairs(impel.api().world) do
      local kind = entry.name
      if entry.signature and entry.signature:find "%-> joint$" and kind ~= "constraint" then
        local a, b = pair()
        local all = {}
        for key, value in pairs(options[kind] or {}) do all[key] = value end
        if kind == "drag" then
          world:drag(b, { target = { x, 1 } })
        elseif kind == "gear" or kind == "rack" then
          all.joint1 = kind == "gear" and world:revolute(world.ground, a, {})
            or world:prismatic(world.ground, a, { axis = { 1, 1 } })
          all.joint2 = world:revolute(world.ground, b, { motor = { speed = 1, max_force = 2 } })
          world[kind](world, all)
        else
          if kind == "pulley" then all.ground_a, all.ground_b = { x, 4 }, { x + 1, 4 } end
          world[kind](world, a, b, all)
        end
        made = made + 1
      end
    end
    assert(made >= 15)
    local a, b = pair()
    world:constraint(a, b, { C = function(p, q, t)
      return (p.x - q.x) ^ 2 + (p.y - q.y) ^ 2 - 1.1 - 0.1 * m.sin(3 * t)
    end })
    world:constraint((pair()), { C_dot = function(p)
      local nx, ny = p:vector(0, 1)
      return p.vx * nx + p.vy * ny
    end })
    a, b = pair()
    world:constraint(a, b, { rows = function(row, p, q)
      row { J = { { 1, 0, 0 }, { -1, 0, 0.2 } }, C = p.x - q.x + 1, lower = -5, upper = 5 }
    end })
    a, b = pair()
    world:constraint(a, b, { dynamic = true, limit = { 0, 0.8 }, max_force = 30, C = function(p, q)
      if p.y > q.y then return p.y - q.y end
      return q.y - p.y
    end })
    a, b = pair()
    local c, d = pair()
    world:constraint(a, b, c, d, { spring = { hertz = 2, damping_ratio = 0.2 }, C = function(p, q, r, s)
      return p.x + q.x + r.x + s.x, p.y - q.y + r.y - s.y
    end })
    return world
  end

  for _, solver in ipairs { "soft", "si" } do
    it("give the same hash after 600 steps, with lanes = 4, 8, 16 too (" .. solver .. ")", function()
      local one = build { solver = solver }
      local first = one.hash
      one:step(600)
      assert.is_true(one:counts().contacts > 10 and one:counts().awake > 5 and one.hash ~= first)
      for _, lanes in ipairs { 0, 4, 8, 16 } do
        local other = build { solver = solver, lanes = lanes }
        assert.equal(first, other.hash)
        for _ = 1, 10 do other:step(60) end
        assert.equal(one.hash, other.hash, "lanes = " .. lanes)
      end
    end)
  end
end)
