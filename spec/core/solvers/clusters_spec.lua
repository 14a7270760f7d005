-- Joints that the soft solver solves together, in clusters: equal bits in every configuration, small joint errors under
-- heavy loads.
local impel = require "impel"

-- A light hub with heavy arms falls on the ground. Beside the hub a chain with a heavy end swings down.
local function scene(settings)
  settings = settings or {}
  settings.sleep = false
  local world = impel.world(settings)
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 } }
  local hub = world:body { position = { 0, 2 } }
  hub:box { 0.1, 0.1 }
  for i = 0, 4 do
    local angle = 1.2566 * i
    local c, s = impel.math.cos(angle), impel.math.sin(angle)
    local arm = world:body { position = { 0.5 * c, 2 + 0.5 * s }, angle = angle }
    arm:box { 0.8, 0.2, density = 100, group = -1 }
    world:weld(hub, arm, { anchor = { 0.1 * c, 2 + 0.1 * s } })
  end
  local last, links = world.ground, {}
  for i = 1, 10 do
    links[i] = world:body { position = { 10 + i - 0.5, 12 } }
    links[i]:box { 1, 0.2, density = i == 10 and 1000 or 1 }
    world:revolute(last, links[i], { anchor = { 10 + i - 1, 12 } })
    last = links[i]
  end
  return world, links
end

local function hash_after(world, steps)
  for _ = 1, steps do world:step() end
  return world.hash
end

describe("clusters", function()
  it("give the same bits in lanes of any width, on threads and after a restore", function()
    local right = hash_after((scene()), 120)
    for _, settings in ipairs { { lanes = 4 }, { lanes = 8 }, { threads = 2 } } do
      assert.equal(right, hash_after((scene(settings)), 120))
    end
    local world = scene()
    for _ = 1, 60 do world:step() end
    local saved = world:snapshot()
    local other = impel.world {}
    other:restore(saved)
    assert.equal(right, hash_after(other, 60))
  end)

  it("are independent of each other without a common contact", function()
    local function place(beside)
      local world = impel.world { sleep = false }
      world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 } }
      local hub = world:body { position = { 0, 2 } }
      hub:box { 0.1, 0.1 }
      for i = -1, 1, 2 do
        local arm = world:body { position = { 0.5 * i, 2 } }
        arm:box { 0.8, 0.2, density = 100 * (2 + i), group = -1 }
        world:weld(hub, arm, { anchor = { 0.1 * i, 2 } })
      end
      local last = world.ground
      for i = 1, beside do
        local link = world:body { position = { 10 + i, 12 } }
        link:box { 1, 0.2, density = i == beside and 1000 or 1 }
        world:revolute(last, link, { anchor = { 9.5 + i, 12 }, motor = { speed = 1, max_force = 10 } })
        last = link
      end
      world:step(120)
      return { hub:position() }
    end
    assert.same(place(0), place(5))
  end)

  it("have their time in world:profile()", function()
    local world = scene()
    world:step()
    local profile = world:profile()
    assert.is_true(profile.clusters > 0 and profile.clusters <= profile.solve)
  end)

  it("hold 1000 times the links' mass with errors below 40 mm per hinge", function()
    local world, links = scene()
    local worst = 0
    for _ = 1, 300 do
      world:step()
      for i = 2, #links do
        local ax, ay = links[i - 1]:world_point(0.5, 0)
        local bx, by = links[i]:world_point(-0.5, 0)
        worst = math.max(worst, math.sqrt((ax - bx) ^ 2 + (ay - by) ^ 2))
      end
    end
    assert.is_true(worst < 0.04, ("a hinge was %.1f mm open"):format(1000 * worst))
  end)
end)
