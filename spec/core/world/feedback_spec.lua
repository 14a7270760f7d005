-- Coordinates for feedback laws: state() returns value and speed. set_force and set_target act in the current substep
-- and wake sleeping bodies. None of the three creates garbage.
local core = require "impel.core"
local flat = require "support.flat"
local raises = require "support.raises"

local function zoo(solver)
  local world = core.world { solver = solver, sleep = false }
  local joints, n = {}, 0
  local function pair()
    n = n + 1
    local a = world:body { position = { 3 * n, 0.1 }, velocity = { 0.3, 1 }, angular_velocity = 0.7, angle = 0.2 }
    local b = world:body { position = { 3 * n + 1, 0 }, velocity = { -0.1, 0.4 }, angular_velocity = -1.1 }
    a:box { 0.5, 0.3 }
    b:circle { radius = 0.2 }
    return a, b
  end
  local made_below = { pulley = true, gear = true, rack = true, constraint = true, drag = true }
  for _, kind in ipairs(require("support.kinds").joints) do
    if not made_below[kind] then
      local a, b = pair()
      joints[#joints + 1] = world[kind](world, a, b, {})
    end
  end
  local a, b = pair()
  joints[#joints + 1] = world:pulley(a, b, { ground_a = { 3 * n, 4 }, ground_b = { 3 * n + 1, 4 }, ratio = 2 })
  joints[#joints + 1] = world:gear { joint1 = joints[1], joint2 = joints[2], ratio = 0.5 }
  a, b = pair()
  joints[#joints + 1] = world:constraint(a, b, { C = function(p, q) return p.x * q.y - 1, q.angle end })
  joints[#joints + 1] = world:drag(b, { target = { 1, 1 } })
  return world, joints
end

local function compare(joints)
  local compared = 0
  for _, joint in ipairs(joints) do
    for c in joint:coordinates() do
      local value, speed = c:state()
      assert.equal(c.value, value)
      assert.equal(c.speed, speed)
      compared = compared + 1
    end
    if joint.kind ~= "weld" and joint.kind ~= "constraint" then
      local value, speed = joint:state()
      assert.equal(joint.value, value)
      assert.equal(joint.speed, speed)
    end
  end
  return compared
end

describe("state", function()
  for _, solver in ipairs { "soft", "si", "direct", "reduced" } do
    it("is value and speed of every kind of coordinate, also in a substep: " .. solver, function()
      local world, joints = zoo(solver)
      assert.is_true(compare(joints) > 30)
      local compared = 0
      world:on("substep", function() compared = compared + compare(joints) end)
      world:step(3)
      assert.is_true(compared > 90)
    end)
  end

  it("raises for a destroyed joint, and for a joint without a default coordinate", function()
    local world, joints = zoo "soft"
    raises("joint.state", joints[3].state, joints[3])
    local c = joints[1]:coordinate "angle"
    joints[1]:destroy()
    raises("attempt to use destroyed joint", c.state, c)
    raises("attempt to use destroyed joint", c.set_force, c, 1)
    raises("attempt to use destroyed joint", joints[1].state, joints[1])
    world:destroy()
    raises("attempt to use destroyed joint", joints[2].state, joints[2])
  end)
end)

local function wheel(options)
  local world = core.world(options or { gravity = { 0, 0 } })
  local body = world:body { inertia = 2, mass = 1 }
  local angle = world:revolute(world.ground, body, {}):coordinate "angle"
  return world, body, angle
end

describe("set_force", function()
  it("set in each substep acts in that substep", function()
    local world, body, angle = wheel { gravity = { 0, 0 }, solver = "si", substeps = 4 }
    angle:set_force(0)
    local n, impulse = 0, 0
    world:on("substep", function(h)
      n = n + 1
      angle:set_force(n)
      impulse = impulse + n * h
    end)
    world:step(5)
    assert.equal(20, n)
    assert.near(impulse / 2, body.angular_velocity, 1e-12) -- rounding of sums of 20 numbers of order 1
  end)

  it("keeps the other drives and removes a lock", function()
    local _, _, angle = wheel()
    angle:set_spring { stiffness = 3 }
    angle:set_force(1)
    angle:set_force(2)
    assert.equal(2, angle:drives().force)
    assert.equal(3, angle:drives().spring.stiffness)
    angle:set_lock()
    angle:set_force(3)
    assert.is_nil(angle:drives().lock)
    assert.equal(3, angle:drives().force)
  end)

  it("in a handler is applied after earlier drive calls that wait for the step's end; so is set_target", function()
    for _, first in ipairs { "set_lock", "release" } do
      local world, _, angle = wheel()
      angle:set_spring { stiffness = 3 }
      angle:set_force(1)
      local done
      world:on("substep", function()
        if done then return end
        angle[first](angle)
        if first == "release" then angle:set_spring { stiffness = 4 } end
        angle:set_force(7)
        if first == "release" then angle:set_target(0.5) end
        done = true
      end)
      world:step()
      local drives = angle:drives()
      assert.is_nil(drives.lock)
      assert.equal(7, drives.force)
      if first == "release" then assert.same({ 4, 0.5 }, { drives.spring.stiffness, drives.spring.target }) end
    end
  end)

  -- A wheel at rest falls asleep after 0.5 s.
  local function sleeper()
    local world, body, angle = wheel()
    angle:set_force(0)
    world:step(60)
    assert.is_false(body.awake)
    return world, body, angle
  end

  it("wakes a sleeping body if it changes in a substep handler, and not if it is constant", function()
    local world, body, angle = sleeper()
    local force = 0
    world:on("substep", function() angle:set_force(force) end)
    world:step(10)
    assert.is_false(body.awake)
    force = 1e-3 -- in 0.5 s the torque gives 2.5e-4 rad/s, less than the sleep threshold
    world:step(10)
    assert.is_false(body.awake)
    assert.equal(0, body.angular_velocity)
    force = 1
    world:step()
    assert.is_true(body.awake)
    world:step()
    assert.near(0.5 / 60, body.angular_velocity, 1e-8) -- the soft solver computes in floats
  end)

  it("wakes a body like set_spring, which in a substep handler does so only if it changes the drive", function()
    local world, body, angle = wheel()
    local target = 0
    angle:set_spring { stiffness = 0.1, damping = 1, target = 0 }
    world:step(60)
    assert.is_false(body.awake)
    world:on("substep", function() angle:set_spring { stiffness = 0.1, damping = 1, target = target } end)
    world:step(10)
    assert.is_false(body.awake)
    target = 1
    world:step(2)
    assert.is_true(body.awake and body.angular_velocity > 0)
  end)

  it("makes no garbage, nor do state() and set_target", function()
    local world, _, angle = wheel()
    angle:set_force(0)
    angle:set_spring { stiffness = 1 }
    world:on("substep", function()
      local value, speed = angle:state()
      angle:set_force(-value - speed)
      angle:set_target(0.1 * speed)
    end)
    assert.equal(0, flat(function() world:step() end)) -- a step allocates 0 bytes
  end)
end)

describe("set_target", function()
  it("sets the target of the servo, or of the spring if there is no servo, at once, and wakes the body", function()
    for _, drive in ipairs { "spring", "servo" } do
      local world, body, angle = wheel { gravity = { 0, 0 }, solver = "si" }
      if drive == "spring" then
        angle:set_spring { stiffness = 10, damping = 8 }
      else
        angle:set_spring { stiffness = 10, target = 7 }
        angle:set_servo { target = 0 }
      end
      world:step(60)
      local n = 0
      world:on("substep", function()
        n = n + 1
        angle:set_target(n > 5 and 1 or angle:drives()[drive].target)
      end)
      angle:set_target(0.5)
      assert.equal(0.5, angle:drives()[drive].target)
      world:step(600)
      assert.near(1, angle.value, 1e-3)
      if drive == "servo" then assert.equal(7, angle:drives().spring.target) end
      assert.is_true(body:is_valid())
    end
  end)

  it("in a substep handler wakes a sleeping body only if it changes the target", function()
    local world, body, angle = wheel()
    angle:set_spring { stiffness = 0.1, damping = 1 }
    world:step(60)
    assert.is_false(body.awake)
    local target = 0
    world:on("substep", function() angle:set_target(target) end)
    world:step(3)
    assert.is_false(body.awake)
    target = 1
    world:step(2)
    assert.is_true(body.awake and body.angular_velocity > 0)
  end)

  it("raises without servo and spring, and for values other than a finite number", function()
    local _, _, angle = wheel()
    raises("no servo or spring", angle.set_target, angle, 1)
    angle:set_spring { stiffness = 1 }
    for _, value in ipairs { 0 / 0, 1 / 0, "1", {} } do
      raises("coordinate:set_target: argument 'target' must be", angle.set_target, angle, value)
    end
    raises("must be a finite number", angle.set_target, angle, 1e300)
    assert.equal(0, angle:drives().spring.target)
  end)
end)

describe("coordinate() without a name", function()
  it("returns the coordinate whose value is joint.value, and raises for a weld", function()
    local _, joints = zoo "soft"
    for _, joint in ipairs(joints) do
      if joint.kind == "weld" then
        raises("the coordinates of a weld are", joint.coordinate, joint)
      elseif joint.kind ~= "constraint" then
        assert.equal(joint.value, joint:coordinate().value)
        assert.equal(joint.speed, joint:coordinate().speed)
      end
    end
    raises("got nil", joints[1].coordinate, joints[1], nil)
  end)
end)
