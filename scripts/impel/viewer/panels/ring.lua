-- Ring buffer for samples. For each bucket of 4 and of 16 samples, it has their minimum and maximum. Sample n (from 1)
-- is in slot (n - 1) % SIZE + 1.

local ring = {}
local Ring = {}
Ring.__index = Ring

--- Number of samples kept: about 100 s of steps of 1/60 s.
ring.SIZE = 6144

local SIZE = ring.SIZE
local BUCKET = 16           -- number of samples in a bucket of the second level
local STEPS = { 4, BUCKET } -- numbers of samples in a bucket of each level; 4 divides BUCKET, and BUCKET divides SIZE

--- Make an empty ring.
function ring.new()
  local self = setmetatable({ values = {}, levels = {}, known = 0 }, Ring)
  for i, step in ipairs(STEPS) do self.levels[i] = { step = step, low = {}, high = {}, low_at = {}, high_at = {} } end
  return self
end

--- Store sample number n. Samples must come in order.
function Ring:put(n, value)
  self.values[(n - 1) % SIZE + 1] = value
end

--- Return sample number n.
function Ring:at(n)
  return self.values[(n - 1) % SIZE + 1]
end

--- Discard the samples after sample `last`.
function Ring:take_back(last)
  self.known = math.min(self.known, last - last % BUCKET)
end

-- Add a sample to its bucket. The first sample of a bucket resets the bucket.
local function add(level, n, value)
  local bucket = (n - 1) % SIZE // level.step + 1
  if (n - 1) % level.step == 0 then level.low[bucket], level.high[bucket] = math.huge, -math.huge end
  if value < level.low[bucket] then level.low[bucket], level.low_at[bucket] = value, n end
  if value > level.high[bucket] then level.high[bucket], level.high_at[bucket] = value, n end
end

-- Update the buckets up to sample `last`.
local function catch_up(self, first, last)
  local from = math.max(self.known + 1, first - (first - 1) % BUCKET)
  for n = from, last do
    local value = n >= first and self:at(n) or 0 / 0
    for _, level in ipairs(self.levels) do add(level, n, value) end
  end
  self.known = math.max(self.known, last)
end

-- Write the minimum and maximum of each bucket to the lists ns and ys, in order of time.
local function sketch_buckets(self, level, first, last, ns, ys)
  local count = 0
  local function put(n)
    count = count + 1
    ns[count], ys[count] = n, self:at(n)
  end
  for bucket = (first - 1) // level.step, (last - 1) // level.step do
    local slot = bucket % (SIZE // level.step) + 1
    local low_at, high_at = level.low_at[slot], level.high_at[slot]
    local from, to = math.max(first, bucket * level.step + 1), math.min(last, (bucket + 1) * level.step)
    if level.low[slot] <= level.high[slot] then
      local before, after = math.min(low_at, high_at), math.max(low_at, high_at)
      if before >= from and before <= to then put(before) end
      if after > before and after >= from and after <= to then put(after) end
    end
  end
  return count
end

--- Write the finite samples from `first` to `last`: their numbers n to the list ns, their values to ys. If
--- last - first >= most, write only the minimum and maximum of each bucket. Return the length of the lists.
function Ring:sketch(first, last, most, ns, ys)
  if last - first >= most then
    local fits = 1
    while fits < #STEPS and 2 * (last - first) / STEPS[fits] > most do fits = fits + 1 end
    catch_up(self, first, last)
    return sketch_buckets(self, self.levels[fits], first, last, ns, ys)
  end
  local count = 0
  for n = first, last do
    local value = self:at(n)
    if value - value == 0 then -- is finite
      count = count + 1
      ns[count], ys[count] = n, value
    end
  end
  return count
end

return ring
