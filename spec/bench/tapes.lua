-- Measures constraints written in Lua and the equivalent joints: lua5.4 spec/bench/tapes.lua BUILD
--
-- Prints a line `name ms` for each kind: CPU time of a step with 1000 constraints, the minimum of several runs.
local build = ...
package.cpath = build .. "/lua/?.so;" .. package.cpath
package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
local impel = require "impel"

local COUNT, STEPS, ROUNDS = 1000, 50, 8
local sqrt = impel.math.sqrt

-- Ways to join two bodies at the point (0.3, 0.1) of the first and (-0.3, 0.1) of the second.
local ways = {
  { "rods", function(world, a, b)
    world:distance(a, b, { local_anchor_a = { 0.3, 0.1 }, local_anchor_b = { -0.3, 0.1 } })
  end },
  { "rods_by_C", function(world, a, b)
    world:constraint(a, b, { C = function(p, q)
      local x1, y1 = p:point(0.3, 0.1)
      local x2, y2 = q:point(-0.3, 0.1)
      return sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2) - 0.4
    end })
  end },
  { "pins", function(world, a, b)
    world:revolute(a, b, { local_anchor_a = { 0.5, 0 }, local_anchor_b = { -0.5, 0 } })
  end },
  { "pins_by_C", function(world, a, b)
    world:constraint(a, b, { C = function(p, q)
      local x1, y1 = p:point(0.5, 0)
      local x2, y2 = q:point(-0.5, 0)
      return x2 - x1, y2 - y1
    end })
  end },
}

for _, way in ipairs(ways) do
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  for i = 1, COUNT do
    local function body(x)
      return world:body { position = { 3 * i + x, 0 }, mass = 1, inertia = 0.1, angular_velocity = 1 }
    end
    way[2](world, body(0), body(1))
  end
  local best = math.huge
  for _ = 1, ROUNDS do
    local start = os.clock()
    world:step(STEPS)
    best = math.min(best, (os.clock() - start) / STEPS)
  end
  print(("%s %.4f"):format(way[1], 1e3 * best))
  world:destroy()
end
