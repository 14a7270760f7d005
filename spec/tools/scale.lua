-- Measures how costs grow: lua5.4 spec/tools/scale.lua BUILD [PATTERN [MOST]]   (called by make scale)
--
-- Counts the instructions of each operation in the table below under callgrind, for 10^3 objects and for more. Prints
-- the instructions per object and the exponent of n. An exponent above 1.2 is an error. The exponent of n log n is
-- about 1.1. PATTERN: run only operations whose name matches. MOST: largest number of objects.
--
-- Each operation has a preparation, which is not counted. BUILD/bench/counter.so starts and stops the counting.
--
-- The table omits operations whose cost must depend on all objects: world:mobility factorizes a dense matrix of at most
-- 3000 degrees of freedom. `enabled`, `type` and the pose of a body affect all its shapes and contacts. An iterator
-- lists all elements. A change of one of n motors on a coordinate adds up all motors. A world has at most 256
-- materials.
local build = arg[1]

local MOST_EXPONENT = 1.2
-- SIZES: numbers of objects; MANY: numbers of objects for cheap operations.
local SIZES, MANY = { 1000, 10000 }, { 1000, 100000 }


-- Constructors and destructors --------------------------------------------------------------------------------------

local impel = arg[2] == "--run" and require "impel"

local function quiet(options)
  options = options or {}
  options.gravity = options.gravity or { 0, 0 }
  return impel.world(options)
end

-- Add a body with a disc at (x, y). `options` are the body's options, `shape` the disc's options.
local function disc(world, x, y, radius, options, shape)
  options = options or {}
  options.position = { x, y }
  shape = shape or {}
  shape.radius = radius
  local body = world:body(options)
  body:circle(shape)
  return body
end

-- Return `count` bodies without shapes, far from one another.
local function points(world, count)
  local bodies = {}
  for i = 1, count do bodies[i] = world:body { position = { i, 0 } } end
  return bodies
end

local function shapes_of(kind)
  return function(world)
    local body = world:body { type = kind }
    return function(i) return body:circle { radius = 0.4, center = { i, 0 } } end
  end
end

-- Each entry: { name, function(world, n) -> function(i) -> object }. The first function prepares the world; the second
-- function creates object i. many: create MANY objects, not SIZES; costly: destroy SIZES objects, not MANY; outside:
-- the object cannot be created inside a step.
local OBJECTS = {
  { "bodies", function(world) return function(i) return disc(world, i, 0, 0.4) end end },
  { "bodies with names", function(world)
    return function(i) return world:body { name = "body " .. i, position = { i, 0 } } end
  end },
  { "shapes of a static body", shapes_of "static" },
  { "shapes of a kinematic body", shapes_of "kinematic" },
  { "shapes of a dynamic body", shapes_of "dynamic" },
  { "joints in a chain", function(world, n)
    local bodies = points(world, n + 1)
    return function(i) return world:revolute(bodies[i], bodies[i + 1], { collide = false }) end
  end },
  { "joints of one body", function(world, n)
    local hub, bodies = world:body {}, points(world, n)
    return function(i) return world:distance(hub, bodies[i], { collide = false }) end
  end },
  { "joints of two bodies", function(world)
    local a, b = world:body {}, world:body { position = { 1, 0 } }
    return function() return world:distance(a, b, {}) end
  end },
  { "drags", function(world, n)
    local bodies = points(world, n)
    return function(i) return world:drag(bodies[i], { target = { i, 1 } }) end
  end, costly = true },
  { "gears of one joint", function(world, n)
    local hub, bodies = world:body {}, points(world, n)
    local first, joints = world:revolute(world.ground, hub, {}), {}
    for i = 1, n do joints[i] = world:revolute(world.ground, bodies[i], {}) end
    return function(i) return world:gear { joint1 = first, joint2 = joints[i] } end
  end, costly = true },
  { "constraints", function(world, n)
    local bodies = points(world, n)
    return function(i) return world:constraint(bodies[i], { C = function(a) return a.y end }) end
  end, costly = true },
  { "fields", function(world)
    return function() return world:field { kind = "uniform", force = { 0, 0 } } end
  end, many = true },
  { "movers", function(world)
    return function(i) return world:mover { position = { 2 * i, 0 } } end
  end, outside = true, costly = true },
  { "handlers", function(world) return function() return world:on("step", function() end) end end, many = true },
}

local function shuffled(n)
  local order, world = {}, impel.world { seed = 1 }
  for i = 1, n do order[i] = i end
  for i = n, 2, -1 do
    local k = world:random(1, i)
    order[i], order[k] = order[k], order[i]
  end
  return order
end

local ORDERS = {
  { "first to last", function(n)
    local order = {}
    for i = 1, n do order[i] = i end
    return order
  end },
  { "last to first", function(n)
    local order = {}
    for i = 1, n do order[i] = n + 1 - i end
    return order
  end },
  { "shuffled", shuffled },
}


-- The operations: name, function(n) -> the counted function ----------------------------------------------------------

local OPERATIONS = {}

