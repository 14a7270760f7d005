-- impel.muscle: a Hill-type muscle along a path of points on bodies.
--
--   local biceps = impel.muscle({ { upper, 0, 0.25 }, { forearm, 0.05, 0 } }, { max_force = 800,
--     optimal_length = 0.3 })
--   biceps.excitation = 0.6
--   biceps.force, biceps.length, biceps.activation
--
--   F = max_force (a fl(l) fv(v) + fp(l)),   l = (path - tendon) / optimal_length,   v = l' / max_speed
--   fl = exp(-(l - 1)^2 / width)                                       force-length, width 0.45
--   fv = (1 + v) / (1 - v / k), -1 <= v <= 0; 0 below                  Hill's hyperbola, k = 0.25: shortening
--   fv = 1 + (e - 1) v / (v + (e - 1) / (1 + 1 / k)), v > 0            lengthening, up to e = 1.5; same slope at v = 0
--   fp = (exp(kp (l - 1) / e0) - 1) / (exp(kp) - 1), l > 1             passive: kp 5, max_force at a strain of e0 = 0.6
--   a' = (excitation - a) / tau,  tau_act while a rises (10 ms), tau_deact while a falls (40 ms)
--   source: Hill, "The Heat of Shortening and the Dynamic Constants of Muscle" (1938); Thelen, "Adjustment of Muscle
--   Mechanics Model Parameters to Simulate Dynamic Contractions in Older Adults" (2003); Zajac, "Muscle and Tendon"
--   (1989)
--
-- The path is a polyline. A segment between two bodies is a distance joint.

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local linear_force = require "impel.control.linear_force"
local math = require "impel.math"
local muscle_path = require "impel.control.muscle_path"

local muscle = control.class("impel.muscle", { "activation" }, { activation = "number" })

local exp = math.exp
local STEP = 6e-6 -- step of the central differences: about the cube root of the rounding error of a double

local FIELDS = {
  max_force = { "number", min = 0, unit = "N" },
  optimal_length = { "number", above = 0, optional = true, unit = "m" },
  tendon = { "number", min = 0, default = 0, unit = "m" },
  max_speed = { "number", above = 0, default = 10, unit = "optimal lengths/s" },
  curvature = { "number", above = 0, default = 0.25, unit = "1" },
  eccentric = { "number", min = 1, default = 1.5, unit = "1" },
  width = { "number", above = 0, default = 0.45, unit = "1" },
  passive_strain = { "number", above = 0, default = 0.6, unit = "1" },
  passive_shape = { "number", above = 0, default = 5, unit = "1" },
  passive = { "boolean", default = true },
  tau_act = { "number", min = 0, default = 0.01, unit = "s" },
  tau_deact = { "number", min = 0, default = 0.04, unit = "s" },
  excitation = { "number", min = 0, max = 1, default = 0, unit = "1" },
  activation = { "number", min = 0, max = 1, optional = true, unit = "1" },
  implicit = { "boolean", default = false, fixed = true },
  name = { "string", optional = true },
  when = control.WHEN,
  enabled = control.ENABLED,
}
muscle.fields = FIELDS
muscle.kept = { "decay_of", "decay_h", "decay", "kp", "kd", "spring" }

--- Make a muscle along a path.
---@param path table     { { body, x, y }, ... } from origin to insertion, in the coordinates of each body [m]
---@param options table
---  max_force: largest isometric force, at the optimal length [N]
---  optimal_length: of the fibres [m], default: present length of the path minus the tendon
---  tendon: length of the inextensible tendon [m], default 0
---  max_speed: fastest shortening [optimal lengths / s], default 10
---  curvature: k in fv, default 0.25
---  eccentric: e in fv, default 1.5
---  width: of fl, default 0.45
---  passive_strain: e0 in fp, default 0.6
---  passive_shape: kp in fp, default 5
---  passive: default true; if false, fp = 0
---  tau_act, tau_deact [s], default 0.01 and 0.04
---  excitation, activation: initial values, 0 to 1
---  implicit: default false; if true, F is the force at the end of the substep; this is stable on light bodies
---  name: of the joints
---  when
---  enabled
---@return table muscle  fields: the options; force [N]; length, speed: of the path [m, m/s]; activation; coordinates;
---  if implicit also coordinate: total length of the path's segments; kp, kd: dF/dlength [N/m], dF/dspeed [N s/m], >= 0
function muscle.new(path, options)
  muscle_path.check(path)
  local o = arguments.read("impel.muscle", options, FIELDS)
  local coordinates, fixed, length = muscle_path.lay(path, o)
  local self = control.new(muscle, coordinates[1].joint, o)
  self.coordinates, self.fixed = coordinates, fixed
  self.read, self.write = coordinates[1].state, coordinates[1].set_force
  self.length, self.speed = self:measure()
  self.optimal_length = o.optimal_length or length - o.tendon
  self.activation = o.activation or o.excitation
  self.force = 0
  if o.implicit then
    self.coordinate, self.spring, self.kp, self.kd = coordinates[1], {}, 0, 0
  end
  if #coordinates > 1 then self.valid = muscle_path.all_valid(coordinates) end
  return control.start(self)
