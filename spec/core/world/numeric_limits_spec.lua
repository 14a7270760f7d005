-- Limits of numbers: mass ratios, joints on one body, coordinates, lengths of a step, the clock.
local impel = require "impel"

local SOLVERS = require("support.kinds").solvers

local function count(world, kind)
  local n = 0
  for _ in world:events(kind) do n = n + 1 end
  return n
end

describe("masses of 10^6 : 1", function()
  local function box(world, x, y, mass)
    local body = world:body { position = { x, y }, mass = mass }
    body:box { 1, 1 }
    return body
  end

  local scenes = {
    ["a light box under a heavy one"] = function(world) box(world, 0, 0.5, 1) box(world, 0, 1.5, 1e6) end,
    ["a light box on a heavy one"] = function(world) box(world, 0, 0.5, 1e6) box(world, 0, 1.5, 1) end,
    ["a light box between heavy ones"] = function(world)
      box(world, 0, 0.5, 1e6)
      box(world, 0, 1.5, 1)
      box(world, 0, 2.5, 1e6)
    end,
    ["a heavy box that falls on a light one"] = function(world) box(world, 0, 0.5, 1) box(world, 0, 5, 1e6) end,
    ["a light bob on a heavy chain"] = function(world)
      local last = world.ground
      for i = 1, 6 do
        local light = i == 6
        local body = world:body { position = { i, 10 }, mass = light and 1 or 1e6, inertia = light and 0.1 or 1e5 }
        world:revolute(last, body, { anchor = { i - 1, 10 } })
        last = body
      end
    end,
    ["a light box welded to a heavy one"] = function(world)
      world:weld(box(world, 0, 5, 1e6), box(world, 1, 5, 1), {})
    end,
    ["a light box on the stiffest spring"] = function(world)
      world:distance(world.ground, box(world, 0, 5, 1), { spring = { stiffness = 1e12, damping = 0 } })
    end,
  }

  for name, make in pairs(scenes) do
    it("in " .. name .. " keep their energy and finite states under every solver", function()
      for _, solver in ipairs(SOLVERS) do
        local world = impel.world { solver = solver }
        world:body({ type = "static" }):box { 100, 1, center = { 0, -0.5 } }
        make(world)
        local kinetic, potential = world:energy()
        local start = kinetic + potential
        for _ = 1, 300 do
          world:step()
          assert.equal(0, count(world, "fault"), solver)
          kinetic, potential = world:energy()
          -- Corrections of overlap and drift lift bodies by millimetres. The acceleration solver lets bodies bounce.
          assert.is_true(kinetic + potential < 1.03 * start + 1, ("%s: %g of %g J"):format(solver, kinetic + potential,
            start))
        end
        for body in world:bodies() do assert.is_true(body.enabled) end
      end
    end)
  end

  it("in a heavy bob on a light link keep joints within 1 cm with the solvers direct, reduced and rattle", function()
    for _, solver in ipairs { "direct", "reduced", "rattle" } do
      local world = impel.world { solver = solver }
      local link = world:body { position = { 1, 10 }, mass = 1, inertia = 0.1 }
      local bob = world:body { position = { 2, 10 }, mass = 1e6, inertia = 1e5 }
      world:revolute(world.ground, link, { anchor = { 0, 10 } })
      world:revolute(link, bob, { anchor = { 1, 10 } })
      local kinetic, potential = world:energy()
      local start = kinetic + potential
      for _ = 1, 300 do
        world:step()
        kinetic, potential = world:energy()
        assert.is_true(kinetic + potential < 1.02 * start, solver)
        for joint in world:joints() do assert.is_true(joint.separation < 0.01, solver) end -- [m]
      end
    end
  end)

  it("at the end of a chain of joints leave a valid world even if the solver does not converge", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver }
      local last = world.ground
      for i = 1, 6 do
        local body = world:body { position = { i, 10 }, mass = i == 6 and 1e6 or 1, inertia = i == 6 and 1e5 or 0.1 }
        world:revolute(last, body, { anchor = { i - 1, 10 } })
        last = body
      end
      world:step(600)
      for body in world:bodies() do
        local x, y = body:position()
        local vx, vy = body:velocity()
        assert.is_true(math.abs(x) <= 1e7 and math.abs(y) <= 1e7 and vx - vx == 0 and vy - vy == 0, solver)
      end
    end
  end)
end)

