-- Number of steps per frame for a scene at `speed` times real time.
--
--   local clock = viewer_clock.new { speed = 1 }
--   for _ = 1, clock:due(elapsed, world.dt) do ... end   -- elapsed: seconds since the last frame
--   clock:made(steps, world.dt)
--
-- Pictures interpolate between the last two states by `clock.fraction`. If frames need n steps on average, all
-- frames make n steps and `fraction` is 1. Due steps that were not made are dropped, so a slow scene has no backlog.

local clock = {}
local Clock = {}
Clock.__index = Clock

local LONGEST = 0.25  -- [s] limit of the time of a frame
local MOST = 256      -- largest number of steps in a frame
local MEMORY = 0.5    -- [s] time constant of two running means: simulated / real time, and length of a frame
-- All frames make n steps once |s - n| <= WHOLE, until |s - n| > BROKEN. n is at most MOST_WHOLE. s: mean number of
-- steps per frame; n: nearest integer to s.
local WHOLE = 0.01
local BROKEN = 0.05
local MOST_WHOLE = 8
local LATE = 0.75     -- [steps] a frame that is early or late by up to this time makes as many steps as the others
local KNOWN = 0.15    -- [s] total length of frames after which their mean is used
local ODD = 1.75      -- ratio of a frame's length to the mean length above which the frame is an outlier
-- Largest number of successive outliers that are ignored; each normal frame multiplies their count by 0.9
local MOST_ODD = 3
local RETURN = 8      -- [steps] time constant of the decay of `ahead`, see settle

--- Speeds that the keys step through [simulated s per real s].
clock.speeds = { 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64 }

--- Make a clock.
---@param options table|nil  speed: simulated seconds per real second, default 1
function clock.new(options)
  return setmetatable({ speed = options and options.speed or 1, owed = 0, real = 0, simulated = 0, fraction = 1,
    weight = 0, sum = 0, odd = 0, ahead = 0, number = 1, fresh = true, whole = true }, Clock)
end

-- Update the running mean of the length of frames, with time constant MEMORY. Single outliers are ignored.
local function measure(self, elapsed)
  if elapsed == 0 then return end
  local exception = elapsed * self.weight > ODD * self.sum and self.weight > 0 or elapsed >= LONGEST
  self.odd = exception and self.odd + 1 or 0.9 * self.odd
  if exception and self.odd <= MOST_ODD then return end
  local keep = math.exp(-elapsed / MEMORY)
  self.weight, self.sum = self.weight * keep + 1, self.sum * keep + elapsed
end

-- Decide whether all frames make equally many steps (`whole`). When `whole` becomes false, `ahead` [steps] keeps the
-- time of the picture from jumping, and then decays to 0.
local function settle(self, dt)
  local whole, steps = self.whole, 1
  if self.sum > KNOWN then
    steps = self.sum / self.weight * self.speed / dt
    local number = math.floor(steps + 0.5)
    whole = number >= 1 and number <= MOST_WHOLE and math.abs(steps - number) <= (whole and BROKEN or WHOLE)
  end
  self.number = math.floor(steps + 0.5)
  if whole and not self.whole then self.owed, self.ahead = 0, 0 end
  if not whole and (self.whole or self.fresh) then self.ahead = 0.5 - self.owed / dt end
  self.whole, self.fresh = whole, false
end

--- Return the number of steps due. elapsed: real time since the last frame [s]; dt: length of a step [s].
function Clock:due(elapsed, dt)
  elapsed = math.max(elapsed, 0)
  local keep = math.exp(-elapsed / MEMORY)
  self.real = self.real * keep + elapsed
  self.simulated = self.simulated * keep
  measure(self, elapsed)
  settle(self, dt)
  local counted = math.min(elapsed, LONGEST) * self.speed
  self.owed = self.owed + counted
  self.ahead = self.ahead * math.exp(-counted / (RETURN * dt))
  -- time of the picture [steps], counted from the state before the last step
  local shown = self.owed / dt + 0.5 + self.ahead
  local steps = math.max(math.floor(shown), 0)
  if self.whole and elapsed > 0 and math.abs(self.owed / dt - self.number) <= LATE then steps = self.number end
  self.owed = self.owed - steps * dt
  self.fraction = self.whole and 1 or math.max(shown - steps, 0)
  return math.min(steps, MOST)
end

--- Report how many of the due steps were made. The other due steps are dropped.
function Clock:made(steps, dt)
  self.simulated = self.simulated + steps * dt
end

--- Return simulated / real time over the last half second.
function Clock:factor()
  return self.real > 0 and self.simulated / self.real or 0
end

--- Reset the time owed and the measurements, after a pause or a restart.
function Clock:reset()
  self.owed, self.real, self.simulated, self.fraction, self.fresh = 0, 0, 0, 1, true
end

--- Change to the next higher or lower speed.
---@param direction 1|-1
---@return number speed
function Clock:change(direction)
  local speeds, chosen = clock.speeds, nil
  for i = 1, #speeds do
    local speed = speeds[direction > 0 and i or #speeds + 1 - i]
    if direction * (speed - self.speed) > 1e-9 * self.speed then
      chosen = speed
      break
    end
  end
  self.speed = chosen or self.speed
  return self.speed
end

return clock
