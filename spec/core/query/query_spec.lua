-- Queries from scripts: results, filters, predicates, order, misuse, garbage.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"

local near = 1e-12 -- tolerance [m]: rounding of closed forms at coordinates of some metres

-- A static floor with its top at 0, and a ball and a crate above it.
local function scene(options)
  local world = impel.world(options or { gravity = { 0, 0 } })
  local floor = world:body { type = "static", name = "floor" }
  local s = { world = world, floor = floor, ground = floor:box { 20, 1, center = { 0, -0.5 } } }
  s.ball = world:body { position = { 0, 2 }, name = "ball" }
  s.round = s.ball:circle { radius = 0.5 }
  s.crate = world:body { position = { 3, 1 }, name = "crate" }
  s.square = s.crate:box { 1, 1 }
  return s
end

local function hit_is(hit, shape, x, y, nx, ny, fraction)
  assert.equal(shape, hit.shape)
  assert.equal(shape.body, hit.body)
  local expected = { x = x, y = y, nx = nx, ny = ny, fraction = fraction }
  for key, value in pairs(expected) do assert.near(value, hit[key], near, key) end
end

local function shapes_of(list)
  local shapes = {}
  for i, hit in ipairs(list) do shapes[i] = hit.shape end
  return shapes
end

describe("a ray", function()
  it("returns body, shape, point, normal and fraction of the first hit", function()
    local s = scene()
    hit_is(s.world:raycast(0, 10, 0, -10), s.round, 0, 2.5, 0, 1, 7.5 / 20)
    hit_is(s.world:raycast(-5, 1, 5, 1), s.square, 2.5, 1, -1, 0, 7.5 / 10)
    assert.is_nil(s.world:raycast(0, 10, 0, 3))
    assert.is_true(s.world:raycast_any(0, 10, 0, -10))
    assert.is_false(s.world:raycast_any(0, 10, 0, 3))
  end)

  it("that starts inside a solid hits at fraction 0 with the normal 0, 0", function()
    local s = scene()
    hit_is(s.world:raycast(0.1, 2, 0.1, 20), s.round, 0.1, 2, 0, 0, 0)
  end)

  it("of length 0 tests its point", function()
    local s = scene()
    hit_is(s.world:raycast(3, 1, 3, 1), s.square, 3, 1, 0, 0, 0)
    assert.is_nil(s.world:raycast(3, 3, 3, 3))
  end)

  it("hits a chain from its right side only, and a segment from both", function()
    local world = impel.world {}
    local body = world:body { type = "static" }
    local chain = body:chain { points = { { 5, 0 }, { -5, 0 } } } -- the chain's solid side is its left side, below
    hit_is(world:raycast(1, 1, 1, -1), chain, 1, 0, 0, 1, 0.5)
    assert.is_nil(world:raycast(1, -1, 1, 1))
    local line = body:segment { from = { -5, 5 }, to = { 5, 5 } }
    hit_is(world:raycast(1, 6, 1, 4), line, 1, 5, 0, 1, 0.5)
    hit_is(world:raycast(1, 4, 1, 6), line, 1, 5, 0, -1, 0.5)
  end)

  it("hits a one-way shape from all sides", function()
    local world = impel.world {}
    local plank = world:body({ type = "static" }):box { 4, 0.2, one_way = { 0, 1 } }
    assert.equal(plank, world:raycast(0, -2, 0, 2).shape)
    assert.equal(plank, world:raycast(0, 2, 0, -2).shape)
  end)

  it("lists each hit shape once, by fraction and then by creation", function()
    local world = impel.world {}
    local body = world:body { type = "static" }
    local far = body:circle { radius = 0.5, center = { 6, 0 } }
    local twin1 = body:circle { radius = 0.5, center = { 3, 0 } }
    local twin2 = body:circle { radius = 0.5, center = { 3, 0 } }
    -- A ray from inside the clockwise room crosses the room twice. Only the first hit is listed.
    local room = body:chain { points = { { 1, 3 }, { 9, 3 }, { 9, -3 }, { 1, -3 } }, loop = true }
    local list = world:raycast_all(2, 0, 20, 0)
    assert.same({ twin1, twin2, far, room }, shapes_of(list))
    assert.near(0.5 / 18, list[1].fraction, near)
    assert.equal(list[1].fraction, list[2].fraction)
    assert.same({}, world:raycast_all(2, 10, 20, 10))
  end)

  it("hits sleeping bodies, and never disabled ones", function()
    local world = impel.world {}
    local asleep = world:body { awake = false }
    local shape = asleep:circle { radius = 1 }
    local off = world:body { enabled = false, position = { 0, 3 } }
    off:circle { radius = 1 }
    assert.same({ shape }, shapes_of(world:raycast_all(0, 10, 0, -10)))
    assert.same({}, world:overlap_point(0, 3))
  end)
end)

