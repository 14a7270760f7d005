-- Stars of 3 to 12 arms on a lighter hub, without gravity. The joints are welds, hinges or sliders, with or without
-- springs. After one push the energy does not grow.
-- Source: Box2D issues 984 and 997 (assemblies of springs and welds on a small hub are unstable).
local impel = require "impel"

local scene = {
  title = "Hubs of all kinds", about = "The energy of arms joined to a light hub does not grow.", duration = 8,
  units = { worst = "of the initial value", grown = "stars" },
}
scene.params = {
  kind = { 1, help = "1 welds, 2 hinges, 3 slides along the arms, 4 sprung hinges, 5 sprung slides" },
  ratio = { 10.0, help = "density of the arms / density of the hub" }, substeps = { 4, min = 1 },
}

local ARMS, SIZES = { 3, 4, 6, 12 }, { 0.01, 1, 100 }

-- Build a star of size k at x. Return a list of the star's bodies and a list of springs, { coordinate, stiffness,
-- target }.
local function star(world, p, count, k, x)
  local hub = world:body { position = { x, 0 } }
  hub:circle { radius = 0.3 * k, density = 1 / p.ratio, mask = 0 }
  local bodies, springs = { hub }, {}
  for i = 1, count do
    local angle = 2 * math.pi * i / count
    local c, s = impel.math.cos(angle), impel.math.sin(angle)
    local arm = world:body { position = { x + 0.8 * k * c, 0.8 * k * s }, angle = angle }
    arm:box { k, 0.2 * k, mask = 0 }
    bodies[i + 1] = arm
    local options = { anchor = { x + 0.3 * k * c, 0.3 * k * s }, axis = { c, s } }
    if p.kind >= 4 then
      -- The stiffness gives 3 Hz to an arm that turns about its end, or that moves on its slider.
      local stiffness = (6 * math.pi) ^ 2 * (p.kind == 4 and arm.inertia + arm.mass * (0.5 * k) ^ 2 or arm.mass)
      options.spring = { stiffness = stiffness, damping = 0, target = 0 }
      springs[i] = { stiffness = stiffness }
    end
    local joint = (p.kind == 1 and world.weld or (p.kind == 2 or p.kind == 4) and world.revolute or world.prismatic)(
      world, hub, arm, options)
    if springs[i] then springs[i].joint = joint end
  end
  bodies[2]:set_velocity(-0.05 * k, 0.1 * k)
  return bodies, springs
end

-- Return the sum of kinetic energy and spring energy [J].
local function energy(bodies, springs)
  local sum = 0
  for _, body in ipairs(bodies) do
    local x, y = body:velocity()
    sum = sum + body.mass * (x * x + y * y) / 2 + body.inertia * body.angular_velocity ^ 2 / 2
  end
  for _, spring in ipairs(springs) do sum = sum + spring.stiffness * spring.joint.value ^ 2 / 2 end
  return sum
end

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false, substeps = p.substeps }
  -- No external force acts; 1 % is for rounding. With springs, the energy at the ends of steps oscillates by the
  -- fraction w h / 2, with w = 6 pi rad/s and the substep h.
  local bound = 1.01 + (p.kind >= 4 and 3 * math.pi / (60 * p.substeps) or 0)
  local s = { world = world, bound = bound, bodies = {}, springs = {}, start = {}, most = {} }
  local x = 0
  for _, size in ipairs(SIZES) do
    for _, count in ipairs(ARMS) do
      local i = #s.bodies + 1
      s.bodies[i], s.springs[i] = star(world, p, count, size, x)
      s.start[i], s.most[i] = energy(s.bodies[i], s.springs[i]), 0
      x = x + 4 * size
    end
  end
  return s
end

function scene.update(s)
  for i, bodies in ipairs(s.bodies) do
    s.most[i] = math.max(s.most[i], energy(bodies, s.springs[i]) / s.start[i])
  end
end

function scene.measure(s)
  local worst, grown = 0, 0
  for _, most in ipairs(s.most) do
    worst = math.max(worst, most)
    if most > s.bound then grown = grown + 1 end
  end
  return { worst = worst, grown = grown }
end

function scene.check(s)
  local now = scene.measure(s)
  return now.grown == 0,
    ("%d of 12 stars gained energy, to %.3g of the initial value at worst"):format(now.grown, now.worst)
end

return scene, {
  vary = { kind = { 1, 2, 3, 4, 5 }, ratio = { 1, 10, 100, 1000 }, substeps = { 1, 4, 16 } },
}
