-- Baumgarte stabilization: after n steps the position error is C_n = C_0 (1 - beta)^n.
local impel = require "impel"

local scene = {
  title = "Baumgarte's decay",
  about = "A constraint row with J v = -beta C / dt removes the fraction beta of its error C in each step. The error "
    .. "decays smoothly for beta up to 1, oscillates while it decays for beta from 1 to 2, and grows for beta above 2. "
    .. "This holds if each row is solved exactly. With two links (--set links=2) the two rows disturb each other, "
    .. "unless there are enough sweeps (--set sweeps=100).",
  duration = 1, -- [s]
  view = { x = 1, y = -0.95, height = 3.2 },
}

scene.params = {
  beta = { 0.2, min = 0, max = 2.1, help = "fraction of the error that a step corrects in the scene's own world; five "
    .. "further worlds have fixed fractions" },
  links = { 1, integer = true, min = 1, max = 5, help = "particles in a chain, each attached to the previous one" },
  sweeps = { 10, integer = true, min = 1, max = 1000, help = "number of sweeps over the rows in a step; for a single "
    .. "row one sweep suffices" },
}

local BETAS = { 0.5, 1, 1.5, 2, 2.1 } -- values of beta in five further worlds, for comparison
local ERROR = 0.01                    -- [m] initial position error of every constraint

local function line(p, seed, beta)
  local world = impel.world { seed = seed, gravity = { 0, 0 }, solver = "si", baumgarte = beta, iterations = p.sweeps,
    sleep = false }
  local lane = { world = world, beta = beta, rows = {} }
  local last
  for i = 1, p.links do
    local particle = world:body { type = "particle", position = { i * (1 + ERROR), 0 } }
    lane.rows[i] = last and world:constraint(last, particle, { C = function(a, b) return b.x - a.x - 1 end })
      or world:constraint(particle, { C = function(b) return b.x - 1 end })
    last = particle
  end
  return lane
end

function scene.setup(p, seed)
  local lanes = { line(p, seed, p.beta) }
  for i, beta in ipairs(BETAS) do lanes[i + 1] = line(p, seed, beta) end
  return { world = lanes[1].world, lanes = lanes, steps = 0, off = 0, where = "" }
end

-- Record the largest difference from C_n = C_0 (1 - beta)^n, relative to the largest expected error.
local function watch(s)
  for _, lane in ipairs(s.lanes) do
    local expected = ERROR * (1 - lane.beta) ^ s.steps
    local scale = math.max(ERROR, math.abs(expected)) / ERROR
    for _, row in ipairs(lane.rows) do
      local off = math.abs(row.value - expected) / scale
      if off > s.off then
        s.off = off
        s.where = ("beta %g, step %d: C = %.9g m, %.9g expected"):format(lane.beta, s.steps, row.value, expected)
      end
    end
  end
end

function scene.update(s)
  watch(s)
  for i = 2, #s.lanes do s.lanes[i].world:step() end
  s.steps = s.steps + 1
end

function scene.measure(s)
  local beta = s.lanes[1].beta
  local row = { formula = ERROR * (1 - beta) ^ s.steps, exponential = ERROR * math.exp(-beta * s.steps) }
  for i, lane in ipairs(s.lanes) do row[i == 1 and "own" or ("beta_%g"):format(lane.beta)] = lane.rows[1].value end
  return row
end

function scene.draw(s, view)
  view:line(1, 0.3, 1, -0.4 * #s.lanes, "grey")
  for i, lane in ipairs(s.lanes) do
    local x, y = 1 + 100 * lane.rows[1].value, -0.4 * (i - 1)
    view:line(1, y, x, y, "orange")
    view:point(x, y, "red")
    view:text(-1.2, y, ("beta %g"):format(lane.beta))
  end
end

-- One step makes J v' = -beta C / dt. The next error is C + dt J v' = (1 - beta) C.
-- source: Baumgarte (1972); Catto, "Modeling and Solving Constraints" (GDC 2009)
function scene.check(s)
  if s.steps < 10 then return false, "cannot be checked before ten steps" end
  watch(s)
  return s.off < 1e-12, ("with solver %s the error after n steps is not (1 - beta)^n times the initial error: "
    .. "%s"):format(s.world.solver, s.where)
end

return scene
