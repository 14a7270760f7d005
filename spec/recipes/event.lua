-- The speed of a falling ball is limited to its maximum in every step.
-- api: event.body = speed_limit
local impel = require "impel"

local scene = { title = "Speed limit", duration = 1, view = { y = -3, height = 10 } }

function scene.setup(_, seed)
  local world = impel.world { seed = seed }
  local a = world:body { position = { -1, 0 } }
  local ball = world:body { position = { 0, 0 }, max_speed = 1, name = "ball" }
  a:circle { radius = 0.2 }
  ball:circle { radius = 0.2 }
  -- The joint pulls the ball beyond its speed limit.
  world:distance(a, ball, { anchor_a = { -1, 0 }, anchor_b = { 0, 0 } })
  local s = { world = world, count = 0 }
  world:on("speed_limit", function(event)
    s.count = s.count + (event.body.name == "ball" and 1 or 0)
  end)
  return s
end

function scene.measure(s)
  return { count = s.count }
end

function scene.check(s)
  return s.count > 10, ("%d events"):format(s.count)
end

return scene
