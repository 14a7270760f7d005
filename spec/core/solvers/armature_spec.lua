-- Armature, damping and friction of coordinates under every solver: motion of chains, order of the error, energy, dry
-- friction, impulses, locks, snapshots.
local impel = require "impel"
local measure = require "support.measure"
local near = measure.near

local rigs = require "core.solvers.armature_rigs"
local solvers, new_world, chain = rigs.solvers, rigs.new_world, rigs.chain
local L, MASS, G, INERTIA = rigs.L, rigs.MASS, rigs.G, rigs.INERTIA
local HINGE = INERTIA + MASS * L * L / 4 -- inertia of a rod about its end

-- Return the accelerations of the joint angles q. The mass matrix is first computed for the absolute angles of the
-- rods. Entry (i, k) for joint angles is the sum of the entries with row >= i and column >= k. The armature is added to
-- the diagonal.
local function accelerations(n, q, w, armature, damping)
  local angle, rate, M, f = {}, {}, {}, {}
  for i = 1, n do
    angle[i], rate[i] = (angle[i - 1] or 0) + q[i], (rate[i - 1] or 0) + w[i]
  end
  for i = 1, n do
    M[i], f[i] = {}, -MASS * G * L * (0.5 + n - i) * math.cos(angle[i])
    for k = 1, n do
      local size = i == k and HINGE + MASS * L * L * (n - i) or MASS * L * L * (0.5 + n - math.max(i, k))
      M[i][k] = size * math.cos(angle[i] - angle[k])
      f[i] = f[i] - size * math.sin(angle[i] - angle[k]) * rate[k] ^ 2
    end
  end
  for i = n - 1, 1, -1 do
    f[i] = f[i] + f[i + 1]
    for k = 1, n do M[i][k] = M[i][k] + M[i + 1][k] end
  end
  for i = 1, n do
    for k = n - 1, 1, -1 do M[i][k] = M[i][k] + M[i][k + 1] end
  end
  for i = 1, n do
    M[i][i], f[i] = M[i][i] + armature, f[i] - damping * w[i]
  end
  for p = 1, n do
    for i = p + 1, n do
      local x = M[i][p] / M[p][p]
      for k = p, n do M[i][k] = M[i][k] - x * M[p][k] end
      f[i] = f[i] - x * f[p]
    end
  end
  for i = n, 1, -1 do
    for k = i + 1, n do f[i] = f[i] - M[i][k] * f[k] end
    f[i] = f[i] / M[i][i]
  end
  return f
end

-- Return the joint angles after `seconds`, by the classical Runge-Kutta method of order 4 with an error below 1e-9.
local function integrate(n, armature, damping, seconds)
  local q, w, h = {}, {}, 1e-3
  for i = 1, n do q[i], w[i] = 0, 0 end
  local function moved(x, rate, by)
    local y = {}
    for i = 1, n do y[i] = x[i] + by * rate[i] end
    return y
  end
  for _ = 1, math.floor(seconds / h + 0.5) do
    local a1 = accelerations(n, q, w, armature, damping)
    local w2 = moved(w, a1, h / 2)
    local a2 = accelerations(n, moved(q, w, h / 2), w2, armature, damping)
    local w3 = moved(w, a2, h / 2)
    local a3 = accelerations(n, moved(q, w2, h / 2), w3, armature, damping)
    local w4 = moved(w, a3, h)
    local a4 = accelerations(n, moved(q, w3, h), w4, armature, damping)
    for i = 1, n do
      q[i] = q[i] + h / 6 * (w[i] + 2 * w2[i] + 2 * w3[i] + w4[i])
      w[i] = w[i] + h / 6 * (a1[i] + 2 * a2[i] + 2 * a3[i] + a4[i])
    end
  end
  return q
end

local SECONDS = 0.5
local references = {} -- results of `integrate`

local function error_of(solver, n, armature, damping, rate, expected)
  local world = new_world(solver, { dt = 1 / rate })
  local joints = chain(world, n, { armature = armature, damping = damping > 0 and damping or nil })
  world:step(math.floor(SECONDS * rate + 0.5))
  local worst = 0
  for i, joint in ipairs(joints) do worst = math.max(worst, math.abs(joint.value - expected[i])) end
  world:destroy()
  return worst
end

local ORDERS = { reduced = 4, rattle = 2, direct = 2 } -- order of the error in dt; 1 for other solvers
local RATES = { reduced = { 60, 120 }, rattle = { 240, 480 }, direct = { 240, 480 } }

