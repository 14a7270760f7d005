-- Actuators other than control laws of a joint: timed forces, root control, motors.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

local m = impel.math
local G = 9.81

local function free_body(options)
  local world = impel.world(options or { gravity = { 0, 0 } })
  return world, world:body { mass = 2, inertia = 0.5, position = { 1, 2 }, angle = 0.3 }
end

describe("impel.timed_force", function()
  for _, duration in ipairs { 1e-3, 1 / 240, 0.0537, 0.1, 1, 2.718 } do
    for _, delay in ipairs { 0, 0.0123, 0.05 } do
      it(("gives the impulse force x duration: %g s after a delay of %g s"):format(duration, delay), function()
        for _, solver in ipairs { "soft", "si" } do
          local world, body = free_body { gravity = { 0, 0 }, solver = solver }
          local push = impel.timed_force(body, { force = { 50, -20 }, torque = 3, duration = duration, delay = delay })
          world:step(200)
          local vx, vy = body:velocity()
          local tiny = 1e-12 * duration + 1e-15 -- rounding of one addition per substep
          assert.near(50 * duration, 2 * vx, 50 * tiny)
          assert.near(-20 * duration, 2 * vy, 50 * tiny)
          assert.near(3 * duration, 0.5 * body.angular_velocity, 50 * tiny)
          assert.is_true(push.done)
        end
      end)
    end
  end

  it("lasts from its delay to its end, to a fraction of a substep", function()
    local world, body = free_body()
    impel.timed_force(body, { force = { 2, 0 }, duration = 1 / 120, delay = 1 / 120 + 1 / 480 })
    local speeds = {}
    -- The handler gets the velocity at the start of the substep.
    world:on("substep", function() speeds[#speeds + 1] = body:velocity() end)
    world:step(2)
    local h = 1 / 240
    for i, expected in ipairs { 0, 0, 0.5 * h, 1.5 * h, 2 * h, 2 * h } do
      assert.near(expected, speeds[i + (i > 2 and 1 or 0)], 1e-12)
    end
  end)

  it("acts on a given point of the body, in the given frame", function()
    for frame, angle in pairs { world = 0, body = 0.3 } do
      local world, body = free_body()
      impel.timed_force(body, { force = { 0, 4 }, point = { 0.5, 0 }, frame = frame, duration = 1 / 240 })
      world:step()
      local vx, vy = body:velocity()
      assert.near(-m.sin(angle) * 4 / 240, 2 * vx, 1e-12)
      assert.near(m.cos(angle) * 4 / 240, 2 * vy, 1e-12)
      assert.near(0.5 * 4 / 240 * m.cos(frame == "body" and 0 or 0.3), 0.5 * body.angular_velocity, 1e-12)
    end
  end)

  it("wakes a sleeping body, accepts an impulse in place of a force, and makes no garbage", function()
    local world, body = free_body()
    world:body({ type = "static", position = { 1, 0 } }):box { 10, 1 }
    body:box { 1, 1 }
    body.allow_sleep = true
    local push = impel.timed_force(body, { impulse = { 0, 6 }, duration = 0.3, delay = 2 })
    world:step(150)
    assert.near(6 / body.mass, select(2, body:velocity()), 1e-6)
    assert.is_true(push.done)
    impel.timed_force(body, { force = { 0, 0 }, point = { 0, 0 }, frame = "body", torque = 1e-9, duration = 1e6 })
    assert.equal(0, flat(function() world:step() end)) -- a step allocates no memory
  end)

  it("refuses wrong arguments and static bodies", function()
    local world, body = free_body()
    raises("takes force [N] or impulse", impel.timed_force, body, { duration = 1 })
    raises("not both", impel.timed_force, body, { force = { 1, 0 }, impulse = { 1, 0 }, duration = 1 })
    raises("needs the field 'duration'", impel.timed_force, body, { force = { 1, 0 } })
    raises("forces do not act on a static body", impel.timed_force, world.ground, { force = { 1, 0 }, duration = 1 })
    raises("must be a body", impel.timed_force, world, { force = { 1, 0 }, duration = 1 })
    body:destroy()
    raises("attempt to use destroyed", impel.timed_force, body, { force = { 1, 0 }, duration = 1 })
  end)
end)

describe("impel.root", function()
  -- Build a trunk on a leg whose foot is pinned. Without impel.root the trunk falls.
  local function figure()
    local world = impel.world { sleep = false }
    local leg = world:body { position = { 0, 0.5 }, mass = 4, inertia = 0.4 }
    local trunk = world:body { position = { 0, 1.4 }, mass = 8, inertia = 0.7 }
    world:revolute(world.ground, leg, { anchor = { 0, 0 } })
    local hip = world:revolute(leg, trunk, { anchor = { 0, 1 } })
    return world, trunk, hip
  end

  it("holds a lean of 0.3 rad to 1 %", function()
    for _, law in ipairs { "stable_pd", "pd" } do
      local world, trunk = figure()
      -- Position of the trunk's centre of mass for an upright leg and a lean of 0.3 rad.
      local place = { -0.4 * m.sin(0.3), 1 + 0.4 * m.cos(0.3) }
      impel.root(trunk, { law = law, target = place, hertz = 10, target_angle = 0.3, angle = { kp = 5000, kd = 60 } })
      world:step(300)
      assert.near(0.3, trunk.angle, 0.003) -- +-1 %
      assert.near(0, trunk.angular_velocity, 1e-3)
    end
  end)

  it("sags by load / kp, and leaves other coordinates free", function()
    local world, body = free_body { sleep = false }
    local hand = impel.root(body, { x = false, y = { kp = 500, kd = 60, target = 3 }, angle = false })
    body:set_velocity(0.5, 0)
    body.angular_velocity = 1
    world:step(600)
    local x, y = body:position()
    assert.near(3 - 2 * G / 500, y, 1e-5)
    assert.near(1 + 0.5 * 10, x, 1e-4)
    assert.near(0.3 + 10, body.angle, 1e-4)
    assert.is_false(hand.x)
  end)

  it("goes to its target, releases without a jump, and holds again", function()
    local world, body = free_body { sleep = false, solver = "si" }
    local hand = impel.root(body, { hertz = 8 })
    hand:set_target(2, 2.5, 0.3)
    world:step(120)
    local x, y = body:position()
    local sag = G / (2 * math.pi * 8) ^ 2
    assert.near(2, x, 1e-4)
    assert.near(2.5 - sag, y, 1e-4)
    local vx, vy = body:velocity()
    hand.enabled = false
    assert.same({ vx, vy }, { body:velocity() })
    world:step()
    -- Without the controller the body falls freely.
    assert.near(vy - G / 60, select(2, body:velocity()), 1e-9)
    hand.enabled = true
    world:step(240)
    assert.near(2.5 - sag, select(2, body:position()), 1e-4)
    hand:destroy()
    hand:destroy()
    assert.is_false(hand.joint:is_valid())
    vy = select(2, body:velocity())
    world:step()
    assert.near(vy - G / 60, select(2, body:velocity()), 1e-9)
  end)

  it("makes no garbage, and stops when its body is destroyed", function()
    local world, trunk = figure()
    local hand = impel.root(trunk, {})
    local n = 0
    assert.equal(0, flat(function() -- a step allocates no memory
      n = n + 1
      hand:set_target(0.001 * (n % 5), nil, 0.01 * (n % 3))
      world:step()
    end))
    trunk:destroy()
    world:step(10)
    assert.is_false(hand:is_alive())
    hand:destroy()
    raises("must be a table of options or false", impel.root, world:body {}, { x = 1 })
    raises("a dynamic body expected", impel.root, world.ground)
  end)
end)

describe("impel.motor", function()
  local function drive(more, options)
    local world = impel.world(options or { gravity = { 0, 0 }, sleep = false })
    local body = world:body { mass = 1, inertia = 0.5 }
    local joint = world:revolute(world.ground, body, {})
    local o = { stall_torque = 0.3, no_load_speed = 600, ratio = 50, efficiency = 0.7, rotor_inertia = 2e-4,
                command = 1 }
    for key, value in pairs(more or {}) do o[key] = value end
    return world, joint, impel.motor(joint, o), body
  end

  it("spins up as 1 - exp(-t / tau), with r^2 times the rotor's inertia in tau", function()
    for _, rotor in ipairs { 0, 2e-4 } do
      local world, joint = drive { rotor_inertia = rotor }
      local tau = (0.5 + 2500 * rotor) * 600 / (2500 * 0.7 * 0.3)
      local h = 1 / 240
      for _ = 1, 100 do
        world:step()
        local exact = 12 * (1 - m.exp(-world.time / tau))
        -- Implicit Euler increases the time constant to about tau + h / 2.
        assert.near(exact, joint.speed, 12 * h / (2 * tau))
      end
    end
  end)

  it("has its stall torque at rest, zero torque at its no-load speed, and brakes beyond", function()
    local _, _, motor = drive()
    assert.near(50 * 0.7 * 0.3, motor:available(0), 1e-12)
    assert.near(0, motor:available(12), 1e-12)
    assert.near(-50 * 0.7 * 0.3, motor:available(24), 1e-12)
    local world, joint = drive({}, { gravity = { 0, 0 }, sleep = false, solver = "si" })
    world:step()
    assert.near(10.5 / 60 / (0.5 + 0.5 + 10.5 / 12 / 60), joint.speed, 1e-9) -- one step of implicit Euler
  end)

  it("lifts a load up to its torque, and holds it", function()
    for load, lifted in pairs { [10.4] = true, [10.6] = false } do
      local world, joint = drive()
      joint:coordinate()
      world:on("substep", function() joint.body_b:apply_torque(-load) end)
      world:step(600)
      assert.equal(lifted, joint.value > 0)
      assert.near(12 * (1 - load / 10.5), joint.speed, 1e-3) -- the speed at which the torque-speed line equals the load
    end
  end)

  it("gives the requested torque up to its limit", function()
    local world, joint, motor = drive { rotor_inertia = 0 }
    motor.torque = 4
    world:step(30)
    -- The error of implicit Euler is b h / I = 1 %, with the slope b of the torque-speed line.
    assert.near(4 / 0.5 * 0.5, joint.speed, 0.04)
    assert.is_true(motor.voltage < 1)
    world:step(600)
    assert.equal(1, motor.voltage)
    assert.near(12, joint.speed, 1e-3)
    motor.enabled = false
    local speed = joint.speed
    world:step(60)
    assert.near(speed, joint.speed, 1e-6)
  end)

  it("is stable with a reflected rotor inertia a million times the body's", function()
    local world, joint, motor = drive { ratio = 1000, rotor_inertia = 1, efficiency = 1, stall_torque = 1000 }
    world:step(600)
    assert.near(0.6, joint.speed, 0.6) -- 0 to 1.2 rad/s
    assert.is_true(joint.speed > 0 and motor.voltage == 1)
  end)

  it("sticks under loads below its dry friction, and makes no garbage", function()
    local world, joint, motor = drive { friction = 1, command = 0.09 }
    world:step(60)
    assert.near(0, joint.value, 1e-6) -- the motor exerts 0.945 N m, friction up to 1 N m
    motor.command = 0.2
    world:step(60)
    assert.is_true(joint.value > 0.1)
    assert.equal(0, flat(function() world:step() end)) -- a step allocates no memory
    motor:destroy()
    local coordinate = joint:coordinate()
    assert.same({ 0, 0, 0 }, { coordinate.armature, coordinate.damping, coordinate.friction })
    raises("needs the field 'stall_torque'", impel.motor, joint, { no_load_speed = 1 })
  end)

  it("follows changed parameters from the next substep on, as if it had been made with them", function()
    local function run(change)
      local world, joint, motor = drive(change and {} or { ratio = 20, stall_torque = 0.5, friction = 0.2,
        rotor_inertia = 1e-3, efficiency = 0.9, no_load_speed = 500 })
      if change then
        motor.ratio, motor.stall_torque, motor.friction = 20, 0.5, 0.2
        motor.rotor_inertia, motor.efficiency, motor.no_load_speed = 1e-3, 0.9, 500
        assert.near(20 * 0.9 * 0.5, motor:available(0), 1e-12)
      end
      world:step(30)
      local coordinate = joint:coordinate()
      return { joint.speed, motor:output(), coordinate.armature, coordinate.damping, coordinate.friction }
    end
    assert.same(run(false), run(true))
    local world, joint, motor = drive()
    world:step(2)
    motor.enabled = false
    motor.rotor_inertia, motor.friction = 4e-4, 0.3 -- the disabled motor keeps its rotor inertia and friction
    world:step()
    local coordinate = joint:coordinate()
    assert.same({ 2500 * 4e-4, 0, 0.3 }, { coordinate.armature, coordinate.damping, coordinate.friction })
  end)

  it("names the wrong parameter", function()
    for field, value in pairs { command = "x", torque = "x", ratio = -1, friction = 0 / 0, stall_torque = "y" } do
      local world, _, motor = drive()
      world:step()
      local ok, message = pcall(function()
        motor[field] = value
        world:step()
      end)
      assert.is_false(ok)
      assert.truthy(message:find("impel.motor of angle of revolute 1: field '" .. field .. "' must be "), message)
    end
  end)

  it("restores exactly the coordinate's previous settings, after any number of motors", function()
    local world, joint, first = drive { ratio = 7, rotor_inertia = 1.1e-3, friction = 0.1, enabled = false }
    local coordinate = joint:coordinate()
    local second = impel.motor(joint, { stall_torque = 0.17, no_load_speed = 300, ratio = 13, rotor_inertia = 3.3e-4,
      friction = 0.2 })
    world:step(3)
    assert.near(49 * 1.1e-3 + 169 * 3.3e-4, coordinate.armature, 1e-15)
    assert.near(0.3, coordinate.friction, 1e-15)
    coordinate.damping = coordinate.damping + 0.25 -- damping set by the user
    first:destroy()
    world:step()
    assert.equal(169 * 3.3e-4, coordinate.armature)
    assert.equal(0.2, coordinate.friction)
    second:destroy()
    assert.same({ 0, 0 }, { coordinate.armature, coordinate.friction })
    assert.near(0.25, coordinate.damping, 1e-15) -- rounding of a sum and a difference
  end)

  it("is refused beside another active controller, at the line of the call", function()
    local world, joint = drive { rotor_inertia = 1e-3 }
    local before = joint:coordinate().armature
    local function refused(make)
      local ok, message = pcall(make)
      assert.is_false(ok)
      assert.truthy(message:find("^spec/scripts/control/actuators_spec.lua:%d+: impel%.%a+ of angle of revolute 1: "
        .. "impel.motor of angle of revolute 1 acts on the same coordinate: create the new controller with "
        .. "enabled = false, or destroy the existing one"),
        message)
    end
    refused(function() impel.law(joint, { force = function(q) return -q end }) end)
    refused(function() impel.motor(joint, { stall_torque = 1, no_load_speed = 1, rotor_inertia = 1 }) end)
    assert.equal(before, joint:coordinate().armature)
    impel.law(joint, { force = function(q) return -q end, enabled = false })
    world:step(10)
  end)
end)
