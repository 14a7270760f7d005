-- impel.nelder_mead: minimises a smooth function of a few numbers without derivatives, by a simplex of n + 1 points.
--
--   local best, value, report = nelder_mead.minimize(function(x) return (x[1] - 3) ^ 2 + 9 * x[2] ^ 2 end,
--     { start = { 0, 1 } })
--
-- c is the centroid of all points except the worst point w. A trial is c + f (c - w):
--   reflection f = 1, expansion f = 1 + 2 / n, contractions f = +-(3/4 - 1 / (2n)); shrinking: factor 1 - 1 / n
-- A collapsed or converged simplex is rebuilt at its best point.
--   source: Nelder and Mead, "A Simplex Method for Function Minimization" (1965); Lagarias, Reeds, Wright and Wright
--   (1998); Gao and Han, "Implementing the Nelder-Mead Simplex Algorithm with Adaptive Parameters" (2012)

local ask_tell = require "impel.search.ask_tell"
local search_space = require "impel.search.space"

local nelder_mead = {}
local NelderMead = ask_tell.class()
local searches = setmetatable({}, { __mode = "k" }) -- search -> function that resumes the coroutine of the search

local OWN = { simplex = false, speculative = false, adaptive = false, restarts = 0, tol_x = 0, tol_fun = 0 }

-- least width of a simplex relative to its longest edge
local FLAT = 1e-8
-- Largest size of a simplex relative to its first edge; a larger one has diverged.
local DIVERGED = 1e12
local EQUAL = 0x1p-50    -- largest relative difference of coordinates that counts as rounding
local TRIALS = { "reflect", "expand", "outside", "inside" }


-- Simplex ------------------------------------------------------------------------------------------------------------

-- Return a + f (a - b).
local function beyond(a, b, f)
  local u = {}
  for i = 1, #a do u[i] = a[i] + f * (a[i] - b[i]) end
  return u
end

local function centroid(simplex, n)
  local sum = {}
  for i = 1, n do
    sum[i] = 0.0
    for k = 1, n do sum[i] = sum[i] + simplex[k].u[i] end
    sum[i] = sum[i] / n
  end
  return sum
end

-- Sort the simplex, best vertex first. Vertices of equal value keep their order.
local function sort(simplex)
  for i, vertex in ipairs(simplex) do vertex.age = i end
  table.sort(simplex, function(a, b) return a.value < b.value or a.value == b.value and a.age < b.age end)
end

-- Replace the worst vertex, and sort the new one last among equals.
local function replace_worst(simplex, vertex)
  local place = #simplex
  while place > 1 and vertex.value < simplex[place - 1].value do
    simplex[place] = simplex[place - 1]
    place = place - 1
  end
  simplex[place] = vertex
end

-- Return the largest |coordinate - coordinate of the best vertex| and the largest value - best value of all vertices.
local function spread(simplex)
  local best, size, rise = simplex[1], 0.0, 0.0
  for k = 2, #simplex do
    for i, x in ipairs(simplex[k].u) do size = math.max(size, math.abs(x - best.u[i])) end
    if simplex[k].value ~= best.value then rise = math.max(rise, simplex[k].value - best.value) end
  end
  return size, rise
end

local function dot(a, b)
  local sum = 0.0
  for i, x in ipairs(a) do sum = sum + x * b[i] end
  return sum
end

