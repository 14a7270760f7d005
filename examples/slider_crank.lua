-- A crank mechanism: wheel, connecting rod and piston, driven by a motor.
local impel = require "impel"

local scene = {
  title = "Slider and crank",
  about = "The wheel's angle determines the piston's position: x = r cos a + sqrt(l^2 - r^2 sin^2 a). Three revolute "
    .. "joints and a prismatic joint must keep the piston at this x. With --set play=0.005 the piston's pin is worn: "
    .. "limits of 5 mm replace the pin's locks in x and y.",
  duration = 6, -- [s]
  view = { x = 0.55, y = 0, height = 1.4 },
}

scene.params = {
  crank = { 0.3, min = 0.1, max = 0.4, help = "distance from the wheel's axle to the crank pin [m]" },
  rod = { 1.0, min = 0.8, max = 2, help = "length of the rod [m]" },
  speed = { 6.0, min = -10, max = 10, help = "speed of the motor [rad/s]" },
  play = { 0.0, min = 0, max = 0.02, help = "clearance of the piston's pin in its bearing, in x and y [m]" },
}

function scene.setup(p, seed)
  local world = impel.world { seed = seed, dt = 1 / 240 }
  local wheel = world:body { name = "wheel" }
  wheel:circle { radius = p.crank + 0.1, mask = 0 }
  local rod = world:body { name = "rod", position = { p.crank + p.rod / 2, 0 } }
  rod:box { p.rod, 0.08, mask = 0 }
  local piston = world:body { name = "piston", position = { p.crank + p.rod, 0 } }
  piston:box { 0.2, 0.3, mask = 0 } -- mask 0: the three bodies lie on top of each other
  local axle = world:revolute(world.ground, wheel, { name = "axle", anchor = { 0, 0 }, motor = { speed = 0 } })
  local pin = world:revolute(wheel, rod, { name = "pin", anchor = { p.crank, 0 } })
  -- If the pin has play, limits replace the locks of its coordinates x and y.
  local bearing = p.play > 0 and { limit = { -p.play, p.play } } or nil
  local wrist = world:revolute(rod, piston, { name = "wrist", anchor = { p.crank + p.rod, 0 },
    x = bearing, y = bearing })
  local guide = world:prismatic(world.ground, piston, { name = "guide", axis = { 1, 0 } })
  return { world = world, p = p, piston = piston, axle = axle, guide = guide, joints = { axle, pin, wrist, guide },
    start = p.crank + p.rod, way = 0, off = 0, late = 0, open = 0, least = math.huge, most = -math.huge }
end

-- Return position and speed of the piston for an angle and an angular velocity of the wheel.
local function closed_form(p, angle, rate)
  local sin, cos = math.sin(angle), math.cos(angle)
  local root = math.sqrt(p.rod ^ 2 - (p.crank * sin) ^ 2)
  return p.crank * cos + root, -p.crank * sin * (1 + p.crank * cos / root) * rate
end

local function survey(s)
  local x, v = closed_form(s.p, s.axle.value, s.axle.speed)
  local open = 0
  for _, joint in ipairs(s.joints) do open = math.max(open, joint.separation) end
  return s.start + s.guide.value - x, s.guide.speed - v, open -- the guide's x is 0 where the piston starts
end

local function watch(s)
  local off, late, open = survey(s)
  local x = s.start + s.guide.value
  s.off, s.late, s.open = math.max(s.off, math.abs(off)), math.max(s.late, math.abs(late)), math.max(s.open, open)
  s.least, s.most = math.min(s.least, x), math.max(s.most, x)
end

-- Before every step: the motor speeds up over half a second.
function scene.update(s, dt)
  watch(s)
  s.axle.motor_speed = s.p.speed * math.min(1, s.world.time / 0.5)
  s.way = s.way + s.axle.motor_speed * dt
end

function scene.measure(s)
  local off, late, open = survey(s)
  return { angle = s.axle.value, x = s.start + s.guide.value, v = s.guide.speed, off = off, late = late, open = open,
    torque = s.axle.force, side = s.guide:coordinate("y").force }
end

function scene.check(s)
  watch(s)
  if math.abs(s.axle.value) < 2 * math.pi then return false, "cannot be checked before a full turn" end
  local stroke = s.most - s.least
  return math.abs(s.axle.value - s.way) < 5e-3,
    ("the wheel's angle differs from the motor's by %.4f rad, less than 0.005 expected"):format(s.axle.value - s.way),
    s.off < 1e-3, ("the piston was %.3f mm from its computed position, less than 1 expected"):format(1e3 * s.off),
    s.late < 0.01 * math.abs(s.p.speed) * s.p.crank,
    ("the piston's speed differed by %.4f m/s from the computed one, less than 1 %% of the crank pin's speed "
      .. "expected"):format(s.late),
    math.abs(stroke - 2 * s.p.crank) < 1e-3, ("the stroke is %.4f m, %.4f expected"):format(stroke, 2 * s.p.crank),
    s.open < 1e-3, ("a joint opened by %.3f mm, less than 1 expected"):format(1e3 * s.open)
end

return scene
