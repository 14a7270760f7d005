-- Three toothed wheels in a row: one torque turns all three, each at its own rate.
local impel = require "impel"

local scene = {
  title = "Gears",
  about = "A gear couples two hinges: it locks the sum angle1 + (z2 / z1) angle2. Referred to the first wheel, every "
    .. "other wheel has the inertia I (z1 / z)^2. With backlash (--set backlash=0.1) the gear limits the sum instead "
    .. "of locking it.",
  duration = 6, -- [s]
  view = { x = 0.72, y = 0, height = 1.6 },
}

scene.params = {
  z1 = { 12, integer = true, min = 6, max = 40, help = "number of teeth of the first wheel, on which the torque acts" },
  z2 = { 20, integer = true, min = 6, max = 40, help = "number of teeth of the second wheel" },
  z3 = { 8, integer = true, min = 6, max = 40, help = "number of teeth of the third wheel" },
  torque = { 0.5, min = 0, max = 1, help = "torque on the first wheel, forward for 3 s, then back [N m]" },
  backlash = { 0.0, min = 0, max = 1, help = "backlash of each pair of wheels [teeth]" },
}

local MODULE = 0.05 -- diameter per tooth [m]
local FORWARD = 3 -- time for which the torque acts forwards [s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, dt = 1 / 240 }
  local teeth, wheels, hinges, gears = { p.z1, p.z2, p.z3 }, {}, {}, {}
  local x = 0
  for i, z in ipairs(teeth) do
    local radius = MODULE * z / 2
    x = i > 1 and x + radius or 0
    wheels[i] = world:body { position = { x, 0 } }
    wheels[i]:circle { radius = radius, mask = 0 } -- mask 0: the gears couple the wheels, not their shapes
    hinges[i] = world:revolute(world.ground, wheels[i], {})
    x = x + radius
  end
  for i = 1, 2 do
    -- `sum` = angle1 + ratio angle2 [rad]; one tooth is 2 pi / z for z teeth.
    local play = p.backlash * math.pi / teeth[i]
    gears[i] = world:gear { joint1 = hinges[i], joint2 = hinges[i + 1], ratio = teeth[i + 1] / teeth[i],
      sum = p.backlash > 0 and { limit = { -play, play } } or nil }
  end
  return { world = world, p = p, teeth = teeth, wheels = wheels, hinges = hinges, gears = gears, impulse = 0, slip = 0 }
end

-- Return the largest phase error of a mesh [teeth].
local function phase(s)
  local worst = 0
  for i = 1, 2 do
    local passed = s.hinges[i].value * s.teeth[i] + s.hinges[i + 1].value * s.teeth[i + 1]
    worst = math.max(worst, math.abs(passed) / (2 * math.pi))
  end
  return worst
end

-- Return the inertia of wheels `from` to 3, reflected to the first wheel.
local function inertia(s, from)
  local sum = 0
  for i = from, 3 do sum = sum + s.wheels[i].inertia * (s.teeth[1] / s.teeth[i]) ^ 2 end
  return sum
end

function scene.update(s, dt)
  s.slip = math.max(s.slip, phase(s))
  local torque = s.world.time < FORWARD and s.p.torque or -s.p.torque
  s.hinges[1]:coordinate("angle"):set_force(torque)
  s.impulse = s.impulse + torque * dt
end

function scene.measure(s)
  return { w1 = s.hinges[1].speed, w2 = s.hinges[2].speed, w3 = s.hinges[3].speed, phase = phase(s),
    mesh12 = s.gears[1].force, mesh23 = s.gears[2].force }
end

function scene.check(s)
  if s.world.tick < 2 then return false, "cannot be checked before the second step" end
  local slip = math.max(s.slip, phase(s))
  local torque = s.world.time > FORWARD and -s.p.torque or s.p.torque
  local w, expected = s.hinges[1].speed, s.impulse / inertia(s, 1)
  local top = s.p.torque * math.min(FORWARD, s.world.time) / inertia(s, 1)
  -- Torque of the first mesh on wheel 1. It opposes the driving torque, because the mesh drives wheels 2 and 3.
  local mesh, passed = s.gears[1].force, -torque * inertia(s, 2) / inertia(s, 1)
  return slip < 1e-3, ("a mesh is %.5f teeth out of phase, less than 0.001 expected"):format(slip),
    math.abs(w - expected) <= 1e-4 * top, ("the first wheel turns at %.5f rad/s, %.5f expected"):format(w, expected),
    math.abs(mesh - passed) <= 1e-3 * s.p.torque, ("the mesh transmits %.5f N m, %.5f expected"):format(mesh, passed)
end

return scene
