-- world:snapshot and world:restore: a restored world continues identically, with the same handles and userdata.
local core = require "impel.core"
local pairs_in_order = require "impel.pairs"
local raises = require "support.raises"

local function list(iterator, state, first)
  local all = {}
  for x in iterator, state, first do all[#all + 1] = x end
  return all
end

-- Scenes whose handlers depend on the world only, so that a run can be repeated --------------------------------------

local scenes = {}

-- Falling shapes of every kind, a conveyor belt, a sensor, a one-way platform. Bodies are created and destroyed at
-- random.
function scenes.rain(solver)
  local world = core.world { solver = solver, seed = 5 }
  local ground = world:body { type = "static" }
  ground:chain { points = { { 9, 0 }, { 2, 0 }, { -2, 0.2 }, { -9, 0 } } }
  ground:box { 3, 0.2, center = { -3, 1.5 }, one_way = { 0, 1 } }
  ground:box { 2, 0.2, center = { 3, 1 }, surface_speed = 1 }
  ground:circle { radius = 1, center = { 0, 2 }, sensor = true }
  world:body({ type = "kinematic", velocity = { 0.3, 0 }, angular_velocity = 1, position = { 0, 0.5 } }):box { 1, 0.2 }
  for i = 1, 8 do
    local body = world:body { position = { -4 + i, 2 + i % 3 }, angle = i, bullet = i == 3, linear_damping = 0.1 * i }
    if i % 3 == 0 then body:circle { radius = 0.3, rolling_resistance = 0.05, restitution = 0.5 } end
    if i % 3 == 1 then body:box { 0.5, 0.3, radius = 0.02 } end
    if i % 3 == 2 then body:capsule { from = { -0.2, 0 }, to = { 0.2, 0 }, radius = 0.15 } end
  end
  world:on("step", function()
    if world.tick % 7 == 3 then
      local body = world:body { position = { 6 * world:random() - 3, 4 }, angular_velocity = world:random(-3, 3) }
      body:polygon { points = { { 0, 0 }, { 0.5, 0 }, { 0.2, 0.4 } } }
    end
    if world.tick % 11 == 10 then
      local bodies = list(world:bodies())
      bodies[2 + world:random(#bodies - 2)]:destroy()
    end
  end)
  world:on("begin_contact", function(event) event.body_b:apply_impulse(0.01 * event.nx, 0) end)
  world:on("substep", function(h)
    if world.tick % 5 == 0 then list(world:bodies())[3]:apply_force(h, 1) end
  end)
  return world
end

-- Every kind of joint with every drive. Some drives change, a joint breaks, a joint is created and destroyed.
function scenes.rig(solver)
  local world = core.world { solver = solver }
  world:body({ type = "static" }):box { 40, 1, center = { 0, -3 } }
  local function box(x, y, width)
    local body = world:body { position = { x, y } }
    body:box { width or 0.5, 0.5 }
    return body
  end
  local a, b, c, d = box(0, 0), box(1, 0), box(2, 0), box(3, 0)
  local hub = world:revolute(world.ground, a, { motor = { speed = 2, max_force = 20 }, limit = { -30, 30 } })
  local slide = world:prismatic(world.ground, b, { spring = { hertz = 2, damping_ratio = 0.3, target = 0.1 } })
  world:gear { joint1 = hub, joint2 = slide, ratio = 0.5 }
  world:weld(b, c, { break_force = 60, name = "weak" })
  world:rope(c, d, { length = 1.2 })
  local car, wheel = box(-4, 0, 2), box(-4, -1)
  world:wheel(car, wheel, { axis = { 0, 1 }, spring = { hertz = 4, damping_ratio = 0.7 }, motor = { speed = -5 } })
  world:pulley(car, d, { ground_a = { -4, 4 }, ground_b = { 3, 4 } })
  world:ratchet(world.ground, wheel, { pitch = 0.2 })
  world:pose(world.ground, box(6, 0), { max_force = 50, max_torque = 3, target = { 1, 1 } })
  local held = box(8, 0)
  world:drag(held, { target = { 8, 2 } })
  world:distance(held, box(9, 1), { spring = { stiffness = 30, damping = 1 } })
  world:linear(held, box(8, 3), { x = { limit = { -0.5, 0.5 } }, y = { servo = { target = 0.2, max_force = 30 } } })
  world:friction(held, box(7, 2), { max_force = 5 })
  world:pin_slot(held, box(9, 3), { limit = { -1, 1 }, axis = { 1, 1 } })
  world:on("step", function()
    hub.motor_speed = 2 + (world.tick % 8) / 4
    if world.tick % 10 == 4 then world:distance(a, c, { name = "prop " .. world.tick }) end
    if world.tick % 10 == 8 then world:find("prop " .. world.tick - 4):destroy() end
  end)
  return world
end

-- Custom constraints: a tape with time and parameters, a dynamic tape, rows, a velocity constraint, a constraint with
-- break_if.
function scenes.custom(solver)
  local world = core.world { solver = solver }
  local sin = core.math.sin
  local function bead(x, y)
    local body = world:body { position = { x, y } }
    body:circle { radius = 0.2 }
    return body
  end
  local a, b, c, d, e = bead(2, 0), bead(0, 3), bead(4, 0), bead(6, 0), bead(8, 0)
  local wire = world:constraint(a, { C = function(p, t, q) return p.x ^ 2 + p.y ^ 2 - q.r ^ 2 - 0.1 * sin(3 * t) end,
                                     param = { r = 2 } })
  world:constraint(b, { dynamic = true, C = function(p)
    if p.x > 0 then return p.y - 3 end
    return p.y - 3 - p.x ^ 2
  end })
  world:constraint(c, d, { rows = function(row, p, q)
    row { J = { { -1, 0, 0 }, { 1, 0, 0 } }, C = q.x - p.x - 2 }
    if p.y < -0.5 then row { J = { { 0, 1, 0 }, { 0, 0, 0 } }, lower = 0, upper = 30 } end
  end, max_rows = 2 })
  world:constraint(e, { C_dot = function(p) return p.vx - p.vy / 2 end })
  local link = world:revolute(world.ground, bead(10, 0), {
    anchor = { 9, 0 }, break_if = function(joint) return joint.value < -1 end, name = "link" })
  world:on("step", function()
    wire.param.r = 2 + (world.tick % 6) / 100
    if world.tick == 20 then world:constraint(b, c, { C = function(p, q) return p.y - q.y - 4 end, name = "late" }) end
    if world.tick == 40 then world:find("late"):destroy() end
  end)
  return world, link
end

local STEPS = 60


-- Restoring ----------------------------------------------------------------------------------------------------------

describe("a restore", function()
  for name, scene in pairs(scenes) do
    for _, solver in ipairs { "si", "soft" } do
      it(("at every step of %s with %s gives the same hashes in the steps that follow"):format(name, solver), function()
        local world = scene(solver)
        local snapshots, hashes = {}, {}
        for step = 0, STEPS do
          snapshots[step], hashes[step] = world:snapshot(), world.hash
          world:step()
        end
        for step = 0, STEPS do
          world:restore(snapshots[step])
          assert.equal(step, world.tick)
          assert.equal(hashes[step], world.hash)
          for after = step + 1, math.min(step + 12, STEPS) do
            world:step()
            assert.equal(hashes[after], world.hash, ("%d, restored at %d"):format(after, step))
          end
        end
        world:restore(snapshots[0])
        for step = 1, STEPS do
          world:step()
          assert.equal(hashes[step], world.hash)
        end
      end)
    end
  end

  it("works in a new world too, if no Lua value is part of the state", function()
    local function fill(world)
      world:body({ type = "static" }):box { 40, 1 }
      for i = 1, 5 do world:body({ position = { 0.1 * i, 1.2 * i } }):box { 1, 1 } end
      world:distance(world.ground, list(world:bodies())[3], {})
      return world
    end
    local world = fill(core.world { solver = "si" })
    world:step(10)
    local snapshot = world:snapshot()
    local other = core.world {}
    other:restore(snapshot)
    assert.equal(world.hash, other.hash)
    assert.equal("si", other.solver)
    world:step(30)
    other:step(30)
    assert.equal(world.hash, other.hash)
    assert.equal(6, #list(other:bodies()))
    assert.equal(1, #list(other:joints()))
  end)

  it("restores settings, time, random numbers and gravity", function()
    local world = core.world { seed = 9, gravity = { 1, -2 }, substeps = 7 }
    world:step(3)
    local snapshot = world:snapshot()
    local dice = { world:random(100), world:random(100) }
    world.substeps, world.solver, world.dt = 2, "si", 0.01
    world:set_gravity(0, 0)
    world:step(5)
    world:restore(snapshot)
    assert.same({ 7, "soft", 1 / 60, 3, 3 / 60 }, { world.substeps, world.solver, world.dt, world.tick, world.time })
    assert.same({ 1, -2 }, { world:gravity() })
    assert.same(dice, { world:random(100), world:random(100) })
  end)
end)


-- Handles ------------------------------------------------------------------------------------------------------------

describe("after a restore", function()
  it("objects of the snapshot keep their userdata, and objects created after the snapshot are destroyed", function()
    local world = core.world {}
    local body, gone = world:body { name = "kept" }, world:body { name = "gone", data = { 1 } }
    local shape, gone_shape = body:circle { radius = 1 }, gone:circle { radius = 2, name = "hull", data = { 2 } }
    local joint = world:revolute(world.ground, body, { name = "hinge" })
    local gone_joint = world:weld(body, gone, { name = "bond", data = { 3 } })
    local coordinate = gone_joint:coordinate "angle"
    local snapshot = world:snapshot()
    gone:destroy() -- the shape and joint of the body are destroyed, too
    local late, late_joint = world:body { name = "late" }, world:weld(world.ground, body, {})
    local late_shape = late:circle { radius = 1 }
    world:step(5)
    world:restore(snapshot)
    for _, object in ipairs { body, gone, shape, gone_shape, joint, gone_joint, coordinate } do
      assert.is_true(object:is_valid())
    end
    for _, object in ipairs { late, late_shape, late_joint } do assert.is_false(object:is_valid()) end
    assert.same({ body, gone }, list(world:bodies()))
    assert.is_true(rawequal(gone, list(world:bodies())[2]))
    assert.is_true(rawequal(gone_joint, world:find "bond"))
    assert.is_true(rawequal(gone_shape, list(gone:shapes())[1]))
    assert.is_true(rawequal(coordinate, gone_joint:coordinate "angle"))
    assert.same({ 1, 2, 3 }, { gone.data[1], gone_shape.data[1], gone_joint.data[1] })
    raises("attempt to use destroyed body 'late'", function() return late.angle end)
    local new = world:body { name = "new" }
    assert.is_false(rawequal(new, late))
    assert.is_false(late:is_valid())
    assert.equal(3, new.id) -- the ID of the destroyed body 'late'
    assert.equal(3, #list(world:bodies()))
  end)

  it("names are restored", function()
    local world = core.world {}
    local body = world:body { name = "a" }
    local shape = body:circle { radius = 1 }
    local joint = world:weld(world.ground, body, { name = "j" })
    local snapshot = world:snapshot()
    body.name, shape.name, joint.name = nil, "hull", "k"
    world:restore(snapshot)
    assert.same({ "a", "j" }, { body.name, joint.name })
    assert.is_nil(shape.name)
    assert.is_true(rawequal(body, world:find "a"))
    assert.is_nil(world:find "k")
  end)

  it("data and functions of destroyed objects are restored, also after a garbage collection", function()
    local world, link = scenes.custom "soft"
    local snapshot = world:snapshot()
    world:step(STEPS)
    local hash = world.hash
    assert.is_true(link.broken)
    world:restore(snapshot)
    assert.is_false(link.broken)
    world:step(30)
    local late = world:snapshot() -- contains the joint "late"
    for joint in world:joints() do joint:destroy() end
    collectgarbage()
    collectgarbage()
    world:restore(late)
    world:step(STEPS - 30)
    assert.equal(hash, world.hash)
    assert.is_true(world:find("link").broken)
  end)

  it("contacts, rows and events read before are invalid; a contact that is read again keeps its userdata", function()
    local world = scenes.rain "soft"
    world:step(40)
    local snapshot = world:snapshot()
    local contact, row, event = list(world:contacts())[1], list(world:rows())[1], nil
    local id = contact.id
    world:step(8)
    while not event do
      world:step()
      event = list(world:events "begin_contact")[1]
    end
    local late = list(world:rows())[1]
    world:restore(snapshot)
    for _, object in ipairs { contact, row, event, late } do assert.is_false(object:is_valid()) end
    raises("after its step", function() return event.speed end)
    raises("after its step", function() return late.force end)
    assert.equal(0, #list(world:events "begin_contact"))
    assert.is_true(rawequal(contact, list(world:contacts())[1]))
    assert.equal(id, contact.id)
    assert.is_true(#list(world:rows()) > 0)
    for other in world:rows() do assert.is_true(other.mass >= 0) end
  end)

  it("rows have the impulses of the step before the snapshot", function()
    for _, solver in ipairs { "si", "soft" } do
      local world = scenes.rig(solver)
      world:step(25)
      local function look()
        local all = {}
        for row in world:rows() do
          all[#all + 1] = ("%s %.17g %.17g %.17g"):format(row, row.impulse, row.power, row.work)
        end
        return all
      end
      local snapshot, energy, before = world:snapshot(), { world:energy() }, look()
      world:step(5)
      world:restore(snapshot)
      assert.same(energy, { world:energy() })
      assert.same(before, look())
    end
  end)

  it("tables with objects as keys are iterated in the order of creation, as without a restore", function()
    local function order(world, restored)
      world:body {}
      local snapshot = world:snapshot()
      if restored then
        for _ = 1, 3 do
          for _ = 1, 20 do world:body({}):circle { radius = 1 } end
          world:restore(snapshot)
        end
      end
      local keys, text = {}, {}
      for i = 1, 5 do
        local body = world:body {}
        keys[body], keys[body:circle { radius = i }], keys[world:weld(world.ground, body, {})] = i, 10 + i, 20 + i
        if i == 2 then body:destroy() end
      end
      for _, value in pairs_in_order(keys) do text[#text + 1] = value end
      return table.concat(text, " ")
    end
    local expected = "1 2 3 4 5 21 22 23 24 25 11 12 13 14 15"
    assert.equal(expected, order(core.world {}, false))
    assert.equal(expected, order(core.world {}, true))
  end)
end)


-- Where it may be called ---------------------------------------------------------------------------------------------

describe("world:restore", function()
  local function drop()
    local world = core.world {}
    world:body({ type = "static" }):box { 9, 1, center = { 0, -0.5 } }
    for i = 1, 3 do world:body({ position = { 2 * i - 4, 0.49 } }):box { 1, 1 } end
    return world
  end

  it("in a step handler makes the step start from the restored state", function()
    local world, called = drop(), 0
    local snapshot, hash
    world:on("step", function() if hash then world:restore(snapshot) end end)
    world:on("step", function() called = called + 1 end)
    snapshot = world:snapshot()
    world:step()
    hash = world.hash
    world:step(3)
    assert.same({ 1, hash, 4 }, { world.tick, world.hash, called })
  end)

  it("in an event handler ends the step's events, and later steps start from the restored state", function()
    local world, calls, restores = drop(), 0, 0
    local snapshot
    world:on("begin_contact", function(event)
      calls = calls + 1
      assert.is_true(event:is_valid())
      if restores < 2 then
        restores = restores + 1
        world:restore(snapshot)
        raises("after its step", function() return event.body_a end)
      end
    end)
    world:on("begin_contact", function(event) assert.is_true(event:is_valid()) end)
    snapshot = world:snapshot()
    world:step(3) -- each step has three events; in two steps the handler restores the snapshot
    assert.same({ 5, 2, 1 }, { calls, restores, world.tick })
  end)

  it("is safe in break_if and inside loops", function()
    local world, link = scenes.custom "soft"
    world:step(2)
    local snapshot, left = world:snapshot(), 3
    world:revolute(world.ground, link.body_b, { break_if = function()
      left = left - 1
      if left >= 0 then world:restore(snapshot) end
      return true
    end })
    world:step(3)
    assert.equal(4, world.tick) -- the restore in break_if undid one of three steps
    assert.equal(2, left)
    local bodies = #list(world:bodies())
    world:body {}
    local seen = 0
    for _ in world:bodies() do
      seen = seen + 1
      if seen == 2 then world:restore(snapshot) end
    end
    assert.equal(bodies, seen)
    world:step()
    raises("attempt to use a row after its step", function()
      for _ in world:rows() do world:restore(snapshot) end
    end)
  end)

  it("and world:snapshot are refused inside a step, and restore inside a constraint's function", function()
    local world = drop()
    local snapshot, refused = world:snapshot(), 0
    local handler = world:on("substep", function()
      raises("world:snapshot: a snapshot cannot be made inside a step", world.snapshot, world)
      raises("world:restore: a world cannot be restored inside its own step", world.restore, world, snapshot)
      raises("world:load: a world cannot be restored inside its own step", world.load, world, "nowhere")
      refused = refused + 1
    end)
    world:step()
    assert.equal(4, refused)
    handler:destroy()
    local hash = world.hash
    raises("world:restore: called inside a constraint's function", world.constraint, world, list(world:bodies())[2], {
      C = function(p)
        world:restore(snapshot)
        return p.x
      end })
    assert.equal(hash, world.hash)
  end)

  it("refuses values other than a snapshot of this build, and changes nothing", function()
    local world = drop()
    world:step(5)
    local snapshot = world:snapshot()
    world:step(5)
    local hash = world.hash
    for _, bad in ipairs { 1, true, {}, print, io.stdout, world } do
      raises("world:restore: argument 'snapshot' must be a string", world.restore, world, bad)
    end
    raises("world:restore: argument 'snapshot' must be a string", world.restore, world)
    raises("world:restore: ", world.restore, world, "")
    raises("world:restore: ", world.restore, world, "abc")
    raises("world:restore: ", world.restore, world, snapshot:sub(1, -2))
    raises("world:restore: ", world.restore, world, snapshot .. "x")
    for at = 1, #snapshot, 97 do
      local byte = (snapshot:byte(at) + 1) % 256
      local damaged = snapshot:sub(1, at - 1) .. string.char(byte) .. snapshot:sub(at + 1)
      raises("world:restore: ", world.restore, world, damaged)
    end
    assert.equal(hash, world.hash)
    world:restore(snapshot)
    assert.equal(5, world.tick)
    world:destroy()
    raises("destroyed world", world.restore, world, snapshot)
    raises("destroyed world", world.snapshot, world)
  end)

  it("starts a ledger of energy in a world without auditing", function()
    local world = core.world { auditing = true }
    world:body { position = { 0, 100 } }
    world:step(5)
    local snapshot, other = world:snapshot(), core.world {}
    other:restore(snapshot)
    other:step()
    local ledger = other:audit()
    assert.is_true(math.abs(ledger.outside) < 1e-9) -- 1e-9 J is rounding of 981 J
    assert.is_true(math.abs(ledger.before - 981) < 5)
  end)

  it("keeps data of destroyed objects alive only if a snapshot refers to it", function()
    local weak = setmetatable({}, { __mode = "v" })
    local world = core.world {}
    for i, with in ipairs { false, true } do
      if with then world:snapshot() end
      local body = world:body { data = {} }
      weak[2 * i - 1], weak[2 * i] = body.data, world:weld(world.ground, body, { data = {} }).data
      body:destroy()
      world:step()
    end
    collectgarbage()
    assert.same({ false, false, true, true }, { weak[1] ~= nil, weak[2] ~= nil, weak[3] ~= nil, weak[4] ~= nil })
  end)
end)
