-- A belt sorts crates by friction: crates that grip fly far.
local impel = require "impel"
local m = impel.math

local scene = {
  title = "Conveyor",
  about = "A belt is a static shape with a surface_speed. A crate of wood reaches the belt's speed v after the "
    .. "distance v^2 / (2 mu g) and flies into the far bin. A crate of ice slips until the end of the belt and falls "
    .. "into the near bin. A mix rule computes the friction of each pair of materials once.",
  duration = 10, -- [s]
  view = { x = 0.3, y = 0.9, height = 5.6 },
  units = { wood = "m", ice = "m", disc = "m" },
}

scene.params = {
  speed = { 2.0, min = 0.5, max = 5, help = "speed of the belt [m/s]" },
  wood = { 0.5, min = 0.01, max = 1, help = "coefficient of friction of wood" },
  ice = { 0.06, min = 0.01, max = 1, help = "coefficient of friction of ice" },
  rolling = { 0.06, min = 0.005, max = 0.2, help = "rolling resistance of the disc that rolls on the shelf" },
}

local G, TOP, SIZE, START = 9.81, 2, 0.3, -0.8 -- gravity [m/s^2]; height of the belt, size and first x of a crate [m]
local WAY = SIZE / 2 - START -- distance until no part of a crate is on the belt [m]
local LAUNCH = 1.5 -- initial speed of the disc [m/s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  world:material("rubber", { friction = 1, surface_speed = p.speed })
  world:material("wood", { friction = p.wood })
  world:material("ice", { friction = p.ice })
  local s = { world = world, p = p, crates = {}, asked = {} }
  world:mix_rule("friction", function(a, b) -- mixed friction: the smaller of the two
    s.asked[#s.asked + 1] = a.name .. "-" .. b.name
    return m.min(a.friction, b.friction)
  end)
  local works = world:body { type = "static", name = "works" }
  works:box { 1, 0.2, center = { -0.5, TOP - 0.1 }, material = "rubber", name = "belt" }
  for _, x in ipairs { 0.3, 1.1, 2.2 } do works:box { 0.06, 1.4, center = { x, -0.8 } } end -- walls of the two bins
  works:box { 1.96, 0.1, center = { 1.25, -1.5 } }
  works:box { 4, 0.1, center = { 0, 2.85 }, name = "shelf" }
  s.disc = world:body { name = "disc", position = { -1.7, 3.1 }, velocity = { LAUNCH, 0 } }
  s.disc.angular_velocity = -LAUNCH / 0.2
  s.disc:circle { radius = 0.2, rolling_resistance = p.rolling }
  return s
end

function scene.update(s, dt)
  if s.world.tick % m.floor(2 / dt + 0.5) == 0 and #s.crates < 5 then
    local material = #s.crates % 2 == 0 and "wood" or "ice"
    local body = s.world:body { name = material, position = { START, TOP + SIZE / 2 }, fixed_rotation = true }
    body:box { SIZE, SIZE, material = material }
    s.crates[#s.crates + 1] = { body = body, material = material }
  end
  for _, crate in ipairs(s.crates) do
    local x, y = crate.body:position()
    local vx = crate.body:velocity()
    if x < SIZE / 2 then crate.speed = vx end -- the last value is the crate's speed at the end of the belt
    if not crate.landed and y < SIZE / 2 then crate.landed = x end
  end
end

-- Return the speed of a crate that leaves the belt [m/s], and x where this crate lands [m].
local function expected(s, material)
  local v = m.min(s.p.speed, m.sqrt(2 * m.min(s.p[material], 1) * G * WAY))
  return v, SIZE / 2 + v * m.sqrt(2 * TOP / G)
end

function scene.measure(s)
  -- distance that the disc rolled, and x where the last crate of each material fell [m]
  local last = { disc = (s.disc:position()) + 1.7, wood = 0, ice = 0 }
  for _, crate in ipairs(s.crates) do last[crate.material] = crate.landed or last[crate.material] end
  return last
end

function scene.check(s)
  local results = {}
  local function claim(ok, ...)
    results[#results + 1] = ok
    results[#results + 1] = select("#", ...) > 1 and (...):format(select(2, ...)) or (...)
  end
  for i, crate in ipairs(s.crates) do
    local v, x = expected(s, crate.material)
    local name = ("crate %d of %s"):format(i, crate.material)
    local speed, landed = crate.speed or 0, crate.landed or 0
    claim(m.abs(speed - v) < 0.02 * v, "%s left the belt at %.3f m/s, %.3f expected", name, speed, v)
    claim(m.abs(landed - x) < 0.04 * x, "%s landed at %.3f m, %.3f expected", name, landed, x)
  end
  claim(#s.crates == 5, "not all of the five crates have been made")
  local way = 3 * LAUNCH ^ 2 / (4 * s.p.rolling * G)
  local rolled = s.disc:position() + 1.7
  claim(m.abs(rolled - way) < 0.02 * way, "the disc rolled %.3f m, %.3f expected", rolled, way)
  table.sort(s.asked)
  local twice = false
  for i = 2, #s.asked do twice = twice or s.asked[i] == s.asked[i - 1] end
  claim(not twice, "the mix rule was called twice for a pair of materials: " .. table.concat(s.asked, ", "))
  return table.unpack(results)
end

function scene.draw(s, view)
  for i = 0, 3 do -- marks that move with the belt
    local x = -1 + (i / 4 + s.p.speed * s.world.time) % 1
    view:line(x, TOP - 0.2, x, TOP - 0.06, "grey")
  end
  view:arrow(-0.9, TOP - 0.32, -0.1, TOP - 0.32, "grey")
  for i, crate in ipairs(s.crates) do
    local x, y = crate.body:position()
    view:text(x, y, crate.material, "grey", "center")
    if not crate.landed then view:trail("crate" .. i, x, y) end
  end
  view:text(1.65, -1.75, "wood", "grey", "center")
  view:text(0.7, -1.75, "ice", "grey", "center")
end

return scene
