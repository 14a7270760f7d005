-- A column of boxes with small initial overlaps expands slowly and stands.
-- Source: rapier issue 625 and the Box2D sample "overlap recovery" (overlapping boxes fly apart).
local impel = require "impel"

local G = 9.81

local scene = {
  title = "Tight column", about = "A column created with overlaps expands slowly and stands.", duration = 8,
  units = { gained = "of the lift", fastest = "m/s", top = "m", aside = "m" },
}
scene.params = { rows = 7, overlap = 0.02 } -- overlap: depth of each box in the body below it [m]

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G } }
  world:body { type = "static" }:box { 60, 1, center = { 0, -0.5 } }
  -- lift: work that separates the boxes [J]. Each overlap lifts all boxes above it.
  local s = { world = world, boxes = {}, p = p, fastest = 0, most = 0, lift = 0 }
  for i = 1, p.rows do
    local box = world:body { position = { 0, i * (1 - p.overlap) - 0.5 } }
    box:box { 1, 1 }
    s.boxes[i] = box
    s.lift = s.lift + box.mass * G * i * p.overlap
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
  local top, aside = 0, 0
  for _, box in ipairs(s.boxes) do
    local x, y = box:position()
    top, aside = math.max(top, y + 0.5), math.max(aside, math.abs(x))
  end
  return { gained = s.most / s.lift, fastest = s.fastest, top = top, aside = aside }
end

function scene.check(s)
  local now, rows = scene.measure(s), s.p.rows
  -- The bound is `lift` plus 1 %, plus the work that raises each box by 0.01 mm. Float rounding at 10 m is 0.001 mm.
  local bound = 1.01 + rows * G * 1e-5 / s.lift
  -- A box with this speed can rise by the sum of all overlaps.
  local limit = math.sqrt(2 * G * rows * s.p.overlap)
  return now.gained < bound, ("the energy grew by %.2f times the work that separates the boxes"):format(now.gained),
    now.fastest < limit, ("a box's speed reached %.2f m/s, more than %.2f"):format(now.fastest, limit),
    -- Each contact has at most 6 mm of overlap: slop of 5 mm plus 1 mm for the weight.
    now.top > rows - 0.006 * rows, ("the top is at %.3f m, not at %d"):format(now.top, rows),
    -- No lateral force acts. The bound is 1 % of a box.
    now.aside < 0.01,
    ("a box is displaced sideways by %.3f m"):format(now.aside)
end

return scene, {
  vary = { rows = { 4, 7, 10 }, overlap = { 0.01, 0.02, 0.05 } }, solvers = { "split", "direct" }, peers = true,
}
