-- A plank on two counter-rotating rollers oscillates harmonically, without decay.
-- Source: textbook friction oscillator; FreeGameDev forum 2019 (a box across two belts that run against each other),
-- Box2D samples "Conveyor Belt" and "Tangent Speed".
local impel = require "impel"

local scene = {
  title = "Plank on rollers", about = "A plank on counter-rotating rollers oscillates harmonically.", duration = 30,
  units = { widest = "m", last = "m", period = "s" },
}
-- belt: speed of the rollers' surfaces [m/s]; rate: steps per second [Hz]
scene.params = { friction = 0.3, belt = 20.0, rate = 60 }

-- HALF: half the distance of the rollers [m]; RADIUS: their radius [m]; THICK: thickness of the plank [m]; START: its
-- initial x [m]
local HALF, RADIUS, THICK, START = 1, 0.3, 0.1, 0.3

function scene.setup(p)
  local world = impel.world { sleep = false, dt = 1 / p.rate }
  for side = -1, 1, 2 do -- the tops of the rollers move towards each other
    local roller = world:body { type = "kinematic", position = { side * HALF, -RADIUS },
      angular_velocity = side * p.belt / RADIUS }
    roller:circle { radius = RADIUS, friction = p.friction }
  end
  local plank = world:body { position = { START, THICK / 2 } }
  plank:box { 6, THICK, friction = p.friction }
  return {
    world = world, plank = plank, p = p, widest = 0, last = 0, before = START, first = 0, latest = 0, swings = -1,
  }
end

function scene.update(s)
  local time, x = s.world.time, s.plank:position()
  s.widest = math.max(s.widest, math.abs(x))
  -- Record the amplitude of the last 8 s, which contain at least one swing of 6.3 s or less.
  if time > 22 then s.last = math.max(s.last, math.abs(x)) end
  if s.before > 0 and x <= 0 then
    s.latest = time - s.world.dt * x / (x - s.before)
    if s.swings < 0 then s.first = s.latest end
    s.swings = s.swings + 1
  end
  s.before = x
end

function scene.measure(s)
  return { widest = s.widest, last = s.last, period = (s.latest - s.first) / s.swings }
end

function scene.check(s)
  -- The plank slips on both rollers, and each roller pulls with mu N. The moments about the plank's centre give N_right
  -- - N_left = m g x / (a - mu h/2), with a = HALF and h = THICK. The total pull, -mu (N_right - N_left), is
  -- proportional to -x.
  local mu = s.p.friction
  local right = 2 * math.pi / math.sqrt(mu * 9.81 / (HALF - mu * THICK / 2))
  local found = (s.latest - s.first) / s.swings
  -- No force adds energy to the swing, and no force damps it.
  return s.widest < 1.01 * START,
    ("the plank swings out to %.4f m, initially %g"):format(s.widest, START),
    s.last > 0.99 * START, ("in the last 8 s the amplitude is %.4f m, initially %g"):format(s.last, START),
    -- The steps change the period by the fraction (w dt)^2/24 < 1e-4. The overlap of a contact changes the period by
    -- overlap / a.
    s.swings >= 3 and math.abs(found / right - 1) < 5e-3,
    ("%d swings of %.3f s, not %.3f"):format(s.swings, found, right)
end

return scene, {
  vary = { friction = { 0.1, 0.3, 0.8 }, belt = { 5, 50 }, rate = { 60, 240 } }, solvers = { "si", "xpbd", "direct" },
  peers = true,
}
