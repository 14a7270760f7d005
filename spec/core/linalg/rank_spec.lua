-- All solvers and diagnoses agree on which locks are redundant.
local impel = require "impel"

local SOLVERS = { "direct", "acceleration", "reduced", "rattle" }

-- A carriage on two parallel rails, locked by a third rail of slope `eps`. options.order: order in which the rails are
-- created.
local function carriage(solver, eps, options)
  local l, m = options.length or 1, options.mass or 1
  local world = impel.world { solver = solver, sleep = false, gravity = { 0, 0 } }
  local body = world:body { name = "carriage", mass = m, inertia = (options.inertia or 0.1) * m * l * l }
  local rails = { { { 1, 0 }, { -0.5 * l, 0 } }, { { 1, 0 }, { 0.5 * l, 0 } }, { { 1, eps }, { 0, 0.5 * l } } }
  for _, i in ipairs(options.order or { 1, 2, 3 }) do
    world:pin_slot(world.ground, body, { axis = rails[i][1], anchor = rails[i][2], name = "rail" .. i })
  end
  return world, body, l
end

-- Push the carriage for 1 s with a force that gives a free carriage a speed of 20 l per second (l: its length). It
-- stays at rest, or moves as without the third rail.
local function check_carriage(solver, eps, options)
  local world, body, l = carriage(solver, eps, options)
  local warned
  world:on("warning", function(event) warned = event end)
  world:on("step", function() body:apply_force(20 * body.mass * l, 0) end)
  world:step(60)
  local mobility, x, v = world:mobility(), body:position() / l, body:velocity() / l
  local name = ("%s, slope %g, mass %g, length %g, inertia %g, order %s"):format(solver, eps, options.mass or 1, l,
    options.inertia or 0.1, table.concat(options.order or {}))
  if mobility == 0 then
    -- Newton's method leaves an error of 1e-12 m across the rails, that is, 1e-12 m / slope along the rails.
    assert.near(0, x * l, 1e-12 / eps, name)
    assert.near(0, v, 1e-6, name)
    assert.is_nil(warned, name)
  else
    assert.near(20, v, 1e-4, name) -- the third rail is ignored, as its slope is below 1e-6
    assert.near(10, x, 0.2, name) -- first-order integration at 60 Hz has an error of 1/6
  end
  return mobility
end

