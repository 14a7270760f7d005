-- impel.multibody: Jacobians, mass matrix, bias and momenta of trees of joints. They are compared with the motion of
-- the bodies, with the accelerations that solvers give, and with closed forms.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

-- Build nine moving bodies, connected by all joints that a tree may contain. The solver `reduced` computes the poses
-- from coordinates, so the joints have no position error.
local function moving_tree(fixed)
  local world = impel.world { solver = "reduced", dt = 1e-3, gravity = { 1, -9 } }
  local rng, bodies = impel.rng.new(3), {}
  local places = { { 0, 0 }, { 1, 0 }, { 2, 1 }, { -1, 0 }, { -2, 0 }, { 0, -1 }, { 0, -2 }, { 1, -2 }, { 3, 1 } }
  for i, at in ipairs(places) do
    bodies[i] = world:body {
      position = at, angle = 6 * rng:random(), angular_velocity = rng:normal(0, 1), gravity_scale = 0.5 + rng:random(),
      linear_damping = 0.1, angular_damping = 0.2,
    }
    bodies[i]:box { 1, 0.3, center = { 0.2, 0.1 }, group = -1 }
  end
  local b = bodies
  world:revolute(b[1], b[2], { anchor = { 0.5, 0 } })
  world:revolute(b[3], b[2], { anchor = { 1.5, 0.4 } })
  world:prismatic(b[1], b[4], { anchor = { -0.5, 0 }, axis = { 0.6, 0.8 } })
  world:prismatic(b[5], b[4], { anchor = { -1.5, 0 }, axis = { 0.8, -0.6 } })
  world:weld(b[6], b[5], { anchor = { -0.8, -0.5 } })
  world:wheel(b[6], b[7], { anchor = { 0, -2 }, axis = { 0, 1 } })
  world:pin_slot(b[8], b[7], { anchor = { 1, -2 }, axis = { 0.6, 0.8 } })
  world:revolute(b[3], b[9], { anchor = { 2.5, 1 } })
  world:distance(b[1], b[9], { spring = { stiffness = 0, damping = 0 } }) -- the tree does not contain a distance joint
  if fixed then world:revolute(world.ground, b[1], { anchor = { 0, 0.2 } }) end
  for _ = 1, 300 do world:step() end
  return world, bodies, impel.multibody(fixed and world or b[1])
end

local function row_times(J, row, qd)
  local sum, n = 0, #qd
  for k = 1, n do sum = sum + J[(row - 1) * n + k] * qd[k] end
  return sum
end

local function each_tree(f)
  for _, fixed in ipairs { false, true } do f(moving_tree(fixed)) end
end

