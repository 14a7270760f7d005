-- Custom fields: their laws in Lua, fields in snapshots and in exported worlds, no garbage, implicit laws.
local impel = require "impel"
local flat = require "support.flat"
local raises = require "support.raises"
local m = impel.math

local function space(options)
  options = options or {}
  options.gravity = options.gravity or { 0, 0 }
  return impel.world(options)
end

-- Add a body with its centre of mass off its origin, rotated and moving.
local function odd_body(world)
  local body = world:body { position = { 0.4, -0.7 }, angle = 0.6, velocity = { 1, 0.5 }, angular_velocity = 2 }
  body:box { 1, 0.5, center = { 0.3, 0.1 }, density = 2 }
  return body
end

-- Step once under `si`. Return the force and the torque that give the change of velocity.
local function force_of(law, more)
  local world = space { solver = "si" }
  local body = odd_body(world)
  local vx, vy = body:velocity()
  local w = body.angular_velocity
  local options = { kind = "custom", law = law }
  for key, value in pairs(more or {}) do options[key] = value end
  world:field(options)
  world:step()
  local ux, uy = body:velocity()
  return (ux - vx) * body.mass * 60, (uy - vy) * body.mass * 60, (body.angular_velocity - w) * body.inertia * 60
end

-- Call the law with the state of a body as plain numbers. Return its force and torque.
local function expected_of(law, param)
  local world = space {}
  local body = odd_body(world)
  local x, y = body:position()
  local vx, vy = body:velocity()
  local b = { x = x, y = y, angle = body.angle, vx = vx, vy = vy, angular_velocity = body.angular_velocity,
              mass = body.mass, inertia = body.inertia }
  function b.center() return body:center() end
  function b.point(_, lx, ly) return body:world_point(lx, ly) end
  function b.vector(_, lx, ly) return body:world_vector(lx, ly) end
  return law(b, 0, param)
end

local laws = {
  state = function(b) return b.x + b.vx * b.mass, b.y * b.vy - b.inertia, b.angle + b.angular_velocity end,
  places = function(b)
    local cx, cy = b:center()
    local px, py = b:point(0.2, -0.3)
    local qx, qy = b:vector(0.5, 1)
    return cx + px * qy, cy - py * qx, px - qx
  end,
  arithmetic = function(b, t) return -b.x ^ 2 / (3 - b.y), (b.x + 2) ^ 1.5 + t, 2 ^ b.y - b.x % 1 * 0 end,
  functions = function(b)
    return m.sin(b.x) + m.cos(b.y) * m.exp(-b.vx), m.atan2(b.y, b.x) + m.log(b.mass) + m.sqrt(b.inertia),
      m.abs(b.y) + m.min(b.x, b.y, 0.1) - m.max(b.vx, 0.3) + m.sin(b.angle)
  end,
  cases = function(b) return impel.where(b.x - 0.3, 4, 5), impel.where(b.y, b.x, -b.x), impel.where(1, b.vx, 0) end,
  constants = function() return 1.5, -2.5 end,
  parameters = function(b, _, p) return p.k * b.x, p.c - p.k, p.c end,
}
laws.arithmetic = function(b, t) return -b.x ^ 2 / (3 - b.y), (b.x + 2) ^ 1.5 + t, 2 ^ b.y end

