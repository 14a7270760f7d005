-- Worlds as plain data: text, getters and motion of a copy; values that cannot be exported; scene files with data.
local impel = require "impel"
local decode = require("impel.data.text").decode
local scene = require "impel.scene"
local program = require "support.program"
local same_world = require "scripts.scene.same_world"
local text, again, compare = same_world.text, same_world.again, same_world.compare

local inf = math.huge


describe("world:export()", function()
  -- Return a scene's world and a function that makes steps with the scene's callbacks.
  local function set_up(file)
    local loaded = assert(scene.load(file))
    local state, world = loaded:setup(loaded:values())
    assert(state, world)
    local def = loaded.definition
    if def.substep then world:on("substep", function(h) def.substep(state, h) end) end
    return world, function(steps)
      for _ = 1, steps do
        if def.update then def.update(state, world.dt) end
        world:step()
      end
    end
  end

  for file in io.popen("ls examples/*.lua"):lines() do
    it("gives data that recreates " .. file .. " at the start and after a second, with the same text", function()
      local world, run = set_up(file)
      local has_functions = world:mix_rules() ~= nil
      for joint in world:joints() do has_functions = has_functions or joint.kind == "constraint" end
      for _, steps in ipairs { 0, math.ceil(1 / world.dt) } do
        run(steps)
        local data, left_out = world:export { partial = has_functions }
        assert.equal(has_functions, left_out[1] ~= nil)
        local source = impel.data.text(data)
        local copy = impel.load_data(assert(decode(source)))
        assert.equal(source, text(copy))
        if not has_functions then
          compare(world, copy)
          if steps == 0 then assert.equal(world.hash, copy.hash) end
        end
      end
    end)
  end

  it("gives a copy that continues to the same bits if there are no contacts", function()
    local world = impel.world { seed = 7, gravity = { 1, -3 } }
    for i = 1, 20 do
      local body = world:body {
        position = { 3 * i, i }, angle = 0.3 * i, velocity = { i, -1 }, angular_velocity = 10 - i,
        angular_damping = 0.1,
      }
      body:box { 1, 0.3, center = { 0.2, 0.1 * i }, angle = i }
      body:circle { radius = 0.2, center = { -0.7, 0 } }
    end
    world:step(33)
    local copy = again(world)
    assert.equal(world.hash, copy.hash)
    world:step(60)
    copy:step(60)
    assert.equal(world.hash, copy.hash)
    assert.equal(text(world), text(copy))
  end)

  -- Copy a falling chain of five links as data. Return the chain's world and the copy, both one second later.
  local function falling_chains(solver)
    local world = impel.world { solver = solver }
    local last = world.ground
    for i = 1, 5 do
      local body = world:body { position = { i, 0 }, name = "link" .. i }
      body:box { 1, 0.2 }
      world:revolute(last, body, { anchor = { i - 0.5, 0 } })
      last = body
    end
    world:step(33)
    local copy = again(world)
    world:step(60)
    copy:step(60)
    return world, copy
  end

  it("gives a copy that continues to the same bits with joints if the solver has no warm start", function()
    for _, solver in ipairs { "xpbd", "reduced" } do
      local world, copy = falling_chains(solver)
      compare(world, copy, 0, solver)
    end
  end)

  it("gives a copy that differs by rounding with direct solvers, and by sweep errors with iterative solvers", function()
    -- Direct solvers refine the impulses of the previous step, which the copy lacks. After a second the positions
    -- differ by about 1e-14 m.
    for _, solver in ipairs { "direct", "acceleration", "rattle" } do
      local world, copy = falling_chains(solver)
      compare(world, copy, 1e-11, solver)
    end
    -- Sweeps start from the impulses of the previous step, but from zero in the copy's first step. That step leaves a
    -- velocity error, a part of g dt = 0.16 m/s. The positions then differ by about 2e-3 m.
    for _, solver in ipairs { "soft", "si", "ngs", "split" } do
      local world, copy = falling_chains(solver)
      for i = 1, 5 do
        local x, y = world:find("link" .. i):position()
        local cx, cy = copy:find("link" .. i):position()
        assert.is_true(math.abs(x - cx) + math.abs(y - cy) < 0.01, solver)
      end
    end
  end)

  it("keeps broken joints, ratchets, moved targets, changed drives, locks and free coordinates", function()
    local world = impel.world {}
    local function body(x)
      local b = world:body { position = { x, 0 }, angle = 0.1 * x, angular_velocity = 1 }
      b:box { 0.5, 0.5 }
      return b
    end
    local hinge = world:revolute(world.ground, body(1), { break_force = 1e-3 })
    local ratchet = world:ratchet(world.ground, body(3), { pitch = 0.01 })
    local pose = world:pose(world.ground, body(5), { max_force = 100, max_torque = 10 })
    local slider = world:prismatic(world.ground, body(7), { servo = { target = 1, speed = 0.3, max_force = 9 } })
    local rod = world:distance(world.ground, body(9), { spring = { stiffness = 5, max_force = 3 } })
    local drag = world:drag(body(11), { target = { 11, 3 } })
    local free = world:weld(world.ground, body(13), {})
    free:coordinate("y"):set_lock(0.25)
    free:coordinate("angle"):release()
    pose:set_target(5.5, 0.5)
    drag:set_target(12, 4)
    world:step(10)
    rod:coordinate("distance"):set_limit(1, nil)
    slider:coordinate("angle"):set_motor { speed = -2 }
    assert.is_true(hinge.broken)
    assert.is_true(ratchet:coordinate("angle"):drives().limit[1] > 0)
    local copy = again(world)
    local drives = {}
    for i, w in ipairs { world, copy } do
      drives[i] = {}
      for joint in w:joints() do
        for coordinate in joint:coordinates() do table.insert(drives[i], coordinate:drives()) end
      end
    end
    assert.same(drives[1], drives[2])
    compare(world, copy)
    copy:step()
    for _ in copy:events "joint_break" do error "the break was reported again" end
  end)

  it("keeps resting bodies at rest, alone, in heaps and on joints", function()
    local world = impel.world {}
    world:body({ type = "static" }):box { 40, 1, center = { 0, -0.5 } }
    for i = 0, 2 do world:body({ position = { 0, 0.5 + i } }):box { 1, 1 } end
    local a, b = world:body { position = { 5, 0.5 } }, world:body { position = { 6, 0.5 } }
    a:box { 0.9, 1 }
    b:box { 0.9, 1 }
    world:weld(a, b, {})
    local mover = world:body { name = "mover", position = { 15, 3 }, velocity = { 0, 1 }, gravity_scale = 0 }
    mover:circle { radius = 0.5 }
    world:step(300)
    assert.equal(1, world:counts().awake)
    local copy = again(world)
    compare(world, copy)
    world:step(60)
    copy:step(60)
    assert.equal(1, copy:counts().awake)
    compare(world, copy)
  end)

  it("continues with the same random numbers", function()
    local world = impel.world { seed = 5 }
    for _ = 1, 10 do world:random() end
    local copy = again(world)
    assert.equal(world.hash, copy.hash)
    for _ = 1, 10 do assert.equal(world:random(0), copy:random(0)) end
  end)

  it("keeps the order in which shapes were made, if bodies do not determine it", function()
    local world = impel.world {}
    local a, b = world:body {}, world:body { position = { 3, 0 } }
    b:circle { radius = 0.5, name = "first" }
    a:circle { radius = 0.5, name = "second" }
    b:box { 1, 1, name = "third" }
    local copy = again(world)
    for body in copy:bodies() do
      for shape in body:shapes() do
        assert.equal(({ first = 1, second = 2, third = 3 })[shape.name], shape.id)
      end
    end
  end)

  it("keeps the disabled state of a body after a fault, and the clock of a world whose dt changed", function()
    local world = impel.world { seed = 3 }
    world:body({ name = "wild" }):circle { radius = 1 }
    world:step(7)
    world.dt = 0.01
    world:step(5)
    world:find("wild"):set_velocity(1e7, 0)
    world.dt = 1
    world:step(3)
    assert.is_false(world:find("wild").enabled)
    local copy = again(world)
    assert.is_false(copy:find("wild").enabled)
    assert.equal(world.hash, copy.hash)
    assert.equal(world.time, copy.time)
    world:step(5)
    copy:step(5)
    assert.equal(world.time, copy.time)
  end)

  it("keeps plain user data, and reports all other data", function()
    local world = impel.world {}
    local plain = { 1, 2.0, "x\0y\n", { deep = { [true] = false, [-3] = "neg" } }, ["a b"] = 1, ["end"] = -0.0 }
    local a, b = world:body { name = "a", data = plain }, world:body { name = "b", data = { f = print } }
    a:circle { radius = 1, data = "shape" }
    world:weld(a, b, { data = 5 })
    local data, left_out = world:export()
    assert.same({ "data of body 2 'b'" }, left_out)
    local copy = impel.load_data(assert(decode(impel.data.text(data))))
    assert.same(plain, copy:find("a").data)
    assert.equal("float", math.type(copy:find("a").data[2]))
    assert.equal(-inf, 1 / copy:find("a").data["end"])
    assert.is_nil(copy:find("b").data)
    assert.is_not.equal(plain, copy:find("a").data)
    again(copy)
  end)

  it("gives data that can make many worlds, and that stays unchanged", function()
    local world = impel.world {}
    world:body({ data = { 1 } }):box { 1, 1 }
    local data = world:export()
    local before = impel.data.text(data)
    local one, two = impel.load_data(data), impel.load_data(data)
    for body in one:bodies() do body.data[1] = 2 end
    one:step(10)
    two:step(10)
    assert.equal(one.hash, two.hash)
    assert.equal(before, impel.data.text(data))
  end)
end)


