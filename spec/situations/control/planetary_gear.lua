-- A motor with a rotor drives the sun of a planetary gear with a fixed ring. The sun turns i = 1 + Zr / Zs times as
-- fast as the carrier, so the carrier has i^2 times the inertias of sun and rotor.
-- Source: DART issue 1047 and Webots pull request 2756 (gears between joints); textbook for the epicyclic train.
local impel = require "impel"

local scene = {
  title = "Planetary gear", about = "A planetary gear reflects the motor's inertia.", duration = 1,
  units = { sun = "rad/s", carrier = "rad/s", expected = "rad/s" },
}
-- sun, planet: numbers of teeth; the ring has sun + 2 planet
scene.params = { sun = 20, planet = 16, armature = 0.01, torque = 0.1, rate = 240.0 }

local SUN, PLANET, CARRIER, MASS, AWAY = 0.02, 0.01, 0.5, 0.4, 0.3

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local sun = world:body { mass = 1, inertia = SUN }
  local carrier = world:body { mass = 1, inertia = CARRIER }
  local planet = world:body { position = { AWAY, 0 }, mass = MASS, inertia = PLANET }
  local input = world:revolute(world.ground, sun, { armature = p.armature, force = p.torque })
  local output = world:revolute(world.ground, carrier, {})
  local axle = world:revolute(carrier, planet, { anchor = { AWAY, 0 } })
  local ring = p.sun + 2 * p.planet
  world:gear { joint1 = axle, joint2 = output, ratio = ring / p.planet } -- the planet rolls in the fixed ring
  local zs, zp = p.sun, p.planet
  world:constraint(sun, planet, carrier, { -- the planet rolls on the sun
    C = function(a, b, c) return zs * (a.angle - c.angle) / zp + (b.angle - c.angle) end })
  local i, own = 1 + ring / p.sun, 1 - ring / p.planet -- turns of sun and of planet per turn of the carrier
  local inertia = CARRIER + MASS * AWAY ^ 2 + i ^ 2 * (SUN + p.armature) + own ^ 2 * PLANET
  return { world = world, input = input, output = output, p = p, ratio = i, expected = i * p.torque / inertia }
end

function scene.measure(s)
  return { sun = s.input.speed, carrier = s.output.speed, expected = s.expected, ratio = s.input.speed / s.output.speed,
    right = s.ratio }
end

function scene.check(s)
  -- The acceleration is constant. The bound is for float rounding, plus 1e-3 for the error (w h)^2 of the planet's
  -- circular motion.
  return math.abs(s.output.speed - s.expected) < 2e-3 * s.expected,
    ("the carrier turns at %.5f rad/s, %.5f expected"):format(s.output.speed, s.expected),
    math.abs(s.input.speed / s.output.speed - s.ratio) < 1e-3 * s.ratio,
    ("the gear's ratio is %.5f, %.5f expected"):format(s.input.speed / s.output.speed, s.ratio)
end

return scene, {
  vary = { sun = { 12, 40 }, planet = { 16 }, armature = { 0, 0.1, 10 }, torque = { 0.1, 1 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
