-- Compare two results of impel.benchmark: decide whether a difference exceeds the noise.
-- The means of the rounds are compared by the exact Mann-Whitney test: p is the probability that two sets of rounds
-- from the same distribution differ at least as much as the measured sets. The ratio is new time / old time.
-- source: Mann & Whitney, "On a Test of Whether one of Two Random Variables is Stochastically Larger than the Other",
-- Annals of Mathematical Statistics 18 (1947)

require "impel.core" -- provides impel.system
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local system = require "impel.system"

local compare = {}

compare.FORMAT, compare.VERSION = "impel.benchmark", 1

local SIGNIFICANT = 0.05 -- usual significance level: 1 of 20 comparisons of equal programs reports a difference


-- The test ------------------------------------------------------------------------------------------------------------

-- Return, for u = 0 .. m n, how many orderings of m values a and n values b have u pairs (a, b) with a > b.
local function orders(m, n)
  local counts = {} -- [i][j][u + 1]
  for i = 0, m do
    counts[i] = {}
    for j = 0, n do
      local list = {}
      for u = 0, i * j do
        local above = i > 0 and counts[i - 1][j][u - j + 1] or 0
        local below = j > 0 and counts[i][j - 1][u + 1] or 0
        list[u + 1] = i == 0 and j == 0 and 1 or (u >= j and above or 0) + below
      end
      counts[i][j] = list
    end
  end
  return counts[m][n]
end

--- Return the two-sided probability that two lists from the same distribution differ at least as much as these.
---@param a number[]
---@param b number[]
---@return number p      in (0, 1]
---@return number least  smallest possible p for lists of these lengths
function compare.probability(a, b)
  local u = 0
  for _, x in ipairs(a) do
    for _, y in ipairs(b) do u = u + (x > y and 1 or x == y and 0.5 or 0) end
  end
  local list = orders(#a, #b)
  local few, all = math.min(u, #a * #b - u), 0.0
  local tail = 0.0
  for i, count in ipairs(list) do
    all = all + count
    if i - 1 <= few then tail = tail + count end
  end
  return math.min(1, 2 * tail / all), math.min(1, 2 / all)
end


-- Files ---------------------------------------------------------------------------------------------------------------

local function check_line(line)
  if type(line) ~= "table" then return "an entry of 'lines' is not an object" end
  for _, name in ipairs { "cpu", "wall", "threads", "lanes" } do
    if type(line[name]) ~= "number" then return ("'%s' of an entry of 'lines' is not a number"):format(name) end
  end
  for _, name in ipairs { "solver", "hash" } do
    if type(line[name]) ~= "string" then return ("'%s' of an entry of 'lines' is not a string"):format(name) end
  end
  for _, name in ipairs { "cpu_of_rounds", "wall_of_rounds" } do
    if type(line[name]) ~= "table" or #line[name] == 0 then return ("'%s' of an entry of 'lines' is not a "
      .. "list"):format(name) end
    for _, ms in ipairs(line[name]) do
      if type(ms) ~= "number" then return ("'%s' of an entry of 'lines' contains a value that is not a "
        .. "number"):format(name) end
    end
  end
end

local function check(result)
  if type(result) ~= "table" or result.format ~= compare.FORMAT then
    return "not a result of impel bench --json"
  end
  if result.version ~= compare.VERSION then
    return ("it has version %s; this program reads version %d"):format(tostring(result.version), compare.VERSION)
  end
  if type(result.lines) ~= "table" or #result.lines == 0 then return "'lines' is not a list" end
  for _, line in ipairs(result.lines) do
    local problem = check_line(line)
    if problem then return problem end
  end
end

--- Read a result from a JSON file.
---@param path string
---@return table|nil result
---@return string|nil message
function compare.read(path)
  local text, message = system.read_file(path)
  if not text then return nil, "cannot read " .. message end
  local result, wrong = json.decode(text)
  if wrong then return nil, ("%s: not JSON: %s"):format(path, wrong) end
  wrong = check(result)
  if wrong then return nil, ("%s: %s"):format(path, wrong) end
  return result
end


-- Comparing -----------------------------------------------------------------------------------------------------------

-- Return "name: old before, new now" if two values differ, else nil.
local function difference(name, old, new)
  local function text(value)
    if type(value) ~= "table" then return json.exact(value) end
    local words = {}
    for _, key in ipairs(nearest.keys(value)) do words[#words + 1] = ("%s=%s"):format(key, text(value[key])) end
    return #words > 0 and table.concat(words, " ") or "none"
  end
  local a, b = text(old), text(new)
  return a ~= b and ("%s: %s before, %s now"):format(name, a, b) or nil
end

--- Return why two results are hard to compare: different work, or a different machine. Empty if they are not.
---@param old table
---@param new table
---@return string[]
function compare.warnings(old, new)
  local list = {}
  for _, field in ipairs {
    { "scene", "different scene" }, { "params", "different parameters" }, { "seed", "different seed" },
    { "dt", "different dt" }, { "steps", "different number of steps" }, { "warmup", "different warm-up" },
    { "machine", "different machine" }, { "processors", "different number of processors" },
    { "build", "different build" },
  } do
    list[#list + 1] = difference(field[2], old[field[1]], new[field[1]])
  end
  return list
end

-- Describe in words the speed of the new result relative to the old one.
local function verdict(found)
  if found.p >= SIGNIFICANT then
    if found.least >= SIGNIFICANT then
      return ("too few rounds (%d before, %d now) for a significant difference"):format(found.old_rounds,
        found.new_rounds)
    end
    return "no significant difference"
  end
  local faster = found.ratio < 1
  return ("significantly %s: %.3g times the old speed"):format(faster and "faster" or "slower", 1 / found.ratio)
end

local function match(line, old)
  for _, other in ipairs(old.lines) do
    if other.solver == line.solver and other.threads == line.threads and other.lanes == line.lanes then return other end
  end
end

--- Compare the measurements of two results that have equal solver, threads and SIMD lanes, in the order of `new`.
--- A measurement without a partner in the other result is left out.
---@param old table
---@param new table
---@return table[] found
---  solver, threads, lanes
---  by: compared time, "CPU" (one thread) or "wall"
---  old, new: means [ms]
---  ratio: new / old
---  p, least: as from compare.probability
---  old_rounds, new_rounds: numbers of rounds
---  words: the verdict
---  other_hash: whether the final states differ
function compare.lines(old, new)
  local list = {}
  for _, line in ipairs(new.lines) do
    local other = match(line, old)
    if other then
      local by = line.threads == 1 and "cpu" or "wall"
      local found = {
        solver = line.solver, threads = line.threads, lanes = line.lanes, by = by == "cpu" and "CPU" or "wall",
        old = other[by], new = line[by], ratio = line[by] / other[by], other_hash = line.hash ~= other.hash,
        old_rounds = #other[by .. "_of_rounds"], new_rounds = #line[by .. "_of_rounds"],
      }
      found.p, found.least = compare.probability(other[by .. "_of_rounds"], line[by .. "_of_rounds"])
      found.words = verdict(found)
      list[#list + 1] = found
    end
  end
  return list
end

return compare
