-- Two equal charges push each other apart.
-- api: body.charge
-- data: charge
local impel = require "impel"

local scene = { title = "Charges", duration = 1, view = { height = 5 } }

local K = 9 -- Coulomb's constant [N m^2/C^2]; small, because the charges are large

function scene.setup(_, seed)
  local world = impel.world { seed = seed, gravity = { 0, 0 } }
  local left = world:body { position = { -0.5, 0 }, charge = 1 }
  local right = world:body { position = { 0.5, 0 } }
  left:circle { radius = 0.1 }
  right:circle { radius = 0.1 }
  right.charge = 1
  return { world = world, left = left, right = right }
end

function scene.substep(s)
  local x1, x2 = s.left:position(), s.right:position()
  local force = K * s.left.charge * s.right.charge / (x2 - x1) ^ 2
  s.left:apply_force(-force, 0)
  s.right:apply_force(force, 0)
end

function scene.measure(s)
  return { x = s.right:position() }
end

function scene.check(s)
  local x = s.right:position()
  return x > 1, ("the right charge is %.3f m from the origin"):format(x),
    pcall(function() s.left.charge = 0 / 0 end) == false, "a charge that is not a number is refused"
end

return scene
