-- Writes the truth table, the errors of all solvers in scenes with known results: lua5.4 spec/tools/truth.lua BUILD
-- [WORD] (called by make truth, from the top folder)
--
-- All solvers of impel and two other engines (the peers, Box2D and Chipmunk) play the same plans of scenes
-- (truth/plan.lua). Then spec/truth/RESULTS.md is rewritten. A row has the errors in one scene, with marks for the best
-- and the worst. A reason is given if a reference solver (a solver except `soft`) is the worst, or if `soft` is worse
-- than the peers. With a WORD only the scenes and rigs whose title contains WORD are run, and the tables are only
-- printed. The exit code is 1 if a reason is missing or if `soft` exceeds one of its limits.
--
-- A scene is { title, measured, against, measure(run) -> error [, note] }, where run(plan) returns a trace. Optional
-- fields: unit and factor (from the error to the printed value; without them errors are relative), asked (the largest
-- error allowed for soft), reasons = { solver = "why it is the worst", soft = "why it is worse than the peers" },
-- shared = "why several solvers share the worst place".
local build, word = arg[1] or "build", arg[2]
local impel = require "impel"
local motion = require "truth.motion"
local plan = require "truth.plan"

local GROUPS = { "free", "contacts", "pendulums", "linkages" }
-- The error of soft may be the error of the best peer times PEER_FACTOR, plus PEER_MARGIN.
local PEER_FACTOR, PEER_MARGIN = 1.1, 1e-5
local ALIKE = 1.01 -- two errors are equal if their ratio is smaller


-- Engines -------------------------------------------------------------------------------------------------------------

local function solver_names()
  for _, entry in ipairs(impel.api().impel) do
    for _, option in ipairs(entry.name == "world" and entry.options or {}) do
      if option.name == "solver" then return option.choices end
    end
  end
  error "impel.world has no option 'solver'"
end

