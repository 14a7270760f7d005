-- world:constraint: C(q, t) traced once, C_dot, rows, dynamic functions, parameters.
local impel = require "impel"
local near = require "support.near"

local m = impel.math

-- Add a body whose centre of mass is not its origin.
local function lopsided(world, options)
  local body = world:body(options)
  body:box { 0.6, 0.4, center = { 0.15, -0.1 } }
  return body
end

-- Build a world without gravity and one body at a tilted pose.
local function still(options)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, solver = options and options.solver, substeps = 1 }
  return world, lopsided(world, { position = { 0.7, 0.4 }, angle = 0.5, velocity = { 0.3, -0.2 },
                                  angular_velocity = 0.4 })
end

-- Return J, { dC/dx, dC/dy, dC/dangle }, by central differences.
local function difference(constraint, body)
  local x, y = body:position()
  local angle, h, j = body.angle, 1e-6, {}
  local lx, ly = body:local_point(body:center())
  local cx, cy = body:center()
  local function value(dx, dy, turn)
    body.angle = angle + turn
    local vx, vy = body:world_vector(lx, ly)
    body:set_position(cx + dx - vx, cy + dy - vy)
    return constraint:coordinate(1).value
  end
  for k = 1, 3 do
    local d = { 0, 0, 0 }
    d[k] = h
    local above = value(d[1], d[2], d[3])
    j[k] = (above - value(-d[1], -d[2], -d[3])) / (2 * h)
  end
  body.angle = angle
  body:set_position(x, y)
  return j
end

