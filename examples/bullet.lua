-- A light bullet hits a heavy block: how fast do they move on?
local impel = require "impel"

local scene = {
  title = "Bullet",
  about = "A bullet of 10 g at 100 m/s hits a block of 10 kg: its momentum of 1 N s moves both at 0.0999 m/s. An "
    .. "impact is an impulse that is applied once, not a force in every step of the contact.",
  duration = 1, -- [s]
  view = { x = -0.5, y = 0, height = 2.2 },
}

scene.params = {
  speed = { 100.0, min = 1, max = 1000, help = "speed of the bullet [m/s]" },
  bullet_mass = { 0.01, min = 0.001, max = 1, help = "mass of the bullet [kg]" },
  block_mass = { 10.0, min = 0.1, max = 1000, help = "mass of the block [kg]" },
  distance = { 2.0, min = 0.02, max = 10, help = "distance from the bullet to the block [m]" },
  thickness = { 0.5, min = 0.01, max = 2, help = "thickness of the block [m]" },
  bullet = { true, help = "continuous collision for the bullet; false: the bullet flies through the block" },
}

local RADIUS = 0.01 -- radius of the bullet [m]

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, sleep = false }
  local block = world:body { name = "block", position = { p.thickness / 2, 0 }, mass = p.block_mass }
  block:box { p.thickness, 1 }
  local bullet = world:body {
    name = "bullet", position = { -p.distance, 0 }, velocity = { p.speed, 0 }, mass = p.bullet_mass, bullet = p.bullet,
  }
  bullet:circle { radius = RADIUS }
  local s = { world = world, block = block, bullet = bullet, momentum = (world:momentum()), half = p.thickness / 2,
    hits = 0, impulse = 0 }
  world:on("hit", function(event)
    s.hits, s.impulse = s.hits + 1, s.impulse + event.impulse
  end)
  return s
end

function scene.measure(s)
  return { block = (s.block:velocity()), bullet = (s.bullet:velocity()), x = (s.block:position()),
    momentum = (s.world:momentum()) }
end

function scene.check(s)
  local m, big = s.bullet.mass, s.block.mass
  local expected = s.momentum / (m + big) -- without restitution bullet and block move on at one speed
  local block, bullet = s.block:velocity(), s.bullet:velocity()
  local impulse = big * expected
  local gap = s.block:position() - s.half - s.bullet:position() - RADIUS
  if s.hits == 0 and gap > 0 then return false, ("the bullet has not arrived: it is %.2f m away"):format(gap) end
  return math.abs(block - expected) < 0.01 * expected,
    ("the block moves at %.5f m/s, %.5f expected"):format(block, expected),
    math.abs(bullet - expected) < 0.01 * expected,
    ("the bullet moves at %.5f m/s, %.5f expected"):format(bullet, expected),
    gap > -1e-3, ("the bullet is %.1f mm inside the block"):format(-1e3 * gap),
    math.abs(s.world:momentum() / s.momentum - 1) < 1e-5,
    ("momentum is %.6f N s, %.6f expected"):format(s.world:momentum(), s.momentum),
    s.hits == 1 and math.abs(s.impulse - impulse) < 0.01 * impulse,
    ("%d hits of %.4f N s in all, 1 of %.4f expected"):format(s.hits, s.impulse, impulse)
end

return scene
