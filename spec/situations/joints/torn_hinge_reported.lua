-- A hinge that a solver cannot hold is reported: while a chain with a heavy end swings,
-- world:residual().separation is the largest gap of its hinges.
-- Source: Jolt issue 1392, joints that do not hold, without a word: what a step could not solve must be seen.
local impel = require "impel"

local scene = {
  title = "Torn hinge", about = "The residual reports the gaps of the hinges.", duration = 6,
  units = { gap = "m", told = "m" },
}
scene.params = { ratio = 1000.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local s = { world = world, pins = {}, gap = 0, told = 0, off = 0 }
  local last = world.ground
  for i = 1, 10 do
    local link = world:body { position = { i - 0.5, 0 } }
    link:box { 1, 0.2, density = i == 10 and p.ratio or 1, mask = 0 }
    s.pins[i] = world:revolute(last, link, { anchor = { i - 1, 0 } })
    last = link
  end
  return s
end

function scene.update(s)
  local gap = 0
  for _, pin in ipairs(s.pins) do
    local ax, ay, bx, by = pin:anchors()
    gap = math.max(gap, math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2))
  end
  if gap <= s.gap then return end
  s.gap, s.told = gap, s.world:residual().separation
end

function scene.measure(s) return { gap = s.gap, told = s.told } end

function scene.check(s)
  -- A row has a direction: x and y alone tell at least gap / sqrt(2). Gaps below a millimetre tear nothing.
  return s.gap < 1e-3 or s.told > 0.7 * s.gap,
    ("a hinge is open by %.3g m, the residual says %.3g"):format(s.gap, s.told)
end

return scene, { vary = { ratio = { 100, 1000, 10000 }, rate = { 60, 240 } }, solvers = { "direct", "rattle", "xpbd" } }
