-- impel new: a scene file to begin with.

local console = require "impel.cli.console"
local nearest = require "impel.nearest"
local system = require "impel.system"

local command = { name = "new", about = "write a scene file to begin with" }

--- The names of the templates, in the order in which one may want them.
command.templates = { "pendulum", "platformer", "rig", "sweep" }

local function read_template(name)
  local path = assert(package.searchpath("impel.templates." .. name, package.path))
  return assert(system.read_file(path))
end

local function template(text)
  for _, name in ipairs(command.templates) do
    if name == text then return name end
  end
  return nil, ("--template: no template '%s'%s; there are %s"):format(text, nearest.hint(text, command.templates),
    table.concat(command.templates, ", "))
end

function command.declare(parser)
  parser:argument("name", "the file to write; .lua is added where it is missing"):argname("NAME"):args("?")
  parser:option("--template", "what it begins as: " .. table.concat(command.templates, ", ") .. " (default: pendulum)")
    :argname("TEMPLATE"):convert(template)
  parser:flag("--list", "print the templates with a line each instead")
  parser:flag("-q --quiet", "print nothing but errors")
end

-- "lab/box" as "lab/box.lua"; or nil and why no scene should be called so.
local function file_name(name)
  local path = name:gsub("%.lua$", "") .. ".lua"
  local base = path:match "([^/]*)%.lua$"
  if base:find "^[%w_\128-\255][%w_ .+\128-\255-]*$" and not base:find "[ .]$" then return path end
  return nil, ("new: '%s' is no name for a scene file: letters, digits, _ and - expected"):format(name)
end

local function list()
  for _, name in ipairs(command.templates) do
    io.stdout:write(("%-12s%s\n"):format(name, read_template(name):match "^%-%- ([^\n]*)"))
  end
  return console.EXIT.ok
end

-- A name as a word of the shell.
local function word(path)
  return path:find "[^%w_./+-]" and "'" .. path:gsub("'", [['\'']]) .. "'" or path
end

local function next_steps(path, kind)
  local lines = { ("wrote %s"):format(path), ("  impel run %s --check"):format(word(path)),
    ("  impel repl %s"):format(word(path)) }
  if kind == "sweep" then lines[4] = ("  impel tune %s --param angle,speed"):format(word(path)) end
  return table.concat(lines, "\n") .. "\n"
end

-- Write a file that is not there yet; nil and why not.
local function write_new(path, text)
  local there = io.open(path, "rb")
  if there then
    there:close()
    return nil, ("new: %s exists; take another name, or remove it"):format(path)
  end
  local file, message = io.open(path, "wb")
  if not file then return nil, "new: cannot write " .. message end
  local ok, problem = file:write(text)
  local closed, late = file:close()
  if ok and closed then return true end
  os.remove(path)
  return nil, ("new: cannot write %s: %s"):format(path, problem or late)
end

function command.run(_, options)
  if options.list then return list() end
  local usage = { kind = "usage", message = "new: NAME is missing: what is the file to be called?" }
  if not options.name then return console.report(usage, options) end
  local path, done
  path, usage.message = file_name(options.name)
  if not path then return console.report(usage, options) end
  local kind = options.template or command.templates[1]
  -- The commands in its head name the template's own file.
  local text = read_template(kind):gsub("%f[%w_]" .. kind .. "%.lua%f[^%w_]", (word(path):gsub("%%", "%%%%")))
  done, usage.message = write_new(path, text)
  if not done then return console.report(usage, options) end
  if not options.quiet then io.stdout:write(next_steps(path, kind)) end
  return console.EXIT.ok
end

return command
