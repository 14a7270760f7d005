-- A scissor lift of several stages carries its load. The force on the sliding foot follows from virtual work. The pins
-- stay closed.
-- Source: RigidBodyDynamics.jl issue 480 (a linkage of many loops drifts apart after four seconds); MuJoCo issue 2698
-- (a closed loop breaks under load); textbook, virtual work.
local impel = require "impel"

local scene = {
  title = "Scissor lift", about = "A scissor lift carries its load with the calculated force.", duration = 5,
  units = { force = "of the calculated force", open = "m", sunk = "m" },
}
scene.params = {
  stages = 3, load = { 10.0, help = "mass of the load / mass of an arm" },
  angle = { 40.0, help = "of the arms [degrees]" },
}

local ARM = 2 -- length of an arm [m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  local s = { world = world, p = p, pins = {}, open = 0 }
  local c, sin = impel.math.cos(p.angle * math.pi / 180), impel.math.sin(p.angle * math.pi / 180)
  local width, rise = ARM * c, ARM * sin
  local function pin(a, b, x, y) s.pins[#s.pins + 1] = world:revolute(a, b, { anchor = { x, y } }) end
  -- The left foot is pinned. The right foot slides at a locked height, and a servo holds the foot's position.
  local foot
  local up_before, down_before
  for i = 1, p.stages do
    local y, angle = (i - 0.5) * rise, p.angle * math.pi / 180
    local up = world:body { position = { width / 2, y }, angle = angle, mass = 1 }
    local down = world:body { position = { width / 2, y }, angle = -angle, mass = 1 }
    up:box { ARM, 0.1, mask = 0 }
    down:box { ARM, 0.1, mask = 0 }
    pin(up, down, width / 2, y)
    if i == 1 then
      pin(world.ground, up, 0, 0)
      foot = world:pin_slot(world.ground, down, { anchor = { width, 0 }, axis = { 1, 0 },
        servo = { target = 0 } })
    else
      pin(down_before, up, 0, (i - 1) * rise)
      pin(up_before, down, width, (i - 1) * rise)
    end
    up_before, down_before = up, down
  end
  local load = world:body { position = { width / 2, p.stages * rise + 0.1 }, mass = p.load }
  load:box { width, 0.2, mask = 0 }
  pin(down_before, load, 0, p.stages * rise)
  world:pin_slot(load, up_before, { anchor = { width, p.stages * rise }, axis = { 1, 0 } })
  -- Virtual work: the width is ARM cos q and the height n ARM sin q, so the load moves by dy = -n cot q dx, and the
  -- arms by dy / 2 on average.
  s.force = (p.load + p.stages) * 9.81 * p.stages * c / sin
  s.foot, s.load, s.height = foot, load, p.stages * rise + 0.1
  return s
end

function scene.update(s)
  for _, joint in ipairs(s.pins) do
    local ax, ay, bx, by = joint:anchors()
    s.open = math.max(s.open, math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2))
  end
end

function scene.measure(s)
  local _, y = s.load:position()
  return { force = math.abs(s.foot.force) / s.force, open = s.open, sunk = s.height - y }
end

function scene.check(s)
  local now = scene.measure(s)
  -- A force display needs an accuracy of 2 %.
  return math.abs(now.force - 1) < 0.02, ("the servo has %.3f of the calculated force"):format(now.force),
    now.open < 0.01, ("a pin opened by %.1f mm"):format(1e3 * now.open), -- a tenth of an arm's thickness
    -- 1 % of the height is hardly visible.
    math.abs(now.sunk) < 0.01 * s.height, ("the load sank by %.1f mm"):format(1e3 * now.sunk)
end

return scene, {
  vary = { stages = { 1, 3, 5 }, load = { 1, 10, 100 }, angle = { 25, 45 } }, solvers = { "si", "direct" },
}
