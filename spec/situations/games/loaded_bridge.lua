-- A sagging bridge of hinged planks carries a crate in its middle. The hinges stay closed.
-- Source: p2.js issue 218 (a bridge does not carry the player), Box2D sample "Bridge", matter.js issue 1251.
local impel = require "impel"

local scene = {
  title = "Loaded bridge", about = "A bridge of hinged planks carries a crate.", duration = 8,
  units = { gap = "m", rest = "m", sag = "m", clear = "m" },
}
scene.params = { planks = 20, load = 100.0 } -- load: mass of the crate [kg]; total mass of the planks: 20 kg

-- LENGTH: length of the bridge [m]; THICK: thickness of a plank [m]; TURN: angle from end to end [rad], which gives a
-- span of 18.8 m.
local LENGTH, THICK, TURN = 20, 0.2, 1.2

function scene.setup(p)
  local world = impel.world { sleep = false }
  local size, x, y = LENGTH / p.planks, 0, 0
  local planks, before = {}, world.ground
  for i = 1, p.planks do
    local angle = TURN * ((i - 0.5) / p.planks - 0.5)
    local c, n = impel.math.cos(angle), impel.math.sin(angle)
    local plank = world:body { position = { x + c * size / 2, y + n * size / 2 }, angle = angle, mass = 20 / p.planks }
    plank:box { 0.98 * size, THICK }
    world:revolute(before, plank, { anchor = { x, y } })
    planks[i], before = plank, plank
    x, y = x + c * size, y + n * size
  end
  world:revolute(before, world.ground, { anchor = { x, y } })
  local _, low = planks[(p.planks + 1) // 2]:position()
  local crate = world:body { position = { x / 2, low + 1.1 }, mass = p.load }
  crate:box { 1.6, 1.6 }
  return {
    world = world, planks = planks, crate = crate, size = size, span = x, gap = 0, rest = 0, lowest = 0, clear = 1,
  }
end

-- Return the largest gap between the two anchors of a hinge.
local function worst_gap(s)
  local worst, x, y = 0, 0, 0
  for i = 1, #s.planks + 1 do
    local ax, ay = s.span, 0
    if s.planks[i] then ax, ay = s.planks[i]:world_point(-s.size / 2, 0) end
    worst = math.max(worst, math.sqrt((ax - x) ^ 2 + (ay - y) ^ 2))
    if s.planks[i] then x, y = s.planks[i]:world_point(s.size / 2, 0) end
  end
  return worst
end

function scene.update(s)
  local gap, late = worst_gap(s), s.world.time > 6
  s.gap = math.max(s.gap, gap)
  if late then s.rest = math.max(s.rest, gap) end
  local cx, cy = s.crate:position()
  for _, plank in ipairs(s.planks) do
    local _, y = plank:position()
    local along, above = plank:local_point(cx, cy)
    s.lowest = math.min(s.lowest, y)
    if math.abs(along) < s.size / 2 then s.clear = math.min(s.clear, above - 0.8 - THICK / 2) end
  end
end

function scene.measure(s) return { gap = s.gap, rest = s.rest, sag = -s.lowest, clear = s.clear } end

function scene.check(s)
  -- Depth of the middle of a bridge that forms a V, the deepest shape of a chain of this length.
  local sag = math.sqrt(LENGTH ^ 2 - s.span ^ 2) / 2
  -- Gaps below half a plank's thickness are hardly visible while the crate lands, and gaps below 1 cm at rest.
  return s.gap < THICK / 2, ("the two anchors of a hinge are up to %.3f m apart"):format(s.gap),
    s.rest < 0.01, ("with the load at rest, the two anchors of a hinge are %.4f m apart"):format(s.rest),
    -s.lowest < sag + 0.01 * LENGTH,
    ("a plank is at a depth of %.2f m, and the chain only reaches %.2f"):format(-s.lowest, sag),
    -- A depth below a quarter of the thickness of a plank is hardly visible.
    s.clear > -THICK / 4, ("the crate is %.3f m in the planks"):format(-s.clear)
end

return scene, {
  vary = { planks = { 10, 20 }, load = { 1, 10, 100, 400 } }, solvers = { "si", "xpbd", "direct" }, peers = true,
}
