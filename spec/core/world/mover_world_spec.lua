-- Character movers among bodies: pushing and pushed bodies, weight on bodies, one-way platforms.
local movers = require "core.world.movers"

local SKIN, floor, scene = movers.SKIN, movers.floor, movers.scene

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

  it("is pushed by a wall that would pass it in one step", function()
    local world, hero, wall = scene(function(world)
      floor(world)
      local wall = world:body { type = "kinematic", position = { -3, 1 }, velocity = { 45, 0 } }
      wall:box { 0.1, 2 }
      return wall
    end)
    for _ = 1, 30 do
      world:step()
      local ahead = hero:position() - wall:position() - 0.05 - 0.3
      assert.is_true(ahead > 0)
      -- The wall pushes the mover, but does not throw the mover ahead.
      if wall:position() > 0.5 then assert.near(SKIN, ahead, 1e-9) end
    end
  end)

  it("reports that it is squeezed, and does not pass through the wall", function()
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
    assert.is_false(hero.squeezed)
  end)

  it("is not pushed through the floor by a press", function()
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
    hero.walk = 3
    world:step(60)
    assert.is_true(hero:position() > 1.8)
    assert.is_false(hero.squeezed)
  end)

  it("falls at its terminal_speed and stops on a floor without thickness", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):segment { from = { -5, 0 }, to = { 5, 0 } }
    end, { position = { 0, 400 }, terminal_speed = 1000 })
    local fastest = 0
    for _ = 1, 660 do
      world:step()
      fastest = math.max(fastest, -select(2, hero:velocity()))
    end
    assert.is_true(fastest > 80) -- sqrt(2 g 400) = 88.6 m/s, that is 1.5 m a step
    assert.near(SKIN, select(2, hero:position()), 1e-4)
    assert.is_true(hero.grounded)
    hero:set_position(0, 400)
    hero.terminal_speed = 20
    world:step(300)
    assert.near(-20, select(2, hero:velocity()), 1e-12)
  end)

  it("does not enter walls at any speed and direction", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):chain { loop = true,
        points = { { -5, 0 }, { -5, 10 }, { -1, 10 }, { 0, 8 }, { 1, 10 }, { 5, 10 }, { 5, 0 }, { 2, 0 }, { 0, 1 },
                   { -2, 0 } } } -- clockwise: a room
    end, { position = { 3, 4 }, air_acceleration = 0, terminal_speed = 1e4 })
    for i = 1, 500 do
      hero:set_velocity(300 * math.cos(i * 2.4), 300 * math.sin(i * 2.4)) -- 5 m in a step
      world:step()
      local x, y = hero:position()
      assert.is_true(x >= -4.7 and x <= 4.7 and y >= 0 and y <= 8.2, x .. " " .. y)
    end
  end)
end)