describe("C(q, t)", function()
  it("keeps a bead on a wire (closed form: the circle)", function()
    local world = impel.world { solver = "si" }
    local bead = world:body { type = "particle", position = { 2, 0 } }
    local wire = world:constraint(bead, { C = function(p) return p.x ^ 2 + p.y ^ 2 - 4 end })
    for _ = 1, 300 do world:step() end
    local x, y = bead:position()
    near(2, math.sqrt(x * x + y * y), 2e-3) -- position correction keeps the drift below 2e-3 m at 2 m/s, 60 Hz
    assert.equal("constraint", wire.kind)
    assert.is_true(y < -0.5 or math.abs(x) > 0.1) -- check that the bead moves
  end)

  -- Functions of the pose whose arguments stay inside their domain for every state tested.
  local functions = {
    { "x + y - 2 * angle / 3", function(p) return p.x + p.y - 2 * p.angle / 3 end },
    { "-x * y", function(p) return -p.x * p.y end },
    { "x / (3 + y)", function(p) return p.x / (3 + p.y) end },
    { "1 / (3 + x) - 0 * y", function(p) return 1 / (3 + p.x) - 0 * p.y end },
    { "x ^ 2", function(p) return p.x ^ 2 end },
    { "x ^ 3", function(p) return p.x ^ 3 end },
    { "(3 + x) ^ 0.5", function(p) return (3 + p.x) ^ 0.5 end },
    { "(3 + x) ^ -1.5", function(p) return (3 + p.x) ^ -1.5 end },
    { "2 ^ x", function(p) return 2 ^ p.x end },
    { "(3 + x) ^ y", function(p) return (3 + p.x) ^ p.y end },
    { "0 - x + 0", function(p) return 0 - p.x + 0 end },
    { "sin", function(p) return m.sin(p.x * p.angle) end },
    { "cos of an angle", function(p) return m.cos(p.angle) + m.sin(p.angle) * p.x end },
    { "cos", function(p) return m.cos(p.x + p.y) end },
    { "tan", function(p) return m.tan(p.x) end },
    { "atan", function(p) return m.atan(p.x) + m.atan(p.y, 2 + p.x) + m.atan(1, 3 + p.x) end },
    { "atan2", function(p) return m.atan2(p.y + 2, p.x) end },
    { "asin", function(p) return m.asin(p.x / 10) end },
    { "acos", function(p) return m.acos(p.y / 10) end },
    { "exp", function(p) return m.exp(p.x - p.y) end },
    { "log", function(p) return m.log(3 + p.x) + m.log(3 + p.y, 2) end },
    { "pow", function(p) return m.pow(3 + p.x, 1 + p.y) + m.pow(p.x, 2) + m.pow(p.y, 1) end },
    { "sqrt", function(p) return m.sqrt(p.x ^ 2 + p.y ^ 2 + 1) end },
    { "abs", function(p) return m.abs(p.x) + m.abs(p.y - 4) end },
    { "min", function(p) return m.min(p.x, p.y, 3) + m.min(5, p.angle) end },
    { "max", function(p) return m.max(p.x, p.y, -3) + m.max(-5, p.angle) end },
    { "deg, rad", function(p) return m.deg(p.angle) + m.rad(p.x) end },
    { "where", function(p)
      return impel.where(p.x - p.y, p.x ^ 2, p.y) + impel.where(p.y - p.x, 7, p.angle) + impel.where(true, p.x, p.y)
        + impel.where(false, p.x, p.y) + impel.where(1, p.x, 2) + impel.where(-1, 2, p.angle)
    end },
    { "point", function(p) local x, y = p:point(0.3, -0.2) return x * y end },
    { "point on an axis", function(p) local x, y = p:point(0.3, 0) return x - y ^ 2 end },
    { "point of traced coordinates", function(p) local x, y = p:point(p.x, 2 * p.y) return x * y end },
    { "vector", function(p) local x, y = p:vector(0.3, -0.2) return x + 2 * y + p.x end },
    { "center", function(p) local x, y = p:center() return x * y end },
    { "constants", function(p) return math.pi * p.x + (1 / 3) * p.y + 1e2 end },
  }
  for _, case in ipairs(functions) do
    it("traces " .. case[1] .. ": the value equals that of plain numbers, and J central differences", function()
      local world, body = still()
      local last
      local constraint = world:constraint(body, { C = function(p, t, param)
        local value = case[2](p, t, param)
        if type(value) == "number" then last = value end
        return value
      end })
      for k = 1, 5 do
        body:set_position(0.7 + 0.1 * k, 0.4 - 0.07 * k)
        body.angle = 0.5 + 0.2 * k
        last = nil
        constraint:retrace() -- calls the function C, also with plain numbers; then C sets `last`
        local values = {}
        local probe = world:constraint(body, { dynamic = true, C = function(p)
          local value = case[2](p)
          values[1] = impel.value(value)
          return value
        end })
        near(values[1], constraint.value, 1e-12 * (1 + math.abs(values[1])), "value") -- rounding
        probe:destroy()
        local j, expected = { constraint:coordinate(1):jacobian() }, difference(constraint, body)
        -- Tolerance: the truncation error h^2 of the central difference, and its rounding errors divided by h.
        for i = 1, 3 do near(expected[i], j[i], 1e-6 * (1 + math.abs(expected[i])), "J " .. i) end
      end
      assert.is_number(last)
    end)
  end

  it("reads bodies as their getters do", function()
    local world, body = still()
    world:constraint(body, { max_rows = 1, rows = function(_, p, t)
      if not p then return end
      local x, y = body:position()
      assert(p.x == x and p.y == y and p.angle == body.angle and t == world.time)
      local vx, vy = body:velocity()
      assert(p.vx == vx and p.vy == vy and p.angular_velocity == body.angular_velocity)
      local cx, cy = body:center()
      local px, py = p:center()
      assert(px == cx and py == cy)
      px, py = p:point(0.3, -0.7)
      x, y = body:world_point(0.3, -0.7)
      near(x, px, 1e-15) -- the two computations round in a different order
      near(y, py, 1e-15)
      px, py = p:vector(0.3, -0.7)
      x, y = body:world_vector(0.3, -0.7)
      near(x, px, 1e-15)
      near(y, py, 1e-15)
    end })
  end)

  it("is called five times at creation, and never in a step", function()
    for _, solver in ipairs { "soft", "si" } do
      local world, body = still { solver = solver }
      local calls = 0
      local constraint = world:constraint(body, { C = function(p, t) calls = calls + 1 return p.x - t end })
      assert.equal(5, calls)
      world:step(20)
      assert.equal(5, calls)
      constraint:retrace()
      assert.equal(10, calls)
    end
  end)

  it("has a row for each result, in order", function()
    local world, body = still()
    local constraint = world:constraint(body, { C = function(p) return p.x, p.y - 1, p.angle end })
    local count = 0
    for _ in constraint:coordinates() do count = count + 1 end
    assert.equal(3, count)
    local x, y = body:position()
    assert.equal(x, constraint:coordinate(1).value)
    assert.equal(y - 1, constraint:coordinate(2).value)
    assert.equal(body.angle, constraint:coordinate(3).value)
    assert.equal(x, constraint.value) -- constraint.value is the value of its first coordinate
  end)

  it("joins up to 64 bodies", function()
    local world = impel.world { solver = "si", gravity = { 0, 0 }, sleep = false }
    local bodies = {}
    for i = 1, 65 do bodies[i] = world:body { type = "particle", position = { i, 0 } } end
    local arguments = { table.unpack(bodies, 1, 64) }
    arguments[65] = { C = function(...)
      local sum = 0
      for i = 1, 64 do sum = sum + (select(i, ...)).y end
      return sum - 64
    end }
    local constraint = world:constraint(table.unpack(arguments))
    assert.equal(-64, constraint.value)
    world:step(240)
    local sum = 0
    for i = 1, 64 do sum = sum + select(2, bodies[i]:position()) end
    near(64, sum, 0.1) -- after 4 s, Baumgarte stabilization has reduced the error of 64 m to less than 0.1 m
    table.insert(arguments, 1, bodies[65])
    local ok, message = pcall(world.constraint, world, table.unpack(arguments))
    assert.is_false(ok)
    assert.truthy(message:find("takes 64 bodies at most, got 65", 1, true), message)
  end)
end)

