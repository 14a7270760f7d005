-- A world with a motor, rotors, springs and friction is saved during a motion, stepped and restored. The repeated steps
-- give the same bits.
-- Source: Bullet issue 2982 and MuJoCo issue 270 (restored states have a different continuation).
local impel = require "impel"

local scene = {
  title = "Restored in motion", about = "A restored arm repeats its motion bit for bit.", duration = 0.5,
  units = { differences = "1" },
}
scene.params = { armature = 2.0, friction = 0.3, links = 3, rate = 60.0 }

local STEPS = 40

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local s = { world = world, p = p, joints = {}, differences = -1 }
  local last = world.ground
  for i = 1, p.links do
    local link = world:body { position = { i - 0.5, 0 }, mass = 1, inertia = 0.1 }
    s.joints[i] = world:revolute(last, link, { anchor = { i - 1, 0 }, armature = p.armature, friction = p.friction,
      spring = i > 1 and { stiffness = 20, damping = 1 } or nil })
    last = link
  end
  s.motor = impel.motor(s.joints[1], { stall_torque = 2, no_load_speed = 50, ratio = 10, rotor_inertia = 0.02,
    command = 0.5 })
  return s
end

local function look(s)
  local seen = {}
  for _, joint in ipairs(s.joints) do
    local value, speed = joint:state()
    table.move({ value, speed, joint.force }, 1, 3, #seen + 1, seen)
  end
  seen[#seen + 1] = s.world:energy()
  return seen
end

-- A handler cannot step the world, so compare after the run.
local function compare(s)
  if s.differences >= 0 then return end
  local snapshot = s.world:snapshot()
  local function go_on()
    local all = {}
    for i = 1, STEPS do
      if i == 10 then s.motor.command = -1 end -- the restore must undo a change after the snapshot
      s.world:step()
      all[i] = look(s)
    end
    return all
  end
  local first = go_on()
  s.world:restore(snapshot)
  s.command = s.motor.command
  local again = go_on()
  s.differences = 0
  for i = 1, STEPS do
    for k, value in ipairs(first[i]) do
      if value ~= again[i][k] then s.differences = s.differences + 1 end
    end
  end
end

function scene.measure(s)
  compare(s)
  return { differences = s.differences, command = s.command }
end

function scene.check(s)
  compare(s)
  -- Exact, because the snapshot contains the whole state.
  return s.differences == 0, ("%d numbers differ"):format(s.differences),
    s.command == 0.5, ("the motor's restored command is %s, not 0.5"):format(s.command)
end

return scene, {
  vary = { armature = { 0, 2 }, friction = { 0, 0.3 }, links = { 1, 3 }, rate = { 60, 240 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
