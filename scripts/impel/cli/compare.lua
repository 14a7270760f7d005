-- impel compare: run a scene under several solvers.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local json = require "impel.base.json"
local opt = require "impel.cli.options"

local command = { name = "compare", about = "run a scene under several solvers: drift, energy, forces, time" }

function command.declare(parser)
  opt.add_file(parser)
  parser:option("--solvers", "solvers to compare, separated by commas (default: all)"):argname("A,B,...")
    :convert(opt.solvers("--solvers"))
  parser:option("--reference", "solver of the reference run, which uses more substeps (default: reduced if its runs "
    .. "converge fast, as for trees of joints without contacts, else direct; if neither converges, the solver whose "
    .. "runs differ less)"):argname("NAME"):convert(opt.solvers("--reference", 1))
  parser:option("--refine", "repeat the reference run with more substeps until its results agree, with at most N times "
    .. "the scene's substeps (default: 32; 1: one reference run, whose own error is "
    .. "unknown)"):argname("N"):convert(opt.integer("--refine", 1, 1000))
  opt.add_length(parser, "the scene's duration, or 10")
  parser:flag("--json", "print the result as one line of JSON")
  opt.add_common(parser)
end

function command.run(host, options)
  local compare = require "impel.compare"
  local line = console.progress(host, options.quiet)
  local open, missing = find.loader(host, options, line)
  if not open then return console.report(missing, options) end
  local function watch(run)
    line.show(console.step_of, run)
    if not host.interrupted() then return nil end
    return { kind = "interrupted",
      message = ("interrupted after step %d of %d under %s"):format(run.count, run.steps, run.world.solver) }
  end
  local result, failure = compare.run(open, opt.run_settings(options, {
    solvers = options.solvers or compare.solvers(), reference = options.reference and options.reference[1],
    refine = options.refine, watch = watch,
  }))
  line.clear()
  if not result then return console.report(failure, options) end
  result.scene = options.file
  io.stdout:write(options.json and json.encode(result) .. "\n" or compare.text(result))
  return console.EXIT.ok
end

return command
