-- Rotors that `armature` adds to coordinates, under every solver: event handlers, drives, negligible armature, the
-- largest speed of a body, work.
local near = require("support.measure").near
local rigs = require "core.solvers.armature_rigs"
local solvers, new_world, chain, link, each_link = rigs.solvers, rigs.new_world, rigs.chain, rigs.link, rigs.each_link
local LINKS, CLOSE, INERTIA, L, G = rigs.LINKS, rigs.CLOSE, rigs.INERTIA, rigs.L, rigs.G

describe("armature in handlers", function()
  it("adds to the mass that an impulse accelerates in any substep", function()
    each_link(function(kind, solver, size, text)
      for _, when in ipairs { 1, 2 } do
        local world, _, joint, push = link(kind, solver, size, { substeps = 2 })
        local n = 0
        world:on("substep", function()
          n = n + 1
          if n == when then push(4 * (size[1] + size[2])) end
        end)
        world:step()
        near(4, joint.speed, CLOSE, text .. ": speed after P / (I + R) = 4 [1/s]")
        world:destroy()
      end
    end)
  end)

  it("adds to a body's inertia if a handler applies a torque in each substep", function()
    for _, solver in ipairs(solvers) do
      for _, size in ipairs(LINKS) do
        local world, body, joint = link("revolute", solver, size, { substeps = 3 })
        world:on("substep", function() body:apply_torque((size[1] + size[2]) / size[3]) end)
        world:step()
        near(1, joint.speed, CLOSE, solver .. ": speed after a step [rad/s]")
        world:step(2)
        near(3, joint.speed, CLOSE, solver .. ": speed after three steps [rad/s]")
        world:destroy()
      end
    end
  end)
end)

describe("armature that a handler sets beside other drives", function()
  -- Each drive exerts a given force on the coordinate.
  local DRIVES = {
    motor = function(coordinate, force) coordinate:set_motor { speed = 1e3, max_force = force } end,
    spring = function(coordinate, force)
      coordinate:set_spring { stiffness = 1e-6 * force, damping = 0, target = 1e6 }
    end,
    force = function(coordinate, force) coordinate:set_force(force) end,
    servo = function(coordinate, force) coordinate:set_servo { target = 1e3, max_force = force } end,
  }

  it("takes effect, or ends, in the substep of the handler, beside each kind of drive", function()
    for _, solver in ipairs(solvers) do
      for name, drive in pairs(DRIVES) do
        for _, armature in ipairs { 0.25, 1, 40 } do
          for _, from in ipairs { 0, armature } do
            local world = new_world(solver, { gravity = { 0, 0 }, dt = 0.1, substeps = 10, iterations = 50 })
            local body = world:body { mass = 1, inertia = 1 }
            local joint = world:revolute(world.ground, body, { armature = from })
            local coordinate, n = joint:coordinate(), 0
            drive(coordinate, 10)
            world:on("substep", function()
              n = n + 1
              if n == 6 then coordinate.armature = armature - from end
            end)
            local text = ("%s %s R=%g from %g"):format(solver, name, armature, from)
            world:step()
            -- The force acts for five substeps with armature and for five substeps without armature.
            local before = 0.5 + 0.5 / (1 + armature)
            near(before, joint.speed, CLOSE, text .. ": speed after the step [rad/s]")
            world:step()
            local after = before + 1 / (1 + armature - from)
            near(after, joint.speed, 3 * CLOSE, text .. ": speed after the second step [rad/s]")
            near(0.5 * (1 + armature - from) * after ^ 2, (world:energy()), 1e-3, text .. ": energy [J]")
            world:destroy()
          end
        end
      end
    end
  end)

  -- A light part on the slider, with a heavy load welded to the part. The soft solver solves slider and weld as a
  -- cluster.
  local function cluster(solver, armature)
    local world = new_world(solver, { gravity = { 0, 0 }, dt = 0.1, substeps = 10 })
    local part, load = world:body { mass = 0.01, inertia = 1e-4 }, world:body { mass = 0.99, inertia = 1 }
    local joint = world:prismatic(world.ground, part, { axis = { 1, 0 }, armature = armature })
    world:weld(part, load, {})
    joint:coordinate():set_force(10)
    return world, joint, joint:coordinate()
  end

  it("takes effect at the next step if soft solves the joint in a cluster; drives set after it do too", function()
    for _, solver in ipairs { "soft", "direct", "acceleration", "reduced", "rattle" } do
      for _, force in ipairs { false, 30 } do
        local world, joint, coordinate = cluster(solver, 0)
        local n = 0
        world:on("substep", function()
          n = n + 1
          if n == 6 then coordinate.armature = 1 end
          if n == 6 and force then coordinate:set_force(force) end
        end)
        local text, late = solver .. (force and " and force" or ""), solver == "soft"
        local last = force or 10
        world:step()
        local expected = 0.5 + (late and 0.5 or 0.5 * last / 10 / 2)
        -- The tolerance is 1e-4 because errors of the soft solver grow with the mass ratio, 1 : 99.
        near(expected, joint.speed, 1e-4, text .. ": speed after the step [m/s]")
        near(1, coordinate.armature, 0, text .. ": armature [kg]")
        world:step()
        near(expected + 0.1 * last / 2, joint.speed, 1e-4, text .. ": speed after the second step [m/s]")
        world:destroy()
      end
    end
  end)

  it("is removed in the substep of the call, in a cluster too", function()
    for _, solver in ipairs { "soft", "direct", "acceleration", "reduced", "rattle" } do
      local world, joint, coordinate = cluster(solver, 1)
      local n = 0
      world:on("substep", function()
        n = n + 1
        if n == 6 then coordinate.armature = 0 end
      end)
      world:step()
      near(0.75, joint.speed, 1e-4, solver .. ": speed after the step [m/s]")
      world:step()
      near(1.75, joint.speed, 1e-4, solver .. ": speed after the second step [m/s]")
      world:destroy()
    end
  end)
end)

