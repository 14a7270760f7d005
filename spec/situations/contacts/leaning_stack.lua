-- A stack of n boxes of width w, each shifted by the same offset from the box below, stands if the offset is less than
-- w / n. Otherwise the stack falls.
-- Source: textbook statics, the overhang of a stack of bricks.
local impel = require "impel"

local scene = {
  title = "Leaning stack", duration = 12,
  about = "A leaning stack of n boxes stands if each offset is less than 1 / n of a box's width.",
  units = { top = "m", creep = "m" },
}
scene.params = { boxes = 7, part = 0.8 } -- part: offset divided by the largest offset with which the stack stands

function scene.setup(p)
  local world = impel.world { sleep = false } -- sleep would hide creep
  world:body { type = "static" }:box { 60, 1, center = { 0, -0.5 } }
  local s = { world = world, p = p, early = {} }
  for i = 0, p.boxes - 1 do
    s.top = world:body { position = { i * p.part / p.boxes, i + 0.5 } }
    s.top:box { 1, 1 }
  end
  s.start = { s.top:position() }
  return s
end

function scene.update(s)
  if s.world.time < 5 then s.early = { s.top:position() } end -- the stack has settled after 5 s
end

function scene.measure(s)
  local x, y = s.top:position()
  return { top = y, creep = math.sqrt((x - s.early[1]) ^ 2 + (y - s.early[2]) ^ 2) }
end

function scene.check(s)
  local now = scene.measure(s)
  if s.p.part > 1 then
    -- The upper boxes turn about a corner of the box below them, by 1 rad within 4 s.
    return now.top < s.start[2] - 0.5, ("the stack still stands, the top box at %.3f m"):format(now.top)
  end
  -- Each contact settles by at most 5 mm of overlap (slop). The bound is twice the sum of ten contacts.
  return now.top > s.start[2] - 0.1, ("the top box is at %.3f m, not at %.1f"):format(now.top, s.start[2]),
    now.creep < 1e-3, ("the top box crept by %.4f m in 7 s"):format(now.creep) -- at rest
end

return scene, {
  vary = { boxes = { 5, 7, 10 }, part = { 0.5, 0.8, 1.2 } }, solvers = { "si", "xpbd" }, peers = true,
}
