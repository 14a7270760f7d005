-- A Warren truss of pinned bars, on a pin and a roller, carries a load in its middle. Each support carries half of the
-- weight, and the pins stay closed.
-- Source: Box3D issue 131 (assemblies of joints bend under their load); nape-js pull request 222 (a game of building
-- trusses); textbook statics.
local impel = require "impel"

local scene = {
  title = "Truss bridge", about = "Each support of a truss bridge carries half of the weight.", duration = 6,
  units = { left = "of half the weight", right = "of half the weight", open = "m", sag = "of the span" },
}
scene.params = { bays = { 4, help = "number of lower triangles, even" }, load = 10.0, rate = 60.0 } -- load [kg]

local BAR, MASS = 2, 1 -- length [m] and mass [kg] of a bar

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local s = { world = world, p = p, pins = {}, open = 0 }
  local high = BAR * math.sqrt(3) / 2
  -- Nodes of the truss: position, first bar. All further bars at a node are pinned to the first bar.
  local bottom, top = {}, {}
  for i = 0, p.bays do bottom[i] = { i * BAR, 0 } end
  for i = 1, p.bays do top[i] = { (i - 0.5) * BAR, high } end
  local function bar(from, to)
    local x, y = (from[1] + to[1]) / 2, (from[2] + to[2]) / 2
    local body = world:body { position = { x, y }, angle = impel.math.atan2(to[2] - from[2], to[1] - from[1]),
      mass = MASS }
    body:box { BAR, 0.1, mask = 0 }
    for _, node in ipairs { from, to } do
      if node.bar then
        s.pins[#s.pins + 1] = world:revolute(node.bar, body, { anchor = { node[1], node[2] } })
      else
        node.bar = body
      end
    end
    return body
  end
  for i = 1, p.bays do
    bar(bottom[i - 1], bottom[i])
    bar(bottom[i - 1], top[i])
    bar(top[i], bottom[i])
    if i > 1 then bar(top[i - 1], top[i]) end
  end
  s.left = world:revolute(world.ground, bottom[0].bar, { anchor = { 0, 0 } })
  s.right = world:pin_slot(world.ground, bottom[p.bays].bar, { anchor = { p.bays * BAR, 0 }, axis = { 1, 0 } })
  local middle = bottom[p.bays / 2]
  s.load = world:body { position = { middle[1], -0.5 }, mass = p.load }
  s.load:box { 0.5, 1, mask = 0 }
  s.pins[#s.pins + 1] = world:revolute(middle.bar, s.load, { anchor = { middle[1], 0 } })
  s.weight = 9.81 * (p.load + MASS * (4 * p.bays - 1))
  return s
end

function scene.update(s)
  for _, joint in ipairs(s.pins) do
    local ax, ay, bx, by = joint:anchors()
    s.open = math.max(s.open, math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2))
  end
end

function scene.measure(s)
  local _, left = s.left:reaction()
  local _, right = s.right:reaction()
  local _, y = s.load:position()
  return { left = 2 * left / s.weight, right = 2 * right / s.weight, open = s.open,
    sag = (-0.5 - y) / (s.p.bays * BAR) }
end

function scene.check(s)
  local now = scene.measure(s)
  -- By symmetry each support carries half of the weight. A force display needs an accuracy of 2 %.
  return math.abs(now.left - 1) < 0.02 and math.abs(now.right - 1) < 0.02,
    ("the supports carry %.3f and %.3f of half the weight"):format(now.left, now.right),
    now.open < 0.01, ("a pin opened by %.1f mm"):format(1e3 * now.open), -- a tenth of a bar's thickness
    -- Rigid bars do not sag. 0.5 % of the span is hardly visible.
    math.abs(now.sag) < 0.005,
    ("the bridge sags by %.3g of its span"):format(now.sag)
end

return scene, {
  vary = { bays = { 2, 4, 8 }, load = { 1, 100 }, rate = { 60, 240 } }, solvers = { "si", "direct" },
}
