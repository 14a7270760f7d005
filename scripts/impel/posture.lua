-- impel.posture: the muscles of a figure: pulls many joints to a pose by a spring in each, goes limp, and comes back.
--
--   local posture = impel.posture({ left_knee = doll.left_knee, ... }, { stiffness = 200, damping = 20 })
--   posture:set { left_knee = -0.4 }           -- where to; joints that are not named stay
--   posture:follow(track)                      -- or a track's poses, in the handlers before every step
--   posture.enabled = false                    -- passive: no spring acts from now on, nothing jumps
--   posture:fade(1, 0.5)                       -- to full strength within half a second
--
-- The springs are the solver's own, implicit where they are stiff: stable at any gain (joint_spring.lua has the law).
--   source: PD control of figures, Hodgins et al., "Animating Human Athletics" (1995); its implicit form, Tan, Liu and
--   Turk, "Stable Proportional-Derivative Controllers" (2011)

local arguments = require "impel.arguments"
local JointSpring = require "impel.joint_spring"
local nearest = require "impel.nearest"

local posture = {}
local Posture = {}

local FIELDS = {
  stiffness = { "any" }, damping = { "any" }, max_force = { "any", default = math.huge },
  enabled = { "boolean", default = true },
}
local GAIN = { "number", min = 0 }
local MOST = { "number", min = 0, infinite = true }
local FOLLOW = { speed = { "number", default = 1 }, offset = { "number", optional = true } }
local STRENGTH = { "number", min = 0 }
local DURATION = { "number", min = 0, unit = "s" }

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

local function tighten(self)
  local strength = self.active and self.state.strength or 0
  for _, spring in ipairs(self.springs) do spring:tighten(strength) end
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
    self.springs[i] = JointSpring.new(name, joint, { stiffness = gain_of(o, "stiffness", name),
      damping = gain_of(o, "damping", name), max_force = gain_of(o, "max_force", name) })
    self.by_name[name] = self.springs[i]
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
    spring_of(self, name, "posture:set"):aim(arguments.number("posture:set: " .. name, pose[name]), 0, 0)
  end
end

--- Where to, how fast that moves, and what is known to be needed, for whoever plans each step. Makes no garbage.
---@param name string
---@param value number             [rad or m]
---@param rate number|nil          of the target [rad/s or m/s], 0 by default
---@param feed_forward number|nil  [N m or N], 0 by default
function Posture:aim(name, value, rate, feed_forward)
  spring_of(self, name, "posture:aim"):aim(value, rate or 0, feed_forward or 0)
end

--- Play a track's poses from now on, rates included.
---@param track table|nil    an `impel.track` whose channels are joints of this posture; nil: stay where it was
---@param options table|nil  speed: of its time, 1 by default; offset: its time now [s], its start by default
function Posture:follow(track, options)
  local o = arguments.read("posture:follow", options, FOLLOW)
  local state = self.state
  for _, name in ipairs(track and track.names or {}) do spring_of(self, name, "posture:follow") end
  for _, spring in ipairs(self.springs) do spring:aim(spring.target, 0, 0) end
  state.track, state.speed = track, o.speed
  if track then state.time = o.offset or track.start end
end

--- Change the strength of all springs in time.
---@param strength number      0: limp, 1: as made
---@param duration number|nil  [s]; 0 by default: at once
function Posture:fade(strength, duration)
  arguments.check("posture:fade: argument 'strength'", strength, STRENGTH)
  duration = arguments.check("posture:fade: argument 'duration'", duration or 0, DURATION)
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
    if off > worst then worst, which = off, spring.name end
  end
  return worst, which
end

--- The pose that the joints are in.
---@param pose table|nil  filled; made when nil
---@return table pose     name -> value [rad or m]
function Posture:pose(pose)
  pose = pose or {}
  for _, spring in ipairs(self.springs) do pose[spring.name] = spring.joint.value end
  return pose
end

--- End it: springs and handler go. Again it does nothing.
function Posture:destroy()
  self.handler:destroy()
  for _, spring in ipairs(self.springs) do spring:tighten(0) end
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
    self.by_name[name]:aim(self.sampled[name], state.speed * self.rates[name], 0)
  end
end

return setmetatable(posture, { __call = function(_, joints, options) return posture.new(joints, options) end })
