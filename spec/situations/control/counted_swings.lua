-- A pendulum with dry friction in its hinge comes to rest after a calculated number of swings. A rotor on the hinge
-- does not change the amplitudes.
-- Source: MuJoCo issue 1344 (to find the dry friction of a pendulum on a motor); Bullet issue 2463.
local impel = require "impel"

local scene = {
  title = "Counted swings", about = "A pendulum with dry friction stops after a known number of swings.", duration = 10,
  units = { swings = "1", expected = "1", off = "rad", rest = "rad", right = "rad" },
}
scene.params = { friction = { 0.05, help = "torque / (m g l)" }, armature = 0.0, rate = 240.0, length = 0.2 }

local START = 1

-- Return the angles at the ends of the half-swings for f = friction torque / (m g l). A half-swing from a > 0 ends at
-- b, where cos b - cos a = f (a - b). The pendulum stays at b if |sin b| < f.
local function ends(f)
  local list, a, sign = {}, START, 1
  while math.sin(a) > f do
    local low, high = -a, math.asin(f) -- b is below the angle asin(f), at which the speed is largest
    for _ = 1, 60 do
      local b = (low + high) / 2
      if math.cos(b) - math.cos(a) < f * (a - b) then low = b else high = b end
    end
    list[#list + 1] = sign * low
    if low > 0 then break end -- the pendulum rests before the lowest point
    a, sign = -low, -sign
  end
  return list
end

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  local l = p.length
  local bob = world:body { position = { l * impel.math.sin(START), -l * impel.math.cos(START) }, angle = START,
    mass = 1, inertia = l ^ 2 / 3 }
  local joint = world:revolute(world.ground, bob, { anchor = { 0, 0 }, reference_angle = 0,
    friction = p.friction * 9.81 * l, armature = p.armature * l ^ 2 })
  return { world = world, p = p, joint = joint, ends = ends(p.friction), swings = 0, off = 0, extreme = START,
    sign = -1 }
end

-- Record an extreme of the angle when the pendulum has moved back by a milliradian.
function scene.update(s)
  local q = s.joint.value
  if (q - s.extreme) * s.sign > 0 then
    s.extreme = q
  elseif (s.extreme - q) * s.sign > 1e-3 then
    if s.turned then
      s.swings = s.swings + 1
      s.off = math.max(s.off, math.abs(s.extreme - (s.ends[s.swings] or 0)))
    end
    s.turned, s.extreme, s.sign = true, q, -s.sign
  end
  s.turned = s.turned or q < START
end

function scene.measure(s)
  return { swings = s.swings + 1, expected = #s.ends, off = s.off, rest = s.joint.value, right = s.ends[#s.ends] }
end

function scene.check(s)
  local n = #s.ends
  -- The bound is the angle of half a step at the largest speed.
  local bound = 0.5 * math.sqrt(2 * 9.81 / s.p.length * (1 - math.cos(START))) / s.p.rate
  return s.swings + 1 == n, ("the pendulum swings %d times, %d expected"):format(s.swings + 1, n),
    s.off < bound, ("a turning point of the pendulum is off by %.5f rad, %.5f allowed"):format(s.off, bound),
    math.abs(s.joint.value - s.ends[n]) < bound,
    ("the pendulum rests at %.5f rad, %.5f expected, %.5f allowed"):format(s.joint.value, s.ends[n], bound),
    math.abs(s.joint.speed) < 1e-4, ("the pendulum still moves at %.5f rad/s"):format(s.joint.speed)
end

return scene, {
  vary = { friction = { 0.04, 0.1 }, armature = { 0, 1 }, rate = { 120, 240 }, length = { 0.1, 0.2 } },
  solvers = { "si", "ngs", "split", "xpbd", "direct", "acceleration", "reduced", "rattle" },
}
