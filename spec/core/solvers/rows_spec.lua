-- Rows, energy, mobility and null space from Lua.
local core = require "impel.core"
local raises = require "support.raises"
local near = require "support.near"
local api = core.api()

local function list(iterator, state, first)
  local all = {}
  for x in iterator, state, first do all[#all + 1] = x end
  return all
end

-- A chain of six rods with motors and limits falls on two stacked boxes.
local function rig(solver)
  local world = core.world { solver = solver }
  world:body({ type = "static" }):box { 100, 1, center = { 0, -0.5 } }
  local before
  for i = 1, 6 do
    local rod = world:body { position = { 0.9 * i, 3 } }
    rod:box { 1, 0.2 }
    if before then
      world:revolute(before, rod, { anchor = { 0.9 * i - 0.45, 3 }, motor = { speed = 1, max_force = 0.5 },
                                    limit = { -0.5, 0.5 } })
    end
    before = rod
  end
  world:body({ position = { 2, 0.5 } }):box { 1, 1, rolling_resistance = 0.1 }
  world:body({ position = { 2.2, 1.5 } }):box { 1, 1 }
  return world
end

local function velocity(body)
  local vx, vy = body:velocity()
  return vx, vy, body.angular_velocity
end

-- Return J v of a row at the current velocities of its bodies.
local function jacobian_speed(row)
  local j, sum = { row:jacobian() }, 0
  for i, body in ipairs { row:bodies() } do
    local vx, vy, w = velocity(body)
    sum = sum + j[3 * i - 2] * vx + j[3 * i - 1] * vy + j[3 * i] * w
  end
  return sum
end

describe("rows", function()
  for _, solver in ipairs { "si", "soft" } do
    it("have J v as their speed, and exert no net force, with " .. solver, function()
      local world = rig(solver)
      for _ = 1, 60 do
        world:step()
        for row in world:rows() do
          near(jacobian_speed(row), row.speed, 1e-12) -- rounding of a sum of terms near 10 m/s
          local j = { row:jacobian() }
          assert.equal(6, #j)
          -- The entries of the two bodies are opposite numbers.
          assert.equal(0, j[1] + j[4])
          assert.equal(0, j[2] + j[5])
          assert.equal(row.force, row.impulse / world.dt)
        end
      end
    end)

    it("of joints exert no net moment about any point, with " .. solver, function()
      local world = rig(solver)
      for _ = 1, 60 do
        local x0 = {}
        for body in world:bodies() do x0[body] = { body:center() } end
        world:step()
        for joint in world:joints() do
          for row in joint:rows() do
            local j, moment = { row:jacobian() }, 0
            for i, body in ipairs { row:bodies() } do
              -- Rows belong to the poses before the step with solver si, after the step with solver soft.
              local x, y = table.unpack(solver == "si" and x0[body] or { body:center() })
              moment = moment + row.force * ((x - 3) * j[3 * i - 1] - (y + 7) * j[3 * i - 2] + j[3 * i])
            end
            near(0, moment, 1e-9) -- forces of 1e2 N at lever arms of 10 m: rounding is 1e-13
          end
        end
      end
    end)
  end

  it("change the momenta of the bodies: M (v' - v) = dt F + sum of J^T lambda, with si", function()
    local world = rig "si"
    for _ = 1, 60 do
      local expected = {}
      for body in world:bodies() do
        local vx, vy, w = velocity(body)
        local m = body.mass
        expected[body] = { m * vx, m * (vy - 9.81 * world.dt), body.inertia * w }
      end
      world:step()
      for row in world:rows() do
        local j = { row:jacobian() }
        for i, body in ipairs { row:bodies() } do
          for k = 1, 3 do expected[body][k] = expected[body][k] + j[3 * (i - 1) + k] * row.impulse end
        end
      end
      for body in world:bodies() do
        if body.type == "dynamic" then
          local vx, vy, w = velocity(body)
          near(expected[body][1], body.mass * vx, 1e-13) -- rounding of sums near 1 N s
          near(expected[body][2], body.mass * vy, 1e-13)
          near(expected[body][3], body.inertia * w, 1e-13)
        end
      end
    end
  end)

  it("have the power of their forces on the bodies: lambda (J v) = (J^T lambda) v", function()
    local world = rig "si"
    for _ = 1, 60 do
      world:step()
      for row in world:rows() do
        local j, power, size = { row:jacobian() }, 0, 1
        for i, body in ipairs { row:bodies() } do
          local vx, vy, w = velocity(body)
          local fx, fy, torque = row.force * j[3 * i - 2], row.force * j[3 * i - 1], row.force * j[3 * i]
          power = power + fx * vx + fy * vy + torque * w
          size = size + math.abs(fx * vx) + math.abs(fy * vy) + math.abs(torque * w)
        end
        near(power, row.force * row.speed, 1e-12 * size) -- rounding
      end
    end
  end)

  it("are in the order of their owners, and owner:rows() lists the rows of each owner", function()
    local world = rig "si"
    world:step(30)
    local all, at = list(world:rows()), 0
    for joint in world:joints() do
      for _, row in ipairs(list(joint:rows())) do
        at = at + 1
        assert.is_true(rawequal(all[at], row) and rawequal(row.owner, joint))
        assert.is_nil(row.point)
        assert.is_true(rawequal(joint:coordinate(row.coordinate).joint, joint))
      end
    end
    assert.is_true(at >= 5 * 3)
    for contact in world:contacts() do
      local kinds = {}
      for _, row in ipairs(list(contact:rows())) do
        at = at + 1
        assert.is_true(rawequal(all[at], row) and rawequal(row.owner, contact))
        assert.is_nil(row.coordinate)
        kinds[#kinds + 1] = row.kind .. (row.point or "")
      end
      local expected = contact.count == 2 and "normal1 normal2 friction1 friction2" or "normal1 friction1"
      if contact.rolling_resistance > 0 then expected = expected .. " rolling" end
      assert.equal(expected, table.concat(kinds, " "))
    end
    assert.equal(#all, at)
    assert.equal(#all, world:counts().rows)
  end)

  it("convert to strings with owner and kind", function()
    local world = core.world {}
    local wheel = world:body {}
    wheel:circle { radius = 1, rolling_resistance = 0.1 }
    world:body({ type = "static" }):box { 9, 1, center = { 0, -1.5 } }
    world:revolute(world.ground, wheel, { name = "hub", motor = { speed = 1 } })
    world:constraint(wheel, { C = function(p) return p.x end })
    world:step()
    local names = {}
    for row in world:rows() do names[#names + 1] = tostring(row) end
    assert.equal("lock row of x of revolute 'hub'; lock row of y of revolute 'hub'; motor row of angle of revolute "
      .. "'hub'; lock row of 1 of constraint 2; normal row of point 1 of contact of shapes 1 and 2; friction row of "
      .. "point 1 of contact of shapes 1 and 2; rolling row of contact of shapes 1 and 2", table.concat(names, "; "))
  end)

  it("of one body have three Jacobian entries, of a constraint of three bodies nine", function()
    local world = core.world {}
    local bodies = {}
    for i = 1, 3 do bodies[i] = world:body { position = { i, 0 } } end
    local one = world:constraint(bodies[1], { C = function(p) return p.x - 1 end })
    local three = world:constraint(bodies[1], bodies[2], bodies[3], {
      C = function(a, b, c) return a.x + 2 * b.y - 3 * c.x + 8 end })
    world:step()
    for row in one:rows() do
      assert.same({ 1, 0, 0 }, { row:jacobian() })
      assert.same({ bodies[1] }, { row:bodies() })
      assert.equal("1", row.coordinate)
    end
    for row in three:rows() do
      local sum = {} -- the order of bodies in a row is not specified
      local j = { row:jacobian() }
      assert.equal(9, #j)
      for i, body in ipairs { row:bodies() } do sum[body] = { j[3 * i - 2], j[3 * i - 1], j[3 * i] } end
      assert.same({ 1, 0, 0 }, sum[bodies[1]])
      assert.same({ 0, 2, 0 }, sum[bodies[2]])
      assert.same({ -3, 0, 0 }, sum[bodies[3]])
    end
  end)

  it("are clamped at a finite bound, and never without one", function()
    local world = core.world { gravity = { 0, 0 } }
    local wheel = world:body {}
    wheel:circle { radius = 1 }
    local hub = world:revolute(world.ground, wheel, { motor = { speed = 100, max_force = 2 } })
    world:step()
    for row in hub:rows() do
      if row.kind == "motor" then
        assert.is_true(row.clamped)
        near(2, row.force, 1e-6) -- rounding of floats
        assert.same({ -2, 2 }, { row.lower, row.upper })
      else
        assert.same({ -math.huge, math.huge }, { row.lower, row.upper })
        assert.is_false(row.clamped)
      end
    end
  end)

  it("are clamped at a bound of 0", function()
    local world = core.world { gravity = { 0, 0 } }
    local wheel = world:body { angular_velocity = 1 }
    wheel:circle { radius = 1 }
    local hub = world:revolute(world.ground, wheel, { motor = { speed = 100, max_force = 0 } })
    world:step()
    near(1, wheel.angular_velocity, 1e-6)
    local seen
    for row in hub:rows() do
      if row.kind == "motor" then
        assert.same({ 0, 0, 0 }, { row.force, row.lower, row.upper })
        seen = row.clamped
      end
    end
    assert.is_true(seen)
  end)
end)

describe("a row that si solves alone", function()
  -- Give a body on a rod an impulse at a point. One sweep without position correction is exact.
  local function solved()
    local world = core.world { solver = "si", gravity = { 0, 0 }, iterations = 1, baumgarte = 0 }
    local body = world:body { position = { 2, 1 }, mass = 1.5, inertia = 0.7 }
    local rod = world:distance(world.ground, body, { anchor_a = { 0, 0 }, local_anchor_b = { 0.3, 0.2 } })
    body:apply_impulse(0.7, -1.1, 2.3, 1.6)
    local before, v_bar = body:kinetic_energy(), { velocity(body) }
    world:step()
    local row = list(rod:rows())[1]
    local j = { row:jacobian() }
    return row, j, j[4] * v_bar[1] + j[5] * v_bar[2] + j[6] * v_bar[3], body:kinetic_energy() - before
  end

  it("has J v + b = 0", function()
    local row = solved()
    near(0, row.speed + row.bias, 1e-10) -- rounding leaves 1e-16
  end)

  it("has the closed form's effective mass m_C and Jacobian J", function()
    local row, j = solved()
    local length = math.sqrt(2.3 ^ 2 + 1.2 ^ 2)
    local nx, ny = 2.3 / length, 1.2 / length
    local expected = { -nx, -ny, 0, nx, ny, 0.3 * ny - 0.2 * nx }
    for k = 1, 6 do near(expected[k], j[k], 1e-15) end -- rounding of a division
    near(1 / (1 / 1.5 + expected[6] ^ 2 / 0.7), row.mass, 1e-15)
  end)

  it("gives lambda = -m_C (J v_bar + b), and takes 1/2 m_C (J v_bar)^2 of kinetic energy", function()
    local row, _, j_v_bar, change = solved()
    near(-row.mass * (j_v_bar + row.bias), row.impulse, 1e-15) -- rounding of the last bit
    near(-0.5 * row.mass * j_v_bar ^ 2, change, 1e-12) -- rounding of energies near 1 J
    near(change, row.work, 1e-12)
  end)
end)

describe("energy and work", function()
  for _, solver in ipairs { "si", "soft" } do
    it("of a motor are 1/2 I w^2, with " .. solver, function()
      local world = core.world { solver = solver, gravity = { 0, 0 } }
      local wheel = world:body { mass = 1, inertia = 0.5 }
      wheel:circle { radius = 0.5, density = 0 }
      local hub = world:revolute(world.ground, wheel, { motor = { speed = 10, max_force = 2 } })
      for _ = 1, 200 do
        world:step()
        local stored = 0.5 * 0.5 * wheel.angular_velocity ^ 2
        for row in hub:rows() do
          if row.kind == "motor" then near(stored, row.work, 1e-3 * stored) end -- floats: 1e-5
        end
      end
      near(25, hub:coordinate("angle").work, 0.025)
      near(25, (select(3, world:energy())), 0.025)
    end)

    it("of a brake are the change of the disc's kinetic energy, with " .. solver, function()
      local world = core.world { solver = solver, gravity = { 0, 0 } }
      local disc = world:body { mass = 1, inertia = 0.5, angular_velocity = 10 }
      disc:circle { radius = 0.5, density = 0 }
      local brake = world:friction(world.ground, disc, { angle = { motor = { speed = 0, max_force = 2 } } })
      for tick = 1, 200 do
        local before = disc:kinetic_energy()
        world:step()
        local lost = before - disc:kinetic_energy()
        for row in brake:rows() do
          if row.coordinate == "angle" then
            near(-lost / world.dt, row.power, 1e-3 * lost / world.dt + 1e-6) -- rounding of floats
            near(disc:kinetic_energy() - 25, row.work, 0.025) -- 0.1 % of 25 J
            if tick < 100 then near(-2, row.force, 1e-5) end
          end
        end
      end
      near(0, disc.angular_velocity, 1e-6)
      near(-25, (select(3, world:energy())), 0.025)
    end)
  end

  it("of a block's friction: contact_work changes by the block's change of kinetic energy", function()
    local world = core.world {}
    world:body({ type = "static" }):box { 100, 1, center = { 0, -0.5 }, friction = 0.5 }
    local block = world:body { position = { 0, 0.25 } }
    block:box { 1, 0.5, friction = 0.5 }
    world:step(30)
    local _, _, _, work_before = world:energy()
    block:set_velocity(5, 0)
    local lost = block:kinetic_energy()
    world:step(200)
    near(0, block:kinetic_energy(), 1e-9) -- at rest
    local _, _, joint_work, contact_work = world:energy()
    near(-lost, contact_work - work_before, 0.01 * lost)
    assert.equal(0, joint_work)
  end)

  it("of all joints together are the sum over their rows", function()
    for _, solver in ipairs { "si", "soft" } do
      local world = rig(solver)
      world:step(60)
      local sum = 0
      for joint in world:joints() do
        for row in joint:rows() do sum = sum + row.work end
      end
      near(sum, (select(3, world:energy())), 1e-9) -- rounding
    end
  end)
end)

describe("row objects", function()
  local world, hub, wheel
  before_each(function()
    world = core.world {}
    world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 } }
    wheel = world:body { position = { 0, 0.49 } }
    wheel:circle { radius = 0.5 }
    hub = world:revolute(world.ground, wheel, { motor = { speed = 1 } })
    world:step()
  end)

  it("have every field of the class with its type, all read-only", function()
    local types = { number = "number", boolean = "boolean" }
    for row in world:rows() do
      for _, entry in ipairs(api.row) do
        if entry.kind == "property" then
          local value = row[entry.name]
          if types[entry.type] then assert.equal(types[entry.type], type(value), entry.name) end
          raises("read-only", function() row[entry.name] = 1 end)
        else
          assert.is_function(row[entry.name])
          raises("a row is expected", row[entry.name], {})
          raises("a row is expected", row[entry.name], wheel)
        end
      end
      raises("did you mean 'impulse'", function() return row.inpulse end)
      assert.equal("row", getmetatable(row))
    end
  end)

  it("raise after the next step; world:rows() then returns the same userdata, valid again", function()
    local before = list(world:rows())
    world:step()
    for _, row in ipairs(before) do
      assert.is_false(row:is_valid())
      assert.equal("row of an earlier step", tostring(row))
      raises("attempt to use a row after its step", function() return row.force end)
      raises("attempt to use a row after its step", row.jacobian, row)
    end
    for i, row in ipairs(list(world:rows())) do assert.is_true(rawequal(before[i], row) and row:is_valid()) end
  end)

  it("raise if their joint or contact was destroyed, also inside a loop; others stay valid", function()
    local rows = list(world:rows())
    local force = rows[4].force
    world:revolute(world.ground, wheel, {}) -- the rows of the new joint precede the rows of the contact
    for _, row in ipairs(rows) do assert.is_true(row:is_valid()) end
    assert.equal("normal", rows[4].kind)
    assert.equal(force, rows[4].force)
    hub:destroy()
    raises("a row that no longer exists: its joint was destroyed", function() return rows[1].force end)
    assert.is_true(rows[4]:is_valid())
    wheel:destroy()
    raises("a row that no longer exists: its contact was destroyed", function() return rows[4].force end)
    assert.equal(0, #list(world:rows()))
  end)

  it("end a joint's loop if the joint is destroyed inside it, and the world's loop too", function()
    local count = 0
    for row in hub:rows() do
      count = count + 1
      row.owner:destroy()
    end
    assert.equal(1, count)
    local other = world:weld(world.ground, wheel, {})
    world:step()
    raises("a row that no longer exists", function()
      for _ in world:rows() do
        if other:is_valid() then other:destroy() end
      end
    end)
  end)

  it("cannot be read inside a step", function()
    local seen = 0
    local rows = list(world:rows())
    local handler = world:on("substep", function()
      seen = seen + 1
      raises("rows cannot be read inside a step", world.rows, world)
      raises("rows cannot be read inside a step", hub.rows, hub)
      raises("after its step", function() return rows[1].force end)
    end)
    world:step()
    handler:destroy()
    assert.equal(4, seen)
    local step = world:on("step", function() seen = seen + #list(hub:rows()) end)
    world:step()
    assert.equal(7, seen)
    step:destroy()
  end)

  it("are refused in another world and outside of a loop", function()
    local other = core.world {}
    local next_row, _, _ = other:rows()
    raises("belongs to another world", next_row, other, list(world:rows())[1])
    raises("an iterator is for a loop", next_row)
    raises("an iterator is for a loop", next_row, other, 1)
    raises("an iterator is for a loop", next_row, wheel)
    local row = list(world:rows())[1]
    world:destroy()
    assert.is_false(row:is_valid())
    raises("row", function() return row.force end)
    raises("destroyed world", world.rows, world)
  end)

  it("stay distinct from all new rows for 59 steps after their joint was destroyed", function()
    local row = list(hub:rows())[1]
    hub:destroy()
    for _ = 1, 59 do
      world:step()
      for other in world:rows() do assert.is_false(rawequal(row, other)) end
      world:weld(world.ground, wheel, {}):destroy()
    end
    assert.is_false(row:is_valid())
  end)

  it("make no garbage", function()
    local busy = rig "soft"
    busy:step(120)
    local read = 0
    local function read_all()
      local sum = 0
      for joint in busy:joints() do
        for row in joint:rows() do sum = sum + row.value end
      end
      for row in busy:rows() do
        sum = sum + row.value + row.speed + row.bias + row.impulse + row.force + row.mass + row.power + row.work
          + (row:jacobian()) + (row.coordinate and 0 or row.point or 0) + (row.clamped and 1 or 0)
        local first, second, kind = row.owner, row:bodies(), row.kind
        read = read + (first and second and kind and 1)
      end
      return sum
    end
    read_all()
    collectgarbage()
    collectgarbage "stop"
    read_all()
    local before = collectgarbage "count"
    read = 0
    while read < 1000 do read_all() end
    local after = collectgarbage "count"
    collectgarbage "restart"
    assert.equal(before, after)
  end)
end)

describe("world:mobility and world:nullspace", function()
  local function four_bar(angle)
    local world = core.world { gravity = { 0, 0 } }
    local points = { { 0, 0 }, { 0, 1 }, { 2, 2 }, { 3, 0 } }
    local bars = {}
    for i = 1, 3 do
      local p, q = points[i], points[i + 1]
      bars[i] = world:body { position = { (p[1] + q[1]) / 2, (p[2] + q[2]) / 2 }, angle = angle }
      bars[i]:box { 1, 0.1 }
    end
    local before = world.ground
    for i = 1, 4 do
      local after = bars[i] or world.ground
      world:revolute(before, after, { anchor = points[i], name = "pin " .. i })
      before = after
    end
    return world, bars
  end

  it("count the freedoms that joints leave: 9 - 8 = 1 for a four-bar linkage", function()
    local world = four_bar()
    local mobility, redundant, freedom, rank = world:mobility()
    assert.same({ 1, 0, 9, 8 }, { mobility, #redundant, freedom, rank })
    assert.equal("integer", math.type(mobility))
  end)

  it("list redundant coordinates: those of the joint created last", function()
    local world, bars = four_bar()
    local weld = world:weld(bars[1], bars[2], { name = "extra" })
    local mobility, redundant = world:mobility()
    assert.equal(0, mobility)
    assert.equal(2, #redundant) -- the weld repeats two rows of the pin
    for _, coordinate in ipairs(redundant) do
      assert.equal("coordinate", getmetatable(coordinate))
      assert.is_true(rawequal(weld, coordinate.joint))
      assert.is_true(rawequal(coordinate, weld:coordinate(coordinate.name)))
    end
    weld:destroy()
    assert.same({ 1, 0 }, { world:mobility(), #select(2, world:mobility()) })
  end)

  it("give motions that no lock resists: J n = 0 and |n| = 1", function()
    local world, bars = four_bar()
    world:step()
    local basis, bodies = world:nullspace()
    assert.equal(1, #basis)
    assert.same(bars, bodies)
    local place, motion = {}, basis[1]
    assert.equal(9, #motion)
    for i, body in ipairs(bodies) do place[body] = 3 * i - 3 end
    for joint in world:joints() do
      for _, name in ipairs { "x", "y" } do
        local j, sum = { joint:coordinate(name):jacobian() }, 0
        for i, body in ipairs { joint:bodies() } do
          for k = 1, 3 do sum = sum + j[3 * i - 3 + k] * (place[body] and motion[place[body] + k] or 0) end
        end
        near(0, sum, 1e-12) -- rounding
      end
    end
  end)

  it("leave out static and kinematic bodies, and count two freedoms for each particle", function()
    local world = core.world {}
    world:body { type = "static" }
    local free, bead = world:body { mass = 1, inertia = 1 }, world:body { type = "particle" }
    world:body { type = "kinematic" }
    assert.same({ 5, {}, 5, 0 }, { world:mobility() })
    local basis, bodies = world:nullspace()
    assert.same({ free, bead }, bodies)
    assert.equal(5, #basis)
    for _, vector in ipairs(basis) do
      assert.equal(6, #vector)
      assert.equal(0, vector[6]) -- a particle does not turn
    end
    assert.same({ {}, {} }, { core.world({}):nullspace() })
  end)
end)
