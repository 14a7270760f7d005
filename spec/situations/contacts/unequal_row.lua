-- A slow disc or a bullet hits a row of elastic discs whose masses are very different. Energy and momentum are
-- constant.
-- Source: box2d issue 1009 and planck.js issue 132 (bullets that hit rows).
local impel = require "impel"

local scene = {
  title = "Unequal row", about = "Discs of unequal masses in a row keep their energy.", duration = 1,
  units = { least = "1", most = "1", momentum = "1" },
}
-- first, last: densities of the first and the last disc; the middle disc has density 1
scene.params = { speed = 5.0, first = 20.0, last = 20.0, gap = 0.0, bullet = false }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local row = { { -2.3, p.speed, 0.5, p.first }, { 0, 0, 0.2, 1 }, { 0.7 + p.gap, 0, 0.5, p.last } }
  for i, disc in ipairs(row) do
    local body = world:body { position = { disc[1], 0 }, velocity = { disc[2], 0 }, bullet = p.bullet and i == 1 }
    body:circle { radius = disc[3], density = disc[4], restitution = 1, friction = 0 }
  end
  local s = { world = world, p = p, start = world:energy(), least = 1, most = 1 }
  s.momentum = world:momentum()
  return s
end

function scene.update(s)
  local energy = s.world:energy() / s.start
  s.least, s.most = math.min(s.least, energy), math.max(s.most, energy)
end

function scene.measure(s)
  return { least = s.least, most = s.most, momentum = s.world:momentum() / s.momentum }
end

function scene.check(s)
  local off = math.abs(s.world:momentum() / s.momentum - 1)
  return s.most < 1.001, ("the energy rises to %.4f of its initial value"):format(s.most),
    s.least > 0.999, ("the energy falls to %.4f of its initial value"):format(s.least),
    off < 1e-4, ("the momentum changes by %.2g of its initial value"):format(off)
end

return scene, {
  vary = {
    first = { 2, 20, 50 }, last = { 2, 20, 500 }, gap = { 0, 0.3 }, speed = { 5, 200 }, bullet = { false, true },
  },
}
