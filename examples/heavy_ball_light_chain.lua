-- A ball of a tonne on links of a kilogram needs geometric stiffness.
local impel = require "impel"

local scene = {
  title = "Heavy ball, light chain",
  about = "The direct solver simulates a mass ratio of 1000:1 with one substep. It needs geometric stiffness, which "
    .. "adds rotational inertia to links under tension: without it the chain explodes. The stiffness dissipates energy "
    .. "(world:audit()). In a world of its own the solver soft simulates 100:1 with 8 substeps.",
  duration = 10, -- [s]
  view = { x = 0, y = -4, height = 16 },
}

scene.params = {
  links = { 20, integer = true, min = 10, max = 50, help = "number of links of half a metre and 1 kg each" },
  load = { 1000.0, min = 500, max = 1000, help = "mass of the ball [kg]; a heavier ball would need shorter steps" },
  stiffness = { true, help = "use geometric stiffness in the scene's own world; false: the light links explode" },
}

local G = 9.81 -- [m/s^2]

-- Build a level chain of links of 1 kg with a ball at its end.
local function hang(options, links, length, load)
  local world = impel.world(options)
  local above, hinges = world.ground, {}
  for i = 1, links do
    local link = world:body { position = { (i - 0.5) * length, 0 }, mass = 1 }
    link:box { length, 0.1, mask = 0 }
    hinges[i] = world:revolute(above, link, { anchor = { (i - 1) * length, 0 } })
    above = link
  end
  local ball = world:body { name = "ball", position = { links * length, 0 }, mass = load }
  ball:circle { radius = 0.3, mask = 0 }
  hinges[links + 1] = world:revolute(above, ball, { anchor = { links * length, 0 } })
  -- Largest loss of potential energy [J]: every part falls by length * links at most.
  local scale = (load + links / 2) * G * links * length
  return { world = world, ball = ball, hinges = hinges, length = links * length, scale = scale, stretch = 0,
    energy = 0, most = 0, x = links * length }
end

-- beta = 0, because Baumgarte's bias would fling the links away under iterative solvers.
function scene.setup(p, seed)
  local options = { seed = seed, solver = "direct", baumgarte = 0, sleep = false, auditing = true, midpoint = false,
    geometric_stiffness = p.stiffness }
  local own = hang(options, p.links, 0.5, p.load)
  options.geometric_stiffness = false
  return { world = own.world, p = p, lanes = { own = own, without = hang(options, p.links, 0.5, p.load),
    soft = hang({ seed = seed, solver = "soft", substeps = 8, sleep = false }, 10, 1, 100) } }
end

local function watch(lane)
  local open = 0
  for _, hinge in ipairs(lane.hinges) do open = open + hinge.separation end
  lane.stretch = math.max(lane.stretch, open / lane.length)
  local kinetic, potential = lane.world:energy()
  lane.energy = (kinetic + potential) / lane.scale -- the initial energy is 0
  lane.most = math.max(lane.most, lane.energy)
  local x, time = lane.ball:position(), lane.world.time
  if x < 0 and not lane.passed then lane.passed = time - lane.world.dt * x / (x - lane.x) end
  lane.x = x
end

function scene.update(s, dt)
  -- `reduced` is stable if substep < 2 / w; w = 2 sqrt(T / (m l)), with mass m, length l and tension T of a link.
  if s.world.solver == "reduced" then s.world.substeps = 16 end
  for name, lane in pairs(s.lanes) do
    watch(lane)
    lane.world.dt = dt
    if name ~= "own" then lane.world:step() end
  end
end

function scene.measure(s)
  local row = {}
  for name, lane in pairs(s.lanes) do
    watch(lane)
    row[name .. "_stretch"], row[name .. "_energy"] = lane.stretch, lane.energy
  end
  local audit = s.world:audit()
  for _, cause in ipairs { "lock", "stiffness", "projection", "integration" } do
    row["audit_" .. cause] = audit[cause] / s.lanes.own.scale
  end
  return row
end

-- Return the time [s] in which a rod swings from level to its lowest position: K(1 / sqrt 2) sqrt(I / (m g d)).
-- The arithmetic-geometric mean of a and b gives K = pi / (2 a), the complete elliptic integral of the first kind.
local function quarter(lane, load, links)
  local inertia, moment = (load + links / 3) * lane.length ^ 2, (load + links / 2) * G * lane.length
  local a, b = 1, math.sqrt(0.5)
  for _ = 1, 6 do a, b = (a + b) / 2, math.sqrt(a * b) end
  return math.pi / (2 * a) * math.sqrt(inertia / moment)
end

-- source: Tournier, Nesme, Gilles, Faure, "Stable constrained dynamics" (2015), geometric stiffness
function scene.check(s)
  local own, without, soft, solver = s.lanes.own, s.lanes.without, s.lanes.soft, s.world.solver
  if s.world.time < 8 then return false, "cannot be checked before 8 s" end
  for _, lane in pairs(s.lanes) do watch(lane) end
  local audit, sum = s.world:audit(), 0
  for _, cause in ipairs { "lock", "stiffness", "projection", "integration", "bias" } do
    sum = sum + audit[cause] / own.scale
  end
  local expected = quarter(own, s.p.load, s.p.links)
  return own.stretch < 1e-3, ("with solver %s the chain stretched by %.3g of its length, 0.001 allowed"):format(
      solver, own.stretch),
    own.most < 1e-3, ("with solver %s the energy grew by %.4g m g l, 0 expected"):format(solver, own.most),
    own.passed ~= nil and math.abs(own.passed - expected) < 0.01 * expected, -- 1 %, because the chain bends
    ("the ball passed the lowest point after %.4f s, %.4f expected"):format(own.passed or math.huge, expected),
    (audit.stiffness < 0 or solver == "reduced") and math.abs(sum - own.energy) < 1e-9,
    ("the ledger's sum is %.9f m g l, %.9f expected; its part for stiffness is %.4g, less than 0 expected"):format(sum,
      own.energy, audit.stiffness / own.scale),
    without.stretch > 1, ("without geometric stiffness the chain should explode, but stretched only by %.3g of its "
      .. "length"):format(without.stretch),
    soft.stretch < 0.05 and soft.most < 1e-3,
    ("with solver soft the chain stretched by %.4f of its length, 0.05 allowed; its energy grew by %.4g m g l, "
      .. "0.001 allowed"):format(soft.stretch, soft.most)
end

return scene
