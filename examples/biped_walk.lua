-- A humanoid walks: four states, springs in knees and ankles, and a balance law in the hips.
-- source: Yin, Loken and van de Panne, "SIMBICON: Simple Biped Locomotion Control" (2007), 2D
local impel = require "impel"

local scene = {
  title = "Walking",
  about = "Torques in the hips turn the torso and the thigh of the swing leg to target angles in the world; the target "
    .. "angles of the other joints are relative to the parent link. The further ahead of the stance foot the hip is, "
    .. "and the faster the hip moves, the further forward the swing leg is put. Gusts of wind change every second and "
    .. "depend on the seed.",
  duration = 10, -- [s]
  view = { x = 7, y = 1.4, height = 9 },
  units = { x = "m", y = "m", v = "m/s", lean = "rad", steps = "1" },
}

scene.params = {
  gust = { 80.0, min = 0, max = 100, help = "largest force of a gust on the torso, forward or back [N]; the gust "
    .. "changes every second" },
  stiffness = { 300.0, min = 100, max = 1000, help = "stiffness of every joint [N m/rad]" },
  damping = { 30.0, min = 10, max = 100, help = "damping of every joint [N m s/rad]" },
  balance = { 1.0, min = 0, max = 1.2, help = "factor on the gains of the balance law; 0: no balance" },
}

-- Target angles of swing leg and stance leg [rad]; `thigh` in the world, the others relative to the parent link.
-- Gains on the hip relative to the stance foot: cd [rad/m] on position, cv [rad s/m] on velocity. The form of the law
-- is from the source; `impel tune` found the numbers, for five seeds and gusts of 120 N.
local LIFT = { thigh = 0.8, knee = -1.45, stance_knee = -0.05, cd = -0.4, cv = 0.16 }
local STRIKE = { thigh = -0.4, knee = -0.05, stance_knee = -0.1, cd = 1.8, cv = -0.1 }
-- ANKLE, LEAN [rad]; TIME of `lift` [s]; torque limit MOST [N m]; START speed [m/s]
local ANKLE, LEAN, TIME, MOST, START = 0.2, -0.11, 0.32, 1000, 0.6

local function stands_on(foot, ground)
  for contact in foot:contacts() do
    if contact.body_a == ground or contact.body_b == ground then return true end
  end
  return false
end

local function aim(s, part)
  s.part = part
  s.posture:aim(s.swing .. "_knee", part.knee)
  s.posture:aim(s.stance .. "_knee", part.stance_knee)
end

local function change_legs(s)
  s.swing, s.stance, s.steps = s.stance, s.swing, s.steps + 1
  aim(s, LIFT)
end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, substeps = 8 }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 200, 2, center = { 0, -1 }, friction = 0.9 }
  local walker = impel.rig.biped(world, {})
  local s = { world = world, p = p, ground = ground, walker = walker, swing = "right", stance = "left", steps = 0,
    lowest = math.huge, gust = 0 }
  s.posture = impel.posture({ left_knee = walker.left_knee, right_knee = walker.right_knee,
    left_ankle = walker.left_ankle, right_ankle = walker.right_ankle },
    { stiffness = p.stiffness, damping = p.damping })
  s.posture:set { left_ankle = ANKLE, right_ankle = ANKLE }
  for _, body in ipairs(walker.bodies) do body:set_velocity(START, 0) end
  s.machine = impel.state_machine(world, { initial = "lift", data = s, states = {
    lift = { enter = change_legs, { to = "strike", after = TIME } },
    strike = { enter = function() aim(s, STRIKE) end,
      { to = "lift", after = 0.02, when = function() return stands_on(walker[s.swing .. "_foot"], ground) end } },
  } })
  return s
end

-- Return the PD torque that turns a body to an angle in the world [N m].
local function turn(p, body, angle)
  return math.max(-MOST, math.min(MOST, p.stiffness * (angle - body.angle) - p.damping * body.angular_velocity))
end

-- The swing hip turns its thigh to a world angle; the stance hip balances the torso.
function scene.substep(s)
  local w, p, part = s.walker, s.p, s.part
  local ahead = w.torso:position() - w[s.stance .. "_foot"]:position()
  local thigh = part.thigh + p.balance * (part.cd * ahead + part.cv * w.torso:velocity())
  local swing, upright = turn(p, w[s.swing .. "_thigh"], thigh), turn(p, w.torso, LEAN)
  w[s.swing .. "_hip"]:coordinate():set_force(swing)
  w[s.stance .. "_hip"]:coordinate():set_force(-upright - swing)
end

function scene.update(s)
  if s.world.tick % 60 == 0 then s.gust = s.p.gust * (2 * s.world:random() - 1) end
  s.walker.torso:apply_force(s.gust, 0)
  local _, y = s.walker.torso:position()
  s.lowest = math.min(s.lowest, y)
end

function scene.measure(s)
  local x, y = s.walker.torso:position()
  return { x = x, y = y, v = (s.walker.torso:velocity()), lean = s.walker.torso.angle, steps = s.steps }
end

function scene.check(s)
  local x = s.walker.torso:position()
  return s.lowest > 0.8 * s.walker.hip_height,
    ("the figure fell: the hip sank to a height of %.2f m from %.2f m"):format(s.lowest, s.walker.hip_height),
    x > 10, ("the figure came only to x = %.2f m, more than 10 m expected"):format(x),
    s.steps > 20, ("%d steps, more than 20 expected"):format(s.steps)
end

function scene.draw(s, view)
  local x, y = s.walker.torso:position()
  view:trail("hip", x, y)
  if s.gust ~= 0 then view:arrow(x, y + 0.4, x + s.gust / 100, y + 0.4, "red") end
end

return scene
