-- Measures queries from Lua: lua5.4 spec/bench/queries.lua BUILD
--
-- Prints a line `name nanoseconds` for each query: CPU time, the minimum of several rounds.
package.cpath = ... .. "/lua/?.so;" .. package.cpath
local core = require "impel.core"

-- Side of the world [m]; numbers of rays and rounds; length of a ray [m]
local SIDE, RAYS, ROUNDS, REACH = 200, 10000, 12, 10
local world = core.world { gravity = { 0, 0 }, seed = 1 }
local function place() return world:random() * SIDE end

for i = 1, 5000 do
  local body = world:body { type = i % 2 == 0 and "static" or "dynamic", position = { place(), place() },
    angle = 6.28 * world:random() }
  if i % 4 == 0 then
    body:circle { radius = 0.5 }
  elseif i % 4 == 1 then
    body:box { 1, 1 }
  elseif i % 4 == 2 then
    body:capsule { from = { -0.5, 0 }, to = { 0.5, 0 }, radius = 0.3 }
  else
    body:polygon { points = { { -0.5, -0.5 }, { 0.5, -0.4 }, { 0.3, 0.5 }, { -0.2, 0.6 } } }
  end
end

local rays, hit, list, results = {}, {}, {}, {}
for _ = 1, RAYS do
  local x, y, angle = place(), place(), 6.28 * world:random()
  for _, value in ipairs { x, y, x + REACH * math.cos(angle), y + REACH * math.sin(angle) } do
    rays[#rays + 1] = value
  end
end

local form = { radius = 0.5, position = { 0, 0 } }
local function each(query)
  return function()
    for i = 1, #rays, 4 do query(rays[i], rays[i + 1], rays[i + 2], rays[i + 3]) end
  end
end

local cases = {
  { "raycast_many", function() world:raycast_many(rays, results) end },
  { "raycast", each(function(x1, y1, x2, y2) world:raycast(x1, y1, x2, y2, nil, hit) end) },
  { "raycast_any", each(function(...) world:raycast_any(...) end) },
  { "raycast_all", each(function(x1, y1, x2, y2) world:raycast_all(x1, y1, x2, y2, nil, list) end) },
  { "overlap_point", each(function(x, y) world:overlap_point(x, y, nil, list) end) },
  { "overlap_circle", each(function(x, y) world:overlap_circle(x, y, 1, nil, list) end) },
  { "overlap_box", each(function(x, y) world:overlap_box(x, y, x + 2, y + 2, nil, list) end) },
  { "shapecast", each(function(x1, y1, x2, y2)
    form.position[1], form.position[2] = x1, y1
    world:shapecast(form, x2 - x1, y2 - y1, nil, hit)
  end) },
}

local shapes = {} -- references that keep the userdata alive
for body in world:bodies() do
  for shape in body:shapes() do shapes[#shapes + 1] = shape end
end
assert(#shapes == 5000)

for _, case in ipairs(cases) do
  local best = math.huge
  for _ = 1, ROUNDS do
    local start = os.clock()
    case[2]()
    best = math.min(best, os.clock() - start)
  end
  list = {}
  print(case[1], ("%.0f"):format(1e9 * best / RAYS))
end
