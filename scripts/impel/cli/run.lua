-- impel run: run a scene without a window, and print the result.

local advance = require "impel.cli.advance"
local console = require "impel.cli.console"
local find = require "impel.cli.find"
local json = require "impel.base.json"
local merged = require "impel.base.merged"
local nearest = require "impel.base.nearest"
local opt = require "impel.cli.options"
local pictures = require "impel.cli.pictures"
local plot = require "impel.cli.plot"
local runner = require "impel.scene.run"
local sandboxed = require "impel.cli.sandboxed"
local system = require "impel.system"

local command = { name = "run", about = "run a scene without a window and report the result" }

function command.declare(parser)
  opt.add_file(parser)
  opt.add_length(parser, "the scene's duration, or 10")
  parser:flag("--check", "evaluate the scene's check() at the end; exit code 1 if it fails")
  parser:flag("--hash", "print only the hash of the final state instead of the table")
  parser:flag("--json", "print the result as one line of JSON instead of the table")
  parser:option("--row", "instead of the table, print this run as a CSV row of impel sweep, with row number N")
    :argname("N"):convert(opt.integer("--row", 1))
  parser:option("--trace", "write the scene's measures over time to OUT.csv or OUT.jsonl, replacing the file; with "
    .. "--load, write only the rows from the loaded step on"):argname("OUT")
  plot.declare_option(parser)
  parser:option("--every", "write a row of the trace every N steps (default: 1)"):argname("N")
    :convert(opt.integer("--every", 1))
  parser:option("--save", "write the final state: to OUT.lua as a scene of plain data; to any other name as a full "
    .. "snapshot for --load"):argname("OUT")
  parser:option("--load", "continue from a state that --save wrote, with the same scene and parameters; --time and "
    .. "--steps count from the start of the saved run; --solver and --threads apply only to the new "
    .. "steps"):argname("IN")
  parser:flag("--check-determinism", "compute each step twice and compare the results; at regular intervals, also "
    .. "restore the state in a new run and compare both runs; if results differ, print the first body and field that "
    .. "differ and exit with code 5")
  parser:option("--record", "record every change of the world from the first step of this run on, replacing the file "
    .. "OUT; impel replay OUT replays it"):argname("OUT")
  parser:option("--input", "replay the player's input that `impel play --record IN` recorded, with the recorded "
    .. "parameters, seed and steps"):argname("IN")
  pictures.declare(parser)
  sandboxed.declare(parser)
  opt.add_solver(parser)
  opt.add_common(parser)
end

-- Format the length of a joint's gap.
local function length(metres)
  if metres < 1 then return ("%.3g mm"):format(1e3 * metres) end
  return ("%.3g m"):format(metres)
end

-- Describe a joint with a lock that the solver dropped.
local function unheld_text(unheld)
  return ("a lock of %s from %.6g s on, because it contradicts other locks or is almost linearly "
    .. "dependent on them; %s"):format(
    unheld.joint, unheld.time, unheld.gap and ("the joint is open by %s at the end"):format(length(unheld.gap))
      or "the joint was destroyed")
end