describe("a mover among dynamic bodies", function()
  local function crate(mass, options)
    return scene(function(world)
      floor(world)
      local c = world:body { position = { 1, 0.5 }, mass = mass }
      c:box { 1, 1, friction = 0.5 }
      return c
    end, options)
  end

  it("pushes bodies with at most push_force", function()
    for _, mass in ipairs { 30, 200 } do -- friction sqrt(0.5 * 0.6) m g = 161 N and 1075 N
      local world, hero, c = crate(mass, { walk = 2, push_force = 300 })
      world:step(30)
      local x1, v1 = c:position(), c:velocity()
      world:step(90)
      if mass == 30 then
        assert.is_true(c:position() - x1 > 2)
        assert.near(c:position() - 0.5, hero:position() + 0.3, 0.01) -- mover and crate stay together
      else
        assert.near(x1, (c:position()), 1e-4) -- the crate does not slip
        assert.near(0, v1, 1e-3)
        assert.is_true(hero.on_wall)
      end
    end
  end)

  it("accelerates a body without friction at push_force / m", function()
    local world, hero, c = scene(function(world)
      floor(world)
      local c = world:body { position = { 0.85, 0.5 }, mass = 100, fixed_rotation = true }
      c:box { 1, 1, friction = 0 }
      return c
    end, { walk = 2, push_force = 50 })
    world:step(30)
    local v1 = c:velocity()
    world:step(60)
    assert.near(0.5, c:velocity() - v1, 1e-3) -- speed gained: F t / m
    assert.is_true(hero:position() > 0.05)
  end)

  it("loads the body that it stands on with its weight, at any mass", function()
    for _, mass in ipairs { 7, 70, 700 } do
      local world, hero, c = scene(function(world)
        floor(world)
        local c = world:body { position = { 0, 0.5 }, mass = 30 }
        c:box { 3, 1 }
        return c
      end, { position = { 0, 1 }, mass = mass })
      world:step(240)
      local _, fy = c:contact_force()
      -- 1 %: the soft contacts and the force of the mover on the body have not fully converged.
      assert.near((30 + mass) * 9.81, fy, 1e-2 * (30 + mass) * 9.81)
      assert.near(1 + SKIN, select(2, hero:position()), 2e-3)
      for _ = 1, 240 do world:step() end
      assert.is_false(c.awake)
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

  it("wakes a sleeping plank as it steps on and off", function()
    local world, hero, plank = scene(function(world)
      floor(world)
      local plank = world:body { position = { 0, 1 }, mass = 40 }
      plank:box { 6, 0.2 }
      world:revolute(world.ground, plank, { anchor = { 0, 1 }, limit = { -0.25, 0.25 },
                                            spring = { stiffness = 2000, damping = 300 } })
      return plank
    end, { position = { 20, 0 } })
    world:step(300)
    assert.is_false(plank.awake)
    hero:set_position(2, 1.2)
    world:step(300)
    assert.is_true(plank.angle < -0.2)
    world:step(300)
    assert.is_false(plank.awake)
    hero:set_position(20, 0)
    world:step(300)
    assert.near(0, plank.angle, 0.05)
  end)

  it("is not thrown by a body that hits it", function()
    local world, hero, c = scene(function(world)
      floor(world)
      local c = world:body { position = { -1.5, 0.5 }, velocity = { 6, 0 }, mass = 500 }
      c:box { 1, 1, friction = 0 }
      return c
    end)
    world:step(30)
    assert.is_true(hero:position() < 0.5 * 30 / 60) -- overlap pushes the mover at up to 0.5 m/s
    assert.is_true((c:velocity()) < 1)
  end)

  it("walks over a hanging bridge of links far lighter than itself", function()
    for _, solver in ipairs { "soft", "direct" } do
      local links, n = {}, 20
      local function sag(i) return -1.2 * math.sin(math.pi * i / (n + 1)) end
      local world, hero = scene(function(world)
        local last = world.ground
        for i = 1, n do
          links[i] = world:body { position = { i * 0.5, sag(i) }, mass = 2 }
          links[i]:box { 0.52, 0.1 }
          world:revolute(last, links[i], { anchor = { i * 0.5 - 0.25, sag(i - 0.5) } })
          last = links[i]
        end
        world:revolute(last, world.ground, { anchor = { n * 0.5 + 0.25, sag(n + 0.5) } })
        world:step(240)
      end, { position = { 2, 0 }, walk = 1 }, { solver = solver })
      for i = 1, 420 do
        if i == 200 then hero.walk = 0 end
        world:step()
        assert.is_true(select(2, hero:position()) > -2.5)
      end
      assert.is_true(hero.grounded)
      for _, link in ipairs(links) do
        local vx, vy = link:velocity()
        assert.is_true(vx * vx + vy * vy < 1.5 ^ 2, solver)
      end
    end
  end)

  it("falls together with a falling plank below it, without pushing the plank away", function()
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

  it("supports a body that falls on it", function()
    local world, hero, c = scene(function(world)
      floor(world)
      local c = world:body { position = { 0, 3 }, fixed_rotation = true }
      c:box { 1, 0.5 }
      return c
    end)
    world:step(120)
    assert.near(1.8 + SKIN + 0.25, select(2, c:position()), 0.01) -- overlap of a soft contact, up to IMPI_SLOP
    assert.near(SKIN, select(2, hero:position()), 1e-3)
    hero.walk = 0.5
    world:step(60)
    assert.near(hero:position(), c:position(), 0.1) -- friction carries the crate along
  end)

  it("is detected by sensors and obeys filters", function()
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

describe("a filter", function()
  it("lets a mover through a refused shape, and is called once for each shape", function()
    local world, hero, door = scene(function(world)
      floor(world)
      local door = world:body { type = "static", position = { 2, 1 }, name = "door" }
      door:box { 0.2, 2 }
      world:body({ type = "static", position = { 4, 1 } }):box { 0.2, 2 }
      return door
    end, { walk = 4 })
    local asked, open = 0, false
    hero.shape.filter = function(_, other)
      asked = asked + 1
      return other.body ~= door or not open
    end
    world:step(60)
    assert.is_true(hero:position() < 2)
    open = true
    hero.shape:refilter()
    world:step(120)
    assert.near(4 - 0.1 - 0.3 - SKIN, (hero:position()), 1e-4) -- the wall behind the door stops the mover
    assert.is_true(asked <= 6, asked) -- at most two calls each for floor, door and wall
  end)
end)

describe("a one-way platform", function()
  local function box(body) body:box { 3, 0.2, center = { 0, 2 }, one_way = { 0, 1 } } end

  local function level(world, add)
    floor(world)
    add(world:body { type = "static" })
  end

  for name, add in pairs {
    box = box,
    segment = function(body) body:segment { from = { -1.5, 2.1 }, to = { 1.5, 2.1 }, one_way = { 0, 1 } } end,
    capsule = function(body) body:capsule { from = { -1.5, 2 }, to = { 1.5, 2 }, radius = 0.1, one_way = { 0, 1 } } end,
  } do
    it("that is a " .. name .. " is passed from below and stood on from above", function()
      local world, hero = scene(function(world) level(world, add) end)
      world:step(2)
      hero:jump(8)
      local top = 0
      for _ = 1, 120 do
        world:step()
        top = math.max(top, select(2, hero:position()))
      end
      -- Free flight to v^2 / 2 g, with the error of symplectic Euler.
      assert.near(8 ^ 2 / (2 * 9.81), top, 0.1)
      assert.near(2.1 + SKIN, select(2, hero:position()), 1e-4)
      assert.is_true(hero.grounded)
    end)
  end

  it("can be a chain; a mover that jumps from below passes it in free flight, and lands on it", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):chain { points = { { 3, 2 }, { 0, 2 }, { -3, 2 } } }
    end)
    world:step(2)
    hero:jump(8)
    local y, vy = select(2, hero:position()), 8
    while y + vy / 60 + 0.9 < 2 do -- 0.9: half the mover's height
      world:step()
      vy = vy - 9.81 / 60
      y = y + vy / 60
      assert.near(y, select(2, hero:position()), 1e-9) -- free flight by symplectic Euler, to rounding
    end
    world:step(120)
    assert.near(2 + SKIN, select(2, hero:position()), 1e-4)
  end)

  it("lets a mover fall by drop_through; a solid floor does not", function()
    local world, hero = scene(function(w) level(w, box) end, { position = { 0, 2.2 } })
    world:step(20)
    assert.is_true(hero.grounded)
    assert.is_true(hero:drop_through())
    world:step(60)
    assert.near(SKIN, select(2, hero:position()), 1e-4)
    assert.is_false(hero:drop_through())
  end)

  it("carries a mover up and down as the platform moves", function()
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

  it("is not a wall from any side", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static", position = { 3, 0.6 } }):box { 1, 1.2, one_way = { 0, 1 } }
    end, { walk = 3 })
    world:step(120)
    assert.is_true(hero:position() > 5)
  end)
end)
