-- Runs the situations, small scenes whose check states the correct outcome: lua5.4 spec/tools/situations.lua
-- [OPTION...] [NAME...]   (called by make situations)
--
-- Runs every situation of spec/situations (or those whose names contain a NAME) under the default solver and under the
-- solvers that its file lists. If a scene file of the benchmark can describe the situation, it is also run on the
-- peers: Box2D 2.4, Chipmunk, and the engines of --peer. Prints a line with the measured numbers for each run, and a
-- table of the numbers of passed runs and of all runs.
--
--   --build DIR            where the bench programs are (default: build)
--   --peer TITLE=COMMAND   another engine's program, see spec/bench/README.md; may be repeated
--   --no-peers             impel alone
--   --write-known          write the current failures to spec/situations/known.txt
--
-- The exit code is 1 if a run fails that is not in known.txt, or if a known failure passes; it is 2 if a file cannot be
-- loaded. Results of peers do not affect the exit code.

local nearest = require "impel.base.nearest"
local peers = require "situations.peers"
local runner = require "situations.runner"
local shell = require "impel.base.shell"
local system = require "impel.system"

local USAGE = "use: lua5.4 spec/tools/situations.lua [--build DIR] [--peer TITLE=COMMAND] [--no-peers] [--write-known] "
  .. "[NAME...]"

local BOX2D, CHIPMUNK = "Box2D 2.4", "Chipmunk"

local function give_up(format, ...)
  io.stderr:write("situations: ", format:format(...), "\n")
  os.exit(2, true)
end

local function is_there(path)
  local file = io.open(path)
  if file then file:close() end
  return file ~= nil
end

local function parse(words)
  local options, i, taken = { build = "build", peers = {}, names = {} }, 1, { [BOX2D] = true, [CHIPMUNK] = true }
  for _, solver in ipairs(runner.solvers()) do taken[solver] = true end
  local function value()
    i = i + 1
    return words[i] or give_up("%s: the value is missing\n%s", words[i - 1], USAGE)
  end
  while words[i] do
    local word = words[i]
    if word == "--help" then
      print(USAGE)
      os.exit(0, true)
    elseif word == "--build" then
      options.build = value()
    elseif word == "--peer" then
      local text = value()
      local title, command = text:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
      if not title or title == "" or command == "" then give_up("--peer: TITLE=COMMAND expected, got '%s'", text) end
      if taken[title] then give_up("--peer: another peer, a solver or a built-in engine has the title '%s'", title) end
      taken[title] = true
      table.insert(options.peers, { title = title, command = command })
    elseif word == "--no-peers" or word == "--write-known" or word == "--worker" then
      options[word:sub(3)] = true
    elseif word:sub(1, 1) == "-" then
      give_up("no option '%s'\n%s", word, USAGE)
    else
      table.insert(options.names, word)
    end
    i = i + 1
  end
  return options
end

