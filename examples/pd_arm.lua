-- PD controllers in Lua hold three arms level: feed-forward removes the sag.
local impel = require "impel"

local scene = {
  title = "Arms held by PD controllers",
  about = "torque = kp (target - angle) + kd (0 - speed). Under a load torque the arm sags by load / kp: four times "
    .. "the gain, a quarter of the sag. The third controller adds the torque of the arm's weight as feed-forward, "
    .. "and its arm does not sag.",
  duration = 8, -- [s]
  view = { x = 2.3, y = 0.05, height = 3 },
  units = { weak = "rad", strong = "rad", feed_forward = "rad" },
}

scene.params = {
  kp = { 50.0, min = 10, max = 400, help = "gain of the first and third arm [N m/rad]; the strong arm has four times "
    .. "this gain" },
  damping = { 0.5, min = 0.02, max = 3, help = "damping ratio: below 1 an arm overshoots, above 1 it creeps" },
  push = { 3.0, min = 0, max = 10, help = "impulse on the end of each arm [N s], given once, from 4 to 4.02 s" },
}

local G, MASS, LENGTH = 9.81, 1, 1
local INERTIA = MASS * LENGTH ^ 2 / 3 -- moment of inertia about the hinge [kg m^2]

-- Return the torque that holds an arm at an angle.
local function weight_torque(angle) return MASS * G * LENGTH / 2 * math.cos(angle) end

local function arm(world, name, x, options)
  local body = world:body { name = name, position = { x + LENGTH / 2, 0 }, mass = MASS, inertia = INERTIA / 4 }
  body:capsule { from = { -0.5, 0 }, to = { 0.5, 0 }, radius = 0.04 }
  local hinge = world:revolute(world.ground, body, { anchor = { x, 0 }, name = name })
  return { body = body, hinge = hinge, x = x, name = name, pd = impel.pd(hinge, options) }
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, sleep = false }
  local function gains(kp) return { kp = kp, kd = 2 * p.damping * math.sqrt(kp * INERTIA) } end
  local third = gains(p.kp)
  third.feed_forward = weight_torque -- the torque of the weight at the target angle
  local arms = { arm(world, "weak", 0, gains(p.kp)), arm(world, "strong", 1.8, gains(4 * p.kp)),
                 arm(world, "feed_forward", 3.6, third) }
  for _, a in ipairs(arms) do
    impel.timed_force(a.body, { impulse = { 0, -p.push }, point = { LENGTH / 2, 0 }, duration = 0.02, delay = 4 })
  end
  return { world = world, arms = arms }
end

function scene.measure(s)
  return { weak = s.arms[1].hinge.value, strong = s.arms[2].hinge.value, feed_forward = s.arms[3].hinge.value }
end

-- Draw each arm's target and torque.
function scene.draw(s, view)
  for _, a in ipairs(s.arms) do
    view:line(a.x, 0, a.x + LENGTH, 0, "green")
    view:text(a.x + 0.5, 0.3, ("%s: kp = %g"):format(a.name, a.pd.kp), "grey", "center")
    view:text(a.x + 0.5, 0.16, ("%.2f N m"):format(a.pd.force), "grey", "center")
    view:text(a.x + 0.5, -0.3, ("%.3f rad off"):format(a.hinge.value), "grey", "center")
  end
end

-- Return the angle where kp (0 - angle) balances the weight, by Newton's method.
local function sag(kp)
  local angle = 0
  for _ = 1, 20 do
    angle = angle - (kp * angle + weight_torque(angle)) / (kp - MASS * G * LENGTH / 2 * math.sin(angle))
  end
  return angle
end

function scene.check(s)
  local weak, strong, third = s.arms[1], s.arms[2], s.arms[3]
  local function rests(a, expected)
    local off = math.abs(a.hinge.value - expected)
    return off < 1e-3 and math.abs(a.hinge.speed) < 1e-3,
      ("the %s arm is at %.4f rad, %.4f expected, and turns at %.4f rad/s"):format(a.name, a.hinge.value, expected,
        a.hinge.speed)
  end
  local ok1, text1 = rests(weak, sag(weak.pd.kp))
  local ok2, text2 = rests(strong, sag(strong.pd.kp))
  return ok1, text1, ok2, text2, rests(third, 0)
end

return scene
