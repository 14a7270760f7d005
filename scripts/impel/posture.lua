-- impel.posture: the muscles of a figure: pulls many joints to a pose by a spring in each, goes limp, and comes back.
--
--   local posture = impel.posture({ left_knee = doll.left_knee, ... }, { stiffness = 200, damping = 20 })
--   posture:set { left_knee = -0.4 }           -- where to; joints that are not named stay
--   posture:follow(track)                      -- or a track's poses, in the handlers before every step
--   posture.enabled = false                    -- passive: no spring acts from now on, nothing jumps
--   posture:fade(1, 0.5)                       -- to full strength within half a second
--
-- Each joint has an impel.stable_pd, stable at any gain. With the strength s, the target q* and its rate q*' the force
-- on it is
--   s stiffness (q* - q) + s^1/2 damping (q*' - q') + feed_forward
-- so that the damping ratio is the same at any strength; at most s max_force of it is the spring's and damper's.

local arguments = require "impel.arguments"
local nearest = require "impel.nearest"
local stable_pd = require "impel.stable_pd"

local posture = {}
local Posture = {}

local FIELDS = { stiffness = { "any" }, damping = { "any" }, max_force = { "any", default = math.huge },
  enabled = { "boolean", default = true } }
local GAIN, MOST = { "number", min = 0 }, { "number", min = 0, infinite = true }
local FOLLOW = { speed = { "number", default = 1 }, offset = { "number", optional = true } }

-- A gain of one joint: that of all, or by name.
local function gain_of(o, what, name)
  local value = o[what]
  if type(value) == "table" then value = value[name] end
  return arguments.check(("impel.posture: field '%s' of joint '%s'"):format(what, name), value,
    what == "max_force" and MOST or GAIN)
end

local function check_names(o, joints)
  for _, what in ipairs { "stiffness", "damping", "max_force" } do
    for _, name in ipairs(type(o[what]) == "table" and nearest.keys(o[what]) or {}) do
      if joints[name] == nil then
        arguments.fail("bad field '%s' in '%s' of impel.posture%s", name, what,
          nearest.hint(name, nearest.keys(joints)))
      end
    end
  end
end

local function spring_of(self, name, what)
  local spring = self.by_name[name]
  if not spring then
    arguments.fail("%s: no joint '%s'%s", what, tostring(name), nearest.hint(name, self.names))
  end
  return spring
end

-- Give all springs the strength of now; at 0 they are away, with what was added to them.
local function tighten(self)
  local strength = self.active and self.state.strength or 0
  local root = math.sqrt(strength)
  for _, spring in ipairs(self.springs) do
    local full = spring.full
    spring.kp, spring.kd, spring.enabled = strength * full.stiffness, root * full.damping, strength > 0
    spring.max_force = strength > 0 and strength * full.max_force or 0 -- math.huge times 0 is no number
    spring:update(0)
  end
end

-- At once: also after the handlers, in a scene's update.
local function aim(spring, target, rate, feed_forward)
  spring.target, spring.target_speed, spring.feed_forward = target, rate, feed_forward
  spring:update(0)
end

function Posture.__index(self, key)
  if key == "enabled" then return rawget(self, "active") end
  if key == "strength" then return rawget(self, "state").strength end
  return Posture[key]
end

function Posture.__newindex(self, key, value)
  if key ~= "enabled" then
    arguments.fail("cannot set field '%s' of a posture%s", tostring(key), nearest.hint(key, { "enabled" }))
  end
  arguments.check("posture.enabled", value, { "boolean" })
  rawset(self, "active", value)
  tighten(self)
end

