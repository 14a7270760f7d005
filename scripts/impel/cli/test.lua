-- impel test: run the checks of many scenes.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local opt = require "impel.cli.options"
local printable = require "impel.base.printable"

local command = { name = "test", about = "run scenes, each in its own process, and evaluate their checks" }

local DEFAULT_TIMEOUT = 600 -- [s] of wall time per run, because a scene may have an endless loop

local function seeds(text)
  return require("impel.batch.design").seeds(text)
end

function command.declare(parser)
  parser:argument("paths", "scene files, names of examples, - for standard input, or folders: all scenes in them and "
    .. "below (default: the current folder)"):argname("PATH"):args("*")
  parser:option("--filter", "evaluate only checks whose output line contains WORDS literally; may be repeated: then "
    .. "one of the WORDS is enough")
    :argname("WORDS"):count("*")
  parser:flag("--list", "list the checks instead of running them")
  parser:option("--junit", "write a report for CI servers to FILE, in JUnit's XML"):argname("FILE")
  opt.add_jobs(parser)
  opt.add_timeout(parser, DEFAULT_TIMEOUT)
  opt.add_length(parser, "the scene's duration, or 10")
  parser:mutex(
    parser:option("--seed", "seed of the scenes' random numbers (default: 0)"):argname("N")
      :convert(opt.seed("--seed")),
    parser:option("--seeds", "run every scene with each of these seeds: a range such as 1..8 or a list such as "
      .. "1,5,9"):argname("SEEDS"):convert(seeds))
  opt.add_solver(parser)
  opt.add_set(parser)
  opt.add_world(parser)
  opt.add_loudness(parser)
end

local function print_text(line, text)
  line.clear()
  return console.print(text)
end

local function progress(status)
  return ("%d of %d scenes  %d passed, %d failed"):format(status.finished, status.count, status.passed, status.failed)
end

-- Make a sink that prints TAP and collects runs for JUnit.
local function tap_sink(options, line)
  local tap, junit = require "impel.batch.tap", require "impel.batch.junit"
  local number, runs = 0, {}
  local sink = {}

  function sink.open()
    if options.junit then
      local ok, message = require("impel.system").replace(options.junit, junit.report({}, 0))
      if not ok then return nil, message end
    end
    return print_text(line, tap.VERSION)
  end

  function sink.result(run)
    local texts = {}
    for i, point in ipairs(run.points) do
      number = number + 1
      texts[i] = tap.point(number, point, run, options.verbose)
    end
    if options.junit then runs[#runs + 1] = run end
    return print_text(line, table.concat(texts))
  end

  -- Write the end of the report and of the TAP stream, also after a stop of the test.
  function sink.close(status, stopped, empty)
    local ok, message = true, nil
    if not status.broken then
      local last = stopped and tap.bail_out(stopped) or tap.plan(number, number == 0 and empty or nil)
      ok, message = print_text(line, last)
    end
    if options.junit then
      local written, problem = require("impel.system").replace(options.junit, junit.report(runs, status.seconds))
      if not written then return nil, problem end
    end
    return ok, message
  end

  return sink
end

-- Make a sink that prints only the names of the test points.
local function list_sink(line)
  return {
    open = function() return true end,
    close = function() return true end,
    result = function(run)
      local names = {}
      for _, point in ipairs(run.points) do
        if point.status == "failed" then
          line.clear()
          console.say(point.message)
        elseif point.status == "passed" then
          names[#names + 1] = printable(point.name):gsub("[\n\t]+", " ") .. "\n"
        end
      end
      return print_text(line, table.concat(names))
    end,
  }
end

local function summary(options, status)
  console.say(("%d passed, %d failed, %d skipped in %s"):format(status.passed, status.failed, status.skipped,
    console.duration(status.seconds)))
  if options.verbose and status.slowest.name then
    console.say(("slowest: %s with %.3g s"):format(status.slowest.name, status.slowest.seconds))
  end
end

-- Return why no checks were run.
local function emptiness(options, paths, files)
  if #files == 0 then return "no scenes in " .. table.concat(paths, ", ") end
  if #options.filter > 0 then return ("no check matches --filter %s"):format(table.concat(options.filter, ", ")) end
  return "no checks in " .. table.concat(paths, ", ")
end

local function run_files(host, options, files, line, sink)
  return require("impel.batch.testing").run {
    files = files, seeds = options.seeds, filter = options.filter, list = options.list,
    settings = opt.run_settings(options),
    workers = options.jobs or host.processors(), timeout = options.timeout or DEFAULT_TIMEOUT, result = sink.result,
    watch = function(status)
      line.show(progress, status)
      return host.interrupted()
    end,
    say = function(name, words)
      if options.quiet then return end
      line.clear()
      io.stderr:write(name, ": ", words, "\n")
    end,
  }
end

function command.run(host, options)
  local paths = #options.paths > 0 and options.paths or { "." }
  local files, message = require("impel.batch.testing").find(paths, function(path) return find.text(host, path) end)
  if not files then return console.refuse(message, options) end
  local line = console.progress(host, options.quiet)
  local sink = options.list and list_sink(line) or tap_sink(options, line)
  local ok, problem = sink.open()
  if not ok then return console.report({ kind = "damaged", message = problem }, options) end
  local status = run_files(host, options, files, line, sink)
  local empty = status.complete and status.passed + status.failed == 0 and emptiness(options, paths, files) or nil
  ok, problem = sink.close(status, not status.complete and "interrupted" or nil, empty)
  line.clear()
  if not (options.quiet or options.list) then summary(options, status) end
  problem = status.broken or not ok and problem
  if problem then return console.report({ kind = "damaged", message = problem }, options) end
  if not status.complete then return console.EXIT.interrupted end
  if empty then return console.refuse(empty, options) end
  return status.failed > 0 and (options.list and console.EXIT.scene or console.EXIT.check) or console.EXIT.ok
end

return command
