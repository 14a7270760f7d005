-- Two bodies overlap at the start. Bodies that move apart continue undisturbed. Bodies at rest separate along the
-- shortest path.
-- Source: matter.js issue 767 and phaser issue 4096 (bodies stick together after one was placed inside the other).
local impel = require "impel"

local scene = {
  title = "Parting shapes", about = "Overlapping bodies that move apart are not slowed.", duration = 3,
  units = { speed = "m/s", gap = "m" },
}
scene.params = { overlap = 0.4, speed = 1.0, kind = { 1, help = "1 disc and disc, 2 box and box, 3 disc and box" } }

local function add(world, x, v, round)
  local body = world:body { position = { x, 0 }, velocity = { v, 0 } }
  if round then
    body:circle { radius = 0.3, friction = 0 }
  else
    body:box { 0.6, 0.6, friction = 0 }
  end
  return body
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local a = add(world, 0, -p.speed, p.kind ~= 2)
  return { world = world, a = a, b = add(world, 0.6 - p.overlap, p.speed, p.kind == 1), p = p, slowest = p.speed }
end

function scene.update(s) s.slowest = math.min(s.slowest, (s.b:velocity())) end

function scene.measure(s)
  local a, b = s.a:position(), s.b:position()
  return { speed = s.slowest, gap = b - a - 0.6 }
end

function scene.check(s)
  local gap = scene.measure(s).gap
  return s.slowest > s.p.speed - 1e-3, ("a body is slowed down to %.3f m/s"):format(s.slowest),
    gap > -0.006, ("the bodies still overlap by %.3f m"):format(-gap) -- slop of 5 mm plus 1 mm
end

return scene, {
  vary = { overlap = { 0.01, 0.1, 0.25, 0.35, 0.5 }, speed = { 0, 0.1, 1, 10 }, kind = { 1, 2, 3 } },
  solvers = { "si" },
}
