-- Bodies placed at rest on a floor, on each other or in a pile fall asleep within a second.
-- Source: playrho issue 246 and matter-js issue 1270 (bodies at rest jitter and never sleep); Box2D sample "Sleep";
-- godot issue 3200 (a bouncing body never falls asleep).
local impel = require "impel"

local scene = {
  title = "Asleep in a second", about = "Bodies at rest fall asleep within one second.", duration = 1.2,
  units = { asleep = "s", moved = "sizes" },
}
scene.params = {
  kind = { 1, help = "1 box, 2 hexagon, 3 capsule, 4 disc, 5 bridge, 6 pyramid, 7 tilted box on two boxes" },
  size = 1.0, rate = 60,
}

local function box(s, x, y, width, height)
  local size = s.p.size
  local body = s.world:body { position = { x * size, y * size } }
  body:box { (width or 1) * size, (height or 1) * size }
  s.bodies[#s.bodies + 1] = body
end

local KINDS = {
  function(s) box(s, 0, 0.5) end,
  function(s)
    local body, points = s.world:body {}, {}
    for i = 1, 6 do
      local angle = i * math.pi / 3
      points[i] = { s.p.size * impel.math.cos(angle), s.p.size * impel.math.sin(angle) }
    end
    body:polygon { points = points }
    body:set_position(0, s.p.size * impel.math.sin(math.pi / 3))
    s.bodies[1] = body
  end,
  function(s)
    local body = s.world:body { position = { 0, s.p.size / 4 } }
    body:capsule { from = { -s.p.size / 2, 0 }, to = { s.p.size / 2, 0 }, radius = s.p.size / 4 }
    s.bodies[1] = body
  end,
  function(s)
    s.bodies[1] = s.world:body { position = { 0, s.p.size / 2 } }
    s.bodies[1]:circle { radius = s.p.size / 2 }
  end,
  function(s)
    box(s, -1, 0.5)
    box(s, 1, 0.5)
    box(s, 0, 1.1, 3, 0.2)
  end,
  function(s)
    for row = 1, 4 do
      for i = 1, 5 - row do box(s, 1.05 * (i - (5 - row) / 2), row - 0.5) end
    end
  end,
  function(s) -- a box stands on one corner; its two lower sides lean on two boxes
    box(s, -1, 0.25, 1, 0.5)
    box(s, 1, 0.25, 1, 0.5)
    box(s, 0, math.sqrt(0.5), 1, 1)
    s.bodies[3].angle = math.pi / 4
  end,
}

function scene.setup(p)
  -- Gravity and slop are proportional to the size. The slop is 5 mm for bodies of 1 m.
  local world = impel.world { gravity = { 0, -9.81 * p.size }, dt = 1 / p.rate, slop = p.size / 200 }
  world:body { type = "static" }:box { 40 * p.size, p.size, center = { 0, -p.size / 2 } }
  local s = { world = world, bodies = {}, places = {}, p = p }
  KINDS[p.kind](s)
  for i, body in ipairs(s.bodies) do s.places[i] = { body:position() } end
  return s
end

local function awake(s)
  for _, body in ipairs(s.bodies) do
    if body.awake then return true end
  end
end

function scene.update(s)
  if awake(s) then s.asleep = nil else s.asleep = s.asleep or s.world.time end
end

function scene.measure(s)
  local moved = 0
  for i, body in ipairs(s.bodies) do
    local x, y = body:position()
    local dx, dy = x - s.places[i][1], y - s.places[i][2]
    moved = math.max(moved, math.sqrt(dx * dx + dy * dy) / s.p.size)
  end
  return { asleep = s.asleep or math.huge, moved = moved }
end

function scene.check(s)
  local now = scene.measure(s)
  return now.asleep <= 1, ("asleep after %.2f s"):format(now.asleep), -- twice the usual 0.5 s of rest before sleep
    -- The bodies start in equilibrium. The bound is twice the slop of 0.005 sizes.
    now.moved < 0.01, ("a body moves by %.4f sizes"):format(now.moved)
end

return scene, {
  vary = { kind = { 1, 2, 3, 4, 5, 6, 7 }, size = { 0.01, 1, 100 }, rate = { 30, 60 } }, solvers = { "si" },
}
