-- Edge cases of controllers: limited force, short tracking time, new gains, new step length, invalid fields,
-- constructors that fail.
local impel = require "impel"
local flat = require "support.flat"

local m = impel.math

-- Build a body on a pin through its centre of mass.
local function wheel(inertia, options)
  local o = { gravity = { 0, 0 }, sleep = false }
  for key, value in pairs(options or {}) do o[key] = value end
  local world = impel.world(o)
  local body = world:body { mass = 1, inertia = inertia or 1 }
  return world, world:revolute(world.ground, body, { name = "hub" }), body
end

local function raises(words, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok, "no error, but expected an error about '" .. words .. "'")
  assert.truthy(message:find(words, 1, true), "no '" .. words .. "' in: " .. message)
end

describe("impel.pid", function()
  for _, anti_windup in ipairs { "back_calculation", "clamp", "none" } do
    it("without ki has no integral, however long its force is saturated: " .. anti_windup, function()
      local world, joint, body = wheel()
      local pid = impel.pid(joint, { kp = 100, kd = 20, target = 1, max_force = 5, tracking_time = 0.5,
                                     anti_windup = anti_windup })
      world:step(600)
      assert.equal(0, pid.integral)
      -- A PD law settles at its target if there is no load. Angles are floats within a step.
      assert.near(1, joint.value, 1e-6)
      pid:destroy()
      impel.pid(joint, { kp = 0, kd = 10, max_force = 1, anti_windup = anti_windup })
      body.angular_velocity = 5
      world:step(600) -- 5 s of braking at 1 rad/s^2, and decay as exp(-10 t)
      assert.near(0, joint.speed, 1e-6)
    end)
  end

  it("keeps a finite integral if the tracking time is far below the step", function()
    local world, joint = wheel()
    local pid = impel.pid(joint, { kp = 1, ki = 1000, kd = 20, target = 1, max_force = 5 })
    local worst = 0
    for _ = 1, 1800 do
      world:step()
      worst = math.max(worst, math.abs(pid.integral))
    end
    -- The joint oscillates, because ki exceeds kp kd / I. The damping term kd q' bounds the integral [N m].
    assert.is_true(worst < 500, "integral " .. worst)
    pid:destroy()
    local settled = impel.pid(joint, { kp = 60, ki = 40, kd = 20, target = -2, max_force = 5, tracking_time = 1e-3 })
    world:step(1800)
    assert.near(-2, joint.value, 1e-3) -- after 30 s, the slow mode (0.8 / s) is e^-24 of its initial size
    assert.near(0, settled.integral, 0.05)
  end)

  it("has the tracking time kp / ki by default, and back-calculates exactly in any step", function()
    for _, substeps in ipairs { 1, 4 } do
      local world, joint, body = wheel(1e9, { substeps = substeps })
      body.angle = 0
      local pid = impel.pid(joint, { kp = 10, ki = 20, kd = 0, target = 1, max_force = 5 })
      world:step(30)
      -- The unlimited force is 10 + I. Back-calculation gives I' = 20 + (5 - (10 + I)) / 0.5, so I = 5 (1 - exp(-2 t)).
      assert.near(5 * (1 - m.exp(-1)), pid.integral, 1e-4) -- the body moves by 6e-10 rad
    end
  end)
end)

