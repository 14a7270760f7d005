-- impel bench: measure the time of a scene's steps and of their stages.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local opt = require "impel.cli.options"
local system = require "impel.system"

local command = { name = "bench", about = "measure the time of a scene's steps, and compare it with an earlier result" }

local SHARES_IN_ROW = 5 -- number of stages per line of text

-- Parse "1,2,4" into a list of integers without repetitions.
local function integers(name, lower, upper)
  local convert = opt.integer(name, lower, upper)
  return function(text)
    local list, seen = {}, {}
    for word in (text .. ","):gmatch "%s*([^,]-)%s*," do
      local value, message = convert(word)
      if not value then return nil, message end
      if not seen[value] then list[#list + 1] = value end
      seen[value] = true
    end
    return list
  end
end

function command.declare(parser)
  opt.add_file(parser)
  opt.add_length(parser, "the scene's duration, or 10")
  parser:option("--warmup", "number of warm-up steps before the measurement (default: 10)"):argname("N")
    :convert(opt.integer("--warmup", 0))
  parser:option("--rounds", "number of rounds; the shortest time of each step is reported (default: 5)")
    :argname("N"):convert(opt.integer("--rounds", 1, 1000))
  parser:option("--solver", "solvers, separated by commas (default: as in the scene)"):argname("NAME,...")
    :convert(opt.solvers("--solver"))
  parser:option("--threads", "numbers of worker threads, separated by commas"):argname("N,...")
    :convert(integers("--threads", 1, 256))
  parser:option("--lanes", "numbers of SIMD lanes of the solver soft, separated by commas; 0: the machine's maximum")
    :argname("N,..."):convert(integers("--lanes", 0, 16))
  parser:option("--json", "write the result to OUT.json"):argname("OUT.json")
  parser:option("--compare", "compare with a result that --json wrote"):argname("IN")
  opt.add_seed(parser)
  opt.add_set(parser)
  parser:option("--dt", "length of a step [s] (default: as in the scene)"):argname("S")
    :convert(opt.number("--dt", "seconds > 0", opt.positive))
  opt.add_loudness(parser)
end


-- Text ----------------------------------------------------------------------------------------------------------------

local function title_of(line)
  local lanes = line.lanes == 0 and "widest lanes" or ("%d lane%s"):format(line.lanes, line.lanes == 1 and "" or "s")
  return ("%s, %d thread%s, %s"):format(line.solver, line.threads, line.threads == 1 and "" or "s", lanes)
end

local function percent(part, whole)
  return whole > 0 and ("%.3g %%"):format(100 * part / whole) or "-"
end

local function bytes(count)
  if count < 10000 then return ("%.0f B"):format(count) end
  return count < 1e7 and ("%.1f kB"):format(count / 1e3) or ("%.1f MB"):format(count / 1e6)
end

local function shares_of(line)
  local parts, rest = {}, line.core
  for _, name in ipairs(nearest.keys(line.stages)) do
    parts[#parts + 1] = { name, line.stages[name] }
    rest = rest - line.stages[name]
  end
  parts[#parts + 1] = { "rest of the core", math.max(rest, 0) }
  parts[#parts + 1] = { "outside the core", math.max(line.wall - line.core, 0) }
  table.sort(parts, function(a, b)
    if a[2] ~= b[2] then return a[2] > b[2] end
    return a[1] < b[1]
  end)
  local text = ""
  for i, part in ipairs(parts) do
    local word = ("%s %s"):format(part[1], percent(part[2], line.wall))
    text = text .. (i == 1 and "" or (i - 1) % SHARES_IN_ROW == 0 and ",\n           " or ", ") .. word
  end
  return text
end

local function of_rounds(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return ("%.4g .. %.4g, median %.4g"):format(sorted[1], sorted[#sorted], sorted[(#sorted + 1) // 2])
end

local function rows_of(line)
  local s = line.step
  return {
    { "CPU", ("%.4g ms a step  (means of rounds: %s)"):format(line.cpu, of_rounds(line.cpu_of_rounds)) },
    { "wall", ("%.4g ms a step  (means of rounds: %s)"):format(line.wall, of_rounds(line.wall_of_rounds)) },
    { "steps", ("least %.4g, median %.4g, p99 %.4g, worst %.4g ms (step %d)"):format(s.min, s.median, s.p99, s.worst,
      s.worst_step) },
    { "speed", ("%.5g steps/s, %.4g times real time"):format(line.steps_per_second or 0, line.real_time or 0) },
    { "world", ("%.6g bodies, %.6g awake, %.6g contacts, %.6g joints, %.6g rows (means)"):format(line.bodies,
      line.awake, line.contacts, line.joints, line.rows) },
    { "body", line.ns_per_body and ("%.4g ns per body and step"):format(line.ns_per_body) or "-" },
    { "time", shares_of(line) },
    { "Lua", ("%s of the total time in Lua functions, %s in garbage collection; each step makes %s of "
      .. "garbage%s"):format(
      percent(line.lua, line.wall + line.collecting), percent(line.collecting, line.wall + line.collecting),
      bytes(line.garbage), line.collections > 0 and (", %d collections, the longest %.3g ms"):format(line.collections,
        line.longest_collection) or "") },
    { "memory", ("%s in the core, %s in Lua after setup"):format(bytes(line.bytes), bytes(line.lua_bytes)) },
    { "hash", line.hash },
  }
end

local function text_of(result)
  local lines = {
    ("%s: %d steps of %.6g s after %d warm-up steps, %d rounds; %s, %d processors; %s"):format(result.scene,
      result.steps, result.dt, result.warmup, result.rounds, result.machine, result.processors, result.build),
  }
  for _, line in ipairs(result.lines) do
    lines[#lines + 1] = ""
    lines[#lines + 1] = title_of(line)
    for _, row in ipairs(rows_of(line)) do lines[#lines + 1] = ("  %-8s %s"):format(row[1], row[2]) end
  end
  if #result.lines > 1 then
    local first = result.lines[1]
    lines[#lines + 1] = ("\n%-32s %12s %12s %8s"):format("", "CPU ms", "wall ms", "wall")
    for _, line in ipairs(result.lines) do
      lines[#lines + 1] = ("%-32s %12.4g %12.4g %8s"):format(title_of(line), line.cpu, line.wall,
        ("%.2f x"):format(line.wall / first.wall))
    end
  end
  return table.concat(lines, "\n") .. "\n"
end

local function comparison_text(path, found)
  local lines = { ("\ncompared with %s"):format(path) }
  for _, each in ipairs(found) do
    lines[#lines + 1] = ("  %s: %s %.4g ms before, %.4g now, ratio %.3f, p = %.3g: %s"):format(title_of(each), each.by,
      each.old, each.new, each.ratio, each.p, each.words)
  end
  return table.concat(lines, "\n") .. "\n"
end


-- Running -------------------------------------------------------------------------------------------------------------

-- Return the processor's name; "unknown" if the system does not report it.
local function machine_name()
  local text = system.read_file "/proc/cpuinfo" or ""
  return text:match "model name%s*:%s*([^\n]+)" or text:match "Model%s*:%s*([^\n]+)" or "unknown"
end

-- Add to a result the machine and the program of the measurement.
local function describe(result, host)
  local compare = require "impel.batch.benchmark_compare"
  result.format, result.version = compare.FORMAT, compare.VERSION
  result.machine, result.processors = machine_name(), host.processors()
  result.build = ("impel %s, %s"):format(require("impel").version, require("impel.system").compiler)
end

-- Return whether the runs of each solver ended with the same hash.
local function same_bits(result)
  local hash, same = {}, true
  for _, line in ipairs(result.lines) do
    local first = hash[line.solver] or line
    hash[line.solver] = first
    local other = line.other_hash and line or line.hash ~= first.hash and first
    if other then
      same = false
      console.say(("%s: hash %s, %s: hash %s: repeated runs of the scene differ"):format(title_of(line),
        line.hash, title_of(other), line.other_hash or other.hash))
    end
  end
  return same
end

-- Return why the output file cannot be written, or nil. Called before the measurement.
local function refuse(path)
  local ok, message = system.can_replace(path)
  return not ok and "--json: " .. message or nil
end

local function write_json(path, result)
  local ok, message = system.replace(path, json.encode(result) .. "\n")
  return not ok and { kind = "damaged", message = message } or nil
end

-- Print the comparison, with its warnings.
local function print_comparison(path, old, result)
  local compare = require "impel.batch.benchmark_compare"
  local found = compare.lines(old, result)
  for _, warning in ipairs(compare.warnings(old, result)) do
    console.say(("warning: %s: %s"):format(path, warning))
  end
  for _, each in ipairs(found) do
    if each.other_hash then
      console.say(("warning: %s: %s: the final hash differs from the hash in this file: the two runs did "
        .. "different work"):format(path, title_of(each)))
    end
  end
  if #found == 0 then
    console.say(("warning: %s has no result for the solvers, threads and lanes of this run"):format(path))
    return
  end
  io.stdout:write(comparison_text(path, found))
end

-- Measure the scene. Return nil and a failure if the measurement ends early.
local function measure(host, options, line)
  local open, missing = find.loader(host, options, line)
  if not open then return nil, missing end
  local function watch(run)
    line.show(console.step_of, run)
    if not host.interrupted() then return nil end
    return { kind = "interrupted", message = ("interrupted after step %d of %d"):format(run.count, run.steps) }
  end
  local result, failure = require("impel.benchmark").run(open, {
    steps = options.steps, time = options.time, warmup = options.warmup, rounds = options.rounds,
    solvers = options.solver, threads = options.threads, lanes = options.lanes, set = opt.set_values(options.set),
    seed = options.seed, dt = options.dt, watch = watch,
  })
  line.clear()
  return result, failure
end

function command.run(host, options)
  local old, message
  if options.compare then
    old, message = require("impel.batch.benchmark_compare").read(options.compare)
    if not old then return console.refuse("--compare: " .. message, options) end
  end
  message = options.json and refuse(options.json)
  if message then return console.refuse(message, options) end
  local result, failure = measure(host, options, console.progress(host, options.quiet))
  if not result then return console.report(failure, options) end
  describe(result, host)
  if not options.quiet then io.stdout:write(text_of(result)) end
  if old then print_comparison(options.compare, old, result) end
  failure = options.json and write_json(options.json, result)
  if failure then return console.report(failure, options) end
  return same_bits(result) and console.EXIT.ok or console.EXIT.check
end

return command
