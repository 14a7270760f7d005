-- Two cards that lean on each other, or a ladder against a smooth wall, stand if friction is sufficient. Otherwise
-- cards and ladder slide until they lie flat.
-- Source: Box2D sample "Card House", newton issue 1622, ppf-contact-solver issue 147 (cards slip before they are
-- touched).
local impel = require "impel"

local scene = {
  title = "Leaning cards", about = "Leaning cards stand above a critical friction and slide below it.", duration = 15,
  units = { lean = "rad", start = "rad" },
}
-- ratio: friction divided by its critical value; angle: angle between a card and the vertical [degrees]
scene.params = { ratio = 1.05, angle = 25.0, wall = false }

local LENGTH, RADIUS = 1, 0.02 -- length between the centres of the round ends, radius of the ends [m]

function scene.setup(p)
  local angle = math.rad(p.angle)
  local c, n = impel.math.cos(angle), impel.math.sin(angle)
  -- Balance of moments about the foot. The weight has the lever arm LENGTH/2 sin(angle). The second card or the wall
  -- pushes horizontally at the top.
  local friction = p.ratio * LENGTH / 2 * n / (LENGTH * c + RADIUS)
  local world = impel.world { sleep = false }
  local ground = world:body { type = "static" }
  ground:box { 20, 1, center = { 0, -0.5 }, friction = friction }
  if p.wall then ground:box { 1, 4, center = { 0.5, 2 }, friction = 0 } end
  local cards = {}
  for i = 1, p.wall and 1 or 2 do
    local side = i == 1 and -1 or 1
    local at = { side * (RADIUS + LENGTH / 2 * n), RADIUS + LENGTH / 2 * c }
    local card = world:body { position = at, angle = side * angle }
    card:capsule { from = { 0, -LENGTH / 2 }, to = { 0, LENGTH / 2 }, radius = RADIUS, friction = friction }
    cards[i] = card
  end
  return { world = world, cards = cards, p = p, start = angle }
end

function scene.measure(s)
  local lean = 0
  for _, card in ipairs(s.cards) do lean = math.max(lean, math.abs(card.angle)) end
  return { lean = lean, start = s.start }
end

function scene.check(s)
  local lean = scene.measure(s).lean
  -- The friction is 5 % above or below the critical value. The top of a standing card may move by 4 mm, because
  -- contacts may overlap.
  return s.p.ratio < 1 or math.abs(lean - s.start) < 4e-3, ("a card leans %.4f rad, not %.4f"):format(lean, s.start),
    s.p.ratio > 1 or lean > 1.4,
    ("a card still leans %.3f rad"):format(lean) -- the card lies flat, or one end lies on the second card
end

return scene, {
  vary = { ratio = { 0.95, 1.05 }, angle = { 10, 25, 45 }, wall = { false, true } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
