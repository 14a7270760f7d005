-- Character movers in combined cases: moving ground, edges, slow and fast movers.
local movers = require "core.world.movers"

local SKIN, floor, scene = movers.SKIN, movers.floor, movers.scene

local function lift(world, vx, vy)
  local body = world:body { type = "kinematic", velocity = { vx, vy } }
  body:box { 20, 1, center = { 0, -0.5 } }
  return body
end

describe("a mover on a moving platform", function()
  it("climbs steps up to its step_height, on a lift that goes up or down", function()
    for _, case in ipairs { { 3, 0.29, true }, { 3, 0.31, false }, { -3, 0.29, true }, { -3, 0.31, false } } do
      local speed, height, climbs = table.unpack(case)
      local world, hero, body = scene(function(world)
        local body = lift(world, 0, speed) -- 5 cm a step
        body:box { 4, height, center = { 3, height / 2 } }
        return body
      end, { step_height = 0.3 })
      world:step(60)
      hero.walk = 2
      world:step(90)
      local _, y = body:local_point(hero:position())
      assert.near(climbs and height + SKIN or SKIN, y, 1e-4, speed .. " m/s, " .. height)
    end
  end)

  it("keeps its place on a platform that accelerates", function()
    local a = 3
    local world, hero, cart = scene(function(world)
      floor(world)
      local cart = world:body { position = { 0, 0.25 }, mass = 50, fixed_rotation = true }
      cart:box { 4, 0.5, friction = 0 }
      return cart
    end, { position = { 0, 0.5 }, mass = 0 })
    world:step(10)
    local x = cart:local_point(hero:position())
    for _ = 1, 120 do
      cart:apply_force(50 * a, 0)
      world:step()
    end
    assert.near(2 * a, (cart:velocity()), 1e-3) -- the soft solver computes in floats
    -- The mover follows a change of the cart's velocity one step late. The lag is a dt^2 = a / 3600.
    assert.near(x, (cart:local_point(hero:position())), a / 3600 + 1e-6)
  end)

  it("keeps its velocity over the edge unless inherit_velocity is false", function()
    for _, inherits in ipairs { true, false } do
      local world, hero = scene(function(world)
        lift(world, 2, 0)
      end, { position = { 9.5, 0 }, walk = 1, air_acceleration = 0, inherit_velocity = inherits })
      repeat world:step() until hero.air_time > 0
      assert.near(inherits and 3 or 1, (hero:velocity()), 1e-9)
    end
  end)

  it("rides a belt of 30 m/s, 0.5 m per step", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):box { 400, 1, center = { 0, -0.5 }, surface_speed = 30 }
    end)
    world:step(60)
    local x = hero:position()
    world:step(60)
    assert.near(30, hero:position() - x, 1e-9) -- rounding
  end)

  it("transfers its momentum once to a body that it lands on", function()
    local world, hero, crate = scene(function(world)
      local crate = world:body { position = { 0, -0.5 }, mass = 30, fixed_rotation = true }
      crate:box { 2, 1 }
      return crate
    end, { position = { 0, 0.5 }, gravity_scale = 0, mass = 70 }, { gravity = { 0, 0 } })
    hero:set_velocity(0, -3)
    world:step(60)
    assert.near(-3 * 70 / (70 + 30), select(2, crate:velocity()), 1e-3) -- inelastic
    assert.is_true(hero.grounded)
  end)

  it("without mass does not push a body that it lands on", function()
    local world, hero, crate = scene(function(world)
      local crate = world:body { position = { 0, -0.5 }, mass = 30 }
      crate:box { 2, 1 }
      return crate
    end, { position = { 0, 0.5 }, gravity_scale = 0, mass = 0 }, { gravity = { 0, 0 } })
    hero:set_velocity(0, -3)
    world:step(60)
    assert.is_true(hero.grounded)
    assert.same({ 0, -0.5 }, { crate:position() })
  end)
end)

