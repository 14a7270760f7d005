-- A light and a heavy ball fall: only the heavy one hits hard enough for an event.
-- api: world.hit_impulse
-- data: hit_impulse
local impel = require "impel"

local scene = { title = "Hit impulse", duration = 1, view = { y = 1, height = 4 } }

function scene.setup(_, seed)
  local world = impel.world { seed = seed, hit_impulse = 10 }
  local s = { world = world, light = 0, heavy = 0 }
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 } }
  for i, name in ipairs { "light", "heavy" } do
    world:body { position = { i, 2 }, name = name, mass = 5 * i - 4 }:circle { radius = 0.25 }
  end
  world:on("hit", function(event)
    s.light = s.light + (event.body_b.name == "light" and 1 or 0)
    s.heavy = s.heavy + (event.body_b.name == "heavy" and 1 or 0)
  end)
  return s
end

function scene.measure(s)
  return { light = s.light, heavy = s.heavy }
end

function scene.check(s)
  return s.heavy == 1, ("the heavy ball caused %d hit events"):format(s.heavy),
    s.light == 0, ("the light ball caused %d hit events"):format(s.light)
end

return scene
