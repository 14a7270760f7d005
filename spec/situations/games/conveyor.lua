-- Friction alone accelerates a box on a belt to the belt's speed. A second belt in line accelerates the box to the
-- second belt's speed.
-- Source: bullet3 issue 4581 (a parcel on two belts moves at a wrong speed), Jolt pull request 551 (surface velocity).
local impel = require "impel"

-- Gravity [m/s^2]; side of the box [m]; length of the belt in front of the box [m]
local G, SIDE, LENGTH = 9.81, 0.5, 14

local scene = {
  title = "Conveyor", about = "Friction accelerates a box to the speed of its belt.", duration = 17,
  units = { at = "m", right = "m", speed = "m/s", last = "m/s", turned = "rad" },
}
-- belt: speed of the first belt [m/s]; second: speed of the second belt divided by that of the first
scene.params = { belt = 4.0, second = 2.0, friction = 0.3, rate = 60.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, sleep = false, dt = 1 / p.rate }
  local belts = world:body { type = "static" }
  belts:box { 20 + LENGTH, 1, center = { LENGTH - 10 - LENGTH / 2, -0.5 }, friction = p.friction,
    surface_speed = p.belt }
  belts:box { 200, 1, center = { LENGTH + 100, -0.5 }, friction = p.friction, surface_speed = p.second * p.belt }
  local box = world:body { position = { 0, SIDE / 2 } }
  box:box { SIDE, SIDE, friction = p.friction }
  return { world = world, box = box, p = p, turned = 0 }
end

function scene.update(s)
  s.turned = math.max(s.turned, math.abs(s.box.angle))
  if not s.at and s.world.time > 3 - s.world.dt / 2 then
    s.at, s.speed = s.box:position(), (s.box:velocity())
  end
end

function scene.measure(s)
  local v, last = s.p.belt, s.p.belt * s.p.second
  -- Friction accelerates the box by mu g to the belt's speed v, while the box falls behind the belt by v^2 / (2 mu g).
  return {
    at = s.at, right = 3 * v - v * v / (2 * s.p.friction * G), speed = s.speed - v, last = s.box:velocity() - last,
    turned = s.turned,
  }
end

function scene.check(s)
  local now, p = scene.measure(s), s.p
  -- The bound is 2 v dt (friction acts one step too long or short), plus 0.2 % of the distance, plus 1 mm (settling).
  local bound = 2 * p.belt / p.rate + 2e-3 * now.right + 1e-3
  return math.abs(now.at - now.right) < bound,
    ("the box is at %.4f m after 3 s, not at %.4f"):format(now.at, now.right),
    -- The box reaches the speed of a belt after the time v / (mu g).
    math.abs(now.speed) < 1e-3 * p.belt, ("the box's speed on the first belt is off by %.4f m/s"):format(now.speed),
    math.abs(now.last) < 1e-3 * p.belt, ("the box's speed on the second belt is off by %.4f m/s"):format(now.last),
    -- An overlap of 6 mm (slop plus 1 mm) at one end turns the box by 6 mm / SIDE.
    now.turned < 0.006 / SIDE, ("the box tilts by %.4f rad"):format(now.turned)
end

return scene, {
  vary = { belt = { 1, 4 }, second = { 0.5, 2 }, friction = { 0.2, 0.8 }, rate = { 60, 240 } }, solvers = { "si" },
}
