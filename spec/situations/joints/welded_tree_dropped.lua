-- A random tree of welded bodies falls on a floor. No part is faster than the energy of the fall allows. At rest the
-- welds are closed.
-- Source: Box2D issue 997 (a welded windmill spins out of control); Jolt issue 1392 (light parts fixed to heavy parts);
-- ByteArena/box2d issue 9 (a welded body flies off on landing).
local impel = require "impel"

local scene = {
  title = "Welded tree, dropped", about = "A welded tree that lands never gains energy.", duration = 10,
  units = { speed = "of the bound", gain = "of the energy", open = "m or rad" },
}
scene.params = { tree = { 1, help = "seed of the tree" }, ratio = 10.0, drop = 0.75, bodies = 12 }

local function add_bodies(world, p)
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
  return all
end

-- Return the total mass of the bodies, their centre of mass and the inertia about the centre of mass.
local function of_all(bodies)
  local m, x, y, inertia = 0, 0, 0, 0
  for _, body in ipairs(bodies) do
    local bx, by = body:position()
    m, x, y = m + body.mass, x + body.mass * bx, y + body.mass * by
  end
  x, y = x / m, y / m
  for _, body in ipairs(bodies) do
    local bx, by = body:position()
    inertia = inertia + body.inertia + body.mass * ((bx - x) ^ 2 + (by - y) ^ 2)
  end
  return m, x, y, inertia
end

-- Return the larger of a weld's gap [m] and the weld's rotation modulo whole turns [rad].
local function opening(weld)
  local ax, ay, bx, by = weld:anchors()
  local turn = 2 * math.abs(impel.math.sin(weld:coordinate("angle").value / 2))
  return math.max(math.sqrt((bx - ax) ^ 2 + (by - ay) ^ 2), turn)
end

function scene.setup(p)
  local world = impel.world {}
  local all, low = add_bodies(world, p), 0
  for _, body in ipairs(all) do
    for _, corner in ipairs { { -0.5, -0.15 }, { 0.5, -0.15 }, { 0.5, 0.15 }, { -0.5, 0.15 } } do
      low = math.min(low, select(2, body:world_point(corner[1], corner[2])))
    end
  end
  world:body { type = "static" }:box { 100, 1, center = { 0, low - p.drop - 0.5 } }
  local m, x, y, inertia = of_all(all)
  local height, far = y - low + p.drop, 0
  for _, body in ipairs(all) do
    local bx, by = body:position()
    far = math.max(far, math.sqrt((bx - x) ^ 2 + (by - y) ^ 2))
  end
  -- The energy of the fall gives M V^2 / 2 + I w^2 / 2 <= M g h. At the distance r from its centre of mass, a
  -- rigid body has at most the speed V + w r <= sqrt(2 g h (1 + M r^2 / I)).
  local fastest = math.sqrt(2 * 9.81 * height * (1 + m * far ^ 2 / inertia))
  local k, u = world:energy()
  return { world = world, all = all, p = p, fastest = fastest, start = k + u, scale = m * 9.81 * height,
    speed = 0, gain = 0, open = 0 }
end

function scene.update(s)
  local k, u = s.world:energy()
  s.gain = math.max(s.gain, (k + u - s.start) / s.scale)
  for _, body in ipairs(s.all) do
    local x, y = body:velocity()
    s.speed = math.max(s.speed, math.sqrt(x * x + y * y) / s.fastest)
  end
  if s.world.time > 9 then
    for joint in s.world:joints() do s.open = math.max(s.open, opening(joint)) end
  end
end

function scene.measure(s) return { speed = s.speed, gain = s.gain, open = s.open } end

function scene.check(s)
  -- Gap of 1 % of a part's length, or of 5 % for a light part between heavy parts.
  local open = s.p.ratio < 50 and 0.01 or 0.05
  -- 5 % for compliant welds.
  return s.speed < 1.05, ("a part reached %.3g times the speed that the energy of the fall allows"):format(s.speed),
    -- Float rounding.
    s.gain < 0.001, ("the tree's energy rose by %.2g of the energy of the fall"):format(s.gain),
    s.open < open, ("at rest a weld is open by %.3g m or rad"):format(s.open)
end

return scene, {
  vary = { tree = { 1, 2 }, ratio = { 1, 10, 100, 1000 }, drop = { 0.5, 1 } }, solvers = { "direct", "reduced" },
  peers = true,
}
