-- impel.rig.arm: a robot arm: a chain of links on a base, with a motor in every joint.
--
--   local arm = impel.rig.arm(world, { position = { 0, 1 }, links = { 1, 0.8 } })
--   arm:move({ 0.9, -1.2 }, 2)                   -- in two seconds
--   arm:move(assert(arm:inverse(1.2, 1.5)), 2)
--   local x, y = arm:tip()
--
-- Angles are 0 if the arm points right:
--
--   forward:  phi_i = q_1 + ... + q_i,   x = sum l_i cos phi_i,   y = sum l_i sin phi_i
--   inverse, of two links:  cos q2 = (x^2 + y^2 - l1^2 - l2^2) / (2 l1 l2),
--                           q1 = atan2(y, x) - atan2(l2 sin q2, l1 + l2 cos q2)
--     source: Craig, "Introduction to Robotics" (2005), 4.4
--   a move:   q(s) = q0 + (q1 - q0) (10 s^3 - 15 s^4 + 6 s^5), s = t / T
--     source: Flash and Hogan, "The Coordination of Arm Movements" (1985)

local arguments = require "impel.base.arguments"
local rig_parts = require "impel.rig.shared.parts"
local maths = require "impel.math"

local fields = {
  links = { "table", default = { 1, 0.8 } },
  density = { "number", above = 0, default = 6, unit = "kg/m" },
  radius = { "number", above = 0, default = 0.05, unit = "m" },
  torque = { "number", min = 0, default = 300, unit = "N m" },
  limit = { "point", default = { -2.8, 2.8 }, unit = "rad" },
  damping = { "number", min = 0, default = 0, unit = "N m s/rad" },
  friction = { "number", min = 0, default = 0.6 },
  a = { "body", optional = true },
}

local Arm = {}

local WAY = { elapsed = "number", seconds = "number", is_over = "boolean|nil" } -- types of the fields of a saved move

local function check_count(arm, what, angles)
  arguments.check(what, angles, { "table" })
  if #angles ~= #arm.links then arguments.fail("%s must be %d numbers, got %d", what, #arm.links, #angles) end
end

-- Check a list of joint angles. Every angle must be within the limits.
local function check_angles(arm, what, angles)
  check_count(arm, what, angles)
  for i, q in ipairs(angles) do
    arguments.check(("%s[%d]"):format(what, i), q, { "number", min = arm.limit[1], max = arm.limit[2], unit = "rad" })
  end
end

