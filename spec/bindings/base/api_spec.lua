-- The properties, methods and constructors in core.api() check their values, and name the wrong one in the error.
local core = require "impel.core"
local played = require "support.played"
local raises = require "support.raises"
local copy = require "support.with"
local api = core.api()

local nan, inf = 0 / 0, math.huge
-- Valid options of each constructor.
local options_for = {
  on = {}, snapshot = {}, state = {}, record = {},
  circle = { radius = 0.5 },
  box = { 1, 1 },
  polygon = { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } },
  capsule = { from = { -0.5, 0 }, to = { 0.5, 0 }, radius = 0.2 },
  segment = { from = { -0.5, 0 }, to = { 0.5, 0 } },
  chain = { points = { { 1, 0 }, { 0, 0 }, { -1, 0 } } },
  heights = { values = { 0, 1, 0 }, spacing = 1 },
  body = {}, world = {}, export = {}, material = {}, mix = {}, mover = {}, set_look = {},
}

-- Arguments of a constructor before its option table.
local names_for = { record = { "/dev/null" },
  material = { "ice" }, mix = { "ice", "ice" }, on = { "step", function() end }, state = { {} },
}

-- A world in which a box touches the ground, and an object of each class.
local function fresh()
  local world = core.world { solver = "si" }
  local ground = world:body { type = "static" }
  ground:box { 10, 1, center = { 0, -0.5 } }
  -- The mass is given, so the density of a shape may be 0.
  local body = world:body { position = { 0, 0.49 }, velocity = { 0, -3 }, mass = 1 }
  local shape = body:box { 1, 1 }
  world:step()
  local event, contact
  for e in world:events "begin_contact" do event = e end
  for c in world:contacts() do contact = c end
  return { world = world, body = body, shape = shape, event = event, contact = contact,
           handler = world:on("step", function() end), qp = core.qp(2, 1), mover = core.world({}):mover {},
           recording = core.world({}):record "/dev/null", playback = played.short() }
end

local function each(class, kind, f)
  for _, entry in ipairs(api[class]) do
    if entry.kind == kind then f(entry) end
  end
end

local function has_field(event, entry)
  if not entry.events then return true end
  for _, kind in ipairs(entry.events) do
    if kind == event.kind then return true end
  end
  return false
end

local bad_values = {
  number = { nan, inf, -inf, "abc", "1", true, {}, print },
  integer = { nan, inf, -inf, 1.5, "1", true, {}, print },
  boolean = { 0, 1, "true", nan, {}, print },
  string = { 1, true, {}, print, "a\0b" }, -- nil is not in the list, because it clears a name
  choice = { 1, true, {}, print, "no such word", "" },
  vector = { nan, 1, "abc", true, {}, { 1 }, { 1, nan }, { inf, 0 }, { 0, "1" }, { 1, 2, 3 }, { x = 1 },
             { 1, 2, z = 3 } },
  points = { nan, 1, "abc", true, { 1, 2 }, { { 0, 0 }, { 1, nan }, { 1, 1 } }, { { 0, 0 }, { 1 }, { 0, 1 } } },
  holes = { nan, 1, "abc", true, { 1 }, { { 1, 2 } }, { { { 0, 0 }, { 1, nan }, { 1, 1 } } } },
  heights = { nan, 1, "abc", true, { 1, nan }, { 1, inf }, { 1, "2" }, { 1, true }, { 1, {} } },
  bits = { nan, inf, 1.5, "1", true, {} },
  any = {},
  color = { nan, 1.5, "abc", true, {}, print },
  look = { nan, 1, "abc", true, { 1 }, { nonsense = 1 }, { color = "nonsense" } },
  list = { nan, 1, "abc", true, { 1 }, { {} }, { { nonsense = 1 } } },
  ["function"] = { 1, "abc", true, {}, nan }, -- nil is not in the list, because it removes a function
}

-- Return the double next to x in the given direction.
local function next_to(x, upwards)
  if x == 0 then return upwards and 5e-324 or -5e-324 end
  local bits = string.unpack("<i8", string.pack("<d", x))
  return (string.unpack("<d", string.pack("<i8", bits + ((x > 0) == upwards and 1 or -1))))
