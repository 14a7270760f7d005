-- A dog trots: a pattern generator gives four phases, and springs drive the joints.
-- source: Ijspeert, "Central pattern generators for locomotion control in animals and robots" (2008)
local impel = require "impel"

local scene = {
  title = "Trot",
  about = "A foot on the ground moves backward relative to the trunk and so drives the trunk forward; a swinging foot "
    .. "is lifted and moves forward. The gait consists of four phases, one per leg. It determines which feet swing "
    .. "together, and may change during the run.",
  duration = 10, -- [s]
  view = { x = 4, y = 0.9, height = 4.6 },
  units = { x = "m", y = "m", v = "m/s", lean = "rad", phase = "1" },
}

scene.params = {
  gait = { 1, integer = true, min = 1, max = 3, help = "1 trot, 2 walk, 3 pace" },
  frequency = { 2.0, min = 0.75, max = 2.5, help = "strides per second [Hz]" },
  stride = { 0.25, min = 0.1, max = 0.3, help = "distance by which a foot moves back and forth [m]" },
  lift = { 0.08, min = 0, max = 0.15, help = "height to which a foot is lifted [m]" },
  stiffness = { 300.0, min = 100, max = 1000, help = "stiffness of every joint [N m/rad]" },
}

local GAITS = { "trot", "walk", "pace" }
local DAMPING, CROUCH, START = 15, 0.92, 1 -- damping [N m s/rad], height / leg length, time to the full stride [s]

function scene.setup(p, seed)
  local world = impel.world { seed = seed }
  world:body { type = "static", name = "ground" }:box { 200, 2, center = { 0, -1 }, friction = 0.9 }
  local dog = impel.rig.quadruped(world, {})
  local joints = {}
  for _, leg in ipairs(dog.legs) do
    joints[leg .. "_hip"], joints[leg .. "_knee"] = dog[leg .. "_hip"], dog[leg .. "_knee"]
  end
  return { world = world, p = p, dog = dog, lean = 0, lowest = math.huge, travelled = 0,
    posture = impel.posture(joints, { stiffness = p.stiffness, damping = DAMPING }),
    pattern = impel.pattern { oscillators = dog.legs, frequency = p.frequency, phases = impel.pattern.gaits.trot } }
end

-- Return the target of a foot relative to its hip.
local function foot(s, leg)
  local phase, full = s.pattern:phase(leg), impel.blend.smooth(s.world.time / START)
  return full * s.p.stride / 2 * math.cos(phase),
    -CROUCH * s.dog.height + full * s.p.lift * math.max(0, -math.sin(phase))
end

function scene.update(s, dt)
  if s.gait ~= s.p.gait then
    s.gait = s.p.gait
    s.pattern:set { phases = impel.pattern.gaits[GAITS[s.gait]] }
  end
  s.pattern.frequency = s.p.frequency
  s.pattern:update(dt)
  for _, leg in ipairs(s.dog.legs) do
    local hip, knee = s.dog:reach(leg, foot(s, leg))
    s.posture:aim(leg .. "_hip", hip)
    s.posture:aim(leg .. "_knee", knee)
  end
  local _, y = s.dog.trunk:position()
  s.lean, s.lowest = math.max(s.lean, math.abs(s.dog.trunk.angle)), math.min(s.lowest, y)
end

function scene.measure(s)
  local x, y = s.dog.trunk:position()
  local turn = (s.pattern:phase "left_front" - s.pattern:phase "left_hind") / (2 * math.pi)
  return { x = x, y = y, v = (s.dog.trunk:velocity()), lean = s.dog.trunk.angle, phase = turn % 1 }
end

-- The trunk moves by two strides per cycle: each of the two pairs of feet pushes it forward by one stride.
function scene.check(s)
  local x = s.dog.trunk:position()
  local expected = 2 * s.p.stride * s.p.frequency * (s.world.time - START / 2)
  return s.lowest > 0.7 * s.dog.height, ("the lowest height of the trunk was %.2f m, at least 70 %% of its height in "
    .. "the standing pose expected"):format(s.lowest),
    s.lean < 0.3, ("the trunk leaned by %.2f rad, less than 0.3 expected"):format(s.lean),
    x > 0.6 * expected and x < 1.1 * expected, ("the dog moved %.2f m, about %.2f expected"):format(x, expected)
end

function scene.draw(s, view)
  for _, leg in ipairs(s.dog.legs) do
    local lower = s.dog[leg .. "_lower"]
    local x, y = lower:world_point(0, -s.dog.lower)
    view:trail(leg, x, y)
  end
end

return scene
