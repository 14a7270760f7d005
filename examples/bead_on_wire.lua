-- Beads on a bent wire, Huygens' cycloid: every swing takes the same time, whatever its amplitude.
local impel = require "impel"
local m = impel.math

local scene = {
  title = "Bead on a wire",
  about = "A Lua function of a point defines the wire: it is 0 on the wire. The engine computes the derivatives of the "
    .. "function, even through the Newton steps that invert the cycloid. All beads pass the bottom at the same time. "
    .. "On a circle (--set circle=true) they do not.",
  duration = 10, -- [s]
  view = { x = 0, y = 0.5, height = 2 },
}

scene.params = {
  radius = { 0.5, min = 0.1, max = 2, help = "radius of the rolling wheel whose rim point draws the cycloid [m]" },
  beads = { 5, integer = true, min = 2, max = 20, help = "number of beads, each on its own wire" },
  highest = { 0.9, min = 0.1, max = 0.95, help = "amplitude of the last bead, as a fraction of the distance from the "
    .. "bottom to the cusp" },
  circle = { false, help = "true: each wire is a circle with the curvature of the cycloid's bottom; on a circle, "
    .. "larger swings take longer" },
}

local G = 9.81 -- [m/s^2]

-- Cycloid: x = r (phi + sin phi), y = r (1 - cos phi). Newton's method finds phi from x: starting from
-- x / (2 r) it never overshoots, and eight steps suffice up to |phi| = 2.5.
local function cycloid(r)
  return function(p)
    local x = p.x / r
    local phi = x / 2
    for _ = 1, 8 do phi = phi - (phi + m.sin(phi) - x) / (1 + m.cos(phi)) end
    return p.y - r * (1 - m.cos(phi))
  end
end

-- A circle of radius 4 r, the cycloid's radius of curvature at the bottom.
local function circle(r)
  return function(p) return p.y - 4 * r + m.sqrt(16 * r ^ 2 - p.x ^ 2) end
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false }
  local r = p.radius
  local beads = {}
  for i = 1, p.beads do
    -- With the arc length s = 4 r sin(phi / 2) from the bottom, y = s^2 / (8 r): s oscillates harmonically.
    local phi = 2 * math.asin(p.highest * i / p.beads)
    local x, y = r * (phi + math.sin(phi)), r * (1 - math.cos(phi))
    if p.circle then y = 4 * r - math.sqrt(16 * r ^ 2 - x ^ 2) end
    local body = world:body { type = "particle", mass = 1, position = { x, y } }
    body:circle { radius = 0.03, mask = 0 } -- for display; mask 0: collides with nothing
    local wire = world:constraint(body, { C = p.circle and circle(r) or cycloid(r) })
    beads[i] = { body = body, wire = wire, x = x, passes = 0 }
  end
  -- period of a pendulum of length 4 r: 2 pi sqrt(4 r / g)
  return { world = world, p = p, beads = beads, period = 4 * math.pi * math.sqrt(r / G) }
end

-- Before every step: when a bead has passed the bottom, record the interpolated time.
function scene.update(s, dt)
  for _, bead in ipairs(s.beads) do
    local x = bead.body:position()
    if x * bead.x < 0 then
      local time = s.world.time - dt * x / (x - bead.x)
      bead.first = bead.first or time
      bead.last, bead.passes = time, bead.passes + 1
    end
    bead.x = x
  end
end

-- Return the period of a bead [s], or nil if the bead has not passed the lowest point twice.
local function period(bead)
  return bead.passes > 1 and 2 * (bead.last - bead.first) / (bead.passes - 1) or nil
end

function scene.measure(s)
  local kinetic, potential = s.world:energy()
  local row = { energy = kinetic + potential }
  for i, bead in ipairs(s.beads) do row[("x%02d"):format(i)] = bead.body:position() end
  return row
end

function scene.check(s)
  local worst, which, off = 0, 1, 0
  for i, bead in ipairs(s.beads) do
    local time = period(bead)
    if not time then return false, ("bead %d has not swung yet"):format(i) end
    local error = time / s.period - 1
    if math.abs(error) > math.abs(worst) then worst, which = error, i end
    off = math.max(off, math.abs(bead.wire.value))
  end
  return math.abs(worst) < 0.005, ("the period of bead %d is %.4f s, %.4f expected"):format(which,
      s.period * (1 + worst), s.period),
    off < 1e-3, ("a bead is %.2f mm off its wire, less than 1 mm expected"):format(1e3 * off)
end

-- Draw the wire.
function scene.draw(s, view)
  local points, r = {}, s.p.radius
  for i = -60, 60 do
    local phi = math.pi * i / 60
    local x, y = r * (phi + math.sin(phi)), r * (1 - math.cos(phi))
    if s.p.circle then y = 4 * r - math.sqrt(16 * r ^ 2 - x ^ 2) end
    points[#points + 1] = { x, y }
  end
  view:polyline(points, "grey")
end

return scene
