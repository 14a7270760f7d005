-- A row of welded bricks juts out of a wall. If the moment at the wall exceeds the strength of the welds, only the weld
-- at the wall breaks. Otherwise no weld breaks.
-- Source: Rapier issue 348, p5play issue 259 and godot-proposals issue 7672 (requests for joints that break by their
-- force); textbook statics of a cantilever.
local impel = require "impel"

local scene = {
  title = "Breaks at the root", about = "A cantilever breaks at the weld with the largest moment.", duration = 3,
  units = { broken = "1", moment = "of the calculated moment" },
}
scene.params = { bricks = 4, part = { 0.8, help = "moment at the wall / strength of a weld" }, tip = 1.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local s = { world = world, p = p, welds = {}, moment = 0, order = {} }
  for i = 1, p.bricks do s.moment = s.moment + 9.81 * (i - 0.5) * (i == p.bricks and p.tip or 1) end
  local last = world.ground
  for i = 1, p.bricks do
    local brick = world:body { position = { i - 0.5, 0 }, mass = i == p.bricks and p.tip or 1 }
    brick:box { 1, 0.5, mask = 0 }
    s.welds[i], last = world:weld(last, brick, { anchor = { i - 1, 0 } }), brick
  end
  return s
end

function scene.update(s)
  -- Gravity grows over a second, because a sudden load would exert twice its weight.
  local world = s.world
  world:set_gravity(0, -9.81 * math.min(1, world.time))
  if world.tick == 1 then
    for _, weld in ipairs(s.welds) do weld.break_torque = s.moment / s.p.part end
  end
  if not s.first then
    for i, weld in ipairs(s.welds) do
      if weld.broken then s.first = s.first or i end
    end
    local _, _, torque = s.welds[1]:reaction()
    s.torque = s.first and s.torque or torque
  end
end

function scene.measure(s)
  local broken = 0
  for _, weld in ipairs(s.welds) do broken = broken + (weld.broken and 1 or 0) end
  return { broken = broken, moment = (s.torque or 0) / s.moment }
end

function scene.check(s)
  local now = scene.measure(s)
  if s.p.part < 1 then
    return now.broken == 0, ("%d welds broke"):format(now.broken),
      math.abs(now.moment - 1) < 0.05,
      -- The bound of 5 % allows for swings of the beam.
      ("the moment is %.3f of the calculated one"):format(now.moment)
  end
  return s.first == 1, ("weld %s broke first"):format(tostring(s.first)),
    -- The bricks fall freely, so the remaining welds carry no load.
    now.broken == 1, ("%d welds broke, only the one at the wall should"):format(now.broken)
end

return scene, {
  vary = { bricks = { 2, 6 }, part = { 0.8, 1.2 }, tip = { 1, 20 }, rate = { 30, 60, 240 } }, solvers = { "direct" },
}
