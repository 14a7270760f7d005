-- A force that is linear in a coordinate's value and speed, as drives that the solver integrates implicitly:
--
--   linear_force.set(coordinate, spring, h, f, q, v, k, c, lower, upper)
--
--   F = f - k (q' - q) - c (v' - v),   lower <= F <= upper      q', v': after the substep; q, v: now, where F = f
--
-- Any law F(q, v) is of this form to first order, with k = -dF/dq and c = -dF/dv: linearly implicit Euler. The spring
-- has the two slopes, and its target (or the rate of its damper, where k is next to nothing) is where F is 0: so its
-- max_force cuts the force of the end of the substep.
--   source: Hairer, Wanner, "Solving Ordinary Differential Equations II" (2nd ed. 1996), IV.7: Rosenbrock methods;
--   MuJoCo's implicit integrators do the same with the derivatives of actuator forces by velocity

local linear_force = {}

local huge = math.huge
local MOST = 1e12 -- slope that a spring may have
local FAR = 1e6   -- a slope is left away where the force is not 0 within this distance [m or rad], this rate
local SLIGHT = 1e-6 -- h k / c: below it k changes nothing that a solver's floats could tell

--- The part of a slope that the solver integrates implicitly: 0 where the law is unstable by itself.
---@param slope number  dF/dq or dF/dv
---@return number       k or c
function linear_force.held(slope)
  local k = -slope
  return k > 0 and (k < MOST and k or MOST) or 0
end

--- Set the spring and the force drive of a coordinate; makes no garbage.
---@param coordinate impel.coordinate
---@param spring table   handed to set_spring again and again
---@param h number       substep [s]
---@param f number       force now [N or N m]
---@param q number
---@param v number
---@param k number       >= 0
---@param c number       >= 0
---@param lower number   -upper, or both are finite
---@param upper number
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
