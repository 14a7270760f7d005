-- impel.stability.radius: the spectral radius of an update by several controllers.
--
-- An update multiplies the state (q, T v) by a matrix A. W: mobility, see reflected_inertia.lua; T, beta: see
-- gains.lua.
--   v' = v - T W (kp q + kd v),   q' = q + T v - beta T^2 W (kp q + kd v)
-- The largest modulus of the eigenvalues of A is lim |A^m|^(1/m).
--   source: Gelfand's formula

local arguments = require "impel.base.arguments"
local gains = require "impel.gains"
local math = require "impel.math"
local reflected_inertia = require "impel.reflected_inertia"

local GAIN = { "number", min = 0 }
local when_of = gains.when_of

-- Return the product of two square matrices, and its largest absolute entry.
local function multiply(a, b)
  local n, out, largest = #a, {}, 0
  for i = 1, n do
    local row = {}
    for c = 1, n do
      local sum = 0
      for k = 1, n do sum = sum + a[i][k] * b[k][c] end
      row[c] = sum
      largest = math.max(largest, math.abs(sum))
    end
    out[i] = row
  end
  return out, largest
end

-- Check one of several controllers, and return its coordinate.
local function check_controller(i, one, first)
  if type(one) ~= "table" or not arguments.fits(one.kp, GAIN) or not arguments.fits(one.kd, GAIN) then
    arguments.fail("stability.radius: controller %d must be a controller with kp and kd, got %s", i, arguments.got(one))
  elseif one.implicit then
    arguments.fail("stability.radius: controller %d, %s, is implicit, so it is stable at any gain", i, tostring(one))
  elseif one.world ~= first.world then
    arguments.fail("stability.radius: controller %d is in another world than the first", i)
  elseif when_of(one) ~= when_of(first) then
    arguments.fail('stability.radius: controller %d runs in a "%s" handler, the first in a "%s" one', i, when_of(one),
      when_of(first))
  end
  return one.coordinate
end

-- The function stability.radius.
return function(controllers)
  local list, n = {}, #arguments.list("stability.radius: argument 'controllers'", controllers)
  if n == 0 then arguments.fail "stability.radius: a list of controllers is needed, got an empty one" end
  for i, controller in ipairs(controllers) do list[i] = check_controller(i, controller, controllers[1]) end
  local period, hold = gains.sampling(controllers[1].world, when_of(controllers[1]))
  local w, a = reflected_inertia.mobility(list), {}
  for i = 1, n do -- with T v instead of v, the entries of x = (q, T v) have similar magnitudes
    a[i], a[n + i] = {}, {}
    for c = 1, n do
      local p, d = period * period * w[i][c] * controllers[c].kp, period * w[i][c] * controllers[c].kd
      local one = i == c and 1 or 0
      a[i][c], a[i][n + c] = one - hold * p, one - hold * d
      a[n + i][c], a[n + i][n + c] = -p, one - d
    end
  end
  -- rho = lim |A^m|^(1/m), with m = 2^20 by squaring; the powers are scaled to avoid overflow
  local log_size, m = 0, 1
  for _ = 1, 20 do
    local square, largest = multiply(a, a)
    a = square
    m, log_size = 2 * m, 2 * log_size
    if largest == 0 then return 0 end
    for i = 1, 2 * n do
      for c = 1, 2 * n do a[i][c] = a[i][c] / largest end
    end
    log_size = log_size + math.log(largest)
  end
  return math.exp(log_size / m)
end
