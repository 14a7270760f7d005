-- A car whose motors hold its wheels does not move, on level ground and on a slope.
-- Source: rapier issue 432 and rapier.js issue 196 (with motors at 0 the car creeps to and fro), Box2D sample
-- "Driving".
local impel = require "impel"

local scene = {
  title = "Parked car", about = "A car with locked wheels does not move.", duration = 12,
  units = { creep = "m", turn = "rad" },
}
scene.params = { slope = 20.0, wheel = 20.0 } -- slope [degrees]; mass of a wheel [kg] (the chassis has 1200 kg)

local RADIUS, TORQUE = 0.4, 1e5 -- radius of a wheel [m], torque of the motors [N m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  local angle = math.rad(p.slope)
  local c, n = impel.math.cos(angle), impel.math.sin(angle)
  local function turned(x, y) return { x * c - y * n, x * n + y * c } end
  local ground = world:body { type = "static", angle = angle }
  ground:box { 40, 1, center = { 0, -0.5 }, friction = 0.9 }
  local chassis = world:body { position = turned(0, 0.7), angle = angle, mass = 1200 }
  chassis:box { 3, 0.6, friction = 0.9 }
  for side = -1, 1, 2 do
    local at = turned(side, RADIUS)
    local wheel = world:body { position = at, mass = p.wheel }
    wheel:circle { radius = RADIUS, friction = 0.9 }
    world:revolute(chassis, wheel, { anchor = at, motor = { speed = 0, max_force = TORQUE } })
  end
  return { world = world, chassis = chassis, creep = 0, turn = 0 }
end

function scene.update(s)
  if s.world.time < 4 then return end
  local x, y = s.chassis:position()
  s.x, s.y, s.angle = s.x or x, s.y or y, s.angle or s.chassis.angle
  s.creep = math.max(s.creep, math.abs(x - s.x), math.abs(y - s.y))
  s.turn = math.max(s.turn, math.abs(s.chassis.angle - s.angle))
end

function scene.measure(s) return { creep = s.creep, turn = s.turn } end

function scene.check(s)
  -- Friction exceeds the tangent of the slope. The brakes hold many times the moment of the weight. A creep of 1 mm in
  -- 8 s is not visible.
  return s.creep < 1e-3, ("the car creeps by %.4f m in 8 s"):format(s.creep),
    s.turn < 1e-3, ("the car turns by %.4f rad in 8 s"):format(s.turn) -- about 1 mm at the ends of the car
end

return scene, {
  vary = { slope = { 0, 20, 35 }, wheel = { 2, 20, 200 } }, solvers = { "si", "xpbd", "direct" }, peers = true,
}
