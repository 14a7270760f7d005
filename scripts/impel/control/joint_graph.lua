-- The tree of bodies connected by joints, from a root outward.
--
--   local links = joint_graph.tree("impel.multibody", torso)          breadth first, each link after its parent
--   local chain = joint_graph.chain("impel.virtual_force", shoulder, hand)      the links from one body to another
--   links[1].body, .parent, .joint, .sign, .slide, .turn
--
-- A link is a body with the joint to its parent: revolute, prismatic, wheel, pin_slot or weld. `sign` is -1 if the
-- joint's body_b is the parent. `slide` and `turn` are its free coordinates, or nil. A link rotates about the anchor of
-- body_b. Other joints are not part of a tree; they act on it as forces.

local arguments = require "impel.base.arguments"

local joint_graph = {}

-- Kinds of joints that connect a link to its parent, each with its free coordinates.
local carriers = {
  revolute = { turn = "angle" }, prismatic = { slide = "x" }, weld = {},
  wheel = { slide = "x", turn = "angle" }, pin_slot = { slide = "x", turn = "angle" },
}

--- Return the name of an object as messages print it: its own name, or its tostring.
function joint_graph.called(object)
  return object.name and ("'%s'"):format(object.name) or tostring(object)
end

local called = joint_graph.called

local function is_carrier(joint)
  return carriers[joint.kind] ~= nil and not joint.broken
end

-- Return the link of the body that a joint connects to `parent`.
local function link_of(joint, parent)
  local carrier = carriers[joint.kind]
  local a, b = joint.body_a, joint.body_b
  return {
    body = a == parent and b or a, parent = parent, joint = joint, sign = b == parent and -1 or 1,
    slide = carrier.slide and joint:coordinate(carrier.slide), turn = carrier.turn and joint:coordinate(carrier.turn),
  }
end

--- Raise if a body cannot rotate or has a locked axis.
function joint_graph.check_turns(what, body)
  if body.type == "particle" or body.fixed_rotation then
    arguments.fail("%s: body %s cannot rotate, so it cannot be a link of the tree", what, called(body))
  elseif body.lock_x or body.lock_y then
    arguments.fail("%s: body %s has a locked axis, so it cannot be a link; use a prismatic joint", what, called(body))
  end
end

-- Raise if a link cannot rotate, or a coordinate is unlocked that its kind of joint locks.
local function check_link(what, link)
  local body, joint = link.body, link.joint
  joint_graph.check_turns(what, body)
  for _, name in ipairs { "x", "y", "angle" } do
    local coordinate = joint:coordinate(name)
    if coordinate ~= link.slide and coordinate ~= link.turn and not coordinate:drives().lock then
      arguments.fail("%s: joint %s does not lock '%s'; only rigid joints can connect links", what, called(joint), name)
    end
  end
end

-- Check a list of joints and return it as a set; nil without a list.
local function chosen_of(what, joints)
  if joints == nil then return nil end
  local chosen = {}
  arguments.list(what .. ": field 'joints'", joints)
  if #joints == 0 then arguments.fail("%s: field 'joints' is empty; leave it out to use all joints", what) end
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

-- Traverse the joints breadth first, up to bodies that are not dynamic. Call loop(joint) for a joint between two bodies
-- that are already reached.
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

--- Return all links connected to a body, breadth first, joints in the order of their creation. Raises if a joint closes
--- a loop, or if a body other than the root is not dynamic.
---@param what string                prefix of messages
---@param root impel.body            root of the tree; may be static
---@param joints impel.joint[]|nil   joints to use, default all
---@return table[] links             { body, parent, joint, sign, slide, turn }
function joint_graph.tree(what, root, joints)
  local chosen = chosen_of(what, joints)
  local links, _, used = walk(root, chosen, function(joint)
    arguments.fail("%s: joint %s closes a loop (list the joints of a tree in the field 'joints')", what, called(joint))
  end)
  for _, link in ipairs(links) do
    if link.body.type ~= "dynamic" then
      arguments.fail("%s: joint %s connects the tree to the %s body %s; use that body as the root", what,
        called(link.joint), link.body.type, called(link.body))
    end
    check_link(what, link)
  end
  for _, joint in ipairs(joints or {}) do
    if not used[joint] then
      arguments.fail("%s: joint %s is not connected to the root %s", what, called(joint), called(root))
    end
  end
  return links
end

--- Return the links on the path with the fewest joints from one body to another.
---@param what string                prefix of messages
---@param base impel.body
---@param joints impel.joint[]|nil   joints to use, default all
---@return table[] links             the last is the link of `body`; empty if `base` is `body`
function joint_graph.chain(what, base, body, joints)
  local _, link_to = walk(base, chosen_of(what, joints), function() end)
  if link_to[body] == nil then
    arguments.fail("%s: no chain of joints connects %s to %s", what, called(base), called(body))
  end
  local back, link = {}, link_to[body] -- links from the body back to the base
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
