-- Puts a rig into a pose, given by the angles of its hinges.
--
--   doll:pose { left_hip = 1.2, left_knee = -1.5 }
--
-- For a hinge at q_a of body a and q_b of body b:
--
--   angle_b = angle_a + reference + angle of the hinge,   x_b = x_a + R(angle_a) q_a - R(angle_b) q_b
--
-- reference: angle of b relative to a at which the angle of the hinge is 0.

local arguments = require "impel.base.arguments"
local maths = require "impel.math"

local rig_pose = {}

local function check_angle(self, key, value)
  local what = ("%s: pose: '%s'"):format(self.what, key)
  for _, hinge in ipairs(self.hinges) do
    if hinge.key == key then
      local limit = hinge.limit or {}
      return arguments.check(what, value, { "number", min = limit[1], max = limit[2], unit = "rad" })
    end
  end
  arguments.fail("%s is not a hinge of the rig", what)
end

--- Put the rig into a pose at once: the first body does not move, each other body is moved to where its hinge requires.
--- Velocities are unchanged.
---@param angles table  hinge -> angle [rad], within its limits; other hinges keep their angles
function rig_pose.set(self, angles)
  arguments.check(self.what .. ": pose", angles, { "table" })
  for _, key in ipairs(arguments.keys(angles)) do
    if type(key) ~= "string" then arguments.fail("%s: pose: %s is not a hinge name", self.what, arguments.got(key)) end
    check_angle(self, key, angles[key])
  end
  local wanted = {} -- read all angles before any body moves
  for i, hinge in ipairs(self.hinges) do wanted[i] = angles[hinge.key] or hinge.joint.value end
  -- body id -> new pose, because set_position in a handler does not change the body at once
  local places = {}
  for i, hinge in ipairs(self.hinges) do -- in the order of creation, because a body comes after its parent
    local a, b = hinge.a, hinge.b
    local from = places[a.id]
    if not from then
      local x, y = a:position()
      from = { x, y, a.angle }
    end
    local angle = from[3] + hinge.reference + wanted[i]
    local cos, sin = maths.cos(from[3]), maths.sin(from[3])
    local x, y = from[1] + cos * hinge.ax - sin * hinge.ay, from[2] + sin * hinge.ax + cos * hinge.ay
    cos, sin = maths.cos(angle), maths.sin(angle)
    x, y = x - cos * hinge.bx + sin * hinge.by, y - sin * hinge.bx - cos * hinge.by
    b.angle = angle
    b:set_position(x, y)
    places[b.id] = { x, y, angle }
  end
end

return rig_pose
