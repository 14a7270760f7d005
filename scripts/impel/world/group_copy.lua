-- Methods of impel.group that copy a group and list the joints inside it.

local arguments = require "impel.base.arguments"

local copy = {}

--- Return the joints between bodies of the group, each once, in the order of the bodies.
---@param list table|nil  default a new table
---@return impel.joint[] list
function copy:joints(list)
  if list ~= nil then arguments.check("group:joints: list", list, { "table" }) end
  list = list or {}
  local seen, n = {}, 0
  for _, body in self:each() do
    for joint in body:joints() do
      local a, b = joint.body_a, joint.body_b
      if not seen[joint] and self.has[a] and self.has[b] then
        n = n + 1
        seen[joint], list[n] = true, joint
      end
    end
  end
  for i = n + 1, #list do list[i] = nil end
  return list
end

local function copy_body(body, dx, dy, world)
  local mover = body.mover
  local options = (mover or body):options()
  local x, y = body:position()
  options.data, options.position = nil, { x + dx, y + dy }
  local twin = mover and world:mover(options).body or world:body(options)
  local made, message = pcall(function()
    for shape in body:shapes() do
      local form = shape:options()
      form.data = nil
      if not mover or shape ~= mover.shape then twin[shape.type](twin, form) end
    end
  end)
  if not made then
    twin:destroy()
    error(message, 0)
  end
  -- set the pose again, because adding shapes moved the centre of mass and rounded the pose
  twin:set_pose(x + dx, y + dy, body.angle)
  if not mover then twin:set_velocity(body:velocity()) end -- a mover's copy has its velocity from `options`
  return twin
end

local function copy_all(self, copies, dx, dy, world)
  local twins = {}
  for _, body in self:each() do
    twins[body] = copy_body(body, dx, dy, world or body.world)
    copies:add(twins[body])
  end
  for _, joint in ipairs(self:joints()) do
    local a, b = twins[joint.body_a], twins[joint.body_b]
    if joint.kind ~= "constraint" and joint.kind ~= "gear" and joint.kind ~= "rack" then
      local options = joint:options()
      options.data = nil
      a.world[joint.kind](a.world, a, b, options)
    end
  end
end

--- Copy the bodies, with their shapes and the joints between them, but without gears, racks, constraints and `data`. If
--- a copy fails, all copies are destroyed and the error is raised.
---@param dx number  shift [m]
---@param dy number  shift [m]
---@param world impel.world|nil  default: the world of the bodies
---@return table group
function copy:copy(dx, dy, world)
  arguments.check("group:copy: argument 'dx'", dx, { "number", unit = "m" })
  arguments.check("group:copy: argument 'dy'", dy, { "number", unit = "m" })
  if world ~= nil then arguments.check("group:copy: argument 'world'", world, { "world" }) end
  local copies = require("impel.group").new()
  local made, message = pcall(copy_all, self, copies, dx, dy, world)
  if made then return copies end
  copies:destroy()
  error(message, 0) -- the message already has its source position
end

return copy
