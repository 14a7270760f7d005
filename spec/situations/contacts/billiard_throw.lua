-- A spinning disc hits a disc at rest head on. By Coulomb's law of impact, friction spins the second disc and throws it
-- sideways.
-- Source: pooltool issue 69 and pull request 153 (billiards without friction between the balls).
local impel = require "impel"

local MU, RADIUS, SPEED = 0.3, 0.25, 3

local scene = {
  title = "Billiard throw", about = "Friction of a spinning disc throws the disc that it hits sideways.",
  duration = 1,
  units = { cue = "m/s", object = "m/s", spin = "rad/s" },
}
-- spin: speed of the rim divided by the speed of the centre; ratio: mass of the target divided by the mass of the
-- spinning disc
scene.params = { spin = 1.0, restitution = 1.0, ratio = 1.0 }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local function disc(x, mass)
    local body = world:body { position = { x, 0 }, mass = mass }
    body:circle { radius = RADIUS, friction = MU, restitution = p.restitution, restitution_threshold = 0 }
    return body
  end
  -- The impact is after 0.51 s, between two steps.
  local cue, object = disc(-2 * RADIUS - 0.51 * SPEED, 1), disc(0, p.ratio)
  cue:set_velocity(SPEED, 0)
  cue.angular_velocity = p.spin * SPEED / RADIUS
  return { world = world, cue = cue, object = object, p = p }
end

function scene.measure(s)
  local cx, cy = s.cue:velocity()
  local ox, oy = s.object:velocity()
  return { cue_x = cx, cue_y = cy, object_x = ox, object_y = oy, spin = s.object.angular_velocity }
end

function scene.check(s)
  local p, now = s.p, scene.measure(s)
  local normal = (1 + p.restitution) * SPEED * p.ratio / (1 + p.ratio) -- impulse along the line of centres [N s]
  -- The effective mass at the rim of a solid disc along the tangent is m / 3, so 1/m_t = 3/m_a + 3/m_b.
  local stop = math.abs(p.spin) * SPEED / (3 + 3 / p.ratio)
  local across = (p.spin > 0 and 1 or -1) * math.min(MU * normal, stop)
  local bound = 0.005 * SPEED -- 0.5 % for soft contacts
  local function near(value, right, what)
    return math.abs(value - right) < bound, ("%s: %.3f m/s, not %.3f"):format(what, value, right)
  end
  local a, b = near(now.cue_x, SPEED - normal, "speed of the cue along the line of centres")
  local c, d = near(now.cue_y, -across, "sideways speed of the cue")
  local e, f = near(now.object_x, normal / p.ratio, "speed of the object along the line of centres")
  local g, h = near(now.object_y, across / p.ratio, "sideways speed of the object")
  -- The inertia is m r^2/2, so the tangential impulse changes the speed of the rim twice as much as the speed of the
  -- centre.
  local i, j = near(s.cue.angular_velocity * RADIUS, p.spin * SPEED - 2 * across, "speed of the cue's rim")
  local k, l = near(now.spin * RADIUS, -2 * across / p.ratio, "speed of the object's rim")
  return a, b, c, d, e, f, g, h, i, j, k, l
end

return scene, {
  vary = { spin = { -3, 0.1, 1 }, restitution = { 0, 0.5, 1 }, ratio = { 1, 20 } }, solvers = { "si", "direct" },
  peers = true,
}
