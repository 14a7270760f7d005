-- impel.gains: kp and kd that give a joint a natural frequency and damping ratio.
--
--   local kp, kd = impel.gains.of(elbow, { hertz = 3, damping_ratio = 0.7 })
--   local kp, kd = impel.gains.of(elbow, { hertz = 3, damping_ratio = 0.7, when = "step" })
--   local kp, kd = impel.gains.place { hertz = 3, damping_ratio = 0.7, inertia = 0.5, period = 1 / 60, hold = 0.625 }
--
-- Continuous: kp = I w^2, kd = 2 zeta I w, w = 2 pi f. Force F computed once per interval T and held:
--   v' = v + T F / I,   q' = q + T v + beta T^2 F / I,   F = -(kp q + kd v)
--   z^2 - (2 - T d - beta T^2 p) z + (1 - T d + (1 - beta) T^2 p) = 0,   p = kp / I, d = kd / I
-- Poles z = exp(T (-zeta w +- i w sqrt(1 - zeta^2))):
--   T^2 p = 1 + det - trace,   T d = 2 - trace - beta T^2 p,   det = z1 z2, trace = z1 + z2
--   beta = (n + 1) / (2 n) with n substeps of symplectic Euler; 1/2 for the solvers "reduced" and "rattle"
--   source: Astrom and Wittenmark, "Computer-Controlled Systems" (3rd ed. 1997), chapters 2 and 5

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local math = require "impel.math"
local reflected_inertia = require "impel.reflected_inertia"

local gains = {}

local EXACT = { reduced = true, rattle = true }

--- Return the options of all laws with a target (impel.pd, impel.pid, impel.stable_pd), for arguments.read. own: fields
--- of one law, which are added or replace common fields.
function gains.fields(own)
  own = own == nil and {} or arguments.check("gains.fields: argument 'own'", own, { "table" })
  local fields = {
    kp = { "number", min = 0, optional = true, filled = true, unit = "N/m or N m/rad" },
    kd = { "number", min = 0, optional = true, filled = true, unit = "N s/m or N m s/rad" },
    hertz = { "number", above = 0, optional = true, unit = "Hz" },
    damping_ratio = { "number", min = 0, optional = true, unit = "1" },
    target = { "number", default = 0, unit = "m or rad" },
    target_speed = { "number", default = 0, unit = "m/s or rad/s" },
    feed_forward = { "any", default = 0 },
    max_force = { "number", min = 0, default = math.huge, infinite = true, unit = "N or N m" },
    wrap = { "boolean", default = false },
    when = control.WHEN,
    enabled = control.ENABLED,
  }
  for name, field in next, own do fields[name] = field end
  return fields
end

--- Return the period and the factor `hold` of a handler's force.
---@param when string      "substep" or "step"
---@return number period   between two updates [s]
---@return number hold    1/2 for the solvers "reduced" and "rattle", otherwise (n + 1) / (2 n); n: substeps per period
function gains.sampling(world, when)
  local substeps = world.substeps
  local period = when == "step" and world.dt or world.dt / substeps
  local n = when == "step" and substeps or 1
  return period, EXACT[world.solver] and 0.5 or (n + 1) / (2 * n)
end

--- Return the kind of handler in which a controller runs: "substep", "step" or "never". `sampled` is set if the handler
--- of another object updates the controller.
function gains.when_of(controller) return controller.sampled or controller.when end

--- Compute gains that place the poles of the sampled law.
---@param options table  hertz [Hz]; damping_ratio: default 1; inertia [kg or kg m^2]; period [s], 0 for the continuous
---  law; hold: beta, default 1
---@return number kp     [N/m or N m/rad]
---@return number kd     [N s/m or N m s/rad]
function gains.place(options)
  local o = arguments.read("gains.place", options, {
    hertz = { "number", above = 0, unit = "Hz" },
    damping_ratio = { "number", min = 0, default = 1 },
    inertia = { "number", above = 0, unit = "kg or kg m^2" },
    period = { "number", min = 0, default = 0, unit = "s" },
    hold = { "number", min = 0.5, max = 1, default = 1 },
  })
  local zeta, w, t = o.damping_ratio, 2 * math.pi * o.hertz, o.period
  if t == 0 then return o.inertia * w * w, 2 * zeta * o.inertia * w end
  local decay, turn = math.exp(-zeta * w * t), math.sqrt(math.abs(1 - zeta * zeta)) * w * t
  -- 2 decay cosh(turn) above critical damping, as a sum because cosh could overflow
  local trace = zeta <= 1 and 2 * decay * math.cos(turn)
    or math.exp(turn - zeta * w * t) + math.exp(-turn - zeta * w * t)
  local p = 1 + decay * decay - trace
  local d = 2 - trace - o.hold * p
  return o.inertia * p / (t * t), o.inertia * d / t
end

--- Compute the gains of a joint at its present pose, from its reflected inertia.
---@param joint impel.joint|impel.coordinate
---@param options table
---  hertz [Hz]
---  damping_ratio: default 1
---  when: handler that updates the law, "substep" (default) or "step"; "continuous": the solver integrates the law
---  neighbours: "free" (default) or "held", see impel.reflected_inertia
---  inertia: instead of the reflected inertia [kg or kg m^2]
---@return number kp  [N/m or N m/rad]
---@return number kd  [N s/m or N m s/rad]
---@return number inertia  [kg or kg m^2]
function gains.of(joint, options)
  local coordinate = control.coordinate("gains.of", joint)
  local o = arguments.read("gains.of", options, {
    hertz = { "number", above = 0, unit = "Hz" },
    damping_ratio = { "number", min = 0, default = 1 },
    when = { "choice", "substep", "step", "continuous", default = "substep" },
    neighbours = { "choice", "free", "held", default = "free" },
    inertia = { "number", above = 0, optional = true, unit = "kg or kg m^2" },
  })
  local inertia = o.inertia or reflected_inertia.of(coordinate, { neighbours = o.neighbours })
  if inertia == math.huge then
    arguments.fail("gains.of: %s cannot move: its reflected inertia is infinite", tostring(coordinate))
  end
  local period, hold
  if o.when ~= "continuous" then period, hold = gains.sampling(coordinate.world, o.when) end
  local kp, kd = gains.place { hertz = o.hertz, damping_ratio = o.damping_ratio, inertia = inertia, period = period,
                               hold = hold }
  return kp, kd, inertia
end

--- In the options o, replace hertz and damping_ratio, if given, by kp and kd; kd defaults to 0. what: prefix of
--- messages; when: "continuous" for a law that the solver integrates.
function gains.fill(what, o, coordinate, when)
  if o.hertz and (o.kp or o.kd) then
    arguments.fail("%s takes kp and kd, or hertz and damping_ratio, not both", what)
  end
  if o.damping_ratio and not o.hertz then arguments.fail("%s: field 'damping_ratio' needs the field 'hertz'", what) end
  if o.hertz then
    when = when or o.when == "step" and "step" or "substep"
    o.kp, o.kd = gains.of(coordinate, { hertz = o.hertz, damping_ratio = o.damping_ratio, when = when })
    o.hertz, o.damping_ratio = nil, nil
  elseif not o.kp then
    arguments.fail("%s needs the field 'kp' [N/m or N m/rad] (with kd), or 'hertz' (with damping_ratio)", what)
  end
  o.kd = o.kd or 0
end

--- Raise if a feed-forward is neither a finite number nor a function.
function gains.check_feed_forward(what, value)
  if type(value) == "function" then return end
  arguments.number(what .. ": field 'feed_forward'", value)
end

return gains
