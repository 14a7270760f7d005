-- A box on an oscillating lift leaves the lift when the lift's downward acceleration exceeds gravity.
-- Source: Citrus-Engine issue 8 (riders hop where the lift turns down), godot issue 36483, rapier issue 488 (a rider
-- sinks in and finally falls through).
local impel = require "impel"

local scene = {
  title = "Lift swings", about = "A box leaves a lift that accelerates down faster than g.", duration = 12,
  units = { top = "m", gap = "m", sink = "m", drift = "m", turn = "rad" },
}
-- ratio: largest acceleration of the lift divided by gravity; rate [Hz]
scene.params = { ratio = 0.9, rate = 60, by_velocity = false }

local OMEGA = 2 -- angular frequency of the lift [rad/s]

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local plate = world:body { type = "kinematic", position = { 0, -0.1 - p.ratio * 9.81 / OMEGA ^ 2 } }
  plate:box { 3, 0.2 }
  local _, y = plate:position()
  local box = world:body { position = { 0.4, y + 0.6 } }
  box:box { 1, 1 }
  return { world = world, plate = plate, box = box, p = p, top = -100, gap = 0, sink = 0, drift = 0, turn = 0 }
end

function scene.update(s)
  local x, y = s.box:position()
  local _, py = s.plate:position()
  s.top = math.max(s.top, y - 0.5)
  s.gap, s.sink = math.max(s.gap, y - py - 0.6), math.max(s.sink, py + 0.6 - y)
  s.drift, s.turn = math.max(s.drift, math.abs(x - 0.4)), math.max(s.turn, math.abs(s.box.angle))
  -- At the end of the step the top of the plate is at -A cos(w t).
  local to = -s.p.ratio * 9.81 / OMEGA ^ 2 * impel.math.cos(OMEGA * (s.world.time + s.world.dt)) - 0.1
  if s.p.by_velocity then s.plate:set_velocity(0, (to - py) / s.world.dt) else s.plate:move_to(0, to) end
end

function scene.measure(s) return { top = s.top, gap = s.gap, sink = s.sink, drift = s.drift, turn = s.turn } end

function scene.check(s)
  local r, a = s.p.ratio, s.p.ratio * 9.81 / OMEGA ^ 2
  -- a: amplitude; r: largest acceleration divided by gravity. The box leaves the lift at r cos(w t) = -1, at the height
  -- a/r, with the speed v = a w sqrt(1 - 1/r^2), and rises by v^2/2g. The bound is one step at the lift's largest
  -- speed, plus the slop of 5 mm.
  local right = r > 1 and a * (r + 1 / r) / 2 or a
  local bound = 5e-3 + (r > 1 and a * OMEGA / s.p.rate or 0)
  return math.abs(s.top - right) < bound, ("the box rises to %.4f m, not %.4f"):format(s.top, right),
    -- If r <= 1, the box always presses on the plate. The bound is the slop of 5 mm.
    r > 1 or s.gap < 5e-3, ("the box leaves the lift by %.4f m"):format(s.gap),
    s.sink < 5e-3 + (r > 1 and 0.02 or 0),
    ("the box sinks %.4f m into the lift"):format(s.sink), -- the bound is 2 cm higher if the box lands on the plate
    s.drift < 0.01, ("the box drifts by %.4f m"):format(s.drift), -- no force acts along the plate
    -- An overlap of 5 mm (slop) at one end turns a side of 1 m by 0.005 rad.
    s.turn < 5e-3, ("the box turns by %.4f rad"):format(s.turn)
end

return scene, {
  vary = { ratio = { 0.5, 0.9, 1.5 }, rate = { 60, 240 }, by_velocity = { false, true } },
  solvers = { "si", "xpbd", "direct" },
}
