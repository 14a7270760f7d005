-- Bodies in contact: bounces, friction, rolling, impacts.
local oracle = require "truth.oracle"
local plan = require "truth.plan"

local G = oracle.G
local ONE_STEP = "it takes one step where `soft` takes four substeps, and the error of symplectic Euler is "
  .. "proportional to the step"

local function disc_inertia(mass, radius) return mass * radius ^ 2 / 2 end
local function box_inertia(mass, width, height) return mass * (width ^ 2 + height ^ 2) / 12 end


local bounce = { title = "bounce heights",
  measured = "a ball with restitution 0.8 dropped from 5 m: the largest relative error of the next four heights",
  against = "h e^(2 k)",
  reasons = { reduced = "a bounce starts from an overlap, as in `si`; symplectic Euler in `si` compensates a part of "
    .. "this error in flight, the exact parabola in `reduced` does not" } }

function bounce.measure(run)
  local radius, height, e = 0.5, 5, 0.8
  local p = plan.new { seconds = 7 }
  local ball = p:body { position = { 0, height + radius }, mass = 1, inertia = disc_inertia(1, radius) }
  p:circle(ball, { radius = radius, restitution = e })
  p:box(0, { width = 10, height = 1, at = { 0, -0.5 }, restitution = e })
  local trace, heights = run(p), {}
  for i = 3, #trace do
    local y, before, now = trace[i - 1][1].y, trace[i - 2][1].y, trace[i][1].y
    if y > before and y >= now then heights[#heights + 1] = y - radius end
  end
  local worst = 0
  for k = 1, 4 do
    worst = math.max(worst, heights[k] and oracle.relative(heights[k], height * e ^ (2 * k)) or math.huge)
  end
  return worst
end


local stop = { title = "sliding stop",
  measured = "a box with friction 0.4 that slides at 6 m/s: the relative error of its stopping distance",
  against = "v^2 / (2 mu g)", shared = ONE_STEP }

function stop.measure(run)
  local mu, speed = 0.4, 6
  local p = plan.new { seconds = 3 }
  local box = p:body { position = { 0, 0.25 }, velocity = { speed, 0 }, mass = 1, inertia = box_inertia(1, 1, 0.5) }
  p:box(box, { width = 1, height = 0.5, friction = mu })
  p:box(0, { width = 40, height = 1, at = { 0, -0.5 }, friction = mu })
  local trace = run(p)
  return oracle.relative(trace[#trace][1].x, speed ^ 2 / (2 * mu * G))
end


-- Return the position of a body on a slope that falls towards +x. `height`: distance of the body's centre from the
-- slope.
local function on_slope(x, angle, height) return { x + height * math.sin(angle), height * math.cos(angle) } end

local function add_slope(p, x, angle, length, friction)
  p:box(0, { width = length, height = 0.2, at = on_slope(x, angle, -0.1), turn = -angle, friction = friction })
end

local slip = { title = "slip angle",
  measured = "a box on each of 20 slopes, 0.02 degrees apart: the error of the mean of the steepest slope on which a "
    .. "box stays and the flattest on which it slides (farther in 3 s than half the path at 0.01 degrees above the "
    .. "exact angle)",
  against = "tan = mu = 0.5", unit = "degrees", factor = 180 / math.pi }

function slip.measure(run)
  local mu, count, pitch = 0.5, 20, math.rad(0.02)
  local critical = math.atan(mu)
  local p, angles = plan.new { seconds = 4 }, {}
  for i = 1, count do
    local x = 10 * i
    angles[i] = critical + (i - (count + 1) / 2) * pitch
    add_slope(p, x, angles[i], 6, mu)
    local box = p:body { position = on_slope(x, angles[i], 0.125), angle = -angles[i], mass = 1,
      inertia = box_inertia(1, 0.5, 0.25) }
    p:box(box, { width = 0.5, height = 0.25, friction = mu })
  end
  local trace = run(p)
  local first, last = trace[61], trace[#trace]
  local least = angles[count // 2 + 1]
  local way = G * (math.sin(least) - mu * math.cos(least)) * (last.t ^ 2 - first.t ^ 2) / 2
  local stays, slides = critical - count * pitch, critical + count * pitch
  for i = 1, count do
    local a, b = first[i], last[i]
    if math.sqrt((b.x - a.x) ^ 2 + (b.y - a.y) ^ 2) < way / 2 then
      stays = math.max(stays, angles[i])
    else
      slides = math.min(slides, angles[i])
    end
  end
  return math.abs((stays + slides) / 2 - critical)
end


local rolling = { title = "rolling disc",
  measured = "a disc on a slope of 20 degrees, friction 0.6: the relative error of the distance after 3 s",
  against = "a = 2/3 g sin", shared = ONE_STEP }

function rolling.measure(run)
  local angle, radius = math.rad(20), 0.5
  local p = plan.new { seconds = 3 }
  add_slope(p, 0, angle, 40, 0.6)
  local start = on_slope(0, angle, radius)
  local disc = p:body { position = start, mass = 1, inertia = disc_inertia(1, radius) }
  p:circle(disc, { radius = radius, friction = 0.6 })
  local trace = run(p)
  local last = trace[#trace]
  local way = (last[1].x - start[1]) * math.cos(angle) - (last[1].y - start[2]) * math.sin(angle)
  return oracle.relative(way, G * math.sin(angle) / 3 * last.t ^ 2)
end


-- Collide two discs of radius 0.5 m without gravity and friction; return the last sample.
local function collide(run, masses, restitution, at, velocities)
  local p = plan.new { seconds = 2, gravity = 0 }
  for i, m in ipairs(masses) do
    local disc = p:body { position = at[i], velocity = velocities[i], mass = m, inertia = disc_inertia(m, 0.5) }
    p:circle(disc, { radius = 0.5, restitution = restitution })
  end
  local trace = run(p)
  return trace[#trace]
end

-- Collide discs of 1 and 3 kg at 4 and -1 m/s along x. Return the relative error against Newton's law of impact.
local function head_on(run, restitution)
  local m1, m2, u1, u2 = 1, 3, 4, -1
  local last = collide(run, { m1, m2 }, restitution, { { -2, 0 }, { 1, 0 } }, { { u1, 0 }, { u2, 0 } })
  local impulse = (1 + restitution) * (u1 - u2) / (1 / m1 + 1 / m2)
  return math.max(math.abs(last[1].vx - u1 + impulse / m1), math.abs(last[2].vx - u2 - impulse / m2),
    math.abs(last[1].vy), math.abs(last[2].vy)) / (u1 - u2)
end

local elastic = { title = "elastic pair",
  measured = "discs of 1 and 3 kg, head on: the largest error of a velocity after the impact / their relative speed",
  against = "conserved momentum and energy" }

function elastic.measure(run) return head_on(run, 1) end

local inelastic = { title = "inelastic pair",
  measured = "the same discs with restitution 0",
  against = "conserved momentum and a common velocity" }

function inelastic.measure(run) return head_on(run, 0) end


local oblique = { title = "elastic pair, oblique",
  measured = "a disc hits an equal one at rest, off centre by half a diameter: the largest error of a velocity / the "
    .. "initial speed",
  against = "the discs exchange their velocities along the line of centres and keep those across it",
  shared = "the impact is solved when the discs already overlap, and by then their normal has rotated" }

function oblique.measure(run)
  local speed, off = 4, 0.5
  local last = collide(run, { 1, 1 }, 1, { { -3, off }, { 0, 0 } }, { { speed, 0 }, { 0, 0 } })
  local nx, ny = math.sqrt(1 - off ^ 2), -off -- unit normal at the contact, from the first disc to the second
  local along = speed * nx
  return math.max(math.abs(last[1].vx - speed + along * nx), math.abs(last[1].vy + along * ny),
    math.abs(last[2].vx - along * nx), math.abs(last[2].vy - along * ny)) / speed
end


local cradle = { title = "cradle",
  measured = "five equal balls, 50 mm apart, the first moves at 2 m/s: the largest error of a final velocity / 2 m/s",
  against = "the last ball leaves at 2 m/s, the others are at rest" }

function cradle.measure(run)
  local speed, radius, count, gap = 2, 0.25, 5, 0.05
  local p = plan.new { seconds = 3, gravity = 0 }
  for i = 1, count do
    local ball = p:body { position = { i * (2 * radius + gap) - (i == 1 and 1 or 0), 0 },
      velocity = { i == 1 and speed or 0, 0 }, mass = 1, inertia = disc_inertia(1, radius) }
    p:circle(ball, { radius = radius, restitution = 1 })
  end
  local trace = run(p)
  local worst = 0
  for i, ball in ipairs(trace[#trace]) do
    worst = math.max(worst, math.abs(ball.vx - (i == count and speed or 0)), math.abs(ball.vy))
  end
  return worst / speed
end


-- Play a box that slides to rest, and a pendulum, with all lengths and gravity multiplied by `unit`. Return the box's
-- distance, the pendulum's angle and the box's height after 3 s. A power of two as the unit does not change the
-- rounding of doubles and floats.
local function scaled(run, unit)
  local p = plan.new { seconds = 3, gravity = G * unit }
  local mu = 0.4
  local box = p:body { position = { 5 * unit, 0.25 * unit }, velocity = { 6 * unit, 0 }, mass = 1,
    inertia = box_inertia(1, unit, 0.5 * unit) }
  p:box(box, { width = unit, height = 0.5 * unit, friction = mu })
  p:box(0, { width = 40 * unit, height = unit, at = { 0, -0.5 * unit }, friction = mu })
  local bob = p:body { position = { -unit, 3 * unit }, mass = 1, inertia = disc_inertia(1, 0.1 * unit) }
  p:revolute(0, bob, -2 * unit, 3 * unit)
  local trace = run(p)
  local last = trace[#trace]
  return last[1].x / unit - 5, last[2].angle, last[1].y / unit
end

-- Return the larger value of f for the units 1/256 and 256. The arguments of f are the results of `scaled` for the unit
-- 1, then its results for the unit 1/256 or 256.
local function worst_scaled(run, f)
  local way, angle, height = scaled(run, 1)
  local worst = 0
  for _, unit in ipairs { 1 / 256, 256 } do worst = math.max(worst, f(way, angle, height, scaled(run, unit))) end
  return worst
end

local scale_motion = { title = "unit scale, motion",
  measured = "a box that slides to rest and a pendulum, with all lengths and g scaled by 1/256 and by 256: the "
    .. "largest relative difference of distance and angle after 3 s",
  against = "the run at the original size" }

function scale_motion.measure(run)
  return worst_scaled(run, function(way, angle, _, other_way, other_angle)
    return math.max(oracle.relative(other_way, way), oracle.relative(other_angle, angle))
  end)
end

local scale_rest = { title = "unit scale, rest",
  measured = "the same box: the largest difference of its penetration depth / its height",
  against = "the run at the original size" }

function scale_rest.measure(run)
  return worst_scaled(run, function(_, _, height, _, _, other_height) return math.abs(other_height - height) / 0.5 end)
end


return { bounce, stop, slip, rolling, elastic, inelastic, oblique, cradle, scale_motion, scale_rest }
