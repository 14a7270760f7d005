-- Three boats of different weight float in calm water, later in waves.
local impel = require "impel"

local scene = {
  title = "Boats",
  about = "The submerged fraction of a floating boat's area is the density of the boat divided by the density of the "
    .. "water. After 5 s deep-water waves pass: the boats ride up and down and stay about where they are. In light "
    .. "water (--set water=700) one boat sinks.",
  duration = 10, -- [s]
  view = { x = 0, y = 0.9, height = 6.5 },
  units = { draft_light = "m", draft_middle = "m", draft_heavy = "m", tilt = "rad" },
}

scene.params = {
  water = { 1000.0, min = 500, max = 2000, help = "density of the water [kg/m^2]" },
  waves = { 0.25, min = 0, max = 0.5, help = "amplitude of the waves [m]" },
  calm = { 5.0, min = 0, max = 9, help = "time at which the waves begin [s]" },
}

local LEVEL, DEPTH = 1, 0.8          -- [m]: water level; height of a hull
local DECK, KEEL = 2.4, 1.6          -- [m]: length of the deck, of the bottom
local DENSITY = { light = 250, middle = 500, heavy = 800 } -- [kg/m^2], average over a boat

local function area_below(d) return KEEL * d + (DECK - KEEL) * d * d / (2 * DEPTH) end

function scene.setup(p, seed)
  local world = impel.world { seed = seed, gravity = { 0, -9.81 } }
  local s = { world = world, p = p, boats = {}, tilt = 0 }
  for i, name in ipairs { "light", "middle", "heavy" } do
    local boat = world:body { name = name, position = { 4 * (i - 2), LEVEL } }
    boat:polygon { density = DENSITY[name], friction = 0.1,
      points = { { -KEEL / 2, 0 }, { KEEL / 2, 0 }, { DECK / 2, DEPTH }, { -DECK / 2, DEPTH } } }
    s.boats[i] = boat
  end
  s.sea = impel.field.buoyancy(world, { density = p.water, level = LEVEL, linear = 3000, wave_length = 16 })
  return s
end

-- Return the depth of a boat's keel below the water level [m].
local function draft(boat)
  local _, y = boat:position()
  return LEVEL - y
end

-- Before every step: record the drafts at the end of the calm, then start the waves.
function scene.update(s)
  if s.world.time < s.p.calm then return end
  if not s.drafts then
    s.drafts = {}
    for i, boat in ipairs(s.boats) do s.drafts[i] = draft(boat) end
  end
  s.sea.wave_amplitude = s.p.waves * math.min(1, (s.world.time - s.p.calm) / 2)
  for _, boat in ipairs(s.boats) do s.tilt = math.max(s.tilt, math.abs(boat.angle)) end
end

function scene.measure(s)
  return { draft_light = draft(s.boats[1]), draft_middle = draft(s.boats[2]), draft_heavy = draft(s.boats[3]),
    tilt = s.tilt }
end

function scene.check(s)
  if not s.drafts then return false, "cannot be checked before the waves begin" end
  local answers = {}
  for i, boat in ipairs(s.boats) do
    local found, expected = area_below(s.drafts[i]) / area_below(DEPTH), DENSITY[boat.name] / s.p.water
    answers[#answers + 1] = math.abs(found - expected) < 0.01 * expected
    answers[#answers + 1] = ("submerged fraction of the %s boat: %.4f, %.4f "
      .. "expected"):format(boat.name, found, expected)
    local x = boat:position()
    answers[#answers + 1] = math.abs(x - 4 * (i - 2)) < 1.5
    answers[#answers + 1] = ("the %s boat drifted to %.2f m"):format(boat.name, x)
  end
  -- A boat may lean by twice the steepest slope of the waves.
  local slope = s.p.waves * 2 * math.pi / s.sea.wave_length
  return s.tilt < 2 * slope + 0.02, ("a boat leaned by %.3f rad, too much for waves with a slope of %.3f "
    .. "rad"):format(s.tilt, slope),
    table.unpack(answers)
end

return scene
