-- impel.rig.crane: a tower crane: a trolley on a boom, a rope from it, a hook.
--
--   local crane = impel.rig.crane(world, { position = { 0, 0 }, height = 8, reach = 6 })
--   crane:attach(load)                   -- hang a body on the hook
--   crane:hoist(0.5)  crane:travel(-1)   -- the hook goes up, the trolley to the tower; 0 stops them
--   crane:tension()                      -- of the rope [N]: at rest the weight of hook and load
--
-- Trolley and winch change their speeds at `acceleration`. While the trolley speeds up by a the load hangs back by
-- atan(a / g), and swings by as much when it does so at once. The rope only pulls, and its length depends on time, so
-- that it is a constraint of its own:
--
--   C = L + v (t - t0) - |hook - trolley| >= 0       v: of the rope, paid out with +
--
-- The solver takes the rate v from the derivative by t: the hook moves as fast as the winch does, without a lag.
--
-- All that the crane knows is in rope.param and in the rail's motor, so world:restore alone brings it back, to the bit.
-- A crane that was destroyed and is brought back keeps the speeds that it had then until hoist() or travel() is called,
-- and is driven again from then on.

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

local LEAST = 0.3 -- of the rope, where the winch stops [m]

local Crane = {}

local function load_name(crane) return crane.name .. " load" end

-- What is read like a field, and found in the world, so that it is what it was after a restore.
local properties = {
  length = function(crane) return crane.winch.rest end,
  load = function(crane)
    if not crane.hook:is_valid() then return nil end
    for joint in crane.hook:joints() do
      if joint.name == load_name(crane) then return joint end
    end
  end,
}

--- Let the trolley drive along the boom.
---@param speed number  away from the tower with + [m/s]
function Crane.travel(crane, speed)
  crane.winch.travel = arguments.number("crane:travel: speed", speed)
  crane.trolley.awake = true
  crane:revive()
end

--- Let the winch take the rope in, or out with -.
---@param speed number  of the hook upward [m/s]
function Crane.hoist(crane, speed)
  crane.winch.hoist = arguments.number("crane:hoist: speed", speed)
  crane.hook.awake = true
  crane:revive()
end

--- Hang a body on the hook, where they are now; what hung there is let go.
---@param body impel.body
---@param x number|nil  where on it [m], the middle of the hook by default
---@param y number|nil
---@return impel.joint  which release() takes away
function Crane.attach(crane, body, x, y)
  arguments.check("crane:attach: body", body, { "body" })
  local hx, hy = crane.hook:position()
  local before = crane.load
  local load = crane.world:revolute(crane.hook, body, { anchor = { x or hx, y or hy }, name = load_name(crane) })
  if before then before:destroy() end
  return load
end

--- Let go what hangs on the hook.
function Crane.release(crane)
  local load = crane.load
  if not load then return end
  load:destroy()
  crane.hook.awake = true
end

--- The pull of the rope [N].
function Crane.tension(crane)
  return crane.rope.force
end

local function approach(value, wanted, by)
  if value < wanted then return value + by < wanted and value + by or wanted end
  return value - by > wanted and value - by or wanted
end

-- Before every substep: the speeds of trolley and winch, and the rope that the winch took. Without its tower, its
-- trolley or its hook there is nothing to drive.
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
  if hoist > 0 and rest < LEAST or hoist < 0 and rest > crane.most then -- the winch stops there
    rest, hoist, winch.hoist = length, 0, 0
  end
  winch.length, winch.speed, winch.since, winch.rest = length, -hoist, crane.world.time, rest
end

-- C of the rope: by how much its ends are nearer to each other than its length at the time t.
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
    -- rest: its length when the substep is over; hoist, travel: the speeds that are wanted
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

--- A crane that stands still.
---@param world impel.world
---@param options table|nil  position: the foot of the tower [m]; height of the boom, 8 [m]; reach of the boom to the
---  right, 6 [m]; trolley_mass, 200 [kg]; hook_mass, 20 [kg]; at: where the trolley is, in parts of the reach, 0.6;
---  length of the rope, half the height by default; hoist() makes it 0.3 m at least and the height at most [m];
---  acceleration of trolley and winch, 0.5 [m/s^2]; force of the trolley's motor, 1e5 [N]; angle, name, group
---@return table parts  tower (static), trolley, hook; rail: the trolley's joint, whose value is its way from where it
---  was made; rope; length of the rope [m]; load: the joint that attach() made, or nil; travel(),
---  hoist(), attach(), release(), tension() [N]; bodies, joints, group, mass() [kg], destroy()
return function(world, options)
  return rig_parts.make("impel.rig.crane", world, options, fields, build)
end
