-- One joint that is pulled to a target by the solver's own spring, with a strength: what `impel.posture` has many of.
-- With the strength s, the target q_d and its rate q_d' the force is
--   F = s k (q_d - q) + s^1/2 d (q_d' - q') + feed_forward
-- so that the damping ratio is the same at any strength, and at most s max_force of it is the spring's.

local JointSpring = {}
JointSpring.__index = JointSpring

--- Make one that pulls nowhere yet: its target is where the joint is.
---@param name string     in the posture
---@param joint userdata  with a coordinate of its own
---@param gains table     stiffness [N m/rad or N/m], damping [N m s/rad or N s/m], max_force [N m or N]
function JointSpring.new(name, joint, gains)
  return setmetatable({ name = name, joint = joint, coordinate = joint:coordinate(), target = joint.value,
    stiffness = gains.stiffness, damping = gains.damping, max_force = gains.max_force,
    strength = 0, slows = 0, force = 0, options = {} }, JointSpring)
end

--- Give the spring a strength; 0 takes it away, with whatever force was added to it.
---@param strength number  0 .. 1, or more
function JointSpring:tighten(strength)
  self.strength = strength
  if not self.joint:is_valid() then return end
  if strength <= 0 then
    self.coordinate:set_spring()
    self.coordinate:set_force()
    self.force = 0
    return
  end
  local options = self.options
  self.slows = math.sqrt(strength) * self.damping
  options.stiffness, options.damping = strength * self.stiffness, self.slows
  options.target, options.max_force = self.target, strength * self.max_force
  self.coordinate:set_spring(options)
end

--- Where to. The spring's damping slows against the rate, which a force makes up for.
---@param target number        [rad or m]
---@param rate number          of the target [rad/s or m/s]
---@param feed_forward number  [N m or N]
function JointSpring:aim(target, rate, feed_forward)
  self.target = target
  if self.strength <= 0 or not self.joint:is_valid() then return end
  self.joint.target = target
  local force = self.slows * rate + feed_forward
  if force ~= self.force then
    self.force = force
    self.coordinate:set_force(force)
  end
end

return JointSpring
