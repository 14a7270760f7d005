-- A humanoid keeps its balance under pushes: a quadratic program finds the joint torques.
local impel = require "impel"

local scene = {
  title = "Balance by a quadratic program",
  about = "impel.optimal finds the joint torques and contact forces that best keep the centre of mass above the feet "
    .. "and the trunk upright. The torques stay within the limits of the motors, the contact forces within the "
    .. "friction of the soles. No target pose is computed.",
  duration = 8, -- [s]
  view = { x = 0, y = 0.7, height = 1.9 },
  units = { x = "m", lean = "rad", torque = "N m", feet = "N" },
}

scene.params = {
  control = { true, help = "false: all joints are limp" },
  push = { 20.0, min = 0, max = 25, help = "impulse on the trunk every 2 s, from alternating sides [N s]" },
  max_torque = { 120.0, min = 80, max = 300, help = "torque limit of each joint [N m]" },
  friction = { 0.6, min = 0.4, max = 1, help = "coefficient of friction of the floor" },
}

local G, BEND = 9.81, 0.35 -- gravity [m/s^2], initial tilt of thighs and shanks [rad]
local TRUNK, THIGH, SHANK, FOOT = 0.55, 0.42, 0.42, 0.26 -- lengths [m]
local MASSES = { trunk = 45, thigh = 8, shank = 4, foot = 1.2 } -- [kg]

-- Add a limb from (x, y) to (x2, y2), hinged to its parent at the first point.
local function limb(world, parent, name, radius, x, y, x2, y2)
  local length, angle = math.sqrt((x2 - x) ^ 2 + (y2 - y) ^ 2) / 2, math.atan(y2 - y, x2 - x)
  local position = { (x + x2) / 2, (y + y2) / 2 }
  local body = world:body { name = name, position = position, angle = angle, mass = MASSES[name], allow_sleep = false }
  body:capsule { from = { -length, 0 }, to = { length, 0 }, radius = radius, group = -1 }
  if parent then world:revolute(parent, body, { anchor = { x, y } }) end
  return body
end

function scene.setup(p, seed)
  -- Under `soft` the loaded feet would creep, because they are light.
  local world = impel.world { seed = seed, gravity = { 0, -G }, solver = "direct" }
  world:body({ type = "static" }):box { 20, 1, center = { 0, -0.5 }, friction = p.friction }
  local ankle, dx = 0.1, 0.42 * math.sin(BEND)
  local knee, hip = ankle + SHANK * math.cos(BEND), ankle + (SHANK + THIGH) * math.cos(BEND)
  local trunk, contacts = limb(world, nil, "trunk", 0.12, 0, hip, 0, hip + TRUNK), {}
  local s = { world = world, trunk = trunk, push = p.push, max_torque = p.max_torque, pushes = 0, torque = 0, cone = 0,
    friction = p.friction, feet = {}, at = {}, weight = MASSES.trunk * G }
  for side = -1, 1, 2 do
    local x = 0.14 * side
    local thigh = limb(world, trunk, "thigh", 0.07, x, hip, x + dx, knee)
    local shank = limb(world, thigh, "shank", 0.05, x + dx, knee, x, ankle)
    local foot = world:body { name = "foot", position = { x, 0.04 }, mass = MASSES.foot, allow_sleep = false }
    foot:box { FOOT, 0.08, friction = p.friction, group = -1 }
    world:revolute(shank, foot, { anchor = { x, ankle } })
    for corner = -1, 1, 2 do contacts[#contacts + 1] = { body = foot, point = { corner * FOOT / 2, -0.04 } } end
    s.feet[#s.feet + 1], s.at[#s.at + 1] = foot, x
    s.weight = s.weight + (MASSES.thigh + MASSES.shank + MASSES.foot) * G
  end
  s.balance = impel.optimal(trunk, {
    enabled = p.control, max_torque = p.max_torque, contacts = contacts,
    tasks = {
      { kind = "center", weight = 10 }, { kind = "angle", body = trunk }, { kind = "posture", weight = 0.1 },
      { kind = "momentum", weight = 1e-3 },
    },
  })
  return s
end

-- Return the largest joint torque that the controller commands [N m].
local function hardest(s)
  local most = 0
  for _, tau in ipairs(s.balance.tau) do most = math.max(most, math.abs(tau)) end
  return most
end

function scene.update(s)
  if s.push > 0 and s.pushes < 3 and s.world.time >= 1 + 2 * s.pushes then
    s.trunk:apply_impulse(s.pushes % 2 == 0 and s.push or -s.push, 0)
    s.pushes = s.pushes + 1
  end
  s.torque = math.max(s.torque, hardest(s))
  for _, contact in ipairs(s.balance.contacts) do
    s.cone = math.max(s.cone, math.abs(contact.tangent_force) - s.friction * contact.normal_force)
  end
end

local function feet_force(s)
  return select(2, s.feet[1]:contact_force()) + select(2, s.feet[2]:contact_force())
end

function scene.measure(s)
  local x = s.balance.multibody:center()
  return { x = x, lean = s.trunk.angle - math.pi / 2, torque = hardest(s), feet = feet_force(s) }
end

function scene.check(s)
  local lean, _, height = math.abs(s.trunk.angle - math.pi / 2), s.trunk:position()
  local weight, slide = feet_force(s), 0
  for i, foot in ipairs(s.feet) do slide = math.max(slide, math.abs(foot:position() - s.at[i])) end
  return s.world.time > 7, "cannot be checked before 7 s: the figure has 2 s to recover from the last push",
    height > 0.9 and lean < 0.05, ("the trunk is %.2f m high and leans by %.2f rad"):format(height, lean),
    math.abs(weight / s.weight - 1) < 0.01, ("the soles carry %.1f N, the weight is %.1f N"):format(weight, s.weight),
    slide < 0.03, ("a foot slid by %.3f m, less than 0.03 m expected"):format(slide),
    s.torque < s.max_torque + 1e-9, ("a motor's torque is %.3f N m, its limit %g"):format(s.torque, s.max_torque),
    s.cone < 1e-9, ("the tangential force on a sole exceeds friction by %.3g N"):format(s.cone)
end

-- Draw the centre of mass, the commanded contact forces, and each push for 0.4 s.
function scene.draw(s, view)
  local x, y = s.balance.multibody:center()
  view:point(x, y, "red")
  local since = view.time - (2 * s.pushes - 1)
  if s.pushes > 0 and since < 0.4 then
    local side = s.pushes % 2 == 0 and 1 or -1
    view:arrow(0.6 * side, 1.2, 0.2 * side, 1.2, "blue")
    view:text(0.6 * side, 1.25, ("%g N s"):format(s.push), "blue", "center")
  end
  for _, contact in ipairs(s.balance.contacts) do
    local fn, ft = contact.normal_force / 1000, contact.tangent_force / 1000
    view:arrow(contact.x, contact.y, contact.x + ft, contact.y + fn, "red")
  end
end

return scene
