-- A box on a lift that suddenly reverses from rising to sinking flies on a parabola and lands flat.
-- Source: Citrus-Engine issue 8 (riders hop where the lift turns down), box2d issues 117 and 130 (the speed of a rider
-- on a sinking kinematic body grows without bound).
local impel = require "impel"

local scene = {
  title = "Lift turns down", duration = 5,
  about = "A box leaves a lift that reverses its speed v, and lands 4 v/g later.",
  units = { rise = "m", flight = "s", turn = "rad", last = "m/s" },
}
scene.params = { speed = 2.0, rate = 60, size = 1.0 } -- speed [m/s], rate [Hz], size of the box [m]

function scene.setup(p)
  local world = impel.world { dt = 1 / p.rate }
  local plate = world:body { type = "kinematic", position = { 0, -0.1 }, velocity = { 0, p.speed } }
  plate:box { 3, 0.2 }
  local box = world:body { position = { 0.4, p.size / 2 }, velocity = { 0, p.speed } }
  box:box { p.size, p.size }
  return { world = world, plate = plate, box = box, p = p, top = 0, turn = 0 }
end

function scene.update(s)
  local _, y = s.box:position()
  local _, py = s.plate:position()
  if s.world.tick == s.p.rate then
    s.plate:set_velocity(0, -s.p.speed)
    s.start = y
  end
  s.turn = math.max(s.turn, math.abs(s.box.angle))
  if not s.start then return end
  s.top = math.max(s.top, y)
  -- time of landing: the last time at which the box is in the air
  if y - py - 0.1 - s.p.size / 2 > 0.02 then s.landed = s.world.time end
end

function scene.measure(s)
  local _, vy = s.box:velocity()
  return { rise = s.top - s.start, flight = (s.landed or 1) - 1, turn = s.turn, last = vy }
end

function scene.check(s)
  local v, dt, now = s.p.speed, 1 / s.p.rate, scene.measure(s)
  local rise, flight = v ^ 2 / (2 * 9.81), 4 * v / 9.81
  -- One step of gravity more or less changes the rise by v dt. The flight may begin and end a step early or late. The
  -- landing is recorded 2 cm above the lift, about 0.01 / v early. The bound doubles this time.
  return math.abs(now.rise - rise) < 0.01 * rise + v * dt, ("the box rises %.4f m, not %.4f"):format(now.rise, rise),
    math.abs(now.flight - flight) < 0.01 * flight + 3 * dt + 0.02 / v,
    ("the box flies %.3f s, not %.3f"):format(now.flight, flight),
    -- At rest on the lift.
    math.abs(now.last + v) < 1e-3,
    ("the box rides down at %.4f m/s, not %g"):format(-now.last, v),
    -- An overlap of 5 mm (slop) at one end turns a box of 1 m by 0.005 rad.
    now.turn < 5e-3, ("the box turns by %.4f rad"):format(now.turn)
end

return scene, {
  vary = { speed = { 0.5, 2, 4 }, rate = { 60, 240 }, size = { 0.5, 1 } }, solvers = { "si", "xpbd", "direct" },
}
