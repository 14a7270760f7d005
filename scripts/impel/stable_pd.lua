-- impel.stable_pd: the law of impel.pd, implicit and stable at any gain.
--
--   local pd = impel.stable_pd(elbow, { kp = 1e6, kd = 2e3, target = 0.5 })
--   local pd = impel.stable_pd(elbow, { hertz = 8, damping_ratio = 1 })
--   pd.target, pd.target_speed = track(t)
--
--   force = kp (target + h target_speed - q - h q'+) + kd (target_speed - q'+) + feed_forward
-- with q'+ the speed at the end of the substep.
--
-- Under the solvers `soft` and `si`, very stiff joints need more `iterations`.
--   source: Tan, Liu, Turk, "Stable Proportional-Derivative Controllers" (IEEE CG&A 2011)

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local gains = require "impel.gains"

local stable_pd = control.class "impel.stable_pd"

local pi, floor, type = math.pi, math.floor, type

local FIELDS = gains.fields {
  kp = { "number", min = 0, max = 1e12, optional = true, filled = true, unit = "N/m or N m/rad" },
  kd = { "number", min = 0, max = 1e12, optional = true, filled = true, unit = "N s/m or N m s/rad" },
}
stable_pd.fields = FIELDS
stable_pd.implicit = true -- read by impel.stability
-- Fields that are not options (see control/fields.lua).
stable_pd.kept = { "spring", "aim", "set_kp", "set_kd", "set_most", "sprung", "full", "joint_name" }

local function set_spring(self, rest)
  control.check(self)
  local spring, most = self.spring, self.max_force
  spring.stiffness, spring.damping, spring.target, spring.max_force = self.kp, self.kd, rest, most
  self.set_kp, self.set_kd, self.set_most, self.sprung = self.kp, self.kd, most, true
  self.coordinate:set_spring(spring)
end

--- Make an implicit PD controller of a coordinate, or of a joint's own coordinate. It uses the coordinate's spring and
--- force drive.
---@param joint impel.joint|impel.coordinate
---@param options table
---  kp and kd, or hertz and damping_ratio (default 1) of the continuous law
---  target
---  target_speed
---  feed_forward: number or function(target, time)
---  max_force: limits the spring and damper
---  wrap: whether to turn at most half a turn to the target
---  when: "substep" or "step": how often the target moves
---  enabled
---@return table pd  the options except `when` may change at any time; `force`: acts in addition to spring and damper
function stable_pd.new(joint, options)
  local coordinate = control.coordinate("impel.stable_pd", joint)
  local o = arguments.read("impel.stable_pd", options, FIELDS)
  gains.fill("impel.stable_pd", o, coordinate, "continuous")
  gains.check_feed_forward("impel.stable_pd", o.feed_forward)
  local self = control.new(stable_pd, coordinate, o)
  self.spring = {} -- argument table, reused in every call of set_spring
  self.aim = coordinate.set_target
  if o.enabled then set_spring(self, o.target) end -- the spring also acts before the first update
  return control.start(self)
end

--- Become passive: remove spring and force.
function stable_pd:rest()
  self.sprung = false
  self.coordinate:set_spring()
  control.release(self)
end

-- Set the spring's target and the additional force. h: update period [s].
function stable_pd:apply(h)
  local coordinate, target, rate = self.coordinate, self.target, self.target_speed
  if type(target) ~= "number" or (rate ~= 0 and type(rate) ~= "number") then control.check(self) end
  local rest = target + h * rate
  if self.wrap then
    rest = rest - 2 * pi * floor((rest - self.read(coordinate) + pi) / (2 * pi))
  end
  if self.sprung and self.kp == self.set_kp and self.kd == self.set_kd and self.max_force == self.set_most then
    self.aim(coordinate, rest)
  else
    set_spring(self, rest)
  end
  local force, more = self.kd * rate, self.feed_forward
  if more ~= 0 then force = force + control.feed(self, more, target) end
  if force ~= force then control.refuse(self, { "kp", "kd", "target", "target_speed", "feed_forward" }) end
  if force ~= self.force then
    self.force = force
    self.write(coordinate, force)
  end
end

return stable_pd
