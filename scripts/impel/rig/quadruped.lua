-- impel.rig.quadruped: a four-legged animal of nine bodies that looks to the right: a trunk with a head, and four legs
-- of an upper and a lower part, two in front and two behind.
--
--   local dog = impel.rig.quadruped(world, { position = { 0, 0 } })
--   dog.left_front_hip.value, dog.right_hind_knee.value, dog.trunk:position()
--
-- Angles are 0 when the legs hang straight down. Counter-clockwise is positive: a hip that is positive has its leg in
-- front; as a dog's, hind knees point forward, so their angles are negative, and front ones (its elbows) backward, so
-- theirs are positive: `bend` of a leg is the sign. A leg's origin is its upper joint; the trunk's is its middle.
--   source: sizes of a dog of 30 kg, rounded

local arguments = require "impel.arguments"
local fm = require "impel.math"

local FIELDS = {
  position = { "point", optional = true },
  name = { "string", default = "quadruped" },
  height = { "number", min = 0.05, max = 100, unit = "m", default = 0.6 },
  mass = { "number", min = 1e-3, unit = "kg", default = 30 },
  friction = { "number", min = 0, default = 0.9 },
  group = { "integer", default = -1 },
}

-- Parts of the height from the ground to the hips: the trunk and its thickness, upper and lower leg.
local TRUNK, THICKNESS, UPPER, LOWER = 1.2, 0.35, 0.5, 0.5
local HEAD, NECK = 0.14, { 0.82, 0.28 } -- radius, and where its middle is from the trunk's
-- Parts of the mass: of all four legs together a fifth.
local TRUNK_MASS, UPPER_MASS, LOWER_MASS = 0.8, 0.035, 0.015

local legs = { { "left", "front", 1 }, { "right", "front", 1 }, { "left", "hind", -1 }, { "right", "hind", -1 } }

local Quadruped = {}
Quadruped.__index = Quadruped

--- Remove all its bodies, and with them its joints.
function Quadruped:destroy()
  for _, body in ipairs(self.bodies) do body:destroy() end
end

--- The angles of a leg that put its foot at a place, by the law of cosines. A foot that is out of reach is put on the
--- line to it.
---@param leg string  "left_front", ...
---@param x number    in front of the hip, along the trunk [m]
---@param y number    above the hip, so below 0 [m]
---@return number hip   [rad]
---@return number knee  [rad]
function Quadruped:reach(leg, x, y)
  local a, b = self.upper, self.lower
  local r = math.max(math.abs(a - b), math.min(a + b, fm.sqrt(x * x + y * y)))
  local knee = self.bend[leg] * fm.acos(math.max(-1, math.min(1, (r * r - a * a - b * b) / (2 * a * b))))
  return fm.atan(x, -y) - fm.atan(b * fm.sin(knee), a + b * fm.cos(knee)), knee
end

-- A part of a leg: a capsule that hangs down from its origin.
local function limb(world, o, name, x, y, length, radius, mass)
  local body = world:body { name = o.name .. " " .. name, position = { x, y }, mass = mass }
  body:capsule { from = { 0, -radius / 2 }, to = { 0, -length + radius }, radius = radius, friction = o.friction,
    group = o.group }
  return body
end

local function make_trunk(world, o, x, y)
  local h = o.height
  local trunk = world:body { name = o.name .. " trunk", position = { x, y }, mass = TRUNK_MASS * o.mass }
  local half, r = TRUNK * h / 2, THICKNESS * h / 2
  trunk:capsule { from = { -half, 0 }, to = { half, 0 }, radius = r, friction = o.friction, group = o.group }
  trunk:circle { radius = HEAD * h, center = { NECK[1] * h, NECK[2] * h }, density = 0, friction = o.friction,
    group = o.group }
  trunk:capsule { from = { half, 0 }, to = { NECK[1] * h, NECK[2] * h }, radius = 0.6 * HEAD * h, density = 0,
    friction = o.friction, group = o.group }
  return trunk
end

-- A leg's two bodies and two joints, into parts: "left_front_upper", "left_front_hip", ...
local function make_leg(world, o, parts, side, place, at, y)
  local h, name, label = o.height, side .. "_" .. place, side .. " " .. place
  local x = parts.trunk:position() + at * TRUNK * h / 2
  local upper = limb(world, o, label .. " upper", x, y, UPPER * h, 0.055 * h, UPPER_MASS * o.mass)
  local lower = limb(world, o, label .. " lower", x, y - UPPER * h, LOWER * h, 0.04 * h, LOWER_MASS * o.mass)
  local bend = at
  local hip = world:revolute(parts.trunk, upper, { name = ("%s %s hip"):format(o.name, label), anchor = { x, y },
    limit = { -1.4, 1.4 } })
  local knee = world:revolute(upper, lower, { name = ("%s %s knee"):format(o.name, label),
    anchor = { x, y - UPPER * h }, limit = bend > 0 and { -0.1, 2.4 } or { -2.4, 0.1 } })
  parts[name .. "_upper"], parts[name .. "_lower"] = upper, lower
  parts[name .. "_hip"], parts[name .. "_knee"] = hip, knee
  parts.bend[name] = bend
  local bodies, joints = parts.bodies, parts.joints
  bodies[#bodies + 1], bodies[#bodies + 2] = upper, lower
  joints[#joints + 1], joints[#joints + 2] = hip, knee
end

--- Make a quadruped that stands on straight legs.
---@param world impel.world
---@param options table|nil  position: below the trunk's middle, on the ground { x, y } [m], { 0, 0 } by default;
---  height of the hips 0.6 [m]; mass 30 [kg]; friction 0.9; name "quadruped"; group -1: its bodies never meet
---@return table parts  trunk, left_front_upper, left_front_lower, right_front_..., left_hind_..., right_hind_...:
---  bodies; left_front_hip, left_front_knee, ...: revolute joints; bend: "left_front" -> sign of its knee's angle;
---  upper, lower: lengths [m]; legs, bodies, joints: lists; height [m], mass [kg]; reach(leg, x, y) ->
---  hip, knee; destroy()
return function(world, options)
  local o = arguments.read("impel.rig.quadruped", options, FIELDS)
  arguments.check("impel.rig.quadruped: argument 'world'", world, { "world" })
  local position = o.position or { 0, 0 }
  local x, y = position[1], position[2] + o.height
  local parts = setmetatable({ bodies = {}, joints = {}, bend = {}, legs = {}, height = o.height, mass = o.mass,
    upper = UPPER * o.height, lower = LOWER * o.height }, Quadruped)
  parts.trunk = make_trunk(world, o, x, y)
  parts.bodies[1] = parts.trunk
  for i, leg in ipairs(legs) do
    make_leg(world, o, parts, leg[1], leg[2], leg[3], y)
    parts.legs[i] = leg[1] .. "_" .. leg[2]
  end
  return parts
end
