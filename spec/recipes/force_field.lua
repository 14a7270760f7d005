-- Balls above each other drift apart in a shear field.
-- api: field = impel.field.shear
-- data: "shear"
local impel = require "impel"

local scene = { title = "Shear", duration = 1, view = { y = 1, height = 5 } }

function scene.setup(_, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local balls = {}
  for i = 0, 2 do
    balls[i] = world:body { position = { 0, i } }
    balls[i]:circle { radius = 0.2 }
  end
  impel.field.shear(world, { strength = 2 })
  return { world = world, balls = balls }
end

function scene.measure(s)
  return { x = s.balls[2]:position() }
end

function scene.check(s)
  local x0, x1, x2 = s.balls[0]:position(), s.balls[1]:position(), s.balls[2]:position()
  local t = s.world.time
  -- x = a t^2 / 2. The bound is half a substep at the final velocity, the error of symplectic Euler.
  return x0 == 0, "the field has no force at the height of its center",
    math.abs(x1 - t ^ 2) < 0.01 and math.abs(x2 - 2 * x1) < 1e-12, ("at %.5f m and %.5f m"):format(x1, x2)
end

return scene
