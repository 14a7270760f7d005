-- world:difference finds and names the first number in which two worlds differ.
local core = require "impel.core"
local difference = require "impel.world.difference"

local function scene()
  local world = core.world { seed = 3 }
  world:body({ type = "static", name = "ground" }):box { 20, 1, center = { 0, -0.5 } }
  local crate = world:body { name = "crate", position = { 0, 0.5 } }
  crate:box { 1, 1 }
  return world, crate
end

describe("world:difference", function()
  it("returns nil for a world and its own snapshot", function()
    local world = scene()
    world:step(20)
    assert.is_nil(world:difference(world:snapshot()))
    assert.is_nil(world:difference(world))
    local other = scene()
    other:step(20)
    assert.is_nil(world:difference(other))
  end)

  it("names the body, the field and both values", function()
    local world, crate = scene()
    local before = world:snapshot()
    crate:set_velocity(0.25, 0)
    local found = world:difference(before)
    assert.same({ object = "body", name = "crate", id = crate.id, field = "velocity.x", a = 0.25, b = 0 }, found)
    assert.equal(("body 'crate' (id %d): velocity.x is 0.25 here, 0 there"):format(crate.id), difference.text(found))
    assert.equal("0.25 now, 0 then", difference.text(found, "now", "then"):match(" is (.*)"))
  end)

  it("names both sides of a contact", function()
    local found = { object = "contact", name = "ground", name_b = "crate", id = 1, other = 2, field = "exists",
      a = 1, b = 0 }
    assert.equal("contact of 'ground' (shape 1) and 'crate' (shape 2) is missing there", difference.text(found))
  end)

  it("reports an object that only one of the two worlds contains", function()
    local world, crate = scene()
    local before = world:snapshot()
    crate:destroy()
    local found = world:difference(before)
    assert.equal("exists", found.field)
    assert.truthy(difference.text(found):find("crate' %(id %d+%) is missing here"))
  end)

  it("refuses values other than a world or snapshot, and damaged snapshots", function()
    local world = scene()
    local function why(other)
      local ok, message = pcall(world.difference, world, other)
      assert.is_false(ok)
      return message
    end
    assert.truthy(why(7):find("must be a world or a string from world:snapshot(), got 7", 1, true))
    assert.truthy(why("abc"):find("snapshot", 1, true))
    assert.truthy(why(world:snapshot():sub(1, -2)):find("snapshot", 1, true))
    local gone = scene()
    gone:destroy()
    assert.truthy(why(gone):find("destroyed world", 1, true))
  end)
end)
