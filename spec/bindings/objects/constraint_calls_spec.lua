-- User functions in a step: dynamic constraints, rows, errors, lifetime.
local impel = require "impel"
local raises = require "support.raises"
local near = require "support.near"

local m = impel.math
local inf = math.huge

-- Two bodies with off-centre mass that swing under gravity, and a constraint between them that `make` adds.
local function swing(make, solver)
  local world = impel.world { solver = solver or "si", substeps = 1 }
  local a = world:body { position = { 2, 0 }, angle = 0.3, velocity = { 0, 1 } }
  a:box { 0.3, 0.2, center = { 0.05, 0.02 } }
  local b = world:body { position = { 3, 0.5 }, angle = -0.2, angular_velocity = 1 }
  b:box { 0.3, 0.2 }
  return world, a, b, make(world, a, b)
end

-- Step both worlds. All values must agree within 1e-12 (1 + |value|).
local function same_motion(make_one, make_other, steps)
  local one, other = { swing(make_one) }, { swing(make_other) }
  for _ = 1, steps do
    one[1]:step()
    other[1]:step()
    for i = 2, 3 do
      local numbers, others = {}, {}
      for _, pair in ipairs { { one[i], numbers }, { other[i], others } } do
        local body, list = pair[1], pair[2]
        list[1], list[2] = body:position()
        list[3], list[4] = body:velocity()
        list[5], list[6] = body.angle, body.angular_velocity
      end
      for k = 1, 6 do near(numbers[k], others[k], 1e-12 * (1 + math.abs(numbers[k])), "number " .. k) end
    end
  end
  return one, other
end

local function rod(a, b, _, param)
  local ax, ay = a:point(0.1, 0.2)
  local bx, by = b:point(-0.3, 0)
  return (ax - bx) ^ 2 + (ay - by) ^ 2 - param.length ^ 2
end

