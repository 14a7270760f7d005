-- A box that a piston squeezes against a wall stays inside, and rests when the piston retracts.
-- Source: godot issues 27652 and 45182, godot-rapier issue 42 (pushed bodies pass through walls).
local impel = require "impel"

local scene = {
  title = "Squeezed by a piston", about = "A box squeezed against a wall does not pass through it.", duration = 9,
  units = { fastest = "m/s", last = "m/s", right = "m", high = "m" },
}
-- room: distance between the stopped piston and the wall [m], less than the box's width of 1 m; speed of the piston
-- [m/s]
scene.params = { room = 0.9, speed = 0.5 }

-- X of the wall's surface [m]; initial x of the piston's front [m]; time for which the piston waits [s]
local WALL, START, STAY = 2, -1, 1

function scene.setup(p)
  local world = impel.world {}
  local ground = world:body { type = "static" }
  ground:box { 40, 1, center = { 0, -0.5 } }
  ground:box { 0.2, 3, center = { WALL + 0.1, 1.5 } }
  local piston = world:body { type = "kinematic", position = { START - 0.2, 1 } }
  piston:box { 0.4, 1.9 }
  local box = world:body { position = { 1, 0.5 } }
  box:box { 1, 1 }
  local steps = math.floor((WALL - p.room - START) / p.speed * 60 + 0.5)
  return { world = world, piston = piston, box = box, p = p, steps = steps, fastest = 0, right = 0, high = 0 }
end

function scene.update(s)
  local tick, stop = s.world.tick, s.steps
  -- At this speed the piston arrives after a whole number of steps.
  local speed = (WALL - s.p.room - START) * 60 / s.steps
  if tick == 0 then s.piston:set_velocity(speed, 0) end
  if tick == stop then s.piston:set_velocity(0, 0) end
  if tick == stop + 60 * STAY then s.piston:set_velocity(-1, 0) end
  if tick == stop + 60 * STAY + 30 then s.piston:set_velocity(0, 0) end
  local x, y = s.box:position()
  local vx, vy = s.box:velocity()
  if tick > stop + 2 then s.fastest = math.max(s.fastest, math.sqrt(vx ^ 2 + vy ^ 2)) end
  s.right, s.high = math.max(s.right, x + 0.5), math.max(s.high, y - 0.5)
  if tick > stop + 60 * (STAY + 1) then s.last = math.max(s.last or 0, math.abs(vx), math.abs(vy)) end
end

function scene.measure(s) return { fastest = s.fastest, last = s.last, right = s.right, high = s.high } end

function scene.check(s)
  local tight = math.max(0, 1 - s.p.room) + 0.01
  -- The kinematic piston may push the box into the wall by 1 m - room. After the piston has stopped, the box moves at
  -- world.push_speed or less.
  return s.right < WALL + tight, ("the box reaches %.3f m into the wall"):format(s.right - WALL),
    s.fastest < s.world.push_speed + 0.01, ("the box moves at %.2f m/s after the piston has stopped"):format(s.fastest),
    -- The box may tilt while it is squeezed.
    s.high < 0.05, ("the box jumps %.3f m"):format(s.high),
    -- Friction has stopped the box.
    s.last < 1e-3, ("the box still moves at %.4f m/s a second after its release"):format(s.last)
end

return scene, {
  vary = { room = { 0.99, 0.9, 0.7 }, speed = { 0.5, 5 } }, solvers = { "si", "xpbd", "direct" },
}
