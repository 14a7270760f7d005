-- A chain with a heavy last link is thrown with a spin. Its joints stay closed, its centre of mass follows the
-- parabola, and its energy never grows.
-- Source: textbook, a body thrown.
local impel = require "impel"

local scene = {
  title = "Heavy end, thrown", about = "A chain thrown with a spin stays straight.", duration = 3,
  units = { stretch = "of the length", gap = "mm", gain = "of the energy", miss = "m" },
}
scene.params = { links = 10, ratio = 100.0, spin = 3.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local s = { world = world, links = {}, pins = {}, stretch = 0, gap = 0, gain = 0, miss = 0, length = p.links }
  local mass, moment = 0, 0
  for i = 1, p.links do
    local link = world:body { position = { i - 0.5, 0 } }
    link:box { 1, 0.2, density = i == p.links and p.ratio or 1, group = -1 }
    if i > 1 then s.pins[i - 1] = world:revolute(s.links[i - 1], link, { anchor = { i - 1, 0 } }) end
    s.links[i] = link
    mass, moment = mass + link.mass, moment + link.mass * (i - 0.5)
  end
  s.mass, s.x = mass, moment / mass
  for i, link in ipairs(s.links) do
    link:set_velocity(2, 10 + p.spin * (i - 0.5 - s.x))
    link.angular_velocity = p.spin
  end
  local k, u = world:energy()
  s.start, s.scale = k + u, k
  return s
end

function scene.update(s)
  local k, u = s.world:energy()
  s.gain = math.max(s.gain, (k + u - s.start) / s.scale)
  local open, x, y, t = 0, 0, 0, s.world.time
  for _, pin in ipairs(s.pins) do
    local ax, ay, bx, by = pin:anchors()
    local gap = math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2)
    open, s.gap = open + gap, math.max(s.gap, 1e3 * gap)
  end
  for _, link in ipairs(s.links) do
    local lx, ly = link:position()
    x, y = x + link.mass * lx / s.mass, y + link.mass * ly / s.mass
  end
  s.stretch = math.max(s.stretch, open / s.length)
  s.miss = math.max(s.miss, math.abs(x - s.x - 2 * t), math.abs(y - 10 * t + 9.81 / 2 * t * t))
end

function scene.measure(s) return { stretch = s.stretch, gap = s.gap, gain = s.gain, miss = s.miss } end

function scene.check(s)
  -- In free flight the chain carries only the centripetal force of its light links. The bound of 5 % is that of
  -- heavy_end_level.lua. The energy of a second-order scheme oscillates by (w dt)^2.
  return s.stretch < 0.05, ("the chain stretched by %.3g %%"):format(100 * s.stretch),
    s.gain < 0.01, ("the energy rose by %.3g of the initial kinetic energy"):format(s.gain),
    -- Error of a first-order scheme: g t dt / 2 = 0.25 m.
    s.miss < 0.26,
    ("the chain's centre of mass is %.3g m off the parabola"):format(s.miss)
end

return scene, {
  vary = { links = { 10, 20 }, ratio = { 10, 100, 1000, 10000 } }, solvers = { "direct", "reduced" }, peers = true,
}