describe("a mover against a body", function()
  it("does not turn a body that it pushes at its centre's height", function()
    local world, hero, crate = scene(function(world)
      local crate = world:body { position = { 1, 0.9 }, mass = 30 }
      crate:box { 1, 1 }
      return crate
    end, { walk = 2, gravity_scale = 0 }, { gravity = { 0, 0 } })
    world:step(60)
    assert.is_true((crate:velocity()) > 1)
    assert.near(0, crate.angle, 1e-9) -- rounding
    assert.near(2, (hero:velocity()), 1.5)
  end)

  it("without mass does not wake bodies while it walks over them and from one to the next", function()
    local world, hero, crates = scene(function(world)
      floor(world)
      local crates = {}
      for i = 1, 4 do
        crates[i] = world:body { position = { i, 0.5 } }
        crates[i]:box { 0.99, 1 }
      end
      return crates
    end, { position = { 1, 3 }, mass = 0 })
    world:step(200)
    hero.walk = 2
    for _ = 1, 80 do
      world:step()
      for _, crate in ipairs(crates) do assert.is_false(crate.awake) end
    end
    assert.equal(crates[4], hero.ground.body)
  end)

  it("lets a body beside it fall asleep", function()
    local world, hero, crate = scene(function(world)
      floor(world)
      local crate = world:body { position = { 0.802, 0.5 }, mass = 30 }
      crate:box { 1, 1 }
      return crate
    end)
    world:step(2)
    hero:move(0.1, 0)
    assert.is_true(hero.on_wall)
    crate.angular_velocity = 0.3 -- the crate rocks against the mover
    world:step(240)
    assert.is_false(crate.awake)
  end)
end)

describe("a mover on steps", function()
  it("follows a step down at low speed", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 4, 0.28, center = { -2, 0.14 } }
    end, { position = { -0.2, 0.28 }, walk = 0.4, step_height = 0.3 })
    for _ = 1, 120 do
      world:step()
      assert.is_true(world.tick < 3 or hero.grounded)
    end
    assert.near(SKIN, select(2, hero:position()), 1e-4)
  end)

  it("does not climb a step under a low ceiling at low speed", function()
    local world, hero = scene(function(world)
      floor(world)
      local b = world:body { type = "static" }
      b:box { 4, 0.6, center = { 2.5, 0.3 } } -- higher than the centre of the mover's round foot
      b:box { 6, 1, center = { 2.5, 2.5 } } -- the ceiling is 2 m up
    end, { walk = 0.4, step_height = 0.62 })
    for _ = 1, 240 do
      world:step()
      local _, y = hero:position()
      assert.is_true(y + 1.8 < 2, y)
    end
    assert.near(0.5 - 0.3 - SKIN, (hero:position()), 1e-3)
    assert.is_true(hero.on_wall)
  end)
end)

describe("a mover that leaves the ground", function()
  it("jumps to a height of v^2 / 2 g in the smallest steps", function()
    local world, hero = scene(floor, nil, { dt = 1 / 2000 })
    world:step(20)
    hero:jump(0.5)
    local top = 0
    for _ = 1, 240 do
      world:step()
      top = math.max(top, select(2, hero:position()))
    end
    assert.near(0.5 ^ 2 / (2 * 9.81), top, 0.5 / 4000 + 2 * SKIN) -- errors of v dt / 2 and of the skin
  end)

  it("by an upward set_velocity moves ballistically, as after a jump", function()
    local world, hero = scene(floor)
    world:step(2)
    hero:set_velocity(2, 4)
    assert.same({ 2, 4 }, { hero:velocity() })
    assert.is_false(hero.grounded)
    world:step()
    assert.near(4 - 9.81 / 60, select(2, hero:velocity()), 1e-9)
    world:step(120)
    hero:set_velocity(2, 0.05)
    assert.is_true(hero.grounded)
  end)

  it("by an upward set_velocity on a lift has exactly the set velocity, with and without inherit_velocity", function()
    for _, inherits in ipairs { true, false } do
      local world, hero = scene(function(world) lift(world, 2, 1) end, { inherit_velocity = inherits })
      world:step(5)
      hero:set_velocity(1, 5)
      assert.same({ 1, 5 }, { hero:velocity() })
      assert.is_false(hero.grounded)
    end
  end)

  it("has a different hash from a standing mover of the same pose and velocity", function()
    local world, hero = scene(floor)
    world:step(5)
    local snapshot, hash = world:snapshot(), world.hash
    world:restore(snapshot)
    assert.equal(hash, world.hash)
    hero:set_velocity(0, 0.2)
    hero:set_velocity(0, 0)
    assert.not_equal(hash, world.hash)
  end)

  it("moved from the ground by move() does not climb a slope that is too steep", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):segment { from = { 2, 0 }, to = { 8, 8 } }
    end)
    world:step(2)
    hero.automatic = false
    for _ = 1, 20 do hero:move(0.5, 0) end
    assert.is_true(hero:position() < 2)
    assert.near(SKIN, select(2, hero:position()), 1e-4)
  end)
