-- A box that falls on a floor without bouncing makes few hit events, comes to rest and falls asleep at any gravity.
-- Source: platform games with units of pixels, where each hit event plays a landing sound.
local impel = require "impel"

local scene = {
  title = "Hit events", about = "A box that lands makes few hit events and falls asleep.",
  duration = 6, units = { hits = "1" },
}
scene.params = { size = 32.0, push = { 50.0, help = "gravity [box sizes/s^2]" }, rate = 60.0 }

function scene.setup(p)
  -- hit_speed is 1 m/s by default, for sizes of 1 m.
  local world = impel.world { gravity = { 0, -p.push * p.size }, dt = 1 / p.rate, hit_speed = p.size }
  world:body { type = "static" }:box { 100 * p.size, p.size, center = { 0, -p.size / 2 } }
  local box = world:body { position = { 0, 2.5 * p.size } }
  box:box { p.size, p.size }
  return { world = world, box = box, hits = 0, late = 0 }
end

function scene.update(s)
  for _ in s.world:events "hit" do
    s.hits = s.hits + 1
    if s.world.time > 2 then s.late = s.late + 1 end
  end
end

function scene.measure(s) return { hits = s.hits, asleep = not s.box.awake } end

function scene.check(s)
  -- A box may give several hit events, because it has two contact points.
  return s.hits >= 1 and s.hits <= 3, ("%d hit events for one landing"):format(s.hits),
    s.late == 0, ("%d hit events after 2 s, at rest"):format(s.late),
    not s.box.awake, "the box never falls asleep"
end

return scene, { vary = { size = { 1, 32 }, push = { 10, 50, 150 }, rate = { 60, 120 } }, solvers = { "si", "direct" } }
