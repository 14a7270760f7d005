-- impel.rig.crane: a tower crane: a trolley on a boom, and a hook on a rope from the trolley.
--
--   local crane = impel.rig.crane(world, { position = { 0, 0 }, height = 8, reach = 6 })
--   crane:attach(load)                   -- attach a body to the hook
--   crane:hoist(0.5)  crane:travel(-1)   -- raises the hook, moves the trolley to the tower
--   crane:tension()                     -- of the rope [N]
--
-- The rope is a user constraint:
--
--   C = L + v (t - t0) - |hook - trolley| >= 0    L: length at t0; v: speed of the rope, positive when paid out

local arguments = require "impel.base.arguments"
local rig_parts = require "impel.rig.shared.parts"
local maths = require "impel.math"

local fields = {
  height = { "number", above = 0, default = 8, unit = "m" },
  reach = { "number", above = 0, default = 6, unit = "m" },
  trolley_mass = { "number", above = 0, default = 200, unit = "kg" },
  hook_mass = { "number", above = 0, default = 20, unit = "kg" },
  at = { "number", min = 0, max = 1, default = 0.6 },
  length = { "number", above = 0, optional = true, unit = "m" },
  acceleration = { "number", above = 0, default = 0.5, unit = "m/s^2" },
  force = { "number", above = 0, default = 1e5, unit = "N" },
}

local LEAST = 0.3 -- [m], length of the rope at which the winch stops

local Crane = {}

local function load_name(crane) return crane.name .. " load" end

-- Fields that are computed from the world on each access, because a restore may change them.
local properties = {
  length = function(crane) return crane.winch.rest end,
  load = function(crane)
    if not crane.hook:is_valid() then return nil end
    for joint in crane.hook:joints() do
      if joint.name == load_name(crane) then return joint end
    end
  end,
}

--- Drive the trolley along the boom.
---@param speed number  positive away from the tower [m/s]
function Crane.travel(crane, speed)
  crane.winch.travel = arguments.number("crane:travel: speed", speed)
  crane.trolley.awake = true
  crane:revive()
end

--- Drive the winch.
---@param speed number  speed of the hook, positive upward [m/s]
function Crane.hoist(crane, speed)
  crane.winch.hoist = arguments.number("crane:hoist: speed", speed)
  crane.hook.awake = true
  crane:revive()
end

--- Attach a body to the hook at the present positions. The previous load is released.
---@param body impel.body
---@param x number|nil  attachment point in the world [m], default the middle of the hook
---@param y number|nil
---@return impel.joint  destroyed by release()
function Crane.attach(crane, body, x, y)
  arguments.check("crane:attach: body", body, { "body" })
  local hx, hy = crane.hook:position()
  local before = crane.load
  local load = crane.world:revolute(crane.hook, body, { anchor = { x or hx, y or hy }, name = load_name(crane) })
  if before then before:destroy() end
  return load
end

--- Release the load of the hook.
function Crane.release(crane)
  local load = crane.load
  if not load then return end
  load:destroy()
  crane.hook.awake = true
end

--- Return the tension of the rope [N].
function Crane.tension(crane)
  return crane.rope.force
end

local function approach(value, wanted, by)
  if value < wanted then return value + by < wanted and value + by or wanted end
  return value - by > wanted and value - by or wanted
end

-- Update the speeds of trolley and winch and the length of the rope, before a substep of h [s]. Do nothing if tower,
-- trolley or hook is destroyed.
local function drive(crane, h)
  local rail, winch = crane.rail, crane.winch
  if not crane.rope:is_valid() or not rail:is_valid() then return end
  local by, speed = crane.acceleration * h, rail.motor_speed
  local travel = approach(speed, winch.travel, by)
  if travel ~= speed then rail.motor_speed = travel end
  local hoist = approach(-winch.speed, winch.hoist, by)
  if hoist == 0 and winch.speed == 0 then return end
  local length = winch.rest
  local rest = length - hoist * h
  -- The winch stops at the least and at the largest length of the rope, LEAST and `most`.
  if hoist > 0 and rest < LEAST or hoist < 0 and rest > crane.most then
    rest, hoist, winch.hoist = length, 0, 0
  end
  winch.length, winch.speed, winch.since, winch.rest = length, -hoist, crane.world.time, rest
end

-- Return C of the rope: its length at time t minus the distance of trolley and hook.
local function slack(trolley, hook, t, winch)
  local dx, dy = hook.x - trolley.x, hook.y - trolley.y
  return winch.length + winch.speed * (t - winch.since) - maths.sqrt(dx * dx + dy * dy)
end

local function build(parts, o)
  local x, length = o.at * o.reach, o.length or o.height / 2
  local tower = parts:body("tower", { type = "static" })
  tower:box { 0.3, o.height, center = { 0, o.height / 2 }, group = parts.group }
  tower:box { 1.3 * o.reach, 0.2, center = { 0.35 * o.reach, o.height + 0.1 }, group = parts.group }
  local trolley = parts:body("trolley", { position = { x, o.height - 0.1 }, mass = o.trolley_mass })
  trolley:box { 0.6, 0.2, group = parts.group }
  local hook = parts:body("hook", { position = { x, o.height - 0.1 - length }, mass = o.hook_mass })
  hook:circle { radius = 0.12, group = parts.group }
  parts:joint("prismatic", "rail", tower, trolley, { axis = { 1, 0 }, limit = { -x, o.reach - x },
    motor = { speed = 0, max_force = o.force } })
  parts.rope = parts.world:constraint(trolley, hook, { name = parts.name .. " rope", C = slack,
    limit = { 0, math.huge },
    -- rest: length of the rope at the end of the substep; hoist, travel: desired speeds
    param = { length = length, speed = 0, since = 0, rest = length, hoist = 0, travel = 0 } })
  parts.joints[#parts.joints + 1] = parts.rope
  parts.winch, parts.most, parts.acceleration = parts.rope.param, o.height, o.acceleration
  local base = getmetatable(parts).__index
  setmetatable(parts, { __index = function(crane, key)
    local property = properties[key]
    if property then return property(crane) end
    return base[key]
  end })
  for name, method in next, Crane do parts[name] = method end
  parts:on("substep", function(h) drive(parts, h) end)
end

--- Create a crane at rest.
---@param options table|nil  fields:
---  position = { 0, 0 } [m] of the foot
---  height = 8 [m] and reach = 6 [m] of the boom
---  trolley_mass = 200 [kg]
---  hook_mass = 20 [kg]
---  at = 0.6: position of the trolley as a fraction of the reach
---  length [m] of the rope, default half the height; hoist() keeps it between 0.3 m and the height
---  acceleration = 0.5 [m/s^2] of trolley and winch
---  force = 1e5 [N] of the trolley's motor
---  angle, name, group
---@return table parts
---  tower (static), trolley, hook
---  rail: the trolley's joint, whose value is its displacement since creation [m]
---  rope
---  length of the rope [m]
---  load: the joint created by attach(), or nil
---  travel(), hoist(), attach(), release(), tension() [N]
---  bodies, joints, group, mass() [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.crane", world, options, fields, build)
end
