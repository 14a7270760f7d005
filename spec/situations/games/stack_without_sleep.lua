-- With sleep off, a stack of boxes stands on a static floor, and on a kinematic floor at rest.
-- Source: qu3e issue 54 (five boxes fall in 5 s when sleep is off), cannon.js issue 348, p2.js issue 317, bullet3 issue
-- 4202 (boxes move off a kinematic plate at rest).
local impel = require "impel"

local scene = {
  title = "Stack without sleep", about = "A stack stands still with sleep off.", duration = 20,
  units = { drift = "m", turn = "rad", sink = "m", creep = "m" },
}
scene.params = { boxes = 10, kinematic = false, shift = 0.0 } -- shift: sideways offset of every second box [m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = p.kinematic and "kinematic" or "static" }:box { 20, 1, center = { 0, -0.5 } }
  local top
  for i = 1, p.boxes do
    top = world:body { position = { i % 2 * p.shift, i - 0.5 } }
    top:box { 1, 1 }
  end
  local x, y = top:position()
  return { world = world, top = top, p = p, x = x, y = y, drift = 0, turn = 0, sink = 0 }
end

function scene.update(s)
  local x, y = s.top:position()
  s.drift, s.turn = math.max(s.drift, math.abs(x - s.x)), math.max(s.turn, math.abs(s.top.angle))
  s.sink = math.max(s.sink, s.y - y)
  if s.world.time < 10 then s.middle = y end
end

function scene.measure(s)
  local _, y = s.top:position()
  return { drift = s.drift, turn = s.turn, sink = s.sink, creep = s.middle - y }
end

function scene.check(s)
  local creep = scene.measure(s).creep
  -- Equilibrium. A drift of 1 mm per box is not visible.
  return s.drift < 1e-3 * s.p.boxes, ("the top drifts by %.4f m"):format(s.drift),
    -- An overlap of 5 mm (slop) at one end turns a side of 1 m by 0.005 rad.
    s.turn < 5e-3, ("the top turns by %.4f rad"):format(s.turn),
    s.sink < 5e-3 * s.p.boxes, ("the top sinks by %.4f m"):format(s.sink), -- slop for each contact below the top
    math.abs(creep) < 1e-3, ("the top sinks by %.4f m in the last 10 s"):format(creep) -- equilibrium
end

return scene, {
  vary = { boxes = { 5, 10, 20 }, kinematic = { false, true } }, solvers = { "si", "xpbd" }, peers = true,
}
