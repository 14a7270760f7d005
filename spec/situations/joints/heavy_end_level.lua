-- A chain of rigid links with a heavy last link is released level. The chain stretches little, and its energy never
-- grows.
-- Source: matter-js issue 709 (a rope of segments stretches).
local impel = require "impel"

local scene = {
  title = "Heavy end, level", about = "A swinging chain with a heavy end stretches little.", duration = 10,
  units = { stretch = "of the length", gap = "mm", gain = "of the energy" },
}
scene.params = { links = 10, ratio = 100.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local s = { world = world, pins = {}, stretch = 0, gap = 0, gain = 0, length = p.links }
  local last = world.ground
  for i = 1, p.links do
    local link = world:body { position = { i - 0.5, 0 } }
    link:box { 1, 0.2, density = i == p.links and p.ratio or 1, group = -1 }
    s.pins[i] = world:revolute(last, link, { anchor = { i - 1, 0 } })
    last = link
  end
  s.scale = 9.81 * last.mass * p.links
  local k, u = world:energy()
  s.start = k + u
  return s
end

function scene.update(s)
  local k, u = s.world:energy()
  s.gain = math.max(s.gain, (k + u - s.start) / s.scale)
  local open = 0
  for _, pin in ipairs(s.pins) do
    local ax, ay, bx, by = pin:anchors()
    local gap = math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2)
    open, s.gap = open + gap, math.max(s.gap, 1e3 * gap)
  end
  s.stretch = math.max(s.stretch, open / s.length)
end

function scene.measure(s) return { stretch = s.stretch, gap = s.gap, gain = s.gain } end

function scene.check(s)
  -- A hanging chain stretches by 1 %. At the bottom of a swing the tension is 3 m g, and light links whip, so the
  -- bound is 5 %. The energy of a second-order scheme oscillates by (w dt)^2.
  return s.stretch < 0.05, ("the chain stretched by %.3g %%"):format(100 * s.stretch),
    s.gain < 0.01, ("energy rose by %.3g of m g l"):format(s.gain)
end

return scene, {
  vary = { links = { 10, 20 }, ratio = { 10, 100, 1000, 10000 } }, solvers = { "direct", "reduced", "rattle" },
  peers = true,
}
