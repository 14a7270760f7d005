-- Reports the lines of core/ that ran: lua5.4 spec/tools/coverage.lua BUILD LEAST   (called by make coverage)
--
-- Reads gcov's report of every object in a build with --coverage. A line that is compiled several times is counted
-- once. Prints a table of files (lowest coverage first), a list of functions that never ran, and the total. The exit
-- code is 1 if less than LEAST percent of all lines ran.
local json = require "dkjson"

local build, least = arg[1], tonumber(arg[2])
assert(build and least, "usage: lua5.4 spec/tools/coverage.lua BUILD LEAST")


-- Iterate over gcov's reports. The report of each object file is one JSON object.
local function reports()
  local gcov = "find '%s/core' -name '*.gcda' | xargs gcov --json-format --stdout 2>/dev/null"
  local pipe = assert(io.popen(gcov:format(build)))
  return function()
    local line = pipe:read "l"
    if line then return assert(json.decode(line)) end
    pipe:close()
  end
end


-- Return how often each line and function ran: path -> { lines = { [number] = runs }, functions = { [name] = runs } }.
local function collect()
  local files = {}
  for report in reports() do
    for _, source in ipairs(report.files) do
      local path = source.file:match "^core/.*$"
      if path then
        files[path] = files[path] or { lines = {}, functions = {} }
        local lines, functions = files[path].lines, files[path].functions
        for _, line in ipairs(source.lines) do
          lines[line.line_number] = (lines[line.line_number] or 0) + line.count
        end
        for _, f in ipairs(source.functions) do functions[f.name] = (functions[f.name] or 0) + f.execution_count end
      end
    end
  end
  return files
end


local function summary(path, file)
  local row = { path = path, lines = 0, run = 0, missed = {} }
  for _, runs in pairs(file.lines) do
    row.lines = row.lines + 1
    row.run = row.run + (runs > 0 and 1 or 0)
  end
  for name, runs in pairs(file.functions) do
    if runs == 0 then row.missed[#row.missed + 1] = name end
  end
  table.sort(row.missed)
  return row
end


local function percent(row) return row.lines > 0 and 100 * row.run / row.lines or 100 end


local rows, total = {}, { lines = 0, run = 0 }
for path, file in pairs(collect()) do
  local row = summary(path, file)
  rows[#rows + 1] = row
  total.lines, total.run = total.lines + row.lines, total.run + row.run
end
if total.lines == 0 then
  io.stderr:write(("coverage: no file of %s/core has run\n"):format(build))
  os.exit(1)
end
table.sort(rows, function(a, b)
  if percent(a) ~= percent(b) then return percent(a) < percent(b) end
  return a.path < b.path
end)

print("   lines      run        %  file")
for _, row in ipairs(rows) do
  print(("%8d %8d   %6.2f  %s"):format(row.lines, row.run, percent(row), row.path))
end
local never = 0
for _, row in ipairs(rows) do
  for _, name in ipairs(row.missed) do
    if never == 0 then print "\nnever run:" end
    never = never + 1
    print(("  %s: %s"):format(row.path, name))
  end
end
print(("\ncore: %d of %d lines ran, %.2f %%; %d functions did not run; at least %g %% required"):format(
  total.run, total.lines, percent(total), never, least))
os.exit(percent(total) >= least and 0 or 1)
