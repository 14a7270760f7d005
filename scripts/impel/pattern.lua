-- impel.pattern: a central pattern generator of coupled oscillators. Their phase differences approach given values.
--
--   local gait = impel.pattern { oscillators = { "left", "right" }, frequency = 1.2, amplitude = 0.4,
--     phases = { left = 0, right = 0.5 } }
--   gait:update(h)                                     -- in a handler
--   posture:aim("left_hip", gait:value "left", gait:rate "left")
--
-- Phase p_i [rad], amplitude r_i and offset o_i of oscillator i follow
--   p_i' = 2 pi f + sum over j of w r_j sin(p_j - p_i - 2 pi (phase_j - phase_i))
--   r_i'' = a (a / 4 (R_i - r_i) - r_i'),   x_i = o_i + r_i cos p_i
-- with a = `rate` and the target R_i of r_i. o_i obeys the equation of r_i with a target O_i.
--   source: Ijspeert, "Central pattern generators for locomotion control in animals and robots" (2008), section 5;
--   Ijspeert et al., "From swimming to walking with a salamander robot" (2007), equation 1

local arguments = require "impel.base.arguments"
local fm = require "impel.math"
local memory = require "impel.world.memory"
local nearest = require "impel.base.nearest"

local pattern = {}
local Pattern = {}
Pattern.__index = Pattern
memory.of(Pattern)

local TURN = 2 * math.pi
-- An update has up to MOST_PARTS equal substeps. STIFF: largest coupling * h * (sum of amplitudes), h: substep.
local STIFF, MOST_PARTS = 0.5, 1000
local FIELDS = {
  oscillators = { "table" },
  frequency = { "number", default = 1, unit = "Hz" },
  amplitude = { "any", default = 1 },
  offset = { "any", default = 0 },
  phases = { "any", default = 0 },
  coupling = { "number", min = 0, default = 4, unit = "1/s" },
  rate = { "number", above = 0, default = 20, unit = "1/s" },
}

--- Phases of the four feet in each gait [turns].
pattern.gaits = {
  walk = { left_hind = 0, left_front = 0.25, right_hind = 0.5, right_front = 0.75 },
  trot = { left_hind = 0, left_front = 0.5, right_hind = 0.5, right_front = 0 },
  pace = { left_hind = 0, left_front = 0, right_hind = 0.5, right_front = 0.5 },
  bound = { left_hind = 0, left_front = 0.5, right_hind = 0, right_front = 0.5 },
  pronk = { left_hind = 0, left_front = 0, right_hind = 0, right_front = 0 },
}

-- Set a field of all oscillators by a number, or by a table of names; names that are left out keep their value.
local function spread(self, what, value, field)
  local given = arguments.check("impel.pattern: field '" .. what .. "'", value,
    { type(value) == "table" and "table" or "number" })
  if type(given) == "table" then
    for _, name in ipairs(nearest.keys(given)) do
      if not self.by_name[name] then
        arguments.fail("impel.pattern: %s: no oscillator '%s'%s", what, name, nearest.hint(name, self.names))
      end
      self.by_name[name][field] = arguments.number(("impel.pattern: %s of '%s'"):format(what, name), given[name])
    end
  else
    for _, oscillator in ipairs(self.list) do oscillator[field] = given end
  end
end

--- Make a generator that starts at its target phases, amplitudes and offsets.
---@param options table
---  oscillators: list of names
---  frequency [Hz]
---  amplitude, offset, phases [turns]: a number for all or { name = number }
---  coupling: strength of the phase coupling w [1/s]
---  rate: a, of amplitudes and offsets [1/s]
---@return table pattern  frequency and coupling may be set at any time
function pattern.new(options)
  local o = arguments.read("impel.pattern", options, FIELDS)
  if #o.oscillators == 0 then arguments.fail "impel.pattern needs at least one oscillator" end
  local self = setmetatable({ list = {}, by_name = {}, names = {}, frequency = o.frequency, coupling = o.coupling,
    follow = o.rate }, Pattern)
  for i, name in ipairs(o.oscillators) do
    arguments.check(("impel.pattern: oscillator %d"):format(i), name, { "string" })
    if self.by_name[name] then arguments.fail("impel.pattern: two oscillators '%s'", name) end
    local oscillator = { amplitude = 0.0, growth = 0.0, offset = 0.0, shift = 0.0, wanted_amplitude = 1.0,
      wanted_offset = 0.0, lead = 0.0, phase = 0.0, rate = 0.0 }
    self.list[i], self.by_name[name], self.names[i] = oscillator, oscillator, name
  end
  self:set { amplitude = o.amplitude, offset = o.offset, phases = o.phases }
  for _, oscillator in ipairs(self.list) do
    oscillator.amplitude, oscillator.offset = oscillator.wanted_amplitude, oscillator.wanted_offset
    oscillator.phase = TURN * oscillator.lead
    oscillator.rate = TURN * o.frequency
  end
  return self
end

function Pattern.__newindex(_, key)
  arguments.fail("a pattern has no field '%s'%s", tostring(key), nearest.hint(key, { "frequency", "coupling" }))
end

--- Set new targets, which the rhythm approaches smoothly.
---@param options table  amplitude, offset, phases, as for new; those left out do not change
function Pattern:set(options)
  local o = arguments.read("pattern:set", options, { amplitude = { "any", optional = true },
    offset = { "any", optional = true }, phases = { "any", optional = true } })
  if o.amplitude then spread(self, "amplitude", o.amplitude, "wanted_amplitude") end
  if o.offset then spread(self, "offset", o.offset, "wanted_offset") end
  if o.phases then spread(self, "phases", o.phases, "lead") end
end

local function oscillator_of(self, name)
  local oscillator = self.by_name[name]
  if not oscillator then
    arguments.fail("pattern: no oscillator '%s'%s", tostring(name), nearest.hint(name, self.names))
  end
  return oscillator
end

--- Return the output o + r cos p of an oscillator.
---@return number
function Pattern:value(name)
  local oscillator = oscillator_of(self, name)
  return oscillator.offset + oscillator.amplitude * fm.cos(oscillator.phase)
end

--- Return the time derivative of the output of an oscillator.
---@return number  [1/s]
function Pattern:rate(name)
  local o = oscillator_of(self, name)
  return o.shift + o.growth * fm.cos(o.phase) - o.amplitude * o.rate * fm.sin(o.phase)
end

--- Return the unwrapped phase of an oscillator [rad]; 0 at the peak of its output.
function Pattern:phase(name) return oscillator_of(self, name).phase end

-- Return a value and its rate after the time h of a critically damped approach to `wanted`. decay: exp(-l h)
-- e(t) = (e0 + (v0 + l e0) t) exp(-l t);  e: value - wanted, e0 at t = 0; v0: rate at t = 0; l: half of option `rate`
local function approach(value, rate, wanted, l, h, decay)
  local off = value - wanted
  local b = rate + l * off
  return wanted + (off + b * h) * decay, (rate - l * b * h) * decay
end

-- Compute the rates of the phases from coupling and frequency.
local function set_rates(list, turning, coupling)
  local count = #list
  for i = 1, count do
    local me, pull = list[i], 0
    for j = 1, count do
      local other = list[j]
      if j ~= i then
        pull = pull + other.amplitude * fm.sin(other.phase - me.phase - TURN * (other.lead - me.lead))
      end
    end
    me.rate = turning + coupling * pull
  end
end

-- Return the number of equal substeps of an update over h; with fewer, the phase differences could overshoot.
local function parts_of(self, h)
  local sum = 0
  for _, one in ipairs(self.list) do sum = sum + math.abs(one.amplitude) end
  local parts = math.ceil(math.abs(self.coupling) * sum * h / STIFF)
  if not (parts >= 0 and parts <= MOST_PARTS) or self.frequency - self.frequency ~= 0 then
    arguments.fail("pattern:update: frequency %s, coupling %s and h %s: too large, or not finite",
      tostring(self.frequency), tostring(self.coupling), tostring(h))
  end
  return math.max(parts, 1)
end

--- Advance the oscillators by h [s]. Allocates no memory.
function Pattern:update(h)
  if type(h) ~= "number" or not (h >= 0 and h < math.huge) then
    arguments.fail("pattern:update: argument 'h' must be a finite number >= 0 [s], got %s", arguments.got(h))
  end
  local list, parts = self.list, parts_of(self, h)
  for _ = 1, parts do
    set_rates(list, TURN * self.frequency, self.coupling)
    for _, me in ipairs(list) do me.phase = me.phase + h / parts * me.rate end
  end
  local l = self.follow / 2
  local decay = fm.exp(-l * h)
  for _, me in ipairs(list) do
    me.amplitude, me.growth = approach(me.amplitude, me.growth, me.wanted_amplitude, l, h, decay)
    me.offset, me.shift = approach(me.offset, me.shift, me.wanted_offset, l, h, decay)
  end
end

--- Return the state as plain data. world:state(pattern) makes it part of a world's snapshots.
function Pattern:save()
  local saved = { frequency = self.frequency, coupling = self.coupling }
  for i, oscillator in ipairs(self.list) do
    saved[i] = {}
    for key, value in next, oscillator do saved[i][key] = value end
  end
  return saved
end

--- Restore the state returned by `save`.
function Pattern:load(saved)
  local needed = { frequency = "number", coupling = "number" }
  for i in ipairs(self.list) do needed[i] = "table" end
  arguments.saved("pattern:load: saved", saved, needed)
  self.frequency, self.coupling = saved.frequency, saved.coupling
  for i, oscillator in ipairs(self.list) do
    for key, value in next, saved[i] do oscillator[key] = value end
  end
end

return setmetatable(pattern, { __call = function(_, options) return pattern.new(options) end })
