-- A large box that falls on a small box comes to rest leaning on it. The boxes do not overlap each other or the floor.
-- Source: box2dweb issue 11 (a box on a smaller box never stops wiggling), phaser-3 blog issue 1.
local impel = require "impel"

local scene = {
  title = "Box leans on a small box", about = "A large box comes to rest leaning on a small one.", duration = 12,
  units = { speed = "m/s", spin = "rad/s", deep = "m" },
}
scene.params = { small = 0.2, angle = 0.35, friction = 0.6 } -- side of the small box [m]; initial angle [rad]

local WIDTH, HEIGHT = 2, 1 -- size of the large box [m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 }, friction = p.friction }
  local small = world:body { position = { 0, p.small / 2 } }
  small:box { p.small, p.small, friction = p.friction }
  local large = world:body { position = { 0.6, 1.2 }, angle = p.angle }
  large:box { WIDTH, HEIGHT, friction = p.friction }
  return { world = world, small = small, large = large, p = p, speed = 0, spin = 0, deep = 0 }
end

-- Return the largest depth of a corner of `body`, a box of width w and height h, in the box `other` or in the floor.
local function depth(body, w, h, other, other_w, other_h)
  local deepest = 0
  for i = -1, 1, 2 do
    for j = -1, 1, 2 do
      local x, y = body:world_point(i * w / 2, j * h / 2)
      local lx, ly = other:local_point(x, y)
      deepest = math.max(deepest, -y, math.min(other_w / 2 - math.abs(lx), other_h / 2 - math.abs(ly)))
    end
  end
  return deepest
end

function scene.update(s)
  if s.world.time < 10 then return end
  local size = s.p.small
  s.deep = math.max(s.deep, depth(s.small, size, size, s.large, WIDTH, HEIGHT),
    depth(s.large, WIDTH, HEIGHT, s.small, size, size))
  for _, body in ipairs { s.small, s.large } do
    local vx, vy = body:velocity()
    s.speed, s.spin = math.max(s.speed, math.abs(vx), math.abs(vy)), math.max(s.spin, math.abs(body.angular_velocity))
  end
end

function scene.measure(s) return { speed = s.speed, spin = s.spin, deep = s.deep } end

function scene.check(s)
  -- At rest; 1 mm/s is not visible.
  return s.speed < 1e-3, ("a box moves at %.4f m/s after 10 s"):format(s.speed),
    s.spin < 1e-3, ("a box turns at %.4f rad/s after 10 s"):format(s.spin), -- 1 mm/s at 1 m
    s.deep < 0.01, ("a corner is %.4f m deep"):format(s.deep) -- twice the slop of 5 mm
end

return scene, {
  vary = { small = { 0.1, 0.2, 0.4 }, angle = { 0.1, 0.35, 0.8 }, friction = { 0.3, 0.6 } },
  solvers = { "si", "xpbd", "direct" }, peers = true,
}