end

-- Check that f(number) rejects the nearest numbers outside of the bounds of option or property `of`, and that the
-- message gives the rejected number and the bound exactly.
local function check_bounds(of, f)
  if of.type ~= "number" and of.type ~= "integer" then return end
  for _, end_of in ipairs { { of.lower, false }, { of.upper, true } } do
    local bound, upwards = table.unpack(end_of)
    if math.abs(bound) < 1e300 then
      local outside = of.type == "integer" and math.tointeger(bound) + (upwards and 1 or -1) or next_to(bound, upwards)
      local ok, message = pcall(f, outside)
      assert.is_false(ok, ("%s takes %.17g"):format(of.name, outside))
      assert.equal(outside, tonumber(message:match "got (%S+)$"), message)
      local range = message:match "%.lua:%d+: (.-),? got "
      local told
      for number in range:gmatch "%-?%d[%d.e+-]*" do told = told or tonumber((number:gsub("%.$", ""))) == bound end
      assert.is_true(told, message)
    end
  end
end

describe("the reference", function()
  it("names no source files, which are absent in an installed program", function()
    local impel = require "impel"
    local modules = require "impel.reference.module"
    local texts = { api = require("impel.reference.api").text() }
    for _, name in ipairs(modules.names()) do texts[name] = modules.text(name) end
    assert.truthy(impel and texts.motor:find("torque", 1, true))
    for name, text in pairs(texts) do
      for _, wrong in ipairs { "README", "core/%l", "bindings/%l", "impel/[%l_]+%.lua" } do
        assert.is_nil(text:find(wrong), name .. ": " .. wrong)
      end
    end
  end)

  it("names each kind of row that a joint has", function()
    local doc
    for _, entry in ipairs(api.row) do doc = entry.name == "kind" and entry.doc or doc end
    local world = core.world { solver = "si" }
    local body = world:body { mass = 1, inertia = 1 }
    local joint = world:revolute(world.ground, body, { armature = 1, damping = 1, friction = 1, limit = { -1, 1 },
      motor = { speed = 1, max_force = 1 } })
    world:step()
    local count = 0
    for row in joint:rows() do
      count = count + 1
      assert.truthy(doc:find('"' .. row.kind .. '"', 1, true), row.kind)
    end
    assert.is_true(count >= 6, count)
  end)

  it("documents the energy balance", function()
    for _, entry in ipairs(api.world) do
      if entry.name == "energy" then assert.matches("world:audit.*coordinate.work", entry.doc) end
      if entry.name == "residual" then assert.matches("has not stalled.*open: number of joints", entry.doc) end
    end
  end)

  it("documents the order of handlers", function()
    for _, name in ipairs { "motor", "law", "pd" } do
      local text = require("impel.reference.module").text(name)
      assert.matches("in the order in which they were\n? *registered", text)
      assert.matches("one%s+substep%s+%(?[or step)]*%s*later", text)
    end
  end)
end)

describe("the registration tables", function()
  it("document every entry", function()
    for class, entries in pairs(api) do
      for _, entry in ipairs(entries) do
        local name = class .. "." .. entry.name
        assert.is_string(entry.doc, name)
        if entry.kind == "method" then
          assert.is_string(entry.signature, name)
        else
          assert.is_string(entry.type, name)
          assert.is_boolean(entry.writable, name)
        end
      end
    end
  end)

  it("name each entry once", function()
    for class, entries in pairs(api) do
      local seen = {}
      for _, entry in ipairs(entries) do
        assert.is_nil(seen[entry.name], class .. "." .. entry.name)
        seen[entry.name] = true
      end
    end
  end)
end)

