-- A random tree of welded bodies in space is pushed once. Its kinetic energy cannot grow.
-- Source: Box2D issues 508 (welded rafts become non-finite) and 997 (a welded windmill spins out of control).
local impel = require "impel"

local scene = {
  title = "Welded tree", about = "A welded tree in space gains no kinetic energy.", duration = 20,
  units = { energy = "of the initial value", open = "m or rad" },
}
scene.params = { tree = { 1, help = "seed of the tree" }, ratio = 10.0, bodies = 12 }

-- Return the larger of a weld's gap [m] and the weld's rotation modulo whole turns [rad].
local function opening(weld)
  local ax, ay, bx, by = weld:anchors()
  local turn = 2 * math.abs(impel.math.sin(weld:coordinate("angle").value / 2))
  return math.max(math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2), turn)
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local random, all = impel.rng.new(p.tree), {}
  for i = 1, p.bodies do
    local angle, x, y = 6.28 * random:random(), 0, 0
    local parent = all[random:random(math.max(1, i - 1))]
    if parent then x, y = parent:world_point(random:random() - 0.5, 0) end -- a random position along the parent body
    local c, s = impel.math.cos(angle), impel.math.sin(angle)
    all[i] = world:body { position = { x + 0.5 * c, y + 0.5 * s }, angle = angle }
    all[i]:box { 1, 0.3, density = random:random() < 0.5 and 1 or p.ratio, group = -1 }
    if parent then world:weld(parent, all[i], { anchor = { x, y } }) end
  end
  all[1]:set_velocity(0.01, 0)
  return { world = world, start = (world:energy()), most = 0, open = 0 }
end

function scene.update(s)
  s.most = math.max(s.most, (s.world:energy()) / s.start)
  for joint in s.world:joints() do s.open = math.max(s.open, opening(joint)) end
end

function scene.measure(s) return { energy = s.most, open = s.open } end

function scene.check(s)
  return s.most < 1.001,
    -- The bound is for float rounding in 1200 steps.
    ("the tree's energy grew to %.4g of its initial value"):format(s.most),
    -- Parts move at about 10 mm/s, or 0.2 mm in a step. The bound is five times this distance.
    s.open < 0.001, ("a weld opened by %.3g m or rad"):format(s.open)
end

return scene, {
  vary = { tree = { 1, 2, 3, 4, 5 }, ratio = { 1, 10, 100, 1000 } }, solvers = { "reduced" }, peers = true,
}
