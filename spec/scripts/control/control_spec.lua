-- Controllers of joints: pd, pid, stable_pd and servo, compared with closed forms. Also the choice of gains, the
-- stability bound of explicit laws, reflected inertia, autotune.
local impel = require "impel"
local raises = require "support.raises"

local m, pi = impel.math, math.pi
local G = 9.81

-- Build a body on a pin through its centre of mass.
local function wheel(inertia, options)
  local o = { gravity = { 0, 0 }, sleep = false }
  for key, value in pairs(options or {}) do o[key] = value end
  local world = impel.world(o)
  local body = world:body { mass = 1, inertia = inertia or 1 }
  return world, world:revolute(world.ground, body, { name = "hub" }), body
end

-- Build a thin level rod of 1 kg and 1 m on a pin at its left end.
local function rod(options)
  local world = impel.world(options or { sleep = false })
  local body = world:body { position = { 0.5, 0 }, mass = 1, inertia = 1 / 12 }
  return world, world:revolute(world.ground, body, { anchor = { 0, 0 }, name = "pin" }), body
end

-- Return the frequency [Hz] and damping ratio of a free motion from its samples. A linear oscillator has q[k+2] = T
-- q[k+1] - D q[k], with trace T and determinant D of the matrix of one period.
local function identify(q, period)
  local xx, xy, yy, xz, yz = 0, 0, 0, 0, 0
  for k = 1, #q - 2 do
    local x, y, z = q[k + 1], -q[k], q[k + 2]
    xx, xy, yy, xz, yz = xx + x * x, xy + x * y, yy + y * y, xz + x * z, yz + y * z
  end
  local d = xx * yy - xy * xy
  local trace, det = (xz * yy - yz * xy) / d, (xx * yz - xy * xz) / d
  local radius = m.sqrt(det)
  local real, imaginary = m.log(radius) / period, m.acos(trace / (2 * radius)) / period
  local w = m.sqrt(real * real + imaginary * imaginary)
  return w / (2 * pi), -real / w
end

