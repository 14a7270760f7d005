-- impel.rig.biped: a two-legged figure of seven bodies that looks to the right: what head, arms and trunk weigh is one
-- torso, and each leg has a thigh, a shin and a foot.
--
--   local walker = impel.rig.biped(world, { position = { 0, 0 } })
--   walker.left_knee.value, walker.torso:position()
--
-- Angles are 0 when it stands straight. Counter-clockwise is positive: a hip that is positive has its thigh in front, a
-- knee that bends is negative, an ankle that is positive has its toes up. A bone's origin is the joint above it; the
-- torso's is the hip.
--   source of masses and lengths, as parts of body mass and height: Winter, "Biomechanics and Motor Control of Human
--   Movement", table 4.1, after Dempster (1955) and Drillis and Contini (1966)

local arguments = require "impel.arguments"

local FIELDS = {
  position = { "point", optional = true },
  name = { "string", default = "biped" },
  height = { "number", min = 0.1, max = 100, unit = "m", default = 1.8 },
  mass = { "number", min = 1e-3, unit = "kg", default = 80 },
  friction = { "number", min = 0, default = 0.9 },
  group = { "integer", default = -1 },
}

-- Parts of the height: thigh, shin, height of the ankle, foot, what of it is in front of the ankle; above the hip the
-- centre of head, arms and trunk, the end of the trunk, the middle of the head.
local THIGH, SHIN, ANKLE, FOOT, TOES = 0.245, 0.246, 0.039, 0.152, 0.112
local HAT_CENTER, HEAD = 0.180, 0.42
-- Parts of the mass, of one leg each, and radii of gyration about the centre as parts of the bone's length.
local HAT_MASS, THIGH_MASS, SHIN_MASS, FOOT_MASS = 0.678, 0.1, 0.0465, 0.0145
local HAT_GYRATION, THIGH_GYRATION, SHIN_GYRATION, FOOT_GYRATION = 0.496 * 0.288, 0.323, 0.302, 0.475

-- The range of a human's joints [rad].
local HIP, KNEE, ANKLE_RANGE = { -0.7, 2.1 }, { -2.4, 0 }, { -0.8, 0.5 }

-- A body with its mass and its moment of inertia about its centre.
local function bone(world, o, name, x, y, mass, gyration)
  return world:body { name = o.name .. " " .. name, position = { x, y }, mass = mass, inertia = mass * gyration ^ 2 }
end

local function capsule(body, o, top, bottom, radius, density)
  return body:capsule { from = { 0, top - radius }, to = { 0, bottom + radius }, radius = radius, friction = o.friction,
    group = o.group, density = density or 1 }
end

local function make_torso(world, o, x, y)
  local h = o.height
  local torso = bone(world, o, "torso", x, y, HAT_MASS * o.mass, HAT_GYRATION * h)
  capsule(torso, o, 2 * HAT_CENTER * h, 0, 0.055 * h)
  torso:circle { radius = 0.05 * h, center = { 0, HEAD * h }, density = 0, friction = o.friction, group = o.group }
  return torso
end

local function make_foot(world, o, side, x, y)
  local h = o.height
  local foot = bone(world, o, side .. " foot", x, y, FOOT_MASS * o.mass, FOOT_GYRATION * FOOT * h)
  local heel, toes, sole, top, r = -(FOOT - TOES) * h, TOES * h, -ANKLE * h, -0.014 * h, 0.006 * h
  foot:polygon { points = { { heel + r, sole + r }, { toes - r, sole + r }, { toes - r, sole + 2 * r },
    { 0.01 * h, top }, { heel + r, top } }, radius = r, friction = o.friction, group = o.group }
  return foot
end

-- One leg, from the hip down; its joints into parts.
local function make_leg(world, o, parts, side, x, y)
  local h, m = o.height, o.mass
  local knee, ankle = y - THIGH * h, y - (THIGH + SHIN) * h
  local thigh = bone(world, o, side .. " thigh", x, y, THIGH_MASS * m, THIGH_GYRATION * THIGH * h)
  capsule(thigh, o, 0.02 * h, -THIGH * h - 0.015 * h, 0.036 * h)
  local shin = bone(world, o, side .. " shin", x, knee, SHIN_MASS * m, SHIN_GYRATION * SHIN * h)
  capsule(shin, o, 0.02 * h, -SHIN * h - 0.01 * h, 0.026 * h)
  local foot = make_foot(world, o, side, x, ankle)
  local function hinge(what, a, b, at, limit)
    local joint = world:revolute(a, b, { name = ("%s %s %s"):format(o.name, side, what), anchor = { x, at },
      limit = limit })
    parts[side .. "_" .. what] = joint
    parts.joints[#parts.joints + 1] = joint
  end
  parts[side .. "_thigh"], parts[side .. "_shin"], parts[side .. "_foot"] = thigh, shin, foot
  for _, body in ipairs { thigh, shin, foot } do parts.bodies[#parts.bodies + 1] = body end
  hinge("hip", parts.torso, thigh, y, HIP)
  hinge("knee", thigh, shin, knee, KNEE)
  hinge("ankle", shin, foot, ankle, ANKLE_RANGE)
end

local Biped = {}
Biped.__index = Biped

--- Remove all its bodies, and with them its joints.
function Biped:destroy()
  for _, body in ipairs(self.bodies) do body:destroy() end
end

--- The centre of mass of all of it.
---@return number x  [m]
---@return number y  [m]
function Biped:center()
  local sx, sy, sum = 0, 0, 0
  for _, body in ipairs(self.bodies) do
    local x, y = body:center()
    local m = body.mass
    sx, sy, sum = sx + m * x, sy + m * y, sum + m
  end
  return sx / sum, sy / sum
end

--- Make a biped that stands straight.
---@param world impel.world
---@param options table|nil  position: between its feet, on the ground { x, y } [m], { 0, 0 } by default;
---  height 1.8 [m]; mass 80 [kg]; friction 0.9; name "biped"; group -1: its bodies do not meet each other
---@return table parts  torso, left_thigh, left_shin, left_foot, right_...: bodies; left_hip, left_knee, left_ankle,
---  right_...: revolute joints; bodies, joints: lists; height [m], mass [kg], hip_height [m]; destroy(), center()
return function(world, options)
  local o = arguments.read("impel.rig.biped", options, FIELDS)
  arguments.check("impel.rig.biped: argument 'world'", world, { "world" })
  local position = o.position or { 0, 0 }
  local x, y = position[1], position[2] + (THIGH + SHIN + ANKLE) * o.height
  local parts = setmetatable({ bodies = {}, joints = {}, height = o.height, mass = o.mass,
    hip_height = y - position[2] }, Biped)
  parts.torso = make_torso(world, o, x, y)
  parts.bodies[1] = parts.torso
  make_leg(world, o, parts, "left", x, y)
  make_leg(world, o, parts, "right", x, y)
  return parts
end
