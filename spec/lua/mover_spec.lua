-- Character movers: what they climb, what carries them, what stops them, and what they never pass through.
local impel = require "impel"
local flat = require "flat"

local SKIN = 1e-3 -- what a mover keeps off what it meets [m]: constants.h
local SOLVERS = { "soft", "si", "ngs", "split", "xpbd", "direct", "acceleration" }

local function floor(world) return world:body({ type = "static", name = "floor" }):box { 200, 1, center = { 0, -0.5 } } end

-- A world of what `build` puts into it, and a mover there.
local function scene(build, options, more)
  local world = impel.world(more or {})
  local made = build(world)
  return world, world:mover(options or {}), made
end

-- A slope from (2, 0) up to the right, as a segment, a box that is turned, and a chain.
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

-- Feet of a mover that stands on such a slope, above the point that is x from its foot.
local function stand(degrees, x, radius)
  local a = math.rad(degrees)
  return { 2 + x, x * math.tan(a) + (radius + SKIN) / math.cos(a) - radius }
end

describe("a mover on a slope", function()
  for kind in impel.pairs(slopes) do
    it("climbs 44 degrees at its full speed, on a " .. kind .. " (F21)", function()
      local world, hero = on_slope(kind, 44, { walk = 3 })
      world:step(120)
      local x1, y1 = hero:position()
      world:step(60)
      local x2, y2 = hero:position()
      assert.near(3, math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2), 1e-6) -- 1 s along the slope: rounding
      assert.near(44, math.deg(math.atan(y2 - y1, x2 - x1)), 1e-6)
      assert.is_true(hero.grounded)
    end)

    it("is stopped by 46 degrees, on a " .. kind .. " (F21)", function()
      local world, hero = on_slope(kind, 46, { walk = 3 })
      world:step(180)
      local _, y = hero:position()
      assert.near(SKIN, y, 1e-4) -- no part of a millimetre up
      assert.is_true(hero.grounded)
      assert.equal(0, (hero:velocity()))
    end)

    it("stands on 44 degrees without sliding, on a " .. kind .. " (F21)", function()
      local at = stand(44, 4, 0.3)
      local world, hero = on_slope(kind, 44, { position = at })
      world:step()
      local x1, y1 = hero:position()
      world:step(600)
      local x2, y2 = hero:position()
      assert.is_true(hero.grounded)
      assert.near(x1, x2, 1e-9) -- 10 s: rounding alone
      assert.near(y1, y2, 1e-9)
    end)

    it("slides down 46 degrees as a block without friction, on a " .. kind .. " (F21)", function()
      local world, hero = on_slope(kind, 46, { position = stand(46, 8, 0.3) })
      local x1, y1 = hero:position()
      world:step(30)
      local x2, y2 = hero:position()
      assert.is_true(hero.sliding)
      assert.is_false(hero.grounded)
      local a, t = 9.81 * math.sin(math.rad(46)), 0.5
      -- g sin(angle) t^2 / 2, as the symplectic step sums it: + a t dt / 2.
      local way = a * t * t / 2 + a * t / 120
      assert.near(way, math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2), 2e-3) -- what it is pushed out by at first
      world:step(120)
      assert.near(SKIN, select(2, hero:position()), 1e-4)
    end)
  end

  it("climbs no slope that is too steep by running, jumping or drifting against it", function()
    local world, hero = on_slope("box", 50, { position = { -3, 0 }, walk = 6, air_acceleration = 100 })
    local top = 0
    for i = 1, 600 do
      if i % 40 == 0 and hero.grounded then hero:jump(3) end
      world:step()
      top = math.max(top, select(2, hero:position()))
    end
    assert.is_true(top < 3 ^ 2 / (2 * 9.81) + 0.25, top) -- a jump, and at most two steps' way of 0.1 m up the slope
  end)

  it("has the level speed that it is told without constant_speed", function()
    local world, hero = on_slope("chain", 30, { walk = 3, constant_speed = false })
    world:step(120)
    local x1 = hero:position()
    world:step(60)
    assert.near(3, hero:position() - x1, 1e-6) -- rounding
  end)

  it("is steeper for one whose max_slope is less", function()
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
      assert.is_true(way < 9, way) -- 6, and one bend of 90 degrees cut short, which takes the snap downwards too
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

  it("climbs them at its speed up to step_height", function()
    local world, hero = scene(function(world) stairs(world, 0.29) end, { walk = 2, step_height = 0.3 })
    for _ = 1, 240 do
      world:step()
      assert.is_true(world.tick < 3 or hero.grounded)
    end
    local x, y = hero:position()
    assert.near(2.9 + SKIN, y, 2e-4) -- ten steps
    assert.is_true(x > 7.3) -- 8 m at 2 m/s, less what it takes to gather speed and to round ten edges
  end)

  it("climbs none that is higher, or none at all", function()
    for _, options in ipairs { { walk = 2, step_height = 0.3 }, { walk = 2, step_height = 0 } } do
      local world, hero = scene(function(world) stairs(world, options.step_height + 0.11) end, options)
      world:step(300)
      assert.near(SKIN, select(2, hero:position()), 1e-4)
    end
  end)

  it("goes down them without leaving the ground", function()
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
    assert.is_true(air > 20) -- then it falls off each
  end)

  it("falls off a ledge with its speed and no other", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):box { 10, 1, center = { -5, -0.5 } }
    end, { position = { -2, 0 }, walk = 4, air_acceleration = 0 })
    repeat world:step() until hero.air_time > 0
    local vx, vy = hero:velocity()
    assert.near(4, vx, 1e-9)
    assert.near(0, vy, 1e-9)
    world:step(6)
    assert.near(-0.1 * 9.81, select(2, hero:velocity()), 1e-9)
    assert.near(7 / 60, hero.air_time, 1e-9)
  end)

  it("feels no seam of a thousand tiles, on the floor or along a wall", function()
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
    world:step(60) -- falls along the wall
    assert.is_true(hero.on_wall)
    assert.near(-9.81, select(2, hero:velocity()), 1e-6) -- nothing held it
  end)
