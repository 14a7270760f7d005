-- The command line: options, messages and exit codes. What a command does stands in a module of its own.

local impel = require "impel"
local json = require "impel.json"
local nearest = require "impel.nearest"
local runner = require "impel.run"
local scenes = require "impel.scene"

local cli = {}

local EXIT = { ok = 0, check = 1, usage = 2, scene = 3, diverged = 4, interrupted = 130 }
local PROGRESS_INTERVAL = 0.2 -- [s]
local SEED_MAX = (1 << 53) - 1 -- whole numbers above it are not all doubles

local function say(...)
  io.stderr:write("impel: ", ...)
  io.stderr:write("\n")
end

-- Tell a failure of impel.run and give its exit code.
local function report(failure, options)
  say(options.verbose and failure.traceback or failure.message)
  return EXIT[failure.kind]
end


-- Options ------------------------------------------------------------------------------------------------------------

local function number_option(name, what, accept)
  return function(text)
    local value = tonumber(text)
    if value and accept(value) then return value end
    return nil, ("%s: %s expected, got '%s'"):format(name, what, text)
  end
end

local function at_least(lower)
  return function(x) return x >= lower and x < math.huge end
end

local function integer_option(name, lower, upper)
  local what = upper and ("integer in %d..%d"):format(lower, upper) or ("integer >= %d"):format(lower)
  local convert = number_option(name, what, function(x)
    return math.tointeger(x) and x >= lower and x <= (upper or math.huge)
  end)
  return function(text)
    local value, message = convert(text)
    return value and math.tointeger(value), message
  end
end

local function assignment(text)
  local name, value = text:match("^([%a_][%w_]*)=(.+)$")
  if name then return { name = name, value = value } end
  return nil, ("--set: name=value expected, got '%s'"):format(text)
end

local function add_length(command, default)
  command:mutex(
    command:option("--time", ("how long to run [s], rounded to whole steps (default: %s)"):format(default))
      :argname("S"):convert(number_option("--time", "seconds >= 0", at_least(0))),
    command:option("--steps", "how many steps to run"):argname("N"):convert(integer_option("--steps", 0)))
end

-- "soft,si" as a list of solvers.
local function solver_list(name, most)
  return function(text)
    local known, list, seen = require("impel.compare").solvers(), {}, {}
    for word in (text .. ","):gmatch "([^,]*)," do
      local exact = false
      for _, solver in ipairs(known) do exact = exact or solver == word end
      if not exact then
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

local function add_solver(command)
  command:option("--solver", "solver instead of the scene's, such as soft or si"):argname("NAME")
end

local function add_common(command)
  command:option("--seed", "seed of the scene's random numbers (default: 0)"):argname("N")
    :convert(integer_option("--seed", 0, SEED_MAX))
  command:option("--set", "set a parameter of the scene; may be repeated"):argname("NAME=VALUE"):count("*")
    :convert(assignment)
  command:option("--dt", "length of a step [s] instead of the scene's"):argname("S")
    :convert(number_option("--dt", "seconds > 0", function(x) return x > 0 and x < math.huge end))
  command:option("--threads", "worker threads; any number gives the same bits"):argname("N")
    :convert(integer_option("--threads", 1))
  command:mutex(
    command:flag("-q --quiet", "print nothing but errors and what was asked for"),
    command:flag("-v --verbose", "print tracebacks and what else there is to know"))
end

