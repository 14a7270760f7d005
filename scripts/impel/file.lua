-- impel.file: files of a scene, such as levels, pictures and sounds.
--
--   local file = require "impel.file"
--   local level = file.data "levels/first.json"       a table, of JSON or of Lua data
--   for row in file.text("map.txt"):gmatch "[^\n]+" do ... end
--   local path = file "ship.png"                      path of the file
--
-- A name is relative to the folder of the scene's file. In plain Lua it is relative to the folder of the calling
-- script; without a script, to the working directory. A name that begins with / is absolute.
--
-- In a sandbox only .lua, .csv, .json, .jsonl, .txt, .png, .wav and .ogg below the sandbox's folder can be read.

local arguments = require "impel.base.arguments"
local nearest = require "impel.base.nearest"
require "impel.core" -- provides impel.system
local system = require "impel.system"

local file = {}

local MEGABYTE = 1048576
local MOST = 64           -- [MB], largest text file
local LONGEST_NAME = 4096 -- [B], longest name: the limit of the system

local OWN = debug.getinfo(1, "S").source:match "^(.*)file%.lua$" -- folder of the engine's scripts

local roots = {} -- chunk name of a scene's file or typed line -> { folder, opened }
local latest     -- root of the last call of set_root
local everywhere -- in a sandbox: root of all files without an entry in `roots`

--- Set the root folder of a scene's file, for programs that load scenes.
---@param chunk string|nil  chunk name of the file, "@games/pong.lua"; nil: all files without a root
---@param opened function|nil opened(path) is called before a file is read
function file.set_root(chunk, folder, opened)
  if chunk ~= nil then arguments.check("impel.file.set_root: argument 'chunk'", chunk, { "string" }) end
  arguments.check("impel.file.set_root: argument 'folder'", folder, { "string" })
  latest = { folder = folder, opened = opened }
  if chunk then roots[chunk] = latest else everywhere = latest end
end

-- Return the root folder of the file that called into impel; if no file is on the stack, the root set last.
local function root()
  local level = 2
  while true do
    local info = debug.getinfo(level, "S")
    if not info then return latest or { folder = "." } end
    local source = info.source
    if info.what ~= "C" and source:sub(1, #OWN) ~= OWN then
      if roots[source] then return roots[source] end
      if everywhere then return everywhere end
      if source:sub(1, 1) == "@" then return { folder = source:match "^@(.*)/[^/]*$" or "." } end
    end
    level = level + 1
  end
end

-- Return the absolute path of a folder. In a sandbox the path is already absolute.
local function absolute(folder)
  return folder:sub(1, 1) == "/" and folder or system.real_path(folder) or folder
end

local function names_in(folder)
  local names = {}
  for _, name in ipairs(system.files(folder) or {}) do
    if not name:find "^%.%.?$" then names[#names + 1] = name end
  end
  table.sort(names)
  return names
end

-- Return the error message for a file that cannot be read.
local function problem_of(name, path, message, reason)
  local parent, last = path:match "^(.*)/([^/]*)$"
  if reason == "missing" then
    return ("'%s' not found in '%s'%s"):format(name, parent == "" and "/" or parent,
      nearest.hint(last, names_in(parent)))
  end
  return ("'%s': %s"):format(path, message:sub(1, #path + 2) == path .. ": " and message:sub(#path + 3) or message)
end

-- Join a folder and a name.
local function join(folder, name)
  if name:sub(1, 1) == "/" then return name end
  return (folder == "/" and "" or folder) .. "/" .. (name:gsub("^%./+", ""))
end

-- Return the path of a file, and the root to which the name is relative. Raise for an invalid name.
local function path_of(what, name)
  arguments.check(what .. ": argument 'name'", name, { "string" })
  if name == "" or name:find("\0", 1, true) or #name > LONGEST_NAME then
    arguments.fail("%s: argument 'name' must be a file name: 1 to %d bytes long, no zero bytes, got %s", what,
      LONGEST_NAME, name == "" and "''" or ("'%s' of %d bytes"):format(arguments.short(name:gsub("%z", "\\0")), #name))
  end
  local from = root()
  return join(absolute(from.folder), name), from
end

-- Return the path of a file, the first `count` bytes and the size; or nil and a message.
local function look(what, name, count)
  local path = path_of(what, name)
  local head, size, reason = system.read_head(path, count)
  if head then return path, head, tonumber(size) end
  return nil, problem_of(name, path, size, reason)
end

--- Find a file of the scene. Return its absolute path, or nil and a message if it is missing or cannot be read.
function file.find(name)
  local path, message = look("impel.file.find", name, 0)
  if path then return path end
  return nil, message
end

--- Read the first bytes of a file of the scene.
---@param count integer  number of bytes, at most 65536
---@param what string|nil  name of the function in error messages
---@return string|nil path  absolute; nil if the file is missing or cannot be read
---@return string head_or_message
---@return integer|nil size   of the file [B]
function file.head(name, count, what)
  if what ~= nil then arguments.check("impel.file.head: argument 'what'", what, { "string" }) end
  what = what or "impel.file.head"
  arguments.check(what .. ": argument 'count'", count, { "integer", min = 0, max = 65536 })
  return look(what, name, count)
end

--- Read a file of a folder, of at most `most` bytes. name: relative to the folder, or absolute.
---@return string|nil bytes  nil if it cannot be read
---@return string|nil message
function file.bytes(folder, name, most)
  local what = "impel.file.bytes: argument "
  arguments.check(what .. "'folder'", folder, { "string" })
  arguments.check(what .. "'name'", name, { "string" })
  arguments.check(what .. "'most'", most, { "integer", min = 1 })
  local path = join(folder, name)
  local bytes, message, reason = system.read_file(path, most)
  if bytes then return bytes end
  return nil, problem_of(name, path, message, reason)
end

-- Return the text of a file, and the path of the file.
local function read(what, name)
  local path, from = path_of(what, name)
  if from.opened then from.opened(path) end
  local text, message, reason = system.read_file(path, MOST * MEGABYTE)
  if not text then arguments.fail("%s: %s", what, problem_of(name, path, message, reason)) end
  return text, path
end

--- Read the text of a file of the scene, at most 64 MB (8 MB in a sandbox). Raises if it cannot be read.
function file.text(name) return (read("impel.file.text", name)) end

--- Read the data of a file of the scene. Raises if it cannot be read, with line and column of a syntax error.
---@param name string  *.json: null is impel.json's `null`; or *.lua: `return { ... }` of plain data, which is parsed
---  and not run
function file.data(name)
  local what = "impel.file.data"
  local text, path = read(what, name)
  local ending = path:match "%.(%w+)$"
  if ending ~= "json" and ending ~= "lua" then
    arguments.fail("%s: '%s': a name that ends in .json or .lua expected (impel.file.text reads any text)", what, name)
  end
  local value, message
  if ending == "json" then
    value, message = require("impel.base.json").decode(text)
    message = message and ("%s: %s"):format(path, message)
  else
    value, message = require("impel.data.text").decode(text, path)
  end
  if message then arguments.fail("%s: %s", what, message) end
  return value
end

--- Return the absolute path of a file of the scene. Raises if the file is missing.
local function call(name)
  local path, message = look("impel.file", name, 0)
  if not path then arguments.fail("impel.file: %s", message) end
  return path
end

return setmetatable(file, {
  __call = function(_, name) return call(name) end,
  __index = function(_, name)
    -- not a tail call, because the stack level of the error would change
    local value = require("impel.scene.fields").missing("impel.file", file, name)
    return value
  end,
})
