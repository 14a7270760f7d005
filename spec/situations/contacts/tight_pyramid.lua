-- A pyramid of boxes with small initial overlaps expands slowly and stands.
-- Source: rapier issue 625 and the Box2D sample "overlap recovery" (the top boxes fly off and the rest collapses).
local impel = require "impel"

local G = 9.81

local scene = {
  title = "Tight pyramid", about = "A pyramid created with overlaps expands slowly and stands.", duration = 6,
  units = { gained = "of the lift", fastest = "m/s", top = "m", aside = "m" },
}
scene.params = { rows = 4, overlap = 0.05 } -- overlap: with each neighbour and the floor [m]

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G } }
  world:body { type = "static" }:box { 60, 1, center = { 0, -0.5 } }
  -- lift: work that separates the boxes [J]. A box of row i rises by i overlaps.
  local s = { world = world, boxes = {}, p = p, fastest = 0, most = 0, lift = 0 }
  local spacing = 1 - p.overlap
  for i = 1, p.rows do
    for j = i, p.rows do
      local box = world:body { position = { spacing * (j - i / 2 - p.rows / 2), spacing * i - 0.5 } }
      box:box { 1, 1 }
      s.boxes[#s.boxes + 1] = box
      s.lift = s.lift + box.mass * G * i * p.overlap
    end
  end
  local kinetic, potential = world:energy()
  s.start = kinetic + potential
  return s
end

function scene.update(s)
  local kinetic, potential = s.world:energy()
  s.most = math.max(s.most, kinetic + potential - s.start)
  for _, box in ipairs(s.boxes) do
    local vx, vy = box:velocity()
    s.fastest = math.max(s.fastest, math.sqrt(vx * vx + vy * vy))
  end
end

function scene.measure(s)
  local x, y = s.boxes[#s.boxes]:position()
  return { gained = s.most / s.lift, fastest = s.fastest, top = y + 0.5, aside = math.abs(x) }
end

function scene.check(s)
  local now, rows = scene.measure(s), s.p.rows
  -- The bound is `lift` plus 1 %, plus the work that raises each box by 0.01 mm. Float rounding at 10 m is 0.001 mm.
  local bound = 1.01 + #s.boxes * G * 1e-5 / s.lift
  -- A box with this speed can rise by the sum of all overlaps.
  local limit = math.sqrt(2 * G * rows * s.p.overlap)
  return now.gained < bound, ("the energy grew by %.2f times the work that separates the boxes"):format(now.gained),
    now.fastest < limit, ("a box's speed reached %.2f m/s, more than %.2f"):format(now.fastest, limit),
    -- Each contact has at most 6 mm of overlap: slop of 5 mm plus 1 mm for the weight.
    now.top > rows - 0.006 * rows, ("the top is at %.3f m, not at %d"):format(now.top, rows),
    -- The lowest row expands by its overlaps, at worst to one side only.
    now.aside < 0.5 * rows * s.p.overlap, ("the top box is displaced sideways by %.3f m"):format(now.aside)
end

return scene, {
  vary = { rows = { 4, 7, 10 }, overlap = { 0.01, 0.02, 0.05 } }, solvers = { "si", "split" }, peers = true,
}
