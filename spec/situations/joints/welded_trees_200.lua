-- Random trees of twelve welded bodies in space are pushed once. No tree gains kinetic energy.
-- Source: Box2D issues 508 (welded rafts become non-finite) and 997 (a welded windmill spins out of control).
local impel = require "impel"

local scene = {
  title = "200 welded trees", about = "Welded trees in space gain no kinetic energy.", duration = 10,
  units = { worst = "of the initial value", grown = "trees" },
}
scene.params = { first = { 1000, help = "seed of the first tree" }, trees = 20, bodies = 12, substeps = { 4, min = 1 } }

-- Density of the dense bodies divided by the density of the light bodies, in the order of the trees.
local RATIOS = { 1, 3, 10, 100, 1000 }

local function plant(world, p, k)
  local random, all = impel.rng.new(p.first + k), {}
  for i = 1, p.bodies do
    local angle, x, y = 2 * math.pi * random:random(), 40 * k, 0
    local parent = all[random:random(math.max(1, i - 1))]
    if parent then x, y = parent:world_point(random:random() - 0.5, 0) end -- a random position along the parent body
    local c, s = impel.math.cos(angle), impel.math.sin(angle)
    all[i] = world:body { position = { x + 0.5 * c, y + 0.5 * s }, angle = angle }
    all[i]:box { 1, 0.3, density = random:random() < 0.5 and 1 or RATIOS[k % #RATIOS + 1], mask = 0 }
    if parent then world:weld(parent, all[i], { anchor = { x, y } }) end
  end
  all[1]:set_velocity(0.01, 0)
  return all
end

local function kinetic(bodies)
  local sum = 0
  for _, body in ipairs(bodies) do
    local x, y = body:velocity()
    sum = sum + body.mass * (x * x + y * y) / 2 + body.inertia * body.angular_velocity ^ 2 / 2
  end
  return sum
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = p.substeps }
  local s = { world = world, trees = {}, start = {}, most = {} }
  for k = 1, p.trees do
    s.trees[k] = plant(world, p, k)
    s.start[k], s.most[k] = kinetic(s.trees[k]), 0
  end
  return s
end

function scene.update(s)
  if s.world.tick % 5 ~= 0 then return end
  for k, tree in ipairs(s.trees) do s.most[k] = math.max(s.most[k], kinetic(tree) / s.start[k]) end
end

function scene.measure(s)
  local worst, grown = 0, 0
  for _, most in ipairs(s.most) do
    worst = math.max(worst, most)
    if most > 1.01 then grown = grown + 1 end
  end
  return { worst = worst, grown = grown }
end

function scene.check(s)
  local now = scene.measure(s)
  -- 1 % for rounding and compliant joints.
  return now.grown == 0, ("%d trees gained energy, up to %.3g of the initial value"):format(now.grown, now.worst)
end

return scene, {
  vary = { first = { 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900 } },
}
