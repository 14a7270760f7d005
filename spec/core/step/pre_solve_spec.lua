-- pre_solve handlers: the contacts that they are called for, the order of the calls, and changes of a contact for one
-- step.
local core = require "impel.core"
local flat = require "support.flat"

local SOLVERS = require("support.kinds").solvers
local raises = require "support.raises"

local function floor_and_box(options, floor_options)
  local world = core.world(options or {})
  local o = { 20, 1, center = { 0, -0.5 }, pre_solve = true }
  for key, value in pairs(floor_options or {}) do o[key] = value end
  local floor = world:body({ type = "static" }):box(o)
  local body = world:body { position = { 0, 0.5 } }
  body:box { 1, 1 }
  return world, body, floor
end

describe("pre_solve handlers", function()
  it("are called for contacts of shapes with pre_solve, once a step, in the order of shapes", function()
    local world = core.world { substeps = 4 }
    local ground = world:body { type = "static" }
    local quiet = ground:box { 5, 1, center = { -5, -0.5 } }
    local shapes = {}
    for i = 1, 8 do -- bodies from right to left; bodies at x < 0 stand on the shape without pre_solve
      shapes[i] = world:body({ position = { 4.5 - i, 0.5 } }):box { 0.9, 1, pre_solve = i == 7 }
    end
    local calling = ground:box { 5, 1, center = { 2.5, -0.5 }, pre_solve = true }
    local seen
    world:on("pre_solve", function(contact)
      seen[#seen + 1] = contact.shape_a.id .. "-" .. contact.shape_b.id
      assert.is_true(contact.shape_a == calling or contact.shape_b == calling or contact.shape_b == shapes[7])
    end)
    for _ = 1, 20 do
      seen = {}
      world:step()
      assert.equal(("%d-%d"):format(quiet.id, shapes[7].id), seen[1])
      local before = 0
      for i = 2, #seen do
        local a, b = seen[i]:match "(%d+)-(%d+)"
        assert.equal(calling.id, tonumber(b))
        assert.is_true(tonumber(a) > before)
        before = tonumber(a)
      end
      assert.is_true(#seen >= 5 and #seen <= 6, #seen)
    end
  end)

  it("are called in the order of shapes also if contacts reuse the slots of ended contacts", function()
    local world = core.world {}
    local floor = world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 }, pre_solve = true }
    local bodies, ids = {}, {}
    for i = 1, 8 do
      bodies[i] = world:body { position = { 2 * i - 9, 0.5 } }
      ids[i] = bodies[i]:box { 1, 1 }.id
    end
    local seen
    world:on("pre_solve", function(contact)
      assert.equal(floor, contact.shape_a)
      seen[#seen + 1] = contact.shape_b.id
    end)
    seen = {}
    world:step()
    assert.same(ids, seen)
    for _, height in ipairs { 50, 0.5 } do
      for i = 2, 6 do bodies[i]:set_position(2 * i - 9, height) end
      for i = 2, 6 do bodies[i]:set_velocity(0, 0) end
      seen = {}
      world:step()
    end
    assert.same(ids, seen)
  end)

  it("are not called for shapes without pre_solve, sleeping bodies and sensors", function()
    local calls = 0
    local function count(world) world:on("pre_solve", function() calls = calls + 1 end) end
    local world = floor_and_box(nil, { pre_solve = false })
    count(world)
    world:step(10)
    assert.equal(0, calls)
    world = floor_and_box(nil, { sensor = true })
    count(world)
    world:step(10)
    assert.equal(0, calls)
    local body
    world, body = floor_and_box()
    count(world)
    world:step(120)
    assert.is_false(body.awake)
    local before = calls
    assert.is_true(before > 20)
    world:step(10)
    assert.equal(before, calls)
  end)

  it("get the contact before the step: normal, points, speed of approach, no impulse", function()
    local world = core.world {}
    world:set_gravity(0, 0)
    world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 }, pre_solve = true }
    local body = world:body { position = { 0.25, 0.51 }, velocity = { 1, -3 } }
    body:circle { radius = 0.5 }
    local called
    world:on("pre_solve", function(contact)
      called = true
      local nx, ny = contact:normal()
      local x, y, separation, normal, tangent = contact:point(1)
      assert.same({ 0, 1, 1 }, { nx, ny, contact.count })
      assert.near(0.25, x, 1e-12)
      assert.near(0.005, y, 1e-12)
      assert.near(0.01, separation, 1e-12)
      assert.same({ 0, 0, 0, 0, 0 }, { normal, tangent, contact.normal_impulse, contact.tangent_impulse,
        contact.rolling_impulse })
      assert.equal(3, contact.speed)
      assert.is_true(contact.enabled)
      assert.is_true(contact:is_valid())
      assert.near(0, world.time, 0)
    end)
    world:step()
    assert.is_true(called)
  end)

  for _, solver in ipairs(SOLVERS) do
    it("disable a contact for a step: free fall, and solid again after it: " .. solver, function()
      local world, body = floor_and_box { solver = solver, sleep = false }
      local off = false
      local kept
      world:on("pre_solve", function(contact)
        kept = contact
        if off then contact.enabled = false end
      end)
      world:step(30)
      assert.is_true(kept.enabled)
      off = true
      world:step()
      assert.is_false(kept.enabled)
      assert.equal(0, kept.normal_impulse)
      local _, vy = body:velocity()
      assert.near(-9.81 / 60, vy, 2e-3) -- with solver si, a body at rest has a speed of up to 1e-3 m/s after a step
      off = false
      world:step(60)
      local _, y = body:position()
      assert.near(0.5, y, 0.02) -- a fall of 1.4 mm and the overlap of a resting contact
    end)

    it("change friction, restitution and surface speed for a step: " .. solver, function()
      -- A box slides at 5 m/s. A step with mu = 1 reduces its speed by g dt, a step with mu = 0 does not.
      local world, body = floor_and_box { solver = solver, sleep = false }
      local mu, belt = 0, nil
      body.fixed_rotation = true -- rotation would shift the box's weight
      world:on("pre_solve", function(contact)
        assert.equal(0.6, contact.friction) -- friction of the shapes
        assert.equal(0, contact.surface_speed)
        contact.friction = mu
        if belt then contact.surface_speed = belt end
      end)
      world:step(20)
      body:set_velocity(5, 0)
      local last = 5
      for i = 1, 20 do
        mu = i % 2
        world:step()
        local vx = body:velocity()
        assert.near(mu * 9.81 / 60, last - vx, 0.003 * 9.81 / 60) -- 0.3 %: the box is still settling
        last = vx
      end
      mu, belt = 1, 2 -- the normal is up, the tangent +x
      world:step(60)
      assert.near(2, (body:velocity()), 1e-3)
    end)
  end

  it("clear the accumulated impulse of a contact that they disabled", function()
    for _, solver in ipairs(SOLVERS) do
      -- One iteration cannot remove all warm-start impulses of two corners, or of rolling resistance.
      local world, body = floor_and_box { solver = solver, sleep = false, iterations = 1, substeps = 1 }
      local disc, off = world:body { position = { 3, 0.5 } }, false
      disc:circle { radius = 0.5, rolling_resistance = 0.5 }
      world:on("pre_solve", function(contact) contact.enabled = not off end)
      world:set_gravity(2, -9.81) -- friction and rolling resistance can hold the bodies against 2 m/s^2
      world:step(120)
      off = true
      world:set_gravity(0, 0)
      for _, b in ipairs { body, disc } do
        b:set_velocity(0, 0)
        b.angular_velocity = 0
      end
      world:step()
      off = false
      world:step()
      for _, b in ipairs { body, disc } do
        local vx, vy = b:velocity()
        local most = math.max(math.abs(vx), math.abs(vy), math.abs(b.angular_velocity))
        assert.is_true(most < 1e-8, solver) -- the soft solver computes in floats
      end
    end
  end)

  it("can set the restitution", function()
    for _, solver in ipairs(SOLVERS) do
      local world = core.world { solver = solver }
      world:set_gravity(0, 0)
      world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 }, pre_solve = true }
      local ball = world:body { position = { 0, 1 }, velocity = { 0, -3 } }
      ball:circle { radius = 0.5, restitution_threshold = 0 }
      world:on("pre_solve", function(contact) contact.restitution = 0.25 end)
      world:step(30)
      local _, vy = ball:velocity()
      assert.near(0.75, vy, 1e-5, solver) -- the soft solver computes in floats
    end
  end)

  it("are called for a time-of-impact event, at 100 m/s", function()
    for _, open in ipairs { false, true } do
      local world = core.world {}
      world:set_gravity(0, 0)
      local wall = world:body({ type = "static" }):segment { from = { -5, 0 }, to = { 5, 0 }, pre_solve = true }
      local ball = world:body { position = { 0, 3 }, velocity = { 0, -100 } }
      ball:circle { radius = 0.1 }
      local calls = 0
      world:on("pre_solve", function(contact)
        calls = calls + 1
        assert.equal(wall, contact.shape_a)
        if open then contact.enabled = false end
      end)
      world:step(30)
      local _, y = ball:position()
      assert.equal(open, y < -40)
      assert.is_true(calls >= 1)
      if not open then assert.near(0.1, y, 1e-3) end
    end
  end)

  it("can set the rolling resistance", function()
    local world = core.world {}
    world:body({ type = "static" }):box { 200, 1, center = { 0, -0.5 }, pre_solve = true }
    local disc = world:body { position = { 0, 0.5 }, velocity = { 3, 0 }, angular_velocity = -6 }
    disc:circle { radius = 0.5 }
    world:on("pre_solve", function(contact) contact.rolling_resistance = 0.01 * 0.5 end)
    world:step(600)
    -- The deceleration is a = 2 c g / 3, where c = 0.01 is the resistance divided by the radius.
    local a = 2 * 0.01 * 9.81 / 3
    assert.near(3 * 10 - a * 50, (disc:position()), 0.02 * 30)
  end)

  it("let a disabled contact neither wake a sleeping body nor keep a body awake", function()
    local world = core.world {}
    world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
    local sleeper = world:body { position = { 0, 0.5 } }
    sleeper:box { 1, 1, pre_solve = true }
    world:step(120)
    assert.is_false(sleeper.awake)
    local x0, y0 = sleeper:position()
    world:on("pre_solve", function(contact)
      if contact.body_b.name == "ghost" then contact.enabled = false end
    end)
    local ghost = world:body { name = "ghost", position = { -3, 0.6 }, velocity = { 4, 0 }, gravity_scale = 0 }
    ghost:circle { radius = 0.3 }
    for _ = 1, 90 do
      world:step()
      assert.is_false(sleeper.awake)
    end
    assert.near(3, (ghost:position()), 1e-6)
    assert.same({ x0, y0 }, { sleeper:position() })
    ghost:set_position(-3, 0.6)
    ghost.name = "guest"
    world:step(60)
    assert.is_true(sleeper.awake)
  end)

  it("let a body in a permanently disabled contact fall asleep on another", function()
    local world = core.world {}
    world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
    world:body({ type = "static" }):box { 4, 4, pre_solve = true, name = "fog" }
    local body = world:body { position = { 0, 0.5 } }
    body:box { 1, 1 }
    world:on("pre_solve", function(contact) contact.enabled = false end)
    world:step(120)
    local _, y = body:position()
    assert.near(0.5, y, 0.01) -- the overlap of a resting contact
    assert.is_false(body.awake)
  end)

  it("defer creations and destructions to the end of the step", function()
    local world, body = floor_and_box()
    local made, first
    world:on("pre_solve", function(contact)
      if made then return end
      first = contact.id
      made = world:body { name = "made", position = { 3, 5 }, velocity = { 1, 0 } }
      made:circle { radius = 0.5 }
      body:destroy()
      assert.is_false(body:is_valid())
      assert.is_true(contact:is_valid())
      assert.same({ 3, 5 }, { made:position() })
    end)
    world:step()
    assert.is_not_nil(first)
    assert.same({ 3, 5 }, { made:position() }) -- the new body takes part from the next step on
    assert.equal(2, world:counts().bodies)
    world:step()
    local x = made:position()
    assert.near(3 + 1 / 60, x, 1e-12)
  end)

  it("apply impulses from the first substep on", function()
    for _, solver in ipairs { "soft", "si", "xpbd" } do
      local world, body = floor_and_box { solver = solver }
      world:step(20)
      local handle = world:on("pre_solve", function() body:apply_impulse(0, 4) end)
      world:step()
      handle:destroy()
      local _, vy = body:velocity()
      assert.near(4 - 9.81 / 60, vy, 0.02, solver) -- the floor may add a small impulse
    end
  end)

  it("that raise leave the contact as it was; the others run", function()
    local world, body = floor_and_box()
    local others = 0
    world:step(10)
    local handle = world:on("pre_solve", function(contact)
      contact.friction = 0.25
      error "trouble"
    end)
    world:on("pre_solve", function(contact)
      others = others + 1
      assert.equal(0.25, contact.friction)
    end)
    raises("trouble", world.step, world)
    assert.equal(1, others)
    assert.equal(11, world.tick)
    handle:destroy()
    local _, y = body:position()
    assert.near(0.5, y, 0.01)
  end)

  it("can set only their own contact, to legal values; other code cannot set a contact", function()
    local world = floor_and_box()
    local other = world:body { position = { 3, 0.5 } }
    other:box { 1, 1 }
    world:step()
    local messages, before = {}, nil
    world:on("pre_solve", function(contact)
      before = before or contact
      for key, value in pairs { friction = -1, restitution = 1.5, enabled = 1, rolling_resistance = 0 / 0,
                                surface_speed = math.huge } do
        local ok, message = pcall(function() contact[key] = value end)
        assert.is_false(ok)
        assert.truthy(message:find("contact." .. key .. " must be", 1, true), message)
      end
      if contact ~= before then
        local ok, message = pcall(function() before.friction = 1 end)
        messages[#messages + 1] = not ok and message or nil
      end
    end)
    world:step()
    assert.truthy(messages[1]:find("contact.friction can be set only inside a pre_solve handler", 1, true))
    for contact in world:contacts() do
      raises("only inside a pre_solve handler of this contact", function() contact.enabled = false end)
    end
  end)

  it("receive contacts that can be read until the next step, and raise then", function()
    local world = floor_and_box()
    local held = {}
    world:on("pre_solve", function(contact)
      for _, old in ipairs(held) do
        if old ~= contact then raises("after its step", function() return old.friction end) end
      end
      held[1] = contact
    end)
    world:step()
    assert.is_true(held[1]:is_valid())
    local contact = held[1]
    world:step()
    assert.equal(contact, held[1])
    held[1].body_b:destroy()
    assert.is_false(contact:is_valid())
    raises("has ended", function() return contact.friction end)
    world:step()
    raises("after its step", function() return contact.friction end)
  end)

  it("make no garbage, and are not called in a world of shapes without pre_solve", function()
    local world, body = floor_and_box { sleep = false }
    body:box { 1, 1, center = { 1, 0 } }
    world:on("pre_solve", function(contact)
      local _, ny = contact:normal()
      contact.friction = ny
    end)
    assert.equal(0, flat(function() world:step() end, 1000))
  end)

  it("that depend on world.tick repeat the same steps after a restore", function()
    local function run(world, body)
      local heights = {}
      for i = 1, 40 do
        world:step()
        heights[i] = select(2, body:position())
      end
      return heights, world.hash
    end
    local world, body = floor_and_box { sleep = false }
    world:on("pre_solve", function(contact)
      contact.enabled = world.tick % 7 > 1
      contact.friction = world.tick % 3
    end)
    world:step(16) -- the handler disabled the contact in the last two steps
    local snapshot = world:snapshot()
    local heights, hash = run(world, body)
    world:restore(snapshot)
    local again, hash_again = run(world, body)
    assert.same(heights, again)
    assert.equal(hash, hash_again)
  end)
end)
