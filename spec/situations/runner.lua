-- Loads situations, lists and runs them, and keeps the list of known failures.
--
-- A situation is a scene file (see examples/README.md) with a function check. The file may return a second table:
--
--   return scene, {
--     solvers = { "si", "direct" },         -- in addition to the default solver, `soft`
--     vary = { links = { 10, 20 }, level = { false, true } },  -- the scene's parameters: every combination is run
--     peers = true,                 -- other engines also play it: its check uses only poses and velocities
--   }
--
-- A run is one combination under one solver. Its name is "contacts/arch soft wedges=15".

local impel = require "impel"
local nearest = require "impel.base.nearest"
local runs = require "impel.scene.run"
local scenes = require "impel.scene"

local runner = {}

local FOLDER, KNOWN = "spec/situations/", "spec/situations/known.txt"
local OPTIONS = { "solvers", "vary", "peers" }

local function lines_of(command)
  local pipe, list = assert(io.popen(command)), {}
  for line in pipe:lines() do list[#list + 1] = line end
  pipe:close()
  return list
end

--- Return the names of all situations, "folder/name", sorted.
function runner.names()
  local names = {}
  for i, path in ipairs(lines_of("LC_ALL=C ls -1 " .. FOLDER .. "*/*.lua")) do
    names[i] = path:sub(#FOLDER + 1, -5)
  end
  return names
end

function runner.solvers()
  for _, entry in ipairs(impel.api().impel) do
    for _, option in ipairs(entry.name == "world" and entry.options or {}) do
      if option.name == "solver" then return option.choices end
    end
  end
end

local function need(holds, format, ...)
  if not holds then error(format:format(...), 0) end
end

-- Check that a list has no value twice, and that `accept` allows each value.
local function check_list(what, list, accept)
  need(type(list) == "table" and #list > 0, "%s: a list of values expected, got %s", what,
    type(list) == "table" and "an empty one" or tostring(list))
  local seen, count = {}, 0
  for _ in pairs(list) do count = count + 1 end
  need(count == #list, "%s: a list without nil and without named fields expected", what)
  for _, value in ipairs(list) do
    need(not seen[value], "%s: the list contains %s twice", what, tostring(value))
    seen[value] = true
    accept(value)
  end
end

local function check_known(what, word, known)
  for _, name in ipairs(known) do
    if name == word then return end
  end
  error(("%s: no '%s'%s; there are %s"):format(what, tostring(word), nearest.hint(tostring(word), known),
    table.concat(known, ", ")), 0)
end

-- Check and return the options of a situation, the second value that its file returns.
local function options_of(path, scene)
  local _, options = assert(loadfile(path))()
  if options == nil then return {} end
  need(type(options) == "table", "%s: the second value must be a table of options, got %s", path, type(options))
  for key in pairs(options) do check_known(path .. ": options", key, OPTIONS) end
  need(options.peers == nil or type(options.peers) == "boolean", "%s: peers: true or false expected, got %s", path,
    tostring(options.peers))
  if options.solvers ~= nil then
    check_list(path .. ": solvers", options.solvers, function(name)
      check_known(path .. ": solvers", name, runner.solvers())
      need(name ~= "soft", "%s: solvers: soft always runs, remove it from the list", path)
    end)
  end
  local vary = options.vary or {}
  need(type(vary) == "table", "%s: vary: { parameter = { values } } expected, got %s", path, tostring(vary))
  for name, values in pairs(vary) do
    check_known(path .. ": vary", name, nearest.keys(scene.params))
    check_list(("%s: vary.%s"):format(path, name), values, function(value)
      local _, message = scene:values { [name] = value }
      need(not message, "%s: vary.%s: %s", path, name, message)
    end)
  end
  return options
end

--- Load a situation. Raises a message that names the file and the field.
---@param name string  "contacts/arch"
---@return table  { name, scene: result of impel.scene.load, solvers: with soft as the first, vary, peers }
function runner.load(name)
  local path = FOLDER .. name .. ".lua"
  local scene, message = scenes.load(path)
  if not scene then error(message, 0) end
  need(scene.definition.check, "%s: a situation needs a function check(s); the scene has none", path)
  need(scene.definition.duration, "%s: a situation needs a duration [s]; the scene has none", path)
  local options = options_of(path, scene)
  local solvers = options.solvers or {}
  return {
    name = name, scene = scene, solvers = table.move(solvers, 1, #solvers, 2, { "soft" }), vary = options.vary or {},
    peers = options.peers,
  }
end

-- Add to `list` each combination of `set` with the values of the parameters names[i], names[i + 1], ...
local function combine(list, vary, names, i, set)
  if i > #names then
    local words, copy = {}, {}
    for k, name in ipairs(names) do
      words[k] = ("%s=%s"):format(name, tostring(set[name]))
      copy[name] = set[name]
    end
    list[#list + 1] = { set = copy, text = table.concat(words, " ") }
    return
  end
  for _, value in ipairs(vary[names[i]]) do
    set[names[i]] = value
    combine(list, vary, names, i + 1, set)
  end
end

--- Return all runs of a situation.
---@return table[]  each { name, solver, set: the parameters, text: "links=10 level=false" }
function runner.runs(situation)
  local list, variants = {}, {}
  combine(variants, situation.vary, nearest.keys(situation.vary), 1, {})
  for _, solver in ipairs(situation.solvers) do
    for _, variant in ipairs(variants) do
      local name = ("%s %s %s"):format(situation.name, solver, variant.text):gsub(" $", "")
      list[#list + 1] = { name = name, solver = solver, set = variant.set, text = variant.text }
    end
  end
  return list
end

-- Return the measures as text, "turned 0.0123 rad, fastest 0.2 m/s", and a message if a measure is nan.
local function measured(run)
  local values, failure = run:measure()
  if not values then return "", failure.message end
  local words, wrong = {}, nil
  for i, name in ipairs(nearest.keys(values)) do
    local value, unit = values[name], (run.scene.definition.units or {})[name]
    local number = type(value) == "number" and ("%.4g"):format(value) or tostring(value)
    words[i] = ("%s %s%s"):format(name, number, unit and unit ~= "1" and " " .. unit or "")
    if value ~= value then wrong = ("measure '%s' is not a number"):format(name) end
  end
  return table.concat(words, ", "), wrong
end

local function failed(message, dt) return { passed = false, message = message, measured = "", dt = dt } end

-- Complete the list of step lengths of a run that failed early: missing steps get the length of the last step.
local function complete(dt, run)
  for i = #dt + 1, run.steps do dt[i] = dt[i - 1] or run.world.dt end
  return dt
end

--- Run a situation to its end and check it.
---@param situation table   result of runner.load
---@param variant table     an element of runner.runs
---@param before nil|fun(world: userdata, count: integer)  called before each step and after the last step; count:
---                         number of steps so far
---@return table            passed; message: the failed checks; measured: the scene's measures as text; dt: length of
---                         each step [s]; substeps_change: whether the number of substeps changed
function runner.play(situation, variant, before)
  local run, failure = runs.new(situation.scene, { set = variant.set, solver = variant.solver })
  if not run then return failed(failure.message) end
  local dt, world, substeps, changed = {}, run.world, run.world.substeps, false
  while not run:done() do
    local time = world.time
    if before then before(world, run.count) end
    local ok, problem = run:step()
    if not ok then
      local verdict = failed(problem.message, complete(dt, run))
      run:close()
      return verdict
    end
    dt[#dt + 1] = world.time - time
    changed = changed or world.substeps ~= substeps
  end
  if before then before(world, run.count) end
  local messages, problem = run:check()
  messages = messages or { problem.message }
  local numbers, wrong = measured(run)
  messages[#messages + 1] = wrong
  run:close()
  return {
    passed = #messages == 0, message = table.concat(messages, "; "), measured = numbers, dt = dt,
    substeps_change = changed,
  }
end


-- Known failures ------------------------------------------------------------------------------------------------------

-- Return the group of a run: the situation and the solver from the run's name, for example "contacts/arch soft".
local function group_of(name) return name:match "^%S+ %S+" end

--- Return the known failures as keys: names of runs, and "contacts/arch soft *" for all runs of the situation
--- contacts/arch under the solver soft.
function runner.known()
  local known = {}
  for line in io.lines(KNOWN) do
    local name = line:match "^([^#]-)%s*#" or line
    if name ~= "" then known[name] = true end
  end
  return known
end

--- Return the key of `known` that covers a run, or nil.
function runner.known_key(known, name)
  local all = group_of(name) .. " *"
  return known[name] and name or known[all] and all or nil
end

--- Write the list of known failures.
---@param results table[]  all runs in order, each { name, message }; message: the failed checks, nil if the run passed
function runner.write_known(results)
  local count, fails, lines, seen = {}, {}, {}, {}
  for _, result in ipairs(results) do
    local group = group_of(result.name)
    count[group] = (count[group] or 0) + 1
    fails[group] = (fails[group] or 0) + (result.message and 1 or 0)
  end
  for _, result in ipairs(results) do
    local group = group_of(result.name)
    local first = result.message and not seen[group]
    local comment = first and " # " .. result.message:gsub("%c", " "):sub(1, 100) or ""
    if result.message and fails[group] < count[group] then
      lines[#lines + 1] = result.name .. comment
    elseif first then
      lines[#lines + 1] = group .. " *" .. comment
    end
    seen[group] = seen[group] or first
  end
  local file = assert(io.open(KNOWN, "w"))
  file:write("# Runs that fail today. A message follows the first failing run of a situation under a solver; ",
    "* stands for all variants.\n",
    "# make test leaves these out. make situations runs them, and fails if one passes or a run not listed fails.\n",
    "# Written by make situations ARGS=--write-known.\n", table.concat(lines, "\n"), "\n")
  file:close()
end

return runner
