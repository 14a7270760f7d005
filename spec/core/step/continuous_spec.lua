-- Continuous collision through Lua: unaffected bodies, corner cases, settings.

local impel = require "impel"
local near = require "support.near"

local function world_without_gravity(options)
  options = options or {}
  options.gravity = { 0, 0 }
  return impel.world(options)
end

local function ball(world, x, y, vx, vy, options)
  options = options or {}
  options.radius = options.radius or 0.1
  local body = world:body { position = { x, y }, velocity = { vx, vy } }
  body:circle(options)
  return body
end

describe("the continuous stage", function()
  it("does not change the motion of fast bodies that slide over tiles, chains and boxes", function()
    for _, kind in ipairs { "tiles", "chain", "box" } do
      for _, speed in ipairs { 30, 100 } do
        local world = impel.world {}
        local floor = world:body { type = "static" }
        if kind == "tiles" then
          for i = -2, 160 do floor:box { 1, 1, center = { i, -0.5 }, friction = 0 } end
        elseif kind == "chain" then
          local points = {}
          for i = 160, -2, -1 do points[#points + 1] = { i, 0 } end
          floor:chain { points = points, friction = 0 }
        else
          floor:box { 400, 1, center = { 0, -0.5 }, friction = 0 }
        end
        local box = world:body { position = { 0, 0.252 }, velocity = { speed, 0 } }
        box:box { 0.5, 0.5, friction = 0 }
        world:step(90)
        near(speed, box:velocity(), 1e-4 * speed) -- the soft solver computes in floats; the box crosses 150 edges
        local x, y = box:position()
        near(1.5 * speed, x, 1e-3)
        near(0.25, y, 1e-3)
      end
    end
  end)

  it("stops a sliding body at the surface of a wall", function()
    local world = impel.world {}
    world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 }, friction = 0 }
    world:body { type = "static", position = { 8, 1 } }:box { 0.01, 4 }
    local box = world:body { position = { 0, 0.25 }, velocity = { 60, 0 } }
    box:box { 0.5, 0.5, friction = 0 }
    local farthest = 0
    for _ = 1, 60 do
      world:step()
      farthest = math.max(farthest, (box:position()))
    end
    -- The box may overlap the wall by a quarter of its inner radius of 0.25 m.
    near(8 - 0.005 - 0.25, farthest, 0.07)
    near(8 - 0.005 - 0.25, box:position(), 0.01)
  end)

  it("lets a body at 50 m/s pass a one-way platform from below, and stops it from above", function()
    for i = 0, 19 do
      local world = world_without_gravity()
      world:body { type = "static" }:box { 4, 0.02, one_way = { 0, 1 } }
      local up = ball(world, -1, -2 - 0.04 * i, 0, 50)
      local down = ball(world, 1, 2 + 0.04 * i, 0, -50)
      world:step(30)
      local _, vy = up:velocity()
      assert.equal(50, vy)
      local _, y = down:position()
      near(0.11, y, 1e-3)
    end
  end)

  it("ignores sensors, and pairs that filters or joints exclude", function()
    local world = world_without_gravity()
    world:body { type = "static" }:box { 0.01, 1, sensor = true }
    world:body { type = "static", position = { 0, 2 } }:box { 0.01, 1, category = 2 }
    local wall = world:body { type = "static", position = { 0, 4 } }
    wall:box { 0.01, 1 }
    world:body { type = "static", position = { 0, 6 } }:box { 0.01, 1 }
    local seen = ball(world, -3, 0, 100, 0)
    local filtered = ball(world, -3, 2, 100, 0, { mask = 1 })
    local joined = ball(world, -3, 4, 100, 0)
    world:rope(wall, joined, { length = 100 })
    local sensor = ball(world, -3, 6, 100, 0, { sensor = true })
    world:step(12)
    for _, body in ipairs { seen, filtered, sensor } do near(100, body:velocity(), 1e-9) end
    assert(joined:position() > 1)
  end)

  it("does not stop a body that starts in an overlap: the overlap is resolved as with continuous = false", function()
    for _, way in ipairs { { 30, 0 }, { -30, 0 }, { 0, 30 }, { 0, -30 } } do
      local ends = {}
      for i, continuous in ipairs { true, false } do
        local world = world_without_gravity { continuous = continuous }
        world:body { type = "static" }:box { 2, 2 }
        local body = ball(world, 0.6, 0, way[1], way[2])
        world:step(120)
        local x, y = body:position()
        assert(math.abs(x) > 1 or math.abs(y) > 1, x .. " " .. y)
        ends[i] = x
      end
      near(ends[2], ends[1], 0.5) -- 0.5 m: one step at 30 m/s
    end
  end)

  it("lets touching bodies separate and slide", function()
    local world = world_without_gravity()
    world:body { type = "static" }:box { 0.01, 40, friction = 0 }
    local parting, sliding = ball(world, -0.105, -10, -80, 0), ball(world, -0.105, 10, 0, -80)
    world:step(6)
    near(-80, parting:velocity(), 1e-9)
    near(-0.105 - 8, parting:position(), 1e-6) -- the soft solver computes in floats
    local _, y = sliding:position()
    near(2, y, 1e-5)
  end)

  it("keeps bodies of 1 mm above a floor without thickness", function()
    for i = 0, 39 do
      local world = impel.world {}
      world:body { type = "static" }:segment { from = { -5, 0 }, to = { 5, 0 } }
      local body = world:body { position = { 0, 0.05 + 0.07 * i }, velocity = { i % 5 - 2, -0.5 - 2.5 * i } }
      if i % 2 == 0 then body:circle { radius = 0.001 } else body:box { 0.002, 0.002 } end
      for _ = 1, 90 do
        world:step()
        local x, y = body:position()
        assert(y > 0 or math.abs(x) > 5, y)
      end
    end
  end)

  it("stops a heavy ball at a wall behind a light one, mass ratio 1e4", function()
    local world = world_without_gravity()
    world:body { type = "static" }:box { 0.01, 4 }
    local light = world:body { position = { -0.2, 0 }, mass = 1e-3 }
    light:circle { radius = 0.1 }
    local heavy = world:body { position = { -3, 0 }, velocity = { 100, 0 }, mass = 10, bullet = true }
    heavy:circle { radius = 0.1 }
    for _ = 1, 60 do
      world:step()
      assert(heavy:position() < 0 and light:position() < 0)
    end
  end)

  it("reports begin and hit in the step of the impact, and the end after it", function()
    local world = world_without_gravity()
    world:body { type = "static" }:box { 0.01, 4, restitution = 1 }
    local body = ball(world, -1, 0.5, 100, 0, { friction = 0 })
    local log = {}
    for _, kind in ipairs { "begin_contact", "hit", "end_contact" } do
      world:on(kind, function(event)
        local speed = kind == "end_contact" and "" or string.format(" %.6f", event.speed)
        log[#log + 1] = kind .. " " .. world.tick .. speed
      end)
    end
    world:step()
    local fx = body:contact_force()
    near(-2 * 100 * body.mass, fx * world.dt, 1e-9) -- total impulse of the time-of-impact event
    for contact in body:contacts() do
      local x, y = contact:point(1)
      near(-0.005, x, 1e-9)
      near(0.5, y, 1e-9)
    end
    world:step(2)
    assert.same({ "begin_contact 1 100.000000", "hit 1 100.000000", "end_contact 2" }, log)
  end)

  -- The continuous stage moves a stopped link back without the rest of the chain.
  it("separates the joints of a 5.6 m flail that hits a wall at 26 m/s by less than 0.1 m", function()
    for _, continuous in ipairs { true, false } do
      local world = impel.world { continuous = continuous }
      local ground = world:body { type = "static" }
      world:body { type = "static", position = { 0.3, -6 } }:box { 0.05, 4, restitution = 0.2 }
      local last, count = ground, 10
      for i = 1, count do
        local link = world:body { position = { 0.25 - 0.5 * i, 0 }, velocity = { 0, -22 * (i - 0.5) / count } }
        link:box { 0.5, 0.06, density = 8 }
        world:revolute(last, link, { anchor = { 0.5 - 0.5 * i, 0 } })
        last = link
      end
      local head = world:body { position = { -5.3, 0 }, velocity = { 0, -25 } }
      head:circle { radius = 0.3, density = 20 }
      world:revolute(last, head, { anchor = { -5, 0 } })
      local most = 0
      for _ = 1, 240 do
        world:step()
        for joint in world:joints() do most = math.max(most, joint.separation) end
        assert(not continuous or head:position() < 0.3)
      end
      assert(most < (continuous and 0.1 or 0.008), most) -- [m]
    end
  end)

  it("continues to the same bits from a snapshot of any step", function()
    local world = impel.world {}
    local room = world:body { type = "kinematic", angular_velocity = 3, velocity = { 2, 1 } }
    for i = 0, 3 do
      local flat = i < 2
      room:box { flat and 4 or 0.01, flat and 0.01 or 4, center = flat and { 0, 4 * i - 2 } or { 4 * i - 10, 0 } }
    end
    for i = 1, 8 do
      local body = world:body { position = { i / 4 - 1, 0 }, velocity = { 60 - 10 * i, 30 }, bullet = i % 2 == 0 }
      body:box { 0.1, 0.2, restitution = 0.7 }
    end
    local shots, hashes = {}, {}
    for i = 1, 40 do
      shots[i] = world:snapshot()
      world:step()
      hashes[i] = world.hash
    end
    for i = 40, 1, -3 do
      world:restore(shots[i])
      world:step()
      assert.equal(hashes[i], world.hash)
    end
  end)
end)

