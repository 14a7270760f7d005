-- An elbow with a flexor and an extensor: muscles only pull, and their force depends on their length.
local impel = require "impel"

local scene = {
  title = "Elbow with two muscles",
  about = "Each muscle is of Hill's type: its force depends on length, speed and activation, and acts along its path. "
    .. "The flexor lifts a ball. From 2 s on the extensor pulls against the flexor, and the arm comes to rest where "
    .. "the torques balance.",
  duration = 10, -- [s]
  view = { x = 0.08, y = 0.14, height = 0.6 },
  units = { angle = "rad", flexor = "N", extensor = "N" },
}

scene.params = {
  flexor = { 0.4, min = 0, max = 1, help = "excitation of the flexor, the muscle in front of the arm" },
  extensor = { 0.15, min = 0, max = 1, help = "excitation of the extensor, the muscle behind the arm, from 2 s on" },
  ball = { 2.0, min = 0, max = 6, help = "mass of the ball in the hand [kg]" },
}

-- gravity [m/s^2], largest force of a muscle [N], width of the force-length curve [1]
local G, FORCE, WIDTH = 9.81, 1200, 0.45
local ARM, FOREARM = 0.3, 1.5            -- length [m], mass [kg] of the forearm
local HEEL = 0.03                        -- length by which the forearm extends beyond the hinge [m]

function scene.setup(p, seed)
  -- The elbow transmits 600 N, and `direct` closes hinges exactly.
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false, solver = "direct", substeps = 4 }
  local upper = world:body { name = "upper arm", type = "static", position = { 0, 0.15 } }
  upper:capsule { from = { 0, -0.13 }, to = { 0, 0.15 }, radius = 0.025, group = -1 }
  local forearm = world:body { name = "forearm", position = { ARM / 2, 0 }, mass = FOREARM,
    inertia = FOREARM * ARM ^ 2 / 12, angular_damping = 0 }
  forearm:capsule { from = { -ARM / 2 - HEEL, 0 }, to = { ARM / 2, 0 }, radius = 0.02, group = -1 }
  local elbow = world:revolute(upper, forearm, { anchor = { 0, 0 }, limit = { -1.2, 2.2 }, reference_angle = 0 })
  local ball = world:body { name = "ball", position = { ARM, 0 }, mass = p.ball > 0 and p.ball or 1e-3 }
  ball:circle { radius = 0.05, group = -1 }
  world:weld(forearm, ball, {})
  local s = { world = world, p = p, upper = upper, forearm = forearm, ball = ball, elbow = elbow }
  s.flexor = impel.muscle({ { upper, 0.02, 0.12 }, { forearm, 0.05 - ARM / 2, 0.02 } },
    { max_force = FORCE, excitation = p.flexor, optimal_length = 0.26 })
  s.extensor = impel.muscle({ { upper, -0.02, 0.12 }, { upper, -0.03, -0.1 }, { forearm, -HEEL - ARM / 2, 0 } },
    { max_force = FORCE, optimal_length = 0.28 })
  return s
end

function scene.update(s)
  s.extensor.excitation = s.world.time >= 2 and s.p.extensor or 0
end

function scene.measure(s)
  return { angle = s.elbow.value, flexor = s.flexor.force, extensor = s.extensor.force }
end

-- Return length and moment arm [m] of a muscle from (x1, y1) in the world to (lx, ly) in the frame of the forearm.
local function stretch(s, x1, y1, lx, ly)
  local x2, y2 = s.forearm:world_point(lx, ly)
  local length = math.sqrt((x2 - x1) ^ 2 + (y2 - y1) ^ 2)
  local arm = (x2 * (y1 - y2) - y2 * (x1 - x2)) / length -- moment arm of the muscle about the hinge at 0, 0 [m]
  return length, arm
end

local function pen(view, muscle, ...)
  view:polyline({ ... }, "red")
  local x, y = select(1, ...), select(2, ...)
  local side = x > 0 and 1 or -1
  view:text(x + 0.02 * side, y + 0.02, ("%.0f N"):format(muscle.force), "red", x > 0 and "left" or "right")
end

function scene.draw(s, view)
  pen(view, s.flexor, 0.02, 0.27, s.forearm:world_point(0.05 - ARM / 2, 0.02))
  local x, y = s.forearm:world_point(-HEEL - ARM / 2, 0)
  pen(view, s.extensor, -0.02, 0.27, -0.03, 0.05, x, y)
end

function scene.check(s)
  local front, front_arm = stretch(s, 0.02, 0.27, 0.05 - ARM / 2, 0.02)
  local back, back_arm = stretch(s, -0.03, 0.05, -HEEL - ARM / 2, 0)
  back = back + math.sqrt(0.01 ^ 2 + 0.22 ^ 2)
  -- force of a muscle at zero speed; the passive force acts only beyond the rest length
  local function hill(activation, length, rest)
    local l = length / rest
    local passive = l > 1 and (math.exp(5 * (l - 1) / 0.6) - 1) / (math.exp(5) - 1) or 0
    return FORCE * (activation * math.exp(-(l - 1) ^ 2 / WIDTH) + passive)
  end
  local pull = hill(s.p.flexor, front, 0.26) * front_arm + hill(s.p.extensor, back, 0.28) * back_arm
  local weight = G * (FOREARM * s.forearm:center() + s.ball.mass * s.ball:center())
  return math.abs(s.elbow.speed) < 1e-3, ("the forearm turns at %.4f rad/s, 0 expected"):format(s.elbow.speed),
    math.abs(s.elbow.value) < 1.15, ("the elbow should not reach its limit, but is at %.2f rad"):format(s.elbow.value),
    math.abs(pull - weight) < 1e-3 * FORCE * 0.05,
    ("the torque of the muscles, %.3f N m, differs from that of the weight, %.3f N m"):format(pull, weight)
end

return scene
