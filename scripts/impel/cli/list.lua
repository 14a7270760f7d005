-- impel list: list the example scenes and games.

local console = require "impel.cli.console"
local find = require "impel.cli.find"
local json = require "impel.base.json"
local nearest = require "impel.base.nearest"
local scenes = require "impel.scene"

local command = { name = "list", about = "list the example scenes and games" }

local WIDTH = 100 -- width of the lines that -v prints [characters]

function command.declare(parser)
  parser:argument("word", "list only scenes with WORD in their name, title or description"):argname("WORD"):args("?")
  parser:flag("--json", "print one line of JSON for each scene")
  parser:flag("-v --verbose", "print the description and the parameters of each scene")
end

local function load_all(host)
  local found = {}
  for _, name in ipairs(find.examples(host)) do
    local scene, message, traceback = scenes.load(host.examples .. "/" .. name .. ".lua")
    found[#found + 1] = { name = name, scene = scene, definition = scene and scene.definition or {},
      failure = not scene and { kind = "scene", message = message, traceback = traceback } or nil }
  end
  return found
end

local function matches(entry, word)
  local text = table.concat({ entry.name, entry.definition.title or "", entry.definition.about or "" }, "\n")
  return text:lower():find(word:lower(), 1, true) ~= nil
end

-- Break text into lines that begin with two blanks.
local function wrap(text)
  local lines, line = {}, " "
  for word in text:gmatch "%S+" do
    if #line + 1 + #word > WIDTH then
      lines[#lines + 1] = line
      line = " "
    end
    line = line .. " " .. word
  end
  lines[#lines + 1] = line
  return table.concat(lines, "\n")
end

local function range(param)
  if not (param.min or param.max) then return "" end
  return (" (%.6g..%.6g)"):format(param.min or -math.huge, param.max or math.huge)
end

local function describe(entry)
  local out = {}
  if entry.definition.about then out[1] = wrap(entry.definition.about) .. "\n" end
  for _, name in ipairs(nearest.keys(entry.scene.params)) do
    local param = entry.scene.params[name]
    local setting = ("  --set %s=%s%s"):format(name, tostring(param.default), range(param))
    out[#out + 1] = ("%-40s  %s"):format(setting, param.help or ""):gsub("%s+$", "") .. "\n"
  end
  return table.concat(out)
end

local function as_json(entry)
  local params = {}
  for name, param in pairs(entry.scene.params) do
    params[name] = { default = param.default, min = param.min, max = param.max, integer = param.integer,
      help = param.help }
  end
  return json.encode { name = entry.name, title = entry.definition.title, about = entry.definition.about,
    duration = entry.definition.duration, params = params } .. "\n"
end

local function print_all(entries, options)
  local widest = 0
  for _, entry in ipairs(entries) do widest = math.max(widest, #entry.name) end
  local code = console.EXIT.ok
  for _, entry in ipairs(entries) do
    if entry.failure then
      code = console.report(entry.failure, options)
    elseif options.json then
      io.stdout:write(as_json(entry))
    else
      local title = entry.definition.title or ""
      io.stdout:write((entry.name .. (" "):rep(widest + 2 - #entry.name) .. title):gsub("%s+$", ""), "\n")
      if options.verbose then io.stdout:write(describe(entry)) end
    end
  end
  return code
end

function command.run(host, options)
  if not host.examples then return console.refuse("no folder of examples found next to the program", options) end
  local all, chosen = load_all(host), {}
  for _, entry in ipairs(all) do
    if not options.word or matches(entry, options.word) then chosen[#chosen + 1] = entry end
  end
  if #chosen > 0 then return print_all(chosen, options) end
  local message = ("list: no example has '%s' in its name, title or description%s"):format(options.word or "",
    nearest.hint(options.word, find.examples(host)))
  return console.refuse(message, options)
end

return command