-- Return the relative width of the simplex, least orthogonalised edge (Gram and Schmidt) / longest edge, and the
-- longest edge.
local function flatness(simplex)
  local least, longest, before = math.huge, 0.0, {}
  for k = 2, #simplex do
    local edge = {}
    for i, x in ipairs(simplex[k].u) do edge[i] = x - simplex[1].u[i] end
    longest = math.max(longest, math.sqrt(dot(edge, edge)))
    for _, other in ipairs(before) do
      local along = dot(edge, other)
      for i, x in ipairs(other) do edge[i] = edge[i] - along * x end
    end
    local left = math.sqrt(dot(edge, edge))
    least = math.min(least, left)
    if left > 0 then
      for i, x in ipairs(edge) do edge[i] = x / left end
      before[#before + 1] = edge
    end
  end
  return longest > 0 and least / longest or 0.0, longest
end


-- The method: a coroutine that yields points and receives their values -----------------------------------------------

local function evaluate(points)
  local vertices = {}
  for i, value in ipairs(coroutine.yield(points)) do vertices[i] = { u = points[i], value = value } end
  return vertices
end

-- Return a function that takes the name of a trial and returns the vertex of this trial. If `speculative` is set,
-- evaluate all trials now; otherwise the returned function evaluates a trial when it is called.
local function trials(self, center, worst)
  local known, all = {}, {}
  local function point(name) return beyond(center, worst.u, self.factors[name]) end
  if self.speculative then
    for i, name in ipairs(TRIALS) do all[i] = point(name) end
    for i, vertex in ipairs(evaluate(all)) do known[TRIALS[i]] = vertex end
  end
  return function(name)
    return known[name] or evaluate({ point(name) })[1]
  end
end

local function shrink(self, simplex)
  local points = {}
  for k = 2, #simplex do points[k - 1] = beyond(simplex[1].u, simplex[k].u, -self.factors.shrink) end
  for k, vertex in ipairs(evaluate(points)) do simplex[k + 1] = vertex end
  sort(simplex)
end

-- Return a vertex that is better than the worst vertex, or nil.
local function improve(self, simplex)
  local n, worst = self.n, simplex[self.n + 1]
  local trial = trials(self, centroid(simplex, n), worst)
  local reflected = trial "reflect"
  if reflected.value < simplex[1].value then
    local expanded = trial "expand"
    return expanded.value < reflected.value and expanded or reflected
  elseif reflected.value < simplex[n].value then
    return reflected
  elseif reflected.value < worst.value then
    local outside = trial "outside"
    return outside.value <= reflected.value and outside or nil
  end
  local inside = trial "inside"
  return inside.value < worst.value and inside or nil
end

-- Return a sorted simplex: the best vertex, and a vertex at `length` from it along each axis.
local function build(best, length)
  local points = {}
  for i = 1, #best.u do
    local u = table.move(best.u, 1, #best.u, 1, {})
    u[i] = u[i] + length
    points[i] = u
  end
  local simplex = evaluate(points)
  table.insert(simplex, 1, best)
  sort(simplex)
  return simplex
end

-- Return why the steps of the simplex end, or nil; for a degenerate simplex also its longest edge.
local function end_of(self, simplex, steps)
  local size, rise = spread(simplex)
  if size <= self.tol_x * self.sigma0 and rise <= self.tol_fun then return "tol_x" end
  if size ~= size or size > DIVERGED * self.sigma0 then return "diverged" end
  local largest = 0.0
  for _, x in ipairs(simplex[1].u) do largest = math.max(largest, math.abs(x)) end
  if size <= EQUAL * largest then return "no_effect" end
  if steps % self.n ~= 0 then return nil end
  local part, longest = flatness(simplex)
  if part >= FLAT then return nil end
  if rise <= self.tol_fun then return "tol_fun" end
  return "degenerate", longest
end

local function search(self, points)
  local simplex, steps, ended_at = evaluate(points), 0, math.huge
  sort(simplex)
  while true do
    local reason, length = end_of(self, simplex, steps)
    local best = simplex[1].value
    if reason == "tol_x" or reason == "tol_fun" then
      length = ended_at - best > self.tol_fun and self.sigma0
      ended_at = best
    end
    if length and self.restart < self.restarts then
      self.restart = self.restart + 1
      simplex = build(simplex[1], length)
    elseif reason then
      return nil, reason
    end
    local better = improve(self, simplex)
    if better then replace_worst(simplex, better) else shrink(self, simplex) end
    steps = steps + 1
  end
end


-- Ask and tell -------------------------------------------------------------------------------------------------------

-- Return the first simplex: as given, or the start and a step of sigma from it along each axis.
local function first_points(self, what, given, level)
  local points = {}
  if given == nil then
    points[1] = self.start
    for i = 1, self.n do
      points[i + 1] = table.move(self.start, 1, self.n, 1, {})
      points[i + 1][i] = points[i + 1][i] + self.sigma0
    end
    return points
  end
  if type(given) ~= "table" or #given ~= self.n + 1 then
    error(("%s: simplex: list of %d points expected"):format(what, self.n + 1), level + 1)
  end
  for k, x in ipairs(given) do
    local name = ("%s: simplex[%d]"):format(what, k)
    points[k] = self.space:coordinates(search_space.numbers(name, x, self.n, level + 1))
  end
  return points
end

local function factors(n, adaptive)
  if not adaptive or n == 1 then return { reflect = 1.0, expand = 2.0, outside = 0.5, inside = -0.5, shrink = 0.5 } end
  local contract = 0.75 - 0.5 / n
  return { reflect = 1.0, expand = 1.0 + 2.0 / n, outside = contract, inside = -contract, shrink = 1.0 - 1.0 / n }
end

local function create(what, options, level)
  local self = ask_tell.base(NelderMead, what, options, OWN, level + 1)
  for _, name in ipairs { "speculative", "adaptive" } do
    if options[name] ~= nil and type(options[name]) ~= "boolean" then
      error(("%s: %s: true or false expected, got %s"):format(what, name, tostring(options[name])), level + 1)
    end
  end
  if self.budget < self.n + 1 then
    error(("%s: budget: at least the %d points of a simplex expected, got %s"):format(what, self.n + 1,
      self.budget), level + 1)
  end
  local points = first_points(self, what, options.simplex, level + 1)
  self.speculative = options.speculative or false
  self.factors = factors(self.n, options.adaptive ~= false)
  self.restart, self.restarts = 0, options.restarts or 10
  self.tol_x, self.tol_fun = options.tol_x or 1e-8, options.tol_fun or 1e-12
  searches[self] = coroutine.wrap(search)
  self.pending = searches[self](self, points)
  return self
end

-- Return the points to evaluate.
function NelderMead:propose()
  return self.pending
end

-- Resume the search's coroutine with the values of the points.
function NelderMead:learn(values)
  self.pending, self.reason = searches[self](values)
end

--- Make a search.
---@param options table
---  start: a list of n numbers
---  sigma: first edge in units of scale, default 0.3
---  lower, upper, scale: as in search_space.new
---  simplex: the n + 1 first points, instead of start and sigma
---  speculative: true to propose all trials of a step at once, for parallel evaluation
---  adaptive: default true; if false, the factors f of n = 2 are used for every n
---  restarts: how often the simplex may be rebuilt, default 10
---  tol_x, tol_fun: the search ends if all |coordinate - best point's coordinate| <= tol_x sigma scale and all
---  value - best value <= tol_fun, default 1e-8 and 1e-12
---  budget: largest number of evaluations
---  target: value at which the search ends
---@return table search  as in search/ask_tell.lua; restart: number of restarts
function nelder_mead.new(options)
  local self = create("nelder_mead.new", options, 2)
  return self
end

--- Minimise a function in this process.
---@param f fun(point: number[]): number  nan and inf are the worst values
---@param options table  as in nelder_mead.new
---@return number[]|nil best  nil if no value was finite
---@return number|nil value
---@return table report  reason ("tol_x", "tol_fun", "degenerate", "no_effect", "diverged", "budget", "target"),
---  evaluations, generations: number of asks, restarts
nelder_mead.minimize = ask_tell.minimizer(create, "nelder_mead.minimize")

return nelder_mead
