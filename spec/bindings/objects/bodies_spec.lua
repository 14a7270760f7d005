-- world:read returns what the getters of each body return, and world:write changes what the setters change.
local impel = require "impel"
local flat = require "support.flat"
local fails = require "support.raises"

local READ = { -- each: name, number of values, getter of one body
  { "position", 2, function(b) return b:position() end },
  { "center", 2, function(b) return b:center() end },
  { "angle", 1, function(b) return b.angle end },
  { "velocity", 2, function(b) return b:velocity() end },
  { "angular_velocity", 1, function(b) return b.angular_velocity end },
  { "contact_force", 2, function(b) return b:contact_force() end },
}
local WRITTEN = { -- each: name, number of values, setter of one body
  { "position", 2, function(b, x, y) b:set_position(x, y) end },
  { "center", 2, function(b, x, y) b:set_center(x, y) end },
  { "angle", 1, function(b, a) b.angle = a end },
  { "velocity", 2, function(b, x, y) b:set_velocity(x, y) end },
  { "angular_velocity", 1, function(b, w) b.angular_velocity = w end },
  { "force", 2, function(b, x, y) b:apply_force(x, y) end },
  { "torque", 1, function(b, t) b:apply_torque(t) end },
  { "impulse", 2, function(b, x, y) b:apply_impulse(x, y) end },
  { "angular_impulse", 1, function(b, i) b:apply_angular_impulse(i) end },
}

-- Build falling boxes with their centres of mass off the origins.
local function boxes(n)
  local world = impel.world {}
  world:body({ type = "static" }):box { 100, 1 }
  local list = {}
  for i = 1, n do
    list[i] = world:body { name = "b" .. i, position = { 3 * i, 1 }, angle = 0.1 * i, velocity = { i, 0 } }
    list[i]:box { 1, 1, center = { 0.25, 0 } }
  end
  world:step(30)
  return world, list
end

local function count(list)
  local n = 0
  for _ in pairs(list) do n = n + 1 end
  return n
end

-- Return n small numbers that all differ.
local function numbers(n)
  local list = {}
  for i = 1, n do list[i] = 0.125 * (i % 7) - 0.25 + i / 64 end
  return list
end

