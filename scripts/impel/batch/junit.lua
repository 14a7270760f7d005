-- Runs of impel.testing as JUnit XML: a run is a test suite, a check is a test case.
-- source: junit-10.xsd of Jenkins' xUnit plugin

local json = require "impel.base.json"
local printable = require "impel.base.printable"

local junit = {}

local entities = {
  ["&"] = "&amp;", ["<"] = "&lt;", [">"] = "&gt;", ['"'] = "&quot;", ["\n"] = "&#10;", ["\t"] = "&#9;",
}

local function attribute(value)
  return (printable(value):gsub('[&<>"\n\t]', entities))
end

local function content(value)
  return (printable(value):gsub("[&<>]", entities))
end

local function seconds(value)
  return ("%.3f"):format(value)
end

-- Convert a file name to a Java class name, because readers group tests by it.
local function class_name(file)
  return (file:gsub("%.lua$", ""):gsub("^[./]+", ""):gsub("/", "."))
end

-- Return "failure" for a check that was not met, "error" for a check without a result.
local function element_of(point)
  return point.reason == "failed" and "failure" or "error"
end

local function case(point, run)
  local head = ('    <testcase name="%s" classname="%s" time="%s"'):format(attribute(point.case),
    attribute(class_name(run.file)), seconds(point.seconds or 0))
  if point.status == "passed" then return head .. "/>\n" end
  local body
  if point.status == "skipped" then
    body = ('      <skipped message="%s"/>\n'):format(attribute(point.message))
  else
    local element = element_of(point)
    local details = { point.traceback or point.message, run.rerun }
    body = ('      <%s type="%s" message="%s">%s</%s>\n'):format(element, point.reason, attribute(point.message),
      content(table.concat(details, "\n")), element)
  end
  return head .. ">\n" .. body .. "    </testcase>\n"
end

local function count(points)
  local counts = { failure = 0, error = 0, skipped = 0 }
  for _, point in ipairs(points) do
    local kind = point.status == "failed" and element_of(point) or point.status
    counts[kind] = (counts[kind] or 0) + 1
  end
  return counts
end

local function suite(run)
  local counts = count(run.points)
  local lines = { ('  <testsuite name="%s" tests="%d" failures="%d" errors="%d" skipped="%d" time="%s" file="%s">\n')
    :format(attribute(run.name), #run.points, counts.failure, counts.error, counts.skipped, seconds(run.seconds),
      attribute(run.file)) }
  lines[2] = "    <properties>\n"
  for _, name in ipairs { "seed", "steps", "time", "hash" } do
    local value = run[name]
    if value ~= nil then
      lines[#lines + 1] = ('      <property name="%s" value="%s"/>\n'):format(name,
        type(value) == "number" and json.number(value) or attribute(value))
    end
  end
  lines[#lines + 1] = "    </properties>\n"
  for _, point in ipairs(run.points) do lines[#lines + 1] = case(point, run) end
  if run.said ~= "" then lines[#lines + 1] = ("    <system-out>%s</system-out>\n"):format(content(run.said)) end
  lines[#lines + 1] = "  </testsuite>\n"
  return table.concat(lines)
end

--- Return the report.
---@param runs table[]  of impel.testing
---@param total number  wall time of all runs together [s]
---@return string
function junit.report(runs, total)
  local tests, failures, errors, suites = 0, 0, 0, {}
  for i, run in ipairs(runs) do
    local counts = count(run.points)
    tests, failures, errors = tests + #run.points, failures + counts.failure, errors + counts.error
    suites[i] = suite(run)
  end
  return ('<?xml version="1.0" encoding="UTF-8"?>\n'
    .. '<testsuites name="impel" tests="%d" failures="%d" errors="%d" time="%s">\n%s</testsuites>\n'):format(tests,
    failures, errors, seconds(total), table.concat(suites))
end

return junit
