-- What a script can get wrong, and what it is told. Every error is a Lua error with file and line; nothing aborts, and
-- the world stays whole. Bad values of properties and options are walked in api_spec.
local core = require "impel.core"

local nan, inf = 0 / 0, math.huge

local function raises(words, f, ...)
  local ok, message = pcall(f, ...)
  assert.is_false(ok, "no error where one about '" .. words .. "' was expected")
  assert.truthy(message:find("%.lua:%d+: "), "no position in: " .. message)
  assert.truthy(message:find(words, 1, true), "no '" .. words .. "' in: " .. message)
end

describe("arguments", function()
  local world, body
  before_each(function()
    world = core.world {}
    body = world:body { name = "crate" }
    body:box { 1, 1 }
  end)

  it("that are not finite numbers are refused by every method that takes numbers", function()
    local methods = { { body, "set_position", 2 }, { body, "set_velocity", 2 }, { body, "velocity_at", 2 },
                      { body, "apply_force", 2 }, { body, "apply_torque", 1 }, { body, "apply_impulse", 2 },
                      { body, "apply_angular_impulse", 1 }, { body, "world_point", 2 }, { body, "local_point", 2 },
                      { body, "world_vector", 2 }, { body, "local_vector", 2 }, { world, "set_gravity", 2 } }
    local x, y = body:position()
    for _, method in ipairs(methods) do
      local object, name, count = table.unpack(method)
      for place = 1, count do
        for _, bad in ipairs { nan, inf, -inf, "abc", "1", true, {}, print } do
          local arguments = { 0, 0 }
          arguments[place] = bad
          raises(":" .. name .. ": argument", function() object[name](object, table.unpack(arguments, 1, count)) end)
        end
      end
      raises(":" .. name .. ": argument", function() object[name](object) end)
    end
    assert.same({ x, y }, { body:position() })
    world:step()
    assert.is_true(world:is_valid())
  end)

  it("of 1e308 are refused where they would move something", function()
    for _, name in ipairs { "set_position", "set_velocity", "apply_force", "apply_impulse" } do
      raises("body:" .. name, function() body[name](body, 1e308, 0) end)
    end
    raises("body:apply_torque", function() body:apply_torque(1e308) end)
    raises("body:apply_angular_impulse", function() body:apply_angular_impulse(1e308) end)
    raises("world:set_gravity", function() world:set_gravity(0, 1e308) end)
  end)

  it("of a force's point come in pairs", function()
    raises("argument 'py'", function() body:apply_force(1, 0, 1) end)
    raises("argument 'px'", function() body:apply_impulse(1, 0, nil, 1) end)
  end)

  it("of world:step are whole numbers, not negative", function()
    for _, bad in ipairs { -1, 0.5, nan, inf, "1", {}, true } do
      raises("world:step: argument 'n'", function() world:step(bad) end)
    end
    world:step(0)
    assert.equal(0, world.tick)
  end)

  it("of world:on and world:events are known names and functions", function()
    raises("did you mean 'begin_contact'?", function() world:on("begin_contct", print) end)
    raises("must be a function", function() world:on("step") end)
    raises("must be a function", function() world:on("step", {}) end)
    raises("must be one of", function() world:on(nil, print) end)
    raises("did you mean 'hit'?", function() world:events "hitt" end)
    raises("must be one of", function() world:events "step" end)
  end)

  it("of world:find are strings", function()
    raises("world:find", function() world:find() end)
    raises("world:find", function() world:find(body) end)
    assert.is_nil(world:find "nobody")
  end)

  it("that name a solver are corrected", function()
    raises("did you mean 'soft'?", function() world.solver = "sofd" end)
    raises("did you mean 'soft'?", function() core.world { solver = "sofd" } end)
    raises("'soft', 'si'", function() core.world { solver = "quantum" } end)
  end)
end)

describe("static, kinematic and particle bodies", function()
  it("refuse forces that they cannot feel", function()
    local world = core.world {}
    for _, kind in ipairs { "static", "kinematic" } do
      local body = world:body { type = kind }
      raises("body:apply_force", function() body:apply_force(1, 0) end)
      raises("body:apply_impulse", function() body:apply_impulse(1, 0) end)
      raises("body:apply_torque", function() body:apply_torque(1) end)
    end
    local particle = world:body { type = "particle" }
    raises("body:apply_torque", function() particle:apply_torque(1) end)
    raises("body:apply_angular_impulse", function() particle:apply_angular_impulse(1) end)
    raises("body.angular_velocity", function() particle.angular_velocity = 1 end)
    assert.equal(0, particle.angle)
  end)
end)

describe("density", function()
  it("is above zero on a dynamic body that lives of it", function()
    local world = core.world {}
    local body = world:body {}
    raises("density", function() body:box { 1, 1, density = -1 } end)
    raises("density", function() body:box { 1, 1, density = 0 } end)
    assert.equal(0, world:counts().shapes)
    world:body({ type = "static" }):box { 1, 1, density = 0 }
    world:body({ mass = 2 }):box { 1, 1, density = 0 }
  end)
end)

