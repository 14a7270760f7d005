-- The part of the position error that a step corrects (world.baumgarte), found as the slides say: start with zero,
-- raise it until the system becomes unstable, halve it.
--
--   local beta, report = baumgarte.tune(world)         the world is left as it was
--   world.baumgarte = assert(beta, report)
--
-- An error C that a step multiplies by (1 - beta) dies away without ringing up to beta = 1, rings up to 2, and grows
-- above: half of what is unstable is the largest that does not ring. Rows that are coupled and not solved to the end
-- are unstable at other values, and what is tuned for one load, step and number of sweeps is tuned for those.
--   source: Catto, "Modeling and Solving Constraints" (GDC 2009)

local arguments = require "impel.base.arguments"

local baumgarte = {}

local MOST = 4       -- of the property
local RAISE = 0.1    -- how far beta is raised at a time, before the edge is closed in
local CLOSE = 0.005  -- how well the edge is known
local GROWN = 10     -- times the least error of the values before: while all is well, more correction leaves less
local NOTHING = 1e-9 -- errors below it are rounding [m or rad]

local function is_lost(world)
  local lost = false
  for _ in world:events "fault" do lost = true end
  return lost
end

-- The worst error of all locks from the snapshot on, itself included; infinite when a body is lost.
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

-- Between a stable and an unstable beta, halving.
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

--- Tune world.baumgarte for the joints of a world as it moves on from now, handlers included. Some lock must have an
--- error to correct, or come to have one. The world goes back to where it was.
---@param world impel.world  between two steps
---@param options table|nil  steps: how long each value is watched, 300 by default
---@return number|nil beta   half of where it becomes unstable
---@return table|string report  drift: worst error without any correction; least: with the best beta that
---  was tried; stable, unstable: the edge; runs: how many. Without a beta: why there is none
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
    return nil, ("no lock had an error to correct in %d steps: pull something apart first"):format(steps)
  end
  if not unstable then
    return nil, ("nothing becomes unstable up to %g: solver '%s' may not read baumgarte"):format(MOST, world.solver)
  end
  return unstable / 2, { drift = drift, least = least, stable = stable, unstable = unstable, runs = runs }
end

return baumgarte
