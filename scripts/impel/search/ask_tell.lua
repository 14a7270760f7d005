-- The common interface of the optimisers, which minimise.
--
--   local search = cma.new { start = { 1, 1 }, sigma = 0.3, lower = { 0, 0 }, upper = { 5, 9 } }
--   while not search:done() do
--     local points = search:ask()
--     search:tell(points, evaluate(points))       -- list of numbers; nan and inf are worst
--   end
--   print(search:done(), search:best())
--
-- An optimiser adds propose(self), which returns the coordinates to evaluate next, and learn(self, values), which gets
-- their values in the same order, with nan replaced by inf. It sets self.reason when the search is done. Equal options
-- and values give equal points, bit for bit.

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"
local search_space = require "impel.search.space"

local ask_tell = {}

local COMMON = { "start", "lower", "upper", "scale", "sigma", "budget", "target" }

local function checked_option(what, options, name, least, level)
  local value = options[name]
  if value == nil then return end
  if type(value) ~= "number" or value ~= value or value < least then
    local got = arguments.number_text(value)
    error(("%s: %s: number >= %g expected, got %s"):format(what, name, least, got), level + 1)
  end
end

--- Create the common part of a search. Raises on unknown options and on values out of range.
---@param class table  metatable of the search, with the methods propose and learn
---@param what string    name of the constructor in errors
---@param options table
---  start, lower, upper, scale: as in search_space.new
---  sigma: spread of the first points around the start, in units of scale, default 0.3
---  budget: largest number of evaluations
---  target: value at which the search ends
---@param own table<string, number|boolean>  the optimiser's other options: name -> least number allowed, or false if
---  the optimiser checks it itself
---@param level integer  level for error, relative to the caller
function ask_tell.base(class, what, options, own, level)
  if type(options) ~= "table" then
    error(("%s: table of options expected, got %s"):format(what, type(options)), level + 1)
  end
  local names = table.move(COMMON, 1, #COMMON, 1, {})
  for _, name in ipairs(nearest.keys(own)) do names[#names + 1] = name end
  for _, name in ipairs(arguments.keys(options)) do
    if not nearest.has(names, name) then
      error(("%s: unknown option '%s'%s"):format(what, arguments.called(name), nearest.hint(name, names)), level + 1)
    end
  end
  checked_option(what, options, "sigma", 0x1p-1022, level + 1)
  checked_option(what, options, "budget", 1, level + 1)
  checked_option(what, options, "target", -math.huge, level + 1)
  for _, name in ipairs(nearest.keys(own)) do
    if own[name] then checked_option(what, options, name, own[name], level + 1) end
  end
  local space, start = search_space.new(what, options, level + 1)
  return setmetatable({
    n = space.n, space = space, start = start, sigma0 = (options.sigma or 0.3) + 0.0,
    budget = options.budget or math.huge, target = options.target or -math.huge,
    evaluations = 0, generation = 0, best_value = math.huge,
  }, class)
end

-- Compute the next points if necessary; end the search if they would exceed the budget.
local function prepare(self)
  if self.reason or self.points then return end
  self.points = {}
  for i, u in ipairs(getmetatable(self).propose(self)) do self.points[i] = self.space:point(u) end
  if self.evaluations + #self.points > self.budget then self.reason = "budget" end
end

-- Return copies of the next points.
local function ask(self)
  prepare(self)
  if self.reason then error(("ask: the search is done (%s)"):format(self.reason), 2) end
  local copies = {}
  for i, x in ipairs(self.points) do copies[i] = table.move(x, 1, self.n, 1, {}) end
  return copies
end

local function is_point(x, asked)
  if type(x) ~= "table" then return false end
  for k, coordinate in ipairs(asked) do
    if x[k] ~= coordinate then return false end
  end
  return true
end

local function check_points(self, points, level)
  if not self.points then error("tell: call ask first", level + 1) end
  if type(points) ~= "table" or #points ~= #self.points then
    error(("tell: points must be the %d points that ask returned"):format(#self.points), level + 1)
  end
  for i, asked in ipairs(self.points) do
    if not is_point(points[i], asked) then
      error(("tell: point %d differs from the point that ask returned; to evaluate rounded values, round a "
        .. "copy"):format(i), level + 1)
    end
  end
end

local function checked_values(self, values, level)
  if type(values) ~= "table" then
    error(("tell: list of values expected, got %s"):format(type(values)), level + 1)
  end
  local copy = {}
  for i = 1, #self.points do
    local value = values[i]
    if type(value) ~= "number" then
      error(("tell: value %d: number expected, got %s"):format(i, tostring(value)), level + 1)
    end
    copy[i] = value == value and value + 0.0 or math.huge
  end
  return copy
end

-- Check and store the values of the points. If an argument is invalid, the search is unchanged.
local function tell(self, points, values)
  if self.reason then error(("tell: the search is done (%s)"):format(self.reason), 2) end
  check_points(self, points, 2)
  values = checked_values(self, values, 2)
  for i, value in ipairs(values) do
    if value < self.best_value then self.best_point, self.best_value = self.points[i], value end
  end
  self.evaluations, self.generation = self.evaluations + #values, self.generation + 1
  self.points = nil
  getmetatable(self).learn(self, values)
  if self.best_value <= self.target then self.reason = "target" end
end

-- Return the best point so far, the first of equal ones, and its value; nil while every value was inf or nan.
local function best(self)
  if not self.best_point then return nil end
  return table.move(self.best_point, 1, self.n, 1, {}), self.best_value
end

-- Return why the search has ended, or nil.
local function done(self)
  prepare(self)
  return self.reason
end

--- Return a class of searches, to which an optimiser adds propose and learn.
function ask_tell.class()
  return { __index = { ask = ask, tell = tell, best = best, done = done } }
end

local function value_at(f, x, what)
  local value = f(table.move(x, 1, #x, 1, {}))
  if type(value) == "number" then return value end
  error(("%s: the function returned %s, a number expected"):format(what, tostring(value)), 3)
end

--- Return the function minimize(f, options) of an optimiser, which runs a search to its end in this process.
--- create(what, options, level) makes the search; what: name of the function in errors.
function ask_tell.minimizer(create, what)
  return function(f, options)
    if type(f) ~= "function" then error(("%s: function expected, got %s"):format(what, type(f)), 2) end
    local search = create(what, options, 2)
    while not search:done() do
      local points, values = search:ask(), {}
      for i, x in ipairs(points) do values[i] = value_at(f, x, what) end
      search:tell(points, values)
    end
    local point, value = search:best()
    return point, value, {
      reason = search:done(), evaluations = search.evaluations, generations = search.generation,
      restarts = search.restart,
    }
  end
end

return ask_tell
