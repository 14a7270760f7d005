-- Compares the speed with Chipmunk, Box2D and other engines: lua5.4 spec/tools/bench.lua [options]   (called by make
-- bench)
--
-- All times are CPU times, each the minimum of several rounds. Compare ratios within one run. Speed is reported and
-- never tested: the exit code is 0 unless a program fails (1) or the options are invalid (2).
package.path = "spec/?.lua;scripts/?.lua;" .. package.path

local costs = require "bench.costs"
local goals = require "bench.goals"
local machine = require "bench.machine"
local options = require "bench.options"
local programs = require "bench.programs"
local record = require "bench.record"
local scenes = require "bench.scenes"
local tables = require "bench.tables"
local turns = require "bench.turns"

local function say(message) io.stderr:write("bench: ", message, "\n") end

local function known_names()
  local names = {}
  for i, scene in ipairs(scenes) do names[i] = scene.name end
  return table.move(costs.names, 1, #costs.names, #names + 1, names)
end

local function give_up(message)
  say(message)
  os.exit(2, true)
end

-- Read the options; exit if they are invalid or a file cannot be written.
local function read_options()
  local names = known_names()
  for _, word in ipairs(arg) do
    if word == "--help" or word == "-h" then
      io.stdout:write(options.USAGE:format(table.concat(names, " ")))
      os.exit(0, true)
    end
  end
  local given, message = options.parse(arg, names)
  if not given then give_up(message .. "; --help lists options, scenes and parts") end
  message = record.refuse(given)
  if message then give_up(message) end
  return given
end

-- Compare and write all measurements so far, so an interrupted run keeps its completed scenes.
local function save(report, given)
  report.goals = goals.judge(report)
  return record.write(report, given)
end

local function bench_scenes(report, given, complain)
  for _, scene in ipairs(scenes) do
    report.compared = report.compared + (scene.compared and 1 or 0)
    if not given.scenes or given.scenes[scene.name] then
      scene.entries = turns.run(scene, report.runs, given.rounds, complain)
      for _, entry in ipairs(scene.entries) do
        if entry.run.program == "impel" and entry.result then report.compiler = entry.result.compiler end
      end
      report.scenes[#report.scenes + 1], report.by_name[scene.name] = scene, scene
      tables.print_scene(scene)
      io.stdout:flush()
      save(report, given)
    end
  end
end

local function bench_parts(report, given, complain)
  for _, name in ipairs(costs.names) do
    if not given.scenes or given.scenes[name] then
      local message
      report.parts[name], message = costs[name](given)
      if message then complain(message) end
      io.stdout:flush()
    end
  end
end

local function main()
  local given = read_options()
  local report = machine.describe()
  report.rounds, report.scenes, report.by_name, report.parts, report.compared = given.rounds, {}, {}, {}, 0
  report.failures = {}
  report.runs, report.left_out = programs.list(given)
  local function complain(message)
    report.failures[#report.failures + 1] = message
    say(message)
  end
  print(("%s, %d processors; commit %s; least of %d rounds"):format(report.machine, report.processors, report.commit,
    report.rounds))
  for _, missing in ipairs(report.left_out) do print("without " .. missing) end
  bench_scenes(report, given, complain)
  bench_parts(report, given, complain)
  local message = save(report, given)
  if message then complain(message) end
  tables.print_goals(report.goals)
  print("\ncompiler: " .. (report.compiler or "unknown"))
  if #report.failures > 0 then say(("%d failures"):format(#report.failures)) end
  os.exit(#report.failures == 0 and 0 or 1, true)
end

main()