--- Make one. It holds the joints where they are.
---@param joints table   name -> joint: revolute, prismatic, or another with a coordinate of its own
---@param options table  stiffness [N m/rad or N/m], damping [N m s/rad or N s/m], max_force [N m or N], math.huge by
---  default: each a number for all or a table { name = number }; enabled, true by default
---@return table posture  enabled (read and write), strength (see `fade`), names
function posture.new(joints, options)
  arguments.check("impel.posture: argument 'joints'", joints, { "table" })
  local o = arguments.read("impel.posture", options, FIELDS)
  local names = nearest.keys(joints)
  if #names == 0 then arguments.fail "impel.posture needs a joint at least" end
  check_names(o, joints)
  local self = { names = names, springs = {}, by_name = {}, active = o.enabled, sampled = {}, rates = {},
    state = { strength = 1, to = 1, rate = 0, time = 0, speed = 1 } }
  for i, name in ipairs(names) do
    local joint = arguments.check(("impel.posture: joint '%s'"):format(name), joints[name], { "joint" })
    local full = { stiffness = gain_of(o, "stiffness", name), damping = gain_of(o, "damping", name),
      max_force = gain_of(o, "max_force", name) }
    local spring = stable_pd.new(joint, { kp = full.stiffness, kd = full.damping, max_force = full.max_force,
      target = joint.value, when = "never" })
    spring.full, spring.joint_name = full, name
    self.springs[i], self.by_name[name] = spring, spring
  end
  self.handler = joints[names[1]].world:on("step", function(dt) self:update(dt) end)
  setmetatable(self, Posture)
  tighten(self)
  return self
end

--- Where to. What was added to the spring of a joint that is named goes.
---@param pose table  name -> value [rad or m]; joints that are not named keep theirs
function Posture:set(pose)
  for _, name in ipairs(nearest.keys(pose)) do
    aim(spring_of(self, name, "posture:set"), arguments.number("posture:set: " .. name, pose[name]), 0, 0)
  end
end

--- Where to, how fast that moves, and what is known to be needed, for whoever plans each step. Makes no garbage.
---@param name string
---@param value number             [rad or m]
---@param rate number|nil          of the target [rad/s or m/s], 0 by default
---@param feed_forward number|nil  [N m or N], 0 by default
function Posture:aim(name, value, rate, feed_forward)
  aim(spring_of(self, name, "posture:aim"), value, rate or 0, feed_forward or 0)
end

--- Play a track's poses from now on, rates included.
---@param track table|nil    an `impel.track` whose channels are joints of this posture; nil: stay where it was
---@param options table|nil  speed: of its time, 1 by default; offset: its time now [s], its start by default
function Posture:follow(track, options)
  local o = arguments.read("posture:follow", options, FOLLOW)
  local state = self.state
  for _, name in ipairs(track and track.names or {}) do spring_of(self, name, "posture:follow") end
  for _, spring in ipairs(self.springs) do aim(spring, spring.target, 0, 0) end
  state.track, state.speed = track, o.speed
  if track then state.time = o.offset or track.start end
end

--- Change the strength of all springs in time.
---@param strength number      0: limp, 1: as made
---@param duration number|nil  [s]; 0 by default: at once
function Posture:fade(strength, duration)
  arguments.check("posture:fade: argument 'strength'", strength, GAIN)
  duration = arguments.check("posture:fade: argument 'duration'", duration or 0, GAIN)
  local state = self.state
  state.to, state.rate = strength, math.abs(strength - state.strength) / duration
  if duration > 0 then return end
  state.strength = strength
  tighten(self)
end

--- How far the joints are from their targets: the worst of them.
---@return number error  [rad or m]
---@return string name
function Posture:error()
  local worst, which = -1, nil
  for _, spring in ipairs(self.springs) do
    local off = math.abs(spring.target - spring.joint.value)
    if off > worst then worst, which = off, spring.joint_name end
  end
  return worst, which
end

--- The pose that the joints are in.
---@param pose table|nil  filled; made when nil
---@return table pose     name -> value [rad or m]
function Posture:pose(pose)
  pose = pose or {}
  for _, spring in ipairs(self.springs) do pose[spring.joint_name] = spring.joint.value end
  return pose
end

--- End it: springs and handler go. Again it does nothing.
function Posture:destroy()
  self.handler:destroy()
  for _, spring in ipairs(self.springs) do spring:destroy() end
end

--- Called before every step.
function Posture:update(dt)
  local state = self.state
  if state.strength ~= state.to then
    local left, most = state.to - state.strength, state.rate * dt
    state.strength = math.abs(left) <= most and state.to or state.strength + (left > 0 and most or -most)
    tighten(self)
  end
  local track = state.track
  if not track then return end
  track:sample(state.time + state.speed * dt, self.sampled, self.rates) -- where to be when the step is over
  state.time = state.time + state.speed * dt
  for _, name in ipairs(track.names) do
    aim(self.by_name[name], self.sampled[name], state.speed * self.rates[name], 0)
  end
end

return setmetatable(posture, { __call = function(_, joints, options) return posture.new(joints, options) end })