describe("impel.multibody", function()
  it("has a coordinate for each degree of freedom, the base's first, then joint by joint outward", function()
    local _, bodies, mb = moving_tree(false)
    assert.same({ 12, true, 9 }, { mb.size, mb.floating, #mb.bodies })
    assert.same({ false, false, false }, { table.unpack(mb.coordinates, 1, 3) })
    assert.equal(bodies[1].angle, mb.q[3])
    for k = 4, mb.size do
      assert.equal(mb.coordinates[k].value, mb.q[k])
      assert.equal(mb.coordinates[k].speed, mb.qd[k])
    end
    for joint in bodies[7]:joints() do
      local k = mb:place(joint)
      assert.equal(joint, mb.coordinates[k].joint)
      assert.equal("x", mb.coordinates[k].name)
      assert.equal("angle", mb.coordinates[k + 1].name)
    end
    for joint in bodies[6]:joints() do assert.equal(joint.kind == "weld", mb:place(joint) == nil) end
    local _, _, fixed = moving_tree(true)
    assert.same({ 10, false, 9 }, { fixed.size, fixed.floating, #fixed.bodies })
  end)

  it("gives the velocity of every point of every body", function()
    each_tree(function(_, bodies, mb)
      local J = {}
      for _, body in ipairs(bodies) do
        local x, y = body:world_point(0.3, 0.7)
        local vx, vy = body:velocity_at(x, y)
        mb:jacobian(body, x, y, J)
        assert.near(vx, row_times(J, 1, mb.qd), 1e-13) -- rounding at 5 m/s
        assert.near(vy, row_times(J, 2, mb.qd), 1e-13)
        assert.near(body.angular_velocity, row_times(J, 3, mb.qd), 1e-13)
      end
    end)
  end)

  it("has the bodies' kinetic energy and momenta", function()
    each_tree(function(_, bodies, mb)
      local M, n, energy, kinetic = mb:mass_matrix(), mb.size, 0, 0
      for i = 1, n do
        for k = 1, n do
          energy = energy + M[(i - 1) * n + k] * mb.qd[i] * mb.qd[k] / 2
          assert.equal(M[(i - 1) * n + k], M[(k - 1) * n + i])
        end
      end
      local px, py = 0, 0
      for _, body in ipairs(bodies) do
        kinetic = kinetic + body:kinetic_energy()
        local vx, vy = body:velocity()
        px, py = px + body.mass * vx, py + body.mass * vy
      end
      assert.near(kinetic, energy, 1e-13 * kinetic) -- rounding
      local J, _, _, vx, vy = {}, mb:center()
      mb:center_jacobian(J)
      local mx, my, angular = mb:momentum()
      assert.near(px, mx, 1e-12) -- rounding
      assert.near(py, my, 1e-12)
      assert.near(vx, row_times(J, 1, mb.qd), 1e-13)
      assert.near(vy, row_times(J, 2, mb.qd), 1e-13)
      assert.near(angular, row_times(J, 3, mb.qd), 1e-12)
    end)
  end)

  -- A step of length h has the acceleration a + O(h). Twice the result of h / 2 minus the result of h is a + O(h^2).
  -- Solvers whose accelerations do not include (dJ/dt) v are left out.
  it("computes the solvers' accelerations under joint forces", function()
    each_tree(function(world, bodies, mb)
      local n, tau, J = mb.size, {}, {}
      for k = 1, n do
        tau[k] = mb.coordinates[k] and (k % 3 - 1) + 0.3 or 0
        if mb.coordinates[k] then mb.coordinates[k]:set_force(tau[k]) end
      end
      local qdd = mb:forward(tau, {})
      local back = mb:inverse(qdd, {})
      -- The mass matrix has the condition number 1e3.
      for k = 1, n do assert.near(tau[k], back[k], 1e-11) end
      local ax, ay, rate = mb:center_jacobian(J)
      ax, ay, rate = ax + row_times(J, 1, qdd), ay + row_times(J, 2, qdd), rate + row_times(J, 3, qdd)
      local tip = bodies[9]
      local tx, ty = tip:world_point(0.5, 0.1)
      local bx, by = mb:point_bias(tip, tx, ty)
      mb:jacobian(tip, tx, ty, J)
      bx, by = bx + row_times(J, 1, qdd), by + row_times(J, 2, qdd)

      local start = world:snapshot()
      local function measured()
        mb:update()
        local x, y = tip:world_point(0.5, 0.1)
        local list = { table.unpack(mb.qd) }
        local _, _, vx, vy = mb:center()
        local _, _, angular = mb:momentum()
        for _, v in ipairs { vx, vy, angular, tip:velocity_at(x, y) } do list[#list + 1] = v end
        return list
      end
      local function rates(h)
        world:restore(start)
        local before = measured()
        world.dt = h
        world:step()
        local after = measured()
        for i = 1, #after do after[i] = (after[i] - before[i]) / h end
        return after
      end
      local expected = { table.unpack(qdd) }
      for _, v in ipairs { ax, ay, rate, bx, by } do expected[#expected + 1] = v end
      for _, solver in ipairs { "reduced", "acceleration" } do
        world:restore(start)
        world.solver = solver
        start = world:snapshot()
        local h = 1e-4
        local once, half = rates(h), rates(h / 2)
        for i = 1, #expected do
          -- The second derivative of the accelerations gives an error of order h^2, 1e-3 at h = 1e-3 and 1e-5 at h =
          -- 1e-4.
          assert.near(expected[i], 2 * half[i] - once[i], 2e-5, solver .. " " .. i)
        end
      end
    end)
  end)

  -- The root of the tree is a turntable that rotates and slides with a prescribed motion.
  it("may hang on a moving kinematic body", function()
    local world = impel.world { solver = "reduced", gravity = { 0, -9.81 }, dt = 1e-4 }
    local table_ = world:body { type = "kinematic", angular_velocity = 3, velocity = { 2, -1 }, angle = 0.4 }
    table_:box { 1, 0.2, center = { 0.2, 0 }, mask = 0 }
    local x, y = table_:world_point(0.5, 0)
    local first = world:body { position = { x + 0.5, y }, mass = 1, inertia = 0.1 }
    local second = world:body { position = { x + 1, y + 0.5 }, mass = 2, inertia = 0.2 }
    world:revolute(table_, first, { anchor = { x, y } })
    world:wheel(first, second, { anchor = { x + 1, y }, axis = { 0.6, 0.8 } })
    for _ = 1, 1000 do world:step() end
    local mb, J = impel.multibody(table_), {}
    assert.same({ table_:velocity() }, { mb:part(table_).vx, mb:part(table_).vy })
    local px, py = second:world_point(0.3, 0.1)
    local vx, vy = second:velocity_at(px, py)
    local v0x, v0y = table_:velocity_at(px, py)
    mb:jacobian(second, px, py, J)
    assert.near(vx, row_times(J, 1, mb.qd) + v0x, 1e-9) -- the solver satisfies the joint constraints to this accuracy
    assert.near(vy, row_times(J, 2, mb.qd) + v0y, 1e-9)
    assert.near(second.angular_velocity, row_times(J, 3, mb.qd) + 3, 1e-9)
    local tau = { 1, -2, 0.5 }
    for k = 1, 3 do mb.coordinates[k]:set_force(tau[k]) end
    local qdd, start, rates = mb:forward(tau, {}), world:snapshot(), {}
    local before = { table.unpack(mb.qd) }
    for i, h in ipairs { 1e-4, 5e-5 } do
      world:restore(start)
      world.dt = h
      world:step()
      mb:update()
      rates[i] = {}
      for k = 1, 3 do rates[i][k] = (mb.qd[k] - before[k]) / h end
    end
    for k = 1, 3 do
      -- The error is of second order in h.
      assert.near(qdd[k], 2 * rates[2][k] - rates[1][k], 1e-4 * (1 + math.abs(qdd[k])))
    end
  end)

  it("ends at static and kinematic bodies, and at broken joints", function()
    local world = impel.world { gravity = { 0, 0 } }
    local function body(options)
      options.inertia = 1
      return world:body(options)
    end
    local wall = world:body { type = "static", name = "wall" }
    local arm, other, lone = body {}, body {}, body {}
    world:revolute(wall, arm, {})
    world:revolute(wall, other, {})
    assert.same({ arm, other }, impel.multibody(wall).bodies)
    -- Only the wall, which is the root, connects the bodies.
    raises("no chain of joints connects", function() impel.virtual_force(arm, other) end)
    local weak = world:revolute(arm, lone, { name = "weak" })
    assert.equal(3, impel.multibody(wall).size)
    weak:sever()
    world:step()
    assert.equal(2, impel.multibody(wall).size)
    raises("joint 'weak' is broken", function() impel.multibody(wall, { joints = { weak } }) end)
    raises("no chain of joints connects", function() impel.virtual_force(wall, lone) end)
    local mb = impel.multibody(wall)
    raises("multibody:jacobian: J must be a table, got nil", mb.jacobian, mb, arm, 0, 0)
    raises("multibody:jacobian: y must be a finite number, got 'x' (string)", mb.jacobian, mb, arm, 0, "x", {})
    raises("multibody:point_bias: x must be a finite number, got nil", mb.point_bias, mb, arm)
  end)

  it("gives the textbook equations of the double pendulum", function()
    local world = impel.world { gravity = { 0, -10 } }
    local l1, l2, m1, m2, i1, i2 = 1.2, 0.8, 2, 3, 0.3, 0.2
    local a = world:body { position = { l1 / 2, 0 }, mass = m1, inertia = i1 }
    local b = world:body { position = { l1, l2 / 2 }, angle = math.pi / 2, mass = m2, inertia = i2 }
    world:revolute(world.ground, a, { anchor = { 0, 0 } })
    world:revolute(a, b, { anchor = { l1, 0 } })
    a.angular_velocity, b.angular_velocity = 2, 5
    a:set_velocity(0, l1)
    b:set_velocity(-5 * l2 / 2, 2 * l1)
    local mb = impel.multibody(world)
    local M, c = mb:mass_matrix(), mb:bias()
    -- q2 = pi/2: cos q2 = 0, sin q2 = 1; r_i = l_i / 2
    local r1, r2 = l1 / 2, l2 / 2
    local inner = i2 + m2 * r2 * r2
    assert.near(i1 + m1 * r1 * r1 + m2 * l1 * l1 + inner, M[1], 1e-13) -- rounding
    assert.near(inner, M[2], 1e-13)
    assert.near(inner, M[4], 1e-13)
    -- c1 = -m2 l1 r2 sin q2 (2 q1' q2' + q2'^2) + gravity, c2 = m2 l1 r2 sin q2 q1'^2 + gravity; q1' = 2, q2' = 3
    assert.near(-m2 * l1 * r2 * (2 * 2 * 3 + 9) + 10 * (m1 * r1 + m2 * l1), c[1], 1e-12)
    assert.near(m2 * l1 * r2 * 4, c[2], 1e-12)
    local tau = mb:add_force(b, l1, l2, 3, 0, 1, { 0, 0 }) -- 3 N along x and 1 N m at the tip
    assert.near(-3 * l2 + 1, tau[1], 1e-13)
    assert.near(-3 * l2 + 1, tau[2], 1e-13)
  end)

  it("is the tree of the listed joints if all joints together close a loop", function()
    local world = impel.world {}
    local function body(name) return world:body { name = name, inertia = 1 } end
    local a, b, c = body "a", body "b", body "c"
    local ab, bc = world:revolute(a, b, {}), world:revolute(b, c, {})
    local ca = world:revolute(c, a, { name = "last" })
    raises("closes a loop", function() impel.multibody(a) end)
    assert.equal(5, impel.multibody(a, { joints = { ab, bc } }).size)
    assert.equal(5, impel.multibody(a, { joints = { ab, ca }, floating = true }).size)
    raises("joint 'last' is not connected to the root 'b'", function() impel.multibody(b, { joints = { ca } }) end)
  end)

  it("refuses structures other than a tree of rigid joints", function()
    local world = impel.world {}
    local a, b = world:body { name = "a", inertia = 1 }, world:body { name = "b", inertia = 1 }
    local hinge = world:revolute(a, b, {})
    raises("root must be a body", function() impel.multibody(3) end)
    raises("bad field 'joint' in impel.multibody (did you mean 'joints'?)", function()
      impel.multibody(a, { joint = {} })
    end)
    raises("joints[1] must be a joint", function() impel.multibody(a, { joints = { a } }) end)
    raises("is a distance", function() impel.multibody(a, { joints = { world:distance(a, b, {}) } }) end)
    raises("no joint connects a body to", function() impel.multibody(world) end)
    raises("a static body cannot be a floating root", function() impel.multibody(world, { floating = true }) end)
    raises("a dynamic body cannot be a fixed root", function() impel.multibody(a, { floating = false }) end)
    raises("field 'joints' is empty", function() impel.multibody(a, { joints = {} }) end)
    raises("field 'joints' must be a list, got the key 'a' (string)", function()
      impel.multibody(a, { joints = { a = hinge } })
    end)
    raises("cannot rotate", function() impel.multibody(world:body { type = "particle" }) end)
    raises("body 'stiff' cannot rotate", function()
      impel.multibody(world:body { name = "stiff", inertia = 1, fixed_rotation = true })
    end)
    local mb = impel.multibody(a)
    raises("is not a body of the tree", function() mb:jacobian(world.ground, 0, 0, {}) end)
    local pin = world:revolute(world.ground, b, { name = "pin" })
    raises("joint 'pin' connects the tree to the static body", function() impel.multibody(a) end)
    pin:destroy()
    hinge:coordinate("x"):set_spring { stiffness = 100 }
    raises("does not lock 'x'", function() impel.multibody(a) end)
    hinge:destroy()
    assert.is_false(pcall(mb.update, mb))
    b.fixed_rotation = true
    world:revolute(a, b, {})
    raises("body 'b' cannot rotate", function() impel.multibody(a) end)
    b.fixed_rotation = false
    mb = impel.multibody(a)
    b.type = "kinematic"
    raises("body 'b' was dynamic and is now kinematic", function() mb:update() end)
    b.type = "dynamic"
    mb:update()
    a.fixed_rotation = true
    raises("the fixed_rotation of body 'a' has changed", function() mb:update() end)
    a:destroy()
    raises("destroyed body", function() impel.multibody(a) end)
    raises("destroyed body", function() impel.virtual_force(a, b) end)
    raises("destroyed body", function() impel.virtual_force(b, a) end)
    local gone = impel.world {}
    gone:destroy()
    raises("destroyed world", function() impel.multibody(gone) end)
  end)

  it("makes no garbage", function()
    local _, bodies, mb = moving_tree(false)
    local tau, qdd, J = {}, {}, {}
    for k = 1, mb.size do tau[k] = k end
    assert.equal(0, flat(function()
      mb:update()
      mb:forward(tau, qdd)
      mb:inverse(qdd, tau)
      mb:jacobian(bodies[9], 0, 0, J)
      mb:center_jacobian(J)
      mb:momentum()
      mb:point_bias(bodies[9], 0, 0)
      mb:add_force(bodies[9], 0, 0, 1e-9, 0, 0, tau)
    end, 1000))
  end)
end)