describe("the law of a custom field", function()
  for name, law in impel.pairs(laws) do
    it("gives the numbers of plain Lua, traced and dynamic: " .. name, function()
      local param = name == "parameters" and { k = 3, c = 0.5 } or nil
      local fx, fy, torque = expected_of(law, param)
      for _, dynamic in ipairs { false, true } do
        local gx, gy, gt = force_of(law, { dynamic = dynamic, param = param })
        assert.near(fx, gx, 1e-11) -- force_of rounds v + h F / m - v, and multiplies it by m / h
        assert.near(fy, gy, 1e-11)
        assert.near(torque or 0, gt, 1e-11)
      end
    end)
  end

  it("gives the same bits traced and dynamic, over many steps", function()
    local hashes = {}
    for i, dynamic in ipairs { false, true } do
      local world = space { solver = "si", gravity = { 0, -1 } }
      -- A field evaluates bodies in blocks of at most 64, so 70 bodies make two blocks.
      for k = 1, 70 do world:body { position = { k % 9 - 4, k % 7 - 3 }, velocity = { 0, k % 3 } } end
      world:field { kind = "custom", dynamic = dynamic, param = { k = 2, w = 3 }, law = function(b, t, p)
        local r2 = b.x ^ 2 + b.y ^ 2 + 0.25
        return -p.k * b.x / r2 + m.sin(p.w * t), -p.k * b.y / r2, -0.1 * b.angular_velocity
      end }
      world:step(200)
      hashes[i] = world.hash
    end
    assert.equal(hashes[1], hashes[2])
  end)

  it("is refused if it returns a non-finite constant", function()
    local world = space()
    local good = true
    local field = world:field { kind = "custom", law = function() return 1, good and 2 or 0 / 0 end }
    for got, law in pairs { nan = function() return 0 / 0, 0 end, inf = function(b) return b.x, 0, 1 / 0 end,
                            ["-inf"] = function(b) return -1 / 0, b.y end } do
      raises("must be a finite number, but is " .. got .. " whatever the state of the body", function()
        world:field { kind = "custom", law = law }
      end)
    end
    good = false
    raises("law: result 2 must be a finite number, but is nan", function() field:retrace() end)
    local body = world:body {}
    world:step()
    assert.near(2 / 60, (select(2, body:velocity())), 1e-12) -- the first law still acts; the tolerance is rounding
    -- A function that is finite only in some places is a valid law.
    world:field { kind = "custom", law = function(b) return m.sqrt(b.x - 100), 0 end, bodies = {} }
  end)

  it("has changeable parameters", function()
    local world = space { solver = "si" }
    local body = world:body { mass = 2 }
    local field = world:field { kind = "custom", param = { fx = 6, fy = 0 }, law = function(_, _, p)
      return p.fx, p.fy
    end }
    world:step()
    field.param.fx = -6
    field.param.fy = 3
    world:step()
    assert.near(0, (body:velocity()), 1e-15)
    assert.near(3 / 2 / 60, (select(2, body:velocity())), 1e-15)
    assert.equal(3, field.param.fy)
    raises("unknown param 'fz' of the field (did you mean 'fx'?)", function() return field.param.fz end)
    raises("field.param.fx must be a finite number, got nan", function() field.param.fx = 0 / 0 end)
    raises("only a custom field has a law", function()
      return world:field({ kind = "drag", linear = 1 }).param
    end)
    field:destroy()
    raises("attempt to use destroyed field", function() return field.param end)
  end)

  it("of drag moves bodies with the flow: u (1 - exp(-k t / m))", function()
    for _, solver in ipairs { "soft", "si" } do
      local world = space { solver = solver, dt = 1 / 240 }
      local body = world:body { mass = 2, inertia = 1 }
      world:field { kind = "drag", linear = 3, velocity = { 4, -1 } }
      world:step(240)
      local vx, vy = body:velocity()
      local part = 1 - math.exp(-1.5)
      assert.near(4 * part, vx, 0.01, solver)
      assert.near(-part, vy, 0.01, solver)
    end
  end)

  it("uses the values that its upvalues had when the field was made or last retraced", function()
    local world = space { solver = "si" }
    local body, force = world:body {}, 60
    local field = world:field { kind = "custom", law = function() return force, 0 end }
    force = 120
    world:step()
    assert.near(1, (body:velocity()), 1e-12)
    field:retrace()
    world:step()
    assert.near(3, (body:velocity()), 1e-12)
  end)

  it("is checked when the field is made", function()
    local world = space()
    local function law(f, more)
      local options = { kind = "custom", law = f }
      for key, value in pairs(more or {}) do options[key] = value end
      return function() return world:field(options) end
    end
    raises("law returned 1 result: it must return fx, fy [N]", law(function(b) return b.x end))
    raises("law returned nothing", law(function() end))
    raises("law returned 4 results", law(function() return 1, 2, 3, 4 end))
    raises("result 2 must be a number, got nil", law(function(b) return b.x, nil end))
    raises("may not compare traced values", law(function(b) return b.x > 0 and 1 or 2, 0 end))
    raises("unknown field 'mas' on a body of a field (did you mean 'mass'?)",
      law(function(b) return b.mas, 0 end))
    raises("(use p.vx, p.vy)", law(function(b) return b.velocity, 0 end))
    raises("a body of a field is read-only", law(function(b) b.x = 1 return 0, 0 end))
    raises("read-only (set field.param.k outside of the function)", law(function(_, _, p) p.k = 1 return 0, 0 end,
      { param = { k = 1 } }))
    raises("unknown param 'q' of the field", law(function(_, _, p) return p.q, 0 end, { param = { k = 1 } }))
    local count = 0
    raises("did not perform the same operations", law(function(b)
      count = count + 1
      return count * b.x, 0
    end))
    raises("field 'law' must be a function", law(3))
    raises("field 'param.k' must be a finite number", law(function() return 0, 0 end, { param = { k = "a" } }))
    for field in world:fields() do error("made: " .. tostring(field)) end
  end)

  it("disables a body for a non-finite result, and reports it", function()
    local world = space()
    local good, bad = world:body { position = { 2, 0 } }, world:body { position = { -1, 0 } }
    world:field { kind = "custom", law = function(b) return m.sqrt(b.x), 0 end }
    world:step()
    local told = {}
    for event in world:events "fault" do told[#told + 1] = { event.body, event.stage } end
    assert.same({ { bad, "field" } }, told)
    assert.is_false(bad.enabled)
    assert.is_true(good.enabled)
    assert.same({ -1, 0 }, { bad:position() })
  end)

  it("raises its error from world:step once per step if it is dynamic, while the other fields act", function()
    local world = space { solver = "si", substeps = 3 }
    local a, b, calls = world:body {}, world:body { position = { 1, 0 } }, 0
    world:field { kind = "custom", name = "bad", dynamic = true, law = function()
      calls = calls + 1
      error "no"
    end }
    world:field { kind = "uniform", acceleration = { 60, 0 } }
    raises("no", function() world:step() end)
    assert.equal(1, calls) -- the law is not called again in that step
    assert.near(1, (a:velocity()), 1e-12)
    assert.near(1, (b:velocity()), 1e-12)
    raises("no", function() world:step() end)
    assert.equal(2, calls)
    local other = space {}
    other:body {}
    other:field { kind = "custom", name = "nan", dynamic = true, law = function() return 0 / 0, 1 end }
    local ok, message = pcall(other.step, other)
    assert.is_false(ok)
    assert.truthy(message:find("field 'nan': law: result 1 is", 1, true), message)
  end)

  it("may destroy its field and body and create others, if it is dynamic", function()
    local world = space { solver = "si" }
    local a = world:body {}
    local first, second, made
    first = world:field { kind = "custom", dynamic = true, law = function()
      first:destroy()
      made = made or world:field { kind = "uniform", acceleration = { 0, 60 } }
      return 60, 0
    end }
    second = world:field { kind = "custom", dynamic = true, law = function() return -30, 0 end }
    world:step()
    assert.is_false(first:is_valid())
    assert.is_true(second:is_valid())
    local vx, vy = a:velocity()
    assert.near(-0.5, vx, 1e-12) -- the result of a destroyed field is ignored; the law of the next field runs
    assert.near(1, vy, 1e-12)
    local removed = space {}
    local body = removed:body {}
    removed:field { kind = "custom", dynamic = true, law = function()
      body:destroy()
      return 1, 1
    end }
    removed:step(2)
    assert.is_false(body:is_valid())
  end)

  it("reads the time of the state, if it is dynamic", function()
    local world, times = space { substeps = 2 }, {}
    world:body {}
    world:field { kind = "custom", dynamic = true, law = function(_, t)
      times[#times + 1] = t
      return 0, 0
    end }
    world:step(2)
    for i, t in ipairs { 0, 1 / 120, 1 / 60, 3 / 120 } do assert.near(t, times[i], 1e-15) end
    local traced = space { substeps = 2, solver = "si" }
    local body = traced:body {}
    traced:field { kind = "custom", law = function(_, t) return t, 0 end }
    traced:step(2)
    assert.near((0 + 1 / 120 + 1 / 60 + 3 / 120) / 120, (body:velocity()), 1e-15)
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------

-- A world with fields of all kinds over some bodies.
local function storm(options)
  local world = impel.world(options or { gravity = { 0, -9.81 } })
  world:body({ type = "static", name = "floor" }):box { 30, 1, center = { 0, -0.5 } }
  local bodies = {}
  for i = 1, 12 do
    bodies[i] = world:body { position = { i % 4 - 2, 0.5 + i // 4 }, name = "b" .. i }
    if i % 2 == 0 then bodies[i]:box { 0.6, 0.5 } else bodies[i]:circle { radius = 0.3 } end
  end
  world:field { kind = "uniform", acceleration = { 0.2, 0 }, name = "tilt", data = { 1, "two" } }
  world:field { kind = "attractor", strength = 0.5, softening = 0.5, center = { 0, 4 },
    bodies = { bodies[1], bodies[2] } }
  world:field { kind = "spring", hertz = 0.2, damping_ratio = 0.5, center = { 0, 3 }, except = { bodies[3] } }
  world:field { kind = "drag", linear = 0.1, region = { -2, 0, 2, 3 } }
  world:field { kind = "vortex", circulation = 2, linear = 0.1, center = { 0, 2 } }
  world:field { kind = "wind", velocity = { 3, 0 }, gust = 0.5, seed = 5 }
  world:field { kind = "buoyancy", density = 0.5, level = 1, wave_amplitude = 0.1, linear = 0.3 }
  world:field { kind = "explosion", impulse = 1, center = { 0, 0 }, start = 0.31, duration = 0.0777 }
  return world, bodies
end

describe("fields in a snapshot", function()
  it("act after a restore as after the snapshot, to the bit, and so do their laws", function()
    local world = storm()
    local law = world:field { kind = "custom", param = { k = 1 },
      law = function(b, t, p) return -p.k * b.x, m.sin(t) end }
    local called = world:field { kind = "custom", dynamic = true, law = function(b) return 0.1 * b.vy, 0 end }
    world:step(20)
    local saved = world:snapshot()
    world:step(60)
    local hash = world.hash
    law.param.k = 5
    called:destroy()
    local late = world:field { kind = "drag", linear = 1 }
    world:restore(saved)
    assert.is_true(called:is_valid())
    assert.is_false(late:is_valid())
    assert.equal(1, law.param.k)
    world:step(60)
    assert.equal(hash, world.hash)
    local other = impel.world {}
    local before = other.hash
    -- A snapshot contains traced laws, but not the Lua functions of dynamic laws.
    local ok, message = pcall(other.restore, other, saved)
    assert.is_false(ok)
    assert.truthy(message:find "has a field's law %([%w_]+%.lua:%d+%) that this world does not have$", message)
    assert.equal(before, other.hash)
    other:restore(world:snapshot { state = false })
    ok, message = pcall(other.step, other)
    assert.is_false(ok)
    assert.truthy(message:find("its law is not in this world", 1, true), message)
  end)

  it("get back their userdata and their names by a restore", function()
    local world = space()
    local field = world:field { kind = "drag", linear = 1, name = "air" }
    local saved = world:snapshot()
    field.name = "smoke"
    field:destroy()
    world:restore(saved)
    assert.equal("air", field.name)
    for f in world:fields() do assert.is_true(rawequal(field, f)) end
  end)
end)

describe("fields in an exported world", function()
  it("are recreated by impel.load_data; bodies without contacts then move the same, to the bit", function()
    local function apart(world) -- no bodies touch during the test
      world:set_gravity(0, 0)
      for body in world:bodies() do
        if body.type == "dynamic" then
          local x, y = body:position()
          body:set_position(3 * x, 3 * y + 5)
        end
      end
      return world
    end
    local world = apart((storm()))
    world:step(20) -- the explosion is under way at step 20 = 0.333 s
    local data = world:export()
    local again = impel.load_data(data)
    assert.same(data, again:export())
    for _ = 1, 10 do
      world:step()
      again:step()
      assert.equal(world.hash, again.hash)
    end
    local text = impel.data.text and impel.data.text(data) or nil
    if text then assert.truthy(text:find("fields = {", 1, true)) end
  end)

  it("with laws are refused; with partial = true they are left out and listed", function()
    local world = storm()
    world:field { kind = "custom", name = "well", law = function() return 1, 1 end }
    raises("custom field 'well' is defined by a function", function() world:export() end)
    local data, left_out = world:export { partial = true }
    assert.same({ "custom field 'well'" }, left_out)
    assert.equal(8, #data.fields)
  end)

  it("are checked by path", function()
    local function fails(fields, words)
      local ok, message = pcall(impel.load_data, { bodies = { { name = "a" } }, fields = fields })
      assert.is_false(ok)
      assert.truthy(message:find(words, 1, true), message)
    end
    fails({ { kind = "drug" } }, "fields[1].kind: one of ")
    fails({ {} }, "fields[1].kind: it is missing")
    fails({ { kind = "drag", linear = "a" } }, "fields[1].linear: number in [0, 1e+12] [kg/s] expected, got 'a'")
    fails({ { kind = "drag", strength = 1 } }, "fields[1]: bad field 'strength' in world:field 'drag'")
    fails({ { kind = "drag", region = { 1, 2 } } }, "fields[1].region: { x1, y1, x2, y2 }")
    fails({ { kind = "drag", bodies = { "b" } } }, "fields[1].bodies[1]: no body 'b'")
    fails({ { kind = "custom", law = print } }, "fields[1].law: a function is not data")
    local drag = { kind = "drag", linear = 1, bodies = { "a" } }
    local world = impel.load_data { bodies = { { name = "a" }, {} }, fields = { drag } }
    local answers = {}
    for field in world:fields() do
      for body in world:bodies() do answers[#answers + 1] = field:acts_on(body) end
    end
    assert.same({ true, false }, answers)
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------

describe("fields make no garbage", function()
  it("in 10^4 steps of all kinds, including laws", function()
    local world = storm()
    world:field { kind = "custom", law = function(b, t) return -b.x, m.sin(t) end }
    world:field { kind = "custom", dynamic = true, param = { k = 1 }, law = function(b, t, p)
      return -p.k * b.x + t, 0.1 * b.mass, b.angular_velocity
    end }
    assert.equal(0, flat(function() world:step() end, 10000))
  end)

  it("when their settings change in every step", function()
    local world, bodies = storm() -- keep these userdata, so that world:find makes no new ones
    local fields = {}
    for field in world:fields() do fields[field.kind] = field end
    local law = world:field { kind = "custom", law = function(_, _, p) return p.k, 0 end, param = { k = 1 } }
    local param, k = law.param, 0
    assert.equal(0, flat(function()
      k = k + 1
      fields.drag.linear = 0.1 + k % 2
      fields.wind:set_velocity(3, k % 3)
      fields.spring:set_center(0, k % 2)
      fields.buoyancy.level = 1 + 0.1 * (k % 2)
      param.k = k % 5
      local x, y = fields.wind:velocity()
      local acts = fields.attractor:acts_on(world:find "b1")
      assert(x and y and acts and bodies[1])
      world:step()
    end, 1000))
  end)

  it("in a drag field on 2000 discs, of which four are moved and thrown in each step", function()
    local world = impel.world { gravity = { 0, -9.81 }, dt = 1 / 60 }
    world:body({ type = "static" }):chain { points = { { 6, 12 }, { 6, 0 }, { -6, 0 }, { -6, 12 } } }
    impel.field.drag(world, { linear = 0.002 })
    local discs, count, random = {}, 2000, impel.rng.new(1)
    for i = 1, count do
      discs[i] = world:body { position = { (i - 1) % 80 * 0.14 - 5.55, 0.1 + (i - 1) // 80 * 0.14 } }
      discs[i]:circle { radius = 0.06, friction = 0 }
    end
    local tick = 0
    local function step()
      tick = tick + 1
      for k = 1, 4 do -- the four oldest discs start again at the spout
        local disc = discs[(4 * tick + k) % count + 1]
        disc:set_position(-5 + 0.13 * k, 8)
        disc:set_velocity(2 + 0.1 * random:random(), 0)
      end
      world:step()
    end
    for _ = 1, 20 do step() end
    assert.equal(2000, world:counts().bodies - 1)
    assert.equal(0, flat(step, 60)) -- `flat` first makes 200 steps of warm-up
  end)
end)

describe("an implicit law of a field", function()
  local MASS = 2
  local LIMIT = MASS * (2 * 60) ^ 2 -- stiffness above which an explicit law with one substep diverges [N/m]

  local function held(solver, options)
    local world = impel.world { solver = solver, substeps = 1, sleep = false, gravity = { 0, 0 } }
    local body = world:body { mass = MASS, inertia = 0.5, position = { 1, 0.5 }, velocity = { 0, 1 } }
    options.kind = "custom"
    world:field(options)
    return world, body
  end

  local function spring(b, _, p) return -p.k * b.x - p.c * b.vx, -p.k * b.y - p.c * b.vy end

  local solvers = require("support.kinds").solvers

  it("brings a body to rest where its force balances the weight, at any stiffness, under every solver", function()
    for _, solver in ipairs(solvers) do
      for _, joint in ipairs { "none", "prismatic" } do
        for _, times in ipairs { 1, 10, 1e3, 1e6, 1e8 } do
          for _, zeta in ipairs { 0, 1 } do
            local k = times * LIMIT
            local world, body = held(solver, { law = spring, implicit = true,
              param = { k = k, c = 2 * zeta * m.sqrt(k * MASS) } })
            world:set_gravity(0, -9.81)
            if joint == "prismatic" then
              body:set_position(0, 0.5)
              world:prismatic(world.ground, body, { axis = { 0, 1 } })
            end
            local name, farthest = ("%s, %s, %g times, zeta %g"):format(solver, joint, times, zeta), 0
            for _ = 1, 60 do
              world:step()
              farthest = m.max(farthest, m.abs(select(2, body:position())))
            end
            local x, y = body:position()
            local vx, vy = body:velocity()
            -- The solver `soft` computes joints in single precision.
            local rounding = solver == "soft" and joint ~= "none" and 1e-7 or 1e-9
            assert.near(0, x, rounding, name)
            assert.near(-MASS * 9.81 / k, y, rounding, name)
            assert.near(0, m.abs(vx) + m.abs(vy), rounding, name)
            -- The body starts at 0.5 m with 1 m/s.
            assert.is_true(farthest < 0.55, name .. ": " .. farthest)
            world:destroy()
          end
        end
      end
    end
  end)

  -- The law acts before the joint's impulses, at the velocity v = h F / m that the body (m) has without its load (F).
  it("yields to a load through a joint by F h (h + c / k) / m besides F / k", function()
    for _, solver in ipairs(solvers) do
      for _, times in ipairs { 1, 1e3, 1e6 } do
        local k = times * LIMIT
        local c = 2 * m.sqrt(k * MASS)
        local world, body = held(solver, { law = spring, implicit = true, param = { k = k, c = c } })
        world:set_gravity(0, -9.81)
        local load = world:body { mass = 1, inertia = 0.1, position = { 1, 0.5 }, velocity = { 0, 1 } }
        for field in world:fields() do field:remove(load) end
        world:weld(body, load, {})
        world:step(120)
        local h = 1 / 60 * (solver == "rattle" and 0.5 or 1) -- time that each velocity update of the solver covers [s]
        local _, y = body:position()
        assert.near(-(MASS + 1) * 9.81 / k - 9.81 * h * (1 / 60 + c / k) / MASS, y, 1e-6, solver)
        world:destroy()
      end
    end
  end)

  it("diverges above the stability limit if it is explicit", function()
    local world, body = held("si", { law = spring, param = { k = 10 * LIMIT, c = 0 } })
    world:step(20)
    assert.is_true(m.abs((body:position())) > 1e3)
  end)

  it("follows linearly implicit Euler, step by step", function()
    local k, c, h = 5e4, 30, 1 / 60
    local world, body = held("si", { law = spring, param = { k = k, c = c }, implicit = true })
    local x, v = 1, 0
    for _ = 1, 50 do
      world:step()
      v = (MASS * v - h * k * x) / (MASS + h * c + h * h * k)
      x = x + h * v
      -- The slopes of the law are computed from differences of forces, with errors of 6e-6 N/m.
      assert.near(x, (body:position()), 1e-6)
    end
  end)

  it("converges, at low stiffness, to the motion under the explicit law as the substeps get shorter", function()
    local function swirl(b) return -4 * b.x - b.x ^ 3 - 0.5 * b.vx * b.vx * b.vx, -4 * b.y - 3 * b.vx end
    local function run(substeps, implicit)
      local world = impel.world { solver = "si", substeps = substeps, sleep = false, gravity = { 0, 0 } }
      local body = world:body { mass = MASS, inertia = 0.5, position = { 1, 0.5 } }
      world:field { kind = "custom", law = swirl, implicit = implicit }
      world:step(60)
      local x, y = body:position()
      world:destroy()
      return x, y
    end
    local fx, fy = run(256, false)
    local function off(substeps)
      local x, y = run(substeps, true)
      return m.sqrt((x - fx) ^ 2 + (y - fy) ^ 2)
    end
    local coarse, fine = off(2), off(16)
    assert.is_true(fine < coarse / 5) -- 1/8 of the substep length gives 1/8 of a first-order error
    assert.is_true(fine < 2e-3)
  end)

  it("damps a torque, integrates a force that grows with the displacement explicitly, and can be set later", function()
    local function torsion(b) return 0.0 * b.x, 0.0 * b.y, -1e6 * b.angle - 2e3 * b.angular_velocity end
    for _, solver in ipairs(solvers) do
      local world, body = held(solver, { law = torsion, implicit = true })
      body.angular_velocity = 3
      world:step(240)
      assert.near(0, body.angle, 1e-9, solver)
      world:destroy()
    end
    local away, one = held("si", { law = function(b) return 4 * b.x, 0.0 * b.y end, implicit = true })
    away:step(60)
    -- The motion is x'' = 2 x, because the solver integrates the law explicitly.
    assert.near(m.exp(m.sqrt(2)) / 2 + m.exp(-m.sqrt(2)) / 2, (one:position()), 0.05)
    local field = away:field { kind = "custom", law = spring, param = { k = 1, c = 0 } }
    assert.is_false(field.implicit)
    field.implicit = true
    assert.is_true(field.implicit)
  end)

  it("is refused on a dynamic field, both as an option and as a property", function()
    local world = impel.world {}
    local function law(b) return -4 * b.x, 0 end
    local why = "needs the derivatives of the law, and a dynamic field has none"
    local ok, message = pcall(world.field, world, { kind = "custom", law = law, dynamic = true, implicit = true })
    assert.is_false(ok)
    assert.truthy(message:find(why, 1, true), message)
    local field = world:field { kind = "custom", law = law, dynamic = true }
    ok, message = pcall(function() field.implicit = true end)
    assert.is_false(ok)
    assert.matches("^spec/bindings/objects/field_laws_spec.lua:%d+: ", message)
    assert.truthy(message:find(why, 1, true), message)
    assert.is_false(field.implicit)
    field.implicit = false
    world:step(10)
    assert.equal(1, world:counts().fields)
  end)
end)
