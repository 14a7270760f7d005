-- impel.autotune.search: finds numbers that minimise a cost measured in a world.
--
--   local best, cost = impel.autotune.search(world, { start = { 50, 5 }, lower = { 1, 0 }, upper = { 500, 50 },
--     seconds = 2, begin = function(x) pd.kp, pd.kd = x[1], x[2] end, cost = function() return joint.value ^ 2 end })
--
-- The search leaves the world in its state at the call, also if `begin`, `cost` or a handler raises an error.
--   source: Hansen, "The CMA Evolution Strategy: A Tutorial" (2016)

local arguments = require "impel.base.arguments"
local cma = require "impel.cma"

-- The function autotune.search.
return function(world, options)
  arguments.check("autotune.search: world", world, { "world" })
  local o = arguments.read("autotune.search", options, {
    start = { "table" }, lower = { "table" }, upper = { "table" },
    seconds = { "number", above = 0, unit = "s" },
    begin = { "function", optional = true },
    cost = { "function" },
    budget = { "integer", min = 1, default = 200 },
    sigma = { "number", above = 0, optional = true },
    seed = { "integer", default = 0 },
  })
  if #o.start == 0 then arguments.fail "autotune.search: field 'start' must have at least one number" end
  for _, name in ipairs { "start", "lower", "upper" } do
    if #o[name] ~= #o.start then
      arguments.fail("autotune.search: field '%s' must have %d numbers like 'start', got %d", name, #o.start, #o[name])
    end
    for i, value in ipairs(o[name]) do arguments.number(("autotune.search: %s[%d]"):format(name, i), value) end
  end
  local snapshot, steps = world:snapshot(), math.max(1, math.floor(o.seconds / world.dt + 0.5))
  local function try(numbers)
    world:restore(snapshot)
    if o.begin then o.begin(numbers) end
    local sum = 0
    for _ = 1, steps do
      world:step()
      local cost = o.cost(numbers)
      if type(cost) ~= "number" or cost ~= cost then
        arguments.fail("autotune.search: cost must return a number, got %s", arguments.got(cost))
      end
      sum = sum + world.dt * cost
    end
    return sum
  end
  local function run()
    local first = try(o.start)
    local search = cma.new { start = o.start, lower = o.lower, upper = o.upper, sigma = o.sigma, seed = o.seed,
                             budget = o.budget }
    while not search:done() do
      local points, values = search:ask(), {}
      for i, point in ipairs(points) do values[i] = try(point) end
      search:tell(points, values)
    end
    return first, search:best()
  end
  local ok, first, best, cost = pcall(run)
  world:restore(snapshot)
  if not ok then error(first, 0) end
  if cost > first then best, cost = o.start, first end
  if o.begin then o.begin(best) end
  return best, cost, first
end
