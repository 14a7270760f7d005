-- impel.stability: compute the largest stable gain of an explicit law, and warn if the gain is near this bound.
--
--   impel.stability.bound { inertia = 1, kd = 10, period = 1 / 60 }             13200 N m/rad
--   impel.stability.bound { inertia = 1, kd = 10, period = 1 / 60, substeps = 4 }   1600
--   impel.stability.of(pd)                       kp / bound, and the bound
--   impel.stability.of(stable_pd)                0, infinite, inertia, "implicit: stable at any gain; ..."
--   impel.stability.radius { hip, knee }         of controllers that act together: above 1 they are unstable
--   impel.stability.on_warning = function(text, controller) ... end
--
-- Inertia I, period T of n substeps. By Jury's test, both poles (see gains.lua) are inside the unit circle when
--   (1 - beta) T p < d,   2 T d + (2 beta - 1) T^2 p < 4,   p = kp / I, d = kd / I, beta = (n + 1) / (2 n)
--   source: Jury, "Theory and Application of the z-Transform Method" (1964)
--
-- A pd warns when kp reaches 0.95 of the bound.
--
-- An implicit law (impel.stable_pd, impel.law, impel.muscle with implicit = true) has no bound.

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local gains = require "impel.gains"
local math = require "impel.math"
local radius = require "impel.control.stability_radius"
local reflected_inertia = require "impel.reflected_inertia"

local stability = {}

local NEAR = 0.95 -- fraction of the bound from which a warning is given
local GAIN = { "number", min = 0 }
local MORE = 1.25 -- factor by which a gain or the time between updates must rise before the inertia is measured again

--- Report a warning. A program may replace this function.
---@param text string
---@param controller table
function stability.on_warning(text, controller) -- luacheck: ignore controller
  local out = io and io.stderr
  if out then out:write("warning: ", text, "\n") else print("warning: " .. text) end
end

local function bound(inertia, kd, period, hold)
  local d, most = kd / inertia, math.huge
  if 2 * period * d >= 4 then return 0 end
  if hold < 1 then most = d / ((1 - hold) * period) end
  if hold > 0.5 then most = math.min(most, (4 - 2 * period * d) / ((2 * hold - 1) * period * period)) end
  return most * inertia
end

--- Return the largest stable kp.
---@param options table
---  inertia [kg or kg m^2]
---  kd [N s/m or N m s/rad]
---  period between two updates [s]
---  substeps: number of substeps for which the force is held, default 1
---@return number kp     [N/m or N m/rad]; 0 if kd alone is unstable
function stability.bound(options)
  local o = arguments.read("stability.bound", options, {
    inertia = { "number", above = 0, unit = "kg or kg m^2" },
    kd = { "number", min = 0, unit = "N s/m or N m s/rad" },
    period = { "number", above = 0, unit = "s" },
    substeps = { "integer", min = 1, default = 1 },
  })
  return bound(o.inertia, o.kd, o.period, (o.substeps + 1) / (2 * o.substeps))
end

local when_of = gains.when_of

-- Return kp / bound and the bound of a controller, for a given inertia.
local function part_of(controller, inertia)
  if inertia == math.huge then return 0, math.huge end
  local period, hold = gains.sampling(controller.world, when_of(controller))
  local most = bound(inertia, controller.kd, period, hold)
  local part = controller.kp / most
  return part == part and part or most > 0 and 0 or math.huge, most, period, hold
end

local function check_controller(what, controller)
  local known = type(controller) == "table" and controller.kp and controller.kd and controller.coordinate
  if not known then
    arguments.fail("%s: argument 'controller' must be a controller with kp, kd and coordinate, got %s", what,
      arguments.got(controller))
  end
end

-- Largest w h (frequency [rad/s] times substep) of a spring that the solvers do not damp, see IMPI_SLOW_SPRING
local SLOW = 0.5

-- Return the rates |s| [1/s] of the roots of s^2 + (kd / I) s + kp / I, the slower first.
local function rates(kp, kd, inertia)
  local w_sq, d = kp / inertia, kd / inertia
  if w_sq == 0 then return d, d end
  if d * d <= 4 * w_sq then return math.sqrt(w_sq), math.sqrt(w_sq) end
  local fast = (d + math.sqrt(d * d - 4 * w_sq)) / 2
  return w_sq / fast, fast
end

