-- Sensors: reported events, begin and end of an overlap as objects move, sleep, appear or are destroyed.
local core = require "impel.core"
local flat = require "support.flat"

-- Log all sensor events: "+ gate ball", "- gate ball".
local function listen(world)
  local log = {}
  world:on("sensor_begin", function(e) log[#log + 1] = ("+ %s %s"):format(e.sensor.name, e.visitor.name) end)
  world:on("sensor_end", function(e)
    local name = function(shape) return shape:is_valid() and shape.name or tostring(shape):match "'(.*)'" end
    log[#log + 1] = ("- %s %s"):format(name(e.sensor), name(e.visitor))
  end)
  return log
end

local function take(log)
  local text = table.concat(log, ", ")
  for i = #log, 1, -1 do log[i] = nil end
  return text
end

local function inside(sensor)
  local names = {}
  for shape in sensor:overlaps() do names[#names + 1] = shape.name end
  return table.concat(names, " ")
end

local function still(options)
  local world = core.world(options or {})
  world:set_gravity(0, 0)
  return world, listen(world)
end

local function ball(world, x, y, options)
  options = options or {}
  options.position = { x, y }
  local body = world:body(options)
  return body, body:circle { radius = 0.2, name = "ball" }
end

describe("a sensor on a static body", function()
  local world, log, gate
  before_each(function()
    world, log = still()
    gate = world:body({ type = "static" }):box { 2, 2, sensor = true, name = "gate" }
  end)

  it("reports each shape once as it enters and once as it leaves", function()
    local body = ball(world, -3, 0, { velocity = { 3, 0 } })
    world:step(60) -- until x = 0
    assert.equal("+ gate ball", take(log))
    assert.equal("ball", inside(gate))
    world:step(60)
    assert.equal("- gate ball", take(log))
    assert.equal("", inside(gate))
    assert.near(3, (body:velocity()), 1e-12) -- the sensor did not slow the body
  end)

  it("detects shapes created in it on dynamic, sleeping, kinematic and particle bodies, not on static ones", function()
    for _, options in ipairs { {}, { awake = false }, { type = "kinematic" }, { type = "particle" } } do
      local body = ball(world, 0.3, 0.3, options)
      world:step()
      assert.equal("+ gate ball", take(log))
      body:destroy()
      world:step()
      assert.equal("- gate ball", take(log))
    end
    ball(world, 0.3, 0.3, { type = "static" })
    world:step()
    assert.equal("", take(log))
  end)

  it("keeps the overlap with a shape whose body falls asleep, and does not wake the body", function()
    world:set_gravity(0, -9.81)
    world:body({ type = "static" }):box { 10, 1, center = { 0, -1.5 } }
    local body, shape = ball(world, 0, -0.7)
    world:step(120)
    assert.is_false(body.awake)
    assert.equal("+ gate ball", take(log))
    assert.equal("ball", inside(gate))
    body:destroy()
    world:step()
    assert.equal("- gate ball", take(log))
    assert.is_false(shape:is_valid()) -- keeps `shape` alive until here
  end)

  it("ends an overlap at a teleport, a change of type, filter or `sensor`, and a destruction", function()
    local leave = {
      teleport = function(body) body:set_position(5, 0) end,
      ["static type"] = function(body) body.type = "static" end,
      mask = function(_, shape) shape.mask = 0 end,
      category = function(_, shape) shape.category = 0 end,
      group = function(_, shape)
        gate.group = -1
        shape.group = -1
      end,
      filter = function(_, shape) shape.filter = function() return false end end,
      ["shape that becomes a sensor"] = function(_, shape) shape.sensor = true end,
      shape = function(_, shape) shape:destroy() end,
      body = function(body) body:destroy() end,
      gate = function() gate:destroy() end,
      ["sensor that becomes solid"] = function() gate.sensor = false end,
    }
    for how, act in pairs(leave) do
      for _, asleep in ipairs { false, true } do
        world, log = still()
        gate = world:body({ type = "static" }):box { 2, 2, sensor = true, name = "gate" }
        local body, shape = ball(world, 0, 0, { awake = not asleep })
        world:step(3)
        assert.equal("+ gate ball", take(log), how)
        act(body, shape)
        world:step(2)
        assert.equal("- gate ball", take(log), how)
        if gate:is_valid() and gate.sensor then assert.equal("", inside(gate), how) end
      end
    end
  end)

  it("reports a shape of several pieces once", function()
    local body = world:body { position = { -3, 0 }, velocity = { 3, 0 } }
    body:circle { radius = 0.2, name = "head" }
    body:chain { points = { { -0.2, 0 }, { -0.4, 0.1 }, { -0.6, 0 }, { -0.8, 0.1 } }, name = "tail" }
    world:step(120)
    assert.equal("+ gate head, + gate tail, - gate head, - gate tail", take(log))
  end)

  it("detects chains from both sides, and lines that cross it", function()
    for _, turned in ipairs { 0, math.pi } do
      for _, line in ipairs { "chain", "segment" } do
        world, log = still()
        world:body({ type = "static" }):segment { from = { 0, -1 }, to = { 0, 1 }, sensor = true, name = "laser" }
        local body = world:body { position = { -2, 0 }, angle = turned, velocity = { 2, 0 } }
        if line == "chain" then
          body:chain { points = { { -0.5, 0 }, { 0, 0.1 }, { 0.5, 0 } }, name = "line" }
        else
          body:segment { from = { -0.5, 0.1 }, to = { 0.5, 0 }, name = "line" }
        end
        world:step(120)
        assert.equal("+ laser line, - laser line", take(log), line)
      end
    end
  end)

  it("does not detect another sensor", function()
    local body = world:body { position = { 0, 0 } }
    body:circle { radius = 0.2, sensor = true, name = "feeler" }
    world:step(2)
    assert.equal("", take(log))
  end)
end)

describe("a sensor on a body that moves", function()
  it("detects static, sleeping and kinematic shapes", function()
    for _, type in ipairs { "dynamic", "kinematic" } do
      local world, log = still()
      local scanner = world:body { type = type, velocity = { 3, 0 } }
      scanner:box { 0.5, 0.5, sensor = true, name = "scanner" }
      if type == "dynamic" then scanner:circle { radius = 0.1, mask = 0 } end
      local names = { "static", "asleep", "kinematic" }
      for i, name in ipairs(names) do
        local body = world:body { type = name == "asleep" and "dynamic" or name, position = { 2 * i, 0 },
                                  awake = name ~= "asleep" }
        body:circle { radius = 0.2, name = name }
      end
      world:step(160)
      assert.equal("+ scanner static, - scanner static, + scanner asleep, - scanner asleep, + scanner kinematic, "
        .. "- scanner kinematic", take(log))
      for body in world:bodies() do
        if body.type == "dynamic" and body ~= scanner then assert.is_false(body.awake) end
      end
    end
  end)

  it("at rest reports the end of an overlap with a teleported static body", function()
    local world, log = still()
    local holder = world:body { type = "kinematic" }
    holder:box { 2, 2, sensor = true, name = "holder" }
    local wall = world:body { type = "static" }
    wall:circle { radius = 0.2, name = "wall" }
    world:step(3)
    assert.equal("+ holder wall", take(log))
    wall:set_position(5, 0)
    world:step()
    assert.equal("- holder wall", take(log))
  end)
end)

describe("the list of shapes in a sensor", function()
  it("is in the order of creation, also for shapes older than the sensor", function()
    local world = still()
    local early = world:body { position = { 0.5, 0 } }
    early:circle { radius = 0.2, name = "early" }
    local gate = world:body({ type = "static" }):box { 4, 4, sensor = true, name = "gate" }
    for i = 5, 1, -1 do world:body({ position = { i / 5 - 1, 1 } }):circle { radius = 0.05, name = "n" .. i } end
    world:step()
    assert.equal("early n5 n4 n3 n2 n1", inside(gate))
  end)

  it("can be read from sensors only", function()
    local world = still()
    local _, shape = ball(world, 0, 0)
    local ok, message = pcall(shape.overlaps, shape)
    assert.is_false(ok)
    assert.truthy(message:find("only sensors have overlaps", 1, true), message)
  end)

  it("is iterated without garbage, also with 40 shapes", function()
    local world = still()
    local gate = world:body({ type = "static" }):box { 40, 4, sensor = true, name = "gate" }
    for i = 1, 40 do world:body({ position = { i / 2 - 10, 0 } }):circle { radius = 0.1 } end
    world:step()
    local count = 0
    assert.equal(0, flat(function()
      count = 0
      for _ in gate:overlaps() do count = count + 1 end
    end, 1000))
    assert.equal(40, count)
  end)
end)

describe("a shape that crosses a thin sensor within a step", function()
  -- A segment as a sensor. The visitor crosses the segment at 100 m/s, 1.7 m a step.
  local function laser(solver)
    local world, log = still { solver = solver }
    world:body({ type = "static" }):segment { from = { 0, -1 }, to = { 0, 1 }, sensor = true, name = "laser" }
    return world, log
  end

  it("is reported by one begin event and one end event, at any start position", function()
    for _, solver in ipairs { "soft", "si", "xpbd", "direct" } do
      for i = 1, 40 do
        local world, log = laser(solver)
        ball(world, -10 + i * 0.05, 0.1, { velocity = { 100, 0 } })
        world:step(12)
        assert.equal("+ laser ball, - laser ball", take(log), solver .. " " .. i)
      end
    end
  end)

  it("is reported once if one of its pieces overlapped before and others cross now", function()
    local world, log = laser()
    local body = world:body { position = { -0.1, 0 }, velocity = { 100, 0 } }
    local points = {}
    -- The points have x from 0.05 to -1.05, so at first one piece crosses the laser.
    for i = 1, 12 do points[i] = { 0.15 - 0.1 * i, 0.02 * (i % 2) } end
    body:chain { points = points, name = "tail" }
    body:set_position(0, 0)
    world:step()
    assert.equal("+ laser tail", take(log))
    assert.is_true(body:position() > 1.2)
    world:step()
    assert.equal("- laser tail", take(log))
  end)

  it("is reported once, among 100 shapes side by side; shapes that miss the sensor are not reported", function()
    local world, log = laser()
    for i = 1, 100 do
      local y = i / 25 - 2 -- a quarter passes above the sensor, a quarter below
      local body = world:body { position = { -5 - i * 0.03, y }, velocity = { 150, 0 } }
      body:circle { radius = 0.005, name = "ball", mask = 2, category = 2 }
    end
    for body in world:bodies() do
      for shape in body:shapes() do
        if shape.name == "laser" then shape.category, shape.mask = 2, 2 end
      end
    end
    world:step(10)
    local begins, ends = 0, 0
    for _, line in ipairs(log) do
      if line:sub(1, 1) == "+" then begins = begins + 1 else ends = ends + 1 end
    end
    assert.equal(51, begins) -- y = -1 to 1 in steps of 0.04
    assert.equal(51, ends)
  end)

  it("is reported also if the sensor moves, or if the sensor and the shape move", function()
    local world, log = still()
    local sword = world:body { type = "kinematic", position = { -3, 0 }, velocity = { 90, 0 } }
    sword:segment { from = { 0, -1 }, to = { 0, 1 }, sensor = true, name = "sword" }
    ball(world, 0, 0)
    ball(world, 3, 0.5, { velocity = { -90, 0 } })
    world:step(5)
    assert.equal("+ sword ball, + sword ball, - sword ball, - sword ball", take(log))
  end)

  it("is not reported if filters refuse it, nor without `continuous`", function()
    local world, log = still()
    local wall = world:body { type = "static" }
    wall:segment { from = { 0, -1 }, to = { 0, 1 }, sensor = true, filter = function() return false end }
    ball(world, -1, 0, { velocity = { 100, 0 } })
    world:step(3)
    assert.equal("", take(log))
    world, log = laser()
    world.continuous = false
    ball(world, -1, 0, { velocity = { 100, 0 } })
    world:step(3)
    assert.equal("", take(log))
  end)

  it("is reported again after a restore", function()
    local world, log = laser()
    ball(world, -3, 0.1, { velocity = { 100, 0 } })
    local snapshot = world:snapshot()
    for _ = 1, 2 do
      world:restore(snapshot)
      world:step(4)
      assert.equal("+ laser ball, - laser ball", take(log))
    end
  end)
end)

describe("shape:overlaps()", function()
  it("lists a shape of several pieces once, and none that is destroyed in the same step", function()
    local world = core.world { gravity = { 0, 0 } }
    local gate = world:body({ type = "static" }):box { 4, 4, sensor = true }
    local points = { { -1, -1 }, { 1, -1 }, { 0.2, 0 }, { 1, 1 }, { -1, 1 }, { -0.2, 0 } }
    local cross = world:body({}):polygon { points = points }
    local pebble = world:body({}):circle { radius = 0.1 }
    world:step()
    local function count()
      local n = 0
      for _ in gate:overlaps() do n = n + 1 end
      return n
    end
    assert.equal(2, count())
    local seen
    world:on("substep", function()
      cross:destroy()
      seen = seen or count()
    end)
    world:step()
    assert.equal(1, seen)
    assert.is_true(pebble:is_valid())
  end)
end)
