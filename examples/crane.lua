-- A trolley carries 100 kg on a rope of ten links of 1 kg.
local impel = require "impel"

local scene = {
  title = "Crane",
  about = "The rope stretches by less than 1 % under any load. The trolley drives for exactly one period of the load's "
    .. "swing, so the load hangs still after the trolley has stopped.",
  duration = 10, -- [s]
  view = { x = 3, y = -4, height = 11 },
  units = { trolley = "m", side = "m", stretch = "m", force = "N" },
}

scene.params = {
  substeps = { 8, integer = true, min = 1, max = 64, help = "substeps per step" },
  load = { 100.0, min = 50, max = 100, help = "mass of the load [kg]" },
  speed = { 1.0, min = 0.5, max = 1.5, help = "speed of the trolley while it drives [m/s]" },
  drive = { 1.0, min = 0, max = 1.5, help = "time for which the trolley drives, in periods of the load" },
}

local G, START = 9.81, 1 -- gravity [m/s^2], time at which the trolley starts [s]
local LINKS, LENGTH, LINK = 10, 0.8, 1 -- the rope: number of links, length [m] and mass [kg] of a link
local ROPE = LINKS * LENGTH -- length of the rope [m]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, substeps = p.substeps, sleep = false }
  local trolley = world:body { name = "trolley", mass = 200 }
  trolley:box { 1, 0.3 }
  local rail = world:prismatic(world.ground, trolley, { motor = { speed = 0 } })
  local last, top = trolley, nil
  -- first moment [kg m] and moment of inertia [kg m^2] of rope and load about the trolley
  local moment, inertia = p.load * ROPE, p.load * ROPE ^ 2
  for i = 1, LINKS do
    local arm = (i - 0.5) * LENGTH
    local link = world:body { position = { 0, -arm }, mass = LINK }
    link:capsule { from = { 0, -LENGTH / 2 }, to = { 0, LENGTH / 2 }, radius = 0.03 }
    local hinge = world:revolute(last, link, { anchor = { 0, LENGTH / 2 - arm } })
    last, top = link, top or hinge
    moment, inertia = moment + LINK * arm, inertia + LINK * (arm ^ 2 + LENGTH ^ 2 / 12)
  end
  local load = world:body { name = "load", position = { 0, -ROPE }, mass = p.load }
  load:box { 1, 1 }
  world:revolute(last, load, {})
  local swing = 2 * math.pi * math.sqrt(inertia / (G * moment)) -- period of a rigid rope at a small amplitude
  return { world = world, trolley = trolley, rail = rail, top = top, load = load, speed = p.speed,
    stop = START + p.drive * swing, weight = G * (p.load + LINKS * LINK), stretch = 0, swung = 0, left = 0, given = 0 }
end

-- Return the horizontal displacement of the load from the trolley [m] and the strain of the rope [1].
local function survey(s)
  local x, y = s.trolley:position()
  local lx, ly = s.load:position()
  return lx - x, math.sqrt((lx - x) ^ 2 + (ly - y) ^ 2) / ROPE - 1
end

function scene.update(s, dt)
  local time = s.world.time
  s.rail.motor_speed = time >= START and time < s.stop and s.speed or 0
  local side, stretch = survey(s)
  s.stretch = math.max(s.stretch, stretch)
  if time < s.stop then s.swung = math.max(s.swung, math.abs(side)) end
  if time > s.stop + 2 * dt then s.left = math.max(s.left, math.abs(side)) end
  if s.world.tick > 0 then
    local _, force = s.top:reaction()
    s.given = s.given + force * dt
  end
end

function scene.measure(s)
  local side, stretch = survey(s)
  local _, force = s.top:reaction()
  return { trolley = (s.trolley:position()), side = side, stretch = stretch, force = force }
end

function scene.check(s)
  local time = s.world.time
  if time < s.stop + 1 then return false, ("cannot be checked before %.1f s"):format(s.stop + 1) end
  local carried = s.given / (time - s.world.dt) / s.weight
  return s.stretch < 0.01, ("the rope stretched by %.2f %%, less than 1 %% expected"):format(100 * s.stretch),
    s.left < 0.05 * s.swung, ("the load swings by %.3f m after the stop, less than %.3f expected"):format(s.left,
      0.05 * s.swung),
    math.abs(carried - 1) < 1e-3, ("the trolley carries %.4f times the suspended weight, 1 expected"):format(carried)
end

return scene
