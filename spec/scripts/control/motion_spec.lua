-- Motion: tracks, postures, replays, state machines and central pattern generators.
local impel = require "impel"
local flat = require "support.flat"
local fails = require "support.raises"

-- Build a rod of 1 m and 1 kg on a hinge at its end, by default without gravity.
local function arm(options)
  options = options or {}
  local world = impel.world { gravity = { 0, options.gravity or 0 }, sleep = false, substeps = options.substeps }
  local rod = world:body { name = "rod", position = { 0.5, 0 }, mass = 1, inertia = 1 / 12 }
  rod:box { 1, 0.1 }
  local hinge = world:revolute(world.ground, rod, { name = "hinge", anchor = { 0, 0 } })
  return world, rod, hinge
end

describe("track", function()
  local track = impel.track

  it("passes through its keys, and gives value and rate between them", function()
    local t = track { interpolation = "linear", keys = { { time = 1, a = 2, b = 5 }, { time = 3, a = 6 }, { time = 4,
      a = 5 } } }
    local pose, rates = t:sample(1.5, {}, {})
    assert.same({ a = 3, b = 5 }, pose)
    assert.same({ a = 2, b = 0 }, rates)
    assert.equal(6, t:sample(3).a)
    assert.equal(2, t:sample(-10).a) -- the first key's value
    assert.equal(5, t:sample(10).a)
    assert.same({ "a", "b" }, t.names)
    assert.same({ 1, 3 }, { t.start, t.duration })
  end)

  it("steps from key to key", function()
    local t = track { interpolation = "step", keys = { { time = 0, a = 1 }, { time = 1, a = 2 } } }
    assert.same({ 1, 1, 2 }, { t:sample(0).a, t:sample(0.999).a, t:sample(1).a })
  end)

  it("rests at its keys when it is smooth", function()
    local t = track { interpolation = "smooth", keys = { { time = 0, a = 0 }, { time = 2, a = 1 }, { time = 3,
      a = 1 } } }
    local pose, rates = t:sample(0.5, {}, {})
    assert.near(3 / 16 - 2 / 64, pose.a, 1e-15)
    assert.near((6 / 4 - 6 / 16) / 2, rates.a, 1e-15)
    assert.near(1, t:sample(2.7).a, 1e-15)
    t:sample(2, pose, rates)
    assert.near(0, rates.a, 1e-15)
  end)

  it("reproduces a parabola between its inner keys, if keys are equally spaced", function()
    -- Centred differences are exact for a parabola, so the Hermite cubic is the parabola.
    local keys = {}
    for i = 0, 6 do keys[#keys + 1] = { time = i / 2, a = (i / 2) ^ 2 } end
    local t = track { keys = keys }
    for i = 0, 40 do
      local at = 0.5 + i / 20
      local pose, rates = t:sample(at, {}, {})
      assert.near(at ^ 2, pose.a, 1e-12)   -- rounding
      assert.near(2 * at, rates.a, 1e-12)
    end
  end)

  it("has a continuous value and a continuous rate where a loop closes", function()
    local t = track { loop = true, keys = { { time = 0, a = 0 }, { time = 0.3, a = 1 }, { time = 0.7, a = -0.4 },
      { time = 1, a = 0 } } }
    local before, slope_before = t:sample(1 - 1e-7, {}, {})
    local after, slope_after = t:sample(1 + 1e-7, {}, {})
    -- In 2e-7 s, at up to 20 / s, the value changes by less than 1e-5.
    assert.near(before.a, after.a, 1e-5)
    assert.near(slope_before.a, slope_after.a, 1e-4)
    assert.near(t:sample(0.25).a, t:sample(7.25).a, 1e-12)
    assert.near(t:sample(0.25).a, t:sample(-2.75).a, 1e-12)
  end)

  it("gives the derivative of its value", function()
    local t = track { keys = { { time = 0, a = 0 }, { time = 0.3, a = 1 }, { time = 1, a = -0.4 }, { time = 1.5,
      a = 0.2 } } }
    for i = 1, 100 do
      local at = i * 0.0149
      local _, rates = t:sample(at, {}, {})
      local e = 1e-6
      -- The second derivative jumps at a key, so the difference has an error of order e.
      assert.near((t:sample(at + e).a - t:sample(at - e).a) / (2 * e), rates.a, 1e-5)
    end
  end)

  it("can be made from lists of times and values", function()
    local t = track.from({ time = { 0, 1, 2 }, a = { 0, 1, 0 }, b = { 1, 1, 1 } }, { names = { "a" },
      interpolation = "linear" })
    assert.same({ a = 0.5 }, t:sample(0.5))
  end)

  it("refuses invalid keys", function()
    fails("impel.track needs at least one key", track, { keys = {} })
    fails("key 2: time 0 must be after the time of the previous key", track,
      { keys = { { time = 0, a = 1 }, { time = 0, a = 2 } } })
    fails("key 1: a must be a finite number, got", track, { keys = { { time = 0, a = 0 / 0 } } })
    fails("bad field 'lopp' in impel.track (did you mean 'loop'?)", track, { keys = { { time = 0, a = 1 } },
      lopp = true })
    fails("ends the loop at 2, but begins it at 1", track, { loop = true, keys = { { time = 0, a = 1 }, { time = 1,
      a = 2 } } })
    fails("no key has a value", track, { keys = { { time = 0 } } })
  end)
end)

describe("posture", function()
  it("tracks a sine of 1 Hz within 0.02 rad", function()
    local world, _, hinge = arm { gravity = -9.81 }
    local posture = impel.posture({ hinge = hinge }, { stiffness = 100, damping = 10 })
    local amplitude, w, inertia = 0.5, 2 * math.pi, 1 / 12 + 1 / 4
    local sum, count, held = 0, 0, 0
    world:on("step", function(dt)
      local t = world.time + dt
      local target = amplitude * math.sin(w * t)
      local acceleration = -w * w * target
      -- The required torque is I q'' plus the moment of the weight.
      posture:aim("hinge", target, amplitude * w * math.cos(w * t), inertia * acceleration
        + 9.81 * 0.5 * math.cos(target))
    end)
    for _ = 1, 600 do
      world:step()
      local off = hinge.value - amplitude * math.sin(w * world.time)
      if world.time > 1 then sum, count, held = sum + off ^ 2, count + 1, math.max(held, math.abs(hinge.value)) end
    end
    assert.is_true(math.sqrt(sum / count) < 0.02, math.sqrt(sum / count))
    assert.near(amplitude, held, 0.02) -- the hinge has the amplitude of its target
  end)

  it("sags by the load over the stiffness, at any strength", function()
    for _, strength in ipairs { 1, 0.25 } do
      local world, _, hinge = arm { gravity = -9.81 }
      local posture = impel.posture({ hinge = hinge }, { stiffness = 200, damping = 40 })
      posture:fade(strength)
      for _ = 1, 900 do world:step() end
      local k = 200 * strength
      local sag = 0 -- k q = m g l/2 cos q, by Newton
      for _ = 1, 50 do sag = 9.81 * 0.5 / k * math.cos(sag) end
      assert.near(-sag, hinge.value, 1e-4) -- an initial oscillation remains
      assert.near(sag, (posture:error()), 1e-4)
    end
  end)

  it("goes limp and stiff again without a jump", function()
    local world, rod, hinge = arm {}
    local posture = impel.posture({ hinge = hinge }, { stiffness = 50, damping = 1 })
    posture:set { hinge = 1 }
    for _ = 1, 10 do world:step() end
    local value, speed = hinge.value, rod.angular_velocity
    posture.enabled = false
    assert.same({ value, speed }, { hinge.value, rod.angular_velocity })
    local momentum = rod.angular_velocity
    for _ = 1, 60 do world:step() end
    -- Without the posture no torque acts. Constraint errors of the hinge change the momentum by 0.02 %.
    assert.near(momentum, rod.angular_velocity, 2e-4 * momentum)
    value, speed = hinge.value, rod.angular_velocity
    posture.enabled = true
    assert.same({ value, speed }, { hinge.value, rod.angular_velocity })
    for _ = 1, 1200 do world:step() end
    assert.near(1, hinge.value, 1e-3)
  end)

  it("fades its strength over time", function()
    local world, _, hinge = arm {}
    local posture = impel.posture({ hinge = hinge }, { stiffness = 50, damping = 1 })
    posture:fade(0, 0.5)
    for _ = 1, 15 do world:step() end
    assert.near(0.5, posture.strength, 1e-9)
    for _ = 1, 30 do world:step() end
    assert.equal(0, posture.strength)
    assert.is_nil(hinge:coordinate():drives().spring)
  end)

  it("plays a track, and makes no garbage", function()
    local world, _, hinge = arm {}
    local posture = impel.posture({ hinge = hinge }, { stiffness = 1000, damping = 60 })
    posture:follow(impel.track { loop = true, keys = { { time = 0, hinge = 0 }, { time = 1, hinge = 1 }, { time = 2,
      hinge = 0 } } })
    for _ = 1, 60 do world:step() end
    assert.near(1, hinge.value, 0.05)
    assert.equal(0, flat(function() world:step() end))
    posture:destroy()
    assert.is_nil(hinge:coordinate():drives().spring)
  end)

  it("stays stable at any gain", function()
    local world, _, hinge = arm { substeps = 1 }
    local posture = impel.posture({ hinge = hinge }, { stiffness = 1e6, damping = 1e3 })
    posture:set { hinge = 0.5 }
    local worst = 0
    for _ = 1, 300 do
      world:step()
      worst = math.max(worst, math.abs(hinge.value))
    end
    assert.is_true(worst < 0.6)
    assert.near(0.5, hinge.value, 1e-3)
  end)

  it("survives the destruction of its joints, and names wrong arguments", function()
    local world, rod, hinge = arm {}
    fails("impel.posture: joint 'hinge' must be a joint, got a body", impel.posture, { hinge = rod },
      { stiffness = 1, damping = 1 })
    fails("field 'stiffness' of joint 'hinge' must be a finite number >= 0, got nil", impel.posture,
      { hinge = hinge }, { damping = 1, stiffness = {} })
    local posture = impel.posture({ hinge = hinge }, { stiffness = 1, damping = 1 })
    fails("posture:set: no joint 'hing' (did you mean 'hinge'?)", function() posture:set { hing = 1 } end)
    fails("cannot set field 'enable' of a posture (did you mean 'enabled'?)", function() posture.enable = true end)
    hinge:destroy()
    posture:set { hinge = 1 }
    posture.enabled = false
    world:step()
    posture:destroy()
  end)
end)

describe("replay", function()
  local function lift(loop)
    local world = impel.world { gravity = { 0, -9.81 } }
    local body = world:body { position = { 5, 5 } }
    body:box { 1, 0.2, center = { 0.3, 0.1 } } -- the centre of mass is off the origin
    local keys = { { time = 0, x = 0, y = 0, angle = 0 }, { time = 1, x = 1, y = 2, angle = 0.5 }, { time = 2, x = 0,
      y = 0, angle = 0 } }
    local track = impel.track { loop = loop, keys = keys }
    return world, body, track
  end

  it("is on its track after every step", function()
    local world, body, track = lift(true)
    impel.replay(body, track)
    local pose = {}
    for _ = 1, 300 do
      world:step()
      track:sample(world.time, pose)
      local x, y = body:position()
      assert.near(pose.x, x, 1e-9) -- rounding
      assert.near(pose.y, y, 1e-9)
      assert.near(pose.angle, body.angle, 1e-9)
    end
  end)

  it("releases the body with its velocity, without a jump", function()
    local world, body, track = lift(true)
    local replay = impel.replay(body, track)
    for _ = 1, 40 do world:step() end
    local x, y = body:position()
    local bx, by = body:velocity_at(x, y)
    local spin = body.angular_velocity
    replay:release()
    local nx, ny = body:position()
    assert.same({ x, y }, { nx, ny })
    assert.equal("dynamic", body.type)
    local vx, vy = body:velocity_at(body:position())
    assert.near(bx, vx, 1e-12) -- the velocity of a dynamic body refers to the centre of mass
    assert.near(by, vy, 1e-12)
    assert.equal(spin, body.angular_velocity)
    local _, rates = track:sample(world.time - 1 / 120, {}, {})
    -- The mean rate over a step is nearly the rate at the middle of the step.
    assert.near(rates.x, vx, 2e-3)
    local _, before = body:velocity()
    for _ = 1, 30 do world:step() end
    local _, after = body:velocity()
    assert.near(before - 9.81 * 0.5, after, 1e-9)
  end)

  it("moves a body back to its track smoothly after any number of turns", function()
    local world, body, track = lift(true)
    local replay = impel.replay(body, track)
    for _ = 1, 40 do world:step() end
    replay:release()
    body.angular_velocity = 20
    for _ = 1, 60 do world:step() end
    local vx, vy = body:velocity_at(body:position())
    replay:take(1)
    local wx, wy = body:velocity_at(body:position())
    assert.near(vx, wx, 1e-9) -- a kinematic body's centre is its origin
    assert.near(vy, wy, 1e-9)
    local turns = math.floor((body.angle - track:sample(world.time).angle) / (2 * math.pi) + 0.5)
    assert.is_true(turns ~= 0)
    local worst, last = 0, { vx, vy }
    for _ = 1, 60 do
      world:step()
      local ux, uy = body:velocity_at(body:position())
      worst = math.max(worst, math.abs(ux - last[1]), math.abs(uy - last[2]))
      last = { ux, uy }
    end
    -- The body moves some metres in 1 s. Its velocity changes by at most 2 m/s per step.
    assert.is_true(worst < 2, worst)
    local pose = track:sample(world.time)
    local x, y = body:position()
    assert.near(pose.x, x, 1e-9)
    assert.near(pose.y, y, 1e-9)
    -- The body turns the shorter way in each step, so its angle accumulates full turns.
    assert.near(pose.angle + 2 * math.pi * turns, body.angle, 1e-9)
  end)

  it("makes no garbage, and refuses invalid positions", function()
    local world, body, track = lift(true)
    fails("channel 'knee' of the track is not x, y or angle", impel.replay, body, impel.track { keys = { { time = 0,
      knee = 1 } } })
    impel.replay(body, track)
    assert.equal(0, flat(function() world:step() end))
  end)
end)

describe("a state machine", function()
  it("changes state after a duration or on a condition, and calls exit and enter", function()
    local world = impel.world {}
    local log = {}
    local machine = impel.state_machine(world, { initial = "a", data = log, states = {
      a = { enter = function(d) d[#d + 1] = "enter a" end, exit = function(d) d[#d + 1] = "exit a" end,
        { to = "b", after = 0.1 } },
      b = { enter = function(d, m) d[#d + 1] = "enter b from " .. m.previous end,
        { to = "a", when = function() return world.time > 0.3 end } } } })
    for _ = 1, 6 do world:step() end
    assert.equal("a", machine.state)
    world:step()
    assert.equal("b", machine.state)
    for _ = 1, 30 do world:step() end
    assert.same({ "enter a", "exit a", "enter b from a", "enter a" }, { table.unpack(log, 1, 4) })
  end)

  it("changes right after a step that has a hit event with an impulse above a threshold", function()
    local world = impel.world {}
    world:body { type = "static" }:box { 10, 1, center = { 0, -0.5 } }
    local ball = world:body { position = { 0, 2 } }
    ball:circle { radius = 0.5 }
    local seen
    local machine = impel.state_machine(world, { initial = "whole", states = {
      whole = { { to = "broken", event = "hit", when = function(_, hit) return hit.impulse > 1 end } },
      broken = { enter = function(_, _, hit) seen = hit.impulse end } } })
    local steps = 0
    while machine.state == "whole" and steps < 120 do
      world:step()
      steps = steps + 1
      local hits = 0
      for _ in world:events "hit" do hits = hits + 1 end
      assert.equal(hits > 0 and "broken" or "whole", machine.state)
    end
    assert.equal("broken", machine.state)
    -- Without restitution the impulse is m v of the fall.
    assert.near(ball.mass * math.sqrt(2 * 9.81 * 1.5), seen, 0.05 * seen)
  end)

  it("updates its current state each step until it is destroyed", function()
    local world, count = impel.world {}, 0
    local machine = impel.state_machine(world, { initial = "on", states = { on = { update = function(_, m, dt)
      count = count + 1
      assert.near(1 / 60, dt, 1e-12)
      assert.near((count - 1) / 60, m.time, 1e-9)
    end } } })
    for _ = 1, 5 do world:step() end
    assert.equal(5, count)
    machine:destroy()
    world:step()
    assert.equal(5, count)
  end)

  it("makes no garbage", function()
    local world, count = impel.world {}, 0
    impel.state_machine(world, { initial = "on", states = {
      on = { update = function() count = count + 1 end, { to = "off", after = 0.5 } },
      off = { { to = "on", when = function(_, event) return event == nil end } } } })
    assert.equal(0, flat(function() world:step() end))
    assert.is_true(count > 5000)
  end)

  it("refuses invalid states", function()
    local world = impel.world {}
    fails("no state 'stnd' (did you mean 'stand'?)", impel.state_machine, world, { initial = "stnd",
      states = { stand = {} } })
    fails("state 'a', transition 1: no state 'b'", impel.state_machine, world, { initial = "a",
      states = { a = { { to = "b", after = 1 } } } })
    fails("transition 1 needs when, after or event", impel.state_machine, world, { initial = "a",
      states = { a = { { to = "a" } } } })
    fails("bad field 'entr' in impel.state_machine: state 'a' (did you mean 'enter'?)", impel.state_machine, world,
      { initial = "a", states = { a = { entr = print } } })
  end)
end)

describe("pattern", function()
  it("turns with its frequency, amplitude and phases", function()
    local p = impel.pattern { oscillators = { "left", "right" }, frequency = 2, amplitude = 0.5, offset = 0.1,
      phases = { right = 0.5 } }
    for _ = 1, 240 do p:update(1 / 240) end
    assert.near(2 * 2 * math.pi, p:phase "left", 1e-9)
    assert.near(0.6, p:value "left", 1e-9)
    assert.near(-0.4, p:value "right", 1e-9)
  end)

  it("locks two phases: error d, coupling w, amplitude r, tan(d/2) falls as exp(-2 w r t)", function()
    local w, r = 3, 0.8
    local p = impel.pattern { oscillators = { "a", "b" }, amplitude = r, coupling = w }
    p:set { phases = { b = 0.25 } }
    local d0, h, n = math.pi / 2, 1e-4, 5000
    for _ = 1, n do p:update(h) end
    local d = p:phase "b" - p:phase "a" - d0 -- phase difference less its target [rad]
    -- The tolerance is the error of Euler's method.
    assert.near(math.tan(-d0 / 2) * math.exp(-2 * w * r * n * h), math.tan(d / 2), 1e-3)
  end)

  it("gives the derivative of its value, also during a change", function()
    local p = impel.pattern { oscillators = { "a", "b" }, amplitude = 0.2, phases = { b = 0.3 } }
    p:set { amplitude = { a = 0.7 }, offset = { a = 0.4 }, phases = { b = 0.6 } }
    local h = 1e-5
    for _ = 1, 2000 do p:update(h) end
    local before = p:value "a"
    p:update(h)
    local rate = p:rate "a"
    local middle = p:value "a"
    -- The error of a one-sided difference is h / 2 times the second derivative.
    assert.near((middle - before) / h, rate, 2e-3)
  end)

  it("changes between gaits without a jump", function()
    local names = { "left_front", "right_front", "left_hind", "right_hind" }
    local p = impel.pattern { oscillators = names, frequency = 1.5, phases = impel.pattern.gaits.walk, coupling = 8 }
    for _ = 1, 240 do p:update(1 / 240) end
    p:set { phases = impel.pattern.gaits.trot }
    local worst = 0
    for _ = 1, 2400 do
      local before = p:value "left_front"
      p:update(1 / 240)
      worst = math.max(worst, math.abs(p:value "left_front" - before))
    end
    assert.is_true(worst < 0.15) -- the phase advances by at most (2 pi f + 3 w) / 240 rad
    local d = (p:phase "left_front" - p:phase "right_hind") / (2 * math.pi)
    assert.near(math.floor(d + 0.5), d, 1e-3)
    d = (p:phase "left_front" - p:phase "left_hind") / (2 * math.pi)
    assert.near(0.5, d % 1, 1e-3)
  end)

  it("makes no garbage, and refuses unknown names", function()
    local p = impel.pattern { oscillators = { "a", "b" } }
    assert.equal(0, flat(function() p:update(0.01); p:value "a"; p:rate "b" end))
    fails("no oscillator 'c'", function() p:value "c" end)
    fails("phases: no oscillator 'lft'", impel.pattern, { oscillators = { "left" }, phases = { lft = 1 } })
  end)
end)

describe("blend", function()
  it("mixes poses by name", function()
    local out = {}
    impel.blend({ a = 1, b = 2 }, { a = 3, c = 4 }, 0.25, out)
    assert.same({ a = 1.5, b = 2, c = 4 }, out)
    assert.same({ right_knee = 1, left_hip = 2, waist = 3 }, impel.blend.mirror { left_knee = 1, right_hip = 2,
      waist = 3 })
    assert.same({ 0, 0.5, 1, 1 }, { impel.blend.smooth(0), impel.blend.smooth(0.5), impel.blend.smooth(1),
      impel.blend.smooth(7) })
  end)
end)
