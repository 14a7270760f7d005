-- Call every method and set every property in core.api() with wrong values, also from callbacks. Each call works, or
-- raises and changes nothing.
local core = require "impel.core"
local legal = require "support.legal"

local api = core.api()
local nan, inf = 0 / 0, math.huge

-- Options of a field that has the property `center` or `velocity`; most kinds of fields have neither.
local fields = { center = { kind = "attractor", strength = 1 }, velocity = { kind = "drag", linear = 1 } }

-- Build a box on the ground, joints, and one object of each class. `places`: name of a callback -> function that the
-- callback runs once.
local function scene(name)
  local places = {}
  local function visit(place)
    return function()
      local f = places[place]
      places[place] = nil
      if f then f() end
    end
  end
  local world = core.world { materials = { { name = "ice" }, { name = "rubber" } } }
  local floor = world:body { type = "static", name = "ground" }
  local ground = floor:box { 20, 1, center = { 0, -0.5 } }
  local body = world:body { name = "crate", position = { 0, 0.499 } }
  local shape = body:box { 1, 1, material = "ice" }
  local other = world:body { position = { 4, 3 }, name = "other" }
  other:circle { radius = 0.5 }
  local objects = { world = world, body = body, shape = shape, ground = ground, floor = floor, places = places }
  objects.joint = world:revolute(world.ground, other, { anchor = { 4, 4 } })
  objects.second = world:revolute(world.ground, world:body { position = { 6, 3 } }, { anchor = { 6, 4 } })
  objects.slider = world:prismatic(world.ground, world:body { position = { 8, 3 } }, { axis = { 1, 0 } })
  objects.coordinate = objects.joint:coordinate "angle"
  objects.field = world:field(fields[name:match "%a+$"] or { kind = "uniform", force = { 0, 0 } })
  objects.mover = world:mover { position = { -3, 0 } }
  world:step()
  for contact in world:contacts() do objects.contact = contact end
  for event in world:events "begin_contact" do objects.event = event end
  for row in world:rows() do objects.row = row end
  objects.handler = world:on("wake", function() end)
  objects.qp = core.qp(1, 0)
  objects.recording, objects.playback = core.world({}):record "/dev/null", require("support.played").short()
  objects.qp:solve { H = { 1 } }
  -- Callbacks that call the function in `places`.
  world:on("step", visit "step")
  world:on("substep", visit "substep")
  world:on("sleep", visit "sleep")
  world:on("pre_solve", visit "pre_solve")
  world:body({ position = { -6, 0.499 } }):circle { radius = 0.5, pre_solve = true }
  local filtered = world:body { position = { 0, 5 }, velocity = { 0, -1 } }
  filtered:circle { radius = 0.5, filter = function()
    visit "filter"()
    return true
  end }
  local judged = world:body { type = "static", position = { 0, 4 } }
  judged:circle { radius = 0.49 }
  local asleep = world:body { position = { -8, 5 }, gravity_scale = 0 }
  asleep:circle { radius = 0.1 }
  local held = world:body { position = { 12, 3 } }
  world:constraint(held, { dynamic = true, C = function(a)
    visit "dynamic"()
    return a.x - 12
  end })
  world:field { kind = "custom", dynamic = true, bodies = { other }, law = function()
    visit "law"()
    return 0, 0
  end }
  local leads = {}
  function leads.sleep() asleep.awake = false end
  function leads.traced()
    world:constraint(held, { C = function(a)
      visit "traced"()
      return a.y - 3
    end })
    return true
  end
  function leads.predicate()
    world:raycast(0, 9, 0, -9, { predicate = function()
      visit "predicate"()
      return true
    end })
    return true
  end
  local function touch_the_crate()
    world:body({ position = { 0.99, 0.49 } }):circle { radius = 0.5, material = "rubber" }
  end
  function leads.mix_rule()
    world:mix_rule("friction", visit "mix_rule")
    touch_the_crate()
  end
  function leads.begin_contact()
    world:on("begin_contact", visit "begin_contact")
    touch_the_crate()
  end
  function leads.end_contact()
    world:on("end_contact", visit "end_contact")
    objects.shape:destroy()
    objects.shape = objects.body:box { 1, 1, center = { 0, 1 } }
  end
  function leads.fault()
    world:on("fault", visit "fault")
    local extreme = world:body { position = { 15, 15 } }
    extreme:circle { radius = 0.5 }
    extreme:apply_impulse(9e14, 9e14)
  end
  local function hang(options)
    local weight = world:body { position = { 18, 3 } }
    weight:circle { radius = 0.5 }
    world:weld(world.ground, weight, options)
  end
  function leads.break_if()
    hang { break_if = visit "break_if" }
  end
  function leads.joint_break()
    world:on("joint_break", visit "joint_break")
    hang { break_force = 1e-6 }
  end
  objects.leads = leads
  return objects
