-- impel.track, posture, replay, state_machine and pattern: failures, ends, restores, invalid arguments, options.
local impel = require "impel"
local flat = require "support.flat"
local fails = require "support.raises"

-- Build a rod of 1 m and 1 kg on a hinge at its end.
local function arm(gravity)
  local world = impel.world { gravity = { 0, gravity or 0 }, sleep = false }
  local rod = world:body { name = "rod", position = { 0.5, 0 }, mass = 1, inertia = 1 / 12 }
  return world, world:revolute(world.ground, rod, { name = "hinge", anchor = { 0, 0 } })
end

local function spring_of(hinge) return hinge:coordinate():drives().spring end

describe("track", function()
  it("has zero rate at its ends, and accepts any first time for a loop", function()
    local t = impel.track { keys = { { time = 2, a = 0 }, { time = 3, a = 5 }, { time = 5, a = 1 } } }
    for _, at in ipairs { 2, 5 } do assert.equal(0, select(2, t:sample(at, {}, {})).a) end
    local l = impel.track { loop = true, keys = { { time = 2, a = 0 }, { time = 3, a = 5 }, { time = 4, a = 1 },
      { time = 5, a = 0 } } }
    assert.equal(5, l:sample(3).a)
    assert.equal(5, l:sample(9).a)
    assert.equal(5, l:sample(-3).a)
    local _, rates = l:sample(2, {}, {})
    -- The rate at the loop's closure is a centred difference.
    assert.near((5 - 1) / (1 + 1), rates.a, 1e-12)
    local from = impel.track.from({ time = { 0, 1, 2 }, a = { 0, 1, 0 } }, { loop = true })
    assert.is_true(from.loop)
    assert.near(from:sample(0.4).a, from:sample(2.4).a, 1e-12)
  end)

  it("closes a loop exactly in spite of rounding of its duration", function()
    local keys = { { time = 7 / 60, x = 0 }, { time = 0.2, x = 1 }, { time = 23 / 60, x = 5 } }
    fails("'x' ends the loop at 5, but begins it at 0", impel.track, { loop = true, keys = keys })
    fails("a loop needs 'y' in its first key", impel.track,
      { loop = true, keys = { { time = 0, x = 1 }, { time = 1, x = 1, y = 2 } } })
  end)

  it("continues from the end of the previous turn of a loop if it accumulates", function()
    local t = impel.track { loop = true, accumulate = true, keys = {
      { time = 0, angle = 0 }, { time = 0.3, angle = 1 }, { time = 1, angle = 2 * math.pi } } }
    assert.near(2 * math.pi * 7 + t:sample(0.6).angle, t:sample(7.6).angle, 1e-9)
    assert.near(t:sample(0.6).angle - 2 * math.pi, t:sample(-0.4).angle, 1e-9)
    local before, rate_before = t:sample(1 - 1e-7, {}, {})
    local after, rate_after = t:sample(1 + 1e-7, {}, {})
    -- In 2e-7 s, at a few rad/s, the angle changes by less than 1e-5 rad.
    assert.near(before.angle, after.angle, 1e-5)
    assert.near(rate_before.angle, rate_after.angle, 1e-4) -- the slope is continuous at the loop's closure
    fails("accumulate needs loop", impel.track, { accumulate = true, keys = { { time = 0, a = 0 } } })
  end)

  it("refuses invalid times and columns", function()
    local t = impel.track { keys = { { time = 0, a = 0 } } }
    for _, bad in ipairs { 0 / 0, math.huge, "x", {} } do
      fails("track:sample: argument 't' must be a finite number", function() t:sample(bad) end)
    end
    fails("argument 'columns' must be a table", function() impel.track.from() end)
    fails("no column 'b'", impel.track.from, { time = { 0 }, a = { 0 } }, { names = { "b" } })
  end)
end)

