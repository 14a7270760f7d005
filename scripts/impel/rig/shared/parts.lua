-- Functions common to all rigs.
--
--   local function build(parts, o)
--     local plank = parts:body("plank", { position = { 0, 0.5 }, mass = 10 })
--     plank:box { o.length, 0.1, group = parts.group }
--     parts:joint("revolute", "pivot", parts.world.ground, plank, { anchor = { 0, 0.5 } })
--   end
--   return rig_parts.make("impel.rig.seesaw", world, options, { length = { "number", default = 2 } }, build)
--
-- A point p of the rig's frame is at  position + R(angle) p  in the world.
--
-- parts.group, the collision group of the rig, is the option `group`; without it -(1000 + id of the rig's first body).
-- Scenes can use the groups from -1000 upward.

local arguments = require "impel.base.arguments"
local maths = require "impel.math"
local memory = require "impel.world.memory"
local merged = require "impel.base.merged"
local nearest = require "impel.base.nearest"
local rig_pose = require "impel.rig.shared.pose"

local rig_parts = {}

local Parts = {}
Parts.__index = Parts

-- Bodies and joints are saved with the world. A rig with more state has the methods save() and load(saved).
function Parts:__save() return self.save and self:save() or {} end
function Parts:__load(saved) if self.load then self:load(saved) end end

local FIRST_GROUP = 1000

local common = {
  position = { "point", default = { 0, 0 }, unit = "m" },
  angle = { "number", default = 0, unit = "rad" },
  name = { "string", optional = true },
  group = { "integer", max = -1, optional = true },
}

-- Check that each body in the options is valid and in the rig's world.
local function check_bodies(what, world, o, fields)
  for _, name in ipairs(nearest.keys(fields)) do
    local body = fields[name][1] == "body" and o[name]
    if body and not (body:is_valid() and body.world == world) then
      arguments.fail("%s: field '%s' must be a valid body in the rig's world, got %s", what, name,
        body:is_valid() and "one of another world" or "a destroyed body")
    end
  end
end

--- Create a rig. If this raises, its bodies and joints are destroyed.
---@param what string  name of the constructor in messages, "impel.rig.car"; the last word is the default name of the
---  rig
---@param fields table  options of the rig except position, angle, name and group, as for arguments.read
---@param build fun(parts: table, o: table)  adds bodies and joints to the rig; o: the options with defaults
function rig_parts.make(what, world, options, fields, build)
  arguments.check(what .. ": world", world, { "world" })
  local o = arguments.read(what, options, merged(common, fields))
  check_bodies(what, world, o, fields)
  local parts = setmetatable({ world = world, what = what, name = o.name or what:match "[^.]+$", group = o.group,
    bodies = {}, joints = {}, handlers = {}, calls = {}, hinges = {}, x = o.position[1], y = o.position[2],
    angle = o.angle, cos = maths.cos(o.angle), sin = maths.sin(o.angle) }, Parts)
  local made, message = pcall(build, parts, o)
  if made and parts.save then memory.keep(world, parts) end
  if made then return parts end
  parts:destroy()
  error(message, 0) -- the message already has its source position
end

--- Return the collision group reserved for `body`: shapes with this group do not collide with each other.
function rig_parts.group_of(body)
  return -(FIRST_GROUP + body.id)
end

--- Return the world coordinates [m] that a point of the rig's frame had when the rig was created.
function Parts:point(x, y)
  arguments.number("rig:point: x", x)
  arguments.number("rig:point: y", y)
  return self.x + self.cos * x - self.sin * y, self.y + self.sin * x + self.cos * y
end

--- Return the world components that a vector of the rig's frame had when the rig was created.
function Parts:vector(x, y)
  arguments.number("rig:vector: x", x)
  arguments.number("rig:vector: y", y)
  return self.cos * x - self.sin * y, self.sin * x + self.cos * y
end

local function check_part(what, key, options)
  if key ~= nil then arguments.check(what .. ": key", key, { "string" }) end
  arguments.check(what .. ": options", options, { "table" })
end

--- Add a body.
---@param key string|nil  field of parts that refers to the body; nil: only parts.bodies refers to it
---@param options table  of world:body, position and angle in the rig's frame; the table is modified
function Parts:body(key, options)
  check_part("rig:body", key, options)
  local at = options.position or { 0, 0 }
  arguments.check("rig:body: position", at, { "point" })
  options.position = { self:point(at[1], at[2]) }
  if options.type ~= "particle" then options.angle = self.angle + (options.angle or 0) end
  options.name = self.name .. " " .. (key or #self.bodies + 1)
  local body = self.world:body(options)
  self.bodies[#self.bodies + 1] = body
  self.group = self.group or rig_parts.group_of(body)
  if key then self[key] = body end
  return body
end

--- Add a joint.
---@param kind string  name of the world's method: "revolute", "prismatic", ...
---@param key string|nil  field of parts that refers to the joint; nil: only parts.joints refers to it
---@param a impel.body
---@param b impel.body
---@param options table  of the method, anchors and axis in the rig's frame; the table is modified
function Parts:joint(kind, key, a, b, options)
  check_part("rig:joint", key, options)
  arguments.check("rig:joint: kind", kind, { "string" })
  for _, field in ipairs { "anchor", "anchor_a", "anchor_b", "ground_a", "ground_b" } do
    local p = options[field]
    if p then arguments.check("rig:joint: " .. field, p, { "point" }) end
    if p then options[field] = { self:point(p[1], p[2]) } end
  end
  if options.axis then arguments.check("rig:joint: axis", options.axis, { "point" }) end
  if options.axis then options.axis = { self:vector(options.axis[1], options.axis[2]) } end
  options.name = self.name .. " " .. (key or "joint " .. #self.joints + 1)
  local joint = self.world[kind](self.world, a, b, options)
  self.joints[#self.joints + 1] = joint
  if key then self[key] = joint end
  if kind == "revolute" and key then
    local x, y = joint:anchors()
    local ax, ay = a:local_point(x, y)
    local bx, by = b:local_point(x, y)
    self.hinges[#self.hinges + 1] = { key = key, joint = joint, a = a, b = b, ax = ax, ay = ay, bx = bx, by = by,
      reference = b.angle - a.angle - joint.value, limit = options.limit }
  end
  return joint
end

--- Call a function at an event of the world ("step", "substep", ...) until the rig is destroyed.
function Parts:on(event, handler)
  self.handlers[#self.handlers + 1] = self.world:on(event, handler)
  self.calls[#self.handlers] = { event, handler }
end

--- Register the handlers again, because a restore recreates only the bodies and joints of a destroyed rig.
function Parts:revive()
  for i, handler in ipairs(self.handlers) do
    if not handler:is_valid() then self.handlers[i] = self.world:on(table.unpack(self.calls[i])) end
  end
end

--- Put the rig into a pose: see rig/shared/pose.lua.
Parts.pose = rig_pose.set

--- Return the mass of all bodies [kg].
function Parts:mass()
  local sum = 0
  for _, body in ipairs(self.bodies) do sum = sum + body.mass end
  return sum
end

--- Return the centre of mass of all bodies.
---@return number x, number y  [m]
function Parts:center()
  local sum, sx, sy = 0, 0, 0
  for _, body in ipairs(self.bodies) do
    local m, x, y = body.mass, body:center()
    sum, sx, sy = sum + m, sx + m * x, sy + m * y
  end
  return sx / sum, sy / sum
end

--- Remove the rig from its world: handlers, joints, bodies. A second call does nothing.
function Parts:destroy()
  for _, handler in ipairs(self.handlers) do handler:destroy() end
  for _, joint in ipairs(self.joints) do joint:destroy() end
  for i = #self.bodies, 1, -1 do self.bodies[i]:destroy() end
end

return rig_parts
