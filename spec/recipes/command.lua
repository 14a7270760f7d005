-- A scene for the new command to count: impel count prints 2 bodies, 2 shapes, 0 joints.
-- command: count prints 2 bodies, 2 shapes, 0 joints
local impel = require "impel"

local scene = { title = "Two bodies", duration = 1 }

function scene.setup(_, seed)
  local world = impel.world { seed = seed }
  world:body { type = "static" }:box { 4, 1 }
  local ball = world:body { position = { 0, 3 } }
  ball:circle { radius = 0.5 }
  return { world = world, ball = ball }
end

function scene.check(s)
  local _, y = s.ball:position()
  return y > 0.9, "the ball is in the ground"
end

return scene
