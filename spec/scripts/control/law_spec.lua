-- impel.law and other implicit controllers with five solvers, at gains beyond the stability bound of an explicit law.
-- Their motion is compared with closed forms and RK4. Also chains, slides, friction, impel.stability, misuse.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

local m = impel.math
local SOLVERS = { "soft", "si", "direct", "reduced", "rattle" }
local BOUND = impel.stability.bound { inertia = 1, kd = 10, period = 1 / 240 } -- 225600 N m/rad

local function world_of(solver, options)
  local o = { gravity = { 0, 0 }, sleep = false, solver = solver, dt = 1 / 60, substeps = 4 }
  for key, value in pairs(options or {}) do o[key] = value or nil end
  return impel.world(o)
end

-- Build an inertia of 1 kg m^2 on a pin, or a mass of 1 kg on a rail.
local function wheel(solver, options)
  local world = world_of(solver, options)
  local body = world:body { mass = 1, inertia = 1 }
  return world, world:revolute(world.ground, body, { name = "hub" }), body
end

local function slide(solver, options)
  local world = world_of(solver, options)
  local body = world:body { mass = 1, inertia = 1 }
  return world, world:prismatic(world.ground, body, { axis = { 1, 0 } }), body
end

-- Integrate q'' = f(q, q') over t by fourth-order Runge-Kutta in n steps.
local function rk4(f, q, v, t, n)
  local h = t / n
  for _ = 1, n do
    local a1 = f(q, v)
    local v2 = v + 0.5 * h * a1
    local a2 = f(q + 0.5 * h * v, v2)
    local v3 = v + 0.5 * h * a2
    local a3 = f(q + 0.5 * h * v2, v3)
    local v4 = v + h * a3
    local a4 = f(q + h * v3, v4)
    q, v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
  end
  return q, v
end

-- Return the solution of x'' = -p (x - 1) - d x' at t, from rest at 0.
local function swing(p, d, t)
  local turn = m.sqrt(p - d * d / 4)
  return 1 - m.exp(-d / 2 * t) * (m.cos(turn * t) + d / (2 * turn) * m.sin(turn * t))
end

for _, solver in ipairs(SOLVERS) do
  describe("an implicit law under " .. solver, function()
    local makers = {
      law = function(joint, kp, implicit)
        return impel.law(joint, { force = function(q, v) return kp * (1 - q) - 10 * v end, implicit = implicit })
      end,
      pd = function(joint, kp, implicit)
        return impel.pd(joint, { kp = kp, kd = 10, target = 1, implicit = implicit })
      end,
    }
    for name, make in pairs(makers) do
      it("reaches its target after the transient, from 1 to 1e6 times the explicit bound: impel." .. name, function()
        for _, part in ipairs { 1, 10, 1e3, 1e6 } do
          local world, joint, body = wheel(solver)
          make(joint, part * BOUND, true)
          local most = 0
          for _ = 1, 180 do
            world:step()
            most = math.max(most, math.abs(joint.value - 1))
          end
          assert.is_true(most <= 1) -- the amplitude is at most the initial deflection
          -- After 3 s the deflection is e^-15 of its initial size. The solver `soft` uses single precision.
          assert.near(1, joint.value, 1e-6)
          assert.near(0, body.angular_velocity, 1e-4)
        end
      end)

      it("is accurate within the transient for small w h: impel." .. name, function()
        local kp = 1e-3 * BOUND -- w h = 0.06
        local world, joint = wheel(solver)
        make(joint, kp, true)
        for _ = 1, 60 do
          world:step()
          -- Implicit Euler has an error of first order, w h.
          assert.near(swing(kp, 10, world.time), joint.value, 0.06)
        end
      end)
    end

    it("with implicit = false diverges at 4 times the explicit bound", function()
      local warn = impel.stability.on_warning
      local told = {}
      impel.stability.on_warning = function(text) told[#told + 1] = text end
      local world, joint = wheel(solver)
      makers.law(joint, 4 * BOUND, false)
      local most = 0
      for _ = 1, 30 do
        if most > 100 then break end
        world:step()
        most = math.max(most, math.abs(joint.value - 1))
      end
      impel.stability.on_warning = warn
      assert.is_true(most > 10) -- the explicit law diverges; the initial deflection is 1 rad
      assert.equal(1, #told)
      assert.truthy(told[1]:find("implicit = true", 1, true))
    end)

    it("follows a cubic spring, with an error proportional to the substep", function()
      local function f(q, v) return -400 * q * q * q - 2 * v end
      local errors = {}
      for i, substeps in ipairs { 4, 8, 16 } do
        local world, joint, body = wheel(solver, { substeps = substeps })
        body.angle = 0.5
        impel.law(joint, { force = f })
        world:step(30)
        errors[i] = math.abs(joint.value - rk4(f, 0.5, 0, 0.5, 4000))
      end
      -- The error is of first order in w h. The stiffness 1200 q^2 is at most 300 N m/rad, so w h is at most 0.07.
      assert.is_true(errors[1] < 0.02)
      assert.is_true(errors[3] < errors[1] / 3) -- a quarter of the substep gives a quarter of the error
    end)

    it("holds a chain of three by stiff laws on each hinge", function()
      -- The solvers `soft` and `si` sweep over the hinges, so their sweeps must converge.
      local sweeps = solver == "soft" or solver == "si"
      local world = world_of(solver, { gravity = { 0, -10 }, iterations = sweeps and 128 })
      local last, laws, kp = world.ground, {}, 1e7
      for i = 1, 3 do
        local body = world:body { position = { i - 0.5, 0 }, mass = 1, inertia = 1 / 12 }
        local joint = world:revolute(last, body, { anchor = { i - 1, 0 } })
        laws[i] = impel.law(joint, { force = function(q, v) return -kp * q - kp * q ^ 3 - 1e3 * v end })
        last = body
      end
      world:step(240)
      for i, law in ipairs(laws) do
        local n = 4 - i -- number of outer links; the moment of their weight is m g l n^2 / 2
        local value = law.coordinate.value
        assert.near(5 * n * n / kp, -value, 1e-6) -- the solver `soft` uses single precision
      end
      assert.near(0, last.angular_velocity, 1e-3)
    end)

    it("adds no energy to a chain of three with potentials k q^4 / 4, k from 10 to 1e8", function()
      for _, k in ipairs { 10, 1e4, 1e8 } do
        local world = world_of(solver)
        local last, joints, bodies = world.ground, {}, {}
        for i = 1, 3 do
          local body = world:body { position = { i - 0.5, 0 }, mass = 1, inertia = 1 / 12 }
          joints[i], bodies[i] = world:revolute(last, body, { anchor = { i - 1, 0 } }), body
          impel.law(joints[i], { force = function(q) return -k * q ^ 3 end,
                                 derivatives = function(q) return -3 * k * q * q, 0 end })
          last = body
        end
        last.angular_velocity = 2
        world:step() -- the solver makes the velocities of all bodies satisfy the joints
        local function energy()
          local sum = 0
          for i = 1, 3 do
            sum = sum + bodies[i]:kinetic_energy() + k * joints[i].value ^ 4 / 4
          end
          return sum
        end
        local first = energy()
        for _ = 1, 240 do
          world:step()
          -- The energy oscillates by the fraction w h / 2 = 5 %, at the stiffness of 10 N m/rad^3. Twice that is
          -- allowed.
          assert.is_true(energy() <= 1.1 * first)
        end
      end
    end)

    it("with Stribeck friction stops a slide as RK4 does, and holds it under a load below static friction", function()
      local fc, fs, vs, e = 2, 3, 0.05, 1e-5 -- fc, fs [N]; vs, e [m/s]
      local function chord(v) return -(fc + (fs - fc) * m.exp(-(v / vs) ^ 2)) / m.sqrt(v * v + e * e) end
      local load = 0
      local world, joint, body = slide(solver)
      body:set_velocity(1, 0)
      impel.law(joint, { force = function(_, v) return chord(v) * v + load end,
                         derivatives = function(_, v) return 0, chord(v) end })
      world:step(60)
      local far = rk4(function(_, v) return v > 1e-3 and chord(v) * v or 0 end, 0, 1, 0.49, 49000)
      assert.near(far, joint.value, 1 / 240) -- motion at 1 m/s in a substep
      assert.near(0, joint.speed, 1e-6)
      -- Below the friction limit fs the slide creeps at e load / sqrt(fs^2 - load^2), because the law is smooth below
      -- the speed e.
      load = 2.9
      world:step(60)
      assert.near(e * load / m.sqrt(fs * fs - load * load), joint.speed, 1e-6)
      load = 4
      world:step(60)
      assert.is_true(joint.speed > 0.5)
    end)

    it("limits its force at the end of a substep to max_force; below the limit a steep law gives v = 1 - x", function()
      local world, joint = slide(solver)
      impel.law(joint, { force = function(q, v) return -1e8 * (q - 1) - 1e8 * v end, max_force = 2 })
      world:step(24) -- at its limit of 2 N the force gives x = t^2
      assert.near(0.16, joint.value, 0.8 / 240) -- motion in a substep
      -- When t^2 + 2 t = 1, the force falls below 2 N, and the law gives v = 1 - x.
      world:step(216)
      local turn = m.sqrt(2) - 1
      -- The error is of first order: the rate of decay of 1 - x has an error of h / 2.
      assert.near(2 * turn * m.exp(turn - 4), 1 - joint.value, 2e-4)
      assert.near(1 - joint.value, joint.speed, 1e-4) -- the speed of 0.023 m/s falls by 1e-4 m/s per substep
    end)
  end)
end

describe("an implicit muscle", function()
  -- Build a muscle that shortens from 0.4 m, with a body of 10 g at its end and a load of 50 N. The largest force is
  -- 1000 N at 0.3 m, the largest speed 3 m/s. `via` adds a via point on a body that is welded to the ground.
  local function pull(solver, implicit, via, substeps)
    local world = world_of(solver, { substeps = substeps })
    local body = world:body { mass = 0.01, inertia = 1e-4, position = { 0.4, 0 } }
    world:prismatic(world.ground, body, { axis = { 1, 0 } })
    local post = world:body { mass = 1, inertia = 1, position = { 0.1, 0 } }
    world:weld(world.ground, post, {})
    local path = { { world.ground, 0, 0 }, via and { post, 0, 0 } or { body, 0, 0 }, via and { body, 0, 0 } or nil }
    local muscle = impel.muscle(path, { max_force = 1000, optimal_length = 0.3, excitation = 1, activation = 1,
                                        passive = false, implicit = implicit })
    world:on("substep", function() body:apply_force(50, 0) end)
    return world, muscle, body
  end

  -- The solver `rattle` is left out: on this scene it converges more slowly than these solvers.
  for _, solver in ipairs { "soft", "si", "direct", "reduced" } do
    it("shortens as RK4 of Hill's law does, with a body far too light for an explicit muscle: " .. solver, function()
      for _, via in ipairs { false, true } do
        local world, muscle, body = pull(solver, true, via, 4)
        assert.equal(1, #muscle.coordinates)
        world:step(3)
        local finer, _, other = pull(solver, true, via, 32)
        finer:step(3)
        local function f(l, v)
          local force = muscle:force_length(l / 0.3) * muscle:force_velocity(v / 3)
          return (50 - 1000 * force) / 0.01
        end
        local x = rk4(f, 0.4, 0, 0.05, 20000)
        local error = math.abs(body:position() - x)
        assert.is_true(error < 4 * 3 / 240) -- motion at 3 m/s in four substeps
        -- With 1 / 8 of the substep the error falls to 1 / 8.
        assert.is_true(math.abs(other:position() - x) < error / 4)
        local part, _, _, limit = impel.stability.of(muscle)
        assert.equal(0, part)
        assert.truthy(limit:find("implicit", 1, true))
        assert.is_true(flat(function()
          body:set_position(0.4, 0)
          world:step()
        end, 300) <= 300) -- set_spring interns field names once
      end
    end)
  end

  it("stays finite where its explicit twin diverges in the first substeps", function()
    local world, muscle = pull("si", false, false)
    local most = 0
    world:on("substep", function() most = math.max(most, math.abs(muscle.speed)) end)
    world:step()
    assert.is_true(most > 100) -- more than 100 m/s, although the muscle's limit is 3 m/s
  end)
end)

describe("impel.law", function()
  it("uses given or numerical derivatives of the force; one that would destabilize counts as 0", function()
    local world, joint, body = wheel "si"
    body.angle = 0.5
    local law = impel.law(joint, { force = function(q, v) return 3 * q - 7 * q ^ 3 - 2 * v + 5 * v ^ 2 end })
    law:linearise()
    assert.near(21 * 0.25 - 3, law.kp, 1e-7) -- central differences have an error of second order
    assert.near(2, law.kd, 1e-7)
    law.derivatives = function() return 4, -6 end
    world:step()
    assert.equal(0, law.kp)
    assert.equal(6, law.kd)
  end)

  it("passes time and itself to its function, and equals pd for small slopes", function()
    local ends = {}
    for i = 1, 2 do
      local world, joint = wheel "si"
      if i == 1 then
        impel.law(joint, { force = function(q, v, t, law)
          assert.equal(world, law.world)
          return 20 * (0.3 - q) - v + t
        end, implicit = false })
      else
        impel.pd(joint, { kp = 20, kd = 1, target = 0.3, feed_forward = function(_, t) return t end })
      end
      world:step(60)
      ends[i] = joint.value
    end
    assert.near(ends[2], ends[1], 1e-12)
  end)

  it("becomes passive and active without a jump, and releases its drives", function()
    local world, joint, body = wheel "si"
    local law = impel.law(joint, { force = function(q, v) return -1e6 * q - 10 * v end })
    world:step()
    law.enabled = false
    world:step()
    body.angular_velocity = 1
    world:step(60)
    assert.near(1, joint.speed, 1e-12)
    assert.is_nil(law.coordinate:drives().spring)
    law.enabled = true
    world:step(120)
    assert.near(0, joint.value, 1e-6)
    law:destroy()
    assert.is_nil(law.coordinate:drives().spring)
  end)

  it("continues from a snapshot to the bit", function()
    local world, joint, body = wheel "soft"
    body.angle = 0.4
    impel.law(joint, { force = function(q, v) return -1e5 * q ^ 3 - v end })
    world:step(10)
    local state = world:snapshot()
    world:step(20)
    local value = joint.value
    world:restore(state)
    world:step(20)
    assert.equal(value, joint.value)
  end)

  it("makes no garbage", function()
    for _, derivatives in ipairs { false, function(q) return -3e6 * q * q, -1 end } do
      local world, joint, body = wheel "soft"
      body.angle = 0.5
      impel.law(joint, { force = function(q, v) return -1e6 * q * q * q - v end, derivatives = derivatives or nil })
      local bytes = flat(function() world:step() end, 1000)
      assert.is_true(bytes <= 300, bytes .. " bytes") -- set_spring interns field names once
    end
  end)

  it("refuses invalid arguments", function()
    local world, joint = wheel "si"
    raises("impel.law needs the field 'force'", impel.law, joint, {})
    raises("field 'force' must be a function, got 3", impel.law, joint, { force = 3 })
    raises("bad field 'derivative' in impel.law (did you mean 'derivatives'?)", impel.law, joint,
      { force = print, derivative = print })
    local answer, slope = 0 / 0, 0
    local law = impel.law(joint, { force = function() return answer end, derivatives = function() return 0, slope end })
    raises("impel.law: its force must give a finite number [N or N m], got nan", world.step, world)
    answer, slope = 1, "x"
    for wrong, shown in pairs { x = "'x' (string)", [math.huge] = "inf", [-math.huge] = "-inf" } do
      slope = wrong
      local ok, message = pcall(world.step, world)
      assert.is_false(ok)
      local line = debug.getinfo(law.derivatives, "S").linedefined
      assert.truthy(message:find(("law_spec.lua:%d: impel.law: its derivatives must give two finite numbers, got %s")
        :format(line, shown), 1, true), message)
    end
    slope = 0 / 0
    raises("impel.law: its derivatives must give two finite numbers, got nan", world.step, world)
    slope = 0
    law.max_force = -1
    raises("field 'max_force' must be a number >= 0 [N or N m], got -1", world.step, world)
    law.max_force = 1
    raises("field 'implicit' cannot change", function() law.implicit = nil law.implicit = false end)
  end)
end)

describe("impel.stability", function()
  it("reports the limits of implicit laws, and warns about none of them", function()
    local world, joint = wheel "si"
    local told = 0
    local laws = {
      impel.stable_pd(joint, { kp = 240 * 240 * 9, kd = 1, enabled = false }),
      impel.pd(joint, { kp = 240 * 240 * 9, kd = 1, implicit = true, enabled = false }),
      impel.law(joint, { force = function(q, v) return -240 * 240 * 9 * q - v end, enabled = false }),
    }
    for _, law in ipairs(laws) do
      law.on_warning = function() told = told + 1 end
      law.enabled = true
      world:step()
      law.enabled = false
      local part, most, inertia, limit = impel.stability.of(law)
      assert.equal(0, part)
      assert.equal(math.huge, most)
      assert.near(1, inertia, 1e-9)
      for _, words in ipairs { "implicit: stable at any gain", "w h = 3 ", "damped", "max_force" } do
        assert.truthy(limit:find(words, 1, true), limit)
      end
      raises("is implicit", impel.stability.radius, { law })
    end
    assert.equal(0, told)
    local slow = impel.law(joint, { force = function(q) return -24 * 24 * q end, enabled = false })
    assert.truthy(select(4, impel.stability.of(slow)):find("w h = 0.1 (h = 4.17 ms): the motion is accurate", 1, true))
    slow:destroy()
    -- At 240 Hz, w h is 2. The poles are -5 and -w^2 / 5 [1/s], so substeps resolve the slow motion, exp(-5 t).
    local kp = (2 * 240) ^ 2
    local kd = 5 + kp / 5
    local creeps = impel.law(joint, { force = function(q, v) return -kp * q - kd * v end, enabled = false })
    local words = select(4, impel.stability.of(creeps))
    assert.truthy(words:find("w h = 2 (h = 4.17 ms): the slow motion (time constant "
      .. "0.2 s) is accurate, the fast motion (2.17e-05 s) is damped within substeps", 1, true), words)
    local other, hub, body = wheel "si"
    body.angle = 0.3
    impel.law(hub, { force = function(q, v) return -kp * q - kd * v end })
    other:step(24)
    local exact = 0.3 * m.exp(-5 * other.time)
    -- For a pole at -p, p = 5 [1/s], the relative error of implicit Euler is p^2 h t / 2. A tenth more is allowed.
    assert.near(exact, hub.value, 1.1 * exact * 25 / 240 * other.time / 2)
    creeps:destroy()
    local explicit = impel.law(joint, { force = function(q, v) return -BOUND / 2 * q - 10 * v end, implicit = false,
                                        enabled = false })
    assert.near(0.5, impel.stability.of(explicit), 1e-6) -- kp comes from finite differences of the force
  end)
end)
