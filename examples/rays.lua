-- A range scanner among rolling discs, and a beam reflected by the walls.
local impel = require "impel"

local scene = {
  title = "Rays",
  about = "The scanner casts 180 rays in one call, which returns for each ray a distance and the disc that it hits. "
    .. "The red beam is reflected by the walls; a disc stops it. The check mirrors the room instead of the beam: "
    .. "the beam's path becomes a straight line, which gives the exact end of the beam.",
  duration = 10, -- [s]
  view = { x = 0, y = 0, height = 10 },
  units = { near = "m", seen = "1", beam = "m" },
}

scene.params = {
  rays = { 180, min = 8, max = 720, help = "rays of the scanner" },
  discs = { 7, min = 1, max = 16, help = "number of discs that move about" },
  length = { 60.0, min = 1, max = 200, help = "length of the beam if nothing stops it [m]" },
  room = { true, help = "walls listed clockwise, hit from inside; false: counter-clockwise, hit from outside" },
}

local W, H = 8, 4.5              -- half the size of the room [m]
local LAMP_X, LAMP_Y = -7, -3.5  -- [m]
local WALL, DISC, POST = 1, 2, 4 -- categories
local cos, sin = impel.math.cos, impel.math.sin

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, sleep = false }
  local corners = { { -W, -H }, { -W, H }, { W, H }, { W, -H } }
  if not p.room then corners = { corners[4], corners[3], corners[2], corners[1] } end
  local frame = world:body { type = "static" }
  frame:chain { points = corners, loop = true, friction = 0, restitution = 1, restitution_threshold = 0,
    category = WALL }
  frame:circle { radius = 0.2, restitution = 1, restitution_threshold = 0, category = POST }
  local s = { world = world, p = p, discs = {}, rays = {}, scan = {}, hit = {}, worst = 0, unfolded = 0, path = {} }
  for i = 1, p.discs do
    local radius, angle = 0.25 + 0.05 * i, 6.28 * i / p.discs
    local disc = world:body { position = { 5 * cos(angle), 2.8 * sin(angle) },
      velocity = { 3 * sin(2 * angle), 2 * cos(3 * angle) } }
    disc:circle { radius = radius, friction = 0, restitution = 1, restitution_threshold = 0, category = DISC }
    s.discs[i] = { body = disc, radius = radius }
  end
  for i = 0, p.rays - 1 do
    local angle = 2 * math.pi * i / p.rays
    for _, value in ipairs { 0, 0, 20 * cos(angle), 20 * sin(angle) } do s.rays[#s.rays + 1] = value end
  end
  s.seeing = { mask = WALL | DISC } -- excludes the scanner's own post
  scene.update(s)
  return s
end

-- Return the distance from the middle to the nearest obstacle along the unit vector (c, n), by geometry.
local function range(s, c, n)
  local nearest = math.min(W / math.abs(c), H / math.abs(n))
  for _, disc in ipairs(s.discs) do
    local x, y = disc.body:position()
    local ahead = x * c + y * n
    local under = disc.radius ^ 2 - (x * n - y * c) ^ 2
    if ahead > 0 and under > 0 then nearest = math.min(nearest, ahead - math.sqrt(under)) end
  end
  return nearest
end

-- Compare the end of the reflected beam with a straight line through mirrored rooms.
local function shine(s)
  local angle = 0.2 + 0.1 * s.world.time
  local ux, uy, x, y, rest = cos(angle), sin(angle), LAMP_X, LAMP_Y, s.p.length
  local sx, sy, path = ux, uy, { x, y }
  while rest > 0 do
    local hit = s.world:raycast(x, y, x + rest * ux, y + rest * uy, s.seeing, s.hit)
    local way = hit and rest * hit.fraction or rest
    x, y, rest = x + way * ux, y + way * uy, rest - way
    path[#path + 1], path[#path + 2] = x, y
    if not hit or hit.shape.category == DISC then break end
    local along = 2 * (ux * hit.nx + uy * hit.ny)
    ux, uy = ux - along * hit.nx, uy - along * hit.ny
  end
  local gone = s.p.length - rest
  local function fold(at, half) return math.abs((at + half) % (4 * half) - 2 * half) - half end
  local miss = math.abs(fold(LAMP_X + gone * sx - 2 * W, W) - x) + math.abs(fold(LAMP_Y + gone * sy - 2 * H, H) - y)
  s.path, s.gone, s.unfolded = path, gone, math.max(s.unfolded, miss)
end

function scene.update(s)
  s.world:raycast_many(s.rays, s.scan, s.seeing)
  s.near, s.seen = math.huge, {}
  for i, fraction in ipairs(s.scan.fraction) do
    local c, n = s.rays[4 * i - 1] / 20, s.rays[4 * i] / 20
    s.worst = math.max(s.worst, math.abs(20 * fraction - range(s, c, n)))
    s.near = math.min(s.near, 20 * fraction)
    local shape = s.scan.shape[i]
    if shape and shape.category == DISC then s.seen[shape] = true end
  end
  shine(s)
end

local function seen(s)
  local count = 0
  for _ in pairs(s.seen) do count = count + 1 end
  return count
end

function scene.measure(s) return { near = s.near, seen = seen(s), beam = s.gone } end

function scene.check(s)
  return s.worst < 1e-9, ("the largest error of a distance is %.3g m, 1e-9 allowed"):format(s.worst),
    s.unfolded < 1e-9, ("the end of the beam is %.3g m from the exact one, 1e-9 allowed"):format(s.unfolded),
    seen(s) > 0, ("%d of %d discs are seen, at least one expected"):format(seen(s), #s.discs)
end

function scene.draw(s, view)
  for i, fraction in ipairs(s.scan.fraction) do
    local x, y = 20 * fraction * s.rays[4 * i - 1] / 20, 20 * fraction * s.rays[4 * i] / 20
    view:line(0, 0, x, y, "#56b4e960")
    if s.scan.shape[i] and s.scan.shape[i].category == DISC then view:point(x, y, "blue") end
  end
  for i = 1, #s.path - 2, 2 do view:line(s.path[i], s.path[i + 1], s.path[i + 2], s.path[i + 3], "red") end
  view:point(LAMP_X, LAMP_Y, "red")
end

return scene