end

local PLACES = { "step", "substep", "sleep", "pre_solve", "filter", "dynamic", "law", "traced", "predicate", "mix_rule",
  "begin_contact", "end_contact", "fault", "break_if", "joint_break" }

-- Call f inside the callback `place`. Return whether the callback ran, and whether its caller succeeded: the results of
-- pcall.
local function call_in(objects, place, f)
  local called = false
  objects.places[place] = function()
    called = true
    f()
  end
  local ok, answer = pcall(objects.leads[place] or function() end)
  if not (ok and answer) and not called then ok, answer = pcall(objects.world.step, objects.world) end
  return called, ok, answer
end

-- Phrases of Lua's own messages, which show that an argument was not checked.
local INTERNAL = { "attempt to index", "attempt to call", "attempt to compare", "attempt to perform",
  "attempt to concatenate", "attempt to get length", "bad argument #", "stack overflow", "invalid value", "no such" }

local function is_ours(message, entry, class)
  assert.is_string(message, entry.name)
  assert.truthy(message:find "%.lua:%d+: ", entry.name .. ": no position in: " .. message)
  for _, words in ipairs(INTERNAL) do
    assert.is_nil(message:find(words, 1, true), class .. "." .. entry.name .. ": " .. message)
  end
  local told = message:find(entry.name, 1, true) or message:find(class, 1, true) or message:find "destroyed"
    or message:find "valid until" or message:find "poison"
  assert.truthy(told, ("%s.%s: the message names neither the class nor the member: %s"):format(class, entry.name,
    message))
end

