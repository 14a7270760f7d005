-- A humanoid goes limp when hit by a ball, and is raised again.
local impel = require "impel"

local scene = {
  title = "Limp and up again",
  about = "The figure has a state machine with the states stand, limp and rise. In the state stand, springs in the "
    .. "joints hold the pose, and soft springs hold the pelvis like a puppet's strings. A hit of more than 50 N s "
    .. "removes all these springs within a step.",
  duration = 6, -- [s]
  view = { x = 0, y = 1.1, height = 3.2 },
  units = { height = "m", lean = "rad", pose_error = "rad", blow = "N s" },
}

scene.params = {
  mass = { 8.0, min = 1, max = 10, help = "mass of the ball [kg]" },
  speed = { 15.0, min = 2, max = 20, help = "speed of the ball [m/s]" },
  threshold = { 50.0, min = 10, max = 200, help = "impulse of a hit that makes the figure limp [N s]" },
  limp = { 0.8, min = 0.6, max = 3, help = "time for which the figure stays limp [s]" },
}

local STIFFNESS, DAMPING = 400, 30       -- [N m/rad], [N m s/rad] of a joint
-- time to raise the pelvis [s], extra height of the pelvis [m], tolerance of the pose
local UP, LIFT, NEAR = 0.35, 0.3, math.rad(5)
-- natural frequency of the strings [rad/s] (2 Hz); radius of gyration of the humanoid [m]
local RATE, GYRATION = 2 * math.pi * 2, 0.5

-- Add the strings of a puppet: a root controller with gains for the whole mass.
local function hang(doll)
  local m = doll:mass()
  local line = { kp = RATE ^ 2 * m, kd = 2 * RATE * m }
  local turn = { kp = line.kp * GYRATION ^ 2, kd = line.kd * GYRATION ^ 2 }
  return impel.root(doll.pelvis, { x = line, y = line, angle = turn })
end

local states = {
  stand = {
    enter = function(s) s.stood = s.stood or s.world.tick > 0 and s.world.time or nil end,
    { to = "limp", event = "hit", when = function(s, hit) return hit.impulse > s.p.threshold end },
  },
  limp = {
    enter = function(s, _, hit)
      s.blow, s.posture.enabled = hit.impulse, false
      s.strings.enabled, s.free = false, true
      for _, joint in ipairs(s.doll.joints) do s.free = s.free and not joint:coordinate():drives().spring end
    end,
    { to = "rise", after = 1 },
  },
  rise = {
    enter = function(s)
      s.posture.enabled, s.strings.enabled, s.began = true, true, s.world.time
      s.from_x, s.from_y = s.doll.pelvis:center()
      s.from_angle = s.doll.pelvis.angle
    end,
    update = function(s, machine)
      local u = impel.blend.smooth(machine.time / UP)
      local high = s.home + LIFT * (1 - impel.blend.smooth(machine.time / UP - 1)) -- the feet lift off, then come down
      s.strings:set_target(s.from_x, (1 - u) * s.from_y + u * high, (1 - u) * s.from_angle)
    end,
    { to = "stand", after = UP, when = function(s)
      return s.posture:error() < NEAR and math.abs(s.doll.pelvis.angle) < NEAR
    end },
  },
}

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  world:body { type = "static", name = "ground" }:box { 40, 2, center = { 0, -1 }, friction = 0.8 }
  local doll = impel.rig.ragdoll(world, {})
  local ball = world:body { name = "ball", position = { -4, 1.3 }, velocity = { p.speed, 1.2 }, mass = p.mass,
    bullet = true }
  ball:circle { radius = 0.12 }
  local joints = {}
  for _, joint in ipairs(doll.joints) do joints[joint.name:match "%S+$"] = joint end
  local s = { world = world, p = p, doll = doll, ball = ball, blow = 0, lowest = math.huge,
    posture = impel.posture(joints, { stiffness = STIFFNESS, damping = DAMPING }),
    strings = hang(doll) }
  s.home = select(2, doll.pelvis:center())
  states.limp[1].after = p.limp
  s.machine = impel.state_machine(world, { initial = "stand", data = s, states = states })
  return s
end

function scene.update(s)
  local _, y = s.doll.head:position()
  s.lowest = math.min(s.lowest, y)
end

function scene.measure(s)
  local _, y = s.doll.head:position()
  return { height = y, lean = s.doll.pelvis.angle, pose_error = (s.posture:error()), blow = s.blow }
end

function scene.check(s)
  if not s.began or not s.stood then
    return false, ("the figure is in the state '%s' after a hit of %.0f N s; it should have gone limp and stood up "
      .. "again"):format(s.machine.state, s.blow)
  end
  local _, head = s.doll.head:position()
  local took = s.stood - s.began
  return s.free, "a spring was still active after the figure went limp",
    s.lowest < 0.5, ("the figure did not fall: its head came down only to %.2f m"):format(s.lowest),
    took < 1, ("the figure took %.2f s to be within 5 degrees of its pose, less than 1 expected"):format(took),
    head > 1.6, ("at the end the head is at y = %.2f m, above 1.6 expected (1.67 if the figure stands)"):format(head)
end

return scene
