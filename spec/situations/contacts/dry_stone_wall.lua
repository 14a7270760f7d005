-- A wall without mortar stands still. Its stones have unequal widths and inclined joints. Every stone lies flat, with
-- its centre above its base.
-- Source: matter-js issue 188 (a wall of overlapping bricks does not stand) and cannon.js issue 348 (bricks slide
-- slowly out of a wall).
local impel = require "impel"

local LENGTH, HEIGHT, SLOP = 6, 0.4, 0.005 -- length of the wall, height of a course, overlap at rest [m]

local scene = {
  title = "Dry stone wall", about = "A wall of unequal stones stands without mortar.", duration = 12,
  units = { sunk = "m", aside = "m", creep = "m", turned = "rad" },
}
scene.params = { courses = 6, friction = 0.5, wall_seed = 1 }

function scene.setup(p)
  local world, random = impel.world { sleep = false }, impel.rng.new(p.wall_seed)
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 }, friction = p.friction }
  local s = { world = world, stones = {}, p = p }
  for row = 0, p.courses - 1 do
    -- x: position of the middle of the next joint; lean: x of the joint's top minus x of the joint's foot
    local x, lean = -LENGTH / 2, 0
    while x < LENGTH / 2 do
      local next_x, next_lean = x + 0.5 + 0.6 * random:random(), 0.3 * random:random() - 0.15
      if next_x > LENGTH / 2 - 0.5 then next_x, next_lean = LENGTH / 2, 0 end
      local middle = (x + next_x) / 2
      local stone = world:body { position = { middle, (row + 0.5) * HEIGHT } }
      stone:polygon { friction = p.friction, points = {
        { x - lean / 2 - middle, -HEIGHT / 2 }, { next_x - next_lean / 2 - middle, -HEIGHT / 2 },
        { next_x + next_lean / 2 - middle, HEIGHT / 2 }, { x + lean / 2 - middle, HEIGHT / 2 },
      } }
      s.stones[#s.stones + 1] = { body = stone, start = { stone:position() } }
      x, lean = next_x, next_lean
    end
  end
  return s
end

function scene.update(s)
  if s.early or s.world.time < 6 then return end
  s.early = {}
  for i, stone in ipairs(s.stones) do s.early[i] = { stone.body:position() } end
end

function scene.measure(s)
  local now = { sunk = 0, aside = 0, creep = 0, turned = 0 }
  for i, stone in ipairs(s.stones) do
    local x, y = stone.body:position()
    now.sunk, now.aside = math.max(now.sunk, stone.start[2] - y), math.max(now.aside, math.abs(x - stone.start[1]))
    now.creep = math.max(now.creep, math.abs(x - s.early[i][1]), math.abs(y - s.early[i][2]))
    now.turned = math.max(now.turned, math.abs(stone.body.angle))
  end
  return now
end

function scene.check(s)
  local now = scene.measure(s)
  -- Each course settles by the slop plus 1 mm. A stone sinks and moves aside by at most this distance times the number
  -- of courses. The narrowest base is 0.35 m.
  local bound = s.p.courses * (SLOP + 0.001)
  return now.sunk < bound, ("a stone has sunk by %.4f m"):format(now.sunk),
    now.aside < bound, ("a stone has moved sideways by %.4f m"):format(now.aside),
    now.turned < bound / 0.35, ("a stone has turned by %.4f rad"):format(now.turned),
    now.creep < 1e-3, ("a stone crept by %.4f m in 6 s"):format(now.creep) -- at rest
end

return scene, {
  vary = { courses = { 3, 8 }, friction = { 0.3, 0.8 }, wall_seed = { 1, 2 } }, solvers = { "si" }, peers = true,
}
