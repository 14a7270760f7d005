-- A heavy box falls on one end of a see-saw and throws a light box, which gets at most the heavy box's energy.
-- Source: the-butterfly-effect issue 112, a see-saw in a machine-building game.
local impel = require "impel"

local scene = {
  title = "See-saw catapult", about = "A light box gets at most the energy of the heavy one.", duration = 3,
  units = { gain = "J", rise = "m", gap = "m" },
}
-- ratio: mass of the heavy box [kg] (the light box has 1 kg); height: fall of the heavy box to the raised end [m]
scene.params = { ratio = 20.0, height = 3.0 }

local HALF, PIVOT = 2, 0.5 -- half the length of the plank (0.4 kg, 0.1 m thick), height of its hinge [m]

function scene.setup(p)
  local world = impel.world { sleep = false }
  world:body { type = "static" }:box { 40, 1, center = { 0, -0.5 } }
  -- the left end of the plank is just above the floor
  local plank = world:body { position = { 0, PIVOT }, angle = 0.2 }
  plank:box { 2 * HALF, 0.1 }
  world:revolute(world.ground, plank, { anchor = { 0, PIVOT } })
  local function box(size, mass, along, above)
    local x, y = plank:world_point(along, 0.05 + size / 2)
    local body = world:body { position = { x, y + above }, angle = above > 0 and 0 or 0.2, mass = mass }
    body:box { size, size }
    return body
  end
  local light = box(0.2, 1, -HALF + 0.1, 0)
  box(0.4, p.ratio, HALF - 0.2, p.height)
  local _, y = light:position()
  return { world = world, light = light, plank = plank, p = p, low = y, top = y, gap = 0, gain = 0 }
end

function scene.update(s)
  local kinetic, potential = s.world:energy()
  s.start = s.start or kinetic + potential
  s.gain = math.max(s.gain, kinetic + potential - s.start)
  local _, y = s.light:position()
  s.top = math.max(s.top, y)
  local x, py = s.plank:position()
  s.gap = math.max(s.gap, math.sqrt(x ^ 2 + (py - PIVOT) ^ 2))
end

function scene.measure(s) return { gain = s.gain, rise = s.top - s.low, gap = s.gap } end

function scene.check(s)
  local m, h, arm = s.p.ratio, s.p.height, HALF - 0.1
  local energy, speed = m * 9.81 * h, math.sqrt(2 * 9.81 * h)
  -- Speed of the light box after an inelastic impact, from the angular momentum about the hinge.
  local thrown = m * speed * arm / (m * arm ^ 2 + arm ^ 2 + 0.4 * HALF ^ 2 / 3) * arm
  local rise = s.top - s.low
  -- 1 %, plus m g v dt / 2 for the oscillation of the energy in a flight.
  return s.gain < 0.01 * energy + (m + 1) * 9.81 * speed / 120,
    ("the energy rises by %.1f J"):format(s.gain),
    -- The light box gets at most the energy of the heavy box, which can fall by 1 m to the floor.
    rise < (energy + m * 9.81) / 9.81, ("the light box rises %.1f m"):format(rise),
    -- Half of the height to which the speed `thrown` carries the light box, because the heavy box may land on a corner.
    rise > 0.5 * thrown ^ 2 / (2 * 9.81),
    ("the light box rises only %.2f m; an inelastic impact gives it %.1f m/s"):format(rise, thrown),
    -- A gap of half the plank's thickness is visible.
    s.gap < 0.05, ("the hinge opens by %.4f m"):format(s.gap)
end

return scene, {
  vary = { ratio = { 5, 20, 100 }, height = { 1, 3 } }, solvers = { "si", "xpbd", "direct" }, peers = true,
}
