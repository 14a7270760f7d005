-- Script code that runs while a state is written: objects with __save and __load, finalizers, classes.
local impel = require "impel"
local raises = require "support.raises"

local function quiet() end

describe("writing a state", function()
  it("survives a finalizer that adds fields to the table", function()
    for _ = 1, 30 do
      local world = impel.world {}
      local t = {}
      for i = 1, 60 do t["key" .. i] = i end
      for _ = 1, 50 do
        setmetatable({}, { __gc = function() for i = 1, 400 do t["late" .. i] = i end end })
      end
      collectgarbage("incremental", 1, 1000)
      pcall(world.state, world, t) -- succeeds, or raises because the table changed
      assert.is_true(world:is_valid())
    end
    collectgarbage("incremental", 200, 100)
  end)

  it("survives a __save in another world's state that removes keys from the table", function()
    local world, other = impel.world {}, impel.world {}
    local t = { a_world = other }
    for i = 1, 100 do t[("key%03d"):format(i) .. ("z"):rep(60)] = i end
    other:state(setmetatable({}, {
      __save = function()
        for key in next, t do if key ~= "a_world" then t[key] = nil end end
        collectgarbage()
        return {}
      end,
      __load = function() end,
    }))
    world:state(t)
    local snapshot = world:snapshot()
    -- The snapshot contains the key's name, not other data that reused its memory.
    assert.truthy(snapshot:find("key100" .. ("z"):rep(60), 1, true))
    world:restore(snapshot)
  end)

  it("refuses objects with only one of __save and __load", function()
    local world = impel.world {}
    local function object(methods) return setmetatable({ x = 1 }, methods) end
    for _, methods in ipairs { { __save = quiet }, { __load = quiet }, { __save = 5, __load = quiet } } do
      raises("the table is an object with only one of __save and __load; both must be functions", world.state, world,
        object(methods))
      raises("state.deep[1] is an object with only one of __save and __load", world.state, world,
        { deep = { object(methods) } })
    end
    assert.equal(0, #require "impel.world.state_text".list(world:snapshot()))
  end)

  it("refuses an endless chain of __save results, and accepts a long list", function()
    local world, endless = impel.world {}, { __load = quiet }
    function endless.__save() return { next = setmetatable({}, endless) } end
    local held = { boss = { setmetatable({}, endless) } }
    world:state(held)
    raises("world:snapshot: state.boss[1]: its __save returned an object, the __save of which returned an object, "
      .. "and so on, 100000 times", world.snapshot, world)
    local link, head = {}, nil
    function link.__save(self) return { next = self.next, value = self.value } end
    function link.__load(self, saved) self.next, self.value = saved.next, saved.value end
    for i = 1, 20000 do head = setmetatable({ next = head, value = i }, link) end
    held.boss[1] = head
    local snapshot = world:snapshot()
    head.next, head.value = nil, 0
    world:restore(snapshot)
    local count = 0
    while head do
      assert.equal(20000 - count, head.value)
      head, count = head.next, count + 1
    end
    assert.equal(20000, count)
  end)

  it("refuses calls on the world from inside a __save or __load of its state", function()
    for _, place in ipairs { "__save", "__load" } do
      local called = {}
      local world, inside, shot = impel.world {}, nil, nil
      world:state(setmetatable({}, {
        __save = function() if place == "__save" and inside then inside() end return 1 end,
        __load = function() if place == "__load" and inside then inside() end end,
      }))
      world:body {}
      shot = world:snapshot()
      local path = os.tmpname()
      local function try(name, ...) called[name] = select(2, pcall(world[name], world, ...)) end
      function inside()
        try "step"
        try "snapshot"
        try("restore", shot)
        try("save", path)
        try("load", path)
        try("record", path)
      end
      world:step(3)
      if place == "__save" then world:snapshot() else world:restore(shot) end
      os.remove(path)
      for _, name in ipairs { "step", "snapshot", "restore", "save", "load", "record" } do
        local words = ("world:%s: called inside a __save or __load of the world's state"):format(name)
        assert.truthy(tostring(called[name]):find(words, 1, true), tostring(called[name]))
      end
      assert.equal(place == "__save" and 3 or 0, world.tick)
    end
  end)

  it("names weak tables and tables of a class in its errors", function()
    local world = impel.world {}
    local weak = setmetatable({}, { __mode = "k" })
    raises("state.weak is a weak table (its metatable has __mode)", world.state, world, { weak = weak })
    for _, options in ipairs { {}, { strict = false } } do
      raises("world:state: the table is a weak table (its metatable has __mode)", world.state, world, weak, options)
    end
    local Enemy = {}
    Enemy.__index = Enemy
    local state = world:state { list = {} }
    state.list[1] = setmetatable({ hp = 3 }, Enemy)
    local snapshot = world:snapshot()
    state.list[1] = nil
    collectgarbage()
    collectgarbage()
    world:restore(snapshot)
    assert.equal(Enemy, getmetatable(state.list[1]))
    assert.equal(3, state.list[1].hp)
    local twin = impel.world {}
    twin:state { list = {} }
    raises("has a table with a metatable", twin.restore, twin, snapshot)
  end)
end)
