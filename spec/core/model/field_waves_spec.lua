-- Details of force fields: waves, partly submerged bodies, the shapes on which a field acts, sleeping bodies.
local impel = require "impel"

local G, H = 10, 1e-3

-- Return a world with a step of 1 ms, in which a very heavy body hardly moves.
local function still(gravity)
  return impel.world { gravity = { 0, gravity or 0 }, solver = "si", dt = H, substeps = 1 }
end

local HEAVY = 1e6
-- Tolerance [N]: the rounding error of a velocity change, multiplied by HEAVY / H.
local close = 1e-5

local function force_on(world, body)
  local vx, vy = body:velocity()
  local w = body.angular_velocity
  local _, gravity = world:gravity()
  world:step()
  local ux, uy = body:velocity()
  return (ux - vx) * HEAVY / H, (uy - vy - gravity * H) * HEAVY / H, (body.angular_velocity - w) * HEAVY / H
end

describe("waves", function()
  local wave = { kind = "buoyancy", density = 1, level = 0.3, wave_amplitude = 0.4, wave_length = 7, wave_speed = 2 }
  local k = 2 * math.pi / wave.wave_length

  local function sea(world, more)
    local options = {}
    for key, value in pairs(wave) do options[key] = value end
    for key, value in pairs(more) do options[key] = value end
    return world:field(options)
  end

  it("add a k c (sin, -cos) of the phase to the water's velocity (amplitude a, wave number k, wave speed c)", function()
    for i = 0, 11 do
      local world = still()
      world:step(37 * i)
      local x = 0.9 * i - 4
      local body = world:body { position = { x, -5 }, mass = 1 }
      body:box { 1, 1 }
      sea(world, { linear = 1e9, velocity = { 0.5, 0.25 } })
      local phase, speed = k * (x - 2 * world.time), 0.4 * k * 2
      world:step()
      local vx, vy = body:velocity()
      -- With drag d the body reaches the water's velocity in one step, with a relative error of m / (d h) = 1e-6.
      assert.near(0.5 + speed * math.sin(phase), vx, 1e-5)
      assert.near(0.25 - speed * math.cos(phase), vy, 1e-5)
    end
  end)

  it("turn a floating body by the torque of their slope", function()
    for i = 0, 11 do
      local world = still(-G)
      world:step(23 * i)
      local x = 0.8 * i - 4
      local phase = k * (x - 2 * world.time)
      local y, slope = 0.3 + 0.4 * math.sin(phase), 0.4 * k * math.cos(phase)
      local body = world:body { position = { x, y }, mass = HEAVY, inertia = HEAVY }
      body:box { 2, 1 } -- the water surface crosses the box's vertical sides, so half of the box is submerged
      sea(world, {})
      local fx, fy, torque = force_on(world, body)
      assert.near(0, fx, close) -- buoyancy acts against gravity, not along the surface normal
      assert.near(G * 1, fy, close)
      assert.near(G * slope * 2 ^ 3 / 12, torque, close) -- integral of G slope x^2 over the box's width of 2 m
    end
  end)
end)

describe("water", function()
  -- The box is 2 m by 1 m, its middle is at the surface. The field approximates the second moment of the submerged area
  -- by I f^2: I = 2 (4 + 1) / 12 is the second moment of the box, f = 0.5 the submerged fraction.
  local moment = 2 * 5 / 12 * 0.5 ^ 2

  it("applies drag to a partly submerged body with the submerged area and its second moment", function()
    for name, speed in pairs { linear = 1, quadratic = 3 * math.sqrt(1 / 16 + moment) } do
      local world = still()
      local body = world:body { mass = HEAVY, inertia = HEAVY, angular_velocity = 3 }
      body:box { 2, 1 }
      world:field { kind = "buoyancy", density = 1, [name] = 0.5 }
      local fx, fy, torque = force_on(world, body)
      local d = 0.5 * speed
      assert.near(-d * 3 / 4, fx, close)
      assert.near(0, fy, close)
      assert.near(-d * 3 * (moment + 1 / 16), torque, close)
    end
  end)

  it("does not lift sensors", function()
    local world = still(-G)
    local body = world:body { mass = HEAVY, inertia = HEAVY, position = { 0, -5 } }
    body:box { 1, 1 }
    body:box { 2, 2, sensor = true }
    body:circle { radius = 3, sensor = true }
    world:field { kind = "buoyancy", density = 3, linear = 1, velocity = { 2, 0 } }
    local fx, fy = force_on(world, body)
    assert.near(2, fx, close)
    assert.near(3 * G + 1 * G * H, fy, close) -- lift plus drag; gravity accelerates the body to G H
  end)
end)

