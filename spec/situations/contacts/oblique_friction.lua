-- By Coulomb's law of impact, a disc that hits a wall obliquely loses mu (1 + e) v_n of its speed along the wall, or
-- less if a smaller loss stops the sliding.
-- Source: the Chipmunk forum of 2016, "rebounding normal to the wall"; textbooks on impact with friction.
local impel = require "impel"

local MU, E, RADIUS = 0.2, 0.9, 0.25

local scene = {
  title = "Oblique bounce", about = "Friction at a bounce follows Coulomb's law of impact.", duration = 1,
  units = { along = "m/s", away = "m/s", spin = "rad/s" },
}
-- normal: speed towards the wall [m/s]; slope: speed along the wall divided by `normal`; turns: whether the disc can
-- rotate
scene.params = { normal = 4.0, slope = 1.0, turns = true }

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  world:body { type = "static" }:box {
    600, 1, center = { 0, -0.5 }, friction = MU, restitution = E, restitution_threshold = 0,
  }
  -- At this distance the impact is after 0.51 s, between two steps.
  local disc = world:body {
    position = { 0, RADIUS + 0.51 * p.normal }, velocity = { p.slope * p.normal, -p.normal },
    fixed_rotation = not p.turns,
  }
  disc:circle { radius = RADIUS, friction = MU, restitution = E, restitution_threshold = 0 }
  return { world = world, disc = disc, p = p }
end

function scene.measure(s)
  local vx, vy = s.disc:velocity()
  return { along = vx, away = vy, spin = s.disc.angular_velocity }
end

function scene.check(s)
  local normal, slope, now = s.p.normal, s.p.slope, scene.measure(s)
  -- Friction impulse on the disc of 1 kg. The effective mass at the rim along the wall is a third of the mass.
  local friction = math.min(MU * (1 + E) * normal, slope * normal / (s.p.turns and 3 or 1))
  local along, spin = slope * normal - friction, s.p.turns and -2 * friction / RADIUS or 0
  -- The bound of 0.5 % of the impact speed allows for soft contacts.
  local bound = 0.005 * normal
  return math.abs(now.along - along) < bound,
    ("the speed along the wall is %.3f m/s, not %.3f"):format(now.along, along),
    math.abs(now.away - E * normal) < bound,
    ("the speed away from the wall is %.3f m/s, not %.3f"):format(now.away, E * normal),
    -- The inertia is m r^2 / 2, so the impulse changes the speed of the rim twice as much as the speed of the centre.
    math.abs(now.spin - spin) * RADIUS < 2 * bound, ("the disc's spin is %.3f rad/s, not %.3f"):format(now.spin, spin)
end

return scene, {
  vary = { normal = { 0.5, 4, 20, 60 }, slope = { 0.3, 1, 2 }, turns = { false, true } },
  solvers = { "si", "direct" }, peers = true,
}