end)

describe("a mover on edges", function()
  it("stands on the open end of a chain with the side of its foot", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):chain { points = { { 4, 0 }, { 2, 0 }, { 0, 0 } } }
    end, { position = { -0.1, 0.2 } })
    world:step(60)
    assert.is_true(hero.grounded)
    local nx, ny = hero:ground_normal()
    local x, y = hero:position()
    assert.near((0.3 + SKIN) * nx, x, SKIN) -- the round foot touches the end of the chain
    assert.near((0.3 + SKIN) * ny - 0.3, y, SKIN)
    assert.is_true(nx < -0.3 and nx > -math.sqrt(0.5))
  end)

  it("on a crest walks along the side whose normal is nearer to ground_normal", function()
    for _, side in ipairs { -1, 1 } do -- the crest falls at 10 degrees on this side, at 40 on the other
      local steep, flat = math.rad(40), math.rad(10)
      local world, hero = scene(function(world)
        world:body({ type = "static" }):polygon { points = {
          { 0, 0 }, { -side * 3 * math.cos(steep), -3 * math.sin(steep) },
          { side * 3 * math.cos(flat), -3 * math.sin(flat) } } }
      end, { position = { -side * 0.3 * math.sin(math.rad(30)), 0.3 * math.cos(math.rad(30)) - 0.3 + 2 * SKIN },
             acceleration = 1e6 })
      world:step(2)
      assert.near(-side * math.sin(math.rad(30)), (hero:ground_normal()), 0.05) -- the mover stands on the corner
      hero.walk = 0.01
      world:step()
      local vx, vy = hero:velocity()
      assert.near(side * math.tan(steep), vy / vx, 1e-6)
    end
  end)

  it("falls through a one-way segment whose one_way direction is parallel to the segment", function()
    for _, x in ipairs { -3, 3 } do
      local world, hero = scene(function(world)
        floor(world)
        world:body({ type = "static" }):segment { from = { x, 2 }, to = { -x, 2 }, one_way = { 1, 0 } }
      end, { position = { 0, 2.1 } })
      world:step(120)
      assert.near(SKIN, select(2, hero:position()), 1e-4)
    end
  end)

  it("of a slope that is too steep slides, and is not on a wall", function()
    local world, hero = scene(function(world)
      world:body({ type = "static" }):segment { from = { -8, 8 }, to = { 8, -8 * math.tan(math.rad(50)) } }
    end, { position = { 0, 0.9 }, max_slope = 0.5 })
    world:step(60)
    assert.is_true(hero.sliding)
    assert.is_false(hero.on_wall)
  end)

  it("has a speed of at most 1e8 m/s under any gravity, and a snapshot at this speed can be restored", function()
    for _, gravity in ipairs { { 0, 1e7 }, { 1e7, 0 }, { -1e7, 0 } } do
      local world, hero = scene(function(world) world:set_gravity(gravity[1], gravity[2]) end, { position = { 0, 0 } })
      hero.gravity_scale, hero.air_acceleration = 1e3, 0
      world:step()
      local vx, vy = hero:velocity()
      assert.equal(gravity[1] * 10, vx)
      assert.near(gravity[2] * 10, vy, 1e-9)
      local hash, snapshot = world.hash, world:snapshot()
      world:step()
      world:restore(snapshot)
      assert.equal(hash, world.hash)
    end
  end)
end)
