-- A balloon that lifts a load on a rope of links moves like a single body. The difference of lift and total weight
-- accelerates balloon and load.
-- Source: sable issue 868 (a load weighs four times as much on a rope as when it is part of the body).
local impel = require "impel"

local scene = {
  title = "Lifted through a rope", about = "A balloon lifts a load on a rope like a single body.", duration = 4,
  units = { way = "m", expected = "m", force = "of the closed form" },
}
scene.params = {
  links = 5, load = { 10.0, help = "mass of the load / mass of the balloon" },
  lift = { 1.2, help = "lift / total weight" },
}

function scene.setup(p)
  local world = impel.world { sleep = false }
  local balloon = world:body { position = { 0, 0.5 }, mass = 1 }
  balloon:circle { radius = 0.5, mask = 0 }
  local s, last = { world = world, p = p, balloon = balloon }, balloon
  for i = 1, p.links do
    local link = world:body { position = { 0, 0.25 - i * 0.5 }, mass = 0.1 }
    link:box { 0.1, 0.5, mask = 0 }
    world:revolute(last, link, { anchor = { 0, 0.5 - i * 0.5 } })
    last = link
  end
  s.load = world:body { position = { 0, -p.links * 0.5 - 0.5 }, mass = p.load }
  s.load:box { 1, 1, mask = 0 }
  s.hook = world:revolute(last, s.load, { anchor = { 0, -p.links * 0.5 } })
  s.mass = 1 + p.load + 0.1 * p.links
  s.y = select(2, s.load:position())
  return s
end

function scene.update(s) s.balloon:apply_force(0, s.p.lift * s.mass * 9.81) end

function scene.measure(s)
  local t, _, y = s.world.time, s.load:position()
  local _, force = s.hook:reaction()
  return { way = y - s.y, expected = 0.5 * 9.81 * (s.p.lift - 1) * t * t,
    force = force / (s.p.load * 9.81 * s.p.lift) }
end

function scene.check(s)
  local now = scene.measure(s)
  -- All bodies have the same acceleration. The bound is 1 % for a first-order scheme, plus the stretch of the rope, at
  -- most a tenth of a link.
  return math.abs(now.way - now.expected) < 0.01 * math.abs(now.expected) + 0.05,
    ("the balloon rose by %.3f m, %.3f expected"):format(now.way, now.expected),
    -- A force display needs an accuracy of 5 %.
    math.abs(now.force - 1) < 0.05, ("the hook carries %.3f of its load"):format(now.force)
end

return scene, {
  vary = { links = { 1, 10 }, load = { 1, 10, 100 }, lift = { 1, 1.2, 3 } }, solvers = { "si", "direct" },
}
