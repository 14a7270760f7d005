-- A rod of pieces on hinges with both limits at 0 is fixed at one end. The rod is as stiff as a single piece.
-- Source: Construct feature request 408 (drawn shapes made of hinges with limits at 0 sag like rubber).
local impel = require "impel"

local scene = {
  title = "Limits as welds", about = "Hinges with both limits at 0 hold a rod straight.", duration = 4,
  units = { sag = "of the length", last = "m/s" },
}
scene.params = { pieces = 8, ratio = { 1.0, help = "density of the last piece / density of the others" }, weld = false }

local LENGTH = 4 -- length of the rod [m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  local piece, s = LENGTH / p.pieces, { world = world, p = p, parts = {}, sag = 0, last = 0 }
  local before = world.ground
  for i = 1, p.pieces do
    local part = world:body { position = { (i - 0.5) * piece, 0 } }
    part:box { piece, 0.2, density = i == p.pieces and p.ratio or 1, mask = 0 }
    local anchor = { (i - 1) * piece, 0 }
    if p.weld then
      world:weld(before, part, { anchor = anchor })
    else
      world:revolute(before, part, { anchor = anchor, limit = { 0, 0 } })
    end
    s.parts[i], before = part, part
  end
  s.tip = { piece / 2, 0 }
  return s
end

function scene.update(s)
  local _, y = s.parts[#s.parts]:world_point(s.tip[1], s.tip[2])
  s.sag = math.max(s.sag, math.abs(y) / LENGTH)
end

function scene.measure(s)
  local _, v = s.parts[#s.parts]:velocity()
  return { sag = s.sag, last = math.abs(v) }
end

function scene.check(s)
  local now = scene.measure(s)
  -- A rigid rod does not bend. 1 % of its length is hardly visible.
  return s.sag < 0.01, ("the rod's tip has sunk by %.3g of its length"):format(s.sag),
    now.last < 0.01, ("after 4 s the last piece moves at %.3g m/s"):format(now.last) -- at rest
end

return scene, {
  vary = { pieces = { 2, 4, 8 }, ratio = { 1, 100 }, weld = { false, true } }, solvers = { "direct" },
}
