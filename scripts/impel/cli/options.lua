-- Options shared by several commands, and converters that refuse invalid values.

local merged = require "impel.base.merged"
local nearest = require "impel.base.nearest"

local options = {}

local LARGEST = 16384 -- largest width and height of a picture or window [px]
local SEED_MAX = (1 << 53) - 1 -- largest seed, because a larger integer may have no exact double

--- Return a converter to a number.
---@param name string  name of the option
---@param what string  valid values
---@param accept fun(x: number): any
function options.number(name, what, accept)
  return function(text)
    local value = tonumber(text)
    if value and accept(value) then return value end
    return nil, ("%s: %s expected, got '%s'"):format(name, what, text)
  end
end

--- Return a condition for options.number: finite and at least `lower`.
function options.at_least(lower)
  return function(x) return x >= lower and x < math.huge end
end

--- Return whether a number is finite and greater than 0: a condition for options.number.
function options.positive(x)
  return x > 0 and x < math.huge
end

--- Return a converter to an integer in lower..upper (without upper: unlimited).
function options.integer(name, lower, upper)
  local what = upper and ("integer in %d..%d"):format(lower, upper) or ("integer >= %d"):format(lower)
  local convert = options.number(name, what, function(x)
    return math.tointeger(x) and x >= lower and x <= (upper or math.huge)
  end)
  return function(text)
    local value, message = convert(text)
    return value and math.tointeger(value), message
  end
end

--- Return a converter of "960x540" to { 960, 540 } with fields width and height.
---@param least integer  smallest width and height
---@param what string  valid sizes
function options.size(least, what)
  return function(text)
    local width, height = text:match "^(%d+)[xX](%d+)$"
    width, height = math.tointeger(tonumber(width)), math.tointeger(tonumber(height))
    local fits = width and height and math.min(width, height) >= least and math.max(width, height) <= LARGEST
    if fits then return { width, height, width = width, height = height } end
    return nil, ("--size: WIDTHxHEIGHT " .. what .. " expected, got '%s'"):format(LARGEST, text)
  end
end

--- Return a converter to a seed.
function options.seed(name)
  return options.integer(name, 0, SEED_MAX)
end

-- Convert "kp=90" to { name, value }.
local function assignment(text)
  local name, value = text:match("^([%a_][%w_]*)=(.+)$")
  if name then return { name = name, value = value } end
  return nil, ("--set: name=value expected, got '%s'"):format(text)
end

--- Return a table from parameter names to values, as text, of all --set options.
function options.set_values(assignments)
  local values = {}
  for _, item in ipairs(assignments) do values[item.name] = item.value end
  return values
end

--- Return a converter of "soft,si" to a list of at most `most` solvers.
function options.solvers(name, most)
  return function(text)
    local known, list, seen = require("impel.compare").solvers(), {}, {}
    for word in (text .. ","):gmatch "%s*([^,]-)%s*," do
      if not nearest.has(known, word) then
        return nil, ("%s: no solver '%s'%s; there are %s"):format(name, word, nearest.hint(word, known),
          table.concat(known, ", "))
      end
      if not seen[word] then list[#list + 1] = word end
      seen[word] = true
    end
    if #list <= (most or #list) then return list end
    return nil, ("%s: one solver expected, got '%s'"):format(name, text)
  end
end

--- Return the options of a command that are also options of impel.evaluate.
function options.settings(given)
  return {
    time = given.time, steps = given.steps, dt = given.dt, solver = given.solver, threads = given.threads,
    check = given.check,
  }
end

--- Return the settings for impel.run: the result of options.settings, the parameters, the seed, and the fields of
--- `more`.
function options.run_settings(given, more)
  return merged(options.settings(given), { set = options.set_values(given.set or {}), seed = given.seed }, more)
end

--- Add the argument FILE.
function options.add_file(command)
  return command:argument("file", "a scene file, the name of an example, or - for standard input"):argname("FILE")
end

--- Add --time and --steps.
function options.add_length(command, default)
  command:mutex(
    command:option("--time", ("simulated time to run [s], rounded to whole steps (default: %s)"):format(default))
      :argname("S"):convert(options.number("--time", "seconds >= 0", options.at_least(0))),
    command:option("--steps", "number of steps to run"):argname("N"):convert(options.integer("--steps", 0)))
end

--- Add --seed.
function options.add_seed(command)
  command:option("--seed", "seed of the scene's random numbers (default: 0)"):argname("N")
    :convert(options.seed("--seed"))
end

--- Add --set.
function options.add_set(command, about)
  command:option("--set", about or "set a parameter of the scene; may be repeated"):argname("NAME=VALUE"):count("*")
    :convert(assignment)
end

--- Add --solver.
function options.add_solver(command)
  local convert = options.solvers("--solver", 1)
  command:option("--solver", "solver, such as soft or si (default: as in the scene)"):argname("NAME")
    :convert(function(text)
      local list, message = convert(text)
      return list and list[1], message
    end)
end

--- Add --dt and --threads.
function options.add_world(command)
  command:option("--dt", "length of a step [s] (default: as in the scene)"):argname("S")
    :convert(options.number("--dt", "seconds > 0", options.positive))
  command:option("--threads", "number of worker threads; the result does not depend on it"):argname("N")
    :convert(options.integer("--threads", 1))
end

--- Add -j.
function options.add_jobs(command)
  command:option("-j --jobs", "number of parallel processes (default: the number of processors); the result does not "
    .. "depend on it"):argname("N"):convert(options.integer("--jobs", 1, 4096))
end

--- Add --timeout.
function options.add_timeout(command, default)
  command:option("--timeout", ("wall time after which a run is stopped [s] (default: %d)"):format(default)):argname("S")
    :convert(options.number("--timeout", "seconds > 0", options.positive))
end

--- Add -q and -v.
function options.add_loudness(command)
  command:mutex(
    command:flag("-q --quiet", "print only errors and requested output"),
    command:flag("-v --verbose", "print tracebacks and more details"))
end

--- Add all options of a command that runs one scene once, except its length and solver.
function options.add_common(command)
  options.add_seed(command)
  options.add_set(command)
  options.add_world(command)
  options.add_loudness(command)
end

return options
