-- A car with sprung wheels drives over bumps with motors on its axles.
local impel = require "impel"

local scene = {
  title = "Car",
  about = "A wheel joint lets a wheel slide along an axis of the car, on a spring, and rotate, driven by a motor. "
    .. "First the weight of the car's body compresses each spring by weight / (2 stiffness); then the car drives off. "
    .. "Smooth tyres (--set grip=0.02) only spin.",
  duration = 10, -- [s]
  view = { follow = "car", offset = { 1.5, 0 }, y = 1.2, height = 5 },
  units = { x = "m", y = "m", pitch = "rad", v = "m/s", front = "m", rear = "m", spring = "N", torque = "N m",
    spin = "rad/s", open = "m" },
}

scene.params = {
  stiffness = { 4000.0, min = 2000, max = 20000, help = "stiffness of each of the two springs [N/m]" },
  damping = { 400.0, min = 200, max = 2000, help = "damping of each of the two dampers [N s/m]" },
  bump = { 0.15, min = 0, max = 0.25, help = "height of the bumps [m]" },
  speed = { 10.0, min = 8, max = 14, help = "speed of the motors [rad/s]" },
  torque = { 60.0, min = 30, max = 200, help = "torque limit of each motor [N m]" },
  grip = { 0.9, min = 0, max = 2, help = "coefficient of friction of tyres and road" },
}

-- gravity [m/s^2], radius of a wheel [m], mass of the car's body, mass of a wheel [kg]
local G, RADIUS, BODY, WHEEL = 9.81, 0.4, 100, 10
local START = 3 -- time at which the motors start [s]
local FIRST, BUMPS, PITCH = 4, 5, 2 -- x of the first bump [m], number of bumps, distance between bumps [m]
local GOAL = FIRST + BUMPS * PITCH + 1 -- x that the car must reach, behind the bumps [m]

-- Return the points of the road, from right to left: each bump is a period of a cosine.
local function road(height)
  local points = { { 60, 0 } }
  for i = BUMPS * 16, 0, -1 do
    points[#points + 1] = { FIRST + i * PITCH / 16, height * (1 - math.cos(i * math.pi / 8)) / 2 }
  end
  points[#points + 1] = { -10, 0 }
  return points
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false }
  local ground = world:body { type = "static", name = "road" }
  ground:chain { points = road(p.bump), friction = p.grip }
  local car = world:body { name = "car", position = { 0, RADIUS + 0.3 }, mass = BODY }
  car:polygon { points = { { -1.2, -0.2 }, { 1.2, -0.2 }, { 1.1, 0.1 }, { -1.1, 0.2 } } }
  local cx = car:center()
  local axles = {}
  for i, x in ipairs { cx - 0.9, cx + 0.9 } do -- symmetric about the centre of mass: both springs carry the same load
    local wheel = world:body { name = "wheel " .. i, position = { x, RADIUS }, mass = WHEEL }
    wheel:circle { radius = RADIUS, friction = p.grip }
    axles[i] = world:wheel(car, wheel, { axis = { 0, 1 }, -- anchored at the wheel's centre
      spring = { stiffness = p.stiffness, damping = p.damping }, motor = { speed = 0, max_force = p.torque } })
  end
  return { world = world, p = p, car = car, axles = axles }
end

function scene.update(s)
  if not s.sag and s.world.time >= START then
    s.sag = { s.axles[1].value, s.axles[2].value }
    for _, axle in ipairs(s.axles) do axle.motor_speed = -s.p.speed end
  end
end

function scene.measure(s)
  local x, y = s.car:position()
  local front, rear = s.axles[2], s.axles[1]
  local open = math.max(front.separation, rear.separation)
  return { x = x, y = y, pitch = s.car.angle, v = (s.car:velocity()), front = front.value, rear = rear.value,
    spring = front.force,
    torque = front:coordinate("angle").force, spin = front:coordinate("angle").speed, open = open }
end

function scene.check(s)
  if not s.sag then return false, ("cannot be checked before %g s"):format(START) end
  local x = s.car:position()
  local v = s.car:velocity()
  local sag, rolling = BODY * G / (2 * s.p.stiffness), s.p.speed * RADIUS
  return math.abs(s.sag[1] - sag) < 0.01 * sag and math.abs(s.sag[2] - sag) < 0.01 * sag,
    ("the springs are compressed by %.4f and %.4f m, %.4f expected"):format(s.sag[1], s.sag[2], sag),
    x > GOAL, ("the car came to x = %.2f m; it should pass the bumps and reach x > %.2f"):format(x, GOAL),
    math.abs(v - rolling) < 0.01 * rolling, ("the car's final speed is %.4f m/s, %.4f expected"):format(v, rolling)
end

return scene
