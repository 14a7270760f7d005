-- Single character movers: slopes, steps, internal edges, moving ground.
local impel = require "impel"
local movers = require "core.world.movers"

local SKIN, floor, scene = movers.SKIN, movers.floor, movers.scene
local SOLVERS = { "soft", "si", "ngs", "split", "xpbd", "direct", "acceleration" }

-- A slope from (2, 0) up to the right: a segment, a turned box or a chain.
local slopes = {
  segment = function(world, angle)
    world:body({ type = "static" }):segment { from = { 2, 0 }, to = { 2 + 20 * math.cos(angle), 20 * math.sin(angle) } }
  end,
  box = function(world, angle)
    world:body({ type = "static", position = { 2, 0 }, angle = angle }):box { 20, 1, center = { 10, -0.5 } }
  end,
  chain = function(world, angle)
    local points = {}
    for i = 20, 0, -1 do points[#points + 1] = { 2 + i * math.cos(angle), i * math.sin(angle) } end
    points[#points + 1] = { -20, 0 }
    world:body({ type = "static" }):chain { points = points }
  end,
}

local function on_slope(kind, degrees, options)
  return scene(function(world)
    floor(world)
    slopes[kind](world, math.rad(degrees))
  end, options)
end

-- Return the position of a mover on a slope, x [m] from the foot of the slope.
local function stand(degrees, x, radius)
  local a = math.rad(degrees)
  return { 2 + x, x * math.tan(a) + (radius + SKIN) / math.cos(a) - radius }
end

describe("a mover on a slope", function()
  for kind in impel.pairs(slopes) do
    it("climbs 44 degrees at its full speed, on a " .. kind, function()
      local world, hero = on_slope(kind, 44, { walk = 3 })
      world:step(120)
      local x1, y1 = hero:position()
      world:step(60)
      local x2, y2 = hero:position()
      assert.near(3, math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2), 1e-6) -- 3 m in 1 s along the slope, to rounding
      assert.near(44, math.deg(math.atan(y2 - y1, x2 - x1)), 1e-6)
      assert.is_true(hero.grounded)
    end)

    it("is stopped by 46 degrees, on a " .. kind, function()
      local world, hero = on_slope(kind, 46, { walk = 3 })
      world:step(180)
      local _, y = hero:position()
      assert.near(SKIN, y, 1e-4) -- the feet stay on the floor, to 0.1 mm
      assert.is_true(hero.grounded)
      assert.equal(0, (hero:velocity()))
    end)

    it("stands on 44 degrees without sliding, on a " .. kind, function()
      local at = stand(44, 4, 0.3)
      local world, hero = on_slope(kind, 44, { position = at })
      world:step()
      local x1, y1 = hero:position()
      world:step(600)
      local x2, y2 = hero:position()
      assert.is_true(hero.grounded)
      assert.near(x1, x2, 1e-9) -- 10 s, to rounding
      assert.near(y1, y2, 1e-9)
    end)

    it("slides down 46 degrees as a block without friction, on a " .. kind, function()
      local world, hero = on_slope(kind, 46, { position = stand(46, 8, 0.3) })
      local x1, y1 = hero:position()
      world:step(30)
      local x2, y2 = hero:position()
      assert.is_true(hero.sliding)
      assert.is_false(hero.grounded)
      local a, t = 9.81 * math.sin(math.rad(46)), 0.5
      -- Under symplectic Euler the distance is a t^2 / 2 + a t dt / 2.
      local way = a * t * t / 2 + a * t / 120
      -- The initial push-out moves the mover by up to 2 mm.
      assert.near(way, math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2), 2e-3)
      world:step(120)
      assert.near(SKIN, select(2, hero:position()), 1e-4)
    end)
  end

  it("does not climb a slope that is too steep by running, jumping or drifting against it", function()
    local world, hero = on_slope("box", 50, { position = { -3, 0 }, walk = 6, air_acceleration = 100 })
    local top = 0
    for i = 1, 600 do
      if i % 40 == 0 and hero.grounded then hero:jump(3) end
      world:step()
      top = math.max(top, select(2, hero:position()))
    end
    assert.is_true(top < 3 ^ 2 / (2 * 9.81) + 0.25, top) -- the jump, and up to two steps of 6 / 60 m up the slope
  end)

  it("has the horizontal speed `walk` if constant_speed is false", function()
    local world, hero = on_slope("chain", 30, { walk = 3, constant_speed = false })
    world:step(120)
    local x1 = hero:position()
    world:step(60)
    assert.near(3, hero:position() - x1, 1e-6) -- rounding
  end)

  it("climbs the slope only if max_slope is at least the slope's angle", function()
    local world, hero = on_slope("chain", 30, { walk = 3, max_slope = math.rad(29) })
    world:step(120)
    assert.near(SKIN, select(2, hero:position()), 1e-4)
    hero.max_slope = math.rad(31)
    world:step(60)
    assert.is_true(select(2, hero:position()) > 1)
  end)

  it("stays on the ground over crests and down slopes, at its speed", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):chain { points = { { 40, 0 }, { 9, 0 }, { 6, 3 }, { 3, 0 }, { -9, 0 } } }
    end, { walk = 6 })
    world:step(2)
    local x1, y1 = hero:position()
    for _ = 1, 180 do
      world:step()
      assert.is_true(hero.grounded)
      local x2, y2 = hero:position()
      local way = math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2) * 60
      assert.is_true(way < 9, way) -- the mover walks at 6 m/s, faster where the slope changes
      x1, y1 = x2, y2
    end
    assert.is_true(x1 > 12)
  end)
