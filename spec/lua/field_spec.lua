-- Force fields against closed forms, under every solver.
local impel = require "impel"

local solvers = { "soft", "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" }

-- A world without weight.
local function space(options)
  options = options or {}
  options.gravity = options.gravity or { 0, 0 }
  return impel.world(options)
end

-- The mean period of what crosses x = 0 upwards, over `count` of them; crossings between steps by the line between.
local function period(world, x, count)
  local first, last, crossings, before = nil, nil, 0, x()
  while crossings <= count do
    world:step()
    local now = x()
    if before < 0 and now >= 0 then
      last = world.time - world.dt * now / (now - before)
      first = first or last
      crossings = crossings + 1
    end
    before = now
  end
  return (last - first) / count
end

describe("drag", function()
  for _, solver in ipairs(solvers) do
    it("ends a fall at the speed where it bears the weight, under " .. solver .. " (S54)", function()
      local world = impel.world { gravity = { 0, -9.81 }, solver = solver }
      local body = world:body { mass = 1 }
      world:field { kind = "drag", quadratic = 0.1 }
      world:step(1200)
      local _, vy = body:velocity()
      assert.near(-math.sqrt(1 * 9.81 / 0.1), vy, 1e-9) -- implicit drag has the exact fixed point; S54 asks 1e-4
    end)
  end
end)

describe("a spring to a point", function()
  -- Symplectic Euler: 2 sin(w' h / 2) = w h, w = 10 rad/s.
  local function discrete(h) return 2 * math.pi / (2 / h * math.asin(10 * h / 2)) end

  it("swings with the period of its integrator (S53)", function()
    for substeps, expected in pairs { [1] = 0.627590, [4] = 0.628273 } do
      local world = space { substeps = substeps }
      local body = world:body { mass = 1, position = { 1, 0 } }
      world:field { kind = "spring", stiffness = 100 }
      local found = period(world, function() return (body:position()) end, 100)
      assert.near(expected, found, 1e-6)
      assert.near(discrete(1 / 60 / substeps), found, 1e-6) -- lines between steps: 2e-7 over 100 periods
    end
  end)
end)
