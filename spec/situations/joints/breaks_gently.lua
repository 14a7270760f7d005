-- A torque makes two or three joined bodies rotate faster and faster until a joint breaks. The joint breaks at the
-- angular velocity at which the joint's force reaches the limit. The break adds no energy and no momentum.
-- Source: IsaacLab issue 2619 (bodies are thrown apart when a joint reaches its breaking force).
local impel = require "impel"

local scene = {
  title = "Breaks gently", about = "A joint that breaks adds no energy.", duration = 4,
  units = { spin = "of the breaking spin", gain = "of the energy", momentum = "of m v" },
}
scene.params = {
  kind = { 1, help = "1: hinge with a spring, 2: weld, 3: welds of three bodies in a row" },
  ratio = { 1.0, help = "mass of the first body / mass of each other body" }, rate = 60.0,
}

local FORCE = 100 -- breaking force of the joints [N]

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, dt = 1 / p.rate }
  local s = { world = world, p = p, bodies = {}, joints = {}, work = 0, gain = 0, momentum = 0 }
  local count = p.kind == 3 and 3 or 2
  local mass = p.ratio + count - 1
  -- middle: centre of mass of the bodies, which are 1 m apart
  local middle = (count - 1) * count / 2 / mass
  for i = 1, count do
    local m = i == 1 and p.ratio or 1
    s.bodies[i] = world:body { position = { i - 1 - middle, 0 }, mass = m, inertia = m / 6 }
    s.bodies[i]:box { 0.9, 0.9, mask = 0 }
  end
  local outer = count - 1 - middle -- distance of the last body from the centre of mass
  s.inertia = p.ratio * middle ^ 2 + p.ratio / 6
  for i = 2, count do
    s.inertia = s.inertia + (i - 1 - middle) ^ 2 + 1 / 6
    local anchor = { i - 1.5 - middle, 0 }
    s.joints[i - 1] = p.kind == 1 and world:revolute(s.bodies[i - 1], s.bodies[i], { anchor = anchor,
      break_force = FORCE, spring = { hertz = 10, damping_ratio = 1, target = 0 } })
      or world:weld(s.bodies[i - 1], s.bodies[i], { anchor = anchor, break_force = FORCE })
  end
  -- The joint with the largest force carries pull * w^2. pull: sum of mass times distance from the axis [kg m] over the
  -- last body and, of three bodies, the second one, if it is on the same side of the axis.
  local pull = outer + (count == 3 and math.max(0, outer - 1) or 0)
  s.breaks_at = math.sqrt(FORCE / pull)
  s.torque = s.inertia * s.breaks_at / 2 -- this torque gives the angular velocity `breaks_at` in 2 s
  return s
end

local function energy_and_momentum(s)
  local x, y, m = 0, 0, 0
  for _, body in ipairs(s.bodies) do
    local vx, vy = body:velocity()
    x, y, m = x + body.mass * vx, y + body.mass * vy, m + body.mass * math.sqrt(vx * vx + vy * vy)
  end
  return s.world:energy(), math.sqrt(x * x + y * y) / math.max(m, 1e-9)
end

function scene.update(s)
  local energy, momentum = energy_and_momentum(s)
  if energy > 0.01 then
    s.momentum = math.max(s.momentum, momentum)
    if s.broken then s.gain = math.max(s.gain, energy / s.energy - 1) end
  end
  if s.broken then return end
  s.energy = energy
  for _, joint in ipairs(s.joints) do s.broken = s.broken or joint.broken end
  s.spin = s.bodies[1].angular_velocity
  if not s.broken then s.bodies[1]:apply_torque(s.torque) end
end

function scene.measure(s)
  return { spin = (s.spin or 0) / s.breaks_at, gain = s.gain, momentum = s.momentum }
end

function scene.check(s)
  local now = scene.measure(s)
  return s.broken or false, "nothing broke",
    -- The joint breaks at the angular velocity w with m r w^2 = F. The torque reaches w in 2 s, so a step of 1/30 s
    -- adds 1.7 %. Steps along the tangent add the fraction (w dt)^2 to the force.
    math.abs(now.spin - 1) < 0.02 + (s.breaks_at / s.p.rate) ^ 2,
    ("the joint broke at %.3f of the spin that its force limit allows"):format(now.spin),
    -- Float rounding.
    s.gain < 1e-3, ("the energy grew by %.3g after the break"):format(s.gain),
    -- Float rounding.
    s.momentum < 1e-3, ("the momentum became %.3g of m v"):format(s.momentum)
end

return scene, {
  vary = { kind = { 1, 2, 3 }, ratio = { 1, 30 }, rate = { 30, 60, 240 } }, solvers = { "si", "direct" },
}
