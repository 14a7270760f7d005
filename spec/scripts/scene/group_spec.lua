-- Groups of bodies: members, operations on all of them, copies.
local impel = require "impel"
local flat = require "support.flat"
local fails = require "support.raises"

local function row(world, n)
  return impel.group.spawn(n, function(i)
    local body = world:body { name = "b" .. i, position = { i, 0 } }
    body:box { 0.5, 0.5 }
    return body
  end)
end

local function names(group)
  local list = {}
  for _, body in group:each() do list[#list + 1] = body.name end
  return table.concat(list, " ")
end

local function all(group)
  local list = {}
  for i, body in group:each() do list[#list + 1] = { i, body } end
  return list
end

describe("a group", function()
  it("has each body once, in the order of adding, without destroyed ones", function()
    local world = impel.world {}
    local group = row(world, 4)
    local a, b, c, d = world:find "b1", world:find "b2", world:find "b3", world:find "b4"
    group:add(b, a)
    assert.equal("b1 b2 b3 b4", names(group))
    group:remove(b)
    assert.is_false(group:contains(b))
    group:add(b) -- a new member comes last
    assert.equal("b1 b3 b4 b2", names(group))
    c:destroy()
    assert.equal("b1 b4 b2", names(group))
    assert.equal(3, group:count())
    assert.is_false(group:contains(c))
    assert.is_true(group:contains(d))
    fails("group:add: attempt to use destroyed body 'b3'", function() group:add(c) end)
    fails("group:add: argument 'body'", function() group:add(1) end)
    fails("group:remove: argument 'body'", function() group:remove {} end)
    fails("a world or a list of bodies is expected", function() impel.group(7) end)
    assert.equal(3, impel.group(world):count())
    assert.equal(2, impel.group({ a, b, a }):count())
    assert.equal(0, impel.group():count())
  end)

  it("may be changed while it is iterated", function()
    local world = impel.world {}
    local group = row(world, 6)
    local seen = {}
    for _, body in group:each() do
      seen[#seen + 1] = body.name
      if body.name == "b1" then world:find("b2"):destroy() end
      if body.name == "b3" then group:remove(world:find "b4") end
      if body.name == "b5" then group:add(world:find "b4") end
      if body.name == "b6" then group:add(world:body { name = "b7" }) end
      assert.is_true(group:count() > 0) -- count() iterates over the group inside this loop
    end
    -- The loop uses the group's initial list, in which b4 comes before b5.
    assert.equal("b1 b3 b5 b6", table.concat(seen, " "))
    assert.equal("b1 b3 b5 b6 b4 b7", names(group))
  end)

  it("makes no garbage when it is iterated, and removes destroyed bodies from its list if they are many", function()
    local world = impel.world {}
    local group = row(world, 100)
    local sum = 0
    assert.equal(0, flat(function()
      for _, body in group:each() do sum = sum + body.mass end
    end, 1000))
    for i = 1, 90 do world:find("b" .. i):destroy() end
    for _ = 1, 3 do group:count() end
    assert.equal(10, #group.list)
    assert.equal(10, group:count())
  end)

  it("counts living bodies, for every way of destruction", function()
    local world, other = impel.world {}, impel.world {}
    local group, random = row(world, 200), impel.world { seed = 3 }
    local shot = world:snapshot()
    for i = 1, 20 do group:add(other:body { name = "o" .. i }) end
    local function living()
      local n = 0
      for _, body in ipairs(group:bodies()) do n = n + (body:is_valid() and 1 or 0) end
      return n
    end
    assert.equal(220, #group)
    local mover = world:mover { position = { 0, 50 } }
    group:add(mover.body)
    assert.equal(221, #group)
    mover:destroy()
    assert.equal(220, #group)
    for k = 1, 300 do
      local body = world:find("b" .. random:random(1, 200))
      local way = random:random(1, 5)
      if body and way == 1 then group:remove(body) end
      if body and way == 2 then group:add(body) end
      if body and way > 2 then body:destroy() end
      if body and way == 5 then group:remove(body) end
      if k % 3 == 0 then assert.equal(living(), #group) end
      if k == 150 then
        world:restore(shot)
        assert.equal(living(), #group)
      end
    end
    world:on("substep", function()
      group:bodies()[1]:destroy()
      assert.equal(living(), #group)
    end)
    world:step()
    assert.equal(living(), #group)
    other:destroy()
    assert.equal(living(), #group)
    world:destroy()
    assert.equal(0, #group)
  end)

  it("begins with its first living body, also after the world restores bodies", function()
    local world = impel.world {}
    local group = row(world, 4)
    local shot = world:snapshot()
    for i = 1, 2 do
      world:find("b" .. i):destroy()
      local walk, list, start = group:each()
      assert.equal("b" .. i + 1, select(2, walk(list, start)).name)
    end
    world:restore(shot)
    assert.equal("b1 b2 b3 b4", names(group))
    assert.equal(4, #group)
  end)

  it("finds by a function, by name and by category", function()
    local world = impel.world {}
    local group = row(world, 12)
    for shape in world:find("b3"):shapes() do shape.category = 6 end
    assert.equal("b3", names(group:of_category(4)))
    assert.equal(0, group:of_category("0x8000000000000000"):count())
    assert.equal(11, group:of_category(1):count())
    assert.equal("b1 b10 b11 b12", names(group:named "^b1"))
    local right = group:where(function(body) return body:position() > 10.5 end)
    assert.equal("b11 b12", names(right))
    right:destroy()
    assert.same({ 0, 10 }, { right:count(), group:count() })
    fails("group:where: argument 'fn'", function() group:where "x" end)
  end)

  it("sets properties and calls methods of all its bodies", function()
    local world = impel.world {}
    local group = row(world, 3)
    group:set { gravity_scale = 0, lock_y = true }:call("apply_impulse", 1, 5)
    for _, pair in ipairs(all(group)) do
      assert.same({ 0, true, 4, 0 }, { pair[2].gravity_scale, pair[2].lock_y, pair[2]:velocity() })
    end
    fails("unknown field 'gravity_scal'", function() group:set { gravity_scal = 1 } end)
    fails("body:apply_impulse", function() group:call("apply_impulse", "x") end)
    group:freeze()
    for _, pair in ipairs(all(group)) do assert.is_false(pair[2].awake) end
    group:wake()
    for _, pair in ipairs(all(group)) do assert.is_true(pair[2].awake) end
  end)

  it("is moved, turned and pushed as one body", function()
    local world = impel.world { gravity = { 0, 0 } }
    local group = row(world, 4)
    world:find("b4").mass = 2
    world:find("b1"):set_velocity(0, 1)
    local x = group:center()
    assert.near((0.25 * 6 + 2 * 4) / 2.75, x, 1e-12)
    assert.near(2.75, group:mass(), 1e-12)
    local px, py, angular = group:momentum()
    local wx, wy, whole = world:momentum()
    assert.same({ wx, wy, whole }, { px, py, angular })
    assert.same({ 0.75, -0.25, 4.25, 0.25 }, { group:bounds() })
    group:set_center(10, 20)
    assert.near(10, group:center(), 1e-12)
    assert.near(20, select(2, group:center()), 1e-12)
    group:rotate(math.pi / 2)
    assert.near(10, group:center(), 1e-12)
    local bx, by = world:find("b4"):position()
    assert.near(10, bx, 1e-12)
    assert.near(20 + 4 - x, by, 1e-12)
    assert.near(math.pi / 2, world:find("b4").angle, 1e-12)
    group:rotate(-math.pi / 2, 0, 0)
    assert.near(20, group:center(), 1e-11)
    group:set_velocity(1, 2, 3)
    px, py = group:momentum()
    assert.near(2.75, px, 1e-12)
    assert.near(5.5, py, 1e-12)
    local b = world:find "b2"
    local cx, cy = group:center()
    bx, by = b:position()
    local vx, vy = b:velocity()
    assert.near(1 - 3 * (by - cy), vx, 1e-11)
    assert.near(2 + 3 * (bx - cx), vy, 1e-11)
    group:apply_impulse(5.5, 0)
    assert.near(vx + 2, b:velocity(), 1e-11)
    assert.is_nil(impel.group():center())
    assert.is_nil(impel.group():bounds())
    fails("group:translate: argument 'dy'", function() group:translate(1) end)
  end)

  it("keeps joints together when it is moved, lists them, and copies them", function()
    local world = impel.world { gravity = { 0, 0 } }
    local group = row(world, 3)
    local a, b, c = world:find "b1", world:find "b2", world:find "b3"
    local outside = world:body { position = { 0, 5 } }
    local one = world:revolute(a, b, { anchor = { 1.5, 0 }, limit = { -1, 1 } })
    local two = world:weld(b, c, {})
    world:distance(a, outside, {})
    assert.same({ one, two }, group:joints())
    local copy = group:copy(0, -3)
    assert.equal(3, copy:count())
    local joints = copy:joints()
    assert.same({ "revolute", "weld" }, { joints[1].kind, joints[2].kind })
    assert.same(one:options(), joints[1]:options())
    assert.same({ 0.75, -3.25, 3.25, -2.75 }, { copy:bounds() })
    copy:rotate(0.7):translate(3, 1)
    world:step(30)
    assert.near(0, joints[1].separation, 1e-6) -- the default solver computes joints in single precision
    local x, y = copy:center()
    world:step(30)
    assert.near(x, copy:center(), 1e-6)
    assert.near(y, select(2, copy:center()), 1e-6)
    copy:destroy()
    assert.equal(3, world:counts().joints)
    local other = impel.world {}
    assert.equal(3, group:copy(0, 0, other):count())
    assert.equal(2, other:counts().joints)
  end)

  it("has its bodies again after a restore", function()
    local world = impel.world {}
    local group = row(world, 3)
    local shot = world:snapshot()
    world:find("b2"):destroy()
    assert.equal("b1 b3", names(group))
    world:restore(shot)
    assert.equal("b1 b2 b3", names(group))
  end)

  it("reports wrong arguments", function()
    local world = impel.world {}
    local group = row(world, 3)
    fails("a group has no 'cuont' (did you mean 'count'?)", function() group:cuont() end)
    fails("a group has no 1 (group:each() iterates over its bodies)", function() return group[1] end)
    fails("impel.group: members must be a list, got the key 'a' (string)", function()
      impel.group { a = world:body {} }
    end)
    fails("argument 'body' must be a body, got nil", function()
      impel.group { world:body {}, nil, world:body {} }
    end)
    fails("a property is expected, got 1", function() group:set { 1 } end)
    fails("argument 'world' must be a world, got 3", function() group:copy(0, 0, 3) end)
    fails("what make(1) returns must be a body, got nil", function() impel.group.spawn(2, function() end) end)
    assert.equal(3, #group)
    assert.equal("group of 3 bodies", tostring(group))
    assert.equal(names(group), names(impel.group(group)))
  end)

  it("is queried and moved without garbage", function()
    local world = impel.world {}
    local group, body = row(world, 20), world:find "b3"
    assert.equal(0, flat(function()
      group:contains(body)
      group:translate(0, 0)
      group:set_velocity(1, 2, 3)
      group:apply_impulse(1, 2)
      group:call("apply_force", 1, 2)
      group:center()
    end, 500))
  end)
end)