for _, class in ipairs { "world", "body", "shape", "contact", "event", "handler", "qp", "recording", "playback",
                      "mover" } do -- fields: field_spec
  describe("class " .. class, function()
    local object
    before_each(function() object = fresh()[class] end)

    it("reads every property with its type", function()
      local types = { number = "number", integer = "number", bits = "number", boolean = "boolean",
        choice = "string" }
      each(class, "property", function(entry)
        if class == "event" and not has_field(object, entry) then
          raises(entry.name, function() return object[entry.name] end)
        else
          local value = object[entry.name]
          local expected = types[entry.type]
          local none = entry.optional and value == nil
          if expected and not none then assert.equal(expected, type(value), entry.name) end
          if entry.type == "integer" or entry.type == "bits" then
            assert.equal("integer", math.type(value), entry.name)
          end
        end
      end)
    end)

    it("has every method", function()
      each(class, "method", function(entry) assert.is_function(object[entry.name], entry.name) end)
    end)

    it("refuses to set read-only properties", function()
      each(class, "property", function(entry)
        if not entry.writable then
          raises(class == "event" and "" or "read-only", function() object[entry.name] = 1 end)
        end
      end)
    end)

    it("refuses to set a method", function()
      each(class, "method", function(entry) raises(entry.name, function() object[entry.name] = 1 end) end)
    end)

    it("writes and reads back the bounds of every writable property", function()
      each(class, "property", function(entry)
        if not entry.writable or not entry.lower or class == "contact" then return end -- contacts: pre_solve_spec
        local target = fresh()[class]
        if entry.type == "boolean" then
          target[entry.name] = false
          assert.equal(false, target[entry.name], entry.name)
          target[entry.name] = true
          assert.equal(true, target[entry.name], entry.name)
        else
          for _, bound in ipairs { entry.lower, entry.upper } do
            target[entry.name] = bound
            -- The core stores an inverse or a product, so allow for rounding.
            local error_allowed = 1e-9 * math.abs(bound)
            assert.is_true(math.abs(target[entry.name] - bound) <= error_allowed, entry.name .. " at " .. bound)
          end
        end
      end)
    end)

    it("refuses bad values for every writable property and keeps the old one", function()
      each(class, "property", function(entry)
        if not entry.writable then return end
        local values = copy(bad_values[entry.type])
        if entry.type == "number" or entry.type == "integer" then
          if entry.upper < 1e308 then values[#values + 1] = 1e308 end
          if entry.lower > -1e308 then values[#values + 1] = -1e308 end
        end
        local before = object[entry.name]
        for _, value in ipairs(values) do
          raises(class .. "." .. entry.name, function() object[entry.name] = value end)
        end
        if entry.type ~= "any" and entry.type ~= "function" and not entry.optional then
          raises(class .. "." .. entry.name, function() object[entry.name] = entry.type == "string" and 1 or nil end)
        end
        assert.equal(before, object[entry.name], entry.name)
      end)
    end)

    it("has messages with the bounds of every writable property", function()
      each(class, "property", function(entry)
        if not entry.writable or not entry.lower then return end
        check_bounds(entry, function(value) object[entry.name] = value end)
      end)
    end)

    it("suggests the nearest name", function()
      each(class, "property", function(entry)
        if #entry.name < 4 then return end
        local typo = entry.name:sub(1, -3) .. entry.name:sub(-1) -- leave out the last letter but one
        local ok, message = pcall(function() return object[typo] end)
        assert.is_false(ok, typo)
        assert.truthy(message:find("did you mean", 1, true) or message:find("in impel", 1, true), message)
      end)
      raises("unknown field 'qqqqqqqq' on " .. class, function() return object.qqqqqqqq end)
      raises("unknown field 'qqqqqqqq' on " .. class, function() object.qqqqqqqq = 1 end)
      raises(class, function() return object[1] end)
      raises(class, function() return object[{}] end)
    end)

    it("refuses a receiver of another class", function()
      each(class, "method", function(entry)
        local method = object[entry.name]
        for _, receiver in ipairs { 1, "abc", {}, print, io.stdout, coroutine.create(print) } do
          raises("a " .. class .. " is expected", function() method(receiver) end)
        end
        raises("a " .. class .. " is expected", function() method() end)
      end)
      local others = fresh()
      for other_class, other in pairs(others) do
        if other_class ~= class then
          each(class, "method", function(entry)
            raises("a " .. class .. " is expected", function() object[entry.name](other) end)
          end)
        end
      end
    end)

    it("prints itself and hides its metatable", function()
      assert.is_string(tostring(object))
      assert.equal(class, getmetatable(object))
      assert.is_false(pcall(setmetatable, object, {}))
    end)
  end)
end

describe("option tables", function()
  -- List every constructor with an option table: { class, entry, where }. `where`: its name in messages.
  local function constructors()
    local list = {}
    for _, class in ipairs { "impel", "world", "body" } do
      for _, entry in ipairs(api[class]) do
        -- Joints are tested in joints_spec, fields in field_spec.
        if entry.options and not entry.signature:find "%-> joint$" and not entry.signature:find "%-> field$" then
          local where = (class == "impel" and "impel." or class .. ":") .. entry.name
          list[#list + 1] = { class = class, entry = entry, where = where }
        end
      end
    end
    return list
  end

  local function call(constructor, options)
    local name = constructor.entry.name
    if constructor.class == "impel" then return core[name](options) end
    local object = fresh()[constructor.class]
    if name == "mix" then object:material("ice", {}) end
    local arguments = { table.unpack(names_for[name] or {}) }
    arguments[#arguments + 1] = options
    return object[name](object, table.unpack(arguments))
  end

  it("exist for every constructor in options_for", function()
    local names = {}
    for _, constructor in ipairs(constructors()) do names[constructor.entry.name] = true end
    for name in pairs(options_for) do assert.is_true(names[name], name) end
  end)

  it("refuse bad values of every option, by name", function()
    for _, constructor in ipairs(constructors()) do
      for _, option in ipairs(constructor.entry.options) do
        local values = copy(bad_values[option.type])
        if option.type == "number" or option.type == "integer" then
          if option.upper < 1e308 then values[#values + 1] = 1e308 end
          if option.lower > -1e308 then values[#values + 1] = -1e308 end
        end
        for _, value in ipairs(values) do
          local options = copy(options_for[constructor.entry.name])
          local box = constructor.entry.name == "box"
          if box and option.name == "width" then options[1] = nil end
          if box and option.name == "height" then options = { 1 } end
          options[option.name] = value
          raises("field '" .. option.name .. "'", call, constructor, options)
        end
      end
    end
  end)

  -- Return complete options in which `option` has `value`. If `option` can be given by position, the other position has
  -- a valid value.
  local function options_with(constructor, option, value)
    local options = option.position and { [3 - option.position] = 1 } or copy(options_for[constructor.entry.name])
    options[option.name] = value
    return options
  end

  it("have messages with the bounds of every option", function()
    for _, constructor in ipairs(constructors()) do
      for _, option in ipairs(constructor.entry.options) do
        check_bounds(option, function(value)
          return call(constructor, options_with(constructor, option, value))
        end)
      end
    end
  end)

  it("accept the smallest size of each range", function()
    for _, constructor in ipairs(constructors()) do
      for _, option in ipairs(constructor.entry.options) do
        if constructor.class == "body" and option.type == "number" and option.unit == "m" then
          call(constructor, options_with(constructor, option, option.lower))
        end
      end
    end
  end)

  it("refuse 1e308 as a coordinate or size", function()
    for _, constructor in ipairs(constructors()) do
      for _, option in ipairs(constructor.entry.options) do
        local value
        if option.type == "vector" then value = { 1e308, 0 } end
        if option.type == "points" then value = { { 0, 0 }, { 1e308, 0 }, { 0, 1 } } end
        if value and option.name ~= "one_way" then
          local options = copy(options_for[constructor.entry.name])
          options[option.name] = value
          -- The message has the name of the call if the binding finds the error, and "body.position" if the core does.
          local property = constructor.entry.name .. "." .. option.name .. " must be"
          local ok, message = pcall(call, constructor, options)
          assert.is_false(ok, constructor.where .. " " .. option.name)
          assert.truthy(message:find(constructor.where, 1, true) or message:find(property, 1, true), message)
        end
      end
    end
  end)

  it("name missing fields", function()
    for _, constructor in ipairs(constructors()) do
      for _, option in ipairs(constructor.entry.options) do
        if option.required then
          local options = copy(options_for[constructor.entry.name])
          options[option.name] = nil
          if option.name == "width" then options = { height = 1 } end
          if option.name == "height" then options = { width = 1 } end
          raises("field '" .. option.name .. "' is missing", call, constructor, options)
        end
      end
    end
  end)

  it("name the nearest key for an unknown one", function()
    for _, constructor in ipairs(constructors()) do
      for _, option in ipairs(constructor.entry.options) do
        if #option.name >= 4 then
          local options = copy(options_for[constructor.entry.name])
          local typo = option.name:sub(1, -3) .. option.name:sub(-1)
          options[typo] = 1
          raises(("bad field '%s' in %s (did you mean '"):format(typo, constructor.where), call, constructor, options)
        end
      end
      local options = copy(options_for[constructor.entry.name])
      options.qqqqqqqq = 1
      raises("bad field 'qqqqqqqq' in " .. constructor.where, call, constructor, options)
      raises("bad field", call, constructor, { [7] = 1 })
      raises("bad field", call, constructor, { [print] = 1 })
    end
  end)

  it("are required", function()
    for _, constructor in ipairs(constructors()) do
      local optional = constructor.entry.signature:find "%[, {" or constructor.entry.signature:find "%(%["
      if not optional then raises("table of options", call, constructor, nil) end
      raises("table of options", call, constructor, 1)
    end
  end)

  it("name a misspelled key and the nearest one", function()
    local body = fresh().body
    raises("bad field 'densty' in body:box (did you mean 'density'?)", function() body:box { 1, 1, densty = 2 } end)
  end)

  it("take width and height by position or by name, not both", function()
    local body = fresh().body
    assert.equal(6, body:box({ 2, 3 }).area)
    assert.equal(6, body:box({ width = 2, height = 3 }).area)
    raises("given twice", function() body:box { 1, 1, width = 1 } end)
  end)

  it("take a vector as { x, y } or by names", function()
    local world = core.world { gravity = { x = 1, y = 2 } }
    local x, y = world:gravity()
    assert.same({ 1, 2 }, { x, y })
  end)
end)

describe("category and mask", function()
  it("have all 64 bits, in the constructor, the setter and the getter", function()
    local body = core.world({}):body {}
    local plain = body:circle { radius = 1 }
    local function is(value, bits) return math.type(value) == "integer" and value == math.tointeger(bits) end
    assert.same({ 1, -1 }, { plain.category, plain.mask })
    for _, bits in ipairs { 0, 1, -1, ~2, 1 << 60, 1 << 63, math.maxinteger, 0xffffffffffffffff, 2.0 ^ 53, -3.0 } do
      local given = body:circle { radius = 1, category = bits, mask = ~math.tointeger(bits) }
      plain.category, plain.mask = bits, ~math.tointeger(bits)
      for _, shape in ipairs { given, plain } do
        assert.is_true(is(shape.category, bits) and is(shape.mask, ~math.tointeger(bits)))
        shape.category, shape.mask = shape.category, shape.mask
        assert.is_true(is(shape.category, bits) and is(shape.mask, ~math.tointeger(bits)))
      end
    end
    plain.mask = "0xFFFFFFFFFFFFFFFF"
    assert.equal(-1, plain.mask)
    plain.mask = "0x8000000000000001"
    assert.equal(1 << 63 | 1, plain.mask)
    assert.equal(1 << 63 | 1, body:circle({ radius = 1, mask = plain.mask }).mask)
    for _, text in ipairs { "", "0x", "12", "0x10000000000000000", "0x 1", "0xg", "0x1\0" } do
      raises("0x", function() plain.mask = text end)
    end
    plain.mask = 2.0 ^ 63 -- a whole number above the largest integer of Lua
    assert.equal(1 << 63, plain.mask)
    raises("at most 64 bits", function() plain.mask = 2.0 ^ 64 end)
  end)

  it("decide at once which shapes collide", function()
    local world = core.world { gravity = { 0, 0 } }
    local a = world:body({}):circle { radius = 1, category = 1 << 63 }
    local b = world:body({ position = { 1.5, 0 } }):circle { radius = 1, mask = ~(1 << 63) }
    world:step()
    assert.is_nil(world:contacts()(select(2, world:contacts())))
    b.mask = 1 << 63
    a.mask = b.category
    world:step()
    assert.equal(a, world:contacts()(select(2, world:contacts())).shape_a)
  end)
end)

describe("objects", function()
  it("are the same userdata from every access", function()
    local world = core.world {}
    local body = world:body { name = "crate" }
    local shape = body:circle { radius = 1 }
    assert.is_true(rawequal(body, world:find "crate"))
    assert.is_true(rawequal(body, shape.body))
    for other in world:bodies() do assert.is_true(rawequal(body, other)) end
    for other in body:shapes() do assert.is_true(rawequal(shape, other)) end
    local seen = { [body] = 1, [shape] = 2 }
    collectgarbage()
    assert.equal(1, seen[shape.body])
  end)

  it("keep data while they live, also without a reference", function()
    local world = core.world {}
    world:body({ name = "a", data = { 1 } }):circle { radius = 1, data = "skin" }
    world:find("a").data.more = true
    collectgarbage()
    collectgarbage()
    assert.same({ 1, more = true }, world:find("a").data)
    for shape in world:find("a"):shapes() do assert.equal("skin", shape.data) end
  end)

  it("keep their world alive", function()
    local body = core.world({}):body { position = { 1, 2 } }
    collectgarbage()
    collectgarbage()
    assert.is_true(body:is_valid())
    assert.equal(1, (body:position()))
  end)

  it("are collected if they are worlds without references", function()
    local weak = setmetatable({}, { __mode = "k" })
    for _ = 1, 10 do weak[core.world {}] = true end
    collectgarbage()
    collectgarbage()
    assert.is_nil(next(weak))
  end)
end)

describe("iterators", function()
  it("visit in creation order the objects that existed when the loop began", function()
    local world = core.world {}
    for i = 1, 40 do world:body { data = i } end
    local seen = {}
    for body in world:bodies() do
      seen[#seen + 1] = body.data
      if #seen <= 40 then world:body { data = 100 } end
    end
    assert.equal(40, #seen)
    for i = 1, 40 do assert.equal(i, seen[i]) end
  end)

  it("continue when objects are destroyed during the loop, and skip those", function()
    local world = core.world {}
    local bodies = {}
    for i = 1, 10 do bodies[i] = world:body { data = i } end
    local seen = {}
    for body in world:bodies() do
      seen[#seen + 1] = body.data
      if body.data % 2 == 1 then
        bodies[body.data + 1]:destroy()
        body:destroy()
      end
    end
    assert.same({ 1, 3, 5, 7, 9 }, seen)
    assert.equal(0, world:counts().bodies)
  end)

  it("nest", function()
    local world = core.world {}
    for _ = 1, 5 do world:body {} end
    local pairs_seen = 0
    for _ = 1, 2 do
      for _ in world:bodies() do
        for _ in world:bodies() do pairs_seen = pairs_seen + 1 end
      end
    end
    assert.equal(50, pairs_seen)
  end)

  it("give the points of a contact", function()
    local objects = fresh()
    local contact = objects.contact
    local n = 0
    for i, x, y, separation, normal_impulse in contact:points() do
      n = n + 1
      assert.equal(n, i)
      assert.same({ x, y, separation, normal_impulse }, { select(1, contact:point(i)), select(2, contact:point(i)),
                    select(3, contact:point(i)), (select(4, contact:point(i))) })
    end
    assert.equal(contact.count, n)
  end)

  it("of joints are empty without joints", function()
    local objects = fresh()
    for _ in objects.world:joints() do error "a joint" end
    for _ in objects.body:joints() do error "a joint" end
  end)
end)

describe("world:random", function()
  it("has the semantics of math.random", function()
    local world = core.world { seed = 7 }
    for _ = 1, 1000 do
      local u = world:random()
      assert.is_true(u >= 0 and u < 1)
      local die = world:random(6)
      assert.is_true(math.type(die) == "integer" and die >= 1 and die <= 6)
      local k = world:random(-3, 3)
      assert.is_true(k >= -3 and k <= 3)
    end
    assert.equal(5, world:random(5, 5))
    assert.equal("integer", math.type(world:random(0)))
    assert.equal("integer", math.type(world:random(math.mininteger, math.maxinteger)))
    raises("empty", function() world:random(3, 2) end)
    raises("empty", function() world:random(-1) end)
    raises("integer", function() world:random(1.5) end)
  end)

  it("gives equal numbers for equal seeds, and others for another seed", function()
    local a, b, c = core.world { seed = 7 }, core.world { seed = 7 }, core.world { seed = 8 }
    local x, y, z = a:random(0), b:random(0), c:random(0)
    assert.equal(x, y)
    assert.not_equal(x, z)
  end)
end)

describe("reports", function()
  it("fill the given table", function()
    local world = fresh().world
    for _, name in ipairs { "counts", "profile", "residual" } do
      local t = {}
      assert.equal(t, world[name](world, t))
      assert.truthy(next(t))
      raises("table to fill", function() world[name](world, 1) end)
    end
    assert.equal(2, world:counts().bodies)
    assert.is_true(world:counts().lua_bytes > 0)
    assert.is_true(world:profile().step >= 0)
  end)

  it("give the hash as 16 hex digits", function()
    local hash = fresh().world.hash
    assert.truthy(hash:find("^%x+$"))
    assert.equal(16, #hash)
    assert.equal(hash, fresh().world.hash)
  end)
end)

describe("getters", function()
  it("make no garbage: 10^4 steps with 1000 calls each, and handlers", function()
    local objects = fresh()
    local world, body, shape = objects.world, objects.body, objects.shape
    body.allow_sleep = false
    local counts, hits, sum = {}, 0, 0
    local bouncer = world:body { position = { 3, 1 }, allow_sleep = false }
    bouncer:circle { radius = 0.5, restitution = 1, restitution_threshold = 0 }
    world:on("begin_contact", function(e) hits = hits + e.speed end)
    world:on("substep", function(h) sum = sum + h end)
    local function frame()
      world:step()
      for _ = 1, 100 do
        local x, y = body:position()
        local vx = body:velocity()
        sum = sum + x + y + vx + body.angle + body.mass + shape.friction + world.time + world.tick
        if body.awake and body.type == "dynamic" and shape.body == body then sum = sum + 1 end
        sum = sum + (body:world_point(1, 0)) + (world:energy())
      end
      for contact in world:contacts() do sum = sum + contact.count end
      for other in world:bodies() do sum = sum + other.angle end
      for event in world:events "begin_contact" do sum = sum + event.x end
      world:counts(counts)
    end
    for _ = 1, 1000 do frame() end -- pools and tables reach their final sizes
    collectgarbage()
    collectgarbage "stop"
    -- The garbage collection has shrunk the stack and the pools, so let both grow again before measuring.
    for _ = 1, 1000 do frame() end
    local before = collectgarbage "count"
    for _ = 1, 10000 do frame() end
    local after = collectgarbage "count"
    collectgarbage "restart"
    assert.is_true(hits > 0)
    assert.equal(before, after)
  end)
end)

describe("the module", function()
  it("may be opened again", function()
    local path = package.searchpath("impel.core", package.cpath)
    if path then
      local open = assert(package.loadlib(path, "luaopen_impel_core"))
      assert.equal(core, open())
      assert.equal(core, open())
    end
  end)

  it("has deterministic functions and a version", function()
    assert.truthy(core.version:find("^%d+%.%d+%.%d+$"))
    assert.is_true(math.abs(core.math.sin(1)^2 + core.math.cos(1)^2 - 1) < 1e-15) -- the two squares are rounded
    assert.equal(math.pi / 2, core.math.atan2(1, 0))
    assert.equal(0.0, core.math.log(core.math.exp(0)))
    assert.equal(1024.0, core.math.pow(2, 10))
  end)
end)
