-- All controllers: enabling and disabling without a jump, lifetime, snapshots, no garbage, misuse.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

local m = impel.math
local G = 9.81

-- Build a thin level rod of 1 kg and 1 m on a pin at its left end.
local function rod(options)
  local world = impel.world(options or { sleep = false })
  local body = world:body { position = { 0.5, 0 }, mass = 1, inertia = 1 / 12 }
  return world, world:revolute(world.ground, body, { anchor = { 0, 0 }, name = "pin" }), body
end

local LAWS = { "pd", "pid", "stable_pd", "servo" }
local function make(name, joint, more)
  local o = { pd = { kp = 50, kd = 5 }, pid = { kp = 50, ki = 20, kd = 5 }, stable_pd = { kp = 50, kd = 5 },
              servo = { target = 0, max_force = 50, speed = 3 } }
  for key, value in pairs(more or {}) do o[name][key] = value end
  return impel[name](joint, o[name])
end

describe("a controller", function()
  for _, name in ipairs(LAWS) do
    it("becomes passive and active without a jump: impel." .. name, function()
      local world, joint, body = rod { sleep = false, solver = "si" }
      local c = make(name, joint)
      world:step(120)
      local value, speed = joint:state()
      c.enabled = false
      assert.same({ value, speed }, { joint:state() }) -- disabling a controller does not change the velocity
      world:step()
      -- At the start of the fall the torque of the weight accelerates the inertia m l^2 / 3. The tolerance is for the
      -- rotation in the step.
      assert.near(speed - 1.5 * G / 60 * m.cos(value), joint.speed, 0.01)
      world:step(30)
      value, speed = joint:state()
      c.enabled = true
      assert.same({ value, speed }, { joint:state() })
      world:step()
      local most = name == "servo" and 50 or 50 * math.abs(value) + 5 * math.abs(speed) + 1
      -- The change of speed is at most the impulse of the largest force.
      assert.is_true(math.abs(joint.speed - speed) <= (most + G / 2) * 3 / 60)
      world:step(300)
      assert.is_true(math.abs(joint.value) < 0.12)
      assert.is_true(body:is_valid() and c:is_alive())
    end)

    it("makes no garbage: impel." .. name, function()
      local world, joint = rod()
      local c = make(name, joint)
      local n = 0
      local bytes = flat(function()
        n = n + 1
        c.target = 0.1 * (n % 7)
        world:step()
      end)
      -- The servo interns field names once.
      assert.is_true(bytes <= (name == "servo" and 300 or 0), bytes .. " bytes")
      assert.is_true(joint.value == joint.value)
    end)

    it("does not act when its joint is destroyed, and is then collected: impel." .. name, function()
      local world, joint, body = rod()
      local n = 0
      world:on("substep", function() n = n + 1 if n == 6 then joint:destroy() end end)
      local c = make(name, joint)
      world:step(3)
      assert.is_false(c:is_alive())
      local before = collectgarbage "count"
      world:step(700)
      assert.is_true(c.destroyed)
      assert.is_true(before > 0 and body:is_valid())
      c:destroy()
    end)

    it("wakes its bodies when its target moves, and lets resting bodies sleep: impel." .. name, function()
      local world = impel.world { gravity = { 0, 0 } }
      local body = world:body { mass = 1, inertia = 1 }
      local joint = world:revolute(world.ground, body, {})
      local c = make(name, joint)
      world:step(120)
      assert.is_false(body.awake)
      c.target = 0.5
      world:step(60)
      assert.is_true(joint.value > 0.3)
      world:step(600)
      assert.is_false(body.awake)
      -- A slow body may fall asleep before its target, below 0.05 rad/s for 0.5 s.
      assert.near(0.5, joint.value, 0.02)
    end)

    it("is restored with its world: impel." .. name, function()
      local world, joint = rod()
      local c = make(name, joint)
      world:step(60)
      local snapshot, saved = world:snapshot(), c:save()
      joint:destroy()
      world:step(60)
      world:restore(snapshot)
      c:load(saved)
      world:step(60)
      assert.is_true(c:is_alive() and math.abs(joint.value) < 0.12)
    end)

    it("removes its force and unsubscribes when it is destroyed, once or twice: impel." .. name, function()
      local world, joint = rod()
      local c = make(name, joint)
      world:step(10)
      c:destroy()
      c:destroy()
      local drives = joint:coordinate():drives()
      assert.is_nil(drives.spring)
      assert.is_nil(drives.servo)
      assert.equal(0, drives.force)
      assert.is_false(c.handler:is_valid())
      world:step()
    end)

    it("continues without effect when its joint is broken: impel." .. name, function()
      local world, joint = rod()
      local c = make(name, joint)
      world:step(5)
      joint:sever()
      world:step(5)
      assert.is_false(c:is_alive())
      assert.equal(0, joint.force)
    end)

    it("refuses invalid arguments, at the caller's line: impel." .. name, function()
      local world, joint, body = rod()
      raises("needs a joint or coordinate, got 1", make, name, 1)
      raises(("impel.%s needs a joint or coordinate, got a body"):format(name), make, name, body)
      raises("bad field 'kpp' in impel." .. name, make, name, joint, { kpp = 1 })
      raises("field 'max_force' must be a number >= 0", make, name, joint, { max_force = 0 / 0 })
      local other = world:body {}
      local weld = world:weld(world.ground, other, {})
      raises("has no coordinate of its own", make, name, weld)
      joint:destroy()
      raises("attempt to use destroyed", make, name, joint)
    end)
  end

  it("accepts a coordinate of any kind", function()
    local world = impel.world { gravity = { 0, 0 } }
    local a, b = world:body { mass = 1, inertia = 1 }, world:body { mass = 1, inertia = 1, position = { 2, 0 } }
    local linear = world:linear(a, b, {})
    for _, axis in ipairs { "x", "y" } do impel.pd(linear:coordinate(axis), { kp = 40, kd = 8, target = 1 }) end
    world:step(300)
    assert.near(1, linear:coordinate("x").value, 1e-3)
    assert.near(1, linear:coordinate("y").value, 1e-3)
    local vx, vy = a:velocity()
    local ux, uy = b:velocity()
    assert.near(0, vx + ux, 1e-6) -- internal forces do not change the momentum
    assert.near(0, vy + uy, 1e-6)
  end)

  it("increases its joint's angle by a positive torque, and applies the opposite torque to the other body", function()
    for _, solver in ipairs { "soft", "si", "direct" } do
      local world = impel.world { gravity = { 0, 0 }, solver = solver }
      local a, b = world:body { mass = 1, inertia = 2 }, world:body { mass = 1, inertia = 3 }
      local joint = world:revolute(a, b, { anchor = { 0, 0 } })
      local pd = impel.pd(joint, { kp = 0, feed_forward = 0.6 })
      world:step(60)
      assert.is_true(joint.value > 0 and pd.force == 0.6)
      assert.near(0.6 / 3, b.angular_velocity, 1e-6)
      -- Internal torques do not change the angular momentum. Velocities are floats.
      assert.near(0, 2 * a.angular_velocity + 3 * b.angular_velocity, 1e-6)
    end
  end)

  it("is refused on a coordinate with another active controller; passive ones are allowed", function()
    local world, joint = rod()
    local first = impel.pd(joint, { kp = 50, kd = 5 })
    local second = impel.stable_pd(joint, { kp = 50, kd = 5, enabled = false })
    world:step(60)
    first.enabled, second.enabled = false, true
    world:step(60)
    assert.near(0, joint.value, 0.11)
    second.enabled, first.enabled = false, true
    -- Disabling `second` must not change the force of `first`.
    local watch = world:on("substep", function()
      assert.equal(first.force, joint:coordinate():drives().force)
    end)
    world:step()
    watch:destroy()
    assert.is_true(math.abs(first.force) > 1)
    assert.equal(first.force, joint:coordinate():drives().force)
    second.enabled = true
    raises("act on the same coordinate", world.step, world)
  end)

  it("acts again after a restore, and a second controller on its joint is refused", function()
    local world, joint = rod()
    local many = {}
    for i = 1, 20 do many[i] = impel.stable_pd(joint, { kp = 50, kd = 5, enabled = i == 1 }) end
    world:step()
    local shot = world:snapshot()
    for i = 1, 20 do
      many[i].enabled = false
      world:step()
      if i < 20 then many[i + 1].enabled = true end
      world:step()
      if i % 2 == 0 then many[i]:destroy() end
    end
    world:restore(shot)
    world:step()
    assert.is_true(many[1].acting)
    many[7].enabled = true
    raises("act on the same coordinate", world.step, world)
    many[1].enabled = false
    world:step()
    assert.is_true(many[7].acting)
  end)

  it("is called by its owner if `when` is never", function()
    local world, joint = rod()
    local pd = impel.pd(joint, { kp = 50, kd = 5, when = "never" })
    world:step(5)
    assert.equal(0, pd.force)
    pd:update(world.dt)
    assert.is_true(pd.force > 0)
  end)

  it("reports the terms of a non-finite force", function()
    local world, joint = rod()
    local pd = impel.pd(joint, { kp = 50, kd = 5 })
    pd.target = 0 / 0
    raises("its force is not a number; kp = 50", world.step, world)
  end)
end)
