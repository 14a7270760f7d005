-- impel.law: a force on a joint's coordinate as a function of value, speed and time, integrated implicitly.
--
--   local bumper = impel.law(slider, { force = function(q) return -2e4 * q ^ 3 end })
--   local drag = impel.law(hinge, {
--     force = function(q, speed) return -5 * impel.math.tanh(speed / 1e-3) end,
--     derivatives = function(q, speed) return 0, -5 / 1e-3 / impel.math.cosh(speed / 1e-3) ^ 2 end,
--   })
--   bumper.force, bumper.kp, bumper.kd         the present force, -df/dq and -df/dspeed
--
--   F = f + df/dq (q' - q) + df/dspeed (v' - v),   |F| <= max_force      q', v': after the substep
--
-- The solvers `direct`, `reduced` and `rattle` are always stable, `soft` and `si` if their sweeps converge. A positive
-- derivative is replaced by 0.
--   source: Hairer, Wanner, "Solving Ordinary Differential Equations II" (1996), IV.7
--
-- Without `derivatives` central differences are used.
--
-- Handlers run in the order in which they were registered. A value that a later handler sets acts one substep later.

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local linear_force = require "impel.control.linear_force"
local stability = require "impel.stability"

local law = control.class "impel.law"

local huge, type = math.huge, type
local held = linear_force.held
local STEP = 6e-6 -- step of the central differences: about the cube root of the rounding error of a double

local OPTIONS = {
  force = { "function" },
  derivatives = { "function", optional = true },
  implicit = { "boolean", default = true, fixed = true },
  max_force = { "number", min = 0, default = huge, infinite = true, unit = "N or N m" },
  when = control.WHEN,
  enabled = control.ENABLED,
}
local FIELDS = {}
for name, field in next, OPTIONS do FIELDS[name] = field end
-- The field `force` is the present force, a number. The field `law_force` is the user's function.
FIELDS.force, FIELDS.law_force = nil, OPTIONS.force
law.fields = FIELDS
law.kept = { "kp", "kd", "spring", "judged" }

--- Make a force on a coordinate, or on a joint's own coordinate.
---@param options table
---  force: function(value, speed, time, law) -> force [N or N m]
---  derivatives: function(value, speed, time, law) -> df/dvalue, df/dspeed; default: central differences
---  implicit: default true; false: f is constant between updates, stable only for -df/dvalue < impel.stability.bound
---  max_force [N or N m]
---  when: "substep", "step", or "never": the owner calls update(h)
---  enabled
---@return table law  fields to set: max_force, derivatives, enabled, law_force (the function); fields to read, as last
---  computed: force [N or N m], limited by max_force; kp = -df/dvalue >= 0, kd = -df/dspeed >= 0
function law.new(joint, options)
  local coordinate = control.coordinate("impel.law", joint)
  local o = arguments.read("impel.law", options, OPTIONS)
  o.law_force, o.force = o.force, nil
  local self = control.new(law, coordinate, o)
  self.kp, self.kd = 0, 0
  self.spring = {} -- scratch: argument of set_spring
  return control.start(self)
end

-- Raise for an invalid result of a function of the user.
local function refuse(f, what, got)
  arguments.fail_of(f, "impel.law: its %s, got %s", what, arguments.got(got))
end

-- Return the force at a value and speed.
local function force_at(self, q, v, t)
  local f = self.law_force(q, v, t, self)
  if not arguments.is_finite(f) then
    refuse(self.law_force, "force must give a finite number [N or N m]", f)
  end
  return f
end

-- Return df/dq and df/dv.
local function slopes_at(self, q, v, t)
  local derivatives = self.derivatives
  if derivatives then
    local by_q, by_v = derivatives(q, v, t, self)
    if not arguments.is_finite(by_q) or not arguments.is_finite(by_v) then
      refuse(derivatives, "derivatives must give two finite numbers", arguments.is_finite(by_q) and by_v or by_q)
    end
    return by_q, by_v
  end
  local dq, dv = STEP * (1 + (q < 0 and -q or q)), STEP * (1 + (v < 0 and -v or v))
  return (force_at(self, q + dq, v, t) - force_at(self, q - dq, v, t)) / (2 * dq),
    (force_at(self, q, v + dv, t) - force_at(self, q, v - dv, t)) / (2 * dv)
end

--- Compute and return kp = -df/dvalue and kd = -df/dspeed at the present value and speed; a negative one is replaced by
--- 0.
function law:linearise()
  local q, v = self.read(self.coordinate)
  local by_q, by_v = slopes_at(self, q, v, self.world.time)
  self.kp, self.kd = held(by_q), held(by_v)
  return self.kp, self.kd
end

--- Become passive: remove the spring and the force.
function law:rest()
  if self.implicit then self.coordinate:set_spring() end
  control.release(self)
end

-- Set the spring and the force drive. h: time until the next update [s].
function law:apply(h)
  local coordinate, most = self.coordinate, self.max_force
  if type(most) ~= "number" or most ~= most or most < 0 then control.check(self) end
  local q, v = self.read(coordinate)
  local t = self.world.time
  local f = force_at(self, q, v, t)
  self.force = f < -most and -most or f > most and most or f
  if not self.implicit then
    -- Check the stability at the first update, because the bound depends on the slopes at the present state.
    if not self.judged then
      self.judged = true
      self:linearise()
      stability.judge(self, h)
    end
    return self.write(coordinate, self.force)
  end
  local by_q, by_v = slopes_at(self, q, v, t)
  local k, c = held(by_q), held(by_v)
  self.kp, self.kd = k, c
  linear_force.set(coordinate, self.spring, h, f, q, v, k, c, -most, most)
end

return law
