-- One-way platforms stop bodies that move against their direction, and let all others through.
local core = require "impel.core"

local SOLVERS = { "soft", "si", "xpbd", "direct" } -- one solver of each family

-- A platform about the body's origin. The top of boxes and tiles is at y = 0.1 m, that of segments and chains at y = 0.
local makers = {
  box = function(body) return body:box { 6, 0.2, one_way = { 0, 1 } } end,
  segment = function(body) return body:segment { from = { -3, 0 }, to = { 3, 0 }, one_way = { 0, 1 } } end,
  chain = function(body)
    return body:chain { points = { { 3, 0 }, { 1, 0 }, { -1, 0 }, { -3, 0 } }, one_way = { 0, 1 } }
  end,
  tiles = function(body)
    local shape
    for i = 0, 11 do shape = body:box { 0.5, 0.2, center = { i / 2 - 2.75, 0 }, one_way = { 0, 1 } } end
    return shape
  end,
}

local visitors = {
  circle = function(body) return body:circle { radius = 0.3 } end,
  box = function(body) return body:box { 0.6, 0.6 } end,
}

local function scene(platform, visitor, solver, options, platform_options)
  local world = core.world { solver = solver }
  local body = world:body(platform_options or { type = "static" })
  makers[platform](body)
  local guest = world:body(options)
  visitors[visitor](guest)
  return world, guest, body
end

-- Return whether the guest rests on a platform at `height`: its centre is 0.3 m or 0.4 m higher, within 2 cm.
local function stands(guest, height)
  local _, y = guest:position()
  return y - (height or 0) > 0.28 and y - (height or 0) < 0.42
end

local function each(f)
  for _, platform in ipairs { "box", "segment", "chain", "tiles" } do
    for _, visitor in ipairs { "circle", "box" } do
      for _, solver in ipairs(SOLVERS) do
        f(platform, visitor, solver, ("%s on %s, %s"):format(visitor, platform, solver))
      end
    end
  end
end

