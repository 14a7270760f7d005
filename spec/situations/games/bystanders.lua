-- The motion of a pile has the same bits with and without bystanders, bodies far from the pile.
-- Source: libgdx issue 6864 (an unrelated body changes the result), planck.js issue 282, matter.js issue 885.
local impel = require "impel"

local scene = {
  title = "Bystanders", about = "Distant bodies do not change how a pile falls.", duration = 5,
  units = { off = "m" },
}
scene.params = {
  boxes = 15, bystanders = 30,
  kind = { 1, integer = true, min = 1, max = 3, help = "1: boxes that fall, 2: a chain that swings, 3: motors" },
}

local function pile(world, count)
  local boxes = {}
  for i = 1, count do
    boxes[i] = world:body { position = { i % 3 * 0.4, i * 1.2 }, angle = i * 0.3 }
    boxes[i]:box { 1, 1 }
  end
  return boxes
end

local kinds = {}

kinds[1] = function(world, count)
  for i = 1, count do world:body { position = { 100 + i % 5, i * 1.1 }, angle = i * 0.7 }:box { 1, 1 } end
end

kinds[2] = function(world, count)
  local before = world.ground
  for i = 1, count do
    local link = world:body { position = { 100 + i, 40 } }
    link:box { 1, 0.2, mask = 0 }
    world:revolute(before, link, { anchor = { 99.5 + i, 40 } })
    before = link
  end
end

kinds[3] = function(world, count)
  for i = 1, count do
    local wheel = world:body { position = { 100 + 3 * i, 10 } }
    wheel:circle { radius = 1 }
    world:revolute(world.ground, wheel, { anchor = { 100 + 3 * i, 10 }, motor = { speed = i, max_force = 5 } })
  end
end

function scene.setup(p)
  local world = impel.world {}
  local alone = impel.world {}
  for _, each in ipairs { world, alone } do
    each:body { type = "static" }:box { 400, 1, center = { 0, -0.5 } }
  end
  local boxes, twins = pile(world, p.boxes), pile(alone, p.boxes)
  kinds[p.kind](world, p.bystanders)
  return { world = world, alone = alone, boxes = boxes, twins = twins, off = 0 }
end

function scene.update(s)
  s.alone.solver = s.world.solver -- the runner sets the solver of s.world only
  for i, box in ipairs(s.boxes) do
    local x, y = box:position()
    local tx, ty = s.twins[i]:position()
    s.off = math.max(s.off, math.abs(x - tx), math.abs(y - ty), math.abs(box.angle - s.twins[i].angle))
  end
  s.alone:step() -- both worlds have made the same number of steps
end

function scene.measure(s) return { off = s.off } end

function scene.check(s)
  -- No force acts between the pile and the bystanders.
  return s.off == 0, ("a box is %.3g m or rad off its pose in the world without bystanders"):format(s.off)
end

return scene, { vary = { kind = { 1, 2, 3 }, bystanders = { 1, 30 } }, solvers = { "si", "xpbd" } }
