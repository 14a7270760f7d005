-- impel.rig.biped: a biped that faces right: a torso and two legs of thigh, shin and foot.
--
--   local walker = impel.rig.biped(world, { position = { 0, 0 } })
--   walker.left_knee.value, walker.torso:position()
--
-- Angles are 0 if the biped stands straight, positive counter-clockwise: a positive hip angle puts the thigh in front,
-- a bent knee has a negative angle, a positive ankle angle lifts the toes. The origin of a thigh, shin or foot is its
-- upper joint; the origin of the torso is the hip.
--   source of masses and lengths: Winter, "Biomechanics and Motor Control of
--   Human Movement", table 4.1, after Dempster (1955) and Drillis and Contini (1966)

local rig_parts = require "impel.rig.shared.parts"

local FIELDS = {
  height = { "number", min = 0.1, max = 100, unit = "m", default = 1.8 },
  mass = { "number", min = 1e-3, unit = "kg", default = 80 },
  friction = { "number", min = 0, default = 0.9 },
}

-- Fractions of the height: thigh, shin, height of the ankle, foot, part of the foot in front of the ankle. Above the
-- hip: centre of mass of HAT (head, arms and trunk), centre of the head.
local THIGH, SHIN, ANKLE, FOOT, TOES = 0.245, 0.246, 0.039, 0.152, 0.112
local HAT_CENTER, HEAD = 0.180, 0.42
-- Fractions of the mass, for one leg; radii of gyration / length of the bone (HAT: / height).
local HAT_MASS, THIGH_MASS, SHIN_MASS, FOOT_MASS = 0.678, 0.1, 0.0465, 0.0145
local HAT_GYRATION, THIGH_GYRATION, SHIN_GYRATION, FOOT_GYRATION = 0.496 * 0.288, 0.323, 0.302, 0.475

-- Ranges of human joints [rad].
local HIP, KNEE, ANKLE_RANGE = { -0.7, 2.1 }, { -2.4, 0 }, { -0.8, 0.5 }

-- Add a body with its mass and its moment of inertia about its centre of mass.
local function bone(parts, key, y, mass, gyration)
  return parts:body(key, { position = { 0, y }, mass = mass, inertia = mass * gyration ^ 2 })
end

local function capsule(parts, o, body, top, bottom, radius)
  body:capsule { from = { 0, top - radius }, to = { 0, bottom + radius }, radius = radius, friction = o.friction,
    group = parts.group }
end

local function make_torso(parts, o, y)
  local h = o.height
  local torso = bone(parts, "torso", y, HAT_MASS * o.mass, HAT_GYRATION * h)
  capsule(parts, o, torso, 2 * HAT_CENTER * h, 0, 0.055 * h)
  torso:circle { radius = 0.05 * h, center = { 0, HEAD * h }, density = 0, friction = o.friction, group = parts.group }
end

local function make_foot(parts, o, key, y)
  local h = o.height
  local foot = bone(parts, key, y, FOOT_MASS * o.mass, FOOT_GYRATION * FOOT * h)
  local heel, toes, sole, top, r = -(FOOT - TOES) * h, TOES * h, -ANKLE * h, -0.014 * h, 0.006 * h
  foot:polygon { points = { { heel + r, sole + r }, { toes - r, sole + r }, { toes - r, sole + 2 * r },
    { 0.01 * h, top }, { heel + r, top } }, radius = r, friction = o.friction, group = parts.group }
  return foot
end

-- Add one leg.
local function make_leg(parts, o, side, hip)
  local h, m = o.height, o.mass
  local knee, ankle = hip - THIGH * h, hip - (THIGH + SHIN) * h
  local thigh = bone(parts, side .. "_thigh", hip, THIGH_MASS * m, THIGH_GYRATION * THIGH * h)
  capsule(parts, o, thigh, 0.02 * h, -THIGH * h - 0.015 * h, 0.036 * h)
  local shin = bone(parts, side .. "_shin", knee, SHIN_MASS * m, SHIN_GYRATION * SHIN * h)
  capsule(parts, o, shin, 0.02 * h, -SHIN * h - 0.01 * h, 0.026 * h)
  local foot = make_foot(parts, o, side .. "_foot", ankle)
  parts:joint("revolute", side .. "_hip", parts.torso, thigh, { anchor = { 0, hip }, limit = HIP })
  parts:joint("revolute", side .. "_knee", thigh, shin, { anchor = { 0, knee }, limit = KNEE })
  parts:joint("revolute", side .. "_ankle", shin, foot, { anchor = { 0, ankle }, limit = ANKLE_RANGE })
end

local function build(parts, o)
  parts.hip_height = (THIGH + SHIN + ANKLE) * o.height
  make_torso(parts, o, parts.hip_height)
  make_leg(parts, o, "left", parts.hip_height)
  make_leg(parts, o, "right", parts.hip_height)
end

--- Create a biped that stands straight.
---@param options table|nil  fields: position = { 0, 0 } [m]: point on the ground between the feet;
---  angle = 0 [rad]; height = 1.8 [m]; mass = 80 [kg]; friction = 0.9; name = "biped"; group
---@return table parts  torso, left_thigh, left_shin, left_foot, right_...: bodies; left_hip, left_knee, left_ankle,
---  right_...: joints; hip_height [m]; bodies, joints, group; pose{...}, mass() [kg], center() [m], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.biped", world, options, FIELDS, build)
end