describe("polygons", function()
  local body
  before_each(function() body = core.world({}):body {} end)

  local function polygon(...) return body:polygon { points = { ... } } end

  it("with a duplicate point name it", function()
    raises("vertex", polygon, { 0, 0 }, { 1, 0 }, { 1, 0 }, { 0, 1 })
  end)
  it("with collinear points name one", function()
    raises("vertex", polygon, { 0, 0 }, { 1, 0 }, { 2, 0 })
    raises("vertex", polygon, { 0, 0 }, { 1, 0 }, { 2, 0 }, { 1, 1 })
  end)
  it("that cross themselves are refused", function()
    raises("body:polygon", polygon, { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 1 })
    local star = {}
    for i = 0, 4 do star[i + 1] = { math.cos(4 * math.pi * i / 5), math.sin(4 * math.pi * i / 5) } end
    raises("body:polygon", polygon, table.unpack(star))
  end)
  it("of fewer than three points are refused", function()
    raises("body:polygon", polygon)
    raises("body:polygon", polygon, { 0, 0 }, { 1, 0 })
  end)
  it("that are tiny are refused", function()
    raises("body:polygon", polygon, { 0, 0 }, { 1e-9, 0 }, { 0, 1e-9 })
  end)
  it("listed clockwise are the same polygon", function()
    local shape = polygon({ 0, 0 }, { 0, 1 }, { 1, 1 }, { 1, 0 })
    assert.equal(1, shape.area)
    assert.equal(4, #shape:points())
  end)
  it("name the point that is not a pair of numbers", function()
    raises("point 3", polygon, { 0, 0 }, { 1, 0 }, { 0 })
    raises("point 2", polygon, { 0, 0 }, "abc", { 0, 1 })
  end)
  it("that are refused leave no shape", function()
    pcall(polygon, { 0, 0 }, { 1, 0 }, { 2, 0 })
    for _ in body:shapes() do error "a shape" end
  end)
end)

describe("other shapes", function()
  it("refuse sizes that are no sizes", function()
    local body = core.world({}):body {}
    for _, bad in ipairs { 0, -1, nan, inf, 1e308 } do
      raises("body:circle", function() body:circle { radius = bad } end)
      raises("body:box", function() body:box { bad, 1 } end)
      raises("body:box", function() body:box { 1, bad } end)
      raises("body:capsule", function() body:capsule { from = { 0, 0 }, to = { 1, 0 }, radius = bad } end)
    end
    raises("body:box", function() body:box { 1, 1, radius = -1 } end)
    raises("body:segment", function() body:segment { from = { 0, 0 }, to = { 0, 0 } } end)
    raises("body:chain", function() body:chain { points = { { 0, 0 } } } end)
    raises("body:chain", function() body:chain { points = { { 0, 0 }, { 1, 0 } }, loop = true } end)
    raises("body:chain", function() body:chain { points = { { 0, 0 }, { 0, 0 }, { 1, 0 } } } end)
    for _ in body:shapes() do error "a shape" end
  end)
end)

describe("dead handles", function()
  it("answer is_valid, tostring and destroy, and raise for the rest", function()
    local world = core.world {}
    local body = world:body { name = "crate" }
    local shape = body:box { 1, 1, name = "hull" }
    body:destroy()
    body:destroy()
    shape:destroy()
    assert.is_false(body:is_valid())
    assert.is_false(shape:is_valid())
    assert.equal("destroyed body 'crate'", tostring(body))
    assert.equal("destroyed shape 'hull'", tostring(shape))
    for _, entry in ipairs(core.api().body) do
      if entry.kind == "property" then
        raises("attempt to use destroyed body 'crate'", function() return body[entry.name] end)
        if entry.writable then
          raises("destroyed body 'crate'", function() body[entry.name] = body[entry.name] end)
        end
      elseif entry.name ~= "is_valid" and entry.name ~= "destroy" and not entry.options then
        raises("attempt to use destroyed body 'crate'", function() body[entry.name](body, 1, 1) end)
      end
    end
    raises("attempt to use destroyed body 'crate'", function() body:circle { radius = 1 } end)
    raises("attempt to use destroyed body 'crate'", function() body.data = 1 end)
    raises("attempt to use destroyed shape 'hull'", function() return shape.friction end)
    raises("attempt to use destroyed shape 'hull'", function() shape.friction = 1 end)
    raises("attempt to use destroyed shape 'hull'", function() return shape:aabb() end)
  end)

  it("remember a name that was changed", function()
    local body = core.world({}):body { name = "a" }
    body.name = "b"
    body:destroy()
    raises("destroyed body 'b'", function() return body.angle end)
  end)

  it("are not taken for a later object", function()
    local world = core.world {}
    local old = world:body {}
    old:destroy()
    for _ = 1, 100 do
      local new = world:body {}
      assert.is_false(old:is_valid())
      assert.are_not.equal(old, new)
      new:destroy()
    end
  end)

  it("of a destroyed world raise and do not crash", function()
    local world = core.world {}
    local ground = world:body { type = "static" }
    ground:box { 10, 1, center = { 0, -0.5 } }
    local body = world:body { position = { 0, 0.5 } }
    local shape = body:box { 1, 1 }
    world:step()
    local contact, event, handler
    for c in world:contacts() do contact = c end
    for e in world:events "begin_contact" do event = e end
    handler = world:on("step", print)
    local next_body, cursor = world:bodies()
    world:destroy()
    world:destroy()
    for _, object in ipairs { world, body, shape, contact, event, handler } do
      assert.is_false(object:is_valid())
      assert.is_string(tostring(object))
    end
    assert.is_nil(next_body(cursor))
    handler:destroy()
    shape:destroy()
    for _, entry in ipairs(core.api().world) do
      if entry.kind == "property" then
        raises("destroyed world", function() return world[entry.name] end)
      elseif entry.name ~= "is_valid" and entry.name ~= "destroy" then
        raises("destroyed world", function() world[entry.name](world, {}) end)
      end
    end
    raises("contact", function() return contact.count end)
    raises("event", function() return event.speed end)
  end)
end)

describe("contacts and events", function()
  it("raise after the next step", function()
    local world = core.world {}
    local ground = world:body { type = "static" }
    ground:box { 10, 1, center = { 0, -0.5 } }
    world:body({ position = { 0, 0.49 } }):box { 1, 1 }
    world:step()
    local contact, event, id
    for c in world:contacts() do contact, id = c, c.id end
    for e in world:events "begin_contact" do event = e end
    assert.is_true(contact:is_valid() and event:is_valid())
    world:step()
    assert.is_false(contact:is_valid())
    assert.is_false(event:is_valid())
    raises("valid until the next step", function() return contact.count end)
    raises("valid until the next step", function() return contact:normal() end)
    raises("valid until the next step", function() return event.speed end)
    for c in world:contacts() do assert.equal(id, c.id) end
  end)

  it("refuse fields of other kinds and points that are not there", function()
    local world = core.world {}
    world:body({ type = "static" }):circle { radius = 1 }
    world:body({ position = { 0, 1.9 } }):circle { radius = 1 }
    world:step()
    for event in world:events "begin_contact" do
      raises("has no field 'impulse'", function() return event.impulse end)
      raises("has no field 'text'", function() return event.text end)
    end
    for contact in world:contacts() do
      assert.equal(1, contact.count)
      for _, bad in ipairs { 0, 2, 3, -1, 1.5, nan, "1" } do
        raises("contact:point", function() contact:point(bad) end)
      end
    end
  end)
end)

describe("objects of another world", function()
  it("are refused", function()
    local a, b = core.world {}, core.world {}
    for _, world in ipairs { a, b } do
      world:body({ type = "static" }):circle { radius = 1 }
      world:body({ position = { 0, 1.9 } }):circle { radius = 1 }
      world:step()
    end
    local next_event, _, before = a:events "begin_contact"
    raises("another world", function() next_event(b, before) end)
  end)
end)

describe("20 000 random calls, most of them wrong,", function()
  it("raise Lua errors with a position and leave the world whole", function()
    local dice = core.world { seed = 1 }
    local function pick(list) return list[dice:random(#list)] end
    local api = core.api()
    local dead = core.world {}
    local dead_body = dead:body { name = "dead" }
    dead:destroy()
    local world = core.world {}
    world:body({ type = "static" }):box { 10, 1 }
    local gone = world:body {}
    gone:destroy()
    local values = { nan, inf, -inf, 1e308, -1e308, 0, -1, 1, 0.5, 2, "abc", "", "step", "begin_contact", true, false,
                     {}, { 1, 1 }, { radius = 1 }, print, io.stdout, coroutine.create(print), world, gone, dead,
                     dead_body, math.mininteger, math.maxinteger }
    local errors = 0
    for i = 1, tonumber(os.getenv "IMPEL_FUZZ") or 20000 do
      local body = world:body {}
      local shape = body:circle { radius = 0.5 }
      local objects = { world = world, body = pick { body, gone, dead_body }, shape = shape }
      local class = pick { "world", "body", "shape" }
      local object, entry = objects[class], pick(api[class])
      local skip = class == "world" and (entry.name == "destroy" or entry.name == "step" or entry.name == "on")
      if not skip then
        local a, b, c = pick(values), pick(values), pick(values)
        local ok, message = pcall(function()
          if entry.kind == "method" then return object[entry.name](object, a, b, c) end
          if dice:random() < 0.5 then return object[entry.name] end
          object[entry.name] = a
        end)
        if not ok then
          errors = errors + 1
          assert.is_string(message)
          assert.truthy(message:find("%.lua:%d+: "), entry.name .. ": " .. message)
        end
      end
      body:destroy()
      if i % 100 == 0 then
        world.dt = 1 / 60
        world:step()
      end
    end
    assert.is_true(errors > 1000)
    assert.is_true(world:is_valid())
    assert.equal(16, #world.hash)
  end)
end)
