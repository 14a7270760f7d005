-- A box that falls on a steadily rising or sinking lift does not bounce and moves at the lift's speed.
-- Source: rapier issue 488 (riders sink in and finally fall through), box2d issue 130 (the speed of a rider on a
-- sinking kinematic body grows without bound).
local impel = require "impel"

local scene = {
  title = "Box dropped on a lift", about = "A box that falls on a moving lift stays on it.", duration = 6,
  units = { hop = "m", sink = "m", turn = "rad", slip = "m/s" },
}
-- lift, aside: velocity of the lift upwards and sideways [m/s]; drop: height of the fall [m]
scene.params = { lift = -2.0, aside = 0.0, drop = 1.0 }

function scene.setup(p)
  local world = impel.world {}
  local plate = world:body { type = "kinematic", position = { 0, -0.1 }, velocity = { p.aside, p.lift } }
  plate:box { 8, 0.2 }
  local box = world:body { position = { 0.5, 0.5 + p.drop }, velocity = { p.aside, 0 } }
  box:box { 1, 1 }
  return { world = world, plate = plate, box = box, p = p, hop = 0, sink = 0, turn = 0 }
end

-- Return the height of the box above the plate.
local function height(s)
  local _, y = s.box:position()
  local _, py = s.plate:position()
  return y - py - 0.6
end

function scene.update(s)
  local now = height(s)
  s.landed = s.landed or now < 0.02
  if s.landed then s.hop, s.sink = math.max(s.hop, now), math.max(s.sink, -now) end
  s.turn = math.max(s.turn, math.abs(s.box.angle))
end

function scene.measure(s)
  local vx, vy = s.box:velocity()
  local slip = math.max(math.abs(vx - s.p.aside), math.abs(vy - s.p.lift))
  return { hop = s.hop, sink = s.sink, turn = s.turn, slip = slip }
end

function scene.check(s)
  local now = scene.measure(s)
  return s.landed, "the box never reaches the lift",
    now.slip < 1e-3, ("the box moves at %.4f m/s relative to the lift"):format(now.slip), -- at rest on the lift
    height(s) > -5e-3, ("at the end, the box overlaps the lift by %.4f m"):format(-height(s)), -- slop of 5 mm
    -- The box has no restitution. A hop below 2 cm is hardly visible.
    now.hop < 0.02, ("the box hops by %.4f m"):format(now.hop),
    now.sink < 0.05, ("the box dips %.4f m into the lift"):format(now.sink), -- a quarter of the plate's thickness
    -- An overlap of 5 mm (slop) at one end turns a side of 1 m by 0.005 rad.
    now.turn < 5e-3, ("the box turns by %.4f rad"):format(now.turn)
end

return scene, {
  vary = { lift = { -8, -2, 0, 2, 8 }, aside = { 0, 3 }, drop = { 0.5, 3 } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
