-- impel.pd: a spring and a damper toward a target, computed in Lua.
--
--   local pd = impel.pd(elbow, { kp = 120, kd = 8, target = 0.5 })
--   local pd = impel.pd(elbow, { hertz = 3, damping_ratio = 0.7 })
--   pd.target, pd.target_speed = 1.2, 0
--   pd.feed_forward = 4.2                  force or function(target, time)
--   pd.enabled = false                     passive
--
--   force = kp (target - q) + kd (target_speed - q') + feed_forward,   |force| <= max_force
--   q, q': value and speed of the coordinate [m or rad]; kp [N/m or N m/rad], kd [N s/m or N m s/rad]
--   source: Hodgins, Wooten, Brogan, O'Brien, "Animating Human Athletics" (SIGGRAPH 1995), eq. 1
--
-- For high gains use impel.stable_pd.
--
-- Handlers run in the order in which they were registered. A value that a later handler sets acts one substep later.

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local gains = require "impel.gains"
local stability = require "impel.stability"
local stable_pd = require "impel.stable_pd"

local pd = control.class "impel.pd"

local pi, type = math.pi, type
local feed, cut = control.feed, control.cut

local FIELDS = gains.fields { implicit = { "boolean", default = false, fixed = true } }
pd.fields = FIELDS
local PARTS = { "kp", "kd", "target", "target_speed", "feed_forward" }

--- Make a PD controller of a coordinate or joint.
---@param joint impel.joint|impel.coordinate
---@param options table
---  kp and kd, or hertz and damping_ratio (1)
---  target
---  target_speed
---  feed_forward: a number or function(target, time) [N or N m]
---  max_force
---  wrap: whether the error of an angle is taken within half a turn
---  when: "substep", "step", or "never": the owner calls update(h)
---  enabled
---  implicit: make an impel.stable_pd instead, where max_force limits only spring and damper
---@return table pd      the options except `when` and `implicit` may change at any time; `force`: last applied force
function pd.new(joint, options)
  local coordinate = control.coordinate("impel.pd", joint)
  local o = arguments.read("impel.pd", options, FIELDS)
  if o.implicit then
    o.implicit = nil
    return stable_pd.new(coordinate, o)
  end
  gains.fill("impel.pd", o, coordinate)
  gains.check_feed_forward("impel.pd", o.feed_forward)
  return control.start(control.new(pd, coordinate, o))
end

-- Return the handler, which sets the force.
function pd:law()
  local coordinate, read, write, valid = self.coordinate, self.read, self.write, self.valid
  local checked_kp, checked_kd, seen, seen_most
  return stability.watch(self, function(h)
    if not (self.acting and self.enabled and valid(coordinate)) and not control.ready(self) then return end
    local kp, kd, target, most = self.kp, self.kd, self.target, self.max_force
    -- checked_h is a field, because world:restore restores fields and not upvalues
    if kp ~= checked_kp or kd ~= checked_kd or h ~= self.checked_h then
      stability.judge(self, h)
      checked_kp, checked_kd, self.checked_h = kp, kd, h
    end
    local value, speed = read(coordinate)
    if target ~= seen or most ~= seen_most then
      if type(target) ~= "number" or type(most) ~= "number" then control.check(self) end
      seen, seen_most = target, most
    end
    local apart = target - value
    if self.wrap then apart = (apart + pi) % (2 * pi) - pi end
    local force, more = kp * apart + kd * (self.target_speed - speed), self.feed_forward
    if more ~= 0 then force = force + feed(self, more, target) end
    if not (force <= most and force >= -most) then force = cut(self, force, most, PARTS) end
    self.force = force
    return write(coordinate, force)
  end)
end

return pd
