-- Heavy boxes stand on light boxes of the same size. The light boxes do not overlap each other or the floor.
-- Source: Box2D sample "high mass ratio".
local impel = require "impel"

local scene = {
  title = "Heavy on light", about = "Light boxes carry heavy boxes without being compressed.", duration = 4,
  units = { deepest = "m", fastest = "m/s", aside = "m" },
}
-- light: number of light boxes; heavy: number of heavy boxes above the light boxes
scene.params = { light = 1, heavy = 1, ratio = 100.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 60, 1, center = { 0, -0.5 } }
  local s = { world = world, boxes = {}, deepest = 0 }
  for i = 1, p.light + p.heavy do
    s.boxes[i] = world:body { position = { 0, i - 0.5 } }
    s.boxes[i]:box { 1, 1, density = i > p.light and p.ratio or 1 }
  end
  return s
end

function scene.update(s)
  local below = -0.5 -- y of the box below; the top of the floor is at 0
  for _, box in ipairs(s.boxes) do
    local _, y = box:position()
    s.deepest = math.max(s.deepest, below + 1 - y)
    below = y
  end
end

function scene.measure(s)
  local fastest, aside = 0, 0
  for _, box in ipairs(s.boxes) do
    local vx, vy = box:velocity()
    fastest, aside = math.max(fastest, math.sqrt(vx * vx + vy * vy)), math.max(aside, math.abs((box:position())))
  end
  return { deepest = s.deepest, fastest = fastest, aside = aside }
end

function scene.check(s)
  local now = scene.measure(s)
  -- Twice the slop of 5 mm.
  return now.deepest < 0.01, ("a box overlaps the one below it by %.1f mm"):format(1000 * now.deepest),
    now.fastest < 1e-3, ("a box moves at %.4f m/s"):format(now.fastest), -- at rest
    now.aside < 0.01, ("a box is displaced sideways by %.3f m"):format(now.aside) -- no lateral force acts
end

return scene, {
  vary = { light = { 1, 5 }, heavy = { 1, 5 }, ratio = { 10, 100, 1000 } }, solvers = { "si", "direct" }, peers = true,
}
