-- A signaller spells a word in semaphore: keyframed poses, and shoulder springs that follow the poses.
local impel = require "impel"

local scene = {
  title = "Semaphore",
  about = "Two arms show the letters of a word. A track is a list of poses with times, and a posture moves the arms "
    .. "along the track by springs. Without feed-forward a spring sags by m g r sin(q) / k. Feed-forward of the known "
    .. "load removes the sag.",
  duration = 8.4, -- [s]
  view = { x = 0, y = 1.3, height = 3.4 },
  units = { left = "rad", right = "rad", left_error = "rad", right_error = "rad" },
}

scene.params = {
  stiffness = { 150.0, min = 50, max = 500, help = "stiffness of a shoulder [N m/rad]" },
  damping = { 12.0, min = 2, max = 50, help = "damping of a shoulder [N m s/rad]" },
  feed_forward = { 1.0, min = 0, max = 1, help = "fraction of the arm's load torque that is added as feed-forward" },
}

-- letter; positions of the right and the left arm, in eighths of a turn clockwise from hanging down
local WORD = { { "I", 1, 3 }, { "M", 1, 6 }, { "P", 2, 4 }, { "E", 0, 5 }, { "L", 1, 5 } }
local FIRST, PACE, MOVE = 0.5, 1.6, 0.7 -- [s]: start, time from letter to letter, duration of an arm's motion
local ARM, MASS, G = 0.7, 3, 9.81       -- length [m] and mass [kg] of an arm with its flag, gravity [m/s^2]

-- Return the angle [rad], -pi .. pi, of an arm that is `eighths` eighths of a turn clockwise from hanging down.
local function angle(eighths) return eighths <= 4 and -eighths * math.pi / 4 or (8 - eighths) * math.pi / 4 end

local function spell()
  local keys = { { time = 0, right = 0, left = 0 } }
  for i, letter in ipairs(WORD) do
    local at, before = FIRST + (i - 1) * PACE, keys[#keys]
    keys[#keys + 1] = { time = at, right = before.right, left = before.left }
    keys[#keys + 1] = { time = at + MOVE, right = angle(letter[2]), left = angle(letter[3]) }
  end
  return impel.track { keys = keys, interpolation = "smooth" }
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false }
  local body = world:body { type = "static", name = "signaller" }
  body:capsule { from = { 0, 0.15 }, to = { 0, 1.4 }, radius = 0.15 }
  body:circle { radius = 0.13, center = { 0, 1.75 } }
  local s = { world = world, p = p, track = spell(), pose = {}, rates = {}, speed = { left = 0, right = 0 },
    sum = 0, count = 0 }
  for side, x in impel.pairs { left = 0.2, right = -0.2 } do
    local arm = world:body { name = side .. " arm", position = { x, 1.45 }, mass = MASS }
    arm:capsule { from = { 0, 0 }, to = { 0, -ARM }, radius = 0.04, group = -1 }
    arm:box { 0.3, 0.3, center = { 0.19, -ARM }, density = 0, group = -1 } -- the flag
    s[side] = world:revolute(body, arm, { name = side, anchor = { x, 1.45 } })
  end
  s.posture = impel.posture({ left = s.left, right = s.right }, { stiffness = p.stiffness, damping = p.damping })
  return s
end

-- Set target angles and speeds, and feed forward the torques.
function scene.update(s, dt)
  s.track:sample(s.world.time, s.pose)
  for _, side in ipairs { "left", "right" } do
    s.sum, s.count = s.sum + (s[side].value - s.pose[side]) ^ 2, s.count + 1
  end
  s.track:sample(s.world.time + dt, s.pose, s.rates)
  for _, side in ipairs { "left", "right" } do
    local weight = MASS * G * ARM / 2 * math.sin(s.pose[side]) -- the holding torque about the shoulder
    local inertia = s[side].body_b.inertia + MASS * (ARM / 2) ^ 2
    local load = weight + inertia * (s.rates[side] - s.speed[side]) / dt
    s.speed[side] = s.rates[side]
    s.posture:aim(side, s.pose[side], s.rates[side], s.p.feed_forward * load)
  end
end

-- Return the letter that has been held for at least half a second, or nil.
local function letter(s)
  local i, since = math.floor((s.world.time - FIRST) / PACE) + 1, (s.world.time - FIRST) % PACE
  return since > MOVE + 0.5 and WORD[i] or nil
end

function scene.measure(s)
  s.track:sample(s.world.time, s.pose)
  return { left = s.left.value, right = s.right.value, left_error = s.left.value - s.pose.left,
    right_error = s.right.value - s.pose.right }
end

-- Sag e of each arm's spring: k e = (1 - feed_forward) m g r sin(q).
function scene.check(s)
  local off = math.sqrt(s.sum / math.max(s.count, 1))
  local worst = 0
  s.track:sample(s.world.time, s.pose)
  for _, side in ipairs { "left", "right" } do
    local q = s[side].value
    local sag = (s.pose[side] - q) * s.p.stiffness
    local weight = MASS * G * ARM / 2 * (math.sin(q) - s.p.feed_forward * math.sin(s.pose[side]))
    worst = math.max(worst, math.abs(sag - weight))
  end
  return letter(s) ~= nil, "no letter is shown at the end",
    worst < 0.05, ("the springs' torque differs from the weight's torque by %.3f N m, less than 0.05 "
      .. "expected"):format(worst),
    off < 0.02, ("the arms deviate by %.4f rad (rms) from their track, less than 0.02 expected"):format(off)
end

function scene.draw(s, view)
  local now = letter(s)
  if now then view:text(0, 2.2, now[1], "blue", "center") end
end

return scene
