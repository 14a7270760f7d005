-- A tower of portals, each a lintel on two slender posts, stands still under a heavy roof.
-- Source: Box2D sample "Card House", cannon.js issue 348 (block structures slowly collapse), jitter issue 10.
local impel = require "impel"

local POST, LINTEL, SLOP = { 0.3, 1.2 }, { 2, 0.25 }, 0.005 -- width and height [m]; SLOP: overlap at rest [m]

local scene = {
  title = "Portal tower", about = "A tower of portals stands under a heavy roof.", duration = 12,
  units = { sunk = "m", aside = "m", turned = "rad", creep = "m" },
}
-- roof: density of the top lintel divided by the density of all other lintels.
scene.params = { storeys = 4, roof = 10.0, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 } }
  local s = { world = world, parts = {}, p = p }
  local function add(x, y, size, density)
    local body = world:body { position = { x, y } }
    body:box { size[1], size[2], density = density }
    s.parts[#s.parts + 1] = { body = body, x = x, y = y }
  end
  for i = 0, p.storeys - 1 do
    local foot = i * (POST[2] + LINTEL[2])
    for side = -1, 1, 2 do add(side * 0.8, foot + POST[2] / 2, POST, 1) end
    add(0, foot + POST[2] + LINTEL[2] / 2, LINTEL, i == p.storeys - 1 and p.roof or 1)
  end
  return s
end

function scene.update(s)
  if s.early or s.world.time < 6 then return end
  s.early = {}
  for i, part in ipairs(s.parts) do s.early[i] = { part.body:position() } end
end

function scene.measure(s)
  local now = { sunk = 0, aside = 0, turned = 0, creep = 0 }
  for i, part in ipairs(s.parts) do
    local x, y = part.body:position()
    now.sunk, now.aside = math.max(now.sunk, part.y - y), math.max(now.aside, math.abs(x - part.x))
    now.turned = math.max(now.turned, math.abs(part.body.angle))
    now.creep = math.max(now.creep, math.abs(x - s.early[i][1]), math.abs(y - s.early[i][2]))
  end
  return now
end

function scene.check(s)
  local now, n = scene.measure(s), s.p.storeys
  -- A storey has contacts below its posts and below its lintel. Each contact settles by SLOP and 1 mm.
  return now.sunk < 2 * n * (SLOP + 0.001), ("a part has sunk by %.4f m"):format(now.sunk),
    -- The tower is symmetric. Each end of a post may move sideways by 1 mm.
    now.aside < 1e-3 * 2 * n, ("a part has moved sideways by %.4f m"):format(now.aside),
    -- An overlap of SLOP at one edge of a post turns the post by SLOP / width.
    now.turned < SLOP / POST[1], ("a part has turned by %.4f rad"):format(now.turned),
    now.creep < 1e-3, ("a part crept by %.4f m in 6 s"):format(now.creep) -- at rest
end

return scene, {
  vary = { storeys = { 1, 3, 6 }, roof = { 1, 10 }, rate = { 60, 240 } }, solvers = { "si" }, peers = true,
}
