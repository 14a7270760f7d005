-- A locomotive pulls a train on a smooth track. Every wagon has the same acceleration. Each coupling exerts the force
-- that accelerates all wagons behind the coupling.
-- Source: Traincraft issue 359 (wagons fall behind), Create-Simurail issue 41 (a train shakes under a load),
-- space-train issue 17 (forces of couplings); textbook.
local impel = require "impel"

local scene = {
  title = "Train of wagons", about = "Each coupling pulls the wagons behind it.", duration = 6,
  units = { force = "of the closed form", longer = "of a wagon", speed = "of the closed form" },
}
scene.params = {
  wagons = 5, last = { 10.0, help = "mass of the last wagon / mass of each other wagon" },
  coupling = { 1, help = "1 hinge, 2 rod, 3 rope" },
}

local ACCELERATION = 2 -- acceleration of the train [m/s^2]

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:segment { from = { -200, 0 }, to = { 200, 0 }, friction = 0 }
  local s, behind = { world = world, p = p, wagons = {}, couplings = {}, longer = 0, mass = {} }, 0
  for i = p.wagons, 0, -1 do
    behind = behind + (i == p.wagons and p.last or 1)
    s.mass[i] = behind
  end
  for i = 0, p.wagons do
    local wagon = world:body { position = { -3 * i - 50, 0.5 }, mass = s.mass[i] - (s.mass[i + 1] or 0) }
    wagon:box { 2, 1, friction = 0 }
    if i > 0 then
      local before, x = s.wagons[i - 1], -3 * i - 50
      local ends = { anchor_a = { x + 2, 0.5 }, anchor_b = { x + 1, 0.5 } }
      s.couplings[i] = p.coupling == 1 and world:revolute(before, wagon, { anchor = { x + 1.5, 0.5 } })
        or p.coupling == 2 and world:distance(before, wagon, ends) or world:rope(before, wagon, ends)
    end
    s.wagons[i] = wagon
  end
  s.length = 3 * p.wagons
  return s
end

function scene.update(s)
  s.wagons[0]:apply_force(ACCELERATION * s.mass[0], 0)
  s.longer = math.max(s.longer, math.abs((s.wagons[0]:position()) - (s.wagons[s.p.wagons]:position()) - s.length))
end

-- Return the ratio of a coupling's force to the closed form, for the coupling whose ratio differs most from 1.
local function worst_force(s)
  local worst = 1
  for i, coupling in ipairs(s.couplings) do
    local force = s.p.coupling == 1 and math.abs((coupling:reaction())) or math.abs(coupling.force)
    local part = force / (ACCELERATION * s.mass[i])
    if math.abs(part - 1) > math.abs(worst - 1) then worst = part end
  end
  return worst
end

function scene.measure(s)
  return { force = worst_force(s), longer = s.longer / 3,
    speed = (s.wagons[s.p.wagons]:velocity()) / (ACCELERATION * s.world.time) }
end

function scene.check(s)
  local now = scene.measure(s)
  -- A force display needs an accuracy of 5 %.
  return math.abs(now.force - 1) < 0.05, ("a coupling pulls with %.3f of the calculated force"):format(now.force),
    -- A stretch by 3 % of the distance between two wagons is hardly visible.
    now.longer < 0.03, ("the train became longer by %.3f of a wagon"):format(now.longer),
    math.abs(now.speed - 1) < 0.01, ("the last wagon has %.4f of the calculated speed"):format(now.speed) -- F t = m v
end

return scene, {
  vary = { wagons = { 3, 10 }, last = { 1, 30, 1000 }, coupling = { 1, 2, 3 } }, solvers = { "si", "direct" },
}
