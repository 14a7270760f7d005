-- impel doctor: report how difficult a scene is to solve.

local advance = require "impel.cli.advance"
local console = require "impel.cli.console"
local find = require "impel.cli.find"
local json = require "impel.base.json"
local opt = require "impel.cli.options"
local runner = require "impel.scene.run"

local command = {
  name = "doctor",
  about = "analyse a scene: mobility, redundant locks, mass ratios, sweeps, stiffness, and the solver that suits it",
}

function command.declare(parser)
  opt.add_file(parser)
  opt.add_length(parser, "one step, which shows loads and contacts")
  parser:flag("--json", "print the report as one line of JSON")
  opt.add_solver(parser)
  opt.add_common(parser)
end

function command.run(host, options)
  local line = console.progress(host, options.quiet)
  local scene, problem = find.scene(host, options, line)
  if not scene then return problem end
  local settings = opt.run_settings(options, { clock = host.clock })
  if not (options.steps or options.time) then settings.steps = 1 end
  local run, failure = runner.new(scene, settings)
  if not run then return console.report(failure, options) end
  local code = advance(run, host, options, line)
  if not code then
    local doctor = require "impel.doctor"
    local found = doctor.report(run.world)
    io.stdout:write(options.json and json.encode(found) .. "\n" or doctor.text(found))
  end
  run:close()
  return code or console.EXIT.ok
end

return command