describe("a one-way platform", function()
  it("supports a body that falls on it, also at high speed", function()
    each(function(platform, visitor, solver, what)
      -- The guest lands on the middle of a tile, because an internal edge would deflect a disc.
      for _, speed in ipairs { 0, 12, visitor == "box" and platform == "tiles" and 0 or 100 } do
        local world, guest = scene(platform, visitor, solver, { position = { 0.25, 1.5 }, velocity = { 0, -speed } })
        world:step(120)
        assert.is_true(stands(guest), ("%s at %g m/s"):format(what, speed))
      end
    end)
  end)

  it("lets a body jump through from below without loss of height, and supports it then", function()
    each(function(platform, visitor, solver, what)
      local world, guest = scene(platform, visitor, solver, { position = { 0.1, -1 }, velocity = { 0, 8 } })
      local top = -1
      for _ = 1, 240 do
        world:step()
        local _, y = guest:position()
        top = math.max(top, y)
      end
      -- The guest rises by v^2 / 2 g. Symplectic steps reduce the height by up to v dt / 2 = 0.067 m.
      assert.near(-1 + 64 / (2 * 9.81), top, 0.08, what)
      assert.is_true(stands(guest), what)
    end)
  end)

  it("lets a body pass at an angle, with spin", function()
    each(function(platform, visitor, solver, what)
      local options = { position = { -1.5, -1 }, velocity = { 2, 7 }, angular_velocity = 3, angle = 0.4 }
      local world, guest = scene(platform, visitor, solver, options)
      for _ = 1, 40 do -- the guest is highest at 0.71 s, after these steps
        world:step()
        local vx, vy = guest:velocity()
        assert.near(2, vx, 1e-4, what) -- rounding of floats
        assert.near(7 - 9.81 * world.time, vy, 1e-4, what)
      end
    end)
  end)

  it("does not push out a body that got halfway through", function()
    each(function(platform, visitor, solver, what)
      -- The guest's centre turns back 3 cm above the platform's top.
      local world, guest = scene(platform, visitor, solver, { position = { -0.8, -1 }, velocity = { 1, 4.75 } })
      for _ = 1, 90 do
        world:step()
        local vx, vy = guest:velocity()
        assert.near(1, vx, 1e-4, what)
        assert.near(4.75 - 9.81 * world.time, vy, 1e-4, what)
      end
    end)
  end)

  it("lets a body walk onto it from an adjacent box of the same height", function()
    each(function(platform, visitor, solver, what)
      local world, guest, body = scene(platform, visitor, solver, { position = { -5, 0.5 }, fixed_rotation = true })
      local top = (platform == "box" or platform == "tiles") and 0.1 or 0
      body:box { 3, 1, center = { -4.5, top - 0.5 } }
      world:step(30)
      for _ = 1, 225 do -- until x = 2.5
        local _, vy = guest:velocity()
        guest:set_velocity(2, vy)
        world:step()
        local x, y = guest:position()
        -- Bumps of 2 cm also occur without one-way shapes. A fall would be more than 10 cm.
        assert.is_true(y > top + 0.27 and y < top + 0.36, ("%s: %.3f at %.2f"):format(what, y, x))
      end
    end)
  end)

  it("is open at 60 and 200 m/s from below", function()
    each(function(platform, visitor, solver, what)
      for i, start in ipairs { -1, -0.85, -0.7, -0.55 } do
        local speed = i % 2 == 0 and 60 or 200
        local world, guest = scene(platform, visitor, solver, { position = { 0.1, start }, velocity = { 0, speed } })
        world:set_gravity(0, 0)
        world:step(6)
        local _, vy = guest:velocity()
        assert.near(speed, vy, 1e-3, what) -- rounding of floats
      end
    end)
  end)

  it("lifts a body that stands on it, and moves down through a body below it", function()
    for _, platform in ipairs { "box", "segment", "chain", "tiles" } do
      for _, solver in ipairs(SOLVERS) do
        local world, guest, lift = scene(platform, "box", solver, { position = { 0.1, 1.2 } },
          { type = "kinematic", velocity = { 0, 1 } })
        world:step(120)
        local _, height = lift:position()
        assert.is_true(stands(guest, height), platform .. " up, " .. solver)
        local other = world:body { position = { 1.5, height - 1 }, gravity_scale = 0 }
        other:box { 0.6, 0.6 }
        lift:set_velocity(0, -2)
        world:step(60)
        local x, y = other:position()
        assert.near(1.5, x, 1e-9)
        assert.near(height - 1, y, 1e-9)
        local _, low = lift:position()
        assert.is_true(stands(guest, low), platform .. " down, " .. solver)
      end
    end
  end)

  it("turned by 30 degrees is solid along its turned direction", function()
    for _, solver in ipairs(SOLVERS) do
      for _, platform in ipairs { "box", "segment", "chain", "tiles" } do
        local a = math.pi / 6
        local nx, ny = -math.sin(a), math.cos(a)
        local function throw(side)
          local px, py = 1.5 * side * nx, 1.5 * side * ny
          local options = { position = { px, py }, velocity = { -4 * side * nx, -4 * side * ny }, gravity_scale = 0,
                            fixed_rotation = true }
          local world, guest = scene(platform, "circle", solver, options, { type = "static", angle = a })
          world:step(60)
          local x, y = guest:position()
          return x * nx + y * ny
        end
        assert.is_true(throw(1) > 0.25, platform .. " from above, " .. solver)
        assert.near(-1.5 + 4, throw(-1), 1e-4, platform .. " from below, " .. solver)
      end
    end
  end)

  it("is solid for normals within 45 degrees of its direction", function()
    for _, speed in ipairs { 0, 100 } do
      for _, degrees in ipairs { 44, 46, -44, -46 } do
        local a = math.rad(degrees)
        local world = core.world {}
        world:body({ type = "static" }):box { 6, 0.2, one_way = { math.sin(a), math.cos(a) } }
        local guest = world:body { position = { 0.1, 0.7 }, velocity = { 0, -speed } }
        guest:box { 0.6, 0.6 }
        world:step(60)
        assert.equal(math.abs(degrees) < 45, stands(guest), degrees .. " degrees")
      end
    end
  end)

  it("lets a body drop through by set_one_way", function()
    for _, solver in ipairs(SOLVERS) do
      local world, guest, body = scene("segment", "box", solver, { position = { 0.1, 0.5 } })
      world:step(60)
      for shape in body:shapes() do
        shape:set_one_way(0, -1)
      end
      world:step(60)
      local _, y = guest:position()
      assert.is_true(y < -1, solver)
    end
  end)
end)

