-- Force fields from Lua. field_shapes_spec.lua tests fields that act on shapes.
local core = require "impel.core"
local impel = require "impel"
local raises = require "support.raises"

local solvers = require("support.kinds").solvers

-- The options that each kind of field needs, with values at which the field acts.
local options_of = {
  uniform = { acceleration = { 1, 2 }, force = { 3, 4 } },
  attractor = { center = { 1, 1 }, strength = 3, power = 1.5, softening = 0.1, range = 50 },
  spring = { center = { 1, 1 }, stiffness = 4, damping = 0.5, rest_length = 0.3 },
  drag = { linear = 0.2, quadratic = 0.3, angular = 0.4, velocity = { 1, 0 } },
  vortex = { center = { 1, 1 }, linear = 0.2, quadratic = 0.3, circulation = 4, inflow = 1, core = 0.5, range = 40 },
  wind = { velocity = { 4, 1 }, density = 1.5, coefficient = 0.9, gust = 0.3, gust_hertz = 1, seed = 7,
           point_width = 0.2 },
  buoyancy = { density = 2, level = 0.5, linear = 0.5, quadratic = 0.2, velocity = { 0.5, 0 }, wave_amplitude = 0.2,
               wave_length = 5, wave_speed = 2 },
  explosion = { center = { 0, -1 }, impulse = 2, start = 0.1, duration = 0.05, core = 0.2, range = 20, progress = 0.25,
                point_width = 0.3 },
  custom = { law = function(b, t, p) return -p.k * b.x + t, b.mass, 0.1 * b.angular_velocity end, param = { k = 2 } },
}

local kinds = require("support.kinds").fields
local copy = require "support.with"

local function make(world, kind, more)
  local options = copy(options_of[kind])
  options.kind = kind
  for k, v in pairs(more or {}) do options[k] = v end
  return world:field(options)
end

-- A world without gravity, unless the options set it.
local function space(options)
  options = options or {}
  options.gravity = options.gravity or { 0, 0 }
  return impel.world(options)
end

-- ---------------------------------------------------------------------------------------------------------------------

