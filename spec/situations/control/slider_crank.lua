-- A slider-crank under gravity follows its equation of motion. The total force of its bearings follows from Newton's
-- law.
-- Source: textbook, inverse dynamics of the slider-crank.
local impel = require "impel"

local scene = {
  title = "Slider-crank", about = "Motion and bearing forces follow their equations.", duration = 3,
  units = { off = "rad", force_off = "of the largest force" },
}
scene.params = { speed = 4.0, rate = 240.0 }

local CRANK, ROD, START, DELTA = 0.3, 1, 1, 1e-3
local MASS, INERTIA = { 1, 2, 1.5 }, { CRANK ^ 2 / 12, 2 * ROD ^ 2 / 12, 0.01 }

-- Return the poses of crank, rod and piston for a crank angle.
local function poses(q)
  local bx, by = CRANK * impel.math.cos(q), CRANK * impel.math.sin(q)
  local px = bx + math.sqrt(ROD ^ 2 - by * by)
  return { { bx / 2, by / 2, q }, { (bx + px) / 2, by / 2, impel.math.atan(-by, px - bx) }, { px, 0, 0 } }
end

-- Return the first and second derivatives of the poses with respect to the crank angle.
local function derivatives(q)
  local before, now, after, list = poses(q - DELTA), poses(q), poses(q + DELTA), {}
  for i = 1, 3 do
    list[i] = { d = {}, dd = {} }
    for k = 1, 3 do
      list[i].d[k] = (after[i][k] - before[i][k]) / (2 * DELTA)
      list[i].dd[k] = (after[i][k] - 2 * now[i][k] + before[i][k]) / DELTA ^ 2
    end
  end
  return list
end

-- Return q'' and the total force of the bearings. The equation M(q) q'' + M'(q) q'^2 / 2 = -U'(q) gives q'', where M is
-- the inertia and U is the potential energy.
local function acceleration(q, v)
  local m, b, list = 0, 0, derivatives(q)
  for i, body in ipairs(list) do
    local d, dd = body.d, body.dd
    m = m + MASS[i] * (d[1] ^ 2 + d[2] ^ 2) + INERTIA[i] * d[3] ^ 2
    b = b - MASS[i] * 9.81 * d[2] - v * v * (MASS[i] * (d[1] * dd[1] + d[2] * dd[2]) + INERTIA[i] * d[3] * dd[3])
  end
  local a, fx, fy = b / m, 0, 0
  for i, body in ipairs(list) do
    fx = fx + MASS[i] * (body.d[1] * a + body.dd[1] * v * v)
    fy = fy + MASS[i] * (body.d[2] * a + body.dd[2] * v * v + 9.81)
  end
  return a, fx, fy
end

function scene.setup(p)
  local world, list, rates = impel.world { sleep = false, dt = 1 / p.rate }, {}, derivatives(START)
  for i, pose in ipairs(poses(START)) do
    local d = rates[i].d
    list[i] = world:body { position = { pose[1], pose[2] }, angle = pose[3], mass = MASS[i], inertia = INERTIA[i],
      velocity = { d[1] * p.speed, d[2] * p.speed }, angular_velocity = d[3] * p.speed }
  end
  local ax, ay = list[1]:world_point(CRANK / 2, 0)
  local crank = world:revolute(world.ground, list[1], { anchor = { 0, 0 } })
  world:revolute(list[1], list[2], { anchor = { ax, ay } })
  world:revolute(list[2], list[3], {})
  local guide = world:prismatic(world.ground, list[3], { axis = { 1, 0 } })
  return { world = world, p = p, crank = crank, guide = guide, q = START, v = p.speed, off = 0, fastest = 0,
    force_off = 0, largest = 0 }
end

-- Compare the joint readings of the last step with the exact values. x, y: exact force of the bearings in the middle of
-- the step.
local function compare(s, x, y)
  local cx, cy = s.crank:reaction()
  local gx, gy = s.guide:reaction()
  s.off = math.max(s.off, math.abs(s.crank.value + START - s.q))
  s.force_off = math.max(s.force_off, math.sqrt((cx + gx - x) ^ 2 + (cy + gy - y) ^ 2))
  s.largest = math.max(s.largest, math.sqrt(x * x + y * y))
end

function scene.update(s)
  if s.middle then compare(s, s.middle[1], s.middle[2]) end
  s.fastest = math.max(s.fastest, math.abs(s.v))
  local h, q, v = s.world.dt, s.q, s.v -- fourth-order Runge-Kutta
  local a1 = acceleration(q, v)
  local v2 = v + h / 2 * a1
  local a2 = acceleration(q + h / 2 * v, v2)
  local v3 = v + h / 2 * a2
  local a3, x, y = acceleration(q + h / 2 * v2, v3)
  local v4 = v + h * a3
  local a4 = acceleration(q + h * v3, v4)
  s.q, s.v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
  s.middle = { x, y }
end

function scene.measure(s) return { off = s.off, force_off = s.force_off / s.largest } end

function scene.check(s)
  -- In 3 s the error of a first-order scheme grows to several times the motion in a step. The force rotates with the
  -- crank and has the same error.
  local steps = 5 * s.fastest / s.p.rate
  return s.off < steps, ("the crank was off by %.4f rad, %.4f allowed"):format(s.off, steps),
    s.force_off < 2 * steps * s.largest,
    ("the bearings' force was off by %.4f of its maximum, %.4f allowed"):format(s.force_off / s.largest, 2 * steps)
end

return scene, {
  vary = { speed = { 0, 4, 12 }, rate = { 240, 960 } }, solvers = { "acceleration", "reduced", "rattle" },
}