end)

describe("a mover on what moves", function()
  for _, solver in ipairs(SOLVERS) do
    it("is carried by a platform without slip, by " .. solver .. " (F21)", function()
      local world, hero, platform = scene(function(world)
        floor(world)
        local platform = world:body { type = "kinematic", position = { 0, 4 } }
        platform:box { 4, 0.4 }
        return platform
      end, { position = { 0.3, 4.2 } }, { solver = solver })
      world:on("step", function() platform:set_velocity(3 * math.sin(2 * world.time), 3 * math.cos(1.7 * world.time)) end)
      world:step(5)
      local x1, y1 = platform:local_point(hero:position())
      local worst = 0
      for _ = 1, 600 do
        world:step()
        local x2, y2 = platform:local_point(hero:position())
        worst = math.max(worst, 60 * math.abs(x2 - x1), 60 * math.abs(y2 - y1))
        x1, y1 = x2, y2
      end
      assert.is_true(worst < 1e-3, worst) -- F21: less than 1 mm/s
      assert.is_true(hero.grounded)
    end)
  end

  it("is carried round by one that turns at 0.5 rad/s, up to its max_slope (F21)", function()
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
    assert.is_true(worst < 1e-3, worst) -- F21: less than 1 mm/s
    assert.near(1.25, hero.turned, 0.05) -- 150 steps of 1/120 rad, and the first ones; sines of small angles
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
    -- While the cart brakes at mu g = 2 m/s^2 the mover is one step behind: a dt, not more and not growing.
    assert.is_true(worst < 0.2 * 9.81 / 60 + 0.01, worst)
    assert.near(0, (cart:velocity()), 0.2)
    world:step(120)
    local before = cart:local_point(hero:position())
    world:step(60)
    assert.near(before, (cart:local_point(hero:position())), 1e-6) -- at rest: nothing drifts
  end)

  it("keeps the platform's velocity when it takes off, unless told not to", function()
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

  it("leaves a platform that is teleported, and stays behind when the platform is destroyed", function()
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

describe("a mover in the way", function()
  it("is pushed by a wall, and lies against it", function()
    local world, hero, wall = scene(function(world)
      floor(world)
      local wall = world:body { type = "kinematic", position = { -2, 1 }, velocity = { 2, 0 } }
      wall:box { 0.5, 2 }
      return wall
    end)
    world:step(120)
    assert.near(wall:position() + 0.25 + 0.3 + SKIN, (hero:position()), 1e-9)
    assert.is_true(hero.on_wall)
    assert.same({ 1, 0 }, { hero:wall_normal() })
    assert.is_false(hero.squeezed)
  end)

  it("is pushed by what would jump over it in a step", function()
    local world, hero, wall = scene(function(world)
      floor(world)
      local wall = world:body { type = "kinematic", position = { -3, 1 }, velocity = { 45, 0 } }
      wall:box { 0.1, 2 }
      return wall
    end)
    for _ = 1, 30 do
      world:step()
      assert.is_true(hero:position() > wall:position())
    end
  end)

  it("tells when it is squeezed, and goes through no wall then", function()
    local world, hero, wall = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 0.2, 4, center = { 1.1, 2 } }
      local wall = world:body { type = "kinematic", position = { -2, 1 }, velocity = { 1, 0 } }
      wall:box { 3, 2 }
      return wall
    end)
    local told = 0
    for i = 1, 300 do
      world:step()
      if i == 150 then wall:set_velocity(-1, 0) end
      told = told + (hero.squeezed and 1 or 0)
      local x, y = hero:position()
      assert.is_true(x <= 1 - 0.3 - SKIN / 2 and x > -1, x)
      assert.near(SKIN, y, 2e-3)
    end
    assert.is_true(told > 50)
    assert.is_false(hero.squeezed) -- free again
  end)

  it("is not crushed through the floor by what comes down on it", function()
    local world, hero, press = scene(function(world)
      floor(world)
      local press = world:body { type = "kinematic", position = { 0, 4 }, velocity = { 0, -1 } }
      press:box { 3, 1 }
      return press
    end)
    for _ = 1, 240 do
      world:step()
      local _, y = hero:position()
      assert.is_true(y > -1e-6 and y < 0.1, y)
    end
    assert.is_true(press:is_valid())
    assert.is_true(hero.squeezed)
  end)

  it("falls as fast as it is let and stops on the thinnest floor", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):segment { from = { -5, 0 }, to = { 5, 0 } }
    end, { position = { 0, 400 }, terminal_speed = 1000 })
    local fastest = 0
    for _ = 1, 660 do
      world:step()
      fastest = math.max(fastest, -select(2, hero:velocity()))
    end
    assert.is_true(fastest > 80) -- sqrt(2 g 400) = 88.6 m/s, 1.5 m a step
    assert.near(SKIN, select(2, hero:position()), 1e-4)
    assert.is_true(hero.grounded)
    hero:set_position(0, 400)
    hero.terminal_speed = 20
    world:step(300)
    assert.near(-20, select(2, hero:velocity()), 1e-12)
  end)

  it("flies into no wall, whatever its speed and direction", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):chain { loop = true,
        points = { { -5, 0 }, { -5, 10 }, { -1, 10 }, { 0, 8 }, { 1, 10 }, { 5, 10 }, { 5, 0 }, { 2, 0 }, { 0, 1 },
                   { -2, 0 } } } -- clockwise: a room
    end, { position = { 3, 4 }, air_acceleration = 0, terminal_speed = 1e4 })
    for i = 1, 500 do
      hero:set_velocity(300 * math.cos(i * 2.4), 300 * math.sin(i * 2.4)) -- 5 m a step
      world:step()
      local x, y = hero:position()
      assert.is_true(x >= -4.7 and x <= 4.7 and y >= 0 and y <= 8.2, x .. " " .. y)
    end
  end)
