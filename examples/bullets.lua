-- A shooting range: fast bullets hit thin targets, and nothing passes through.
local impel = require "impel"

local scene = {
  title = "Bullets",
  about = "At 100 m/s a bullet moves 1.7 m in a step, 170 times the thickness of these walls. Continuous collision "
    .. "stops it at a wall, a chain and a pane, stops a spinning rod, and keeps bodies inside a moving box.",
  duration = 2, -- [s]
  view = { x = 0.3, y = 0, height = 5.4 },
}

scene.params = {
  speed = { 100.0, min = 1, max = 1000, help = "speed of the bullets [m/s]" },
  continuous = { true, help = "continuous collision of fast bodies with walls; false: fast bodies pass through" },
  bullet = { true, help = "continuous collision of bullets with dynamic bodies; false: bullets pass the pane" },
}

local RADIUS, MASS = 0.02, 0.01                 -- [m], [kg] of a bullet
local THIN = 0.01                               -- [m], thickness of the targets
local ROWS = { wall = 2.1, chain = 1.1, pane = 0.1 } -- y of the guns [m]
local GUN, TARGET, EVERY, SHOTS = -4, 1, 0.1, 8 -- x of gun and target [m], time between shots [s], shots of each gun
local HALF = 0.7                                -- half the size of the moving box [m]

local function box_that_moves(world, y)
  local box = world:body { type = "kinematic", position = { 3.9, y }, angular_velocity = 3 }
  for _, side in ipairs { -HALF, HALF } do
    box:box { THIN, 2 * HALF + THIN, center = { side, 0 }, restitution = 1, friction = 0 }
    box:box { 2 * HALF + THIN, THIN, center = { 0, side }, restitution = 1, friction = 0 }
  end
  return box
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, continuous = p.continuous, sleep = false }
  local range = world:body { type = "static" }
  range:box { THIN, 0.8, center = { TARGET, ROWS.wall } }
  range:box { THIN, 1.6, center = { TARGET, -1.6 } }
  local y = ROWS.chain -- the chain runs downward, so its solid side is on the right
  range:chain { points = { { 0.7, y + 0.45 }, { 0.97, y + 0.2 }, { 1, y }, { 0.97, y - 0.2 }, { 0.7, y - 0.45 } } }
  local pane = world:body { position = { TARGET, ROWS.pane }, mass = 10 }
  pane:box { THIN, 0.8, category = 8, mask = 16 } -- hit only by bullets of the pane's own gun
  local rod = world:body { position = { -1.5, -1.6 }, velocity = { 6, 0 }, angular_velocity = 50 }
  rod:box { 1, 0.02, restitution = 0.5 }
  local s = { world = world, pane = pane, rod = rod, box = box_that_moves(world, 0), balls = {}, bullets = {}, hits = 0,
    speed = p.speed, bullet = p.bullet, paths = {}, through = {} }
  for i = 1, 6 do
    local body = world:body { position = { 3.9, 0.1 * i - 0.35 }, velocity = { p.speed / i, p.speed / 3 } }
    body:circle { radius = 0.01 * i, restitution = 1, friction = 0, category = 2, mask = 1 }
    s.balls[i] = body
  end
  world:on("hit", function(event) s.hits = event.speed > 0.9 * p.speed and s.hits + 1 or s.hits end)
  return s
end

local function shoot(s, row, slope)
  local body = s.world:body { position = { GUN, ROWS[row] }, velocity = { s.speed, slope * s.speed }, mass = MASS,
    bullet = s.bullet }
  local own = row == "pane"
  body:circle { radius = RADIUS, friction = 0, restitution = 0.6, category = own and 16 or 2, mask = own and 8 or 1 }
  s.bullets[#s.bullets + 1] = { body = body, row = row }
end

local function look(s) -- Record each body that has passed an obstacle.
  for i, bullet in ipairs(s.bullets) do
    local x, y = bullet.body:position()
    local limit = bullet.row == "pane" and s.pane:position() or TARGET
    s.through[i] = s.through[i] or x > limit
    s.paths[i] = s.paths[i] or { GUN, ROWS[bullet.row] }
    table.move({ x, y }, 1, 2, #s.paths[i] + 1, s.paths[i])
  end
  s.through.rod = s.through.rod or s.rod:position() > TARGET
  for i, ball in ipairs(s.balls) do
    local x, y = s.box:local_point(ball:position())
    s.through["ball " .. i] = s.through["ball " .. i] or math.abs(x) > HALF or math.abs(y) > HALF
  end
end

function scene.update(s)
  look(s)
  local shots = #s.bullets / 3
  if shots < SHOTS and s.world.time >= EVERY * shots then
    local slope = 0.02 * (shots - (SHOTS - 1) / 2)
    shoot(s, "wall", slope)
    shoot(s, "chain", slope)
    shoot(s, "pane", 0)
  end
  s.box:set_velocity(0, 6 * impel.math.cos(4 * s.world.time)) -- the box moves 1.5 m up and down
end

local function count(s)
  local through = 0
  for _, gone in pairs(s.through) do through = through + (gone and 1 or 0) end
  return through
end

function scene.measure(s)
  return { through = count(s), hits = s.hits, pane = (s.pane:velocity()) }
end

function scene.check(s)
  look(s)
  local momentum, given = s.pane.mass * s.pane:velocity(), SHOTS * MASS * s.speed
  for _, bullet in ipairs(s.bullets) do
    momentum = momentum + (bullet.row == "pane" and MASS * bullet.body:velocity() or 0)
  end
  return count(s) == 0, ("%d of %d bodies passed through an obstacle"):format(count(s), #s.bullets + 1 + #s.balls),
    math.abs(momentum / given - 1) < 1e-6,
    ("the momentum of the pane and its bullets is %.6f N s, %.6f expected"):format(momentum, given),
    s.hits >= #s.bullets, ("%d hits at full speed, %d expected"):format(s.hits, #s.bullets)
end

function scene.draw(s, view)
  local colours = { wall = "red", chain = "orange", pane = "blue" }
  for i, path in ipairs(s.paths) do
    for k = 1, #path - 2, 2 do view:line(path[k], path[k + 1], path[k + 2], path[k + 3], colours[s.bullets[i].row]) end
  end
  for _, y in pairs(ROWS) do view:point(GUN, y, "black") end
end

return scene
