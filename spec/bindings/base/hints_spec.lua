-- Errors about names of other engines say "(in impel: ...)". Each such hint runs as Lua.
local core = require "impel.core"
local kinds = require "support.kinds"
local reference = require "impel.reference.api"
local api = core.api()

-- Return "setUserData" for "set_user_data".
local function camel(name)
  return (name:gsub("_(%w)", string.upper))
end


-- Build a world with an object of each class.
local function scene()
  local world = core.world { solver = "si" }
  world:material("word", {})
  local floor = world:body { position = { 0, -20 }, type = "static" }
  local ground_shape = floor:box { 40, 1 }
  local a, b = world:body { position = { -1, 0 } }, world:body { position = { 1, 0.5 } }
  local shape, other = a:box { 1, 1 }, b:circle { radius = 0.5 }
  return { world = world, a = a, b = b, body = b, shape = shape, shape_a = shape, shape_b = other,
    ground_shape = ground_shape, floor = floor, mover = world:mover {}, handler = world:on("step", function() end),
    hinge = world:revolute(world.ground, a, {}), slider = world:prismatic(world.ground, b, {}) }
end

-- Options that each method requires. "{...}" in a hint means these options.
local function needs(s)
  return { body = {}, world = {}, mover = {}, circle = { radius = 1 }, box = { 1, 1 },
    polygon = { points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } }, capsule = { from = { 0, 0 }, to = { 1, 0 }, radius = 1 },
    segment = { from = { 0, 0 }, to = { 1, 0 } }, chain = { points = { { 1, 0 }, { 0, 0 }, { -1, 0 } } },
    heights = { values = { 0, 1, 0 }, spacing = 1 }, set_motor = { speed = 1, max_force = 9 }, motor = { speed = 1 },
    set_servo = { target = 0.5 }, set_spring = { hertz = 2, damping_ratio = 1 }, spring = { hertz = 2 },
    gear = { joint1 = s.hinge, joint2 = s.slider }, rack = { joint1 = s.hinge, joint2 = s.slider },
    pulley = { ground_a = { -1, 5 }, ground_b = { 1, 5 } }, constraint = { C = function(p) return p.x end } }
end

local function make_joint(s, kind, options)
  local o = {}
  for k, v in pairs(needs(s)[kind] or {}) do o[k] = v end
  for k, v in pairs(options or {}) do o[k] = v end
  local world = s.world
  if kind == "drag" then return world:drag(s.b, o) end
  if kind == "gear" or kind == "rack" then return world[kind](world, o) end
  if kind == "constraint" then return world:constraint(s.b, o) end
  return world[kind](world, s.a, s.b, o)
end

-- Values for the names in hints. A name without a value gets a different number each time.
local function environment(s, value)
  local option, next_number = needs(s), 0.25
  local values = {
    impel = core, option = setmetatable({}, { __index = function(_, name) return option[name] or {} end }),
    name = "angle", event = s.event or "begin_contact", fn = function() end, filter = {}, n = 1,
    lower = -1, upper = 1, min = 0.5, max = 2, motion_a = {}, motion_b = { travel = { 0, -1 } }, fps = 60, hz = 60,
    value = value, angle = 0.3, f = 3, z = 0.7, k = 40, c = 2, v = 1, q = 0.2, m = 2, radius = 1,
    points = { { 0, 0 }, { 1, 0 }, { 0, 1 } },
  }
  return setmetatable(values, { __index = function(_, name)
    if s[name] ~= nil then return s[name] end
    next_number = next_number + 0.5
    return next_number
  end })
end

-- Replace "{...}" by options, and lists with "..." by complete lists.
local function runnable(code)
  code = code:gsub("{ { x, y }, %.%.%. }", "points"):gsub("{ y, %.%.%. }", "{ 0, 1, 0 }")
  code = code:gsub("([%l_]+){%.%.%.}", "%1(option.%1)"):gsub("([%l_]+) = {%.%.%.}", "%1 = option.%1")
  return (code:gsub("([%l_]+)(%([^{}()]*){%.%.%.}", "%1%2option.%1"))
end

