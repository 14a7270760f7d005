-- impel tune: find the parameters that minimise a scene's score.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local json = require "impel.base.json"
local opt = require "impel.cli.options"

local command = { name = "tune", about = "search for the parameters that minimise the scene's score()" }

local DEFAULT_TIMEOUT, DEFAULT_BUDGET = 3600, 500

-- Split a list of names, such as "kp,kd=0.1:10:log".
local function names(text)
  local list = {}
  for word in (text .. ","):gmatch "([^,]*)," do
    if word == "" then return nil, ("--param: names separated by commas expected, got '%s'"):format(text) end
    list[#list + 1] = word
  end
  return list
end

function command.declare(parser)
  opt.add_file(parser)
  parser:option("--param", "parameters to search, separated by commas: NAME (range: from the parameter's min to its "
    .. "max), NAME=FROM:TO or NAME=FROM:TO:log (logarithmic); may be repeated"):argname("A,B,..."):count("+")
    :convert(names)
  parser:option("--budget", ("largest number of runs (default: %d)"):format(DEFAULT_BUDGET)):argname("N")
    :convert(opt.integer("--budget", 1))
  parser:option("--method", "cma (CMA-ES; default) or nelder-mead"):argname("NAME"):choices { "cma", "nelder-mead" }
  parser:option("--seeds", "run every candidate with each of these seeds, a range such as 1..4 or a list such as "
    .. "1,5,9; the score of a candidate is the mean over the seeds (default: 0)")
    :argname("SEEDS")
  parser:flag("--maximize", "maximise the score (default: minimise it)")
  parser:option("--sigma", "initial step size, as a fraction of each range (default: 0.3)"):argname("S")
    :convert(opt.number("--sigma", "number in 0..1", function(x) return x > 0 and x <= 1 end))
  parser:option("--population", "candidates per generation of cma (default: 4 + 3 ln n for n parameters)"):argname("N")
    :convert(opt.integer("--population", 4))
  parser:flag("--speculative", "nelder-mead: evaluate in parallel all four points that a step may need: more runs, "
    .. "less time")
  parser:option("--seed", "seed of the search (default: 0)"):argname("N"):convert(opt.seed("--seed"))
  opt.add_jobs(parser)
  parser:option("-o --output", "file for the history, a row for each run"):argname("OUT.csv")
  parser:flag("--resume", "continue an existing history, also with a larger --budget")
  parser:flag("--force", "replace an existing file")
  opt.add_timeout(parser, DEFAULT_TIMEOUT)
  parser:flag("--check", "a run whose check() fails gets the worst score")
  parser:flag("--json", "print the result as one line of JSON")
  opt.add_length(parser, "the scene's duration, or 10")
  opt.add_solver(parser)
  opt.add_set(parser)
  opt.add_world(parser)
  opt.add_loudness(parser)
end

-- Return options of `impel run` that set the best parameters.
local function as_options(found, searched)
  local words = {}
  for i, name in ipairs(searched) do
    words[i] = ("--set %s=%s"):format(name, json.exact(found[name]))
  end
  return table.concat(words, " ")
end

local REASONS = { budget = "budget spent" }

local function tell(options, status, searched)
  if not status.best then
    console.say(("all %d runs failed"):format(status.runs))
    return
  end
  console.say(("score %s, from %s at the start; %d runs, %d generations%s%s"):format(json.shortest(status.score),
    status.start_score and json.shortest(status.start_score) or "none", status.runs, status.generation,
    status.reason and ", " .. (REASONS[status.reason] or status.reason) or "",
    status.failed > 0 and (", %d runs not ok"):format(status.failed) or ""))
  if options.output then console.say("history in " .. options.output) end
  return as_options(status.best, searched)
end

-- Return a message for options that conflict.
local function clash(options)
  if options.resume and not options.output then return "--resume needs -o OUT.csv" end
  local simplex = options.method == "nelder-mead"
  if options.population and simplex then return "--population needs --method cma" end
  if options.speculative and not simplex then return "--speculative needs --method nelder-mead" end
end

function command.run(host, options)
  local wrong = clash(options)
  if wrong then return console.refuse(wrong, options) end
  local text, chunk = find.text(host, options.file)
  if not text then return console.refuse(chunk, options) end
  local params, searched = {}, {}
  for _, list in ipairs(options.param) do
    for _, word in ipairs(list) do
      params[#params + 1], searched[#searched + 1] = word, word:match("^[^=]*")
    end
  end
  local line = console.progress(host, options.quiet)
  local status, failure = require("impel.tune").run {
    source = { text = text, chunk = chunk }, set = opt.set_values(options.set), params = params,
    budget = options.budget or DEFAULT_BUDGET, method = options.method, seeds = options.seeds,
    maximize = options.maximize, sigma = options.sigma, population = options.population,
    speculative = options.speculative, seed = options.seed,
    settings = opt.settings(options),
    workers = options.jobs or host.processors(), timeout = options.timeout or DEFAULT_TIMEOUT,
    output = options.output, resume = options.resume, force = options.force,
    watch = function(now)
      line.show(function()
        return ("%d of %d runs  best %s  %s"):format(now.runs, now.budget,
          now.score and ("%.6g"):format(now.score) or "none", now.best and as_options(now.best, searched) or "")
      end)
      return host.interrupted()
    end,
    say = function(_, words)
      if not options.verbose then return end
      line.clear()
      io.stderr:write(words, "\n")
    end,
  }
  line.clear()
  local code = failure and console.report(failure, options)
  status = status or failure.status
  if not status then return code end
  local best = tell(options, status, searched)
  if code and options.output then console.say("the same command with --resume continues") end
  if best and options.json then
    local found = {}
    for _, name in ipairs(searched) do found[name] = status.best[name] end
    io.stdout:write(json.encode { params = found, score = status.score, start_score = status.start_score,
      runs = status.runs, generations = status.generation, failed = status.failed, reason = status.reason }, "\n")
  elseif best then
    io.stdout:write(best, "\n")
  end
  return code or best and console.EXIT.ok or console.EXIT.scene
end

return command