describe("the warning about an explicit law", function()
  local told
  local before = impel.stability.on_warning
  before_each(function()
    told = {}
    impel.stability.on_warning = function(text) told[#told + 1] = text end
  end)
  after_each(function() impel.stability.on_warning = before end)

  for _, law in ipairs { "pd", "pid" } do
    it("comes if the substeps become fewer or the step longer: impel." .. law, function()
      local world, joint = wheel()
      impel[law](joint, { kp = 1e5, kd = 10 }) -- the stability limit of kp is 225600 N m/rad
      world:step(5)
      assert.equal(0, #told)
      world.substeps = 1 -- with one substep the stability limit of kp is 13200 N m/rad
      world:step()
      assert.equal(1, #told)
      world:step()
      world.dt = 1 / 120
      world:step() -- with dt = 1/120 s the stability limit of kp is 55200 N m/rad
      assert.equal(1, #told)
      world.dt = 1 / 30
      world:step()
      assert.equal(2, #told)
      assert.truthy(told[2]:find("set every 33.3 ms", 1, true))
    end)

    it("comes if substeps are added to a step over which the force is constant: impel." .. law, function()
      local world, joint = wheel(1, { substeps = 1 })
      impel[law](joint, { kp = 5000, kd = 10, when = "step" })
      world:step(2)
      assert.equal(0, #told)
      world.substeps = 4 -- the force is constant over 4 substeps, so the limit of kp is 1600 N m/rad
      world:step(2)
      assert.equal(1, #told)
      assert.truthy(told[1]:find('"substep" handler', 1, true))
    end)

    it("makes no garbage when gains change every step: impel." .. law, function()
      for _, kp in ipairs { 50, 1e6 } do
        local world, joint = wheel()
        local c = impel[law](joint, { kp = kp, kd = 1 })
        local n = 0
        assert.equal(0, flat(function()
          n = n + 1
          c.kp, c.kd = kp + n % 7, 1 + n % 3
          world:step()
        end))
        assert.equal(kp > 1000 and 1 or 0, #told)
      end
    end)
  end

  it("uses the current inertia when a gain increases", function()
    local world, joint, body = wheel(100)
    local pd = impel.pd(joint, { kp = 1e5, kd = 10 })
    world:step()
    body.inertia = 0.1
    pd.kp = 1.3e5
    world:step()
    assert.equal(1, #told)
  end)
end)

describe("a wrong value of a controller's field", function()
  local function made(name)
    local world, joint = wheel()
    local o = { kp = 50, kd = 5 }
    return world, impel[name](joint, name == "servo" and {} or o)
  end
  local function set(c, field, value) c[field] = value end

  for _, name in ipairs { "pd", "pid", "stable_pd", "servo" } do
    it("is refused if the field does not exist or is read-only: impel." .. name, function()
      local _, c = made(name)
      raises("bad field 'max_forc' in impel." .. name .. " (did you mean 'max_force'?)", set, c, "max_forc", 3)
      raises("control_edges_spec.lua", set, c, "max_forc", 3)
      raises("'when' cannot change", set, c, "when", "step")
      assert.equal("substep", c.when)
      c.on_warning = print
    end)

    for field, values in pairs { target = { "x", true, {} }, max_force = { -1, 0 / 0, "x", {} } } do
      it(("is reported with controller, name and value: %s of impel.%s"):format(field, name), function()
        for i = 0, #values do -- values[0] is nil: no argument
          local world, c = made(name)
          world:step()
          c[field] = values[i]
          raises(tostring(c) .. ": field '" .. field .. "' must be", world.step, world)
          local ok, message = pcall(world.step, world)
          assert.is_false(ok)
          assert.truthy(message:find("control_edges_spec.lua", 1, true) or message:find("must be", 1, true))
        end
      end)
    end
  end

  for _, name in ipairs { "pd", "pid", "stable_pd" } do
    it("is reported for gains and feed-forward: impel." .. name, function()
      for _, field in ipairs { "kp", "kd" } do
        for _, value in ipairs { "x", -1, 0 / 0, {}, false } do
          local world, c = made(name)
          world:step()
          c[field] = value or nil
          raises(tostring(c) .. ": field '" .. field .. "' must be a finite number", world.step, world)
        end
      end
      for _, value in ipairs { "x", {}, function() return "x" end, function() end } do
        local world, c = made(name)
        c.feed_forward = value
        raises(tostring(c), world.step, world)
        raises("feed_forward", world.step, world)
      end
    end)
  end

  it("is checked at once if the field was nil before", function()
    local _, pid = made "pid"
    raises("field 'tracking_time' must be a finite number > 0 [s], got -1", set, pid, "tracking_time", -1)
    raises("field 'measure' cannot change", set, pid, "measure", print)
    pid.tracking_time = 0.2
    local _, servo = made "servo"
    servo.speed = 0
    raises("field 'speed' must be", servo.world.step, servo.world)
  end)
end)

describe("a constructor that fails", function()
  local function joints_of(world)
    local n = 0
    for _ in world:joints() do n = n + 1 end
    return n
  end

  it("leaves no joint in the world, and raises at the caller's line: impel.root", function()
    local world = impel.world {}
    local body = world:body { mass = 1, inertia = 1 }
    for _, options in ipairs { { angle = { kpp = 1 } }, { y = 3 }, { x = { kp = -1 } } } do
      raises("control_edges_spec.lua", impel.root, body, options)
      assert.equal(0, joints_of(world))
    end
    impel.root(body, {})
    world:step()
  end)

  it("leaves no joint in the world, and raises at the caller's line: impel.muscle", function()
    local world, other = impel.world {}, impel.world {}
    local a, b = world:body { mass = 1, inertia = 1 }, world:body { mass = 1, inertia = 1, position = { 1, 0 } }
    local far = other:body { mass = 1, inertia = 1 }
    local o = { max_force = 100, tendon = 9 }
    raises("must be less than the path length, 1 m", impel.muscle, { { a, 0, 0 }, { b, 0, 0 } }, o)
    raises("control_edges_spec.lua", impel.muscle, { { a, 0, 0 }, { b, 0, 0 } }, o)
    raises("point 3 of the path is in another world", impel.muscle, { { a, 0, 0 }, { b, 0, 0 }, { far, 0, 0 } }, o)
    raises("stays on one", impel.muscle, { { a, 0, 0 }, { a, 1, 0 } }, o)
    raises("got 1 point", impel.muscle, { { b, 0, 0 } }, o)
    raises("two points, got none", impel.muscle, {}, o)
    raises("got nil", impel.muscle, nil, o)
    assert.equal(0, joints_of(world))
  end)
end)

describe("impel.autotune.search", function()
  local function search(world, options)
    local o = { start = { 1, 2 }, lower = { 0, 0 }, upper = { 10, 10 }, seconds = 0.1, budget = 20,
                cost = function() return 0 end }
    for key, value in pairs(options) do o[key] = value end
    return impel.autotune.search(world, o)
  end

  it("restores the world if the cost function fails, and passes the error on", function()
    local world = impel.world {}
    world:body { mass = 1, inertia = 1 }
    world:step(3)
    local hash = world.hash
    local n = 0
    for _, options in ipairs {
      { cost = function() n = n + 1 if n == 30 then error("no cost", 0) end return 1 end },
      { begin = function() error("no beginning", 0) end },
    } do
      raises(options.begin and "no beginning" or "no cost", search, world, options)
      assert.equal(hash, world.hash)
    end
  end)

  it("refuses a cost other than a number, and lists of unequal length, before a step", function()
    local world = impel.world {}
    world:body { mass = 1, inertia = 1 }
    for _, cost in ipairs { 0 / 0, "x", {}, false } do
      raises("autotune.search: cost must return a number", search, world, { cost = function() return cost or nil end })
      assert.equal(0, world.time)
    end
    for _, field in ipairs { "lower", "upper" } do
      raises(("autotune.search: field '%s' must have 2 numbers like 'start', got 1"):format(field), search, world,
        { [field] = { 1 } })
    end
    raises("autotune.search: start[2] must be a finite number, got 'x' (string)", function()
      search(world, { start = { 1, "x" } })
    end)
    raises("autotune.search: field 'start' must have at least one number", search, world, { start = {} })
  end)

  it("returns the start if no candidate is better", function()
    local world = impel.world {}
    local given
    local best, cost, first = search(world, {
      begin = function(x) given = x end,
      cost = function(x) return x[1] == 1 and x[2] == 2 and 3 or 4 end,
    })
    assert.same({ 1, 2 }, best)
    assert.equal(best, given)
    assert.equal(first, cost)
    assert.near(0.3, first, 1e-12) -- a cost of 3 per second for 0.1 s
  end)
end)

describe("impel.timed_force", function()
  it("waits while its body is static or kinematic", function()
    local world = impel.world { gravity = { 0, 0 }, sleep = false }
    local body = world:body { mass = 2, inertia = 1 }
    local push = impel.timed_force(body, { force = { 4, 0 }, torque = 1, point = { 0, 0.5 }, duration = 0.5 })
    world:step(15)
    body.type = "static"
    world:step(60)
    assert.is_false(push.done)
    assert.near(0.25, push.elapsed, 1e-9) -- rounding of sixty additions
    body.type = "kinematic"
    world:step(10)
    body.type = "dynamic"
    body:set_velocity(0, 0)
    world:step(60)
    assert.is_true(push.done)
    -- The second half of the pulse is 1 N s on 2 kg. Velocities are floats.
    assert.near(0.5, (body:velocity()), 1e-6)
  end)

  it("is done after the last substep of its duration in spite of rounding", function()
    for _, steps in ipairs { 1, 3, 7, 60 } do
      local world = impel.world { gravity = { 0, 0 }, sleep = false }
      local body = world:body { mass = 1, inertia = 1 }
      local push = impel.timed_force(body, { force = { 4, 0 }, duration = steps / 60 })
      world:step(steps)
      assert.is_true(push.done)
    end
  end)
end)

describe("impel.stability.radius", function()
  it("refuses other objects, and controllers in different worlds or with different `when`", function()
    local world, joint = wheel()
    local _, other = wheel()
    raises("controller 1 must be a controller with kp and kd, got a joint", impel.stability.radius, { joint })
    local a, b = impel.pd(joint, { kp = 1, kd = 1 }), impel.pd(other, { kp = 1, kd = 1 })
    raises("controller 2 is in another world", impel.stability.radius, { a, b })
    local body = world:body { mass = 1, inertia = 1 }
    local c = impel.pd(world:revolute(world.ground, body, {}), { kp = 1, kd = 1, when = "step" })
    raises("controller 2 runs in a \"step\" handler, the first in a \"substep\" one", impel.stability.radius, { a, c })
    raises("must be a list", impel.stability.radius, a)
    raises("controller 1 must be a controller", impel.stability.radius,
      { impel.servo(world:revolute(world.ground, world:body { mass = 1, inertia = 1 }, {}), {}) })
    assert.is_true(impel.stability.radius { a } < 1)
  end)

  it("takes account of the number of substeps over which a force is held", function()
    for _, substeps in ipairs { 1, 4, 8 } do
      local world, joint = wheel(1, { substeps = substeps })
      local pd = impel.pd(joint, { kp = 1, kd = 10, when = "step" })
      local bound = impel.stability.bound { inertia = 1, kd = 10, period = 1 / 60, substeps = substeps }
      pd.kp = 0.99 * bound
      assert.is_true(impel.stability.radius { pd } < 1)
      pd.kp = 1.01 * bound
      assert.is_true(impel.stability.radius { pd } > 1)
      assert.is_true(world.time == 0)
    end
  end)
end)

describe("the edge cases of controllers:", function()
  it("max_integral also bounds the integral below, and clamp lets it decrease while the force is saturated", function()
    local world, joint = wheel(1e9)
    local pid = impel.pid(joint, { kp = 0, ki = 10, kd = 0, target = -1, max_integral = 2 })
    world:step(60)
    assert.equal(-2, pid.integral)
    pid:destroy()
    pid = impel.pid(joint, { kp = 0, ki = 10, kd = 0, target = 1, anti_windup = "clamp", max_force = 5 })
    world:step(60)
    assert.near(5, pid.integral, 10 / 240 + 1e-9) -- the limit, exceeded by up to one substep's increment
    pid.feed_forward, pid.target = 50, -0.1
    world:step(60)
    assert.near(4, pid.integral, 10 / 240 + 1e-9) -- while the force is limited, the integral falls by 1 N m in 1 s
  end)

  it("a changed max_force takes effect: impel.stable_pd, impel.servo", function()
    for _, name in ipairs { "stable_pd", "servo" } do
      local world, joint = wheel(1, { solver = "si" })
      local c = impel[name](joint, name == "servo" and { target = 50, max_force = 1 }
        or { kp = 1e5, kd = 10, target = 50, max_force = 1 })
      world:step(6)
      c.max_force = 3
      world:step(6)
      assert.near(0.1 * 1 + 0.1 * 3, joint.speed, 1e-6) -- two impulses on 1 kg m^2; velocities are floats
    end
  end)

  it("gains above critical damping give two decay rates", function()
    local w, zeta, t = 2 * m.pi * 2, 1.5, 1 / 60
    local kp, kd = impel.gains.place { hertz = 2, damping_ratio = zeta, inertia = 3, period = t }
    for _, sign in ipairs { 1, -1 } do
      local z = m.exp(t * w * (-zeta + sign * m.sqrt(zeta * zeta - 1)))
      local p, d = kp / 3, kd / 3
      assert.near(0, z * z - (2 - t * d - t * t * p) * z + 1 - t * d, 1e-12) -- rounding
    end
  end)

  it("a broken joint transmits no force, and a body with fixed rotation has no reflected inertia", function()
    local world = impel.world {}
    local a = world:body { position = { 1, 0 }, mass = 2, inertia = 1 }
    local joint = world:revolute(world.ground, a, { anchor = { 0, 0 } })
    local weld = world:weld(world.ground, a, {})
    assert.equal(math.huge, impel.reflected_inertia.of(joint))
    weld:sever()
    -- 1 kg + 2 kg at 1 m from the axis [kg m^2]. Redundant rows reduce the accuracy.
    assert.near(3, impel.reflected_inertia.of(joint), 1e-9)
    a.fixed_rotation = true
    assert.equal(math.huge, impel.reflected_inertia.of(joint))
  end)

  it("kd alone is unstable from kd = 2 inertia / period on", function()
    local function bound(kd) return impel.stability.bound { inertia = 1, kd = kd, period = 1 / 60 } end
    assert.is_true(bound(119) > 0)
    assert.equal(0, bound(120))
    assert.equal(0, impel.stability.bound { inertia = 1, kd = 150, period = 1 / 60, substeps = 4 })
  end)

  it("a muscle without its passive part does not pull when it is stretched", function()
    for _, passive in ipairs { true, false } do
      local world = impel.world { gravity = { 0, 0 } }
      local b = world:body { mass = 1, inertia = 1, position = { 1.3, 0 } }
      local muscle = impel.muscle({ { world.ground, 0, 0 }, { b, 0, 0 } },
        { max_force = 100, optimal_length = 1, passive = passive })
      world:step()
      assert.equal(passive, muscle.force > 1)
    end
  end)

  it("a root control holds its target point", function()
    local world = impel.world { sleep = false }
    local body = world:body { mass = 1, inertia = 1, position = { 0, 0 } }
    impel.root(body, { point = { 0.5, 0 }, target = { 2, 1 }, target_angle = 0, hertz = 8 })
    world:step(300)
    local x, y = body:world_point(0.5, 0)
    assert.near(2, x, 0.01) -- the weight shifts y only, by g / w^2 = 4 mm
    assert.near(1, y, 0.01)
  end)
end)
