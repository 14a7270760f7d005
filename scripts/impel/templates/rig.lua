-- An arm of three links with a PD controller, a spring and a servo.
--
--   impel run rig.lua --check --trace arm.csv
--   impel run rig.lua --set kp=30 --set kd=2
--   impel doctor rig.lua
local impel = require "impel"

local scene = {
  title = "Arm",
  about = "Three ways to hold a joint. At rest each carries the weight beyond its joint: the controller and the "
    .. "spring deflect by torque / stiffness, the servo does not.",
  duration = 6, -- [s]
  view = { x = 0.5, y = 1.5, height = 3 },
}

scene.params = {
  shoulder = { 0.6, min = -1, max = 1.5, help = "target angle of the upper arm, held by the controller [rad]" },
  wrist = { 0.3, min = -0.8, max = 0.8, help = "angle of the hand, held by the servo [rad]" },
  kp = { 120.0, min = 0, max = 500, help = "stiffness of the controller [N m/rad]" },
  kd = { 12.0, min = 0, max = 50, help = "damping of the controller [N m s/rad]" },
  stiffness = { 60.0, min = 5, max = 500, help = "stiffness of the spring in the elbow [N m/rad]" },
}

local G, HEIGHT = 9.81, 1.5 -- gravity [m/s^2], height of the shoulder above the ground [m]

-- Name, length [m], radius [m] and mass [kg] of each link, from the shoulder to the hand.
local links = { { "upper arm", 0.5, 0.06, 2 }, { "forearm", 0.4, 0.05, 1 }, { "hand", 0.2, 0.04, 0.5 } }

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false }
  world:body { type = "static", name = "ground" }:box { 10, 1, center = { 0, -0.5 } }
  local bodies, x = {}, 0
  for i, link in ipairs(links) do -- the arm is stretched out to the right
    local name, length, radius, mass = table.unpack(link)
    bodies[i] = world:body { name = name, position = { x + length / 2, HEIGHT }, mass = mass }
    bodies[i]:capsule { from = { -length / 2, 0 }, to = { length / 2, 0 }, radius = radius, group = -1 }
    x = x + length
  end
  local upper, forearm, hand = table.unpack(bodies)
  local at_elbow, at_wrist = links[1][2], links[1][2] + links[2][2] -- [m]
  return { world = world, p = p, bodies = bodies, upper = upper,
    shoulder = world:revolute(world.ground, upper, { name = "shoulder", anchor = { 0, HEIGHT }, limit = { -1.5, 2 } }),
    elbow = world:revolute(upper, forearm, { name = "elbow", anchor = { at_elbow, HEIGHT }, limit = { -0.5, 2.2 },
      spring = { stiffness = p.stiffness, damping = 3 } }),
    wrist = world:revolute(forearm, hand, { name = "wrist", anchor = { at_wrist, HEIGHT }, limit = { -1, 1 },
      servo = { target = p.wrist, max_force = 20 } }) }
end

local function control(s)
  return s.p.kp * (s.p.shoulder - s.shoulder.value) - s.p.kd * s.shoulder.speed -- [N m]
end

-- Called before every substep.
function scene.substep(s)
  s.upper:apply_torque(control(s))
end

-- Return the torque about x [m] of the weights of links i and later [N m].
local function load(s, i, x)
  local torque = 0
  for k = i, #s.bodies do torque = torque - s.bodies[k].mass * G * (s.bodies[k]:center() - x) end
  return torque
end

function scene.measure(s)
  local x, y = s.bodies[#s.bodies]:position()
  return { shoulder = s.shoulder.value, elbow = s.elbow.value, wrist = s.wrist.value, torque = control(s),
    x = x, y = y }
end

function scene.check(s)
  local held, at_elbow = control(s) + load(s, 1, 0), s.elbow:anchors()
  local sprung = -s.p.stiffness * s.elbow.value + load(s, 2, at_elbow)
  local missed = s.wrist.value - s.p.wrist
  return math.abs(held) < 0.01, ("the controller's torque differs from the weight's by %.3g N m"):format(held),
    math.abs(sprung) < 0.01, ("the spring's torque differs from the weight's by %.3g N m"):format(sprung),
    math.abs(missed) < 0.01, ("the servo is %.3g rad off its target"):format(missed),
    s.shoulder.separation < 1e-3, ("the shoulder's anchor points are %.3g m apart"):format(s.shoulder.separation)
end

return scene
