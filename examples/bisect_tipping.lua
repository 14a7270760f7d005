-- A tall box on a slope falls at tan(angle) = width / height.
--   impel bisect bisect_tipping --set angle=0:60 --when 'tilt > 0.3'
--   impel bisect bisect_tipping --set width=0.2:2 --when 'tilt > 0.3' -o tipped.lua
local impel = require "impel"

local scene = {
  title = "Tipping by bisection",
  about = "A box on a rough slope stands if tan(angle) < width / height, and falls on a steeper slope.",
  duration = 8, -- [s]; near the threshold the box falls slowly
  view = { x = 0, y = 0.8, height = 3 },
}

scene.params = {
  angle = { 20.0, min = 0, max = 60, help = "angle of the slope [degrees]" },
  width = { 0.5, min = 0.2, max = 2, help = "width of the base [m]" },
  height = { 1.0, min = 0.2, max = 2, help = "height of the box [m]" },
}

local G = 9.81 -- [m/s^2]
local RAMP = 2 -- time over which the slope rises [s], because a sudden change would push the box over

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false }
  -- The friction is so high that the box does not slide.
  world:body { type = "static" }:box { 20, 1, center = { 0, -0.5 }, friction = 5 }
  local box = world:body { position = { 0, 0.5 * p.height } }
  box:box { p.width, p.height, friction = 5 }
  local angle = math.rad(p.angle)
  return { world = world, box = box, angle = angle, stands = math.tan(angle) < p.width / p.height }
end

-- Gravity turns instead of the ground.
function scene.update(s)
  local angle = s.angle * math.min(1, s.world.time / RAMP)
  s.world:set_gravity(G * math.sin(angle), -G * math.cos(angle))
end

function scene.measure(s)
  return { tilt = math.abs(s.box.angle) }
end

function scene.check(s)
  local tilt = math.abs(s.box.angle)
  if s.stands then return tilt < 0.01, ("the box should stand, but is tilted by %.3f rad"):format(tilt) end
  return tilt > 1, ("the box should have fallen, but is tilted by %.3f rad"):format(tilt)
end

return scene