describe("turning a one-way shape", function()
  it("wakes a body that sleeps on it; the body falls through unless the shape still supports the body", function()
    for platform in pairs(makers) do
      local world, guest, body = scene(platform, "box", "soft", { position = { 0.1, 0.45 } })
      world:step(120)
      assert.is_false(guest.awake, platform)
      for shape in body:shapes() do shape:set_one_way(0.5, 1) end
      world:step(120)
      assert.is_true(stands(guest) and not guest.awake, platform)
      for shape in body:shapes() do shape:set_one_way(0, -1) end
      world:step(60)
      assert.is_true(select(2, guest:position()) < -1, platform)
    end
  end)

  it("from no direction to one lets a body pass unless it stands on the solid side", function()
    for _, up in ipairs { 1, -1 } do
      local world = core.world { gravity = { 0, -9.81 } }
      local shape = world:body({ type = "static" }):box { 6, 0.2 }
      local guest = world:body { position = { 0, 0.4 } }
      guest:box { 0.6, 0.6 }
      world:step(30)
      shape:set_one_way(0, up)
      world:step(60)
      assert.equal(up == 1, stands(guest))
    end
  end)

  it("to solid from all sides does not affect a body that is halfway through", function()
    local world = core.world { gravity = { 0, 0 } }
    local shape = world:body({ type = "static" }):box { 6, 0.2, one_way = { 0, 1 } }
    local guest = world:body { position = { 0, -0.6 }, velocity = { 0, 2 } }
    guest:box { 0.6, 0.6 }
    world:step(15) -- until -0.1 m
    shape:set_one_way(0, 0)
    world:step(45)
    local _, y = guest:position()
    assert.near(1.4, y, 1e-5) -- the soft solver computes in floats
  end)

  it("inside a step takes effect at the step's end, as all settings of shapes do", function()
    local world, guest, body = scene("box", "box", "soft", { position = { 0.1, 0.4 } })
    world:step(60)
    local shape
    for own in body:shapes() do shape = own end
    local handler = world:on("substep", function() shape:set_one_way(0, -1) end)
    world:step()
    handler:destroy()
    for contact in guest:contacts() do
      assert.is_true(contact.enabled)
      assert.near(guest.mass * 9.81 * world.dt, contact.normal_impulse, 1e-5) -- the soft solver computes in floats
    end
    world:step()
    for contact in guest:contacts() do assert.is_false(contact.enabled) end
    world:step(60)
    assert.is_true(select(2, guest:position()) < -1)
  end)
end)

describe("pre_solve handlers", function()
  -- A one-way platform without `one_way`. A body that was not above the platform at the previous step passes through.
  local function one_way_by_hand(world, platform)
    local passing = {}
    world:on("pre_solve", function(contact)
      assert.equal(platform, contact.shape_a)
      local _, ny = contact:normal()
      local _, _, separation = contact:point(1)
      local id, depth = contact.id, 0.01
      if passing[id] == nil then depth = depth + math.max(contact.speed, 0) * world.dt end
      if passing[id] ~= false then passing[id] = not (ny > 0.7 and separation > -depth) end
      contact.enabled = not passing[id]
    end)
  end

  it("make one-way platforms", function()
    for _, solver in ipairs(SOLVERS) do
      local world = core.world { solver = solver }
      local platform = world:body({ type = "static" }):box { 6, 0.2, pre_solve = true }
      one_way_by_hand(world, platform)
      local jumper = world:body { position = { -1, -1 }, velocity = { 0, 8 } }
      jumper:box { 0.6, 0.6 }
      local faller = world:body { position = { 1, 2 } }
      faller:circle { radius = 0.3 }
      world:step(240)
      assert.is_true(stands(jumper), solver)
      assert.is_true(stands(faller), solver)
    end
  end)

  it("let one of two bodies drop through a built-in one-way shape within a tenth of a second", function()
    for _, solver in ipairs(SOLVERS) do
      local world = core.world { solver = solver }
      local platform = world:body({ type = "static" }):box { 6, 0.2, one_way = { 0, 1 }, pre_solve = true }
      local stays, drops = world:body { position = { -1, 0.4 } }, world:body { position = { 1, 0.4 } }
      stays:box { 0.6, 0.6 }
      local shape = drops:box { 0.6, 0.6 }
      local until_tick = 0
      world:on("pre_solve", function(contact)
        if contact.shape_b == shape and world.tick < until_tick then contact.enabled = false end
      end)
      world:step(10)
      until_tick = world.tick + 6
      drops.awake = true
      world:step(60)
      local _, y = drops:position()
      -- Free fall of 1 s. The tolerance covers the integration error of half a step (0.08 m) and the overlap of
      -- the box with the platform at rest.
      assert.near(0.4 - 9.81 * 1 / 2, y, 0.1, solver)
      assert.is_true(stays:position() < 0 and stands(stays), solver)
      assert.is_true(platform:is_valid())
    end
  end)
end)
