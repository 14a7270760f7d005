-- world:find returns the first body with the name, else the first joint, as a walk over all objects does.
local impel = require "impel"

local function walk(world, name)
  for body in world:bodies() do if body.name == name then return body end end
  for joint in world:joints() do if joint.name == name then return joint end end
end

describe("world:find", function()
  it("finds the same object as a walk over all objects, after random changes of the world", function()
    local world, random = impel.world {}, impel.world { seed = 3 }
    local bodies = {}
    local function name() return "n" .. random:random(1, 20) end
    local function pick() return bodies[random:random(1, #bodies)] end
    local changes = {
      function() bodies[#bodies + 1] = world:body { name = name() } end,
      function() bodies[#bodies + 1] = world:body {} end,
      function() pick().name = name() end,
      function() pick().name = nil end,
      function() pick():destroy() end,
      function() if #bodies > 1 then world:distance(bodies[1], bodies[2], { name = name() }) end end,
      function() for joint in pick():joints() do joint.name = name() end end,
      function() if random:random(1, 30) == 1 then world:restore(world:snapshot()) end end,
    }
    for k = 1, 4000 do
      if #bodies == 0 then changes[1]() end
      changes[random:random(1, #changes)]()
      for i = 60, #bodies do if bodies[i]:is_valid() then bodies[i]:destroy() end end
      bodies = {}
      for body in world:bodies() do bodies[#bodies + 1] = body end
      local wanted = name()
      assert.equal(walk(world, wanted), world:find(wanted), ("change %d, %s"):format(k, wanted))
    end
  end)

  it("does not find bodies destroyed by a handler", function()
    local world = impel.world {}
    for i = 1, 3 do world:body { name = "brick", position = { i, 0 } } end
    local found = {}
    world:on("substep", function()
      for brick in function() return world:find "brick" end do
        found[#found + 1] = brick:position()
        brick:destroy()
      end
    end)
    world:step()
    assert.same({ 1, 2, 3 }, found)
    assert.is_nil(world:find "brick")
  end)
end)

describe("a joint with collide = false", function()
  -- A static body of three boxes, and a ball on each.
  local function tiles()
    local world = impel.world {}
    local floor, balls = world:body { type = "static" }, {}
    for i = 1, 3 do
      floor:box { 1, 1, center = { 2 * i, 0 } }
      balls[i] = world:body { position = { 2 * i, 0.99 } }
      balls[i]:circle { radius = 0.5 }
    end
    world:step(2)
    return world, floor, balls
  end
  local function touching(world)
    local count = 0
    for _ in world:contacts() do count = count + 1 end
    return count
  end

  it("prevents contacts between its two bodies only, until the joint is destroyed", function()
    for _, turned in ipairs { false, true } do
      local world, floor, balls = tiles()
      assert.equal(3, touching(world))
      local a, b = floor, balls[2]
      if turned then a, b = b, a end
      local joint = world:distance(a, b, { collide = false })
      assert.equal(2, touching(world))
      world:step()
      assert.equal(2, touching(world))
      joint:destroy()
      world:step(2)
      assert.equal(3, touching(world))
    end
  end)
end)
