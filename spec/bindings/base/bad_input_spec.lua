-- Every error in a script has file and line, and the world stays valid.
local core = require "impel.core"
local raises = require "support.raises"

local nan, inf = 0 / 0, math.huge

-- Valid arguments of every method, by class and name.
local legal = require "support.legal"

local bad = {
  float = { nan, inf, -inf, "abc", "1", true, {}, print, io.stdout },
  integer = { nan, inf, -inf, 1e308, -1e308, 0.5, "abc", "1", true, {}, print },
  string = { nan, 1, true, {}, print },
  ["function"] = { nan, 1, "abc", true, {} },
  table = { nan, 1, "abc", true, print, io.stdout },
  userdata = { nan, 1, "abc", true, {}, print, io.stdout },
}

-- Options of a field that has the method `set_center` or `set_velocity`; other kinds of fields reject these methods.
local fields = { set_center = { kind = "attractor", strength = 1 }, set_velocity = { kind = "drag", linear = 1 } }

-- A box that touches the ground, and one object of each class.
local function scene(method)
  local world = core.world { auditing = true, materials = { { name = "ice" }, { name = "rubber" } } }
  local ground = world:body({ type = "static", name = "ground" }):box { 10, 1, center = { 0, -0.5 } }
  local body = world:body { name = "crate", position = { 0, 0.49 } }
  local objects = { world = world, body = body, shape = body:box { 1, 1 }, ground = ground }
  world:step()
  for contact in world:contacts() do objects.contact = contact end
  for event in world:events "begin_contact" do objects.event = event end
  objects.field = world:field(fields[method] or { kind = "uniform", force = { 0, 0 } })
  objects.mover = world:mover { position = { -3, 0 } }
  objects.handler = world:on("step", print)
  objects.handler:destroy()
  objects.qp = core.qp(1, 0)
  objects.recording, objects.playback = core.world({}):record "/dev/null", require("support.played").short()
  objects.qp:solve { H = { 1 } } -- the quadratic program has multipliers only after a solution
  return objects
end