describe("posture", function()
  it("is limp from the beginning if it is created disabled", function()
    local world, hinge = arm(-9.81)
    local posture = impel.posture({ h = hinge }, { stiffness = 500, damping = 50, enabled = false })
    assert.is_nil(spring_of(hinge))
    world:step(60)
    assert.is_true(hinge.value < -2)
    posture.enabled = true
    assert.equal(500, spring_of(hinge).stiffness)
  end)

  it("has a strength s: s times the stiffness and the maximum force, sqrt(s) times the damping", function()
    local _, hinge = arm()
    local posture = impel.posture({ h = hinge }, { stiffness = 80, damping = 6, max_force = 40 })
    posture:fade(0.25)
    local spring = spring_of(hinge)
    assert.same({ 20, 3, 10 }, { spring.stiffness, spring.damping, spring.max_force })
    posture:fade(0)
    assert.is_nil(spring_of(hinge))
    posture:fade(1)
    assert.same({ 80, 6, 40 }, { spring_of(hinge).stiffness, spring_of(hinge).damping, spring_of(hinge).max_force })
  end)

  it("accepts gains by name", function()
    local _, hinge = arm()
    local world = hinge.world
    local other = world:revolute(world.ground, world:body { mass = 1, inertia = 1 }, {})
    impel.posture({ a = hinge, b = other }, { stiffness = { a = 1, b = 2 }, damping = 3 })
    assert.same({ 1, 2, 3 }, { spring_of(hinge).stiffness, spring_of(other).stiffness, spring_of(other).damping })
    fails("bad field 'c' in 'damping' of impel.posture", impel.posture, { a = hinge },
      { stiffness = 1, damping = { a = 1, c = 2 } })
    fails("field 'stiffness' of joint 'a' must be a finite number >= 0", impel.posture, { a = hinge },
      { stiffness = -1, damping = 1 })
    fails("impel.posture needs the field 'damping', a number or { name = number }", impel.posture, { a = hinge },
      { stiffness = 1 })
  end)

  it("compensates a known load, also while it follows a track", function()
    local world, hinge = arm(-9.81)
    local posture = impel.posture({ h = hinge }, { stiffness = 200, damping = 40 })
    posture:bear("h", function(target) return 9.81 * 0.5 * math.cos(target) end)
    posture:follow(impel.track { keys = { { time = 0, h = 0 }, { time = 1, h = 0.6 } } })
    world:step(600)
    assert.near(0.6, hinge.value, 1e-6) -- without compensation the joint sags by 0.02 rad
    posture:follow(nil)
    posture:set { h = 0.6 }
    posture:bear("h", 0)
    world:step(600)
    -- The formula takes the moment of the weight at 0.6 rad and ignores the sag.
    assert.near(0.6 - 9.81 * 0.5 * math.cos(0.6) / 200, hinge.value, 1e-3)
  end)

  it("follows a track at a speed, from an offset, to the track's value at the end of the step", function()
    local world, hinge = arm()
    local posture = impel.posture({ h = hinge }, { stiffness = 400, damping = 40 })
    local track = impel.track { interpolation = "linear", keys = { { time = 0, h = 0 }, { time = 10, h = 10 } } }
    posture:follow(track, { speed = 0.5, offset = 0.25 })
    world:step(120) -- the time in the track is 0.25 s + 0.5 * 2 s
    assert.near(1.25, spring_of(hinge).target, 1e-9)
    -- The target is constant within a step, so the error is at most the motion in a step.
    assert.near(1.25, hinge.value, 0.5 / 60)
    assert.near(0.5, hinge.speed, 0.05)
  end)

  it("returns the largest error of its joints, and the pose", function()
    local world, hinge = arm()
    local far = world:revolute(world.ground, world:body { mass = 1, inertia = 1 }, {})
    local posture = impel.posture({ a = hinge, b = far }, { stiffness = 1, damping = 1 })
    posture:set { a = 0.2, b = -0.5 }
    assert.same({ 0.5, "b" }, { posture:error() })
    assert.same({ a = 0, b = 0 }, posture:pose())
  end)

  it("refuses a joint with another controller, and leaves it unchanged", function()
    local world, hinge = arm()
    local first = impel.posture({ h = hinge }, { stiffness = 50, damping = 5 })
    first:set { h = 0.5 }
    fails("impel.posture: joint 'h' is driven by", impel.posture, { h = hinge }, { stiffness = 10, damping = 1 })
    assert.equal(50, spring_of(hinge).stiffness)
    world:step(600)
    assert.near(0.5, hinge.value, 1e-4)
    -- A hinge may have a second, disabled posture. The second posture takes over when the first posture is disabled.
    local second = impel.posture({ h = hinge }, { stiffness = 10, damping = 1, enabled = false })
    first.enabled = false
    second.enabled = true
    assert.equal(10, spring_of(hinge).stiffness)
  end)

  it("ends, and reports it", function()
    local world, hinge = arm()
    local posture = impel.posture({ h = hinge }, { stiffness = 50, damping = 5 })
    posture:follow(impel.track { keys = { { time = 0, h = 0 }, { time = 1, h = 1 } } })
    posture:destroy()
    posture:destroy()
    world:step(10)
    assert.is_nil(spring_of(hinge))
    assert.equal(0, hinge.value)
    fails("attempt to use destroyed posture", function() posture.enabled = true end)
    fails("attempt to use destroyed posture", function() posture:fade(1) end)
  end)

  it("names wrong arguments", function()
    local _, hinge = arm()
    local posture = impel.posture({ h = hinge }, { stiffness = 50, damping = 5 })
    fails("argument 'pose' must be a table, got nil", function() posture:set() end)
    fails("posture:aim: argument 'value' must be a finite number, got nil", function() posture:aim "h" end)
    fails("must be a finite number", function() posture:aim("h", 0 / 0) end)
    fails("argument 'track' must be an impel.track, got a table", function() posture:follow {} end)
    fails("argument 'track' must be an impel.track, got 'x'", function() posture:follow "x" end)
    fails("argument 'strength' must be a finite number in [0, 1000000]", function() posture:fade(1e308) end)
    fails("argument 'feed_forward' must be a finite number", function() posture:bear("h", "x") end)
    fails("as { name = joint }", impel.posture, { hinge }, { stiffness = 1, damping = 1 })
    local other = impel.world {}
    local far = other:revolute(other.ground, other:body { inertia = 1 }, {})
    local _, near = arm()
    fails("are in different worlds", impel.posture, { a = near, b = far }, { stiffness = 1, damping = 1 })
  end)
end)