-- Return the accuracy of an implicit law as a text.
local function limit_of(controller, inertia)
  local h = controller.world.dt / controller.world.substeps
  local turn = math.sqrt(controller.kp / inertia) * h
  local slow, fast = rates(controller.kp, controller.kd, inertia)
  local now = "the motion is damped within substeps, only the final position is correct"
  if fast * h < SLOW then
    now = "the motion is accurate"
  elseif slow * h < SLOW then
    now = ("the slow motion (time constant %.3g s) is accurate, the fast motion (%.3g s) is damped within substeps")
      :format(1 / slow, 1 / fast)
  end
  return ("implicit: stable at any gain; with the frequency w and the substep h, w h = %.3g (h = %.3g ms): %s; a "
    .. "positive derivative of the force is set to 0, because it would destabilise; max_force and the world's time are "
    .. "read at the start of the substep"):format(turn, 1000 * h, now)
end

--- Return the ratio of a controller's kp to its bound, with the present inertia.
---@param controller table
---@return number part  kp / bound, infinite if no kp is stable; 0 for an implicit law
---@return number most  the bound; infinite for an implicit law
---@return number inertia  [kg or kg m^2]
---@return string|nil limit  text about the accuracy of an implicit law
function stability.of(controller)
  check_controller("impel.stability.of", controller)
  local inertia = reflected_inertia.of(controller.coordinate)
  if controller.linearise then controller:linearise() end
  if controller.implicit then return 0, math.huge, inertia, limit_of(controller, inertia) end
  local part, most = part_of(controller, inertia)
  return part, most, inertia
end

-- Return the inertia for a check. Measure the inertia at the first check, and again when kp, kd or h exceeds MORE times
-- its largest value at all earlier measurements.
local function checked_inertia(self, h)
  local kp, kd = self.kp, self.kd
  if not self.checked_inertia or kp > MORE * self.checked_most_kp or kd > MORE * self.checked_most_kd
      or h > MORE * self.checked_most_h then
    self.checked_inertia = reflected_inertia.of(self.coordinate)
    self.checked_most_kp = math.max(kp, self.checked_most_kp or 0)
    self.checked_most_kd = math.max(kd, self.checked_most_kd or 0)
    self.checked_most_h = math.max(h, self.checked_most_h or 0)
  end
  return self.checked_inertia
end

--- Warn if a controller's kp is near its bound. To be called when its gains or h change.
---@param controller table  with kp, kd, coordinate, when
---@param h number  period of its updates [s]
function stability.judge(controller, h)
  check_controller("impel.stability.judge", controller)
  if controller.implicit then return end
  local kp, kd = controller.kp, controller.kd
  if not (arguments.fits(kp, GAIN) and arguments.fits(kd, GAIN)) then control.check(controller) end
  if when_of(controller) == "never" then return end
  local inertia = checked_inertia(controller, h)
  local part, most, period, hold = part_of(controller, inertia)
  -- Warn again only if updates are less frequent, or forces are held longer, than at the last warning.
  if part < NEAR or (controller.warned and period <= controller.warned_period and hold >= controller.warned_hold) then
    return
  end
  controller.warned, controller.warned_period, controller.warned_hold = true, period, hold
  local what = most == 0 and "kd exceeds the stability limit of an explicit controller, for any kp"
    or ("kp is %.3g times %.4g, the stability limit of an explicit controller"):format(part, most)
  local held = hold < 1 and period >= controller.world.dt
  local tell = controller.on_warning or stability.on_warning
  tell(("%s: %s: kp = %g and kd = %g act on an inertia of %.3g, and the force is set every %.3g ms: lower the gain%s, "
    .. "or use %s"):format(tostring(controller), what, controller.kp, controller.kd, inertia, 1000 * h,
    held and ', run it in a "substep" handler' or "", controller.linearise and "implicit = true"
      or "impel.stable_pd"), controller)
end

--- Return a handler that calls a controller's handler and, in a "step" handler, checks the controller when the number
--- of substeps changes.
---@param controller table
---@param handler fun(h: number)
---@return fun(h: number)
function stability.watch(controller, handler)
  check_controller("impel.stability.watch", controller)
  if controller.when ~= "step" then return handler end
  local world = controller.world
  local substeps = world.substeps
  return function(h)
    if world.substeps ~= substeps and controller.acting then
      substeps = world.substeps
      stability.judge(controller, h)
    end
    return handler(h)
  end
end

--- Return the spectral radius of controllers that all run in the same kind of handler: the largest factor by which a
--- mode grows per update. The motion is linearised at the present pose. Other forces are ignored.
---@param controllers table[]  with kp, kd, coordinate
---@return number radius       above 1: unstable
function stability.radius(controllers) return radius(controllers) end

return stability
