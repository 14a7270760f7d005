-- A short stack and a pendulum, solved by projected Gauss-Seidel.
-- api: world.solver = "pgs"
-- data: "pgs"
local impel = require "impel"

local scene = { title = "Projected Gauss-Seidel", duration = 2, view = { y = 1, height = 5 } }

function scene.setup(_, seed)
  local world = impel.world { seed = seed, solver = "pgs" }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 } }
  local top
  for i = 1, 4 do
    top = world:body { position = { 0, i - 0.5 } }
    top:box { 1, 1 }
  end
  local bob = world:body { position = { 4, 2 } }
  bob:circle { radius = 0.2 }
  local rod = world:distance(world.ground, bob, { anchor_a = { 3, 2 }, anchor_b = { 4, 2 } })
  return { world = world, top = top, rod = rod }
end

function scene.measure(s)
  local _, y = s.top:position()
  return { y = y, length = s.rod.value }
end

function scene.check(s)
  local _, y = s.top:position()
  return math.abs(y - 3.5) < 0.05, ("the top box is at y = %.4f m instead of 3.5 m +- 0.05 m"):format(y),
    math.abs(s.rod.value - 1) < 0.02, ("the rod of 1 m is %.4f m long"):format(s.rod.value)
end

return scene
