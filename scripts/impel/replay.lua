-- impel.replay: moves a body along a track, releases it, and takes it back without a jump.
--
--   local lift = impel.replay(body, impel.track { loop = true, keys = {
--     { time = 0, x = 0, y = 0, angle = 0 }, { time = 2, x = 0, y = 3, angle = 0.2 } } })
--   lift:release()                 -- forces and contacts move the body
--   lift:take(0.5)                 -- on the track again after half a second
--
-- Before each step the body gets the velocity that moves it to the track's pose. A body that is taken back follows
-- track + offset, a cubic in time that ends at 0.

local arguments = require "impel.base.arguments"
local fm = require "impel.math"
local memory = require "impel.world.memory"

local replay = {}
local Replay = memory.of {}
Replay.__index = Replay

local FIELDS = { speed = { "number", default = 1 }, offset = { "number", optional = true } }
local CHANNELS = { x = true, y = true, angle = true }

-- Return value and rate of the cubic c(t) at t = u duration: c(0) = value, c'(0) = rate, c = c' = 0 at t = duration.
local function fading(value, rate, u, duration)
  if u >= 1 then return 0, 0 end
  local m, left = rate * duration, 1 - u
  -- value (1 - 3u^2 + 2u^3) + m u (1 - u)^2
  return value * (left * left * (1 + 2 * u)) + m * u * left * left,
    (value * -6 * u * left + m * left * (1 - 3 * u)) / duration
end

-- Return the pose of the track at track time t, and its rates in world time.
local function pose_at(self, t)
  local pose, rates, s = self.pose, self.rates, self.speed
  self.track:sample(t, pose, rates)
  local x, y, a = pose.x or self.home[1], pose.y or self.home[2], (pose.angle or self.home[3]) + self.turn
  return x, y, a, s * (rates.x or 0), s * (rates.y or 0), s * (rates.angle or 0)
end

-- Return the pose and rates of the path: track + offset. The offset reaches 0 at back.duration [s] after `take`.
local function way_at(self, t, since)
  local x, y, a, vx, vy, w = pose_at(self, t)
  local back = self.back
  if back.duration <= 0 or since >= back.duration then return x, y, a, vx, vy, w end
  local u = since / back.duration
  local ox, ovx = fading(back.x, back.vx, u, back.duration)
  local oy, ovy = fading(back.y, back.vy, u, back.duration)
  local oa, ow = fading(back.angle, back.w, u, back.duration)
  return x + ox, y + oy, a + oa, vx + ovx, vy + ovy, w + ow
end

-- Return the velocity of the body's origin. body:velocity() is the velocity of the centre of mass.
local function origin_velocity(body)
  return body:velocity_at(body:position())
end

--- Put a body onto a track at once, from any pose. The body becomes kinematic.
---@param track table  an `impel.track` with channels x, y [m], angle [rad]; a coordinate without a channel is constant
---@param options table|nil  speed: track time per world time, default 1; offset: track time at which the replay begins
---  [s], default the start of the track
---@return table replay  active (read-only); time: track time [s], which continues while the body is released
function replay.new(body, track, options)
  arguments.check("impel.replay: argument 'body'", body, { "body" })
  if type(track) ~= "table" or not track.sample or not track.names then
    arguments.fail("impel.replay: argument 'track' must be an impel.track, got %s", arguments.got(track))
  end
  local o = arguments.read("impel.replay", options, FIELDS)
  for _, name in ipairs(track.names) do
    if not CHANNELS[name] then arguments.fail("impel.replay: channel '%s' of the track is not x, y or angle", name) end
  end
  local x, y = body:position()
  local self = setmetatable({ body = body, world = body.world, track = track, speed = o.speed,
    time = o.offset or track.start,
    active = true, pose = {}, rates = {}, home = { x, y, body.angle }, turn = 0, since = 0,
    back = { duration = 0, x = 0, y = 0, angle = 0, vx = 0, vy = 0, w = 0 } }, Replay)
  body.type = "kinematic"
  local sx, sy, sa = pose_at(self, self.time)
  body:set_position(sx, sy)
  body.angle = sa
  self.handler = body.world:on("step", function(dt) self:update(dt) end)
  memory.keep(body.world, self)
  return self
end

--- Release the body: it becomes dynamic and keeps its pose and velocity.
function Replay:release()
  if not self.active then return end
  self.active = false
  self.body.type = "dynamic"
end

--- Take the body back onto the track. It becomes kinematic.
---@param duration number|nil  time until the body is on the track again [s], default 0.5
function Replay:take(duration)
  duration = arguments.check("replay:take: argument 'duration'", duration or 0.5, { "number", above = 0, unit = "s" })
  if self.destroyed then arguments.fail("replay:take: attempt to use destroyed replay") end
  if self.active then return end
  local body, back = self.body, self.back
  local x, y, a, vx, vy, w = pose_at(self, self.time)
  local bx, by = body:position()
  local bvx, bvy = origin_velocity(body)
  back.duration, self.since, self.active = duration, 0, true
  back.x, back.y, back.vx, back.vy, back.w = bx - x, by - y, bvx - vx, bvy - vy, body.angular_velocity - w
  -- Take the body back by the shorter turn. `turn` is the number of whole turns times 2 pi.
  local turn = 2 * math.pi * fm.floor((body.angle - a) / (2 * math.pi) + 0.5)
  self.turn = self.turn + turn
  back.angle = body.angle - a - turn
  body.type = "kinematic"
end

--- Destroy the replay. The body keeps its type and velocity. A second call does nothing.
function Replay:destroy()
  self.destroyed = true
  self.handler:destroy()
  memory.forget(self.world, self)
end

--- Return the state of the replay as plain data.
function Replay:save()
  local saved = { time = self.time, since = self.since, active = self.active, turn = self.turn, back = {},
    destroyed = self.destroyed }
  for key, value in next, self.back do saved.back[key] = value end
  return saved
end

--- Restore the state returned by `save`.
function Replay:load(saved)
  arguments.saved("replay:load: saved", saved, { time = "number", since = "number", back = "table" })
  self.destroyed = saved.destroyed
  self.time, self.since, self.active, self.turn = saved.time, saved.since, saved.active, saved.turn
  for key, value in next, saved.back do self.back[key] = value end
end

--- Advance the track time and set the body's velocity. Called before every step.
function Replay:update(dt)
  arguments.number("replay:update: dt", dt)
  self.time = self.time + self.speed * dt
  self.since = self.since + dt
  local body = self.body
  if not self.active then return end
  if not body:is_valid() then return self:destroy() end
  local x, y, a = way_at(self, self.time, self.since)
  local ox, oy = body:position()
  local cx, cy = body:center()
  local lx, ly = body:local_vector(cx - ox, cy - oy)
  local c, s = fm.cos(a), fm.sin(a)
  body:set_velocity((x + c * lx - s * ly - cx) / dt, (y + s * lx + c * ly - cy) / dt)
  body.angular_velocity = (a - body.angle) / dt
end

return setmetatable(replay, { __call = function(_, body, track, options) return replay.new(body, track, options) end })
