-- Concave polygons, with and without holes. Each is one shape of convex pieces; mass and points are its outline's.
local impel = require "impel"

local CUP = { { -1.5, 0 }, { 1.5, 0 }, { 1.5, 2 }, { 1.2, 2 }, { 1.2, 0.3 }, { -1.2, 0.3 }, { -1.2, 2 }, { -1.5, 2 } }
local FRAME = { { 0, 0 }, { 4, 0 }, { 4, 4 }, { 0, 4 } }
local WINDOW = { { 1, 1 }, { 3, 1 }, { 3, 3 }, { 1, 3 } }

local function star(tips, outer, inner, turned)
  local points = {}
  for i = 0, 2 * tips - 1 do
    local r, a = i % 2 == 0 and outer or inner, math.pi * i / tips + (turned or 0)
    points[i + 1] = { r * math.cos(a), r * math.sin(a) }
  end
  return points
end

-- Area, centroid and second moment about the centroid of a polygon with holes, by the shoelace formulas.
local function moments(rings)
  local area, mx, my, second = 0, 0, 0, 0
  for k, ring in ipairs(rings) do
    local a, x, y, i2 = 0, 0, 0, 0
    for i, p in ipairs(ring) do
      local q = ring[i % #ring + 1]
      local cross = p[1] * q[2] - p[2] * q[1]
      a, x, y = a + cross / 2, x + cross * (p[1] + q[1]) / 6, y + cross * (p[2] + q[2]) / 6
      i2 = i2 + cross * (p[1] ^ 2 + p[1] * q[1] + q[1] ^ 2 + p[2] ^ 2 + p[2] * q[2] + q[2] ^ 2) / 12
    end
    local sign = (a > 0) == (k == 1) and 1 or -1 -- holes are subtracted
    area, mx, my, second = area + sign * a, mx + sign * x, my + sign * y, second + sign * i2
  end
  return area, mx / area, my / area, second - (mx * mx + my * my) / area
end

local function inside(ring, x, y)
  local odd = false
  for i, p in ipairs(ring) do
    local q = ring[i % #ring + 1]
    if (p[2] > y) ~= (q[2] > y) and x < p[1] + (y - p[2]) * (q[1] - p[1]) / (q[2] - p[2]) then odd = not odd end
  end
  return odd
end

local function made(options, body_options)
  local world = impel.world {}
  local body = world:body(body_options or {})
  return body:polygon(options), body, world
end

describe("a concave polygon", function()
  local cases = {
    cup = { points = CUP }, star = { points = star(5, 1, 0.4) }, saw = { points = star(40, 3, 2.5) },
    frame = { points = FRAME, holes = { WINDOW } },
    windows = { points = FRAME, holes = { { { 0.5, 0.5 }, { 1.5, 0.5 }, { 1, 1.5 } },
                { { 2, 2 }, { 2, 3.5 }, { 3.5, 3.5 }, { 3.5, 2 } }, { { 2.5, 0.5 }, { 3.5, 0.6 }, { 3, 1 } } } },
    long = { points = star(500, 5, 4.9) },
  }
  for name, options in pairs(cases) do
    it("has the mass, centre and inertia of its outline: " .. name, function()
      local shape, body = made(options)
      local area, x, y, second = moments { options.points, table.unpack(options.holes or {}) }
      assert.near(1, shape.area / area, 1e-12)
      assert.near(1, body.mass / area, 1e-12)
      assert.near(1, body.inertia / second, 1e-9) -- rounding: the inertia is a difference of larger numbers
      local cx, cy = body:center()
      assert.near(x, cx, 1e-9)
      assert.near(y, cy, 1e-9)
    end)
    it("contains exactly the points inside its outline: " .. name, function()
      local shape, _, world = made(options)
      local x1, y1, x2, y2 = shape:aabb()
      for _ = 1, 1000 do
        local x, y = x1 + (x2 - x1) * world:random(), y1 + (y2 - y1) * world:random()
        local expected = inside(options.points, x, y)
        for _, hole in ipairs(options.holes or {}) do expected = expected and not inside(hole, x, y) end
        assert.equal(expected, shape:contains(x, y))
      end
    end)
    it("reads back its points and holes as they were given: " .. name, function()
      local shape, _, world = made(options)
      assert.equal("polygon", shape.type)
      assert.equal(#options.points, #shape:points())
      local read = shape:options()
      assert.equal(#(options.holes or {}), #(read.holes or {}))
      local again = made(read)
      assert.same(read, again:options())
      local copy = impel.load_data(world:export())
      assert.equal(world.hash, copy.hash)
    end)
  end

  it("of radius r has the area A + L r + c pi r^2 / 4 - n r^2 (c convex, n reflex right angles)", function()
    local r = 0.05
    local shape = made { points = CUP, radius = r }
    local length, area = 0, (moments { CUP })
    for i, p in ipairs(CUP) do
      local q = CUP[i % #CUP + 1]
      length = length + math.sqrt((p[1] - q[1]) ^ 2 + (p[2] - q[2]) ^ 2)
    end
    -- At each of two reflex angles, two strips of width r overlap. The overlap has the area r^2.
    assert.near(area + length * r + 6 * math.pi / 4 * r * r - 2 * r * r, shape.area, 1e-12)
    assert.equal(r, shape.radius)
  end)

  it("is refused with the index of the wrong vertices", function()
    local _, body = made { points = CUP }
    local function refused(words, options)
      local ok, message = pcall(body.polygon, body, options)
      assert.is_false(ok)
      assert.truthy(message:find(words, 1, true), message)
    end
    refused("polygon edges 2-3 and 4-5 cross",
            { points = { { 0, 0 }, { 4, 0 }, { 4, 4 }, { 2, 4 }, { 5, 1 }, { 0, 4 } } })
    refused("polygon hole 1 lies outside of the polygon",
            { points = FRAME, holes = { { { 9, 9 }, { 9, 8 }, { 8, 9 } } } })
    refused("polygon hole 2 lies inside hole 1",
            { points = FRAME, holes = { WINDOW, { { 1.5, 1.5 }, { 2.5, 1.5 }, { 2, 2 } } } })
    refused("polygon edge 2-3 and polygon hole 1 edge 1-2 cross",
            { points = FRAME, holes = { { { 1, 1 }, { 5, 1 }, { 2, 2 } } } })
    refused("polygon hole 1 has 2 vertices, needs at least 3", { points = FRAME, holes = { { { 1, 1 }, { 2, 2 } } } })
    refused("polygon hole 1 vertex 2 (1, 1.00001) is closer than 0.0001 m to vertex 1",
            { points = FRAME, holes = { { { 1, 1 }, { 1, 1.00001 }, { 2, 2 } } } })
    refused("polygon vertex 3 (1, 0) lies on the line through its two neighbours",
            { points = { { 0, 2 }, { 3, 0 }, { 1, 0 }, { 2, 0 }, { 2, 3 } } })
    refused("holes", { points = FRAME, holes = 3 })
    refused("hole 1: point 2", { points = FRAME, holes = { { { 1, 1 }, 5 } } })
    local many = {}
    for i = 1, 5000 do many[i] = { i, i * i * 1e-4 } end
    refused("polygon has 5000 vertices, at most 4096 are allowed", { points = many })
    local count = 0
    for _ in body:shapes() do count = count + 1 end
    assert.equal(1, count)
  end)

  it("may have points on straight edges, in either orientation", function()
    local shape = made { points = { { 0, 1 }, { 0, 2 }, { 1, 2 }, { 1, 1 }, { 2, 1 }, { 2, 0 }, { 1, 0 }, { 0, 0 } } }
    assert.near(3, shape.area, 1e-12)
    assert.equal(8, #shape:points())
  end)
end)

local function world_with_floor(options)
  local world = impel.world(options or {})
  world:body({ type = "static", name = "floor" }):box { 400, 1, center = { 0, -0.5 }, friction = 0.6 }
  return world
end

describe("concave bodies", function()
  it("hold balls inside a cup, with and without radius", function()
    for _, radius in ipairs { 0, 0.05 } do
      local world = world_with_floor()
      local cup, balls = world:body { position = { 0, radius } }, {}
      cup:polygon { points = CUP, radius = radius }
      for i = 1, 12 do
        balls[i] = world:body { position = { -0.6 + i % 3 * 0.6, 1 + 0.5 * i } }
        balls[i]:circle { radius = 0.25 }
      end
      for _ = 1, 600 do world:step() end
      for _, ball in ipairs(balls) do
        local x, y = cup:local_point(ball:position())
        assert.is_true(math.abs(x) < 1 and y > 0.5 and y < 2.5, ("a ball at (%g, %g)"):format(x, y))
        assert.is_true(ball:kinetic_energy() < 1e-3)
      end
      local _, y = cup:position()
      assert.near(radius, y, 1e-3)
    end
  end)

  it("slide on a floor without bouncing, and a body slides without bouncing on a concave top", function()
    for _, speed in ipairs { 1, 10, 50 } do
      local world = world_with_floor { sleep = false }
      local body = world:body { position = { -190, math.cos(math.pi / 5) } }
      body:polygon { points = star(5, 1, 0.4, math.pi / 2), friction = 0 }
      for _ = 1, 120 do world:step() end
      body:set_velocity(speed, 0)
      for _ = 1, 300 do
        world:step()
        local vx, vy = body:velocity()
        assert.is_true(math.abs(vy) < 1e-3, vy) -- the same bound as for rows of tiles in internal_edges_spec
        assert.near(speed, vx, 1e-9)
      end
    end
    local points = { { 100, 0 }, { 0, 0 } }
    for i = 0, 99 do
      for _, notch in ipairs { { 0, -1 }, { 0.3, -1 }, { 0.5, -0.3 }, { 0.7, -1 } } do
        points[#points + 1] = { i + notch[1], notch[2] }
      end
    end
    points[#points + 1] = { 100, -1 }
    local world = impel.world { sleep = false }
    world:body({ type = "static" }):polygon { points = points, friction = 0 }
    local body = world:body { position = { 2, 0.5 } }
    body:box { 1, 1, friction = 0 }
    for _ = 1, 60 do world:step() end
    body:set_velocity(10, 0)
    for _ = 1, 550 do
      world:step()
      local vx, vy = body:velocity()
      assert.is_true(math.abs(vy) < 1e-3, vy)
      assert.near(10, vx, 1e-9)
    end
  end)

  it("come to rest interlocked: two upside-down hooks in a third hook", function()
    local world = world_with_floor()
    local hook = { { -1, 0 }, { 1, 0 }, { 1, 1.5 }, { 0.6, 1.5 }, { 0.6, 0.4 }, { -0.6, 0.4 }, { -0.6, 1.5 },
                   { -1, 1.5 } }
    local bodies = {}
    for i, place in ipairs { { 0, 0, 0 }, { 1, 2, math.pi }, { -1, 2.6, math.pi } } do
      bodies[i] = world:body { position = { place[1], place[2] }, angle = place[3] }
      bodies[i]:polygon { points = hook }
    end
    for _ = 1, 600 do world:step() end
    for _, body in ipairs(bodies) do
      assert.is_false(body.awake)
      for contact in body:contacts() do
        -- Under the soft solver bodies at rest overlap slightly.
        for _, _, _, separation in contact:points() do assert.is_true(separation > -2e-3, separation) end
      end
    end
    -- An arm of the second hook hangs in the cup of the first hook.
    local x = bodies[1]:local_point(bodies[2]:world_point(0.8, 1.5))
    assert.is_true(math.abs(x) < 0.6)
  end)

  it("keep a ball inside a hole", function()
    local world = world_with_floor()
    local frame = world:body { position = { 0, 0 } }
    frame:polygon { points = FRAME, holes = { WINDOW } }
    local ball = world:body { position = { 2, 2 } }
    ball:circle { radius = 0.4 }
    frame:apply_impulse(30, 0)
    for _ = 1, 300 do
      world:step()
      local x, y = frame:local_point(ball:position())
      local held = x > 1.38 and x < 2.62 and y > 1.38 and y < 2.62 -- the ball overlaps the frame by at most 2 cm
      assert.is_true(held, ("the ball is at (%g, %g)"):format(x, y))
    end
  end)

  it("that are sensors report one sensor_begin and one sensor_end", function()
    local world = impel.world { gravity = { 0, 0 } }
    local sensor = world:body({ type = "static" }):polygon { points = star(5, 2, 1), sensor = true }
    local ball = world:body { position = { -5, 0 }, velocity = { 5, 0 } }
    ball:circle { radius = 0.2 }
    local begins, ends = 0, 0
    world:on("sensor_begin", function() begins = begins + 1 end)
    world:on("sensor_end", function() ends = ends + 1 end)
    for _ = 1, 180 do world:step() end
    assert.same({ 1, 1 }, { begins, ends })
    assert.equal("polygon", sensor.type)
  end)

  it("roll with many corners: a regular 128-gon moves as a disc", function()
    local world = world_with_floor { sleep = false }
    local points = {}
    for i = 1, 128 do points[i] = { math.cos(2 * math.pi * i / 128), math.sin(2 * math.pi * i / 128) } end
    local wheel = world:body { position = { 0, 1 }, velocity = { 1, 0 }, angular_velocity = -1 }
    local shape = wheel:polygon { points = points }
    assert.near(64 * math.sin(2 * math.pi / 128), shape.area, 1e-12)
    for _ = 1, 300 do
      world:step()
      local _, y = wheel:position()
      assert.near(1, y, 2e-3) -- the wheel hops: its sides are 0.3 mm nearer to the centre than its corners
    end
    assert.is_true(wheel:velocity() > 0.4) -- the wheel loses some of its 1 m/s at each corner
  end)
end)

describe("adding and removing shapes of a body", function()
  it("updates the body's mass, and keeps the body's origin and the velocity of its points", function()
    local world = impel.world { gravity = { 0, 0 } }
    local body = world:body { position = { 1, 2 }, angle = 0.3, velocity = { 2, -1 }, angular_velocity = 3 }
    body:box { 1, 1 }
    body:set_velocity(2, -1)
    local function velocity_of(lx, ly) return body:velocity_at(body:world_point(lx, ly)) end
    local vx, vy = velocity_of(0.5, 0.2)
    local ux, uy = velocity_of(-0.4, 0.3)
    local extra = body:polygon { points = CUP, density = 2 }
    local area, cx, cy = moments { CUP }
    assert.near(1 + 2 * area, body.mass, 1e-12)
    local x, y = body:local_point(body:center())
    assert.near(2 * area * cx / body.mass, x, 1e-12)
    assert.near(2 * area * cy / body.mass, y, 1e-12)
    for _ = 1, 2 do
      local ax, ay = velocity_of(0.5, 0.2)
      local bx, by = velocity_of(-0.4, 0.3)
      assert.near(vx, ax, 1e-12)
      assert.near(vy, ay, 1e-12)
      assert.near(ux, bx, 1e-12)
      assert.near(uy, by, 1e-12)
      local px, py = body:position()
      assert.near(1, px, 1e-12)
      assert.near(2, py, 1e-12)
      if extra:is_valid() then extra:destroy() end
    end
    assert.near(1, body.mass, 1e-12)
  end)

  it("makes contacts in the next step and wakes the body; a ball falls if the shape below it is removed", function()
    local world = world_with_floor()
    local table_top = world:body { position = { 0, 0.5 } }
    table_top:box { 1, 1 }
    local ball = world:body { position = { 1.2, 3 } }
    ball:circle { radius = 0.2 }
    for _ = 1, 200 do world:step() end
    assert.is_false(table_top.awake)
    local shelf = table_top:box { 3, 0.1, center = { 0, 0.55 } }
    assert.is_true(table_top.awake)
    ball:set_position(1.2, 1.3)
    ball:set_velocity(0, 0)
    world:step()
    local met = false
    for contact in ball:contacts() do met = met or contact.shape_b == shelf or contact.shape_a == shelf end
    assert.is_true(met)
    shelf:destroy()
    for _ = 1, 120 do world:step() end
    local _, y = ball:position()
    assert.near(0.2, y, 0.01)
  end)
end)
