-- A tower of bricks with random offsets.
local impel = require "impel"

local scene = {
  title = "Careless tower",
  about = "If the common centre of mass of all bricks above a brick is beyond the edge of that brick, the tower tips "
    .. "over this edge.",
  duration = 4, -- [s]
  view = { x = 0, y = 2, height = 8 },
}

scene.params = {
  count = { 6, integer = true, min = 2, max = 12, help = "number of bricks" },
  offset = { 0.15, min = 0, max = 0.5, help = "largest horizontal offset between neighbouring bricks [m]" },
}

local G, WIDTH, HEIGHT = 9.81, 1, 0.5 -- [m/s^2], [m]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, dt = 1 / 240 }
  world:body { type = "static", name = "ground" }:box { 40, 1, center = { 0, -0.5 } }
  local bricks, places, x = {}, {}, 0
  for i = 1, p.count do
    bricks[i] = world:body { name = "brick " .. i, position = { x, (i - 0.5) * HEIGHT } }
    bricks[i]:box { WIDTH, HEIGHT }
    places[i] = x
    x = x + p.offset * (2 * world:random() - 1)
  end
  return { world = world, bricks = bricks, places = places }
end

-- Return the least distance of a brick's nearer edge from the centre of mass of all bricks above this brick [m],
-- negative if the tower tips.
local function margin(places)
  local worst, sum = math.huge, 0
  for i = #places, 2, -1 do
    sum = sum + places[i]
    worst = math.min(worst, WIDTH / 2 - math.abs(sum / (#places - i + 1) - places[i - 1]))
  end
  return worst
end

function scene.measure(s)
  local x, y = s.bricks[#s.bricks]:position()
  return { x = x, y = y, margin = margin(s.places) }
end

function scene.check(s)
  local top, inside = #s.bricks, margin(s.places)
  local x, y = s.bricks[top]:position()
  local stands = math.abs(x - s.places[top]) < 0.02 and math.abs(y - (top - 0.5) * HEIGHT) < 0.02
  -- Contacts are slightly compliant, so within 5 mm of the edge either outcome is right.
  return stands == (inside > 0) or math.abs(inside) < 0.005,
    ("the tower %s, although the smallest distance of a centre of mass from the edge below it is %.3f m (negative: "
      .. "beyond the edge)"):format(stands and "stands" or "fell", inside)
end

return scene