describe("replay", function()
  local function swing(options)
    local world = impel.world { gravity = { 0, -9.81 } }
    local body = world:body { position = { 5, 5 }, angle = 0.4 }
    body:box { 1, 0.2 }
    local track = impel.track { loop = true, keys = { { time = 0, x = 0 }, { time = 1, x = 1 }, { time = 2, x = 0 } } }
    return world, body, impel.replay(body, track, options), track
  end

  it("plays at a speed, from an offset; coordinates without a channel in the track do not change", function()
    local world, body, _, track = swing { speed = 2, offset = 0.5 }
    world:step(30)
    local x, y = body:position()
    assert.near(track:sample(1.5).x, x, 1e-9)
    assert.near(5, y, 1e-9)
    assert.near(0.4, body.angle, 1e-9)
  end)

  it("moves a body to its track along a cubic, with continuous position and velocity", function()
    local world, body, replay = swing()
    replay:release()
    world:step(30)
    local _, y = body:position()
    local _, vy = body:velocity()
    replay:take(1)
    world:step(1)
    local _, after = body:position()
    local h = 1 / 60
    local off = y - 5 -- the track has y = 5
    -- take(1) moves the body onto the track along a cubic in u = time / 1 s, and u = h after one step.
    assert.near(5 + off * (1 - 3 * h ^ 2 + 2 * h ^ 3) + vy * h * (1 - h) ^ 2, after, 1e-9)
    world:step(59)
    assert.near(5, select(2, body:position()), 1e-9)
    world:step(1)
    assert.near(0, select(2, body:velocity()), 1e-9)
  end)

  it("keeps the angle of a body that has tumbled: the angles of its joints do not jump", function()
    local world, body, replay = swing()
    replay:release()
    local child = world:body { position = { 5, 5 }, mass = 1, inertia = 1 }
    local joint = world:revolute(body, child, { limit = { -1, 1 } })
    body.angular_velocity = 20
    world:step(60)
    local value, angle = joint.value, body.angle
    replay:take(0.5)
    assert.same({ value, angle }, { joint.value, body.angle })
    world:step(60)
    assert.is_true(math.abs(joint.value) < 1.05) -- the joint has not turned by a full turn
    local turns = (body.angle - 0.4) / (2 * math.pi)
    assert.near(math.floor(turns + 0.5), turns, 1e-9)
  end)

  it("stops when its body is destroyed, and reports invalid calls", function()
    local world, body, replay = swing()
    world:step(5)
    body:destroy()
    world:step(5)
    replay:destroy()
    fails("attempt to use destroyed replay", function() replay:take(1) end)
    local other = world:body {}
    fails("argument 'track' must be an impel.track, got a table", impel.replay, other, {})
    fails("argument 'duration' must be a finite number > 0 [s]", function() replay:take(-1) end)
  end)
end)

