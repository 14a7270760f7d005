-- Wind, water and explosions against closed forms and sums over outlines.
local impel = require "impel"

local solvers = require("support.kinds").solvers

-- Return the outline of a convex shape grown by r, with many points on its rounded corners.
local function outline(points, r)
  local out, count = {}, #points
  for i = 1, count do
    local p, q, o = points[i], points[i % count + 1], points[(i - 2) % count + 1]
    local from, to = 0, 2 * math.pi
    if count > 1 then
      from = math.atan(p[2] - o[2], p[1] - o[1]) - math.pi / 2
      to = math.atan(q[2] - p[2], q[1] - p[1]) - math.pi / 2
      while to < from do to = to + 2 * math.pi end
    end
    local corners = r > 0 and 3000 or 0
    for k = 0, count == 1 and corners - 1 or corners do
      local a = from + (corners > 0 and (to - from) * k / corners or 0)
      out[#out + 1] = { p[1] + r * math.cos(a), p[2] + r * math.sin(a) }
    end
  end
  return out
end

local function place(points, x, y, angle)
  local c, s, out = math.cos(angle), math.sin(angle), {}
  for i, p in ipairs(points) do out[i] = { x + c * p[1] - s * p[2], y + s * p[1] + c * p[2] } end
  return out
end

-- Return the part of a polygon below y = 0.
local function below(poly)
  local out = {}
  for i, a in ipairs(poly) do
    local b = poly[i % #poly + 1]
    if a[2] <= 0 then out[#out + 1] = a end
    if (a[2] <= 0) ~= (b[2] <= 0) then out[#out + 1] = { a[1] + (b[1] - a[1]) * a[2] / (a[2] - b[2]), 0 } end
  end
  return out
end

-- Return the area and the centroid of a polygon.
local function mass_of(poly)
  local area, x, y = 0, 0, 0
  for i, a in ipairs(poly) do
    local b = poly[i % #poly + 1]
    local c = a[1] * b[2] - a[2] * b[1]
    area, x, y = area + c / 2, x + (a[1] + b[1]) * c / 6, y + (a[2] + b[2]) * c / 6
  end
  if area == 0 then return 0, 0, 0 end
  return area, x / area, y / area
end

local forms = {
  { "circle", { { 0.2, 0.1 } }, 0.6, function(b, p, r) b:circle { radius = r, center = p[1] } end },
  { "capsule", { { -0.5, 0.2 }, { 0.6, -0.1 } }, 0.3, function(b, p, r)
    b:capsule { from = p[1], to = p[2], radius = r }
  end },
  { "box", { { -1, -0.4 }, { 1, -0.4 }, { 1, 0.4 }, { -1, 0.4 } }, 0, function(b) b:box { 2, 0.8 } end },
  { "rounded box", { { -1, -0.4 }, { 1, -0.4 }, { 1, 0.4 }, { -1, 0.4 } }, 0.25, function(b, _, r)
    b:box { 2, 0.8, radius = r }
  end },
  { "polygon", { { -1, -0.5 }, { 0.7, -0.9 }, { 1, 0.5 }, { -0.3, 0.8 } }, 0, function(b, p, r)
    b:polygon { points = p, radius = r }
  end },
  { "rounded polygon", { { -1, -0.5 }, { 0.7, -0.9 }, { 1, 0.5 }, { -0.3, 0.8 } }, 0.2, function(b, p, r)
    b:polygon { points = p, radius = r }
  end },
}

-- Return a field's force and torque on a heavy body.
local function pushed(form, x, y, angle, motion, options)
  local world = impel.world { gravity = { 0, -10 }, solver = "si", dt = 1e-6 }
  local body = world:body { position = { x, y }, angle = angle, mass = 1e6, inertia = 1e6, velocity = motion }
  form[4](body, form[2], form[3])
  local cx, cy = body:center()
  local vx, vy = body:velocity()
  world:field(options)
  world:step()
  local ux, uy = body:velocity()
  return (ux - vx) * 1e12, (uy - vy + 10e-6) * 1e12, body.angular_velocity * 1e12, cx, cy
end

-- ---------------------------------------------------------------------------------------------------------------------

describe("wind", function()
  for _, form in ipairs(forms) do
    it("presses on a " .. form[1] .. " as the sum over the windward edges of its outline", function()
      for turn = 0, 11 do
        local angle = turn * 0.61
        local fx, fy, torque, cx, cy = pushed(form, 0.3, 2, angle, { 1, -0.5 },
          { kind = "wind", velocity = { 4, 1.5 }, density = 1.3, coefficient = 0.8 })
        local ux, uy, gx, gy, moment = 3, 2, 0, 0, 0
        local poly = place(outline(form[2], form[3]), 0.3, 2, angle)
        for i, a in ipairs(poly) do
          local b = poly[i % #poly + 1]
          local nx, ny = b[2] - a[2], a[1] - b[1] -- outward normal n with |n| = |b - a|
          local along = nx * ux + ny * uy
          local length = math.sqrt(nx * nx + ny * ny)
          if along < 0 and length > 0 then
            local p = -0.5 * 1.3 * 0.8 * (along / length) ^ 2
            gx, gy = gx + p * nx, gy + p * ny
            moment = moment + p * (((a[1] + b[1]) / 2 - cx) * ny - ((a[2] + b[2]) / 2 - cy) * nx)
          end
        end
        local tolerance = 3e-3 -- rounding of velocities, 30 * 1e-16 m/s, times mass / dt = 1e12 kg/s
        assert.near(gx, fx, tolerance)
        assert.near(gy, fy, tolerance)
        assert.near(moment, torque, tolerance)
      end
    end)
  end

  -- Terminal speed u: m g = 1/2 rho C A u^2.
  local function terminal(make, width, solver)
    local world = impel.world { gravity = { 0, -9.81 }, solver = solver }
    local body = world:body { mass = 2, fixed_rotation = true }
    make(body)
    world:field { kind = "wind", density = 1.2, coefficient = 1.1 }
    world:step(900)
    local _, vy = body:velocity()
    assert.near(-math.sqrt(2 * 2 * 9.81 / (1.2 * 1.1 * width)), vy, 1e-6, solver)
  end

  it("gives falling bodies their terminal speed under every solver", function()
    for _, solver in ipairs(solvers) do
      terminal(function(b) b:box { 0.8, 0.2 } end, 0.8, solver)
    end
    terminal(function(b) b:segment { from = { -0.5, 0 }, to = { 0.5, 0 } } end, 1, "soft")
    terminal(function(b) b:circle { radius = 0.4 } end, 0.8 * 2 / 3, "soft")
    -- The drag of a capsule: its straight side, plus 2/3 of its round ends.
    terminal(function(b) b:capsule { from = { -0.5, 0 }, to = { 0.5, 0 }, radius = 0.3 } end, 1 + 0.6 * 2 / 3, "soft")
    terminal(function(b) -- the drag of edges at 45 degrees to the flow is reduced by the cosine squared
      b:polygon { points = { { 0, -0.5 }, { 0.5, 0 }, { 0, 0.5 }, { -0.5, 0 } } }
    end, 1 * 0.5, "soft")
  end)

  it("uses point_width for a body without shapes, and the width of the shape for a particle with a shape", function()
    local world = impel.world { gravity = { 0, -9.81 } }
    local point = world:body { mass = 0.5, type = "particle" }
    local disc = world:body { mass = 0.5, type = "particle", position = { 5, 0 } }
    disc:circle { radius = 0.3 }
    world:field { kind = "wind", velocity = { 3, 0 }, point_width = 0.25 }
    world:step(1200)
    for body, width in pairs { [point] = 0.25, [disc] = 0.4 } do
      local vx, vy = body:velocity()
      assert.near(3, vx, 1e-6)
      assert.near(-math.sqrt(2 * 0.5 * 9.81 / (1.2 * width)), vy, 1e-6)
    end
  end)

  it("aligns a vane, and is stable at any strength", function()
    for _, solver in ipairs(solvers) do
      local world = impel.world { gravity = { 0, 0 }, solver = solver }
      local vane = world:body { angle = 1.2 }
      vane:box { 1, 0.02, center = { 0.6, 0 } }
      world:revolute(world.ground, vane, { anchor = { 0, 0 } })
      world:field { kind = "wind", velocity = { 30, 0 } }
      world:step(900)
      assert.near(0, vane.angle, 0.05)
      local light = impel.world { gravity = { 0, 0 }, solver = solver }
      local leaf = light:body { mass = 1e-4, inertia = 1e-6, angle = 0.3 }
      leaf:segment { from = { -0.5, 0 }, to = { 0.5, 0 } }
      light:field { kind = "wind", velocity = { 1000, 0 }, density = 1000 }
      light:step(60)
      local vx, vy = leaf:velocity()
      assert.is_true(math.abs(vx) < 1001 and math.abs(vy) < 1001, solver) -- the leaf is not faster than the wind
    end
  end)

  it("does not press on sensors and the back side of a chain", function()
    local world = impel.world { gravity = { 0, 0 } }
    local ghost, front, back = world:body { mass = 1 }, world:body { mass = 1, position = { 3, 0 } },
      world:body { mass = 1, position = { 6, 0 } }
    ghost:box { 1, 1, sensor = true }
    front:chain { points = { { 0, -0.5 }, { 0, 0.5 } } } -- the chain's front is to the right
    back:chain { points = { { 0, 0.5 }, { 0, -0.5 } } }
    world:field { kind = "wind", velocity = { 2, 0 } }
    world:step()
    assert.equal(0, (ghost:velocity()))
    assert.equal(0, (front:velocity()))
    assert.near(0.5 * 1.2 * 4 / 60, (back:velocity()), 1e-3)
  end)

  it("has gusts that depend on the seed, within the given fraction", function()
    local function blow(seed, gust)
      local world = impel.world { gravity = { 0, 0 }, sleep = false }
      local sail = world:body { mass = 1e9 }
      sail:segment { from = { 0, -0.5 }, to = { 0, 0.5 } }
      world:field { kind = "wind", velocity = { 10, 0 }, gust = gust, gust_hertz = 0.7, seed = seed }
      local least, most, sum, last = math.huge, 0, 0, 0
      for _ = 1, 3600 do
        world:step()
        local v = sail:velocity()
        local strength = math.sqrt((v - last) * 1e9 * 60 / (0.5 * 1.2)) / 10
        least, most, sum, last = math.min(least, strength), math.max(most, strength), sum + strength, v
      end
      return least, most, sum / 3600, world.hash
    end
    local least, most, mean, hash = blow(3, 0.4)
    assert.is_true(least > 0.6 - 1e-6 and least < 0.85, least)
    assert.is_true(most < 1.4 + 1e-6 and most > 1.15, most)
    assert.near(1, mean, 0.05) -- the mean of 42 random gusts is only about 1
    assert.equal(hash, select(4, blow(3, 0.4)))
    assert.not_equal(hash, select(4, blow(4, 0.4)))
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------

describe("buoyancy", function()
  for _, form in ipairs(forms) do
    it("lifts a " .. form[1] .. " by the weight of the displaced fluid, at its centroid", function()
      for turn = 0, 29 do
        local angle, y = turn * 0.61, 0.35 * (turn % 9 - 4)
        local fx, fy, torque, cx = pushed(form, 0.3, y, angle, { 0, 0 },
          { kind = "buoyancy", density = 2, level = 0.1 })
        local area, x = mass_of(below(place(outline(form[2], form[3]), 0.3, y - 0.1, angle)))
        assert.near(0, fx, 3e-3)
        assert.near(2 * 10 * area, fy, 3e-3) -- rounding of velocities, times mass / dt = 1e12 kg/s
        assert.near(2 * 10 * area * (x - cx), torque, 3e-3)
      end
    end)
  end

  it("submerges a floating body to the fraction density of body / density of water, under every solver", function()
    for _, solver in ipairs(solvers) do
      for _, part in ipairs { 0.25, 0.5, 0.8 } do
        local world = impel.world { gravity = { 0, -9.81 }, solver = solver }
        local box = world:body { position = { 0, 0.2 } }
        box:box { 2, 1, density = 1000 * part }
        world:field { kind = "buoyancy", density = 1000, level = 0.3, linear = 2000 }
        world:step(1200)
        local _, y = box:position()
        assert.near(part, 0.3 - (y - 0.5), 1e-4, solver) -- 1 % is required
      end
    end
    local world = impel.world { gravity = { 0, -9.81 } }
    local disc = world:body {}
    disc:circle { radius = 0.5, density = 400 }
    world:field { kind = "buoyancy", density = 1000, linear = 2000 }
    world:step(1200)
    local _, y = disc:position()
    local half = math.acos(2 * y) -- half the angle of the submerged arc
    assert.near(0.4, (half - math.sin(half) * math.cos(half)) / math.pi, 1e-4)
  end)

  it("rights a wide hull and capsizes a tall one", function()
    local world = impel.world { gravity = { 0, -9.81 } }
    local wide, tall = world:body { angle = 0.4 }, world:body { position = { 20, 0 }, angle = 0.02 }
    wide:box { 3, 0.6, density = 500 }
    tall:box { 0.5, 2, density = 500 }
    world:field { kind = "buoyancy", density = 1000, linear = 1000 }
    world:step(1800)
    assert.near(0, wide.angle, 1e-3)
    assert.near(math.pi / 2, math.abs(tall.angle), 1e-2)
  end)

  it("gives a bobbing body its closed-form period 2 pi / w; the body comes to rest if a step is above 2 / w", function()
    local world = impel.world { gravity = { 0, -9.81 }, substeps = 40 }
    local box = world:body { position = { 0, 0.1 } }
    box:box { 1, 1, density = 500 }
    world:field { kind = "buoyancy", density = 1000 }
    local last, first, count, before = nil, nil, 0, 0.1
    while count <= 10 do -- the frequency is w = sqrt(rho g width / m) = sqrt(2 g)
      world:step()
      local _, y = box:position()
      if before < 0 and y >= 0 then
        last = world.time - world.dt * y / (y - before)
        first, count = first or last, count + 1
      end
      before = y
    end
    assert.near(2 * math.pi / math.sqrt(2 * 9.81), (last - first) / 10, 1e-4) -- errors: (w h)^2 / 24, interpolation
    for _, solver in ipairs(solvers) do
      local sea = impel.world { gravity = { 0, -9.81 }, solver = solver, substeps = 1 }
      local cork = sea:body { position = { 0, 0.02 }, angle = 0.2 }
      -- w h = h sqrt(rho g width / m) = 5.2; explicit integration is unstable above 2.
      cork:box { 0.1, 0.1, density = 1 }
      sea:field { kind = "buoyancy", density = 1000, linear = 10 }
      sea:step(600)
      local _, y = cork:position()
      assert.near(0.05 - 0.0001, y, 1e-3, solver)
    end
  end)

  it("applies drag to the submerged area, relative to the velocity of the water", function()
    local world = impel.world { gravity = { 0, 0 }, solver = "si" }
    local deep = world:body { position = { 0, -5 }, velocity = { 2, 0 }, angular_velocity = 3, mass = 4, inertia = 2 }
    deep:box { 2, 1 }
    world:field { kind = "buoyancy", density = 1, linear = 0.5, velocity = { 1, 0 } }
    world:step(60)
    -- Drag d A reduces the relative velocity at the rate d A / m.
    assert.near(1 + (1 + 0.5 * 2 / 4 / 60) ^ -60, (deep:velocity()), 1e-12)
    local moment = 2 * 1 * (4 + 1) / 12 -- second moment of the area
    assert.near(3 * (1 + 0.5 * moment / 2 / 60) ^ -60, deep.angular_velocity, 1e-12)
    local fast = impel.world { gravity = { 0, -9.81 }, solver = "si" }
    local stone = fast:body { position = { 0, -1 } }
    stone:box { 1, 1, density = 3 }
    fast:field { kind = "buoyancy", density = 1, quadratic = 0.4 }
    fast:step(1200)
    -- Terminal speed v: (3 - 1) g A = 0.4 A v^2.
    assert.near(-math.sqrt(2 * 9.81 / 0.4), (select(2, stone:velocity())), 1e-6)
  end)

  it("makes deep-water waves: a buoy's amplitude equals the closed form, and its drift is small", function()
    local world = impel.world { gravity = { 0, -9.81 }, sleep = false }
    local sea = world:field { kind = "buoyancy", density = 1000, linear = 3000, wave_amplitude = 0.3, wave_length = 20 }
    assert.near(math.sqrt(9.81 * 20 / (2 * math.pi)), sea.wave_speed, 1e-12)
    local buoy = world:body {}
    buoy:circle { radius = 0.3, density = 500 }
    local period = 20 / sea.wave_speed
    world:step(math.floor(10 * period * 60))
    local low, high, x0 = math.huge, -math.huge, buoy:position()
    for _ = 1, math.floor(5 * period * 60) do
      world:step()
      local _, y = buoy:position()
      low, high = math.min(low, y), math.max(high, y)
    end
    -- Frequencies: buoy sqrt(rho g width / m) = 6.45 rad/s, waves 1.755 rad/s. The tolerance is 2 %.
    assert.near(0.6 / (1 - (1.755 / 6.45) ^ 2), high - low, 0.02 * 0.6)
    -- Stokes drift (a k)^2 c: amplitude a, wave number k, wave speed c.
    local drift = (buoy:position() - x0) / (5 * period)
    assert.is_true(math.abs(drift) < 3 * (0.3 * 2 * math.pi / 20) ^ 2 * sea.wave_speed, drift)
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------

describe("an explosion", function()
  it("gives impulse / r per metre of width, radially", function()
    for _, solver in ipairs(solvers) do
      local world = impel.world { gravity = { 0, 0 }, solver = solver }
      local discs = {}
      for i, r in ipairs { 0.5, 1, 2, 5, 9 } do
        discs[i] = world:body { position = { r * math.cos(i), 1 + r * math.sin(i) }, mass = 3 }
        discs[i]:circle { radius = 0.2 }
      end
      local out = world:body { position = { 11, 1 } }
      out:circle { radius = 0.2 }
      world:field { kind = "explosion", center = { 0, 1 }, impulse = 6, range = 10, core = 0.8 }
      world:step()
      for i, r in ipairs { 0.8, 1, 2, 5, 9 } do -- nearer than the core radius, 0.8 m, the impulse does not grow
        local vx, vy = discs[i]:velocity()
        assert.near(6 / r * 0.4 / 3, math.sqrt(vx * vx + vy * vy), 1e-6 * 6 / r) -- required: 2 %
        assert.near(math.tan(i), vy / vx, 1e-5 * math.abs(math.tan(i)))
      end
      assert.equal(0, (out:velocity()))
    end
  end)

  it("uses the width of a shape across the radius, and turns a body that is hit off its centre", function()
    local world = impel.world { gravity = { 0, 0 }, solver = "si" }
    local plank = world:body { position = { 4, 0 }, angle = 0.5, mass = 2 }
    plank:box { 3, 0.4 }
    local ell = world:body { position = { 0, 5 }, mass = 2, inertia = 1 }
    ell:box { 1, 1, center = { 2, 0 }, density = 1e-9 }
    ell:box { 1, 1, center = { -2, 0 }, density = 1e-9, sensor = true }
    local point = world:body { position = { -4, 0 }, mass = 2 }
    world:field { kind = "explosion", impulse = 6, point_width = 0.3 }
    world:step()
    local width = 3 * math.sin(0.5) + 0.4 * math.cos(0.5)
    assert.near(6 / 4 * width / 2, (plank:velocity()), 1e-12)
    assert.near(0, plank.angular_velocity, 1e-12)
    assert.near(-6 / 4 * 0.3 / 2, (point:velocity()), 1e-12)
    local cx, cy = ell:center()
    local r = math.sqrt(4 + 25)
    local nx, ny = 2 / r, 5 / r
    -- Impulse: 6 / r times the box's width across the radius.
    local size = 6 / r * (math.abs(nx) + math.abs(ny))
    assert.near(size * nx / 2, (ell:velocity()), 1e-12)
    assert.near(size * ((2 - cx) * ny - (5 - cy) * nx) / 1, ell.angular_velocity, 1e-9)
  end)

  it("gives its whole impulse for any duration and any start time", function()
    for _, solver in ipairs(solvers) do
      for _, duration in ipairs { 0, 1e-4, 1 / 60, 0.0123, 0.1, 0.31416 } do
        for _, start in ipairs { 0, 1 / 60, 0.05, 0.0777 } do
          local world = impel.world { gravity = { 0, 0 }, solver = solver }
          local rock = world:body { position = { 3, 0 }, mass = 1e9 }
          rock:circle { radius = 0.5 }
          local blast = world:field { kind = "explosion", impulse = 6e8, start = start, duration = duration }
          local moved
          for i = 1, 40 do
            world:step()
            if not moved and rock:velocity() > 0 then moved = i end
          end
          -- The rock moves away, which reduces its impulse.
          local further = 0.1 * duration / 3
          assert.near(6e8 / 3 / 1e9, (rock:velocity()), 0.2 * (1e-6 + further))
          assert.equal(1, blast.progress)
          -- The rock begins to move in the step in which the explosion starts.
          assert.is_true(moved == math.floor(start * 60 + 1e-9) + 1, moved)
        end
      end
    end
    -- After half of its duration an explosion has applied half of its impulse, also if it starts within a step.
    local world = impel.world { gravity = { 0, 0 }, solver = "si" }
    local rock = world:body { position = { 3, 0 }, mass = 1e9 }
    rock:circle { radius = 0.5 }
    local blast = world:field { kind = "explosion", impulse = 6e3, start = 0.01, duration = 2 * (2 / 60 - 0.01) }
    world:step(2)
    assert.near(0.5, blast.progress, 1e-12)
    -- Tolerance: the motion of the rock reduces the impulse by a fraction below 1e-8.
    assert.near(6e3 / 3 / 2, rock:velocity() * 1e9, 1e-5)
  end)

  -- A heavy rock. Return the world, a function that makes an explosion, and a function that returns the rock's impulse.
  local function charge(options)
    local world = impel.world { gravity = { 0, 0 }, solver = "si", sleep = false }
    local rock = world:body { position = { 3, 0 }, mass = 1e9 }
    rock:circle { radius = 0.5 }
    local function light()
      local made = { kind = "explosion", impulse = 3 }
      for key, value in pairs(options) do made[key] = value end
      return world:field(made)
    end
    return world, light, function() return rock:velocity() * 1e9 end
  end

  local near = 1e-6 -- tolerance [N s]: the rock moves by less than 1e-8 m, so its impulse hardly changes

  it("starts at once if its start is set to a past time, and has a constant rate of impulse", function()
    local world, light, speed = charge { start = 0, duration = 2 }
    world:step(60)
    local blast = light()
    assert.equal(1, blast.start)
    world:step()
    assert.near(1 / 120, speed(), near)
    world:step(59)
    assert.near(0.5, speed(), near)
    blast.duration = 1 -- the remaining half of the impulse now takes half of 1 s
    world:step(15)
    assert.near(0.75, speed(), near)
    blast.progress = 0.5
    world:step(15)
    assert.near(1, speed(), near)
    assert.near(0.75, blast.progress, near)
    blast.start = 0.5 -- 0.5 s have passed, so the explosion starts now
    assert.near(2.5, blast.start, near)
    world:step(30)
    assert.near(1.5, speed(), near)
    local again = world:field(blast:options()) -- a copy of the explosion, created before the explosion ends
    assert.equal(blast.start, again.start)
    world:step(60)
    assert.near(2.5, speed(), near)
    assert.same({ 1, 1 }, { blast.progress, again.progress })
  end)

  it("does not give the part of its impulse that is due while the field is disabled", function()
    local world, light, speed = charge { duration = 1, enabled = false }
    local blast = light()
    world:step(15)
    assert.near(0.25, blast.progress, near)
    blast.enabled = true
    world:step(15)
    assert.near(0.25, speed(), near)
    blast.enabled = false
    world:step(60)
    blast.enabled = true
    world:step(60)
    assert.near(0.25, speed(), near)
    assert.equal(1, blast.progress)
    blast.start = world.time -- the explosion starts again
    world:step(60)
    assert.near(1.25, speed(), near)
  end)

  it("starts in the substep whose handler creates it", function()
    local world, light, speed = charge { duration = 1 / 60 }
    world.substeps = 4
    local blast
    world:on("substep", function()
      if world.time > 1.9 / 240 and not blast then blast = light() end
    end)
    world:step()
    assert.near(2 / 240, blast.start, near)
    assert.near(0.5, speed(), near)
    world:step()
    assert.near(1, speed(), near)
  end)

  it("goes off again if its start is set again", function()
    local world = impel.world { gravity = { 0, 0 }, solver = "si" }
    local rock = world:body { position = { 3, 0 }, mass = 1e9 }
    rock:circle { radius = 0.5 }
    local blast = impel.field.explosion(world, { impulse = 6e3 })
    world:step(5)
    blast.start = world.time
    assert.equal(0, blast.progress)
    world:step(5)
    -- The rock has moved by 1e-7 m, so the second impulse is smaller.
    assert.near(2 * 6e3 / 3, rock:velocity() * 1e9, 1e-3)
  end)
end)

describe("impel.field", function()
  it("creates each kind, with errors at the caller's line", function()
    local world = impel.world {}
    local made = {
      gravity = { acceleration = { 0, -1 } }, uniform = { force = { 1, 0 } }, attractor = { strength = 1 },
      spring = { hertz = 1 }, drag = { linear = 1 }, vortex = { linear = 1 }, wind = { velocity = { 1, 0 } },
      buoyancy = { density = 1 }, explosion = { impulse = 1 },
    }
    for name, options in impel.pairs(made) do
      local field = impel.field[name](world, options)
      assert.equal(name == "gravity" and "uniform" or name, field.kind)
      local ok, message = pcall(function() impel.field[name](world, { no_such = 1 }) end)
      assert.is_false(ok)
      assert.matches("^spec/core/model/field_shapes_spec.lua:%d+: bad field 'no_such' in world:field", message)
      ok, message = pcall(function() impel.field[name]({}, options) end)
      assert.is_false(ok)
      assert.truthy(message:find("argument 'world' must be a world, got a table", 1, true), message)
    end
    assert.equal("custom", impel.field.custom(world, function() return 1, 2 end, { param = { k = 1 } }).kind)
  end)
end)