describe("wind along a capsule", function()
  it("presses on its round end at every angle, whatever the rounding errors", function()
    for i = 0, 99 do
      local angle = 0.0631 * i
      local world = still()
      local body = world:body { mass = HEAVY, inertia = HEAVY, angle = angle }
      body:capsule { from = { -1, 0 }, to = { 1, 0 }, radius = 0.5 }
      local x, y = body:world_vector(3, 0)
      world:field { kind = "wind", velocity = { x, y }, density = 2 }
      local fx, fy = force_on(world, body)
      assert.near(0.5 * 2 * 9 * 2 / 3, fx * x / 3 + fy * y / 3, close) -- as 2/3 of a plate 1 m wide
    end
  end)
end)

describe("a vortex and an attractor", function()
  it("carry a body that is off both axes around the centre and inward", function()
    local world = still()
    local body = world:body { position = { 3, 1.5 }, mass = 1 }
    world:field { kind = "vortex", center = { 1, 0.5 }, circulation = 6, core = 0.5, inflow = 4, linear = 1e9 }
    world:step()
    local share = 1 / (2 * math.pi * (4 + 1 + 0.25))
    local vx, vy = body:velocity()
    -- With drag d the body reaches the vortex's velocity in one step, with a relative error of m / (d h) = 1e-6.
    assert.near(share * (-6 * 1 - 4 * 2), vx, 1e-5)
    assert.near(share * (6 * 2 - 4 * 1), vy, 1e-5)
  end)

  it("apply their range to the distance, not to the softened distance", function()
    local world = still()
    local inside, outside = world:body { position = { 3, 4 } }, world:body { position = { -3, -4.1 } }
    world:field { kind = "attractor", strength = 1, softening = 2, range = 5.05 } -- sqrt(25 + 4) is 5.39
    world:step()
    assert.is_true(inside:velocity() < 0)
    assert.same({ 0, 0 }, { outside:velocity() })
  end)
end)

describe("angular drag", function()
  it("balances a torque T at the angular velocity T / c, for all bodies, a list of bodies or a region", function()
    for _, how in ipairs { "all", "list", "region" } do
      local world = impel.world { gravity = { 0, 0 }, solver = "si" }
      local body, other = world:body { inertia = 0.5 }, world:body { inertia = 0.5, position = { 50, 0 } }
      world:on("step", function()
        body:apply_torque(6)
        other:apply_torque(6)
      end)
      world:field { kind = "drag", angular = 40, bodies = how == "list" and { body } or nil,
                    region = how == "region" and { -1, -1, 1, 1 } or nil }
      world:step(300)
      -- The terminal angular velocity is exact with implicit drag.
      assert.near(6 / 40, body.angular_velocity, 1e-12, how)
      assert.near(how == "all" and 6 / 40 or 6 / 0.5 * 5, other.angular_velocity, 1e-9, how)
    end
  end)
end)

describe("an explosion", function()
  it("wakes and pushes a body with one shape in its range", function()
    local world = impel.world { gravity = { 0, 0 } }
    local bell = world:body { position = { 5, 0 } }
    bell:circle { radius = 0.5, center = { -3, 0 } }
    bell:circle { radius = 0.5, center = { 3, 0 } }
    local far = world:body { position = { 0, 7 } }
    far:circle { radius = 0.5 }
    world:step(120)
    assert.is_false(bell.awake)
    world:field { kind = "explosion", impulse = 1, range = 3 }
    world:step()
    assert.near(1 / 2 * 1 / bell.mass, (bell:velocity()), 1e-6) -- a circle 1 m wide, 2 m away; floats
    assert.is_false(far.awake)
  end)
end)

describe("a field that changes with time", function()
  local changing = {
    explosion = { center = { 0, -3 }, impulse = 1e-6, duration = 100 },
    wind = { velocity = { 1e-4, 0 }, gust = 0.3 },
    buoyancy = { density = 1e-9, level = 3, wave_amplitude = 0.1 },
    custom = { law = function(_, t) return 1e-9 * t, 0 end },
    dynamic = { law = function() return 0, 0 end, dynamic = true },
  }
  for name, options in impel.pairs(changing) do
    it("keeps the bodies that it acts on awake, and lets the others sleep: " .. name, function()
      for _, whom in ipairs { {}, { list = true }, { region = { -1, -1, 1, 1 } } } do
        local world = impel.world { gravity = { 0, -G } }
        world:body({ type = "static" }):box { 30, 1, center = { 0, -1 } } -- without a floor bodies drift and stay awake
        local body, other = world:body {}, world:body { position = { 9, 0 } }
        body:box { 1, 1 }
        other:box { 1, 1 }
        local made = { kind = name == "dynamic" and "custom" or name, region = whom.region }
        made.bodies = whom.list and { body } or nil
        for key, value in pairs(options) do made[key] = value end
        local field = world:field(made)
        world:step(120)
        assert.is_true(body.awake)
        assert.equal(not (whom.list or whom.region), other.awake)
        field.enabled = false
        world:step(120)
        assert.is_false(body.awake)
        assert.is_false(other.awake)
      end
    end)
  end
end)
