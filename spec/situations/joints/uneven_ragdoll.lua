-- The trunk of a ragdoll in space is much heavier or much lighter than its hands. After a push on the trunk, the energy
-- of the ragdoll never grows, and its momentum is constant.
-- Source: shock2quest pull request 278 (limbs with masses of 365:1 spin faster and faster), O3DE issues 2610 and 12267
-- (ragdolls whose masses are computed from volumes).
local impel = require "impel"

local scene = {
  title = "Uneven ragdoll", about = "A ragdoll in space gains no energy after a push.", duration = 8,
  units = { gain = "of the push", open = "m", momentum = "of the push" },
}
scene.params = {
  ratio = { 100.0, help = "mass of the trunk / mass of a hand" }, size = 1.0, rate = 60.0, substeps = { 4, min = 1 },
}

function scene.setup(p)
  local world, k = impel.world { sleep = false, gravity = { 0, 0 }, dt = 1 / p.rate, substeps = p.substeps }, p.size
  local s = { world = world, p = p, bodies = {}, open = 0, gain = 0, momentum = 0 }
  -- From part to part, from the trunk to hands and feet, the mass changes by the same factor.
  local function part(x, y, w, h, step)
    local body = world:body { position = { k * x, k * y }, mass = p.ratio ^ (1 - step / 3) }
    body:box { k * w, k * h, group = -1 }
    s.bodies[#s.bodies + 1] = body
    return body
  end
  local function pin(a, b, x, y, lower, upper)
    world:revolute(a, b, { anchor = { k * x, k * y }, limit = { lower, upper } })
  end
  local trunk = part(0, 0, 0.4, 0.8, 0)
  local head = part(0, 0.55, 0.25, 0.3, 1)
  pin(trunk, head, 0, 0.4, -0.5, 0.5)
  for _, side in ipairs { -1, 1 } do
    local upper, lower, hand = part(side * 0.4, 0.3, 0.4, 0.12, 1), part(side * 0.8, 0.3, 0.4, 0.1, 2),
      part(side * 1.05, 0.3, 0.1, 0.1, 3)
    pin(trunk, upper, side * 0.2, 0.3, -1.5, 1.5)
    pin(upper, lower, side * 0.6, 0.3, -1.2, 1.2)
    pin(lower, hand, side, 0.3, -0.5, 0.5)
    local thigh, shin, foot = part(side * 0.12, -0.65, 0.15, 0.5, 1), part(side * 0.12, -1.15, 0.12, 0.5, 2),
      part(side * 0.16, -1.43, 0.2, 0.08, 3)
    pin(trunk, thigh, side * 0.12, -0.4, -0.8, 0.8)
    pin(thigh, shin, side * 0.12, -0.9, -1.2, 1.2)
    pin(shin, foot, side * 0.12, -1.4, -0.4, 0.4)
  end
  trunk:set_velocity(3 * k, 0)
  trunk.angular_velocity = 4
  s.px = trunk.mass * 3 * k
  return s
end

function scene.update(s)
  -- The check starts after 30 steps, because the pushed trunk accelerates the limbs and loses energy.
  if s.world.tick == 30 then s.start = s.world:energy() end
  if s.start then s.gain = math.max(s.gain, (s.world:energy()) / s.start - 1) end
  for joint in s.world:joints() do s.open = math.max(s.open, joint.separation / s.p.size) end
  local x = 0
  for _, body in ipairs(s.bodies) do x = x + body.mass * (body:velocity()) end
  s.momentum = math.max(s.momentum, math.abs(x / s.px - 1))
end

function scene.measure(s) return { gain = s.gain, open = s.open, momentum = s.momentum } end

function scene.check(s)
  -- No drive acts. The bound of 1 % is for a first-order scheme.
  return s.gain < 0.01, ("the energy rose by %.3g of its value 30 steps after the push"):format(s.gain),
    -- Float rounding.
    s.momentum < 1e-3, ("the momentum changed by %.3g"):format(s.momentum),
    -- A limb of r = 0.5 m leaves its circular path by (v h)^2 / (2 r) in a substep h, 28 mm at 10 m/s and h = 1/60 s.
    -- The bound is a tenth of a limb.
    s.open < 0.05, ("a hinge opened by %.0f mm"):format(1e3 * s.open)
end

return scene, { vary = { ratio = { 0.003, 1, 365 }, rate = { 30, 60 }, substeps = { 1, 4 } }, solvers = { "direct" } }
