-- A ragdoll of eleven bones falls three metres, and its joints must hold together.
local impel = require "impel"

local scene = {
  title = "Ragdoll drop",
  about = "Each joint has a limit, a soft spring and friction, and the landing's impact acts through all of them. The "
    .. "joints may then open by some millimetres, and must close again; with --set substeps=1 they open too far.",
  duration = 4, -- [s]
  view = { x = 0, y = 1.2, height = 3.4 },
}

scene.params = {
  height = { 3.0, min = 0.5, max = 3, help = "height of the feet above the ground [m]" },
  tilt = { 0.1, min = -1.2, max = 1.2, help = "initial lean of the figure to the left [rad]" },
  substeps = { 4, integer = true, min = 1, max = 16, help = "substeps per step" },
}

-- G [m/s^2]; FEET: y of the soles [m]; largest gap of a joint [m]: PEAK at any time, LATE 1 s or more after an impact
local G, FEET, PEAK, LATE = 9.81, 0.275, 0.04, 0.003

-- Bones: half length, radius and centre's y of the capsule [m]; parent; y of the joint to the parent [m]; limits [rad].
local bones = {
  { "hip", 0.02, 0.095, 0.95 },
  { "torso", 0.135, 0.09, 1.2, "hip", 1.0, -0.8, 0.4 },
  { "head", 0.038, 0.075, 1.475, "torso", 1.4, -0.8, 0.4 },
  { "left thigh", 0.125, 0.06, 0.775, "hip", 0.9, -0.4, 1.8 },
  { "left shin", 0.14, 0.045, 0.46, "left thigh", 0.625, -2.2, 0 },
  { "right thigh", 0.125, 0.06, 0.775, "hip", 0.9, -0.4, 1.8 },
  { "right shin", 0.14, 0.045, 0.46, "right thigh", 0.625, -2.2, 0 },
  { "left arm", 0.125, 0.035, 1.225, "torso", 1.35, -1.5, 2.5 },
  { "left forearm", 0.125, 0.03, 0.975, "left arm", 1.1, 0, 2.2 },
  { "right arm", 0.125, 0.035, 1.225, "torso", 1.35, -1.5, 2.5 },
  { "right forearm", 0.125, 0.03, 0.975, "right arm", 1.1, 0, 2.2 },
}
-- polygon of a foot, relative to the middle of the shin
local foot = { { -0.03, -0.17 }, { 0.11, -0.17 }, { 0.11, -0.125 }, { -0.03, -0.125 } }

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, substeps = p.substeps, sleep = false }
  local ground = world:body { type = "static", name = "ground" }
  ground:box { 40, 1, center = { 0, -0.5 } }
  local s = { world = world, ground = ground, joints = {}, weight = 0, peak = 0, late = 0 }
  local cos, sin = math.cos(p.tilt), math.sin(p.tilt)
  local function place(y) return { -sin * (y - FEET), p.height + cos * (y - FEET) } end
  local bodies = {}
  for _, bone in ipairs(bones) do
    local name, half, radius, y, parent, pivot, lower, upper = table.unpack(bone)
    local body = world:body { name = name, position = place(y), angle = p.tilt }
    body:capsule { from = { 0, -half }, to = { 0, half }, radius = radius, friction = 0.2, group = -1 }
    if name:find "shin" then body:polygon { points = foot, radius = 0.015, friction = 0.05, group = -1 } end
    if parent then
      s.joints[#s.joints + 1] = world:revolute(bodies[parent], body, { name = name, anchor = place(pivot),
        limit = { lower, upper }, spring = { hertz = 5, damping_ratio = 0.5 },
        motor = { speed = 0, max_force = 0.05 } }) -- friction [N m]
    end
    bodies[name], s.weight = body, s.weight + body.mass * G
  end
  world:on("begin_contact", function() s.landed = s.landed or world.time end)
  -- record every hit, because a standing ragdoll can fall on its head later
  world:on("hit", function() s.blow = world.time end)
  return s
end

-- Return the largest gap of a joint [m], and the joint's name.
local function worst(s)
  local most, name = 0, "no joint"
  for _, joint in ipairs(s.joints) do
    if joint.separation > most then most, name = joint.separation, joint.name end
  end
  return most, name
end

function scene.update(s)
  local most, name = worst(s)
  if most > s.peak then s.peak, s.which = most, name end
  if s.blow and s.world.time > s.blow + 1 then s.late = math.max(s.late, most) end
end

function scene.measure(s)
  local _, force = s.ground:contact_force()
  local kinetic = s.world:energy()
  return { separation = worst(s), carried = -force / s.weight, kinetic = kinetic }
end

function scene.check(s)
  if not s.landed or s.world.time < s.landed + 2 then return false, "cannot be checked until 2 s after the landing" end
  local _, force = s.ground:contact_force()
  local carried = -force / s.weight
  return s.peak < PEAK, ("%s opened by %.1f mm, less than %g expected"):format(s.which, 1e3 * s.peak, 1e3 * PEAK),
    s.late < LATE, ("more than 1 s after an impact, a joint is open by %.1f mm; less than %g "
      .. "expected"):format(1e3 * s.late,
      1e3 * LATE),
    math.abs(carried - 1) < 0.01, ("the ground carries %.4f of the weight, 1 expected"):format(carried)
end

return scene
