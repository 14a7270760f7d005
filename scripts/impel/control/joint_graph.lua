-- The tree of bodies that hang together by joints, from a root outward: what Jacobians, mass matrices and virtual
-- forces are read from.
--
--   local links = joint_graph.tree("impel.multibody", torso)          breadth first, each behind its parent
--   local chain = joint_graph.chain("impel.virtual_force", shoulder, hand)      the links from one body to another
--   links[1].body, .parent, .joint, .sign, .slide, .turn
--
-- A link is a body with the joint that carries it: revolute (it turns), prismatic (it slides), wheel and pin_slot (it
-- slides, then turns) and weld (rigid). Coordinates count from body_a to body_b, so `sign` is -1 where the joint's
-- body_b is the parent. Other joints (rods, ropes, springs, gears, drag, ...) are forces on a tree and no part of it.

local arguments = require "impel.base.arguments"

local joint_graph = {}

-- Joints that carry: the free coordinates of each. The anchor of body_b is where it turns.
local carriers = {
  revolute = { turn = "angle" }, prismatic = { slide = "x" }, weld = {},
  wheel = { slide = "x", turn = "angle" }, pin_slot = { slide = "x", turn = "angle" },
}

--- How a message calls an object: its name, or what it prints itself as.
function joint_graph.called(object)
  return object.name and ("'%s'"):format(object.name) or tostring(object)
end

local called = joint_graph.called

local function is_carrier(joint)
  return carriers[joint.kind] ~= nil and not joint.broken
end

-- The link that a joint makes of the body beyond it.
local function link_of(joint, parent)
  local carrier = carriers[joint.kind]
  local a, b = joint.body_a, joint.body_b
  return {
    body = a == parent and b or a, parent = parent, joint = joint, sign = b == parent and -1 or 1,
    slide = carrier.slide and joint:coordinate(carrier.slide), turn = carrier.turn and joint:coordinate(carrier.turn),
  }
end

--- Raise for a body that cannot turn or has a locked axis.
function joint_graph.check_turns(what, body)
  if body.type == "particle" or body.fixed_rotation then
    arguments.fail("%s: body %s cannot turn: no link of a tree", what, called(body))
  elseif body.lock_x or body.lock_y then
    arguments.fail("%s: body %s has a locked axis: no link of a tree (a prismatic joint is)", what, called(body))
  end
end

-- Raise for a body that cannot turn and for a joint that gives way where it should not.
local function check_link(what, link)
  local body, joint = link.body, link.joint
  joint_graph.check_turns(what, body)
  for _, name in ipairs { "x", "y", "angle" } do
    local coordinate = joint:coordinate(name)
    if coordinate ~= link.slide and coordinate ~= link.turn and not coordinate:drives().lock then
      arguments.fail("%s: joint %s gives way in '%s': only rigid joints carry a link", what, called(joint), name)
    end
  end
end

-- The listed joints, checked, as a set; nil where none are listed.
local function chosen_of(what, joints)
  if joints == nil then return nil end
  local chosen = {}
  arguments.list(what .. ": field 'joints'", joints)
  if #joints == 0 then arguments.fail("%s: field 'joints' lists no joint (without it all count)", what) end
  for i, joint in ipairs(joints) do
    arguments.check(("%s: joints[%d]"):format(what, i), joint, { "joint" })
    if not joint:is_valid() then arguments.fail("%s: joints[%d] is destroyed", what, i) end
    if not is_carrier(joint) then
      arguments.fail("%s: joint %s is %s: revolute, prismatic, wheel, pin_slot or weld expected", what, called(joint),
        joint.broken and "broken" or "a " .. joint.kind)
    end
    chosen[joint] = true
  end
  return chosen
end

-- Breadth first from the root, and not beyond what no force moves. `loop(joint)` is called for a joint between two
-- bodies that are reached already.
local function walk(root, chosen, loop)
  local links, link_to, used, head = {}, { [root] = false }, {}, 0
  local body = root
  while body do
    local on = body == root or body.type == "dynamic"
    for joint in body:joints() do
      if on and is_carrier(joint) and not used[joint] and (not chosen or chosen[joint]) then
        used[joint] = true
        local link = link_of(joint, body)
        if link_to[link.body] ~= nil then
          loop(joint)
        else
          link_to[link.body] = link
          links[#links + 1] = link
        end
      end
    end
    head = head + 1
    body = links[head] and links[head].body
  end
  return links, link_to, used
end

--- All that hangs on a body, breadth first, joints in the order of their creation.
---@param what string                how messages begin
---@param root impel.body            the tree's root; a static body is no one's child
---@param joints impel.joint[]|nil   only these; all that carry by default
---@return table[] links             { body, parent, joint, sign, slide, turn }; slide and turn are coordinates or nil
function joint_graph.tree(what, root, joints)
  local chosen = chosen_of(what, joints)
  local links, _, used = walk(root, chosen, function(joint)
    arguments.fail("%s: joint %s closes a loop (list the joints of a tree in the field 'joints')", what, called(joint))
  end)
  for _, link in ipairs(links) do
    if link.body.type ~= "dynamic" then
      arguments.fail("%s: joint %s holds the tree to the %s body %s: take that one as the root", what,
        called(link.joint), link.body.type, called(link.body))
    end
    check_link(what, link)
  end
  for _, joint in ipairs(joints or {}) do
    if not used[joint] then
      arguments.fail("%s: joint %s is not reached from %s", what, called(joint), called(root))
    end
  end
  return links
end

--- The links from one body to another, by the fewest joints.
---@param what string                how messages begin
---@param base impel.body
---@param body impel.body
---@param joints impel.joint[]|nil   only these
---@return table[] links             as of tree; the last is the body's; none from a body to itself
function joint_graph.chain(what, base, body, joints)
  local _, link_to = walk(base, chosen_of(what, joints), function() end)
  if link_to[body] == nil then
    arguments.fail("%s: no joints lead from %s to %s", what, called(base), called(body))
  end
  local back, link = {}, link_to[body] -- from the body to the base
  while link do
    check_link(what, link)
    back[#back + 1] = link
    link = link_to[link.parent]
  end
  local chain = {}
  for i = #back, 1, -1 do chain[#chain + 1] = back[i] end
  return chain
end

return joint_graph
