-- impel.rig.quadruped: a four-legged animal that faces right: a trunk, and for each leg an upper and a lower leg.
--
--   local dog = impel.rig.quadruped(world, { position = { 0, 0 } })
--   dog.left_front_hip.value, dog.right_hind_knee.value, dog.trunk:position()
--
-- Angles are 0 if the legs hang straight down, positive counter-clockwise: a leg with a positive hip angle is in front.
-- `bend` of a leg is the sign of its knee angle: front 1, hind -1. The origin of an upper or lower leg is its upper
-- joint; the origin of the trunk is the middle of the trunk.
--   source: sizes of a dog of 30 kg, rounded

local arguments = require "impel.base.arguments"
local fm = require "impel.math"
local rig_parts = require "impel.rig.shared.parts"

local FIELDS = {
  height = { "number", min = 0.05, max = 100, unit = "m", default = 0.6 },
  mass = { "number", min = 1e-3, unit = "kg", default = 30 },
  friction = { "number", min = 0, default = 0.9 },
}

-- Fractions of the hip height: length and thickness of the trunk, upper and lower leg.
local TRUNK, THICKNESS, UPPER, LOWER = 1.2, 0.35, 0.5, 0.5
local HEAD, NECK = 0.14, { 0.82, 0.28 } -- radius of the head; centre of the head relative to the centre of the trunk
-- Fractions of the mass: trunk with head, upper leg, lower leg.
local TRUNK_MASS, UPPER_MASS, LOWER_MASS = 0.8, 0.035, 0.015

local legs = { { "left", "front", 1 }, { "right", "front", 1 }, { "left", "hind", -1 }, { "right", "hind", -1 } }

--- Return the angles of a leg that put its foot at a point, by the law of cosines. If the leg cannot reach the point,
--- the foot is as near as possible to it, on the line from the hip to the point.
---@param leg string  "left_front", ...
---@param x number    forward of the hip, along the trunk [m]
---@param y number    above the hip, < 0 [m]
---@return number hip   [rad]
---@return number knee  [rad]
local function reach(parts, leg, x, y)
  arguments.number("quadruped:reach: x", x)
  arguments.number("quadruped:reach: y", y)
  if not parts.bend[leg] then
    arguments.fail("quadruped:reach: leg must be one of 'left_front', 'right_front', 'left_hind', 'right_hind', got %s",
      arguments.got(leg))
  end
  local a, b = parts.upper, parts.lower
  local r = math.max(math.abs(a - b), math.min(a + b, fm.sqrt(x * x + y * y)))
  local knee = parts.bend[leg] * fm.acos(math.max(-1, math.min(1, (r * r - a * a - b * b) / (2 * a * b))))
  return fm.atan(x, -y) - fm.atan(b * fm.sin(knee), a + b * fm.cos(knee)), knee
end

local function make_trunk(parts, o)
  local h = o.height
  local trunk = parts:body("trunk", { position = { 0, h }, mass = TRUNK_MASS * o.mass })
  local half, r = TRUNK * h / 2, THICKNESS * h / 2
  trunk:capsule { from = { -half, 0 }, to = { half, 0 }, radius = r, friction = o.friction, group = parts.group }
  trunk:circle { radius = HEAD * h, center = { NECK[1] * h, NECK[2] * h }, density = 0, friction = o.friction,
    group = parts.group }
  trunk:capsule { from = { half, 0 }, to = { NECK[1] * h, NECK[2] * h }, radius = 0.6 * HEAD * h, density = 0,
    friction = o.friction, group = parts.group }
end

-- Add a part of a leg: a capsule that hangs down from its origin.
local function limb(parts, o, key, x, y, length, radius, mass)
  local body = parts:body(key, { position = { x, y }, mass = mass })
  body:capsule { from = { 0, -radius / 2 }, to = { 0, -length + radius }, radius = radius, friction = o.friction,
    group = parts.group }
  return body
end

local function make_leg(parts, o, leg, at)
  local h = o.height
  local x, knee = at * TRUNK * h / 2, h - UPPER * h
  local upper = limb(parts, o, leg .. "_upper", x, h, UPPER * h, 0.055 * h, UPPER_MASS * o.mass)
  local lower = limb(parts, o, leg .. "_lower", x, knee, LOWER * h, 0.04 * h, LOWER_MASS * o.mass)
  parts:joint("revolute", leg .. "_hip", parts.trunk, upper, { anchor = { x, h }, limit = { -1.4, 1.4 } })
  parts:joint("revolute", leg .. "_knee", upper, lower, { anchor = { x, knee },
    limit = at > 0 and { -0.1, 2.4 } or { -2.4, 0.1 } })
  parts.bend[leg] = at
end

local function build(parts, o)
  parts.height, parts.upper, parts.lower = o.height, UPPER * o.height, LOWER * o.height
  parts.bend, parts.legs, parts.reach = {}, {}, reach
  make_trunk(parts, o)
  for i, leg in ipairs(legs) do
    parts.legs[i] = leg[1] .. "_" .. leg[2]
    make_leg(parts, o, parts.legs[i], leg[3])
  end
end

--- Create a quadruped that stands on straight legs.
---@param options table|nil  fields: position = { 0, 0 } [m]: point on the ground below the trunk's
---  middle; angle = 0 [rad]; height = 0.6 [m] of the hips; mass = 30 [kg]; friction = 0.9; name = "quadruped"; group
---@return table parts
---  trunk, left_front_upper, left_front_lower, right_front_..., left_hind_..., right_hind_...: bodies
---  left_front_hip, left_front_knee, ...: joints
---  bend: "left_front" -> sign of the knee's angle
---  upper, lower, height: lengths [m]
---  legs: names
---  reach(leg, x, y) -> hip, knee
---  bodies, joints, group
---  pose{...}, mass() [kg], center() [m], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.quadruped", world, options, FIELDS, build)
end
