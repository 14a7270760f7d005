-- A puppet walks through the air: an external controller holds its trunk.
local impel = require "impel"

local scene = {
  title = "Puppet",
  about = "Root control: external forces act on x, y and angle of the trunk, as if a hand held it. Arms and legs "
    .. "follow their own controllers. At 7 s the hand lets go, and the puppet of 10 kg falls freely.",
  duration = 7.3, -- [s]
  view = { x = 1, y = 1.1, height = 3.4 },
  units = { x = "m", y = "m", lean = "rad", string = "N" },
}

scene.params = {
  lean = { 0.3, min = -0.6, max = 0.6, help = "final lean of the trunk [rad]" },
  hertz = { 8.0, min = 0.5, max = 20, help = "stiffness with which the hand holds the trunk, as a frequency [Hz]" },
  stride = { 0.5, min = 0, max = 0.9, help = "amplitude of the swing of arms and legs [rad]" },
}

local G, LET_GO = 9.81, 7 -- gravity [m/s^2], time at which the hand lets go [s]
local HIP, HEIGHT, TRUNK = 1, 0.6, 5 -- height of the hip [m]; length [m] and mass [kg] of the trunk
local LIMBS = { -- name, height of the hinge on the trunk [m], length [m], mass [kg], sign of the stride
  { "left arm", 0.5, 0.55, 0.75, 1 }, { "right arm", 0.5, 0.55, 0.75, -1 },
  { "left leg", 0, 0.8, 1.75, -1 }, { "right leg", 0, 0.8, 1.75, 1 },
}

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, sleep = false }
  local ground = world:body { name = "ground", type = "static" }
  ground:segment { from = { -3, -0.5 }, to = { 5, -0.5 } }
  local trunk = world:body { name = "trunk", position = { 0, HIP + HEIGHT / 2 }, mass = TRUNK }
  trunk:capsule { from = { 0, -HEIGHT / 2 }, to = { 0, HEIGHT / 2 }, radius = 0.09, group = -1 }
  trunk:circle { radius = 0.13, center = { 0, HEIGHT / 2 + 0.25 }, group = -1, density = 0 }
  local s = { world = world, p = p, trunk = trunk, limbs = {}, mass = TRUNK }
  for _, limb in ipairs(LIMBS) do
    local name, up, length, mass, part = table.unpack(limb)
    local body = world:body { name = name, position = { 0, HIP + up - length / 2 }, mass = mass }
    body:capsule { from = { 0, -length / 2 }, to = { 0, length / 2 }, radius = 0.05, group = -1 }
    local joint = world:revolute(trunk, body, { anchor = { 0, HIP + up }, name = name })
    local pd = impel.stable_pd(joint, { hertz = 4, damping_ratio = 0.8 })
    s.limbs[#s.limbs + 1] = { joint = joint, pd = pd, part = part }
    s.mass = s.mass + mass
  end
  -- The limbs' weights turn the trunk, so the angle of the trunk gets a stiffer controller.
  s.hand = impel.root(trunk, { hertz = p.hertz, damping_ratio = 1, angle = { hertz = 2.5 * p.hertz } })
  return s
end

function scene.update(s)
  local t = s.world.time
  local way = math.min(t / 4, 1)
  local swing = t < 4 and s.p.stride * math.sin(2 * math.pi * t) or 0
  s.hand:set_target(2 * way ^ 2 * (3 - 2 * way), HIP + HEIGHT / 2, -s.p.lean * way)
  for _, limb in ipairs(s.limbs) do limb.pd.target = limb.part * swing end
  if t >= LET_GO - 1e-9 and not s.fell then
    s.held = { x = s.trunk:position(), y = select(2, s.trunk:position()), lean = -s.trunk.angle,
      pull = s.hand.joint:coordinate("y").force }
    s.fell = select(2, s.world:momentum())
    s.hand.enabled = false
  end
end

function scene.measure(s)
  local x, y = s.trunk:position()
  return { x = x, y = y, lean = -s.trunk.angle, string = s.hand.joint:coordinate("y").force }
end

function scene.draw(s, view)
  if not s.hand.enabled then return end
  local x, y = s.trunk:position()
  view:line(x, y, x, 3, "grey")
  view:text(x + 0.1, 2.5, ("%.0f N"):format(s.hand.joint:coordinate("y").force), "grey", "left")
  view:trail("trunk", x, y, "blue")
end

function scene.check(s)
  if not s.held then return false, ("cannot be checked before %g s"):format(LET_GO) end
  local held, weight = s.held, s.mass * G
  local sag = HIP + HEIGHT / 2 - weight / s.hand.y.kp
  local fallen = (select(2, s.world:momentum()) - s.fell) / (-weight * (s.world.time - LET_GO))
  return math.abs(held.lean - s.p.lean) < 0.01 * math.abs(s.p.lean) + 1e-3,
    ("the trunk leans by %.4f rad, %.4f expected"):format(held.lean, s.p.lean),
    math.abs(held.x - 2) < 0.01, ("the trunk is at x = %.4f m, 2 expected"):format(held.x),
    math.abs(held.y - sag) < 0.002, ("the trunk is at y = %.4f m; %.4f expected, which is weight / kp below the "
      .. "hand's target"):format(held.y, sag),
    math.abs(held.pull / weight - 1) < 1e-3,
    ("the hand carries %.4f of the weight, 1 expected"):format(held.pull / weight),
    math.abs(fallen - 1) < 1e-3, ("released, it gains %.4f of m g t, 1 expected"):format(fallen)
end

return scene
