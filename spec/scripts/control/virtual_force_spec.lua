-- impel.virtual_force: tau = J'F over chains with every kind of joint, against closed forms, virtual work and statics.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

-- Build two links of 1 m, q = (0, 90 degrees), with the hand at (1, 1). `turned` reverses the bodies of each joint, so
-- each coordinate has the opposite sign.
local function arm(options, turned)
  local world = impel.world(options)
  local upper = world:body { name = "upper", position = { 0.5, 0 }, mass = 2, inertia = 0.2 }
  local lower = world:body { name = "lower", position = { 1, 0.5 }, angle = math.pi / 2, mass = 1, inertia = 0.1 }
  local ground = world.ground
  world:revolute(turned and upper or ground, turned and ground or upper, { anchor = { 0, 0 }, name = "shoulder" })
  world:revolute(turned and lower or upper, turned and upper or lower, { anchor = { 1, 0 }, name = "elbow" })
  return world, upper, lower
end

local HAND = { 0.5, 0 }

describe("impel.virtual_force", function()
  it("is J'F of the two-link arm", function()
    local world, _, lower = arm { gravity = { 0, 0 } }
    local c = impel.virtual_force(world.ground, lower, { point = HAND, force = { 0, 1 }, when = "never" })
    local tau = c:torques()
    assert.near(1, tau[1], 1e-12)
    assert.near(0, tau[2], 1e-12)
    c.fx, c.fy = 1, 0
    c:torques()
    assert.near(-1, tau[1], 1e-12)
    assert.near(-1, tau[2], 1e-12)
    c.fx, c.fy, c.torque = 0, 0, 2
    c:torques()
    assert.near(2, tau[1], 1e-12)
    assert.near(2, tau[2], 1e-12)
    assert.equal("elbow", c.coordinates[2].joint.name)
    local other, _, hand = arm({ gravity = { 0, 0 } }, true)
    c = impel.virtual_force(other.ground, hand, { point = HAND, force = { 1, 0 }, when = "never" })
    assert.near(1, c:torques()[1], 1e-12)
    assert.near(1, c.tau[2], 1e-12)
  end)

  -- The cases are solvers that solve all rows together. Solvers that sweep leave an acceleration of 1e-6 m/s^2. With
  -- `acceleration` both forces act once per step, because this solver treats a velocity change by a substep handler as
  -- an error of J v.
  it("balances an opposing load: acceleration below 1e-9", function()
    for _, case in ipairs { { "direct", "substep" }, { "reduced", "substep" }, { "rattle", "substep" },
      { "direct", "step" }, { "acceleration", "step" } } do
      for _, turned in ipairs { false, true } do
        local world, upper, lower = arm({ gravity = { 0, 0 }, solver = case[1] }, turned)
        impel.virtual_force(world.ground, lower, { point = HAND, force = { 3, 4 }, when = case[2] })
        world:on(case[2], function()
          local x, y = lower:world_point(HAND[1], HAND[2])
          lower:apply_force(-3, -4, x, y)
        end)
        for _ = 1, 10 do
          local ux, uy = upper:velocity()
          local lx, ly = lower:velocity()
          local uw, lw = upper.angular_velocity, lower.angular_velocity
          world:step()
          local vx, vy = upper:velocity()
          local wx, wy = lower:velocity()
          local change = math.max(math.abs(vx - ux), math.abs(vy - uy), math.abs(wx - lx), math.abs(wy - ly),
            math.abs(upper.angular_velocity - uw), math.abs(lower.angular_velocity - lw))
          assert.is_true(change / world.dt < 1e-9, case[1] .. " " .. change / world.dt) -- required
        end
      end
    end
  end)

  -- Ten random chains of all joints that a tree may contain. The Jacobian gives the work of F along each joint's
  -- motion.
  it("is J'F in each coordinate of any chain", function()
    local rng = impel.rng.new(7)
    local kinds = { "revolute", "prismatic", "wheel", "pin_slot", "weld" }
    for _ = 1, 10 do
      local world = impel.world {}
      local last = world.ground
      for i = 1, 6 do
        local body = world:body { position = { i, rng:normal(0, 1) }, angle = rng:normal(0, 2), inertia = 1 }
        local kind = i == 1 and "revolute" or kinds[rng:random(#kinds)]
        local options = { anchor = { i - 0.5, rng:normal(0, 1) } }
        local angle = rng:normal(0, 2)
        if kind ~= "revolute" then options.axis = { impel.math.cos(angle), impel.math.sin(angle) } end
        local first = rng:random(2) == 1
        world[kind](world, first and last or body, first and body or last, options)
        last = body
      end
      local fx, fy, torque = rng:normal(0, 1), rng:normal(0, 1), rng:normal(0, 1)
      local c = impel.virtual_force(world.ground, last, {
        point = { 0.3, 0.2 }, force = { fx, fy }, torque = torque, when = "never",
      })
      local mb, J = impel.multibody(world), {}
      local x, y = last:world_point(0.3, 0.2)
      mb:jacobian(last, x, y, J)
      assert.equal(mb.size, #c:torques())
      for k = 1, mb.size do
        local work = J[k] * fx + J[mb.size + k] * fy + J[2 * mb.size + k] * torque
        assert.equal(mb.coordinates[k], c.coordinates[k])
        assert.near(work, c.tau[k], 1e-13) -- rounding
      end
    end
  end)

  it("acts by opposite forces on pairs of bodies, so the momenta of a free chain are constant", function()
    local world = impel.world { gravity = { 0, 0 }, solver = "reduced" }
    local a = world:body { position = { 0, 0 }, mass = 3, inertia = 1 }
    local b = world:body { position = { 1, 0 }, mass = 2, inertia = 1 }
    local c = world:body { position = { 2, 1 }, mass = 1, inertia = 1 }
    world:prismatic(b, a, { anchor = { 0.5, 0 }, axis = { 0.6, 0.8 } })
    world:revolute(b, c, { anchor = { 1.5, 0.5 } })
    impel.virtual_force(a, c, { point = { 0.2, 0.1 }, force = { 5, 2 }, torque = 1 })
    for _ = 1, 60 do world:step() end
    local px, py, angular = impel.multibody(a):momentum()
    assert.is_true(c.angular_velocity ~= 0)
    assert.near(0, px, 1e-12) -- rounding
    assert.near(0, py, 1e-12)
    assert.near(0, angular, 1e-12)
  end)

  it("carries several weights, one for each virtual force", function()
    local world, upper, lower = arm { solver = "direct", gravity = { 0, -10 } }
    for _, body in ipairs { upper, lower } do
      impel.virtual_force(world.ground, body, { force = { 0, 10 * body.mass } })
    end
    for _ = 1, 600 do world:step() end
    assert.near(0, upper.angle, 1e-9) -- the unstable balance amplifies rounding for 10 s
    assert.near(math.pi / 2, lower.angle, 1e-9)
  end)

  it("is a spring to a point: its force is stiffness times the distance", function()
    local world, upper, lower = arm { solver = "direct", gravity = { 0, -10 }, substeps = 8 }
    local k = 800
    local c = impel.virtual_force(world.ground, lower, { point = HAND, stiffness = k, damping = 30,
      target = { 1, 1 } })
    for _ = 1, 1200 do world:step() end
    local tau = c:torques()
    assert.is_true(math.abs(upper.angular_velocity) + math.abs(lower.angular_velocity) < 1e-9)
    local fx, fy = c:current()
    local x, y = lower:world_point(HAND[1], HAND[2])
    assert.near(k * (1 - x), fx, 1e-7) -- the hand moves slowly, so the damper exerts a force
    assert.near(k * (1 - y), fy, 1e-7)
    local _, y2 = lower:position()
    assert.is_true(y < 1 and y2 < 0.5)
    -- The elbow's torque balances the weight of `lower`. The shoulder's torque balances both weights.
    local ux, lx = upper:position(), lower:position()
    local elbow = upper:world_point(0.5, 0)
    assert.near(10 * (lx - elbow), tau[2], 1e-7)
    assert.near(10 * lx + 20 * ux, tau[1], 1e-7)
    c.max_force = 1
    fx, fy = c:current()
    assert.near(1, math.sqrt(fx * fx + fy * fy), 1e-12)
    c.target[1], c.max_force = c.target[1] + 1, math.huge
    assert.near(k * (2 - x), (c:current()), 1e-7)
  end)

  it("damps the difference from target_speed, and limits a force whose square overflows", function()
    local world, _, lower = arm { gravity = { 0, 0 } }
    local c = impel.virtual_force(world.ground, lower, { point = HAND, damping = 10, target_speed = { 0.3, -0.2 },
      when = "never" })
    local fx, fy = c:current()
    assert.near(3, fx, 1e-12) -- rounding
    assert.near(-2, fy, 1e-12)
    lower:set_velocity(1, 2)
    fx, fy = c:current()
    assert.near(-7, fx, 1e-12)
    assert.near(-22, fy, 1e-12)
    c.damping, c.max_force, c.fx, c.fy = 0, 10, 3e200, -4e200
    fx, fy = c:current()
    assert.near(6, fx, 1e-12)
    assert.near(-8, fy, 1e-12)
  end)

  it("continues without a jump when a body is switched to kinematic and back", function()
    for k = 1, 2 do
      local world, upper, lower = arm { solver = "direct", gravity = { 0, 0 } }
      local body = ({ upper, lower })[k]
      impel.virtual_force(world.ground, lower, { point = HAND, force = { 0, 1 } })
      world:prismatic(lower, world:body { position = { 1, 1.5 }, inertia = 1 }, { axis = { 0, 1 } })
      local slide
      for one in world:bodies() do slide = one end
      impel.virtual_force(upper, slide, { force = { 1, 1 }, torque = 1 })
      world:step(5)
      local vx, vy = body:velocity()
      body.type = "kinematic"
      world:step(5)
      assert.same({ vx, vy }, { body:velocity() })
      body.type = "dynamic"
      assert.same({ vx, vy }, { body:velocity() })
      world:step(5)
      assert.is_true(vx ~= body:velocity())
    end
  end)

  it("ends if a joint of its chain breaks", function()
    local world, upper, lower = arm { solver = "direct", gravity = { 0, 0 } }
    local c = impel.virtual_force(world.ground, lower, { point = HAND, torque = 3 })
    for joint in lower:joints() do joint:sever() end
    assert.is_false(c:is_alive())
    world:step(5)
    assert.same({ 0, 0 }, { upper.angular_velocity, lower.angular_velocity })
  end)

  it("names a field with an invalid value", function()
    local world, _, lower = arm {}
    local c = impel.virtual_force(world.ground, lower, { stiffness = 10 })
    for _, case in ipairs {
      { "fx", "a", "a finite number [N], got 'a' (string)" }, { "fy", false, "a finite number" },
      { "torque", {}, "a finite number [N m], got a table" }, { "damping", -1, "a finite number >= 0 [N s/m], got -1" },
      { "max_force", -1, "a number >= 0 [N], got -1" }, { "point", nil, "{ x, y }, two finite numbers [m], got nil" },
      { "target", { 1 }, "{ x, y }" }, { "target_speed", 3, "{ x, y }" },
      { "enabled", "no", "true or false, got 'no' (string)" },
    } do
      local name, kept = case[1], c[case[1]]
      c[name] = case[2]
      raises(("impel.virtual_force: field '%s' must be %s"):format(name, case[3]), function() world:step() end)
      c[name] = kept
      world:step()
    end
  end)

  it("acts in steps or substeps, adds up, and stops at once", function()
    local results = {}
    for i, when in ipairs { "substep", "step" } do
      local world, upper, lower = arm { solver = "direct", gravity = { 0, 0 } }
      local one = impel.virtual_force(world.ground, upper, { torque = 1, when = when })
      local two = impel.virtual_force(world.ground, upper, { torque = 2, when = when })
      world:step()
      results[i] = upper.angular_velocity
      assert.is_true(results[i] > 0)
      two.enabled = false
      one:destroy()
      one:destroy()
      local energy = upper:kinetic_energy() + lower:kinetic_energy()
      world:step()
      -- In a step the solver loses up to 1e-3 of the energy.
      assert.near(energy, upper:kinetic_energy() + lower:kinetic_energy(), 1e-3 * energy)
      two.enabled = true
      world:step()
      assert.is_true(upper:kinetic_energy() + lower:kinetic_energy() > 1.5 * energy)
      assert.is_true(two:is_alive())
      for joint in lower:joints() do joint:destroy() end
      assert.is_true(two:is_alive()) -- the elbow is not in the chain of the controller
      for joint in upper:joints() do joint:destroy() end
      assert.is_false(two:is_alive())
      local speed = upper.angular_velocity
      world:step()
      assert.equal(speed, upper.angular_velocity)
    end
    -- The arm moves by 1 mm between substeps.
    assert.near(results[1], results[2], 1e-3)
  end)

  it("refuses bodies that form no chain", function()
    local world, _, lower = arm {}
    raises("argument 'body' must be a body", function() impel.virtual_force(world.ground) end)
    raises("bad field 'forse' in impel.virtual_force (did you mean 'force'?)", function()
      impel.virtual_force(world.ground, lower, { forse = { 0, 1 } })
    end)
    raises("field 'force' must be { x, y }", function() impel.virtual_force(world.ground, lower, { force = { 0 } }) end)
    raises("field 'force' must be { x, y }", function()
      impel.virtual_force(world.ground, lower, { force = { 1, 2, 3 } })
    end)
    raises("no chain of joints connects", function() impel.virtual_force(world.ground, world:body { inertia = 1 }) end)
    raises("can move", function() impel.virtual_force(lower, lower) end)
    local c = impel.virtual_force(world.ground, lower)
    c.fx = 0 / 0
    raises("field 'fx' must be a finite number [N], got nan", function() world:step() end)
    c.fx, c.stiffness, c.target[1] = 0, 1e300, 1e300
    local ok, message = pcall(world.step, world)
    assert.is_false(ok)
    assert.truthy(message:find("the force on 'lower' is not finite", 1, true))
  end)

  it("makes no garbage", function()
    local world, _, lower = arm { solver = "direct" }
    world:prismatic(lower, world:body { position = { 1, 1.5 }, inertia = 1 }, { axis = { 0, 1 }, name = "slide" })
    local tip
    for body in world:bodies() do tip = body end
    impel.virtual_force(world.ground, tip, { stiffness = 100, damping = 10, force = { 0, 10 }, max_force = 50 })
    assert.equal(0, flat(function() world:step() end))
  end)
end)
