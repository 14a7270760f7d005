-- impel.pattern: a central pattern generator: oscillators that pull each other to fixed differences of phase, as the
-- spinal cord makes a gait. Change frequency, amplitude or gait at any time and the rhythm flows over without a jump.
--
--   local gait = impel.pattern { oscillators = { "left", "right" }, frequency = 1.2, amplitude = 0.4,
--     phases = { left = 0, right = 0.5 } }
--   gait:update(h)                                     -- in a handler
--   posture:aim("left_hip", gait:value "left", gait:rate "left")
--
-- Phase p_i [rad], amplitude r_i and offset o_i of oscillator i follow
--   p_i' = 2 pi f + sum over j of w r_j sin(p_j - p_i - 2 pi (phase_j - phase_i))
--   r_i'' = a (a / 4 (R_i - r_i) - r_i'),   x_i = o_i + r_i cos p_i
-- a is `rate`; the offset follows its own target as the amplitude does. Once locked, p_i - p_j = 2 pi (phase_i -
-- phase_j) and all turn with f.
--   source: Ijspeert, "Central pattern generators for locomotion control in animals and robots" (2008), section 5;
--   Ijspeert et al., "From swimming to walking with a salamander robot" (2007), equation 1

local arguments = require "impel.arguments"
local fm = require "impel.math"
local nearest = require "impel.nearest"

local pattern = {}
local Pattern = {}
Pattern.__index = Pattern

local TURN = 2 * math.pi
local FIELDS = {
  oscillators = { "table" },
  frequency = { "number", default = 1, unit = "Hz" },
  amplitude = { "any", default = 1 },
  offset = { "any", default = 0 },
  phases = { "any", default = 0 },
  coupling = { "number", min = 0, default = 4, unit = "1/s" },
  rate = { "number", above = 0, default = 20, unit = "1/s" },
}

--- Phases of the feet of gaits, in turns: left and right, front and hind.
pattern.gaits = {
  walk = { left_hind = 0, left_front = 0.25, right_hind = 0.5, right_front = 0.75 },
  trot = { left_hind = 0, left_front = 0.5, right_hind = 0.5, right_front = 0 },
  pace = { left_hind = 0, left_front = 0, right_hind = 0.5, right_front = 0.5 },
  bound = { left_hind = 0, left_front = 0.5, right_hind = 0, right_front = 0.5 },
  pronk = { left_hind = 0, left_front = 0, right_hind = 0, right_front = 0 },
}

-- A number for all, or by name; names that are left out keep what they have.
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

--- Make a generator that is in its rhythm already.
---@param options table  oscillators: list of names; frequency [Hz]; amplitude, offset, phases (in turns): a number for
---  all or { name = number }; coupling [1/s]: how strongly phases pull; rate [1/s]: how fast amplitudes follow
---@return table pattern  frequency and coupling may be set at any time
function pattern.new(options)
  local o = arguments.read("impel.pattern", options, FIELDS)
  if #o.oscillators == 0 then arguments.fail "impel.pattern needs an oscillator at least" end
  local self = setmetatable({ list = {}, by_name = {}, names = {}, frequency = o.frequency, coupling = o.coupling,
    follow = o.rate }, Pattern)
  for i, name in ipairs(o.oscillators) do
    arguments.check(("impel.pattern: oscillator %d"):format(i), name, { "string" })
    if self.by_name[name] then arguments.fail("impel.pattern: two oscillators '%s'", name) end
    local oscillator = { amplitude = 0.0, growth = 0.0, offset = 0.0, shift = 0.0, wanted_amplitude = 0.0,
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

--- Where to: the rhythm gets there by itself.
---@param options table  amplitude, offset, phases, as of `new`; what is left out stays
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

--- x of an oscillator now.
---@param name string
---@return number
function Pattern:value(name)
  local oscillator = oscillator_of(self, name)
  return oscillator.offset + oscillator.amplitude * fm.cos(oscillator.phase)
end

--- The derivative of its x by time.
---@param name string
---@return number  [1/s]
function Pattern:rate(name)
  local o = oscillator_of(self, name)
  return o.shift + o.growth * fm.cos(o.phase) - o.amplitude * o.rate * fm.sin(o.phase)
end

--- Its phase: 0 at the peak of x.
---@param name string
---@return number  [rad], unwrapped
function Pattern:phase(name) return oscillator_of(self, name).phase end

-- A critically damped way to what is wanted, with its rate (symplectic Euler).
local function approach(value, rate, wanted, a, h)
  rate = rate + h * a * (a / 4 * (wanted - value) - rate)
  return value + h * rate, rate
end

--- Advance by h [s]. Makes no garbage.
---@param h number
function Pattern:update(h)
  local list, coupling = self.list, self.coupling
  local count = #list
  for i = 1, count do
    local me, pull = list[i], 0
    for j = 1, count do
      local other = list[j]
      if j ~= i then
        pull = pull + other.amplitude * fm.sin(other.phase - me.phase - TURN * (other.lead - me.lead))
      end
    end
    me.rate = TURN * self.frequency + coupling * pull
  end
  for i = 1, count do
    local me = list[i]
    me.phase = me.phase + h * me.rate
    me.amplitude, me.growth = approach(me.amplitude, me.growth, me.wanted_amplitude, self.follow, h)
    me.offset, me.shift = approach(me.offset, me.shift, me.wanted_offset, self.follow, h)
  end
end

return setmetatable(pattern, { __call = function(_, options) return pattern.new(options) end })
