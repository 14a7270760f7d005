-- Prints the measurements as tables.

local tables = {}

local function met(yes) return yes and "met" or "not met" end

local function cell(format, value, scale)
  return type(value) == "number" and format:format((scale or 1) * value) or "-"
end

-- Measures of quality, by the type of the scene.
local QUALITY = {
  pile = { head = "    sink m   kinetic J   overlap mm (mean)", low = "sink", worst = "overlap", mean = "crowd" },
  net = { head = "  mean y m   kinetic J       gap mm (mean)", low = "height", worst = "gap_max", mean = "gap" },
}

-- A scene counts as a net if it has more than half as many pins as bodies.
local function quality_of(result)
  return (tonumber(result.pins) or 0) > 0.5 * (tonumber(result.bodies) or 0) and QUALITY.net or QUALITY.pile
end

-- Return the remarks that follow an entry's numbers.
local function note_of(entry, steps)
  local words, lost = {}, tonumber(entry.result.lost) or 0
  if entry.steps ~= steps then words[#words + 1] = ("after %d steps"):format(entry.steps) end
  if lost > 0 then words[#words + 1] = ("%d bodies left the scene"):format(lost) end
  if entry.failed then words[#words + 1] = "FAILED: " .. entry.failed end
  return words[1] and "  " .. table.concat(words, ", ") or ""
end

local function first_result(scene)
  for _, entry in ipairs(scene.entries) do
    if entry.result then return entry.result end
  end
end

local function row(entry, first, quality, walls, steps)
  local r = entry.result
  if not r then return ("  %-24s %s"):format(entry.run.title, entry.failed and "failed" or "has no such scene") end
  local words = {
    ("  %-24s %9.4f"):format(entry.run.title, r.ms),
    walls and ("%9s"):format(cell("%.4f", r.wall)) or "",
    ("%8s"):format(r == first and "" or ("%.2f x"):format(r.ms / first.ms)),
    ("%8s"):format(r.bytes and r.bodies and r.bodies > 0 and cell("%.0f", r.bytes / r.bodies) or "-"),
    ("%9s"):format(cell("%.3f", r[quality.low])), ("%10s"):format(cell("%.2e", r.kinetic)),
    ("%11s %6s"):format(cell("%.2f", r[quality.worst], 1e3), cell("%.2f", r[quality.mean], 1e3)),
    ("%6s"):format(cell("%d", r.awake)),
  }
  return table.concat(words, " ") .. note_of(entry, steps)
end

local function print_stages(result)
  local sum, words = 0, {}
  for _, stage in ipairs(result.stages) do sum = sum + stage.ms end
  if sum == 0 then return end
  for _, stage in ipairs(result.stages) do
    words[#words + 1] = ("%s %.3f (%.0f %%)"):format(stage.name, stage.ms, 100 * stage.ms / sum)
  end
  print(("  impel's %s contacts, %s rows, %s colours; wall-clock time of the stages [ms]: %s"):format(
    cell("%d", result.contacts), cell("%d", result.rows), cell("%d", result.colours), table.concat(words, ", ")))
end

-- Print the scene's requirements `asked`, `lowest` and `limit` (see scenes.lua), and whether impel meets them.
local function print_asked(scene, first)
  for _, entry in ipairs(scene.entries) do
    local asked = scene.asked and scene.asked[entry.run.program]
    if asked and entry.result then
      local ratio = entry.result.ms / first.ms
      print(("  %s / impel %.2f, at least %g required: %s"):format(entry.run.title, ratio, asked, met(ratio >= asked)))
    end
  end
  if scene.lowest and first.height then
    print(("  impel: mean y %.2f m, at least %g m required: %s"):format(first.height, scene.lowest,
      met(first.height >= scene.lowest)))
  end
  if scene.limit then
    print(("  impel %.4f ms, less than %g ms required: %s"):format(first.ms, scene.limit, met(first.ms < scene.limit)))
  end
end

--- Print a scene's table.
---@param scene table  a scene of scenes.lua, with the entries of turns.run
function tables.print_scene(scene)
  local first = first_result(scene)
  print(("\n%s: %s, %d steps"):format(scene.name, scene.about, scene.steps))
  if not first then
    for _, entry in ipairs(scene.entries) do print(row(entry)) end
    return
  end
  local quality, walls = quality_of(first), false
  for _, entry in ipairs(scene.entries) do walls = walls or entry.run.threads > 1 end
  print(("  %-24s %9s %s %8s %8s %s  awake"):format("", "ms/step", walls and "  wall ms" or "", "ratio", "B/body",
    quality.head))
  for _, entry in ipairs(scene.entries) do print(row(entry, first, quality, walls, scene.steps)) end
  if scene.entries[1].result ~= first then return end -- the lines that follow are about impel alone
  print_asked(scene, first)
  if scene.profile then print_stages(first) end
end

--- Print the goals.
---@param judged table[]  result of goals.judge
function tables.print_goals(judged)
  print "\ngoals"
  for _, goal in ipairs(judged) do
    print(("  %d. %s: %s\n     %s"):format(goal.number, goal.title, goal.state, goal.text))
  end
end


-- Markdown ------------------------------------------------------------------------------------------------------------

-- Return a time and its ratio to the time of impel, "2.31 (4.0 x)".
local function time_cell(entry, first, steps)
  if not entry or entry.absent then return "–" end
  if not entry.result or entry.failed then return "failed" end
  local digits = entry.result.ms < 0.1 and "%.4f" or entry.result.ms < 10 and "%.2f" or "%.1f"
  local text = digits:format(entry.result.ms)
  if entry.result ~= first then text = ("%s (%.2f ×)"):format(text, entry.result.ms / first.ms) end
  return entry.steps ~= steps and ("%s¹"):format(text) or text
end

-- Return mean sink or height, and mean overlap or gap, of the first entry of each program.
local function quality_cell(scene, first)
  local quality, words, seen = quality_of(first), {}, {}
  for _, entry in ipairs(scene.entries) do
    local who = entry.run.peer or entry.run.program
    if not seen[who] and entry.result and not entry.failed then
      words[#words + 1] = ("%s %s, %s"):format(entry.run.title, cell("%.3f", entry.result[quality.low]),
        cell("%.2f", entry.result[quality.mean], 1e3))
    end
    seen[who] = true
  end
  return table.concat(words, "; ")
end

local function bytes_cell(result)
  local held = result.held or result.bytes
  return held and (result.bodies or 0) > 0 and ("%.0f"):format(held / result.bodies) or "–"
end

local function markdown_row(scene, runs)
  local first = first_result(scene)
  if not first then return ("| %s | nothing was measured |"):format(scene.name) end
  local words = { ("| %s (%d)"):format(scene.name, scene.steps) }
  for _, run in ipairs(runs) do
    local found
    for _, entry in ipairs(scene.entries) do found = found or entry.run == run and entry end
    words[#words + 1] = time_cell(found, first, scene.steps)
  end
  words[#words + 1] = bytes_cell(first)
  words[#words + 1] = quality_cell(scene, first)
  return table.concat(words, " | ") .. " |"
end

local function bar(text) return (text:gsub("|", "\\|")) end

--- Return all scenes as one Markdown table, followed by the goals.
---@param report table  scenes, runs, machine, compiler, commit, date, rounds, goals
function tables.markdown(report)
  local head, line = { "| scene (steps)" }, { "|---" }
  for _, run in ipairs(report.runs) do
    head[#head + 1], line[#line + 1] = bar(run.title), "---:"
  end
  head[#head + 1], line[#line + 1] = "B per body", "---:"
  head[#head + 1], line[#line + 1] = "piles: sink [m], mean overlap [mm]; nets: mean y [m], mean gap [mm]", "---"
  local rows = {
    ("%s, %s, impel %s, %s. CPU ms per step, least of %d rounds; in brackets: ratio to the first column."):format(
      report.machine, report.compiler or "unknown", report.commit, report.date:sub(1, 10), report.rounds),
    "", table.concat(head, " | ") .. " |", table.concat(line, "|") .. "|",
  }
  local shorter = false
  for _, scene in ipairs(report.scenes) do
    rows[#rows + 1] = markdown_row(scene, report.runs)
    for _, entry in ipairs(scene.entries) do shorter = shorter or entry.steps ~= scene.steps end
  end
  rows[#rows + 1] = ""
  if shorter then
    rows[#rows + 1] = "¹ fewer steps: later steps take too long."
    rows[#rows + 1] = ""
  end
  rows[#rows + 1] = "| goal | | |"
  rows[#rows + 1] = "|---|---|---|"
  for _, goal in ipairs(report.goals) do
    rows[#rows + 1] = ("| %d. %s | %s | %s |"):format(goal.number, bar(goal.title), goal.state, bar(goal.text))
  end
  return table.concat(rows, "\n") .. "\n"
end

return tables