describe("armature", function()
  for _, solver in ipairs(solvers) do
    it(("moves chains of 1 to 5 rods with an error of the solver's order (%s)"):format(solver), function()
      local order, rates = ORDERS[solver] or 1, RATES[solver] or { 480, 960 }
      for _, n in ipairs { 1, 2, 3, 5 } do
        for _, armature in ipairs { 0.01, 0.1, 1, 10 } do
          for _, damping in ipairs { 0, 0.3 } do
            local key = ("%d %g %g"):format(n, armature, damping)
            references[key] = references[key] or integrate(n, armature, damping, SECONDS)
            local expected = references[key]
            local coarse = error_of(solver, n, armature, damping, rates[1], expected)
            local fine = error_of(solver, n, armature, damping, rates[2], expected)
            local found = math.log(coarse / fine) / math.log(2)
            local text = ("%s n=%d R=%g d=%g: %.2e, %.2e, order %.2f"):format(solver, n, armature, damping, coarse,
              fine, found)
            if os.getenv "IMPEL_SHOW" then print(text) end
            -- Direct integrates damping by implicit Euler, which has order 1.
            local asked = solver == "direct" and damping > 0 and 1 or order
            -- 1e-9 is the error of `integrate`.
            assert.is_true(found > asked - 0.3 or fine < 1e-9, text)
          end
        end
      end
    end)
  end

  it("does not add energy", function()
    -- Largest gain of energy, divided by the energy of the fall.
    local known = { reduced = 1e-4, rattle = 1e-3, direct = 1e-3, soft = 0.01, si = 0.01 }
    for _, solver in ipairs(solvers) do
      local world = new_world(solver, { dt = 1 / 120 })
      chain(world, 2, { armature = 1 })
      local kinetic, potential = world:energy()
      local start, most = kinetic + potential, -math.huge
      for _ = 1, 30 * 120 do
        world:step()
        kinetic, potential = world:energy()
        most = math.max(most, kinetic + potential)
      end
      local fall = 2 * MASS * G * L -- energy of the fall [J]
      if os.getenv "IMPEL_SHOW" then print(solver, "energy gained", (most - start) / fall) end
      assert.is_true(most - start < (known[solver] or 1e-3) * fall, ("%s: %g J"):format(solver, most - start))
      world:destroy()
    end
  end)

  it("adds to the inertia that an impulse accelerates; a rotor takes the speed that a script sets", function()
    for _, solver in ipairs(solvers) do
      local world = new_world(solver, { gravity = { 0, 0 }, dt = 1e-3, iterations = 200 }) -- 200: si converges
      local joints, bodies = chain(world, 1, { armature = 0.7 })
      world:step()
      bodies[1]:apply_angular_impulse(2)
      world:step()
      near(2 / (HINGE + 0.7), joints[1].speed, 1e-3, solver .. ": speed after an impulse [rad/s]")
      bodies[1].angular_velocity = 3
      bodies[1]:set_velocity(0, 1.5 * L)
      world:step()
      near(3, joints[1].speed, 1e-3, solver .. ": speed that was set [rad/s]")
      near(0.5 * (HINGE + 0.7) * 9, (world:energy()), 1e-2, solver .. ": kinetic energy of link and rotor [J]")
    end
  end)

  it("stops with a lock, and starts from rest when it is unlocked", function()
    for _, solver in ipairs(solvers) do
      local world = new_world(solver, { gravity = { 0, 0 }, dt = 1e-3 })
      local joints, bodies = chain(world, 1, { armature = 0.7 })
      local angle = joints[1]:coordinate "angle"
      bodies[1]:apply_angular_impulse(2)
      world:step(10)
      angle:set_lock()
      world:step(300) -- some solvers correct lock errors through the velocity
      near(0, (world:energy()), 1e-6, solver .. ": energy of a locked hinge [J]")
      angle:set_lock(false)
      world:step(10)
      near(0, joints[1].speed, 1e-3, solver .. ": speed once unlocked [rad/s]")
    end
  end)

  it("is restored by snapshots to the bit; a change of the solver keeps the rotors' energy", function()
    for _, solver in ipairs(solvers) do
      local world = new_world(solver)
      chain(world, 3, { armature = 0.4, damping = 0.1, friction = 0.2 })
      world:step(77)
      local start = world:snapshot()
      world:step(100)
      local hash, other = world.hash, impel.world {}
      world:restore(start)
      world:step(100)
      assert.equal(hash, world.hash)
      other:restore(start)
      other:step(100)
      assert.equal(hash, other.hash)
      for _, next_solver in ipairs(solvers) do
        world:restore(start)
        local energy = (world:energy())
        world.solver = next_solver
        assert.equal(energy, (world:energy()))
      end
      world:restore(start)
      for _, joint in ipairs(world:export().joints) do
        assert.same({ 0.4, 0.1, 0.2 }, { joint.armature, joint.damping, joint.friction })
      end
    end
  end)
end)