describe("time", function()
  it("is that of the end of the substep (C = x - sin t)", function()
    local world = impel.world { solver = "si", gravity = { 0, 0 }, substeps = 1 }
    local body = world:body { type = "particle", velocity = { 1, 0 } }
    world:constraint(body, { C = function(p, t) return p.x - m.sin(t) end })
    for _ = 1, 120 do
      world:step()
      -- The sine differs from its chord over a step by at most dt^2 / 8.
      near(math.sin(world.time), body:position(), 1e-4)
    end
  end)
end)

describe("drives of a constraint", function()
  local function particle(options, C)
    local world = impel.world { solver = "si", gravity = { 0, 0 }, sleep = false }
    local body = world:body { type = "particle", mass = 2 }
    options.C = C or function(p) return p.x end
    return world, body, world:constraint(body, options)
  end

  it("a limit keeps the value between its ends", function()
    local world, body, constraint = particle { limit = { -0.5, 1 } }
    body:set_velocity(3, 0)
    world:step(120)
    near(1, constraint.value, 0.01) -- 0.01 m is twice the slop of the limit, 5 mm
    body:set_velocity(-3, 0)
    world:step(120)
    near(-0.5, constraint.value, 0.01)
  end)

  it("motor, servo, spring and force act as on any joint", function()
    local world, body, constraint = particle { motor = { speed = 2, max_force = 10 } }
    world:step()
    near(10 / 2 / 60, body:velocity(), 1e-9) -- F dt / m
    assert.equal(2, constraint.motor_speed)
    assert.equal(10, constraint.max_force)
    world, body, constraint = particle { servo = { target = 0.5, max_force = 100 } }
    world:step(240)
    near(0.5, constraint.value, 0.01)
    near(0.5, body:position(), 0.01)
    world, body, constraint = particle { spring = { stiffness = 50, damping = 20, target = 0.25 } }
    world:step(600)
    near(0.25, constraint.value, 1e-3)
    near(0.25, body:position(), 1e-3)
    world, body, constraint = particle { force = 6 }
    world:step(60)
    near(3, body:velocity(), 0.02) -- F t / m
    near(6, constraint.force, 1e-6)
  end)

  it("max_force alone holds a result at 0 with at most that force", function()
    local world, body, constraint = particle { max_force = 6 }
    assert.equal(6, constraint.max_force)
    assert.equal(0, constraint.target)
    body:apply_force(5, 0)
    world:step()
    near(0, body:velocity(), 1e-9)
    for _ = 1, 60 do
      body:apply_force(10, 0)
      world:step()
    end
    near((10 - 6) / 2, body:velocity(), 0.05) -- (F - max) t / m
  end)

  it("max_force applies to a drive without a bound of its own", function()
    local _, _, constraint = particle { servo = { target = 1 }, max_force = 4 }
    assert.equal(4, constraint.max_force)
    _, _, constraint = particle { motor = { speed = 1, max_force = 3 }, max_force = 4 }
    assert.equal(3, constraint.max_force)
  end)

  it("break_force and break_if break the constraint; destroy removes it", function()
    local world, body, constraint = particle { break_force = 10 }
    body:apply_force(20, 0)
    world:step()
    assert.is_true(constraint.broken)
    world, body, constraint = particle { break_if = function(c) return c.force < -5 end }
    body:apply_force(7, 0)
    world:step()
    assert.is_true(constraint.broken)
    constraint:destroy()
    assert.is_false(constraint:is_valid())
    body:set_velocity(1, 0)
    world:step(60)
    assert.is_true(body:position() > 0.9)
  end)

  it("has a name and data and is in the lists, like any joint", function()
    local data = {}
    local world, body, constraint = particle { name = "wire", data = data }
    assert.equal(data, constraint.data)
    assert.equal("wire", constraint.name)
    assert.equal(constraint, world:find "wire")
    assert.equal(body, constraint:bodies())
    for joint in world:joints() do assert.equal(constraint, joint) end
    assert.equal("constraint 'wire'", tostring(constraint))
  end)
end)

