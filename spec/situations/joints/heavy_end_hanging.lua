-- A chain of rigid links with a heavy last link hangs at rest without stretch. Its energy does not grow.
-- Source: Jolt issue 1392, matter-js issue 709, reactphysics3d issue 329 (joints give way under a heavy body).
local impel = require "impel"

local scene = {
  title = "Heavy end, hanging", about = "A hanging chain with a heavy end does not stretch.", duration = 10,
  units = { stretch = "of the length", gap = "mm", gain = "of the energy" },
}
scene.params = { links = 10, ratio = 100.0 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local s = { world = world, pins = {}, stretch = 0, gap = 0, gain = 0, length = p.links }
  local last = world.ground
  for i = 1, p.links do
    local link = world:body { position = { 0, 0.5 - i } }
    link:box { 0.2, 1, density = i == p.links and p.ratio or 1 }
    s.pins[i] = world:revolute(last, link, { anchor = { 0, 1 - i } })
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
  return s.stretch < 0.01,
    ("the chain stretched by %.3g %%"):format(100 * s.stretch), -- a stretch of 1 % is hardly visible
    -- Energy can only decrease. The bound is for float rounding.
    s.gain < 0.001, ("energy rose by %.3g of m g l"):format(s.gain)
end

return scene, {
  vary = { links = { 10, 20 }, ratio = { 10, 100, 1000, 10000 } }, solvers = { "xpbd", "direct", "reduced" },
  peers = true,
}
