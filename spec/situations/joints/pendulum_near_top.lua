-- A rod that starts at rest, slightly off its upright position, falls in a time that grows with log(1 / offset). The
-- rod does not fall asleep at the top.
-- Source: godot issue 6314 (a pendulum stops where it turns back), box2d issue 906 (bodies fall asleep at the top of
-- their motion); closed form: q'' = k^2 sin q.
local impel = require "impel"

local G = 9.81

local scene = {
  title = "Pendulum near its top", about = "A rod released near its upright position falls.", duration = 9,
  units = { time = "s", right = "s" },
}
-- bar: a hinged bar if true, a disc on a massless rod if false
scene.params = { beside = 0.001, length = 1.0, rate = 60, bar = true }

-- Return the time of the fall from the angle q0 to 1 rad, the integral of dq / w with w^2 = 2 k^2 (cos q0 - cos q). The
-- substitution q = q0 cosh u makes the integrand smooth.
local function time_of(p, k)
  local q0, steps = p.beside, 2000
  local last, sum = math.log(1 / q0 + math.sqrt(1 / q0 ^ 2 - 1)), 0
  for i = 0, steps - 1 do
    local u = last * (i + 0.5) / steps
    local q = q0 * (math.exp(u) + math.exp(-u)) / 2
    -- w = k sqrt(2 (cos q0 - cos q)), written without cancellation
    local half = math.sqrt(4 * math.sin((q + q0) / 2) * math.sin((q - q0) / 2)) * k
    sum = sum + q0 * (math.exp(u) - math.exp(-u)) / 2 / half * last / steps
  end
  return sum
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, dt = 1 / p.rate }
  local l, c, n = p.length, impel.math.cos(p.beside), impel.math.sin(p.beside)
  local s = { world = world, p = p }
  if p.bar then
    s.body = world:body { position = { -n * l / 2, c * l / 2 }, angle = p.beside }
    s.body:box { 0.05 * l, l }
    world:revolute(world.ground, s.body, { anchor = { 0, 0 } })
    s.k = math.sqrt(s.body.mass * G * l / 2 / (s.body.inertia + s.body.mass * l * l / 4))
  else
    s.body = world:body { position = { -n * l, c * l } }
    s.body:circle { radius = 0.1 * l }
    world:distance(world.ground, s.body, { anchor_a = { 0, 0 } })
    s.k = math.sqrt(G / l)
  end
  return s
end

function scene.update(s)
  local x, y = s.body:position()
  if not s.time and math.atan(-x, y) > 1 then s.time = s.world.time end
end

function scene.measure(s)
  return { time = s.time or math.huge, right = time_of(s.p, s.k), awake = s.body.awake }
end

function scene.check(s)
  local right = time_of(s.p, s.k)
  -- A first-order scheme changes the growth rate k by at most k^2 dt/2. The bound is twice the effect on the time, plus
  -- two steps.
  local bound = right * s.k / s.p.rate + 2 / s.p.rate
  return s.time ~= nil, ("the rod has not fallen after %g s, %.2f expected%s"):format(s.world.time, right,
    s.body.awake and "" or ": asleep"),
    not s.time or math.abs(s.time - right) < bound,
    ("the rod falls through 1 rad after %.3f s, not %.3f"):format(s.time or 0, right)
end

return scene, {
  vary = { beside = { 1e-4, 0.003, 0.1 }, length = { 0.2, 5 }, rate = { 60, 240 }, bar = { false, true } },
  solvers = { "si" }, peers = true,
}
