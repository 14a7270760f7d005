-- A plate that oscillates vertically keeps a ball bouncing once per period, to the textbook's height.
-- Source: textbook of the bouncing ball (Holmes 1982; Tufillaro 1986); box2d issue 117 and planck.js issue 223 (bounces
-- on moving bodies reach a wrong height).
local impel = require "impel"

local G, PHASE, PERIODS = 9.81, 0.85, 30 -- PHASE: cosine of the plate's phase angle at the impact
local WIDTH, THICK, RADIUS = 4, 0.2, 0.1

local scene = {
  title = "Juggled ball", about = "A ball bounces in phase with an oscillating plate.", duration = 18,
  units = { impacts = "1", top = "m", spread = "m" },
}
scene.params = { restitution = 0.6, period = 0.6, rate = 120 }

-- The ball flies for one period T, so it leaves at g T/2 and arrives at -g T/2. The plate's velocity u at the impact
-- follows from g T/2 - u = e (g T/2 + u).
function scene.setup(p)
  local world = impel.world { gravity = { 0, -G }, sleep = false, dt = 1 / p.rate }
  local s = { world = world, p = p, omega = 2 * math.pi / p.period, impacts = 0, top = -1, low = math.huge }
  s.leave = G * p.period / 2
  local speed = s.leave * (1 - p.restitution) / (1 + p.restitution)
  s.swing = speed / (s.omega * PHASE)
  s.start = impel.math.acos(PHASE) / s.omega
  s.height = s.swing * impel.math.sin(s.omega * s.start) -- height of the plate at the impact
  s.plate = world:body { type = "kinematic", position = { 0, s.height - THICK / 2 } }
  s.plate:box { WIDTH, THICK, restitution = p.restitution, restitution_threshold = 0, friction = 0 }
  s.ball = world:body { position = { 0, s.height + RADIUS }, velocity = { 0, s.leave } }
  s.ball:circle { radius = RADIUS, restitution = p.restitution, restitution_threshold = 0, friction = 0 }
  return s
end

function scene.update(s)
  local time = s.world.time
  s.plate:move_to(0, s.swing * impel.math.sin(s.omega * (s.start + time + s.world.dt)) - THICK / 2)
  local _, vy = s.ball:velocity()
  local _, y = s.ball:position()
  -- After ten periods the initial errors have decayed.
  if time < 10 * s.p.period or time >= PERIODS * s.p.period then return end
  if s.before and s.before < 0 and vy > 0 then s.impacts = s.impacts + 1 end
  if s.before and s.before > 0 and vy <= 0 then
    s.top, s.low = math.max(s.top, y - RADIUS), math.min(s.low, y - RADIUS)
  end
  s.before = vy
end

function scene.measure(s) return { impacts = s.impacts, top = s.top, spread = s.top - s.low } end

function scene.check(s)
  local right = s.height + s.leave ^ 2 / (2 * G)
  -- An impact one step early or late changes the speed by up to g dt and the height by up to 2 v dt.
  local bound = 2 * s.leave / s.p.rate
  local periods = PERIODS - 10
  return math.abs(s.impacts - periods) <= 1, ("%d impacts in %d periods"):format(s.impacts, periods),
    s.top - right < bound, ("the ball rises to %.3f m, %.3f expected"):format(s.top, right),
    right - s.low < bound, ("the ball rises to only %.3f m, %.3f expected"):format(s.low, right)
end

return scene, {
  vary = { restitution = { 0.4, 0.6, 0.8 }, period = { 0.3, 0.6 }, rate = { 60, 120, 240 } }, solvers = { "si" },
}