local function operation(name, prepare, sizes)
  OPERATIONS[#OPERATIONS + 1] = { name = name, prepare = prepare, sizes = sizes or SIZES }
end

for _, object in ipairs(OBJECTS) do
  local name, prepare = table.unpack(object)
  local sizes = object.many and MANY or SIZES
  operation(name .. ": created", function(n)
    local make = prepare(quiet(), n)
    return function() for i = 1, n do make(i) end end
  end, sizes)
  for _, order in ipairs(ORDERS) do
    operation(name .. ": destroyed, " .. order[1], function(n)
      local make, made, numbers = prepare(quiet(), n), {}, order[2](n)
      for i = 1, n do made[i] = make(i) end
      return function() for _, i in ipairs(numbers) do made[i]:destroy() end end
    end, object.costly and SIZES or MANY)
  end
  if not object.outside then operation(name .. ": created in a handler", function(n)
    local world = quiet()
    local make, done = prepare(world, n), false
    world:on("substep", function()
      if done then return end
      done = true
      for i = 1, n do make(i) end
    end)
    return function() world:step() end
  end) end
end

-- Add a large disc with n small discs around its rim. Small discs do not collide with each other.
local function rim(n, world, shape)
  local hub, small, at = world:body { type = shape and "static" or "dynamic" }, {}, {}
  shape = shape or {}
  shape.radius = 0.05 * n
  hub:circle(shape)
  for i = 1, n do
    local angle = 2 * math.pi * i / n
    at[i] = { shape.radius * impel.math.cos(angle), shape.radius * impel.math.sin(angle) }
    small[i] = disc(world, at[i][1], at[i][2], 0.01, {}, { group = -1 })
  end
  return hub, small, at
end

local function move_every_second(small, at, scale)
  for i = 1, #small, 2 do small[i]:set_position(at[i][1] * scale, at[i][2] * scale) end
end

for _, kind in ipairs { { "contacts of one body" }, { "overlaps of one sensor", { sensor = true } } } do
  local name, shape = kind[1], kind[2]
  operation(name .. ": begin", function(n)
    local world = quiet { sleep = false }
    rim(n, world, shape)
    return function() world:step() end
  end)
  operation(name .. ": end and begin again", function(n)
    local world = quiet { sleep = false }
    local _, small, at = rim(n, world, shape)
    world:step()
    return function()
      for k = 1, 4 do
        move_every_second(small, at, k % 2 == 1 and 10 or 1)
        world:step()
      end
    end
  end)
  operation(name .. ": bodies destroyed", function(n)
    local world = quiet { sleep = false }
    local _, small = rim(n, world, shape)
    world:step()
    return function() for i = 1, n do small[i]:destroy() end end
  end)
  operation(name .. ": one destroyed", function(n)
    local world = quiet { sleep = false }
    local hub = rim(n, world, shape)
    world:step()
    return function() hub:destroy() end
  end)
end

operation("contacts of each of n shapes of one body: shapes destroyed", function(n)
  local world, shapes = quiet { sleep = false }, {}
  local floor = world:body { type = "static" }
  for i = 1, n do
    shapes[i] = floor:box { 0.9, 1, center = { i, 0 } }
    disc(world, i, 0.89, 0.4, nil, { group = -1 })
  end
  world:step()
  return function() for i = 1, n do shapes[i]:destroy() end end
end)
-- Build a static body of n boxes, with a disc on each box.
local function tiles(n)
  local world, shapes, discs = quiet { sleep = false }, {}, {}
  local floor = world:body { type = "static" }
  world:material("ice", { friction = 0.01 })
  for i = 1, n do
    shapes[i] = floor:box { 0.9, 1, center = { i, 0 } }
    discs[i] = disc(world, i, 0.89, 0.4, nil, { group = -1 })
  end
  world:step()
  return world, shapes, floor, discs
end
for _, set in ipairs {
  { "friction", function(shape) shape.friction = 0.3 end },
  { "restitution", function(shape) shape.restitution = 0.3 end },
  { "material", function(shape) shape.material = "ice" end },
  { "category", function(shape) shape.category = 2 end },
  { "one_way", function(shape) shape:set_one_way(0, 1) end },
  { "sensor", function(shape) shape.sensor = true end },
} do
  local name, change = table.unpack(set)
  operation("contacts of each of n shapes of one body: each shape's " .. name .. " set", function(n)
    local _, shapes = tiles(n)
    return function() for i = 1, n do change(shapes[i]) end end
  end)
end
operation("contacts of each of n shapes of one body: each shape's category set in a handler", function(n)
  local world, shapes = tiles(n)
  local first = true
  world:on("substep", function()
    for i = 1, first and n or 0 do shapes[i].category = 2 end
    first = false
  end)
  return function() world:step() end
end)
for _, kind in ipairs { "kinematic", "dynamic" } do
  operation("contacts of one " .. kind .. " body: n shapes added, n removed", function(n)
    local world = quiet { sleep = false }
    local hub = rim(n, world)
    hub.type = kind
    world:step()
    return function()
      local shapes = {}
      for i = 1, n do shapes[i] = hub:circle { radius = 0.01 } end
      for i = 1, n do shapes[i]:destroy() end
    end
  end)
end
operation("contacts of two bodies: a shape added to each in turn, n times", function(n)
  local world = quiet { sleep = false }
  local a = rim(n // 2, world)
  local b = rim(n // 2, world)
  world:step()
  return function()
    for _ = 1, n // 2 do
      a:circle { radius = 0.01 }
      b:circle { radius = 0.01 }
    end
  end
end)
operation("joints without collision between a body and the bodies that touch it: created, destroyed", function(n)
  local world, joints = quiet { sleep = false }, {}
  local hub, small = rim(n, world)
  world:step()
  return function()
    for i = 1, n do joints[i] = world:distance(hub, small[i], { collide = false }) end
    for i = 1, n do joints[i]:destroy() end
    world:step()
  end
end)
operation("joints without collision between a body of n shapes and n others: created, destroyed", function(n)
  local world, _, floor, discs = tiles(n)
  local joints = {}
  return function()
    for i = 1, n do joints[i] = world:distance(floor, discs[i], { collide = false }) end
    for i = 1, n do joints[i]:destroy() end
    world:step()
  end
end)
operation("joints without collision between a body of n shapes and another: created, destroyed one by one", function(n)
  local world, _, floor, discs = tiles(n)
  return function()
    for _ = 1, n do world:distance(floor, discs[1], { collide = false }):destroy() end
    world:step()
  end
end)
operation("constraints without collision between a body of n contacts and two others: created, destroyed", function(n)
  local world, _, floor, discs = tiles(n)
  local constraints, options = {}, { C = function(_, a, b) return b.x - a.x end, collide = false }
  return function()
    for i = 1, n do constraints[i] = world:constraint(floor, discs[i], discs[i % n + 1], options) end
    for i = 1, n do constraints[i]:destroy() end
    world:step()
  end
end)
operation("shapes of one body: destroyed while iterating", function(n)
  local _, _, floor = tiles(n)
  return function() for shape in floor:shapes() do shape:destroy() end end
end)
operation("sensors of one body: each sensor's overlaps iterated", function(n)
  local world, shapes = quiet { sleep = false }, {}
  local floor = world:body { type = "static" }
  for i = 1, n do
    shapes[i] = floor:box { 0.9, 1, center = { i, 0 }, sensor = true }
    disc(world, i, 0.5, 0.4, nil, { group = -1 })
  end
  world:step()
  return function() for i = 1, n do for _ in shapes[i]:overlaps() do end end end
end)


-- Build n bodies at rest but awake, each on its own floor.
local function apart(n, options)
  options = options or { sleep = false }
  local world, bodies = impel.world(options), {}
  local floor = world:body { type = "static" }
  for i = 1, n do
    floor:box { 1, 1, center = { 2 * i, 0 } }
    bodies[i] = disc(world, 2 * i, 0.9, 0.4, { name = "body " .. i })
  end
  world:step(2)
  return world, bodies, floor
end

local function of_world(name, prepare, act, sizes)
  operation(name, function(n)
    local world, a, b = prepare(n)
    return function() act(world, n, a, b) end
  end, sizes)
end

of_world("world of n bodies: created", function() end, function(_, n) apart(n) end)
of_world("world of n bodies: destroyed", apart, function(world) world:destroy() end)
of_world("world of n bodies: step", apart, function(world) world:step() end)
of_world("world of n bodies: each body's contacts iterated", apart, function(_, _, bodies)
  for i = 1, #bodies do for _ in bodies[i]:contacts() do end end
end)
of_world("world of n bodies: each body destroyed after its contacts are iterated", apart, function(_, _, bodies)
  for i = 1, #bodies do
    for _ in bodies[i]:contacts() do end
    bodies[i]:destroy()
  end
end)
of_world("world of n bodies: teleport each", apart, function(_, _, bodies)
  for i = 1, #bodies do bodies[i]:set_position(2 * i, 3) end
end)
of_world("world of n bodies: floor disabled and enabled", apart, function(world, _, _, floor)
  floor.enabled = false
  world:step()
  floor.enabled = true
  world:step()
end)
of_world("world of n bodies: each body's type set", apart, function(world, _, bodies)
  for i = 1, #bodies do bodies[i].type = "kinematic" end
  world:step()
  for i = 1, #bodies do bodies[i].type = "dynamic" end
  world:step()
end)
of_world("world of n bodies: each body's friction set", apart, function(_, _, bodies)
  for i = 1, #bodies do for shape in bodies[i]:shapes() do shape.friction = 0.5 end end
end)
of_world("world of n bodies: each destroyed in a handler", apart, function(world, _, bodies)
  world:on("substep", function()
    for i = 1, #bodies do if bodies[i]:is_valid() then bodies[i]:destroy() end end
  end)
  world:step()
end)
-- A loop lists the objects at its start, so the cost of its start is proportional to their number.
of_world("world of n bodies: each destroyed while iterating", apart, function(world)
  for body in world:bodies() do body:destroy() end
end, MANY)
of_world("world of n bodies: each found by its name", apart, function(world, n)
  for i = 1, n do world:find("body " .. i) end
end, MANY)
of_world("n bodies and n joints: created, found by name, renamed, destroyed", function()
  return quiet()
end, function(world, n)
  for i = 1, n do
    local body = world:body { name = "body " .. i, position = { i, 0 } }
    world:distance(world.ground, body, { name = "joint " .. i })
    world:find("joint " .. i)
    world:find("body " .. i).name = "other " .. i
  end
  for i = n, 1, -1 do
    world:find("joint " .. i):destroy()
    world:find("other " .. i):destroy()
  end
end)
for _, inside in ipairs { false, true } do
  of_world("n bodies with the same name: found and destroyed" .. (inside and " in a handler" or ""), function(n)
    local world = quiet()
    for i = 1, n do world:body { name = "brick", position = { i, 0 } } end
    return world
  end, function(world)
    local function clear()
      for brick in function() return world:find "brick" end do brick:destroy() end
    end
    if not inside then return clear() end
    world:on("substep", clear)
    world:step()
  end, not inside and MANY or nil)
end
of_world("world of n bodies: hash", apart, function(world) return world.hash end)
of_world("world of n bodies: snapshot", apart, function(world) return world:snapshot() end)
of_world("world of n bodies: restored", function(n)
  local world = apart(n)
  return world, world:snapshot()
end, function(world, _, bytes) world:restore(bytes) end)
of_world("world of n bodies: two steps recorded", apart, function(world)
  world:record()
  world:step(2)
end)
of_world("world of n bodies: compared", function(n) return apart(n), (apart(n)) end,
  function(world, _, other) world:difference(other) end)
of_world("world of n bodies: exported", apart, function(world) world:export() end)
of_world("world of n bodies: loaded from data", function(n)
  local world = apart(n)
  return world, (world:export())
end, function(_, _, data) impel.load_data(data) end)
of_world("world of n bodies: doctor", apart, function(world) world:doctor() end)
of_world("world of n bodies: gravity set, wakes all", function(n) return apart(n, {}) end, function(world)
  world:step(60)
  world:set_gravity(0, -9)
  world:step()
end)
of_world("world of n bodies: 4 bodies become non-finite", apart, function(world, n, bodies)
  for k = 1, 4 do bodies[k * n // 4]:apply_force(1e14, 0) end
  world:step()
end)

-- Build a heap of n discs in 100 columns. Neighbouring discs overlap by 20 mm.
local function heap(n)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 2 * n, 1, center = { 0, -0.5 } }
  for i = 0, n - 1 do disc(world, (i % 100) * 0.8, 0.4 + (i // 100) * 0.8, 0.41) end
  world:step(2)
  return world
end
of_world("heap of n bodies: step", heap, function(world) world:step() end)
of_world("disc with n contacts: step", function(n)
  local world = quiet { sleep = false }
  rim(n, world)
  world:step(2)
  return world
end, function(world) world:step() end)

of_world("box on n edges: raised and lowered again", function(n)
  local world, edges = impel.world { sleep = false }, {}
  for i = 1, n do edges[i] = { 0.1 * (n - i), 0 } end
  world:body { type = "static" }:chain { points = edges }
  local box = world:body { position = { 0.05 * n, 0.5 } }
  box:box { 0.1 * n, 1 }
  world:step(2)
  return world, box
end, function(world, n, box)
  for i = 1, 4 do
    box:set_pose(0.05 * n, 0.5 + 0.03 * (i % 2), 0) -- 0 or 30 mm above the edges; contacts persist
    world:step()
  end
end)

of_world("n bullets near one another, a body at 900 m/s: step", function(n)
  local world, side = quiet { sleep = false }, math.floor(math.sqrt(n)) + 1
  for i = 1, n do
    disc(world, 0.3 * (i % side), 0.3 * (i // side), 0.05, { bullet = true, velocity = { 0, 20 } })
  end
  disc(world, -50, -50, 0.01, { velocity = { 900, 0 } })
  return world
end, function(world) world:step() end)
of_world("bullet along n moving discs: step", function(n)
  local world = quiet { sleep = false }
  for i = 1, n do disc(world, i, 0, 0.3) end
  disc(world, 0, 0, 0.1, { bullet = true, velocity = { 60 * n, 0 } })
  return world
end, function(world) world:step() end)
of_world("n bullets hit n discs: step", function(n)
  local world = quiet { sleep = false }
  for i = 1, n do
    disc(world, 0, i, 0.2)
    disc(world, -2, i, 0.1, { bullet = true, velocity = { 240, 0 } })
  end
  return world
end, function(world) world:step() end)

local function chain(n)
  local world = quiet { sleep = false }
  local bodies = points(world, n + 1)
  for i = 1, n do world:revolute(bodies[i], bodies[i + 1], { anchor = { i + 0.5, 0 } }) end
  return world, bodies
end
of_world("chain of n links: step", chain, function(world) world:step() end)
of_world("chain of n links: all joints severed, and a step", chain, function(world, _, bodies)
  for i = 1, #bodies - 1 do for joint in bodies[i]:joints() do joint:sever() end end
  world:step()
end)
of_world("chain of n links: falls asleep and wakes", function(n)
  local world = quiet()
  local bodies = points(world, n + 1)
  for i = 1, n do world:revolute(bodies[i], bodies[i + 1], { anchor = { i + 0.5, 0 } }) end
  return world, bodies
end, function(world, n, bodies)
  world:step(40)
  for i = 1, n, n // 10 do
    bodies[i].awake = true
    bodies[i].awake = false
  end
end)
for _, case in ipairs { { "body", "star" }, { "static", "star about a static body" } } do
  of_world(case[2] .. " of n joints: centre destroyed", function(n)
    local world = quiet()
    local hub, bodies = world:body { type = case[1] == "static" and "static" or "dynamic" }, points(world, n)
    for i = 1, n do world:distance(hub, bodies[i], { collide = false }) end
    world:step()
    return world, hub
  end, function(_, _, hub) hub:destroy() end, MANY)
end
of_world("star of n joints, bodies overlap without collision: step", function(n)
  local world = quiet { sleep = false }
  local hub, bodies = disc(world, 0, 0, 0.05 * n), {}
  for i = 1, n do
    local angle = 2 * math.pi * i / n
    bodies[i] = disc(world, 0.05 * n * impel.math.cos(angle), 0.05 * n * impel.math.sin(angle), 0.01)
    world:revolute(hub, bodies[i], { collide = false })
  end
  return world
end, function(world) world:step() end)
for _, kind in ipairs { "revolute", "weld" } do
  of_world(("star of n joints (%s): one destroyed, and a step"):format(kind), function(n)
    local world = quiet { sleep = false }
    local hub, bodies = disc(world, 0, 0, 1), points(world, n)
    local last
    for i = 1, n do last = world[kind](world, hub, bodies[i], { anchor = { i, 0 } }) end
    world:step()
    return world, last
  end, function(world, _, last)
    last:destroy()
    world:step()
  end)
end
for _, inside in ipairs { false, true } do
  of_world("n joints, each geared to the same joint: destroyed" .. (inside and " in a handler" or ""), function(n)
    local world = quiet()
    local hub, bodies, joints = world:body {}, points(world, n), {}
    local first = world:revolute(world.ground, hub, {})
    for i = 1, n do joints[i] = world:revolute(world.ground, bodies[i], {}) end
    for i = 1, n do world:gear { joint1 = first, joint2 = joints[i] } end
    return world, joints
  end, function(world, n, joints)
    local function clear() for i = n, 1, -1 do if joints[i]:is_valid() then joints[i]:destroy() end end end
    if not inside then return clear() end
    world:on("substep", clear)
    world:step()
  end)
end
of_world("constraint of n bodies: step", function(n)
  local world = quiet()
  return world, points(world, n)
end, function(world, n, bodies)
  for i = 1, n - 7, 8 do
    world:constraint(bodies[i], bodies[i + 1], bodies[i + 2], bodies[i + 3],
      { C = function(a, b, c, d) return a.x + b.x - c.x - d.x end })
  end
  world:step()
end)

local function row(n)
  local world = quiet()
  local body = world:body { type = "static" }
  for i = 1, n do body:box { 0.9, 1, center = { i, 0 } } end
  world:step()
  return world
end
local QUERIES = {
  { "ray through n shapes, all hits", function(world, n) world:raycast_all(0, 0, n + 1, 0.1) end },
  { "ray through n shapes, the first", function(world, n) world:raycast(n + 1, 0, 0, 0.1) end },
  { "n rays that each hit one of n shapes",
    function(world, n) for i = 1, n do world:raycast(i, 5, i, -5) end end },
  { "box over n shapes", function(world, n) world:overlap_box(0, -1, n + 1, 1) end },
  { "n box queries that each hit one of n shapes", function(world, n)
    for i = 1, n do world:overlap_box(i - 0.1, -1, i + 0.1, 1) end
  end },
  { "n queries for the nearest of n shapes", function(world, n) for i = 1, n do world:nearest(i, 2) end end },
  { "circle cast along n shapes, all hits",
    function(world, n) world:shapecast_all({ radius = 0.1, position = { 0, 0 } }, n + 1, 0) end },
}
for _, query in ipairs(QUERIES) do of_world(query[1], row, query[2], MANY) end

of_world("chain shape of n points: created and stepped", function(n)
  local world, list = quiet(), {}
  for i = 1, n do list[i] = { i, i % 2 } end
  return world, list
end, function(world, _, list)
  world:body { type = "static" }:chain { points = list }
  world:step()
end)
of_world("mover among n shapes: step", function(n)
  local world = row(n)
  world:mover { position = { n / 2, 0.6 } }
  world:step()
  return world
end, function(world) world:step() end)
of_world("field of n bodies: bodies added and removed in order", function(n)
  local world = quiet()
  return world, world:field { kind = "drag", linear = 1, bodies = {} }, points(world, n)
end, function(world, n, field, bodies)
  for i = 1, n do field:add(bodies[i]) end
  world:step()
  for i = 1, n do field:remove(bodies[i]) end
end)
of_world("drives of n joints set and read in a handler", chain, function(world, _, bodies)
  local first = true
  world:on("substep", function()
    if not first then return end
    first = false
    for i = 1, #bodies - 1 do
      for joint in bodies[i]:joints() do
        local coordinate = joint:coordinate "angle"
        coordinate:set_motor { speed = 1, max_force = 1 }
        coordinate:drives()
      end
    end
  end)
  world:step()
end)
of_world("filters of n shapes set in a handler", apart, function(world, _, bodies)
  local first = true
  world:on("substep", function()
    if not first then return end
    first = false
    for i = 1, #bodies do for shape in bodies[i]:shapes() do
      shape.category = 2
      shape.mask = 3
    end end
  end)
  world:step()
end)
of_world("n handlers: snapshot and restore", function(n)
  local world, handlers = quiet(), {}
  for i = 1, n do handlers[i] = world:on("step", print) end
  local bytes = world:snapshot()
  for _ = 1, n do world:on("step", print, { outside = true }) end
  for i = 1, n, 2 do handlers[i]:destroy() end
  return world, bytes
end, function(world, _, bytes) world:restore(bytes) end)
of_world("n tables of state: snapshot and restore", function(n)
  local world = quiet()
  for i = 1, n do world:state { i } end
  return world
end, function(world) world:restore(world:snapshot()) end)
of_world("n events for a handler", function(n) return apart(n) end, function(world, _, bodies)
  local count = 0
  world:on("end_contact", function() count = count + 1 end)
  for i = 1, #bodies do bodies[i]:set_position(2 * i, 5) end
  world:step()
end)
of_world("group of n bodies: bodies added, iterated, removed and destroyed", function(n)
  local world = quiet()
  return world, points(world, n)
end, function(_, _, bodies)
  local group = impel.group()
  for _, body in ipairs(bodies) do group:add(body) end
  for _, body in group:each() do body:set_velocity(0, 0) end
  for _, body in ipairs(bodies) do
    group:remove(body)
    body:destroy()
  end
end)
of_world("group of n bodies: each removed and added again", function(n)
  local world = quiet()
  local bodies = points(world, n)
  return world, impel.group(bodies), bodies
end, function(_, _, group, bodies)
  for _, body in ipairs(bodies) do
    group:remove(body)
    group:add(body)
  end
end)
of_world("n times impel.replay: created, stepped, destroyed", function(n)
  local world = quiet()
  return world, points(world, n), impel.track { keys = { { time = 0, x = 0 }, { time = 1, x = 1 } } }
end, function(world, n, bodies, track)
  local made = {}
  for i = 1, n do made[i] = impel.replay(bodies[i], track) end
  world:step()
  for i = 1, n do made[i]:destroy() end
end)
operation("track of n keys: created, sampled", function(n)
  return function()
    local keys = {}
    for i = 1, n do keys[i] = { time = i, x = i % 3 } end
    local track = impel.track { keys = keys }
    for i = 1, n do track:sample(i + 0.5) end
  end
end)


-- Controllers ---------------------------------------------------------------------------------------------------------

local function hinge(world)
  return world:revolute(world:body {}, world:body { position = { 1, 0 } }, {})
end
local CONTROLLERS = {
  law = { force = function() return 0 end },
  motor = { stall_torque = 1, no_load_speed = 1 },
  pd = { kp = 1, kd = 1 },
  pid = { kp = 1 },
  stable_pd = { kp = 1, kd = 1 },
}
local function of_controllers(kind, on_one)
  local where = on_one and "one coordinate" or "one coordinate each"
  of_world(("n times impel.%s on %s: created, stepped, destroyed"):format(kind, where), function(n)
    local world, joints, options = quiet(), {}, {}
    for i = 1, n do joints[i] = on_one and joints[1] or hinge(world) end
    for name, value in pairs(CONTROLLERS[kind]) do options[name] = value end
    options.enabled = not on_one -- a coordinate may have only one enabled controller: made[1]
    return world, joints, options
  end, function(world, n, joints, options)
    local made = {}
    for i = 1, n do made[i] = impel[kind](joints[i], options) end
    made[1].enabled = true
    world:step()
    for i = 1, n do made[i]:destroy() end
  end)
end
for _, kind in ipairs { "law", "motor", "pd", "pid", "stable_pd" } do of_controllers(kind, false) end
for _, kind in ipairs { "law", "pd", "pid", "stable_pd" } do of_controllers(kind, true) end

of_world("n times impel.timed_force on one body: created, stepped, destroyed", function()
  local world = quiet()
  return world, (disc(world, 0, 0, 1))
end, function(world, n, body)
  local made = {}
  for i = 1, n do made[i] = impel.timed_force(body, { force = { 1, 0 }, duration = 1 }) end
  world:step()
  for i = 1, n do made[i]:destroy() end
end)
of_world("n times impel.muscle between two bodies: created, stepped, destroyed", function()
  local world = quiet()
  return world, disc(world, 0, 0, 1), disc(world, 3, 0, 1)
end, function(world, n, a, b)
  local made = {}
  for i = 1, n do made[i] = impel.muscle({ { a, 0, 0.5 }, { b, 0, 0.5 } }, { max_force = 1, optimal_length = 3 }) end
  world:step()
  for i = 1, n do made[i]:destroy() end
end)
of_world("posture of n joints: created, set, stepped, saved, destroyed", function(n)
  local world, joints = quiet(), {}
  for i = 1, n do joints["j" .. i] = hinge(world) end
  return world, joints
end, function(world, _, joints)
  local posture, pose = impel.posture(joints, { stiffness = 1, damping = 1 }), {}
  for name in pairs(joints) do pose[name] = 0.1 end
  posture:set(pose)
  world:step()
  world:snapshot()
  posture:destroy()
end)
of_world("chain of n links: impel.virtual_force along it", chain, function(world, n, bodies)
  impel.virtual_force(bodies[1], bodies[n], { force = { 0, 1 } })
  world:step()
end)
of_world("state machine of n states: created, all entered, destroyed", function() return quiet() end, function(world, n)
  local states = {}
  for i = 1, n do states["s" .. i] = { { to = "s" .. (i % n + 1), when = function() return true end } } end
  local machine = impel.state_machine(world, { initial = "s1", states = states })
  for i = 1, n do machine:go("s" .. i) end
  machine:destroy()
end)


-- The Lua part of a snapshot ------------------------------------------------------------------------------------------

-- Tables of n fields: function(i, world) -> key, value. No two keys have the same hash.
local STATES = {
  { "whole numbers as keys", function(i) return i * 1000, true end },
  { "numbers as keys", function(i) return i + 0.5, true end },
  { "strings as keys", function(i) return "key " .. i, true end },
  { "bodies as keys", function(_, world) return world:body {}, true end },
  { "tables", function(i) return i, { name = "n" .. i } end },
  { "coordinates", function(i, world) return i, hinge(world):coordinate "angle" end },
  { "destroyed bodies", function(i, world)
    local body = world:body { name = "x" }
    body:destroy()
    return i, body
  end },
}
local function of_state(name, fill, sizes)
  of_world("state of n " .. name .. ": snapshot, emptied, restored", function(n)
    local world = quiet()
    return world, world:state(fill(n, world))
  end, function(world, _, state)
    local bytes = world:snapshot()
    for key in next, state do state[key] = nil end
    world:restore(bytes)
  end, sizes)
end
for _, case in ipairs(STATES) do
  of_state(case[1], function(n, world)
    local state = {}
    for i = 1, n do
      local key, value = case[2](i, world)
      state[key] = value
    end
    return state
  end)
end
of_state("references to one table", function(n)
  local state, one = {}, { 1 }
  for i = 1, n do state[i] = one end
  return state
end)
of_state("tables in a chain", function(n)
  local state = {}
  local at = state
  for i = 1, n do
    at.next = { i }
    at = at.next
  end
  return state
end)
of_state("objects with __save", function(n)
  local state = {}
  local class = {
    __save = function(self) return { x = self.x } end,
    __load = function(self, saved) self.x = saved.x end,
  }
  for i = 1, n do state[i] = setmetatable({ x = i }, class) end
  return state
end)
of_state("other worlds", function(n)
  local state = {}
  for i = 1, n do state[i] = impel.world {} end
  return state
end, { 100, 1000 })
of_world("n tables of state: registered and forgotten", function() return quiet() end, function(world, n)
  local made = {}
  for i = 1, n do made[i] = world:state { i } end
  for i = 1, n do world:forget_state(made[i]) end
end)
of_world("data of n bodies: set, snapshot and restore, unset", function(n)
  local world = quiet()
  return world, points(world, n)
end, function(world, n, bodies)
  for i = 1, n do bodies[i].data = { i } end
  world:restore(world:snapshot())
  for i = 1, n do bodies[i].data = nil end
end)


-- Recordings, events, the rest ----------------------------------------------------------------------------------------

local function recorded(name, act)
  of_world(name .. ": recorded and played", function(n)
    local world = quiet { sleep = false }
    return world, points(world, n)
  end, function(world, n, bodies)
    local recording = assert(world:record())
    act(world, n, bodies)
    recording:close()
    local played = assert(impel.playback(recording:take()))
    while played:step() do end -- luacheck: ignore 542
    for i = 1, 4 do played:seek(i * played.last // 4) end
  end)
end
recorded("n impulses in one step", function(world, n, bodies)
  for i = 1, n do bodies[i]:apply_impulse(1, 0) end
  world:step()
end)
recorded("n forces in a handler", function(world, n, bodies)
  world:on("substep", function() for i = 1, n do bodies[i]:apply_force(1, 0) end end)
  world:step()
end)
recorded("n bodies created and destroyed in one step", function(world, n)
  local made = {}
  for i = 1, n do made[i] = disc(world, i, 5, 0.1) end
  for i = 1, n do made[i]:destroy() end
  world:step()
end)
operation("n steps: recorded, played and sought", function(n)
  local world = quiet { sleep = false }
  disc(world, 0, 0, 1)
  return function()
    local recording = assert(world:record())
    world:step(n)
    recording:close()
    local played = assert(impel.playback(recording:take()))
    while played:step() do end -- luacheck: ignore 542
    for i = 1, 4 do played:seek(i * n // 4) end
  end
end)
operation("world:record started and stopped n times", function(n)
  local world = quiet()
  return function()
    for _ = 1, n do
      local recording = assert(world:record())
      world:step()
      recording:close()
    end
  end
end)

of_world("n events read by handlers and by world:events", function(n) return apart(n) end, function(world, n, bodies)
  world:on("step", function() for event in world:events "end_contact" do assert(event.shape_a) end end)
  for i = 1, n do bodies[i]:set_position(2 * i, 5) end
  world:step(2)
end)
of_world("n events: read after their bodies are destroyed", function(n) return apart(n) end, function(world, n, bodies)
  for i = 1, n do bodies[i]:set_position(2 * i, 5) end
  world:step()
  for i = 1, n do bodies[i]:destroy() end
  for event in world:events "end_contact" do assert(tostring(event.shape_a)) end
  world:snapshot()
end)
of_world("n handlers that destroy themselves", function(n)
  local world = quiet()
  for _ = 1, n do
    local handler
    handler = world:on("step", function() handler:destroy() end)
  end
  return world
end, function(world) world:step(2) end)
for _, breaks in ipairs { false, true } do
  of_world("n joints with break_if: created, stepped, " .. (breaks and "broken" or "destroyed"), function(n)
    local world = quiet { sleep = false }
    return world, points(world, n)
  end, function(world, n, bodies)
    local made = {}
    for i = 1, n do
      made[i] = world:revolute(world.ground, bodies[i], { break_if = function() return breaks end })
    end
    world:on("joint_break", function(event) assert(event.joint.broken) end)
    world:step(2)
    for i = 1, n do made[i]:destroy() end
    world:step()
  end)
end
for _, inside in ipairs { false, true } do
  of_world("star of n joints: all joints severed" .. (inside and " in a handler" or ""), function(n)
    local world = quiet { sleep = false }
    local hub, bodies, joints = world:body {}, points(world, n), {}
    for i = 1, n do joints[i] = world:distance(hub, bodies[i], {}) end
    world:step()
    return world, joints
  end, function(world, n, joints)
    local function sever() for i = 1, n do if not joints[i].broken then joints[i]:sever() end end end
    if inside then world:on("substep", sever) else sever() end
    world:step()
  end)
end
for _, solver in ipairs { "soft", "si", "direct", "reduced" } do
  of_world("motors of n joints set in each substep: step of " .. solver, function(n)
    local world, coordinates = quiet { sleep = false, solver = solver }, {}
    for i = 1, n do coordinates[i] = hinge(world):coordinate "angle" end
    return world, coordinates
  end, function(world, n, coordinates)
    world:on("substep", function()
      for i = 1, n do coordinates[i]:set_motor { speed = 1, max_force = 1 } end
    end)
    world:step(2)
  end)
end
of_world("field of n bodies: created, stepped, bodies destroyed", function(n)
  local world = quiet { sleep = false }
  return world, points(world, n)
end, function(world, n, bodies)
  world:field { kind = "drag", linear = 1, bodies = bodies }
  world:step()
  for i = 1, n do bodies[i]:destroy() end
  world:step()
end)
-- Create n bodies without shapes, each with a field that acts only on this body.
local function a_field_each(options)
  return function(n)
    local world, fields = quiet { sleep = false }, {}
    local bodies = points(world, n)
    for i = 1, n do
      options.bodies = { bodies[i] }
      fields[i] = world:field(options)
    end
    return world, fields, bodies
  end
end
local drag_each = a_field_each { kind = "drag", linear = 1 }
of_world("n fields over one body each: created", function() end, function(_, n) drag_each(n) end)
of_world("n fields over one body each: step", drag_each, function(world) world:step() end)
of_world("n fields over one body each: options of each field read", drag_each, function(_, n, fields)
  for i = 1, n do fields[i]:options() end
end)
of_world("n fields over one body each: snapshot and restore", drag_each, function(world)
  world:restore(world:snapshot())
end)
of_world("n fields over one body each: fields destroyed, shuffled", drag_each, function(_, n, fields)
  for _, i in ipairs(shuffled(n)) do fields[i]:destroy() end
end)
of_world("n fields over one body each: bodies destroyed, shuffled", drag_each, function(_, n, _, bodies)
  for _, i in ipairs(shuffled(n)) do bodies[i]:destroy() end
end)
of_world("n dynamic fields over one body each: step",
  a_field_each { kind = "custom", dynamic = true, law = function(b) return -b.x, -b.y end },
  function(world) world:step() end)
of_world("field of n bodies: bodies added and removed, shuffled", function(n)
  local world = quiet()
  return world, world:field { kind = "drag", linear = 1, bodies = {} }, points(world, n)
end, function(_, n, field, bodies)
  local order = shuffled(n)
  for i = 1, n do field:add(bodies[order[i]]) end
  for i = 1, n do field:remove(bodies[order[n + 1 - i]]) end
end, MANY)
of_world("n fields over one body: created, the body destroyed", function()
  local world = quiet()
  return world, world:body {}
end, function(world, n, body)
  for _ = 1, n do world:field { kind = "uniform", force = { 0, 0 }, bodies = { body } } end
  world:step()
  body:destroy()
end)
of_world("n fields over one body: step", function(n)
  local world = quiet { sleep = false }
  disc(world, 0, 0, 1)
  for _ = 1, n do world:field { kind = "uniform", force = { 0, 0 } } end
  return world
end, function(world) world:step() end)
of_world("custom field over n bodies: step", function(n)
  local world = quiet { sleep = false }
  points(world, n)
  world:field { kind = "custom", law = function(b) return -b.x, -b.y end }
  return world
end, function(world) world:step() end)
of_world("filters of n shapes, functions: set, stepped, snapshot", apart, function(world, n, bodies)
  for i = 1, n do for shape in bodies[i]:shapes() do shape.filter = function() return true end end end
  world:step()
  world:snapshot()
end)
of_world("n shapes of 200 mixed materials: created, stepped", function(n)
  local world = quiet()
  for i = 1, 200 do world:material("m" .. i, { friction = 0.1 }) end
  return world, points(world, n)
end, function(world, n, bodies)
  for i = 1, n do bodies[i]:circle { radius = 0.1, material = "m" .. (i % 200 + 1) } end
  for i = 1, 199 do world:mix("m" .. i, "m" .. i + 1, { friction = 0.5 }) end
  world:step()
end)
of_world("n bodies with the same name: each renamed, twice", function(n)
  local world, bodies = quiet(), {}
  for i = 1, n do bodies[i] = world:body { name = "brick", position = { i, 0 } } end
  return world, bodies
end, function(world, n, bodies)
  for i = 1, n do bodies[i].name = "stone" end
  for i = n, 1, -1 do
    bodies[i].name = "brick"
    assert(world:find "brick")
  end
end)
of_world("world of n bodies: rows and contacts read", apart, function(world)
  for each in world:rows() do assert(each.impulse) end
  for contact in world:contacts() do assert(contact.shape_a) end
end)
of_world("n rays of world:raycast_many that each hit one of n shapes", row, function(world, n)
  local rays = {}
  for i = 1, n do table.move({ i, 5, i, -5 }, 1, 4, #rays + 1, rays) end
  world:raycast_many(rays, {})
end)
of_world("ray through n shapes with a predicate, all hits", row, function(world, n)
  world:raycast_all(0, 0, n + 1, 0.1, { predicate = function() return true end })
end)
of_world("group of n bodies: counted after each destruction", function(n)
  local world = quiet()
  local bodies = points(world, n)
  return world, impel.group(bodies), bodies
end, function(_, n, group, bodies)
  for i = 1, n do
    bodies[i]:destroy()
    assert(#group == n - i)
  end
end)
of_world("group of n bodies: the first body destroyed, n times", function(n)
  local world = quiet()
  return world, impel.group(points(world, n))
end, function(_, n, group)
  for _ = 1, n do
    local walk, list, start = group:each()
    select(2, walk(list, start)):destroy()
  end
end)
of_world("group of n links: copied", function(n)
  local world, bodies = chain(n)
  return world, impel.group(bodies)
end, function(_, _, group) group:copy(0, 5) end)

for _, ending in ipairs { "csv", "jsonl" } do
  for _, wide in ipairs { false, true } do
    operation(("trace of n %s, %s: written and read"):format(wide and "columns" or "rows", ending), function(n)
      local recorder, values, rows = require "impel.recorder", {}, wide and 2 or n
      for i = 1, wide and n or 2 do values["c" .. i] = i end
      return function()
        local path = os.tmpname()
        os.remove(path)
        local out = assert(recorder.open(path .. "." .. ending))
        for k = 1, rows do out:row(k, values) end
        out:close()
        local trace = assert(impel.trace.read(path .. "." .. ending))
        os.remove(path .. "." .. ending)
        for _, column in ipairs(trace.columns) do trace:statistics(column) end
      end
    end)
  end
end
operation("queue of n items: added, removed", function(n)
  local waiting = require("impel.sandbox.queue").new()
  return function()
    for i = 1, n do waiting:add(i) end
    for i = 1, n do assert(waiting:take() == i) end
  end
end, MANY)


-- Counting ------------------------------------------------------------------------------------------------------------

-- Run an operation for each of its sizes, in the child process.
local function run(it, most)
  local count = require "counter"
  collectgarbage "stop" -- garbage collection would add instructions that depend on the heap
  for i, n in ipairs(it.sizes) do count(it.prepare(i == 2 and most > 0 and most or n)) end
end

local function start(index, most)
  local profile = ("%s/scale.%d"):format(build, index)
  os.execute(("rm -f '%s' '%s'.*"):format(profile, profile))
  return assert(io.popen((
    [[exec env -i LUA_PATH='scripts/?.lua;scripts/?/init.lua;;' LUA_CPATH='%s/lua/?.so;%s/bench/?.so;;' ]]
    .. [["$(command -v valgrind)" --tool=callgrind --instr-atstart=no --callgrind-out-file='%s' ]]
    .. [["$(command -v "${LUA:-lua5.4}")" spec/tools/scale.lua '%s' --run %d %d 2>&1]])
    :format(build, build, profile, build, index, most or 0)))
end

-- Wait for a child process. Return the counted instructions for each size.
local function finish(index, pipe)
  local it, counts = OPERATIONS[index], {}
  local profile = ("%s/scale.%d"):format(build, index)
  local said = pipe:read "a"
  local ended = pipe:close()
  for i = 1, #it.sizes do
    local file = io.open(("%s.%d"):format(profile, i))
    counts[i] = file and tonumber(file:read("a"):match "\ntotals: (%d+)" or nil)
    if file then file:close() end
  end
  os.execute(("rm -f '%s' '%s'.*"):format(profile, profile))
  if not ended or #counts < #it.sizes then
    io.stderr:write(("scale: %s was not counted:\n%s"):format(it.name, said))
    os.exit(2, true)
  end
  return counts
end

local function processors()
  local pipe = assert(io.popen "getconf _NPROCESSORS_ONLN 2>/dev/null")
  local count = math.tointeger(tonumber(pipe:read "l")) or 1
  pipe:close()
  return count
end

local function judge(pattern, most)
  local chosen, wrong, pipes, at_once = {}, {}, {}, processors()
  for i, it in ipairs(OPERATIONS) do
    if not pattern or it.name:find(pattern) then chosen[#chosen + 1] = i end
  end
  print(("%-60s %7s %15s %9s"):format("operation", "n", "instructions/n", "exponent"))
  for i = 1, #chosen + at_once do
    local done = i > at_once and chosen[i - at_once]
    if done then
      local it = OPERATIONS[done]
      local counts, few, many = finish(done, pipes[done]), it.sizes[1], most or it.sizes[2]
      local exponent = math.log(counts[2] / counts[1]) / math.log(many / few)
      print(("%-60s %7d %15.0f %9.2f"):format(it.name, many, counts[2] / many, exponent))
      io.flush()
      if exponent > MOST_EXPONENT then wrong[#wrong + 1] = ("%s: n^%.2f"):format(it.name, exponent) end
    end
    if chosen[i] then pipes[chosen[i]] = start(chosen[i], most) end
  end
  if #wrong > 0 then
    print(("scale: failed, above n^%.1f:\n  %s"):format(MOST_EXPONENT, table.concat(wrong, "\n  ")))
    os.exit(1, true)
  end
  print(("scale: %d operations, none above n^%.1f"):format(#chosen, MOST_EXPONENT))
end

if not build then
  io.stderr:write "scale: use: lua5.4 spec/tools/scale.lua BUILD [PATTERN [MOST]]\n"
  os.exit(2, true)
elseif arg[2] == "--run" then
  run(OPERATIONS[math.tointeger(tonumber(arg[3]))], math.tointeger(tonumber(arg[4])))
elseif not os.execute "command -v valgrind >/dev/null" then
  io.stderr:write "scale: valgrind is not installed (sh .ci/deps gate)\n"
  os.exit(2, true)
else
  judge(arg[2], math.tointeger(tonumber(arg[3])))
end