-- Return the expressions in a hint: "body:world_point(lx, ly)", "joint:coordinate(name):set_motor{...}", "body.awake =
-- true".
local function expressions(hint)
  local list, at = {}, 1
  while true do
    local first, last, class = hint:find("%f[%w](%l+)[.:]%l[%l_]*", at)
    if not first then return list end
    while true do
      local _, more = hint:find("^%b()", last + 1)
      if not more then _, more = hint:find("^%b{}", last + 1) end
      if not more then _, more = hint:find("^[.:]%l[%l_]*", last + 1) end
      if not more then break end
      last = more
    end
    local _, assigned = hint:find("^ = [%w'_]+", last + 1)
    last = assigned or last
    if api[class] then list[#list + 1] = hint:sub(first, last) end
    at = last + 1
  end
end

-- Run an expression of a hint, as a statement if it assigns.
local function run(code, env)
  code = runnable(code)
  if not code:find " = [%w'_]+$" then code = "return " .. code end
  local chunk, message = load(code, "=hint", "t", env)
  if not chunk then return false, message end
  return pcall(chunk)
end

-- Return objects of a class to run hints on.
local function subjects(class)
  local list = {}
  if class == "joint" or class == "coordinate" then
    for _, kind in ipairs(kinds.joints) do
      local s = scene()
      s.joint = make_joint(s, kind)
      for coordinate in s.joint:coordinates() do
        local each = setmetatable({ coordinate = coordinate, name = coordinate.name }, { __index = s })
        list[#list + 1] = each
      end
    end
  elseif class == "event" or class == "contact" then
    for _, kind in ipairs { "hit", "begin_contact", "joint_break" } do
      local s = scene()
      local box = s.world:body { position = { 0, -18.95 }, velocity = { 0, -9 } }
      s.fallen = box:box { 1, 1 }
      s.world:weld(s.world.ground, s.body, { break_force = 1e-6 })
      for _ = 1, 9 do
        s.world:step()
        for e in s.world:events(kind) do s.event = s.event or e end
        for c in s.world:contacts() do s.contact = c end
        if s.event then break end
      end
      list[#list + 1] = s
    end
  else
    local s = scene()
    list[1] = s
    local moved = scene()
    moved.b.type = "kinematic" -- body:move_to needs a kinematic body
    moved.shape.sensor = true -- shape:overlaps() needs a sensor
    list[2] = moved
  end
  return list
end

local function hint_of(message)
  return message:match "%(in impel: (.*)%)$"
end

local function entry_of(class, name)
  for _, entry in ipairs(api[class]) do
    if entry.name == name then return entry end
  end
end

local listed = {} -- hints in the list of foreign names; other hints come from names of impel
for _, foreign in ipairs(core.foreign_names()) do listed[foreign.ours] = true end

-- Return whether a hint is a method's name and signature. argument_matrix_spec tests such hints.
local function is_method(hint, class)
  local name, signature = hint:match("^" .. class .. "[.:]([%l_]+)([({].*)$")
  local entry = name and entry_of(class, name)
  return entry and entry.kind == "method" and entry.signature:gsub(" %-> .*", "") == signature
end

-- Return a valid value of a property for a hint "name = value".
local function settable(class, name)
  local entry = name and entry_of(class, name)
  local by_type = { boolean = true, bits = 1, integer = 1, string = "word", ["function"] = function() end }
  local choices = entry and reference.choices(class, entry)
  if choices then return choices[1] end
  if entry and by_type[entry.type] ~= nil then return by_type[entry.type] end
  return 0.5
end

local seen = {} -- expression -> true, or the error that it raised

-- Run a member's hint on objects of its class.
local function follow_member(hint, class)
  if hint:find "^two numbers" then -- the only hint that names no member
    local s = scene()
    s.body:set_position(1, 2)
    s.world:body { position = { 1, 2 } }
    return true
  end
  if not listed[hint] and is_method(hint, class) then return true end
  local list = expressions(hint)
  if #list == 0 then return false, "names nothing" end
  for _, code in ipairs(list) do
    if seen[code] == nil then
      local ok, message = false, nil
      for _, s in ipairs(subjects(code:match "^%l+")) do
        local env = environment(s, settable(code:match "(%l+)%.([%l_]+) = "))
        local ran, why = run(code, env)
        if not ran and s.contact then
          s.world:on("pre_solve", function(contact)
            s.contact = contact
            ran, why = run(code, env)
          end)
          s.shape.pre_solve, s.fallen.pre_solve = true, true
          s.world:step()
        end
        ok, message = ok or ran, message or why
        if ok then break end
      end
      seen[code] = ok or code .. ": " .. tostring(message)
    end
    if seen[code] ~= true then return false, seen[code] end
  end
  return true
end

-- Return all foreign names of every scope, sorted.
local function foreign_names()
  local names, set = {}, {}
  for _, foreign in ipairs(core.foreign_names()) do
    if not set[foreign.name] then
      set[foreign.name] = true
      names[#names + 1] = foreign.name
    end
  end
  table.sort(names)
  return names
end

local emitted = {} -- hints that were found, by name and by text
local followed = 0

describe("hints on objects", function()
  local objects = scene()
  objects.impel, objects.joint = core, objects.hinge
  objects.coordinate = objects.hinge:coordinate "angle"
  for _, class in ipairs { "event", "contact" } do objects[class] = subjects(class)[1][class] end

  for _, class in ipairs { "impel", "world", "body", "shape", "joint", "coordinate", "mover", "contact", "event",
    "handler" } do
    it("lead to code that runs: " .. class, function()
      local names = foreign_names()
      for _, entry in ipairs(api[class]) do names[#names + 1] = entry.name end
      for _, name in ipairs(names) do
        for _, prefix in ipairs { "", "get_", "set_", "is_", "has_", "create_", "new_" } do
          local key = camel(prefix .. name)
          for _, written in ipairs { key, key:sub(1, 1):upper() .. key:sub(2) } do
            local ok, message = pcall(function() return objects[class][written] end)
            local hint = not ok and hint_of(message)
            if hint then
              emitted[("member %s %s %s"):format(class, name, hint)] = true
              local works, why = follow_member(hint, class)
              assert.is_true(works, ("%s.%s leads to '%s': %s"):format(class, written, hint, tostring(why)))
              followed = followed + 1
            end
          end
        end
      end
    end)
  end
end)

-- Return a valid value of an option, by its name or type.
local function sample(option, s)
  local by_name = { joint1 = s.hinge, joint2 = s.slider, predicate = function() return true end, ignore = s.b,
    motor = { speed = 1 }, spring = { hertz = 2 }, limit = { -1, 1 }, servo = { target = 0 }, values = { 0, 1, 0 },
    from = { 0, 0 }, to = { 2, 1 }, points = { { 0, 0 }, { 1, 0 }, { 0, 1 } }, data = {}, max_force = 5,
    ground_a = { -1, 6 }, ground_b = { 1, 6 }, shape = s.shape }
  local by_type = { number = 0.5, integer = 2, boolean = true, string = "word", bits = 1, vector = { 1, 0.25 },
    any = 1, table = {}, points = { { 0, 0 }, { 1, 0 }, { 0, 1 } } }
  if by_name[option.name] ~= nil then return by_name[option.name] end
  if option.choices then return option.choices[1] end
  return by_type[option.type]
end

-- Return the option tables to which hints about keys apply.
local function sites()
  local list = {}
  local function add(what, options, call) list[#list + 1] = { what = what, options = options, call = call } end
  local function entry(class, name)
    for _, each in ipairs(api[class]) do
      if each.name == name then return each end
    end
  end
  add("impel.world", entry("impel", "world").options, function(_, o) return core.world(o) end)
  add("world:body", entry("world", "body").options, function(s, o) return s.world:body(o) end)
  add("world:mover", entry("world", "mover").options, function(s, o) return s.world:mover(o) end)
  for _, name in ipairs(kinds.shapes) do
    add("body:" .. name, entry("body", name).options, function(s, o)
      local given = {}
      for k, v in pairs(needs(s)[name]) do given[k] = v end
      if o.width ~= nil or o.height ~= nil then given = { width = 1, height = 1 } end
      for k, v in pairs(o) do given[k] = v end
      return s[name == "heights" and "floor" or "b"][name](s[name == "heights" and "floor" or "b"], given)
    end)
  end
  for _, kind in ipairs(kinds.joints) do
    local options = entry("world", kind).options
    add("world:" .. kind, options, function(s, o) return make_joint(s, kind, o) end)
    for _, option in ipairs(options) do
      if option.options and option.options.name ~= "drive" then
        add(("world:%s: %s"):format(kind, option.name), option.options, function(s, o)
          local given = ({ motor = { speed = 1 }, servo = { target = 0 } })[option.name] or {}
          if option.name == "spring" and o.hertz == nil and o.stiffness == nil then given.hertz = 2 end
          if option.name == "spring" and o.damping ~= nil then given = { stiffness = 40 } end
          if option.name == "spring" and o.damping_ratio ~= nil then given.hertz = 2 end
          for k, v in pairs(o) do given[k] = v end
          return make_joint(s, kind, { [option.name] = given })
        end)
      end
    end
  end
  local filter = entry("world", "raycast").takes[1]
  add("filter", filter, function(s, o) return s.world:raycast(0, 9, 0, -9, o) end)
  for _, takes in ipairs(entry("world", "shapecast").takes) do
    if takes.name == "form" then
      add("form", takes, function(s, o)
        local given = { radius = 0.5 }
        for k, v in pairs(o) do given[k] = v end
        return s.world:shapecast(given, 0, -9)
      end)
    end
  end
  add("motion", entry("world", "time_of_impact").takes[1], function(s, o)
    return s.world:time_of_impact(s.shape_a, o, s.shape_b, {})
  end)
  return list
end

-- Return the tables of a hint, such as { limit = { lower, upper } }.
local function tables_of(hint, site, s)
  local env, list = environment(s), {}
  local function option(name)
    for _, each in ipairs(site.options) do
      if each.name == name then return each end
    end
  end
  local key, first, second = hint:match "^([%l_]+) = (%b{}) or (%b{})$"
  local codes = key and { key .. " = " .. first, key .. " = " .. second } or { hint }
  for _, code in ipairs(codes) do
    local chunk = code:find "^[%l_%d]+ = " and load("return { " .. runnable(code) .. " }", "=hint", "t", env)
    if chunk then
      list[#list + 1] = chunk()
    else
      local t = {}
      for name in code:gsub(", or .*", ""):gsub(" and ", ", "):gmatch "[^, ]+" do
        local found = option(name)
        if not found then return nil, ("'%s' is not an option of %s"):format(name, site.what) end
        t[name] = sample(found, s)
      end
      list[#list + 1] = t
    end
  end
  return list
end

local function follow_option(hint, site, name)
  if hint:find "^an option of its shapes" then
    local s = scene()
    for _, shape in ipairs { "circle", "box" } do
      for _, entry in ipairs(api.body) do
        for _, option in ipairs(entry.name == shape and entry.options or {}) do
          if option.name == name then return follow_member(hint, "body") end
        end
      end
    end
    return false, ("'%s' is not an option of %s"):format(name, tostring(s.shape))
  end
  if hint:find "before the table" then
    local joint = site.what:match "^world:(%l[%l_]*)$"
    -- Gears and racks join joints; all other kinds join bodies.
    return joint ~= nil and joint ~= "gear" and joint ~= "rack" and pcall(make_joint, scene(), joint)
  end
  if #expressions(hint) > 0 then
    local works, why = follow_member(hint, "body")
    if not works or not hint:find ", or " then return works, why end
  end
  local s = scene()
  local list, why = tables_of(hint, site, s)
  if not list then return false, why end
  for _, options in ipairs(list) do
    if next(options) == nil then return false, "names nothing" end
    local ok, message = pcall(site.call, scene() and s, options)
    if not ok then return false, message end
  end
  return true
end

describe("hints about keys of options", function()
  local names = foreign_names()
  for _, site in ipairs(sites()) do
    it("lead to accepted keys: " .. site.what, function()
      for _, name in ipairs(names) do
        for _, written in ipairs { name, camel(name) } do
          local ok, message = pcall(site.call, scene(), { [written] = 1 })
          local hint = not ok and hint_of(message)
          if hint then
            emitted[("option %s %s"):format(name, hint)] = true
            local works, why = follow_option(hint, site, name)
            assert.is_true(works, ("'%s' in %s leads to '%s': %s"):format(written, site.what, hint, tostring(why)))
            followed = followed + 1
          end
        end
      end
    end)
  end

  it("cover the list of foreign names: each hint occurs at least once", function()
    local count = 0
    for _, foreign in ipairs(core.foreign_names()) do
      local scope = foreign.kind == "member" and foreign.scope .. " " or ""
      local key = ("%s %s%s %s"):format(foreign.kind, scope, foreign.name, foreign.ours)
      assert.is_true(emitted[key], "never said: " .. key)
      count = count + 1
    end
    assert.is_true(count > 500 and followed > 5 * count, ("%d foreign names listed, %d hints followed")
      :format(count, followed))
    if os.getenv "IMPEL_SHOW" then print(("%d of %d hints, at %d names"):format(count, count, followed)) end
  end)
end)
