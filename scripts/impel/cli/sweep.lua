-- impel sweep: run a scene over many parameters and seeds.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local opt = require "impel.cli.options"

local command = {
  name = "sweep", about = "run a scene with many parameter values and seeds, in parallel processes; write one CSV row "
    .. "per run",
}

local DEFAULT_TIMEOUT = 3600 -- [s] of wall time per run, because a scene may have an endless loop

local function shard(text)
  local index, of = text:match("^(%d+)/(%d+)$")
  index, of = math.tointeger(tonumber(index)), math.tointeger(tonumber(of))
  if index and of and index >= 1 and index <= of then return { index, of } end
  return nil, ("--shard: I/N with I in 1..N expected, got '%s'"):format(text)
end

function command.declare(parser)
  opt.add_file(parser):args("?")
  parser:option("--grid", "values of a parameter: from:to:count[:log] (both ends included) or a,b,c; repeat the option "
    .. "for more parameters: all combinations are run; with --sample: from:to[:log], or NAME alone for its min and "
    .. "max"):argname("NAME=VALUES"):count("*")
  parser:option("--seeds", "seeds: a range such as 1..8 or a list such as 1,5,9 (default: 0)"):argname("SEEDS")
  parser:option("--sample", "number of points sampled in the ranges of --grid NAME=from:to"):argname("N")
    :convert(opt.integer("--sample", 1))
  parser:option("--sampling", "latin (Latin hypercube; default) or random"):argname("HOW"):choices { "latin", "random" }
  parser:option("--sample-seed", "seed of the samples (default: 0)"):argname("N"):convert(opt.seed("--sample-seed"))
  opt.add_jobs(parser)
  parser:option("-o --output", "file for the rows (default: standard output)"):argname("OUT.csv")
  parser:option("--shard", "do only every N-th run, beginning with run I"):argname("I/N"):convert(shard)
  parser:flag("--resume", "continue an existing file: do the missing runs")
  parser:flag("--force", "replace an existing file")
  parser:option("--merge", "merge the files that runs with --shard wrote; no scene is run"):argname("FILE"):args("+")
  opt.add_timeout(parser, DEFAULT_TIMEOUT)
  parser:flag("--check", "evaluate the scene's check() too; exit code 1 if a check or a run fails")
  parser:flag("--timing", "add a column with the wall time of each run, which is not reproducible")
  opt.add_length(parser, "the scene's duration, or 10")
  opt.add_solver(parser)
  opt.add_set(parser)
  opt.add_world(parser)
  opt.add_loudness(parser)
end

local BAR = 30 -- length of the progress bar [characters]

local function progress(status)
  local done = status.skipped + status.finished
  local rate = status.seconds > 0 and status.finished / status.seconds or 0
  local left = status.count - done
  local bar = status.count > 0 and BAR * done // status.count or BAR
  return ("[%s%s] %d of %d  %.3g runs/s  %s left%s"):format(("#"):rep(bar), ("."):rep(BAR - bar), done, status.count,
    rate, rate > 0 and console.duration(left / rate) or "?",
    status.failed > 0 and ("  %d not ok"):format(status.failed) or "")
end

local function summary(options, status)
  local words = {}
  for _, word in ipairs { "ok", "failed", "error", "diverged", "timeout", "killed", "exited" } do
    local count = status.counts[word]
    if count then words[#words + 1] = ("%d %s"):format(count, word) end
  end
  if status.skipped > 0 then words[#words + 1] = ("%d done before"):format(status.skipped) end
  console.say(("%d of %d runs in %s, %.3g s CPU%s: %s"):format(status.finished + status.skipped, status.count,
    console.duration(status.seconds), status.cpu,
    options.output and (" -> %s"):format(options.output) or "", table.concat(words, ", ")))
  if options.verbose and status.slowest.run then
    console.say(("slowest: run %d with %.3g s"):format(status.slowest.run, status.slowest.seconds))
  end
end

-- Print a row to standard output.
local function print_line(line) return console.print(line, "\n") end

local function merge(options)
  local rows = require "impel.batch.sweep_rows"
  local text, gaps = rows.merge(options.merge)
  if not text then return console.report({ kind = "damaged", message = gaps }, options) end
  if options.output then
    if find.is_readable(options.output) and not options.force then
      return console.refuse(options.output .. " exists already: --force replaces it", options)
    end
    local ok, message = require("impel.system").replace(options.output, text)
    if not ok then return console.report({ kind = "damaged", message = message }, options) end
  else
    local ok, message = print_line(text:sub(1, -2))
    if not ok then return console.report({ kind = "damaged", message = message }, options) end
  end
  if gaps == "" then return console.EXIT.ok end
  return console.report({ kind = "damaged", message = ("runs are missing: %s"):format(gaps) }, options)
end

-- Return a message for options that conflict.
local function clash(options)
  if options.resume and not options.output then return "--resume needs -o OUT.csv" end
  if options.resume and options.force then return "--resume and --force cannot be combined" end
  if options.sampling and not options.sample then return "--sampling needs --sample N" end
  if not options.file then return "FILE is missing: give a scene to run, or --merge" end
end

function command.run(host, options)
  if options.merge and not options.file then return merge(options) end
  local problem = options.merge and "--merge and FILE cannot be combined: --merge runs no scene" or clash(options)
  if problem then return console.refuse(problem, options) end
  local text, chunk = find.text(host, options.file)
  if not text then return console.refuse(chunk, options) end
  local line = console.progress(host, options.quiet)
  local interrupted, shares = false, host.isatty(1)
  local function emit(row)
    if shares then line.clear() end
    return print_line(row)
  end
  local status, failure = require("impel.sweep").run {
    source = { text = text, chunk = chunk }, set = opt.set_values(options.set), grid = options.grid,
    seeds = options.seeds, sample = options.sample, sampling = options.sampling, sample_seed = options.sample_seed,
    settings = opt.settings(options),
    workers = options.jobs or host.processors(), timeout = options.timeout or DEFAULT_TIMEOUT, shard = options.shard,
    output = options.output, emit = emit, resume = options.resume, force = options.force,
    timing = options.timing,
    watch = function(now)
      line.show(progress, now)
      interrupted = host.interrupted()
      return interrupted
    end,
    say = function(run, words)
      if options.quiet then return end
      line.clear()
      io.stderr:write(run and ("run %s: "):format(tostring(run)) or "", words, "\n")
    end,
  }
  line.clear()
  if not status then
    local code = console.report(failure, options)
    if failure.status and options.output then
      console.say(("%s contains the rows of the finished runs; the same command with --resume "
        .. "continues"):format(options.output))
    end
    return code
  end
  if not options.quiet then summary(options, status) end
  if interrupted then
    console.say(options.output and ("interrupted; the same command with --resume continues") or "interrupted")
    return console.EXIT.interrupted
  end
  return options.check and status.failed > 0 and console.EXIT.check or console.EXIT.ok
end

return command
