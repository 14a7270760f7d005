-- Find scenes by path, by the name of an example, or on standard input.

local console = require "impel.cli.console"
local nearest = require "impel.base.nearest"
local scenes = require "impel.scene"
local system = require "impel.system"

local find = {}

-- Append the names of the scenes in a folder, sorted, with a prefix.
local function add_names(names, host, folder, prefix)
  local found = {}
  for _, file in ipairs(host.files(folder) or {}) do found[#found + 1] = file:match "^(.*)%.lua$" end
  table.sort(found)
  for _, name in ipairs(found) do names[#names + 1] = prefix .. name end
end

--- Return the names of the example scenes, sorted, followed by the games: "games/lander".
---@param host table
---@return string[]
function find.examples(host)
  local names = {}
  if not host.examples then return names end
  add_names(names, host, host.examples, "")
  add_names(names, host, host.examples .. "/games", "games/")
  return names
end

--- Return whether a path is a file that can be read; false for a folder.
function find.is_readable(path)
  local kind = system.kind(path)
  if kind ~= "file" then return kind == "other" end -- a pipe can be read only once, so it is not tested
  local file = io.open(path, "rb")
  if file then file:close() end
  return file ~= nil
end

--- Return a scene's text and chunk name.
---@param host table
---@param name string  path or example; "-": standard input
---@return string|nil text
---@return string chunk_or_message
function find.text(host, name)
  if name == "-" or find.is_readable(name) then return scenes.read(name) end
  for _, folder in ipairs(host.examples and { host.examples, host.examples .. "/games" } or {}) do
    local example = folder .. "/" .. name:gsub("%.lua$", "") .. ".lua"
    if find.is_readable(example) then return scenes.read(example) end
  end
  local text, message = scenes.read(name)
  if text then return text, message end
  return nil, message .. nearest.hint(name, find.examples(host))
end

--- Return a function that loads the requested scene.
---@param host table
---@param options table  file, seed; opened: function(path), called for the scene's file and each file that it loads
---@param line table     of console.progress
---@return function|nil open  returns the scene, or nil and a failure
---@return table|nil failure
function find.loader(host, options, line)
  local text, chunk = find.text(host, options.file)
  if not text then return nil, { kind = "usage", message = chunk } end
  if options.opened and chunk:sub(1, 1) == "@" then options.opened(chunk:sub(2)) end
  return function()
    local scene, message, traceback, foreign = scenes.parse(text, chunk, {
      seed = options.seed, print = console.scene_print(line), opened = options.opened,
    })
    if scene then return scene end
    return nil, { kind = "scene", message = message, traceback = traceback, foreign = foreign }
  end
end

--- Load the requested scene.
---@return table|nil scene
---@return integer|nil exit_code  of a printed failure
function find.scene(host, options, line)
  local scene
  local open, failure = find.loader(host, options, line)
  if open then scene, failure = open() end
  return scene, failure and console.report(failure, options)
end

return find