-- Return title and command of each engine other than impel that plays the situations.
local function all_peers(options)
  local list = {}
  if options["no-peers"] then return list end
  for _, built in ipairs { { BOX2D, "box2d" }, { CHIPMUNK, "chipmunk" } } do
    local path = ("%s/bench/%s"):format(options.build, built[2])
    if is_there(path) then list[#list + 1] = { title = built[1], command = shell.word(path) } end
  end
  return table.move(options.peers, 1, #options.peers, #list + 1, list)
end


-- One situation -------------------------------------------------------------------------------------------------------

local function report(engine, name, verdict)
  local state = verdict.refused and "cannot" or verdict.passed and "pass" or "fail"
  local message = verdict.refused or verdict.message or ""
  for i, field in ipairs { engine, name, state, verdict.measured or "", message } do
    io.write(i > 1 and "\t" or "", (field:gsub("%c", " ")))
  end
  io.write "\n"
  io.flush()
end

-- Run a situation in this process. Print a line of fields for each run, which `finish` reads.
local function work(options)
  local situation = runner.load(options.names[1])
  local file = ("%s/situations/%s"):format(options.build, situation.name:gsub("/", "."))
  for _, variant in ipairs(runner.runs(situation)) do
    local verdict = runner.play(situation, variant)
    report(variant.solver, variant.name, verdict)
    if situation.peers and variant.solver == "soft" and verdict.dt then
      for _, peer in ipairs(all_peers(options)) do
        report(peer.title, variant.name, peers.play(runner, situation, variant, verdict, peer.command, file))
      end
    end
  end
end


-- All situations ------------------------------------------------------------------------------------------------------

local function start(name, options)
  local words = { "lua5.4", "spec/tools/situations.lua", "--worker", "--build", options.build, name }
  words[1] = os.getenv "LUA" or words[1]
  if options["no-peers"] then words[#words + 1] = "--no-peers" end
  for _, peer in ipairs(options.peers) do
    words[#words + 1], words[#words + 2] = "--peer", ("%s=%s"):format(peer.title, peer.command)
  end
  for i, word in ipairs(words) do words[i] = shell.word(word) end
  return assert(io.popen(table.concat(words, " ")))
end

-- Wait for the process of a situation. Return a list of { engine, name, state, measured, message }, and the reason if
-- the process ended early.
local function finish(pipe)
  local list = {}
  for line in pipe:lines() do
    local engine, run, state, measured, message = line:match "^(.-)\t(.-)\t(.-)\t(.-)\t(.*)$"
    list[#list + 1] = { engine = engine, name = run, state = state, measured = measured, message = message }
  end
  local _, _, code = pipe:close()
  local last = list[#list]
  if last and last.engine == "" then
    list[#list] = nil
    return list, last.message
  end
  return list, code ~= 0 and "the process that runs the situation ended early" or nil
end

local function print_run(entry, known)
  local name = entry.name
  if not entry.ours then
    name = name:gsub("^(%S+) soft", function(situation) return situation .. " " .. entry.engine end)
  end
  local state = entry.state
  if entry.ours and runner.known_key(known, entry.name) then state = state == "fail" and "known" or "fixed" end
  print(("%-6s %-58s %s"):format(state, name, entry.state == "pass" and entry.measured
    or entry.measured ~= "" and ("%s (%s)"):format(entry.message, entry.measured) or entry.message))
end

-- Return "3/4" for 3 passed runs of 4. Return "cannot" if the engine can play none of its runs, or a dash for no runs.
local function score(entries, engine)
  local passed, count, cannot = 0, 0, false
  for _, entry in ipairs(entries) do
    if entry.engine == engine and entry.state == "cannot" then
      cannot = true
    elseif entry.engine == engine then
      count = count + 1
      passed = passed + (entry.state == "pass" and 1 or 0)
    end
  end
  return count > 0 and ("%d/%d"):format(passed, count) or cannot and "cannot" or "–"
end

local function print_table(results, engines)
  print(("\n| situation | %s |"):format(table.concat(engines, " | ")))
  print("|---|" .. ("---:|"):rep(#engines))
  for _, result in ipairs(results) do
    local cells = {}
    for i, engine in ipairs(engines) do cells[i] = score(result.entries, engine) end
    print(("| %s | %s |"):format(result.name, table.concat(cells, " | ")))
  end
end

local function chosen_names(options)
  local all, names = runner.names(), {}
  for _, name in ipairs(all) do
    for _, word in ipairs(#options.names > 0 and options.names or { "" }) do
      if name:find(word, 1, true) then
        names[#names + 1] = name
        break
      end
    end
  end
  if #names == 0 then
    give_up("no situation '%s'%s", options.names[1], nearest.hint(options.names[1], all))
  end
  return names
end

-- Return the engines in the order soft, peers, other solvers.
local function engine_order(results, options)
  local order, seen = { "soft" }, { soft = true }
  for _, peer in ipairs(all_peers(options)) do
    order[#order + 1], seen[peer.title] = peer.title, true
  end
  for _, result in ipairs(results) do
    for _, entry in ipairs(result.entries) do
      if not seen[entry.engine] then order[#order + 1], seen[entry.engine] = entry.engine, true end
    end
  end
  return order
end

local function run_all(options)
  os.execute("mkdir -p " .. shell.word(options.build .. "/situations"))
  if options["write-known"] and #options.names > 0 then give_up "--write-known: runs all situations; give no NAME" end
  local names, known, at_once = chosen_names(options), runner.known(), system.processors()
  local running, results, foreign, problems = {}, {}, {}, {}
  for _, peer in ipairs(all_peers(options)) do foreign[peer.title] = true end
  for i = 1, #names + at_once do
    local before = i - at_once
    if before >= 1 then
      local entries, problem = finish(running[before])
      if problem then problems[#problems + 1] = ("%s: %s"):format(names[before], problem) end
      for _, entry in ipairs(entries) do
        entry.ours = not foreign[entry.engine]
        print_run(entry, known)
      end
      io.flush()
      results[before] = { name = names[before], entries = entries }
    end
    if names[i] then running[i] = start(names[i], options) end
  end
  return results, known, problems
end

-- Compare impel's results with the list of known failures.
local function judge(results, known, problems, options)
  local list, failures, fixed, broken = {}, 0, {}, {}
  for _, result in ipairs(results) do
    for _, entry in ipairs(result.entries) do
      if entry.ours then
        local fails = entry.state ~= "pass"
        local expected = runner.known_key(known, entry.name) ~= nil
        list[#list + 1] = { name = entry.name, message = fails and entry.message or nil }
        failures = failures + (fails and 1 or 0)
        if fails and not expected then broken[#broken + 1] = entry.name end
        if expected and not fails then fixed[#fixed + 1] = entry.name end
      end
    end
  end
  print(("\n%d runs pass, %d known failures, %d new failures, %d known failures pass now")
    :format(#list - failures - #fixed, failures - #broken, #broken, #fixed))
  for _, problem in ipairs(problems) do print("not run: " .. problem) end
  if #problems > 0 then os.exit(2, true) end
  if options["write-known"] then return runner.write_known(list) end
  for _, name in ipairs(broken) do print("new failure: " .. name) end
  for _, name in ipairs(fixed) do print("passes, but known.txt lists it: " .. name) end
  os.exit(#broken + #fixed == 0, true)
end

local options = parse(arg)
if options.worker then
  local ok, message = pcall(work, options)
  if not ok then report("", options.names[1], { passed = false, message = tostring(message) }) end
else
  local results, known, problems = run_all(options)
  print_table(results, engine_order(results, options))
  judge(results, known, problems, options)
end
