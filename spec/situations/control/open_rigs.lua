-- Mechanisms of the control literature under square-wave commands follow their equations of motion.
-- Source: textbook (Sutton and Barto; Spong).
local impel = require "impel"

local scene = {
  title = "Open rigs", about = "Open mechanisms follow their equations of motion.", duration = 2.5,
  units = { off = "of the range" },
}
scene.params = { rig = { 1, help = "1 pendulum, 2 cart-pole, 3 acrobot, 4 double pendulum" }, rate = 240.0 }

local G, PI = 9.81, math.pi

-- Return the angular accelerations of two rods of 1 kg and 1 m. A hanging rod has the angle 0. u: torque of the second
-- hinge.
local function two_rods(inertia)
  return function(q, v, u)
    local c, s = math.cos(q[1] - q[2]) / 2, math.sin(q[1] - q[2]) / 2
    local m11, m22 = inertia + 1.25, inertia + 0.25
    local b1, b2 = -s * v[2] ^ 2 - 1.5 * G * math.sin(q[1]) - u, s * v[1] ^ 2 - 0.5 * G * math.sin(q[2]) + u
    local det = m11 * m22 - c * c
    return { (m22 * b1 - c * b2) / det, (m11 * b2 - c * b1) / det }
  end
end

local function rod(world, a, x, y, angle, mass, inertia) -- create a rod of 1 m that hangs at x, y; return its hinge
  local body = world:body { position = { x + impel.math.sin(angle) / 2, y - impel.math.cos(angle) / 2 }, angle = angle,
    mass = mass, inertia = inertia }
  return world:revolute(a, body, { anchor = { x, y }, reference_angle = 0 }), body
end

local function build_two(inertia)
  return function(world, q)
    local first, body = rod(world, world.ground, 0, 0, q[1], 1, inertia)
    local second = rod(world, body, impel.math.sin(q[1]), -impel.math.cos(q[1]), q[2], 1, inertia)
    return { first, second }, second
  end
end

-- start: initial coordinates, at rest; command: amplitude of the square wave; period: time between jumps of the wave;
-- accelerations: function of coordinates, speeds and command; build: returns the joints and the driven joint. Joint
-- values are relative: the second of two rods has q2 - q1.
local RIGS = {
  { start = { PI - 0.5 }, command = 2, period = 0.5,
    accelerations = function(q, _, u) return { -1.5 * G * math.sin(q[1]) + 3 * u } end,
    build = function(world, q)
      local hinge = rod(world, world.ground, 0, 0, q[1], 1, 1 / 12)
      return { hinge }, hinge
    end },
  { start = { 0, PI + 0.05 }, command = 10, period = 0.2, -- a cart of 1 kg with a pole of 0.1 kg
    accelerations = function(q, v, u)
      local c, s, ml = math.cos(q[2]), math.sin(q[2]), 0.05
      local b1, b2, m22 = u + ml * s * v[2] ^ 2, -ml * G * s, 0.1 / 3
      local det = 1.1 * m22 - (ml * c) ^ 2
      return { (m22 * b1 - ml * c * b2) / det, (1.1 * b2 - ml * c * b1) / det }
    end,
    build = function(world, q)
      local cart = world:body { mass = 1, inertia = 1 }
      local rail = world:prismatic(world.ground, cart, { axis = { 1, 0 } })
      return { rail, (rod(world, cart, 0, 0, q[2], 0.1, 0.1 / 12)) }, rail
    end },
  { start = { 0.1, 0 }, command = 1, period = 1, relative = true, accelerations = two_rods(1), build = build_two(1) },
  { start = { 2 * PI / 3, 5 * PI / 6 }, command = 0, period = 1, relative = true, accelerations = two_rods(1 / 12),
    build = build_two(1 / 12) },
}

function scene.setup(p)
  local world, rig = impel.world { sleep = false, dt = 1 / p.rate }, RIGS[p.rig]
  local joints, driven = rig.build(world, rig.start)
  return { world = world, p = p, joints = joints, drive = driven:coordinate(), off = 0, range = 0,
    q = { table.unpack(rig.start) }, v = { 0, 0 } }
end

-- Advance by one fourth-order Runge-Kutta step.
local function advance(rig, q, v, u, h)
  local n, x, w, dq, dv = #q, q, v, { 0, 0 }, { 0, 0 }
  for stage = 1, 4 do
    local a, weight, part = rig.accelerations(x, w, u), (stage == 2 or stage == 3) and 2 or 1, stage == 3 and 1 or 0.5
    local next_x, next_w = {}, {}
    for i = 1, n do
      dq[i], dv[i] = dq[i] + weight * w[i] / 6, dv[i] + weight * a[i] / 6
      next_x[i], next_w[i] = q[i] + part * h * w[i], v[i] + part * h * a[i]
    end
    x, w = next_x, next_w
  end
  for i = 1, n do q[i], v[i] = q[i] + h * dq[i], v[i] + h * dv[i] end
end

function scene.update(s)
  local rig = RIGS[s.p.rig]
  for i, joint in ipairs(s.joints) do
    local before = i == 2 and rig.relative and s.q[1] or 0
    local start = rig.start[i] - (before ~= 0 and rig.start[1] or 0)
    s.off = math.max(s.off, math.abs(joint.value - (s.q[i] - before)))
    s.range = math.max(s.range, math.abs(s.q[i] - before - start))
  end
  local u = math.floor((s.world.time + 1e-6) / rig.period) % 2 == 0 and rig.command or -rig.command
  s.drive:set_force(u)
  for _ = 1, 4 do advance(rig, s.q, s.v, u, s.world.dt / 4) end
end

function scene.measure(s) return { off = s.off / s.range } end

function scene.check(s)
  -- The bound is 5 % of the range of a coordinate, because the double pendulum amplifies the error of a first-order
  -- scheme.
  return s.off < 0.05 * s.range, ("a coordinate is off by %.4f of its range"):format(s.off / s.range)
end

return scene, { vary = { rig = { 1, 2, 3, 4 }, rate = { 240, 960 } }, solvers = { "direct", "reduced", "rattle" } }