local function result_table(result)
  local rows = {
    { "scene", result.title and ("%s (%s)"):format(result.scene, result.title) or result.scene },
    { "steps", ("%d of %.6g s = %.6g s"):format(result.steps, result.dt, result.time) },
    { "solver", result.solver },
    { "bodies", ("%d, %d awake"):format(result.bodies, result.awake) },
    { "contacts", ("%d"):format(result.contacts) },
    { "steps/s", result.steps_per_second and ("%.0f"):format(result.steps_per_second) },
    { "energy", ("%.6g J kinetic, %.6g J potential"):format(result.kinetic, result.potential) },
    { "penetration", ("%.3g m at worst"):format(result.penetration) },
    { "residual", ("%.3g m/s, error %.3g: %s"):format(result.residual, result.residual_error,
      result.converged and "converged" or "not converged") },
    { "hash", result.hash },
    { "trace", result.trace },
    { "plot", result.plot },
    { "pictures", result.pictures and table.concat(result.pictures, " ") },
    { "saved", result.saved },
    { "recorded", result.recorded_after and ("%s, from step %d on"):format(result.recorded, result.recorded_after + 1)
      or result.recorded },
    { "input", result.input },
    { "check", result.check },
  }
  for i, opened in ipairs(result.opened or {}) do
    rows[#rows + 1] = { i == 1 and "opened" or "", ("%s was open by %s at %.6g s"):format(opened.joint,
      length(opened.length), opened.time) }
  end
  if result.opened then
    rows[#rows + 1] = { "", ("at the end of the run, %d of these %d joints have a gap"):format(result.open,
      #result.opened) }
  end
  for i, unheld in ipairs(result.unheld or {}) do
    rows[#rows + 1] = { i == 1 and "not held" or "", unheld_text(unheld) }
  end
  local lines = {}
  for _, row in ipairs(rows) do
    -- A line break in a title would look like another row.
    if row[2] then lines[#lines + 1] = ("%-12s %s\n"):format(row[1], (tostring(row[2]):gsub("%c+", " "))) end
  end
  return table.concat(lines)
end

-- Return whether a picture goes to standard output, which then takes no other text.
local function takes_stdout(options)
  return options.plot == "-" or pictures.takes_stdout(options)
end

-- Return whether a run with recorded inputs ends with the recorded hash. Return nil if the recording has no hash, or if
-- the run has a different number of steps.
local function compare_with_play(run, recording, hash)
  if not (recording and recording.hash and run.made == recording.steps) then return nil end
  return hash == recording.hash
end

-- Evaluate the checks, print the result and return the exit code. `lost`: options whose files could not be written.
local function conclude(run, options, made, lost)
  local result = run:result()
  result.trace, result.saved, result.plot = options.trace, not lost.save and options.save or nil,
    not lost.plot and options.plot or nil
  result.recorded, result.recorded_after = options.record, options.record and options.load and run.began
  -- --check-determinism computes each step twice, so the measured speed would be wrong and is left out.
  if options.check_determinism then result.seconds, result.steps_per_second = nil, nil end
  result.pictures = made[1] and made
  local code, same = console.EXIT.ok, compare_with_play(run, options.inputs, result.hash)
  if same ~= nil then result.input = same and "the final hash equals the recorded hash"
    or "the final hash differs from the recorded hash" end
  if same == false then
    console.say(("%s: the final hash differs from the hash that was recorded in "
      .. "%s"):format(run.scene.file, options.input))
    if options.check then code = console.EXIT.check end
  end
  if options.check then
    local failed, failure = run:check()
    if not failed then return console.report(failure, options) end
    for _, message in ipairs(failed) do console.say(("%s: check failed: %s"):format(run.scene.file, message)) end
    result.check = #failed == 0 and "passed" or "failed"
    code = #failed == 0 and code or console.EXIT.check
  end
  if options.hash then io.stdout:write(result.hash, "\n") end
  if options.json then io.stdout:write(json.encode(result), "\n") end
  local silent = options.hash or options.json or options.quiet or takes_stdout(options)
  if not silent then io.stdout:write(result_table(result)) end
  if options.verbose then
    for _, stage in ipairs(nearest.keys(run.world:profile())) do
      console.say(("last step: %-14s %.3f ms"):format(stage, 1e3 * run.world:profile()[stage]))
    end
  end
  return code
end

-- Write the state, or return a failure. Print what plain data cannot represent.
local function save(run, path)
  if not path:find "%.lua$" then return run:save(path) end
  local ok, left = require("impel.data").save(path, run.world)
  if not ok then return { kind = "damaged", message = left } end
  if #left > 0 then console.say(("%s does not contain %s"):format(path, table.concat(left, ", "))) end
end

-- Print the written files and the command that continues the run.
local function tell_what_is_there(options)
  if options.trace then console.say(options.trace .. " contains the rows up to this step") end
  if options.record then console.say(options.record .. " contains the steps up to this one") end
  if options.save then
    local data = options.save:find "%.lua$"
    console.say(("%s contains the state after this step; to continue: impel run %s"):format(options.save,
      data and options.save or ("%s --load %s"):format(options.file, options.save)))
  end
end

-- Warn if the scene has changed since the state was saved, and if the run replaces the rows of a trace file.
local function warn(run, options)
  if run.changed and not options.quiet then
    console.say(("%s was saved with an earlier version of %s"):format(options.load, run.scene.file))
  end
  if options.replaces_rows and not options.quiet then
    local replaced = "%s was replaced: its rows now begin at step %d"
    console.say(replaced:format(options.trace, run.began))
  end
end

-- Return whether a resumed run replaces a trace file that has rows.
local function replaces_rows(options)
  if not (options.load and options.trace) or system.kind(options.trace) ~= "file" then return false end
  return (system.read_head(options.trace, 1) or "") ~= ""
end

-- Start a recording of the run. Return true or a failure.
local function record(run, options)
  if not options.record then return true end
  local text = json.encode { scene = run.scene.file, seed = run.seed, impel = require("impel").version,
    set = opt.set_values(options.set) }
  local ok, message = run:record(options.record, { text = text })
  if not ok then return nil, { kind = "damaged", message = message } end
  return true
end

-- End the recording. Return a failure if the file could not be written completely.
local function end_recording(run)
  local ok, message = true, nil
  if run.recording then ok, message = run.recording:close() end
  if ok then return nil end
  return { kind = "damaged", message = message .. "; the part of the recording that was written can be replayed" }
end

-- Write the requested files. Return the set of options whose files could not be written, and the exit code of the last
-- failure, or nil if none failed.
local function write_files(run, options, code, shots, rows)
  local whole = not code or code == console.EXIT.interrupted
  local lost, failed = {}, nil
  local function note(name, failure)
    if failure then lost[name], failed = failure.kind ~= "scene", console.report(failure, options) end
  end
  note("pictures", shots:finish(code))
  note("record", end_recording(run))
  note("save", whole and options.save and run.world:is_valid() and save(run, options.save) or nil)
  note("plot", whole and rows and rows.draw(options.plot, run.scene) or nil)
  return lost, failed
end

-- Read the recorded inputs, with their parameters, seed, dt and solver as defaults. Return true or a failure.
local function take_inputs(options)
  if not options.input then return true end
  local recording, message = require("impel.scene.input_record").read(options.input)
  if not recording then return nil, { kind = "damaged", message = message } end
  local header, set = recording.header, opt.set_values(options.set)
  options.inputs = recording
  for _, name in ipairs { "seed", "dt", "solver" } do
    if options[name] == nil then options[name] = header[name] end
  end
  if not (options.steps or options.time) then options.steps = recording.steps end
  options.played = merged(header.parameters, set)
  return true
end

-- Warn if recorded inputs belong to another scene or are cut. Unknown parameters are a failure.
local function check_inputs(options, scene)
  local recording, path = options.inputs, options.input
  if not recording then return true end
  local of = tostring(recording.header.scene)
  for _, name in ipairs(nearest.keys(recording.header.parameters or {})) do
    if not scene.params[name] then
      return nil, { kind = "usage", message = ("%s: '%s' has no parameter '%s'; the recording is of the scene "
        .. "'%s'"):format(path,
        scene.name, name, of) }
    end
  end
  if options.quiet then return true end
  if of ~= scene.name then
    console.say(("%s: the recording is of '%s', the scene is '%s'"):format(path, of, scene.name))
  end
  if recording.was_cut then
    console.say(("%s: the end of the recording is missing; it has %d steps and no final hash to compare "
      .. "with"):format(path,
      recording.steps))
  end
  return true
end

-- Do the work after the last step. Return the exit code.
local function finish(run, options, code, shots, rows)
  local lost, failed = write_files(run, options, code, shots, rows)
  local interrupted = code == console.EXIT.interrupted and not failed
  if options.json and run.fault then io.stdout:write(json.encode(run:result()), "\n") end
  if not code and run.world:is_valid() then code = conclude(run, options, shots.made, lost) end
  code = failed or code
  local closed, message = run:close()
  if not closed then return console.report({ kind = "damaged", message = message }, options) end
  if interrupted then tell_what_is_there(options) end
  return code
end

-- Print the row of a sweep, from a run in this process.
local function print_row(host, options)
  local evaluate, rows = require "impel.batch.evaluate", require "impel.batch.sweep_rows"
  local text, chunk = find.text(host, options.file)
  if not text then return console.refuse(chunk, options) end
  local source, settings = { text = text, chunk = chunk }, opt.run_settings(options, { each = host.interrupted })
  local description, problem = evaluate.describe(source, { seed = options.seed })
  if not description then return console.report(problem, options) end
  if description.problem then
    description = evaluate.describe(source, setmetatable({ each = false }, { __index = settings }))
  end
  local layout, message = rows.layout(description, { set = settings.set })
  if not layout then return console.refuse(message, options) end
  local outcome = evaluate.run(source, settings)
  if host.interrupted() then return console.EXIT.interrupted end
  local line, status = layout:row(options.row, {}, options.seed or 0, outcome)
  io.stdout:write(layout.header, "\n", line, "\n")
  if status ~= "ok" then
    return console.report({ kind = status == "failed" and "check" or outcome.kind, message = outcome.message,
      traceback = outcome.traceback }, options)
  end
  return console.EXIT.ok
end

-- Return a message if two output files have the same name, or an output file has the name of the scene's file.
local function name_clash(options)
  local taken = {}
  if options.load == "" then return "--load '': the name of a file expected" end
  for _, name in ipairs { "trace", "plot", "save", "record", "png", "svg", "gif", "mp4" } do
    local path = options[name]
    if path == "" then return ("--%s '': the name of a file expected"):format(name) end
    if path == "-" and (name == "save" or name == "record") then
      return ("--%s -: the name of a file expected"):format(name)
    end
    if path and path ~= "-" then
      if taken[path] then return ("--%s %s and --%s %s: the same file"):format(taken[path], path, name, path) end
      if path == options.file then return ("--%s %s: this is the scene's file"):format(name, path) end
      taken[path] = name
    end
  end
  return nil
end

-- Return a message for an output file that cannot be written, or nil. Called before the run.
local function unwritable(options)
  if options.sandbox == false then return nil end -- in the child of a sandbox, whose parent has checked the files
  for _, name in ipairs { "trace", "plot", "save", "record", "png", "svg", "gif", "mp4" } do
    local path = options[name]
    local ok, message = true, nil
    if path and path ~= "-" then ok, message = system.can_replace(path) end
    local makes_folder = (name == "gif" or name == "mp4") and not ok and not require("impel.picture.film").has_ffmpeg()
    if not ok and not makes_folder then return ("--%s: %s"):format(name, message) end
  end
  return nil
end

-- Return a message for options that conflict.
local function clash(options)
  if options.every and not (options.trace or options.plot) then
    return "--every needs --trace OUT or --plot OUT.svg"
  end
  for _, name in ipairs { "trace", "plot", "save", "load", "record", "row", "png", "svg", "gif", "mp4", "check" } do
    if options.check_determinism and options[name] then
      return ("--check-determinism and --%s cannot be combined"):format(name)
    end
  end
  for _, name in ipairs { "trace", "plot", "save", "load", "record", "hash", "json" } do
    if options.row and options[name] then return ("--row and --%s cannot be combined"):format(name) end
  end
  for _, name in ipairs { "load", "row", "check_determinism", "sandbox" } do
    if options.input and options[name] then
      return ("--input and --%s cannot be combined"):format((name:gsub("_", "-")))
    end
  end
  if options.plot == "-" then
    for _, name in ipairs { "hash", "json", pictures.takes_stdout(options) and "png - or --svg -" or nil } do
      if options[name] or name:find "-" then return ("--plot - cannot be combined with --%s"):format(name) end
    end
  end
  return sandboxed.clash(options) or pictures.clash(options) or name_clash(options) or unwritable(options)
end

-- Compute every step twice, and load the state into new runs at intervals, to find differences. Return the exit code.
local function check_determinism(scene, settings, host, options, line)
  local counted, failure = require("impel.scene.determinism").check(scene, settings, { each = function(run)
    line.show(function() return ("%s  step %d of %d"):format(run.scene.name, run.count, run.steps) end)
    return host.interrupted()
  end })
  line.clear()
  if not counted then return console.report(failure, options) end
  local run = counted.run
  if run:done() then
    local code = conclude(run, options, {}, {})
    if not (options.quiet or options.hash or options.json) then
      io.stdout:write(("%-12s %d steps computed twice, %d new runs: no difference\n"):format("determinism",
        counted.steps, counted.reloads))
    end
    run:close()
    return code
  end
  console.say(("interrupted after step %d of %d: no difference so far"):format(run.count, run.steps))
  run:close()
  return console.EXIT.interrupted
end

function command.run(host, options)
  local wrong = clash(options)
  if wrong then return console.refuse(wrong, options) end
  -- options.sandbox is false in the child of a sandbox, whose parent has checked the trace before
  if options.sandbox ~= false then options.replaces_rows = replaces_rows(options) end
  if options.sandbox then return sandboxed.run(command, host, options) end
  if options.row then return print_row(host, options) end
  local line = console.progress(host, options.quiet)
  local taken, why = take_inputs(options)
  if not taken then return console.report(why, options) end
  local scene, problem = find.scene(host, options, line)
  if not scene then return problem end
  taken, why = check_inputs(options, scene)
  if not taken then return console.report(why, options) end
  if options.check and not (scene.definition.check or scene.definition.checks) then
    return console.refuse(("--check: %s has no check()"):format(scene.file), options)
  end
  if options.plot and not scene.definition.measure then
    return console.refuse(("--plot: %s has no measure()"):format(scene.file), options)
  end
  local rows = options.plot and plot.collect()
  local settings = opt.run_settings(options, {
    set = options.played, trace = options.trace, input = options.inputs and options.inputs:player(),
    row = rows and rows.add, every = options.every, clock = host.clock,
    watch = options.json or not (options.quiet or options.hash), load = options.load,
  })
  if options.check_determinism then return check_determinism(scene, settings, host, options, line) end
  local run, failure = runner.new(scene, settings)
  if not run then return console.report(failure, options) end
  warn(run, options)
  local recorded
  recorded, failure = record(run, options)
  if not recorded then
    run:close()
    return console.report(failure, options)
  end
  local shots
  shots, failure = pictures.new(run, options)
  if not shots then
    run:close()
    return console.report(failure, options)
  end
  if options.trace and not scene.definition.measure and not options.quiet then
    console.say(("%s has no measure(): the trace contains only the time"):format(scene.file))
  end
  local code = advance(run, host, options, line, function() return shots:look() end)
  return finish(run, options, code, shots, rows)
end

return command
