-- Locked axes: the centre of mass never moves along a locked axis, under any force.
local impel = require "impel"
local fails = require "support.raises"

local SOLVERS = require("support.kinds").solvers

describe("a locked axis", function()
  it("carries a hundred times the body's mass without any drift", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      local shelf = world:body { position = { 0, 5 }, lock_y = true, fixed_rotation = true }
      shelf:box { 1, 1 }
      local load = world:body { position = { 0, 6 } }
      load:box { 1, 1, density = 100 }
      for _ = 1, 300 do
        world:step()
        assert.equal(5, select(2, shelf:position()), solver) -- a locked axis does not yield
      end
      local _, force = load:contact_force()
      assert.near(981, force, 0.1, solver)
      assert.near(6, select(2, load:position()), 1e-3, solver) -- the soft solver leaves an overlap
      assert.near(0, load:velocity(), 1e-3)
    end
  end)

  it("gives a hit the effective mass of a bead on a rail", function()
    -- Without friction and with e = 1 the impulse is J = 2 v_n / (n_x^2 / m_a + 1 / m_b). The normal n = (1, -1) / sqrt
    -- 2 points from the ball to the bead.
    local ma, mb, v = 3, 2, 4
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, gravity = { 0, 0 } }
      local ball = world:body { mass = mb, velocity = { 0, -v } }
      local bead = world:body { mass = ma, lock_y = true }
      local option = { radius = 0.5, friction = 0, restitution = 1 }
      ball:circle(option)
      bead:circle(option)
      local s = math.sqrt(0.5)
      ball:set_position(-s, s + 0.05)
      world:step(10)
      local J = 2 * v * s / (0.5 / ma + 1 / mb)
      -- The ball moves 0.07 m in a step, so the components of the normal at impact are up to 3 % off 1 / sqrt 2.
      assert.near(J * s / ma, bead:velocity(), 0.05 * J * s / ma, solver)
      assert.equal(0, select(2, bead:velocity()), solver)
      assert.equal(0, select(2, bead:position()), solver)
      local bx, by = ball:velocity()
      local ax = bead:velocity()
      -- Momentum along x is conserved; the soft solver computes in floats.
      assert.near(0, ma * ax + mb * bx, 1e-5, solver)
      assert.near(0.5 * mb * v ^ 2, 0.5 * (ma * ax ^ 2 + mb * (bx ^ 2 + by ^ 2)), 1e-3 * mb * v ^ 2, solver)
    end
  end)

  it("lets a body with a pendulum move as a cart on rails", function()
    for _, solver in ipairs(SOLVERS) do
      local carts = {}
      for i, railed in ipairs { false, true } do
        local world = impel.world { solver = solver, dt = 1 / 240 }
        local cart = world:body { mass = 2, inertia = 1, fixed_rotation = true, lock_y = not railed }
        if railed then world:prismatic(world.ground, cart, { anchor = { 0, 0 } }) end
        local bob = world:body { position = { 1, 0 }, mass = 1, inertia = 0.01 }
        local arm = world:revolute(cart, bob, { anchor = { 0, 0 } })
        world:step(240)
        carts[i] = { cart:position(), select(2, cart:position()), (cart:velocity()), bob.angle, arm.separation }
        if not railed then
          assert.equal(0, carts[i][2], solver)
          assert.near(1 / 3, (2 * carts[i][1] + bob:position()) / 3, 1e-6, solver) -- no external force acts along x
        end
      end
      -- The tolerances are errors of the rail joint. Soft and si hold a rail to millimetres.
      for k, near in ipairs { 0.01, 1e-2, 0.05, 0.02, 1e-2 } do assert.near(carts[2][k], carts[1][k], near, solver) end
    end
  end)

  it("at each end of a ladder leaves the ladder one degree of freedom: its middle moves on a circle", function()
    -- A ladder has one end on rails along x, the other end on rails along y. The ladder's middle moves on a circle.
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, dt = 1 / 240 }
      local foot = world:body { mass = 0.1, lock_y = true, position = { 0.6, 0 } }
      local head = world:body { mass = 0.1, lock_x = true, position = { 0, 0.8 } }
      local rod = world:body { mass = 1, inertia = 1 / 12, position = { 0.3, 0.4 } }
      local hinge = world:revolute(foot, rod, { anchor = { 0.6, 0 } })
      world:revolute(rod, head, { anchor = { 0, 0.8 } })
      local e0 = 1 * 9.81 * 0.4 + 0.1 * 9.81 * 0.8
      for _ = 1, 60 do
        world:step()
        local x, y = rod:position()
        assert.near(0.5, math.sqrt(x * x + y * y), 2e-3, solver) -- error of soft and iterative joints
        assert.same({ 0, 0 }, { select(2, foot:position()), (head:position()) }, solver)
        local exact = solver == "direct" or solver == "acceleration" or solver == "rattle"
        if exact then
          assert.near(0, hinge.separation, 1e-9, solver) -- rounding and the solver's residual
          assert.near(0, world:residual().velocity, 1e-9, solver)
        end
      end
      local kinetic, potential = world:energy()
      assert.near(e0, kinetic + potential, 0.03 * e0, solver) -- 3 %: errors of integrators of first order
    end
  end)

  it("blocks impulses, forces, fields, gravity and set velocities, and allows a teleport", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      local body = world:body { position = { 1, 2 }, lock_x = true, lock_y = true, velocity = { 3, 4 }, inertia = 1 }
      world:field { kind = "uniform", acceleration = { 5, 5 } }
      world:field { kind = "drag", linear = 1, velocity = { 3, 3 } }
      assert.same({ 0, 0 }, { body:velocity() })
      body:set_velocity(1, 1)
      body:apply_impulse(1, 1)
      body:apply_force(10, 10)
      body:apply_angular_impulse(2)
      local on = world:on("substep", function() body:apply_impulse(1, 1) end)
      world:step(5)
      on:destroy()
      assert.same({ 1, 2 }, { body:position() }, solver)
      assert.same({ 0, 0 }, { body:velocity() }, solver)
      assert.near(2 * 5 / 60, body.angle, 1e-6, solver) -- the soft solver computes in floats
      body:set_position(7, 8)
      world:step()
      assert.same({ 7, 8 }, { body:position() }, solver)
    end
  end)

  it("blocks fields also if contacts hold the body", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      world:body { type = "static", position = { 0, -0.5 } }:box { 10, 1, friction = 0 }
      local body = world:body { position = { 0, 0.5 }, lock_x = true }
      body:box { 1, 1, friction = 0 }
      world:field { kind = "uniform", acceleration = { 5, 0 } }
      world:field { kind = "drag", velocity = { 9, 0 }, linear = 1 }
      world:step(30)
      assert.same({ 0, 0 }, { (body:position()), (body:velocity()) }, solver)
    end
  end)

  it("can be set and removed at any time; position and motion along the other axis do not change", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      local body = world:body { velocity = { 2, 3 }, inertia = 1, angular_velocity = 1 }
      world:step(3)
      local x, y = body:position()
      local vx = body:velocity()
      body.lock_y = true
      assert.same({ x, y }, { body:position() })
      assert.same({ vx, 0, 1 }, { (body:velocity()), select(2, body:velocity()), body.angular_velocity })
      world:step(3)
      assert.equal(y, select(2, body:position()), solver)
      assert.near(x + 3 * vx / 60, body:position(), 1e-6, solver)
      body.lock_y = false
      world:step()
      assert.near(-9.81 / 60, select(2, body:velocity()), 1e-6, solver)
      local on = world:on("substep", function() body.lock_x = true end) -- acts from the end of the step
      world:step()
      on:destroy()
      assert.equal(0, (body:velocity()))
      assert.is_true(body.lock_x)
    end
  end)

  it("is part of the effective mass of a body under a character mover", function()
    -- A mover on a plank that only rotates: alpha = -m g r / (I + m r^2).
    local world = impel.world {}
    local plank = world:body { lock_x = true, lock_y = true }
    plank:box { 6, 0.4, density = 0.5, friction = 1 }
    world:mover { position = { 1, 0.2 }, mass = 10 }
    world:step(12)
    local alpha = -10 * 9.81 / (plank.inertia + 10)
    -- 3 %: the force on the plank converges during the first steps.
    assert.near(alpha * 0.2, plank.angular_velocity, 0.03 * 0.2 * -alpha)
    assert.same({ 0, 0 }, { plank:position() })
  end)

  it("keeps a force along it from moving the body out of the world", function()
    local world = impel.world { gravity = { 0, 0 } }
    local body = world:body { lock_x = true, velocity = { 0, 1 } }
    body:apply_force(9e14, 0) -- without the lock the body moves 5e11 m in a step
    world:step()
    assert.is_true(body.enabled)
    assert.near(1 / 60, select(2, body:position()), 1e-6) -- the soft solver computes in floats
  end)

  it("is excluded from row masses of contacts, joints and user's constraints", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      world:body { type = "static", angle = 0.3 }:box { 20, 1 }
      local low = world:body { lock_x = true, position = { 0.5, 1.2 } }
      low:box { 1, 1 }
      world:body { lock_y = true, position = { 0.1, 2 }, angle = 0.4 }:box { 1, 1, density = 2 }
      local c = world:body { position = { 3, 4 }, mass = 2, inertia = 3 }
      local d = world:body { position = { 4, 4 }, mass = 2, inertia = 3, lock_x = true, lock_y = true }
      local e = world:body { position = { 6, 4 }, mass = 2, inertia = 3, lock_y = true }
      world:revolute(c, d, { anchor = { 3.5, 4.3 } })
      world:distance(d, e, { anchor_a = { 4, 4.2 }, anchor_b = { 6, 5 } })
      world:constraint(c, e, { C = function(p, q) return p.x + 2 * q.y + q.x * q.x - 47 end })
      world:drag(world:body { type = "particle", position = { -5, 9 }, lock_x = true }, { target = { -4, 10 } })
      world:step()
      local rows = 0
      for row in world:rows() do
        local J, k = { row:jacobian() }, 0
        for i, body in ipairs { row:bodies() } do
          local x, y, w = J[3 * i - 2], J[3 * i - 1], J[3 * i]
          if body.mass > 0 then
            k = k + ((body.lock_x and 0 or x * x) + (body.lock_y and 0 or y * y)) / body.mass
            k = k + (body.inertia > 0 and w * w / body.inertia or 0)
          end
        end
        rows = rows + 1
        local mass = k > 0 and 1 / k or 0
        assert.near(mass, row.mass, 1e-14 * mass, solver) -- rounding
      end
      assert.is_true(rows >= 8, solver)
    end
  end)

  it("keeps a push along the axis from moving the body along the free axis, at any tilt of the pushing body", function()
    -- Overlapping bodies and a violated joint. A row along the locked axis, or slightly tilted, must not throw the body
    -- along the free axis.
    for _, solver in ipairs(SOLVERS) do
      for _, tilt in ipairs { 0, 1e-16, 1e-12, 1e-9, 9e-7, 9e-4 } do
        for _, fixed in ipairs { true, false } do
          local world = impel.world { solver = solver }
          local ground = world:body { type = "static", angle = math.pi / 2 + tilt, position = { 0, -0.5 } }
          ground:box { 1, 20, friction = 0 }
          local sunk = world:body { position = { 0, 0.45 }, lock_y = true, fixed_rotation = fixed }
          sunk:box { 1, 1, friction = 0 }
          local joints = tilt < 1e-6 and tilt or 0 -- joints ignore a tilt up to 1e-6, contacts up to 1e-3
          local slid = world:body { position = { 0, 50 }, lock_y = true, fixed_rotation = true }
          local c, s = math.cos(joints), math.sin(joints)
          world:prismatic(world.ground, slid, { anchor = { 0, 50 }, axis = { c, s } })
          slid:set_position(0, 50.1)
          local bead = world:body { position = { 5, 90 }, lock_x = true, fixed_rotation = true, gravity_scale = 0 }
          world:distance(world.ground, bead, { anchor_a = { 0, 90 }, anchor_b = { 5, 90 + 5 * s } })
          world:step(10)
          for _, body in ipairs { sunk, slid } do
            assert.is_true(body.enabled, solver)
            -- A box that can turn is pushed sideways at its penetrating corners.
            assert.near(0, body:velocity(), fixed and 1e-6 or 1, solver .. tilt)
          end
          assert.near(0, (select(2, bead:velocity())), 1, solver .. tilt) -- a turning rod may pull the bead
        end
      end
    end
  end)

  it("lets a flat wedge push the body along the free axis", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, gravity = { 0, 0 } }
      local bead = world:body { lock_y = true, fixed_rotation = true, mass = 1 }
      bead:circle { radius = 0.5, friction = 0 }
      local wedge = world:body { angle = 0.1, fixed_rotation = true, lock_x = true, mass = 1 }
      wedge:box { 4, 1, friction = 0 }
      wedge:set_position(0, 1.06)
      wedge:set_velocity(0, -1)
      world:step(10)
      -- A perfectly inelastic impact along n = (-sin 0.1, cos 0.1). Momentum is conserved along the free axes.
      local s, c = math.sin(0.1), math.cos(0.1)
      local J = c / (s * s + c * c)
      assert.near(s * J, math.abs(bead:velocity()), 0.02 * s, solver)
    end
  end)

  it("keeps the ledger of energy exact under hits, joints, fields and limits", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, auditing = true }
      world:body { type = "static" }:box { 30, 1, friction = 0.5 }
      world:field { kind = "uniform", acceleration = { 3, 2 } }
      world:field { kind = "drag", linear = 0.5, velocity = { 3, 3 } }
      local before = world.ground
      for i = 1, 6 do
        local options = { lock_x = i % 3 == 0, lock_y = i % 2 == 0, angle = 0.4 * i, angular_velocity = i,
          linear_damping = 0.1, angular_damping = 0.2, max_angular_speed = i == 5 and 2 or 0 }
        options.position = { 1.1 * i - 3, 2 + 0.3 * i }
        world:body(options):box { 1, 1, restitution = 0.5 }
        world:body { position = { 1.1 * i - 3.2, 4 + 0.5 * i }, velocity = { i - 3, -i }, max_speed = 9 }
          :circle { radius = 0.4, density = i == 3 and 100 or 1, restitution = 0.6 }
        options.position, options.mass, options.inertia = { i, 9 }, 1, 0.1
        local link = world:body(options)
        world:revolute(before, link, { anchor = { i - 0.5, 9 + 0.1 * i }, spring = { stiffness = 5, damping = 0.1 } })
        before = link
      end
      world:step(90)
      local audit = world:audit()
      local sum = audit.before
      for cause, joules in pairs(audit) do
        local named = cause ~= "before" and cause ~= "after" and cause ~= "worst"
        if named and type(joules) == "number" then sum = sum + joules end
      end
      assert.near(audit.after, sum, 1e-9, solver) -- [J], required
    end
  end)

  it("wakes a sleeping body if the lock is removed", function()
    local world = impel.world {}
    local body = world:body { lock_y = true }
    body:box { 1, 1 }
    body.awake = false
    world:step(10)
    body.lock_y = false
    world:step(10)
    assert.is_true(select(2, body:position()) < -0.1)
  end)

  it("is part of options, snapshots and exports", function()
    local world = impel.world {}
    local body = world:body { name = "bead", lock_x = true, velocity = { 0, 1 } }
    assert.is_true(body:options().lock_x)
    assert.is_nil(body:options().lock_y)
    local shot = world:snapshot()
    body.lock_x = false
    world:restore(shot)
    assert.is_true(body.lock_x)
    local copy = impel.world(world:options())
    local again = copy:body(body:options())
    assert.same({ true, false }, { again.lock_x, again.lock_y })
    fails("must be true or false", function() body.lock_x = 1 end)
    fails("world:body", function() world:body { lock_z = true } end)
  end)

  it("ignores the rounding error of a joint axis or contact normal along the locked axis", function()
    local c, n = math.cos(math.pi / 2), math.sin(math.pi / 2) -- 6e-17, 1
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, gravity = { 0, 0 } }
      local post = world:body { lock_x = true, fixed_rotation = true, velocity = { 0, 1 } }
      post:box { 1, 1, friction = 0 }
      world:prismatic(world.ground, post, { axis = { c, n } })
      local wall = world:body { type = "kinematic", position = { -1.5, 0 }, angle = math.pi / 2, velocity = { 1, 0 } }
      wall:box { 2, 1, friction = 0 }
      world:step(30)
      assert.near(0.5, select(2, post:position()), 1e-6, solver) -- the soft solver computes in floats
      assert.same({ 0, 1 }, { post:velocity() }, solver)
      world:destroy()
    end
  end)

  it("removes one degree of freedom", function()
    local world = impel.world {}
    local cart = world:body { lock_y = true, fixed_rotation = true }
    local bob = world:body { position = { 1, 0 }, inertia = 1 }
    world:revolute(cart, bob, { anchor = { 0, 0 } })
    local mobility, _, freedom, rank = world:mobility()
    assert.same({ 2, 4, 2 }, { mobility, freedom, rank })
    local basis, bodies = world:nullspace()
    assert.equal(2, #basis)
    for _, motion in ipairs(basis) do
      assert.equal(cart, bodies[1])
      assert.same({ 0, 0 }, { motion[2], motion[3] }) -- vy and w of the cart
    end
  end)

  it("does not affect kinematic and static bodies", function()
    local world = impel.world {}
    local lift = world:body { type = "kinematic", lock_y = true, velocity = { 0, 1 } }
    world:step(60)
    assert.near(1, select(2, lift:position()), 1e-9)
    lift.type = "dynamic"
    assert.same({ 0, 0 }, { lift:velocity() })
    world:step(60)
    assert.near(1, select(2, lift:position()), 1e-9)
  end)
end)