describe("a time-of-impact event", function()
  it("holds a body for a step, until a pre_solve handler lets the body pass or bounce", function()
    for _, passes in ipairs { true, false } do
      local world = world_without_gravity()
      world:body { type = "static" }:box { 0.01, 4, pre_solve = true, restitution = 0.5 }
      local body, asked = ball(world, -1, 0, 100, 0), 0
      world:on("pre_solve", function(contact)
        asked = asked + 1
        if passes then contact.enabled = false end
      end)
      world:step(4)
      assert.equal(1, asked)
      near(passes and 100 or -50, body:velocity(), 1e-4) -- the soft solver computes in floats
    end
  end)

  it("calls filters first", function()
    for _, meets in ipairs { true, false } do
      local world = world_without_gravity()
      world:body { type = "static" }:box { 0.01, 4 }
      local body = ball(world, -1, 0, 100, 0, { filter = function() return meets end })
      world:step(4)
      assert.equal(not meets, body:position() > 0)
    end
  end)

  it("moves nothing along a locked axis", function()
    local world = world_without_gravity()
    world:body { type = "static", angle = 0.5 }:box { 0.01, 4 }
    local body = world:body { position = { -1, 0 }, velocity = { 100, 0 }, lock_y = true }
    body:circle { radius = 0.1, friction = 0, restitution = 1 }
    world:step()
    local x, y = body:position()
    assert.equal(0, y)
    near(-100, body:velocity(), 1e-9)
    assert(x < 0)
  end)

  it("is part of the ledger of energy", function()
    for _, solver in ipairs { "soft", "si" } do
      local world = impel.world { auditing = true, solver = solver }
      local floor = world:body { type = "static" }
      for i = -20, 19 do floor:box { 1, 0.01, center = { i + 0.5, 0 } } end
      for i = 1, 2 do -- a bar hits two bricks at once
        world:body { position = { i - 11, 3 } }:box { 0.1, 0.1, restitution = 0.5 }
      end
      world:body { position = { -9.5, 4 }, velocity = { 0, -100 }, bullet = true }:box { 1.1, 0.02, density = 2 }
      world:body { type = "kinematic", position = { 8, 5 }, velocity = { -20, 0 } }:box { 0.01, 8 }
      for i = 1, 10 do
        local body = world:body { position = { i - 5, 4 }, velocity = { 30, -60 }, angular_velocity = 5 }
        body:box { 0.2, 0.3, restitution = i / 10, friction = 0.4, category = 2, mask = 1 }
      end
      local lost = 0
      for k = 1, 30 do
        world:step()
        local step, sum = world:audit().step, 0
        if k > 1 then near(0, step.outside, 1e-9) end -- `outside`: work of changes between steps
        for key, joules in pairs(step) do
          local cause = type(joules) == "number" and key ~= "before" and key ~= "after" and key ~= "worst"
          sum = cause and sum + joules or sum
        end
        near(step.after - step.before, sum, 1e-9) -- rounding of 1e3 J
        lost = lost + step.contact + step.restitution + step.friction
      end
      assert(lost < -100)
    end
  end)
end)

