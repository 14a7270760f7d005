-- A pile is saved while a plough runs into it. The state is restored in a new world and in the same world. Both worlds
-- have the same bits in each following step.
-- Source: Rapier issue 966 (a state restored with many contacts diverges later).
local impel = require "impel"

local WAY, LAST = 3, 150 -- travel of the plough before the save [m]; number of all steps

local scene = {
  title = "Restored amid contacts", about = "A pile restored during an impact repeats the same bits.",
  duration = LAST / 60,
}
scene.params = { boxes = 18, speed = 4 }

function scene.setup(p)
  local world = impel.world { seed = 3 }
  local s = { world = world, steps = 0, p = p, save_at = 60 * WAY // p.speed }
  world:body { type = "static" }:segment { from = { -40, 0 }, to = { 40, 0 }, friction = 0.6 }
  for i = 0, p.boxes - 1 do
    local body = world:body { position = { i % 6 * 1.02, 0.5 + i // 6 } }
    if i % 3 == 0 then body:circle { radius = 0.5 } else body:box { 1, 1 } end
  end
  world:body { type = "kinematic", position = { -2.5, 1 }, velocity = { p.speed, 0 } }:box { 1, 2 }
  return s
end

function scene.update(s)
  if s.steps == s.save_at then
    s.saved, s.contacts = s.world:snapshot { state = false }, s.world:counts().contacts
  end
  s.steps = s.steps + 1
end

-- Restore the state and run to the end. Return the hash, and whether a new snapshot of the restored state has the same
-- bytes.
local function go_on(world, s)
  world:restore(s.saved)
  local same = world:snapshot { state = false } == s.saved
  world:step(s.steps - s.save_at)
  return world.hash, same
end

function scene.check(s)
  local hash = s.world.hash
  local fresh = impel.world {}
  local fresh_hash, fresh_same = go_on(fresh, s)
  local own_hash, own_same = go_on(s.world, s)
  return s.contacts >= s.p.boxes, ("%d contacts, at least one for each box expected"):format(s.contacts),
    fresh_hash == hash, ("a new world has the hash %s, %s expected"):format(fresh_hash, hash),
    own_hash == hash, ("the same world has the hash %s, %s expected"):format(own_hash, hash),
    fresh_same and own_same, "a snapshot taken after a restore differs from the restored one"
end

return scene, {
  vary = { boxes = { 6, 15 }, speed = { 2, 4, 8 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