end)

describe("a mover among dynamic bodies", function()
  -- A crate of this mass in front of it.
  local function crate(mass, options)
    return scene(function(world)
      floor(world)
      local c = world:body { position = { 1, 0.5 }, mass = mass }
      c:box { 1, 1, friction = 0.5 }
      return c
    end, options)
  end

  it("pushes them with push_force at most", function()
    for _, mass in ipairs { 30, 200 } do -- friction sqrt(0.5 * 0.6) m g = 161 N and 1075 N
      local world, hero, c = crate(mass, { walk = 2, push_force = 300 })
      world:step(30)
      local x1, v1 = c:position(), c:velocity()
      world:step(90)
      if mass == 30 then
        assert.is_true(c:position() - x1 > 2) -- near its own speed for 1.5 s
        assert.near(c:position() - 0.5, hero:position() + 0.3, 0.01) -- they stay together
      else
        assert.near(x1, (c:position()), 1e-4) -- it does not slip
        assert.near(0, v1, 1e-3)
        assert.is_true(hero.on_wall)
      end
    end
  end)

  it("accelerates what has no friction by push_force / m", function()
    local world, hero, c = scene(function(world)
      floor(world)
      local c = world:body { position = { 0.85, 0.5 }, mass = 100, fixed_rotation = true }
      c:box { 1, 1, friction = 0 }
      return c
    end, { walk = 2, push_force = 50 })
    world:step(30)
    local v1 = c:velocity()
    world:step(60)
    assert.near(0.5, c:velocity() - v1, 1e-3) -- F t / m
    assert.is_true(hero:position() > 0.05)
  end)

  it("weighs on what it stands on, whatever its own mass", function()
    for _, mass in ipairs { 7, 70, 700 } do
      local world, hero, c = scene(function(world)
        floor(world)
        local c = world:body { position = { 0, 0.5 }, mass = 30 }
        c:box { 3, 1 }
        return c
      end, { position = { 0, 1 }, mass = mass })
      world:step(240)
      local _, fy = c:contact_force()
      assert.near((30 + mass) * 9.81, fy, 1e-2 * (30 + mass) * 9.81) -- what soft contacts and the mover's own rate leave
      assert.near(1 + SKIN, select(2, hero:position()), 2e-3)
      for _ = 1, 240 do world:step() end
      assert.is_false(c.awake) -- it comes to rest under it
      assert.is_true(hero.grounded)
    end
  end)

  it("tips a seesaw", function()
    local world, hero, plank = scene(function(world)
      floor(world)
      local plank = world:body { position = { 0, 1 }, mass = 40 }
      plank:box { 6, 0.2 }
      world:revolute(world.ground, plank, { anchor = { 0, 1 }, limit = { -0.25, 0.25 } })
      return plank
    end, { position = { 2, 1.1 } })
    world:step(120)
    assert.near(-0.25, plank.angle, 0.01)
    hero.walk = -2
    world:step(150)
    assert.near(0.25, plank.angle, 0.01)
    assert.is_true(hero.grounded)
  end)

  it("falls with what falls under it: it throws no plank away", function()
    local world, hero, plank = scene(function(world)
      local plank = world:body { position = { 0, 50 }, mass = 1 }
      plank:box { 2, 0.2 }
      return plank
    end, { position = { 0, 50.1 } })
    world:step(60)
    local _, vy = plank:velocity()
    assert.is_true(vy > -9.81 * 1.6 and vy < -9.81 * 0.99, vy)
    assert.is_true(hero:position() < 0.1)
  end)

  it("is stood on, and blocks what falls on it", function()
    local world, hero, c = scene(function(world)
      floor(world)
      local c = world:body { position = { 0, 3 }, fixed_rotation = true }
      c:box { 1, 0.5 }
      return c
    end)
    world:step(120)
    assert.near(1.8 + SKIN + 0.25, select(2, c:position()), 0.01) -- soft contact, IMPI_SLOP
    assert.near(SKIN, select(2, hero:position()), 1e-3)
    hero.walk = 0.5
    world:step(60)
    assert.near(hero:position(), c:position(), 0.1) -- friction takes it along
  end)

  it("is seen by sensors and filters", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static", position = { 2, 0.5 } }):circle { radius = 0.3, sensor = true, name = "coin" }
      world:body({ type = "static", position = { 4, 0.5 } }):box { 1, 1, category = 4 }
    end, { walk = 3, mask = ~4 })
    local coins = 0
    world:on("sensor_begin", function(e) coins = coins + (e.body_b == hero.body and 1 or 0) end)
    world:step(150)
    assert.equal(1, coins)
    assert.is_true(hero:position() > 5)
  end)