--- Return the position of the tip.
---@return number x, number y  [m]
function Arm.tip(arm)
  return arm.last:world_point(arm.links[#arm.links] / 2, 0)
end

--- Return the position of the tip [m] and the angle of the last link [rad] at given joint angles, with the base as it
--- is now.
---@param angles number[]|nil  angles of the joints [rad], default the present ones
---@return number x, number y, number angle
function Arm.forward(arm, angles)
  if angles ~= nil then arguments.check("arm:forward: angles", angles, { "table" }) end
  local bx, by = arm.q1:anchors()
  local phi, x, y = arm.base.angle + arm.mounted, bx, by
  for i, length in ipairs(arm.links) do
    phi = phi + (angles and arguments.number("arm:forward: angle " .. i, angles[i]) or arm["q" .. i].value)
    x, y = x + length * maths.cos(phi), y + length * maths.sin(phi)
  end
  return x, y, phi
end

--- Return the joint angles that put the tip of an arm of two links at a point of the world.
---@param x number  [m]
---@param y number  [m]
---@param bend number|nil  1: the second joint turns counter-clockwise, -1: clockwise; default -1
---@return number[]|nil angles  [rad]; nil if the arm cannot reach the point, or an angle is outside of its limits
---@return string|nil message
function Arm.inverse(arm, x, y, bend)
  local l1, l2 = arm.links[1], arm.links[2]
  if #arm.links ~= 2 then arguments.fail("arm:inverse is for two links, this arm has %d", #arm.links) end
  arguments.number("arm:inverse: x", x)
  arguments.number("arm:inverse: y", y)
  arguments.check("arm:inverse: bend", bend or -1, { "choice", 1, -1 })
  local bx, by = arm.q1:anchors()
  local dx, dy = x - bx, y - by
  local square = dx * dx + dy * dy
  local cosine = (square - l1 * l1 - l2 * l2) / (2 * l1 * l2)
  if cosine > 1 or cosine < -1 then
    return nil, ("the point is %.3g m from the base; the arm reaches %.3g to %.3g m"):format(math.sqrt(square),
      maths.abs(l1 - l2), l1 + l2)
  end
  local q2 = (bend or -1) * maths.acos(cosine)
  local q1 = maths.atan2(dy, dx) - maths.atan2(l2 * maths.sin(q2), l1 + l2 * maths.cos(q2))
  q1 = q1 - arm.base.angle - arm.mounted
  q1 = q1 - 2 * maths.pi * maths.floor((q1 + maths.pi) / (2 * maths.pi))
  for i, q in ipairs { q1, q2 } do
    if q < arm.limit[1] or q > arm.limit[2] then
      return nil, ("joint q%d would be at %.4g rad, its limits are %g to %g"):format(i, q, arm.limit[1], arm.limit[2])
    end
  end
  return { q1, q2 }
end

--- Move all joints to given angles, and hold the angles.
---@param angles number[]  [rad], one for each joint; raises if an angle is outside of the joint's limits
---@param seconds number|nil   duration of the move [s]; default 1
function Arm.move(arm, angles, seconds)
  check_angles(arm, "arm:move: angles", angles)
  arguments.check("arm:move: seconds", seconds or 1, { "number", above = 0, unit = "s" })
  arm:revive()
  arm.way = { elapsed = 0, seconds = seconds or 1 }
  for i, q in ipairs(angles) do
    arm.from[i], arm.to[i] = arm["q" .. i].value, q
  end
  arm.last.awake = true
end

--- Remove the torques of all motors.
function Arm.relax(arm)
  arm.way = nil
  for _, coordinate in ipairs(arm.coordinates) do coordinate:set_servo() end
  arm.last.awake = true
end

--- Return the state of the move in progress.
function Arm.save(arm)
  local way = arm.way
  return { from = { table.unpack(arm.from) }, to = { table.unpack(arm.to) },
    way = way and { elapsed = way.elapsed, seconds = way.seconds, is_over = way.is_over } }
end

--- Restore the state returned by save.
function Arm.load(arm, saved)
  arguments.saved("arm:load: saved", saved, { from = "table", to = "table", way = "table|nil" })
  if saved.way then
    local way = arguments.saved("arm:load: saved.way", saved.way, WAY)
    arguments.check("arm:load: saved.way.seconds", way.seconds, { "number", above = 0, unit = "s" })
    for _, name in ipairs { "from", "to" } do check_count(arm, "arm:load: saved." .. name, saved[name]) end
  end
  for _, name in ipairs { "from", "to" } do arguments.list("arm:load: saved." .. name, saved[name], { "number" }) end
  local copy = Arm.save(saved)
  arm.from, arm.to, arm.way = copy.from, copy.to, copy.way
end

-- Set targets and speeds of the servos before a substep of h [s]. After a move the servos hold its last angles.
-- Destroyed joints are skipped.
local function follow(arm, h)
  local way = arm.way
  if not way or way.is_over then return end
  local s = way.elapsed / way.seconds
  s = s < 1 and s or 1
  way.elapsed, way.is_over = way.elapsed + h, s == 1
  local place, rate = s * s * s * (10 + s * (6 * s - 15)), 30 * s * s * (1 - s) * (1 - s) / way.seconds
  local servo = arm.servo
  for i, coordinate in ipairs(arm.coordinates) do
    local span = arm.to[i] - arm.from[i]
    servo.target, servo.speed = arm.from[i] + span * place, s < 1 and span * rate or 0
    if coordinate:is_valid() then coordinate:set_servo(servo) end
  end
end

-- Check the lists in the options.
local function check(o)
  if #o.links == 0 then arguments.fail "impel.rig.arm: field 'links' must be a list of lengths, got an empty one" end
  for i, length in ipairs(o.links) do
    arguments.check(("impel.rig.arm: links[%d]"):format(i), length, { "number", above = 0, unit = "m" })
  end
  arguments.check("impel.rig.arm: limit[2]", o.limit[2], { "number", min = o.limit[1], unit = "rad" })
end

local function build(parts, o)
  check(o)
  parts.links, parts.limit = { table.unpack(o.links) }, { o.limit[1], o.limit[2] }
  local base, r = o.a, o.radius
  if not base then
    base = parts:body("base", { type = "static" })
    base:polygon { points = { { -3 * r, -4 * r }, { 3 * r, -4 * r }, { r, 0 }, { -r, 0 } }, friction = o.friction,
      group = parts.group }
  end
  parts.base, parts.mounted = base, o.angle - base.angle
  local last, x = base, 0
  parts.coordinates, parts.from, parts.to = {}, {}, {}
  for i, length in ipairs(parts.links) do
    local link = parts:body("link" .. i, { position = { x + length / 2, 0 }, mass = o.density * length })
    link:capsule { from = { -length / 2, 0 }, to = { length / 2, 0 }, radius = r, friction = o.friction,
      group = parts.group }
    local joint = parts:joint("revolute", "q" .. i, last, link, { anchor = { x, 0 }, limit = parts.limit,
      spring = o.damping > 0 and { stiffness = 0, damping = o.damping } or nil })
    parts.coordinates[i] = joint:coordinate "angle"
    last, x = link, x + length
  end
  parts.last, parts.servo = last, { max_force = o.torque }
  for name, method in next, Arm do parts[name] = method end
  parts:on("substep", function(h) follow(parts, h) end)
end

--- Create a robot arm, stretched to the right, without torque until the first move.
---@param options table|nil  fields:
---  position = { 0, 0 } [m] of the first joint
---  angle = 0 [rad]
---  links = { 1, 0.8 } [m]: lengths
---  density = 6 [kg/m]
---  radius = 0.05 [m]
---  torque = 300 [N m] of each motor
---  limit = { -2.8, 2.8 } [rad] and damping = 0 [N m s/rad] of each joint
---  friction = 0.6
---  a: body on which the arm is mounted, default its own static base
---  name, group
---@return table parts  base, last: outer link; q1, q2, ...: joints; links: lengths [m]; tip(), forward(), inverse(),
---  move(), relax(), save(), load(); bodies, joints, group, pose{...}, mass() [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.arm", world, options, fields, build)
end
