-- Other worlds in the state of a world: a restore restores all worlds or none.
local impel = require "impel"
local raises = require "support.raises"

local function ball(world, options)
  local body = world:body(options or { position = { 0, 5 } })
  body:circle { radius = 0.5 }
  return body
end

describe("other worlds in the state", function()
  local function falling(height)
    local world = impel.world {}
    world:body { position = { 0, height } }:circle { radius = 1 }
    return world
  end

  it("are restored once each, however many states refer to them", function()
    for _, ways in ipairs {
      { { 2, 3 }, { 3 }, {} }, -- a triangle
      { { 2, 3 }, { 4 }, { 4 }, {} }, -- a diamond
      { { 2 }, { 3, 1 }, { 1, 2, 4 }, { 2 } }, -- cycles
    } do
      local worlds, hashes = {}, {}
      for i in ipairs(ways) do worlds[i] = falling(i) end
      for i, others in ipairs(ways) do
        local state = {}
        for n, other in ipairs(others) do state[n] = worlds[other] end
        worlds[i]:state(state)
        worlds[i]:step(i)
        hashes[i] = worlds[i].hash
      end
      local snapshot = worlds[1]:snapshot()
      for i, world in ipairs(worlds) do world:step(10 + i) end
      worlds[1]:restore(snapshot)
      for i, world in ipairs(worlds) do assert.equal(hashes[i], world.hash) end
      assert.equal(snapshot, worlds[1]:snapshot())
    end
  end)

  it("are contained in the bytes once each", function()
    local function size_of(count)
      local worlds = {}
      for i = 1, count do worlds[i] = falling(i) end
      for i = 1, count - 1 do worlds[i]:state { worlds[i + 1], worlds[math.min(i + 2, count)] } end
      return #worlds[1]:snapshot()
    end
    local one = size_of(2) - size_of(1)
    assert.is_true(size_of(16) < 16 * 1.5 * one, size_of(16) .. " and " .. one .. " for each more")
  end)

  it("are found in a rebuilt script by any state field that refers to them", function()
    -- Make four worlds. `ways`: field in the state of world 1 -> number of a world.
    local function life(ways)
      local worlds = { falling(1), falling(2), falling(3), falling(4) }
      local state = {}
      for name, n in pairs(ways) do state[name] = worlds[n] end
      worlds[1]:state(state)
      worlds[2]:state { z = worlds[3], back = worlds[1] }
      return worlds, state
    end
    local first = life { y = 2, z = 3 }
    first[3]:step(4)
    local snapshot, hash = first[1]:snapshot(), first[3].hash
    for _, ways in ipairs { { y = 2, z = 3 }, { y = 2 }, { y = 2, z = 4 } } do
      local worlds, state = life(ways)
      local aside = worlds[4].hash
      worlds[1]:restore(snapshot)
      assert.equal(worlds[3], state.z)
      assert.same({ hash, aside }, { worlds[3].hash, worlds[4].hash })
      assert.equal(snapshot, worlds[1]:snapshot())
      worlds[3]:step()
      state.z = nil
      worlds[1]:restore(snapshot)
      assert.equal(worlds[3], state.z)
      assert.equal(hash, worlds[3].hash)
    end
    local apart = impel.world {}
    apart:state { y = falling(2), z = falling(3) }
    local two = apart:snapshot()
    local twin, one = impel.world {}, falling(2)
    twin:state { y = one, z = one }
    local before = one.hash
    raises("two fields hold different worlds in the snapshot, but the same world in this script", twin.restore,
      twin, two)
    assert.equal(before, one.hash)
    twin:step(2) -- a further step shows that no world is locked
    assert.is_string(twin:snapshot())
    one:destroy()
  end)

  it("are restored with it, and so are the tables registered in them", function()
    local world, other = impel.world {}, impel.world { seed = 3 }
    local body = ball(other)
    local inner = other:state { n = 1 }
    world:state { lanes = { { world = other }, { again = other, own = world } } }
    other:state { back = world } -- a cycle
    local snapshot, hash = world:snapshot(), other.hash
    other:step(5)
    inner.n = 2
    world:restore(snapshot)
    assert.same({ hash, 1, 5 }, { other.hash, inner.n, select(2, body:position()) })
    assert.equal(snapshot, world:snapshot())
  end)

  it("must exist and match", function()
    local world, other = impel.world {}, impel.world {}
    local state = world:state { other = other }
    local handler = other:on("step", function() end)
    local snapshot = world:snapshot()
    local hash = world.hash
    world:step()
    other:step(3)
    state.other = nil -- a restore finds the second world, although the state does not refer to the second world
    world:restore(snapshot)
    assert.same({ other, 0, hash }, { state.other, other.tick, world.hash })
    other:step(3)
    state.other = impel.world {}
    handler:destroy()
    world:restore(snapshot)
    assert.same({ other, 0 }, { state.other, other.tick })
    assert.is_true(handler:is_valid())
    world:step()
    hash = world.hash
    other:destroy()
    raises("field 'other' of a state table held another world; now the field holds no world or a destroyed world",
      world.restore, world, snapshot)
    assert.equal(hash, world.hash)
    local bare = impel.world {}
    bare:state {}
    raises("field 'other' of a state table held another world", bare.restore, bare, snapshot)
    local twin, inner = impel.world {}, impel.world {}
    local held = twin:state {}
    held.other = inner -- the field `other` is set after the last call of world:state
    raises("has a 'step' handler", twin.restore, twin, snapshot)
    inner:on("step", function() end)
    inner:step()
    held.other = inner
    twin:restore(snapshot)
    assert.same({ inner, 0 }, { held.other, inner.tick })
    held.other = nil
    inner:step()
    twin:restore(snapshot)
    assert.same({ inner, 0 }, { held.other, inner.tick })
    assert.is_string(world:snapshot { state = false })
  end)

  it("and their objects are distinguished from destroyed ones", function()
    local world, other = impel.world {}, impel.world {}
    local state = world:state { body = nil }
    state.body = ball(other)
    raises("world:snapshot: state.body is a body of another world; a snapshot can hold", world.snapshot, world)
    other:destroy()
    raises("world:snapshot: state.body is a body of a destroyed world; a snapshot can hold", world.snapshot, world)
    state.body = other
    raises("world:snapshot: state.body is a destroyed world; a snapshot can hold", world.snapshot, world)
    raises("world:state: state.lane is a destroyed world; a snapshot can hold", world.state, world, { lane = other })
    raises("has a key that is a destroyed world; keys in a snapshot must be", world.state, world, { [other] = 1 })
    raises("has a key that is a table; keys in a snapshot must be", world.state, world, { [{}] = 1 })
    local made = setmetatable({}, { __save = function() return { impel.world {} } end, __load = function() end })
    state.body = made
    raises("is another world; a table of the state may hold another world, but the", world.snapshot, world)
  end)
end)
