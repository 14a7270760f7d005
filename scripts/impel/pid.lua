-- impel.pid: PD with an integral term.
--
--   local pid = impel.pid(elbow, { kp = 120, ki = 200, kd = 8, target = 0.5, max_force = 40 })
--   local pid = impel.pid(cart, { kp = 60, ki = 20, kd = 30, measure = function() return x, vx end })
--
--   force = kp e + I + D + feed_forward,  |force| <= max_force;   e = target - q
--   I' = ki e                                            [N or N m]
--   D = -kd q' (derivative = "measurement") or kd (target_speed - q') (derivative = "error")
--   filter: time constant of a low pass for q'
-- Anti-windup if the force exceeds max_force:
--   "back_calculation"  I' = ki e + (force - wanted) / tracking_time;  wanted: unlimited force
--   "clamp"             I' = 0 if e has the sign of the limit that the force exceeds
--   "none"              the integral winds up
--   source: Astrom and Hagglund, "PID Controllers: Theory, Design, and Tuning" (2nd ed. 1995), sections 3.4 and 3.5
--
-- The controller is unstable if ki >= kp kd / inertia (Routh).

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local gains = require "impel.gains"
local math = require "impel.math"
local stability = require "impel.stability"

local pid = control.class("impel.pid", { "integral", "filtered" },
  { integral = "number", filtered = "number|nil" })

local huge, pi, type, exp = math.huge, math.pi, type, math.exp
local feed, cut = control.feed, control.cut

local FIELDS = gains.fields {
  ki = { "number", min = 0, default = 0, unit = "N/(m s) or N m/(rad s)" },
  max_integral = { "number", min = 0, default = huge, infinite = true, unit = "N or N m" },
  anti_windup = { "choice", "back_calculation", "clamp", "none", default = "back_calculation" },
  tracking_time = { "number", above = 0, optional = true, unit = "s" },
  derivative = { "choice", "measurement", "error", default = "measurement" },
  filter = { "number", min = 0, default = 0, unit = "s" },
  measure = { "function", optional = true, fixed = true },
}
pid.fields = FIELDS
local PARTS = { "kp", "ki", "kd", "target", "target_speed", "feed_forward", "integral" }
pid.kept = { "decay_of", "decay_h", "decay", "back_of", "back_h", "back" }

--- Make a PID controller of a coordinate or joint.
---@param joint impel.joint|impel.coordinate
---@param options table
---  kp and kd, or hertz and damping_ratio
---  ki
---  target
---  target_speed
---  feed_forward: a number or function(target, time)
---  max_force, max_integral [N or N m]
---  anti_windup: "back_calculation" (default), "clamp" or "none"
---  tracking_time [s]: kp / ki by default
---  derivative: "measurement" (default) or "error"
---  filter: time constant [s]
---  wrap: whether the error of an angle is taken within half a turn
---  measure: function() -> value, speed; the controlled quantity, if it is not the coordinate that the force drives
---  when
---  enabled
---@return table pid      the options except `when` and `measure` may change; `force`, `integral` [N or N m]
function pid.new(joint, options)
  local coordinate = control.coordinate("impel.pid", joint)
  local o = arguments.read("impel.pid", options, FIELDS)
  gains.fill("impel.pid", o, coordinate)
  gains.check_feed_forward("impel.pid", o.feed_forward)
  local self = control.new(pid, coordinate, o)
  self.integral = 0
  self.read = o.measure or self.read
  -- no stability check, because it is unknown how the force acts on the measured quantity
  if o.measure then self.sampled = "never" end
  return control.start(self)
end

--- Become passive: zero force and integral.
function pid:rest()
  self.integral, self.filtered = 0, nil
  control.release(self)
end

-- Return the filtered speed. The filter begins with the present speed.
local function filtered_speed(self, speed, h)
  local filter = self.filter
  if self.decay_of ~= filter or self.decay_h ~= h then
    self.decay_of, self.decay_h, self.decay = filter, h, 1 - exp(-h / filter)
  end
  local before = self.filtered or speed
  self.filtered = before + self.decay * (speed - before)
  return self.filtered
end

-- Return the rate of the integral after anti-windup. `rate`: ki e; `wanted`: the force before it is limited.
local function anti_windup(self, rate, wanted, force, h)
  local ki = self.ki
  if ki == 0 then
    return rate -- if ki is 0, the integral does not wind up
  elseif self.anti_windup == "back_calculation" then
    local time = rawget(self, "tracking_time") or self.kp > 0 and self.kp / ki or 1
    if self.back_of ~= time or self.back_h ~= h then
      self.back_of, self.back_h, self.back = time, h, (1 - exp(-h / time)) / h
    end
    return self.back * (time * rate + force - wanted)
  elseif self.anti_windup == "clamp" and rate * (wanted - force) > 0 then
    return 0
  end
  return rate
end

-- Raise if the user's function `measure` did not return two numbers.
local function check_measure(self, value, speed)
  if type(value) == "number" and type(speed) == "number" and value == value and speed == speed then return end
  arguments.fail_of(self.read, "%s: measure must return two numbers, value and speed, got %s and %s", tostring(self),
    arguments.got(value), arguments.got(speed))
end

-- Return the handler function(h), which reads the value and speed and applies the force. h: time for which the force
-- acts [s].
function pid:law()
  local coordinate, read, write, valid = self.coordinate, self.read, self.write, self.valid
  local checked_kp, checked_kd, seen, seen_most
  return stability.watch(self, function(h)
    if not (self.acting and self.enabled and valid(coordinate)) and not control.ready(self) then return end
    local kp, kd, target, integral = self.kp, self.kd, self.target, self.integral
    -- checked_h is a field, because world:restore restores fields and not upvalues
    if kp ~= checked_kp or kd ~= checked_kd or h ~= self.checked_h then
      stability.judge(self, h)
      checked_kp, checked_kd, self.checked_h = kp, kd, h
    end
    local value, speed = read(coordinate)
    if self.sampled == "never" then check_measure(self, value, speed) end
    local most, more = self.max_force, self.feed_forward
    if target ~= seen or most ~= seen_most then
      if type(target) ~= "number" or type(most) ~= "number" then control.check(self) end
      seen, seen_most = target, most
    end
    local apart = target - value
    if self.wrap then apart = (apart + pi) % (2 * pi) - pi end
    if self.filter ~= 0 then speed = filtered_speed(self, speed, h) end
    if self.derivative == "error" then speed = speed - self.target_speed end
    local wanted = kp * apart + integral - kd * speed
    if more ~= 0 then wanted = wanted + feed(self, more, target) end
    local force = wanted
    if not (force <= most and force >= -most) then force = cut(self, force, most, PARTS) end
    local rate = self.ki * apart
    if force ~= wanted then rate = anti_windup(self, rate, wanted, force, h) end
    integral, most = integral + h * rate, self.max_integral
    if integral > most then integral = most elseif integral < -most then integral = -most end
    self.integral, self.force = integral, force
    return write(coordinate, force)
  end)
end

return pid
