-- How many steps a frame makes, so that a scene runs as fast as the clock on the wall, or `speed` times as fast.
--
--   local clock = viewer_clock.new { speed = 1 }
--   for _ = 1, clock:due(elapsed, world.dt) do ... end   -- elapsed: seconds since the last frame
--   clock:made(steps, world.dt)
--
-- A step is always dt long: what is left over waits for the next frame. A scene that cannot keep up does not spiral:
-- what a frame cannot make is let go, and the factor, simulated by real seconds, says so.

local clock = {}
local Clock = {}
Clock.__index = Clock

local LONGEST = 0.25  -- [s] a frame counts for at most: after a pause of the whole program the scene does not jump
local MOST = 256      -- steps in a frame; the window's own limit is its time, this one holds without a clock too
local MEMORY = 0.5    -- [s] over which the factor is a mean

--- The speeds that the keys go through: simulated by real seconds.
clock.speeds = { 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8, 16, 32, 64 }

--- Make a clock.
---@param options table|nil  speed: simulated by real seconds (1)
function clock.new(options)
  return setmetatable({ speed = options and options.speed or 1, owed = 0, real = 0, simulated = 0 }, Clock)
end

--- The steps that are due. Half a step more or less than owed is no reason for one step more or less: else a display of
--- 60 Hz and a step of 1/60 s would give 0, 1 or 2 of them by turns.
---@param elapsed number  real seconds since the last frame
---@param dt number       [s] of a step
---@return integer
function Clock:due(elapsed, dt)
  elapsed = math.max(elapsed, 0)
  local keep = math.exp(-elapsed / MEMORY)
  self.real = self.real * keep + elapsed
  self.simulated = self.simulated * keep
  self.owed = self.owed + math.min(elapsed, LONGEST) * self.speed
  local steps = math.max(math.floor(self.owed / dt + 0.5), 0)
  self.owed = self.owed - steps * dt
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
  self.owed, self.real, self.simulated = 0, 0, 0
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