describe("dry friction of a coordinate", function()
  it("holds a load below its limit", function()
    for _, solver in ipairs(solvers) do
      local world = new_world(solver, { dt = 1e-3 })
      local held = chain(world, 1, { friction = 1.02 * MASS * G * L / 2 })
      world:step(1000)
      near(0, held[1].value, 2e-3, solver .. ": angle under a load below the limit [rad]")
      world:destroy()
    end
  end)
end)

describe("a hopper of four links with armature 1", function()
  -- A planar hopper falls from 0.3 m. Random torques act, each constant for 8 ms.
  local SIZES = { { 0.4, 3.5 }, { 0.45, 3.9 }, { 0.5, 2.7 }, { 0.39, 5 } } -- length [m], mass [kg]

  local function hop(seed, options)
    local rng, world = impel.rng.new(seed), new_world("soft", { dt = 0.002 })
    world:body { type = "static" }:box { 40, 1, center = { 0, -0.55 } }
    local joints, worst, y, last = {}, 0, 1.65
    for i, size in ipairs(SIZES) do
      local foot = i == #SIZES
      local body = world:body { position = foot and { 0.1, y } or { 0, y - size[1] / 2 }, mass = size[2],
        inertia = size[2] * size[1] ^ 2 / 12 }
      body:box { foot and size[1] or 0.1, foot and 0.1 or size[1], density = 0, group = -1 }
      if last then
        joints[#joints + 1] = world:revolute(last, body, { anchor = { 0, y }, armature = 1, damping = 1 })
      end
      y, last = y - size[1], body
    end
    for step = 1, 2500 do
      for _, joint in ipairs(step % 4 == 1 and joints or {}) do
        joint:coordinate():set_force(options.torque * (2 * rng:random() - 1))
      end
      world:step()
      for _, joint in ipairs(joints) do worst = math.max(worst, joint.separation) end
    end
    world:destroy()
    return worst
  end

  it("has joint errors below 5 mm with solver soft for 5 s", function()
    for seed = 1, 3 do
      for _, torque in ipairs { 10, 100 } do
        local worst = hop(seed, { torque = torque })
        near(0, worst, 5e-3, ("seed %d, up to %d N m: joint open [m]"):format(seed, torque))
      end
    end
  end)
end)

describe("an impulse before the first step", function()
  it("moves a link and its rotor together", function()
    for _, solver in ipairs(solvers) do
      local world = new_world(solver, { gravity = { 0, 0 } })
      local body = world:body { mass = 1, inertia = 0.067 }
      local joint = world:revolute(world.ground, body, { armature = 0.7 })
      body:apply_angular_impulse(2)
      world:step()
      near(2 / 0.767, joint.speed, 1e-5, solver .. ": speed after P [rad/s]")
      world:destroy()
    end
  end)
end)

describe("a pendulum with dry friction", function()
  it("loses friction times path, and stops at an angle that friction holds", function()
    local torque = 0.01 * MASS * G * L / 2
    for _, solver in ipairs { "soft", "direct", "reduced", "rattle" } do
      local world = new_world(solver, { dt = 1e-3 })
      local joints = chain(world, 1, { friction = torque })
      local joint, way, last = joints[1], 0, joints[1].value
      local function energy()
        local kinetic, potential = world:energy()
        return kinetic + potential
      end
      local began = energy()
      for _ = 1, 4000 do
        world:step()
        way, last = way + math.abs(joint.value - last), joint.value
      end
      -- Tolerance: without friction, the solvers lose or gain up to 2 % of torque * way.
      near(1, (began - energy()) / (torque * way), 0.02, solver .. ": energy lost / (friction * path)")
      world:destroy()
    end
  end)
end)

describe("a rotor behind a sliding coordinate of a turning frame, with solver acceleration", function()
  -- An arm of 0.1 kg m^2 about its pin at the origin carries a slider of m = 2 kg and 0.3 kg m^2. R [kg] is the
  -- armature of the sliding coordinate r, L the angular momentum:
  --   (m + R) r'' = m r w^2,   (0.4 + m r^2) w = L,   r(0) = 0.5, r'(0) = 0, w(0) = 3
  local function radius_of(r_inertia, t, steps)
    local m, i = 2, 0.4
    local r, v, l, h = 0.5, 0, (i + m * 0.25) * 3, t / steps
    local function acceleration(x)
      local w = l / (i + m * x * x)
      return m * x * w * w / (m + r_inertia)
    end
    for _ = 1, steps do
      local a1 = acceleration(r)
      local a2 = acceleration(r + 0.5 * h * v)
      local a3 = acceleration(r + 0.5 * h * v + 0.25 * h * h * a1)
      local a4 = acceleration(r + h * v + 0.5 * h * h * a2)
      r, v = r + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    end
    return r
  end

  local function radius_error(r_inertia, rate)
    local world = impel.world { solver = "acceleration", sleep = false, dt = 1 / rate, gravity = { 0, 0 } }
    local arm = world:body { mass = 1, inertia = 0.1, angular_velocity = 3 }
    local slider = world:body { position = { 0.5, 0 }, mass = 2, inertia = 0.3, angular_velocity = 3,
      velocity = { 0, 1.5 } }
    world:revolute(world.ground, arm, { anchor = { 0, 0 } })
    world:prismatic(arm, slider, { anchor = { 0, 0 }, axis = { 1, 0 } }):coordinate("x").armature = r_inertia
    world:step(2 * rate)
    local x, y = slider:position()
    return math.sqrt(x * x + y * y) / radius_of(r_inertia, 2, 2000) - 1
  end

  it("follows its equations of motion with an error of order h, with a heavy rotor of order h^2", function()
    for _, r_inertia in ipairs { 0.1, 1, 10, 100, 1000 } do
      local coarse, fine = math.abs(radius_error(r_inertia, 60)), math.abs(radius_error(r_inertia, 240))
      -- The arm's pin has an error of first order in h w = 0.05.
      assert.is_true(coarse < 4e-3, r_inertia .. ": " .. coarse)
      -- The error ratio is 4 at first order, 16 at second order.
      assert.is_true(fine < coarse / 3.5, r_inertia .. ": " .. fine)
    end
    -- The error of a heavy rotor is of second order: (h w)^2 / 12 = 2e-4.
    assert.is_true(math.abs(radius_error(1000, 60)) < 2e-4)
  end)

  local kinds = {
    pin_slot = { "x", "y" }, wheel = { "x" }, prismatic = { "x" }, revolute = { "x", "y" }, pose = { "x", "y" },
    distance = { 1 }, rope = { 1 },
  }

  -- Drop a double pendulum of bodies of 1 and 2 kg. Return the largest gain of energy.
  local function most_gained(kind, index, r_inertia, rate)
    local world = impel.world { solver = "acceleration", sleep = false, dt = 1 / rate }
    local a = world:body { position = { 0.5, 0 }, mass = 1, inertia = 0.1 }
    local b = world:body { position = { 1.5, 0.2 }, mass = 2, inertia = 0.3 }
    world:revolute(world.ground, a, { anchor = { 0, 0 } })
    local options = index == 1 and { anchor_a = { 1, 0 }, anchor_b = { 1.5, 0.2 } } or { anchor = { 1, 0 } }
    local coordinate = world[kind](world, a, b, options):coordinate(index)
    coordinate:release()
    coordinate.armature = r_inertia
    local faults = 0
    world:on("fault", function() faults = faults + 1 end)
    local kinetic, potential = world:energy()
    local start, most = kinetic + potential, 0
    for _ = 1, 10 * rate do
      world:step()
      kinetic, potential = world:energy()
      most = math.max(most, kinetic + potential - start)
    end
    assert.equal(0, faults)
    return most
  end

  it("adds no energy, for all kinds of joints, inertias and steps", function()
    for kind, indices in pairs(kinds) do
      for _, index in ipairs(indices) do
        for _, r_inertia in ipairs { 0.1, 1, 10, 100, 1000 } do
          for _, rate in ipairs { 30, 60, 120, 480 } do
            local most = most_gained(kind, index, r_inertia, rate)
            assert.is_true(most < 1e-9, ("%s.%s, R = %g, %d Hz: %g J"):format(kind, index, r_inertia, rate, most))
          end
        end
      end
    end
  end)

  it("stays in place if a motor holds it", function()
    local world = impel.world { solver = "acceleration", sleep = false, gravity = { 0, 0 } }
    local arm = world:body { mass = 1, inertia = 10, angular_velocity = 3 }
    local slider = world:body { position = { 0.5, 0 }, mass = 2, inertia = 0.3, angular_velocity = 3,
      velocity = { 0, 1.5 } }
    world:revolute(world.ground, arm, { anchor = { 0, 0 } })
    local x = world:prismatic(arm, slider, { anchor = { 0, 0 }, axis = { 1, 0 } }):coordinate("x")
    x.armature = 100
    x:set_motor { speed = 0, max_force = 1e6 }
    world:step(60)
    -- A motor that kept the speed constant would move the slider outward by h w^2 r / 2 = 0.04 m/s in each substep.
    local px, py = slider:position()
    -- The error is of second order in h w, with step h and angular velocity w.
    assert.near(0.5, math.sqrt(px * px + py * py), 1e-4)
  end)
end)
