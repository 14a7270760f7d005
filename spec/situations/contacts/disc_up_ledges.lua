-- A disc of any size rolls up several low ledges. Each impact keeps the angular momentum about the edge. Each rise
-- takes energy.
-- Source: godot-jolt issue 587 and dyn4j issue 56 (wheels lose too much speed at low ledges); GodotStairTester issue 6.
local impel = require "impel"

local G, TREAD = 9.81, 5 -- gravity [m/s^2]; length of a tread [radii]

local scene = {
  title = "Disc up ledges", duration = 20,
  about = "A disc that rolls up ledges keeps its angular momentum about the edge in each impact.",
  units = { speed = "of sqrt(g r)", right = "of sqrt(g r)", hop = "of the radius" },
}
-- radius [m]; ledge: height of a ledge [radii]; speed [sqrt(g r)], too slow for the disc to leave an edge; rate [Hz]
scene.params = { radius = 0.5, ledge = 0.02, ledges = 4, speed = 0.9, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, gravity = { 0, -G }, dt = 1 / p.rate }
  local r, floor, v = p.radius, world:body { type = "static" }, p.speed * math.sqrt(G * p.radius)
  floor:box { 20 * r, 4 * r, center = { -10 * r, -2 * r } }
  for i = 1, p.ledges do -- each tread begins at a ledge; the last tread is long
    local length = i < p.ledges and TREAD * r or 200 * r
    floor:box { length, 4 * r, center = { (i - 1) * TREAD * r + length / 2, (i * p.ledge - 2) * r } }
  end
  local disc = world:body { position = { -3.3 * r, r }, velocity = { v, 0 }, angular_velocity = -v / r }
  disc:circle { radius = r }
  return { world = world, disc = disc, p = p, hop = 0 }
end

function scene.update(s)
  local x, y = s.disc:position()
  local r, p = s.p.radius, s.p
  -- Level of the tread below the disc, or of the next tread if the disc is about to climb it.
  local i = math.min(p.ledges, math.max(0, math.floor((x / r + 0.5) / TREAD) + 1))
  s.hop = math.max(s.hop, y / r - 1 - i * p.ledge)
  if not s.speed and x > ((p.ledges - 1) * TREAD + 2.5) * r then s.speed = s.disc:velocity() / math.sqrt(G * r) end
end

function scene.measure(s)
  local h, square = s.p.ledge, s.p.speed ^ 2 -- square of the speed [g r]
  -- At an edge 3/2 m r v' = m v (r - h) + m r v / 2. The rise takes m g h from 3/4 m v^2.
  for _ = 1, s.p.ledges do square = square * (1 - 2 * h / 3) ^ 2 - 4 / 3 * h end
  return { speed = s.speed or 0, right = math.sqrt(square), hop = s.hop }
end

function scene.check(s)
  local now = scene.measure(s)
  -- The bound of 1 % is less than the loss at one ledge, 1.4 % to 8 %.
  return math.abs(now.speed / now.right - 1) < 0.01,
    ("the disc's speed is %.4f sqrt(g r), not %.4f"):format(now.speed, now.right),
    -- The disc never leaves an edge, because v'^2 < g (r - h). The bound is 5 mm (slop) plus 0.01 radii, the rise by
    -- rotation in one step.
    now.hop < 0.005 / s.p.radius + 0.01, ("the disc hops by %.4f radii"):format(now.hop)
end

return scene, {
  vary = { radius = { 0.2, 1, 2 }, ledge = { 0.01, 0.03 }, ledges = { 1, 4 }, speed = { 0.6, 0.9 },
    rate = { 60, 240 } },
  peers = true,
}
