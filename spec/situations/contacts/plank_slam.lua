-- A plank that falls over lands flat, and its upper end does not enter the floor.
-- Source: comparison with Box2D v3, where the end enters the floor by 0.2 mm; an earlier impel: 33 mm.
local impel = require "impel"

local scene = {
  title = "Falling plank", about = "The end of a falling plank does not enter the floor.", duration = 6,
  units = { deepest = "m", angle = "rad" },
}
scene.params = { length = 2.0, lean = 0.2 } -- the plank falls over if tan(lean) exceeds width / length

local function lowest(s)
  local _, y = s.plank:position()
  local c, n = impel.math.cos(s.plank.angle), impel.math.sin(s.plank.angle)
  return y - math.abs(c) * s.p.length / 2 - math.abs(n) * s.p.length / 20
end

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 } }
  local s = { world = world, p = p, deepest = 0 }
  s.plank = world:body { angle = p.lean }
  s.plank:box { p.length / 10, p.length }
  s.plank:set_pose(0, -lowest(s), p.lean) -- move the plank so that a corner touches the floor
  return s
end

function scene.update(s) s.deepest = math.max(s.deepest, -lowest(s)) end

function scene.measure(s) return { deepest = s.deepest, angle = s.plank.angle } end

function scene.check(s)
  local turned = math.abs(s.plank.angle)
  -- Slop of 5 mm, plus 1 mm for the weight.
  return s.deepest < 0.006, ("the end is %.1f mm in the floor"):format(1000 * s.deepest),
    -- The slop under one end turns the shortest plank by 0.005 rad.
    math.abs(turned - math.pi / 2) < 0.01, ("the plank has turned by %.3f rad, not %.3f"):format(turned, math.pi / 2)
end

return scene, {
  vary = { length = { 1, 2, 4 }, lean = { 0.15, 0.2, 0.3, 0.45 } }, solvers = { "si", "ngs" }, peers = true,
}
