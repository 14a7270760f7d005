-- impel.posture: holds joints in a pose by a spring in each joint.
--
--   local posture = impel.posture({ left_knee = doll.left_knee, ... }, { stiffness = 200, damping = 20 })
--   posture:set { left_knee = -0.4 }
--   posture:follow(track)
--   posture:bear("left_knee", 12)             -- feed-forward
--   posture.enabled = false
--   posture:fade(1, 0.5)                      -- strength 1 in half a second
--
-- Force on a joint with the strength s, the target q* and its rate q*':
--   s stiffness (q* - q) + sqrt(s) damping (q*' - q') + feed_forward
-- Spring and damper exert at most s max_force.

local arguments = require "impel.base.arguments"
local memory = require "impel.world.memory"
local nearest = require "impel.base.nearest"
local springs_of = require "impel.control.posture_springs"

local posture = {}
local Posture = {}

local FOLLOW = { speed = { "number", default = 1 }, offset = { "number", optional = true } }
local STRENGTH, DURATION = { "number", min = 0, max = 1e6 }, { "number", min = 0, unit = "s" }

local aim = springs_of.aim

local function spring_of(self, name, what)
  local spring = self.by_name[name]
  if not spring then
    arguments.fail("%s: no joint '%s'%s", what, tostring(name), nearest.hint(name, self.names))
  end
  return spring
end

local function tighten(self)
  springs_of.tighten(self.springs, self.state.active and self.state.strength or 0)
end

local function check_alive(self, what)
  if self.state.destroyed then arguments.fail("%s: attempt to use destroyed posture", what) end
end

function Posture.__index(self, key)
  if key == "enabled" then return rawget(self, "state").active end
  if key == "strength" then return rawget(self, "state").strength end
  return Posture[key]
end

-- Return the index of a track in self.tracks. Snapshots contain the index instead of the track.
local function number_of(self, track)
  for i, one in ipairs(self.tracks) do
    if one == track then return i end
  end
end

function Posture:__save()
  local saved = self:save()
  saved.state.track = number_of(self, saved.state.track)
  return saved
end

function Posture:__load(saved)
  local number = saved.state.track
  saved.state.track = number and self.tracks[number]
  if number and not saved.state.track then
    error("posture: the snapshot contains a track that was never given to posture:follow() in this world", 0)
  end
  self:load(saved)
end

function Posture.__newindex(self, key, value)
  if key ~= "enabled" then
    arguments.fail("cannot set field '%s' of a posture%s", tostring(key), nearest.hint(key, { "enabled" }))
  end
  check_alive(self, "posture.enabled")
  self.state.active = arguments.check("posture.enabled", value, { "boolean" })
  tighten(self)
end

--- Make a posture that holds the joints at their present values.
---@param joints table  name -> joint: revolute, prismatic, or another with its own coordinate
---@param options table  stiffness [N m/rad or N/m], damping [N m s/rad or N s/m] and max_force [N m or N], default
---  math.huge, are each a number for all joints or a table { name = number }; enabled is a boolean, default true
---@return table posture  enabled (may be set), strength (see `fade`), names
function posture.new(joints, options)
  local springs, names, enabled = springs_of.new(joints, options)
  local self = { names = names, springs = springs, by_name = {}, sampled = {}, rates = {}, tracks = {},
    state = { active = enabled, strength = 1, to = 1, rate = 0, time = 0, speed = 1 } }
  for i, name in ipairs(names) do self.by_name[name] = springs[i] end
  setmetatable(self, Posture)
  tighten(self)
  local world = joints[names[1]].world
  rawset(self, "world", world)
  rawset(self, "handler", world:on("step", function(dt) self:update(dt) end))
  memory.keep(world, self)
  return self
end

--- Set targets, with rates 0.
---@param pose table  name -> value [rad or m]; joints that are not named keep their targets
function Posture:set(pose)
  arguments.check("posture:set: argument 'pose'", pose, { "table" })
  local names = nearest.keys(pose)
  for _, name in ipairs(names) do arguments.number("posture:set: " .. name, pose[name]) end
  for _, name in ipairs(names) do aim(spring_of(self, name, "posture:set"), pose[name], 0) end
end

--- Set target, rate and feed-forward of a joint.
---@param name string  of the joint
---@param value number             [rad or m]
---@param rate number|nil          [rad/s or m/s], 0 by default
---@param feed_forward number|nil  [N m or N], as for `bear`; nil: unchanged
function Posture:aim(name, value, rate, feed_forward)
  local spring = spring_of(self, name, "posture:aim")
  if type(value) ~= "number" then arguments.number("posture:aim: argument 'value'", value) end
  if feed_forward then spring.feed_forward = feed_forward end
  aim(spring, value, rate or 0)
