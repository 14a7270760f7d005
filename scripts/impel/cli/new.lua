-- impel new: write a scene file to start from, with the pictures and sounds of its template.

local console = require "impel.cli.console"
local nearest = require "impel.base.nearest"
local system = require "impel.system"

local command = { name = "new", about = "write a scene file to start from" }

--- Names of the templates, in the order of the help.
command.templates = { "pendulum", "slingshot", "topdown", "platformer", "rig", "sweep" }

-- Templates that are games.
local GAMES = { slingshot = true, topdown = true, platformer = true }

local function read_template(name)
  local folder = assert(package.searchpath("impel.templates.pendulum", package.path)):match "^(.*)/[^/]*$"
  if GAMES[name] then folder = folder .. "/../../../examples/games" end
  local text, message = system.read_file(("%s/%s.lua"):format(folder, name))
  return text, text and folder or message
end

local function template(text)
  if nearest.has(command.templates, text) then return text end
  return nil, ("--template: no template '%s'%s; there are %s"):format(text, nearest.hint(text, command.templates),
    table.concat(command.templates, ", "))
end

function command.declare(parser)
  parser:argument("name", "the file to write; .lua is added if it is missing"):argname("NAME"):args("?")
  parser:option("--template", "one of " .. table.concat(command.templates, ", ") .. " (default: the "
    .. "template with the name NAME; if there is none, pendulum)")
    :argname("TEMPLATE"):convert(template)
  parser:flag("--list", "print the templates, a line each, and write nothing")
  parser:flag("-q --quiet", "print nothing but errors")
end

-- Turn "lab/box" into "lab/box.lua"; or return nil and why the name is not allowed.
local function file_name(name)
  local path = name:gsub("%.lua$", "") .. ".lua"
  local base = path:match "([^/]*)%.lua$"
  if base:find "^[%w_\128-\255][%w_ .+\128-\255-]*$" and not base:find "[ .]$" then return path end
  return nil, ("new: '%s' is not a name for a scene file: letters, digits, _ and - expected"):format(name)
end

local function list()
  for _, name in ipairs(command.templates) do
    io.stdout:write(("%-12s%s\n"):format(name, (read_template(name) or "-- not installed"):match "^%-%- ([^\n]*)"))
  end
  return console.EXIT.ok
end

-- Quote a name for the shell.
local function word(path)
  return path:find "[^%w_./+-]" and "'" .. path:gsub("'", [['\'']]) .. "'" or path
end

local function next_steps(path, kind, others)
  local wrote = #others > 0 and (", " .. table.concat(others, ", ")) or ""
  local lines = { ("wrote %s%s"):format(path, wrote), ("  impel run %s --check"):format(word(path)),
    ("  impel repl %s"):format(word(path)) }
  if GAMES[kind] then lines[2] = ("  impel play %s"):format(word(path)) end
  if kind == "sweep" then lines[4] = ("  impel tune %s --param angle,speed"):format(word(path)) end
  return table.concat(lines, "\n") .. "\n"
end

-- Write a file. Return nil and a message on failure.
local function write(path, text)
  local file, message = io.open(path, "wb")
  if not file then return nil, "new: cannot write " .. message end
  local ok, problem = file:write(text)
  local closed, late = file:close()
  if ok and closed then return true end
  os.remove(path)
  return nil, ("new: cannot write %s: %s"):format(path, problem or late)
end

-- Return names and contents of the files that a game's text names.
local function files_of(text, from)
  local files, known = {}, {}
  for name in text:gmatch '"([%w_]+%.%l+)"' do
    local content = not known[name] and system.read_file(from .. "/" .. name)
    if content then files[#files + 1] = { name = name, content = content } end
    known[name] = true
  end
  return files
end

-- Write new files into the folder of `path`. Return their names, or nil and a message.
local function write_files(path, files)
  local folder, missing, names = path:match "^(.*/)[^/]*$" or "", {}, {}
  for _, file in ipairs(files) do
    local there = system.read_file(folder .. file.name)
    if there and there ~= file.content then
      return nil, ("new: %s%s exists with different content; choose another folder"):format(folder, file.name)
    end
    if not there then missing[#missing + 1] = file end
  end
  for i, file in ipairs(missing) do
    local done, message = write(folder .. file.name, file.content)
    if not done then return nil, message end
    names[i] = folder .. file.name
  end
  return names
end

function command.run(_, options)
  if options.list then return list() end
  if not options.name then return console.refuse("new: NAME is missing: name the scene file to write", options) end
  local path, message = file_name(options.name)
  if not path then return console.refuse(message, options) end
  local kind = options.template or template(path:match "([^/]*)%.lua$") or command.templates[1]
  local text, from = read_template(kind)
  if not text then return console.refuse(("new: template '%s': %s"):format(kind, from), options) end
  -- The template's first comment has commands with the template's file name: replace this name by the new path.
  text = text:gsub("%f[%w_]" .. kind .. "%.lua%f[^%w_]", (word(path):gsub("%%", "%%%%")))
  if system.kind(path) then
    return console.refuse(("new: %s exists; choose another name, or remove it"):format(path), options)
  end
  local others, flaw = write_files(path, files_of(text, from))
  if not others then return console.refuse(flaw, options) end
  local done, problem = write(path, text)
  if not done then return console.refuse(problem, options) end
  if not options.quiet then io.stdout:write(next_steps(path, kind, others)) end
  return console.EXIT.ok
end

return command
