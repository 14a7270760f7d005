-- Reads and checks the command line of the benchmark.

local nearest = require "impel.base.nearest"

local options = {}

options.USAGE = [[
usage: make bench ARGS='...'   or, once that has built everything,   lua5.4 spec/tools/bench.lua [--build DIR] ...
  --scene NAME[,NAME]    run only these scenes and parts (default: all): %s
  --threads N[,N]        worker threads of impel and of added peers (default: 1)
  --lanes N[,N]          widths of impel's lanes, 0 the machine's widest (default: 0,4)
  --rounds N             how often each program runs; the least time counts (default: 3)
  --peer TITLE=COMMAND   another engine, run as COMMAND SCENE SIZE STEPS [threads=N]; may be repeated
  --json FILE            write all measurements as JSON
  --markdown FILE        write the table into FILE between <!-- bench --> and <!-- /bench -->, or create FILE
  --build DIR            folder of the programs (default: build)
]]

local function whole(name, text, lower, upper)
  local value = math.tointeger(tonumber(text))
  if value and value >= lower and value <= upper then return value end
  return nil, ("%s: integer in %d..%d expected, got '%s'"):format(name, lower, upper, text)
end

-- Convert "1,2" to a list without duplicates.
local function list_of(text, convert)
  local list, seen = {}, {}
  for word in (text .. ","):gmatch "%s*([^,]-)%s*," do
    local value, message = convert(word)
    if value == nil then return nil, message end
    if not seen[value] then list[#list + 1] = value end
    seen[value] = true
  end
  return list
end

local function wholes(name, lower, upper)
  return function(text)
    return list_of(text, function(word) return whole(name, word, lower, upper) end)
  end
end

local function names_of(known)
  return function(text)
    return list_of(text, function(word)
      for _, name in ipairs(known) do
        if name == word then return name end
      end
      return nil, ("--scene: no scene or part '%s'%s; the scenes and parts are %s"):format(word,
        nearest.hint(word, known), table.concat(known, ", "))
    end)
  end
end

local function peer_of(text)
  local title, command = text:match "^%s*([^=]-)%s*=%s*(.-)%s*$"
  if title and title ~= "" and command ~= "" then return { title = title, command = command } end
  return nil, ("--peer: TITLE=COMMAND expected, got '%s'"):format(text)
end

local function text_of(name)
  return function(text)
    if text ~= "" then return text end
    return nil, ("%s: a name expected, got ''"):format(name)
  end
end

local function set_of(list)
  local set = {}
  for _, name in ipairs(list) do set[name] = true end
  return set
end

-- Add a peer. Reject a second peer with the same title.
local function add_peer(given, peer)
  for _, other in ipairs(given.peers) do
    if other.title == peer.title then return ("--peer: the title '%s' is given twice"):format(peer.title) end
  end
  given.peers[#given.peers + 1] = peer
end

--- Read the arguments.
---@param known string[]     names of all scenes and parts
---@return table|nil options  build, rounds, threads, lanes, peers, json, markdown; scenes: a set, or nil for all
---@return string|nil message  what is wrong with the arguments; nil if nothing is
function options.parse(arguments, known)
  local given = { build = "build", rounds = 3, threads = { 1 }, lanes = { 0, 4 }, peers = {} }
  local converters = {
    ["--scene"] = names_of(known), ["--threads"] = wholes("--threads", 1, 256), ["--lanes"] = wholes("--lanes", 0, 16),
    ["--rounds"] = function(text) return whole("--rounds", text, 1, 1000) end, ["--peer"] = peer_of,
    ["--json"] = text_of "--json", ["--markdown"] = text_of "--markdown", ["--build"] = text_of "--build",
  }
  local at = 1
  while arguments[at] do
    local name, text = arguments[at]:match "^(%-%-%a+)=(.*)$"
    name = name or arguments[at]
    local convert = converters[name]
    if not convert then
      return nil, ("no option '%s'%s"):format(name, nearest.hint(name, nearest.keys(converters)))
    end
    if not text then
      at = at + 1
      text = arguments[at]
    end
    if not text then return nil, name .. ": the value is missing" end
    local value, message = convert(text)
    if value == nil then return nil, message end
    if name == "--scene" then
      given.scenes = set_of(value)
    elseif name == "--peer" then
      message = add_peer(given, value)
      if message then return nil, message end
    else
      given[name:sub(3)] = value
    end
    at = at + 1
  end
  return given
end

return options
