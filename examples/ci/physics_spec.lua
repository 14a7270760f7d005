-- Physics in a busted suite. Run these specs with `busted`.
local impel = require "impel"
require "impel.busted"

local FOLDER = debug.getinfo(1, "S").source:match "^@(.*)[/\\]" or "."

-- Drop a crate from the given height onto the floor.
local function drop(height, restitution)
  local world = impel.world {}
  world:body { type = "static", name = "floor" }:box { 10, 1, center = { 0, -0.5 } }
  local crate = world:body { name = "crate", position = { 0, height + 0.5 } }
  crate:box { 1, 1, restitution = restitution }
  return world, crate
end

describe("a crate", function()
  it("comes to rest on the floor, not in it", function()
    local world, crate = drop(2)
    assert.settles(world, 3)
    assert.at(crate, 0, 0.5, 0.005)
    assert.no_overlap(world, 0.005)
  end)

  it("reaches the floor after sqrt(2 h / g)", function()
    local world, crate = drop(2)
    local time = assert.reaches(world, 2, function() return select(2, crate:position()) end, 0.5, 0.005)
    assert.near(math.sqrt(2 * 2 / 9.81), time, 0.01)
  end)

  it("bounces if it is made of rubber", function()
    assert.does_not.settle(drop(2, 0.9), 1.5)
  end)

  it("falls in the same way every time, bit for bit", function()
    assert.same_hash(function() return drop(2) end, function() return drop(2) end)
  end)
end)

describe("a pendulum", function()
  it("keeps its energy", function()
    local world = impel.world { solver = "rattle", dt = 1 / 1000, sleep = false }
    local bob = world:body { name = "bob", position = { 1, 0 }, mass = 2 }
    world:distance(world.ground, bob, { anchor_a = { 0, 0 }, anchor_b = { 1, 0 } })
    -- At most 1e-3 J in 10 s; each swing converts 2 kg * 9.81 m/s^2 * 1 m = 19.62 J.
    assert.energy_within(world, 1e-3, 10)
  end)
end)

describe("the scenes of this folder", function()
  it("pass their checks with other parameters and seeds", function()
    assert.check_passes(FOLDER .. "/brake.lua", { set = { speed = 4, mu = 0.3 } })
    assert.check_passes(FOLDER .. "/bridge.lua", { set = { load = 2000 }, seed = 5 })
  end)

  it("fail their checks if the cart tips over", function()
    assert.does_not.check_passes(FOLDER .. "/brake.lua", { set = { height = 2.4, mu = 0.9 } })
  end)
end)