describe("the rank of nearly parallel rails", function()
  it("is the same in every solver and in world:mobility, for each slope, mass and length", function()
    for _, solver in ipairs(SOLVERS) do
      for _, eps in ipairs { 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8, 0 } do
        for _, mass in ipairs { 1e-3, 1, 1e3 } do
          for _, length in ipairs { 1e-3, 1, 1e3 } do
            local found = check_carriage(solver, eps, { mass = mass, length = length })
            assert.equal(eps >= 1e-6 and 0 or 1, found) -- slopes below 3e-7 (see IMPI_REDUNDANT) leave one motion
          end
        end
      end
    end
  end)

  it("does not depend on the order of the rails and the inertia of the carriage", function()
    local orders = { { 1, 2, 3 }, { 1, 3, 2 }, { 2, 1, 3 }, { 2, 3, 1 }, { 3, 1, 2 }, { 3, 2, 1 } }
    for _, solver in ipairs(SOLVERS) do
      for _, inertia in ipairs { 1e-4, 0.1, 10 } do
        for k = 4, 16 do
          local eps, ranks = 2 * 10 ^ (-k / 2), {} -- eps^2 is at least 4 or at most 0.4 IMPI_REDUNDANT
          for i, order in ipairs(orders) do
            ranks[i] = check_carriage(solver, eps, { inertia = inertia, order = order })
            assert.equal(ranks[1], ranks[i])
          end
        end
      end
    end
  end)

  it("gives only one warning, with the dropped rail's name, while the error of this rail grows", function()
    for _, solver in ipairs(SOLVERS) do
      local world, body = carriage(solver, 1e-7, {})
      local told = {}
      world:on("warning", function(event) told[#told + 1] = event.joint.name end)
      world:on("step", function() body:apply_force(2000, 0) end)
      world:step(60)
      assert.equal(1, #told, solver)
      assert.matches("^rail", told[1])
      assert.near(1000, body:position(), 20) -- first-order integration at 60 Hz has an error of 1000 m / 60
    end
  end)
end)

-- Three parallel cranks of 1 m on a coupler, the last crank longer by `long`, under gravity.
local function three_cranks_into(world, long, angle)
  local c, s = math.cos(angle), math.sin(angle)
  local coupler = world:body { position = { 1 + c, s } }
  coupler:box { 2, 0.05, mask = 0 }
  for i = 0, 2 do
    local l = 1 + (i == 2 and long or 0)
    local crank = world:body { position = { i + c * l / 2, s * l / 2 }, angle = angle }
    crank:box { l, 0.05, mask = 0 }
    world:revolute(world.ground, crank, { anchor = { i, 0 }, name = "foot" .. i })
    world:revolute(crank, coupler, { local_anchor_a = { l / 2, 0 }, local_anchor_b = { i - 1, 0 }, name = "pin" .. i })
  end
  return coupler
end

local function three_cranks(solver, long, angle)
  local world = impel.world { solver = solver, sleep = false, gravity = { 0, -9.81 } }
  return world, three_cranks_into(world, long, angle)
end

local function energy(world)
  local sum = 0
  for body in world:bodies() do
    if body.mass > 0 then
      local _, y = body:position()
      sum = sum + body:kinetic_energy() + 9.81 * body.mass * y
    end
  end
  return sum
end

local SCALE = 9.81 * 0.25 -- m g l [J] of the coupler and three cranks

describe("three parallel cranks", function()
  it("of equal length move with one redundant lock, without a warning", function()
    for _, solver in ipairs(SOLVERS) do
      for _, angle in ipairs { 0.5, 1, 1.5, 2.5 } do
        local world, coupler = three_cranks(solver, 0, angle)
        local told = 0
        world:on("warning", function() told = told + 1 end)
        local start = energy(world)
        for _ = 1, 30 do
          world:step()
          local mobility, redundant = world:mobility()
          assert.same({ 1, 1 }, { mobility, #redundant }, solver)
        end
        -- 5 %: the error of first-order integration at 60 Hz.
        local vx, vy = coupler:velocity()
        assert.is_true(math.abs(vx) + math.abs(vy) > 0.5, solver)
        assert.is_true(math.abs(energy(world) - start) < 0.05 * SCALE, solver .. " " .. energy(world) - start)
        assert.equal(0, told)
      end
    end
  end)

  it("drop one lock if one crank is too long, name the lock, and gain no energy", function()
    for _, solver in ipairs(SOLVERS) do
      for _, long in ipairs { 1e-5, 1e-3, 1e-2 } do
        local world = three_cranks(solver, long, 1)
        local told = {}
        world:on("warning", function(event) told[#told + 1] = event.joint.name .. ": " .. event.text end)
        local start = energy(world)
        for _ = 1, 300 do
          world:step()
          local now = energy(world)
          assert.is_true(now < start + 0.05 * SCALE, ("%s %g: %g J more"):format(solver, long, now - start))
        end
        assert.equal(1, #told, solver)
        assert.matches("^pin%d: a lock is not held", told[1])
      end
    end
  end)
end)

describe("a parallelogram whose third crank is too long", function()
  -- Cranks of length l / 2 carry a coupler of length 2 l.
  local function parallelogram(solver, long, l)
    local world = impel.world { solver = solver, sleep = false }
    local angle = math.rad(-30)
    local x, y = 0.5 * l * math.cos(angle), 0.5 * l * math.sin(angle)
    local function bar(fx, fy, tx, ty)
      local body = world:body { position = { (fx + tx) / 2, (fy + ty) / 2 }, angle = math.atan(ty - fy, tx - fx) }
      body:box { math.sqrt((tx - fx) ^ 2 + (ty - fy) ^ 2), 0.05 * l, density = 20 / l ^ 2, mask = 0 }
      return body
    end
    local coupler = bar(x, y, 2 * l + x, y)
    local pins = {}
    for i, at in ipairs { 0, 2 * l, l } do
      local part = i == 3 and 1 + 2 * long or 1
      local crank = bar(at, 0, at + part * x, part * y)
      world:revolute(world.ground, crank, { anchor = { at, 0 } })
      pins[i] = world:revolute(crank, coupler, { local_anchor_a = { 0.25 * l * part, 0 },
        local_anchor_b = { at - l, 0 } })
    end
    return world, pins
  end

  it("keeps its energy within 3 %, with pin forces below three times the static load", function()
    -- The weight of all bars is 34 N. Each pin carries less than 100 N.
    for _, solver in ipairs { "direct", "rattle" } do
      for _, l in ipairs { 0.1, 1, 10 } do
        for _, dt in ipairs { 1 / 60, 1 / 120, 1 / 240 } do
          for _, long in ipairs { 1e-5, 1e-4, 1e-3, 3e-3, 1e-2 } do
            local world, pins = parallelogram(solver, long, l)
            world.dt = dt * math.sqrt(l)
            local kinetic, potential = world:energy()
            local start = kinetic + potential
            for i = 1, 2 / dt do
              world:step()
              for k, pin in ipairs(pins) do
                local fx, fy = pin:reaction()
                local name = ("%s, pin %d: %g, %g N; dt %g, %g of %g m, step %d"):format(solver, k, fx, fy, dt, long,
                  l, i)
                assert.is_true(fx * fx + fy * fy < 100 ^ 2, name)
              end
            end
            kinetic, potential = world:energy()
            assert.near(start, kinetic + potential, 0.03 * math.abs(start), ("%s, dt %g, %g of %g m"):format(
              solver, dt, long, l))
          end
        end
      end
    end
  end)
end)

describe("a linkage with contradictory lengths", function()
  -- Record poses and warnings of contradicting cranks. `add` adds separate bodies.
  local function play(solver, add)
    local world, coupler = three_cranks(solver, 1e-2, 1)
    -- The midpoint rule shortens the substeps of all islands together.
    if solver == "direct" then world.midpoint = false end
    add(world)
    local told = {}
    world:on("warning", function(event) told[#told + 1] = event.joint.name .. ": " .. event.text end)
    local poses = {}
    for i = 1, 120 do
      world:step()
      poses[i] = { coupler:position() }
    end
    return poses, told
  end

  local others = {
    ["a box that slides on a floor"] = function(world)
      world:body { type = "static", position = { 0, -20 } }:box { 100, 1 }
      world:body { position = { 0, -19 }, velocity = { 3, 0 } }:box { 1, 1 }
    end,
    ["a pendulum at its limit"] = function(world)
      local rod = world:body { position = { 20, 0 } }
      rod:box { 1, 0.1 }
      world:revolute(world.ground, rod, { anchor = { 19.5, 0 }, limit = { -0.5, 3 } })
    end,
    ["a hinge in the middle of its limits"] = function(world)
      local wheel = world:body { position = { 20, 0 } }
      wheel:circle { radius = 0.5 }
      world:revolute(world.ground, wheel, { anchor = { 20, 0 }, limit = { -1, 1 } })
    end,
    ["another contradictory rod"] = function(world)
      for i = 0, 1 do -- a rod with two feet whose pins are 10 mm too far apart
        local rod = world:body { position = { 30 + 5 * i, 0 } }
        rod:box { 1, 0.1 }
        world:revolute(world.ground, rod, { anchor = { 29.5 + 5 * i, 0 }, name = "left" })
            world:revolute(world.ground, rod, { local_anchor_a = { 30.51 + 5 * i, 0 }, local_anchor_b = { 0.5, 0 },
          name = "right" })
      end
    end,
  }

  it("moves the same with and without unconnected bodies in the world", function()
    for _, solver in ipairs(SOLVERS) do
      local poses, told = play(solver, function() end)
      assert.equal(1, #told, solver)
      for name, add in pairs(others) do
        local with, told_with = play(solver, add)
        for i, pose in ipairs(poses) do
          assert.near(pose[1], with[i][1], 1e-9, ("%s with %s, step %d"):format(solver, name, i))
          assert.near(pose[2], with[i][2], 1e-9, ("%s with %s, step %d"):format(solver, name, i))
        end
        local named = false
        for _, text in ipairs(told_with) do named = named or text == told[1] end
        assert.is_true(named, solver .. " with " .. name)
      end
    end
  end)

  -- Add a four-bar linkage of unequal rods and a chain of three rods, both without contradictions.
  local function sound(world)
    local bodies, joints, last = {}, {}, world.ground
    local function rod(x1, y1, x2, y2)
      local length = math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)
      local body = world:body { position = { (x1 + x2) / 2, (y1 + y2) / 2 }, angle = math.atan(y2 - y1, x2 - x1) }
      body:box { length, 0.05, mask = 0 }
      bodies[#bodies + 1] = body
      return body
    end
    local function pin(a, b, x, y) joints[#joints + 1] = world:revolute(a, b, { anchor = { x, y } }) end
    local crank, coupler, rocker = rod(-10, 0, -9.5, 0.5), rod(-9.5, 0.5, -8, 1), rod(-8, 0, -8, 1)
    pin(world.ground, crank, -10, 0)
    pin(crank, coupler, -9.5, 0.5)
    pin(coupler, rocker, -8, 1)
    pin(world.ground, rocker, -8, 0)
    for i = 1, 3 do
      local link = rod(-21 + i, 0, -20 + i, 0)
      pin(last, link, -21 + i, 0)
      last = link
    end
    return bodies, joints
  end

  it("does not open joints of a separate consistent linkage, or change its motion", function()
    for _, solver in ipairs(SOLVERS) do
      local paths = {}
      for k, add in ipairs { function() end, three_cranks_into } do
        local world = impel.world { solver = solver, sleep = false, gravity = { 0, -9.81 } }
        if solver == "direct" then world.midpoint = false end
        local bodies, joints = sound(world)
        add(world, 1e-2, 1)
        paths[k] = {}
        for i = 1, 120 do
          world:step()
          for _, joint in ipairs(joints) do
            table.insert(paths[k], joint.separation)
            if solver ~= "reduced" then -- solver "reduced" removes only a part of a loop's error per step
              assert.near(0, joint.separation, 1e-9, ("%s, step %d"):format(solver, i))
            end
          end
          for _, body in ipairs(bodies) do table.insert(paths[k], (body:position())) end
        end
      end
      -- Coordinates of 20 m have rounding errors of 4e-15 m.
      for i, x in ipairs(paths[1]) do assert.near(x, paths[2][i], 1e-12, solver) end
    end
  end)
end)

describe("a toggle", function()
  -- Two links of 1 m at `deg` degrees. 10 N press on the knee.
  local function toggle(solver, deg)
    local world = impel.world { solver = solver, sleep = false, gravity = { 0, 0 } }
    local a = math.rad(deg)
    local c, s = math.cos(a), math.sin(a)
    local left = world:body { position = { 0.5 * c, 0.5 * s }, angle = a, mass = 0.1, inertia = 0.01 }
    local right = world:body { position = { 1.5 * c, 0.5 * s }, angle = -a, mass = 0.1, inertia = 0.01 }
    local ram = world:body { name = "ram", position = { 2 * c, 0 }, mass = 0.1, inertia = 0.01 }
    world:revolute(world.ground, left, { anchor = { 0, 0 }, name = "base" })
    world:revolute(left, right, { anchor = { c, s }, name = "knee" })
    world:revolute(right, ram, { anchor = { 2 * c, 0 }, name = "wrist" })
    local guide = world:prismatic(world.ground, ram, { axis = { 1, 0 }, name = "guide" })
    guide:coordinate("x"):set_lock()
    return world, right, guide
  end

  it("is reported with its amplification and its angle to the dead centre", function()
    for _, deg in ipairs { 0.003, 0.01, 0.1, 0.5, 1 } do
      local world = toggle("soft", deg)
      local weak = world:doctor().weak
      assert.equal(1, #weak)
      assert.equal("x of prismatic 'guide'", weak[1].lock)
      -- Links turn by w: the knee moves by w l, the end by 2 w l sin a.
      assert.near(1, weak[1].amplification * 2 * math.sin(math.rad(deg)), 1e-6)
      -- Angle to the dead centre: C' / C'' = tan a for C = 2 l cos a. The doctor's relative error is of order sin^2 a.
      local a = math.rad(deg)
      assert.near(1, weak[1].angle / math.tan(a), 20 * math.sin(a) ^ 2 + 1e-6)
      assert.same({ "revolute 'base'", "revolute 'knee'", "revolute 'wrist'", "prismatic 'guide'" },
        { table.unpack(weak[1].joints) })
      local text = table.concat(world:doctor().warnings, "\n")
      assert.matches("near a dead centre", text)
      assert.matches("after the dead centre, the force has the opposite sign", text)
      assert.equal("direct", world:doctor().suggested)
    end
    assert.equal(0, #toggle("soft", 30):doctor().weak)
  end)

  it("is held by the static force F / (2 tan a)", function()
    for _, solver in ipairs(SOLVERS) do
      for _, deg in ipairs { 0.01, 0.1, 1, 5, 10 } do
        local world, right, guide = toggle(solver, deg)
        for _ = 1, 30 do
          right:apply_force(0, -10, right:world_point(-0.5, 0))
          world:step()
        end
        local exact = -10 / 2 / math.tan(math.rad(deg))
        assert.near(1, guide:coordinate("x").force / exact, 1e-4, solver .. " at " .. deg)
      end
    end
  end)

  it("is not reported for a long lever of welded rods", function()
    local world = impel.world { gravity = { 0, 0 } }
    local last = world.ground
    for i = 1, 20 do
      local rod = world:body { position = { i - 0.5, 0 } }
      rod:box { 1, 0.1, mask = 0 }
      world:weld(last, rod, { anchor = { i - 1, 0 } })
      last = rod
    end
    assert.equal(0, #world:doctor().weak)
  end)
end)
