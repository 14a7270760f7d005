-- Boxes rest and land on a floor, with steps from 1/240 s to a second.
-- Source: Vox issue 56, wipeout-rewrite issue 181 and candiru issue 64 (bodies fall through the world in long steps);
-- platform games in pixels, with boxes of 32 and a gravity of 1500.
local impel = require "impel"

local scene = {
  title = "Coarse steps", about = "Boxes stay on their floor at steps from 1/240 s to 1 s.", duration = 12,
  units = { sunk = "sizes", high = "sizes", aside = "sizes", speed = "sizes/s" },
}
scene.params = {
  dt = { 0.2, help = "length of a step [s]" }, drop = 0.0, count = 1, -- drop: height of the lowest box / its side
  pixels = false, -- true: side 32 pixels and gravity 1500 pixels/s^2; false: side 1 m and gravity 9.81 m/s^2
}

function scene.setup(p)
  local size, gravity = p.pixels and 32 or 1, p.pixels and 1500 or 9.81
  -- The slop is 5 mm if the size is 1 m.
  local world = impel.world { gravity = { 0, -gravity }, dt = p.dt, slop = size / 200 }
  world:body { type = "static" }:box { 100 * size, 10 * size, center = { 0, -5 * size } }
  local s = { world = world, boxes = {}, p = p, size = size, deepest = 0 }
  for i = 1, p.count do
    s.boxes[i] = world:body { position = { 0, (p.drop + i - 0.5) * size } }
    s.boxes[i]:box { size, size }
  end
  return s
end

function scene.update(s)
  local _, y = s.boxes[1]:position()
  s.deepest = math.max(s.deepest, 0.5 - y / s.size)
end

function scene.measure(s)
  local now = { sunk = 0, high = 0, aside = 0, speed = 0, deepest = s.deepest }
  for i, box in ipairs(s.boxes) do
    local x, y = box:position()
    local vx, vy = box:velocity()
    local up = y / s.size - i + 0.5
    now.sunk, now.high = math.max(now.sunk, -up), math.max(now.high, up)
    now.aside = math.max(now.aside, math.abs(x) / s.size)
    now.speed = math.max(now.speed, math.abs(vx) / s.size, math.abs(vy) / s.size)
  end
  return now
end

function scene.check(s)
  local now = scene.measure(s)
  local slops = 0.01 * s.p.count -- twice the slop (0.005 of a box's side) times the number of boxes
  -- The centre of the lowest box must stay above the floor.
  return now.deepest < 0.5, ("the lowest box is %.2f sizes in the floor"):format(now.deepest),
    now.sunk < slops, ("a box ends %.4f sizes too low"):format(now.sunk),
    -- A thousandth of the size is not visible.
    now.high < 0.001, ("a box ends %.4f sizes too high"):format(now.high),
    now.aside < slops, ("a box has moved sideways by %.4f sizes"):format(now.aside), -- no lateral force acts
    now.speed < 0.01, ("a box still moves at %.4f sizes/s"):format(now.speed) -- at rest: the longest fall takes 1.1 s
end

return scene, {
  vary = { dt = { 0.004, 0.03, 0.1, 0.2, 1 }, drop = { 0, 6 }, count = { 1, 3 }, pixels = { false, true } },
  solvers = { "si", "direct" },
}