describe("a state machine", function()
  it("leaves no handlers behind if its creation fails", function()
    local world, calls = impel.world {}, 0
    fails("world:on: argument 'event'", impel.state_machine, world, { initial = "a", states = {
      a = { update = function() calls = calls + 1 end, { to = "a", event = "hitt" } } } })
    local ok = pcall(impel.state_machine, world, { initial = "a", states = {
      a = { enter = function() error "no" end, update = function() calls = calls + 1 end } } })
    assert.is_false(ok)
    world:step(5)
    assert.equal(0, calls)
  end)

  it("does nothing while it is disabled, and reports that it is destroyed", function()
    local world = impel.world {}
    local machine = impel.state_machine(world, { initial = "a", states = {
      a = { { to = "b", after = 0.1 } }, b = {} } })
    machine.enabled = false
    world:step(60)
    assert.same({ "a", 0 }, { machine.state, machine.time })
    machine.enabled = true
    world:step(8)
    assert.equal("b", machine.state)
    machine:destroy()
    fails("attempt to use destroyed state machine", function() machine:go "a" end)
  end)

  it("counts the time in a state from its entry", function()
    local world = impel.world {}
    local machine = impel.state_machine(world, { initial = "a", states = {
      a = { { to = "b", after = 0.1 } }, b = { { to = "a", after = 0.2 } } } })
    local seen = {}
    for _ = 1, 40 do
      world:step()
      seen[#seen + 1] = machine.state
    end
    assert.equal("aaaaaabbbbbbbbbbbbaaaaaabbbbbbbbbbbbaaaa", table.concat(seen)) -- state a lasts 6 steps, state b 12
    assert.equal("b", machine.previous)
  end)
end)

describe("pattern", function()
  it("approaches a new amplitude and offset as a critically damped oscillator, at any step", function()
    for _, h in ipairs { 1 / 60, 1 / 7 } do
      local p = impel.pattern { oscillators = { "a" }, amplitude = 0, rate = 120, frequency = 0 }
      p:set { amplitude = 2, offset = 1 }
      p:update(h)
      local l = 60 -- the distance to the target decays as (1 + l t) exp(-l t), l = rate / 2 [1/s]
      assert.near(1 - (1 + l * h) * math.exp(-l * h) + 2 * (1 - (1 + l * h) * math.exp(-l * h)), p:value "a", 1e-12)
      for _ = 1, 200 do p:update(h) end
      assert.near(3, p:value "a", 1e-12)
    end
  end)

  it("locks phase differences to their targets under a strong coupling", function()
    local p = impel.pattern { oscillators = { "a", "b", "c" }, coupling = 300, phases = { b = 0.2, c = 0.6 } }
    p:set { phases = { b = 0.4, c = 0.1 } }
    for _ = 1, 60 do p:update(1 / 60) end
    for name, lead in impel.pairs { b = 0.4, c = 0.1 } do
      local turns = (p:phase(name) - p:phase "a") / (2 * math.pi) - lead
      assert.near(math.floor(turns + 0.5), turns, 1e-9)
    end
  end)

  it("uses defaults for oscillators that an option does not name, and provides gaits for four legs", function()
    local p = impel.pattern { oscillators = { "a", "b" }, amplitude = { a = 2 } }
    assert.same({ 2, 1 }, { p:value "a", p:value "b" })
    local gaits = impel.pattern.gaits
    assert.equal(gaits.bound.left_hind, gaits.bound.right_hind)
    assert.equal(gaits.bound.left_front, gaits.bound.right_front)
    assert.equal(0.5, math.abs(gaits.bound.left_front - gaits.bound.left_hind))
    assert.equal(gaits.trot.left_hind, gaits.trot.right_front) -- diagonal legs
    assert.equal(gaits.pace.left_hind, gaits.pace.left_front)  -- legs of one side
  end)

  it("refuses invalid parameters", function()
    local p = impel.pattern { oscillators = { "a" } }
    for _, h in ipairs { 0 / 0, -1, math.huge, "x" } do
      fails("argument 'h' must be a finite number >= 0", function() p:update(h) end)
    end
    fails("argument 'h'", function() p:update() end)
    fails("a pattern has no field 'frequncy' (did you mean 'frequency'?)", function() p.frequncy = 3 end)
    p.frequency = 0 / 0
    fails("frequency", function() p:update(0.1) end)
  end)
end)

describe("blend", function()
  it("makes no garbage, and names values other than numbers", function()
    local a, b, out = { x = 1 }, { x = 2 }, {}
    assert.equal(0, flat(function() impel.blend(a, b, 0.5, out) end))
    assert.same({ x = 1.5 }, out)
    fails("'x' must be a number in both tables", impel.blend, { x = "1" }, { x = 2 }, 0.5)
    fails("argument 'u' must be a finite number", impel.blend.smooth, 0 / 0)
    fails("argument 'pose' must be a table", function() impel.blend.mirror() end)
  end)
end)

-- world:restore does not restore controllers, which have their own save and load.
describe("after a restore or load", function()
  local function twice(name, build)
    it(name .. " gives the same bits", function()
      local world, saves = build()
      world:step(37)
      local shot, saved = world:snapshot(), {}
      for i, each in ipairs(saves) do saved[i] = each:save() end
      world:step(50)
      local hash = world.hash
      world:restore(shot)
      for i, each in ipairs(saves) do each:load(saved[i]) end
      world:step(50)
      assert.equal(hash, world.hash)
    end)
  end

  twice("a posture", function()
    local world, hinge = arm(-9.81)
    local posture = impel.posture({ h = hinge }, { stiffness = 50, damping = 2 })
    posture:follow(impel.track { loop = true, keys = {
      { time = 0, h = 0 }, { time = 0.4, h = 1 }, { time = 1, h = 0 } } })
    posture:fade(0.2, 1)
    return world, { posture }
  end)

  twice("a replay", function()
    local world = impel.world {}
    local body = world:body {}
    local replay = impel.replay(body, impel.track { loop = true, keys = {
      { time = 0, x = 0 }, { time = 0.4, x = 1 }, { time = 1, x = 0 } } })
    world:on("step", function()
      if world.tick == 20 then replay:release() elseif world.tick == 30 then replay:take(0.5) end
      if world.tick == 60 then replay:release() end
    end)
    return world, { replay }
  end)

  twice("a state machine with a pattern", function()
    local world = impel.world {}
    local body = world:body {}
    local pattern = impel.pattern { oscillators = { "a", "b" }, phases = { b = 0.3 } }
    local machine = impel.state_machine(world, { initial = "slow", states = {
      slow = { enter = function() pattern.frequency = 1 end, { to = "fast", after = 0.3 } },
      fast = { enter = function() pattern.frequency = 3 end, { to = "slow", after = 0.2 } } } })
    world:on("step", function(dt)
      pattern:update(dt)
      body:apply_force(pattern:value "a", pattern:value "b")
    end)
    return world, { machine, pattern }
  end)
end)
