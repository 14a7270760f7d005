-- Apply a force linear in value and speed of a coordinate, integrated implicitly:
--
--   linear_force.set(coordinate, spring, h, f, q, v, k, c, lower, upper)
--
--   F = f - k (q' - q) - c (v' - v),   lower <= F <= upper      q', v': after the substep; q, v: now, when F = f
--
-- A law F(q, v) has k = -dF/dq and c = -dF/dv (linearly implicit Euler). The force drive exerts the middle of the
-- bounds, M = (lower + upper) / 2; the spring exerts F - M with stiffness k, damping c and max_force (upper - lower) /
-- 2.
--   source: Hairer, Wanner, "Solving Ordinary Differential Equations II" (2nd ed. 1996), IV.7: Rosenbrock methods

local linear_force = {}

local huge = math.huge
local MOST = 1e12 -- largest slope of the spring: stiffness [N/m or N m/rad] or damping [N s/m or N m s/rad]
-- k is ignored if the spring's target would be farther than FAR from the present value [m or rad]. c is ignored if the
-- spring's target speed would be farther than FAR from the present speed [m/s or rad/s].
local FAR = 1e6
local SLIGHT = 1e-6 -- if h k / c is smaller, k has no effect in floating point

--- Return k or c for a slope dF/dq or dF/dv; 0 for a slope > 0, which destabilises.
function linear_force.held(slope)
  local k = -slope
  return k > 0 and (k < MOST and k or MOST) or 0
end

--- Set the spring and the force drive of a coordinate. Allocates no memory.
---@param spring table   scratch, reused in all calls
---@param h number       substep [s]
---@param f number       force now [N or N m]
---@param q number       value now [m or rad]
---@param v number       speed now [m/s or rad/s]
---@param k number       -dF/dq, >= 0
---@param c number       -dF/dv, >= 0
---@param lower number   least force [N or N m]; it must be -upper if `lower` or `upper` is infinite
---@param upper number   greatest force [N or N m]
function linear_force.set(coordinate, spring, h, f, q, v, k, c, lower, upper)
  local middle, most = 0, upper
  if lower ~= -upper then middle, most = 0.5 * (lower + upper), 0.5 * (upper - lower) end
  local rest = f - middle
  local whole = rest + c * v
  local stiff = h * k > SLIGHT * c and whole <= FAR * k and whole >= -FAR * k
  if stiff then
    spring.stiffness, spring.damping, spring.target, spring.target_speed = k, c, q + whole / k, 0
  elseif c > 0 and rest <= FAR * c and rest >= -FAR * c then
    spring.stiffness, spring.damping, spring.target, spring.target_speed = 0, c, q, v + rest / c
  else
    spring.stiffness, spring.damping, spring.target, spring.target_speed = 0, 0, q, 0
    middle, most = f < lower and lower or f > upper and upper or f, huge
  end
  spring.max_force = most
  coordinate:set_spring(spring)
  coordinate:set_force(middle)
end

return linear_force