describe("impel.pd", function()
  for _, zeta in ipairs { 0.5, 0.7, 1 } do
    it(("overshoots by the closed form for the damping ratio %g, up to 1 Hz"):format(zeta), function()
      local world, joint = wheel(2)
      local w = 2 * pi
      impel.pd(joint, { kp = 2 * w * w, kd = 2 * zeta * 2 * w, target = 1 })
      local peak = 0
      for _ = 1, 240 do
        world:step()
        peak = math.max(peak, joint.value)
      end
      local over = zeta < 1 and m.exp(-pi * zeta / m.sqrt(1 - zeta * zeta)) or 0
      assert.near(over, peak - 1, 0.005) -- 0.5 %: the law is sampled at 240 Hz
    end)
  end

  for kp, sag in pairs { [50] = 0.0976, [200] = 0.0245 } do
    it(("sags by m g l / (2 kp) under a rod of mass m and length l: kp = %d"):format(kp), function()
      local world, joint = rod()
      impel.pd(joint, { kp = kp, kd = 12 })
      world:step(600)
      assert.near(sag, -joint.value, 0.01 * sag) -- +-1 %
      assert.near(G / 2 * m.cos(joint.value), -kp * joint.value, 1e-3) -- static equilibrium of torques [N m]
    end)
  end

  it("creeps with its slow pole if kd is too high", function()
    local world, joint = wheel(1)
    local kp, kd = 10, 20
    impel.pd(joint, { kp = kp, kd = kd, target = 1 })
    -- The modes decay at 0.513 / s and 19.5 / s. After 1 s only the slow mode remains.
    local slow = (kd - m.sqrt(kd * kd - 4 * kp)) / 2
    world:step(60)
    local before = 1 - joint.value
    world:step(120)
    assert.near(slow, m.log(before / (1 - joint.value)) / 2, 0.01 * slow) -- 1 %
  end)

  it("rings with the decrement of its damping ratio if kd is too low", function()
    local world, joint = wheel(1)
    local w, zeta = 2 * pi, 0.05
    impel.pd(joint, { kp = w * w, kd = 2 * zeta * w, target = 1 })
    local peaks, a, b = {}, 0, 0
    for _ = 1, 600 do
      world:step()
      local c = joint.value
      if b > a and b > c and b > 1 then
        local bend = a - 2 * b + c -- the vertex of the parabola through three samples
        peaks[#peaks + 1] = b - (c - a) ^ 2 / (8 * bend) - 1
      end
      a, b = b, c
    end
    local decrement = m.log(peaks[1] / peaks[6]) / 5
    local measured = decrement / m.sqrt(4 * pi * pi + decrement * decrement)
    assert.near(zeta, measured, 0.02 * zeta) -- +-2 %
  end)

  it("follows a sine of 1 Hz with feed-forward to 0.02 rad", function()
    local world, joint, body = rod()
    local inertia, w = 1 / 3, 2 * pi
    body:set_velocity(0, 0.25 * w)
    body.angular_velocity = 0.5 * w
    local pd = impel.pd(joint, { kp = 60, kd = 6 })
    pd.feed_forward = function(target, t)
      return G / 2 * m.cos(target) - inertia * 0.5 * w * w * m.sin(w * t)
    end
    world:on("substep", function() -- the handler runs after the controller, so the values apply to the next substep
      local t = world.time + world.dt / 4
      pd.target, pd.target_speed = 0.5 * m.sin(w * t), 0.5 * w * m.cos(w * t)
    end)
    local sum = 0
    for _ = 1, 180 do
      world:step()
      sum = sum + (joint.value - 0.5 * m.sin(w * world.time)) ^ 2
    end
    assert.near(0, m.sqrt(sum / 180), 0.02)
  end)

  it("limits its force, wraps its error, and accepts a number as feed-forward", function()
    local world, joint, body = wheel(1)
    body.angle = 3
    local pd = impel.pd(joint, { kp = 100, kd = 1, target = -3, max_force = 2, wrap = true })
    world:step()
    assert.equal(2, pd.force) -- the shorter way is 0.28 rad forward
    pd.wrap = false
    world:step()
    assert.equal(-2, pd.force)
    pd.kp, pd.kd, pd.feed_forward = 0, 0, 1.5
    world:step()
    assert.equal(1.5, pd.force)
  end)

  it("places the discrete poles at 3 Hz and damping ratio 0.7 for three inertias", function()
    for _, when in ipairs { "substep", "step" } do
      for _, inertia in ipairs { 0.05, 1, 30 } do
        local world, joint, body = wheel(inertia)
        impel.pd(joint, { hertz = 3, damping_ratio = 0.7, when = when })
        body.angle = 1
        local q = {}
        world:on(when, function() q[#q + 1] = joint.value end)
        world:step(when == "step" and 60 or 30)
        local hertz, zeta = identify(q, when == "step" and 1 / 60 or 1 / 240)
        -- The recursion of identify() is exact. Angles are floats within a step.
        assert.near(3, hertz, 1e-5)
        assert.near(0.7, zeta, 1e-5)
      end
    end
  end)

  it("places the poles of a rod that swings about its end, also by autotune", function()
    for _, way in ipairs { "rows", "trial" } do
      local world, joint, body = rod { gravity = { 0, 0 }, sleep = false, solver = "si", substeps = 4 }
      local kp, kd, report = impel.autotune(joint, { hertz = 3, damping_ratio = 0.7, method = way })
      assert.near(1 / 3, report.inertia, 1e-5)
      impel.pd(joint, { kp = kp, kd = kd })
      local c, s = m.cos(0.3), m.sin(0.3)
      body:set_position(0.5 * c, 0.5 * s)
      body.angle = 0.3
      local q = {}
      world:on("substep", function() q[#q + 1] = joint.value end)
      world:step(30)
      local hertz, zeta = identify(q, 1 / 240)
      assert.near(3, hertz, 0.01 * 3) -- the pin yields a little
      assert.near(0.7, zeta, 0.01)
    end
  end)
end)

describe("the stability bound of an explicit law", function()
  it("is 13200, 1600 and 1371 N m/rad for 1, 4 and 8 substeps, and 225600 in a substep handler", function()
    local function bound(substeps, period)
      return impel.stability.bound { inertia = 1, kd = 10, period = period or 1 / 60, substeps = substeps }
    end
    assert.near(13200, bound(1), 1e-6) -- rounding
    assert.near(1600, bound(4), 1e-6)
    assert.near(1371.43, bound(8), 0.01)
    assert.near(225600, bound(1, 1 / 240), 1e-6)
    assert.equal(0, impel.stability.bound { inertia = 1, kd = 0, period = 1 / 60, substeps = 4 })
    assert.equal(0, impel.stability.bound { inertia = 1, kd = 120, period = 1 / 60 })
  end)

  local told
  local before = impel.stability.on_warning
  before_each(function()
    told = {}
    impel.stability.on_warning = function(text, controller) told[#told + 1] = { text, controller } end
  end)
  after_each(function() impel.stability.on_warning = before end)

  -- Return the size of a disturbance after `steps` steps, relative to its initial size.
  local function left(kp, when, substeps, solver, steps)
    local world, joint, body = wheel(1, { substeps = substeps, solver = solver })
    impel.pd(joint, { kp = kp, kd = 10, when = when })
    body.angular_velocity = 1e-3
    local size = 0
    for step = 1, steps do
      world:step()
      if step > steps - 60 then size = math.max(size, math.abs(joint.value), math.abs(joint.speed) / m.sqrt(kp)) end
      if size > 1 then break end
    end
    return size / (1e-3 / m.sqrt(kp))
  end

  local cases = { { "step", 1, 13200 }, { "step", 4, 1600 }, { "step", 8, 1371.43 }, { "substep", 4, 225600 } }
  for _, case in ipairs(cases) do
    local when, substeps, bound = table.unpack(case)
    it(("is the kp above which motion diverges: %s, %d substeps, kp = %g"):format(when, substeps, bound), function()
      for _, solver in ipairs { "si", "soft", "direct" } do
        assert.is_true(left(0.98 * bound, when, substeps, solver, 1500) < 0.5)
        assert.is_true(left(1.02 * bound, when, substeps, solver, 1500) > 2)
      end
    end)

    it(("gives one warning when kp exceeds 0.95 of the bound: %s, %d substeps"):format(when, substeps), function()
      local world, joint = wheel(1, { substeps = substeps })
      local pd = impel.pd(joint, { kp = 0.94 * bound, kd = 10, when = when })
      world:step(2)
      assert.equal(0, #told)
      pd.kp = 0.96 * bound
      world:step(2)
      assert.equal(1, #told)
      assert.equal(pd, told[1][2])
      for _, word in ipairs { "hub", "0.96", "stable_pd", "inertia of 1" } do
        assert.truthy(told[1][1]:find(word, 1, true))
      end
      pd.kp = 2 * bound
      world:step()
      assert.equal(1, #told)
    end)
  end

  it("takes account of solvers that integrate a constant force exactly", function()
    for _, solver in ipairs { "reduced", "rattle" } do
      local world, joint = wheel(1, { solver = solver, substeps = 4 })
      local pd = impel.pd(joint, { kp = 100, kd = 10 })
      world:step()
      local _, bound = impel.stability.of(pd)
      assert.near(2 * 240 * 10, bound, 1e-6) -- stability limit of kp: 2 d / T, with d = 10 and T = 1/240
      assert.is_true(left(0.97 * bound, "substep", 4, solver, 600) < 0.5)
      assert.is_true(left(1.03 * bound, "substep", 4, solver, 600) > 2)
    end
  end)

  it("of a chain is where the spectral radius is 1, below the bound of each joint alone", function()
    local function chain(kp)
      local world = impel.world { gravity = { 0, 0 }, sleep = false, solver = "direct" }
      local last, pds = world.ground, {}
      for i = 1, 4 do
        local body = world:body { position = { i - 0.5, 0 }, mass = 1, inertia = 1 / 12 }
        pds[i] = impel.pd(world:revolute(last, body, { anchor = { i - 1, 0 } }), { kp = kp, kd = 0.02 * kp ^ 0.5 })
        last = body
      end
      return world, pds, last
    end
    local low, high = 1, 1e6
    while high / low > 1.001 do
      local middle = m.sqrt(low * high)
      local _, pds = chain(middle)
      if impel.stability.radius(pds) < 1 then low = middle else high = middle end
    end
    local _, pds = chain(low)
    for _, pd in ipairs(pds) do assert.is_true((impel.stability.of(pd)) < 1) end
    local function size(kp)
      local world, _, last = chain(kp)
      last.angular_velocity = 1e-4
      for _ = 1, 600 do
        world:step()
        if math.abs(last.angular_velocity) > 1 then return 1 end
      end
      return math.abs(last.angular_velocity)
    end
    assert.is_true(size(0.9 * low) < 1e-4)
    assert.equal(1, size(1.1 * low))
  end)
end)

describe("the reflected inertia", function()
  local of = impel.reflected_inertia.of

  it("follows from the mass matrix of a double pendulum", function()
    local world = impel.world {}
    local a = world:body { position = { 0.5, 0 }, mass = 1, inertia = 1 / 12 }
    local b = world:body { position = { 1.5, 0 }, mass = 1, inertia = 1 / 12 }
    local first = world:revolute(world.ground, a, { anchor = { 0, 0 } })
    local second = world:revolute(a, b, { anchor = { 1, 0 } })
    local m11, m12, m22 = 1 / 3 + 1 / 3 + 1 + 1, 1 / 3 + 1 / 2, 1 / 3
    local tiny = 1e-12 -- rounding of sums of numbers near 1
    assert.near(m11, of(first, { neighbours = "held" }), tiny)
    assert.near(m22, of(second, { neighbours = "held" }), tiny)
    assert.near(m11 - m12 * m12 / m22, of(first), tiny)
    assert.near(m22 - m12 * m12 / m11, of(second), tiny)
    local w = impel.reflected_inertia.mobility { first, second }
    assert.near(-m12 / (m11 * m22 - m12 * m12), w[1][2], tiny)
    assert.equal(w[1][2], w[2][1])
  end)

  it("includes gears, is unaffected by redundant rows, and is infinite for a locked coordinate", function()
    local world = impel.world {}
    local a = world:body { mass = 1, inertia = 2 }
    local b = world:body { position = { 3, 0 }, mass = 1, inertia = 8 }
    local first, second = world:revolute(world.ground, a, {}), world:revolute(world.ground, b, {})
    world:revolute(world.ground, a, {}) -- a second joint of the same bodies has redundant rows
    world:gear { joint1 = first, joint2 = second, ratio = 2 }
    assert.near(2 + 8 / 4, of(first), 1e-9) -- the gear gives q2 = -q1 / 2; redundant rows reduce the accuracy
    world:weld(world.ground, b, {})
    assert.equal(math.huge, of(first))
    raises("cannot move", impel.pd, first, { hertz = 1 })
  end)
end)

describe("impel.stable_pd", function()
  for _, solver in ipairs { "soft", "si", "direct", "reduced" } do
    it("is stable at kp = 1e6 on an inertia of 1 at 60 Hz, one substep, and without damping: " .. solver, function()
      for _, kd in ipairs { 0, 2000 } do
        local world, joint, body = wheel(1, { substeps = 1, solver = solver })
        impel.stable_pd(joint, { kp = 1e6, kd = kd, target = 1 })
        local worst = 0
        for _ = 1, 60 do
          world:step()
          worst = math.max(worst, math.abs(joint.value - 1))
        end
        assert.is_true(worst < 1)
        assert.near(1, joint.value, 1e-5) -- the solver `soft` uses single precision
        body.angular_velocity = 100
        world:step(60)
        assert.near(1, joint.value, 1e-5)
      end
    end)
  end

  it("gives the same motion as pd for a slow spring", function()
    local ends = {}
    for _, law in ipairs { "pd", "stable_pd" } do
      local world, joint = rod()
      local c = impel[law](joint, { kp = 20, kd = 1, target = 0.3, target_speed = 0.1, feed_forward = 1 })
      world:step(40)
      c.target = 0.5
      world:step(40)
      ends[#ends + 1] = joint.value
    end
    -- At 1 rad/s the angles differ by h, because pd uses the speed before the substep, stable_pd the speed after the
    -- substep.
    assert.near(ends[1], ends[2], 0.004)
  end)

  it("follows a target of constant speed with zero mean lag", function()
    local world, joint = wheel(1)
    local pd = impel.stable_pd(joint, { kp = 1000, kd = 40 })
    world:on("substep", function(h)
      pd.target, pd.target_speed = 2 * (world.time + h), 2
    end)
    world:step(120)
    assert.near(2, joint.speed, 1e-3)
    assert.near(2 * world.time, joint.value, 1 / 240) -- motion in half a substep
  end)

  it("is limited to max_force, and takes the shorter angle with wrap", function()
    local world, joint, body = wheel(1, { solver = "si" })
    body.angle = 3
    impel.stable_pd(joint, { kp = 1e5, kd = 10, target = -3, max_force = 2, wrap = true })
    world:step()
    assert.near(2 / 60, joint.speed, 1e-9)
  end)
end)

describe("impel.pid", function()
  it("has zero steady-state error under a load", function()
    local world, joint = rod()
    local pid = impel.pid(joint, { kp = 50, ki = 60, kd = 8 })
    world:step(900)
    assert.near(0, joint.value, 1e-4) -- a pd leaves 0.0976
    assert.near(G / 2, pid.integral, 0.01)
  end)

  -- Return the overshoot beyond a target 2 rad away, with a limited force.
  local function beyond(anti_windup)
    local world, joint = wheel(1)
    local pid = impel.pid(joint, { kp = 20, ki = 20, kd = 9, target = 2, max_force = 4, anti_windup = anti_windup })
    local peak, most = 0, 0
    for _ = 1, 600 do
      world:step()
      peak, most = math.max(peak, joint.value - 2), math.max(most, math.abs(pid.force))
    end
    assert.near(0, joint.value - 2, 0.01)
    assert.is_true(most <= 4)
    return peak
  end

  it("does not wind up while its force is saturated", function()
    local none = beyond "none"
    assert.is_true(beyond "clamp" < 0.7 * none)
    assert.is_true(beyond "back_calculation" < 0.7 * none)
  end)

  it("holds no integral while it is passive", function()
    local world, joint = rod()
    local pid = impel.pid(joint, { kp = 50, ki = 60, kd = 8 })
    world:step(60)
    assert.is_true(pid.integral > 1)
    pid.enabled = false
    world:step(60)
    assert.equal(0, pid.integral)
  end)

  it("takes the derivative of the measurement: a jump of the target makes no kick", function()
    for derivative, expected in pairs { measurement = 0, error = 5 } do
      local world, joint = wheel(1)
      local pid = impel.pid(joint, { kp = 0, kd = 5, derivative = derivative, target_speed = 1 })
      world:step()
      -- The derivative of the error gives 5 (1 - q') N m, where q' is the small speed after three substeps.
      assert.near(expected, pid.force, 0.5)
    end
  end)

  it("filters the speed with its time constant, at any substep", function()
    for _, substeps in ipairs { 1, 4 } do
      local world, joint, body = wheel(1, { substeps = substeps })
      local pid = impel.pid(joint, { kp = 0, kd = 1e-9, filter = 0.1 })
      world:step()
      body.angular_velocity = 1
      world:step(6)
      -- 0.1 s is one time constant. The force of 1e-9 N does not slow the body.
      assert.near(1 - m.exp(-1), pid.filtered, 1e-6)
    end
  end)

  it("uses the given measurement function", function()
    local world, joint = wheel(1)
    local value = 3
    local pid = impel.pid(joint, { kp = 2, kd = 0, measure = function() return value, 0 end })
    world:step()
    assert.equal(-6, pid.force)
  end)

  it("saves and loads its state with snapshots", function()
    local world, joint = rod()
    local pid = impel.pid(joint, { kp = 50, ki = 60, kd = 8, filter = 0.02 })
    world:step(30)
    local snapshot, saved = world:snapshot(), pid:save()
    world:step(30)
    local hash = world.hash
    world:restore(snapshot)
    pid:load(saved)
    world:step(30)
    assert.equal(hash, world.hash)
  end)

  it("loads only the result of save, and has the saved state afterwards", function()
    local world, joint = rod()
    local pid = impel.pid(joint, { kp = 50, ki = 60, filter = 0.02 })
    pid:load(pid:save()) -- before the first step, `filtered` is nil
    world:step(10)
    local before = pid:save()
    raises("controller:load: saved must be a result of save: field 'integral' is missing or wrong", pid.load, pid, {})
    raises("field 'filtered' is missing or wrong", pid.load, pid, { integral = 1, filtered = "1" })
    assert.same(before, pid:save())
  end)
end)

describe("impel.servo", function()
  it("goes at its speed to the target and stays", function()
    local world, joint = wheel(1)
    local servo = impel.servo(joint, { target = 1, speed = 2, max_force = 1000 })
    world:step(15)
    assert.near(0.5, joint.value, 1e-4)
    assert.near(2, joint.speed, 1e-3)
    assert.is_false(servo:is_there())
    world:step(60)
    assert.near(1, joint.value, 1e-6)
    assert.is_true(servo:is_there())
    servo.target = 0.9
    world:step(60)
    assert.near(0.9, joint.value, 1e-6)
  end)

  it("is limited to its maximum force", function()
    local world, joint = rod()
    impel.servo(joint, { target = 0, max_force = 0.9 * G / 2 })
    world:step(120)
    assert.is_true(joint.value < -0.1) -- the joint sinks, because the servo exerts 4.4 N m and the weight 4.9 N m
    assert.near(0.9 * G / 2, joint.force, 0.01)
  end)
end)

describe("impel.autotune", function()
  it("measures inertia, load and dry friction while a controller is active, and restores the world", function()
    local world = impel.world {}
    local body = world:body { position = { 0.5, 0 }, mass = 1, inertia = 1 / 12 }
    local joint = world:revolute(world.ground, body, { anchor = { 0, 0 }, motor = { speed = 0, max_force = 0.3 } })
    local pd = impel.pd(joint, { kp = 30, kd = 1, target = 1 })
    world:step(20)
    local hash, cosine = world.hash, m.cos(joint.value)
    local measured = assert(impel.autotune.measure(joint))
    assert.near(1 / 3, measured.inertia, 1e-3)
    assert.near(G / 2 * cosine, measured.load, 0.005 * G)
    assert.near(0.3, measured.friction, 0.005)
    assert.equal(hash, world.hash)
    assert.is_true(pd.enabled)
    assert.equal(4, world.substeps)
  end)

  it("measures at each joint of a chain the inertia that impel.reflected_inertia computes", function()
    local world = impel.world { sleep = false }
    local last, joints = world.ground, {}
    for i = 1, 6 do
      local body = world:body { position = { i - 0.5, 0 }, mass = i, inertia = i / 12 }
      joints[i] = world:revolute(last, body, { anchor = { i - 1, 0 } })
      last = body
    end
    world:step(30)
    for _, joint in ipairs(joints) do
      local inertia = impel.reflected_inertia.of(joint)
      assert.near(inertia, assert(impel.autotune.measure(joint)).inertia, 1e-6 * inertia)
    end
  end)

  it("gives the reason if the coordinate does not move", function()
    local world, joint, body = wheel(1)
    world:weld(world.ground, body, {})
    local nothing, why = impel.autotune(joint, { hertz = 1 })
    assert.is_nil(nothing)
    assert.truthy(why:find("cannot move", 1, true))
  end)

  it("searches gains for a cost, with the same result at each run", function()
    local function tuned()
      local world, joint = wheel(0.5)
      local pd = impel.pd(joint, { kp = 5, kd = 0.1, target = 1 })
      local best, cost, first = impel.autotune.search(world, {
        start = { 5, 0.1 }, lower = { 1, 0 }, upper = { 100, 20 }, seconds = 1, budget = 120,
        begin = function(x) pd.kp, pd.kd = x[1], x[2] end,
        cost = function() return (joint.value - 1) ^ 2 + 1e-5 * pd.force ^ 2 end,
      })
      assert.equal(best[1], pd.kp)
      return best[1], best[2], cost, first
    end
    local kp, kd, cost, first = tuned()
    assert.is_true(cost < 0.5 * first)
    assert.is_true(kd / (2 * m.sqrt(kp * 0.5)) > 0.3) -- damping ratio of the result
    assert.same({ kp, kd, cost, first }, { tuned() })
  end)
end)
