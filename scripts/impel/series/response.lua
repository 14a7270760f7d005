-- Measures of a curve: statistics, level crossings, step response.
--
-- A curve is two lists: increasing times, and a value for each time. Between samples dt apart, the curve is linear; its
-- error there is at most x'' dt^2 / 8.
--
-- Unit step of u in x'' + 2 zeta w x' + w^2 x = w^2 u, 0 < zeta < 1:
--   x(t) = 1 - exp(-zeta w t) (cos(w_d t) + zeta / sqrt(1 - zeta^2) sin(w_d t)),  w_d = w sqrt(1 - zeta^2)
--   overshoot exp(-pi zeta / sqrt(1 - zeta^2)) at t = pi / w_d;  inside +-2 % after about 4 / (zeta w)
--   source: Ogata, "Modern Control Engineering" (5th ed. 2010), section 5.3

local response = {}

local NAN = 0 / 0


-- Samples ------------------------------------------------------------------------------------------------------------

--- Compute statistics of the samples. All samples have equal weight, whatever the times between them.
---@param times number[]|nil  for min_time and max_time
---@return table  count; first, last, min, max, mean, rms; std: sqrt(rms^2 - mean^2); min_time, max_time: times of the
---  first minimum and the first maximum. Without samples all except count are nan.
function response.statistics(times, values)
  local n = #values
  local s = { count = n, first = NAN, last = NAN, min = NAN, max = NAN, mean = NAN, std = NAN, rms = NAN }
  s.min_time, s.max_time = NAN, NAN
  if n == 0 then return s end
  local least, largest, sum = 1, 1, 0.0
  for i, x in ipairs(values) do
    if x < values[least] then least = i end
    if x > values[largest] then largest = i end
    sum = sum + x
  end
  local mean, squares, deviations = sum / n, 0.0, 0.0
  for _, x in ipairs(values) do
    squares = squares + x * x
    deviations = deviations + (x - mean) * (x - mean)
  end
  s.first, s.last, s.min, s.max, s.mean = values[1], values[n], values[least], values[largest], mean
  s.std, s.rms = math.sqrt(deviations / n), math.sqrt(squares / n)
  if times then s.min_time, s.max_time = times[least], times[largest] end
  return s
end

--- Return the index of the last sample at or before t; 0 before the first.
function response.index(times, t)
  local low, high = 0, #times + 1
  while high - low > 1 do
    local middle = (low + high) // 2
    if times[middle] <= t then low = middle else high = middle end
  end
  return low
end

--- Return the interpolated value at t; nil outside the curve.
function response.at(times, values, t)
  local i = response.index(times, t)
  if i == 0 or #times == 0 then return nil end
  if times[i] == t then return values[i] end
  if i == #times then return nil end
  local part = (t - times[i]) / (times[i + 1] - times[i])
  return values[i] * (1.0 - part) + values[i + 1] * part
end

-- Return the slope at t[k] of the parabola through samples i - 1, i, i + 1.
local function slope(t, x, i, k)
  local before, after = (x[i] - x[i - 1]) / (t[i] - t[i - 1]), (x[i + 1] - x[i]) / (t[i + 1] - t[i])
  local bend = (after - before) / (t[i + 1] - t[i - 1])
  return before + bend * ((t[k] - t[i]) + (t[k] - t[i - 1]))
end

--- Compute the derivative at each sample: the slope of the parabola through the sample and its two neighbours; at the
--- ends, through the first or last three samples. Error x''' dt^2 / 6, at the ends x''' dt^2 / 3. One sample gives nan.
function response.derivative(times, values)
  local n, d = #values, {}
  if n == 1 then return { NAN } end
  if n == 2 then
    local s = (values[2] - values[1]) / (times[2] - times[1])
    return { s, s }
  end
  for k = 1, n do d[k] = slope(times, values, math.min(math.max(k, 2), n - 1), k) end
  return d
end

--- Compute the integral over time by the trapezoidal rule.
---@return number total     0 with fewer than two samples
---@return number[] running  integral up to each sample
function response.integral(times, values)
  local total, running = 0.0, {}
  for i, x in ipairs(values) do
    if i > 1 then total = total + (times[i] - times[i - 1]) * 0.5 * (values[i - 1] + x) end
    running[i] = total
  end
  return total, running
