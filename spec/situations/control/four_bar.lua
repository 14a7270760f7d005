-- A four-bar linkage under gravity follows its equation of motion for the crank angle.
-- Source: textbook, Lagrange's equation of one degree of freedom; joint solvers drift in loops.
local impel = require "impel"

local scene = {
  title = "Four-bar", about = "A four-bar linkage follows its equation of motion.", duration = 3,
  units = { off = "rad", fastest = "rad/s", open = "m" },
}
scene.params = { speed = 5.0, rate = 240.0 }

local BASE, CRANK, COUPLER, ROCKER, THICK, START, DELTA = 2, 0.5, 1.8, 1.2, 0.1, 1, 1e-3

-- Return the two ends of the coupler for a crank angle.
local function ends(q)
  local bx, by = CRANK * impel.math.cos(q), CRANK * impel.math.sin(q)
  local dx, dy = BASE - bx, -by
  local d = math.sqrt(dx * dx + dy * dy)
  local along = (d * d + COUPLER ^ 2 - ROCKER ^ 2) / (2 * d)
  local up = math.sqrt(COUPLER ^ 2 - along ^ 2)
  return bx, by, bx + (along * dx - up * dy) / d, by + (along * dy + up * dx) / d
end

-- Return the poses of the three bars: x, y, angle, length.
local function bars(q)
  local bx, by, cx, cy = ends(q)
  return { { bx / 2, by / 2, q, CRANK }, { (bx + cx) / 2, (by + cy) / 2, impel.math.atan(cy - by, cx - bx), COUPLER },
    { (BASE + cx) / 2, cy / 2, impel.math.atan(cy, cx - BASE), ROCKER } }
end

-- Return first and second derivatives of the poses with respect to the crank angle.
local function derivatives(q)
  local before, now, after, list = bars(q - DELTA), bars(q), bars(q + DELTA), {}
  for i = 1, 3 do
    list[i] = { mass = now[i][4] * THICK, d = {}, dd = {} }
    list[i].inertia = list[i].mass * (now[i][4] ^ 2 + THICK ^ 2) / 12
    for k = 1, 3 do
      local function near(value) -- the value, modulo whole turns, that is nearest to the current angle
        return k < 3 and value or value - 2 * math.pi * math.floor((value - now[i][k]) / (2 * math.pi) + 0.5)
      end
      local b, a = near(before[i][k]), near(after[i][k])
      list[i].d[k], list[i].dd[k] = (a - b) / (2 * DELTA), (a - 2 * now[i][k] + b) / DELTA ^ 2
    end
  end
  return list
end

-- Return q'' from M(q) q'' + M'(q) q'^2 / 2 = -U'(q).
local function acceleration(q, v)
  local m, b = 0, 0
  for _, bar in ipairs(derivatives(q)) do
    local d, dd = bar.d, bar.dd
    m = m + bar.mass * (d[1] ^ 2 + d[2] ^ 2) + bar.inertia * d[3] ^ 2
    b = b - bar.mass * 9.81 * d[2] - v * v * (bar.mass * (d[1] * dd[1] + d[2] * dd[2]) + bar.inertia * d[3] * dd[3])
  end
  return b / m
end

function scene.setup(p)
  local world, list, rates = impel.world { sleep = false, dt = 1 / p.rate }, {}, derivatives(START)
  for i, bar in ipairs(bars(START)) do
    local d = rates[i].d
    list[i] = world:body { position = { bar[1], bar[2] }, angle = bar[3], velocity = { d[1] * p.speed, d[2] * p.speed },
      angular_velocity = d[3] * p.speed }
    list[i]:box { bar[4], THICK, group = -1 }
  end
  local bx, by, cx, cy = ends(START)
  local crank = world:revolute(world.ground, list[1], { anchor = { 0, 0 } })
  world:revolute(list[1], list[2], { anchor = { bx, by } })
  world:revolute(list[2], list[3], { anchor = { cx, cy } })
  world:revolute(world.ground, list[3], { anchor = { BASE, 0 } })
  return { world = world, p = p, crank = crank, q = START, v = p.speed, off = 0, fastest = 0, open = 0 }
end

function scene.update(s)
  -- Other engines may wrap the angle, so take the difference modulo a turn.
  local off = s.crank.value + START - s.q
  s.off = math.max(s.off, math.abs(off - 2 * math.pi * math.floor(off / (2 * math.pi) + 0.5)))
  s.fastest = math.max(s.fastest, math.abs(s.v))
  for joint in s.world:joints() do
    local ax, ay, bx, by = joint:anchors()
    s.open = math.max(s.open, math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2))
  end
  local h, q, v = s.world.dt, s.q, s.v -- fourth-order Runge-Kutta
  local a1 = acceleration(q, v)
  local v2 = v + h / 2 * a1
  local a2 = acceleration(q + h / 2 * v, v2)
  local v3 = v + h / 2 * a2
  local a3 = acceleration(q + h / 2 * v2, v3)
  local v4 = v + h * a3
  local a4 = acceleration(q + h * v3, v4)
  s.q, s.v = q + h / 6 * (v + 2 * v2 + 2 * v3 + v4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
end

function scene.measure(s) return { off = s.off, fastest = s.fastest, open = s.open } end

function scene.check(s)
  -- In 3 s the error of a first-order scheme grows to several times the motion in a step.
  local bound = 5 * s.fastest / s.p.rate
  return s.off < bound, ("the crank was off by %.4f rad, %.4f allowed"):format(s.off, bound),
    s.open < 0.005, ("the two anchors of a joint were %.2g m apart"):format(s.open) -- 1 % of the crank's length
end

return scene, {
  vary = { speed = { 0, 5, 15 }, rate = { 240, 960 } }, solvers = { "direct", "reduced", "rattle" }, peers = true,
}
