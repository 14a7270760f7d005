-- impel.servo: move a joint to a target position with limited speed, and hold the joint there with limited force.
--
--   local servo = impel.servo(elbow, { target = 0.5, max_force = 30, speed = 2 })
--   servo.target = -0.3
--   servo:is_there()
--
-- The target of the joint's servo drive, called the reference, moves to the servo's target at `speed`.

local arguments = require "impel.base.arguments"
local control = require "impel.control"

local servo = control.class("impel.servo", { "reference", "rate" },
  { reference = "number|nil", rate = "number|nil" })

local huge = math.huge

local FIELDS = {
  target = { "number", optional = true, filled = true, unit = "m or rad" },
  speed = { "number", above = 0, default = huge, infinite = true, unit = "m/s or rad/s" },
  max_force = { "number", min = 0, default = huge, infinite = true, unit = "N or N m" },
  when = control.WHEN,
  enabled = control.ENABLED,
}
servo.fields = FIELDS
servo.kept = { "drive", "set_most" }

-- Set the target of the servo drive to `reference`, and the speed of the target to `rate`.
local function set(self, reference, rate)
  local drive = self.drive
  control.check(self)
  drive.target, drive.speed, drive.max_force = reference, rate, self.max_force
  self.rate, self.set_most = rate, self.max_force
  self.coordinate:set_servo(drive)
end

--- Make a position servo of a coordinate, or of a joint's own coordinate. It uses the coordinate's servo drive.
---@param joint impel.joint|impel.coordinate
---@param options table|nil  target: the present position by default; speed: largest speed [rad/s or m/s]; max_force:
---  largest force [N m or N]; both infinite by default; when; enabled
---@return table servo  the options except `when` may change at any time; `reference`: present target of the drive
function servo.new(joint, options)
  local coordinate = control.coordinate("impel.servo", joint)
  local o = arguments.read("impel.servo", options, FIELDS)
  o.target = o.target or coordinate.value
  local self = control.new(servo, coordinate, o)
  self.drive = {} -- argument table, reused in every call of set_servo
  if o.enabled then set(self, coordinate.value, 0) end -- hold the present position until the first update
  return control.start(self)
end

--- Become passive: remove the servo drive.
function servo:rest()
  self.reference = nil
  self.coordinate:set_servo()
end

--- Return whether the reference has reached the target.
---@return boolean
function servo:is_there() return self.reference == self.target end

-- Move the reference toward the target. h: time until the next update [s], a substep or a step.
function servo:apply(h)
  local target, reference, speed = self.target, self.reference, self.speed
  if speed <= 0 or speed ~= speed then control.check(self) end
  if target ~= target then control.refuse(self, { "target", "speed" }) end
  local starts = not reference
  if starts then reference = self.read(self.coordinate) end
  local rate, next_one = 0, target
  if speed < huge then
    local way, most = target - reference, speed * h
    if way > most then
      rate, next_one = speed, reference + most
    elseif way < -most then
      rate, next_one = -speed, reference - most
    else
      rate = way / h
    end
  end
  local jumps = speed == huge and reference ~= target
  if starts or jumps or rate ~= self.rate or self.max_force ~= self.set_most then
    set(self, jumps and target or reference, rate)
  end
  self.reference = next_one
end

return servo
