-- A chain of 1 to 5 links with geared motors and rotors on its hinges is released level. The joints follow the
-- equations of motion with the inertia r^2 J on each hinge.
-- Source: Drake issue 13657 and Bullet issue 2249 (reflected inertia, or a rotor on a gear instead); textbook for the
-- equations.
local impel = require "impel"

local scene = {
  title = "Motors with rotors", about = "A motor's rotor adds its inertia to its hinge.", duration = 3,
  units = { off = "rad", fastest = "rad/s", right = "rad/s" },
}
scene.params = {
  links = 2, reflected = { 1.0, help = "inertia of a rotor reflected to its joint [kg m^2]" },
  gear = { false, help = "flywheels on gears instead of rotors of motors" }, rate = 240.0,
}

local LENGTH, MASS, INERTIA = 0.45, 1, 0.45 ^ 2 / 12
local RATIO, STALL, NO_LOAD, COMMAND = 10, 1, 200, 0.5 -- torque at a joint: 10 (0.5 - q' / 20) N m
local TORQUE, DAMPING = RATIO * STALL * COMMAND, RATIO ^ 2 * STALL / NO_LOAD

-- Return the angular accelerations a from M a = b, with angles from hanging. One radian of link i moves the centre of
-- link k by l if i < k, and by l / 2 if i = k.
local function accelerations(n, reflected, angle, speed)
  local m, b = {}, {}
  for i = 1, n do
    m[i], b[i] = {}, 0
    for j = 1, n do
      local both = 0
      for k = math.max(i, j), n do both = both + MASS * (k == i and 0.5 or 1) * (k == j and 0.5 or 1) * LENGTH ^ 2 end
      m[i][j] = both * math.cos(angle[i] - angle[j])
      b[i] = b[i] - both * math.sin(angle[i] - angle[j]) * speed[j] ^ 2
    end
    m[i][i] = m[i][i] + INERTIA
    b[i] = b[i] - 9.81 * MASS * LENGTH * (n - i + 0.5) * math.sin(angle[i])
  end
  for i = 1, n do -- hinge i, between links i - 1 and i
    local torque = TORQUE - DAMPING * (speed[i] - (speed[i - 1] or 0))
    m[i][i], b[i] = m[i][i] + reflected, b[i] + torque
    if i > 1 then
      m[i - 1][i - 1], b[i - 1] = m[i - 1][i - 1] + reflected, b[i - 1] - torque
      m[i][i - 1], m[i - 1][i] = m[i][i - 1] - reflected, m[i - 1][i] - reflected
    end
  end
  for i = 1, n do -- Gaussian elimination
    for k = i + 1, n do
      local f = m[k][i] / m[i][i]
      for j = i, n do m[k][j] = m[k][j] - f * m[i][j] end
      b[k] = b[k] - f * b[i]
    end
  end
  for i = n, 1, -1 do
    for j = i + 1, n do b[i] = b[i] - m[i][j] * b[j] end
    b[i] = b[i] / m[i][i]
  end
  return b
end

-- Advance by one fourth-order Runge-Kutta step.
local function advance(n, reflected, angle, speed, h)
  local q, v, dq, dv = angle, speed, {}, {}
  for i = 1, n do dq[i], dv[i] = 0, 0 end
  for stage = 1, 4 do
    local a = accelerations(n, reflected, q, v)
    local weight, part = (stage == 2 or stage == 3) and 2 or 1, stage == 3 and 1 or 0.5
    local next_q, next_v = {}, {}
    for i = 1, n do
      dq[i], dv[i] = dq[i] + weight * v[i] / 6, dv[i] + weight * a[i] / 6
      next_q[i], next_v[i] = angle[i] + part * h * v[i], speed[i] + part * h * a[i]
    end
    q, v = next_q, next_v
  end
  for i = 1, n do angle[i], speed[i] = angle[i] + h * dq[i], speed[i] + h * dv[i] end
end

local function add_rotor(world, joint, p, x)
  if not p.gear then
    impel.motor(joint, { ratio = RATIO, stall_torque = STALL, no_load_speed = NO_LOAD, command = COMMAND,
      rotor_inertia = p.reflected / RATIO ^ 2 })
    return
  end
  joint:coordinate():set_force(TORQUE)
  joint:coordinate():set_spring { stiffness = 0, damping = DAMPING, target = 0 }
  local wheel = world:body { position = { x, 3 }, mass = 1, inertia = p.reflected }
  local axle = world:revolute(world.ground, wheel, { anchor = { x, 3 } })
  world:gear { joint1 = joint, joint2 = axle, ratio = -1 }
end

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local s = { world = world, p = p, joints = {}, angle = {}, speed = {}, off = 0, fastest = 0, right = 0 }
  local last = world.ground
  for i = 1, p.links do
    local link = world:body { position = { (i - 0.5) * LENGTH, 0 }, mass = MASS, inertia = INERTIA }
    s.joints[i] = world:revolute(last, link, { anchor = { (i - 1) * LENGTH, 0 } })
    add_rotor(world, s.joints[i], p, (i - 1) * LENGTH)
    s.angle[i], s.speed[i], last = math.pi / 2, 0, link
  end
  return s
end

-- Advance the equations by one step of the world.
function scene.update(s)
  for i, joint in ipairs(s.joints) do
    local value, speed = joint:state()
    local right = s.angle[i] - (s.angle[i - 1] or math.pi / 2)
    s.off = math.max(s.off, math.abs(value - right))
    s.fastest = math.max(s.fastest, math.abs(speed))
    s.right = math.max(s.right, math.abs(s.speed[i] - (s.speed[i - 1] or 0)))
  end
  advance(s.p.links, s.p.reflected, s.angle, s.speed, s.world.dt)
end

function scene.measure(s) return { off = s.off, fastest = s.fastest, right = s.right } end

function scene.check(s)
  -- A first-order scheme is off by about v dt at each link. The bound is twice the sum over the links.
  local bound = 2 * s.right * s.p.links / s.p.rate
  return s.off < bound, ("a joint's angle was off by %.4f rad, %.4f allowed"):format(s.off, bound),
    s.fastest < 1.1 * s.right, ("a joint turned at %.3g rad/s, %.3g expected"):format(s.fastest, s.right)
end

return scene, {
  vary = { links = { 1, 2, 3, 5 }, reflected = { 0.2, 1 }, gear = { false, true } }, solvers = { "reduced", "rattle" },
}
