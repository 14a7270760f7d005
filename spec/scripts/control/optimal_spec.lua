-- impel.optimal computes torques by a quadratic program: computed torque, motion equation, active limits and cones,
-- agreement with the simulation.
local impel = require "impel"
local flat = require "support.flat"
local scenes = require "scripts.control.optimal_scenes"
local raises = require "support.raises"

local arm, biped, standing = scenes.arm, scenes.biped, scenes.standing

-- Return the largest violation of the conditions of a solution: the motion equation M qdd + c = tau + J'f, the limits,
-- the friction cones, and contact points at rest.
local function broken_laws(c)
  local mb, n = c.multibody, c.multibody.size
  local tau, J, worst = mb:inverse(c.qdd, {}), {}, 0
  for k = 1, n do tau[k] = c.tau[k] - tau[k] end
  for i, contact in ipairs(c.contacts) do
    local fn, ft = contact.normal_force, contact.tangent_force
    local nx, ny, x, y = contact.nx, contact.ny, contact.x, contact.y
    if contact.active then
      mb:add_force(contact.body, x, y, fn * nx + ft * ny, fn * ny - ft * nx, 0, tau)
      worst = math.max(worst, -fn, math.abs(ft) - contact.friction * fn)
      mb:jacobian(contact.body, x, y, J)
      local ax, ay = mb:point_bias(contact.body, x, y)
      for k = 1, n do ax, ay = ax + J[k] * c.qdd[k], ay + J[n + k] * c.qdd[k] end
      local vx, vy = contact.body:velocity_at(x, y)
      local slip = nx * (ax + 10 * vx) + ny * (ay + 10 * vy)
      worst = math.max(worst, math.abs(slip))
      if i % 2 == 1 then worst = math.max(worst, math.abs(ny * (ax + 10 * vx) - nx * (ay + 10 * vy))) end
    else
      assert.same({ 0, 0 }, { fn, ft })
    end
  end
  for k = 1, n do worst = math.max(worst, math.abs(tau[k]), math.abs(c.tau[k]) - c.max_torque[k]) end
  return worst
end

