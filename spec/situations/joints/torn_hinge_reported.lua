-- A chain with a heavy end swings. Each hinge with a gap above 5 % of a link's diagonal gives one warning with the
-- length of the gap. world:residual() counts the open hinges and returns the largest gap.
-- Source: Jolt issue 1392 (joints fail silently).
local impel = require "impel"

local scene = {
  title = "Torn hinge", about = "Warnings and world:residual() report gaps in hinges.", duration = 3,
  units = { gap = "m", told = "m" },
}
scene.params = { ratio = 1000.0, rate = 60.0 }

-- Size of a hinge: twice the distance from the centre of a link to its corner [m]
local SIZE = 2 * math.sqrt(0.5 ^ 2 + 0.1 ^ 2)
local OPEN, DRIFT, CLOSED = 0.05 * SIZE, 0.02 * SIZE, 0.01 * SIZE

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local s = { world = world, pins = {}, open = {}, least = {}, gap = 0, told = 0, warned = {} }
  local last = world.ground
  for i = 1, 10 do
    local link = world:body { position = { i - 0.5, 0 } }
    link:box { 1, 0.2, density = i == 10 and p.ratio or 1, mask = 0 }
    s.pins[i] = world:revolute(last, link, { anchor = { i - 1, 0 } })
    last = link
  end
  return s
end

-- Check all reports about one hinge in this step. gap: distance of the hinge's anchors [m].
local function look(s, pin, gap)
  local length, was = s.warned[pin.id], s.open[pin.id]
  s.least[pin.id] = math.min(gap, s.least[pin.id] or gap)
  if length and was then return "the gap was reported twice" end
  if length and math.abs(length - gap) > 1e-9 then return ("the reported gap is %.6g m"):format(length) end
  if not was and gap > OPEN and not length then return "the gap was not reported" end
  if length and gap < OPEN and gap < s.least[pin.id] + DRIFT then return "a closed hinge was reported" end
  s.open[pin.id] = (was or length) and gap >= CLOSED or nil
end

function scene.update(s)
  s.warned = {}
  for event in s.world:events "warning" do
    -- Warnings "not held" of exact solvers are not about gaps.
    if event.joint and not event.text:find("not held", 1, true) then s.warned[event.joint.id] = event.length end
  end
  local worst, count = 0, 0
  for i, pin in ipairs(s.pins) do
    local ax, ay, bx, by = pin:anchors()
    local gap = math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2)
    local wrong = look(s, pin, gap)
    if wrong and not s.wrong then
      s.wrong = ("hinge %d, open by %.6g m at %.4f s: %s"):format(i, gap, s.world.time, wrong)
    end
    worst, count = math.max(worst, gap), count + (s.open[pin.id] and 1 or 0)
  end
  local residual = s.world:residual()
  if residual.open ~= count and not s.wrong then
    s.wrong = ("%d hinges are open; world:residual() reports %d open joints"):format(count, residual.open)
  end
  if worst > s.gap then s.gap, s.told = worst, residual.separation end
end

function scene.measure(s) return { gap = s.gap, told = s.told } end

function scene.check(s)
  -- A hinge has a row along x and a row along y, so the larger residual is at least gap / sqrt(2). Gaps below a
  -- millimetre are not checked.
  return s.gap < 1e-3 or s.told > 0.7 * s.gap,
    ("a hinge is open by %.3g m, the residual reports %.3g"):format(s.gap, s.told),
    not s.wrong, s.wrong
end

return scene, {
  vary = { ratio = { 1, 100, 1000, 10000, 50000 }, rate = { 30, 60, 240, 1000 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
