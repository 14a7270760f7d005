-- Frequency analysis of a curve: its amplitude spectrum and the largest peak.
--
-- Samples are weighted by a Hann window and padded with zeros. The amplitude of a sine is 2 |X| / sum of the window. A
-- peak is the top of a parabola through the logarithms of three amplitudes. For a sine with three periods in the window
-- the frequency is off by 4e-3 / duration and the amplitude by 0.1 %; with ten periods, by 1e-4 / duration and 0.01 %.
--   source: Harris, "On the Use of Windows for Harmonic Analysis with the Discrete Fourier Transform", Proc. IEEE 66
--   (1978); Smith and Serra, "PARSHL" (1987), for the parabola

local fm = require "impel.math"

local spectrum = {}

-- Reorder re and im by bit-reversed index.
local function scramble(re, im, n)
  local j = 0
  for i = 0, n - 2 do
    if i < j then
      re[i + 1], re[j + 1], im[i + 1], im[j + 1] = re[j + 1], re[i + 1], im[j + 1], im[i + 1]
    end
    local bit = n >> 1
    while j & bit ~= 0 do j, bit = j ~ bit, bit >> 1 end
    j = j | bit
  end
end

-- Return cos and -sin of 2 pi k / n for k = 0 to n / 2 - 1.
local function twiddles(n)
  local cosines, sines = {}, {}
  for k = 0, n // 2 - 1 do
    local angle = 2.0 * math.pi * k / n
    cosines[k], sines[k] = fm.cos(angle), -fm.sin(angle)
  end
  return cosines, sines
end

--- Compute the discrete Fourier transform X[k] = sum of x[j] exp(-2 pi i j k / n), in place. Raises unless n is a power
--- of two. re, im: real and imaginary parts (n).
function spectrum.fft(re, im)
  local n = #re
  if n == 0 or n & (n - 1) ~= 0 then error(("fft: a power of two expected, got %d elements"):format(n), 2) end
  scramble(re, im, n)
  local cosines, sines = twiddles(n)
  local half = 1
  while half < n do
    local stride = n // (2 * half)
    for k = 0, half - 1 do
      local c, s = cosines[k * stride], sines[k * stride]
      for a = k + 1, n, 2 * half do
        local b = a + half
        local x, y = re[b] * c - im[b] * s, re[b] * s + im[b] * c
        re[b], im[b] = re[a] - x, im[a] - y
        re[a], im[a] = re[a] + x, im[a] + y
      end
    end
    half = 2 * half
  end
end

-- Return the weighted samples without their weighted mean, padded to `size`: real and imaginary parts, and the sum of
-- the weights.
local function weigh(values, size)
  local n, weights, sum, mean = #values, {}, 0.0, 0.0
  for i, x in ipairs(values) do
    weights[i] = 0.5 - 0.5 * fm.cos(2.0 * math.pi * (i - 0.5) / n)
    sum, mean = sum + weights[i], mean + weights[i] * x
  end
  mean = mean / sum
  local re, im = {}, {}
  for i = 1, size do
    re[i], im[i] = i <= n and weights[i] * (values[i] - mean) or 0.0, 0.0
  end
  return re, im, sum
end

--- Compute the amplitudes of sines in a curve of equally spaced samples.
---@param values number[]  at least 4
---@param dt number  time between samples [s]
---@param padding integer  least factor by which zeros lengthen the curve, before rounding up to a power of two
---@return number[] frequencies  [Hz], from 0 to 1 / (2 dt)
---@return number[] amplitudes   of a sine of each frequency
function spectrum.amplitudes(values, dt, padding)
  local size = 1
  while size < #values * padding do size = size * 2 end
  local re, im, sum = weigh(values, size)
  spectrum.fft(re, im)
  local frequencies, amplitudes = {}, {}
  for k = 0, size // 2 do
    frequencies[k + 1] = k / (size * dt)
    amplitudes[k + 1] = 2.0 * math.sqrt(re[k + 1] * re[k + 1] + im[k + 1] * im[k + 1]) / sum
  end
  return frequencies, amplitudes
end

-- Return the top of the parabola through three logarithms: its position relative to `middle`, and its height.
local function parabola(before, middle, after)
  local bend = before - 2.0 * middle + after
  local shift = bend < 0 and 0.5 * (before - after) / bend or 0.0
  return shift, middle - 0.25 * (before - after) * shift
end

--- Find the largest peak between two frequencies.
---@param values number[]  at least 4 equally spaced samples
---@param dt number  [s]
---@param lowest number   [Hz]
---@param highest number  [Hz]
---@return number|nil frequency  [Hz]; nil without a peak in the range
---@return number|nil amplitude
function spectrum.peak(values, dt, lowest, highest)
  local frequencies, a = spectrum.amplitudes(values, dt, 8)
  local best
  for k = 2, #a - 1 do
    local inside = frequencies[k] >= lowest and frequencies[k] <= highest
    if inside and a[k] > a[k - 1] and a[k] >= a[k + 1] and (not best or a[k] > a[best]) then best = k end
  end
  if not best then return nil end
  if a[best - 1] == 0 or a[best + 1] == 0 then return frequencies[best], a[best] end
  local shift, height = parabola(fm.log(a[best - 1]), fm.log(a[best]), fm.log(a[best + 1]))
  return frequencies[best] + shift * frequencies[2], fm.exp(height)
end

return spectrum