describe("impel.optimal", function()
  it("gives the computed torque if no constraint is active", function()
    for _, tasks in ipairs { "joints", "point" } do
      local world, joints, last = arm { solver = "reduced" }
      local wanted = { { kind = "posture", target = { 0.3, -0.2, 0.5 } } }
      if tasks == "point" then
        wanted = { { kind = "point", body = last, point = { 0.5, 0 }, target = { 1.5, 1 } },
          { kind = "angle", body = last, target = 1, target_speed = 0.2, target_acceleration = 0.1, weight = 3 } }
      end
      local c = impel.optimal(world, { tasks = wanted, effort = 0, acceleration_weight = 0, when = "never" })
      assert.is_true(c:update())
      local mb, qdd, J = c.multibody, {}, {}
      if tasks == "joints" then
        for k = 1, 3 do qdd[k] = 100 * (wanted[1].target[k] - mb.q[k]) - 20 * mb.qd[k] end
      else
        local x, y = last:world_point(0.5, 0)
        local vx, vy = last:velocity_at(x, y)
        local bx, by = mb:point_bias(last, x, y)
        mb:jacobian(last, x, y, J)
        local want = { 100 * (1.5 - x) - 20 * vx - bx, 100 * (1 - y) - 20 * vy - by,
          0.1 + 100 * (1 - last.angle) + 20 * (0.2 - last.angular_velocity) }
        -- Solve by Cramer's rule.
        local function det(m)
          return m[1] * (m[5] * m[9] - m[6] * m[8]) - m[2] * (m[4] * m[9] - m[6] * m[7])
            + m[3] * (m[4] * m[8] - m[5] * m[7])
        end
        for k = 1, 3 do
          local m = { table.unpack(J, 1, 9) }
          for i = 1, 3 do m[3 * (i - 1) + k] = want[i] end
          qdd[k] = det(m) / det(J)
        end
      end
      local tau, size = mb:inverse(qdd, {}), 0
      for k = 1, 3 do size = math.max(size, math.abs(tau[k])) end
      for k = 1, 3 do
        -- The tolerance is 1e-8 N m, or 1e-11 of the largest torque if this torque exceeds 1000 N m.
        assert.near(tau[k], c.tau[k], 1e-8 * math.max(1, size * 1e-3))
        assert.equal(joints[k], mb.coordinates[k].joint)
      end
      assert.is_true(c.residual < 1e-6)
    end
  end)

  it("satisfies the equation of motion, limits and friction cones, and keeps contacts at rest, under pushes", function()
    local world, torso, _, contacts = biped { solver = "direct" }
    for _ = 1, 30 do world:step() end
    local c = standing(torso, contacts, { when = "never" })
    local worst, residual, bound, in_air = 0, 0, 0, 0
    for i = 1, 300 do
      assert.is_true(c:update())
      residual = math.max(residual, c.residual)
      if c.state == "solved" then worst = math.max(worst, broken_laws(c)) end
      for k = 4, 9 do
        if math.abs(c.tau[k]) > c.max_torque[k] - 1e-9 then bound = bound + 1 end
      end
      for _, contact in ipairs(c.contacts) do in_air = in_air + (contact.active and 0 or 1) end
      if i % 60 == 0 then torso:apply_impulse(i % 120 == 0 and 30 or -30, 0) end
      if i == 150 then for k = 4, 9 do c.max_torque[k] = 45 end end
      world:step()
    end
    -- The required accuracy of the quadratic program; forces are about 700 N.
    assert.is_true(residual < 1e-6, residual)
    assert.is_true(worst < 1e-8, worst) -- rounding, in the units of the quadratic program
    -- Torque limits were reached, and feet left the ground.
    assert.is_true(bound > 10 and in_air > 10, bound .. " " .. in_air)
  end)

  it("predicts accelerations and the feet's forces of the world", function()
    local world, torso, feet, contacts = biped { solver = "direct" }
    for _ = 1, 30 do world:step() end
    local c = standing(torso, contacts)
    for _ = 1, 60 do world:step() end
    -- The new target of the centre of mass makes the figure lean and bend its knees.
    c.tasks[1].target[1], c.tasks[1].target[2] = 0.03, 0.70
    for _ = 1, 5 do world:step() end
    local mb, n = c.multibody, c.multibody.size
    mb:update()
    local before = { table.unpack(mb.qd) }
    world:step()
    local qdd, forces = { table.unpack(c.qdd) }, { 0, 0 }
    for i, contact in ipairs(c.contacts) do
      assert.is_true(contact.active)
      forces[(i + 1) // 2] = forces[(i + 1) // 2] + contact.normal_force
    end
    mb:update()
    for k = 1, n do
      -- Corrections of position errors of 1e-6 m add accelerations of 1e-6 / dt^2.
      assert.near(qdd[k], (mb.qd[k] - before[k]) / world.dt, 0.02)
    end
    assert.is_true(math.abs(qdd[4]) > 0.1)
    for i, foot in ipairs(feet) do
      local _, fy = foot:contact_force()
      assert.near(forces[i], fy, 2) -- 2 N of 360 N: position correction adds force
    end
  end)

  it("keeps a biped standing under pushes; with the controller disabled the biped falls", function()
    local heights = {}
    for i, enabled in ipairs { true, false } do
      local world, torso, _, contacts = biped {}
      local c = standing(torso, contacts, { enabled = enabled })
      for step = 1, 240 do
        if step % 60 == 0 then torso:apply_impulse(15, 0) end
        world:step()
      end
      heights[i] = select(2, c.multibody:update():center())
    end
    -- The posture task acts, too, so the height is not exact.
    assert.near(0.72, heights[1], 0.02)
    assert.is_true(heights[2] < 0.4)
  end)

  it("pushes only against supporting bodies: not air, sensors or itself", function()
    local world = impel.world { solver = "direct" }
    local zone = world:body { type = "static" }
    zone:box { 20, 0.2, center = { 0, -0.1 }, sensor = true }
    local floor = world:body { type = "static", position = { 0, -1 } }
    floor:box { 20, 1, center = { 0, -0.5 } }
    local block = world:body { position = { 0, 0.099 } }
    block:box { 0.2, 0.2 }
    local c = impel.optimal(block, {
      tasks = { { kind = "center" } }, contacts = { { body = block, point = { 0.1, -0.1 } } }, when = "never",
    })
    world:step()
    c:update()
    assert.is_false(c.contacts[1].active)
    assert.near(-9.81, c.qdd[2], 0.03) -- without a contact force the block falls with g
    for _ = 1, 60 do world:step() end
    c:update()
    assert.is_true(c.contacts[1].active)
    assert.same({ 0, 1 }, { c.contacts[1].nx, c.contacts[1].ny })
    assert.near(0.6, c.contacts[1].friction, 1e-12) -- both surfaces have the default friction
  end)

  it("brings each kind of task to its target", function()
    local world, joints, last = arm { solver = "reduced", substeps = 4 }
    local function run(tasks)
      local c = impel.optimal(world, { tasks = tasks })
      for _ = 1, 300 do world:step() end
      c:destroy()
      return c
    end
    -- The posture task acts with a weight of 1e-3 on a deviation of about 1 rad.
    run { { kind = "joint", joint = joints[2], target = 0.7 }, { kind = "posture", weight = 1e-3 } }
    assert.near(0.7, joints[2].value, 5e-3)
    run { { kind = "center", target = { 1, 0.8 } }, { kind = "posture", weight = 1e-3 } }
    local x, y = impel.multibody(world):center()
    assert.near(1, x, 5e-3)
    assert.near(0.8, y, 5e-3)
    run { { kind = "angle", body = last, target = 2 }, { kind = "point", body = last, point = { 0.5, 0 }, only = "x",
      target = { 1.2, 0 } }, { kind = "posture", weight = 1e-3 } }
    x = last:world_point(0.5, 0)
    assert.near(2, last.angle, 5e-3)
    assert.near(1.2, x, 5e-3)
    local c = run { { kind = "momentum", damping = 10 }, { kind = "posture", weight = 1e-3, stiffness = 0 } }
    local _, _, angular = c.multibody:update():momentum()
    assert.near(0, angular, 1e-2)
  end)

  it("applies no torque where max_torque is 0, and softens infeasible contact constraints", function()
    local world, joints = arm { solver = "reduced" }
    local c = impel.optimal(world, { tasks = { { kind = "posture" } }, when = "never" })
    c.max_torque[2] = 0
    assert.is_true(c:update())
    assert.near(0, c.tau[2], 1e-9) -- rounding
    assert.is_true(math.abs(c.tau[1]) > 1)
    assert.equal(2, c.multibody:place(joints[2]))
    -- A stop from 1 m/s within 0.1 s requires 10 m/s^2. Friction allows 2 m/s^2.
    local floor = impel.world { solver = "direct" }
    floor:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
    local block = floor:body { position = { 0, 0.1 } }
    -- The geometric mean with the floor's friction of 0.6 is 0.2.
    block:box { 0.2, 0.2, friction = 0.2 ^ 2 / 0.6 }
    floor:step()
    block:set_velocity(1, 0)
    c = impel.optimal(block, {
      tasks = {}, contacts = { { body = block, point = { -0.1, -0.1 } }, { body = block, point = { 0.1, -0.1 } } },
      when = "never",
    })
    assert.is_true(c:update())
    assert.equal("softened", c.state)
    for _, contact in ipairs(c.contacts) do -- the contact force is at the limit of the friction cone
      assert.near(0.2 * contact.normal_force, contact.tangent_force < 0 and -contact.tangent_force or 0, 1e-9)
    end
    assert.is_true(c.qdd[1] < -1.9)
  end)

  it("is disabled without a jump, and stops when one of its joints is destroyed", function()
    local world, joints = arm { solver = "direct" }
    local c = impel.optimal(world, { tasks = { { kind = "posture" } } })
    world:step()
    assert.is_true(math.abs(joints[1]:coordinate("angle"):drives().force) > 1)
    local speed = joints[1].speed
    c.enabled = false
    assert.equal(speed, joints[1].speed)
    world:step()
    assert.equal(0, joints[1]:coordinate("angle"):drives().force)
    c.enabled = true
    world:step()
    assert.is_true(math.abs(joints[1]:coordinate("angle"):drives().force) > 1)
    joints[3]:destroy()
    world:step()
    assert.is_false(c:is_alive())
    assert.equal(0, joints[1]:coordinate("angle"):drives().force)
    c:destroy()
    c:destroy()
  end)

  it("is restored with its world: contact forces and task targets", function()
    local world, torso, _, contacts = biped { solver = "direct" }
    local c = standing(torso, contacts)
    for _ = 1, 30 do world:step() end
    local function told()
      local list = {}
      for _, contact in ipairs(c.contacts) do
        table.move({ contact.normal_force, contact.tangent_force, contact.x, contact.y }, 1, 4, #list + 1, list)
      end
      list[#list + 1], list[#list + 2] = c.tasks[1].target[2], c.tasks[2].weight
      return list
    end
    local before, shot = told(), world:snapshot()
    c.tasks[1].target[2], c.tasks[2].weight = 0.6, 3
    for _ = 1, 20 do world:step() end
    assert.is_true(math.abs(told()[1] - before[1]) > 1)
    world:restore(shot)
    assert.same(before, told())
  end)

  it("refuses invalid arguments", function()
    local world, joints, last = arm {}
    local function with(options) return function() impel.optimal(world, options) end end
    raises("impel.optimal needs the field 'tasks'", with {})
    raises("bad field 'kid' in impel.optimal: tasks[1] (did you mean 'kind'?)", with { tasks = { { kid = "angle" } } })
    raises("tasks[1]: field 'kind' must be one of", with { tasks = { { kind = "com" } } })
    raises("tasks[1]: field 'body' must be a body", with { tasks = { { kind = "angle" } } })
    raises("field 'target' must be { x, y }", with { tasks = { { kind = "point", body = last, target = 1 } } })
    raises("field 'joint' must be a joint", with { tasks = { { kind = "joint" } } })
    raises("is not a body of the tree", with { tasks = { { kind = "angle", body = world:body {} } } })
    raises("field 'target'[2] must be a finite number", with { tasks = { { kind = "posture", target = { 1 } } } })
    raises("contacts[1] needs the field 'point'", with { tasks = {}, contacts = { { body = last } } })
    joints[3]:destroy()
    local loose = world:revolute(last, world:body { inertia = 1 }, {})
    raises("is not a joint or coordinate of the tree", with { tasks = { { kind = "joint", joint = loose } } })
    local c = impel.optimal(world, { tasks = { { kind = "posture" } } })
    c.tasks[1].target[1] = 0 / 0
    local ok, message = pcall(world.step, world)
    assert.is_false(ok)
    assert.truthy(message:find("tasks[1]: target[1] must be a finite number, got nan", 1, true), message)
    c.tasks[1].target[1] = 1e300
    c.tasks[1].stiffness = 1e300
    ok, message = pcall(world.step, world)
    assert.is_false(ok)
    assert.truthy(message:find("acceleration of the task 'posture' is", 1, true), message)
  end)

  it("makes no garbage", function()
    local world, torso, _, contacts = biped { solver = "direct" }
    local c = standing(torso, contacts)
    for _ = 1, 60 do world:step() end
    assert.equal(0, flat(function()
      c:update()
    end, 1000))
    assert.equal(0, flat(function() world:step() end, 500))
  end)
end)
