-- impel.track: numbers over time from keyframes: poses of a ragdoll, a path, a schedule of forces.
--
--   local wave = impel.track { loop = true, keys = {
--     { time = 0, shoulder = 0, elbow = 0.2 }, { time = 0.4, shoulder = 1.2 },
--     { time = 1, shoulder = 0, elbow = 0.2 } } }
--   local pose = wave:sample(world.time, pose)       -- { shoulder = ..., elbow = ... }, in a table that is reused
--   local pose, rates = wave:sample(t, pose, rates)  -- with the time derivatives, for feed-forward
--
-- Keys may leave channels out. Between two keys of a channel at t0 and t1, with u = (t - t0) / (t1 - t0):
--   step      x0
--   linear    x0 + u (x1 - x0)
--   smooth    x0 + (3 u^2 - 2 u^3) (x1 - x0): zero rate at every key
--   cubic     Hermite polynomial with slopes m = (x_next - x_previous) / (t_next - t_previous); 0 at open ends
--   source: Catmull and Rom, "A class of local interpolating splines" (1974), for unequal times

local arguments = require "impel.base.arguments"
local merged = require "impel.base.merged"
local nearest = require "impel.base.nearest"

local track = {}
local Track = {}
Track.__index = Track

local TABLE = { "table" }

local FIELDS = {
  keys = { "table" },
  loop = { "boolean", default = false },
  accumulate = { "boolean", default = false },
  interpolation = { "choice", "cubic", "smooth", "linear", "step", default = "cubic" },
}

