-- All Lua functions that read foreign text. A reader is a function that reads a text and describes the result in words.
-- Its frames are { prefix, suffix }, texts around random bytes.
--
--   local readers = require "support.readers"
--   for _, reader in ipairs(readers) do print(reader.name, reader.read(bytes)) end
local impel = require "impel"
local compare = require "impel.batch.benchmark_compare"
local csv = require "impel.base.csv"
local environment = require "impel.scene.environment"
local framing = require "impel.sandbox.framing"
local json = require "impel.base.json"
local plot = require "impel.plot"
local printable = require "impel.base.printable"
local repl = require "impel.prompt.repl"
local rows = require "impel.batch.sweep_rows"
local settings = require "impel.viewer.settings"
local source = require "impel.data.text"
local system = require "impel.system"

local readers = {}

-- Call a function that reads a file, with `text` as the content of every file.
local function of_file(text, f, ...)
  local read_file = system.read_file
  system.read_file = function() return text end
  local results = table.pack(pcall(f, ...))
  system.read_file = read_file
  if not results[1] then error(results[2], 0) end
  return table.unpack(results, 2, results.n)
end

local function outcome(value, message)
  if value == nil or value == false then return tostring(message) end
  return "read"
end

-- Add a reader. `frames`: list of { prefix, suffix }, texts around the random bytes. `most`: largest allowed number of
-- instructions, and of bytes of memory, per byte of input.
local function add(name, frames, read, most)
  readers[#readers + 1] = { name = name, frames = frames, read = read, most = most or 2500 }
end

local CSV = { { "", "" }, { "", "\n" }, { "time,x\n", "" }, { "time,x\n0,", "\n" }, { 'time,x\n0,"', '"\n' } }
local JSON = { { "", "" }, { "", "\n" }, { '{"time":0,"x":', "}\n" }, { '{"time":0,"x":"', '"}\n' }, { "{", "}\n" },
  { "[", "]\n" } }
local LUA = { { "", "" }, { "return {", "}" }, { "return { bodies = {", "} }" }, { 'return { title = "', '" }' },
  { "return { title = [[", "]] }" }, { "-- ", "\nreturn {}" }, { "return ", "" } }

add("trace, CSV", CSV, function(text) return outcome(impel.trace.parse(text, "csv")) end)
add("trace, JSON lines", JSON, function(text) return outcome(impel.trace.parse(text, "jsonl")) end)

local function draw(text, format)
  local trace = impel.trace.parse(text, format)
  if not trace then return "no trace" end
  local ok, picture = pcall(plot.svg, trace, { x = trace.columns[1] })
  return ok and "picture of " .. #picture or picture
end

-- 40000 instructions per byte: a column of one or two bytes already makes a panel with axes.
add("plot of CSV", { CSV[3], CSV[4] }, function(text) return draw(text, "csv") end, 40000)
add("plot of JSON lines", { JSON[2], JSON[3] }, function(text) return draw(text, "jsonl") end, 40000)
add("JSON", JSON, function(text) return outcome(json.decode(text)) end)
add("line of CSV", { { "", "" }, { '"', '"' } }, function(text) return outcome(csv.split(text)) end)

local LAYOUT = rows.layout({ params = {}, measures = {}, has = {}, name = "a scene" }, {})

add("rows of a sweep", {
  { "", "" }, { LAYOUT.header .. "\n1,1,0,0,ok,", "\n" }, { LAYOUT.header .. "\n", "\n2,1,0,0,ok,\n" },
}, function(text)
  local file, message = of_file(text, rows.read, "a file")
  if not file then return message end
  local told = {}
  for _, line in ipairs(file.lines) do told[#told + 1] = outcome(LAYOUT:read(line)) end
  local merged, gaps = of_file(text, rows.merge, { "a file", "a file" })
  return table.concat(told, "\n") .. outcome(merged, gaps)
end)

add("data", LUA, function(text) return outcome(source.decode(text, "a file")) end)

add("world of data", { LUA[2], LUA[3], LUA[4] }, function(text)
  local data, message = source.decode(text, "a file")
  if not data then return message end
  local ok, world = pcall(impel.load_data, data)
  if ok then world:destroy() end
  return outcome(ok, world)
end)

-- The source is compiled and does not run.
add("source of a scene", LUA, function(text) return outcome(environment.compile(text, "=a file", {})) end)

add("result of a benchmark", { JSON[1], JSON[5] }, function(text)
  return outcome(of_file(text, compare.read, "a file"))
end)

add("settings of the window", { JSON[1], JSON[5] }, function(text)
  local _, message = of_file(text, settings.load, "a file")
  return outcome(nil, message)
end)

add("text that is shown", { { "", "" }, { "\xE2\x82\xAC", "" } }, function(text) return printable(text) end)

add("messages of a sandbox", { { "", "" }, { "\4\0\0\0", "" } }, function(text)
  local reader, told = framing.reader(1 << 16), {}
  for at = 1, #text, 1000 do
    local messages = reader:take(text:sub(at, at + 999))
    if not messages then return "refused" end
    told[#told + 1] = #messages
  end
  return table.concat(told, " ")
end)

add("lines of a prompt", { { "", "" }, { "if", "" } }, function(text)
  local session, told = assert(repl.new { write = function() end }), {}
  for line in text:gmatch "[^\n]*" do
    local state, failure = session:feed(line)
    told[#told + 1] = outcome(state, failure and failure.message)
  end
  session:close()
  return table.concat(told, "\n")
end, 30000)
-- Each new line of an incomplete chunk compiles the whole chunk again. Sessions limit the lines and bytes of a chunk.
readers[#readers].recompiles = true

return readers
