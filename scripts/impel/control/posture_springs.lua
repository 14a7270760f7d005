-- The springs of an impel.posture: one impel.stable_pd per joint.

local arguments = require "impel.base.arguments"
local control = require "impel.control"
local nearest = require "impel.base.nearest"
local stable_pd = require "impel.stable_pd"

local posture_springs = {}

local WHAT = "a number or { name = number }"
local FIELDS = { stiffness = { "any", what = WHAT }, damping = { "any", what = WHAT },
  max_force = { "any", default = math.huge, what = WHAT }, enabled = { "boolean", default = true } }
local GAIN, MOST = { "number", min = 0 }, { "number", min = 0, infinite = true }

-- Return the stiffness, damping or max_force (`what`) of the joint `name`. The option is one number for all joints, or
-- a table with a number for each joint name.
local function gain_of(o, what, name)
  local value = o[what]
  if type(value) == "table" then value = value[name] end
  return arguments.check(("impel.posture: field '%s' of joint '%s'"):format(what, name), value,
    what == "max_force" and MOST or GAIN)
end

local function check_names(o, joints)
  for _, what in ipairs { "stiffness", "damping", "max_force" } do
    for _, name in ipairs(type(o[what]) == "table" and nearest.keys(o[what]) or {}) do
      if joints[name] == nil then
        arguments.fail("bad field '%s' in '%s' of impel.posture%s", name, what,
          nearest.hint(name, nearest.keys(joints)))
      end
    end
  end
end

-- Raise if another controller acts on the joint, because each would overwrite the force of the other.
local function check_free(name, joint)
  for _, other in ipairs(control.of(control.coordinate("impel.posture", joint))) do
    if other.enabled and other.acting then
      arguments.fail("impel.posture: joint '%s' is driven by %s: disable or destroy it", name, tostring(other))
    end
  end
end

--- Check all options, then create the springs.
---@param joints table        name -> joint
---@return table springs      in the order of `names`; with joint_name, and `full`: the gains at strength 1
---@return string[] names     sorted
---@return boolean enabled
function posture_springs.new(joints, options)
  arguments.check("impel.posture: argument 'joints'", joints, { "table" })
  local o = arguments.read("impel.posture", options, FIELDS)
  local names, full, springs = nearest.keys(joints), {}, {}
  if #names == 0 then arguments.fail "impel.posture needs at least one joint, as { name = joint }" end
  check_names(o, joints)
  for _, name in ipairs(names) do
    local joint = arguments.check(("impel.posture: joint '%s'"):format(name), joints[name], { "joint" })
    if joint.world ~= joints[names[1]].world then
      arguments.fail("impel.posture: joints '%s' and '%s' are in different worlds", names[1], name)
    end
    full[name] = { stiffness = gain_of(o, "stiffness", name), damping = gain_of(o, "damping", name),
      max_force = gain_of(o, "max_force", name) }
    if o.enabled then check_free(name, joint) end
  end
  for i, name in ipairs(names) do
    local joint, gains = joints[name], full[name]
    springs[i] = stable_pd.new(joint, { kp = gains.stiffness, kd = gains.damping, max_force = gains.max_force,
      target = joint.value, when = "never", enabled = o.enabled })
    springs[i].full, springs[i].joint_name = gains, name
  end
  return springs, names, o.enabled
end

--- Set the strength of all springs, >= 0. At 1 the gains are those of the options; 0 disables the springs and their
--- feed-forward forces.
function posture_springs.tighten(springs, strength)
  local root = math.sqrt(strength)
  for _, spring in ipairs(springs) do
    local full = spring.full
    spring.kp, spring.kd, spring.enabled = strength * full.stiffness, root * full.damping, strength > 0
    spring.max_force = strength > 0 and strength * full.max_force or 0 -- 0, because math.huge * 0 is nan
    spring:update(0)
  end
end

--- Set target [rad or m] and rate [rad/s or m/s] of a spring. They take effect at once, also within a step.
function posture_springs.aim(spring, target, rate)
  spring.target, spring.target_speed = target, rate
  spring:update(0)
end

return posture_springs