describe("world:read", function()
  it("gives the values of each body's getters, body by body, in the requested order", function()
    local world, list = boxes(5)
    for _, first in ipairs(READ) do
      for _, second in ipairs(READ) do
        local expected = {}
        for _, body in ipairs(list) do
          for _, quantity in ipairs { first, second } do
            for _, value in ipairs { quantity[3](body) } do expected[#expected + 1] = value end
          end
        end
        assert.equal(5 * (first[2] + second[2]), #expected)
        assert.same(expected, world:read(list, nil, first[1] .. " " .. second[1]))
        assert.same(expected, world:read(list, {}, " " .. first[1] .. ", " .. second[1] .. ","))
      end
    end
  end)

  it("gives pose and velocity by default", function()
    local world, list = boxes(3)
    local said = world:read(list)
    assert.same(world:read(list, nil, "position angle velocity angular_velocity"), said)
    assert.equal(18, #said)
    assert.same(said, world:read(list, {}))
    assert.same(said, world:read(list, nil, nil))
  end)

  it("fills the given list, and keeps the elements after the last value that it writes", function()
    local world, list = boxes(2)
    local buffer = { 1, 2, 3, 4, 5, 6, 7 }
    assert.equal(buffer, world:read(list, buffer, "position"))
    assert.same({ 5, 6, 7 }, { table.unpack(buffer, 5) })
    assert.equal(7, #buffer)
    assert.same({ list[1]:position() }, { buffer[1], buffer[2] })
    assert.same({ 1 }, world:read({}, { 1 }))
    assert.same({}, world:read {})
  end)

  it("makes no garbage with a given list", function()
    local world, list = boxes(20)
    local buffer = world:read(list)
    assert.equal(0, flat(function()
      world:read(list, buffer)
      world:write(list, buffer)
      world:read(list, buffer, "contact_force, angle")
    end, 500))
  end)

  it("reads a body listed twice, the ground, sleeping bodies and particles", function()
    local world, list = boxes(1)
    local grain = world:body { type = "particle", position = { 7, 8 } }
    list[1].awake = false
    local x, y = list[1]:position()
    local gx, gy = grain:position()
    assert.same({ x, y, x, y, gx, gy, 0, 0 },
      world:read({ list[1], list[1], grain, world.ground }, nil, "position"))
  end)

  it("gives in handlers the values of the getters", function()
    local world, list = boxes(4)
    for _, body in ipairs(list) do body:set_velocity(1, 5) end
    local seen = 0
    for _, event in ipairs { "step", "substep", "wake", "end_contact" } do
      world:on(event, function()
        seen = seen + 1
        local expected = {}
        for _, body in ipairs(list) do
          for i = 1, 5 do
            for _, value in ipairs { READ[i][3](body) } do expected[#expected + 1] = value end
          end
        end
        assert.same(expected, world:read(list, nil, "position center angle velocity angular_velocity"))
      end)
    end
    world:step(3)
    assert.is_true(seen >= 3 + 12)
  end)

  it("reads a list with a metatable raw, without metamethods", function()
    local world, list = boxes(2)
    local function never() error "asked" end
    local strict = { __index = never, __newindex = never, __len = never }
    local said = world:read(setmetatable({ list[1], list[2] }, strict), setmetatable({}, strict), "angle")
    assert.equal(list[1].angle, rawget(said, 1))
    assert.equal(2, count(said))
  end)
end)

describe("world:write", function()
  it("does the same as the setters of each body, to the bit", function()
    for _, quantity in ipairs(WRITTEN) do
      local world, list = boxes(4)
      local other, singly = boxes(4)
      local values = numbers(4 * quantity[2])
      world:write(list, values, quantity[1])
      for i, body in ipairs(singly) do quantity[3](body, table.unpack(values, quantity[2] * (i - 1) + 1)) end
      assert.equal(other.hash, world.hash, quantity[1])
      world:step(5)
      other:step(5)
      assert.equal(other.hash, world.hash, quantity[1] .. ", 5 steps later")
    end
  end)

  it("does the same as the setters in a substep handler too, where poses apply at the end of the step", function()
    for _, quantity in ipairs(WRITTEN) do
      local world, list = boxes(4)
      local other, singly = boxes(4)
      local values = numbers(4 * quantity[2])
      local before, after = world:read(list, nil, "velocity"), nil
      world:on("substep", function()
        world:write(list, values, quantity[1])
        after = after or world:read(list, nil, "velocity")
      end)
      other:on("substep", function()
        for i, body in ipairs(singly) do quantity[3](body, table.unpack(values, quantity[2] * (i - 1) + 1)) end
      end)
      world:step(3)
      other:step(3)
      assert.equal(other.hash, world.hash, quantity[1])
      assert.equal(#before, #after)
    end
  end)

  it("teleports once for position and angle, in any order", function()
    local world, list = boxes(2)
    local other, singly = boxes(2)
    world:write(list, { 1, 5, 9, 2, 6, 10 }, "angle position")
    singly[1]:set_pose(5, 9, 1)
    singly[2]:set_pose(6, 10, 2)
    assert.equal(other.hash, world.hash)
    assert.same({ 5, 9 }, { list[1]:position() })
  end)

  it("writes back the values read", function()
    local world, list = boxes(3)
    list[4] = world:body { type = "particle", position = { 7, 8 }, velocity = { 1, 2 } }
    list[5] = world:body { type = "kinematic", position = { -7, 8 }, angular_velocity = 2 }
    list[6] = world:body { type = "static", position = { -9, 8 }, angle = 1 }
    list[7] = world:mover({ position = { -30, 5 } }).body
    local said = world:read(list)
    for _, body in ipairs(list) do body:set_position(50, 50) end
    world:write(list, said)
    assert.same(said, world:read(list))
  end)

  it("writes both values of a body that is listed twice, in order", function()
    local world, list = boxes(1)
    list[1]:set_velocity(0, 0)
    world:write({ list[1], list[1] }, { 1, 1, 2, 3 }, "velocity")
    assert.same({ 2, 3 }, { list[1]:velocity() })
    local m = list[1].mass
    world:write({ list[1], list[1] }, { m, 0, m, 0 }, "impulse")
    local vx = list[1]:velocity()
    assert.near(4, vx, 1e-12) -- 2 m/s before, and 1 m/s from each of the two impulses; rounded
  end)

  it("wakes moved bodies, and accepts integers", function()
    local world, list = boxes(2)
    list[1].awake = false
    world:write({ list[1] }, { 1, 2 }, "velocity")
    assert.is_true(list[1].awake)
    assert.same({ 1, 2 }, { list[1]:velocity() })
    world:write({}, {})
  end)
end)

describe("world:read and world:write refuse", function()
  -- Check that a call raises an error with the given words and changes nothing.
  local function refuses(words, world, method, ...)
    local hash = world.hash
    fails(words, world[method], world, ...)
    assert.equal(hash, world.hash)
  end

  it("values other than bodies, destroyed bodies, bodies of another world, and tables that are not lists", function()
    local world, list = boxes(3)
    local _, foreign = boxes(1)
    local values = numbers(18)
    local group = impel.group(list)
    for _, method in ipairs { "read", "write" } do
      local call = "world:" .. method .. ": "
      refuses(call .. "argument 'bodies' must be a list of bodies, got nil", world, method)
      refuses(call .. "argument 'bodies' must be a list of bodies, got a body", world, method, list[1], values)
      refuses(call .. "argument 'bodies' must be a list of bodies, got a table without an item 1 (for a group, give "
        .. "group:bodies())", world, method, group, values)
      refuses(call .. "item 2 of argument 'bodies' must be a body, got 7", world, method, { list[1], 7 }, values)
      refuses(call .. "item 2 of argument 'bodies' must be a body, got a world", world, method, { list[1], world },
        values)
      refuses(call .. "item 1 of argument 'bodies' must be a body, got a FILE*", world, method, { io.stdout }, values)
      refuses(call .. "item 1 of argument 'bodies' must be a body, got nil", world, method, { nil, list[1] }, values)
      refuses(call .. "item 2 of argument 'bodies' is a body of another world", world, method,
        { list[1], foreign[1] }, values)
      fails("a world is expected before the ':' or '.', got a table", world[method], list, values)
    end
    list[2]:destroy()
    for _, method in ipairs { "read", "write" } do
      refuses("world:" .. method .. ": attempt to use destroyed body 2 'b2' of the list", world, method, list, values)
    end
    assert.same(values, numbers(18))
  end)

  it("invalid buffers", function()
    local world, list = boxes(2)
    for _, wrong in ipairs { 1, "x", true, list[1], print } do
      refuses("world:read: argument 'buffer' must be a list of numbers, got", world, "read", list, wrong)
      refuses("world:write: argument 'buffer' must be a list of numbers, got", world, "write", list, wrong)
    end
    refuses("world:write: argument 'buffer' must be a list of numbers, got nil", world, "write", list)
  end)

  it("invalid numbers; the message names index, body and unit, and no body changes", function()
    local world, list = boxes(2)
    for place = 1, 12 do
      for _, wrong in ipairs { 0 / 0, math.huge, "1", false } do
        local values = numbers(12)
        values[place] = wrong
        local names = { "position", "position", "angle", "velocity", "velocity", "angular_velocity" }
        local units = { "m", "m", "rad", "m/s", "m/s", "rad/s" }
        local k = (place - 1) % 6 + 1
        refuses(("world:write: item %d of argument 'buffer', %s of body %d 'b%d', must be a finite number [%s], got ")
          :format(place, names[k], (place + 5) // 6, (place + 5) // 6, units[k]), world, "write", list, values)
      end
    end
    refuses("item 12 of argument 'buffer', angular_velocity of body 2 'b2', must be a finite number [rad/s], got nil",
      world, "write", list, numbers(11))
  end)

  it("all values, if the setter of one body refuses its own, and change no body", function()
    local world, list = boxes(2)
    list[3] = world:body { type = "static", name = "wall" }
    list[4] = world:body { type = "particle", name = "grain" }
    local ground = world.ground
    local function both(body) return { list[1], body } end
    refuses("world:write: body 2 'wall' of the list: body.velocity: a static body does not move", world, "write",
      both(list[3]), { 1, 1, 1, 1 }, "velocity")
    refuses("world:write: body 2 'wall' of the list: forces do not act on a static body", world, "write", both(list[3]),
      { 1, 1, 1, 1 }, "force")
    refuses("body 2 'wall' of the list: forces do not act on a static body", world, "write", both(list[3]), { 1, 1 },
      "torque")
    refuses("body 2 'grain' of the list: body.angle: a particle does not rotate", world, "write", both(list[4]),
      { 0, 0, 1, 0, 0, 1 }, "position angle")
    refuses("body 2 'grain' of the list: body.angular_velocity: a particle does not rotate", world, "write",
      both(list[4]), { 1, 1 }, "angular_velocity")
    refuses("body 2 'grain' of the list: a particle does not rotate", world, "write", both(list[4]), { 1, 1 },
      "angular_impulse")
    refuses("body 2 'ground' of the list: the ground of the world cannot be moved", world, "write", both(ground),
      { 1, 1, 1, 1 }, "position")
    refuses("body 2 'b2' of the list: body.position must be two finite numbers up to", world, "write", both(list[2]),
      { 1, 1, 1e300, 1 }, "position")
    refuses("body 2 'b2' of the list: a force, impulse, torque or point must be finite and below 1e+15", world, "write",
      both(list[2]), { 1, 1, 1e300, 1 }, "impulse")
  end)

  it("invalid writes inside a substep as outside, and leave the world unchanged", function()
    local world, list = boxes(2)
    list[3] = world:body { type = "static", name = "wall" }
    local other = boxes(2)
    other:body { type = "static", name = "wall" }
    local said = {}
    world:on("substep", function()
      local ok, message = pcall(world.write, world, list, { 1, 1, 1, 1, 1, 1 }, "velocity")
      said[#said + 1] = not ok and message
    end)
    world:step()
    other:step()
    assert.equal(other.hash, world.hash)
    assert.equal(4, #said)
    assert.truthy(said[1]:find("body 3 'wall' of the list: body.velocity: a static body does not move", 1, true))
  end)

  it("unknown names of quantities", function()
    local world, list = boxes(1)
    local values = numbers(6)
    for _, method in ipairs { "read", "write" } do
      local call = "world:" .. method .. ": argument 'what'"
      refuses(call .. ": 'positon' is not a quantity of bodies (did you mean 'position'?)", world, method, list, values,
        "angle positon")
      refuses(call .. ": 'pos' is not a quantity of bodies (", world, method, list, values, "pos")
      refuses(call .. ": 'qqqqqqqq' is not a quantity of bodies (position center angle", world, method, list, values,
        "qqqqqqqq")
      refuses(call .. " must name at least one quantity", world, method, list, values, "")
      refuses(call .. " must name at least one quantity", world, method, list, values, " , ")
      refuses(call .. " must be a string of names such as 'position angle', got 7", world, method, list, values, 7)
      refuses(call .. " must be a string of names such as 'position angle', got a table", world, method, list, values,
        {})
      refuses(call .. " names more than 16 quantities", world, method, list, values, ("angle "):rep(17))
    end
    refuses("world:read: argument 'what': 'force' can only be written", world, "read", list, values, "force")
    refuses("world:write: argument 'what': 'contact_force' can only be read", world, "write", list, values,
      "contact_force")
  end)

  it("a destroyed world", function()
    local world, list = boxes(1)
    world:destroy()
    fails("attempt to use destroyed world", world.read, world, list)
    fails("attempt to use destroyed world", world.write, world, list, numbers(6))
  end)
end)

describe("group:bodies", function()
  it("lists its living bodies, for world:read", function()
    local world, list = boxes(3)
    local group = impel.group(list)
    list[2]:destroy()
    local living = group:bodies()
    assert.same({ list[1], list[3] }, living)
    assert.equal(4, #world:read(living, nil, "position"))
    living[1] = nil -- changing the returned list does not change the group
    assert.equal(2, group:count())
    assert.same({}, impel.group():bodies())
  end)
end)
