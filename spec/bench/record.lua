-- Writes the measurements: as JSON, and as a Markdown table between two markers of a file.

local json = require "impel.base.json"
local tables = require "bench.tables"

local record = {}

local FROM, TO = "<!-- bench -->", "<!-- /bench -->"

local function read(path)
  local file = io.open(path, "rb")
  if not file then return nil end
  local text = file:read "a"
  file:close()
  return text
end

local function write(path, text)
  local file, message = io.open(path, "wb")
  if not file then return "cannot write " .. message end
  local ok, problem = file:write(text)
  local closed, last = file:close()
  if not (ok and closed) then return ("cannot write %s: %s"):format(path, problem or last) end
end

-- Return the start and the end of the text between the markers.
local function between(text)
  local _, from = text:find(FROM, 1, true)
  local to = from and text:find(TO, from + 1, true)
  return from, to
end

--- Check that the output files can be written. Return a message if one cannot, otherwise nil.
function record.refuse(options)
  for _, name in ipairs { "json", "markdown" } do
    local path = options[name]
    if path then
      local file, message = io.open(path, "ab") -- mode "ab" creates the file, or keeps its content
      if not file then return ("--%s: cannot write %s"):format(name, message) end
      file:close()
    end
  end
  local text = options.markdown and read(options.markdown)
  if not text then return options.markdown and ("--markdown: cannot read %s"):format(options.markdown) end
  local _, to = between(text)
  if text:find "%S" and not to then
    return ("--markdown: %s has no %s followed by %s"):format(options.markdown, FROM, TO)
  end
end

local function scene_of(scene)
  local runs = json.list {}
  for i, entry in ipairs(scene.entries) do
    local run = entry.run
    runs[i] = {
      title = run.title, program = run.program, lanes = run.lanes, threads = run.threads, steps = entry.steps,
      result = entry.result, ms_of_rounds = json.list(entry.all), failed = entry.failed, absent = entry.absent,
    }
    if entry.result then json.list(entry.result.stages) end
  end
  return { name = scene.name, scene = scene.scene or scene.name, size = scene.size, steps = scene.steps, runs = runs }
end

--- Return the report as JSON.
---@param report table
---@return string
function record.json(report)
  local scenes = json.list {}
  for i, scene in ipairs(report.scenes) do scenes[i] = scene_of(scene) end
  return json.encode {
    format = "impel.bench", version = 1, date = report.date, machine = report.machine, system = report.system,
    processors = report.processors, compiler = report.compiler, commit = report.commit, rounds = report.rounds,
    scenes = scenes, parts = report.parts, goals = json.list(report.goals), left_out = json.list(report.left_out),
    failures = json.list(report.failures),
  } .. "\n"
end

--- Write the requested files. Return a message if one could not be written, otherwise nil.
---@param options table  json, markdown
function record.write(report, options)
  local message = options.json and write(options.json, record.json(report))
  if message or not options.markdown then return message end
  local text = read(options.markdown) or ""
  local from, to = between(text)
  local inside = "\n" .. tables.markdown(report)
  if to then
    text = text:sub(1, from) .. inside .. text:sub(to)
  else
    text = FROM .. inside .. TO .. "\n"
  end
  return write(options.markdown, text)
end

return record