describe("a negligible armature", function()
  -- The inertia of a coordinate is more than 1e9 times the armature R. At R = 1e-40 the ratio exceeds the range of
  -- float, at R = 1e-300 its square exceeds the range of double.
  it("adds no row: chains move to the same bits as without armature, and no fault occurs", function()
    for _, solver in ipairs(solvers) do
      local expected
      for _, armature in ipairs { 0, 1e-12, 1e-17, 1e-40, 1e-300 } do
        local world = new_world(solver)
        local joints = chain(world, 2, { armature = armature, damping = 1e-3 })
        world:on("fault", function() error "a fault" end)
        world:step(120)
        local kinetic, potential = world:energy()
        local found = { joints[1].value, joints[2].value, kinetic, potential }
        expected = expected or found
        assert.same(expected, found, ("%s, armature %g"):format(solver, armature))
        for row in joints[1]:rows() do assert.not_equal("armature", row.kind) end
        world:destroy()
      end
    end
  end)

  it("has a low enough bound: armature just above the bound hardly changes a chain's motion", function()
    for _, solver in ipairs(solvers) do
      local expected
      for _, part in ipairs { 0, 0.5e-9, 2e-9, 1e-8 } do
        local world = new_world(solver)
        local joints = chain(world, 2, { armature = part * INERTIA, damping = 1e-3 })
        world:step(60)
        expected = expected or joints[2].value
        -- Relative errors after 1 s are 2e-16 / 1e-9 = 2e-7 by rounding, and 1e-8 by the neglected armature. The soft
        -- solver computes in floats.
        near(expected, joints[2].value, solver == "soft" and 1e-3 or 2e-6, solver .. ": angle [rad]")
        world:destroy()
      end
    end
  end)

  it("takes effect when the inertia of the body becomes small enough", function()
    for _, solver in ipairs(solvers) do
      local world, body, joint, push = link("revolute", solver, { 1e3, 1e-8, 1 / 60 })
      world:step()
      push(2e3)
      world:step()
      near(2, joint.speed, CLOSE, solver .. ": speed of the heavy body [rad/s]")
      body.inertia = 1e-8
      world:step()
      near(2, joint.speed, CLOSE, solver .. ": speed of the body made light [rad/s]")
      push(2e-8)
      world:step()
      near(3, joint.speed, CLOSE, solver .. ": speed after P / (I + R) = 1 more [rad/s]")
      world:destroy()
    end
  end)
end)

describe("the speed limit of a body", function()
  it("limits the rotor on the body's coordinate too", function()
    each_link(function(kind, solver, size, text)
      for _, substeps in ipairs { 1, 4 } do
        local world, body, joint = link(kind, solver, size, { substeps = substeps })
        local sum, steps = size[1] + size[2], math.floor(1 / size[3] + 0.5)
        body[kind == "revolute" and "max_angular_speed" or "max_speed"] = 3
        joint:coordinate():set_force(10 * sum) -- the speed reaches the limit after 0.3 s
        world:step(steps)
        joint:coordinate():set_force()
        near(3, joint.speed, CLOSE, text .. ": speed at the limit [1/s]")
        near(0.5 * sum * 9, (world:energy()), CLOSE * sum * 9, text .. ": energy at the limit [J]")
        body[kind == "revolute" and "max_angular_speed" or "max_speed"] = 0
        world:step()
        near(3, joint.speed, CLOSE, text .. ": speed once the limit is off [1/s]")
        world:destroy()
      end
    end)
  end)

  local CAUSES = { "applied", "damping", "integration", "lock", "limit", "motor", "spring", "user", "contact",
    "restitution", "friction", "kinematic", "bias", "projection", "stiffness", "outside" }

  it("records in the audit the energy that rotors lose", function()
    for _, solver in ipairs(solvers) do
      local world, body, joint = link("revolute", solver, LINKS[1], { auditing = true })
      body.max_angular_speed = 3
      joint:coordinate():set_force(10)
      world:step(60)
      local audit = world:audit()
      near((world:energy()), audit.after, 1e-9, solver .. ": energy in the audit [J]")
      -- The torque of 10 N m turns the link by 0.45 rad in 0.3 s of acceleration, and by 2.1 rad in 0.7 s at 3 rad/s.
      -- The tolerance is the work of 10 N m in one step at 3 rad/s, plus the work of 10 N m in 0.7 s at 10 / 60 rad/s,
      -- the change of speed in one step.
      near(10 * (0.45 + 2.1), audit.motor + audit.applied, 10 * (3 + 0.7 * 10) / 60, solver .. ": work of 10 N m [J]")
      local sum = 0
      for _, cause in ipairs(CAUSES) do sum = sum + audit[cause] end
      near(0.5 * 9, sum, 1e-4, solver .. ": sum of all causes [J]") -- the soft solver computes in floats
      world:destroy()
    end
  end)
end)

