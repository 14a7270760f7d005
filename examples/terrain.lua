-- Terrain of two shapes: a list of heights that contains a pit, and a chain to the right of the list.
local impel = require "impel"

local scene = {
  title = "Terrain",
  about = "A disc slides without friction through a valley. One half of the valley is a list of heights, the other "
    .. "half is a chain. Conservation of energy gives v = sqrt(2 g h) at the bottom and the same height on the other "
    .. "side. In a list of heights, false makes a pit.",
  duration = 8, -- [s]
  view = { x = -3, y = 3, height = 16 },
  units = { x = "m", y = "m", speed = "m/s", energy = "J" },
}

scene.params = {
  depth = { 4.0, min = 1, max = 5, help = "depth of the valley [m]" },
  spacing = { 0.05, min = 0.02, max = 2, help = "distance between two heights [m]" },
}

local G, RADIUS, HALF = 9.81, 0.3, 10 -- gravity [m/s^2], radius of the disc [m], half the width of the valley [m]
local SHELF, PIT = 6, { -13.6, -12.4 } -- how far the land extends to the left, and the x range of the pit [m]

local function ground(p, x)
  if math.abs(x) > HALF then return p.depth end
  return 0.5 * p.depth * (1 - math.cos(math.pi * x / HALF))
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false, gravity = { 0, -G } }
  local land = world:body { type = "static", name = "land" }
  -- Left of x = 0 the land is a height field, whose last height is at x = 0 for any spacing; right of it, a chain.
  local values, count = {}, math.floor((HALF + SHELF) / p.spacing)
  for i = 0, count do
    local x = (i - count) * p.spacing
    values[i + 1] = not (x > PIT[1] and x < PIT[2]) and ground(p, x)
  end
  land:heights { values = values, spacing = p.spacing, position = { -count * p.spacing, 0 }, friction = 0 }
  local points = {}
  for x = HALF, 1e-9, -p.spacing do points[#points + 1] = { x, ground(p, x) } end
  points[#points + 1] = { 0, 0 }
  land:chain { points = points, friction = 0 }

  local disc = world:body { position = { -8, 0 }, name = "disc" }
  disc:circle { radius = RADIUS, friction = 0 }
  local slope = 0.5 * p.depth * math.pi / HALF * math.sin(math.pi * -8 / HALF)
  local long = math.sqrt(1 + slope * slope) -- the centre is a radius along the normal from the contact point
  disc:set_position(-8 - RADIUS * slope / long, ground(p, -8) + RADIUS / long)
  -- A concave star rests on the shelf; a ball falls into the pit.
  local star, corners = world:body { position = { -11.2, p.depth + 1 }, name = "star" }, {}
  for i = 0, 9 do
    local r, a = i % 2 == 0 and 0.7 or 0.3, math.pi * (0.2 * i + 0.3)
    corners[i + 1] = { r * math.cos(a), r * math.sin(a) }
  end
  star:polygon { points = corners }
  local ball = world:body { position = { 0.5 * (PIT[1] + PIT[2]), p.depth + 2 }, name = "ball" }
  ball:circle { radius = RADIUS }
  local _, y = disc:position()
  return { world = world, disc = disc, star = star, ball = ball, depth = p.depth, start = y, fastest = 0, highest = 0 }
end

function scene.update(s)
  local x, y = s.disc:position()
  if x > 0 and not s.back then
    s.highest = math.max(s.highest, y)
    s.back = s.disc:velocity() < 0
  end
  local vx, vy = s.disc:velocity()
  s.fastest = math.max(s.fastest, math.sqrt(vx * vx + vy * vy))
end

function scene.measure(s)
  local x, y = s.disc:position()
  local vx, vy = s.disc:velocity()
  return { x = x, y = y, speed = math.sqrt(vx * vx + vy * vy), energy = (vx * vx + vy * vy) / 2 + G * y }
end

function scene.check(s)
  local expected = math.sqrt(2 * G * (s.start - RADIUS)) -- at the bottom the centre is a radius above the ground
  local fall, rise = s.start - RADIUS, s.highest - RADIUS
  local _, star = s.star:position()
  local _, ball = s.ball:position()
  -- A corner that turns the velocity by an angle a costs sin(a)^2 of the energy: 1 to 3 % altogether.
  return math.abs(s.fastest / expected - 1) < 0.01,
    ("the speed at the bottom is %.4g m/s, %.4g expected"):format(s.fastest, expected),
    s.back == true and math.abs(rise / fall - 1) < 0.03, ("the disc rose to %.4g m above the bottom, %.4g "
      .. "expected"):format(rise, fall),
    star > s.depth + 0.2 and s.star:kinetic_energy() < 1e-3,
    ("the star should be at rest above the ground; it is at a height of %.3g m or still moves"):format(star),
    ball < 0, "the ball did not fall into the pit"
end

return scene
