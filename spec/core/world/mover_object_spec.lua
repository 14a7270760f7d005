-- Commands to character movers, and movers as objects.
local impel = require "impel"
local movers = require "core.world.movers"
local flat = require "support.flat"

local SKIN, floor, scene = movers.SKIN, movers.floor, movers.scene

describe("a mover", function()
  it("crouches with its feet in place, and stands up only if there is room", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 4, 1, center = { 5, 1.7 } } -- the box leaves 1.2 m of room
    end, { walk = 3 })
    world:step(120)
    assert.near(3 - 0.3 - SKIN, (hero:position()), 0.5) -- the mover's round head touches the edge
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

  it("slides down a wall and reports the wall's normal, so that a script can add wall jumps", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 1, 20, center = { 2, 10 } }
    end, { position = { 1.1, 8 }, walk = 3 })
    world:step(20)
    assert.is_true(hero.on_wall)
    assert.same({ -1, 0 }, { hero:wall_normal() })
    local _, vy = hero:velocity()
    hero:set_velocity(0, math.max(vy, -1)) -- a wall slide limits the speed of falling
    hero:jump(5)
    hero:set_velocity(-4, 5)
    world:step(10)
    assert.is_true(hero:position() < 1)
    assert.is_false(hero.on_wall)
  end)

  it("falls at once after it hits a ceiling", function()
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

  it("treats an overhang of 45 degrees as a ceiling", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):polygon { points = { { 1, 3 }, { 4, 0 }, { 4, 3 } } }
    end, { walk = 3 })
    world:step(60)
    assert.is_true(hero.on_ceiling)
    assert.is_false(hero.on_wall)
  end)

  it("jumps to a height of v^2 / 2 g", function()
    local world, hero = scene(floor, nil, { dt = 1 / 240 })
    world:step(4)
    hero:jump(5)
    local top = 0
    for _ = 1, 240 do
      world:step()
      top = math.max(top, select(2, hero:position()))
    end
    assert.near(5 ^ 2 / (2 * 9.81), top, 5 / 480 + 2 * SKIN) -- the error of symplectic Euler is v dt / 2
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

  it("is moved by move() if it is not automatic", function()
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

  it("leaves its ground if it is teleported, also just above the same ground", function()
    local world, hero = scene(floor, { walk = 2 })
    world:step(10)
    hero:set_position(0, 0.25) -- this height is less than snap_distance
    world:step()
    assert.is_false(hero.grounded)
    assert.near(0.25 - 9.81 / 3600, select(2, hero:position()), 1e-9)
    assert.near(2, (hero:velocity()), 1e-9)
  end)

  it("with automatic = false does not move by itself", function()
    local world, hero = scene(function(world)
      floor(world)
      world:body({ type = "static" }):box { 0.1, 4, center = { 2, 2 } }
    end, { velocity = { 5, 0 }, walk = 5 })
    world:step(5)
    hero.automatic = false
    local x, y = hero:position()
    world:step(120)
    assert.same({ x, y }, { hero:position() })
    assert.same({ 0, 0 }, { hero.body:velocity() })
    local thrown = world:mover { position = { -5, 3 }, velocity = { 5, 5 }, automatic = false }
    world:step(60)
    assert.same({ -5, 3 }, { thrown:position() })
  end)

  it("is body.mover, follows set_velocity and set_pose of its body, and refuses rotation and move_to", function()
    local world, hero = scene(floor, { walk = 1 })
    local body = hero.body
    world:step(2)
    assert.equal(hero, body.mover)
    assert.is_nil(world:find("floor").mover)
    body:set_velocity(-3, 0)
    assert.same({ -3, 0 }, { hero:velocity() })
    for _, turn in ipairs { function() body.angle = 1 end, function() body.angular_velocity = 1 end,
                            function() body:set_pose(0, 0, 1) end, function() body:move_to(5, 0) end } do
      assert.has_error(turn)
    end
    body:set_pose(4, 2, 0)
    assert.same({ 4, 2 }, { hero:position() })
  end)

  it("is rotated and copied in a group, and stays upright", function()
    local world, hero = scene(floor, { position = { 1, 3 }, height = 1.2, walk = 2 })
    hero.body:circle { radius = 0.1, sensor = true }
    local group = impel.group { hero.body, world:body { position = { -1, 3 } } }
    group:rotate(math.pi / 2, 0, 3)
    assert.near(0, (hero:position()), 1e-12)
    assert.near(4, select(2, hero:position()), 1e-12)
    assert.equal(0, hero.body.angle)
    group:set_velocity(1, 0, 2)
    local twin
    for _, body in group:copy(5, 0):each() do twin = twin or body.mover end
    assert.equal(1.2, twin.height)
    assert.equal(2, twin.walk)
    assert.near(5, (twin:position()), 1e-12)
    local shapes = 0
    for _ in twin.body:shapes() do shapes = shapes + 1 end
    assert.equal(2, shapes)
  end)

  it("is restored with its world to the bit", function()
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

  it("is destroyed with its body, and its body with the mover", function()
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

  it("reads back the options that recreate it", function()
    local world, hero = scene(floor, { height = 1.2, radius = 0.25, max_slope = 0.5, walk = -2, automatic = false,
                                       mask = 3, friction = 0.1, position = { 1, 2 } })
    local again = world:mover(hero:options())
    assert.same(hero:options(), again:options())
    assert.near(0.2, again.step_height, 1e-15)
    assert.is_false(again.automatic)
    assert.has_error(function() world:mover { height = 0.5, radius = 0.3 } end)
    assert.has_error(function() world:mover { max_slop = 0.5 } end)
  end)

  it("blocks another mover, and carries a mover on its head", function()
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

  it("does not overlap a mover that stops ahead of it, in either order of creation", function()
    for _, first in ipairs { 0, 1 } do
      local world = scene(floor, { position = { 50, 0 } })
      local list = {}
      for i = 0, 1 do
        local x = (i + first) % 2
        list[x + 1] = world:mover { position = { 0.602 * x, 0 }, walk = 4, acceleration = 1e6 }
      end
      local stop
      for i = 1, 30 do
        if i == 15 then
          list[2].walk = 0
          stop = list[2]:position()
        end
        world:step()
        local a, b = list[1]:position(), list[2]:position()
        assert.is_true(b - a > 0.6 - 1e-9, b - a)
        assert.near(stop or b, b, 1e-9)
      end
    end
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
    assert.equal(before, world:counts().bytes) -- the library allocates no memory
  end)
end)