describe("a field", function()
  it("of every kind reads back the options that recreate it", function()
    for _, kind in ipairs(kinds) do
      if kind ~= "custom" then
        local world = space()
        local a, b = world:body {}, world:body {}
        for _, more in ipairs { {}, { enabled = false, name = "n", data = 7 }, { except = { a } }, { bodies = {} },
                                { bodies = { b }, region = { 1, 4, 3, 2 } } } do
          local field = make(world, kind, more)
          local first = field:options()
          local again = world:field(first):options()
          assert.same(first, again, kind)
          assert.equal(kind, first.kind)
          for key, value in pairs(options_of[kind]) do assert.same(value, first[key], kind .. "." .. key) end
          assert.same(more.bodies, first.bodies)
          assert.same(more.except, first.except)
          -- Corners of the region: lower left, upper right.
          if more.region then assert.same({ 1, 2, 3, 4 }, first.region) end
        end
      end
    end
  end)

  it("reads and writes the numeric properties of its kind, and refuses properties of other kinds", function()
    local world = space()
    local entries = core.api().field
    for _, kind in ipairs(kinds) do
      local field
      for _, entry in ipairs(entries) do
        field = make(world, kind)
        local has = options_of[kind][entry.name] ~= nil
        local flag = entry.name == "enabled" or entry.name == "implicit"
        if entry.kind == "property" and entry.lower and entry.name ~= "id" and not flag then
          if has then
            assert.equal(options_of[kind][entry.name], field[entry.name])
            field[entry.name] = entry.name == "seed" and 3 or 0.75
            assert.near(entry.name == "seed" and 3 or 0.75, field[entry.name], 0)
            for _, bad in ipairs { 0 / 0, "1", true, {}, 1e308 } do
              if bad ~= 1e308 or entry.upper < 1e308 then
                raises("field." .. entry.name, function() field[entry.name] = bad end)
              end
            end
          elseif kind ~= "spring" or entry.name ~= "hertz" and entry.name ~= "damping_ratio" then
            raises("field." .. entry.name .. " of field " .. field.id, function() return field[entry.name] end)
            raises("field." .. entry.name, function() field[entry.name] = 0.5 end)
          end
        end
      end
      assert.is_true(field.enabled)
      field.enabled = false
      assert.is_false(field.enabled)
    end
  end)

  it("reads and writes the vectors of its kind", function()
    local world = space()
    for _, kind in ipairs(kinds) do
      local field = make(world, kind)
      for _, name in ipairs { "acceleration", "force", "center", "velocity" } do
        if options_of[kind][name] then
          assert.same(options_of[kind][name], { field[name](field) })
          field["set_" .. name](field, -0.5, 0.25)
          assert.same({ -0.5, 0.25 }, { field[name](field) })
        else
          raises("field." .. name, function() field[name](field) end)
          raises("field." .. name, function() field["set_" .. name](field, 1, 1) end)
        end
      end
    end
  end)

  it("accepts the options of its kind only", function()
    local world = space()
    for _, entry in ipairs(core.api().world) do
      for _, option in ipairs(entry.name == "field" and entry.options or {}) do
        for _, kind in ipairs(kinds) do
          local needed = { kind = true, name = true, enabled = true, region = true, bodies = true, except = true,
                           data = true, dynamic = kind == "custom", implicit = kind == "custom",
                           hertz = kind == "spring", damping_ratio = kind == "spring" }
          if not options_of[kind][option.name] and not needed[option.name] then
            local wrong = option.type == "vector" and { 1, 1 } or 1
            raises(("bad field '%s' in world:field '%s'"):format(option.name, kind), make, world, kind,
              { [option.name] = wrong })
          elseif option.type == "number" then
            for _, bad in ipairs { 0 / 0, "1", true, {} } do
              raises(("world:field '%s': field '%s'"):format(kind, option.name), make, world, kind,
                { [option.name] = bad })
            end
          end
        end
      end
    end
    raises("field 'kind' is missing", function() world:field {} end)
    raises("did you mean 'drag'?", function() world:field { kind = "drug" } end)
    raises("did you mean 'linear'?", function() world:field { kind = "drag", linaer = 1 } end)
    raises("expects a table of options", function() world:field "drag" end)
    raises("got stiffness 0 N/m, damping 0 N s/m, hertz 0 Hz, damping_ratio 0", function()
      world:field { kind = "spring" }
    end)
    raises("stiffness and damping, or hertz", function()
      world:field { kind = "spring", stiffness = 1, hertz = 1 }
    end)
    raises("field.density of water must be above 0 kg/m^2, got 0", function() world:field { kind = "buoyancy" } end)
    raises("must be { x1, y1, x2, y2 }, four finite numbers [m], got 3 of them", make, world, "drag",
      { region = { 1, 2, 3 } })
    raises("finite numbers [m], got nan at 4", make, world, "drag", { region = { 1, 2, 3, 0 / 0 } })
    raises("finite numbers [m], got '2' (string) at 2", make, world, "drag", { region = { 1, "2", 3, 4 } })
    raises("finite numbers [m], got 7", make, world, "drag", { region = 7 })
    raises("world:field 'wind': field 'seed' must be an integer", make, world, "wind", { seed = 0.5 })
    raises("must be a list of bodies, got the key 'a' (string)", make, world, "drag", { bodies = { a = world.ground } })
    raises("must be a list of bodies, got the key 0", make, world, "drag", { except = { [0] = world.ground } })
    raises("must be a list of bodies, got 1 as item 1", function() make(world, "drag", { bodies = { 1 } }) end)
    raises("of another world", function() make(world, "drag", { except = { space():body {} } }) end)
    raises("not both", function() make(world, "drag", { except = {}, bodies = {} }) end)
    local dead = world:body { name = "gone" }
    dead:destroy()
    raises("destroyed body 'gone'", function() make(world, "drag", { bodies = { dead } }) end)
  end)

  it("requires its strength option, which may be 0", function()
    local world = space()
    for kind, names in impel.pairs { uniform = "'acceleration' or 'force'", attractor = "'strength'",
                                     drag = "'linear', 'quadratic' or 'angular'", vortex = "'linear' or 'quadratic'",
                                     explosion = "'impulse'" } do
      raises(("world:field '%s': field %s is missing"):format(kind, names), function() world:field { kind = kind } end)
      for name in names:gmatch "'(%w+)'" do
        local zero = kind == "uniform" and { 0, 0 } or 0
        local field = world:field { kind = kind, [name] = zero }
        assert.equal(kind, world:field(field:options()).kind)
      end
    end
  end)

  it("'s law cannot step, destroy or restore a world", function()
    local world = space()
    local bytes = world:snapshot()
    for name, argument in impel.pairs { step = false, destroy = false, restore = bytes } do
      raises("world:" .. name .. ": called inside a field's function", function()
        world:field { kind = "custom", law = function() return world[name](world, argument or nil), 0 end }
      end)
    end
  end)

  it("is the same Lua object each time, is listed in creation order, and is refused after its destruction", function()
    local world = space()
    local list = {}
    for i, kind in ipairs(kinds) do list[i] = make(world, kind, { name = kind }) end
    local i = 0
    for field in world:fields() do
      i = i + 1
      assert.is_true(rawequal(list[i], field))
      assert.equal(kinds[i], field.kind)
      assert.equal(i, field.id)
      assert.is_true(rawequal(world, field.world))
    end
    assert.equal(#list, i)
    assert.equal("drag field 'air'", tostring(make(world, "drag", { name = "air" })))
    assert.truthy(tostring(make(world, "drag")):find "^drag field %d+$")
    list[2]:destroy()
    list[2]:destroy()
    assert.is_false(list[2]:is_valid())
    assert.truthy(tostring(list[2]):find "^destroyed field")
    local destroyed = ("attempt to use destroyed field '%s'"):format(kinds[2])
    raises(destroyed, function() return list[2].level end)
    raises(destroyed, function() list[2]:region() end)
    list[1].name = nil
    assert.is_nil(list[1].name)
    list[1].data = { 1 }
    assert.same({ 1 }, list[1].data)
    local order = {}
    for field in impel.pairs { [list[3]] = true, [list[1]] = true } do order[#order + 1] = field end
    assert.same({ list[1], list[3] }, order) -- impel.pairs sorts fields by creation
    world:destroy()
    assert.is_false(list[1]:is_valid())
  end)

  it("acts on its list of bodies", function()
    local world = space()
    local a, b, c = world:body {}, world:body {}, world:body { type = "kinematic" }
    local field = world:field { kind = "uniform", acceleration = { 1, 0 }, bodies = { a, c } }
    assert.same({ true, false, true }, { field:acts_on(a), field:acts_on(b), field:acts_on(c) })
    world:step()
    assert.near(1 / 60, (a:velocity()), 1e-15)
    assert.equal(0, (b:velocity()))
    assert.equal(0, (c:velocity())) -- forces do not act on a kinematic body
    field:remove(a)
    field:add(b)
    world:step()
    assert.near(1 / 60, (a:velocity()), 1e-15)
    assert.near(1 / 60, (b:velocity()), 1e-15)
    raises("argument 'body' must be a body, got nil", function() field:add() end)
    a:destroy()
    raises("destroyed body", function() field:add(a) end)
  end)

  it("can be created, changed and destroyed in handlers", function()
    local world = space()
    local body = world:body {}
    local pull = world:field { kind = "uniform", acceleration = { 1, 0 } }
    local made
    world:on("substep", function()
      if world.tick == 1 and not made then
        made = world:field { kind = "uniform", acceleration = { 0, 1 } }
        assert.is_true(made:is_valid())
        pull:set_acceleration(2, 0)
      end
      if world.tick == 2 and pull:is_valid() then pull:destroy() end
    end)
    world:step()
    assert.near(1 / 60, (body:velocity()), 1e-15)
    world:step()
    local vx, vy = body:velocity()
    assert.near(3 / 60, vx, 1e-15) -- fields that a substep handler creates or changes act in the same substep
    assert.near(1 / 60, vy, 1e-15)
    world:step()
    assert.near(3 / 60, (body:velocity()), 1e-15)
  end)
end)

-- ---------------------------------------------------------------------------------------------------------------------

describe("a uniform field", function()
  for _, solver in ipairs(solvers) do
    it("equals gravity up to rounding, as an acceleration and as a force, under " .. solver, function()
      local heavy = impel.world { gravity = { 0, -9.81 }, solver = solver }
      local light = space { solver = solver }
      local a, b = heavy:body { mass = 3 }, light:body { mass = 3 }
      light:field { kind = "uniform", acceleration = { 0, -4.905 }, force = { 0, -3 * 4.905 } }
      heavy:step(100)
      light:step(100)
      local _, va = a:velocity()
      local _, vb = b:velocity()
      assert.near(va, vb, 1e-12)
      local _, ya = a:position()
      local _, yb = b:position()
      -- Solver "reduced" applies a field before the step: yb = ya - g h t / 2 with step h and time t.
      assert.near(ya, yb, solver ~= "reduced" and 1e-11 or 9.81 / 60 * 100 / 60 / 2 + 1e-9)
    end)
  end
end)

describe("drag", function()
  for _, solver in ipairs(solvers) do
    it("gives a falling body its terminal speed, under " .. solver, function()
      local world = impel.world { gravity = { 0, -9.81 }, solver = solver }
      local body = world:body { mass = 1 }
      world:field { kind = "drag", quadratic = 0.1 }
      world:step(1200)
      local _, vy = body:velocity()
      -- With implicit drag the terminal speed is exact.
      assert.near(-math.sqrt(1 * 9.81 / 0.1), vy, 1e-9)
    end)
  end

  it("divides the relative velocity by 1 + c h / m in each step, and the angular velocity by 1 + c h / I", function()
    local world = space { solver = "si" }
    local body = world:body { mass = 2, inertia = 0.5, velocity = { 3, 0 }, angular_velocity = 4 }
    world:field { kind = "drag", linear = 0.8, angular = 0.1, velocity = { 1, 0.5 } }
    world:step(30)
    local vx, vy = body:velocity()
    local left, turn = (1 + 0.8 / 2 / 60) ^ -30, (1 + 0.1 / 0.5 / 60) ^ -30
    assert.near(1 + 2 * left, vx, 1e-14) -- 30 steps of implicit drag, computed by hand
    assert.near(0.5 - 0.5 * left, vy, 1e-14)
    assert.near(4 * turn, body.angular_velocity, 1e-14)
  end)

  it("reaches the terminal velocity of a constant force in two media", function()
    local world = space { solver = "si" }
    local body = world:body { mass = 2 }
    world:on("step", function() body:apply_force(6, 0) end)
    world:field { kind = "drag", linear = 2 }
    world:field { kind = "drag", linear = 1, velocity = { 0, 3 } }
    world:step(2000)
    local vx, vy = body:velocity()
    assert.near(6 / 3, vx, 1e-12) -- F = 3 v
    assert.near(1 * 3 / 3, vy, 1e-12)
  end)

  it("is stable at any coefficient", function()
    for _, solver in ipairs(solvers) do
      local world = space { solver = solver }
      local body = world:body { mass = 0.01, inertia = 0.01, velocity = { 100, 0 }, angular_velocity = 50 }
      world:field { kind = "drag", linear = 1e9, quadratic = 1e9, angular = 1e9, velocity = { 0, 2 } }
      world:step(5)
      local vx, vy = body:velocity()
      assert.near(0, vx, 1e-6)
      assert.near(2, vy, 1e-6)
      assert.near(0, body.angular_velocity, 1e-6)
    end
  end)

  it("acts on jointed bodies as on free bodies", function()
    local world = space {}
    local a, b = world:body { mass = 1, velocity = { 2, 0 } }, world:body { mass = 1, position = { 0, 1 },
      velocity = { 2, 0 } }
    local free = world:body { mass = 1, position = { 0, 5 }, velocity = { 2, 0 } }
    world:distance(a, b, {})
    world:field { kind = "drag", linear = 0.5, quadratic = 0.3 }
    world:step(60)
    assert.near((free:velocity()), (a:velocity()), 1e-6) -- the solver of the joint stores velocities as floats
  end)
end)

-- Return the mean period of `count` upward zero crossings of x, each interpolated linearly between steps.
local function period(world, x, count)
  local first, last, crossings, before = nil, nil, 0, x()
  while crossings <= count do
    world:step()
    local now = x()
    if before < 0 and now >= 0 then
      last = world.time - world.dt * now / (now - before)
      first = first or last
      crossings = crossings + 1
    end
    before = now
  end
  return (last - first) / count
end

describe("a spring to a point", function()
  -- k = 100, m = 1: w = 10 rad/s. Symplectic Euler: 2 sin(w' h / 2) = w h.
  local function discrete(h) return 2 * math.pi / (2 / h * math.asin(10 * h / 2)) end

  local function oscillator(substeps)
    local world = space { substeps = substeps }
    return world, world:body { mass = 1, position = { 1, 0 } }
  end

  it("has the period of the integrator, like the same force applied in a substep handler", function()
    for substeps, expected in pairs { [1] = 0.627590, [4] = 0.628273 } do
      for _, by in ipairs { "field", "handler" } do
        local world, body = oscillator(substeps)
        if by == "field" then
          world:field { kind = "spring", stiffness = 100 }
        else
          world:on("substep", function() body:apply_force(-100 * body:position(), 0) end)
        end
        local found = period(world, function() return (body:position()) end, 100)
        assert.near(expected, found, 1e-6)
        assert.near(discrete(1 / 60 / substeps), found, 1e-6) -- the interpolation between steps has an error of 2e-7
      end
    end
  end)

  it("keeps its energy over 10^5 periods; a force constant over four substeps makes the energy grow", function()
    local world, body = oscillator(4)
    world:field { kind = "spring", hertz = 10 / (2 * math.pi) }
    local function energy() return 0.5 * body:velocity() ^ 2 + 50 * body:position() ^ 2 end
    local worst = 0
    for _ = 1, 1000 do -- 10^5 periods are 3.77e6 steps
      world:step(3770)
      worst = math.max(worst, math.abs(energy() / 50 - 1))
    end
    assert.is_true(worst < 10 / 240 / 2 + 1e-3, worst) -- with symplectic Euler the energy oscillates by w h / 2 = 2.1 %
    local held, ball = oscillator(4)
    held:on("step", function() ball:apply_force(-100 * ball:position(), 0) end)
    held:step(600)
    assert.is_true(ball:velocity() ^ 2 + 100 * ball:position() ^ 2 > 2 * 100)
  end)

  it("is integrated implicitly if stiff, and stable at any stiffness", function()
    for _, solver in ipairs(solvers) do
      local world = space { solver = solver, substeps = 1 }
      local body = world:body { mass = 2, position = { 1, 0 } }
      world:field { kind = "spring", stiffness = 1e9, damping = 3 }
      world:step()
      -- Implicit step h: (m + h c + h^2 k) v' = m v - h k x.
      local h = 1 / 60
      if solver ~= "rattle" then
        assert.near(-h * 1e9 / (2 + h * 3 + h * h * 1e9), (body:velocity()), 1e-9 / h)
      end
      world:step(20)
      -- Under "rattle" the body oscillates, but the amplitude does not grow.
      assert.near(0, (body:position()), solver == "rattle" and 1 or 1e-9)
    end
  end)

  it("is critically damped by hertz and damping_ratio for every mass", function()
    local world = space { substeps = 50 }
    local light, heavy = world:body { mass = 0.1, position = { 1, 0 } }, world:body { mass = 30, position = { 1, 0 } }
    world:field { kind = "spring", hertz = 0.5, damping_ratio = 1 }
    world:step(60)
    local w = math.pi
    assert.near((1 + w) * math.exp(-w), (light:position()), 2e-4) -- tolerance: the error of first-order integration
    assert.near((light:position()), (heavy:position()), 1e-12)
  end)

  it("rests at its rest length", function()
    local world = space {}
    local body = world:body { mass = 1, position = { 3, 4 } }
    local spring = world:field { kind = "spring", stiffness = 20, damping = 9, rest_length = 2 }
    world:step(900)
    local x, y = body:position()
    assert.near(2, math.sqrt(x * x + y * y), 1e-9)
    assert.near(4 / 3, y / x, 1e-9) -- the body is still on the line through its start and the field's centre
    raises("either stiffness and damping, or hertz", function() spring.hertz = 1 end)
  end)
end)

describe("an attractor", function()
  it("accelerates bodies in its range by strength * r / s^(power + 1), s^2 = r^2 + softening^2", function()
    for _, power in ipairs { 2, 1, 0, -1, 3, 5, 1.5, -2 } do
      local world = space { solver = "si" }
      local near, far = world:body { mass = 5, position = { 1, 2 } }, world:body { position = { 40, 0 } }
      world:field { kind = "attractor", center = { -2, -2 }, strength = 3, power = power, softening = 2, range = 10 }
      world:step()
      local vx, vy = near:velocity()
      local s = math.sqrt(25 + 4)
      local a = 3 / s ^ power / 60
      assert.near(-a * 3 / s, vx, 1e-13)
      assert.near(-a * 4 / s, vy, 1e-13)
      assert.equal(0, (far:velocity()))
    end
  end)

  it("exerts no force at its centre", function()
    local world = space {}
    local body = world:body {}
    world:field { kind = "attractor", strength = 5 }
    world:step(3)
    assert.same({ 0, 0 }, { body:velocity() })
  end)

  -- Orbit an attractor. Return the largest relative error of v^2 / 2 - 1 / r.
  local function orbit(force)
    local world = space { substeps = 4 }
    local body = world:body { position = { 1, 0 }, velocity = { 0, 1.1 } } -- an ellipse
    local function energy()
      local x, y = body:position()
      local vx, vy = body:velocity()
      return 0.5 * (vx * vx + vy * vy) - 1 / math.sqrt(x * x + y * y)
    end
    force(world, body)
    local start, worst = energy(), 0
    local a = -0.5 / start
    for _ = 1, 100 do -- 100 periods
      world:step(math.floor(2 * math.pi * a ^ 1.5 * 60 + 0.5))
      worst = math.max(worst, math.abs(energy() / start - 1))
    end
    return worst
  end

  it("keeps an orbit's energy within 1 % for 100 periods; a force constant in each step does not", function()
    local by_field = orbit(function(world) world:field { kind = "attractor", strength = 1 } end)
    assert.is_true(by_field < 0.01, by_field)
    local by_law = orbit(function(world)
      world:field { kind = "custom", law = function(b)
        local r2 = b.x ^ 2 + b.y ^ 2
        local s = -b.mass / (r2 * impel.math.sqrt(r2))
        return s * b.x, s * b.y
      end }
    end)
    assert.near(by_field, by_law, 1e-9)
    local held = orbit(function(world, body)
      world:on("step", function()
        local x, y = body:position()
        local s = -1 / (x * x + y * y) ^ 1.5
        body:apply_force(s * x, s * y)
      end)
    end)
    assert.is_true(held > 5 * by_field and held > 0.05, held)
  end)
end)

describe("a vortex", function()
  it("carries a dragged body along with its flow", function()
    local world = space { substeps = 1, dt = 1 / 240 }
    local c, radius, sink = 6, 0.5, 1
    world:field { kind = "vortex", center = { 1, 0 }, circulation = c, core = radius, inflow = sink, linear = 1e9 }
    local body = world:body { mass = 1, position = { 3, 0 } }
    world:step()
    local vx, vy = body:velocity()
    local profile = 2 / (4 + radius ^ 2) / (2 * math.pi)
    assert.near(-sink * profile, vx, 1e-6) -- the velocity is towards the centre; its error is m / (drag h) = 2e-7
    assert.near(c * profile, vy, 1e-6) -- counter-clockwise
  end)

  it("exerts no force beyond its range and at its centre", function()
    local world = space {}
    world:field { kind = "vortex", circulation = 6, linear = 10, range = 2 }
    local middle, outside = world:body {}, world:body { position = { 3, 0 }, velocity = { 0, 1 } }
    world:step()
    assert.same({ 0, 0 }, { middle:velocity() })
    assert.same({ 0, 1 }, { outside:velocity() })
  end)
end)

describe("the work of fields", function()
  it("is booked as applied work in the ledger, under every solver", function()
    for _, solver in ipairs(solvers) do
      local world = impel.world { gravity = { 0, -9.81 }, solver = solver, auditing = true }
      world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 } }
      local box = world:body { position = { 0, 0.5 } }
      box:box { 1, 1 }
      world:distance(box, world:body { mass = 0.3, position = { 0, 3 } }, {})
      for _, kind in ipairs(kinds) do make(world, kind) end
      world:step(30)
      local audit = world:audit()
      local no_cause = { before = true, after = true, worst = true, worst_cause = true, worst_owner = true,
                         step = true }
      local sum = audit.before
      for key, joules in pairs(audit) do sum = sum + (no_cause[key] and 0 or joules) end
      assert.is_true(math.abs(audit.applied) > 0.01)
      assert.near(0, audit.after - sum, 1e-9 * 30, solver) -- required: 1e-9 J a step
    end
  end)
end)
