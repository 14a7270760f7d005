-- Chains and heights: no ghost collisions or escapes.
local impel = require "impel"

local function random(world, low, high) return low + (high - low) * world:random() end

local function energy(world)
  local kinetic, potential = world:energy()
  return kinetic + potential
end

local makers = {
  function(body, r, friction) body:box { r(0.2, 1.2), r(0.2, 1.2), friction = friction } end,
  function(body, r, friction) body:circle { radius = r(0.1, 0.6), friction = friction } end,
  function(body, r, friction)
    body:capsule { from = { -r(0.1, 0.5), 0 }, to = { 0.3, 0 }, radius = r(0.05, 0.3), friction = friction }
  end,
  function(body, r, friction)
    local n, points = math.floor(r(3, 9)), {}
    for i = 1, n do points[i] = { 0.6 * math.cos(2 * math.pi * i / n), 0.5 * math.sin(2 * math.pi * i / n) } end
    body:polygon { points = points, friction = friction }
  end,
}

-- Drop a body on two chains that form a V. At its bottom the chains share a point, cross, or have a gap below 1 mm.
-- Return whether the body stayed above the chains, and the body's largest gain of energy.
local function drop_on_v(seed)
  local world = impel.world { seed = seed }
  local function r(low, high) return random(world, low, high) end
  local a, b, friction = r(0.15, 1.3), r(0.15, 1.3), r(0, 1) -- slope angles; friction
  local junction = seed % 3
  local over = junction == 1 and 0.3 or junction == 2 and -4e-4 or 0
  local function chain(from, to)
    local count, points = 1 + math.floor(r(0, 4)), {}
    for i = 0, count do
      local t = i / count
      points[i + 1] = { from[1] + t * (to[1] - from[1]), from[2] + t * (to[2] - from[2]) }
    end
    local body = world:body { type = "static" }
    body:chain { points = points, friction = friction }
  end
  chain({ 30 * math.cos(b), 30 * math.sin(b) }, { -over * math.cos(b), -over * math.sin(b) })
  chain({ over * math.cos(a), -over * math.sin(a) }, { -30 * math.cos(a), 30 * math.sin(a) })
  local function lowest(x) return math.max(-x * math.tan(a), x * math.tan(b)) end
  local x = r(-0.9, 0.9)
  local body = world:body { position = { x, lowest(x) + 1.2 / math.cos(math.max(a, b)) + r(0, 3) }, angle = r(-3, 3),
                            velocity = { r(-3, 3), r(-6, 0) }, angular_velocity = r(-8, 8) }
  makers[1 + seed % #makers](body, r, friction)
  local start, most, inside = energy(world), -math.huge, true
  for _ = 1, 240 do
    world:step()
    most = math.max(most, energy(world))
    local cx, cy = body:center()
    inside = inside and cy > lowest(cx)
  end
  return inside, most - start
end

describe("a V of two chains", function()
  it("keeps 1000 dropped bodies of random shapes inside, without a gain of energy", function()
    for seed = 1, 1000 do
      local inside, gain = drop_on_v(seed)
      assert.is_true(inside, "drop " .. seed .. " fell through")
      assert.is_true(gain < 1e-6, ("drop %d gained %g J"):format(seed, gain))
    end
  end)
end)

-- Slide a body from o.x over chains, one static body per chain, whose points are given from left to right. Return its
-- largest vertical speed, its final speed and the body.
local function slide(runs, o)
  local world = impel.world { sleep = false, gravity = { 0, -10 } }
  for _, run in ipairs(runs) do
    local points = {}
    for i = #run, 1, -1 do points[#points + 1] = run[i] end
    local body = world:body { type = "static" }
    if run.heights then
      local values = {}
      for i, p in ipairs(run) do values[i] = p[2] end
      body:heights { values = values, spacing = run[2][1] - run[1][1], position = { run[1][1], 0 },
                     friction = o.friction or 0 }
    else
      body:chain { points = points, friction = o.friction or 0 }
    end
  end
  local body = world:body { position = { o.x or 2, o.y or 0.5 }, angular_velocity = 0 }
  o.mover(body)
  for _ = 1, 60 do
    body:set_velocity(0, 0)
    body.angular_velocity = 0
    world:step()
  end
  body:set_velocity(o.speed, 0)
  body.angular_velocity = o.friction and -o.speed / 0.5 or 0
  local worst = 0
  for _ = 1, 6000 do
    if body:position() > o.to then break end
    world:step()
    local _, vy = body:velocity()
    worst = math.max(worst, math.abs(vy))
  end
  return worst, (body:velocity()), body
end

local sliders = {
  box = function(friction) return function(b) b:box { 1, 1, friction = friction } end end,
  disc = function(friction) return function(b) b:circle { radius = 0.5, friction = friction } end end,
  capsule = function(friction)
    return function(b) b:capsule { from = { -0.3, -0.3 }, to = { 0.3, -0.3 }, radius = 0.2, friction = friction } end
  end,
}

local function level(from, to, step)
  local points = {}
  for x = from, to, step do points[#points + 1] = { x, 0 } end
  return points
end

describe("chains", function()
  it("read back the points that they were created with, open and as a loop", function()
    local points = { { 0, 0 }, { 3, 0.5 }, { 4, 4 }, { -1, 3 } }
    for _, loop in ipairs { false, true } do
      local shape = impel.world({}):body({ type = "static" }):chain { points = points, loop = loop }
      assert.same(points, shape:points())
    end
  end)

  it("are smooth at flat vertices and between flat chains whose ends meet, overlap or leave a narrow gap", function()
    local apart, over = level(0, 50, 1), level(49.3, 110, 1.01)
    local heights = level(0, 50, 0.5)
    heights.heights = true
    local singles = {}
    for i = 0, 109 do singles[i + 1] = { { i, 0 }, { i + 1, 0 } } end
    local layouts = { one = { level(0, 110, 1) }, two = { apart, level(50, 110, 1) }, overlap = { apart, over },
                      slit = { apart, level(50.0005, 110.0005, 1) }, many = singles,
                      heights = { heights, level(50, 110, 1) } }
    for name, runs in pairs(layouts) do
      for _, kind in ipairs { "box", "disc", "capsule" } do
        for _, speed in ipairs { 1, 10, 50 } do
          local start = speed == 1 and 45 or 2
          local worst, left = slide(runs, { mover = sliders[kind](0), speed = speed, to = 100, x = start })
          assert.is_true(worst < 1e-3, ("%s over %s at %g: %g m/s up or down"):format(kind, name, speed, worst))
          assert.near(speed, left, 1e-6)
        end
      end
    end
  end)

  it("let a disc roll across their joints without loss of speed", function()
    local worst, left, disc = slide({ level(0, 50, 1), level(50, 110, 0.7) },
                                    { mover = sliders.disc(1), friction = 1, speed = 10, to = 100 })
    assert.is_true(worst < 1e-3)
    local _, on_one = slide({ level(0, 110, 110) }, { mover = sliders.disc(1), friction = 1, speed = 10, to = 100 })
    assert.near(on_one, left, 1e-3) -- the disc overlaps the floor by micrometres, so v is not exactly w r
    assert.near(10, left, 1e-3)
    assert.near(-20, disc.angular_velocity, 2e-3)
  end)

  -- At a concave corner between slopes that differ by the angle `a`, a disc keeps the fraction cos(a) of its speed.
  it("multiply a disc's speed by cos(a) at a concave corner, between two chains and inside one", function()
    local slope, bottom = { { -10, 5 }, { 0, 0 } }, level(0, 60, 3)
    local one = { { -10, 5 }, table.unpack(bottom) }
    local a = math.atan(0.5)
    local start = { -10 + 2, 4 }
    for _, runs in ipairs { { one }, { slope, bottom } } do
      local world = impel.world { sleep = false }
      for _, run in ipairs(runs) do
        local points = {}
        for i = #run, 1, -1 do points[#points + 1] = run[i] end
        world:body({ type = "static" }):chain { points = points, friction = 0 }
      end
      local disc = world:body { position = { start[1] + 0.5 * math.sin(a), start[2] + 0.5 * math.cos(a) } }
      disc:circle { radius = 0.5, friction = 0 }
      local _, y = disc:position()
      for _ = 1, 360 do world:step() end
      -- At the corner the centre has fallen by y - 0.5.
      local expected = math.sqrt(2 * 9.81 * (y - 0.5)) * math.cos(a)
      local vx, vy = disc:velocity()
      assert.near(expected, vx, 0.02 * expected) -- the disc moves 0.1 m a step, so it may turn 0.1 m beyond the corner
      assert.is_true(math.abs(vy) < 1e-3)
    end
  end)

  it("let a body fly off a convex corner the same at a joint of two chains and inside one chain", function()
    local results = {}
    for k, runs in ipairs { { { { 0, 0 }, { 20, 0 }, { 40, -10 }, { 80, -30 } } },
                            { { { 0, 0 }, { 20, 0 } }, { { 20, 0 }, { 40, -10 }, { 80, -30 } } } } do
      local _, vx, body = slide(runs, { mover = sliders.box(0), speed = 8, to = 35 })
      local x, y = body:position()
      results[k] = { x, y, vx }
      assert.is_true(vx >= 8 - 1e-6) -- the body did not catch on the corner
    end
    for i = 1, 3 do assert.near(results[1][i], results[2][i], 1e-6) end
  end)
end)

describe("heights", function()
  it("behave as a chain of the same points", function()
    local world = impel.world { seed = 5 }
    local values, points = {}, {}
    for i = 1, 60 do values[i] = random(world, 0, 1.5) end
    for i = 60, 1, -1 do points[#points + 1] = { -10 + (i - 1) * 0.4, 2 + values[i] } end
    local makes = {
      function(body) body:heights { values = values, spacing = 0.4, position = { -10, 2 } } end,
      function(body) body:chain { points = points } end,
    }
    local hashes = {}
    for k, make in ipairs(makes) do
      local w = impel.world { seed = 7 }
      make(w:body { type = "static" })
      for i = 1, 20 do
        makers[1 + i % 4](w:body { position = { -9 + i, 6 } }, function(low, high) return random(w, low, high) end, 0.5)
      end
      for _ = 1, 200 do w:step() end
      hashes[k] = w.hash
    end
    assert.equal(hashes[1], hashes[2])
  end)

  it("return the options that created them, gaps included", function()
    local world = impel.world {}
    local values = { 0, 1.25, false, 2, 3, 0.1, false, 7, false, 1, 1 }
    local body = world:body { type = "static", angle = 0.5 }
    local shape = body:heights { values = values, spacing = 0.3, position = { -1, 4 } }
    assert.equal("heights", shape.type)
    assert.same({ values = values, spacing = 0.3, position = { -1, 4 } }, shape:options())
    assert.same({ -1 + 0.3, 5.25 }, shape:points()[2])
    assert.equal(8, #shape:points()) -- 11 values with 3 gaps; a gap has no point
    assert.equal(world.hash, impel.load_data(world:export()).hash)
  end)

  it("let a body fall through a gap, and hold a body beside it", function()
    local world = impel.world {}
    world:body({ type = "static" }):heights { values = { 0, 0, 0, false, false, 0, 0, 0 }, spacing = 1 }
    local held, fallen = world:body { position = { 1, 1 } }, world:body { position = { 3.5, 1 } }
    held:circle { radius = 0.3 }
    fallen:circle { radius = 0.3 }
    for _ = 1, 120 do world:step() end
    local _, y = held:position()
    assert.near(0.3, y, 1e-3)
    _, y = fallen:position()
    assert.is_true(y < -5)
  end)

  it("with 10,000 points carry a disc that slides over them", function()
    local values = {}
    for i = 1, 10000 do values[i] = math.sin(i / 40) end
    local world = impel.world { sleep = false }
    local shape = world:body({ type = "static" }):heights { values = values, spacing = 0.1, friction = 0 }
    assert.equal(10000, #shape:points())
    local disc = world:body { position = { 10, 2 }, velocity = { 15, 0 } }
    disc:circle { radius = 0.4, friction = 0 }
    for _ = 1, 600 do world:step() end
    local x, y = disc:position()
    assert.is_true(x > 100 and y > -1 and y < 6)
  end)

  it("are refused with the wrong value", function()
    local body = impel.world({}):body { type = "static" }
    local function refused(words, options)
      local ok, message = pcall(body.heights, body, options)
      assert.is_false(ok)
      assert.truthy(message:find(words, 1, true), message)
    end
    refused("value 2 must be a finite number [m], or false for a gap, got 'x'", { values = { 0, "x" }, spacing = 1 })
    refused("value 3 must be", { values = { 0, 1, 0 / 0 }, spacing = 1 })
    refused("field 'spacing' is missing", { values = { 0, 1 } })
    refused("field 'values' is missing", { spacing = 1 })
    refused("field 'spacing' must be a finite number in [0.0001, 10000000] [m], got 0",
      { values = { 0, 1 }, spacing = 0 })
    refused("heights value 2 (1, 20000000) is beyond 10000000 m", { values = { 0, 2e7 }, spacing = 1 })
    refused("at least 2 neighbouring values that are not gaps", { values = { 0, false, 1 }, spacing = 1 })
  end)
end)
