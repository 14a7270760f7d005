-- impel.baumgarte: tune world.baumgarte, the fraction of the position error that a step corrects.
--
--   local beta, report = baumgarte.tune(world)         the world is restored
--   world.baumgarte = assert(beta, report)
--
-- A step multiplies an error by 1 - beta, which is stable up to beta = 2. Half of the limit gives no oscillation.
--   source: Catto, "Modeling and Solving Constraints" (GDC 2009)

local arguments = require "impel.base.arguments"

local baumgarte = {}

local MOST = 4       -- largest value of world.baumgarte
local RAISE = 0.1    -- increment of beta in the search for an unstable value
local CLOSE = 0.005  -- accuracy of the stability limit
local GROWN = 10     -- A beta is unstable if its worst error reaches GROWN * (least worst error of the betas tried).
local NOTHING = 1e-9 -- [m or rad], smaller errors are rounding

local function is_lost(world)
  local lost = false
  for _ in world:events "fault" do lost = true end
  return lost
end

-- Return the worst error [m or rad] of all locks from the snapshot on, or infinity if the state of a body becomes
-- non-finite.
local function worst_error(world, start, beta, steps)
  world:restore(start)
  world.baumgarte = beta
  local residual = world:residual()
  local worst = residual.separation
  for _ = 1, steps do
    world:step()
    if is_lost(world) then return math.huge end
    worst = math.max(worst, world:residual(residual).separation)
  end
  return worst
end

-- Bisect between a stable and an unstable beta.
local function close_in(stable, unstable, is_stable)
  while unstable - stable > CLOSE do
    local middle = (stable + unstable) / 2
    if is_stable(middle) then stable = middle else unstable = middle end
  end
  return stable, unstable
end

local function search(is_stable)
  local stable = 0
  while stable < MOST do
    local next_one = math.min(stable + RAISE, MOST)
    if not is_stable(next_one) then return close_in(stable, next_one, is_stable) end
    stable = next_one
  end
  return stable
end

--- Tune world.baumgarte for the world's motion in the next `steps` steps. The trials run the world's handlers. Some
--- lock must have a position error now or during the motion. The world is restored.
---@param world impel.world  between two steps
---@param options table|nil  steps: steps for each value (300)
---@return number|nil beta  half of the stability limit; nil if no lock had an error to correct
---@return table|string report  drift: worst error without correction [m or rad]; least: worst error with the best beta
---  that was tried; stable, unstable: bounds of the limit; runs: number of runs. Without a beta: the reason
function baumgarte.tune(world, options)
  arguments.check("impel.baumgarte.tune: argument 'world'", world, { "world" })
  local steps = arguments.read("impel.baumgarte.tune", options, { steps = { "integer", min = 1, default = 300 } }).steps
  local start, before = world:snapshot(), world.baumgarte
  local runs, drift = 1, worst_error(world, start, 0, steps)
  local least, stable, unstable = drift, nil, nil
  if drift > NOTHING then
    stable, unstable = search(function(beta)
      local error_left = worst_error(world, start, beta, steps)
      runs, least = runs + 1, math.min(least, error_left)
      return error_left < GROWN * least
    end)
  end
  world:restore(start)
  world.baumgarte = before
  if not stable then
    return nil, ("in %d steps no lock had a position error to correct: first move the two bodies of a joint "
      .. "apart"):format(steps)
  end
  if not unstable then
    return nil, ("no value up to %g is unstable: perhaps solver '%s' does not use "
      .. "world.baumgarte"):format(MOST, world.solver)
  end
  return unstable / 2, { drift = drift, least = least, stable = stable, unstable = unstable, runs = runs }
end

return baumgarte
