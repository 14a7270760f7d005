-- How many steps a frame makes, so that a scene runs as fast as the clock on the wall, or `speed` times as fast.
--
--   local clock = viewer_clock.new { speed = 1 }
--   for _ = 1, clock:due(elapsed, world.dt) do ... end   -- elapsed: seconds since the last frame
--   clock:made(steps, world.dt)
--
-- A step is always dt long: what is left over waits for the next frame. A scene that cannot keep up does not spiral:
-- what a frame cannot make is let go, and the factor, simulated by real seconds, says so.
--
-- clock.fraction interpolates between the last two states: by the time that is left over pictures move evenly at any
-- rate of frames. Frames that last a whole number of steps on the mean, as 60 Hz and steps of 1/60 s, leave nothing
-- over but jitter: each makes that number of steps and shows the state itself, fraction 1.

local clock = {}
local Clock = {}
Clock.__index = Clock

local LONGEST = 0.25  -- [s] a frame counts for at most: after a pause of the whole program the scene does not jump
local MOST = 256      -- steps in a frame; the window's own limit is its time, this one holds without a clock too
local MEMORY = 0.5    -- [s] over which the factor and the length of frames are means
local WHOLE = 0.01    -- [steps] from a whole number that frames begin to count as whole, and cease to
local BROKEN = 0.05
local MOST_WHOLE = 8  -- steps of a frame: of more, one more or less is not seen
local LATE = 0.75     -- [steps] that whole frames may be early or late before one has a step less or more
local KNOWN = 0.15    -- [s] of frames after which their mean is believed
local ODD = 1.75      -- times longer than the mean a frame is an exception,
local MOST_ODD = 3    -- as long as there are not that many: each counts for less after every other frame
local RETURN = 8      -- [steps] in which `ahead` decays by 1/e

--- The speeds that the keys go through: simulated by real seconds.
clock.speeds = { 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64 }

--- Make a clock.
---@param options table|nil  speed: simulated by real seconds (1)
function clock.new(options)
  return setmetatable({ speed = options and options.speed or 1, owed = 0, real = 0, simulated = 0, fraction = 1,
    weight = 0, sum = 0, odd = 0, ahead = 0, number = 1, fresh = true, whole = true }, Clock)
end

-- Mean length of frames over MEMORY. A single long one, which the system held up, is left out.
local function measure(self, elapsed)
  if elapsed == 0 then return end
  local exception = elapsed * self.weight > ODD * self.sum and self.weight > 0 or elapsed >= LONGEST
  self.odd = exception and self.odd + 1 or 0.9 * self.odd
  if exception and self.odd <= MOST_ODD then return end
  local keep = math.exp(-elapsed / MEMORY)
  self.weight, self.sum = self.weight * keep + 1, self.sum * keep + elapsed
end

-- Whether frames last a whole number of steps. When that ends, and after a pause, interpolation starts at the displayed
-- state: `ahead` of the time owed, a difference that decays.
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

--- Steps due in this frame. Whole frames make the same number each, early and late ones too, until they are LATE off: a
--- display of 60 Hz and steps of 1/60 s do not give 0, 1 or 2 by turns.
---@param elapsed number  real seconds since the last frame
---@param dt number       [s] of a step
---@return integer
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
  local shown = self.owed / dt + 0.5 + self.ahead -- picture's time after the state before the last step [steps]
  local steps = math.max(math.floor(shown), 0)
  if self.whole and elapsed > 0 and math.abs(self.owed / dt - self.number) <= LATE then steps = self.number end
  self.owed = self.owed - steps * dt
  self.fraction = self.whole and 1 or math.max(shown - steps, 0)
  return math.min(steps, MOST)
end

--- Tell how many steps were made: the others are let go.
function Clock:made(steps, dt)
  self.simulated = self.simulated + steps * dt
end

--- Simulated by real seconds, over the last half of a second; 0 before the first frame.
---@return number
function Clock:factor()
  return self.real > 0 and self.simulated / self.real or 0
end

--- Forget what is owed and measured: after a pause, a restart.
function Clock:reset()
  self.owed, self.real, self.simulated, self.fraction, self.fresh = 0, 0, 0, 1, true
end

--- The next speed above or below.
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
