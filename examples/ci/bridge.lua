-- A beam on two bolts, once with its design load and once with twice that load.
local impel = require "impel"

local scene = {
  title = "Bridge under load",
  about = "A load in the middle of a beam puts half of the total weight on each of two bolts. The bolts break at 1.5 "
    .. "times this force. So they hold the load, and break in a second world where the load grows to twice its value.",
  duration = 3, -- [s]
  view = { x = 0, y = 0, height = 6 },
}

scene.params = {
  load = { 500.0, min = 100, max = 2000, help = "design load of the bridge [kg]" },
  reserve = { 1.5, min = 1.1, max = 1.9, help = "break force of a bolt, relative to its design force" },
}

local G, SPAN, BEAM = 9.81, 6, 50 -- [m/s^2], [m], [kg]
local GROWS = 2                   -- time over which the load grows [s]; a sudden load would push twice as hard

-- Build a world with a bridge of the given strength [N per bolt], whose load grows to `load`.
local function build(load, strength, seed)
  local world = impel.world { seed = seed, gravity = { 0, -G }, dt = 1 / 240, sleep = false }
  local beam = world:body { name = "beam", mass = BEAM }
  beam:box { SPAN, 0.2 }
  local weight = world:body { name = "load", position = { 0, 0.35 }, mass = 1 }
  weight:box { 0.5, 0.5 }
  local bolts = {
    world:revolute(world.ground, beam, { name = "left bolt", anchor = { -SPAN / 2, 0 }, break_force = strength }),
    world:pin_slot(world.ground, beam, { name = "right bolt", anchor = { SPAN / 2, 0 }, break_force = strength }),
  }
  local s = { world = world, beam = beam, weight = weight, load = load, bolts = bolts, strength = strength }
  world:on("joint_break", function(e)
    s.broke = s.broke or { name = e.joint.name, force = e.force, mass = weight.mass + BEAM }
  end)
  world:on("step", function(dt)
    if not s.broke then weight.mass = math.min(load, 1 + (load - 1) * (world.time + dt) / GROWS) end
  end)
  return s
end

function scene.setup(p, seed)
  local strength = p.reserve * (p.load + BEAM) * G / 2
  local s = build(p.load, strength, seed)
  s.twice = build(2 * p.load, strength, seed)
  return s
end

-- Step the second world, too.
function scene.update(s)
  s.twice.world:step()
end

function scene.measure(s)
  local _, left = s.bolts[1]:reaction()
  local _, right = s.bolts[2]:reaction()
  return { left = left, right = right, twice = select(2, s.twice.bolts[1]:reaction()) }
end

scene.checks = {}

scene.checks["carries its load"] = function(s)
  if s.broke then return false, ("the %s broke at %.0f N"):format(s.broke.name, s.broke.force) end
  local expected = (s.load + BEAM) * G / 2
  for _, bolt in ipairs(s.bolts) do
    local _, force = bolt:reaction()
    if math.abs(force - expected) > 0.005 * expected then
      return false, ("the %s carries %.1f N, %.1f expected"):format(bolt.name, force, expected)
    end
  end
  return true
end

scene.checks["breaks under twice its load"] = function(s)
  local broke = s.twice.broke
  if not broke then return false, "both bolts hold" end
  -- When a bolt breaks, the weight of beam and load equals the strength of both bolts together.
  local weight, expected = broke.mass * G, 2 * s.strength
  return math.abs(weight - expected) < 0.01 * expected,
    ("the %s broke under %.0f N, %.0f expected"):format(broke.name, weight, expected)
end

return scene
