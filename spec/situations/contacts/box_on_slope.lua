-- A box on a slope stays at rest if its coefficient of friction exceeds the tangent of the slope. Otherwise it slides
-- down with the acceleration g (sin a - mu cos a).
-- Source: matter-js issues 613 and 752 (a box creeps down with any friction), webgl-physics-examples pull request 276
-- (a box that should slide sticks); textbook incline.
local impel = require "impel"

local G = 9.81

local scene = {
  title = "Box on a slope", about = "A box rests on a slope or slides as Coulomb's law predicts.", duration = 11.1,
  units = { path = "of the size", right = "of the size", pull = "of g", right_pull = "of g", turn = "rad" },
}
-- size: height of the box [m]; slope: angle [degrees]; part: tangent of the slope divided by the friction; rate: steps
-- per second [Hz]
scene.params = { size = 1.0, slope = 20.0, part = 1.1, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, sleep = false, dt = 1 / p.rate }
  local a = math.rad(p.slope)
  local c, n = impel.math.cos(a), impel.math.sin(a)
  local size, friction = p.size, n / c / p.part
  world:body { type = "static", angle = -a }:box {
    60 * size, 4 * size, center = { 28 * size, -2 * size }, friction = friction,
  }
  local box = world:body { position = { size / 2 * n, size / 2 * c }, angle = -a }
  box:box { 2 * size, size, friction = friction }
  local s = { world = world, box = box, p = p, c = c, n = n, a = a, friction = friction }
  s.x, s.y = box:position()
  return s
end

-- Record the distance after the time 2 sqrt(size) [s, m], and the mean acceleration in the second half of this time.
function scene.update(s)
  local time, whole = s.world.time, 2 * math.sqrt(s.p.size)
  local vx, vy = s.box:velocity()
  local speed = vx * s.c - vy * s.n
  if not s.half and time > whole / 2 then s.half, s.speed = time, speed end
  if s.path or time < whole then return end
  local x, y = s.box:position()
  s.path, s.time = ((x - s.x) * s.c - (y - s.y) * s.n) / s.p.size, time
  s.pull, s.turn = (speed - s.speed) / (time - s.half) / G, math.abs(s.box.angle + s.a)
end

function scene.measure(s)
  local pull = math.max(0, s.n - s.friction * s.c) -- expected acceleration, in units of g
  return {
    path = s.path, right = pull * G * s.time ^ 2 / 2 / s.p.size, pull = s.pull, right_pull = pull, turn = s.turn,
  }
end

function scene.check(s)
  local now = scene.measure(s)
  -- A box at rest may move by 0.2 % of its size. A sliding box may start a step late or early.
  local start = s.p.part > 1 and G * s.n / s.p.rate * s.time / s.p.size or 0
  local bound = start + 2e-3 * math.max(1, now.right)
  return math.abs(now.path - now.right) < bound, ("the box went %.4f sizes, not %.4f"):format(now.path, now.right),
    math.abs(now.pull - now.right_pull) < 2e-3, -- Coulomb's law is exact; the bound is 0.2 % of g
    ("the box accelerates with %.4f g, not %.4f"):format(now.pull, now.right_pull),
    now.turn < 0.006 / math.max(s.p.size, 0.1),
    -- The bound is an overlap of 6 mm (slop plus 1 mm) at one end of the box.
    ("the box turned by %.4f rad"):format(now.turn)
end

return scene, {
  vary = { size = { 0.01, 1, 30 }, slope = { 10, 40 }, part = { 0.95, 1.05, 2 }, rate = { 30, 240 } },
  solvers = { "si" }, peers = true,
}
