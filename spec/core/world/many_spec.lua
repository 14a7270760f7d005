-- Many shapes, contacts, joints, movers and handlers. Derived data is updated as objects are created and destroyed, and
-- equals data computed from all objects.
local impel = require "impel"

local function world_of(options)
  options = options or {}
  options.gravity = options.gravity or { 0, 0 }
  return impel.world(options)
end

-- Copy the world by restoring its snapshot.
local function copy_of(world)
  local copy = impel.world {}
  copy:restore(world:snapshot())
  return copy
end

describe("a body of many shapes", function()
  -- Compute mass, centre and inertia about the centre of a list of discs { x, y, radius, density }.
  local function sums(discs)
    local m, x, y, inertia = 0, 0, 0, 0
    for _, d in ipairs(discs) do
      local mass = d[4] * math.pi * d[3] ^ 2
      m, x, y = m + mass, x + mass * d[1], y + mass * d[2]
    end
    x, y = x / m, y / m
    for _, d in ipairs(discs) do
      local mass = d[4] * math.pi * d[3] ^ 2
      inertia = inertia + mass * (d[3] ^ 2 / 2 + (d[1] - x) ^ 2 + (d[2] - y) ^ 2)
    end
    return m, x, y, inertia
  end

  local function make(world, body, k)
    local d = { 1e4 + world:random() * 40, world:random() * 30, 0.2 + world:random(), 0.5 + world:random() }
    return body:circle { center = { d[1], d[2] }, radius = d[3], density = d[4], name = "disc " .. k }, d
  end

  it("has the mass, centre and inertia of its shapes after shapes are added, changed and removed", function()
    local world = world_of { seed = 3 }
    local body, shapes, discs = world:body {}, {}, {}
    for k = 1, 900 do
      local roll = world:random()
      if #shapes < 40 or roll < (k < 500 and 0.7 or 0.3) then
        shapes[#shapes + 1], discs[#discs + 1] = make(world, body, k)
      elseif roll < 0.8 then
        local i = world:random(1, #shapes)
        table.remove(shapes, i):destroy()
        table.remove(discs, i)
      else
        local i = world:random(1, #shapes)
        discs[i][4] = 0.5 + world:random()
        shapes[i].density = discs[i][4]
      end
      local m, x, y, inertia = sums(discs)
      local cx, cy = body:center()
      local ox, oy = body:position()
      assert.is_true(math.abs(body.mass / m - 1) < 1e-12)
      -- Each change rounds the centre of mass, which is 1e4 m from the origin, by 2e-12 m.
      assert.is_true(math.abs(cx - ox - x) < 1e-8 and math.abs(cy - oy - y) < 1e-8)
      assert.is_true(math.abs(body.inertia / inertia - 1) < 1e-9) -- centres up to 20 m away are rounded by 2e-12 m
    end
  end)

  it("has the same hash in a world and in its copy while both change its shapes", function()
    local world = world_of { seed = 4 }
    local body = world:body { name = "body" }
    for k = 1, 150 do make(world, body, k) end
    local random = world:random()
    local copy = copy_of(world)
    assert.equal(world.hash, copy.hash)
    local function go_on(of, again)
      local list = {}
      for shape in of:find("body"):shapes() do list[#list + 1] = shape end
      for _ = 1, 120 do table.remove(list, of:random(1, #list)):destroy() end
      for k = 1, again do make(of, of:find "body", k) end
    end
    assert.is_true(random < 1)
    go_on(world, 100)
    go_on(copy, 100)
    assert.equal(world.hash, copy.hash)
    local later = copy_of(world)
    for _, of in ipairs { world, copy, later } do make(of, of:find "body", 1) end
    assert.equal(world.hash, copy.hash)
    assert.equal(world.hash, later.hash)
  end)

  it("has the exact mass and inertia of its remaining shapes after other shapes are removed", function()
    local function inertia(extra)
      local world = world_of()
      local body, more = world:body {}, {}
      for i = 1, 50 do body:box { 0.3, 0.7, center = { i / 7, (i % 5) / 3 } } end
      for i = 1, extra do more[i] = body:circle { radius = 0.3, center = { -i, i } } end
      for i = 1, extra do more[i]:destroy() end
      return body.mass, body.inertia
    end
    local mass, moment = inertia(0)
    for _, extra in ipairs { 1, 14, 15, 40 } do
      local m, j = inertia(extra)
      assert.equal(mass, m)
      assert.equal(moment, j)
    end
  end)

  it("that is static has the same hash as its copy after all shapes are destroyed, the farthest first", function()
    local world = world_of()
    local level, shapes = world:body { type = "static" }, {}
    for i = 1, 100 do shapes[i] = level:box { 1, 1, center = { i, 0 } } end
    for i = 100, 1, -1 do shapes[i]:destroy() end
    local copy = copy_of(world)
    assert.equal(world.hash, copy.hash)
  end)
end)

describe("a body of many contacts", function()
  -- Create a disc with n small discs at its rim. n may exceed the number of colours of the constraint graph.
  local function rim(n, options)
    local world = world_of(options)
    local hub, small = world:body {}, {}
    hub:circle { radius = 1 }
    for i = 1, n do
      small[i] = world:body { position = { impel.math.cos(i), impel.math.sin(i) } }
      small[i]:circle { radius = 0.02, group = -1 }
    end
    return world, hub, small
  end

  local function shuffle(world, small)
    for i = 1, #small do
      local r = world:random()
      local far = r < 0.1 and 3 or 1
      if r < 0.2 then small[i]:set_position(far * impel.math.cos(i), far * impel.math.sin(i)) end
    end
  end

  it("solves them in the same order in a world and in its copy, after contacts began and ended", function()
    local world, _, small = rim(300, { sleep = false, seed = 5 })
    for _ = 1, 6 do
      for _ = 1, 4 do
        shuffle(world, small)
        world:step()
      end
      local copy = copy_of(world)
      world:step(2)
      copy:step(2)
      assert.equal(world.hash, copy.hash)
    end
  end)

  it("has the same bits with any width of the lanes", function()
    local hashes = {}
    for k, lanes in ipairs { 1, 4, 8 } do
      local world, _, small = rim(200, { sleep = false, seed = 6, lanes = lanes })
      for _ = 1, 20 do
        shuffle(world, small)
        world:step()
      end
      hashes[k] = world.hash
    end
    assert.equal(hashes[1], hashes[2])
    assert.equal(hashes[1], hashes[3])
  end)

  it("lists its contacts in the order of world:contacts()", function()
    local world, hub, small = rim(100, { sleep = false, seed = 7 })
    for _ = 1, 5 do
      shuffle(world, small)
      small[1]:set_position(1, 0)
      world:step()
      for _, body in ipairs { hub, small[1], small[50] } do
        local expected, got = {}, {}
        for c in world:contacts() do
          if c.body_a == body or c.body_b == body then expected[#expected + 1] = tostring(c) end
        end
        for c in body:contacts() do got[#got + 1] = tostring(c) end
        assert.same(expected, got)
      end
    end
  end)

  it("ends the contacts of a destroyed shape, and no other contacts", function()
    local world = world_of { sleep = false }
    local floor = world:body { type = "static", name = "floor" }
    for i = 1, 30 do
      floor:box { 0.9, 1, center = { i, 0 } }
      world:body { position = { i, 0.9 } }:circle { radius = 0.4, group = -1 }
    end
    world:step()
    assert.equal(30, world:counts().contacts)
    world = copy_of(world)
    local tiles = {}
    for tile in world:find("floor"):shapes() do tiles[#tiles + 1] = tile end
    local ended = {}
    world:on("end_contact", function(event) ended[event.shape_a] = true end)
    for i = 2, 30, 2 do tiles[i]:destroy() end
    assert.equal(15, world:counts().contacts)
    world:step()
    for i = 1, 30 do assert.equal(i % 2 == 0 or nil, ended[tiles[i]]) end
  end)
end)

describe("a body of many joints", function()
  it("does not collide with a body if their joint has collide = false; otherwise the bodies collide", function()
    local world = world_of { sleep = false }
    local hub = world:body {}
    hub:circle { radius = 1 }
    for i = 1, 40 do
      local body = world:body { position = { impel.math.cos(i), impel.math.sin(i) } }
      body:circle { radius = 0.02, group = -1 }
      world:revolute(hub, body, { collide = i % 4 == 0 })
    end
    world:step()
    assert.equal(10, world:counts().contacts)
  end)
end)

describe("many movers", function()
  it("stay in the order of creation as some are destroyed", function()
    local world = world_of { seed = 8 }
    local living = {}
    for i = 1, 200 do
      living[#living + 1] = world:mover { position = { 2 * i, 0 } }
      if world:random() < 0.45 then table.remove(living, world:random(1, #living)):destroy() end
      if i % 20 == 0 then
        local got = {}
        for mover in world:movers() do got[#got + 1] = mover end
        assert.same(living, got)
        assert.equal(#living, world:counts().movers)
        local copy = copy_of(world)
        assert.equal(world.hash, copy.hash)
        world:step()
        copy:step()
        assert.equal(world.hash, copy.hash)
      end
    end
    while #living > 0 do table.remove(living, 1):destroy() end
    assert.equal(0, world:counts().movers)
  end)
end)

describe("many handlers", function()
  it("are called in the order of world:on while some are destroyed and restored", function()
    local world = world_of { seed = 9 }
    local called, handlers = {}, {}
    for i = 1, 100 do handlers[i] = world:on("step", function() called[#called + 1] = i end) end
    local bytes = world:snapshot()
    for i = 101, 150 do
      handlers[i] = world:on("step", function() called[#called + 1] = i end, { outside = true })
    end
    local living = {}
    local function step()
      called = {}
      world:step()
      local expected = {}
      for i = 1, 150 do if living[i] then expected[#expected + 1] = i end end
      assert.same(expected, called)
    end
    for i = 1, 150 do living[i] = true end
    for _ = 1, 30 do
      for _ = 1, 3 do
        local i = world:random(1, 150)
        handlers[i]:destroy()
        living[i] = nil
      end
      step()
    end
    world:restore(bytes)
    for i = 1, 100 do living[i] = true end
    step()
  end)
end)

describe("many commands of one step", function()
  it("are read back at once: each object has the last value that was set for it", function()
    local world = world_of()
    local a, shapes, joints = world:body {}, {}, {}
    for i = 1, 20 do
      local b = world:body { position = { i, 0 } }
      shapes[i] = b:circle { radius = 0.1 }
      joints[i] = world:revolute(a, b, {})
    end
    local first = true
    world:on("substep", function()
      if not first then return end
      first = false
      for round = 1, 3 do
        for i = 1, 20 do
          shapes[i].category = i * round
          shapes[i].mask = 100 + i
          joints[i]:coordinate("angle"):set_lock(i / 100 * round)
        end
        for i = 1, 20 do
          assert.equal(i * round, shapes[i].category)
          assert.equal(100 + i, shapes[i].mask)
          assert.near(i / 100 * round, joints[i]:coordinate("angle"):drives().lock, 1e-12)
          assert.is_nil(joints[i]:coordinate("x"):drives().motor)
        end
      end
    end)
    world:step()
    for i = 1, 20 do assert.equal(3 * i, shapes[i].category) end
  end)
end)
