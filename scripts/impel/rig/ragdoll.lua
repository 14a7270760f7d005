-- impel.rig.ragdoll: a human body seen from its right side. It stands upright and faces right.
--
--   local doll = impel.rig.ragdoll(world, { position = { 0, 0 }, height = 1.8, mass = 75 })
--   doll:pose { left_knee = -0.5, left_hip = 0.4 }
--   doll.torso:apply_impulse(-50, 0)
--
-- Thirteen bodies and twelve hinges with angle 0 in the initial pose:
--
--   pelvis, torso, head, left_ and right_: thigh, shin, foot, upper_arm, forearm (with the hand)
--   waist, neck, left_ and right_: hip, knee, ankle, shoulder, elbow
--
-- Angles are positive counter-clockwise: hips, shoulders and elbows bend forward and ankles lift the toes at positive
-- angles; knees bend, and waist and neck bow, at negative angles.
--
-- Sources:
--   lengths as fractions of the height H: Drillis and Contini, "Body Segment Parameters" (1966), in Winter, figure 4.1
--   masses as fractions of the body's mass M: Winter, "Biomechanics and Motor Control of Human Movement", table 4.1
--   limits: American Academy of Orthopaedic Surgeons, "Joint Motion: Method of Measuring and Recording" (1965)
--
-- Use 8 substeps per step or more.

local rig_parts = require "impel.rig.shared.parts"
local maths = require "impel.math"

local FORE = 0.254             -- length of forearm and hand [H]
local SHOULDER, HIP, KNEE, ANKLE, WAIST, NECK = 0.818, 0.530, 0.285, 0.039, 0.600, 0.844
local ELBOW = SHOULDER - 0.186
-- X coordinates of heel and toe relative to the ankle [H].
local HEEL, TOE = -0.038, 0.114

-- Capsules: name, fraction of the mass, heights of the lower and the upper end, radius [H] (round caps extend beyond
-- the ends); hinge to the parent: name, parent body, height [H], range [degrees].
local trunk = {
  { "pelvis", 0.142, HIP, WAIST, 0.055 },
  { "torso", 0.355, WAIST + 0.03, SHOULDER - 0.02, 0.058, "waist", "pelvis", WAIST, -80, 25 },
  { "head", 0.081, 0.885, 0.9375, 0.0625, "neck", "torso", NECK, -45, 45 },
}
local limbs = { -- segments of one side
  { "thigh", 0.100, KNEE, HIP, 0.038, "hip", "pelvis", HIP, -30, 120 },
  { "shin", 0.0465, ANKLE, KNEE, 0.027, "knee", "thigh", KNEE, -135, 0 },
  { "foot", 0.0145, 0, ANKLE, nil, "ankle", "shin", ANKLE, -50, 20 },
  { "upper_arm", 0.028, ELBOW, SHOULDER, 0.025, "shoulder", "torso", SHOULDER, -60, 180 },
  { "forearm", 0.022, ELBOW - FORE + 0.02, ELBOW, 0.02, "elbow", "upper_arm", ELBOW, 0, 150 },
}

local fields = {
  height = { "number", above = 0, default = 1.8, unit = "m" },
  mass = { "number", above = 0, default = 75, unit = "kg" },
  damping = { "number", min = 0, default = 1, unit = "N m s/rad" },  -- damping of the drive `spring` of every hinge
  -- stiffness of the drive `spring` of every hinge; its target is the angle 0
  stiffness = { "number", min = 0, default = 0, unit = "N m/rad" },
  joint_friction = { "number", min = 0, default = 0, unit = "N m" }, -- dry friction of every hinge
  friction = { "number", min = 0, default = 0.6 },                   -- friction of all surfaces
}

-- Add a segment and its hinge. side: "", "left_" or "right_".
local function add(parts, o, segment, side)
  local name, fraction, low, high, radius, hinge, parent, pivot, back, forth = table.unpack(segment)
  local H = o.height
  local body = parts:body(side .. name, { position = { 0, (low + high) / 2 * H }, mass = fraction * o.mass })
  if radius then
    local half = (high - low) / 2 * H
    body:capsule { from = { 0, -half }, to = { 0, half }, radius = radius * H, friction = o.friction,
      group = parts.group }
  else -- a foot: flat below, with its top at the ankle
    local up = ANKLE / 2 * H
    body:polygon { points = { { HEEL * H, -up }, { TOE * H, -up }, { TOE * H, -up / 2 }, { 0.02 * H, up },
      { -0.02 * H, up }, { HEEL * H, 0 } }, friction = o.friction, group = parts.group }
  end
  if not hinge then return end
  parts:joint("revolute", side .. hinge, parts[side .. parent] or parts[parent], body, {
    anchor = { 0, pivot * H }, limit = { maths.rad(back), maths.rad(forth) },
    spring = (o.damping > 0 or o.stiffness > 0) and { stiffness = o.stiffness, damping = o.damping } or nil,
    motor = o.joint_friction > 0 and { speed = 0, max_force = o.joint_friction } or nil })
end

local function build(parts, o)
  for _, segment in ipairs(trunk) do add(parts, o, segment, "") end
  for _, side in ipairs { "left_", "right_" } do
    for _, segment in ipairs(limbs) do add(parts, o, segment, side) end
  end
end

--- Create a human body.
---@param options table|nil  fields:
---  position = { 0, 0 } [m]: point on the ground between the feet
---  angle = 0 [rad]: lean, positive to the left
---  height = 1.8 [m]
---  mass = 75 [kg]
---  damping = 1 [N m s/rad], stiffness = 0 [N m/rad]: of the spring of every hinge. An impel.posture or impel.stable_pd
---   of the hinge replaces this spring
---  joint_friction = 0 [N m] of every hinge
---  friction = 0.6
---  name = "ragdoll"
---  group
---@return table parts  bodies and hinges by name; bodies, joints, group; pose{...}, mass() [kg], center() [m],
---  destroy()
return function(world, options)
  return rig_parts.make("impel.rig.ragdoll", world, options, fields, build)
end
