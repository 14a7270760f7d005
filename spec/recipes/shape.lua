-- Diamonds fall on the ground.
-- api: body:diamond
-- data: "diamond"
local impel = require "impel"

local scene = { title = "Diamonds", duration = 2, view = { y = 1, height = 6 } }

function scene.setup(_, seed)
  local world = impel.world { seed = seed }
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 } }
  local bodies = {}
  for i = 1, 5 do
    bodies[i] = world:body { position = { i - 3, 1 + i / 2 } }
    bodies[i]:diamond { width = 0.8, height = 0.5 }
  end
  return { world = world, bodies = bodies }
end

function scene.measure(s)
  local _, y = s.bodies[1]:position()
  return { y = y }
end

function scene.check(s)
  local inside, mass = true, s.bodies[1].mass
  for _, body in ipairs(s.bodies) do
    local _, y = body:position()
    inside = inside and y > 0.1 -- a w x h diamond rests on a side: centre at y = w h / (2 sqrt(w^2 + h^2)) = 0.21 m
  end
  return inside, "a diamond is in the ground",
    math.abs(mass - 0.2) < 1e-12, ("half of 0.8 m x 0.5 m at 1 kg/m^2 weighs %.15f kg"):format(mass)
end

return scene
