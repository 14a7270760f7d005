-- A large disc and a small disc close above it fall on a floor. The large disc hits first the floor, then the small
-- disc. The small disc rises to the height that follows from these two impacts.
-- Source: matter.js issue 361 (momentum is not transferred); edyn pull request 49 (an impulse through a row of bodies);
-- textbook stacked-ball drop.
local impel = require "impel"

local scene = {
  title = "Stacked-ball drop", about = "A large disc throws a small disc above it upwards.", duration = 2,
  units = { rise = "m", gain = "J" },
}
scene.params = { gap = 0.05, ratio = { 3.0, min = 3 }, restitution = 1.0, rate = 60 } -- gap [m], rate [Hz]
-- ratio: mass of the lower disc divided by that of the upper disc. With a ratio below 3 the discs hit each other twice.

local LARGE, SMALL, HEIGHT = 0.5, 0.2, 1 -- radii, initial height of the lower disc's lowest point [m]

function scene.setup(p)
  local world = impel.world { dt = 1 / p.rate, sleep = false }
  local function disc(y, radius, mass)
    local body = world:body { position = { 0, y }, mass = mass }
    body:circle { radius = radius, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
    return body
  end
  local floor = world:body { type = "static" }
  floor:box { 20, 1, center = { 0, -0.5 }, friction = 0, restitution = p.restitution, restitution_threshold = 0 }
  disc(HEIGHT + LARGE, LARGE, p.ratio)
  local upper = disc(HEIGHT + 2 * LARGE + p.gap + SMALL, SMALL, 1)
  return { world = world, upper = upper, p = p, top = 0 }
end

function scene.update(s)
  local _, y = s.upper:position()
  local _, vy = s.upper:velocity()
  s.hit = s.hit or vy > 0
  if s.hit then s.top = math.max(s.top, y) end
  local kinetic, potential = s.world:energy()
  s.start = s.start or kinetic + potential
  s.gain = math.max(s.gain or 0, kinetic + potential - s.start)
end

function scene.measure(s) return { rise = s.top, gain = s.gain } end

function scene.check(s)
  local e, m, gap, v = s.p.restitution, s.p.ratio, s.p.gap, math.sqrt(2 * 9.81 * HEIGHT)
  -- The lower disc leaves the floor at e v, so the discs approach each other at (1 + e) v. Newton's rule gives the
  -- speeds after the second impact.
  local time = gap / ((1 + e) * v)
  local below, above = e * v - 9.81 * time, -v - 9.81 * time
  local up = (m * below + above + e * m * (below - above)) / (m + 1)
  local right = 2 * LARGE + SMALL + e * v * time - 9.81 * time ^ 2 / 2 + up ^ 2 / (2 * 9.81)
  -- An error of g dt in the speed of an impact changes the height by v dt, for each of the two impacts. The bound adds
  -- 1 %.
  local bound = 2 * up / s.p.rate + 0.01 * right
  return math.abs(s.top - right) < bound, ("the upper disc rises to %.3f m, not %.3f"):format(s.top, right),
    -- In a flight the energy oscillates by m g v dt/2. The bound adds 1 %.
    s.gain < 0.01 * s.start + (m + 1) * 9.81 * up / s.p.rate / 2, ("the energy rises by %.3f J"):format(s.gain)
end

return scene, {
  vary = { gap = { 0.0005, 0.005, 0.05 }, ratio = { 3, 10 }, restitution = { 0.8, 1 }, rate = { 60, 240 } },
  solvers = { "si", "direct" }, peers = true,
}
