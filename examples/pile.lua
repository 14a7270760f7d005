-- A heap of everything: random shapes rain into a container and come to rest.
local impel = require "impel"

local scene = {
  title = "Pile",
  about = "Circles, boxes, capsules and polygons fall into a container. The seed determines their sizes and places: "
    .. "another --seed gives another pile. At the end no body may be outside the container or overlap another body.",
  duration = 8, -- [s]
  view = { x = 0, y = 5, height = 13 },
}

scene.params = {
  count = { 120, integer = true, min = 1, max = 400, help = "number of bodies" },
  width = { 12.0, min = 6, max = 100, help = "width of the container [m]" },
  friction = { 0.4, min = 0, max = 2, help = "coefficient of friction of every shape" },
}

-- Return the corners of a regular polygon of n corners on a circle.
local function corners(n, radius)
  local points = {}
  for i = 1, n do
    local a = 2 * math.pi * i / n
    points[i] = { radius * math.cos(a), radius * math.sin(a) }
  end
  return points
end

local makers = {
  function(body, size, friction) body:circle { radius = size, friction = friction, rolling_resistance = 0.02 } end,
  function(body, size, friction) body:box { 2 * size, 1.4 * size, friction = friction } end,
  function(body, size, friction)
    body:capsule { from = { -size, 0 }, to = { size, 0 }, radius = size / 2, friction = friction }
  end,
  function(body, size, friction, n) body:polygon { points = corners(n, size), friction = friction } end,
}

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  local container = world:body { type = "static", name = "container" }
  local half = p.width / 2
  local columns = math.floor(p.width / 1.2)
  local top = 2 + 1.2 * math.ceil(p.count / columns)
  container:box { p.width + 2, 1, center = { 0, -0.5 }, friction = p.friction }
  container:box { 1, top + 1, center = { -half - 0.5, top / 2 }, friction = p.friction }
  container:box { 1, top + 1, center = { half + 0.5, top / 2 }, friction = p.friction }
  local bodies = {}
  for i = 1, p.count do
    local x = ((i - 1) % columns + 0.5) * p.width / columns - half
    local y = 1 + 1.2 * ((i - 1) // columns)
    local body = world:body { position = { x, y }, angle = 2 * math.pi * world:random() }
    local size = 0.2 + 0.15 * world:random()
    makers[world:random(#makers)](body, size, p.friction, world:random(3, 8))
    bodies[i] = body
  end
  return { world = world, bodies = bodies, half = half, top = top }
end

-- Return the deepest overlap of all contacts, including those of sleeping bodies [m].
local function deepest(world)
  local overlap = 0
  for contact in world:contacts() do
    for _, _, _, separation in contact:points() do overlap = math.max(overlap, -separation) end
  end
  return overlap
end

function scene.measure(s)
  local kinetic, potential = s.world:energy()
  local counts = s.world:counts()
  return { kinetic = kinetic, potential = potential, awake = counts.awake, contacts = counts.contacts,
    overlap = deepest(s.world) }
end

function scene.check(s)
  for i, body in ipairs(s.bodies) do
    local x, y = body:position()
    if math.abs(x) > s.half or y < 0 or y > s.top then
      return false, ("body %d left the container: it is at %.2f, %.2f"):format(i, x, y)
    end
  end
  local mass = 0
  for _, body in ipairs(s.bodies) do mass = mass + body.mass end
  local speed = math.sqrt(2 * s.world:energy() / mass) -- root mean square, including rotation
  local overlap = deepest(s.world)
  return speed < 0.05, ("the pile still moves at %.3f m/s, less than 0.05 expected"):format(speed),
    overlap < 0.01, ("the worst overlap is %.2f mm, less than 10 expected"):format(1e3 * overlap)
end

return scene
