-- Bodies on several joints: pulleys, chains, bars.
local oracle = require "truth.oracle"
local plan = require "truth.plan"

local G = oracle.G
local GIVE = "its locks are springs on a row's effective mass m_C: each yields by F / (m_C w^2), w = 2 pi * 60 rad/s; "
  .. "a chain of ten links, 5 m long, becomes 20.8 mm longer, with 8 substeps a quarter of that"


local atwood = { title = "Atwood",
  measured = "3 and 2 kg on one rope over two wheels: the larger relative error of the two displacements after 1 s",
  against = "a = g (m1 - m2) / (m1 + m2)",
  shared = "it takes one step where `soft` takes four substeps, and the error of symplectic Euler is proportional to "
    .. "the step" }

function atwood.measure(run)
  local p = plan.new { seconds = 1 }
  local heavy, light = p:body { position = { -1, 0 }, mass = 3 }, p:body { position = { 1, 0 }, mass = 2 }
  p:pulley(heavy, light, -1, 5, 1, 5, -1, 0, 1, 0)
  local trace = run(p)
  local last = trace[#trace]
  local way = G / 5 * last.t ^ 2 / 2
  return math.max(oracle.relative(last[1].y, -way), oracle.relative(last[2].y, way))
end


-- A chain of equal rods between two hinges. Each rod has the direction of the tension at its centre. From rod to rod
-- the vertical part of the tension grows by a rod's weight.
local catenary = { title = "catenary",
  measured = "20 rods of 0.25 m between hinges 4 m apart, released on an arc, damped at 1 / s: the largest error of "
    .. "a joint's position after 30 s / the span",
  against = "the equilibrium of 20 rods",
  reasons = { soft = GIVE,
    si = "10 sweeps do not solve 42 rows, and the chain never comes to rest; the error is 0.002 with 30 sweeps, 2e-9 "
      .. "with 100" } }

local LINKS, LENGTH, SPAN = 20, 0.25, 4

-- Return the positions of the joints from the left hinge on, for links with the angles tilt(link).
local function joints_of(tilt)
  local x, y, points = 0, 0, { [0] = { 0, 0 } }
  for i = 1, LINKS do
    x, y = x + LENGTH * math.cos(tilt(i)), y + LENGTH * math.sin(tilt(i))
    points[i] = { x, y }
  end
  return points
end

function catenary.measure(run)
  local middle = (LINKS + 1) / 2
  -- Horizontal part of the tension, in weights of a link: bisection finds the value at which the chain spans SPAN.
  local level = oracle.root(function(h)
    return joints_of(function(i) return math.atan((i - middle) / h) end)[LINKS][1] - SPAN
  end, 1e-3, 1e3)
  local exact = joints_of(function(i) return math.atan((i - middle) / level) end)
  -- Initial pose: chords of an arc. Bisection finds the angle `turn` between links at which the chain spans SPAN.
  local turn = oracle.root(function(a)
    return SPAN - joints_of(function(i) return (i - middle) * a end)[LINKS][1]
  end, 1e-3, math.pi / LINKS)
  local start = joints_of(function(i) return (i - middle) * turn end)
  local p = plan.new { seconds = 30, damping = 1 }
  for i = 1, LINKS do
    local a, b = start[i - 1], start[i]
    local link = p:body { position = { (a[1] + b[1]) / 2, (a[2] + b[2]) / 2 }, angle = (i - middle) * turn,
      mass = LENGTH, inertia = LENGTH ^ 3 / 12 }
    p:revolute(link - 1, link, a[1], a[2])
  end
  p:revolute(0, LINKS, SPAN, 0)
  local trace = run(p)
  local worst = 0
  for i, link in ipairs(trace[#trace]) do
    for side = -1, 1, 2 do
      local at = exact[side < 0 and i - 1 or i]
      local dx = link.x + side * LENGTH / 2 * math.cos(link.angle) - at[1]
      local dy = link.y + side * LENGTH / 2 * math.sin(link.angle) - at[2]
      local off = math.sqrt(dx ^ 2 + dy ^ 2) / SPAN
      if off ~= off then return off end -- NaN
      worst = math.max(worst, off)
    end
  end
  return worst
end


local TOO_FEW = "10 sweeps are too few for ten links that carry ten times a link's mass; with 30 the error is 3e-5"

-- Build and run a chain of ten links of 1 kg and 0.5 m that hangs with 10 kg at its end.
local function chain(run)
  local count, length, load = 10, 0.5, 10
  local p = plan.new { seconds = 10 }
  for i = 1, count do
    local link = p:body { position = { 0, -(i - 0.5) * length }, mass = 1, inertia = length ^ 2 / 12 }
    p:revolute(link - 1, link, 0, -(i - 1) * length)
  end
  p:body { position = { 0, -count * length }, mass = load, inertia = load * 0.1 ^ 2 / 2 }
  p:revolute(count, count + 1, 0, -count * length)
  local trace = run(p)
  return trace[#trace], count, length, load
end

local tensions = { title = "chain tensions",
  measured = "ten links of 1 kg, 10 kg at the end: the largest relative error of a joint's force after 10 s",
  against = "the weight below",
  reasons = { si = TOO_FEW } }

function tensions.measure(run)
  local last, count, _, load = chain(run)
  local worst = 0
  for i = 1, count + 1 do worst = math.max(worst, oracle.relative(last.forces[i], (load + count + 1 - i) * G)) end
  return worst
end

local stretch = { title = "chain length",
  measured = "the same chain: the relative error of the load's depth",
  against = "10 links of 0.5 m", reasons = { soft = GIVE, si = TOO_FEW } }

function stretch.measure(run)
  local last, count, length = chain(run)
  return oracle.relative(last[count + 1].y, -count * length)
end


-- Statics of a four-bar with a locked crank. The balance of moments of the coupler and of the rocker, each about its
-- end away from their common hinge, gives the force at this hinge.
local four_bar = { title = "four-bar reactions",
  measured = "bars of 0.5, 1.8, 1.2 m on hinges 2 m apart, 1 kg per metre, the crank held at 60 degrees: the largest "
    .. "relative error of the four hinges' forces after 5 s",
  against = "statics",
  reasons = { xpbd = "two sweeps without warm start do not hold the crank: it sinks at 0.06 rad/s, so the forces are "
    .. "those of another pose; with 20 sweeps the error is 5e-5" } }

function four_bar.measure(run)
  local crank, coupler, rocker, ground, angle = 0.5, 1.8, 1.2, 2, math.rad(60)
  local bx, by = crank * math.cos(angle), crank * math.sin(angle)
  local dx, dy = ground - bx, -by
  local d = math.sqrt(dx ^ 2 + dy ^ 2)
  local along = (d ^ 2 + coupler ^ 2 - rocker ^ 2) / (2 * d)
  local up = math.sqrt(coupler ^ 2 - along ^ 2)
  local cx, cy = bx + (along * dx - up * dy) / d, by + (along * dy + up * dx) / d

  local p = plan.new { seconds = 5 }
  local function bar(x1, y1, x2, y2, length)
    return p:body { position = { (x1 + x2) / 2, (y1 + y2) / 2 }, angle = math.atan(y2 - y1, x2 - x1), mass = length,
      inertia = length ^ 3 / 12 }
  end
  local first, second = bar(0, 0, bx, by, crank), bar(bx, by, cx, cy, coupler)
  local third = bar(ground, 0, cx, cy, rocker)
  p:revolute(0, first, 0, 0, 1000) -- a motor of speed 0 locks the crank
  p:revolute(first, second, bx, by)
  p:revolute(second, third, cx, cy)
  p:revolute(0, third, ground, 0)

  -- The rocker exerts the force (fx, fy) on the coupler. The balance of moments gives this force: of the coupler about
  -- the hinge with the crank, and of the rocker about the hinge on the ground.
  local x1, y1, x2, y2 = cx - bx, cy - by, cx - ground, cy
  local moment1, moment2 = coupler * G * x1 / 2, -rocker * G * x2 / 2 -- each moment equals x fy - y fx
  local det = x1 * y2 - x2 * y1
  local fx, fy = (moment1 * x2 - moment2 * x1) / det, (moment1 * y2 - moment2 * y1) / det
  local function size(x, y) return math.sqrt(x ^ 2 + y ^ 2) end
  local expected = { size(fx, (crank + coupler) * G - fy), size(fx, coupler * G - fy), size(fx, fy),
    size(fx, fy + rocker * G) }

  local trace = run(p)
  local worst = 0
  for i, force in ipairs(trace[#trace].forces) do worst = math.max(worst, oracle.relative(force, expected[i])) end
  return worst
end


return { atwood, catenary, tensions, stretch, four_bar }
