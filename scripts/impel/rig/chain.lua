-- impel.rig.chain: rigid links connected by hinges.
--
--   local chain = impel.rig.chain(world, { from = { 0, 5 }, to = { 0, 3 }, segments = 10 })
--   local across = impel.rig.chain(world, { from = { 0, 5 }, to = { 4, 5 }, length = 6, a = post, b = other_post })
--   chain.first, chain.last, chain.bodies[3], chain.joints[1]:reaction()
--
-- A chain of many links between two points is a catenary, y = a cosh(x / a), with the tension weight per metre times y.

local rig_parts = require "impel.rig.shared.parts"
local rig_links = require "impel.rig.shared.links"

local MASS = 2 -- default mass per metre [kg/m]

local function build(parts, o)
  local points, link = rig_links.points(parts, o.from, o.to, o.length, o.segments)
  parts.length = link * o.segments
  o.mass = o.mass or MASS * parts.length
  rig_links.hinge(parts, o, points, function(body, length)
    body:capsule { from = { -length / 2, 0 }, to = { length / 2, 0 }, radius = o.radius, friction = o.friction,
      group = parts.group }
  end)
end

--- Create rigid links between two points, in an arc below the points if the chain is longer.
---@param options table|nil  fields:
---  from = { 0, 0 }, to = { 0, -2 } [m]: ends in the rig's frame
---  length [m]: default the distance of the ends
---  segments = 10
---  mass [kg] of all links: default 2 kg per metre
---  radius = 0.03 [m] of the links
---  friction = 0.6
---  damping = 0 [N m s/rad] and break_force [N], default none, of the hinges
---  a: body at from, default the ground
---  b: body at to, default none
---  loose = false: whether no body is at from
---  position, angle, name, group
---@return table parts  first, last: the outer links; bodies, joints (from a to b), group, length [m]; mass(),
---  destroy()
return function(world, options)
  return rig_parts.make("impel.rig.chain", world, options, rig_links.fields, build)
end