end

--- Return length and lengthening speed of the path.
---@return number length, number speed  [m], [m/s]
function muscle:measure()
  local length, speed = self.fixed, 0
  for i = 1, #self.coordinates do
    local l, v = self.read(self.coordinates[i])
    length, speed = length + l, speed + v
  end
  return length, speed
end

--- Return the force-length factor, relative to max_force. l: fibre length / optimal length.
function muscle:force_length(l)
  if type(l) ~= "number" then arguments.number("muscle:force_length: l", l) end
  return exp(-(l - 1) * (l - 1) / self.width)
end

--- Return the force-velocity factor. v: rate of l / max_speed, -1 at the fastest shortening.
function muscle:force_velocity(v)
  if type(v) ~= "number" then arguments.number("muscle:force_velocity: v", v) end
  if v <= -1 then return 0 end
  local k = self.curvature
  if v <= 0 then return (1 + v) / (1 - v / k) end
  local more = self.eccentric - 1
  return more > 0 and 1 + more * v / (v + more / (1 + 1 / k)) or 1
end

--- Return the passive force, relative to max_force. l: fibre length / optimal length.
function muscle:passive_force(l)
  if type(l) ~= "number" then arguments.number("muscle:passive_force: l", l) end
  if l <= 1 or not self.passive then return 0 end
  return (exp(self.passive_shape * (l - 1) / self.passive_strain) - 1) / (exp(self.passive_shape) - 1)
end

-- Advance the activation by the time h [s], exact for a constant excitation.
local function activate(self, h)
  local u, a = self.excitation, self.activation
  if not (u >= 0 and u <= 1) then control.refuse(self, { "excitation" }) end
  local tau = u > a and self.tau_act or self.tau_deact
  if tau ~= self.decay_of or h ~= self.decay_h then
    self.decay_of, self.decay_h, self.decay = tau, h, tau > 0 and exp(-h / tau) or 0
  end
  a = u + (a - u) * self.decay
  self.activation = a
  return a
end

-- Return the force at a length and speed of the path, at the present activation.
local function force_at(self, length, speed)
  local rest, a = self.optimal_length, self.activation
  local l, v = (length - self.tendon) / rest, speed / (rest * self.max_speed)
  local active = a > 0 and a * self:force_length(l) * self:force_velocity(v) or 0
  return self.max_force * (active + self:passive_force(l))
end

-- Apply the force for the length and speed after the substep, linearised with the present slopes.
local function pull(self, h, q, length, speed, force)
  local dl, dv = STEP * self.optimal_length, STEP * self.optimal_length * self.max_speed
  local by_l = (force_at(self, length + dl, speed) - force_at(self, length - dl, speed)) / (2 * dl)
  local by_v = (force_at(self, length, speed + dv) - force_at(self, length, speed - dv)) / (2 * dv)
  local k, c = linear_force.held(-by_l), linear_force.held(-by_v)
  self.kp, self.kd = k, c
  -- The force on the coordinate is at most 0, because a muscle only pulls; the lower bound is never reached.
  linear_force.set(self.coordinate, self.spring, h, -force, q, speed, k, c, -2 * force - self.max_force, 0)
end

-- Return the handler, which updates the activation and the force.
function muscle:law()
  local coordinates, read, write, valid, subject = self.coordinates, self.read, self.write, self.valid, self.subject
  local first, count = coordinates[1], #coordinates
  local fl, fv, fp = muscle.force_length, muscle.force_velocity, muscle.passive_force
  return function(h)
    if not (self.acting and self.enabled and valid(subject)) and not control.ready(self) then return end
    local length, speed = read(first)
    if count > 1 then length, speed = self:measure() else length = length + self.fixed end
    local rest, a = self.optimal_length, self.activation
    if a ~= self.excitation then a = activate(self, h) end
    local l, v = (length - self.tendon) / rest, speed / (rest * self.max_speed)
    local active, passive = a > 0 and a * fl(self, l) * fv(self, v) or 0, l > 1 and fp(self, l) or 0
    local force = self.max_force * (active + passive)
    if force ~= force then control.refuse(self, { "max_force", "activation", "length" }) end
    self.length, self.speed, self.force = length, speed, force
    if self.implicit then return pull(self, h, length - self.fixed, length, speed, force) end
    for i = 1, count do write(coordinates[i], -force) end
  end
end

--- Remove the active and the passive force.
function muscle:rest()
  self.force = 0
  for _, c in ipairs(self.coordinates) do
    if c:is_valid() then
      self.write(c, 0)
      if self.implicit then c:set_spring() end
    end
  end
end

--- Destroy the muscle and its joints.
function muscle:destroy()
  control.destroy(self)
  for _, coordinate in ipairs(self.coordinates) do
    if coordinate:is_valid() then coordinate.joint:destroy() end
  end
end

return muscle
