-- Limits of coordinates: motors, servos and springs against limits, high speeds, chains.
local impel = require "impel"
local SOLVERS = require("support.kinds").solvers

local function force_of(joint, kind)
  for row in joint:rows() do if row.kind == kind then return row.force, row.clamped end end
end

describe("a motor and the limit of its coordinate", function()
  for _, solver in ipairs(SOLVERS) do
    it("separate within two steps of a reversal at any torque under " .. solver, function()
      for _, slides in ipairs { false, true } do
        for _, side in ipairs { 1, -1 } do
          for e = 2, 7 do
            local torque, world = 10 ^ e, impel.world { gravity = { 0, 0 }, sleep = false, solver = solver }
            local arm = world:body { mass = 1 }
            arm:box { 1, 0.2 }
            local make = slides and world.prismatic or world.revolute
            local joint = make(world, world.ground, arm, { limit = { -0.5, 0.5 },
              motor = { speed = 2 * side, max_force = torque } })
            world:step(60)
            assert.near(0.5 * side, joint.value, 1e-4) -- the soft solver computes in floats
            local pressed, clamped = force_of(joint, "motor")
            assert.near(torque, side * pressed, 1e-5 * torque) -- the motor exerts its largest torque
            assert.is_true(clamped)
            local limit = force_of(joint, side > 0 and "upper_limit" or "lower_limit")
            assert.near(torque, -side * limit, 1e-5 * torque) -- the limit exerts the opposite torque
            joint.motor_speed = -2 * side
            world:step(2)
            assert.near(-2 * side, joint.speed, 1e-3)
            assert.is_true(world:residual().velocity < 1e-3)
          end
        end
      end
    end)
  end

  it("separate after a reversal of the target, if a servo or a spring replaces the motor", function()
    for _, solver in ipairs(SOLVERS) do
      for _, drive in ipairs { { servo = { target = 3, max_force = 1e5 } },
                               { spring = { stiffness = 1e5, damping = 1e3, target = 3 } } } do
        local world = impel.world { gravity = { 0, 0 }, sleep = false, solver = solver }
        local arm = world:body { mass = 1 }
        arm:box { 1, 0.2 }
        drive.limit = { -0.5, 0.5 }
        local joint = world:revolute(world.ground, arm, drive)
        world:step(60)
        assert.near(0.5, joint.value, 1e-3) -- 1 mrad: deflection of a soft limit in one step
        joint.target = -3
        world:step(2)
        assert.is_true(joint.value < 0.49, solver)
      end
    end
  end)
end)

describe("a limit", function()
  it("is not passed, and adds no speed, at any speed and step rate", function()
    for _, solver in ipairs(SOLVERS) do
      for _, most in ipairs { math.huge, 1e7 } do
        for _, rate in ipairs { 30, 144 } do
          for _, speed in ipairs { -200, -5, 5, 200 } do
            local world = impel.world { gravity = { 0, 0 }, sleep = false, solver = solver, dt = 1 / rate }
            local wheel = world:body { mass = 1, angular_velocity = speed }
            wheel:circle { radius = 0.5 }
            local joint = world:revolute(world.ground, wheel,
              { limit = { lower = -0.73, upper = 0.73, max_force = most } })
            for _ = 1, rate do
              world:step()
              assert.is_true(math.abs(joint.value) < 0.73 + 1e-3, solver)
            end
            assert.near(0, joint.speed, 1e-4)
          end
        end
      end
    end
  end)
end)

describe("a chain whose links have springs", function()
  it("gains no energy with solver reduced at large rotations per step", function()
    for _, links in ipairs { 6, 12 } do
      local world, parts, last = impel.world { sleep = false, solver = "reduced" }, {}, nil
      for i = 1, links do
        local link = world:body { position = { 0.25 * i - 0.125, 0 }, mass = 1 }
        link:box { 0.25, 0.05, group = -1 }
        world:revolute(last or world.ground, link, { anchor = { 0.25 * (i - 1), 0 },
          spring = { hertz = 4, damping_ratio = 0.2, target = 0 } })
        parts[i], last = link, link
      end
      local most = 0
      for _ = 1, 240 do
        world:step()
        local energy = (world:energy())
        for _, link in ipairs(parts) do energy = energy + link.mass * 9.81 * select(2, link:position()) end
        most = math.max(most, energy)
      end
      assert.is_true(most < 0.01 * links ^ 2 * 0.125 * 9.81) -- 1 % of the energy of the fall
    end
  end)
end)

describe("ten links with a load of ten times a link's mass, hanging at rest, with solver si", function()
  local function worst_gap(ratio, iterations)
    local world = impel.world { solver = "si", sleep = false, iterations = iterations }
    local last, worst = world.ground, 0
    for i = 1, 11 do
      local link = i <= 10 and world:body { position = { 0, 0.25 - 0.5 * i }, mass = 1, inertia = 0.25 / 12 }
        or world:body { position = { 0, -5 }, mass = ratio, inertia = 0.01 * ratio }
      world:revolute(last, link, { anchor = { 0, 0.5 - 0.5 * i } })
      last = link
    end
    for _ = 1, 600 do
      world:step()
      local _, y = last:position()
      worst = math.max(worst, math.abs(y + 5))
    end
    return worst
  end

  it("need 25 sweeps, and 200 with a load of 100 times a link's mass", function()
    assert.is_true(worst_gap(10, 10) > 1)
    assert.is_true(worst_gap(10, 20) > 1)
    assert.is_true(worst_gap(10, 25) < 0.017)
    assert.is_true(worst_gap(10, 30) < 0.014)
    assert.is_true(worst_gap(100, 100) > 1)
    assert.is_true(worst_gap(100, 200) < 0.015)
  end)
end)
