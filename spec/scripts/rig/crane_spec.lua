-- The crane against closed forms: rope, winch, trolley, snapshots, destruction.

local impel = require "impel"
local near = require "support.near"

local G = 9.81

-- Return the distance of the hook from the trolley [m].
local function hangs(crane)
  local x, y = crane.trolley:position()
  local hx, hy = crane.hook:position()
  return math.sqrt((hx - x) ^ 2 + (hy - y) ^ 2)
end

describe("a crane", function()
  local function with_load(world, mass)
    local crane = impel.rig.crane(world, {})
    local x, y = crane.hook:position()
    local load = world:body { position = { x, y - 0.7 }, mass = mass }
    load:box { 1, 1 }
    crane:attach(load)
    return crane, load
  end

  it("holds the weight of its load on its rope", function()
    local world = impel.world { sleep = false }
    local crane = with_load(world, 500)
    world:step(300)
    near((500 + 20) * G, crane:tension(), 1e-4 * 520 * G) -- at rest
  end)

  it("hoists at its speed, with T = m (g + a) while it accelerates", function()
    local world = impel.world { sleep = false, substeps = 8 }
    local crane = with_load(world, 500)
    world:step(300)
    local _, before = crane.hook:position()
    crane:hoist(1)
    local sum = 0
    for _ = 1, 120 do -- 0.5 m/s^2 for 2 s
      world:step()
      sum = sum + crane:tension()
    end
    -- The load oscillates on the elastic rope.
    near(520 * (G + 0.5), sum / 120, 0.01 * 520 * (G + 0.5))
    world:step(60)
    local _, after = crane.hook:position()
    near(before + 1 + 1, after, 0.01) -- a t^2 / 2, then v t, less a substep
    near(7.9 - crane.length, after, 0.002) -- the rope stretches under 5 kN
    local _, v = crane.hook:velocity()
    near(1, v, 1e-3) -- the load still oscillates
    crane:hoist(0)
    world:step(300)
    local _, up = crane.hook:position()
    near(7.9 - crane.length, up, 0.005) -- the rope stretches under 5 kN
  end)

  it("travels, and its load lags by atan(a / g)", function()
    local world = impel.world { sleep = false, substeps = 8 }
    local crane = impel.rig.crane(world, { hook_mass = 300, at = 0.1, reach = 30 })
    crane:travel(10)
    local sum, count = 0, 0
    local omega = math.sqrt(G / 4) -- angular frequency of the load on a rope of 4 m
    local swing = math.floor(2 * math.pi / omega * 60 + 0.5)
    for _ = 1, 2 * swing do
      world:step()
      local x, y = crane.trolley:position()
      local hx, hy = crane.hook:position()
      sum, count = sum + math.atan(x - hx, y - hy), count + 1
    end
    near(math.atan(0.5 / G), sum / count, 0.02 * 0.5 / G) -- mean over two swings, rounded to whole steps
  end)

  it("stops its trolley and its winch at their ends, and moves back", function()
    local world = impel.world { substeps = 8 }
    world:body({ type = "static" }):box { 60, 1, center = { 0, -0.5 } }
    local crane, load = with_load(world, 100)
    crane:hoist(2)
    crane:travel(2)
    world:step(600)
    near(0.3, crane.length, 2 / 60 / 8) -- motion in a substep [m]
    near(0.3, hangs(crane), 0.01)
    assert.equal(0, crane.rope.param.hoist)
    near(0, (crane.trolley:velocity()), 0.05)
    near(6, (crane.trolley:position()), 0.01)
    crane:release()
    crane:release()
    world:step(180)
    local _, y = load:position()
    near(0.5, y, 0.01)
    assert.is_nil(crane.load)
  end)

  it("moves on command after a long rest", function()
    for _, how in ipairs { "hoist", "travel" } do
      local world = impel.world {}
      local crane = impel.rig.crane(world, {})
      world:step(600)
      local x, y = crane.hook:position()
      crane[how](crane, 0.5)
      world:step(180)
      local nx, ny = crane.hook:position()
      assert(math.sqrt((nx - x) ^ 2 + (ny - y) ^ 2) > 0.5, how)
    end
  end)

  it("stops its trolley at the tower, and its winch at the height of the boom", function()
    local world = impel.world { substeps = 8 }
    local crane = impel.rig.crane(world, { height = 5, reach = 6 })
    crane:travel(-2)
    crane:hoist(-2)
    world:step(600)
    near(5, crane.length, 2 / 60 / 8) -- motion in a substep [m]
    near(0, (crane.trolley:position()), 0.01)
    near(5, hangs(crane), 0.01)
    crane:hoist(1)
    world:step(120)
    near(4, hangs(crane), 0.01) -- 0.5 m/s^2 for 2 s
    near(4, crane.length, 0.01)
  end)

  it("returns from a length beyond its winch's range, and goes no farther out", function()
    for _, case in ipairs { { 0.2, 1 }, { 9, -1 } } do -- length [m]; sign of the hoist speed away from the valid range
      local world = impel.world { substeps = 8 }
      local crane = impel.rig.crane(world, { height = 8, length = case[1] })
      crane:hoist(case[2])
      world:step(60)
      near(case[1], crane.length, 1e-12)
      crane:hoist(-case[2])
      world:step(240)
      near(case[1] + case[2] * 3, crane.length, 0.01) -- 2 s of 0.5 m/s^2, then 2 s of 1 m/s
    end
  end)

  it("keeps its old load if a new one is refused, and changes loads", function()
    local world = impel.world {}
    local crane, load = with_load(world, 100)
    local joint = crane.load
    assert.equal(false, (pcall(crane.attach, crane, impel.world({}):body {})))
    assert.equal(false, (pcall(crane.attach, crane, crane.hook)))
    assert.equal(joint, crane.load)
    assert.equal(true, joint:is_valid())
    local other = world:body { position = { load:position() }, mass = 10 }
    assert.equal(crane:attach(other), crane.load)
    assert.equal(false, joint:is_valid())
    assert.equal(true, crane.load:is_valid())
  end)

  it("is restored by world:restore alone, to the bit", function()
    local world = impel.world { substeps = 8 }
    local crane, load = with_load(world, 100)
    crane:hoist(1)
    crane:travel(0.7)
    world:step(60)
    local before = world:snapshot()
    local _, y = crane.hook:position()
    local length = crane.length
    world:step(120)
    local hash = world.hash
    crane:hoist(0)
    crane:travel(-1)
    crane:attach(world:body { position = { load:position() } })
    world:step(90)
    world:restore(before)
    assert.equal(length, crane.length)
    assert.equal(load, crane.load.body_b)
    world:step()
    local _, after = crane.hook:position()
    near(y, after, 1 / 60) -- [m]: at most 1 m/s
    world:step(119)
    assert.equal(hash, world.hash)
  end)

  it("accepts commands again after it was destroyed and restored", function()
    local world = impel.world { substeps = 8 }
    local crane = with_load(world, 100)
    local before = world:snapshot()
    crane:destroy()
    world:step(10)
    assert.error_matches(function() crane:hoist(1) end, "destroyed")
    world:restore(before)
    for _, order in ipairs { "hoist", "travel" } do crane[order](crane, 0.5) end
    local x, y = crane.hook:position()
    world:step(180)
    local nx, ny = crane.hook:position()
    near(y + 1.25, ny, 0.02) -- up at 0.5 m/s^2 for 1 s, then at 0.5 m/s for 2 s
    near(x + 1.25, nx, 0.2) -- [m], as it swings
    local count = 0
    for _, handler in ipairs(crane.handlers) do count = count + (handler:is_valid() and 1 or 0) end
    assert.equal(1, count)
    assert.is_truthy(crane.load)
    crane:destroy()
    assert.is_nil(crane.load)
  end)
end)