describe("10^5 joints on one body", function()
  it("act, and are destroyed with it", function()
    local n = 100000
    local world = impel.world { gravity = { 0, 0 } }
    local hub = world:body { mass = 1e4 }
    for i = 1, n do
      local body = world:body { position = { 2 + i % 300, i // 300 }, mass = 1, inertia = 1 }
      world:distance(hub, body, {})
    end
    hub:apply_impulse(1e4, 0)
    world:step(2)
    local px = world:momentum()
    assert.near(1e4, px, 1) -- error of 10^5 rows in floats
    assert.equal(0, count(world, "fault"))
    local joints = world:counts().joints
    hub:destroy()
    assert.same({ n, 0 }, { joints, world:counts().joints })
    world:step()
    assert.equal(n, count(world, "joint_destroyed"))
  end)
end)

describe("coordinates", function()
  it("give one warning beyond 10^6 m, and disable the body beyond 10^7 m", function()
    for _, solver in ipairs(SOLVERS) do
      local world = impel.world { solver = solver, gravity = { 0, 0 } }
      local body = world:body { position = { 999990, 0 }, velocity = { 300, 0 } } -- 300 m/s: 5 m a step
      body:circle { radius = 1 }
      local told, named = {}, {}
      world:on("warning", function(event) named[#named + 1] = event.body end)
      for step = 1, 6 do
        world:step()
        for _ = 1, count(world, "warning") do told[#told + 1] = step end
      end
      assert.same({ 3 }, told, solver)
      assert.same({ body }, named, solver)
      body:set_position(0, 0)
      world:step()
      body:set_position(2e6, 0)
      world:step()
      -- The body returned below 10^6 m after the first warning, so it gives a second warning.
      assert.equal(1, count(world, "warning"), solver)
      body:set_position(9999995, 0)
      world:step(3)
      assert.is_false(body.enabled, solver)
      local x = body:position()
      assert.is_true(x > 9999990 and x <= 1e7, solver)
    end
  end)

  it("beyond 10^7 m are refused", function()
    local world = impel.world {}
    local body, lift = world:body {}, world:body { type = "kinematic" }
    body:set_position(1e7, -1e7)
    for _, f in ipairs {
      function() body:set_position(1.0000001e7, 0) end,
      function() body:set_center(0, -1.0000001e7) end,
      function() body:set_pose(1e8, 0, 0) end,
      function() lift:move_to(2e7, 0) end,
      function() body:set_velocity(1.0000001e7, 0) end,
      function() world:body { position = { 0, 1.0000001e7 } } end,
    } do
      assert.error_matches(f, "up to 10000000 m")
    end
  end)

  it("beyond 10^7 m disable kinematic bodies and movers", function()
    local world = impel.world {}
    local lift = world:body { type = "kinematic", position = { 9.9e6, 0 }, velocity = { 1e7, 0 } }
    lift:circle { radius = 1 }
    local mover = world:mover { position = { 9.9e6, 50 } }
    mover:set_velocity(1e6, 0)
    local faults = 0
    for _ = 1, 20 do
      world:step()
      faults = faults + count(world, "fault")
    end
    assert.same({ 2, false, false }, { faults, lift.enabled, mover.body.enabled })
  end)
end)

describe("the length of a step", function()
  it("is above 0 and at most 1 s", function()
    local world = impel.world {}
    for _, dt in ipairs { 0, -1, 1.0000001, 0 / 0, math.huge, "x" } do
      local words = "'?dt'? must be a finite number in %[1e%-06, 1%]"
      assert.error_matches(function() impel.world { dt = dt } end, words)
      assert.error_matches(function() world.dt = dt end, words)
    end
    for _, dt in ipairs { 1e-6, 1 } do
      world.dt = dt
      world:step()
      assert.equal(dt, world.dt)
    end
  end)
end)

describe("the error of soft", function()
  local SPAN = 65536e-6 -- length of the motion [s]

  local function new_world(dt, gravity) return impel.world { dt = dt, gravity = { 0, gravity }, sleep = false } end

  -- Integrate q'' = -w^2 sin q of a thin rod by the fourth-order Runge-Kutta method.
  local function swung(q, w_sq)
    local v, n = 0, 2000
    local h = SPAN / n
    local function a(angle) return -w_sq * math.sin(angle) end
    for _ = 1, n do
      local a1, v1 = a(q), v
      local a2, v2 = a(q + h / 2 * v1), v + h / 2 * a1
      local a3, v3 = a(q + h / 2 * v2), v + h / 2 * a2
      local a4, v4 = a(q + h * v3), v + h * a3
      q, v = q + h / 6 * (v1 + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
    end
    return q
  end

  -- Each function creates a world with a given dt. It returns the world, a function that measures, and the result in
  -- closed form.
  local motions = {
    ["a pendulum"] = function(dt)
      local world = new_world(dt, -9.81)
      local rod = world:body { position = { 0.05 * math.sin(1.5), -0.05 * math.cos(1.5) }, angle = 1.5, mass = 1,
        inertia = 0.01 / 12 }
      local joint = world:revolute(world.ground, rod, { anchor = { 0, 0 }, reference_angle = 0 })
      return world, function() return joint.value end, swung(1.5, 147.15)
    end,
    ["a torsion spring"] = function(dt)
      local world = new_world(dt, 0)
      local disc = world:body { mass = 1, inertia = 1 }
      local joint = world:revolute(world.ground, disc, { anchor = { 0, 0 }, spring = { target = 1, stiffness = 300 } })
      return world, function() return joint.value end, 1 - math.cos(math.sqrt(300) * SPAN)
    end,
    ["a mass on a spring"] = function(dt)
      local world = new_world(dt, 0)
      local mass = world:body { mass = 1, inertia = 1 }
      local joint = world:prismatic(world.ground, mass, { anchor = { 0, 0 }, axis = { 1, 0 },
        spring = { target = 1, stiffness = 400 } })
      return world, function() return joint.value end, 1 - math.cos(20 * SPAN)
    end,
    ["a fall of two welded bodies"] = function(dt)
      local world = new_world(dt, -9.81)
      local a = world:body { mass = 1, inertia = 1, velocity = { 3, 5 } }
      local b = world:body { position = { 1, 0 }, mass = 2, inertia = 1, velocity = { 3, 5 } }
      world:weld(a, b, { anchor = { 0.5, 0 } })
      return world, function() return select(2, a:position()) end, 5 * SPAN - 9.81 / 2 * SPAN ^ 2
    end,
    ["a damped flight of two welded bodies"] = function(dt)
      local world = new_world(dt, 0)
      local a = world:body { mass = 1, inertia = 1, velocity = { 3, 0 }, linear_damping = 2 }
      local b = world:body { position = { 1, 0 }, mass = 1, inertia = 1, velocity = { 3, 0 }, linear_damping = 2 }
      world:weld(a, b, { anchor = { 0.5, 0 } })
      return world, function() return (a:position()) end, 3 / 2 * (1 - math.exp(-2 * SPAN))
    end,
    ["a box that slides"] = function(dt)
      local world = new_world(dt, -9.81)
      world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 }, friction = 0.3 }
      local box = world:body { position = { 0, 0.5 }, velocity = { 4, 0 } }
      box:box { 1, 1, friction = 0.3 }
      return world, function() return (box:position()) end, 4 * SPAN - 0.3 * 9.81 / 2 * SPAN ^ 2
    end,
  }

  for name, make in pairs(motions) do
    it("halves with dt, down to dt = 1e-6 s: " .. name, function()
      local last, show = nil, {}
      for halvings = 10, 0, -1 do
        local world, value, expected = make(1e-6 * 2 ^ halvings)
        world:step(math.tointeger(65536 / 2 ^ halvings))
        local err = math.abs(value() - expected)
        show[#show + 1] = ("%.1e"):format(err)
        -- An error of first order halves with dt. 0.6 leaves a margin. Rounding is at most 1e-8 m.
        assert.is_true(not last or err < 0.6 * last + 1e-8, table.concat(show, " "))
        last = err
      end
      if os.getenv "IMPEL_SHOW" then print(name, table.concat(show, " ")) end
    end)
  end

  it("is the same to the bit at small steps, with any width of lanes and number of threads", function()
    local function pile(lanes, threads)
      local world = impel.world { dt = 2e-5, lanes = lanes, threads = threads, sleep = false }
      world:body({ type = "static" }):box { 400, 1, center = { 0, -0.5 } }
      local wheel = world:body { type = "kinematic", position = { -3, 1 }, velocity = { 1, 0 }, angular_velocity = 1 }
      wheel:box { 1, 1 }
      local last
      for i = 1, 600 do
        local body = world:body { position = { i % 40 * 0.99, 0.5 + i // 40 * 0.999 }, velocity = { math.sin(i), -1 },
          linear_damping = i % 3 }
        if i % 2 == 0 then
          body:box { 1, 1, restitution = i % 5 == 0 and 0.8 or 0 }
        else
          body:circle { radius = 0.5, rolling_resistance = i % 3 == 0 and 0.1 or 0 }
        end
        if i % 7 == 0 then world:revolute(last, body, { anchor = { body:position() } }) end
        if i % 11 == 0 then
          world:prismatic(world.ground, body, { anchor = { body:position() }, axis = { 0, 1 }, motor = { speed = 1 } })
        end
        if i % 13 == 0 then world:distance(wheel, body, { spring = { stiffness = 30, damping = 1 } }) end
        last = body
      end
      world:step(60)
      return world.hash
    end
    local hash = pile(4, 1)
    for _, lanes in ipairs { 1, 8, 16 } do assert.equal(hash, pile(lanes, 1)) end
    for _, threads in ipairs { 2, 3 } do assert.equal(hash, pile(8, threads)) end
  end)
end)

describe("the clock", function()
  -- Twenty-five boxes fall into heaps. The hash of a body does not contain the tick.
  local function heap(tick)
    local world, list = impel.world { tick = tick, dt = 1 / 64 }, {}
    world:body({ type = "static" }):box { 100, 1, center = { 0, -0.5 } }
    for i = 1, 5 do
      for side = 0, 4 do
        list[#list + 1] = world:body { position = { side * 0.6, i * 1.1 }, angle = side }
        list[#list]:box { 1, 1 }
      end
    end
    return world, list
  end

  it("is tick x dt at any tick, and the tick does not change the motion", function()
    for _, start in ipairs { 2 ^ 31 - 20, 2 ^ 32 - 20, 2 ^ 33 - 20, 1e15 } do
      local tick = math.tointeger(start)
      local world, boxes = heap(tick)
      local other, others = heap(0)
      for step = 1, 60 do
        world:step()
        other:step()
        assert.equal(tick + step, world.tick)
        assert.equal((tick + step) / 64, world.time)
        for i, box in ipairs(boxes) do assert.equal(others[i].hash, box.hash) end
      end
    end
  end)

  it("refuses a first tick below 0 or above 2^53", function()
    for _, tick in ipairs { -1, 2 ^ 53 + 2, math.maxinteger } do
      assert.has_error(function() impel.world { tick = math.tointeger(tick) or tick } end)
    end
  end)
end)

describe("integers of the API", function()
  local core = require "impel.core"
  local MOST <const> = 1 << 53

  -- Collect all numbers in an object's properties and in results of its methods, recursively.
  local function collect(value, name, seen, found)
    if name:find "[.]category$" or name:find "[.]mask$" then return end -- bit masks may be text
    if math.type(value) == "integer" then
      found.count = found.count + 1
      if math.abs(value) > MOST then found[#found + 1] = name end
    elseif type(value) == "table" and type(getmetatable(value)) ~= "string" and not seen[value] then
      seen[value] = true
      for key, item in next, value do
        collect(key, name .. " key", seen, found)
        collect(item, name .. "." .. tostring(key), seen, found)
      end
    elseif type(value) == "userdata" and not seen[value] then
      seen[value] = true
      local class = getmetatable(value)
      for _, entry in ipairs(core.api()[class] or {}) do
        if entry.kind == "property" then
          local fine, got = pcall(function() return value[entry.name] end)
          if fine then collect(got, class .. "." .. entry.name, seen, found) end
        elseif entry.kind == "method" and entry.signature:find "^%(%) %->" then
          local results = table.pack(pcall(value[entry.name], value))
          for i = 2, results[1] and results.n or 0 do collect(results[i], class .. ":" .. entry.name, seen, found) end
          if results[1] and entry.signature:find "iterator" then
            for item in results[2], results[3], results[4] do
              collect(item, class .. ":" .. entry.name, seen, found)
            end
          end
        end
      end
      found.classes[class] = true
    end
  end

  it("are exact in a double, at any number of reuses of a slot and for any world", function()
    local world
    -- A handle contains the tag of its world, so handles of the 33rd world are above 2^53.
    for _ = 1, 40 do world = impel.world {} end
    local floor = world:body { type = "static" }
    floor:box { 20, 1 }
    for _ = 1, 2000 do world:body({ position = { 0, 3 } }):destroy() end
    for _ = 1, 300 do
      local body = world:body { position = { 0, 0.9 } }
      body:circle { radius = 0.5, category = 1 << 63, mask = math.mininteger + 1 }
      world:step()
      body:destroy()
    end
    local a, b = world:body { position = { 0, 0.95 } }, world:body { position = { 1.5, 0.95 } }
    a:circle { radius = 0.5, category = ~(1 << 62) }
    b:box { 0.5, 0.9 }
    world:revolute(a, b, { anchor = { 0.7, 1 }, name = "pin" })
    world:field { kind = "attractor", strength = 1, softening = 1 }
    world:mover { position = { 6, 2 } }
    for _ = 1, 3 do world:step() end
    local found = { count = 0, classes = {} }
    collect(world, "world", {}, found)
    for body in world:bodies() do collect(body, "body", {}, found) end
    for contact in world:contacts() do
      collect(contact, "contact", {}, found)
      assert.is_true(contact.id > 1 << 24) -- the handle contains its generation
    end
    for row in world:rows() do collect(row, "row", {}, found) end
    local class, number, key = core.identify(a)
    collect({ class, number, key, world:random(0), world:options() }, "call", {}, found)
    assert.same({}, { table.unpack(found) })
    for _, kind in ipairs { "world", "body", "shape", "joint", "coordinate", "field", "mover", "contact", "row" } do
      assert.is_true(found.classes[kind], kind)
    end
    assert.is_true(found.count > 100)
  end)
end)