-- Return all engines in the order soft, peers, reference solvers.
local function all_engines()
  local lua = os.getenv "LUA" or "lua5.4"
  local peers = {
    { name = "box2d", title = "Box2D 2.4.1", command = build .. "/truth/box2d", peer = true },
    { name = "chipmunk", title = "Chipmunk 7.0.3", command = build .. "/truth/chipmunk", peer = true },
  }
  local engines = {}
  for _, name in ipairs(solver_names()) do
    local engine = { name = name, title = "`" .. name .. "`", command = lua .. " spec/truth/impel.lua " .. name }
    table.insert(engines, name == "soft" and 1 or #engines + 1, engine)
    if name == "soft" then table.move(peers, 1, #peers, 2, engines) end
  end
  return engines
end


-- Cells ---------------------------------------------------------------------------------------------------------------

local function run_cell(scene, engine)
  local function run(it)
    local trace, why = plan.run(it, engine.command, build .. "/truth/plan.txt")
    if not trace then error({ why = why }, 0) end
    return trace
  end
  local ok, result, note = pcall(scene.measure, run)
  if ok then return { error = result == result and result or math.huge, note = note } end
  if type(result) ~= "table" then error(result, 0) end -- an error message comes from a bug in the scene's code
  local why = result.why
  if why:match "non%-finite" or why:match "crashed" then return { error = math.huge, why = why } end
  return { why = why }
end

local function run_row(scene, engines)
  local cells, best, worst, best_peer = {}, math.huge, 0, math.huge
  for _, engine in ipairs(engines) do
    local cell = run_cell(scene, engine)
    cells[engine.name] = cell
    if cell.error then
      best, worst = math.min(best, cell.error), math.max(worst, cell.error)
      if engine.peer then best_peer = math.min(best_peer, cell.error) end
    end
  end
  -- If all errors of the row are nearly equal, no engine is the best or the worst.
  local apart = worst > PEER_FACTOR * best + PEER_MARGIN
  local count = 0
  for _, cell in pairs(cells) do
    cell.best = apart and cell.error and cell.error <= ALIKE * best
    cell.worst = apart and cell.error and cell.error >= worst / ALIKE
    count = count + (cell.worst and 1 or 0)
  end
  local soft = cells.soft.error or math.huge
  local row = { scene = scene, cells = cells, has_peer = best_peer < math.huge, several = count > 1 }
  row.met = soft <= (row.has_peer and PEER_FACTOR * best_peer + PEER_MARGIN or math.huge)
  row.kept = soft <= (scene.asked or math.huge)
  row.ratio = soft / best_peer
  return row
end


-- Text ----------------------------------------------------------------------------------------------------------------

local function show(scene, cell)
  if not cell.error then return "cannot" end
  if cell.why then return "*" .. cell.why:gsub("^it ", "") .. "*" end
  if cell.error == math.huge then return "*lost*" end
  local text = ("%.2g"):format(cell.error * (scene.factor or 1)) .. (cell.note and (" (%s)"):format(cell.note) or "")
  return cell.best and "**" .. text .. "**" or cell.worst and "*" .. text .. "*" or text
end

local function verdict(row)
  if not row.met then return ("**no**, %.2g ×"):format(row.ratio) end
  return row.has_peer and "yes" or "no peer"
end

local function table_lines(rows, engines, add)
  local head, rule = "| | scene | error in |", "|---|---|---|"
  for _, engine in ipairs(engines) do head, rule = head .. " " .. engine.title .. " |", rule .. "---|" end
  add(head .. " `soft` ≤ peers |")
  add(rule .. "---|")
  for i, row in ipairs(rows) do
    local line = ("| %d | %s | %s |"):format(i, row.scene.title, row.scene.unit or "1")
    for _, engine in ipairs(engines) do line = line .. " " .. show(row.scene, row.cells[engine.name]) .. " |" end
    add(line .. " " .. verdict(row) .. " |")
  end
end

-- Return how bad an engine's result in a table row is, and the scene's reason or nil. Return nil if it needs no reason.
local function reason_of(row, engine)
  local cell, reasons = row.cells[engine.name], row.scene.reasons or {}
  if engine.peer then return nil end
  local falls_short = engine.name == "soft" and not row.met
  if not falls_short and (engine.name == "soft" or not cell.worst) then return nil end
  return falls_short and "is worse than the peers" or "is the worst",
    reasons[engine.name] or not falls_short and row.several and row.scene.shared or nil
end

-- Add the notes below the table: for each row what is measured, the engines that cannot play it, and why engines have
-- large errors. Return the number of such engines for which the scene gives no reason.
local function notes(rows, engines, add)
  local missing = 0
  for i, row in ipairs(rows) do
    local scene = row.scene
    add(("%d. **%s**: %s. Against: %s."):format(i, scene.title, scene.measured, scene.against))
    for _, engine in ipairs(engines) do
      local cell = row.cells[engine.name]
      if not cell.error then add(("   - %s cannot: %s"):format(engine.title, cell.why)) end
      local what, reason = reason_of(row, engine)
      if what then
        if not reason then missing = missing + 1 end
        add(("   - %s %s: %s"):format(engine.title, what, reason or "**the scene gives no reason**"))
      end
    end
    if scene.asked then
      add(("   - required of `soft`: at most %g %s: %s"):format(scene.asked * (scene.factor or 1), scene.unit or "",
        row.kept and "met" or "**not met**"))
    end
  end
  return missing
end

local function machine()
  local file = io.open "/proc/cpuinfo"
  local model = file and file:read("a"):match "model name%s*:%s*([^\n]+)"
  if file then file:close() end
  return model or "unknown machine"
end

local HEAD = [[
# The truth table

`make truth` writes this file: scenes with a known outcome, played by every solver of impel, by Box2D and by Chipmunk in
one run. All use steps of 1/60 s and their default settings (Box2D with 8 and 3 iterations, Chipmunk with 10), with the
same masses, inertias, positions and velocities: a scene is written once, as a plan that every engine reads. Sleep is
off. The same code computes the errors from all traces; an error without a unit is relative. **Bold** marks the best of
a row, *italics* the worst; a row without marks has no differences above the tolerance of the last column. "lost" means
that the measured event never occurred. The last column says whether the error of `soft`, the default solver, is at most
1.1 times that of the better peer, plus 1e-5; if not, it gives the ratio.
]]

local function write(rows, engines)
  local lines = {}
  local function add(line) lines[#lines + 1] = line end
  add(HEAD)
  add(("impel %s, Debian's Box2D 2.4.1 and Chipmunk 7.0.3, on: %s\n"):format(impel.version, machine()))
  table_lines(rows, engines, add)
  add "\n## What each row is\n"
  local missing = notes(rows, engines, add)
  local solvers = {}
  for _, engine in ipairs(engines) do
    if not engine.peer then solvers[#solvers + 1] = engine.name end
  end
  add ""
  motion.lines(solvers, word, add)
  return table.concat(lines, "\n") .. "\n", missing
end


-- All -----------------------------------------------------------------------------------------------------------------

local engines, rows = all_engines(), {}
for _, group in ipairs(GROUPS) do
  for _, scene in ipairs(require("truth.scenes." .. group)) do
    if not word or scene.title:find(word, 1, true) then
      rows[#rows + 1] = run_row(scene, engines)
      io.stderr:write(scene.title, "\n")
    end
  end
end

local text, missing = write(rows, engines)
local short, unkept = 0, 0
for _, row in ipairs(rows) do
  short, unkept = short + (row.met and 0 or 1), unkept + (row.kept and 0 or 1)
end
if word then
  print(text:match "\n(| | scene.*)$")
else
  local file = assert(io.open("spec/truth/RESULTS.md", "w"))
  file:write(text)
  file:close()
end
print(("%d rows; soft is worse than the peers in %d and exceeds its own limit in %d; %d reasons missing")
  :format(#rows, short, unkept, missing))
os.exit(unkept == 0 and missing == 0)
