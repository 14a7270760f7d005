-- A winch is pulled and pushed in turn, and its ratchet holds the load.
local impel = require "impel"

local scene = {
  title = "Ratchet",
  about = "The ratchet lets the drum turn forward; backward it turns only to the last tooth that it passed. Each pull "
    .. "turns the drum forward by whole teeth, and no push turns it back by a tooth. At rest the tooth holds the load. "
    .. "With --set pawl=false the load falls.",
  duration = 6, -- [s]
  view = { x = 0, y = -1.8, height = 4.6 },
}

scene.params = {
  teeth = { 24, integer = true, min = 12, max = 60, help = "teeth of the wheel" },
  pull = { 30.0, min = 22, max = 40, help = "torque of each pull [N m]; the load needs 19.62" },
  push = { 10.0, min = 0, max = 50, help = "torque of each push back [N m]" },
  pawl = { true, help = "false: no ratchet" },
}

local G, MASS, RADIUS = 9.81, 10, 0.2 -- gravity [m/s^2], mass of the load [kg], radius of the drum [m]
local STROKES, TIME = 4, 0.5 -- number of pulls; duration of each pull and of each push [s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false }
  local drum = world:body { name = "drum", mass = 40 }
  drum:circle { radius = RADIUS }
  local axle = world:revolute(world.ground, drum, {})
  local load = world:body { name = "load", position = { RADIUS, -4 }, mass = MASS }
  load:box { 0.3, 0.3 }
  local hoist = world:prismatic(world.ground, load, { axis = { 0, 1 } })
  world:rack { joint1 = hoist, joint2 = axle, ratio = -RADIUS } -- y = radius * angle
  local pitch = 2 * math.pi / p.teeth
  local ratchet = p.pawl and world:ratchet(world.ground, drum, { pitch = pitch }) or nil
  return { world = world, drum = drum, axle = axle, hoist = hoist, ratchet = ratchet, pitch = pitch, p = p,
    most = 0, lost = 0 }
end

-- Before every step: pull or push, and record how far the axle fell behind the last tooth.
function scene.update(s)
  local stroke = math.floor(s.world.time / TIME + 1e-9)
  if stroke < 2 * STROKES then s.drum:apply_torque(stroke % 2 == 0 and s.p.pull or -s.p.push) end
  s.most = math.max(s.most, s.axle.value)
  s.lost = math.max(s.lost, math.floor(s.most / s.pitch) - s.axle.value / s.pitch)
end

function scene.measure(s)
  return { tooth = s.axle.value / s.pitch, height = s.hoist.value, bears = s.ratchet and s.ratchet.force or 0 }
end

function scene.check(s)
  if s.world.time < 2 * STROKES * TIME + 1 then return false, "cannot be checked before the last push is over" end
  -- The drum accelerates during a pull, is stopped by weight and push, and falls back to the last tooth.
  local weight, inertia = MASS * G * RADIUS, s.drum.inertia + MASS * RADIUS ^ 2
  local speed = (s.p.pull - weight) / inertia * TIME
  local turn = speed * TIME / 2 + speed ^ 2 / (2 * (weight + s.p.push) / inertia)
  local teeth = STROKES * math.floor(turn / s.pitch)
  local off = s.axle.value / s.pitch - teeth
  local bears = s.ratchet and s.ratchet.force or 0
  return s.lost < 0.01, ("the drum was %.3f teeth behind the last tooth that it passed, less than 0.01 "
    .. "expected"):format(s.lost),
    math.abs(off) < 0.01, ("the drum is at tooth %.3f, %d expected"):format(teeth + off, teeth),
    math.abs(bears - weight) < 1e-3 * weight, ("the tooth carries %.3f N m, %.3f expected"):format(bears, weight)
end

return scene
