-- A box under a gravity of 10 to 150 box sizes per second squared comes to rest on the floor, not above it.
-- Source: platform games with units of pixels.
local impel = require "impel"

local scene = {
  title = "Hover", about = "A box comes to rest on the floor under strong gravity.", duration = 6,
  units = { gap = "of the size", sunk = "of the size", speed = "sizes/s" },
}
scene.params = { size = 32.0, push = { 50.0, help = "gravity [box sizes/s^2]" }, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -p.push * p.size }, dt = 1 / p.rate, sleep = false }
  world:body { type = "static" }:box { 100 * p.size, p.size, center = { 0, -p.size / 2 } }
  local box = world:body { position = { 0, 2.5 * p.size } }
  box:box { p.size, p.size }
  return { world = world, box = box, p = p, gap = 0, sunk = 0, speed = 0 }
end

function scene.update(s)
  if s.world.time < 5 then return end
  local _, y = s.box:position()
  local _, v = s.box:velocity()
  local gap = y / s.p.size - 0.5
  s.gap, s.sunk = math.max(s.gap, gap), math.max(s.sunk, -gap)
  s.speed = math.max(s.speed, math.abs(v) / s.p.size)
end

function scene.measure(s) return { gap = s.gap, sunk = s.sunk, speed = s.speed } end

function scene.check(s)
  -- A gap of a thousandth of the size is not visible.
  return s.gap < 0.001,
    ("the box hovers %.2g of its size above the floor"):format(s.gap),
    -- Twice the usual slop, which is 5 mm for a size of 1 m.
    s.sunk < 0.01, ("the box sank by %.2g of its size"):format(s.sunk),
    s.speed < 0.01, ("the box still moves at %.2g sizes/s"):format(s.speed) -- g dt is at least 0.08
end

return scene, {
  vary = { size = { 1, 32, 100 }, push = { 10, 50, 150 }, rate = { 60, 120 } }, solvers = { "si" }, peers = true,
}
