-- Teleports and kinematic targets.
local impel = require "impel"
local flat = require "support.flat"
local fails = require "support.raises"

local SOLVERS = require("support.kinds").solvers

-- Return the ids of the bodies in the events of a kind, in order: "2-3 2-4".
local function pairs_of(world, kind)
  local list = {}
  for event in world:events(kind) do list[#list + 1] = event.body_a.id .. "-" .. event.body_b.id end
  return table.concat(list, " ")
end

-- Add a floor from x0 to x1 with its top at y = 0.
local function floor(world, x0, x1)
  local body = world:body { type = "static", position = { (x0 + x1) / 2, -0.5 } }
  body:box { x1 - x0, 1 }
  return body
end

local function crate(world, x, y, options)
  local body = world:body(options or {})
  body:set_position(x, y)
  body:box { 1, 1 }
  return body
end

describe("a teleport", function()
  it("ends the old contacts and begins the new ones in the next step", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      local here, there, body = floor(world, -2, 2), floor(world, 8, 12), crate(world, 0, 0.5)
      world:step(30)
      local _, force = body:contact_force()
      assert.near(9.81, force, 0.2, solver) -- the weight of the body at rest
      body:set_position(10, 0.5)
      assert.same({ 0, 0 }, { body:contact_force() }) -- the teleport clears the contact force
      world:step()
      assert.equal(here.id .. "-" .. body.id, pairs_of(world, "end_contact"), solver)
      assert.equal(there.id .. "-" .. body.id, pairs_of(world, "begin_contact"), solver)
      body:set_position(5, 20)
      world:step()
      assert.same({ 0, 0 }, { body:contact_force() })
      local vx, vy = body:velocity()
      assert.near(-9.81 / 60, vy, 0.02, solver) -- free fall; a soft contact leaves up to 0.02 m/s
      assert.near(0, vx, 1e-3, solver) -- residual velocity at rest
    end
  end)

  it("takes effect at once in step handlers, and after the step in substep handlers", function()
    local world = impel.world {}
    local body = crate(world, 0, 10, { gravity_scale = 0 })
    local there = floor(world, 8, 12)
    local on = world:on("step", function() body:set_pose(10, 0.5, math.pi / 2) end)
    world:step()
    on:destroy()
    assert.equal(body.id .. "-" .. there.id, pairs_of(world, "begin_contact"))
    body:set_position(0, 10)
    world:step()
    on = world:on("substep", function()
      body:set_pose(10, 0.5, 0)
      assert.equal(10, select(2, body:position())) -- positions change at the end of the step
    end)
    world:step()
    on:destroy()
    assert.same({ 10, 0.5 }, { body:position() })
    assert.equal("", pairs_of(world, "begin_contact"))
    world:step()
    assert.equal(body.id .. "-" .. there.id, pairs_of(world, "begin_contact"))
  end)

  it("wakes bodies that sleep on it or that it overlaps, but not nearby ones", function()
    for _, kind in ipairs { "static", "kinematic", "dynamic" } do
      local world = impel.world {}
      floor(world, -20, 20)
      local base, top = crate(world, 0, 0.5, { type = kind }), crate(world, 0, 1.5)
      local hit, near = crate(world, 10, 0.5), crate(world, 12, 0.5)
      world:step(60)
      assert.same({ false, false, false }, { top.awake, hit.awake, near.awake }, kind)
      base:set_position(10.2, 0.9)
      world:step()
      assert.same({ true, true, false }, { top.awake, hit.awake, near.awake }, kind)
      local _, vy = top:velocity()
      assert.near(-9.81 / 60, vy, 0.02, kind) -- the support was moved away in the step
    end
  end)

  it("of one of two jointed bodies moves the other through the joint", function()
    local world = impel.world { gravity = { 0, 0 } }
    local a, b = crate(world, 0, 0), crate(world, 2, 0)
    world:distance(a, b, { length = 2 })
    world:step(60)
    a:set_position(0, 1)
    b:set_position(2, 1)
    world:step(10)
    assert.same({ 2, 1 }, { b:position() })
    a:set_pose(-1, 1, 0)
    world:step(240)
    local ax, bx = a:position(), b:position()
    assert.near(2, bx - ax, 1e-3) -- length error of the soft solver
  end)

  it("by set_pose sets position and angle in one call", function()
    local world = impel.world {}
    local one, two = crate(world, 0, 0, { velocity = { 1, 2 } }), crate(world, 5, 0, { velocity = { 1, 2 } })
    one:set_pose(3, 4, 0.5)
    two:set_position(3, 4)
    two.angle = 0.5
    assert.same({ two:position() }, { one:position() })
    assert.equal(0.5, one.angle)
    assert.same({ 1, 2 }, { one:velocity() })
    local grain = world:body { type = "particle" }
    grain:set_pose(1, 1, 0)
    fails("a particle does not rotate", function() grain:set_pose(1, 1, 0.5) end)
    fails("body:set_pose", function() one:set_pose(1, 0 / 0, 0) end)
    fails("body.angle", function() one:set_pose(1, 0, 1e13) end)
    fails("the ground of the world cannot be moved", function() world.ground:set_pose(1, 0, 0) end)
  end)
end)

describe("a kinematic target", function()
  it("is reached exactly in one step at the mean velocity, under every solver and any substeps", function()
    for _, solver in ipairs(SOLVERS) do
      for _, substeps in ipairs { 1, 3 } do
        local world = impel.world { solver = solver, substeps = substeps }
        local body = crate(world, 0.1, 0.2, { type = "kinematic" })
        crate(world, 0.1, 1.2) -- `body` has contact rows with this rider
        for i = 1, 5 do
          local x, y, a = 0.1 + 0.01 * i * i, 0.2 + 0.003 * i, 0.01 * i
          local x0, y0, a0 = body:position(), select(2, body:position()), body.angle
          body:move_to(x, y, a)
          assert.same({ x0, y0 }, { body:position() }) -- poses change in the step
          world:step()
          assert.same({ x, y, a }, { body:position(), select(2, body:position()), body.angle }, solver)
          local vx, vy = body:velocity()
          assert.near((x - x0) / world.dt, vx, 1e-12, solver) -- rounding error
          assert.near((y - y0) / world.dt, vy, 1e-12, solver)
          assert.near((a - a0) / world.dt, body.angular_velocity, 1e-12, solver)
        end
        local x, y = body:position()
        world:step(3)
        assert.same({ x, y, 0, 0 }, { x, y, body:velocity() }, solver) -- a target is valid for one step
        assert.same({ x, y }, { body:position() }, solver)
        assert.is_false(body.awake)
      end
    end
  end)

  it("without an angle keeps the angle of the body", function()
    local world = impel.world {}
    local body = world:body { type = "kinematic", angle = 0.7, angular_velocity = 3 }
    body:move_to(1, 0)
    world:step()
    assert.equal(0.7, body.angle)
    assert.equal(0, body.angular_velocity)
  end)

  it("carries a rider with a slip below 1 mm/s", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      local lift = world:body { type = "kinematic" }
      lift:box { 4, 0.5, friction = 1 }
      local rider = world:body { position = { 0, 0.75 } }
      rider:box { 1, 1, friction = 1 }
      local worst = 0
      for i = 1, 300 do
        local t = i / 60
        lift:move_to(0.5 * (1 - math.cos(2 * t)), 0.25 * (1 - math.cos(1.3 * t)))
        world:step()
        local x, y = rider:position()
        worst = math.max(worst, math.abs((rider:velocity_at(x, y - 0.5)) - (lift:velocity())))
      end
      assert.near(0, worst, 1e-3, solver) -- required
      assert.near(lift:position(), rider:position(), 1e-3, solver)
    end
  end)

  it("turns with its rider", function()
    local world = impel.world {}
    local disc = world:body { type = "kinematic" }
    disc:box { 6, 0.5, friction = 1 }
    local rider = world:body { position = { 2, 0.5 } }
    rider:box { 0.5, 0.5, friction = 1 }
    for i = 1, 60 do
      disc:move_to(0, 0, 0.3 * (1 - math.cos(math.pi * i / 60)) / 2)
      world:step()
    end
    assert.near(0.3, rider.angle, 1e-3)
    local lx = disc:local_point(rider:position())
    assert.near(2, lx, 1e-3) -- the body does not slide down the slope of 17 degrees
  end)

  it("moves jointed bodies along", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, dt = 1 / 240 }
      local carriage = world:body { type = "kinematic" }
      local bob = world:body { position = { 0, -1 }, mass = 1, inertia = 0.01 }
      local hinge = world:revolute(carriage, bob, { anchor = { 0, 0 } })
      local cabin = world:body { position = { 1, 0 }, mass = 1, inertia = 0.1 }
      local weld = world:weld(carriage, cabin, {})
      for i = 1, 240 do
        local t = i / 240
        carriage:move_to(0.5 * (1 - math.cos(3 * t)), 0, 0.2 * (1 - math.cos(2 * t)))
        world:step()
        local loose = solver == "si" or solver == "split" -- si and split correct an error over several steps
        assert.near(0, hinge.separation, loose and 0.01 or 3e-3, solver) -- soft and xpbd yield under load
        assert.near(0, weld.separation, loose and 0.01 or 3e-3, solver)
      end
      assert.near(carriage.angle, cabin.angle, 0.01, solver)
      -- The cabin has the carriage's velocity at the cabin's position.
      local cx, cy = cabin:position()
      local vx, vy = carriage:velocity_at(cx, cy)
      assert.near(vx, cabin:velocity(), 0.01, solver)
      assert.near(vy, select(2, cabin:velocity()), 0.01, solver)
    end
  end)

  it("wakes a sleeping rider only if the target moves the body; later the rider can sleep again", function()
    local world = impel.world {}
    local lift, rider = crate(world, 0, 0, { type = "kinematic" }), crate(world, 0, 1)
    world:step(60)
    assert.is_false(rider.awake)
    for _ = 1, 5 do
      lift:move_to(0, 0)
      world:step()
    end
    assert.same({ false, false }, { rider.awake, lift.awake })
    lift:move_to(0, 0.01)
    world:step()
    assert.same({ true, true }, { rider.awake, lift.awake })
    world:step(60)
    assert.is_false(rider.awake)
  end)

  it("is replaced by a later velocity, teleport, target or type", function()
    local world = impel.world { gravity = { 0, 0 } }
    local body = world:body { type = "kinematic" }
    local function goes(x, vx)
      world:step()
      assert.near(x, body:position(), 1e-12)
      assert.near(vx, body:velocity(), 1e-12)
    end
    body:move_to(1, 0)
    body:move_to(2, 0)
    goes(2, 120)
    body:move_to(5, 0)
    body:set_velocity(6, 0)
    goes(2.1, 6)
    body:move_to(5, 0)
    body:set_position(3, 0)
    goes(3.1, 6)
    body:move_to(4, 0)
    world:step()
    body:set_position(0, 0)
    goes(0, 0) -- a target gives the body a velocity for one step only
    body:move_to(1, 0, 1)
    world:step()
    body:set_velocity(0, 6)
    goes(1, 0)
    assert.same({ 0, 1 }, { body.angular_velocity, body.angle })
    body:move_to(1.5, 0.1)
    body.angular_velocity = 6
    goes(1, 0)
    body:move_to(2, 0.1)
    world:step()
    body.type = "dynamic" -- the body becomes dynamic with the velocity of its target
    goes(3, 60)
    body.type = "kinematic"
    goes(4, 60)
  end)

  it("that is set after an earlier target was reached is replaced by a teleport too", function()
    local world = impel.world {}
    local body = world:body { type = "kinematic" }
    body:move_to(1, 0)
    world:step()
    body:move_to(2, 0)
    body:set_position(5, 0)
    world:step(2)
    assert.same({ 5, 0 }, { body:position(), (body:velocity()) })
  end)

  it("can be set for any number of bodies in any handler, also if some are destroyed", function()
    local world = impel.world { gravity = { 0, 0 } }
    local bodies, handler = {}, nil
    for i = 1, 500 do bodies[i] = world:body { type = "kinematic", position = { i, 0 } } end
    local function tell(y)
      for i, body in ipairs(bodies) do
        if body:is_valid() then body:move_to(i, y * i) end
      end
    end
    handler = world:on("substep", function()
      tell(0.1)
      handler:destroy()
    end)
    world:step()
    for i = 1, 500, 3 do bodies[i]:destroy() end
    for i = 2, 500, 3 do bodies[i]:set_velocity(0, 6) end
    world:step()
    for i = 1, 500 do
      if i % 3 ~= 1 then assert.near(i % 3 == 2 and 0.1 or 0.1 * i, select(2, bodies[i]:position()), 1e-12) end
    end
    tell(0.2)
    world:step()
    for i = 1, 500 do
      if i % 3 ~= 1 then assert.equal(0.2 * i, (select(2, bodies[i]:position()))) end
    end
  end)

  it("keeps the angle unwrapped, also over many turns", function()
    local world = impel.world {}
    local body = world:body { type = "kinematic", angle = 3.1 }
    body:move_to(0, 0, -3.1)
    world:step()
    assert.near(-6.2 * 60, body.angular_velocity, 1e-9) -- the body does not turn the shorter way
    for i = 1, 300 do
      body:move_to(0, 0, 0.3 * i - 3.1)
      world:step()
      assert.equal(0.3 * i - 3.1, body.angle)
      assert.near(18, body.angular_velocity, 1e-9) -- rounding of angles of up to 90 rad
    end
  end)

  it("pushes bodies in its path, and passes those that cannot move", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, gravity = { 0, 0 } }
      local bat = world:body { type = "kinematic", position = { -3, 0 } }
      bat:box { 0.1, 4 }
      local ball, held = world:body {}, world:body { position = { 0, 1 }, lock_x = true }
      ball:circle { radius = 0.1 }
      held:circle { radius = 0.1 }
      world:step(60) -- asleep
      bat:move_to(3, 0)
      world:step()
      assert.equal(3, (bat:position()), solver)
      assert.is_true(ball:position() > 3.1, solver)
      assert.is_true(ball:velocity() > 359, solver)
      assert.same({ 0, 0 }, { (held:position()), (held:velocity()) }, solver)
    end
  end)

  it("takes effect at once in step handlers, and in the next step from substep handlers", function()
    local world = impel.world {}
    local body = world:body { type = "kinematic" }
    local on = world:on("step", function() body:move_to(1, 0) end)
    world:step()
    on:destroy()
    assert.same({ 1, 0 }, { body:position() })
    on = world:on("substep", function() body:move_to(2, 0, 0.5) end)
    world:step()
    on:destroy()
    assert.same({ 1, 0 }, { body:position() })
    world:step()
    assert.same({ 2, 0, 0.5 }, { 2, select(2, body:position()), body.angle })
    world:step()
    assert.same({ 0, 0 }, { body:velocity() })
  end)

  it("is part of snapshots and the hash, and not of options", function()
    local world = impel.world {}
    local body = crate(world, 0, 0, { type = "kinematic" })
    crate(world, 0, 1)
    body:move_to(0.01, 0)
    world:step()
    assert.is_nil(body:options().velocity) -- the body stops when the next step begins
    local before = world.hash
    body:move_to(0.05, 0.01, 0.1)
    assert.not_equal(before, world.hash)
    local shot = world:snapshot()
    world:step(3)
    local hash = world.hash
    body:move_to(7, 7)
    world:restore(shot)
    world:step(3)
    assert.equal(hash, world.hash)
    assert.same({ 0.05, 0.01 }, { body:position() })
  end)

  it("makes no garbage, nor does a step with it", function()
    local world = impel.world {}
    local lift, rider = crate(world, 0, 0, { type = "kinematic" }), crate(world, 0, 1, { max_speed = 5, lock_x = true })
    local i = 0.0
    assert.equal(0, flat(function()
      i = i + 1
      lift:move_to(0, 0.001 * i % 0.1, 0)
      rider:set_pose(rider:position(), select(2, rider:position()), 0)
      world:step()
    end, 500))
  end)

  it("is refused for dynamic and static bodies, for non-finite values, and too far away for one step", function()
    local world = impel.world {}
    local stone = crate(world, 0, 0)
    fails("a dynamic body cannot follow a target, only a kinematic body can", function() stone:move_to(1, 1) end)
    fails("a static body cannot follow a target", function() world.ground:move_to(1, 1) end)
    local body = world:body { type = "kinematic" }
    fails("s, at most 10000000", function() body:move_to(1e6, 0) end)
    fails("is too far", function() body:move_to(0, 0, 1e6) end)
    fails("body:move_to", function() body:move_to(0, 0 / 0) end)
    fails("body:move_to", function() body:move_to(0, 0, 0 / 0) end)
    world:step()
    assert.same({ 0, 0 }, { body:position() })
  end)
end)