local function is_whole(world, label)
  if not world:is_valid() then return end
  world.fault, world.dt, world.solver = "quarantine", 1 / 60, "soft"
  -- Remove filters that the tested call may have set, because such filters return invalid values.
  for body in world:bodies() do
    for shape in body:shapes() do shape.filter = nil end
  end
  local ok, message = pcall(world.step, world, 2)
  assert.is_true(ok, label .. ": world:step fails afterwards: " .. tostring(message))
  assert.equal(16, #world.hash)
end

-- Return valid arguments of a method, or none.
local function arguments_of(class, entry, objects)
  local right = legal[class .. "." .. entry.name] or {}
  return type(right) == "function" and right(objects) or right
end

-- Return a value that a property accepts: its present value, or the middle of its range.
local function value_of(entry, object)
  local ok, value = pcall(function() return object[entry.name] end)
  if ok and value ~= nil then return value end
  local number = entry.type == "number" or entry.type == "integer"
  return number and math.max(entry.min or 0, math.min(1, entry.max or 1)) or nil
end

local function can_be_destroyed(class)
  local found = false
  for _, entry in ipairs(api[class]) do found = found or entry.name == "destroy" end
  return found
end

local function call(class, entry, objects)
  local object = objects[class]
  if entry.kind == "method" then
    local right = arguments_of(class, entry, objects)
    return pcall(object[entry.name], object, table.unpack(right, 1, #right))
  end
  local ok, message = pcall(function() return object[entry.name] end)
  if not ok then return ok, message end
  if not entry.writable then return true end
  local value = value_of(entry, object)
  return pcall(function() object[entry.name] = value end)
end

local function each(f)
  for class, entries in pairs(api) do
    if class ~= "impel" then
      for _, entry in ipairs(entries) do f(class, entry) end
    end
  end
end

local function poison() error "poison" end
local function quiet() end

-- List values that many parameters reject, destroyed objects, and objects of two worlds.
local function wrong_values(objects, stranger)
  local gone = objects.world:body { name = "gone" }
  local dead_shape = gone:circle { radius = 1 }
  local dead_joint = objects.world:revolute(objects.world.ground, gone, {})
  local dead_field = objects.world:field { kind = "uniform", force = { 0, 0 } }
  local dead_handler = objects.world:on("step", quiet)
  gone:destroy()
  dead_field:destroy()
  dead_handler:destroy()
  local dead = core.world {}
  dead:destroy()
  return { nan, inf, -inf, 1e308, -1, 0.5, 2 ^ 53, math.mininteger, "", "abc", "a\0b", true, {}, { nan },
    { {} }, { x = {} }, setmetatable({}, { __index = poison, __len = poison, __pairs = poison, __tostring = poison }),
    quiet, io.stdout, coroutine.create(quiet), gone, dead_shape, dead_joint, dead_field, dead_handler, dead,
    objects.world, objects.body, objects.shape, objects.joint, objects.coordinate, objects.field, objects.mover,
    objects.contact, objects.event, objects.row, objects.handler, objects.qp, stranger.world, stranger.body,
    stranger.shape, stranger.joint, stranger.coordinate, stranger.field, stranger.contact, stranger.event,
    stranger.handler }
end

-- Return whether to leave out a value: many steps take too long, and any text is a valid file name.
local function is_left_out(name, value)
  if name == "world.save" or name == "world.record" then return type(value) == "string" end
  return name == "world.step" and math.type(value) and value == value and value > 1000 and value < inf
end

local function trial(class, entry, objects, hash, f)
  local ok, message = pcall(f)
  if ok then return true end
  is_ours(message, entry, class)
  local label = class .. "." .. entry.name .. " was refused and changed the world: "
  assert.equal(hash, objects.world.hash, label .. message)
  return false
end

describe("every registered function", function()
  each(function(class, entry)
    local name = class .. "." .. entry.name
    it(name .. " raises only impel's messages, and leaves the world unchanged if it raises", function()
      local stranger = scene(name)
      local objects, values, hash
      local function renew()
        if objects then is_whole(objects.world, name) end
        objects = scene(name)
        values = wrong_values(objects, stranger)
        objects.world:step() -- makes events about the destroyed objects
        for contact in objects.world:contacts() do objects.contact = contact end
        for event in objects.world:events "end_contact" do objects.event = event end
        -- Making the arguments may change the world.
        if entry.kind == "method" then arguments_of(class, entry, objects) end
        hash = objects.world.hash
      end
      renew()
      local ok, message = call(class, entry, objects)
      if not ok then is_ours(message, entry, class) end
      renew()
      local function try(f)
        if trial(class, entry, objects, hash, f) then renew() end
      end
      if entry.kind == "method" then
        local count = #arguments_of(class, entry, objects)
        for place = 1, count + 1 do
          for i = 0, #values do
            local function f()
              local right = { table.unpack(arguments_of(class, entry, objects), 1, count) }
              right[place] = values[i] -- values[0] is nil: no argument
              local object = objects[class]
              object[entry.name](object, table.unpack(right, 1, math.max(count, place)))
            end
            if not is_left_out(name, values[i]) then try(f) end
          end
        end
        for n = 0, count - 1 do -- call with too few arguments, then with too many
          try(function()
            local object = objects[class]
            object[entry.name](object, table.unpack(arguments_of(class, entry, objects), 1, n))
          end)
        end
        try(function()
          local object, right = objects[class], { table.unpack(arguments_of(class, entry, objects), 1, count) }
          for i = 1, 200 do right[count + i] = {} end
          object[entry.name](object, table.unpack(right, 1, count + 200))
        end)
        local method = objects[class][entry.name]
        for i = 0, #values do -- call with each wrong value as self
          try(function() return method(values[i], table.unpack(arguments_of(class, entry, objects), 1, count)) end)
        end
      else
        for i = 0, #values do
          try(function() objects[class][entry.name] = values[i] end)
        end
        for _, bound in ipairs { entry.min or false, entry.max or false } do
          if bound then
            local far = math.max(1, math.abs(bound))
            try(function() objects[class][entry.name] = bound == entry.min and bound - far or bound + far end)
          end
        end
      end
      is_whole(objects.world, name)
    end)

    it(name .. " works in every place that runs Lua, or raises one of impel's messages", function()
      for _, place in ipairs(PLACES) do
        local label = name .. " in " .. place
        local objects = scene(name)
        local ok, message
        local called, whole, problem = call_in(objects, place, function() ok, message = call(class, entry, objects) end)
        assert.is_true(called, label .. ": it was not called")
        if not ok then is_ours(message, entry, class) end
        if not whole then is_ours(problem, entry, class) end
        is_whole(objects.world, label)
      end
    end)

    it(name .. " returns, or raises one of impel's messages, if its object or world is destroyed", function()
      local objects = scene(name)
      local object = objects[class]
      if class ~= "world" and can_be_destroyed(class) then
        object:destroy()
        local hash = objects.world.hash
        local ok, message = call(class, entry, objects)
        if not ok then is_ours(message, entry, class) end
        assert.equal(hash, objects.world.hash, name)
        is_whole(objects.world, name)
      end
      objects = scene(name)
      objects.world:destroy()
      local ok, message = call(class, entry, objects)
      if not ok then is_ours(message, entry, class) end
    end)
  end)
end)

-- Functions of the core that are not methods. set_home is left out, because it changes the line that errors name.
describe("the core's own functions", function()
  local LEGAL = {
    world = { { seed = 1 } }, qp = { 2, 1 }, value = { 1 }, where = { true, 1, 2 }, api = {}, foreign_names = {},
    playback = { core.world({}):snapshot() }, snapshot_info = { core.world({}):snapshot() }, identify = { {} },
    ended = { core.world {}, 0, 1 },
  }

  local function check(name, f)
    local ok, message = pcall(f)
    if not ok then is_ours(message, { name = name }, "core") end
    return ok
  end

  for name, f in pairs(core) do
    if type(f) == "function" and name ~= "set_home" then
      local right = LEGAL[name]

      it(name .. " raises only impel's messages, and leaves the world unchanged if it raises", function()
        assert.is_table(right, name .. " has no legal arguments here")
        assert.is_true(check(name, function() f(table.unpack(right)) end))
        local objects, stranger = scene "", scene ""
        local values = wrong_values(objects, stranger)
        local hash = objects.world.hash
        for place = 1, #right + 1 do
          for i = 0, #values do
            check(name, function()
              local given = { table.unpack(right) }
              given[place] = values[i]
              f(table.unpack(given, 1, math.max(#right, place)))
            end)
          end
        end
        for n = 0, #right - 1 do check(name, function() f(table.unpack(right, 1, n)) end) end
        assert.equal(hash, objects.world.hash)
        is_whole(objects.world, name)
      end)

      it(name .. " works in every place that runs Lua, or raises one of impel's messages", function()
        for _, place in ipairs(PLACES) do
          local objects = scene ""
          local called, whole, problem = call_in(objects, place, function()
            check(name, function() f(table.unpack(right)) end)
          end)
          assert.is_true(called, place)
          if not whole then is_ours(problem, { name = name }, "core") end
          is_whole(objects.world, name .. " in " .. place)
        end
      end)
    end
  end
end)