-- Return the keys of each channel as { times, values }, by name, and the channels' names in order.
local function channels_of(keys)
  local channels, names, before = {}, {}, -math.huge
  for i, key in ipairs(keys) do
    local what = ("impel.track: key %d"):format(i)
    if type(key) ~= "table" then arguments.fail("%s must be a table, got %s", what, arguments.got(key)) end
    local time = arguments.number(what .. ": time", key.time)
    if time <= before then arguments.fail("%s: time %g must be after the time of the previous key", what, time) end
    before = time
    for _, name in ipairs(nearest.keys(key)) do
      if name ~= "time" then
        local channel = channels[name]
        if not channel then
          channel = { times = {}, values = {}, at = 1 }
          channels[name], names[#names + 1] = channel, name
        end
        channel.times[#channel.times + 1] = time
        channel.values[#channel.values + 1] = arguments.number(("%s: %s"):format(what, name), key[name])
      end
    end
  end
  table.sort(names)
  return channels, names
end

-- Close a channel of a loop: raise if its last value differs from its first value and the loop does not accumulate.
-- A channel without a key at the end gets its first value there. Set `gain`, the increase of the value per repetition.
local function close(channel, name, start, finish, accumulate)
  local times, values = channel.times, channel.values
  if times[1] ~= start then arguments.fail("impel.track: a loop needs '%s' in its first key", name) end
  local last = #times
  if times[last] < finish then
    last = last + 1
    times[last], values[last] = finish, values[1]
  elseif values[last] ~= values[1] and not accumulate then
    arguments.fail("impel.track: '%s' ends the loop at %g, but begins it at %g: make them equal, or let the next loop "
      .. "continue from the end value with accumulate = true",
      name, values[last], values[1])
  end
  channel.gain = values[last] - values[1]
end

-- Compute the time derivative of a channel at every key.
local function slopes(channel, loop)
  local t, x, n = channel.times, channel.values, #channel.times
  local m = {}
  for i = 2, n - 1 do m[i] = (x[i + 1] - x[i - 1]) / (t[i + 1] - t[i - 1]) end
  m[1], m[n] = 0.0, 0.0
  if loop and n > 2 then
    m[1] = (x[2] - x[1] + x[n] - x[n - 1]) / (t[2] - t[1] + t[n] - t[n - 1])
    m[n] = m[1]
  end
  channel.slopes = m
end

--- Make a track.
---@param options table
---  keys: { { time [s], NAME = value, ... }, ... } in ascending time
---  loop: whether to repeat the track
---  accumulate: each repetition adds last - first value
---  interpolation: "cubic" (default), "smooth", "linear" or "step"
---@return table track  duration [s], start [s], names (sorted), loop
function track.new(options)
  local o = arguments.read("impel.track", options, FIELDS)
  if #o.keys < 1 then arguments.fail("impel.track needs at least one key") end
  if o.accumulate and not o.loop then arguments.fail("impel.track: accumulate needs loop = true") end
  local channels, names = channels_of(o.keys)
  if #names == 0 then arguments.fail("impel.track: no key has a value besides its time") end
  local start = o.keys[1].time
  local self = setmetatable({ channels = channels, names = names, start = start, loop = o.loop,
    duration = o.keys[#o.keys].time - start, interpolation = o.interpolation }, Track)
  if o.loop and self.duration <= 0 then arguments.fail("impel.track: a loop needs at least two keys") end
  for _, name in ipairs(names) do
    if o.loop then close(channels[name], name, start, o.keys[#o.keys].time, o.accumulate) end
    slopes(channels[name], o.loop)
  end
  return self
end

--- Make a track from lists of numbers or an impel.trace.
---@param columns table  time = { ... } [s] and NAME = { ... }, equally long
---@param options table|nil  loop, interpolation, as for track.new; names: which columns, default all
---@return table track
function track.from(columns, options)
  arguments.check("impel.track.from: argument 'columns'", columns, { "table" })
  arguments.check("impel.track.from: options", options or {}, { "table" })
  local o = merged(options)
  local names = arguments.check("impel.track.from: field 'names'", o.names or nearest.keys(columns), { "table" })
  o.names, o.keys = nil, {}
  arguments.check("impel.track.from: field 'time'", columns.time, { "table" })
  for i, time in ipairs(columns.time) do
    local key = { time = time }
    for _, name in ipairs(names) do
      if name ~= "time" then
        if type(columns[name]) ~= "table" then arguments.fail("impel.track.from: no column '%s'", tostring(name)) end
        key[name] = columns[name][i]
      end
    end
    o.keys[i] = key
  end
  return track.new(o)
end

-- Return the index of a channel's latest key at or before t, else 1. The search starts at the previous call's result.
local function find(channel, t)
  local times, i = channel.times, channel.at
  if t < times[i] then i = 1 end
  while times[i + 1] and times[i + 1] <= t do i = i + 1 end
  channel.at = i
  return i
end

local function value_at(channel, t, interpolation)
  local times, values = channel.times, channel.values
  local i = find(channel, t)
  local t0, t1 = times[i], times[i + 1]
  if not t1 or t < t0 or interpolation == "step" then return values[i], 0.0 end
  local x0, x1, span = values[i], values[i + 1], t1 - t0
  local u = (t - t0) / span
  if interpolation == "linear" then return x0 + u * (x1 - x0), (x1 - x0) / span end
  local m0, m1, d = channel.slopes[i] * span, channel.slopes[i + 1] * span, x1 - x0
  if interpolation == "smooth" then m0, m1 = 0.0, 0.0 end
  local a, b = m0 + m1 - 2 * d, 3 * d - 2 * m0 - m1
  return x0 + u * (m0 + u * (b + u * a)), (m0 + u * (2 * b + 3 * u * a)) / span
end

--- Sample all channels. Before its first and after its last key a channel is constant.
---@param t number           time [s]
---@param values table|nil  receives name -> value; default: a new table
---@param rates table|nil  receives name -> time derivative, if given
---@return table values
---@return table|nil rates
function Track:sample(t, values, rates)
  if type(t) ~= "number" or t - t ~= 0 then arguments.number("track:sample: argument 't'", t) end
  if values ~= nil then arguments.check("track:sample: argument 'values'", values, TABLE) end
  if rates ~= nil then arguments.check("track:sample: argument 'rates'", rates, TABLE) end
  values = values or {}
  local turns, loop = 0, self.loop
  if loop then
    turns = (t - self.start) // self.duration
    t = self.start + (t - self.start) % self.duration
  end
  local channels, interpolation = self.channels, self.interpolation
  for _, name in ipairs(self.names) do
    local channel = channels[name]
    local value, rate = value_at(channel, t, interpolation)
    values[name] = loop and value + turns * channel.gain or value
    if rates then rates[name] = rate end
  end
  return values, rates
end

return setmetatable(track, { __call = function(_, options) return track.new(options) end })
