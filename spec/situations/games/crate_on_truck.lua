-- A crate on an accelerating truck moves with the truck if friction suffices. Otherwise the crate slips by Coulomb's
-- law.
-- Source: matter.js issue 334 (an object on a moving platform), FUDGE issue 340 (no friction on kinematic bodies).
local impel = require "impel"

local scene = {
  title = "Crate on a truck", about = "A crate slides if its truck accelerates above mu g.", duration = 2,
  units = { slip = "m", speed = "m/s", turn = "rad" },
}
scene.params = { ratio = 0.9, friction = 0.5, crates = 1, rate = 60 } -- ratio: acceleration divided by mu g; rate [Hz]

function scene.setup(p)
  local world = impel.world { dt = 1 / p.rate, sleep = false }
  local bed = world:body { type = "kinematic", position = { 0, -0.1 } }
  bed:box { 40, 0.2, friction = p.friction }
  local crates = {}
  for i = 1, p.crates do
    crates[i] = world:body { position = { 0, 0.5 * i - 0.25 } }
    crates[i]:box { 2, 0.5, friction = p.friction }
  end
  return { world = world, bed = bed, crate = crates[1], p = p, turn = 0 }
end

function scene.update(s)
  s.bed:set_velocity(s.p.ratio * s.p.friction * 9.81 * (s.world.time + s.world.dt), 0)
  s.turn = math.max(s.turn, math.abs(s.crate.angle))
end

function scene.measure(s)
  return { slip = s.bed:position() - s.crate:position(), speed = s.crate:velocity(), turn = s.turn }
end

function scene.check(s)
  local now, most, time = scene.measure(s), s.p.friction * 9.81, s.world.time
  local a = s.p.ratio * most
  -- A crate sticks if a < mu g; otherwise friction accelerates the crate at mu g. The bed's speed increases by a dt at
  -- the start of each step. Therefore in each step a sticking crate slips by (a dt)^2/(2 mu g), and a slipping crate
  -- slips by a dt^2/2 more than on a bed of constant acceleration. The bound adds 1 mm and, if the crate slips, 1 % of
  -- mu g.
  local slip = math.max(0, a - most) * time ^ 2 / 2
  local stair = math.min(a / most, 1) * a * time / s.p.rate / 2
  local bound = (a > most and 0.01 * most * time ^ 2 / 2 or 0) + stair + 1e-3
  return math.abs(now.slip - slip) < bound, ("the crate is left behind by %.4f m, not %.4f"):format(now.slip, slip),
    math.abs(now.speed / (math.min(a, most) * time) - 1) < 0.01,
    ("the crate goes at %.3f m/s, not %.3f"):format(now.speed,
      math.min(a, most) * time), -- 1 % as above
    -- An overlap of 5 mm (slop) at one end turns a crate of half-width 1 m by 0.005 rad.
    now.turn < 5e-3, ("the crate turns by %.4f rad"):format(now.turn)
end

return scene, {
  vary = { ratio = { 0.5, 0.95, 1.05, 2 }, crates = { 1, 2 }, rate = { 60, 240 } },
  solvers = { "si", "xpbd", "direct" },
}