describe("values that data cannot hold", function()
  local world, bead, wire
  before_each(function()
    world = impel.world {}
    bead = world:body { position = { 2, 0 }, name = "bead" }
    wire = world:constraint(bead, { name = "wire", C = function(p) return p.x ^ 2 + p.y ^ 2 - 4 end })
  end)

  it("raise an error at the caller's line", function()
    local ok, message = pcall(function() return world:export() end)
    assert.is_false(ok)
    assert.truthy(message:find("data_spec.lua:%d+: world:export: constraint 'wire' is defined by a function"), message)
    wire:destroy()
    world:weld(world.ground, bead, { name = "glue", break_if = function() return false end })
    ok, message = pcall(function() return world:export {} end)
    assert.is_false(ok)
    assert.truthy(message:find("world:export: break_if of weld 'glue' is a function", 1, true), message)
  end)

  it("are left out of a partial export, with the objects that depend on them", function()
    local slider = world:prismatic(world.ground, bead, { name = "rail", break_if = function() end })
    world:gear { joint1 = wire:coordinate(1), joint2 = slider, name = "geared" }
    local data, left_out = world:export { partial = true }
    assert.same({ "constraint 'wire'", "break_if of prismatic 'rail'", "gear 'geared'" }, left_out)
    assert.equal(1, #data.joints)
    again(impel.load_data(data))
  end)

  it("include the density of too light a shape: the loaded shape then has the default density", function()
    local body = world:body { type = "kinematic", position = { 0, 5 } }
    body:box { 1, 2 }
    body:box { 1, 2, center = { 30, 0 }, density = 1e-300 }
    body.type = "dynamic"
    wire:destroy()
    local data, left_out = world:export { partial = true }
    assert.same({ "density of box 2" }, left_out)
    local loaded = impel.load_data(data)
    local list = {}
    for other in loaded:bodies() do list[#list + 1] = other end
    assert.equal(4, list[2].mass)
    assert.same({ 15, 5 }, { list[2]:center() })
    assert.same({ 0, 5 }, { list[2]:position() })
  end)

  it("are refused inside a step too", function()
    world:on("step", function() world:export() end)
    local ok, message = pcall(world.step, world)
    assert.is_false(ok)
    assert.truthy(message:find("world:export: called inside a step", 1, true)
      or message:find("is defined by a function", 1, true), message)
  end)
end)


describe("a scene file of data", function()
  it("is a scene with the world, title, duration and view of the data", function()
    local world = impel.world { seed = 5 }
    world:body({ name = "crate", position = { 0, 3 } }):box { 1, 1 }
    local data = world:export()
    data.title, data.duration, data.view = "Crate", 2.5, { x = 1, height = 4 }
    local loaded = assert(scene.parse(impel.data.text(data), "=crate"))
    assert.equal("Crate", loaded.definition.title)
    assert.equal(2.5, loaded.definition.duration)
    assert.same({ x = 1, height = 4 }, loaded.definition.view)
    local state, copy = loaded:setup(loaded:values(), 9)
    assert.equal(copy, state.world)
    assert.equal(world.hash, copy.hash)
  end)

  it("uses the seed of the run if it has none", function()
    local loaded = assert(scene.parse("return { format = 'impel.world' }", "=empty"))
    local _, world = loaded:setup(loaded:values(), 9)
    assert.equal(9, world.seed)
  end)

  it("is refused with the path of an invalid value", function()
    local loaded, message = scene.parse("return { format = 'impel.world', bodies = { { mas = 1 } } }", "=bad")
    assert.is_nil(loaded)
    assert.equal("bad: bad field 'mas' in bodies[1] (did you mean 'mass'?)", message)
    local source = "return { format = 'impel.world', joints = { { kind = 'rope', a = 0, b = 1 } } }"
    loaded = assert(scene.parse(source, "=bad"))
    local state, problem = loaded:setup(loaded:values())
    assert.is_nil(state)
    assert.equal("bad: setup: joints[1].b: no body 1: the list has 0", problem)
  end)

  it("runs like any scene", function()
    local path = os.tmpname()
    finally(function() os.remove(path) end)
    local world = impel.world {}
    world:body({ name = "crate", position = { 0, 3 }, angular_velocity = 1 }):box { 1, 2 }
    assert(impel.data.write(path, (world:export())))
    local pipe = io.popen(("%s run %s --time 1 --hash"):format(program.quote(program.path), program.quote(path)))
    local out = pipe:read "a"
    assert.is_true(pipe:close())
    world:step(60)
    assert.truthy(out:find(world.hash, 1, true), out)
  end)
end)