end)

describe("a mover on steps", function()
  local function stairs(world, height)
    floor(world)
    local b = world:body { type = "static" }
    for i = 0, 9 do b:box { 10, height, center = { 7 + i * 0.4, (i + 0.5) * height } } end
  end

  it("climbs stairs of up to step_height at its walking speed", function()
    local world, hero = scene(function(world) stairs(world, 0.29) end, { walk = 2, step_height = 0.3 })
    for _ = 1, 240 do
      world:step()
      assert.is_true(world.tick < 3 or hero.grounded)
    end
    local x, y = hero:position()
    assert.near(2.9 + SKIN, y, 2e-4) -- height of ten stairs
    assert.is_true(x > 7.3) -- 8 m at 2 m/s, less the loss by acceleration and at edges
  end)

  it("does not climb stairs higher than step_height, also if step_height is 0", function()
    for _, options in ipairs { { walk = 2, step_height = 0.3 }, { walk = 2, step_height = 0 } } do
      local world, hero = scene(function(world) stairs(world, options.step_height + 0.11) end, options)
      world:step(300)
      assert.near(SKIN, select(2, hero:position()), 1e-4)
    end
  end)

  it("walks down stairs without leaving the ground", function()
    local world, hero = scene(function(world) stairs(world, 0.2) end, { position = { 9, 2 }, walk = -3 })
    for _ = 1, 240 do
      world:step()
      assert.is_true(world.tick < 3 or hero.grounded)
    end
    assert.near(SKIN, select(2, hero:position()), 1e-4)
    hero.snap_distance = 0
    hero:set_position(9, 2 + SKIN)
    local air = 0
    for _ = 1, 240 do
      world:step()
      air = air + (hero.grounded and 0 or 1)
    end
    assert.is_true(air > 20)
  end)

  it("falls off a ledge with its walking velocity", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):box { 10, 1, center = { -5, -0.5 } }
    end, { position = { -2, 0 }, walk = 4, air_acceleration = 0 })
    repeat world:step() until hero.air_time > 0
    local vx, vy = hero:velocity()
    assert.near(4, vx, 1e-9)
    assert.near(0, vy, 1e-9)
    -- The round foot sinks by r (1 - cos 45 degrees) and the skin.
    local _, y = hero:position()
    assert.is_true(y < 0 and y > -0.3 * (1 - math.sqrt(0.5)) - SKIN, y)
    world:step(6)
    assert.near(-0.1 * 9.81, select(2, hero:velocity()), 1e-9)
    assert.near(7 / 60, hero.air_time, 1e-9)
  end)

  it("does not treat internal edges between boxes or chain segments of flat ground as slopes", function()
    local grounds = {
      function(world)
        local b = world:body { type = "static" }
        for i = -4, 200 do b:box { 0.3, 0.5, center = { i * 0.3, -0.25 } } end
      end,
      function(world)
        local points = {}
        for i = 200, -4, -1 do points[#points + 1] = { i * 0.3, 0 } end
        world:body({ type = "static" }):chain { points = points }
      end,
    }
    for _, build in ipairs(grounds) do
      -- The round foot has a radius of 0.3 m: at a corner 2 mm ahead, the normal leans by 0.0067 rad > max_slope.
      local world, hero = scene(build, { walk = 1, max_slope = 0.005, step_height = 0, snap_distance = 0 })
      world:step(60)
      local x = hero:position()
      for _ = 1, 300 do
        world:step()
        assert.is_nil(hero.wall)
      end
      assert.near(5, hero:position() - x, 1e-9)
    end
  end)

  it("is not affected by the internal edges of 1000 tiles, on the floor or along a wall", function()
    local world, hero = scene(function(world)
      local b = world:body { type = "static" }
      for i = -4, 995 do b:box { 0.5, 0.5, center = { i * 0.5, -0.25 } } end
      for i = 0, 40 do b:box { 0.5, 0.5, center = { -1.25, 0.25 + i * 0.5 } } end
    end, { position = { 0, 0 }, walk = 8 })
    world:step(60)
    local x1, worst = hero:position(), 0
    for _ = 1, 900 do
      world:step()
      local x2, y2 = hero:position()
      worst = math.max(worst, math.abs(x2 - x1 - 8 / 60), math.abs(y2 - SKIN))
      x1 = x2
    end
    assert.is_true(worst < 1e-9, worst) -- rounding
    hero:set_position(-0.69, 15)
    hero.walk = -3
    world:step(60) -- the mover falls along the wall
    assert.is_true(hero.on_wall)
    assert.near(-9.81, select(2, hero:velocity()), 1e-6) -- free fall
  end)
end)