-- The total work of the rotor's row is 0. The work of the coordinate is the integral of -(d w^2 + f |w|), with damping
-- d and friction f.
describe("work of a coordinate with armature", function()
  it("is the work of its damping and its friction", function()
    for _, solver in ipairs(solvers) do
      for _, n in ipairs { 1, 3 } do
        for _, armature in ipairs { 0.02, 0.5, 5 } do
          local world = new_world(solver, { dt = 1 / 240, iterations = 200 })
          local joints = chain(world, n, { armature = armature, damping = 0.2, friction = 0.05 })
          local speed, expected, power = {}, {}, {}
          for i in ipairs(joints) do speed[i], expected[i] = 0, 0 end
          for _ = 1, 60 do
            world:step()
            for i, joint in ipairs(joints) do
              local w = (speed[i] + joint.speed) / 2
              power[i] = -0.2 * w * w - 0.05 * math.abs(w)
              expected[i], speed[i] = expected[i] + power[i] / 240, joint.speed
            end
          end
          for i, joint in ipairs(joints) do
            local coordinate, text = joint:coordinate(), ("%s n=%d R=%g joint %d"):format(solver, n, armature, i)
            -- The relative tolerances allow for an error of one step in 60. In the xpbd solver, the speed at which
            -- friction acts exceeds w by up to 1.5 g h / L, with substep h = 1 / (240 * 8) s and rod length L.
            local more = solver == "xpbd" and 0.05 * 1.5 * G / L / (240 * 8) or 0
            near(expected[i], coordinate.work, 0.03 * math.abs(expected[i]) + 1e-6 + more / 4, text .. ": work [J]")
            near(power[i], coordinate.power, 0.05 * math.abs(power[i]) + 1e-5 + more, text .. ": power [W]")
            for row in joint:rows() do
              if row.kind == "armature" then
                near(0, row.work, 0.02 * math.abs(expected[i]) + 1e-6, text .. ": work of the rotor's row [J]")
              end
            end
          end
          world:destroy()
        end
      end
    end
  end)

  it("is 0 up to an error of first order in the step for a slider that falls with its rotor", function()
    for _, solver in ipairs(solvers) do
      for _, size in ipairs(LINKS) do
        local g, h = 10, size[3]
        local world, _, joint = link("prismatic", solver, size, { gravity = { g, 0 } })
        world:step(30)
        local a = g * size[1] / (size[1] + size[2])
        -- The work of the rotor's row in a step is lambda times the mean of J v - s before and after the impulse
        -- lambda; s is the speed of the rotor.
        local most = 0.5 * size[2] * a * h * g * h * 30
        local text = ("%s R=%g"):format(solver, size[2])
        near(a * 30 * h, joint.speed, 1e-4, text .. ": speed [m/s]")
        near(0, joint:coordinate().work, 1.01 * most, text .. ": work [J]")
        world:destroy()
      end
    end
  end)

  it("adds up over the rows of a joint to the change of the world's energy", function()
    for _, solver in ipairs(solvers) do
      local world = new_world(solver, { gravity = { 0, 0 } })
      local joints, bodies = chain(world, 1, { armature = 0.3, damping = 0.1, friction = 0.05 })
      bodies[1].angular_velocity = 5
      bodies[1]:set_velocity(0, 5 * L / 2)
      local before = (world:energy())
      world:step(30)
      local sum = 0
      for row in joints[1]:rows() do sum = sum + row.work end
      -- The soft solver computes in floats. If a joint has friction, the reduced solver is less accurate in the work of
      -- the joint's locks.
      local close = solver == "reduced" and 0.03 or solver == "soft" and 1e-4 or 1e-9
      near((world:energy()) - before, sum, close * before, solver .. ": works of all rows [J]")
      world:destroy()
    end
  end)
end)