end)

describe("a one-way platform", function()
  local function level(world)
    floor(world)
    world:body({ type = "static", position = { 0, 2 } }):box { 3, 0.2, one_way = { 0, 1 } }
  end

  it("is passed from below and stood on from above", function()
    local world, hero = scene(level)
    world:step(2)
    hero:jump(8)
    local top = 0
    for _ = 1, 120 do
      world:step()
      top = math.max(top, select(2, hero:position()))
    end
    assert.near(8 ^ 2 / (2 * 9.81), top, 0.1) -- v^2 / 2 g, the symplectic step: nothing held it on the way up
    assert.near(2.1 + SKIN, select(2, hero:position()), 1e-4)
    assert.is_true(hero.grounded)
  end)

  it("is fallen through by drop_through, and no other floor is", function()
    local world, hero = scene(level, { position = { 0, 2.2 } })
    world:step(20)
    assert.is_true(hero.grounded)
    assert.is_true(hero:drop_through())
    world:step(60)
    assert.near(SKIN, select(2, hero:position()), 1e-4)
    assert.is_false(hero:drop_through())
  end)

  it("carries it up and down when it moves", function()
    local world, hero, lift = scene(function(world)
      local lift = world:body { type = "kinematic", position = { 0, 2 } }
      lift:box { 3, 0.2, one_way = { 0, 1 } }
      return lift
    end, { position = { 0, 2.1 } })
    for i = 1, 300 do
      lift:set_velocity(0, 5 * math.cos(i / 20))
      world:step()
      assert.is_true(hero.grounded)
      assert.near(0.1 + SKIN, select(2, hero:position()) - select(2, lift:position()), 1e-4)
    end
  end)

  it("is a wall from no side", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static", position = { 3, 0.6 } }):box { 1, 1.2, one_way = { 0, 1 } }
    end, { walk = 3 })
    world:step(120)
    assert.is_true(hero:position() > 5)
  end)
