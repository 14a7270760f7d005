-- shape.filter: the pairs for which the filter is called, the number of calls, the effect of the result.
local core = require "impel.core"
local flat = require "support.flat"

-- Boxes fall on a floor. The filter of the floor rejects the names in `refused`; `asked` logs the calls.
local function scene(refused)
  local world, asked = core.world {}, {}
  local floor = world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 }, name = "floor",
    filter = function(shape, other)
      asked[#asked + 1] = shape.name .. "?" .. other.name
      return not refused[other.name]
    end }
  return world, floor, asked
end

local function drop(world, name, x, options)
  options = options or {}
  local body = world:body { position = { x, 1 } }
  return body, body:box { 1, 1, name = name, filter = options.filter }
end

local function height(body) return select(2, body:position()) end

describe("a filter", function()
  it("lets refused shapes pass and supports the others, under every solver", function()
    for _, solver in ipairs(require("support.kinds").solvers) do
      local world, _, asked = scene { ghost = true }
      world.solver = solver
      local ghost, crate = drop(world, "ghost", -2), drop(world, "crate", 2)
      world:step(60)
      assert.near(1 - 9.81 / 2, height(ghost), 0.09) -- free fall with an error of g dt t / 2 = 0.08 m
      assert.near(0.5, height(crate), 0.02) -- the overlap of a resting contact
      assert.same({ "floor?ghost", "floor?crate" }, asked)
    end
  end)

  it("is called once per pair, in the order of creation, and not again after a separation", function()
    local refused = { n2 = true }
    local world, _, asked = scene(refused)
    local bodies = {}
    for i = 1, 5 do bodies[i] = drop(world, "n" .. i, 2 * i - 6) end
    world:step(30)
    assert.equal("floor?n1 floor?n2 floor?n3 floor?n4 floor?n5", table.concat(asked, " "))
    for _ = 1, 3 do
      for i, body in ipairs(bodies) do
        body:set_position(2 * i - 6, 50)
        body:set_velocity(0, 0)
      end
      world:step(2)
      for i, body in ipairs(bodies) do body:set_position(2 * i - 6, 0.6) end
      refused.n1 = true -- the filter is not called again
      world:step(20)
    end
    assert.equal(5, #asked)
    assert.is_true(height(bodies[1]) > 0.4)
    assert.is_true(height(bodies[2]) < 0.4)
  end)

  it("of each of two shapes is called, in the shapes' order of creation, until one returns false", function()
    for _, case in ipairs { { false, true, "a" }, { true, false, "a b" }, { true, true, "a b" } } do
      local world, asked = core.world {}, {}
      local function say(name, answer)
        return function(shape, other)
          assert.is_true(shape.name == name and other.name ~= name)
          asked[#asked + 1] = name
          return answer
        end
      end
      local ground = world:body { type = "static" }
      ground:box { 20, 1, center = { 0, -0.5 }, name = "a", filter = say("a", case[1]) }
      local body = drop(world, "b", 0, { filter = say("b", case[2]) })
      world:step(60)
      assert.equal(case[3], table.concat(asked, " "))
      assert.equal(case[1] and case[2], height(body) > 0)
    end
  end)

  it("is called in the order of creation, also if shapes reuse slots", function()
    local world, asked = core.world {}, {}
    local function ask(shape, other)
      asked[#asked + 1] = shape.name .. "?" .. other.name
      return true
    end
    local old = {}
    for i = 1, 6 do old[i] = drop(world, "old", 2 * i) end
    world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 }, name = "floor", filter = ask }
    for i = 1, 6 do old[i]:destroy() end
    local expected = {}
    for i = 1, 6 do
      local body = drop(world, "n" .. i, 2 * i, { filter = ask })
      body:set_position(2 * i, 0.5)
      table.move({ "floor?n" .. i, ("n%d?floor"):format(i) }, 1, 2, #expected + 1, expected)
    end
    world:step()
    assert.same(expected, asked)
  end)

  it("is not called for shapes that an earlier call destroyed", function()
    for gone, expected in pairs { other = "floor?a a?floor floor?c c?floor", own = "floor?a",
                                  asked = "floor?a floor?b b?floor floor?c c?floor" } do
      local world, asked, floor = core.world {}, {}, nil
      local shapes = {}
      local function ask(shape, other)
        asked[#asked + 1] = shape.name .. "?" .. other.name
        if #asked == 1 then ({ other = shapes.b, own = floor, asked = shapes.a })[gone]:destroy() end
        return true
      end
      floor = world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 }, name = "floor", filter = ask }
      for i, name in ipairs { "a", "b", "c" } do
        local body
        body, shapes[name] = drop(world, name, 2 * i, { filter = ask })
        body:set_position(2 * i, 0.5)
      end
      world:step()
      assert.equal(expected, table.concat(asked, " "), gone)
    end
  end)

  it("is called at the start of a step, and can create and destroy", function()
    local world = core.world {}
    local body
    local made
    world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 }, filter = function(_, other)
      made = world:body { position = { 0, 9 }, velocity = { 1, 0 } }
      made:circle { radius = 0.5 }
      other:destroy()
      assert.is_false(other:is_valid())
      return true
    end }
    body = drop(world, "crate", 0)
    body:set_position(0, 0.55)
    world:step()
    assert.same({ 0, 9 }, { made:position() })
    world:step(5)
    assert.is_true(body:is_valid())
    local count = 0
    for _ in body:shapes() do count = count + 1 end
    assert.equal(0, count)
  end)

  for what, change in pairs {
    ["its refilter"] = function(floor) floor:refilter() end,
    ["the other's refilter"] = function(_, shape) shape:refilter() end,
    ["a new function"] = function(floor)
      local old = floor.filter
      floor.filter = function(...) return old(...) end
    end,
    ["its category"] = function(floor) floor.category = 3 end,
    ["its mask"] = function(floor) floor.mask = 0xff end,
    ["the other's category"] = function(_, shape) shape.category = 5 end,
    ["the other's mask"] = function(_, shape) shape.mask = 0xffff end,
    ["the other's group"] = function(_, shape) shape.group = 4 end,
  } do
    it("is called again after " .. what .. ", also for touching and sleeping shapes", function()
      local refused = {}
      local world, floor, asked = scene(refused)
      local body, shape = drop(world, "crate", 0)
      local ends = 0
      world:on("end_contact", function() ends = ends + 1 end)
      world:step(120)
      assert.is_false(body.awake)
      assert.equal(1, #asked)
      refused.crate = true
      change(floor, shape)
      world:step(30)
      assert.equal(2, #asked)
      assert.equal(1, ends)
      assert.is_true(height(body) < 0)
      refused.crate = nil
      body:set_position(0, 0.52)
      body:set_velocity(0, 0)
      floor:refilter()
      world:step(60)
      assert.equal(3, #asked)
      assert.near(0.5, height(body), 0.02) -- the overlap of a resting contact
    end)
  end

  it("with the same result ends no contact at refilter", function()
    local world, floor, asked = scene {}
    local body = drop(world, "crate", 0)
    world:step(60)
    local told = 0
    for _, kind in ipairs { "begin_contact", "end_contact", "wake" } do
      world:on(kind, function() told = told + 1 end)
    end
    floor:refilter()
    world:step(20)
    assert.equal(2, #asked)
    assert.equal(0, told)
    assert.near(0.5, height(body), 0.01)
  end)

  it("that is removed lets the shape support all bodies again", function()
    local world, floor = scene { ghost = true }
    local body = drop(world, "ghost", 0)
    world:step(20)
    assert.is_function(floor.filter)
    floor.filter = nil
    assert.is_nil(floor.filter)
    body:set_position(0, 1)
    body:set_velocity(0, 0)
    world:step(60)
    assert.near(0.5, height(body), 0.02)
  end)

  it("of a destroyed shape does not apply to the next shape in its slot", function()
    local world, _, asked = scene { ghost = true }
    for i = 1, 6 do
      local body = drop(world, i % 2 == 0 and "ghost" or "crate", 0)
      world:step(60)
      assert.equal(i % 2 == 1, height(body) > 0)
      body:destroy()
    end
    assert.equal(6, #asked)
  end)

  it("raises at the end of the step and counts as true on an error or a result that is not boolean", function()
    for message, f in pairs { ["trouble"] = function() error "trouble" end,
                              ["shape.filter of shape 1 must return true or false, got nil"] = function() end } do
      local world = core.world {}
      world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 }, filter = f }
      local body = world:body { position = { 0, 0.51 } }
      body:box { 1, 1 }
      local ok, told = pcall(world.step, world)
      assert.is_false(ok)
      assert.truthy(told:find(message, 1, true), told)
      assert.equal(1, world.tick)
      world:step(60)
      assert.near(0.5, height(body), 0.02)
    end
  end)

  it("holds for sensors and chains", function()
    local world = core.world {}
    local ground, calls = world:body { type = "static" }, 0
    local function no()
      calls = calls + 1
      return false
    end
    ground:box { 4, 4, sensor = true, filter = no }
    ground:chain { points = { { 5, 0 }, { 2, 0 }, { 0, 0 }, { -2, 0 }, { -5, 0 } }, filter = no }
    local begins = 0
    world:on("sensor_begin", function() begins = begins + 1 end)
    local body = world:body { position = { 0, 1 } }
    body:circle { radius = 0.5 }
    world:step(60)
    assert.equal(2, calls) -- a chain has many pieces, but is one shape
    assert.equal(0, begins)
    assert.is_true(height(body) < 0)
  end)

  it("holds for time-of-impact events, at 100 m/s", function()
    for _, solid in ipairs { false, true } do
      local world, calls = core.world {}, 0
      world:set_gravity(0, 0)
      world:body({ type = "static" }):segment { from = { -5, 0 }, to = { 5, 0 }, filter = function()
        calls = calls + 1
        return solid
      end }
      local ball = world:body { position = { 0, 3 }, velocity = { 0, -100 } }
      ball:circle { radius = 0.1 }
      world:step(30)
      assert.equal(solid, height(ball) > 0)
      assert.equal(1, calls)
    end
  end)

  it("is not called for bodies whose joint excludes collisions, nor for static pairs", function()
    local world, floor, asked = scene {}
    local body = drop(world, "crate", 0)
    world:distance(floor.body, body, {})
    world:body({ type = "static", position = { 0, 0.2 } }):box { 1, 1, name = "wall" }
    world:step(30)
    assert.same({}, asked)
  end)

  it("is part of the state: a restore restores its results", function()
    local refused = { ghost = true }
    local world, _, asked = scene(refused)
    local ghost = drop(world, "ghost", 0)
    world:step(20)
    local snapshot = world:snapshot()
    local function run()
      world:step(20)
      return world.hash
    end
    local hash = run()
    refused.ghost = nil
    for _ = 1, 2 do
      world:restore(snapshot)
      assert.equal(hash, run())
    end
    assert.equal(1, #asked)
    assert.is_true(height(ghost) < 0.4)
  end)

  it("makes no garbage after its call", function()
    local world = scene { ghost = true }
    world.sleep = false
    drop(world, "crate", 0)
    drop(world, "crate", 3)
    assert.equal(0, flat(function() world:step() end, 1000))
  end)

  it("is one of the options of its shape, and prevents an export, because it is a function", function()
    local impel = require "impel"
    local world = impel.world {}
    local f = function() return true end
    local shape = world:body({ name = "b" }):box { 1, 1, filter = f, name = "crate" }
    assert.equal(f, shape:options().filter)
    local ok, message = pcall(world.export, world)
    assert.is_false(ok)
    assert.truthy(message:find("filter of box 1 'crate' is a function", 1, true), message)
    local data, left = world:export { partial = true }
    assert.same({ "filter of box 1 'crate'" }, left)
    assert.is_nil(data.bodies[1].shapes[1].filter)
  end)
end)

describe("setting category, mask or group", function()
  local function told(world)
    local log = {}
    for _, kind in ipairs { "begin_contact", "end_contact", "sensor_begin", "sensor_end" } do
      world:on(kind, function(e)
        local senses = kind:find "sensor"
        local a, b = e[senses and "sensor" or "shape_a"], e[senses and "visitor" or "shape_b"]
        log[#log + 1] = kind .. " " .. a.name .. " " .. b.name
      end)
    end
    return function()
      local text = table.concat(log, ", ")
      log = {}
      return text
    end
  end

  local function stand()
    local world = core.world {}
    local ground = world:body { type = "static" }
    local shapes = {
      floor = ground:box { 10, 1, center = { 0, -0.5 }, name = "floor" },
      zone = ground:box { 10, 3, sensor = true, category = 4, name = "zone" },
      ledge = ground:box { 1, 1, center = { 0.5, 0.5 }, category = 2, name = "ledge" },
    }
    shapes.crate = world:body({ position = { -0.5, 0.5 } }):box { 1, 1, name = "crate" }
    world:step(60)
    return world, shapes
  end

  it("ends the contacts that it excludes, and keeps all others", function()
    local ways = {
      { function(s) s.crate.mask = 5 end, "end_contact ledge crate" },
      { function(s) s.crate.mask = 3 end, "sensor_end zone crate" },
      { function(s) s.crate.category = 3 end, "" },
      { function(s) s.ledge.category = 8 end, "" },
      { function(s) s.ledge.mask = 2 end, "end_contact ledge crate" },
      { function(s) s.crate.group = -1 end, "" },
      { function(s) s.crate.group, s.ledge.group = -1, -1 end, "end_contact ledge crate" },
      { function(s)
        s.crate.mask = 0
        s.crate.mask = -1
      end, "" },
    }
    for i, way in ipairs(ways) do
      local world, shapes = stand()
      local function of_floor()
        for contact in shapes.crate.body:contacts() do
          if contact.shape_a == shapes.floor then return contact.id, contact.normal_impulse end
        end
      end
      local id, impulse = of_floor()
      local text = told(world)
      way[1](shapes)
      world:step()
      assert.equal(way[2], text(), "way " .. i)
      local id2, impulse2 = of_floor()
      if i < 8 then assert.equal(id, id2) end
      assert.near(impulse, impulse2, 1e-4 * impulse) -- warm-started from the accumulated impulse
    end
  end)

  it("begins, in the next step, contacts that the old values excluded", function()
    local world, shapes = stand()
    shapes.crate.mask = 1
    world:step(2)
    local text = told(world)
    shapes.crate.mask = -1
    world:step(1)
    assert.equal("begin_contact ledge crate, sensor_begin zone crate", text())
  end)

  it("calls filters again for touching shapes only", function()
    local world, shapes = stand()
    local asked = {}
    shapes.floor.filter = function(_, other)
      asked[#asked + 1] = other.name
      return #asked == 1
    end
    world:step()
    assert.same({ "crate" }, asked)
    shapes.ledge.category = 8
    world:step()
    assert.same({ "crate" }, asked)
    shapes.crate.category = 16
    local text = told(world)
    world:step()
    assert.same({ "crate", "crate" }, asked)
    assert.equal("end_contact floor crate", text())
  end)

  it("keeps contacts with the same shapes if the body is teleported", function()
    local world, shapes = stand()
    local text = told(world)
    shapes.crate.body:set_position(-2, 0.5)
    world:step()
    assert.equal("end_contact ledge crate", text())
  end)
end)

describe("shape:refilter()", function()
  it("begins contacts of resting shapes that were refused", function()
    local world, allowed = core.world { gravity = { 0, 0 } }, false
    local shape = world:body({}):box { 1, 1, filter = function() return allowed end }
    world:body({ position = { 0.9, 0 } }):box { 1, 1 }
    world:step(2)
    allowed = true
    shape:refilter()
    world:step()
    local count = 0
    for _ in world:contacts() do count = count + 1 end
    assert.equal(1, count)
  end)
end)
