-- A sleeping body moves as soon as its joint's motor, spring, limit, lock or anchor changes, or the joint's second body
-- moves.
-- Source: PlayCanvas issue 9176 (a removed joint leaves its body in the air), Rapier issue 692 (a moving kinematic body
-- does not wake the bodies on its joints), Jolt issue 67, godot-jolt pull request 931.
local impel = require "impel"

local scene = {
  title = "Change wakes", about = "Changing a joint wakes its bodies.", duration = 6,
  units = { moved = "m" },
}
scene.params = {
  change = { 1, help = "1: joint destroyed, 2: joint severed, 3: motor switched on, 4: target of the spring set, "
    .. "5: limit set, 6: upper body moved, 7: rope lengthened" },
  links = { 1, help = "bodies in the row that hangs on the joint" },
}

local CHANGES = {
  function(s) s.joint:destroy() end,
  function(s) s.joint:sever() end,
  function(s) s.joint.motor_speed = -2 end,
  function(s) s.joint.target = -1 end,
  function(s) s.joint:coordinate():set_limit(-1, -0.5) end,
  function(s) s.hook:set_velocity(0, -0.5) end,
  function(s) s.joint:coordinate():set_limit(0, 2) end,
}

function scene.setup(p)
  local world = impel.world {}
  local hook = world:body { type = "kinematic" }
  hook:circle { radius = 0.1, mask = 0 }
  local s, last = { world = world, p = p, hook = hook }, nil
  for i = 1, p.links do
    local body = world:body { position = { 0, -i } }
    body:box { 0.4, 0.4, mask = 0 }
    if last then
      world:revolute(last, body, { anchor = { 0, 0.5 - i } })
    elseif p.change == 7 then
      s.joint = world:rope(hook, body, { length = 1 })
    else
      s.joint = world:prismatic(hook, body, { axis = { 0, 1 }, anchor = { 0, -1 },
        motor = p.change == 3 and { speed = 0, max_force = 1e4 } or nil,
        spring = p.change == 4 and { stiffness = 1e5, damping = 1e3, target = 0 } or nil,
        limit = p.change ~= 3 and p.change ~= 4 and { 0, 0 } or nil })
    end
    s.first, last = s.first or body, body
  end
  return s
end

function scene.update(s)
  local world = s.world
  if world.tick == 180 then
    s.slept, s.x, s.y = not s.first.awake, s.first:position()
    CHANGES[s.p.change](s)
  elseif world.tick == 240 then
    local x, y = s.first:position()
    s.moved = math.sqrt((x - s.x) ^ 2 + (y - s.y) ^ 2)
  end
end

function scene.measure(s) return { moved = s.moved or 0 } end

function scene.check(s)
  -- In a second each change moves the body by at least half a metre.
  return s.slept, "the body was not asleep after 3 s at rest",
    s.moved > 0.2, ("the body moved by %.4f m"):format(s.moved)
end

return scene, { vary = { change = { 1, 2, 3, 4, 5, 6, 7 }, links = { 1, 3 } }, solvers = { "si", "direct" } }