end)

describe("a mover", function()
  it("crouches with its feet in place, and stands up only where there is room", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 4, 1, center = { 5, 1.7 } } -- 1.2 m of room below it
    end, { walk = 3 })
    world:step(120)
    assert.near(3 - 0.3 - SKIN, (hero:position()), 0.5) -- its round head meets the edge
    assert.is_true(hero:position() < 3)
    assert.is_true(hero:set_height(1))
    assert.equal(1, hero.height)
    assert.near(SKIN, select(2, hero:position()), 1e-9)
    world:step(60)
    assert.is_true(hero:position() > 4)
    assert.is_false(hero:set_height(1.8))
    assert.equal(1, hero.height)
    world:step(80)
    assert.is_true(hero:set_height(1.8))
    assert.has_error(function() hero:set_height(0.5) end)
  end)

  it("slides down a wall in the air and tells its side: wall jumps are the script's", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 1, 20, center = { 2, 10 } }
    end, { position = { 1.1, 8 }, walk = 3 })
    world:step(20)
    assert.is_true(hero.on_wall)
    assert.same({ -1, 0 }, { hero:wall_normal() })
    local _, vy = hero:velocity()
    hero:set_velocity(0, math.max(vy, -1)) -- a wall slide
    hero:jump(5)
    hero:set_velocity(-4, 5)
    world:step(10)
    assert.is_true(hero:position() < 1)
    assert.is_false(hero.on_wall)
  end)

  it("bumps its head and falls at once", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 4, 1, center = { 0, 2.5 + 0.1 } }
    end)
    world:step(2)
    hero:jump(6)
    local bumped = false
    for _ = 1, 30 do
      world:step()
      if hero.on_ceiling and not bumped then
        bumped = true
        assert.equal(0, select(2, hero:velocity()))
      end
    end
    assert.is_true(bumped)
    assert.is_not_nil(hero.ground)
  end)

  it("jumps as high as v^2 / 2 g", function()
    local world, hero = scene(floor, nil, { dt = 1 / 240 })
    world:step(4)
    hero:jump(5)
    local top = 0
    for _ = 1, 240 do
      world:step()
      top = math.max(top, select(2, hero:position()))
    end
    assert.near(5 ^ 2 / (2 * 9.81), top, 5 / 480 + 2 * SKIN) -- the symplectic step loses v dt / 2
  end)

  it("stands wedged between two slopes that are too steep for it", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):chain { points = { { 3, 6 }, { 0, 0 }, { -3, 6 } } }
    end, { position = { 0, 3 } })
    world:step(240)
    assert.is_true(hero.grounded)
    hero:jump(5)
    world:step(10)
    assert.is_true(select(2, hero:position()) > 0.5)
  end)

  it("is moved by hand where it is not automatic", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 1, 4, center = { 3, 2 } }
    end, { position = { 0, 2 }, automatic = false })
    world:step(60)
    assert.same({ 0, 2 }, { hero:position() })
    local dx, dy = hero:move(5, -5)
    assert.near(2.5 - 0.3 - SKIN, dx, 1e-6)
    assert.near(-2 + SKIN, dy, 1e-6)
    assert.is_true(hero.grounded)
    assert.is_true(hero.on_wall)
    assert.has_error(function() hero:move(0 / 0, 0) end)
    local told
    local handler = world:on("substep", function() told = pcall(hero.move, hero, 1, 0) end)
    world:step()
    handler:destroy()
    assert.is_false(told)
  end)

  it("is restored with its world to the last bit", function()
    local world, hero, platform = scene(function(world)
      floor(world)
      local platform = world:body { type = "kinematic", position = { 0, 1 }, angular_velocity = 0.3 }
      platform:box { 6, 0.2 }
      local c = world:body { position = { 2, 2 } }
      c:box { 0.5, 0.5 }
      return platform
    end, { position = { 0, 1.1 }, walk = 1 })
    world:step(30)
    local kept, name = world:snapshot(), hero
    local function run()
      local hashes = {}
      for i = 1, 60 do
        if i == 20 then hero:jump(4) end
        world:step()
        hashes[i] = world.hash
      end
      return hashes
    end
    local first = run()
    hero.walk = -3
    world:restore(kept)
    assert.equal(1, hero.walk)
    assert.equal(name, hero)
    assert.same(first, run())
    assert.is_true(platform:is_valid())
    local hash = world.hash
    hero.walk = 2
    assert.not_equal(hash, world.hash)
    hero:destroy()
    world:restore(kept)
    assert.is_true(hero:is_valid())
    assert.same(first, run())
  end)

  it("goes with its body and takes it along", function()
    local world, hero = scene(floor, { name = "hero", data = { lives = 3 } })
    local body = hero.body
    assert.equal("hero", body.name)
    assert.equal(3, body.data.lives)
    assert.equal("mover 'hero'", tostring(hero))
    assert.has_error(function() body.type = "dynamic" end)
    for shape in body:shapes() do assert.has_error(function() shape:destroy() end) end
    local list = {}
    local other = world:mover { position = { 3, 0 } }
    for mover in world:movers() do list[#list + 1] = mover end
    assert.same({ hero, other }, list)
    hero:destroy()
    assert.is_false(body:is_valid())
    assert.is_false(hero:is_valid())
    local ok, message = pcall(function() return hero.walk end)
    assert.is_false(ok)
    assert.truthy(message:find("attempt to use destroyed mover 'hero'", 1, true))
    world:step(10)
    assert.is_true(other.grounded)
    other.body:destroy()
    assert.is_false(other:is_valid())
    for _ in world:movers() do error "a mover" end
  end)

  it("reads back what makes it again", function()
    local world, hero = scene(floor, { height = 1.2, radius = 0.25, max_slope = 0.5, walk = -2, automatic = false,
                                       mask = 3, friction = 0.1, position = { 1, 2 } })
    local again = world:mover(hero:options())
    assert.same(hero:options(), again:options())
    assert.near(0.2, again.step_height, 1e-15)
    assert.is_false(again.automatic)
    assert.has_error(function() world:mover { height = 0.5, radius = 0.3 } end)
    assert.has_error(function() world:mover { max_slop = 0.5 } end)
  end)

  it("and another block each other, and one stands on the other's head", function()
    local world, hero = scene(floor, { walk = 2 })
    local other = world:mover { position = { 3, 0 }, walk = -2 }
    local rider = world:mover { position = { 0, 1.81 } }
    world:step(5)
    local offset = hero:position() - rider:position()
    for _ = 1, 120 do
      world:step()
      assert.is_true(other:position() - hero:position() > 0.6)
    end
    assert.near(other:position() - hero:position(), 0.6 + SKIN, 2 * SKIN)
    assert.equal(hero.body, rider.ground.body)
    assert.near(offset, hero:position() - rider:position(), 1e-9)
  end)

  it("makes no garbage", function()
    local world, hero = scene(function(world)
      floor(world)
      local platform = world:body { type = "kinematic", position = { 0, 1 }, velocity = { 0.01, 0 } }
      platform:box { 100, 0.2 }
    end, { position = { 0, 1.1 } })
    world:step(100)
    local before = world:counts().bytes
    assert.equal(0, flat(function()
      world:step()
      hero:position()
      hero:velocity()
      hero:ground_normal()
      hero.walk = hero.air_time
    end, 1000))
    assert.equal(before, world:counts().bytes) -- nor does the core allocate
  end)
end)
