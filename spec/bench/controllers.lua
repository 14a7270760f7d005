-- Measures the cost of controllers: lua5.4 spec/bench/controllers.lua BUILD
--
-- Prints a line `name nanoseconds` for each controller: CPU time of a step (4 substeps) per joint, minus the CPU time
-- of a step without the controller; the minimum of several rounds is used.
local build = ...
package.cpath = build .. "/lua/?.so;" .. package.cpath
package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
local impel = require "impel"

local JOINTS, STEPS, ROUNDS, SUBSTEPS = 100, 40, 12, 4

-- Build a row of rods on hinges; `attach` adds a controller to each hinge.
local function joint_world(attach)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = SUBSTEPS }
  for i = 1, JOINTS do
    local rod = world:body { position = { 3 * i, 0 }, mass = 1, inertia = 0.1 }
    attach(world:revolute(world.ground, rod, { anchor = { 3 * i - 0.5, 0 } }))
  end
  return world
end

local function force(joint) joint:coordinate():set_force(0) end
local cases = {
  { name = "joints", make = function() return joint_world(force) end },
  { name = "pd", base = "joints", make = function()
    return joint_world(function(joint) impel.pd(joint, { kp = 20, kd = 1 }) end)
  end },
  { name = "pid", base = "joints", make = function()
    return joint_world(function(joint) impel.pid(joint, { kp = 20, ki = 1, kd = 1 }) end)
  end },
  { name = "springs", make = function() -- stable_pd sets a spring, which the solver integrates
    return joint_world(function(joint)
      force(joint)
      joint:coordinate():set_spring { stiffness = 20, damping = 1 }
    end)
  end },
  { name = "stable_pd", base = "springs", make = function()
    return joint_world(function(joint) impel.stable_pd(joint, { kp = 20, kd = 1 }) end)
  end },
  { name = "posture", base = "springs", make = function() -- one controller for all joints
    local joints, keys = {}, { { time = 0 }, { time = 1 }, { time = 2 } }
    local world = joint_world(function(joint)
      local name = ("joint%03d"):format(joint.id)
      joints[name], keys[1][name], keys[2][name], keys[3][name] = joint, 0, 1, 0
    end)
    impel.posture(joints, { stiffness = 20, damping = 1 }):follow(impel.track { loop = true, keys = keys })
    return world
  end },
}

local best = {}
local worlds = {}
for _, case in ipairs(cases) do
  worlds[case.name] = case.make()
  worlds[case.name]:step(20)
end
for _ = 1, ROUNDS do
  for _, case in ipairs(cases) do
    local start = os.clock()
    worlds[case.name]:step(STEPS)
    best[case.name] = math.min(best[case.name] or math.huge, (os.clock() - start) / STEPS)
  end
end
for _, case in ipairs(cases) do
  if case.base then
    print(("%s %.2f"):format(case.name, 1e9 * (best[case.name] - best[case.base]) / JOINTS))
  end
end
