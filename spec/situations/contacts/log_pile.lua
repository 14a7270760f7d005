-- Logs are piled between two posts, each in the groove between two logs below. The pile stays at rest even without
-- friction.
-- Source: Genesis issue 525 and ode4j pull request 47 (cylinders piled in a tray scatter); Box2D sample "Circle Stack".
local impel = require "impel"

local SLOP = 0.005 -- overlap that engines allow at rest [m]

local scene = {
  title = "Log pile", about = "Logs piled between two posts do not move.", duration = 10,
  units = { sunk = "m", aside = "m", creep = "m", fastest = "m/s" },
}
scene.params = { rows = 6, friction = 0.5, radius = 0.25 }

function scene.setup(p)
  local world = impel.world { sleep = false }
  local r, n = p.radius, p.rows
  local ground = world:body { type = "static" }
  ground:box { 8 * n * r, r, center = { 0, -r / 2 }, friction = p.friction }
  for side = -1, 1, 2 do ground:box { r, 2 * r, center = { side * (n + 0.5) * r, r }, friction = p.friction } end
  local s = { world = world, logs = {}, p = p }
  for row = 1, n do
    for i = 1, n + 1 - row do
      local x, y = r * (2 * i - 2 + row - n), r * (1 + (row - 1) * math.sqrt(3))
      local log = world:body { position = { x, y } }
      log:circle { radius = r, friction = p.friction }
      s.logs[#s.logs + 1] = { body = log, x = x, y = y }
    end
  end
  return s
end

function scene.update(s)
  if s.early or s.world.time < 5 then return end
  s.early = {}
  for i, log in ipairs(s.logs) do s.early[i] = { log.body:position() } end
end

function scene.measure(s)
  local now = { sunk = 0, aside = 0, creep = 0, fastest = 0 }
  for i, log in ipairs(s.logs) do
    local x, y = log.body:position()
    local vx, vy = log.body:velocity()
    now.sunk, now.aside = math.max(now.sunk, log.y - y), math.max(now.aside, math.abs(x - log.x))
    now.creep = math.max(now.creep, math.abs(x - s.early[i][1]), math.abs(y - s.early[i][2]))
    now.fastest = math.max(now.fastest, math.sqrt(vx * vx + vy * vy))
  end
  return now
end

function scene.check(s)
  local now, n = scene.measure(s), s.p.rows
  -- The lowest row shortens by a slop per contact. The logs above sink by at most half the shortening times tan 30
  -- degrees. Each contact at 60 degrees adds (slop + 1 mm) / sin 60 degrees.
  local along = (n + 1) * SLOP
  local sunk = along / 2 / math.sqrt(3) + n * (SLOP + 0.001) / (math.sqrt(3) / 2)
  return now.sunk < sunk, ("a log has sunk by %.4f m, at most %.4f expected"):format(now.sunk, sunk),
    now.aside < along, ("a log has moved sideways by %.4f m"):format(now.aside), -- at most the shortening of the row
    now.creep < 1e-3, ("a log crept by %.4f m in 5 s"):format(now.creep), -- at rest
    now.fastest < 1e-3, ("a log moves at %.4f m/s"):format(now.fastest)
end

return scene, {
  vary = { rows = { 3, 6, 10 }, friction = { 0, 0.5 }, radius = { 0.1, 1 } }, solvers = { "si" }, peers = true,
}