describe("a mover on a moving body", function()
  for _, solver in ipairs(SOLVERS) do
    it("is carried by a platform without slip, by " .. solver, function()
      local world, hero, platform = scene(function(world)
        floor(world)
        local platform = world:body { type = "kinematic", position = { 0, 4 } }
        platform:box { 4, 0.4 }
        return platform
      end, { position = { 0.3, 4.2 } }, { solver = solver })
      world:on("step", function()
        platform:set_velocity(3 * math.sin(2 * world.time), 3 * math.cos(1.7 * world.time))
      end)
      world:step(5)
      local x1, y1 = platform:local_point(hero:position())
      local worst = 0
      for _ = 1, 600 do
        world:step()
        local x2, y2 = platform:local_point(hero:position())
        worst = math.max(worst, 60 * math.abs(x2 - x1), 60 * math.abs(y2 - y1))
        x1, y1 = x2, y2
      end
      assert.is_true(worst < 1e-3, worst) -- less than 1 mm/s
      assert.is_true(hero.grounded)
    end)
  end

  it("is carried by a platform that turns at 0.5 rad/s until the platform is steeper than max_slope", function()
    local world, hero, platform = scene(function(world)
      local platform = world:body { type = "kinematic", position = { 0, 3 }, angle = -0.7, angular_velocity = 0.5 }
      platform:box { 8, 0.4 }
      return platform
    end, { position = { 2, 1.9 } })
    world:step(10)
    local x1, y1 = platform:local_point(hero:ground_point())
    local worst = 0
    for _ = 1, 150 do
      world:step()
      local x2, y2 = platform:local_point(hero:ground_point())
      worst = math.max(worst, 60 * math.abs(x2 - x1), 60 * math.abs(y2 - y1))
      x1, y1 = x2, y2
    end
    assert.is_true(worst < 1e-3, worst) -- less than 1 mm/s
    assert.near(1.25, hero.turned, 0.05) -- 150 steps of 1/120 rad, less the first steps
    world:step(30) -- beyond 45 degrees
    assert.is_false(hero.grounded)
  end)

  it("is carried by a dynamic body as by a kinematic one", function()
    local world, hero, cart = scene(function(world)
      floor(world)
      local cart = world:body { position = { 0, 0.25 }, velocity = { 4, 0 } }
      cart:box { 4, 0.5, friction = 0.2, density = 200 }
      return cart
    end, { position = { 0, 0.5 }, mass = 0 })
    hero:set_velocity(4, 0)
    world:step(2)
    local x1 = cart:local_point(hero:position())
    local worst = 0
    for _ = 1, 120 do
      world:step()
      local x2 = cart:local_point(hero:position())
      worst = math.max(worst, 60 * math.abs(x2 - x1))
      x1 = x2
    end
    -- The cart brakes at a = mu g = 2 m/s^2. The mover follows one step late, so its velocity is a dt above the cart's.
    assert.is_true(worst < 0.2 * 9.81 / 60 + 0.01, worst)
    assert.near(0, (cart:velocity()), 0.2)
    world:step(120)
    local before = cart:local_point(hero:position())
    world:step(60)
    assert.near(before, (cart:local_point(hero:position())), 1e-6) -- at rest: no drift
  end)

  it("keeps the platform's velocity when it takes off unless inherit_velocity is false", function()
    for _, inherits in ipairs { true, false } do
      local world, hero, platform = scene(function(world)
        local platform = world:body { type = "kinematic", position = { 0, 0 }, velocity = { 2, 1 } }
        platform:box { 4, 0.4 }
        return platform
      end, { position = { 0, 0.2 }, inherit_velocity = inherits, gravity_scale = 0 })
      world:step(10)
      assert.near(2, (hero:velocity()), 1e-12)
      hero:jump(5)
      assert.equal(math.huge, hero.air_time)
      world:step()
      local vx, vy = hero:velocity()
      assert.near(inherits and 2 or 0, vx, 1e-12)
      assert.near(inherits and 6 or 5, vy, 1e-12)
      assert.is_true(platform:is_valid())
    end
  end)

  it("rides a belt", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):box { 100, 1, center = { 0, -0.5 }, surface_speed = 1.5 }
    end)
    world:step(2)
    local x = hero:position()
    world:step(60)
    assert.near(1.5, hero:position() - x, 1e-9)
    assert.near(1.5, (hero:velocity()), 1e-9)
    hero.walk = -1.5
    world:step(30)
    assert.near(0, (hero:velocity()), 1e-9)
  end)

  it("leaves a platform that is teleported, and stays behind if the platform is destroyed", function()
    local world, hero, platform = scene(function(world)
      local platform = world:body { type = "kinematic" }
      platform:box { 4, 0.4 }
      return platform
    end, { position = { 0, 0.2 } })
    world:step(2)
    platform:set_position(50, 0)
    world:step()
    assert.is_false(hero.grounded)
    assert.near(0, (hero:position()), 1e-9)
    hero:set_position(50, 0.2)
    hero:set_velocity(0, 0)
    world:step(2)
    assert.equal(platform, hero.ground.body)
    platform:destroy()
    assert.is_nil(hero.ground)
    world:step(2)
    assert.is_false(hero.grounded)
  end)
end)
