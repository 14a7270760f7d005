-- impel.rig.bridge: planks between two banks, connected by hinges.
--
--   local bridge = impel.rig.bridge(world, { from = { 0, 2 }, to = { 10, 2 }, planks = 20 })
--   bridge.left, bridge.right           -- hinges at the banks
--
-- H sag = G L / 8   H: horizontal tension, G: weight of the bridge, L: distance of the banks

local rig_parts = require "impel.rig.shared.parts"
local rig_links = require "impel.rig.shared.links"

local fields = rig_links.with {
  to = { "point", default = { 10, 0 }, unit = "m" },
  planks = { "integer", min = 1, default = 20 },
  slack = { "number", min = 0, default = 0.02 },
  thickness = { "number", above = 0, default = 0.1, unit = "m" },
  mass = { "number", above = 0, default = 400, unit = "kg" },
  damping = { "number", min = 0, default = 100, unit = "N m s/rad" },
}
for _, name in ipairs { "segments", "length", "radius", "loose" } do fields[name] = nil end

local function build(parts, o)
  local dx, dy = o.to[1] - o.from[1], o.to[2] - o.from[2]
  local gap = math.sqrt(dx * dx + dy * dy)
  local slack = o.planks > 1 and gap > 0 and gap * (1 + o.slack) or nil
  local points, plank = rig_links.points(parts, o.from, o.to, slack, o.planks)
  parts.length = plank * o.planks
  o.b, o.loose = o.b or parts.world.ground, false
  rig_links.hinge(parts, o, points, function(body, length)
    body:box { length, o.thickness, friction = o.friction, group = parts.group }
  end)
  parts.left, parts.right = parts.joints[1], parts.joints[#parts.joints]
end

--- Create a hanging bridge.
---@param options table|nil  fields:
---  from = { 0, 0 }, to = { 10, 0 } [m]: banks in the rig's frame
---  planks = 20
---  slack = 0.02: extra length as a fraction of the gap, ignored with one plank
---  thickness = 0.1 [m] of a plank
---  mass = 400 [kg] of all planks
---  friction = 0.6
---  damping = 100 [N m s/rad] and break_force [N], default none, of the hinges
---  a and b: bodies of the banks, default the ground
---  position, angle, name, group
---@return table parts  left, right: hinges at from and to; first, last: outer planks; bodies, joints, group; mass(),
---  destroy()
return function(world, options)
  return rig_parts.make("impel.rig.bridge", world, options, fields, build)
end