describe("a method with parameters", function()
  local api = core.api()
  for class, entries in pairs(api) do
    for _, entry in ipairs(entries) do
      local parameters = entry.signature and entry.signature:gsub(" %->.*", "")
      -- Joints are tested in joints_spec.
      local joints = class == "joint" or class == "coordinate" or entry.signature and entry.signature:find "%-> joint$"
      if class ~= "impel" and parameters and parameters ~= "()" and not joints then
        local name, call = class .. "." .. entry.name, class .. ":" .. entry.name
        it(call .. " refuses wrong arguments and then changes nothing", function()
          assert.is_not_nil(legal[name], "a method without a line in `legal`: " .. name)
          local objects = scene(entry.name)
          local right = type(legal[name]) == "table" and legal[name] or legal[name](objects)
          local object, hash, count = objects[class], objects.world.hash, #right
          local method = object[entry.name]
          for place, good in ipairs(right) do
            for _, wrong in ipairs(bad[math.type(good) or type(good)]) do
              local arguments = { table.unpack(right) }
              arguments[place] = wrong
              raises(call, method, object, table.unpack(arguments, 1, count))
            end
          end
          local optional = parameters:find("[", 1, true)
          local needed = parameters:sub(1, optional):match "%a" and 1 or 0 -- number of required arguments
          for _ in parameters:sub(1, optional):gmatch "," do needed = needed + 1 end
          if parameters:find "^{" then needed = 1 end
          for n = 0, needed - 1 do raises(call, method, object, table.unpack(right, 1, n)) end
          assert.equal(hash, objects.world.hash)
          -- A value that is too large is rejected, or has no effect.
          for place, good in ipairs(right) do
            local arguments = { table.unpack(right) }
            for _, large in ipairs(math.type(good) == "float" and { 1e308, -1e308 } or {}) do
              arguments[place] = large
              local ok, message = pcall(method, object, table.unpack(arguments, 1, count))
              if not ok then assert.truthy(message:find("%.lua:%d+: .*" .. class), message) end
            end
          end
          for _, n in ipairs { needed, count } do method(object, table.unpack(right, 1, n)) end
          objects.world:step()
          assert.equal(16, #objects.world.hash)
          for body in objects.world:bodies() do assert.is_true(body.enabled) end
        end)
      end
    end
  end

  it("has a line in `legal`", function()
    for name in pairs(legal) do
      local class, method = name:match "^(%a+)%.(.*)$"
      local found = false
      for _, entry in ipairs(api[class]) do found = found or entry.name == method and entry.kind == "method" end
      assert.is_true(found, name)
    end
  end)
end)

describe("arguments", function()
  local world, body
  before_each(function()
    world = core.world {}
    body = world:body { name = "crate" }
    body:box { 1, 1 }
  end)

  it("of 1e308 are refused if they would move a body", function()
    raises("body.position of 'crate' must be", function() body:set_position(1e308, 0) end)
    raises("body.velocity of 'crate' must be", function() body:set_velocity(1e308, 0) end)
    for _, name in ipairs { "apply_force", "apply_impulse" } do
      raises("body:" .. name .. " on 'crate': ", function() body[name](body, 1e308, 0) end)
    end
    raises("body:apply_torque on 'crate': ", function() body:apply_torque(1e308) end)
    raises("body:apply_angular_impulse on 'crate': ", function() body:apply_angular_impulse(1e308) end)
    raises("world:set_gravity: ", function() world:set_gravity(0, 1e308) end)
  end)

  it("px and py are refused if only one of them is given", function()
    raises("argument 'py'", function() body:apply_force(1, 0, 1) end)
    raises("argument 'px'", function() body:apply_impulse(1, 0, nil, 1) end)
  end)

  it("of world:step are whole numbers, not negative", function()
    for _, n in ipairs { -1, 0.5, nan, inf, "1", {}, true } do
      raises("world:step: argument 'n'", function() world:step(n) end)
    end
    world:step(0)
    assert.equal(0, world.tick)
  end)

  it("of world:on and world:events are refused if the event is unknown or the handler is not a function", function()
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

  it("that misspell a solver get a suggestion", function()
    raises("did you mean 'soft'?", function() world.solver = "sofd" end)
    raises("did you mean 'soft'?", function() core.world { solver = "sofd" } end)
    raises("'soft', 'si'", function() core.world { solver = "quantum" } end)
  end)
end)

describe("static, kinematic and particle bodies", function()
  it("refuse forces that cannot act on them, and are named", function()
    local world = core.world {}
    local ground, belt = world:body { type = "static", name = "ground" }, world:body { type = "kinematic" }
    raises("body:apply_force on 'ground': forces do not act on a static body", function() ground:apply_force(1, 0) end)
    raises("body:apply_force on body 2: forces do not act on a kinematic body", function() belt:apply_force(1, 0) end)
    for _, body in ipairs { ground, belt } do
      raises("body:apply_impulse on ", function() body:apply_impulse(1, 0) end)
      raises("body:apply_torque on ", function() body:apply_torque(1) end)
    end
    local bead = world:body { type = "particle", name = "bead" }
    raises("body:apply_torque on 'bead': a particle", function() bead:apply_torque(1) end)
    raises("body:apply_angular_impulse on 'bead': a particle", function() bead:apply_angular_impulse(1) end)
    raises("body.angular_velocity of 'bead': a particle does not rotate", function() bead.angular_velocity = 1 end)
    assert.equal(0, bead.angle)
  end)
end)

describe("messages", function()
  local function message_of(f, ...)
    local ok, message = pcall(f, ...)
    assert.is_false(ok)
    return (message:gsub("^.-%.lua:%d+: ", ""))
  end

  it("name the object of the call only once", function()
    local world = core.world {}
    local bead = world:body { type = "particle" }
    local shape = world:body({ name = "crate" }):circle { radius = 1, name = "hull" }
    assert.equal("body.angle of body 1: a particle does not rotate", message_of(function() bead.angle = 1 end))
    assert.truthy(message_of(world.body, world, { position = { 1e308, 0 } }):find "^body%.position must be")
    assert.truthy(message_of(function() world.lanes = 3 end):find "^world%.lanes must be")
    assert.truthy(message_of(function() shape.density = 0 end):find "^shape%.density of 'hull' must be above 0")
    assert.truthy(message_of(shape.body.box, shape.body, { 1, 1, density = 0 })
      :find "^body:box on 'crate': shape%.density must be above 0")
    shape.name = nil
    assert.truthy(message_of(function() shape.density = 0 end):find "^shape%.density of shape 1 must be")
  end)

  it("print integer bounds with all digits", function()
    raises("an integer in [0, 9007199254740991], got -1", function() core.world { seed = -1 } end)
    raises("[-2147483647, 2147483647]", function() core.world({}):body({}):circle { radius = 1, group = 2 ^ 40 } end)
  end)

  it("describe how to set a vector", function()
    local body = core.world({}):body {}
    raises("body:set_velocity(x, y)", function() body.velocity = { 1, 2 } end)
    raises("body:set_position(x, y)", function() body.position = { 1, 2 } end)
  end)

  it("describe the use of an iterator", function()
    local objects = scene()
    local words = "an iterator is for a loop, as in 'for x in body:shapes() do'"
    raises(words, function() return objects.body:shapes()() end)
    raises(words, function() return objects.world:bodies()() end)
    raises(words, function() return objects.world:events("hit")() end)
    raises(words, function() return objects.contact:points()() end)
  end)
end)

describe("density", function()
  it("is above zero on a dynamic body without a given mass", function()
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

  it("with a duplicate point raise an error that names the point", function()
    raises("vertex 3 (1, 0)", polygon, { 0, 0 }, { 1, 0 }, { 1, 0 }, { 0, 1 })
    raises("vertex 4 (0, 0)", polygon, { 0, 0 }, { 1, 0 }, { 1, 1 }, { 0, 0 })
  end)
  it("with collinear points raise an error that names one of these points", function()
    raises("vertex 1 (0, 0)", polygon, { 0, 0 }, { 1, 0 }, { 2, 0 })
    raises("vertex 2 (1, 0)", polygon, { 0, 0 }, { 1, 0 }, { 2, 0 }, { 1, 1 })
  end)
  it("that are concave and fold back on themselves raise an error that names the vertex", function()
    raises("vertex 2 (2, 0)", polygon, { 0, 0 }, { 2, 0 }, { 1, 0 }, { 1, -1 }, { 3, -1 }, { 0, 2 })
  end)
  it("that cross themselves are refused", function()
    raises("edges 1-2 and 3-4 cross", polygon, { 0, 0 }, { 1, 1 }, { 1, 0 }, { 0, 1 })
    local star = {}
    for i = 0, 4 do star[i + 1] = { math.cos(4 * math.pi * i / 5), math.sin(4 * math.pi * i / 5) } end
    raises("body:polygon", polygon, table.unpack(star))
  end)
  it("of fewer than three points are refused", function()
    raises("body:polygon", polygon)
    raises("body:polygon", polygon, { 0, 0 }, { 1, 0 })
  end)
  it("that are tiny are refused", function()
    raises("vertex 2 (1e-09, 0)", polygon, { 0, 0 }, { 1e-9, 0 }, { 0, 1e-9 })
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
  it("refuse invalid sizes", function()
    local body = core.world({}):body {}
    for _, size in ipairs { 0, -1, nan, inf, 1e308 } do
      raises("body:circle", function() body:circle { radius = size } end)
      raises("body:box", function() body:box { size, 1 } end)
      raises("body:box", function() body:box { 1, size } end)
      raises("body:capsule", function() body:capsule { from = { 0, 0 }, to = { 1, 0 }, radius = size } end)
    end
    raises("body:box", function() body:box { 1, 1, radius = -1 } end)
    raises("body:segment", function() body:segment { from = { 0, 0 }, to = { 0, 0 } } end)
    raises("body:chain", function() body:chain { points = { { 0, 0 } } } end)
    raises("body:chain", function() body:chain { points = { { 0, 0 }, { 1, 0 } }, loop = true } end)
    raises("body:chain", function() body:chain { points = { { 0, 0 }, { 0, 0 }, { 1, 0 } } } end)
    raises("at least 2 neighbouring values", function() body:heights { values = {}, spacing = 1 } end)
    raises("at least 2 neighbouring values", function() body:heights { values = { 1, false, 2 }, spacing = 1 } end)
    raises("spacing", function() body:heights { values = { 1, 2 }, spacing = 0 } end)
    for _ in body:shapes() do error "a shape" end
  end)
end)

describe("handles of destroyed objects", function()
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

  it("keep a changed name", function()
    local body = core.world({}):body { name = "a" }
    local shape = body:circle { radius = 1, name = "hull" }
    body.name, shape.name = "b", "skin"
    assert.same({ "b", "skin" }, { body.name, shape.name })
    shape:destroy()
    body:destroy()
    raises("destroyed body 'b'", function() return body.angle end)
    raises("destroyed shape 'skin'", function() return shape.area end)
  end)

  it("do not keep a cleared name", function()
    local body = core.world({}):body { name = "a" }
    local shape = body:circle { radius = 1, name = "hull" }
    body.name, shape.name = nil, nil
    assert.is_nil(body.name or shape.name)
    assert.equal("circle 1", tostring(shape))
    assert.equal("body 1", tostring(body))
    body:destroy()
    assert.equal("destroyed shape", tostring(shape))
  end)

  it("become invalid with a <close> world", function()
    local body
    do
      local world <close> = core.world {}
      body = world:body { name = "crate" }
    end
    assert.is_false(body:is_valid())
    body:destroy()
    assert.equal("destroyed body 'crate'", tostring(body))
    raises("attempt to use destroyed body 'crate'", function() return body:position() end)
  end)

  it("release data when they are destroyed", function()
    local world = core.world {}
    local weak = setmetatable({}, { __mode = "v" })
    local body = world:body { data = {} }
    local shape = body:circle { radius = 1, data = {} }
    weak[1], weak[2] = body.data, shape.data
    body:destroy()
    collectgarbage()
    assert.is_nil(weak[1])
    assert.is_nil(weak[2])
  end)

  it("are unequal to objects that are created afterwards", function()
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
    local objects = scene()
    local world, contact, event = objects.world, objects.contact, objects.event
    local id = contact.id
    assert.is_true(contact:is_valid() and event:is_valid())
    world:step()
    assert.is_false(contact:is_valid())
    assert.is_false(event:is_valid())
    raises("valid until the next step", function() return contact.count end)
    raises("valid until the next step", function() return contact:normal() end)
    raises("valid until the next step", function() return event.speed end)
    for c in world:contacts() do assert.equal(id, c.id) end
    assert.is_true(contact:is_valid()) -- world:contacts() made `contact` valid again, because the contact still exists
  end)

  it("refuse fields that their kind of event lacks, and indices of points that do not exist", function()
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
      for _, i in ipairs { 0, 2, 3, -1, 1.5, nan, "1" } do
        raises("contact:point", function() contact:point(i) end)
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

describe("20 000 calls with random arguments (a million in make fuzz)", function()
  local SCENE = 200 -- number of calls after which a new scene is built
  local api = core.api()
  local classes = {}
  for class in pairs(api) do
    if class ~= "impel" then classes[#classes + 1] = class end
  end
  table.sort(classes)

  -- A world with an object of each class, some of them destroyed.
  local function furnish(seed)
    local world = core.world { seed = seed, materials = { { name = "ice" } } }
    world:body({ type = "static" }):box { 10, 1 }
    local body, other, gone = world:body { position = { 0, 0.9 } }, world:body { position = { 3, 3 } }, world:body {}
    local gone_shape = gone:circle { radius = 1 }
    local gone_joint = world:weld(world.ground, gone, {})
    local gone_field = world:field { kind = "uniform", force = { 0, 0 } }
    local shape = body:circle { radius = 0.5, material = "ice" }
    local objects = { world = world, body = body, shape = shape, joint = world:revolute(other, body, {}),
      field = world:field { kind = "drag", linear = 1 }, mover = world:mover { position = { -3, 0 } },
      handler = world:on("wake", function() end), qp = core.qp(2, 1),
      recording = world:record "/dev/null", playback = require("support.played").short() }
    objects.coordinate = objects.joint:coordinate(seed % 3 + 1)
    gone:destroy()
    gone_field:destroy()
    world:step()
    for contact in world:contacts() do objects.contact = contact end
    for event in world:events "begin_contact" do objects.event = event end
    for row in world:rows() do objects.row = row end
    return objects, { body = gone, shape = gone_shape, joint = gone_joint, field = gone_field, ground = world.ground }
  end

  -- Return whether to leave out a call: many steps take too long, and any text is a valid file name.
  local function is_left_out(class, entry, first)
    if class ~= "world" then return class == "playback" and entry.name == "save" and type(first) == "string" end
    return (entry.name == "save" or entry.name == "record") and type(first) == "string"
      or entry.name == "step" and math.type(first) == "integer" and first > 2
  end

  it("raise Lua errors with a position and leave the world valid", function()
    local dice = core.world { seed = 1 }
    local function pick(list) return list[dice:random(#list)] end
    local dead = core.world {}
    local dead_body = dead:body { name = "dead" }
    dead:destroy()
    local stranger = furnish(1)
    local called, objects, gone, values, errors = {}, nil, nil, nil, 0
    local function renew(seed)
      objects, gone = furnish(seed)
      values = { nan, inf, -inf, 1e308, -1e308, 0, -1, 1, 0.5, 2, "abc", "", "step", "begin_contact", true, false, {},
        { 1, 1 }, { radius = 1 }, type, function() end, function() error "poison" end, io.stdout,
        coroutine.create(print), dead, dead_body, math.mininteger, math.maxinteger, stranger.body, stranger.joint,
        { speed = 1 }, { target = 1 }, { stiffness = 1 }, { joint1 = objects.joint, joint2 = objects.joint } }
      for _, list in ipairs { objects, gone } do
        for _, object in pairs(list) do values[#values + 1] = object end
      end
    end
    for i = 0, (tonumber(os.getenv "IMPEL_FUZZ") or 20000) - 1 do
      if i % SCENE == 0 or not objects.world:is_valid() then renew(i) end
      local class = pick(classes)
      local object, entry = objects[class], pick(api[class])
      if gone[class] and dice:random() < 0.1 then object = gone[class] end
      local n, given = dice:random(0, 6), {}
      for k = 1, n do given[k] = pick(values) end
      if not is_left_out(class, entry, given[1]) then
        called[class .. "." .. entry.name] = true
        local ok, message = pcall(function()
          if entry.kind == "method" then return object[entry.name](object, table.unpack(given, 1, n)) end
          if dice:random() < 0.5 then return object[entry.name] end
          object[entry.name] = given[1]
        end)
        if not ok then
          errors = errors + 1
          assert.is_string(message)
          assert.truthy(message:find("%.lua:%d+: "), class .. "." .. entry.name .. ": " .. message)
        end
      end
      local world = objects.world
      if i % 20 == 19 and world:is_valid() then
        pcall(function() world.dt, world.fault = 1 / 60, "quarantine" end)
        pcall(world.step, world) -- ignore errors that handlers raise
        assert.equal(16, #world.hash)
      end
    end
    assert.is_true(errors > 1000)
    for class, entries in pairs(api) do
      for _, entry in ipairs(class ~= "impel" and entries or {}) do
        assert.is_true(called[class .. "." .. entry.name], class .. "." .. entry.name .. " was never called")
      end
    end
  end)
end)