local function make_parser()
  local argparse = require "argparse"
  local parser = argparse("impel", "rigid-body physics from constraint rows, driven from Lua")
  parser:command_target("command")
  parser:flag("-V --version", "print the version and exit"):action(function()
    print("impel " .. impel.version)
    os.exit(EXIT.ok)
  end)
  parser:add_complete()

  local run = parser:command("run", "run a scene without a window and report what came of it")
  run:argument("file", "a scene file, the name of an example, or - for standard input"):argname("FILE")
  add_length(run, "the scene's duration, or 10")
  run:flag("--check", "ask the scene's check() at the end; exit code 1 when it does not hold")
  run:flag("--hash", "print the hash of the final state alone instead of the table")
  run:flag("--json", "print the result as one line of JSON instead of the table")
  run:option("--trace", "write the scene's measures over time to OUT.csv or OUT.jsonl"):argname("OUT")
  run:option("--every", "steps from one row of the trace to the next (default: 1)"):argname("N")
    :convert(integer_option("--every", 1))
  add_solver(run)
  add_common(run)

  local doctor = parser:command("doctor", "look at a scene: mobility, redundant locks, mass ratios, sweeps, "
    .. "stiffness, and the solver that suits it")
  doctor:argument("file", "a scene file, the name of an example, or - for standard input"):argname("FILE")
  add_length(doctor, "one step, which shows loads and contacts")
  doctor:flag("--json", "print the report as one line of JSON")
  add_solver(doctor)
  add_common(doctor)

  local comparison = parser:command("compare", "run a scene under several solvers: drift, energy, forces, time")
  comparison:argument("file", "a scene file, the name of an example, or - for standard input"):argname("FILE")
  comparison:option("--solvers", "names with commas between (default: all)"):argname("A,B,...")
    :convert(solver_list("--solvers"))
  comparison:option("--reference", "whose forces count as right (default: rattle where nothing but equality "
    .. "constraints acts, else direct)"):argname("NAME"):convert(solver_list("--reference", 1))
  add_length(comparison, "the scene's duration, or 10")
  comparison:flag("--json", "print the result as one line of JSON")
  add_common(comparison)

  local list = parser:command("list", "list the example scenes")
  list:flag("-v --verbose", "print what each is about and its parameters")

  local reference = parser:command("api", "print the reference of the Lua API")
  reference:argument("name", "a class (world), member (world:revolute, body.angle, angle), option (anchor) or table of "
    .. "options (motor); everything by default"):argname("NAME"):args("?")
  reference:flag("--annotations --meta", "print annotations for editors (LuaLS) instead, of everything")
  return parser
end


-- Scenes by name -----------------------------------------------------------------------------------------------------

