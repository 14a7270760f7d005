-- impel api: print the reference.

local console = require "impel.cli.console"

local command = { name = "api", about = "print the reference of scene files, the engine and the Lua modules" }

function command.declare(parser)
  local what = "what to print: a chapter (scene, view, world, ...), member (scene.update, world:revolute, angle), "
    .. "option (anchor), option table (motor), Lua module (pd, rig.car) or function of a module (multibody:jacobian) "
    .. "(default: the list of chapters)"
  parser:argument("name", what):argname("NAME"):args("?")
  parser:option("--search", "print the entries whose names or texts contain all these words, with the lines that "
    .. "contain them; exit code 1 if there are none"):argname("WORD"):args("+")
  parser:flag("--all", "print everything")
  parser:flag("--annotations --meta", "print annotations of the whole API for editors (LuaLS)")
end

local function search(words, options)
  for _, word in ipairs(words) do
    if not word:find "[^%s_]" then return console.refuse("--search: a word expected", options) end
  end
  local text, message = require("impel.reference.api").search(words)
  if not text then return console.report({ kind = "check", message = message }, options) end
  io.stdout:write(text)
  return console.EXIT.ok
end

function command.run(_, options)
  local given = {}
  for _, name in ipairs { "annotations", "all", "search", "name" } do
    if options[name] then given[#given + 1] = name == "name" and "NAME" or "--" .. name end
  end
  if #given > 1 then return console.refuse(("%s and %s cannot be combined"):format(given[1], given[2]), options) end
  if options.search then return search(options.search, options) end
  local api = require "impel.reference.api"
  local text, message
  if options.annotations then
    text = require("impel.reference.annotations").text()
  elseif options.name then
    text, message = api.text(options.name)
    if message and not message:find("in impel:", 1, true) then
      message = message .. "; impel api --search WORD searches all texts"
    end
  else
    text = options.all and api.text() or api.contents()
  end
  if not text then return console.refuse(message, options) end
  io.stdout:write(text)
  return console.EXIT.ok
end

return command
