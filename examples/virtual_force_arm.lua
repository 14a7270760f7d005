-- A virtual spring F leads an arm of three links by joint torques tau = J'F.
local impel = require "impel"

local scene = {
  title = "Virtual force arm",
  about = "A virtual spring pulls the hand round a circle, and virtual forces carry the links' weights: "
    .. "impel.virtual_force converts both to joint torques. Only the spring carries the load in the hand, so the hand "
    .. "sags by weight / stiffness.",
  duration = 9, -- [s]
  view = { x = 0.7, y = 1.15, height = 2 },
  units = { x = "m", y = "m", off = "m", shoulder = "N m" },
}

scene.params = {
  stiffness = { 800.0, min = 200, max = 2000, help = "stiffness of the virtual spring [N/m]" },
  damping = { 60.0, min = 10, max = 100, help = "damping of the virtual spring [N s/m]" },
  load = { 2.0, min = 0, max = 5, help = "mass of the load in the hand [kg]" },
  carry = { true, help = "carry the links' weights by virtual forces" },
}

-- gravity [m/s^2], lengths [m] and masses [kg] of the links
local G, LENGTHS, MASSES = 9.81, { 0.8, 0.6, 0.4 }, { 3, 2, 1 }
local X, Y, RADIUS, PERIOD, TURNS = 0.9, 1.2, 0.3, 2.5, 2 -- circle: centre, radius [m], period [s]; turns

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G } }
  local last, x, y, angle = world.ground, 0, 1, -0.6
  local s = { world = world, load = p.load, stiffness = p.stiffness, worst = 0, arm = {} }
  for i, length in ipairs(LENGTHS) do
    local cx, cy = x + length / 2 * math.cos(angle), y + length / 2 * math.sin(angle)
    local link = world:body { name = "link " .. i, position = { cx, cy }, angle = angle, mass = MASSES[i] }
    link:capsule { from = { -length / 2, 0 }, to = { length / 2, 0 }, radius = 0.04, group = -1 }
    -- Damping, because the hand's position fixes only two of three joints.
    s.arm[i] = world:revolute(last, link, { anchor = { x, y }, spring = { stiffness = 0, damping = 1 } })
    if p.carry then impel.virtual_force(world.ground, link, { force = { 0, G * MASSES[i] } }) end
    x, y, angle, last = 2 * cx - x, 2 * cy - y, angle + 0.7, link
  end
  if p.load > 0 then
    local load = world:body { name = "load", position = { x, y - 0.15 }, mass = p.load }
    load:box { 0.16, 0.16, group = -1 }
    world:revolute(last, load, { anchor = { x, y }, spring = { stiffness = 0, damping = 0.4 } })
  end
  s.hand, s.grip = last, { LENGTHS[3] / 2, 0 }
  s.spring = impel.virtual_force(world.ground, last, {
    point = s.grip, stiffness = p.stiffness, damping = p.damping, target = { X + RADIUS, Y },
  })
  return s
end

-- Return the hand's position, and its distance from the loaded spring's equilibrium [m].
local function survey(s)
  local x, y = s.hand:world_point(s.grip[1], s.grip[2])
  local sag = s.load * G / s.stiffness
  return x, y, math.sqrt((x - s.spring.target[1]) ^ 2 + (y + sag - s.spring.target[2]) ^ 2)
end

function scene.update(s)
  local time, target, speed = s.world.time, s.spring.target, s.spring.target_speed
  local w = time < TURNS * PERIOD and 2 * math.pi / PERIOD or 0
  if time > PERIOD and w > 0 then s.worst = math.max(s.worst, (select(3, survey(s)))) end
  local dx, dy = RADIUS * math.cos(w * time), RADIUS * math.sin(w * time)
  target[1], target[2], speed[1], speed[2] = X + dx, Y + dy, -w * dy, w * dx
end

function scene.measure(s)
  local x, y, off = survey(s)
  return { x = x, y = y, off = off, shoulder = s.spring:torques()[1] }
end

function scene.check(s)
  local x, y, off = survey(s)
  local shoulder, lever = s.spring:torques()[1], s.load * G * x
  -- Largest expected distance: centripetal force m w^2 r / stiffness, plus 1 cm for damping and swing.
  local round = (s.load + MASSES[1] + MASSES[2] + MASSES[3]) * (2 * math.pi / PERIOD) ^ 2 * RADIUS / s.stiffness + 0.01
  return s.world.time > TURNS * PERIOD + 3, "cannot be checked before the arm has been still for 3 s",
    off < 1e-3, ("the hand is %.4f m from its equilibrium, which is weight / stiffness below the target; less than "
      .. "0.001 expected"):format(off),
    math.abs(shoulder - lever) < 0.01 * lever + 0.01,
    ("the spring's torque at the shoulder is %.3f N m; the load's weight, at x = %.2f m, needs %.3f N "
      .. "m"):format(shoulder, x, lever),
    y < s.spring.target[2] + 1e-3, ("the hand should be below its target, but is %.4f m above "
      .. "it"):format(y - s.spring.target[2]),
    s.worst < round, ("the hand left the circle by %.4f m, less than %.4f expected"):format(s.worst, round)
end

function scene.draw(s, view)
  local x, y = s.hand:world_point(s.grip[1], s.grip[2])
  view:line(-0.25, 1, 0.25, 1, "grey")
  view:ring(0, 1, 0.07, "grey")
  view:ring(X, Y, RADIUS, "grey")
  view:trail("hand", x, y)
  local target = s.spring.target
  view:arrow(x, y, x + 10 * (target[1] - x), y + 10 * (target[2] - y), "red")
  view:point(target[1], target[2], "red")
end

return scene