local function example_names(host)
  local names = {}
  for _, file in ipairs(host.examples and host.files(host.examples) or {}) do
    names[#names + 1] = file:match("^(.*)%.lua$")
  end
  table.sort(names)
  return names
end

local function is_readable(path)
  local file = io.open(path, "rb")
  if not file then return false end
  local ok = file:read(0) or file:seek("end") == 0 -- a directory opens, but does not read
  file:close()
  return ok
end

-- The scene's text and chunk name, from a path as given or from the examples; or nil and a message.
local function find_scene(host, name)
  if name == "-" or is_readable(name) then return scenes.read(name) end
  if host.examples then
    local example = host.examples .. "/" .. name:gsub("%.lua$", "") .. ".lua"
    if is_readable(example) then return scenes.read(example) end
  end
  local text, message = scenes.read(name)
  if text then return text, message end
  return nil, message .. nearest.hint(name, example_names(host))
end


-- Progress -----------------------------------------------------------------------------------------------------------

-- A line on the terminal that is written over about five times a second; nothing where stderr is no terminal.
local function progress_line(host, quiet)
  local shown, due = false, 0
  local line = {}

  function line.show(run)
    if quiet or not host.isatty(2) or host.clock() < due then return end
    due = host.clock() + PROGRESS_INTERVAL
    shown = true
    local rate = run.seconds > 0 and run.count / run.seconds or 0
    io.stderr:write(("\r%s  step %d of %d  %.2f s  %.0f steps/s\27[K"):format(run.scene.name, run.count, run.steps,
      run.time or 0, rate))
    io.stderr:flush()
  end

  function line.clear()
    if shown then io.stderr:write("\r\27[K") end
    shown, due = false, 0
  end

  return line
end

-- A scene's print: to stderr, because stdout is for data.
local function scene_print(line)
  return function(...)
    line.clear()
    local words = table.pack(...)
    for i = 1, words.n do words[i] = tostring(words[i]) end
    io.stderr:write(table.concat(words, "\t"), "\n")
  end
end


-- impel run ----------------------------------------------------------------------------------------------------------

local function result_table(result)
  local rows = {
    { "scene", result.title and ("%s (%s)"):format(result.scene, result.title) or result.scene },
    { "steps", ("%d of %.6g s = %.6g s"):format(result.steps, result.dt, result.time) },
    { "solver", result.solver },
    { "bodies", ("%d, %d awake"):format(result.bodies, result.awake) },
    { "contacts", ("%d"):format(result.contacts) },
    { "steps/s", ("%.0f"):format(result.steps_per_second) },
    { "energy", ("%.6g J kinetic, %.6g J potential"):format(result.kinetic, result.potential) },
    { "penetration", ("%.3g m at worst"):format(result.penetration) },
    { "residual", ("%.3g m/s"):format(result.residual) },
    { "hash", result.hash },
    { "trace", result.trace },
    { "check", result.check },
  }
  local lines = {}
  for _, row in ipairs(rows) do
    if row[2] then lines[#lines + 1] = ("%-12s %s\n"):format(row[1], row[2]) end
  end
  return table.concat(lines)
end

-- Step to the end. Returns nil when that went well, else an exit code.
local function advance(run, host, options, line)
  while not run:done() do
    if host.interrupted() then
      line.clear()
      say(("interrupted after step %d of %d"):format(run.count, run.steps))
      return EXIT.interrupted
    end
    line.show(run)
    local ok, failure = run:step()
    if not ok then
      line.clear()
      return report(failure, options)
    end
  end
  line.clear()
  return nil
end

-- Judge, print and give the exit code.
local function conclude(run, options)
  local result = run:result()
  result.trace = options.trace
  local code = EXIT.ok
  if options.check then
    local failed, failure = run:check()
    if not failed then return report(failure, options) end
    for _, message in ipairs(failed) do say(("%s: check failed: %s"):format(run.scene.file, message)) end
    result.check = #failed == 0 and "passed" or "failed"
    code = #failed == 0 and EXIT.ok or EXIT.check
  end
  if options.hash then io.stdout:write(result.hash, "\n") end
  if options.json then io.stdout:write(json.encode(result), "\n") end
  if not (options.hash or options.json or options.quiet) then io.stdout:write(result_table(result)) end
  if options.verbose then
    for _, stage in ipairs(nearest.keys(run.world:profile())) do
      say(("last step: %-14s %.3f ms"):format(stage, 1e3 * run.world:profile()[stage]))
    end
  end
  return code
end

local function set_values(assignments)
  local values = {}
  for _, item in ipairs(assignments) do values[item.name] = item.value end
  return values
end

-- The scene that was asked for, as a function that loads it anew; or nil and a failure.
local function find_loader(host, options, line)
  local text, chunk = find_scene(host, options.file)
  if not text then return nil, { kind = "usage", message = chunk } end
  return function()
    local scene, message, traceback = scenes.parse(text, chunk, { seed = options.seed, print = scene_print(line) })
    if scene then return scene end
    return nil, { kind = "scene", message = message, traceback = traceback }
  end
end

-- The scene that was asked for, or nil and an exit code.
local function open_scene(host, options, line)
  local scene
  local open, failure = find_loader(host, options, line)
  if open then scene, failure = open() end
  return scene, failure and report(failure, options)
end

local function run_command(host, options)
  if options.every and not options.trace then
    return report({ kind = "usage", message = "--every: rows of a trace; --trace OUT is missing" }, options)
  end
  local line = progress_line(host, options.quiet)
  local scene, problem = open_scene(host, options, line)
  if not scene then return problem end
  if options.check and not scene.definition.check then
    return report({ kind = "usage", message = ("--check: %s has no check()"):format(scene.file) }, options)
  end
  local run, failure = runner.new(scene, {
    set = set_values(options.set), seed = options.seed, dt = options.dt, solver = options.solver,
    threads = options.threads, steps = options.steps, time = options.time, trace = options.trace,
    every = options.every, clock = host.clock, watch = options.json or not (options.quiet or options.hash),
  })
  if not run then return report(failure, options) end
  if options.trace and not scene.definition.measure and not options.quiet then
    say(("%s has no measure(): the trace holds the time alone"):format(scene.file))
  end
  local code = advance(run, host, options, line) or conclude(run, options)
  local closed, message = run:close()
  if not closed then return report({ kind = "usage", message = message }, options) end
  return code
end


-- impel doctor -------------------------------------------------------------------------------------------------------

local function doctor_command(host, options)
  local line = progress_line(host, options.quiet)
  local scene, problem = open_scene(host, options, line)
  if not scene then return problem end
  local run, failure = runner.new(scene, {
    set = set_values(options.set), seed = options.seed, dt = options.dt, solver = options.solver,
    threads = options.threads, steps = options.steps or not options.time and 1 or nil, time = options.time,
    clock = host.clock,
  })
  if not run then return report(failure, options) end
  local code = advance(run, host, options, line)
  if not code then
    local doctor = require "impel.doctor"
    local found = doctor.report(run.world)
    io.stdout:write(options.json and json.encode(found) .. "\n" or doctor.text(found))
  end
  run:close()
  return code or EXIT.ok
end


-- impel compare ------------------------------------------------------------------------------------------------------

local function compare_command(host, options)
  local compare = require "impel.compare"
  local line = progress_line(host, options.quiet)
  local open, missing = find_loader(host, options, line)
  if not open then return report(missing, options) end
  local function watch(run)
    line.show(run)
    if not host.interrupted() then return nil end
    return { kind = "interrupted",
      message = ("interrupted after step %d of %d under %s"):format(run.count, run.steps, run.world.solver) }
  end
  local result, failure = compare.run(open, {
    solvers = options.solvers or compare.solvers(), reference = options.reference and options.reference[1],
    set = set_values(options.set), seed = options.seed, dt = options.dt, threads = options.threads,
    steps = options.steps, time = options.time, watch = watch,
  })
  line.clear()
  if not result then return report(failure, options) end
  result.scene = options.file
  io.stdout:write(options.json and json.encode(result) .. "\n" or compare.text(result))
  return EXIT.ok
end


-- impel list ---------------------------------------------------------------------------------------------------------

local function describe(scene)
  local about = scene.definition.about
  if about then io.stdout:write("  ", about, "\n") end
  for _, name in ipairs(nearest.keys(scene.params)) do
    local param = scene.params[name]
    local range = (param.min or param.max)
      and (" (%s..%s)"):format(param.min or -math.huge, param.max or math.huge) or ""
    io.stdout:write(("  --set %s=%s%s%s\n"):format(name, tostring(param.default), range,
      param.help and "  " .. param.help or ""))
  end
end

local function list_command(host, options)
  if not host.examples then
    say("no examples found beside the program")
    return EXIT.usage
  end
  local code = EXIT.ok
  for _, name in ipairs(example_names(host)) do
    local scene, message, traceback = scenes.load(host.examples .. "/" .. name .. ".lua")
    if scene then
      io.stdout:write(("%-14s %s\n"):format(name, scene.definition.title or ""))
      if options.verbose then describe(scene) end
    else
      code = report({ kind = "scene", message = message, traceback = traceback }, options)
    end
  end
  return code
end


-- impel api ----------------------------------------------------------------------------------------------------------

local function api_command(_, options)
  if options.annotations and options.name then
    return report({ kind = "usage", message = "--annotations: of everything; NAME is too much" }, options)
  end
  local text, message
  if options.annotations then
    text = require("impel.annotations").text()
  else
    text, message = require("impel.api").text(options.name)
  end
  if not text then return report({ kind = "usage", message = message }, options) end
  io.stdout:write(text)
  return EXIT.ok
end


-- Entry point --------------------------------------------------------------------------------------------------------

local commands = {
  run = run_command, compare = compare_command, doctor = doctor_command, list = list_command, api = api_command,
}

-- What the program gives; under plain Lua there are no signals, terminals or directories.
local plain_host = {
  interrupted = function() return false end,
  isatty = function() return false end,
  clock = os.clock,
  files = function() return {} end,
}

-- `--time -1` as `--time=-1`: the parser takes what begins with a hyphen for an option.
local function join_negatives(arguments)
  local joined = {}
  for _, word in ipairs(arguments) do
    local option = word:find("^%-%.?%d") and (joined[#joined] or ""):match("^%-%-%a[%w-]*$")
    if option then joined[#joined] = option .. "=" .. word else joined[#joined + 1] = word end
  end
  return joined
end

--- Run the command line.
---@param arguments string[]
---@param host table|nil  interrupted() -> boolean, isatty(fd) -> boolean, clock() -> seconds, files(dir) -> names,
---  examples: the folder of the example scenes or nil
---@return integer exit_code
function cli.main(arguments, host)
  local parser = make_parser()
  local ok, options = parser:pparse(join_negatives(arguments))
  if not ok then
    say((options:gsub("\nDid you mean (.-)%?$", " (did you mean %1?)")))
    io.stderr:write("try 'impel --help'\n")
    return EXIT.usage
  end
  local code = commands[options.command](host or plain_host, options)
  local flushed, message = io.stdout:flush()
  if not flushed then
    say("cannot write to standard output: ", message)
    return EXIT.usage
  end
  return code
end

return cli