describe("a dynamic function", function()
  it("gives the motion of the same function traced, with differences below 1e-12", function()
    local one, other = same_motion(function(world, a, b)
      return world:constraint(a, b, { C = rod, param = { length = 1.2 } })
    end, function(world, a, b)
      return world:constraint(a, b, { C = rod, param = { length = 1.2 }, dynamic = true })
    end, 120)
    near(one[4].value, other[4].value, 1e-12)
    near(one[4].force, other[4].force, 1e-9)
  end)

  it("may branch on present values, where a traced function needs impel.where", function()
    same_motion(function(world, a, b)
      return world:constraint(a, b, { C = function(p, _, t)
        return impel.where(p.y - 0.1, p.x - 2, p.x - 2 - (p.y - 0.1) ^ 2), p.angle - m.sin(t)
      end })
    end, function(world, a, b)
      return world:constraint(a, b, { dynamic = true, C = function(p, _, t)
        local x = p.x - 2
        if p.y <= 0.1 then x = x - (p.y - 0.1) ^ 2 end
        return x, p.angle - m.sin(t)
      end })
    end, 90)
  end)

  it("compares traced values with numbers and with each other, but not by == with a number", function()
    local world = impel.world {}
    local body = world:body { position = { 1, 2 } }
    body:box { 1, 1 }
    world:constraint(body, { dynamic = true, C = function(p)
      local less, more = p.y < p.x, p.x > p.y
      assert(p.x < 2 and 0 < p.x and p.x <= p.y and p.y > 1 and p.y >= 2 and not less and not more)
      assert(p.x == p.x and p.x + 1 == p.y and p.x ~= p.y)
      assert(p.x ~= 1) -- p.x is 1, but Lua does not call __eq for a userdata and a number
      assert(impel.value(p.x) == 1 and impel.value(3) == 3 and impel.value(p.x * p.y) == 2)
      assert(tostring(p.x) == "1.0" and tostring(p) == "body 1 of a constraint")
      return p.x
    end })
  end)

  it("may use velocities in C_dot", function()
    local function make(dynamic)
      return function(world, a, b)
        return world:constraint(a, b, { dynamic = dynamic, C_dot = function(p, q)
          local nx, ny = p:vector(0, 1)
          return (p.vx - q.vx) * nx + (p.vy - q.vy) * ny + 0.2 * p.angular_velocity
        end })
      end
    end
    same_motion(make(false), make(true), 60)
  end)

  it("is called in each substep, with the time of its end", function()
    for _, solver in ipairs { "soft", "si" } do
      local world = impel.world { solver = solver, gravity = { 0, 0 }, substeps = 4, sleep = false }
      local body = world:body { type = "particle" }
      local times = {}
      world:constraint(body, { dynamic = true, C = function(p, t) times[#times + 1] = impel.value(t) return p.x end })
      times = {}
      world:step()
      for k = 1, 4 do near(k * world.dt / 4, times[k], 1e-15) end -- rounding
    end
  end)

  it("makes no garbage of its own once its operations are recorded", function()
    for _, more in ipairs { { dynamic = true, C = rod }, { rows = function(row, a, b, _, param)
      if a.x - b.x + param.length > inf then row {} end
    end } } do
      more.param = { length = 1.2 }
      local world = swing(function(world, a, b) return world:constraint(a, b, more) end)
      world:step(10)
      collectgarbage()
      collectgarbage "stop"
      local before = collectgarbage "count"
      world:step(100)
      local after = collectgarbage "count"
      collectgarbage "restart"
      assert.is_true(after - before < 0.5, after - before .. " KB in 100 steps") -- world:step itself makes no garbage
    end
  end)

  it("reports operations that cannot be recorded, and a changed number of results", function()
    local world = impel.world {}
    local body = world:body { name = "crate" }
    body:box { 1, 1 }
    local message = raises("'//' cannot take a traced value", function()
      world:constraint(body, { dynamic = true, C = function(p) return p.x // 1 end })
    end)
    assert.truthy(message:find("impel.value(x)", 1, true), message)
    local mode
    local joint = world:constraint(body, { name = "wire", dynamic = true, C = function(p)
      if mode == "sin" then return math.sin(p.x) end
      if mode == "two" then return p.x, p.y end
      if mode == "nan" then return p.x / (p.x - p.x) end
      if mode == "string" then return "x" end
      return p.x
    end })
    for key, words in pairs {
      sin = "bad argument #1 to 'sin' (number expected, got traced value) (in a traced function use impel.where",
      two = "constraint 'wire': C returned 2 results, but 1 in an earlier call",
      nan = "constraint 'wire': C: result 1 is ",
      string = "constraint 'wire': C: result 1 must be a number, got 'x' (string)",
    } do
      mode = key
      raises(words, world.step, world)
    end
    mode = nil
    local tick = world.tick
    world:step()
    assert.equal(tick + 1, world.tick)
    assert.is_true(joint:is_valid())
  end)
end)

describe("rows", function()
  it("give the motion that the same constraint has with C, with differences below 1e-12", function()
    same_motion(function(world, a, b)
      return world:constraint(a, b, { C = rod, param = { length = 1.2 } })
    end, function(world, a, b)
      return world:constraint(a, b, { param = { length = 1.2 }, rows = function(row, p, q, _, param)
        local ax, ay = p:point(0.1, 0.2)
        local bx, by = q:point(-0.3, 0)
        local acx, acy = p:center()
        local bcx, bcy = q:center()
        local dx, dy = ax - bx, ay - by
        row {
          J = {
            { 2 * dx, 2 * dy, 2 * dy * (ax - acx) - 2 * dx * (ay - acy) },
            { -2 * dx, -2 * dy, -2 * dy * (bx - bcx) + 2 * dx * (by - bcy) },
          },
          C = dx ^ 2 + dy ^ 2 - param.length ^ 2,
        }
      end })
    end, 120)
  end)

  it("keep J v + bias at 0 within their bounds (closed form)", function()
    local world = impel.world { solver = "si", gravity = { 0, 0 }, sleep = false }
    local body = world:body { type = "particle", mass = 2, velocity = { 1, 5 } }
    local constraint = world:constraint(body, { max_rows = 2, rows = function(row, p, t)
      row { J = { { 1, 0, 0 } }, bias = -3 }
      row { J = { { 0, 1, 0 } }, lower = -4, upper = 4 }
      assert(p.vx and p.angular_velocity == 0 and t)
    end })
    world:step()
    local vx, vy = body:velocity()
    near(3, vx, 1e-9) -- J v = -bias
    near(5 - 4 / 2 / 60, vy, 1e-9) -- F dt / m, F = 4 N, m = 2 kg, dt = 1/60 s
    near(2 * 2 * 60, constraint:coordinate(1).force, 1e-6) -- m dv / dt
    near(-4, constraint:coordinate(2).force, 1e-9)
  end)

  it("may differ in number from step to step, up to max_rows", function()
    local world = impel.world { solver = "si", gravity = { 0, 0 }, sleep = false }
    local body = world:body { type = "particle", velocity = { 1, 0 } }
    local on = 0
    world:constraint(body, { name = "gate", max_rows = 2, rows = function(row)
      for _ = 1, on do row { J = { { 1, 0, 0 } } } end
    end })
    world:step()
    near(1, body:velocity(), 1e-12)
    on = 1
    world:step()
    near(0, body:velocity(), 1e-9)
    on = 3
    raises("constraint 'gate': rows: row 3: the constraint has at most 2 rows (option max_rows)", world.step, world)
    on = 0
    body:set_velocity(1, 0)
    world:step()
    near(1, body:velocity(), 1e-12)
  end)

  it("are limited to the number in the first call (but at least one) if max_rows is missing", function()
    local world = impel.world {}
    local body = world:body {}
    body:box { 1, 1 }
    local count = 0
    local function rows(row) for i = 1, count do row { J = { { i, 0, 0 } } } end end
    world:constraint(body, { rows = rows })
    count = 1
    world:step()
    count = 2
    raises("row 2: the constraint has at most 1", world.step, world)
    local other = impel.world {}
    local crate = other:body {}
    crate:box { 1, 1 }
    count = 3
    other:constraint(crate, { rows = rows })
    other:step()
    count = 4
    raises("row 4: the constraint has at most 3", other.step, other)
  end)

  it("have each field checked, both when the constraint is made and in a step", function()
    local cases = {
      { {}, "field 'J' must be a list of one triple { jx, jy, ja } per body (length 1), got nil" },
      { { J = 3 }, "field 'J' must be a list of one triple { jx, jy, ja } per body (length 1), got 3" },
      { { J = {} }, "field 'J' must be a list of one triple { jx, jy, ja } per body (length 1), got length 0" },
      { { J = { 1, 2, 3 } },
        "field 'J' must be a list of one triple { jx, jy, ja } per body (length 1), got length 3" },
      { { J = { 1 } }, "field 'J' must have { jx, jy, ja } for body 1, got 1" },
      { { J = { { 1, 2 } } }, "field 'J' must have { jx, jy, ja } for body 1, got 2 numbers" },
      { { J = { { 1, 2, 0 / 0 } } }, "field 'J' of body 1 must be finite numbers, got nan" },
      { { J = { { 1, 2, "3" } } }, "field 'J' of body 1 must be finite numbers, got '3' (string)" },
      { { J = { { 1, 2, inf } } }, "field 'J' of body 1 must be finite numbers, got inf" },
      { { J = { { 1, 0, 0 } }, C = inf }, "field 'C' must be a finite number, got inf" },
      { { J = { { 1, 0, 0 } }, C = "1" }, "field 'C' must be a finite number, got '1' (string)" },
      { { J = { { 1, 0, 0 } }, bias = 0 / 0 }, "field 'bias' must be a finite number, got nan" },
      { { J = { { 1, 0, 0 } }, lower = inf }, "field 'lower' must be a finite number or -math.huge [N, N m], got " },
      { { J = { { 1, 0, 0 } }, upper = -inf }, "field 'upper' must be a finite number or math.huge [N, N m], got " },
      { { J = { { 1, 0, 0 } }, lower = 2, upper = 1 }, "lower 2.0 is above upper 1.0" },
      { { J = { { 1, 0, 0 } }, bais = 1 }, "bad field 'bais' (did you mean 'bias'?)" },
      { { J = { { 1, 0, 0 } }, force = 1 }, "bad field 'force' (a row has J, C, bias, lower, upper)" },
      { { J = { { 1, 0, 0 } }, [1] = 1 }, "bad field [1]" },
      { 3, "a table { J = ... } is expected, got 3" },
    }
    for _, case in ipairs(cases) do
      local world = impel.world {}
      local body = world:body {}
      body:box { 1, 1 }
      raises("row 1: " .. case[2], function()
        world:constraint(body, { name = "gate", rows = function(row) row(case[1]) end })
      end)
      assert.equal(0, world:counts().joints)
      local broken = false
      world:constraint(body, { name = "gate", rows = function(row)
        row(broken and case[1] or { J = { { 1, 0, 0 } } })
      end })
      broken = true
      raises("constraint 'gate': rows: row 1: " .. case[2], world.step, world)
    end
  end)

  it("accept infinite bounds; the function `row` raises an error outside the call that it was passed to", function()
    local world = impel.world {}
    local body = world:body {}
    body:box { 1, 1 }
    local kept
    world:constraint(body, { rows = function(row)
      kept = row
      row { J = { { 1, 0, 0 } }, lower = -inf, upper = inf }
    end })
    world:step()
    raises("row is valid only inside the call that it was passed to", function() kept { J = { { 1, 0, 0 } } } end)
  end)
end)

describe("an error in a step", function()
  local world, body, fail, calls
  local function make(kind)
    world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = 4 }
    body = world:body { type = "particle", velocity = { 0, 1 } }
    fail, calls = nil, 0
    local function run()
      calls = calls + 1
      if fail then fail() end
    end
    local options = kind == "dynamic" and { dynamic = true, C = function(p) run() return p.x end }
      or { rows = function(row, p) run() row { J = { { 1, 0, 0 } }, C = p.x } end }
    options.name = "wire"
    return world:constraint(body, options)
  end

  for _, kind in ipairs { "dynamic", "rows" } do
    it("of a " .. kind .. " function is raised after the step, with its traceback", function()
      make(kind)
      fail = function() error "boom" end
      calls = 0
      local ok, message = pcall(world.step, world, 3)
      assert.is_false(ok)
      assert.truthy(message:find "constraint_calls_spec%.lua:%d+: boom")
      assert.truthy(message:find "stack traceback:")
      assert.equal(1, world.tick) -- the step with the error runs to its end; no further step runs
      -- After the error the function is not called again in the step, and its rows stay unchanged.
      assert.equal(1, calls)
      local _, y = body:position()
      near(world.dt, y, 1e-6)
      fail = nil
      world:step()
      assert.is_true(calls > 1)
      assert.equal(2, world.tick)
    end)

    it("of a " .. kind .. " function and one of a handler: one is raised, and the handler still runs", function()
      make(kind)
      local seen = 0
      world:on("substep", function() seen = seen + 1 error "later" end)
      fail = function() error { code = 3 } end
      local ok, value = pcall(world.step, world)
      assert.is_false(ok)
      assert.is_true(type(value) == "table" and value.code == 3 or tostring(value):find "later" ~= nil)
      assert.equal(4, seen)
    end)

    it("of a " .. kind .. " function is raised if the function steps the world, destroys it or yields", function()
      make(kind)
      fail = function() world:step() end
      raises("world:step: called inside", world.step, world)
      fail = function() world:destroy() end
      raises("world:destroy: called inside", world.step, world)
      fail = function() coroutine.yield() end
      raises("cannot yield", coroutine.wrap(function() world:step() end))
      fail = nil
      world:step()
    end)
  end

  it("lets a function create and destroy objects", function()
    local constraint = make "dynamic"
    local made
    fail = function()
      made = made or world:constraint(body, { C = function(p) return p.y end })
      if constraint:is_valid() then constraint:destroy() end
    end
    world:step()
    assert.is_false(constraint:is_valid())
    assert.is_true(made:is_valid())
    fail = nil
    world:step(2)
    local _, vy = body:velocity()
    near(0, vy, 0.1) -- the constraint that the function added still keeps y constant
  end)
end)

describe("a constraint's function", function()
  it("is released with the joint", function()
    local world = impel.world {}
    local functions = setmetatable({}, { __mode = "k" })
    local function options(kind)
      local weight = {}
      local C = function(p) return p.x, weight and nil end
      if kind == "rows" then C = function(row) row { J = { { 1, 0, 0 } } } return weight end end
      if kind == "C" then C = function(p) assert(weight) return p.x end end
      functions[C] = true
      return kind == "rows" and { rows = C } or { C = C, dynamic = kind == "dynamic" }
    end
    local function alive()
      collectgarbage()
      collectgarbage()
      local count = 0
      for _ in pairs(functions) do count = count + 1 end
      return count
    end
    for _, kind in ipairs { "C", "rows" } do
      local body = world:body {}
      body:box { 1, 1 }
      local constraint = world:constraint(body, options(kind))
      constraint = constraint:destroy() -- nil
      assert.is_nil(constraint)
      assert.equal(0, alive(), kind)
      world:constraint(body, options(kind))
      assert.equal(1, alive(), kind)
      body:destroy()
      world:step()
      assert.equal(0, alive(), kind)
    end
    local body = world:body {}
    body:box { 1, 1 }
    world:constraint(body, options "C")
    world = nil -- luacheck: ignore
    body = nil -- luacheck: ignore
    assert.equal(0, alive())
  end)

  it("lives as long as the joint, with or without other references", function()
    local world = impel.world { gravity = { 0, 0 }, sleep = false }
    local calls = 0
    do
      local body = world:body { type = "particle", velocity = { 1, 1 } }
      world:constraint(body, { dynamic = true, C = function(p) calls = calls + 1 return p.x end })
    end
    for _ = 1, 5 do
      collectgarbage()
      world:step()
    end
    assert.is_true(calls >= 5)
  end)

  it("may make constraints and step other worlds", function()
    local world, other = impel.world { gravity = { 0, 0 } }, impel.world { gravity = { 0, 0 } }
    local body, stone = world:body { type = "particle" }, other:body { type = "particle", velocity = { 0, 1 } }
    other:constraint(stone, { dynamic = true, C = function(p) return p.x end })
    local inner
    world:constraint(body, { dynamic = true, C = function(p)
      other:step()
      local x = p.x + 1
      inner = inner or world:constraint(body, { C = function(q) return q.y - 2 end })
      return x - 1
    end })
    world:step()
    assert.is_true(inner:is_valid())
    assert.is_true(other.tick > 1)
  end)
end)