end


-- Levels -------------------------------------------------------------------------------------------------------------

-- Return when the line from sample i - 1 to sample i reaches a level between them.
local function time_between(times, values, i, level)
  local part = (level - values[i - 1]) / (values[i] - values[i - 1])
  return times[i - 1] * (1.0 - part) + times[i] * part
end

--- Find where a curve crosses a level. Touching the level is no crossing.
---@return number[] crossings  times
---@return integer[] directions  1 upward, -1 downward
function response.crossings(times, values, level)
  local crossings, directions = {}, {}
  local side, reached = 0, nil
  for i, x in ipairs(values) do
    local now = x > level and 1 or x < level and -1 or 0
    if now == 0 then
      reached = reached or times[i]
    else
      if side ~= 0 and now ~= side then
        crossings[#crossings + 1] = reached or time_between(times, values, i, level)
        directions[#directions + 1] = now
      end
      side, reached = now, nil
    end
  end
  return crossings, directions
end

--- Compute the mean time between successive crossings of a level in the same direction.
---@return number|nil period
---@return string|nil message  if there are too few crossings
function response.period(times, values, level)
  local crossings, directions = response.crossings(times, values, level)
  local first, last, swings, span = {}, {}, 0, 0.0
  for i, t in ipairs(crossings) do
    local way = directions[i]
    first[way], last[way] = first[way] or t, t
    if first[way] ~= t then swings = swings + 1 end
  end
  for _, way in ipairs { 1, -1 } do
    if first[way] then span = span + last[way] - first[way] end
  end
  if swings == 0 then return nil, ("crosses %g %d times, less than a full period"):format(level, #crossings) end
  return span / swings
end


-- A step's response --------------------------------------------------------------------------------------------------

-- Return the target and the start of a step.
local function step_of(values, options)
  return options.target or values[#values], options.from or values[1]
end

--- Return the time from which a curve stays in a band about its target.
---@param options table  target: default the last value; from: default the first; band: half width / |target - from|,
---  default 0.02; within: absolute half width
---@return number|nil time
---@return string|nil message  if the curve is outside at the end, or the band has no width
function response.settling_time(times, values, options)
  local target, from = step_of(values, options)
  local half = options.within or (options.band or 0.02) * math.abs(target - from)
  if half == 0 and not options.within then
    return nil, ("target and start are both %g, so 'band' has no width; use 'within'"):format(target)
  end
  local i = #values
  while i > 0 and math.abs(values[i] - target) <= half do i = i - 1 end
  if i == 0 then return times[1] end
  if i == #values then
    return nil, ("the last value is %g away from the target %g"):format(math.abs(values[i] - target), target)
  end
  return time_between(times, values, i + 1, values[i] > target and target + half or target - half)
end

--- Return the overshoot of a curve beyond its target, as a fraction of the step; 0 without overshoot.
---@param options table  target: default the last value; from: default the first value
---@return number|nil fraction
---@return string|nil message  if target and start are equal
function response.overshoot(values, options)
  local target, from = step_of(values, options)
  if target == from then return nil, ("target and start are both %g: the step is zero"):format(target) end
  local most = 0.0
  for _, x in ipairs(values) do most = math.max(most, (x - target) / (target - from)) end
  return most
end

-- Return the first time at or beyond a level; way: 1 upward, -1 downward.
local function first_reach(times, values, level, way)
  for i, x in ipairs(values) do
    if (x - level) * way >= 0 then return i == 1 and times[1] or time_between(times, values, i, level) end
  end
end

--- Return the time a curve takes between two fractions of its step.
---@param options table  low: default 0.1; high: default 0.9; target: default the last value; from: default the first
---@return number|nil duration
---@return string|nil message  if target and start are equal, or the curve does not reach `high`
function response.rise_time(times, values, options)
  local target, from = step_of(values, options)
  if target == from then return nil, ("target and start are both %g: the step is zero"):format(target) end
  local low, high = from + (options.low or 0.1) * (target - from), from + (options.high or 0.9) * (target - from)
  local way = target > from and 1 or -1
  local start, stop = first_reach(times, values, low, way), first_reach(times, values, high, way)
  if not stop then return nil, ("does not reach %g"):format(high) end
  return stop - start
end

return response