describe("C_dot", function()
  it("acts as a skate: no sideways speed, free along its blade (closed form)", function()
    local world = impel.world { solver = "si", gravity = { 0, 0 }, sleep = false }
    local body = lopsided(world, { angle = 0.3, velocity = { 1, 2 } })
    local skate = world:constraint(body, { C_dot = function(p)
      local nx, ny = p:vector(0, 1)
      return p.vx * nx + p.vy * ny
    end })
    local j = { skate:coordinate(1):jacobian() }
    near(-math.sin(0.3), j[1], 1e-15) -- rounding
    near(math.cos(0.3), j[2], 1e-15)
    assert.equal(0, j[3])
    local along = math.cos(0.3) + 2 * math.sin(0.3)
    world:step(30)
    local vx, vy = body:velocity()
    near(along * math.cos(0.3), vx, 1e-9) -- the velocity along the blade is unchanged
    near(along * math.sin(0.3), vy, 1e-9)
  end)

  it("may depend on time, and then drives the body", function()
    local world = impel.world { solver = "si", gravity = { 0, 0 }, sleep = false }
    local body = world:body { type = "particle", mass = 1 }
    world:constraint(body, { C_dot = function(p, t) return p.vx - t end })
    world:step(60)
    near(1, body:velocity(), 1e-9)
  end)
end)

describe("param", function()
  it("can be read and changed, and a change acts without a new trace", function()
    local world, body = still { solver = "si" }
    local calls = 0
    local constraint = world:constraint(body, { param = { x = 0.7, gain = 2 }, C = function(p, _, param)
      calls = calls + 1
      return param.gain * (p.x - param.x)
    end })
    assert.equal(0.7, constraint.param.x)
    assert.equal(2, constraint.param.gain)
    assert.equal(constraint.param, constraint.param)
    constraint.param.x = 1
    assert.equal(1, constraint.param.x)
    near(2 * (0.7 - 1), constraint.value, 1e-15) -- rounding
    world:step(240)
    near(1, body:position(), 0.01) -- after 4 s, Baumgarte stabilization has reduced the error to less than 0.01 m
    assert.equal(5, calls)
    constraint.param.gain = 4
    near(4, constraint:coordinate(1):jacobian(), 0)
    constraint:retrace() -- traces C again with the present parameters
    near(4, constraint:coordinate(1):jacobian(), 0)
    assert.equal(1, constraint.param.x)
  end)
end)

describe("retrace", function()
  it("reads upvalues again; without it, a change of an upvalue has no effect", function()
    local world, body = still()
    local radius = 2
    local constraint = world:constraint(body, { C = function(p) return p.x - radius end })
    radius = 3
    near(0.7 - 2, constraint.value, 1e-15) -- rounding
    constraint:retrace()
    near(0.7 - 3, constraint.value, 1e-15)
  end)

  it("works in a substep handler, and does nothing to untraced functions", function()
    local world, body = still { solver = "si" }
    local goal = 0.7
    local constraint = world:constraint(body, { C = function(p) return p.x - goal end })
    local dynamic = world:constraint(body, { dynamic = true, C = function(p) return p.y - 0.4 end })
    local rows = world:constraint(body, { rows = function(row) row { J = { { 0, 0, 1 } } } end })
    local handler = world:on("substep", function()
      goal = 0.9
      constraint:retrace()
      dynamic:retrace()
      rows:retrace()
    end)
    world:step()
    handler:destroy()
    near(body:position() - 0.9, constraint.value, 1e-12)
  end)
end)
