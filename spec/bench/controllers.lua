-- What controllers and fields cost: lua5.4 spec/bench/controllers.lua BUILD (called by spec/bench.lua). Prints a line
-- `name nanoseconds` for each: CPU time of a joint and step (4 substeps) that has the controller, less that of the same
-- joint without; of fields that of a body and evaluation, one each substep. The least of some rounds, taken in turn.
local build = ...
package.cpath = build .. "/lua/?.so;" .. package.cpath
package.path = "scripts/?.lua;scripts/?/init.lua;" .. package.path
local impel = require "impel"

local JOINTS, BODIES, STEPS, ROUNDS, SUBSTEPS = 100, 1000, 40, 12, 4

-- A row of rods on hinges, each with what `attach` gives it.
local function joint_world(attach)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = SUBSTEPS }
  for i = 1, JOINTS do
    local rod = world:body { position = { 3 * i, 0 }, mass = 1, inertia = 0.1 }
    attach(world:revolute(world.ground, rod, { anchor = { 3 * i - 0.5, 0 } }))
  end
  return world, JOINTS
end

-- Free bodies that fields act on; what `on` does makes them. Fields are so weak that the bodies hardly move: what else a
-- step does is then the same with a field and without.
local function body_world(boxes, on)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = SUBSTEPS }
  for i = 1, BODIES do
    local body = world:body { position = { 3 * (i % 40), 3 * (i // 40) }, angle = 0.3 * i, velocity = { 1e-6, 1e-6 } }
    if boxes then body:box { 1, 1 } end
  end
  if on then on(world) end
  return world, BODIES * SUBSTEPS
end

local function force(joint) joint:coordinate():set_force(0) end
local function field(name, options, boxes)
  return { name = "field_" .. name, base = boxes and "boxes" or "points", make = function()
    return body_world(boxes, function(world) impel.field[name](world, table.unpack(options)) end)
  end }
end

local wind = { velocity = { 5, 1 }, density = 1e-9 }
local cases = {
  { name = "joints", make = function() return joint_world(force) end },
  { name = "pd", base = "joints", make = function()
    return joint_world(function(joint) impel.pd(joint, { kp = 20, kd = 1 }) end)
  end },
  { name = "pid", base = "joints", make = function()
    return joint_world(function(joint) impel.pid(joint, { kp = 20, ki = 1, kd = 1 }) end)
  end },
  { name = "stable_pd", base = "joints", make = function()
    return joint_world(function(joint) impel.stable_pd(joint, { kp = 20, kd = 1 }) end)
  end },
  { name = "points", make = function() return body_world(false) end },
  { name = "boxes", make = function() return body_world(true) end },
  field("uniform", { { acceleration = { 0, 1e-9 } } }),
  field("attractor", { { center = { 50, 30 }, strength = 1e-6 } }),
  field("spring", { { center = { 50, 30 }, hertz = 1e-6 } }),
  field("drag", { { linear = 1e-6, quadratic = 1e-6 } }),
  field("vortex", { { center = { 50, 30 }, circulation = 1e-6, linear = 1e-6 } }),
  field("wind", { wind }, true),
  field("buoyancy", { { density = 1e-9, level = 40 } }, true),
  field("custom", { function(b) return -1e-9 * b.x - 1e-9 * b.vx, -1e-9 * b.y - 1e-9 * b.vy end }),
}

local best = {}
local worlds, counts = {}, {}
for _, case in ipairs(cases) do
  worlds[case.name], counts[case.name] = case.make()
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
    print(("%s %.2f"):format(case.name, 1e9 * (best[case.name] - best[case.base]) / counts[case.name]))
  end
end
