-- Queries from scripts: the nearest shape to a point, casts that return all hits, queries of a single shape.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

local near = 1e-12 -- tolerance [m]: rounding of closed forms at coordinates of some metres

-- A static floor with its top at 0, and a ball and a crate above it.
local function scene()
  local world = impel.world { gravity = { 0, 0 } }
  local floor = world:body { type = "static", name = "floor" }
  local s = { world = world, floor = floor, ground = floor:box { 20, 1, center = { 0, -0.5 } } }
  s.ball = world:body { position = { 0, 2 } }
  s.round = s.ball:circle { radius = 0.5 }
  s.crate = world:body { position = { 3, 1 } }
  s.square = s.crate:box { 1, 1 }
  return s
end

local function is(hit, expected)
  assert.equal(expected.shape, hit.shape)
  assert.equal(expected.shape.body, hit.body)
  for key, value in pairs(expected) do
    if key ~= "shape" then assert.near(value, hit[key], near, key) end
  end
end

describe("the nearest shape", function()
  it("is returned with the surface point, normal and distance", function()
    local s = scene()
    is(s.world:nearest(0, 4), { shape = s.round, x = 0, y = 2.5, nx = 0, ny = 1, distance = 1.5 })
    is(s.world:nearest(5, 1), { shape = s.ground, x = 5, y = 0, nx = 0, ny = 1, distance = 1 })
    is(s.world:nearest(4.2, 1.1), { shape = s.square, x = 3.5, y = 1.1, nx = 1, ny = 0, distance = 0.7 })
    is(s.world:nearest(0, 2.4), { shape = s.round, x = 0, y = 2.5, nx = 0, ny = 1, distance = -0.1 })
    assert.is_nil(s.world:nearest(0, 4).fraction)
  end)

  it("is found only within the radius", function()
    local s = scene()
    assert.is_nil(s.world:nearest(0, 4, 1.4))
    assert.equal(s.round, s.world:nearest(0, 4, 1.5).shape) -- the distance of the ball equals the radius of the search
    assert.is_nil(s.world:nearest(0, 4, 0))
    assert.equal(s.round, s.world:nearest(0, 2, 0).shape)
    assert.is_nil(impel.world({}):nearest(0, 0))
  end)

  it("is the one with the deepest overlap if several contain the point", function()
    local s = scene()
    s.ball:set_position(3, 1.4)
    -- The point (3, 1.05) is 0.45 m deep in the crate and 0.15 m in the ball.
    assert.equal(s.square, s.world:nearest(3, 1.05).shape)
    assert.equal(s.round, s.world:nearest(3, 1.4).shape)
  end)

  it("obeys filters, whose predicate is called in the order of distance", function()
    local s = scene()
    assert.equal(s.square, s.world:nearest(0.5, 3, nil, { ignore = { s.ball, s.floor } }).shape)
    local asked = {}
    local found = s.world:nearest(0, 4, nil, { predicate = function(shape)
      asked[#asked + 1] = shape
      return shape.body.type == "static"
    end })
    assert.equal(s.ground, found.shape)
    assert.same({ s.round, s.square, s.ground }, asked)
    local zone = s.floor:circle { radius = 1, center = { 0, 5 }, sensor = true }
    assert.equal(s.round, s.world:nearest(0, 5).shape)
    assert.equal(zone, s.world:nearest(0, 5, nil, { sensors = true }).shape)
    s.square.category, s.square.group = 0, 3 -- the square has no category, so only the group can match
    assert.equal(s.ground, s.world:nearest(3, 1, nil, { ignore = s.ball }).shape)
    assert.equal(s.square, s.world:nearest(3, 1, nil, { group = 3 }).shape)
  end)

  it("can be a chain from both sides", function()
    local world = impel.world {}
    local chain = world:body({ type = "static" }):chain { points = { { 5, 0 }, { -5, 0 } } }
    is(world:nearest(1, 2), { shape = chain, x = 1, y = 0, nx = 0, ny = 1, distance = 2 })
    is(world:nearest(1, -2), { shape = chain, x = 1, y = 0, nx = 0, ny = -1, distance = 2 })
  end)
end)

describe("a cast for all hits", function()
  it("lists each shape once, with the hit of a cast at that shape alone", function()
    local s = scene()
    local list = s.world:shapecast_all({ radius = 0.25, position = { 0, 6 } }, 0, -10)
    assert.equal(2, #list)
    is(list[1], { shape = s.round, x = 0, y = 2.5, nx = 0, ny = 1, fraction = 3.25 / 10 })
    is(list[2], { shape = s.ground, x = 0, y = 0, nx = 0, ny = 1, fraction = 5.75 / 10 })
    assert.same({}, s.world:shapecast_all({ radius = 0.25, position = { 0, 6 } }, 0, -1))
    assert.equal(1, #s.world:shapecast_all(s.square, -9, 0.9)) -- the body of the cast shape is ignored
    local again = s.world:shapecast_all({ radius = 0.25, position = { 0, 6 } }, 0, -10, { ignore = s.ball }, list)
    assert.equal(list, again)
    assert.equal(1, #again)
    assert.equal(s.ground, again[1].shape)
  end)
end)

describe("one shape", function()
  it("is hit by a ray that another shape would block, also if it is a sensor", function()
    local s = scene()
    is(s.ground:raycast(0, 10, 0, -10), { shape = s.ground, x = 0, y = 0, nx = 0, ny = 1, fraction = 0.5 })
    assert.is_nil(s.ground:raycast(0, 10, 0, 1))
    is(s.round:raycast(0, 2, 9, 9), { shape = s.round, x = 0, y = 2, nx = 0, ny = 0, fraction = 0 })
    local hit = {}
    s.ground.sensor = true
    assert.equal(hit, s.ground:raycast(0, 10, 0, -10, hit))
    s.floor:set_position(0, -1)
    assert.near(-1, s.ground:raycast(0, 10, 0, -10).y, near)
  end)

  it("gives its surface point closest to a world point", function()
    local s = scene()
    local expected = { 1.5, 0, 2.5, 0, 1 }
    for i, value in ipairs { s.round:closest(0, 4) } do assert.near(expected[i], value, near, i) end
    assert.near(-0.5, (s.square:closest(3, 1)), near)
    s.crate.angle = math.pi / 4
    assert.near(1 - math.sqrt(0.5), (s.square:closest(4, 1)), near)
  end)

  it("that is concave has no surface along the cuts between its pieces", function()
    local world = impel.world {}
    local trough = world:body({ type = "static" }):polygon { points = { { -2, 0 }, { 2, 0 }, { 2, 3 }, { 1, 3 },
      { 1, 1 }, { -1, 1 }, { -1, 3 }, { -2, 3 } } }
    for i = -31, 31 do
      local x = i / 16
      assert.near(-math.min(0.4, 2 - math.abs(x)), (trough:closest(x, 0.4)), near)
      is(world:raycast(x, 0.4, x + 1, 3.4), { shape = trough, x = x, y = 0.4, nx = 0, ny = 0, fraction = 0 })
    end
  end)

  it("is refused after its destruction; wrong arguments are refused", function()
    local s = scene()
    raises("shape:closest: argument 'y' must be a finite number [m], got nil", s.round.closest, s.round, 1)
    raises("shape:raycast: argument 'x2' must be a finite number [m], got nan", s.round.raycast, s.round, 1, 1, 0/0, 1)
    raises("'hit' must be a table to fill or nil, got 3", s.round.raycast, s.round, 0, 0, 1, 1, 3)
    raises("up to 10000000 m", s.round.closest, s.round, 1e8, 0)
    raises("the radius to search in must be a number >= 0, got -1", s.world.nearest, s.world, 0, 0, -1)
    raises("'radius' must be a finite number [m], got a table", s.world.nearest, s.world, 0, 0, { mask = 1 })
    raises("'hit' must be a table to fill or nil", s.world.nearest, s.world, 0, 0, 1, {}, 1)
    raises("field 'ignore' must be a list", s.world.nearest, s.world, 0, 0, 1, { ignore = { [s.ball] = true } })
    raises("field 'ignore' must be a list", s.world.nearest, s.world, 0, 0, 1, { ignore = { s.ball, o = s.crate } })
    raises("field 'height' must be a finite number in [0.0001, 10000000] [m], got 0", s.world.shapecast_all, s.world,
      { width = 1, height = 0 }, 1, 0)
    local round = s.round
    s.ball:destroy()
    raises("attempt to use destroyed shape", round.closest, round, 0, 0)
    raises("attempt to use destroyed shape", round.raycast, round, 0, 0, 1, 1)
  end)

  it("is queried without garbage", function()
    local s = scene()
    local world, hit, list = s.world, {}, {}
    local filter = { ignore = s.crate, predicate = function(shape) return shape ~= s.round end }
    local form = { radius = 0.25, position = { 0, 6 } }
    local work = {
      function() world:nearest(0, 4, nil, nil, hit) end,
      function() world:nearest(0, 4, 9, filter, hit) end,
      function() world:shapecast_all(form, 0, -10, filter, list) end,
      function() s.round:raycast(0, 10, 0, -10, hit) end,
      function() s.round:closest(0, 10) end,
    }
    for i, f in ipairs(work) do assert.equal(0, flat(f, 1000), "of call " .. i) end
  end)
end)
