-- Two logs on a floor touch each other, and a third log lies on both. The pile stands if the friction between logs
-- exceeds 2 - sqrt(3) and the friction on the floor exceeds (2 - sqrt(3)) / 3. Otherwise the lower logs move apart.
-- Source: textbook statics, three equal cylinders; GameGuru issue 5810 (cans roll away from a pile at rest).
local impel = require "impel"

local G = 9.81
-- Critical friction, tan 15°: the force on a lower log acts along the line through its two contact points.
local LEAST = 2 - math.sqrt(3)

local scene = {
  title = "Three logs", about = "A log on two others stands above a critical friction.", duration = 12.1,
  units = { sunk = "of the radius", spread = "of the radius", speed = "m/s" },
}
-- part: friction on the floor (if `floor` is true) or between the logs, divided by its critical value. The other
-- friction is three times its critical value.
scene.params = { part = 1.1, floor = false, radius = 1.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, sleep = false }
  local logs = LEAST * (p.floor and 3 or p.part)
  local below = LEAST / 3 * (p.floor and p.part or 3)
  -- The friction of a contact is sqrt(a b), where a and b are the frictions of its shapes.
  local r, s = p.radius, { world = world, p = p, discs = {} }
  world:body { type = "static" }:box { 60 * r, 4 * r, center = { 0, -2 * r }, friction = below ^ 2 / logs }
  for i, at in ipairs { { -r, r }, { r, r }, { 0, r * (1 + math.sqrt(3)) } } do
    s.discs[i] = world:body { position = at }
    s.discs[i]:circle { radius = r, friction = logs }
  end
  return s
end

function scene.update(s)
  -- Record the state after 6 s sqrt(radius / 1 m).
  if not s.last and s.world.time > 6 * math.sqrt(s.p.radius) then s.last = scene.measure(s) end
end

function scene.measure(s)
  if s.last then return s.last end
  local r, a, b = s.p.radius, s.discs[1], s.discs[2]
  local _, y = s.discs[3]:position()
  local vx, vy = s.discs[3]:velocity()
  return {
    sunk = 1 + math.sqrt(3) - y / r, spread = (b:position() - a:position()) / r - 2,
    speed = math.sqrt(vx * vx + vy * vy),
  }
end

function scene.check(s)
  local now, r = scene.measure(s), s.p.radius
  if s.p.part < 1 then
    -- The friction is a tenth too low. If the radius is 1 m, the upper log sinks by half a radius in 2 s to 4 s.
    return now.sunk > 0.5, ("the log has sunk by %.3f radii and stands"):format(now.sunk)
  end
  -- The upper log sinks by at most the slop (5 mm) at each contact, and by 1 mm under the weight. Contacts between logs
  -- are at 30 degrees to the vertical.
  return now.sunk * r < 0.012 + 0.006, ("the log has sunk by %.4f radii"):format(now.sunk),
    now.spread * r < 2e-3, ("the lower logs are %.4f radii apart"):format(now.spread), -- 2 mm to settle
    -- At rest.
    now.speed < 1e-3 * math.sqrt(G * r),
    ("the log moves at %.4f m/s"):format(now.speed)
end

return scene, {
  vary = { part = { 0.9, 1.1 }, floor = { false, true }, radius = { 0.1, 1, 4 } },
  solvers = { "si" }, peers = true,
}