end

--- Set the feed-forward force of a joint for a known load.
---@param name string  of the joint
---@param feed_forward number|function  [N m or N], or function(target, time) -> force
function Posture:bear(name, feed_forward)
  local spring = spring_of(self, name, "posture:bear")
  if type(feed_forward) ~= "function" then
    arguments.number("posture:bear: argument 'feed_forward'", feed_forward)
  end
  spring.feed_forward = feed_forward
  aim(spring, spring.target, spring.target_speed)
end

--- Follow a track's poses and rates.
---@param track table|nil  an `impel.track` whose channels are joints of the posture; nil: keep the present targets
---@param options table|nil  speed: track time per world time, default 1; offset: present track time [s], default its
---  start
function Posture:follow(track, options)
  local o = arguments.read("posture:follow", options, FOLLOW)
  local state = self.state
  if track ~= nil and (type(track) ~= "table" or not track.sample or not track.names) then
    arguments.fail("posture:follow: argument 'track' must be an impel.track, got %s", arguments.got(track))
  end
  for _, name in ipairs(track and track.names or {}) do spring_of(self, name, "posture:follow") end
  for _, spring in ipairs(self.springs) do aim(spring, spring.target, 0) end
  state.track, state.speed = track, o.speed
  if track and not number_of(self, track) then table.insert(self.tracks, track) end
  if track then state.time = o.offset or track.start end
end

--- Change the strength of all springs over time.
---@param strength number      0: no force; 1: full gains
---@param duration number|nil  [s], default 0: at once
function Posture:fade(strength, duration)
  check_alive(self, "posture:fade")
  arguments.check("posture:fade: argument 'strength'", strength, STRENGTH)
  duration = arguments.check("posture:fade: argument 'duration'", duration or 0, DURATION)
  local state = self.state
  state.to, state.rate = strength, math.abs(strength - state.strength) / duration
  if duration > 0 then return end
  state.strength = strength
  tighten(self)
end

--- Return the largest distance of a joint from its target.
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

--- Return the present values of the joints: name -> value [rad or m].
---@param pose table|nil  receives the result; default: a new table
function Posture:pose(pose)
  if pose ~= nil then arguments.check("posture:pose: pose", pose, { "table" }) end
  pose = pose or {}
  for _, spring in ipairs(self.springs) do pose[spring.joint_name] = spring.joint.value end
  return pose
end

--- Return the state: targets, feed-forwards, strength, position in the track. Plain data except for the track.
function Posture:save()
  local saved = { state = {}, springs = {} }
  for key, value in next, self.state do saved.state[key] = value end
  for i, s in ipairs(self.springs) do saved.springs[i] = { s.target, s.target_speed, s.feed_forward } end
  return saved
end

--- Restore the state returned by `save`.
function Posture:load(saved)
  arguments.saved("posture:load: saved", saved, { state = "table", springs = "table" })
  arguments.list("posture:load: saved.springs", saved.springs, { "table" })
  if #saved.springs ~= #self.springs then
    arguments.fail("posture:load: the result of save for %d springs expected, got %d springs", #self.springs,
      #saved.springs)
  end
  for key in next, self.state do self.state[key] = nil end
  for key, value in next, saved.state do self.state[key] = value end
  for i, s in ipairs(self.springs) do s.target, s.target_speed, s.feed_forward = table.unpack(saved.springs[i]) end
  tighten(self)
end

--- Destroy the posture with its springs and handler. A second call does nothing.
function Posture:destroy()
  self.state.destroyed, self.state.active = true, false
  self.handler:destroy()
  for _, spring in ipairs(self.springs) do spring:destroy() end
  memory.forget(self.world, self)
end

--- Update the targets. Called before every step.
function Posture:update(dt)
  arguments.number("posture:update: dt", dt)
  local state = self.state
  if state.strength ~= state.to then
    local left, most = state.to - state.strength, state.rate * dt
    state.strength = math.abs(left) <= most and state.to or state.strength + (left > 0 and most or -most)
    tighten(self)
  end
  local track = state.track
  if not track then return end
  state.time = state.time + state.speed * dt
  track:sample(state.time, self.sampled, self.rates) -- pose of the track at the end of the step
  for _, name in ipairs(track.names) do aim(self.by_name[name], self.sampled[name], state.speed * self.rates[name]) end
end

return setmetatable(posture, { __call = function(_, joints, options) return posture.new(joints, options) end })