describe("bullets that hit each other again and again", function()
  it("do not stall a step: a body has at most 32 time-of-impact events in a step", function()
    -- A body that is hit may hit further bodies within the step, up to 16 levels deep. With 32 time-of-impact events
    -- per level a step could have 32^16 events.
    local world = world_without_gravity { dt = 1 }
    world:body({ type = "static" }):chain { points = { { -2, -2 }, { -2, 2 }, { 2, 2 }, { 2, -2 } }, loop = true,
      restitution = 1, friction = 0 }
    world:body({ type = "kinematic", angular_velocity = 300 }):box { 3.5, 0.1, restitution = 1 }
    local bodies = {}
    for i = 1, 16 do
      local a = 2.4 * i
      bodies[i] = world:body { position = { 1.2 * math.cos(a), i % 2 == 0 and 1 or -1 }, bullet = true,
        velocity = { 100 * math.cos(3 * a), 100 * math.sin(5 * a) } }
      bodies[i]:box { 0.5, 0.4, restitution = 1, friction = 0, density = i }
    end
    local start = os.clock()
    for _ = 1, 3 do world:step() end
    -- Measured: 0.03 s of CPU time; 6 s if a body may have 32 events at each level instead of in each step.
    assert(os.clock() - start < 1)
    local hit = 0
    for _, body in ipairs(bodies) do
      local vx, vy = body:velocity()
      hit = hit + (math.abs(body.angular_velocity) > 0 and 1 or 0)
      assert(vx - vx == 0 and vy - vy == 0)
    end
    assert.equal(16, hit)
  end)
end)

describe("world.continuous_part", function()
  it("is 0.25 by default, is one of the world's options, and refuses values outside ]0, 1[", function()
    local world = impel.world { continuous_part = 0.5 }
    assert.equal(0.25, impel.world {}.continuous_part)
    assert.equal(0.5, world.continuous_part)
    assert.equal(0.5, world:options().continuous_part)
    assert.has_error(function() world.continuous_part = 0 end)
    assert.has_error(function() world.continuous_part = 1 end)
  end)

  it("is the part of a body's radius that it may move per step without a check: 5 cm of 20 cm at 0.25", function()
    for _, case in ipairs { { 0.25, 6.6, true }, { 0.25, 2.4, false } } do
      -- At 6.6 m/s the ball hits the wall in the step and bounces. At 2.4 m/s the ball does not reach the wall.
      local world = world_without_gravity { continuous_part = case[1] }
      world:body { type = "static" }:box { 0.01, 4 }
      local body = ball(world, -0.205 - 0.5 * case[2] / 60 - 0.0201, 0, case[2], 0, { radius = 0.2, restitution = 1 })
      world:step()
      assert.equal(case[3], body:velocity() < 0 and body:position() < -0.205)
    end
  end)
end)
