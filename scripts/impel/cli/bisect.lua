-- impel bisect: find the first failing seed, threshold or step.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local opt = require "impel.cli.options"
local shell = require "impel.base.shell"

local command = {
  name = "bisect",
  about = "find the first failing seed, a parameter's threshold, or the first step at which a condition holds",
}

local DEFAULT_TIMEOUT = 3600 -- [s]

local function seeds(text)
  local first, last = text:match("^(%d+)%.%.(%d+)$")
  first, last = math.tointeger(tonumber(first)), math.tointeger(tonumber(last))
  if first and last and first <= last then return { first, last } end
  return nil, ("--seeds: A..B expected, got '%s'"):format(text)
end

function command.declare(parser)
  opt.add_file(parser)
  parser:option("--seeds", "find the first seed from A to B whose run fails"):argname("A..B"):convert(seeds)
  opt.add_set(parser, "set a parameter of the scene, or, with a range LOW:HIGH, find its threshold; may be repeated")
  parser:option("--when", "a Lua expression that may use the scene's measures, s, world, time and tick: a run fails if "
    .. "the expression holds after some step (default: a run fails if check() fails); without --seeds and without a "
    .. "range: find the first step after which EXPR holds"):argname("EXPR")
  parser:option("--tolerance", "stop when the interval around the threshold is at most this wide (default: a "
    .. "millionth of the range)"):argname("W"):convert(opt.number("--tolerance", "number > 0", opt.positive))
  parser:option("-o --output", "with --when: file for the state of the world at the step that --when finds, as a "
    .. "scene of plain data")
    :argname("OUT.lua")
  opt.add_length(parser, "the scene's duration, or 10")
  opt.add_jobs(parser)
  opt.add_timeout(parser, DEFAULT_TIMEOUT)
  parser:flag("--json", "print the result as one line of JSON")
  opt.add_seed(parser)
  opt.add_solver(parser)
  opt.add_world(parser)
  opt.add_loudness(parser)
end

-- Split the values of --set into plain values and the range, if one is given.
local function read_set(assignments)
  local set, range = {}, nil
  for _, item in ipairs(assignments) do
    local from, to = item.value:match("^([^:]+):([^:]+)$")
    if from and range then return nil, "--set: only one parameter can have a range" end
    if from then
      range = { name = item.name, from = from, to = to }
    else
      set[item.name] = item.value
    end
  end
  return set, range
end

-- Return the command that reproduces the result.
local function reproduce(options, set, seed, more)
  local words = { "impel run", shell.word(options.file) }
  for _, name in ipairs(nearest.keys(set)) do
    words[#words + 1] = shell.option("set", ("%s=%s"):format(name, json.exact(set[name])))
  end
  if seed and seed ~= 0 then words[#words + 1] = ("--seed %d"):format(seed) end
  for _, name in ipairs { "time", "steps", "dt", "solver" } do
    if options[name] and not (more and (name == "time" or name == "steps")) then
      words[#words + 1] = shell.option(name, options[name], json.shortest)
    end
  end
  words[#words + 1] = more
  return table.concat(words, " ")
end

local function print_result(options, rows)
  if options.json then
    local object = {}
    for _, row in ipairs(rows) do object[row[1]] = row[2] end
    io.stdout:write(json.encode(object), "\n")
    return
  end
  for _, row in ipairs(rows) do
    if row[2] ~= nil then io.stdout:write(("%-10s %s\n"):format(row[1], json.exact(row[2]))) end
  end
end

local function run_seeds(bisect, shared, options, set)
  shared.first, shared.last = options.seeds[1], options.seeds[2]
  local found, failure = bisect.seeds(shared)
  if not found then return nil, failure end
  if not found.seed then
    return nil, { kind = "check", message = ("none of the %d runs fails"):format(found.runs) }
  end
  return {
    { "seed", found.seed }, { "step", found.step }, { "time", found.time }, { "reason", found.message },
    { "runs", found.runs },
    { "try", reproduce(options, set, found.seed, options.when and "--steps " .. found.step or "--check") },
  }, nil, found.seed
end

local function run_threshold(bisect, shared, options, set, range)
  shared.name, shared.from, shared.to, shared.tolerance = range.name, range.from, range.to, options.tolerance
  local found, failure = bisect.threshold(shared)
  if not found then return nil, failure end
  local verdict = found.verdict
  set[range.name] = found.fails
  return {
    { "parameter", range.name }, { "good", found.holds }, { "fails", found.fails }, { "reason", verdict.message },
    { "step", options.when and verdict.step or nil }, { "runs", found.runs },
    { "try", reproduce(options, set, options.seed, options.when and "--steps " .. verdict.step or "--check") },
  }
end

local function run_moment(bisect, shared, options, set, seed)
  shared.seed, shared.set, shared.save = seed, set, options.output
  local found, failure = bisect.moment(shared)
  if not found then return nil, failure end
  if not found.step then return nil, { kind = "check", message = ("'%s' never holds"):format(options.when) } end
  if found.unsaved then return nil, { kind = "damaged", message = found.unsaved } end
  if found.left and #found.left > 0 then
    console.say(("%s does not contain %s"):format(options.output, table.concat(found.left, ", ")))
  end
  return {
    { "step", found.step }, { "time", found.time }, { "reason", found.message }, { "saved", options.output },
    { "try", reproduce(options, set, seed, "--steps " .. found.step) },
  }
end

local function clash(options, set, range)
  if not set then return range end
  if options.seeds and range then return "--seeds and --set with a range cannot be combined" end
  if options.seeds and options.seed then return "--seeds and --seed cannot be combined" end
  if not (options.seeds or range or options.when) then
    return "nothing to search for: give --seeds A..B, --set NAME=LOW:HIGH or --when EXPR"
  end
  if options.output and not options.when then
    return "-o needs --when EXPR: -o writes the state at the step that --when finds"
  end
  if options.output and not options.output:find("%.lua$") then
    return ("-o %s: a name ending in .lua expected"):format(options.output)
  end
  if options.tolerance and not range then return "--tolerance needs --set NAME=LOW:HIGH" end
end

function command.run(host, options)
  local set, range = read_set(options.set)
  local wrong = clash(options, set, range)
  if wrong then return console.refuse(wrong, options) end
  local _, bad = true, nil
  if options.when then _, bad = require("impel.batch.predicate").compile(options.when) end
  if bad then return console.refuse("--when: " .. bad, options) end
  local text, chunk = find.text(host, options.file)
  if not text then return console.refuse(chunk, options) end

  local bisect = require "impel.bisect"
  local line = console.progress(host, options.quiet)
  local shared = {
    source = { text = text, chunk = chunk }, set = set, seed = options.seed or 0, when = options.when,
    settings = opt.settings(options),
    workers = options.jobs or host.processors(), timeout = options.timeout or DEFAULT_TIMEOUT,
    watch = host.interrupted,
    asked = function(runs) line.show(("%d runs"):format(runs)) end,
    say = function(_, words)
      if options.verbose then io.stderr:write(words, "\n") end
    end,
  }
  local rows, failure, seed
  if options.seeds then
    rows, failure, seed = run_seeds(bisect, shared, options, set)
  elseif range then
    rows, failure = run_threshold(bisect, shared, options, set, range)
  end
  if options.when and not failure and (options.output or not rows) then
    local moment
    moment, failure = run_moment(bisect, shared, options, set, seed or options.seed or 0)
    rows = rows or moment
    if rows ~= moment and moment then rows[#rows + 1] = { "saved", options.output } end
  end
  line.clear()
  if failure then return console.report(failure, options) end
  print_result(options, rows)
  return console.EXIT.ok
end

return command
