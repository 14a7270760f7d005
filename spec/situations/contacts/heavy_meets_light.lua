-- A body hits a much heavier or lighter body at rest. Both bodies leave at the textbook's speeds.
-- Source: matter-js issue 890 (a mosquito moves a planet), bullet3 issue 1530 and cannon-es issue 207 (momentum is not
-- conserved).
local impel = require "impel"

local SIZE, SPEED = 0.5, 3

local scene = {
  title = "Heavy meets light", about = "Momentum and restitution hold at any ratio of masses.", duration = 1,
  units = { hitter = "m/s", target = "m/s", turn = "m/s" },
}
scene.params = { ratio = 1000.0, restitution = 0.5, box = false } -- ratio: mass of the target [kg]; the hitter has 1 kg

function scene.setup(p)
  local world = impel.world { gravity = { 0, 0 }, sleep = false }
  local function body(x, mass, speed)
    local new = world:body { position = { x, 0 }, mass = mass, velocity = { speed, 0 } }
    if p.box then
      new:box { SIZE, SIZE, restitution = p.restitution, restitution_threshold = 0 }
    else
      new:circle { radius = SIZE / 2, restitution = p.restitution, restitution_threshold = 0 }
    end
    return new
  end
  -- At this distance the impact is after 0.51 s, between two steps.
  return {
    world = world, hitter = body(-SIZE - 0.51 * SPEED, 1, SPEED), target = body(0, p.ratio, 0), p = p,
  }
end

function scene.measure(s)
  local a, ay = s.hitter:velocity()
  local b, by = s.target:velocity()
  local turn = math.max(math.abs(s.hitter.angular_velocity), math.abs(s.target.angular_velocity)) * SIZE / 2
  return { hitter = a, target = b, turn = math.max(turn, math.abs(ay), math.abs(by)) }
end

function scene.check(s)
  local p, now = s.p, scene.measure(s)
  local impulse = (1 + p.restitution) * SPEED * p.ratio / (1 + p.ratio)
  local hitter, target = SPEED - impulse, impulse / p.ratio
  local bound = 0.005 * SPEED -- 0.5 % for soft contacts
  return math.abs(now.hitter - hitter) < bound, ("the hitter goes at %.3f m/s, not %.3f"):format(now.hitter, hitter),
    math.abs(now.target - target) < 0.005 * target, -- 0.5 % of the target's own speed
    ("the target goes at %.6f m/s, not %.6f"):format(now.target, target),
    -- All motion is along one line.
    now.turn < bound, ("a body moves sideways, or its rim turns, at %.4f m/s"):format(now.turn)
end

return scene, {
  vary = { ratio = { 1e-4, 0.01, 100, 1e4 }, restitution = { 0, 0.5, 1 }, box = { false, true } },
  solvers = { "si", "direct" }, peers = true,
}
