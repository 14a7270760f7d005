-- A car keeps its speed over hills by a PI controller in Lua.
local impel = require "impel"

local scene = {
  title = "Car on terrain",
  about = "Motor torque = kp e + ki times the integral of e, where e = target speed - speed. Without "
    .. "the integral (--set ki=0), the speed error on the last slope is m g sin(a) r / kp, where a is the angle of the "
    .. "slope. The hills depend on the seed (--seed 7).",
  duration = 10, -- [s]
  view = { x = 22, y = 2.5, height = 18 },
  units = { x = "m", y = "m", v = "m/s", torque = "N m", front = "m", rear = "m", lean = "rad" },
}

scene.params = {
  speed = { 6.0, min = 5.5, max = 7.5, help = "target speed [m/s]" },
  hill = { 1.0, min = 0, max = 2, help = "scale of the hills' height" },
  kp = { 2500.0, min = 0, max = 5000, help = "gain of the speed error [N m s/m]" },
  ki = { 2500.0, min = 0, max = 5000, help = "gain of the integral of the speed error [N m/m]" },
  grip = { 1.0, min = 0, max = 2, help = "coefficient of friction of tyres and ground" },
}

-- first x, length and point spacing of the hills [m]; torque limit [N m]
local START, LENGTH, EDGE, MOST = 8, 33, 0.5, 3000
local G, RADIUS, TRAVEL = 9.81, 0.35, 0.25 -- gravity [m/s^2], radius of a wheel [m], suspension travel [m]
local GRADE = 0.1 -- slope behind the hills [m/m]

-- Return the points of the ground from right to left: slope, hills, level. A chain is solid to its left, here below.
local function terrain(seed, hill)
  local rng, waves, points = impel.rng.new(seed), {}, { { 300, GRADE * (300 - START - LENGTH) } }
  for k = 1, 3 do
    waves[k] = { (1 + rng:random()) / k / k, 2 * math.pi * k / (18 + 4 * rng:random()), 2 * math.pi * rng:random() }
  end
  for x = START + LENGTH, START, -EDGE do
    local y, window = 0, math.sin(math.pi * (x - START) / LENGTH) ^ 2
    for _, wave in ipairs(waves) do y = y + wave[1] * math.sin(wave[2] * x + wave[3]) end
    points[#points + 1] = { x, hill * window * y / 2 }
  end
  points[#points + 1] = { -30, 0 }
  return points
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false }
  local ground = world:body { type = "static", name = "ground" }
  ground:chain { points = terrain(seed, p.hill), friction = p.grip }
  local car = impel.rig.car(world, { drive = "all", torque = MOST / 2, friction = p.grip, travel = TRAVEL,
    wheel_radius = RADIUS })
  return { world = world, p = p, car = car, sum = 0, torque = 0, worst = 0, moved = 0, lean = 0 }
end

-- The controller does not integrate while the motors are at their limit.
function scene.substep(s, h)
  local e = s.p.speed - s.car:speed()
  local torque = s.p.kp * e + s.p.ki * (s.sum + e * h)
  if math.abs(torque) < MOST then s.sum = s.sum + e * h end
  s.torque = math.max(-MOST, math.min(MOST, torque))
  s.car:throttle(s.torque)
end

function scene.update(s)
  local x = s.car.chassis:position()
  s.moved = math.max(s.moved, math.abs(s.car.front.value), math.abs(s.car.rear.value))
  s.lean = math.max(s.lean, math.abs(s.car.chassis.angle))
  if x > START and x < START + LENGTH then s.worst = math.max(s.worst, math.abs(s.car:speed() / s.p.speed - 1)) end
end

function scene.measure(s)
  local x, y = s.car.chassis:position()
  return { x = x, y = y, v = s.car:speed(), torque = s.torque, front = s.car.front.value, rear = s.car.rear.value,
    lean = s.car.chassis.angle }
end

function scene.check(s)
  local x = s.car.chassis:position()
  local v, goal = s.car:speed(), START + LENGTH + 10
  local pull = s.car:mass() * G * GRADE / math.sqrt(1 + GRADE ^ 2) * RADIUS
  return x > goal, ("the car came to x = %.1f m; it should pass the hills and reach x > %g m"):format(x, goal),
    math.abs(v / s.p.speed - 1) < 0.01, ("on the slope the speed of the car is %.3f m/s, %g "
      .. "expected"):format(v, s.p.speed),
    math.abs(s.torque / pull - 1) < 0.02, ("the motors give %.1f N m, %.1f expected"):format(s.torque, pull),
    s.worst < 0.2, ("on the hills the speed was off by %.1f %%, less than 20 %% expected"):format(100 * s.worst),
    s.moved < TRAVEL, ("a wheel moved by %.3f m against the chassis, beyond its travel of %g "
      .. "m"):format(s.moved, TRAVEL),
    s.lean < 0.8, ("the car leaned by %.2f rad, less than 0.8 expected"):format(s.lean)
end

return scene