describe("many rays in one call", function()
  it("fill lists with an entry per ray: a ray without a hit gives its end", function()
    local s = scene()
    local results = {}
    local rays = { 0, 10, 0, -10, 0, 10, 0, 3, -5, 1, 5, 1 }
    assert.equal(2, s.world:raycast_many(rays, results))
    assert.same({ s.round, false, s.square }, results.shape)
    assert.same({ 7.5 / 20, 1, 7.5 / 10 }, results.fraction)
    assert.same({ 0, 0, 2.5 }, results.x)
    assert.same({ 2.5, 3, 1 }, results.y)
    for i, expected in ipairs { -0.0, 0, -1 } do assert.near(expected, results.nx[i], near) end
    for i, expected in ipairs { 1, 0, 0 } do assert.near(expected, results.ny[i], near) end
  end)

  it("give the same results as world:raycast, and clear the entries of earlier calls with more rays", function()
    local s = scene()
    local results, rays = {}, {}
    for i = 0, 99 do
      for _, value in ipairs { -6 + i / 8, 8, 4 - i / 10, -1 } do rays[#rays + 1] = value end
    end
    s.world:raycast_many(rays, results)
    for i = 1, 100 do
      local hit = s.world:raycast(table.unpack(rays, 4 * i - 3, 4 * i))
      assert.equal(hit and hit.shape or false, results.shape[i])
      assert.equal(hit and hit.fraction or 1, results.fraction[i])
    end
    assert.equal(1, s.world:raycast_many({ 0, 10, 0, -10 }, results))
    for _, name in ipairs { "fraction", "x", "y", "nx", "ny", "shape" } do assert.equal(1, #results[name], name) end
    assert.equal(0, s.world:raycast_many({}, results))
    assert.equal(0, #results.shape)
  end)

  it("name the invalid ray or argument, and write no results", function()
    local s = scene()
    local results = {}
    raises("x2 of ray 2 must be a finite number in [-10000000, 10000000] [m], got nan", s.world.raycast_many, s.world,
      { 0, 1, 2, 3, 0, 1, 0 / 0, 3 }, results)
    raises("y1 of ray 1", s.world.raycast_many, s.world, { 0, "1", 2, 3 }, results)
    raises("four numbers for each ray", s.world.raycast_many, s.world, { 0, 1, 2 }, results)
    raises("'results' must be a table", s.world.raycast_many, s.world, { 0, 1, 2, 3 })
    assert.same({}, results)
    raises("results.x must be a table or nil, got 1", s.world.raycast_many, s.world, { 0, 1, 2, 3 }, { x = 1 })
  end)
end)

describe("an area", function()
  it("lists overlapping and touching shapes in the order of creation", function()
    local s = scene()
    assert.same({ s.round }, s.world:overlap_point(0.1, 2.1))
    assert.same({ s.round }, s.world:overlap_point(0, 1.5)) -- the point is on the edge of the ball
    assert.same({}, s.world:overlap_point(0, 1.4))
    -- The corners of a box may be any two opposite corners.
    assert.same({ s.ground, s.round, s.square }, s.world:overlap_box(3, 2, -1, -1))
    assert.same({ s.square }, s.world:overlap_box(1, 0.5, 2.5, 1.5)) -- the box and the crate share an edge
    assert.same({ s.round, s.square }, s.world:overlap_circle(1.5, 1.5, 1.1))
    assert.same({}, s.world:overlap_circle(1.5, 1.5, 0.9))
    assert.same({ s.ground }, s.world:overlap_circle(-5, 1, 1)) -- touching
  end)

  it("is tested against shapes, not against their bounding boxes", function()
    local s = scene()
    assert.same({}, s.world:overlap_box(0.4, 2.4, 0.5, 2.5)) -- inside the bounding box of the ball, outside the ball
    s.crate.angle = math.pi / 4
    assert.same({}, s.world:overlap_circle(3.5, 1.5, 0.1))
  end)

  it("can be a shape of the world or a table of options", function()
    local s = scene()
    local world = s.world
    assert.same({ s.square }, world:overlap_shape { radius = 0.3, position = { 3.6, 1 } })
    assert.same({ s.ground, s.square }, world:overlap_shape { width = 1, height = 2, position = { 3, 0 } })
    assert.same({ s.round }, world:overlap_shape { width = 2, height = 0.1, position = { 1.2, 2 }, angle = 0.3 })
    assert.same({ s.round }, world:overlap_shape { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, position = { 0.2, 2 } })
    assert.same({ s.round, s.square }, world:overlap_shape { from = { 0, 2 }, to = { 3, 1 }, radius = 0.1 })
    assert.same({ s.round }, world:overlap_shape { from = { 0, 2 }, to = { 0, 4 } })
    assert.same({}, world:overlap_shape(s.square)) -- the body of the given shape is ignored
    s.ball:set_position(3.2, 1.2)
    assert.same({ s.round }, world:overlap_shape(s.square))
    assert.same({ s.square }, world:overlap_shape(s.round))
  end)

  it("of one point has a topmost shape: the last created", function()
    local s = scene()
    s.ball:set_position(3, 1)
    assert.equal(s.square, s.world:shape_at(3, 1))
    assert.equal(s.round, s.world:shape_at(3, 1, { ignore = s.crate }))
    assert.is_nil(s.world:shape_at(0, 5))
  end)
end)

describe("a shape cast", function()
  it("hits shapes in the path of a world's shape, except those of its body", function()
    local s = scene()
    hit_is(s.world:shapecast(s.round, 0, -10), s.ground, 0, 0, 0, 1, 1.5 / 10)
    s.ball:circle { radius = 0.1, center = { 0, -1 } }
    hit_is(s.world:shapecast(s.round, 0, -10), s.ground, 0, 0, 0, 1, 1.5 / 10)
    assert.is_nil(s.world:shapecast(s.round, 0, -1))
  end)

  it("accepts tables of options, with angle and radius", function()
    local s = scene()
    hit_is(s.world:shapecast({ radius = 0.5, position = { 0, 5 } }, 0, -10), s.round, 0, 2.5, 0, 1, 2 / 10)
    hit_is(s.world:shapecast({ from = { 3, 4 }, to = { 3, 3 }, radius = 0.25 }, 0, -10), s.square, 3, 1.5, 0, 1,
      1.25 / 10)
    local corner = s.world:shapecast({ width = 1, height = 1, position = { -3, 5 }, angle = math.pi / 4 }, 0, -10)
    assert.equal(s.ground, corner.shape)
    assert.near((5 - math.sqrt(0.5)) / 10, corner.fraction, near)
  end)

  it("that begins in an overlap has fraction 0 and the separating normal", function()
    local s = scene()
    local hit = s.world:shapecast({ radius = 0.5, position = { 0, 2.75 } }, 0, -1)
    assert.equal(0, hit.fraction)
    assert.near(1, hit.ny, near)
  end)

  it("slides along a touching shape without a hit", function()
    local s = scene()
    local box = { width = 1, height = 1, position = { -8, 0.5 } }
    hit_is(s.world:shapecast(box, 20, 0, { ignore = s.ball }), s.square, 2.5, s.world:shapecast(box, 20, 0).y, -1, 0,
      10 / 20)
  end)
end)

describe("two shapes", function()
  it("have a distance, closest points and a normal", function()
    local s = scene()
    local expected = { 1.5, 0, 0, 0, 1.5, 0, 1 }
    for i, value in ipairs { s.world:closest(s.ground, s.round) } do assert.near(expected[i], value, near) end
    s.ball:set_position(0, 0.4) -- the ball is 0.1 m deep in the floor
    local distance, _, ya, _, yb, _, ny = s.world:closest(s.ground, s.round)
    assert.near(-0.1, distance, near)
    assert.near(1, ny, near)
    assert.near(-0.1, yb - ya, near)
    assert.near(-1, select(7, s.world:closest(s.round, s.ground)), near)
  end)

  it("of many pieces have the distance of their nearest pieces", function()
    local s = scene()
    local points = {}
    -- The roof is lowest at x = 5, y = 10.
    for i = 0, 40 do points[#points + 1] = { 10 - i / 2, 10 + (i - 10) ^ 2 / 100 } end
    local roof = s.floor:chain { points = points }
    assert.near(7.5, (s.world:closest(s.ground, roof)) - 2.5, near)
    assert.near(10, (s.world:closest(s.ground, roof)), near)
  end)

  it("have a time of impact, or nil", function()
    local s = scene()
    local t, x, y, nx, ny = s.world:time_of_impact(s.round, { travel = { 0, -3 } }, s.ground)
    -- The floor is hit after 1.5 m of 3 m. The tolerance of the search is 1e-12 times 20 m, the width of the floor.
    assert.near(0.5, t, 1e-9)
    for i, value in ipairs { x, y, nx, ny + 1 } do assert.near(0, value, 1e-9, "result " .. i) end -- as above
    assert.near(0.5, (s.world:time_of_impact(s.round, { travel = { 0, -2 } }, s.ground, { travel = { 0, 1 } })), 1e-9)
    assert.near(1 / 3, (s.world:time_of_impact(s.round, { travel = { 0, -3 } }, s.ground, nil, 0.5)), 1e-9) -- as above
    assert.is_nil(s.world:time_of_impact(s.round, { travel = { 0, -1 } }, s.ground))
    assert.is_nil(s.world:time_of_impact(s.round, nil, s.ground))
    -- A crate turns by 90 degrees, its centre 0.6 m above the floor. A corner, sqrt(1/2) m from the centre, touches it.
    s.crate:set_position(3, 0.6)
    local turned = s.world:time_of_impact(s.square, { turn = math.pi / 2 }, s.ground)
    assert.near(0.6, math.sqrt(0.5) * math.cos(math.pi / 4 - turned * math.pi / 2), 1e-9) -- as above
    assert.equal(2, select(2, s.ball:position()))
    local far = s.world:body({ position = { 10, 2 } }):circle { radius = 0.5 } -- the balls are 9 m apart
    -- At time 0.8 the two balls are 5 m apart.
    assert.near(0.8, (s.world:time_of_impact(s.round, { travel = { 5, 0 } }, far, nil, 5)), 1e-9)
  end)

  it("of one body have no time of impact, and one shape has no distance to itself", function()
    local s = scene()
    local other = s.ball:circle { radius = 0.1 }
    raises("itself", s.world.closest, s.world, s.round, s.round)
    raises("must belong to different bodies", s.world.time_of_impact, s.world, s.round, {}, other, {})
    assert.is_number((s.world:closest(s.round, other)))
  end)
end)

describe("a filter", function()
  it("tests category and mask in both directions, unless the nonzero groups are equal", function()
    local world = impel.world {}
    local body = world:body { type = "static" }
    local a = body:circle { radius = 1, category = 1, mask = -1 }
    local b = body:circle { radius = 1, category = 2, mask = 4 }
    local c = body:circle { radius = 1, category = 0, group = 3 }
    local d = body:circle { radius = 1, category = 4, group = -2 }
    local function found(filter) return world:overlap_point(0, 0, filter) end
    assert.same({ a, b, d }, found())
    assert.same({ a, d }, found { category = 1 })
    assert.same({ b }, found { mask = 2 })
    assert.same({}, found { mask = 2, category = 8 })
    assert.same({ c, d }, found { mask = 4, group = 3 })
    assert.same({ a, b }, found { group = -2 })
    assert.same({ a, b, d }, found { mask = 7.0, category = -1 }) -- a float with an integer value is valid
    assert.same({ a }, shapes_of { world:raycast(0, 5, 0, 0, { mask = 1 }) })
  end)

  it("excludes sensors unless its option is set", function()
    local s = scene()
    local zone = s.floor:box { 4, 4, center = { 0, 8 }, sensor = true }
    assert.equal(s.round, s.world:raycast(0, 10, 0, 0).shape)
    assert.equal(zone, s.world:raycast(0, 11, 0, 0, { sensors = true }).shape)
    assert.same({}, s.world:overlap_point(0, 8))
    assert.same({ zone }, s.world:overlap_point(0, 8, { sensors = true }))
  end)

  it("ignores a body, a shape, or a list of both", function()
    local s = scene()
    assert.equal(s.ground, s.world:raycast(0, 10, 0, -10, { ignore = s.ball }).shape)
    assert.equal(s.ground, s.world:raycast(0, 10, 0, -10, { ignore = s.round }).shape)
    assert.is_nil(s.world:raycast(0, 10, 0, -10, { ignore = { s.round, s.floor } }))
    local many = {}
    for i = 1, 20 do -- more bodies than the filter can hold without an allocation
      many[i] = s.world:body { type = "static", position = { 0, 3 + i / 2 } }
      many[i]:circle { radius = 0.2 }
    end
    assert.same({ s.round, s.ground }, shapes_of(s.world:raycast_all(0, 20, 0, -10, { ignore = many })))
  end)

  it("refuses unknown keys and wrong values", function()
    local s = scene()
    local function ask(filter) return function() return s.world:raycast(0, 10, 0, -10, filter) end end
    raises("bad field 'maks' in world:raycast: filter (did you mean 'mask'?)", ask { maks = 1 })
    raises("in impel: mask", ask { maskBits = 1 })
    raises("filter: field 'mask' must be an integer of at most 64 bits or a string \"0x...\", got 'all' (string)",
      ask { mask = "all" })
    raises("field 'sensors' must be true or false, got 1", ask { sensors = 1 })
    raises("field 'group'", ask { group = 0.5 })
    raises("field 'predicate' must be a function(shape) -> boolean, got true", ask { predicate = true })
    raises("field 'ignore' must be a body, a shape or a list of them, got 1", ask { ignore = 1 })
    raises("field 'ignore' must be a body, a shape or a list of them, got 'x' (string)", ask { ignore = { "x" } })
    raises("'filter' must be a table { mask, predicate, ... } or nil, got a function", ask(print))
    raises("has a body of another world", ask { ignore = scene().ball })
    s.ball:destroy()
    raises("attempt to use destroyed body 'ball'", ask { ignore = s.ball })
  end)
end)

describe("a predicate", function()
  it("is called with shapes in the order of distance, until the result is known", function()
    local s = scene()
    local asked = {}
    local function no_ball(shape)
      asked[#asked + 1] = shape
      return shape ~= s.round
    end
    local roof = s.floor:box { 20, 1, center = { 0, -5 } }
    assert.equal(s.ground, s.world:raycast(0, 10, 0, -10, { predicate = no_ball }).shape)
    assert.same({ s.round, s.ground }, asked) -- the query does not visit the box below the floor
    asked = {}
    assert.same({ s.ground, roof }, shapes_of(s.world:raycast_all(0, 10, 0, -10, { predicate = no_ball })))
    assert.same({ s.round, s.ground, roof }, asked)
    asked = {}
    assert.is_true(s.world:raycast_any(0, 10, 0, -10, { predicate = no_ball }))
    assert.same({ s.ground }, s.world:overlap_box(-1, -1, 1, 4, { predicate = no_ball }))
    assert.is_nil(s.world:shapecast(s.square, 0, 5, { predicate = no_ball }))
  end)

  it("passes its error value to the caller unchanged", function()
    local s = scene()
    local value = {}
    local ok, got = pcall(s.world.raycast, s.world, 0, 10, 0, -10, { predicate = function() error(value) end })
    assert.is_false(ok)
    assert.equal(value, got)
    raises("my words", s.world.overlap_box, s.world, -5, -5, 5, 5, { predicate = function() error "my words" end })
    assert.equal(s.round, s.world:raycast(0, 10, 0, -10).shape)
  end)

  it("can call queries", function()
    local s = scene()
    local lit = s.world:overlap_box(-5, -5, 5, 5, { predicate = function(shape)
      local x, y = shape.body:center()
      local hit = s.world:raycast(x, 20, x, y, { predicate = function(other) return other.body.type ~= "static" end })
      return hit ~= nil and hit.shape == shape
    end })
    assert.same({ s.round, s.square }, lit)
  end)

  it("can change the world, but neither step nor destroy it", function()
    local s = scene()
    local asked = {}
    local list = s.world:raycast_all(0, 10, 0, -10, { predicate = function(shape)
      asked[#asked + 1] = shape
      if s.floor:is_valid() then s.floor:destroy() end
      return true
    end })
    assert.same({ s.round }, shapes_of(list)) -- the query had found the floor when the predicate destroyed it
    assert.same({ s.round }, asked)
    local roof = s.crate:box { 9, 1, center = { 0, 4 } }
    list = s.world:raycast_all(0, 10, 0, -10, { predicate = function(shape)
      if shape == s.round then roof:destroy() end -- the predicate had accepted the roof earlier
      return true
    end })
    assert.same({ s.round }, shapes_of(list))
    local function destroys(shape)
      shape:destroy()
      return true
    end
    assert.same({}, s.world:overlap_point(0, 2, { predicate = destroys }))
    raises("inside a predicate", s.world.overlap_box, s.world, -5, -5, 5, 5,
      { predicate = function() s.world:step() end })
    raises("inside a predicate", s.world.overlap_box, s.world, -5, -5, 5, 5,
      { predicate = function() s.world:destroy() end })
    s.world:step()
  end)
end)

describe("a query sees", function()
  it("creations, moves and destructions at once", function()
    local s = scene()
    s.world:step()
    local new = s.world:body({ position = { 0, 5 } }):circle { radius = 0.5 }
    assert.equal(new, s.world:raycast(0, 10, 0, -10).shape)
    new.body:set_position(7, 5)
    assert.equal(s.round, s.world:raycast(0, 10, 0, -10).shape)
    assert.equal(new, s.world:raycast(7, 10, 7, -10).shape)
    s.crate.angle = math.pi / 4
    assert.near(1 + math.sqrt(0.5), s.world:raycast(3, 10, 3, -10).y, near)
    s.square.mask = 0
    assert.equal(s.ground, s.world:raycast(3, 10, 3, -10).shape)
    new:destroy()
    assert.is_nil(s.world:raycast(7, 10, 7, 4))
    s.ball:destroy()
    assert.equal(s.ground, s.world:raycast(0, 10, 0, -10).shape)
  end)

  it("in handlers of steps and events the state that getters return", function()
    local s = scene { gravity = { 0, -9.81 } }
    local checks = 0
    local function look()
      local x, y = s.ball:position()
      assert.near(y + 0.5, s.world:raycast(x, 10, x, -10).y, near)
      local made = s.world:body({ position = { -5, 5 } })
      made:circle { radius = 0.5 }
      assert.equal(made, s.world:raycast(-5, 10, -5, 0).body)
      made:destroy()
      checks = checks + 1
    end
    s.world:on("step", look)
    s.world:on("begin_contact", look)
    s.world:step(60)
    assert.is_true(checks > 60)
  end)

  it("in substep handlers the poses of the current substep, and no pending creations or destructions", function()
    for _, solver in ipairs { "soft", "si", "reduced" } do
      local s = scene { solver = solver, substeps = 4, gravity = { 0, 0 } }
      s.ball:set_velocity(0, 100) -- the ball moves 0.4 m a substep, out of its enlarged bounding box
      local seen, made, wall = {}, nil, s.world:body { type = "static", position = { 0, 40 } }
      wall:box { 4, 1 }
      s.world:on("substep", function()
        local _, y = s.ball:position()
        local hit = s.world:raycast(0, 30, 0, 0)
        assert.near(y + 0.5, hit.y, near)
        assert.same({ s.round }, s.world:overlap_point(0, y))
        seen[#seen + 1] = y
        if #seen == 1 then
          s.ball:apply_impulse(0, 500 * s.ball.mass)
          made = s.world:body { position = { -5, 5 } }
          made:circle { radius = 0.5 }
          assert.is_true(wall:is_valid())
          wall:destroy()
        end
        assert.same({}, s.world:overlap_point(-5, 5))
        assert.same({}, s.world:overlap_point(0, 40))
      end)
      s.world:step()
      assert.is_true(seen[#seen] >= seen[1])
      assert.equal(made, s.world:raycast(-5, 10, -5, 0).body)
    end
  end)

  it("the same state after a snapshot is restored", function()
    local s = scene()
    local snapshot = s.world:snapshot()
    local before = s.world:raycast(0, 10, 0, -10)
    s.ball:set_position(9, 9)
    s.world:restore(snapshot)
    assert.same(before, s.world:raycast(0, 10, 0, -10))
  end)
end)

describe("a query changes nothing", function()
  it("in the following steps, also if a step, substep or contact handler calls the query", function()
    local function falling(ask)
      local world = impel.world { seed = 3 }
      world:body({ type = "static" }):box { 20, 1 }
      for i = 1, 30 do
        local body = world:body { position = { world:random() * 4, 1 + i }, velocity = { 0, -20 } }
        body:box { 0.5, 0.4 }
      end
      local function look()
        world:overlap_circle(2, 5, 3)
        world:raycast_all(-5, 0, 5, 20)
        world:shapecast({ radius = 0.3, position = { 2, 40 } }, 0, -40)
      end
      for _, event in ipairs(ask and { "step", "substep", "begin_contact" } or {}) do world:on(event, look) end
      local hashes = {}
      for i = 1, 90 do
        world:step()
        hashes[i] = world.hash
      end
      return hashes
    end
    assert.same(falling(false), falling(true))
  end)
end)

describe("a table passed for results", function()
  it("is filled and returned", function()
    local s = scene()
    local hit, list, all = { old = 1 }, { 1, 2, 3, 4, 5 }, { {}, {}, {}, {} }
    assert.equal(hit, s.world:raycast(0, 10, 0, -10, nil, hit))
    assert.equal(s.round, hit.shape)
    assert.equal(1, hit.old)
    assert.is_nil(s.world:raycast(0, 10, 0, 9, nil, hit))
    assert.equal(list, s.world:overlap_box(-1, -1, 1, 4, nil, list))
    assert.same({ s.ground, s.round }, list)
    local first = all[1]
    assert.equal(all, s.world:raycast_all(0, 10, 0, -10, nil, all))
    assert.equal(2, #all)
    assert.equal(first, all[1])
    assert.same({}, s.world:overlap_point(0, 9, nil, list))
    assert.equal(hit, s.world:shapecast(s.round, 0, -5, nil, hit))
  end)

  it("makes no garbage, also with filters", function()
    local s = scene()
    local world, hit, list, all, results = s.world, {}, {}, {}, {}
    local rays = { 0, 10, 0, -10, 0, 10, 0, 3, -5, 1, 5, 1 }
    local filter = { mask = -1, group = 0, sensors = true, ignore = { s.crate, s.square },
                     predicate = function(shape) return shape ~= s.round end }
    local form = { width = 1, height = 0.5, position = { -3, 2 }, angle = 0.3, radius = 0.1 }
    local line = { from = { 0, 1 }, to = { 2, 3 } }
    local work = {
      function() world:raycast(0, 10, 0, -10, nil, hit) end,
      function() world:raycast(0, 10, 0, -10, filter, hit) end,
      function() world:raycast_any(0, 10, 0, -10, filter) end,
      function() world:raycast_all(0, 10, 0, -10, filter, all) end,
      function() world:raycast_many(rays, results, filter) end,
      function() world:overlap_point(0, 2, filter, list) end,
      function() world:overlap_box(-4, -4, 4, 4, filter, list) end,
      function() world:overlap_circle(0, 2, 3, filter, list) end,
      function() world:overlap_shape(s.round, filter, list) end,
      function() world:shape_at(0, 2, filter) end,
      function() world:shapecast(s.round, 0, -5, filter, hit) end,
      function() world:shapecast(form, 0, -5, filter, hit) end,
      function() world:overlap_shape(line, filter, list) end,
      function() world:closest(s.round, s.square) end,
    }
    for i, f in ipairs(work) do assert.equal(0, flat(f, 1000), "of call " .. i) end
  end)
end)

describe("misuse of queries", function()
  it("is reported at the caller's line", function()
    local s = scene()
    local world = s.world
    raises("world:raycast: argument 'y2' must be a finite number [m], got nan", world.raycast, world, 0, 0, 0, 0 / 0)
    raises("up to 10000000 m, got (100000000, 0)", world.raycast, world, 1e8, 0, 0, 0)
    raises("'hit' must be a table to fill or nil, got 3", world.raycast, world, 0, 0, 0, 1, nil, 3)
    raises("'list' must be a table to fill or nil, got true", world.raycast_all, world, 0, 0, 0, 1, nil, true)
    raises("circle radius", world.overlap_circle, world, 0, 0, -1)
    raises("'shape' must be a shape or a table { radius = ... }, got a body", world.overlap_shape, world, s.ball)
    raises("'shape_b' must be a shape, got nil", world.closest, world, s.round)
    raises("is a shape of another world", world.closest, world, s.round, scene().round)
    local function form(options) return function() return world:shapecast(options, 0, -1) end end
    raises("a shape needs a radius (circle), width and height (box), points (polygon), or from", form {})
    raises("a shape needs a radius", form { width = 1, height = 1, from = { 0, 0 }, to = { 1, 0 } })
    raises("a shape needs a radius", form { width = 1 })
    raises("bad field 'radus' in world:shapecast: shape (did you mean 'radius'?)", form { radus = 1 })
    raises("two points of a query shape", form { from = { 0, 0 }, to = { 0, 0 } })
    raises("must form a convex polygon", form { points = { { 0, 0 }, { 2, 0 }, { 0.1, 0.1 }, { 0, 2 } } })
    raises("'points' must have 3 points or more", form { points = { { 0, 0 }, { 2, 0 } } })
    raises("'motion_a' must be a table", world.time_of_impact, world, s.round, 1, s.ground)
    raises("bad field 'speed'", world.time_of_impact, world, s.round, { speed = 1 }, s.ground)
    raises("the turn of a motion must be", world.time_of_impact, world, s.round, { turn = 1e9 }, s.ground)
    s.round:destroy()
    raises("attempt to use destroyed shape", world.closest, world, s.round, s.ground)
    raises("attempt to use destroyed shape", world.shapecast, world, s.round, 0, 1)
    world:destroy()
    raises("attempt to use destroyed world", world.raycast, world, 0, 0, 0, 1)
  end)
end)
