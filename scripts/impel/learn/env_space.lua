-- The spaces of an environment's actions and observations: numbers with names and bounds.

local arguments = require "impel.base.arguments"

local spaces = {}
local Space = {}
Space.__index = Space

local FIELDS = {
  name = { "string" },
  lower = { "number", default = -math.huge, infinite = true },
  upper = { "number", default = math.huge, infinite = true },
  unit = { "string", default = "" },
}

--- Create a space from a list of { name =, lower =, upper =, unit = }; bounds default to infinite. Fields: n; names,
--- lower, upper, units: lists.
function spaces.new(what, list)
  if #list == 0 then arguments.fail("%s must be a list of { name =, lower =, upper = }, got an empty one", what) end
  local space, known = setmetatable({ n = #list, names = {}, lower = {}, upper = {}, units = {} }, Space), {}
  for i, one in ipairs(list) do
    local read = arguments.read(("%s[%d]"):format(what, i), one, FIELDS)
    if known[read.name] then arguments.fail("%s[%d]: the name '%s' is used twice", what, i, read.name) end
    if read.lower > read.upper then
      arguments.fail("%s[%d]: lower %g of '%s' is above upper %g", what, i, read.lower, read.name, read.upper)
    end
    known[read.name] = true
    space.names[i], space.units[i] = read.name, read.unit
    space.lower[i], space.upper[i] = read.lower + 0.0, read.upper + 0.0
  end
  return space
end

--- Return a message for the first value that is not finite or is out of bounds; nil if all are in the space.
function Space:problem(values)
  if type(values) ~= "table" then return ("a table of %d numbers expected, got %s"):format(self.n, type(values)) end
  if #values ~= self.n then return ("%d numbers expected, got %d"):format(self.n, #values) end
  for i, value in ipairs(values) do
    if not arguments.is_finite(value) then
      return ("'%s' is %s, a finite number expected"):format(self.names[i], arguments.got(value))
    end
    if value < self.lower[i] or value > self.upper[i] then
      return ("'%s' is %.9g, out of %g..%g"):format(self.names[i], value, self.lower[i], self.upper[i])
    end
  end
  return nil
end

--- Copy n values into `into`. Clip values to their bounds if `clip`, else raise for a value out of bounds. Raise for
--- values that are not finite numbers. what: start of messages.
function Space:take(what, values, clip, into)
  if type(values) ~= "table" or #values > self.n then
    local got = type(values) == "table" and #values or arguments.got(values)
    arguments.fail("%s: a table of %d numbers expected, got %s", what, self.n, got)
  end
  for i = 1, self.n do
    local value, lower, upper = values[i], self.lower[i], self.upper[i]
    if not arguments.is_finite(value) then
      arguments.fail("%s '%s' must be a finite number, got %s", what, self.names[i], arguments.got(value))
    end
    if not clip and (value < lower or value > upper) then
      arguments.fail("%s '%s' must be in [%s, %s], got %s", what, self.names[i], arguments.bound(lower),
        arguments.bound(upper), arguments.bound(value))
    end
    into[i] = value < lower and lower or value > upper and upper or value
  end
  return into
end

--- Draw a random point into `into` (default: a new table): uniform between two bounds, half-normal from a single bound,
--- else normal. random: a generator of impel.rng.
function Space:sample(random, into)
  into = into or {}
  for i = 1, self.n do
    local lower, upper = self.lower[i], self.upper[i]
    if upper - lower < math.huge then
      into[i] = lower + random:random() * (upper - lower)
    elseif lower > -math.huge then
      into[i] = lower + math.abs(random:normal())
    elseif upper < math.huge then
      into[i] = upper - math.abs(random:normal())
    else
      into[i] = random:normal()
    end
  end
  return into
end

return spaces
